"""Finds numbers that belong to a person in a text: telephones, payment cards, national identities, accounts.

A pattern finds each shape; a check (a numbering plan, check digits, the words near it) says whether it is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from wherefrom.text.sensitive import number_checks as checks
from wherefrom.text.sensitive.number_checks import Candidate, is_near

NumberKind = Literal["phone", "card", "national_id"]

# Groups of digits that may follow a number and be no part of it: "+81 90 1234 5678 2024", "… 1111 12/27".
_GROUPS_CUT: Final = 3

# Dashes, to be put between [ and ].
_DASH: Final = r"\-‐‒–—―−ー"
# The marks that the shapes below use for what may stand between digits.
_SEPARATED: Final = {
    "<dash>": rf" ?[.{_DASH}] ?",
    "<dash?>": rf"(?P<separator> ?[.{_DASH}] ?| ?)",
    "<gap>": rf"(?P<separator>[ {_DASH}]?)",
    "<same>": "(?P=separator)",
    "<any>": rf"[ ./(){_DASH}]{{0,3}}",
    "<hyphen?>": rf"[ {_DASH}]?",
    "<dot>": rf"[.{_DASH}]",
}
# The characters that may not stand before and after a number.
_EDGES: Final = (
    rf"(?<![A-Za-z0-9_])(?<![0-9][.{_DASH}])",
    rf"(?![A-Za-wyz0-9_]|\.[0-9]|[{_DASH}][A-Za-z0-9])",
)
# A number without any separator may as well be part of an address, a price or a path.
_PLAIN_EDGES: Final = (
    rf"(?<![A-Za-z0-9_+#$€£¥/\-‐–])(?<![0-9][.,{_DASH}])",
    rf"(?![A-Za-z0-9_%円元원人例件万亿億]|[.,/{_DASH}][0-9A-Za-z])",
)

# The shape of a text: 0 for each digit, A for each capital, and plus signs, without the bytes that may separate digits.
# Those of East Asian characters stay, because they follow digits without a space.
_SHAPE: Final = re.sub(b"[0-9]", b"0", re.sub(b"[A-Z]", b"A", re.sub(b"[^0-9A-Z+]", b" ", bytes(range(256)))))
_SEPARATORS: Final = b" ().-/" + bytes(byte for byte in range(0x80, 0x100) if not 0xE3 <= byte <= 0xED)
_SHAPES: Final = (b"000000000", b"+0000000", b"AA000000A", b"00000000A", b"A0000000A")
# Six digits and capitals or more that begin with a digit, with little between them.
_RUN: Final = r"[0-9](?:[\Wー]{0,3}[0-9A-Z]){5,}"


def may_hold_numbers(text: str) -> bool:
    """True if a text has digits enough for any of the rules; a microsecond."""
    shape = text.replace("ー", "-").encode("utf-8", "surrogatepass").translate(_SHAPE, _SEPARATORS)
    return shape.count(b"0") >= 6 and any(wanted in shape for wanted in _SHAPES)


def number_spans(text: str, kinds: Collection[NumberKind]) -> Iterator[tuple[NumberKind, int, int]]:
    """The kind, start and end of each number of these kinds; some overlap."""
    for run in re.finditer(_RUN, text):
        # With what may stand before the first digit and after the last one: "+(", "GB", "-Z", and one character more.
        start, end = max(0, run.start() - 5), run.end() + 4
        if may_hold_numbers(text[start:end]):
            for kind in kinds:
                for pattern, rule in _compiled(kind):
                    for span in _matches(text, pattern, rule, start, end):
                        yield (kind, *span)
                        if kind == "card":
                            yield from (("card", *code) for code in checks.code_spans(text, *span))


def _matches(text: str, pattern: re.Pattern[str], rule: _Rule, position: int, limit: int) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each number that passes the check of a rule, if need be without its last groups."""
    while match := pattern.search(text, position, limit):
        start, end = match.span()
        position = start + 1
        if rule.words and not is_near(rule.words, Candidate(text, start, end), before=rule.words_before):
            continue
        for _ in range(1 + rule.groups_cut):
            if rule.check(Candidate(text, start, end)):
                position = end
                yield start, end
                break
            end = text.rfind(" ", start, end)
            if end < 0:
                break


@cache
def _compiled(kind: NumberKind) -> list[tuple[re.Pattern[str], _Rule]]:
    """The rules of a kind with their patterns, compiled at the first number."""
    rules = []
    for rule in _RULES[kind]:
        shape, (before, after) = rule.shape, rule.edges
        for word, pattern in _SEPARATED.items():
            shape = shape.replace(word, pattern)
        rules.append((re.compile(f"{before}(?:{shape}){after}", re.ASCII), rule))
    return rules


class _Rule(NamedTuple):
    """A shape to look for, the check of what has it, how many of its last groups may be no part of it, what may not
    stand around it, words that have to stand near it, and how many characters before it they may stand.
    """

    shape: str
    check: Callable[[Candidate], bool]
    groups_cut: int = 0
    edges: tuple[str, str] = _EDGES
    words: str = ""
    words_before: int = checks.CONTEXT_BEFORE


