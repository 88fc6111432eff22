"""Stores plans of relations (proposed, applied, undone), the pairs that were declined, the memory of the gates, and up
to where nodes were judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, Gone, NotFound
from wherefrom.model.graph import Edge, Node
from wherefrom.model.history import Topic
from wherefrom.model.identifiers import timestamp
from wherefrom.model.insight import Decision, EdgeFigures, InsightPlan, PlanState, ProposedEdge
from wherefrom.model.namespaces import is_inside
from wherefrom.storage import edges, events, judged_texts, locks, nodes
from wherefrom.storage.judged_texts import Marks, is_rewritten
from wherefrom.storage.port import SEARCHED, Transaction
from wherefrom.storage.sql import inside_parameters, scope_parameters
from wherefrom.text.check import json_text

# A plan waits so long for somebody who applies it; one that was applied can be undone for a year.
PROPOSED_FOR: Final = timedelta(days=14)
_UNDONE_WITHIN: Final = timedelta(days=365)
_PAIR: Final = ("first_id", "second_id")
_REWRITTEN: Final = "a text has changed since it was judged"
# What is known of a link besides what its plan stores of it.
_TOLD: Final = ("number", "state", "note", "told")

Holds = Callable[[Transaction, Sequence[str]], set[str]]
"""Returns the nodes among some that keep the invariants of the policy."""


@dataclass(frozen=True, slots=True)
class GateObservation:
    """The values that the gates saw in one decision about a node of a namespace."""

    namespace: str
    g0: float
    links: tuple[float, ...]
    fired: bool


class MadeEdge(NamedTuple):
    """An edge that a plan has written, and when."""

    source_id: str
    target_id: str
    tag: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Which nodes of a namespace were judged. seq: up to which all new ones were; judged: how many new ones, in all.

    Those without relations are judged again in rounds. again_at: how many had been judged when the last round began;
    again_seq, again_end: the seqs up to which it has come, and where it ends.
    """

    seq: int = 0
    judged: int = 0
    again_at: int = 0
    again_seq: int = 0
    again_end: int = 0


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan as it is stored. made: the edges that it has written; chosen: the numbers of the links that were accepted.
    seen_by: the `sight` of the access whose new nodes it judged; seen: what was judged once the plan is applied.
    texts: what the ends of the links said. content: the stored text that it was read from.
    """

    plan: InsightPlan
    namespace: str
    seen_by: str
    observed: tuple[GateObservation, ...] = ()
    seen: Seen | None = None
    made: tuple[MadeEdge, ...] = ()
    chosen: frozenset[int] = frozenset()
    texts: Marks = field(default_factory=dict)
    content: str = ""


def settled(tx: Transaction, access: Access) -> int:
    """The newest seq, after all transactions that save nodes have ended: no node with a lower one can come later."""
    locks.be_alone(tx, access.owner, patient=False)
    return nodes.last_seq(tx, access)


def new_nodes(
    tx: Transaction, access: Access, *, after: int, upto: int, now: str, limit: int
) -> tuple[list[tuple[int, Node]], int]:
    """The nodes between two seqs (the second one included), oldest first, and how many there are in all."""
    between = {"after": after, "upto": upto, "kinds": json_text(SEARCHED), "now": now, "limit": limit}
    where = {**scope_parameters(access.own()), **between}
    total = tx.number("nodes_new", {**where, "counted": True})
    return [(row[0], nodes.from_row(row[1:])) for row in tx.rows("nodes_new", where)], int(total)


def unlinked_nodes(
    tx: Transaction, access: Access, *, after: int, upto: int, now: str, limit: int
) -> list[tuple[int, Node]]:
    """The nodes between two seqs (the second one included) that have no relation, oldest first."""
    between = {"after": after, "upto": upto, "kinds": json_text(SEARCHED), "now": now, "limit": limit}
    rows = tx.rows("nodes_unlinked", {**scope_parameters(access.own()), **between})
    return [(row[0], nodes.from_row(row[1:])) for row in rows]


def linkable(tx: Transaction, access: Access, ids: Sequence[str], *, now: str) -> dict[str, Node]:
    """The nodes among these that can be linked: they live, and are neither superseded nor rejected."""
    where = {**scope_parameters(access.own()), "ids": json_text(ids), "now": now}
    return {node.id: node for node in map(nodes.from_row, tx.rows("nodes_linkable", where))}


def sight(access: Access) -> str:
    """The classes and hidden places of an access as one text, which is equal for accesses that see the same."""
    access = access.own()
    return " ".join((",".join(access.classes), *access.hidden))


def seen(tx: Transaction, access: Access) -> Seen:
    """Which nodes of the root were judged, for accesses that see the same as this one."""
    where = {"owner": access.owner, "namespace": access.root, "seen_by": sight(access)}
    return Seen(*(tx.row("insight_seen_get", where) or ()))


def gates(tx: Transaction, access: Access, namespace: str) -> Mapping[str, Any] | None:
    """The stored memory of a namespace's gates; None if there is none."""
    row = tx.row("insight_gates_get", {"owner": access.owner, "namespace": namespace})
    return None if row is None else json.loads(row[0])


