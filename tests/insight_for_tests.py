"""The gauge once more, written from its definition in plain Python: what the measures of insight are compared with."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from recollect.graph.local import graph_of
from recollect.insight.context import Context, Scene, context_of
from recollect.insight.gates import Thresholds
from recollect.insight.reasoner import judge
from recollect.model.insight import NormSpec, PathKnobs
from recollect.policy.linking import Linking

LEAST = math.log(4)
# Nothing is left out of the paths: every engine then has to say the same.
EXACT = PathKnobs(pair_samples=0, sources_cap=0, gain_epsilon=0.0)
WHATEVER = Thresholds(theta_ag=-1e9, theta_dg=1e9)


@dataclass(frozen=True)
class Case:
    """A part of a graph by hand: rows by place, candidates as (u, v, score or None)."""

    size: int
    edges: list[tuple[int, int]]
    rows: dict[int, list[float]]
    centers: list[int]
    candidates: list[tuple[int, int, float | None]] = field(default_factory=list)
    weights: list[float] | None = None
    fresh: int = 0

    def scene(self) -> Scene:
        width = len(next(iter(self.rows.values()))) if self.rows else 0
        return Scene(
            graph=graph_of(self.size, np.array(self.edges, dtype=np.int64).reshape(-1, 2)),
            places=np.array(list(self.rows), dtype=np.int64),
            rows=np.array(list(self.rows.values()), dtype=np.float64).reshape(-1, width),
            weights=None if self.weights is None else np.array(self.weights),
            fresh=self.fresh,
        )

    def context(self, *, theta_link: float = 0.0, **more: object) -> Context:
        edges = [(u, v, {} if score is None else {"score": score}) for u, v, score in self.candidates]
        plain = {"centers": self.centers, "candidate_edges": edges, **more}
        return replace(context_of(plain), norm_spec=NormSpec(theta_link=theta_link))


def tuned(linking: Linking | None = None, **sections: dict[str, object]) -> Linking:
    """Parameters of insight with some of them changed; paths are exact unless asked otherwise."""
    linking = linking or replace(Linking(), paths=EXACT)
    return replace(linking, **{name: replace(getattr(linking, name), **keys) for name, keys in sections.items()})


def judged_case(case: Case, linking: Linking | None = None, *, thresholds: Thresholds = WHATEVER, **more: object):
    theta_link = more.pop("theta_link", 0.0)
    context = case.context(theta_link=theta_link, **more)
    return judge(case.scene(), context, linking=linking or tuned(), thresholds=thresholds)


# --- the measures -----------------------------------------------------------------------------------------------------


def neighbours(size: int, edges: list[tuple[int, int]]) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in range(size)]
    for u, v in edges:
        if u != v:
            found[u].add(v)
            found[v].add(u)
    return found


def steps(size: int, edges: list[tuple[int, int]], start: set[int]) -> dict[int, int]:
    """How far each node is from the nearest of some."""
    near, known, queue = neighbours(size, edges), dict.fromkeys(start, 0), deque(start)
    while queue:
        node = queue.popleft()
        for other in near[node] - known.keys():
            known[other] = known[node] + 1
            queue.append(other)
    return known


def entropy(rows: list[list[float]]) -> float:
    """Of the pairwise similarities (cos + 1) / 2 of some rows, each with itself too; a row of zeros has the cosine 0."""
    if len(rows) < 2:
        return 0.0
    lengths = [math.sqrt(sum(x * x for x in row)) for row in rows]
    shares = []
    for a, first in zip(lengths, rows, strict=True):
        for b, second in zip(lengths, rows, strict=True):
            cosine = sum(x * y for x, y in zip(first, second, strict=True)) / (a * b) if a and b else 0.0
            shares.append((max(-1.0, min(cosine, 1.0)) + 1.0) / 2.0)
    total = sum(shares)
    return -sum(share / total * math.log(share / total) for share in shares if share > 0)


def mean_entropy(case: Case, edges: list[tuple[int, int]], nodes: set[int], *, mask: set[int]) -> float:
    """Over the nodes, in a graph of these edges; what is not in the mask has a row of zeros."""
    width = len(next(iter(case.rows.values()))) if case.rows else 0
    weights = case.weights or [1.0] * width
    rows = {place: [x * w for x, w in zip(row, weights, strict=True)] for place, row in case.rows.items()}
    shown = [rows[place] if place in mask and place in rows else [0.0] * width for place in range(case.size)]
    near = neighbours(case.size, edges)
    values = [entropy([shown[each] for each in (node, *near[node])]) for node in nodes]
    return sum(values) / len(values) if values else 0.0


def mask_of(case: Case) -> set[int]:
    return {*case.centers, *(end for u, v, _ in case.candidates for end in (u, v))}


def delta_h(case: Case, chosen: list[tuple[int, int]], *, hop: int = 0, least: float = LEAST) -> float:
    """(after − before) / max(before, least), over what is within so many steps of the candidate mask."""
    mask = mask_of(case)
    nodes = {node for node, far in steps(case.size, case.edges, mask).items() if far <= hop}
    before = mean_entropy(case, case.edges, nodes, mask=mask)
    after = mean_entropy(case, [*case.edges, *chosen], nodes, mask=mask)
    return (after - before) / max(before, least)


def delta_sp(case: Case, chosen: list[tuple[int, int]], *, hop: int) -> float:
    """By how much the ways between the pairs that were connected before get shorter, relative to their length."""
    if not hop:
        return 0.0
    nodes = sorted(node for node, far in steps(case.size, case.edges, mask_of(case)).items() if far <= hop)
    before = after = 0
    for one in nodes:
        far = steps(case.size, case.edges, {one})
        nearer = steps(case.size, [*case.edges, *chosen], {one})
        for other in nodes:
            if one < other and other in far:
                before, after = before + far[other], after + nearer[other]
    return (before - after) / before if before else 0.0


def gauge(case: Case, chosen: list[tuple[int, int, float | None]], linking: Linking, *, hop: int) -> float:
    """g of a hop, if these of the candidates were adopted."""
    pairs = [(u, v) for u, v, _ in chosen]
    cost = case.fresh + sum(1.0 - (score or 0.0) for *_, score in chosen)
    ged = min(cost / base(case), 1.0)
    settings = linking.gauge
    ig = delta_h(case, pairs, hop=hop) + settings.path_weight * delta_sp(case, pairs, hop=hop)
    return ged - settings.temperature * ig


def base(case: Case) -> float:
    """The cost of a node with all its candidate links."""
    return 1.0 + max(1, len(case.candidates))
