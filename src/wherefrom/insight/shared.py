"""What a center shares with other texts apart from their words and meaning as a whole: rare names, rare terms, a time.

Two texts that both name Mrs Kaya belong together though all their other words differ, so a name counts by how few texts
have it, and so does a term. What df of n texts have has the rarity ln(n / df) / ln(n) / ln(1 + df): the first part says
how telling it is among all texts, the second, as with neighbours, among how many it is divided. Of several the rarest
counts in full, the next by half, and so on, because what comes along with it says little more. In a text of many names
or terms each of them says less. A name of one word counts less, as several people are called so. A term of a name that
counts does not count again.

A rare term counts as a name of one word where a sentence has it with a capital inside ("Dinner for Mrs Kaya"), because
another text may call her otherwise. In scripts without spaces terms are pairs of characters; pairs that overlap and
that the same texts have are a word of three characters or more, such as 王丽华, and count as a name. Pairs with kana,
which are mostly endings, do not count, nor do the endings of Korean sentences.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from wherefrom.model.access import Access
from wherefrom.storage import candidates as search
from wherefrom.storage import names_in_texts
from wherefrom.storage.port import SearchRequest, Transaction
from wherefrom.storage.text_index import TextSearch
from wherefrom.text.found_names import IN_NO_NAME, is_one_word
from wherefrom.text.names import CAPITAL, phrase_of
from wherefrom.text.tokens import folded, is_unspaced, placed_terms, query_terms, terms

# What more texts have says little of each.
MAX_TEXTS: Final = names_in_texts.MAX_TEXTS_PER_NAME
_MAX_TERMS: Final = 10
# Of a few texts one cannot say that what two of them have is common.
_MIN_TEXTS: Final = 20
# Of fewer texts one cannot say that a term is rare; a name is one in any store.
_MANY_TEXTS: Final = 1_000
# Of a text with more names or terms each counts less, by the root of how many times as many there are.
_FEW_NAMES, _FEW_TERMS = 3, 5
_ONE_WORD_SHARE: Final = 0.6
KANA: Final = re.compile("[\u3040-\u309f]")


def _hangul_ending_in(*finals: int) -> str:
    """Return the Hangul syllables that end in one of these consonants, by their numbers in Unicode, as a class."""
    return f"[{''.join(chr(first + final) for first in range(0xAC00, 0xD7A4, 28) for final in finals)}]"


# What a Korean sentence ends with, whatever it says: the last syllables of its verb (한다, 었다, 합니다, 해요).
_VERB_ENDING: Final = re.compile(
    f"(?:{_hangul_ending_in(4, 20)}다|{_hangul_ending_in(17)}니[다까]|[어아여워와해예에세네지]요)"
    "(?=[\\s\"'”’)」]*(?:[.?!…。]|$))",
    re.MULTILINE,
)
# A word with a capital that no sentence begins with.
_INSIDE: Final = re.compile(r"(?<=[\w,] )[^\W\d_]\w+")
_SECONDS_PER_DAY: Final = 86_400.0

Rarities = Mapping[str, float]
"""For each other text how rare what it shares is; those that share nothing are left out."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The rarity of the names, and of the terms, that other texts share with one."""

    names: Rarities = field(default_factory=dict)
    terms: Rarities = field(default_factory=dict)

    def strength(self, node_id: str) -> float:
        """Return how rare what a text shares is, in all."""
        return self.names.get(node_id, 0.0) + self.terms.get(node_id, 0.0)


@dataclass(frozen=True, slots=True)
class Moment:
    """When a text was observed, in days, and the session that it is a turn of."""

    day: float
    session: tuple[str, str] | None


def read_shared(
    tx: Transaction, access: Access, text: TextSearch, question: SearchRequest, texts: Mapping[str, str]
) -> dict[str, Shared]:
    """Return for each of these centers, by its text, what the rest shares with it."""
    names = names_in_texts.of_texts(tx, access, list(texts))
    standing = names_in_texts.standing(tx, access, names, most=MAX_TEXTS + 1)
    texts_in_store = text.count_texts(tx, access, question.kinds)
    found = {}
    for center, said in texts.items():
        own = [name for name, places in names.items() if any(node_id == center for node_id, _ in places)]
        by_name = {name: {node_id for node_id, _ in standing.get(name, ())} for name in own}
        counted = {name: ids for name, ids in by_name.items() if 1 < len(ids) <= MAX_TEXTS}
        known = {term for name in counted for term in terms(phrase_of(name))}
        counts = question.term_counts if said == question.text else text.term_counts(tx, access, said)
        counts = {term: count for term, count in counts.items() if term not in known and not KANA.search(term)}
        by_term = text.texts_of_rarest(tx, access, counts, most=(_MAX_TERMS, MAX_TEXTS))
        telling = {term: set(ids) for term, ids in by_term.items()}
        written = written_as_names(said, telling)
        in_names = {term for name in written for term in terms(phrase_of(name))}
        plain = {term: ids for term, ids in telling.items() if term not in in_names}
        certain = counted | {name: ids for name, ids in written.items() if " " in name}
        others = {name: ids for name, ids in written.items() if name not in certain}
        by_names = [*_rarities(certain, texts_in_store, few=_MIN_TEXTS), *_rarities(others, texts_in_store)]
        found[center] = Shared(
            _summed(by_names, center, among=len({*own, *written}) / _FEW_NAMES),
            _summed(_rarities(plain, texts_in_store), center, among=len(query_terms(said)) / _FEW_TERMS),
        )
    return found


