"""The feed of changes: what happened since a position, for programs that follow a memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import BoundaryClass
from wherefrom.model.param import Param

_POSITION: Final = re.compile(r"(\d{1,18})-(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two events of a store; those that become visible later lie behind it."""

    written_in: int
    seq: int

    def __str__(self) -> str:
        return f"{self.written_in}-{self.seq}"


def position_of(text: str) -> Position:
    """Return the position that an id of a change stands for."""
    match = _POSITION.fullmatch(text)
    if match is None:
        raise InvalidInput(f"{shown(text)} is not the id of a change", hint="give the id of the last one, or none")
    return Position(int(match[1]), int(match[2]))


@dataclass(frozen=True, slots=True)
class StoredChange:
    """An event, with all that decides who may see it. The order of the fields is that of the columns."""

    position: Position
    owner: str
    at: str
    topic: str
    namespace: str
    other_namespace: str
    boundary_class: BoundaryClass
    node_id: str | None
    other_id: str | None

    def is_seen_by(self, access: Access) -> bool:
        """Return True if an access may see it, by the same rule as the history."""
        if self.owner != access.owner:
            return False
        places = (self.namespace, self.other_namespace)
        is_whole = self.node_id is not None or self.namespace not in access.partly_seen
        return is_whole and all(access.sees(place, self.boundary_class) for place in places)

    def shown(self) -> Change:
        """Return what is told of it."""
        place = self.other_namespace if self.other_namespace != self.namespace else None
        return Change(str(self.position), self.at, self.topic, self.namespace, self.node_id, self.other_id, place)


@dataclass(frozen=True, slots=True)
class Change:
    """One change, without any content: what happened, where, and to which node."""

    id: Annotated[str, Param("Its place in the feed: to go on after it, give it back.")]
    at: str
    topic: Annotated[str, Param("What happened, e.g. ingest, integrate, delete, retire, return.")]
    namespace: str
    node_id: Annotated[str | None, Param("The node that it is about.")] = None
    other_id: Annotated[str | None, Param("The other node, e.g. the target of a relation.")] = None
    other_namespace: Annotated[str | None, Param("Where that is, if elsewhere.")] = None


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes after a position that an access sees, oldest first, and the position to go on from."""

    items: tuple[Change, ...]
    next_id: Annotated[str, Param("To go on from here, give it back.")]
    more: Annotated[bool, Param("True: there may be more already.")] = False
    reset: Annotated[bool, Param("True if the feed cannot continue from this id: read the memory again.")] = False
