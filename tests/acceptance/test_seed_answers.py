"""What the seeds promise about answers: ids of every request, final scores by their old name, events of what was left out."""

from __future__ import annotations

import json

import pytest
from mcp import Client
from recall_for_tests import Clock, Compass, policy
from talking_for_tests import recollect, talk

from recollect import Memory
from recollect.interfaces.mcp.server import TOOLS
from recollect.interfaces.mcp.tool import CEILING_BYTES


async def answer_of(client: Client, tool: str, **arguments):
    """The answer of a call, or its error with its ids; text and structure say the same."""
    result = await client.call_tool(tool, arguments)
    text = json.loads(result.content[0].text)
    assert result.is_error or text == result.structured_content
    return text


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
        memo_id = saved["memo"]["memo_id"]
        other = await answer_of(client, "memory_save", content="The gate closes at five.")
        ends = {"source_memo_id": memo_id, "target_memo_id": other["memo"]["memo_id"], "tag": "explains"}
        answers = {
            "search": await answer_of(client, "memory_search", query="gate", requestId="req-2", traceId="trace-2"),
            "activate": await answer_of(client, "memory_activate", query="gate"),
            "feedback": await answer_of(client, "memory_feedback", memo_id=memo_id, signal="helpful"),
            "task": await answer_of(client, "create_task", query="When does it open?", request_id="req-3"),
            "integrate": await answer_of(client, "memory_relation_save", weight=0.5, **ends),
            "delete": await answer_of(client, "memory_delete", memo_id=other["memo"]["memo_id"]),
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
        judged = {"memo_id": saved["memo"]["memo_id"], "signal": "helpful"}
        first = await answer_of(client, "memory_feedback", request_id="req-1", **judged)
        again = await answer_of(client, "memory_feedback", request_id="req-1", **judged)
        assert [first["status"], again["status"]] == ["recorded", "repeated"]
        assert again["request_id"] == "req-1"
        for _ in range(2):
            assert (await answer_of(client, "memory_feedback", **judged))["status"] == "recorded"

    talk(url, conversation)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_ids_are_part_of_every_output_schema(tool):
    schema = tool.listed().output_schema
    assert {"request_id", "trace_id"} <= schema["properties"].keys()
    assert {"request_id", "trace_id"} <= set(schema["required"])


def test_an_answer_with_its_ids_stays_below_the_ceiling(sqlite_memory, tmp_path):
    for number in range(60):
        sqlite_memory.save(f'"gate" {number} ' + "ゲート" * 400)
    sqlite_memory.close()
    ids = {"request_id": "r" * 64, "trace_id": "t" * 64}

    async def conversation(client):
        for tool, given in (("memory_search", {"query": "gate", "limit": 50}), ("memory_list", {"limit": 100})):
            result = await client.call_tool(tool, {**given, **ids})
            structured = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
            text = json.dumps(result.content[0].text, ensure_ascii=False)
            assert 30_000 < len(structured.encode()) + len(text.encode()) <= CEILING_BYTES
            assert result.structured_content["truncated"]

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
    saved = json.loads(recollect(url, "save", "The gate opens at nine.", "--json"))
    assert traced(execute, url, "ingest") == [(saved["request_id"], saved["trace_id"])]
    memo_id = saved["memo"]["memo_id"]
    judged = json.loads(recollect(url, "feedback", memo_id, "helpful", "--request", "req-1", "--json"))
    assert judged["request_id"] == "req-1"
    assert traced(execute, url, "feedback") == [("req-1", judged["trace_id"])]
    refused = json.loads(recollect(url, "get", "missing", "--json", code=3))
    assert refused["error"]["code"] == "not_found"
    assert len(refused["request_id"]) == 36
    refused = json.loads(recollect(url, "feedback", memo_id, "helpful", "--request", "no id", "--json", code=2))
    assert refused["request_id"] != "no id"
