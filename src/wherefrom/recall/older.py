"""Which of the recalled statements surely exchanges a value of another one, where nobody said which of the two holds:
the later goes first, and the earlier is marked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from wherefrom.storage.candidates import ShortStatement
from wherefrom.text.differences.exchanged import is_update, statement_of

# An exchange of at most three words on each side, with function words that come or go; of scripts without spaces the
# characters are counted.
_MAX_WORDS_APART: Final = 6
_MAX_CHARACTERS_APART: Final = 12

_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def older_ones(statements: Sequence[ShortStatement]) -> dict[str, str]:
    """Return the statements that are older than another: for each the id of the latest that exchanges its value."""
    words = [_words(statement.text) for statement in statements]
    older: dict[str, ShortStatement] = {}
    for first, second in combinations(range(len(statements)), 2):
        if not _may_be_exchanged(words[first], words[second]):
            continue
        earlier, later = sorted((statements[first], statements[second]), key=lambda one: (one.since, one.created_at))
        known = older.get(earlier.id)
        if earlier.since == later.since or (known is not None and known.since >= later.since):
            continue
        mine, theirs = (statement_of(one.text, one.title) for one in (earlier, later))
        if mine is not None and theirs is not None and is_update(mine, theirs):
            older[earlier.id] = later
    return {node_id: later.id for node_id, later in older.items()}


def later_first(ids: Sequence[str], older: Mapping[str, str]) -> list[str]:
    """Return ids in an order in which no marked statement stands above the one that exchanges its value; the others
    keep their order.
    """
    placed: dict[str, None] = {}
    for node_id in ids:
        chain = [node_id]
        while (following := older.get(chain[-1])) is not None and following not in placed and following not in chain:
            chain.append(following)
        placed.update(dict.fromkeys(reversed(chain)))
    return list(placed)


def _words(text: str) -> tuple[set[str], bool]:
    """Return the words of a text, or its characters if its script has no spaces; and True if they are words."""
    is_spaced = _UNSPACED.search(text) is None
    return set(text.casefold().split() if is_spaced else text), is_spaced


def _may_be_exchanged(first: tuple[set[str], bool], second: tuple[set[str], bool]) -> bool:
    """Return True if two texts differ in so few words that one may exchange a value of the other."""
    (mine, is_spaced), (theirs, is_theirs_spaced) = first, second
    most = _MAX_WORDS_APART if is_spaced else _MAX_CHARACTERS_APART
    if is_spaced != is_theirs_spaced or not -most <= len(mine) - len(theirs) <= most:
        return False
    shared = len(mine & theirs)
    return shared > 0 and len(mine) - shared <= most and len(theirs) - shared <= most
