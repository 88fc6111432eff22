"""Mentions: edges from a text to the nodes whose names stand in it, made when either of the two is saved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.graph import NAMES, Node
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.names import Words, head_of, mentioned, names_of, phrase_of, words_of
from wherefrom.text.redaction import shared_text
from wherefrom.text.tokens import is_unspaced, query_terms, text_of

Texts = Mapping[str, Words]
"""The words of texts, by node."""

TAG: Final = "mentions"
JUDGE: Final = NAMES
NAMED: Final = ("memo", "claim", "page", "entity")
MENTIONING: Final = ("memo", "claim", "fragment")
_WEIGHT: Final = 1.0
# A name that more nodes share names none of them.
_AMBIGUOUS: Final = 5
# What more texts have the words of is left alone; so many are read again for one name.
_COMMON: Final = 300


def write(tx: Transaction, access: Access, node: Node, *, old: Node | None = None) -> None:
    """Bring the names of a saved node and the mentions in its text up to date."""
    if old is not None and _only_more_aliases(old, node):
        add_names(tx, access, [node])
        _link_older(tx, access, set(_names(node)) - set(_names(old)), now=node.updated_at)
        return
    renamed = old is None or (old.title, old.aliases) != (node.title, node.aliases)
    freed: Texts = {}
    if old is not None and renamed:
        freed = mentioning(tx, access, node.id)
        forget(tx, access, [node])
    elif old is not None:
        tx.run("mentions_forget_from", _of(access, node.id))
    if renamed:
        add_names(tx, access, [node])
        link_names(tx, access, [node], now=node.updated_at)
    link_texts(tx, access, [node], now=node.updated_at)
    link(tx, access, freed, now=node.updated_at)


def mentioning(tx: Transaction, access: Access, node_id: str) -> Texts:
    """The texts that mention a node: when its name goes, they may mention a shorter one that it hid."""
    rows = tx.rows("texts_mentioning", _of(access, node_id))
    return {found: words_of(text_of(title, content)) for found, title, content in rows}


def forget(tx: Transaction, access: Access, changed: Sequence[Node]) -> None:
    """Take back the names of nodes and the mentions found by them, in both directions."""
    keys = [_of(access, node.id) for node in changed]
    for name in ("mentions_forget_from", "mentions_forget_to", "names_forget"):
        tx.run_many(name, keys)


def add_names(tx: Transaction, access: Access, named: Iterable[Node]) -> None:
    """Remember what nodes are called."""
    rows = [
        {"owner": access.owner, "id": node.id, "name": name, "head": head_of(name)}
        for node in named
        for name in _names(node)
    ]
    tx.run_many("names_add", rows)


def link_texts(tx: Transaction, access: Access, written: Sequence[Node], *, now: str) -> None:
    """Link texts to the nodes that they name."""
    # Who may not see a number must not learn from a link that a text has it.
    texts = {
        node.id: words_of(shared_text(text_of(node.title, node.content), node.shared_class))
        for node in written
        if node.kind in MENTIONING
    }
    link(tx, access, texts, now=now)


def link(tx: Transaction, access: Access, texts: Texts, *, now: str) -> None:
    """Link texts to the nodes that they name."""
    known = named_in(tx, access, texts.values())
    if not known:
        return
    by_head = _by_head(known)
    rows = [
        _row(access, source_id, target_id, now=now, judge=JUDGE)
        for source_id, words in texts.items()
        for name in dict.fromkeys(mentioned(words, by_head))
        for target_id in known[name]
        if target_id != source_id
    ]
    tx.run_many("mention_add", rows)


def link_names(tx: Transaction, access: Access, named: Sequence[Node], *, now: str) -> None:
    """Link the texts that were there before to nodes with new names."""
    _link_older(tx, access, {name for node in named for name in _names(node)}, now=now)


def _link_older(tx: Transaction, access: Access, names: Iterable[str], *, now: str) -> None:
    """Find the mentions in all texts that may have one of these names anew."""
    where = {**scope_parameters(access), "kinds": json_text(MENTIONING), "limit": _COMMON}
    texts: dict[str, Words] = {}
    for name in names:
        together = tx.dialect.together(query_terms(phrase_of(name)))
        rows = tx.rows("texts_naming", {**where, "name": together})
        if len(rows) < _COMMON:
            texts |= {
                node_id: words_of(text_of(title, content)) for node_id, title, content in rows if node_id not in texts
            }
    # A new name may be longer than one that was found there before, or make it ambiguous.
    tx.run_many("mentions_forget_from", [_of(access, node_id) for node_id in texts])
    link(tx, access, texts, now=now)


def give(tx: Transaction, access: Access, source_id: str, targets: Iterable[str], *, now: str) -> None:
    """Link a node to entities that the caller names."""
    rows = [_row(access, source_id, target, now=now, judge=None) for target in targets if target != source_id]
    tx.run_many("mention_add", rows)


def named_in(tx: Transaction, access: Access, texts: Iterable[Words]) -> dict[str, tuple[str, ...]]:
    """The names that these texts may hold, with the nodes that go by each; ambiguous names left out."""
    heads = set().union(*(words.heads() for words in texts))
    if not heads:
        return {}
    known: dict[str, list[str]] = defaultdict(list)
    for name, node_id in tx.rows("names_known", {**scope_parameters(access), "heads": json_text(sorted(heads))}):
        known[name].append(node_id)
    return {name: tuple(ids) for name, ids in known.items() if len(ids) <= _AMBIGUOUS}


def asked(tx: Transaction, access: Access, question: str) -> dict[str, float]:
    """The nodes that a question names, in whatever case; where several have a name, each with its share of it."""
    words = words_of(question)
    known = named_in(tx, access, [words])
    return {
        node_id: 1.0 / len(known[name])
        for name in mentioned(words, _by_head(known), strict=False)
        for node_id in known[name]
    }


def _names(node: Node) -> Sequence[str]:
    """What a node is called: by its title and its aliases. One word is no name of a page: it is the name of a file,
    or of everything.
    """
    if node.kind not in NAMED or (node.kind == "page" and len((node.title or "").split()) < 2 and not _unspaced(node)):
        return ()
    return tuple(dict.fromkeys(name for title in (node.title, *node.aliases) for name in names_of(title)))


def _only_more_aliases(old: Node, node: Node) -> bool:
    """Whether a node has its title and text still, and goes by all the names that it had."""
    return (old.title, old.content) == (node.title, node.content) and set(old.aliases) <= set(node.aliases)


def _unspaced(node: Node) -> bool:
    return is_unspaced(node.title or "")


def _by_head(names: Iterable[str]) -> dict[str, list[str]]:
    by_head: dict[str, list[str]] = defaultdict(list)
    for name in names:
        by_head[head_of(name)].append(name)
    return by_head


def _row(access: Access, source_id: str, target_id: str, *, now: str, judge: str | None) -> dict[str, Any]:
    return {
        "owner": access.owner,
        "source_id": source_id,
        "target_id": target_id,
        "weight": _WEIGHT,
        "reason": None,
        "judge": judge,
        "now": now,
    }


def _of(access: Access, node_id: str) -> dict[str, Any]:
    return {**scope_parameters(access), "id": node_id, "judge": JUDGE}
