"""Nodes: read, and written in the one way that all writers share: with text index, vectors, names and mentions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NoReturn

from wherefrom.model import cursors
from wherefrom.model.access import READ_HINT, Access
from wherefrom.model.errors import BoundaryDenied, NotFound, shown_id
from wherefrom.model.graph import Node, NodeRef, strictest
from wherefrom.model.identifiers import LEAST_CHARACTERS
from wherefrom.model.results import Page
from wherefrom.storage import embeddings, events, mentions, names_in_texts, node_texts, text_index, versions
from wherefrom.storage.embeddings import Made
from wherefrom.storage.node_texts import NodeText, decide_terms, decide_vector
from wherefrom.storage.port import Database, Parameters, Row, Transaction
from wherefrom.storage.sql import NODE_COLUMNS, scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.sensitive.redaction import masked, without_hashes

# The first of metadata, provenance, pinned and aliases, which are text or numbers in a row.
_JSON: Final = NODE_COLUMNS.index("metadata")
MAX_BATCH_ROWS: Final = 500
_MISSING_HINT: Final = (
    f"give its id, at least the last {LEAST_CHARACTERS} characters of it, or its title; list and search show them"
)
_values: Final[Callable[[Node], tuple[Any, ...]]] = attrgetter(*NODE_COLUMNS)


def get(tx: Transaction, access: Access, node_id: str, *, label: str = "memo") -> Node:
    """The node with this id, if the access may see the whole of it."""
    node = find(tx, access, node_id, label)
    if not access.sees(node.namespace, node.boundary_class):
        raise BoundaryDenied(
            f"{label} {node_id} holds personal data that this access may not see, so it can only read the rest",
            hint="open the memory with a tag that this class allows; or run `wherefrom reclassify`, if it is shared",
        )
    return node


def read(tx: Transaction, access: Access, node_id: str, *, label: str = "memo") -> Node:
    """The node with this id as far as the access may see it: without personal data, if it may not see those."""
    found = seen(access, find(tx, access, node_id, label)) or _missing(access, node_id, label)
    return _without_hidden_heirs(tx, access, [found])[0]


def seen(access: Access, node: Node) -> Node | None:
    """The node as an access may see it: the whole, the text without personal data, or None."""
    if access.sees(node.namespace, node.boundary_class):
        return node if "pii" in access.classes else without_hashes(node)
    is_open = node.shared_class is not None and access.sees(node.namespace, node.shared_class)
    return masked(node) if is_open else None


def find(tx: Transaction, access: Access, node_id: str, label: str = "memo") -> Node:
    """The whole node, if the access sees any of it. An answer may only show what `seen` leaves of it."""
    row = tx.row("node_get", {**scope_parameters(access), "id": node_id})
    if row is not None:
        return from_row(row)
    refuse_read_only(tx, access, [node_id], label)
    return _missing(access, node_id, label)


def refuse_read_only(tx: Transaction, access: Access, ids: Sequence[str], label: str = "memo") -> None:
    """Raises if a change is about one of these nodes and the access may only read it."""
    if not tx.writes or not access.also:
        return
    for row in tx.rows("nodes_by_id", {"owner": access.owner, "ids": json_text(ids)}):
        node = from_row(row)
        if seen(access, node) is not None and seen(access.own(), node) is None:
            raise BoundaryDenied(
                f"{label} {node.id} is in {node.namespace!r}, which this access may only read", hint=READ_HINT
            )


def _without_hidden_heirs(tx: Transaction, access: Access, found: list[Node]) -> list[Node]:
    """The nodes without the ids of heirs that the access may not see."""
    heirs = {node.superseded_by for node in found if node.superseded_by is not None}
    known = {ref.id for ref in refs(tx, access, sorted(heirs))}
    return [node if node.superseded_by in {None, *known} else replace(node, superseded_by=None) for node in found]


def _missing(access: Access, node_id: str, label: str) -> NoReturn:
    raise NotFound(f"there is no {label} {shown_id(node_id)} in {access.root!r}", hint=_MISSING_HINT)


def page(
    tx: Transaction, access: Access, *, kinds: Sequence[str], where: Mapping[str, Any], limit: int, cursor: str | None
) -> Page:
    """Nodes of these kinds in the access's root, newest first. where: the times that they must fit, and with
    `replaced` or `expired` what is listed though it has ended.
    """
    kept = dict.fromkeys(("replaced", "expired")) | dict(where)
    where = {**scope_parameters(access), **kept, "before": cursors.decode_number(cursor, "nodes"), "limit": limit + 1}
    # The index has each kind in order: two short lists are joined faster than both kinds are sorted.
    found = chain.from_iterable(tx.rows("node_list", {**where, "kind": kind}) for kind in kinds)
    rows = sorted(found, key=lambda row: -row[0])[: limit + 1]
    shown = [node for row in rows[:limit] if (node := seen(access, from_row(row[1:]))) is not None]
    after = cursors.encode("nodes", rows[limit - 1][0]) if len(rows) > limit else None
    return Page(tuple(_without_hidden_heirs(tx, access, shown)), after)


def by_ids(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, Node]:
    """The nodes with these ids, without those that the access may not see, or, in a change, not write."""
    access = access.own() if tx.writes else access
    found = map(from_row, tx.rows("nodes_by_id", {"owner": access.owner, "ids": json_text(ids)}))
    return {node.id: node for node in found if access.sees(node.namespace, node.boundary_class)}


def read_by_ids(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, Node]:
    """The nodes with these ids as far as the access may see them, without those of which it sees nothing."""
    access = access.own() if tx.writes else access
    rows = tx.rows("nodes_by_id", {"owner": access.owner, "ids": json_text(ids)}) if ids else ()
    return {row[0]: node for row in rows if (node := seen(access, from_row(row))) is not None}


def same_text(tx: Transaction, access: Access, node: Node, *, at: str | None = None) -> Node | None:
    """The node in the same place with the same text that the access sees; of the same class, if there are several.

    A memo or claim that has ended is one only if it held at a time: without one, when the given node was changed.
    """
    row = tx.row(*same_text_query(access, node, at))
    return None if row is None else from_row(row)


def same_text_query(access: Access, node: Node, at: str | None) -> tuple[str, Parameters]:
    """The query of `same_text`."""
    return "node_same_text", {**scope_parameters(access), **to_parameters(node), "at": at or node.updated_at}


def next_seqs_query(number: int) -> tuple[str, Parameters]:
    """The query for the seqs of so many new nodes."""
    return "node_seqs", {"number": number}


def said_by_request(tx: Transaction, access: Access, turn: Node, request_id: str | None) -> str | None:
    """When a turn was observed that an earlier call with this request id saved; None if there was no such call."""
    if turn.session is None or request_id is None:
        return None
    row = tx.row("turn_of_request", {**scope_parameters(access), **to_parameters(turn), "request_id": request_id})
    return None if row is None else str(row[0])


def refs(tx: Transaction, access: Access, ids: Sequence[str], *, beginnings: bool = False) -> tuple[NodeRef, ...]:
    """The names of these nodes, oldest first, without those that the access may not see. With `beginnings`, a node
    without a title is named by the beginning of its text.
    """
    where = {**scope_parameters(access), "ids": json_text(ids), "beginnings": beginnings or None}
    return tuple(NodeRef(*row) for row in tx.rows("node_refs", where)) if ids else ()


def last_seq(tx: Transaction, access: Access) -> int:
    """The seq of the owner's newest node."""
    return tx.number("node_last", scope_parameters(access))


