"""Fields that only some commits of the program know, so that one benchmark measures them all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def takes(verb: Callable[..., Any], name: str) -> bool:
    """True if a verb of `Memory` has a parameter of this name."""
    return name in inspect.signature(verb).parameters


def accepted(verb: Callable[..., Any], **values: Any) -> dict[str, Any]:
    """The given values that the verb takes, without those that are None."""
    return {name: value for name, value in values.items() if value is not None and takes(verb, name)}
