"""The policies of owners, read from the store at most once a second each."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from wherefrom.model.errors import InvalidInput
from wherefrom.storage import policies
from wherefrom.storage.port import Database

if TYPE_CHECKING:
    from wherefrom.policy.boundary import Policies
    from wherefrom.policy.document import Policy

logger = logging.getLogger("wherefrom")

# A policy that another process applies holds here after so long.
_SECONDS: Final = 1.0
# The policies of so many owners are kept at hand: those who asked last.
_OWNERS: Final = 1_000
# What holds where a stored policy cannot be read: nobody sees anything.
_CLOSED: Final = (
    "version: 0.0.0\nboundary_classes:\n  public: {allow: []}\n  internal: {allow: []}\n  pii: {allow: []}\n"
)


@dataclass(slots=True)
class _Known:
    """What was read of an owner, and when."""

    stored: policies.Stored | None = None
    parsed: Policies | None = None
    read_at: float = -math.inf


class PolicyCache:
    """Reads the policies of an owner every second while somebody asks; threads share it, and views of an owner share
    what it has parsed. Never ask it inside a transaction: it may need a connection of its own.
    """

    def __init__(self, database: Database, *, shared: bool = False) -> None:
        """`shared` treats a personal store as a shared one."""
        self._database = database
        self._shared = shared
        self._lock = threading.Lock()
        self._by_owner: OrderedDict[str, _Known] = OrderedDict()
        self._without: dict[bool, Policies] = {}

    def of(self, owner: str) -> Policies:
        """What holds now. The lock is not held while the database is read: callers who wait for a server that does not
        answer wait together and not one after the other.
        """
        while True:
            with self._lock:
                known = self._at_hand(owner)
                stored, parsed = known.stored, known.parsed
                if parsed is not None and time.monotonic() - known.read_at <= _SECONDS:
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

    def forget(self, owner: str) -> None:
        """Read the policies of an owner again before the next use."""
        with self._lock:
            known = self._by_owner.pop(owner, None)
            if known is not None:
                self._by_owner[owner] = _Known(known.stored, known.parsed)

    def _at_hand(self, owner: str) -> _Known:
        known = self._by_owner.get(owner)
        if known is None:
            known = self._by_owner[owner] = _Known()
            if len(self._by_owner) > _OWNERS:
                self._by_owner.popitem(last=False)
        self._by_owner.move_to_end(owner)
        return known

    def _parsed(self, stored: policies.Stored) -> Policies:
        from wherefrom.policy.boundary import Policies

        personal = stored.privacy.mode == "personal" and not self._shared
        if stored.texts:
            return Policies({namespace: _read(text, namespace) for namespace, text in stored.texts.items()}, personal)
        # Owners without a policy of their own have the same.
        return self._without.setdefault(personal, Policies({}, personal))


def _read(text: str, namespace: str) -> Policy:
    from wherefrom.policy.document import parse

    try:
        return parse(text)
    except InvalidInput as error:
        logger.warning("the policy of %s cannot be read, so nothing in it is shown: %s", namespace, error)
        return parse(_CLOSED)
