"""JSON that a page shows, compared with an answer: `…` stands for further keys, further items, or any value."""

from __future__ import annotations

import json
import re
from typing import Any

from shown_for_tests import ELLIPSIS, Likeness, aligned, alike_line

_WIDTH = 120
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|…|[{}\[\],:]', re.DOTALL)


def read(text: str) -> Any:
    """A JSON text in which `…` may stand for anything, as `"…"`, or in an object as the key `"…"`."""
    inside, before, result, at = [], "", "", 0
    for found in _PART.finditer(text):
        part = found[0]
        result += text[at : found.start()]
        if part == ELLIPSIS:
            is_key = inside and inside[-1] == "{" and before in "{,"
            result += f'"{ELLIPSIS}": 0' if is_key else f'"{ELLIPSIS}"'
        else:
            result += part
        if part in "{[":
            inside.append(part)
        elif part in "}]":
            inside.pop()
        before, at = part, found.end()
    return json.loads(result + text[at:])


def alike(shown: Any, given: Any, known: Likeness) -> Likeness | None:
    """What is known after this value, or None if it differs."""
    after: Likeness | None = known
    if shown == ELLIPSIS:
        return known
    if isinstance(shown, str) and isinstance(given, str):
        return alike_line(shown, given, known)
    if isinstance(shown, dict) and isinstance(given, dict):
        rest = {key for key in given if key not in shown}
        if (rest and ELLIPSIS not in shown) or shown.keys() - given.keys() - {ELLIPSIS}:
            return None
        for key in shown.keys() - {ELLIPSIS, "elapsed_ms"}:
            after = after and alike(shown[key], given[key], after)
        return after
    if isinstance(shown, list) and isinstance(given, list):
        items = [each for each in shown if each != ELLIPSIS]
        if len(items) > len(given) or (len(items) < len(given) and len(items) == len(shown)):
            return None
        for one, other in zip(items, given, strict=False):
            after = after and alike(one, other, after)
        return after
    if isinstance(shown, float) and isinstance(given, int | float):
        return known if abs(shown - given) <= 1e-4 else None
    return known if type(shown) is type(given) and shown == given else None


def bound(shown: Any, given: Any, known: Likeness) -> Likeness:
    """What is known after an answer that differs: ids and days that stand at the same place are the same."""
    if isinstance(shown, str) and isinstance(given, str):
        return aligned([shown], [given], known)
    if isinstance(shown, dict) and isinstance(given, dict):
        for key in shown.keys() & given.keys():
            known = bound(shown[key], given[key], known)
    if isinstance(shown, list) and isinstance(given, list):
        for one, other in zip(shown, given, strict=False):
            known = bound(one, other, known)
    return known


def shortened(shown: Any, given: Any) -> Any:
    """An answer, left out where the page leaves out."""
    if shown == ELLIPSIS:
        return ELLIPSIS
    if isinstance(shown, str) and isinstance(given, str) and ELLIPSIS in shown:
        return shown if alike_line(shown, given, Likeness()) else given
    if isinstance(shown, dict) and isinstance(given, dict):
        if ELLIPSIS not in shown:
            return {key: shortened(shown.get(key), value) for key, value in given.items()}
        kept = {key: shortened(value, given[key]) for key, value in shown.items() if key in given}
        return {**kept, ELLIPSIS: 0} if given.keys() - kept.keys() else kept
    if isinstance(shown, list) and isinstance(given, list) and ELLIPSIS in shown:
        items = [each for each in shown if each != ELLIPSIS]
        kept_items = [shortened(one, other) for one, other in zip(items, given, strict=False)]
        return [*kept_items, ELLIPSIS] if len(given) > len(items) else kept_items
    if isinstance(shown, list) and isinstance(given, list):
        return [shortened(shown[at] if at < len(shown) else None, each) for at, each in enumerate(given)]
    return given


def written(value: Any, indent: int = 0, taken: int = 0) -> str:
    """A value as a page shows it: on a line where it fits, `taken` characters of which are taken."""
    flat = _flat(value)
    if indent + taken + len(flat) <= _WIDTH or not isinstance(value, dict | list):
        return flat
    if isinstance(value, dict):
        parts = []
        for key, each in value.items():
            name = f"{json.dumps(key, ensure_ascii=False)}: "
            parts.append(ELLIPSIS if key == ELLIPSIS else name + written(each, indent + 1, len(name) + 1))
    else:
        parts = [written(each, indent + 1, 1) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines: list[str] = []
    for part in parts:
        whole = "\n" not in part and lines and "\n" not in lines[-1]
        if whole and indent + 1 + len(lines[-1]) + 2 + len(part) + 1 <= _WIDTH:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return opening + f",\n{' ' * (indent + 1)}".join(lines) + closing


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        parts = (
            ELLIPSIS if key == ELLIPSIS else f"{json.dumps(key, ensure_ascii=False)}: {_flat(each)}"
            for key, each in value.items()
        )
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return ELLIPSIS if value == ELLIPSIS else json.dumps(value, ensure_ascii=False)
