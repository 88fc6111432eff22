"""The records of an import file, of whichever format it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import IO, Any, Final, TypeVar

from recollect.model.access import Access
from recollect.model.errors import InvalidInput
from recollect.storage.transfer import records, reference_server
from recollect.storage.transfer.records import Record

_BATCH: Final = 2_000
_LINE_BYTES: Final = 1024 * 1024
_Item = TypeVar("_Item")


def parsed(source: IO[bytes], access: Access, *, now: str) -> Iterator[Record]:
    """The checked records of a file."""
    source.seek(0)
    lines = _lines(source)
    first = next(lines, None)
    if first is None:
        raise InvalidInput("the file is empty")
    lines = _chain(first, lines)
    kind = first[1].get("type")
    if isinstance(kind, str) and kind in reference_server.TYPES:
        return reference_server.parse(lines, access, now=now)
    if kind == "recollect":
        return records.parse(lines, access)
    raise InvalidInput(
        "the first line is neither a Recollect header nor a reference memory server's entity",
        hint="import a file made by `recollect export`, or a memory.jsonl",
    )


def _lines(source: IO[bytes]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    number = 0
    while line := source.readline(_LINE_BYTES):
        number += 1
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"line {number} is not JSON of at most {_LINE_BYTES:,} bytes") from None
        if not isinstance(value, dict):
            raise InvalidInput(f"line {number} is not a JSON object")
        yield number, value


def _chain(first: _Item, rest: Iterator[_Item]) -> Iterator[_Item]:
    yield first
    yield from rest


def batches(items: Iterator[Record]) -> Iterator[tuple[int, list[Record]]]:
    """Runs of records of one kind, at most _BATCH long, with how many records there were so far."""
    done = 0
    for _, run in groupby(items, key=type):
        while batch := list(islice(run, _BATCH)):
            done += len(batch)
            yield done, batch
