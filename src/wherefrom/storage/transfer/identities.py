"""Which ids the records of an import have here: some are taken where the access does not see it, some texts are known.

An owner has an id once. A record whose id belongs to something that the access does not see gets another id, made from
its own, so that importing it again finds it; all that names it in the file names that one.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.transfer.reading import Read
from wherefrom.storage.transfer.records import Record
from wherefrom.text.check import json_text

_ID_SPACE: Final = uuid.UUID("7a0c5c53-3f0e-5b3d-9a64-6a1c2f7a9e05")
_HIDDEN: Final = {Node: "nodes_hidden", Task: "tasks_hidden", Query: "queries_hidden"}


class Identities:
    """What the ids of a file mean here."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._nodes: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._tasks: dict[str, str] = {}
        self._queries: dict[str, str] = {}

    def rename_hidden(self, tx: Transaction, batch: Sequence[Read]) -> None:
        """Give records of one kind other ids where theirs are taken out of sight."""
        kind = type(batch[0][1])
        if kind not in _HIDDEN:
            return
        ids = [record.id for _, record in batch if isinstance(record, Node | Task | Query)]
        known: dict[type, dict[str, str]] = {Node: self._nodes, Task: self._tasks, Query: self._queries}
        names = {old: old for old in self._hidden(tx, kind, ids)}
        while names:
            # Another access may have taken the new one as well.
            names = {old: self._other(new) for old, new in names.items()}
            known[kind] |= names
            hidden = set(self._hidden(tx, kind, names.values()))
            names = {old: new for old, new in names.items() if new in hidden}

    def add(self, aliases: Mapping[str, str]) -> None:
        """Note nodes whose text others have."""
        self._aliases |= aliases

    def node(self, node_id: str) -> str:
        """The id of the node that stands for this one here."""
        own = self._nodes.get(node_id, node_id)
        return self._aliases.get(own, own)

    def applied(self, batch: Sequence[Read]) -> list[Read]:
        """Records with the ids that they have here."""
        if not (self._nodes or self._aliases or self._tasks or self._queries):
            return list(batch)
        return [(place, self._renamed(record)) for place, record in batch]

    def _renamed(self, record: Record) -> Record:
        match record:
            case Node():
                page, task = record.page_id, record.task_id
                page = page and self.node(page)
                # Not its alias: its text may have become another one since.
                own = self._nodes.get(record.id, record.id)
                return replace(record, id=own, page_id=page, task_id=task and self._task(task))
            case Edge():
                return replace(record, source_id=self.node(record.source_id), target_id=self.node(record.target_id))
            case Correction():
                source = record.source_id
                return replace(record, claim_id=self.node(record.claim_id), source_id=source and self.node(source))
            case Task():
                return replace(record, id=self._task(record.id))
            case Query():
                parent = record.parent_query_id
                parent = parent and self._queries.get(parent, parent)
                own = self._queries.get(record.id, record.id)
                return replace(record, id=own, task_id=self._task(record.task_id), parent_query_id=parent)
        return record

    def _task(self, task_id: str) -> str:
        return self._tasks.get(task_id, task_id)

    def _hidden(self, tx: Transaction, kind: type, ids: Iterable[str]) -> list[str]:
        where = {**scope_parameters(self._access), "ids": json_text(list(ids))}
        return [row[0] for row in tx.rows(_HIDDEN[kind], where)]

    def _other(self, taken: str) -> str:
        named = "\n".join([self._access.root, *self._access.classes, *self._access.hidden, "", taken])
        return str(uuid.uuid5(_ID_SPACE, named))
