"""Stores the plans of metabolism: what each would let go, by which versions, settings and times it judged, and by which
run it was applied.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, Gone, NotFound
from wherefrom.model.identifiers import short_id, timestamp
from wherefrom.storage.insight import PROPOSED_FOR, sight
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

# One that was applied is stored as long as the receipts of its run.
_APPLIED_FOR: Final = timedelta(days=30)
# Looking at what may go is how people choose settings, and each look makes a plan.
_MAX_WAITING: Final = 50


@dataclass(frozen=True, slots=True)
class StoredMetabolism:
    """A plan as it is stored: `content` is what metabolism/stored.py makes of it."""

    id: str
    namespace: str
    content: Mapping[str, Any]
    created_at: str
    run_id: str | None
    applied_at: str | None


def keep(
    tx: Transaction,
    access: Access,
    plan_id: str,
    content: Mapping[str, Any],
    *,
    moment: datetime,
    run_id: str | None = None,
) -> None:
    """Store a plan, with the run that applied it if it has been; delete those whose time is over."""
    access, now = access.writing(), timestamp(moment)
    bounds = {"waiting": timestamp(moment - PROPOSED_FOR), "applied": timestamp(moment - _APPLIED_FOR)}
    tx.run("metabolism_plans_purge", {"owner": access.owner, **bounds, "most": _MAX_WAITING - 1})
    row: dict[str, Any] = {
        "owner": access.owner,
        "id": plan_id,
        "namespace": access.root,
        "seen_by": sight(access),
        "now": now,
    }
    row |= {"node_count": len(content["going"]), "link_count": len(content["thin"]) + len(content["conflicting"])}
    applied = {"run_id": run_id, "applied_at": None if run_id is None else now}
    tx.run("metabolism_plan_add", {**row, **applied, "content": json_text(content)})


def get(tx: Transaction, access: Access, plan_id: str, *, moment: datetime) -> StoredMetabolism:
    """A plan of the root, for an access that sees the same as the one that made it."""
    row = tx.row("metabolism_plan_get", {**scope_parameters(access.own()), "id": plan_id, "seen_by": sight(access)})
    if row is None:
        raise NotFound(f"there is no plan {plan_id} in {access.root!r}", hint="metabolize makes one")
    known_id, namespace, content, *times = row
    plan = StoredMetabolism(known_id, namespace, json.loads(content), *times)
    if plan.run_id is None and plan.created_at < timestamp(moment - PROPOSED_FOR):
        late = f"plan {plan_id} was made more than {PROPOSED_FOR.days} days ago"
        raise Gone(late, hint="metabolize makes a new one")
    return plan


def require_waiting(plan: StoredMetabolism) -> None:
    """Raise an error if a plan was applied."""
    if plan.run_id is not None:
        raise Conflict(
            f"plan {plan.id} was applied by run {short_id(plan.run_id)}",
            hint="restore with its run_id takes it back; metabolize makes a new plan",
        )


def mark(tx: Transaction, access: Access, plan_id: str, run_id: str, *, now: str) -> None:
    """Store by which run a plan was applied."""
    tx.run("metabolism_plan_mark", {"owner": access.writing().owner, "id": plan_id, "run_id": run_id, "now": now})


def gone_by(tx: Transaction, access: Access, run_id: str) -> tuple[set[str], set[int]]:
    """The ids of the nodes and the seqs of the edges that a run has let go so far."""
    rows = tx.rows("run_receipts", {"owner": access.owner, "id": run_id})
    return {row[1] for row in rows if row[0] == "node"}, {int(row[2]) for row in rows if row[0] == "edge"}
