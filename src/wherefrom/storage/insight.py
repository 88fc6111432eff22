"""Plans of links and what the gates have seen: kept, applied, undone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, Gone, NotFound
from wherefrom.model.graph import Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.insight import Decision, InsightPlan, LinkFigures, PlanState, ProposedLink
from wherefrom.model.namespaces import is_inside
from wherefrom.storage import edges, nodes
from wherefrom.storage.linking import last
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import inside_parameters, own_parameters, scope_parameters
from wherefrom.text.check import json_text

# How long a plan that was not applied is kept, and how long one that was can be undone.
PROPOSED_FOR: Final = timedelta(days=1)
_UNDONE_WITHIN: Final = timedelta(days=365)


Holds = Callable[[Transaction, Sequence[str]], set[str]]
Key = tuple[str, str, str]
"""Source, target and tag of a link."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What the gates saw in one decision about a node of a namespace."""

    namespace: str
    g0: float
    links: tuple[float, ...]
    fired: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """A plan as it is stored. seen_by: for whom it judged what is new; seen_seq: the last node that it judged so.
    made: the links it has written.
    """

    plan: InsightPlan
    namespace: str
    seen_by: str
    observed: tuple[Observed, ...] = ()
    seen_seq: int | None = None
    made: tuple[Key, ...] = ()


def settled(tx: Transaction, access: Access) -> int:
    """A seq up to which no node can come any more: everybody who saves has to be done first."""
    tx.run("wait_briefly", {})
    tx.run("lock_edges_alone", {})
    return last(tx, access)


def new_nodes(
    tx: Transaction, access: Access, *, after: int, upto: int, kinds: Sequence[str], now: str, limit: int
) -> tuple[list[tuple[int, Node]], int]:
    """The nodes that came after a seq and up to another, oldest first, and how many there are in all."""
    between = {"after": after, "upto": upto, "kinds": json_text(kinds), "now": now, "limit": limit}
    where = {**own_parameters(access), **between}
    rows = tx.rows("nodes_new", where)
    (total,) = tx.row("nodes_new_total", where) or (0,)
    return [(row[0], nodes.from_row(row[1:])) for row in rows], int(total)


def linkable(tx: Transaction, access: Access, ids: Sequence[str], *, now: str) -> dict[str, Node]:
    """Those of these nodes that can be linked: they live, and nothing has replaced or rejected them."""
    where = {**own_parameters(access), "ids": json_text(ids), "now": now}
    found = map(nodes.from_row, tx.rows("nodes_linkable", where)) if ids else ()
    return {node.id: node for node in found}


def sight(access: Access) -> str:
    """What an access sees of its root, as a word."""
    access = access.own()
    return " ".join((",".join(access.classes), *access.hidden))


def seen(tx: Transaction, access: Access) -> int:
    """Up to which seq everything new in the root was judged, for those who see what this access sees."""
    where = {"owner": access.owner, "namespace": access.root, "seen_by": sight(access)}
    (seq,) = tx.row("insight_seen_get", where) or (0,)
    return int(seq)


def gates(tx: Transaction, access: Access, namespace: str) -> Mapping[str, Any] | None:
    """What the gates of a namespace remember."""
    row = tx.row("insight_gates_get", {"owner": access.owner, "namespace": namespace})
    return None if row is None else json.loads(row[0])


def remember(tx: Transaction, access: Access, namespace: str, state: Mapping[str, Any], *, now: str) -> None:
    """Keep what the gates of a namespace have seen."""
    access = access.writing()
    row = {"owner": access.owner, "namespace": namespace, "state": json_text(state), "now": now}
    tx.run("insight_gates_put", row)


def keep(tx: Transaction, access: Access, kept: Kept, *, moment: datetime) -> None:
    """Store a proposed plan; those that nobody applied are forgotten after a day."""
    access = access.writing()
    tx.run("insight_plans_purge", {"owner": access.owner, "before": timestamp(moment - PROPOSED_FOR)})
    tx.run("insight_plans_forget", {"owner": access.owner, "before": timestamp(moment - _UNDONE_WITHIN)})
    plan = kept.plan
    # The words of a question are the asker's and are not kept.
    asked = {name: "" if name == "query" else value for name, value in plan.asked.items()}
    row = {"owner": access.owner, "id": plan.id, "namespace": kept.namespace, "now": plan.created_at}
    tx.run("insight_plan_insert", {**row, "asked": json_text(asked), "content": _content(kept)})


