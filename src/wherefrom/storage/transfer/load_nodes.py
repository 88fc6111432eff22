"""Writes the nodes of an import by the rules of a save; nodes out of sight are as if they were not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, Conflict, InvalidInput, WherefromError
from wherefrom.model.graph import BoundaryClass, Node, strictest
from wherefrom.storage import edges, evidence, mentions_due, node_texts, nodes, replacing, stand_ins
from wherefrom.storage.embeddings import Made
from wherefrom.storage.node_texts import NodeText
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.transfer import reference_server
from wherefrom.storage.transfer.reading import Line, Read
from wherefrom.text.check import json_text

# The nodes that have a text: one in each boundary class at most.
_Holders = dict[tuple[object, ...], dict[str, BoundaryClass]]
# When and by whom a row was written does not make it another row.
_WRITING: Final = frozenset(
    {"created_at", "updated_at", "observed_at", "recency_anchor", "written_by", "imported_from"}
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of a batch.

    early: records that name one which is not there, or not yet. faults: lines whose records may not be stored.
    aliases: nodes that were not stored, and the nodes that have their texts. superseded: nodes, and the successors that
    the file names for them.
    """

    counts: Counter[str] = field(default_factory=Counter)
    early: list[Read] = field(default_factory=list)
    faults: list[tuple[Line, WherefromError]] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    superseded: dict[str, str] = field(default_factory=dict)


def is_later(incoming: Mapping[str, Any], mine: Mapping[str, Any]) -> bool:
    """True if an incoming row differs from ours and has a higher version, or the same and a later change."""
    is_ahead = (incoming["version"], incoming["updated_at"]) > (mine["version"], mine["updated_at"])
    return is_ahead and any(value != mine[name] for name, value in incoming.items() if name not in _WRITING)


def store_successors(tx: Transaction, access: Access, successors: Mapping[str, str]) -> None:
    """Store the successors of nodes, as far as the access sees them."""
    seen = {ref.id for ref in nodes.refs(tx, access, sorted(set(successors.values())))} if successors else set()
    rows = [{"id": node_id, "heir": heir} for node_id, heir in successors.items() if heir in seen and heir != node_id]
    tx.many("nodes_succeeded", rows, {"owner": access.owner})


@dataclass(frozen=True, slots=True)
class _Slots:
    """Statements that end because another one holds in their slot: each after its heir; and those of them that are in
    the store, before and after.
    """

    ended: list[tuple[Node, Node]] = field(default_factory=list)
    ours: list[tuple[Node, Node]] = field(default_factory=list)


