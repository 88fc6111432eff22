"""The table of settings, and which are in force; the only reader of the environment."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from platformdirs import user_data_path, user_state_path

from wherefrom import config_file
from wherefrom.former_name import FORMER, NAME, UNTIL, former
from wherefrom.model.errors import InvalidInput, StoreUnavailable, shown
from wherefrom.model.graph import SAVED_CLASSES, BoundaryClass
from wherefrom.model.limits import SEARCH_LIMIT
from wherefrom.model.param import TOOL_SETS
from wherefrom.policy.boundary import DEFAULT_ALLOW

logger = logging.getLogger("wherefrom")

DEFAULT_ROOT: Final = "main"
_FILE: Final = "memory.db"
_MAX_NUMBER: Final = 1e9
# What may stand in the header of a request.
_KEY: Final = re.compile(r"[!-~]*")
# The greatest values of numbers that the service cannot do without.
_MOST: Final = {"http_port": 65_535, "http_workers": 64, "http_threads": 64, "http_timeout_ms": 3_600_000}
_EMBEDDERS: Final = ("static", "endpoint", "sentence-transformers", "none")
# Variables of the former name whose notice this process has already logged.
_noticed: set[str] = set()


Origin = Literal["call", "environment", "file", "default"]
"""Where the value of a setting comes from."""


class InForce(NamedTuple):
    """The value of a setting as it was given, and where it comes from."""

    value: Any
    origin: Origin


def _setting(default: str | float, description: str, *, is_shown: bool = True) -> Any:
    return field(default=default, repr=is_shown, metadata={"description": description})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force, and the table of them. A default is written as in a variable; `load` reads it."""

    db: str = _setting(
        "",
        "Where the memory is: a path, sqlite:///…, postgresql://… or a service's https://…; empty: a per-user folder.",
    )
    key: str = _setting("", "The key for the service that db names, if it wants one.", is_shown=False)
    owner: str = _setting("local", "Whose memory it is; rows of different owners never meet.")
    root: str = _setting(DEFAULT_ROOT, "The namespace that this access may not leave.")
    also: tuple[str, ...] = _setting(
        "", "Further namespaces that this access may read and never write, separated by commas."
    )
    namespace: str = _setting("", "The default namespace inside the root; empty: the root itself.")
    allow: tuple[str, ...] = _setting(
        ",".join(DEFAULT_ALLOW), "Tags that this access holds, separated by commas; they open boundary classes."
    )
    privacy: str = _setting(
        "", "shared: treat a personal memory as a shared one, as a service for others does; empty: as it was chosen."
    )
    tools: tuple[str, ...] = _setting(
        "memory", "Which tools `wherefrom mcp` lists: memory, graph, research, upkeep, joined by commas, or all."
    )
    http_host: str = _setting("127.0.0.1", "The address that `wherefrom serve` listens on.")
    http_port: int = _setting(8391, "The port that `wherefrom serve` listens on.")
    http_hosts: tuple[str, ...] = _setting(
        "", "Further names under which the service is reached, separated by commas; requests to others are refused."
    )
    http_origins: tuple[str, ...] = _setting(
        "", "Origins of pages that may call the service, such as https://app.example.com, separated by commas."
    )
    http_proxies: tuple[str, ...] = _setting(
        "", "Addresses of proxies that say truly for whom they ask, separated by commas."
    )
    http_workers: int = _setting(1, "The processes of the service; as many as there are cores is a good number.")
    http_threads: int = _setting(4, "The verbs that one process of the service runs at once.")
    http_timeout_ms: int = _setting(30_000, "How long a call of the service may take.")
    http_rate: int = _setting(100, "How many calls one caller of the service may make in a second.")
    public_url: str = _setting(
        "", "The address under which clients reach the service, for example https://memory.example.com."
    )
    oidc_issuer: str = _setting("", "The issuer whose tokens let callers into the service, as it writes its own URL.")
    oidc_audience: tuple[str, ...] = _setting(
        "", "For whom tokens must be, separated by commas; empty: for public_url with /mcp after it."
    )
    oidc_claims: str = _setting(
        "owner='oidc:'+sub, role=wherefrom_role",
        "What claims of a token give: owner, root, also, namespace, role, tools, allow, name; quotes mark constants.",
    )
    oidc_scopes: tuple[str, ...] = _setting(
        "", "The scopes for which clients ask the issuer, separated by commas; empty: those that it gives unasked."
    )
    busy_timeout_ms: int = _setting(30_000, "How long a write waits for other writers before it gives up.")
    connect_timeout_ms: int = _setting(
        5_000, "How long to wait for a PostgreSQL server that does not answer, in whole seconds and at least 2."
    )
    pool_size: int = _setting(8, "The most PostgreSQL connections that one process opens.")
    embedder: str = _setting(
        "static",
        "What makes vectors: static (packaged, offline), endpoint (OpenAI-compatible), sentence-transformers, or none.",
    )
    embed_model: str = _setting("", "The model's name, for an endpoint or sentence-transformers.")
    embed_url: str = _setting("", "The endpoint's base URL, for example http://localhost:11434/v1.")
    embed_key: str = _setting("", "The endpoint's key, if it wants one.", is_shown=False)
    embed_timeout_ms: int = _setting(10_000, "How long to wait for the endpoint's answer.")
    embed_classes: tuple[BoundaryClass, ...] = _setting(
        "public,internal", "Boundary classes whose texts may be sent to an endpoint, separated by commas; never secret."
    )
    alpha: float | None = _setting(
        "", "Weight of the vectors in a search, 0 to 1; empty: what the embedder was calibrated to."
    )
    cutoff: str = _setting("off", "Without a limit, how many hits a search gives: off (10), or auto (Kneedle).")
    cutoff_min: int = _setting(3, "The fewest hits that the cut-off leaves.")
    cutoff_max: int = _setting(50, "The most hits that the cut-off looks at.")
    cutoff_sensitivity: float = _setting(1.0, "Kneedle's S: a higher one asks for a sharper knee and leaves more hits.")


