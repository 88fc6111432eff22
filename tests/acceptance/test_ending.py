"""How the server ends: with its input, after answering; on a signal, at once."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time

import apsw
import pytest
from forking_for_tests import wherefrom_command
from raw_client_for_tests import INITIALIZE, INITIALIZED, RawClient, tool_call
from talking_for_tests import answer_in_message

from wherefrom import Memory

pytestmark = pytest.mark.slow

ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
# Half a second is what a person may notice; this machine may have other work.
AT_ONCE_SECONDS = 1.5


@pytest.fixture
def silent_endpoint():
    """The address of an embedding endpoint that takes requests and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def waiting(endpoint):
    """Settings with which a search waits for a minute."""
    return {
        "WHEREFROM_EMBEDDER": "endpoint",
        "WHEREFROM_EMBED_URL": endpoint,
        "WHEREFROM_EMBED_MODEL": "silent",
        "WHEREFROM_EMBED_TIMEOUT_MS": "60000",
    }


def test_calls_that_run_when_the_input_ends_are_finished_and_answered(url):
    with RawClient(url, command=[*wherefrom_command(), "mcp"], handshake=False) as client:
        client.send(INITIALIZE, INITIALIZED)
        client.send(tool_call(100, "query_graph", sql=ENDLESS))
        client.send(*(tool_call(number, "memory_save", content=f"memo {number}") for number in range(20)))
        answers = {answer["id"]: answer for answer in client.hang_up()}
        assert client.wait() == 0
        assert client.stderr == b""
    assert answers.keys() == {"first", 100, *range(20)}
    assert all(answer_in_message(answers[number])["status"] == "created" for number in range(20))
    assert "interrupted" in answer_in_message(answers[100])["error"]
    with Memory.open(url) as memory:
        assert len(memory.list(limit=100).nodes) == 20


def test_a_call_that_does_not_end_keeps_the_server_only_for_a_while(tmp_path, silent_endpoint):
    code = (
        "import sys; from wherefrom.interfaces.mcp import server; from wherefrom.transport import stdio;"
        "stdio.GRACE_SECONDS = 0.5; server.serve(sys.argv[1:])"
    )
    with RawClient(tmp_path / "m.db", command=[*wherefrom_command(), "-c", code], **waiting(silent_endpoint)) as client:
        client.send(tool_call(7, "memory_search", query="who?"))
        assert client.hang_up() == []
        assert client.wait() == 0
        assert b"Traceback" not in client.stderr


