"""The records of an import file, of whichever format it is; a line that cannot be read is rejected."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, groupby, islice
from typing import IO, Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.storage.transfer import records, reference_server
from wherefrom.storage.transfer.records import Record
from wherefrom.storage.transfer.rejections import Fault, Place, Rejections, unwrapped

Read = tuple[Place, Record]
"""A record and where it stands in the file."""

_BATCH: Final = 2_000
_LINE_BYTES: Final = 1024 * 1024
_LONG_LINE_BYTES: Final = 16 * 1024 * 1024
_BLOCK_BYTES: Final = 1024 * 1024
_Line = tuple[Place, Mapping[str, Any]]


def parsed(source: IO[bytes], access: Access, rejections: Rejections, *, split: bool, now: str) -> Iterator[Read]:
    """The checked records of a file; with `split`, memos may be longer than what is stored as one."""
    lines = _lines(source, rejections, limit=_LONG_LINE_BYTES if split else _LINE_BYTES)
    first = next(lines, None)
    if first is None:
        raise InvalidInput("the file has no line that can be read", hint=_WANTED)
    kind = first[1].get("type")
    if isinstance(kind, str) and kind in reference_server.TYPES:
        return _records(
            chain([first], lines), lambda line: reference_server.parse(line, access, split=split, now=now), rejections
        )
    if kind not in records.HEADERS:
        raise InvalidInput(
            "the first line is neither a Wherefrom header nor a reference memory server's entity", hint=_WANTED
        )
    records.parse(first[1], access)
    rejections.begin(dict(first[1]))
    return _records(lines, lambda line: records.parse(line, access, split=split), rejections)


def batches(items: Iterable[Read]) -> Iterator[tuple[int, list[Read]]]:
    """Runs of records of one kind, at most _BATCH long, with how many records there were so far."""
    done = 0
    for _, run in groupby(items, key=lambda read: type(read[1])):
        while batch := list(islice(run, _BATCH)):
            done += len(batch)
            yield done, batch


_WANTED: Final = "import a file made by `wherefrom export`, or a memory.jsonl"


def _records(
    lines: Iterable[_Line], parse: Callable[[Mapping[str, Any]], Record | None], rejections: Rejections
) -> Iterator[Read]:
    for place, line in lines:
        try:
            record = parse(line)
        except WherefromError as error:
            rejections.add(Fault(place, _id_of(line), error))
            continue
        if record is not None:
            yield place, record


def _lines(source: IO[bytes], rejections: Rejections, *, limit: int) -> Iterator[_Line]:
    source.seek(0)
    number, offset = 0, 0
    while line := source.readline(limit):
        number += 1
        place = Place(number, offset)
        offset += len(line)
        if len(line) == limit and not line.endswith(b"\n"):
            offset += _skip_line(source)
            error = InvalidInput(f"the line is longer than {limit:,} bytes")
            rejections.add(Fault(place, None, error))
            continue
        if not line.strip():
            continue
        try:
            value = unwrapped(json.loads(line))
        except (ValueError, RecursionError):
            rejections.add(Fault(place, None, InvalidInput("the line is not JSON")))
            continue
        if not isinstance(value, dict):
            rejections.add(Fault(place, None, InvalidInput("the line is not a JSON object")))
            continue
        yield place, value


def _skip_line(source: IO[bytes]) -> int:
    """Read up to the end of the line; returns how many bytes that were."""
    skipped = 0
    while block := source.readline(_BLOCK_BYTES):
        skipped += len(block)
        if block.endswith(b"\n"):
            break
    return skipped


def _id_of(line: Mapping[str, Any]) -> str | None:
    """What names a record in a message: its id, its name, or its two ends."""
    named = line.get("id", line.get("name"))
    if isinstance(named, str):
        return named
    ends = [line.get(key) for key in ("source_id", "tag", "target_id")]
    return " ".join(ends) if all(isinstance(end, str) for end in ends) else None  # type: ignore[arg-type]
