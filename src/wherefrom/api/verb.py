"""Makes of an engine's method a verb of `Memory`: its arguments are checked here, once, as they are declared."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Concatenate, Final, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.param import Parameter, parameters_of
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.api.memory import Memory
    from wherefrom.api.view import Engine

# What people call the types that parameters have.
_NAMES: Final[Mapping[type, str]] = {str: "text", Mapping: "an object", Path: "a path", int: "a number"}
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Engine = TypeVar("_Engine", bound="Engine")


def verb(
    engine: type[_Engine], function: Callable[Concatenate[_Engine, _Given], _Answer]
) -> Callable[Concatenate[Memory, _Given], _Answer]:
    """The method of `Memory` that runs an engine's method, with the same signature and docstring."""
    signature = inspect.signature(function)
    known = [each for each in signature.parameters.values() if each.name != "self"]
    allowed = frozenset(each.name for each in known)
    required = frozenset(each.name for each in known if each.default is each.empty)
    positional = [each.name for each in known if each.kind is each.POSITIONAL_OR_KEYWORD]

    @functools.wraps(function)
    def run(self: Memory, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
        given: dict[str, Any] = {**dict(zip(positional, args, strict=False)), **kwargs}
        if len(given) != len(args) + len(kwargs) or not required <= given.keys() <= allowed:
            try:
                signature.bind(None, *args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
        declared = parameters_of(function)
        checked = {
            name: _checked(value, declared[name]) if name in declared else value for name, value in given.items()
        }
        return function(engine(self.view), **checked)  # type: ignore[call-arg]  # the same arguments, checked

    return run


def _checked(value: Any, declared: Parameter) -> Any:
    """A value as the verb may use it; raises if it is not what the parameter takes."""
    if value is None and declared.is_optional:
        return None
    param, kind, field = declared.param, declared.kind, declared.name
    if param.check is not None:
        return param.check(value, field=field)
    if get_origin(kind) is Literal:
        words = get_args(kind)
        if value is None:
            raise InvalidInput(f"{field} must be one of {', '.join(words)}")
        return check.check_choice(value, words, field=field)
    if get_origin(kind) is Sequence and get_origin(get_args(kind)[0]) is Literal:
        return check.check_choices(value, get_args(get_args(kind)[0]), field=field)
    if kind is bool:
        if value is None:
            raise InvalidInput(f"{field} must be true or false, not {shown(value)}")
        return check.check_flag(value, field=field)
    if kind is int and param.low is not None and param.high is not None:
        return check.check_whole(value, field=field, low=int(param.low), high=int(param.high))
    if kind is float and param.low is not None and param.high is not None:
        return check.check_number(value, field=field, low=param.low, high=param.high)
    return _typed(value, kind, field)


def _typed(value: Any, kind: Any, field: str) -> Any:
    """A value that has its declared type; raises if it has another."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Sequence:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            raise InvalidInput(f"{field} must be a list, not {type(value).__name__}")
        for number, entry in enumerate(value):
            _typed(entry, inner[0], f"{field}.{number}")
        return value
    kinds = tuple(each for each in (inner if origin in (Union, UnionType) else (origin or kind,)) if each is not Any)
    if kinds and all(isinstance(each, type) for each in kinds) and not isinstance(value, kinds):
        named = " or ".join(_NAMES.get(each, each.__name__) for each in kinds)
        raise InvalidInput(f"{field} must be {named}, not {type(value).__name__}")
    return value
