"""MCP over HTTP through the SDK's own client, in both eras of the protocol, and what it shares with stdio."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import asynccontextmanager

import httpx2
import pytest
from every_tool_for_tests import every_tool, prepared
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from service_for_tests import running_service, served
from talking_for_tests import answer_in, talk

from wherefrom import Memory
from wherefrom.api import Store
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.http.workers import Limits
from wherefrom.interfaces.mcp.server import listed_verbs
from wherefrom.interfaces.verbs import TOOLS
from wherefrom.model.limits import SQL_MILLISECONDS, SQL_STEPS

ERAS = ["legacy", "2026-07-28"]
CLIENTS, FEW_CLIENTS = 50, 16
SLOW = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000000) select count(*) from n"
SLOW_CALL = {"sql": SLOW, "options": {"timeout_ms": SQL_MILLISECONDS, "max_vm_steps": SQL_STEPS}}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@asynccontextmanager
async def connected(address, mode, key=None, **headers):
    """A client of the SDK, in an era of the protocol."""
    sent = {**headers, **({"Authorization": f"Bearer {key}"} if key else {})}
    async with (
        httpx2.AsyncClient(headers=sent, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


def talk_http(address, conversation, *, mode, key=None, **headers):
    async def run():
        async with connected(address, mode, key, **headers) as client:
            return await conversation(client)

    return asyncio.run(run())


def raw(base, message, *, path="/mcp", **headers):
    return httpx2.post(f"{base}{path}", json=message, headers={**HEADERS, **headers}, trust_env=False, timeout=60)


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.fixture
def store(url):
    with Store.open(url) as opened:
        yield opened


@pytest.fixture
def sqlite_store_open(new_url):
    """A store where the dialect makes no difference."""
    with Store.open(new_url("sqlite")) as opened:
        yield opened


def shape(value):
    """What an answer looks like: its keys, the kinds of its values, and its words where no number or id is in them."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(entry) for entry in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return "number"
    return value if not any(character.isdigit() for character in value) else "text"


def conversation_about(ids):
    """Calls every tool, and gets prompts and resources; returns what each answered."""

    async def conversation(client):
        answers = {}
        for tool, arguments in every_tool(ids):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content
            answers[tool] = (shape(answer_in(result)), result.structured_content is None)
        assert set(answers) == {verb.tool for verb in TOOLS}
        answers["tools"] = {tool.name for tool in (await client.list_tools()).tools}
        for listed in (client.list_prompts, client.list_resources, client.list_resource_templates):
            answers[listed.__name__] = (await listed()).model_dump(exclude={"ttl_ms", "cache_scope", "meta"})
        prompt = await client.get_prompt("remember", {"what": "橋は九時に開く。"})
        answers["prompt"] = prompt.messages[0].content.text
        read = await client.read_resource("wherefrom://namespace/")
        answers["resource"] = read.contents[0].text.splitlines()[0]
        page = await client.read_resource(f"wherefrom://memo/{ids[0]}")
        answers["memo"] = page.contents[0].text.splitlines()[-1]
        return answers

    return conversation


@pytest.mark.parametrize(
    ("dialect", "eras"),
    [
        ("sqlite", ERAS),
        pytest.param("postgres", ERAS[-1:], marks=pytest.mark.slow),
        pytest.param("postgres", ERAS, marks=pytest.mark.long),
    ],
)
def test_every_tool_answers_alike_over_http_and_stdio_in_both_eras(new_url, dialect, eras):
    found = {}
    for mode in eras:
        for transport in ("http", "stdio"):
            url = new_url(dialect)
            with Memory.open(url) as memory:
                conversation = conversation_about(prepared(memory))
            if transport == "stdio":
                found[mode, transport] = talk(url, conversation, mode=mode, WHEREFROM_TOOLS="all")
                continue
            with Store.open(url) as store, served(Service(store, Options()).app()) as base:
                found[mode, transport] = talk_http(f"{base}/mcp?tools=all", conversation, mode=mode)
    first = found.pop((eras[0], "http"))
    assert first["memo"] == "> The gate is open at nine."
    for how, answers in found.items():
        for called, answer in answers.items():
            assert answer == first[called], (how, called)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("postgres", ERAS[-1]),
        *(
            pytest.param(dialect, era, marks=pytest.mark.long)
            for dialect in ("sqlite", "postgres")
            for era in (*ERAS, "auto")
            if (dialect, era) != ("postgres", ERAS[-1])
        ),
    ],
    indirect=["url"],
)
def test_every_tool_answers_from_several_processes(url, mode):
    with Memory.open(url) as memory:
        conversation = conversation_about(prepared(memory))
    with running_service(url, "--workers", "2") as base:
        answers = talk_http(f"{base}/mcp?tools=all", conversation, mode=mode)
    assert answers["tools"] == {verb.tool for verb in TOOLS}


