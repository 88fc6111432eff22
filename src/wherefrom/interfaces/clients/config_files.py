"""Configuration files of other programs: read with care, changed all at once or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from wherefrom.config_file import write_whole
from wherefrom.interfaces.clients.edits import Edit, Fault
from wherefrom.model.errors import Conflict, InvalidInput, StoreUnavailable

Found = TypeVar("Found")

# So large a file takes some seconds to read with the place of every value.
_MAX_BYTES: Final = 16 * 1024 * 1024
# The permissions of a file that is new.
_NEW, _NEW_SHARED = 0o600, 0o644
_CHANGED: Final = "it was changed in the meantime"


@dataclass(slots=True)
class ConfigFile:
    """A file with the edits that are planned for it. It is written only by `write`."""

    path: Path
    is_shared: bool
    """True if it lies in a project, and so may be read and written by others."""
    old: str | None = None
    """What it said; None if it is missing."""
    text: str = ""
    """What it is to say."""
    planned: list[Edit] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Sentences that say what stays in an entry of ours that we did not write."""

    def __post_init__(self) -> None:
        self.old = _read(self.path)
        self.text = self.old or ""

    def look(self, function: Callable[[str], Found]) -> Found:
        """Return what a function finds in the text. A fault of the text is an error that names file and line."""
        try:
            return function(self.text)
        except Fault as fault:
            raise InvalidInput(f"{self.path} cannot be changed: {fault}", hint="nothing was written") from None

    def edit(self, change: Callable[[str], Edit | None]) -> None:
        """Plan an edit, if there is anything to change."""
        edit = self.look(change)
        if edit is not None:
            self.planned.append(edit)
            self.text = edit.applied(self.text)

    def keep(self, entry: str, names: Sequence[str]) -> None:
        """Note that an entry keeps what has these names."""
        if names:
            self.kept.append(f"{entry} keeps what was added to it: {', '.join(names)}")

    def lines(self) -> Iterator[str]:
        """Show what would change."""
        note = " (new)" if self.old is None else " (nothing is left in it: it goes)" if self.is_left_empty else ""
        yield f"{self.path}{note}"
        if self.old is None:  # all of it is ours
            yield from (f"  + {line}" for line in self.text.splitlines())
            return
        for edit in reversed(self.planned):  # what is put in comes first in its object
            yield from (f"  {line}" for line in edit.lines())
        yield from (f"  {line}" for line in self.kept)

    @property
    def is_left_empty(self) -> bool:
        """True if nothing is left of it, so that it can be deleted."""
        return bool(self.planned) and "".join(self.text.split()) in ("", "{}") and not self.path.is_symlink()

    def write(self) -> None:
        """Replace the file by one with the new text. Who reads it meanwhile reads the old one or the new one."""
        try:
            if _read(self.path) != self.old:
                raise Conflict(f"{self.path} was not written: {_CHANGED}", hint="run the command again")
            if self.is_left_empty:
                self.path.unlink()
            else:
                _replace(Path(os.path.realpath(self.path)), self.text, _NEW_SHARED if self.is_shared else _NEW)
        except OSError as error:
            raise StoreUnavailable(f"cannot write {self.path}: {error.strerror}") from None


def _read(path: Path) -> str | None:
    try:
        if path.exists() and not path.is_file():  # opening a pipe or a device may wait for ever
            raise InvalidInput(f"cannot read {path}: it is no regular file", hint="nothing was written")
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    if len(content) > _MAX_BYTES:
        raise InvalidInput(
            f"{path} is larger than {_MAX_BYTES:,} bytes",
            hint="add the entry by hand: --print in another folder shows it",
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{path} cannot be changed: line {line}: this is not UTF-8") from None


def _replace(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(path.stat().st_mode)
    write_whole(path, text, mode)
