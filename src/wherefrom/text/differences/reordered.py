"""Tells whether two texts say the same in another order: every phrase stays whole and keeps its marker.

"On Monday we meet at six", "We meet at six on Monday"; "milk and eggs", "eggs and milk"; "Fuse 4 is the oven, fuse 5
the cellar", "Fuse 5 is the cellar, fuse 4 the oven". Steps, events and what refers to what went before keep their
order, and so does everything of which it is not seen that order says nothing: "Ann pays Ben", "Ben pays Ann".
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.differences.unspaced_order import is_unspaced_reordered
from wherefrom.text.tokens import is_unspaced

# A word or number, a sign that says something, or a mark between parts.
_TOKEN: Final = re.compile(
    r"[^\W_]+(?:['’_.,:/@–-][^\W_]+)*|[%‰€$£¥₩+<>≤≥=#@°~×?/\\^|]|(?<!\w)[-−](?=\d)|[&]|[.,;:!…()\[\]{}\n]|(?<=\s)[–—-]+(?=\s)"
)
_COMMA, _STOP, _COLON = ",", ".", ":"
_MARKS: Final = {**dict.fromkeys(",()[]{}–—-", _COMMA), **dict.fromkeys(".;!…\n", _STOP), ":": _COLON}
# What stands in brackets belongs to what stands before them.
_BRACKET: Final = re.compile(r"[(\[{]")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")

_FILLERS: Final = frozenset(
    "the a an also actually really basically simply please kindly indeed anyway obviously übrigens eigentlich bitte"
    " nämlich".split()
)
# "a few" is not "few".
_AFTER_ARTICLE: Final = frozenset("few little bit lot couple".split())
_ALSO_AND: Final = "&"
_AND: Final = frozenset("and und or oder".split())
# What begins with one of these goes on from what went before; with one of the second list it names it.
_CONNECTORS: Final = frozenset(
    """
    then next first second third finally lastly after afterwards afterward later before so therefore thus hence because
    but however instead otherwise else yet still too since when once until if unless although while as than not no only
    except dann danach zuerst erst zuletzt schließlich aber sonst deshalb daher denn weil also nur nicht step
    """.split()
)
_REFERENCES: Final = frozenset(
    """
    it he she they him her them its his their theirs hers this that these those such same other others another former
    latter both which who whom whose there respectively er es ihn ihm ihr ihre sein seine dies diese dieser dieses
    jeweils turn order twice
    """.split()
)
# A clause with one of these says how something is, not what happened next.
_STATES: Final = frozenset(
    """
    is are has have needs need costs cost belongs belong opens closes starts ends begins lasts holds may must can
    should will owns means weighs measures lives works goes comes runs stays hangs stands lies sits keeps uses
    takes gets leaves meets pays wants likes speaks plays eats drinks handles covers includes contains ist sind
    hat haben braucht brauchen kostet kosten gehört darf muss kann
    """.split()
)
_OWN_DATES: Final = known.DATES | frozenset("every each daily weekly monthly yearly annually may march".split())
_MIN_CLAUSE, _MAX_VERB = 2, 5
_YEAR: Final = re.compile("(?:19|20)\\d\\d|\\d{1,2}:\\d\\d")
# Items of one list stand behind one of these, or behind a verb in -s; not behind what would bind the first alone.
_BEFORE_ITEMS: Final = frozenset(
    """
    is are has have need needs want wants use take takes with without for on in at by include contain like buy bring get
    sell eat drink grow keep play speak speaks offer ist sind hat haben braucht brauchen mit ohne für auf bei
    """.split()
)
_MAX_ITEM: Final = 8
# Places on a way have an order.
_MOTION: Final = frozenset(
    "from go goes going went fly flies drive drives walk walks travel travels run runs train bus ferry route via"
    " through moved moves move".split()
)
# A phrase begins with one of these.
_PREPOSITIONS: Final = frozenset(
    """
    in on at by for with without from to until since during before after behind beside near above below under over
    through via between within around about against into towards along opposite per im am um bei mit ohne für von nach
    vor seit bis während hinter neben über unter durch zwischen gegen beim zum zur vom ins
    """.split()
)
_SUBORDINATORS: Final = frozenset(
    "if when because although unless while whenever wenn weil falls obwohl sobald".split()
)
_TIMES: Final = frozenset(
    """
    every each today tomorrow tonight yesterday daily weekly monthly yearly annually heute morgen täglich wöchentlich
    monatlich jährlich jeden
    """.split()
)
_ADVERBS: Final = frozenset(
    "always usually normally generally often sometimes already currently now again automatically immer oft".split()
)
_AFTER_ITEMS: Final = (
    _PREPOSITIONS
    | _SUBORDINATORS
    | _TIMES
    | _ADVERBS
    | frozenset("is are has have may must can should will as but too ist sind hat haben".split())
)
# What stands right before a phrase and says that it is this one.
_FOCUS: Final = frozenset(
    """
    only not even just except nur nicht auch sogar more less earlier later than no never nearly almost about of
    """.split()
)
_MAX_PHRASE, _MAX_OPEN_PHRASE = 6, 3
# A number as it is written, with its sign; marks within it are a part of it.
_NUMBER: Final = re.compile(r"[-−–‐+*/×]?\s?\d+(?:\s?[.,:;*/×–-]\s?\d+)*")
# Words that say that the order of a list matters.
_RANKS: Final = frozenset(
    """
    ranking ranked ranks rank order orders ordered route routes priority priorities podium sequence queue itinerary
    turns rotation respectively places place placed top stops winners reihenfolge rang rangliste
    """.split()
)
_MAX_CHARACTERS: Final = 1_500
# In a clause whose verb is left out.
_MAX_GAPPED: Final = 60

Words = tuple[str, ...]


def is_restated(one: str, other: str) -> bool:
    """True if two texts, evened out, say the same in the same or another order. Their numbers are the same, whatever
    else is moved; long texts are not looked at.
    """
    if max(len(one), len(other)) > _MAX_CHARACTERS or _numbers(one) != _numbers(other):
        return False
    if is_unspaced(one) or is_unspaced(other):
        return is_unspaced_reordered(one, other)
    return is_reordered(one, other)


def is_reordered(one: str, other: str) -> bool:
    """True if two texts are the same words, but for words that say nothing, in an order that says the same."""
    mine, theirs = _tokens(one), _tokens(other)
    words, others = [*filter(_is_word, mine)], [*filter(_is_word, theirs)]
    if words == others:
        return True
    if _BRACKET.search(one + other) or (Counter(words) != Counter(others) and not _AND & {*words, *others}):
        return False
    return (
        _are_clauses_moved(_units(mine), _units(theirs))
        or _are_items_moved(mine, theirs)
        or (Counter(words) == Counter(others) and (_is_gapped(mine, theirs) or _is_phrase_moved(mine, theirs)))
    )


def _numbers(text: str) -> Counter[str]:
    """The numbers of a text as they are written, without spaces."""
    return Counter("".join(number.split()) for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)))


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0] in _MARKS and not token[-1].isdigit():
            found.append(_MARKS[token[0]])
        elif token in _ALSO_AND:
            found.append("and")
        elif token[0].isalnum():
            found += spelled(_HYPHEN.sub("", token.casefold())).replace("'", "").split()
        else:
            found.append(token)
    kept = [
        word
        for word, following in pairwise((*found, ""))
        if word not in _FILLERS or (word == "a" and following in _AFTER_ARTICLE)
    ]
    # A mark before another, at the beginning and at the end says nothing.
    return [word for word, following in pairwise((*kept, _STOP)) if _is_word(word) or _is_word(following)]


def _is_word(token: str) -> bool:
    return token not in (_COMMA, _STOP, _COLON)


def _units(tokens: Sequence[str]) -> list[tuple[Words, str]]:
    """The clauses of a text, by marks and "and", each with what stands before it."""
    found: list[tuple[Words, str]] = []
    words: list[str] = []
    before = ""
    for token in (*tokens, _STOP):
        if _is_word(token) and token not in _AND:
            words.append(token)
            continue
        if words:
            found.append((tuple(words), before))
            words = []
            before = token
        elif token in _AND:
            before = token
    return found


def _are_clauses_moved(mine: list[tuple[Words, str]], theirs: list[tuple[Words, str]]) -> bool:
    """True if the clauses of two texts are the same, and those that moved can stand anywhere."""
    if len(mine) != len(theirs) or Counter(unit for unit, _ in mine) != Counter(unit for unit, _ in theirs):
        return False
    if not _has_same_choice(mine, theirs) or any(
        (_COLON in (first[1], second[1])) and first[1] != second[1] for first, second in zip(mine, theirs, strict=True)
    ):
        return False
    moved = {unit for (unit, _), (other, _) in zip(mine, theirs, strict=True) if unit != other}
    return all(map(_stands_alone, moved))


def _has_same_choice(mine: list[tuple[Words, str]], theirs: list[tuple[Words, str]]) -> bool:
    return [before for _, before in mine if before in ("or", "oder")] == [
        before for _, before in theirs if before in ("or", "oder")
    ]


def _stands_alone(unit: Words) -> bool:
    """True if a clause neither goes on from another nor is a step or an event without a date of its own."""
    if len(unit) < _MIN_CLAUSE or unit[0] in _CONNECTORS or _REFERENCES & {*unit}:
        return False
    has_state = bool(_STATES & {*unit[1:]}) or (len(unit) > 1 and unit[1][-1] == "s") or _is_plural(unit)
    return has_state or bool(_OWN_DATES & {*unit}) or any(map(_YEAR.fullmatch, unit))


def _is_plural(unit: Words) -> bool:
    """True if a clause begins with a word in the plural, and not with a verb: "Backups go to the disk"."""
    return len(unit) > 2 and len(unit[0]) > 3 and unit[0][-1] == "s" != unit[0][-2]


def _are_items_moved(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """True if two texts differ in the order of the items of one list, which is the only one and no ranking."""
    if _RANKS & {*mine} or sum(token in _AND for token in mine) > 1:
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
        if first and not _opens_list(mine[:first]):
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


def _opens_list(before: Sequence[str]) -> bool:
    if not before or before[-1] in known.NUMBERS:
        return False
    last = before[-1]
    if last == "to":
        return not _MOTION & {*before}
    return last in _BEFORE_ITEMS or (len(last) > 4 and last[-1] == "s" and last.isalpha() and len(before) > 1)


def _closes_list(after: Sequence[str], *, is_subject: bool) -> bool:
    """True if a list ends before these tokens. is_subject: something is said of it, as it begins the text."""
    if is_subject:
        return bool(after) and (after[0] in _STATES or after[0] in ("go", "come", "were", "was"))
    return not after or not _is_word(after[0]) or after[0] in _AFTER_ITEMS


def _items(tokens: Sequence[str]) -> list[Words] | None:
    """The items of a list, parted by commas and a last "and"; None if it has other marks, or only one comma."""
    parted = [token for token in tokens if token in _AND or not _is_word(token)]
    # A comma before "and" says nothing.
    if parted[-2:-1] == [_COMMA] and parted[-1] in _AND and _is_beside(tokens):
        parted.pop(-2)
    if not parted or parted == [_COMMA] or any(token != _COMMA for token in parted[:-1]):
        return None
    if {_STOP, _COLON} & {*parted}:
        return None
    found: list[list[str]] = [[]]
    for token in tokens:
        if token == _COMMA or token in _AND:
            found.append([])
        else:
            found[-1].append(token)
    items = [tuple(item) for item in found if item]
    is_mixed = any(len(item) > 1 and item[0].endswith("ing") for item in items[1:-1])
    return None if is_mixed or any(len(item) > _MAX_ITEM for item in items) else items


def _is_beside(tokens: Sequence[str]) -> bool:
    """True if a comma stands right before the last "and"."""
    return any(first == _COMMA and second in _AND for first, second in pairwise(tokens))


def _is_free(mine: Sequence[str], theirs: Sequence[str], items: Sequence[Words]) -> bool:
    joined = [[token for token in tokens if token in _AND] for tokens in (mine, theirs)]
    return joined[0] == joined[1] and not any(
        item[0] in _CONNECTORS or item[0] in _PREPOSITIONS & {"to", "from", "via"} or _REFERENCES & {*item}
        for item in items
    )


def _is_gapped(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """True if two clauses changed places, of which the second has the verb of the first only in thought."""
    units, others = ([unit for unit, _ in _units(tokens)] for tokens in (mine, theirs))
    if len(units) != 2 or len(others) != 2 or _REFERENCES & {*mine} or units[1][0] in _CONNECTORS:
        return False
    (first, second), (other_first, other_second) = units, others
    missing = len(first) - len(other_second)
    if max(len(first), len(other_first)) > _MAX_GAPPED:
        return False
    if not 1 <= missing <= _MAX_VERB or missing != len(other_first) - len(second):
        return False
    return any(
        first[:at] + first[at + missing :] == other_second
        and any(
            other_first[place : place + missing] == first[at : at + missing]
            and other_first[:place] + other_first[place + missing :] == second
            for place in range(1, len(other_first) - missing)
        )
        for at in range(1, len(first) - missing)
    )


def _is_phrase_moved(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """True if one phrase, or a clause with "if" or "when", stands elsewhere in the same sentence."""
    return any(is_phrase and is_free for is_phrase, is_free in _moves(mine, theirs))


def _moves(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[bool, bool]]:
    """For each way to see one text as the other with a part moved: whether that is a phrase, and free to move."""
    words, marks = _marked(mine)
    others, other_marks = _marked(theirs)
    start = next((at for at, pair in enumerate(zip(words, others, strict=True)) if pair[0] != pair[1]), 0)
    end = next(at for at in range(len(words)) if words[-1 - at] != others[-1 - at])
    stop = len(words) - end
    if {_STOP, _COLON} & {marks.get(at, "") for at in range(start + 1, stop)}:
        return
    if {_STOP, _COLON} & {other_marks.get(at, "") for at in range(start + 1, stop)}:
        return
    for cut in range(start + 1, stop):
        if (*words[cut:stop], *words[start:cut]) != tuple(others[start:stop]):
            continue
        first, second = words[start:cut], words[cut:stop]
        place = start + len(second)
        for phrase, passed, ends, before in (
            (first, second, (cut in marks, place + len(first) == len(others) or stop in other_marks), start),
            (second, first, (stop == len(words) or stop in marks, place in other_marks), cut),
        ):
            previous = {words[before - 1] if before else "", others[start - 1] if start else ""}
            yield (
                _is_phrase(phrase, any(ends)),
                not (_AND | {"but", "aber"}) & {*passed} and not _FOCUS & {*previous, passed[-1]},
            )


def _is_phrase(words: Sequence[str], is_closed: bool) -> bool:
    """True if some words are one phrase. is_closed: a mark or the end of the text follows in one of both texts."""
    if len(words) == 1:
        return words[0] in _ADVERBS or words[0] in _TIMES
    opens = [at for at, word in enumerate(words) if word in _PREPOSITIONS]
    if words[0] in _SUBORDINATORS:
        return is_closed
    if not is_closed and len(words) > _MAX_OPEN_PHRASE:
        return False
    is_one = (words[0] in _PREPOSITIONS and opens == [0]) or (words[0] in _TIMES and not opens)
    return is_one and len(words) <= _MAX_PHRASE and not (_AND | _REFERENCES | _STATES) & {*words}


def _marked(tokens: Sequence[str]) -> tuple[list[str], dict[int, str]]:
    """The words of a text, and the marks before their places."""
    words: list[str] = []
    marks: dict[int, str] = {}
    for token in tokens:
        if _is_word(token):
            words.append(token)
        else:
            marks[len(words)] = token
    return words, marks
