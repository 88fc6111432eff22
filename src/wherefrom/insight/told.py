"""Tells in words what the ends of a link share, and gives the link a tag where it is clear what joins them.

Plans are stored without these words, because a plan may outlive the texts; they are read anew from the texts whenever
a plan is shown or applied.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wherefrom.insight.shared import KANA, MAX_TEXTS, without_endings, written_as_names
from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.insight import InsightPlan, ProposedEdge
from wherefrom.storage import candidates as search
from wherefrom.storage import names_in_texts, nodes
from wherefrom.storage.candidates import FOLLOWS
from wherefrom.storage.embeddings import embedded_text
from wherefrom.storage.judged_texts import Marks, mark_of
from wherefrom.storage.port import SEARCHED, Transaction
from wherefrom.storage.text_index import TextSearch
from wherefrom.text.found_names import is_one_word
from wherefrom.text.names import phrase_of
from wherefrom.text.tokens import folded, placed_terms, query_terms, terms

SAME_SUBJECT: Final = "same_subject"
_MAX_CHARACTERS: Final = 2_000
_MAX_NAMES, _MAX_WORDS, _MAX_NEIGHBOURS = 3, 3, 2
_MAX_TITLE_CHARACTERS: Final = 48
# A word in at most this share of the texts is worth telling.
_TOLD_SHARE: Final = 0.05
_EDGES_PER_NODE: Final = 30
_MAX_EDGES: Final = 2_000
# What the titles of a series differ in: numbers, months, days.
_COUNTED: Final = re.compile(
    r"\d+(?:st|nd|rd|th)?|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b"
)
_LEAST_SERIES_CHARACTERS: Final = 3
_TWO: Final = {"one", "other"}


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of the ends of some links: the nodes, the rare names in each, and the neighbours of each."""

    nodes: dict[str, Node]
    names: dict[str, set[str]]
    near: dict[str, set[str]]
    titles: dict[str, str]


def tell(
    tx: Transaction,
    access: Access,
    text: TextSearch,
    links: Sequence[ProposedEdge],
    *,
    neighbours: bool = False,
) -> tuple[ProposedEdge, ...]:
    """Return links whose reasons name what their ends share. neighbours: name what both are linked to, for an answer to
    this access alone: who reads the relation later may not see that, and it may be deleted.
    """
    if not links:
        return ()
    known = _read(tx, access, links)
    by_link = {link: _words(link, known) for link in links}
    counts = text.count_terms(tx, access, sorted({term for found in by_link.values() for term in found}))
    most = max(MAX_TEXTS, int(_TOLD_SHARE * text.count_texts(tx, access, SEARCHED)))
    told = []
    for link in links:
        rare = sorted((counts.get(term, 0), term) for term in by_link[link] if counts.get(term, 0) <= most)
        parts = _parts(link, known, [term for _, term in rare], neighbours=neighbours)
        said = "".join(f"{part}; " for part in parts)
        plain = link.reason.removeprefix(link.told)
        told.append(replace(link, told=said, reason=said + plain))
    return tuple(told)


def tagged(
    tx: Transaction, access: Access, links: Sequence[ProposedEdge], *, subject: float
) -> tuple[tuple[ProposedEdge, ...], Marks]:
    """Return links with their tags, and what their ends say. subject: from which rarity of the names that both ends
    have on it is `same_subject`.
    """
    ends = sorted({end for link in links for end in (link.source_id, link.target_id)})
    known = nodes.read_by_ids(tx, access, ends)
    marks = {node_id: mark_of(node.content_hash) for node_id, node in known.items()}
    return tuple(_tagged(link, known, subject) for link in links), marks


def _read(tx: Transaction, access: Access, links: Sequence[ProposedEdge]) -> _Known:
    ends = sorted({end for link in links for end in (link.source_id, link.target_id)})
    standing = names_in_texts.of_texts(tx, access, ends)
    several = [name for name, places in standing.items() if len(places) > 1]
    among = names_in_texts.standing(tx, access, several, most=MAX_TEXTS + 1)
    names: dict[str, set[str]] = defaultdict(set)
    for name in several:
        if len({node_id for node_id, _ in among.get(name, ())}) <= MAX_TEXTS:
            for node_id, _ in standing[name]:
                names[node_id].add(name)
    near: dict[str, set[str]] = defaultdict(set)
    own = {frozenset((link.source_id, link.target_id)) for link in links}
    for edge in search.edges_around(tx, access, ends, per_node=_EDGES_PER_NODE, limit=_MAX_EDGES):
        if frozenset(edge[:2]) not in own:  # once they are made, they are no reason for each other
            near[edge.source_id].add(edge.target_id)
            near[edge.target_id].add(edge.source_id)
    common = sorted({other for link in links for other in near[link.source_id] & near[link.target_id]})
    titles = {ref.id: ref.title or "" for ref in nodes.refs(tx, access, common, beginnings=True)}
    return _Known(nodes.read_by_ids(tx, access, ends), names, near, titles)


