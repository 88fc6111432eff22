"""A real issuer of tokens on loopback: a discovery document, keys that it can change, and a token endpoint."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
import uuid
from contextlib import contextmanager

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

_MAKERS = {
    "RS": (lambda: rsa.generate_private_key(65537, 2048), RSAAlgorithm),
    "PS": (lambda: rsa.generate_private_key(65537, 2048), RSAAlgorithm),
    "ES": (lambda: ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
    "Ed": (ed25519.Ed25519PrivateKey.generate, OKPAlgorithm),
}


class Issuer:
    """An issuer. It is `running()` or cannot be reached; its address stays the same."""

    def __init__(self, path=""):
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self._port = found.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}{path}"
        self.named = self.url
        self.served = []  # the documents that were asked for
        self.jwks_uri = f"{self.url}/jwks"
        self.claims = {}  # what tokens of the endpoint hold, by client
        self.rotate()
        self._app = Starlette(
            routes=[
                Route(f"{path}/.well-known/openid-configuration", self._discovery),
                Route(f"{path}/jwks", self._jwks),
                Route(f"{path}/token", self._token, methods=["POST"]),
            ]
        )

    def rotate(self, algorithm="ES256", *, names_algorithm=True, key_id=None):
        """Sign with a new key from now on, and list no other."""
        make, self._kind = _MAKERS[algorithm[:2]]
        self.key, self.algorithm, self.key_id = make(), algorithm, key_id or uuid.uuid4().hex
        public = self._kind.to_jwk(self.key.public_key(), as_dict=True)
        self.listed = [{**public, "kid": self.key_id, "use": "sig"} | ({"alg": algorithm} if names_algorithm else {})]

    def token(self, *, headers=None, key=None, algorithm=None, without=(), **claims):
        """A token that this issuer signs."""
        now = int(time.time())
        claims = {"iss": self.named, "sub": "ann", "iat": now, "exp": now + 300, **claims}
        claims = {name: value for name, value in claims.items() if name not in without}
        headers = {"kid": self.key_id, "typ": "at+jwt", **(headers or {})}
        headers = {name: value for name, value in headers.items() if name != "kid" or value is not None}
        return jwt.encode(claims, key or self.key, algorithm or self.algorithm, headers=headers)

    @contextmanager
    def running(self):
        """Answer on a thread until the end of the block."""
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self._port))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(self._app, log_config=None, ws="none", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.should_exit = True
            thread.join(30)
            listening.close()

    async def _discovery(self, _request):
        self.served.append("discovery")
        document = {"issuer": self.named, "jwks_uri": self.jwks_uri, "token_endpoint": f"{self.url}/token"}
        more = {"response_types_supported": ["code"], "authorization_endpoint": f"{self.url}/authorize"}
        methods = {"token_endpoint_auth_methods_supported": ["client_secret_basic"]}
        return JSONResponse({**document, **more, **methods, "grant_types_supported": ["client_credentials"]})

    async def _jwks(self, _request):
        self.served.append("keys")
        return JSONResponse({"keys": self.listed})

    async def _token(self, request):
        """A token for a client that proves who it is with the secret `secret`, for the resource that it names."""
        form = await request.form()
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        client, _, secret = base64.b64decode(given).decode().partition(":") if scheme == "Basic" else ("", "", "")
        if secret != "secret" or form.get("grant_type") != "client_credentials" or "resource" not in form:
            return JSONResponse({"error": "invalid_request"}, 400)
        token = self.token(sub=client, aud=form["resource"], **self.claims.get(client, {}))
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 300})


def unsigned(claims, **headers):
    """A token without a signature, of the algorithm none."""
    parts = ({"alg": "none", "typ": "at+jwt", **headers}, claims)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + "."