class NodeBatch:
    """The nodes of one transaction, and the rows of the store that they touch. final: no node waits for its task."""

    def __init__(self, tx: Transaction, access: Access, batch: Sequence[Read], *, now: str, final: bool) -> None:
        self._given = given = [(line, node) for line, node in batch if isinstance(node, Node)]
        self._tx = tx
        self._access = access
        self._now = now
        self._final = final
        self._result = Loaded()
        self._before = nodes.by_ids(tx, access, [node.id for _, node in given])
        self._known = dict(self._before)
        self._holders: _Holders = {}
        hashes = json_text(sorted({node.content_hash for _, node in given}))
        for row in tx.rows("nodes_with_texts", {**scope_parameters(self._access), "hashes": hashes}):
            self._holders.setdefault(tuple(row[2:]), {})[row[0]] = row[1]
        self._pages = self._rows("pages_here", {node.page_id for _, node in given if node.page_id})
        self._tasks = self._rows("tasks_here", {node.task_id for _, node in given if node.task_id})

    def load(self, made: Made | None, texts: Mapping[str, NodeText]) -> Loaded:
        """Insert or update the nodes. A new one whose text the access sees already becomes an alias of its holder.
        texts: what was made of some of them beforehand, by their ids.
        """
        result, counts = self._result, self._result.counts
        changed = [self._without_new_successor(node) for node in self._settle(self._changes())]
        new: list[Node] = []
        to_restrict: dict[str, Node] = {}
        for line, given in self._given:
            if given.id in self._known:
                # A later version of a node that is new in this batch waits until that one is written.
                is_new = given.id not in self._before and not self._final
                if is_new and _later(given, self._known[given.id]) is not None:
                    result.early.append((line, given))
                self._complete_successor(given)
                continue
            node = self._with_page_and_task(line, given)
            if node is None:
                continue
            held = self._holders.setdefault(nodes.text_key(node), {})
            holder = _holder(node, held) if held else None
            if holder is None:
                new.append(self._without_new_successor(node))
                self._known[node.id] = node
                held[node.id] = node.boundary_class
                if node.kind == "page":
                    self._pages[node.id] = (node.id, node.namespace, node.open_class, node.domain, node.year)
                continue
            result.aliases[node.id] = holder
            stricter = strictest(held[holder], node.boundary_class)
            if stricter != held[holder]:
                held[holder] = stricter
                to_restrict[holder] = replace(node.restricted(stricter, node.open_class), updated_at=self._now)
        slots = self._settle_slots([changed, new])
        # Changes first: a new node may have the text or the slot that a changed one gave up; what ends comes before.
        pairs = sorted([(self._before[node.id], node) for node in changed], key=lambda pair: pair[1].valid_to is None)
        nodes.replace_many(self._tx, self._access, slots.ours, None, link=False)
        nodes.replace_many(self._tx, self._access, pairs, made, link=False)
        new = [nodes.written(self._access, node) for node in new]
        fresh = [node_texts.fitting(texts.get(node.id), node) for node in new]
        nodes.store(self._tx, self._access, fresh, made, now=self._now)
        stand_ins.come_back(self._tx, self._access, [node.id for node in new])
        relations = [edges.between(heir, ended, replacing.TAG, now=self._now) for heir, ended in slots.ended]
        edges.insert(self._tx, self._access, relations, skip_known=True)
        for heir, ended in slots.ended:
            replacing.note(self._tx, self._access, ended, heir, now=self._now)
        if to_restrict:
            evidence.restrict(self._tx, self._access, to_restrict)
        # If the import is cut off before it finds their mentions, the next one finds them.
        mentions_due.note(self._tx, self._access, [node.id for node in (*changed, *new)])
        counts["nodes_created"] += len(new)
        counts["nodes_updated"] += len(changed)
        counts["nodes_duplicate"] += len(result.aliases)
        # Everything else that was given is here already.
        left_out = len(result.early) + len(result.faults)
        counts["nodes_unchanged"] += len(self._given) - counts.total() - left_out + counts["nodes_refused"]
        counts["nodes_ended"] += len(slots.ended)
        return result

    def _settle_slots(self, given: Sequence[list[Node]]) -> _Slots:
        """Let of two statements that hold in one slot the one hold that began later, ours if both began at once; the
        other one, here or in the lists that are given, ends when that begins.
        """
        settled, places = _Slots(), {node.id: (some, place) for some in given for place, node in enumerate(some)}
        wanted = {node.slot for some in given for node in some if node.slot and nodes.slot_key(node)}
        found = replacing.in_slots(self._tx, self._access, wanted)
        ours = {node.id: node for node in found if node.id not in places}
        holders = {nodes.slot_key(node): node for node in ours.values()}
        for node in [node for some in given for node in some if nodes.slot_key(node)]:
            rival = holders.setdefault(nodes.slot_key(node), node)
            if rival is node:
                continue
            later, earlier = (node, rival) if node.holds_from > rival.holds_from else (rival, node)
            ended = replace(earlier, valid_to=later.holds_from, superseded_by=later.id)
            if earlier.id in ours:
                ended = replace(ended, updated_at=self._now, version=earlier.version + 1)
                settled.ours.append((earlier, ended))
            else:
                some, place = places[earlier.id]
                some[place] = ended
            settled.ended.append((later, ended))
            holders[nodes.slot_key(node)] = later
        return settled

    def _changes(self) -> list[tuple[Line, Node]]:
        """Return the nodes of the file that are to replace ours."""
        found: dict[str, tuple[Line, Node]] = {}
        for line, given in self._given:
            mine = self._known.get(given.id)
            if mine is None:
                continue
            if mine.kind != given.kind:
                self._result.faults.append((line, Conflict(f"{given.id} is a {mine.kind} here and stays one")))
                continue
            node = self._with_page_and_task(line, given, mine)
            after = None if node is None else _later(node, mine)
            if after is not None and (given.id not in found or _later(after, found[given.id][1]) is not None):
                found[given.id] = line, after
        judged = [node.id for _, node in found.values() if node.kind == "claim"]
        for claim_id, evidence_of in (evidence.posteriors(self._tx, self._access, judged) if judged else {}).items():
            line, after = found[claim_id]
            has_evidence = evidence_of.supports + evidence_of.refutes + evidence_of.neutral
            if has_evidence and after.content_hash != self._known[claim_id].content_hash:
                del found[claim_id]
                error = Conflict(f"claim {claim_id} has evidence about its words", hint="give the new words a new id")
                self._result.faults.append((line, error))
        return list(found.values())

    def _settle(self, wanted: list[tuple[Line, Node]]) -> list[Node]:
        """Return the changes that can be made, in an order in which each finds its text free."""
        settled: list[Node] = []
        while True:
            waiting = []
            for line, node in wanted:
                holders = self._holders.get(nodes.text_key(node), {})
                if any(held == node.boundary_class for holder, held in holders.items() if holder != node.id):
                    waiting.append((line, node))
                    continue
                self._holders.get(nodes.text_key(self._known[node.id]), {}).pop(node.id, None)
                self._holders.setdefault(nodes.text_key(node), {})[node.id] = node.boundary_class
                settled.append(node)
            if len(waiting) in (0, len(wanted)):
                break
            wanted = waiting
        for line, _ in waiting:
            self._result.counts["nodes_refused"] += 1
            self._result.faults.append(
                (line, Conflict("another memo already has this text", hint="delete one of the two"))
            )
        return settled

    def _with_page_and_task(self, line: Line, node: Node, mine: Node | None = None) -> Node | None:
        """Return a node with the values of its page and its task; None if it waits for one of them or is rejected."""
        if node.kind not in ("fragment", "claim"):
            return node
        if node.page_id is not None:
            page_id = self._result.aliases.get(node.page_id, node.page_id)
            page = self._pages.get(page_id)
            if page is None and mine is not None and mine.page_id == page_id:
                return mine
            if page is None:
                self._result.early.append((line, node))
                return None
            if page[1] != node.namespace:
                self._result.faults.append((line, InvalidInput(f"its page {page_id} is in another namespace")))
                return None
            node = replace(node.restricted(page[2]), page_id=page_id, domain=page[3], year=page[4])
        elif node.kind == "fragment" and (node.domain is not None or node.year is not None):
            node = replace(node, domain=None, year=None)
        if node.task_id is not None and (mine is None or mine.task_id != node.task_id):
            task = self._tasks.get(node.task_id)
            if task is None and not self._final:
                self._result.early.append((line, node))
                return None
            node = replace(node, task_id=None) if task is None else node.restricted(task[1])
        if not self._access.sees(node.namespace, node.boundary_class):
            self._result.faults.append(
                (line, BoundaryDenied(f"this access may not see the class {node.boundary_class!r}"))
            )
            return None
        return node

    def _without_new_successor(self, node: Node) -> Node:
        """Return a node with the successor that it has here; the one that the file names is stored at the end."""
        if node.superseded_by is None:
            return node
        self._result.superseded[node.id] = node.superseded_by
        mine = self._before.get(node.id)
        return replace(node, superseded_by=None if mine is None else mine.superseded_by)

    def _complete_successor(self, given: Node) -> None:
        """Note the successor of a node that is here already, but without it: the import that stored it was cut off."""
        mine = self._before.get(given.id)
        if mine is None or given.superseded_by is None or mine.superseded_by is not None:
            return
        if (given.version, given.updated_at) == (mine.version, mine.updated_at):
            self._result.superseded[given.id] = given.superseded_by

    def _rows(self, statement: str, ids: set[str]) -> dict[str, Row]:
        """Return the rows with these ids that the access sees."""
        where = {**scope_parameters(self._access), "ids": json_text(sorted(ids))}
        return {row[0]: row for row in self._tx.rows(statement, where)} if ids else {}


def _holder(node: Node, holders: Mapping[str, BoundaryClass]) -> str | None:
    """Return which of the nodes with its text stands for a node: the one of the same class, else the oldest page or
    entity.

    Memos and claims with one text in two classes stay two, so that an import gives back all that was exported.
    """
    same = [node_id for node_id, held in holders.items() if held == node.boundary_class]
    others = [] if node.kind in ("memo", "claim") else list(holders)
    return next(iter([*same, *others]), None)


def _later(incoming: Node, mine: Node) -> Node | None:
    """Return the node that replaces ours, or None if ours stays. Without being asked, a class becomes stricter, never
    more open.
    """
    stricter = incoming.restricted(mine.boundary_class, mine.open_class)
    if incoming.provenance.get("source") == reference_server.SOURCE:
        # The file has no versions: it changes a memo that an import of it wrote, unless it was changed here since.
        is_untouched = mine.provenance.get("imported_hash") == mine.content_hash
        if not is_untouched or incoming.content_hash == mine.content_hash:
            return None
        return replace(stricter, created_at=mine.created_at, version=mine.version + 1)
    return stricter if is_later(nodes.to_parameters(stricter), nodes.to_parameters(mine)) else None
