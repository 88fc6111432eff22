"""`wherefrom mcp`: lists the tools, and calls their verbs on worker threads.

Clients wait for it to start, so that it imports what calls need when there is one.
"""

from __future__ import annotations

import argparse
import logging
import sys
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any, Final, NoReturn, TypeVar

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from wherefrom import config, interfaces
from wherefrom.api import access_of, dialect_of
from wherefrom.api.memory import Memory, Verbs
from wherefrom.interfaces.verbs import BY_NAME, TOOLS, Verb
from wherefrom.lazy import lazy_modules, metadata
from wherefrom.model import cancellation
from wherefrom.model.cancellation import Cancellation
from wherefrom.model.errors import WherefromError, shown
from wherefrom.transport.ending import end, end_on_signals
from wherefrom.transport.stdio import StdioTransport, take_standard_streams

(upkeep_watch,) = lazy_modules("wherefrom.api", "upkeep_watch")
logger = logging.getLogger("wherefrom.mcp")
_Answer = TypeVar("_Answer")

# It is asked to stop at once; a computation between two statements may take a moment, and loses nothing if it is cut.
_SECONDS_FOR_UPKEEP_TO_STOP: Final = 0.1
# The SQL dialect that descriptions name as long as the database is not known.
# The tools that do what the prompts do, and that show what resources show.
PROMPTS: Final = {"recall": "memory_activate", "remember": "memory_save", "review": "review"}
RESOURCES: Final = "memory_get"
ANY_DIALECT: Final = "SQLite or PostgreSQL"
# What a client is told of the views in `apps`, which is imported for those that show them.
VIEWS: Final = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}


class Opener:
    """Opens the memory at the first call, not at start: a client waits for `initialize` and not for a disk. From then
    on the memory looks after itself, unless a service does that.
    """

    def __init__(self, open_memory: Callable[[], Verbs]) -> None:
        self._open = open_memory
        self._lock = threading.Lock()
        self._memory: Verbs | None = None
        self._upkeep: Any = None

    def __call__(self) -> Verbs:
        with self._lock:
            if self._memory is None:
                self._memory = self._open()
                if isinstance(self._memory, Memory):
                    self._upkeep = upkeep_watch.start_for(self._memory)
            return self._memory

    def close(self) -> None:
        with self._lock:
            if self._upkeep is not None:
                self._upkeep.close(seconds=_SECONDS_FOR_UPKEEP_TO_STOP)
            if self._memory is not None:
                self._memory.close()


def listed_verbs(sets: Collection[str]) -> list[Verb]:
    """The verbs whose tools are in some sets."""
    return [verb for verb in TOOLS if "all" in sets or verb.tools in sets]


@dataclass(frozen=True, slots=True)
class Reach:
    """How a server reaches the memory of whoever calls.

    memory: the memory of the call under way. run: awaits what a function returns on a worker thread, for what is
    called. sets: the sets of tools that are listed for this call. allows: whether this caller may call a tool, listed
    or not. offers: whether it makes sense to list a tool for it.
    """

    memory: Callable[[], Verbs]
    run: Callable[[str, Callable[[], Any]], Awaitable[Any]]
    sets: Callable[[], Collection[str]]
    allows: Callable[[Verb], bool] = lambda _: True
    offers: Callable[[Verb], bool] = lambda _: True


def build(
    memory: Callable[[], Verbs], *, dialect: str = ANY_DIALECT, sets: Collection[str] = ("memory",), **more: Any
) -> Server[Any]:
    """A server on this memory that lists some sets of tools; every tool can be called, listed or not."""
    return build_for(Reach(memory, run_on_thread, lambda: sets), dialect=dialect, **more)


