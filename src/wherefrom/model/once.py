"""A property that is made at first use, once, whichever thread asks first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Made = TypeVar("Made")


class once(Generic[Made]):  # noqa: N801  # used as a decorator
    """A property that is computed when it is first asked for and then kept in the object.

    Since Python 3.12 `cached_property` has no lock: threads that ask at the same time each make one of their own. Here
    they wait for the one that is being made; if making it fails, the next thread tries again. Each object has a lock
    for each property, so that one property may be made from another.
    """

    def __init__(self, make: Callable[[Any], Made]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        del owner
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> once[Made]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Made: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> once[Made] | Made:
        # Called only until the object has the value: an attribute of the same name comes before this one.
        if instance is None:
            return self
        held: dict[str, Any] = instance.__dict__
        # setdefault is one step for other threads.
        with held.setdefault(f"_{self._name}_lock", threading.Lock()):
            if self._name not in held:
                held[self._name] = self._make(instance)
            made: Made = held[self._name]
            return made

    def made(self, instance: object) -> Made | None:
        """The value that an object already has, or None: to close it without making it."""
        return instance.__dict__.get(self._name)
