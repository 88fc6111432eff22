"""What metabolism reads: thin edges, weak and orphaned nodes, vectors to compare; and its runs, one at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, StoreBusy
from wherefrom.model.graph import Edge, MeasuredEdge
from wherefrom.model.identifiers import timestamp
from wherefrom.model.metabolism import SparedRule
from wherefrom.model.namespaces import is_inside
from wherefrom.policy.metabolism import Metabolism
from wherefrom.storage.port import Model, Row, Transaction
from wherefrom.storage.statements import EDGE_COLUMNS, inside_parameters, own_parameters
from wherefrom.text.check import content_hash, json_text

# How many rows a page has.
PAGE: Final = 5_000
# How long a run is somebody's without a sign of life, and how long one that was cut off can be completed.
LEASE: Final = timedelta(minutes=2)
_COMPLETED_WITHIN: Final = timedelta(days=1)
_RUNS_KEPT: Final = timedelta(days=365)
# Each run takes over what the one before it knew.
_RUNS_READ: Final = 20
# From here on exp(-x) is nothing, also of the smallest weights that count.
_VANISHED: Final = 230.0
PARTS: Final = 50
_columns: Final[Callable[[Edge], tuple[Any, ...]]] = attrgetter(*EDGE_COLUMNS)
Settings = Callable[[str], Metabolism]
"""The settings of a namespace."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """By which times and settings the namespaces of a root are measured: `moment` is now, `newest` the time of the
    newest edge of each.
    """

    moment: datetime
    newest: Mapping[str, str]
    settings: Mapping[str, Metabolism]


@dataclass(frozen=True, slots=True)
class WeakNode:
    """A node whose edges are all thin, or that has none; rule: what spares it from being judged."""

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
class Thickness:
    """An edge and how thick it is. free: whether the access may see it, or whether it is old enough to go."""

    seq: int
    source_id: str
    target_id: str
    tag: str
    value: float
    free: bool = True
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that this process holds until `leased_until`."""

    id: str
    namespace: str
    moment: str
    newest: Mapping[str, str]
    leased_until: str
    resumed: bool = False


def namespaces(tx: Transaction, access: Access) -> dict[str, int]:
    """The namespaces of the root, and how many nodes each has."""
    return {row[0]: int(row[1]) for row in tx.rows("namespace_counts", own_parameters(access))}


def newest(tx: Transaction, access: Access, moment: datetime) -> dict[str, str]:
    """The time of the newest edge of each namespace; what is dated later than now does not count. An edge that a run
    let go goes on counting: otherwise the clock would run backwards.
    """
    now = timestamp(moment)
    where = {"owner": access.owner, "now": now, **inside_parameters("root", access.root)}
    found: dict[str, str] = dict(tx.rows("newest_edges", where))
    for name, time in _known_to_runs(tx, where):
        if is_inside(name, access.root):
            found[name] = max(found.get(name, ""), time)
    return found


def clocks_of(
    tx: Transaction, access: Access, names: Collection[str], *, moment: datetime, settings: Settings
) -> dict[str, Mapping[str, Any]]:
    """What a few namespaces are measured by, by name; the same as a run at this moment would measure them by."""
    if not names:
        return {}
    now = timestamp(moment)
    where = {"owner": access.owner, "now": now, **inside_parameters("root", access.root)}
    rows = tx.rows("newest_edges_of", {**where, "namespaces": json_text(sorted(names))})
    found: dict[str, str] = {name: time for name, time in rows if time is not None}
    for name, time in _known_to_runs(tx, where):
        if name in names:
            found[name] = max(found.get(name, ""), time)
    clocks = Clocks(moment, found, {name: settings(name) for name in names})
    return {name: _clock(clocks, name) for name in names}


def measured(
    tx: Transaction, edges: Sequence[Edge], clocks: Mapping[str, Mapping[str, Any]]
) -> tuple[MeasuredEdge, ...]:
    """Edges with their thickness, by the clocks of their namespaces; without a clock an edge has not decayed."""
    given = [
        {name: getattr(edge, name) for name in ("tag", "weight", "confidence", "observed_at")}
        | {name: clocks.get(edge.source_namespace, {}).get(name) for name in ("newest", "rate", "vanished")}
        for edge in edges
    ]
    values = tx.rows("thickness_of_edges", {"edges": json_text(given)}) if edges else []
    return tuple(MeasuredEdge(*(*_columns(edge), value)) for edge, (value,) in zip(edges, values, strict=True))


def set_clocks(tx: Transaction, clocks: Clocks) -> None:
    """Give the statements below what they measure by."""
    for name in ("clocks_table", "gone_table", "gone_clear"):
        tx.run(name, {})
    rows = [_clock(clocks, name) for name in sorted(clocks.settings)]
    mark = content_hash(json_text(rows))
    if tx.row("clocks_set", {}) != (mark,):
        tx.run("clocks_clear", {})
        # Not the name of a namespace: what all the others are.
        tx.run_many("clock_add", [{**dict.fromkeys(rows[0]), "namespace": "", "vanished": mark}, *rows])


