"""What the seeds promise about answers: ids of every request, final scores by their old name, events of what was left out."""

from __future__ import annotations

import json

import pytest
from embedders_for_tests import Numbered
from mcp import Client
from recall_for_tests import Compass, policy
from talking_for_tests import Clock, answer_in, talk, wherefrom

from wherefrom import BoundaryDenied, Memory
from wherefrom.interfaces.mcp.tools import listed
from wherefrom.interfaces.paging import CEILING_BYTES
from wherefrom.interfaces.verbs import TOOLS
from wherefrom.model.evidence import SearchHealth


async def answer_of(client: Client, tool: str, **arguments):
    """The full answer of a call, or its error with its ids."""
    return answer_in(await client.call_tool(tool, {"detail": "full", **arguments}))


def traced(execute, url, topic):
    """The ids of the events of a topic."""
    return execute(url, f"select request_id, trace_id from events where topic = '{topic}' order by seq")


def payloads(execute, url, topic):
    return [json.loads(row[0]) for row in execute(url, f"select payload from events where topic = '{topic}'")]


def test_every_answer_carries_the_ids_that_its_events_carry(url, execute):
    async def conversation(client):
        given = {"request_id": "req-1", "trace_id": "trace-1"}
        saved = await answer_of(client, "memory_save", content="The gate opens at nine.", **given)
        assert (saved["request_id"], saved["trace_id"]) == ("req-1", "trace-1")
        memo_id = saved["memo"]["id"]
        other = await answer_of(client, "memory_save", content="The gate closes at five.")
        ends = {"source_memo_id": memo_id, "target_memo_id": other["memo"]["id"], "tag": "explains"}
        answers = {
            "search": await answer_of(client, "memory_search", query="gate", requestId="req-2", traceId="trace-2"),
            "activate": await answer_of(client, "memory_activate", query="gate"),
            "feedback": await answer_of(client, "memory_feedback", memo_id=memo_id, signal="helpful"),
            "task": await answer_of(client, "create_task", query="When does it open?", request_id="req-3"),
            "integrate": await answer_of(client, "memory_relation_save", weight=0.5, **ends),
            "delete": await answer_of(client, "memory_delete", memo_id=other["memo"]["id"]),
        }
        for tool in ("memory_list", "list_namespaces", "get_status", "query_view", "metabolize"):
            answer = await answer_of(client, tool, trace_id="trace-9")
            assert answer["trace_id"] == "trace-9"
            assert len(answer["request_id"]) == 36
        return saved, other, answers

    saved, other, answers = talk(url, conversation)
    assert (answers["search"]["request_id"], answers["search"]["trace_id"]) == ("req-2", "trace-2")
    assert answers["task"]["request_id"] == "req-3"
    made = [value for answer in (other, answers["activate"]) for value in (answer["request_id"], answer["trace_id"])]
    assert len(set(made)) == 4
    assert all(value[14] == "7" for value in made)
    assert traced(execute, url, "ingest") == [(answer["request_id"], answer["trace_id"]) for answer in (saved, other)]
    for topic, answer in answers.items():
        assert traced(execute, url, topic) == [(answer["request_id"], answer["trace_id"])], topic


def test_an_error_carries_its_ids(url):
    async def conversation(client):
        refused = await answer_of(client, "memory_delete", memo_id="missing", request_id="req-1")
        assert refused["error"]["code"] == "not_found"
        assert refused["request_id"] == "req-1"
        assert refused["trace_id"]
        for wrong in ("no id", 5, "x" * 65):
            refused = await answer_of(client, "memory_list", request_id=wrong)
            assert refused["error"]["code"] == "invalid_input"
            assert len(refused["request_id"]) == 36

    talk(url, conversation)


