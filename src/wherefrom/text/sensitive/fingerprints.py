"""Makes search terms of personal data: a whole number finds the memos that hold it, however it is written."""

from __future__ import annotations

import hashlib
from typing import Final

from wherefrom.lazy import phonenumbers
from wherefrom.text.sensitive.findings import SECRET, FindingKind, find, plain_form

# A term that no text has by itself begins with this character, which `terms` takes for no letter.
_PREFIX: Final = "\ue000"


def lookup_terms(text: str) -> list[str]:
    """A term for each personal finding in a text. It is a hash of the whole: nobody learns a number from its parts."""
    return [
        _PREFIX + _fingerprint(finding.kind, text[finding.start : finding.end])
        for finding in find(text)
        if finding.kind != SECRET
    ]


def _fingerprint(kind: FindingKind, value: str) -> str:
    plain = plain_form(value).casefold().replace("%40", "@")
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
    is_american = (
        len(number) == 11
        and number[0] == "1"
        and phonenumbers.is_valid_number(phonenumbers.PhoneNumber(country_code=1, national_number=int(number[1:])))
    )
    return number[1:] if is_american else number.lstrip("0")
