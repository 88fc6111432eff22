"""The verbs as routes: `POST /api/<verb>` with their arguments as JSON, answered with their results."""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import IO, Any, Final

import anyio.to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from wherefrom.api import Store
from wherefrom.api.memory import Verbs, role_of
from wherefrom.engine.params import check_call_id
from wherefrom.interfaces.http import codec
from wherefrom.interfaces.http.callers import CALLER
from wherefrom.interfaces.http.guards import until_left
from wherefrom.interfaces.http.openapi import document
from wherefrom.interfaces.http.responses import failure, refusal, status_of
from wherefrom.interfaces.http.workers import Workers
from wherefrom.interfaces.request_ids import NAMES
from wherefrom.interfaces.verbs import TOOLS
from wherefrom.model import stand_ins
from wherefrom.model.callers import Caller
from wherefrom.model.errors import Forbidden, InvalidInput, Overloaded, TooLarge, WherefromError, shown
from wherefrom.model.health import Info
from wherefrom.model.identifiers import new_id
from wherefrom.model.param import parameters_of
from wherefrom.storage.events import Trace, tracing

# The paths whose bodies are read here, and what such a body may hold.
STREAMED_PATHS: Final = tuple(f"/api/{method.rstrip('_')}" for method in codec.STREAMED)
_STREAMED_BYTES: Final = {"import_": 256 * 1024 * 1024, "add_document": 20 * 1024 * 1024}
# How long reading or writing a whole memory may take.
_TRANSFER_SECONDS: Final = 600.0
_IN_MEMORY_BYTES: Final = 8 * 1024 * 1024
_DOCUMENT_SECONDS: Final = 60.0
# Each may fill a file for as long as whoever reads or writes it takes; one owner may not have all of them.
_MAX_TRANSFERS: Final = 8
_MAX_TRANSFERS_OF_OWNER: Final = 4
_CHUNK_BYTES: Final = 64 * 1024
_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False}
_NDJSON: Final = "application/x-ndjson"


@cache
def tool_sets() -> Mapping[str, str]:
    """The set of tools that each verb is in; a verb that no tool runs is in none, and needs all of them."""
    found = {method: verb.tools for verb in reversed(TOOLS) for method in verb.methods}
    return {name: found.get(name, "all") for name in codec.OFFERED.values()}


def allowed(caller: Caller, method: str) -> bool:
    """Return True if a caller's sets of tools have a verb. What it is told of itself needs none."""
    return method == "info" or "all" in caller.tools or tool_sets()[method] in caller.tools


