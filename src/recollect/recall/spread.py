"""The graph arm: from the best candidates, and from what the question names, along relations and mentions.

A walk starts at the best candidates (mass S^sharpness, half of it) and at the nodes that the question names (the
other half), and goes on over their edges; G is how likely it comes past a node. Candidates and reached nodes are
then ordered by S / max S + weight · G, but the best candidate stays first. The scores themselves stay what they
were and are handed out anew in that order, so that S keeps its scale for g and the threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from recollect.graph.walk import passing
from recollect.model.access import Access
from recollect.policy.retrieval import Graph
from recollect.recall.fuse import Fusion, Scored
from recollect.storage import embeddings, mentions, standings
from recollect.storage.candidates import Candidate
from recollect.storage.port import Transaction
from recollect.storage.question import Question
from recollect.storage.standings import Link

_EDGES_OF_A_NODE: Final = 50


@dataclass(frozen=True, slots=True)
class Spreading:
    """The candidates in their new order, and how likely the walk came past each node; empty if it led nowhere."""

    scored: tuple[Scored, ...] = ()
    reached: Mapping[str, float] = field(default_factory=dict)


def spread(tx: Transaction, access: Access, fusion: Fusion, question: Question, *, settings: Graph) -> Spreading:
    """Follow the graph from the best candidates."""
    if settings.weight == 0:
        return Spreading()
    named = mentions.asked(tx, access, question.text)
    start = masses(fusion.scored[: settings.seeds], named, sharpness=settings.sharpness)
    links = _neighbourhood(tx, access, list(start), settings)
    if not links and not named.keys() - {each.candidate.id for each in fusion.scored}:
        return Spreading()
    reached = walked(start, links, damping=settings.damping)
    known = {each.candidate.id for each in fusion.scored}
    fresh = standings.of_nodes(tx, access, question, [node_id for node_id in reached if node_id not in known])
    vectors = {} if question.model is None else embeddings.of_nodes(tx, access, list(fresh), question.model)
    others = fusion.others([Candidate(node_id, vector=vectors.get(node_id)) for node_id in fresh])
    return Spreading(tuple(reordered([*fusion.scored, *others], reached, weight=settings.weight)), reached)


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


def reordered(scored: Sequence[Scored], reached: Mapping[str, float], *, weight: float) -> list[Scored]:
    """The candidates by S / max S + weight · G, the best one first; the k-th gets the k-th highest of their scores."""
    if not scored:
        return []
    top = max(each.score for each in scored) or 1.0
    first, *rest = sorted(scored, key=lambda each: (-each.score, each.candidate.id))
    rest.sort(key=lambda each: (-each.score / top - weight * reached.get(each.candidate.id, 0.0), each.candidate.id))
    values = sorted((each.score for each in scored), reverse=True)
    return [replace(each, score=value) for each, value in zip([first, *rest], values, strict=True)]


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
