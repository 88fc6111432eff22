"""Secrets that are known by where they stand: in a key block, a URL, a command, a statement, a file of credentials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wherefrom.text.nearby_secrets import called_spans, paired_spans, replaced_spans
from wherefrom.text.patterns import compiled
from wherefrom.text.secret_ends import ENOUGH, TAKEN_OUT, end_of_secret
from wherefrom.text.secret_values import Announcement, Value, is_placeholder, is_secret

_BEGIN: Final = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END: Final = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# A sentence may speak of the first line of a key: after a real one comes base64, or a header such as "Proc-Type: 4".
_KEY_LINE: Final = r"(?:\s|\\[nr]|[>|\"'+,#*-])*+(?:[A-Za-z0-9+/=]{16,}|[A-Z][A-Za-z-]{2,20}: [^\n])"

_LOGIN: Final = rf"://([^\s/:@\"'<>]{{0,100}}):([^\s/\"'<>{TAKEN_OUT}]{{1,200}})@(?=[\w\[])"
# Shorter ones are "abc:xyz@" in a manual.
_SHORTEST_LOGIN: Final = 5
# The parameter of a URL that lets whoever has the URL in.
_SIGNED: Final = (
    r"(?i)[?&;](?:sig|signature|x-(?:amz|goog|oss)-(?:signature|security-token)|access_?token|auth_?token|id_token|token"
    r"|auth|api_?key|key|secret|password|pwd)=(?=[^\s&#\"'<>]{8})"
)

# The options of commands that take a password, by a sign that is rare elsewhere.
_COMMANDS: Final = (
    (" -p", r"\b(?:mysql|mysqldump|mysqladmin|mariadb|7z)\b[^\n|;]{0,160}?\s-p(?=[^\s-])"),
    (" -p", r"\bsshpass\s+-p\s?"),
    (" -p", r"\b(?:docker|podman|az|oc|helm|skopeo|buildah|heroku)\b[^\n|;]{0,40}?\slogin\b[^\n|;]{0,160}?\s-p[ =]?"),
    (" -p", r"\bmongo(?:sh|dump|restore|export|import)?\b[^\n|;]{0,160}?\s-p[ =]?"),
    (" -u", r"\b(?:curl|https?|wget)\b[^\n|;]{0,160}?\s-u[ =]?[\"']?[^\s:\"'/]{1,64}:"),
    (" --user", r"\b(?:curl|wget)\b[^\n|;]{0,160}?\s--user[ =]?[\"']?[^\s:\"'/]{1,64}:"),
    (" -a ", r"\bredis-cli\b[^\n|;]{0,160}?\s-a\s"),
    (" -a ", r"\bhttps?\b[^\n|;]{0,160}?\s-a\s[\"']?[^\s:\"'/]{1,64}:"),
    (" -w ", r"\bldap(?:search|modify|add|passwd|whoami)\b[^\n|;]{0,160}?\s-w\s"),
    (" -P", r"\b(?:sqlcmd|bcp|isql)\b[^\n|;]{0,160}?\s-P\s?"),
    (" -P", r"\bmosquitto_(?:pub|sub|rr)\b[^\n|;]{0,160}?\s-P\s"),
    (" -P", r"\b(?:un)?zip\b[^\n|;]{0,80}?\s-P\s?"),
    (" -U", r"\bsmbclient\b[^\n|;]{0,160}?\s-U\s?[^\s%]{1,64}%"),
    ("htpasswd", r"\bhtpasswd\s+-\w*b\w*\s+\S{1,100}\s+\S{1,64}\s+"),
    ("-literal", r"\bcreate\s+secret\b[^\n|;]{0,160}?\s--from-literal[ =][\"']?[\w.-]{1,64}="),
)
# Settings whose value is a password, by a sign and by a part of their name.
_SETTINGS: Final = (
    ("pass", "requirepass", r"(?m)^\s{0,8}(?:requirepass|masterauth)\s+"),
    ("pass", "password ", r"\bpassword [057]\s+"),
    ("-", "snmp-server", r"(?m)^\s{0,8}snmp-server community\s+"),
    ("-", "s-server", r"\b(?:tacacs|radius)-server (?:host \S{1,64} )?key\s+(?:[0-9] )?"),
    ("-", "SecureString", r"\bConvertTo-SecureString\s+(?:-String\s+)?(?=[\"'])"),
    ('"', 'PSK "', r":\sPSK\s+(?=\")"),
    ('"', 'EAP "', r":\sEAP\s+(?=\")"),
    ('"', '"auth"', r"\"auth\"\s?:\s?(?=\"[A-Za-z0-9+/=]{12})"),
    ("\\", "net use", r"\bnet use (?:\S{1,3} )?\\\\\S{1,100} (?:/user:\S{1,60} )?(?=[^/\s*])"),
    ("=", "connect.sid=", r"\bconnect\.sid="),
    ("auth", "asic auth", r"(?i)\bbasic auth[^\n:=]{0,40}?(?:\bis|[:=])\s{1,2}[\w.-]{1,32}[:/](?=[^\s/])"),
    ("認証", "asic認証", r"[Bb]asic認証\s?[:：はが]\s?[\w.-]{1,32}\s?[/:]\s?"),
)
_SETTING_SIGNS: Final = frozenset(sign for sign, _, _ in _SETTINGS)
_COOKIE: Final = (
    r"(?i)\b(?:session(?:_?id)?|\w{0,12}sessid|jsessionid|connect\.sid|sid|\w{2,12}_session)=(?=[\w%.-]{16})"
)
# Logins of databases that are no URLs.
_DATABASE_LOGINS: Final = (
    ("sqlplus", r"\bsqlplus\s+[\w.-]{1,64}/([^\s/@]{4,64})@"),
    ("@//", r"(?<![\w/])[\w.-]{1,64}/([^\s/@]{4,64})@//[\w.-]"),
    (":thin:", r":thin:[\w.-]{1,64}/([^\s/@]{4,64})@"),
    ("@tcp(", r"(?<![\w/])[\w.-]{1,64}:([^\s:/@\"']{4,64})@tcp\("),
    ("@unix(", r"(?<![\w/])[\w.-]{1,64}:([^\s:/@\"']{4,64})@unix\("),
)
_IDENTIFIED: Final = r"(?i)\bidentified\s+(?:with\s+[\w'\"]{1,40}\s+)?by\s+(?:password\s+)?(?=[\"'])"
_PGPASS: Final = r"(?m)^[\w.*-]{1,100}:(?:[0-9]{3,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?=[^\s:/][^\s:]{5,200}$)"
_CLUSTER_DATA: Final = r"(?m)^\s{0,8}(?:data|stringData):[^\S\n]*\n((?:[^\S\n]+[\w.-]{1,64}:[^\n]*\n?){1,64})"
_FIELD: Final = r"(?m)^[^\S\n]+[\w.-]{1,64}:[^\S\n]*[\"']?(?=[^\s\"'|>{])"
_WEB_KEY: Final = r"\"(?:d|k|p|q|dp|dq|qi)\"\s?:\s?\"(?=[\w-]{20})"


def formed_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each secret that its surroundings show.

    Each rule first asks for a sign that few texts have: one character is found ten times as fast as two.
    """
    if "-----BEGIN" in text:
        yield from _key_blocks(text)
    if ":" in text:
        if "://" in text:
            yield from _in_urls(text)
        yield from _in_files(text)
    if "-" in text and " -" in text:
        for sign, command in _COMMANDS:
            if sign in text:
                yield from _after(text, command, Announcement.ASSIGNED, as_quoted=True)
    signs = {sign for sign in _SETTING_SIGNS if sign in text}
    for sign, name, setting in _SETTINGS:
        if sign in signs and name in text:
            yield from _after(text, setting, Announcement.ASSIGNED, as_quoted=True)
    if "@" in text:
        for sign, login in _DATABASE_LOGINS:
            if sign in text:
                yield from (match.span(1) for match in compiled(login).finditer(text) if not is_placeholder(match[1]))
    if "=" in text and "ookie" in text:
        yield from _after(text, _COOKIE, Announcement.KEY)
    if "'" in text or '"' in text:
        if "dentified" in text or "DENTIFIED" in text:
            yield from _after(text, _IDENTIFIED, Announcement.ASSIGNED)
        yield from called_spans(text)
    if "/" in text and (" / " in text or "admin/" in text or "root/" in text):
        yield from paired_spans(text)
    if ("old " in text and "new " in text) or ("旧" in text and "新" in text):
        yield from replaced_spans(text)