def remember(tx: Transaction, access: Access, namespace: str, state: Mapping[str, Any], *, now: str) -> None:
    """Store the memory of a namespace's gates."""
    row = {"owner": access.writing().owner, "namespace": namespace, "state": json_text(state), "now": now}
    tx.run("insight_gates_put", row)


def keep(tx: Transaction, access: Access, stored: StoredPlan, *, moment: datetime) -> None:
    """Store a proposed plan, and delete the plans whose time is over."""
    access = access.writing()
    bounds = {"proposed": timestamp(moment - PROPOSED_FOR), "applied": timestamp(moment - _UNDONE_WITHIN)}
    tx.run("insight_plans_purge", {"owner": access.owner, **bounds})
    plan = stored.plan
    # The words of a question are the asker's and are not stored.
    asked = {name: "" if name == "query" else value for name, value in plan.asked.items()}
    row = {"owner": access.owner, "id": plan.id, "namespace": stored.namespace, "now": plan.created_at}
    tx.run("insight_plan_insert", {**row, "asked": json_text(asked), "content": _content(stored)})
    payload = {"plan_id": plan.id, "judged": plan.judged, "links": len(plan.accepted)}
    about = events.about_place(access, stored.namespace, part_of=plan.id)
    events.record(tx, access, "plan", payload, about=about, at=plan.created_at)


def get(tx: Transaction, access: Access, plan_id: str, *, moment: datetime) -> StoredPlan:
    """A plan of the root; for an access that may not see all of it, it does not exist."""
    row = tx.row("insight_plan_get", {**scope_parameters(access.own()), "id": plan_id})
    missing = NotFound(f"there is no plan {plan_id} in {access.root!r}", hint="find_insight makes one")
    if row is None:
        raise missing
    state, namespace, asked, content, created_at, applied_at, undone_at = row
    known, asked = {"texts": {}, **json.loads(content)}, json.loads(asked)
    links = tuple(
        ProposedEdge(**{**link, "figures": EdgeFigures(**link["figures"]), "number": number})
        for number, link in enumerate(known["links"], start=1)
    )
    named = [*_ends(links), *([asked["memo_id"]] if "memo_id" in asked else [])]
    if known["seen_by"] != sight(access) and _is_any_hidden(tx, access.own(), named, known["seen_by"]):
        raise missing
    if state == "proposed" and created_at < timestamp(moment - PROPOSED_FOR):
        raise Gone(
            f"plan {plan_id} was made more than {PROPOSED_FOR.days} days ago", hint="find_insight makes a new one"
        )
    plan = InsightPlan(plan_id, access.root, state, asked, created_at, (Decision((), links, ()),))
    figures = {"judged": known["judged"], "written": known["written"]}
    plan = replace(plan, applied_at=applied_at, undone_at=undone_at, **figures)
    # The namespace may have been renamed since.
    moved = len(known["namespace"])
    observed = tuple(
        GateObservation(namespace + saw["namespace"][moved:], saw["g0"], tuple(saw["links"]), saw["fired"])
        for saw in known["observed"]
    )
    # Plans of former versions were applied as a whole, and their edges all made then.
    made = tuple(MadeEdge(*(edge if len(edge) > 3 else (*edge, applied_at))) for edge in known["made"])
    whole = range(1, len(links) + 1) if state == "applied" else ()
    chosen = frozenset(known.get("chosen", whole))
    return StoredPlan(plan, namespace, known["seen_by"], observed, _seen(known), made, chosen, known["texts"], content)


