"""L1: chooses the centers, the candidates and the norm spec, from what L2 has: words, vectors, existing edges.

The score of a candidate edge from c to v, 0 to 1:
  relevance = α·similarity + (1 − α)·words, where similarity is the cosine above the embedder's floor and words the
    share of c's BM25 weight that v has; without one of the two the other alone;
  shared = Σ m(w)·strength(w, v) / ln(1 + deg w) over the neighbours w of v, where m(w) is the strength of the edge
    from c to w, or the relevance of w if it is a candidate, too (Adamic and Adar, "Friends and neighbors on the Web",
    2003, with expected neighbours beside those that are there);
  x = (relevance + support · shared) / the mean relevance of c's ten best, score = x / (1 + x): how far v stands out
    among what is near c anyway. Texts differ in how much they resemble all others; between passages that belong
    together this doubled the average precision of the plain relevance (docs/decisions/0005-insight.md).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.graph.local import graph_of
from wherefrom.insight.judge import Context, Scene
from wherefrom.insight.settings import InsightSettings
from wherefrom.lazy import np
from wherefrom.model.access import Access
from wherefrom.model.insight import CandidateEdge, ExpansionRequest, NormSpec
from wherefrom.storage import candidates as search
from wherefrom.storage import embeddings
from wherefrom.storage.candidates import RankingFacts, WeightedEdge
from wherefrom.storage.port import SearchRequest, Transaction, Vectors
from wherefrom.storage.text_index import TextSearch

_MAX_CENTERS: Final = 3
_MAX_EDGES_PER_NODE: Final = 30
_MAX_EDGES: Final = 1_000
_MAX_TWO_STEPS_AWAY: Final = 32
# A candidate has to stand out among the most relevant; a missing one counts as the least relevance.
_MOST_RELEVANT: Final = 10
_LEAST_RELEVANCE: Final = 0.15


Near = defaultdict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Index:
    """L2, in which candidates are found. alpha: how much vectors count beside words; floor: from which similarity on;
    holds: returns those of some nodes that keep the invariants of the policy.
    """

    tx: Transaction
    access: Access
    text: TextSearch
    vectors: Vectors
    alpha: float
    floor: float
    holds: Callable[[Transaction, Sequence[str]], set[str]] | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """The figures that L1 has about a candidate edge."""

    score: float
    similarity: float | None
    words: float | None
    shared: float
    common_neighbours: int


@dataclass(frozen=True, slots=True, eq=False)
class Staged:
    """The input of a decision: the nodes by their places, the scene, the context, the figures of each pair, and
    the candidates that were not chosen, best first.
    """

    ids: tuple[str, ...]
    scene: Scene
    context: Context
    pairs: Mapping[tuple[int, int], Pair]
    others: tuple[CandidateEdge, ...]


@dataclass(slots=True)
class _Found:
    """The nodes that were found: their share of the question's words, their vectors, their order by relevance, and the
    pages that they are on.
    """

    words: dict[str, float] = field(default_factory=dict)
    rows: dict[str, Matrix] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)

    def keep(self, ids: Collection[str]) -> None:
        """Forget all other nodes."""
        self.order = [node_id for node_id in self.order if node_id in ids]
        self.rows = {node_id: row for node_id, row in self.rows.items() if node_id in ids}


def compose(
    index: Index,
    question: SearchRequest,
    *,
    center_id: str | None,
    linking: InsightSettings,
    planned: Sequence[WeightedEdge] = (),
) -> Staged:
    """Return the stage for a node, or without one for a question: then the nodes that fit it best are the centers.

    planned: edges that were accepted before and are not written yet.
    """
    reach = linking.candidates.top_k + linking.cand_expansion.budget
    found = _search(index, question, center_id, reach=reach)
    if center_id is None:
        found.keep(_current(index, question, found.order))
    centers = [center_id] if center_id is not None else found.order[:_MAX_CENTERS]
    existing = _edges_near(index, centers, found.order, planned)
    near = _neighbours(existing)
    ends = _linkable(index, question, found, centers, near)
    found.keep({*ends, *centers})
    for one, other in search.linked(index.tx, index.access, centers, ends):
        near[one].setdefault(other, 0.0)  # an edge of a node with more of them than were read
    pairs: dict[tuple[str, str], Pair] = {}
    for center in centers:
        pairs |= _scored(center, ends, found, near, own=center == center_id, index=index, linking=linking)
    for pair in search.declined(index.tx, index.access, centers, ends):
        pairs.pop(pair, None)
    return _staged(centers, pairs, found, existing, linking, fresh=int(center_id is not None and not near[center_id]))


def expand(staged: Staged, request: ExpansionRequest) -> Staged | None:
    """Return L1's answer to L3: the stage with the next best candidates, down to the score that the request hints at;
    None if there are no more.
    """
    likely = (edge for edge in staged.others if (edge.score or 0.0) >= request.theta_link_hint)
    chosen = tuple(islice(likely, request.budget))
    if not chosen:
        return None
    context = staged.context
    selection = {**context.candidate_selection, "expanded_by": len(chosen)}
    edges = (*(context.candidate_edges or ()), *chosen)
    others = tuple(edge for edge in staged.others if edge not in chosen)
    return replace(
        staged, context=replace(context, candidate_edges=edges, candidate_selection=selection), others=others
    )


def _search(index: Index, question: SearchRequest, center_id: str | None, *, reach: int) -> _Found:
    """Search by words and vectors; words count as shares of the center's own score, or of the best."""
    hits = search.find(
        index.tx, index.access, question, text=index.text, vectors=index.vectors, reach=(reach, reach)
    ).found
    scores = {hit.id: hit.text_score for hit in hits if hit.text_score is not None}
    own = scores.get(center_id or "", max(scores.values(), default=0.0))
    found = _Found()
    found.words = {node_id: min(score / own, 1.0) for node_id, score in scores.items()} if own > 0 else {}
    found.rows = {hit.id: hit.vector for hit in hits if hit.vector is not None}
    if center_id is not None and question.vector is not None:
        found.rows[center_id] = question.vector
    relevance = {
        hit.id: _relevance(_cosine(question.vector, hit.vector), found.words.get(hit.id, 0.0), index) for hit in hits
    }
    found.order = sorted(relevance, key=lambda node_id: (-relevance[node_id], node_id))
    return found


