"""A verb as a tool: how it is listed, and how a call of it is answered."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

import mcp_types as types

from wherefrom.api import Memory
from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.inputs import parsed, schema_of
from wherefrom.interfaces.mcp.server import ANY_DIALECT, words
from wherefrom.interfaces.paging import Place, call_of, compact, cursor_of, fit, place_of, preview
from wherefrom.interfaces.request_ids import ids_of, schema_with_ids, with_ids, without_ids
from wherefrom.interfaces.verbs import BY_NAME, Verb
from wherefrom.model import cursors
from wherefrom.model.errors import WherefromError
from wherefrom.model.graph import Node
from wherefrom.storage.events import Trace, tracing

logger = logging.getLogger("wherefrom.mcp")

_ONE_MEMO: Final = ("items.0.content",)


def listed(verb: Verb, dialect: str = ANY_DIALECT) -> types.Tool:
    """The tool as `tools/list` shows it, on a memory whose SQL is of this dialect."""
    reads = verb.effect == "reads"
    title, description = words()[verb.tool]
    return types.Tool(
        name=verb.tool,
        description=description.replace(ANY_DIALECT, dialect),
        input_schema=schema_of(verb.input),
        output_schema=schema_with_ids(schema_of(verb.answer, answers=True)),
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


def answer(memory: Memory, called: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a call by a name or alias, no longer than a client may be sent."""
    verb = BY_NAME[called]
    given = _given(verb, called, arguments)
    explain = bool(given.pop(verb.explains[0], False)) if verb.explains else False
    cursor, call = given.pop("cursor", None), call_of(verb.tool, {**given, "explain": explain})
    place = place_of(cursor, call)
    result = verb.run(memory, _resumed(verb, given, place, cursor))
    value = value_of(result, memory.root_namespace, answer=verb.answer, explain=explain)
    is_one_memo = isinstance(result, Node)
    if not is_one_memo and value.get("items") and "content" in value["items"][0]:
        value["items"] = [preview(item) for item in value["items"]]

    def after(end: int) -> str | None:
        stored = verb.rest_of(result, end)
        if stored:
            return cursor_of(end, "", f"{verb.resumed_by}={stored}")
        return None if stored is None else cursor_of(end, call, place.cursor or "")

    lists, mend = (_ONE_MEMO, _say_what_is_cut) if is_one_memo else (verb.lists, verb.mend)
    most = given.get(verb.most) if verb.most else None
    return fit(value, lists, place=place, cursor_after=after, most=most, mend=mend)


def _say_what_is_cut(answer: dict[str, Any]) -> None:
    """A memo that does not fit one page: what belongs to its text is on the first."""
    (memo,) = answer["items"]
    cut = ["content"] if answer["next_cursor"] else []
    if memo["content_offset"]:
        cut += [name for name in ("aliases", "metadata") if memo[name]]
        memo |= {"aliases": [], "metadata": {}}
    memo["cut"] = cut


def _given(verb: Verb, called: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, read. Every tool takes request_id and trace_id; its verb gets them if it takes them."""
    taken = without_ids(arguments, keep=verb.input.model_fields)
    given = parsed(verb.input, {**verb.alias_defaults.get(called, {}), **taken}, tool=verb.tool)
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
        return {name: stored, **{most: given[most] for most in (verb.most,) if most in given}}
    if not verb.takes("cursor", given):
        raise cursors.foreign(cursor)
    return {**given, "cursor": place.cursor}
