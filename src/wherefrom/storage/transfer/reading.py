"""Reads the lines of an import file, and reports each that is left out with its number, its id and the reason."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import count, groupby, islice
from typing import IO, Any, Final, NamedTuple

from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.graph import FINDING_KINDS, Node
from wherefrom.model.results import Rejection
from wherefrom.storage.transfer import records, reference_server
from wherefrom.storage.transfer.records import Record
from wherefrom.storage.versions import Version
from wherefrom.text.sensitive.findings import redact

_MAX_BATCH_RECORDS: Final = 2_000
# A batch is one parameter of a statement.
_MAX_BATCH_CHARACTERS: Final = 4_000_000
# After the first batch the planner hears how much comes in, so it is small.
_MAX_FIRST_BATCH_RECORDS: Final = 200
_MAX_LINE_BYTES: Final = 1024 * 1024
# The file of rejects does not repeat a line that is longer.
_MAX_LONG_LINE_BYTES: Final = 16 * 1024 * 1024
_BLOCK_BYTES: Final = 1024 * 1024
# The answer shows the first rejections; the file of rejects has them all.
_MAX_REJECTIONS_SHOWN: Final = 1_000
_MAX_ID_CHARACTERS: Final = 200
_REJECTED: Final = "rejected"
_DECODER: Final = json.JSONDecoder()
_FILE_HINT: Final = "import a file made by `wherefrom export`, or a memory.jsonl"


class Line(NamedTuple):
    """A line of the file: its number and its bytes; None for those of a line that is far too long."""

    number: int
    text: bytes | None

    @property
    def json(self) -> Any:
        """Its JSON; its text if it is none, and None if it is far too long."""
        if self.text is None:
            return None
        try:
            return json_of(self.text)
        except (ValueError, RecursionError):
            return self.text.decode(errors="replace").rstrip("\r\n")


# A record and the line that it was read from.
Read = tuple[Line, Record]


class Block(NamedTuple):
    """Lines that are prepared together, and where the file goes on after them."""

    lines: list[Line]
    end: int

    @property
    def texts(self) -> list[bytes]:
        """The bytes of the lines."""
        return [line.text or b"" for line in self.lines]


def line_count(source: IO[bytes]) -> int:
    """Return the number of line breaks in a file."""
    source.seek(0)
    return sum(block.count(b"\n") for block in iter(partial(source.read, _BLOCK_BYTES), b""))


def header_of(source: IO[bytes], *, split: bool, **how: Any) -> str | None:
    """Return the header of a file of our own format, and None of a reference memory server's; raises for any other."""
    found = (line.json for line in _lines(source, Rejections(None), split=split))
    first = next((value for value in found if isinstance(value, dict)), None)
    if first is None:
        raise InvalidInput("the file has no line that can be read", hint=_FILE_HINT)
    if first.get("type") in records.HEADERS:
        records.parse(first, split=split, **how)  # another format is refused here
        return json.dumps(first)
    if first.get("type") not in reference_server.TYPES:
        raise InvalidInput(
            "the first line is neither a Wherefrom header nor a reference memory server's entity", hint=_FILE_HINT
        )
    return None


def blocks(source: IO[bytes], rejections: Rejections, *, split: bool) -> Iterator[Block]:
    """Yield the lines of a file in blocks of limited number and length; the first one is small."""
    limit, characters, held = _MAX_FIRST_BATCH_RECORDS, 0, []
    for line in _lines(source, rejections, split=split):
        held.append(line)
        characters += len(line.text or b"")
        if len(held) >= limit or characters >= _MAX_BATCH_CHARACTERS:
            yield Block(held, source.tell())
            limit, characters, held = _MAX_BATCH_RECORDS, 0, []
    yield Block(held, source.tell())


def batches(items: Iterable[Read]) -> Iterator[list[Read]]:
    """Yield records in batches of one kind, of limited number and length."""
    for _, run in groupby(items, key=lambda read: type(read[1])):
        while batch := list(_first(run)):
            yield batch