def read_moments(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, Moment]:
    """Return when each of these texts was observed."""
    known = search.times_of(tx, access, ids)
    return {node_id: Moment(_day(observed_at), session) for node_id, (observed_at, session) in known.items()}


def closenesses(center: str, others: Sequence[str], moments: Mapping[str, Moment], *, half_life: float) -> list[float]:
    """Return how close in time each of some texts is to a center."""
    first = moments.get(center)
    return [closeness(first, moments.get(other), half_life=half_life) for other in others]


def without_endings(text: str) -> str:
    """Return a text with a space for each hiragana and for the endings of Korean sentences: most hiragana are endings
    and small words, and what stands in all texts says nothing of them. A text of nothing else stays as it is.
    """
    if text.isascii():
        return text
    plain = _VERB_ENDING.sub(" ", KANA.sub(" ", text))
    return plain if plain == text or terms(plain) else text


def closeness(first: Moment | None, second: Moment | None, *, half_life: float) -> float:
    """Return how close in time two texts are, 0 to 1: 1 in one session, and half as much each `half_life` days."""
    if first is None or second is None:
        return 0.0
    if first.session is not None and first.session == second.session:
        return 1.0
    return float(0.5 ** (abs(first.day - second.day) / half_life))


def written_as_names(text: str, by_term: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the rare terms of a text that are written as names, and the texts that have each: words with a capital
    inside a sentence, those that stand side by side as one, and pairs of characters that make up a longer word.
    """
    spans = [
        (match.start(), match.end(), by_term[term])
        for match in _INSIDE.finditer(text)
        if match[0][0].isupper() and match[0].casefold() not in IN_NO_NAME
        for term in terms(match[0])
        if term in by_term
    ]
    found = {}
    for start, end, count, ids in _joined(spans, gap=1):
        word = folded(text[start:end])
        found[word if count > 1 else CAPITAL + word] = ids
    if is_unspaced(text):
        pairs = [(start, end, by_term[term]) for term, start, end in placed_terms(text) if term in by_term]
        found |= {folded(text[start:end]): ids for start, end, count, ids in _joined(pairs, gap=-1) if count > 1}
    return found


def _joined(spans: Sequence[tuple[int, int, set[str]]], *, gap: int) -> Iterator[tuple[int, int, int, set[str]]]:
    """Yield pieces of a text that are at most so far apart, and that the same texts have, as one: where it begins and
    ends, of how many it is made, and the texts that have all of them.
    """
    open_one: tuple[int, int, int, set[str]] | None = None
    for start, end, ids in spans:
        if open_one is not None and start - open_one[1] <= gap and len(open_one[3] & ids) > 1:
            open_one = (open_one[0], end, open_one[2] + 1, open_one[3] & ids)
            continue
        if open_one is not None:
            yield open_one
        open_one = (start, end, 1, ids)
    if open_one is not None:
        yield open_one


def _rarities(places: Mapping[str, set[str]], texts: int, *, few: int = _MANY_TEXTS) -> list[tuple[float, set[str]]]:
    """Return how rare each name or term is, and the texts that have it. few: among fewer texts it tells less."""
    return [(rarity_of(name, len(ids), texts, few=few), ids) for name, ids in places.items()]


def _summed(some: Iterable[tuple[float, set[str]]], center: str, *, among: float) -> Rarities:
    found: dict[str, list[float]] = defaultdict(list)
    for rarity, ids in some:
        for node_id in ids - {center}:
            found[node_id].append(rarity / math.sqrt(max(among, 1.0)))
    return {
        node_id: sum(value * 0.5**place for place, value in enumerate(sorted(values, reverse=True)))
        for node_id, values in found.items()
    }


def rarity_of(name: str, count: int, texts: int, *, few: int) -> float:
    """Return how rare a name or term is that so many of all texts have, 0 to about 1; less where texts are few."""
    telling = max(math.log(max(texts, _MIN_TEXTS) / count), 0.0) / math.log(max(texts, few)) / math.log1p(count)
    return telling * (_ONE_WORD_SHARE if is_one_word(name) else 1.0)


def _day(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() / _SECONDS_PER_DAY
