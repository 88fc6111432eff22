"""Where numbers that belong to a person stand in a text: telephones, payment cards, national identities, accounts.

A pattern finds each shape; a check (a numbering plan or check digits) says whether it is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date
from functools import cache
from typing import Final, Literal, NamedTuple

NumberKind = Literal["phone", "card", "national_id"]

# The part of the text around a number in which a word may say what it is.
_CONTEXT_BEFORE, _CONTEXT_AFTER = 40, 20
# Groups of digits that may follow a number and be no part of it: "+81 90 1234 5678 2024", "… 1111 12/27".
_GROUPS_CUT: Final = 3

# To be put between [ and ].
_DASH: Final = r"\-‐‒–—―−ー"
_BEFORE: Final = rf"(?<![A-Za-z0-9_])(?<![0-9][.{_DASH}])"
_AFTER: Final = rf"(?![A-Za-wyz0-9_]|\.[0-9]|[{_DASH}][A-Za-z0-9])"
# A number without any separator may as well be part of an address, a price or a path.
_BEFORE_PLAIN: Final = rf"(?<![A-Za-z0-9_#$€£¥/\-‐–])(?<![0-9][.,{_DASH}])"
_AFTER_PLAIN: Final = rf"(?![A-Za-z0-9_%]|[.,/{_DASH}][0-9A-Za-z])"

# Plain texts rather than patterns: compiled at first use and kept by `re`, as importing must be quick.
_PHONE_WORD: Final = (
    r"(?i)phone|\btel\b|mobile|call|fax|sms|whatsapp|text me|電話|携帯|連絡先|전화|휴대|手机|电话|手機|電話"
)
_MY_NUMBER_WORD: Final = r"(?i)マイナンバー|個人番号|my[ _-]?number"
_AADHAAR_WORD: Final = r"(?i)aadhaa?r|uidai|आधार"
_SOCIAL_SECURITY_WORD: Final = r"(?i)\bssn|social.security"
_INSURANCE_WORD: Final = r"(?i)national.insurance|\bnino?\b|\bni (?:no|number)"
_TAX_WORD: Final = r"(?i)steuer|\bidnr|tax.id|\btin\b"
_SPANISH_WORD: Final = r"(?i)\b(?:dni|nie|nif)\b|identidad"

_ISSUER: Final = (
    r"4[0-9]{12}(?:[0-9]{3}){0,2}"  # Visa
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|6(?:011|4[4-9][0-9]|5[0-9]{2})[0-9]{12,15}"  # Discover
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12,15}"  # JCB
    r"|3(?:0[0-59]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|62[0-9]{14,17}"  # UnionPay
)
_YEARS: Final = r"(?:(?:1[5-9]|20)[0-9]{2}\D?){3}"

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

_Check = Callable[[str, str], bool]


class _Rule(NamedTuple):
    """What to look for, and the check that it is that: of the candidate, and of the text around it."""

    pattern: re.Pattern[str]
    check: _Check
    groups_cut: int = 0


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


def _matches(text: str, rule: _Rule, position: int, limit: int) -> Iterator[tuple[int, int]]:
    while match := rule.pattern.search(text, position, limit):
        start, end = match.span()
        context = text[max(0, start - _CONTEXT_BEFORE) : end + _CONTEXT_AFTER]
        position = start + 1
        for cut in _cuts(match[0], rule.groups_cut):
            if rule.check(match[0][:cut], context):
                position = start + cut
                yield start, position
                break


def _cuts(candidate: str, groups: int) -> Iterator[int]:
    """The length of a candidate, and its lengths without its last groups."""
    cut = len(candidate)
    yield cut
    for _ in range(groups):
        cut = candidate.rfind(" ", 0, cut)
        if cut < 0:
            return
        yield cut


def _digits(candidate: str) -> str:
    return "".join(filter(str.isdigit, candidate))


def _is_phone(*regions: str | None, word: bool = False) -> _Check:
    """A number that one of the regions' numbering plans has; None stands for the one that its +CC names."""

    def check(candidate: str, context: str) -> bool:
        import phonenumbers

        if word and not re.search(_PHONE_WORD, context):
            return False
        number = candidate if regions == (None,) else _digits(candidate)
        for region in regions:
            try:
                if phonenumbers.is_valid_number(phonenumbers.parse(number, region)):
                    return True
            except phonenumbers.NumberParseException:
                continue
        return False

    return check


def _is_american(candidate: str, context: str) -> bool:
    # 555 stands for a telephone in every story; no numbering plan has it.
    return "555" in _digits(candidate)[-10:-4] or _is_phone("US")(candidate, context)


def _is_card(candidate: str, _: str) -> bool:
    from stdnum import ean

    number = _digits(candidate)
    if not re.fullmatch(_ISSUER, number) or not _has_luhn_digit(number):
        return False
    # The articles of Japanese and German shops have thirteen digits and begin with 4, as the oldest Visa cards do.
    return not (len(number) == 13 and ean.is_valid(number))


def _has_luhn_digit(number: str) -> bool:
    # Every second digit from the right is doubled, and the digits of the result added: 8 becomes 1 + 6.
    doubled = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
    return (sum(map(int, number[::-2])) + sum(doubled[int(digit)] for digit in number[-2::-2])) % 10 == 0


def _is_social_security(candidate: str, context: str) -> bool:
    area, group, serial = re.findall("[0-9]+", candidate)
    possible = area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"
    return possible and (" " not in candidate or bool(re.search(_SOCIAL_SECURITY_WORD, context)))


def _is_grouped_identity(candidate: str, _: str) -> bool:
    from stdnum.in_ import aadhaar
    from stdnum.jp import in_

    number = _digits(candidate)
    return not re.fullmatch(_YEARS, candidate) and (in_.is_valid(number) or aadhaar.is_valid(number))


