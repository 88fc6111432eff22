"""Checks a value by its declaration: its type, its range, its words, and the fields of a declared dataclass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import Param, Parameter, parameters_of
from wherefrom.text import check

# The names of types in errors.
_NAMES: Final[Mapping[type, str]] = {
    str: "text", Mapping: "an object", Iterable: "a list", Path: "a path", int: "a number"
}  # fmt: skip
_Value = TypeVar("_Value")
WholeId = Callable[[Param, str, str], str]
"""Given a parameter that is an id, the id as it was given and its field, returns the whole id, or raises."""


def checked(value: Any, declared: Parameter, field: str = "") -> Any:
    """Return a value as the verb takes it; raises if its declaration does not allow it. `field` names it in errors."""
    if value is None and declared.is_optional:
        return None
    param, kind, field = declared.param, declared.kind, field or declared.name
    origin, inner = get_origin(kind), get_args(kind)
    is_list_of_ids = origin is Sequence and bool(param.refers)
    if param.check is not None and not is_list_of_ids:
        return param.check(value, field=field)
    if origin is Literal:
        if value is None:
            raise InvalidInput(f"{field} must be one of {', '.join(inner)}")
        return check.check_choice(value, inner, field=field)
    if origin is Sequence and get_origin(inner[0]) is Literal:
        return check.check_choices(value, get_args(inner[0]), field=field)
    if kind is bool:
        return check.check_flag(value, field=field)
    if kind in (int, float) and param.low is not None and param.high is not None:
        if kind is int:
            return check.check_whole(value, field=field, low=int(param.low), high=int(param.high))
        return check.check_number(value, field=field, low=param.low, high=param.high)
    value = _typed(value, kind, field)
    if origin is Sequence and param.high is not None and len(value) > param.high:
        raise InvalidInput(f"{field} has {len(value)} items; at most {param.high} go into one call")
    if is_list_of_ids and param.check is not None:
        return tuple(param.check(entry, field=f"{field}.{number}") for number, entry in enumerate(value))
    return value


def checked_fields(value: _Value, field: str = "") -> _Value:
    """Return a dataclass with its declared fields checked; `field` names it in errors."""
    before = f"{field}." if field else ""
    declared = parameters_of(type(value))  # type: ignore[arg-type]  # a class is hashable
    fields = {name: checked(getattr(value, name), declared[name], before + name) for name in declared}
    return replace(value, **fields)  # type: ignore[type-var]


def referring(values: Mapping[str, Any], declared: Mapping[str, Parameter], whole: WholeId) -> dict[str, Any]:
    """Return checked arguments with what `whole` makes of each id in them, also in lists and in dataclasses."""
    found = {name: known for name in values if (known := declared.get(name)) is not None}
    return {**values, **{name: _referring(values[name], known, known.name, whole) for name, known in found.items()}}


def _referring(value: Any, declared: Parameter, field: str, whole: WholeId) -> Any:
    if isinstance(value, str):
        return whole(declared.param, value, field) if declared.param.refers else value
    if isinstance(value, tuple):
        some = tuple(_referring(entry, declared, f"{field}.{number}", whole) for number, entry in enumerate(value))
        # Of two names of one thing the first counts.
        return tuple(dict.fromkeys(some)) if declared.param.refers and some != value else some
    if not is_dataclass(value):
        return value
    inner = parameters_of(type(value))  # type: ignore[arg-type]  # a class is hashable
    found = {name: getattr(value, name) for name in inner}
    made = {name: _referring(entry, inner[name], f"{field}.{name}", whole) for name, entry in found.items()}
    return value if made == found else replace(value, **made)  # type: ignore[type-var]


def _typed(value: Any, kind: Any, field: str) -> Any:
    """Return a value of its declared type; raises if it has another."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Sequence:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            raise InvalidInput(f"{field} must be a list, not {type(value).__name__}")
        return tuple(_typed(entry, inner[0], f"{field}.{number}") for number, entry in enumerate(value))
    kinds = tuple(one for one in (inner if origin in (Union, UnionType) else (origin or kind,)) if one is not Any)
    if kinds and all(isinstance(one, type) for one in kinds) and not isinstance(value, kinds):
        named = " or ".join(_NAMES.get(one, one.__name__) for one in kinds)
        raise InvalidInput(f"{field} must be {named}, not {type(value).__name__}")
    return checked_fields(value, field) if is_dataclass(value) else value
