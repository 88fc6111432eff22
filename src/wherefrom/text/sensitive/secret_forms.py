"""Secrets that are known by where they stand: in a key block, a URL, a command, a statement, a file of credentials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from wherefrom.text.sensitive.scanning import ENOUGH, TAKEN_OUT, compiled, end_of_secret
from wherefrom.text.sensitive.secret_values import (
    Announcement,
    Value,
    is_placeholder,
    is_secret,
    looks_like_password,
    may_be_password,
)

_BEGIN: Final = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END: Final = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# A sentence may speak of the first line of a key: after a real one comes base64, or a header such as "Proc-Type: 4".
_KEY_LINE: Final = r"(?:\s|\\[nr]|[>|\"'+,#*-])*+(?:[A-Za-z0-9+/=]{16,}|[A-Z][A-Za-z-]{2,20}: [^\n])"
_LOGIN_COMMAND: Final = r"\b(?:docker|podman|az|oc|helm|skopeo|buildah|heroku)\b[^\n|;]{0,40}?\slogin\b"
# "postgres:postgres@" is what a service comes with, "abc:xyz@" stands in a manual.
_LOGIN: Final = (
    r"://([^\s/:@\"'<>]{0,100}):(?!(?:\1|[^\W_]{1,4})@(?![^\s/\"'<>]*@))"
    rf"([^\s/\"'<>{TAKEN_OUT}]{{1,200}})@(?=[\w\[])"
)
# The parameter of a URL that lets whoever has the URL in.
_SIGNED: Final = (
    r"(?i)[?&;](?:sig|signature|x-(?:amz|goog|oss)-(?:signature|security-token)|access_?token|auth_?token|id_token|token"
    r"|auth|api_?key|key|secret|password|pwd)=(?=[^\s&#\"'<>]{8})"
)
_COOKIE: Final = (
    r"(?i)\b(?:session(?:_?id)?|\w{0,12}sessid|jsessionid|connect\.sid|sid|\w{2,12}_session)=(?=[\w%.-]{16})"
)
_IDENTIFIED: Final = r"(?i)\bidentified\s+(?:with\s+[\w'\"]{1,40}\s+)?by\s+(?:password\s+)?(?=[\"'])"
_PGPASS: Final = r"(?m)^[\w.*-]{1,100}:(?:[0-9]{3,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?=[^\s:/][^\s:]{5,200}$)"
_CLUSTER_DATA: Final = r"(?m)^\s{0,8}(?:data|stringData):[^\S\n]*\n((?:[^\S\n]+[\w.-]{1,64}:[^\n]*\n?){1,64})"
_CLUSTER_FIELD: Final = r"(?m)^[^\S\n]+[\w.-]{1,64}:[^\S\n]*[\"']?(?=[^\s\"'|>{])"

_PAIR: Final = r"(?: / |(?<![\w/.-])(?:admin|root|administrator)/)([!-~]{7,64})"
_USER_BEFORE: Final = (
    r"(?i)(?:log ?in|sign in|credential|creds|\badmin|\broot|ログイン|管理画面)[^\n/]{0,40}\Z"
    r"|(?:accounts|log-?ins|アカウント|zugänge|comptes|cuentas|账号|계정)\b[^/]{0,30}(?:\n[^\n]{0,60}){1,3}\Z"
)
_TURN: Final = r"(?:\bold|旧的?)\W{1,3}(\S{7,64})\s{0,2}(?:→|[-=]>|[,/、，]|\s)\s{0,2}(?:new|新的?)\W{1,3}(\S{7,64})"
_REPLACED: Final = r"(?i)rotat|chang|passw|pwd?\b|creds|login|admin|口令|密[码碼]|パス"
_CALL: Final = (
    r"(?i)(?:auth|login|credentials?|pdo|connect|sign_?in)\w{0,12}\s?=?\s?\((?:[^()\n]{0,120},\s?)?"
    r"([\"'])[^\"'\n]{1,64}\1,\s?([\"'])([^\s\"']{6,64})\2\s?[),]"
)

# A text without any of these signs has nothing that the rules for forms would find.
_SIGNS: Final = (":", "@", "'", '"', "/", "-", "=", "\\", "pass")

_Spans = Iterator[tuple[int, int]]


def formed_spans(text: str) -> _Spans:
    """Yields the start and end of each secret that its surroundings show."""
    for character, rules in _RULES.items():
        if character in text:
            for sign, search, announcement in rules:
                if sign in text:
                    yield from search(text) if callable(search) else _matches(text, search, announcement)


def may_have_form(text: str) -> bool:
    """Returns whether a text has one of the rarer signs that the rules for forms ask for."""
    for sign in _SIGNS:  # a generator would take three times as long
        if sign in text:
            return True
    return "旧" in text and "新" in text


def _matches(text: str, pattern: str, announcement: Announcement) -> _Spans:
    """Yields the last group of each match that is no placeholder, or without groups the secret after it."""
    if not (group := compiled(pattern).groups):
        yield from _after(text, pattern, announcement, as_quoted=announcement is Announcement.ASSIGNED)
        return
    yield from (match.span(group) for match in compiled(pattern).finditer(text) if not is_placeholder(match[group]))


def _after(
    text: str, pattern: str, announcement: Announcement, place: slice = slice(None), *, as_quoted: bool = False
) -> _Spans:
    """Yields each secret that follows a match in a part of the text."""
    reached, limit, _ = place.indices(len(text))
    for match in compiled(pattern).finditer(text, reached, limit):
        first = match.end() + text.startswith(("'", '"'), match.end())
        if first < reached:
            continue
        last = end_of_secret(text, first, first, ENOUGH)
        quoted = as_quoted or text[first - 1] in "\"'"
        if is_secret(Value(text[first:last], quoted), announcement):
            reached = end_of_secret(text, first, last)
            yield first, reached


def _key_blocks(text: str) -> _Spans:
    """Yields each key from its first line to its last line, or to the end of the text if it has none."""
    at = 0
    while begin := compiled(_BEGIN).search(text, at):
        at = begin.end()
        end = compiled(_END).search(text, at)
        if compiled(_KEY_LINE).match(text, at) or (
            end and compiled(r"[A-Za-z0-9+/=]{24}").search(text, at, end.start())
        ):
            at = end.end() if end else len(text)
            yield begin.start(), at
        elif not end and text.count("-----BEGIN", at) > 100:
            return


def _password_file(text: str) -> _Spans:
    """Yields the passwords of PostgreSQL's .pgpass."""
    if compiled(r":(?:[0-9]{3,5}|\*):").search(text):
        yield from _after(text, _PGPASS, Announcement.ASSIGNED if "pgpass" in text else Announcement.BESIDE)


