"""Writes what an import has besides nodes: tasks and their queries, edges, and corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import HUMAN, Edge
from wherefrom.storage import edges, evidence, locks, nodes, tasks
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.transfer.loaded import Loaded, is_newer, name_of
from wherefrom.storage.transfer.reading import Fault, Read
from wherefrom.storage.transfer.splitting import CONTINUES
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
            loaded.counts["corrections"] += evidence.note(tx, access, record, imported=True)
    return loaded


def load_edges(tx: Transaction, access: Access, batch: Sequence[Read], guard: Callable[[Edge], Edge]) -> Loaded:
    """Insert or update edges between nodes that the access sees."""
    locks.share(tx, access.owner)
    given = [(place, edge) for place, edge in batch if isinstance(edge, Edge)]
    ends = edges.ends_of(tx, access, (edge for _, edge in given))
    sources = json_text(sorted({edge.source_id for _, edge in given}))
    rows = tx.rows("edges_from", {"owner": access.owner, "ids": sources})
    known = {edges.key_of(edge): edge for edge in (Edge(*row) for row in rows)}
    loaded = Loaded()
    new: dict[edges.Key, Edge] = {}
    changed: dict[edges.Key, Edge] = {}
    gone: list[Edge] = []
    for place, incoming in given:
        if incoming.source_id not in ends or incoming.target_id not in ends:
            loaded.early.append((place, incoming))
            continue
        if incoming.tag == CONTINUES and incoming.source_id == incoming.target_id:
            # Parts of a split memo with the same text are one memo.
            loaded.counts["edges_unchanged"] += 1
            continue
        edge = guard(edges.placed(incoming, ends[incoming.source_id], ends[incoming.target_id]))
        mine, rival = known.get(edges.key_of(edge)), evidence.rival(edge, known)
        held = rival or mine
        if held is not None and not is_newer(edge, held):
            loaded.counts["edges_unchanged"] += 1
            continue
        if held is not None and held.judge == HUMAN != edge.judge:
            error = Conflict("a person has corrected this judgement", hint="correct it again to change it")
            loaded.faults.append(Fault(place, name_of(edge), error))
            continue
        if rival is not None:
            changed.pop(edges.key_of(rival), None)
            if new.pop(edges.key_of(rival), None) is None:
                gone.append(rival)
            del known[edges.key_of(rival)]
        known[edges.key_of(edge)] = edge
        if mine is None:
            new[edges.key_of(edge)] = edge
            loaded.counts["edges_created"] += 1
        elif edges.key_of(edge) in new:
            new[edges.key_of(edge)] = edge
            loaded.counts["edges_unchanged"] += 1
        else:
            changed[edges.key_of(edge)] = edge
            loaded.counts["edges_updated"] += 1
    edges.remove(tx, access, gone)
    edges.insert(tx, access, list(new.values()))
    edges.replace_many(tx, access, list(changed.values()))
    return loaded
