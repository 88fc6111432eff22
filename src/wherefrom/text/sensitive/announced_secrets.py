"""Secrets that a word announces, "password: …", "the API key is …", 「パスワードは…」, or that stand near one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wherefrom.text.sensitive.phrases import end_of_phrase, is_quoted_phrase, is_random_row
from wherefrom.text.sensitive.scanning import CLOSING, ENOUGH, TAKEN_OUT, compiled, end_of_secret, lowered, places_of
from wherefrom.text.sensitive.secret_values import (
    Announcement,
    Value,
    is_placeholder,
    is_secret,
    looks_like_password,
    may_be_password,
)

# Words for passwords, in lower case. Those that hold a letter which is not ASCII begin with it, for which the engine
# looks first: in most texts there is none.
_LONG_WORDS: Final = (
    r"pass(?:[ -]?(?:word|phrase|code)|wd|wort|e(?<=mot de passe|alavra-passe))|pwd|kennwort|senha|wachtwoord"
    r"|contraseña"
    # as they are mistyped
    r"|pas(?:wor[dt]|swrod|sowrd|wrod)"
    r"|パス(?:ワード|フレーズ|コード)|ハ\u309aスワート\u3099|暗号化キー|合言葉|비밀번호|패스워드|비번|암호|密码|密碼"
    r"|口令|парол[ьяею]|şifre"
    r"|ło(?<=hasło)|ösenord(?<=lösenord)|ật khẩu(?<=mật khẩu)"
)
# Short ones are words of their own only where no letter stands beside them.
_SHORT_WORDS: Final = (
    r"(?<![a-z0-9])(?:pass|psk|psw|pw|clave|contra|mdp|creds)(?![a-zà-ÿ])|(?<![\u30a0-\u30ff])パス(?![\u30a0-\u30ff])"
    # the name of a setting: "dbpass", "requirepass", "-storepass"
    r"|(?<=[a-z_])(?<!by)(?<!all|com|low|sur)(?<!band|high|over|tres)(?<!multi"
    r"|under)(?<!proxy_)(?<!single)pass(?![a-z_])"
)
_PIN_WORDS: Final = r"(?<![a-z0-9])pin(?:[ -]?(?:code|number))?(?![a-z0-9])|暗証番号|暗证号码"
# Words that announce much else, too.
_KEY_WORDS: Final = (
    r"secret(?:[ _-]?(?:access[ _-]?)?key)?|token|salt[a-z]{0,8}|credential|authorization|key|üssel(?<=api-schlüssel)"
    r"|é api(?<=clé api)|アクセスキー|シークレット|トークン|秘密鍵|密钥|令牌|토큰|токен|キー|키"
)
_ANY_WORD: Final = rf"{_PIN_WORDS}|{_LONG_WORDS}|{_SHORT_WORDS}|{_KEY_WORDS}"
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
    r"(?:api|access|account|activation|admin|aes|auth|bot|enc|encryption|hmac|webhook|private|shared|signing|service"
    r"|storage|license|master|deploy|recovery|unseal)[ _-]?\Z|[a-z0-9]_\Z"
)
_OTHER_KEYS: Final = (
    r"(?:public|publishable|primary|foreign|cache|sort|partition|object|site|index|idempotency|dict|unique|composite"
    r"|hot|group|map|row|event|message|translation|route|query|react|registry|json|lookup|shard|routing|host)_\Z"
)
# A name that goes on with one of these has another value: "token_url", "password_hash".
_OTHER_ENDS: Final = (
    r"(?:[_-](?:url|uri|endpoint|type|field|name|id|len|length|count|limit|hash|hashed|digest|file|path|policy|rules?"
    r"|min|max|expiry|expires|expiration|at|in|ttl|usage|budget|size|index|format|regex|pattern|label|hint|placeholder"
    r"|reset|strength|manager|input|form|validator|checksum|fingerprint|sha1|sha256|md5|version|arn|ref|class|model"
    r"|schema|status))\Z"
)
_OTHER_BEGINS: Final = (
    r"(?<![a-z])(?:max|min|num|avg|average|mean|total|input|output|prompt|completion|page|next|sync|special|eos|bos|pad"
    r"|unk|stop|per|new|cursor|public_?key|continuation|arn:aws[\w:-]{0,60})[_ -]?\Z"
)

# Between the word and its value; a sentence may say first what the password is for.
_JOINTS: Final = (
    r"s?[0-9]{0,2}(?P<rest>(?:[_-][a-z0-9]{1,12}){0,3})(?P<closed>(?:\\?[\"'`\])*]){0,3})(?:[ ][0-9](?=:))?(?:[ "
    r"]?\([^()\n]{1,40}\))?"
    r"(?:(?:(?<=[\w)])(?P<about>,?[ ][^\n.:=;!?\"「、|0-9]{1,64}?))??[^\S\n]{0,12}"
    r"(?::[ ]{0,2}[&a-z\[][a-z0-9_.\[\]|<>&' ]{0,24}?(?:;[ ][0-9]{1,3}\])?[ ]{0,2}(?==[ ]?[^=\s]))?"
    r"(?:(?P<sign>=>|->|→|:=|!?={1,3}|:|>|(?<=\s)\|(?=\s))|(?P<said>[はがを是为為、]|는|은|이|가|를|을"
    r"|(?<=\s)(?:is|was|will be|used to be|ist|lautet|est|es|é|è|e'|to|from|as|jest|är|là|—|–|-)(?=[\s:\"'`])"
    r"(?:\s(?:now|still|just|set to|changed to|currently|actually|simply))?:?))"
    r"|(?P<beside>(?:,[ ]?|\()(?=[\"'])|[^\S\n]{0,2}(?=[「『“\"'`])|(?<=[^\x00-\x7f])(?=\()|[^\S\n]))"
    r"(?P<space>[^\S\n]{0,4})(?:\*\*)?[ ]?(?:(?P<scheme>basic|bearer|token|digest|apikey)\s{1,3})?"
    # the call that decodes it
    r"(?:(?:\w{1,12}\.)?(?:hex!|fromhex|unhexlify|b64decode|buffer\.from|decode|bytes)\((?=[\"']))?"
)
_BEARER: Final = r"bearer\s{1,3}(?=[a-z._~+/=-]{0,80}[0-9])(?=[a-z0-9_.~+/=-]{16})"

# A user's name on the same line says that a password follows.
_LOGIN: Final = (
    r"(?:\b(?:user(?:name)?|log ?in|sign in|account|e-?mail|admin|root|benutzer|usuario|utilisateur|utente)\b"
    r"|ユーザ|アカウント|ログイン|用户|사용자|пользовател)[^\n]{0,60}\Z|(?:^|\s)id\b[^\n]{0,40}\Z"
)
_OPTION: Final = r"(?<!\S)--?[a-z-]{0,20}\Z"
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
_LONGEST_QUOTED: Final = 512
_SHORTEST_FOREIGN: Final = 5
# A key or token on the next line: a long row of characters.
_BELOW: Final = r"[^\n=(){}]{0,80}\n\s{0,6}([A-Za-z0-9+/=_.-]{32,})(?=\s|\Z)"
_FOREIGN_KEY: Final = (
    r"(?:[kK][eE][yY]\s?[是为はが는은가]|(?:キー|키|密钥|鍵|ключ|[Ss]chlüssel|[Cc]lé)\s?(?:[是为はが는은가:：=—]|ist"
    r"|est))\s{0,2}[\"'「`]?((?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{24,})"
)
# The name of a field, at the beginning of its line.
_LABEL: Final = r"(?:^|\n)[\s>*#|\"'-]*[\w /-]{0,24}\Z"
# "pass" is also a verb, and in the name of a setting it is no word of a sentence.
_SPOKEN_WORDS: Final = rf"{_LONG_WORDS}|(?!pass)(?:{_SHORT_WORDS})"
_TABLE: Final = r"(?m)^[^\S\n]*\|[^\n]*\n[^\S\n]*\|[\s:|-]{3,200}\n(?:[^\S\n]*\|[^\n]*(?:\n|\Z)){1,200}"

# How far from the word its password may stand on the same line. A short note is about one thing, from end to end.
_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 120, 160
_NOTE_CHARACTERS: Final = 240
_LINES_BELOW: Final = 2
_PASSWORD_SIGNS: Final = frozenset("0123456789!#$%^&*?@")
# A piece of a sentence, without the signs and the label that it stands behind: "(…", "旧:…", "neu=…".
_PIECE: Final = r"(?<![!-~])(?:[A-Za-z]{0,12}[:=])?[\"'`(\[<*_,:]{0,3}([!-~]{6,64})"
# The words and signs directly before a password in a sentence about one.
_CUE: Final = (
    r"(?:[:=→⇒「『«“„\"'`(（、，,…]|->|=>|\b(?:is|was|now|new|old|so|use|using|literally|still|remains|stays|rimast[ao]"
    r"|resta|reste|siendo|bleibt|it's|its|alias|namely|ist|war|jetzt|neu|alt|neue|alte|vorher|lautet|nun|est|était"
    r"|c'est|es|era|ahora|sea|é|è|agora|ora|adesso|(?:chang|reset|updat|switch|swap|mov|replac|remplac|cambi|mud|troqu"
    r"|geänder|änder|смен|поменя)[^\n]{0,70}\s(?:from|to|by|with|de|à|par|pour|por|para|a|von|auf|zu|in|с|на)|паролем"
    r"|теперь|это|был)|[はがをでは是为為成的旧新]|から|って|는|은|이|가|에서|바뀌었어"
    r"|변경)\s{0,2}[\"'`(\[«“„「*]{0,2}\Z"
)
# A user's name looks much like a password.
_USER_CUE: Final = (
    r"(?:user(?: ?name)?|usr|login|account|handle|nickname|benutzer(?:name)?|identifiant|compte|usuario|utente|логин"
    r"|ユーザー?名?|アカウント名?|\bid|用户名?|账号|사용자명?|아이디)\W{0,3}(?:is|ist|est|es|è|é|[はが是为]|은|는)?\W{0,3}\Z"
)
# The words with which a text on passwords names an example.
_EXAMPLE: Final = (
    r"(?:\b(?:like|such as|e\.g\.,?|for example,?|z\. ?B\.|wie|comme|como|come|например,?)|例えば|たとえば|例如|比如"
    r"|예를 들어)\s?[\"'`“(「]?\Z"
)
_CUE_AFTER: Final = (
    r"[\"'`)」』»”]{0,2}\s{0,2}(?:に|です|でした|だ|や[。\s]|から|へ|、|。|로|으로|인데|이고|예요|이에요|입니다|←|<-)"
)
_LAST: Final = r"[\"'`)」』»”.!]{0,2}\s{0,2}(?:\n|\Z)"
# A line of a program or of its output, where names hold digits, too.
_PROGRAM: Final = (
    r"[A-Za-z0-9_\])]\((?!e?s\))|[;{}\[(]\s*\Z|[=!]=|=>|\) ->|::|\A\s*(?:import|from|def|class|const|let|var|val|if"
    r"|elif|else|for|return|export|function|public|private|assert|@\w|//|#include|\$ |>>>|[+-]{2,})(?!\w)|\A\s{8}|</"
    r"|\A\s*[\w.]+ = |\A\s*[\"'][^\"'\n]{0,80}[\"']\s?[:,]|\A\s*[\[{(]|\]\s?=|: \w+\["
)


def stems_in(text: str, plain: str) -> list[str]:
    """Returns how the words in a text that may announce a secret begin; its plain form is Latin-1 in lower case."""
    stems = [stem for stem in _STEMS if stem in plain]
    if ":" in plain or "=" in plain:
        stems += [stem for stem in _STEMS_WITH_SIGN if stem in plain]
    if not text.isascii() and (other := compiled(_OTHER_STEMS).search(text)):
        stems.append(other[0])
    return stems


def announced_spans(text: str, stems: list[str]) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each secret that a word announces, if it begins with one of these stems."""
    lower = lowered(text)
    reached = near = 0
    for start, end in _announcing_words(lower, stems):
        if start >= reached and (span := _announced(text, lower, start, end)):
            reached = span[1]
            yield span
        if compiled(_SPOKEN_WORDS).match(lower, start):
            yield from _nearby_spans(text, start, end, near)
            near = max(near, _window(text, start, end)[1])
            continue
        below = compiled(_BELOW).match(text, end) if compiled(_KEY_WORDS).match(lower, start) else None
        if below and below.start(1) >= reached and is_secret(Value(below[1]), Announcement.KEY):
            reached = below.end(1)
            yield below.span(1)
    if not text.isascii():
        yield from (match.span(1) for match in compiled(_FOREIGN_KEY).finditer(text) if not is_placeholder(match[1]))
    if "bearer" in stems:
        reached = 0
        for match in compiled(_BEARER).finditer(lower):
            start, end, _ = _value_at(text, match.end())
            if start >= reached and not is_placeholder(text[start:end]):
                reached = end_of_secret(text, start, end)
                yield start, reached
    if "|" in text and "--" in text:
        yield from _tabled_spans(text, lower)


