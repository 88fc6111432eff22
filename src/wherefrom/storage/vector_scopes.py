"""Who may see which rows of the vector index: rows that the same accesses see share a number."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from wherefrom.model.access import Access
from wherefrom.model.graph import BoundaryClass
from wherefrom.storage.kept import Kept

_KNOWN_ACCESSES: Final = 4_000


@dataclass(frozen=True, slots=True)
class Scope:
    """What decides who may see a row; equal scopes share a number."""

    owner: str
    namespace: str
    kind: str
    boundary_class: BoundaryClass


class Scopes:
    """The scopes of all rows, numbered as they came. What an access sees is looked up among its owner's alone."""

    def __init__(self, known: Sequence[Sequence[str]] = ()) -> None:
        self._numbers: dict[Scope, int] = {}
        self._of_owner: dict[str, list[Scope]] = {}
        # How many scopes of an owner were looked at for an access, and the numbers of those that it sees.
        self._seen = Kept[Hashable, tuple[int, list[int]]](entries=_KNOWN_ACCESSES)
        for values in known:
            self._number(values)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Scope]:
        return iter(self._numbers)

    def numbers(self, rows: Sequence[tuple[Any, ...]]) -> list[int]:
        """The number of the scope of each row, whose values follow the seq and the vector; new ones are added."""
        known = {values: self._number(values) for values in {row[2:] for row in rows}}
        return [known[row[2:]] for row in rows]

    def allowed(self, access: Access, kinds: Sequence[str]) -> NDArray[np.bool_]:
        """For each scope, whether this access may see it and asked for its kind."""
        own, key = self._of_owner.get(access.owner, []), (access.reach, tuple(kinds))
        looked, seen = self._seen.get(key) or (0, [])
        if looked < len(own):
            fresh = islice(own, looked, None)
            seen = seen + [
                self._numbers[scope]
                for scope in fresh
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