def _edges_near(
    index: Index, centers: Sequence[str], found: Sequence[str], planned: Sequence[WeightedEdge]
) -> list[WeightedEdge]:
    """Return the edges around the centers, then around their neighbours and the candidates."""
    first = search.edges_around(index.tx, index.access, list(centers), per_node=_MAX_EDGES_PER_NODE, limit=_MAX_EDGES)
    touched = {end for edge in first for end in (edge.source_id, edge.target_id)}
    frontier = list(dict.fromkeys([*found, *sorted(touched)]))
    second = search.edges_around(index.tx, index.access, frontier, per_node=_MAX_EDGES_PER_NODE, limit=_MAX_EDGES)
    known = {*frontier, *centers}
    near = [edge for edge in planned if edge.source_id in known or edge.target_id in known]
    return list(dict.fromkeys([*first, *second, *near]))


def _neighbours(edges: Sequence[WeightedEdge]) -> Near:
    """Return the neighbours of each node and how strongly it is linked to them: where twice, by the stronger edge."""
    near: Near = defaultdict(dict)
    for edge in edges:
        one, other, strength = edge.source_id, edge.target_id, edge.strength
        if one != other and near[one].get(other, -1.0) < strength:
            near[one][other] = near[other][one] = strength
    return near


def _linkable(index: Index, question: SearchRequest, found: _Found, centers: Sequence[str], near: Near) -> list[str]:
    """Return the nodes that can be linked: those that were found, then those two steps from a center, with the most
    in common first. A node that was replaced is left out. Pages, and vectors of the latter, are added to `found`.
    """
    weight: dict[str, float] = defaultdict(float)
    for center in centers:
        for middle in near[center]:
            for node_id in near[middle].keys() - near[center].keys():
                weight[node_id] += 1.0 / math.log1p(len(near[middle]))
    known = set(found.order) | set(centers)
    likely = sorted(weight.keys() - known, key=lambda node_id: (-weight[node_id], node_id))
    wanted = [*found.order, *likely[: 2 * _MAX_TWO_STEPS_AWAY]]
    current = _current(index, question, list(dict.fromkeys([*centers, *wanted])))
    found.pages = {node_id: facts.page_id for node_id, facts in current.items() if facts.page_id is not None}
    live = [node_id for node_id in wanted if node_id in current]
    reached = [node_id for node_id in live if node_id not in known][:_MAX_TWO_STEPS_AWAY]
    if question.model is not None:
        found.rows |= embeddings.of_nodes(index.tx, index.access, reached, question.model)
    return [*(node_id for node_id in live if node_id in known), *reached]


def _current(index: Index, question: SearchRequest, ids: Sequence[str]) -> dict[str, RankingFacts]:
    """Return the facts of those of these nodes that live, were not replaced, and keep the invariants of the policy."""
    found = search.facts_of(index.tx, index.access, question, ids)
    current = {node_id: facts for node_id, facts in found.items() if facts.superseded_by is None}
    holds = None if index.holds is None else index.holds(index.tx, list(current))
    return current if holds is None else {node_id: facts for node_id, facts in current.items() if node_id in holds}


