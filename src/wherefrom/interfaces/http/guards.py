"""What every request passes before a verb sees it: the host that it names, its origin, the length of its body, the time
that it takes to arrive; and what every response says to browsers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Final

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wherefrom.interfaces.http.responses import failure, refusal
from wherefrom.model.errors import Overloaded, TooLarge, WherefromError

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_BODY_SECONDS: Final = 15.0
# What all callers together may have sent of bodies that have not arrived.
_ARRIVING_BYTES: Final = 64 * 1024 * 1024
# The signs of JSON of which there is one for each thing in it.
_SIGNS: Final = (b",", b"[", b"{")
_MAX_SIGNS: Final = 150_000
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Return True if a host, by name or address, is this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class TooSlow(WherefromError, code="too_slow"):
    """A body did not arrive in time."""


class HostGuard:
    """Refuses a request that names another host, or that a page of another origin sends: so that no page in a browser
    reaches a service on loopback by a name of its own.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], origins: Collection[str]) -> None:
        """hosts: names without a port; "*" stands for all. origins: as browsers write them."""
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._allows_host(headers.getlist("host")):
            hint = "start the service with --allowed-host and this name, if it is the service's own"
            await refusal("misdirected", "the service does not serve this host", hint)(scope, receive, send)
        elif (origin := headers.get("origin")) is not None and not self._allows_origin(origin, headers["host"]):
            hint = "start the service with --allowed-origin and this origin, if its pages may call"
            await refusal("forbidden", "pages of this origin may not call the service", hint)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _allows_host(self, named: list[str]) -> bool:
        if len(named) != 1:
            return False
        host, _, port = named[0].rpartition(":") if not named[0].endswith("]") else (named[0], "", "")
        bare = host if host and port.isdigit() else named[0]
        return "*" in self._hosts or bare.lower() in self._hosts

    def _allows_origin(self, origin: str, host: str) -> bool:
        """Return True for pages of the service itself, and for those that were named."""
        origin = origin.lower()
        own = origin in (f"http://{host.lower()}", f"https://{host.lower()}")
        return own or "*" in self._origins or origin in self._origins


class SecurityHeaders:
    """Adds the headers that tell browsers to keep their hands off."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str] = _HEADERS) -> None:
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sent)


@asynccontextmanager
async def until_left(receive: Receive, left: anyio.Event | None = None) -> AsyncIterator[None]:
    """Cancel what is done inside if the caller leaves; `left` is set then. Its body must have been read before."""
    failed: Exception | None = None
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            if left is not None:
                left.set()
            group.cancel_scope.cancel()

        group.start_soon(watch)
        try:
            yield
        except Exception as error:  # raised below: a group of tasks would wrap it
            failed = error
        group.cancel_scope.cancel()
    if failed is not None:
        raise failed


class Attendance:
    """Reads the body, no longer than it may be and within its time; then cancels the work if the caller leaves."""

    def __init__(self, app: ASGIApp, *, body_bytes: int, streamed: Collection[str] = ()) -> None:
        """streamed: the paths whose bodies are read by whoever answers them."""
        self._app = app
        self._body_bytes = body_bytes
        self._streamed = streamed
        self._arriving_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._streamed:
            await self._app(scope, receive, send)
            return
        try:
            body = await self._body(scope, receive)
        except (TooLarge, TooSlow, Overloaded) as error:
            # The rest of the body is not read: the connection cannot be used again.
            await failure(error, {"Connection": "close"})(scope, receive, send)
            return
        if body is None:
            return
        await self._attend(scope, receive, send, body)

    async def _attend(self, scope: Scope, receive: Receive, send: Send, body: bytes) -> None:
        left, is_given = anyio.Event(), False

        async def replayed() -> Message:
            nonlocal is_given
            if not is_given:
                is_given = True
                return {"type": "http.request", "body": body, "more_body": False}
            await left.wait()
            return {"type": "http.disconnect"}

        async with until_left(receive, left):
            await self._app(scope, replayed, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body; None if the caller left before it was sent."""
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:20]) > self._body_bytes:
            raise self._too_large()
        parts: list[bytes] = []
        try:
            with anyio.move_on_after(_BODY_SECONDS):
                return await self._read(receive, parts)
        finally:
            self._arriving_bytes -= sum(map(len, parts))
        raise TooSlow(f"the body did not arrive within {_BODY_SECONDS:g} seconds", hint="send it at once")

    async def _read(self, receive: Receive, parts: list[bytes]) -> bytes | None:
        """Read a body part by part; what all callers together have sent and not finished is limited, too."""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            self._arriving_bytes += len(parts[-1])
            if sum(map(len, parts)) > self._body_bytes:
                raise self._too_large()
            if self._arriving_bytes > _ARRIVING_BYTES:
                raise Overloaded("too many long bodies arrive at once", hint="try again in a moment")
            if not message.get("more_body", False):
                break
        body = b"".join(parts)
        # Reading JSON holds up all other calls, and its time is that of the things in it, not of its bytes.
        if sum(map(body.count, _SIGNS)) > _MAX_SIGNS:
            raise TooLarge(f"a body has at most {_MAX_SIGNS:,} commas and brackets", hint="send less at once")
        return body

    def _too_large(self) -> TooLarge:
        return TooLarge(f"a body has at most {self._body_bytes:,} bytes", hint="send less at once")
