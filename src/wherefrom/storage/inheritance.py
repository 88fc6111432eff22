"""What a node that goes leaves to the one that stands for it: names, sources, utility and relations; and gives back.

The receipt of the node that goes records what was taken over, without texts: numbers before and after, and which of
its names and sources the other did not have. When it comes back, each value that is still as it was left gets what it
was before; what somebody has changed since stays with the one that stood in. Where several nodes went for one, each is
taken out of the row of those before and after it, in whatever order they come back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.graph import HUMAN, JUDGEMENTS, Edge, Node
from wherefrom.model.limits import ALIASES
from wherefrom.storage import edges, mentions, node_texts, nodes, text_index
from wherefrom.storage.edges import Key
from wherefrom.storage.port import Row, Transaction
from wherefrom.text.check import json_text
from wherefrom.text.tokens import folded

Record = dict[str, Any]
"""What one node left to another: `gifts` by their places, `numbers` of the node and `edges`, each before and after."""
Gift = tuple[str, str, str]

# The values of an edge that tell whether somebody has changed it since.
_NUMBERS: Final = ("weight", "confidence", "observed_at", "judge", "version")


Taken = Callable[[int, Edge], bool]
"""Tells by seq and edge whether an edge of a node that goes is taken over."""


def hand_over(
    tx: Transaction, access: Access, heirs: Mapping[str, str], is_taken: Taken
) -> tuple[dict[str, Record], dict[Key, bool]]:
    """Let nodes that stay take over what nodes that go have; heirs: by node that goes, the one that stands for it.

    Returns what each left, for its receipt, and the keys of the edges that were made (True) or changed. An edge that is
    taken over replaces what the heir has itself with the same ends and tag, unless that is stronger and newer by now.
    """
    access = access.writing()
    rows = tx.rows("nodes_going", {"owner": access.owner, "ids": json_text(list(heirs))})
    known = {node.id: node for node in (nodes.from_row(row[1:]) for row in rows)}
    # In the order of the receipts, whatever is done in one transaction.
    going = {node_id: known[node_id] for node_id in heirs if node_id in known}
    were = nodes.by_ids(tx, access, sorted(set(heirs.values())))
    going = {node_id: node for node_id, node in going.items() if heirs[node_id] in were}
    now = dict(were)
    left: dict[str, Record] = {}
    for node in going.values():
        now[heirs[node.id]], left[node.id] = _with_gifts(now[heirs[node.id]], node)
    _store(tx, access, [(were[node_id], node) for node_id, node in now.items()])
    moved = _moved_edges(tx, access, going, heirs, is_taken)
    estate = _Estate.of(tx, access, {edge for _, edge in moved}, without=heirs.keys())
    for node_id, edge in moved:
        estate.take(edge, left[node_id])
    estate.store(tx, access)
    return {node_id: record for node_id, record in left.items() if record}, estate.made


def give_back(tx: Transaction, access: Access, receipts: Iterable[tuple[int, Node, str | None]]) -> None:
    """Undo what was handed over from these nodes, which are here again; each with the seq of its receipt and the node
    that stood for it.
    """
    back = {seq: (node, heir) for seq, node, heir in receipts if heir is not None}
    heirs = json_text(sorted({heir for _, heir in back.values()}))
    rows = tx.rows("receipts_of_heirs", {"owner": access.owner, "ids": heirs}) if back else []
    records = {row[0]: json.loads(row[3]).get("moved") for row in rows}
    if not any(records[seq] for seq in back if seq in records):
        return
    chain = _Chain(rows, records, nodes.by_ids(tx, access, sorted({heir for _, heir in back.values() if heir})))
    keys = {key for seq in back for key in map(_key_of, (records.get(seq) or {}).get("edges", ()))}
    live = _between(tx, access, keys)
    for seq, (node, heir) in back.items():
        if records.get(seq) and heir is not None:
            chain.undo(seq, node, heir, live)
    _store(tx, access, chain.changed_nodes())
    edges.remove(tx, access, chain.removed)
    edges.replace_many(tx, access, chain.replaced)
    _mend_receipts(tx, access, chain.missing)
    rewritten = [{"seq": seq, "reason": reason} for seq, reason in chain.rewritten(back).items()]
    tx.many("retired_reasons", rewritten, {"owner": access.owner})


@dataclass(slots=True)
class _Estate:
    """The edges of heirs while they take over others: all that are known by key, and what is to be written."""

    known: dict[Key, Edge]
    ends: Mapping[str, Node]
    inserted: dict[Key, Edge] = field(default_factory=dict)
    changed: dict[Key, Edge] = field(default_factory=dict)
    made: dict[Key, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, tx: Transaction, access: Access, moved: Collection[Edge], *, without: Collection[str]) -> _Estate:
        where = {"sources": {edge.source_id for edge in moved}, "targets": {edge.target_id for edge in moved}}
        given = {name: json_text(sorted(ids)) for name, ids in where.items()}
        given["tags"] = json_text(sorted({edge.tag for edge in moved}))
        rows = tx.rows("edges_of_heirs", {"owner": access.owner, **given}) if moved else []
        known = (edge for edge in (Edge(*row) for row in rows) if not {edge.source_id, edge.target_id} & {*without})
        return cls({edges.key_of(edge): edge for edge in known}, edges.ends_of(tx, access, moved))

    def take(self, edge: Edge, record: Record) -> None:
        """Take over an edge, whose ends are those that it is to have, and note it."""
        key = edges.key_of(edge)
        own = self.known.get(key)
        if own is None:
            ends = self.ends.get(edge.source_id), self.ends.get(edge.target_id)
            if ends[0] is None or ends[1] is None:
                return
            self.known[key] = self.inserted[key] = edges.placed(edge, ends[0], ends[1])
        elif not _is_better(own, edge):
            values = {name: getattr(edge, name) for name in ("weight", "confidence", "observed_at", "judge")}
            self.known[key] = replace(own, **values)
            (self.inserted if key in self.inserted else self.changed)[key] = self.known[key]
        else:
            return
        self.made[key] = key in self.inserted
        was = None if own is None else _numbers(own)
        record.setdefault("edges", []).append([*key, was, _numbers(self.known[key])])

    def store(self, tx: Transaction, access: Access) -> None:
        edges.insert(tx, access, list(self.inserted.values()), skip_known=True)
        edges.replace_many(tx, access, list(self.changed.values()))


@dataclass(slots=True)
class _Chain:
    """The receipts of nodes that went for the same ones, in order, while some of them are undone."""

    rows: Sequence[Row]
    records: dict[int, Record | None]
    were: Mapping[str, Node]
    nodes: dict[str, Node] = field(default_factory=dict)
    removed: list[Edge] = field(default_factory=list)
    replaced: list[Edge] = field(default_factory=list)
    missing: list[tuple[Key, list[Any] | None, list[Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.nodes = dict(self.were)

    def undo(self, seq: int, node: Node, heir_id: str, live: dict[Key, Edge]) -> None:
        """Take what a node left out of its heir, if that is here, and out of the receipts after its own."""
        record, self.records[seq] = self.records[seq] or {}, None
        others = [row for row in self.rows if row[4] == heir_id and self.records.get(row[0])]
        if (heir := self.nodes.get(heir_id)) is not None:
            heir = self._without_gifts(heir, node, record, others)
            self.nodes[heir_id] = self._without_numbers(heir, record, [row for row in others if row[0] > seq])
        for source_id, target_id, tag, was, now in record.get("edges", ()):
            key = source_id, target_id, tag
            if not self._hand_on(key, was, now, [row for row in self.rows if row[0] > seq]):
                self._undo_edge(key, was, now, live)

    def changed_nodes(self) -> list[tuple[Node, Node]]:
        return [(self.were[node_id], node) for node_id, node in self.nodes.items()]

    def rewritten(self, back: Collection[int]) -> dict[int, str]:
        """The reasons of the receipts that stay and whose records were changed, by seq."""
        found: dict[int, str] = {}
        for seq, _, _, reason, _ in self.rows:
            if seq not in back and self.records.get(seq):
                new = json_text({**json.loads(reason), "moved": self.records[seq]})
                found |= {seq: new} if new != reason else {}
        return found

    def _without_gifts(self, heir: Node, node: Node, record: Record, others: Sequence[Row]) -> Node:
        given = _gifts(node)
        for place in record.get("gifts", ()):
            if place >= len(given):
                continue  # the policy has cleaned the receipt since
            gift = given[place]
            for row in others:
                same = _gifts_in(row[2])
                if gift in same:  # another that went for the same node has it as well
                    (self.records[row[0]] or {}).setdefault("gifts", []).append(same.index(gift))
                    break
            else:
                heir = _without(heir, gift)
        return heir

    def _without_numbers(self, heir: Node, record: Record, later: Sequence[Row]) -> Node:
        for name, (was, _, now) in record.get("numbers", {}).items():
            before, after = was, now
            for row in later:
                following = (self.records[row[0]] or {}).get("numbers", {}).get(name)
                if following is None:
                    continue
                if following[0] != after:
                    break  # changed between the two
                after, following[0] = following[2], before
                following[2] = before = _joined(name, before, following[1])
            else:
                heir = replace(heir, **{name: before}) if getattr(heir, name) == after else heir
        return heir

    def _hand_on(self, key: Key, was: list[Any] | None, now: list[Any], later: Sequence[Row]) -> bool:
        """Let the next receipt that changed the same edge go back to what was before; False if there is none."""
        for row in later:
            for entry in (self.records.get(row[0]) or {}).get("edges", ()):
                if (entry[0], entry[1], entry[2]) == key and entry[3] == now:
                    entry[3] = was
                    return True
        return False

    def _undo_edge(self, key: Key, was: list[Any] | None, now: list[Any], live: dict[Key, Edge]) -> None:
        edge = live.get(key)
        if edge is None:
            self.missing.append((key, was, now))
        elif _numbers(edge) == now:
            if was is None:
                self.removed.append(live.pop(key))
            else:
                live[key] = replace(edge, **dict(zip(_NUMBERS, was, strict=True)))
                self.replaced.append(live[key])


def _with_gifts(heir: Node, node: Node) -> tuple[Node, Record]:
    """An heir with what it lacks of a node that goes, and the record of it."""
    record: Record = {}
    for place, (kind, name, value) in enumerate(_gifts(node)):
        if kind == "alias":
            is_known = name in heir.aliases or folded(name) == folded(heir.title or "") or len(heir.aliases) >= ALIASES
            new = heir if is_known else replace(heir, aliases=(*heir.aliases, name))
        else:
            is_known = name in heir.provenance
            new = heir if is_known else replace(heir, provenance={**heir.provenance, name: json.loads(value)})
        if new is not heir:
            record.setdefault("gifts", []).append(place)
            heir = new
    for name in ("utility", "judged_at"):
        own = getattr(node, name)
        if own and own != (was := getattr(heir, name)):
            heir = replace(heir, **{name: _joined(name, was, own)})
            record.setdefault("numbers", {})[name] = [was, own, getattr(heir, name)]
        elif own and name == "utility":
            heir = replace(heir, utility=was + own)
            record.setdefault("numbers", {})[name] = [was, own, heir.utility]
    return heir, record


def _joined(name: str, was: Any, own: Any) -> Any:
    """The utility of both together, or the time of the later judgement."""
    return was + own if name == "utility" else max(was or "", own or "") or None


def _gifts(node: Node) -> list[Gift]:
    """The names of a node, and where it comes from, in a fixed order."""
    names = [("alias", name, "") for name in (node.title, *node.aliases) if name]
    return [*names, *(("provenance", key, json_text(value)) for key, value in sorted(node.provenance.items()))]


def _gifts_in(content: str) -> list[Gift]:
    """The same of a node in a receipt."""
    values = json.loads(content)
    names = [("alias", name, "") for name in (values["title"], *values.get("aliases", ())) if name]
    return [*names, *(("provenance", key, json_text(value)) for key, value in sorted(values["provenance"].items()))]


def _without(heir: Node, gift: Gift) -> Node:
    kind, name, value = gift
    if kind == "alias":
        return replace(heir, aliases=tuple(alias for alias in heir.aliases if alias != name))
    if name in heir.provenance and json_text(heir.provenance[name]) == value:
        return replace(heir, provenance={key: known for key, known in heir.provenance.items() if key != name})
    return heir


def _store(tx: Transaction, access: Access, pairs: Iterable[tuple[Node, Node]]) -> None:
    """Store heirs with their new names and numbers: no new version, for nobody has said anything anew."""
    changed = [(old, new) for old, new in pairs if new != old]
    rows = [nodes.to_parameters(node) for _, node in changed]
    seqs: dict[str, int] = dict(tx.many("nodes_replace", rows, {"owner": access.owner}))
    renamed = [new for old, new in changed if new.aliases != old.aliases]
    if renamed:
        text_index.forget(tx, access, [seqs[node.id] for node in renamed])
        text_index.write(tx, access, seqs, [node_texts.of_node(node) for node in renamed])
        mentions.replace_names(tx, access, renamed)


def _moved_edges(
    tx: Transaction, access: Access, going: Mapping[str, Node], heirs: Mapping[str, str], is_taken: Taken
) -> list[tuple[str, Edge]]:
    """The edges of nodes that go, each with its node and with the heir in its place."""
    rows = tx.rows("edges_going", {"owner": access.owner, "ids": json_text(list(going))}) if going else []
    by_node: dict[str, list[Edge]] = {node_id: [] for node_id in going}
    for seq, *values in rows:
        edge = Edge(*values)
        ends = [end for end in (edge.source_id, edge.target_id) if end in heirs]
        # A judgement of a source about one statement is none about another.
        is_judgement = edge.target_id in heirs and edge.source_kind == "fragment" and edge.tag in JUDGEMENTS
        if len(ends) != 1 or ends[0] not in going or is_judgement or not is_taken(seq, edge):
            continue
        new = (heirs.get(end, end) for end in (edge.source_id, edge.target_id))
        source_id, target_id = new
        if source_id != target_id:
            by_node[ends[0]].append(replace(edge, source_id=source_id, target_id=target_id))
    return [(node_id, edge) for node_id, some in by_node.items() for edge in some]


def _between(tx: Transaction, access: Access, keys: Collection[Key]) -> dict[Key, Edge]:
    """The edges that there are of these, by key."""
    rows = [dict(zip(("source_id", "target_id", "tag"), key, strict=True)) for key in sorted(keys)]
    found = (Edge(*row) for row in tx.many("edges_of_keys", rows, {"owner": access.owner}))
    return {edges.key_of(edge): edge for edge in found}


def _mend_receipts(tx: Transaction, access: Access, missing: Sequence[tuple[Key, list[Any] | None, list[Any]]]) -> None:
    """Of edges that were made or changed by handing over and went since, delete the receipts, or let them say what the
    edges were before.
    """
    rows = [{"source_id": key[0], "target_id": key[1]} for key, _, _ in missing]
    wanted = {(key, json_text(now)): was for key, was, now in missing}
    deleted, replaced = [], []
    for seq, content in tx.many("retired_edges_between", rows, {"owner": access.owner}):
        values = json.loads(content)
        key = values["source_id"], values["target_id"], values["tag"]
        known = key, json_text([values[name] for name in _NUMBERS])
        if known not in wanted:
            continue
        if (was := wanted[known]) is None:
            deleted.append(seq)
        else:
            new = json_text({**values, **dict(zip(_NUMBERS, was, strict=True))})
            replaced.append({"seq": seq, "content": new})
    tx.many("retired_replace", replaced, {"owner": access.owner})
    tx.run("retired_delete", {"owner": access.owner, "seqs": json_text(deleted)})


def _key_of(entry: Sequence[Any]) -> Key:
    return entry[0], entry[1], entry[2]


def _numbers(edge: Edge) -> list[Any]:
    return [getattr(edge, name) for name in _NUMBERS]


def _is_better(own: Edge, edge: Edge) -> bool:
    """True if an edge is at least as strong and as new as another, and not the same; or a person judged it alone."""
    if (own.judge == HUMAN) != (edge.judge == HUMAN):
        return own.judge == HUMAN
    mine, other = ((each.weight * each.confidence, each.observed_at) for each in (own, edge))
    return mine != other and mine[0] >= other[0] and mine[1] >= other[1]
