"""A view: one access to a store, and what the engines behind `Memory` work with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wherefrom.api.boundary import Boundary, refuse_secret
from wherefrom.model import identifiers
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied
from wherefrom.model.graph import Edge, MeasuredEdge
from wherefrom.storage import edges, events, metabolism
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.api.store import Store


class View:
    """One access to a store. A view is cheap: it may be made for each request."""

    def __init__(self, store: Store, access: Access, allow: Sequence[str]) -> None:
        self.store = store
        self.root = access.root
        self.boundary = Boundary(store.policies, access, allow)

    @property
    def access(self) -> Access:
        """What this view may see as the policies stand now."""
        return self.boundary.in_force().access

    @property
    def writing(self) -> Access:
        """The access to write with. Statements that write see its root alone, and say of what it may only read that it
        may only be read.
        """
        return self.access

    def reading(self, namespace: str | None) -> Access:
        """What a search or a list looks in: a namespace and what is below it; without one, the default and the further
        roots that this view may read.
        """
        return self.access.reading(namespace)

    def now(self) -> str:
        """The time of the store's clock, as it is stored."""
        return identifiers.timestamp(self.store.clock())

    @contextmanager
    def noting_refusal(self, verb: str, namespace: str, trace: Trace) -> Iterator[None]:
        """Write an event when the boundary refuses what is done inside; it says why and has nothing of the text."""
        try:
            yield
        except BoundaryDenied as error:
            version = self.boundary.at(namespace).version
            payload = {"verb": verb, "decision": "denied", "reason": error.message, "policy_version": version}
            self.note(self.access, "filter", payload, namespace=namespace, trace=trace)
            self.store.journal.write()
            raise

    def note(
        self, access: Access, topic: events.Topic, payload: Mapping[str, Any], *, namespace: str, trace: Trace
    ) -> None:
        """Leave an event to the journal, which writes it in a moment."""
        row = events.row_of(access, topic, payload, namespace=namespace, at=self.now(), trace=trace)
        self.store.journal.add(row)

    def measure(self, access: Access) -> edges.Measure:
        """A function that adds to edges the thickness that they have now, as metabolism would measure it."""
        known = self.boundary.in_force().policies

        def measure(tx: Transaction, some: Sequence[Edge]) -> tuple[MeasuredEdge, ...]:
            clocks = metabolism.clocks_of(
                tx,
                access,
                {edge.source_namespace for edge in some},
                moment=self.store.clock(),
                settings=lambda name: known.at(name).metabolism,
            )
            return metabolism.measured(tx, some, clocks)

        return measure


class Engine:
    """Base of the engines: each works for one view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.store = view.store


def trace_of(request_id: str | None, trace_id: str | None) -> Trace:
    """The caller's names for its request, checked."""
    given = {"request_id": request_id, "trace_id": trace_id}
    for field, value in given.items():
        if value is not None:
            refuse_secret(check.check_id(value, field=field), field=field)
    return Trace(**given)


def silent(done: int, total: int) -> None:
    """Shows no progress."""