def batches(database: Database, access: Access, statement: str, *, after: int = 0) -> Iterator[list[Row]]:
    """All rows of a statement in the order of their first column, a number; each batch is read by itself."""
    where = {**scope_parameters(access), "after": after, "limit": MAX_BATCH_ROWS}
    while rows := database.read(lambda tx: tx.rows(statement, where)):
        yield rows
        where["after"] = rows[-1][0]


def from_row(row: Row) -> Node:
    """A node from its columns."""
    metadata, provenance, pinned, aliases = row[_JSON : _JSON + 4]
    said, source = (json.loads(text) if text != "{}" else {} for text in (metadata, provenance))
    names = tuple(json.loads(aliases)) if aliases != "[]" else ()
    return Node(*(*row[:_JSON], said, source, bool(pinned), names, *row[_JSON + 4 :]))


def to_parameters(node: Node) -> dict[str, Any]:
    """A node's columns as statement parameters."""
    values = dict(zip(NODE_COLUMNS, _values(node), strict=True))
    values["metadata"] = json_text(node.metadata) if node.metadata else "{}"
    values["provenance"] = json_text(node.provenance) if node.provenance else "{}"
    values["aliases"] = json_text(node.aliases) if node.aliases else "[]"
    return values


def insert(tx: Transaction, access: Access, new: Sequence[Node], made: Made | None, *, now: str) -> None:
    """Store new nodes, written by this access, with their texts, vectors and names in the indexes, and find their
    mentions.
    """
    new = [written(access, node) for node in new]
    store(tx, access, [node_texts.of_node(node) for node in new], made, now=now)
    mentions.link_new(tx, access, new, now=now)


