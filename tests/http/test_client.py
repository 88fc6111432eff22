"""`wherefrom.Client` against a real service: it takes, returns and raises what a `Memory` does."""

from __future__ import annotations

import inspect
import io
import ipaddress
import logging
import socket
import ssl
import threading
import traceback
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from answering_for_tests import answering, response
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from every_verb_for_tests import SCRIPT, world
from service_for_tests import running_service, served

import wherefrom
from wherefrom import Client, Gone, InvalidInput, Memory, Store, StoreBusy, StoreError, StoreUnavailable, WherefromError
from wherefrom.api.memory import VERBS
from wherefrom.interfaces.http import codec
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.model.limits import MEMO_BYTES

KEY = "wf_abcdefgh_0123456789abcdef0123456789abcdef"
BUSY = response(503, {"error": {"code": "store_busy", "message": "others write"}}, Retry_After="0")
FULL = response(429, {"error": {"code": "overloaded", "message": "too many"}}, Retry_After="0")
LATER = response(503, {"error": {"code": "store_unavailable", "message": "it is away"}}, Retry_After="0")
SAVED_NOTHING = b'{"items":[],"next_cursor":null,"root_namespace":"main","default_namespace":"main"}'


@pytest.fixture
def store(url):
    with Store.open(url) as opened:
        yield opened


@pytest.fixture
def memory(store):
    """A memory in the store of the service."""
    return store.memory()


@pytest.fixture
def client(store):
    with served(Service(store, Options(keyless=True, rate=10_000)).app()) as address, Client(address) as opened:
        yield opened


# --- the verbs --------------------------------------------------------------------------------------------------------


def test_a_client_has_every_verb_of_a_memory_with_its_signature_and_docstring():
    for verb in VERBS:
        ours, theirs = getattr(Client, verb), getattr(Memory, verb)
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert ours.__doc__ == theirs.__doc__
    assert "Client" in wherefrom.__all__


def test_every_verb_of_a_service_returns_what_a_memory_returns(memory, client):
    made = world(memory)
    for verb, arguments in SCRIPT:
        result = getattr(client, verb)(**arguments(made))
        kind = inspect.signature(getattr(Memory, verb)).return_annotation
        assert type(result).__name__ == kind.partition("[")[0], verb


def test_what_is_read_is_the_same_as_in_python(memory, client):
    made = world(memory)
    for verb, arguments in SCRIPT:
        if verb in ("get", "list", "context", "relations", "walk", "neighbourhood", "path", "namespaces", "views",
                    "query_graph", "insight_plan", "policy", "privacy", "rules", "claim_evidence", "status", "render_view", "review", "history"):  # fmt: skip
            ours, theirs = getattr(client, verb)(**arguments(made)), getattr(memory, verb)(**arguments(made))
            if verb == "query_graph":
                ours, theirs = (replace(result, elapsed_ms=0) for result in (ours, theirs))
            assert ours == theirs, verb


def test_a_service_tells_the_client_where_it_is(client):
    assert client.root_namespace == "main"
    assert client.info().owner == "local"


def test_what_only_the_machine_of_a_service_can_do_says_so(client, tmp_path):
    calls = {
        "add_documents": [["a.md"]], "backup": [tmp_path / "copy"], "distribute": [], "doctor": [], "embed": [], "reembed": [], "reindex": [],
    }  # fmt: skip
    assert calls.keys() == codec.NOT_OFFERED
    for verb, given in calls.items():
        with pytest.raises(InvalidInput, match=f"a service does not offer {verb}") as refused:
            getattr(client, verb)(*given)
        assert "on the machine of the service" in refused.value.hint


def test_errors_are_those_of_a_memory(memory, client):
    gone = memory.save("Something that is forgotten soon.").node.id
    memory.forget(ids=[gone], apply=True, plan=memory.forget(ids=[gone]).plan)
    for call in (
        lambda opened: opened.get("01900000-0000-7000-8000-0000cc112233"),
        lambda opened: opened.get(gone),
        lambda opened: opened.save("x" * (MEMO_BYTES + 1)),
        lambda opened: opened.save("x", namespace="../.."),
        lambda opened: opened.search("x", limit=-1),
        lambda opened: opened.save("x", boundary_class="secret"),
        lambda opened: opened.relate("nothing", "nowhere", tag="x", weight=2.0),
        lambda opened: opened.update_task("0190", status="paused"),
        lambda opened: opened.activate(" "),
    ):
        with pytest.raises(WherefromError) as ours:
            call(client)
        with pytest.raises(WherefromError) as theirs:
            call(memory)
        assert type(ours.value) is type(theirs.value)
        said = [(error.value.code, error.value.message, error.value.hint) for error in (ours, theirs)]
        assert said[0] == said[1]
    with pytest.raises(Gone):
        client.get(gone)
    with pytest.raises(TypeError, match=r"get\(\) missing"):
        client.get()


