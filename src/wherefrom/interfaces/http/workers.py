"""The threads on which verbs run: few, with a short queue before them, and a clock on each call."""

from __future__ import annotations

import logging
import math
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import anyio
import anyio.to_thread

from wherefrom.model import cancellation
from wherefrom.model.callers import Caller
from wherefrom.model.cancellation import Cancellation
from wherefrom.model.errors import Overloaded

logger = logging.getLogger("wherefrom.http")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is done at once: threads that run verbs, calls that wait for one and the seconds for which they do, and
    the seconds that a call may take.
    """

    threads: int = 4
    waiting: int = 64
    waiting_seconds: float = 2.0
    seconds: float = 30.0


class Workers:
    """Runs verbs on a bounded number of threads. A call waits for a thread only for a moment, and a caller has at most
    half of the places, and all callers of one owner never have all threads, so that they cannot keep the others out.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = anyio.CapacityLimiter(limits.threads)
        # A call that was let in never waits for a thread of anyio's own.
        self._unlimited = anyio.CapacityLimiter(math.inf)
        self._present: Counter[tuple[str, ...]] = Counter()
        # The threads that an owner's calls may have, and how many of its calls there are.
        self._own: dict[str, tuple[anyio.CapacityLimiter, Counter[str]]] = {}

    @property
    def waiting(self) -> int:
        """The calls that wait for a thread."""
        return max(0, self._present.total() - self.running)

    @property
    def running(self) -> int:
        """The calls that run."""
        return int(self._threads.borrowed_tokens)

    async def run(self, caller: Caller, work: Callable[[], _Answer], *, seconds: float | None = None) -> _Answer:
        """Return what a function returns on a thread. If the caller leaves or the time is up, the work is stopped, and
        this returns when it has stopped: so a thread is never lost to work that nobody waits for.
        """
        who = caller.identity
        places = self._limits.threads + self._limits.waiting
        if self._present.total() >= places or self._present[who] >= (places + 1) // 2:
            raise Overloaded("too many calls wait already", hint="try again in a moment")
        self._present[who] += 1
        # By owner: one that has many keys has no more threads than one that has few.
        own, users = self._own.setdefault(caller.owner, (self._limiter(), Counter()))
        users["now"] += 1
        try:
            async with self._thread(own):
                return await self._run(work, seconds or self._limits.seconds)
        finally:
            self._present[who] -= 1
            users["now"] -= 1
            if not self._present[who]:
                del self._present[who]
            if not users["now"]:
                del self._own[caller.owner]

    def _limiter(self) -> anyio.CapacityLimiter:
        return anyio.CapacityLimiter(max(1, self._limits.threads - 1))

    @asynccontextmanager
    async def _thread(self, own: anyio.CapacityLimiter) -> AsyncIterator[None]:
        """Wait for a thread: for one of those that this caller may have, then for one that is free."""
        place = object()
        async with AsyncExitStack() as held:
            with anyio.move_on_after(self._limits.waiting_seconds) as patience:
                for limiter in (own, self._threads):
                    await limiter.acquire_on_behalf_of(place)
                    held.callback(limiter.release_on_behalf_of, place)
            if patience.cancelled_caught:
                raise Overloaded("the service is busy: no thread was free in time", hint="try again in a moment")
            yield

    async def _run(self, work: Callable[[], _Answer], seconds: float) -> _Answer:
        call = Cancellation(seconds)
        is_over = False
        failed: Exception | None = None

        async def watch() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                if not is_over:  # the caller has left; stopping may wait for a database
                    threading.Thread(target=call.cancel, daemon=True).start()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            try:
                with cancellation.running(call):
                    answer = await anyio.to_thread.run_sync(work, limiter=self._unlimited)
            except Exception as error:  # raised below: a group of tasks would wrap it
                failed = error
            is_over = True
            group.cancel_scope.cancel()
        if failed is None:
            return answer
        try:
            raise failed
        finally:
            del failed  # else its traceback keeps this frame, and what the work held
