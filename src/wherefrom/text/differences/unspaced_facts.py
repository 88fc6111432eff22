"""Compares what two nearly equal texts state in Chinese and Japanese, where neither capitals nor spaces show a name."""

from __future__ import annotations

import re
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.added_content import changed
from wherefrom.text.differences.fact_words import Difference

# A name in kana with its particle; what is shorter is a particle or an ending.
_MIN_KANA_NAME: Final = 4


def unspaced_difference(mine: str, theirs: str) -> Difference | None:
    """The kind of fact in which runs of Chinese or Japanese differ: in anything but kana, or in words of kana."""
    if mine == theirs:
        return None
    if known.HAN_DATES.findall(mine) != known.HAN_DATES.findall(theirs):
        return "date"
    if len(known.HAN_NEGATION.findall(mine)) != len(known.HAN_NEGATION.findall(theirs)):
        return "negation"
    filling = known.KANA if re.search(f"[{known.KANA}]", mine + theirs) else known.FUNCTION
    if re.sub(f"[{filling}]", "", mine) != re.sub(f"[{filling}]", "", theirs):
        return "name"
    gaps = zip(re.split(f"[^{filling}]", mine), re.split(f"[^{filling}]", theirs), strict=True)
    for my_gap, their_gap in gaps:
        if len(known.HAN_NEGATION.findall(my_gap)) != len(known.HAN_NEGATION.findall(their_gap)):
            return "negation"
        if (kind := _kana_kind(*changed(my_gap, their_gap))) is not None:
            return kind
    return None


def _kana_kind(mine: str, theirs: str) -> Difference | None:
    if sorted(mine) == sorted(theirs):
        return None
    if (kind := known.KANA_SIDES.get(frozenset((mine, theirs)))) is not None:
        return kind
    for one, other in ((mine, theirs), (theirs, mine)):
        if known.KANA_PAST.fullmatch(one) and known.KANA_PRESENT.fullmatch(other):
            return "date"
    if known.TELLING_KANA.search(mine) or known.TELLING_KANA.search(theirs):
        return "name"
    renamed = min(len(mine), len(theirs)) > 1 if mine and theirs else len(mine + theirs) >= _MIN_KANA_NAME
    return "name" if renamed else None
