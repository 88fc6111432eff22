"""Writes the nodes of an import by the rules of a save: what the access does not see is as if it were not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, Conflict, InvalidInput, WherefromError
from wherefrom.model.graph import BoundaryClass, Node, strictest
from wherefrom.storage import evidence, locks, nodes
from wherefrom.storage.embeddings import Made
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.transfer.identities import Identities
from wherefrom.storage.transfer.loaded import Loaded, later
from wherefrom.storage.transfer.reading import Fault, Place, Read
from wherefrom.text.check import json_text

_Holders = dict[tuple[object, ...], dict[str, BoundaryClass]]
"""The nodes that have a text: one in each boundary class at most."""


@dataclass(frozen=True, slots=True)
class Loading:
    """What all nodes of a batch are loaded with. In the final try nothing waits for what may still come."""

    access: Access
    identities: Identities
    made: Made | None
    now: str
    final: bool


@dataclass(frozen=True, slots=True)
class LoadedNodes:
    """What became of a batch: which nodes others stand for, which were changed, and what replaced some of them."""

    loaded: Loaded = field(default_factory=Loaded)
    aliases: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    superseded: dict[str, str] = field(default_factory=dict)


def load(tx: Transaction, loading: Loading, batch: Sequence[Read]) -> LoadedNodes:
    """Insert or update nodes. A new one whose text the access sees already becomes an alias of the one that has it."""
    locks.be_alone(tx, loading.access.owner)
    given = [(place, node) for place, node in batch if isinstance(node, Node)]
    ids = json_text([node.id for _, node in given])
    known = [nodes.from_row(row) for row in tx.rows("nodes_by_id", {"owner": loading.access.owner, "ids": ids})]
    if not all(loading.access.sees(node.namespace, node.boundary_class) for node in known):
        # Hidden since the file was read.
        loading.identities.rename_hidden(tx, batch)
        return load(tx, loading, loading.identities.applied(batch))
    return _Batch(tx, loading, given, {node.id: node for node in known}).load()


def link_successors(tx: Transaction, access: Access, identities: Identities, superseded: Mapping[str, str]) -> None:
    """Say which nodes stand for others now, as far as the access sees them."""
    heirs = {node_id: identities.node(heir) for node_id, heir in superseded.items()}
    seen = {ref.id for ref in nodes.refs(tx, access, sorted(set(heirs.values())))}
    linked = [(node_id, heir) for node_id, heir in heirs.items() if heir in seen and heir != node_id]
    tx.many("nodes_succeeded", [{"id": node_id, "heir": heir} for node_id, heir in linked], {"owner": access.owner})


class _Batch:
    """The nodes of one transaction, and what of the store they touch."""

    def __init__(
        self, tx: Transaction, loading: Loading, given: Sequence[tuple[Place, Node]], known: dict[str, Node]
    ) -> None:
        self._tx = tx
        self._loading = loading
        self._access = loading.access
        self._given = given
        self._result = LoadedNodes()
        self._before = dict(known)
        self._known = known
        self._holders: _Holders = {}
        hashes = json_text(sorted({node.content_hash for _, node in given}))
        for row in tx.rows("nodes_with_texts", {**scope_parameters(self._access), "hashes": hashes}):
            self._holders.setdefault(tuple(row[2:]), {})[row[0]] = row[1]
        self._pages = self._rows("pages_here", {node.page_id for _, node in given if node.page_id})
        self._tasks = self._rows("tasks_here", {node.task_id for _, node in given if node.task_id})

    def load(self) -> LoadedNodes:
        changed = self._settle(self._changes())
        new: list[Node] = []
        to_restrict: dict[str, Node] = {}
        for place, given in self._given:
            if given.id in self._known:
                self._postpone_repeated(place, given)
                continue
            node = self._related(place, given)
            if node is None:
                continue
            holder = self._holder(node)
            if holder is None:
                new.append(node)
                self._known[node.id] = node
                self._holders.setdefault(nodes.text_key(node), {})[node.id] = node.boundary_class
                if node.kind == "page":
                    self._pages[node.id] = (node.id, node.namespace, node.open_class, node.domain, node.year)
            else:
                self._result.aliases[node.id] = holder
                held = self._holders[nodes.text_key(node)]
                stricter = strictest(held[holder], node.boundary_class)
                if stricter != held[holder]:
                    held[holder] = stricter
                    to_restrict[holder] = replace(
                        node.restricted(stricter, node.open_class), updated_at=self._loading.now
                    )
        self._write([self._succeeded(node) for node in changed], [self._succeeded(node) for node in new])
        if to_restrict:
            evidence.restrict(self._tx, self._access, to_restrict)
        counts, loaded = self._result.loaded.counts, self._result.loaded
        counts["nodes_created"] += len(new)
        counts["nodes_updated"] += len(changed)
        counts["nodes_duplicate"] += len(self._result.aliases)
        left_out = len(loaded.early) + len(loaded.faults)
        counts["nodes_unchanged"] += len(self._given) - counts.total() - left_out + counts["nodes_refused"]
        return self._result

    def _postpone_repeated(self, place: Place, node: Node) -> None:
        """A later version of a node that is new in this batch waits until that one is written."""
        is_new = node.id not in self._before and not self._loading.final
        if is_new and later(node, self._known[node.id]) is not None:
            self._result.loaded.early.append((place, node))

    def _changes(self) -> list[tuple[Place, Node]]:
        """The nodes of the file that are later than ours."""
        found: dict[str, tuple[Place, Node]] = {}
        for place, given in self._given:
            mine = self._known.get(given.id)
            if mine is None:
                continue
            if mine.kind != given.kind:
                self._reject(place, given, Conflict(f"{given.id} is a {mine.kind} here and stays one"))
                continue
            node = self._related(place, given, mine)
            after = None if node is None else later(node, mine)
            if after is not None and (given.id not in found or later(after, found[given.id][1]) is not None):
                found[given.id] = place, after
        judged = [node.id for _, node in found.values() if node.kind == "claim"]
        for claim_id, evidence_of in (evidence.posteriors(self._tx, self._access, judged) if judged else {}).items():
            place, after = found[claim_id]
            has_evidence = evidence_of.supports + evidence_of.refutes + evidence_of.neutral
            if has_evidence and after.content_hash != self._known[claim_id].content_hash:
                del found[claim_id]
                error = Conflict(f"claim {claim_id} has evidence about its words", hint="give the new words a new id")
                self._reject(place, after, error)
        return list(found.values())

    def _settle(self, wanted: list[tuple[Place, Node]]) -> list[Node]:
        """The changes that can be made, in an order in which each finds its text free."""
        settled: list[Node] = []
        while True:
            waiting = []
            for place, node in wanted:
                holders = self._holders.get(nodes.text_key(node), {})
                if any(held == node.boundary_class for holder, held in holders.items() if holder != node.id):
                    waiting.append((place, node))
                    continue
                self._holders.get(nodes.text_key(self._known[node.id]), {}).pop(node.id, None)
                self._holders.setdefault(nodes.text_key(node), {})[node.id] = node.boundary_class
                settled.append(node)
            if len(waiting) in (0, len(wanted)):
                break
            wanted = waiting
        for place, node in waiting:
            self._result.loaded.counts["nodes_refused"] += 1
            self._reject(place, node, Conflict("another memo already has this text", hint="delete one of the two"))
        return settled

    def _related(self, place: Place, node: Node, mine: Node | None = None) -> Node | None:
        """A node with what it takes over from its page and its task; None if it has to wait for one of them."""
        if node.kind not in ("fragment", "claim"):
            return node
        if node.page_id is not None:
            page_id = self._result.aliases.get(node.page_id, node.page_id)
            page = self._pages.get(page_id)
            if page is None and mine is not None and mine.page_id == page_id:
                return mine
            if page is None:
                self._result.loaded.early.append((place, node))
                return None
            if page[1] != node.namespace:
                self._reject(place, node, InvalidInput(f"its page {page_id} is in another namespace"))
                return None
            node = replace(node.restricted(page[2]), page_id=page_id, domain=page[3], year=page[4])
        elif node.kind == "fragment" and (node.domain is not None or node.year is not None):
            node = replace(node, domain=None, year=None)
        if node.task_id is not None and (mine is None or mine.task_id != node.task_id):
            task = self._tasks.get(node.task_id)
            if task is None and not self._loading.final:
                self._result.loaded.early.append((place, node))
                return None
            node = replace(node, task_id=None) if task is None else node.restricted(task[1])
        if not self._access.sees(node.namespace, node.boundary_class):
            self._reject(place, node, BoundaryDenied(f"this access may not see the class {node.boundary_class!r}"))
            return None
        return node

    def _holder(self, node: Node) -> str | None:
        """The node that has this text already: the one of the same class, else of a page or an entity the oldest.

        Memos and claims with one text in two classes stay two, so that an import gives what was exported.
        """
        holders = self._holders.get(nodes.text_key(node), {})
        same = [node_id for node_id, held in holders.items() if held == node.boundary_class]
        if same or node.kind in ("memo", "claim"):
            return same[0] if same else None
        return next(iter(holders), None)

    def _succeeded(self, node: Node) -> Node:
        """A node that names what replaced it only if that is its former successor; others are linked at the end."""
        if node.superseded_by is None:
            return node
        self._result.superseded[node.id] = node.superseded_by
        mine = self._before.get(node.id)
        return replace(node, superseded_by=None if mine is None else mine.superseded_by)

    def _write(self, changed: Sequence[Node], new: Sequence[Node]) -> None:
        tx, access, made, now = self._tx, self._access, self._loading.made, self._loading.now
        # Changes first: a new node may have the text that a changed one gave up.
        nodes.replace_many(tx, access, [(self._before[node.id], node) for node in changed], made, link=False)
        nodes.insert(tx, access, new, made, now=now, link=False)
        self._result.changed.extend(node.id for node in changed)

    def _reject(self, place: Place, node: Node, error: WherefromError) -> None:
        self._result.loaded.faults.append(Fault(place, node.id, error))

    def _rows(self, statement: str, ids: set[str]) -> dict[str, Row]:
        """Rows that the access sees, by id."""
        if not ids:
            return {}
        where = {**scope_parameters(self._access), "ids": json_text(sorted(ids))}
        return {row[0]: row for row in self._tx.rows(statement, where)}
