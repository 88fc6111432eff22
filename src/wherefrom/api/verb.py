"""Verbs of `Memory`, made of engines' methods: the arguments are checked here, once, as they are declared."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from wherefrom.engine.checking import checked
from wherefrom.lazy import Later
from wherefrom.model.param import parameters_of

if TYPE_CHECKING:
    from wherefrom.api.memory import Memory
    from wherefrom.engine.view import Engine

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Engine = TypeVar("_Engine", bound="Engine")


def verb(
    function: Callable[Concatenate[_Engine, _Given], _Answer],
) -> Callable[Concatenate[Memory, _Given], _Answer]:
    """Return the method of `Memory` that runs an engine's method, with the same signature and docstring."""
    return LazyVerb(function)  # type: ignore[arg-type, return-value]  # it is named by a `Later`, and becomes a method


class LazyVerb:
    """A verb whose engine is imported when the verb is first used; from then on, `Memory` has a method in its place."""

    def __init__(self, named: Later) -> None:
        self.named = named

    def __set_name__(self, memory: type[Memory], name: str) -> None:
        self._name = name

    def __get__(self, memory: Memory | None, kind: type[Memory]) -> Callable[..., Any]:
        function, engine = self.named()
        method = _method(engine, function)
        setattr(kind, self._name, method)
        return method if memory is None else MethodType(method, memory)


def docstring_of(memory: type[Memory], name: str) -> str:
    """Return the docstring of a verb, without importing its engine."""
    found = vars(memory)[name]
    return inspect.cleandoc(found.named.read_docstring() if isinstance(found, LazyVerb) else found.__doc__)


def _method(engine: type[Engine], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `Memory` that checks its arguments and gives them to a new engine's method."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(self: Memory, /, *args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(None, *args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{function.__name__}() {error}") from None
        del given["self"]
        declared = parameters_of(function)
        values = {name: checked(value, declared[name]) if name in declared else value for name, value in given.items()}
        return function(engine(self.view), **values)

    return run
