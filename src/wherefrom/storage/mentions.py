"""Mentions: edges from a text to the nodes whose names stand in it, made when either of the two is saved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.graph import NAMES, Node
from wherefrom.storage import names_in_texts
from wherefrom.storage.embeddings import embedded_text
from wherefrom.storage.port import Parameters, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.names import Words, head_of, mentioned, names_of, phrase_of, words_of
from wherefrom.text.tokens import is_unspaced, query_terms, text_of

Texts = Mapping[str, Words]
"""The words of texts, by node."""

TAG: Final = "mentions"
NAMED: Final = ("memo", "claim", "page", "entity")
MENTIONING: Final = ("memo", "claim", "fragment")
# A name that more nodes share names none of them; the store keeps a few more holders of it, and not all.
MAX_NODES_PER_NAME: Final = 5
_MAX_HOLDERS_OF_NAME: Final = 64
# A name whose words stand in this many texts is left alone; the texts are read again for each new name.
MAX_TEXTS_PER_NAME: Final = 300


def link_new(tx: Transaction, access: Access, new: Sequence[Node], *, now: str) -> None:
    """Find the mentions of the names of new nodes in older texts, and those in their own texts."""
    if names := names_of_all(new):  # what is asked for the texts of new nodes is known before older texts are read
        texts = [words_of(embedded_text(node)) for node in new if node.kind in MENTIONING]
        tx.expect(_named_in(access, texts))
        link_names(tx, access, names, now=now)
    link_texts(tx, access, new, now=now)


def change(tx: Transaction, access: Access, pairs: Sequence[tuple[Node, Node]], *, now: str) -> None:
    """Bring the names of nodes and the mentions in their texts up to date; each pair is a node before and after."""
    grown = [(old, node) for old, node in pairs if _has_only_more_aliases(old, node)]
    add_names(tx, access, [node for _, node in grown])
    link_names(tx, access, {name for old, node in grown for name in set(_names(node)) - set(_names(old))}, now=now)
    changed = [(old, node) for old, node in pairs if not _has_only_more_aliases(old, node)]
    if not changed:
        return
    renamed = [node for old, node in changed if (old.title, old.aliases) != (node.title, node.aliases)]
    freed = mentioning(tx, access, [node.id for node in renamed])
    forget(tx, access, renamed)
    nodes = [node for _, node in changed]
    tx.run("mentions_forget_from", _of(access, [node.id for node in nodes]))
    add_names(tx, access, renamed)
    link_names(tx, access, names_of_all(renamed), now=now)
    link_texts(tx, access, nodes, now=now)
    link(tx, access, freed, now=now)


def mentioning(tx: Transaction, access: Access, ids: Sequence[str]) -> Texts:
    """The texts that mention one of these nodes: when its name goes, they may mention a shorter one that it hid."""
    rows = tx.rows("texts_mentioning", _of(access, ids)) if ids else []
    return {found: words_of(text_of(title, content)) for found, title, content in rows}


def forget(tx: Transaction, access: Access, changed: Sequence[Node]) -> None:
    """Take back the names of nodes and the mentions found by them, in both directions."""
    where = _of(access, [node.id for node in changed])
    for name in ("mentions_forget_from", "mentions_forget_to", "names_forget") if changed else ():
        tx.run(name, where)


def rename(tx: Transaction, access: Access, changed: Sequence[Node]) -> None:
    """Replace the names of nodes; all mentions found by the old ones go, and are not looked for again."""
    forget(tx, access, changed)
    add_names(tx, access, changed)


def replace_names(tx: Transaction, access: Access, changed: Sequence[Node]) -> None:
    """Replace the names of nodes by those that they have now; the mentions that there are stay."""
    tx.run("names_forget", _of(access, [node.id for node in changed]))
    add_names(tx, access, changed)


def add_names(tx: Transaction, access: Access, named: Iterable[Node]) -> None:
    """Store the names of nodes."""
    holders: dict[str, list[str]] = defaultdict(list)
    for node in named:
        for name in _names(node):
            holders[name].append(node.id)
    rows = [
        {"id": node_id, "name": name, "head": head_of(name)}
        for name, ids in holders.items()
        for node_id in ids[:_MAX_HOLDERS_OF_NAME]
    ]
    tx.many("names_add", rows, {"owner": access.owner})


def link_texts(tx: Transaction, access: Access, written: Sequence[Node], *, now: str) -> None:
    """Link the texts of nodes to the nodes that they name."""
    # An edge must not tell that a text has a number to somebody who may not see the number.
    link(tx, access, texts_of(written), now=now)


def texts_of(some: Iterable[Node]) -> Texts:
    """The texts of those nodes that may mention others."""
    return {node.id: words_of(embedded_text(node)) for node in some if node.kind in MENTIONING}


def link(tx: Transaction, access: Access, texts: Texts, *, now: str) -> None:
    """Link texts to the nodes that they name."""
    known = named_in(tx, access, texts.values())
    if not known:
        return
    heads = by_head(known)
    found = [
        (source_id, target_id)
        for source_id, words in texts.items()
        for name in dict.fromkeys(mentioned(words, heads))
        for target_id in known[name]
    ]
    insert(tx, access, found, judge=NAMES, now=now)


def link_names(tx: Transaction, access: Access, names: Collection[str], *, now: str, but: Collection[str] = ()) -> None:
    """Find the mentions in all stored texts, `but` those of some nodes, that may hold one of these names anew."""
    wanted = [{"name": tx.dialect.together(query_terms(phrase_of(name)))} for name in names]
    where = {**scope_parameters(access), "kinds": json_text(MENTIONING), "limit": MAX_TEXTS_PER_NAME}
    rows = tx.many("texts_naming", wanted, where)
    count = Counter(row[0] for row in rows)
    found = {row[1]: row for row in rows if count[row[0]] < MAX_TEXTS_PER_NAME and row[1] not in but}
    texts = {node_id: words_of(text_of(title, content)) for node_id, (_, _, title, content) in found.items()}
    link_again(tx, access, texts, by_head(names), now=now)


def link_again(tx: Transaction, access: Access, texts: Texts, new: Mapping[str, Collection[str]], *, now: str) -> None:
    """Find the mentions in those of some stored texts anew that hold one of the `new` names, by their heads."""
    holding = {node_id: words for node_id, words in texts.items() if any(mentioned(words, new))}
    if holding:
        # A new name may be longer than one that was found there before, or make it ambiguous.
        tx.run("mentions_forget_from", _of(access, list(holding)))
        link(tx, access, holding, now=now)


def insert(tx: Transaction, access: Access, pairs: Iterable[tuple[str, str]], *, judge: str | None, now: str) -> None:
    """Store mentions, each as the ids of its source and its target; those without a judge are the caller's."""
    rows = [{"source_id": source, "target_id": target} for source, target in dict.fromkeys(pairs) if source != target]
    tx.many("mentions_add", rows, {"owner": access.owner, "judge": judge, "now": now})


