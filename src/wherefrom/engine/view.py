"""A view: one access to a store, with which the engines behind `Memory` work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wherefrom.engine.boundary import Boundary
from wherefrom.model import identifiers
from wherefrom.model.access import READ_HINT, Access
from wherefrom.model.callers import has_role
from wherefrom.model.errors import BoundaryDenied
from wherefrom.model.graph import Edge, MeasuredEdge
from wherefrom.model.history import Topic
from wherefrom.storage import edges, events, metabolism, reviewing, upkeep_runs
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction

if TYPE_CHECKING:
    from wherefrom.engine.resources import Resources


class View:
    """One access to a store. A view is cheap: it may be made for each request."""

    def __init__(
        self, store: Resources, access: Access, allow: Sequence[str], *, tools: Sequence[str] = ("all",)
    ) -> None:
        """`tools` are the sets of tools that its caller may use: the keys that it makes have no others."""
        self.store = store
        self.root = access.root
        self.role = access.role
        self.tools = tuple(tools)
        self.boundary = Boundary(store.policies, access, allow)

    @property
    def access(self) -> Access:
        """The access of this view, as the policies stand now. Statements that write see its root alone."""
        return self.boundary.access

    def now(self) -> str:
        """Return the time of the store's clock, in the form in which times are stored."""
        return identifiers.timestamp(self.store.clock())

    @contextmanager
    def noting_refusal(self, verb: str, namespace: str, trace: Trace) -> Iterator[None]:
        """Write an event if the boundary refuses what is done inside; it has the reason, and nothing of the text."""
        try:
            yield
        except BoundaryDenied as error:
            version = self.boundary.at(namespace).version
            # Others who see this root alone must not learn what lies outside of it.
            reason = "it may only be read" if error.hint == READ_HINT else error.message
            payload = {"verb": verb, "decision": "denied", "reason": reason, "policy_version": version}
            self.note(self.access, "filter", payload, namespace=namespace, trace=trace)
            self.store.journal.write()
            raise

    def note(self, access: Access, topic: Topic, payload: Mapping[str, Any], *, namespace: str, trace: Trace) -> None:
        """Leave an event to the journal, which writes it in a moment."""
        about = events.about_place(access, namespace)
        row = events.row_of(access, topic, payload, about=about, at=self.now(), trace=trace)
        self.store.journal.add(row)

    def clocks(self, access: Access) -> Callable[[Transaction, Iterable[str]], metabolism.Clocks]:
        """Return a function that reads the clocks of some namespaces, by which their edges decay."""
        known, kind = self.boundary.policies, self.store.policies.section("metabolism")

        def clocks(tx: Transaction, namespaces: Iterable[str]) -> metabolism.Clocks:
            settings = {name: known.at(name).settings(kind) for name in namespaces}
            moment = self.store.clock()
            newest = metabolism.newest(tx, access, moment, among=settings) if settings else {}
            return metabolism.Clocks(moment, newest, settings)

        return clocks

    def measure(self, access: Access) -> edges.Measure:
        """Return a function that adds to edges their present thickness, as metabolism measures it."""
        clocks = self.clocks(access)

        def measure(tx: Transaction, some: Sequence[Edge]) -> tuple[MeasuredEdge, ...]:
            return metabolism.measured(tx, some, clocks(tx, {edge.source_namespace for edge in some}))

        return measure

    def pairs_waiting(self, access: Access) -> Callable[[Transaction], str | None]:
        """Return a function that says how many pairs wait for review, as far as that is cheap to know."""
        known, kind, access = self.boundary.policies, self.store.policies.section("metabolism"), access.own()
        tags = frozenset(known.at(access.root).settings(kind).exclusive)

        def count(tx: Transaction) -> str | None:
            number = reviewing.waiting(tx, access, tags, now=self.now())
            return f"{number} {'pair waits' if number == 1 else 'pairs wait'} for review" if number else None

        return count

    def upkeep_waiting(self) -> Callable[[Transaction], str | None]:
        """Return a function that says what upkeep has found in the root and waits, to those who may have it done."""
        access, moment = self.access, self.store.clock()
        may = access.writes and has_role(self.role, "admin")
        return lambda tx: upkeep_runs.waiting(tx, access, moment) if may else None


class Engine:
    """Base of the engines: each works for one view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.store = view.store


def silent(done: int, total: int) -> None:
    """Show no progress."""
