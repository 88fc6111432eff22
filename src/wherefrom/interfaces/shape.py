"""How a verb's result becomes JSON: by an answer that declares its keys, or that mirrors the result's own fields."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Final, Self, Union, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
)

from wherefrom.model.param import Param

_DIGITS: Final = 4


class Told:
    """A result with some values of its own in front of it."""

    def __init__(self, result: object, values: Mapping[str, Any]) -> None:
        self._result = result
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._result, name)


class Answer(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)

    @classmethod
    def of(cls, result: object, **values: Any) -> Self:
        """The answer that a verb's result makes, with values that the result does not have."""
        return cls.model_validate(Told(result, values))


class Paged(Answer):
    """Base of the answers that may be too long: the rest of such an answer is asked for with its cursor."""

    next_cursor: str | None = Field(
        default=None, description="Pass it back as cursor for the next page; null on the last page."
    )
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")


def found(*paths: str, **more: Any) -> Any:
    """A key whose value is found at the first of these paths that the result has."""
    return Field(validation_alias=AliasChoices(*(AliasPath(*path.split(".")) for path in paths)), **more)


def cut(characters: int) -> AfterValidator:
    """Shortens a text to so many characters: enough to recognise it."""

    def shortened(text: str | None) -> str | None:
        return text if text is None or len(text) <= characters else text[: characters - 1] + "…"

    return AfterValidator(shortened)


def rounded(value: float | None) -> float | None:
    """A number with four digits. Adding zero makes of −0.0 a 0.0."""
    return None if value is None else round(value, _DIGITS) + 0.0


Rounded = Annotated[float, AfterValidator(rounded)]
Count = Annotated[int, BeforeValidator(lambda value: value if isinstance(value, int) else len(value))]


@cache
def mirror(result: Any, base: type[Answer] = Answer, *, digits: bool = False) -> Any:
    """The answer with the same keys as a result's fields; `digits` rounds its numbers."""
    hints = get_type_hints(result, include_extras=True)
    keys: dict[str, Any] = {}
    for field in fields(result):
        kind, text = _described(hints[field.name])
        default = ... if field.default is MISSING and field.default_factory is MISSING else field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        keys[field.name] = (_as_json(kind, digits=digits), Field(default, description=text))
    return create_model(result.__name__, __base__=base, __doc__=(result.__doc__ or "").split("\n\n")[0], **keys)


def _described(hint: Any) -> tuple[Any, str | None]:
    if get_origin(hint) is not Annotated:
        return hint, None
    kind, *rest = get_args(hint)
    return kind, next((each.text for each in rest if isinstance(each, Param)), None)


def _as_json(kind: Any, *, digits: bool) -> Any:
    """The type of a field as JSON has it: lists for sequences, objects for mappings, mirrors for dataclasses."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        return mirror(kind, digits=digits)
    if origin is tuple and arguments[-1] is not ...:
        return list[Any]
    if origin in (tuple, Sequence):
        return list[_as_json(arguments[0], digits=digits)]  # type: ignore[misc]
    if origin is Mapping:
        return dict[arguments[0], _as_json(arguments[1], digits=digits)]  # type: ignore[misc, valid-type]
    if origin in (Union, types.UnionType):
        return Union[tuple(_as_json(each, digits=digits) for each in arguments)]  # noqa: UP007
    return Rounded if kind is float and digits else kind
