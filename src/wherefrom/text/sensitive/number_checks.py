"""Checks whether a number is somebody's telephone, card, identity or account: by plans, check digits, nearby words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from wherefrom.lazy import phonenumbers
from wherefrom.text.sensitive import number_words
from wherefrom.text.sensitive.number_words import CONTEXT_BEFORE, FAR_BEFORE, Candidate, is_near, names_a_thing

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

# Visa cards of 13 and of 19 digits are left out: the former are not in use any more, and barcodes have as many digits;
# the latter never were, and the identifiers of many services have as many.
_ISSUER: Final = (
    r"4[0-9]{15}"  # Visa
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|6(?:011|4[4-9][0-9]|5[0-9]{2})[0-9]{12}"  # Discover
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12}"  # JCB
    r"|3(?:0[0-59]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|62[0-9]{14,17}"  # UnionPay
)
# What may follow a card in the same row: the month and year in which it expires.
_EXPIRY: Final = r"(?:0[1-9]|1[0-2])[2-4][0-9]"
_CODE: Final = (
    r"(?i)(?:(?<![a-z])(?:cvv|cvc|cvn|csc|cid)2?|security code|prüfziffer|kartenprüfnummer|crypto(?:gramme)?"
    r"|c[oó]digo de seguridad|セキュリティ ?コード|安全码|보안 ?코드)(?: is|は|是)?"
    r"[\s:=#'\"*(]{0,4}([0-9]{3,4})(?![0-9])"
)
_CODE_DISTANCE: Final = 100
# Plans of which a number may stand after a word that says telephone: those whose numbers begin with 0, and those of
# which some do not.
_TRUNK: Final = ("JP", "KR", "GB", "DE", "FR", "IT", "CN", "IN", "AU", "NL", "BE", "AT", "CH", "TW", "BR")
_TRUNKLESS: Final = {
    "US": r"1?[2-9]\d{9}",
    "CN": r"1[3-9]\d{9}",
    "ES": r"[6-9]\d{8}",
    "IT": r"3\d{8,9}",
    "BR": r"[1-9]\d[2-9]\d{7,8}",
    "IN": r"[6-9]\d{9}",
    "MX": r"[2-9]\d{9}",
    "RU": r"[78]9\d{9}",
}
# Numbers of stories and tests, which no plan has: 555 in North America, 07700 900123 in the United Kingdom.
_FICTION: Final = r"1?(?:555(?!01)\d{7}|[2-9]\d\d555(?!01)\d{4})|(?:44|0)7700900\d{3}"
# Numbers that stand for any: 03-0000-0000, and 555-0100 to 555-0199, which nobody will ever have.
_SAMPLE: Final = r".*(?:(\d)\1{6}|0{4}|555-?01\d\d)"
_DATE: Final = r"(?<!\d)(?:(?:19|20)\d\d([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2(?:19|20)\d\d)(?!\d)"
_MIN_NATIONAL_DIGITS, _MIN_INTERNATIONAL_DIGITS = 9, 10
_MAX_GROUPS, _MAX_TRUNKLESS_GROUPS = 6, 4


def has_check_digits(*standards: str, near: str = "", before: int = CONTEXT_BEFORE) -> Callable[[Candidate], bool]:
    """The check of a number by the check digits of one of some standards, as python-stdnum names them ("es.dni"), and
    by words that have to stand near it.
    """

    def check(candidate: Candidate) -> bool:
        if near and not is_near(near, candidate, before=before):
            return False
        return any(_standard(name).is_valid(candidate.value) for name in standards)

    return check


def is_card(candidate: Candidate) -> bool:
    """A number with the beginning, the length and the check digit of a card."""
    # The card with which everybody tries a shop.
    if candidate.digits == "42" * 8:
        return False
    return _has_card_digits(candidate.digits) and not _is_cell(candidate) and not names_a_thing(candidate)


def is_social_security(candidate: Candidate) -> bool:
    """A number of the United States: 536-90-4399, and in any grouping after a word that says so."""
    if is_near(number_words.SOCIAL_SECURITY, candidate):
        return True
    digits = candidate.digits
    possible = digits[:3] not in ("000", "666") and digits < "9" and digits[3:5] != "00" and digits[5:] != "0000"
    hyphened = len(candidate.value) == 11 and " " not in candidate.value
    return possible and hyphened and not names_a_thing(candidate, identifiers=False)


def is_twelve_digits_identity(candidate: Candidate) -> bool:
    """A My Number of Japan or an Aadhaar of India, by the word near it.

    The word decides, not the check digit: a fifth of all parcel numbers have a check digit of one of the two.
    """
    named = is_near(number_words.MY_NUMBER, candidate) or is_near(number_words.AADHAAR, candidate)
    if not named and is_near(number_words.AADHAAR, candidate, before=FAR_BEFORE):
        named = _standard("in_.aadhaar").is_valid(candidate.digits)
    return named and not names_a_thing(candidate, identifiers=False)


def is_korean(candidate: Candidate) -> bool:
    """A resident registration number: 900101-1234567."""
    # Numbers given out since October 2020 have no check digit: the date of birth is what can be checked.
    digits = candidate.digits
    if not _is_date(("19" if digits[6] in "1256" else "20") + digits[:6]):
        return False
    if len(candidate.value) == len(digits):
        return is_near(number_words.RESIDENT_REGISTRATION, candidate)
    # Shops number their orders by the day, too.
    return not names_a_thing(candidate, identifiers=False)


def is_chinese(candidate: Candidate) -> bool:
    """A resident identity number of eighteen digits."""
    number = candidate.value.replace(" ", "").upper()
    # Not is_valid, which fails with a KeyError for some places (python-stdnum 2.2) and takes 80 ms to load them.
    valid = _is_date(number[6:14]) and _standard("cn.ric").calc_check_digit(number) == number[-1]
    return valid and not names_a_thing(candidate, identifiers=False)


def is_french(candidate: Candidate) -> bool:
    """A social security number of France."""
    return _standard("fr.nir").is_valid(candidate.value) and not names_a_thing(candidate, identifiers=False)


def is_british(candidate: Candidate) -> bool:
    """A national insurance number."""
    # It has no check digit; without spaces it may as well be a substance (SR141716A) or an article.
    return candidate.value.count(" ") == 4 or is_near(number_words.NATIONAL_INSURANCE, candidate)


def code_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each code printed on a card, near the card's number."""
    first = max(0, start - _CODE_DISTANCE)
    for match in re.finditer(_CODE, text[first : end + _CODE_DISTANCE]):
        yield first + match.start(1), first + match.end(1)


