"""The settings of an engine as a policy sets them, derived from an annotated dataclass beside the code it tunes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar, cast, get_args, get_origin, get_type_hints

from wherefrom.model.param import REQUIRED, Param, Parameter, declared, without_none


class Contradiction(NamedTuple):
    """Settings of one policy that do not go together: the key at fault, and what to say about it."""

    key: str
    message: str
    hint: str


class Settings:
    """Base of the settings of an engine: a frozen dataclass with a `Param` for each field that a policy may set.

    SECTION: the key of a policy under which they stand. PRESETS: names that stand for some of their values.
    NEEDS_ALL: true if a policy that gives one of them must give them all.
    """

    __slots__ = ()
    SECTION: ClassVar[str]
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    NEEDS_ALL: ClassVar[bool] = False

    def contradiction(self) -> Contradiction | None:
        """Return the settings of one policy that do not go together, apart from a `Param.at_most`; None if all do."""
        return None

    def reconciled(self) -> Self:
        """Return the settings with contradictions put right, which two policies that meet may have."""
        return self


_Settings = TypeVar("_Settings", bound=Settings)


@cache
def keys_of(kind: type[Any], section: str) -> Mapping[str, Parameter]:
    """Return the keys that a dataclass declares, as a policy spells them, such as `retrieval.hybrid.alpha`."""
    found = dict(_keys(section, kind, kind()))
    if presets := getattr(kind, "PRESETS", None):
        param = Param("A name for some of the values below; keys given beside it win.")
        choice = Parameter("preset", Literal[tuple(presets)], False, next(iter(presets)), False, param)
        found = {f"{section}.preset": choice, **found}
    return MappingProxyType(found)


def settings_from(kind: type[_Settings], values: Mapping[str, Any]) -> _Settings:
    """Return the settings of an engine with the values of policies, given by their keys."""
    built: _Settings = _built(kind.SECTION, kind, kind(), values)
    return built


def _keys(name: str, hint: Any, default: Any) -> Iterator[tuple[str, Parameter]]:
    """Yield the keys at and below a name, with their declarations."""
    annotated, param = declared(hint)
    inner = _inner(annotated, default)
    for part, (part_hint, part_default) in inner.items():
        yield from _keys(f"{name}.{part}" if name else part, part_hint, part_default)
    if not inner and param is not None:
        yield name, replace(item_of(hint), python=name, default=default)


def _built(name: str, kind: Any, default: Any, values: Mapping[str, Any]) -> Any:
    """Return what stands at a name: its value, or a dataclass or table of what stands below it."""
    inner = _inner(declared(kind)[0], default)
    if not inner:
        return values.get(name, default)
    parts = {part: _built(f"{name}.{part}", *inner[part], values) for part in inner}
    return MappingProxyType(parts) if get_origin(kind) is Mapping else kind(**parts)


def _inner(kind: Any, default: Any) -> dict[str, tuple[Any, Any]]:
    """Return the parts of a dataclass, or of a table with all its keys, with their types and their defaults."""
    if is_dataclass(kind):
        hints = _hints(cast(Any, kind))
        return {part.name: (hints[part.name], getattr(default, part.name)) for part in fields(kind)}
    if get_origin(kind) is Mapping:
        return {key: (get_args(kind)[1], value) for key, value in default.items()}
    return {}


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def item_of(hint: Any) -> Parameter:
    """Return the declaration of the values in a list or a pair."""
    annotated, param = declared(hint)
    kind, is_optional = without_none(annotated)
    return Parameter("", kind, is_optional, REQUIRED, False, param or Param())
