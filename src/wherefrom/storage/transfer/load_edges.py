"""Writes the edges of an import."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict
from wherefrom.model.graph import HUMAN, Edge
from wherefrom.storage import edges, evidence
from wherefrom.storage.port import Transaction
from wherefrom.storage.transfer.comparing import is_newer
from wherefrom.storage.transfer.load_rest import name_of
from wherefrom.storage.transfer.loaded import Loaded
from wherefrom.storage.transfer.reading import Read
from wherefrom.storage.transfer.rejections import Fault
from wherefrom.storage.transfer.splitting import CONTINUES
from wherefrom.text.check import json_text

_Known = dict[tuple[str, str, str], Edge]


def load(tx: Transaction, access: Access, batch: Sequence[Read], guard: Callable[[Edge], Edge]) -> Loaded:
    """Insert or update edges between nodes that the access sees."""
    tx.run("lock_edges_shared", {})
    given = [(place, edge) for place, edge in batch if isinstance(edge, Edge)]
    ids = sorted({end for _, edge in given for end in (edge.source_id, edge.target_id)})
    rows = tx.rows("node_places", {"owner": access.owner, "ids": json_text(ids)})
    places = {row[0]: row[1:] for row in rows if access.sees(row[1], row[2])}
    sources = json_text(sorted({edge.source_id for _, edge in given}))
    rows = tx.rows("edges_from", {"owner": access.owner, "ids": sources})
    known: _Known = {_key(edge): edge for edge in map(edges.from_row, rows)}
    loaded = Loaded()
    new: dict[tuple[str, str, str], Edge] = {}
    changed: list[Edge] = []
    for place, incoming in given:
        if incoming.source_id not in places or incoming.target_id not in places:
            loaded.early.append((place, incoming))
            continue
        if incoming.tag == CONTINUES and incoming.source_id == incoming.target_id:
            # Parts of a split memo with the same text are one memo.
            loaded.counts["edges_unchanged"] += 1
            continue
        edge = guard(edges.placed(incoming, places[incoming.source_id], places[incoming.target_id]))
        mine, rival = known.get(_key(edge)), evidence.rival(edge, known)
        held = rival or mine
        if held is not None and not is_newer(edge, held):
            loaded.counts["edges_unchanged"] += 1
            continue
        if held is not None and held.judge == HUMAN != edge.judge:
            error = Conflict("a person has corrected this judgement", hint="correct it again to change it")
            loaded.faults.append(Fault(place, name_of(edge), error))
            continue
        if rival is not None:
            if new.pop(_key(rival), None) is None:
                tx.run("edge_delete", {"owner": access.owner, **edges.to_parameters(rival)})
            del known[_key(rival)]
        known[_key(edge)] = edge
        if mine is None:
            new[_key(edge)] = edge
            loaded.counts["edges_created"] += 1
        elif _key(edge) in new:
            new[_key(edge)] = edge
            loaded.counts["edges_unchanged"] += 1
        else:
            changed.append(edge)
            loaded.counts["edges_updated"] += 1
    tx.run_many("edge_insert", [{"owner": access.owner, **edges.to_parameters(edge)} for edge in new.values()])
    tx.run_many("edge_replace", [{"owner": access.owner, **edges.to_parameters(edge)} for edge in changed])
    return loaded


def _key(edge: Edge) -> tuple[str, str, str]:
    return edge.source_id, edge.target_id, edge.tag
