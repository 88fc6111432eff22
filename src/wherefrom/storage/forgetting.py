"""Finds what is to be forgotten (by its entity, its source, its time), and erases all that is stored of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.sources import is_from
from wherefrom.storage import events, mentions, nodes, receipts, stand_ins, upkeep_counts
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.names import head_of, mentioned, names_in_any_case, names_of, phrase_of, words_of
from wherefrom.text.tokens import query_terms, text_of

# Texts that have the words of a name, of which those are taken that have the name.
_MAX_TEXTS_PER_NAME: Final = 20_000

_ERASING: Final = (
    "erase_contexts", "erase_events", "erase_receipts", "erase_stand_ins", "erase_corrections", "erase_plans",
    "erase_metabolism_plans",
)  # fmt: skip

Found = dict[str, Node]
"""Nodes by id, all of which the access sees as a whole and may write."""


def observed(tx: Transaction, access: Access, since: str | None, until: str | None) -> Found:
    """What was observed in a time, oldest first: one more than a plan holds at most."""
    where = {**scope_parameters(access.own()), "since": since, "until": until, "limit": limits.FORGOTTEN + 1}
    return _by_id(map(nodes.from_row, tx.rows("nodes_observed", where)))


def about_entity(tx: Transaction, access: Access, entity: str) -> Found:
    """The entities with this name or id, and the memos, claims and fragments that mention one of them."""
    access = access.own()
    named = names_in_any_case(entity)
    where = {**scope_parameters(access), "names": json_text(named), "heads": json_text([*map(head_of, named)])}
    ids = [entity, *(row[0] for row in tx.rows("entities_named", where))]
    entities = {key: node for key, node in whole(tx, access, ids).items() if node.kind == "entity"}
    where = {**scope_parameters(access), "ids": json_text(list(entities))}
    linked = whole(tx, access, [row[0] for row in tx.rows("mentioning_ids", where)])
    titles = {title for node in entities.values() for title in (node.title, *node.aliases) if title} or {entity}
    return {**entities, **linked, **_saying(tx, access, titles)}


def from_source(tx: Transaction, access: Access, source: str) -> Found:
    """The pages that are this source, with their fragments; the claims that no other source says anything about; and
    all that names it as where it comes from.
    """
    access = access.own()
    found = _by_id(
        node
        for node in map(nodes.from_row, tx.stream("nodes_naming_sources", scope_parameters(access)))
        if is_from(node, source)
    )
    pages = json_text([node.id for node in found.values() if node.kind == "page"])
    scope = {**scope_parameters(access), "pages": pages}
    judged = whole(tx, access, [row[0] for row in tx.rows("claims_judged_from", scope)])
    found |= judged | with_fragments(tx, access, found)
    claims = json_text([node.id for node in found.values() if node.kind == "claim"])
    elsewhere = {row[0] for row in tx.rows("claims_judged_elsewhere", {**scope, "ids": claims})}
    return {key: node for key, node in found.items() if key not in elsewhere}


def with_fragments(tx: Transaction, access: Access, found: Mapping[str, Node]) -> Found:
    """These nodes, and the fragments of the pages among them."""
    pages = [node.id for node in found.values() if node.kind == "page"]
    rows = tx.rows("fragments_seen", {**scope_parameters(access.own()), "ids": json_text(pages)}) if pages else []
    return {**found, **_by_id(map(nodes.from_row, rows))}


def without_broken_pages(tx: Transaction, access: Access, found: Mapping[str, Node]) -> Found:
    """These nodes without the pages of which not all fragments are among them: a page takes them all along."""
    where = {"owner": access.owner, "ids": json_text(list(found))}
    kept = {row[0] for row in tx.rows("pages_kept", where)}
    return {key: node for key, node in found.items() if key not in kept}


def whole(tx: Transaction, access: Access, ids: Sequence[str]) -> Found:
    """The nodes among these that the access sees as a whole and may write."""
    return nodes.by_ids(tx, access.own(), ids)


def let_go(tx: Transaction, access: Access, node_id: str) -> Found:
    """The node with this id that was let go, with its fragments, if the access could bring it back."""
    gone = [found.node for found in receipts.find(tx, access, node_id) if found.is_theirs and found.node.id == node_id]
    return _by_id([*gone, *(part for node in gone for part in receipts.fragments_of(tx, access, node.id))])


def counts(tx: Transaction, access: Access, ids: Collection[str]) -> tuple[int, int]:
    """How many relations of these nodes the access sees, and how many former versions of them are kept."""
    where = {**scope_parameters(access.own()), "ids": json_text(list(ids))}
    return tx.number("edges_seen_of", where), tx.number("versions_count", where)


def erase(tx: Transaction, access: Access, found: Mapping[str, Node], *, run_id: str, now: str) -> None:
    """Delete nodes with all that is stored of them, here or in receipts; an event of each says that it was erased."""
    access, ids = access.writing(), list(found)
    where = {"owner": access.owner, "ids": json_text(ids)}
    freed = mentions.mentioning(tx, access, ids)
    for name in _ERASING:
        tx.run(name, where)
    stand_ins.erase(tx, access, ids)
    nodes.remove(tx, access, ids)
    # A longer name that is gone may have hidden a shorter one.
    mentions.link(tx, access, {key: words for key, words in freed.items() if key not in found}, now=now)
    upkeep_counts.recount(tx, access)
    events.append(tx, [_erased(access, node, run_id=run_id, now=now) for node in found.values()])


def _erased(access: Access, node: Node, *, run_id: str, now: str) -> dict[str, Any]:
    return events.row_of(access, "delete", {"rule": "forget"}, about=events.about_node(node, part_of=run_id), at=now)


def _saying(tx: Transaction, access: Access, titles: Iterable[str]) -> Found:
    """The texts in which one of these names stands: one that stands in many has not all its mentions as relations."""
    names = {name for title in titles for name in names_of(title)}
    by_head: dict[str, list[str]] = defaultdict(list)
    for name in names:
        by_head[head_of(name)].append(name)
    wanted = [{"name": tx.dialect.together(query_terms(phrase_of(name)))} for name in sorted(names)]
    where = {**scope_parameters(access), "kinds": json_text(mentions.MENTIONING), "limit": _MAX_TEXTS_PER_NAME}
    texts = {row[1]: text_of(row[2], row[3]) for row in tx.many("texts_naming", wanted, where)}
    return whole(tx, access, [key for key, text in texts.items() if any(mentioned(words_of(text), by_head))])


def _by_id(found: Iterable[Node]) -> Found:
    return {node.id: node for node in found}
