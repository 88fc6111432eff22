"""Whether whole sentences, or what opens one, changed places; and "X is Y" for "Y is X"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from wherefrom.text.differences import order_words as order
from wherefrom.text.differences.fact_words import NEGATIONS, TITLES
from wherefrom.text.differences.order_words import AND, PREPOSITIONS
from wherefrom.text.differences.told_words import COLON, COMMA, STOP, is_word

_MAX_SENTENCES, _MAX_BLOCKS, _MAX_SIDE = 8, 2, 8
# A reference to what is said in another sentence stands so early; later ones may mean what stands before in the same.
_EARLY: Final = 3
_PERSONS: Final = frozenset(
    [
        "he",
        "she",
        "they",
        "him",
        "her",
        "them",
        "his",
        "hers",
        "their",
        "theirs",
        "er",
        "ihn",
        "ihm",
        "ihr",
        "ihre",
        "sein",
        "seine",
    ]
)
_YEAR: Final = re.compile("(?:19|20)\\d\\d|\\d{1,2}:\\d\\d")
_OPENERS: Final = PREPOSITIONS | order.SUBORDINATORS | order.TIMES | order.NEXT | {"as", "to"}
_COPULAS: Final = frozenset(["is", "are", "was", "were", "ist", "sind"])
Tokens = Sequence[str]


def are_sentences_moved(mine: Tokens, theirs: Tokens, is_same: Callable[[Tokens, Tokens], bool]) -> bool:
    """True if two texts have the same sentences, each also in an order of its own, and those that moved stand alone."""
    sentences, others = _sentences(mine), _sentences(theirs)
    if not 1 < len(sentences) == len(others) <= _MAX_SENTENCES or {COLON} & {*mine, *theirs}:
        return False
    places: list[int] = []
    for sentence in sentences:
        words = sorted(filter(is_word, sentence))
        same = (
            at
            for at, other in enumerate(others)
            if at not in places
            and (sentence == other or (words == sorted(filter(is_word, other)) and is_same(sentence, other)))
        )
        if (place := next(same, None)) is None:
            return False
        places.append(place)
    if places == [*range(len(places))]:
        return True
    behind_same = [at > 0 and place > 0 and places[at - 1] == place - 1 for at, place in enumerate(places)]
    return all(
        place == at or _stands_alone(sentence, is_behind_same=is_behind)
        for at, (sentence, place, is_behind) in enumerate(zip(sentences, places, behind_same, strict=True))
    )


def _sentences(tokens: Tokens) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for token in tokens:
        if token == STOP:
            found.append([])
        else:
            found[-1].append(token)
    return [sentence for sentence in found if any(map(is_word, sentence))]


def _stands_alone(sentence: Tokens, *, is_behind_same: bool) -> bool:
    """True if a sentence refers to no other one, unless both moved, and is neither a step nor an event."""
    words = [*filter(is_word, sentence)]
    if words[0] in order.CONNECTORS - {
        "next",
        "no",
        "not",
        "if",
        "when",
        "once",
        "until",
        "unless",
        "although",
        "while",
        "since",
        "as",
    }:
        return False
    if not is_behind_same and (order.REFERENCES & {*words[:_EARLY]} or _PERSONS & {*words}):
        return False
    if order.OWN_DATES & {*words} or any(map(_YEAR.fullmatch, words)):
        return True
    is_event = bool(order.EVENTS & {*words}) or any(word.endswith("ed") for word in words[1:])
    return bool(order.STATES & {*words[1:]}) or not (words[0] in order.STEPS or is_event)


def with_block_moved(mine: Tokens, theirs: Tokens) -> Iterator[tuple[list[str], list[str], bool]]:
    """The first text, one sentence, with what opens it up to a comma at its end, the second one, and whether the block
    passed more than phrases, which never matters for a whole one.
    """
    if STOP in mine or COLON in mine or not mine or mine[0] not in _OPENERS:
        return
    commas = [at for at, token in enumerate(mine) if token == COMMA][:_MAX_BLOCKS]
    for at in commas:
        block, rest = [*mine[:at]], [*mine[at + 1 :]]
        if not rest or rest[0] in order.CONNECTORS | AND | {"but"} or {"but", "then"} & {*rest}:
            continue
        if rest[-1] in order.FOCUS or any(first == COMMA and second in AND for first, second in pairwise(rest)):
            continue
        words = [*filter(is_word, theirs)]
        if words[-1] == block[-1] and words[0] != mine[0]:
            yield [*rest, COMMA, *block], [*theirs], False


def is_inverted(mine: Tokens, theirs: Tokens) -> bool:
    """True if one clause says "X is Y" and the other "Y is X", where one of both is somebody's, or has a title."""
    if len(mine) != len(theirs) or not all(map(is_word, (*mine, *theirs))):
        return False
    found = [at for at, word in enumerate(mine) if word in _COPULAS]
    if len(found) != 1 or len(mine) > 2 * _MAX_SIDE or ({*mine} & (AND | NEGATIONS | order.FOCUS | {"or", "but"})):
        return False
    first, last = tuple(mine[: found[0]]), tuple(mine[found[0] + 1 :])
    if not first or not last or tuple(theirs) != (*last, mine[found[0]], *first):
        return False
    return any(side[0] in order.POSSESSIVES or side[0] in TITLES for side in (first, last))
