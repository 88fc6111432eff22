"""The words that announce secrets, in the languages in which they are spoken of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wherefrom.text.patterns import compiled

# Words for passwords, in lower case. Those that hold a letter which is not ASCII begin with it, for which the engine
# looks first: in most texts there is none.
LONG_WORDS: Final = (
    r"pass(?:[ -]?(?:word|phrase|code)|wd|wort|e(?<=mot de passe|alavra-passe))|pwd|kennwort|senha|wachtwoord"
    r"|contraseña"
    # as they are mistyped
    r"|pas(?:wor[dt]|swrod|sowrd|wrod)"
    r"|パス(?:ワード|フレーズ|コード)|ハ\u309aスワート\u3099|暗号化キー|合言葉|비밀번호|패스워드|비번|암호|密码|密碼"
    r"|口令|парол[ьяею]|şifre"
    r"|ło(?<=hasło)|ösenord(?<=lösenord)|ật khẩu(?<=mật khẩu)"
)
# Short ones are words of their own only where no letter stands beside them.
SHORT_WORDS: Final = (
    r"(?<![a-z0-9])(?:pass|psk|psw|pw|clave|contra|mdp|creds)(?![a-zà-ÿ])|(?<![\u30a0-\u30ff])パス(?![\u30a0-\u30ff])"
    # the name of a setting: "dbpass", "requirepass", "-storepass"
    r"|(?<=[a-z_])(?<!by)(?<!all|com|low|sur)(?<!band|high|over|tres)(?<!multi"
    r"|under)(?<!proxy_)(?<!single)pass(?![a-z_])"
)
PIN_WORDS: Final = r"(?<![a-z0-9])pin(?:[ -]?(?:code|number))?(?![a-z0-9])|暗証番号|暗证号码"
# Words that announce much else, too.
KEY_WORDS: Final = (
    r"secret(?:[ _-]?(?:access[ _-]?)?key)?|token|salt[a-z]{0,8}|credential|authorization|key|üssel(?<=api-schlüssel)"
    r"|é api(?<=clé api)|アクセスキー|シークレット|トークン|秘密鍵|密钥|令牌|토큰|токен|キー|키"
)
_ANY_WORD: Final = rf"{PIN_WORDS}|{LONG_WORDS}|{SHORT_WORDS}|{KEY_WORDS}"
# How these words begin; to look for one after the other is faster than to look for all at once. Each takes about a
# microsecond in a page of text, so that those which need a sign after them are looked for only where there is one.
_STEMS: Final = (
    *("pass", "pasw", "pw", "psw", "psk", "mdp", "creds", "clave", "contra", "kennwort", "senha"),
    *("secret", "token", "key", "bearer", "authorization"),
)
_STEMS_WITH_SIGN: Final = ("pin", "credential", "wachtwoord", "salt")
_OTHER_STEMS: Final = (
    r"パス|ハ\u309aス|ﾊﾟｽ|合言葉|暗(?:証番|证号|号化)|アクセスキー|キー(?<=[iI]キー)|キー(?<=[iI] キー)|トークン"
    r"|シークレット|秘密鍵|비밀번호|패스워드|비번|암호|토큰|키(?<=[iI]키)|키(?<=[iI] 키)|密[码碼钥]|口令|令牌"
    r"|парол|Парол|ПАРОЛ|токен|Токен|şifre|Şifre|ło(?<=hasło)|ösenord|ật khẩu|é (?=[aA][pP][iI])|üssel"
)
# A key is one that opens something only with one of these before it, or in the name of a variable.
_KEYS: Final = (
    r"(?:api|access|account|activation|admin|aes|auth|bot|enc|encryption|hmac|webhook|private|shared|signing|service|storage|license|master|deploy"
    r"|recovery|unseal)"
    r"[ _-]?\Z|[a-z0-9]_\Z"
)
_OTHER_KEYS: Final = (
    r"(?:public|publishable|primary|foreign|cache|sort|partition|object|site|index|idempotency|dict|unique"
    r"|composite|hot"
    r"|group|map|row|event|message|translation|route|query|react|registry|json|lookup|shard|routing|host)_\Z"
)
# A name that goes on with one of these has another value: "token_url", "password_hash".
OTHER_ENDS: Final = (
    r"(?:[_-](?:url|uri|endpoint|type|field|name|id|len|length|count|limit|hash|hashed|digest|file|path|policy"
    r"|rules?|min|max"
    r"|expiry|expires|expiration|at|in|ttl|usage|budget|size|index|format|regex|pattern|label|hint|placeholder"
    r"|reset|strength"
    r"|manager|input|form|validator|checksum|fingerprint|sha1|sha256|md5|version|arn|ref|class|model|schema|status))\Z"
)
OTHER_BEGINS: Final = (
    r"(?<![a-z])(?:max|min|num|avg|average|mean|total|input|output|prompt|completion|page|next|sync|special|eos"
    r"|bos|pad|unk|stop|per"
    r"|new|cursor|public_?key|continuation|arn:aws[\w:-]{0,60})[_ -]?\Z"
)


def stems_in(text: str, plain: str) -> list[str]:
    """Returns how the words in a text that may announce a secret begin; its plain form is Latin-1 in lower case."""
    stems = [stem for stem in _STEMS if stem in plain]
    if ":" in plain or "=" in plain:
        stems += [stem for stem in _STEMS_WITH_SIGN if stem in plain]
    if not text.isascii() and (other := compiled(_OTHER_STEMS).search(text)):
        stems.append(other[0])
    return stems


def announcing_words(lowered: str, stems: list[str]) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each word that announces a secret, in order."""
    starts: list[int] = []
    for stem in stems:
        at = lowered.find(stem)
        while at >= 0:
            starts.append(at)
            at = lowered.find(stem, at + 1)
    if not lowered.isascii():
        starts += [match.start() for match in compiled(_OTHER_STEMS).finditer(lowered)]
    for start in sorted(set(starts)):
        word = compiled(_ANY_WORD).match(lowered, start)
        if word and not (word[0] == "key" and not _opens_something(lowered, start)):
            yield word.span()


def _opens_something(lowered: str, start: int) -> bool:
    first = max(0, start - 14)
    if not compiled(_KEYS).search(lowered, first, start):
        return False
    return compiled(_OTHER_KEYS).search(lowered, first, start) is None