SETTINGS: Final = fields(Settings)


def variable_of(setting: str) -> str:
    """Return the environment variable of a setting."""
    return f"WHEREFROM_{setting.upper()}"


def load(given: Mapping[str, object], environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings, checked. The call goes before the environment, that before the user's file and defaults."""
    values = {name: found.value for name, found in in_force(given, environment).items()}
    for name in (setting.name for setting in SETTINGS if _is_list(setting)):
        values[name] = listed(values[name])
    try:
        values["alpha"] = None if values["alpha"] == "" else float(values["alpha"])
    except ValueError:
        raise InvalidInput(f"alpha {shown(values['alpha'])} is not a number from 0 to 1") from None
    settings = Settings(**values)
    _refuse_wrong(settings)
    return settings


def in_force(given: Mapping[str, object], environment: Mapping[str, str] = os.environ) -> dict[str, InForce]:
    """Return for each setting its value, not checked as a whole, and where it comes from."""
    file = from_file(besides={name for name, value in given.items() if value is not None})
    values = {}
    for setting in SETTINGS:
        name = setting.name
        if given.get(name) is not None:
            values[name] = InForce(given[name], "call")
        elif (found := _from_environment(setting, environment)) is not None:
            values[name] = InForce(found, "environment")
        elif name in file:
            values[name] = InForce(file[name], "file")
        else:
            values[name] = InForce(setting.default, "default")
    return values


def from_file(besides: Collection[str] = ()) -> dict[str, Any]:
    """Return the settings of the user's file, by name; raises if it has a key or a type of value that is none. The keys
    `besides` are not looked at: so a wrong one of them can be corrected.
    """
    path = config_file.path()
    values = {}
    for key, value in config_file.read(path).items():
        if key in besides:
            continue
        setting = next((setting for setting in SETTINGS if setting.name == key), None)
        place = f"{path}, line"
        if setting is None:
            raise InvalidInput(
                f"{place} {config_file.line_of(path, key)}: there is no setting {shown(key)}",
                hint=f"`wherefrom config unset {key}` takes it out" if key.isidentifier() else None,
            )
        if (wrong := _wrong_type(setting, value)) is not None:
            raise InvalidInput(
                f"{place} {config_file.line_of(path, key)}: {key} must be {wrong}{_not(setting, value)}",
                hint=f"`wherefrom config unset {key}` takes it out",
            )
        values[key] = tuple(value) if isinstance(value, list) else value
    return values


def read_value(name: str, text: str) -> Any:
    """Return a value for the user's file as a person writes it on the command line; raises if it cannot be one."""
    setting = next((setting for setting in SETTINGS if setting.name == name), None)
    if setting is None:
        raise InvalidInput(f"there is no setting {shown(name)}", hint="`wherefrom config` lists the settings")
    value: Any = text
    if _is_list(setting):
        value = list(listed(text))
    elif isinstance(setting.default, int | float) or (name == "alpha" and text):
        kind = int if isinstance(setting.default, int) else float
        try:
            value = kind(text)
        except ValueError:
            raise InvalidInput(f"{name} must be {_wrong_type(setting, text)}{_not(setting, text)}") from None
    if (wrong := _wrong_type(setting, value)) is not None:
        raise InvalidInput(f"{name} must be {wrong}{_not(setting, text)}")
    load({name: value}, {})
    return tuple(value) if isinstance(value, list) else value


def _not(setting: Field[Any], value: object) -> str:
    """Return the end of a sentence that says what a setting must be: what it is instead, unless that is a secret."""
    return f", not {shown(value)}" if setting.repr else ""


def _is_list(setting: Field[Any]) -> bool:
    return str(setting.type).startswith("tuple")


def _wrong_type(setting: Field[Any], value: object) -> str | None:
    """Return what a setting must be in a file, in words; None if the value is that."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if setting.name == "alpha":
        return None if is_number or value == "" else "a number from 0 to 1"
    if isinstance(setting.default, int | float):
        is_whole = isinstance(setting.default, int)
        allowed = is_number and 0 < value < _MAX_NUMBER and not (is_whole and isinstance(value, float))  # type: ignore[operator]
        return None if allowed else f"a positive {'whole ' * is_whole}number"
    if _is_list(setting):
        words = value if isinstance(value, list) else [value]
        return None if all(isinstance(word, str) for word in words) else "a list of texts"
    return None if isinstance(value, str) else "a text"


def _refuse_wrong(settings: Settings) -> None:
    """Raise an error if a setting has a value that it may not have; those of an access are checked with it."""
    if settings.embedder not in _EMBEDDERS:
        raise InvalidInput(
            f"embedder {shown(settings.embedder)} is not one of {', '.join(_EMBEDDERS)}", hint="set WHEREFROM_EMBEDDER"
        )
    unknown = [name for name in settings.embed_classes if name not in SAVED_CLASSES]
    if unknown:
        raise InvalidInput(f"embed_classes may not hold {shown(unknown[0])}", hint="public, internal or pii")
    sets = [name for name in settings.tools if name not in (*TOOL_SETS, "all")]
    if sets or not settings.tools:
        given = shown(sets[0]) if sets else "an empty list"
        raise InvalidInput(f"{given} is no set of tools", hint=f"{', '.join(TOOL_SETS)} or all, joined by commas")
    if settings.cutoff not in ("auto", "off"):
        raise InvalidInput(f"cutoff {shown(settings.cutoff)} is not auto or off")
    if not settings.cutoff_min <= settings.cutoff_max <= SEARCH_LIMIT:
        raise InvalidInput(f"cutoff_min ≤ cutoff_max ≤ {SEARCH_LIMIT} does not hold")
    if settings.privacy not in ("", "shared"):
        raise InvalidInput(
            f"privacy {shown(settings.privacy)} is not shared or empty",
            hint="`wherefrom privacy personal` makes a memory personal for good",
        )
    for name in ("key", "embed_key"):
        if not _KEY.fullmatch(getattr(settings, name)):  # whoever sends it would say so with the key in the message
            hint = "it may have ASCII characters without spaces and line ends"
            raise InvalidInput(f"{name} has a character that no key has", hint=hint)
    for name, most in _MOST.items():
        least = 0 if name == "http_port" else 1  # a port of 0 is one that is free
        if not least <= getattr(settings, name) <= most:
            value = shown(getattr(settings, name))
            raise InvalidInput(f"{name} {value} is not a whole number from {least} to {most:,}")
    if settings.alpha is not None and not 0 <= settings.alpha <= 1:
        raise InvalidInput(f"alpha {shown(settings.alpha)} is outside 0..1")


def is_service(db: str) -> bool:
    """Return True if a memory's URL is that of a service, and not of a database."""
    return db.lower().startswith(("http://", "https://"))


def listed(given: str | Sequence[str]) -> Sequence[str]:
    """Return a list of words, which may be given as a text with commas."""
    return tuple(word.strip() for word in given.split(",") if word.strip()) if isinstance(given, str) else given


def default_database() -> Path:
    """Return the per-user file, and make its folder for this user alone; or the former file if only that exists."""
    path = default_in_force()
    if path == former_default():
        return path
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"cannot make {path.parent}: {error.strerror}", hint="say where with --db") from None
    return path