def store(
    tx: Transaction,
    access: Access,
    texts: Sequence[NodeText],
    made: Made | None,
    *,
    now: str,
    former_seqs: Mapping[str, int | None] | None = None,
) -> dict[str, int]:
    """Store new nodes with their texts, vectors and names in the indexes; returns their seqs by id. Restored nodes have
    their `former_seqs`. Their mentions are not looked for (see `link_mentions`).
    """
    new = [text.node for text in texts]
    seqs = {node.id: seq for node in new if (seq := (former_seqs or {}).get(node.id)) is not None}
    if unknown := [node.id for node in new if node.id not in seqs]:
        seqs |= zip(unknown, (row[0] for row in tx.rows(*next_seqs_query(len(unknown)))), strict=True)
    rows = [{**to_parameters(node), "seq": seqs[node.id]} for node in new]
    tx.many("nodes_insert", rows, {"owner": access.owner})
    text_index.write(tx, access, seqs, texts)
    embeddings.write(tx, access, seqs, texts, made, now=now)
    names_in_texts.write(tx, access, texts)
    mentions.add_names(tx, access, new)
    return seqs


def written(access: Access, node: Node) -> Node:
    """A node as one that this access writes."""
    return node if node.written_by == access.written_by else replace(node, written_by=access.written_by)


def replace_many(
    tx: Transaction,
    access: Access,
    pairs: Sequence[tuple[Node, Node]],
    made: Made | None,
    *,
    link: bool = True,
    keep_versions: bool = True,
) -> None:
    """Store nodes in place of what they were, with all that depends on them; each pair is a node before and after.

    A node may take a text or a slot that one before it in the list gives up. With `keep_versions`, what memos and
    claims were is kept as a former version.
    """
    pairs = [(old, new) for old, new in pairs if new is not old]
    if keep_versions:
        versions.keep(tx, access, pairs)
    seqs: dict[str, int] = {}
    for wave in _waves(pairs):
        rows = [to_parameters(node) for _, node in wave]
        seqs |= dict(tx.many("nodes_replace", rows, {"owner": access.owner}))
    texts = [(old, new) for old, new in pairs if decide_terms(new) != decide_terms(old)]
    if texts:
        text_index.forget(tx, access, [seqs[node.id] for _, node in texts])
        ready = {new.id: node_texts.of_node(new) for _, new in texts}
        text_index.write(tx, access, seqs, list(ready.values()))
        now = max(node.updated_at for _, node in texts)
        if link:
            mentions.change(tx, access, texts, now=now)
        else:
            mentions.rename(tx, access, [node for _, node in texts])
        # A node that is only closed keeps the vector of its shared text if no other was made: it tells less, not more.
        known = ((old if made is not None else replace(old, shared_class=None), new) for old, new in texts)
        rewritten = [ready[new.id] for old, new in known if decide_vector(new) != decide_vector(old)]
        names_in_texts.rewrite(
            tx, access, [ready[new.id] for old, new in texts if decide_vector(new) != decide_vector(old)]
        )
        stale = embeddings.forget_changed(tx, access, seqs, rewritten) if rewritten else []
        embeddings.write(tx, access, seqs, stale, made, now=now)
    moved = [new for old, new in pairs if _copied_by_edges(new) != _copied_by_edges(old)]
    if moved:
        tx.run("edges_follow_nodes", {"owner": access.owner, "ids": json_text([node.id for node in moved])})
        events.follow_nodes(tx, access, [node.id for node in moved])
    _follow_pages(tx, access, [(old, new) for old, new in pairs if new.kind == "page"])


def remove(tx: Transaction, access: Access, ids: Sequence[str]) -> None:
    """Delete nodes; the database deletes what belongs to them."""
    tx.run("nodes_delete", {"owner": access.owner, "ids": json_text(ids)})


def text_key(node: Node) -> tuple[str | int | None, ...]:
    """A text and its place: of nodes with the same key there is at most one in each boundary class. A statement that
    has ended does not keep its text from being said again, nor one slot another from having its text, nor one turn of a
    session another.
    """
    ended = node.id if node.valid_to is not None and node.kind in versions.VERSIONED else ""
    place = node.namespace, node.kind, node.content_hash, node.task_id, node.page_id, node.position
    return *place, node.slot or "", ended, *turn_key(node)


def turn_key(node: Node) -> tuple[str, str, str]:
    """What tells a turn of a session from others with its words: the session, who says it, and when."""
    return ("", "", "") if node.session is None else (node.session, node.speaker or "", node.observed_at)


def sourced(node: Node, page: Node) -> Node:
    """A fragment or claim that says of its page what that is called and when it was published.

    Only one that is as restricted as the whole page names personal data in the title. A claim that is open to more than
    anything of the page stays as it is.
    """
    if node.kind == "claim" and strictest(node.open_class, page.open_class) != node.open_class:
        return node
    is_as_restricted = node.restricted(page.boundary_class, page.open_class) == node
    whole = page if is_as_restricted and node.namespace == page.namespace else masked(page) or page
    provenance = {**node.provenance, **({"source_title": whole.title} if whole.title else {})}
    if node.kind == "fragment":
        return replace(node, year=page.year, provenance=provenance)
    provenance.pop("year", None)
    return replace(node, provenance=provenance | ({} if page.year is None else {"year": page.year}))


