"""The graph arm: from the best candidates, and from what the question names, along relations and mentions.

A walk starts at the best candidates (mass S^sharpness, half of it) and at the nodes that the question names (the
other half), and goes on over their edges; G is how likely it comes past a node. Candidates and reached nodes are
then ordered by the mix (S / max S + weight · G) / (1 + weight), but the best candidate stays first. S itself stays
what it is; whoever ranks hands out the scores anew in the order of the mix, so that they keep their scale (a
threshold means the same with and without this arm).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from wherefrom.graph.walk import passing
from wherefrom.model.access import Access
from wherefrom.policy.retrieval import Graph
from wherefrom.recall.fuse import Fusion, Scored
from wherefrom.storage import embeddings, mentions, standings
from wherefrom.storage.candidates import Candidate
from wherefrom.storage.port import Transaction
from wherefrom.storage.question import Question
from wherefrom.storage.standings import Link

_EDGES_OF_A_NODE: Final = 50
# Of the nodes that only the walk reached, those that it reached best; the others would not be chosen.
_REACHED: Final = 32


@dataclass(frozen=True, slots=True)
class Spreading:
    """The candidates in their new order, the mix of S and G of each, and how likely the walk came past each node;
    all empty if it led nowhere.
    """

    scored: tuple[Scored, ...] = ()
    mixed: Mapping[str, float] = field(default_factory=dict)
    reached: Mapping[str, float] = field(default_factory=dict)


NOWHERE: Final = Spreading()


def spread(tx: Transaction, access: Access, fusion: Fusion, question: Question, *, settings: Graph) -> Spreading:
    """Follow the graph from the best candidates."""
    if settings.weight == 0 or not fusion.scored:
        return NOWHERE
    named = mentions.asked(tx, access, question.text)
    start = masses(fusion.scored[: settings.seeds], named, sharpness=settings.sharpness)
    links = _neighbourhood(tx, access, list(start), settings)
    known = {each.candidate.id for each in fusion.scored}
    if not links and not named.keys() - known:
        return NOWHERE
    reached = walked(start, links, damping=settings.damping)
    likely = sorted((node_id for node_id in reached if node_id not in known), key=lambda each: -reached[each])
    fresh = standings.of_nodes(tx, access, question, likely[:_REACHED])
    vectors = {} if question.model is None else embeddings.of_nodes(tx, access, list(fresh), question.model)
    others = fusion.others([Candidate(node_id, vector=vectors.get(node_id)) for node_id in fresh])
    scored = [*fusion.scored, *others]
    mixed = mix(scored, reached, weight=settings.weight)
    scored.sort(key=lambda each: (-mixed[each.candidate.id], each.candidate.id))
    return Spreading(tuple(scored), mixed, reached)


def masses(best: Sequence[Scored], named: Mapping[str, float], *, sharpness: float) -> dict[str, float]:
    """Where walks start: half at the best candidates, half at what the question names; all at the former if it
    names nothing.
    """
    total = sum(each.score**sharpness for each in best) or 1.0
    start = {each.candidate.id: each.score**sharpness / total for each in best}
    whole = sum(named.values()) or 1.0
    for node_id, share in named.items():
        start[node_id] = start.get(node_id, 0.0) + share / whole
    return start


def walked(start: Mapping[str, float], links: Sequence[Link], *, damping: float) -> dict[str, float]:
    """How likely a walk over these links comes past each node.

    A mention counts 1/√(the mentions of its target among these links): what everyone mentions says little.
    """
    ids = list(dict.fromkeys([*start, *(end for link in links for end in (link.source_id, link.target_id))]))
    place = {node_id: at for at, node_id in enumerate(ids)}
    sources = np.array([place[link.source_id] for link in links], dtype=np.int64)
    targets = np.array([place[link.target_id] for link in links], dtype=np.int64)
    weights = np.array([link.strength for link in links], dtype=np.float64)
    is_mention = np.array([link.tag == mentions.TAG for link in links], dtype=bool)
    if is_mention.any():
        often = np.bincount(targets[is_mention], minlength=len(ids))
        weights[is_mention] /= np.sqrt(often[targets[is_mention]])
    masses_of = np.array([start.get(node_id, 0.0) for node_id in ids])
    passed = passing(masses_of, sources, targets, weights, damping=damping)
    return {node_id: value for node_id, value in zip(ids, passed.tolist(), strict=True) if value > 0}


def mix(scored: Sequence[Scored], reached: Mapping[str, float], *, weight: float) -> dict[str, float]:
    """(S / max S + weight · G) / (1 + weight) of each, in [0, 1]; 1 for the best candidate."""
    best = max(scored, key=lambda each: each.score)
    top = best.score or 1.0
    mixed = {
        each.candidate.id: (each.score / top + weight * reached.get(each.candidate.id, 0.0)) / (1.0 + weight)
        for each in scored
    }
    return {**mixed, best.candidate.id: 1.0}


def _neighbourhood(tx: Transaction, access: Access, seeds: Sequence[str], settings: Graph) -> list[Link]:
    """The links within some steps of the seeds, each once, up to a number."""
    found: dict[Link, None] = {}
    seen, frontier = set(seeds), list(seeds)
    for _ in range(settings.hops):
        left = settings.edges - len(found)
        if not frontier or left <= 0:
            break
        links = standings.around(tx, access, frontier, each=_EDGES_OF_A_NODE, limit=left)
        found |= dict.fromkeys(links)
        ends = {end for link in links for end in (link.source_id, link.target_id)}
        frontier = sorted(ends - seen)
        seen |= ends
    return list(found)
