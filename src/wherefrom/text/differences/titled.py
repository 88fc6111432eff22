"""Compares titled texts: titles apart from bodies, as a title may be worded anew without stating anything else."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wherefrom.text.differences.added_content import changed, is_same_word
from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.fact_words import NEGATIONS, USUAL, Difference
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.tokens import STOP_WORDS, folded, is_unspaced

# Words that begin with so many of the same letters and end in these are forms of one word: deploy, deployment.
_MIN_STEM: Final = 4
_ENDINGS: Final = frozenset(
    ("", "s", "es", "e", "ed", "d", "ing", "ment", "ments", "er", "ers", "or", "ion", "ions", "al", "ly", "y", "ies")
)
_ASIAN: Final = "\u3040-\u30ff\u3400-\u9fff々"
_NO_HIRAGANA: Final = re.compile("[^\u3040-\u309f]+")
# How many of the words that only one text has are compared with those of the other for slips.
_MAX_COMPARED: Final = 50
# In a title these say nothing; any other word does, as "off" and "not" do.
_SILENT: Final = frozenset("a an the of for in on at and to about with our my der die das und im am".split())
# What a title may say of the whole that it stands above.
_STATES: Final = frozenset(
    """
    not no never false untrue wrong right true off over out up down done sold bought lost found gone broken stolen
    forbidden taken given lent won dead alive ill safe unsafe dangerous harmful bad good best worst old new former past
    future open empty full free fake rumour rumor lie lies myth joke nonsense fiction theory idea plan plans planning
    draft dream wish wishes maybe perhaps todo exception exceptions except without against before after until alleged
    optional mandatory possible impossible wanted unwanted alternative alternatives dispute doubt doubts doubtful
    accident failure error mistake mistakes end ends history archive obsolete void invalid valid pending ready
    falsch richtig wahr unwahr abgesagt verkauft gekauft erledigt verboten erlaubt verschoben geplant bezahlt offen
    kaputt fertig vorbei alt neu ehemalig aufgehoben abgelehnt genehmigt vermietet verloren gefunden vielleicht nicht
    kein keine
    """.split()
)
_STATE_ENDINGS: Final = ("ed", "able", "ible", "less", "ful", "n't")
_ASIAN_STATES: Final = re.compile(
    "[不未無非否誤偽嘘噂旧新仮済禁止廃却終完延消除外元前後案売買貸借失壊亡取已未]|うそ|デマ|キャンセル|ボツ|ダメ|だめ|취소|연기|금지|완료|거짓"
)
_NAMING: Final = re.compile("[\u30a1-\u30fc]{2,}|[\u3400-\u9fff々]+")
_TITLE_WORD: Final = re.compile(f"[{_ASIAN}]+|[^\\W_{_ASIAN}]+(?:['’-][^\\W_]+)*|[^\\w\\s.,:;!?()'\"-]")


def titles_difference(one: tuple[str | None, str], other: tuple[str | None, str]) -> Difference | None:
    """The kind of fact in which the titles of two texts, each given with its body, differ: a number, a date, a negation
    or a name. None if one has no title, or if they differ in wording alone.

    Capitals in a title say little, so that a word is taken for a name unless it is a usual one, stands in a text in
    lower case, or is a form of a word of the other title. A name that only one title has does not count if the body of
    the other has it; two names that are exchanged always do.
    """
    if not one[0] or not other[0] or folded(one[0]) == folded(other[0]):
        return None
    mine, theirs = facts_of(one[0]), facts_of(other[0])
    for first, second in ((mine, theirs), (facts_of(one[0].lower()), facts_of(other[0].lower()))):
        if (kind := difference(first, second)) in ("number", "date", "negation"):
            return kind
    bodies = facts_of(one[1]), facts_of(other[1])
    ordinary = _in_lower_case(one[1]) | _in_lower_case(other[1])
    gone, come = _names(mine, one[0], theirs, ordinary), _names(theirs, other[0], mine, ordinary)
    if gone and come:
        return "name"
    known = {*bodies[1].words} if gone else {*bodies[0].words}
    return "name" if not (gone | come) <= known or _renamed(mine, theirs, bodies) else None


def are_apart(one: tuple[str | None, str], other: tuple[str | None, str]) -> bool:
    """True if the titles of two texts of the same bodies, each given with its body, keep them apart: a title has a word
    that says something and that neither the other title nor the body has, or each has one that the other lacks. Beside
    no title one keeps apart that only judges what the body says: "Cancelled", "Wrong"; not one that names its topic,
    with a word of it.
    """
    if folded(one[0] or "") == folded(other[0] or ""):
        return False
    if not one[0] or not other[0]:
        return not _is_topic(one[0] or other[0] or "", one[1])
    mine, theirs = _title_words(one[0] or ""), _title_words(other[0] or "")
    own = [[word for word in words if word not in others] for words, others in ((mine, theirs), (theirs, mine))]
    if own[0] and own[1]:
        return True
    if [word for word in mine if word in theirs] != [word for word in theirs if word in mine]:
        return True
    return not all(_has(text, word) for words, text in ((own[0], other[1]), (own[1], one[1])) for word in words)


def _is_topic(title: str, body: str) -> bool:
    """True if a title has a word of the body, and none beside that denies, judges or changes what the body says."""
    words = _title_words(title)
    own = [word for word in words if not _has(body, word)]
    named = len(own) < len(words) or any(part in body for word in own for part in _NAMING.findall(word))
    return named and not any(
        word in _STATES or word in NEGATIONS or word.endswith(_STATE_ENDINGS) or _ASIAN_STATES.search(word)
        for word in own
    )


def _title_words(title: str) -> list[str]:
    return [
        word if is_unspaced(word) else spelled(word)
        for word in _TITLE_WORD.findall(folded(title))
        if word not in _SILENT
    ]


def _has(body: str, word: str) -> bool:
    return word in folded(body) if is_unspaced(word) else word in _title_words(body)


def word_share(one: Facts, other: Facts) -> float:
    """The share of the words of one text that the other has, in any order and with slips; of a text without spaces, of
    its pairs of characters. Range: [0, 1]; 1 for a text without words that say something.
    """
    mine, theirs = _told(one), _told(other)
    if not mine:
        return 1.0
    others = sorted(theirs - mine)[:_MAX_COMPARED]
    slips = sum(_is_slip_of_any(word, others) for word in sorted(mine - theirs)[:_MAX_COMPARED])
    return (len(mine & theirs) + slips) / len(mine)


def _is_slip_of_any(word: str, others: Sequence[str]) -> bool:
    # A word with a slip, or with another ending, begins or ends as it did; most pairs do neither.
    first, last = word[0], word[-1]
    return any(is_same_word(word, known) for known in others if known[0] == first or known[-1] == last)


def _told(facts: Facts) -> set[str]:
    pairs = {facts.unspaced[at : at + 2] for at in range(len(facts.unspaced) - 1)}
    return {word for word in facts.words if word not in STOP_WORDS} | pairs


def _in_lower_case(text: str) -> set[str]:
    """The words that a text writes without a capital, so that they are no names."""
    words = (word.strip(".,;:!?()[]\"'’“”") for word in text.split())
    return {word for word in words if word and word == word.lower()}


def _names(facts: Facts, title: str, other: Facts, ordinary: set[str]) -> set[str]:
    """The words of a title that the other title has in no form and that may be names."""
    plain = ordinary if title == title.lower() else ordinary | _in_lower_case(title)
    new = {*facts.words} - {*other.words} - USUAL - plain
    return {word for word in new if not any(_is_akin(word, known) for known in (*other.words, *ordinary))}


def _is_akin(word: str, other: str) -> bool:
    """True if two words are forms of one word, by their endings."""
    stem = next((at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), None)
    stem = min(len(word), len(other)) if stem is None else stem
    ends = {word[stem:], other[stem:]}
    return (stem >= _MIN_STEM and ends <= _ENDINGS) or (stem == _MIN_STEM - 1 and ends == {"", "s"})


def _renamed(mine: Facts, theirs: Facts, bodies: tuple[Facts, Facts]) -> bool:
    """True if the titles differ in a part without spaces that may be a name: it is exchanged, or only one title has it
    and the body of the other does not.
    """
    if difference(_unspaced(mine), _unspaced(theirs)) is None:
        return False
    first, second = changed(mine.unspaced, theirs.unspaced)
    if first and second:
        return True
    said = bodies[1].unspaced if first else bodies[0].unspaced
    return any(word not in said for word in _NO_HIRAGANA.findall(first or second))


def _unspaced(facts: Facts) -> Facts:
    """The part of a text without spaces, by itself."""
    return Facts((), (), frozenset(), frozenset(), (), facts.unspaced, True)
