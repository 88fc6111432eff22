"""Prepares a PostgreSQL database for agents' SQL: two roles, a schema of views, and row-level security.

All of it has names that begin with the program's. A database that was prepared under its former name is prepared anew,
if this user may, and the former schema and policies go in the same transaction; otherwise the former ones go on being
used. Roles belong to the whole server, and an older program may serve another database with them: they are not renamed,
but made anew, and the former ones are dropped when nothing on the server depends on them any more.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

import psycopg
from psycopg import errors, sql

from wherefrom.former_name import FORMER, NAME
from wherefrom.model.errors import StoreUnavailable
from wherefrom.storage.agent import tables
from wherefrom.storage.agent.postgres_functions import FUNCTIONS_SQL
from wherefrom.storage.port import Row
from wherefrom.storage.sql import blocks, render, statements_of

Connection = psycopg.Connection[Row]

# One number for all processes, also those of the former name: whoever holds it makes the schema, the others wait.
_LOCK: Final = 0x5265636F6C6D
_LOCK_TIMEOUT: Final = "10s"
_MAX_ATTEMPTS: Final = 8
_MAX_PAUSE_S: Final = 0.5
_GUARDED_TABLES: Final = ("nodes", "edges", "tasks", "queries", "embeddings", "events")
# Before this version of the server, whoever is a member of a role can take it on.
_FIRST_VERSION_WITH_SET: Final = 160_000
# Errors that say that another process did the same at the same time.
_LOST_RACE: Final = (
    errors.DuplicateObject,
    errors.UniqueViolation,
    errors.InternalError_,
    errors.SerializationFailure,
)
# Views whose rows are limited by a join, not by row-level security alone: no condition of a statement's may come before
# it, or it would tell of hidden rows by failing. `queries` did; `embeddings` has the same shape, but was not seen to.
_BARRIERS: Final = frozenset(("queries", "embeddings"))
# A row if everything is there as we make it, and this user may take on the role. A dump that is restored where the
# roles are not there has the schema with its comment, and neither the rights nor the policies.
_READY: Final = """
select true from pg_namespace n
join pg_roles a on a.rolname = %(agent)s
join pg_roles v on v.rolname = %(viewer)s
where n.nspname = %(agent)s and obj_description(n.oid, 'pg_namespace') = %(made)s and (a.rolcanlogin or not %(login)s)
  and pg_has_role(current_user, a.oid, %(how)s) and has_schema_privilege(a.oid, n.oid, 'usage')
  and not exists (select 1 from pg_class c where c.relnamespace = n.oid and c.relkind = 'v' and c.relowner <> v.oid)
  and cardinality(%(tables)s::text[]) = (
    select count(*) from pg_policy p join pg_class c on c.oid = p.polrelid
    where c.relnamespace = to_regnamespace(%(base)s) and c.relrowsecurity
      and p.polname = %(policy)s and v.oid = any (p.polroles) and p.polpermissive)
"""
_MAY_MAKE: Final = """
select has_database_privilege(current_database(), 'create')
  and (select bool_and(pg_has_role(current_user, c.relowner, 'usage')) from pg_class c
       where c.relnamespace = to_regnamespace(%(base)s) and c.relname = any(%(tables)s))
  and ((select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
       or cardinality(%(roles)s::text[]) = (
         select count(*) from pg_roles where rolname = any(%(roles)s) and pg_has_role(current_user, oid, %(how)s)))
"""
_ROLES: Final = "select rolname, pg_has_role(current_user, oid, %(how)s) from pg_roles where rolname = any(%(roles)s)"
# Policies of others that let agents see rows, since each policy lets some through.
_WIDER: Final = """
select format('%%s on %%s', p.polname, c.relname) from pg_policy p
join pg_class c on c.oid = p.polrelid
join pg_policy o on o.polrelid = c.oid and o.polname = %(everyone)s
where c.relnamespace = to_regnamespace(%(base)s) and c.relname = any(%(tables)s)
  and p.polpermissive and p.polcmd in ('r', '*') and p.polname not in (%(policy)s, %(everyone)s)
  and pg_get_expr(p.polqual, c.oid) not in (pg_get_expr(o.polqual, c.oid), %(narrowed)s)
  and exists (select 1 from unnest(p.polroles) r where r = 0 or pg_has_role(%(viewer)s, r, 'usage')
              or pg_has_role(%(agent)s, r, 'usage'))
"""
_IS_DISTRIBUTED: Final = """
select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass('nodes') and partmethod = 'h')
"""
_COLUMNS: Final = """
select c.relname, array_agg(a.attname::text order by a.attnum) from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
where c.relnamespace = to_regnamespace(%(agent)s) and c.relkind = 'v' group by c.relname
"""
# The words in which a distributed store differs: who reads the tables, by what a transaction is known on every server,
# and that a function may look into a table of which each server has a copy.
_ALONE: Final = {"readers": "wherefrom_views", "backend": "pg_backend_pid()", "nested": ""}
_DISTRIBUTED: Final = {
    "readers": "wherefrom_views, wherefrom_agent",
    "backend": "citus_backend_gpid()",
    "nested": "set citus.allow_nested_distributed_execution = on",
}
_OWNER: Final = "owner_id"
_AGENTS: Final = ", ".join(f"'{program}_{role}'" for program in (NAME, FORMER) for role in ("agent", "views"))
# It stands for these until the program's name in a script is replaced.
_ANY_NAME: Final = "@agents@"
# The condition of the former policy for everyone, once it is narrowed.
_NARROWED: Final = f"((CURRENT_USER <> '{NAME}_agent'::name) AND (CURRENT_USER <> '{NAME}_views'::name))"
# Roles belong to a server, and Citus knows of those that were made in this database.
_LOGIN: Final = """
do $body$ begin
  if not exists (select 1 from pg_roles where rolname = {0}) then create role {1} login;
  elsif not exists (select 1 from pg_roles where rolname = {0} and rolcanlogin) then alter role {1} login; end if;
