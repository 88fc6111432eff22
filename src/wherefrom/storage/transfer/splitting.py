"""Long memos in parts: several memos that continue each other, with the same ids whenever the file is imported."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from wherefrom.model import limits
from wherefrom.model.graph import Edge, Node
from wherefrom.text.check import content_hash
from wherefrom.text.split import split_text

CONTINUES: Final = "continues"
_ID_SPACE: Final = uuid.UUID("d0b0c3a4-51f7-5c0a-9d8a-1f0e6f0a7b52")
_NAME_CHARACTERS: Final = 60


def is_long(node: Node) -> bool:
    """Whether a memo is too long to be stored as one."""
    return len(node.content) > limits.MEMO_BYTES // 4 and len(node.content.encode()) > limits.MEMO_BYTES


def parts(memo: Node) -> list[Node]:
    """The memos that together have the text of one; the first has its id."""
    texts = [text for text in split_text(memo.content, size=limits.MEMO_BYTES) if text.strip()]
    name = memo.title or " ".join(memo.content[: 2 * _NAME_CHARACTERS].split())[:_NAME_CHARACTERS]
    return [
        replace(
            memo,
            id=memo.id if number == 1 else str(uuid.uuid5(_ID_SPACE, f"{memo.id}\n{number}")),
            title=_numbered(name, number, len(texts)),
            content=text,
            content_hash=content_hash(text),
        )
        for number, text in enumerate(texts, start=1)
    ]


def links(memos: Sequence[Node]) -> list[Edge]:
    """Each part continues the one before it."""
    return [
        Edge(
            source_id=after.id,
            target_id=before.id,
            tag=CONTINUES,
            weight=1.0,
            source_namespace=after.namespace,
            target_namespace=before.namespace,
            observed_at=after.observed_at,
            created_at=after.created_at,
            updated_at=after.updated_at,
        )
        for before, after in pairwise(memos)
    ]


def _numbered(name: str, number: int, count: int) -> str:
    ending = f" ({number}/{count})"
    room = limits.TITLE_CHARACTERS - len(ending)
    return (name if len(name) <= room else name[: room - 1] + "…") + ending
