"""Secrets that are known by where they stand: in a key block, a URL, a command, a statement, a file of credentials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.text.nearby_secrets import paired_spans
from recollect.text.patterns import compiled
from recollect.text.secret_ends import TAKEN_OUT, end_of_secret
from recollect.text.secret_values import Announcement, Value, is_placeholder, is_secret

_BEGIN: Final = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]:"
_END: Final = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]+"
# A sentence may speak of the first line of a key: after a real one comes base64, or a header such as "Proc-Type: 4".
_KEY_LINE: Final = (
    r"(?:\s|\\[nr]|[>|\"'+,#*-])*+(?:[A-Za-z0-9+/=]{16,}|[A-Z][A-Za-z-]{2,20}: [^\n]|[a-z0-9-]{6,}\s+Enc)"
)

_LOGIN: Final = rf"://([^\s/:@\"'<>]{{0,100}}):([^\s/\"'<>{TAKEN_OUT}]{{1,200}})@(?=[\w\[])"
# The parameter of a URL that lets whoever has the URL in.
_SIGNED: Final = (
    r"(?i)[?&;](?:sig|signature|x-(?:amz|goog|oss)-(?:signature|security-token)|access_?token|auth_?token|id_token|token"
    r"|auth|api_?key|key|secret|password|pwd)=(?=[^\s&#\"'<>]{8})"
)

# The option of a command that takes a password, and how it is written.
_COMMANDS: Final = (
    r"\b(?:mysql|mysqldump|mysqladmin|mariadb|7z)\b[^\n|;]{0,160}?\s-p(?=[^\s-])",
    r"\bsshpass\s+-p\s?",
    r"\b(?:curl|https?|wget)\b[^\n|;]{0,160}?\s(?:-u|--user|-a)[ =]?[\"']?[^\s:\"'/]{1,64}:",
    r"\bredis-cli\b[^\n|;]{0,160}?\s-a\s?",
    r"\b(?:docker|podman|az|oc|helm registry|skopeo|buildah|heroku|mongo(?:sh|dump|restore|export|import)?)\b"
    r"(?:(?<=mongo)|(?<=mongosh)|(?<=dump)|(?<=port)|(?<=store)|[^\n|;]{0,40}?\slogin\b)[^\n|;]{0,160}?\s-p[ =]?",
    r"\bldap(?:search|modify|add|passwd|whoami)\b[^\n|;]{0,160}?\s-w\s?",
    r"\b(?:un)?zip\b[^\n|;]{0,80}?\s-P\s?",
    r"\bsmbclient\b[^\n|;]{0,160}?\s-U\s?[^\s%]{1,64}%",
    r"\bhtpasswd\s+-\w*b\w*\s+\S{1,100}\s+\S{1,64}\s+",
    r"\bcreate\s+secret\b[^\n|;]{0,160}?\s--from-literal[ =][\"']?[\w.-]{1,64}=",
)
_COOKIE: Final = (
    r"(?i)\b(?:session(?:_?id)?|\w{0,12}sessid|jsessionid|connect\.sid|sid|\w{2,12}_session)=(?=[\w%.-]{16})"
)
# Logins of databases that are no URLs.
_DATABASE_LOGINS: Final = (
    r"(?:\bsqlplus\s+|:thin:)[\w.-]{1,64}/([^\s/@]{4,64})@",
    r"(?<![\w/])[\w.-]{1,64}:([^\s:/@\"']{4,64})@(?:tcp|unix)\(",
)
_IDENTIFIED: Final = r"(?i)\bidentified\s+(?:with\s+[\w'\"]{1,40}\s+)?by\s+(?:password\s+)?"  # SQL
_PGPASS: Final = r"(?m)^[\w.*-]{1,100}:(?:[0-9]{3,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?=[^\s:/][^\s:]{5,200}$)"
_CLUSTER_DATA: Final = r"(?m)^\s{0,8}(?:data|stringData):[^\S\n]*\n((?:[^\S\n]+[\w.-]{1,64}:[^\n]*\n?){1,64})"
_FIELD: Final = r"(?m)^[^\S\n]+[\w.-]{1,64}:[^\S\n]*[\"']?(?=[^\s\"'|>{])"
_WEB_KEY: Final = r"\"(?:d|k|p|q|dp|dq|qi)\"\s?:\s?\"(?=[\w-]{20})"


def formed_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each secret that its surroundings show; each rule first asks for a rare sign."""
    if "-----BEGIN" in text or "PuTTY-" in text:
        yield from _key_blocks(text)
    if "://" in text:
        yield from _in_urls(text)
    if " -" in text:
        for command in _COMMANDS:
            yield from _after(text, command, Announcement.ASSIGNED)
    if "@" in text:
        for login in _DATABASE_LOGINS:
            yield from (match.span(1) for match in compiled(login).finditer(text) if not is_placeholder(match[1]))
    if "ookie" in text:
        yield from _after(text, _COOKIE, Announcement.KEY)
    yield from paired_spans(text)
    if "dentified" in text or "DENTIFIED" in text:
        yield from _after(text, _IDENTIFIED + "(?=[\"'])", Announcement.ASSIGNED)
        yield from _after(text, _IDENTIFIED, Announcement.KEY)
    if text.count(":", 0, 4096) > 3:
        yield from _in_files(text)


def may_have_form(text: str) -> bool:
    """Returns whether a text has one of those signs."""
    return " -" in text or "://" in text or "dentified" in text or "DENTIFIED" in text or text.count(":") > 3


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
            if match[1] != match[2] and not is_placeholder(match[2]):
                yield match.span(2)
    if "=" in text:
        yield from _after(text, _SIGNED, Announcement.KEY)


def _in_files(text: str) -> Iterator[tuple[int, int]]:
    yield from _after(text, _PGPASS, Announcement.KEY if "pgpass" not in text else Announcement.ASSIGNED)
    if "kind: Secret" in text:
        for block in compiled(_CLUSTER_DATA).finditer(text):
            yield from _after(text, _FIELD, Announcement.ASSIGNED, block.start(1), block.end(1))
    if '"kty"' in text:
        yield from _after(text, _WEB_KEY, Announcement.KEY)


def _after(
    text: str, pattern: str, announcement: Announcement, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, int]]:
    """What follows each match, if it is a secret."""
    for match in compiled(pattern).finditer(text, start, len(text) if end is None else end):
        first = match.end() + (text[match.end() : match.end() + 1] in tuple("\"'"))
        last = end_of_secret(text, first, first)
        quoted = text[first - 1] in "\"'"
        if is_secret(Value(text[first:last], quoted=quoted, continues=False), announcement):
            yield first, last
