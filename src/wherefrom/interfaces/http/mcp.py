"""MCP at `/mcp`: stateless Streamable HTTP, for clients of both eras of the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs

import mcp_types as types
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from wherefrom import interfaces
from wherefrom.api import Memory, Store
from wherefrom.api.memory import role_of
from wherefrom.interfaces.http.callers import CALLER
from wherefrom.interfaces.http.responses import (
    MCP_PATHS,
    REFUSED,
    RETRY_AFTER,
    refusal,
    retrying,
    rpc_message,
    status_of,
)
from wherefrom.interfaces.http.workers import Workers
from wherefrom.interfaces.mcp.server import Reach, build_for
from wherefrom.interfaces.verbs import BY_NAME, Verb
from wherefrom.model.errors import InvalidInput, WherefromError, shown
from wherefrom.model.param import TOOL_SETS

_Answer = TypeVar("_Answer")

PATHS: Final = MCP_PATHS
# The state of the request under way.
_STATE: Final[ContextVar[dict[str, Any]]] = ContextVar("wherefrom_request")
_SETS: Final[ContextVar[tuple[str, ...]]] = ContextVar("wherefrom_tool_sets")


class McpService:
    """Answers clients of MCP: each request on its own, so that none depends on which process answered the last."""

    def __init__(self, store: Store, workers: Workers, *, dialect: str, body_bytes: int, **more: Any) -> None:
        self._store = store
        self._workers = workers
        reach = Reach(self._memory, self._run, _SETS.get, _allows, _offers)
        self._default_sets = tuple(store.settings.tools)
        self.server: Server[Any] = build_for(
            reach,
            dialect=dialect,
            get_tool_input_schema=_input_schema,
            cache_hints={"tools/list": CacheHint(ttl_ms=60_000, scope="private")},
            **more,
        )
        _announce_fixed_lists(self.server)
        self.manager = StreamableHTTPSessionManager(
            self.server, stateless=True, json_response=True, max_request_body_size=body_bytes
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            answer = refusal("method_not_allowed", "MCP is served to POST alone: no stream stays open")
            answer.headers["Allow"] = "POST"
            await answer(scope, receive, send)
            return
        try:
            sets = _sets_of(scope, self._default_sets)
        except InvalidInput as error:
            await refusal(error.code, error.message, error.hint)(scope, receive, send)
            return
        state, chosen = _STATE.set(scope["state"]), _SETS.set(sets)
        try:
            await self.manager.handle_request(scope, receive, send)
        finally:
            _STATE.reset(state)
            _SETS.reset(chosen)

    def _memory(self) -> Memory:
        return self._store.memory_of(CALLER.get())

    async def _run(self, called: str, work: Callable[[], _Answer]) -> _Answer:
        """Run a call on a worker."""
        caller, state = CALLER.get(), _STATE.get()
        state["verb"] = called
        try:
            answer = await self._workers.run(caller, work)
        except WherefromError as error:
            _refuse_for_now(state, {"code": error.code, "message": error.message, "hint": error.hint})
            raise
        if isinstance(answer, types.CallToolResult) and answer.is_error:
            _refuse_for_now(state, json.loads(answer.content[0].text)["error"])  # type: ignore[union-attr]
        return answer


def _refuse_for_now(state: dict[str, Any], error: Mapping[str, Any]) -> None:
    """If a call should be made again later, say so in the status of the response. The answer is an error of JSON-RPC
    then, not that of a tool: with such a status, clients read nothing else.
    """
    code = error["code"]
    if code in RETRY_AFTER:
        state["status"], state["headers"] = status_of(code), retrying(code)
        data = {**error, "retry_after_seconds": RETRY_AFTER[code]}
        raise MCPError(code=REFUSED, message=rpc_message(error), data=data) from None


def _announce_fixed_lists(server: Server[Any]) -> None:
    """Let the server say that its lists do not change: the SDK promises news of them wherever resources have some."""
    own = server.get_request_handler("server/discover")
    assert own is not None

    async def discover(context: Any, params: Any) -> types.DiscoverResult:
        found = await own.handler(context, params)
        assert isinstance(found, types.DiscoverResult)
        announced = found.capabilities
        for part in (announced.tools, announced.prompts, announced.resources):
            if part is not None:
                part.list_changed = False
        return found

    server.add_request_handler("server/discover", own.params_type, discover)


def _allows(verb: Verb) -> bool:
    """Return True if the sets of tools of the caller have a verb."""
    tools = CALLER.get().tools
    return "all" in tools or verb.tools in tools


def _offers(verb: Verb) -> bool:
    """Return True if the role of the caller may call at least one of the verbs of a tool."""
    return any(CALLER.get().may(role_of(method)) for method in verb.methods)


def _sets_of(scope: Scope, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sets of tools that a request wants to be listed, by `?tools=memory,graph`."""
    given = parse_qs(scope["query_string"].decode("latin-1")).get("tools")
    if given is None:
        return default
    named = tuple(name.strip() for part in given for name in part.split(","))
    if unknown := [name for name in named if name not in (*TOOL_SETS, "all")]:
        raise InvalidInput(f"there is no set of tools {shown(unknown[0])}", hint=f"{', '.join(TOOL_SETS)} or all")
    return named


@cache
def _input_schema(name: str) -> Mapping[str, Any] | None:
    """Return the schema of a tool's input, which the SDK wants to know at each call."""
    return interfaces.tools.listed(BY_NAME[name]).input_schema if name in BY_NAME else None
