"""Claims, recall, contexts, feedback, sweeps and events: in Python, through MCP and on the command line."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from embedders_for_tests import Numbered
from talking_for_tests import call, refusal, talk, wherefrom

from wherefrom import BoundaryDenied, Conflict, Gone, InvalidInput, Memory, NotFound
from wherefrom.evidence.input import NewClaim, NewEvidence, NewPage
from wherefrom.interfaces.answers import ActiveContextAnswer

PAIR = re.compile(r"([A-Za-z]+)=([^;= ]+);")
DEAD_ENDPOINT = {
    "WHEREFROM_EMBEDDER": "endpoint",
    "WHEREFROM_EMBED_URL": "http://127.0.0.1:9/v1",
    "WHEREFROM_EMBED_MODEL": "m",
}


@pytest.fixture
def events_of(url, execute):
    """The events of a topic: payload, request and trace."""

    def read(topic):
        rows = execute(url, f"select payload, request_id, trace_id from events where topic = '{topic}' order by seq")
        return [(json.loads(payload), *ids) for payload, *ids in rows]

    return read


def pairs(reason):
    """The parts of a reason, which is nothing but such parts."""
    found = PAIR.findall(reason)
    assert " ".join(f"{key}={value};" for key, value in found) == reason
    return dict(found)


def texts(context):
    return [item.node.content for item in context.items]


# --- saving -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scope", "days"), [("session", 7), ("project", 120), ("principle", None), (None, None)])
@pytest.mark.parametrize("kind", ["fact", "task", "preference", "policy_hint", None])
def test_the_scope_says_when_a_node_expires(timed, clock, kind, scope, days):
    node = timed.save("The deploy runs at noon.", claim_kind=kind, scope=scope).node
    assert (node.kind, node.claim_kind, node.scope) == ("claim" if kind else "memo", kind, scope)
    expected = None if days is None else (clock.now + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert node.expires_at == expected
    assert (node.boundary_class, node.confidence, node.utility, node.quality) == ("internal", 0.5, 0.0, 0.5)


def test_a_claim_keeps_what_it_was_given(memory):
    given = {"confidence": 0.9, "boundary_class": "public", "provenance": {"url": "https://example.org/a", "n": [1]}}
    saved = memory.save("Orion ships in May.", claim_kind="fact", entities=["Orion", "  May Kim "], **given)
    node = memory.get(saved.node.id)
    assert {name: getattr(node, name) for name in given} == given
    assert node.recency_anchor == node.observed_at == node.created_at
    assert [entity.title for entity in memory.list(kind="entity").nodes] == ["May Kim", "Orion"]
    linked = {edge.target_id for edge in memory.relations(source_id=node.id, tag="mentions").edges}
    assert linked == {entity.id for entity in memory.list(kind="entity").nodes}
    again = memory.save("Orion ships in May.", claim_kind="fact", entities=["Orion"])
    assert (again.status, again.node.id) == ("duplicate", node.id)
    assert len(memory.list(kind="entity").nodes) == 2


def test_a_changed_scope_changes_the_expiry_and_a_class_only_goes_up(url, clock):
    with Memory.open(url, clock=clock, allow=["tool:contact-lookup"]) as memory:
        node = memory.save("It is so.", claim_kind="fact", scope="session", boundary_class="pii").node
        changed = memory.save("It is so!", memo_id=node.id, scope="project", boundary_class="public").node
        assert changed.boundary_class == "pii"
        assert changed.expires_at.startswith("2026-05-01")
        assert memory.save("It is so?", memo_id=node.id).node.expires_at == changed.expires_at
    with Memory.open(url, clock=clock) as memory, pytest.raises(BoundaryDenied):
        memory.save("It is so, too.", boundary_class="pii")


def test_a_claim_is_at_most_four_kilobytes(memory):
    memory.save("x" * 4096, claim_kind="fact")
    memory.save("x" * 4097)
    with pytest.raises(InvalidInput, match="4,097 bytes") as refused:
        memory.save("x" * 4097, claim_kind="fact")
    assert refused.value.hint
    with pytest.raises(InvalidInput, match="4,098 bytes"):
        memory.save("é" * 2049, claim_kind="task")


@pytest.mark.parametrize(
    "wrong",
    [
        {"claim_kind": "rumour"},
        {"scope": "forever"},
        {"boundary_class": "private"},
        {"confidence": 1.1},
        {"confidence": "high"},
        {"entities": "Orion"},
        {"entities": [""]},
        {"entities": ["x" * 201]},
        {"provenance": ["url"]},
        {"request_id": "with spaces"},
    ],
    ids=str,
)
def test_unknown_words_are_refused(memory, wrong):
    with pytest.raises(InvalidInput) as refused:
        memory.save("text", **wrong)
    name = next(iter(wrong))
    if name in ("claim_kind", "scope", "boundary_class"):
        known = {"claim_kind": "policy_hint", "scope": "principle", "boundary_class": "internal"}[name]
        assert known in str(refused.value), "the error names the words that are known"
    assert memory.list().nodes == ()


def test_an_agent_saves_claims(url):
    async def conversation(client):
        saved = await call(
            client,
            "memory_save",
            content="Kim prefers tea; ask kim@example.org",
            claim_kind="preference",
            scope="project",
            boundary_class="public",
            confidence=0.8,
            entities=["Kim"],
            provenance={"actor": "Lee"},
            request_id="r-1",
        )
        assert saved["redacted"] == {"email": 1}
        (claim,) = (await call(client, "memory_list", kind="claim"))["items"]
        assert (claim["boundary_class"], claim["scope"], claim["confidence"]) == ("public", "project", 0.8)
        assert claim["content"] == "Kim prefers tea; ask [email]"
        assert [entity["title"] for entity in (await call(client, "memory_list", kind="entity"))["items"]] == ["Kim"]
        for wrong, code, said in (
            ({"claim_kind": "rumour"}, "invalid_input", "is not one of fact, "),
            ({"scope": "forever"}, "invalid_input", "is not one of session, project, principle"),
            ({"boundary_class": "secret"}, "boundary_denied", "secret"),
            ({"confidence": 2}, "invalid_input", "confidence 2.0 is outside 0..1"),
            ({"content": "x" * 4097}, "invalid_input", "4,096"),
        ):
            error = await refusal(client, "memory_save", **{"content": "x", "claim_kind": "fact", **wrong})
            assert error["code"] == code
            assert said in error["message"]
        # The seed's names.
        old = await call(client, "pce.memory.upsert", text="An old name works.", kind="fact")
        assert old["status"] == "created"

    talk(url, conversation)


def test_people_save_claims(url):
    made = json.loads(
        wherefrom(
            url, "save", "The gate opens at nine.", "--claim", "fact", "--scope", "session", "--class", "public",
            "--confidence", "0.7", "--entity", "gate", "--provenance", '{"actor": "Kim"}', "--json",
        )
    )  # fmt: skip
    with Memory.open(url) as memory:
        node = memory.get(made["memo"]["id"])
        assert (node.claim_kind, node.scope, node.boundary_class) == ("fact", "session", "public")
        assert (node.confidence, node.provenance) == (0.7, {"actor": "Kim"})
    assert "policy_hint" in wherefrom(url, "save", "x", "--claim", "rumour", code=2)
    assert "4,096" in wherefrom(url, "save", "x" * 4097, "--claim", "fact", code=2)


# --- activate ---------------------------------------------------------------------------------------------------------


def test_a_context_says_why_each_item_is_there(timed, clock):
    old = timed.save("The bridge over the river was closed.", claim_kind="fact", confidence=0.9).node
    clock.go_on(days=30)
    new = timed.save("The bridge over the river is open again.", provenance={"url": "https://example.org"}).node
    timed.save("Bread needs salt, flour and water.")
    context = timed.activate("is the bridge over the river open?", provenance={"actor": "test"})
    assert [item.node.id for item in context.items] == [new.id, old.id]
    assert [item.rank for item in context.items] == [1, 2]
    assert (context.provenance, context.policy_version, context.degraded) == ({"actor": "test"}, "1.0.0", ())
    for item in context.items:
        parts = pairs(item.figures)
        weighed, factors = item.breakdown, item.breakdown.factors
        assert {"FTS", "cos", "S", "recent", "util", "conf", "g", "score"} <= parts.keys()
        assert float(parts["score"]) == pytest.approx(item.score, abs=0.006)
        assert item.score == pytest.approx(weighed.fit * factors.g)
        by_hand = (0.6 + 0.4 * factors.utility) * (0.5 + 0.5 * factors.confidence) * (0.3 + 0.7 * factors.recency)
        assert factors.g == pytest.approx(by_hand)
    first, second = context.items
    assert pairs(second.figures)["recent"] == "30d"
    assert second.breakdown.factors.recency == pytest.approx(2 ** (-30 / 120))
    assert first.breakdown.factors.confidence == 0.5
    assert (first.breakdown.factors.quality, first.breakdown.factors.g) == (None, pytest.approx(0.6))


def test_explaining_changes_nothing_but_the_answer(url):
    with Memory.open(url) as memory:
        ids = [memory.save(f"The bridge number {number} is open.").node.id for number in range(3)]

    async def conversation(client):
        plain = await call(client, "memory_activate", query="bridge number 1")
        told = await call(client, "memory_activate", query="bridge number 1", explain=True)
        assert plain["parameters"] is plain["filtered"] is None
        assert all(item["features"] is None for item in plain["items"])
        assert told["parameters"]["k_final"] == 12
        assert set(told["parameters"]) >= {"alpha", "k_txt", "k_vec", "threshold", "mmr_lambda", "arms", "calibration"}
        for item in told["items"]:
            features = item["features"]
            assert {"s_text", "s_vec", "S", "graph", "g", "bm25", "similarity", "text_rank", "vector_rank"} <= set(
                features
            )
            assert item["score"] == pytest.approx(features["S"] * features["g"])
        asked, explained = ([(i["id"], i["reason"]) for i in each["items"]] for each in (plain, told))
        assert asked == explained
        for item in plain["items"]:
            assert (item["trust"], item["source"], item["provenance"]) == ("own-note", None, {})
            assert item["date"] == item["created_at"]
            assert item["reason"].startswith("says 'bridge'")
            assert item["figures"] is None
        assert all(pairs(item["figures"])["score"] for item in told["items"])
        assert {item["id"] for item in plain["items"]} <= set(ids)

    talk(url, conversation)


def test_the_trust_label_says_what_kind_of_text_it_is(url, execute):
    with Memory.open(url) as memory:
        memory.save("The bridge is open, says a memo.")
        memory.save("The bridge is open, says a claim.", claim_kind="fact", provenance={"url": "https://example.org"})
        quoted = memory.save("The bridge is open, says a page.").node.id
    execute(url, f"update nodes set kind = 'fragment' where id = '{quoted}'")

    async def conversation(client):
        items = (await call(client, "memory_activate", query="is the bridge open"))["items"]
        trusted = {item["content"].split()[-1]: item["trust"] for item in items}
        assert trusted == {"memo.": "own-note", "claim.": "agent-claim", "page.": "quoted-source"}
        (claim,) = (item for item in items if item["trust"] == "agent-claim")
        assert (claim["provenance"], claim["source"]) == ({"url": "https://example.org"}, "example.org")

    talk(url, conversation)


def test_what_is_left_out_is_counted(memory):
    for number in range(4):
        memory.save(f"The harbour light blinks {number} times.", entities=["Harbour"])
    memory.save("The same light.", namespace="a")
    memory.save("The same light.", namespace="b")
    context = memory.activate("how does the light blink?", graph=False)
    assert context.filtered["same_text"] == 1
    assert len(context.items) == 5
    fewer = memory.activate("how does the light blink?", graph=False, limit=2)
    assert (len(fewer.items), fewer.filtered["beyond_limit"]) == (2, 3)


def test_what_is_below_the_threshold_is_counted(timed, clock):
    sinking = timed.save("The bridge is closed.", claim_kind="task", confidence=0.0).node
    clock.go_on(days=200)
    timed.save("The bridge is open.")
    context = timed.activate("bridge", graph=False)
    assert sinking.id not in [item.node.id for item in context.items]
    assert context.filtered == {"below_threshold": 1}


def test_a_token_budget_is_filled_by_rank(memory):
    for number in range(5):
        memory.save(f"The bridge {number} " + "is open and safe and long " * 20)
    whole = memory.activate("bridge")
    assert len(whole.items) > 2
    half = memory.activate("bridge", max_tokens=whole.tokens // 2)
    assert 0 < half.tokens <= whole.tokens // 2
    assert texts(half) == texts(whole)[: len(half.items)]
    assert memory.activate("bridge", max_tokens=1).items == ()
    for wrong in (0, 100_001, "many"):
        with pytest.raises(InvalidInput):
            memory.activate("bridge", max_tokens=wrong)


def test_scope_and_metadata_filter(memory):
    for scope in ("session", "project", "principle", None):
        memory.save(f"The bridge holds for {scope}.", scope=scope, metadata={"for": str(scope)})
    everything = memory.activate("how long does the bridge hold?")
    assert len(everything.items) == 4
    some = memory.activate("how long does the bridge hold?", scope=["session", "principle"])
    assert {item.node.scope for item in some.items} == {"session", "principle"}
    assert some.scopes == ("session", "principle")
    found = memory.search("how long does the bridge hold?", scope=["project"])
    assert [hit.node.scope for hit in found.hits] == ["project"]
    one = memory.activate("how long does the bridge hold?", metadata={"for": "None"})
    assert [item.node.scope for item in one.items] == [None]
    with pytest.raises(InvalidInput):
        memory.activate("bridge", metadata={"a": []})


def test_an_unknown_scope_is_refused_and_one_may_stand_alone(sqlite_memory):
    sqlite_memory.save("The bridge is open.", scope="project")
    for wrong in (["forever"], "forever", 5):
        with pytest.raises(InvalidInput):
            sqlite_memory.search("bridge", scope=wrong)
        with pytest.raises(InvalidInput):
            sqlite_memory.activate("bridge", scope=wrong)
    assert len(sqlite_memory.search("bridge", scope="project").hits) == 1
    assert len(sqlite_memory.activate("bridge", scope="project").items) == 1


def test_allow_can_narrow_and_never_widen(url):
    tags = ["answer:task", "tool:contact-lookup"]
    with Memory.open(url, allow=tags) as wide, Memory.open(url) as plain:
        for name in ("public", "internal", "pii"):
            wide.save(f"The bridge of the {name} class.", boundary_class=name)

        def seen(memory, **given):
            return {item.node.boundary_class for item in memory.activate("bridge class", **given).items}

        assert seen(wide) == {"public", "internal", "pii"}
        assert seen(wide, allow=["answer:task"]) == {"public", "internal"}
        assert seen(wide, allow=["tool:contact-lookup"]) == {"public", "internal", "pii"}
        assert seen(wide, allow=[]) == {"public"}
        assert seen(wide, allow=["tool:other"]) == {"public"}
        assert seen(plain, allow=["tool:contact-lookup"]) == {"public"}
        assert seen(plain) == {"public", "internal"}
        for wanted in (tags, ["tool:contact-lookup"], ["*"], ["tool:*"]):
            assert "pii" not in seen(plain, allow=wanted)
        assert seen(plain, allow=["answer:task", "tool:contact-lookup"]) == {"public", "internal"}


@pytest.mark.parametrize("wrong", ["answer:task", [5], [""]])
def test_malformed_tags_are_refused(sqlite_memory, wrong):
    with pytest.raises(InvalidInput):
        sqlite_memory.activate("bridge", allow=wrong)


def test_a_superseding_and_a_contradicting_node_say_so(memory):
    old = memory.save("The bridge is 100 metres long.").node.id
    new = memory.save("The bridge is 120 metres long.").node.id
    other = memory.save("The bridge is 90 metres long, says Kim.").node.id
    memory.relate(new, old, tag="supersedes", weight=1)
    memory.relate(other, new, tag="contradicts", weight=1)
    by_id = {item.node.id: item for item in memory.activate("how long is the bridge in metres?").items}
    assert by_id[new].replaces == (old,)
    assert by_id[new].disputed_by == (other,)
    assert by_id[other].disputed_by == (new,)


def test_a_dispute_says_who_judged_it_and_how_sure_it_is(memory):
    page = NewPage("https://bridges.example/long")
    told = [NewClaim("The bridge is 100 metres long."), NewClaim("The bridge is 120 metres long.")]
    one, other = (each.id for each in memory.add_evidence(page, claims=told).claims)
    memory.add_evidence(
        claims=[NewClaim(claim_id=one, evidence=[NewEvidence("refutes", claim=other, confidence=0.3)])], judge="model-1"
    )
    third = memory.save("The bridge is 90 metres long, says Kim.").node.id
    memory.relate(third, one, tag="conflicts", weight=0.5)
    context = memory.activate("how long is the bridge in metres?")
    answer = ActiveContextAnswer.of(context, root_namespace="main")
    disputes = {item.id: item.disputes for item in answer.items}
    shown = {(each.id, each.tag, each.judge, each.confidence, each.thickness) for each in disputes[one]}
    assert shown == {(other, "refutes", "model-1", 0.3, 0.3), (third, "conflicts", None, 1.0, 0.5)}
    assert [(each.id, each.tag) for each in disputes[other]] == [(one, "refutes")]
    assert all(each.observed_at for each in disputes[one])


def test_people_recall_and_judge(url):
    with Memory.open(url) as memory:
        best = memory.save("The bridge is open on Sundays.", claim_kind="fact").node.id
        memory.save("Bread needs salt.")
    shown = wherefrom(url, "activate", "when is the bridge open?", "--explain")
    assert "FTS=rank:1;" in shown
    assert "left out:" in shown
    answer = json.loads(wherefrom(url, "activate", "when is the bridge open?", "--json"))
    assert answer["items"][0]["id"] == best
    assert answer["items"][0]["trust"] == "agent-claim"
    context_id = answer["active_context_id"]
    again = json.loads(wherefrom(url, "context", context_id, "--json"))
    assert [item["id"] for item in again["items"]] == [item["id"] for item in answer["items"]]
    said = ("feedback", best, "helpful", "--context", context_id, "--request", "r1", "--json")
    assert json.loads(wherefrom(url, *said))["status"] == "recorded"
    repeated = json.loads(wherefrom(url, *said))
    assert (repeated["status"], repeated["utility"], repeated["confidence"]) == ("repeated", 0.1, 0.55)
    assert "not_found" in wherefrom(url, "context", "nothing", code=3)
    assert "helpful" in wherefrom(url, "feedback", best, "liked", code=2)
    assert "0 nodes and 0 relations retired" in wherefrom(url, "sweep")
    assert "principle" in wherefrom(url, "activate", "x", "--scope", "forever", code=2)


# --- contexts ---------------------------------------------------------------------------------------------------------


def test_a_context_is_read_again_until_it_is_gone(timed, clock):
    kept = timed.save("The bridge is open.").node
    gone = timed.save("The bridge is closed.").node
    context = timed.activate("bridge", scope=[], provenance={"actor": "Kim"})
    again = timed.context(context.id)
    assert [(item.rank, item.node.id, item.score, item.reason) for item in again.items] == [
        (item.rank, item.node.id, item.score, item.reason) for item in context.items
    ]
    for name in ("question", "scopes", "policy_version", "provenance", "created_at", "expires_at"):
        assert getattr(again, name) == getattr(context, name)
    timed.delete(gone.id)
    timed.save("The bridge is wide open.", memo_id=kept.id)
    clock.go_on(minutes=59, seconds=59)
    assert texts(timed.context(context.id)) == ["The bridge is wide open."]
    clock.go_on(seconds=1)
    with pytest.raises(Gone) as raised:
        timed.context(context.id)
    assert raised.value.code == "gone"
    with pytest.raises(NotFound) as raised:
        timed.context("01900000-0000-7000-8000-000000000000")
    assert raised.value.code == "not_found"
    with pytest.raises(InvalidInput):
        timed.context("no such id!")
    clock.go_on(days=29)
    with pytest.raises(Gone):
        timed.context(context.id)
    clock.go_on(days=2)
    timed.sweep()
    with pytest.raises(NotFound) as raised:
        timed.context(context.id)
    assert raised.value.code == "not_found"


def test_a_context_is_nobody_elses(url):
    with Memory.open(url, root="main") as mine:
        mine.save("The bridge is open.", namespace="sub")
        context = mine.activate("bridge")
        below = mine.activate("bridge", namespace="sub")
    for other in ({"owner": "other"}, {"root": "elsewhere"}, {"root": "main/sub"}):
        with Memory.open(url, **other) as memory:
            with pytest.raises(NotFound):
                memory.context(context.id)
            if other == {"root": "main/sub"}:
                assert texts(memory.context(below.id)) == ["The bridge is open."]


def test_an_agent_is_told_gone_or_missing(url, execute):
    with Memory.open(url) as memory:
        memory.save("The bridge is open.")

    async def conversation(client):
        made = await call(client, "memory_activate", query="bridge", top_k=1)
        again = await call(client, "memory_activate", active_context_id=made["active_context_id"])
        assert again["items"] == made["items"]
        execute(url, "update active_contexts set expires_at = '2020-01-01T00:00:00.000000Z'")
        error = await refusal(client, "memory_activate", active_context_id=made["active_context_id"])
        assert (error["code"], error["hint"]) == ("gone", "activate again")
        missing = await refusal(client, "memory_activate", active_context_id="nothing")
        assert missing["code"] == "not_found"
        for wrong in (
            {},
            {"query": "x", "active_context_id": "y"},
            {"query": "x", "scope": ["forever"]},
            {"query": "x", "top_k": 51},
            {"query": "x", "max_tokens": 0},
            {"query": " "},
            {"query": "x", "provenance": [1]},
        ):
            assert (await refusal(client, "memory_activate", **wrong))["code"] == "invalid_input"

    talk(url, conversation)


def test_the_policy_says_how_long_a_context_lives(timed, clock):
    timed.save("The bridge is open.")
    timed.apply_policy("version: 1.1.0\nretrieval: {context: {minutes: 5, k_final: 1}}")
    context = timed.activate("bridge")
    clock.go_on(minutes=4)
    timed.context(context.id)
    clock.go_on(minutes=1)
    with pytest.raises(Gone):
        timed.context(context.id)


# --- feedback ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signal", "utility", "confidence", "fresh", "closed"),
    [
        ("helpful", 0.10, 0.55, True, False),
        ("harmful", -0.20, 0.40, False, False),
        ("outdated", 0.0, 0.30, False, True),
        ("duplicate", -0.05, 0.50, False, False),
        ("completed", 0.0, 0.50, False, True),
    ],
)
def test_what_each_signal_does(timed, clock, events_of, signal, utility, confidence, fresh, closed):
    node = timed.save("The bridge is open.", claim_kind="task").node
    context = timed.activate("bridge")
    clock.go_on(days=3)
    judged = timed.feedback(node.id, signal, active_context_id=context.id, request_id="r", trace_id="t")
    assert (judged.status, judged.signal, judged.representative_id) == ("recorded", signal, None)
    stored = timed.get(node.id)
    assert stored == judged.node
    assert (stored.utility, stored.confidence) == (pytest.approx(utility), pytest.approx(confidence))
    assert (stored.recency_anchor > node.recency_anchor) == fresh
    assert (stored.valid_to is not None) == closed
    assert events_of("feedback") == [
        ({"memo_id": node.id, "signal": signal, "active_context_id": context.id}, "r", "t")
    ]
    ((critic, *ids),) = events_of("critic")
    assert ids == ["r", "t"]
    assert critic["utility"] == [0.0, pytest.approx(utility)]
    assert critic["confidence"] == [0.5, pytest.approx(confidence)]


def test_utility_and_quality_decay_exactly_however_often_they_are_looked_at(timed, clock):
    node = timed.save("The bridge is open.", claim_kind="fact").node
    timed.feedback(node.id, "helpful")
    clock.go_on(days=30)
    assert timed.feedback(node.id, "outdated").node.utility == pytest.approx(0.05)
    clock.go_on(days=30)
    judged = timed.feedback(node.id, "helpful").node
    assert judged.utility == pytest.approx(0.125)
    assert judged.quality == pytest.approx(0.5 * 2 ** (-60 / 120))


def test_helpful_comes_first_and_harmful_sinks(memory):
    ids = [memory.save(text).node.id for text in ("The bridge is open today.", "The bridge is open now.")]
    first, second = (item.node.id for item in memory.activate("is the bridge open").items)
    assert {first, second} == set(ids)
    for _ in range(10):
        memory.feedback(second, "helpful")
        memory.feedback(first, "harmful")
    assert memory.activate("is the bridge open").items[0].node.id == second


def test_a_completed_task_is_recalled_no_more(memory):
    task = memory.save("Paint the bridge.", claim_kind="task").node.id
    assert len(memory.activate("paint the bridge").items) == 1
    memory.feedback(task, "completed")
    assert memory.activate("paint the bridge").items == ()
    assert memory.get(task).valid_to is not None


def test_a_request_counts_once(memory, execute, url):
    first, second = (memory.save(text).node.id for text in ("The bridge is open.", "The bridge is closed."))
    assert memory.feedback(first, "helpful", request_id="r1").status == "recorded"
    repeated = memory.feedback(first, "helpful", request_id="r1")
    assert (repeated.status, repeated.node.utility) == ("repeated", pytest.approx(0.1))
    for node, signal in ((second, "helpful"), (first, "harmful")):
        with pytest.raises(Conflict):
            memory.feedback(node, signal, request_id="r1")
    assert memory.feedback(first, "helpful", request_id="r2").status == "recorded"
    assert memory.feedback(first, "helpful").status == "recorded"
    assert execute(url, "select count(*) from feedback")[0][0] == 3
    assert execute(url, "select count(*) from events where topic = 'feedback'")[0][0] == 3
    with Memory.open(url, owner="other") as other:
        mine = other.save("The bridge is mine.").node.id
        assert other.feedback(mine, "helpful", request_id="r1").status == "recorded"


def test_wrong_feedback_is_refused(memory):
    memo = memory.save("The bridge is open.").node.id
    claim = memory.save("The bridge is closed.", claim_kind="fact").node.id
    for signal, given, error in (
        ("liked", {}, InvalidInput),
        (None, {}, InvalidInput),
        ("helpful", {"duplicate_of": claim}, InvalidInput),
        ("duplicate", {"duplicate_of": memo}, InvalidInput),
        ("duplicate", {"duplicate_of": claim}, InvalidInput),
        ("duplicate", {"duplicate_of": "nothing"}, NotFound),
        ("helpful", {"active_context_id": "nothing"}, NotFound),
    ):
        with pytest.raises(error):
            memory.feedback(memo, signal, **given)
    with pytest.raises(NotFound):
        memory.feedback("nothing", "helpful")
    assert memory.get(memo).utility == 0
    assert memory.get(memo).superseded_by is None


def test_a_duplicate_is_merged_into_its_representative(memory):
    loser = memory.save("The long bridge over the river is open.").node.id
    heir = memory.save("The bridge can be crossed.").node.id
    judged = memory.feedback(loser, "duplicate", duplicate_of=heir)
    assert judged.representative_id == heir
    assert memory.get(loser).content == "The long bridge over the river is open."
    assert memory.get(loser).superseded_by == heir
    # The loser's words still lead to the one that stands for it.
    context = memory.activate("the long bridge over the river", graph=False)
    assert [(item.node.id, item.replaces) for item in context.items] == [(heir, (loser,))]
    assert context.filtered["superseded"] == 1


def test_chains_and_cycles_of_duplicates(memory):
    a, b, c, d = (memory.save(f"The bridge is open, version {letter}.").node.id for letter in "abcd")
    assert memory.feedback(a, "duplicate", duplicate_of=b).representative_id == b
    assert memory.feedback(b, "duplicate", duplicate_of=c).representative_id == c
    # To say that d is one of a says that it is one of what stands for a.
    assert memory.feedback(d, "duplicate", duplicate_of=a).representative_id == c
    with pytest.raises(Conflict):
        memory.feedback(c, "duplicate", duplicate_of=a)
    assert memory.get(c).superseded_by is None
    ids = [item.node.id for item in memory.activate("which version of the bridge is open").items]
    assert c in ids
    assert memory.get(a).superseded_by in (b, c)


def test_the_end_of_a_chain_stands_for_all_of_it(memory):
    a, b, c = (memory.save(text).node.id for text in ("Alpha bridge.", "Beta viaduct.", "Gamma crossing."))
    memory.feedback(a, "duplicate", duplicate_of=b)
    memory.feedback(b, "duplicate", duplicate_of=c)
    assert [item.node.id for item in memory.activate("Alpha bridge", graph=False).items] == [c]


def test_a_cycle_in_the_store_does_not_trap_anyone(memory, execute, url):
    a, b = (memory.save(f"The bridge is open, {letter}.").node.id for letter in "ab")
    execute(url, f"update nodes set superseded_by = case id when '{a}' then '{b}' else '{a}' end")
    memory.activate("bridge")
    c = memory.save("Another bridge.").node.id
    with pytest.raises(Conflict):
        memory.feedback(c, "duplicate", duplicate_of=a)


def test_an_agent_judges(url):
    with Memory.open(url) as memory:
        loser, heir = (memory.save(text).node.id for text in ("The bridge is open.", "The bridge is not closed."))

    async def conversation(client):
        context = await call(client, "memory_activate", query="bridge")
        judged = await call(
            client,
            "memory_feedback",
            memo_id=heir,
            signal="helpful",
            active_context_id=context["active_context_id"],
            request_id="r1",
            trace_id="t1",
        )
        assert (judged["status"], judged["utility"], judged["confidence"]) == ("recorded", 0.1, 0.55)
        assert judged["memo"]["id"] == heir
        again = await call(client, "pce.memory.feedback", claim_id=heir, signal="helpful", request_id="r1")
        assert again["status"] == "repeated"
        other = await refusal(client, "memory_feedback", memo_id=loser, signal="helpful", request_id="r1")
        assert other["code"] == "conflict"
        merged = await call(client, "memory_feedback", memo_id=loser, signal="duplicate", duplicate_of=heir)
        assert merged["superseded_by"] == heir
        read = await call(client, "memory_list", memo_id=loser)
        assert read["items"][0]["content"] == "The bridge is open."
        for wrong in ({"signal": "liked"}, {"signal": "duplicate", "duplicate_of": loser}):
            assert (await refusal(client, "memory_feedback", memo_id=loser, **wrong))["code"] == "invalid_input"

    talk(url, conversation)


# --- sweeping ---------------------------------------------------------------------------------------------------------


FORGETTING = "version: 1.1.0\nkeep_expired_days: 30"


def test_what_has_expired_is_not_recalled_and_swept_with_a_receipt_where_the_policy_says_so(
    timed, clock, url, execute, events_of
):
    timed.apply_policy(FORGETTING)
    short = timed.save("The bridge is closed this week.", scope="session").node
    long = timed.save("The bridge is 100 metres long.").node
    timed.relate(short.id, long.id, tag="supports", weight=1, reason="both about the bridge")
    timed.relate(long.id, short.id, tag="explains", weight=1)
    assert len(timed.activate("bridge").items) == 2
    clock.go_on(days=7, seconds=-1)
    assert len(timed.search("bridge").hits) == 2
    clock.go_on(seconds=1)
    # At once: nothing has been swept yet.
    assert [hit.node.id for hit in timed.search("bridge").hits] == [long.id]
    assert [hit.node.id for hit in timed.search("bridge", rank="final").hits] == [long.id]
    assert [each.id for each in timed.vector_search("bridge", target="memos", min_similarity=0).results] == [long.id]
    clock.go_on(days=30, seconds=-1)
    assert timed.sweep().node_ids == ()
    clock.go_on(seconds=1)
    swept = timed.sweep()
    assert (swept.node_ids, swept.edges) == ((short.id,), 2)
    receipts = execute(
        url, "select kind, node_id, content, reason, run_id from retired where kind <> 'embedding' order by seq"
    )
    assert [(kind, node) for kind, node, *_ in receipts] == [
        ("node", short.id),
        ("edge", short.id),
        ("edge", long.id),
    ]
    assert json.loads(receipts[0][2])["content"] == short.content
    assert json.loads(receipts[1][2])["reason"] == "both about the bridge"
    assert {json.loads(reason)["rule"] for _, _, _, reason, _ in receipts} == {"expired"}
    assert {run for *_, run in receipts} == {swept.run_id}
    ((event, *_),) = events_of("sweep")
    assert event == {"run_id": swept.run_id, "rule": "expired", "node_ids": [short.id], "edges": 2}
    with pytest.raises(NotFound):
        timed.get(short.id)
    assert timed.relations().edges == ()
    assert timed.sweep().node_ids == ()
    assert timed.doctor().ok


def test_neither_activate_nor_save_nor_sweep_lets_go_of_what_has_expired(timed, clock, execute, url):
    memo = timed.save("The bridge is closed this week.", scope="session").node
    clock.go_on(days=7)
    assert timed.activate("bridge").items == ()
    timed.save("a new note")
    clock.go_on(days=10_000)
    assert timed.sweep().node_ids == ()
    assert execute(url, "select count(*) from retired where kind = 'node'")[0][0] == 0
    assert timed.get(memo.id) == memo


def test_a_sweep_takes_as_many_as_it_is_told(timed, clock):
    timed.apply_policy(FORGETTING)
    for number in range(5):
        timed.save(f"note {number}", scope="session")
    clock.go_on(days=40)
    assert len(timed.sweep(limit=3).node_ids) == 3
    assert len(timed.sweep().node_ids) == 2


def test_a_text_that_has_expired_can_be_saved_again(timed, clock):
    old = [timed.save(f"note {number}", scope="session").node for number in range(25)]
    clock.go_on(days=8)
    assert timed.list().nodes == ()
    again = timed.save("note 24")
    assert (again.status, again.node.id, again.node.expires_at) == ("duplicate", old[24].id, None)
    assert [node.content for node in timed.list().nodes] == ["note 24"]


def test_a_sweep_stays_in_its_root_and_with_its_owner(url, clock):
    for given in ({"root": "main"}, {"root": "elsewhere"}, {"owner": "other"}):
        with Memory.open(url, clock=clock, **given) as memory:
            memory.apply_policy(FORGETTING)
            memory.save("a short note", scope="session")
    clock.go_on(days=40)
    with Memory.open(url, clock=clock, root="main") as memory:
        assert len(memory.sweep().node_ids) == 1
    with Memory.open(url, clock=clock, root="elsewhere") as memory:
        assert len(memory.list(include=["expired"]).nodes) == 1


def test_an_expired_node_of_a_context_is_left_out(timed, clock):
    timed.apply_policy("version: 1.1.0\nretrieval: {context: {minutes: 10000}}")
    timed.save("The bridge is closed this week.", scope="session")
    clock.go_on(days=6)
    context = timed.activate("bridge")
    assert len(context.items) == 1
    clock.go_on(days=2)
    assert timed.context(context.id).items == ()


# --- events -----------------------------------------------------------------------------------------------------------


def test_events_of_each_topic(url, clock, events_of):
    with Memory.open(url, clock=clock) as memory:
        node = memory.save("The bridge is open.", scope="session", request_id="r-ingest", trace_id="t-1").node
        memory.activate("bridge", request_id="r-activate", trace_id="t-1")
        memory.search("bridge", request_id="r-search", trace_id="t-1")
        memory.feedback(node.id, "helpful", request_id="r-feedback", trace_id="t-1")
        memory.apply_policy(FORGETTING, approver="Kim", request_id="r-policy")
        clock.go_on(days=40)
        memory.sweep()
        assert events_of("search") == [], "a search does not wait for its event"
    for topic, trace in (
        ("ingest", "t-1"),
        ("activate", "t-1"),
        ("search", "t-1"),
        ("feedback", "t-1"),
        ("critic", "t-1"),
        ("policy", None),
    ):
        ((payload, request_id, trace_id),) = events_of(topic)
        assert (request_id, trace_id) == (f"r-{'feedback' if topic == 'critic' else topic}", trace), topic
        assert "bridge" not in json.dumps(payload), "events name rows and figures and never carry text"
    ((swept, *_),) = events_of("sweep")
    assert swept["node_ids"] == [node.id]
    ((policy, *_),) = events_of("policy")
    assert (policy["version"], policy["approver"]) == ("1.1.0", "Kim")
    ((search, *_),) = events_of("search")
    assert (search["hits"], search["arms"], search["policy_version"]) == (1, ["text", "vectors"], "1.0.0")
    assert events_of("search_fallback") == []


def test_an_activation_writes_its_statistics(memory, events_of):
    for number in range(10):
        memory.save(f"The bridge number {number} is open.")
    context = memory.activate("which bridge is open?", graph=False)
    ((event, *_),) = events_of("activate")
    assert event["active_context_id"] == context.id
    assert event["items"] == len(context.items)
    assert (event["alpha"], event["k_final"], event["policy_version"]) == (context.parameters["alpha"], 12, "1.0.0")
    assert set(event["scores"]) == {"s_text", "s_vec", "S", "g", "score_final"}
    scores = sorted(item.score for item in context.items)
    assert len(scores) == 10
    assert set(event["scores"]["S"]) == {"avg", "p50", "p90"}
    assert event["scores"]["score_final"]["avg"] == pytest.approx(sum(scores) / 10, abs=1e-4)
    assert event["scores"]["score_final"]["p50"] == pytest.approx((scores[4] + scores[5]) / 2, abs=1e-4)
    assert event["scores"]["score_final"]["p90"] == pytest.approx(scores[8] + 0.1 * (scores[9] - scores[8]), abs=1e-4)


def test_an_empty_memory_is_recalled_from_and_written_down(memory, events_of):
    context = memory.activate("anything")
    assert (context.items, context.note) == ((), "nothing is saved in main yet")
    ((event, *_),) = events_of("activate")
    assert (event["items"], event["scores"]) == (0, {})


def test_a_dead_endpoint_is_a_fallback(url, endpoint, monkeypatch, events_of):
    monkeypatch.setenv("WHEREFROM_EMBED_URL", endpoint.url)
    with Memory.open(url, embedder="endpoint", embed_model="m") as memory:
        memory.save("The bridge is open.")
        memory.embed()
        endpoint.mode = "refused"
        context = memory.activate("bridge", request_id="r1", trace_id="t1")
        assert texts(context) == ["The bridge is open."]
        assert "searched by words only" in context.degraded[0]
        assert "vectors" not in context.parameters["arms"]
        found = memory.search("bridge", request_id="r2", trace_id="t1")
        assert "searched by words only" in found.degraded[0]
    assert [ids for _, *ids in events_of("search_fallback")] == [["r1", "t1"], ["r2", "t1"]]
    assert "searched by words only" in events_of("search_fallback")[0][0]["reasons"][0]
    assert events_of("activate")[0][0]["degraded"] >= 1


def test_an_agent_recalls_while_the_endpoint_is_down(url, events_of):
    with Memory.open(url) as memory:
        memory.save("The bridge is open.")

    async def conversation(client):
        context = await call(client, "memory_activate", query="bridge", request_id="r1", explain=True)
        assert context["items"][0]["content"] == "The bridge is open."
        assert "searched by words only" in context["degraded"][0]
        assert "vectors" not in context["parameters"]["arms"]

    talk(url, conversation, **DEAD_ENDPOINT)
    ((_, request_id, _),) = events_of("search_fallback")
    assert request_id == "r1"


def test_a_search_by_final_score_weighs_what_was_judged(memory, events_of):
    ids = [memory.save(f"The bridge is open {when}.").node.id for when in ("today", "now")]
    first, second = (hit.node.id for hit in memory.search("the bridge is open").hits)
    assert {first, second} == set(ids)
    for _ in range(10):
        memory.feedback(second, "helpful")
        memory.feedback(first, "harmful")
    assert [hit.node.id for hit in memory.search("the bridge is open").hits] == [first, second]
    final = memory.search("the bridge is open", rank="final")
    assert [hit.node.id for hit in final.hits] == [second, first]
    with pytest.raises(InvalidInput, match="relevance, final"):
        memory.search("bridge", rank="best")


def test_ranks_and_scopes_through_the_interfaces(url):
    with Memory.open(url) as memory:
        old = memory.save("The bridge is open.", scope="project").node.id
        memory.save("The bridge is open again.")
        memory.feedback(old, "helpful")

    async def conversation(client):
        final = await call(client, "memory_search", query="bridge open", rank="final", scope=["project"])
        assert [item["id"] for item in final["items"]] == [old]
        assert (await refusal(client, "memory_search", query="x", rank="best"))["code"] == "invalid_input"

    talk(url, conversation)
    found = json.loads(wherefrom(url, "search", "bridge open", "--rank", "final", "--scope", "project", "--json"))
    assert [item["id"] for item in found["items"]] == [old]
    assert "invalid_input" in wherefrom(url, "search", "x", "--rank", "best", code=2)


def test_recall_without_vectors_says_nothing_is_missing(url):
    with Memory.open(url, embedder="none") as memory:
        memory.save("The bridge is open.")
        context = memory.activate("bridge")
        assert (texts(context), context.degraded) == (["The bridge is open."], ())


def test_another_model_than_the_stores_is_a_fallback(url, events_of):
    with Memory.open(url) as memory:
        memory.save("The bridge is open.")
    with Memory.open(url, embedder=Numbered()) as memory:
        assert "searched by words only" in memory.activate("bridge").degraded[0]
    assert len(events_of("search_fallback")) == 1
