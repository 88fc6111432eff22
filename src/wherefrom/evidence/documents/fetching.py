"""Fetches one document from the web: http and https only, bounded in size, time and redirects, no private addresses."""

from __future__ import annotations

import ipaddress
import socket
import time
import zlib
from collections.abc import Iterator
from typing import Final
from urllib.parse import urljoin, urlsplit

from wherefrom.lazy import httpx2
from wherefrom.model.errors import InvalidInput, shown

DEFAULT_LIMIT_BYTES: Final = 20 * 1024 * 1024
DEFAULT_TIMEOUT_MS: Final = 30_000
_MAX_REDIRECTS: Final = 5
_MAX_URL_CHARACTERS: Final = 4_000
_AGENT: Final = "Wherefrom/0.1 (reads a document that its user named)"
_ACCEPTED: Final = "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.9, */*;q=0.5"
_TRY_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_MAX_BLOCK_BYTES: Final = 256 * 1024


# The address where a document was found in the end, its content type, and its bytes.
Fetched = tuple[str, str | None, bytes]


def fetch(
    url: str,
    *,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
    limit_bytes: int = DEFAULT_LIMIT_BYTES,
    allow_private: bool = False,
    transport: httpx2.BaseTransport | None = None,
) -> Fetched:
    """The document at a URL; raises InvalidInput if it cannot be fetched."""
    deadline = time.monotonic() + timeout_ms / 1000
    # With a transport of our own proxies of the environment are not used: they would look up the name themselves.
    with httpx2.Client(transport=transport or httpx2.HTTPTransport(), timeout=timeout_ms / 1000) as client:
        where = url
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                found = _ask(client, where, deadline=deadline, limit_bytes=limit_bytes, allow_private=allow_private)
            except (httpx2.TimeoutException, TimeoutError):
                hint = "try again later, or allow more time"
                raise InvalidInput(f"{shown(where)} took too long to answer", hint=hint) from None
            except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as error:
                reason = str(error) or type(error).__name__
                raise InvalidInput(f"{shown(where)} cannot be fetched: {reason}", hint="check the URL") from None
            if not isinstance(found, str):
                return found
            where = urljoin(where, found)
    raise InvalidInput(f"{shown(url)} redirects more than {_MAX_REDIRECTS} times", hint="use the address it leads to")


def _ask(client: httpx2.Client, url: str, *, deadline: float, limit_bytes: int, allow_private: bool) -> Fetched | str:
    """The document, or the address it has moved to."""
    host, port = _host(url)
    headers = {"User-Agent": _AGENT, "Accept": _ACCEPTED, "Accept-Encoding": "gzip"}
    extensions: dict[str, str] = {}
    target = client.build_request("GET", url).url
    if not allow_private:
        # The connection goes to the address that was checked; another look-up could answer with another one.
        headers["Host"] = target.netloc.decode("ascii")
        extensions["sni_hostname"] = target.raw_host.decode("ascii")
        target = target.copy_with(host=_public_address(host, port))
    with client.stream("GET", target, headers=headers, extensions=extensions) as answer:
        if answer.is_redirect:
            return str(answer.headers["location"])
        if answer.status_code >= 400:
            again = answer.status_code in _TRY_AGAIN
            hint = "try again later" if again else "check the URL, and whether it can be read without signing in"
            raise InvalidInput(f"{shown(url)} answered {answer.status_code}", hint=hint)
        data = bytearray()
        for block in _unpacked(answer.iter_raw(), answer.headers.get("content-encoding", "")):
            data += block
            if len(data) > limit_bytes:
                large = f"{shown(url)} is larger than {limit_bytes:,} bytes"
                raise InvalidInput(large, hint="fetch a smaller part of it")
            if time.monotonic() > deadline:
                raise TimeoutError
        return url, answer.headers.get("content-type"), bytes(data)


def _host(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidInput(f"{shown(url)} is not a URL") from None
    if parts.scheme not in ("http", "https") or not host or len(url) > _MAX_URL_CHARACTERS:
        raise InvalidInput(f"{shown(url)} is not an http or https URL", hint="for example https://example.org/page")
    if parts.username is not None or parts.password is not None:
        raise InvalidInput("the URL holds a user name or a password", hint="leave them out")
    return host, port or (443 if parts.scheme == "https" else 80)


def _public_address(host: str, port: int) -> str:
    """An IP address of a host; raises if any of its addresses is not on the public internet."""
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        raise InvalidInput(f"the host {shown(host)} is not known", hint="check the URL") from None
    for address in found:
        if not _is_public(address):
            raise InvalidInput(
                f"the host {shown(host)} is on this machine or in a private network",
                hint="only public addresses are fetched unless private ones are allowed",
            )
    # IPv4 first: many machines have no route for IPv6.
    return min(found, key=lambda address: (":" in address, address))


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        # 64:ff9b::/96 leads to IPv4 addresses by way of a translator (RFC 6052).
        if inner is None and parsed in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return _is_public(str(inner))
    return parsed.is_global and not parsed.is_multicast


def _unpacked(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The body without its content encoding, in small blocks, so that a bomb is noticed before it fills the memory."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        yield from blocks
        return
    if name not in ("gzip", "x-gzip", "deflate"):
        raise InvalidInput(f"the answer is encoded as {shown(encoding)}, which was not asked for")
    packed = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    for block in blocks:
        left = block
        while left:
            try:
                yield packed.decompress(left, _MAX_BLOCK_BYTES)
            except zlib.error as error:
                raise InvalidInput(f"the answer cannot be unpacked: {error}") from None
            left = packed.unconsumed_tail
    if not packed.eof:
        raise InvalidInput("the answer cannot be unpacked: it is cut off")
