"""Recovery phrases of wallets and recovery codes of accounts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wherefrom.text.patterns import compiled

# One of these somewhere in the text is enough, because a phrase looks like nothing else: twelve words or more in a row,
# all of three to eight letters, none of which holds sentences together.
_ANNOUNCED: Final = r"seed (?:phrase|word|is|backup)|seed:|phrase|mnemonic|(?:12|24|twelve|twenty-four) words"
_CODE_STEMS: Final = ("recovery code", "backup code", "rescue code")
_OTHER_STEMS: Final = (
    r"フレーズ|ニーモニック|助[记記][词詞]|시드|니모닉|リカバリーコード|バックアップコード|復旧コード|恢复码|복구 코드"
)
_WORD: Final = (
    r"(?!(?:the|and|for|are|was|were|your|from|not|has|had|have|its|his|her|our|their|which|been|each|into"
    r"|these|those)\b)"
    r"[a-z]{3,8}+"
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
    if "seed" in plain or "phrase" in plain or "mnemonic" in plain:
        return True
    if any(stem in plain for stem in _CODE_STEMS):
        return True
    return not text.isascii() and compiled(_OTHER_STEMS).search(text) is not None


def phrase_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each recovery phrase and of each recovery code."""
    for match in compiled(_PHRASE).finditer(text):
        before = text[max(0, match.start() - 40) : match.start()].lower()
        announced = compiled(f"{_ANNOUNCED}|{_OTHER_STEMS}").search(before)
        if announced or (_is_line(text, *match.span()) and match[0].count(" ") + 1 in _LENGTHS):
            yield match.span()
    for match in compiled(_CODES).finditer(text):
        yield from (code.span() for code in compiled(_CODE).finditer(text, *match.span(1)))


def _is_line(text: str, start: int, end: int) -> bool:
    """Whether it is a line of its own."""
    begins = start == 0 or text[start - 1] == "\n"
    return begins and "\n" not in text[start:end] and text[end : end + 1] in ("", "\n")