def test_a_request_that_is_repeated_still_counts_once(url):
    async def conversation(client):
        saved = await answer_of(client, "memory_save", content="The gate opens at nine.")
        judged = {"memo_id": saved["memo"]["id"], "signal": "helpful"}
        first = await answer_of(client, "memory_feedback", request_id="req-1", **judged)
        again = await answer_of(client, "memory_feedback", request_id="req-1", **judged)
        assert [first["status"], again["status"]] == ["recorded", "repeated"]
        assert again["request_id"] == "req-1"
        for _ in range(2):
            assert (await answer_of(client, "memory_feedback", **judged))["status"] == "recorded"

    talk(url, conversation)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.tool)
def test_the_ids_are_part_of_every_output_schema(tool):
    schema = listed(tool, schemas=True).output_schema
    assert {"request_id", "trace_id"} <= schema["properties"].keys()
    assert {"request_id", "trace_id"} <= set(schema["required"])


def test_an_answer_with_its_ids_stays_below_the_ceiling(sqlite_memory, tmp_path):
    for number in range(60):
        sqlite_memory.save(f'"gate" {number} ' + "ゲート" * 400)
    sqlite_memory.close()
    ids = {"request_id": "r" * 64, "trace_id": "t" * 64}

    async def conversation(client):
        for tool, given in (("memory_search", {"query": "gate", "limit": 50}), ("memory_list", {"limit": 100})):
            result = await client.call_tool(tool, {**given, **ids, "detail": "full"})
            text = json.dumps(result.content[0].text, ensure_ascii=False)
            assert 30_000 < len(text.encode()) <= CEILING_BYTES
            assert answer_in(result)["truncated"]

    talk(str(tmp_path / "memory.db"), conversation)


def test_a_search_that_had_to_be_shortened_writes_one_event(sqlite_memory, tmp_path, execute):
    for number in range(60):
        sqlite_memory.save(f"gate {number} " + "ゲート" * 400)
    sqlite_memory.close()
    path = str(tmp_path / "memory.db")

    async def conversation(client):
        assert (await answer_of(client, "memory_search", query="gate", limit=50))["truncated"]

    talk(path, conversation)
    assert len(traced(execute, path, "search")) == 1


def test_commands_answer_with_their_ids_in_json(url, execute):
    saved = json.loads(wherefrom(url, "save", "The gate opens at nine.", "--json"))
    assert traced(execute, url, "ingest") == [(saved["request_id"], saved["trace_id"])]
    memo_id = saved["memo"]["id"]
    judged = json.loads(wherefrom(url, "feedback", memo_id, "helpful", "--request", "req-1", "--json"))
    assert judged["request_id"] == "req-1"
    assert traced(execute, url, "feedback") == [("req-1", judged["trace_id"])]
    refused = json.loads(wherefrom(url, "get", "missing", "--json", code=3))
    assert refused["error"]["code"] == "not_found"
    assert len(refused["request_id"]) == 36
    refused = json.loads(wherefrom(url, "feedback", memo_id, "helpful", "--request", "no id", "--json", code=2))
    assert refused["request_id"] != "no id"


@pytest.fixture
def worn(url):
    """A store in which the one that fits best is unsure, and the one that fits less is sure."""
    with Memory.open(url) as memory:
        memory.save("The gate, the old gate, opens at nine.", confidence=0.0)
        memory.save("The old gate opens at nine today.", confidence=1.0)
    return url


def test_the_seeds_search_ranks_by_the_final_score(worn):
    async def conversation(client):
        async def order(tool, **given):
            found = await answer_of(client, tool, query="gate", limit=2, **given)
            return [item["confidence"] for item in found["items"]]

        assert await order("memory_search") == await order("memory.search") == [0.0, 1.0]
        assert await order("memory_search", rank="final") == [1.0, 0.0]
        assert await order("pce.memory.search") == [1.0, 0.0]
        assert await order("pce.memory.search", rank="relevance") == [0.0, 1.0]
        seed = await answer_of(client, "pce.memory.search", query="gate", topK=1, includeMeta=True)
        assert len(seed["items"]) == 1
        assert seed["items"][0]["factors"]["confidence"] == 1.0
        assert seed["policy_version"]
        assert seed["request_id"]

    talk(worn, conversation)


