"""Plain text: which encoding the bytes are in, and paragraphs between blank lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

from wherefrom.explore.documents.document import Block, Document, pieces_of
from wherefrom.model.errors import InvalidInput

_BLANK_LINES: Final = re.compile(r"(?:\r\n?+|\n)[^\S\r\n]*+(?:\r\n?+|\n)")
# UTF-32 begins like UTF-16 and comes first.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Names as pages declare them, and the codec that browsers take for them (https://encoding.spec.whatwg.org/#names).
# A list of its own, as Python knows codecs that are no encodings (zlib) or take quadratic time (punycode).
_CODECS: Final = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "cp932": "cp932",
    "euc-jp": "euc_jp",
    "x-euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "cp949": "cp949",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "windows-1252": "cp1252",
    "iso-8859-2": "iso8859_2",
    "iso-8859-15": "iso8859_15",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "koi8-r": "koi8_r",
}
_GUESSES: Final = ("cp932", "euc_jp", "gb18030", "cp949", "cp1252")
_SAMPLE_BYTES: Final = 64 * 1024
_CONTROLS: Final = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f]")


def read_plain(data: bytes, *, charset: str | None = None) -> Document:
    """The text as it is; its title is left to the file's name."""
    text = decode(data, charset=charset)
    return Document("", text, pieces_of(text, paragraphs(text)))


def paragraphs(text: str) -> Iterator[Block]:
    """What stands between blank lines."""
    start = 0
    for blank in _BLANK_LINES.finditer(text):
        yield Block("paragraph", start, blank.start())
        start = blank.end()
    yield Block("paragraph", start, len(text))


def decode(data: bytes, *, charset: str | None = None) -> str:
    """The bytes as text: by their byte order mark, else as declared, else UTF-8, else the likeliest of five encodings.

    The five are Shift_JIS, EUC-JP, GB18030, CP949 and CP1252; charset-normalizer chooses, where it is installed.
    """
    marked = next((codec for mark, codec in _MARKS if data.startswith(mark)), None)
    declared = _CODECS.get((charset or "").strip(" \"'").lower())
    if marked is not None:
        text = _strict(data, marked)
    elif b"\x1b$" in data and data.isascii():
        text = _strict(data, "iso2022_jp")
    else:
        text = _first(data, [codec for codec in (declared, "utf-8") if codec])
    if text is None and marked is None:
        text = _guessed(data)
    if text is None:
        raise InvalidInput("the text is in no encoding that can be recognised", hint="save it as UTF-8")
    if "\0" in text or len(_CONTROLS.findall(text, 0, _SAMPLE_BYTES)) > 8 + len(text) // 50:
        raise InvalidInput("the file holds NUL or control characters and is not text", hint="save it as UTF-8 text")
    return text


def _guessed(data: bytes) -> str | None:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return _strict(data, "cp1252")
    sample = data if len(data) <= _SAMPLE_BYTES else data[: data.rfind(b"\n", 1, _SAMPLE_BYTES)]
    best = from_bytes(sample, cp_isolation=list(_GUESSES)).best()
    likeliest = [best.encoding] if best is not None else []
    return _first(data, [*likeliest, *_GUESSES])


def _first(data: bytes, names: list[str]) -> str | None:
    texts = (_strict(data, name) for name in names)
    return next((text for text in texts if text is not None), None)


def _strict(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return None
