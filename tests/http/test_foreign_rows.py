"""Rows of another owner or another root: every verb with their ids answers as if there were no such thing."""

from __future__ import annotations

import re
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from calling_for_tests import ERAS, ask, call, code_of, exported
from every_verb_for_tests import SCRIPT
from import_for_tests import edge, node, stream
from references_for_tests import BEFORE, CALLS, PAGE, world
from service_for_tests import served

from wherefrom import NewClaim, NewFragment, NewPage, Store
from wherefrom.api.memory import Verbs
from wherefrom.interfaces.http import codec
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.model.param import parameters_of

# Words of the rows that are looked for; nobody else has them.
WORD = "Zorblax"
PLACE = "zorblaxroom"
MISSING = "01900000-0000-7000-8000-00000badf00d"
OWNER, ROOT = "anna", "team/a"
# Who may not see anything of owner anna's root team/a.
DIALECTS = ("sqlite", "postgres")
STRANGERS = {
    "another owner": ("bert", ROOT),
    "another root": (OWNER, "team/b"),
    "a root that begins alike": (OWNER, "team/ab"),
}
# On every change all strangers try SQLite, and one tries PostgreSQL, whose statements are the same but for few.
EACH = [
    pytest.param(
        dialect, stranger, marks=[pytest.mark.long] if dialect == "postgres" and stranger != "another root" else []
    )
    for dialect in DIALECTS
    for stranger in STRANGERS
]


@pytest.fixture
def store(url):
    with Store.open(url) as opened:
        yield opened


@contextmanager
def service(store):
    with served(Service(store, Options(rate=1e6, keyless=False)).app()) as base:
        yield base


def planted(store):
    """The rows that strangers try to reach: one of all that has an id, with words that nobody else has."""
    memory = store.memory(owner=OWNER, root=ROOT)
    made = world(memory)
    memory.save(f"The {WORD} bridge opens at nine.", memo_id=made.one, title=f"{WORD} Bridge")
    memory.save(f"The {WORD} ferry leaves at ten.", memo_id=made.two, title=f"{WORD} Ferry")
    memory.save(f"A {WORD} note far below.", namespace=PLACE, slot="harbour/opens")
    memory.correct_page(made.page, title=f"On {WORD} yeast")
    memory.create_task(f"Where does the {WORD} come from?")
    memory.add_evidence(
        NewPage(f"https://example.org/{WORD}"),
        fragments=[NewFragment(f"The {WORD} stands.")],
        claims=[NewClaim(f"The {WORD} is old.")],
        task_id=made.task,
    )
    memory.create_key(f"{WORD} key")
    return memory, made


def ids_of(made):
    return set(vars(made).values())


def without_ids(answer, *ids):
    """What an answer says, without the ids that were asked for and what differs between any two calls."""
    text = answer.text
    for given in sorted(ids, key=len, reverse=True):
        text = text.replace(given, "ID")
    text = re.sub(
        r'"(elapsed_ms|request_id|id|created_at|updated_at|expires_at|at|observed_at)":("[^"]*"|[0-9.]+)', "", text
    )
    return answer.status_code, re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "X", text)


def assert_reveals_nothing(answer, made, *, given=(), what=None):
    text = answer.text.lower()
    assert WORD.lower() not in text, what
    assert PLACE not in text, what
    leaked = {each for each in ids_of(made) - set(given) if each in answer.text}
    assert not leaked, what


@pytest.mark.parametrize(("url", "stranger"), EACH, indirect=["url"])
def test_every_verb_with_an_id_of_another_answers_as_if_there_were_no_such_thing(store, stranger):
    memory, made = planted(store)
    owner, root = STRANGERS[stranger]
    own = store.memory(owner=owner, root=root)
    mine = world(own, key_name="bert")
    key = own.create_key("stranger", role="admin").secret
    before = exported(memory)
    differing = []
    with service(store) as base:
        for verb, prepare in BEFORE.items():
            del verb
            prepare(own, mine)
        for (verb, path), (of, arguments) in CALLS.items():
            foreign = getattr(made, of)
            for given, missing in ((foreign, MISSING), (foreign[-8:], MISSING[-8:])):
                theirs = call(base, verb, arguments(mine, given), key=key)
                nobodys = call(base, verb, arguments(mine, missing), key=key)
                assert theirs.status_code < 500
                assert_reveals_nothing(theirs, made, given=(foreign,), what=(verb, path, theirs.text))
                if without_ids(theirs, given) != without_ids(nobodys, missing):
                    differing.append((verb, path, theirs.text[:300], nobodys.text[:300]))
    assert not differing
    assert exported(memory) == before