def test_a_final_score_is_explained_by_s_and_the_parts_of_g(worn):
    async def conversation(client):
        found = await answer_of(client, "memory_search", query="gate", rank="final", explain=True)
        for item in found["items"]:
            parts = item["factors"]
            assert parts["S"] * parts["g"] == pytest.approx(item["score"])
            weighed = (
                (0.6 + 0.4 * parts["utility"]) * (0.5 + 0.5 * parts["confidence"]) * (0.3 + 0.7 * parts["recency"])
            )
            assert parts["g"] == pytest.approx(weighed)
            assert parts["confidence"] == item["confidence"]
        for given in ({"explain": True}, {"rank": "final"}):
            plain = await answer_of(client, "memory_search", query="gate", **given)
            assert all(item["factors"] is None for item in plain["items"])

    talk(worn, conversation)
    shown = wherefrom(worn, "search", "gate", "--rank", "final", "--explain")
    assert "recency=1.00" in shown
    assert "confidence=1.00" in shown


def test_the_policy_says_how_many_candidates_a_search_has(url):
    with Memory.open(url, embedder=Compass()) as memory:
        for number in range(12):
            memory.save(f"gate number {number}")
            memory.save(f"north {'east ' * number}")
        assert memory.search("gate", limit=50).candidates == 12
        assert memory.search("north east", limit=50).candidates > 10
        memory.apply_policy(policy({"hybrid": {"k_txt": 3, "k_vec": 1}}))
        assert memory.search("gate", limit=50).candidates <= 4
        assert memory.search("north east", limit=50).candidates <= 4
        memory.apply_policy(policy({"hybrid": {"k_txt": 1, "k_vec": 9}}, version="1.0.2"))
        assert 9 <= memory.search("north east", limit=50).candidates <= 10


def test_the_heir_of_a_duplicate_shows_its_own_ranks(url):
    with Memory.open(url, embedder=Compass(), clock=Clock()) as memory:
        heir = memory.save("Somewhere north north east.").node.id
        duplicate = memory.save("The gate is north of the gate.").node.id
        memory.save("A gate that is nowhere else.")
        memory.feedback(duplicate, "duplicate", duplicate_of=heir)
        context = memory.activate("gate north", limit=5)
        item = next(item for item in context.items if item.node.id == heir)
        scores = item.breakdown.scores
        assert item.replaces == (duplicate,)
        assert scores.found_through == duplicate
        assert f"through={duplicate};" in item.figures
        # The duplicate is the first by words, and has another similarity.
        plain = next(hit for hit in memory.search("gate north").hits if hit.node.id == heir)
        assert plain.scores.text_rank == 2
        assert "FTS=rank:2;" in item.figures
        assert (scores.bm25, scores.text_rank) == (plain.scores.bm25, plain.scores.text_rank)
        assert scores.similarity == pytest.approx(plain.scores.similarity)
        assert scores.vector_rank == plain.scores.vector_rank
        final = next(hit for hit in memory.search("gate north", rank="final").hits if hit.node.id == heir)
        assert final.scores == scores


def test_an_heir_that_no_arm_found_has_no_rank(url):
    with Memory.open(url, embedder=Compass()) as memory:
        heir = memory.save("up").node.id
        duplicate = memory.save("The gate is north of the gate.").node.id
        memory.feedback(duplicate, "duplicate", duplicate_of=heir)
        memory.apply_policy(policy({"hybrid": {"k_txt": 1, "k_vec": 1}}))
        (hit,) = memory.search("gate north", rank="final").hits
        assert hit.node.id == heir
        assert hit.scores.found_through == duplicate
        assert (hit.scores.bm25, hit.scores.text_rank, hit.scores.vector_rank) == (None, None, None)
        assert hit.scores.similarity == pytest.approx(0.0)
        assert hit.score > 0


