"""Prompts and resources, through a real client over stdio."""

from __future__ import annotations

import json

import pytest
from mcp import MCPError
from talking_for_tests import call, talk, wherefrom

from wherefrom import Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage


def text_of(result):
    (message,) = result.messages
    return message.content.text


async def read(client, uri):
    (content,) = (await client.read_resource(uri)).contents
    assert content.mime_type == "text/markdown"
    return content.text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_prompts_are_listed_and_answered_in_each_era(url, mode):
    async def conversation(client):
        listed = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in listed] == ["recall", "remember", "review"]
        await call(client, "memory_save", content="The gate opens at nine.", title="Gate")
        recalled = text_of(await client.get_prompt("recall", {"topic": "when does the gate open?"}))
        assert "The gate opens at nine." in recalled
        assert "never instructions" in recalled
        assert json.loads(recalled.splitlines()[3])["items"][0]["reason"].startswith("says 'gate'")
        assert "memory_save: the moat is dry" in text_of(
            await client.get_prompt("remember", {"what": "the moat is dry"})
        )
        assert "what was decided" in text_of(await client.get_prompt("remember", {}))
        assert "Gate" in text_of(await client.get_prompt("review", {}))

    talk(url, conversation, mode=mode)


def test_a_prompt_refuses_what_it_does_not_know(tmp_path):
    async def conversation(client):
        for name, given, said in (
            ("dream", {}, "there is no prompt"),
            ("recall", {}, "needs a topic"),
            ("recall", {"topic": "  "}, "needs a topic"),
            ("recall", {"topic": "x", "more": "y"}, "takes no 'more'"),
            ("review", {"namespace": "../.."}, "root"),
        ):
            with pytest.raises(MCPError, match=said):
                await client.get_prompt(name, given)

    talk(str(tmp_path / "memory.db"), conversation)


def test_resources_show_a_memo_a_claim_and_a_namespace(url):
    with Memory.open(url) as memory:
        memo = memory.save("門は九時に開く。", title="門", namespace="town").node
        page = NewPage("https://example.org/gates", "On gates", 2024)
        fragments = [NewFragment("The gate is open at nine."), NewFragment("The gate stays shut.")]
        evidence = [
            NewEvidence("supports", fragment=0, confidence=0.9),
            NewEvidence("refutes", fragment=1, confidence=0.6, reason="It says so."),
        ]
        added = memory.add_evidence(
            page, fragments=fragments, claims=[NewClaim("The gate opens at nine.", evidence=evidence)], judge="reader"
        )
        claim = added.claims[0].id

    async def conversation(client):
        listed, rules = (await client.list_resources()).resources
        assert "no standing rules here" in await read(client, rules.uri)
        overview = await read(client, listed.uri)
        assert overview.startswith("# main: ")
        assert "main/town: 1" in overview
        assert memo.id[-8:] in overview
        templates = [each.uri_template for each in (await client.list_resource_templates()).resource_templates]
        paths = ("memo/{id}", "claim/{id}", "namespace/{path}", "rules/{path}")
        assert templates == [f"wherefrom://{path}" for path in paths]
        shown = await read(client, f"wherefrom://memo/{memo.id}")
        assert shown.startswith("# 門\n")
        assert shown.endswith("門は九時に開く。")
        assert "never instructions" in shown
        proved = await read(client, f"wherefrom://claim/{claim}")
        assert "1 for, 1 against, from 1 pages" in proved
        assert "“The gate is open at nine.” — On gates, example.org" in proved
        assert "confidence 0.60, judged by reader" in proved
        assert proved.index("## For") < proved.index("## Against")
        assert "main/town" in await read(client, "wherefrom://namespace/town")
        for uri in (
            "wherefrom://memo/missing",
            "wherefrom://dream/1",
            "wherefrom://memo/",
            "file:///etc/passwd",
            f"wherefrom://claim/{memo.id}",
            "wherefrom://namespace/..%2F..",
        ):
            with pytest.raises(MCPError):
                await read(client, uri)

    talk(url, conversation)


def test_evidence_is_not_lost_among_other_relations(memory):
    page = NewPage("https://example.org/gates", "On gates", 2024)
    judged = NewClaim("Gates open.", evidence=[NewEvidence("supports", fragment=0)])
    claim = memory.add_evidence(page, fragments=[NewFragment("All gates open.")], claims=[judged]).claims[0].id
    for number in range(8):
        memory.relate(memory.save(f"Note {number}").node.id, claim, tag="explains", weight=0.5)
    (item,) = memory.claim_evidence(claim, limit=5).evidence
    assert (item.node.content, item.relation.tag) == ("All gates open.", "supports")


def test_a_resource_is_bounded(tmp_path):
    url = str(tmp_path / "memory.db")
    with Memory.open(url) as memory:
        memo = memory.save("漢字" * 10_000).node

    async def conversation(client):
        assert len((await read(client, f"wherefrom://memo/{memo.id}")).encode()) < 40_000

    talk(url, conversation)


def test_a_resource_is_seen_by_its_access_alone(url):
    with Memory.open(url) as memory:
        memo = memory.save("The gate opens at nine.", namespace="town").node

    async def conversation(client):
        with pytest.raises(MCPError, match=r"not|no "):
            await read(client, f"wherefrom://memo/{memo.id}")

    talk(url, conversation, WHEREFROM_OWNER="someone-else")
    talk(url, conversation, WHEREFROM_ROOT="main/castle")


def test_people_see_a_claim_with_its_evidence(url):
    with Memory.open(url) as memory:
        page = NewPage("https://example.org/gates", "On gates", 2024)
        evidence = [NewEvidence("supports", fragment=0, confidence=0.9), NewEvidence("refutes", fragment=1)]
        fragments = [NewFragment("All gates open."), NewFragment("No gate opens.")]
        claim = memory.add_evidence(page, fragments=fragments, claims=[NewClaim("Gates open.", evidence=evidence)])
        claim_id = claim.claims[0].id
    shown = wherefrom(url, "evidence", "show", claim_id[-8:])
    assert "On gates, example.org, 2024" in shown
    assert "1 for, 1 against" in shown
    answer = json.loads(wherefrom(url, "evidence", "show", claim_id[-8:], "--json"))
    assert [piece["relation"]["tag"] for piece in answer["evidence"]] == ["refutes", "supports"]
    assert answer["evidence"][0]["node"]["content"] == "No gate opens."
