"""Decides whether the later of two short statements is surely an update of the earlier: one value exchanged behind the
same subject, or a negation that came or went.

"Anna lives in Hamburg." and "Anna lives in Munich now." are; "The port of staging is 80." and "The port of production
is 80." are not, because the difference stands in the subject, nor "Anna speaks German." and "Anna speaks French.",
because one may speak both. It errs on one side: an update that is not seen stays a statement beside the other, but a
statement that is taken for an update hides one that holds. So a value counts only behind verbs that are known to
have one value at a time, and a word behind "is" only where the subject can be one thing alone.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from typing import Final, NamedTuple

from wherefrom.text.differences import exchange_words as lists
from wherefrom.text.differences.added_content import is_same_word
from wherefrom.text.differences.statement_words import (
    BREAK,
    CLOCK,
    DATE,
    DAY,
    FUNCTION,
    IDENTIFIER,
    NAME,
    NUMBER,
    PERIOD,
    QUALIFIER,
    ROUTINE,
    UNIT,
    VALUE,
    VERB,
    Exchange,
    Piece,
    Statement,
)
from wherefrom.text.differences.statements import statement_of
from wherefrom.text.differences.unspaced_values import has_many_values, is_unspaced_value

__all__ = ["Statement", "is_update", "may_be_update", "statement_of"]

_MAX_CONTENT_WORDS: Final = 3
# Of the characters of Chinese, each of which is a word here.
_MAX_CHARACTERS: Final = 6
_MAX_LENGTH_DIFFERENCE: Final = 6
# Words that may stand between a verb and its value: "works part-time at Bosch".
_MAX_BETWEEN: Final = 2
_PLACES: Final = frozenset("in at on im am bei auf an by von to nach als as".split())
_INSIDE: Final = frozenset("in at im bei".split())
_COMPANY: Final = frozenset("with mit without ohne like wie".split())
_EVERY: Final = frozenset("every each jeden jede".split())
_PURPOSE: Final = frozenset("for as für zum als".split())
_TIMES: Final = frozenset("times mal x".split())
_HAVE: Final = frozenset("has have hat habe haben".split())
# Behind these a number may stand among other words: "departs from stop 4".
_FREE: Final = lists.STATES | lists.COPULAS | {":"} | (lists.SCHEDULES - lists.MANY_VALUED)
_PARTICIPLE: Final = re.compile(
    ".{2,}ed|been|bought|met|seen|made|read|won|lost|run|written|had|done|gone|taken|given|eaten|sold|sent|spent|got"
)
_GERMAN_PARTICIPLE: Final = re.compile("(?:\\w{0,5}ge\\w{2,}|be\\w{3,}|ver\\w{3,})(?:t|en)")


def is_update(earlier: Statement, later: Statement) -> bool:
    """True if the later of two statements surely exchanges what the earlier says."""
    mine, theirs, behind = earlier.words, later.words, earlier.behind
    if mine[:1] != theirs[:1] or earlier.script != later.script or earlier.title != later.title:
        return False
    if earlier.planned != later.planned:
        return False
    if earlier.negations != later.negations:
        return _is_denied(earlier, later)
    if not behind or behind != later.behind or earlier.negations or mine[:behind] != theirs[:behind]:
        return False
    exchange = _exchange(earlier, later)
    if exchange is None or exchange.start < behind or not _is_plain(exchange):
        return False
    pair = _two_numbers(exchange)
    is_value = _is_spaced_value if earlier.script == "spaced" else is_unspaced_value
    if pair is None:
        return is_value(exchange)
    return pair[0].is_dated == pair[1].is_dated and is_value(pair[0]) and is_value(pair[1])


def may_be_update(earlier: Statement, later: Statement) -> bool:
    """True if one short piece differs behind the same subject: an update, or another value of those that it may have.

    Looser than `is_update`: to ask whoever saves a statement, not to decide for them.
    """
    if is_update(earlier, later):
        return True
    behind = earlier.behind
    if not behind or behind != later.behind or earlier.words[:behind] != later.words[:behind]:
        return False
    if (earlier.script, earlier.title, earlier.planned) != (later.script, later.title, later.planned):
        return False
    exchange = _exchange(earlier, later)
    if exchange is None or exchange.start < behind or not _is_plain(exchange) or earlier.negations != later.negations:
        return False
    counted = bool(exchange.marks & VALUE)
    return counted or not (_has_many_values(earlier) or _has_verb_behind(earlier, exchange.end))


def _has_many_values(statement: Statement) -> bool:
    if statement.script != "spaced":
        return has_many_values(statement)
    return statement.words[statement.behind - 1] in lists.MANY_VALUED or statement.head in lists.MANY_NOUNS


def _exchange(earlier: Statement, later: Statement) -> Exchange | None:
    """Return the pieces between the common beginning and end of two statements; None if one has nothing there."""
    mine, theirs = earlier.words, later.words
    least = min(len(mine), len(theirs))
    if max(len(mine), len(theirs)) - least > _MAX_LENGTH_DIFFERENCE:
        return None
    start = earlier.behind
    while start < least and mine[start] == theirs[start]:
        start += 1
    common = 0
    while common < least - start and mine[-1 - common] == theirs[-1 - common]:
        common += 1
    end, later_end = len(mine) - common, len(theirs) - common
    return Exchange.of(earlier, later, start, end, later_end) if start < min(end, later_end) else None


def _is_plain(exchange: Exchange) -> bool:
    """True if both pieces are short, without identifiers, verbs, joining words and words that say of what it holds."""
    most = _MAX_CHARACTERS if exchange.earlier.script == "zh" else _MAX_CONTENT_WORDS
    for piece in (exchange.mine, exchange.theirs):
        content = 0
        for word, mark in piece:
            if mark & (IDENTIFIER | BREAK) or word in lists.CONJUNCTIONS:
                return False
            if mark & (VERB | QUALIFIER) and not mark & NUMBER and word not in lists.KINDS_OF_VALUES:
                return False
            content += not mark & (FUNCTION | UNIT)
        if content > most:
            return False
    return True


def _two_numbers(exchange: Exchange) -> tuple[Exchange, Exchange] | None:
    """The two exchanges of one word each in which statements differ, if both are of numbers or dates; else None."""
    earlier, later = exchange.earlier, exchange.later
    if exchange.end != exchange.later_end or exchange.end - exchange.start == 1:
        return None
    apart = [at for at in range(exchange.start, exchange.end) if earlier.words[at] != later.words[at]]
    if len(apart) != 2 or not all(earlier.marks[at] & later.marks[at] & VALUE for at in apart):
        return None
    first, second = (Exchange.of(earlier, later, at, at + 1, at + 1) for at in apart)
    return first, second


def _is_spaced_value(exchange: Exchange) -> bool:
    numeric = [_is_numeric(piece) for piece in (exchange.mine, exchange.theirs)]
    if numeric[0] != numeric[1] or _has_verb_behind(exchange.earlier, exchange.end):
        return False
    if exchange.earlier.words[_verb_before(exchange.earlier, exchange.start) - 1] in lists.PRONOUNS:
        return False  # "Ben says it is 5": nobody knows what
    return _is_number(exchange) if numeric[0] else _Word.of(exchange).is_value()


def _is_numeric(piece: Piece) -> bool:
    """True if a piece consists of numbers or dates, apart from units and words such as "at"."""
    marks = [mark for _, mark in piece if not mark & (FUNCTION | UNIT)]
    return all(mark & VALUE for mark in marks) if marks else any(mark & UNIT for _, mark in piece)


def _verb_before(statement: Statement, start: int) -> int:
    """Where the verb stands to which a value belongs: the last one before it."""
    verbs = (at for at in range(start - 1, -1, -1) if statement.marks[at] & VERB)
    return next(verbs, statement.behind - 1)


def _has_verb_behind(statement: Statement, end: int) -> bool:
    """True if the sentence goes on with a verb, so that what stands before it belongs to a subject."""
    for at in range(end, len(statement.words)):
        if statement.marks[at] & BREAK:
            return False
        if statement.marks[at] & VERB and not statement.marks[at] & FUNCTION:
            return at == end or statement.words[at - 1] not in lists.CONJUNCTIONS
    return False


def _is_number(exchange: Exchange) -> bool:
    """True if an exchanged number or date is the value of its statement."""
    earlier, later, start = exchange.earlier, exchange.later, exchange.start
    at = _verb_before(earlier, start)
    verb, dated = earlier.words[at], exchange.is_dated
    if verb in _HAVE and _is_event(earlier, at):
        return False
    content = [place for place in range(at + 1, start) if not earlier.marks[place] & (FUNCTION | UNIT)]
    for place in content:
        mark = earlier.marks[place]
        # "40 EUR for 2 people": the second number says of what the first one holds.
        if mark & NUMBER and earlier.words[place] == later.words[place] and not (mark & DATE and dated):
            return False
    if dated:
        return _is_date(exchange, at)
    if verb in _FREE:
        return True
    return not content or _follows(exchange, _TIMES)


def _is_date(exchange: Exchange, at: int) -> bool:
    """True if an exchanged date is when something is, rather than the day or year of which a figure or a habit is."""
    earlier, marks = exchange.earlier, exchange.marks
    rest = (*earlier.marks[earlier.behind : exchange.start], *earlier.marks[exchange.end :])
    if any(mark & NUMBER and not mark & DATE for mark in rest):
        return False
    between = range(at + 1, exchange.start)
    often = bool(marks & ROUTINE) or (bool(marks & DAY) and any(earlier.words[place] in _EVERY for place in between))
    if often and not (earlier.routine or exchange.later.changes):
        return False
    verb = earlier.words[at]
    when = verb in lists.COPULAS or verb in lists.SCHEDULES or verb == ":"
    if marks & DAY:
        appointed = all(
            earlier.marks[place] & (FUNCTION | VALUE) or earlier.words[place] in lists.APPOINTED for place in between
        )
        return when and (appointed or verb not in lists.COPULAS)
    if marks & PERIOD and not marks & CLOCK:
        return when or verb in lists.NUMERIC or verb in ("has", "hat")
    return when or verb in lists.STATES or verb in lists.MANY_VALUED


def _is_event(statement: Statement, at: int) -> bool:
    """True if "has" only helps to tell what has been done: "has bought", "hat gekauft"."""
    following = statement.words[at + 1] if at + 1 < len(statement.words) else ""
    if statement.words[at] in ("has", "have"):
        return bool(_PARTICIPLE.fullmatch(following))
    return bool(_GERMAN_PARTICIPLE.fullmatch(statement.words[-1])) and not statement.marks[-1] & NAME


def _follows(exchange: Exchange, words: frozenset[str]) -> bool:
    """True if one of these words stands right behind an exchanged piece."""
    return exchange.end < len(exchange.earlier.words) and exchange.earlier.words[exchange.end] in words


class _Word(NamedTuple):
    """An exchanged word or name. at: where its verb stands. content: where other words stand between the two.
    prepositions: which stand before it. names: whether it is a name, in the earlier and in the later statement.
    """

    exchange: Exchange
    at: int
    content: list[int]
    prepositions: set[str]
    names: tuple[bool, bool]

    @classmethod
    def of(cls, exchange: Exchange) -> _Word:
        earlier, start = exchange.earlier, exchange.start
        at = _verb_before(earlier, start)
        mine, theirs = exchange.mine, exchange.theirs
        names = any(mark & NAME for _, mark in mine), any(mark & NAME for _, mark in theirs)
        while start > at + 1 and names[0] and earlier.marks[start - 1] & NAME:
            start -= 1  # "San" of "San Diego"
        between = range(at + 1, start)
        before = zip(earlier.words[at + 1 : start], earlier.marks[at + 1 : start], strict=True)
        prepositions = {word for word, mark in (*before, mine[0]) if mark & FUNCTION}
        content = [place for place in between if not earlier.marks[place] & FUNCTION]
        return cls(exchange, at, content, prepositions, names)

    def is_value(self) -> bool:
        """True if it is the value of its statement."""
        exchange, earlier, later = self.exchange, self.exchange.earlier, self.exchange.later
        verb = earlier.words[self.at]
        if not earlier.marks[self.at] & VERB or verb in lists.NUMERIC or not _are_comparable(exchange):
            return False
        if earlier.head in lists.CAUSES:
            return False
        if verb in lists.USES:
            return later.changes and _follows(exchange, _PURPOSE)
        if any(earlier.marks[place] & (NUMBER | NAME | IDENTIFIER) for place in self.content):
            return False
        if self.prepositions & _COMPANY:
            return False
        if verb in lists.MANY_VALUED and not (verb in lists.SCHEDULES and self.prepositions & _INSIDE):
            return False
        if verb in lists.WEAK:
            goes_on = exchange.end < len(earlier.words) and not earlier.marks[exchange.end] & (FUNCTION | BREAK)
            return later.changes or (verb in lists.PREFERENCES and goes_on)
        if verb in lists.COPULAS or verb == ":":
            return self._is_one_thing(verb)
        if len(self.content) > _MAX_BETWEEN or (self.names[0] != self.names[1] and not later.changes):
            return False
        if verb in lists.MOVES:
            return bool(self.prepositions & {"to", "nach", "zu", "in"})
        if verb in lists.SCHEDULES and verb not in lists.STATES:
            return bool(self.prepositions & _PLACES)
        return not (verb in lists.WORKS and self.prepositions & {"on", "an"})

    def _is_one_thing(self, verb: str) -> bool:
        """True if what "is" or a colon says of a subject can be one thing alone."""
        exchange, earlier, later = self.exchange, self.exchange.earlier, self.exchange.later
        called = any(earlier.words[place] in ("named", "called") for place in self.content)
        if earlier.head in lists.MANY_NOUNS and not (earlier.single or called):
            return False
        if verb == ":":
            return earlier.single and not self.content
        if verb in lists.PLURAL_COPULAS and not (later.changes or self.content):
            return False
        if verb in ("ist", "sind") and _has_adjective_behind(earlier, exchange.end):
            return False
        if earlier.single or (earlier.head in lists.THINGS and all(self.names)):
            return True
        if not all(_is_participle(earlier, place) for place in self.content):
            return False
        kinds = {lists.KINDS_OF_VALUES.get(word) for piece in (exchange.mine, exchange.theirs) for word, _ in piece}
        if later.changes or (len(kinds) == 1 and None not in kinds):
            return True
        if self.prepositions & _PLACES:
            return all(self.names) or (bool(self.content) and "to" not in self.prepositions)
        return all(self.names) and (bool(self.content) or not earlier.named)


def _are_comparable(exchange: Exchange) -> bool:
    """True if two pieces are of one kind: both with a number or none, no dates among them, the same prepositions, and
    not the same word spelt in two ways.
    """
    mine, theirs = exchange.mine, exchange.theirs
    numbers = [any(mark & NUMBER for _, mark in piece) for piece in (mine, theirs)]
    if exchange.is_dated or numbers[0] != numbers[1]:
        return False
    if len(mine) == len(theirs) == 1 and is_same_word(mine[0][0], theirs[0][0]):
        return False
    first, second = ([word for word, mark in piece if mark & FUNCTION] for piece in (mine, theirs))
    return first == second or frozenset((*first, *second)) in lists.SAME_PREPOSITIONS


def _is_participle(statement: Statement, place: int) -> bool:
    word = statement.words[place]
    regular = word.endswith("ed") and statement.marks[place] == 0 and word not in lists.INNER_STATES
    return regular or word in lists.PARTICIPLES or word == "place"


def _has_adjective_behind(statement: Statement, end: int) -> bool:
    """True if a German sentence ends with what somebody is in respect of a thing: "ist für Personal zuständig"."""
    places = range(end, len(statement.words))
    return any(statement.marks[place] == 0 and not _is_participle(statement, place) for place in places)


def _is_denied(earlier: Statement, later: Statement) -> bool:
    """True if one of two statements denies what the other says, and nothing else differs."""
    if (earlier.negations and later.negations) or earlier.stems != later.stems or len(earlier.stems) < 2:
        return False
    if earlier.script != "spaced":
        return bool(earlier.behind) and earlier.behind == later.behind
    if earlier.words[0] in lists.PRONOUNS:
        return False
    is_name = bool(earlier.marks[0] & NAME) and earlier.words[0] not in lists.FUNCTION
    return bool(earlier.behind or is_name or later.changes or earlier.changes)
