"""Searching as agents and people do: through MCP and on the command line, on both databases."""

from __future__ import annotations

import json

import pytest
from import_for_tests import put
from talking_for_tests import call, refusal, talk, wherefrom

from wherefrom import Memory

MEMOS = (
    ("The kitten was napping on the sofa.", {"animal": "cat"}),
    ("Our dog barks at the postman.", {"animal": "dog"}),
    ("The central bank raised interest rates.", {"year": 2026}),
    ("東京の会議は来週の月曜日です。", {}),
)


@pytest.fixture
def filled(url):
    with Memory.open(url) as memory:
        return {memory.save(text, metadata=metadata).node.id: text for text, metadata in MEMOS}


def test_an_agent_searches_by_meaning_and_is_told_why(url, filled):
    async def conversation(client):
        found = await call(client, "memory_search", query="a sleeping cat", explain=True)
        best = found["items"][0]
        assert best["content"] == MEMOS[0][0]
        assert (found["arms"], found["degraded"], found["alpha"]) == (["text", "vectors"], [], 0.45)
        assert best["scores"]["bm25"] is None
        assert 0 < best["scores"]["similarity"] < 1
        assert best["score"] == pytest.approx(0.45 * best["scores"]["s_vec"] + 0.55 * best["scores"]["s_text"])
        plain = await call(client, "memory_search", query="a sleeping cat")
        assert plain["items"][0]["scores"] is None
        japanese = await call(client, "memory_search", query="会議はいつ", limit=1)
        assert japanese["items"][0]["content"] == MEMOS[3][0]
        assert japanese["alpha"] == 0.3
        only = await call(client, "memory_search", query="our dog at home", metadata='{"animal": "dog"}')
        assert [item["content"] for item in only["items"]] == [MEMOS[1][0]]
        await call(client, "memory_save", content="A cat sleeps on a cushion.")
        like = await call(client, "memory_search", like=best["id"])
        assert like["items"][0]["content"] == "A cat sleeps on a cushion."
        assert best["id"] not in [item["id"] for item in like["items"]]
        for wrong in (
            {},
            {"query": "x", "like": best["id"]},
            {"query": "x", "limit": 0},
            {"query": "x", "metadata": {"a": []}},
        ):
            assert (await refusal(client, "memory_search", **wrong))["code"] == "invalid_input"

    talk(url, conversation)


def test_an_agent_uses_vector_search(url, filled):
    async def conversation(client):
        found = await call(client, "vector_search", query="a cat asleep", target="memos", min_similarity=0.2, top_k=2)
        assert found["ok"] is True
        assert found["total_searched"] == 4
        assert set(found["results"][0]) == {"id", "title", "text_preview", "similarity", "trust", "source"}
        assert found["results"][0]["text_preview"] == MEMOS[0][0]
        error = await refusal(client, "vector_search", query="a cat asleep")
        assert error["code"] == "not_found"
        assert "no embeddings of claims" in error["message"]
        for wrong in ({"top_k": 51}, {"min_similarity": 2}, {"target": "pages"}, {"k": 3}):
            assert (await refusal(client, "vector_search", query="x", **wrong))["code"] == "invalid_input"

    talk(url, conversation)


def test_a_server_whose_endpoint_is_down_still_remembers(url, filled):
    gone = {
        "WHEREFROM_EMBEDDER": "endpoint",
        "WHEREFROM_EMBED_URL": "http://127.0.0.1:9/v1",
        "WHEREFROM_EMBED_MODEL": "m",
    }

    async def conversation(client):
        assert (await call(client, "memory_save", content="a parrot talks"))["status"] == "created"
        found = await call(client, "memory_search", query="parrot")
        assert found["items"][0]["content"] == "a parrot talks"
        assert found["arms"] == ["text"]
        assert "searched by words only" in found["degraded"][0]
        error = await refusal(client, "vector_search", query="x", target="memos")
        assert error["code"] == "embedder_unavailable"

    talk(url, conversation, **gone)
    wherefrom(url, "doctor", code=1)
    assert json.loads(wherefrom(url, "embed", "--json"))["vectors"] == 1
    wherefrom(url, "doctor")


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_people_search_on_the_command_line(url, filled):
    shown = wherefrom(url, "search", "a sleeping cat", "--explain")
    assert "napping" in shown
    assert "similarity=" in shown
    assert "alpha=0.45" in shown
    found = json.loads(
        wherefrom(url, "similar", "a cat asleep", "--target", "memos", "--min-similarity", "0.2", "--json")
    )
    assert found["results"][0]["text_preview"] == MEMOS[0][0]
    assert "searched 4 vectors" in wherefrom(url, "similar", "a cat asleep", "--target", "memos")
    assert "no embeddings of claims" in wherefrom(url, "similar", "x", code=3)
    assert "either query or like" in wherefrom(url, "search", code=2)
    (dog,) = json.loads(wherefrom(url, "search", "the dog", "--metadata", '{"animal": "dog"}', "--json"))["items"]
    assert dog["content"] == MEMOS[1][0]
    like = json.loads(wherefrom(url, "search", "--like", next(iter(filled)), "--limit", "3", "--json"))
    assert next(iter(filled)) not in [item["id"] for item in like["items"]]


def test_an_operator_changes_the_model_and_back(url, filled, endpoint):
    there = {"WHEREFROM_EMBED_URL": endpoint.url}
    assert "4 vectors made" in wherefrom(url, "reembed", "--embedder", "endpoint", "--model", "m", **there)
    found = json.loads(wherefrom(url, "search", "a sleeping cat", "--json"))
    assert found["arms"] == ["text"]
    assert "made with m" in found["degraded"][0]
    both = {**there, "WHEREFROM_EMBEDDER": "endpoint", "WHEREFROM_EMBED_MODEL": "m"}
    assert json.loads(wherefrom(url, "search", "a sleeping cat", "--json", **both))["arms"] == ["text", "vectors"]
    assert json.loads(wherefrom(url, "reembed", "--json"))["model"].startswith("wordllama")
    assert json.loads(wherefrom(url, "search", "a sleeping cat", "--json"))["degraded"] == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("京都", "東京都の人口"),
        ("会議", "定例会議室の予約"),
        ("データ", "ﾃﾞｰﾀﾍﾞｰｽを設計する"),
        ("ﾃﾞｰﾀ", "データベースを設計する"),
        ("gpt4", "ＧＰＴ４とClaude3を比較する"),
        ("比較", "ＧＰＴ４とClaude3を比較する"),
        ("上海", "我在上海市工作"),
        ("咖啡", "星巴克咖啡馆"),
        ("검색", "전문검색엔진을 만든다"),
        ("엔진", "전문검색엔진을 만든다"),
        ("猫", "黒猫が寝る"),
        ("カフェ", "猫カフェに行く"),
    ],
)
def test_words_inside_of_runs_without_spaces_are_found(sqlite_memory, query, text):
    put(sqlite_memory, [f"filler {number} 別の文 다른 글 其他" for number in range(20)])
    sqlite_memory.save(text)
    assert sqlite_memory.search(query).hits[0].node.content == text
