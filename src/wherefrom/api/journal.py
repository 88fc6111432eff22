"""Events of reads: kept for a moment and written together, so that a search never waits for a writer."""

from __future__ import annotations

import logging
import threading
from typing import Any, Final

from wherefrom.model.errors import StoreBusy, StoreUnavailable, WherefromError
from wherefrom.storage.port import Database

logger = logging.getLogger("wherefrom")

_DELAY_SECONDS: Final = 1.0
_MOST: Final = 10_000


class Journal:
    """What happened and is not written yet; at the latest it is written when the memory is closed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._rows: list[dict[str, Any]] = []
        self._timer: threading.Timer | None = None
        self._closed = False

    def add(self, row: dict[str, Any]) -> None:
        """Note an event; it is written within a second or two, unless the database may only be read."""
        if self._database.read_only:
            return
        with self._lock:
            if self._closed:
                return
            if len(self._rows) < _MOST:
                self._rows.append(row)
            if self._timer is None:
                self._timer = threading.Timer(_DELAY_SECONDS, self.write)
                self._timer.daemon = True
                self._timer.start()

    def write(self) -> None:
        """Write what is there. If the database is away, it waits for the next event."""
        with self._lock:
            rows, self._rows, self._timer = self._rows, [], None
        if not rows:
            return
        try:
            self._database.write(lambda tx: tx.run_many("event_insert", rows))
        except (StoreBusy, StoreUnavailable) as error:
            logger.warning("%d events of searches are not written yet: %s", len(rows), error)
            with self._lock:
                self._rows = [*rows, *self._rows][:_MOST]
        except WherefromError as error:
            logger.warning("%d events of searches were not written: %s", len(rows), error)

    def close(self) -> None:
        """Write the rest; what comes later is not noted."""
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
        self.write()
