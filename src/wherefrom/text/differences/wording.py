"""Says in a few words what tells two nearly equal texts apart: the number differs: 30 / 45."""

from __future__ import annotations

import re
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.added_content import changed
from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.fact_words import Difference

# A reason shows at most three words of each text, and at most 24 characters.
_MAX_WORDS: Final = 3
_MAX_CHARACTERS: Final = 24
_NOTHING: Final = "–"


def told_apart(one: str, other: str) -> str | None:
    """Return in what two texts differ, with the words of both in their order, if it is a number, a date, a negation or
    a name; None if they differ in none of these, as far as can be seen.
    """
    mine, theirs = facts_of(one), facts_of(other)
    kind = difference(mine, theirs)
    if kind is None or kind == "content":
        return None
    words = changed(mine.of_kind(kind), theirs.of_kind(kind))
    if words == ((), ()) and kind != "negation":
        words = _unspaced(mine, theirs, kind)
    shown = [_shown(some, text) for some, text in zip(words, (one, other), strict=True)]
    what = f"the {kind} differs"
    return what if shown == [_NOTHING, _NOTHING] else f"{what}: {shown[0]} / {shown[1]}"


def _unspaced(mine: Facts, theirs: Facts, kind: Difference) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The dates in a text without spaces that the other has not, if these differ; else the part that the other has not.
    A nought stands there for a number.
    """
    if kind == "date":
        return changed(*(tuple(known.HAN_DATES.findall(some.unspaced)) for some in (mine, theirs)))
    first, second = (part.replace("0", "…") for part in changed(mine.unspaced, theirs.unspaced))
    return (first,) if first else (), (second,) if second else ()


def _shown(words: tuple[str, ...], text: str) -> str:
    """A few words as the text writes them."""
    line = " ".join(_as_written(word, text) for word in words[:_MAX_WORDS])
    if len(words) > _MAX_WORDS or len(line) > _MAX_CHARACTERS:
        line = f"{line[: _MAX_CHARACTERS - 1]}…"
    return line or _NOTHING


def _as_written(word: str, text: str) -> str:
    found = re.search(re.escape(word), text, re.IGNORECASE)
    return word if found is None else found.group()
