"""Prepares a PostgreSQL database for agents' SQL: two roles, a schema of views, and row-level security.

All of it has names that begin with the program's. A database that was prepared under its former name is prepared anew,
if this user may, and the former schema and policies go in the same transaction; otherwise the former ones go on being
used. Roles belong to the whole server, and an older program may serve another database with them: they are not renamed,
but made anew, and the former ones are dropped when nothing on the server depends on them any more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

import psycopg
from psycopg import errors, sql

from wherefrom.former_name import FORMER, NAME
from wherefrom.model.errors import StoreUnavailable
from wherefrom.storage.agent.port import MAX_PATTERN_CHARACTERS
from wherefrom.storage.agent.tables import definitions
from wherefrom.storage.port import Row
from wherefrom.storage.sql import blocks, render, statements_of

Connection = psycopg.Connection[Row]

# One number for all processes, also those of the former name: whoever holds it makes the schema, the others wait.
_LOCK: Final = 0x5265636F6C6D
_LOCK_TIMEOUT: Final = "10s"
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
where n.nspname = %(agent)s and obj_description(n.oid, 'pg_namespace') = %(made)s
  and pg_has_role(current_user, a.oid, %(how)s) and has_schema_privilege(a.oid, n.oid, 'usage')
  and not exists (select 1 from pg_class c where c.relnamespace = n.oid and c.relkind = 'v' and c.relowner <> v.oid)
  and cardinality(%(tables)s::text[]) = (
    select count(*) from pg_policy p join pg_class c on c.oid = p.polrelid
    where c.relnamespace = to_regnamespace(%(base)s) and c.relrowsecurity
      and p.polname = %(policy)s and p.polroles = array[v.oid] and not p.polpermissive)
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
_MEMBERS_WITHOUT: Final = """
select distinct m.rolname from pg_auth_members g
join pg_roles r on r.oid = g.roleid join pg_roles m on m.oid = g.member
where r.rolname = %s and not exists (
  select 1 from pg_roles p where p.rolname = %s and pg_has_role(m.oid, p.oid, 'member'))
"""


def _refusing(name: str, kind: str, condition: str, message: str, error: str = "program_limit_exceeded") -> str:
    """Return the definition of a function that returns its argument, or fails on this condition."""
    return f"""
create or replace function {NAME}_agent.{name}(value {kind}) returns {kind}
language plpgsql immutable strict parallel safe as $body$
begin
  if {condition} then
    raise exception '{message}' using errcode = '{error}';
  end if;
  return value;
end $body$;
"""


def _passing(name: str, *kinds: str) -> str:
    """Return the definitions of functions that return their argument: they are inlined and cost nothing."""
    return "".join(
        f"create or replace function {NAME}_agent.{name}(value {kind}) returns {kind}\n"
        "language sql immutable parallel safe as $body$ select value $body$;\n"
        for kind in kinds
    )


_TOO_BIG: Final = "string or blob too big"
FUNCTIONS_SQL: Final = (
    _refusing("bounded", "text", "octet_length(value) > 100000", _TOO_BIG)
    + _refusing(
        "bounded_step",
        "anyelement",
        "pg_column_size(value) > 2000",
        f"{_TOO_BIG}: at most 2000 bytes in a column of a recursive query",
    )
    + _refusing(
        "pattern",
        "text",
        f"length(value) > {MAX_PATTERN_CHARACTERS}",
        f"pattern too long: at most {MAX_PATTERN_CHARACTERS} characters",
    )
    # PostgreSQL keeps every time zone that a text names for ever, 23 kB each.
    + _refusing(
        "plain_time",
        "text",
        "value !~ '^[-+0-9:. TZ]{1,40}$'",
        "not a date or time: digits, - : . T and Z only",
        "invalid_datetime_format",
    )
    # Only numeric grows without bound: 1e131000 takes a few bytes, and 1e131000 - 1 has 131,000 digits.
    + _refusing(
        "bounded_number",
        "numeric",
        "pg_column_size(value) > 256 or scale(value) > 500 or (abs(value) > 1e500 and abs(value) < 'Infinity')",
        "number too big",
    )
    + _passing("plain_time", "date", "timestamp", "timestamptz")
    + _passing("bounded_number", "smallint", "integer", "bigint", "real", "double precision", "interval")
    + _passing("bounded_json", "jsonb")
    + f"""
create or replace function {NAME}_agent.bounded_replace(value text, old text, new text) returns text
language plpgsql immutable strict parallel safe as $body$
begin
  if octet_length(value) > 100000 or length(old) > {MAX_PATTERN_CHARACTERS} or (old <> '' and
     octet_length(value) + (length(value) - length(replace(value, old, ''))) / length(old)
       * (octet_length(new) - octet_length(old))::bigint > 100000) then
    raise exception '{_TOO_BIG}' using errcode = 'program_limit_exceeded';
  end if;
  return replace(value, old, new);
