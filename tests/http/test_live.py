"""Live: changes as they happen, to those who may see them."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

import anyio
import httpx2
import pytest
from mcp.client.client import Client as McpClient
from service_for_tests import running_service, served

from wherefrom import Store
from wherefrom.interfaces.http.app import Options, Service


@pytest.fixture
def store(url):
    with Store.open(url, embedder="none") as opened:
        yield opened


class Stream:
    """A stream that is read on a thread, event by event."""

    def __init__(self, base, key=None, after=None):
        self.events, self.status, self.is_over = [], None, threading.Event()
        self.last_id = None
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        headers |= {"Last-Event-ID": after} if after else {}
        self._opened = threading.Event()
        self._client = httpx2.Client(trust_env=False, timeout=60)
        self._connection = None
        self._thread = threading.Thread(target=self._read, args=(base, headers), daemon=True)
        self._thread.start()
        assert self._opened.wait(30)

    def _read(self, base, headers):
        try:
            with self._client.stream("GET", f"{base}/api/events", headers=headers) as answer:
                self.status = answer.status_code
                self._connection = answer.extensions["network_stream"].get_extra_info("socket")
                fields = {}
                for line in answer.iter_lines():
                    name, _, value = line.partition(": ")
                    if line:
                        fields[name] = value
                        continue
                    self.last_id = fields.get("id", self.last_id)
                    if self.last_id or self.status != 200:
                        self._opened.set()
                    if "event" in fields:
                        self.events.append((fields["event"], json.loads(fields["data"])))
                    fields = {}
        except httpx2.TransportError:
            pass
        finally:
            self._opened.set()
            self.is_over.set()

    def wait(self, count):
        until = time.monotonic() + 30
        while len(self.events) < count:
            assert time.monotonic() < until, self.events
            time.sleep(0.02)
        return self.events

    def close(self):
        """Hang up, so that the service need not wait for the end of the stream."""
        if self._connection is not None:
            with suppress(OSError):  # it is closed already
                self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(30)
        self._client.close()


@contextmanager
def streaming(*given, **more):
    stream = Stream(*given, **more)
    try:
        yield stream
    finally:
        stream.close()


def test_changes_come_as_they_happen_without_their_texts(store):
    with served(Service(store, Options()).app()) as base, streaming(base) as stream:
        saved = store.memory().save("Zanzibar in the rain").node.id
        other = store.memory().save("Pemba in the sun").node.id
        store.memory().relate(saved, other, tag="near", weight=0.5)
        store.memory().delete(other)
        found = [change for _, change in stream.wait(4)]
        assert [change["topic"] for change in found] == ["ingest", "ingest", "integrate", "delete"]
        assert found[0]["node_id"] == saved
        assert "Zanzibar" not in json.dumps(found)


def test_a_stream_goes_on_after_the_last_change_that_was_read(store):
    with served(Service(store, Options()).app()) as base:
        with streaming(base) as stream:
            store.memory().save("one")
            last = stream.wait(1)[0][1]["id"]
        store.memory().save("two")
        store.memory().save("three")
        with streaming(base, after=last) as stream:
            assert len(stream.wait(2)) == 2
            store.memory().save("four")
            assert len(stream.wait(3)) == 3
        wrong = httpx2.get(f"{base}/api/events", headers={"Last-Event-ID": "nonsense"}, trust_env=False)
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "invalid_input")


def test_following_goes_on_after_what_nobody_expected(store, monkeypatch):
    failed = threading.Event()

    def fail(*given):
        failed.set()
        monkeypatch.undo()
        raise RuntimeError("can't start new thread")

    with served(Service(store, Options()).app()) as base, streaming(base) as stream:
        monkeypatch.setattr("wherefrom.interfaces.http.live.feed.end", fail)
        monkeypatch.setattr("wherefrom.interfaces.http.live.feed.owners_after", fail)
        assert failed.wait(20)
        store.memory().save("after it")
        assert len(stream.wait(1)) == 1
        listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {"Accept": "application/json, text/event-stream"}
        assert httpx2.post(f"{base}/mcp", json=listed, headers=headers, trust_env=False).status_code == 200


def test_streams_beyond_the_limit_are_refused_and_the_others_go_on(store, monkeypatch):
    monkeypatch.setattr("wherefrom.interfaces.http.live._MAX_STREAMS_OF_ONE", 2)
    with served(Service(store, Options()).app()) as base, streaming(base) as one, streaming(base) as two:
        with streaming(base) as third:
            assert third.is_over.wait(20)
            assert third.status == 429
        store.memory().save("for both")
        assert len(one.wait(1)) == len(two.wait(1)) == 1


def test_others_learn_nothing(store):
    key = store.memory(owner="alice", root="team/a").create_key("a").secret
    with served(Service(store, Options()).app()) as base, streaming(base, key) as stream:
        store.memory(owner="bob", root="team/a").save("of another owner")
        store.memory(owner="alice", root="team/b").save("of another root")
        own = [store.memory(owner="alice", root="team/a").save("my own").node.id]
        stream.wait(1)
        own.append(
            store.memory(owner="alice", root="team/a").save("by when all of the others' would have come").node.id
        )
        assert [change["node_id"] for _, change in stream.wait(2)] == own
        assert httpx2.get(f"{base}/api/events", trust_env=False).status_code == 401


def test_a_stream_ends_with_its_key(store, monkeypatch):
    monkeypatch.setattr("wherefrom.interfaces.http.live._SECONDS_OF_SILENCE", 0.3)
    memory = store.memory(owner="alice")
    made = memory.create_key("a")
    with served(Service(store, Options()).app()) as base, streaming(base, made.secret) as stream:
        assert stream.status == 200
        memory.revoke_key(made.key.id)
        assert stream.is_over.wait(20)


def test_open_streams_do_not_hold_up_the_end(url):
    with running_service(url) as base:
        stream = Stream(base)
        begun = time.monotonic()
    assert time.monotonic() - begun < 15
    assert stream.is_over.wait(5)
    stream.close()


def test_one_process_sees_what_another_wrote(url):
    with running_service(url) as one, Store.open(url) as store, streaming(one) as stream:
        saved = store.memory().save("written elsewhere").node.id
        assert stream.wait(1)[0][1]["node_id"] == saved


def test_an_mcp_client_is_told_when_a_resource_changes_and_only_its_own(store):
    mine = store.memory(owner="alice").save("first words").node.id
    foreign = store.memory(owner="bob").save("of another").node.id
    key = store.memory(owner="alice").create_key("a").secret

    async def listen(base):
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, trust_env=False) as http:
            transport = streamable_http_client(f"{base}/mcp", http_client=http)
            async with McpClient(transport) as client:
                with pytest.raises(Exception, match="there is no memo"):
                    async with client.listen(resource_subscriptions=[f"wherefrom://memo/{foreign}"]):
                        pass
                async with client.listen(resource_subscriptions=[f"wherefrom://memo/{mine}"]) as events:
                    await anyio.to_thread.run_sync(
                        lambda: store.memory(owner="bob").save("of another", memo_id=foreign, title="changed")
                    )
                    await anyio.to_thread.run_sync(
                        lambda: store.memory(owner="alice").save("other words", memo_id=mine)
                    )
                    with anyio.fail_after(20):
                        return str((await anext(aiter(events))).uri)

    with served(Service(store, Options()).app()) as base:
        assert anyio.run(listen, base) == f"wherefrom://memo/{mine}"
