"""Splits a long text into parts at the ends of paragraphs, sentences or words, in any script."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Where a text may be cut, the best first: after a blank line, a line, a sentence, a word.
_BORDERS: Final = (
    re.compile(r"\n[^\S\n]*+\n\s*+"),
    re.compile(r"\n\s*+"),
    re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+\s++|[。！？｡．]++[」』）”’】\])]*+\s*+"),
    re.compile(r"\s++|[、，､；：]++"),
)
_JOINER: Final = "\u200d"
# The joiner, modifiers of emoji, and parts of Korean syllables belong to the character before them.
_CONTINUING: Final = re.compile(f"[{_JOINER}\U0001f3fb-\U0001f3ff\u1160-\u11ff]")
_FLAGS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def split_text(text: str, *, size: int) -> list[str]:
    """Parts of at most `size` bytes that together are the text; each ends at the best border in its second half."""
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = start + _fitting(text[start : start + size], size)
        if end < len(text):
            end = _border(text, start, end)
        parts.append(text[start:end])
        start = end
    return parts


def _fitting(text: str, size: int) -> int:
    """The number of characters at the beginning of a text that have at most `size` bytes together."""
    encoded = text.encode()
    return len(text) if len(encoded) <= size else len(encoded[:size].decode(errors="ignore"))


def _border(text: str, start: int, end: int) -> int:
    """The best place to cut between the middle and the end of a stretch of text."""
    middle = start + (end - start) // 2
    for border in _BORDERS:
        # Up to the end and no further: what follows it belongs to the next part anyway.
        if cuts := [match.end() for match in border.finditer(text, middle, end)]:
            return cuts[-1]
    return next((cut for cut in range(end, middle, -1) if not _inside_character(text, cut)), end)


def _inside_character(text: str, at: int) -> bool:
    """True if a cut would part what is read as one character: marks, emoji sequences, flags, Korean syllables."""
    before, after = text[at - 1], text[at]
    if before == _JOINER or (before, after) == ("\r", "\n") or _CONTINUING.match(after):
        return True
    if after in _FLAGS:
        return (at - len(text[:at].rstrip(_FLAGS))) % 2 == 1
    return unicodedata.category(after)[0] == "M"
