"""Connections to PostgreSQL: made within a time limit, lent to one thread at a time, replaced when the server restarts.

The thread that needs a connection makes it, and gets the server's own reason if that fails. So `store_unavailable`
(the server is down; within the connect timeout) differs from `store_busy` (all connections are in use; after the busy
timeout).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import psycopg
from psycopg import errors, pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from wherefrom.model import cancellation
from wherefrom.model.errors import StoreBusy, StoreError, StoreUnavailable
from wherefrom.model.slots import Slots
from wherefrom.storage.port import Row, broken_rule

Connection = psycopg.Connection[Row]

COLLISIONS: Final = (errors.SerializationFailure, errors.DeadlockDetected)
# What fails while Citus copies rows to another server, it reports as an error of its own, with the message from there.
_OF_A_COPY: Final = {
    "violates unique constraint": errors.UniqueViolation,
    "violates foreign key constraint": errors.ForeignKeyViolation,
    "could not serialize access": errors.SerializationFailure,
    "deadlock detected": errors.DeadlockDetected,
}
# Another connection to the server than the one on which we prepared a statement.
_OF_A_POOLER: Final = (errors.InvalidSqlStatementName, errors.DuplicatePreparedStatement)
# libpq knows no shorter timeout.
_MIN_CONNECT_TIMEOUT_S: Final = 2
_PAUSE_S: Final = 0.05
_MAX_CANCEL_S: Final = 2.0
# A connection that was idle for longer is closed when another one is given back.
_MAX_IDLE_S: Final = 600.0
# A failed connection carries no SQLSTATE. These are the English texts of 53300; in another language the error is
# `store_unavailable` with the server's words.
_TOO_MANY: Final = ("too many clients", "too many connections", "connection slots are reserved")


@dataclass(frozen=True, slots=True)
class Waits:
    """Time limits: for a connection of this process that other threads are using, and for an answer of the server."""

    busy_s: float
    connect_s: float


class Connections:
    """At most `size` connections to one database, made when they are needed and kept for the next caller."""

    def __init__(
        self, url: str, *, size: int, waits: Waits, reset: Callable[[Connection], None] | None = None, **options: Any
    ) -> None:
        """`options` are those of `connect`."""
        self._url, self._size, self._waits, self._reset, self._options = url, size, waits, reset, options
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._slots = Slots(size)
        self._idle: list[tuple[float, Connection]] = []
        self._failed: tuple[float, StoreError] | None = None
        self._closed = False

    @contextmanager
    def transaction(self, *, force_rollback: bool = False) -> Iterator[Connection]:
        """Lend a connection in a transaction. One that the server has dropped fails at BEGIN, before anything was done:
        then all idle connections are closed and a new one is made, once.
        """
        with ExitStack() as stack:
            for is_retry in (False, True):
                connection = stack.enter_context(self.lent())
                try:
                    stack.enter_context(connection.transaction(force_rollback=force_rollback))
                    break
                except psycopg.OperationalError:
                    connection.close()
                    if is_retry:
                        raise
                    self.drop_idle()
                    stack.close()
            yield connection

    def drop_idle(self) -> None:
        """Close all connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def close(self) -> None:
        """Close all connections; those in use are closed when they are given back."""
        self._closed = True
        self.drop_idle()

    def __del__(self) -> None:
        if hasattr(self, "_idle") and os.getpid() == self._process:
            self.close()

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """Lend a connection, which is to be given back without a transaction."""
        if os.getpid() != self._process:
            raise StoreUnavailable("the store was opened by another process", hint="open it again after a fork")
        asked_at = time.monotonic()
        if not self._slots.acquire(self._waits.busy_s):
            raise StoreBusy(
                f"all {self._size} connections of this process to PostgreSQL are in use",
                hint="try again in a moment, or let fewer calls run at once",
            )
        try:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            with self._lock:
                idle = self._idle.pop()[1] if self._idle else None
            connection = idle or self._made(asked_at)
            try:
                yield connection
            finally:
                self._give_back(connection)
        finally:
            self._slots.release()

    def _made(self, asked_at: float) -> Connection:
        """A new connection. If another thread's attempt has failed since this caller asked, its error is raised."""
        if self._failed is not None and self._failed[0] > asked_at:
            failed = self._failed[1]
            raise type(failed)(failed.message, hint=failed.hint)
        try:
            return connect(self._url, self._waits.connect_s, **self._options)
        except StoreError as error:
            self._failed = (time.monotonic(), error)
            raise

    def _give_back(self, connection: Connection) -> None:
        try:
            if self._reset is not None and not connection.closed:
                self._reset(connection)
        except psycopg.Error:
            connection.close()
        now = time.monotonic()
        usable = connection.info.transaction_status == pq.TransactionStatus.IDLE and not self._closed
        with self._lock:
            if usable:
                self._idle.append((now, connection))
            unused = [kept for since, kept in self._idle if since < now - _MAX_IDLE_S]
            self._idle = [(since, kept) for since, kept in self._idle if since >= now - _MAX_IDLE_S]
        for closing in unused if usable else (connection, *unused):
            closing.close()


