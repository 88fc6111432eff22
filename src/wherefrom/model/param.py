"""How a verb declares its parameters: once, on its method, for Python, tools, commands, routes and reference pages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

REQUIRED: Final = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Param:
    """What a parameter is, in one sentence, with its range and the spellings that it has outside of Python.

    `name` is its field in a tool and in JSON, `aliases` are other fields that mean the same, `option` is how the
    command line spells it. `check` makes of a given value the one that the verb works with, or raises.
    """

    text: str = ""
    low: float | None = None
    high: float | None = None
    name: str = ""
    aliases: tuple[str, ...] = ()
    option: str = ""
    metavar: str = ""
    check: Callable[..., Any] | None = None
    words: tuple[str, ...] = ()
    """The words that are offered, where others are known and refused with a reason."""
    only: Literal["", "agents", "people"] = ""
    """Who may give it: agents by a tool, people by a command, or both."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared parameter of a verb: its name in Python, its type without None, its default and its `Param`."""

    python: str
    kind: Any
    is_optional: bool
    """True if None may be given."""
    default: Any
    is_positional: bool
    param: Param

    @property
    def name(self) -> str:
        """The parameter's field in a tool and in JSON."""
        return self.param.name or self.python

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED


@cache
def parameters_of(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    """The declared parameters of a verb by their names in Python; what has no `Param` is for Python alone."""
    hints = get_type_hints(function, include_extras=True)
    found = {}
    for python, given in inspect.signature(function).parameters.items():
        kind, param = declared(hints.get(python))
        if param is not None:
            is_positional = given.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            bare, is_optional = without_none(kind)
            default = _default(function, python) if repr(given.default) == "<factory>" else given.default
            found[python] = Parameter(python, bare, is_optional, default, is_positional, param)
    return found


def _default(kind: Any, name: str) -> Any:
    """What a dataclass makes for a field that is not given."""
    return next(field.default_factory() for field in fields(kind) if field.name == name)  # type: ignore[operator]


def declared(hint: Any) -> tuple[Any, Param | None]:
    """A type without its `Param`, and that."""
    if get_origin(hint) is not Annotated:
        return hint, None
    kind, *rest = get_args(hint)
    return kind, next((each for each in rest if isinstance(each, Param)), None)


def without_none(kind: Any) -> tuple[Any, bool]:
    """A type without None, and whether it had one."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    rest = tuple(each for each in get_args(kind) if each is not NoneType)
    return (rest[0] if len(rest) == 1 else Union[rest]), len(rest) < len(get_args(kind))  # noqa: UP007
