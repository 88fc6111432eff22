"""What the tests of insight share: the gauge once more, in plain Python from its definition, and notes to link."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from wherefrom.graph.local import graph_of
from wherefrom.insight.gates import Thresholds
from wherefrom.insight.judge import Context, Scene, judge
from wherefrom.insight.settings import InsightSettings
from wherefrom.model.insight import CandidateEdge, NormSpec, PathKnobs

LEAST = math.log(4)
# Nothing is left out of the paths: every engine then has to say the same.
EXACT = PathKnobs(pair_samples=0, sources_cap=0, gain_epsilon=0.0)
WHATEVER = Thresholds(theta_ag=-1e9, theta_dg=1e9)

# Four topics of three notes each: the Nile, databases, football, the piano.
NOTES = {
    "en": (
        "The Nile floods every summer and leaves mud on the fields.",
        "The mud that the Nile floods leave makes the fields fertile.",
        "After the summer flood farmers sow seed in the mud of the Nile.",
        "An index makes queries of a database faster.",
        "Too many indexes make writes to a database slower.",
        "A database chooses the index for a query from statistics.",
        "He scored two goals in the second half of the football match.",
        "The football coach replaced a player in the second half.",
        "The player hurt his foot in the football match.",
        "The piano teacher played a study by Chopin.",
        "She practises Chopin on the piano every morning.",
        "Chopin's piano pieces are hard for the right hand.",
    ),
    "ja": (
        "ナイル川は毎年夏に氾濫し、畑に泥を残す。",
        "ナイル川の氾濫が残した泥は畑を豊かにする。",
        "農民は夏の氾濫のあとナイル川の泥に種をまく。",
        "データベースの索引は検索を速くする。",
        "索引が多いとデータベースへの書き込みは遅くなる。",
        "データベースは検索に使う索引を統計から選ぶ。",
        "サッカーの試合で彼は後半に二点を決めた。",
        "サッカーの監督は後半に選手を交代させた。",
        "その選手はサッカーの試合で足を痛めた。",
        "ピアノの先生はショパンの練習曲を弾いた。",
        "彼女は毎朝ピアノでショパンを練習する。",
        "ショパンのピアノ曲は右手が難しい。",
    ),
    "zh": (
        "尼罗河每年夏天泛滥，在田里留下淤泥。",
        "尼罗河泛滥留下的淤泥使田地肥沃。",
        "农民在夏天泛滥后把种子撒在尼罗河的淤泥里。",
        "数据库的索引使查询更快。",
        "索引太多会使数据库的写入变慢。",
        "数据库根据统计信息选择查询所用的索引。",
        "他在足球比赛下半场进了两个球。",
        "足球教练在下半场换下了球员。",
        "那名球员在足球比赛中伤了脚。",
        "钢琴老师弹了肖邦的练习曲。",
        "她每天早上在钢琴上练习肖邦。",
        "肖邦的钢琴曲右手很难。",
    ),
    "ko": (
        "나일강은 해마다 여름에 범람하여 밭에 진흙을 남긴다.",
        "나일강의 범람이 남긴 진흙은 밭을 비옥하게 한다.",
        "농부들은 여름 범람 뒤에 나일강 진흙에 씨를 뿌린다.",
        "데이터베이스의 색인은 검색을 빠르게 한다.",
        "색인이 많으면 데이터베이스 쓰기가 느려진다.",
        "데이터베이스는 통계로 검색에 쓸 색인을 고른다.",
        "그는 축구 경기 후반에 두 골을 넣었다.",
        "축구 감독은 후반에 선수를 교체했다.",
        "그 선수는 축구 경기에서 발을 다쳤다.",
        "피아노 선생님은 쇼팽의 연습곡을 쳤다.",
        "그녀는 매일 아침 피아노로 쇼팽을 연습한다.",
        "쇼팽의 피아노곡은 오른손이 어렵다.",
    ),
}


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


def context_of(given: dict[str, object]) -> Context:
    """A context from the seed's plain form: edges as (u, v) or (u, v, {"score": s})."""

    def edges(some):
        return tuple(CandidateEdge(u, v, *(each.get("score") for each in more)) for u, v, *more in some)

    named = {"centers": tuple(given["centers"])}
    if given.get("candidate_edges") is not None:
        named["candidate_edges"] = edges(given["candidate_edges"])
    by_hop = given.get("candidate_edges_by_hop") or {}
    more = {"candidate_selection": given["candidate_selection"]} if "candidate_selection" in given else {}
    spec = given.get("norm_spec")
    if isinstance(spec, dict):
        nested = {**spec.get("effective", {}), **spec.get("intuitive", {})}
        flat = {name: value for name, value in spec.items() if name not in ("effective", "intuitive")}
        spec = NormSpec(**{**flat, **nested})
    more["norm_spec"] = spec
    return Context(**named, candidate_edges_by_hop={hop: edges(some) for hop, some in by_hop.items()}, **more)


def tuned(linking: InsightSettings | None = None, **sections: dict[str, object]) -> InsightSettings:
    """Parameters of insight with some of them changed; paths are exact unless asked otherwise."""
    linking = linking or replace(InsightSettings(), paths=EXACT)
    return replace(linking, **{name: replace(getattr(linking, name), **keys) for name, keys in sections.items()})


def judged_case(
    case: Case, linking: InsightSettings | None = None, *, thresholds: Thresholds = WHATEVER, **more: object
):
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


def gauge(case: Case, chosen: list[tuple[int, int, float | None]], linking: InsightSettings, *, hop: int) -> float:
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
