"""Live: the changes of a memory as they happen, as server-sent events and as updates of MCP resources.

One reader a process follows the store; a stream reads for itself when its owner's memory has changed. So nothing is
lost between reading up and following, and what a stream may see is decided anew each time.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from wherefrom import interfaces
from wherefrom.api import Store
from wherefrom.engine import feed
from wherefrom.interfaces.http.callers import CALLER, STILL_HOLDS
from wherefrom.interfaces.http.responses import failure
from wherefrom.model import namespaces
from wherefrom.model.callers import Caller
from wherefrom.model.changes import Change, Changes, Position, position_of
from wherefrom.model.errors import Forbidden, Overloaded, StoreError, WherefromError

_Answer = TypeVar("_Answer")
logger = logging.getLogger("wherefrom.http")

EVENTS_PATH: Final = "/api/events"
_SECONDS_BETWEEN_LOOKS: Final = 0.5
# A proxy drops a connection on which nothing comes for long.
_SECONDS_OF_SILENCE: Final = 15.0
_MAX_STREAMS: Final = 1_000
_MAX_STREAMS_OF_ONE: Final = 50


@dataclass(eq=False, slots=True)
class _Follower:
    """A stream that is open: whose it is, and what wakes it."""

    caller: Caller
    still_holds: Callable[[], Awaitable[bool]]
    woken: anyio.Event = field(default_factory=anyio.Event)
    is_over: bool = False


class Live:
    """Follows the changes of a store for all streams of a process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._followers: set[_Follower] = set()
        self._listening: set[ListenHandler] = set()
        self._is_over = False

    @property
    def open_streams(self) -> int:
        """The streams that are open."""
        return len(self._followers)

    def close(self) -> None:
        """End all streams, so that they do not hold up the end of the service."""
        self._is_over = True
        for follower in self._followers:
            follower.is_over = True
            follower.woken.set()
        for listening in self._listening:
            listening.close()

    async def follow(self) -> None:
        """Wake streams when the memories of their owners have changed, until this is cancelled."""
        position: Position | None = None
        while True:
            await anyio.sleep(_SECONDS_BETWEEN_LOOKS)
            if not self._followers:
                position = None
                continue
            try:
                if position is None:  # what happened before is read by each stream
                    position, changed = await _on_thread(partial(feed.end, self._store)), None
                else:
                    changed, position = await _on_thread(partial(feed.owners_after, self._store, position))
            except StoreError as error:
                logger.warning("changes wait: %s", error)
                continue
            except Exception:  # whatever it is, the service goes on
                logger.exception("following the changes failed")
                continue
            for follower in self._followers:
                if changed is None or follower.caller.owner in changed:
                    follower.woken.set()

    async def _pages(self, follower: _Follower, after: str | None) -> AsyncIterator[Changes | None]:
        """Yield the changes that a follower may see as they happen, after one of them or from now on; None now and then
        if nothing happens. It ends when the service does, or when the caller's key no longer holds.
        """
        try:
            while not follower.is_over and await follower.still_holds():
                follower.woken = anyio.Event()
                page = await self._page(follower, after)
                if page is None:
                    return
                is_first, after = after is None, page.next_id
                if page.items or page.reset or is_first:
                    yield page
                if not page.more:
                    with anyio.move_on_after(_SECONDS_OF_SILENCE) as silence:
                        await follower.woken.wait()
                    if silence.cancelled_caught:
                        yield None
        finally:
            self._followers.discard(follower)

    async def _page(self, follower: _Follower, after: str | None) -> Changes | None:
        """Return the changes after one of them; if the store cannot be read now, wait until it can. None at the end."""
        while not follower.is_over:
            try:
                return await _on_thread(lambda: feed.changes(self._store.memory_of(follower.caller).view, after))
            except StoreError as error:
                logger.warning("changes wait: %s", error)
                await anyio.sleep(2 * _SECONDS_BETWEEN_LOOKS)
        return None

    def _follower(self) -> _Follower:
        """Return a new follower for the caller; raises an error if there are too many."""
        follower = _Follower(CALLER.get(), STILL_HOLDS.get(), is_over=self._is_over)
        count = Counter(known.caller.identity for known in self._followers)
        if count.total() >= _MAX_STREAMS or count[follower.caller.identity] >= _MAX_STREAMS_OF_ONE:
            raise Overloaded("too many streams are open", hint="close some, or try again later")
        self._followers.add(follower)
        return follower

    async def events(self, request: Request) -> Response:
        """Answer with a stream of server-sent events; `Last-Event-ID` or `?after=` says where to go on."""
        request.state.verb = "events"
        after = request.headers.get("last-event-id") or request.query_params.get("after")
        try:
            _refuse_without_memory(CALLER.get())
            if after is not None:  # refused here, before the stream begins
                position_of(after)
            follower = self._follower()
        except WherefromError as error:
            return failure(error, request_id=request.state.request_id)
        sent = self._server_sent(follower, after)
        return StreamingResponse(sent, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    async def _server_sent(self, follower: _Follower, after: str | None) -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        async for page in self._pages(follower, after):
            if page is None:
                yield ": still here\n\n"
                continue
            if page.reset:
                yield f"event: reset\nid: {page.next_id}\ndata: {{}}\n\n"
            for change in page.items:
                shown = {name: value for name, value in asdict(change).items() if value is not None}
                yield f"event: change\nid: {change.id}\ndata: {json.dumps(shown, ensure_ascii=False)}\n\n"
            # An id alone is remembered and tells the page nothing.
            yield f"id: {page.next_id}\n\n"

    async def listen(
        self, context: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a subscription to resources, each of which the caller must be able to read."""
        caller = CALLER.get()
        wanted = params.notifications.resource_subscriptions or ()
        try:
            _refuse_without_memory(caller)
            targets = await _on_thread(lambda: interfaces.resources.targets(self._store.memory_of(caller), wanted))
            follower = self._follower()
        except WherefromError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"code": error.code}) from None
        # A bus of its own: whoever names a resource of another owner would be told of its changes otherwise.
        bus = InMemorySubscriptionBus()
        listening = ListenHandler(bus)
        self._listening.add(listening)
        answer: types.SubscriptionsListenResult | None = None

        async def publish() -> None:
            async for page in self._pages(follower, None):
                for uri in _updated(targets, page):
                    await bus.publish(ResourceUpdated(uri=uri))
            listening.close()

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(publish)
                answer = await listening(context, params)
                group.cancel_scope.cancel()
        finally:
            self._listening.discard(listening)
            self._followers.discard(follower)
        assert answer is not None
        return answer


def _refuse_without_memory(caller: Caller) -> None:
    if not {"all", "memory"} & set(caller.tools):
        raise Forbidden("this key may not follow changes", hint="it needs the set of tools memory")


def _updated(targets: dict[str, tuple[str, str]], page: Changes | None) -> list[str]:
    """Return the resources that the changes of a page are about, each once."""
    changes = page.items if page is not None else ()
    return [uri for uri, target in targets.items() if any(_is_about(change, *target) for change in changes)]


def _is_about(change: Change, kind: str, named: str) -> bool:
    if kind in ("memo", "claim"):
        return named in (change.node_id, change.other_id)
    places = (change.namespace, change.other_namespace or change.namespace)
    return any(namespaces.is_inside(place, named) for place in places)


async def _on_thread(work: Callable[[], _Answer]) -> _Answer:
    return await anyio.to_thread.run_sync(work)
