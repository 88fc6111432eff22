"""Metabolism: what is thin, what is weak, what may go and what came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from wherefrom.model.graph import MeasuredEdge, NodeRef

Orphans = Literal["entities", "all"]
RunState = Literal["planned", "applied"]
RemovalRule = Literal["orphan", "restorable"]
SparedRule = Literal[
    "young",
    "pinned",
    "policy_hint",
    "principle",
    "restored",
    "task",
    "evidence",
    "page",
    "ended",
    "stands_in",
    "no_vector",
    "unique",
    "differs",
    "disputed",
    "last_link",
]
LinkRule = Literal["thin", "exclusive", "duplicate"]

# What says where a statement comes from, or what it is worth: it neither decays nor is it pruned.
EVIDENCE_TAGS: Final = ("supports", "refutes", "neutral", "cites", "origin", "supersedes", "contradicts")

WHY_SPARED: Final[Mapping[SparedRule, str]] = {
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


@dataclass(frozen=True, slots=True)
class Weak:
    """A node whose relations are all thin, or that has none, and what becomes of it.

    thickness: of its thickest relation, None without any. difficulty: 1 − the highest cosine similarity to a node
    that stays and could stand for it; None if there was nothing to compare. neighbour: that node. detail: in what it
    differs.
    """

    node: NodeRef
    removed: bool
    rule: RemovalRule | SparedRule
    links: int
    thickness: float | None = None
    difficulty: float | None = None
    neighbour: NodeRef | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class ThinLink:
    """A relation that goes though both its ends stay, and why: it is thin, or another stands for it."""

    source_id: str
    target_id: str
    tag: str
    thickness: float
    rule: LinkRule


@dataclass(frozen=True, slots=True)
class TagConflict:
    """Relations of one source that exclude each other, the thickest first. kept: the one that stays; None if it
    cannot be decided, and then all stay.
    """

    source_id: str
    tag: str
    links: tuple[ThinLink, ...]
    kept: ThinLink | None
    why: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values fall into equal parts of [0, 1], and where the cut is."""

    counts: tuple[int, ...]
    cut: float


@dataclass(frozen=True, slots=True)
class MetabolismPlan:
    """What may go from a namespace and those below it, what is spared and why; and once applied, what went.

    run_id: the receipts' name, None before it is applied. removed: all nodes that go. spared: how many stay by each
    rule; examples: some of each. weakest: the ten weakest nodes, whatever becomes of them. pruned: how many relations
    go by themselves; thinnest: some of them. conflicts: some of the relations that exclude each other, undecided ones
    first. ends: the nodes that those relations join. settings: by namespace.
    """

    root_namespace: str
    created_at: str
    state: RunState = "planned"
    run_id: str | None = None
    nodes: int = 0
    links: int = 0
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    removed: tuple[Weak, ...] = ()
    spared: Mapping[SparedRule, int] = field(default_factory=dict)
    examples: tuple[Weak, ...] = ()
    weakest: tuple[Weak, ...] = ()
    pruned: int = 0
    thinnest: tuple[ThinLink, ...] = ()
    conflicts: tuple[TagConflict, ...] = ()
    ends: tuple[NodeRef, ...] = ()
    undecided: int = 0
    nodes_removed: int = 0
    links_removed: int = 0
    skipped: int = 0
    purged: int = 0
    resumed: bool = False
    thickness: Histogram | None = None
    difficulty: Histogram | None = None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back: nodes, and how many relations; and what could not, with the reason."""

    root_namespace: str
    node_ids: tuple[str, ...]
    links: int
    skipped: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reinforced:
    """A relation after it was strengthened or weakened, and what it was before."""

    edge: MeasuredEdge
    before: MeasuredEdge
