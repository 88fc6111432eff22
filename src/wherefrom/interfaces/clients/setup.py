"""`wherefrom setup`: shows what it would write into a program's configuration, asks, writes, and takes it out again."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import typer

from wherefrom import config
from wherefrom.interfaces.cli import cells
from wherefrom.interfaces.cli.session import reported
from wherefrom.interfaces.clients import json_edit, toml_edit
from wherefrom.interfaces.clients.config_files import ConfigFile
from wherefrom.interfaces.clients.hooks import access_parser
from wherefrom.interfaces.clients.table import CLIENTS, HOOKS, SERVER, Client, Scope
from wherefrom.model.errors import Conflict, InvalidInput, shown
from wherefrom.text.check import check_path

_OUR_HOOK: Final = re.compile(rf"wherefrom(\.exe)?['\"]? hook ({'|'.join(HOOKS.values())})\b")
# In the address of a database.
_PASSWORD: Final = re.compile(r"://[^/@\s]*:[^@\s]+@|[?&]password=", re.IGNORECASE)
_HOOK_TIMEOUT_S: Final = 2
# For one event; each that is taken out reads the whole file again.
_MAX_HOOKS: Final = 50
_START_S: Final = 60


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """A request to set up a client, or to undo that."""

    client: str
    scope: Scope
    options: Sequence[str]
    """Those for `wherefrom mcp`."""
    remove: bool
    hooks: bool
    yes: bool
    only_show: bool


def run_setup(request: SetupRequest) -> None:
    """Show what changes in a client's configuration, and write it if that is wanted."""
    with reported(as_json=False):
        client = _client(request)
        files = _files(client, request.scope)
        access, others = _server_options(request.options)
        if request.scope == "project" and not request.remove and any(map(_PASSWORD.search, access)):
            hint = "set WHEREFROM_DB where the client is started, or leave --scope project out"
            raise InvalidInput("a database password would stand in a file of the project", hint=hint)
        server = [*_program(), "mcp", *access, *others]
        _plan_server(client, files[0], None if request.remove else server)
        if len(files) > 1:
            wanted = request.hooks and not request.remove
            _plan_hooks(files[1], [*_program(), "hook"] if wanted else None, access)
        changed = [file for file in files if file.planned]
        if not changed:
            for line in _unchanged(client, files, remove=request.remove):
                typer.echo(line)
            return
        if not request.remove:
            _refuse_if_it_does_not_start(server)
        for line in _announced(changed, access):
            typer.echo(line)
        if _agreed(request):
            for file in changed:
                file.write()
                typer.echo(f"{'written' if file.path.exists() else 'deleted'}: {file.path}")
            if not request.remove:
                typer.echo(client.then)


def _client(request: SetupRequest) -> Client:
    client = CLIENTS.get(request.client)
    if client is None:
        raise InvalidInput(f"{shown(request.client)} is no client that is known", hint=f"one of {', '.join(CLIENTS)}")
    if request.scope not in ("user", "project"):
        raise InvalidInput(f"scope {shown(request.scope)} is not user or project")
    if request.scope == "project" and client.project_file is None:
        raise InvalidInput(f"{client.title} has no configuration of a project", hint="leave --scope out")
    return client


def _files(client: Client, scope: Scope) -> list[ConfigFile]:
    """Return the file with the servers, and the one with the hooks if the client has hooks."""
    if scope == "user":
        paths = [client.user_file(), *([client.user_hooks()] if client.user_hooks else [])]
    else:
        named = [client.project_file or "", *([client.project_hooks] if client.project_hooks else [])]
        paths = [Path.cwd() / name for name in named]
        if led := [path for path in paths if not path.resolve().is_relative_to(Path.cwd().resolve())]:
            raise InvalidInput(
                f"{shown(str(led[0]))} leads out of the project", hint="it is a link; nothing was written"
            )
    return [ConfigFile(path, is_shared=scope == "project") for path in paths]


def _program() -> list[str]:
    """Return how to start this program from anywhere: the script of this environment, or its interpreter."""
    script = Path(sys.executable).with_name("wherefrom.exe" if sys.platform == "win32" else "wherefrom")
    return [str(script.absolute())] if script.exists() else [sys.executable, "-m", "wherefrom"]


