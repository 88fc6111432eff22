"""The history of a memory: what happened, when and by which request; and what an id that has a history stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from wherefrom.model.param import Param

ShownTopic = Literal[
    "ingest", "integrate", "delete", "rename", "import", "search", "search_fallback", "activate", "policy", "filter",
    "critic", "feedback", "task", "evidence", "correct", "insight", "plan", "metabolism", "retire", "return",
    "reinforce", "replace", "reopen", "upkeep",
]  # fmt: skip
# A sweep or a restore tells of many nodes; shown are the events of each of them (retire, return).
Topic = ShownTopic | Literal["sweep", "restore"]
SubjectKind = Literal["memo", "claim", "fragment", "page", "entity", "node", "run", "plan", "task", "upkeep"]


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One event, in words."""

    seq: Annotated[int, Param("The event's number.", name="id")]
    at: str
    topic: str
    text: Annotated[str, Param("What happened.")]
    namespace: str
    node_id: Annotated[str | None, Param("The node that it is about.")] = None
    other_id: Annotated[str | None, Param("The other node, e.g. the target of a relation.")] = None
    part_of: Annotated[str | None, Param("The run, plan or task by which it happened; history reads it.")] = None
    restorable_until: Annotated[str | None, Param("What was let go can be restored until then.")] = None
    request_id: str | None = None
    trace_id: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    """The figures of the event, as it was written."""


@dataclass(frozen=True, slots=True)
class HistoryVersion:
    """A node as this memory knew it for a time; get and restore take its number."""

    version: int
    since: str
    until: Annotated[str | None, Param("Null: it is the newest.")]
    text: Annotated[str, Param("The beginning of its text, or what else changed.")]
    written_by: Annotated[str | None, Param("The key that it was written with; null: without one.")] = None


@dataclass(frozen=True, slots=True)
class HistorySubject:
    """What an id stands for now: a node that is here, let go or deleted; a run; a plan; a task."""

    id: str
    kind: SubjectKind
    state: Annotated[str, Param("here, let_go or deleted; of a run, a plan or a task: how far it has come.")]
    text: Annotated[str, Param("The same in words.")]
    namespace: str | None = None
    title: str | None = None
    stand_in: Annotated[str | None, Param("The node that says nearly the same as one that was let go.")] = None
    restorable_until: Annotated[str | None, Param("Until then restore brings it back.")] = None
    holds: Annotated[tuple[str, ...], Param("The relations of a plan, in words.")] = ()
    valid_from: Annotated[str | None, Param("Since when a statement holds.")] = None
    valid_to: Annotated[str | None, Param("From then on it holds no longer.")] = None
    superseded_by: Annotated[str | None, Param("The statement that took its place.")] = None
    replaces: Annotated[tuple[str, ...], Param("The statements whose place it took, the last first.")] = ()
    known_since: Annotated[str | None, Param("Its versions are known from then on; null: all are.")] = None
    versions: Annotated[tuple[HistoryVersion, ...], Param("The newest first, the present one included.")] = ()


@dataclass(frozen=True, slots=True)
class History:
    """Events, newest first; with an id those of one node, run, plan or task, and what it is now."""

    root_namespace: str
    owner: str
    items: tuple[HistoryEntry, ...] = ()
    about: HistorySubject | None = None
    next_cursor: str | None = None
