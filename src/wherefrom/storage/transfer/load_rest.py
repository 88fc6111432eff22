"""Writes the tasks, queries, corrections and settings of an import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.storage import evidence, nodes, tasks
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.storage.transfer.loaded import Loaded
from wherefrom.storage.transfer.reading import Read
from wherefrom.storage.transfer.records import Record, Setting
from wherefrom.storage.transfer.rejections import Fault, Place
from wherefrom.text.check import json_text


def load_tasks(tx: Transaction, access: Access, batch: Sequence[Read]) -> Loaded:
    """Import tasks, or queries of tasks that the access sees."""
    loaded = Loaded()
    wanted = sorted({record.task_id for _, record in batch if isinstance(record, Query)})
    here = {row[0] for row in tx.rows("tasks_here", {**scope_parameters(access), "ids": json_text(wanted)})}
    for place, record in batch:
        if isinstance(record, Task):
            loaded.counts["tasks"] += tasks.save(tx, access, record, imported=True)
        elif isinstance(record, Query) and record.task_id in here:
            loaded.counts["queries"] += tasks.save_query(tx, access, record, imported=True)
        else:
            loaded.early.append((place, record))
    return loaded


def load_corrections(tx: Transaction, access: Access, batch: Sequence[Read]) -> Loaded:
    """Import corrections of claims that the access sees."""
    loaded = Loaded()
    known = [(place, record) for place, record in batch if isinstance(record, Correction)]
    ids = {name for _, each in known for name in (each.claim_id, each.source_id) if name is not None}
    here = nodes.by_ids(tx, access, sorted(ids))
    for place, record in known:
        claim = here.get(record.claim_id)
        if claim is None or claim.kind != "claim" or (record.source_id is not None and record.source_id not in here):
            loaded.early.append((place, record))
        else:
            loaded.counts["corrections"] += evidence.load_corrections(tx, access, [record])
    return loaded


def load_settings(tx: Transaction, access: Access, batch: Sequence[Read]) -> Loaded:
    """Import settings of namespaces; the later one holds."""
    names = [field.name for field in fields(Setting)]
    rows = [{"owner": access.owner, **{name: getattr(record, name) for name in names}} for _, record in batch]
    tx.run_many("setting_save", rows)
    loaded = Loaded()
    loaded.counts["settings"] += len(rows)
    return loaded


def missing_reference(place: Place, record: Record) -> Fault:
    """Why a record is left out that names something which is neither in the file nor where the access sees it."""
    match record:
        case Edge():
            what = "an end of the edge"
        case Query():
            what = f"its task {record.task_id}"
        case Correction():
            what = "the claim that it corrects, or its source,"
        case Node():
            what = f"its page {record.page_id}"
        case _:
            what = "what it names"
    error = NotFound(
        f"{what} is neither here nor in a line that can be stored", hint="import it together with what it names"
    )
    return Fault(place, name_of(record), error)


def name_of(record: Record) -> str | None:
    """What names a record in a message."""
    match record:
        case Node() | Task() | Query():
            return record.id
        case Edge():
            return f"{record.source_id} {record.tag} {record.target_id}"
        case Correction():
            return record.claim_id
    return None
