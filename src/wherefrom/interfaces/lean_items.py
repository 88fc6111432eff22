"""Makes a lean item of a search or a context fit into its bytes: what it has beside its text, and why it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from wherefrom.model.sources import cut_to_bytes
from wherefrom.text.check import json_text

# The bytes that an item of a search or a context may have beside its text; its source may have some of them.
_ITEM_BYTES: Final = 110
# Some of them are kept for the beginning of a reason, and a source is not cut to less than this for it.
_MAX_RESERVED_BYTES: Final = 32
_MIN_SOURCE_BYTES: Final = 12
# Keys that are not counted there, because they were asked for.
_BESIDES: Final = ("scores", "factors", "features", "figures")
# Keys with several ids, of which the lean form has at most this many, and the number of the others.
_MANY_IDS: Final = ("replaces", "disputed_by")
_MAX_IDS: Final = 2
# How an item is made to fit, one form after the other: with so many ids, with its date, with a reason.
_FORMS: Final = (
    (_MAX_IDS, True, True), (_MAX_IDS, False, True), (_MAX_IDS, True, False), (_MAX_IDS, False, False),
    (1, False, False), (0, False, False),
)  # fmt: skip
# What stands between the parts of a reason.
_JOINTS: Final = ("; ", " and ", ", ")


def fitted(item: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """Return an item with as much of its reason as fits, and its text at the end."""
    lean = _reduced(item, _beginning(reason))
    text = {"content": lean.pop("content")}
    said = _fitting(reason, _ITEM_BYTES - _frame_bytes(lean, ""))
    return {**lean, **({"reason": said} if said else {}), **text}


def _reduced(item: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """Return an item that fits, with room for this reason if there can be any: with a shorter source, or without who
    wrote it, how relevant it is, a date, some ids or its speaker. The first form that fits is taken, so a reason goes
    before an id.
    """
    lean: dict[str, Any] = {}
    for ids, dated, reasoned in _FORMS:
        lean = {name: _few(inner, ids) if name in _MANY_IDS else inner for name, inner in item.items()}
        if not dated and ("source" in lean or not reasoned):
            lean.pop("date", None)
        if not ids:
            lean.pop("held_until", None)
        told = reason if reasoned and reason else None
        excess = _frame_bytes(lean, told) - _ITEM_BYTES
        if excess > 0 and "source" in lean:
            size = len(lean["source"].encode())
            lean["source"] = cut_to_bytes(lean["source"], max(size - excess, min(size, _MIN_SOURCE_BYTES)))
            excess = _frame_bytes(lean, told) - _ITEM_BYTES
        if excess > 0 and lean.pop("written_by", None):
            excess = _frame_bytes(lean, told) - _ITEM_BYTES
        if excess > 0 and lean.pop("relevance", None):
            excess = _frame_bytes(lean, told) - _ITEM_BYTES
        if excess > 0 and not reasoned and not ids and lean.pop("speaker", None):
            excess = _frame_bytes(lean, told) - _ITEM_BYTES
        if excess <= 0:
            break
    return lean


def _few(ids: Sequence[str], most: int) -> list[str]:
    """Return some of these ids, and how many others there are."""
    rest = len(ids) - most
    return list(ids) if rest <= 0 else [*ids[:most], f"+{rest} more" if most else f"{rest}"]


def _frame_bytes(item: Mapping[str, Any], reason: str | None) -> int:
    """Return how many bytes an item has beside its text and its title, with this reason and the comma behind it."""
    plain = {name: "" if name == "title" else inner for name, inner in item.items() if name not in _BESIDES}
    told = {} if reason is None else {"reason": reason}
    return len(json_text({**plain, **told, "content": ""}).encode()) + len(",")


def _beginning(reason: str) -> str:
    """Return the first words of a reason that say something; nothing if they are long."""
    first = min((reason.partition(joint)[0] for joint in _JOINTS), key=len)
    return first if len(first.encode()) <= _MAX_RESERVED_BYTES else ""


def _fitting(reason: str, room: int) -> str:
    """Return as many clauses of a reason as fit into some bytes, and of the first as many words."""
    while reason and len(reason.encode()) > room:
        border = max(reason.rfind(joint) for joint in _JOINTS)
        reason = reason[: max(border, 0)]
    return reason