@pytest.mark.parametrize("mode", ERAS)
def test_each_request_says_which_sets_of_tools_are_listed(sqlite_store_open, mode):
    async def names(client):
        return [tool.name for tool in (await client.list_tools()).tools]

    async def names_and_a_call(client):
        result = await client.call_tool("get_status", {})
        return await names(client), answer_in(result)["tasks"]

    with served(Service(sqlite_store_open, Options()).app()) as base:
        for given, sets in (("", ["memory"]), ("?tools=graph,upkeep", ["graph", "upkeep"]), ("?tools=all", ["all"])):
            listed = talk_http(f"{base}/mcp{given}", names, mode=mode)
            assert listed == [verb.tool for verb in listed_verbs(sets)]
        # Sets that are not listed can be called all the same, if the caller may.
        listed, tasks = talk_http(f"{base}/mcp?tools=memory", names_and_a_call, mode=mode)
        assert "get_status" not in listed
        assert tasks == []
        refused = raw(base, request("ping"), path="/mcp?tools=wrong")
        assert refused.status_code == 400
        assert "there is no set of tools" in refused.json()["error"]["message"]


@pytest.mark.parametrize("mode", ERAS)
def test_a_key_forbids_the_tools_outside_its_sets(sqlite_store_open, mode):
    key = sqlite_store_open.memory().create_key("reader", role="read", tools=["memory"]).secret

    async def conversation(client):
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == ["memory_activate", "memory_search", "memory_get", "memory_list"]  # those of a reader
        with pytest.raises(MCPError, match="there is no tool 'get_status'"):
            await client.call_tool("get_status", {})
        refused = await client.call_tool("memory_save", {"content": "not for readers"})
        assert json.loads(refused.content[0].text)["error"]["code"] == "forbidden"

    with served(Service(sqlite_store_open, Options()).app()) as base:
        talk_http(f"{base}/mcp?tools=all", conversation, mode=mode, key=key)
        unauthorized = pytest.RaisesExc(MCPError, match="unauthorized: this service wants a key")
        with pytest.RaisesGroup(unauthorized, flatten_subgroups=True):
            talk_http(f"{base}/mcp", conversation, mode="legacy", key="wf_wrong")


@pytest.mark.parametrize("mode", ERAS)
def test_what_there_is_not_is_an_error(sqlite_store_open, mode):
    async def conversation(client):
        with pytest.raises(MCPError, match="there is no tool 'dream'") as unknown:
            await client.call_tool("dream", {})
        assert unknown.value.error.code == -32602
        for uri in ("wherefrom://memo/00000000", "wherefrom://dream/1", "file:///etc/passwd", "test://nothing"):
            with pytest.raises(MCPError) as missing:
                await client.read_resource(uri)
            assert missing.value.error.code == -32602
            assert missing.value.error.data == {"code": "not_found", "uri": uri}
        with pytest.raises(MCPError, match="there is no prompt 'dream'"):
            await client.get_prompt("dream")
        with pytest.raises(MCPError, match="recall needs a topic"):
            await client.get_prompt("recall")
        for arguments in ({}, {"content": 1}, {"content": "x", "colour": "red"}, {"content": ""}):
            refused = await client.call_tool("memory_save", arguments)
            assert refused.is_error
            assert json.loads(refused.content[0].text)["error"]["code"] == "invalid_input"

    with served(Service(sqlite_store_open, Options()).app()) as base:
        talk_http(f"{base}/mcp", conversation, mode=mode)


@pytest.mark.parametrize("mode", ERAS)
def test_a_session_of_long_ago_is_ignored(sqlite_store_open, mode):
    async def conversation(client):
        return answer_in(await client.call_tool("memory_list", {}))["items"]

    with served(Service(sqlite_store_open, Options()).app()) as base:
        headers = {"Mcp-Session-Id": "of a process that has ended"}
        assert talk_http(f"{base}/mcp", conversation, mode=mode, **headers) == []
        assert talk_http(f"{base}/mcp/", conversation, mode=mode) == []
        answer = raw(base, request("tools/list"), path="/mcp/", **headers)
        assert (answer.status_code, "mcp-session-id" in answer.headers) == (200, False)


def test_only_post_is_served(sqlite_store_open):
    with served(Service(sqlite_store_open, Options()).app()) as base:
        for path in ("/mcp", "/mcp/"):
            for method in ("GET", "DELETE", "PUT", "HEAD"):
                answer = httpx2.request(method, f"{base}{path}", headers=HEADERS, trust_env=False, timeout=10)
                assert (answer.status_code, answer.headers["allow"]) == (405, "POST"), (path, method)


NO_REQUESTS = (
    (b"", 400),
    (b"{", 400),
    (b"[" * 100_000, 400),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', 200),
    (b'{"jsonrpc":"2.0","id":1,"method":"dream","params":{}}', 200),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400),
)


