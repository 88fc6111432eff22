"""Turns of conversations through MCP and on the command line."""

from __future__ import annotations

import json

import pytest
from talking_for_tests import answer_in, call, refusal, talk, wherefrom

from wherefrom import Memory
from wherefrom.interfaces.lean_items import fitted


def test_an_agent_keeps_a_conversation(url):
    async def conversation(client):
        turn = {"content": "I adopted a dog.", "speaker": "Anna", "session": "chat-7", "observed_at": "2026-01-03"}
        first = await call(client, "memory_save", **turn)
        again = await call(client, "memory_save", **turn)
        other = await call(client, "memory_save", **{**turn, "speaker": "Ben"})
        lean = answer_in(await client.call_tool("memory_get", {"memo_id": first["memo"]["id"]}))
        found = answer_in(await client.call_tool("memory_search", {"query": "Which animal did Anna adopt?"}))
        full = await call(client, "memory_search", query="Which animal did Anna adopt?", explain=True)
        listed = answer_in(await client.call_tool("memory_list", {}))
        refused = await refusal(client, "memory_save", content="Hello.", session="whatsapp:+436641234567")
        return first, again, other, lean, found, full, listed, refused

    first, again, other, lean, found, full, listed, refused = talk(url, conversation)
    assert (first["status"], again["status"], other["status"]) == ("created", "duplicate", "created")
    assert (lean["speaker"], lean["session"]) == ("Anna", "chat-7")
    assert [item["speaker"] for item in found["items"]] == ["Anna", "Ben"]
    assert "session" not in found["items"][0]
    best = full["items"][0]
    assert (best["speaker"], best["session"]) == ("Anna", "chat-7")
    assert (best["scores"]["speaker"], best["scores"]["session"]) == (1.0, 1.0)
    assert {item["session"] for item in listed["items"]} == {"chat-7"}
    assert refused["message"] == "session holds personal data"


def test_a_person_keeps_a_conversation(url):
    options = ["--speaker", "田中", "--session", "月曜", "--observed-at", "2026-01-03"]
    assert wherefrom(url, "save", "はい。", *options).startswith("created")
    assert wherefrom(url, "save", "はい。", *options).startswith("duplicate")
    shown = wherefrom(url, "list")
    assert "said by 田中 · session 月曜" in shown
    memo = json.loads(wherefrom(url, "list", "--json"))["items"][0]
    assert (memo["speaker"], memo["session"]) == ("田中", "月曜")
    assert "said by 田中" in wherefrom(url, "get", memo["id"])
    with Memory.open(url) as memory:
        rows = memory.query_graph("select speaker, session, substr(observed_at, 1, 10) from memos").rows
    assert [tuple(row) for row in rows] == [("田中", "月曜", "2026-01-03")]


@pytest.mark.parametrize("speaker", ["Anna", "A" * 128, "田" * 128])
def test_an_item_tells_its_speaker_if_that_fits(speaker):
    item = {"id": "12345678", "date": "2026-01-03", "speaker": speaker, "content": "I adopted a dog."}
    lean = fitted(item, "says 'dog'; from today")
    assert ("speaker" in lean) == (speaker == "Anna")
    assert lean["reason"].startswith("says 'dog'")