@pytest.mark.parametrize(("url", "stranger"), EACH, indirect=["url"])
def test_no_verb_shows_a_stranger_anything_of_another(store, stranger):
    memory, made = planted(store)
    owner, root = STRANGERS[stranger]
    own = store.memory(owner=owner, root=root)
    key = own.create_key("stranger", role="admin").secret
    before = exported(memory)
    # As much of the others' texts as a stranger may guess.
    guesses = (
        ("save", {"content": "The harbour bridge opens at nine.", "title": "Bridge"}),
        ("save", {"content": "The bridge opens at ten.", "slot": "harbour/opens"}),
        ("add_evidence", {"page": NewPage(PAGE), "claims": [NewClaim("Yeast likes 28 degrees.")]}),
        ("get", {"memo_id": "Bridge"}),
        ("search", {"query": "harbour bridge ferry yeast note", "limit": 50}),
        ("activate", {"query": "When does the bridge open, and the ferry leave?"}),
        ("vector_search", {"query": "bridge ferry note", "min_similarity": 0.0, "top_k": 50}),
        ("vector_search", {"query": "yeast", "target": "claims", "min_similarity": 0.0}),
        ("forget", {"query": "bridge ferry"}),
        ("list", {"include": ["replaced", "expired"], "limit": 100}),
        ("history", {"limit": 100}),
        ("status", {}),
        ("keys", {}),
        ("namespaces", {}),
        ("metabolize", {"figures": True}),
        ("review", {}),
        ("upkeep", {}),
        ("export", {}),
        ("info", {}),
        ("restore", {"since": "2020-01-01T00:00:00Z"}),
        *((("query_graph", {"sql": f"select * from {table}"})) for table in (
            "memos", "claims", "fragments", "pages", "edges", "tasks", "queries", "nodes", "keys", "events", "retired",
        )),
    )  # fmt: skip
    with service(store) as base:
        for verb, arguments in guesses:
            answer = call(base, verb, arguments, key=key)
            assert answer.status_code == 200, (verb, answer.text)
            assert_reveals_nothing(answer, made, what=(verb, arguments, answer.text))
        mine = world(own, key_name="bert")
        for verb, arguments in SCRIPT:
            answer = call(base, verb, arguments(mine), key=key)
            # Privacy is chosen for a whole owner, never from inside a root.
            assert answer.status_code == (403 if verb == "choose_privacy" else 200), (verb, answer.text)
            assert_reveals_nothing(answer, made, what=(verb, answer.text))
        for view in (row["name"] for row in call(base, "views", key=key).json()):
            answer = call(base, "query_view", {"name": view}, key=key)
            assert_reveals_nothing(answer, made, what=(view, answer.text))
    assert exported(memory) == before


@pytest.mark.parametrize(
    ("url", "era"),
    [
        pytest.param(dialect, era, marks=[pytest.mark.long] if (dialect, era) == ("postgres", ERAS[0]) else [])
        for dialect in DIALECTS
        for era in ERAS
    ],
    indirect=["url"],
)
def test_resources_of_another_are_not_there(store, era):
    _, made = planted(store)
    key = store.memory(owner=OWNER, root="team/b").create_key("stranger").secret
    with service(store) as base:
        for given in (made.one, made.claim, made.one[-8:], f"{WORD} Bridge", "team/a", "../a", "/team/a", "%2e%2e/a"):
            for kind in ("memo", "claim", "namespace", "rules"):
                missing = {made.one: MISSING, made.claim: MISSING, made.one[-8:]: MISSING[-8:]}.get(given, "nothing")
                theirs, nobodys = (
                    ask(base, "resources/read", {"uri": f"wherefrom://{kind}/{name}"}, key=key, era=era)
                    for name in (given, missing)
                )
                if kind in ("memo", "claim"):
                    assert code_of(theirs) == code_of(nobodys) == "not_found", (kind, given, theirs.text)
                said = SimpleNamespace(text=theirs.text.replace(given, ""))
                assert_reveals_nothing(said, made, what=theirs.text)


PATHS = (
    "team/a", "/team/a", "//team/a", "../a", "../../team/a", "a/../../a", "/../a", "..", "../", "./../a", "team/b/../a",
    "team/a/../a", "%2e%2e/a", "..%2fa", "..\\a", "team\\a", "/", "", " team/a ", "team/a\u200b", "ｔｅａｍ/a", "team/%", "team/_",
)  # fmt: skip
# The arguments that a call needs besides a namespace.
BESIDES = {
    "activate": {"query": "bridge"}, "search": {"query": "bridge"}, "save": {"content": "A note."},
    "add_evidence": {"claims": [NewClaim("A claim.")]}, "create_task": {"query": "why?"},
    "vector_search": {"query": "bridge", "min_similarity": 0.0}, "forget": {"query": "bridge"},
    "create_key": {"name": "x"}, "validate_boundary": {"text": "x"}, "apply_policy": {"yaml": "version: 1.0.1\n"},
    "query_view": {"name": "v_hub_pages"}, "query_graph": {"sql": "select 1 as one"},
    "render_view": {"name": "v_hub_pages"}, "calibrate": {"judged": []},
    "rename_namespace": {"source": "x", "target": "y"},
}  # fmt: skip


