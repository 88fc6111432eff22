"""Which numbers are telephones that belong to somebody: by the numbering plans, and by the words near them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from recollect.text import number_words
from recollect.text.number_words import Candidate, is_among, is_near, names_a_thing

# Plans of which a number may stand after a word that says telephone: those whose numbers begin with 0, and the others.
_TRUNK: Final = ("JP", "KR", "GB", "DE", "FR", "IT", "CN", "IN", "AU", "NL", "BE", "AT", "CH", "TW", "BR")
_TRUNKLESS: Final = ("US", "CN", "ES", "IT", "BR", "IN", "MX", "PL")
# Numbers of stories and tests, which no plan has: 555 in North America, 07700 900123 in the United Kingdom.
_FICTION: Final = r"(?:\+?1)?(?:555\d{7}|[2-9]\d\d555\d{4})|(?:\+44|0)7700900\d{3}"
_MIN_DIGITS, _MAX_GROUPS = 9, 6
_DATE: Final = r"(?<!\d)(?:(?:19|20)\d\d([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2(?:19|20)\d\d)(?!\d)"


def is_international(candidate: Candidate) -> bool:
    """A number with the code of its country: +81 90-1234-5678, 0081 90 1234 5678."""
    if candidate.value.startswith("+"):
        # Old and mistyped numbers are in no plan; the word near them says what they are.
        return _belongs_to_somebody(candidate.value, possible=is_near(number_words.PHONE, candidate))
    # Many barcodes begin with 00, and so do some numbers of a row of four-digit numbers.
    grouped = not re.fullmatch(r"\d+|\d{4}(?:\D\d{4})+", candidate.value)
    known = grouped or is_near(number_words.PHONE, candidate)
    return known and _belongs_to_somebody("+" + candidate.digits[2:]) and not names_a_thing(candidate)


def is_national(*regions: str) -> Callable[[Candidate], bool]:
    """The check of a number that is written as usual in one of the regions."""

    def check(candidate: Candidate) -> bool:
        return _belongs_to_somebody(candidate.value, *regions) and not names_a_thing(candidate)

    return check


def is_korean_by_context(candidate: Candidate) -> bool:
    """A number of a Korean province: one order number in fifty looks like it."""
    return _is_known(candidate, number_words.HANGUL) and is_national("KR")(candidate)


def is_chinese_by_context(candidate: Candidate) -> bool:
    """A Chinese mobile number: one number of eleven digits in fifteen looks like it."""
    return _is_known(candidate, number_words.CHINESE) and is_national("CN")(candidate)


def is_named(candidate: Candidate) -> bool:
    """A number in any grouping that stands near a word that says telephone, in one of the larger plans."""
    groups = re.findall(r"\d+", candidate.value)
    if len(groups) > _MAX_GROUPS or any(len(group) < 2 for group in groups[1:]):
        return False
    if len(candidate.digits) < _MIN_DIGITS or re.search(_DATE, candidate.value):
        return False
    regions = _TRUNK if candidate.digits.startswith("0") else _TRUNKLESS
    return is_near(number_words.PHONE, candidate) and is_national(*regions)(candidate)


def _is_known(candidate: Candidate, script: str) -> bool:
    return is_near(number_words.PHONE, candidate) or is_among(script, candidate)


def _belongs_to_somebody(number: str, *regions: str, possible: bool = False) -> bool:
    """Whether a number is in one of the plans (or at least possible there), and no service that everybody may call.

    Where several plans have the number, the one decides in which it is usually grouped as it is here: 0808 157 0192 is
    a free line of the United Kingdom, and 080-8157-0192 a mobile telephone in Japan.
    """
    import phonenumbers
    from phonenumbers import PhoneNumberFormat, PhoneNumberType

    groups, kinds = re.findall(r"\d+", number), []
    for region in regions or (None,):
        try:
            parsed = phonenumbers.parse(number, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(parsed) or (possible and phonenumbers.is_possible_number(parsed)):
            usual = re.findall(r"\d+", phonenumbers.format_number(parsed, PhoneNumberFormat.NATIONAL))
            kinds.append((usual != groups, phonenumbers.number_type(parsed)))
    services = (
        PhoneNumberType.TOLL_FREE,
        PhoneNumberType.PREMIUM_RATE,
        PhoneNumberType.SHARED_COST,
        PhoneNumberType.UAN,
    )
    if kinds:
        return min(kinds, key=lambda kind: kind[0])[1] not in services
    return bool(re.fullmatch(_FICTION, re.sub(r"[^\d+]", "", number)))
