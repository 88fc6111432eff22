"""How the store is: what `info` and `doctor` say."""

from __future__ import annotations

from recollect.model.access import Access
from recollect.model.results import Check
from recollect.storage.port import Transaction
from recollect.storage.statements import scope_parameters
from recollect.text.check import content_hash


def sizes(tx: Transaction, access: Access) -> dict[str, int]:
    """Counts of what the root holds, and of the owner's events and retired rows."""
    scope = scope_parameters(access)
    counts = {f"{kind}s" if kind != "entity" else "entities": count for kind, count in tx.rows("node_counts", scope)}
    for label, name in (("edges", "edge_total"), ("events", "event_total"), ("retired", "retired_total")):
        row = tx.row(name, scope)
        counts[label] = row[0] if row else 0
    return {"memos": 0, **counts}


def checks(tx: Transaction, access: Access) -> tuple[Check, ...]:
    """Whether rows fit together: no edge without its ends, no stale copy, every text as it was hashed."""
    scope = scope_parameters(access)
    orphans, stale = tx.row("edge_faults", scope) or (0, 0)
    (unindexed,) = tx.row("text_missing", scope) or (0,)
    changed = sum(1 for _, text, hashed in tx.stream("node_hashes", scope) if content_hash(text) != hashed)
    return (
        Check("orphaned edges", orphans == 0, f"{orphans} edges without both ends"),
        Check("edge copies", stale == 0, f"{stale} edges disagree with their ends"),
        Check("pending work", unindexed == 0, f"{unindexed} texts wait to be indexed (`recollect reindex`)"),
        Check("content hashes", changed == 0, f"{changed} texts differ from their hash"),
    )
