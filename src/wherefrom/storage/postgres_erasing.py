"""Leaves nothing of deleted rows in the files of a PostgreSQL database, and says what it cannot reach."""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg import errors

from wherefrom.storage.port import Row

NOT_VACUUMED: Final = (
    "dead rows in tables and indexes, because they were not vacuumed: the same command again does it, or VACUUM FULL"
)
BEYOND_REACH: Final = (
    "the server's write-ahead log until it is recycled: an administrator runs CHECKPOINT and pg_switch_wal(), and "
    "deletes what was archived of it",
    "replicas: they follow by themselves, and their logs are recycled as well",
    "backups and exports that were made before: delete them, or make them anew",
    "the server's log files, if it logs statements with their parameters",
)
_LOCKED: Final = "others kept a table locked; the same command again does it once they have ended"
_TABLES: Final = (
    "nodes", "node_versions", "node_texts", "node_terms", "names", "names_in_texts", "embeddings", "pending_embeddings",
    "edges", "events", "retired", "feedback", "corrections", "active_contexts", "active_context_items", "insight_plans",
    "insight_declined", "metabolism_plans", "stand_ins",
)  # fmt: skip
_OLD_STATISTICS: Final = (
    "the planner's statistics of columns that are empty by now: an administrator deletes those rows of pg_statistic"
)
_CLEARS_STATISTICS: Final = 180000
# The tables, and their indexes, which may hold expressions that have statistics of their own.
_RELATIONS: Final = """
select c.oid
from pg_class c
where c.oid = any(%(tables)s::regclass[])
   or c.oid in (select i.indexrelid from pg_index i where i.indrelid = any(%(tables)s::regclass[]))
"""
_CLEAR: Final = """
select pg_clear_attribute_stats(s.schemaname, s.tablename, s.attname, s.inherited)
from pg_stats s
where (s.schemaname, s.tablename) in (
    select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = any(%s)
)
"""


def vacuum(connection: psycopg.Connection[Row], *, wait_s: float) -> tuple[str, ...]:
    """Write all tables with texts anew, with their indexes; returns what is left of deleted rows, in words. A table is
    locked while it is written. connection: in autocommit mode. wait_s: how long to wait for others that use a table.
    """
    refused: list[str] = []
    connection.add_notice_handler(lambda notice: refused.append(notice.message_primary or ""))
    connection.execute(f"set lock_timeout = {int(wait_s * 1000)}")
    try:
        cleared = _clear_statistics(connection)
        connection.execute(f"vacuum (full, analyze) {', '.join(_TABLES)}")
        # The rows that were cleared or replaced are dead rows of this table.
        connection.execute("vacuum (full) pg_statistic")
    except errors.LockNotAvailable:
        refused.append(_LOCKED)
        cleared = True
    left = [f"dead rows in tables of the database: {why}" for why in refused]
    return (*left, *(() if cleared else (_OLD_STATISTICS,)), *BEYOND_REACH)


def _clear_statistics(connection: psycopg.Connection[Row]) -> bool:
    """Forget the planner's statistics, which hold values of columns; those of a column or an index that has become
    empty would stay when its table is analysed. Returns False if the server does not let this user do that.
    """
    relations = [row[0] for row in connection.execute(_RELATIONS, {"tables": list(_TABLES)})]
    if connection.info.server_version >= _CLEARS_STATISTICS:
        connection.execute(_CLEAR, (relations,))
    elif connection.info.parameter_status("is_superuser") == "on":
        connection.execute("delete from pg_statistic where starelid = any(%s)", (relations,))
    else:
        return False
    return True