def is_international(candidate: Candidate) -> bool:
    """A number with the code of its country: +81 90-1234-5678, 0081 90 1234 5678."""
    digits, grouped = candidate.digits, not candidate.value.lstrip("+").isdigit()
    if candidate.value.startswith("+"):
        # Old, new and mistyped numbers are in no plan; their grouping or the word near them says what they are. North
        # America's plan has no other numbers than those it allows.
        told = (grouped and len(digits) >= _MIN_INTERNATIONAL_DIGITS) or is_near(number_words.PHONE, candidate)
        possible = (told and digits[0] != "1") or bool(re.fullmatch(_FICTION, digits))
        return _is_in_its_plan(candidate.value, possible=possible)
    # Many barcodes begin with 00, and so do some numbers of a row of four-digit numbers.
    told = grouped and not re.fullmatch(r"\d{4}(?:\D\d{4})+", candidate.value)
    told = told or is_near(number_words.PHONE, candidate)
    return told and _is_in_its_plan(f"+{digits[2:]}") and not names_a_thing(candidate)


def is_national(*regions: str, script: str = "") -> Callable[[Candidate], bool]:
    """The check of a number that is written as usual in one of the regions. If many other numbers are written so, a
    word that says telephone or the script of the region has to stand near it.
    """

    def check(candidate: Candidate) -> bool:
        if script and not (
            is_near(number_words.PHONE, candidate) or re.search(script, candidate.before + candidate.after)
        ):
            return False
        if re.fullmatch(_SAMPLE, candidate.digits):
            return False
        return _is_in_plan_of(candidate, regions) and not names_a_thing(candidate)

    return check


def is_usual_somewhere(candidate: Candidate) -> bool:
    """A number in any grouping that one of the larger plans has; for numbers near a word that says telephone."""
    groups, digits = re.findall(r"\d+", candidate.value), candidate.digits
    # Only the first group may have one digit: (0)20 7946 0958, 1 415 555 2671.
    prefixed = len(groups[0]) > 1 or re.fullmatch(r"0\d+|1\d{10}", digits)
    grouped = prefixed and all(len(group) > 1 for group in groups[1:])
    if not grouped or len(digits) < _MIN_NATIONAL_DIGITS or re.search(_DATE, candidate.value):
        return False
    if digits.startswith("0"):
        return len(groups) <= _MAX_GROUPS and is_national(*_TRUNK)(candidate)
    regions = [region for region, shape in _TRUNKLESS.items() if re.fullmatch(shape, digits)]
    return len(groups) <= _MAX_TRUNKLESS_GROUPS and is_national(*regions)(candidate)


