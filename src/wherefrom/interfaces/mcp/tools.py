"""A verb as a tool: how it is listed, and how a call of it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import mcp_types as types

from wherefrom.api import Memory
from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.inputs import parsed, schema_of
from wherefrom.interfaces.paging import Place, call_of, fit, place_of, preview
from wherefrom.interfaces.request_ids import schema_with_ids, without_ids
from wherefrom.interfaces.verb import Verb
from wherefrom.interfaces.verbs import TOOLS
from wherefrom.model import cursors
from wherefrom.model.graph import Node

BY_NAME: Final[Mapping[str, Verb]] = {name: verb for verb in TOOLS for name in (verb.tool, *verb.aliases)}
# What a description says of the SQL dialect as long as the database is not known.
ANY_DIALECT: Final = "SQLite or PostgreSQL"
_ONE_MEMO: Final = ("items.0.content",)


def listed(verb: Verb, dialect: str = ANY_DIALECT) -> types.Tool:
    """The tool as `tools/list` shows it, on a memory whose SQL is of this dialect."""
    reads = verb.effect == "reads"
    title, description = _words()[verb.tool]
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


def instructions() -> str:
    """What the server tells a client about itself."""
    return _prose().split("\n## ")[0].partition("# Instructions\n")[2].strip()


@cache
def _prose() -> str:
    return files("wherefrom.interfaces").joinpath("tools.md").read_text(encoding="utf-8")


@cache
def _words() -> Mapping[str, tuple[str, str]]:
    """The title and the description of each tool."""
    sections = (section.partition("\n") for section in _prose().split("\n## ")[1:])
    heads = {head.partition(": ")[0]: (head.partition(": ")[2], body) for head, _, body in sections}
    return {name: (title, " ".join(body.split())) for name, (title, body) in heads.items()}


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
        rest = verb.rest_of(result, end)
        if rest is None:
            return None
        if rest:
            ((name, stored),) = rest.items()
            return place.after(end, "", f"{name}={stored}")
        return place.after(end, call, place.cursor or "")

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