def test_an_heir_that_fits_better_itself_was_not_found_through_another(url):
    with Memory.open(url) as memory:
        heir = memory.save("The gate, the gate, the gate.", title="gate").node.id
        duplicate = memory.save("There is a long wall with a gate somewhere in it.").node.id
        memory.feedback(duplicate, "duplicate", duplicate_of=heir)
        (hit,) = memory.search("gate", rank="final").hits
        assert (hit.node.id, hit.scores.found_through, hit.scores.text_rank) == (heir, None, 1)


def test_a_context_is_read_page_by_page(url, execute):
    with Memory.open(url) as memory:
        for number in range(40):
            memory.save(f"The gate number {number} is at {number} o'clock. " + "ゲート" * 200, title=f"Gate {number}")

    async def conversation(client):
        asked = {"query": "gate number", "top_k": 40, "explain": True}
        pages = [await answer_of(client, "memory_activate", **asked)]
        context_id = pages[0]["active_context_id"]
        assert pages[0]["truncated"]
        while (cursor := pages[-1]["next_cursor"]) is not None:
            pages.append(await answer_of(client, "memory_activate", cursor=cursor))
        ranks = [item["rank"] for page in pages for item in page["items"]]
        assert ranks == list(range(1, len(ranks) + 1))
        assert {page["active_context_id"] for page in pages} == {context_id}
        first = pages[0]["next_cursor"]
        # The seed's client repeats its question; a page may be kept short.
        again = await answer_of(client, "pce.memory.activate", q="gate number", cursor=first, top_k=2)
        assert [item["rank"] for item in again["items"]] == [item["rank"] for item in pages[1]["items"]][:2]
        assert again["next_cursor"] is not None
        for wrong in ("x", first[:-4], "Y29udGV4dDp4"):
            refused = await answer_of(client, "memory_activate", cursor=wrong)
            assert refused["error"]["code"] in ("invalid_input", "not_found")
        other = await answer_of(client, "memory_activate", cursor=first, active_context_id="another")
        assert other["error"]["code"] == "invalid_input"
        return first, len(ranks)

    cursor, count = talk(url, conversation)
    assert execute(url, "select count(*) from active_contexts") == [(1,)]
    assert execute(url, "select count(*) from active_context_items") == [(count,)]

    async def stranger(client):
        refused = await answer_of(client, "memory_activate", cursor=cursor)
        assert refused["error"]["code"] == "not_found"

    talk(url, stranger, WHEREFROM_OWNER="someone-else")
    talk(url, stranger, WHEREFROM_ROOT="main/other")


def test_the_score_of_feedback_says_how_strongly(url, execute):
    def figures(answer):
        return round(answer["utility"], 6), round(answer["confidence"], 6)

    async def conversation(client):
        async def judged(signal, **given):
            saved = await answer_of(client, "memory_save", content=f"{signal} {given}", claim_kind="fact")
            return await answer_of(client, "pce.memory.feedback", claim_id=saved["memo"]["id"], signal=signal, **given)

        assert figures(await judged("helpful")) == figures(await judged("helpful", score=1)) == (0.1, 0.55)
        assert figures(await judged("helpful", score=0.5)) == (0.05, 0.525)
        assert figures(await judged("helpful", score=0)) == (0.0, 0.5)
        # The signal says which way: a client that gives the sign as well means the same.
        assert figures(await judged("harmful", score=1)) == figures(await judged("harmful", score=-1.0)) == (-0.2, 0.4)
        assert figures(await judged("outdated", score=-0.5)) == (0.0, 0.4)
        for signal, score in (
            ("helpful", 1.5),
            ("harmful", -2),
            ("helpful", -0.1),
            ("helpful", True),
            ("helpful", "x"),
        ):
            assert (await judged(signal, score=score))["error"]["code"] == "invalid_input"

    talk(url, conversation)
    assert [payload.get("score") for payload in payloads(execute, url, "feedback")] == [None, 1, 0.5, 0, 1, -1, -0.5]