def _first(run: Iterator[Read]) -> Iterator[Read]:
    """Yield the next records of a run, until their texts are as long as a batch may be."""
    characters = 0
    for read in islice(run, _MAX_BATCH_RECORDS):
        yield read
        record = read[1].node if isinstance(read[1], Version) else read[1]
        characters += len(record.content) if isinstance(record, Node) else 0
        if characters >= _MAX_BATCH_CHARACTERS:
            return


def _lines(source: IO[bytes], rejections: Rejections, *, split: bool) -> Iterator[Line]:
    """Yield the lines that are not too long; with `split`, memos may be longer than one memo that is stored."""
    limit = _MAX_LONG_LINE_BYTES if split else _MAX_LINE_BYTES
    source.seek(0)
    for number in count(1):
        text = source.readline(_MAX_LONG_LINE_BYTES)
        if not text:
            return
        line = Line(number, text)
        if len(text) == _MAX_LONG_LINE_BYTES and not text.endswith(b"\n"):
            line = Line(number, None)
            while (rest := source.readline(_BLOCK_BYTES)) and not rest.endswith(b"\n"):
                pass
        if len(text) - text.endswith(b"\n") >= limit:
            rejections.add(line, InvalidInput(f"the line is longer than {limit:,} bytes"))
        else:
            yield line


class Rejections:
    """Collects rejected lines, of whichever thread, and writes each to `sink` with the record that it holds.

    header: the line that the file of rejects begins with, so that it can be imported again.
    """

    def __init__(self, sink: IO[str] | None) -> None:
        self.total = 0
        self.header: str | None = None
        self._sink = sink
        self._shown: list[Rejection] = []
        self._lock = threading.Lock()

    def add(self, line: Line, error: WherefromError) -> None:
        """Note a rejected line."""
        with self._lock:
            self._add(line, error)

    def _add(self, line: Line, error: WherefromError) -> None:
        record = line.json
        name = _name_of(record) if isinstance(record, dict) else None
        reason = f"{error.message} ({error.hint})" if error.hint else error.message
        self.total += 1
        if len(self._shown) < _MAX_REJECTIONS_SHOWN:
            self._shown.append(Rejection(line.number, name, error.code, reason))
        if self._sink is not None:
            self._sink.write(f"{self.header}\n" if self.header else "")
            self.header = None
            told = {"type": _REJECTED, "line": line.number, "id": name, "code": error.code, "reason": reason}
            told["record"] = record
            printed = json.dumps(told, ensure_ascii=False)
            # A lone surrogate can be written in ASCII alone.
            self._sink.write((json.dumps(told) if re.search(r"[\ud800-\udfff]", printed) else printed) + "\n")

    def shown(self) -> tuple[Rejection, ...]:
        """Return the first rejections, by line."""
        return tuple(sorted(self._shown, key=lambda rejection: rejection.line))


def _name_of(record: Mapping[str, Any]) -> str | None:
    """Return the name of a record in the report: its id, its name, its claim, or its two ends and the relation."""
    for keys in (("id",), ("name",), ("claim_id",), ("source_id", "tag", "target_id"), ("from", "relationType", "to")):
        if all(isinstance(record.get(key), str) for key in keys):
            name = " ".join(record[key] for key in keys)
            # A lone surrogate could not be printed, and a report must not tell what may not be stored.
            printable = name[: 4 * _MAX_ID_CHARACTERS].encode(errors="replace").decode()
            return redact(printable, FINDING_KINDS)[0][:_MAX_ID_CHARACTERS]
    return None


def json_of(text: bytes) -> Any:
    """Return the JSON of a line, and of one in a file of rejects the record that it reports."""
    value = _parsed(text)
    if isinstance(value, dict) and value.get("type") == _REJECTED and "record" in value:
        record = value["record"]
        return json.loads(record) if isinstance(record, str) else record  # a text: a line that was no JSON, and is now
    return value


def _parsed(text: bytes) -> Any:
    """Return the JSON of a line: as `json.loads` does, in half the time if the line is nothing but an object."""
    if text.startswith(b"{") and text.endswith(b"}\n"):
        with suppress(ValueError):
            plain = text.decode()
            value, end = _DECODER.raw_decode(plain)
            if end == len(plain) - 1:
                return value
    return json.loads(text)
