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
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Final

import psycopg
from psycopg import errors, sql

from wherefrom.former_name import FORMER, NAME
from wherefrom.model.errors import StoreUnavailable
from wherefrom.storage.agent.postgres_guard import FUNCTIONS_SQL
from wherefrom.storage.agent.tables import Words, definitions
from wherefrom.storage.port import Row

Connection = psycopg.Connection[Row]

# One number for all processes, also those of the former name: whoever holds it makes the schema, the others wait.
_LOCK: Final = 0x5265636F6C6D
_LOCK_TIMEOUT: Final = "10s"
_ROLES: Final = 2
_TABLES: Final = ("nodes", "edges", "tasks", "queries", "embeddings")
# Until then whoever is a member of a role can take it on.
_SET_SINCE: Final = 160_000
# Another process did it at the same time.
_DONE: Final = (errors.DuplicateObject, errors.UniqueViolation, errors.InternalError_, errors.SerializationFailure)
# Whose rows are limited by a join, not by row-level security alone: no condition of a statement's may come before it,
# or it would tell of hidden rows by failing. `queries` did; `embeddings` has the same shape, but was not seen to.
_BARRIERS: Final = frozenset(("queries", "embeddings"))
_WORDS: Final[Words] = {
    "joins": "left join {{table nodes}} c on c.owner_id = e.owner_id and c.id = e.target_id",
    "claim": "c.{0}",
    "visible": "true",
    "visible_edge": "true",
    "field": "(cast({0}.metadata as jsonb) ->> '{1}')",
    "number": "cast(cast({0}.metadata as jsonb) ->> '{1}' as integer)",
    "json": "(cast({0}.metadata as jsonb) -> '{1}')",
    "whole": "cast({0}.metadata as jsonb)",
    "vector": "cast({0}.vector as text)",
    "now": "(select wherefrom_agent.scope_text('now'))",
    # A subquery is run once; the function would be called for every row.
    "year": "(select cast(left(wherefrom_agent.scope_text('now'), 4) as integer))",
}
# Whether everything is there as we make it, and this user may take on the role. A dump that is restored where the roles
# are not there has the schema with its comment, and neither the rights nor the policies.
_READY: Final = """
select true from pg_namespace n
join pg_roles a on a.rolname = %(agent)s
join pg_roles v on v.rolname = %(views)s
where n.nspname = %(agent)s and obj_description(n.oid, 'pg_namespace') = %(made)s
  and pg_has_role(current_user, a.oid, %(how)s) and has_schema_privilege(a.oid, n.oid, 'usage')
  and not exists (select 1 from pg_class c where c.relnamespace = n.oid and c.relkind = 'v' and c.relowner <> v.oid)
  and %(tables)s = (
    select count(*) from pg_policy p join pg_class c on c.oid = p.polrelid
    where c.relnamespace = to_regnamespace(%(base)s) and c.relrowsecurity
      and p.polname = %(policy)s and p.polroles = array[v.oid] and not p.polpermissive)
"""
_MAY_MAKE: Final = """
select has_database_privilege(current_database(), 'create')
  and (select bool_and(pg_has_role(current_user, c.relowner, 'usage')) from pg_class c
       where c.relnamespace = to_regnamespace(%(base)s) and c.relname = any(%(tables)s))
  and ((select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
       or %(both)s = (select count(*) from pg_roles r where r.rolname = any(%(roles)s)
               and pg_has_role(current_user, r.oid, %(how)s)))
"""
_MEMBERS_WITHOUT: Final = """
select distinct m.rolname from pg_auth_members g
join pg_roles r on r.oid = g.roleid join pg_roles m on m.oid = g.member
where r.rolname = %(former)s and not exists (
  select 1 from pg_roles p where p.rolname = %(present)s and pg_has_role(m.oid, p.oid, 'member'))
"""