def test_the_command_takes_a_score(url):
    memo_id = json.loads(wherefrom(url, "save", "The gate opens at nine.", "--json"))["memo"]["id"]
    judged = json.loads(wherefrom(url, "feedback", memo_id, "helpful", "--score", "0.5", "--json"))
    assert judged["utility"] == pytest.approx(0.05)


@pytest.mark.parametrize("given", [{}, {"request_id": "req-1", "trace_id": "trace-1"}])
def test_a_refused_save_leaves_an_event_and_nothing_of_its_text(url, execute, given):
    key = "AKIAQ3EGRZ7VNH2KD5TM"
    with Memory.open(url) as memory:
        memory.apply_policy(policy(secrets="deny"))

    async def conversation(client):
        text = f"The aws key of the gate is aws_access_key_id = {key}"
        return [
            await answer_of(client, "memory_save", content=text, namespace="sub", **given),
            await answer_of(
                client,
                "add_evidence",
                page={"url": "https://example.org/gate"},
                fragments=[{"text": text}],
                **given,
            ),
        ]

    answers = talk(url, conversation)
    assert [answer["error"]["code"] for answer in answers] == ["boundary_denied"] * 2
    assert traced(execute, url, "filter") == [(answer["request_id"], answer["trace_id"]) for answer in answers]
    assert given.items() <= answers[0].items()
    save, evidence = payloads(execute, url, "filter")
    assert (save["verb"], save["decision"]) == ("save", "denied")
    assert "secret" in save["reason"]
    assert save["policy_version"]
    assert (evidence["verb"], evidence["decision"]) == ("add_evidence", "denied")
    assert execute(url, "select namespace from events where topic = 'filter' order by seq") == [
        ("main/sub",),
        ("main",),
    ]
    assert "gate" not in str(execute(url, "select payload from events"))
    assert key not in str(execute(url, "select payload from events"))
    assert execute(url, "select count(*) from nodes") == [(0,)]


def test_a_refusal_by_class_or_invariant_leaves_an_event(url, execute):
    with Memory.open(url) as memory:
        with pytest.raises(BoundaryDenied):
            memory.save("The gate.", boundary_class="pii")
        with pytest.raises(BoundaryDenied):
            memory.create_task("Where is the gate?", boundary_class="pii")
        rule = {"name": "no_drafts", "applies_to": ["*"], "rule": "metadata.draft != true"}
        memory.apply_policy(policy(invariants=[rule]))
        with pytest.raises(BoundaryDenied):
            memory.save("The gate.", metadata={"draft": True}, request_id="req-1")
        # Written at once: a process that dies now has told what it refused.
        by_class, of_task, by_rule = payloads(execute, url, "filter")
    assert "'pii'" in by_class["reason"]
    assert of_task["verb"] == "create_task"
    assert by_rule["reason"] == "invariant violation: no_drafts"
    assert traced(execute, url, "filter")[2] == ("req-1", None)


def test_a_refused_document_leaves_an_event(url, execute, tmp_path):
    (tmp_path / "gate.md").write_text("# Gate\n\nIts key is aws_access_key_id = AKIAQ3EGRZ7VNH2KD5TM for now.\n")
    with Memory.open(url) as memory:
        memory.apply_policy(policy(secrets="deny"))
        memory.add_documents([str(tmp_path / "gate.md")])
        (refused,) = payloads(execute, url, "filter")
    assert (refused["verb"], refused["decision"]) == ("add_document", "denied")
    assert "AKIA" not in str(refused)


def test_what_rules_left_out_of_an_answer_is_an_event(url, execute):
    with Memory.open(url) as memory:
        done = memory.save("Paint the gate.", claim_kind="task").node.id
        memory.save("The gate is green.")
        memory.feedback(done, "completed")
        memory.search("gate", rank="final", request_id="req-1")
        context = memory.activate("gate", trace_id="trace-1")
        memory.search("gate")
    searched, activated, found = payloads(execute, url, "filter")
    assert found["filtered"] == {"closed": 1}
    assert searched == {"verb": "search", "decision": "filtered", "filtered": {"closed": 1}}
    assert activated == {"verb": "activate", "decision": "filtered", "filtered": dict(context.filtered)}
    assert traced(execute, url, "filter") == [("req-1", None), (None, "trace-1"), (None, None)]