class Api:
    """Answers the routes of the verbs."""

    def __init__(self, store: Store, workers: Workers) -> None:
        self._store = store
        self._workers = workers
        self._transfers: Counter[str] = Counter()

    def routes(self) -> list[Route]:
        """A route for each verb, and the description of all of them."""
        streamed = {method: partial(self._receive, method) for method in codec.STREAMED}
        special: dict[str, Callable[..., Any]] = {"export": self._export, **streamed}
        made = [
            Route(f"/api/{name}", special.get(method) or partial(self._answer, method), methods=["POST"])
            for name, method in codec.OFFERED.items()
        ]
        return [*made, Route("/api/openapi.json", self._describe, methods=["GET"])]

    async def _describe(self, request: Request) -> Response:
        del request
        return Response(await anyio.to_thread.run_sync(description), media_type="application/json")

    async def _answer(self, method: str, request: Request) -> Response:
        return await self._guarded(method, request, partial(self._call, method, request))

    async def _call(self, method: str, request: Request) -> Response:
        given, ids = _arguments(method, request, await request.body())
        caller = CALLER.get()

        def work() -> bytes:
            with tracing(ids), stand_ins.noting() as notes:
                memory = self._store.memory_of(caller)
                result = getattr(memory, method)(**codec.load_arguments(method, given))
                return codec.dump(method, _without_places(result), notes)

        answer = await self._workers.run(caller, work)
        return Response(answer, media_type="application/json")

    async def _export(self, request: Request) -> Response:
        return await self._guarded("export", request, partial(self._write, request))

    async def _write(self, request: Request) -> Response:
        given, ids = _arguments("export", request, await request.body())
        caller = CALLER.get()
        with self._transfer():  # refused now, and not when it is written
            pass
        file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115  # the response closes it

        def work() -> None:
            text = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
            with tracing(ids):
                self._store.memory_of(caller).export(text, **codec.load_arguments("export", given))
            text.detach()
            file.seek(0)

        try:
            await self._workers.run(caller, work, seconds=_TRANSFER_SECONDS)
        except BaseException:
            file.close()
            raise
        return StreamingResponse(self._chunks(file), media_type=_NDJSON)

    async def _chunks(self, file: IO[bytes]) -> AsyncIterator[bytes]:
        """Yield an export. As long as it is not read to its end, it is one of the transfers."""
        with self._transfer(), file:
            while chunk := await anyio.to_thread.run_sync(file.read, _CHUNK_BYTES):
                yield chunk

    @contextmanager
    def _transfer(self) -> Iterator[None]:
        """Count an import, an export or a document that is sent; raises an error if there are too many."""
        caller = CALLER.get().owner  # many keys of one owner give no more
        if self._transfers.total() >= _MAX_TRANSFERS or self._transfers[caller] >= _MAX_TRANSFERS_OF_OWNER:
            raise Overloaded("too many imports, exports and documents are under way", hint="try again in a moment")
        self._transfers[caller] += 1
        try:
            yield
        finally:
            self._transfers[caller] -= 1
            self._transfers += Counter()  # what is not positive goes

    async def _receive(self, method: str, request: Request) -> Response:
        return await self._guarded(method, request, partial(self._read, method, request))

    async def _read(self, method: str, request: Request) -> Response:
        """Answer a verb whose first argument is the body, and whose other arguments are in the query."""
        ids = _ids(request.query_params, request)
        given = _in_query(method, request.query_params)
        caller, limit = CALLER.get(), _STREAMED_BYTES[method]
        seconds = _DOCUMENT_SECONDS if method == "add_document" else _TRANSFER_SECONDS
        with self._transfer(), tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as file:
            size = 0
            with anyio.fail_after(seconds):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > limit:
                        raise TooLarge(f"the body has at most {limit:,} bytes", hint="split the file")
                    await anyio.to_thread.run_sync(file.write, chunk)
            file.seek(0)

            def work() -> bytes:
                arguments = codec.load_arguments(method, given)
                with tracing(ids):
                    return codec.dump(method, getattr(self._store.memory_of(caller), method)(file, **arguments))

            async with until_left(request.receive):
                answer = await self._workers.run(caller, work, seconds=seconds)
        return Response(answer, media_type="application/json")

    async def _guarded(self, method: str, request: Request, answer: Callable[[], Any]) -> Response:
        """Return the answer, or the response of the error that it ends with."""
        request.state.verb = method.rstrip("_")
        caller, role = CALLER.get(), role_of(method)
        try:
            if not caller.may(role):  # the verb says so, too, but only after a body that may be long
                name = method.rstrip("_")
                raise Forbidden(
                    f"{name} is not for the role {caller.role}",
                    hint=f"it needs the role {role}: ask for a key that has it",
                )
            if not allowed(caller, method):
                sets = tool_sets()[method]
                raise Forbidden(f"this key may not use {method.rstrip('_')}", hint=f"it needs the set of tools {sets}")
            response: Response = await answer()
            return response
        except WherefromError as error:
            return failure(error, request_id=request.state.request_id)
        except ClientDisconnect:
            return Response(status_code=status_of("cancelled"))  # nobody reads it
        except TimeoutError:
            return refusal("too_slow", "the body did not arrive in time", request_id=request.state.request_id)


def _arguments(method: str, request: Request, body: bytes) -> tuple[dict[str, Any], Trace]:
    """Return the arguments of a call by field, not yet checked, and the call's ids. Every verb takes request_id and
    trace_id; it gets them if it declares them.
    """
    if body and request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise InvalidInput("the body is not said to be JSON", hint="send Content-Type: application/json")
    try:
        given = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        raise InvalidInput("the body is not JSON") from None
    if not isinstance(given, dict):
        raise InvalidInput("the body is not a JSON object", hint="send the arguments by their names")
    fields = codec.arguments_of(method).model_fields
    taken = {name: value for name, value in given.items() if name in fields or name not in NAMES}
    return taken, _ids(given, request)


def _ids(given: Mapping[str, Any], request: Request) -> Trace:
    """Return the ids that a call has among its arguments, or else that of its request and a new one."""
    ids = {name: check_call_id(given[name], field=name) for name in NAMES if given.get(name) is not None}
    return Trace(ids.get("request_id", request.state.request_id), ids.get("trace_id", new_id()))


def _in_query(method: str, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of a verb that are in the query: texts as they are, flags as such."""
    texts = {known.name for known in parameters_of(getattr(Verbs, method)).values() if known.kind is str}
    return {name: value if name in texts else _flag(name, value) for name, value in query.items() if name not in NAMES}


def _flag(name: str, value: str) -> bool:
    """Return what a parameter in the query says."""
    if value not in _FLAGS:
        raise InvalidInput(f"{shown(name)} is true or false, not {shown(value)}")
    return _FLAGS[value]


def _without_places(result: Any) -> Any:
    """Return a result without what names files or hosts of the service's machine."""
    return replace(result, location="") if isinstance(result, Info) else result


@cache
def description() -> bytes:
    """Return the OpenAPI description of all routes."""
    return json.dumps(document(), ensure_ascii=False).encode()