def _announced(text: str, lower: str, start: int, end: int) -> tuple[int, int] | None:
    """The start and end of the secret that the word between `start` and `end` announces; None if it announces none."""
    joint = compiled(_JOINTS).match(lower, end)
    word, before = lower[start:end], lower[max(0, start - 80) : start]
    # In a program, "password, name=…" goes on with something else.
    if joint is None or ((joint["about"] or "").startswith(",") and joint["sign"] != ":"):
        return None
    if compiled(_OTHER_ENDS).search(joint["rest"]) or _is_verb(joint, word):
        return None
    if compiled(_PIN_WORDS).fullmatch(word):
        pin = compiled(_DIGITS).match(text, joint.end()) if joint["beside"] is None else None
        # In India a "pin code" of six digits is where somebody lives.
        return pin.span(1) if pin and not ("code" in word and len(pin[1]) == 6) else None
    first, last, quoted = _value_at(text, joint.end())
    # "password https://…" is followed by an address, "'password_too_short').max(…" by the rest of a call.
    if first == last or TAKEN_OUT in text[first:last] or text.startswith(("//", ").", "),"), first):
        return None
    if (phrase := _phrase(text, joint, word, first, last, quoted=quoted)) is not None:
        return phrase
    value = Value(
        text[first:last],
        quoted=quoted,
        continues=bool(joint["space"] and compiled(_WORD_AFTER).match(text, last)),
        labelled=not joint["space"] or compiled(_LABEL).search(before) is not None,
    )
    if compiled(r"\s").search(value.text):
        return None
    compared = joint["sign"] in ("==", "===", "!=", "!==")
    if not quoted and (compared or compiled(_DECLARATION).search(before) or compiled(_CODE_AFTER).match(text, last)):
        return None
    announcement = _announcement(joint, word, before, value)
    if announcement is None or not is_secret(value, announcement):
        return None
    return first, last if quoted or text.startswith("`", last) else end_of_secret(text, first, last)


