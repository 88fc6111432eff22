"""Reads pairs of statements that contradict each other, as far as an access sees both of them wholly."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Edge
from wherefrom.storage.port import EmbeddingModel, Row, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

# The tag of a relation between two statements that both hold, so that they are not listed again.
COMPATIBLE: Final = "compatible"
# How many of the newest stated relations, and of the slots, a review looks through; and the count beside an answer.
_EXAMINED: Final = 20_000
_EXAMINED_WHILE_RECALLING: Final = 200
_MAX_PAIRS: Final = 500
_MAX_WAITING: Final = 99
_MAX_TITLED: Final = 2_000
# A title that more statements of a namespace have names no single fact: "Standup", "Notes".
_MAX_SAME_TITLE: Final = 5
# Of a longer text the beginning is compared.
_CHARACTERS: Final = 4_000


@dataclass(frozen=True, slots=True)
class CertainPair:
    """Two statements in one slot (rank 0), in dispute (2), or at the ends of two relations that exclude each other (1).

    later, earlier: the numbers of the two nodes or relations. word: the slot or the tag. Of relations: their source,
    its namespace, and since when each of them holds.
    """

    rank: int
    later: int
    earlier: int
    first_id: str
    second_id: str
    word: str
    source_id: str | None
    namespace: str
    since: str | None
    before: str | None
    reason: str | None

    @property
    def ids(self) -> frozenset[str]:
        """Both ids, in no order."""
        return frozenset((self.first_id, self.second_id))


def certain(tx: Transaction, access: Access, tags: Collection[str], *, now: str) -> list[CertainPair]:
    """The pairs that somebody stated to exclude each other: by a slot, by a tag that is exclusive, by a dispute."""
    return _certain(tx, access, tags, now=now, examined=_EXAMINED, limit=_MAX_PAIRS)


def waiting(tx: Transaction, access: Access, tags: Collection[str], *, now: str) -> int:
    """The number of certain pairs among the newest, at most 99: cheap enough to be told beside another answer."""
    few = {"owner": access.owner, "tags": json_text(sorted(tags)), "examined": _EXAMINED_WHILE_RECALLING}
    if tx.row("review_any", few) is None:
        return 0
    found = _certain(tx, access, tags, now=now, examined=_EXAMINED_WHILE_RECALLING, limit=2 * _MAX_WAITING)
    return min(len({(pair.source_id, pair.ids) for pair in found}), _MAX_WAITING)


def titled(tx: Transaction, access: Access, *, now: str, examined: int) -> list[Row]:
    """The statements that share a title with one of the newest, those of one title together: number, id, namespace,
    folded title, text, and how new each is.
    """
    where = {"now": now, "examined": examined, "characters": _CHARACTERS, "most": _MAX_SAME_TITLE}
    return tx.rows("review_titles", {**scope_parameters(access), **where, "limit": _MAX_TITLED})


def vectors(tx: Transaction, access: Access, model: EmbeddingModel, *, now: str, examined: int) -> list[Row]:
    """The newest statements with their vectors, as `metabolism.nearest` takes them."""
    where = {"now": now, "model": model.number, "examined": examined}
    return tx.rows("review_vectors", {**scope_parameters(access), **where})


def texts(tx: Transaction, access: Access, ids: Collection[str]) -> list[Row]:
    """Id, title and text of these statements, which the access sees, and how new each is."""
    where = {"owner": access.owner, "ids": json_text(sorted(ids)), "characters": _CHARACTERS}
    return tx.rows("review_texts", where) if ids else []


def since(tx: Transaction, access: Access, ids: Collection[str]) -> dict[str, str]:
    """How new each of these statements is: when it was observed or began to hold."""
    where = {"owner": access.owner, "ids": json_text(sorted(ids))}
    return {row[0]: row[1] for row in tx.rows("review_since", where)} if ids else {}


def compatible(tx: Transaction, access: Access, ids: Collection[str]) -> set[frozenset[str]]:
    """The pairs of these statements of which somebody said that both hold."""
    where = {"owner": access.owner, "ids": json_text(sorted(ids))}
    return {frozenset(row) for row in tx.rows("review_compatible", where)} if ids else set()


def between(tx: Transaction, access: Access, source_id: str, ids: Sequence[str]) -> list[Edge]:
    """The relations from a source to these nodes that hold."""
    where = {**scope_parameters(access), "source_id": source_id, "ids": json_text(ids)}
    return [Edge(*row) for row in tx.rows("review_between", where)]


def _certain(
    tx: Transaction, access: Access, tags: Collection[str], *, now: str, examined: int, limit: int
) -> list[CertainPair]:
    where = {"now": now, "tags": json_text(sorted(tags)), "examined": examined, "limit": limit}
    return [CertainPair(*row) for row in tx.rows("review_certain", {**scope_parameters(access), **where})]
