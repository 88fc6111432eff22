"""Finds a quote in a text, letter for letter, whatever became of line breaks, hyphenation and typography.

A text is folded to its letters (everything that is seen, without white space and without hyphens inside of words) and
to joints, which say what may stand between two letters. A quote stands in a text if its letters do, one after the
other, and if each joint of the quote can be read as the text has it. Case, digits and words must be equal.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Final

from wherefrom.text.tokens import UNSPACED

# Joiners, direction marks and variation selectors.
_ZERO_WIDTH: Final = (
    "\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
)
_SOFT_HYPHEN: Final = "\u00ad"
_INVISIBLE: Final = _SOFT_HYPHEN + _ZERO_WIDTH
_HYPHENS: Final = "\\-\u2010\u2011\ufe63\uff0d"
# Figure dash to horizontal bar, minus, and the forms of dashes in CJK text: they are never put in by hyphenation.
_DASHES: Final = "\u2012-\u2015\u2212\ufe31\ufe32\ufe58"
_LINE_BREAKS: Final = "\n\r\x0b\x0c\x85\u2028\u2029"
_HANGUL: Final = re.compile("[\u1100-\u11ff\uac00-\ud7af]")
# Characters of scripts that are written without spaces, CJK punctuation and symbols, full- and half-width forms.
_WITHOUT_SPACES: Final = re.compile(f"[{UNSPACED}\u2e80-\u303f\u3100-\u312f\u31a0-\u4dff\ufe30-\ufe4f\uff01-\uff9f]")
_CONTINUING: Final = re.compile(f"[{_INVISIBLE}\u1160-\u11ff\ud7b0-\ud7fb\uff9e\uff9f]")
_SEEN_NOTHING: Final = re.compile(f"[{_INVISIBLE}]")
_EDGE_HYPHEN: Final = re.compile(f"[{_HYPHENS}{_DASHES}]")

_TOKEN: Final = re.compile(
    # A hyphen or dash, with the white space after it; a soft hyphen is one only at the end of a line.
    f"(?P<hyphen>[{_HYPHENS}{_DASHES}]|{_SOFT_HYPHEN}(?=[{_ZERO_WIDTH}]*\\s))(?P<after>[\\s{_INVISIBLE}]*)"
    f"|(?P<space>\\s[\\s{_INVISIBLE}]*)"
    # ASCII stands for itself, unless a combining mark may follow.
    "|(?P<plain>[!-,.-~]++(?![^\\x00-\\x7f]))"
    "|(?P<plain_before>[!-,.-~]+(?=[!-~][^\\x00-\\x7f]))"
    f"|(?P<other>[^\\s{_HYPHENS}{_DASHES}]"
    f"(?:[^\\x00-\\x7f\\s{_HYPHENS}{_DASHES}{_SOFT_HYPHEN}]|{_SOFT_HYPHEN}(?![{_ZERO_WIDTH}]*\\s))*)"
)
_MARKS: Final = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u02bc\u00b4\u2039\u203a", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e\u301f", '"'),
    "\u22ef": "...",
    "\u301c": "~",
}
# 10² is not 102, and 1½ is not 11/2.
_KEPT_FORMS: Final = ("<super>", "<sub>", "<fraction>", "<circle>")
# As many as a character with its marks has in the Stream-Safe Text Format (UAX #15); sorting marks is quadratic.
_CLUSTER_CHARACTERS: Final = 31
_NOTHING: Final = frozenset({""})
_SPACE: Final = frozenset({" "})
_MAYBE_SPACE: Final = frozenset({"", " "})
# How often letters are compared at most, as a multiple of their number: only texts that repeat themselves within the
# length of the quote can need more.
_WORK: Final = 16
_IN_NUMBERS: Final = frozenset(".,．，·٫")
_SIGNS: Final = frozenset("-−‐–+±＋－")


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """The place of a quote in a text, as (start, end) in characters of the text, or None.

    A quote that stands there character by character is found first. A quote that begins or ends inside of one
    character of the text, such as a ligature, is given the whole character. Takes time linear in both lengths.
    """
    wanted = quote.strip()
    if not wanted:
        return None
    at = text.find(wanted)
    while at >= 0:
        if not _is_part(text, at, at + len(wanted)):
            return at, at + len(wanted)
        at = text.find(wanted, at + 1)
    folded = _folded_text(text)
    found = _find(folded, _Folded(wanted), whole_words_of=text)
    return _find(folded, _cut_in_a_word(wanted)) if found is None else found


def _find(text: _Folded, quote: _Folded, *, whole_words_of: str = "") -> tuple[int, int] | None:
    size = len(quote.letters)
    if not size:
        return None
    at = text.letters.find(quote.letters)
    for _ in range(_WORK * (len(text.letters) + size) // size):
        if at < 0:
            return None
        start, end = text.starts[at], text.ends[at + size - 1]
        if _joints_agree(text, quote, at) and not _is_part(whole_words_of, start, end):
            return start, end
        at = text.letters.find(quote.letters, at + 1)
    return None


def _is_part(text: str, start: int, end: int) -> bool:
    """True if a piece of a text is cut out of a word or a number, which may say the opposite: unable, 0.5, −5."""
    return _goes_on(text, start) or _goes_on(text, end)


def _goes_on(text: str, at: int) -> bool:
    """True if a word or a number goes on across a place of a text. Where words are not spaced, nobody can tell."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if unicodedata.category(after) == "Mn" or (before.isdigit() and after.isdigit()):
        return True
    if before.isalnum() and after.isalnum():
        return not any(_WITHOUT_SPACES.match(side) or _HANGUL.match(side) for side in (before, after))
    if after.isdigit():
        ahead = text[at - 2] if at > 1 else " "
        return (before in _IN_NUMBERS and ahead.isdigit()) or (before in _SIGNS and not ahead.isalnum())
    return before.isdigit() and after in _IN_NUMBERS and text[at + 1 : at + 2].isdigit()


