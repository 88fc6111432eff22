"""Views in the client: who can show them gets them, and everybody else what they always got."""

from __future__ import annotations

import asyncio
import os

import pytest
from forking_for_tests import wherefrom_command
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from wherefrom import Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.interfaces.mcp.apps import EVIDENCE, URI

VIEWS = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})


@pytest.fixture
def claim_id(url):
    with Memory.open(url) as memory:
        text = "A cup raises pressure within an hour."
        evidence = [NewEvidence("supports", fragment=0, confidence=0.9, quote=text)]
        added = memory.add_evidence(
            NewPage("https://journal.example/1", year=2005),
            fragments=[NewFragment(text)],
            claims=[NewClaim("Coffee raises pressure.", evidence=evidence)],
        )
        return added.claims[0].id


def conversed(url, conversation, *, extensions=(VIEWS,), mode="auto"):
    parameters = StdioServerParameters(
        command=wherefrom_command()[0],
        args=[*wherefrom_command()[1:], "mcp", "--db", url, "--tools", "all"],
        env=dict(os.environ),
    )

    async def run():
        async with Client(stdio_client(parameters), mode=mode, extensions=list(extensions)) as client:
            return await conversation(client)

    return asyncio.run(run())


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_client_that_shows_views_gets_the_evidence_of_a_claim_besides(url, claim_id, mode):
    async def conversation(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["memory_get"].meta == tools["memory_relation_list"].meta == {"ui": {"resourceUri": URI}}
        assert tools["memory_save"].meta is None
        assert URI in [resource.uri for resource in (await client.list_resources()).resources]
        (view,) = (await client.read_resource(URI)).contents
        assert view.mime_type == APP_MIME_TYPE and view.text.startswith("<!doctype html>")
        assert "http://" not in view.text.replace("http://www.w3.org/2000/svg", "") and "https://" not in view.text
        answered = await client.call_tool("memory_get", {"memo_id": claim_id})
        evidence = answered.meta[EVIDENCE]
        assert evidence["posterior"]["supports"] == 1
        assert [item["relation"]["tag"] for item in evidence["evidence"]] == ["supports"]
        plain = await client.call_tool("memory_list", {})
        assert not (plain.meta or {}).get(EVIDENCE)

    conversed(url, conversation, mode=mode)


def test_other_clients_are_told_nothing_of_views(url, claim_id):
    async def conversation(client):
        assert all(tool.meta is None for tool in (await client.list_tools()).tools)
        assert URI not in [resource.uri for resource in (await client.list_resources()).resources]
        answered = await client.call_tool("memory_get", {"memo_id": claim_id})
        assert not (answered.meta or {}).get(EVIDENCE)
        with pytest.raises(MCPError):
            await client.read_resource("ui://wherefrom/other.html")

    conversed(url, conversation, extensions=())
