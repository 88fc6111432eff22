"""PostgreSQL: pooled, prepared, one transaction per unit of work.

Isolation is REPEATABLE READ: a unit of work sees one snapshot, and of two that change the same row one fails and is run
again. A write whose connection broke before its commit was sent is run again once; if it broke during the commit,
nobody knows whether the commit was done, and the caller gets `store_unavailable`. A read is not run again, because its
caller may have seen some rows. This module, and with it `psycopg`, is imported only when a PostgreSQL URL is opened.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, cast

import psycopg
from pgvector.psycopg import register_vector
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.array import ListBinaryDumper

from wherefrom.embedding.port import Matrix
from wherefrom.lazy import np
from wherefrom.model import cancellation
from wherefrom.model.errors import StoreUnavailable
from wherefrom.model.health import Check, Distribution
from wherefrom.model.once import once
from wherefrom.storage import postgres_distributed, postgres_erasing
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.agent.postgres import PostgresReader
from wherefrom.storage.migrate import is_current, migrate
from wherefrom.storage.port import Database, Progress, Result, Row, Transaction, Vectors
from wherefrom.storage.postgres_connections import (
    COLLISIONS,
    Connections,
    Waits,
    connect,
    is_lost,
    kind_of,
    pipelined,
    translated,
)
from wherefrom.storage.postgres_pipeline import PipelinedTransaction
from wherefrom.storage.postgres_vectors import PostgresVectors
from wherefrom.storage.sql import Dialect, Statements, statements, statements_of
from wherefrom.text.check import json_text


def _from_vectors(rows: Sequence[bytes]) -> Matrix:
    """The vectors in pgvector's binary form: the dimension and a zero (two bytes each), then big-endian floats."""
    if not rows:
        return np.empty((0, 0), dtype=np.float32)
    wire = np.frombuffer(b"".join(rows), dtype=">f4").reshape(len(rows), -1)
    return wire[:, 1:].astype(np.float32)


def _rows(columns: str) -> str:
    """The rows as JSON. Their vectors, which JSON would blow up to three times their size, stand beside it."""
    plain = columns.removesuffix(_VECTOR_COLUMN)
    if plain == columns:
        return f"json_to_recordset(cast(:rows as json)) as r({columns})"
    names = ", ".join(column.split()[0] for column in columns.split(", "))
    return (
        f"rows from (json_to_recordset(cast(:rows as json)) as ({plain}), unnest(cast(:vectors as vector[])))"
        f" as r({names})"
    )


# Always the last column.
_VECTOR_COLUMN: Final = ", vector vector"
DIALECT: Final = Dialect(
    name="postgres",
    privacy="shared",
    parameter="%({})s",
    rows=_rows,
    document=Counter,
    together=lambda terms: json_text(sorted(terms, key=len, reverse=True)),
    to_vector=lambda vector: vector,
    from_vectors=_from_vectors,
    many_writers=True,
    is_far=True,
    one_text_index=False,
)
_IMPORTED_TABLES: Final = ("nodes", "edges", "node_texts", "node_terms", "names", "names_in_texts", "embeddings")
# The advisory lock of the process that migrates; the others wait for it and find the migration done.
_MIGRATION_LOCK: Final = 0x5265636F6C6C
# Another transaction removed an end, or saved the same key, after our snapshot: try again. A violation that comes again
# and again is no race, so these are tried a few times only.
_RACES: Final = (errors.ForeignKeyViolation, errors.UniqueViolation)
_MAX_RACE_RETRIES: Final = 5
_MAX_AGENT_STATEMENTS_AT_ONCE: Final = 4
# A glance that asks something else each time would never end; it then is a read in one transaction.
_MAX_TRIPS_OF_GLANCE: Final = 20
# How a transaction begins, and one goes on whose commit waits for no disk.
_BEGIN: Final = "begin isolation level repeatable read"
_UNSYNCED: Final = "set local synchronous_commit = off"
# Our statements need the same plan for all parameters; planned anew for each call, lists of 300,000 edges took 180 ms
# now and then instead of 4 ms. Citus can make no such plan, and may fail when it is left to try one. It hands on to
# other servers what is set for a transaction.
_SETTINGS: Final = """
select set_config(
        'plan_cache_mode',
        case when to_regclass('pg_dist_partition') is null then 'force_generic_plan' else 'force_custom_plan' end,
        false
    ),
    set_config('citus.propagate_set_commands', 'local', false)
"""


