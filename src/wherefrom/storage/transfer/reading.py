"""Reads the records of an import file of either format, admits them by the policies in force, and reports each line
that is left out with its number, its id and the reason. A memo that is too long to be stored as one is split.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, groupby, islice, pairwise
from typing import IO, Any, Final, NamedTuple, Protocol

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput, WherefromError
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import FINDING_KINDS, Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.results import Rejection
from wherefrom.model.stand_ins import StandIn
from wherefrom.storage import edges, tasks
from wherefrom.storage.transfer import records, reference_server
from wherefrom.storage.transfer.records import Record
from wherefrom.storage.versions import Version
from wherefrom.text.check import content_hash
from wherefrom.text.sensitive.findings import redact
from wherefrom.text.split import split_text

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
# The tag of the relation from a part of a split memo to the part before it.
CONTINUES: Final = "continues"
_ID_SPACE: Final = uuid.UUID("d0b0c3a4-51f7-5c0a-9d8a-1f0e6f0a7b52")
_MAX_NAME_CHARACTERS: Final = 60
_FILE_HINT: Final = "import a file made by `wherefrom export`, or a memory.jsonl"


class Line(NamedTuple):
    """A line of the file: its number, and its JSON; its text if it is none, and None if it is far too long."""

    number: int
    json: Any


Read = tuple[Line, Record]
"""A record and the line that it was read from."""


class Guard(Protocol):
    """The policies as they apply to records that come from a file."""

    def node(self, node: Node) -> Node | None:
        """Return a node as it may be stored; None if it may not."""

    def admitted(self, node: Node) -> Node:
        """Return a node as it may be stored; raises if it may not."""

    def lifetime(self, node: Node) -> timedelta | None:
        """Return how long a node may live from now on; None is without end."""

    def refuse_secret(self, text: str, field: str) -> None:
        """Raise an error if a name, which is kept as it is, holds a secret."""

    def edge(self, edge: Edge) -> Edge:
        """Return an edge as it may be stored."""

    def text(self, text: str, namespace: str) -> str:
        """Return a text that is no node's as it may be stored."""


def line_count(source: IO[bytes]) -> int:
    """Return the number of line breaks in a file."""
    source.seek(0)
    return sum(block.count(b"\n") for block in iter(partial(source.read, _BLOCK_BYTES), b""))


def parsed(source: IO[bytes], access: Access, rejections: Rejections, *, split: bool, now: str) -> Iterator[Read]:
    """Yield the checked records of a file; with `split`, memos may be longer than one memo that is stored."""
    lines = _lines(source, rejections, limit=_MAX_LONG_LINE_BYTES if split else _MAX_LINE_BYTES)
    first = next(lines, None)
    if first is None:
        raise InvalidInput("the file has no line that can be read", hint=_FILE_HINT)
    kind = first.json.get("type")
    is_ours = kind in records.HEADERS
    if not is_ours and kind not in reference_server.TYPES:
        raise InvalidInput(
            "the first line is neither a Wherefrom header nor a reference memory server's entity", hint=_FILE_HINT
        )
    parse = partial(records.parse if is_ours else reference_server.parse, access=access, split=split, now=now)
    if is_ours:
        parse(first.json)  # another format is refused here
        rejections.header = json.dumps(first.json)
    for line in chain([first], lines):
        try:
            record = parse(line.json)
        except WherefromError as error:
            rejections.add(line, error)
            continue
        if record is not None:
            yield line, record


def batches(items: Iterable[Read]) -> Iterator[list[Read]]:
    """Yield the records in batches of one kind, of limited number and length; the first one is small."""
    limit = _MAX_FIRST_BATCH_RECORDS
    for _, run in groupby(items, key=lambda read: type(read[1])):
        while batch := list(_first(run, limit)):
            limit = _MAX_BATCH_RECORDS
            yield batch


def _first(run: Iterator[Read], limit: int) -> Iterator[Read]:
    """Yield the next records of a run, until their texts are as long as a batch may be."""
    characters = 0
    for read in islice(run, limit):
        yield read
        record = read[1].node if isinstance(read[1], Version) else read[1]
        characters += len(record.content) if isinstance(record, Node) else 0
        if characters >= _MAX_BATCH_CHARACTERS:
            return


def _lines(source: IO[bytes], rejections: Rejections, *, limit: int) -> Iterator[Line]:
    """Yield each line that is a JSON object."""
    source.seek(0)
    number = 0
    while text := source.readline(_MAX_LONG_LINE_BYTES):
        number += 1
        try:
            value, fault = _unwrapped(json.loads(text)), "the line is not a JSON object"
        except (ValueError, RecursionError):
            value, fault = text.decode(errors="replace").rstrip("\r\n"), "the line is not JSON"
        if len(text) == _MAX_LONG_LINE_BYTES and not text.endswith(b"\n"):
            value = None
            while (rest := source.readline(_BLOCK_BYTES)) and not rest.endswith(b"\n"):
                pass
        if len(text.rstrip(b"\n")) >= limit:
            rejections.add(Line(number, value), InvalidInput(f"the line is longer than {limit:,} bytes"))
        elif isinstance(value, dict):
            yield Line(number, value)
        elif text.strip():
            rejections.add(Line(number, value), InvalidInput(fault))


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
        name = _name_of(line.json) if isinstance(line.json, dict) else None
        reason = f"{error.message} ({error.hint})" if error.hint else error.message
        self.total += 1
        if len(self._shown) < _MAX_REJECTIONS_SHOWN:
            self._shown.append(Rejection(line.number, name, error.code, reason))
        if self._sink is not None:
            self._sink.write(f"{self.header}\n" if self.header else "")
            self.header = None
            told = {"type": _REJECTED, "line": line.number, "id": name, "code": error.code, "reason": reason}
            told["record"] = line.json
            printed = json.dumps(told, ensure_ascii=False)
            # A lone surrogate can be written in ASCII alone.
            self._sink.write((json.dumps(told) if re.search(r"[\ud800-\udfff]", printed) else printed) + "\n")

    def shown(self) -> tuple[Rejection, ...]:
        """Return the first rejections, by line."""
        return tuple(sorted(self._shown, key=lambda rejection: rejection.line))