def stated(tx: Transaction, access: Access, stored: StoredPlan) -> InsightPlan:
    """The plan with the state of each of its links."""
    accepted, made = stored.plan.accepted, {edge[:3] for edge in stored.made}
    refused = _declined(tx, access, accepted)
    rewritten = judged_texts.rewritten(tx, access, stored.texts)

    def state(link: ProposedEdge) -> ProposedEdge:
        if not link.accepted:
            return link
        if _key(link) in made:
            return replace(link, state="made")
        if link.number in stored.chosen:
            return replace(link, state="left_out")
        if (found := refused.get(_pair(link))) is not None:
            return replace(link, state="declined", note=found[1])
        return link if rewritten.isdisjoint(_pair(link)) else replace(link, state="left_out", note=_REWRITTEN)

    decisions = tuple(replace(known, links=tuple(map(state, known.links))) for known in stored.plan.decisions)
    plan = replace(stored.plan, decisions=decisions)
    return replace(plan, declined=sum(link.state == "declined" for link in plan.accepted))


def decline(
    tx: Transaction, access: Access, stored: StoredPlan, numbers: Collection[int], *, reason: str | None, now: str
) -> int:
    """Remember of some links of a plan that they are not wanted; returns of how many. Ends that are gone need none."""
    access = access.writing()
    rows = [dict(zip(_PAIR, _pair(link), strict=True)) for link in stored.plan.accepted if link.number in numbers]
    given = {"owner": access.owner, "plan_id": stored.plan.id, "reason": reason, "now": now}
    return len(tx.many("insight_declined_put", rows, given)) if rows else 0


def take_back(tx: Transaction, access: Access, stored: StoredPlan, numbers: Collection[int]) -> int:
    """Forget of some links of a plan that they were declined; returns of how many."""
    rows = [dict(zip(_PAIR, _pair(link), strict=True)) for link in stored.plan.accepted if link.number in numbers]
    return len(tx.many("insight_declined_remove", rows, {"owner": access.writing().owner})) if rows else 0


def _is_any_hidden(tx: Transaction, access: Access, ids: Sequence[str], seen_by: str) -> bool:
    """Whether an access may not see one of the nodes of a plan. One that is gone may have been hidden from it
    unless it sees all that the plan's maker saw.
    """
    if tx.row("nodes_hidden", {**scope_parameters(access), "ids": json_text(ids)}):
        return True
    classes = seen_by.partition(" ")[0].split(",")
    sees_as_much = not access.hidden and set(classes) <= set(access.classes)
    return not sees_as_much and len(nodes.refs(tx, access, ids)) < len(set(ids))


