"""Metabolism as values: verdicts on nodes and edges, the plan of a run, and the nodes that a restore brought back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, Literal

from wherefrom.model.graph import EVIDENCE_TAGS as EVIDENCE_TAGS
from wherefrom.model.graph import MeasuredEdge, NodeRef
from wherefrom.model.insight import Degraded
from wherefrom.model.param import Param

Orphans = Literal["entities", "all"]
RunState = Literal["planned", "applied"]
RemovalRule = Literal["orphan", "restorable"]
EdgeRule = Literal["thin", "exclusive", "duplicate"]

WHY_SPARED: Final = {
    "young": "younger than the protection",
    "pinned": "pinned",
    "policy_hint": "a policy hint",
    "principle": "of the scope principle",
    "restored": "was brought back lately",
    "task": "belongs to a task that is not finished",
    "evidence": "supports a claim that lives",
    "page": "a piece of a page, which stays whole",
    "ended": "expired, rejected or no longer on its page: kept as it is",
    "stands_in": "others that were let go are restored from it",
    "no_vector": "has no vector to compare",
    "unique": "nothing that stays is near enough to restore it from",
    "differs": "what is near says something else (a number, date, negation, name) or less",
    "disputed": "what is near contradicts or replaces it",
    "last_link": "the last relation of one that stays",
}
if TYPE_CHECKING:
    SparedRule = str
else:
    SparedRule = Literal[tuple(WHY_SPARED)]


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """A node whose relations are all thin, or that has none, and what becomes of it.

    neighbour: the most similar (by cosine) of the nodes that stay and could stand for it. detail: how the two differ.
    """

    node: NodeRef
    removed: Annotated[bool, Param("It may go, or went; else it stays.")]
    rule: RemovalRule | SparedRule
    links: Annotated[int, Param("How many relations it has.", name="relations")]
    thickness: Annotated[float | None, Param("Of its thickest relation; null without any.")] = None
    difficulty: Annotated[float | None, Param("1 − similarity to its neighbour; null if none was compared.")] = None
    neighbour: NodeRef | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class ThinEdge:
    """A relation that goes while both its ends stay: it is thin, or another stands for it."""

    source_id: str
    target_id: str
    tag: str
    thickness: float
    rule: EdgeRule


@dataclass(frozen=True, slots=True)
class TagConflict:
    """Relations of one source that exclude each other, the thickest first. kept: the one that stays; None if it
    cannot be decided, and then all stay.
    """

    source_id: str
    tag: str
    links: tuple[ThinEdge, ...]
    kept: ThinEdge | None
    why: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values lie in each of the equal parts of [0, 1], and the value of the cut."""

    counts: tuple[int, ...]
    cut: float


@dataclass(frozen=True, slots=True)
class MetabolismPlan:
    """A plan of what may go from a namespace and those below it, with what is spared and why; once applied, what went.

    plan_id is None where nothing may go. run_id is None before it is applied. stayed: what the plan has and did not let
    go, by its id or its ends, and why; some of it, if it is much. spared: how many stay by each rule. ends: the nodes
    that the listed relations join. settings: by namespace.
    """

    root_namespace: str
    created_at: str
    state: Annotated[RunState, Param("planned: nothing was changed.")] = "planned"
    run_id: Annotated[str | None, Param("Pass it to restore to bring back all that this run let go.")] = None
    plan_id: Annotated[str | None, Param("Pass it as apply_plan_id to let go exactly this.")] = None
    nodes: Annotated[int, Param("How many were examined.")] = 0
    links: Annotated[int, Param("How many relations were examined.", name="relations")] = 0
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    removed: Annotated[tuple[NodeVerdict, ...], Param("Nodes that go.")] = ()
    spared: Mapping[SparedRule, int] = field(default_factory=dict)
    examples: Annotated[tuple[NodeVerdict, ...], Param("Some of what is spared.")] = ()
    weakest: Annotated[tuple[NodeVerdict, ...], Param("The weakest nodes, whatever becomes of them.")] = ()
    pruned: Annotated[
        int, Param("How many relations go by themselves, besides those of the nodes.", name="relations_to_go")
    ] = 0
    thinnest: Annotated[tuple[ThinEdge, ...], Param("Some of the relations that go by themselves.")] = ()
    conflicts: Annotated[
        tuple[TagConflict, ...], Param("Some relations that exclude each other, undecided first.")
    ] = ()
    ends: tuple[NodeRef, ...] = ()
    undecided: Annotated[int, Param("How many conflicts are undecided: delete the wrong relation, or leave it.")] = 0
    differing: Annotated[
        int, Param("How many near-copies differ in a number, date, negation or name: review lists them.")
    ] = 0
    nodes_removed: Annotated[int, Param("Once applied: how many nodes went.")] = 0
    links_removed: Annotated[
        int, Param("Once applied: how many relations went, with nodes or by themselves.", name="relations_removed")
    ] = 0
    skipped: Annotated[int, Param("Once applied: how many stayed after all, since they were changed meanwhile.")] = 0
    stayed: Annotated[Mapping[str, str], Param("Once applied: what stayed after all, and why.")] = field(
        default_factory=dict
    )
    purged: Annotated[int, Param("Receipts whose time was over, and that were deleted for good.")] = 0
    resumed: Annotated[bool, Param("It completed a run that was stopped.")] = False
    thickness: Histogram | None = None
    difficulty: Histogram | None = None
    degraded: Degraded = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """The nodes that came back, the number of relations, and the reasons why others could not. note: what was done with
    a node that was here.
    """

    root_namespace: str
    node_ids: tuple[str, ...]
    links: int
    skipped: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Reinforced:
    """A relation after it was strengthened or weakened, and what it was before."""

    edge: MeasuredEdge
    before: MeasuredEdge