class PostgresDatabase(Database):
    """A PostgreSQL database with the current schema."""

    name = "postgres"

    def __init__(self, url: str, *, busy_timeout_ms: int, connect_timeout_ms: int, pool_size: int) -> None:
        self.location = _without_password(url)
        self._url = url
        self._waits = Waits(busy_timeout_ms / 1000, connect_timeout_ms / 1000)
        self._statements = {writes: statements(DIALECT, writing=writes) for writes in (False, True)}
        with self._alone() as connection:
            _migrate(connection)
            _renumber_restored(connection, self._statements[True])
        self._pool = Connections(url, size=pool_size, waits=self._waits, configure=_configure, prepare_threshold=1)

    @once
    def vectors(self) -> Vectors:
        return PostgresVectors(self._alone)

    def reader(self, analyses: Mapping[str, str]) -> Reader:
        return PostgresReader(self._url, analyses, pool_size=_MAX_AGENT_STATEMENTS_AT_ONCE, waits=self._waits)

    def read(self, work: Callable[[Transaction], Result]) -> Result:
        with translated():
            return self._run(work, writes=False)

    def glance(self, work: Callable[[Transaction], Result]) -> Result:
        cancellation.current().check()
        with translated():
            results: list[Result] = []
            for is_retry in (False, True):
                with self._pool.lent() as connection:
                    try:
                        results = self._glanced(connection, work)
                        break
                    except psycopg.OperationalError as error:
                        if is_retry or not is_lost(connection, error):
                            raise
                self._pool.drop_idle()
            return results[0] if results else self._run(work, writes=False)

    def write(self, work: Callable[[Transaction], Result]) -> Result:
        return self._write(lambda: self._run(work, writes=True))

    def write_unsynced(self, work: Callable[[Transaction], Result]) -> Result:
        return self._write(lambda: self._run(work, _UNSYNCED, writes=True))

    def read_and_note(
        self, work: Callable[[Transaction], Result], note: Callable[[Transaction, Result], None]
    ) -> Result:
        """In one transaction, so that only one commit is waited for."""

        def both(tx: Transaction) -> Result:
            result = work(tx)
            note(cast(_Transaction, tx).writing(self._statements[True]), result)
            return result

        return self._write(lambda: self._run(both, _UNSYNCED, writes=False))

    def _write(self, run: Callable[[], Result]) -> Result:
        """Run a transaction again as long as it collides with others."""
        deadline = time.monotonic() + self._waits.busy_s
        with translated():
            for attempt in count():
                try:
                    return run()
                except psycopg.Error as error:
                    kind = kind_of(error)
                    if issubclass(kind, _RACES):
                        ended = attempt >= _MAX_RACE_RETRIES
                    else:
                        ended = not issubclass(kind, COLLISIONS) or time.monotonic() > deadline
                    if ended:
                        raise
                time.sleep(random.uniform(0.0005, min(0.05, 0.002 * (attempt + 1))))
        raise AssertionError("unreachable")

    def schema_version(self) -> int:
        with translated(), self._pool.transaction() as connection:
            return max(version for version, _ in _applied(connection))

    def engine(self) -> Mapping[str, Any]:
        with translated(), self._pool.transaction() as connection:
            row = connection.execute(
                "select current_setting('server_version'), pg_database_size(current_database()),"
                " (select default_version from pg_available_extensions where name = 'vector')"
            ).fetchone()
            assert row is not None
            servers = postgres_distributed.servers(connection)
        return {"engine": f"PostgreSQL {row[0]}", "database_bytes": row[1], "pgvector_available": row[2], **servers}

    def check_integrity(self) -> tuple[Check, ...]:
        # A new connection: behind one of the pool, those to other servers of Citus may be from before their restart.
        with self._alone() as connection:
            invalid = connection.execute(
                "select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid"
                " join pg_class t on t.oid = i.indrelid where not i.indisvalid and t.relname in ('nodes', 'edges')"
            ).fetchall()
            unchecked = connection.execute(
                "select conname from pg_constraint where not convalidated and conrelid = 'edges'::regclass"
            ).fetchall()
            distributed = postgres_distributed.checks(connection)
        return (
            Check("integrity", not invalid, f"{len(invalid)} invalid indexes"),
            Check("foreign keys", not unchecked, f"{len(unchecked)} constraints not validated"),
            *distributed,
        )

    def copy_to(self, target: Path, progress: Progress) -> bool:
        del target, progress  # PostgreSQL's own tools copy its databases
        return False

    def refresh_statistics(self, owner: str) -> None:
        with translated(), self._pool.transaction() as connection:
            postgres_distributed.refresh_statistics(connection, owner, _IMPORTED_TABLES)

    def erase_deleted(self, *, vacuum: bool) -> tuple[str, ...]:
        self.vectors.drop_copies()
        if not vacuum:
            return (postgres_erasing.NOT_VACUUMED, *postgres_erasing.BEYOND_REACH)
        with self._alone() as connection:
            return postgres_erasing.vacuum(connection, wait_s=self._waits.busy_s)

    def distribute(self) -> Distribution:
        with self._alone() as connection, _migration_lock(connection):
            distribution = postgres_distributed.distribute(connection)
        self._pool.drop_idle()  # they plan their statements for one server
        return distribution

    def close(self) -> None:
        self._pool.close()

    def _run(self, work: Callable[[Transaction], Result], *begin: str, writes: bool, is_retry: bool = False) -> Result:
        """Run one transaction as a pipeline: a statement whose result nobody reads travels with the next that is read,
        and the last ones with the commit: if they are cancelled, it is not done. A write is run a second time if its
        connection broke before the commit was sent, and a read if it broke before the first answer.
        """
        committing, connection, tx, call = False, None, None, cancellation.current()
        call.check()
        try:
            # What stops the statement under way never stops one of the next transaction.
            with self._pool.lent() as connection, pipelined(connection, call) as stopping:
                for statement in (_BEGIN, *begin):
                    connection.execute(statement, prepare=False)
                tx = _Transaction(connection, self._statements[writes], writes=writes)
                result = work(tx)
                if not (tx.has_answer or begin):  # else nobody would know whether it broke before the commit
                    tx.wait()
                if not tx.has_unread:  # only the commit is left, which is not to be stopped
                    stopping.close()
                call.check()
                committing = writes or tx.has_written
                connection.execute("commit", prepare=False)
            return result
        except (psycopg.OperationalError, errors.InternalError_) as error:
            is_repeatable = writes or tx is None or not tx.has_answer
            if committing or is_retry or not is_repeatable or connection is None or not is_lost(connection, error):
                raise
        self._pool.drop_idle()
        return self._run(work, *begin, writes=writes, is_retry=True)

    def _glanced(self, connection: psycopg.Connection[Row], work: Callable[[Transaction], Result]) -> list[Result]:
        """Run `work` again and again, each time with the answers to all that it asked for before; none if it always
        asks something else.
        """
        tx = _Transaction(connection, self._statements[False], writes=False)
        results: list[Result] = []
        for _ in range(_MAX_TRIPS_OF_GLANCE):
            waiting, send = tx.gather(lambda: results.append(work(tx)))
            if not waiting:
                break
            with pipelined(connection, cancellation.current()):
                connection.execute(_BEGIN, prepare=False)
                send()
                connection.execute("commit", prepare=False)
        return results

    @contextmanager
    def _alone(self) -> Iterator[psycopg.Connection[Row]]:
        """A connection of its own in autocommit mode, for statements that must not be in a transaction."""
        with translated(), connect(self._url, self._waits.connect_s, autocommit=True) as connection:
            yield connection


