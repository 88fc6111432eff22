"""Tokens of an external issuer: which let whom in, as what, and what happens while the issuer changes or is away."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from contextlib import contextmanager

import anyio
import httpx2
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from issuer_for_tests import Issuer, unsigned
from mcp import Client
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import ProtectedResourceMetadata
from service_for_tests import free_port, running_service, served

from wherefrom import InvalidInput, Store
from wherefrom.config import load
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.http.callers import IssuerUnavailable
from wherefrom.interfaces.http.claims import ClaimMap, WrongClaim
from wherefrom.interfaces.http.tokens import IssuerTokens, issuer_tokens

PUBLIC = "https://memory.example"
AUDIENCE = f"{PUBLIC}/mcp"


class Ticking:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def issuer():
    with Issuer().running() as started:
        yield started


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "memory.db", embedder="none") as opened:
        yield opened


def tokens_of(issuer, *, clock=time.monotonic, **settings):
    named = {"oidc_issuer": issuer.named, "public_url": PUBLIC, "oidc_claims": "owner=sub, role=role", **settings}
    return IssuerTokens(load(named, {}), clock=clock)


@contextmanager
def service(store, issuer, **settings):
    """The address of a service that takes tokens of an issuer."""
    with served(Service(store, Options(tokens=tokens_of(issuer, **settings))).app()) as base:
        yield base


def post(base, verb, token=None, **arguments):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.post(f"{base}/api/{verb}", json=arguments, headers=headers, timeout=30, trust_env=False)


def get(base, path):
    return httpx2.get(f"{base}{path}", timeout=30, trust_env=False)


def caller(tokens, token):
    """The caller of a token, or None."""
    found = anyio.run(tokens.caller_of, token)
    return None if found is None else found[0]


def read(answer):
    """The contents of what a list over MCP gives."""
    assert not answer.is_error, answer.content
    return answer.content[0].text


def test_a_token_opens_the_memory_of_its_owner_and_no_other(store, issuer):
    ann, bob = (issuer.token(sub=name, aud=AUDIENCE, role="write") for name in ("ann", "ボブ"))
    with service(store, issuer) as base:
        assert post(base, "save", ann, content="Ann likes 抹茶.").status_code == 200
        assert post(base, "save", bob, content="Bob likes coffee.").status_code == 200
        assert "抹茶" in post(base, "list", ann).text
        assert "coffee" not in post(base, "list", ann).text
        assert "抹茶" not in post(base, "list", bob).text
    memo = store.memory(owner="ann").list().nodes[0]
    assert (memo.content, memo.written_by) == ("Ann likes 抹茶.", "ann")


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("sqlite", "auto"),
        ("postgres", "legacy"),
        *(pytest.param(*rest, marks=pytest.mark.long) for rest in (("sqlite", "legacy"), ("postgres", "auto"))),
    ],
    indirect=["url"],
)
def test_a_client_of_mcp_finds_the_issuer_and_signs_in(url, issuer, mode):
    """All that the client is told is the address of the service, and its name and secret at the issuer."""
    issuer.claims["robot"] = {"role": "write"}
    port = free_port()
    base = f"http://127.0.0.1:{port}"

    class Storage:
        tokens = info = None

        async def get_tokens(self):
            return self.tokens

        async def set_tokens(self, tokens):
            self.tokens = tokens

        async def get_client_info(self):
            return self.info

        async def set_client_info(self, info):
            self.info = info

    async def talk(base):
        signed_in = ClientCredentialsOAuthProvider(f"{base}/mcp", Storage(), "robot", "secret", issuer=issuer.url)
        async with (
            httpx2.AsyncClient(auth=signed_in, trust_env=False, timeout=30) as http,
            Client(streamable_http_client(f"{base}/mcp", http_client=http), mode=mode) as client,
        ):
            saved = await client.call_tool("memory_save", {"content": "A robot was here."})
            assert not saved.is_error, saved.content
            return read(await client.call_tool("memory_list", {}))

    options = ("--public-url", base, "--oidc-issuer", issuer.url, "--oidc-claims", "owner='oidc:'+sub, role=role")
    with running_service(url, *options, port=port):
        assert "A robot was here." in anyio.run(talk, base)
    with Store.open(url) as store:
        assert [memo.written_by for memo in store.memory(owner="oidc:robot").list().nodes] == ["robot"]


def test_what_does_not_hold_is_refused(store, issuer):
    now, good = int(time.time()), {"sub": "ann", "aud": AUDIENCE}
    public = issuer.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    other = Issuer()
    other.key_id = issuer.key_id
    refused = {
        "another audience": issuer.token(sub="ann", aud="https://other.example/mcp"),
        "no audience": issuer.token(sub="ann"),
        "expired": issuer.token(**good, exp=now - 1),
        "not yet": issuer.token(**good, nbf=now + 120),
        "made in the future": issuer.token(**good, iat=now + 120),
        "another issuer": issuer.token(**good, iss="https://evil.example"),
        "an issuer with a slash": issuer.token(**good, iss=issuer.url + "/"),
        "another's key": other.token(**good, iss=issuer.url),
        "an unknown key": issuer.token(**good, headers={"kid": "unknown"}),
        "no end": issuer.token(**good, without=["exp"]),
        "no beginning": issuer.token(**good, without=["iat"]),
        "no issuer": issuer.token(**good, without=["iss"]),
        "no subject": issuer.token(**good, without=["sub"]),
        "none": unsigned({**good, "iss": issuer.url, "iat": now, "exp": now + 300}, kid=issuer.key_id),
        "signed with the public key": _hs256({**good, "iss": issuer.url, "iat": now, "exp": now + 300}, public, issuer),
        "an ID token": issuer.token(**good, headers={"typ": "JWT"}, nonce="x"),
        "an ID token of a code": issuer.token(**good, headers={"typ": "JWT"}, at_hash="x"),
        "an ID token of Keycloak": issuer.token(**good, headers={"typ": "JWT"}, typ="ID"),
        "an ID token of Cognito": issuer.token(**good, headers={"typ": "JWT"}, token_use="id"),
        "a logout token": issuer.token(**good, headers={"typ": "logout+jwt"}),
        "bound to a key": issuer.token(**good, cnf={"jkt": "x"}),
        "changed": issuer.token(**good)[:-4] + "AAAA",
        "cut off": issuer.token(**good).rpartition(".")[0],
        "no token": "abc",
        "a deep header": urlsafe_b64encode(b'{"alg":' + b"[" * 5000).decode() + ".e30.AA",
        "too long": issuer.token(**good, more="x" * 20_000),
    }
    with service(store, issuer) as base:
        assert post(base, "list", issuer.token(**good)).status_code == 200
        for what, token in refused.items():
            answer = post(base, "list", token)
            assert answer.status_code == 401, what
            assert answer.json()["error"]["code"] == "unauthorized"
    # The SDK looks at the end, too; it is not left to it.
    assert caller(tokens_of(issuer), refused["expired"]) is None


def _hs256(claims, secret, issuer):
    """A token signed with HMAC; PyJWT would not take a public key as its secret."""
    parts = ({"alg": "HS256", "typ": "at+jwt", "kid": issuer.key_id}, claims)
    signed = b".".join(urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
    signature = urlsafe_b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).rstrip(b"=")
    return (signed + b"." + signature).decode()


def test_access_tokens_of_usual_issuers_are_taken(issuer):
    tokens = tokens_of(issuer)
    for headers, claims in (
        ({"typ": "application/at+jwt"}, {"nonce": "x"}),  # what says that it is an access token is one
        ({"typ": "JWT"}, {}),
        ({"typ": None}, {}),
        ({"typ": "JWT"}, {"typ": "Bearer"}),
        ({"typ": "JWT"}, {"token_use": "access"}),
        ({"kid": None}, {}),  # the issuer has one key alone
        ({}, {"nbf": int(time.time()) + 20}),  # a clock that is ahead of ours
        ({}, {"aud": ["https://other.example", AUDIENCE]}),
    ):
        token = issuer.token(headers=headers, **{"aud": AUDIENCE, **claims})
        assert caller(tokens, token).owner == "ann", (headers, claims)


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
@pytest.mark.parametrize("names_algorithm", [True, False])
def test_algorithms_with_a_public_key_are_taken(issuer, algorithm, names_algorithm):
    issuer.rotate(algorithm, names_algorithm=names_algorithm)
    assert caller(tokens_of(issuer), issuer.token(aud=AUDIENCE)).owner == "ann"


def test_a_key_serves_only_the_algorithm_for_which_it_is_listed(issuer):
    issuer.rotate("RS256")
    assert caller(tokens_of(issuer), issuer.token(aud=AUDIENCE, algorithm="PS256")) is None
    issuer.listed[0]["use"] = "enc"
    with pytest.raises(IssuerUnavailable):
        caller(tokens_of(issuer), issuer.token(aud=AUDIENCE))


def test_a_rotated_key_is_taken_within_five_seconds_and_the_former_refused(issuer):
    clock = Ticking()
    tokens = tokens_of(issuer, clock=clock)
    old = issuer.token(aud=AUDIENCE)
    assert caller(tokens, old).owner == "ann"
    issuer.rotate()
    new = issuer.token(aud=AUDIENCE)
    clock.now += 4.9
    assert caller(tokens, new) is None
    assert caller(tokens, old).owner == "ann"
    clock.now += 0.1
    assert caller(tokens, new).owner == "ann"
    assert caller(tokens, old) is None
    assert issuer.served == ["discovery", "keys"] * 2


def test_a_dropped_key_is_refused_after_a_minute_if_nobody_uses_the_new_one(issuer):
    clock = Ticking()
    tokens = tokens_of(issuer, clock=clock)
    old = issuer.token(aud=AUDIENCE)
    assert caller(tokens, old).owner == "ann"
    issuer.rotate()
    clock.now += 60
    assert caller(tokens, old) is None


def test_unknown_keys_do_not_make_the_service_ask_again_and_again(issuer):
    clock = Ticking()
    tokens = tokens_of(issuer, clock=clock)
    for number in range(50):
        assert caller(tokens, issuer.token(aud=AUDIENCE, headers={"kid": f"unknown {number}"})) is None
    assert issuer.served == ["discovery", "keys"]


def test_callers_who_come_at_once_ask_the_issuer_once(issuer):
    tokens = tokens_of(issuer)

    async def all_at_once():
        async def one(number):
            found.append((await tokens.caller_of(issuer.token(sub=f"user {number}", aud=AUDIENCE)))[0].owner)

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(one, number)

    found = []
    anyio.run(all_at_once)
    assert sorted(found) == sorted(f"user {number}" for number in range(20))
    assert issuer.served == ["discovery", "keys"]


def test_without_its_issuer_a_token_waits_and_a_key_works(store):
    issuer = Issuer()
    key = store.memory(owner="ann").create_key("ann's key").secret
    token = issuer.token(aud=AUDIENCE)
    with service(store, issuer) as base:
        answer = post(base, "list", token)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.json()["error"]["code"] == "issuer_unavailable"
        assert "www-authenticate" not in answer.headers
        assert post(base, "list", key).status_code == 200
        assert post(base, "list", "abc").status_code == 401


def test_keys_of_an_issuer_that_went_away_hold_for_ten_minutes(issuer):
    clock, other = Ticking(), Issuer()
    tokens = tokens_of(other, clock=clock)
    token = other.token(aud=AUDIENCE)
    with other.running():
        assert caller(tokens, token).owner == "ann"
    clock.now += 599
    assert caller(tokens, token).owner == "ann"
    with pytest.raises(IssuerUnavailable):  # it may be a new one
        caller(tokens, other.token(aud=AUDIENCE, headers={"kid": "unknown"}))
    clock.now += 2
    with pytest.raises(IssuerUnavailable):
        caller(tokens, token)
    with other.running():
        clock.now += 5
        assert caller(tokens, token).owner == "ann"


def test_an_issuer_that_says_something_else_is_not_believed(issuer, caplog):
    token = issuer.token(aud=AUDIENCE)
    for name, wrong in (("named", issuer.url + "/"), ("jwks_uri", "http://keys.example/jwks"), ("listed", [])):
        former, tokens = getattr(issuer, name), tokens_of(issuer)
        setattr(issuer, name, wrong)
        with pytest.raises(IssuerUnavailable):
            caller(tokens, token)
        setattr(issuer, name, former)
    assert len([record for record in caplog.records if "gives no keys" in record.message]) == 3
    assert caller(tokens_of(issuer), token).owner == "ann"


def test_an_issuer_may_have_a_path(store):
    with Issuer("/realms/team").running() as issuer:
        assert caller(tokens_of(issuer), issuer.token(aud=AUDIENCE)).owner == "ann"


def test_a_role_comes_from_the_token_and_is_read_without_one(store, issuer):
    with service(store, issuer) as base:
        for role, status in (("read", 403), (None, 403), ("write", 200), ("admin", 200), (["a", "write"], 200),
                             ("openid wherefrom:write", 200), ("openid profile", 403), ("root", 401), (7, 401)):  # fmt: skip
            answer = post(base, "save", issuer.token(aud=AUDIENCE, role=role), content=f"As {role}.")
            assert answer.status_code == status, (role, answer.text)
        assert post(base, "list", issuer.token(aud=AUDIENCE)).status_code == 200


def test_a_root_comes_from_the_token_and_cannot_be_left(store, issuer):
    claims = "owner=team, root='users/'+sub, role='write', also=reads, tools=sets, name=profile.name"
    with service(store, issuer, oidc_claims=claims) as base:
        whole = {"team": "acme", "aud": AUDIENCE, "reads": ["shared"], "sets": "memory", "profile": {"name": "アン"}}
        ann = issuer.token(sub="ann", **whole)
        bob = issuer.token(sub="bob", **whole)
        store.memory(owner="acme", root="shared").save("Everybody reads this.")
        assert post(base, "save", ann, content="Ann's own.").status_code == 200
        assert [node["content"] for node in post(base, "list", bob).json()["nodes"]] == ["Everybody reads this."]
        assert post(base, "list", bob, namespace="/../ann").status_code == 400
        outside = post(base, "query_graph", ann, sql="select 1")
        assert (outside.status_code, "select" in outside.text) == (403, False), outside.text
        for sub in ("ann/private", "..", " ann", "", "a\u0000", "x" * 3000):
            assert post(base, "list", issuer.token(sub=sub, **whole)).status_code == 401, sub
    memo = store.memory(owner="acme", root="users").list().nodes[0]
    assert (memo.namespace, memo.written_by) == ("users/ann", "アン")


def test_a_wrong_claim_is_logged_by_its_name_without_its_value(issuer, caplog):
    caplog.set_level(logging.INFO, logger="wherefrom")
    tokens = tokens_of(issuer, oidc_claims="owner=sub, role=my.role")
    assert caller(tokens, issuer.token(aud=AUDIENCE, my={"role": "sesame"})) is None
    (record,) = [record for record in caplog.records if record.message == "a token was refused"]
    assert record.fields == {"why": "the claim my.role gives no role that there can be"}


def test_what_narrows_must_be_there_and_what_widens_may_be_missing():
    def of(text, **claims):
        return ClaimMap(load({"oidc_claims": text, "root": "team", "namespace": "a", "also": "x"}, {})).caller(claims)

    found = of("owner=sub", sub="ann")
    assert (found.root, found.namespace, found.also, found.role, found.name) == (
        "team",
        "team/a",
        ("x",),
        "read",
        "ann",
    )
    found = of("owner=sub, root=place, allow=tags", sub="ann", place="main")
    assert (found.root, found.namespace, found.also, found.allow) == ("main", None, (), ())
    found = of("owner='a:'+https://x.example/id, namespace=n, allow='p:x,q'", **{"https://x.example/id": "1", "n": "b"})
    assert (found.owner, found.namespace, found.allow, found.name) == ("a:1", "team/b", ("p:x", "q"), None)
    assert of("owner=sub, also='shared/'+groups", sub="ann", groups=["a", "b"]).also == ("shared/a", "shared/b")
    for text, claims in (
        ("owner=sub", {}),
        ("owner=sub", {"sub": 7}),
        ("owner='a:'+sub", {"sub": " "}),
        ("owner=sub, root=place", {"sub": "ann"}),
        ("owner=sub, namespace=place", {"sub": "ann"}),
        ("owner=sub, namespace=place", {"sub": "ann", "place": "../b"}),
        ("owner=sub, tools=sets", {"sub": "ann"}),
        ("owner=sub, tools=sets", {"sub": "ann", "sets": ["other"]}),
        ("owner=sub, tools=sets", {"sub": "ann", "sets": []}),
        ("owner=sub, also=more", {"sub": "ann", "more": {"a": 1}}),
        ("owner=sub, root=a.b", {"sub": "ann", "a": "b"}),
        ("owner=sub, name=n", {"sub": "ann", "n": "two\nlines"}),
    ):
        with pytest.raises(WrongClaim):
            of(text, **claims)


@pytest.mark.parametrize(
    "settings",
    [
        {"oidc_claims": ""},
        {"oidc_claims": "owner='everybody'"},
        {"oidc_claims": "role=role"},
        {"oidc_claims": "owner=sub, owner=name"},
        {"oidc_claims": "owner=sub, colour=name"},
        {"oidc_claims": "owner=sub role=role"},
        {"oidc_claims": "owner=sub, role='root'"},
        {"oidc_claims": "owner=sub, tools='everything'"},
        {"oidc_claims": "owner=sub, root='../x'"},
        {"oidc_claims": "owner='a'sub"},
        {"oidc_issuer": "http://issuer.example"},
        {"oidc_issuer": "issuer.example"},
        {"oidc_issuer": "https://issuer.example/?a=b"},
        {"oidc_issuer": "https://[::1"},
        {"public_url": ""},
        {"public_url": "memory.example"},
    ],
)
def test_settings_that_mean_nothing_do_not_start(settings):
    with pytest.raises(InvalidInput):
        issuer_tokens(load({"oidc_issuer": "https://i.example", "public_url": PUBLIC, **settings}, {}))


def test_without_an_issuer_there_is_nothing_to_know(store):
    assert issuer_tokens(load({}, {})) is None
    key = store.memory().create_key("one").secret
    with served(Service(store, Options(keyless=False)).app()) as base:
        assert "resource_metadata" not in post(base, "list").headers["www-authenticate"]
        assert post(base, "list", Issuer().token(aud=AUDIENCE)).status_code == 401
        assert get(base, "/.well-known/oauth-protected-resource").status_code == 401
        assert httpx2.get(
            f"{base}/.well-known/oauth-protected-resource", headers={"Authorization": f"Bearer {key}"}, trust_env=False
        ).status_code == 404  # fmt: skip


def test_a_refusal_says_where_the_issuer_is_named(store, issuer):
    key = store.memory().create_key("one").secret
    with service(store, issuer, public_url=f"{PUBLIC}/team/", oidc_scopes="memory,profile") as base:
        refused = post(base, "list")
        address = "https://memory.example/.well-known/oauth-protected-resource/team/mcp"
        assert refused.status_code == 401
        assert f'resource_metadata="{address}"' in refused.headers["www-authenticate"]
        documents = [get(base, f"/.well-known/oauth-protected-resource{end}") for end in ("", "/mcp", "/team/mcp")]
        assert {document.status_code for document in documents} == {200}
        assert len({document.text for document in documents}) == 1
        said = documents[0].json()
        assert said["resource"] == "https://memory.example/team/mcp"
        assert said["authorization_servers"] == [issuer.url]
        assert said["scopes_supported"] == ["memory", "profile"]
        ProtectedResourceMetadata.model_validate(said)
        assert post(base, "list", key).status_code == 200
        assert post(base, "list", issuer.token(aud=said["resource"])).status_code == 200


def test_an_issuer_ends_the_time_without_keys(store, issuer):
    with service(store, issuer) as base:
        assert post(base, "list").status_code == 401
        assert get(base, "/healthz").status_code == 200


def test_a_service_for_others_starts_with_an_issuer_and_without_keys(tmp_path, issuer):
    options = ("--host", "0.0.0.0", "--public-url", "http://memory.test", "--oidc-issuer", issuer.url)
    with running_service(f"sqlite:///{tmp_path}/memory.db", *options, WHEREFROM_OIDC_CLAIMS="owner=sub") as base:
        assert post(base, "list").status_code == 401
        token = issuer.token(aud="http://memory.test/mcp")
        for host, status in (("memory.test", 200), ("memory.test:8391", 200), ("other.test", 421)):
            headers = {"Authorization": f"Bearer {token}", "Host": host}
            answer = httpx2.post(f"{base}/api/list", json={}, headers=headers, timeout=30, trust_env=False)
            assert answer.status_code == status, host


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--no-keys", "--public-url", PUBLIC), "--no-keys lets everybody in"),
        ((), "needs public_url"),
        (("--public-url", PUBLIC, "--oidc-claims", "owner='all'"), "must take the owner from a claim"),
    ],
)
def test_a_service_with_an_issuer_that_is_set_up_wrongly_does_not_start(tmp_path, options, said):
    command = [sys.executable, "-m", "wherefrom", "serve", "--db", str(tmp_path / "memory.db"), "--port", "0"]
    ended = subprocess.run(
        [*command, "--oidc-issuer", "https://issuer.example", *options], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 2
    assert said in ended.stderr


def test_the_audience_may_be_named(issuer):
    tokens = tokens_of(issuer, oidc_audience="api://memory,memory")
    assert caller(tokens, issuer.token(aud="memory")).owner == "ann"
    assert caller(tokens, issuer.token(aud="api://memory")).owner == "ann"
    assert caller(tokens, issuer.token(aud=AUDIENCE)) is None
    assert caller(tokens, issuer.token(aud="mem")) is None
