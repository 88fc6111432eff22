"""The two ids that every answer carries: what the caller calls its request and its chain of requests, or new ones.

All events that a call writes carry the same ids, so that an answer leads to what was done for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, Final

from wherefrom.engine.params import check_call_id
from wherefrom.model.errors import InvalidInput
from wherefrom.model.identifiers import new_id
from wherefrom.storage.events import Trace

# The names in answers and arguments, and how some designs spell them in arguments.
NAMES: Final = {"request_id": "requestId", "trace_id": "traceId"}
# Two ids of 64 characters with their names, in the structured copy of an answer and in its text with escapes.
WEIGHT_BYTES: Final = 400


def ids_of(arguments: Mapping[str, Any]) -> Trace:
    """Return the ids among the arguments of a call; what is not given is made. Raises if one is no id."""
    given = {name: arguments.get(name, arguments.get(spelled)) for name, spelled in NAMES.items()}
    ids = {name: new_id() if one is None else check_call_id(one, field=name) for name, one in given.items()}
    return Trace(**ids)


def valid_ids_of(arguments: Mapping[str, Any]) -> Trace:
    """Return the same for arguments that the verb itself checks: for ids that it will refuse, new ones."""
    try:
        return ids_of(arguments)
    except InvalidInput:
        return ids_of({})


def without_ids(arguments: Mapping[str, Any], *, keep: Collection[str]) -> dict[str, Any]:
    """Return the arguments without the ids that are not among those to keep."""
    dropped = {spelling for name in NAMES if name not in keep for spelling in (name, NAMES[name])}
    return {name: value for name, value in arguments.items() if name not in dropped}


def with_ids(answer: Mapping[str, Any], ids: Trace) -> dict[str, Any]:
    """Return an answer with its ids."""
    return {**answer, **asdict(ids)}


def schema_with_ids(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an answer with its ids."""
    properties = {**schema["properties"], **{name: {"type": "string"} for name in NAMES}}
    return {**schema, "properties": properties, "required": [*schema.get("required", ()), *NAMES]}
