"""Spreads a PostgreSQL database over several servers with Citus: all rows of an owner lie on one of them.

A table with an owner is distributed by it. The others are copied to every server (reference tables), and so are two
whose rows are looked for without their owner. docs/decisions/0026-distributed-by-owner.md gives the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import psycopg
from psycopg import sql

from wherefrom.model.errors import InvalidInput
from wherefrom.model.health import Check, Distribution
from wherefrom.storage.agent.postgres_preparing import is_distributed, undo
from wherefrom.storage.port import Row

Connection = psycopg.Connection[Row]

# A key is looked for by its id alone, and the privacy of an owner together with that of all who chose none.
_COPIED: Final = ("keys", "privacy")
_HOW_TO: Final = "docs/how-to/scale.md has the steps"
# Each table of the store: its name, whether it has owners, how Citus keeps it ('h' distributed, 'n' copied, null not at
# all), and with which others it lies together. In the order in which they were made, so that one comes after those that
# it refers to.
_TABLES: Final = """
select c.relname, exists (
        select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'owner_id' and not a.attisdropped
    ) and c.relname <> all (%(copied)s), p.partmethod::text, p.colocationid
from pg_class c
left join pg_dist_partition p on p.logicalrelid = c.oid
where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relkind = 'r'
order by c.oid
"""
# Foreign keys from a table with owners to one without: they can be made only when both are where they belong.
_KEYS: Final = """
select k.conrelid::regclass::text, k.conname, pg_get_constraintdef(k.oid)
from pg_constraint k
where k.contype = 'f' and k.conrelid = any (%(owned)s::regclass[]) and k.confrelid = any (%(copied)s::regclass[])
"""
_SERVERS: Final = "select count(*) from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards"
_FACTS: Final = """
select (select extversion from pg_extension where extname = 'citus'),
       (
           select case when bool_and(t.size is not null) then sum(t.size) end
           from (
               select citus_total_relation_size(p.logicalrelid, fail_on_error => false) as size from pg_dist_partition p
           ) as t
       )
"""
_IS_COORDINATOR: Final = "select groupid = 0 from pg_dist_local_group"
_SHARDS: Final = "select count(*) from pg_dist_shard where logicalrelid = to_regclass('nodes')"
# Of the parts with this owner's rows: to refresh all takes as long as an import of a thousand memos, and asks every
# server. Where it fails, statistics are as they were.
_REFRESH: Final = """
select r.success
from (
    select p.nodename, p.nodeport, 'analyze ' || string_agg(shard_name(t.name, p.shardid), ', ') as command
    from unnest(%(tables)s::regclass[]) as t(name)
    join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column(t.name, cast(%(owner)s as text))
    group by p.nodename, p.nodeport
) as c,
lateral master_run_on_worker(array[c.nodename], array[cast(c.nodeport as integer)], array[c.command], false) as r
"""
_UNREACHABLE: Final = """
select c.from_nodename || ':' || c.from_nodeport || ' to ' || c.to_nodename || ':' || c.to_nodeport
from citus_check_cluster_node_health() c
where c.result is not true
"""
# Citus makes a restrictive policy a permissive one on the servers that hold the rows, which would show every owner's.
_RESTRICTIVE: Final = """
select c.relname from pg_policy p join pg_class c on c.oid = p.polrelid
where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and not p.polpermissive
"""


def begin_changes(connection: Connection) -> bool:
    """Begin to change the schema in this transaction; return True if the store is distributed.

    Of tables that refer to each other, Citus otherwise changes many at once over several connections, and then refuses.
    """
    distributed = is_distributed(connection)
    if distributed:
        connection.execute("set local citus.multi_shard_modify_mode = 'sequential'")
    return distributed


def distribute(connection: Connection) -> Distribution:
    """Distribute all tables that are not distributed, in one transaction: a cut-off leaves the store as it was.

    connection: in autocommit mode. Raises InvalidInput, with what is missing, where that cannot be done.
    """
    _check_possible(connection)
    with connection.transaction():
        connection.execute("set local citus.multi_shard_modify_mode = 'sequential'")
        if not is_distributed(connection):
            undo(connection)
        distributed, copied = place(connection)
    [(servers,)] = connection.execute(_SERVERS).fetchall()
    [(shards,)] = connection.execute(_SHARDS).fetchall()
    return Distribution(servers, shards, distributed, copied)


def place(connection: Connection) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Distribute the tables that have owners and copy the others, apart from those that are where they belong; returns
    the names of both. A table that stayed on one server would refer to others, and not lose its rows with theirs.
    """
    tables = connection.execute(_TABLES, {"copied": list(_COPIED)}).fetchall()
    owned = [name for name, has_owners, how, _ in tables if has_owners and how != "h"]
    copied = [name for name, has_owners, how, _ in tables if not has_owners and how != "n"]
    names = {"owned": [row[0] for row in tables if row[1]], "copied": copied}
    keys = connection.execute(_KEYS, names).fetchall()
    for table, key, _ in keys:
        _run(connection, "alter table {} drop constraint {}", sql.Identifier(table), sql.Identifier(key))
    for name in owned:
        together = "none" if name == "nodes" else "nodes"
        query = "select create_distributed_table(%s, 'owner_id', colocate_with => %s)"
        connection.execute(query, (name, together))
    for name in copied:
        connection.execute("select create_reference_table(%s)", (name,))
    for table, key, definition in keys:
        parts = (sql.Identifier(table), sql.Identifier(key), sql.SQL(definition))
        _run(connection, "alter table {} add constraint {} {}", *parts)
    return tuple(owned), tuple(copied)


