"""The resources of an opened store, shared by all its views: database, embedder, caches; and its background: a thread
that completes vectors, and one that writes events, for which no search waits.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from wherefrom import config
from wherefrom.embedding.port import Embedder
from wherefrom.engine.boundary import PolicyCache
from wherefrom.engine.view import View, silent
from wherefrom.lazy import lazy_modules
from wherefrom.model import cancellation, identifiers
from wherefrom.model.access import Access
from wherefrom.model.errors import StoreBusy, StoreUnavailable, WherefromError
from wherefrom.model.once import once
from wherefrom.policy.document import SettingsKinds
from wherefrom.storage import candidates, embeddings, events, keys, text_index
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.port import Database
from wherefrom.text import caches

if TYPE_CHECKING:
    from wherefrom.graph import paths
else:
    (paths,) = lazy_modules("wherefrom.graph", "paths")

logger = logging.getLogger("wherefrom")

_EVENTS_DELAY_SECONDS: Final = 1.0
_MAX_WAITING_EVENTS: Final = 10_000
# The texts of further accesses wait for the next call of one of them.
_MAX_WAITING_ACCESSES: Final = 10_000


class Resources:
    """A database with what is expensive about it, closed once. Many threads may share it."""

    policy_settings: ClassVar[SettingsKinds]
    """The settings of engines that policies may set."""
    analyses: ClassVar[Callable[[], Mapping[str, str]]]
    """Returns the analysis views that agents' SQL may name."""

    def __init__(
        self,
        database: Database,
        *,
        settings: config.Settings | None = None,
        embedder: Embedder | None = None,
        clock: Callable[[], datetime] = identifiers.utc_now,
        new_id: Callable[[], str] = identifiers.new_id,
    ) -> None:
        """`settings` say how it searches, and what a memory has for which nothing else is given, such as its root."""
        self.database = database
        self.settings = settings or config.load({})
        self.embedder = embedder
        self.clock = clock
        self.new_id = new_id
        self.text_search = text_index.TextSearch()
        self.utilities = candidates.UtilityStatistics()
        self.journal = Journal(database)
        self.worker = Worker(self)
        self.policies = PolicyCache(database, self.policy_settings, shared=self.settings.privacy == "shared")
        # The same thread may close again while it closes: in a handler of signals.
        self._closing = threading.RLock()
        self._closed = False

    @once
    def reader(self) -> Reader:
        """The reader that runs agents' SQL."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return self.database.reader(type(self).analyses())

    def view(self, access: Access, allow: Sequence[str], *, tools: Sequence[str] = ("all",)) -> View:
        """Return the view of an access that holds these tags. It is cheap: make one for each request."""
        return View(self, access, allow, tools=tools)

    @once
    def pair_cache(self) -> paths.PairCache:
        """The cache of the paths that insight has measured."""
        return paths.PairCache()

    def check_writable(self) -> None:
        """Raise an error if nothing can be written to the store now."""
        self.database.write(lambda _: None)

    def drop_caches(self) -> None:
        """Forget what is remembered between calls of texts and of the nodes that have them."""
        self.text_search = text_index.TextSearch()
        self.utilities = candidates.UtilityStatistics()
        vars(self).pop("pair_cache", None)
        caches.clear()

    def close(self) -> None:
        """Finish the work at hand and release the database's connections. To close again does nothing."""
        with self._closing, ExitStack() as rest:
            if self._closed:
                return
            self._closed = True
            reader = vars(self).get("reader")  # not made only to be closed
            # The last of these is closed first, and all of them are, whatever fails.
            rest.callback(self.database.close)
            if reader is not None:
                rest.callback(reader.close)
            if self.embedder is not None:
                rest.callback(self.embedder.close)
            rest.callback(self.worker.close)
            # The journal first, because it is quick: whoever ends the process may not wait for the worker's batch.
            rest.callback(self.journal.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Journal:
    """The events of a store that are not written yet; those that are left are written when it is closed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._rows: list[dict[str, Any]] = []
        self._uses: dict[str, str] = {}
        self._timer: threading.Timer | None = None
        self._closed = False

    def add(self, row: dict[str, Any]) -> None:
        """Note an event; it is written within a second or two, unless the database may only be read."""
        if self._database.read_only:
            return
        with self._lock:
            if self._closed:
                return
            if len(self._rows) < _MAX_WAITING_EVENTS:
                self._rows.append(row)
            self._write_soon()

    def add_use(self, key_id: str, at: str) -> None:
        """Note that a key was used; it is written like an event."""
        if self._database.read_only:
            return
        with self._lock:
            if not self._closed:
                self._uses[key_id] = at
                self._write_soon()

    def _write_soon(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(_EVENTS_DELAY_SECONDS, self.write)
            self._timer.daemon = True
            self._timer.start()

    def write(self) -> None:
        """Write the events at hand. If the database is away, they wait for the next one."""
        with self._lock:
            rows, self._rows, self._timer = self._rows, [], None
            uses, self._uses = self._uses, {}
        self._write_uses(uses)
        if not rows:
            return
        try:
            with cancellation.running(None):  # they are not of this call alone
                self._database.write_unsynced(lambda tx: events.append(tx, rows))
        except (StoreBusy, StoreUnavailable) as error:
            logger.warning("%d events of searches are not written yet: %s", len(rows), error)
            with self._lock:
                self._rows = [*rows, *self._rows][:_MAX_WAITING_EVENTS]
        except WherefromError as error:
            logger.warning("%d events of searches were not written: %s", len(rows), error)

    def _write_uses(self, uses: Mapping[str, str]) -> None:
        """Write when keys were used, by themselves. If that fails the next use is written: it is within a minute."""
        try:
            if uses:
                with cancellation.running(None):  # they are not of this call alone
                    self._database.write_unsynced(lambda tx: keys.note_uses(tx, uses))
        except WherefromError as error:
            logger.warning("the last use of %d keys was not written: %s", len(uses), error)

    def close(self) -> None:
        """Write the rest; later events are dropped."""
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
        self.write()


class Worker:
    """The completer of vectors: one thread, started when a text waits, gone when none does. A text that cannot be
    embedded now (the endpoint is down) waits for the next call of any process.
    """

    def __init__(self, store: Resources) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        # By owner and root; None stands for the whole store.
        self._waiting: dict[tuple[str, str] | None, Access | None] = {}

    def wake(self, access: Access) -> None:
        """Make the vectors that are missing; if the embedder sends texts away, those in the root of this access."""
        embedder = self._store.embedder
        if embedder is None or self._store.database.read_only or self._stop.is_set():
            return
        # An access decides only about its own texts whether they are sent away.
        alone = access if embedder.sends else None
        with self._lock:
            if len(self._waiting) < _MAX_WAITING_ACCESSES:
                self._waiting.setdefault(None if alone is None else (alone.owner, alone.root), alone)
            if self._thread is not None:
                return
            thread = self._thread = threading.Thread(target=self._run, name="wherefrom-embed", daemon=True)
        thread.start()

    def wait(self) -> None:
        """Wait until the work at hand is done."""
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
        # The first batch is done even after `close`, so that a save right before the end has its vector.
        stops = chain([False], iter(self._stop.is_set, None))
        store = self._store
        assert store.embedder is not None
        complete = partial(embeddings.complete, store.database, store.embedder, classes=store.settings.embed_classes)
        begun = False
        while True:
            with self._lock:
                if not self._waiting or (begun and self._stop.is_set()):
                    self._thread = None
                    return
                access = self._waiting.pop(next(iter(self._waiting)))
            begun = True
            try:
                complete(clock=store.clock, access=access, stop=partial(next, stops), progress=silent)
            except WherefromError as error:
                logger.warning("vectors wait: %s", error)
                with self._lock:
                    self._waiting.clear()
            except BaseException:
                with self._lock:
                    self._thread = None
                raise