def _words(link: ProposedEdge, known: _Known) -> set[str]:
    """Return the terms that both ends have."""
    ends = [known.nodes.get(end) for end in (link.source_id, link.target_id)]
    first, second = (set(query_terms(without_endings(_text(node)))) if node is not None else set() for node in ends)
    return first & second


def _parts(link: ProposedEdge, known: _Known, rarest: Sequence[str], *, neighbours: bool) -> list[str]:
    source = known.nodes.get(link.source_id)
    if source is None or link.target_id not in known.nodes:
        return []
    text = _text(source)
    shared = known.names[link.source_id] & known.names[link.target_id]
    names = sorted(shared, key=lambda name: (is_one_word(name), -len(name), name))[:_MAX_NAMES]
    in_names = {term for name in names for term in terms(phrase_of(name))}
    others = [term for term in rarest if term not in in_names and not KANA.search(term)]
    names += [name for name in written_as_names(text, dict.fromkeys(others, _TWO)) if name not in names]
    in_names |= {term for name in names for term in terms(phrase_of(name))}
    words = _as_written(text, [term for term in others if term not in in_names])
    common = known.near[link.source_id] & known.near[link.target_id]
    by_degree = sorted(common & known.titles.keys(), key=lambda node_id: (len(known.near[node_id]), node_id))
    titles = [_short(known.titles[node_id]) for node_id in by_degree if known.titles[node_id]]
    lines = (
        ("both name ", [_name_as_written(name, text) for name in names[:_MAX_NAMES]]),
        ("both say ", [f"“{word}”" for word in words[:_MAX_WORDS]]),
        ("both are linked to ", [f"“{title}”" for title in titles[: _MAX_NEIGHBOURS if neighbours else 0]]),
    )
    return [begins + ", ".join(some) for begins, some in lines if some]


def _as_written(text: str, rarest: Sequence[str]) -> list[str]:
    """Return these terms as the text writes them, the rarest first; pairs of characters that overlap are one word."""
    rank = {term: at for at, term in enumerate(rarest)}
    spans: list[tuple[int, int, int]] = []
    for term, start, end in placed_terms(text):
        if term not in rank:
            continue
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], end, min(spans[-1][2], rank[term]))
        else:
            spans.append((start, end, rank[term]))
    found = (text[start:end] for start, end, _ in sorted(spans, key=lambda span: (span[2], span[0])))
    return list({folded(word): word for word in reversed([*found])}.values())[::-1]


def _name_as_written(name: str, text: str) -> str:
    phrase = phrase_of(name)
    at = re.search(re.escape(phrase).replace(r"\ ", r"\W+"), text, re.IGNORECASE)
    return at[0] if at else phrase


def _tagged(link: ProposedEdge, known: Mapping[str, Node], subject: float) -> ProposedEdge:
    """Return a link with its tag: `follows` from the later to the earlier of a series, `same_subject` where both have
    rare names in common, and else as it was.
    """
    source, target = known.get(link.source_id), known.get(link.target_id)
    if source is None or target is None:
        return link
    if _series(source) and _series(source) == _series(target) and source.title != target.title:
        later, earlier = sorted((source, target), key=lambda node: (node.observed_at, node.id), reverse=True)
        return replace(link, source_id=later.id, target_id=earlier.id, tag=FOLLOWS)
    return replace(link, tag=SAME_SUBJECT) if link.figures.rare_names >= subject else link


def _series(node: Node) -> str:
    """Return the title of a node without what the titles of a series differ in; empty if that is all or nothing."""
    title = folded(node.title or "")
    plain = " ".join(_COUNTED.sub(" # ", title).split())
    letters = sum(c.isalpha() for c in plain)
    is_short = letters < _LEAST_SERIES_CHARACTERS and title.isascii()
    return plain if "#" in plain and letters and not is_short else ""


def told_plan(tx: Transaction, access: Access, text: TextSearch, plan: InsightPlan, *, neighbours: bool) -> InsightPlan:
    """Return a plan with reasons that name what the ends of its accepted links share."""
    some = iter(tell(tx, access, text, plan.accepted, neighbours=neighbours))
    decisions = tuple(
        replace(decision, links=tuple(next(some) if link.accepted else link for link in decision.links))
        for decision in plan.decisions
    )
    return replace(plan, decisions=decisions)


def _text(node: Node) -> str:
    return embedded_text(node)[:_MAX_CHARACTERS]


def _short(title: str) -> str:
    return title if len(title) <= _MAX_TITLE_CHARACTERS else title[: _MAX_TITLE_CHARACTERS - 1].rstrip() + "…"
