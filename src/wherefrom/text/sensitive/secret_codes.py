"""Codes of a few digits that open something: PINs, codes of doors and alarms, codes that are sent once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wherefrom.text.sensitive.scanning import compiled, lowered, places_of

# Four to eight digits, also one by one or in groups, with a letter or two as doors have them: "47B81", "C2954".
_CODE: Final = (
    r"(?<![A-Za-z0-9_.,/$€£¥₩+^~-])(?<![0-9]:)[#*]?(?P<code>[0-9]{4,8}|[0-9](?:[ ・-][0-9]){3,5}"
    r"|[0-9]{2}(?:[ -][0-9]{2}){2,3}|[0-9]{4}[ -][0-9]{4}|[0-9]{3}[ -][0-9]{3}|[A-Z][0-9]{4,5}[A-Z]?"
    r"|[0-9]{2,3}[A-ZА-Я][0-9]{2,4})[#*]?(?![A-Za-z0-9_%€£°/])(?![.,:・-][0-9])(?!\s?-\s?[0-9])"
)
# Things that are counted or measured, after their number.
_UNIT: Final = (
    r"\s{0,2}(?:[桁位円元块年月日分秒人回件번년명개원분초]|文字|자|digit|number|char|stellig|chiffre|d[íi]gito|cifre"
    r"|цифр|руб|euro|eur\b|usd|dollar|[€$£]|(?:[kcm]?m|kg|g|m?s|min|h|[kmg]b|px|ft|lb|hz|rpm)\b|hour|day|year|times"
    r"|people|user|step|word|point|line|row|item|card|account|jahre|ans\b|años|anos)"
)
# Enough digits for a code, with what may stand between them.
_DIGITS: Final = "[0-9][0-9A-ZА-Я ・-]{2,3}[0-9]"
# Words that say that the number is a code.
_CODE_WORDS: Final = (
    r"(?<![a-zà-ÿ0-9])(?:pin|pins|puk|passcode|digicode|fahrradschloss|zahlenschloss|cadenas|candado|cadeado|lucchetto"
    r"|keypad|lock ?box|key ?safe|geheimzahl|senha|clave|contraseña)(?![a-zà-ÿ])|(?:door|gate|alarm|entry|entrance"
    r"|garage|keypad|lock|lockbox|safe|unlock|voicemail|till|manager|building|locker|access|security|one[ -]time"
    r"|verification|authentication|log-?in|sign-?in|2fa|otp|sms|shed|padlock|suitcase|intercom|buzzer|stockroom|house"
    r"|lift|parking) (?:code|combination|combo)s?(?![a-z])|(?:lock|locker|safe) numbers?(?![a-z])"
    r"|(?:code|combination|combo) (?:for|to|of|on) (?:the |my |our |your )?(?:\w{1,12} )?(?:door|gate|alarm|garage|lock"
    r"|safe|phone|building|shed|flat|house|suitcase)|code (?:de |d'|du |pour )?(?:la |l'|ma |mon |le )?(?:carte|alarme"
    r"|porte|portail|coffre|entrée|immeuble|parking|garage|sim|déverrouillage|vérification|téléphone|secret)"
    r"|c[óo]digo d[aeo]l? ?(?:la |el )?(?:alarm|p[ou]e?rt|verifica|acces|entrada|gara|caja|cofre|desbloque|prédio)"
    r"|codice (?:d[ie]l{0,2}[ao']? ?)?(?:allarme|bancomat|cancello|port|verifica|sblocco|cassaforte|accesso)"
    r"|(?:t[üo]r|alarm|haus|zugangs|garagen|bestätigungs|entsperr|sicherheits|safe|tresor)-?code|tresor"
    r"|(?:tape[zr]?|type|enter|use|dial|punch in|press|digita|marca|introduce) (?:in )?(?:the |le |el |il "
    r"|den )?c[oó]d(?:e|igo|ice)|暗証|オートロック|ロック解除|(?:認証|確認|解除|責任者|ドア)(?:番号|コード)"
    r"|(?:警報|アラーム)[^\n]{0,4}解除|ダイヤル(?:錠|ロック|キー|式|[0-9])|キーボックス|金庫の?番号"
    r"|パス(?:コード|ワード)|密[码碼]|口令|验证码|驗證碼|解[锁鎖]|비밀번호|비번|암호|인증 ?(?:번호|코드)|잠금|도어락"
    r"|현관|핀(?=[은이:번 ])|домофон|пин(?![а-я])|пин-?код|код(?:а|ом)? (?:от|домоф|подъезд|двер|подтвер|сейф|ворот)"
    r"|парол"
)
# Things with a code; the word before the number has to say that it opens them.
_THINGS: Final = (
    r"(?<![a-z])(?:alarma?|alarme|alarmanlage|allarme|garage|gate|door|safe|locker|phone|handy|mobile|tablet|ipad"
    r"|laptop|lock|padlock|till|box|tresor|carte|karte|tarjeta|tür|puerta|porte)(?![a-z])|警報|金庫|ロッカー|ボックス"
    r"|スマホ|携帯|玄関|手机|平板|사물함|자물쇠|휴대폰|폰(?= )"
)
_OPENED_WITH: Final = (
    r"(?:\b(?:unlocks? (?:with|by)|opens? with|opened with|alarm is|(?:quita|abre|apaga|desactiva|desbloquea) con"
    r"|(?:ouvre|déverrouille) avec|(?:combination|combo)(?: is| goes)?:?|(?:the code|code|numbers) (?:is|are)"
    r"|(?:wheels|dials?) to|(?:schalt|öffn|entsperr|geh)\w*[^\n0-9]{0,20} mit|(?:press|hit|dial"
    r"|push)[^\n0-9]{1,14} then)|番号は|解除は|番号：)\s?[\"'「]?[#*]?\Z"
)
# The words and signs directly before the number, if the word that names it is further away.
_CUE: Final = (
    r"(?:[:=→：…]|->|\b(?:is|are|was|its|it's|still|now|to|says|ist|die|lautet|war|noch|est|c'est|es|era|é|è|rimasto"
    r"|remains|then)|[はがを是为為输按，、]|から|는|은|이|그대로|届いた。)\s{0,2}[\"'「*]{0,2}[#*]?\Z"
)
_OTHER_CUE: Final = (
    r"(?:\b(?:in|since|year|port|room|page|line|than|least|most|of|over|about|around|until|till|by|version|error|status"
    r"|ticket|order|no\.?|nr\.?|step|file|section|chapter|bus|call|tel|ext|for|from|iso|rfc|every|after|before|seit|en"
    r"|depuis|desde|von|im|um|с|в|для|error code|model|level|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)|[~<>≈]|(?<!pin)(?<!puk)(?<!code)(?<=[a-z])=)\s?#?\Z"
)
# Numbers of other things.
_OTHER_NUMBER: Final = (
    r"(?:错误|エラー|商品|型番|郵便|電話|市外|製造|口座|会員|注文|伝票|오류|우편|전화|계좌|주문|ошибк|индекс|город"
    r"|error|status|exit|zip|postal|area|country|product|model|serial|order|ticket|room|promo|discount|coupon|booking"
    r"|postleit|fehler|artikel|bestell|kunden|konto|rechnung|teléfono|pedido|commande)[^\n，、。,.;]{0,14}\Z"
)
# A word may be about electronics, maps or versions: pins of a chip, pins on a board, the PIN code of a place.
_OTHER_PIN: Final = (
    r"(?i)gpio|connector|header|socket|solder|pinned|pin ?code|pin numbers? \d|\bcpu\b|bowling|district|address|nagar"
    r"|\broad\b|street|commit|depend|version|ピン留"
)
_BEFORE: Final = (
    r"\b(?:tape[zr]?|type|enter|dial|press|use|with|me|mit|con|avec|drück\w{0,2}|digita|marca)\s[\"'「]?[#*]?\Z"
    r"|(?:\A|\n)[\"'「]\Z"
)
_AFTER: Final = (
    r"[\"'」]?[#*]?(?:,? ?(?:c'est|that's|it's|is|as|ist|es|è|é) |로 |,? )[^\n.0-9]{0,40}?(?:code|pin|puk"
    r"|passcode|unlock|open|handy|열려|열린|tür|door)"
)
_YEAR: Final = r"(?:19|20)[0-9]{2}"
# How far before the number its word may stand, and how far without anything that points at the number.
_FAR, _NEAR = 70, 26
# How the words begin or what they hold; a number counts only in their neighbourhood.
_STEMS: Final = (
    *("pin", "puk", "code", "keypad", "lock", "alarm", "senha", "clave", "contrase", "digo d", "codice", "combination"),
    *("combo", "geheimzahl", "schloss", "cadenas", "candado", "lucchetto", "tresor", "handy", "safe"),
)
# Stems that stand inside many other words, too: "opinion", "encodes", "blockade".
_WORDS: Final = frozenset({"pin", "puk", "code", "lock", "safe", "alarm", "clave"})
_EDGES: Final = (
    r"(?:(?<![a-z])|(?<=un)|(?<=pad))(?:pins?|puk|lock(?:s|ed|ers?|box)?|safe|alarm(?:a|e|anlage)?|clave)(?![a-z])"
    r"|(?<!en)(?<!de)codes?(?![a-z])"
)
_OTHER_STEMS: Final = (
    r"暗証|オートロック|ロック解除|番号|コード|解除|ダイヤル|キーボックス|金庫|パスワード|認証|密[码碼]|口令|验证|驗證"
    r"|解[锁鎖]|비밀번호|비번|암호|인증|잠금|도어락|현관|핀|사물함|домофон|пин|код|парол|提取"
)
# The code that a shared folder asks for.
_FOLDER: Final = r"提取[码碼][^\w\n]{0,3}([A-Za-z0-9]{4})(?![A-Za-z0-9])"
_APP_STEMS: Final = ("setup key", "authenticator", "totp", " 2fa", "two-factor")
# The key of an app that makes codes, as base32 in groups of four; a table of hexadecimal numbers is none.
_SETUP_KEY: Final = (
    r"(?<![A-Z0-9])(?=[A-Z -]{0,40}[2-7])(?=[A-F2-7 -]{0,40}[G-Z])(?:[A-Z2-7]{4}[ -]){3,7}[A-Z2-7]{4}(?![A-Z0-9])"
)


def may_hold_codes(text: str, plain: str) -> bool:
    """Returns whether a word may announce a code; the plain form of the text is Latin-1 in lower case."""
    if not compiled(_DIGITS).search(text):
        return any(stem in plain for stem in _APP_STEMS) or "提取" in text or "認証" in text
    for stem in (*_STEMS, *_APP_STEMS):  # a generator would take three times as long
        if stem in plain:
            return True
    return not text.isascii() and compiled(_OTHER_STEMS).search(text) is not None


def code_spans(text: str, plain: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each code that the words around it say to be one."""
    lower = lowered(text)
    for first, last in _neighbourhoods(text, plain):
        for match in compiled(_CODE).finditer(text, first, last):
            start, end = match.span("code")
            if compiled(_UNIT).match(lower, end) or not match["code"].strip("0"):
                continue
            if _is_announced(lower, start, end) or _is_explained(lower, start, end):
                yield start, end
    if "提取" in text:
        yield from (match.span(1) for match in compiled(_FOLDER).finditer(text))
    if any(stem in plain for stem in _APP_STEMS) or (
        not text.isascii() and compiled("認証|验证|驗證|인증").search(text)
    ):
        yield from (match.span() for match in compiled(_SETUP_KEY).finditer(text))


