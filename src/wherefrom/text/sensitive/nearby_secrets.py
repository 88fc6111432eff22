"""Secrets near a word for them, which no sign or verb joins to it: in a sentence of any order, a pair, a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wherefrom.text.sensitive.scanning import ENOUGH, compiled, end_of_secret
from wherefrom.text.sensitive.secret_values import Announcement, Value, is_secret, looks_like_password, may_be_password

# How far from the word its password may stand on the same line. A short note is about one thing, from end to end.
_BEFORE, _AFTER = 120, 160
_NOTE: Final = 240
_LINES: Final = 2
_PASSWORD_SIGNS: Final = frozenset("0123456789!#$%^&*?@")
# A piece of a sentence, without the signs and the label that it stands behind: "(…", "旧:…", "neu=…".
_PIECE: Final = r"(?<![!-~])(?:[A-Za-z]{0,12}[:=])?[\"'`(\[<*_,:]{0,3}([!-~]{6,64})"
# What stands directly before a password in a sentence about one.
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
# What a text on passwords names as an example.
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
_PAIR: Final = r"(?: / |(?<![\w/.-])(?:admin|root|administrator)/)([!-~]{7,64})"
_USER: Final = (
    r"(?i)(?:log ?in|sign in|credential|creds|\badmin|\broot|ログイン|管理画面)[^\n/]{0,40}\Z"
    r"|(?:accounts|log-?ins|アカウント|zugänge|comptes|cuentas|账号|계정)\b[^/]{0,30}(?:\n[^\n]{0,60}){1,3}\Z"
)
_TURN: Final = r"(?:\bold|旧的?)\W{1,3}(\S{7,64})\s{0,2}(?:→|[-=]>|[,/、，]|\s)\s{0,2}(?:new|新的?)\W{1,3}(\S{7,64})"
_TURNED: Final = r"(?i)rotat|chang|passw|pwd?\b|creds|login|admin|口令|密[码碼]|パス"
_CALL: Final = (
    r"(?i)(?:auth|login|credentials?|pdo|connect|sign_?in)\w{0,12}\s?=?\s?\((?:[^()\n]{0,120},\s?)?"
    r"([\"'])[^\"'\n]{1,64}\1,\s?([\"'])([^\s\"']{6,64})\2\s?[),]"
)


def nearby_spans(text: str, word: int, after: int, reached: int) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password near the word for it, which stands between `word` and `after`."""
    first, last = window(text, word, after)
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


def window(text: str, word: int, after: int) -> tuple[int, int]:
    """Returns the start and end of the text in which a password belongs to the word between `word` and `after`."""
    if len(text) <= _NOTE:
        return 0, len(text)
    first = max(text.rfind("\n", 0, word) + 1, word - _BEFORE)
    last = after
    for _ in range(_LINES + 1):
        line = text.find("\n", last + 1)
        last = line if line >= 0 else len(text)
    return first, min(last, after + _AFTER)


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


def paired_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password that follows its user's name: "log in as deploy / …"."""
    reached = 0
    for match in compiled(_PAIR).finditer(text):
        start = match.start(1)
        spaced = match[0].startswith(" ")
        named = not spaced or compiled(_USER).search(text, max(0, start - 160), match.start())
        if start >= reached and named:
            reached = end_of_secret(text, start, start, ENOUGH)
            value = compiled(r"\(.*").sub("", text[start:reached])
            if looks_like_password(value) or (spaced and may_be_password(value)):
                yield start, reached


def replaced_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of an old password and of the new one: "old … → new …"."""
    for match in compiled(_TURN).finditer(text):
        if not compiled(_TURNED).search(text, max(0, match.start() - 80), match.start()):
            continue
        spans = [(start, end_of_secret(text, start, start, ENOUGH)) for start in (match.start(1), match.start(2))]
        if all(looks_like_password(text[start:end]) for start, end in spans):
            yield from spans


def called_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password that a program gives after its user's name: login("deploy", "…")."""
    for match in compiled(_CALL).finditer(text) if '("' in text or "('" in text else ():
        said = Announcement.SAID if compiled("[0-9]").search(match[3]) else Announcement.BESIDE
        if is_secret(Value(match[3], quoted=True, continues=False), said):
            yield match.span(3)
