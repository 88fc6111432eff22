"""Which boundary classes an access may see, given the tags it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from recollect.model.errors import InvalidInput, shown
from recollect.model.graph import BOUNDARY_CLASSES, BoundaryClass

# What each class allows: a trailing * matches any tag with that beginning. Nothing opens `secret`.
CLASS_TAGS: Final[Mapping[BoundaryClass, tuple[str, ...]]] = MappingProxyType(
    {
        "public": ("*",),
        "internal": ("answer:task", "tool:*"),
        "pii": ("tool:contact-lookup",),
        "secret": (),
    }
)
DEFAULT_ALLOW: Final = ("answer:task",)


def visible_classes(allow: Sequence[str]) -> tuple[BoundaryClass, ...]:
    """The classes for which at least one of the held tags is allowed."""
    if (
        isinstance(allow, str)
        or not isinstance(allow, Sequence)
        or not all(isinstance(tag, str) and tag for tag in allow)
    ):
        raise InvalidInput(f"allow {shown(allow)} must be a list of tags", hint="for example ['answer:task']")
    return tuple(name for name in BOUNDARY_CLASSES if any(_matches(p, tag) for p in CLASS_TAGS[name] for tag in allow))


def _matches(pattern: str, tag: str) -> bool:
    return tag.startswith(pattern[:-1]) if pattern.endswith("*") else tag == pattern