end $body$
"""
_MEMBERS_WITHOUT: Final = """
select distinct m.rolname from pg_auth_members g
join pg_roles r on r.oid = g.roleid join pg_roles m on m.oid = g.member
where r.rolname = %s and not exists (
  select 1 from pg_roles p where p.rolname = %s and pg_has_role(m.oid, p.oid, 'member'))
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is made for agents' SQL in a database, under the program's present or its former name.

    base: the schema of the store. script: makes the schema and its functions. tables, analyses: the SELECT of each
    view. distributed: the rows are on several servers. columns: those of each view, and secret: signs the scope of a
    transaction; both are empty until the database is prepared.
    """

    program: str
    base: str
    script: str
    tables: Mapping[str, str]
    analyses: Mapping[str, str]
    distributed: bool
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    secret: str = field(default="", repr=False)

    @property
    def agent(self) -> str:
        """The role that statements run as, and the schema of what it may read."""
        return f"{self.program}_agent"

    @property
    def viewer(self) -> str:
        """The role that owns the views."""
        return f"{self.program}_views"

    @property
    def made(self) -> str:
        """The hash of all that is made; the comment on the schema holds it."""
        parts = [self.script, self.base, self.tables, self.analyses, sorted(_BARRIERS)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def backend(self) -> str:
        """The expression for the backend that a scope belongs to."""
        return (_DISTRIBUTED if self.distributed else _ALONE)["backend"]

    def shape(self, name: str) -> tuple[str, ...]:
        """The columns of a view that a statement sees."""
        return tuple(column for column in self.columns[name] if column != _OWNER)

    def definitions(self, owner: str) -> str:
        """Return a WITH clause that defines all tables and analyses as those of an owner, which is given as a literal:
        by that a distributed database knows which server has the rows. What a statement does not name costs nothing.
        """
        parts = []
        for name in self.tables:
            listed = ", ".join(f'"{column}"' for column in self.shape(name))
            select = f'select {listed} from {self.agent}."{name}"'  # noqa: S608  # names of ours
            if _OWNER in self.columns[name]:
                select += f" where {_OWNER} = {owner}"
            # Views keep their barriers on one server only.
            fence = " offset 0" if self.distributed and name in _BARRIERS else ""
            parts.append(f'"{name}" as not materialized ({select}{fence})')
        parts += [f'"{name}" as not materialized ({select})' for name, select in self.analyses.items()]
        return f"with {', '.join(parts)}"


def prepared(connection: Connection, analyses: Mapping[str, str]) -> Plan:
    """Make what is missing, under the present names if this user may, and return the plan that the database follows."""
    [(base,)] = connection.execute("select coalesce(quote_ident(current_schema()), 'public')").fetchall()
    distributed = is_distributed(connection)
    plan = _chosen(connection, *(_plan(program, base, analyses, distributed=distributed) for program in (NAME, FORMER)))
    if wider := [policy for (policy,) in _rows_about(connection, _WIDER, plan)]:
        raise StoreUnavailable(
            f"policies of others would show agents more than they may see: {', '.join(wider)}",
            hint=f"drop them, or let them be for other roles than {plan.agent} and {plan.viewer}",
        )
    [(secret,)] = connection.execute("select secret from agent_secrets").fetchall()
    columns = {name: tuple(listed) for name, listed in _rows_about(connection, _COLUMNS, plan)}
    return replace(plan, secret=secret, columns=columns)


def undo(connection: Connection) -> None:
    """Drop all schemas and policies that were made, in a transaction of the caller: the next statement of an agent
    makes them anew.
    """
    for program in (NAME, FORMER):
        _run(connection, "drop schema if exists {} cascade", sql.Identifier(f"{program}_agent"))
        for table in _GUARDED_TABLES:
            for policy in ("agents", "everyone"):
                parts = sql.Identifier(f"{program}_{policy}"), sql.Identifier(table)
                _run(connection, "drop policy if exists {} on {}", *parts)
    for table in _GUARDED_TABLES:
        _run(connection, "alter table {} disable row level security", sql.Identifier(table))


def is_ready(connection: Connection, plan: Plan) -> bool:
    """Return True if everything is there, and this user may use it."""
    return bool(_rows_about(connection, _READY, plan))


def is_distributed(connection: Connection) -> bool:
    """Return True if the store's tables are distributed."""
    if connection.execute("select to_regclass('pg_catalog.pg_dist_partition')").fetchone() == (None,):
        return False
    return connection.execute(_IS_DISTRIBUTED).fetchone() == (True,)


