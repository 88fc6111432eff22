"""Completes vectors in the background: one thread, started when there is something to do, gone when there is not."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime

from wherefrom.embedding.port import Embedder
from wherefrom.model.access import Access
from wherefrom.model.errors import WherefromError
from wherefrom.model.graph import BoundaryClass
from wherefrom.storage import embeddings
from wherefrom.storage.port import Database

logger = logging.getLogger("wherefrom")


class Worker:
    """What it cannot do now (the endpoint is down) it leaves for the next call, of this process or another."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        access: Access,
        classes: Sequence[BoundaryClass],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._embedder = embedder
        # What an embedder sends away is this access's to decide, and no one else's.
        self._access = access if embedder is not None and embedder.sends else None
        self._classes = classes
        self._clock = clock
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Work through what waits, unless that is already going on."""
        if self._embedder is None or self._database.read_only or self._stop.is_set():
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="wherefrom-embed", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Until what is going on is done."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Stop after the batch at hand."""
        self._stop.set()
        self.wait()

    def _run(self) -> None:
        assert self._embedder is not None
        try:
            embeddings.complete(
                self._database,
                self._embedder,
                classes=self._classes,
                clock=self._clock,
                access=self._access,
                stop=self._stop.is_set,
                progress=_silent,
            )
        except WherefromError as error:
            logger.warning("vectors wait: %s", error)


def _silent(done: int, total: int) -> None:
    """Nobody watches."""
