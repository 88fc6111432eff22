"""The application: all routes, what every request passes, and what is started and ended with it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wherefrom.api import Memory, Store
from wherefrom.api.jobs import standard_jobs
from wherefrom.api.memory import VERBS
from wherefrom.api.upkeep_watch import StoreWatch
from wherefrom.engine.schedule import Schedule
from wherefrom.interfaces.http.api import STREAMED_PATHS, Api
from wherefrom.interfaces.http.callers import CALLER, Callers, Door
from wherefrom.interfaces.http.guards import LOOPBACK, Attendance, HostGuard, SecurityHeaders
from wherefrom.interfaces.http.live import EVENTS_PATH, Live
from wherefrom.interfaces.http.mcp import PATHS, McpService
from wherefrom.interfaces.http.observation import Numbers, Observation
from wherefrom.interfaces.http.responses import failure, refusal
from wherefrom.interfaces.http.tokens import IssuerTokens
from wherefrom.interfaces.http.web_page import ROUTE, WebPage, is_of_page
from wherefrom.interfaces.http.workers import Limits, Workers
from wherefrom.lazy import metadata
from wherefrom.model import cancellation
from wherefrom.model.cancellation import Cancellation
from wherefrom.model.errors import Forbidden, StoreBusy, TimedOut, WherefromError

logger = logging.getLogger("wherefrom.http")

_LOOK_SECONDS: Final = 1.0
_LOOK_TIMEOUT_SECONDS: Final = 5.0
# An owner that has nothing.
_NOBODY: Final = "nobody"
BODY_BYTES: Final = 4 * 1024 * 1024
_DIALECTS: Final = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
_PUBLIC: Final = frozenset(("/healthz", "/readyz", "/api/openapi.json"))
_MCP_HEADERS: Final = ("Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the service is set up.

    keyless: True: nobody needs a key; False: everybody does; None: nobody does until the first is made. hosts: the
    names under which it is reached. origins: those of pages that may call it. rate: calls of one caller in a second.
    tokens: knows those of an issuer, if they let callers in, too.
    """

    keyless: bool | None = None
    hosts: Sequence[str] = LOOPBACK
    origins: Sequence[str] = ()
    rate: float = 100.0
    limits: Limits = field(default_factory=Limits)
    body_bytes: int = BODY_BYTES
    tokens: IssuerTokens | None = None