def _plan(program: str, base: str, analyses: Mapping[str, str], *, distributed: bool = False) -> Plan:
    own = _DISTRIBUTED if distributed else _ALONE
    fragments = {**blocks("agent/queries/postgres").fragments, "base": base, "agents": _ANY_NAME, **own}
    script = render(blocks("agent/queries/postgres").names["setup"], fragments) + FUNCTIONS_SQL
    views = tables.definitions("postgres", {"base": base})
    renamed = {name: select.replace(NAME, program) for name, select in views.items()}
    script = script.replace(NAME, program).replace(_ANY_NAME, _AGENTS)
    return Plan(program, base, script, renamed, analyses, distributed)


def _chosen(connection: Connection, present: Plan, former: Plan) -> Plan:
    if is_ready(connection, present):
        return present
    usable = is_ready(connection, former)
    if usable and _rows_about(connection, _MAY_MAKE, present) != [(True,)]:
        return former
    try:
        _make_roles(connection, present)
        _carry_members(connection, former, present)
        if _make_in_turn(connection, present, former):
            _drop_roles(connection, former)
        return present
    except errors.InsufficientPrivilege as error:
        refused = error
    if usable:
        return former
    with suppress(errors.InsufficientPrivilege):
        if list(_existing_roles(connection, former).values()) == [True, True]:
            _make(connection, former)
            return former
    raise StoreUnavailable(
        f"PostgreSQL does not let this user prepare SQL for agents: {refused.diag.message_primary}",
        hint="an administrator can: create role wherefrom_agent nologin; create role wherefrom_views nologin;"
        " grant wherefrom_agent, wherefrom_views to the user that owns the tables",
    )


def _make_in_turn(connection: Connection, plan: Plan, former: Plan) -> bool:
    """Make everything, again if it waited for a transaction that waits for it, since it locks one table after another,
    or if another database of a cluster does so: Citus alters the roles, which belong to all.
    """
    passing = (errors.DeadlockDetected, *((errors.InternalError_,) if plan.distributed else ()))
    for _ in range(_MAX_ATTEMPTS - 1):
        try:
            return _make(connection, plan, former)
        except passing:
            time.sleep(random.uniform(0, _MAX_PAUSE_S))
    return _make(connection, plan, former)


def _make(connection: Connection, plan: Plan, former: Plan | None = None) -> bool:
    """Make everything in one transaction, so that what agents may see changes at one moment; return True if what was
    made under the former name is gone.
    """
    agent, viewer = sql.Identifier(plan.agent), sql.Identifier(plan.viewer)
    with connection.transaction():
        connection.execute(f"set local lock_timeout = '{_LOCK_TIMEOUT}'")
        connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        if is_ready(connection, plan):
            return False
        for statement in statements_of(plan.script):
            connection.execute(statement)
        _run(connection, "set local search_path = {}", agent)
        for name, select in {**plan.tables, **plan.analyses}.items():
            view = sql.Identifier(plan.agent, name)
            barrier = sql.SQL("with (security_barrier) " if name in _BARRIERS else "")
            _run(connection, "create view {} {}as {}", view, barrier, sql.SQL(select))
            _run(connection, "alter view {} owner to {}", view, viewer)
            _run(connection, "grant select on {} to {}", view, agent)
        _run(connection, "comment on schema {} is {}", agent, sql.Literal(plan.made))
        if former is None or _drop_former(connection, former, plan):
            return former is not None
        _narrow_former(connection, former)
        return False


