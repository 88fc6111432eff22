"""The schedule of upkeep: a thread that does jobs when they are due, each in one process at a time, whichever it is."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from wherefrom.model import cancellation
from wherefrom.model.cancellation import Cancellation
from wherefrom.model.errors import Cancelled, StoreBusy, WherefromError
from wherefrom.model.identifiers import timestamp
from wherefrom.model.jobs import Job
from wherefrom.storage import jobs
from wherefrom.storage.jobs import Lease

if TYPE_CHECKING:
    from wherefrom.engine.resources import Resources

logger = logging.getLogger("wherefrom")

_SECONDS_BETWEEN_LOOKS: Final = 5.0
_SECONDS_BETWEEN_BEATS: Final = jobs.LEASE.total_seconds() / 4


class Schedule:
    """Does the jobs of a store when they are due, one after another, and notes in the store what came of each. A job
    that fails is logged and done again at its next time; so is one that finds the store busy, which is no failure.
    """

    def __init__(
        self, store: Resources, listed: Sequence[Job], *, further: Callable[[], Sequence[Job]] = tuple
    ) -> None:
        """`further` returns jobs that there are at the moment; it is asked at every look."""
        self._store = store
        self._jobs = tuple(listed)
        self._further = further
        self._begins_after = 0.0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._running: Cancellation | None = None

    def start(self, *, after_seconds: float = 0.0) -> None:
        """Look for jobs that are due, now and then, on a thread, for the first time after some seconds; never if the
        store may only be read.
        """
        if self._store.database.read_only:
            return
        with self._lock:
            self._begins_after = after_seconds
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="wherefrom-upkeep", daemon=True)
                self._thread.start()

    def run_due(self) -> tuple[str, ...]:
        """Do the jobs that are due and that nobody else does; return their names."""
        store = self._store
        # To claim a job is a write, which waits for other writers: most looks find none that is due.
        listed = (*self._jobs, *self._further())
        due = store.database.read(lambda tx: jobs.due(tx, listed, store.clock())) if listed else []
        return tuple(job.name for job in due if not self._stop.is_set() and self._run_job(job))

    def close(self, *, seconds: float | None = None) -> None:
        """Begin no further job, stop the one under way, and return when it has stopped, or after some seconds."""
        self._stop.set()
        with self._lock:
            running, thread = self._running, self._thread
        if running is not None:
            running.cancel()
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def _run(self) -> None:
        self._stop.wait(self._begins_after)
        while not self._stop.is_set():
            try:
                self.run_due()
            except StoreBusy as error:
                logger.debug("upkeep waits: %s", error)
            except WherefromError as error:  # the database is away: the next look may find it
                logger.warning("upkeep waits: %s", error)
            except Exception:
                logger.exception("upkeep failed")
            self._stop.wait(_SECONDS_BETWEEN_LOOKS)

    def _run_job(self, job: Job) -> bool:
        """Do a job if it is due; return True if it was."""
        store = self._store
        lease = Lease(job.name, f"{socket.gethostname()} {os.getpid()} {store.new_id()}")
        if not store.database.write(lambda tx: jobs.claim(tx, job, lease, store.clock())):
            return False
        call = Cancellation()
        with self._lock:
            self._running = call
        if self._stop.is_set():  # it was closed meanwhile
            call.cancel()
        outcome = _Outcome()
        try:
            worker = threading.Thread(target=outcome.fill, args=(job, call), name=f"wherefrom-{job.name}", daemon=True)
            worker.start()
            while not outcome.done.wait(_SECONDS_BETWEEN_BEATS):
                self._beat(lease, call)
            worker.join()
        finally:
            with self._lock:
                self._running = None
        now, is_stopped = timestamp(store.clock()), outcome.stopped
        store.database.write(
            lambda tx: jobs.end(tx, lease, now=now, result=outcome.result, error=outcome.error, again=is_stopped)
        )
        return True

    def _beat(self, lease: Lease, call: Cancellation) -> None:
        """Prolong the lease of a job under way; stop the job if another process has taken it."""
        store = self._store
        try:
            is_ours = store.database.write(lambda tx: jobs.extend(tx, lease, store.clock()))
        except WherefromError as error:
            logger.warning("the lease of %s was not prolonged: %s", lease.name, error)
            return
        if not is_ours:
            logger.warning("another process has taken %s", lease.name)
            call.cancel()


class _Outcome:
    """What comes of a job, which runs on a thread of its own."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: Mapping[str, int] | None = None
        self.error: str | None = None
        self.stopped = False

    def fill(self, job: Job, call: Cancellation) -> None:
        """Do the job; an error is logged and kept."""
        try:
            with cancellation.running(call):
                self.result = job.run()
            if failed := self.result.get("failed"):
                self.error = f"{failed} parts of it failed: the log of the service says why"
        except Cancelled:
            self.stopped = True
        except StoreBusy as error:  # an import is under way, or another job: nothing is wrong with this one
            logger.debug("the job %s waits for its next turn: %s", job.name, error)
        except WherefromError as error:
            logger.warning("the job %s failed: %s", job.name, error)
            self.error = str(error)
        except Exception as error:
            logger.exception("the job %s failed", job.name)
            self.error = f"it failed unexpectedly: {type(error).__name__}"
        finally:
            self.done.set()
