"""Edits of one table in a TOML text that leave everything else as it is. Each is checked by reading both texts."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from wherefrom.interfaces.clients.edits import Edit, Fault

_HEADER: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)


def parse(text: str) -> dict[str, Any]:
    """Read a text as TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise Fault(int(line[1]) if line else text.count("\n") + 1, str(error)) from None


def put(text: str, path: Sequence[str], values: Mapping[str, Any]) -> Edit | None:
    """Give the keys of a table these values, and make the table at the end if it is missing. None if it has them."""
    table = _table(parse(text), path)
    if table is not None and all(table.get(key) == value for key, value in values.items()):
        return None
    eol = "\r\n" if "\r\n" in text else "\n"
    lines = {key: f"{key} = {_written(value)}" for key, value in values.items()}
    if table is None:
        block = eol.join([f"[{'.'.join(path)}]", *lines.values()]) + eol
        end = "" if not text or text.endswith("\n") else eol
        edit = Edit(len(text), "", f"{end}{eol if text.strip() else ''}{block}")
    else:
        start, end_ = _block(text, path)
        block = text[start:end_]
        for key, line in lines.items():
            pattern = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=.*?(?=\r?$)", re.MULTILINE)
            changed, number = pattern.subn(lambda _, line=line: line, block, count=1)  # type: ignore[misc]
            block = changed if number else f"{block.rstrip()}{eol}{line}{block[len(block.rstrip()) :]}"
        edit = Edit(start, text[start:end_], block)
    return _checked(text, edit, path, {**(table or {}), **values})


def remove(text: str, path: Sequence[str]) -> Edit | None:
    """Take a table out, with the tables inside of it. None if it is not there."""
    if _table(parse(text), path) is None:
        return None
    start, end = _block(text, path)
    before = text[:start]
    if not text[end:].strip() and before.endswith(("\n\n", "\n\r\n")):
        start -= 2 if before.endswith("\r\n") else 1
    return _checked(text, Edit(start, text[start:end], ""), path, None)


def _table(value: Any, path: Sequence[str]) -> dict[str, Any] | None:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _block(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Return where a table begins and ends, with those inside of it; comments before the next one belong to that."""
    name = r"[ \t]*\.[ \t]*".join(rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in path)
    ours = re.compile(rf"^[ \t]*\[[ \t]*{name}[ \t]*[\].]", re.MULTILINE)
    first = ours.search(text)
    if first is None:
        return 0, 0
    end = next(
        (other.start() for other in _HEADER.finditer(text, first.end()) if not ours.match(text, other.start())), None
    )
    block = text[first.start() : end]
    lines = block.splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return first.start(), first.start() + len("".join(lines))


def _checked(text: str, edit: Edit, path: Sequence[str], table: Mapping[str, Any] | None) -> Edit:
    """Return the edit if the new text says what the old one says, but for this table; else raise a fault."""
    wanted = parse(text)
    here = wanted
    for key in path[:-1]:
        here = here.setdefault(key, {})
        if not isinstance(here, dict):
            raise Fault(1, f"{key} is not a table")
    here.pop(path[-1], None)
    if table is not None:
        here[path[-1]] = table
    try:
        found = tomllib.loads(edit.applied(text))
    except tomllib.TOMLDecodeError:
        found = {}
    if _without_empty(found) != _without_empty(wanted):
        line = text.count("\n", 0, edit.position) + 1
        raise Fault(line, f"{'.'.join(path)} is written in a way that is not changed here; please edit it by hand")
    return edit


def _without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {key: _without_empty(each) for key, each in value.items()}
    return {key: each for key, each in inner.items() if each != {}}


def _written(value: Any) -> str:
    """Write a text, a number or a list of texts; of JSON's forms these are TOML, too, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
