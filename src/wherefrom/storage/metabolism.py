"""Reads the graph for metabolism (thin edges, weak and orphaned nodes, vectors to compare), and stores its runs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from operator import attrgetter
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, StoreBusy
from wherefrom.model.graph import JUDGEMENTS, Edge, MeasuredEdge
from wherefrom.model.identifiers import timestamp
from wherefrom.model.insight import CONFIDENCE
from wherefrom.model.metabolism import SparedRule
from wherefrom.model.namespaces import is_inside
from wherefrom.storage import events, locks
from wherefrom.storage.port import EmbeddingModel, Row, Transaction
from wherefrom.storage.sql import EDGE_COLUMNS, inside_parameters, scope_parameters
from wherefrom.text.check import json_text

# Nodes are looked up by their ids if they are at most this fraction of all; else all are read.
_MAX_SHARE_BY_ID: Final = 3
# So many thin edges are kept in memory, so that they need not be read twice.
_MAX_KEPT_THIN: Final = 200_000
# Rows are read in pages of this size.
PAGE_ROWS: Final = 5_000
# A run whose lease is over may be taken by another process; one that was cut off can be completed within a day.
LEASE: Final = timedelta(minutes=2)
_COMPLETED_WITHIN: Final = timedelta(days=1)
_RUNS_KEPT: Final = timedelta(days=365)
# Each run stores the newest times that the runs before it knew, so a few of them are enough.
_RUNS_READ: Final = 20
# exp(-x) times the smallest weight that counts (1e-100) is zero for greater exponents x.
_MAX_EXPONENT: Final = 230.0
THICKNESS_PARTS: Final = 50
_columns: Final[Callable[[Edge], tuple[Any, ...]]] = attrgetter(*EDGE_COLUMNS)


@dataclass(frozen=True)
class Clocks:
    """The clocks of the namespaces of a root: now (`moment`), and for each the time of its newest edge and the settings
    of metabolism, which say how its edges decay.
    """

    moment: datetime
    newest: Mapping[str, str]
    settings: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The clock of each namespace as JSON, for statements."""
        return json_text([self.clock(namespace) for namespace in sorted(self.settings)])

    @cached_property
    def surely_thick(self) -> dict[str, Any]:
        """The strengths and times from which on an edge is thick in all namespaces."""
        known = [self.clock(namespace) for namespace in self.settings]
        threshold = max((clock["threshold"] for clock in known), default=0.0)
        halved, quartered = (max((clock[name] for clock in known), default="") for name in ("halved", "quartered"))
        return {"twice": 2 * threshold, "halved": halved, "fourfold": 4 * threshold, "quartered": quartered}

    def clock(self, namespace: str) -> dict[str, Any]:
        """The times and rates from which statements compute the thickness of a namespace's edges."""
        settings = self.settings[namespace]
        newest_edge = self.newest.get(namespace, timestamp(self.moment))
        last = datetime.fromisoformat(newest_edge)
        rate = math.log(2) / settings.half_life_days if settings.half_life_days else 0.0
        return {
            "namespace": namespace,
            "newest": newest_edge,
            "rate": rate,
            "vanished": _before(last, _MAX_EXPONENT / rate if rate else math.inf),
            "halved": _before(last, settings.half_life_days or math.inf),
            "quartered": _before(last, 2 * settings.half_life_days or math.inf),
            "threshold": settings.prune_threshold,
            "protected": _before(self.moment, settings.protection_hours / 24),
        }


@dataclass(frozen=True, slots=True)
class WeakNode:
    """A node whose edges are all thin, or that has none. rule: the rule that exempts it from the MDL test."""

    seq: int
    id: str
    version: int
    namespace: str
    kind: str
    claim_kind: str | None
    boundary_class: str
    expires_at: str | None
    rule: SparedRule | None


@dataclass(frozen=True, slots=True)
class ThickEdge:
    """An edge and its thickness (`value`). free: True if the access may see it, or if it is old enough to go."""

    seq: int
    source_id: str
    target_id: str
    tag: str
    value: float
    free: bool = True
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class WeighedEdge:
    """An edge with what decides whether it stays beside another with the same ends and tag. is_human: a person judged
    it. is_thin: it is thin and old enough to go. is_judgement: a fragment judges a statement by it.
    """

    edge: ThickEdge
    is_human: bool
    is_thin: bool
    is_judgement: bool


@dataclass(frozen=True, slots=True)
class Run:
    """A run that this process holds until `leased_until`."""

    id: str
    namespace: str
    moment: str
    newest: Mapping[str, str]
    leased_until: str
    resumed: bool = False


