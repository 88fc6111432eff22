"""Reads a group of parameters, section by section and key by key, each by the kind that it has to be of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import yaml

from wherefrom.policy.nodes import Choice, Kind, fault, read_entries

Kinds = Mapping[str, Mapping[str, Kind]]
"""What each key of each section may be."""
Values = Mapping[str, Mapping[str, Any]]
"""The values by section and key."""
Moved = Mapping[tuple[str, str], tuple[str, str]]
"""Keys that are also read in another section: where they may stand, and where they belong."""

_NO_PRESETS: Final[Mapping[str, Values]] = MappingProxyType({})
_NONE_MOVED: Final[Moved] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Sections:
    """What a document sets in a group, and the node of each key that it gives itself."""

    of: str
    values: Values
    keys: Mapping[tuple[str, str], yaml.Node]

    def value(self, section: str, key: str, *, defaults: object) -> Any:
        """What the document sets the key to, or else its default."""
        return self.values.get(section, {}).get(key, getattr(getattr(defaults, section), key))


def read_sections(
    node: yaml.Node,
    *,
    of: str,
    kinds: Kinds,
    moved: Moved = _NONE_MOVED,
    presets: Mapping[str, Values] = _NO_PRESETS,
) -> Sections:
    """What is set at the node: the values of the preset, if there are any, with those given beside it."""
    entries = read_entries(node, of=of, allowed=("preset", *kinds) if presets else tuple(kinds))
    chosen: dict[str, dict[str, Any]] = {}
    if "preset" in entries:
        preset = Choice(tuple(presets)).read(entries["preset"][1], of=f"{of}.preset")
        chosen = {section: dict(values) for section, values in presets[preset].items()}
    keys: dict[tuple[str, str], yaml.Node] = {}
    for section in kinds:
        if section not in entries:
            continue
        allowed = (*kinds[section], *(key for place, key in moved if place == section))
        found = read_entries(entries[section][1], of=f"{of}.{section}", allowed=allowed)
        for key, (key_node, value_node) in found.items():
            place, name = moved.get((section, key), (section, key))
            if (place, name) in keys:
                raise fault(key_node, f"{name} of {of} is given twice", hint=f"keep {of}.{place}.{name}")
            keys[place, name] = key_node
            value = kinds[place][name].read(value_node, of=f"{of}.{section}.{key}")
            chosen.setdefault(place, {})[name] = MappingProxyType(value) if isinstance(value, dict) else value
    values = {section: MappingProxyType(given) for section, given in chosen.items()}
    return Sections(of, MappingProxyType(values), MappingProxyType(keys))


def refuse_crossed(found: Sections, defaults: object, *, section: str, low: str, high: str) -> None:
    """Refuses a lower bound above its upper bound, where one of them may be a default."""
    least, most = (found.value(section, key, defaults=defaults) for key in (low, high))
    if least > most:
        given = [found.keys[section, key] for key in (low, high) if (section, key) in found.keys]
        raise fault(
            max(given, key=lambda node: node.start_mark.index),
            f"{found.of}.{section}.{low} {least:g} is above {high} {most:g}",
            hint=f"{low} may be at most {high}; a key that is left out has its default",
        )
