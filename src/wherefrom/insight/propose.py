"""L1: chooses the centers, the candidates and the norm spec, from what L2 has: words, vectors, existing edges.

A candidate edge is scored by the words, the meaning and the time of its ends (`scoring.py`), by what is rare and both
have (`shared.py`), and by shared neighbours: Σ m(w)·strength(w, v) / ln(1 + deg w) over the neighbours w of v, where
m(w) is the strength of the edge from c to w, or the relevance of w if it is a candidate, too (Adamic and Adar, "Friends
and neighbors on the Web", 2003, with expected neighbours beside those that are there).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from wherefrom.embedding.port import Matrix
from wherefrom.graph.local import Numbers, graph_of
from wherefrom.insight import scoring
from wherefrom.insight.judge import Context, Scene
from wherefrom.insight.settings import InsightSettings
from wherefrom.insight.shared import Moment, Shared, closenesses, read_moments, read_shared, without_endings
from wherefrom.lazy import np
from wherefrom.model.access import Access
from wherefrom.model.insight import CandidateEdge, NormSpec
from wherefrom.storage import candidates as search
from wherefrom.storage import embeddings, nodes
from wherefrom.storage.candidates import RankingFacts, WeightedEdge
from wherefrom.storage.port import SearchRequest, Transaction, Vectors
from wherefrom.storage.text_index import TextSearch
from wherefrom.text.tokens import text_of

_MAX_CENTERS: Final = 3
_MAX_EDGES_PER_NODE: Final = 30
_MAX_EDGES: Final = 1_000
_MAX_TWO_STEPS_AWAY: Final = 32
TWO_STEPS: Final = 2
_MAX_BY_WHAT_IS_RARE: Final = 16

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


class Pair(NamedTuple):
    """The figures that L1 has about a candidate edge."""

    score: float
    similarity: float | None
    words: float | None
    shared: float
    common_neighbours: int
    rare_names: float = 0.0
    rare_terms: float = 0.0
    closeness: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Staged:
    """The input of a decision: the nodes by their places, the scene, the context, the figures of each pair, the
    candidates that were not chosen, best first, and what L1 found and goes on from if it is asked for more.
    """

    ids: tuple[str, ...]
    scene: Scene
    context: Context
    pairs: Mapping[tuple[int, int], Pair]
    others: tuple[CandidateEdge, ...]
    found: Found


@dataclass(frozen=True, slots=True)
class Asked:
    """What a stage is made for. center_id: the memo that is judged; planned: edges accepted and not written yet."""

    question: SearchRequest
    centers: tuple[str, ...]
    center_id: str | None
    planned: tuple[WeightedEdge, ...]
    linking: InsightSettings


@dataclass(slots=True)
class Found:
    """The nodes that were found: their share of the question's words, their vectors, their order by relevance, the
    pages that they are on, their times, and their facts (None: it cannot be linked). word_weight: how much the words of
    the question count; shared: what is rare and they share with each center; steps: how many steps from the centers
    those nodes are that only a walk led to; is_own: a memo was asked about, and no question.
    """

    words: dict[str, float] = field(default_factory=dict)
    word_weight: float = 0.0
    rows: dict[str, Matrix] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)
    moments: dict[str, Moment] = field(default_factory=dict)
    facts: dict[str, RankingFacts | None] = field(default_factory=dict)
    shared: dict[str, Shared] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    is_own: bool = True

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
    # They are counted once for the search and for what is rare.
    question = replace(question, term_counts=index.text.term_counts(index.tx, index.access, question.text))
    found = search_texts(index, question, center_id, reach=(first_reach(linking), first_reach(linking)))
    if center_id is None:
        found.keep(_current(index, question, found.order))
    centers = [center_id] if center_id is not None else found.order[:_MAX_CENTERS]
    found.shared = _rare(index, question, centers, linking, center_id=center_id)
    asked = Asked(question, tuple(centers), center_id, tuple(planned), linking)
    return staged_for(index, asked, found, radius=TWO_STEPS)


def first_reach(linking: InsightSettings) -> int:
    """Return how many texts are looked for at first, by words and by vectors each."""
    return linking.candidates.top_k + linking.cand_expansion.budget


def search_texts(index: Index, question: SearchRequest, center_id: str | None, *, reach: tuple[int, int]) -> Found:
    """Search by words and vectors, for at most so many by each; words count as shares of the center's own score, or of
    the best.
    """
    hits = search.find(index.tx, index.access, question, text=index.text, vectors=index.vectors, reach=reach).found
    scores = {hit.id: hit.text_score for hit in hits if hit.text_score is not None}
    own = scores.get(center_id or "", max(scores.values(), default=0.0))
    found = Found(is_own=center_id is not None)
    found.words = {node_id: min(score / own, 1.0) for node_id, score in scores.items()} if own > 0 else {}
    found.word_weight = scoring.word_weight(own, index.text.count_texts(index.tx, index.access, question.kinds))
    found.rows = {hit.id: hit.vector for hit in hits if hit.vector is not None}
    if center_id is not None and question.vector is not None:
        found.rows[center_id] = question.vector
    relevance = {
        hit.id: _relevance(_cosine(question.vector, hit.vector), found.words.get(hit.id, 0.0), index) for hit in hits
    }
    found.order = sorted(relevance, key=lambda node_id: (-relevance[node_id], node_id))
    return found


def _rare(
    index: Index, question: SearchRequest, centers: Sequence[str], linking: InsightSettings, *, center_id: str | None
) -> dict[str, Shared]:
    """Return what is rare and other texts share with each center."""
    if not linking.candidates.names and not linking.candidates.terms:
        return {}
    texts = {} if center_id is None else {center_id: question.text}
    if center_id is None:
        known = nodes.read_by_ids(index.tx, index.access, centers)
        texts = {node_id: without_endings(text_of(node.title, node.content)) for node_id, node in known.items()}
    return read_shared(index.tx, index.access, index.text, question, texts)


def _edges_near(index: Index, asked: Asked, found: Sequence[str], *, radius: int) -> list[WeightedEdge]:
    """Return the edges around the centers, then around their neighbours and the candidates, and so on for as many steps
    as the radius. A turn of a session is linked to the turns before and after it.
    """
    tx, access, centers = index.tx, index.access, asked.centers
    edges = dict.fromkeys(search.turns_around(tx, access, centers, limit=_MAX_EDGES))
    seen: set[str] = set()
    frontier = list(centers)
    for step in range(radius):
        around = search.edges_around(tx, access, frontier, per_node=_MAX_EDGES_PER_NODE, limit=_MAX_EDGES)
        edges |= dict.fromkeys(around)
        seen.update(frontier)
        ends = {end for edge in edges for end in (edge.source_id, edge.target_id)}
        frontier = list(dict.fromkeys([*(found if step == 0 else ()), *sorted(ends - seen)]))
    near = [edge for edge in asked.planned if edge.source_id in seen or edge.target_id in seen]
    return list(dict.fromkeys([*edges, *near]))


def _neighbours(edges: Sequence[WeightedEdge]) -> Near:
    """Return the neighbours of each node and how strongly it is linked to them: where twice, by the stronger edge."""
    near: Near = defaultdict(dict)
    for one, other, _, strength in edges:
        if one != other and near[one].get(other, -1.0) < strength:
            near[one][other] = near[other][one] = strength
    return near


def _linkable(index: Index, asked: Asked, found: Found, near: Near, *, radius: int) -> list[str]:
    """Return the nodes that can be linked: those that were found, those that share something rare with a center, then
    those some steps from one, with the most in common first. A node that was replaced is left out. Pages, steps, and
    vectors of those that no search had found, are added to `found`.
    """
    weight, steps = _walked(asked.centers, near, radius=radius)
    known = set(found.order) | set(asked.centers)
    rare = _by_what_is_rare(found, known)
    likely = sorted(weight.keys() - known - {*rare}, key=lambda node_id: (-weight[node_id], node_id))
    wanted = [*found.order, *rare, *likely[: 2 * _MAX_TWO_STEPS_AWAY]]
    ids = dict.fromkeys([*asked.centers, *wanted])
    unread = [node_id for node_id in ids if node_id not in found.facts]
    found.facts = {**found.facts, **dict.fromkeys(unread), **_current(index, asked.question, unread)}
    current = {node_id: facts for node_id in ids if (facts := found.facts[node_id]) is not None}
    found.pages = {node_id: facts.page_id for node_id, facts in current.items() if facts.page_id is not None}
    live = [node_id for node_id in wanted if node_id in current]
    reached = [node_id for node_id in live if node_id not in known][: len(rare) + _MAX_TWO_STEPS_AWAY]
    found.steps = {**found.steps, **{node_id: steps[node_id] for node_id in reached if node_id in steps}}
    if asked.question.model is not None:
        found.rows |= embeddings.of_nodes(index.tx, index.access, reached, asked.question.model)
    return [*(node_id for node_id in live if node_id in known), *reached]


def _walked(centers: Sequence[str], near: Near, *, radius: int) -> tuple[dict[str, float], dict[str, int]]:
    """Return the nodes two steps or more from a center, how much they have in common with it, and how many steps."""
    weight: dict[str, float] = defaultdict(float)
    steps: dict[str, int] = {}
    for center in centers:
        seen, level = {center}, dict.fromkeys(near[center], 1.0)
        for step in range(TWO_STEPS, radius + 1):
            seen |= level.keys()
            further: dict[str, float] = defaultdict(float)
            for middle, reached in level.items():
                for node_id in near[middle].keys() - seen:
                    further[node_id] += reached / math.log1p(len(near[middle]))
            for node_id, reached in further.items():
                weight[node_id] += reached
                steps[node_id] = min(step, steps.get(node_id, step))
            level = further
    return weight, steps


def _by_what_is_rare(found: Found, known: Collection[str]) -> list[str]:
    """Return the nodes that share something rare with a center, the rarest first, without the known ones."""
    strength: dict[str, float] = defaultdict(float)
    for shared in found.shared.values():
        for node_id in {*shared.names, *shared.terms}.difference(known):
            strength[node_id] = max(strength[node_id], shared.strength(node_id))
    return sorted(strength, key=lambda node_id: (-strength[node_id], node_id))[:_MAX_BY_WHAT_IS_RARE]


def _current(index: Index, question: SearchRequest, ids: Sequence[str]) -> dict[str, RankingFacts]:
    """Return the facts of those of these nodes that live, were not replaced, and keep the invariants of the policy."""
    found = search.facts_of(index.tx, index.access, question, ids)
    current = {node_id: facts for node_id, facts in found.items() if facts.superseded_by is None}
    holds = None if index.holds is None else index.holds(index.tx, list(current))
    return current if holds is None else {node_id: facts for node_id, facts in current.items() if node_id in holds}


def _scored(
    center: str, ends: Sequence[str], found: Found, near: Near, *, own: bool, index: Index, linking: InsightSettings
) -> dict[tuple[str, str], Pair]:
    """Return the figures of the edges from a center to those of these nodes that it has no edge with."""
    others = [node_id for node_id in ends if node_id != center]
    if not others:
        return {}
    limits, rare = linking.candidates, found.shared.get(center, Shared())
    compared = scoring.meanings(
        found.rows.get(center), [found.rows.get(node_id) for node_id in others], floor=index.floor
    )
    shares = np.array([found.words.get(node_id, 0.0) for node_id in others]) if own else None
    words = None if shares is None else found.word_weight * shares
    close = np.array(closenesses(center, others, found.moments, half_life=limits.time_half_life_days))
    relevance = scoring.relevances(compared.meaning, words, alpha=index.alpha) * (1.0 - limits.time * (1.0 - close))
    shared = _shared_neighbours(center, others, relevance, near)
    names, terms = (np.array([some.get(node_id, 0.0) for node_id in others]) for some in (rare.names, rare.terms))
    beside = limits.support * shared + limits.names * names + limits.terms * terms
    # Among all that is near, linked or not: without its kin, which it has edges with, strangers would stand out.
    scores = scoring.scores(relevance, beside, level=limits.level)
    figures = np.stack([scores, compared.similarity, shared, names, terms, close], axis=1).tolist()
    pairs = {}
    for at, node_id in enumerate(others):
        if node_id in near[center] or found.pages.get(node_id, "") == found.pages.get(center):
            continue  # linked, or on one page with it
        score, similarity, common, name, term, nearness = figures[at]
        pairs[center, node_id] = Pair(
            score=score,
            similarity=None if math.isnan(similarity) else similarity,
            words=None if shares is None else shares[at].item(),
            shared=common,
            common_neighbours=len(near[node_id].keys() & near[center].keys()),
            rare_names=name,
            rare_terms=term,
            closeness=nearness,
        )
    return pairs


def _shared_neighbours(center: str, others: Sequence[str], relevance: Numbers, near: Near) -> Numbers:
    """Return how much each of some nodes has in common with a center by its neighbours, linked or expected."""
    expected = {**dict(zip(others, relevance.tolist(), strict=True)), **near[center]}
    share = {middle: value / math.log1p(len(near[middle])) for middle, value in expected.items() if near.get(middle)}
    return np.array(
        [
            sum(share[middle] * near[node_id][middle] for middle in sorted(near[node_id].keys() & share.keys()))
            for node_id in others
        ]
    )


def staged_for(index: Index, asked: Asked, found: Found, *, radius: int) -> Staged:
    """Return the input of a decision from what was found, with the edges and nodes within some steps."""
    centers, linking = asked.centers, asked.linking
    existing = _edges_near(index, asked, found.order, radius=radius)
    near = _neighbours(existing)
    ends = _linkable(index, asked, found, near, radius=radius)
    found.keep({*ends, *centers})
    if linking.candidates.time > 0:
        unread = [node_id for node_id in dict.fromkeys([*centers, *ends]) if node_id not in found.moments]
        found.moments = {**found.moments, **read_moments(index.tx, index.access, unread)}
    for one, other in search.linked(index.tx, index.access, centers, ends):
        near[one].setdefault(other, 0.0)  # an edge of a node with more of them than were read
    pairs: dict[tuple[str, str], Pair] = {}
    for center in centers:
        pairs |= _scored(center, ends, found, near, own=center == asked.center_id, index=index, linking=linking)
    for pair in search.declined(index.tx, index.access, centers, ends):
        pairs.pop(pair, None)
    fresh = int(asked.center_id is not None and not near[asked.center_id])
    return _placed(asked, pairs, found, existing, fresh=fresh)


def _placed(
    asked: Asked,
    pairs: Mapping[tuple[str, str], Pair],
    found: Found,
    existing: Sequence[WeightedEdge],
    *,
    fresh: int,
) -> Staged:
    """Return the input of a decision from these pairs, each once, whichever way it is written: by the better score."""
    centers = asked.centers
    limits = asked.linking.candidates
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
    return Staged(ids, scene, context, by_places, others=tuple(edges[len(chosen) :]), found=found)


def _cosine(first: Matrix | None, second: Matrix | None) -> float | None:
    return None if first is None or second is None else float(first @ second)


def _relevance(similarity: float | None, words: float | None, index: Index) -> float:
    if similarity is None:
        return words or 0.0
    near = max(similarity - index.floor, 0.0) / (1.0 - index.floor)
    return near if words is None else index.alpha * near + (1.0 - index.alpha) * words
