"""What a tool is: a name, a description that says when to call it, an input, an output, one verb."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeVar

import mcp_types as types
from pydantic import AliasChoices, AliasGenerator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from wherefrom.api import Memory
from wherefrom.interfaces.answers import Answer
from wherefrom.interfaces.request_ids import WEIGHT_BYTES, schema_with_ids, without_ids
from wherefrom.model.errors import InvalidInput

# What one answer may weigh on the wire, its text and its structured copy together.
CEILING_BYTES: Final = 40 * 1024
# What a description says of the SQL dialect as long as the database is not known.
ANY_DIALECT: Final = "SQLite or PostgreSQL"

_Listing = TypeVar("_Listing", bound=Answer)


def _no_truth(value: object) -> object:
    """To Pydantic true is 1."""
    if isinstance(value, bool):
        raise ValueError("Input should be a number")
    return value


Number = Annotated[float, BeforeValidator(_no_truth)]
Whole = Annotated[int, BeforeValidator(_no_truth)]


class Input(BaseModel):
    """Base of all inputs: snake_case as listed, camelCase accepted, anything else refused."""

    model_config = ConfigDict(
        extra="forbid",
        alias_generator=AliasGenerator(validation_alias=lambda name: AliasChoices(name, to_camel(name))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. `aliases` are names that it answers to as well; they are never listed.

    alias_defaults: by alias, the arguments that it means unless the caller gives others.
    """

    name: str
    description: str
    input: type[Input]
    output: type[Answer]
    run: Callable[[Memory, Any], Answer]
    annotations: types.ToolAnnotations
    aliases: tuple[str, ...] = ()
    alias_defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def listed(self, dialect: str = ANY_DIALECT) -> types.Tool:
        """The tool as `tools/list` shows it, on a memory whose SQL is of this dialect."""
        return types.Tool(
            name=self.name,
            description=self.description.replace(ANY_DIALECT, dialect),
            input_schema=_without_titles(self.input.model_json_schema()),
            output_schema=schema_with_ids(_without_titles(self.output.model_json_schema(mode="serialization"))),
            annotations=self.annotations,
        )

    def parse(self, arguments: Mapping[str, Any], *, called: str | None = None) -> Input:
        """Checked arguments of a call by a name or alias. The error names the fields, never what was in them.

        Every tool takes request_id and trace_id; its verb gets them only if the tool lists them.
        """
        taken = without_ids(arguments, keep=self.input.model_fields)
        try:
            return self.input.model_validate({**self.alias_defaults.get(called or self.name, {}), **taken})
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            raise InvalidInput(
                "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults[:5]),
                hint=f"{self.name} takes {', '.join(self.input.model_fields)}",
            ) from None


def reads(title: str) -> types.ToolAnnotations:
    """Annotations of a tool that changes nothing."""
    return types.ToolAnnotations(title=title, read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def writes(title: str, *, destructive: bool = False) -> types.ToolAnnotations:
    """Annotations of a tool that changes the memory; all of ours may be repeated safely."""
    return types.ToolAnnotations(
        title=title, read_only_hint=False, destructive_hint=destructive, idempotent_hint=True, open_world_hint=False
    )


def weight_on_wire(answer: Answer) -> int:
    """The bytes of an answer with its ids: the structured copy, and the text copy with its escapes."""
    structured = answer.model_dump_json()
    return len(structured.encode()) + len(json.dumps(structured, ensure_ascii=False).encode()) + WEIGHT_BYTES


def fitting(ask: Callable[[int], _Listing], limit: int) -> _Listing:
    """The longest answer that fits: asks again for fewer items, so that its cursor stays right."""
    answer = ask(limit)
    asked = limit
    while (weight := weight_on_wire(answer)) > CEILING_BYTES and limit > 1:
        limit = max(1, min(limit - 1, limit * CEILING_BYTES // weight))
        answer = ask(limit)
    return answer if limit == asked else answer.model_copy(update={"truncated": True})


def _without_titles(schema: Any) -> Any:
    """The schema without Pydantic's titles, which only repeat the names and cost the agent tokens."""
    if isinstance(schema, dict):
        return {
            key: _without_titles(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    return schema