def _cluster_secrets(text: str) -> _Spans:
    """Yields the fields of a Secret of Kubernetes."""
    for block in compiled(_CLUSTER_DATA).finditer(text):
        yield from _after(text, _CLUSTER_FIELD, Announcement.ASSIGNED, slice(*block.span(1)))


def _paired_spans(text: str) -> _Spans:
    """Yields the start and end of each password that follows its user's name: "log in as deploy / …"."""
    reached = 0
    for match in compiled(_PAIR).finditer(text):
        start = match.start(1)
        spaced = match[0].startswith(" ")
        named = not spaced or compiled(_USER_BEFORE).search(text, max(0, start - 160), match.start())
        if start >= reached and named:
            reached = end_of_secret(text, start, start, ENOUGH)
            value = compiled(r"\(.*").sub("", text[start:reached])
            if looks_like_password(value) or (spaced and may_be_password(value)):
                yield start, reached


def _replaced_spans(text: str) -> _Spans:
    """Yields the start and end of an old password and of the new one: "old … → new …"."""
    for match in compiled(_TURN).finditer(text):
        if not compiled(_REPLACED).search(text, max(0, match.start() - 80), match.start()):
            continue
        spans = [(start, end_of_secret(text, start, start, ENOUGH)) for start in (match.start(1), match.start(2))]
        if all(looks_like_password(text[start:end]) for start, end in spans):
            yield from spans


def _called_spans(text: str) -> _Spans:
    """Yields the start and end of each password that a program gives after its user's name: login("deploy", "…")."""
    for match in compiled(_CALL).finditer(text) if '("' in text or "('" in text else ():
        said = Announcement.SAID if compiled("[0-9]").search(match[3]) else Announcement.BESIDE
        if is_secret(Value(match[3]), said):
            yield match.span(3)


class _Rule(NamedTuple):
    """A search for secrets in texts that have a sign: in or after a pattern, or by a function."""

    sign: str
    search: str | Callable[[str], _Spans]
    announcement: Announcement = Announcement.ASSIGNED


