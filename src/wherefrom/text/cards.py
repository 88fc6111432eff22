"""Which numbers are payment cards: by issuer and check digit, unless the words or the numbers next to them differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wherefrom.text.number_words import Candidate, names_a_thing

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


def is_card(candidate: Candidate) -> bool:
    """A number with the beginning, the length and the check digit of a card."""
    # The card with which everybody tries a shop.
    if candidate.digits == "42" * 8:
        return False
    return _has_card_digits(candidate.digits) and not _is_cell(candidate) and not names_a_thing(candidate)


def code_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the codes that are printed on a card stand, near its number."""
    first = max(0, start - _CODE_DISTANCE)
    for match in re.finditer(_CODE, text[first : end + _CODE_DISTANCE]):
        yield first + match.start(1), first + match.end(1)


def _has_card_digits(number: str) -> bool:
    # Every second digit from the right is doubled, and the digits of the result added: 8 becomes 1 + 6.
    doubled = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
    return bool(re.fullmatch(_ISSUER, number)) and (
        (sum(map(int, number[::-2])) + sum(doubled[int(digit)] for digit in number[-2::-2])) % 10 == 0
    )


def _is_cell(candidate: Candidate) -> bool:
    """Whether a number is one of a row or a column of numbers that are no cards.

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
