"""Who calls: by a key, by a token of an issuer, or as the one user of a service without keys."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from wherefrom.api import Store
from wherefrom.config import Settings
from wherefrom.interfaces.http.responses import failure
from wherefrom.model.callers import Caller
from wherefrom.model.errors import Overloaded, StoreError, Unauthorized, WherefromError

CALLER: Final[ContextVar[Caller]] = ContextVar("wherefrom_caller")
# Asks again whether the caller of the request under way may come in: a stream may outlive its key.
STILL_HOLDS: Final[ContextVar[Callable[[], Awaitable[bool]]]] = ContextVar("wherefrom_still_holds")
_CLAIM: Final = "wherefrom_caller"
_MAX_BUCKETS: Final = 10_000
# How soon a service without keys notices that one was made.
_LOOK_SECONDS: Final = 1.0
# How many requests without a valid key one address may make in a second, and at once.
_REFUSALS: Final = (5.0, 50.0)


class IssuerUnavailable(WherefromError, code="issuer_unavailable"):
    """Whether a token holds cannot be said now, because its issuer does not answer."""


class TokenVerifier(Protocol):
    """Knows the callers that come with tokens of one kind."""

    async def caller_of(self, token: str) -> tuple[Caller, int] | None:
        """Return the caller of a token and when it expires, in seconds since 1970; None if it does not hold.

        Raises IssuerUnavailable if that cannot be said now.
        """


def only_caller(settings: Settings) -> Caller:
    """Return the caller of a service without keys: the access that the settings name, which may do everything."""
    return Caller(
        name=None,
        owner=settings.owner,
        root=settings.root,
        also=settings.also,
        namespace=settings.namespace or None,
        allow=settings.allow,
        role="admin",
    )


@dataclass(slots=True)
class Buckets:
    """Limits how often something happens: by key, so many in a second, and so many at once."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _levels: dict[object, tuple[float, float]] = field(default_factory=dict)

    def take(self, key: object) -> bool:
        """Count one; return False if it is one too many."""
        now = self.clock()
        level, since = self._levels.pop(key, (self.burst, now))
        level = min(self.burst, level + (now - since) * self.rate)
        if len(self._levels) >= _MAX_BUCKETS:  # the one that was used the longest ago
            del self._levels[next(iter(self._levels))]
        self._levels[key] = (level - 1 if level >= 1 else level, now)
        return level >= 1


class Callers:
    """Knows who calls. Keys are looked up in the store at each request, so that one that is revoked ends at once."""

    def __init__(self, store: Store, *, keyless: bool | None, tokens: TokenVerifier | None = None) -> None:
        """keyless: True: nobody needs a key; False: everybody does; None: nobody does until the first is made. With
        tokens, everybody needs a key or a token, unless nobody needs one.
        """
        self._store = store
        self._only = only_caller(store.settings)
        self._keyless = False if keyless is None and tokens is not None else keyless
        self._tokens = tokens
        self._looked_at = -_LOOK_SECONDS

    async def needs_key(self) -> bool:
        """Return True if callers need a key or a token."""
        if self._keyless is None and time.monotonic() - self._looked_at >= _LOOK_SECONDS:
            if await anyio.to_thread.run_sync(self._store.wants_keys):
                self._keyless = False
            # Not before it is known: whoever calls meanwhile, or after a look that failed, looks as well.
            self._looked_at = time.monotonic()
        return self._keyless is False

    @property
    def only(self) -> Caller:
        """The caller of a service that needs no keys."""
        return self._only

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what the SDK wants to know of the caller with this key or token, or None if it does not hold."""
        expires_at = None
        if token.startswith("wf_"):
            caller = await anyio.to_thread.run_sync(self._store.caller_of, token)
        elif self._tokens is not None and (found := await self._tokens.caller_of(token)) is not None:
            caller, expires_at = found
        else:
            return None
        if caller is None:
            return None
        name = caller.key_id or caller.name or caller.owner
        return AccessToken(
            token="", client_id=name, scopes=[caller.role], expires_at=expires_at, claims={_CLAIM: caller}
        )


class Door:
    """Lets in who may come in: needs a caller but for the public paths, and limits how often one calls."""

    def __init__(
        self, app: ASGIApp, callers: Callers, *, public: frozenset[str], rate: float, metadata: str = ""
    ) -> None:
        """metadata: the address of the protected resource's metadata, if tokens of an issuer are taken."""
        self._app = app
        self._callers = callers
        self._backend = BearerAuthBackend(callers)
        self._public = public
        self._calls = Buckets(rate, 2 * rate)
        self._refusals = Buckets(*_REFUSALS)
        self._metadata = metadata

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._public:
            await self._app(scope, receive, send)
            return
        try:
            caller = await self._caller(scope)
            if not self._calls.take(caller.identity):
                raise Overloaded("this caller makes too many calls", hint="try again in a second")
        except (Unauthorized, Overloaded, StoreError, IssuerUnavailable) as error:
            headers = {"WWW-Authenticate": self._challenge()} if isinstance(error, Unauthorized) else None
            await failure(error, headers, request_id=scope["state"]["request_id"])(scope, receive, send)
            return
        CALLER.set(caller)
        STILL_HOLDS.set(partial(self._still_holds, scope, caller))
        scope["state"]["caller"] = caller
        await self._app(scope, receive, send)

    async def _still_holds(self, scope: Scope, caller: Caller) -> bool:
        """Return False if a caller may no longer come in, or no longer as the same."""
        user = scope.get("user")
        expires_at = user.access_token.expires_at if isinstance(user, AuthenticatedUser) else None
        if expires_at is not None and expires_at < time.time():
            return False
        try:
            return await self._caller(scope) == caller
        except (StoreError, IssuerUnavailable):  # nobody can tell now
            return True
        except WherefromError:
            return False

    async def _caller(self, scope: Scope) -> Caller:
        if not await self._callers.needs_key():
            return self._callers.only
        connection = HTTPConnection(scope)
        # Whoever stands before the service may have looked at the other one of two.
        is_one = len(connection.headers.getlist("authorization")) == 1
        found = await self._backend.authenticate(connection) if is_one else None
        if found is None:
            if not self._refusals.take((scope.get("client") or ("",))[0]):
                raise Overloaded("too many requests without a valid key come from this address", hint="wait a while")
            wanted, source = ("key or token", f"{self._metadata} names the issuer of tokens") if self._metadata else (
                "key", "`wherefrom key create` makes one"
            )  # fmt: skip
            hint = f"send it as `Authorization: Bearer wf_…`; {source}"
            raise Unauthorized(f"this service wants a {wanted}, and got none that holds", hint=hint)
        credentials, user = found
        scope["auth"], scope["user"] = credentials, user
        assert isinstance(user, AuthenticatedUser)
        caller = (user.access_token.claims or {})[_CLAIM]
        assert isinstance(caller, Caller)
        return caller

    def _challenge(self) -> str:
        parts = ['error="invalid_token"', 'error_description="a key or token is needed"']
        parts += [f'resource_metadata="{self._metadata}"'] if self._metadata else []
        return f"Bearer {', '.join(parts)}"
