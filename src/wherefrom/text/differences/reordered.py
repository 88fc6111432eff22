"""Tells whether two texts say the same in another order: every phrase stays whole and keeps its marker.

"On Monday we meet at six", "We meet at six on Monday"; "milk and eggs", "eggs and milk"; "Fuse 4 is the oven, fuse 5
the cellar", "Fuse 5 is the cellar, fuse 4 the oven". What must not differ: who does what to whom, what belongs to one
clause, and in which order steps and events come. So a noun never moves by itself, "Ann pays Ben" is not "Ben pays Ann".
Several parts may have moved, one within another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences import order_words as order
from wherefrom.text.differences.order_words import AND, PREPOSITIONS
from wherefrom.text.differences.sentences import (
    are_sentences_moved,
    is_inverted,
    with_block_moved,
)
from wherefrom.text.differences.told_words import COLON, COMMA, STOP, is_word, numbers, told
from wherefrom.text.differences.unspaced_order import is_unspaced_reordered
from wherefrom.text.tokens import is_unspaced

# What stands in brackets belongs to what stands before them.
_BRACKET: Final = re.compile(r"[(\[{]")
_YEAR: Final = re.compile("(?:19|20)\\d\\d|\\d{1,2}:\\d\\d")
_MIN_CLAUSE, _MAX_VERB, _MAX_ITEM = 2, 5, 8
_MAX_OPEN_PHRASE, _MAX_CLOSED_PHRASE = 3, 12
_MAX_CHARACTERS: Final = 1_500
# In a clause whose verb is left out.
_MAX_GAPPED: Final = 60
# Parts that move one after another; of phrases that pass more than other phrases one does, as two may change places.
_MAX_MOVES: Final = 4

Words = tuple[str, ...]


def is_restated(one: str, other: str) -> bool:
    """True if two texts, evened out, say the same in the same or another order. Their numbers are the same, whatever
    else is moved; long texts are not looked at.
    """
    if max(len(one), len(other)) > _MAX_CHARACTERS:
        return False
    if is_unspaced(one) or is_unspaced(other):
        return is_unspaced_reordered(one, other)
    mine, theirs = told(one, other)
    words, others = [*filter(is_word, mine)], [*filter(is_word, theirs)]
    if words != others and Counter(words) - _ANDS != Counter(others) - _ANDS:
        return False
    if numbers(one) != numbers(other):
        return False
    return words == others or (not _BRACKET.search(one + other) and _is_reordered(mine, theirs, _MAX_MOVES, 1))


def _is_reordered(mine: Sequence[str], theirs: Sequence[str], moves: int, far_moves: int) -> bool:
    """True if two texts of the same words have them in an order that says the same."""
    words, others = [*filter(is_word, mine)], [*filter(is_word, theirs)]
    if words == others:
        return True
    if Counter(words) - _ANDS != Counter(others) - _ANDS:
        return False
    if order.SAYING & {*words} and order.SUBORDINATORS & {*words}:
        return False  # a condition may belong to what is said, or to the saying
    if _are_clauses_moved(mine, theirs, moves) or _are_items_moved(mine, theirs):
        return True
    if is_inverted(mine, theirs) or are_sentences_moved(mine, theirs, lambda one, two: _is_reordered(one, two, 2, 1)):
        return True
    if Counter(words) != Counter(others):
        return False
    return _is_gapped(mine, theirs) or (
        moves > 0
        and any(
            _is_reordered(moved, beside, moves - 1, far_moves - is_far)
            for first, second in ((mine, theirs), (theirs, mine))
            for moved, beside, is_far in (*_with_phrase_moved(first, second), *with_block_moved(first, second))
            if far_moves >= is_far
        )
    )


_ANDS: Final = Counter(dict.fromkeys(AND, 1_000))


def _units(tokens: Sequence[str]) -> list[tuple[Words, str]]:
    """The clauses of a text, by marks and "and", each with what stands before it."""
    found: list[tuple[Words, str]] = []
    words: list[str] = []
    before = ""
    for token in (*tokens, STOP):
        if is_word(token) and token not in AND:
            words.append(token)
            continue
        if words:
            found.append((tuple(words), before))
            words = []
            before = token
        elif token in AND:
            before = token
    return found


def _are_clauses_moved(mine: Sequence[str], theirs: Sequence[str], moves: int) -> bool:
    """True if the clauses of two texts are the same, also if something moved within one, and those that moved can stand
    anywhere. What both begin with may belong to each clause: "Our suppliers are Veldkamp for paper, Ostrow for ink".
    """
    starts = [0]
    for at, (one, other) in enumerate(zip(mine, theirs, strict=False)):
        if one != other:
            # What both begin with is what something is said of, in several clauses.
            starts += [at] if {one, other} <= order.VERBS else []
            break
        if _opens_list(mine[: at + 1]):
            starts.append(at + 1)
    return any(_are_units_moved(_units(mine[at:]), _units(theirs[at:]), moves) for at in starts[-2:] + starts[:1])


def _are_units_moved(mine: list[tuple[Words, str]], theirs: list[tuple[Words, str]], moves: int) -> bool:
    if len(mine) != len(theirs) or len(mine) < 2 or not _has_same_choice(mine, theirs):
        return False
    if any((COLON in (one[1], two[1])) and one[1] != two[1] for one, two in zip(mine, theirs, strict=True)):
        return False
    places: list[int] = []
    for unit, _ in mine:
        same = (
            at
            for at, (other, _) in enumerate(theirs)
            if at not in places
            and (unit == other or (moves and Counter(unit) == Counter(other) and _is_reordered(unit, other, 1, 1)))
        )
        if (place := next(same, None)) is None:
            return False
        places.append(place)
    return all(
        place == at or _stands_alone(unit, is_behind_same=at > 0 and place > 0 and places[at - 1] == place - 1)
        for at, ((unit, _), place) in enumerate(zip(mine, places, strict=True))
    )


def _has_same_choice(mine: list[tuple[Words, str]], theirs: list[tuple[Words, str]]) -> bool:
    return [before for _, before in mine if before in ("or", "oder")] == [
        before for _, before in theirs if before in ("or", "oder")
    ]


def _stands_alone(unit: Words, *, is_behind_same: bool) -> bool:
    """True if a clause neither goes on from another nor is a step or an event without a date of its own. What refers to
    the clause before may stand elsewhere together with it.
    """
    if len(unit) < _MIN_CLAUSE or unit[0] in order.CONNECTORS or (order.REFERENCES & {*unit} and not is_behind_same):
        return False
    if bool(order.OWN_DATES & {*unit}) or any(map(_YEAR.fullmatch, unit)):
        return True
    is_event = bool(order.EVENTS & {*unit}) or any(word.endswith("ed") for word in unit[1:])
    return bool(order.STATES & {*unit[1:]}) or not (unit[0] in order.STEPS or is_event)


def _are_items_moved(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """True if two texts differ in the order of the items of one list, which is the only one and no ranking."""
    if order.RANKS & {*mine} or sum(token in AND for token in mine) > 1:
        return False
    start = 0
    least = min(len(mine), len(theirs))
    while start < least and mine[start] == theirs[start]:
        start += 1
    end = 0
    while end < least - start and mine[-1 - end] == theirs[-1 - end]:
        end += 1
    # Items begin behind the same word and end before the same one, which may be a part of them.
    for first in range(start, max(start - _MAX_ITEM, -1), -1):
        if first and not (_opens_list(mine[:first]) or _are_phrases(mine[first:], theirs[first:])):
            continue
        for last in range(min(end, _MAX_ITEM) + 1):
            stop = end - last
            if not _closes_list(mine[len(mine) - stop :], is_subject=not first):
                continue
            items, others = (_items(tokens[first : len(tokens) - stop]) for tokens in (mine, theirs))
            if items is None or others is None:
                continue
            if len(items) > 1 and Counter(items) == Counter(others) and _is_free(mine, theirs, items):
                return True
    return False


def _are_phrases(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """True if items are phrases that say by their prepositions what part they play: "at the door and in the shop"."""
    if not mine or not theirs:
        return False
    begins = {tokens[at + 1] for tokens in (mine, theirs) for at, token in enumerate(tokens[:-1]) if token in AND}
    return {mine[0], theirs[0], *begins} <= PREPOSITIONS


def _opens_list(before: Sequence[str]) -> bool:
    if not before or before[-1] in known.NUMBERS:
        return False
    last = before[-1]
    if last in order.STEPS and (len(before) == 1 or not is_word(before[-2])):
        return True
    if last == "to":
        return not order.MOTION & {*before}
    return last in order.BEFORE_ITEMS or (len(last) > 4 and last[-1] == "s" and last.isalpha() and len(before) > 1)


def _closes_list(after: Sequence[str], *, is_subject: bool) -> bool:
    """True if a list ends before these tokens. is_subject: something is said of it, as it begins the text."""
    if is_subject:
        states = order.VERBS | {"go", "come", "were", "was", "for", "every", "both", "all"}
        return bool(after) and after[0] in states
    return not after or not is_word(after[0]) or after[0] in order.AFTER_ITEMS


def _items(tokens: Sequence[str]) -> list[Words] | None:
    """The items of a list, parted by commas and a last "and"; None if it has other marks, or only one comma."""
    parted = [token for token in tokens if token in AND or not is_word(token)]
    # A comma before "and" says nothing.
    if parted[-2:-1] == [COMMA] and parted[-1] in AND and _is_beside(tokens):
        parted.pop(-2)
    if not parted or parted == [COMMA] or any(token != COMMA for token in parted[:-1]):
        return None
    if {STOP, COLON} & {*parted}:
        return None
    found: list[list[str]] = [[]]
    for token in tokens:
        if token == COMMA or token in AND:
            found.append([])
        else:
            found[-1].append(token)
    items = [tuple(item) for item in found if item]
    is_mixed = any(len(item) > 1 and item[0].endswith("ing") for item in items[1:-1])
    return None if is_mixed or any(len(item) > _MAX_ITEM for item in items) else items


def _is_beside(tokens: Sequence[str]) -> bool:
    """True if a comma stands right before the last "and"."""
    return any(first == COMMA and second in AND for first, second in pairwise(tokens))


def _is_free(mine: Sequence[str], theirs: Sequence[str], items: Sequence[Words]) -> bool:
    joined = [[token for token in tokens if token in AND] for tokens in (mine, theirs)]
    # What somebody has may be of "his".
    references = order.REFERENCES - order.POSSESSIVES if {"has", "have"} & {*mine} else order.REFERENCES
    return joined[0] == joined[1] and not any(
        item[0] in order.CONNECTORS or item[0] in PREPOSITIONS & {"to", "from", "via"} or references & {*item}
        for item in items
    )


def _is_gapped(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """True if clauses changed places of which all but the first have words of it only in thought: "Fuse 4 is the oven,
    fuse 5 the cellar", "letters for ten years and invoices for seven".
    """
    start = next((at for at, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two), 0)
    for cut in {0, start if start and _opens_list(mine[:start]) else 0}:
        units, others = ([unit for unit, _ in _units(tokens[cut:])] for tokens in (mine, theirs))
        if len(units) < 2 or len(units) != len(others) or order.REFERENCES & {*mine}:
            continue
        if any(unit[0] in order.CONNECTORS for unit in units[1:]) or max(len(units[0]), len(others[0])) > _MAX_GAPPED:
            continue
        rest, other_rest = (Counter(map(_without_pronoun, some[1:])) for some in (units, others))
        by_verb = dict(_without_verb(units[0]))
        for verb, left in _without_verb(others[0]):
            if verb in by_verb and Counter([by_verb[verb]]) + rest == Counter([left]) + other_rest:
                return True
    return False


def _without_pronoun(unit: Words) -> Words:
    """A clause without the word that stands for a noun of another one: "the red one"."""
    return tuple(word for at, word in enumerate(unit) if at == 0 or word not in ("1", "ones"))


def _without_verb(unit: Words) -> Iterator[tuple[Words, Words]]:
    """Each run of words within a clause, or at its end, that may be understood in others, and the clause without it."""
    for at in range(1, len(unit)):
        for stop in range(at + 1, min(at + _MAX_VERB, len(unit)) + 1):
            yield unit[at:stop], unit[:at] + unit[stop:]


def _with_phrase_moved(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[list[str], list[str], bool]]:
    """The first text with a phrase where the second has it, for each phrase that is free to stand there, the second
    text, and whether the phrase passed more than other phrases.
    """
    words, marks = _marked(mine)
    others, other_marks = _marked(theirs)
    start = next(at for at, pair in enumerate(zip(words, others, strict=True)) if pair[0] != pair[1])
    first = others[start]
    if not (first in PREPOSITIONS or first in order.SUBORDINATORS or first in order.TIMES | order.NEXT | order.ADVERBS):
        return
    for at in range(start + 1, len(words)):
        if words[at] != first:
            continue
        if {STOP, COLON} & {marks.get(place, "") for place in range(start + 1, at + 1)}:
            return
        length = 1
        while (
            start + length < len(others) and at + length < len(words) and words[at + length] == others[start + length]
        ):
            if at + length in marks or start + length in other_marks:
                break
            length += 1
        for stop in range(at + length, at, -1):
            phrase, passed = words[at:stop], words[start:at]
            end = start + stop - at
            ends = stop == len(words) or stop in marks, end == len(others) or end in other_marks
            is_whole = start in {0, *marks} and ends[0]
            if not _is_phrase(phrase, is_closed=any(ends), is_whole=is_whole):
                continue
            before = {words[start - 1] if start and start not in marks else "", "" if at in marks else passed[-1]}
            if order.FOCUS & before or {"but", "aber"} & {*passed} or (AND & {*passed} and not is_whole):
                continue
            if order.SAYING & {*passed}:
                continue  # a time may be that of what is said, or of the saying
            if any(words[place] in AND and (place in marks or words[place + 1] == first) for place in range(start, at)):
                continue  # what is said behind "and" is said by itself
            is_far = len(phrase) > 1 and not (passed[0] in PREPOSITIONS and not order.STATES & {*passed})
            moved = _joined([*words[:start], *phrase, *passed, *words[stop:]], marks, (start, at, stop))
            yield moved, [*theirs], is_far


def _joined(words: Sequence[str], marks: dict[int, str], moved: tuple[int, int, int]) -> list[str]:
    """Words with their marks, after the words from the second place to the third moved to the first."""
    start, at, stop = moved
    tokens: list[str] = []
    for place, word in enumerate(words):
        if place <= start or place >= stop:
            old = place
        elif place < start + stop - at:
            old = -1
        else:
            old = place - (stop - at)
        # A comma before what moved, or behind it, went with it.
        if old in marks and not (old == start and place != start):
            tokens.append(marks[old])
        tokens.append(word)
    return tokens


def _is_phrase(words: Sequence[str], *, is_closed: bool, is_whole: bool) -> bool:
    """True if some words are one phrase. is_closed: a mark or the end of the text follows in one of both texts.
    is_whole: it goes from one end of its sentence to the other.
    """
    first = words[0]
    if len(words) == 1:
        return first in order.ADVERBS or first in order.TIMES
    opens = [at for at, word in enumerate(words) if word in PREPOSITIONS]
    if first in order.SUBORDINATORS and is_closed and (is_whole or first not in PREPOSITIONS):
        return True
    if first in order.NEXT:
        return words[1] in known.AFTER_LAST and (len(words) == 2 or (is_closed and 2 in opens))
    if not is_closed and len(words) > _MAX_OPEN_PHRASE:
        return False
    is_one = (first in PREPOSITIONS and (is_closed or opens == [0])) or (first in order.TIMES and not opens)
    bound = AND | (order.STATES - {"may"}) | (frozenset() if is_whole else order.REFERENCES)
    return is_one and len(words) <= _MAX_CLOSED_PHRASE and not bound & {*words}


def _marked(tokens: Sequence[str]) -> tuple[list[str], dict[int, str]]:
    """The words of a text, and the marks before their places."""
    words: list[str] = []
    marks: dict[int, str] = {}
    for token in tokens:
        if is_word(token):
            words.append(token)
        else:
            marks[len(words)] = token
    return words, marks