def connect(
    url: str, timeout_s: float, *, configure: Callable[[Connection], None] | None = None, **options: Any
) -> Connection:
    """A new connection. A server that is starting up, or has no connection free, is asked again until the timeout."""
    deadline, call = time.monotonic() + timeout_s, cancellation.current()
    while True:
        call.check()
        try:
            connection = psycopg.connect(url, **_limits(url, timeout_s), **options)
            try:
                if configure is not None:
                    configure(connection)
            except BaseException:
                connection.close()
                raise
            return connection
        except psycopg.OperationalError as error:
            too_many = any(text in str(error) for text in _TOO_MANY)
            if time.monotonic() + _PAUSE_S < deadline and (too_many or _is_starting(error, url, deadline)):
                time.sleep(_PAUSE_S)
            elif too_many:
                raise StoreBusy(
                    "PostgreSQL has no connection free",
                    hint="try again; raise the server's max_connections or lower WHEREFROM_POOL_SIZE",
                ) from None
            else:
                raise _unavailable(error) from None
        except psycopg.Error as error:  # such as a setting or a type that the server does not know
            raise _refused(error) from error


def _limits(url: str, timeout_s: float) -> dict[str, Any]:
    """The parameters that make libpq notice a server that does not answer, apart from those that the URL states."""
    given = conninfo_to_dict(url)
    hosts = len(str(given.get("host") or given.get("hostaddr") or "").split(","))
    limits = {
        "connect_timeout": max(_MIN_CONNECT_TIMEOUT_S, int(timeout_s / hosts)),
        # A machine that vanished acknowledges nothing; without a limit the system tries for a quarter of an hour.
        "tcp_user_timeout": int(timeout_s * 1000),
    }
    return {name: value for name, value in limits.items() if name not in given}


def _is_starting(error: psycopg.OperationalError, url: str, deadline: float) -> bool:
    """True if the server answers but refuses connections for now: it starts, recovers or shuts down."""
    if "the database system is" in str(error):  # by now it may be ready, so that the ping would tell nothing
        return True
    left_s = max(_MIN_CONNECT_TIMEOUT_S, int(deadline - time.monotonic()))
    return pq.PGconn.ping(make_conninfo(url, connect_timeout=left_s).encode()) == pq.Ping.REJECT


def _unavailable(error: psycopg.Error) -> StoreUnavailable:
    reason = (str(error).strip() or "no answer").splitlines()[0]
    return StoreUnavailable(
        f"PostgreSQL cannot be reached: {reason}", hint="is the server running, and is the URL right?"
    )


