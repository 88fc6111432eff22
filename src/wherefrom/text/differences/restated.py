"""Tells whether two texts say the same: in the same words, but for how they are written.

What may differ is listed here and nothing else may: articles, a few fillers, spellings, how numbers, times and sums are
written, a slip within a word, capitals at the beginning of a sentence, the last mark; whole sentences that stand alone.
Every other word, ending, sign, comma, space within a compound and order is a difference.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.kana_readings import reads_alike
from wherefrom.text.differences.needless_marks import needless_commas, without_numbering
from wherefrom.text.differences.notation import in_one_notation
from wherefrom.text.differences.slips import Vocabulary, is_slip
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.differences.stand_alone import is_list, stand_alone
from wherefrom.text.differences.unspaced_words import in_one_writing, plain_ending, without_fillers

_MAX_CHARACTERS, _MAX_SLIPS, _MAX_SENTENCES, _MIN_CLAUSE = 1_500, 2, 8, 3
_HAN: Final = "\u3400-\u9fff々"
_ASIAN: Final = f"\u3040-\u30ff{_HAN}"
_KANA: Final = re.compile("[\u3041-\u3096]")
_NUMERAL: Final = re.compile(f"[{known.HAN_NUMERALS}]+")
_WIDE: Final = re.compile("[\uff01-\uff5e\u3000\uff61-\uff9f]+")
_CHUNK: Final = re.compile(r"\S+|\n")
_LEADING: Final = re.compile(r"[(\[\"“„«「『‘]+|['’](?=\w+['’]\W*$)")
_TRAILING: Final = re.compile(r"(?:\.{3}|[.,;:!?)\]…。、，！？；：」』»”]|(?<!\d)\"|(?<=[.,;:!?)])[\"'’])+$")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
_ASIAN_TOKEN: Final = re.compile(
    f"(?P<number>[{known.HAN_NUMERALS}]+|\\d+(?:[.,]\\d+)*)|(?P<latin>[A-Za-z][\\w-]*)|(?P<space>\\s+)|(?P<one>.)",
    re.DOTALL,
)
_BEHIND_TOPIC: Final = re.compile(f"(?<=[{_HAN}\u30a1-\u30fc]は)、(?=[{_HAN}\u30a1-\u30fc])")
_TOPIC: Final = f"[^はがをも、。,.！？!?]*[{_HAN}\u30a1-\u30fc]は[^は、。,.！？!?]+"
_TWO_TOPICS: Final = re.compile(f"({_TOPIC})[、。]({_TOPIC}[。！]?)")
# Other marks for the same. Whether a dash, a semicolon or a comma is one is told by what it parts.
_MARKS: Final = {
    "…": ".",
    "...": ".",
    "!": ".",
    "。": ".",
    "！": ".",
    "？": "?",
    "、": ",",
    "，": ",",
    "；": ";",
    "：": ":",
}
_QUOTES: Final = frozenset('"“”„«»「」『』‘')
# A dash before an item says nothing.
_BULLETS: Final = frozenset("–")
_ASKED: Final = ["?"]
_ENDS: Final = frozenset((".", *_ASKED))
_CLAUSE_MARKS: Final = frozenset((",", ";", "–"))
_ARTICLES: Final = frozenset(("a", "an", "the"))
# Behind an article these are another thing than without: a few, a hundred, the most.
_WITH_ARTICLE: Final = frozenset(
    "few little lot bit most best number half quarter third couple dozen hundred thousand".split()
)
# In these languages a, an and the are no articles, so a word of English must be there.
_ENGLISH: Final = frozenset("the of and with is are my she they from your its our".split())
_FILLERS: Final = frozenset(("really", "basically", "actually", "indeed"))
# Words that one of two texts may have alone.
SILENT: Final = _FILLERS | _ARTICLES
# With a hyphen these make another word: pre-position, extra-ordinary.
_PREFIXES: Final = frozenset("pre pro non mis dis out the per for extra over under sub con com".split())
_PLEASE: Final = re.compile(r",? please(?=[,.!]|$)|^Please (?=[a-z])")
_POLITE_CASES: Final = frozenset("Sie Ihnen Ihr Ihre Ihrem Ihren Ihrer Ihres".split())
# Before an ending a letter and the letter doubled make two verbs: filing, filling.
_BEFORE_ENDING: Final = re.compile("([a-z])\\1(?=(?:ed|ing|er|ers|est|y|le|les|ies)$)")
_CARDINALS: Final = {
    word: str(at)
    for at, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
} | dict(zip("thirty forty fifty sixty seventy eighty ninety".split(), "30 40 50 60 70 80 90".split(), strict=True))


@dataclass(frozen=True, slots=True)
class _Token:
    """A word, a sign or a mark. first: it begins a sentence. article: the one before it, if any."""

    text: str
    first: bool = False
    article: str = ""


def says_the_same(one: str, other: str, vocabulary: Vocabulary | None = None) -> bool:
    """True if two texts say the same. Without a vocabulary no word is a slip."""
    if one == other:
        return True
    if max(len(one), len(other)) > _MAX_CHARACTERS:
        return False
    if (";" in one) != (";" in other):
        # It may stand for a dash as well as for a full stop.
        parted, other_parted = (text.replace(";", ".") for text in (one, other))
        if says_the_same(parted, other_parted, vocabulary):
            return True
    mine, theirs = _sentences(_in_clauses(one)), _sentences(_in_clauses(other))
    if _has_plain_case(one, other):
        mine, theirs = _uncased(mine, one), _uncased(theirs, other)
    if not 0 < len(mine) == len(theirs):
        return False
    if all(_are_same(*pair, vocabulary) for pair in zip(mine, theirs, strict=True)):
        return True
    return _are_moved(mine, theirs, vocabulary)


def _in_clauses(text: str) -> str:
    """A Japanese text without a comma behind a topic, and with a full stop where it has one mark between two topics."""
    plain = _BEHIND_TOPIC.sub("", without_numbering(text.strip()))
    return _TWO_TOPICS.sub("\\1。\\2", plain) if _TWO_TOPICS.fullmatch(plain) else plain


def _are_moved(
    mine: Sequence[Sequence[_Token]], theirs: Sequence[Sequence[_Token]], vocabulary: Vocabulary | None
) -> bool:
    """True if sentences or clauses that stand alone, or the items of a list behind a colon, have changed places."""
    if len(mine) > 1:
        return _is_same_set(mine, theirs, vocabulary) and stand_alone([_texts(sentence) for sentence in mine])
    (words,), (others,) = mine, theirs
    if ":" not in _texts(words) or ":" not in _texts(others):
        clauses = _split(words)
        is_each_of_a_thing = len(clauses) > 1 and all(clause and clause[0].article == "the" for clause in clauses)
        is_moved = is_each_of_a_thing and _is_same_set(clauses, _split(others), vocabulary)
        return is_moved and stand_alone([*map(_texts, clauses)])
    colon, other_colon = _texts(words).index(":"), _texts(others).index(":")
    items, other_items = _split(words[colon + 1 :]), _split(others[other_colon + 1 :])
    return (
        _are_same(words[:colon], others[:other_colon], vocabulary)
        and _is_same_set(items, other_items, vocabulary)
        and is_list([*map(_texts, items)], _texts(words[:colon]))
    )


def _is_same_set(
    mine: Sequence[Sequence[_Token]], theirs: Sequence[Sequence[_Token]], vocabulary: Vocabulary | None
) -> bool:
    left = [*theirs]
    for part in mine[:_MAX_SENTENCES]:
        same = next((at for at, each in enumerate(left) if _are_same(part, each, vocabulary)), None)
        if same is None:
            return False
        left.pop(same)
    return not left


def _texts(tokens: Sequence[_Token]) -> list[str]:
    return [token.text for token in tokens]


def _split(tokens: Sequence[_Token]) -> list[tuple[_Token, ...]]:
    """The parts of a sentence between its commas."""
    found: list[list[_Token]] = [[]]
    for token in tokens:
        if token.text in _CLAUSE_MARKS:
            found.append([])
        else:
            found[-1].append(token)
    return [tuple(part) for part in found]


def _are_same(mine: Sequence[_Token], theirs: Sequence[_Token], vocabulary: Vocabulary | None) -> bool:
    """True if two sentences have the same words in the same order, or with slips, or in kanji and in kana."""
    return _have_same_words(mine, theirs, vocabulary) or _read_alike(_texts(mine), _texts(theirs))


def _have_same_words(mine: Sequence[_Token], theirs: Sequence[_Token], vocabulary: Vocabulary | None) -> bool:
    if len(mine) != len(theirs):
        return False
    slips = 0
    has_other_marks = False
    for one, other in zip(mine, theirs, strict=True):
        if not _has_same_article(one, other):
            return False
        if _is_same(one, other):
            continue
        if {one.text, other.text} <= _CLAUSE_MARKS:
            has_other_marks = True
            continue
        slips += 1
        if vocabulary is None or slips > _MAX_SLIPS or not _is_slip(one.text, other.text, vocabulary):
            return False
    return not has_other_marks or _is_one_mark(mine)


def _is_same(one: _Token, other: _Token) -> bool:
    if one.text == other.text:
        return True
    return one.first and other.first and _small(one.text) == _small(other.text)


def _small(word: str) -> str:
    return word.lower() if word[1:] == word[1:].lower() else word


def _has_same_article(one: _Token, other: _Token) -> bool:
    if one.article == other.article:
        return True
    return not (one.article and other.article) and _small(one.text) not in _WITH_ARTICLE and one.text.isalpha()


def _is_one_mark(tokens: Sequence[_Token]) -> bool:
    """True if a sentence has one comma, semicolon or dash between two clauses, and denies nothing before it."""
    texts = [token.text.casefold() for token in tokens]
    at = next(at for at, text in enumerate(texts) if text in _CLAUSE_MARKS)
    is_between = texts[at] != "–" or min(at, len(texts) - at - 1) >= _MIN_CLAUSE
    return is_between and sum(text in _CLAUSE_MARKS for text in texts) == 1 and known.NEGATIONS.isdisjoint(texts[:at])


def _is_slip(one: str, other: str, vocabulary: Vocabulary) -> bool:
    """True if of two words without a capital one is the other with a slip."""
    if one.endswith("'s") and other.endswith("'s"):
        one, other = one[:-2], other[:-2]
    if not (one + other).isascii() or not (one + other).isalpha() or (one + other) != (one + other).lower():
        return False
    if _BEFORE_ENDING.sub(r"\1", one) == other or _BEFORE_ENDING.sub(r"\1", other) == one:
        return False
    return is_slip(one, other, vocabulary)


def _read_alike(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """True if two Japanese sentences differ only in words in kana that the other has in kanji."""
    one, other = "".join(mine), "".join(theirs)
    if not (_KANA.search(one) and _KANA.search(other)) or [t for t in mine if len(t) > 1] != [
        t for t in theirs if len(t) > 1
    ]:
        return False
    found: list[tuple[int, int, int, int]] = []
    for kind, start, stop, other_start, other_stop in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if kind != "replace" and start and other_start and re.match(f"[{_HAN}]", one[start - 1]):
            # An ending that only one has belongs to the character before.
            start, other_start = start - 1, other_start - 1
        if found and start - found[-1][1] <= 2 and not _is_read(one, other, found[-1]):
            start, other_start = found[-1][0], found[-1][2]
            found.pop()
        found.append((start, stop, other_start, other_stop))
    return all(_is_read(one, other, at) for at in found)


def _is_read(one: str, other: str, at: tuple[int, int, int, int]) -> bool:
    here, there = one[at[0] : at[1]], other[at[2] : at[3]]
    # Numerals are no words in kanji, and particles none in kana.
    return len(here) + len(there) > 2 and reads_alike(here, there)


def _has_plain_case(one: str, other: str) -> bool:
    """True if of two texts one is written without capitals, or with nothing else."""
    return not re.search(f"[{_ASIAN}]", one + other) and any(
        len(text.split()) >= _MIN_CLAUSE and (text.islower() or text.isupper()) for text in (one, other)
    )


def _uncased(sentences: Sequence[Sequence[_Token]], text: str) -> list[tuple[_Token, ...]]:
    """The sentences of a text in small letters, but for what no capital at the beginning of a word makes: US, aBc."""
    is_upper = text.isupper()

    def small(token: _Token) -> str:
        if token.text in _POLITE_CASES or not _WORD.fullmatch(token.text):
            return token.text
        return token.text.lower() if is_upper else _small(token.text)

    return [tuple(_Token(small(token), token.first, token.article) for token in each) for each in sentences]


@lru_cache(maxsize=1_024)
def _sentences(text: str) -> list[tuple[_Token, ...]]:
    """The sentences of a text, each without the mark that ends it unless it asks."""
    written = _WIDE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text.strip())
    if re.search(f"[{_ASIAN}]", written):
        plain = without_fillers(in_one_writing(written)) if _KANA.search(written) else written
        tokens: Iterator[str] = _asian_tokens(plain)
    else:
        tokens = _tokens(in_one_notation(_PLEASE.sub("", written)))
    found: list[list[str]] = [[]]
    for token in tokens:
        if token in _ENDS:
            found[-1] += _ASKED if token in _ASKED else []
            found.append([])
        elif found[-1] or token not in _BULLETS:
            found[-1].append(token)
    is_english = not _ENGLISH.isdisjoint(map(str.lower, written.split()))
    return [_sentence(each, is_english=is_english) for each in found if each]


def _sentence(words: Sequence[str], *, is_english: bool) -> tuple[_Token, ...]:
    """The words of a sentence without its articles and fillers; where it denies something no word is a filler."""
    denies = not known.NEGATIONS.isdisjoint(map(str.casefold, words))
    found: list[_Token] = []
    article = ""
    first = True
    for at, word in enumerate(words):
        small = word.lower() if at == 0 or word in ("THE", "AN") else word
        behind = words[at + 1] if at + 1 < len(words) else ""
        if is_english and small in _ARTICLES and _WORD.fullmatch(behind):
            article, first = ("a" if small == "an" else small), False
            continue
        if is_english and word.casefold() in _FILLERS and not denies and behind:
            continue
        found.append(_Token(word, first, article))
        article, first = "", False
    needless = needless_commas([token.text.casefold() for token in found])
    return tuple(token for at, token in enumerate(found) if at not in needless)


def _tokens(text: str) -> Iterator[str]:
    """The words and marks of a text with spaces; what is no plain word stays as it is written, sign by sign."""
    for match in _CHUNK.finditer(re.sub(r"(?<=[^\W\d])[—–](?=[^\W\d])", " – ", text)):
        chunk = match[0]
        if chunk == "\n":
            yield "."
            continue
        if chunk in ("-", "–", "—"):
            yield "–"
            continue
        before = _LEADING.match(chunk)
        start = before.end() if before else 0
        behind = _TRAILING.search(chunk, start)
        end = behind.start() if behind else len(chunk)
        yield from (sign for sign in chunk[:start] if sign not in _QUOTES and sign not in "'’")
        if core := chunk[start:end]:
            yield from _spelled(core)
        yield from _marks(chunk[end:])


def _marks(marks: str) -> Iterator[str]:
    for mark in marks.replace("...", "…"):
        if mark not in _QUOTES and mark not in "'’":
            yield _MARKS.get(mark, mark)


def _spelled(word: str) -> Iterator[str]:
    """A word in one spelling, of which contractions make two; a number in figures."""
    if _THOUSANDS.fullmatch(word):
        yield word.replace(",", "")
        return
    if not _WORD.fullmatch(word) or word.isupper():
        yield word
        return
    if word in _CARDINALS:
        yield _CARDINALS[word]
        return
    small = word.lower()
    parts = small.split("-")
    if len(parts) == 2 and min(map(len, parts)) > 2 and parts[0] not in _PREFIXES:
        small = small.replace("-", "")
    form = spelled(small)
    if form == word.lower():
        yield word
        return
    first, *rest = form.split()
    yield first.capitalize() if word[0].isupper() else first
    yield from rest


def _asian_tokens(text: str) -> Iterator[str]:
    """The characters and marks of a text without spaces, each clause with one ending for the polite and the plain."""
    for clause in re.split("([、。，,.．！!？?；;：:\\n…]+)", text.replace("・・・", "…").strip()):
        if not clause:
            continue
        if re.fullmatch("[、。，,.．！!？?；;：:\\n…]+", clause):
            yield _MARKS.get(clause[0], clause[0]) if clause[0] != "\n" else "."
            continue
        plain = plain_ending(clause) if _KANA.search(clause) else clause
        for match in _ASIAN_TOKEN.finditer(plain):
            if match["number"]:
                yield known.han_value(match[0]) if _NUMERAL.fullmatch(match[0]) else match[0].replace(",", "")
            elif match["space"]:
                yield " "
            elif match[0] not in "「」『』":
                yield match[0]
