"""Checks whether a number is somebody's telephone, card, identity or account: by plans, check digits, nearby words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wherefrom.lazy import phonenumbers
from wherefrom.text.sensitive.scanning import compiled

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

# How much of the text before and after a number may say what it is.
CONTEXT_BEFORE, _CONTEXT_AFTER = 40, 24
# If check digits say so, too, the word may stand further away.
FAR_BEFORE: Final = 100

_LETTER: Final = r"[^\W\d_]"

# Plain texts rather than patterns: compiled at first use and kept by `re`, as importing must be quick. All in small
# letters, because `re` is five times as slow when it has to ignore the case. Latin words have no letter before them,
# so that "typically" is no call and a border no order.
PHONE: Final = (
    r"(?<![a-z])(?:t[eé]l|fax|fon|cell|cel|tlf|gsm|mob|ph(?=[.:])|[tmpf](?=: |[.:]? ?\Z)|m[oó]vil|dial|ring"
    r"|call(?:ed|ing|s)?|sms|whatsapp|text(?:ed)? (?:me|us|him|her|them)|reach (?:me|us|him|her|them)"
    r"|(?:my|his|her|their|our|your) (?:\w{3,9} )?number|(?:mon|mi|mio|meu|meine?|seine?"
    r"|ihre?) (?:\w{4,8} )?n[uú]m[eé]ro|n[uú]m[eé]ro (?:perso|fixe)|durchwahl|meine nummer|ruft?|anruf(?:en)?"
    r"|(?:zu)?r[uü]ckruf(?:en)?|erreich(?:bar|st|en?|t)|portable|appele[rz]|joindre|joignable|ll[aá]m[ae](?:me|r|nos)?"
    r"|lig(?:ue|ar)|chiama(?:re|mi)?)(?![a-z])|(?<![a-z])(?:mobil(?!i)|handy|rufnummer|cell?ular|[ck]onta[ck]t"
    r"|cont[aá]cta)|phone|t[eé]l[eé](?:ph|f)on|telem[oó]ve|電話|携帯|連絡先|ケータイ|スマホ|ファックス|电话|手机|手機"
    r"|座机|致电|联系|聯絡|微信|传真|전화|휴대|핸드폰|연락처|팩스|फोन|फ़ोन|मोबाइल|नंबर|телефон|звон[ик]|(?<!\w)тел\."
)
_MY_NUMBER: Final = r"マイナンバー|個人番号|(?<![a-z])(?:my[ _-]?number|individual number)"
_AADHAAR: Final = r"(?<![a-z])a+dha+r(?![a-z])|uidai|आधार"
_SOCIAL_SECURITY: Final = r"(?<![a-z])ssn|social.security|(?:his|her|my|their) social(?= is|:)|社会保障番号"
_RESIDENT_REGISTRATION: Final = r"주민|(?<![a-z])rrn|resident.registration"
_NATIONAL_INSURANCE: Final = r"national.insurance|\bnino?\b|\bni (?:no|number)"

HANGUL: Final = r"[\uac00-\ud7af]"
# Chinese, and neither Japanese nor Korean, which have some of the same characters.
CHINESE: Final = r"\A(?![\s\S]*[\u3040-\u30ff\uac00-\ud7af])[\s\S]*[\u4e00-\u9fff]"

# Things whose number may follow at once: "order 123", "注文 123".
_THINGS: Final = (
    r"(?<![a-z])(?:order|invoice|(?:credit|delivery) note|docket|court case|receipt|tracking|parcel|shipment|waybill"
    r"|awb|consignment|ticket|serial|s/n|sku|barcode|isbn|issn|e-?issn|ean|upc|gtin|jan(?: ?code|コード)|asin|doi|pmid"
    r"|pmcid|imei|ref|reference|transaction|txn|batch|lot|version|build|commit|timestamp|epoch|uuid|hash"
    r"|bestell(?:ung)?s?|auftrags?|rechnungs?|sendungs?(?:verfolgungs)?|paket|vorgangs?|artikel|serien|kunden|vertrags?"
    r"|buchungs?|referenz|aktenzeichen|commande|facture|suivi|colis|s[eé]rie|r[eé]f[eé]rence|dossier|contrat"
    r"|r[eé]servation|billet|pedido|factura|seguimiento|rastreo|env[ií]o|paquete|referencia|expediente|contrato|boleto"
    r"|gu[ií]a)|注文|伝票|追跡|送り状|荷物|シリアル|バーコード|型番|品番|図番|ロット|請求書?|領収書|チケット|订单|訂單"
    r"|快递|快遞|运单|運單|单号|單號|发票|發票|编号|編號|序列|型号|批号|条码|條碼|货号|流水|工单|合同|物流|주문|송장"
    r"|운송장|택배|등기|일련|접수|영수증|바코드|품번|승인|티켓"
)
# Things of which only the number, the code or the ID is no telephone: "bookings: 415-555-2671" is one.
_NUMBERED: Final = (
    r"(?<![a-z])(?:part|model|product|item|article|case|claim|policy|contract|job|task|issue|request|booking"
    r"|reservation|confirmation|delivery|shipping|member(?:ship)?|customer|client|patent|grant|file|document|po"
    r"|purchase|catalog(?:ue)?|tracing|flight|vehicle|asset|stock|device)"
    r"|問い?合わ?せ|お?客様|管理|製造|商品|製品|部品|予約|受付|会員|顧客|契約|整理|配送|登録|申請|案件|文書|社員|法人"
    r"|会员|客户|产品|商品|设备|관리|예약|회원|고객|제품|모델|배송|사건|사업자"
)
_NOUN: Final = (
    r"(?:number|num|no|nr|id|code|nummer|num[eé]ro|n[uú]m|n[°o])(?![a-z])|#|番号|コード|号码?|號碼?|编号|번호"
)
_VERB: Final = r"(?:is|was|ist|lautet|est|es)(?![a-z])|[はが是为為는은이가]"
_GAP: Final = r"[ \t:=.°'\"*|>({\[「【_#-]"
# "Reference for the claim: 123"
_OF_WHAT: Final = r"(?: (?:for|of|on) (?:the|your|my|our|this|an?) \w{1,20})?"
# The name of a column or a field: "ID", "order_id", "orderId".
_IDENTIFIER: Final = r"(?:(?<![A-Za-z])(?:ID|Id|id)|(?<=[a-z])I[dD])"
_NUMBER_OF: Final = rf"{_GAP}{{0,2}}+(?:{_NOUN}){_GAP}{{0,2}}+(?:{_VERB})?"
_BEFORE_THING: Final = rf"(?:(?:{_THINGS})(?:{_NUMBER_OF})?|(?:{_NUMBERED}){_NUMBER_OF}){_OF_WHAT}{_GAP}{{0,6}}+\Z"
_BEFORE_IDENTIFIED: Final = rf"{_IDENTIFIER}(?: is)?{_GAP}{{0,6}}+\Z"
# "(order number)", "is your tracking number"
_AFTER_THING: Final = rf"['\")]?\s?(?:\(|(?:{_VERB})\s?(?:\w{{1,5}} )?)(?:{_THINGS}|{_NUMBERED}){_GAP}?(?:{_NOUN})"

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
# The month and year in which a card expires may follow it in the same row.
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


class Candidate(NamedTuple):
    """A part of a text that has the shape of some number."""

    text: str
    start: int
    end: int

    @property
    def value(self) -> str:
        """The number as it is written."""
        return self.text[self.start : self.end]

    @property
    def digits(self) -> str:
        """The digits of the number."""
        return "".join(filter(str.isdigit, self.value))

    @property
    def before(self) -> str:
        """The text before the number that may say what it is."""
        return self.text[max(0, self.start - CONTEXT_BEFORE) : self.start]

    @property
    def after(self) -> str:
        """The text after the number that may say what it is."""
        return self.text[self.end : self.end + _CONTEXT_AFTER]


def is_near(words: str, candidate: Candidate, *, before: int = CONTEXT_BEFORE) -> bool:
    """True if one of the words stands shortly before or after a number."""
    # Tables have no letters between their numbers, and need no search for each word.
    texts = (candidate.text[max(0, candidate.start - before) : candidate.start], candidate.after)
    return any(re.search(_LETTER, text) and re.search(words, text.lower()) for text in texts)


def names_a_thing(candidate: Candidate, *, identifiers: bool = True) -> bool:
    """True if the words next to a number say that it is that of an order, a parcel, a product or a record.

    "ID" alone says so of a telephone and a card, but not of a national identity.
    """
    return bool(
        compiled(_BEFORE_THING).search(candidate.before.lower())
        or (identifiers and compiled(_BEFORE_IDENTIFIED).search(candidate.before))
        or compiled(_AFTER_THING).match(candidate.after.lower())
    )


def has_check_digits(*standards: str) -> Callable[[Candidate], bool]:
    """The check of a number by the check digits of one of some standards, as python-stdnum names them ("es.dni")."""
    return lambda candidate: any(_standard(name).is_valid(candidate.value) for name in standards)


def is_card(candidate: Candidate) -> bool:
    """A number with the beginning, the length and the check digit of a card."""
    # The card with which everybody tries a shop.
    if candidate.digits == "42" * 8:
        return False
    return _has_card_digits(candidate.digits) and not _is_cell(candidate) and not names_a_thing(candidate)


def is_social_security(candidate: Candidate) -> bool:
    """A number of the United States: 536-90-4399, and in any grouping after a word that says so."""
    if is_near(_SOCIAL_SECURITY, candidate):
        return True
    digits = candidate.digits
    possible = digits[:3] not in ("000", "666") and digits < "9" and digits[3:5] != "00" and digits[5:] != "0000"
    hyphened = len(candidate.value) == 11 and " " not in candidate.value
    return possible and hyphened and not names_a_thing(candidate, identifiers=False)


def is_twelve_digits_identity(candidate: Candidate) -> bool:
    """A My Number of Japan or an Aadhaar of India, by the word near it.

    The word decides, not the check digit: a fifth of all parcel numbers have a check digit of one of the two.
    """
    named = is_near(_MY_NUMBER, candidate) or is_near(_AADHAAR, candidate)
    if not named and is_near(_AADHAAR, candidate, before=FAR_BEFORE):
        named = _standard("in_.aadhaar").is_valid(candidate.digits)
    return named and not names_a_thing(candidate, identifiers=False)


def is_korean(candidate: Candidate) -> bool:
    """A resident registration number: 900101-1234567."""
    # Numbers given out since October 2020 have no check digit: the date of birth is what can be checked.
    digits = candidate.digits
    if not _is_date(("19" if digits[6] in "1256" else "20") + digits[:6]):
        return False
    if len(candidate.value) == len(digits):
        return is_near(_RESIDENT_REGISTRATION, candidate)
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
    return candidate.value.count(" ") == 4 or is_near(_NATIONAL_INSURANCE, candidate)


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
        told = (grouped and len(digits) >= _MIN_INTERNATIONAL_DIGITS) or is_near(PHONE, candidate)
        possible = (told and digits[0] != "1") or bool(re.fullmatch(_FICTION, digits))
        return _is_in_its_plan(candidate.value, possible=possible)
    # Many barcodes begin with 00, and so do some numbers of a row of four-digit numbers.
    told = grouped and not re.fullmatch(r"\d{4}(?:\D\d{4})+", candidate.value)
    told = told or is_near(PHONE, candidate)
    return told and _is_in_its_plan(f"+{digits[2:]}") and not names_a_thing(candidate)


def is_national(*regions: str, script: str = "") -> Callable[[Candidate], bool]:
    """The check of a number that is written as usual in one of the regions. If many other numbers are written so, a
    word that says telephone or the script of the region has to stand near it.
    """

    def check(candidate: Candidate) -> bool:
        if script and not (is_near(PHONE, candidate) or re.search(script, candidate.before + candidate.after)):
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
    if value.isdigit():
        between = re.search(r"\d([,;|\t])\s?\Z", before)
        if between and re.match(rf"\s?{re.escape(between[1])}\s?\d(?!\d?/)", after):
            return True
        gap, not_after, number = r"[\s,;|]{1,3}", "", rf"\d{{{len(value)}}}"
    else:
        gap, not_after = re.escape(value[4]), rf"(?!{_EXPIRY}\b)"
        number = rf"\d{{4}}(?:{gap}\d{{4}}){{3}}|\d{{4}}"
    neighbours = (
        re.search(rf"(?<!\d)({number}){gap}\Z", before),
        re.match(rf"{gap}{not_after}({number})(?!\d)", after),
    )
    return any(found and not _has_card_digits(re.sub(gap, "", found[1])) for found in neighbours)


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
