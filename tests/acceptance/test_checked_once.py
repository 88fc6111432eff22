"""Verbs refuse what their parameters do not take, whoever calls them, and cursors only continue what they came from."""

from __future__ import annotations

import base64

import pytest

from wherefrom import InvalidInput, NewClaim, NewPage
from wherefrom.interfaces import paging
from wherefrom.interfaces.mcp.tools import answer


def cursor(text: str) -> str:
    return base64.urlsafe_b64encode(f"page:{text}".encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("add_documents", {"sources": "notes.md"}),
        ("add_documents", {"sources": None}),
        ("add_evidence", {"page": True}),
        ("add_evidence", {"claims": ["x"]}),
        ("add_evidence", {"claims": [NewClaim("x", evidence=["y"])]}),
        ("add_evidence", {"page": NewPage("https://example.org", cites=[None])}),
        ("apply_policy", {"yaml": "version: 1.0.0", "expected_version": 7}),
        ("query_graph", {"sql": "select 1", "parameters": True}),
        ("search", {"query": "x", "namespace": 7}),
        ("list", {"limit": True}),
        ("list", {"kind": 7}),
        ("relate", {"source_id": "a", "target_id": "b", "tag": "supports", "weight": float("nan")}),
        ("save", {"content": "x", "pinned": "yes"}),
        ("save", {"content": "x", "entities": "Mika"}),
    ],
)
def test_what_has_the_wrong_type_is_refused(sqlite_memory, verb, given):
    with pytest.raises(InvalidInput):
        getattr(sqlite_memory, verb)(**given)


def test_an_unknown_parameter_is_named(sqlite_memory):
    with pytest.raises(TypeError, match=r"save\(\) got an unexpected keyword argument 'colour'"):
        sqlite_memory.save("x", colour="red")


def test_a_cursor_cannot_make_a_call_act(sqlite_memory):
    sqlite_memory.save("The key of the boat house is under the third stone.", title="Key")
    sqlite_memory.save("The boat house is locked with a key in winter.", title="Boat house")
    plan = sqlite_memory.find_insight().id
    for name in ("apply_plan_id", "undo_plan_id", "memo_id", "query"):
        with pytest.raises(InvalidInput, match="cursor"):
            answer(sqlite_memory, "find_insight", {"plan_id": plan, "cursor": cursor(f"0::{name}={plan}")})
    assert sqlite_memory.insight_plan(plan).state == "proposed"


def test_a_cursor_does_not_replace_other_arguments(sqlite_memory):
    with pytest.raises(InvalidInput):
        answer(sqlite_memory, "restore", {"node_id": "x", "cursor": cursor("0::since=2020-01-01")})
    with pytest.raises(InvalidInput, match="cursor"):
        answer(sqlite_memory, "memory_list", {"namespace": "here", "cursor": cursor("0::kind=memo")})


@pytest.mark.parametrize("made", ["9::", "-1::", "x", "", "0:000000000000:", "99999999999::"])
def test_a_cursor_that_no_answer_gave_is_refused(sqlite_memory, made):
    sqlite_memory.save("One memo.")
    with pytest.raises(InvalidInput, match="is not one of this list"):
        answer(sqlite_memory, "memory_list", {"cursor": cursor(made)})


@pytest.mark.parametrize("width", [1, 60, 180])
def test_rows_with_long_names_of_columns_fit(sqlite_memory, width):
    sqlite_memory.save("日本語のとても長いメモ。" * 400)
    columns = ", ".join(f'substr(content, 1, 900) as "{"é" * width}{number}"' for number in range(90))
    found = answer(sqlite_memory, "query_graph", {"sql": f"select {columns} from memos"}, is_structured=True)
    assert paging.Scale().weigh(found) <= 1
    assert found["truncated"]


def test_pages_cover_everything_once(sqlite_memory):
    for number in range(60):
        sqlite_memory.save(
            f"Memo {number}: the harbour at low tide. " + "波の音がする。" * 60, title=f"Harbour {number}"
        )
    whole = [hit.node.id for hit in sqlite_memory.search("harbour at low tide", limit=50).hits]
    seen, at = [], None
    while True:
        asked = {"query": "harbour at low tide", "limit": 50, "cursor": at, "detail": "full"}
        page = answer(sqlite_memory, "memory_search", asked, is_structured=True)
        assert paging.Scale().weigh(page) <= 1
        seen += [item["id"] for item in page["items"]]
        at = page["next_cursor"]
        if at is None:
            break
    assert seen == whole
    assert len(whole) == 50
