"""The two ids that every answer carries: what the caller calls its request and its chain of requests, or new ones.

All events that a call writes carry the same ids, so that an answer leads to what was done for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wherefrom.engine.params import check_call_id
from wherefrom.model.errors import InvalidInput
from wherefrom.model.identifiers import new_id
from wherefrom.storage.events import Trace

# The names in answers and arguments, and how some designs spell them in arguments.
NAMES: Final = {"request_id": "requestId", "trace_id": "traceId"}
# Two ids of 64 characters with their names, in the structured copy of an answer and in its text with escapes.
WEIGHT_BYTES: Final = 400
# Two ids of our own with their names, for a model.
IDS_TOKENS: Final = 27


def ids_of(arguments: Mapping[str, Any]) -> Trace:
    """Return the ids among the arguments of a call; what is not given is made. Raises if one is no id."""
    given = {name: arguments.get(name, arguments.get(spelled)) for name, spelled in NAMES.items()}
    ids = {name: new_id() if one is None else check_call_id(one, field=name) for name, one in given.items()}
    return Trace(**ids)


def valid_ids_of(arguments: Mapping[str, Any]) -> Trace:
    """Return the ids among the arguments, and new ones if the verb will refuse those."""
    try:
        return ids_of(arguments)
    except InvalidInput:
        return ids_of({})