def may_have_form(text: str) -> bool:
    """Returns whether a text has one of the signs that the rules for forms ask for."""
    signs = (":", "@", "'", '"', "/", "-", "=", "\\", "pass")
    return any(sign in text for sign in signs) or ("旧" in text and "新" in text)


def _key_blocks(text: str) -> Iterator[tuple[int, int]]:
    """From the first line of each key to its last line, or to the end of the text if it has none."""
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


def _in_urls(text: str) -> Iterator[tuple[int, int]]:
    if "@" in text:
        for match in compiled(_LOGIN).finditer(text):
            # "postgres:postgres@" is what a service comes with.
            short = len(match[2]) < _SHORTEST_LOGIN and match[2].isalnum()
            if match[1] != match[2] and not short and not is_placeholder(match[2]):
                yield match.span(2)
    if "=" in text:
        yield from _after(text, _SIGNED, Announcement.KEY)


def _in_files(text: str) -> Iterator[tuple[int, int]]:
    if compiled(r":(?:[0-9]{3,5}|\*):").search(text):
        yield from _after(text, _PGPASS, Announcement.ASSIGNED if "pgpass" in text else Announcement.BESIDE)
    if "kind: Secret" in text:
        for block in compiled(_CLUSTER_DATA).finditer(text):
            yield from _after(text, _FIELD, Announcement.ASSIGNED, block.start(1), block.end(1))
    if '"kty"' in text:
        yield from _after(text, _WEB_KEY, Announcement.KEY)


def _after(
    text: str,
    pattern: str,
    announcement: Announcement,
    start: int = 0,
    end: int | None = None,
    *,
    as_quoted: bool = False,
) -> Iterator[tuple[int, int]]:
    """Yields the start and end of the value after each match, if the value is a secret."""
    reached = start
    for match in compiled(pattern).finditer(text, start, len(text) if end is None else end):
        first = match.end() + text.startswith(("'", '"'), match.end())
        if first < reached:
            continue
        last = end_of_secret(text, first, first, ENOUGH)
        quoted = as_quoted or text[first - 1] in "\"'"
        if is_secret(Value(text[first:last], quoted=quoted, continues=False), announcement):
            reached = end_of_secret(text, first, last)
            yield first, reached