class _Transaction(PipelinedTransaction):
    dialect = DIALECT


def _migrate(connection: psycopg.Connection[Row]) -> None:
    if is_current(_applied(connection), DIALECT):
        return
    # The lock comes before the transaction: what a server's process has looked up in one, such as that a table is
    # missing, it may not look up again after waiting.
    with _migration_lock(connection), connection.transaction():
        applied = _applied(connection)
        distributed = postgres_distributed.begin_changes(connection)
        migrate(lambda script: [connection.execute(s) for s in statements_of(script)], applied, DIALECT)
        if distributed:
            postgres_distributed.place(connection)


@contextmanager
def _migration_lock(connection: psycopg.Connection[Row]) -> Iterator[None]:
    connection.execute("select pg_advisory_lock(%s)", (_MIGRATION_LOCK,))
    try:
        yield
    finally:
        connection.execute("select pg_advisory_unlock(%s)", (_MIGRATION_LOCK,))


def _renumber_restored(connection: psycopg.Connection[Row], known: Statements) -> None:
    """Let events that were restored from another cluster lie behind nobody: the feed would wait for their numbers."""
    if connection.execute("select to_regclass('event_floors')").fetchone() == (None,):  # an older schema
        return
    with connection.transaction():
        connection.execute("set transaction isolation level repeatable read")
        # In this order, and given to the statements: each server of a distributed database has numbers of its own.
        [(newest,)] = connection.execute(known.sql("feed_newest", {})).fetchall()
        [(oldest, following)] = connection.execute(known.sql("feed_numbers", {})).fetchall()
        if newest is not None and newest >= following:
            numbers = {"oldest": oldest, "following": following}
            for name in ("feed_floors_renumber", "feed_floors_add", "feed_events_renumber"):
                connection.execute(known.sql(name, numbers), numbers)


def _applied(connection: psycopg.Connection[Row]) -> list[tuple[int, str]]:
    """Version and hash of each applied migration; none if the table is missing."""
    if connection.execute("select to_regclass('schema_migrations')").fetchone() == (None,):
        return []
    rows = connection.execute("select version, hash from schema_migrations").fetchall()
    return cast(list[tuple[int, str]], rows)


def _configure(connection: psycopg.Connection[Row]) -> None:
    connection.execute(_SETTINGS)
    connection.commit()
    register_vector(connection)
    # The vectors of many nodes: as text they would take fifty times as long.
    connection.adapters.register_dumper(list, ListBinaryDumper)
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.autocommit = True  # transactions are begun by those who run them


def _without_password(url: str) -> str:
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise StoreUnavailable(
            "the PostgreSQL URL cannot be read", hint="for example postgresql://user@localhost/wherefrom"
        ) from None
    user = f"{parts['user']}@" if parts.get("user") else ""
    return f"postgresql://{user}{parts.get('host') or 'localhost'}/{parts.get('dbname') or ''}"
