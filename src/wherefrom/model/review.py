"""Pairs of statements that contradict each other, and what became of one that was settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from wherefrom.model.graph import Node
from wherefrom.model.param import Param

PairKind = Literal["slot", "relation", "dispute", "title", "near", "alike"]
Kept = Literal["first", "second", "both"]


@dataclass(frozen=True, slots=True)
class SettleCall:
    """The arguments of the call that settles a pair; `keep` may be another one."""

    first_id: str
    second_id: str
    keep: Kept
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewPair:
    """Two statements of which only one may hold, or that may be one, the later one first."""

    kind: Annotated[PairKind, Param("How it was found.")]
    reason: Annotated[str, Param("Why they are here, in words.")]
    first: Node
    second: Node
    newer: Annotated[Literal["first"] | None, Param("The one that looks newer; null: neither does.")]
    settle: Annotated[SettleCall, Param("The arguments of settle, with a guess at keep.")]


@dataclass(frozen=True, slots=True)
class Review:
    """Pairs that wait for a decision: those that are certain first, then the newest."""

    root_namespace: str
    pairs: tuple[ReviewPair, ...] = ()
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class UndoCall:
    """The relation whose deletion takes a decision back."""

    source_id: Annotated[str, Param(name="source_memo_id")]
    target_id: Annotated[str, Param(name="target_memo_id")]
    tag: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a pair. ended_id: the statement, or the target of the relation, that has ended."""

    status: Literal["settled", "unchanged"]
    keep: Kept
    text: Annotated[str, Param("What was decided, in words.")]
    ended_id: Annotated[str | None, Param("What has ended.")] = None
    valid_to: Annotated[str | None, Param("When it ended.")] = None
    undo: Annotated[UndoCall | None, Param("memory_relation_delete with this takes it back.")] = None