def refresh_statistics(connection: Connection, owner: str, tables: Sequence[str]) -> None:
    """Refresh the planner's statistics of these tables, as far as they hold an owner's rows if they are distributed."""
    if is_distributed(connection):
        connection.execute(_REFRESH, {"owner": owner, "tables": list(tables)})
    else:
        connection.execute(f"analyze {', '.join(tables)}")


def checks(connection: Connection) -> tuple[Check, ...]:
    """The checks of a distributed store: every table is where it belongs, it is opened by way of the coordinator, and
    every server answers.
    """
    if not is_distributed(connection):
        return ()
    tables = connection.execute(_TABLES, {"copied": list(_COPIED)}).fetchall()
    together = {where for _, has_owners, how, where in tables if has_owners and how == "h"}
    astray = [name for name, has_owners, how, _ in tables if how != ("h" if has_owners else "n")]
    restrictive = sorted({name for (name,) in connection.execute(_RESTRICTIVE)})
    unreachable = [name for (name,) in connection.execute(_UNREACHABLE)]
    [(is_coordinator,)] = connection.execute(_IS_COORDINATOR).fetchall()
    way = "this is the coordinator" if is_coordinator else "this is not the coordinator, whose URL processes must have"
    found = f"{len(astray)} tables not distributed{_named(astray)}; {len(together)} groups of tables that lie together"
    return (
        Check("distributed tables", not astray and len(together) == 1, found),
        Check("coordinator", is_coordinator, way),
        Check("policies of rows", not restrictive, f"{len(restrictive)} restrictive{_named(restrictive)}"),
        Check("servers", not unreachable, f"{len(unreachable)} connections failed{_named(unreachable)}"),
    )


def servers(connection: Connection) -> dict[str, Any]:
    """Facts about a distributed store: the version of Citus, the servers, and the size of the tables on all of them,
    unless one of them is away.
    """
    if not is_distributed(connection):
        return {}
    [(version, size)] = connection.execute(_FACTS).fetchall()
    [(count,)] = connection.execute(_SERVERS).fetchall()
    return {"citus": version, "servers": count} | ({} if size is None else {"distributed_bytes": int(size)})


def _check_possible(connection: Connection) -> None:
    """Raise InvalidInput unless Citus is there, has servers, and lets this user distribute the tables."""
    if connection.execute("select 1 from pg_extension where extname = 'citus'").fetchone() is None:
        available = connection.execute("select 1 from pg_available_extensions where name = 'citus'").fetchone()
        what = "is not in this database" if available else "is not installed on this server"
        raise InvalidInput(f"the extension citus {what}", hint=f"as a superuser: create extension citus; {_HOW_TO}")
    if connection.execute(_SERVERS).fetchone() == (0,):
        raise InvalidInput("Citus knows no server that may hold rows", hint=f"select citus_add_node(…); {_HOW_TO}")
    if connection.execute(_IS_COORDINATOR).fetchone() != (True,):
        raise InvalidInput("this server is not the coordinator", hint="give the URL of the coordinator")
    query = "select pg_has_role(current_user, c.relowner, 'usage'), c.relowner::regrole::text from pg_class c"
    [(may, owner)] = connection.execute(f"{query} where c.oid = to_regclass('nodes')").fetchall()
    if not may:
        raise InvalidInput("this user does not own the tables", hint=f"connect as {owner}")


def _named(names: list[str]) -> str:
    return f" ({', '.join(names)})" if names else ""


def _run(connection: Connection, text: str, *parts: sql.Composable) -> None:
    connection.execute(sql.SQL(text).format(*parts))