def test_a_client_that_goes_away_is_no_error(tmp_path):
    read, write = os.pipe()
    command = [*wherefrom_command(), "mcp", "--db", str(tmp_path / "m.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE) as process:
        os.close(write)
        os.close(read)
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("mode", ["legacy", "modern"])
def test_a_cancelled_call_is_not_answered_and_keeps_nobody_waiting(tmp_path, mode):
    modern = {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    }
    with RawClient(tmp_path / "m.db", command=[*wherefrom_command(), "mcp"], handshake=mode == "legacy") as client:
        call = tool_call(7, "query_graph", sql=ENDLESS)
        listing = tool_call(8, "memory_list")
        if mode == "modern":
            call["params"] |= modern
            listing["params"] |= modern
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        client.send(call, cancelled, listing)
        answers = [client.answer(), *client.hang_up()]
        assert [answer["id"] for answer in answers] == [8]
        assert "result" in answers[0]
        assert client.wait() == 0


@pytest.mark.parametrize(
    ("busy", "number", "code"),
    [(busy, signal.SIGINT, 130) for busy in ("idle", "locked", "embedding", "statement")]
    + [("statement", signal.SIGTERM, 143)],
)
def test_a_signal_ends_the_server_at_once_whatever_it_does(tmp_path, silent_endpoint, number, code, busy):
    url = tmp_path / "m.db"
    environment = waiting(silent_endpoint) if busy == "embedding" else {}
    # Once the process that users have.
    command = None if busy == "idle" else [*wherefrom_command(), "mcp"]
    with RawClient(url, command=command, **environment) as client:
        client.send(tool_call(1, "memory_save", content="acknowledged"))
        assert answer_in_message(client.answer())["status"] == "created"
        lock = apsw.Connection(str(url))
        match busy:
            case "locked":
                lock.execute("begin immediate")
                client.send(tool_call(2, "memory_save", content="waits for the lock"))
            case "embedding":
                client.send(tool_call(2, "memory_search", query="who?"))
            case "statement":
                client.send(*(tool_call(2, "query_graph", sql=ENDLESS) for _ in range(8)))
        client.send({"jsonrpc": "2.0", "id": 3, "method": "ping"})
        while client.answer()["id"] != 3:
            pass
        start = time.monotonic()
        client.process.send_signal(number)
        assert client.wait() == code
        assert time.monotonic() - start < AT_ONCE_SECONDS
        assert client.stderr == b""
        lock.close()
    with Memory.open(url) as memory:
        assert [node.content for node in memory.list().nodes] == ["acknowledged"]


@pytest.mark.parametrize("command", [["-m", "wherefrom", "mcp"], ["-m", "wherefrom", "list"]], ids=["mcp", "list"])
def test_ctrl_c_while_it_starts_leaves_no_traceback(tmp_path, command):
    """At every moment of the start, from the first line of the package on; before that Python itself is at work."""
    begun = tmp_path / "begun"
    Memory.open(tmp_path / "m.db").close()
    # Python runs this file before anything else; it says when the package begins.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Watch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        name == 'wherefrom.starting' and open({str(begun)!r}, 'w').close()\n"
        "sys.meta_path.insert(0, Watch())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    codes = []
    for delay in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
        begun.unlink(missing_ok=True)
        with subprocess.Popen(
            [sys.executable, *command, "--db", str(tmp_path / "m.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        ) as process:
            while not begun.exists():
                time.sleep(0.001)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            codes.append(process.wait(30))
            said = process.stderr.read()
            assert b"Traceback" not in said, (delay, said.decode())
            assert said in (b"", b"interrupted\n")
    # An interpreter that is ending has given Ctrl-C back to the system, which a shell reports as 130, too.
    assert set(codes) <= {130, 0, -signal.SIGINT}
    assert 130 in codes


def test_ctrl_c_in_the_middle_of_an_import_says_so_and_leaves_nothing_half_done(tmp_path):
    url = tmp_path / "m.db"
    Memory.open(url).close()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "wherefrom", "import", str(pipe), "--db", str(url)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        pipe.open("wb") as source,  # waits until the command has opened it, too
    ):
        source.write(b'{"type":"entity","name":"Mira","entityType":"person","observations":["Signs off."]}\n')
        source.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stdout.read() == b""
        assert process.stderr.read() == (
            b"stopped: what was stored until now is whole; the same command again goes on\n"
        )
    with Memory.open(url) as memory:
        assert memory.list().nodes == ()


def test_a_command_in_the_background_goes_on_ignoring_ctrl_c(tmp_path):
    code = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        "os.execv(sys.executable, [sys.executable, '-m', 'wherefrom', 'mcp', *sys.argv[1:]])"
    )
    with RawClient(tmp_path / "m.db", command=[sys.executable, "-c", code]) as client:
        client.process.send_signal(signal.SIGINT)
        assert client.answers_until_ping() == []
        client.hang_up()
        assert client.wait() == 0


def test_pipes_that_do_not_wait_are_served_and_none_at_all_is_the_end(tmp_path):
    (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
    for descriptor in (theirs_in, theirs_out):
        os.set_blocking(descriptor, False)
    arguments = ["mcp", "--db", str(tmp_path / "m.db")]
    with subprocess.Popen([*wherefrom_command(), *arguments], stdin=theirs_in, stdout=theirs_out) as process:
        os.close(theirs_in)
        os.close(theirs_out)
        with os.fdopen(ours_in, "wb") as outgoing, os.fdopen(ours_out, "rb") as incoming:
            for number in range(3):
                time.sleep(1)  # it finds nothing to read
                outgoing.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode() + b"\n")
                outgoing.flush()
                assert json.loads(incoming.readline())["id"] == number
        assert process.wait(30) == 0
    command = [sys.executable, "-m", "wherefrom", *arguments]
    closed = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *command], capture_output=True, timeout=60, check=False)
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, b"", b"")


def test_importing_the_package_leaves_signals_alone():
    code = "import signal, wherefrom; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