def apply(
    tx: Transaction,
    access: Access,
    stored: StoredPlan,
    numbers: Collection[int],
    *,
    now: str,
    holds: Holds | None = None,
) -> tuple[StoredPlan, int]:
    """Write those of some edges of a plan whose ends can still be linked, say what they said when they were judged,
    and have not been linked since; returns how many, too.
    """
    access = access.writing()
    locks.share(tx, access.owner)
    wanted = [link for link in stored.plan.accepted if link.number in numbers]
    ids = _ends(wanted)
    known = linkable(tx, access, ids, now=now)
    if holds is not None:
        known = {node_id: known[node_id] for node_id in holds(tx, list(known))}
    known = {key: node for key, node in known.items() if not is_rewritten(stored.texts, key, node.content_hash)}
    linked = {frozenset(row) for row in tx.rows("edges_among", {"owner": access.owner, "ids": json_text(ids)})}
    new = [
        edges.between(
            known[link.source_id],
            known[link.target_id],
            link.tag,
            now=now,
            **{name: getattr(link, name) for name in ("weight", "reason", "confidence", "judge")},
        )
        for link in wanted
        if known.keys() >= {link.source_id, link.target_id}
        and frozenset((link.source_id, link.target_id)) not in linked
    ]
    inserted = edges.insert(tx, access, new, skip_known=True)
    made = {key: edge for edge in new if (key := edges.key_of(edge)) in inserted}
    _note(tx, access, "integrate", made.values(), plan_id=stored.plan.id, now=now)
    if stored.seen is not None:
        row = {"owner": access.owner, "namespace": stored.namespace, "seen_by": stored.seen_by}
        tx.run("insight_seen_put", {**row, **asdict(stored.seen)})
    all_made = (*(edge for edge in stored.made if edge[:3] not in made), *(MadeEdge(*key, now) for key in made))
    plan = replace(stored.plan, state="applied", applied_at=now, undone_at=None, written=len(all_made))
    chosen = stored.chosen.union(numbers)
    return _marked(tx, access, stored, replace(stored, plan=plan, made=all_made, chosen=chosen)), len(made)


def undo(
    tx: Transaction, access: Access, stored: StoredPlan, numbers: Collection[int], *, now: str
) -> tuple[StoredPlan, int]:
    """Remove those of some edges of a plan that it made, except what somebody has changed or made anew since, and
    forget which of them were declined; returns how many edges went, too. A plan of which nothing is decided any more is
    undone if all of it had been decided and something accepted; else it is proposed again, as long as it may wait.
    """
    before, links = _declined(tx, access, stored.plan.accepted), stored.plan.accepted
    has_open = any(link.number not in stored.chosen and _pair(link) not in before for link in links)
    take_back(tx, access, stored, numbers)
    locks.share(tx, access.owner)
    keys = {_key(link) for link in stored.plan.accepted if link.number in numbers}
    going = [edge for edge in stored.made if edge[:3] in keys]
    where = scope_parameters(access)
    removed = [Edge(*row) for row in tx.many("insight_edges_remove", [edge._asdict() for edge in going], where)]
    _note(tx, access, "delete", removed, plan_id=stored.plan.id, now=now)
    given = {"ids": json_text([edge.source_id for edge in going]), "times": json_text([at for *_, at in going])}
    left = {MadeEdge(*row) for row in tx.rows("edges_made_then", {**where, **given})}
    made = tuple(edge for edge in stored.made if edge not in going or edge in left)
    chosen = stored.chosen.difference(numbers)
    is_decided = bool(chosen or _declined(tx, access, links))
    may_wait = stored.plan.created_at >= timestamp(datetime.fromisoformat(now) - PROPOSED_FOR)
    waits = may_wait and not made and (has_open or not stored.chosen)
    state: PlanState = "applied" if is_decided else "proposed" if waits else "undone"
    plan = replace(stored.plan, state=state, undone_at=now if state == "undone" else None, written=len(made))
    return _marked(tx, access, stored, replace(stored, plan=plan, made=made, chosen=chosen)), len(removed)


def move(tx: Transaction, access: Access, source: str, target: str) -> None:
    """Move plans and states along with a renamed namespace. Its nodes are new for the namespaces above the target."""
    where = {"owner": access.owner, "target": target, **inside_parameters("moved", source)}
    parts = target.split("/")
    above = ["/".join(parts[: level + 1]) for level in range(len(parts))]
    receiving = json_text([name for name in above if not is_inside(source, name)])
    tx.run("insight_seen_lower", {**where, "names": receiving, **inside_parameters("target", target)})
    for name in ("insight_plans_move", "insight_seen_move", "insight_gates_move"):
        tx.run(name, where)