class Service:
    """The parts of a running service."""

    def __init__(self, store: Store, options: Options, **mcp: Any) -> None:
        """mcp: further arguments of the SDK's server."""
        self.store = store
        self.options = options
        self.workers = Workers(options.limits)
        self.callers = Callers(store, keyless=options.keyless, tokens=options.tokens)
        self.numbers = Numbers()
        self.api = Api(store, self.workers)
        self.live = Live(store)
        mcp = {"on_subscriptions_listen": self.live.listen, **mcp}
        self.mcp = McpService(
            store, self.workers, dialect=_DIALECTS[store.database.name], body_bytes=options.body_bytes, **mcp
        )
        self.readiness = Readiness(store)
        self.is_ending = False

    def end(self) -> None:
        """Say that the service is about to end, so that whoever sends it requests sends them elsewhere."""
        self.is_ending = True
        self.live.close()

    def app(self) -> Starlette:
        """The application."""
        options = self.options
        routes = [
            *(Route(path, self.mcp) for path in PATHS),
            *self.api.routes(),
            Route(EVENTS_PATH, self.live.events, methods=["GET"]),
            Route("/healthz", self._healthz, methods=["GET"]),
            Route("/readyz", self._readyz, methods=["GET"]),
            Route("/metrics", self._metrics, methods=["GET"]),
            *(options.tokens.routes() if options.tokens else ()),
        ]
        known = {route.path for route in routes}
        public = _PUBLIC | (options.tokens.metadata_paths if options.tokens else frozenset())
        metadata_url = options.tokens.metadata_url if options.tokens else ""
        cors = Middleware(
            CORSMiddleware, allow_origins=list(options.origins), allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-Request-Id", *_MCP_HEADERS],
            expose_headers=["X-Request-Id", "Retry-After", "WWW-Authenticate"],
        )  # fmt: skip
        middleware = [
            Middleware(SecurityHeaders),
            Middleware(
                Observation,
                self.numbers,
                route_of=lambda path: path if path in known else ROUTE if is_of_page(path) else "other",
                now=self._now,
            ),
            *([cors] if options.origins else []),
            Middleware(HostGuard, hosts=options.hosts, origins=options.origins),
            Middleware(WebPage),
            Middleware(Door, self.callers, public=public, rate=options.rate, metadata=metadata_url),
            Middleware(Attendance, body_bytes=options.body_bytes, streamed=STREAMED_PATHS),
        ]
        return Starlette(
            routes=routes,
            middleware=middleware,
            lifespan=self._lifespan,
            exception_handlers={HTTPException: _refuse},
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        app.router.redirect_slashes = False
        async with AsyncExitStack() as running:
            await running.enter_async_context(self.mcp.manager.run())
            following = await running.enter_async_context(anyio.create_task_group())
            following.start_soon(self.live.follow)
            running.callback(following.cancel_scope.cancel)
            schedule = Schedule(self.store, standard_jobs(self.store), further=StoreWatch(self.store).jobs)
            schedule.start()
            running.push_async_callback(partial(anyio.to_thread.run_sync, schedule.close))
            threading.Thread(target=self._load, name="wherefrom-load", daemon=True).start()
            yield

    def _load(self) -> None:
        """Load what the first calls need, so that they need not wait for it: the verbs, the model, the vectors."""
        for verb in VERBS:
            getattr(Memory, verb)
        embedder = self.store.embedder
        with suppress(WherefromError):
            if embedder is not None and embedder.instant and not embedder.sends:
                self.store.memory(owner=_NOBODY, role="read").vector_search("ready")

    async def _healthz(self, request: Request) -> Response:
        """The process is alive."""
        del request
        return JSONResponse({"status": "ok", "version": metadata.version("wherefrom")})

    async def _readyz(self, request: Request) -> Response:
        """The service can write to its store, and is not about to end."""
        del request
        if self.is_ending:
            return refusal("store_unavailable", "the service is ending")
        error = await self.readiness.error()
        return JSONResponse({"status": "ready"}) if error is None else failure(error)

    async def _metrics(self, request: Request) -> Response:
        del request
        if not CALLER.get().may("admin"):
            return failure(Forbidden("the numbers of the service are for its keepers", hint="it needs the role admin"))
        self.numbers.note(self._now())
        return self.numbers.exposition()

    def _now(self) -> dict[str, int]:
        """Return what goes on in this process at the moment."""
        return {
            "calls_running": self.workers.running,
            "calls_waiting": self.workers.waiting,
            "streams_open": self.live.open_streams,
        }


class Readiness:
    """Tells whether the store takes writes. Anyone may ask, so one look answers all who ask within a second."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._looking = anyio.Lock()
        self._looked_at = -_LOOK_SECONDS
        self._error: WherefromError | None = None

    async def error(self) -> WherefromError | None:
        """Return what keeps the store from taking a write; None if nothing does."""
        async with self._looking:
            if time.monotonic() - self._looked_at >= _LOOK_SECONDS:
                self._error = await anyio.to_thread.run_sync(self._look)
                self._looked_at = time.monotonic()
        return self._error

    def _look(self) -> WherefromError | None:
        try:
            with cancellation.running(Cancellation(_LOOK_TIMEOUT_SECONDS)):
                self._store.check_writable()
        except TimedOut:
            return StoreBusy("the store did not take a write in time")
        except WherefromError as error:
            return error
        return None


async def _refuse(request: Request, error: Exception) -> Response:
    """Answer for a path or method that there is not."""
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "invalid_input")
    return refusal(
        code, f"there is no {request.method} of this path", "GET /api/openapi.json describes what there is",
        headers=error.headers, request_id=request.state.request_id,
    )  # fmt: skip
