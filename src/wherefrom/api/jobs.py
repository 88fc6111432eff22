"""The jobs that a service does by itself at fixed times: completing vectors, and archiving what expired. `upkeep_watch`
finds those that depend on what was saved.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import Final

from wherefrom.engine.resources import Resources
from wherefrom.engine.view import silent
from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import Cancelled, StoreBusy, StoreUnavailable, WherefromError
from wherefrom.model.graph import BOUNDARY_CLASSES
from wherefrom.model.jobs import Job
from wherefrom.recall.sweeping import SweepEngine
from wherefrom.storage import embeddings, jobs

logger = logging.getLogger("wherefrom")

_SECONDS_BETWEEN_VECTORS: Final = 60.0
_SECONDS_BETWEEN_SWEEPS: Final = 3600.0
_MAX_SWEPT_AT_ONCE: Final = 10_000


def standard_jobs(store: Resources) -> tuple[Job, ...]:
    """Return the jobs of a store, for a `Schedule`."""
    return (
        Job("vectors", _SECONDS_BETWEEN_VECTORS, partial(complete_vectors, store)),
        Job("expiry", _SECONDS_BETWEEN_SWEEPS, partial(sweep_all, store)),
    )


def complete_vectors(store: Resources) -> Mapping[str, int]:
    """Make the vectors that are missing in the whole store; return how many.

    If the embedder sends texts away, none: an access decides about its own texts alone whether they are sent, and a job
    has no access. They wait for the next call of one, as without a schedule.
    """
    embedder = store.embedder
    if embedder is None or embedder.sends or store.database.read_only:
        return {"made": 0}
    classes, call = store.settings.embed_classes, cancellation.current()
    made = embeddings.complete(
        store.database, embedder, classes=classes, clock=store.clock, stop=lambda: call.cancelled, progress=silent
    )
    return {"made": made}


def sweep_all(store: Resources) -> Mapping[str, int]:
    """Do for all owners what `sweep` does for one: archive what expired where their policies say so, and forget what is
    past its time. Returns of how many owners, how many nodes went, and in how many namespaces it failed: those are
    logged, and stop none of the others.
    """
    places = store.database.read(lambda tx: jobs.namespaces_to_sweep(tx, store.clock()))
    nodes = failed = 0
    for owner, root in places:
        cancellation.current().check()
        access = Access(owner=owner, root=root, namespace=root, classes=BOUNDARY_CLASSES)
        try:
            nodes += len(SweepEngine(store.view(access, ())).sweep(limit=_MAX_SWEPT_AT_ONCE).node_ids)
        except (Cancelled, StoreUnavailable):  # all others would fail, too
            raise
        except StoreBusy as error:  # its writer is not done yet, as during an import: the next turn sweeps it
            logger.debug("%s of %s waits for its next turn: %s", root, owner, error)
        except WherefromError as error:
            logger.warning("%s of %s was not swept: %s", root, owner, error)
            failed += 1
    return {"owners": len({owner for owner, _ in places}), "nodes": nodes, "failed": failed}