def _marked(tx: Transaction, access: Access, former: StoredPlan, stored: StoredPlan) -> StoredPlan:
    """Store what a plan has become, unless it is no longer as it was read."""
    plan, content = stored.plan, _content(stored)
    row = {"owner": access.owner, "id": plan.id, "state": plan.state, "content": content}
    expected = {"expected": former.plan.state, "former": former.content or _content(former)}
    times = {"applied_at": plan.applied_at, "undone_at": plan.undone_at}
    if not tx.count("insight_plan_mark", {**row, **expected, **times}):
        raise Conflict(f"plan {plan.id} was changed by somebody else at the same time", hint="ask for it again")
    return replace(stored, content=content)


def _declined(
    tx: Transaction, access: Access, links: Sequence[ProposedEdge]
) -> dict[tuple[str, str], tuple[str, str | None]]:
    """By pair, the plan in which it was declined, and why; without pairs of which a text has changed since."""
    where = {"owner": access.owner, "ids": json_text(_ends(links))}
    rows = tx.rows("insight_declined_among", where) if links else ()
    return {(first, second): (plan_id, reason) for first, second, plan_id, reason in rows}


def _key(link: ProposedEdge) -> edges.Key:
    return link.source_id, link.target_id, link.tag


def _pair(link: ProposedEdge) -> tuple[str, str]:
    """The ends of a link, the lower id first."""
    return min(link.source_id, link.target_id), max(link.source_id, link.target_id)


def _note(tx: Transaction, access: Access, topic: Topic, some: Iterable[Edge], *, plan_id: str, now: str) -> None:
    """Record an event of each relation that a plan has made, or that went when it was undone."""
    rows = [
        events.row_of(
            access,
            topic,
            {"source_memo_id": edge.source_id, "target_memo_id": edge.target_id, "tag": edge.tag, "plan_id": plan_id},
            about=events.about_edge(edge, part_of=plan_id),
            at=now,
        )
        for edge in some
    ]
    events.append(tx, rows)


def _content(stored: StoredPlan) -> str:
    seen = None if stored.seen is None else asdict(stored.seen)
    plain = {"namespace": stored.namespace, "seen_by": stored.seen_by, "seen": seen, "made": stored.made}
    counts = {"judged": stored.plan.judged, "written": stored.plan.written, "chosen": sorted(stored.chosen)}
    texts = {node_id: stored.texts[node_id] for node_id in _ends(stored.plan.accepted) if node_id in stored.texts}
    # A plan may outlive the texts, so their words are not stored with it.
    silent = (replace(link, reason=link.reason.removeprefix(link.told)) for link in stored.plan.accepted)
    links = [
        {name: value for name, value in _values(link).items() if name not in _TOLD} | {"figures": _values(link.figures)}
        for link in silent
    ]
    rows = {"links": links, "texts": texts, "observed": list(map(_values, stored.observed))}
    return json_text({**plain, **counts, **rows})


def _values(some: ProposedEdge | EdgeFigures | GateObservation) -> dict[str, Any]:
    """The values of a dataclass by their names; `asdict` copies each of them."""
    return {name: getattr(some, name) for name in some.__slots__}


def _seen(known: Mapping[str, Any]) -> Seen | None:
    """What a stored plan has judged; one that was stored before nodes were judged again has a seq alone."""
    if known.get("seen") is not None:
        return Seen(**known["seen"])
    return None if known.get("seen_seq") is None else Seen(known["seen_seq"])


def _ends(links: Sequence[ProposedEdge]) -> list[str]:
    return sorted({end for link in links for end in (link.source_id, link.target_id)})
