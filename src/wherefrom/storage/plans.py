"""Lists the stored plans of insight and metabolism, and the runs of which no plan is stored."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from wherefrom.model.access import Access
from wherefrom.model.identifiers import timestamp
from wherefrom.model.plans import PlanKind, PlanSummary
from wherefrom.storage import insight
from wherefrom.storage.insight import PROPOSED_FOR
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text


def page(
    tx: Transaction, access: Access, kind: PlanKind | None, *, limit: int, moment: datetime, plan_id: str | None = None
) -> list[PlanSummary]:
    """The newest plans and runs that the access may see, the newest first; with an id, that one alone."""
    since = timestamp(moment - PROPOSED_FOR)
    where: dict[str, Any] = {**scope_parameters(access.own()), "since": since, "limit": limit, "id": plan_id}
    found: list[PlanSummary] = []
    if kind != "metabolism":
        rows = tx.rows("plans_of_insight", {**where, "seen_by": insight.sight(access)})
        found += [_of_insight(row) for row in rows]
    if kind != "insight":
        found += _of_metabolism(tx, access, tx.rows("plans_of_metabolism", {**where, "seen_by": insight.sight(access)}))
        if plan_id is None:
            found += [_run(row) for row in tx.rows("runs_without_plan", where)]
    return sorted(found, key=lambda plan: (plan.created_at, plan.id), reverse=True)[:limit]


def _of_insight(row: Row) -> PlanSummary:
    plan_id, state, namespace, created_at, decided_at, links, made = row
    return PlanSummary(plan_id, "insight", state, created_at, namespace, decided_at, links=int(links), made=int(made))


def _of_metabolism(tx: Transaction, access: Access, rows: list[Row]) -> list[PlanSummary]:
    """The plans of some rows; one of whose run no receipt is left has been undone."""
    runs = [row[4] for row in rows if row[4] is not None]
    left = {row[0] for row in tx.rows("runs_with_receipts", {"owner": access.owner, "ids": json_text(runs)})}
    found = []
    for plan_id, namespace, created_at, applied_at, run_id, nodes, links, counts in rows:
        figures = {"decided_at": applied_at, "run_id": run_id, "nodes": int(nodes), "links": int(links)}
        went = json.loads(counts or "{}")
        if run_id is not None:  # some may have stayed
            figures["nodes"] = went.get("nodes", figures["nodes"])
        is_undone = run_id not in left and bool(went.get("nodes") or went.get("links"))
        state: Any = "proposed" if run_id is None else "undone" if is_undone else "applied"
        found.append(PlanSummary(plan_id, "metabolism", state, created_at, namespace, **figures))
    return found


def _run(row: Row) -> PlanSummary:
    run_id, state, namespace, created_at, ended_at, counts = row
    known = json.loads(counts)
    figures = {"nodes": known.get("nodes", 0), "links": known.get("links", 0)}
    return PlanSummary(run_id, "metabolism", state, created_at, namespace, ended_at, run_id, **figures)
