"""`wherefrom config`: the settings in force and where each comes from; changes of the user's configuration file."""

from __future__ import annotations

import getpass
import re
import sys
from typing import Any, Final

from wherefrom import config, config_file
from wherefrom.api import access_of
from wherefrom.interfaces.cli.cells import rows_table, shown
from wherefrom.interfaces.cli.session import output, print_json, print_parts, reported
from wherefrom.model.errors import InvalidInput, NotFound
from wherefrom.text.check import check_path

_HIDDEN: Final = "(hidden)"
# The password in the URL of a database: before the host, or among the options.
_PASSWORD: Final = re.compile(r"(?<=:)[^/@]*(?=@)|(?<=password=)[^&\s]*", re.IGNORECASE)


def show_settings(*, as_json: bool) -> None:
    """Show each setting with its value and where that comes from; secrets are hidden."""
    with reported(as_json=as_json):
        config.load({})  # a wrong value is named, not shown as if it held
        rows = [(name, _shown(name, found.value), _origin(name, found)) for name, found in config.in_force({}).items()]
        path = config_file.path()
        if as_json:
            listed = [{"setting": name, "value": value, "from": origin} for name, value, origin in rows]
            print_json({"file": str(path), "exists": path.exists(), "settings": listed}, sys.stdout)
            return
        told = ([name, _written(value), origin] for name, value, origin in rows)
        file = f"file: {path}{'' if path.exists() else ' (not there yet)'}"
        print_parts(output(), [rows_table(("setting", "value", "from"), told), shown(file)])


def show_path() -> None:
    """Print the path of the configuration file."""
    with reported(as_json=False):
        print_parts(output(), [shown(str(config_file.path()))])


def set_setting(name: str, value: str) -> None:
    """Write a setting into the configuration file, if all settings together are right with it."""
    with reported(as_json=False):
        if name == "key":
            value = _typed_key(value)
        is_file = name == "db" and value and "://" not in value
        # Whoever reads it may be in another folder.
        checked = config.read_value(name, str(check_path(value)) if is_file else value)
        access_of(config.load({name: checked}, {}))
        path = config_file.path()
        config_file.put(path, name, checked)
        said = f"{name} = {_written(_shown(name, checked))} in {path}"
        found = config.in_force({})[name]
        if found.origin != "file":
            said += f"\n{config.variable_of(name)} is set, too, and holds before it"
        print_parts(output(), [shown(said, lines=True)])


def _typed_key(value: str) -> str:
    """Return the key of a service out of standard input: others can read what stands on a command line."""
    if value != "-":
        raise InvalidInput(
            "a key on the command line can be read by others",
            hint="`wherefrom config set key -` reads it from standard input",
        )
    return getpass.getpass("key: ") if sys.stdin.isatty() else sys.stdin.readline().strip()


def unset_setting(name: str) -> None:
    """Take a setting out of the configuration file."""
    with reported(as_json=False):
        path = config_file.path()
        if not config_file.drop(path, name):
            raise NotFound(f"{path} does not set {name}", hint="`wherefrom config` shows what is set where")
        print_parts(output(), [shown(f"{name} is no longer set in {path}")])


def _shown(name: str, value: Any) -> Any:
    """A value as anybody may see it."""
    setting = next(setting for setting in config.SETTINGS if setting.name == name)
    if not setting.repr and value:
        return _HIDDEN
    if name == "db" and not value:
        return str(config.default_in_force())
    return _PASSWORD.sub("***", value) if name == "db" and "://" in value else value


def _written(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _origin(name: str, found: config.InForce) -> str:
    return f"environment ({config.variable_of(name)})" if found.origin == "environment" else found.origin
