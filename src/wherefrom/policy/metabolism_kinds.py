"""Reads the `metabolism` section of a policy: what each parameter of metabolism may be."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final

import yaml

from wherefrom.model.errors import shown
from wherefrom.model.limits import TAG_CHARACTERS
from wherefrom.model.metabolism import EVIDENCE_TAGS
from wherefrom.policy.metabolism import ORPHANS, RANGES, normal_tag
from wherefrom.policy.nodes import Choice, Kind, Number, fault, read_entries, read_items, read_text

EXCLUSIVE_TAGS: Final = 500

# What may join the words of a tag in normal form.
_JOINTS: Final = "_.:"


@dataclass(frozen=True, slots=True)
class Tags:
    """A list of tags, each once and in normal form, and none of them evidence."""

    most: int

    def read(self, node: yaml.Node, *, of: str) -> tuple[str, ...]:
        tags = (_tag(item, of=of) for item in read_items(node, of=of, high=self.most))
        return tuple(dict.fromkeys(tags))

    def __str__(self) -> str:
        return f"at most {self.most} tags, each at most {TAG_CHARACTERS} characters; none that is evidence"


# Each key of `metabolism`: the fields of the dataclass in policy/metabolism.py.
KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        **{key: Number(**asdict(limits)) for key, limits in RANGES.items()},
        "orphans": Choice(ORPHANS),
        "exclusive": Tags(EXCLUSIVE_TAGS),
    }
)


def read_metabolism(node: yaml.Node) -> Mapping[str, Any]:
    """What the section sets, by key."""
    found = read_entries(node, of="metabolism", allowed=tuple(KINDS))
    values = {key: KINDS[key].read(value, of=f"metabolism.{key}") for key, (_, value) in found.items()}
    return MappingProxyType(values)


def _tag(node: yaml.Node, *, of: str) -> str:
    text = read_text(node, of=f"a tag in {of}", characters=TAG_CHARACTERS)
    tag = normal_tag(text)
    # As tags are where relations are saved: letters, numbers and the marks that belong to letters, of any script.
    plain = all(c in _JOINTS or unicodedata.category(c)[0] in "LNM" for c in tag)
    if not tag or not plain or tag != tag.strip(_JOINTS):
        raise fault(node, f"{shown(text)} in {of} is not a tag", hint="words joined by '_', for example works_at")
    if tag in EVIDENCE_TAGS:
        raise fault(
            node,
            f"{shown(text)} in {of} is evidence, and a statement may have any number of it",
            hint=f"leave out {', '.join(EVIDENCE_TAGS)}",
        )
    return tag
