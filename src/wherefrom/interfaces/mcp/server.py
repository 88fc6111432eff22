"""`wherefrom mcp`: lists the tools, and calls their verbs on worker threads.

Clients wait for it to start, so that it imports what calls need when there is one.
"""

from __future__ import annotations

import argparse
import logging
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any, Final, NoReturn, TypeVar

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from wherefrom import config, interfaces
from wherefrom.api import Memory, access_of, dialect_of
from wherefrom.interfaces.verbs import BY_NAME, TOOLS, Verb
from wherefrom.lazy import metadata
from wherefrom.model.cancellation import CURRENT, Cancellation
from wherefrom.model.errors import WherefromError, shown
from wherefrom.transport.ending import end, end_on_signals
from wherefrom.transport.stdio import StdioTransport, take_standard_streams

logger = logging.getLogger("wherefrom.mcp")
_Answer = TypeVar("_Answer")

# The SQL dialect that descriptions name as long as the database is not known.
ANY_DIALECT: Final = "SQLite or PostgreSQL"


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


def listed_verbs(sets: Collection[str]) -> list[Verb]:
    """The verbs whose tools are in some sets."""
    return [verb for verb in TOOLS if "all" in sets or verb.tools in sets]


def build(
    memory: Callable[[], Memory],
    *,
    dialect: str = ANY_DIALECT,
    sets: Collection[str] = ("memory",),
    schemas: bool = False,
) -> Server[Any]:
    """A server on this memory that lists some sets of tools; every tool can be called, listed or not. `dialect` is what
    query_graph is said to speak; with `schemas`, the schemas of all answers are listed and answers have a structured
    copy.
    """

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context, params
        tools = [interfaces.tools.listed(verb, dialect, schemas=schemas) for verb in listed_verbs(sets)]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        del context
        if params.name not in BY_NAME:
            raise MCPError(code=types.INVALID_PARAMS, message=f"there is no tool {shown(params.name)}")
        answered: types.CallToolResult = await _on_thread(
            partial(interfaces.tools.answer_call, memory, params.name, params.arguments or {}, schemas=schemas)
        )
        return answered

    return Server(
        "wherefrom",
        version=metadata.version("wherefrom"),
        title="Wherefrom",
        instructions=instructions(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **_reading(memory),
    )


def _reading(memory: Callable[[], Memory]) -> dict[str, Any]:
    """The handlers of prompts and resources."""

    async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
        del context, params
        return types.ListPromptsResult(prompts=interfaces.prompts.listed())

    async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        del context
        prompt: types.GetPromptResult = await _answered(
            interfaces.prompts.answered, memory, params.name, params.arguments or {}
        )
        return prompt

    async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
        del context, params
        return types.ListResourcesResult(resources=interfaces.resources.listed())

    async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
        del context, params
        return types.ListResourceTemplatesResult(resource_templates=interfaces.resources.templates())

    async def read_resource(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        del context
        read: types.ReadResourceResult = await _answered(interfaces.resources.read, memory, params.uri)
        return read

    return {
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
    }


async def _on_thread(work: Callable[[], _Answer]) -> _Answer:
    """Return what a function returns on a worker thread; if the client cancels the call, the work is stopped."""
    running = Cancellation()
    CURRENT.set(running)
    try:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        threading.Thread(target=running.cancel, daemon=True).start()  # stopping may wait for a database
        raise


async def _answered(work: Callable[..., _Answer], *given: Any) -> _Answer:
    """Return what a prompt or resource says; an error of ours reaches the client with its hint."""
    try:
        return await _on_thread(partial(work, *given))
    except WherefromError as error:
        raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"code": error.code}) from None
    except Exception:
        logger.exception("a prompt or resource failed")
        raise MCPError(code=types.INTERNAL_ERROR, message="it failed unexpectedly; the server's log says why") from None


def parser() -> argparse.ArgumentParser:
    """Return what reads the options of `wherefrom mcp`."""
    options = argparse.ArgumentParser(
        prog="wherefrom mcp",
        description="Serve the memory to an MCP client over stdin and stdout, until the input ends.",
    )
    options.add_argument("--db", metavar="URL", help="path, sqlite:///… or postgresql://… (WHEREFROM_DB)")
    options.add_argument("--owner", help="whose memory it is (WHEREFROM_OWNER)")
    options.add_argument("--root", help="namespace that this access may not leave (WHEREFROM_ROOT)")
    options.add_argument("--also", action="append", metavar="NAMESPACE", help="further one to read (WHEREFROM_ALSO)")
    options.add_argument("--namespace", help="default namespace inside the root (WHEREFROM_NAMESPACE)")
    options.add_argument(
        "--tools", action="append", metavar="SET", help="memory, graph, research, upkeep or all (WHEREFROM_TOOLS)"
    )
    options.add_argument("--schemas", action="store_true", help="list the schemas of all answers, and send both copies")
    options.add_argument("--allow", action="append", metavar="TAG", help="tag that this access holds (WHEREFROM_ALLOW)")
    return options


def serve(arguments: Sequence[str]) -> NoReturn:
    """Serve on stdin and stdout until the input ends and all calls are answered, or the options turn out
    to be wrong; then end the process.
    """
    given = parser().parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    access = {name: getattr(given, name) for name in ("owner", "root", "also", "namespace", "allow")}
    joined = None if given.tools is None else ",".join(given.tools)
    try:
        settings = config.load({**access, "tools": joined})
        access_of(settings)
    except WherefromError as error:
        sys.stderr.write(f"{error.code}: {error}\n")
        sys.exit(2)
    opener = Opener(lambda: Memory.open(given.db, **access))

    def end_now() -> NoReturn:
        end(opener.close, code=0)

    end_on_signals(opener.close)
    incoming, outgoing = take_standard_streams()
    server = build(opener, dialect=dialect_of(given.db), sets=settings.tools, schemas=given.schemas)

    async def serve() -> None:
        await StdioTransport(incoming, outgoing, end_now=end_now).serve(server)

    try:
        anyio.run(serve)
    except Exception:
        logger.exception("the server failed")
        end(opener.close, code=1)
    end_now()


@cache
def _sections() -> list[str]:
    return files("wherefrom.interfaces").joinpath("tools.md").read_text(encoding="utf-8").split("\n## ")


def instructions() -> str:
    """Return what the server tells a client about itself."""
    return _sections()[0].partition("# Instructions\n")[2].strip()


@cache
def words() -> Mapping[str, tuple[str, str]]:
    """The title and the description of each tool."""
    parts = (section.partition("\n") for section in _sections()[1:])
    heads = ((*head.partition(": ")[::2], body) for head, _, body in parts)
    return {name: (title, " ".join(body.split())) for name, title, body in heads}
