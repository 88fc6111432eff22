"""Finds personal data and secrets, takes them out before a text is stored, embedded or sent, and looks numbers up."""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, get_args

from wherefrom.lazy import phonenumbers
from wherefrom.model.graph import FINDING_KINDS, SECRET, FindingKind
from wherefrom.text.sensitive.announced_secrets import announced_spans, stems_in
from wherefrom.text.sensitive.numbers import NumberKind, may_hold_numbers, number_spans
from wherefrom.text.sensitive.phrases import may_hold_phrases, phrase_spans
from wherefrom.text.sensitive.scanning import TAKEN_OUT, compiled
from wherefrom.text.sensitive.secret_codes import code_spans, may_hold_codes
from wherefrom.text.sensitive.secret_forms import formed_spans, may_have_form
from wherefrom.text.sensitive.service_tokens import may_hold_tokens, token_spans

KINDS: Final = FINDING_KINDS
_NUMBERS: Final[tuple[NumberKind, ...]] = get_args(NumberKind)

# Characters that show nothing and may split a number or a word; the last two count only after a letter, a digit or a
# sign, because most of them belong to emoji.
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0e\ufeff\U000e0000-\U000e01ef"
)
_JOINERS: Final = "\u200d\ufe0f"
# Letters and digits that stand for those of ASCII: superscript, circled, full-width, mathematical, Arabic, Devanagari.
_DISGUISED: Final = (
    "\u00b2\u00b3\u00b9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2070-\u209c\u2460-\u24ff"
    "\uff10-\uff19\uff20-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\U0001f100-\U0001f169"
)
_HIDING: Final = f"[{_INVISIBLE}{_DISGUISED}{_JOINERS}](?:(?<![{_JOINERS}])|(?<=[\\w!-~][{_JOINERS}]))"
_UNSEEN: Final = f"[{_INVISIBLE}{_JOINERS}]"

# Scripts without spaces, in which an address follows a word directly.
_UNSPACED: Final = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0eff"
_MARKS: Final = "\u0300-\u036f\u0900-\u0dff"
# More than any text in real scripts has, less than a hostile one.
_CHARACTERS_KEPT: Final = 32_768
_PASSES: Final = 8
# The label that stands in a text where something was taken out.
LABEL: Final = rf"\[(?:{'|'.join(KINDS)})\]"

_MAILBOX_CHARACTERS: Final = 64
# Addresses that stand for no person: of a program, or for whoever reads them.
_NOBODY: Final = (
    r"(?i)git@.*|(?:no|donot|do-not)[._-]?reply(?:@|%40).*|.*(?:@|%40)(?:.*\.)?no-?reply\..*"
    r"|(?:you|your?[._-]?(?:name|user|email|mail|address)|user(?:[._-]?name)?|name|someone|email|first\.last)"
    r"(?:@|%40)(?:example|domain|yourdomain|company|mail|email)\.\w+"
)
# The password of a URL, "ftp://user:password@example.com", and whoever logs in by a command: "ssh deploy@example.com".
_LOGIN: Final = r"://[^\s/@]{0,60}:\Z|\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n@]{0,40}\s\Z"
# The ends of files' names, and of the names of machines that no mail reaches from outside.
_NOT_DOMAINS: Final = frozenset(
    {"css", "csv", "gif", "htm", "html", "jpeg", "jpg", "js", "json", "jsx", "pdf", "png", "svg", "toml", "ts", "tsx"}
    | {"txt", "webp", "xml", "yaml", "yml", "internal", "invalid", "lan", "local", "localdomain", "localhost", "test"}
)
_LONG_DOMAINS: Final = frozenset(
    {"academy", "capital", "college", "community", "company", "consulting", "digital", "education", "finance"}
    | {"foundation", "institute", "international", "marketing", "network", "partners", "photography", "services"}
    | {"software", "solutions", "support", "systems", "technology", "university", "ventures"}
)
# Domains that no method of a program is named after.
_PLAIN_DOMAINS: Final = frozenset({"com", "edu", "gov", "net", "org"})
# The path that follows user@host where somebody logs in: "deploy@www.example.com:site/".
_LOGIN_PATH: Final = r":(?:~|/|[\w.-]+/)"
_LETTER, _SPACED = rf"[\w{_MARKS}]", f"(?![{_UNSPACED}])"
_PLAIN_END: Final = r"(?P<end>xn--[A-Za-z0-9-]{2,59}|[A-Za-z]{2,24})(?![A-Za-z0-9])"
_WIDE_END: Final = rf"(?:[A-Za-z]{{2,24}}|(?:(?!\d){_LETTER}){{2,24}})"
# Not the version of a package: "react@18.2.0-rc.next".
_DOMAIN: Final = (
    rf"(?:@|%40)(?!v?\d+\.\d)(?:(?:[A-Za-z0-9][A-Za-z0-9-]{{0,62}}\.){{1,8}}{_PLAIN_END}"
    rf"|(?=[A-Za-z0-9.-]{{0,250}}[^\x00-\x7f])(?:(?:{_LETTER}|-){{1,63}}\.){{1,8}}{_WIDE_END})"
)
_MAILBOXES: Final = (rf"{_SPACED}{_LETTER}(?:{_SPACED}[\w{_MARKS}.+%&'-])*\Z", rf"{_LETTER}[\w{_MARKS}.+-]*\Z")
_DOTLESS: Final = r"mailto:([^\s@<>\"'?\uffff]{1,64}@[A-Za-z0-9-]{1,63})"
# A term that no text has by itself begins with this character, which `terms` takes for no letter.
_LOOKUP_PREFIX: Final = "\ue000"


