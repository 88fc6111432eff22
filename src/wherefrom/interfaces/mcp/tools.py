"""A verb as a tool: how it is listed, and how a call of it is answered."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import mcp_types as types

from wherefrom.api import Memory
from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.inputs import parsed, schema_of
from wherefrom.interfaces.mcp.server import ANY_DIALECT, words
from wherefrom.interfaces.paging import Place, call_of, compact, cursor_of, fit, place_of, preview
from wherefrom.interfaces.request_ids import NAMES, ids_of
from wherefrom.interfaces.verbs import BY_NAME, Verb
from wherefrom.model import cursors
from wherefrom.model.errors import WherefromError
from wherefrom.model.graph import Node
from wherefrom.storage.events import Trace, tracing

logger = logging.getLogger("wherefrom.mcp")


def listed(verb: Verb, dialect: str = ANY_DIALECT) -> types.Tool:
    """The tool as `tools/list` shows it, on a memory whose SQL is of this dialect."""
    reads = verb.effect == "reads"
    title, description = words()[verb.tool]
    schema = schema_of(verb.answer, answers=True)
    schema["properties"] |= {name: {"type": "string"} for name in NAMES}
    return types.Tool(
        name=verb.tool,
        description=description.replace(ANY_DIALECT, dialect),
        input_schema=schema_of(verb.input),
        output_schema={**schema, "required": [*schema.get("required", ()), *NAMES]},
        annotations=types.ToolAnnotations(
            title=title,
            read_only_hint=reads,
            destructive_hint=None if reads else verb.effect == "destroys",
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def answer_call(memory: Callable[[], Memory], name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
    """The answer to a call of a tool by its name or an alias, or the error that it ends with."""
    tool, ids = BY_NAME[name].tool, ids_of({})
    try:
        ids = ids_of(arguments)
        with tracing(ids):
            structured = {**answer(memory(), name, arguments), **asdict(ids)}
    except WherefromError as error:
        return _failed(ids, error.code, error.message, error.hint)
    except Exception:
        logger.exception("tool %s failed", tool)
        return _failed(ids, "internal_error", f"{tool} failed unexpectedly", "the server's log has the details")
    text = types.TextContent(type="text", text=compact(structured))
    return types.CallToolResult(content=[text], structured_content=structured)


def _failed(ids: Trace, code: str, message: str, hint: str | None) -> types.CallToolResult:
    error = {"error": {"code": code, "message": message, "hint": hint}, **asdict(ids)}
    text = types.TextContent(type="text", text=json.dumps(error, ensure_ascii=False))
    return types.CallToolResult(content=[text], is_error=True)


def answer(memory: Memory, called: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a call by a name or alias, no longer than a client may be sent."""
    verb = BY_NAME[called]
    given = _given(verb, called, arguments)
    explain = bool(given.pop(verb.explains[0], False)) if verb.explains else False
    cursor, call = given.pop("cursor", None), call_of(verb.tool, {**given, "explain": explain})
    place = place_of(cursor, call)
    result = verb.run(memory, _resumed(verb, given, place, cursor))
    value = value_of(result, memory.root_namespace, answer=verb.answer, explain=explain)
    lists, mend = verb.lists, verb.mend
    if isinstance(result, Node):  # one memo, whose text may need several pages
        value["content"], value["items"][0]["content"] = value["items"][0]["content"], ""
        lists, mend = ("content",), partial(_mend_memo, offset=place.offset)
    elif value.get("items") and "content" in value["items"][0]:
        value["items"] = [preview(item) for item in value["items"]]

    def after(end: int) -> str | None:
        stored = "" if verb.effect == "reads" else None
        if verb.resumes is not None:
            stored = verb.resumes(result, end)
        if stored:
            return cursor_of(end, "", f"{verb.resumed_by}={stored}")
        return None if stored is None else cursor_of(end, call, place.cursor or "")

    most = given.get(verb.most) if verb.most else None
    return fit(value, lists, place=place, cursor_after=after, most=most, mend=mend)


def _mend_memo(answer: dict[str, Any], *, offset: int) -> None:
    """Put this page of its text into a memo, and name what is cut; all but the text is on the first page only."""
    (memo,) = answer["items"]
    cut = ["content"] if answer["next_cursor"] else []
    if offset:
        cut += [name for name in ("aliases", "metadata") if memo[name]]
        memo |= {"aliases": [], "metadata": {}}
    memo |= {"content": answer.pop("content"), "content_offset": offset, "cut": cut}


def _given(verb: Verb, called: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, read. Every tool takes request_id and trace_id; its verb gets them if it takes them."""
    taken = {**verb.alias_defaults.get(called, {}), **arguments}
    for name in NAMES.keys() - verb.input.model_fields.keys():
        taken.pop(name, None)
        taken.pop(NAMES[name], None)
    given = parsed(verb.input, taken, tool=verb.tool)
    grouped = given.pop(verb.group, {})
    return {**given, **grouped}


def _resumed(verb: Verb, given: dict[str, Any], place: Place, cursor: str | None) -> dict[str, Any]:
    """The arguments of a call that continues another one: its own cursor, or what names the stored rest."""
    if place.cursor is None:
        return given
    name, separator, stored = place.cursor.partition("=")
    if separator and name == verb.resumed_by:
        if given.get(name) not in (None, stored):
            raise cursors.foreign(cursor)
        return {name: stored} | ({verb.most: given[verb.most]} if verb.most in given else {})
    if not verb.takes("cursor", given):
        raise cursors.foreign(cursor)
    return {**given, "cursor": place.cursor}
