"""The records of an import file, of whichever format it is, and the lines that are left out of it, each with its
number, its id and the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, groupby, islice
from typing import IO, Any, Final, NamedTuple

from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.graph import Node
from wherefrom.model.results import Rejection
from wherefrom.storage.transfer import records, reference_server
from wherefrom.storage.transfer.records import Record

_BATCH: Final = 2_000
# A batch is one parameter of a statement.
_MAX_BATCH_CHARACTERS: Final = 4_000_000
# After the first records the planner hears how much comes in, so there are few of them.
_FIRST_BATCH: Final = 200
_MAX_LINE_BYTES: Final = 1024 * 1024
_MAX_LONG_LINE_BYTES: Final = 16 * 1024 * 1024
_BLOCK_BYTES: Final = 1024 * 1024
# The answer shows the first of them; the file of rejects has them all.
MAX_REJECTIONS_SHOWN: Final = 1_000
REJECTED: Final = "rejected"
_MAX_ID_CHARACTERS: Final = 200
# What is longer is named in the file of rejects, and not repeated there.
_MAX_REJECTED_BYTES: Final = 16 * 1024 * 1024


class Place(NamedTuple):
    """Where a line stands in its file."""

    line: int
    offset: int


class Fault(NamedTuple):
    """Why the record of a line was left out."""

    place: Place
    id: str | None
    error: WherefromError


Read = tuple[Place, Record]
"""A record and where it stands in the file."""
_Line = tuple[Place, Mapping[str, Any]]


def parsed(source: IO[bytes], access: Access, rejections: Rejections, *, split: bool, now: str) -> Iterator[Read]:
    """The checked records of a file; with `split`, memos may be longer than what is stored as one."""
    lines = _lines(source, rejections, limit=_MAX_LONG_LINE_BYTES if split else _MAX_LINE_BYTES)
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
    """Runs of records of one kind, at most _BATCH of them and not too long, with how many there were so far."""
    done = 0
    for _, run in groupby(items, key=lambda read: type(read[1])):
        while batch := list(_first(run, _BATCH if done else _FIRST_BATCH)):
            done += len(batch)
            yield done, batch


def _first(run: Iterator[Read], most: int) -> Iterator[Read]:
    """The next records of a run, until their texts are as long as a batch may be."""
    characters = 0
    for read in islice(run, most):
        yield read
        characters += len(read[1].content) if isinstance(read[1], Node) else 0
        if characters >= _MAX_BATCH_CHARACTERS:
            return


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


class Rejections:
    """Collects rejected lines, and writes each to `sink` with what the file had there."""

    def __init__(self, source: IO[bytes], sink: IO[str] | None) -> None:
        self.total = 0
        self._source = source
        self._sink = sink
        self._shown: list[Rejection] = []
        self._header: str | None = None

    def begin(self, header: dict[str, Any]) -> None:
        """Put a header in front of the rejected lines, so that their file can be imported again."""
        self._header = json.dumps(header)

    def add(self, fault: Fault) -> None:
        """Note a rejected line."""
        self.total += 1
        # A lone surrogate could not be printed.
        record_id = None if fault.id is None else fault.id[:_MAX_ID_CHARACTERS].encode(errors="replace").decode()
        error = fault.error
        reason = f"{error.message} ({error.hint})" if error.hint else error.message
        if len(self._shown) < MAX_REJECTIONS_SHOWN:
            self._shown.append(Rejection(fault.place.line, record_id, error.code, reason))
        if self._sink is None:
            return
        if self._header is not None:
            self._sink.write(self._header + "\n")
            self._header = None
        told = {"type": REJECTED, "line": fault.place.line, "id": record_id, "code": error.code, "reason": reason}
        self._sink.write(_line({**told, "record": self._record(fault.place)}) + "\n")

    def shown(self) -> tuple[Rejection, ...]:
        """The first of them, by line."""
        return tuple(sorted(self._shown, key=lambda rejection: rejection.line))

    def _record(self, place: Place) -> Any:
        """What the line holds: an object if it is JSON, else its text; None if it is far too long."""
        here = self._source.tell()
        self._source.seek(place.offset)
        raw = self._source.readline(_MAX_REJECTED_BYTES)
        self._source.seek(here)
        if not raw.endswith(b"\n") and len(raw) >= _MAX_REJECTED_BYTES:
            return None
        try:
            return unwrapped(json.loads(raw))
        except (ValueError, RecursionError):
            return raw.decode(errors="replace").rstrip("\r\n")


def unwrapped(value: Any) -> Any:
    """A record; one from a file of rejects without what is said about it."""
    if isinstance(value, dict) and value.get("type") == REJECTED and "record" in value:
        record = value["record"]
        return json.loads(record) if isinstance(record, str) else record  # a text: a line that was no JSON, and is now
    return value


def _line(value: dict[str, Any]) -> str:
    """JSON that people can read; in ASCII if it holds a lone surrogate, which cannot be written in any other way."""
    line = json.dumps(value, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return line