def _announcement(joint: re.Match[str], word: str, before: str, value: Value) -> Announcement | None:
    """How clearly the words announce a value; None if they do not."""
    beside = joint["beside"]
    # The value of an option is joined to it by a space.
    spaced = beside is not None and not compiled(_OPTION).search(before)
    if compiled(_KEY_WORDS).fullmatch(word) and not joint["scheme"]:
        other = joint["about"] or joint["sign"] in ("|", "->") or beside in (", ", ",")
        if other or compiled(_OTHER_BEGINS).search(before) or (spaced and len(value.text) < _KEY_LENGTH):
            return None
        return Announcement.KEY
    short = compiled(_SHORT_WORDS).fullmatch(word) is not None
    named = spaced and compiled(_LOGIN).search(before) is not None
    # A word that says little, joined by a space only, needs a clear value.
    doubtful = spaced and short and not named and not looks_like_password(value.text)
    if doubtful and (word == "pass" or not may_be_password(value.text)):
        return None
    if joint["scheme"]:
        return Announcement.ASSIGNED
    if beside in (", ", ","):
        return Announcement.BESIDE
    if spaced:
        if value.quoted and compiled(_SQL).search(before):
            return Announcement.ASSIGNED
        return Announcement.SAID if named and not short else Announcement.BESIDE
    if joint["said"] or joint["about"] or short:
        return Announcement.SAID
    return Announcement.ASSIGNED