@contextmanager
def translated() -> Iterator[None]:
    """Raise PostgreSQL's errors as errors of the store."""
    try:
        yield
    except errors.QueryCanceled as error:
        cancellation.current().check()
        raise _refused(error) from None
    except COLLISIONS:
        raise _collided() from None
    except errors.LockNotAvailable:
        raise StoreBusy("another writer is not done yet", hint="try again") from None
    except errors.IntegrityError as error:
        raise broken_rule(error.diag.message_primary or "") from error
    except errors.UndefinedFile as error:
        raise StoreUnavailable(
            f"PostgreSQL lacks something: {error.diag.message_primary}", hint="install the pgvector extension"
        ) from None
    except errors.FeatureNotSupported as error:
        raise StoreUnavailable(
            f"PostgreSQL cannot do this here: {error.diag.message_primary}",
            hint="is pgvector installed? If the store was distributed since it was opened, open it again;"
            " `wherefrom doctor` checks a distributed store",
        ) from None
    except _OF_A_POOLER as error:
        raise StoreError(
            f"PostgreSQL forgot what was prepared: {error.diag.message_primary}",
            hint="a pooler of transactions must keep prepared statements: PgBouncer 1.21 or newer does so with"
            " max_prepared_statements; otherwise let it pool sessions",
        ) from None
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise _unavailable(error) from None
    except psycopg.Error as error:
        if _is_of_another_server(error):
            raise _unavailable(error) from None
        kind = kind_of(error)
        if issubclass(kind, COLLISIONS):
            raise _collided() from None
        if issubclass(kind, errors.IntegrityError):
            raise broken_rule(error.diag.message_primary or "") from error
        raise _refused(error) from error


def kind_of(error: psycopg.Error) -> type[psycopg.Error]:
    """What went wrong on the server that holds the rows."""
    said = (error.diag.message_primary or "") if isinstance(error, errors.InternalError_) else ""
    return next((kind for words, kind in _OF_A_COPY.items() if words in said), type(error))


def _collided() -> StoreBusy:
    return StoreBusy("other writers kept changing the same rows", hint="try again")


def _refused(error: psycopg.Error) -> StoreError:
    said = error.diag.message_primary or error
    return StoreError(f"PostgreSQL refused the statement: {said}", hint=error.diag.message_hint)


@contextmanager
def pipelined(connection: Connection, call: cancellation.Cancellation) -> Iterator[ExitStack]:
    """Send statements without waiting for the answer to each. If one of them fails, or the block does, what they did in
    a transaction is rolled back. To the end of the pipeline, or until the block closes what it is given, a cancelled
    call stops the statement under way; then the server skips all that were sent after it, the commit too.
    """
    pipeline = ExitStack()
    pipeline.enter_context(connection.pipeline())
    try:
        with ExitStack() as stopping:
            stopping.enter_context(call.stopping(partial(cancel, connection)))
            try:
                yield stopping
            except BaseException:
                with suppress(psycopg.Error):  # of what was sent after the statement that failed
                    pipeline.close()
                raise
            pipeline.close()
    except BaseException:
        if not connection.closed:
            connection.rollback()
        raise


def cancel(connection: Connection) -> None:
    """Stop the statement under way; a server that cannot be reached any more stops by itself."""
    with suppress(psycopg.Error):
        connection.cancel_safe(timeout=_MAX_CANCEL_S)


def is_lost(connection: Connection, error: psycopg.Error) -> bool:
    """True if the server ended the connection, or lost one to another server of Citus; False if it only refused a
    statement.
    """
    return connection.closed or (error.sqlstate or "").startswith(("57P", "08")) or _is_of_another_server(error)


def _is_of_another_server(error: psycopg.Error) -> bool:
    """True if the coordinator of Citus lost a connection to another server, which it reports as an error of its own."""
    said = f"{error.diag.message_primary} {error.diag.context}"
    return isinstance(error, errors.InternalError_) and ("connection" in said or "executing command on" in said)
