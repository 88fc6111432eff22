"""The lines of a file that an import left out: each with its number, its id and the reason."""

from __future__ import annotations

import json
from typing import IO, Any, Final, NamedTuple

from wherefrom.model.errors import WherefromError
from wherefrom.model.results import Rejection

# So many are part of the answer; the file of rejects has them all.
REJECTIONS_SHOWN: Final = 1_000
REJECTED: Final = "rejected"
_ID_CHARACTERS: Final = 200
# What is longer is named in the file of rejects, and not repeated there.
_RECORD_BYTES: Final = 16 * 1024 * 1024


class Place(NamedTuple):
    """Where a line stands in its file."""

    line: int
    offset: int


class Fault(NamedTuple):
    """Why the record of a line was left out."""

    place: Place
    id: str | None
    error: WherefromError


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
        record_id = None if fault.id is None else fault.id[:_ID_CHARACTERS].encode(errors="replace").decode()
        error = fault.error
        reason = f"{error.message} ({error.hint})" if error.hint else error.message
        if len(self._shown) < REJECTIONS_SHOWN:
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
        raw = self._source.readline(_RECORD_BYTES)
        self._source.seek(here)
        if not raw.endswith(b"\n") and len(raw) >= _RECORD_BYTES:
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
