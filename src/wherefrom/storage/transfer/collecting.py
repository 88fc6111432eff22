"""Lets Python's collector of cycles run less often while many records are read, none of which is a cycle."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# By default the collector looks through what is new after every 700 objects, and so through the records of a batch
# again and again: 15 to 20 µs a text of an import.
_OBJECTS_PER_COLLECTION: Final = 100_000
_LOCK: Final = threading.Lock()
# The thresholds from before, for each import that is under way; the last one to end sets them back.
_BEFORE: Final[list[tuple[int, int, int]]] = []


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Let the collector run less often until this, and every other such block of the process, has ended."""
    with _LOCK:
        usual = _BEFORE[0] if _BEFORE else gc.get_threshold()
        _BEFORE.append(usual)
        if usual[0]:  # 0: whoever embeds this has switched it off
            gc.set_threshold(max(_OBJECTS_PER_COLLECTION, usual[0]), *usual[1:])
    try:
        yield
    finally:
        with _LOCK:
            _BEFORE.pop()
            if not _BEFORE:
                gc.set_threshold(*usual)