def _phrase(
    text: str, joint: re.Match[str], word: str, first: int, last: int, *, quoted: bool
) -> tuple[int, int] | None:
    """The start and end of a passphrase in quotes or to the end of its clause; None if there is none."""
    named = "phrase" in word or "フレーズ" in word
    if not quoted:
        if not named or joint["beside"] is not None:
            return None
        end = end_of_phrase(text, first)
        return None if end is None else (first, end)
    value = text[first:last]
    if named and not value.isascii() and len(value) >= _SHORTEST_FOREIGN and text[first - 1] in "「『“„«":
        return first, last
    if " " not in value:
        return None
    if compiled(_KEY_WORDS).fullmatch(word):
        return (first, last) if is_random_row(value) else None
    assigned = joint["sign"] is not None and not joint["about"]
    constant = assigned and text[joint.start() - len(word) : joint.start()].isupper() and joint["sign"] == "="
    is_phrase = (assigned or named) and is_quoted_phrase(value, constant=constant, assigned=not named)
    return (first, last) if is_phrase else None


def _is_verb(joint: re.Match[str], word: str) -> bool:
    """True if "pass" says that something is handed over: "pass it to `split`", "pass_context"."""
    if word not in ("pass", "pw", "psk"):
        return False
    handed = (joint["said"] or "").startswith(("to", "from", "as"))
    return handed or bool(joint["rest"]) or bool(joint["about"] and joint["sign"] != ":")


