"""Plain text: bytes decoded, and paragraphs between blank lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from wherefrom.evidence.documents.document import Block, Document, document_of
from wherefrom.lazy import charset_normalizer
from wherefrom.model.errors import InvalidInput

_BLANK_LINES: Final = re.compile(r"(?:\r\n?+|\n)[^\S\r\n]*+(?:\r\n?+|\n)")
# UTF-32 begins like UTF-16 and comes first.
_BYTE_ORDER_MARKS: Final = {
    "utf-8-sig": (codecs.BOM_UTF8,),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
# The codecs that a declared name may stand for. A list of its own, as Python knows codecs that are no encodings (zlib)
# or take quadratic time (punycode).
_CODECS: Final = frozenset(
    """
    utf-8 utf-16 utf-16-le utf-16-be shift_jis cp932 euc_jp iso2022_jp gb2312 gbk gb18030 big5 euc_kr cp949
    iso8859-1 iso8859-2 iso8859-15 cp1250 cp1251 cp1252 koi8-r
    """.split()  # noqa: SIM905  # a list of words is read as words
)
# The wider codec that browsers use when one of these is declared (https://encoding.spec.whatwg.org/#names).
_WIDER: Final = {
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
}
_GUESSES: Final = ("cp932", "euc_jp", "gb18030", "cp949", "cp1252")
_MAX_SAMPLE_BYTES: Final = 64 * 1024
_CONTROLS: Final = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f]")


def read_plain(data: bytes, charset: str | None) -> Document:
    """Plain text as a document of paragraphs; it states no title."""
    text = decode(data, charset)
    return document_of("", text, paragraphs(text))


def paragraphs(text: str) -> Iterator[Block]:
    """The paragraphs of a text: the spans between its blank lines."""
    start = 0
    for blank in _BLANK_LINES.finditer(text):
        yield Block("paragraph", start, blank.start())
        start = blank.end()
    yield Block("paragraph", start, len(text))


def decode(data: bytes, charset: str | None = None) -> str:
    """The bytes as text: by their byte order mark, else as declared, else UTF-8, else the likeliest of five encodings.

    The five are Shift_JIS, EUC-JP, GB18030, CP949 and CP1252; charset-normalizer chooses, where it is installed.
    """
    marked = [codec for codec, marks in _BYTE_ORDER_MARKS.items() if data.startswith(marks)][:1]
    is_escaped = b"\x1b$" in data and data.isascii()
    stated = ["iso2022_jp"] if is_escaped else [_declared(charset or "") or "utf-8", "utf-8"]
    text = _decoded(data, marked or stated)
    if text is None and not marked:
        text = _decoded(data, _likeliest(data))
    if text is None:
        raise InvalidInput("the text is in no encoding that can be recognised", hint="save it as UTF-8")
    if "\0" in text or len(_CONTROLS.findall(text, 0, _MAX_SAMPLE_BYTES)) > 8 + len(text) // 50:
        raise InvalidInput("the file holds NUL or control characters and is not text", hint="save it as UTF-8 text")
    return text


def _declared(charset: str) -> str | None:
    """The codec that a declared name stands for; None if texts in it are not read."""
    try:
        given = charset.strip(" \"'").lower().removeprefix("x-")
        name = codecs.lookup("cp932" if given == "windows-31j" else given).name
    except (LookupError, ValueError):
        return None
    return _WIDER.get(name, name) if name in _CODECS else None


def _likeliest(data: bytes) -> list[str]:
    """The encodings that bytes may be in, the likeliest first."""
    sample = data if len(data) <= _MAX_SAMPLE_BYTES else data[: data.rfind(b"\n", 1, _MAX_SAMPLE_BYTES)]
    try:
        best = charset_normalizer.from_bytes(sample, cp_isolation=list(_GUESSES)).best()
    except ImportError:
        return ["cp1252"]
    return [*([best.encoding] if best is not None else []), *_GUESSES]


def _decoded(data: bytes, codecs_tried: list[str]) -> str | None:
    """The bytes as text by the first of these codecs that fits; None if none does."""
    for codec in codecs_tried:
        with suppress(UnicodeDecodeError):
            return data.decode(codec)
    return None