@pytest.mark.parametrize("value", [float("nan"), "\ud800", object(), {1: 2}])
def test_what_json_has_not_is_refused_before_it_is_sent(value):
    with pytest.raises(InvalidInput), Client("http://127.0.0.1:9") as client:
        client.save("x", metadata={"a": value})
    with pytest.raises(InvalidInput), Client("http://127.0.0.1:9") as client:
        client.save("x", namespace="\ud800")


def test_many_threads_share_a_client(memory, client):
    failures = []

    def work(number):
        try:
            for turn in range(5):
                saved = client.save(f"Thread {number} says {turn}.").node
                assert client.get(saved.id) == saved
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(memory.list(limit=100).nodes) == 40


# --- export and import ------------------------------------------------------------------------------------------------


def test_an_export_is_that_of_the_memory_and_can_be_imported_again(memory, client, new_url):
    world(memory)
    memory.save("Zeilen\u2028trennen sich hier nicht. 日本語。\u0085 Ende.")
    ours, theirs = io.StringIO(), io.StringIO()
    lines = client.export(ours)
    assert lines == memory.export(theirs)
    assert _without_times(ours) == _without_times(theirs)
    other = new_url("sqlite")
    with running_service(other) as address, Client(address) as second:
        steps = []
        imported = second.import_(
            io.BytesIO(ours.getvalue().encode()), split=True, progress=lambda done, total: steps.append((done, total))
        )
        assert imported.nodes_created > 5
        assert not imported.rejected
        assert steps[-1][0] == steps[-1][1] == len(ours.getvalue().encode())
        assert second.import_(ours.getvalue().split("\n")).nodes_created == 0
        again = io.StringIO()
        second.export(again, shared=True)
        assert "日本語" in again.getvalue()
        with pytest.raises(InvalidInput, match="keeps no file"):
            second.import_(io.BytesIO(b""), rejects="rejects.jsonl")


def _without_times(exported):
    """The lines of an export, without the first, which says when it was made."""
    return exported.getvalue().splitlines()[1:]


def test_an_export_that_breaks_off_is_no_export():
    half = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}\n"
    with answering(half) as (address, _), Client(address) as client, pytest.raises(StoreUnavailable, match="broke"):
        client.export(io.StringIO())


# --- attempts ---------------------------------------------------------------------------------------------------------

EMPTY = response(200, SAVED_NOTHING)


def test_a_read_is_tried_again_while_a_service_is_busy_away_or_hangs_up(caplog):
    with answering(BUSY, LATER, None, EMPTY) as (address, requests), Client(address) as client:
        assert client.namespaces().items == ()
    assert len(requests) == 4


def test_a_read_is_tried_four_times_and_then_says_why():
    with answering(*[BUSY] * 9) as (address, requests), Client(address) as client:
        with pytest.raises(StoreBusy, match="others write"):
            client.namespaces()
        assert len(requests) == 4


def test_a_write_is_tried_again_only_if_it_was_not_begun():
    refused = response(400, {"error": {"code": "invalid_input", "message": "no"}})
    with answering(FULL, refused) as (address, requests), Client(address) as client:
        with pytest.raises(InvalidInput, match="no"):
            client.save("x")
        assert len(requests) == 2
    for answer in (BUSY, LATER, None):
        with answering(answer, EMPTY) as (address, requests), Client(address) as client:
            with pytest.raises(StoreError):
                client.save("x")
            assert len(requests) == 1


def test_a_write_to_which_no_answer_came_says_that_it_may_have_been_done():
    with answering(None) as (address, _), Client(address) as client, pytest.raises(StoreUnavailable) as lost:
        client.save("x")
    assert "whether it was done is not known" in lost.value.hint


def test_a_service_that_wants_too_much_patience_is_left_alone():
    long = response(429, {"error": {"code": "overloaded", "message": "far too much"}}, Retry_After="3600")
    with answering(long, EMPTY) as (address, requests), Client(address) as client:
        with pytest.raises(WherefromError, match="far too much"):
            client.namespaces()
        assert len(requests) == 1


def test_a_service_that_has_ended_cannot_be_reached(url):
    with running_service(url) as address, Client(address) as client:
        client.save("Before the end.")
    with Client(address) as client, pytest.raises(StoreUnavailable, match="cannot be reached"):
        client.list()


