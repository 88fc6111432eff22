"""Requests that no client sends: strange heads, paths and bodies, and callers that leave or never finish."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import socket
import statistics
import threading
import time
from pathlib import Path

import pytest
from calling_for_tests import CLIENT, bearer, call
from service_for_tests import running_service, served

from wherefrom import Store
from wherefrom.interfaces.http import callers
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.http.workers import Limits

JSON = "Content-Type: application/json\r\n"
MARK = "<script>alert(7)</script>"


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "memory.db", embedder="none") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_limit_of_refusals(monkeypatch):
    monkeypatch.setattr(callers, "_REFUSALS", (1e6, 1e6))


@pytest.fixture
def keyed(store):
    """The address of a service, and the keys of two owners, each of whom has a memo."""
    secrets = []
    for owner in ("anna", "bert"):
        memory = store.memory(owner=owner)
        memory.save(f"What {owner} knows.")
        secrets.append(memory.create_key(owner, role="admin").secret)
    with served(Service(store, Options(rate=1e6)).app()) as base:
        yield base, *secrets


def connected(base):
    host, port = base.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def exchanged(base, *parts, is_pipelined=False):
    """All that comes back for some bytes, until the service closes or says nothing more."""
    with connected(base) as connection:
        for part in parts:
            connection.sendall(part if isinstance(part, bytes) else part.encode("latin-1"))
        connection.settimeout(1.5)
        received = b""
        with contextlib.suppress(TimeoutError, ConnectionError):
            while got := connection.recv(65536):
                received += got
                if not is_pipelined and is_whole(received):
                    break
        return received


def is_whole(received):
    """Whether one response has arrived as long as it says it is."""
    head, _, body = received.partition(b"\r\n\r\n")
    said = re.search(rb"content-length: (\d+)", head.lower())
    return bool(said) and len(body) >= int(said[1])


def statuses(received):
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3})", received)]


def posted(path="/api/info", *, host="127.0.0.1", headers="", body="{}", version="1.1", method="POST"):
    named = f"Host: {host}\r\n" if host is not None else ""
    return f"{method} {path} HTTP/{version}\r\n{named}{headers}{JSON}Content-Length: {len(body)}\r\n\r\n{body}"


# --- heads ------------------------------------------------------------------------------------------------------------


def test_a_request_with_no_host_or_several_or_a_strange_one_is_refused(keyed):
    base, anna, _ = keyed
    key = f"Authorization: Bearer {anna}\r\n"
    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "evil.example:80", "", "127.0.0.1, evil",
                 "[::1", "::1", "127.0.0.1:80:80", "127.0.0.1:x", "localhost.", "xn--127", "0"):  # fmt: skip
        found = statuses(exchanged(base, posted(host=host, headers=key)))
        assert found in ([421], [400]), (host, found)
    assert statuses(exchanged(base, posted(host=None, headers=key))) in ([421], [400])
    assert statuses(exchanged(base, posted(headers=f"Host: evil.example\r\n{key}"))) in ([421], [400])
    assert statuses(exchanged(base, posted(headers=f"Host: 127.0.0.1\r\n{key}"))) in ([421], [400])
    for host in ("127.0.0.1", "LOCALHOST", "localhost:99", "[::1]", "[::1]:80"):
        assert statuses(exchanged(base, posted(host=host, headers=key))) == [200], host


def test_a_target_with_another_host_is_served_by_its_path_alone(keyed):
    base, anna, _ = keyed
    key = f"Authorization: Bearer {anna}\r\n"
    assert statuses(exchanged(base, posted("http://evil.example/healthz", method="GET"))) in ([401], [400], [421])
    assert statuses(exchanged(base, posted("http://127.0.0.1/api/info"))) in ([401], [400])
    assert statuses(exchanged(base, posted("http://127.0.0.1/api/info", host="evil.example", headers=key))) in (
        [421],
        [400],
    )


STRANGE_PATHS = (
    "/api/../api/info", "//api/info", "/api//info", "/api/info/", "/API/INFO", "/api/./info", "/api/%2e%2e/api/info",
    "/api/info%00", "/api/info\x00", "/api/info%2f", "/api\\info", "/%2fapi/info", "/api/info;x=1", "/healthz/../api/info",
    "/healthz%2f..%2fapi/info", "/api/openapi.json/../info", "/api/openapi.json%2f..%2finfo", "/mcp/../api/info",
    "/readyz/", "/metrics/", "*", "api/info", "/api/info%", "/api/info%zz", "/\xff\xfe", "/" + "x" * 10_000,
    "/" + "../" * 50 + "etc/passwd", "/api/__init__", "/api/_answer", "/api/import_",
)  # fmt: skip


def test_a_strange_path_reaches_no_verb(keyed):
    base, anna, _ = keyed
    for path in STRANGE_PATHS:
        without = exchanged(base, posted(path))
        assert statuses(without)[:1] in ([401], [400], [414], [431], []), (path, without[:300])
        found = exchanged(base, posted(path, headers=f"Authorization: Bearer {anna}\r\n"))
        assert statuses(found)[:1] in ([404], [400], [414], [431], []), (path, found[:300])
        assert b"default_namespace" not in found, path
        assert not path.startswith("/etc") and b"root:" not in found


WAYS = (
    ("bearer KEY", 200), ("BEARER KEY", 200), ("Bearer  KEY", 401), ("Bearer KEY ", 200), ("Bearer KEY x", 401),
    ("Bearer\tKEY", 401), ("Basic KEY", 401), ("KEY", 401), ("Bearer KEY, Bearer KEY", 401), ("Token KEY", 401),
    ("Bearer k\xe9y", 401), ("Bearer wf_\xff_" + "a" * 32, 401), ("Bearer \xf0\x9f\x98\x80", 401), ("Bearer", 401),
    ("Bearer " + "x" * 30_000, 401), ("Bearer wf_" + "a" * 30_000, 401), ("Bearer a.b.c", 401), ("Bearer ..", 401),
)  # fmt: skip


def test_a_key_is_taken_in_one_way_alone(keyed):
    base, anna, _ = keyed
    for value, status in WAYS:
        found = exchanged(base, posted(headers=f"Authorization: {value.replace('KEY', anna)}\r\n"))
        assert statuses(found) in ([status], [431]), (value, found[:300])


def test_two_keys_in_one_request_are_refused(keyed):
    base, anna, bert = keyed
    both = f"Authorization: Bearer {anna}\r\nAuthorization: Bearer {bert}\r\n"
    assert statuses(exchanged(base, posted(headers=both))) == [401]


def test_an_origin_that_is_null_or_strange_is_refused(keyed):
    base, anna, _ = keyed
    for origin in ("null", "http://evil.example", f"{base}.evil.example", "file://", "http://127.0.0.1:1", MARK, ""):
        answer = CLIENT.post(f"{base}/api/info", headers={**bearer(anna), "Origin": origin})
        assert answer.status_code == 403, origin
        assert "access-control-allow-origin" not in answer.headers


def test_what_an_untrusted_peer_says_of_others_changes_nothing(tmp_path):
    url = str(tmp_path / "memory.db")
    with Store.open(url, embedder="none") as store:
        store.memory().create_key("one")
    with running_service(url) as base:
        found = []
        for number in range(80):
            address = f"10.0.0.{number}"
            forwarded = {"X-Forwarded-For": address, "X-Real-IP": address, "Forwarded": f"for={address}"}
            elsewhere = {"X-Forwarded-Host": "evil.example", "X-Original-URL": "/healthz"}
            found.append(CLIENT.post(f"{base}/api/info", headers={**forwarded, **elsewhere}).status_code)
    assert set(found[:40]) == {401}
    assert 429 in found  # all of them came from one address


def test_huge_and_many_headers_do_no_harm(keyed):
    base, anna, _ = keyed
    for headers in ("X-A: " + "x" * 1_000_000 + "\r\n", "".join(f"X-{n}: y\r\n" for n in range(20_000)), "X" * 500_000):
        exchanged(base, posted(headers=headers))
        assert call(base, "info", key=anna).status_code == 200
    for headers in ("X: \x00\r\n", "X : y\r\n", " X: y\r\n", "X\r\n", "X: a\r\n b\r\n", "\x7f: x\r\n"):
        assert statuses(exchanged(base, posted(headers=headers)))[:1] in ([400], [401], [421], [])
    assert call(base, "info", key=anna).status_code == 200


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_no_request_is_smuggled_behind_another(keyed):
    base, anna, _ = keyed
    key = f"Authorization: Bearer {anna}\r\n"
    hidden = posted(headers=key)
    head = f"POST /api/info HTTP/1.1\r\nHost: 127.0.0.1\r\n{JSON}"
    for lengths in (
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 30\r\n", "Content-Length: 2, 30\r\n", "Content-Length: +2\r\n",
        "Content-Length: -2\r\n", "Content-Length: 0x2\r\n", "Content-Length: 2\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding : chunked\r\n",
        "Content-Length: 99999999999999999999\r\n", "Content-Length: \r\n", "Content-Length: 2 2\r\n",
    ):  # fmt: skip
        found = exchanged(base, f"{head}{lengths}\r\n0\r\n\r\n{hidden}")
        # The hidden request is refused with the first, or is part of its body; it never runs by itself with its key.
        assert 200 not in statuses(found), (lengths, found[:400])
    assert call(base, "info", key=anna).status_code == 200


def test_pipelined_requests_are_answered_each_for_its_own_caller(keyed):
    base, anna, bert = keyed
    parts = [
        posted("/api/list", headers=f"Authorization: Bearer {key}\r\n" if key else "")
        for key in (anna, bert, None, anna, "wf_wrong", bert)
    ]
    found = exchanged(
        base, "".join(parts[:-1]), parts[-1].replace("\r\n", "\r\nConnection: close\r\n", 1), is_pipelined=True
    )
    assert statuses(found) == [200, 200, 401, 200, 401, 200]
    answers = re.split(rb"HTTP/1\.1 ", found)[1:]
    for answer, owner in zip(answers, ("anna", "bert", None, "anna", None, "bert"), strict=True):
        assert (b"What anna knows" in answer) == (owner == "anna")
        assert (b"What bert knows" in answer) == (owner == "bert")


def test_other_versions_and_methods_are_answered_or_refused(keyed):
    base, anna, _ = keyed
    key = f"Authorization: Bearer {anna}\r\n"
    assert statuses(exchanged(base, posted(headers=key, version="1.0"))) == [200]
    for version in ("0.9", "2.0", "9.9", "x"):
        assert statuses(exchanged(base, posted(headers=key, version=version)))[:1] in ([400], [505], [200], [])
    for method in ("HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "PROPFIND", "CONNECT", "get", "X" * 1000):
        found = exchanged(base, posted(headers=f"{key}Connection: close\r\nX-Mark: {MARK}\r\n", method=method))
        assert statuses(found)[:1] in ([405], [400], [501], [404], []), (method, found[:300])
        assert MARK.encode() not in found
    assert statuses(exchanged(base, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))[:1] in ([400], [421], [])
    assert statuses(exchanged(base, posted(headers=f"{key}Upgrade: websocket\r\nConnection: Upgrade\r\n")))[:1] in (
        [200],
        [400],
    )
    assert statuses(exchanged(base, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 200))[:1] in ([400], [])


def test_compressed_bodies_are_not_unpacked(keyed):
    base, anna, _ = keyed
    bomb = gzip.compress(b'{"content": "' + b"x" * 50_000_000 + b'"}')
    headers = {**bearer(anna), "Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert CLIENT.post(f"{base}/api/save", content=bomb, headers=headers).status_code == 400


def test_what_was_sent_never_comes_back_as_a_page(keyed):
    base, anna, _ = keyed
    headers = {**bearer(anna), "X-Request-Id": MARK, "Content-Type": "application/json"}
    for path, body in (
        (f"/api/{MARK}", "{}"), ("/api/get", json.dumps({"memo_id": MARK})), ("/api/get", json.dumps({MARK: 1})),
        (f"/mcp?tools={MARK}", "{}"), (f"/api/info?x={MARK}", "{}"), ("/api/save", json.dumps({"content": "x", "scope": MARK})),
    ):  # fmt: skip
        answer = CLIENT.post(base + path, content=body, headers=headers)
        assert answer.headers["content-type"].startswith("application/json"), path
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert MARK not in str(answer.headers)
    broken = {**bearer(anna), "Last-Event-ID": "x"}
    assert CLIENT.get(f"{base}/api/events", headers=broken).status_code == 400
    assert CLIENT.get(f"{base}/api/events?after=%0d%0aX-Evil:%201", headers=bearer(anna)).status_code == 400


def test_who_may_not_import_sends_no_file(store):
    reader = store.memory().create_key("reader", role="read").secret
    with served(Service(store, Options()).app()) as base, connected(base) as connection:
        head = f"POST /api/import HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {reader}\r\n"
        connection.sendall(f"{head}Content-Length: 200000000\r\n\r\nx".encode())
        connection.settimeout(5)
        assert b" 403 " in connection.recv(1000)


def test_options_of_an_import_that_there_are_not_are_refused(keyed):
    base, anna, _ = keyed
    for query in ("nonsense=1", "split=perhaps", "split="):
        assert CLIENT.post(f"{base}/api/import?{query}", content=b"{}", headers=bearer(anna)).status_code == 400


# --- callers that hurt others, or leave -------------------------------------------------------------------------------


def resident_mb(process_id):
    pages = int(Path(f"/proc/{process_id}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def latencies_ms(base, key, count=40):
    found = []
    for _ in range(count):
        begun = time.perf_counter()
        assert call(base, "list", key=key).status_code == 200
        found.append((time.perf_counter() - begun) * 1000)
    return found


@pytest.mark.slow
def test_long_bodies_slow_senders_and_a_thousand_idle_connections_hurt_nobody(keyed):
    base, anna, bert = keyed
    alone = statistics.median(latencies_ms(base, anna))
    is_over = threading.Event()

    def send_long_bodies():
        chunk = b"x" * 1_000_000
        key = f"Authorization: Bearer {bert}\r\n"
        while not is_over.is_set():
            with connected(base) as connection, contextlib.suppress(OSError):
                connection.sendall(f"POST /api/save HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}{JSON}".encode())
                connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
                for _ in range(100):
                    connection.sendall(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")

    with contextlib.ExitStack() as stack:
        idle = [stack.enter_context(connected(base)) for _ in range(600)]
        half = [stack.enter_context(connected(base)) for _ in range(400)]
        for connection in half:
            connection.sendall(
                f"POST /api/save HTTP/1.1\r\nHost: 127.0.0.1\r\n{JSON}Authorization: Bearer {bert}\r\n".encode()
            )
            connection.sendall(b"Content-Length: 1000\r\n\r\n{")
        sending = threading.Thread(target=send_long_bodies)
        sending.start()
        try:
            meanwhile = statistics.median(latencies_ms(base, anna))
        finally:
            is_over.set()
            sending.join(30)
        assert len(idle) + len(half) == 1000
    assert meanwhile < 20 * alone + 200, (alone, meanwhile)


@pytest.mark.slow
def test_a_thousand_callers_who_leave_take_their_memory_and_threads_with_them(tmp_path):
    slow = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000000) select count(*) from n"
    with Store.open(tmp_path / "memory.db", embedder="none") as store:
        service = Service(store, Options(rate=1e6, limits=Limits(threads=4, waiting=64, seconds=30)))
        with served(service.app()) as base:

            def leave(count):
                for number in range(count):
                    body = json.dumps({"sql": slow, "timeout_ms": 2000}) if number % 4 == 0 else '{"content": "kept?"}'
                    verb = "query_graph" if number % 4 == 0 else "save"
                    with connected(base) as connection:
                        connection.sendall(posted(f"/api/{verb}", body=body).encode())
                        if number % 3 == 0:
                            time.sleep(0.005)
                until = time.monotonic() + 30
                while service.workers.running or service.workers.waiting:
                    assert time.monotonic() < until
                    time.sleep(0.02)

            leave(200)
            before, threads = resident_mb(os.getpid()), threading.active_count()
            leave(1000)
            assert threading.active_count() <= threads + 20  # threads that wait for work for a while
            assert resident_mb(os.getpid()) < before + 30
            assert call(base, "info").status_code == 200
