"""What insight says of the links of a pool (see `bench.insight_pool`), without a store around it.

L1's score is that of `wherefrom.insight.propose`, called itself, from vectors and words (BM25 of the store's text
index) and from the links that were accepted so far, each as strong as its score. With names, a link between passages of
which one names the other's title has the score 1: the product makes such a link by itself. L3 is
`wherefrom.insight.judge.judge`, called for each passage in turn with the links of the pool that were not judged yet;
only what the gate accepts (g ≤ θ_DG) is there for the passages after it. Unlike in the product all links of the pool
are candidates, whatever their score, and the number of links that one decision may accept is not limited.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.insight_pool import MENTION, MOST, Numbers, Places, Pool
from wherefrom.embedding.static import StaticEmbedder
from wherefrom.graph.local import graph_of
from wherefrom.insight.gates import Thresholds
from wherefrom.insight.judge import Context, Scene, judge
from wherefrom.insight.propose import _MAX_EDGES, _MAX_EDGES_PER_NODE, Found, Index, _scored
from wherefrom.insight.settings import Candidates, InsightSettings
from wherefrom.model.insight import CandidateEdge, NormSpec
from wherefrom.storage.term_weights import bm25_weights, rare_terms
from wherefrom.storage.text_statistics import Statistics
from wherefrom.text.tokens import query_terms, terms

K1, B = 1.2, 0.75


@dataclass(slots=True)
class Judged:
    """What was said of each link of a pool, when it was judged; fired: in how many decisions AG did."""

    score: Numbers
    g: Numbers
    delta_h: Numbers
    delta_sp: Numbers
    accepted: NDArray[np.bool_]
    fired: int = 0
    seconds: float = 0.0
    near: defaultdict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))


@dataclass(frozen=True, slots=True)
class Words:
    """BM25 as the store's text index counts it, as shares of what a text has with itself."""

    terms: Sequence[Sequence[str]]
    postings: dict[str, tuple[Places, Numbers]]
    statistics: Statistics

    def shares(self, place: int, *, limit: int) -> dict[str, float]:
        """The best texts for the words of one; of the others nothing is known."""
        frequencies = {term: len(self.postings[term][0]) for term in self.terms[place]}
        found = np.zeros(len(self.terms))
        for term, weight in bm25_weights(rare_terms(frequencies, self.statistics), self.statistics).items():
            places, parts = self.postings[term]
            found[places] += weight * parts
        if found[place] <= 0:
            return {}
        best = np.argsort(-found, kind="stable")[:limit].tolist()
        return {str(at): min(float(found[at] / found[place]), 1.0) for at in best if found[at] > 0}


