"""The cache file of a vector index. Its room is made before the vectors are read, so that whoever erases vectors
meanwhile takes the room away, and none of them comes back with the file.
"""

from __future__ import annotations

import atexit
import glob
import json
import math
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from wherefrom.lazy import np
from wherefrom.storage import vector_codes

_FORMAT: Final = 3
# What follows the name of the cache in the name of a room.
_ROOM: Final = ".room-"
# A room that is older was left behind by a process that was killed.
_ROOM_SECONDS: Final = 3600.0
# The rooms that this process has made: a thread that builds an index does not live to remove its own.
_ROOMS: Final[set[Path]] = set()


class Cached(NamedTuple):
    """What a cache holds: its header, and its arrays; the last one is mapped, not read."""

    header: Mapping[str, Any]
    arrays: list[Any]


@contextmanager
def room(cache: Path | None) -> Iterator[Path | None]:
    """Make the file that a cache will be written to, readable by its user alone; None if there is to be no cache, or
    the file cannot be made.
    """
    made = None
    if cache is not None:
        with suppress(OSError):
            for left in _rooms(cache):
                with suppress(OSError):  # it has just become the cache, or its process has ended
                    if left.stat().st_mtime < time.time() - _ROOM_SECONDS:
                        left.unlink(missing_ok=True)
            handle, name = tempfile.mkstemp(prefix=cache.name + _ROOM, dir=cache.parent)
            os.close(handle)
            made = Path(name)
            _ROOMS.add(made)
    try:
        yield made
    finally:
        if made is not None:
            made.unlink(missing_ok=True)
            _ROOMS.discard(made)


@atexit.register
def _remove_own_rooms() -> None:
    for made in tuple(_ROOMS):
        with suppress(OSError):
            made.unlink(missing_ok=True)


def write(room: Path, cache: Path, header: Mapping[str, Any], arrays: Iterable[Any], *, dimension: int) -> None:
    """Write a cache; if that fails, or the room was taken away, the next process builds the index anew."""
    with suppress(OSError):
        with room.open("r+b") as file:
            file.write(json.dumps({"format": _FORMAT, **header}).encode() + b"\n")
            for (kind, _), array in zip(_layout(header["rows"], dimension), arrays, strict=True):
                file.write(np.ascontiguousarray(array, dtype=kind).data)
        room.replace(cache)


def read(cache: Path, *, model: int, dimension: int) -> Cached | None:
    """Read a cache of a model. Of the file only the number of rows is believed, and only if its size is that of so
    many. A file that somebody has changed raises a ValueError, a KeyError and the like.
    """
    with cache.open("rb") as file:
        header = json.loads(file.readline())
        if (header["format"], header["model"], type(header["rows"])) != (_FORMAT, model, int):
            return None
        *whole, (kind, shape) = layout = _layout(header["rows"], dimension)
        size = sum(math.prod(its_shape) * np.dtype(its_kind).itemsize for its_kind, its_shape in layout)
        if os.fstat(file.fileno()).st_size != file.tell() + size:
            return None
        arrays: list[Any] = [
            np.fromfile(file, its_kind, math.prod(its_shape)).reshape(its_shape) for its_kind, its_shape in whole
        ]
        mapped = np.memmap(file, dtype=kind, mode="r", offset=file.tell(), shape=shape)
        return Cached(header, [*arrays, np.asarray(mapped)])  # what is taken of a memmap is one, which takes longer


def remove(cache: Path) -> None:
    """Remove a cache, and the rooms of those that are being written or were left behind by a process that was killed.
    The cache goes last: a room may just be becoming the cache.
    """
    for file in (*_rooms(cache), cache):
        file.unlink(missing_ok=True)


def _rooms(cache: Path) -> list[Path]:
    return [*cache.parent.glob(f"{glob.escape(cache.name + _ROOM)}*")]


def _layout(rows: int, dimension: int) -> list[tuple[type[Any], tuple[int, ...]]]:
    """The types and shapes of the arrays in a cache, whose bytes follow its header; the last one is not read whole."""
    words = vector_codes.words_of(dimension)
    return [
        (np.uint64, (words, rows)), (np.float32, (rows,)), (np.float32, (dimension,)),
        (np.int64, (rows,)), (np.int32, (rows,)), (np.int8, (rows, dimension)),
    ]  # fmt: skip
