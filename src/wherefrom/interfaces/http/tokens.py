"""Callers that come with a token of an external issuer: signed by it, for this service, and not yet expired."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import jwt
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wherefrom.config import Settings
from wherefrom.interfaces.http.claims import ClaimMap, WrongClaim
from wherefrom.interfaces.http.issuer import IssuerKeys, Jwk, split_url
from wherefrom.model.callers import Caller
from wherefrom.model.errors import InvalidInput

logger = logging.getLogger("wherefrom.http")

# Only algorithms with a public key: whoever knows the key of the others could sign.
ALGORITHMS: Final = frozenset(
    ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
)
_LEEWAY_SECONDS: Final = 30
_TOKEN_CHARACTERS: Final = 16_384
_REQUIRED: Final = ("exp", "iat", "iss", "aud")
# What the header of an access token may call it: RFC 9068, or as most issuers do, just JWT.
_RFC_9068: Final = "at+jwt"
_TYPES: Final = frozenset((_RFC_9068, "jwt"))
# Claims that only tokens have which tell a client who signed in (OpenID Connect Core 3.1.3.6, 3.3.2.11), or that one
# signed out.
_OTHER_TOKENS: Final = frozenset(("nonce", "at_hash", "c_hash", "s_hash", "events"))
_WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"
_RESOURCE: Final = "/mcp"


class _Refused(Exception):
    """A token that does not hold, and why, in words that hold nothing of it."""


class IssuerTokens:
    """Knows the callers with tokens of an issuer, and says where clients get them."""

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: for how long keys are kept; tokens expire by the time of day."""
        public = split_url(settings.public_url, setting="public_url")
        self.host: str = f"[{public.hostname}]" if ":" in str(public.hostname) else str(public.hostname)
        path = public.path.rstrip("/") + _RESOURCE
        host = f"{public.scheme}://{public.netloc}"
        self.resource = f"{host}{path}"
        self.metadata_url = f"{host}{_WELL_KNOWN}{path}"
        # A proxy may take the path of the public address away; some clients look for the bare document alone.
        self.metadata_paths = frozenset((_WELL_KNOWN, f"{_WELL_KNOWN}{_RESOURCE}", f"{_WELL_KNOWN}{path}"))
        self._issuer = settings.oidc_issuer
        self._audiences = settings.oidc_audience or (self.resource,)
        self._scopes = settings.oidc_scopes
        self._claims = ClaimMap(settings)
        self._keys = IssuerKeys(settings.oidc_issuer, clock=clock)

    async def caller_of(self, token: str) -> tuple[Caller, int] | None:
        """Return the caller of a token and when it expires, in seconds since 1970; None if it does not hold."""
        try:
            header = _header(token)
            key = await self._keys.get(header.get("kid"))
            if key is None:
                raise _Refused("the issuer has no such key")
            claims = self._verified(token, header, key)
            return self._claims.caller(claims), int(claims["exp"])
        except (_Refused, WrongClaim) as error:
            logger.warning("a token was refused", extra={"fields": {"why": str(error)}})
            return None

    def routes(self) -> list[Route]:
        """Return the routes of the document that tells clients which issuer to ask (RFC 9728)."""
        return [Route(path, self._metadata, methods=["GET"]) for path in sorted(self.metadata_paths)]

    def _verified(self, token: str, header: Mapping[str, Any], key: Jwk) -> Mapping[str, Any]:
        """Return the claims of a token that holds."""
        algorithm = header["alg"]
        if key.get("alg", algorithm) != algorithm:
            raise _Refused("its key is for another algorithm")
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                jwt.PyJWK(dict(key), algorithm=algorithm).key,
                algorithms=[algorithm],
                audience=self._audiences,
                issuer=self._issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": list(_REQUIRED)},
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise _Refused(type(error).__name__) from None
        # The leeway is for clocks that are ahead of ours.
        if int(claims["exp"]) <= time.time():
            raise _Refused("ExpiredSignatureError")
        if "cnf" in claims:
            raise _Refused("it is bound to a key of its bearer, which is not checked here")
        if _is_other_token(header, claims):
            raise _Refused("it is no access token")
        return claims

    async def _metadata(self, request: Request) -> Response:
        del request
        document = {
            "resource": self.resource,
            "authorization_servers": [self._issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Wherefrom",
            **({"scopes_supported": list(self._scopes)} if self._scopes else {}),
        }
        return JSONResponse(document, headers={"Cache-Control": "public, max-age=3600"})


def issuer_tokens(settings: Settings) -> IssuerTokens | None:
    """Return what knows the tokens of the issuer that the settings name, if they name one."""
    if not settings.oidc_issuer:
        return None
    if not settings.public_url:
        raise InvalidInput(
            "an issuer of tokens needs public_url, the address under which clients reach the service",
            hint="for example --public-url https://memory.example.com",
        )
    return IssuerTokens(settings)


def _header(token: str) -> Mapping[str, Any]:
    """Return the header of a token, not verified, if it may be that of an access token."""
    if len(token) > _TOKEN_CHARACTERS:
        raise _Refused("it is too long")
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise _Refused("it is not written as a token is") from None
    if header.get("alg") not in ALGORITHMS:
        raise _Refused("its algorithm is not allowed")
    if _type_of(header) not in _TYPES:
        raise _Refused("it is no access token")
    return header


def _type_of(header: Mapping[str, Any]) -> str:
    return str(header.get("typ") or "jwt").lower().removeprefix("application/")


def _is_other_token(header: Mapping[str, Any], claims: Mapping[str, Any]) -> bool:
    """Return True for a token that tells a client who signed in or out, as far as it can be told from an access token:
    by the claims of the standard, or by those with which Keycloak (typ) and Cognito (token_use) say what it is.
    """
    if _type_of(header) == _RFC_9068:
        return False
    kind = str(claims.get("typ", claims.get("token_use", "access"))).lower()
    return kind not in ("bearer", "access", _RFC_9068) or not _OTHER_TOKENS.isdisjoint(claims)
