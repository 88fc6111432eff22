"""No error of a database driver or of the file system leaves the store in its own words."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import apsw
import psycopg
import pytest
from also_for_tests import NOW, access_of
from forking_for_tests import wherefrom_command

from wherefrom import Memory, StoreBusy, StoreError, StoreUnavailable, WherefromError
from wherefrom.explore.views import all_rendered
from wherefrom.storage.agent import sqlite_process
from wherefrom.storage.agent.port import Budget, Statement
from wherefrom.storage.postgres import PostgresDatabase

ACCESS = access_of("main")
BUDGET = Budget(rows=10, timeout_ms=2_000, steps=1_000_000, answer_bytes=100_000)
THEIRS = Statement("select count(*) from memos", BUDGET, NOW)
OURS = Statement("select count(*) from memos", BUDGET, NOW, ours=True)
NO_USER = 65_534


def damaged(path, how):
    with path.open("r+b") as file:
        whole = file.read()
        if how == "truncated":
            file.truncate(len(whole) // 2 + 100)
        elif how == "short":
            file.truncate(50)
        elif how == "text":
            file.seek(0)
            file.write(b"This is a text and no database.\n" * 200)
        elif how == "garbled":
            file.seek(100)
            file.write(os.urandom(len(whole) - 200))


@pytest.fixture
def path(sqlite_store, tmp_path):
    return shutil.copy(sqlite_store, tmp_path / "memory.db")


def used(path):
    """Opens a file and does a bit of everything."""
    with Memory.open(path) as memory:
        memory.save("a bridge")
        memory.search("bridge")
        memory.query_graph("select * from memos")
        memory.query_view("v_contradictions")
        memory.info()
        memory.doctor()


@pytest.mark.parametrize("how", ["truncated", "short", "text", "garbled"])
def test_a_damaged_file(path, how):
    damaged(path, how)
    with pytest.raises(StoreError):
        used(path)


@pytest.mark.parametrize("how", ["truncated", "text", "garbled", "gone"])
def test_agents_sql_on_a_file_that_is_damaged_meanwhile(path, how):
    with Memory.open(path) as memory:
        for number in range(50):
            memory.save(f"a bridge {number} " * 50)
    from wherefrom.storage.agent.sqlite_process import SqliteProcessReader

    if how == "gone":
        path.unlink()
    else:
        damaged(path, how)
    reader = SqliteProcessReader(path, all_rendered())
    asked = "select sum(length(content)) from memos order by 1"
    try:
        for each in (Statement(asked, BUDGET, NOW), Statement(asked, BUDGET, NOW, ours=True)):
            with pytest.raises(StoreError):
                reader.answer(ACCESS, each)
    finally:
        reader.close()


@pytest.mark.parametrize("name", ["x" * 300, "missing/folder/m.db", "loop/m.db", "file/m.db", "folder"])
def test_paths_that_lead_nowhere(tmp_path, name):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreUnavailable):
        Memory.open(tmp_path / name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o000, 0o755), (0o644, 0o000)])
def test_a_file_or_a_folder_that_this_user_may_not_read(path, tmp_path, file_mode, folder_mode):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = Path(shutil.copy(path, folder / "memory.db"))
        file.chmod(file_mode)
        folder.chmod(folder_mode)
        program = (
            "import os, sys\n"
            "from wherefrom import Memory, StoreUnavailable\n"
            "Memory.open(sys.argv[2]).close()\n"
            f"os.setuid({NO_USER})\n"
            "try:\n    Memory.open(sys.argv[1])\n"
            "except StoreUnavailable as error:\n    print('told', error)\n"
        )
        command = [*wherefrom_command(), "-c", program, str(file), str(tmp_path / "other.db")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stdout.startswith("told cannot open"), done.stderr
        folder.chmod(0o700)


def test_a_file_that_went_away(path):
    with Memory.open(path) as memory:
        path.unlink()
        with pytest.raises(StoreUnavailable):
            memory.view.store.database.engine()


def test_a_process_that_does_not_start(path, monkeypatch):
    reader = sqlite_process.SqliteProcessReader(path, all_rendered())
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(StoreUnavailable, match="did not start"):
        reader.answer(ACCESS, THEIRS)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(StoreUnavailable):
        reader.answer(ACCESS, THEIRS)
    reader.close()


@pytest.mark.parametrize("sent", [b"", b"{}\n"])
def test_a_process_ends_quietly_when_the_server_has_gone_before_it_was_ready(path, sent):
    """Its first answer met a closed pipe, and left a traceback on the server's standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-I", "-c", sqlite_process._PROGRAM, str(path), "mode=ro", json.dumps(sys.path)]
    try:
        done = subprocess.run(command, input=sent, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    finally:
        os.close(writing)
    assert done.stderr == b""


def test_a_process_that_is_killed_again_and_again(path, monkeypatch):
    reader = sqlite_process.SqliteProcessReader(path, all_rendered())
    assert reader.answer(ACCESS, THEIRS).rows == ((0,),)
    ask = sqlite_process._Process._ask

    def killed(self, *request):
        os.kill(self._process.pid, signal.SIGKILL)
        return ask(self, *request)

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_process._Process, "_ask", killed)
        with pytest.raises(StoreUnavailable):
            reader.answer(ACCESS, THEIRS)
    assert reader.answer(ACCESS, THEIRS).rows == ((0,),)
    reader.close()


