"""`Store`: a database with what is expensive about it, opened once and shared by the memories of many owners."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wherefrom import config
from wherefrom.api.journal import Journal
from wherefrom.api.opening import Tuning, access_from, open_database, open_embedder, tuning_of
from wherefrom.api.policy_cache import PolicyCache
from wherefrom.api.view import View
from wherefrom.api.worker import Worker
from wherefrom.embedding.port import Embedder
from wherefrom.model import identifiers
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.model.once import once
from wherefrom.storage import standings, text_index
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.port import Database

if TYPE_CHECKING:
    from wherefrom.api.memory import Memory
    from wherefrom.graph.paths import PairCache


class Store:
    """A database, an embedder, a clock, and what is remembered between calls.

    Many threads may share one; a process opens its own (also after a fork).
    """

    def __init__(
        self,
        database: Database,
        *,
        settings: config.Settings | None = None,
        embedder: Embedder | None = None,
        tuning: Tuning | None = None,
        clock: Callable[[], datetime] = identifiers.utc_now,
        new_id: Callable[[], str] = identifiers.new_id,
    ) -> None:
        """`settings` say what a memory has for which nothing else is given: its owner, root, namespace and tags."""
        self.database = database
        self.settings = config.load({}) if settings is None else settings
        self.embedder = embedder
        self.tuning = tuning or Tuning()
        self.clock = clock
        self.new_id = new_id
        self.text_search = text_index.TextSearch()
        self.utilities = standings.Utilities()
        self.journal = Journal(database)
        self.worker = Worker(database, embedder, self.tuning.send_classes, clock)
        self.policies = PolicyCache(database, shared=self.tuning.shared)
        # The same thread may close again while it closes: in a handler of signals.
        self._closing = threading.RLock()
        self._closed = False

    @classmethod
    def open(
        cls,
        url: str | Path | None = None,
        *,
        embedder: str | Embedder | None = None,
        embed_model: str | None = None,
        privacy: str | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Open a store by path or URL. What is not given comes from the environment, then the defaults.

        `embedder` is the name of one (see the settings) or an object of your own that is one; `embed_model` is its
        model. `privacy="shared"` treats personal memories as shared ones, for those who are not their owners. `clock`
        tells the time instead of the machine's, with a zone: what is fresh and what has expired depends on it.
        """
        settings = settings_of(url, embedder=embedder, embed_model=embed_model, privacy=privacy)
        return cls.from_settings(settings, embedder=embedder, clock=clock)

    @classmethod
    def from_settings(
        cls,
        settings: config.Settings,
        *,
        embedder: str | Embedder | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Open the store that the settings name, with an embedder of your own if one is given."""
        made = open_embedder(settings) if embedder is None or isinstance(embedder, str) else embedder
        tuning = tuning_of(settings)
        database = open_database(settings)
        return cls(database, settings=settings, embedder=made, tuning=tuning, clock=clock or identifiers.utc_now)

    def memory(
        self,
        *,
        owner: str | None = None,
        root: str | None = None,
        also: Sequence[str] | None = None,
        namespace: str | None = None,
        allow: Sequence[str] | None = None,
    ) -> Memory:
        """A memory in this store, seen by one owner from one root. It is cheap: make one for each request.

        What is not given comes from the settings. `root` confines everything to one namespace and what is below it;
        `also` names further namespaces to read; `namespace` is the default inside the root; `allow` holds the tags
        that open boundary classes. Closing it closes nothing.
        """
        from wherefrom.api.memory import Memory

        settings = self.settings
        tags = settings.allow if allow is None else config.listed(allow)
        access = access_from(
            settings.owner if owner is None else owner,
            settings.root if root is None else root,
            settings.also if also is None else also,
            settings.namespace if namespace is None else namespace,
            tags,
        )
        return Memory(View(self, access, tags))

    @once
    def reader(self) -> Reader:
        """What runs agents' SQL."""
        from wherefrom.explore.views import all_rendered

        if self._closed:
            raise StoreUnavailable("the store is closed")
        return self.database.reader(all_rendered(self.database.name))

    @once
    def pair_cache(self) -> PairCache:
        """Paths between nodes that insight has measured."""
        from wherefrom.graph.paths import PairCache

        return PairCache()

    def close(self) -> None:
        """Finish the work at hand and release the database's connections. Once is enough, and more do no harm."""
        with self._closing, ExitStack() as rest:
            if self._closed:
                return
            self._closed = True
            reader = Store.reader.made(self)
            # What is named last is closed first, and all of it, whatever fails.
            rest.callback(self.database.close)
            if reader is not None:
                rest.callback(reader.close)
            if self.embedder is not None:
                rest.callback(self.embedder.close)
            rest.callback(self.worker.close)
            # First, because it is quick: whoever ends the process may not wait for the batch at hand.
            rest.callback(self.journal.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def settings_of(url: str | Path | None, *, embedder: str | Embedder | None, **given: object) -> config.Settings:
    """The settings with what the caller gives."""
    if not isinstance(url, str | Path | None):
        raise InvalidInput(f"a database is a path or a URL, not {type(url).__name__}")
    named = embedder if isinstance(embedder, str) else None
    return config.load({"db": None if url is None else str(url), "embedder": named, **given})
