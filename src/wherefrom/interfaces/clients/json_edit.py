"""Edits of a JSON text that leave everything else as it is, byte for byte: order, layout, comments, trailing commas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from wherefrom.interfaces.clients.edits import Edit, Fault

Path = Sequence[str | int]

_GAP: Final = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN: Final = re.compile(r"[-+.\w]+")
_DECODER: Final = json.JSONDecoder(strict=False)
_MAX_DEPTH: Final = 200


@dataclass(frozen=True, slots=True)
class Value:
    """A value and where it stands in the text."""

    start: int
    end: int
    plain: Any
    """What it says, as Python."""
    parts: tuple[Part, ...] = ()
    """The members of an object or the elements of a list."""


@dataclass(frozen=True, slots=True)
class Part:
    """A member of an object, or an element of a list."""

    key: str | int
    start: int
    value: Value
    comma: int | None
    """Where the comma behind it stands."""


@lru_cache(maxsize=2)  # an edit looks at its text several times; to read 1 MB takes 0.4 s
def parse(text: str) -> Value:
    """Read a text as JSON that may have comments and trailing commas; an empty one is an empty object."""
    if not _rest(text, 0):
        return Value(0, len(text), {})
    value = _value(text, _gap(text, 0), 0)
    if _rest(text, value.end):
        raise _fault(text, _gap(text, value.end), "there is something behind the end")
    return value


def put(text: str, path: Path, value: Any) -> Edit | None:
    """Give what a path leads to this value, and make the objects on the way that are missing. None if it has it."""
    here, eol = parse(text), _eol(text)
    if not _rest(text, 0):
        return Edit(len(text), "", _laid_out(_nested(path, value), "", "  ", eol) + eol)
    for number, key in enumerate(path):
        part = _part(here, key)
        if part is None:
            if not isinstance(here.plain, dict):
                raise _fault(text, here.start, "this is not an object")
            return _inserted(text, here, key, _nested(path[number + 1 :], value))
        here = part.value
    if here.plain == value:
        return None
    line = text[text.rfind("\n", 0, here.start) + 1 : here.start]
    indent = line[: len(line) - len(line.lstrip())]
    return Edit(here.start, text[here.start : here.end], _laid_out(value, indent, _unit(text), eol))


def put_first(text: str, path: Path, element: Any) -> Edit | None:
    """Put an element at the beginning of the list that a path leads to; the list is made if it is missing."""
    found = at(text, path)
    if found is None:
        return put(text, path, [element])
    if not isinstance(found.plain, list):
        raise _fault(text, found.start, "this is not a list")
    return _inserted(text, found, None, element)


def remove(text: str, path: Path) -> Edit | None:
    """Take out what a path leads to, with every object or list that would be left empty. None if it is not there."""
    chain = [parse(text)]
    for key in path:
        part = _part(chain[-1], key)
        if part is None:
            return None
        chain.append(part.value)
    depth = len(path) - 1
    while depth > 0 and len(chain[depth].parts) == 1 and not _has_comment(text, chain[depth]):
        depth -= 1
    return _removed(text, chain[depth], path[depth])


def at(text: str, path: Path) -> Value | None:
    """Return what a path leads to; None if there is nothing."""
    here = parse(text)
    for key in path:
        part = _part(here, key)
        if part is None:
            return None
        here = part.value
    return here


def _part(container: Value, key: str | int) -> Part | None:
    """Return the part of this name; of two with one name the last counts, as every reader of JSON has it."""
    return next((part for part in reversed(container.parts) if part.key == key), None)


def _inserted(text: str, container: Value, key: str | int | None, value: Any) -> Edit:
    """Put a new part first: then no line that was there changes."""
    eol, unit, first = _eol(text), _unit(text), container.start + 1
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
    outer = line[: len(line) - len(line.lstrip())]
    if not container.parts:
        closing = text[first : container.end - 1]
        inner = f"{eol}{outer}{unit}{name}{_laid_out(value, outer + unit, unit, eol)}"
        return Edit(first, "", inner if "\n" in closing else f"{inner}{eol}{outer}")
    start = container.parts[0].start
    lead = text[first:start].rpartition("\n")
    if not lead[1]:
        return Edit(start, "", f"{name}{json.dumps(value, ensure_ascii=False)}, ")
    indent = lead[2] if lead[2].isspace() else outer + unit
    return Edit(first, "", f"{eol}{indent}{name}{_laid_out(value, indent, unit, eol)},")


def _removed(text: str, container: Value, key: str | int) -> Edit:
    number, part = [each for each in enumerate(container.parts) if each[1].key == key][-1]
    before = container.parts[number - 1].comma if number else container.start
    assert before is not None
    lead = len(text[before + 1 : part.start].rstrip()) + before + 1
    if part.comma is None:
        kept = text[before + 1 : lead]
        start = before if number else lead
        return Edit(start, text[start : part.value.end], kept if number else "")
    start, end = lead, part.comma + 1
    if "\n" not in text[lead : part.start]:
        start, end = part.start, end + text.startswith(" ", end)
    return Edit(start, text[start:end], "")


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _laid_out(value: Any, indent: str, unit: str, eol: str) -> str:
    """Write a value: an object with a line for each member, a list on one line."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    members = (f"{json.dumps(key)}: {_laid_out(each, indent + unit, unit, eol)}" for key, each in value.items())
    inner = f",{eol}{indent}{unit}".join(members)
    return f"{{{eol}{indent}{unit}{inner}{eol}{indent}}}"


