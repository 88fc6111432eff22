"""The service as an operator meets it: how it starts, refuses, waits, ends, and what it shows of itself."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx2
import pytest
from calling_for_tests import CLIENT
from forking_for_tests import wherefrom_command
from service_for_tests import free_port, running_service, served, wait_until_ready

from wherefrom import Client, Store
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.http.workers import Limits

# SQL that ends by its own budget after two seconds: its steps are slow ones, so that there are never too many of them.
SLOW = {
    "sql": "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000000)"
    f" select sum(length(replace(cast(i as text) || '{'a' * 200}', 'a', 'bb'))) from n",
    "timeout_ms": 2_000,
    "max_vm_steps": 50_000_000,
}


@pytest.fixture
def store(url):
    with Store.open(url, embedder="none") as opened:
        yield opened


def app(store, **options):
    return Service(store, Options(**options)).app()


def post(base, verb, key=None, **arguments):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return CLIENT.post(f"{base}/api/{verb}", json=arguments, headers=headers)


def get(base, path, **headers):
    return CLIENT.get(f"{base}{path}", headers=headers)


def test_health_and_readiness_need_no_key(store):
    store.memory().create_key("one")
    with served(app(store)) as base:
        assert get(base, "/healthz").json()["status"] == "ok"
        assert get(base, "/readyz").json() == {"status": "ready"}
        assert post(base, "info").status_code == 401


def test_a_service_on_loopback_wants_keys_from_when_the_first_is_made(store):
    with served(app(store)) as base:
        assert post(base, "save", content="before there were keys").status_code == 200
        key = store.memory().create_key("first").secret
        wait_for(lambda: post(base, "search", query="keys").status_code == 401)
        refused = post(base, "search", query="keys")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith('Bearer error="invalid_token"')
        assert refused.json()["error"]["code"] == "unauthorized"
        assert post(base, "search", key, query="keys").json()["hits"]
        store.memory().revoke_key(store.memory().keys().keys[0].id)
        assert post(base, "search", key, query="keys").status_code == 401


def test_without_keys_a_stale_one_does_no_harm(store):
    with served(app(store, keyless=True)) as base:
        assert post(base, "info", "wf_stale_key").status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_that_others_reach_wants_keys(tmp_path, host):
    command = [*wherefrom_command(), "serve", "--db", str(tmp_path / "m.db"), "--port", str(free_port())]
    ended = subprocess.run([*command, "--host", host], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "there are no keys" in ended.stderr
    assert "wherefrom key create" in ended.stderr


def test_a_wrong_port_is_told_in_a_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [*wherefrom_command(), "serve", "--db", str(tmp_path / "m.db"), "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "cannot listen" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_other_hosts_and_origins_are_refused_on_every_route(store):
    with served(app(store, origins=["https://app.example.com"])) as base:
        for path in ("/healthz", "/readyz", "/metrics", "/api/openapi.json", "/mcp", "/nothing"):
            assert get(base, path, Host="evil.example.com").status_code == 421
            assert get(base, path, Origin="https://evil.example.com").status_code == 403
        own = get(base, "/healthz", Origin=base)
        named = get(base, "/healthz", Origin="https://app.example.com")
        assert (own.status_code, named.status_code) == (200, 200)
        assert named.headers["access-control-allow-origin"] == "https://app.example.com"
        preflight = httpx2.options(
            f"{base}/mcp",
            headers={
                "Origin": "https://app.example.com",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,mcp-protocol-version",
            },
            trust_env=False,
        )
        assert preflight.status_code == 200


def test_every_response_has_the_headers_that_browsers_obey(store):
    with served(app(store)) as base:
        for answer in (get(base, "/healthz"), get(base, "/nothing"), get(base, "/healthz", Host="evil.com")):
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert re.fullmatch(r"[0-9a-f-]{36}", answer.headers["x-request-id"])
        assert get(base, "/healthz", **{"X-Request-Id": "mine-1"}).headers["x-request-id"] == "mine-1"


def test_what_is_not_there_is_told_as_json(store):
    with served(app(store)) as base:
        assert get(base, "/api/save").json()["error"]["code"] == "method_not_allowed"
        assert post(base, "nothing").json()["error"]["code"] == "not_found"
        assert post(base, "backup", target="copy.db").status_code == 404
        assert get(base, "/healthz/").status_code == 404
        assert post(base, "get", memo_id="01900000-0000-7000-8000-000000000000").status_code == 404


def test_a_body_that_breaks_a_rule_is_refused_with_the_reason(store):
    with served(app(store)) as base:
        for body, kind, told in (
            (b"{", "application/json", "not JSON"),
            (b"[1]", "application/json", "not a JSON object"),
            (b"[" * 100_000, "application/json", "not JSON"),
            (b'{"content": "x"}', "text/plain", "not said to be JSON"),
            (b'{"content": "x", "nonsense": 1}', "application/json", "nonsense"),
            (b'{"content": 7}', "application/json", "content"),
            (b'{"content": "\\ud800"}', "application/json", ""),
            (b'{"content": "a\\u0000b"}', "application/json", ""),
            (b'{"query": "x", "limit": 1e400}', "application/json", ""),
        ):
            answer = CLIENT.post(f"{base}/api/save", content=body, headers={"Content-Type": kind})
            assert answer.status_code == 400, body[:40]
            assert told in answer.json()["error"]["message"], body[:40]
        assert store.memory().list().nodes == ()


def test_a_body_that_is_too_long_or_too_slow_is_refused_and_hurts_nobody(store, monkeypatch):
    monkeypatch.setattr("wherefrom.interfaces.http.guards._BODY_SECONDS", 1.0)
    with served(app(store, body_bytes=100_000)) as base:
        host, port = base.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as long, socket.create_connection((host, int(port))) as slow:
            head = f"POST /api/save HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            long.sendall(f"{head}Content-Length: 100000000\r\n\r\n".encode())
            assert b" 413 " in long.recv(1000)
            slow.sendall(f"{head}Content-Length: 90000\r\n\r\n".encode() + b'{"content"')
            assert post(base, "save", content="meanwhile").status_code == 200
            assert b" 408 " in slow.recv(1000)
        chunked = httpx2.post(
            f"{base}/api/save",
            content=(b"x" * 10_000 for _ in range(1_000)),
            headers={"Content-Type": "application/json"},
            trust_env=False,
        )
        assert chunked.status_code == 413


@pytest.mark.slow
def test_a_thousand_idle_connections_hurt_nobody(store):
    with served(app(store)) as base:
        host, port = base.removeprefix("http://").split(":")
        idle = [socket.create_connection((host, int(port))) for _ in range(400)]
        half = [socket.create_connection((host, int(port))) for _ in range(400)]
        for connection in half:
            connection.sendall(b"POST /api/save HTTP/1.1\r\nHost: ")
        try:
            assert post(base, "save", content="still there").status_code == 200
        finally:
            for connection in (*idle, *half):
                connection.close()


@contextmanager
def writers_waiting(store):
    """Let every write wait until the end."""
    held, over = threading.Event(), threading.Event()

    def hold(_):
        held.set()
        over.wait(60)

    holding = threading.Thread(target=store.database.write, args=(hold,))
    holding.start()
    held.wait(60)
    try:
        yield
    finally:
        over.set()
        holding.join()


def wait_for(condition):
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_what_waits_too_long_is_refused_with_a_time_to_try_again(tmp_path):
    with Store.open(tmp_path / "m.db", embedder="none") as store, ThreadPoolExecutor(5) as pool:
        service = Service(store, Options(limits=Limits(threads=1, waiting=4, waiting_seconds=0.5, seconds=60)))
        with served(service.app()) as base:
            with writers_waiting(store):
                one = pool.submit(post, base, "save", content="one")
                wait_for(lambda: service.workers.running == 1)
                late = pool.submit(post, base, "save", content="late").result()
                assert late.status_code == 429
                assert late.headers["retry-after"] == "1"
                assert late.json()["error"]["code"] == "overloaded"
            assert one.result().status_code == 200
            assert [node.content for node in store.memory().list().nodes] == ["one"]


def test_one_caller_cannot_take_all_the_places(tmp_path):
    with Store.open(tmp_path / "m.db", embedder="none") as store, ThreadPoolExecutor(6) as pool:
        greedy, other = (store.memory(owner=name).create_key(name).secret for name in ("greedy", "other"))
        limits = Limits(threads=3, waiting=4, waiting_seconds=60, seconds=60)
        service = Service(store, Options(limits=limits))
        with served(service.app()) as base:
            with writers_waiting(store):
                many = [pool.submit(post, base, "save", greedy, content=f"{number}") for number in range(4)]
                wait_for(lambda: service.workers.running == 2 and service.workers.waiting == 2)
                assert post(base, "save", greedy, content="one too many").status_code == 429
                others = pool.submit(post, base, "save", other, content="of another")
                wait_for(lambda: service.workers.running == 3)
            assert {answer.result().status_code for answer in (*many, others)} == {200}


def test_a_caller_who_calls_too_often_is_told_to_wait(store):
    with served(app(store, rate=5)) as base:
        codes = [post(base, "info").status_code for _ in range(20)]
    assert codes[0] == 200
    assert 429 in codes


def test_a_call_that_takes_too_long_is_stopped_and_leaves_its_thread(store):
    with served(app(store, limits=Limits(threads=1, seconds=0.5))) as base:
        post(base, "query_graph", sql="select 1")  # what is made once for all
        answer = post(base, "query_graph", **SLOW)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "timed_out")
        assert post(base, "info").status_code == 200


def test_a_caller_who_leaves_takes_its_call_with_it(tmp_path):
    with Store.open(tmp_path / "m.db", embedder="none") as store:
        service = Service(store, Options(limits=Limits(threads=1, seconds=60)))
        with served(service.app()) as base, writers_waiting(store):
            host, port = base.removeprefix("http://").split(":")
            head = f"POST /api/save HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            with socket.create_connection((host, int(port))) as leaving:
                leaving.sendall(f"{head}Content-Length: 19\r\n\r\n".encode() + b'{"content":"leave"}')
                wait_for(lambda: service.workers.running == 1)
            wait_for(lambda: service.workers.running == 0)
        assert store.memory().list().nodes == ()


def test_logs_and_numbers_have_nothing_of_a_text_or_a_key(tmp_path):
    url = str(tmp_path / "m.db")
    with Store.open(url) as store:
        secret = store.memory().create_key("ops", role="admin").secret
    port = free_port()
    command = [*wherefrom_command(), "serve", "--db", url, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    base = f"http://127.0.0.1:{port}"
    try:
        wait_until_ready(base, is_alive=lambda: process.poll() is None, said=lambda: "it ended")
        post(base, "save", secret, content="Zanzibar in the rain")
        post(base, "search", secret, query="Zanzibar")
        post(base, "search", "wf_wrong_secret", query="Zanzibar")
        answer = get(base, "/metrics", Authorization=f"Bearer {secret}")
        numbers = answer.text
        assert "server" not in answer.headers  # what it runs on is nobody's business
    finally:
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)
    assert process.returncode == 0
    lines = [json.loads(line) for line in said[1].splitlines()]
    requests = [line for line in lines if line["message"] == "request"]
    assert {"save", "search"} <= {line.get("verb") for line in requests}
    assert {line["status"] for line in requests} >= {200, 401}
    assert 'wherefrom_requests_total{route="/api/save",status="200",verb="save"} 1.0' in numbers
    for shown in (*said, numbers):
        assert "Zanzibar" not in shown
        assert secret.rpartition("_")[2] not in shown
        assert "wrong_secret" not in shown


def test_numbers_are_for_keepers(store):
    reader = store.memory().create_key("reader", role="read").secret
    with served(app(store)) as base:
        assert get(base, "/metrics").status_code == 401
        assert get(base, "/metrics", Authorization=f"Bearer {reader}").status_code == 403


@pytest.mark.slow
def test_traces_reach_a_collector(tmp_path):
    received = []

    async def collect(scope, receive, send):
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        if scope["path"] == "/v1/traces":
            received.append(body)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with served(collect) as collector:
        with running_service(str(tmp_path / "m.db"), OTEL_EXPORTER_OTLP_ENDPOINT=collector) as base:
            post(base, "save", content="Zanzibar in the rain")
        assert any(b"POST /api/save" in body and b"wherefrom.verb" in body for body in received)
        assert not any(b"Zanzibar" in body for body in received)


@pytest.mark.slow
def test_two_processes_share_a_port_and_one_that_dies_is_replaced(tmp_path):
    with running_service(str(tmp_path / "m.db"), "--workers", "2") as base:
        assert post(base, "save", content="kept by whoever answers").status_code == 200
        children = subprocess.run(
            ["pgrep", "-f", "--", f"--port {base[-5:]}.*--socket"], capture_output=True, text=True
        )
        pids = [int(pid) for pid in children.stdout.split()]
        assert len(pids) == 2
        subprocess.run(["kill", "-9", str(pids[0])], check=True)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            now = subprocess.run(["pgrep", "-f", "--", f"--port {base[-5:]}.*--socket"], capture_output=True, text=True)
            if len(now.stdout.split()) == 2 and str(pids[0]) not in now.stdout.split():
                break
            time.sleep(0.1)
        else:
            pytest.fail("no other process took its place")
        found = {len(post(base, "search", query="kept by whom?").json()["hits"]) for _ in range(10)}
        assert found == {1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dialect", "sent"),
    [
        ("sqlite", signal.SIGKILL),
        ("postgres", signal.SIGTERM),
        pytest.param("sqlite", signal.SIGTERM, marks=pytest.mark.long),
        pytest.param("postgres", signal.SIGKILL, marks=pytest.mark.long),
    ],
)
def test_a_restart_under_load_loses_no_write_that_was_acknowledged(new_url, dialect, sent):
    url = new_url(dialect)
    acknowledged, is_over = [], threading.Event()

    def write(number):
        count = 0
        while not is_over.is_set():
            text = f"note {number}.{count}"
            try:
                if post(base, "save", content=text).status_code == 200:
                    acknowledged.append(text)
            except httpx2.TransportError:
                time.sleep(0.01)
            count += 1

    port = free_port()
    base = f"http://127.0.0.1:{port}"
    started = (sys.executable, "-m", "wherefrom") if sent == signal.SIGKILL else wherefrom_command()
    command = [*started, "serve", "--db", url, "--port", str(port)]
    with ThreadPoolExecutor(4) as pool:
        for number in range(4):
            pool.submit(write, number)
        try:
            for _ in range(2):
                process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
                wait_until_ready(base, is_alive=lambda process=process: process.poll() is None, said=lambda: "it ended")
                enough = len(acknowledged) + 12
                wait_for(lambda enough=enough: len(acknowledged) >= enough)
                process.send_signal(sent)
                code = process.wait(60)
                assert code == (0 if sent == signal.SIGTERM else -signal.SIGKILL)
        finally:
            is_over.set()
    with Store.open(url) as store:
        kept, memory, cursor = set(), store.memory(), None
        while True:
            page = memory.list(limit=100, cursor=cursor)
            kept |= {node.content for node in page.nodes}
            if (cursor := page.next_cursor) is None:
                break
    assert set(acknowledged) <= kept


def test_a_running_call_is_finished_before_the_service_ends(tmp_path):
    url = str(tmp_path / "m.db")
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [*wherefrom_command(), "serve", "--db", url, "--port", str(port)], stderr=subprocess.DEVNULL
    )
    wait_until_ready(base, is_alive=lambda: process.poll() is None, said=lambda: "it ended")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(post, base, "query_graph", **SLOW)
        time.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        answer = running.result()
        assert answer.status_code == 200
        assert "interrupted" in answer.json()["error"]  # its own budget ended it, not the service
    assert process.wait(30) == 0


def test_a_client_of_python_reads_what_a_program_wrote(store):
    with served(app(store)) as base, Client(base) as client:
        saved = client.save("茶は緑である", title="お茶")
        assert client.get(saved.node.id) == store.memory().get(saved.node.id)
