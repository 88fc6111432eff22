"""Counts anew what waits in the runs of upkeep whenever something of it was decided, went or came back, so that whoever
says what waits reads one row; and reads the relations that wait.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wherefrom.model.access import Access
from wherefrom.model.insight import DOUBT, ProposedEdge
from wherefrom.storage import judged_texts, upkeep_runs
from wherefrom.storage.candidates import WeightedEdge
from wherefrom.storage.port import Transaction
from wherefrom.storage.upkeep_runs import StoredRun
from wherefrom.text.check import json_text


def recount(tx: Transaction, access: Access) -> None:
    """Store in each run of the owner that waits how many of its relations and removals still do."""
    owner = {"owner": access.owner}
    for run in upkeep_runs.proposed(tx, access):
        links = _open_links(tx, owner, [part.id for part in run.plans], without=_going(tx, owner, run))
        parts = tuple(replace(part, links=len(links.get(part.id, ()))) for part in run.plans)
        counted = _with_removals(tx, owner, replace(run, plans=parts))
        if counted != run:
            tx.run("upkeep_run_recount", {**owner, "id": run.id, "content": upkeep_runs.content_of(counted)})


def waiting_edges(tx: Transaction, access: Access, run: StoredRun) -> list[WeightedEdge]:
    """The relations of a run that wait, as strong as they are followed once they are written."""
    links = _open_links(tx, {"owner": access.owner}, [part.id for part in run.plans])
    trust = ProposedEdge.confidence - DOUBT
    return [
        WeightedEdge(link["source_id"], link["target_id"], link["tag"], link["weight"] * trust)
        for of_plan in links.values()
        for link in of_plan
    ]


def left_out(tx: Transaction, access: Access, run: StoredRun) -> tuple[int, int]:
    """Of the pairs that a run was to relate and did not: how many have a relation, and how many have none. Those of
    which it let an end go itself were not to be related.
    """
    ids = json_text([part.id for part in run.plans])
    owner = {"owner": access.owner}
    rows = tx.rows("upkeep_plans_of_insight", {**owner, "ids": ids}) if run.plans else []
    plans = [json.loads(content) for _, _, content in rows]
    chosen = {_ends(plan["links"][number - 1]) for plan in plans for number in plan["chosen"]}
    left = chosen.difference((min(edge[:2]), max(edge[:2])) for plan in plans for edge in plan["made"])
    ends = {end for pair in left for end in pair}
    gone = _going(tx, owner, run).difference(judged_texts.ends_here(tx, access.owner, ends))
    known = _related(tx, owner, ends)
    is_related = [frozenset(pair) in known for pair in left if gone.isdisjoint(pair)]
    return sum(is_related), len(is_related) - sum(is_related)


def _open_links(
    tx: Transaction, owner: Mapping[str, str], plan_ids: Sequence[str], *, without: Collection[str] = ()
) -> dict[str, list[Mapping[str, Any]]]:
    """By plan of insight, the links that nobody has decided about, whose ends are both here, say what was judged, and
    have no relation. Of a pair that two plans have, the link of the first one: no second one is made. `without` links
    of some nodes.
    """
    rows = tx.rows("upkeep_plans_of_insight", {**owner, "ids": json_text(plan_ids)}) if plan_ids else []
    # One that was undone by hand is not applied again.
    plans = {plan_id: json.loads(content) for plan_id, state, content in rows if state != "undone"}
    ends = {end for plan in plans.values() for link in plan["links"] for end in _ends(link)}
    hashes = judged_texts.ends_here(tx, owner["owner"], ends.difference(without))
    where = {**owner, "ids": json_text(sorted(ends))}
    seen = {(row[0], row[1]) for row in tx.rows("insight_declined_among", where)} if ends else set()
    seen.update((min(pair), max(pair)) for pair in _related(tx, owner, ends))
    found: dict[str, list[Mapping[str, Any]]] = {plan_id: [] for plan_id in plan_ids if plan_id in plans}
    for plan_id, links in found.items():
        plan = plans[plan_id]
        made, marks = {tuple(edge[:3]) for edge in plan["made"]}, plan.get("texts", {})
        here = {end for end, hashed in hashes.items() if not judged_texts.is_rewritten(marks, end, hashed)}
        for number, link in enumerate(plan["links"], start=1):
            pair, key = _ends(link), (link["source_id"], link["target_id"], link["tag"])
            if number not in plan["chosen"] and key not in made and pair not in seen and here.issuperset(pair):
                links.append(link)
                seen.add(pair)
    return found


def _with_removals(tx: Transaction, owner: Mapping[str, str], run: StoredRun) -> StoredRun:
    """A run with the numbers of the nodes and relations of its plan of metabolism that are here; none once somebody has
    applied it.
    """
    if run.plan_id is None:
        return run
    row = tx.row("upkeep_plans_of_metabolism", {**owner, "ids": json_text([run.plan_id])})
    if row is None or row[2] is not None:
        return replace(run, nodes=0, links=0)
    plan = json.loads(row[1])
    going = [removal["id"] for removal in plan["going"]]
    seqs = [*(seq for seq, _ in plan["thin"]), *(removal["edge"]["seq"] for removal in plan["conflicting"])]
    nodes = len(tx.rows("node_places", {**owner, "ids": json_text(going)})) if going else 0
    links = tx.number("upkeep_edges_here", {**owner, "seqs": json_text(seqs)}) if seqs else 0
    return replace(run, nodes=nodes, links=int(links))


def _going(tx: Transaction, owner: Mapping[str, str], run: StoredRun) -> set[str]:
    """The nodes that a run is to let go, or was."""
    ids = [] if run.plan_id is None else [run.plan_id]
    rows = tx.rows("upkeep_plans_of_metabolism", {**owner, "ids": json_text(ids)}) if ids else []
    return {removal["id"] for row in rows for removal in json.loads(row[1])["going"]}


def _related(tx: Transaction, owner: Mapping[str, str], ids: Collection[str]) -> set[frozenset[str]]:
    """The pairs of some nodes that have a relation, whichever way it points and whatever its tag."""
    where = {**owner, "ids": json_text(sorted(ids))}
    return {frozenset(row) for row in tx.rows("edges_among", where)} if ids else set()


def _ends(link: Mapping[str, Any]) -> tuple[str, str]:
    """The ends of a link, the lower id first."""
    return min(link["source_id"], link["target_id"]), max(link["source_id"], link["target_id"])
