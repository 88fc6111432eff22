"""What `info` and `doctor` tell of a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wherefrom.model.callers import Role
from wherefrom.model.graph import PrivacyMode


@dataclass(frozen=True, slots=True)
class Check:
    """One finding of `doctor`."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Info:
    """The place, the size and the settings of a store, and the role of whoever asks."""

    program_version: str
    database: str
    location: str
    schema_version: int
    owner: str
    root_namespace: str
    default_namespace: str
    embedder: str | None
    privacy: PrivacyMode
    role: Role
    sizes: Mapping[str, int] = field(default_factory=dict)
    engine: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Health:
    """All findings of `doctor`, with the facts they were made on."""

    info: Info
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)


@dataclass(frozen=True, slots=True)
class Distribution:
    """A store on several servers: how many there are, into how many parts each table is cut, and which tables this call
    distributed by owner and copied to every server; none if all were.
    """

    servers: int
    shards: int
    distributed: tuple[str, ...]
    copied: tuple[str, ...]