_PHONES: Final = (
    _Rule(r"\+\(?\d(?:<any>\d){6,14}", checks.is_international, _GROUPS_CUT, (r"(?<![A-Za-z0-9+])", r"(?!\d)")),
    _Rule(r"00<hyphen?>[1-9](?:<any>\d){8,13}", checks.is_international, _GROUPS_CUT, _PLAIN_EDGES),
    # (03)1234-5678, 03(1234)5678
    _Rule(r"\(0\d{1,4}\) ?\d{1,4}<dash>\d{3,4}|0\d{1,4} ?\(\d{1,4}\) ?\d{3,4}", checks.is_national("JP", "KR")),
    _Rule(
        r"0(?:[36]<dash>\d|4<dash>[27])\d{3}<dash>\d{4}|0\d\d<dash>\d{3}<dash>\d{4}|0\d{3}<dash>\d\d<dash>\d{4}"
        r"|0\d{4}<dash>\d<dash>\d{4}|0[5-9]0<dash?>\d{4}<same>\d{4}",
        checks.is_national("JP"),
    ),
    _Rule(
        r"010<dash?>\d{4}<same>\d{4}|0(?:2|[3-6]\d)<dash>\d{3}<dash>\d{4}|02<dash>\d{4}<dash>\d{4}",
        checks.is_national("KR"),
    ),
    # One order number in fifty looks like one of a Korean province, one of eleven digits in fifteen like a mobile
    # number of China.
    _Rule(r"0[3-6]\d<dash>\d{4}<dash>\d{4}", checks.is_national("KR", script=checks.HANGUL)),
    _Rule(r"1[3-9]\d<gap>\d{4}<same>\d{4}", checks.is_national("CN", script=checks.CHINESE), edges=_PLAIN_EDGES),
    _Rule(r"07\d{3} \d{3} ?\d{3}", checks.is_national("GB")),
    _Rule(
        rf"\+?(?:1[ .{_DASH}]?)?(?:\([2-9]\d\d\) ?|(?<!\d)[2-9]\d\d[ .{_DASH}])\d{{3}}<dot>\d{{4}}",
        checks.is_national("US"),
    ),
    # "TEL0312345678": the word may stand right before it.
    _Rule(
        r"\(?\d(?:<any>\d){8,11}",
        checks.is_usual_somewhere,
        _GROUPS_CUT,
        (rf"(?:(?<=TEL)|(?<=FAX)|(?<=[Tt]el)|{_PLAIN_EDGES[0]})", _PLAIN_EDGES[1]),
        checks.PHONE,
    ),
)
_CARDS: Final = (
    _Rule(
        r"\d{4}<gap>(?:\d{4}<same>\d{4}<same>\d{4}(?:<same>\d{1,3})?|\d{6}<same>\d{4,5})", checks.is_card, _GROUPS_CUT
    ),
)
_valid = checks.has_check_digits
# Near these words a number may be a DNI or NIE of Spain, a tax number of Germany, a social insurance number of Canada.
_SPANISH, _GERMAN = r"\b(?:dni|nie|nif)\b|identidad", r"steuer|\bidnr|tax.id|\btin\b"
_CANADIAN: Final = r"(?<![a-z])(?:sin|nas)(?![a-z])|social insurance"
_IDENTITIES: Final = (
    _Rule(r"\d{3}<gap>\d{2}<same>\d{4}", checks.is_social_security),
    _Rule(r"\d{4}<gap>\d{4}<same>\d{4}(?! \d)", checks.is_twelve_digits_identity),
    _Rule(r"\d{6}<hyphen?>[1-8]\d{6}", checks.is_korean),
    _Rule(r"\d{6} ?\d{8} ?\d{3}[\dXx]", checks.is_chinese),
    _Rule(r"[12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", checks.is_french),
    # The United Kingdom never gives out some of the prefixes.
    _Rule(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]", checks.is_british),
    _Rule(r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", _valid("es.dni", "es.nie"), words=_SPANISH, words_before=checks.FAR_BEFORE),
    _Rule(r"\d\d ?\d{3} ?\d{3} ?\d{3}", _valid("de.idnr"), words=_GERMAN, words_before=checks.FAR_BEFORE),
    _Rule(r"\d{3}<gap>\d{3}<same>\d{3}", _valid("ca.sin"), words=_CANADIAN),
    # A CPF of Brazil as it is always written, and an international bank account number.
    _Rule(r"\d{3}\.\d{3}\.\d{3}-\d\d", _valid("br.cpf")),
    _Rule(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}", _valid("iban"), 2 * _GROUPS_CUT),
)
_RULES: Final[dict[NumberKind, tuple[_Rule, ...]]] = {"phone": _PHONES, "card": _CARDS, "national_id": _IDENTITIES}