def _neighbourhoods(text: str, plain: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each stretch of text near a word for codes; stretches that overlap are one."""
    found = [at for at, stem in places_of(_STEMS, plain) if stem not in _WORDS or compiled(_EDGES).match(plain, at)]
    if not text.isascii():
        found += [match.start() for match in compiled(_OTHER_STEMS).finditer(text)]
    first = last = 0
    for at in sorted(found):
        if at - _FAR > last:
            if last:
                yield first, last
            first = at - _FAR
        last = at + _FAR + _NEAR
    if last:
        yield first, last


def _is_announced(lower: str, start: int, end: int) -> bool:
    """True if a word for codes stands before the number, near to it or with something that points at it."""
    # At most the line before and its own.
    before = "\n".join(lower[max(0, start - _FAR) : start].split("\n")[-2:])
    if compiled(_OTHER_CUE).search(before) or compiled(_OTHER_NUMBER).search(before):
        return False
    number = lower[start:end]
    words = list(compiled(_CODE_WORDS).finditer(before))
    if not words:
        opened = compiled(_OPENED_WITH).search(before) and compiled(_THINGS).search(before)
        return bool(opened) and not number.endswith("00")
    if words[-1][0].startswith("pin") and compiled(_OTHER_PIN).search(lower, max(0, start - _FAR), end + 40):
        return False
    cued = compiled(_CUE).search(before) is not None
    # "1111" and "1234" are what everybody is warned of.
    if compiled(r"(.)\1+|0?12345?6?7?8?").fullmatch(number):
        return False
    if compiled(_YEAR).fullmatch(number) or number.endswith("00"):
        return cued
    gap = before[words[-1].end() :]
    return cued or (len(gap) <= _NEAR and not compiled(r"[0-9\n.,;!?]").search(gap))


def _is_explained(lower: str, start: int, end: int) -> bool:
    """True if the words after a number say what it opens: "type 2907, it's the code of my card"."""
    return bool(compiled(_BEFORE).search(lower[max(0, start - 12) : start]) and compiled(_AFTER).match(lower, end))