def places():
    """Every parameter that takes a namespace, by verb."""
    named = ("namespace", "namespaces", "source", "target", "root", "also", "namespace_prefix")
    for method in codec.OFFERED.values():
        for name, known in parameters_of(getattr(Verbs, method)).items():
            if name in named and (name not in ("source", "target") or method == "rename_namespace"):
                yield method, name, known


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
def test_no_namespace_that_is_given_leads_out_of_the_root(store, step):
    """On every change each parameter gets every fourth path, the next one others; else all get all."""
    memory, made = planted(store)
    own = store.memory(owner=OWNER, root="team/b")
    mine = own.save("A note of its own.").node.id
    ends = {"source_id": mine, "target_id": own.save("Another note.").node.id, "tag": "near"}
    needed = {**BESIDES, "relate": {**ends, "weight": 0.5}, "unrelate": ends}
    needed["delete"] = {"memo_id": own.save("A third note, which goes.").node.id}
    own.add_evidence(NewPage("https://example.org/own"), claims=[NewClaim("A claim of its own.")])
    key = own.create_key("stranger", role="admin").secret
    before = exported(memory)
    tried = {}
    with service(store) as base:
        for number, (method, name, known) in enumerate(places()):
            for path in dict.fromkeys(("/", "team/a", *PATHS[number % step :: step])):
                is_text = known.kind is str
                given = {
                    **needed.get(method, {"memo_id": mine} if method in ("get", "delete") else {}),
                    name: path if is_text else [path],
                }
                answer = call(base, method, given, key=key)
                assert answer.status_code < 500, (method, name, path, answer.text)
                assert_reveals_nothing(answer, made, what=(method, name, path, answer.text))
                if method == "create_key" and answer.status_code == 200:
                    made_key = answer.json()["key"]
                    reach = [made_key["root"], *made_key["also"], made_key["namespace"] or made_key["root"]]
                    assert all(place == "team/b" or place.startswith("team/b/") for place in reach), made_key
                tried.setdefault(method, []).append(answer.text if answer.status_code >= 400 else 200)
    for method, _, _ in places():  # at least one path, such as "/", is taken
        assert 200 in tried[method] or method in ("calibrate", "rename_namespace", "unrelate", "reinforce"), (
            method,
            tried[method],
        )
    assert exported(memory) == before


def test_an_import_stays_in_the_root_of_its_key(store):
    memory, made = planted(store)
    own = store.memory(owner=OWNER, root="team/b")
    mine = own.save("A note of its own.").node.id
    key = own.create_key("stranger", role="admin").secret
    before = exported(memory)
    lines = stream(
        node(made.one, "Overwritten.", namespace="team/a"),
        node(made.two, "Overwritten.", namespace="team/b"),
        node("01900000-0000-7000-8000-0000cc112233", "Smuggled.", namespace="team/a"),
        node("01900000-0000-7000-8000-0000cc112244", "Smuggled.", namespace="../a"),
        edge(mine, made.one, source_namespace="team/b", target_namespace="team/a"),
        edge(made.two, mine, source_namespace="team/a", target_namespace="team/b"),
    ).read()
    with service(store) as base:
        answer = call(base, "import_", lines, key=key)
        assert answer.status_code < 500, answer.text
        assert WORD not in answer.text
        assert exported(memory) == before


# --- roots that may be read -------------------------------------------------------------------------------------------


def test_a_root_that_may_be_read_is_never_written(store):
    memory, made = planted(store)
    own = store.memory(owner=OWNER, root="team/b", also=[ROOT])
    mine = world(own, key_name="bert")
    key = own.create_key("guest", role="admin").secret
    before = exported(memory)
    with service(store) as base:
        assert WORD in call(base, "get", {"memo_id": made.one}, key=key).text
        assert WORD in call(base, "search", {"query": f"{WORD} bridge"}, key=key).text
        for prepare in BEFORE.values():
            prepare(own, mine)
        for (verb, path), (of, arguments) in CALLS.items():
            answer = call(base, verb, arguments(mine, getattr(made, of)), key=key)
            assert answer.status_code < 500, (verb, path, answer.text)
            assert exported(memory) == before, (verb, path, answer.text)
        for method, name, known in places():
            for path in ("team/a", "team/a/zorblaxroom"):
                given = {
                    **BESIDES.get(method, {"memo_id": made.one} if method == "delete" else {}),
                    name: path if known.kind is str else [path],
                }
                call(base, method, given, key=key)
        assert exported(memory) == before