def _has_card_digits(number: str) -> bool:
    return bool(re.fullmatch(_ISSUER, number)) and _standard("luhn").is_valid(number)


def _is_cell(candidate: Candidate) -> bool:
    """True if a number is one of a row or a column of numbers that are no cards.

    One of fifty numbers of sixteen digits is a card by chance, and a table has many of them.
    """
    before, value, after = candidate.before, candidate.value, candidate.after
    if not value.isdigit():
        gap = re.escape(value[4])
        card = rf"\d{{4}}(?:{gap}\d{{4}}){{3}}"
        neighbours = [
            re.search(rf"(?<!\d)({card}|\d{{4}}){gap}\Z", before),
            re.match(rf"{gap}(?!{_EXPIRY}\b)({card}|\d{{4}})(?!\d)", after),
        ]
        return any(neighbour and not _has_card_digits(re.sub(gap, "", neighbour[1])) for neighbour in neighbours)
    between = re.search(r"\d([,;|\t])\s?\Z", before)
    if between and re.match(rf"\s?{re.escape(between[1])}\s?\d(?!\d?/)", after):
        return True
    neighbours = [
        re.search(rf"(?<!\d)(\d{{{len(value)}}})[\s,;|]{{1,3}}\Z", before),
        re.match(rf"[\s,;|]{{1,3}}(\d{{{len(value)}}})(?!\d)", after),
    ]
    return any(neighbour and not _has_card_digits(neighbour[1]) for neighbour in neighbours)


def _is_date(digits: str) -> bool:
    try:
        return bool(date(int(digits[:4]), int(digits[4:6]), int(digits[6:])))
    except ValueError:
        return False


def _standard(name: str) -> Any:
    """A module of python-stdnum, imported when a number has its shape."""
    return import_module(f"stdnum.{name}")


def _is_in_its_plan(number: str, *, possible: bool = False) -> bool:
    """True if a number with a plus sign is one of somebody's in the plan that its code names."""
    try:
        return _is_somebodys(phonenumbers.parse(number), possible=possible)
    except phonenumbers.NumberParseException:
        return False


def _is_in_plan_of(candidate: Candidate, regions: tuple[str, ...]) -> bool:
    """True if a number is one of somebody's in the plan of one of the regions.

    Where one plan has it as a service and another one does not, the plan decides in which it is usually grouped so:
    0808 157 0192 is a free line of the United Kingdom, and 080-8157-0192 a mobile telephone in Japan.
    """
    digits = candidate.digits
    numbers = [_national_number(digits, region) for region in regions]
    valid = [number for number in numbers if phonenumbers.is_valid_number(number)]
    if not valid:
        return bool(re.fullmatch(_FICTION, digits))
    somebodys = [_is_somebodys(number) for number in valid]
    if all(somebodys) or not any(somebodys):
        return somebodys[0]
    groups = re.findall(r"\d+", candidate.value)
    usual = [
        re.findall(r"\d+", phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL))
        for number in valid
    ]
    return somebodys[usual.index(groups) if groups in usual else 0]


def _national_number(digits: str, region: str) -> PhoneNumber:
    """The number that phonenumbers.parse would make of digits, which takes fifty times as long."""
    zero = region == "IT" and digits.startswith("0")
    if region == "US" and len(digits) == 11:
        digits = digits.removeprefix("1")
    if region == "RU":
        digits = digits[1:]
    return phonenumbers.PhoneNumber(
        country_code=phonenumbers.country_code_for_region(region),
        national_number=int(digits.removeprefix("0")),
        italian_leading_zero=zero,
    )


def _is_somebodys(number: PhoneNumber, *, possible: bool = False) -> bool:
    """True if a number is in its plan (or at least possible there), and no service that everybody may call."""
    if phonenumbers.is_possible_number_with_reason(number) != phonenumbers.ValidationResult.IS_POSSIBLE:
        return False
    kinds, kind = phonenumbers.PhoneNumberType, phonenumbers.number_type(number)
    if kind == kinds.UNKNOWN:
        return possible
    return kind not in (kinds.TOLL_FREE, kinds.PREMIUM_RATE, kinds.SHARED_COST, kinds.UAN)