@dataclass(frozen=True, slots=True)
class Finding:
    """Personal data or a secret, and where it stands in the text."""

    kind: FindingKind
    start: int
    end: int


def find(text: str) -> tuple[Finding, ...]:
    """Findings in a text, in order; of two that overlap the secret, or else the longer one."""
    return _apart(_candidates(text, KINDS))


def redact(text: str, kinds: Collection[str]) -> tuple[str, Counter[str]]:
    """The text with each finding of these kinds replaced by its kind in brackets, and how many there were of each.

    It is repeated until nothing is left: what stood next to a finding may be one without it. That ends, because each
    time there is less text outside the brackets. A text made so that each finding uncovers just one more would take
    thousands of passes; after a few of them the whole line goes.
    """
    wanted = tuple(kind for kind in KINDS if kind in kinds)
    counts: Counter[str] = Counter()
    for passed in itertools.count():
        found = _apart(_candidates(text, wanted))
        if not found:
            break
        if passed >= _PASSES:
            found = _apart(_widened(finding, text) for finding in found)
        counts.update(finding.kind for finding in found)
        ends = [0, *(finding.end for finding in found)]
        kept = [text[end : finding.start] + f"[{finding.kind}]" for end, finding in zip(ends, found, strict=False)]
        text = "".join(kept) + text[ends[-1] :]
    return text, counts


def lookup_terms(text: str) -> list[str]:
    """A term for each personal finding in a text. It is a hash of the whole: nobody learns a number from its parts."""
    return [
        _LOOKUP_PREFIX + _fingerprint(finding.kind, text[finding.start : finding.end])
        for finding in find(text)
        if finding.kind != SECRET
    ]


def _widened(finding: Finding, text: str) -> Finding:
    """A finding with the rest of its line, as far as the next brackets."""
    start = max(text.rfind(edge, 0, finding.start) for edge in "\n]") + 1
    end = min((at for edge in "\n[" if (at := text.find(edge, finding.end)) >= 0), default=len(text))
    return Finding(finding.kind, start, end)


def _candidates(text: str, kinds: Collection[FindingKind]) -> Iterator[Finding]:
    """All findings of these kinds, looked for in the plain form of the text."""
    if text.isascii():
        yield from _scan(text, kinds)
        return
    hiding = re.search(_HIDING, text)
    if not hiding and not (
        _may_hold_emails(text) or may_hold_numbers(text) or any(True for _ in _secret_searches(text))
    ):
        return
    # An invisible character may split a number, or part it from the word before: both readings are searched.
    for folding in (_JOINED, _PARTED) if hiding and re.search(_UNSEEN, text) else (_JOINED,):
        if found := list(_scan(folding.applied(text), kinds)):
            # Where each character of the text begins in its plain form; some have none there, some more than one.
            begins = [0, *itertools.accumulate(len(folding[ord(character)]) for character in text)]
            for finding in found:
                start, end = bisect_right(begins, finding.start) - 1, bisect_left(begins, finding.end)
                yield Finding(finding.kind, start, end)


def _scan(text: str, kinds: Collection[FindingKind]) -> Iterator[Finding]:
    if "[" in text:
        text = re.sub(LABEL, lambda match: TAKEN_OUT * len(match[0]), text)
    if SECRET in kinds:
        secrets = itertools.chain.from_iterable(_secret_searches(text))
        yield from (Finding(SECRET, start, end) for start, end in secrets)
    if "email" in kinds and _may_hold_emails(text):
        yield from (Finding("email", start, end) for start, end in _email_spans(text))
    numbers = [kind for kind in _NUMBERS if kind in kinds]
    if numbers and may_hold_numbers(text):
        yield from itertools.starmap(Finding, number_spans(text, numbers))


def _secret_searches(text: str) -> Iterator[Iterator[tuple[int, int]]]:
    """Yields a search, not begun yet, for each set of rules that may find a secret; what they find may overlap."""
    if may_have_form(text):
        yield formed_spans(text)
    # A text of one byte for each character is searched faster than one of two or four.
    latin = text.encode("latin-1", "replace")
    plain = latin.lower().decode("latin-1")
    if may_hold_tokens(latin):
        yield token_spans(text, latin)
    if stems := stems_in(text, plain):
        yield announced_spans(text, stems)
    if may_hold_phrases(text, plain):
        yield phrase_spans(text)
    if may_hold_codes(text, plain):
        yield code_spans(text, plain)