class MeasuredGraph:
    """The graph below an access's root in one transaction, measured by some clocks."""

    def __init__(self, tx: Transaction, access: Access, clocks: Clocks) -> None:
        self.tx, self.access, self.clocks = tx, access, clocks
        self.now = timestamp(clocks.moment)
        measured = {"now": self.now, "clocks": clocks.text, "gone": None, "guessed": CONFIDENCE}
        self._where = {**scope_parameters(access.own()), **measured, **clocks.surely_thick}
        self._thin: list[ThickEdge] | None = None

    def overlook(self, seqs: Iterable[int]) -> None:
        """Count these edges as gone from now on."""
        self._where["gone"], self._thin = (json_text(sorted(gone)) if (gone := set(seqs)) else None), None

    def weakly_connected_nodes(self, ids: Sequence[str] | None = None) -> Iterator[WeakNode]:
        """The nodes (of these, if given) that have edges, those that keep them all thin, in the order of their seqs."""
        if ids is None:
            ids = self._loose_ends(sum(namespaces(self.tx, self.access).values()) // _MAX_SHARE_BY_ID)
        if ids is None:
            return (WeakNode(*row) for row in self._pages("weakly_connected_nodes", ids=None))
        pages = (ids[start : start + PAGE_ROWS] for start in range(0, len(ids), PAGE_ROWS))
        rows = (row for page in pages for row in self._pages("weakly_connected_nodes", ids=page))
        return (WeakNode(*row) for row in sorted(rows))

    def orphan_nodes(self, ids: Sequence[str] | None = None) -> Iterator[WeakNode]:
        """The nodes (of these, if given) that have no edge, in the order of their seqs."""
        return (WeakNode(*row) for row in self._pages("orphan_nodes", ids=ids))

    def thin_edges(self, seqs: Sequence[int] | None = None) -> Iterator[ThickEdge]:
        """The edges (of these, if given) that are thin and old enough to go, in the order of their seqs."""
        if seqs is None and self._thin is not None:
            return iter(self._thin)
        given = {"seqs": None if seqs is None else json_text(seqs)}
        return (ThickEdge(*row) for row in self.tx.stream("thin_edges", {**self._where, **given}))

    def edges_of(self, ids: Sequence[str]) -> Iterable[ThickEdge]:
        """All edges of these nodes, each once; `free` if the access may see it."""
        return {row[0]: ThickEdge(*row) for row in self._rows("edges_of_weak", ids)}.values()

    def edges_by_seq(self, seqs: Iterable[int]) -> dict[int, ThickEdge]:
        """The edges with these seqs that still exist; `free` if they are old enough to go."""
        rows = self.tx.rows("edge_values", {**self._where, "seqs": json_text(sorted(set(seqs)))})
        return {row[0]: ThickEdge(*row) for row in rows}

    def weighed(self, seqs: Iterable[int]) -> Iterator[WeighedEdge]:
        """The edges with these seqs, with what decides which of them stay."""
        order = sorted(set(seqs))
        for start in range(0, len(order), PAGE_ROWS):
            page = {"seqs": json_text(order[start : start + PAGE_ROWS]), "judgements": json_text(JUDGEMENTS)}
            for row in self.tx.rows("edges_weighed", {**self._where, **page}):
                yield WeighedEdge(ThickEdge(*row[:5]), *map(bool, row[5:]))

    def seqs_of(self, keys: Iterable[tuple[str, str, str]]) -> list[int]:
        """The seqs of the edges that there are with these ends and tags."""
        rows = [dict(zip(("source_id", "target_id", "tag"), key, strict=True)) for key in sorted(keys)]
        return [row[0] for row in self.tx.many("edge_seqs", rows, {"owner": self.access.owner})]

    def tags(self) -> list[str]:
        """The tags that the owner's edges have."""
        return sorted(row[0] for row in self.tx.rows("edge_tags", self._where))

    def edges_tagged(self, tags: Sequence[str]) -> Iterator[ThickEdge]:
        """The edges with these tags, by source; `free` if they are old enough to go."""
        rows = self.tx.rows("edges_tagged", {**self._where, "tags": json_text(tags)}) if tags else ()
        return (ThickEdge(*row) for row in rows)

    def edge_total(self) -> int:
        """The number of edges that the access may see."""
        return self.tx.number("edges_visible", self._where)

    def thickness_counts(self) -> tuple[int, ...]:
        """The number of edges in each fiftieth of the thickness, from 0 to 1."""
        counts = [0] * THICKNESS_PARTS
        for part, count in self.tx.rows("edge_thickness", self._where):
            counts[min(max(int(part), 0), THICKNESS_PARTS - 1)] += int(count)
        return tuple(counts)

    def vectors_that_stay(
        self, model: EmbeddingModel, *, namespaces: Sequence[str], kinds: Sequence[str]
    ) -> Iterator[Row]:
        """Seq, id, namespace, kind, claim kind, class, expiry and stored vector of each node that could stand for
        another.
        """
        given = {"model": model.number, "namespaces": json_text(namespaces), "kinds": json_text(kinds)}
        return self.tx.stream("vectors_that_stay", {**self._where, **given})

    def texts(self, ids: Sequence[str]) -> Iterator[Row]:
        """Id, version, title, text, metadata, provenance, validity, speaker, session, hash, utility and time of
        creation of these nodes.
        """
        return self._rows("texts_compared", ids)

    def disputes(self, ids: Sequence[str]) -> set[frozenset[str]]:
        """The pairs of these nodes that contradict or replace each other, whoever may see that."""
        rows = self.tx.rows("disputes_of_all", {**self._where, "ids": json_text(ids)}) if ids else ()
        return {frozenset(row) for row in rows}

    def standings(self, ids: Sequence[str]) -> Iterator[Row]:
        """Id, number of judgements and number of stated relations of these nodes."""
        return self._rows("standings", ids)

    def judged_nodes(self, ids: Sequence[str]) -> Iterator[WeakNode]:
        """These nodes with the rules that exempt them, however thick their edges are."""
        return (WeakNode(*row) for row in self._pages("nodes_judged", ids=ids)) if ids else iter(())

    def live_versions(self, ids: Sequence[str]) -> dict[str, int]:
        """The versions of those of these nodes that live and that nothing has replaced."""
        return dict(self._rows("versions_that_live", ids))

    def standing_in(self, ids: Sequence[str]) -> set[str]:
        """The nodes among these that stand for another, which was superseded, or let go and can be brought back."""
        return {row[0] for row in self._rows("standing_in", ids)}

    def _loose_ends(self, most: int) -> list[str] | None:
        """The nodes that may have no thick edge; None if they are more than these, or their edges too many to keep. The
        thin ones are noted.
        """
        found: set[str] = set()
        thin: list[ThickEdge] = []
        for count, (*edge, is_thin) in enumerate(self.tx.stream("loose_edges", self._where)):
            found.update(edge[1:3])
            thin += [ThickEdge(*edge)] if is_thin else []
            if len(found) > most or count > _MAX_KEPT_THIN:
                return None
        self._thin = sorted(thin, key=attrgetter("seq"))
        return sorted(found)

    def _rows(self, name: str, ids: Sequence[str]) -> Iterator[Row]:
        """All rows of a statement about some nodes, which is run for a page of the ids at a time."""
        for start in range(0, len(ids), PAGE_ROWS):
            yield from self.tx.rows(name, {**self._where, "ids": json_text(ids[start : start + PAGE_ROWS])})

    def _pages(self, name: str, **given: Sequence[Any] | None) -> Iterator[Row]:
        """All rows of a statement, read a page at a time by the seq with which each row starts."""
        asked = {key: None if values is None else json_text(values) for key, values in given.items()}
        after = 0
        while True:
            rows = self.tx.rows(name, {**self._where, **asked, "after": after, "limit": PAGE_ROWS})
            yield from rows
            if len(rows) < PAGE_ROWS:
                return
            after = rows[-1][0]


def namespaces(tx: Transaction, access: Access) -> dict[str, int]:
    """The namespaces of the root, and how many nodes each has."""

    def read() -> dict[str, int]:
        return {row[0]: int(row[1]) for row in tx.rows("namespace_counts", scope_parameters(access.own()))}

    return tx.once(("namespaces", access.own()), read)


def newest(tx: Transaction, access: Access, moment: datetime, *, among: Iterable[str] | None = None) -> dict[str, str]:
    """The time of the newest edge of each namespace (of these, if given), by edges that are not dated later than now.
    An edge that a run let go goes on counting: otherwise the clock would run backwards.
    """
    now, names = timestamp(moment), None if among is None else sorted(among)
    where = {"owner": access.owner, "now": now, **inside_parameters("root", access.root)}
    if names is None:
        rows = tx.rows("newest_edges", where)
    else:
        rows = tx.rows("newest_edges_of", {**where, "namespaces": json_text(names)})
    found: dict[str, str] = {name: time for name, time in rows if time is not None}
    for (known,) in tx.rows("runs_newest", {**where, "limit": _RUNS_READ}):
        for name, time in json.loads(known).items():
            if time <= now and (is_inside(name, access.root) if names is None else name in names):
                found[name] = max(found.get(name, ""), time)
    return found


def measured(tx: Transaction, edges: Sequence[Edge], clocks: Clocks | None) -> tuple[MeasuredEdge, ...]:
    """The edges with their thickness, by the clocks of their namespaces; without clocks they have not decayed."""
    by_namespace = {} if clocks is None else {name: clocks.clock(name) for name in clocks.settings}
    given = [
        {name: getattr(edge, name) for name in ("tag", "weight", "confidence", "observed_at")}
        | {name: by_namespace.get(edge.source_namespace, {}).get(name) for name in ("newest", "rate", "vanished")}
        for edge in edges
    ]
    values = tx.rows("thickness_of_edges", {"edges": json_text(given)}) if edges else []
    return tuple(MeasuredEdge(*(*_columns(edge), value)) for edge, (value,) in zip(edges, values, strict=True))


def begin(
    tx: Transaction,
    access: Access,
    run_id: str,
    *,
    asked: Mapping[str, Any],
    moment: datetime,
    measured: Mapping[str, str],
) -> Run:
    """Begin a run of this root, or take over one with the same settings that was cut off; refuses if one is under way.
    measured: the newest times, read before this transaction, because that takes as long as reading all edges.
    """
    access = access.writing()
    locks.be_alone(tx, access.owner)
    now, words = timestamp(moment), json_text(asked)
    tx.run("runs_purge", {"owner": access.owner, "before": timestamp(moment - _RUNS_KEPT)})
    rows = tx.rows("run_going", {"owner": access.owner, **inside_parameters("root", access.root)})
    going = [(Run(*(*row[:3], json.loads(row[3]), row[4])), row[5], row[6]) for row in rows]
    for run, _, started_at in going:
        # A lease that ends later than any lease of now was given by a clock that was wrong.
        if now < run.leased_until <= timestamp(moment + 2 * LEASE):
            raise StoreBusy(
                f"a run in {run.namespace!r} that began at {started_at} is under way",
                hint=f"try again when it is done; if it was killed, after {run.leased_until}",
            )
    resumed = None
    for run, known_words, started_at in going:
        same = (run.namespace, known_words) == (access.root, words)
        if resumed is None and same and started_at > timestamp(moment - _COMPLETED_WITHIN):
            resumed = replace(extend(tx, access, run, moment), resumed=True)
        else:
            end(tx, access, run, state="stopped", counts={}, now=now)
            note(tx, access, run, state="stopped", counts={}, now=now)
    if resumed is not None:
        return resumed
    run = Run(run_id, access.root, now, measured, timestamp(moment + LEASE))
    row = {"owner": access.owner, "id": run.id, "namespace": run.namespace, "until": run.leased_until, "asked": words}
    tx.run("run_add", {**row, "now": now, "newest": json_text(run.newest)})
    return run


def let_go(tx: Transaction, access: Access, run: Run) -> dict[str, float]:
    """The thickness of the thickest edge that a run has let go so far, for each node."""
    found: dict[str, float] = {}
    for source_id, target_id, reason in tx.rows("run_edges", {"owner": access.owner, "id": run.id}):
        value = json.loads(reason).get("thickness", 0.0)
        for end in (source_id, target_id):
            found[end] = max(found.get(end, 0.0), value)
    return found


def extend(tx: Transaction, access: Access, run: Run, moment: datetime) -> Run:
    """Extend the lease of a run; raises if another process has taken it over."""
    until = timestamp(moment + LEASE)
    row = {"owner": access.owner, "id": run.id, "leased": run.leased_until, "until": until}
    if not tx.count("run_extend", row):
        raise Conflict(f"run {run.id} was taken over by another process", hint="it completes what this one began")
    return replace(run, leased_until=until)


def end(tx: Transaction, access: Access, run: Run, *, state: str, counts: Mapping[str, int], now: str) -> None:
    """Store how a run ended: applied, or stopped early and to be completed (`running`). Does nothing if another process
    has taken it over.
    """
    row = {"owner": access.owner, "id": run.id, "state": state, "now": now, "leased": run.leased_until}
    tx.run("run_end", {**row, "counts": json_text(counts)})


def note(tx: Transaction, access: Access, run: Run, *, state: str, counts: Mapping[str, int], now: str) -> None:
    """Record as an event how far a run has come."""
    payload = {"run_id": run.id, "state": state, **counts}
    about = events.about_place(access, run.namespace, part_of=run.id)
    events.record(tx, access, "metabolism", payload, about=about, at=now)


def _before(moment: datetime, days: float) -> str:
    """The time this many days before a moment; the empty text, which sorts first, if there is no such time."""
    try:
        return timestamp(moment - timedelta(days=days))
    except OverflowError:
        return ""
