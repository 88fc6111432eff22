"""The engine of history: what happened in a memory, or to one node, run, plan or task of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Final

from wherefrom.api import former_versions as former
from wherefrom.api.history_sentences import Known, counted, day, quoted, sentence
from wherefrom.engine.params import Cursor, id_param, namespace_param
from wherefrom.engine.view import Engine
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import Gone, NotFound
from wherefrom.model.graph import Node, NodeRef
from wherefrom.model.history import History, HistoryEntry, HistorySubject, ShownTopic
from wherefrom.model.identifiers import short_id, timestamp
from wherefrom.model.param import Param
from wherefrom.storage import history, insight, metabolism_plans, nodes, stand_ins, tasks, upkeep_runs, versions
from wherefrom.storage.history import Event, LetGo
from wherefrom.storage.port import Transaction
from wherefrom.storage.receipts import KEPT
from wherefrom.storage.sql import scope_parameters
from wherefrom.text import check

_MAX_RELATIONS_HELD: Final = 50
_MAX_REPLACED: Final = 20
_TITLE_CHARACTERS: Final = 80

_Id = Annotated[
    str | None,
    id_param("Only the history of this memo, claim, page, run, plan or task.", refers="any", metavar="ID"),
]
_Topics = Annotated[
    Sequence[ShownTopic],
    Param(
        "Only these topics; omit for all but searches. metabolism lists runs, plan the stored plans.",
        option="--topic",
    ),
]
_Since = Annotated[str | None, Param("Only at or after this ISO-8601 time.", metavar="TIME", check=check.check_time)]
_Until = Annotated[str | None, Param("Only before this ISO-8601 time.", metavar="TIME", check=check.check_time)]
_Within = Annotated[str | None, namespace_param("Only in this namespace or below it.")]


class HistoryEngine(Engine):
    """Tells what happened."""

    def history(
        self,
        memo_id: _Id = None,
        *,
        topic: _Topics = (),
        namespace: _Within = None,
        since: _Since = None,
        until: _Until = None,
        limit: Annotated[int, Param("How many at most.", 1, limits.LIST_LIMIT)] = 20,
        cursor: Cursor = None,
    ) -> History:
        """Say what happened, newest first: what was saved, refused, judged, let go, when and by which request; with an
        id, what happened to that node, run, plan or task, and what it is now.

        Only what the access may see is told: of a node that is hidden from it, it sees no event.
        """
        self.store.journal.write()  # what was just searched or refused is told, too
        access, moment = self.view.access.narrowed(namespace), self.store.clock()
        topics = check.json_text(topic) if topic else None
        filters = {"id": memo_id, "topics": topics, "since": since, "until": until}

        def work(tx: Transaction) -> History:
            found, more = history.page(tx, access, filters, limit=limit, cursor=cursor)
            about = None if memo_id is None else _Looking(tx, access, moment).subject(memo_id)
            if about is None and memo_id is not None and not found:
                raise NotFound(
                    f"there is no history of {memo_id} in {access.root!r}",
                    hint="history without an id lists what happened lately",
                )
            items = _told(found, _known(tx, access, found))
            return History(access.root, access.owner, items, about, more)

        return self.store.database.read(work)


def _known(tx: Transaction, access: Access, found: Sequence[Event]) -> Known:
    """Look up all that the sentences of a page name, some at a time."""
    receipts = history.receipts(tx, access, sorted({event.node_id for event in found if event.node_id}))
    ids = {node_id for event in found for node_id in (event.node_id, event.other_id) if node_id}
    ids.update(receipt.stand_in for receipt in receipts.values() if receipt.stand_in)
    gone = {node_id: receipt.title for node_id, receipt in receipts.items()}
    here = nodes.refs(tx, access, sorted(ids), beginnings=True)
    claims = {node.id for node in here if node.kind == "claim"}
    claims.update(node_id for node_id, receipt in receipts.items() if receipt.kind == "claim")
    plans = {event.part_of for event in found if event.topic == "plan" and event.part_of}
    return Known({**gone, **_titles(here)}, receipts, history.plan_states(tx, access, sorted(plans)), claims)


def _titles(found: Iterable[NodeRef]) -> dict[str, str]:
    return {ref.id: ref.title for ref in found if ref.title}


def _told(found: Sequence[Event], known: Known) -> tuple[HistoryEntry, ...]:
    return tuple(
        HistoryEntry(
            seq=event.seq,
            at=event.at,
            topic=event.topic,
            text=sentence(event, known),
            namespace=event.namespace,
            node_id=event.node_id,
            other_id=event.other_id,
            part_of=event.part_of,
            restorable_until=_until(known.receipt(event)),
            request_id=event.request_id,
            trace_id=event.trace_id,
            payload=event.payload,
        )
        for event in found
    )


def _until(receipt: LetGo | None) -> str | None:
    """Until when a node can be brought back."""
    return None if receipt is None else timestamp(datetime.fromisoformat(receipt.at) + KEPT)


@dataclass(frozen=True, slots=True)
class _Looking:
    """Finds out what an id stands for now, in one snapshot."""

    tx: Transaction
    access: Access
    moment: datetime

    def subject(self, given: str) -> HistorySubject | None:
        """Return the thing that an id stands for, if the access may see it."""
        node = nodes.read_by_ids(self.tx, self.access, [given]).get(given)
        if node is not None:
            return self._here(node)
        return self._gone(given) or self._run(given) or self._plan(given) or self._task(given) or self._upkeep(given)

    def _here(self, node: Node) -> HistorySubject:
        title = node.title or node.content[:_TITLE_CHARACTERS]
        text = f"{node.kind} {quoted(title)}, version {node.version}, saved {day(node.created_at)}"
        if node.updated_at != node.created_at:
            text += f", changed {day(node.updated_at)}"
        subject = HistorySubject(node.id, node.kind, "here", text, node.namespace, title)
        heir = self._name(node.superseded_by)
        if node.kind not in versions.VERSIONED:
            return replace(subject, text=f"{text}; {heir} stands for it") if heir is not None else subject
        found = self.tx.rows(
            "nodes_replaced_by",
            {**scope_parameters(self.access), "ids": check.json_text([node.id]), "limit": _MAX_REPLACED},
        )
        replaced = tuple(row[1] for row in found)
        known, oldest = former.entries(self.tx, self.access, node)
        said = [subject.text, *former.sentences(node, heir, now=timestamp(self.moment))]
        said += [f"took the place of {name}" for node_id in replaced[:1] if (name := self._name(node_id))]
        is_whole = oldest.version == 1
        said += [] if is_whole else [f"its versions are known from {day(oldest.since)} on"]
        return replace(
            subject,
            text="; ".join(said),
            valid_from=node.holds_from,
            valid_to=node.valid_to,
            superseded_by=None if heir is None else node.superseded_by,
            replaces=replaced,
            known_since=None if is_whole else oldest.since,
            versions=known,
        )

    def _gone(self, given: str) -> HistorySubject | None:
        """A node that was let go or deleted."""
        receipt = history.receipts(self.tx, self.access, [given]).get(given)
        pointer = next((known for known in stand_ins.find(self.tx, self.access, given) if known.node_id == given), None)
        if receipt is not None:
            stand_in = receipt.stand_in if pointer is None else pointer.stand_in.id
            return self._let_go(given, replace(receipt, stand_in=stand_in))
        went = history.end(self.tx, self.access, given)
        if went is not None and went[0] == "delete":
            return HistorySubject(given, "node", "deleted", f"deleted {day(went[1])}, for good", went[2])
        if went is None and pointer is None:
            return None
        # Of a node that went long ago only what stands for it is known.
        at, namespace, run_id = went[1:] if went else (pointer.went_at if pointer else "", None, None)
        text = f"let go {day(at)}{f' by run {short_id(run_id)}' if run_id else ''}; its receipt is no longer kept"
        if pointer is None:
            return HistorySubject(given, "node", "let_go", text, namespace)
        text += f"; {self._name(pointer.stand_in.id)} stands for it"
        return HistorySubject(given, "node", "let_go", text, namespace, stand_in=pointer.stand_in.id)

    def _let_go(self, given: str, receipt: LetGo) -> HistorySubject:
        text = f"{receipt.kind} {quoted(receipt.title)} was let go {day(receipt.at)} by run {short_id(receipt.run_id)}"
        heir, until = self._name(receipt.stand_in), _until(receipt)
        if heir is not None:
            text += f"; {heir} says nearly the same"
        text += "" if until is None else f"; restore brings it back until {day(until)}"
        return HistorySubject(
            given,
            receipt.kind,  # type: ignore[arg-type]  # a kind of node, as it was stored
            "let_go",
            text,
            receipt.namespace,
            receipt.title,
            None if heir is None else receipt.stand_in,
            until,
        )

    def _run(self, given: str) -> HistorySubject | None:
        """A run of metabolism, or a sweep, which has no row of its own."""
        counts = history.run_counts(self.tx, self.access, given, since=timestamp(self.moment - KEPT))
        if not counts.is_told:
            return None
        found = history.run(self.tx, self.access, given)
        namespace, state, began, ended = found or (None, "applied", counts.first_at or "", None)
        text = f"run {short_id(given)}, {state}, {day(ended or began)}: let go {counted(counts.let_go, 'node')}"
        if counts.back:
            text += f", of which {counts.back:,} came back"
        until = None
        if counts.first_at is not None and counts.lately > counts.back:
            until = timestamp(datetime.fromisoformat(counts.first_at) + KEPT)
            text += f"; restore brings back {'the rest' if counts.back else 'all of it'} until {day(until)}"
        return HistorySubject(given, "run", state, text, namespace, restorable_until=until)

    def _plan(self, given: str) -> HistorySubject | None:
        """A stored plan of insight, with the relations that it holds."""
        try:
            plan = insight.get(self.tx, self.access, given, moment=self.moment).plan
        except Gone as error:
            return HistorySubject(given, "plan", "expired", error.message)
        except NotFound:
            return self._metabolism_plan(given)
        ends = {end for link in plan.accepted for end in (link.source_id, link.target_id)}
        known = Known(_titles(nodes.refs(self.tx, self.access, sorted(ends), beginnings=True)))
        holds = [
            f"{known.name(link.source_id)} -{link.tag}-> {known.name(link.target_id)}"
            for link in plan.accepted
            if {link.source_id, link.target_id} <= known.titles.keys()
        ]
        text = f"plan {short_id(given)}, {plan.state}, made {day(plan.created_at)}: {counted(len(holds), 'relation')}"
        if len(holds) < len(plan.accepted):
            text += f", and {len(plan.accepted) - len(holds):,} to nodes that are not here"
        if plan.state == "proposed":
            text += "; insight makes them (apply_plan_id)"
        return HistorySubject(given, "plan", plan.state, text, holds=tuple(holds[:_MAX_RELATIONS_HELD]))

    def _metabolism_plan(self, given: str) -> HistorySubject | None:
        try:
            plan = metabolism_plans.get(self.tx, self.access, given, moment=self.moment)
        except NotFound:
            return None
        state = "planned" if plan.run_id is None else "applied"
        text = f"plan {short_id(given)}, {state}, made {day(plan.created_at)}"
        text += "; metabolize carries it out (apply_plan_id)" if plan.run_id is None else ""
        return HistorySubject(given, "plan", state, text, plan.namespace)

    def _task(self, given: str) -> HistorySubject | None:
        try:
            task = tasks.get(self.tx, self.access, given)
        except NotFound:
            return None
        text = f"task {quoted(task.query)}, {task.status}, begun {day(task.created_at)}"
        return HistorySubject(given, "task", task.status, text, task.namespace, task.query[:_TITLE_CHARACTERS])

    def _upkeep(self, given: str) -> HistorySubject | None:
        """A run of upkeep."""
        try:
            run = upkeep_runs.get(self.tx, self.access.own(), given).shown(self.moment)
        except NotFound:
            return None
        text = (
            f"upkeep {short_id(given)}, {run.state}, begun {day(run.started_at)}: {counted(run.judged, 'memo')} judged,"
        )
        text += f" {counted(run.relations, 'relation')}, {counted(run.removals, 'removal')}"
        if run.state == "applied" and run.removals and run.metabolism_ids:
            text += f"; what went is in the history of run {short_id(run.metabolism_ids[-1])}"
        if run.state == "applied":
            text += "; upkeep takes all of it back (undo_run_id)"
        return HistorySubject(given, "upkeep", run.state, text)

    def _name(self, node_id: str | None) -> str | None:
        """The name of a node that is here; None if there is none, or none that the access may see."""
        found = nodes.refs(self.tx, self.access, [node_id], beginnings=True) if node_id else []
        return next((f"{quoted(ref.title)} ({short_id(ref.id)})" for ref in found if ref.title), None)
