"""The order of candidates: by their own scores and the graph arm's share, and a later statement above an older one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from wherefrom.model.graph import Node
from wherefrom.model.results import Factors
from wherefrom.recall.candidates import CandidateReader
from wherefrom.recall.fuse import Fused, Scored
from wherefrom.recall.older import later_first
from wherefrom.recall.rerank import Worth, rerank
from wherefrom.recall.standing import standing
from wherefrom.storage.candidates import RankingFacts

# The factors of g where the worth of a node does not count.
_NOT_REACHED: Final = (0.0, 0.0)
_UNWEIGHED: Final = (0.0, 1.0, 1.0, 1.0, None, 0.0, 1.0)


class Ranked(NamedTuple):
    """A candidate with its own score, S·g, and what `Factors` tells of g. replaces: the duplicates that it stands for.

    graph: the graph arm's share, G·g, where G is how likely a walk comes past it; gained: the part of it that does not
    come of walks that start there. place: score + weight · graph, by which candidates are ordered. content_hash: that
    of its text; empty where the worth of nodes does not count.
    """

    scored: Scored
    worth: Worth
    score: float
    graph: float
    gained: float
    place: float
    replaces: Sequence[str]
    content_hash: str

    @property
    def g(self) -> float:
        return self.worth[-1]

    @property
    def factors(self) -> Factors:
        """The factors of g: a value for an answer, made of the few candidates that come into one."""
        return Factors(*self.worth)


def rank(reader: CandidateReader, fused: Fused, filtered: Counter[str], *, by_worth: bool) -> list[Ranked]:
    """Return the candidates by score + weight · graph, without those that may not be recalled: the score is S·g if
    worth counts, else S. Of a node and the duplicates that it stands for, the greatest G counts.
    """
    by_id = reader.read_facts_with_heirs([scored.id for scored in fused.scored]) if by_worth else None
    candidates, replaces = standing(reader, fused, filtered, by_id)
    facts = [] if by_id is None else [by_id[scored.id] for scored in candidates]
    worths = [_UNWEIGHED] * len(candidates) if by_id is None else _worths(reader, facts)
    hashes = [fact.content_hash for fact in facts] or [""] * len(candidates)
    weight, reached = reader.request.retrieval.graph.weight, fused.reached
    ranking = []
    for scored, worth, content_hash in zip(candidates, worths, hashes, strict=True):
        node_id, g = scored.id, worth[-1]
        ids, score = replaces.get(node_id, ()), scored.score * g
        passed, came = reached.get(node_id, _NOT_REACHED)
        if ids:
            passed, came = max((passed, came), *(reached.get(one, _NOT_REACHED) for one in ids))
        graph, gained = g * passed, g * came
        place = score + weight * graph
        ranking.append((-place, -score, node_id, (scored, worth, score, graph, gained, place, ids, content_hash)))
    ranking.sort(key=itemgetter(0, 1, 2))
    return [tuple.__new__(Ranked, row) for *_, row in ranking]  # to call the type for each takes three times as long


def put_later_first(
    reader: CandidateReader, ranking: Sequence[Ranked], window: int, by_id: Mapping[str, Node]
) -> tuple[list[Ranked], dict[str, str]]:
    """Return a ranking in which, among the first, a statement stands above the older one whose value it exchanges; and
    the older ones, each with the later. The places are handed out anew in that order; the scores stay. by_id: the
    nodes of the first `window`.
    """
    first = {ranked.scored.id: ranked for ranked in ranking[:window]}
    older = reader.find_older(by_id.values())
    if not older:
        return list(ranking), older
    order = later_first(list(first), older)
    places = [ranked.place for ranked in first.values()]
    moved = [first[node_id]._replace(place=place) for node_id, place in zip(order, places, strict=True)]
    return [*moved, *ranking[window:]], older


def _worths(reader: CandidateReader, facts: Sequence[RankingFacts]) -> list[Worth]:
    """Return the parts of g of these nodes."""
    retrieval, now = reader.request.retrieval, reader.request.search.now
    return rerank(facts, reader.read_utilities(), now=now, settings=retrieval.rerank, feedback=retrieval.feedback)
