"""Admits the records of an import by the policies in force, and splits memos that are too long to be stored as one."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, Protocol

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, WherefromError
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import edges, tasks
from wherefrom.storage.transfer.reading import Line, Read, Rejections
from wherefrom.storage.transfer.records import Record
from wherefrom.text.check import content_hash
from wherefrom.text.split import split_text

# The tag of the relation from a part of a split memo to the part before it.
CONTINUES: Final = "continues"
_ID_SPACE: Final = uuid.UUID("d0b0c3a4-51f7-5c0a-9d8a-1f0e6f0a7b52")
_MAX_NAME_CHARACTERS: Final = 60


class Guard(Protocol):
    """The policies as they apply to records that come from a file."""

    def node(self, node: Node) -> Node | None:
        """Return a node as it may be stored; None if it may not."""

    def admitted(self, node: Node) -> Node:
        """Return a node as it may be stored; raises if it may not."""

    def lifetime(self, node: Node) -> timedelta | None:
        """Return how long a node may live from now on; None is without end."""

    def refuse_secret(self, text: str, field: str) -> None:
        """Raise an error if a name, which is kept as it is, holds a secret."""

    def edge(self, edge: Edge) -> Edge:
        """Return an edge as it may be stored."""

    def text(self, text: str, namespace: str) -> str:
        """Return a text that is no node's as it may be stored."""


class Admission:
    """Admits the records of one import. links: the edges between the parts of split memos, to be stored at the end."""

    def __init__(self, access: Access, guard: Guard, rejections: Rejections, *, now: str) -> None:
        self.counts: Counter[str] = Counter()
        self.links: list[Read] = []
        self._access = access
        self._guard = guard
        self._rejections = rejections
        self._now = now

    def admitted(self, reads: Iterable[Read]) -> Iterator[Read]:
        """Yield the records as the policies leave them, and reject those that may not be stored."""
        for line, record in reads:
            try:
                if isinstance(record, Node):
                    for part in self._parts(line, self._node(record)):
                        yield line, part
                else:
                    yield line, self._cleaned(record)
            except WherefromError as error:
                self.counts["nodes_denied"] += isinstance(record, Node) and isinstance(error, BoundaryDenied)
                self._rejections.add(line, error)

    def _node(self, node: Node) -> Node:
        self._guard.refuse_secret(node.id, "id")
        self._guard.refuse_secret(node.namespace, "namespace")
        kept = self._guard.admitted(node)
        self._refuse_unseen(kept)
        lifetime = self._guard.lifetime(kept)
        if lifetime is None:
            return kept
        latest = timestamp(datetime.fromisoformat(self._now) + lifetime)
        return replace(kept, expires_at=min(kept.expires_at or latest, latest))

    def _parts(self, line: Line, memo: Node) -> list[Node]:
        """Return a node; or, if it is too long, memos that together have its text, the first with its id."""
        if len(memo.content.encode()) <= limits.MEMO_BYTES:
            return [memo]
        texts = [text for text in split_text(memo.content, size=limits.MEMO_BYTES) if text.strip()]
        name = memo.title or " ".join(memo.content[: 2 * _MAX_NAME_CHARACTERS].split())[:_MAX_NAME_CHARACTERS]
        parts = []
        for number, text in enumerate(texts, start=1):
            part_id = memo.id if number == 1 else str(uuid.uuid5(_ID_SPACE, f"{memo.id}\n{number}"))
            title = _numbered(name, f" ({number}/{len(texts)})")
            part = replace(memo, id=part_id, title=title, content=text, content_hash=content_hash(text))
            parts.append(self._guard.admitted(part))
        for before, after in pairwise(parts):
            link = edges.between(after, before, CONTINUES, now=memo.created_at)
            self.links.append((line, replace(link, observed_at=memo.observed_at, updated_at=memo.updated_at)))
        self.counts["nodes_split"] += 1
        return parts

    def _cleaned(self, record: Record) -> Record:
        """Return a record other than a node as it may be stored."""
        if isinstance(record, Correction):
            return replace(record, reason=self._guard.text(record.reason, self._access.root))
        if isinstance(record, Task):
            self._guard.refuse_secret(record.namespace, "namespace")
            self._refuse_unseen(record)
        if isinstance(record, Task | Query):
            return tasks.cleaned(record, self._guard.text, elsewhere=self._access.root)
        if isinstance(record, Edge):
            self._guard.refuse_secret(record.tag, "tag")
        return record

    def _refuse_unseen(self, record: Node | Task) -> None:
        if not self._access.sees(record.namespace, record.boundary_class):
            raise BoundaryDenied(
                f"this access may not see the boundary class {record.boundary_class!r}, so it cannot save in it",
                hint="open the memory with a tag that this class allows",
            )


def _numbered(name: str, ending: str) -> str:
    """Return a title with this ending, shortened to the length that a title may have."""
    room = limits.TITLE_CHARACTERS - len(ending)
    return (name if len(name) <= room else name[: room - 1] + "…") + ending
