"""Scopes of the vector index: rows that the same accesses may see have one scope, with a number."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from wherefrom.graph.local import Flags
from wherefrom.lazy import np
from wherefrom.model.access import Access
from wherefrom.model.graph import BoundaryClass
from wherefrom.storage.kept import Kept

_MAX_KNOWN_ACCESSES: Final = 4_000


class Scope(NamedTuple):
    """The values of a row that decide which accesses may see it."""

    owner: str
    namespace: str
    kind: str
    boundary_class: BoundaryClass


class Scopes:
    """The scopes of all rows, numbered in order of arrival. An access is checked against its owner's scopes only."""

    def __init__(self, known: Sequence[Sequence[str]] = ()) -> None:
        self._numbers: dict[Scope, int] = {}
        self._of_owner: dict[str, list[Scope]] = {}
        # For an access: how many of its owner's scopes were checked, and the numbers of those that it may see.
        self._seen = Kept[Hashable, tuple[int, list[int]]](entries=_MAX_KNOWN_ACCESSES)
        for values in known:
            self._number(values)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Scope]:
        return iter(self._numbers)

    def numbers(self, rows: Sequence[tuple[Any, ...]]) -> list[int]:
        """The number of each row's scope, whose values follow the seq and the vector; new scopes are added."""
        known = {values: self._number(values) for values in {row[2:] for row in rows}}
        return [known[row[2:]] for row in rows]

    def allowed(self, access: Access, kinds: Sequence[str]) -> Flags:
        """One flag for each scope: true if this access may see it and asked for its kind."""
        own, key = self._of_owner.get(access.owner, []), (access.reach, tuple(kinds))
        looked, seen = self._seen.get(key) or (0, [])
        if looked < len(own):
            seen = seen + [
                self._numbers[scope]
                for scope in own[looked:]
                if scope.kind in kinds and access.sees(scope.namespace, scope.boundary_class)
            ]
            self._seen.put(key, (len(own), seen))
        allowed = np.zeros(len(self._numbers), dtype=np.bool_)
        allowed[seen] = True
        return allowed

    def _number(self, values: Sequence[str]) -> int:
        owner, namespace, kind, boundary_class = values
        scope = Scope(owner, namespace, sys.intern(kind), cast(BoundaryClass, sys.intern(boundary_class)))
        if scope not in self._numbers:
            self._numbers[scope] = len(self._numbers)
            self._of_owner.setdefault(owner, []).append(scope)
        return self._numbers[scope]
