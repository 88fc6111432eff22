"""The resources of an opened store, shared by all its views: database, embedder, caches, journal and worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self

from wherefrom import config
from wherefrom.embedding.port import Embedder
from wherefrom.engine.background import Journal, Worker
from wherefrom.engine.policy_cache import PolicyCache
from wherefrom.engine.view import View
from wherefrom.lazy import lazy_modules
from wherefrom.model import identifiers
from wherefrom.model.access import Access
from wherefrom.model.errors import StoreUnavailable
from wherefrom.model.once import once
from wherefrom.policy.document import SettingsKinds
from wherefrom.storage import candidates, text_index
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.port import Database

if TYPE_CHECKING:
    from wherefrom.graph import paths
else:
    (paths,) = lazy_modules("wherefrom.graph", "paths")


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

    def view(self, access: Access, allow: Sequence[str]) -> View:
        """Return the view of an access that holds these tags. It is cheap: make one for each request."""
        return View(self, access, allow)

    @once
    def pair_cache(self) -> paths.PairCache:
        """The cache of the paths that insight has measured."""
        return paths.PairCache()

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
