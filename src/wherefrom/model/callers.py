"""Who calls a service: what a key or a token says of its bearer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Role = Literal["read", "write", "admin"]
"""What a caller may do: look; also save, change and delete memos; also change policies, keys and what all have."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The access of whoever calls a service, as a key or a token gives it; no input can widen it.

    name: what `written_by` of a node says of this caller. namespace: the default inside the root; None: the root.
    tools: the sets of tools that it may use; "all" stands for all of them, and for the verbs that have no tool.
    key_id: the key that it came with, or None if it came with a token, or with nothing on loopback.
    """

    name: str | None
    owner: str
    root: str
    also: tuple[str, ...] = ()
    namespace: str | None = None
    allow: tuple[str, ...] = ()
    role: Role = "write"
    tools: tuple[str, ...] = ("all",)
    key_id: str | None = None

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells one caller from another, whatever else their keys say."""
        return (self.key_id,) if self.key_id else (self.owner, self.name or "")

    def may(self, role: Role) -> bool:
        """Return True if it may do what this role may."""
        return has_role(self.role, role)


def has_role(held: Role, needed: Role) -> bool:
    """Return True if who has a role may do what needs another one: the later roles include the earlier."""
    return ROLES.index(held) >= ROLES.index(needed)
