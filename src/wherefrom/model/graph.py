"""The two things the store keeps: nodes and the edges between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Literal, get_args

from wherefrom.model.param import Param

NodeKind = Literal["memo", "claim", "fragment", "page", "entity"]
ClaimKind = Literal["fact", "preference", "task", "policy_hint"]
Scope = Literal["session", "project", "principle"]
BoundaryClass = Literal["public", "internal", "pii", "secret"]

Relation = Literal["supports", "refutes", "neutral", "origin"]
TaskStatus = Literal["created", "exploring", "paused", "completed", "failed", "cancelled"]
QueryType = Literal["initial", "expansion", "mirror", "reverse"]

# The judgements of a fragment about a claim: one pair has at most one of them.
Judgement = Literal["supports", "refutes", "neutral"]
JUDGEMENTS: Final[tuple[Judgement, ...]] = ("supports", "refutes", "neutral")
# The judge of an edge is None if whoever saved it stated it. A person who corrected a judgement is `human`: what a
# program says later does not change it. Links that insight found, and mentions of names in a text, are guesses of a
# program until a caller states them. Any other judge was named by the caller with the evidence.
HUMAN: Final = "human"
INSIGHT: Final = "insight"
NAMES: Final = "names"
GUESSING: Final = frozenset({INSIGHT, NAMES})
# From the shortest to the longest: what has no scope lasts as long as a principle.
SCOPES: Final[tuple[Scope | None, ...]] = ("session", "project", "principle", None)
PrivacyMode = Literal["personal", "shared"]
# The kinds of findings in a text, which a policy can redact and detect.
FindingKind = Literal["email", "phone", "card", "national_id", "secret"]
FINDING_KINDS: Final[tuple[FindingKind, ...]] = get_args(FindingKind)
SECRET: Final = "secret"  # noqa: S105  # the name of a kind of finding
# From the least to the most restricted.
BOUNDARY_CLASSES: Final[tuple[BoundaryClass, ...]] = ("public", "internal", "pii", "secret")
# The classes in which something can be saved: secrets are not kept.
SAVED_CLASSES: Final[tuple[BoundaryClass, ...]] = ("public", "internal", "pii")
# Edges that say where a statement comes from or what it is worth neither decay nor are they pruned.
EVIDENCE_TAGS: Final = ("supports", "refutes", "neutral", "cites", "origin", "supersedes", "contradicts", "compatible")


@dataclass(frozen=True, slots=True)
class Node:
    """A memo, claim, fragment, page or entity of one owner. Times are UTC, ISO-8601. `aliases` are other titles that
    the same text was saved under.

    The order of the fields is the order of the columns in every query.
    """

    id: str
    namespace: str
    content: str
    content_hash: str
    observed_at: str
    recency_anchor: str
    created_at: str
    updated_at: str
    version: int = 1
    kind: NodeKind = "memo"
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    pinned: Annotated[bool, Param("Whether it is kept whatever metabolism makes of it.")] = False
    aliases: Annotated[tuple[str, ...], Param("Other titles that its text was saved under.")] = ()
    claim_kind: ClaimKind | None = None
    scope: Scope | None = None
    boundary_class: BoundaryClass = "internal"
    utility: float = 0.0
    confidence: float = 0.5
    quality: float = 0.5
    expires_at: str | None = None
    valid_from: Annotated[str | None, Param("Since when it holds; null: since it was observed.")] = None
    valid_to: Annotated[str | None, Param("From then on it holds no longer.")] = None
    superseded_by: Annotated[str | None, Param("The node that stands for this one now.")] = None
    task_id: str | None = None
    judged_at: str | None = None
    page_id: str | None = None
    position: int | None = None
    domain: str | None = None
    year: int | None = None
    rejected_at: str | None = None
    shared_class: BoundaryClass | None = None
    """The class of the text without the personal data in it, which those see who may not see the whole; None: there is
    no such text.
    """
    slot: Annotated[str | None, Param("The path that has one statement at a time.")] = None
    speaker: Annotated[str | None, Param("Who says it.")] = None
    session: Annotated[str | None, Param("The conversation that it is a turn of.")] = None
    confirmed_at: str | None = None
    """The time at which a save, or a confirmation, made it a standing rule; None for what is none (`model.rules`)."""
    written_by: Annotated[str | None, Param("The key that this version was written with; null: without one.")] = None
    imported_from: Annotated[str | None, Param("The writer that the imported file names, unchecked.")] = None

    @property
    def holds_from(self) -> str:
        """The time from which it is known to hold: the one that was stated, or when it was observed."""
        return self.valid_from or self.observed_at

    def holds_at(self, moment: str) -> bool:
        """Return True unless it began to hold later, or had ended."""
        return (self.valid_from or "") <= moment and (self.valid_to is None or moment < self.valid_to)

    @property
    def open_class(self) -> BoundaryClass:
        """The least restricted class in which anything of the node is shown: the shared class, if there is one."""
        return self.shared_class or self.boundary_class

    def restricted(self, boundary_class: BoundaryClass, open_class: BoundaryClass | None = None) -> Node:
        """Return the node at least as restricted as these: its whole text, and the part of it that is open."""
        whole = strictest(self.boundary_class, boundary_class)
        part = strictest(self.open_class, open_class or boundary_class)
        return replace(self, boundary_class=whole, shared_class=None if part == whole else part)


def node_at(now: str, **values: Any) -> Node:
    """Return a node whose times are all `now`, with these values; id and content may come later."""
    return Node(**{"id": "", "content": "", "content_hash": "", **times_at(now), **values})


def times_at(now: str) -> dict[str, Any]:
    """Return the times of a node that is new now."""
    return dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), now)


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed, weighted, reasoned link; unique by (source, target, tag).

    The order of the fields is the order of the columns in every query.
    """

    source_id: str
    target_id: str
    tag: str
    weight: float
    source_namespace: str
    target_namespace: str
    observed_at: Annotated[str, Param("When it was last seen to hold.")]
    created_at: str
    updated_at: str
    version: int = 1
    confidence: float = 1.0
    reason: str | None = None
    boundary_class: BoundaryClass = "internal"
    judge: Annotated[
        str | None,
        Param(
            "Who judged it: null: whoever saved it; human: a person; insight, names: a program's guess; otherwise the "
            "judge named with add_evidence."
        ),
    ] = None
    source_kind: NodeKind = "memo"
    target_kind: NodeKind = "memo"
    page_id: str | None = None
    domain: str | None = None
    year: int | None = None
    """Page, domain and year are those of the source, if it is a fragment of a page."""
    task_id: str | None = None
    """The task that the target belongs to."""
    valid_from: str | None = None
    valid_to: Annotated[str | None, Param("From then on it holds no longer.")] = None


@dataclass(frozen=True, slots=True)
class MeasuredEdge(Edge):
    """An edge as answers show it: with its thickness at that time, weight × confidence × decay, from 0 to 1.

    Thickness changes with time and is not stored, so that it does not count when edges are compared.
    """

    thickness: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node as the end of an edge: enough to name it."""

    id: str
    namespace: str
    kind: str
    title: str | None


def strictest(first: BoundaryClass, second: BoundaryClass) -> BoundaryClass:
    """Return the more restricted of two boundary classes: the class of an edge between nodes that have them."""
    return max(first, second, key=BOUNDARY_CLASSES.index)
