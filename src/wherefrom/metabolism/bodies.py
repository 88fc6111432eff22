"""The texts of nodes as they are compared: bodies apart from titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.text.differences import (
    Facts,
    Vocabulary,
    body_difference,
    difference,
    evened,
    exchanges,
    exchanges_kana,
    facts_of,
    is_restated,
    is_retitled,
    leaves_out,
    narrows,
    reads_otherwise,
    spelled,
    titles_difference,
    without_courtesies,
    without_names,
    word_share,
)
from wherefrom.text.differences.signs import has_other_signs
from wherefrom.text.tokens import is_unspaced, text_of

Embed = Callable[[Sequence[str]], Matrix]

# The differences that a person can settle: two statements of which one may be outdated.
TELLING: Final = ("number", "date", "negation", "name")
# The vectors of copies are rarely less similar, whatever their titles, courtesies and slips; others are not compared.
LEAST_SIMILARITY: Final = 0.6
_BODIES_AT_ONCE: Final = 1_000
_DIGITS: Final = 6
# Copies have at least so much of the words of the longer one, in whatever order and spelling.
_LEAST_SHARE: Final = 0.4
_WORD: Final = re.compile(r"[^\W_]+")
# What is asked is not said.
_QUESTION: Final = re.compile("[?？]")

# Facts that an order of words never makes or takes away.
_NEVER_MOVED: Final = ("number", "negation")


@dataclass(slots=True)
class Bodies:
    """Titles and bodies by node. embed: makes the vectors of bodies, if that takes no time; by_words: texts without
    titles are near by their words as well; vocabulary: tells slips from other words.
    """

    embed: Embed | None = None
    by_words: bool = False
    vocabulary: Vocabulary | None = None
    titles: dict[str, str | None] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    _named: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _vectors: dict[str, Matrix] = field(default_factory=dict)
    _facts: dict[str, Facts] = field(default_factory=dict)
    _words: dict[str, frozenset[str]] = field(default_factory=dict)
    _restated: dict[tuple[str, str], bool] = field(default_factory=dict)
    _otherwise: dict[tuple[str, str], bool] = field(default_factory=dict)
    _last: tuple[tuple[str, str], tuple[str, str]] = (("", ""), ("", ""))

    def add(self, node_id: str, title: str | None, body: str) -> None:
        """Note the text of a node."""
        signed, names = without_names(body)
        plain, more = without_names(without_courtesies(signed))
        self.titles[node_id], self.bodies[node_id] = title, without_courtesies(plain)
        self._named[node_id] = names + more

    def is_titled(self, one: str, other: str) -> bool:
        """True if one of two nodes has a title, so that their vectors say little about their bodies."""
        return bool(self.titles[one] or self.titles[other])

    def make_vectors(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Make the vectors of the bodies of these pairs, where a title is involved."""
        titled = {end for pair in pairs if self.is_titled(*pair) for end in pair}
        new = sorted(titled - self._vectors.keys()) if self.embed is not None else []
        for start in range(0, len(new), _BODIES_AT_ONCE):
            some = new[start : start + _BODIES_AT_ONCE]
            vectors = self.embed([self.bodies[node_id] for node_id in some]) if self.embed is not None else ()
            self._vectors |= zip(some, vectors, strict=True)

    def similarity(self, one: str, other: str, whole: float) -> float:
        """The similarity of the bodies of two nodes: 1 if they say the same; else the cosine of their vectors (without
        a title, or where none are made, of the whole texts), or the share of words that both bodies have, whichever is
        more; without a title the latter only if they are told by their words.
        """
        if self.restates(one, other):
            return 1.0
        if not self.by_words and not self.is_titled(one, other):
            return whole
        if self.embed is not None and self.is_titled(one, other):
            whole = float((self._vectors[one].astype("float64") * self._vectors[other].astype("float64")).sum())
        mine, theirs = self._evened(self.bodies[one], self.bodies[other])
        return round(max(whole, min(word_share(mine, theirs), word_share(theirs, mine))), _DIGITS)

    def restates(self, one: str, other: str) -> bool:
        """True if the bodies of two nodes say the same in another spelling or order, or with a slip."""
        pair = min(one, other), max(one, other)
        if pair not in self._restated:
            mine, theirs = self.bodies[one], self.bodies[other]
            is_near = self._has_same_words(mine, theirs)
            evened_texts = self._evened_texts(mine, theirs) if is_near else (mine, theirs)
            self._otherwise[pair] = is_near and reads_otherwise(*evened_texts)
            self._restated[pair] = is_near and not self._otherwise[pair] and self._says_the_same(*evened_texts)
        return self._restated[pair]

    def _says_the_same(self, one: str, other: str) -> bool:
        """True if two texts, evened out, restate each other, with the same numbers and negations."""
        if not is_restated(one, other):
            return False
        mine, theirs = self._facts_of(one), self._facts_of(other)
        return all(Counter(mine.of_kind(kind)) == Counter(theirs.of_kind(kind)) for kind in _NEVER_MOVED)

    def titles_difference(self, one: str, other: str) -> str | None:
        """The kind of fact in which the titles of two nodes differ; None if one has none, or they differ in wording."""
        mine, theirs = self.titles[one], self.titles[other]
        kind = titles_difference((mine, self.bodies[one]), (theirs, self.bodies[other]))
        if kind == "name" and mine and theirs and {self.difference(one, other), self.difference(other, one)} == {None}:
            return None if is_retitled(mine, theirs, self.bodies[one], self.vocabulary) else kind
        return kind

    def difference(self, one: str, other: str) -> str | None:
        """What the body of one node says that the other does not say."""
        if self._named[one] and self._named[other] and self._named[one] != self._named[other]:
            return "name"
        if has_other_signs(self.bodies[one], self.bodies[other]):
            return "content"
        if self.restates(one, other):
            return None
        if len(_QUESTION.findall(self.bodies[one])) != len(_QUESTION.findall(self.bodies[other])):
            return "content"
        if self._otherwise[min(one, other), max(one, other)]:
            return "content"
        mine, theirs = self._evened(self.bodies[one], self.bodies[other])
        if not self.is_titled(one, other):
            return _difference(mine, theirs)
        kind = body_difference(mine, theirs) or _exchange(mine, theirs)
        is_one_untitled = not (self.titles[one] and self.titles[other])
        # What one says in its title the other may say in its text.
        if (
            kind is not None
            and is_one_untitled
            and _difference(*self._evened(self._whole(one), self._whole(other))) is None
        ):
            return None
        return kind

    def _evened(self, one: str, other: str) -> tuple[Facts, Facts]:
        mine, theirs = self._near_texts(one, other)
        return self._facts_of(mine), self._facts_of(theirs)

    def _near_texts(self, one: str, other: str) -> tuple[str, str]:
        """Two texts, evened out if they are near."""
        return self._evened_texts(one, other) if self._has_same_words(one, other) else (one, other)

    def _evened_texts(self, one: str, other: str) -> tuple[str, str]:
        """Two texts evened out; the last two are kept, as they are mostly compared in both directions."""
        if self._last[0] == (other, one):
            return self._last[1][1], self._last[1][0]
        if self._last[0] != (one, other):
            self._last = (one, other), evened(one, other, self.vocabulary)
        return self._last[1]

    def _has_same_words(self, one: str, other: str) -> bool:
        """True if two texts have so many of their words in common that it is worth the time to even them out."""
        mine, theirs = self._words_of(one), self._words_of(other)
        return len(mine & theirs) >= _LEAST_SHARE * max(len(mine), len(theirs))

    def _words_of(self, text: str) -> frozenset[str]:
        if text not in self._words:
            words = text if is_unspaced(text) else map(spelled, _WORD.findall(text.casefold()))
            self._words[text] = frozenset(words)
        return self._words[text]

    def _facts_of(self, text: str) -> Facts:
        if text not in self._facts:
            self._facts[text] = facts_of(text)
        return self._facts[text]

    def _whole(self, node_id: str) -> str:
        return text_of(self.titles[node_id], self.bodies[node_id])


def _difference(one: Facts, other: Facts) -> str | None:
    return difference(one, other) or _exchange(one, other)


def _exchange(one: Facts, other: Facts) -> str | None:
    """What one text says is lost if the other has another word in its place, or one more, whatever the word is."""
    is_other = (
        exchanges(one.words, other.words)
        or narrows(one.words, other.words, one.starts())
        or narrows(other.words, one.words, other.starts())
        or leaves_out(one.words, other.words)
        or exchanges_kana(one.unspaced, other.unspaced)
    )
    return "content" if is_other else None
