"""BibTeX entries as plain fields: @string names resolved, LaTeX read as text, what cannot be parsed reported."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from wherefrom.explore.documents.document import one_line
from wherefrom.model.errors import InvalidInput

if TYPE_CHECKING:
    from bibtexparser.model import Entry
    from pylatexenc.latex2text import LatexNodes2Text  # type: ignore[import-untyped]

# A value may be put together from others, each twice as long as the last; abstracts are shorter than this.
_VALUE_CHARACTERS: Final = 64 * 1024
_DEPTH: Final = 40
_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_UNDEFINED: Final = re.compile(r"[^\s#{}\"]+")
# A percent sign begins a comment in LaTeX, and stands for itself in every abstract.
_PERCENT: Final = re.compile(r"(?<!\\)%")
_BRACES: Final = re.compile(r"[{}]")
# Fields that are addresses or keys: their underscores and tildes are no LaTeX.
_VERBATIM: Final = frozenset({"url", "doi", "eprint", "archiveprefix", "howpublished", "note", "file", "keywords"})

Fault = tuple[str, str]


def read_bibtex(text: str) -> tuple[list[dict[str, Any]], list[Fault]]:
    """The entries, each with its fields in lower case besides `key` and `type`; and what could not be read, and why."""
    try:
        from bibtexparser.model import Entry, ParsingFailedBlock, String
        from bibtexparser.splitter import Splitter
    except ImportError:
        raise InvalidInput("reading BibTeX needs bibtexparser", hint="pip install 'wherefrom[documents]'") from None
    # They write a line for each fault, which the blocks tell us as well.
    for name in ("bibtexparser", "pylatexenc"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    strings = {month: month.capitalize() for month in _MONTHS}
    entries: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for found in Splitter(text).split().blocks:
        # A key or a field that stands there twice is no reason to lose the entry.
        block = (found.ignore_error_block or found) if isinstance(found, ParsingFailedBlock) else found
        if isinstance(block, String):
            strings[block.key.lower()] = _value(str(block.value), strings)
        elif isinstance(block, Entry):
            entries.append(_fields(block, strings))
        elif isinstance(block, ParsingFailedBlock):
            faults.append((one_line(str(block.raw or ""), characters=80), _reason(block.error)))
    return entries, faults


def _fields(entry: Entry, strings: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"key": entry.key, "type": entry.entry_type.lower()}
    for field in entry.fields:
        name = field.key.lower()
        if name in fields:
            continue
        value = _value(str(field.value), strings)
        if name in ("author", "editor"):
            fields[name] = [_as_text(person) for person in _names(value)]
        else:
            fields[name] = _as_verbatim(value) if name in _VERBATIM else _as_text(value)
    return fields


def _reason(error: Exception | None) -> str:
    return one_line(getattr(error, "abort_reason", "") or str(error or "")) or "it is not BibTeX"


def _value(source: str, strings: Mapping[str, str]) -> str:
    """A value without its enclosing: `{text}`, `"text"`, a number, a name of a @string, or several joined by #.

    Names stand for what was defined before them, as in BibTeX, so that a loop cannot be written.
    """
    parts: list[str] = []
    at = 0
    while at < len(source):
        character = source[at]
        if character in '{"':
            end = _closing(source, at)
            parts.append(source[at + 1 : end])
            at = end + 1
        elif word := _UNDEFINED.match(source, at):
            parts.append(strings.get(word.group().lower(), word.group()))
            at = word.end()
        else:
            at += 1
    return "".join(parts)[:_VALUE_CHARACTERS]


def _closing(source: str, start: int) -> int:
    quoted, depth = source[start] == '"', 0
    for match in re.compile(r'\\.|[{}"]', re.DOTALL).finditer(source, start + 1):
        mark = match.group()
        if depth == 0 and mark == ('"' if quoted else "}"):
            return match.start()
        depth += (mark == "{") - (mark == "}")
    return len(source)


def _names(value: str) -> Iterator[str]:
    """The persons of an author field, each as `First Last`; `and others` is nobody."""
    for person in _divided(value, " and "):
        if person.strip() in ("", "others"):
            continue
        parts = [part.strip() for part in _divided(person, ",")]
        # "von Last, First" and "von Last, Jr, First".
        yield " ".join([parts[-1], *parts[:-1]] if len(parts) > 1 else parts)


def _divided(value: str, separator: str) -> Iterator[str]:
    """The parts of a value; what stands in braces is not divided."""
    depth, start = 0, 0
    text = re.sub(r"\s", " ", value)
    for match in re.compile(rf"[{{}}]|{re.escape(separator)}").finditer(text):
        if match.group() != separator:
            depth += 1 if match.group() == "{" else -1
        elif depth == 0:
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def _as_text(value: str) -> str:
    """LaTeX as text: accents and commands read, mathematics left as it is."""
    if not any(mark in value for mark in "\\{}$~`'-"):
        return " ".join(value.split())
    if _depth(value) <= _DEPTH:
        try:
            decoded = _decoder().latex_to_text(_PERCENT.sub(r"\\%", value))
            return " ".join(str(decoded).split())
        except (Exception, RecursionError):  # commands without what belongs to them; the text stays as it is
            return " ".join(_BRACES.sub("", value).split())
    return " ".join(_BRACES.sub("", value).split())


def _as_verbatim(value: str) -> str:
    return re.sub(r"\\url\{([^{}]*)\}", r"\1", re.sub(r"\\([_%&#~{}])", r"\1", value)).strip("{} \t\r\n")


def _depth(value: str) -> int:
    depth = deepest = 0
    for match in _BRACES.finditer(value):
        depth += 1 if match.group() == "{" else -1
        deepest = max(deepest, depth)
    return deepest


@cache
def _decoder() -> LatexNodes2Text:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="verbatim", keep_comments=True)
