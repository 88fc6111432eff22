"""Verbs over HTTP: their names in the API, their arguments and their results as JSON, of which both come back whole.

The service and its client share it. A result is written by its declared type and read into the same dataclasses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, get_type_hints

from pydantic import ConfigDict, RootModel

from wherefrom.api.memory import VERBS, Verbs
from wherefrom.interfaces.inputs import Input, input_of, parsed
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import Parameter, names_nodes, parameters_of
from wherefrom.model.stand_ins import ASKED_FOR as SAID
from wherefrom.model.stand_ins import Answered, note

# Verbs that act on a whole store, or on files of the machine that they run on.
NOT_OFFERED: Final = frozenset(("add_documents", "backup", "distribute", "doctor", "embed", "reembed", "reindex"))
# The verbs of the API, by their names there: `import` is the one whose name in Python is another.
OFFERED: Final = {name.rstrip("_"): name for name in VERBS if name not in NOT_OFFERED}
# The verbs that take a body of bytes, by the kind of their bodies; their arguments are in the query.
STREAMED: Final = {"import_": "application/x-ndjson", "add_document": "application/octet-stream"}
# The key that comes first in an answer, if one node answered for another.
ASKED_FOR: Final = "asked_for"
_ASKED_FOR: Final = b'{"asked_for":'
_ANSWERED: Final = {
    "type": "object",
    "properties": {field.name: {"type": "string"} for field in fields(Answered)},
    "required": [field.name for field in fields(Answered)],
}
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def dump(method: str, result: Any, notes: Sequence[Answered] = ()) -> bytes:
    """Return the result of a verb as JSON, an infinite number as a text; an object says in `asked_for` which nodes
    answered for others that went.
    """
    body = _answer(method).model_construct(result).model_dump_json().encode()
    if not notes or not body.startswith(b"{"):
        return body
    told = {ASKED_FOR: [asdict(answered) for answered in notes]}
    return json.dumps({**told, **json.loads(body)}, ensure_ascii=False, separators=(",", ":")).encode()


def load(method: str, body: bytes) -> Any:
    """Return the result that a verb's JSON stands for; raises ValueError if it stands for none. Which nodes answered
    for others that went is noted.
    """
    result = _answer(method).model_validate_json(body).root
    if body.startswith(_ASKED_FOR):
        for told in json.loads(body)[ASKED_FOR]:
            note(Answered(**told))
    return result


def answer_schema(method: str) -> dict[str, Any]:
    """Return the JSON schema of a verb's result."""
    schema = _answer(method).model_json_schema(mode="serialization")
    if not names_nodes(getattr(Verbs, method)):
        return schema
    parts = schema.pop("$defs", {})
    told = {"type": "object", "properties": {ASKED_FOR: {"type": "array", "items": _ANSWERED, "description": SAID}}}
    return {"allOf": [schema, told], "$defs": parts}


def dump_arguments(method: str, values: Mapping[str, Any], **ids: str) -> bytes:
    """Return the arguments of a call, which have their names in Python, as JSON with the names of their fields; the
    `ids` of the call are put to them, unless they have their own.

    Arguments that are no data, such as a function that shows progress, stay where the call is made.
    """
    declared = parameters_of(getattr(Verbs, method))
    plain = {declared[name].name: _plain(value) for name, value in values.items() if name in declared}
    try:
        written = json.dumps({**ids, **plain}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput(f"the arguments of {method} hold something that is not JSON") from None
    if _LONE_SURROGATE.search(written):
        raise InvalidInput(f"the arguments of {method} hold a character that is no text")
    return written.encode()


def load_arguments(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by their names in Python. The verb itself checks their ranges and words."""
    named = {parameter.name: name for name, parameter in parameters_of(getattr(Verbs, method)).items()}
    read = parsed(arguments_of(method), given, tool=method.rstrip("_"))
    return {named[name]: value for name, value in read.items()}


@cache
def arguments_of(method: str) -> type[Input]:
    """Return the model of a verb's arguments, which gives their schema; programs may give what agents may not."""
    declared: dict[str, Parameter] = {known.name: known for known in parameters_of(getattr(Verbs, method)).values()}
    return input_of(declared, for_programs=True)


@cache
def _answer(method: str) -> type[RootModel[Any]]:
    """Return the model whose one value is a verb's result."""
    whole: Any = RootModel.__class_getitem__(get_type_hints(getattr(Verbs, method))["return"])
    return type(method, (whole,), {"model_config": ConfigDict(ser_json_inf_nan="strings"), "__module__": __name__})


def _plain(value: Any) -> Any:
    """Return a value with lists, objects and texts in place of tuples, dataclasses and paths. Of a dataclass only the
    fields that say something are kept.
    """
    if is_dataclass(value):
        declared = parameters_of(type(value))  # type: ignore[arg-type]  # a class is hashable
        given = {name: getattr(value, name) for name in declared}
        said = {
            name: inner
            for name, inner in given.items()
            if declared[name].is_required or inner != declared[name].default
        }
        return {declared[name].name: _plain(inner) for name, inner in said.items()}
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Iterable):
        return [_plain(inner) for inner in value]
    return value
