"""Opaque cursors: texts that say where the next page of a list starts."""

from __future__ import annotations

import base64
import binascii

from wherefrom.model.errors import InvalidInput, shown


def encode(kind: str, position: object) -> str:
    """Return a cursor for a position in a list of this kind."""
    return base64.urlsafe_b64encode(f"{kind}:{position}".encode()).decode().rstrip("=")


def decode(cursor: str | None, kind: str) -> str | None:
    """Return the position that a cursor of this kind of list holds; None without a cursor."""
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        name, _, position = base64.b64decode(padded, altchars=b"-_", validate=True).decode().partition(":")
    except (binascii.Error, ValueError, TypeError, AttributeError):
        name, position = "", ""
    if name != kind or not position:
        raise foreign(cursor)
    return position


def decode_number(cursor: str | None, kind: str) -> int | None:
    """Return the position that a cursor holds, in a list whose positions are numbers."""
    position = decode(cursor, kind)
    if position is None:
        return None
    if not position.isascii() or not position.isdigit() or len(position) > 18:
        raise foreign(cursor)
    return int(position)


def foreign(cursor: str | None) -> InvalidInput:
    """Return the error for a cursor that this list did not give out."""
    return InvalidInput(f"cursor {shown(cursor)} is not one of this list", hint="pass back next_cursor unchanged")
