"""The server: lists the tools, calls their verbs on worker threads, maps errors once."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, NoReturn

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from wherefrom.api import Memory
from wherefrom.interfaces.mcp.tools import ANY_DIALECT, BY_NAME, answer, instructions, listed
from wherefrom.interfaces.paging import compact
from wherefrom.interfaces.request_ids import ids_of, new_ids, with_ids
from wherefrom.interfaces.verbs import TOOLS
from wherefrom.model.cancellation import CURRENT, Cancellation
from wherefrom.model.errors import WherefromError, shown
from wherefrom.storage.events import Trace, tracing
from wherefrom.transport.ending import end, end_on_signals
from wherefrom.transport.lines import take_standard_streams
from wherefrom.transport.stdio import StdioTransport

logger = logging.getLogger("wherefrom.mcp")


class Opener:
    """Opens the memory at the first call, not at start: a client waits for `initialize` and not for a disk."""

    def __init__(self, open_memory: Callable[[], Memory]) -> None:
        self._open = open_memory
        self._lock = threading.Lock()
        self._memory: Memory | None = None

    def __call__(self) -> Memory:
        with self._lock:
            if self._memory is None:
                self._memory = self._open()
            return self._memory

    def close(self) -> None:
        with self._lock:
            if self._memory is not None:
                self._memory.close()


def build(memory: Callable[[], Memory], *, dialect: str = ANY_DIALECT) -> Server[Any]:
    """A server of these tools on this memory. `dialect` is what query_graph is said to speak."""

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context, params
        return types.ListToolsResult(tools=[listed(verb, dialect) for verb in TOOLS])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        del context
        if params.name not in BY_NAME:
            raise MCPError(code=types.INVALID_PARAMS, message=f"there is no tool {shown(params.name)}")
        running = Cancellation()
        CURRENT.set(running)
        try:
            return await anyio.to_thread.run_sync(
                _call, memory, params.name, params.arguments or {}, abandon_on_cancel=True
            )
        except anyio.get_cancelled_exc_class():
            threading.Thread(target=running.cancel, daemon=True).start()  # stopping may wait for a database
            raise

    return Server(
        "wherefrom",
        version=version("wherefrom"),
        title="Wherefrom",
        instructions=instructions(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(open_memory: Callable[[], Memory], *, dialect: str = ANY_DIALECT) -> NoReturn:
    """Serve on stdin and stdout until the input ends and all calls are answered; then end the process."""
    opener = Opener(open_memory)

    def end_now() -> NoReturn:
        end(opener.close, code=0)

    end_on_signals(opener.close)
    incoming, outgoing = take_standard_streams()
    server = build(opener, dialect=dialect)

    async def serve() -> None:
        await StdioTransport(incoming, outgoing, end_now=end_now).serve(server)

    try:
        anyio.run(serve)
    except Exception:
        logger.exception("the server failed")
        end(opener.close, code=1)
    end_now()


def _call(memory: Callable[[], Memory], name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
    tool, ids = BY_NAME[name].tool, new_ids()
    try:
        ids = ids_of(arguments)
        with tracing(ids):
            structured = with_ids(answer(memory(), name, arguments), ids)
    except WherefromError as error:
        return _failed(ids, error.code, error.message, error.hint)
    except Exception:
        logger.exception("tool %s failed", tool)
        return _failed(ids, "internal_error", f"{tool} failed unexpectedly", "the server's log has the details")
    text = types.TextContent(type="text", text=compact(structured))
    return types.CallToolResult(content=[text], structured_content=structured)


def _failed(ids: Trace, code: str, message: str, hint: str | None) -> types.CallToolResult:
    error = with_ids({"error": {"code": code, "message": message, "hint": hint}}, ids)
    text = json.dumps(error, ensure_ascii=False)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
