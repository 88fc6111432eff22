"""A verb as a tool: how it is listed, and how a call of it is answered."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, Final

import mcp_types as types

from wherefrom.api.memory import Verbs
from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.inputs import parsed, schema_of
from wherefrom.interfaces.mcp.server import ANY_DIALECT, words
from wherefrom.interfaces.paging import Place, Scale, call_of, compact, cursor_of, fit, place_of
from wherefrom.interfaces.request_ids import NAMES, ids_of, valid_ids_of
from wherefrom.interfaces.shape import Lean
from wherefrom.interfaces.verbs import BY_NAME, Verb
from wherefrom.model import cursors, stand_ins
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.graph import Node
from wherefrom.model.limits import MEMO_BYTES
from wherefrom.model.param import names_nodes
from wherefrom.storage.events import Trace, tracing
from wherefrom.text.check import check_choice, check_whole

logger = logging.getLogger("wherefrom.mcp")
# Most agents have no tool for what upkeep found, and it is the user who decides.
_TO_DO: Final = "; tell the user: `wherefrom upkeep`"


def listed(verb: Verb, dialect: str = ANY_DIALECT, *, schemas: bool = False) -> types.Tool:
    """The tool as `tools/list` shows it, on a memory whose SQL is of this dialect; with `schemas`, or if its schema is
    always listed, with that of its answer.
    """
    reads = verb.effect == "reads"
    title, description = words()[verb.tool]
    takes = schema_of(verb.input)
    takes["properties"] = {name: value for name, value in takes["properties"].items() if name not in verb.not_listed}
    return types.Tool(
        name=verb.tool,
        description=description.replace(ANY_DIALECT, dialect),
        input_schema=takes,
        output_schema=answer_schema(verb) if schemas or verb.is_schema_listed else None,
        annotations=types.ToolAnnotations(
            title=title,
            read_only_hint=reads,
            destructive_hint=None if reads else verb.effect == "destroys",
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def answer_schema(verb: Verb) -> dict[str, Any]:
    """The schema of an answer, lean or full: a lean one may leave out anything but the ids of the call."""
    schema = _optional(schema_of(verb.answer, answers=True))
    for described in (schema, *schema.get("$defs", {}).values()):
        described.pop("description", None)  # the tool's says when to call it, the keys' what they are
    if any(names_nodes(getattr(Verbs, method)) for method in verb.methods):
        schema["properties"]["asked_for"] = {"type": "string", "description": stand_ins.ASKED_FOR}
    schema["properties"] |= {name: {"type": "string"} for name in NAMES}
    return {**schema, "required": list(NAMES)}


def _optional(schema: Any) -> Any:
    """Return a schema in which every key may be missing, without the defaults, which an answer does not need."""
    if isinstance(schema, list):
        return [_optional(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    left_out = {"default"} if "type" in schema or "anyOf" in schema else set()
    left_out |= {"required"} if isinstance(schema.get("required"), list) else set()
    return {key: _optional(value) for key, value in schema.items() if key not in left_out}


def answer_call(
    memory: Callable[[], Verbs], name: str, arguments: Mapping[str, Any], *, schemas: bool = False
) -> types.CallToolResult:
    """The answer to a call of a tool by its name or an alias, or the error that it ends with. If the tool's schema is
    listed, the answer has a structured copy.
    """
    tool, ids, is_structured = BY_NAME[name].tool, ids_of({}), schemas or BY_NAME[name].is_schema_listed
    try:
        ids = ids_of(arguments)
        with tracing(ids):
            shown = {**answer(memory(), name, arguments, is_structured=is_structured), **asdict(ids)}
    except WherefromError as error:
        return _failed(ids, error.code, error.message, error.hint)
    except Exception:
        logger.exception("tool %s failed", tool)
        return _failed(ids, "internal_error", f"{tool} failed unexpectedly", "the server's log has the details")
    text = types.TextContent(type="text", text=compact(shown))
    return types.CallToolResult(content=[text], structured_content=shown if is_structured else None)


def failed_call(arguments: Mapping[str, Any], error: WherefromError) -> types.CallToolResult:
    """The answer to a call that was not run to its end."""
    return _failed(valid_ids_of(arguments), error.code, error.message, error.hint)


def _failed(ids: Trace, code: str, message: str, hint: str | None) -> types.CallToolResult:
    said = {"code": code, "message": message, **({"hint": hint} if hint else {})}
    error = {"error": said, **asdict(ids)}
    text = types.TextContent(type="text", text=json.dumps(error, ensure_ascii=False))
    return types.CallToolResult(content=[text], is_error=True)


def answer(memory: Verbs, called: str, arguments: Mapping[str, Any], *, is_structured: bool = False) -> dict[str, Any]:
    """The answer to a call by a name or alias, no longer than a client may be sent."""
    verb = BY_NAME[called]
    given = _given(verb, called, arguments)
    explain = bool(given.pop(verb.explains[0], False)) if verb.explains else False
    detail = check_choice(given.pop("detail", "lean"), ("lean", "full"), field="detail")
    lean = None if detail == "full" else Lean(memory.root_namespace, whole_ids=verb.tools == "research")
    offset = check_whole(given.pop("offset", 0), field="offset", low=0, high=MEMO_BYTES)
    cursor, call = given.pop("cursor", None), call_of(verb.tool, {**given, "explain": explain})
    place = place_of(cursor, call) if cursor is not None else Place(offset=offset)
    with stand_ins.noting():
        result = verb.run(memory, _resumed(verb, given, place, cursor))
        asked_for = stand_ins.asked_for(whole_ids=lean is None or lean.whole_ids)
    value = value_of(result, memory.root_namespace, answer=verb.answer, explain=explain, lean=lean)
    value = {"asked_for": asked_for, **value} if asked_for else value
    if value.get("upkeep"):
        value["upkeep"] += _TO_DO
    lists, mend = verb.lists, verb.mend
    for name in lists[:1]:
        value.setdefault(name, [])
    if isinstance(result, Node):  # one memo, whose text may need several pages
        if offset and offset >= len(result.content):
            raise InvalidInput(f"offset {offset} is beyond the text, which has {len(result.content)} characters")
        memo = value["items"][0] if "items" in value else value
        value["content"] = memo.pop("content")
        lists, mend = ("content",), partial(_mend_memo, node=result, offset=place.offset)

    def after(end: int) -> str | None:
        stored = "" if verb.effect == "reads" else None
        if verb.resumes is not None:
            stored = verb.resumes(result, end)
        if stored:
            return cursor_of(end, "", f"{verb.resumed_by}={stored}")
        return None if stored is None else cursor_of(end, call, place.cursor or "")

    most = given.get(verb.most) if verb.most else None
    scale = Scale(is_structured, given.get("max_tokens"))
    shown = fit(value, lists, place=place, cursor_after=after, scale=scale, most=most, mend=mend)
    return {name: inner for name, inner in shown.items() if inner is not None} if lean else shown


def _mend_memo(answer: dict[str, Any], *, node: Node, offset: int) -> None:
    """Put this page of its text into a memo, and name what is cut; all but the text is on the first page only."""
    memo = answer["items"][0] if "items" in answer else answer
    content = answer.pop("content")
    is_cut = offset > 0 or len(content) < len(node.content)
    if offset:
        kept = ("aliases", "metadata", "provenance")
        memo |= {name: type(memo[name])() for name in kept if memo.get(name)}
    if "cut" in memo:
        beyond = (name for name in ("aliases", "metadata", "provenance") if offset and getattr(node, name))
        memo["cut"] = [*(["content"] if answer.get("next_cursor") else []), *beyond]
    memo |= {"offset": offset, "length": len(node.content)} if is_cut or "cut" in memo else {}
    memo["content"] = content


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
