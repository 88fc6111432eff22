"""The words near a number that say what it is: a telephone, an identity, or the number of a thing."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from wherefrom.text.sensitive.scanning import compiled

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
MY_NUMBER: Final = r"マイナンバー|個人番号|(?<![a-z])(?:my[ _-]?number|individual number)"
AADHAAR: Final = r"(?<![a-z])a+dha+r(?![a-z])|uidai|आधार"
SOCIAL_SECURITY: Final = r"(?<![a-z])ssn|social.security|(?:his|her|my|their) social(?= is|:)|社会保障番号"
RESIDENT_REGISTRATION: Final = r"주민|(?<![a-z])rrn|resident.registration"
NATIONAL_INSURANCE: Final = r"national.insurance|\bnino?\b|\bni (?:no|number)"
GERMAN_TAX: Final = r"steuer|\bidnr|tax.id|\btin\b"
CANADIAN_INSURANCE: Final = r"(?<![a-z])(?:sin|nas)(?![a-z])|social insurance"
SPANISH_IDENTITY: Final = r"\b(?:dni|nie|nif)\b|identidad"

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
