"""The command line, `wherefrom mcp` and hooks on a service: as on a store of one's own, with the access of the key."""

from __future__ import annotations

import json
import os
import stat
import subprocess

import pytest
from forking_for_tests import wherefrom_command
from service_for_tests import served
from talking_for_tests import call, refusal, run_command, talk

from wherefrom import InvalidInput, Store
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.opening import open_memory

KEY = "wf_abcdefgh_0123456789abcdef0123456789abcdef"


@pytest.fixture
def store(url):
    with Store.open(url) as opened:
        yield opened


@pytest.fixture
def secret(store):
    """The key of Anna, who may see and change what is in main/team."""
    return store.memory().create_key("Anna", root="team", role="admin").secret


@pytest.fixture
def address(store, secret):
    with served(Service(store, Options(rate=10_000)).app()) as found:
        yield found


@pytest.fixture
def run(address, secret):
    """Runs a command on the service with Anna's key; returns what it prints."""

    def command(*arguments, code=0, **more):
        process = run_command(address, *arguments, code=code, **{"WHEREFROM_KEY": secret, **more})
        said = process.stdout + process.stderr
        assert secret not in said
        return process.stdout if code == 0 else process.stderr

    return command


def test_commands_work_as_on_a_store(run, store):
    saved = json.loads(run("save", "橋は九時に開く。", "--title", "Bridge", "--json"))
    assert saved["memo"]["namespace"] == "main/team"
    assert "橋は九時に開く。" in run("search", "橋")
    assert "橋は九時に開く。" in run("get", "@1")
    run("save", "The ferry leaves at ten.", "--title", "Ferry")
    run("relate", "Bridge", "Ferry", "--tag", "near", "--weight", "0.5")
    assert "near" in run("relations")
    assert "Bridge" in run("history")
    assert json.loads(run("info", "--json"))["root_namespace"] == "main/team"
    run("delete", "Ferry")
    assert store.memory(root="main/team").list().nodes[0].title == "Bridge"


def test_ids_of_a_command_lead_to_its_events_on_the_service(run, store):
    answer = json.loads(run("save", "A memo with ids.", "--json"))
    entries = store.memory(root="main/team").history(answer["memo"]["id"]).items
    assert {entry.request_id for entry in entries} == {answer["request_id"]}


def test_files_go_in_and_out(run, tmp_path):
    run("save", "日本語のメモ。")
    lines = run("export")
    assert "日本語のメモ。" in lines
    out = tmp_path / "out.jsonl"
    assert "written to" in run("export", str(out))
    assert out.read_text(encoding="utf-8").splitlines()[1:] == lines.splitlines()[1:]
    assert json.loads(run("import", str(out), "--json"))["nodes_unchanged"] == 1
    run("list")
    run("delete", "@1", "--yes")
    assert json.loads(run("import", "-", "--json", stdin=lines))["nodes_created"] == 1
    assert "日本語のメモ。" in run("list")
    assert "keeps no file" in run("import", str(out), "--rejects", str(tmp_path / "rejects"), code=2)


@pytest.mark.parametrize(
    "command",
    [("add", "a.md"), ("backup", "copy"), ("distribute",), ("doctor",), ("embed",), ("reembed",), ("reindex",)],
)
def test_commands_that_need_the_machine_of_the_service_say_so(run, command):
    assert "on the machine of the service" in run(*command, code=2)


def test_the_key_says_the_access(run):
    run("list", "--owner", "local", "--root", "main/team")
    for option, value in (("--owner", "others"), ("--root", "main"), ("--also", "shared"), ("--allow", "tool:*")):
        assert "the key says" in run("list", option, value, code=2)
    assert "the key says" in run("list", code=2, WHEREFROM_ROOT="elsewhere")
    assert "main/team" in run("list", code=2, WHEREFROM_NAMESPACE="elsewhere")
    run("list", WHEREFROM_ROOT="/main/team/", WHEREFROM_PRIVACY="shared")


def test_a_service_that_refuses_the_key_says_so(address):
    for key in (KEY, ""):
        process = run_command(address, "list", code=1, WHEREFROM_KEY=key)
        assert process.stderr.startswith("unauthorized: ")
        assert KEY not in process.stderr


def test_a_key_is_hidden_and_never_an_argument(run, secret, tmp_path):
    file = tmp_path / "config.toml"
    assert "--key" not in run("list", "--help")
    refused = subprocess.run(
        [*wherefrom_command(), "config", "set", "key", KEY],
        capture_output=True, text=True, env={**os.environ, "WHEREFROM_CONFIG": str(file)}, check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert "standard input" in refused.stderr
    assert KEY not in refused.stderr
    assert not file.exists()
    command = [*wherefrom_command(), "config"]
    environment = {**os.environ, "WHEREFROM_CONFIG": str(file)}
    for given in (["set", "key", "-"], []):
        said = subprocess.run(
            [*command, *given], input=f"{secret}\n", capture_output=True, text=True, env=environment, check=True
        ).stdout
        assert secret not in said
        assert "(hidden)" in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Anna" not in run("list", WHEREFROM_CONFIG=str(file))


def test_agents_reach_a_service_over_stdio(address, secret, store):
    async def conversation(client):
        assert (await client.list_tools()).tools
        saved = await call(client, "memory_save", content="橋は九時に開く。", title="Bridge")
        assert saved["memo"]["namespace"] == "main/team"
        lean = await client.call_tool("memory_search", {"query": "橋"})
        assert "main/team" not in lean.content[0].text, "the root goes without saying"
        assert (await refusal(client, "memory_get", memo_id="nothing at all"))["code"] == "not_found"
        page = await client.read_resource("wherefrom://namespace/")
        assert page.contents[0].text.startswith("# main/team: 1 memos")
        prompt = await client.get_prompt("recall", {"topic": "橋"})
        assert "橋は九時に開く。" in prompt.messages[0].content.text
        return saved["memo"]["id"]

    node_id = talk(address, conversation, WHEREFROM_KEY=secret)
    assert store.memory(root="main/team").get(node_id).title == "Bridge"


def test_agents_are_told_that_a_service_is_away():
    async def conversation(client):
        return await refusal(client, "memory_search", query="x")

    assert talk("http://127.0.0.1:9", conversation)["code"] == "store_unavailable"


def test_hooks_recall_from_a_service(address, secret, store):
    store.memory(root="main/team").save("The harbour bridge opens at nine.")
    event = json.dumps({"prompt": "When does the harbour bridge open in the morning?"})
    said = run_command(address, "hook", "prompt", stdin=event, WHEREFROM_KEY=secret).stdout
    assert "opens at nine" in said


def test_a_client_whose_access_is_refused_is_closed(address, secret, monkeypatch):
    monkeypatch.setenv("WHEREFROM_KEY", secret)
    with pytest.raises(InvalidInput, match="the key says which owner") as raised:
        open_memory(address, owner="somebody else")
    assert raised.traceback[-1].locals["client"]._sender._client.is_closed