def count_as_gone(tx: Transaction, seqs: Iterable[int]) -> None:
    """Let the statements below overlook these edges."""
    tx.run_many("gone_add", [{"seq": seq} for seq in seqs])


def weakly_connected_nodes(
    tx: Transaction, access: Access, *, now: str, ids: Sequence[str] | None = None
) -> Iterator[WeakNode]:
    """The nodes (of these, if given) that have edges, all of them thin, in the order of their seqs."""
    return _weak(tx, access, "weakly_connected_nodes", now, ids)


def orphan_nodes(tx: Transaction, access: Access, *, now: str, ids: Sequence[str] | None = None) -> Iterator[WeakNode]:
    """The nodes (of these, if given) that have no edge, in the order of their seqs."""
    return _weak(tx, access, "orphan_nodes", now, ids)


def thin_edges(tx: Transaction, access: Access, *, seqs: Sequence[int] | None = None) -> Iterator[Thickness]:
    """The edges (of these, if given) that are thin and old enough to go, in the order of their seqs."""
    where = {**own_parameters(access), "seqs": None if seqs is None else json_text(seqs)}
    return (Thickness(*row) for row in _pages(tx, "thin_edges", where))


def edges_of(tx: Transaction, access: Access, ids: Sequence[str]) -> Iterator[Thickness]:
    """All edges of these nodes; `free` if the access may see them."""
    known: set[int] = set()
    for start in range(0, len(ids), PAGE):
        where = {**own_parameters(access), "ids": json_text(ids[start : start + PAGE])}
        for row in tx.rows("edges_of_weak", where):
            if row[0] not in known:
                known.add(row[0])
                yield _thickness(row)


def thickness_of(tx: Transaction, access: Access, seqs: Iterable[int]) -> dict[int, Thickness]:
    """These edges as far as they are there; `free` if they are old enough to go."""
    where = {**own_parameters(access), "seqs": json_text(sorted(set(seqs)))}
    return {row[0]: _thickness(row) for row in tx.rows("edge_values", where)}


def tags(tx: Transaction, access: Access) -> list[str]:
    """The tags that the owner's edges have."""
    return sorted(row[0] for row in tx.rows("edge_tags", {"owner": access.owner}))


def edges_tagged(tx: Transaction, access: Access, some: Sequence[str]) -> Iterator[Thickness]:
    """The edges with these tags, by source; `free` if they are old enough to go."""
    where = {**own_parameters(access), "tags": json_text(some)}
    return (_thickness(row) for row in (tx.rows("edges_tagged", where) if some else ()))


def edge_total(tx: Transaction, access: Access) -> int:
    """How many edges the access may see."""
    (total,) = tx.row("visible_edge_total", own_parameters(access)) or (0,)
    return int(total)


def thickness_counts(tx: Transaction, access: Access) -> tuple[int, ...]:
    """How many edges there are of each thickness, in fiftieths of 1."""
    counts = [0] * PARTS
    for part, count in tx.rows("edge_thickness", own_parameters(access)):
        counts[min(max(int(part), 0), PARTS - 1)] += int(count)
    return tuple(counts)


def vectors_that_stay(
    tx: Transaction, access: Access, model: Model, *, namespaces: Sequence[str], kinds: Sequence[str], now: str
) -> Iterator[Row]:
    """Seq, id, namespace, kind, claim kind, class, expiry and stored vector of all that could stand for another."""
    where = {**own_parameters(access), "model": model.number, "now": now}
    where |= {"namespaces": json_text(namespaces), "kinds": json_text(kinds)}
    return tx.stream("vectors_that_stay", where)


def texts(tx: Transaction, access: Access, ids: Sequence[str]) -> Iterator[Row]:
    """Id, version, title, text, metadata, provenance and validity of these nodes."""
    for start in range(0, len(ids), PAGE):
        yield from tx.rows("texts_compared", {"owner": access.owner, "ids": json_text(ids[start : start + PAGE])})


def standing_in(tx: Transaction, access: Access, ids: Sequence[str]) -> set[str]:
    """Those of these nodes that stand for another: for one that was let go, as long as it can be brought back, or for
    one that names it as its heir.
    """
    found: set[str] = set()
    for start in range(0, len(ids), PAGE):
        where = {"owner": access.owner, "ids": json_text(ids[start : start + PAGE])}
        found.update(row[0] for row in tx.rows("standing_in", where))
    return found