end $body$;

create or replace function {NAME}_agent.bounded_agg_step(state text, value text, separator text) returns text
language plpgsql immutable parallel safe as $body$
begin
  if value is null then
    return state;
  elsif octet_length(value) + coalesce(octet_length(state), 0) + coalesce(octet_length(separator), 0) > 100000 then
    raise exception '{_TOO_BIG}' using errcode = 'program_limit_exceeded';
  elsif state is null then
    return value;
  end if;
  return concat(state, separator, value);
end $body$;

create or replace aggregate {NAME}_agent.bounded_agg(text, text)
  (sfunc = {NAME}_agent.bounded_agg_step, stype = text, parallel = safe);

create or replace function {NAME}_agent.tick(value anyelement) returns anyelement
language plpgsql immutable parallel safe as $body$ begin return value; end $body$;

create or replace function {NAME}_agent.bounded_json(value text) returns text
language plpgsql immutable strict parallel safe as $body$
begin
  if octet_length(value) > 20000 then
    raise exception 'JSON too big: at most 20000 bytes' using errcode = 'program_limit_exceeded';
  end if;
  -- Each such number is written out with all its digits.
  if value ~* '[0-9]e[+-]?[0-9]{{3}}' and
     regexp_replace(replace(replace(value, repeat(chr(92), 2), ''), chr(92) || '"', ''), '"[^"]*"', '', 'g')
       ~* '[0-9]e[+-]?[0-9]{{3}}' then
    raise exception 'JSON with a number too big' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $body$;
"""
)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is made for agents' SQL in a database, under the program's present or its former name.

    base: the schema of the store. script: makes the schema and its functions. views: the SELECT of each view. secret:
    signs the scope of a transaction; empty until the database is prepared.
    """

    program: str
    base: str
    script: str
    views: Mapping[str, str]
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
        parts = [self.script, self.base, self.views, sorted(_BARRIERS)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def prepared(connection: Connection, analyses: Mapping[str, str]) -> Plan:
    """Make what is missing, under the present names if this user may, and return the plan that the database follows."""
    [(base,)] = connection.execute("select coalesce(quote_ident(current_schema()), 'public')").fetchall()
    plan = _chosen(connection, _plan(NAME, base, analyses), _plan(FORMER, base, analyses))
    [(secret,)] = connection.execute("select secret from agent_secrets").fetchall()
    return replace(plan, secret=secret)


def is_ready(connection: Connection, plan: Plan) -> bool:
    """Return True if everything is there, and this user may use it."""
    return bool(_rows_about(connection, _READY, plan))


def _plan(program: str, base: str, analyses: Mapping[str, str]) -> Plan:
    fragments = {**blocks("agent/queries/postgres").fragments, "base": base}
    script = render(blocks("agent/queries/postgres").names["setup"], fragments) + FUNCTIONS_SQL
    views = definitions("postgres", {"base": base})
    renamed = {name: select.replace(NAME, program) for name, select in views.items()}
    return Plan(program, base, script.replace(NAME, program), {**renamed, **analyses})


def _chosen(connection: Connection, present: Plan, former: Plan) -> Plan:
    if is_ready(connection, present):
        return present
    usable = is_ready(connection, former)
    if usable and _rows_about(connection, _MAY_MAKE, present) != [(True,)]:
        return former
    try:
        _make_roles(connection, present)
        _carry_members(connection, former, present)
        if _make(connection, present, former):
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
        for name, select in plan.views.items():
            view = sql.Identifier(plan.agent, name)
            barrier = sql.SQL("with (security_barrier) " if name in _BARRIERS else "")
            _run(connection, "create view {} {}as {}", view, barrier, sql.SQL(select))
            _run(connection, "alter view {} owner to {}", view, viewer)
            _run(connection, "grant select on {} to {}", view, agent)
        _run(connection, "comment on schema {} is {}", agent, sql.Literal(plan.made))
        return former is not None and _drop_former(connection, former, plan)


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
    names = {"agent": plan.agent, "viewer": plan.viewer, "policy": f"{plan.program}_agents", "base": plan.base}
    lists = {"roles": [plan.agent, plan.viewer], "tables": list(_GUARDED_TABLES)}
    return connection.execute(query, {**names, **lists, "made": plan.made, "how": how}).fetchall()


def _run(connection: Connection, text: str, *parts: sql.Composable) -> None:
    connection.execute(sql.SQL(text).format(*parts))
