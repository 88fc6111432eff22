"""Watches where upkeep has something to do: in one root, or in a whole store; a `Schedule` then does it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from wherefrom.api.upkeep_runs import UpkeepRunEngine, lease_name
from wherefrom.engine.schedule import Schedule
from wherefrom.model.jobs import Job
from wherefrom.storage import upkeep_runs

if TYPE_CHECKING:
    from wherefrom.api import Memory, Store
    from wherefrom.engine.view import View

# A root is looked at so often as long as something was saved there lately, and else so often.
_SECONDS_BETWEEN_LOOKS: Final = 15.0
_LATELY_SECONDS: Final = 600.0
_SECONDS_BETWEEN_IDLE_LOOKS: Final = 3600.0
# Pieces of work on one root begin at least so far apart, whichever process does them; after one that failed, so far.
_SECONDS_BETWEEN_PIECES: Final = 5.0
_SECONDS_AFTER_FAILURE: Final = 300.0
_MAX_ROOTS_PER_LOOK: Final = 20
# A server first answers what it was started for.
_SECONDS_BEFORE_FIRST: Final = 5.0

_Place = tuple[str, str]


class RootWatch:
    """Watches the root of one view."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._again = 0.0

    def jobs(self) -> list[Job]:
        """Return the job of the root, if it is due."""
        if time.monotonic() < self._again:
            return []
        self._again = time.monotonic() + _SECONDS_BETWEEN_LOOKS
        return _jobs(self._view, self._rest)

    def _rest(self, seconds: float) -> None:
        self._again = time.monotonic() + seconds


class StoreWatch:
    """Watches all roots of a store: the first segments of the namespaces of all owners, seen with the store's tags."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._after = 0
        self._saved: dict[_Place, float] = {}
        self._again: dict[_Place, float] = {}

    def jobs(self) -> list[Job]:
        """Return the jobs of some of the roots that are due; the others follow at the next looks."""
        now, after = time.monotonic(), self._after
        found, self._after = self._store.database.read(lambda tx: upkeep_runs.places(tx, after=after))
        for place in found:
            self._saved[place] = now
            self._again[place] = min(self._again.get(place, now), now + _SECONDS_BETWEEN_LOOKS)
        due: list[Job] = []
        for place in sorted(self._again, key=self._again.__getitem__)[:_MAX_ROOTS_PER_LOOK]:
            if self._again[place] <= now:
                is_late = now - self._saved[place] > _LATELY_SECONDS
                self._again[place] = now + (_SECONDS_BETWEEN_IDLE_LOOKS if is_late else _SECONDS_BETWEEN_LOOKS)
                owner, root = place
                view = self._store.memory(owner=owner, root=root, namespace=root, also=()).view
                due += _jobs(view, partial(self._rest, place))
        return due

    def _rest(self, place: _Place, seconds: float) -> None:
        self._again[place] = time.monotonic() + seconds


def start_for(memory: Memory) -> Schedule:
    """Start upkeep of a memory's own root in the background, after a moment; close what is returned to end it."""
    watch = RootWatch(memory.view)
    schedule = Schedule(memory.view.store, (), further=watch.jobs)
    schedule.start(after_seconds=_SECONDS_BEFORE_FIRST)
    return schedule


def _jobs(view: View, rest: Callable[[float], None]) -> list[Job]:
    """Return the job of a view's root, if it is due; it says how long to `rest` after it."""
    engine = UpkeepRunEngine(view)

    def run() -> Mapping[str, int]:
        began, seconds = time.thread_time(), _SECONDS_AFTER_FAILURE
        try:
            done = engine.run_due()
            seconds = max(_SECONDS_BETWEEN_PIECES, (time.thread_time() - began) * (1 / engine.share - 1))
            return done
        finally:
            rest(seconds)

    return [Job(lease_name(view.access), _SECONDS_BETWEEN_PIECES, run)] if engine.due() else []
