"""Completes vectors in the background: one thread, started when there is something to do, gone when there is not."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import chain
from typing import Final

from wherefrom.embedding.port import Embedder
from wherefrom.model.access import Access
from wherefrom.model.errors import WherefromError
from wherefrom.model.graph import BoundaryClass
from wherefrom.storage import embeddings
from wherefrom.storage.port import Database

logger = logging.getLogger("wherefrom")

# So many accesses are remembered; what others have saved waits for their next call.
_MOST: Final = 10_000


class Worker:
    """One for a store. What it cannot do now (the endpoint is down) it leaves for the next call, of this process or
    another.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        classes: Sequence[BoundaryClass],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._classes = classes
        self._clock = clock
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        # By owner and root; None stands for the whole store.
        self._waiting: dict[tuple[str, str] | None, Access | None] = {}

    def wake(self, access: Access) -> None:
        """Work through what waits: all of it; if the embedder sends texts away, what is in the root of this access."""
        if self._embedder is None or self._database.read_only or self._stop.is_set():
            return
        # What an embedder sends away is this access's to decide, and no one else's.
        what = access if self._embedder.sends else None
        with self._lock:
            if len(self._waiting) < _MOST:
                self._waiting.setdefault(None if what is None else (what.owner, what.root), what)
            if self._thread is not None:
                return
            thread = self._thread = threading.Thread(target=self._run, name="wherefrom-embed", daemon=True)
        thread.start()

    def wait(self) -> None:
        """Until what is going on is done."""
        thread = self._thread
        if thread is not None:
            while thread.ident is None:  # it is about to be started
                time.sleep(0.001)
            thread.join()

    def close(self) -> None:
        """Stop after the batch at hand."""
        self._stop.set()
        self.wait()

    def _run(self) -> None:
        # No for the first time, so that a save right before the end has its vector.
        stops = chain([False], iter(self._stop.is_set, None))
        begun = False
        while True:
            with self._lock:
                if not self._waiting or (begun and self._stop.is_set()):
                    self._thread = None
                    return
                access = self._waiting.pop(next(iter(self._waiting)))
            begun = True
            try:
                self._complete(access, lambda: next(stops))
            except WherefromError as error:
                logger.warning("vectors wait: %s", error)
                with self._lock:
                    self._waiting.clear()
            except BaseException:
                with self._lock:
                    self._thread = None
                raise

    def _complete(self, access: Access | None, stop: Callable[[], bool]) -> None:
        assert self._embedder is not None
        embeddings.complete(
            self._database,
            self._embedder,
            classes=self._classes,
            clock=self._clock,
            access=access,
            stop=stop,
            progress=_silent,
        )


def _silent(done: int, total: int) -> None:
    """Nobody watches."""
