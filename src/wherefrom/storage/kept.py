"""A cache with bounds on entries, time and weight; the least recently used entry is dropped first."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(eq=False, kw_only=True)
class Kept(Generic[Key, Value]):
    """At most `entries` values of at most `weight` in all, each for `seconds`. Threads may share it."""

    entries: int
    seconds: float = math.inf
    weight: float = math.inf
    weigh: Callable[[Value], int] = lambda _: 0
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _held: OrderedDict[Key, tuple[float, int, Value]] = field(default_factory=OrderedDict, init=False)
    _held_weight: int = field(default=0, init=False)

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Key) -> Value | None:
        """The value that was put last under a key, or None if it was dropped or its time is over."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            if found[0] <= time.monotonic():
                self._drop(key)
                return None
            self._held.move_to_end(key)
            return found[2]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value; the least recently used ones are dropped to make room for it."""
        weight = self.weigh(value)
        with self._lock:
            if key in self._held:
                self._drop(key)
            self._held[key] = (time.monotonic() + self.seconds, weight, value)
            self._held_weight += weight
            while len(self._held) > self.entries or (self._held_weight > self.weight and len(self._held) > 1):
                self._drop(next(iter(self._held)))

    def _drop(self, key: Key) -> None:
        self._held_weight -= self._held.pop(key)[1]
