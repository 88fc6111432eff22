"""Evens out how two nearly equal texts are written, so that only what they say is compared: spellings, slips of the
fingers, words in kana that the other has in kanji.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Final

from wherefrom.text.differences.kana_readings import reads_alike
from wherefrom.text.differences.slips import CountPieces, is_slip
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.tokens import UNSPACED, is_unspaced

# A word by itself, and not a part of an address, a path or a code.
_WORD: Final = re.compile(
    f"(?<![\\w@/\\\\.#'’-])[^\\W\\d_{UNSPACED}]+(?:['’][^\\W\\d_{UNSPACED}]+)?(?![\\w@/\\\\-]|[.:][\\w/])"
)
# An article says nothing, but for these: few guests, a few guests.
_A_FEW: Final = re.compile(r"\b[Aa] (few|little)\b")
_SPACE: Final = re.compile(f"(?<=[{UNSPACED}、。]) +(?=[{UNSPACED}、。])")
_KANJI: Final = re.compile("[\u3400-\u9fff々]+")
_KATAKANA: Final = re.compile("[\u30a1-\u30fa]")
# Texts that differ in more words, or are longer, are not evened out.
_MAX_WORDS, _MAX_CHARACTERS = 12, 1_500
# Characters between two stretches that may be one word.
_MAX_BETWEEN: Final = 2
_MIN_KATAKANA: Final = 4

_Stretch = tuple[int, int, int, int]


def evened(one: str, other: str, count_pieces: CountPieces | None) -> tuple[str, str]:
    """Two texts, each word that both have in two spellings in one of these. Without a vocabulary slips stay."""
    if one == other:
        return one, other
    texts = (one, other)
    if not (one.isascii() and other.isascii()):
        texts = _plain(one), _plain(other)
        if max(map(len, texts)) <= _MAX_CHARACTERS and is_unspaced(texts[0]) and is_unspaced(texts[1]):
            texts = _in_one_script(*texts), texts[1]
    mine, theirs = (_A_FEW.sub(r"some \1", _WORD.sub(_respelled, text)) for text in texts)
    if count_pieces is not None and (slips := _slips(mine, theirs, count_pieces)):
        mine = _WORD.sub(lambda match: _with_case(slips.get(match[0].casefold()), match[0]), mine)
    return mine, theirs


def _plain(text: str) -> str:
    return _SPACE.sub("", unicodedata.normalize("NFKC", text))


def _respelled(match: re.Match[str]) -> str:
    word = match[0].casefold()
    return _with_case(form, match[0]) if (form := spelled(word)) != word else match[0]


def _with_case(form: str | None, word: str) -> str:
    if form is None:
        return word
    return form[:1].upper() + form[1:] if word[:1].isupper() else form


def _slips(mine: str, theirs: str, count_pieces: CountPieces) -> dict[str, str]:
    """The words of a text that are slips of words that only the other has, or the other way round."""
    words, others = _words(mine), _words(theirs)
    gone, come = words.keys() - others.keys(), others.keys() - words.keys()
    if not gone or not come or max(len(gone), len(come)) > _MAX_WORDS:
        return {}
    found: dict[str, str] = {}
    for word in sorted(gone):
        meant = [each for each in come if is_slip(word, each, count_pieces, is_name=words[word] or others[each])]
        if len(meant) == 1 and meant[0] not in found.values():
            found[word] = meant[0]
    return found


def _words(text: str) -> Mapping[str, bool]:
    """The words of a text in lower case, and whether each may be a name: it never has a small letter."""
    found: dict[str, bool] = {}
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        found[word] = match[0][:1].isupper() and found.get(word, True)
    return found


def _in_one_script(mine: str, theirs: str) -> str:
    """The first text with words as the second writes them, where both read alike."""
    parts, end = [], 0
    for at in _stretches(mine, theirs):
        start, stop, other_start, other_stop = at
        parts += [mine[end:start], theirs[other_start:other_stop] if _is_same(mine, theirs, at) else mine[start:stop]]
        end = stop
    return "".join((*parts, mine[end:]))


def _is_same(mine: str, theirs: str, at: _Stretch) -> bool:
    start, stop, other_start, other_stop = at
    return reads_alike(mine[start:stop], theirs[other_start:other_stop]) or _is_lengthened(mine, theirs, at)


def _stretches(mine: str, theirs: str) -> Iterator[_Stretch]:
    """Where two texts differ; neighbours that only read alike together are one: 申込, 申し込み."""
    found: list[_Stretch] = []
    for kind, start, stop, other_start, other_stop in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if kind != "replace" and start and other_start and _KANJI.fullmatch(mine[start - 1]):
            # An ending that only one has belongs to the character before.
            start, other_start = start - 1, other_start - 1
        at = start, stop, other_start, other_stop
        if (
            found
            and start - found[-1][1] <= _MAX_BETWEEN
            and not (_is_same(mine, theirs, found[-1]) and _is_same(mine, theirs, at))
        ):
            both = found[-1][0], stop, found[-1][2], other_stop
            if _is_same(mine, theirs, both):
                found[-1] = both
                continue
        found.append(at)
    yield from found


def _is_lengthened(mine: str, theirs: str, at: _Stretch) -> bool:
    """True if a word in katakana has a mark for a long vowel at its end in one of two texts only: サーバ, サーバー."""
    start, stop, other_start, other_stop = at
    if {mine[start:stop], theirs[other_start:other_stop]} != {"", "ー"}:
        return False
    text, place = (mine, start) if mine[start:stop] else (theirs, other_start)
    is_end = not _KATAKANA.match(text[place + 1 : place + 2])
    word = re.search("[\u30a1-\u30fc]+$", text[: place + 1])
    return is_end and word is not None and len(word[0]) >= _MIN_KATAKANA
