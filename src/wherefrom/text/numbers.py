"""Where numbers that belong to a person stand in a text: telephones, payment cards, national identities, accounts.

A pattern finds each shape; a check (a numbering plan, check digits, the words near it) says whether it is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from wherefrom.text import cards, identities, number_words, phones
from wherefrom.text.number_words import Candidate, is_near

NumberKind = Literal["phone", "card", "national_id"]

# Groups of digits that may follow a number and be no part of it: "+81 90 1234 5678 2024", "… 1111 12/27".
_GROUPS_CUT: Final = 3

# To be put between [ and ].
_DASH: Final = r"\-‐‒–—―−ー"
_BEFORE: Final = rf"(?<![A-Za-z0-9_])(?<![0-9][.{_DASH}])"
_AFTER: Final = rf"(?![A-Za-wyz0-9_]|\.[0-9]|[{_DASH}][A-Za-z0-9])"
# A number without any separator may as well be part of an address, a price or a path.
_BEFORE_PLAIN: Final = rf"(?<![A-Za-z0-9_+#$€£¥/\-‐–])(?<![0-9][.,{_DASH}])"
_AFTER_PLAIN: Final = rf"(?![A-Za-z0-9_%円元원人例件万亿億]|[.,/{_DASH}][0-9A-Za-z])"

# Which digits (0), capitals (A) and plus signs a text has, once everything that may separate digits is gone: the bytes
# of any script but those of East Asia, whose characters follow digits without a space.
_SHAPE: Final = bytes(
    ord("0") if 48 <= byte <= 57 else ord("A") if 65 <= byte <= 90 else ord("+") if byte == 43 else 32
    for byte in range(256)
)
_SEPARATORS: Final = b" ().-/" + bytes(byte for byte in range(0x80, 0x100) if not 0xE3 <= byte <= 0xED)
_SHAPES: Final = (b"000000000", b"+0000000", b"AA000000A", b"00000000A", b"A0000000A")
# Six digits and capitals or more that begin with a digit, with little between them.
_RUN: Final = r"[0-9](?:[\Wー]{0,3}[0-9A-Z]){5,}"

_Check = Callable[[Candidate], bool]


class _Rule(NamedTuple):
    """What to look for, the check that it is that, how many last groups may be no part of it, words it must be near."""

    pattern: re.Pattern[str]
    check: _Check
    groups_cut: int = 0
    words: str = ""


def may_hold_numbers(text: str) -> bool:
    """Whether a text has digits enough for any of the rules; a microsecond."""
    shape = text.replace("ー", "-").encode("utf-8", "surrogatepass").translate(_SHAPE, _SEPARATORS)
    return shape.count(b"0") >= 6 and any(wanted in shape for wanted in _SHAPES)


def number_spans(text: str, kinds: Collection[NumberKind]) -> Iterator[tuple[NumberKind, int, int]]:
    """The kind, start and end of each number of these kinds; some overlap."""
    for run in re.finditer(_RUN, text):
        # With what may stand before the first digit and after the last one: "+(", "GB", "-Z", and one character more.
        start, end = max(0, run.start() - 5), run.end() + 4
        if may_hold_numbers(text[start:end]):
            for kind in kinds:
                for rule in _RULES[kind]():
                    for span in _matches(text, rule, start, end):
                        yield (kind, *span)
                        if kind == "card":
                            yield from (("card", *code) for code in cards.code_spans(text, *span))


def _matches(text: str, rule: _Rule, position: int, limit: int) -> Iterator[tuple[int, int]]:
    while match := rule.pattern.search(text, position, limit):
        start = match.start()
        position = start + 1
        if rule.words and not is_near(rule.words, Candidate(text, *match.span())):
            continue
        for end in _ends(match, rule.groups_cut):
            if rule.check(Candidate(text, start, end)):
                position = end
                yield start, end
                break


def _ends(match: re.Match[str], groups: int) -> Iterator[int]:
    """Where a candidate ends, and where it ends without its last groups."""
    end = match.end()
    yield end
    for _ in range(groups):
        end = match.string.rfind(" ", match.start(), end)
        if end < 0:
            return
        yield end


def _rule(shape: str, check: _Check, *, plain: bool = False, groups_cut: int = 0) -> _Rule:
    before, after = (_BEFORE_PLAIN, _AFTER_PLAIN) if plain else (_BEFORE, _AFTER)
    return _Rule(re.compile(f"{before}(?:{shape}){after}", re.ASCII), check, groups_cut)


@cache
def _phone_rules() -> tuple[_Rule, ...]:
    dash, between = f" ?[.{_DASH}] ?", rf"[ ./(){_DASH}]{{0,3}}"
    japanese = (
        rf"0(?:[36]{dash}\d|4{dash}[27])\d{{3}}{dash}\d{{4}}|0\d\d{dash}\d{{3}}{dash}\d{{4}}|0\d{{3}}{dash}\d\d{dash}\d{{4}}"
        rf"|0\d{{4}}{dash}\d{dash}\d{{4}}|0[5-9]0(?P<gap>{dash}| ?)\d{{4}}(?P=gap)\d{{4}}"
    )
    korean = rf"010(?P<gap>{dash}| ?)\d{{4}}(?P=gap)\d{{4}}|0(?:2|[3-6]\d){dash}\d{{3}}{dash}\d{{4}}"
    return (
        _Rule(
            re.compile(rf"(?<![A-Za-z0-9+])\+\(?\d(?:{between}\d){{6,14}}(?!\d)", re.ASCII),
            phones.is_international,
            _GROUPS_CUT,
        ),
        _rule(
            rf"00[ {_DASH}]?[1-9](?:{between}\d){{8,13}}", phones.is_international, plain=True, groups_cut=_GROUPS_CUT
        ),
        # (03)1234-5678, 03(1234)5678
        _rule(
            rf"\(0\d{{1,4}}\) ?\d{{1,4}}{dash}\d{{3,4}}|0\d{{1,4}} ?\(\d{{1,4}}\) ?\d{{3,4}}",
            phones.is_national("JP", "KR"),
        ),
        _rule(japanese, phones.is_national("JP")),
        _rule(rf"{korean}|02{dash}\d{{4}}{dash}\d{{4}}", phones.is_national("KR")),
        _rule(rf"0[3-6]\d{dash}\d{{4}}{dash}\d{{4}}", phones.is_korean_by_context),
        _rule(r"07\d{3} \d{3} ?\d{3}", phones.is_national("GB")),
        _rule(rf"1[3-9]\d(?P<gap>[ {_DASH}]?)\d{{4}}(?P=gap)\d{{4}}", phones.is_chinese_by_context, plain=True),
        _rule(
            rf"\+?(?:1[ .{_DASH}]?)?(?:\([2-9]\d\d\) ?|(?<!\d)[2-9]\d\d[ .{_DASH}])\d{{3}}[.{_DASH}]\d{{4}}",
            phones.is_national("US"),
        ),
        _Rule(
            # "TEL0312345678": the word may stand right before it.
            re.compile(
                rf"(?:(?<=TEL)|(?<=FAX)|(?<=[Tt]el)|{_BEFORE_PLAIN})\(?\d(?:{between}\d){{8,11}}{_AFTER_PLAIN}",
                re.ASCII,
            ),
            phones.is_usual_somewhere,
            _GROUPS_CUT,
            number_words.PHONE,
        ),
    )


@cache
def _card_rules() -> tuple[_Rule, ...]:
    gap = rf"(?P<gap>[ {_DASH}]?)"
    return (
        _rule(
            rf"\d{{4}}{gap}(?:\d{{4}}(?P=gap)\d{{4}}(?P=gap)\d{{4}}(?:(?P=gap)\d{{1,3}})?|\d{{6}}(?P=gap)\d{{4,5}})",
            cards.is_card,
            groups_cut=_GROUPS_CUT,
        ),
    )


@cache
def _identity_rules() -> tuple[_Rule, ...]:
    gap = rf"(?P<gap>[ {_DASH}]?)"
    return (
        _rule(rf"\d{{3}}{gap}\d{{2}}(?P=gap)\d{{4}}", identities.is_social_security),
        _rule(rf"\d{{4}}{gap}\d{{4}}(?P=gap)\d{{4}}(?! \d)", identities.is_twelve_digits_identity),
        _rule(rf"\d{{6}}[ {_DASH}]?[1-8]\d{{6}}", identities.is_korean),
        _rule(r"\d{6} ?\d{8} ?\d{3}[\dXx]", identities.is_chinese),
        _rule(r"[12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", identities.is_french),
        # The United Kingdom never gives out some of the prefixes.
        _rule(
            r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
            identities.is_british,
        ),
        _rule(r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", identities.is_spanish),
        _rule(r"\d\d ?\d{3} ?\d{3} ?\d{3}", identities.is_german),
        _rule(r"\d{3}\.\d{3}\.\d{3}-\d\d", identities.is_brazilian),
        _rule(rf"\d{{3}}{gap}\d{{3}}(?P=gap)\d{{3}}", identities.is_canadian),
        _rule(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}", identities.is_account, groups_cut=2 * _GROUPS_CUT),
    )


_RULES: Final[dict[NumberKind, Callable[[], tuple[_Rule, ...]]]] = {
    "phone": _phone_rules,
    "card": _card_rules,
    "national_id": _identity_rules,
}
