"""Leaves nothing of deleted rows in the files of a PostgreSQL database, and says what it cannot reach."""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg import errors

from wherefrom.storage.agent import postgres_preparing
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
# The tables, their partitions and the indexes of both, which may hold expressions with statistics of their own.
_RELATIONS: Final = """
with recursive tables as (
    select c.oid from pg_class c
    where c.relnamespace = to_regnamespace(quote_ident(<schema>)) and c.relname = any('{<tables>}')
    union
    <shards>
    select i.inhrelid from pg_inherits i join tables t on t.oid = i.inhparent
), relations as (
    select c.oid, c.relnamespace, c.relname from pg_class c
    where c.oid in (select t.oid from tables t)
       or c.oid in (select i.indexrelid from pg_index i join tables t on t.oid = i.indrelid)
)
""".replace("<tables>", ", ".join(_TABLES))
# The parts that a server of Citus has of them.
_SHARDS: Final = """
    select c.oid from pg_dist_shard s
    join pg_class l on l.oid = s.logicalrelid
    join pg_class c on c.relname = l.relname || '_' || s.shardid and c.relnamespace = l.relnamespace
    where l.relname = any('{<tables>}')
    union
""".replace("<tables>", ", ".join(_TABLES))
_CLEAR: Final = """
select count(pg_clear_attribute_stats(s.schemaname, s.tablename, s.attname, s.inherited))
from pg_stats s
join relations r on r.relname = s.tablename and r.relnamespace = to_regnamespace(quote_ident(s.schemaname))
"""
_DELETE: Final = "delete from pg_statistic where starelid in (select r.oid from relations r)"
# The rows that were cleared or replaced are dead rows of this table.
_REWRITE: Final = "vacuum (full) pg_statistic"
_ON_OTHERS: Final = "select nodename, result from run_command_on_workers(%s) where not success"


def vacuum(connection: psycopg.Connection[Row], *, wait_s: float) -> tuple[str, ...]:
    """Write all tables with texts anew, with their indexes; returns what is left of deleted rows, in words. A table is
    locked while it is written. connection: in autocommit mode. wait_s: how long to wait for others that use a table.
    """
    refused: list[str] = []
    connection.add_notice_handler(lambda notice: refused.append(notice.message_primary or ""))
    connection.execute(f"set lock_timeout = {int(wait_s * 1000)}")
    try:
        is_distributed = postgres_preparing.is_distributed(connection)
        clear = _clearing(connection, is_distributed=is_distributed)
        for statement in (clear, f"vacuum (full, analyze) {', '.join(_TABLES)}", _REWRITE):
            if statement is not None:
                connection.execute(statement)
                # Citus hands on what is done to tables of its own, and no other.
                if is_distributed and statement in (clear, _REWRITE):
                    refused += [f"{server}: {why}" for server, why in connection.execute(_ON_OTHERS, (statement,))]
        cleared = clear is not None
    except errors.LockNotAvailable:
        refused.append(_LOCKED)
        cleared = True
    left = [f"dead rows in tables of the database: {why}" for why in refused]
    return (*left, *(() if cleared else (_OLD_STATISTICS,)), *BEYOND_REACH)


def _clearing(connection: psycopg.Connection[Row], *, is_distributed: bool) -> str | None:
    """How to forget the planner's statistics, which hold values of columns; those of a column or an index that has
    become empty would stay when its table is analysed. None if the server does not let this user do that.
    """
    if connection.info.server_version >= _CLEARS_STATISTICS:
        statement = _CLEAR
    elif connection.info.parameter_status("is_superuser") == "on":
        statement = _DELETE
    else:
        return None
    # A server of Citus is asked on a connection of its own, which may have another schema.
    [(schema,)] = connection.execute("select quote_literal(current_schema())").fetchall()
    relations = _RELATIONS.replace("<schema>", schema).replace("<shards>", _SHARDS if is_distributed else "")
    return relations + statement