def _apart(candidates: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in order, none of which overlaps another one."""
    kept: list[Finding] = []
    together: list[Finding] = []
    end = 0
    for finding in sorted(candidates, key=lambda it: (it.start, it.end)):
        if finding.start >= end:
            kept += _best(together)
            together = []
        together.append(finding)
        end = max(end, finding.end)
    return (*kept, *_best(together))


def _best(together: list[Finding]) -> list[Finding]:
    """The longest of some findings that overlap; with a secret among them all are one, so that no rest of it stays."""
    if len(together) < 2:
        return together
    first, last = together[0].start, max(finding.end for finding in together)
    if any(finding.kind == SECRET for finding in together):
        return [Finding(SECRET, first, last)]
    taken = bytearray(last)
    kept: list[Finding] = []
    for finding in sorted(together, key=lambda it: (it.start - it.end, it.start, it.kind)):
        if taken.find(1, finding.start, finding.end) < 0:
            taken[finding.start : finding.end] = b"\1" * (finding.end - finding.start)
            kept.append(finding)
    return sorted(kept, key=lambda finding: finding.start)


def _may_hold_emails(text: str) -> bool:
    return "@" in text or "%40" in text


def _email_spans(text: str) -> Iterator[tuple[int, int]]:
    for domain in compiled(_DOMAIN).finditer(text):
        at, end = domain.span()
        first = max(0, at - _MAILBOX_CHARACTERS)
        mailbox = next(filter(None, (compiled(pattern).search(text, first, at) for pattern in _MAILBOXES)), None)
        if mailbox and not _is_no_address(text, mailbox.start(), end, domain["end"] or ""):
            yield mailbox.start(), end
    if "mailto:" in text:
        yield from (match.span(1) for match in compiled(_DOTLESS).finditer(text))


def _is_no_address(text: str, start: int, end: int, top_level: str) -> bool:
    """True if a match is nobody's, a picture (logo@2x.png), a program (a@b.dot(c)), a handle (@a@b.social), a login."""
    if re.fullmatch(_NOBODY, text[start:end]):
        return True
    ending, after = top_level.lower(), text[end : end + _MAILBOX_CHARACTERS]
    called = after.startswith("(") and after[1:2].isascii() and ending not in _PLAIN_DOMAINS
    before = text[max(0, start - _MAILBOX_CHARACTERS) : start]
    handle_or_login = before.endswith(("@", "://")) or re.search(_LOGIN, before) or re.match(_LOGIN_PATH, after)
    # Few domains end in a word as long as the names of functions: attn@v.contiguous, wg-quick@wg0.service.
    long = len(ending) > 6 and ending.isascii() and ending.isalpha() and ending not in _LONG_DOMAINS
    return ending in _NOT_DOMAINS or long or called or bool(handle_or_login)


def _fingerprint(kind: FindingKind, value: str) -> str:
    plain = _JOINED.applied(value).casefold().replace("%40", "@")
    if kind != "email":
        plain = "".join(character for character in plain if character.isalnum() or character == "+")
    if kind == "phone":
        plain = _national(plain)
    return hashlib.sha256(f"{kind} {plain}".encode()).hexdigest()[:24]


def _national(digits: str) -> str:
    """The digits of a telephone without country code and dialling prefix, so that +81 90 … and 090 … are equal."""
    number = f"+{digits[2:]}" if digits.startswith("00") else digits
    if number.startswith("+"):
        try:
            return str(phonenumbers.parse(number).national_number)
        except phonenumbers.NumberParseException:
            return number
    # 1 is dialled before a number in North America; in China all mobile telephones begin with it.
    if len(number) == 11 and number[0] == "1":
        american = phonenumbers.PhoneNumber(country_code=1, national_number=int(number[1:]))
        return number[1:] if phonenumbers.is_valid_number(american) else number
    return number.lstrip("0")


class _Folding(dict[int, str]):
    """Each character in its plain form; filled in as characters are met."""

    def __init__(self, *, unseen: bool) -> None:
        self.unseen = unseen

    def applied(self, text: str) -> str:
        """The plain form of a text; only what is not ASCII is looked up, which is slow."""
        return re.sub(r"[^\x00-\x7f]+", lambda match: match[0].translate(self), text)

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if re.match(_UNSEEN, character):
            plain = character if self.unseen else ""
        elif (digit := unicodedata.decimal(character, None)) is not None:
            plain = str(digit)
        else:
            plain = unicodedata.normalize("NFKC", character)
        if len(self) < _CHARACTERS_KEPT:
            self[code] = plain
        return plain


_JOINED: Final = _Folding(unseen=False)
_PARTED: Final = _Folding(unseen=True)
