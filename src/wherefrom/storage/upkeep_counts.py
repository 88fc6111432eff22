"""Counts anew what waits in the runs of upkeep whenever something of it was decided, went or came back, so that whoever
says what waits reads one row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wherefrom.model.access import Access
from wherefrom.storage import upkeep_runs
from wherefrom.storage.port import Transaction
from wherefrom.storage.upkeep_runs import StoredRun
from wherefrom.text.check import json_text


def recount(tx: Transaction, access: Access) -> None:
    """Store in each run of the owner that waits how many of its relations and removals still do."""
    owner = {"owner": access.owner}
    for run in upkeep_runs.proposed(tx, access):
        links = _open_links(tx, owner, [part.id for part in run.plans])
        parts = tuple(replace(part, links=links.get(part.id, 0)) for part in run.plans)
        counted = _with_removals(tx, owner, replace(run, plans=parts))
        if counted != run:
            tx.run("upkeep_run_recount", {**owner, "id": run.id, "content": upkeep_runs.content_of(counted)})


def _open_links(tx: Transaction, owner: Mapping[str, str], plan_ids: Sequence[str]) -> dict[str, int]:
    """By plan of insight, how many links nobody has decided about and both ends of which are here."""
    rows = tx.rows("upkeep_plans_of_insight", {**owner, "ids": json_text(plan_ids)}) if plan_ids else []
    # One that was undone by hand is not applied again.
    plans = {plan_id: json.loads(content) for plan_id, state, content in rows if state != "undone"}
    ends = sorted({end for plan in plans.values() for link in plan["links"] for end in _ends(link)})
    where = {**owner, "ids": json_text(ends)}
    here = {row[0] for row in tx.rows("node_places", where)} if ends else set()
    declined = {(row[0], row[1]) for row in tx.rows("insight_declined_among", where)} if ends else set()

    def is_open(plan: Mapping[str, Any], number: int, link: Mapping[str, Any]) -> bool:
        key = link["source_id"], link["target_id"], link["tag"]
        is_decided = number in plan["chosen"] or any(tuple(made[:3]) == key for made in plan["made"])
        return not is_decided and _ends(link) not in declined and set(_ends(link)) <= here

    return {
        plan_id: sum(is_open(plan, number, link) for number, link in enumerate(plan["links"], start=1))
        for plan_id, plan in plans.items()
    }


def _with_removals(tx: Transaction, owner: Mapping[str, str], run: StoredRun) -> StoredRun:
    """A run with the numbers of the nodes and relations of its plan of metabolism that are here; none once somebody has
    applied it.
    """
    if run.plan_id is None:
        return run
    row = tx.row("upkeep_plans_of_metabolism", {**owner, "ids": json_text([run.plan_id])})
    if row is None:
        return replace(run, nodes=0, links=0)
    plan = json.loads(row[1])
    going = [removal["id"] for removal in plan["going"]]
    seqs = [*(seq for seq, _ in plan["thin"]), *(removal["edge"]["seq"] for removal in plan["conflicting"])]
    nodes = len(tx.rows("node_places", {**owner, "ids": json_text(going)})) if going else 0
    links = tx.number("upkeep_edges_here", {**owner, "seqs": json_text(seqs)}) if seqs else 0
    return replace(run, nodes=nodes, links=int(links))


def _ends(link: Mapping[str, Any]) -> tuple[str, str]:
    """The ends of a link, the lower id first."""
    return min(link["source_id"], link["target_id"]), max(link["source_id"], link["target_id"])
