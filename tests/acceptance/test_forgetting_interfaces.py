"""Forgetting as it is shown: the tool, the command, and what is asked on a terminal."""

from __future__ import annotations

import json

import pytest
from forgetting_for_tests import MARK, files_of, found_in, marks
from forking_for_tests import wherefrom_command
from talking_for_tests import call, on_terminal, refusal, run_command, talk, wherefrom

from wherefrom import Memory


@pytest.fixture
def kept(url):
    """Two memos of a source, one of which is related to another that stays."""
    source = {"url": f"https://{MARK}.org/report", "source_title": f"Report {MARK}"}
    with Memory.open(url) as memory:
        first = memory.save(f"It leaks\x1b[2J {MARK}.", title=f"L\x1b[31meak {MARK}", provenance=source).node.id
        memory.save(f"It rusts {MARK}.", provenance=source)
        memory.relate(first, memory.save("The lantern stays.").node.id, tag="near", weight=0.8)
    return first


def left(url):
    with Memory.open(url) as memory:
        return len(memory.list().nodes)


# --- the tool ---------------------------------------------------------------------------------------------------------


def test_an_agent_shows_a_plan_and_forgets_exactly_that(url, kept):
    async def conversation(client):
        plan = await call(client, "forget", source=f"{MARK}.org")
        assert (plan["state"], plan["count"], plan["relations"]) == ("planned", 2, 1)
        assert {entry["id"] for entry in plan["nodes"]} > {kept}
        assert all(entry["source"].startswith("Report") and entry["date"] for entry in plan["nodes"])
        refused = await refusal(client, "forget", source=f"{MARK}.org", apply=True)
        assert refused["code"] == "invalid_input"
        changed = await call(client, "forget", source=f"{MARK}.org", apply=True, plan="another")
        assert (changed["state"], changed["plan"]) == ("changed", plan["plan"])
        done = await call(client, "forget", source=f"{MARK}.org", apply=True, plan=plan["plan"])
        assert (done["state"], done["count"]) == ("forgotten", 2)
        back = await call(client, "restore", run_id=done["run_id"])
        assert (back["nodes"], back["relations"]) == (2, 1)

    talk(url, conversation)
    assert left(url) == 3


def test_an_agent_erases_for_good_and_hears_what_is_left(url, kept, execute):
    async def conversation(client):
        plan = await call(client, "forget", query=f"{MARK}", for_good=True)
        done = await call(client, "forget", query=f"{MARK}", for_good=True, apply=True, plan=plan["plan"])
        assert (done["state"], done["for_good"], len(done["left"]) > 1) == ("erased", True, True)
        assert MARK not in json.dumps(done)

    talk(url, conversation)
    assert left(url) == 1
    assert found_in(files_of(url, execute), marks()) == set()


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "code", "stay"), [("n\n", 1, 3), ("\n", 1, 3), ("y\n", 0, 1)])
def test_it_asks_on_a_terminal(url, kept, typed, code, stay):
    got, shown = on_terminal(*wherefrom_command(), "forget", "--source", f"{MARK}.org", "--db", url, typed=typed)
    assert got == code, shown
    assert "2 nodes, 1 relation would be forgotten:" in shown
    assert "Forget these? [y/N]" in shown
    assert "\x1b[2J" not in shown
    assert "\x1b[31m" not in shown
    assert ("wherefrom restore --run" in shown) == (code == 0)
    assert left(url) == stay


def test_for_good_it_says_what_that_takes(url, kept, execute):
    line = ("forget", "--source", f"{MARK}.org", "--for-good", "--db", url)
    got, shown = on_terminal(*wherefrom_command(), *line, typed="y\n")
    assert got == 0, shown
    words = " ".join(shown.split())
    assert "Nothing brings them back. It rewrites the database" in words
    assert ("locks its tables" in words) == url.startswith("postgresql")
    assert "2 nodes and 1 relation erased for good" in words
    assert "not reached:" in words
    assert found_in(files_of(url, execute), marks()) == set()


def test_where_nobody_answers_it_shows_and_yes_forgets(url, kept):
    shown = wherefrom(url, "forget", "--source", f"{MARK}.org")
    assert "nothing was changed" in shown
    assert left(url) == 3
    plan = json.loads(wherefrom(url, "forget", "--source", f"{MARK}.org", "--json"))
    assert plan["plan"] in shown
    assert run_command(url, "forget", "--source", f"{MARK}.org", "--plan", "another", code=1).stdout
    assert left(url) == 3
    assert "2 nodes and 1 relation forgotten" in wherefrom(
        url, "forget", "--source", f"{MARK}.org", "--plan", plan["plan"]
    )
    assert left(url) == 1
    assert "nothing fits" in wherefrom(url, "forget", "--source", f"{MARK}.org")
    done = json.loads(wherefrom(url, "forget", "lantern", "--yes", "--json", "--for-good", "--no-vacuum"))
    assert (done["state"], left(url)) == ("erased", 0)
    assert "not vacuumed" in done["left"][0]


def test_the_relevance_is_shown(url, kept):
    assert "relevance" in wherefrom(url, "forget", "leaks")
    assert "relevance" not in wherefrom(url, "forget", "--id", kept[-8:])
