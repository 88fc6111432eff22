"""Fetching against a real HTTP server that behaves and misbehaves."""

from __future__ import annotations

import gzip
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from wherefrom.evidence.documents import fetching
from wherefrom.evidence.documents.fetching import fetch
from wherefrom.model.errors import InvalidInput


class Pages(BaseHTTPRequestHandler):
    """What each path answers with."""

    def do_GET(self):
        self.server.agents.append(self.headers["User-Agent"])
        self.server.hosts.append(self.headers["Host"])
        path = self.path
        if path == "/moved":
            self.answer(302, headers={"Location": "/page"})
        elif path.startswith("/chain/"):
            left = int(path.removeprefix("/chain/"))
            self.answer(302, headers={"Location": f"/chain/{left - 1}" if left else "/page"})
        elif path == "/loop":
            self.answer(301, headers={"Location": "/loop"})
        elif path == "/away":
            self.answer(302, headers={"Location": "file:///etc/passwd"})
        elif path == "/bomb":
            self.answer(200, gzip.compress(b"0" * 5_000_000), headers={"Content-Encoding": "gzip"})
        elif path == "/packed":
            self.answer(200, gzip.compress(b"unpacked"), headers={"Content-Encoding": "gzip"})
        elif path == "/nested":
            self.answer(200, b"x", headers={"Content-Encoding": "gzip, gzip"})
        elif path == "/not-packed":
            self.answer(200, b"x", headers={"Content-Encoding": "gzip"})
        elif path == "/large":
            self.answer(200, b"x" * 100_000)
        elif path == "/slow":
            self.server.released.wait(10)
        elif path == "/page":
            self.answer(200, "<p>川</p>".encode(), headers={"Content-Type": "text/html; charset=utf-8"})
        else:
            self.answer(int(path[1:]))

    def answer(self, status, body=b"", headers=None):
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:  # the reader had enough
            self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as running:
        running.agents, running.hosts, running.released = [], [], threading.Event()
        running.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.released.set()
        running.shutdown()
        thread.join()


def get(server, path, **given):
    return fetch(server.url + path, **{"allow_private": True, "timeout_ms": 5_000, **given})


def test_a_page_is_fetched_with_its_type(server):
    found = get(server, "/page")
    assert found == (server.url + "/page", "text/html; charset=utf-8", "<p>川</p>".encode())
    assert "Wherefrom" in server.agents[0]


def test_redirects_are_followed_five_times(server):
    assert get(server, "/moved")[0] == server.url + "/page"
    assert get(server, "/chain/4")[0] == server.url + "/page"
    for path in ("/chain/5", "/loop"):
        with pytest.raises(InvalidInput, match="redirects more than 5 times"):
            get(server, path)


def test_a_redirect_to_another_scheme_is_refused(server):
    with pytest.raises(InvalidInput, match="not an http or https URL"):
        get(server, "/away")


@pytest.mark.parametrize("path", ["/large", "/bomb"])
def test_too_large_is_refused_while_it_arrives(server, path):
    with pytest.raises(InvalidInput, match="larger than 50,000 bytes"):
        get(server, path, limit_bytes=50_000)


def test_packed_answers(server):
    assert get(server, "/packed")[2] == b"unpacked"
    for path in ("/nested", "/not-packed"):
        with pytest.raises(InvalidInput, match=r"encoded|unpacked"):
            get(server, path)


@pytest.mark.parametrize(
    ("status", "hint"), [(404, "check the URL"), (403, "signing in"), (500, "later"), (429, "later")]
)
def test_a_refusal_says_what_to_do(server, status, hint):
    with pytest.raises(InvalidInput, match=str(status)) as caught:
        get(server, f"/{status}")
    assert hint in caught.value.hint


def test_a_slow_server_is_given_up(server):
    with pytest.raises(InvalidInput, match="took too long"):
        get(server, "/slow", timeout_ms=100)


def test_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
        with pytest.raises(InvalidInput, match="cannot be fetched"):
            fetch(url, allow_private=True, timeout_ms=2_000)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "file:///etc/passwd",
        "ftp://example.org/",
        "http://",
        "http://[::1",
        "http://a:b@example.org/",
        "http://x:99999/",
        "http://example.org/" + "a" * 5_000,
        "http://\ud800/",
    ],
)
def test_other_addresses_are_refused(url):
    with pytest.raises(InvalidInput):
        fetch(url)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[fe80::1]",
        "2130706433",
        "100.64.0.1",
        "224.0.0.1",
    ],
)
def test_private_addresses_are_refused(host):
    with pytest.raises(InvalidInput, match=r"private network|not known"):
        fetch(f"http://{host}/", timeout_ms=1_000)


def test_private_addresses_are_refused_after_a_redirect(monkeypatch):
    monkeypatch.setattr(
        fetching.socket, "getaddrinfo", looked_up({"public.example": "93.184.215.14", "inside.example": "10.0.0.5"})
    )
    asked = []

    def handle(request):
        asked.append((request.url.host, request.headers["host"], request.extensions.get("sni_hostname")))
        return httpx2.Response(302, headers={"Location": "http://inside.example/"})

    with pytest.raises(InvalidInput, match="private network"):
        fetch("https://public.example/start", transport=httpx2.MockTransport(handle))
    # The connection goes to the address that was checked, in the name of the host.
    assert asked == [("93.184.215.14", "public.example", "public.example")]


def looked_up(known):
    def getaddrinfo(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (known[host], port))]

    return getaddrinfo