def _joints_agree(text: _Folded, quote: _Folded, at: int) -> bool:
    """True if text and quote can be read alike between their letters, if the quote begins at this letter."""
    if any(forms.isdisjoint(text.joints.get(at + place, _NOTHING)) for place, forms in quote.joints.items()):
        return False
    inside = text.places[bisect_right(text.places, at) : bisect_right(text.places, at + len(quote.letters) - 1)]
    return all(place - at in quote.joints or "" in text.joints[place] for place in inside)


def _cut_in_a_word(quote: str) -> _Folded:
    """A quote that begins or ends with the hyphen of a word of which it has only a part; empty if it does not."""
    begins, ends = (_EDGE_HYPHEN.match(quote, at) is not None for at in (0, len(quote) - 1))
    if not begins and not ends:
        return _Folded("")
    folded = _Folded(quote[begins : len(quote) - ends].strip())
    hyphen = frozenset({"-", "- "})
    folded.joints |= ({0: hyphen} if begins else {}) | ({len(folded.letters): hyphen} if ends else {})
    return folded


class _Folded:
    """A text's letters, the start and end of each in the text, and the joints before some of them, by number.

    What stands between two letters is known once the second of them is there: until then a hyphen and white space wait.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[str] = []
        self._hyphen: tuple[str, int] | None = None
        self._gap = ""
        self.starts, self.ends = array("L"), array("L")
        self.joints: dict[int, frozenset[str]] = {}
        for token in _TOKEN.finditer(text):
            start, end = token.span()
            match token.lastgroup:
                case "space":
                    self._gap += token[0]
                case "after":
                    self._add_hyphen(token["hyphen"], start, token["after"])
                case "plain" | "plain_before":
                    self._settle(token[0][0], start)
                    self._add(token[0], range(start, end), range(start + 1, end + 1))
                case _:
                    self._add_clusters(start, end)
        if self._hyphen is not None:
            self._settle(" ", len(text) - 1)
        self.letters = "".join(self._parts)
        self.joints.pop(0, None)
        self.places = list(self.joints)
        """The numbers of the letters that have a joint before them, in order."""

    def _add(self, letters: str, starts: Iterable[int], ends: Iterable[int]) -> None:
        self._parts.append(letters)
        self.starts.extend(starts)
        self.ends.extend(ends)

    def _add_hyphen(self, mark: str, start: int, gap: str) -> None:
        """Add a hyphen or dash and the white space after it; after white space or another hyphen it is a letter."""
        apart = self._gap != "" or self._hyphen is not None or not self._parts
        if apart and mark == _SOFT_HYPHEN:
            self._gap += gap
        elif apart:
            self._settle("-", start)
            self._add("-", (start,), (start + 1,))
            self._gap = gap
        else:
            self._hyphen, self._gap = (mark, start), gap

    def _add_clusters(self, start: int, end: int) -> None:
        """Add characters, each with the marks that belong to it."""
        bounds = [start]
        for at in range(start + 1, end):
            if at - bounds[-1] >= _CLUSTER_CHARACTERS or not _continues(self._text[at]):
                bounds.append(at)
        for first, last in pairwise([*bounds, end]):
            if letters := _cluster(self._text[first:last]):
                self._settle(letters[0], first)
                self._add(letters, [first] * len(letters), [last] * len(letters))

    def _settle(self, following: str, start: int) -> None:
        """Note what may stand before the letter `following`, which begins at `start` in the text."""
        hyphen, gap = self._hyphen, _SEEN_NOTHING.sub("", self._gap)
        self._hyphen, self._gap = None, ""
        before = self._parts[-1][-1] if self._parts else " "
        if hyphen is not None:
            mark, place = hyphen
            if (forms := _hyphen_forms(mark, gap, before, following)) is not None:
                self.joints[len(self.starts)] = forms
                return
            if mark != _SOFT_HYPHEN:
                self._add("-", (place,), (place + 1,))
                before = "-"
        if gap and self._parts:
            around = (before, following, self._text[self.starts[-1]], self._text[start])
            is_maybe = any(map(_is_unspaced, around)) and not (before.isdigit() and following.isdigit())
            self.joints[len(self.starts)] = _MAYBE_SPACE if is_maybe else _SPACE


# Kept because a text is often asked for several quotes in a row.
_folded_text: Final = lru_cache(maxsize=8)(_Folded)


def _hyphen_forms(mark: str, gap: str, before: str, after: str) -> frozenset[str] | None:
    """The ways to write a hyphen between two letters or digits; None if it stands elsewhere.

    At the end of a line it may belong to the word or not, but only between letters: 2019- is no part of a word.
    """
    if not (_is_word(before) and _is_word(after)):
        return None
    broken = any(character in _LINE_BREAKS for character in gap)
    if mark == _SOFT_HYPHEN:
        return frozenset({"", "-", "- "}) if broken else None
    if not broken:
        return frozenset({"- " if gap else "-"})
    hyphenated = re.match(f"[{_HYPHENS}]", mark) and not before.isdigit() and not after.isdigit()
    return frozenset({"", "-", "- "}) if hyphenated else frozenset({"-", "- "})


@lru_cache(maxsize=4096)
def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


@lru_cache(maxsize=4096)
def _is_unspaced(character: str) -> bool:
    return _WITHOUT_SPACES.match(character) is not None and _HANGUL.match(character) is None


@lru_cache(maxsize=4096)
def _continues(character: str) -> bool:
    """True if a character belongs to the one before: a mark, a Hangul vowel or final, a half-width voicing mark."""
    return unicodedata.category(character)[0] == "M" or _CONTINUING.match(character) is not None


@lru_cache(maxsize=8192)
def _cluster(cluster: str) -> str:
    """A character with its marks in one form: NFKC, without what is not seen and with plain quotation marks."""
    seen = _SEEN_NOTHING.sub("", cluster)
    return unicodedata.normalize("NFC", "".join(map(_plain, unicodedata.normalize("NFD", seen))))


def _plain(character: str) -> str:
    """The compatible form of a character, unless that would change a number or be white space."""
    if character in _MARKS:
        return _MARKS[character]
    form, _, parts = unicodedata.decomposition(character).partition(" ")
    if not form.startswith("<") or form in _KEPT_FORMS:
        return character
    plain = "".join(_plain(chr(int(part, 16))) for part in parts.split())
    return character if " " in plain else plain
