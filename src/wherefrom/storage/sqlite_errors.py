"""Errors of SQLite and of the file system as errors of the store."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from wherefrom.model import cancellation
from wherefrom.model.errors import StoreBusy, StoreError, StoreUnavailable
from wherefrom.storage.port import broken_rule

logger = logging.getLogger("wherefrom")


@contextmanager
def translated() -> Iterator[None]:
    """Raise SQLite's errors as errors of the store."""
    try:
        yield
    except apsw.InterruptError:
        raise cancellation.current().error() from None
    except (apsw.BusyError, apsw.LockedError):
        cancellation.current().check()
        raise StoreBusy(
            "other writers kept the database locked", hint="try again; raise WHEREFROM_BUSY_TIMEOUT_MS if it goes on"
        ) from None
    except apsw.NotADBError:
        raise StoreUnavailable("the file is not a SQLite database", hint="choose another path") from None
    except apsw.CantOpenError as error:
        raise StoreUnavailable(f"cannot open the database: {error}") from None
    except apsw.ReadOnlyError:
        raise StoreUnavailable("the database is read-only", hint="check the permissions of file and folder") from None
    except apsw.FullError:
        raise StoreUnavailable("the disk is full; nothing of this change was written") from None
    except apsw.CorruptError as error:
        raise StoreError(f"the database file is damaged: {error}", hint="restore a backup") from None
    except apsw.ConstraintError as error:
        raise broken_rule(str(error)) from error
    except apsw.IOError as error:
        raise StoreError(f"the disk failed: {error}") from error
    except apsw.Error as error:
        raise StoreError(f"SQLite refused the statement: {error}", hint="`wherefrom doctor` may say more") from error


def state_of(path: Path) -> os.stat_result:
    """The size, times and numbers of a file; raises an error of the store if it cannot be read."""
    try:
        return path.stat()
    except OSError as error:
        raise StoreUnavailable(f"cannot open {path}: {error.strerror}") from None


def closed_quietly(connection: apsw.Connection) -> None:
    """Close a connection. If that fails, nothing is lost: every commit is in the file or its log."""
    try:
        connection.close()
    except apsw.Error as error:
        logger.warning("a connection was not closed cleanly: %s", error)