def _scored(
    center: str, ends: Sequence[str], found: _Found, near: Near, *, own: bool, index: Index, linking: InsightSettings
) -> dict[tuple[str, str], Pair]:
    """Return the figures of the edges from a center to those of these nodes that it has no edge with."""
    others = [node_id for node_id in ends if node_id != center]
    vector = found.rows.get(center)
    similarity = {node_id: _cosine(vector, found.rows.get(node_id)) for node_id in others}
    words = {node_id: found.words.get(node_id, 0.0) if own else None for node_id in others}
    relevance = {node_id: _relevance(similarity[node_id], words[node_id], index) for node_id in others}
    expected = {**relevance, **near[center]}
    # Among all that is near, linked or not: without its kin, which it has edges with, strangers would stand out.
    usual = _usual(relevance.values())
    pairs = {}
    for node_id in others:
        if node_id in near[center] or found.pages.get(node_id, "") == found.pages.get(center):
            continue  # linked, or on one page with it
        shared = sum(
            expected[middle] * strength / math.log1p(len(near[middle]))
            for middle, strength in sorted(near[node_id].items())
            if middle in expected
        )
        standing_out = (relevance[node_id] + linking.candidates.support * shared) / usual
        pairs[center, node_id] = Pair(
            score=standing_out / (1.0 + standing_out),
            similarity=similarity[node_id],
            words=words[node_id],
            shared=shared,
            common_neighbours=len(near[node_id].keys() & near[center].keys()),
        )
    return pairs


def _staged(
    centers: Sequence[str],
    pairs: Mapping[tuple[str, str], Pair],
    found: _Found,
    existing: Sequence[WeightedEdge],
    linking: InsightSettings,
    *,
    fresh: int,
) -> Staged:
    """Return the input of a decision from these pairs, each once, whichever way it is written: by the better score."""
    limits = linking.candidates
    worst_first = sorted(pairs, key=lambda pair: (-pairs[pair].score, pair), reverse=True)
    best = {frozenset(pair): pair for pair in worst_first if pairs[pair].score > 0}
    ranked = sorted(best.values(), key=lambda pair: (-pairs[pair].score, pair))
    ends = [end for pair in ranked for end in pair]
    linked = [end for edge in existing for end in (edge.source_id, edge.target_id)]
    ids = tuple(dict.fromkeys([*centers, *ends, *linked]))
    place = {node_id: at for at, node_id in enumerate(ids)}
    edges = [CandidateEdge(place[a], place[b], pairs[a, b].score) for a, b in ranked]
    chosen = [edge for edge in edges[: limits.top_k] if (edge.score or 0.0) >= limits.theta_cand]
    rows = [node_id for node_id in ids if node_id in found.rows]
    features = np.array([found.rows[node_id] for node_id in rows], dtype=np.float64) if rows else np.empty((0, 0))
    present = [(place[edge.source_id], place[edge.target_id]) for edge in existing]
    graph = graph_of(len(ids), np.array(present, dtype=np.int64).reshape(-1, 2))
    selection = {
        "found": len(edges),
        "l1_candidates": len(chosen),
        "k_star": len(chosen),
        "link_count": sum((edge.score or 0.0) >= limits.theta_link for edge in chosen),
    }
    context = Context(
        centers=tuple(place[center] for center in centers),
        candidate_edges=tuple(chosen),
        candidate_selection=selection,
        norm_spec=NormSpec(theta_link=limits.theta_link, theta_cand=limits.theta_cand, dimension=features.shape[1]),
    )
    scene = Scene(graph, np.array([place[node_id] for node_id in rows], dtype=np.int64), features, fresh=fresh)
    by_places = {(place[a], place[b]): pairs[a, b] for a, b in ranked}
    return Staged(ids, scene, context, by_places, others=tuple(edges[len(chosen) :]))


def _usual(relevances: Iterable[float]) -> float:
    """Return the mean relevance of the ten best, but no less than the least that counts."""
    best = sorted(relevances, reverse=True)[:_MOST_RELEVANT]
    mean = (sum(best) + (_MOST_RELEVANT - len(best)) * _LEAST_RELEVANCE) / _MOST_RELEVANT
    return max(mean, _LEAST_RELEVANCE)


def _cosine(first: Matrix | None, second: Matrix | None) -> float | None:
    return None if first is None or second is None else max(-1.0, min(float(first @ second), 1.0))


def _relevance(similarity: float | None, words: float | None, index: Index) -> float:
    if similarity is None:
        return words or 0.0
    near = max(similarity - index.floor, 0.0) / (1.0 - index.floor)
    return near if words is None else index.alpha * near + (1.0 - index.alpha) * words
