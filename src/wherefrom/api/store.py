"""`Store`: a database with what is expensive about it, opened once and shared by the memories of many owners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from wherefrom.model.callers import ROLES, Caller, Role
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.jobs import JobState
from wherefrom.storage import jobs, keys
from wherefrom.text.check import check_speaker


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
        role: Role = "admin",
        written_by: str | None = None,
    ) -> api.Memory:
        """Return a memory in this store, seen by one owner from one root. It is cheap: make one for each request.

        What is not given comes from the settings. `root` confines everything to one namespace and what is below it;
        `also` names further namespaces to read; `namespace` is the default inside the root; `allow` holds the tags
        that open boundary classes; `role` says which verbs may be called, and `written_by` who wrote what is saved.
        Closing it closes nothing.
        """
        given = {"owner": owner, "root": root, "also": also, "namespace": namespace, "allow": allow}
        return self._memory(given, role=role, written_by=written_by)

    def memory_of(self, caller: Caller) -> api.Memory:
        """Return the memory that a caller may use, with its role, and with its name on what it writes."""
        place = {"root": caller.root, "also": caller.also, "namespace": caller.namespace or caller.root}
        given = {"owner": caller.owner, "allow": caller.allow, **place}
        return self._memory(given, role=caller.role, written_by=caller.name, tools=caller.tools)

    def _memory(
        self, given: Mapping[str, object], *, role: Role, written_by: str | None, tools: Sequence[str] = ("all",)
    ) -> api.Memory:
        changed: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        changed["allow"] = config.listed(changed.get("allow", self.settings.allow))
        settings = replace(self.settings, **changed)
        if role not in ROLES:
            raise InvalidInput(f"role {shown(role)} is not one of {', '.join(ROLES)}")
        if written_by is not None:
            written_by = check_speaker(written_by, field="written_by")
        access = replace(api.access_of(settings), role=role, written_by=written_by)
        return api.Memory(self.view(access, settings.allow, tools=tools))

    def caller_of(self, secret: str) -> Caller | None:
        """Return the caller that the secret of a key stands for; None if it is wrong, or the key has expired or was
        revoked. The key is read each time, so that what changes it holds at once, in every process.
        """
        moment = self.clock()
        now = identifiers.timestamp(moment)
        found = self.database.read(lambda tx: keys.caller_of(tx, secret, now=now))
        if found is None:
            return None
        caller, last_used_at = found
        if caller.key_id is not None and keys.is_use_due(last_used_at, moment):
            self.journal.add_use(caller.key_id, now)
        return caller

    def has_keys(self) -> bool:
        """Return True if there is a key, of any owner, that lets somebody in."""
        now = identifiers.timestamp(self.clock())
        return self.database.read(lambda tx: keys.has_usable(tx, now=now))

    def wants_keys(self) -> bool:
        """Return True if a key was ever made, of any owner. That it has expired or was revoked opens no door."""
        return self.database.read(keys.were_made)

    def jobs(self) -> tuple[JobState, ...]:
        """Return when each job of upkeep was last done, by any process, and what came of it."""
        now = identifiers.timestamp(self.clock())
        return self.database.read(lambda tx: jobs.states(tx, now=now))


def settings_of(url: str | Path | None, *, embedder: str | Embedder | None, **given: object) -> config.Settings:
    """Return the settings, with what the caller gives in place of the environment's."""
    if not isinstance(url, str | Path | None):
        raise InvalidInput(f"a database is a path or a URL, not {type(url).__name__}")
    named = embedder if isinstance(embedder, str) else None
    return config.load({"db": None if url is None else str(url), "embedder": named, **given})
