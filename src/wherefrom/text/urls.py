"""Checks the URLs of pages and gives each one form, so that the same page is kept once."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.text.check import check_text

_PORTS: Final = {"http": 80, "https": 443}
# `localhost:8080/x` is a host and its port, and no scheme.
_PORT: Final = re.compile(r"[0-9]{1,5}(?:/|$)")
_WITH_HOST: Final = ("http", "https", "ftp")


def check_url(value: object, *, field: str = "url") -> str:
    """An absolute URL: scheme and host in lower case, without default port and without the part after '#'."""
    text = check_text(value, field=field, characters=limits.URL_CHARACTERS).strip()
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _refused(value, field) from None
    scheme = parts.scheme.lower()
    is_host = not parts.netloc and _PORT.match(parts.path)
    if not scheme or is_host or any(character.isspace() for character in text) or (scheme in _WITH_HOST and not host):
        raise _refused(value, field)
    if scheme not in _WITH_HOST:
        return urlunsplit((scheme, parts.netloc, parts.path, parts.query, "")) or text
    if parts.username or parts.password:
        raise InvalidInput("a page's URL may not hold a user name or password", hint="leave them out")
    place = (host or "").lower()
    place = f"[{place}]" if ":" in place else place
    if port is not None and port != _PORTS.get(scheme):
        place += f":{port}"
    return urlunsplit((scheme, place, parts.path or "/", parts.query, ""))


def domain_of(url: str) -> str | None:
    """The host that a page is on, without `www.`; None where there is none, as for files."""
    host = urlsplit(url).hostname
    return host.removeprefix("www.") if host else None


def _refused(value: object, field: str) -> InvalidInput:
    return InvalidInput(f"{field} {shown(value)} is not an absolute URL", hint="for example https://example.org/page")