def get(tx: Transaction, access: Access, plan_id: str, *, moment: datetime) -> Kept:
    """A plan of the root, if the access may see all of it."""
    row = tx.row("insight_plan_get", {**own_parameters(access), "id": plan_id})
    missing = NotFound(f"there is no plan {plan_id} in {access.root!r}", hint="find_insight makes one")
    if row is None:
        raise missing
    state, namespace, asked, content, created_at, applied_at, undone_at = row
    known, asked = json.loads(content), json.loads(asked)
    links = tuple(ProposedLink(**{**link, "figures": LinkFigures(**link["figures"])}) for link in known["links"])
    named = [*_ends(links), *([asked["memo_id"]] if "memo_id" in asked else [])]
    where = {**own_parameters(access), "ids": json_text(named)}
    # Whoever may not see all of a plan does not hear that there is one.
    if known["seen_by"] != sight(access) and tx.row("nodes_unseen", where):
        raise missing
    if state == "proposed" and created_at < timestamp(moment - PROPOSED_FOR):
        raise Gone(f"plan {plan_id} was made more than a day ago", hint="find_insight makes a new one")
    plan = InsightPlan(
        id=plan_id,
        root_namespace=access.root,
        state=state,
        asked=asked,
        created_at=created_at,
        decisions=(Decision((), links, ()),),
        judged=known["judged"],
        written=known["written"],
        applied_at=applied_at,
        undone_at=undone_at,
    )
    # The namespace may have been renamed since.
    moved = len(known["namespace"])
    observed = tuple(
        Observed(namespace + each["namespace"][moved:], each["g0"], tuple(each["links"]), each["fired"])
        for each in known["observed"]
    )
    made = tuple((source, target, tag) for source, target, tag in known["made"])
    return Kept(plan, namespace, known["seen_by"], observed, known["seen_seq"], made)


def apply(tx: Transaction, access: Access, kept: Kept, *, now: str, holds: Holds | None = None) -> Kept:
    """Write the links of a plan whose ends can be linked still and have not been linked since. holds: which of some
    nodes keep the invariants of the policy.
    """
    access = access.writing()
    tx.run("lock_edges_shared", {})
    ids = _ends(kept.plan.accepted)
    known = linkable(tx, access, ids, now=now)
    if holds is not None:
        known = {node_id: known[node_id] for node_id in holds(tx, list(known))}
    linked = {frozenset(row) for row in tx.rows("edges_among", {"owner": access.owner, "ids": json_text(ids)})}
    made = []
    for link in kept.plan.accepted:
        ends = (link.source_id, link.target_id)
        if not known.keys() >= {*ends} or frozenset(ends) in linked:
            continue
        edge = replace(
            edges.between(known[link.source_id], known[link.target_id], link.tag, now=now),
            weight=link.weight,
            reason=link.reason,
            confidence=link.confidence,
            judge=link.judge,
        )
        if tx.count("edge_add", {"owner": access.owner, **edges.to_parameters(edge)}):
            made.append((*ends, link.tag))
    if kept.seen_seq is not None:
        row = {"owner": access.owner, "namespace": kept.namespace, "seen_by": kept.seen_by, "seq": kept.seen_seq}
        tx.run("insight_seen_put", row)
    plan = replace(kept.plan, state="applied", applied_at=now, written=len(made))
    return _marked(tx, access, replace(kept, plan=plan, made=tuple(made)), expected="proposed")


def undo(tx: Transaction, access: Access, kept: Kept, *, now: str) -> tuple[Kept, int]:
    """Remove the links that a plan made, apart from those that somebody has changed or made anew since."""
    if kept.plan.state == "proposed":
        raise Conflict(f"plan {kept.plan.id} was not applied", hint="there is nothing to undo")
    tx.run("lock_edges_shared", {})
    when = {"owner": access.owner, "created_at": kept.plan.applied_at}
    keys = [dict(zip(("source_id", "target_id", "tag"), key, strict=True)) for key in kept.made]
    removed = sum(tx.count("insight_link_remove", {**scope_parameters(access), **when, **key}) for key in keys)
    sources = json_text([source for source, _, _ in kept.made])
    left = {(one, other, tag) for one, other, tag in tx.rows("links_made_then", {**when, "ids": sources})}
    plan = replace(kept.plan, state="undone", undone_at=now, written=len(left & set(kept.made)))
    return _marked(tx, access, replace(kept, plan=plan), expected="applied"), removed


def move(tx: Transaction, access: Access, source: str, target: str) -> None:
    """Plans and states follow when a namespace is renamed. What came in with it is new for those it came to."""
    where = {"owner": access.owner, "target": target, **inside_parameters("moved", source)}
    parts = target.split("/")
    above = ["/".join(parts[: level + 1]) for level in range(len(parts))]
    receiving = json_text([name for name in above if not is_inside(source, name)])
    tx.run("insight_seen_lower", {**where, "names": receiving, **inside_parameters("target", target)})
    for name in ("insight_plans_move", "insight_seen_move", "insight_gates_move"):
        tx.run(name, where)


def _marked(tx: Transaction, access: Access, kept: Kept, *, expected: PlanState) -> Kept:
    plan = kept.plan
    row = {"owner": access.owner, "id": plan.id, "state": plan.state, "expected": expected, "content": _content(kept)}
    if not tx.count("insight_plan_mark", {**row, "applied_at": plan.applied_at, "undone_at": plan.undone_at}):
        raise Conflict(f"plan {plan.id} was changed by somebody else at the same time", hint="ask for it again")
    return kept


def _content(kept: Kept) -> str:
    return json_text(
        {
            "namespace": kept.namespace,
            "seen_by": kept.seen_by,
            "links": [asdict(link) for link in kept.plan.accepted],
            "observed": [asdict(each) for each in kept.observed],
            "seen_seq": kept.seen_seq,
            "judged": kept.plan.judged,
            "written": kept.plan.written,
            "made": kept.made,
        }
    )


def _ends(links: Sequence[ProposedLink]) -> list[str]:
    return sorted({end for link in links for end in (link.source_id, link.target_id)})