# --- who answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        response(404, b"<html>nothing here</html>"),
        response(500, b"[]"),
        response(502, {"error": "bad gateway"}),
        response(401, {"error": {"code": 7, "message": "x"}}),
        response(200, b"<html>welcome</html>"),
        response(200, {"nodes": "many"}),
        response(302, b"", Location="https://elsewhere.example/login"),
    ],
)
def test_what_is_no_service_of_ours_is_told_apart(answer):
    with answering(answer, EMPTY) as (address, requests), Client(address) as client:
        with pytest.raises(StoreUnavailable, match=r"answered|leads to"):
            client.list()
        assert len(requests) == 1, "no redirect is followed"


def test_a_code_of_a_newer_service_is_kept():
    newer = response(418, {"error": {"code": "teapot", "message": "short and stout", "hint": "tip it"}})
    with answering(newer) as (address, _), Client(address) as client, pytest.raises(WherefromError) as error:
        client.list()
    assert (type(error.value), error.value.code) == (WherefromError, "teapot")
    assert (error.value.message, error.value.hint) == ("short and stout", "tip it")
    assert WherefromError.code == "error"


@pytest.mark.parametrize(
    "url",
    ["", "memory.db", "postgresql://host/db", "https://", "http://[::1", "http://a b", "https://host:port", "http://:80",
     "https://me:secret@host", "https://secret@host", "https://host?key=secret", "https://host#secret", "ftp://host"],
)  # fmt: skip
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InvalidInput) as refused:
        Client(url)
    assert "secret" not in str(refused.value) or "?" in url or "#" in url


def test_a_path_before_the_api_is_kept():
    with answering(EMPTY) as (address, requests), Client(f"{address}/memory/") as client:
        client.namespaces()
    assert requests[0].startswith(b"POST /memory/api/namespaces HTTP/1.1\r\n")


# --- the key ----------------------------------------------------------------------------------------------------------


def test_a_key_lets_in_and_says_who_it_is(url):
    with Memory.open(url) as memory:
        secret = memory.create_key("Anna", root="team", expires="30d").secret
    with running_service(url) as address:
        with Client(address, secret) as anna:
            assert anna.root_namespace == "main/team"
            assert anna.save("橋は九時に開く。").node.namespace == "main/team"
        for wrong in (None, KEY):
            with pytest.raises(WherefromError) as refused, Client(address, wrong) as stranger:
                stranger.list()
            assert refused.value.code == "unauthorized"


def test_a_key_is_in_no_representation_error_log_or_traceback(caplog):
    caplog.set_level(logging.INFO)
    said = {"error": {"code": "unauthorized", "message": f"{KEY} is unknown", "hint": f"not {KEY}"}}
    answers = (response(401, said), response(302, b"", Location=f"https://elsewhere.example/?key={KEY}"), None)
    shown = []
    for answer in answers:
        with answering(answer) as (address, requests), Client(address, KEY) as client:
            try:
                client.save("x")
            except WherefromError as error:
                shown += [str(error), repr(error), *traceback.format_exception(error), repr(client)]
        assert f"authorization: bearer {KEY}".encode() in requests[0].lower()
    with pytest.raises(InvalidInput) as refused:
        Client("https://host", KEY + "\n")
    shown += [str(refused.value), caplog.text]
    assert not any(KEY in text for text in shown)
    assert "***" in shown[0]


def test_a_key_that_others_can_listen_to_is_warned_of(caplog):
    Client("http://127.0.0.1:1", KEY).close()
    Client("http://localhost:1", KEY).close()
    Client("https://memory.example", KEY).close()
    assert not caplog.text
    Client("http://memory.example", KEY).close()
    assert "without encryption" in caplog.text


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path):
    key, certificate = _self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    got = []

    def run(listening):
        while True:
            try:
                with context.wrap_socket(listening.accept()[0], server_side=True) as connection:
                    got.append(connection.recv(65_536))
            except ssl.SSLError:
                continue
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=run, args=[listening], daemon=True).start()
        address = f"https://127.0.0.1:{listening.getsockname()[1]}"
        with Client(address, KEY) as client, pytest.raises(StoreUnavailable, match=r"(?i)certificate"):
            client.save("x")
        listening.shutdown(socket.SHUT_RDWR)
    assert not got


def _self_signed(folder):
    """The files of a private key and of a certificate for loopback that is signed with it."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    files = folder / "key.pem", folder / "certificate.pem"
    for file, content in zip(files, (private, signed.public_bytes(pem)), strict=True):
        file.write_bytes(content)
    return files