def from_page(tx: Transaction, access: Access, page: Node) -> list[str]:
    """The ids of the fragments of a page, and of the claims of the root that name it as their source."""
    pages = {page.id: page}
    return [node.id for _, node in (*_fragments_of(tx, access, pages), *_claims_from(tx, access, pages))]


def _waves(pairs: Sequence[tuple[Node, Node]]) -> Iterator[list[tuple[Node, Node]]]:
    """The pairs in order, cut before each that takes a text or a slot which the same wave gives up: a database may
    check the rows of one statement in any order.
    """
    wave: list[tuple[Node, Node]] = []
    given_up: set[tuple[object, ...]] = set()
    for old, new in pairs:
        if given_up.intersection(_unique_keys(new)):
            yield wave
            wave, given_up = [], set()
        wave.append((old, new))
        given_up.update(_unique_keys(old) - _unique_keys(new))
    if wave:
        yield wave


def slot_key(node: Node) -> tuple[object, ...] | None:
    """The slot in which a statement holds until another takes its place; None if it has none, or has ended."""
    return None if node.slot is None or node.valid_to is not None else (node.namespace, node.slot, node.boundary_class)


def _unique_keys(node: Node) -> set[tuple[object, ...]]:
    """What no other node has: a text in its class, and a slot."""
    slot = slot_key(node)
    return {(text_key(node), node.boundary_class), *([] if slot is None else [slot])}


def _copied_by_edges(node: Node) -> tuple[object, ...]:
    """The values of a node that edges and fragments copy."""
    place = node.namespace, node.boundary_class, node.shared_class, node.kind
    return *place, node.page_id, node.domain, node.year, node.task_id


def _follow_pages(tx: Transaction, access: Access, changed: Sequence[tuple[Node, Node]]) -> None:
    """Bring fragments and claims in line with their pages, each of which is given before and after its change."""
    moved = {new.id: new for old, new in changed if _copied_by_edges(new) != _copied_by_edges(old)}
    told = {new.id: new for old, new in changed if (new.title, new.year) != (old.title, old.year)}
    if not (moved or told):
        return
    # A page that only becomes more restricted changes its fragments alone.
    found = [*_fragments_of(tx, access, moved | told), *(_claims_from(tx, access, told) if told else ())]
    ends = Counter[str]()
    for page, node in found:
        ends[page.id] = max(ends[page.id], -1 if node.position is None else node.position)
    taken = {(text_key(node), node.boundary_class) for _, node in found}
    pairs: list[tuple[Node, Node]] = []
    for page, old in found:
        new = sourced(old.restricted(page.open_class) if old.kind == "fragment" else old, page)
        if new.boundary_class != old.boundary_class and (text_key(new), new.boundary_class) in taken:
            # The same text at the same place in the same class: it moves to the end of the page.
            ends[page.id] += 1
            new = replace(new, position=ends[page.id])
        if new != old:
            taken.add((text_key(new), new.boundary_class))
            pairs.append((old, replace(new, updated_at=page.updated_at, version=old.version + 1)))
    replace_many(tx, access, pairs, None)


def _fragments_of(tx: Transaction, access: Access, pages: Mapping[str, Node]) -> list[tuple[Node, Node]]:
    """The fragments of these pages, each after its page."""
    rows = tx.rows("fragments_of_pages", {"owner": access.owner, "ids": json_text(list(pages))})
    return [(pages[node.page_id or ""], node) for node in map(from_row, rows)]


def _claims_from(tx: Transaction, access: Access, pages: Mapping[str, Node]) -> list[tuple[Node, Node]]:
    """The claims of the root that name one of these pages as their source, each after its page: the page whose
    fragments say something about the claim, or, if none with this URL does, the page in the claim's namespace.
    """
    here = {(page.namespace, page.content): page.id for page in pages.values()}
    urls = json_text(sorted({page.content for page in pages.values()}))
    claims: dict[str, Node] = {}
    linked: dict[str, list[str]] = {}
    for page_id, *row in tx.rows("claims_naming", {**scope_parameters(access), "urls": urls}):
        claim = from_row(tuple(row))
        claims[claim.id] = claim
        linked.setdefault(claim.id, []).extend([] if page_id is None else [page_id])
    found: list[tuple[Node, Node]] = []
    for claim in claims.values():
        nearest = linked[claim.id] or [here.get((claim.namespace, claim.provenance["url"]), "")]
        found += [(pages[page_id], claim) for page_id in nearest if page_id in pages][:1]
    return found
