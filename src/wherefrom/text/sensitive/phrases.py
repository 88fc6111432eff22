"""Secrets of several words: passphrases, recovery phrases of wallets, recovery codes of accounts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wherefrom.text.sensitive.scanning import compiled
from wherefrom.text.sensitive.secret_values import is_placeholder, is_stand_in

_LONGEST: Final = 100
# In quotes: what forms and programs say to their users about passwords.
_MESSAGE: Final = (
    r"(?i)\b(?:pass(?:word|phrase|wort|code)s?|pwd?|kennwort|mot de passe|contraseña|senha|your|please|enter|must"
    r"|should|can(?:not|'t)?|required?|optional|invalid|incorrect|wrong|forgot(?:ten)?|reset|confirm|current|least"
    r"|characters?|match(?:es)?|set|string|value|field|secret|token|key|user|login|account|type|default|empty|hidden"
    r"|strength|show|hide|change|bitte|vergessen|oublié|olvid\w+|saisir|obligatoire)\b|[?!]\Z|%[sd]|パスワード|入力"
    r"|密码|비밀번호"
)
# Words that hold sentences together, in the languages in which passphrases are spoken of.
_SENTENCE: Final = (
    r"(?i)\b(?:the|an?|is|are|was|be|been|to|of|for|by|with|from|that|this|it|not|stored|saved|kept|used|which|you|i|we"
    r"|in|on|at|or|if|when|will|has|have|dans|le|la|les|est|pour|im|der|die|das|den|ist|nicht|gespeichert|hinterlegt"
    r"|nel|nella|di|el|en|est[áa]|guardad[ao]|no|same|only|never|always)\b"
)
_WORDS: Final = r"[^\W_]{2,16}(?:[ -][^\W_]{1,16}){2,9}"
_CLAUSE: Final = r"[^\n,.;:()\"「」|=<>{}]{8,100}(?=[,.;(\n]|\Z)"
_GROUPS: Final = r"[a-z]{4}(?: [a-z]{4}){3}"
# One of these somewhere in the text is enough, because a phrase looks like nothing else: twelve words or more in a row,
# all of three to eight letters, none of which holds sentences together.
_ANNOUNCED: Final = r"seed (?:phrase|word|is|backup)|seed:|phrase|mnemonic|(?:12|24|twelve|twenty-four) words"
_STEMS: Final = ("seed", "phrase", "mnemonic", "recovery code", "backup code", "rescue code")
_OTHER_STEMS: Final = (
    r"フレーズ|ニーモニック|助[记記][词詞]|시드|니모닉|リカバリーコード|バックアップコード|復旧コード|恢复码|복구 코드"
)
_WORD: Final = (
    r"(?!(?:the|and|for|are|was|were|your|from|not|has|had|have|its|his|her|our|their|which|been|each|into|these"
    r"|those)\b)[a-z]{3,8}+"
)
# Possessive: a table padded with spaces would else be tried in millions of ways.
_GAP: Final = r"(?=[\s,])[^\S\n]{0,4}+(?:[,\n][^\S\n]{0,4}+)?+(?:[0-9]{1,2}+[.):]?+[^\S\n]{0,2}+)?+"
_PHRASE: Final = rf"(?<![^\W\d_])(?:{_WORD}{_GAP}){{11,23}}{_WORD}(?![^\W\d_])"
_LENGTHS: Final = frozenset({12, 15, 18, 21, 24})
_CODES: Final = (
    r"(?i)(?:(?:recovery|backup|rescue) codes?|(?:リカバリー|バックアップ|復旧)コード|恢复码|복구 코드)"
    r"[^\n:=は]{0,60}(?::|=|は|是|는|。|\n)(?:[^\n。:]{0,12}[。:：])?"
    r"((?:[\s,;•*`\"'/-]{0,6}(?:[0-9]{1,2}[.)]\s)?(?=[a-z-]{0,10}[0-9])[a-z0-9]{4,12}(?:(?:-"
    r"|(?<=[0-9]{4}) (?=[0-9]{4}))[a-z0-9]{3,12}){0,4}"
    r"(?![a-z0-9])){1,16})"
)
_CODE: Final = r"(?=[A-Za-z-]{0,12}[0-9])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,12}){0,4}"


def may_hold_phrases(text: str, plain: str) -> bool:
    """Returns whether a word announces a phrase or a code; the plain form of the text is Latin-1 in lower case."""
    for stem in _STEMS:  # a generator would take three times as long
        if stem in plain:
            return True
    return not text.isascii() and compiled(_OTHER_STEMS).search(text) is not None


def phrase_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each recovery phrase and of each recovery code."""
    for match in compiled(_PHRASE).finditer(text):
        before = text[max(0, match.start() - 40) : match.start()].lower()
        announced = compiled(f"{_ANNOUNCED}|{_OTHER_STEMS}").search(before)
        # A line of its own.
        lone = before[-1:] in ("", "\n") and text[match.end() : match.end() + 1] in ("", "\n")
        if announced or (lone and "\n" not in match[0] and match[0].count(" ") + 1 in _LENGTHS):
            yield match.span()
    for match in compiled(_CODES).finditer(text):
        yield from (code.span() for code in compiled(_CODE).finditer(text, *match.span(1)))


def is_quoted_phrase(text: str, *, constant: bool, assigned: bool) -> bool:
    """Returns whether words in quotes are a passphrase; `constant` says that the variable's name is in capitals."""
    if not _may_be_phrase(text) or compiled(_MESSAGE).search(text):
        return False
    if compiled(_GROUPS).fullmatch(text) or constant:
        return True
    if not assigned:
        return compiled(_WORDS).fullmatch(text) is not None
    return text.islower() and (len(text.split()) > 2 or compiled("[0-9]{2}").search(text) is not None)


def is_random_row(text: str) -> bool:
    """Returns whether chance made a long row of characters, of which some are spaces: the salts of WordPress."""
    if len(text) < 32 or is_stand_in(text):
        return False
    return len(compiled("[0-9]").findall(text)) > 3 and len(compiled(r"[^\w\s]").findall(text)) > 7


def end_of_phrase(text: str, start: int) -> int | None:
    """Returns where the passphrase that begins at `start` ends, at the end of its clause; None if it is a sentence."""
    clause = compiled(_CLAUSE).match(text, start)
    phrase = clause[0].rstrip() if clause else ""
    if not (phrase.islower() and _may_be_phrase(phrase) and compiled(_WORDS).fullmatch(phrase)):
        return None
    return None if compiled(_MESSAGE).search(phrase) or compiled(_SENTENCE).search(phrase) else start + len(phrase)


def _may_be_phrase(text: str) -> bool:
    return len(text) <= _LONGEST and not is_stand_in(text) and (not text.isascii() or not is_placeholder(text))
