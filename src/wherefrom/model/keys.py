"""Keys of a service: what each lets its bearer do. The secret of a key is shown once and is no part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from wherefrom.model.callers import Role
from wherefrom.model.param import Param

KeyState = Literal["active", "expired", "revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, without its secret. Times are UTC, ISO-8601."""

    id: str
    name: Annotated[str, Param("What `written_by` says of what is written with it.")]
    state: Annotated[KeyState, Param("Whether it lets its bearer in now.")]
    role: Annotated[Role, Param("read: look; write: also save and delete; admin: also policies, imports and keys.")]
    root: Annotated[str, Param("The namespace that its bearer may not leave.")]
    also: Annotated[tuple[str, ...], Param("Further namespaces that it may read, of those that you may read.")] = ()
    namespace: Annotated[str | None, Param("The default inside the root; null: the root.")] = None
    allow: Annotated[tuple[str, ...], Param("Its tags, which open boundary classes.")] = ()
    tools: Annotated[tuple[str, ...], Param("The sets of tools that it may use.")] = ("all",)
    created_at: str = ""
    created_by: Annotated[str | None, Param("The key that made it; null: it was made without one.")] = None
    rotated_at: str | None = None
    expires_at: str | None = None
    revoked_at: str | None = None
    last_used_at: Annotated[str | None, Param("Its last use, to a minute.")] = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was made or rotated, with its secret, which nobody can read again."""

    key: Key
    secret: Annotated[str, Param("Shown this once; a client sends it as `Authorization: Bearer …`.")]
    former_until: Annotated[str | None, Param("Until when the former secret works, too.")] = None


@dataclass(frozen=True, slots=True)
class Keys:
    """Some keys, the newest first."""

    keys: tuple[Key, ...]
    next_cursor: str | None = None