def begin(
    tx: Transaction,
    access: Access,
    run_id: str,
    *,
    asked: Mapping[str, Any],
    moment: datetime,
    measured: Mapping[str, str],
) -> Run:
    """Take the run of this root, or go on with one that was cut off; one that is under way is left alone. measured:
    the newest times, read before: that takes as long as reading all edges.
    """
    access = access.writing()
    tx.run("lock_runs", {})
    now, until = timestamp(moment), timestamp(moment + LEASE)
    where = {"owner": access.owner, **inside_parameters("root", access.root)}
    words = json_text(asked)
    tx.run("runs_purge", {"owner": access.owner, "before": timestamp(moment - _RUNS_KEPT)})
    going = tx.rows("run_going", where)
    for _, namespace, _, _, _, started_at, leased_until in going:
        # A lease that no clock of now could have given was given by one that was wrong.
        if now < leased_until <= timestamp(moment + 2 * LEASE):
            raise StoreBusy(
                f"a run in {namespace!r} that began at {started_at} is under way",
                hint=f"try again when it is done; if it was killed, after {leased_until}",
            )
    run = None
    for known_id, namespace, known_asked, known_moment, known_newest, started_at, leased_until in going:
        same = (namespace, known_asked) == (access.root, words)
        if run is None and same and started_at > timestamp(moment - _COMPLETED_WITHIN):
            tx.run("run_extend", {"owner": access.owner, "id": known_id, "leased": leased_until, "until": until})
            run = Run(known_id, namespace, known_moment, json.loads(known_newest), until, resumed=True)
        else:
            ended = {"id": known_id, "state": "stopped", "now": now, "counts": "{}", "leased": leased_until}
            tx.run("run_end", {"owner": access.owner, **ended})
    if run is None:
        run = Run(run_id, access.root, now, measured, until)
        new = {"id": run_id, "namespace": access.root, "asked": words, "moment": now, "now": now, "until": until}
        tx.run("run_add", {"owner": access.owner, **new, "newest": json_text(run.newest), "counts": "{}"})
    return run


def let_go(tx: Transaction, access: Access, run: Run) -> dict[str, float]:
    """The thickest edge of each node among those that a run has let go already."""
    found: dict[str, float] = {}
    for source_id, target_id, reason in tx.rows("run_edges", {"owner": access.owner, "id": run.id}):
        value = json.loads(reason).get("thickness", 0.0)
        for end in (source_id, target_id):
            found[end] = max(found.get(end, 0.0), value)
    return found


def extend(tx: Transaction, access: Access, run: Run, moment: datetime) -> Run:
    """Go on holding a run; it is over if somebody else has taken it."""
    until = timestamp(moment + LEASE)
    row = {"owner": access.owner, "id": run.id, "leased": run.leased_until, "until": until}
    if not tx.count("run_extend", row):
        raise Conflict(f"run {run.id} was taken over by another process", hint="it completes what this one began")
    return replace(run, leased_until=until)


def end(tx: Transaction, access: Access, run: Run, *, state: str, counts: Mapping[str, int], now: str) -> None:
    """Give a run back: applied, or stopped before its end and to be completed (`running`). Nothing if somebody else
    has taken it over.
    """
    row = {"owner": access.owner, "id": run.id, "state": state, "now": now, "leased": run.leased_until}
    tx.run("run_end", {**row, "counts": json_text(counts)})


def _known_to_runs(tx: Transaction, where: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Namespaces with the newest times that the last runs measured by, as far as they are not later than now."""
    for (known,) in tx.rows("runs_newest", {**where, "limit": _RUNS_READ}):
        yield from ((name, time) for name, time in json.loads(known).items() if time <= where["now"])


def _thickness(row: Row) -> Thickness:
    seq, source_id, target_id, tag, value, free, *namespace = row
    return Thickness(seq, source_id, target_id, tag, value, bool(free), *namespace)


def _clock(clocks: Clocks, namespace: str) -> dict[str, Any]:
    settings, moment = clocks.settings[namespace], clocks.moment
    newest_edge = clocks.newest.get(namespace, timestamp(moment))
    last = datetime.fromisoformat(newest_edge)
    rate = math.log(2) / settings.half_life_days if settings.half_life_days else 0.0
    return {
        "namespace": namespace,
        "newest": newest_edge,
        "rate": rate,
        "vanished": _before(last, _VANISHED / rate if rate else math.inf),
        "halved": _before(last, settings.half_life_days or math.inf),
        "threshold": settings.prune_threshold,
        "protected": _before(moment, settings.protection_hours / 24),
    }


def _before(moment: datetime, days: float) -> str:
    """A time so many days earlier; before all others if there is none."""
    try:
        return timestamp(moment - timedelta(days=days))
    except OverflowError:
        return ""


def _weak(tx: Transaction, access: Access, name: str, now: str, ids: Sequence[str] | None) -> Iterator[WeakNode]:
    where = {**own_parameters(access), "now": now, "ids": None if ids is None else json_text(ids)}
    return (WeakNode(*row) for row in _pages(tx, name, where))


def _pages(tx: Transaction, name: str, where: Mapping[str, Any]) -> Iterator[Row]:
    """All rows of a statement that is read a page at a time, by the seq that each row starts with."""
    after = 0
    while True:
        rows = tx.rows(name, {**where, "after": after, "limit": PAGE})
        yield from rows
        if len(rows) < PAGE:
            return
        after = rows[-1][0]
