"""Which candidates stand for themselves: what has ended or is a duplicate gives its place to what took its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from wherefrom.recall.candidates import CandidateReader
from wherefrom.recall.fuse import Fused, Scored
from wherefrom.storage.candidates import RankingFacts


def standing(
    reader: CandidateReader, fused: Fused, filtered: Counter[str], by_id: Mapping[str, RankingFacts] | None = None
) -> tuple[list[Scored], dict[str, list[str]]]:
    """Return the candidates that hold, in order: what was replaced, or is a duplicate, gives its place and its S to its
    heir. Then, by heir, the nodes that it stands for. Without the facts of all candidates, those are read that may not
    stand for themselves, and the rest is left to the caller's checks.
    """
    ids = [scored.id for scored in fused.scored]
    if by_id is None:
        replaced = reader.find_replaced(ids, fused.found)
        if not replaced:
            return list(fused.scored), {}
        by_id = reader.read_facts_with_heirs(replaced)
        known = by_id.keys() | (set(ids) - set(replaced))
        allowed = reader.select_holding(by_id) | (known - by_id.keys())
    else:
        known = set(by_id)
        allowed = reader.select_holding(by_id)
        filtered["invariant"] += len(by_id) - len(allowed)
        filtered["not_live"] += sum(node_id not in by_id for node_id in ids)
    now = reader.request.search.now
    ended = {node_id for node_id, facts in by_id.items() if facts.has_ended(now)}
    heirs = {node_id: heir for node_id, facts in by_id.items() if (heir := facts.heir(now)) in known}
    found_through, replaces = _inherited(fused.scored, heirs, allowed - {reader.request.exclude}, ended)
    filtered["superseded"] += sum(map(len, replaces.values()))
    filtered["closed"] += len(ended & allowed) - sum(len(ended & set(old)) for old in replaces.values())
    return _with_own_scores(reader, fused, found_through), replaces


def _inherited(
    candidates: Sequence[Scored], heirs: Mapping[str, str], allowed: set[str], ended: set[str]
) -> tuple[dict[str, Scored], dict[str, list[str]]]:
    """Return each node once, a superseded one as its heir, the node that supersedes it, if that may be recalled. What
    has ended and has no such heir is left out.

    First by heir the best candidate that it is or stands for, then by heir the nodes that it stands for.
    """
    best: dict[str, Scored] = {}
    replaces: dict[str, list[str]] = {}
    for scored in candidates:
        if scored.id not in allowed:
            continue
        heir = scored.id
        seen = {heir}
        while (following := heirs.get(heir)) is not None and following in allowed and following not in seen:
            heir = following
            seen.add(heir)
        if heir in ended:
            continue
        if heir != scored.id:
            replaces.setdefault(heir, []).append(scored.id)
        if heir not in best or scored.score > best[heir].score:
            best[heir] = scored
    return best, replaces


def _with_own_scores(reader: CandidateReader, fused: Fused, found_through: Mapping[str, Scored]) -> list[Scored]:
    """Return nodes with their own ranks and similarities, but with the S of the candidate that led to each."""
    own = {scored.id: scored for scored in fused.scored}
    # Heirs that no arm found have no rank, but a similarity if they have a vector.
    missing = [node_id for node_id in found_through if node_id not in own]
    if missing:
        own |= {scored.id: scored for scored in fused.score_others(reader.read_candidates(missing))}
    for node_id, through in found_through.items():
        if through.id != node_id:
            own[node_id] = own[node_id]._replace(score=through.score, found_through=through.id)
    return [own[node_id] for node_id in found_through]
