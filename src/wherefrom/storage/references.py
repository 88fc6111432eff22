"""Finds what a caller names by its id, by the last characters of its id, or, if it is a node, by its title."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Gone, NotFound
from wherefrom.model.graph import Node
from wherefrom.model.param import Reference
from wherefrom.storage import contexts, insight, metabolism_plans, nodes, receipts, stand_ins
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import reference_parameters, scope_parameters
from wherefrom.storage.stand_ins import Pointer
from wherefrom.text.check import json_text
from wherefrom.text.names import head_of, names_in_any_case

_LIKE_AN_ID: Final = re.compile("[0-9a-f-]{6,36}")
MAX_CANDIDATES: Final = 20
_STATEMENTS: Final = {
    "task": "tasks_referred",
    "query": "queries_referred",
    "plan": "plans_referred",
    "run": "runs_referred",
    "context": "contexts_referred",
    "key": "keys_referred",
    "upkeep": "upkeep_runs_referred",
}
_TO_LOWER_CASE: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be meant: its id, the words by which people know it, what it is, and when it was made.
    by_alias: it has been named by an alias, not by its id or title.
    """

    id: str
    words: str
    kind: str
    at: str
    by_alias: bool = False


def find(tx: Transaction, access: Access, refers: Reference, given: str, *, moment: datetime) -> list[Candidate]:
    """The candidates that the access sees: those with this id; if there is none, those with an id that ends so; and
    if there is none, the nodes with this title or alias, else those with it in another case.
    """
    if refers == "any":
        kinds: tuple[Reference, ...] = ("retired", "run", "plan", "task", "upkeep")
        return next(filter(None, (find(tx, access, kind, given, moment=moment) for kind in kinds)), [])
    if refers == "retired":
        let_go = [candidate_of(gone.node) for gone in receipts.find(tx, access, given)]
        return let_go or _nodes(tx, access, given) or [gone_candidate(one) for one in stand_ins.find(tx, access, given)]
    if refers == "node":
        return _nodes(tx, access, given)
    where = {**scope_parameters(access), **reference_parameters(given), "limit": MAX_CANDIDATES}
    rows = tx.rows(_STATEMENTS[refers], where)
    found = [Candidate(known, words, refers, at) for known, words, at in rows]
    exact = [candidate for candidate in found if candidate.id == given]
    found = list(dict.fromkeys(found))
    return [candidate for candidate in exact or found if _is_seen(tx, access, candidate, moment)]


def candidate_of(node: Node) -> Candidate:
    """A node that may be meant."""
    return Candidate(node.id, node.title or node.content, node.kind, node.updated_at)


def gone_candidate(pointer: Pointer) -> Candidate:
    """A node that went and may be meant, by the words of the one that stands for it."""
    known = candidate_of(pointer.stand_in)
    return Candidate(pointer.node_id, known.words, known.kind, pointer.went_at)


def _nodes(tx: Transaction, access: Access, given: str) -> list[Candidate]:
    names = names_in_any_case(given)
    where = {**scope_parameters(access), **reference_parameters(given), "limit": MAX_CANDIDATES}
    where |= {"folded": given.translate(_TO_LOWER_CASE), "names": json_text(names) if names else None}
    rows = tx.rows("nodes_referred", {**where, "heads": json_text([head_of(name) for name in names])})
    # A masked node may have another title for this access: one without the number that stands in it.
    found = [node for row in rows if (node := nodes.seen(access, nodes.from_row(row))) is not None]
    # An id that was imported may be the end of another: then both are meant, and neither is taken for the other.
    by_id = [node for node in found if node.id == given or (where["tail"] is not None and node.id.endswith(given))]
    if by_id or _LIKE_AN_ID.fullmatch(given):  # nor is a title that looks like an id taken for one
        return [candidate_of(node) for node in by_id]
    by_title = [node for node in found if given in (node.title, *node.aliases)] or [
        node for node in found if _folded(given) in map(_folded, (node.title or "", *node.aliases))
    ]
    own = [node for node in by_title if node.kind in ("memo", "claim")]
    return [
        replace(candidate_of(node), by_alias=_folded(given) != _folded(node.title or "")) for node in own or by_title
    ]


def _folded(title: str) -> str:
    """A title without regard to case, width and spaces."""
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def _require_plan(tx: Transaction, access: Access, plan_id: str, moment: datetime) -> None:
    """Raise an error if the access sees no such plan of insight or of metabolism."""
    try:
        insight.get(tx, access, plan_id, moment=moment)
    except NotFound:
        metabolism_plans.get(tx, access, plan_id, moment=moment)


def _is_seen(tx: Transaction, access: Access, candidate: Candidate, moment: datetime) -> bool:
    """True unless it is a plan or a context that the access may not see; whether it has expired does not matter."""
    try:
        if candidate.kind == "plan":
            _require_plan(tx, access, candidate.id, moment)
        elif candidate.kind == "context":
            contexts.require(tx, access, candidate.id)
    except Gone:
        return True
    except NotFound:
        return False
    return True
