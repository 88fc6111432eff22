"""Which numbers are telephones that belong to somebody: by the numbering plans, and by the words near them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from wherefrom.text import number_words
from wherefrom.text.number_words import Candidate, is_among, is_near, names_a_thing

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

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


def is_national(*regions: str) -> Callable[[Candidate], bool]:
    """The check of a number that is written as usual in one of the regions."""

    def check(candidate: Candidate) -> bool:
        if re.fullmatch(_SAMPLE, candidate.digits):
            return False
        return _is_in_plan_of(candidate, regions) and not names_a_thing(candidate)

    return check


def is_korean_by_context(candidate: Candidate) -> bool:
    """A number of a Korean province: one order number in fifty looks like it."""
    return _is_known(candidate, number_words.HANGUL) and is_national("KR")(candidate)


def is_chinese_by_context(candidate: Candidate) -> bool:
    """A Chinese mobile number: one number of eleven digits in fifteen looks like it."""
    return _is_known(candidate, number_words.CHINESE) and is_national("CN")(candidate)


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


def _is_known(candidate: Candidate, script: str) -> bool:
    return is_near(number_words.PHONE, candidate) or is_among(script, candidate)


def _is_in_its_plan(number: str, *, possible: bool = False) -> bool:
    """Whether a number with a plus sign is one of somebody's in the plan that its code names."""
    import phonenumbers

    try:
        return _is_somebodys(phonenumbers.parse(number), possible=possible)
    except phonenumbers.NumberParseException:
        return False


def _is_in_plan_of(candidate: Candidate, regions: tuple[str, ...]) -> bool:
    """Whether a number is one of somebody's in the plan of one of the regions.

    Where one plan has it as a service and another one does not, the plan decides in which it is usually grouped so:
    0808 157 0192 is a free line of the United Kingdom, and 080-8157-0192 a mobile telephone in Japan.
    """
    import phonenumbers

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
    """What phonenumbers.parse makes of digits; it takes fifty times as long."""
    import phonenumbers

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
    """Whether a number is in its plan (or at least possible there), and no service that everybody may call."""
    import phonenumbers
    from phonenumbers import PhoneNumberType, ValidationResult

    if phonenumbers.is_possible_number_with_reason(number) != ValidationResult.IS_POSSIBLE:
        return False
    kind = phonenumbers.number_type(number)
    if kind == PhoneNumberType.UNKNOWN:
        return possible
    return kind not in (
        PhoneNumberType.TOLL_FREE,
        PhoneNumberType.PREMIUM_RATE,
        PhoneNumberType.SHARED_COST,
        PhoneNumberType.UAN,
    )