def _drop_former(connection: Connection, former: Plan, present: Plan) -> bool:
    """Drop what was made under the former name, unless somebody needs it who cannot use the present one; return True
    if it was dropped.

    All of it or nothing: without the policies, the role that owns the views would see every row.
    """
    if _members_without(connection, former.agent, present.agent):
        return False
    viewer, tables = sql.Identifier(former.viewer), [sql.SQL(f"{former.base}.{name}") for name in _GUARDED_TABLES]
    every_table = sql.SQL(", ").join([*tables, sql.SQL(f"{former.base}.embedding_models")])
    try:
        with connection.transaction():
            if former.viewer in _existing_roles(connection, former):
                _run(connection, "revoke all on {} from {}", every_table, viewer)
                _run(connection, "revoke all on schema {} from {}", sql.SQL(former.base), viewer)
            _run(connection, "drop schema if exists {} cascade", sql.Identifier(former.agent))
            for policy in ("agents", "everyone"):
                for table in tables:
                    name = sql.Identifier(f"{former.program}_{policy}")
                    _run(connection, "drop policy if exists {} on {}", name, table)
    except errors.InsufficientPrivilege:
        return False
    return True


def _narrow_former(connection: Connection, former: Plan) -> None:
    """Keep former policies that let everyone see every row from letting the present roles do so."""
    query = (
        "select c.relname from pg_policy p join pg_class c on c.oid = p.polrelid"
        " where p.polname = %s and pg_get_expr(p.polqual, c.oid) = 'true'"
    )
    policy = f"{former.program}_everyone"
    for (table,) in connection.execute(query, (policy,)).fetchall():
        parts = (sql.Identifier(policy), sql.SQL(f"{former.base}.{table}"), sql.SQL(_NARROWED))
        _run(connection, "alter policy {} on {} using {}", *parts)


def _make_roles(connection: Connection, plan: Plan) -> None:
    """Make the roles that are missing. They belong to the whole server: another database may be doing the same."""
    held = _existing_roles(connection, plan)
    for name in (plan.agent, plan.viewer):
        if name not in held:
            with suppress(*_LOST_RACE):
                _run(connection, "create role {} nologin", sql.Identifier(name))
        if not held.get(name):
            with suppress(*_LOST_RACE):
                _run(connection, "grant {} to current_user", sql.Identifier(name))
    if plan.distributed:
        _let_log_in(connection, plan.agent)


def _let_log_in(connection: Connection, role: str) -> None:
    """Let a role log in on every server: Citus opens a connection to each of them as whoever asks."""
    make = sql.SQL(_LOGIN).format(sql.Literal(role), sql.Identifier(role)).as_string(connection)
    connection.execute(make)
    failed = connection.execute("select result from run_command_on_workers(%s) where not success", (make,)).fetchall()
    if failed:
        raise StoreUnavailable(
            f"a server of Citus refused the role {role}: {failed[0][0]}",
            hint=f"alter role {role} login on each of them",
        )


def _carry_members(connection: Connection, former: Plan, present: Plan) -> None:
    """Let those use the present roles whom an administrator let use the former ones."""
    for old, new in ((former.agent, present.agent), (former.viewer, present.viewer)):
        for member in _members_without(connection, old, new):
            with suppress(*_LOST_RACE, errors.InsufficientPrivilege):
                _run(connection, "grant {} to {}", sql.Identifier(new), sql.Identifier(member))


def _drop_roles(connection: Connection, plan: Plan) -> None:
    """Drop the roles unless something on the server depends on them: a database that an older program serves."""
    for name in _existing_roles(connection, plan):
        with suppress(*_LOST_RACE, errors.DependentObjectsStillExist, errors.InsufficientPrivilege):
            _run(connection, "drop role if exists {}", sql.Identifier(name))


def _existing_roles(connection: Connection, plan: Plan) -> dict[str, bool]:
    """Return the plan's roles that exist, each with whether this user can take it on."""
    return dict(_rows_about(connection, _ROLES, plan))


def _members_without(connection: Connection, former: str, present: str) -> list[str]:
    """Return the members of a former role that are not members of the present one."""
    return [name for (name,) in connection.execute(_MEMBERS_WITHOUT, (former, present)).fetchall()]


def _rows_about(connection: Connection, query: str, plan: Plan) -> list[Row]:
    """Return the rows of a query about a plan."""
    how = "set" if connection.info.server_version >= _FIRST_VERSION_WITH_SET else "member"
    names = {"agent": plan.agent, "viewer": plan.viewer, "base": plan.base}
    names |= {"policy": f"{plan.program}_agents", "everyone": f"{plan.program}_everyone"}
    lists = {"roles": [plan.agent, plan.viewer], "tables": list(_GUARDED_TABLES)}
    given = {**names, **lists, "made": plan.made, "how": how, "login": plan.distributed, "narrowed": _NARROWED}
    return connection.execute(query, given).fetchall()


def _run(connection: Connection, text: str, *parts: sql.Composable) -> None:
    connection.execute(sql.SQL(text).format(*parts))
