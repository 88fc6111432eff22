"""The user's configuration file: TOML with one key for each setting, read when it has changed, and edited so that its
comments stay. Which settings there are, and what they may be, `config` knows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from platformdirs import user_config_path

from wherefrom.former_name import NAME
from wherefrom.lazy import tempfile, tomllib
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.text.check import check_path

VARIABLE: Final = "WHEREFROM_CONFIG"
_FILE: Final = "config.toml"
_MAX_BYTES: Final = 1024 * 1024
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Statement(NamedTuple):
    """A key with its value in the lines of a file: those from `first` to before `end`, counted from 0."""

    key: str
    """What the file as a whole has by this name: of a table, and of all that is in it, the name of the table."""
    value: Any
    first: int
    end: int


def path() -> Path:
    """Return where the user's settings are: what WHEREFROM_CONFIG names, or config.toml in the user's config folder."""
    named = os.environ.get(VARIABLE)
    return check_path(named) if named else user_config_path(NAME, appauthor=False) / _FILE


def read(file: Path) -> Mapping[str, Any]:
    """Return what a file says, by key; nothing if there is no such file."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return _NOTHING
    except OSError as error:
        raise _unreadable(file, error.strerror) from None
    return _parsed(file, found.st_mtime_ns, found.st_size)


def line_of(file: Path, key: str) -> int:
    """Return the number of the line that a key of a file begins in, from 1."""
    return next((at.first + 1 for at in _statements(_lines(file)) if at.key == key), 1)


def put(file: Path, key: str, value: Any) -> None:
    """Set a key of a file, which is made if it is missing. All else in it stays as it is, comments too."""
    lines = _lines(file) if file.exists() else []
    before = _loaded(file, "\n".join(lines))  # a file that is not TOML is not edited
    written = f"{key} = {_toml(value)}"
    found = _found(lines, key)
    if not found:
        lines.append(written)
    else:
        first = found[0]
        _delete(lines, found[1:])
        lines[first.first : first.end] = [written + _comment(lines[first.end - 1], first)]
    after = {**before, key: list(value) if isinstance(value, tuple) else value}
    _replace(file, lines, after, refused=f"{key} may not have this value")


def drop(file: Path, key: str) -> bool:
    """Take a key out of a file, a table with all that is in it; returns False if it is not there."""
    if not file.exists():
        return False
    lines = _lines(file)
    before = _loaded(file, "\n".join(lines))
    if key not in before:
        return False
    _delete(lines, _found(lines, key))
    after = {name: value for name, value in before.items() if name != key}
    _replace(file, lines, after, refused=f"{key} cannot be taken out of {file} by itself: edit the file")
    return True


def write_whole(path: Path, text: str, mode: int) -> None:
    """Write a file with these permissions. Who reads it meanwhile reads the old one or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@lru_cache(maxsize=4)
def _parsed(file: Path, changed_at: int, size: int) -> Mapping[str, Any]:
    """Return what a file says; it is read again when its time or size is another."""
    del changed_at, size
    return _loaded(file, _text(file))


def _loaded(file: Path, text: str) -> Mapping[str, Any]:
    try:
        return MappingProxyType(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"{file} is not TOML: {error}", hint='a setting is written as: owner = "team"') from None


def _lines(file: Path) -> list[str]:
    """The lines of a file as TOML has them: what ends lines elsewhere is a character of a comment or a text."""
    return _text(file).removesuffix("\n").replace("\r\n", "\n").split("\n")


def _text(file: Path) -> str:
    try:
        # Opening a pipe or a device may wait for ever; the null device says that there are no settings.
        if not (file.is_file() or str(file) == os.devnull):
            raise _unreadable(file, "it is no regular file")
        with file.open("rb") as opened:
            data = opened.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise _unreadable(file, f"it has more than {_MAX_BYTES:,} bytes")
        return data.decode()
    except UnicodeDecodeError:
        raise _unreadable(file, "it is not UTF-8") from None
    except OSError as error:
        raise _unreadable(file, error.strerror) from None


def _unreadable(file: Path, why: str | None) -> InvalidInput:
    return InvalidInput(f"cannot read the settings in {file}: {why}", hint=f"{VARIABLE} names another file")


def _found(lines: list[str], key: str) -> list[Statement]:
    return [at for at in _statements(lines) if at.key == key]


def _delete(lines: list[str], statements: list[Statement]) -> None:
    for at in reversed(statements):
        del lines[at.first : at.end]


def _statements(lines: list[str]) -> Iterator[Statement]:
    """Yield the keys of a file; a value may go over several lines, which are TOML only together."""
    first, table = 0, None
    while first < len(lines):
        end = first + 1
        while end <= len(lines):
            with suppress(tomllib.TOMLDecodeError):
                for key, value in tomllib.loads("\n".join(lines[first:end])).items():
                    if lines[first].lstrip().startswith("["):
                        table = key
                    yield Statement(key if table is None else table, value, first, end)
                break
            end += 1
        first = end


def _comment(line: str, at: Statement) -> str:
    """Return the comment behind the value of a statement of one line, with the space before it."""
    for place, character in enumerate(line if at.end == at.first + 1 else ""):
        with suppress(tomllib.TOMLDecodeError):
            if character == "#" and tomllib.loads(line[:place]) == {at.key: at.value}:
                return line[len(line[:place].rstrip()) :]
    return ""


def _toml(value: Any) -> str:
    """Return a text, a number or a list of texts as TOML, whose texts are escaped as in JSON."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _replace(file: Path, lines: list[str], expected: Mapping[str, Any], *, refused: str) -> None:
    """Write a file for its owner alone; `refused` is the error if the lines do not say what is expected of them."""
    text = "".join(line + "\n" for line in lines)
    if _loaded(file, text) != expected:
        raise InvalidInput(refused)
    target = file.resolve()  # a link stays one
    if target.exists() and not target.is_file():
        raise InvalidInput(f"{file} is no file", hint=f"{VARIABLE} names another one")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(target, text, 0o600)
    except (OSError, UnicodeEncodeError) as error:
        raise StoreUnavailable(f"cannot write {file}: {getattr(error, 'strerror', error)}") from None
