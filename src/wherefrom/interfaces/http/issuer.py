"""The keys with which an issuer signs: found by its discovery document, kept for a while, and asked for anew when a
token names one that is not known.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import anyio

from wherefrom.interfaces.http.callers import IssuerUnavailable
from wherefrom.interfaces.http.guards import is_loopback
from wherefrom.lazy import httpx2
from wherefrom.model.errors import InvalidInput

logger = logging.getLogger("wherefrom.http")

Jwk = Mapping[str, Any]
"""A public key as an issuer publishes it (RFC 7517)."""

# A key that the issuer no longer lists is refused after this.
FRESH_SECONDS: Final = 60.0
# If the issuer cannot be reached, the keys that it had hold for this long.
HELD_SECONDS: Final = 600.0
# A new key is known after this. Whoever sends unknown keys cannot make the service ask more often.
PAUSE_SECONDS: Final = 5.0
_ANSWER_SECONDS: Final = 5.0
_KINDS: Final = ("RSA", "EC", "OKP")
_OPENID: Final = "/.well-known/openid-configuration"
_OAUTH: Final = "/.well-known/oauth-authorization-server"


class WrongAnswer(Exception):
    """An issuer answers something that it should not."""


def split_url(url: str, *, setting: str, needs_https: bool = False) -> SplitResult:
    """Return the parts of an address in a setting; raises if it is none, or could be listened to on its way."""
    hint = f"for example https://host.example; set WHEREFROM_{setting.upper()}"
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or parts.query or parts.fragment or parts.username is not None or not url.isascii() or " " in url:
        raise InvalidInput(f"{setting} is not the address of a web server, without a query", hint=hint)
    if needs_https and not _is_safe(parts):
        raise InvalidInput(f"{setting} must begin with https://, unless it is on this machine", hint=hint)
    return parts


class IssuerKeys:
    """The keys of one issuer, by their ids."""

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is asked for yet: a service starts without its issuer, and serves those who have keys of its own."""
        parts = split_url(issuer, setting="oidc_issuer", needs_https=True)
        self._issuer = issuer
        path = parts.path.rstrip("/")
        host = f"{parts.scheme}://{parts.netloc}"
        self._documents = (f"{host}{path}{_OPENID}", f"{host}{_OAUTH}{path}")
        self._clock = clock
        self._lock = anyio.Lock()
        self._keys: Mapping[str | None, Jwk] = {}
        self._asked_at: float | None = None
        self._fetched_at: float | None = None

    async def get(self, key_id: str | None) -> Jwk | None:
        """Return the key with this id, or the only one; None if the issuer has none. Raises IssuerUnavailable if the
        issuer must be asked and does not answer.
        """
        if key_id not in self._held() or self._is_due(key_id):
            async with self._lock:  # who needs what another one is just asking for waits for it
                if self._is_due(key_id):
                    await self._fetch()
        key = self._held().get(key_id)
        if key is None and self._fetched_at != self._asked_at:  # it may be new, and the issuer did not say
            raise IssuerUnavailable("the issuer of tokens cannot be asked for its keys", hint="try again in a while")
        return key

    def _held(self) -> Mapping[str | None, Jwk]:
        """Return the keys, unless they are too old to be used."""
        is_old = self._fetched_at is None or self._clock() - self._fetched_at > HELD_SECONDS
        return {} if is_old else self._keys

    def _is_due(self, key_id: str | None) -> bool:
        """Return True if the issuer is to be asked before a key is used."""
        pause = FRESH_SECONDS if key_id in self._held() else PAUSE_SECONDS
        return self._asked_at is None or self._clock() - self._asked_at >= pause

    async def _fetch(self) -> None:
        asked_at = self._asked_at = self._clock()
        try:
            with anyio.fail_after(_ANSWER_SECONDS):
                async with httpx2.AsyncClient(timeout=_ANSWER_SECONDS, follow_redirects=False) as client:
                    self._keys = _signing_keys(await _object(client, await self._address(client)))
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, RecursionError, WrongAnswer) as error:
            why = str(error) if isinstance(error, WrongAnswer) else type(error).__name__
            logger.warning("the issuer of tokens gives no keys", extra={"fields": {"why": why}})
            return
        self._fetched_at = asked_at

    async def _address(self, client: httpx2.AsyncClient) -> str:
        """Return where the keys are, as the discovery document says, of OpenID or else of OAuth (RFC 8414)."""
        try:
            document = await _object(client, self._documents[0])
        except WrongAnswer:
            document = await _object(client, self._documents[1])
        if document.get("issuer") != self._issuer:
            raise WrongAnswer("the discovery document is that of another issuer; oidc_issuer must be written as there")
        address = document.get("jwks_uri")
        if not isinstance(address, str) or not _is_safe(urlsplit(address)):
            raise WrongAnswer("the discovery document has no jwks_uri that begins with https://")
        return address


async def _object(client: httpx2.AsyncClient, address: str) -> Mapping[str, Any]:
    """Return the JSON object at an address."""
    answer = await client.get(address, headers={"Accept": "application/json"})
    if answer.status_code != 200:
        raise WrongAnswer(f"status {answer.status_code} of {address}")
    found = answer.json()
    if not isinstance(found, dict):
        raise WrongAnswer(f"no JSON object at {address}")
    return found


def _signing_keys(document: Mapping[str, Any]) -> Mapping[str | None, Jwk]:
    """Return the public keys for signatures by their ids; one alone is also found without its id."""
    listed = document.get("keys")
    found = [
        key
        for key in (listed if isinstance(listed, list) else ())
        if isinstance(key, dict) and key.get("kty") in _KINDS and key.get("use", "sig") == "sig"
    ]
    if not found:
        raise WrongAnswer("the list of keys has none for signatures")
    keys: dict[str | None, Jwk] = {key["kid"]: key for key in found if isinstance(key.get("kid"), str)}
    if len(found) == 1:
        keys[None] = found[0]
    return keys


def _is_safe(parts: SplitResult) -> bool:
    """Return True for an address to which nobody can listen in, or answer in its place."""
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