def test_a_body_that_is_no_request_is_refused_as_json_rpc(sqlite_store_open):
    """Of the handshake's era, where errors of the protocol have the status of an answer."""
    with served(Service(sqlite_store_open, Options()).app()) as base:
        for body, status in NO_REQUESTS:
            answer = httpx2.post(f"{base}/mcp", content=body, headers=HEADERS, trust_env=False, timeout=30)
            assert answer.status_code == status, (body[:80], answer.text)
            said = answer.json()
            assert said["jsonrpc"] == "2.0"
            assert isinstance(said["error"]["code"], int), body[:80]
            assert raw(base, request("ping")).json()["result"] == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "mode"),
    [(FEW_CLIENTS, ERAS[0]), *(pytest.param(CLIENTS, era, marks=pytest.mark.long) for era in ERAS)],
)
def test_many_clients_of_as_many_owners_see_only_their_own_memos(store, count, mode):
    owners = [f"owner-{number:02}" for number in range(count)]
    keys = {owner: store.memory(owner=owner).create_key(owner).secret for owner in owners}
    words = {owner: f"Das Geheimnis von {owner}: 秘密" for owner in owners}

    async def until_done(client, tool, **arguments):
        """The answer of a call, which is made again while too many others wait."""
        while True:
            try:
                result = await client.call_tool(tool, {"detail": "full", **arguments})
                assert not result.is_error, result.content
                return answer_in(result)
            except MCPError as error:
                assert error.error.data["code"] in ("overloaded", "store_busy"), error
                await asyncio.sleep(error.error.data["retry_after_seconds"])

    async def use(base, owner, all_are_here):
        async with connected(f"{base}/mcp", mode, keys[owner]) as client:
            await all_are_here.wait()
            await until_done(client, "memory_save", content=words[owner])
            seen = []
            for tool, arguments in (("memory_list", {}), ("memory_search", {"query": "Geheimnis"})) * 2:
                found = (await until_done(client, tool, **arguments))["items"]
                seen.append({item["content"] for item in found})
            return owner, seen

    async def run(base):
        all_are_here = asyncio.Barrier(count)
        return await asyncio.gather(*(use(base, owner, all_are_here) for owner in owners))

    with served(Service(store, Options(rate=1_000)).app()) as base:
        found = asyncio.run(run(base))
    assert len(found) == count
    wrong = {owner: seen for owner, seen in found if seen != [{words[owner]}] * 4}
    stored = {owner: [node.content for node in store.memory(owner=owner).list().nodes] for owner in wrong}
    assert wrong == {}, stored


@pytest.mark.parametrize("mode", ERAS)
def test_a_call_that_should_be_made_later_says_so_to_the_client(sqlite_store_open, mode):
    """Clients read the body of a response with the status of an error only if it is an error of JSON-RPC."""
    service = Service(sqlite_store_open, Options(limits=Limits(threads=1, waiting=0)))

    async def conversation(client):
        calls = (client.call_tool("query_graph", SLOW_CALL) for _ in range(3))
        refused = [answer for answer in await asyncio.gather(*calls, return_exceptions=True) if is_refused(answer)]
        assert len(refused) == 2
        assert {answer.error.data["retry_after_seconds"] for answer in refused} == {1}

    def is_refused(answer):
        return isinstance(answer, MCPError) and "overloaded: too many calls wait already" in str(answer)

    with served(service.app()) as base:
        talk_http(f"{base}/mcp", conversation, mode=mode)


async def leave_by_the_sdk(address, has_begun):
    """Cancel a call: in the era of 2026-07-28, a client then closes its request."""
    async with connected(address, "2026-07-28") as client:
        call = asyncio.create_task(client.call_tool("query_graph", SLOW_CALL))
        await has_begun()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def leave_by_hanging_up(address, has_begun):
    """Close the connection, as a client of the handshake's era does that ends."""
    async with httpx2.AsyncClient(headers=HEADERS, timeout=60, trust_env=False) as client:
        message = request("tools/call", name="query_graph", arguments=SLOW_CALL)
        call = asyncio.create_task(client.post(address, json=message))
        await has_begun()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


@pytest.mark.parametrize("leave", [leave_by_the_sdk, leave_by_hanging_up])
def test_a_client_that_leaves_ends_its_call(store, leave):
    """Its statement is stopped and its thread is free again, before the statement would have ended."""
    service = Service(store, Options(limits=Limits(threads=1)))

    async def until(is_running):
        async with asyncio.timeout(20):
            while bool(service.workers.running) is not is_running:
                await asyncio.sleep(0.005)

    async def run(base):
        begun = time.monotonic()
        async with connected(f"{base}/mcp", "legacy") as client:
            await client.call_tool("query_graph", SLOW_CALL)
        whole, begun = time.monotonic() - begun, time.monotonic()
        await leave(f"{base}/mcp", lambda: until(True))
        await until(False)
        return whole, time.monotonic() - begun

    with served(service.app()) as base:
        whole, left = asyncio.run(run(base))
    assert left < whole * 0.75


def test_a_client_is_told_that_resources_change_and_lists_do_not(sqlite_store_open):
    async def conversation(client):
        return client.server_capabilities

    with served(Service(sqlite_store_open, Options()).app()) as base:
        told = talk_http(f"{base}/mcp", conversation, mode="auto")
    assert told.resources.subscribe
    assert not any(part.list_changed for part in (told.tools, told.prompts, told.resources))
