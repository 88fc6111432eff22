"""Declares a parameter once: of a verb, for Python, tools, commands and routes; of an engine's settings, for policies;
and for the reference pages of both.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from wherefrom.model.errors import shown

# The sets of tools that a server can list.
ToolSet = Literal["memory", "graph", "research", "upkeep"]
TOOL_SETS: Final[tuple[ToolSet, ...]] = get_args(ToolSet)
Reference = Literal["", "node", "retired", "task", "query", "plan", "run", "context", "key", "upkeep", "any"]
"""The things that have ids; `retired` are nodes that were let go and can be restored, `any` is what has a history."""
REQUIRED: Final = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter's description in one sentence, its range, and its spellings outside of Python.

    `name` is its field in a tool and in JSON, `aliases` are other fields that mean the same, `option` is its spelling
    on the command line. `check` turns a given value into the one that the verb works with, or raises.
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
    only: Literal["", "agents", "people", "code"] = ""
    """The callers that may give it: agents by a tool, people by a command, programs in Python; or all of them."""
    refers: Reference = ""
    """What it names, if it is an id: then the last characters of the id do, too."""
    gone: Literal["", "ahead", "refused", "conflict"] = ""
    """What becomes of the id of a node that went for another one. That one answers, once the verb has found no such
    node, or `ahead` of it, where the verb would answer with nothing. It is refused (as gone, or as a conflict) where
    the verb would delete or rewrite the node that stands for it.
    """
    is_low_open: bool = False
    is_high_open: bool = False
    """True if the end of the range is not part of it."""
    at_most: str = ""
    """The setting beside it that it may not exceed."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared parameter: its name in Python, its type without None, its default and its `Param`."""

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

    @property
    def range(self) -> str:
        """The numbers that may be given, in words."""
        param = self.param
        low = f"{'above' if param.is_low_open else 'from'} {param.low:,g}"
        high = f"{'below' if param.is_high_open else 'to'} {param.high:,g}"
        return f"a {'whole ' * (self.kind is int)}number {low} {high}{', or null' * self.is_optional}"

    def problem(self, value: object) -> str | None:
        """Return what is wrong with a number, in words that follow the parameter's name; None if nothing is."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"must be a number, not {type(value).__name__}"
        if self.kind is int and not isinstance(value, int):
            return f"must be a whole number, not {shown(value)}"
        if isinstance(value, float) and not math.isfinite(value):
            return f"{shown(value)} is not a finite number"
        low, high = self.param.low, self.param.high
        below = low is not None and (value <= low if self.param.is_low_open else value < low)
        above = high is not None and (value >= high if self.param.is_high_open else value > high)
        return f"{shown(value)} is out of range" if below or above else None


@cache
def parameters_of(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the declared parameters of a verb by their names in Python; one without a `Param` is for Python alone."""
    hints = get_type_hints(function, include_extras=True)
    found = {}
    for python, given in inspect.signature(function).parameters.items():
        kind, param = declared(hints.get(python))
        if param is not None:
            is_positional = given.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            bare, is_optional = without_none(kind)
            default = given.default
            if repr(default) == "<factory>":  # of a field of a dataclass
                default = next(field.default_factory() for field in fields(function) if field.name == python)  # type: ignore[arg-type,operator]
            found[python] = Parameter(python, bare, is_optional, default, is_positional, param)
    return found


def names_nodes(function: Callable[..., Any]) -> bool:
    """Return True if a verb takes the id of a node, also as a field of what it takes."""
    kinds: list[Any] = [function]
    seen: set[Any] = {function}
    while kinds:
        for known in parameters_of(kinds.pop()).values():
            if known.param.refers == "node":
                return True
            inner = {kind for kind in (known.kind, *get_args(known.kind)) if is_dataclass(kind)} - seen
            kinds += inner
            seen |= inner
    return False


def declared(hint: Any) -> tuple[Any, Param | None]:
    """Return a type without its `Param`, and the `Param`."""
    if get_origin(hint) is not Annotated:
        return hint, None
    kind, *rest = get_args(hint)
    return kind, next((extra for extra in rest if isinstance(extra, Param)), None)


def without_none(kind: Any) -> tuple[Any, bool]:
    """Return a type without None, and whether None was one of its options."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    rest = tuple(option for option in get_args(kind) if option is not NoneType)
    return (rest[0] if len(rest) == 1 else Union[rest]), len(rest) < len(get_args(kind))  # noqa: UP007
