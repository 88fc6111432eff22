"""The input of a tool: a Pydantic model made of the parameters that verbs declare.

Its schema has their ranges and words, which the verbs check. Checked here is that each value has its type and that
there is no field too many.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic.alias_generators import to_camel

from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import REQUIRED, Param, Parameter, parameters_of

# More than any verb takes: an error about each of them would take long.
_MOST_FIELDS: Final = 200


class Input(BaseModel):
    """Base of all inputs: snake_case as listed, camelCase accepted, anything else refused."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


def input_of(parameters: Mapping[str, Parameter], *, group: str = "", for_programs: bool = False) -> type[Input]:
    """Return the input with a field for each parameter; with `group`, all but the first, the cursor and the detail go
    into one object of that name. `for_programs`: objects in it may have the fields that only programs give.
    """
    made = {name: _field(parameter, _Inside(for_programs)) for name, parameter in parameters.items()}
    if group:
        outside = (next(iter(made)), "cursor", "detail")
        inner = create_model(group.capitalize(), __base__=Input, **{n: f for n, f in made.items() if n not in outside})
        kept = {name: field for name, field in made.items() if name in outside}
        made = {**kept, group: (Annotated[inner, AfterValidator(_given)], inner())}
    return create_model("Input", __base__=Input, **made)


def parsed(model: type[Input], arguments: Mapping[str, Any], *, tool: str) -> dict[str, Any]:
    """Return the given values by field. The error names the fields, never what was in them."""
    if len(arguments) > _MOST_FIELDS:
        raise InvalidInput(f"there are {len(arguments):,} fields", hint=f"{tool} takes {', '.join(model.model_fields)}")
    try:
        return _given(model.model_validate(dict(arguments)))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        raise InvalidInput(
            "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults[:5]),
            hint=f"{tool} takes {', '.join(model.model_fields)}",
        ) from None


def schema_of(model: type[BaseModel], *, answers: bool = False) -> dict[str, Any]:
    """The JSON schema of an input or an answer, without what costs tokens and says nothing: Pydantic's titles, which
    repeat the names, and of an input that what is optional may be null.
    """
    given = model.model_json_schema(mode="serialization" if answers else "validation")
    schema: dict[str, Any] = _plain(given, nulls=answers)
    return schema


class _Inside(NamedTuple):
    """Where a field is: in the input of programs or of others, and in which dataclass."""

    is_for_programs: bool
    kind: type | None = None


def _field(parameter: Parameter, inside: _Inside) -> Any:
    param = parameter.param
    # Answers call a memo's id `id`, and the ends of a relation `source_id` and `target_id`: so may a caller.
    names = (parameter.name, parameter.name.replace("memo_id", "id"), *param.aliases)
    spelled = dict.fromkeys(spelling for name in names for spelling in (name, to_camel(name)))
    kind = _wire(parameter.kind, param, inside)
    default = [] if parameter.default == () else parameter.default
    settings: dict[str, Any] = {"validation_alias": AliasChoices(*spelled), "description": param.text or None}
    if default is REQUIRED:
        return (kind, Field(**settings))
    return (kind | None if parameter.is_optional else kind, Field(default=default, **settings))


def _wire(kind: Any, param: Param, inside: _Inside) -> Any:
    """The type of a parameter as JSON can say it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return Annotated[str, WithJsonSchema({"enum": list(param.words or arguments)})]
    if kind in (int, float):
        ends = {"minimum": param.low, "maximum": param.high}
        schema: dict[str, Any] = {end: kind(at) for end, at in ends.items() if at is not None}
        schema["type"] = "integer" if kind is int else "number"
        return Annotated[kind, BeforeValidator(_no_truth), WithJsonSchema(schema)]
    if origin in (Sequence, Iterable):
        return list[_wire(arguments[0], Param(), inside)]  # type: ignore[misc]
    if origin is Mapping:
        return Annotated[dict[str, Any], BeforeValidator(_object)]
    if origin in (Union, types.UnionType):
        return Union[tuple(_wire(option, Param(), inside) for option in arguments)]  # noqa: UP007
    if isinstance(kind, type) and is_dataclass(kind):
        return _nested(kind, inside.is_for_programs, kind is inside.kind)
    return kind


@cache
def _nested(kind: type, is_for_programs: bool, is_inside: bool) -> Any:
    """The input of a dataclass: an object with its declared fields; inside another of its kind, only plain ones."""
    plain = (str, int, float, bool, *([Mapping[str, Any]] if is_for_programs else []))
    declared = [
        parameter
        for parameter in parameters_of(kind).values()
        if (parameter.param.only != "code" or is_for_programs) and (not is_inside or parameter.kind in plain)
    ]
    made = {parameter.name: _field(parameter, _Inside(is_for_programs, kind)) for parameter in declared}
    model = create_model(f"{'Inner' * is_inside}{kind.__name__}", __base__=Input, **made)
    return Annotated[model, AfterValidator(lambda given: kind(**_given(given)))]


def _given(model: BaseModel) -> dict[str, Any]:
    return {name: getattr(model, name) for name in model.model_fields_set}


def _no_truth(value: object) -> object:
    """Refuse true and false, which Pydantic takes for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("Input should be a number")
    return value


def _object(value: object) -> object:
    """Read an object that a client sent as JSON in a string."""
    with suppress(ValueError, RecursionError):
        return json.loads(value) if isinstance(value, str) else value
    return value


def _plain(schema: Any, *, nulls: bool) -> Any:
    if isinstance(schema, list):
        return [_plain(item, nulls=nulls) for item in schema]
    if not isinstance(schema, dict):
        return schema
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) == 1 and (not nulls or ("type" in options[0] and "enum" not in options[0])):
        kind = {"type": [options[0]["type"], "null"]} if nulls else {}
        schema = {**options[0], **kind, **{key: value for key, value in schema.items() if key != "anyOf"}}
    kept = {key: value for key, value in schema.items() if key != "title" or not isinstance(value, str)}
    if kept.get("default", 0) in (None, [], {}):
        del kept["default"]
    return {key: _plain(value, nulls=nulls) for key, value in kept.items()}
