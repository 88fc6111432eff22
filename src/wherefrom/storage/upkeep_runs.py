"""Stores the runs of upkeep, and finds out where something is new since the last of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.identifiers import timestamp
from wherefrom.model.upkeep import UpkeepRun, UpkeepState, waiting_words
from wherefrom.storage.insight import PROPOSED_FOR, Seen, sight
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

_RUNS_KEPT: Final = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class PlanPart:
    """A plan of insight in a run: when it was made, how many of its relations wait, the seq after which it judged, how
    many nodes the run had judged before, and the numbers of the relations that were made by hand before it was applied.
    """

    id: str
    at: str
    links: int
    after: int
    judged: int = 0
    by_hand: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is stored.

    seen: up to where insight has looked. plan_id: metabolism's plan; nodes, links: how much it would let go.
    next_id: the id of its run of metabolism. made, gone: what was done. looking: a look is under way, up to the seq
    `upto`. told: what an event last said that waits.
    """

    id: str
    state: UpkeepState
    seen: Seen
    started_at: str
    metabolism_at: str | None = None
    ended_at: str | None = None
    undone_at: str | None = None
    plans: tuple[PlanPart, ...] = ()
    judged: int = 0
    plan_id: str | None = None
    nodes: int = 0
    links: int = 0
    next_id: str | None = None
    metabolism_ids: tuple[str, ...] = ()
    made: int = 0
    gone: int = 0
    note: str | None = None
    looking: bool = False
    upto: int = 0
    told: tuple[int, int] = (0, 0)

    def waiting(self, moment: datetime) -> tuple[int, int]:
        """How many relations and removals wait. A plan that is past is not counted: it is looked for again."""
        if self.state != "proposed":
            return 0, 0
        return sum(part.links for part in self.plans if not is_past(part, moment)), self.nodes + self.links

    def shown(self, moment: datetime) -> UpkeepRun:
        """The run as its users see it."""
        relations, removals = self.waiting(moment) if self.state == "proposed" else (self.made, self.gone)
        return UpkeepRun(
            id=self.id,
            state=self.state,
            started_at=self.started_at,
            ended_at=self.ended_at,
            undone_at=self.undone_at,
            judged=self.judged,
            relations=relations,
            removals=removals,
            plan_ids=tuple(part.id for part in self.plans),
            plan_relations=tuple(part.links for part in self.plans),
            metabolism_ids=self.metabolism_ids,
            note=self.note,
        )


_COLUMNS: Final = ("id", "state", "metabolism_at", "started_at", "ended_at", "undone_at")


def is_past(part: PlanPart, moment: datetime) -> bool:
    """True if a plan was made so long ago that it is no longer stored."""
    return part.at < timestamp(moment - PROPOSED_FOR)


def newest(tx: Transaction, access: Access, *, limit: int = 1) -> list[StoredRun]:
    """The newest runs of the root, for accesses that see the same as this one."""
    return [_run(row) for row in tx.rows("upkeep_runs_newest", {**_where(access), "limit": limit})]


def get(tx: Transaction, access: Access, run_id: str) -> StoredRun:
    """One run of the root."""
    row = tx.row("upkeep_run_get", {**_where(access), "id": run_id})
    if row is None:
        raise NotFound(f"there is no run of upkeep {run_id} in {access.root!r}", hint="upkeep lists the last ones")
    return _run(row)


def is_taken_back(tx: Transaction, access: Access) -> bool:
    """True if a run of the root was undone, and none was applied after that: by itself none is, so one was by hand."""
    return tx.row("upkeep_taken_back", _where(access)) is not None


def put(tx: Transaction, access: Access, run: StoredRun, *, moment: datetime) -> StoredRun:
    """Store a run as it is now, and delete those of the root whose time is over."""
    where = _where(access.writing())
    columns = {name: getattr(run, name) for name in _COLUMNS}
    tx.run("upkeep_run_put", {**where, **columns, "content": content_of(run)})
    tx.run("upkeep_runs_purge", {**where, "id": run.id, "before": timestamp(moment - _RUNS_KEPT)})
    return run


def proposed(tx: Transaction, access: Access) -> list[StoredRun]:
    """The runs that wait, of all roots of the owner and whoever sees them."""
    return [_run(row) for row in tx.rows("upkeep_runs_waiting", {"owner": access.owner})]


def content_of(run: StoredRun) -> str:
    """What is stored of a run beside its columns."""
    return json_text({name: value for name, value in asdict(run).items() if name not in _COLUMNS})


def waiting(tx: Transaction, access: Access, moment: datetime) -> str | None:
    """Say what waits in the root; None if nothing does."""
    found = newest(tx, access)
    return waiting_words(*found[0].waiting(moment)) if found else None


def new_since(
    tx: Transaction, access: Access, after: int, *, kinds: Sequence[str], now: str, limit: int
) -> tuple[int, str | None]:
    """The number of nodes of the root after a seq that can be linked, at most `limit`, and when the newest of them was
    saved.
    """
    where = {**scope_parameters(access.own()), "after": after, "kinds": json_text(kinds), "now": now, "limit": limit}
    row = tx.row("upkeep_new", where)
    assert row is not None
    return int(row[0]), row[1]


def places(tx: Transaction, *, after: int) -> tuple[list[tuple[str, str]], int]:
    """The owners, with the first segments of their namespaces, that have nodes after a seq; and the last seq."""
    rows = tx.rows("upkeep_places", {"after": after})
    return [(owner, place) for owner, place, _ in rows], max((int(row[2]) for row in rows), default=after)


def changed(tx: Transaction, access: Access, since: str) -> bool:
    """True if something of the owner was changed after a time, and not by upkeep alone."""
    return tx.row("upkeep_changed", {"owner": access.owner, "since": since}) is not None


def metabolism_run(tx: Transaction, access: Access, run_id: str) -> tuple[str, int, int] | None:
    """The state of a run of metabolism, and how many nodes and relations it let go as far as is noted; None if it was
    not begun.
    """
    row = tx.row("upkeep_metabolism", {"owner": access.owner, "id": run_id})
    if row is None:
        return None
    counts = json.loads(row[1])
    return row[0], counts.get("nodes", 0), counts.get("links", 0)


def rewound(run: StoredRun, moment: datetime) -> StoredRun:
    """The run without the plans from the first on that is no longer stored, to be looked at again from there."""
    past = next((at for at, part in enumerate(run.plans) if is_past(part, moment)), None)
    if run.state != "proposed" or past is None:
        return run
    first = run.plans[past]
    return replace(run, plans=run.plans[:past], seen=replace(run.seen, seq=first.after), judged=first.judged)


def _where(access: Access) -> dict[str, Any]:
    return {"owner": access.owner, "root": access.root, "seen_by": sight(access)}


def _run(row: Sequence[Any]) -> StoredRun:
    known = dict(zip(_COLUMNS, row, strict=False))
    content = json.loads(row[len(_COLUMNS)])
    content["seen"] = Seen(**content["seen"])
    content["plans"] = tuple(_part(**part) for part in content["plans"])
    content |= {name: tuple(content[name]) for name in ("metabolism_ids", "told")}
    return StoredRun(**known, **content)


def _part(*, by_hand: Sequence[int] = (), **known: Any) -> PlanPart:
    return PlanPart(**known, by_hand=tuple(by_hand))
