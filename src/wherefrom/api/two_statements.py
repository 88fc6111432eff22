"""Tells whether two texts that look like a contradiction are perhaps about two things, and both hold."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from wherefrom.model.review import PairKind
from wherefrom.text.differences import Facts, facts_of
from wherefrom.text.differences.comparison import all_differences

# Of a longer text the beginning is compared.
_CHARACTERS: Final = 2_000
# What names something in a text without spaces: Han and katakana, without what counts or dates.
_NAMING: Final = re.compile(
    "(?![〇一二三四五六七八九十百千万億年月火水木金土日曜週周時分秒午前後朝昼夕夜晩星期点])[\u30a1-\u30fa\u3400-\u9fff]"
)


def may_both_hold(kind: PairKind, one: str, other: str) -> bool:
    """True of two texts that are nearly the same if a name differs, or facts of more than one kind: "Lisbon has 5",
    "Porto has 7". What has the same title is about one thing, unless a name and another fact differ.
    """
    if kind not in ("title", "near"):
        return False
    mine, theirs = facts_of(one[:_CHARACTERS]), facts_of(other[:_CHARACTERS])
    kinds = {*all_differences(mine, theirs)} - {"content"}
    if kinds and _exchanges_names(mine, theirs):
        kinds.add("name")
    are_several, is_named = len(kinds) > 1, "name" in kinds
    return (are_several or is_named) if kind == "near" else (are_several and is_named)


def _exchanges_names(one: Facts, other: Facts) -> bool:
    """True if a part of a text without spaces stands in place of another, and both name something."""
    first, second = one.unspaced, other.unspaced
    return any(
        operation == "replace" and _NAMING.search(first[start:end]) and _NAMING.search(second[begin:stop])
        for operation, start, end, begin, stop in SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    )
