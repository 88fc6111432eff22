"""The MCP server, through a real client over stdio."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forking_for_tests import wherefrom_command
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from talking_for_tests import answer_in, answer_in_message, call, refusal, talk

from wherefrom import Memory
from wherefrom.interfaces.mcp.tools import listed
from wherefrom.interfaces.paging import CEILING_BYTES
from wherefrom.interfaces.verbs import TOOLS

# An interpreter of its own, as clients start it.
INTERPRETER = (sys.executable, "-m", "wherefrom")
SCHEMA = Path(__file__).parent / "mcp_tools.json"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        *(("sqlite", mode) for mode in ("legacy", "auto", "2026-07-28")),
        pytest.param("postgres", "auto", marks=pytest.mark.slow),
        *(pytest.param("postgres", mode, marks=pytest.mark.long) for mode in ("legacy", "2026-07-28")),
    ],
    indirect=["url"],
)
def test_a_whole_conversation_in_each_protocol_era(url, mode):
    async def conversation(client):
        a = (await call(client, "memory_save", content="first", title="A", metadata={"k": 1}))["memo"]["id"]
        saved = await call(client, "memory_save", content="second", namespace="sub")
        b = saved["memo"]["id"]
        assert saved["memo"]["namespace"] == "main/sub"
        assert (await call(client, "memory_save", content="first"))["status"] == "duplicate"
        assert (await call(client, "memory_save", content="first!", memo_id=a))["memo"]["version"] == 2
        await call(
            client, "memory_relation_save", source_memo_id=a, target_memo_id=b, tag="supports", weight=0.123456789
        )
        walked = await call(client, "memory_relation_list", start_memo_id=a, depth=2)
        assert walked["edges"][0]["weight"] == 0.123456789
        assert walked["edges"][0]["depth"] == 1
        ids = {"request_id", "trace_id"}
        assert set(walked) == {"root_namespace", "nodes", "edges", "next_cursor", "truncated", *ids}
        assert [item["id"] for item in (await call(client, "memory_list"))["items"]] == [b, a]
        found = await call(client, "memory_search", query="what came second?")
        assert [item["id"] for item in found["items"]] == [b]
        assert found["arms"] == ["text", "vectors"]
        assert [n["namespace"] for n in (await call(client, "list_namespaces"))["items"]] == ["main", "main/sub"]
        await call(client, "memory_relation_delete", source_memo_id=a, target_memo_id=b, tag="supports")
        assert (await call(client, "memory_delete", memo_id=a))["deleted"] is True
        assert (await refusal(client, "memory_delete", memo_id=a))["code"] == "not_found"

    talk(url, conversation, start=INTERPRETER if mode == "auto" else None, mode=mode)
    with Memory.open(url) as memory:
        assert [node.content for node in memory.list().nodes] == ["second"]


def test_the_seeds_names_are_accepted_and_not_listed(tmp_path):
    async def conversation(client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert not any("." in name for name in names)
        a = (await call(client, "memory.save", content="a"))["memo"]["id"]
        b = (await call(client, "memory.save", content="b"))["memo"]["id"]
        await call(client, "memory.save", content="b2", memoId=b)
        await call(client, "memory.relation.save", sourceMemoId=a, targetMemoId=b, tag="supports", weight=1)
        assert len((await call(client, "memory.relation.list", sourceMemoId=a))["edges"]) == 1
        assert len((await call(client, "memory.relation.graph", startMemoId=a, maxDepth=2))["edges"]) == 1
        await call(client, "memory.relation.delete", sourceMemoId=a, targetMemoId=b, tag="supports")
        assert len((await call(client, "memory.list"))["items"]) == 2
        assert (await call(client, "memory.list_namespaces"))["items"]
        await call(client, "memory.delete", memoId=a)
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("memory.dream", {})

    talk(str(tmp_path / "m.db"), conversation)


def test_tools_are_listed_as_snapshotted():
    """What agents see is a contract: a change to it shows here. Rewrite with WHEREFROM_SNAPSHOT=1."""
    shown = [listed(tool, schemas=True).model_dump(mode="json", by_alias=True, exclude_none=True) for tool in TOOLS]
    text = json.dumps(shown, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("WHEREFROM_SNAPSHOT"):
        SCHEMA.write_text(text, encoding="utf-8")
    assert SCHEMA.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.tool)
def test_each_tool_is_well_described(tool):
    shown = listed(tool, schemas=True)
    assert shown.name == tool.tool
    assert len(shown.name) <= 24
    assert len(shown.description.encode()) < 1024
    assert "Call it" in shown.description
    assert shown.input_schema["type"] == shown.output_schema["type"] == "object"
    assert shown.input_schema["additionalProperties"] is False
    assert shown.annotations.read_only_hint is not None
    assert shown.annotations.open_world_hint is False


@pytest.mark.slow
def test_no_answer_is_larger_than_its_ceiling_and_cursors_reach_everything(tmp_path):
    url = str(tmp_path / "m.db")
    long = "".join(f'{number}: 日本語 \x01\x02 \\" text\n' for number in range(2_500))[:60_000]
    with Memory.open(url) as memory:
        hub = memory.save(long[:21_000], title="T" * 300, metadata={"m": '\\"' * 3_500}).node.id
        tags = memory.save("many tags", metadata={"tags": ["a"] * 3_900}).node.id
        for number in range(98):
            other = memory.save(f"{number} " + long[:3_000], title="\x01" * 300, metadata={"m": "x" * 1_500}).node.id
            memory.relate(hub, other, tag=f"t{number}", weight=1, reason="\x01" * 1_000)

    async def pages(client, tool, items, **arguments):
        found, cursor = [], None
        while True:
            given = {"detail": "full", **arguments, **({"cursor": cursor} if cursor else {})}
            result = await client.call_tool(tool, given)
            wire = len(json.dumps(result.content[0].text, ensure_ascii=False).encode())
            assert wire <= CEILING_BYTES, wire
            answer = answer_in(result)
            found += answer[items]
            assert len(found) < 1_000
            cursor = answer["next_cursor"]
            if cursor is None:
                return found

    async def conversation(client):
        listed = await pages(client, "memory_list", "items", limit=100)
        assert len({item["id"] for item in listed}) == len(listed) == 100
        assert "content" in listed[0]["cut"]
        assert len(await pages(client, "memory_relation_list", "edges", limit=500)) == 98
        assert len(await pages(client, "memory_relation_list", "edges", start_memo_id=hub, limit=500)) == 98
        large = await pages(client, "memory_list", "items", memo_id=tags)
        assert large[0]["metadata"] == {"tags": ["a"] * 3_900}
        assert "".join(piece["content"] for piece in large) == "many tags"
        assert (await refusal(client, "memory_list", memo_id=tags, cursor="Y29udGVudDo5OTk5"))[
            "code"
        ] == "invalid_input"
        pieces = await pages(client, "memory_list", "items", memo_id=hub)
        assert "".join(piece["content"] for piece in pieces) == long[:21_000]
        assert pieces[0]["length"] == 21_000

    talk(url, conversation)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("memory_save", {}, "invalid_input"),
        ("memory_save", {"content": ""}, "invalid_input"),
        ("memory_save", {"content": "  \n"}, "invalid_input"),
        ("memory_save", {"content": 5}, "invalid_input"),
        ("memory_save", {"content": "x" * 65_537}, "invalid_input"),
        ("memory_save", {"content": "a\0b"}, "invalid_input"),
        ("memory_save", {"content": "x", "title": "t" * 301}, "invalid_input"),
        ("memory_save", {"content": "x", "metadata": [1]}, "invalid_input"),
        ("memory_save", {"content": "x", "metadata": "not json"}, "invalid_input"),
        ("memory_save", {"content": "x", "metadata": {"a": "x" * 17_000}}, "invalid_input"),
        ("memory_save", {"content": "x", "namespace": "../.."}, "invalid_namespace"),
        ("memory_save", {"content": "x", "namespace": "a\u0007"}, "invalid_namespace"),
        ("memory_save", {"content": "x", "surprise": 1}, "invalid_input"),
        ("memory_save", {"content": "x", "memo_id": "'; drop table nodes; --"}, "not_found"),
        ("memory_save", {"content": "x", "memo_id": "01900000-0000-7000-8000-000000000000"}, "not_found"),
        ("memory_list", {"limit": 0}, "invalid_input"),
        ("memory_list", {"limit": 101}, "invalid_input"),
        ("memory_list", {"limit": "many"}, "invalid_input"),
        ("memory_list", {"cursor": "???"}, "invalid_input"),
        ("memory_delete", {"memo_id": "nope"}, "not_found"),
        (
            "memory_relation_save",
            {"source_memo_id": "a", "target_memo_id": "b", "tag": "x", "weight": 1.5},
            "invalid_input",
        ),
        (
            "memory_relation_save",
            {"source_memo_id": "a", "target_memo_id": "b", "tag": "x", "weight": "NaN"},
            "invalid_input",
        ),
        (
            "memory_relation_save",
            {"source_memo_id": "a", "target_memo_id": "b", "tag": "X Y", "weight": 0.5},
            "invalid_input",
        ),
        (
            "memory_relation_save",
            {"source_memo_id": "a", "target_memo_id": "b", "tag": "x", "weight": 0.5},
            "not_found",
        ),
        (
            "memory_relation_save",
            {"source_memo_id": "a", "target_memo_id": "b", "tag": "x", "weight": True},
            "invalid_input",
        ),
        ("memory_list", {"limit": True}, "invalid_input"),
        ("memory_search", {"query": ""}, "invalid_input"),
        ("memory_search", {}, "invalid_input"),
        ("memory_relation_list", {"depth": 2}, "invalid_input"),
        ("memory_relation_list", {"start_memo_id": "a", "since": "2026-01-01"}, "invalid_input"),
        ("memory_relation_list", {"since": "yesterday"}, "invalid_input"),
        ("memory_relation_delete", {"source_memo_id": "a", "target_memo_id": "b", "tag": "x"}, "not_found"),
        ("list_namespaces", {"depth": 0}, "invalid_input"),
    ],
)
def test_bad_input_gets_a_coded_error(server, tool, arguments, code):
    error = server(tool, arguments)
    assert error["code"] == code
    assert error["message"]
    assert "Traceback" not in error["message"]
    assert "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" not in json.dumps(error)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for many refused calls: afterwards it must still work, with nothing written."""
    url = str(tmp_path_factory.mktemp("mcp") / "m.db")
    loop = asyncio.new_event_loop()
    stack = contextlib.AsyncExitStack()
    command, *arguments = wherefrom_command()
    parameters = StdioServerParameters(command=command, args=[*arguments, "mcp", "--db", url])
    calls: asyncio.Queue = asyncio.Queue()

    async def serve():
        async with stack:
            client = await stack.enter_async_context(Client(stdio_client(parameters)))
            await client.list_tools()
            while (item := await calls.get()) is not None:
                item[2].set_result(await client.call_tool(item[0], item[1]))

    task = loop.create_task(serve())

    def ask(tool, arguments):
        async def one():
            answer = asyncio.get_running_loop().create_future()
            await calls.put((tool, arguments, answer))
            return await answer

        result = loop.run_until_complete(one())
        assert result.is_error
        return json.loads(result.content[0].text)["error"]

    yield ask
    calls.put_nowait(None)
    loop.run_until_complete(task)
    loop.close()
    with Memory.open(url) as memory:
        assert memory.info().sizes["memos"] == memory.info().sizes["events"] == 0