def test_the_status_says_how_many_searches_lacked_an_arm(url):
    clock = Clock()
    with (
        Memory.open(url, embedder=Compass(), clock=clock) as memory,
        Memory.open(url, embedder=Numbered(), clock=clock) as stranger,
    ):
        memory.save("The gate is in the north.")
        assert memory.status().searches == SearchHealth(days=7, searches=0, fallbacks=0)
        assert memory.status().searches.fallback_share == 0.0
        for _ in range(2):
            memory.search("gate")
        memory.activate("gate")
        # The store's vectors are made with another model: there are words only.
        assert stranger.search("gate").degraded
        memory.status()
        found = stranger.status().searches
        assert (found.searches, found.fallbacks, found.fallback_share) == (4, 1, 0.25)
        assert memory.status().searches == found
        # Counted below the root that asks, and for a week.
        stranger.search("gate", namespace="sub")
        stranger.status()
        with Memory.open(url, embedder=Compass(), clock=clock, root="main/sub") as below:
            assert below.status().searches == SearchHealth(days=7, searches=1, fallbacks=1)
        clock.go_on(days=8)
        assert memory.status().searches.searches == 0


def test_the_share_of_fallbacks_is_told_over_mcp_and_on_the_command_line(url):
    async def conversation(client):
        await answer_of(client, "memory_save", content="The gate opens at nine.")
        await answer_of(client, "memory_search", query="gate")
        return (await answer_of(client, "get_status"))["searches"]

    assert talk(url, conversation) == {"days": 7, "searches": 1, "fallbacks": 0, "fallback_share": 0.0}
    assert "1 search in 7 days, 0 (0.0%) without one of their arms" in wherefrom(url, "status")


def test_searches_are_counted_by_an_index_of_their_own(url, execute):
    where = "owner_id = 'local' and at >= '2026' and topic in ('search', 'activate', 'search_fallback')"
    sql = f"select topic, count(*) from events where {where} group by topic"
    if url.startswith("postgresql"):
        # Its planner reads a table with nothing in it from end to end.
        known = execute(url, "select indexdef from pg_indexes where indexname = 'events_of_searches'")
        assert "WHERE" in known[0][0]
    else:
        assert "events_of_searches" in str(execute(url, f"explain query plan {sql}"))


def test_agents_see_the_id_and_the_time_of_a_vector(url):
    clock = Clock()
    with Memory.open(url, embedder=Compass(), clock=clock) as memory:
        first = memory.save("north").node
        clock.go_on(days=1)
        second = memory.save("south").node
        sql = "select id, target_id, model_id, created_at from embeddings order by created_at"

        def rows():
            found = memory.query_graph(sql)
            assert found.ok, found.error
            return [tuple(row) for row in found.rows]

        made = [(f"{node.id}:compass", node.id, "compass", node.created_at) for node in (first, second)]
        assert rows() == made
        clock.go_on(days=1)
        changed = memory.save("north north east", memo_id=first.id).node
        assert rows()[1] == (f"{first.id}:compass", first.id, "compass", changed.updated_at)


def test_the_time_of_a_vector_comes_back_with_its_node(url, execute):
    clock = Clock()
    with Memory.open(url, embedder=Compass(), clock=clock) as memory:
        memory.apply_policy("version: 1.1.0\nkeep_expired_days: 0")
        node = memory.save("north", scope="session").node
        clock.go_on(days=8)
        memory.sweep()
        assert execute(url, "select count(*) from embeddings") == [(0,)]
        memory.restore(node_id=node.id)
        assert execute(url, "select created_at from embeddings") == [(node.created_at,)]
