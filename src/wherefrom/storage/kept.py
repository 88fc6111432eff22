"""What is remembered for a while, for all owners together: bounded, the least recently used goes first."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """At most so many values, of at most so much weight together, each for so many seconds. Threads may share it."""

    def __init__(
        self,
        *,
        entries: int,
        seconds: float = math.inf,
        weight: float = math.inf,
        weigh: Callable[[Value], int] = lambda _: 0,
    ) -> None:
        self._entries = entries
        self._seconds = seconds
        self._most = weight
        self._weigh = weigh
        self._lock = threading.Lock()
        self._held: OrderedDict[Key, tuple[float, int, Value]] = OrderedDict()
        self._weight = 0

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Key) -> Value | None:
        """What was put last under a key, if it is there still and its time is not over."""
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
        """Remember a value; what was used longest ago makes room for it."""
        weight = self._weigh(value)
        with self._lock:
            if key in self._held:
                self._drop(key)
            self._held[key] = (time.monotonic() + self._seconds, weight, value)
            self._weight += weight
            while len(self._held) > self._entries or (self._weight > self._most and len(self._held) > 1):
                self._drop(next(iter(self._held)))

    def _drop(self, key: Key) -> None:
        self._weight -= self._held.pop(key)[1]
