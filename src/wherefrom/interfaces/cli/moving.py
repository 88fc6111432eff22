"""`wherefrom move`: brings a store of the former name to where stores lie now."""

from __future__ import annotations

import sys

from wherefrom import config, interfaces
from wherefrom.interfaces.cli.cells import shown
from wherefrom.interfaces.cli.session import output, print_json, reported
from wherefrom.model.errors import Conflict
from wherefrom.storage import move as storage_move
from wherefrom.text.check import check_path


def run_move(*, as_json: bool) -> None:
    """Bring a store of the former name to where stores lie now, and say where it is."""
    with reported(as_json=as_json):
        source, target = config.former_default(), config.new_default()
        named = config.load({}).db.removeprefix("sqlite:///")
        if named and "://" not in named and check_path(named) == source:
            raise Conflict(f"WHEREFROM_DB names {source}", hint="unset it or change it: nothing will be there any more")
        moved = storage_move.move(source, target)
        if as_json:
            print_json(interfaces.answering.value_of(moved, ""), sys.stdout)
        else:
            said = f"moved {source} to {target}" if moved.moved else f"the store is at {target} already"
            output().print(shown(said), soft_wrap=True)
