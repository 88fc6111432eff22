"""The ids of the list that was printed last in this terminal, for `@1` to `@99`.

A terminal is known by its session, which commands in a pipe share. Its list is a small file with ids and nothing else,
for this user alone. If it cannot be written, commands work as before, and `@1` has nothing to mean.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from wherefrom import config
from wherefrom.model import neighbourhood, results, rules
from wherefrom.model.errors import InvalidInput
from wherefrom.text.check import check_id

_MAX_IDS: Final = 99
_MAX_LISTS: Final = 50
# The number of a session is given to another one some day: its list must not be taken for that one's.
_KEPT_SECONDS: Final = 12 * 60 * 60
_PLACE: Final = re.compile(r"@([1-9][0-9]?)")

# The nodes of each result that is printed as a list, in the order in which they are printed.
_LISTED: Final[Mapping[type, Callable[[Any], Iterable[str]]]] = {
    results.Page: lambda page: (node.id for node in page.nodes),
    results.SearchResult: lambda found: (hit.node.id for hit in found.hits),
    results.ActiveContext: lambda context: (item.node.id for item in context.items),
    rules.Rules: lambda found: (node.id for node in (*found.rules, *found.left_out, *found.unconfirmed)),
    results.SimilarFound: lambda found: (similar.id for similar in found.results),
    results.Relations: lambda found: chain.from_iterable((edge.source_id, edge.target_id) for edge in found.edges),
    neighbourhood.PathFound: lambda found: (node.id for node in found.nodes),
}


def remember(result: object) -> None:
    """Keep the ids of a result that is a list, in place of those of the list before."""
    if (listed := _LISTED.get(type(result))) is not None:
        ids = list(dict.fromkeys(listed(result)))[:_MAX_IDS]
        with suppress(OSError):
            _write("".join(f"{known}\n" for known in ids))


def meant_by(given: str) -> str:
    """Return the id that stands at a place such as `@1` of the last list; anything else as it is."""
    place = _PLACE.fullmatch(given)
    if place is None:
        return given
    ids = _read()
    if not ids:
        raise InvalidInput(
            f"there is no list to which {given} could refer", hint="search or list first: then @1 is the first hit"
        )
    if int(place[1]) > len(ids):
        raise InvalidInput(f"{given} is beyond the last list: it has {len(ids)}", hint="give an id or a title instead")
    return ids[int(place[1]) - 1]


def _file() -> Path:
    session = os.getsid(0) if hasattr(os, "getsid") else os.getppid()
    return config.state_folder() / "lists" / str(session)


def _write(text: str) -> None:
    file = _file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Written beside it and renamed: a command that runs at the same time reads no half of it.
    part = file.with_name(f"{file.name}.{os.getpid()}")
    with open(part, "w", encoding="utf-8", opener=partial(os.open, mode=0o600)) as stream:
        stream.write(text)
    part.replace(file)
    _drop_old(file.parent)


def _drop_old(folder: Path) -> None:
    """Delete the lists that no terminal needs any more; a folder that is a link may be anybody's."""
    if folder.is_symlink():
        return
    newest_first = sorted(folder.iterdir(), key=lambda file: -file.stat().st_mtime)
    for number, file in enumerate(newest_first):
        if number >= _MAX_LISTS or _is_old(file):
            file.unlink(missing_ok=True)


def _is_old(file: Path) -> bool:
    return time.time() - file.stat().st_mtime > _KEPT_SECONDS


def _read() -> list[str]:
    file = _file()
    with suppress(OSError, UnicodeDecodeError, InvalidInput):
        if not _is_old(file):
            lines = file.read_text(encoding="utf-8").splitlines()
            return [check_id(line, field="id") for line in lines[:_MAX_IDS]]
    return []
