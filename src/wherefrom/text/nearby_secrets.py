"""Secrets near a word for them, which no sign or verb joins to it: in a sentence of any order, a table, a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wherefrom.text.patterns import compiled
from wherefrom.text.secret_ends import ENOUGH, end_of_secret
from wherefrom.text.secret_values import Announcement, Value, is_secret, looks_like_password, may_be_password
from wherefrom.text.secret_words import LONG_WORDS

# How far from the word its password may stand on the same line. A short note is about one thing, from end to end.
_BEFORE, _AFTER = 120, 160
_NOTE: Final = 240
_LINES: Final = 2
# A piece of a sentence, without the signs and the label that it stands behind: "(…", "旧:…", "neu=…".
_PIECE: Final = r"(?<![!-~])(?:[A-Za-z]{0,12}[:=])?[\"'`(\[<*_,:]{0,3}([!-~]{6,64})"
# What stands directly before a password in a sentence about one.
_CUE: Final = (
    r"(?:[:=→⇒「『«“„\"'`(（、，,…]|->|=>|\b(?:is|was|now|new|old|so|use|using|literally|still|remains|stays"
    r"|rimast[ao]|resta|reste|siendo|bleibt|it's|its|alias|namely"
    r"|ist|war|jetzt|neu|alt|neue|alte|vorher|lautet|nun|est|était|c'est|es|era|ahora|sea|é|è|agora|ora|adesso"
    r"|(?:chang|reset|updat|switch|swap|mov|replac|remplac|cambi|mud|troqu|geänder|änder|смен|поменя)[^\n]{0,70}\s"
    r"(?:from|to|by|with|de|à|par|pour|por|para|a|von|auf|zu|in|с|на)"
    r"|паролем|теперь|это|был)|[はがをでは是为為成的旧新]|から|って|는|은|이|가|에서|바뀌었어|변경)"
    r"\s{0,2}[\"'`(\[«“„「*]{0,2}\Z"
)
# A user's name looks much like a password.
_USER_CUE: Final = (
    r"(?:user(?: ?name)?|usr|login|account|handle|nickname|benutzer(?:name)?|identifiant|compte|usuario|utente|логин"
    r"|ユーザー?名?|アカウント名?|\bid|用户名?|账号|사용자명?|아이디)\W{0,3}(?:is|ist|est|es|è|é|[はが是为]|은|는)?\W{0,3}\Z"
)
# What a text on passwords names as an example.
_EXAMPLE: Final = (
    r"(?:\b(?:like|such as|e\.g\.,?|for example,?|z\. ?B\.|wie|comme|como|come|например,?)"
    r"|例えば|たとえば|例如|比如|예를 들어)"
    r"\s?[\"'`“(「]?\Z"
)
_CUE_AFTER: Final = (
    r"[\"'`)」』»”]{0,2}\s{0,2}(?:に|です|でした|だ|や[。\s]|から|へ|、|。|로|으로|인데|이고|예요|이에요|입니다|←|<-)"
)
_LAST: Final = r"[\"'`)」』»”.!]{0,2}\s{0,2}(?:\n|\Z)"
# A line of a program or of its output, where names hold digits, too.
_PROGRAM: Final = (
    r"[A-Za-z0-9_\])]\((?!e?s\))|[;{}\[(]\s*\Z|[=!]=|=>|\) ->|::|\A\s*(?:import|from|def|class|const|let|var"
    r"|val|if|elif|else|for"
    r"|return|export|function|public|private|assert|@\w|//|#include|\$ |>>>|[+-]{2,})(?!\w)|\A\s{8}|</|\A\s*[\w.]+ = "
    r"|\A\s*[\"'][^\"'\n]{0,80}[\"']\s?[:,]|\A\s*[\[{(]|\]\s?=|: \w+\["
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
_TABLE: Final = r"(?m)^[^\S\n]*\|[^\n]*\n[^\S\n]*\|[\s:|-]{3,200}\n(?:[^\S\n]*\|[^\n]*(?:\n|\Z)){1,200}"


def nearby_spans(text: str, word: int, after: int, reached: int) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password near the word for it, which stands between `word` and `after`."""
    first, last = window(text, word, after)
    for piece in compiled(_PIECE).finditer(text, max(reached, first), last):
        start = piece.start(1)
        if start < reached or start < after <= piece.end(1):
            continue
        reached = end_of_secret(text, start, start, ENOUGH)
        value = text[start:reached]
        if compiled(_EXAMPLE).search(text, max(0, start - 16), start):
            continue
        if text.startswith(("(", "["), reached) or not compiled("[0-9!#$%^&*?@]").search(value):
            continue
        if looks_like_password(value) or (may_be_password(value) and _is_pointed_at(text, start, reached)):
            yield start, reached


def window(text: str, word: int, after: int) -> tuple[int, int]:
    """Returns from where to where a password may belong to the word between `word` and `after`."""
    if len(text) <= _NOTE:
        return 0, len(text)
    first = max(text.rfind("\n", 0, word) + 1, word - _BEFORE)
    last = after
    for _ in range(_LINES + 1):
        line = text.find("\n", last + 1)
        last = line if line >= 0 else len(text)
    return first, min(last, after + _AFTER)


def _is_pointed_at(text: str, start: int, end: int) -> bool:
    """Whether the words around a value say that it is what the sentence is about."""
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
    if '("' in text or "('" in text:
        for match in compiled(_CALL).finditer(text):
            said = Announcement.SAID if compiled("[0-9]").search(match[3]) else Announcement.BESIDE
            if is_secret(Value(match[3], quoted=True, continues=False), said):
                yield match.span(3)


def tabled_spans(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password in a table, in a column that is named after them."""
    for table in compiled(_TABLE).finditer(text):
        yield from _in_table(text, lowered, *table.span())


def _in_table(text: str, lowered: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The cells below a word for passwords."""
    lines = list(compiled(r"[^\n]+").finditer(text, start, end))
    heads = lowered[lines[0].start() : lines[0].end()].split("|")
    columns = [column for column, head in enumerate(heads) if compiled(LONG_WORDS).search(head)]
    for line in lines[2:] if columns else ():
        cells = list(compiled(r"[^|]*").finditer(text, *line.span()))
        cells = [cell for cell in cells if cell.start() == line.start() or text[cell.start() - 1] == "|"]
        for column in columns:
            if column < len(cells) and (value := compiled(r"[^\s`*]+").search(text, *cells[column].span())):
                lone = not text[value.end() : cells[column].end()].strip(" `*")
                if lone and is_secret(Value(value[0], quoted=True, continues=False), Announcement.ASSIGNED):
                    yield value.span()