def _value_at(text: str, at: int) -> tuple[int, int, bool]:
    """The start and end of the value that begins at `at`, and whether it stands in quotes."""
    start = at + 1 if text.startswith(('\\"', "\\'"), at) else at
    if text.startswith("={", start - 1) and (
        braced := compiled(r"\{([^\s{}\"']{4,64})\}(?=;|\s|\Z)").match(text, start)
    ):
        return *braced.span(1), True
    closing = CLOSING.get(text[start : start + 1])
    # In parentheses it stands after a word of a script without spaces; elsewhere they are those of a program.
    if closing and text[start] not in "[{<" and (text[start] != "(" or not text[start - 1].isascii()):
        start += 1
        line = text.find("\n", start)
        end = text.find(closing, start, min(start + _LONGEST_QUOTED, len(text) if line < 0 else line))
        if end >= 0:
            padded = closing in "»›" and text[start] == text[end - 1] == " " and end - start > 2
            # Backticks hold code as often as a value.
            return start + padded, end - (padded or text.endswith("\\", start, end)), closing != "`"
    return start, end_of_secret(text, start, start, ENOUGH), False


def _tabled_spans(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password in a table, in a column that is named after them."""
    for table in compiled(_TABLE).finditer(text):
        lines = list(compiled(r"[^\n]+").finditer(text, *table.span()))
        heads = lower[lines[0].start() : lines[0].end()].split("|")[1:]
        columns = [column for column, head in enumerate(heads) if compiled(_LONG_WORDS).search(head)]
        for line in lines[2:] if columns else ():
            cells = [*compiled(r"(?<=\|)[^|]*").finditer(text, *line.span())]
            for cell in (cells[column] for column in columns if column < len(cells)):
                value = compiled(r"[^\s`*]+").search(text, *cell.span())
                lone = value and not text[value.end() : cell.end()].strip(" `*")
                if value and lone and is_secret(Value(value[0]), Announcement.ASSIGNED):
                    yield value.span()


def _announcing_words(lower: str, stems: list[str]) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each word that announces a secret, in order."""
    starts = {at for at, _ in places_of(stems, lower)}
    if not lower.isascii():
        starts |= {match.start() for match in compiled(_OTHER_STEMS).finditer(lower)}
    for start in sorted(starts):
        word = compiled(_ANY_WORD).match(lower, start)
        if word and not (word[0] == "key" and not _opens_something(lower, start)):
            yield word.span()


def _opens_something(lower: str, start: int) -> bool:
    before = lower[max(0, start - 14) : start]
    return bool(compiled(_KEYS).search(before) and not compiled(_OTHER_KEYS).search(before))


def _nearby_spans(text: str, word: int, after: int, reached: int) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password near the word for it, which stands between `word` and `after`."""
    first, last = _window(text, word, after)
    for piece in compiled(_PIECE).finditer(text, max(reached, first), last):
        start = piece.start(1)
        if start < reached or start < after <= piece.end(1):
            continue
        reached = end_of_secret(text, start, start, ENOUGH)
        value = text[start:reached]
        called = text.startswith(("(", "["), reached)
        if called or compiled(_EXAMPLE).search(text, max(0, start - 16), start) or not set(value) & _PASSWORD_SIGNS:
            continue
        if looks_like_password(value) or (may_be_password(value) and _is_pointed_at(text, start, reached)):
            yield start, reached


def _window(text: str, word: int, after: int) -> tuple[int, int]:
    """Returns the start and end of the text in which a password belongs to the word between `word` and `after`."""
    if len(text) <= _NOTE_CHARACTERS:
        return 0, len(text)
    first = max(text.rfind("\n", 0, word) + 1, word - _CHARACTERS_BEFORE)
    last = after
    for _ in range(_LINES_BELOW + 1):
        line = text.find("\n", last + 1)
        last = line if line >= 0 else len(text)
    return first, min(last, after + _CHARACTERS_AFTER)


def _is_pointed_at(text: str, start: int, end: int) -> bool:
    """True if the words around a value say that it is what the sentence is about."""
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    if compiled(_PROGRAM).search(text[max(line, start - 200) : min(stop if stop >= 0 else len(text), end + 100)]):
        return False
    before = text[max(line, start - 110) : start].lower()
    if compiled(_USER_CUE).search(before):
        return False
    if compiled(_CUE).search(before) or compiled(_CUE_AFTER).match(text, end):
        return True
    # A line of its own.
    return not text[line:start].strip(" \t\"'`「*>-") and compiled(_LAST).match(text, end) is not None
