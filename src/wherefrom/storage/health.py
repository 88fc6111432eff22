"""The health of a store: the figures of `info` and the checks of `doctor`."""

from __future__ import annotations

from collections.abc import Sequence

from wherefrom.embedding.port import Embedder
from wherefrom.model.access import Access
from wherefrom.model.graph import BOUNDARY_CLASSES, BoundaryClass
from wherefrom.model.health import Check
from wherefrom.storage import embeddings, mentions_due
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import content_hash, json_text


def sizes(tx: Transaction, access: Access) -> dict[str, int]:
    """Counts of what the root holds, and of the owner's events and retired rows."""
    scope = scope_parameters(access)
    counts = {f"{kind}s" if kind != "entity" else "entities": count for kind, count in tx.rows("node_counts", scope)}
    for label, name in (("edges", "edge_total"), ("events", "event_total"), ("retired", "retired_total")):
        counts[label] = tx.number(name, scope)
    return {"memos": 0, **counts}


def edge_checks(tx: Transaction, access: Access) -> tuple[Check, ...]:
    """Checks of the edges: none without its ends, none with a stale copy of one."""
    orphans, stale = tx.row("edge_faults", scope_parameters(access)) or (0, 0)
    return (
        Check("orphaned edges", orphans == 0, f"{orphans} edges without both ends"),
        Check("edge copies", stale == 0, f"{stale} edges disagree with their ends"),
    )


def index_checks(tx: Transaction, access: Access) -> tuple[Check, ...]:
    """Checks that every text is in the full-text index, and that no import left nodes without their mentions."""
    unindexed, unlinked = tx.number("text_missing", scope_parameters(access)), mentions_due.total(tx, access)
    found = f"{unindexed} texts wait to be indexed (`wherefrom reindex`)"
    if unlinked:
        found += f"; {unlinked} nodes of an import wait for their mentions (the same import again, or reindex)"
    return (Check("pending work", not unindexed and not unlinked, found),)


def hash_checks(tx: Transaction, access: Access) -> tuple[Check, ...]:
    """Checks that every text is as it was hashed."""
    rows = tx.stream("node_hashes", scope_parameters(access))
    changed = sum(1 for _, text, hashed in rows if content_hash(text) != hashed)
    return (Check("content hashes", changed == 0, f"{changed} texts differ from their hash"),)


def vector_checks(
    tx: Transaction, access: Access, embedder: Embedder | None, send_classes: Sequence[BoundaryClass]
) -> tuple[Check, ...]:
    """Checks that every text has a vector, and that this process makes vectors with the model of the store."""
    classes = BOUNDARY_CLASSES if embedder is None else embeddings.sendable(embedder, send_classes)
    scope = {**scope_parameters(access), "classes": json_text(classes), "kinds": json_text(embeddings.KINDS)}
    waiting, withheld, failure = tx.row("pending_health", scope) or (0, 0, None)
    forgotten = tx.number("embedding_stale", scope)
    model = embeddings.active(tx)
    lacking = waiting + forgotten - withheld
    found = f"{lacking} texts wait for their vectors (`wherefrom embed`)"
    if withheld:
        found += f"; {withheld} may not be sent to the endpoint"
    if failure and lacking:
        found += f"; last failure: {failure}"
    checks = [Check("vectors", lacking == 0, found)]
    if model is not None and embedder is not None:
        same = model.model_id == embedder.model_id
        said = f"{model.model_id}, {model.dimension} dimensions" if same else embeddings.mismatch(model, embedder)
        checks.append(Check("embedder", same, said))
    return tuple(checks)
