"""Sends calls to a service: one pool of connections, a few further attempts, and answers that are errors raised."""

from __future__ import annotations

import ipaddress
import json
import logging
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import SplitResult, urlsplit

from wherefrom import config
from wherefrom.lazy import httpx2
from wherefrom.model.errors import InvalidInput, StoreUnavailable, Unauthorized, WherefromError, shown

logger = logging.getLogger("wherefrom.http")

JSON: Final = "application/json"
LINES: Final = "application/x-ndjson"
# A service may take ten minutes to read or to write a whole memory.
_TRANSFER_SECONDS: Final = 660.0
_CONNECT_SECONDS: Final = 10.0
# Less than the time after which a service, or a proxy before it, closes a connection that nobody uses.
_KEPT_SECONDS: Final = 30.0
_FIRST_PAUSE_SECONDS: Final = 0.2
_MAX_PAUSE_SECONDS: Final = 5.0
_MAX_ATTEMPTS: Final = 4
_BUSY: Final = (429, 503)
# The errors of a call that was not begun, so that it may be made again whatever it does.
_NOT_BEGUN: Final = ("overloaded",)
_KEY: Final = re.compile(r"[!-~]+")
_ADDRESS_HINT: Final = "give the address of the service alone: https://host, without /api or /mcp"
_UNSURE: Final = "whether it was done is not known: look before you do it again"


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failed attempt: its error, and how long to wait before the next; None if there is to be none."""

    error: WherefromError
    pause_s: float | None


class Sender:
    """The connections to one service. Many threads may share it.

    A call that only reads is made again if the service is busy or cannot be reached, any other only if it was not
    begun; four times at most.
    """

    def __init__(self, url: str, key: str | None, *, timeout_s: float) -> None:
        parts = _parts(url)
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        headers = {"Accept": f"{JSON}, {LINES}", "User-Agent": "wherefrom"}
        if key is not None:
            if not _KEY.fullmatch(key):
                hint = "it has ASCII characters without spaces and line ends"
                raise InvalidInput("the key has a character that no key has", hint=hint)
            headers["Authorization"] = f"Bearer {key}"
            if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
                logger.warning("the key goes to %s without encryption; use https if others can listen", self.url)
        self._client = httpx2.Client(
            headers=headers,
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_SECONDS)),
            limits=httpx2.Limits(keepalive_expiry=_KEPT_SECONDS),
            follow_redirects=False,
        )
        self._timeout_s = timeout_s

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def post(self, name: str, body: bytes, *, is_repeatable: bool) -> bytes:
        """Return the answer to a call."""
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            found = self._attempt(name, body, pause, is_repeatable=is_repeatable)
            if isinstance(found, bytes):
                return found
            if found.pause_s is None or found.pause_s > _MAX_PAUSE_SECONDS or attempt == _MAX_ATTEMPTS:
                raise found.error
            time.sleep(found.pause_s)
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def transfer(self, name: str, content: bytes | Iterable[bytes], *, kind: str) -> Iterator[Iterator[bytes]]:
        """Yield the answer to a call that carries a whole memory, in pieces. It is made once."""
        url, limits = f"{self.url}/api/{name}", httpx2.Timeout(_TRANSFER_SECONDS, connect=_CONNECT_SECONDS)
        try:
            with self._client.stream(
                "POST", url, content=content, headers={"Content-Type": kind}, timeout=limits
            ) as answer:
                if answer.status_code != 200:
                    raise self._error_of(answer, answer.read())
                yield answer.iter_bytes()
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise self._failure(error, 0, is_repeatable=False).error from None

    def _attempt(self, name: str, body: bytes, pause_s: float, *, is_repeatable: bool) -> bytes | _Failure:
        """Return the answer to a call, or how it failed; `pause_s` is how long to wait if the service does not say."""
        try:
            answer = self._client.post(f"{self.url}/api/{name}", content=body, headers={"Content-Type": JSON})
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            return self._failure(error, pause_s, is_repeatable=is_repeatable)
        if answer.status_code == 200:
            return answer.content
        said = self._error_of(answer, answer.content)
        wait = answer.headers.get("retry-after", "")
        is_again = answer.status_code in _BUSY and wait.isdecimal() and (is_repeatable or said.code in _NOT_BEGUN)
        return _Failure(said, float(wait) if is_again else None)

    def _failure(self, error: Exception, pause_s: float, *, is_repeatable: bool) -> _Failure:
        """Return how a call failed to which no answer came."""
        reason = self._without_key(str(error) or type(error).__name__)
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout | httpx2.ProxyError):
            hint = "does the service run, and is the address right?"
            return _Failure(StoreUnavailable(f"{self.url} cannot be reached: {reason}", hint=hint), pause_s)
        unsure = None if is_repeatable else _UNSURE
        if isinstance(error, httpx2.TimeoutException):
            said = StoreUnavailable(f"{self.url} did not answer in {self._timeout_s:g} seconds", hint=unsure)
            return _Failure(said, None)
        said = StoreUnavailable(f"the connection to {self.url} broke: {reason}", hint=unsure)
        return _Failure(said, pause_s if is_repeatable else None)

    def _error_of(self, answer: httpx2.Response, body: bytes) -> WherefromError:
        """Return the error that an answer says; one that no service of ours would say is an error, too."""
        try:
            said = json.loads(body)["error"]
            code, message, hint = said["code"], said["message"], said.get("hint")
            if not all(isinstance(text, str) for text in (code, message, hint or "")):
                raise TypeError
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return self._foreign(answer)
        if code == Unauthorized.code:
            hint = "set WHEREFROM_KEY, or `wherefrom config set key -`; whoever keeps the service gives you a key"
        error = _kinds().get(code, WherefromError)(self._without_key(message), hint=hint and self._without_key(hint))
        error.code = code  # type: ignore[misc]  # a newer service may have codes that are not known here
        return error

    def _foreign(self, answer: httpx2.Response) -> WherefromError:
        if answer.is_redirect:
            place = shown(self._without_key(answer.headers["location"]), limit=200)
            return StoreUnavailable(f"{self.url} leads to {place}, which is not followed", hint=_ADDRESS_HINT)
        return StoreUnavailable(
            f"{self.url} answered {answer.status_code} with something that no Wherefrom service says",
            hint=_ADDRESS_HINT,
        )

    def _without_key(self, text: str) -> str:
        """Return a text without the key: whoever refuses it may quote it."""
        key = self._client.headers.get("authorization", "").removeprefix("Bearer ")
        return text.replace(key, "***") if key else text


def _parts(url: str) -> SplitResult:
    """Return the parts of a service's URL; raises if it is not one."""
    try:
        parts = urlsplit(url)
        is_url = config.is_service(url) and bool(parts.hostname) and parts.port != 0 and len(url.split()) == 1
        httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL):
        is_url = False
    if not is_url:
        raise InvalidInput("that is not the address of a service", hint="https://host or http://host:port")
    if parts.username is not None or parts.password is not None:
        raise InvalidInput("the address of a service has no user and no password", hint="the key is given apart")
    if parts.query or parts.fragment:
        raise InvalidInput(f"{shown(url)} has more than an address", hint=_ADDRESS_HINT)
    return parts


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@cache
def _kinds() -> dict[str, type[WherefromError]]:
    """The classes of errors by their codes."""
    found: dict[str, type[WherefromError]] = {}
    waiting: list[type[WherefromError]] = [WherefromError]
    for kind in waiting:
        found.setdefault(kind.code, kind)
        waiting += kind.__subclasses__()
    return found
