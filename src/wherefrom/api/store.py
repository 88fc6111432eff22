"""`Store`: a database with what is expensive about it, opened once and shared by the memories of many owners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from wherefrom import api, config
from wherefrom.api.opening import ENGINE_SETTINGS, open_database, open_embedder
from wherefrom.embedding.port import Embedder
from wherefrom.engine.resources import Resources
from wherefrom.explore.views import all_rendered
from wherefrom.model import identifiers
from wherefrom.model.errors import InvalidInput


class Store(Resources):
    """A database, an embedder, a clock, and what is remembered between calls.

    Many threads may share one; a process opens its own (also after a fork).
    """

    policy_settings = ENGINE_SETTINGS
    analyses = staticmethod(all_rendered)

    @classmethod
    def open(
        cls,
        url: str | Path | None = None,
        *,
        embedder: str | Embedder | None = None,
        embed_model: str | None = None,
        privacy: str | None = None,
        clock: Callable[[], datetime] | None = None,
        create: bool = True,
    ) -> Self:
        """Open a store by path or URL. What is not given comes from the environment, then the user's file, then the
        defaults.

        `embedder` is the name of one (see the settings) or an object of your own that is one; `embed_model` is its
        model. `privacy="shared"` treats personal memories as shared ones, for those who are not their owners. `clock`
        tells the time instead of the machine's, with a zone: what is fresh and what has expired depends on it.
        `create=False` raises StoreUnavailable if a SQLite file is not there, where it would be made otherwise.
        """
        settings = settings_of(url, embedder=embedder, embed_model=embed_model, privacy=privacy)
        return cls.from_settings(settings, embedder=embedder, clock=clock, create=create)

    @classmethod
    def from_settings(
        cls,
        settings: config.Settings,
        *,
        embedder: str | Embedder | None = None,
        clock: Callable[[], datetime] | None = None,
        create: bool = True,
        only_to_read: bool = False,
    ) -> Self:
        """Open the store that the settings name, with an embedder of your own if one is given. One that is opened only
        to be read must exist, and nothing is written to it.
        """
        made = open_embedder(settings) if embedder is None or isinstance(embedder, str) else embedder
        database = open_database(settings, create=create, only_to_read=only_to_read)
        return cls(database, settings=settings, embedder=made, clock=clock or identifiers.utc_now)

    def memory(
        self,
        *,
        owner: str | None = None,
        root: str | None = None,
        also: Sequence[str] | None = None,
        namespace: str | None = None,
        allow: Sequence[str] | None = None,
    ) -> api.Memory:
        """Return a memory in this store, seen by one owner from one root. It is cheap: make one for each request.

        What is not given comes from the settings. `root` confines everything to one namespace and what is below it;
        `also` names further namespaces to read; `namespace` is the default inside the root; `allow` holds the tags
        that open boundary classes. Closing it closes nothing.
        """
        given = {"owner": owner, "root": root, "also": also, "namespace": namespace, "allow": allow}
        changed: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        changed["allow"] = config.listed(changed.get("allow", self.settings.allow))
        settings = replace(self.settings, **changed)
        return api.Memory(self.view(api.access_of(settings), settings.allow))


def settings_of(url: str | Path | None, *, embedder: str | Embedder | None, **given: object) -> config.Settings:
    """Return the settings, with what the caller gives in place of the environment's."""
    if not isinstance(url, str | Path | None):
        raise InvalidInput(f"a database is a path or a URL, not {type(url).__name__}")
    named = embedder if isinstance(embedder, str) else None
    return config.load({"db": None if url is None else str(url), "embedder": named, **given})
