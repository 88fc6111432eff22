"""Secrets that a word announces: "password: …", "the API key is …", 「パスワードは…」."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recollect.text.nearby_secrets import nearby_spans
from recollect.text.patterns import compiled
from recollect.text.secret_ends import CLOSING, TAKEN_OUT, end_of_secret
from recollect.text.secret_values import Announcement, Value, is_placeholder, is_secret

# Words for passwords, in lower case. Each alternative begins with a letter, for which the engine looks first.
_LONG_WORDS: Final = (
    r"p(?:ass(?:[ -]?(?:word|phrase|code)|wd|wort)|wd)|kennwort|mot de passe|senha|wachtwoord"
    r"|パス(?:ワード|フレーズ|コード)|ハ\u309aスワート\u3099|暗号化キー|비밀번호|비번|암호"
    r"|密码|密碼|口令|пароль|contraseña|hasło|lösenord|şifre|mật khẩu"
)
# Short ones are words of their own only where no letter stands beside them.
_SHORT_WORDS: Final = (
    r"p(?<![a-z0-9]p)(?:ass|sw|sk|w)(?![a-zà-ÿ])|clave(?![a-zà-ÿ])|パ(?<![\u30a0-\u30ff]パ)ス(?![\u30a0-\u30ff])"
)
_PIN_WORDS: Final = r"p(?<![a-z0-9]p)in(?:[ -]?(?:code|number))?(?![a-z0-9])|暗証番号|暗证号码"
# Words that announce much else, too.
_KEY_WORDS: Final = (
    r"secret(?:[ _-]?(?:access[ _-]?)?key)?|token|jeton|credential|a(?:uthorization|(?:pi|ccess|ccount|uth)[ _-]?key)"
    r"|encryption[ _-]?key|private[ _-]?key|s(?:hared|igning|ervice|torage)[ _-]?key|license[ _-]?key|master[ _-]?key"
    r"|deploy[ _-]?key|recovery[ _-]?key|unseal[ _-]?key|api[ -]?schlüssel|clé api|api ?[キ키]ー?|アクセスキー"
    r"|シークレット|トークン|秘密鍵|密钥|令牌|토큰|токен"
)
# What a name goes on with when its value is something else: "token_url", "password_hash".
_OTHER_ENDS: Final = (
    r"(?:[_-](?:url|uri|endpoint|type|field|name|id|len|length|count|limit|hash|hashed|digest|file|path|policy|rules?|min|max"
    r"|expiry|expires|expiration|at|in|ttl|usage|budget|size|index|format|regex|pattern|label|hint|placeholder|reset|strength"
    r"|manager|input|form|validator|checksum|fingerprint|sha1|sha256|md5|version|arn|ref|class|model|schema|status))\Z"
)
_OTHER_BEGINS: Final = (
    r"(?<![a-z])(?:max|min|num|avg|average|mean|total|input|output|prompt|completion|page|next|sync|special|eos|bos|pad|unk|stop|per"
    r"|new|cursor|continuation|arn:aws[\w:-]{0,60})[_ -]?\Z"
)
# Between the word and its value; a sentence may say first what the password is for.
_JOINTS: Final = (
    r"s?[0-9]{0,2}(?P<rest>(?:[_-][a-z0-9]{1,12}){0,3})(?P<closed>(?:\\?[\"'`\])*]){0,3})(?:[ ]?\([^()\n]{1,30}\))?"
    r"(?:(?:(?<=[\w)])(?P<about>,?[ ][^\n.:=;!?\"「、|0-9]{1,48}?))??[^\S\n]{0,3}"
    r"(?::[ ]{0,2}[&a-z][a-z_.\[\]|<>&' ]{0,24}?[ ]{0,2}(?==[ ]?[^=\s]))?"
    r"(?:(?P<sign>=>|->|→|:=|={1,3}|:|>|\|)|(?P<said>[はがを是为為、]|는|은|이|가|를|을"
    r"|(?<=\s)(?:is|was|ist|lautet|est|es|é|è|e'|to|from|as|jest|är|là|—|–|-)(?=[\s:\"'`])"
    r"(?:\s(?:now|still|just|set to|changed to|currently|actually|simply))?:?))"
    r"|(?P<beside>(?:,[ ]?|\()(?=[\"'])|[^\S\n]{0,2}(?=[「『“\"'`])|(?<=[^\x00-\x7f])(?=\()|[^\S\n]))"
    r"(?P<space>[^\S\n]{0,4})(?:\*\*)?[ ]?(?:(?P<scheme>basic|bearer|token|digest|apikey)\s{1,3})?"
)
_ANNOUNCED: Final = rf"(?P<word>{_PIN_WORDS}|{_LONG_WORDS}|{_SHORT_WORDS}|{_KEY_WORDS}){_JOINTS}"
_BEARER: Final = r"bearer\s{1,3}(?=[a-z._~+/=-]{0,80}[0-9])(?=[a-z0-9_.~+/=-]{16})"

_STEMS: Final = (
    *("pass", "pw", "psw", "psk", "pin", "secret", "token", "key", "credential", "authoriz", "bearer"),
    *("kennwort", "senha", "wachtwoord", "jeton", "clave"),
)
_OTHER_STEMS: Final = (
    *(
        "パス",
        "ハ\u309aス",
        "ﾊﾟｽ",
        "暗証",
        "暗证",
        "キー",
        "トークン",
        "シークレット",
        "秘密鍵",
        "비밀번호",
        "비번",
        "암호",
        "토큰",
        "키",
    ),
    *("密码", "密碼", "密钥", "口令", "令牌", "парол", "токен", "contraseña", "hasło", "lösenord", "şifre", "mật khẩu"),
    *("api-schlüssel", "clé api"),
)

# A user's name on the same line says that a password follows.
_LOGIN: Final = (
    r"(?:\b(?:user(?:name)?|log ?in|sign in|account|e-?mail|admin|root|benutzer|usuario|utilisateur|utente)\b"
    r"|ユーザ|アカウント|ログイン|用户|사용자|пользовател)[^\n]{0,60}\Z|(?:^|\s)id\b[^\n]{0,40}\Z"
)
_OPTION: Final = r"--[a-z-]{0,20}\Z"
_SQL: Final = r"(?:create|alter)\s+(?:user|role|login)\b[^\n]{0,100}\Z|\bwith\s(?:encrypted\s)?\Z"
# In a program a secret is written in quotes; what is not is the name of something.
_DECLARATION: Final = r"(?:(?:const|let|var|val|final|static|string)\s+[\w$]*|(?:self|this)\.\w*|\$\w*)\Z"
_CODE_AFTER: Final = r"\s?(?:=[^=]|&&|\|\|)|\s\?\s"
_DIGITS: Final = (
    r"[\"'`「]?([0-9]{4,8})(?![A-Za-z0-9_])(?![.,:/-][0-9])(?!\s?(?:桁|文字|位|자리|digit|number|character))"
)
# A word follows, and it is not the name of the next field.
_WORD_AFTER: Final = r"[^\S\n]{1,2}(?![\w-]{1,20}\s?[:=])[a-zA-ZÀ-ӿ]"
# A key that only a space joins to its word has to be as long as keys are.
_KEY_LENGTH: Final = 20
_PHRASE: Final = r"[a-z0-9]{2,12}(?:[ -][a-z0-9]{2,12}){2,11}"
# The name of a field, at the beginning of its line.
_LABEL: Final = r"(?:^|\n)[\s>*#|\"'-]*[\w /-]{0,24}\Z"


def may_announce(text: str) -> bool:
    """Returns whether a word for a secret is in the text; a few microseconds."""
    lowered = text.lower()
    if any(stem in lowered for stem in _STEMS):
        return True
    return not text.isascii() and any(stem in lowered for stem in _OTHER_STEMS)


def announced_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each secret that a word announces."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters become two, which would move every position
        lowered = re.sub("[A-Z]+", lambda match: match[0].lower(), text)
    at = 0
    while match := compiled(_ANNOUNCED).search(lowered, at):
        at = max(match.end() - 1, match.start() + 1)
        if span := _announced(text, lowered, match):
            at = span[1]
            yield span
    yield from nearby_spans(text, lowered)
    for match in compiled(_BEARER).finditer(lowered):
        start, end, _ = _value_at(text, match.end())
        if not is_placeholder(text[start:end]):
            yield start, end


def _announced(text: str, lowered: str, match: re.Match[str]) -> tuple[int, int] | None:
    word, before = match["word"], lowered[max(0, match.start() - 80) : match.start()]
    if compiled(_OTHER_ENDS).search(match["rest"]):
        return None
    if compiled(_PIN_WORDS).fullmatch(word):
        pin = compiled(_DIGITS).match(text, match.end()) if match["beside"] is None else None
        # In India a "pin code" of six digits is where somebody lives.
        return pin.span(1) if pin and not ("code" in word and len(pin[1]) == 6) else None
    start, end, quoted = _value_at(text, match.end())
    announcement = _announcement(match, before, quoted=quoted)
    if announcement is None or start == end:
        return None
    if quoted and re.search(rf"[\s{TAKEN_OUT}]", text[start:end]):
        phrase = compiled(_PHRASE).fullmatch(text, start, end) if "phrase" in word or "フレーズ" in word else None
        return (start, end) if phrase and not is_placeholder(phrase[0]) else None
    if not quoted and (compiled(_DECLARATION).search(before) or compiled(_CODE_AFTER).match(text, end)):
        return None
    if announcement is Announcement.KEY and match["beside"] is not None and end - start < _KEY_LENGTH:
        return None
    value = Value(
        text[start:end],
        quoted=quoted,
        continues=bool(match["space"] and compiled(_WORD_AFTER).match(text, end)),
        labelled=not match["space"] or compiled(_LABEL).search(before) is not None,
    )
    return (start, end) if is_secret(value, announcement) else None


def _announcement(match: re.Match[str], before: str, *, quoted: bool) -> Announcement | None:
    """How clearly the value was announced; None if it was not."""
    if match["scheme"]:
        return Announcement.ASSIGNED
    if compiled(_KEY_WORDS).fullmatch(match["word"]):
        return None if match["about"] or compiled(_OTHER_BEGINS).search(before) else Announcement.KEY
    if match["beside"] is not None and not compiled(_OPTION).search(before):
        if quoted and compiled(_SQL).search(before):
            return Announcement.ASSIGNED
        if compiled(_LOGIN).search(before):
            return Announcement.SAID
        return None if compiled(_SHORT_WORDS).fullmatch(match["word"]) else Announcement.BESIDE
    if match["said"] or match["about"] or compiled(_SHORT_WORDS).fullmatch(match["word"]):
        return Announcement.SAID
    return Announcement.ASSIGNED


def _value_at(text: str, at: int) -> tuple[int, int, bool]:
    """The start and end of what stands there, and whether it stands in quotes."""
    start = at + 1 if text.startswith(('\\"', "\\'"), at) else at
    if text.startswith("={", start - 1) and (
        braced := compiled(r"\{([^\s{}\"']{4,64})\}(?=;|\s|\Z)").match(text, start)
    ):
        return *braced.span(1), True
    closing = CLOSING.get(text[start : start + 1])
    if closing and text[start] not in "[{<":
        start += 1
        line = text.find("\n", start)
        end = text.find(closing, start, min(start + 512, len(text) if line < 0 else line))
        if end >= 0:
            padded = closing in "»›" and text[start] == text[end - 1] == " " and end - start > 2
            return start + padded, end - (padded or text.endswith("\\", start, end)), True
    return start, end_of_secret(text, start, start), False
