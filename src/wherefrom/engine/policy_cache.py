"""The policies of owners, read from the store at most once a second each."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from wherefrom.model.errors import InvalidInput
from wherefrom.policy.boundary import Policies
from wherefrom.policy.document import Policy, SettingsKinds, parse
from wherefrom.storage import policies
from wherefrom.storage.port import Database

logger = logging.getLogger("wherefrom")

# A policy that another process applies holds here after this time.
_MAX_AGE_SECONDS: Final = 1.0
# Of more owners, those who asked last are remembered.
_MAX_OWNERS: Final = 1_000
# The policy that holds where a stored one cannot be read: nobody sees anything.
_CLOSED: Final = (
    "version: 0.0.0\nboundary_classes:\n  public: {allow: []}\n  internal: {allow: []}\n  pii: {allow: []}\n"
)


@dataclass(slots=True)
class _Known:
    """The policies of an owner as they were read, and when."""

    stored: policies.Stored | None = None
    parsed: Policies | None = None
    read_at: float = -math.inf


class PolicyCache:
    """Reads the policies of an owner once a second while somebody asks. Threads and views share what it has parsed."""

    def __init__(self, database: Database, settings: SettingsKinds, *, shared: bool = False) -> None:
        """`settings` are those of the engines; `shared` treats a personal store as a shared one."""
        self.settings = settings
        self._database = database
        self._shared = shared
        self._lock = threading.Lock()
        self._by_owner: OrderedDict[str, _Known] = OrderedDict()
        self._default_policies: dict[bool, Policies] = {}

    def of(self, owner: str) -> Policies:
        """Return the policies of an owner. Not to be called inside a transaction: it may need its own connection.

        The lock is free while the database is read, so that callers wait for a slow server together.
        """
        while True:
            with self._lock:
                known = self._by_owner.setdefault(owner, _Known())
                self._by_owner.move_to_end(owner)
                if len(self._by_owner) > _MAX_OWNERS:
                    self._by_owner.popitem(last=False)
                stored, parsed = known.stored, known.parsed
                if parsed is not None and time.monotonic() - known.read_at <= _MAX_AGE_SECONDS:
                    return parsed
            now_stored = self._database.read(lambda tx: policies.current(tx, owner))
            if parsed is None or now_stored != stored:
                parsed = self._parsed(now_stored)
            with self._lock:
                if self._by_owner.get(owner) is not known:
                    continue  # forgotten meanwhile: what was read may be from before that
                if known.parsed is None or known.stored != now_stored:
                    known.stored, known.parsed = now_stored, parsed
                known.read_at = time.monotonic()
                return known.parsed

    def section(self, name: str) -> type[Any]:
        """Return the class of the settings that stand in a section of a policy."""
        return next(kind for kind in self.settings if name == kind.SECTION)

    def forget(self, owner: str) -> None:
        """Read the policies of an owner again before the next use."""
        with self._lock:
            if known := self._by_owner.get(owner):
                self._by_owner[owner] = _Known(known.stored, known.parsed)

    def _parsed(self, stored: policies.Stored) -> Policies:
        personal = stored.privacy.mode == "personal" and not self._shared
        if stored.texts:
            return Policies({place: self._read(text, place) for place, text in stored.texts.items()}, personal)
        # All owners without a policy of their own share one value.
        return self._default_policies.setdefault(personal, Policies({}, personal))

    def _read(self, text: str, namespace: str) -> Policy:
        try:
            return parse(text, self.settings)
        except InvalidInput as error:
            logger.warning("the policy of %s cannot be read, so nothing in it is shown: %s", namespace, error)
            return parse(_CLOSED, self.settings)