def converse_raw(arguments, lines, *, timeout=30):
    """Write raw lines to a server and return what it printed and its exit code."""
    return subprocess.run(
        [*wherefrom_command(), "mcp", *arguments],
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        timeout=timeout,
        check=False,
    )


@pytest.mark.parametrize("db", ["m.db", "no/such/folder/m.db", "postgresql://nobody@127.0.0.1:1/x"])
def test_stdout_carries_json_rpc_only_and_the_server_ends_with_its_input(tmp_path, db):
    lines = [
        json.dumps(INITIALIZE).encode(),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b"this is not json",
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_list","arguments":{}}}',
    ]
    process = converse_raw(["--db", str(tmp_path / db) if "://" not in db else db], lines)
    assert process.returncode == 0
    messages = [json.loads(line) for line in process.stdout.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert messages[0]["result"]["serverInfo"]["name"] == "wherefrom"
    assert b"Traceback" not in process.stderr


@pytest.mark.parametrize("options", [["--no-such-option"], ["--root", "../x"], ["--namespace", "../.."]])
def test_a_wrong_option_is_said_at_start_and_not_on_stdout(options):
    process = converse_raw(options, [])
    assert process.returncode == 2
    assert process.stdout == b""
    assert process.stderr


def test_a_lone_surrogate_or_broken_json_does_not_stop_the_server(tmp_path):
    save = (
        '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_save","arguments":{"content":"%s"}}}'
    )
    lines = [
        json.dumps(INITIALIZE).encode(),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        (save % (2, "\\ud800")).encode(),
        b'{"jsonrpc":"2.0","id":3,',
        b"[" * 100_000,
        b"\xff\xfe\x00",
        (save % (9, "still here")).encode(),
    ]
    command = [*wherefrom_command(), "mcp", "--db", str(tmp_path / "m.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(b"".join(line + b"\n" for line in lines))
        process.stdin.flush()
        answers = iter(lambda: json.loads(process.stdout.readline()), None)
        answer = next(message for message in answers if message.get("id") == 9)
        process.stdin.close()
        assert process.wait(10) == 0
    assert answer_in_message(answer)["status"] == "created"


def test_nothing_heavy_is_imported_before_the_first_use():
    code = (
        "import sys; import wherefrom.interfaces.mcp.server;"
        "print([m for m in ('numpy','scipy','faiss','torch','tokenizers','safetensors','psycopg','typer','rich.table')"
        " if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