def test_a_closed_reader_says_so(memory):
    reader = memory.view.store.database.reader(all_rendered())
    assert reader.answer(ACCESS, THEIRS).rows == reader.answer(ACCESS, OURS).rows == ((0,),)
    reader.close()
    reader.close()
    for ask in (lambda: reader.answer(ACCESS, THEIRS), lambda: reader.answer(ACCESS, OURS)):
        with pytest.raises(StoreUnavailable, match="closed"):
            ask()


def test_closing_goes_on_when_a_connection_fails(path, monkeypatch, caplog):
    memory = Memory.open(path)
    database = memory.view.store.database
    meet = threading.Barrier(2)
    threads = [threading.Thread(target=database.read, args=(lambda tx: tx and meet.wait(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    class Failing:
        closed = 0

        def close(self):
            Failing.closed += 1
            raise apsw.IOError("no disk")

    for _ in range(2):
        database._idle.put(Failing())
    memory.close()
    assert Failing.closed == 2
    assert "not closed cleanly" in caplog.text


def opened(url):
    return PostgresDatabase(url, busy_timeout_ms=500, connect_timeout_ms=2_000, pool_size=2)


@pytest.fixture
def database(new_url):
    found = opened(new_url("postgres"))
    yield found
    found.close()


def everything(database, reader):
    """Whatever makes a connection."""
    return {
        "read": lambda: database.read(lambda tx: tx.rows("names_any", {"owner": "x"})),
        "write": lambda: database.write(lambda tx: tx.rows("names_any", {"owner": "x"})),
        "answer": lambda: reader.answer(ACCESS, THEIRS),
        "ours": lambda: reader.answer(ACCESS, OURS),
        "shapes": lambda: reader.shapes(ACCESS),
        "forget": lambda: database.vectors.forget(99),
        "engine": database.engine,
        "schema": database.schema_version,
    }


def errors_of(uses):
    """What each of them ends with; together, because each waits for a server."""
    with ThreadPoolExecutor(len(uses)) as pool:
        running = {name: pool.submit(use) for name, use in uses.items()}
    return [(name, done.exception()) for name, done in running.items()]


WRONG = {
    "password": {"user": "nobody_here", "password": "wrong"},
    "database": {"dbname": "no_such_database"},
    "port": {"port": "1", "host": "127.0.0.1"},
    "tls": {"sslmode": "require", "host": "127.0.0.1"},
    "host": {"host": "no-such-host.invalid"},
    "option": {"options": "-c no_such_setting=1"},
}


@pytest.fixture
def plain_server():
    """The port of a server that has no TLS."""

    def serve():
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                with client:
                    client.recv(8)
                    client.sendall(b"N")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG)
def test_a_server_that_does_not_let_us_in(database, plain_server, wrong):
    given = {"port": str(plain_server), **WRONG[wrong]} if wrong == "tls" else WRONG[wrong]
    url = psycopg.conninfo.make_conninfo(database._url, **given)
    with pytest.raises(StoreError):
        opened(url)
    reader = database.reader(all_rendered())
    database._url = reader._url = reader._pool._url = database._pool._url = url
    assert {
        name for name, error in errors_of(everything(database, reader)) if not isinstance(error, StoreError)
    } == set()
    reader.close()


@pytest.mark.parametrize("prepared", [False, True])
def test_a_server_without_a_connection_free(database, postgres_server, prepared):
    reader = database.reader(all_rendered())
    if prepared:
        reader.answer(ACCESS, THEIRS)
        reader._pool.drop_idle()
    database._pool.drop_idle()
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(psycopg.connect(postgres_server))
            except psycopg.OperationalError:
                break
        found = errors_of(everything(database, reader))
        # Once it is prepared, the reader knows the tables.
        answered = {"shapes"} if prepared else set()
        assert {name for name, error in found if not isinstance(error, StoreBusy)} == answered
    reader.answer(ACCESS, THEIRS)
    reader.close()


def test_a_pooler_that_forgets_what_was_prepared_is_named(database):
    """As one of transactions does, which gives us another connection to the server."""
    read = everything(database, None)["read"]
    for _ in range(3):
        read()
    for _, connection in database._pool._idle:
        connection.execute("do $$ begin execute 'deallocate all'; end $$", prepare=False)
        connection.commit()
    with pytest.raises(StoreError, match=r"prepared statement .* does not exist") as raised:
        read()
    assert "max_prepared_statements" in raised.value.hint


def test_a_database_that_is_dropped_meanwhile(database, postgres_administrator):
    reader = database.reader(all_rendered())
    for use in everything(database, reader).values():
        use()
    name = psycopg.conninfo.conninfo_to_dict(database._url)["dbname"]
    postgres_administrator.execute(f"drop database {name} with (force)")
    try:
        for name_of_use, use in everything(database, reader).items():
            if name_of_use != "shapes":  # known already
                with pytest.raises(StoreUnavailable):
                    use()
                    pytest.fail(name_of_use)
        reader.close()
        database.close()
    finally:
        postgres_administrator.execute(f"create database {name}")


def test_errors_of_a_caller_are_the_callers(memory):
    def work(tx):
        del tx
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        memory.view.store.database.read(work)
    assert not issubclass(BrokenPipeError, WherefromError)