class Admission:
    """Admits the records of one import. links: the edges between the parts of split memos, to be stored at the end."""

    def __init__(self, access: Access, guard: Guard, rejections: Rejections, *, now: str) -> None:
        self.counts: Counter[str] = Counter()
        self.links: list[Read] = []
        self._access = access
        self._guard = guard
        self._rejections = rejections
        self._now = now

    def admitted(self, reads: Iterable[Read]) -> Iterator[Read]:
        """Yield the records as the policies leave them, and reject those that may not be stored."""
        for line, record in reads:
            try:
                if isinstance(record, Node):
                    for part in self._parts(line, self._node(record)):
                        yield line, part
                elif isinstance(record, Version):
                    yield line, replace(record, node=self._kept(record.node))
                else:
                    yield line, self._cleaned(record)
            except WherefromError as error:
                self.counts["nodes_denied"] += isinstance(record, Node) and isinstance(error, BoundaryDenied)
                self._rejections.add(line, error)

    def _kept(self, node: Node) -> Node:
        """Return a node as the policies leave it; raises if nothing of it may be stored."""
        self._guard.refuse_secret(node.id, "id")
        self._guard.refuse_secret(node.namespace, "namespace")
        for name in ("slot", "session"):
            if (given := getattr(node, name)) is not None:
                self._guard.refuse_secret(given, name)
        kept = self._guard.admitted(node)
        self._refuse_unseen(kept)
        return kept

    def _node(self, node: Node) -> Node:
        kept = self._kept(node)
        lifetime = self._guard.lifetime(kept)
        if lifetime is None:
            return kept
        latest = timestamp(datetime.fromisoformat(self._now) + lifetime)
        return replace(kept, expires_at=min(kept.expires_at or latest, latest))

    def _parts(self, line: Line, memo: Node) -> list[Node]:
        """Return a node; or, if it is too long, memos that together have its text, the first with its id."""
        if len(memo.content.encode()) <= limits.MEMO_BYTES:
            return [memo]
        texts = [text for text in split_text(memo.content, size=limits.MEMO_BYTES) if text.strip()]
        name = memo.title or " ".join(memo.content[: 2 * _MAX_NAME_CHARACTERS].split())[:_MAX_NAME_CHARACTERS]
        parts = []
        for number, text in enumerate(texts, start=1):
            part_id = memo.id if number == 1 else str(uuid.uuid5(_ID_SPACE, f"{memo.id}\n{number}"))
            ending = f" ({number}/{len(texts)})"
            room = limits.TITLE_CHARACTERS - len(ending)
            title = (name if len(name) <= room else name[: room - 1] + "…") + ending
            part = replace(memo, id=part_id, title=title, content=text, content_hash=content_hash(text))
            parts.append(self._guard.admitted(part))
        # Links wait until the end, and the texts of the file must not wait with them.
        line = line._replace(json={"id": memo.id})
        for before, after in pairwise(parts):
            link = edges.between(after, before, CONTINUES, now=memo.created_at)
            self.links.append((line, replace(link, observed_at=memo.observed_at, updated_at=memo.updated_at)))
        self.counts["nodes_split"] += 1
        return parts

    def _cleaned(self, record: Record) -> Record:
        """Return a record other than a node as it may be stored."""
        if isinstance(record, Correction):
            return replace(record, reason=self._guard.text(record.reason, self._access.root))
        if isinstance(record, Task):
            self._guard.refuse_secret(record.namespace, "namespace")
            self._refuse_unseen(record)
        if isinstance(record, Task | Query):
            return tasks.cleaned(record, self._guard.text, elsewhere=self._access.root)
        if isinstance(record, Edge):
            self._guard.refuse_secret(record.tag, "tag")
        if isinstance(record, StandIn):
            self._guard.refuse_secret(record.node_id, "id")
            self._guard.refuse_secret(record.stand_in_id, "id")
        return record

    def _refuse_unseen(self, record: Node | Task) -> None:
        if not self._access.sees(record.namespace, record.boundary_class):
            raise BoundaryDenied(
                f"this access may not see the boundary class {record.boundary_class!r}, so it cannot save in it",
                hint="open the memory with a tag that this class allows",
            )


def _name_of(record: Mapping[str, Any]) -> str | None:
    """Return the name of a record in the report: its id, its name, its claim, or its two ends and the relation."""
    for keys in (("id",), ("name",), ("claim_id",), ("source_id", "tag", "target_id"), ("from", "relationType", "to")):
        if all(isinstance(record.get(key), str) for key in keys):
            name = " ".join(record[key] for key in keys)
            # A lone surrogate could not be printed, and a report must not tell what may not be stored.
            printable = name[: 4 * _MAX_ID_CHARACTERS].encode(errors="replace").decode()
            return redact(printable, FINDING_KINDS)[0][:_MAX_ID_CHARACTERS]
    return None


def _unwrapped(value: Any) -> Any:
    """Return the record that a line of a file of rejects reports; any other value as it is."""
    if isinstance(value, dict) and value.get("type") == _REJECTED and "record" in value:
        record = value["record"]
        return json.loads(record) if isinstance(record, str) else record  # a text: a line that was no JSON, and is now
    return value
