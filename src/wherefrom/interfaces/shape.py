"""How a verb's result becomes JSON: by an answer that declares its keys, or that mirrors the result's own fields.

An answer is full, with every key, or lean, as a model reads it: without nulls, usual values and what only programs
need, ids by their last characters, times to the minute. Both are made by the same declaration.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Self, Union, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
    model_validator,
)

from wherefrom.model.identifiers import is_whole, last_day, short_id
from wherefrom.model.param import declared

_DIGITS: Final = 4
# Keys that hold an id or several, beside those whose names end so.
_IDS: Final = frozenset(
    ("superseded_by", "replaces", "replaced", "older", "disputed_by", "found_through", "part_of", "stand_in")
)
_DATES: Final = frozenset(("date", "valid_from"))
# The first moment at which something holds no longer: shown is the last day.
_ENDS: Final = frozenset(("valid_to", "held_until"))
# The one id that a lean answer has in full: a design fixes it.
_WHOLE_IDS: Final = frozenset(("active_context_id",))
_TO_THE_MINUTE: Final = len("2026-01-01T00:00")
_TO_THE_DAY: Final = len("2026-01-01")
_TO_THE_SECOND: Final = len("2026-01-01T00:00:00")


# The answer that each kind of result becomes, if it does not mirror it.
ANSWERS: Final[dict[Any, type[Answer]]] = {}


class Overlay:
    """A result whose attributes are looked up in given values first, then in itself, then in its parts `within`."""

    def __init__(self, result: object, values: Mapping[str, Any], within: Sequence[str] = ()) -> None:
        self._result = result
        self._within = within
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self._result, name):
            for inner in self._within:
                part = self.__dict__.get(inner) or getattr(self._result, inner, None)
                if hasattr(part, name):
                    return getattr(part, name)
        return getattr(self._result, name)


@dataclass(frozen=True, slots=True)
class Lean:
    """How a lean answer is made. root: the namespace that goes without saying. whole_ids: ids are given in full, for
    agents that go on to use them in SQL.
    """

    root: str
    whole_ids: bool = False


class Answer(BaseModel):
    """Base of all answers. `answers`: the results that a class is made of, if they are not those that it mirrors;
    `within`: parts of a result that have keys which the result itself has not.

    brief: the keys of the lean answer, in this order; without them it may have all. usual: values that the lean answer
    leaves out, beside what is empty. always: keys that the lean answer has even so.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True, defer_build=True)
    within: ClassVar[tuple[str, ...]] = ()
    mirrored: ClassVar[Any] = None
    brief: ClassVar[str] = ""
    usual: ClassVar[Mapping[str, Any]] = {}
    always: ClassVar[str] = ""

    def __init_subclass__(cls, answers: Sequence[Any] | None = None, within: Sequence[str] = (), **more: Any) -> None:
        super().__init_subclass__(**more)
        mirrored = [base.__dict__["mirrored"] for base in cls.__bases__ if "mirrored" in base.__dict__]
        ANSWERS.update(dict.fromkeys(mirrored if answers is None else answers, cls))
        cls.within = (*cls.within, *within)

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        """Return values of the answer that the result does not have as they are."""
        del result
        return {}

    @model_validator(mode="before")
    @classmethod
    def _overlaid(cls, result: Any) -> Any:
        return result if isinstance(result, Mapping) else Overlay(result, cls.derived(result), cls.within)

    # Without a return type, which would stand for the whole schema.
    @model_serializer(mode="wrap")
    def _in_detail(self, serialize: SerializerFunctionWrapHandler, info: SerializationInfo):  # type: ignore[no-untyped-def]  # noqa: ANN202
        value: dict[str, Any] = serialize(self)
        return value if info.context is None else self._lean(value, info.context)

    @classmethod
    def _lean(cls, value: Mapping[str, Any], how: Lean) -> dict[str, Any]:
        """Return the lean form of an answer."""
        usual = {"namespace": how.root, "root_namespace": how.root, "default_namespace": how.root, **cls.usual}
        shown = [(name, value[name]) for name in cls.brief.split() or value if name in value]
        return {
            name: _shortened(name, inner, whole_ids=how.whole_ids)
            for name, inner in shown
            if name in cls.always.split() or not (_is_empty(inner) or (name in usual and inner == usual[name]))
        }

    @classmethod
    def of(cls, result: object, **values: Any) -> Self:
        """Return the answer of a verb's result, with values that the result does not have."""
        return cls.model_validate(Overlay(result, values))