def _unit(text: str) -> str:
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _has_comment(text: str, container: Value) -> bool:
    """Return whether a comment stands directly in an object or list."""
    gaps = [container.start + 1]
    for part in container.parts:
        if "//" in text[gaps[-1] : part.start] or "/*" in text[gaps[-1] : part.start]:
            return True
        gaps.append(part.value.end)
    return "/" in text[gaps[-1] : container.end - 1]


def _gap(text: str, position: int) -> int:
    """Return where spaces and comments end."""
    found = _GAP.match(text, position)
    assert found is not None
    return found.end()


def _rest(text: str, position: int) -> str:
    return text[_gap(text, position) :]


def _value(text: str, start: int, depth: int) -> Value:
    first = text[start : start + 1]
    if first in ("{", "["):
        if depth == _MAX_DEPTH:
            raise _fault(text, start, "it is nested too deeply")
        parts = tuple(_parts(text, start, depth))
        end = _gap(text, (parts[-1].comma or parts[-1].value.end - 1) + 1 if parts else start + 1) + 1
        plain = {part.key: part.value.plain for part in parts} if first == "{" else [part.value.plain for part in parts]
        return Value(start, end, plain, parts)
    found = (_STRING if first == '"' else _PLAIN).match(text, start)
    try:
        if found:
            return Value(start, found.end(), _DECODER.decode(found[0]))
    except ValueError:
        pass
    raise _fault(text, start, "a value is expected here")


def _parts(text: str, start: int, depth: int) -> Iterator[Part]:
    closing = "}" if text[start] == "{" else "]"
    position, number = _gap(text, start + 1), 0
    while text[position : position + 1] != closing:
        key, begin = number, position
        if closing == "}":
            key, position = _key(text, position)
        value = _value(text, position, depth + 1)
        position = _gap(text, value.end)
        comma = position if text[position : position + 1] == "," else None
        if comma is None and text[position : position + 1] != closing:
            raise _fault(text, position, f"a comma or {closing} is expected here")
        yield Part(key, begin, value, comma)
        position, number = position if comma is None else _gap(text, position + 1), number + 1


def _key(text: str, start: int) -> tuple[Any, int]:
    """Return a key, and where its value begins."""
    found = _STRING.match(text, start)
    colon = _gap(text, found.end()) if found else start
    if not found or text[colon : colon + 1] != ":":
        raise _fault(text, start, "a name in quotes and a colon are expected here")
    return _DECODER.decode(found[0]), _gap(text, colon + 1)


def _fault(text: str, position: int, what: str) -> Fault:
    return Fault(text.count("\n", 0, position) + 1, what)