def build_for(reach: Reach, *, dialect: str = ANY_DIALECT, schemas: bool = False, **more: Any) -> Server[Any]:
    """A server for callers that reach their memories so. `dialect` is what query_graph is said to speak; with
    `schemas`, the schemas of all answers are listed and answers have a structured copy. `more` are further arguments of
    the SDK's server.
    """

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del params
        verbs = [verb for verb in listed_verbs(reach.sets()) if reach.allows(verb) and reach.offers(verb)]
        listed = [interfaces.tools.listed(verb, dialect, schemas=schemas) for verb in verbs]
        return types.ListToolsResult(tools=[*map(interfaces.apps.shown, listed)] if shows_views(context) else listed)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in BY_NAME or not reach.allows(BY_NAME[params.name]):
            raise MCPError(code=types.INVALID_PARAMS, message=f"there is no tool {shown(params.name)}")
        given = params.arguments or {}
        answering = interfaces.apps if shows_views(context) else interfaces.tools
        work = partial(answering.answer_call, reach.memory, params.name, given, schemas=schemas)
        try:
            answered: types.CallToolResult = await reach.run(BY_NAME[params.name].tool, work)
        except WherefromError as error:  # the call was not run, or not to its end
            answered = interfaces.tools.failed_call(given, error)
        return answered

    server: Server[Any] = Server(
        "wherefrom",
        version=metadata.version("wherefrom"),
        title="Wherefrom",
        instructions=instructions(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **_reading(reach),
        **more,
    )
    server.extensions = dict(VIEWS)
    return server


def shows_views(context: ServerRequestContext[Any]) -> bool:
    """Return True if the client that calls can show views."""
    capabilities = context.session.client_capabilities
    return bool(capabilities and capabilities.extensions) and interfaces.apps.supported(context)


def _reading(reach: Reach) -> dict[str, Any]:
    """The handlers of prompts and resources."""

    async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
        del context, params
        prompts = [prompt for prompt in interfaces.prompts.listed() if reach.allows(BY_NAME[PROMPTS[prompt.name]])]
        return types.ListPromptsResult(prompts=prompts)

    async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        del context
        if params.name in PROMPTS:
            _refuse_unless_allowed(reach, PROMPTS[params.name], f"prompt {params.name}")
        prompt: types.GetPromptResult = await _answered(
            reach, interfaces.prompts.answered, params.name, params.arguments or {}
        )
        return prompt

    async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
        del params
        views = [interfaces.apps.listed()] if shows_views(context) else []
        return types.ListResourcesResult(resources=[*interfaces.resources.listed(), *views])

    async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
        del context, params
        return types.ListResourceTemplatesResult(resource_templates=interfaces.resources.templates())

    async def read_resource(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        del context
        _refuse_unless_allowed(reach, RESOURCES, "resource")
        if params.uri.startswith("ui://") and params.uri == interfaces.apps.URI:
            view: types.ReadResourceResult = interfaces.apps.read()
            return view
        read: types.ReadResourceResult = await _answered(
            reach, interfaces.resources.read, params.uri, about={"uri": params.uri}
        )
        return read

    return {
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
    }


def _refuse_unless_allowed(reach: Reach, tool: str, thing: str) -> None:
    """Raise an error if the caller may not use a tool that shows the same as a prompt or a resource."""
    if not reach.allows(BY_NAME[tool]):
        raise MCPError(code=types.INVALID_PARAMS, message=f"there is no {thing} for this key: it may not use {tool}")


async def run_on_thread(called: str, work: Callable[[], _Answer]) -> _Answer:
    """Return what a function returns on a worker thread; if the client cancels the call, the work is stopped."""
    del called
    call = Cancellation()
    try:
        with cancellation.running(call):
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        threading.Thread(target=call.cancel, daemon=True).start()  # stopping may wait for a database
        raise


async def _answered(
    reach: Reach, work: Callable[..., _Answer], *given: Any, about: Mapping[str, Any] | None = None
) -> _Answer:
    """Return what a prompt or resource says; an error of ours reaches the client with its hint, and `about`."""
    try:
        answer: _Answer = await reach.run(work.__module__.rpartition(".")[2], partial(work, reach.memory, *given))
        return answer
    except WherefromError as error:
        data = {"code": error.code, **(about or {})}
        raise MCPError(code=types.INVALID_PARAMS, message=str(error), data=data) from None
    except Exception:
        logger.exception("a prompt or resource failed")
        raise MCPError(code=types.INTERNAL_ERROR, message="it failed unexpectedly; the server's log says why") from None


def parser() -> argparse.ArgumentParser:
    """Return what reads the options of `wherefrom mcp`."""
    options = argparse.ArgumentParser(
        prog="wherefrom mcp",
        description="Serve the memory to an MCP client over stdin and stdout, until the input ends.",
    )
    options.add_argument(
        "--db", metavar="URL", help="path, sqlite:///…, postgresql://… or a service's https://… (WHEREFROM_DB)"
    )
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
    opener = Opener(lambda: interfaces.opening.open_memory(given.db, **access))

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