def _is_empty(value: Any) -> bool:
    """Return whether a value says nothing: null, false, an empty text or list, a count of nothing."""
    return not value and not isinstance(value, float)


def _shortened(name: str, value: Any, *, whole_ids: bool) -> Any:
    """Return an id by its last characters, and a time to the minute, or to the day if it is a date."""
    if isinstance(value, list):
        return [_shortened(name, entry, whole_ids=whole_ids) for entry in value]
    if not isinstance(value, str):
        return value
    if name in _ENDS:
        return last_day(value)
    if name in _DATES:
        return value[:_TO_THE_DAY]
    if name == "at":
        return value[:_TO_THE_SECOND]
    if name.endswith("_at"):
        return value[:_TO_THE_MINUTE]
    is_id = name not in _WHOLE_IDS and (name in _IDS or name.endswith(("id", "_ids")))
    return short_id(value) if is_id and not whole_ids and is_whole(value) else value


class Paged(Answer):
    """Base of the answers that may be too long: the rest of such an answer is asked for with its cursor."""

    next_cursor: str | None = Field(
        default=None, description="Pass it back as cursor for the next page; null on the last page."
    )
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")


def found(path: str, **more: Any) -> Any:
    """Declare a key whose value is at this path of the result."""
    return Field(validation_alias=AliasPath(*path.split(".")), **more)


def cut(characters: int) -> AfterValidator:
    """Declare a text that is shortened to so many characters: enough to recognise it."""

    def shortened(text: str | None) -> str | None:
        return text if text is None or len(text) <= characters else text[: characters - 1] + "…"

    return AfterValidator(shortened)


def rounded(value: float | None) -> float | None:
    """Return a number with four digits; −0.0 becomes 0.0."""
    return None if value is None else round(value, _DIGITS) + 0.0


Rounded = Annotated[float, AfterValidator(rounded)]
Count = Annotated[int, BeforeValidator(lambda value: value if isinstance(value, int) else len(value))]


@cache
def mirror(
    result: Any, *, only: str = "", without: str = "", digits: bool = False, whole: bool = False, paged: bool = False
) -> Any:
    """Return the answer whose keys are a result's fields, and its properties that have a `Param`, which names and
    describes a key.

    `only` or `without` names the fields that it has or leaves out. `digits` rounds its numbers. `whole`: every key is
    always there. `paged`: it may be too long.
    """
    hints = get_type_hints(result, include_extras=True)
    plain = {field.name: field for field in fields(result)}
    derived = {
        name: get_type_hints(member.fget, include_extras=True)["return"]
        for name, member in vars(result).items()
        if isinstance(member, property)
    }
    left_out = {*without.split(), *(Paged.model_fields if paged else ())}
    keys: dict[str, Any] = {}
    for python in only.split() or (*plain, *(name for name, hint in derived.items() if declared(hint)[1])):
        if python in left_out:
            continue
        kind, param = declared(derived.get(python) or hints[python])
        name = (param and param.name) or python
        settings: dict[str, Any] = {"description": param.text or None} if param else {}
        if name != python:
            settings["validation_alias"] = python
        if (field := plain.get(python)) and not whole:
            if field.default is not MISSING:
                settings["default"] = field.default
            elif field.default_factory is not MISSING:
                settings["default"] = field.default_factory()
        keys[name] = (_as_json(kind, digits=digits), Field(**settings))
    document = (result.__doc__ or "").split("\n\n")[0]
    made = create_model(result.__name__, __base__=Paged if paged else Answer, __doc__=document, **keys)
    made.mirrored = result
    return made


def _as_json(kind: Any, *, digits: bool) -> Any:
    """Return the type of a field as JSON has it: lists for sequences, objects for mappings, mirrors for dataclasses."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        return ANSWERS.get(kind) or mirror(kind, digits=digits)
    if origin is tuple and arguments[-1] is not ...:
        return list[Any]
    if origin in (tuple, Sequence):
        return list[_as_json(arguments[0], digits=digits)]  # type: ignore[misc]
    if origin is Mapping:
        return dict[arguments[0], _as_json(arguments[1], digits=digits)]  # type: ignore[misc, valid-type]
    if origin in (Union, types.UnionType):
        return Union[tuple(_as_json(option, digits=digits) for option in arguments)]  # noqa: UP007
    return Rounded if kind is float and digits else kind
