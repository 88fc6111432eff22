"""Where secrets stand in a text: keys, tokens and passwords, by their own shape or by the word before them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

# Stands where something was taken out: a character of no text, which is part of no secret.
TAKEN_OUT: Final = "\uffff"

# Texts without twenty such characters in a row hold none of the tokens below; most texts have none.
_TOKEN_LENGTH: Final = b"w" * 20
# How far around such a row a token may begin and end: "hooks.slack.com/services/…", two halves of a pair.
_TOKEN_MARGIN: Final = 64
_TOKEN_SHAPE: Final = bytes(
    ord("w") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_-") else ord(" ") for byte in range(256)
)

# One alternative for each first letter, which the engine looks for first; "not within a word" comes after that letter.
# Open-ended lengths, so that two tokens in a row are one: what is left over would be found only the next time.
_TOKENS: Final = r"""(?ax)
      A(?: (?<![^\W_]A)(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16,} | (?<![^\W_]A)Iza[\w-]{30,} | KCp[A-Za-z0-9]{16,}
         | ccountKey=[\w+/%=]{20,} | GE-SECRET-KEY-1[A-Z0-9]{20,} )
    | GOCSPX-[\w-]{20,}
    | S(?: (?<![^\W_]S)G\.[\w-]{20,}\.[\w-]{20,} | (?<![^\W_]S)K[0-9a-f]{32,}
         | haredAccess(?:Key|Signature)=[\w+/%=]{20,} )
    | d(?: op_v1_[0-9a-f]{32,} | (?<![^\W_]d)api[0-9a-f]{32,} )
    | e(?<![^\W_]e)yJ[\w-]{17,2000}+={0,2}\.[\w-]{8,}(?:\.[\w-]*){0,3}
    | g(?: h[oprsu]_[A-Za-z0-9]{16,} | ithub_pat_\w{16,} | l(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas)-[\w-]{16,}
         | (?<![^\W_]g)sk_[A-Za-z0-9]{30,} )
    | h(?<![^\W_]h)(?: f_(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{30,} | v[bs]\.[\w-]{20,}
         | ooks\.slack\.com/(?:services|workflows)/[\w/-]{16,} )
    | lin_api_[A-Za-z0-9]{20,}
    | n(?: (?<![^\W_]n)pm_[A-Za-z0-9]{30,} | tn_[A-Za-z0-9]{30,} )
    | p(?: ypi-Ag[\w-]{16,} | plx-[A-Za-z0-9]{30,} )
    | r(?<![^\W_]r)(?: k_(?:live|test)_[A-Za-z0-9]{12,} | 8_[A-Za-z0-9]{30,} )
    | s(?: (?<![^\W_]s)k_(?:live|test)_[A-Za-z0-9]{12,} | (?<![^\W_]s)k-(?:ant|proj|svcacct|admin|or|lf)-[\w-]{16,}
         | (?<![^\W_]s)k-(?=[A-Za-z]*[0-9])[A-Za-z0-9]{20,} | hp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}
         | bp_[0-9a-f]{30,} | ntry[su]_[\w+/=]{20,} | q0[a-z]{3}-[\w-]{16,} )
    | whsec_\w{16,}
    | x(?: ox[a-z](?:\.xox[a-z])?-[\w-]{15,} | app-[\w-]{16,} | (?<![^\W_]x)ai-[A-Za-z0-9]{40,} )
    | y(?<![^\W_]y)a29\.[\w-]{20,}
    """
# Tokens without a beginning of their own.
_MARKED: Final = (
    r"(?a)[MNO](?<![\w-][MNO])[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}",  # Discord
    r"(?a)[0-9](?<![0-9]{2})[0-9]{7,9}:AA[\w-]{30,}",  # Telegram
    r"[0-9a-f](?<![0-9a-f]{2})[0-9a-f]{31}-us[0-9]{1,2}",  # Mailchimp
)
_AWS_PAIR: Final = r"A(?:KIA|SIA)[A-Z0-9]{16}[^A-Za-z0-9+/][^+/]{0,60}?(?<![\w+/])([A-Za-z0-9+/]{40})(?![\w+/])"

_BEGIN: Final = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END: Final = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# The lines of a key that was cut off: base64, or headers such as "Proc-Type: 4,ENCRYPTED".
_KEY_LINES: Final = (
    r"(?:(?:\s|\\[nr]|[>|\"'+,])*+(?:[A-Za-z0-9+/=]{16,}+|[A-Z][A-Za-z-]{2,20}: [^\n\\\uffff]{1,80}+))++"
    r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{1,76}(?=\s*\Z))?"
)

_URL_LOGIN: Final = r"://[^\s/:@\"'<>]{0,100}:([^\s/\"'<>\uffff]{1,200})@(?=[\w\[])"

# Words that announce a secret, in lower case; after those of the second row it is one only if it looks like it.
_STRONG: Final = (
    r"p(?:ass(?:word|wd|phrase|code|wort)|wd)|(?<=[_-])pass|パス(?:ワード|フレーズ)|ハ\u309aスワート\u3099|暗証番号|비밀번호|密码|密碼|口令"
    r"|пароль|contraseña|kennwort|mot de passe|senha"
)
_WEAK: Final = (
    r"secret(?:[ _-]?(?:access[ _-]?)?key)?|a(?:(?:pi|ccess|ccount|uth)[ _-]?key|uthorization|piキー)|token|credential"
    r"|encryption[ _-]?key|private[ _-]?key|s(?:hared|igning)[ _-]?key"
    r"|アクセスキー|シークレット|トークン|秘密鍵|密钥|토큰"
)
_ASSIGNMENT: Final = (
    rf"(?P<word>{_STRONG}|{_WEAK})s?(?:[_-][a-z0-9]{{1,12}}){{0,3}}"
    r"(?:\\?[\"'`\]*]){0,3}\s{0,3}(?::\s{0,2}[a-z]{1,12}\s{0,2}(?==))?"
    r"(?:=>|:=|={1,2}|:|>|(?P<said>は|(?<=\s)is:?\s)|(?P<option>(?<=\s)))[^\S\n]{0,3}\*{0,2}[^\S\n]?"
    r"(?:(?P<scheme>basic|bearer|token|digest)\s{1,3})?"
    r"(?:\\?(?P<quote>[\"'`])(?P<quoted>[^\s\"'`\uffff]{8,512})\\?(?P=quote)|(?P<bare>[!#-&(-;=?-_a-~]{8,512}))"
)
_OPTION: Final = r"--[a-z-]{0,20}$"
_BEARER: Final = r"(?a)bearer\s{1,3}(?P<bare>(?=[a-z._~+/=-]*[0-9])[\w.~+/=-]{16,})"
# One of the signs, and one of the words: without both there is no assignment.
_SIGNS: Final = (
    ":",
    "=",
    "：",
    "＝",
    ">",
    "--",
    "earer",
    "EARER",
    "assword is",
    "key is",
    "oken is",
    "ecret is",
    "ワードは",
)
_ASCII_WORDS: Final = (
    *(
        "passw",
        "_pass",
        "-pass",
        "pwd",
        "secret",
        "token",
        "key",
        "credential",
        "authoriz",
        "bearer",
        "passphrase",
        "passcode",
    ),
    *("kennwort", "mot de passe", "senha"),
)
_WORDS: Final = (
    *("パス", "ハ\u309aス", "ﾊﾟｽ", "暗証", "キー", "トークン", "シークレット", "秘密鍵"),
    *("비밀번호", "토큰", "密码", "密碼", "密钥", "口令", "пароль", "contraseña"),
)

# Characters of a password that is worth the name; shorter ones are mostly words.
_SHORTEST: Final = 8
_PLACEHOLDER: Final = r"""(?ix)
      (.)\1* | [.*•…x_-]+ | <.* | \{.* | \$\{.* | \$\(.* | \$[A-Z_][A-Z0-9_]* | %\w*%? | %\(.*
    | [a-z_.-]*(?:your|example|placeholder|redacted|changeme|change.me|insert|dummy)[a-z_.-]*
    | (?:my|the|some|new|old|user|db)?[_.-]?(?:api|access|secret)?[_.-]?(?:password|passwd|secret|token|key)s?
    | required|optional|incorrect|disabled|undefined|protected|forgotten|mismatch|encrypted|unchanged
    """
# A name, an attribute or a call: code that refers to a secret.
_CODE: Final = r"[A-Za-z_]\w*[(\[].*|[A-Za-z]+(?:[_.]+[A-Za-z]+)+[_.,;)]*|(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*[(\[].*"
_NEXT_PARAMETER: Final = r"&[\w.-]+="


def may_hold_secrets(text: str) -> bool:
    """Whether a text deserves the slower look; a few microseconds."""
    return _TOKEN_LENGTH in _token_shape(text) or _may_hold_logins(text) or _may_assign(text)


def secret_spans(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each secret; some overlap."""
    for start, end in _token_windows(_token_shape(text)):
        for pattern in (_TOKENS, *_MARKED):
            yield from (match.span() for match in _compiled(pattern).finditer(text, start, end))
        yield from (match.span(1) for match in _compiled(_AWS_PAIR).finditer(text, start, end))
    if "-----BEGIN" in text:
        yield from _key_blocks(text)
    if _may_hold_logins(text):
        for match in _compiled(_URL_LOGIN).finditer(text):
            if match[1].isalpha() or not _compiled(_PLACEHOLDER).fullmatch(match[1]):
                yield match.span(1)
    if _may_assign(text):
        yield from _assigned(text)


def _token_shape(text: str) -> bytes:
    """One byte for each character."""
    return text.encode("latin-1", "replace").translate(_TOKEN_SHAPE)


def _token_windows(shape: bytes) -> Iterator[tuple[int, int]]:
    """The long runs with what stands around them; those that stand near each other together."""
    start = shape.find(_TOKEN_LENGTH)
    while start >= 0:
        following, end = start, start
        while 0 <= following <= end + _TOKEN_MARGIN:
            end = shape.find(b" ", following)
            end = len(shape) if end < 0 else end
            following = shape.find(_TOKEN_LENGTH, end)
        yield max(0, start - _TOKEN_MARGIN), end + _TOKEN_MARGIN
        start = following


def _may_hold_logins(text: str) -> bool:
    return "://" in text and "@" in text


def _may_assign(text: str) -> bool:
    if not any(sign in text for sign in _SIGNS):
        return False
    lowered = text.lower()
    if any(word in lowered for word in _ASCII_WORDS):
        return True
    return not text.isascii() and any(word in lowered for word in _WORDS)


def _key_blocks(text: str) -> Iterator[tuple[int, int]]:
    begins = [match.span() for match in _compiled(_BEGIN).finditer(text)]
    for (start, inside), (limit, _) in itertools.pairwise([*begins, (len(text), 0)]):
        end = _compiled(_END).search(text, inside, limit) or _compiled(_KEY_LINES).match(text, inside, limit)
        if end:
            yield start, end.end()


def _assigned(text: str) -> Iterator[tuple[int, int]]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters become two, which would move every position
        lowered = text
    for match in _compiled(_ASSIGNMENT).finditer(lowered):
        if match["option"] is not None and not re.search(_OPTION, lowered[max(0, match.start() - 24) : match.start()]):
            continue
        quoted = match["quoted"] is not None
        start, end = match.span("quoted" if quoted else "bare")
        value = text[start:end].rstrip("\\") if quoted else _trimmed(text[start:end])
        # "password: something else" goes on; a password of letters alone ends its clause.
        prose = text[start + len(value) :][:2].strip(" ")[:1].isalpha()
        announced = (not match["said"] and _compiled(_STRONG).match(match["word"])) or match["scheme"]
        sure = bool(announced) and (quoted or not (prose and value.isalpha()))
        if _is_value(value, sure=sure, quoted=quoted):
            yield start, start + len(value)
    yield from (match.span("bare") for match in _compiled(_BEARER).finditer(lowered))


def _trimmed(value: str) -> str:
    return _compiled(_NEXT_PARAMETER).split(value, maxsplit=1)[0].rstrip(".,;:)]}\\")


def _is_value(value: str, *, sure: bool, quoted: bool) -> bool:
    """Whether it is a secret rather than a word, a placeholder or a name in a program."""
    if len(value) < _SHORTEST or _compiled(_PLACEHOLDER).fullmatch(value):
        return False
    if not quoted and _compiled(_CODE).fullmatch(value):
        return False
    digits = sum(map(str.isdigit, value))
    mixed = value.lower() != value and value.upper() != value
    return sure or 2 <= digits < len(value) or (mixed and len(value) >= 2 * _SHORTEST)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled at first use: all of them take longer than the rest of the package's import."""
    return re.compile(pattern)