def default_in_force() -> Path:
    """Return the path of the per-user file, or of the former file if only that exists; nothing is made."""
    return former_default() if former_default().exists() and not new_default().exists() else new_default()


def missing_default() -> Path | None:
    """Return the path of the per-user file if there is none yet, nor one of the former name; nothing is made."""
    path = new_default()
    return None if path.exists() or former_default().exists() else path


def new_default() -> Path:
    """Return the path of the per-user file; nothing is made."""
    return user_data_path(NAME, appauthor=False) / _FILE


def former_default() -> Path:
    """Return the path that the per-user file had under the program's former name."""
    return user_data_path(FORMER, appauthor=False) / _FILE


def folder_of_program(variable: str, default: str) -> Path:
    """Return the folder of another program's configuration: what its variable names, or one in the user's folder."""
    return Path(os.environ.get(variable) or Path.home() / default).expanduser().absolute()


def has_screen() -> bool:
    """Return True if a window that is opened now is seen by somebody: there is a display, and no CI runs this."""
    shown = sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    return shown and not os.environ.get("CI")


def state_folder() -> Path:
    """Return the per-user folder for what may be lost, such as the last list of a terminal; nothing is made."""
    return user_state_path(NAME, appauthor=False)


def note_on(location: str) -> str | None:
    """Return a remark for the user on where a store lies, if there is one to make."""
    if location != str(former_default()):
        return None
    return f"the store lies under the program's former name, in {location}; `wherefrom move` brings it over"


def _from_environment(setting: Field[Any], environment: Mapping[str, str]) -> str | int | float | None:
    """Return the value of a variable, or of its former name, with one notice a process; None if neither is set."""
    name = variable_of(setting.name)
    if name not in environment:
        name = former(name)
        if name not in environment:
            return None
        if name not in _noticed:
            _noticed.add(name)
            # To standard error, unless somebody configured logging; standard output may be read by a program.
            logger.warning("%s is read until %s; set %s instead", name, UNTIL, variable_of(setting.name))
    if isinstance(setting.default, str):
        return environment[name]
    kind, kind_name = (float, "number") if isinstance(setting.default, float) else (int, "whole number")
    try:
        number = kind(environment[name])
    except ValueError:
        number = -1
    if not 0 < number < _MAX_NUMBER:
        raise InvalidInput(f"{name}={shown(environment[name])} is not a positive {kind_name}")
    return number
