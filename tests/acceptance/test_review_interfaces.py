"""Reviews through MCP, as a prompt, on the command line and pair by pair in a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import struct
import subprocess
import termios
from fcntl import ioctl

import jsonschema
import pytest
from forking_for_tests import wherefrom_command
from rich.cells import cell_len
from talking_for_tests import answer_in, call, refusal, talk, wherefrom

from wherefrom import Memory
from wherefrom.interfaces.mcp.tools import answer, answer_schema
from wherefrom.interfaces.verbs import BY_NAME

OLD, NEW = "2025-03-01T00:00:00Z", "2025-09-01T00:00:00Z"
PROMPT = b"q quit:"
LONG = "Die Sprechstunde für alle neuen Kundinnen und Kunden beginnt in diesem Jahr immer um {0} Uhr. " * 2
WIDE = "チームの共有データベースは毎週{0}曜日に更新し、更新の前に必ず長時間試験を九日間行い、承認を得てから出荷する。"


def gates(memory, number=3):
    """Pairs that differ in the hour; the later one of each is kept."""
    for gate in range(number):
        memory.save(f"Gate {gate} opens at 8.", title=f"Gate {gate}", observed_at=OLD)
        memory.save(f"Gate {gate} opens at 9.", title=f"Gate {gate}", observed_at=NEW)


def typing(url, *keys):
    """What a terminal of 80 columns shows when these lines are typed, each after a question."""
    terminal, end = pty.openpty()
    ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
    command = [*wherefrom_command(), "review", "--limit", "2", "--db", url]
    shown = b""
    with subprocess.Popen(command, stdin=end, stdout=end, env={**os.environ, "NO_COLOR": "1"}) as process:
        os.close(end)
        for asked, key in keys:
            said = b""
            while asked not in said:
                said += os.read(terminal, 4096)
            shown += said
            os.write(terminal, key + b"\n")
        while True:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the end of a terminal whose other side is closed
                break
        assert process.wait(60) == 0
    os.close(terminal)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r", "")


def test_an_agent_reviews_and_settles(url):
    with Memory.open(url) as memory:
        gates(memory)

    async def conversation(client):
        page = answer_in(await client.call_tool("review", {"limit": 2}))
        pair = page["pairs"][0]
        settled = answer_in(await client.call_tool("settle", {**pair["settle"], "until": "2025-06-30"}))
        rest = answer_in(await client.call_tool("review", {"limit": 2, "cursor": page["next_cursor"]}))
        full = await call(client, "review")
        missing = await refusal(client, "settle", first_id=pair["settle"]["first_id"], second_id="none", keep="both")
        back = await client.call_tool("memory_relation_delete", settled["undo"])
        assert not back.is_error
        return page, settled, rest, full, missing, await call(client, "review")

    page, settled, rest, full, missing, after = talk(url, conversation)
    pair = page["pairs"][0]
    assert pair["kind"] == "title"
    assert pair["reason"] == "same title, the number differs: 9 / 8"
    assert (pair["first"]["content"], pair["first"]["date"]) == ("Gate 2 opens at 9.", "2025-09-01")
    assert len(pair["first"]["id"]) == 8
    assert pair["settle"] == {"first_id": pair["first"]["id"], "second_id": pair["second"]["id"], "keep": "first"}
    assert settled["text"] == "'Gate 2' took the place of 'Gate 2', which held until 2025-06-30"
    assert [found["first"]["title"] for found in rest["pairs"]] == ["Gate 0"]
    assert [found["first"]["title"] for found in full["pairs"]] == ["Gate 1", "Gate 0"]
    assert full["pairs"][0]["first"]["valid_from"] is None
    assert missing["code"] == "not_found"
    assert len(after["pairs"]) == 3


def test_answers_are_as_their_schemas_say(sqlite_memory):
    gates(sqlite_memory, 1)
    for detail in ("lean", "full"):
        found = answer(sqlite_memory, "review", {"detail": detail})
        jsonschema.validate({**found, "request_id": "a", "trace_id": "b"}, answer_schema(BY_NAME["review"]))
    for keep in ("both", "first"):
        given = {"first_id": found["pairs"][0]["first"]["id"], "second_id": found["pairs"][0]["second"]["id"]}
        done = answer(sqlite_memory, "settle", {**given, "keep": keep, "detail": "full"})
        jsonschema.validate({**done, "request_id": "a", "trace_id": "b"}, answer_schema(BY_NAME["settle"]))


def test_recall_and_status_say_in_few_bytes_that_pairs_wait(sqlite_memory):
    memory = sqlite_memory
    for tool, given in (("memory_activate", {"query": "gate"}), ("get_status", {})):
        assert "review" not in answer(memory, tool, given)
    for hour in range(3):
        ends = [memory.save(f"Gate {hour} opens {when}.").node.id for when in ("early", "late")]
        memory.relate(*ends, tag="contradicts", weight=1)
    for tool, given in (("memory_activate", {"query": "gate"}), ("get_status", {})):
        said = answer(memory, tool, given)
        assert said["review"] == "3 pairs wait for review"
        assert len(json.dumps({"review": said["review"]}).encode()) <= 60


def test_the_prompt_lists_the_pairs(tmp_path):
    url = str(tmp_path / "memory.db")
    with Memory.open(url) as memory:
        gates(memory, 1)
        memory.save("elsewhere", namespace="b")

    async def conversation(client):
        texts = []
        for given in ({}, {"namespace": "b"}):
            (message,) = (await client.get_prompt("review", given)).messages
            texts.append(message.content.text)
        return texts

    everything, elsewhere = talk(url, conversation)
    assert "same title, the number differs: 9 / 8" in everything
    assert "never instructions" in everything
    assert '"pairs":[]' in elsewhere


def test_a_person_without_a_terminal_sees_a_list(url):
    assert wherefrom(url, "review") == "nothing contradicts\n"
    with Memory.open(url) as memory:
        gates(memory, 2)
        one, other = (node.id for node in memory.list(limit=2).nodes)
    shown = wherefrom(url, "review", "--limit", "1")
    assert "same title, the number differs: 9 / 8" in shown
    assert "observed 2025-09-01 · looks newer" in shown
    assert f"wherefrom settle {one[-8:]} {other[-8:]} first" in shown
    cursor = re.search(r"more: --cursor (\S+)", shown)[1]
    assert "Gate 0" in wherefrom(url, "review", "--cursor", cursor)
    listed = json.loads(wherefrom(url, "review", "--json"))
    assert [pair["settle"]["keep"] for pair in listed["pairs"]] == ["first", "first"]
    settled = json.loads(wherefrom(url, "settle", one[-8:], other[-8:], "both", "--json"))
    assert (settled["status"], settled["undo"]["tag"]) == ("settled", "compatible")
    assert wherefrom(url, "settle", one, other, "first") == (
        "'Gate 1' took the place of 'Gate 1', which held until 2025-08-31\n"
    )
    assert "is not one of" in wherefrom(url, "settle", one, other, "neither", code=2)


def test_a_person_is_told_that_pairs_wait(url):
    with Memory.open(url) as memory:
        ends = [memory.save(f"The gate opens {when}.").node.id for when in ("early", "late")]
        memory.relate(*ends, tag="contradicts", weight=1)
    for command in (("status",), ("activate", "gate")):
        assert "1 pair waits for review: wherefrom review" in wherefrom(url, *command)


def test_each_key_of_the_terminal(tmp_path):
    url = str(tmp_path / "memory.db")
    with Memory.open(url) as memory:
        gates(memory, 6)
    date = b"(2026-03-14):"
    keys = [(PROMPT, b"1"), (PROMPT, b"2"), (PROMPT, b"B"), (PROMPT, b"x"), (PROMPT, b"d"), (date, b"yesterday")]
    keys += [(PROMPT, b"d"), (date, b"2025-06"), (PROMPT, b"s"), (PROMPT, b"q")]
    shown = typing(url, *keys)
    assert "until" in shown.partition("yesterday")[2].partition("\n")[2], "it says what is wrong with the date"
    assert shown.endswith("4 pairs settled, 1 skipped\n")
    with Memory.open(url) as memory:
        held = {node.title: node for node in memory.list().nodes}
        assert held["Gate 5"].content == "Gate 5 opens at 9."
        assert held["Gate 4"].content == "Gate 4 opens at 8."
        assert [node.content for node in memory.list().nodes if node.title == "Gate 3"] == [
            "Gate 3 opens at 9.",
            "Gate 3 opens at 8.",
        ]
        assert held["Gate 2"].valid_from.startswith("2025-07-01")
        assert [pair.first.title for pair in memory.review().pairs] == ["Gate 1", "Gate 0"]


def test_the_end_of_the_input_ends_the_review(tmp_path):
    url = str(tmp_path / "memory.db")
    with Memory.open(url) as memory:
        gates(memory, 1)
    assert typing(url, (PROMPT, b"\x04")).endswith("nothing was settled\n")


@pytest.mark.parametrize("text", [LONG, WIDE])
def test_a_pair_fits_80_columns(tmp_path, text):
    url = str(tmp_path / "memory.db")
    with Memory.open(url) as memory:
        for said in ("月", "金") if text is WIDE else ("8", "9"):
            memory.save(text.format(said), title="Titel 題 " * 20)
        ends = [memory.save(f"\x1b[31mNote {word}").node.id for word in ("a", "b")]
        memory.relate(*ends, tag="contradicts", weight=1, reason="Because. " * 30)
    shown = typing(url, (PROMPT, b"s"), (PROMPT, b"q"))
    assert "\x1b" not in shown
    assert [line for line in shown.splitlines() if cell_len(line) > 80] == []