def _server_options(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options that choose the memory, and the others. What the environment chooses is written down, because
    a client that is not started from this shell does not have it; a path becomes absolute.
    """
    known, others = access_parser(prog="wherefrom setup", add_help=False).parse_known_args(given)
    settings, defaults = config.load({}), config.load({}, {})
    access: list[str] = []
    for name, value in vars(known).items():
        if value is None and getattr(settings, name) != getattr(defaults, name):
            value = getattr(settings, name)
        for each in [value] if isinstance(value, str) else value or ():
            access += [f"--{name}", _absolute(each) if name == "db" else each]
    return access, others


def _absolute(url: str) -> str:
    scheme, separator, rest = url.partition(":///")
    if not separator and "://" not in url:
        return str(check_path(url).absolute())
    return f"sqlite:///{check_path(rest).absolute()}" if separator and scheme == "sqlite" else url


def _plan_server(client: Client, file: ConfigFile, server: Sequence[str] | None) -> None:
    """Plan the entry of our server with this command line, or without one that it goes. What else an entry has stays in
    a file of the user, and is named. One of a project may come from anybody, with an `env` that leads texts elsewhere:
    there the entry is replaced.
    """
    path, editing = [client.servers, SERVER], toml_edit if client.is_toml else json_edit
    found = _entry(client, file)
    if found is not None and not _is_ours(found):
        if server is None:
            return
        raise Conflict(
            f"{file.path} has another server that is called {SERVER}", hint="rename it or take it out, then try again"
        )
    if server is None:
        file.edit(lambda text: editing.remove(text, path))
        return
    kind = {"type": "stdio"} if client.says_stdio else {}
    entry = {**kind, "command": server[0], "args": list(server[1:])}
    if found is not None and not file.is_shared:
        file.keep(f"the entry {SERVER}", _besides(found, entry))
    if client.is_toml:
        if file.is_shared and found != entry:
            file.edit(lambda text: toml_edit.remove(text, path))
        file.edit(lambda text: toml_edit.put(text, path, entry))
    elif found is None or file.is_shared:
        file.edit(lambda text: json_edit.put(text, path, entry))
    else:
        for key, value in entry.items():
            file.edit(partial(json_edit.put, path=[*path, key], value=value))


def _besides(found: Mapping[str, Any], written: Mapping[str, Any]) -> list[str]:
    """Return the names of what an object has beside what is written into it; values may be secrets."""
    inner = {key: ", ".join(value) for key, value in found.items() if isinstance(value, dict)}
    return [f"{key} ({inner[key]})" if inner.get(key) else key for key in found if key not in written]


def _entry(client: Client, file: ConfigFile) -> Any:
    """Return the entry that has our name; None if there is none."""
    whole = file.look(toml_edit.parse if client.is_toml else lambda text: json_edit.parse(text).plain)
    servers = whole.get(client.servers, {}) if isinstance(whole, dict) else None
    if not isinstance(servers, dict):
        raise InvalidInput(f"{file.path} cannot be changed: {client.servers} is no object", hint="nothing was written")
    return servers.get(SERVER)


def _is_ours(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("command"), str) and "mcp" in _list(entry.get("args"))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _plan_hooks(file: ConfigFile, command: Sequence[str] | None, access: Sequence[str]) -> None:
    """Plan one hook for each event with this command, or without one that ours go."""
    for event, hook in reversed(HOOKS.items()):
        wanted = None if command is None else shlex.join([*command, hook, *access])
        ours = _our_hooks(file, event)
        if len(ours) > _MAX_HOOKS:
            raise InvalidInput(
                f"{file.path} has {len(ours):,} hooks of ours for {event}", hint="take them out by hand, then try again"
            )
        for path in ours[1 if wanted else 0 :][::-1]:
            file.edit(partial(json_edit.remove, path=path))
        if wanted is None:
            continue
        entry = {"type": "command", "command": wanted, "timeout": _HOOK_TIMEOUT_S}
        if not ours:
            file.edit(partial(json_edit.put_first, path=["hooks", event], element={"hooks": [entry]}))
        elif file.is_shared:
            file.edit(partial(json_edit.put, path=ours[0], value=entry))
        else:
            found = file.look(partial(json_edit.at, path=ours[0]))
            file.keep(f"the hook of {event}", _besides(found.plain if found else {}, entry))
            file.edit(partial(json_edit.put, path=[*ours[0], "command"], value=wanted))


def _our_hooks(file: ConfigFile, event: str) -> list[list[str | int]]:
    """Return where hooks of ours stand for an event."""
    groups = file.look(lambda text: json_edit.at(text, ["hooks", event]))
    return [
        ["hooks", event, group.key, inner.key, hook.key]
        for group in (groups.parts if groups else ())
        for inner in group.value.parts
        if inner.key == "hooks"
        for hook in inner.value.parts
        if isinstance(hook.value.plain, dict) and _OUR_HOOK.search(str(hook.value.plain.get("command")))
    ]


def _refuse_if_it_does_not_start(server: Sequence[str]) -> None:
    """Start the server as the client will, with no input: it ends at once, unless its options are wrong."""
    try:
        ended = subprocess.run(server, stdin=subprocess.DEVNULL, capture_output=True, timeout=_START_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidInput(f"the server does not start: {error}", hint="nothing was written") from None
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InvalidInput(f"the server does not start: {said}", hint="see `wherefrom mcp --help`; nothing was written")


def _announced(files: Sequence[ConfigFile], access: Sequence[str]) -> Iterator[str]:
    for file in files:
        yield from (cells.shown(line).plain for line in file.lines())
    if any(map(_PASSWORD.search, access)):
        yield "The address of the database holds a password, which will stand there as it is; WHEREFROM_DB can hold it."


def _unchanged(client: Client, files: Sequence[ConfigFile], *, remove: bool) -> Iterator[str]:
    said = "there is nothing of ours in" if remove else "all is as it should be in"
    yield f"{client.title}: {said} {' and '.join(str(file.path) for file in files)}"
    yield from (cells.shown(line).plain for file in files for line in file.kept)


def _agreed(request: SetupRequest) -> bool:
    if request.only_show:
        return False
    if request.yes:
        return True
    if sys.stdin.isatty() and sys.stdout.isatty():
        if typer.confirm("Take this out?" if request.remove else "Write this?", default=True):
            return True
        typer.echo("nothing was written")
        return False
    raise InvalidInput(
        "nothing was written: this is no terminal to ask on", hint="--yes writes it, --print only shows it"
    )
