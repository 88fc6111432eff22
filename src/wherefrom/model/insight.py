"""Insight as values: what L1 hands to L3, what L3 answers, and the plan that comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal

from wherefrom.model.graph import INSIGHT, NodeRef
from wherefrom.model.param import Param

PathEngine = Literal["core", "cached", "cached_incr"]
SourceFocus = Literal["off", "near", "strict"]
ExpansionMode = Literal["l1", "l3", "hybrid"]
GateMode = Literal["fixed", "running"]
PlanState = Literal["proposed", "applied", "undone"]
LinkState = Literal["open", "made", "left_out", "declined"]
Degraded = Annotated[tuple[str, ...], Param("Why the answer may lack something; empty if it does not.")]

# The confidence of a new link. Links that are accepted weigh 0.55 and more, so that one that nobody uses falls below
# metabolism's threshold after six weeks (docs/decisions/0018-copies-and-strength.md).
CONFIDENCE: Final = 0.5
# Taken off that confidence where a walk, or the next decision, follows such a link: what is left, 0.15, is the share of
# the accepted links between texts that are true, where that is known (docs/decisions/0005-insight.md).
DOUBT: Final = 0.35


@dataclass(frozen=True, slots=True)
class Hop:
    """The gauge of one hop: g = delta_ged − λ·ig, ig = delta_h + γ·delta_sp; hop 0 has no paths."""

    hop: int
    delta_ged: float
    delta_h: float
    delta_sp: float
    ig: float
    g: float


@dataclass(frozen=True, slots=True)
class NormSpec:
    """The metric and the thresholds that L1 chose by, always as scores (0 to 1). L3 passes it on unchanged."""

    metric: Literal["cosine", "l2"] = "cosine"
    theta_link: float = 0.35
    theta_cand: float = 0.45
    dimension: int = 0
    scope: Literal["sphere", "donut"] = "sphere"
    radius_mode: Literal["intuitive", "absolute"] = "absolute"
    outer: float = 0.6
    inner: float = 0.2


@dataclass(frozen=True, slots=True)
class CandidateEdge:
    """A link that could be made between two nodes, by their places in the graph; score: L1's certainty, 0 to 1."""

    source: int
    target: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ExpansionRequest:
    """L3's request to L1 for more candidates in the next cycle, when AG fires. accepted: the links taken so far."""

    centers: tuple[int, ...]
    prev_ecand: tuple[CandidateEdge, ...]
    reason: str
    budget: int
    radius_hint: int
    theta_link_hint: float
    accepted: tuple[CandidateEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class InsightMetrics:
    """The measurements of L3 in one cycle, for all proposed links together.

    g0, gmin, best_h: the gauge without paths, its least value over the hops, and where. h_scope says over what the
    entropy was taken. input_contract_ok: whether L1 gave candidates.
    """

    g0: float
    gmin: float
    best_h: int
    hops: tuple[Hop, ...]
    candidates: int
    proposed: int
    k_star: int
    pairs: int
    sp_engine: PathEngine
    h_scope: Literal["cand_mask", "global"]
    input_contract_ok: bool
    autocand_used: bool
    theta_ag: float
    theta_dg: float
    ag: Annotated[bool, Param("True if the search was widened: g0 > theta_ag.")]
    dg: Annotated[bool, Param("True if a relation was accepted: its g ≤ theta_dg.")]
    norm_spec: NormSpec | None
    candidate_selection: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EdgeFigures:
    """The figures for and against one link.

    similarity: cosine (None without vectors); words: the share of the source's weighted words that the target has;
    shared: neighbours in common, and candidates among the target's neighbours, weighed by how few links they have;
    rare_names, rare_terms: how rare the names, and the other terms, are that both texts have (about 1 for a name of
    theirs alone); closeness: in time, 0 to 1, 1 in one session;
    score: L1's view of all of these, 0 to 1; distance: steps between the ends before (None: none was seen);
    delta_*: what this link alone adds to the measures, times the candidate base, so that it does not depend on how
    many candidates there were; g: its gauge, the least over the hops; hop: where.
    """

    score: float
    g: float
    hop: int
    delta_ged: float
    delta_h: float
    delta_sp: float
    similarity: float | None = None
    words: float | None = None
    shared: float = 0.0
    common_neighbours: int = 0
    distance: int | None = None
    rare_names: float = 0.0
    rare_terms: float = 0.0
    closeness: float = 0.0


@dataclass(frozen=True, slots=True)
class ProposedEdge:
    """A link that was judged: `reason` says in plain words why it was accepted or not.

    note: why it was declined, if somebody said so, or left out. told: the beginning of the reason, which names what
    both texts have and is not stored with a plan.
    """

    source_id: str
    target_id: str
    tag: str
    weight: float
    accepted: bool
    reason: str
    figures: EdgeFigures
    number: Annotated[int, Param("Its place in the plan, for `only`; 0: not accepted.")] = 0
    state: Annotated[LinkState, Param("left_out: not made: an end was gone, changed or linked by then.")] = "open"
    note: str | None = None
    told: str = ""
    confidence: ClassVar[float] = CONFIDENCE
    """The confidence of the relation when it is made."""
    judge: ClassVar[str] = INSIGHT
    """The judge of the relation until a caller states it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one node, or about one question: the links, and the measurements of each cycle.

    around: the links that were there before, as pairs of ids, for a picture of the neighbourhood.
    """

    center_ids: tuple[str, ...]
    links: tuple[ProposedEdge, ...]
    cycles: tuple[InsightMetrics, ...]
    around: tuple[tuple[str, str], ...] = ()

    @property
    def accepted(self) -> tuple[ProposedEdge, ...]:
        return tuple(link for link in self.links if link.accepted)


@dataclass(frozen=True, slots=True)
class InsightPlan:
    """The links worth making for a memo, a query or a time, and how far the plan has been carried out.

    asked: what the plan was made for (`memo_id`, `query` or `since`). nodes: the ends of the links.
    """

    id: Annotated[str, Param("Pass it back as apply_plan_id or undo_plan_id: it has all accepted relations.")]
    root_namespace: str
    state: PlanState
    asked: Mapping[str, str]
    created_at: str
    decisions: Annotated[tuple[Decision, ...], Param("What was measured, after a search only.")] = ()
    nodes: tuple[NodeRef, ...] = ()
    judged: Annotated[int, Param("How many memos were judged; for a query 1.")] = 0
    remaining: Annotated[int, Param("How many new memos wait: apply this plan, then search again.")] = 0
    written: Annotated[int, Param("How many relations the plan has made; when undone, how many are left of it.")] = 0
    declined: Annotated[int, Param("How many were declined.")] = 0
    applied_at: str | None = None
    undone_at: str | None = None
    degraded: Degraded = ()

    @property
    def accepted(self) -> tuple[ProposedEdge, ...]:
        return tuple(link for decision in self.decisions for link in decision.accepted)

    @property
    def rejected(self) -> tuple[ProposedEdge, ...]:
        return tuple(link for decision in self.decisions for link in decision.links if not link.accepted)


@dataclass(frozen=True, slots=True)
class PathKnobs:
    """How shortest paths are measured (graph/paths.py)."""

    engine: Annotated[
        PathEngine,
        Param(
            "`core` measures every after-graph anew; `cached` keeps the pairs and lengths of a before-graph; "
            "`cached_incr` changes the known lengths by a relation instead of measuring them again."
        ),
    ] = "cached_incr"
    pair_samples: Annotated[int, Param("How many pairs at most; 0: all.", 0, 100_000)] = 200
    sources_cap: Annotated[int, Param("From how many nodes at most.", 1, 4_096)] = 64
    sources_focus: Annotated[
        SourceFocus, Param("`near` takes only sources within 2 steps of the centers, `strict` within 1.")
    ] = "off"
    prune_topk: Annotated[int, Param("How many candidates are measured, the best by score; 0: all.", 0, 100)] = 0
    endpoint_window: Annotated[
        int, Param("For how many of the best remaining candidates lengths are brought up to date; 0: for all.", 0, 100)
    ] = 0
    gain_epsilon: Annotated[float, Param("A gain at or below it counts as none.", 0, 1)] = 1e-4
    budget: Annotated[int, Param("How many relations are adopted with their paths; 0: all.", 0, 100)] = 0