# The rules, by a character that a text must have as well as their sign: one is found ten times as fast as two.
_RULES: Final = {
    ":": (
        _Rule("://", _SIGNED, Announcement.KEY),
        _Rule(":", _password_file),
        _Rule("kind: Secret", _cluster_secrets),
        _Rule('"kty"', r"\"(?:d|k|p|q|dp|dq|qi)\"\s?:\s?\"(?=[\w-]{20})", Announcement.KEY),
        _Rule("asic auth", r"(?i)\bbasic auth[^\n:=]{0,40}?(?:\bis|[:=])\s{1,2}[\w.-]{1,32}[:/](?=[^\s/])"),
    ),
    "-": (
        _Rule("-----BEGIN", _key_blocks),
        _Rule("snmp-server", r"(?m)^\s{0,8}snmp-server community\s+"),
        _Rule("s-server", r"\b(?:tacacs|radius)-server (?:host \S{1,64} )?key\s+(?:[0-9] )?"),
        _Rule("SecureString", r"\bConvertTo-SecureString\s+(?:-String\s+)?(?=[\"'])"),
    ),
    # Options of commands.
    " -": (
        _Rule(" -p", r"\b(?:mysql|mysqldump|mysqladmin|mariadb|7z)\b[^\n|;]{0,160}?\s-p(?=[^\s-])"),
        _Rule(" -p", rf"{_LOGIN_COMMAND}[^\n|;]{{0,160}}?\s-p[ =]?"),
        _Rule(" -p", r"\bsshpass\s+-p\s?|\bmongo(?:sh|dump|restore|export|import)?\b[^\n|;]{0,160}?\s-p[ =]?"),
        _Rule(" -u", r"\b(?:curl|https?|wget)\b[^\n|;]{0,160}?\s-u[ =]?[\"']?[^\s:\"'/]{1,64}:"),
        _Rule(" --user", r"\b(?:curl|wget)\b[^\n|;]{0,160}?\s--user[ =]?[\"']?[^\s:\"'/]{1,64}:"),
        _Rule(" -a ", r"\bredis-cli\b[^\n|;]{0,160}?\s-a\s|\bhttps?\b[^\n|;]{0,160}?\s-a\s[\"']?[^\s:\"'/]{1,64}:"),
        _Rule(" -w ", r"\bldap(?:search|modify|add|passwd|whoami)\b[^\n|;]{0,160}?\s-w\s"),
        _Rule(" -P", r"\b(?:sqlcmd|bcp|isql|mosquitto_(?:pub|sub|rr)|(?:un)?zip)\b[^\n|;]{0,160}?\s-P\s?"),
        _Rule(" -U", r"\bsmbclient\b[^\n|;]{0,160}?\s-U\s?[^\s%]{1,64}%"),
        _Rule("htpasswd", r"\bhtpasswd\s+-\w*b\w*\s+\S{1,100}\s+\S{1,64}\s+"),
        _Rule("-literal", r"\bcreate\s+secret\b[^\n|;]{0,160}?\s--from-literal[ =][\"']?[\w.-]{1,64}="),
    ),
    # Logins of URLs and of databases.
    "@": (
        _Rule("://", _LOGIN),
        _Rule("sqlplus", r"\bsqlplus\s+[\w.-]{1,64}/([^\s/@]{4,64})@"),
        _Rule("@//", r"(?<![\w/])[\w.-]{1,64}/([^\s/@]{4,64})@//[\w.-]"),
        _Rule(":thin:", r":thin:[\w.-]{1,64}/([^\s/@]{4,64})@"),
        _Rule("(", r"(?<![\w/])[\w.-]{1,64}:([^\s:/@\"']{4,64})@(?:tcp|unix)\("),
    ),
    '"': (
        _Rule('PSK "', r":\sPSK\s+(?=\")"),
        _Rule('EAP "', r":\sEAP\s+(?=\")"),
        _Rule('"auth"', r"\"auth\"\s?:\s?(?=\"[A-Za-z0-9+/=]{12})"),
        _Rule("dentified", _IDENTIFIED),
        _Rule("DENTIFIED", _IDENTIFIED),
    ),
    "(": (_Rule("(", _called_spans),),
    "'": (_Rule("dentified", _IDENTIFIED), _Rule("DENTIFIED", _IDENTIFIED)),
    "=": (_Rule("connect.sid=", r"\bconnect\.sid="), _Rule("ookie", _COOKIE, Announcement.KEY)),
    "/": (_Rule(" / ", _paired_spans), _Rule("admin/", _paired_spans), _Rule("root/", _paired_spans)),
    "\\": (_Rule("net use", r"\bnet use (?:\S{1,3} )?\\\\\S{1,100} (?:/user:\S{1,60} )?(?=[^/\s*])"),),
    "pass": (
        _Rule("requirepass", r"(?m)^\s{0,8}(?:requirepass|masterauth)\s+"),
        _Rule("password ", r"\bpassword [057]\s+"),
    ),
    "new ": (_Rule("old ", _replaced_spans),),
    "新": (_Rule("旧", _replaced_spans),),
    "認証": (_Rule("asic認証", r"[Bb]asic認証\s?[:：はが]\s?[\w.-]{1,32}\s?[/:]\s?"),),
}
