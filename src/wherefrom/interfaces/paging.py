"""Cuts an answer into pages that a client may be sent; a cursor asks for the next one."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final

from wherefrom.interfaces.request_ids import IDS_TOKENS, WEIGHT_BYTES
from wherefrom.model import cursors
from wherefrom.model.errors import InvalidInput
from wherefrom.text.tokens import count_tokens

# The most bytes of one answer on the wire, its text and, if there is one, its structured copy together.
CEILING_BYTES: Final = 40 * 1024
_KIND: Final = "page"
_PLACE: Final = re.compile("(?P<offset>[0-9]{1,9}):(?P<call>[^:]*):(?P<own>.*)", re.DOTALL)
_MIN_TEXT_CHARACTERS: Final = 50
_MAX_TEXT_CHARACTERS: Final = 4_000
_MAX_NAMES: Final = 50
# Texts of an answer itself that may be long.
_LONG: Final = ("error", "redacted")
# What stands on the first page of an answer alone.
_ONCE: Final = ("rules_note", "rules")
_OBJECTS: Final = ("provenance", "metadata", "source", "aliases")


@dataclass(frozen=True, slots=True)
class Place:
    """The beginning of a page: after `offset` entries of what the verb answers to its own `cursor`."""

    cursor: str | None = None
    offset: int = 0
    given: str | None = None
    """The cursor that the caller gave."""


def cursor_of(offset: int, call: str, resumed: str) -> str:
    """Return the cursor of the page after these entries of a call; `resumed` is the verb's own cursor."""
    return cursors.encode(_KIND, f"{offset}:{call}:{resumed}")


def place_of(cursor: str | None, call: str) -> Place:
    """Return the place that a caller's cursor means; a cursor that was not made here is the verb's own."""
    try:
        inside = cursors.decode(cursor, _KIND)
    except InvalidInput:
        return Place(cursor, given=cursor)
    if inside is None:
        return Place()
    parts = _PLACE.fullmatch(inside)
    if parts is None or parts["call"] not in ("", call):
        raise cursors.foreign(cursor)
    return Place(parts["own"] or None, int(parts["offset"]), cursor)


def call_of(tool: str, given: Mapping[str, Any]) -> str:
    """Return a short name of a call, by which a cursor is refused for any other call."""
    try:
        text = json.dumps([tool, given], sort_keys=True, default=str, ensure_ascii=False)
    except ValueError:
        raise InvalidInput("a number is too long") from None
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Scale:
    """Weighs an answer with its ids: 1 is as much as a client may be sent.

    is_structured: the answer has a structured copy beside its text. max_tokens: a caller's own limit.
    """

    is_structured: bool = True
    max_tokens: int | None = None

    def weigh(self, answer: Mapping[str, Any]) -> float:
        """Return the share of the ceiling, or of the caller's limit if that is larger, that an answer takes."""
        text = compact(answer)
        size = len(json.dumps(text, ensure_ascii=False).encode()) + WEIGHT_BYTES
        share = (size + len(text.encode()) * self.is_structured) / CEILING_BYTES
        if self.max_tokens is None:
            return share
        return max(share, (count_tokens(text) + IDS_TOKENS) / self.max_tokens)


def compact(answer: object) -> str:
    """An answer as JSON text."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def fit(
    answer: Mapping[str, Any],
    lists: Sequence[str],
    *,
    place: Place,
    cursor_after: Callable[[int], str | None],
    scale: Scale,
    most: int | None = None,
    mend: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Return the longest page of an answer that fits, from a place on. Its lists (or texts) are paged one by one.

    `most` is how many entries are wanted at most; `mend` puts right what depends on the entries that are shown.
    """
    whole = {name: entries for name in lists if (entries := answer.get(name))}
    total = sum(map(len, whole.values()))
    rest = {name: value for name, value in answer.items() if name not in (*whole, *(_ONCE if place.offset else ()))}
    if place.offset > total or (place.offset == total and place.offset > 0):
        raise cursors.foreign(place.given)

    def page(count: int) -> dict[str, Any]:
        shown: dict[str, Any] = deepcopy(rest)
        skip, left = place.offset, count
        for name, entries in whole.items():
            begin = min(skip, len(entries))
            shown[name] = entries[begin : begin + left]
            skip, left = skip - begin, left - len(shown[name])
        end = place.offset + count
        if end < total:
            shown |= {"next_cursor": cursor_after(end), "truncated": True}
        if mend is not None:
            mend(shown)
        return shown

    count = min(total - place.offset, most or total)
    shown = page(count)
    while (heavy := scale.weigh(shown)) > 1 and count > 1:
        count = max(1, min(count - 1, int(count / heavy)))
        shown = page(count)
    scale = replace(scale, max_tokens=None)  # one entry is shown, however few tokens are wanted
    return shown if scale.weigh(shown) <= 1 else _shortened(shown, scale)


def _shortened(answer: dict[str, Any], scale: Scale) -> dict[str, Any]:
    """One entry is too heavy by itself: its long texts are cut, and if that is not enough, its objects left out."""
    characters = _MAX_TEXT_CHARACTERS
    while scale.weigh(answer) > 1 and characters > _MIN_TEXT_CHARACTERS:
        for holder in list(_objects(answer)):
            for name, value in holder.items():
                if isinstance(value, str) and len(value) > characters and (holder is not answer or name in _LONG):
                    holder[name] = value[:characters]
                    _note_cut(answer, holder, name)
        characters //= 2
    if scale.weigh(answer) > 1:
        for holder in list(_objects(answer)):
            for name in _OBJECTS:
                if holder.get(name):
                    holder[name] = type(holder[name])()
                    _note_cut(answer, holder, name)
    if scale.weigh(answer) > 1:  # even the names of its columns are too long
        for name, value in answer.items():
            if isinstance(value, list) and value:
                answer[name] = [text[:_MIN_TEXT_CHARACTERS] for text in value[:_MAX_NAMES] if isinstance(text, str)]
        answer |= {"row_count": 0} if "row_count" in answer else {}
    return {**answer, "truncated": True}


def _note_cut(answer: dict[str, Any], holder: dict[str, Any], name: str) -> None:
    """Say in the entry, or in the answer, that a field was shortened."""
    told = holder if "cut" in holder else answer
    if "cut" in told and name not in told["cut"]:
        told["cut"] = [*told["cut"], name]


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner)
