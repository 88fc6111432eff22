"""Insight as values: what L1 hands to L3, what L3 answers, and the plan that comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from wherefrom.model.graph import INSIGHT, NodeRef
from wherefrom.model.param import Param

PathEngine = Literal["core", "cached", "cached_incr"]
SourceFocus = Literal["off", "near", "strict"]
ExpansionMode = Literal["l1", "l3", "hybrid"]
GateMode = Literal["fixed", "running"]
PlanState = Literal["proposed", "applied", "undone"]
Degraded = Annotated[tuple[str, ...], Param("Why the answer may lack something; empty if it does not.")]

# About so many of the links between texts that the gate accepts are true ones where that is known; with more, the
# graph arm follows them where it should not (docs/decisions/0005-insight.md).
CONFIDENCE: Final = 0.15


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
    """How L1 chose: the metric, and the thresholds in effect, always as scores (0 to 1). L3 passes it on unchanged."""

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
    """A link that could be made, between two places of the graph; score: how sure L1 is of it, 0 to 1."""

    source: int
    target: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ExpansionRequest:
    """What L3 asks of L1 when AG fires: more candidates for the next cycle. accepted: what it took so far."""

    centers: tuple[int, ...]
    prev_ecand: tuple[CandidateEdge, ...]
    reason: str
    budget: int
    radius_hint: int
    theta_link_hint: float
    accepted: tuple[CandidateEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class InsightMetrics:
    """What L3 measured in one cycle, for all proposed links together.

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
    dg: Annotated[bool, Param("True if a link was accepted: its g ≤ theta_dg.")]
    norm_spec: NormSpec | None
    candidate_selection: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """What speaks for and against one link.

    similarity: cosine (None without vectors); words: the share of the source's weighted words that the target has;
    shared: neighbours in common, and candidates among the target's neighbours, weighed by how few links they have;
    score: L1's view of all three, 0 to 1; distance: steps between the ends before (None: none was seen);
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


@dataclass(frozen=True, slots=True)
class ProposedLink:
    """A link that was judged: `reason` says in plain words why it was accepted or not."""

    source_id: Annotated[str, Param(name="source_memo_id")]
    target_id: Annotated[str, Param(name="target_memo_id")]
    tag: str
    weight: float
    accepted: bool
    reason: str
    figures: LinkFigures

    @property
    def confidence(self) -> float:
        """How sure the relation is when the link is made."""
        return CONFIDENCE

    @property
    def judge(self) -> str:
        """Who judges the relation until a caller states it."""
        return INSIGHT


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one node, or about one question: the links, and what L3 measured in each cycle.

    around: the links that were there before, as pairs of ids, for a picture of the neighbourhood.
    """

    center_ids: tuple[str, ...]
    links: tuple[ProposedLink, ...]
    cycles: tuple[InsightMetrics, ...]
    around: tuple[tuple[str, str], ...] = ()

    @property
    def accepted(self) -> tuple[ProposedLink, ...]:
        return tuple(link for link in self.links if link.accepted)


@dataclass(frozen=True, slots=True)
class InsightPlan:
    """Links worth making, before, after or without them being made.

    asked: what it was made for (`memo_id`, `query` or `since`). nodes: the ends of the links.
    """

    id: Annotated[
        str, Param("Pass it back as apply_plan_id or undo_plan_id: it has all accepted links.", name="plan_id")
    ]
    root_namespace: str
    state: PlanState
    asked: Mapping[str, str]
    created_at: str
    decisions: Annotated[tuple[Decision, ...], Param("What was measured, after a search only.")] = ()
    nodes: tuple[NodeRef, ...] = ()
    judged: Annotated[int, Param("How many memos were judged; for a query 1.")] = 0
    remaining: Annotated[int, Param("How many new memos wait: apply this plan, then search again.")] = 0
    written: Annotated[int, Param("How many links the plan has made; when undone, how many are left of it.")] = 0
    applied_at: str | None = None
    undone_at: str | None = None
    degraded: Degraded = ()

    @property
    def accepted(self) -> tuple[ProposedLink, ...]:
        return tuple(link for decision in self.decisions for link in decision.accepted)

    @property
    def rejected(self) -> tuple[ProposedLink, ...]:
        return tuple(link for decision in self.decisions for link in decision.links if not link.accepted)


@dataclass(frozen=True, slots=True)
class PathKnobs:
    """How shortest paths are measured (graph/paths.py).

    engine: `core` measures every after-graph anew; `cached` keeps the pairs and lengths of a before-graph; with
    `cached_incr` a link changes the lengths that are known instead of having them measured again.
    pair_samples: how many pairs at most; 0 means all. sources_cap: from how many nodes at most. sources_focus:
    `near` takes only sources within 2 steps of the centers, `strict` within 1. prune_topk: only so many candidates,
    the best by score, are measured; 0 means all. endpoint_window: after a link was adopted, the lengths from the
    ends of so many of the best remaining candidates are brought up to date; 0 means all. gain_epsilon: a gain at or
    below it counts as none. budget: so many links are adopted with their paths; 0 means all.
    """

    engine: PathEngine = "cached_incr"
    pair_samples: int = 200
    sources_cap: int = 64
    sources_focus: SourceFocus = "off"
    prune_topk: int = 0
    endpoint_window: int = 0
    gain_epsilon: float = 1e-4
    budget: int = 0
