"""The history through MCP and on the command line, and followed as it comes."""

from __future__ import annotations

import json
import signal
import subprocess
from itertools import islice

import pytest
from forking_for_tests import wherefrom_command
from talking_for_tests import call, refusal, run_command, talk, wherefrom

from wherefrom import Memory
from wherefrom.interfaces.cli.following import followed

NOWHERE = "01900000-0000-7000-8000-000000000000"


def test_an_agent_reads_the_history(url):
    async def conversation(client):
        saved = await call(client, "memory_save", content="Releases go out on Friday.", request_id="r1", trace_id="t1")
        memo_id = saved["memo"]["id"]
        await call(client, "memory_delete", memo_id=memo_id)
        everything = await call(client, "history")
        one = await call(client, "history", id=memo_id, topic=["ingest"])
        missing = await refusal(client, "history", memo_id=NOWHERE)
        page = await call(client, "history", limit=1)
        rest = await call(client, "history", limit=1, cursor=page["next_cursor"])
        return memo_id, everything, one, missing, (page, rest)

    memo_id, everything, one, missing, (page, rest) = talk(url, conversation)
    assert [item["topic"] for item in everything["items"]] == ["delete", "ingest"]
    (saved,) = one["items"]
    assert (saved["node_id"], saved["request_id"], saved["trace_id"]) == (memo_id, "r1", "t1")
    assert (one["about"]["state"], one["about"]["id"]) == ("deleted", memo_id)
    assert missing["code"] == "not_found"
    assert [*page["items"], *rest["items"]] == everything["items"]
    assert rest["next_cursor"] is None


def test_a_person_reads_the_history(url):
    with Memory.open(url) as memory:
        node = memory.save("Releases go out on Friday.", title="Release rule").node
        memory.save("one\x1b[31m", title="[red]two[/red]", namespace="work")
    everything = wherefrom(url, "history")
    assert "saved 'Release rule'" in everything
    assert "saved '[red]two[/red]' · main/work" in everything
    assert node.id[-8:] in everything
    assert everything.index("[red]two") < everything.index("Release rule"), "newest first"
    one = wherefrom(url, "history", node.id)
    assert "memo 'Release rule', version 1" in one
    assert "[red]" not in one
    found = json.loads(wherefrom(url, "history", "--topic", "ingest", "--limit", "1", "--json"))
    assert [item["text"] for item in found["items"]] == ["saved '[red]two[/red]'"]
    assert found["next_cursor"]
    assert wherefrom(url, "history", "--until", "2020-01-01") == "nothing happened here yet\n"
    assert wherefrom(url, "history", NOWHERE, code=3).startswith("not_found")
    assert wherefrom(url, "history", "--topic", "gossip", code=2).startswith("invalid_input")
    assert "exclude each other" in wherefrom(url, "history", "--follow", "--until", "2026-01-01", code=2)


@pytest.mark.parametrize("as_json", [False, True])
def test_following_prints_what_comes_and_ends_with_ctrl_c(url, as_json):
    with Memory.open(url) as memory:
        memory.save("one")
        memory.save("two")
        more = ["--json"] if as_json else []
        command = [*wherefrom_command(), "history", "--follow", "--limit", "1", "--db", url, *more]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            first = process.stdout.readline()
            memory.save("three")
            second = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in error
    texts = [json.loads(line)["text"] if as_json else line for line in (first, second)]
    assert "saved 'two'" in texts[0]
    assert "saved 'three'" in texts[1]


def test_following_tells_each_event_once_in_order_whatever_comes_meanwhile(timed, clock):
    for number in range(5):
        timed.save(f"before {number}")
    waits = []

    def wait(seconds):
        waits.append(seconds)
        if len(waits) in (1, 4):
            for number in range(3):
                timed.save(f"after {len(waits)} {number}")
                clock.go_on(seconds=number * 20)

    told = list(islice(followed(timed.history, wait, since=None, limit=2), 3))
    assert [[entry.text.split("'")[1] for entry in entries] for entries in told] == [
        ["before 3", "before 4"],
        ["after 1 0", "after 1 1", "after 1 2"],
        ["after 4 0", "after 4 1", "after 4 2"],
    ]
    assert waits == [1.0, 1.0, 1.5, 2.25], "the longer nothing happens, the longer it waits"


def test_following_tells_what_is_written_late(timed, clock, url, execute):
    """An event that happened before the last one told, and was written after it."""
    timed.save("one")
    clock.go_on(seconds=30)
    timed.save("two")

    def wait(_):
        late = "2026-01-01T00:00:10.000000Z"
        columns = "owner_id, at, topic, namespace, payload, other_namespace, boundary_class"
        values = f"'local', '{late}', 'filter', 'main', '{{\"decision\":\"denied\"}}', 'main', 'internal'"
        execute(url, f"insert into events ({columns}) values ({values})")

    _, late = islice(followed(timed.history, wait, since=None, limit=1), 2)
    assert [entry.topic for entry in late] == ["filter"]


def test_following_an_empty_store_begins_with_its_first_event(memory):
    told = islice(followed(memory.history, lambda _: memory.save("first"), since=None, limit=5), 2)
    assert [[entry.text for entry in entries] for entries in told] == [[], ["saved 'first'"]]


def test_the_history_of_a_store_that_may_only_be_read(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="none") as memory:
        memory.save("one")
    path.chmod(0o400)
    assert "saved 'one'" in run_command(str(path), "history").stdout
