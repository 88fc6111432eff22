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
    older: dict[str, ShortStatement] = {}
    for pair in _nearly_alike(statements):
        earlier, later = sorted(pair, key=lambda one: (one.since, one.created_at))
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


def _nearly_alike(statements: Sequence[ShortStatement]) -> list[tuple[ShortStatement, ShortStatement]]:
    """Return the pairs of statements that differ in so few words that one may exchange a value of the other; of scripts
    without spaces, in so few characters.
    """
    spaced, unspaced = [], []
    for one in statements:
        if _UNSPACED.search(one.text) is None:
            spaced.append((one, set(one.text.casefold().split())))
        else:
            unspaced.append((one, set(one.text)))
    return [*_alike(spaced, _MAX_WORDS_APART), *_alike(unspaced, _MAX_CHARACTERS_APART)]


def _alike(texts: Sequence[tuple[ShortStatement, set[str]]], most: int) -> list[tuple[ShortStatement, ShortStatement]]:
    """Return the pairs that have a word in common, and each at most `most` words that the other does not have."""
    # A bit for each word: the common words of all pairs of 20 texts are counted in a third of the time of sets.
    bits = {word: 1 << at for at, word in enumerate(set().union(*(words for _, words in texts)))}
    counted = [(one, sum(bits[word] for word in words), len(words) - most) for one, words in texts]
    return [
        (first, second)
        for (first, mine, least), (second, theirs, their_least) in combinations(counted, 2)
        if (shared := (mine & theirs).bit_count()) >= least and shared >= their_least and shared
    ]
