"""BibTeX entries as plain fields: @string names resolved, LaTeX read as text, blocks that cannot be parsed reported."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from wherefrom.evidence.documents.document import one_line
from wherefrom.lazy import bibtexparser, latex2text

if TYPE_CHECKING:
    from bibtexparser.model import Entry

# A value may be put together from others, each twice as long as the last; abstracts are shorter than this.
_MAX_VALUE_CHARACTERS: Final = 64 * 1024
_MAX_BRACE_DEPTH: Final = 40
_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WORD: Final = re.compile(r"[^\s#{}\"]+")
# A percent sign begins a comment in LaTeX, and stands for itself in every abstract.
_PERCENT: Final = re.compile(r"(?<!\\)%")
_BRACES: Final = re.compile(r"[{}]")
# Fields that are addresses or keys: their underscores and tildes are no LaTeX.
_VERBATIM_FIELDS: Final = frozenset(
    {"url", "doi", "eprint", "archiveprefix", "howpublished", "note", "file", "keywords"}
)

Fault = tuple[str, str]


def read_bibtex(text: str) -> tuple[list[dict[str, Any]], list[Fault]]:
    """The entries as fields by lower-case name, with `key` and `type`; and the unreadable blocks with reasons."""
    model = bibtexparser.model
    # Both log a line for each fault, which is in the blocks as well.
    for name in ("bibtexparser", "pylatexenc"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    strings = {month: month.capitalize() for month in _MONTHS}
    entries: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for found in bibtexparser.splitter.Splitter(text).split().blocks:
        # A key or a field that stands there twice is no reason to lose the entry.
        block = (found.ignore_error_block or found) if isinstance(found, model.ParsingFailedBlock) else found
        if isinstance(block, model.String):
            strings[block.key.lower()] = _value(str(block.value), strings)
        elif isinstance(block, model.Entry):
            entries.append(_fields(block, strings))
        elif isinstance(block, model.ParsingFailedBlock):
            reason = one_line(getattr(block.error, "abort_reason", "") or str(block.error or "")) or "it is not BibTeX"
            faults.append((one_line(str(block.raw or ""), characters=80), reason))
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
            fields[name] = _as_verbatim(value) if name in _VERBATIM_FIELDS else _as_text(value)
    return fields


def _value(source: str, strings: Mapping[str, str]) -> str:
    """A value without its delimiters: `{text}`, `"text"`, a number, a name of a @string, or several joined by #, which
    bibtexparser's own middleware leaves as they are.

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
        elif word := _WORD.match(source, at):
            parts.append(strings.get(word.group().lower(), word.group()))
            at = word.end()
        else:
            at += 1
    return "".join(parts)[:_MAX_VALUE_CHARACTERS]


def _closing(source: str, start: int) -> int:
    quoted, depth = source[start] == '"', 0
    for match in re.compile(r'\\.|[{}"]', re.DOTALL).finditer(source, start + 1):
        mark = match.group()
        if depth == 0 and mark == ('"' if quoted else "}"):
            return match.start()
        depth += (mark == "{") - (mark == "}")
    return len(source)


def _names(value: str) -> list[str]:
    """The persons of an author field, each as `First von Last Jr`; `and others` is nobody."""
    names = bibtexparser.middlewares.names
    people = (person for person in names.split_multiple_persons_names(value) if person.strip() not in ("", "others"))
    return [names.parse_single_name_into_parts(person, strict=False).merge_first_name_first for person in people]


def _as_text(value: str) -> str:
    """LaTeX as text: accents and commands read, mathematics left as it is."""
    text = value
    if any(mark in value for mark in "\\{}$~`'-"):
        text = _BRACES.sub("", value)
        depths = accumulate(1 if brace == "{" else -1 for brace in _BRACES.findall(value))
        if max(depths, default=0) <= _MAX_BRACE_DEPTH:
            with suppress(Exception):  # commands without what belongs to them; the text stays as it is
                text = str(_decoder().latex_to_text(_PERCENT.sub(r"\\%", value)))
    return " ".join(text.split())


def _as_verbatim(value: str) -> str:
    return re.sub(r"\\url\{([^{}]*)\}", r"\1", re.sub(r"\\([_%&#~{}])", r"\1", value)).strip("{} \t\r\n")


@cache
def _decoder() -> Any:
    return latex2text.LatexNodes2Text(math_mode="verbatim", keep_comments=True)
