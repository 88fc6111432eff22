"""What a person sees of keys: a table, or one key with its secret and how to use it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from wherefrom.interfaces.cli.cells import shown, table_of, when
from wherefrom.interfaces.cli.layout import Verbatim
from wherefrom.interfaces.shape import Overlay
from wherefrom.model.identifiers import short_id
from wherefrom.model.keys import Key, Keys, NewKey

Lines = Iterator[RenderableType]


def keys_lines(found: Keys) -> Lines:
    """List keys, the newest first."""
    columns = "id name role root state tools last_used expires"
    yield table_of([_row(key) for key in found.keys], columns, empty="no keys yet: wherefrom key create NAME")


def revoked_lines(key: Key) -> Lines:
    """Say that a key was revoked."""
    yield shown(f"key {short_id(key.id)} of {key.name} is {key.state}: nobody gets in with it any more")


def new_key_lines(made: NewKey) -> Lines:
    """Show the secret of a key, and how it is used."""
    key = made.key
    yield shown(f"key {short_id(key.id)} of {key.name}:")
    yield from _facts(key)
    yield ""
    yield Verbatim(shown(made.secret))
    yield ""
    yield "It is shown this once: only a hash of it is stored. A client of the service sends it in a header:"
    yield Verbatim(shown("Authorization: Bearer wf_…"))
    if made.former_until is not None:
        yield f"the former secret works until {when(made.former_until)} UTC"
    elif key.rotated_at is not None:
        yield "the former secret works no longer"


def _facts(key: Key) -> Lines:
    also = f", reads {', '.join(key.also)}" if key.also else ""
    yield shown(f"  role {key.role} in {key.root}{also}; tools: {', '.join(key.tools)}")
    if key.expires_at is not None:
        yield f"  expires {when(key.expires_at)} UTC"


def _row(key: Key) -> Overlay:
    last_used = "never" if key.last_used_at is None else when(key.last_used_at)[: len("2026-01-31 12:00")]
    expires = "never" if key.expires_at is None else key.expires_at[: len("2026-01-31")]
    shorter = {"id": short_id(key.id), "tools": ", ".join(key.tools), "last_used": last_used, "expires": expires}
    return Overlay(key, shorter)
