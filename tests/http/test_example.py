"""`wherefrom serve --demo`: a process that serves the example, and what the example has for each part of the page."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from forking_for_tests import wherefrom_command
from service_for_tests import wait_until_ready

from wherefrom import Memory, config
from wherefrom.interfaces import example
from wherefrom.interfaces.http import welcome

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
SERVE = ["serve", "--demo"]
ADDRESS = re.compile(r"The (?:page|service) is at (http://127\.0\.0\.1:\d+)/ \(Ctrl-C ends it\)\n")


@contextmanager
def running_example(folder, *options, **environment):
    """The address of a process that serves the example, and the first line that it says. At the end it must end well
    and leave nothing in the folder for temporary files."""
    place = {**os.environ, "TMPDIR": str(folder), "WHEREFROM_DB": str(folder / "own.db"), **environment}
    command = [*wherefrom_command(), *SERVE, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place) as process:
        try:
            line = process.stdout.readline().decode()
            base = ADDRESS.search(line)[1]
            wait_until_ready(base, is_alive=lambda: process.poll() is None, said=lambda: line)
            yield base, line
        except BaseException:
            process.kill()
            raise
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture(scope="module")
def running(tmp_path_factory, taken_port):
    """The example in a process whose port is taken."""
    with running_example(tmp_path_factory.mktemp("example"), WHEREFROM_HTTP_PORT=str(taken_port)) as found:
        yield found


@pytest.fixture
def call(running):
    def ask(verb, **given):
        answer = httpx2.post(f"{running[0]}/api/{verb}", json=given, trust_env=False, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request, tmp_path_factory):
    """The example in a store of each dialect, which nobody changes."""
    folder = tmp_path_factory.mktemp("filled")
    url = str(folder / "m.db") if request.param == "sqlite" else request.getfixturevalue("postgres_database")()
    example.fill(config.load({"db": url}), now=NOW)
    with Memory.open(url, clock=lambda: NOW) as memory:
        yield memory


def test_a_port_that_is_taken_is_replaced_and_named(running, taken_port):
    assert running[1].startswith(f"Port {taken_port} is taken, another one is used. ")


def test_a_port_that_was_asked_for_is_not_replaced(taken_port):
    command = [*wherefrom_command(), *SERVE, "--port", str(taken_port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert f"port {taken_port}" in done.stderr


@pytest.mark.parametrize("options", [("--db", "x.db"), ("--host", "0.0.0.0")])
def test_the_example_has_no_other_store_and_no_other_callers(tmp_path, options):
    command = [*wherefrom_command(), *SERVE, *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("invalid_input: --demo serves an example of its own")
    assert list(tmp_path.iterdir()) == []


def test_nobody_needs_a_key_even_if_one_is_made(call):
    call("create_key", name="visitor")
    assert call("info")["sizes"]["memos"] > 50


def test_a_question_is_answered_with_sources(call):
    hits = call("search", query="Does coffee raise blood pressure?", limit=5)["hits"]
    assert hits[0]["node"]["content"] == "Coffee raises blood pressure within an hour."


def test_every_view_has_rows(call):
    views = [view["name"] for view in call("views")]
    assert len(views) == 16
    assert [name for name in views if not call("query_view", name=name)["rows"]] == []


def test_there_are_pairs_to_review(call):
    kinds = [pair["kind"] for pair in call("review")["pairs"]]
    assert kinds.count("title") == 3
    assert {"dispute", "near"} < set(kinds)


def test_relations_are_proposed_and_removals_planned(call):
    states = {item["text"].rpartition("; ")[2][:11] for item in call("history", topic=["plan"])["items"]}
    assert states == {"not applied", "applied 202"}
    plan = call("find_insight", namespace="research/coffee")
    assert sum(link["accepted"] for decision in plan["decisions"] for link in decision["links"]) > 10
    inbox = call("metabolize", namespace="inbox", protection_hours=0)
    assert len(inbox["removed"]) == 2


def test_what_was_forgotten_is_brought_back(call):
    (gone,) = call("history", topic=["retire"])["items"]
    call("restore", node_id=gone["node_id"])
    assert call("get", memo_id=gone["node_id"])["title"] == "Old desk lamp"


@pytest.mark.long
def test_several_processes_serve_one_example(tmp_path):
    """That several processes serve one store is seen on every change by `test_mcp_http`."""
    with running_example(tmp_path, "--port", "0", "--workers", "2") as (base, _):
        for _ in range(4):  # each by a connection of its own, which either process may take
            answers = [httpx2.post(f"{base}/api/list", json={"limit": 100}, trust_env=False) for _ in range(2)]
            first, second = ([node["id"] for node in answer.json()["nodes"]] for answer in answers)
            assert first == second
            assert len(first) > 60


def test_the_example_is_the_same_on_both_databases(filled):
    rows = filled.query_view("v_claim_evidence_summary", limit=100).rows
    sides = {claim: (supports, refutes, neutral) for _, _, claim, supports, refutes, neutral, *_ in rows}
    assert sides["Coffee raises blood pressure within an hour."] == (6, 0, 0)
    assert sides["Years of drinking coffee lead to lasting high blood pressure."] == (2, 2, 1)
    assert sides["Decaffeinated coffee has the same effect as ordinary coffee."] == (0, 1, 1)
    assert sides["Coffee should be left out on the morning of a measurement."] == (0, 0, 0)
    assert [view.name for view in filled.views() if not filled.query_view(view.name).rows] == []
    assert len(filled.review(limit=20).pairs) == 6


def test_the_slot_had_three_statements(filled):
    def stored(days):
        moment = (NOW - timedelta(days=days)).isoformat()
        return next(hit.node.content for hit in filled.search("timetable is stored", as_of=moment, limit=1).hits)

    assert "SQLite" in stored(200)
    assert "one machine" in stored(100)
    assert "second machine" in stored(0)


def test_the_page_opens_in_a_browser_where_it_can_be_seen(tmp_path):
    (tmp_path / "index.html").touch()
    (tmp_path / "browser").write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    (tmp_path / "browser").chmod(0o755)
    program = (
        "import socket, sys, threading; from pathlib import Path\n"
        "from wherefrom.interfaces.http import web_page, welcome\n"
        "web_page.BUILT = Path(sys.argv[1])\n"
        "with socket.create_server(('127.0.0.1', 0)) as listener:\n"
        "    welcome.welcome(listener, wanted_port=0, opens_browser=True)\n"
        "    [thread.join() for thread in threading.enumerate() if thread is not threading.current_thread()]\n"
    )
    seen = {"DISPLAY": ":0", "BROWSER": f"{tmp_path}/browser %s"}
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "WAYLAND_DISPLAY")}
    for further, opens in ((seen, True), ({**seen, "CI": "true"}, False), ({**seen, "DISPLAY": ""}, False)):
        (tmp_path / "opened").unlink(missing_ok=True)
        command = [*wherefrom_command(), "-c", program, str(tmp_path)]
        said = subprocess.run(
            command, env={**environment, **further}, capture_output=True, text=True, timeout=60, check=True
        ).stdout
        url = re.fullmatch(r"The page is at (\S+) \(Ctrl-C ends it\)\n", said)[1]
        opened = tmp_path / "opened"
        assert (opened.read_text().strip() if opened.exists() else None) == (url if opens else None)


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:"), ("::1", "http://[::1]:")]
)
def test_the_address_is_one_that_a_browser_on_this_machine_takes(host, url):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip("there is no such address here")
    with listener:
        assert welcome.address_of(listener) == f"{url}{listener.getsockname()[1]}/"
