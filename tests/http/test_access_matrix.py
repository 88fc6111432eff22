"""Who may do what: every route, verb and tool with every kind of credential, role and set of tools.

Each table names what was decided, so that a new route, verb or tool fails here until somebody decides about it.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import UTC, datetime

import anyio
import pytest
from calling_for_tests import CLIENT, ERAS, ask, bearer, call, call_tool, code_of, exported
from every_tool_for_tests import every_tool, prepared
from every_verb_for_tests import SCRIPT
from import_for_tests import node, stream
from issuer_for_tests import Issuer
from references_for_tests import world
from service_for_tests import served
from test_roles import NEEDED

from wherefrom import Store, WherefromError
from wherefrom.config import load
from wherefrom.interfaces.http import callers, codec
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.http.tokens import IssuerTokens
from wherefrom.interfaces.verbs import BY_NAME, TOOLS
from wherefrom.model.callers import ROLES
from wherefrom.model.param import TOOL_SETS

PUBLIC = "https://memory.example"
# What every route but those of the verbs is for: everybody, whoever has a key or token, or keepers.
ROUTES = {
    ("/healthz", "GET"): "everybody",
    ("/readyz", "GET"): "everybody",
    ("/api/openapi.json", "GET"): "everybody",
    ("/.well-known/oauth-protected-resource", "GET"): "everybody",
    ("/.well-known/oauth-protected-resource/mcp", "GET"): "everybody",
    ("/api/events", "GET"): "callers",
    ("/mcp", "POST"): "callers",
    ("/mcp/", "POST"): "callers",
    ("/metrics", "GET"): "keepers",
}
# The set of tools that a key needs for a verb. A verb that is in none needs all of them.
SETS = {
    "memory": "activate context search save get list delete feedback relate",
    "graph": "relations walk unrelate find_insight apply_insight decline_insight undo_insight insight_plan namespaces",
    "research": "create_task add_evidence vector_search views query_view query_graph update_task status",
    "upkeep": "metabolize restore forget upkeep run_upkeep undo_upkeep history review settle apply_policy validate_boundary",
    "all": (
        "add_document calibrate choose_privacy claim_evidence confirm_rules correct_edge correct_page create_key export "
        "import_ info keys neighbourhood path plans policy privacy reclassify reinforce reject_claim rename_namespace "
        "render_view restore_claim revoke_key "
        "rotate_key rules sweep"
    ),
}
SET_OF = {verb: name for name, verbs in SETS.items() for verb in verbs.split()}
TOOLS_OF = {
    "memory": (
        "memory_activate memory_search memory_save memory_get memory_list memory_delete memory_feedback "
        "memory_relation_save"
    ),
    "graph": "memory_relation_list memory_relation_delete find_insight list_namespaces",
    "research": "create_task add_evidence vector_search query_view query_graph update_task get_status",
    "upkeep": "metabolize restore forget upkeep history review settle policy_apply boundary_validate",
}

LINES = stream(node("01900000-0000-7000-8000-0000cc112233", "The gate is old.")).read()
# Every verb that a service offers, those with streams of lines at the end.
WHOLE_SCRIPT = (
    *SCRIPT,
    ("export", lambda w: {}),
    ("import_", lambda w: LINES),
    ("add_document", lambda w: {"source": b"# Tides", "name": "tides.md"}),
)


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def both(url):
    with Store.open(url) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_limit_of_refusals(monkeypatch):
    monkeypatch.setattr(callers, "_REFUSALS", (1e6, 1e6))


@contextmanager
def service(store, **options):
    with served(Service(store, Options(rate=1e6, **options)).app()) as base:
        yield base


def run_script(base, store, made, key, is_allowed):
    """Call every verb: those that a key may not call are refused and change nothing, the others succeed."""
    memory = store.memory()
    before = exported(memory)
    for verb, arguments in WHOLE_SCRIPT:
        if not is_allowed(verb):
            answer = call(base, verb, arguments(made), key=key)
            assert (answer.status_code, code_of(answer)) == (403, "forbidden"), verb
    assert exported(memory) == before
    keeper = memory.create_key("keeper", role="admin").secret
    for verb, arguments in WHOLE_SCRIPT:  # the keeper does what later steps need
        answer = call(base, verb, arguments(made), key=key if is_allowed(verb) else keeper)
        assert answer.status_code == 200, (verb, answer.text)


def run_tools(base, store, ids, key, era, is_allowed):
    """Call every tool that a key may call, so that it succeeds."""
    keeper = store.memory().create_key("keeper", role="admin").secret
    for tool, given in every_tool(ids):
        answer = call_tool(base, tool, given, key=key if is_allowed(tool, given) else keeper, era=era)
        assert code_of(answer) is None, (tool, answer.text)


def in_turn(callers):
    """Each caller with each era of MCP: on every change with one of them, in turn."""
    first = [(caller, ERAS[number % 2]) for number, caller in enumerate(callers)]
    rest = [(caller, ERAS[1 - number % 2]) for number, caller in enumerate(callers)]
    return [*first, *(pytest.param(*each, marks=pytest.mark.long) for each in rest)]


# --- the tables are whole ---------------------------------------------------------------------------------------------


def test_somebody_has_decided_about_every_route_verb_and_tool(store):
    tokens = IssuerTokens(load({"oidc_issuer": "https://issuer.example", "public_url": PUBLIC}, {}))
    app = Service(store, Options(tokens=tokens)).app()
    verbs = {f"/api/{name}" for name in codec.OFFERED}
    assert {route.path for route in app.routes} == verbs | {path for path, _ in ROUTES}
    assert set(codec.OFFERED.values()) == set(SET_OF)
    assert set(codec.OFFERED.values()) <= set(NEEDED)
    assert {verb.tool for verb in TOOLS} == {tool for tools in TOOLS_OF.values() for tool in tools.split()}
    assert set(TOOLS_OF) == set(TOOL_SETS)


# --- credentials ------------------------------------------------------------------------------------------------------


def expired_key(store):
    """A key whose time is over."""
    made = store.memory().create_key("late", role="admin", expires="1s").secret
    until = time.monotonic() + 30
    while store.caller_of(made) is not None:
        assert time.monotonic() < until
        time.sleep(0.05)
    return made


def useless_credentials(store, issuer):
    """Headers that let nobody in, by what is wrong with them."""
    memory = store.memory()
    good = memory.create_key("good", role="admin")
    revoked = memory.create_key("revoked", role="admin")
    memory.revoke_key(revoked.key.id)
    rotated = memory.create_key("rotated", role="admin")
    memory.rotate_key(rotated.key.id)
    now = int(datetime.now(UTC).timestamp())
    for_us = {"aud": f"{PUBLIC}/mcp", "role": "admin", "sub": "local"}
    other = Issuer()
    tokens = {
        "a token of another audience": issuer.token(**{**for_us, "aud": "https://other.example/mcp"}),
        "a token without an audience": issuer.token(**for_us, without=("aud",)),
        "an expired token": issuer.token(**{**for_us, "iat": now - 600, "exp": now - 300}),
        "a token that another issuer signed": issuer.token(**for_us, key=other.key),
        "a token of another issuer": other.token(**for_us),
        "a wrong key": f"wf_{good.key.id}_{'x' * 32}",
        "a key of nobody": f"wf_01900000-0000-7000-8000-000000000000_{'x' * 32}",
        "a key with more at its end": good.secret + "x",
        "a key in capitals": good.secret.upper(),
        "an expired key": expired_key(store),
        "a revoked key": revoked.secret,
        "a key before it was rotated": rotated.secret,
        "a word": "null",
    }
    headers = {name: bearer(token) for name, token in tokens.items()}
    headers["no key"] = {}
    headers["a scheme alone"] = {"Authorization": "Bearer"}
    headers["a good key as a password"] = {"Authorization": f"Basic {good.secret}"}
    headers["a good key without its scheme"] = {"Authorization": good.secret}
    headers["a good key in another header"] = {"X-Api-Key": good.secret}
    headers["a good key as a cookie"] = {"Cookie": f"Authorization=Bearer {good.secret}"}
    assert store.caller_of(good.secret) is not None
    return headers


def test_without_a_key_or_token_that_holds_every_route_is_refused_but_the_public_ones(store):
    claims = "owner=sub, role=role"
    with Issuer().running() as issuer:
        tokens = IssuerTokens(load({"oidc_issuer": issuer.named, "public_url": PUBLIC, "oidc_claims": claims}, {}))
        useless = useless_credentials(store, issuer)
        before = exported(store.memory())
        routes = {(f"/api/{name}", "POST"): "callers" for name in codec.OFFERED} | ROUTES
        with service(store, tokens=tokens) as base:
            admitted = bearer(issuer.token(aud=f"{PUBLIC}/mcp", role="admin", sub="local"))
            assert CLIENT.post(f"{base}/api/info", headers=admitted).status_code == 200
            for name, headers in useless.items():
                for (path, method), who in routes.items():
                    answer = CLIENT.request(method, base + path, headers=headers)
                    if who == "everybody":
                        assert answer.status_code == 200, (name, path)
                        continue
                    assert answer.status_code == 401, (name, path)
                    assert code_of(answer) == "unauthorized", (name, path)
                    assert answer.headers["www-authenticate"].startswith('Bearer error="invalid_token"')
        assert exported(store.memory()) == before


@pytest.mark.parametrize("era", ERAS)
def test_without_a_key_that_holds_every_tool_and_method_of_mcp_is_refused(store, era):
    useless = (None, f"wf_01900000-0000-7000-8000-000000000000_{'x' * 32}", expired_key(store))
    with service(store) as base:
        for key in useless:
            for name in BY_NAME:
                assert call_tool(base, name, {}, key=key, era=era).status_code == 401
            for method in ("initialize", "server/discover", "ping", "tools/list", "prompts/list", "resources/list"):
                assert ask(base, method, key=key, era=era).status_code == 401
            for kind in ("memo", "claim", "namespace", "rules"):
                asked = ask(base, "resources/read", {"uri": f"wherefrom://{kind}/x"}, key=key, era=era)
                assert asked.status_code == 401


def test_a_service_does_not_open_when_its_last_key_has_expired_or_was_revoked(both):
    expired_key(both)
    both.memory().revoke_key(both.memory().create_key("revoked").key.id)
    with service(both) as base:
        assert call(base, "info").status_code == 401


def test_nobody_slips_in_while_the_first_look_for_keys_is_under_way_or_has_failed(tmp_path):
    found = []
    with Store.open(tmp_path / "memory.db", embedder="none") as store:
        store.memory().create_key("one")
        first, later = (callers.Callers(store, keyless=None) for _ in range(2))

        async def look():
            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(note)

        async def note():
            found.append(await first.needs_key())

        anyio.run(look)
    assert found == [True] * 20
    for _ in range(2):  # the store is closed
        with pytest.raises(WherefromError):
            anyio.run(later.needs_key)


def test_a_path_or_method_that_there_is_not_is_told_to_callers_alone(store):
    key = store.memory().create_key("one").secret
    with service(store) as base:
        for path in ("/", "/api", "/api/", "/api/nothing", "/docs", "/mcp/x", "/.env", "/api/backup"):
            assert CLIENT.post(base + path).status_code == 401
            assert CLIENT.post(base + path, headers=bearer(key)).status_code == 404
        for method in ("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"):
            for name in codec.OFFERED:
                assert CLIENT.request(method, f"{base}/api/{name}").status_code == 401
                assert CLIENT.request(method, f"{base}/api/{name}", headers=bearer(key)).status_code == 405


# --- roles ------------------------------------------------------------------------------------------------------------


def refused_by_role(held, method):
    return ROLES.index(held) < ROLES.index(NEEDED[method])


@pytest.mark.parametrize("role", ROLES)
def test_every_verb_is_for_its_role_and_those_above(both, role):
    memory = both.memory()
    made = world(memory)
    key = memory.create_key("caller", role=role).secret
    assert {verb for verb, _ in WHOLE_SCRIPT} == set(codec.OFFERED.values())
    with service(both) as base:
        run_script(base, both, made, key, lambda verb: not refused_by_role(role, verb))


@pytest.mark.parametrize(("role", "era"), in_turn(ROLES))
def test_every_tool_is_for_the_roles_of_its_verbs(store, role, era):
    memory = store.memory()
    ids = prepared(memory)
    key = memory.create_key("caller", role=role).secret
    with service(store) as base:
        before = exported(memory)
        calls = [(tool, given, refused_by_role(role, BY_NAME[tool].chosen(given))) for tool, given in every_tool(ids)]
        assert {tool for tool, _, _ in calls} == {verb.tool for verb in TOOLS}
        for tool, given, is_refused in calls:
            if is_refused:
                assert code_of(call_tool(base, tool, given, key=key, era=era)) == "forbidden", tool
        assert exported(memory) == before
        run_tools(
            base, store, ids, key, era, lambda tool, given: not refused_by_role(role, BY_NAME[tool].chosen(given))
        )


def test_the_numbers_are_for_keepers_and_changes_for_all_callers(store):
    with service(store) as base:
        for role in ROLES:
            headers = bearer(store.memory().create_key(role, role=role).secret)
            wanted = 200 if role == "admin" else 403
            assert CLIENT.get(f"{base}/metrics", headers=headers).status_code == wanted
            with CLIENT.stream("GET", f"{base}/api/events", headers=headers) as answer:
                assert answer.status_code == 200


# --- sets of tools ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("held", [*TOOL_SETS, "all"])
def test_a_key_reaches_the_verbs_of_its_sets_alone(store, held):
    memory = store.memory()
    made = world(memory)
    key = memory.create_key("caller", role="admin", tools=[held]).secret
    with service(store) as base:
        run_script(base, store, made, key, lambda verb: verb == "info" or held in ("all", SET_OF[verb]))


@pytest.mark.parametrize(("held", "era"), in_turn([*TOOL_SETS, "all"]))
def test_a_key_lists_and_calls_the_tools_of_its_sets_alone(store, held, era):
    memory = store.memory()
    ids = prepared(memory)
    key = memory.create_key("caller", role="admin", tools=[held]).secret
    allowed = {tool for name, tools in TOOLS_OF.items() for tool in tools.split() if held in ("all", name)}
    aliases = {name for tool in allowed for name in (tool, *BY_NAME[tool].aliases)}
    with service(store) as base:
        for sets in ("all", *TOOL_SETS):
            listed = ask(base, "tools/list", key=key, era=era, sets=sets).json()["result"]["tools"]
            wanted = allowed if sets == "all" else allowed & set(TOOLS_OF[sets].split())
            assert {tool["name"] for tool in listed} == wanted
        before = exported(memory)
        for name in set(BY_NAME) - aliases:
            unknown = call_tool(base, name[:-1], {}, key=key, era=era).json()["error"]
            refused = call_tool(base, name, {}, key=key, era=era).json()["error"]
            assert refused["code"] == unknown["code"]
            assert refused["message"].replace(name, name[:-1]) == unknown["message"]
        assert exported(memory) == before
        run_tools(base, store, ids, key, era, lambda tool, _: tool in allowed)
