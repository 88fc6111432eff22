"""The words of a text with spaces that say something, and its marks: what two texts are compared by in any order."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.order_words import AND, PREPOSITIONS, STATES
from wherefrom.text.differences.spellings import spelled

# A word or number, a sign that says something, or a mark between parts.
_TOKEN: Final = re.compile(
    r"(?<!\S):\d+|[^\W_]+(?:['’_.,:/@–-][^\W_]+)*|[%‰€$£¥₩+<>≤≥=#@°~×?/\\^|]|(?<!\w)[-−](?=\d)|[&]|[.,;:!…()\[\]{}\n]|(?<=\s)[–—-]+(?=\s)"
)
COMMA, STOP, COLON = ",", ".", ":"
_MARKS: Final = {**dict.fromkeys(",()[]{}–—-", COMMA), **dict.fromkeys(".;!…\n", STOP), ":": COLON}
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])(?<!\bre)(?<!\bco)(?<!\bun)-(?=[^\W\d_])")
# Words that say nothing wherever they stand.
_EMPTY: Final = frozenset(
    """
    the a an also actually really basically please indeed anyway obviously certainly definitely
    unfortunately fortunately sadly luckily o'clock oclock eigentlich bitte
    uebrigens naemlich eben halt leider
    """.split()
)
# Set off by marks, these say how something is told; others may say how it is done ("slowly, quietly").
_COMMENTS: Final = frozenset(
    """
    honestly frankly incidentally surprisingly interestingly importantly obviously admittedly understandably sadly
    luckily unfortunately fortunately thankfully regrettably basically essentially annoyingly oddly
    strangely amusingly funnily certainly definitely
    """.split()
)
# Units of time or number: before one of these "about" says how much.
_SPANS: Final = frozenset("second minute hour day week month year fortnight half quarter dozen".split())
# How often, how much or how long since: one text may say it and the other not, but two may not say it otherwise.
_GRADES: Final = frozenset(
    """
    always usually normally generally typically already still again currently now just very quite pretty rather about
    around roughly approximately circa ca exactly some immer meist meistens normalerweise schon noch wieder jetzt
    derzeit sehr ganz etwa ungefaehr rund
    """.split()
)
_BEFORE_NUMBERS: Final = frozenset("about around just rund ca circa".split())
# "a few" is not "few".
_AFTER_ARTICLE: Final = frozenset("few little bit lot couple".split())
_DIGITS: Final = {
    word: known.NUMBERS[word]
    for word in """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    """.split()
}
_NUMBER_WORD: Final = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b", re.IGNORECASE)
# A number as it is written, with its sign; marks within it are a part of it.
_NUMBER: Final = re.compile(r"[-−–‐+*/×]?\s?\d+(?:\s?[.,:;*/×–-]\s?\d+)*")


def numbers(text: str) -> Counter[str]:
    """The numbers of a text as they are written, without spaces, and words for numbers as numbers."""
    plain = _NUMBER_WORD.sub(lambda match: _DIGITS[match[0].casefold()], unicodedata.normalize("NFKC", text))
    return Counter("".join(number.split()) for number in _NUMBER.findall(plain))


def told(one: str, other: str) -> tuple[list[str], list[str]]:
    """The words and marks of two texts, without words that say nothing, or that only one of both has to say how often
    or how much.
    """
    mine, theirs = _tokens(one), _tokens(other)
    grades = [[word for at, word in enumerate(some) if _is_grade(some, at)] for some in (mine, theirs)]
    if bool(grades[0]) != bool(grades[1]):
        mine, theirs = ([word for at, word in enumerate(some) if not _is_grade(some, at)] for some in (mine, theirs))
    return _without_needless_marks(mine), _without_needless_marks(theirs)


def is_word(token: str) -> bool:
    """True but for a mark."""
    return token not in (COMMA, STOP, COLON)


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        written = match[0]
        if written in _MARKS or (written[0] in _MARKS and not written[-1].isdigit()):
            found.append(_MARKS[written[0]])
        elif written == "&":
            found.append("and")
        elif written == "A" and found and found[-1] != STOP:
            found.append("A")  # a name: lift A, hepatitis A
        elif written[0].isalnum():
            words = "".join(map(spelled, _HYPHEN.split(written.casefold()))).replace("'", "").replace("’", "").split()
            found += (_DIGITS.get(word, word) for word in words)
        else:
            found.append(written)
    found = [word for at, word in enumerate(found) if not (at and word == found[at - 1] and word.isalpha())]
    _drop_a_little(found)
    _drop_parentheses(found)
    return [word for at, word in enumerate(found) if not _is_empty(found, at)]


def _drop_a_little(tokens: list[str]) -> None:
    """Take "a little" and "a bit" out where they say how much, not of what: not "a little Dutch", "a bit of salt"."""
    for at in range(len(tokens) - 2, -1, -1):
        if tokens[at] in ("a", "some") and tokens[at + 1] in ("little", "bit"):
            following = tokens[at + 2] if at + 2 < len(tokens) else STOP
            if not is_word(following) or following == "too" or following in PREPOSITIONS:
                del tokens[at : at + 2]


def _drop_parentheses(tokens: list[str]) -> None:
    """Take adverbs out that say how something is told, set off by marks: "Honestly, …", "…, incidentally, …"."""
    for at in range(len(tokens) - 1, -1, -1):
        before, following = tokens[at - 1] if at else STOP, tokens[at + 1] if at + 1 < len(tokens) else STOP
        if tokens[at] in _COMMENTS and not is_word(before) and (following == COMMA or (at and not is_word(following))):
            del tokens[at]


def _is_empty(tokens: Sequence[str], at: int) -> bool:
    word = tokens[at]
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if word == "a":
        is_article = following.isalpha() and following not in PREPOSITIONS | STATES | AND
        return is_article and following not in _AFTER_ARTICLE
    if word == "ever":
        return at > 0 and tokens[at - 1] in ("not", "never")
    return word in _EMPTY


def _is_grade(tokens: Sequence[str], at: int) -> bool:
    word = tokens[at]
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if word in _BEFORE_NUMBERS:
        return following[:1].isdigit() or following in _SPANS
    if word == "some":
        # "Some guests" that open a sentence are not all guests.
        return (
            at > 0
            and is_word(tokens[at - 1])
            and following.isalpha()
            and following not in PREPOSITIONS | STATES | _AFTER_ARTICLE | {"of"}
        )
    return word in _GRADES


def _without_needless_marks(tokens: Sequence[str]) -> list[str]:
    """Tokens without a mark before another, at the beginning and at the end."""
    kept = [word for word, following in pairwise((*tokens, STOP)) if is_word(word) or is_word(following)]
    return kept[next((at for at, word in enumerate(kept) if is_word(word)), 0) :]
