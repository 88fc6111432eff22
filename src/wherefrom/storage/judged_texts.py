"""What plans of insight keep of the texts that were judged, to find those that were rewritten since."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from wherefrom.model.access import Access
from wherefrom.storage.port import Transaction
from wherefrom.text.check import json_text

_MARK_CHARACTERS: Final = 16

Marks = Mapping[str, str]
"""By node, the `mark_of` its text when it was judged. Plans of former versions have none."""


def mark_of(content_hash: str) -> str:
    """What is kept of a text."""
    return content_hash[:_MARK_CHARACTERS]


def is_rewritten(marks: Marks, node_id: str, content_hash: str) -> bool:
    """True if the text of a node is another than the one that was judged; one that was not noted counts as the same."""
    return marks.get(node_id, mark_of(content_hash)) != mark_of(content_hash)


def rewritten(tx: Transaction, access: Access, marks: Marks) -> set[str]:
    """The nodes that are here with another text than the one that was judged."""
    here = ends_here(tx, access.owner, marks)
    return {node_id for node_id, hashed in here.items() if is_rewritten(marks, node_id, hashed)}


def ends_here(tx: Transaction, owner: str, ids: Collection[str]) -> dict[str, str]:
    """Those of some nodes that relations could still be made of, with the hashes of their texts."""
    where = {"owner": owner, "ids": json_text(sorted(ids))}
    return {row[0]: row[1] for row in tx.rows("insight_ends", where)} if ids else {}
