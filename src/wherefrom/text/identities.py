"""Which numbers are national identities or accounts: by their shape, by check digits, or by the word near them."""

from __future__ import annotations

from datetime import date

from wherefrom.text import number_words
from wherefrom.text.number_words import FAR_BEFORE, Candidate, is_near, names_a_thing


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
    from stdnum.in_ import aadhaar

    named = is_near(number_words.MY_NUMBER, candidate) or is_near(number_words.AADHAAR, candidate)
    if not named and is_near(number_words.AADHAAR, candidate, before=FAR_BEFORE):
        named = aadhaar.is_valid(candidate.digits)
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
    from stdnum.cn import ric

    number = candidate.value.replace(" ", "").upper()
    # Not is_valid, which fails with a KeyError for some places (python-stdnum 2.2) and takes 80 ms to load them.
    valid = _is_date(number[6:14]) and ric.calc_check_digit(number) == number[-1]
    return valid and not names_a_thing(candidate, identifiers=False)


def is_french(candidate: Candidate) -> bool:
    """A social security number of France."""
    from stdnum.fr import nir

    return nir.is_valid(candidate.value) and not names_a_thing(candidate, identifiers=False)


def is_spanish(candidate: Candidate) -> bool:
    """A DNI or a NIE, near a word that says so."""
    from stdnum.es import dni, nie

    named = is_near(number_words.SPANISH_IDENTITY, candidate, before=FAR_BEFORE)
    return named and (dni.is_valid(candidate.value) or nie.is_valid(candidate.value))


def is_brazilian(candidate: Candidate) -> bool:
    """A CPF as it is always written: 690.758.456-50."""
    from stdnum.br import cpf

    return cpf.is_valid(candidate.value)


def is_canadian(candidate: Candidate) -> bool:
    """A social insurance number, near a word that says so."""
    from stdnum.ca import sin

    return is_near(number_words.CANADIAN_INSURANCE, candidate) and sin.is_valid(candidate.digits)


def is_german(candidate: Candidate) -> bool:
    """A tax identification number, near a word that says so."""
    from stdnum.de import idnr

    return is_near(number_words.GERMAN_TAX, candidate, before=FAR_BEFORE) and idnr.is_valid(candidate.value)


def is_british(candidate: Candidate) -> bool:
    """A national insurance number."""
    # It has no check digit; without spaces it may as well be a substance (SR141716A) or an article.
    return candidate.value.count(" ") == 4 or is_near(number_words.NATIONAL_INSURANCE, candidate)


def is_account(candidate: Candidate) -> bool:
    """An international bank account number."""
    from stdnum import iban

    return iban.is_valid(candidate.value)


def _is_date(digits: str) -> bool:
    try:
        return bool(date(int(digits[:4]), int(digits[4:6]), int(digits[6:])))
    except ValueError:
        return False