def named_in(tx: Transaction, access: Access, texts: Iterable[Words]) -> dict[str, tuple[str, ...]]:
    """The names that these texts may hold, with the nodes that go by each; ambiguous names left out."""
    known: dict[str, list[str]] = defaultdict(list)
    for question in _named_in(access, texts):
        for name, node_id in tx.rows(*question):
            known[name].append(node_id)
    return {name: tuple(ids) for name, ids in known.items() if len(ids) <= MAX_NODES_PER_NAME}


def asked_ahead(access: Access, new: Node) -> list[tuple[str, Parameters]]:
    """The queries by which `link_new` will find what a new node mentions, if they do not depend on its own names."""
    if names_of_all([new]) or new.kind not in MENTIONING:
        return []
    return _named_in(access, [words_of(embedded_text(new))])


def _named_in(access: Access, texts: Iterable[Words]) -> list[tuple[str, Parameters]]:
    heads = set().union(*(words.heads() for words in texts))
    return [("names_known", {**scope_parameters(access), "heads": json_text(sorted(heads))})] if heads else []


def asked(tx: Transaction, access: Access, question: str, *, in_texts: bool = True) -> dict[str, float]:
    """The nodes that a question names by their titles, in whatever case, and if `in_texts` by names that texts begin
    with; where several have a name, each with its share of it. A title comes before what a text begins with.
    """
    words = words_of(question)
    begun = names_in_texts.asked(tx, access, words) if in_texts else {}
    known = begun | named_in(tx, access, [words])
    return {
        node_id: 1.0 / len(known[name])
        for name in mentioned(words, by_head(known), strict=False)
        for node_id in known[name]
    }


def reads_of_asked(tx: Transaction, access: Access, question: str) -> list[Callable[[], object]]:
    """What `asked` reads, for `Transaction.ahead`."""
    words = words_of(question)
    return [partial(names_in_texts.asked, tx, access, words), partial(named_in, tx, access, [words])]


def by_head(names: Iterable[str]) -> dict[str, list[str]]:
    """These names by their heads."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found[head_of(name)].append(name)
    return found


def names_of_all(named: Iterable[Node]) -> set[str]:
    """The names of these nodes."""
    return {name for node in named for name in _names(node)}


def _names(node: Node) -> Sequence[str]:
    """The names of a node, from its title and its aliases. One word is no name of a page: it is the name of a file,
    or of everything.
    """
    title = node.title or ""
    if node.kind not in NAMED or (node.kind == "page" and len(title.split()) < 2 and not is_unspaced(title)):
        return ()
    return tuple(dict.fromkeys(name for title in (node.title, *node.aliases) for name in names_of(title)))


def _has_only_more_aliases(old: Node, node: Node) -> bool:
    """True if a node kept its title, its text and all its aliases."""
    return (old.title, old.content) == (node.title, node.content) and set(old.aliases) <= set(node.aliases)


def _of(access: Access, ids: Sequence[str]) -> dict[str, Any]:
    return {**scope_parameters(access), "ids": json_text(ids), "judge": NAMES}