def _is_plain_identity(candidate: str, context: str) -> bool:
    from stdnum.in_ import aadhaar
    from stdnum.jp import in_

    return bool(
        (re.search(_MY_NUMBER_WORD, context) and in_.is_valid(candidate))
        or (re.search(_AADHAAR_WORD, context) and aadhaar.is_valid(candidate))
    )


def _is_korean(candidate: str, _: str) -> bool:
    # Numbers given out since October 2020 have no check digit: the date of birth is what can be checked.
    return _is_date(("19" if candidate[7] in "1256" else "20") + candidate[:6])


def _is_chinese(candidate: str, _: str) -> bool:
    from stdnum.cn import ric

    # Not is_valid, which fails with a KeyError for some places (python-stdnum 2.2) and takes 80 ms to load them.
    return _is_date(candidate[6:14]) and ric.calc_check_digit(candidate) == candidate[-1].upper()


def _is_date(digits: str) -> bool:
    try:
        return bool(date(int(digits[:4]), int(digits[4:6]), int(digits[6:])))
    except ValueError:
        return False


def _is_french(candidate: str, _: str) -> bool:
    from stdnum.fr import nir

    return nir.is_valid(candidate)


def _is_spanish(candidate: str, context: str) -> bool:
    from stdnum.es import dni, nie

    return bool(re.search(_SPANISH_WORD, context)) and (dni.is_valid(candidate) or nie.is_valid(candidate))


def _is_german(candidate: str, context: str) -> bool:
    from stdnum.de import idnr

    return bool(re.search(_TAX_WORD, context)) and idnr.is_valid(candidate)


def _is_account(candidate: str, _: str) -> bool:
    from stdnum import iban

    return iban.is_valid(candidate)


def _is_british(candidate: str, context: str) -> bool:
    # It has no check digit; without spaces it may as well be a substance (SR141716A) or an article.
    return candidate.count(" ") == 4 or bool(re.search(_INSURANCE_WORD, context))


def _rule(shape: str, check: _Check, *, plain: bool = False, groups_cut: int = 0) -> _Rule:
    before, after = (_BEFORE_PLAIN, _AFTER_PLAIN) if plain else (_BEFORE, _AFTER)
    return _Rule(re.compile(f"{before}(?:{shape}){after}", re.ASCII), check, groups_cut)


@cache
def _phone_rules() -> tuple[_Rule, ...]:
    dash, asian = f" ?[{_DASH}] ?", ("JP", "KR")
    return (
        _Rule(
            re.compile(rf"(?<![A-Za-z0-9+])\+\(?\d(?:[ ./(){_DASH}]{{0,3}}\d){{6,14}}(?!\d)", re.ASCII),
            _is_phone(None),
            _GROUPS_CUT,
        ),
        # 03-1234-5678, (03)1234-5678, 03(1234)5678, 010-1234-5678
        _rule(
            rf"\(?0\d{{1,4}}(?:{dash}|\) ?|(?=\())\(?\d{{1,4}}(?:{dash}|\) ?)\d{{3,4}}",
            _is_phone(*asian),
        ),
        _rule(r"0[15-9][016-9] \d{3,4} \d{4}", _is_phone(*asian)),
        _rule(r"0[5-9]0\d{8}|01[016-9]\d{7,8}", _is_phone(*asian), plain=True),
        _rule(r"0[1-9]\d{8}|0[1-9]\d{0,3} \d{1,4} \d{3,4}", _is_phone(*asian, word=True), plain=True),
        _rule(rf"1[3-9]\d(?P<gap>[ {_DASH}]?)\d{{4}}(?P=gap)\d{{4}}", _is_phone("CN"), plain=True),
        _rule(
            rf"(?:1[ .{_DASH}])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .{_DASH}])\d{{3}}[.{_DASH}]\d{{4}}",
            _is_american,
        ),
        _rule(r"[2-9]\d\d ?\d{3} ?\d{4}", _is_phone("US", word=True), plain=True),
    )


@cache
def _card_rules() -> tuple[_Rule, ...]:
    gap = rf"(?P<gap>[ {_DASH}]?)"
    return (
        _rule(
            rf"\d{{4}}{gap}(?:\d{{4}}(?P=gap)\d{{4}}(?P=gap)\d{{1,4}}(?:(?P=gap)\d{{1,3}})?|\d{{6}}(?P=gap)\d{{4,5}})",
            _is_card,
            groups_cut=_GROUPS_CUT,
        ),
    )


@cache
def _identity_rules() -> tuple[_Rule, ...]:
    gap = rf"(?P<gap>[ {_DASH}])"
    return (
        _rule(rf"\d{{3}}{gap}\d{{2}}(?P=gap)\d{{4}}", _is_social_security),
        _rule(rf"\d{{4}}{gap}\d{{4}}(?P=gap)\d{{4}}(?! \d)", _is_grouped_identity),
        _rule(r"\d{12}", _is_plain_identity, plain=True),
        _rule(rf"\d{{6}}[{_DASH}][1-8]\d{{6}}", _is_korean),
        _rule(r"\d{17}[\dXx]", _is_chinese),
        _rule(r"[12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", _is_french),
        # The United Kingdom never gives out some of the prefixes.
        _rule(
            r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
            _is_british,
        ),
        _rule(r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", _is_spanish),
        _rule(r"\d\d ?\d{3} ?\d{3} ?\d{3}", _is_german),
        _rule(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}", _is_account, groups_cut=2 * _GROUPS_CUT),
    )


_RULES: Final[dict[NumberKind, Callable[[], tuple[_Rule, ...]]]] = {
    "phone": _phone_rules,
    "card": _card_rules,
    "national_id": _identity_rules,
}
