"""A document that is sent to a service by its bytes: what a page does with a file that is dropped on it."""

from __future__ import annotations

import hashlib
import io

import pytest
from calling_for_tests import CLIENT, bearer, call, code_of
from service_for_tests import served

from wherefrom import Client, InvalidInput, Store
from wherefrom.evidence.documents import apart
from wherefrom.interfaces.http import api
from wherefrom.interfaces.http.app import Options, Service

NOTE = b"# Tides\n\nThe tide turns about every six hours and twelve minutes, everywhere on this coast.\n"


@pytest.fixture
def store(url):
    with Store.open(url, embedder="none") as opened:
        yield opened


@pytest.fixture
def base(store):
    with served(Service(store, Options(rate=1e6)).app()) as address:
        yield address


def test_a_document_is_added_by_its_bytes_and_known_by_its_name(store, base):
    first = call(base, "add_document", {"source": NOTE, "name": "tides.md", "namespace": "sea"}).json()
    assert [(page["status"], page["title"], page["fragments"]) for page in first["documents"]] == [
        ("created", "Tides", 1)
    ]
    assert first["documents"][0]["url"] == "file:///tides.md"
    again = call(base, "add_document", {"source": NOTE, "name": "tides.md", "namespace": "sea"}).json()
    assert again["documents"][0]["status"] == "unchanged"
    changed = call(
        base, "add_document", {"source": NOTE + b"\nIt is late in May.\n", "name": "tides.md", "namespace": "sea"}
    )
    assert changed.json()["documents"][0]["status"] == "updated"
    memory = store.memory()
    (page,) = memory.list(kind="page", namespace="sea").nodes
    assert page.namespace == "main/sea"
    assert "six hours" in memory.search("how often does the tide turn").hits[0].node.content


def test_a_client_sends_bytes_and_files_and_gets_what_a_memory_returns(store, base):
    with Client(base) as client:
        ours = client.add_document(NOTE, name="潮 100%.md", namespace="a")
        theirs = store.memory().add_document(io.BytesIO(NOTE), name="潮 100%.md", namespace="b")
        assert ours == theirs
        assert (
            client.add_document(io.BytesIO(NOTE), name="潮 100%.md", namespace="a").documents[0].status == "unchanged"
        )
        with pytest.raises(InvalidInput, match="is empty"):
            client.add_document(b" \n", name="blank.txt")


def test_papers_of_a_bibliography_are_added_and_those_that_fail_are_named(base):
    papers = b'{"title": "Tides", "doi": "10.1/a", "year": 2020}\n{"doi": "10.1/b", "year": 2021}\n'
    answer = call(base, "add_document", {"source": papers, "name": "papers.jsonl"}).json()
    assert [page["title"] for page in answer["documents"]] == ["Tides"]
    assert len(answer["failures"]) == 1


NO_DOCUMENTS = (
    ("photo.bin", b"\x00\x01\x02\xff" * 100, "binary"),
    ("broken.pdf", b"%PDF-1.7 nothing follows", "PDF"),
    ("blank.md", b"\n\n", "empty"),
    ("..", NOTE, "names no file"),
    ("", NOTE, "name"),
    ("a\nb.md", NOTE, "name"),
    ("x" * 256, NOTE, "name"),
)


def test_what_is_no_document_is_refused_with_a_reason_and_nothing_is_stored(store, base):
    for name, data, word in NO_DOCUMENTS:
        answer = call(base, "add_document", {"source": data, "name": name})
        assert (answer.status_code, code_of(answer)) == (400, "invalid_input"), (name, answer.text)
        assert word in answer.json()["error"]["message"], name
    assert store.memory().list(kind="page").nodes == ()


def test_folders_in_a_name_are_left_out_and_no_file_of_the_machine_is_read(store, base, tmp_path):
    there = tmp_path / "secret.md"
    there.write_text("what stands in the machine's own file")
    answer = call(base, "add_document", {"source": NOTE, "name": str(there)}).json()
    assert answer["documents"][0]["url"] == "file:///secret.md"
    assert not any("machine" in found.content for found in store.memory().list().nodes)


def test_a_document_needs_the_role_write_a_name_and_a_body_that_is_short_enough(store, base, monkeypatch):
    reader = store.memory().create_key("reader", role="read").secret
    writer = store.memory().create_key("writer", role="write").secret
    assert code_of(call(base, "add_document", {"source": NOTE}, key=reader)) == "forbidden"
    for query in ({}, {"name": "a.md", "allow_private": "true"}, {"name": "a.md", "namespace": "../.."}):
        answer = CLIENT.post(f"{base}/api/add_document", params=query, content=NOTE, headers=bearer(writer))
        assert answer.status_code == 400, query
    monkeypatch.setitem(api._STREAMED_BYTES, "add_document", len(NOTE))
    assert call(base, "add_document", {"source": NOTE}, key=writer).status_code == 200
    long = call(base, "add_document", {"source": NOTE + b"x"}, key=writer)
    assert (long.status_code, code_of(long)) == (413, "too_large")


def test_a_file_with_a_secret_leaves_no_hash_by_which_it_could_be_guessed(url, base, execute):
    secret = b'# Router\n\nThe password = "Summer4711!xQ" opens the router in the hall, says the note on it.\n'
    added = call(base, "add_document", {"source": secret, "name": "router.md"}).json()
    assert added["documents"][0]["redacted"] == {"secret": 1}
    ((metadata,),) = execute(url, "select metadata from nodes where kind = 'page'")
    assert hashlib.sha256(secret).hexdigest() not in str(metadata)
    assert call(base, "add_document", {"source": secret, "name": "router.md"}).json()["documents"][0]["fragments"] == 0


def test_a_file_that_takes_too_long_to_read_is_refused_and_others_are_not_held_up(base, monkeypatch):
    monkeypatch.setattr(apart, "_MAX_PROCESSOR_SECONDS", 2)
    bomb = b"<p " + b" ".join(b"a%d=1" % number for number in range(40_000)) + b">text</p>"
    refused = call(base, "add_document", {"source": bomb, "name": "bomb.html"}).json()
    assert "takes too long to read" in refused["error"]["message"]
    assert call(base, "info").status_code == 200
