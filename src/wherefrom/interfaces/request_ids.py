"""The two ids that every answer carries: what the caller calls its request and its chain of requests, or new ones.

All events that a call writes carry the same ids, so that an answer leads to what was done for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, Final

from pydantic.alias_generators import to_camel

from wherefrom.api.view import trace_of
from wherefrom.model.errors import InvalidInput
from wherefrom.model.identifiers import new_id
from wherefrom.storage.events import Trace

NAMES: Final = ("request_id", "trace_id")
# Two ids of 64 characters with their names, in the structured copy of an answer and in its text with escapes.
WEIGHT_BYTES: Final = 400


def new_ids() -> Trace:
    """Two new ids."""
    return Trace(new_id(), new_id())


def ids_of(arguments: Mapping[str, Any]) -> Trace:
    """The ids among the arguments of a call; what is not given is made. Raises if one is no id."""
    given = {name: arguments.get(name, arguments.get(to_camel(name))) for name in NAMES}
    checked = trace_of(given["request_id"], given["trace_id"])
    return Trace(checked.request_id or new_id(), checked.trace_id or new_id())


def valid_ids_of(arguments: Mapping[str, Any]) -> Trace:
    """The same for arguments that the verb itself checks: an id that it will refuse is replaced by a new one."""
    try:
        return ids_of(arguments)
    except InvalidInput:
        return new_ids()


def without_ids(arguments: Mapping[str, Any], *, keep: Collection[str]) -> dict[str, Any]:
    """The arguments without the ids that are not among those to keep."""
    dropped = {spelling for name in NAMES if name not in keep for spelling in (name, to_camel(name))}
    return {name: value for name, value in arguments.items() if name not in dropped}


def with_ids(answer: Mapping[str, Any], ids: Trace) -> dict[str, Any]:
    """An answer with its ids."""
    return {**answer, **asdict(ids)}


def schema_with_ids(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an answer, with its ids."""
    properties = {**schema["properties"], **{name: {"type": "string"} for name in NAMES}}
    return {**schema, "properties": properties, "required": [*schema.get("required", ()), *NAMES]}
