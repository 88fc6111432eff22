"""The table of settings; the only reader of the environment."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from wherefrom.former_name import FORMER, NAME, UNTIL, former
from wherefrom.model.errors import InvalidInput, StoreUnavailable, shown
from wherefrom.policy.boundary import DEFAULT_ALLOW

logger = logging.getLogger("wherefrom")

DEFAULT_ROOT: Final = "main"
_FILE: Final = "memory.db"
# Variables of the former name that this process has already spoken of.
_noticed: set[str] = set()


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its environment variable is WHEREFROM_ and its name in capitals."""

    name: str
    default: str | int | float
    description: str

    @property
    def variable(self) -> str:
        return f"WHEREFROM_{self.name.upper()}"

    @property
    def former_variable(self) -> str:
        """Its variable before the program had its present name; read if the present one is not there."""
        return former(self.variable)


SETTINGS: Final = (
    Setting("db", "", "Where the memory is: a path, sqlite:///… or postgresql://…; empty: a per-user data folder."),
    Setting("owner", "local", "Whose memory it is; rows of different owners never meet."),
    Setting("root", DEFAULT_ROOT, "The namespace that this access may not leave."),
    Setting("also", "", "Further namespaces that this access may read and never write, separated by commas."),
    Setting("namespace", "", "The default namespace inside the root; empty: the root itself."),
    Setting(
        "allow",
        ",".join(DEFAULT_ALLOW),
        "Tags that this access holds, separated by commas; they open boundary classes.",
    ),
    Setting(
        "privacy",
        "",
        "shared: treat a personal memory as a shared one, as a service for others does; empty: as it was chosen.",
    ),
    Setting("busy_timeout_ms", 30_000, "How long a write waits for other writers before it gives up."),
    Setting(
        "connect_timeout_ms",
        5_000,
        "How long to wait for a PostgreSQL server that does not answer; its unit is a whole second, from 2.",
    ),
    Setting("pool_size", 8, "The most PostgreSQL connections that one process opens."),
    Setting(
        "embedder",
        "static",
        "What makes vectors: static (packaged, offline), endpoint (OpenAI-compatible), sentence-transformers, or none.",
    ),
    Setting("embed_model", "", "The model's name, for an endpoint or sentence-transformers."),
    Setting("embed_url", "", "The endpoint's base URL, for example http://localhost:11434/v1."),
    Setting("embed_key", "", "The endpoint's key, if it wants one."),
    Setting("embed_timeout_ms", 10_000, "How long to wait for the endpoint's answer."),
    Setting(
        "embed_classes",
        "public,internal",
        "Boundary classes whose texts may be sent to an endpoint, separated by commas; never secret.",
    ),
    Setting("alpha", "", "Weight of the vectors in a search, 0 to 1; empty: what the embedder was calibrated to."),
    Setting("cutoff", "auto", "Without a limit, how many hits a search gives: auto (Kneedle) or off (10)."),
    Setting("cutoff_min", 3, "The fewest hits that the cut-off leaves."),
    Setting("cutoff_max", 50, "The most hits that it looks at."),
    Setting("cutoff_sensitivity", 1.0, "Kneedle's S: higher asks for a sharper knee and leaves more."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force."""

    db: str
    owner: str
    root: str
    also: tuple[str, ...]
    namespace: str
    allow: tuple[str, ...]
    privacy: str
    busy_timeout_ms: int
    connect_timeout_ms: int
    pool_size: int
    embedder: str
    embed_model: str
    embed_url: str
    embed_key: str = field(repr=False)
    embed_timeout_ms: int
    embed_classes: tuple[str, ...]
    alpha: str
    cutoff: str
    cutoff_min: int
    cutoff_max: int
    cutoff_sensitivity: float


def load(given: Mapping[str, object], environment: Mapping[str, str] = os.environ) -> Settings:
    """What the caller gave, else the environment, else the default."""
    values: dict[str, object] = {}
    for setting in SETTINGS:
        value = given.get(setting.name)
        if value is None:
            value = _from_environment(setting, environment)
        values[setting.name] = setting.default if value is None else value
    for name in ("also", "allow", "embed_classes"):
        values[name] = listed(values[name])  # type: ignore[arg-type]  # the table says that they are lists
    return Settings(**values)  # type: ignore[arg-type]  # the table and the class have the same fields


def listed(given: str | Sequence[str]) -> Sequence[str]:
    """What may be given as a list or as a text with commas."""
    return tuple(word.strip() for word in given.split(",") if word.strip()) if isinstance(given, str) else given


def default_database() -> Path:
    """The per-user file, its folder created for this user alone; one of the former name if that is all there is."""
    path = new_default()
    if not path.exists() and former_default().exists():
        return former_default()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"cannot make {path.parent}: {error.strerror}", hint="say where with --db") from None
    return path


def new_default() -> Path:
    """Where the per-user file is, or will be; nothing is made."""
    return user_data_path(NAME, appauthor=False) / _FILE


def former_default() -> Path:
    """Where it was before the program had its present name."""
    return user_data_path(FORMER, appauthor=False) / _FILE


def note_on(location: str) -> str | None:
    """What its user should know about where a store lies."""
    if location != str(former_default()):
        return None
    return f"the store lies under the program's former name, in {location}; `wherefrom move` brings it over"


def _from_environment(setting: Setting, environment: Mapping[str, str]) -> str | int | float | None:
    if setting.variable in environment:
        return _parsed(setting, setting.variable, environment[setting.variable])
    name = setting.former_variable
    if name not in environment:
        return None
    if name not in _noticed:
        _noticed.add(name)
        # To standard error, unless somebody configured logging; standard output may be read by a program.
        logger.warning("%s is read until %s; set %s instead", name, UNTIL, setting.variable)
    return _parsed(setting, name, environment[name])


def _parsed(setting: Setting, variable: str, text: str) -> str | int | float:
    if isinstance(setting.default, str):
        return text
    kind, name = (float, "number") if isinstance(setting.default, float) else (int, "whole number")
    try:
        number = kind(text)
    except ValueError:
        number = -1
    if not 0 < number < 1e9:
        raise InvalidInput(f"{variable}={shown(text)} is not a positive {name}")
    return number
