"""What all verbs work with: a database, the boundary in force, an embedder, a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wherefrom.api.boundary import Boundary, refuse_secret
from wherefrom.api.journal import Journal
from wherefrom.api.worker import Worker
from wherefrom.embedding.port import Embedder
from wherefrom.model import identifiers
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied
from wherefrom.model.graph import BoundaryClass, Edge, MeasuredEdge
from wherefrom.policy.boundary import DEFAULT_ALLOW
from wherefrom.recall.cut_off import CutOff
from wherefrom.storage import edges, events, metabolism, standings, text_index
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Database, Transaction
from wherefrom.text import check


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the settings say about searches and about what may be sent."""

    alpha: float | None = None
    cut: CutOff | None = None
    send_classes: tuple[BoundaryClass, ...] = ("public", "internal")
    shared: bool = False
    """Treats a personal store as a shared one."""


class Verbs:
    """Base of the groups of verbs that make up `Memory`."""

    def __init__(
        self,
        database: Database,
        access: Access,
        *,
        allow: Sequence[str] = DEFAULT_ALLOW,
        embedder: Embedder | None = None,
        tuning: Tuning | None = None,
        clock: Callable[[], datetime] = identifiers.utc_now,
        new_id: Callable[[], str] = identifiers.new_id,
    ) -> None:
        self._database = database
        self._tuning = tuning or Tuning()
        self._boundary = Boundary(database, access, allow, shared=self._tuning.shared)
        self._embedder = embedder
        self._clock = clock
        self._new_id = new_id
        self._text_search = text_index.TextSearch()
        self._utilities = standings.Utilities()
        self._journal = Journal(database)
        self._worker = Worker(database, embedder, access, self._tuning.send_classes, clock)
        self._root = access.root

    @property
    def root_namespace(self) -> str:
        """The namespace that this access may not leave."""
        return self._root

    @property
    def _access(self) -> Access:
        return self._boundary.in_force().access

    def _now(self) -> str:
        return identifiers.timestamp(self._clock())

    @contextmanager
    def _noting_refusal(self, verb: str, namespace: str, trace: Trace) -> Iterator[None]:
        """Write an event when the boundary refuses what is done inside; it says why and has nothing of the text."""
        try:
            yield
        except BoundaryDenied as error:
            version = self._boundary.at(namespace).version
            payload = {"verb": verb, "decision": "denied", "reason": error.message, "policy_version": version}
            self._note(self._access, "filter", payload, namespace=namespace, trace=trace)
            self._journal.write()
            raise

    def _note(
        self, access: Access, topic: events.Topic, payload: Mapping[str, Any], *, namespace: str, trace: Trace
    ) -> None:
        """Leave an event to the journal, which writes it in a moment."""
        row = events.row_of(access, topic, payload, namespace=namespace, at=self._now(), trace=trace)
        self._journal.add(row)

    def _measure(self, access: Access) -> edges.Measure:
        """Adds the thickness that edges have now, as metabolism would measure it."""
        known = self._boundary.in_force().policies

        def measure(tx: Transaction, some: Sequence[Edge]) -> tuple[MeasuredEdge, ...]:
            clocks = metabolism.clocks_of(
                tx,
                access,
                {edge.source_namespace for edge in some},
                moment=self._clock(),
                settings=lambda name: known.at(name).metabolism,
            )
            return metabolism.measured(tx, some, clocks)

        return measure


def trace_of(request_id: str | None, trace_id: str | None) -> Trace:
    """The caller's names for its request, checked."""
    given = {"request_id": request_id, "trace_id": trace_id}
    for field, value in given.items():
        if value is not None:
            refuse_secret(check.check_id(value, field=field), field=field)
    return Trace(**given)


def silent(done: int, total: int) -> None:
    """No progress shown."""