@dataclass(frozen=True, slots=True)
class Names:
    """What the roles, the schema, the policies and the setting of agents' SQL begin with."""

    program: str

    @property
    def agent(self) -> str:
        """The role that statements run as, and the schema of what it may read."""
        return f"{self.program}_agent"

    @property
    def views(self) -> str:
        """The role that owns the views."""
        return f"{self.program}_views"

    @property
    def scope(self) -> str:
        """The setting that says what a transaction may see."""
        return f"{self.program}.scope"

    def given_to(self, text: str) -> str:
        """A text of ours with these names."""
        return text.replace(NAME, self.program)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is made in a database, under the present or the former names."""

    names: Names
    base: str
    script: str
    functions: str
    views: Mapping[str, str]

    @property
    def made(self) -> str:
        """What the schema's comment says once it is made so."""
        parts = [self.script, self.base, self.functions, self.views, sorted(_BARRIERS)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A database in which agents' SQL can run."""

    plan: Plan
    secret: str
    """What signs scopes."""


def prepared(connection: Connection, analyses: Mapping[str, str]) -> Prepared:
    """Makes what is not there as we need it, under the present names if this user may."""
    row = connection.execute("select quote_ident(current_schema())").fetchone()
    base = str(row[0]) if row else "public"
    plan = _chosen(connection, _plan(Names(NAME), base, analyses), _plan(Names(FORMER), base, analyses))
    secret = connection.execute("select secret from agent_secrets").fetchone()
    assert secret is not None
    return Prepared(plan, str(secret[0]))


def is_ready(connection: Connection, plan: Plan) -> bool:
    """Whether everything is there, and this user may use it."""
    names = plan.names
    given = {"agent": names.agent, "views": names.views, "policy": f"{names.program}_agents", "tables": len(_TABLES)}
    given |= {"made": plan.made, "base": plan.base, "how": _how(connection)}
    return connection.execute(_READY, given).fetchone() is not None


def _plan(names: Names, base: str, analyses: Mapping[str, str]) -> Plan:
    script = files("wherefrom.storage.agent").joinpath("postgres_setup.sql").read_text(encoding="utf-8")
    words = {word: names.given_to(text) for word, text in _WORDS.items()}
    views = {**definitions({**words, "table": base + ".{0}"}), **analyses}
    return Plan(names, base, names.given_to(script), names.given_to(FUNCTIONS_SQL), views)


def _chosen(connection: Connection, present: Plan, former: Plan) -> Plan:
    if is_ready(connection, present):
        return present
    usable = is_ready(connection, former)
    if usable and not _may_make(connection, present):
        return former
    try:
        _make_roles(connection, present.names)
        _carry_members(connection, former.names, present.names)
        if _make(connection, present, former):
            _drop_roles(connection, former.names)
        return present
    except errors.InsufficientPrivilege as error:
        refused = error
    if usable:
        return former
    with suppress(errors.InsufficientPrivilege):
        if len(_held(connection, former.names)) == _ROLES:
            _make(connection, former)
            return former
    raise _unprepared(refused) from None


def _make(connection: Connection, plan: Plan, former: Plan | None = None) -> bool:
    """Make everything in one transaction: what agents may see changes at one moment. True if the former is gone."""
    with connection.transaction():
        connection.execute("select set_config('lock_timeout', %s, true)", (_LOCK_TIMEOUT,))
        connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        if is_ready(connection, plan):
            return False
        connection.execute(Template(plan.script).substitute(base=plan.base))
        connection.execute(plan.functions)
        _make_views(connection, plan)
        comment = sql.SQL("comment on schema {} is {}")
        connection.execute(comment.format(sql.Identifier(plan.names.agent), sql.Literal(plan.made)))
        return former is not None and _retire(connection, former, plan)


def _make_views(connection: Connection, plan: Plan) -> None:
    agent, owner = sql.Identifier(plan.names.agent), sql.Identifier(plan.names.views)
    connection.execute(sql.SQL("set local search_path = {}").format(agent))
    for name, select in plan.views.items():
        view = sql.Identifier(plan.names.agent, name)
        how = sql.SQL("with (security_barrier) " if name in _BARRIERS else "")
        connection.execute(sql.SQL("create view {} {}as ").format(view, how) + sql.SQL(select))
        connection.execute(sql.SQL("alter view {} owner to {}").format(view, owner))
        connection.execute(sql.SQL("grant select on {} to {}").format(view, agent))


def _retire(connection: Connection, former: Plan, present: Plan) -> bool:
    """Drop what was made under the former names, unless somebody needs it who cannot use the present ones.

    All of it or nothing: without the policies, the role that owns the views would see every row.
    """
    if _without(connection, former.names.agent, present.names.agent):
        return False
    role, tables = sql.Identifier(former.names.views), [sql.SQL(f"{former.base}.{name}") for name in _TABLES]
    every = sql.SQL(", ").join([*tables, sql.SQL(f"{former.base}.embedding_models")])
    try:
        with connection.transaction():
            if former.names.views in _there(connection, former.names):
                connection.execute(sql.SQL("revoke all on {} from {}").format(every, role))
                schema = sql.SQL(former.base)
                connection.execute(sql.SQL("revoke all on schema {} from {}").format(schema, role))
            connection.execute(sql.SQL("drop schema if exists {} cascade").format(sql.Identifier(former.names.agent)))
            for policy in ("agents", "everyone"):
                name = sql.Identifier(f"{former.names.program}_{policy}")
                for table in tables:
                    connection.execute(sql.SQL("drop policy if exists {} on {}").format(name, table))
    except errors.InsufficientPrivilege:
        return False
    return True


def _make_roles(connection: Connection, names: Names) -> None:
    """Roles belong to the whole server: another database may have made them already, or be doing so."""
    held, there = _held(connection, names), _there(connection, names)
    for name in (names.agent, names.views):
        role = sql.Identifier(name)
        if name in held:
            continue
        if name not in there:
            with suppress(*_DONE):
                connection.execute(sql.SQL("create role {} nologin").format(role))
        with suppress(*_DONE):
            connection.execute(sql.SQL("grant {} to current_user").format(role))


def _carry_members(connection: Connection, former: Names, present: Names) -> None:
    """Whoever an administrator let use the former roles may use the present ones."""
    for old, new in ((former.agent, present.agent), (former.views, present.views)):
        for member in _without(connection, old, new):
            grant = sql.SQL("grant {} to {}").format(sql.Identifier(new), sql.Identifier(member))
            with suppress(*_DONE, errors.InsufficientPrivilege):
                connection.execute(grant)


def _drop_roles(connection: Connection, names: Names) -> None:
    """Drop the roles unless something on the server depends on them: a database that an older program serves."""
    for name in _there(connection, names):
        with suppress(*_DONE, errors.DependentObjectsStillExist, errors.InsufficientPrivilege):
            connection.execute(sql.SQL("drop role if exists {}").format(sql.Identifier(name)))


def _held(connection: Connection, names: Names) -> set[str]:
    """Those of the roles that this user can take on."""
    query = "select rolname from pg_roles where rolname = any(%s) and pg_has_role(current_user, oid, %s)"
    rows = connection.execute(query, ([names.agent, names.views], _how(connection))).fetchall()
    return {name for (name,) in rows}


def _there(connection: Connection, names: Names) -> set[str]:
    query = "select rolname from pg_roles where rolname = any(%s)"
    return {name for (name,) in connection.execute(query, ([names.agent, names.views],)).fetchall()}


def _without(connection: Connection, former: str, present: str) -> list[str]:
    """The members of a role that are not members of another."""
    rows = connection.execute(_MEMBERS_WITHOUT, {"former": former, "present": present}).fetchall()
    return [name for (name,) in rows]


def _may_make(connection: Connection, plan: Plan) -> bool:
    roles = [plan.names.agent, plan.names.views]
    given = {"base": plan.base, "tables": list(_TABLES), "roles": roles, "both": _ROLES, "how": _how(connection)}
    return connection.execute(_MAY_MAKE, given).fetchone() == (True,)


def _how(connection: Connection) -> str:
    return "set" if connection.info.server_version >= _SET_SINCE else "member"


def _unprepared(error: errors.InsufficientPrivilege) -> StoreUnavailable:
    return StoreUnavailable(
        f"PostgreSQL does not let this user prepare SQL for agents: {error.diag.message_primary}",
        hint="an administrator can: create role wherefrom_agent nologin; create role wherefrom_views nologin;"
        " grant wherefrom_agent, wherefrom_views to the user that owns the tables",
    )
