"""Admits the records of an import by the policies in force. A memo that is too long to be stored as one is split."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, Protocol

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.stand_ins import StandIn
from wherefrom.storage import edges, tasks
from wherefrom.storage.transfer.records import Record
from wherefrom.storage.versions import Version
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

    def taken_out(self) -> Counter[str]:
        """Return how many findings of each kind were taken out since this was asked last."""


class Admission:
    """Admits records. links: the edges between the parts of split memos, to be stored at the end, each with the place
    of its line and the id of its memo.
    """

    def __init__(self, access: Access, guard: Guard, *, now: str) -> None:
        self.counts: Counter[str] = Counter()
        self.links: list[tuple[int, str, Edge]] = []
        self._access = access
        self._guard = guard
        self._now = now

    def admitted(self, place: int, record: Record) -> list[Record]:
        """Return the record of the line at a place as the policies leave it, a long memo in parts; raises if it may not
        be stored.
        """
        if isinstance(record, Node):
            try:
                return self._parts(place, self._node(record))
            except BoundaryDenied:
                self.counts["nodes_denied"] += 1
                raise
        if isinstance(record, Version):
            return [replace(record, node=self._kept(record.node))]
        return [self._cleaned(record)]

    def _kept(self, node: Node) -> Node:
        """Return a node as the policies leave it; raises if nothing of it may be stored."""
        self._guard.refuse_secret(node.id, "id")
        self._guard.refuse_secret(node.namespace, "namespace")
        for name in ("slot", "session"):
            if (given := getattr(node, name)) is not None:
                self._guard.refuse_secret(given, name)
        kept = self._guard.admitted(node)
        self._refuse_unseen(kept)
        return kept

    def _node(self, node: Node) -> Node:
        kept = self._kept(node)
        lifetime = self._guard.lifetime(kept)
        if lifetime is None:
            return kept
        latest = timestamp(datetime.fromisoformat(self._now) + lifetime)
        return replace(kept, expires_at=min(kept.expires_at or latest, latest))

    def _parts(self, place: int, memo: Node) -> list[Record]:
        """Return a node; or, if it is too long, memos that together have its text, the first with its id."""
        if len(memo.content.encode()) <= limits.MEMO_BYTES:
            return [memo]
        texts = [text for text in split_text(memo.content, size=limits.MEMO_BYTES) if text.strip()]
        name = memo.title or " ".join(memo.content[: 2 * _MAX_NAME_CHARACTERS].split())[:_MAX_NAME_CHARACTERS]
        parts: list[Node] = []
        for number, text in enumerate(texts, start=1):
            part_id = memo.id if number == 1 else str(uuid.uuid5(_ID_SPACE, f"{memo.id}\n{number}"))
            ending = f" ({number}/{len(texts)})"
            room = limits.TITLE_CHARACTERS - len(ending)
            title = (name if len(name) <= room else name[: room - 1] + "…") + ending
            part = replace(memo, id=part_id, title=title, content=text, content_hash=content_hash(text))
            parts.append(self._guard.admitted(part))
        for before, after in pairwise(parts):
            link = edges.between(after, before, CONTINUES, now=memo.created_at)
            link = replace(link, observed_at=memo.observed_at, updated_at=memo.updated_at)
            self.links.append((place, memo.id, link))
        self.counts["nodes_split"] += 1
        return [*parts]

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
        if isinstance(record, StandIn):
            self._guard.refuse_secret(record.node_id, "id")
            self._guard.refuse_secret(record.stand_in_id, "id")
        return record

    def _refuse_unseen(self, record: Node | Task) -> None:
        if not self._access.sees(record.namespace, record.boundary_class):
            raise BoundaryDenied(
                f"this access may not see the boundary class {record.boundary_class!r}, so it cannot save in it",
                hint="open the memory with a tag that this class allows",
            )
