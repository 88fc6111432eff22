"""The leases of jobs: whoever has one does the job; if it dies, the lease runs out and another does it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from wherefrom.model.identifiers import timestamp
from wherefrom.model.jobs import Job, JobState
from wherefrom.storage.expiring import CONTEXTS_KEPT, EVENTS_KEPT
from wherefrom.storage.port import Transaction
from wherefrom.storage.receipts import KEPT
from wherefrom.text.check import json_text

LEASE: Final = timedelta(minutes=2)
_MAX_ERROR_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class Lease:
    """A job that somebody has taken. holder: unlike that of any other lease."""

    name: str
    holder: str


def states(tx: Transaction, *, now: str) -> tuple[JobState, ...]:
    """Return what is known of all jobs that were ever done."""
    return tuple(
        JobState(name, holder if until and until > now else None, started, ended, result and json.loads(result), error)
        for name, holder, until, started, ended, result, error in tx.rows("jobs_all", {})
    )


def due(tx: Transaction, listed: Sequence[Job], moment: datetime) -> list[Job]:
    """Return the jobs that could be claimed at this moment."""
    now = timestamp(moment)
    known = {name: (until, started) for name, _, until, started, *_ in tx.rows("jobs_all", {})}

    def is_due(job: Job) -> bool:
        until, started = known.get(job.name, (None, None))
        return until <= now if until is not None else started is None or started <= _last_start(job, moment)

    return [job for job in listed if is_due(job)]


def claim(tx: Transaction, job: Job, lease: Lease, moment: datetime) -> bool:
    """Take a job if it is due and nobody does it; return False otherwise."""
    given = {"name": lease.name, "holder": lease.holder, "now": timestamp(moment), "due": _last_start(job, moment)}
    tx.run("job_add", given)
    return tx.count("job_claim", {**given, "until": timestamp(moment + LEASE)}) == 1


def extend(tx: Transaction, lease: Lease, moment: datetime) -> bool:
    """Prolong a lease; return False if it ran out and another process took the job."""
    given = {"name": lease.name, "holder": lease.holder, "until": timestamp(moment + LEASE)}
    return tx.count("job_extend", given) == 1


def end(
    tx: Transaction, lease: Lease, *, now: str, result: Mapping[str, int] | None, error: str | None, again: bool = False
) -> None:
    """Give a lease back and note what came of the job; with `again` it is due at once."""
    said = {"result": None if result is None else json_text(result), "error": error and error[:_MAX_ERROR_CHARACTERS]}
    given = {"name": lease.name, "holder": lease.holder, "now": now, "again": again or None}
    tx.run("job_end", {**given, **said})


def namespaces_to_sweep(tx: Transaction, moment: datetime) -> list[tuple[str, str]]:
    """Return the owners, with the first segments of their namespaces, of whom something has expired or is past its
    time.
    """
    kept = {"events_before": EVENTS_KEPT, "contexts_before": CONTEXTS_KEPT, "receipts_before": KEPT}
    times = {name: timestamp(moment - period) for name, period in kept.items()}
    return [(owner, place) for owner, place in tx.rows("namespaces_to_sweep", {"now": timestamp(moment), **times})]


def _last_start(job: Job, moment: datetime) -> str:
    """Return when a job that is due at a moment was started at the latest."""
    return timestamp(moment - timedelta(seconds=job.every_seconds))
