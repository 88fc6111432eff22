"""`wherefrom move`: bring a store that lies under the program's former name to where stores lie now."""

from __future__ import annotations

import sys

from wherefrom import config
from wherefrom.api.opening import path_of
from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.cli.cells import shown
from wherefrom.interfaces.cli.session import output, print_json, reported
from wherefrom.model.errors import Conflict


def run(*, as_json: bool) -> None:
    """Move it, and say where it is."""
    with reported(as_json=as_json):
        from wherefrom.storage.move import move

        source, target = config.former_default(), config.new_default()
        named = config.load({}).db.removeprefix("sqlite:///")
        if named and "://" not in named and path_of(named) == source:
            raise Conflict(f"WHEREFROM_DB names {source}", hint="unset it or change it: nothing will be there any more")
        moved = move(source, target)
        if as_json:
            print_json(value_of(moved, ""), sys.stdout)
        else:
            said = f"moved {source} to {target}" if moved.moved else f"the store is at {target} already"
            output().print(shown(said), soft_wrap=True)
