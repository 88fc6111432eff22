"""The texts of nodes as they are compared: bodies apart from titles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.text.differences import (
    Facts,
    Vocabulary,
    are_apart,
    difference,
    facts_of,
    says_the_same,
    spelled,
    titles_difference,
    without_courtesies,
    without_names,
    word_share,
)
from wherefrom.text.differences.restated import SILENT
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
        mine, theirs = self.bodies[one], self.bodies[other]
        # Of an article or a filler more, the vectors say how near it is.
        if self.restates(one, other) and SILENT.isdisjoint(self._words_of(mine) ^ self._words_of(theirs)):
            return 1.0
        if not self.by_words and not self.is_titled(one, other):
            return whole
        if self.embed is not None and self.is_titled(one, other):
            whole = float((self._vectors[one].astype("float64") * self._vectors[other].astype("float64")).sum())
        said, others = self._facts_of(mine), self._facts_of(theirs)
        return round(max(whole, min(word_share(said, others), word_share(others, said))), _DIGITS)

    def restates(self, one: str, other: str) -> bool:
        """True if the bodies of two nodes say the same, or that of one what the other says with its title."""
        pair = min(one, other), max(one, other)
        if pair not in self._restated:
            bodies = self.bodies[one], self.bodies[other]
            self._restated[pair] = self._has_same_words(*bodies) and (
                (says_the_same(*bodies, self.vocabulary) and not are_apart(self._titled(one), self._titled(other)))
                or (
                    bool(self.titles[one]) != bool(self.titles[other])
                    and says_the_same(text_of(*self._titled(one)), text_of(*self._titled(other)), self.vocabulary)
                )
            )
        return self._restated[pair]

    def titles_difference(self, one: str, other: str) -> str | None:
        """The kind of fact in which the titles of two nodes differ; None if one has none, or they differ in wording."""
        kind = titles_difference(self._titled(one), self._titled(other))
        return None if kind == "name" and self.restates(one, other) else kind

    def difference(self, one: str, other: str) -> str | None:
        """What the body of one node says that the other does not say; None if they say the same."""
        if self._named[one] and self._named[other] and self._named[one] != self._named[other]:
            return "name"
        if self.restates(one, other):
            return None
        return difference(self._facts_of(self.bodies[one]), self._facts_of(self.bodies[other])) or "content"

    def _titled(self, node_id: str) -> tuple[str | None, str]:
        return self.titles[node_id], self.bodies[node_id]

    def _has_same_words(self, one: str, other: str) -> bool:
        """True if two texts have so many of their words in common that it is worth the time to compare them."""
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