def words_in(texts: Sequence[str]) -> Words:
    counts = [Counter(terms(text)) for text in texts]
    lengths = [count.total() for count in counts]
    average = sum(lengths) / max(len(lengths), 1)
    rows = defaultdict(list)
    for place, count in enumerate(counts):
        for term, times in count.items():
            length = 1.0 - B + B * lengths[place] / average
            rows[term].append((place, times * (K1 + 1.0) / (times + K1 * length)))
    postings = {
        term: (np.array([place for place, _ in row]), np.array([part for _, part in row])) for term, row in rows.items()
    }
    return Words([query_terms(text) for text in texts], postings, Statistics(len(texts), average))


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """L1 and L3 over a pool; what L1 finds for each passage is found once."""

    pool: Pool
    linking: InsightSettings
    found: Sequence[Found]

    def judged(self, *, names: bool) -> Judged:
        """Judge the links passage by passage: each link once, by the first of its ends."""
        count = len(self.pool.ends)
        zeros = np.zeros((4, count))
        result = Judged(zeros[0], zeros[1], zeros[2], zeros[3], accepted=np.zeros(count, dtype=bool))
        mine = defaultdict(list)
        for at, (one, _) in enumerate(self.pool.ends.tolist()):
            mine[one].append(at)
        start = time.perf_counter()
        for center, links in mine.items():
            self._score(result, center, links, names=names)
            self._decide(result, center, links)
        result.seconds = time.perf_counter() - start
        return result

    def _score(self, result: Judged, center: int, links: Sequence[int], *, names: bool) -> None:
        """L1: what `propose` says of the links of a passage to what it found and to what the pool has for it."""
        found = self.found[center]
        ends = {at: str(self.pool.ends[at, 1]) for at in links}
        trust = StaticEmbedder.trust
        nothing: Any = None
        index = Index(nothing, nothing, nothing, nothing, alpha=trust.alpha, floor=trust.floor)
        pairs = _scored(str(center), found.order, found, result.near, own=True, index=index, linking=self.linking)
        for at, end in ends.items():
            is_named = names and self.pool.kinds[at] & MENTION
            result.score[at] = 1.0 if is_named else pairs[str(center), end].score

    def _decide(self, result: Judged, center: int, links: Sequence[int]) -> None:
        """L3: judge some links of a passage, against the links around it that were accepted before."""
        pool, near = self.pool, result.near
        others = pool.ends[links, 1].tolist()
        around = dict.fromkeys([center, *others, *map(int, near[str(center)])])
        edges = dict.fromkeys(
            (min(a, int(b)), max(a, int(b)))
            for a in around
            for b in itertools.islice(near[str(a)], _MAX_EDGES_PER_NODE)
        )
        known = list(itertools.islice(edges, _MAX_EDGES))
        ids = list(dict.fromkeys([center, *others, *itertools.chain.from_iterable(known)]))
        place = {node: at for at, node in enumerate(ids)}
        shown = 1 + len(others)
        scene = Scene(
            graph=graph_of(len(ids), np.array([(place[a], place[b]) for a, b in known], dtype=np.int64).reshape(-1, 2)),
            places=np.arange(shown),
            rows=pool.vectors[ids[:shown]],
            fresh=int(not near[str(center)]),
        )
        edge_of = {place[other]: at for other, at in zip(others, links, strict=True)}
        candidates = tuple(CandidateEdge(0, end, float(result.score[at])) for end, at in edge_of.items())
        context = Context(centers=(0,), candidate_edges=candidates, norm_spec=NormSpec(dimension=scene.rows.shape[1]))
        limits = Thresholds(theta_ag=self.linking.gates.theta_ag, theta_dg=self.linking.gates.theta_dg)
        judgement = judge(scene, context, linking=self.linking, thresholds=limits)
        result.fired += judgement.metrics.ag
        for link in judgement.links:
            at = edge_of[link.edge.target]
            result.g[at], result.delta_h[at], result.delta_sp[at] = link.g, link.delta_h, link.delta_sp
            result.accepted[at] = link.accepted
            if link.accepted:
                one, other = map(str, pool.ends[at].tolist())
                near[one][other] = near[other][one] = float(result.score[at])


def gate_of(texts: Sequence[str], pool: Pool) -> Gate:
    """Find for each passage what L1 would find, by words and by vectors, and the other ends of its links."""
    limits, words = InsightSettings(), words_in(texts)
    reach = limits.candidates.top_k + limits.cand_expansion.budget
    partners = defaultdict(list)
    for one, other in pool.ends.tolist():
        partners[one].append(str(other))
        partners[other].append(str(one))
    found = []
    for place, vector in enumerate(pool.vectors):
        each = Found()
        each.words = words.shares(place, limit=reach)
        nearest = np.argsort(-(pool.vectors @ vector), kind="stable")[:reach].tolist()
        ids = {*each.words, *map(str, nearest), *partners[place], str(place)}
        each.order = sorted(ids, key=int)
        each.rows = {node: pool.vectors[int(node)] for node in each.order}
        found.append(each)
    return Gate(pool, replace(limits, candidates=_all_links(limits.candidates)), found)


def _all_links(candidates: Candidates) -> Candidates:
    return replace(candidates, links=MOST, top_k=MOST)
