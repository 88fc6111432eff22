"""Another title for the same text: what agents and people are told, and where they see the alias."""

from __future__ import annotations

import json

from talking_for_tests import call, talk, wherefrom

TEXT = "We ship on Fridays only after the soak test."
NOTE = "It keeps its title 'Release rule'; 'Friday policy' is now an alias, found and linked like a title."


def test_an_agent_is_told_of_the_alias_and_reads_it(url):
    async def conversation(client):
        first = await call(client, "memory_save", content=TEXT, title="Release rule")
        assert (first["alias_added"], first["note"]) == (None, None)
        again = await call(client, "memory_save", content=TEXT, title="Friday policy")
        assert (again["status"], again["alias_added"], again["note"]) == ("duplicate", "Friday policy", NOTE)
        assert again["memo"]["title"] == "Release rule"
        read = await call(client, "memory_list", memo_id=first["memo"]["id"])
        assert read["items"][0]["aliases"] == ["Friday policy"]
        found = await call(client, "memory_search", query="friday policy")
        assert found["items"][0]["aliases"] == ["Friday policy"]

    talk(url, conversation)


def test_many_long_aliases_fit_an_answer(url):
    async def conversation(client):
        text = "長い文章。" * 4_000
        for number in range(21):
            saved = await call(client, "memory_save", content=text, title=f"{number:02} " + "題" * 290)
        metadata = {"notes": "値" * 5_000}
        saved = await call(client, "memory_save", content=text, metadata=metadata)
        pages, cursor = [], None
        while True:
            page = await call(client, "memory_list", memo_id=saved["memo"]["id"], cursor=cursor)
            pages.append(page["items"][0]["content"])
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert "".join(pages) == text
        (item,) = (await call(client, "memory_list"))["items"]
        assert item["aliases"] == []
        assert "aliases" in item["cut"]

    talk(url, conversation)


def test_a_person_is_told_of_the_alias_and_reads_it(url):
    wherefrom(url, "save", TEXT, "--title", "Release rule")
    said = wherefrom(url, "save", TEXT, "--title", "Friday policy")
    assert said.startswith("duplicate ")
    assert NOTE in " ".join(said.split())
    (memo,) = json.loads(wherefrom(url, "list", "--json"))["items"]
    memo_id = memo["id"]
    assert said.split()[1] == memo_id[-8:]
    assert "also called  Friday policy" in wherefrom(url, "get", memo_id)
    assert json.loads(wherefrom(url, "get", memo_id, "--json"))["aliases"] == ["Friday policy"]
    again = json.loads(wherefrom(url, "save", TEXT, "--title", "Friday policy", "--json"))
    assert (again["alias_added"], again["status"]) == (None, "duplicate")
