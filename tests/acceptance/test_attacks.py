"""Attacks on `query_graph`: nothing hidden is told, nothing is written, and every statement ends within its budget."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from attacks_for_tests import MARKER, ROOT, SEEN, Stand, Store, fill, forget_peak, peak_kib
from talking_for_tests import talk

from wherefrom import InvalidInput, Memory
from wherefrom.explore.views import all_rendered
from wherefrom.storage.agent.port import Budget, SqlFailed, Statement
from wherefrom.storage.agent.sqlite import _Connection

SLACK_MS = 300
BUSY_MS = 1_000  # when other tests use the other core
ATTEMPTS = 3  # for one that waited for a core all the same
GROWTH_KIB = 100 * 1024
BACKEND_KIB = 250 * 1024
PLACES = len(SEEN)
COUNTS = {
    "claims": 2 * PLACES,
    "fragments": 2 * PLACES,
    "pages": 2 * PLACES,
    "memos": PLACES,
    "entities": PLACES,
    "tasks": PLACES,
    "queries": PLACES,
    "evidence": 3 * PLACES,
    "embeddings": 6 * PLACES,
}
MARK = "'zq' || 'mark'"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def dialect(request):
    return request.param


@pytest.fixture(scope="module")
def store(dialect, tmp_path_factory, request):
    if dialect == "sqlite":
        return fill(str(tmp_path_factory.mktemp("store") / "memory.db"))
    return fill(request.getfixturevalue("postgres_database")())


@pytest.fixture(scope="module")
def attacker(store):
    with store.open() as memory:
        assert memory.query_graph("select 1").ok
        yield memory


@pytest.fixture(scope="module")
def before(store, attacker):
    with Stand(store) as stand:
        yield stand


def attempt(store, attacker, sql, *, timeout_ms=300, **budget):
    """One attack: its answer, which tells nothing hidden, in time and without much memory; and the next works."""
    for _ in range(ATTEMPTS):
        held = forget_peak()
        begun = time.perf_counter()
        result = attacker.query_graph(sql, timeout_ms=timeout_ms, **budget)
        taken_ms = (time.perf_counter() - begun) * 1000
        assert peak_kib() - held < GROWTH_KIB
        if taken_ms < timeout_ms + SLACK_MS + BUSY_MS:
            break
    else:
        pytest.fail(f"took {taken_ms} ms instead of {timeout_ms}, and no less in all other attempts")
    told = repr(result).lower()
    assert not [secret for secret in store.secrets() if secret in told]
    assert "inner_" not in told
    following = attacker.query_graph("select count(*) from claims", timeout_ms=2_000)
    assert following.rows == ((COUNTS["claims"],),)
    return result


def refused(store, attacker, before, sql, **budget):
    """An attack that has no answer and leaves no trace."""
    try:
        result = attempt(store, attacker, sql, **budget)
    except InvalidInput:  # no text at all: NUL, lone surrogates, too long
        result = None
    assert result is None or (result.error and not result.rows), result
    assert before.kept()


def all_refused(store, attacker, before, attacks):
    """Attacks of one kind, each of which is named if it succeeds."""
    with each_named(attacks) as named:
        for sql in named:
            refused(store, attacker, before, sql)


@contextmanager
def each_named(attacks):
    """Go through attacks; a failure says with which one."""
    tried = [None]

    def one_after_another():
        for attack in attacks:
            tried[0] = attack
            yield attack

    try:
        yield one_after_another()
    except BaseException as failure:
        failure.add_note(f"the attack: {tried[0]!a}")
        raise


def lines(text):
    return text.strip("\n").split("\n")


# --- statements that do something -------------------------------------------------------------------------------------

WRITES = """
insert into claims (id) values ('x')
insert into nodes select * from nodes
insert into main.nodes default values
replace into tasks (id) values ('x')
update claims set claim_text = 'x'
update main.nodes set owner_id = 'local'
delete from claims
delete from main.edges
truncate nodes
with x as (delete from nodes returning *) select * from x
with x as (update nodes set owner_id = 'local' returning id) select * from x
with x as (select 1) insert into nodes select * from x
with x as (select 1) delete from nodes
merge into nodes using edges on true when matched then delete
select id into stolen from claims
select * from claims for update
copy nodes to '/tmp/stolen'
copy (select 1) to program 'id'
select lo_from_bytea(0, 'x')
select nextval('nodes_seq_seq')
select setval('nodes_seq_seq', 1)
create table x (a)
create temp table x as select * from claims
create temp view x as select * from nodes
create view x as select * from nodes
create trigger x after insert on nodes begin delete from nodes; end
create temp trigger x after insert on main.nodes begin delete from nodes; end
create index x on nodes (id)
create virtual table x using fts5(a)
create virtual table temp.x using dbstat
create function f() returns int language sql as 'select 1'
create role intruder superuser
create extension file_fdw
create schema x
alter table nodes rename to x
alter table nodes add column x
alter table nodes disable row level security
alter role current_user superuser
alter view claims owner to public
drop table nodes
drop view claims
drop view temp.claims
drop schema wherefrom_agent cascade
grant select on nodes to public
reindex
analyze
vacuum
comment on schema wherefrom_agent is 'x'
do 'begin delete from nodes; end'
call x()
refresh materialized view x
lock table nodes
notify x
listen x
begin
begin immediate
commit
rollback
end
savepoint x
release x
explain select * from claims
explain query plan select * from claims
explain analyze select * from claims
"""
FILES = """
attach 'stolen.db' as x
attach database ':memory:' as x
attach '' as x
attach 'file:stolen.db?mode=rwc' as x
detach temp
detach main
vacuum into 'stolen.db'
vacuum main into '/tmp/stolen.db'
select load_extension('x')
select load_extension('x', 'y')
select writefile('stolen', 'x')
select readfile('/etc/passwd')
select edit('x')
select fts3_tokenizer('x')
select * from fsdir('/')
select * from csv('/etc/passwd')
select * from zipfile('x')
select pg_read_file('/etc/passwd')
select pg_read_binary_file('/etc/passwd')
select pg_ls_dir('/')
select * from pg_ls_waldir()
select pg_stat_file('/etc/passwd')
select lo_import('/etc/passwd')
select lo_export(1, '/tmp/x')
select * from dblink('host=127.0.0.1', 'select 1') as t (a int)
select inet_server_addr()
select pg_logical_emit_message(true, 'a', 'b')
load 'auto_explain'
create server s foreign data wrapper x
select pg_sleep(5)
select sqlite_log(1, 'x')
select zeroblob(100000000)
select randomblob(100000000)
select printf('%1000000000s', 'x')
select format('%1000000000s', 'x')
select char(1000000, 2)
select repeat('x', 1000000000)
select lpad('x', 1000000000)
select * from generate_series(1, 1000000000)
select regexp_replace(repeat('a', 30), '(a+)+b', '')
select 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' regexp '(a+)+b'
select 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' ~ '(a+)+b'
select 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' similar to '(a+)+b'
select 'a' match 'b'
"""
SETTINGS = """
pragma query_only = off
pragma writable_schema = on
pragma trusted_schema = on
pragma journal_mode = delete
pragma wal_checkpoint(truncate)
pragma user_version = 5
pragma database_list
pragma table_info(nodes)
pragma temp_store = memory
pragma hard_heap_limit = 1
pragma mmap_size = 0
pragma integrity_check
pragma schema_version = 1
pragma case_sensitive_like = on
select * from pragma_database_list
select * from pragma_database_list()
select file from pragma_database_list
select * from pragma_table_info('nodes')
select * from pragma_table_list
select * from pragma_compile_options
select * from pragma_function_list
select name from pragma_table_xinfo('nodes', 'main')
select count(*) from pragma_table_list
select 1 from pragma_module_list
select 1 from claims, pragma_table_info('nodes')
set role postgres
set session authorization postgres
set wherefrom.scope = 'x'
set statement_timeout = 0
set local row_security = off
reset role
reset all
discard all
show all
show wherefrom.scope
select set_config('role', 'postgres', false)
select set_config('wherefrom.scope', '{}', false)
select set_config('statement_timeout', '0', false)
select current_setting('wherefrom.scope')
select current_setting('is_superuser')
select pg_advisory_lock(1)
select pg_try_advisory_lock(1)
select pg_terminate_backend(1)
select pg_cancel_backend(1)
select pg_reload_conf()
select pg_export_snapshot()
prepare x as select 1
execute x
deallocate all
declare c cursor for select 1
fetch all from agent
close agent
fetch 1 from agent
"""
CATALOGUES = """
select * from sqlite_master
select * from sqlite_schema
select * from main.sqlite_schema
select * from sqlite_temp_master
select * from sqlite_temp_schema
select * from temp.sqlite_master
select * from temp.sqlite_schema
select sql from temp.sqlite_temp_schema
select count(*) from sqlite_schema
select count(*) from sqlite_temp_schema
select count(*) from temp.sqlite_schema
select 1 from SQLite_Master
select * from [sqlite_schema]
select * from `sqlite_schema`
select * from "sqlite_schema"
select * from main."sqlite_master"
select * from sqlite_sequence
select * from sqlite_stat1
select * from dbstat
select * from sqlite_dbpage
select * from sqlite_stmt
select * from bytecode('select 1')
select * from tables_used('select 1')
select count(*) from dbstat
select * from pg_class
select * from pg_catalog.pg_class
select relname from "pg_class"
select * from information_schema.tables
select * from information_schema.views
select * from pg_views
select * from pg_stat_activity
select * from pg_settings
select * from pg_authid
select * from pg_stats
select * from pg_statistic
select * from pg_policies
select pg_get_viewdef('claims')
select 'nodes'::regclass
select has_table_privilege('nodes', 'select')
select wherefrom_agent.scope()
select wherefrom_agent.scope_text('owner')
select scope_text('owner')
select scope()
select asked_at()
select current_user
select sqlite_version()
select sqlite_source_id()
select sqlite_compileoption_get(1)
select version()
select * from json_each('[1]')
select * from json_tree('[1]')
select count(*) from json_each('[1]')
"""
BASE = """
select * from nodes
select * from main.nodes
select count(*) from nodes
select count(*) from main.nodes
select count(*) from main.edges
select count(*) from main.tasks
select count(*) from main.queries
select count(*) from main.embeddings
select count(*) from main.embedding_models
select count(*) from embedding_models
select 1 from main.nodes
select 1 from main.Nodes
select 1 from main."nodes"
select 1 from "main".[nodes]
select 1 from main.claims
select count(*) from main.tasks, tasks
select exists (select 1 from main.nodes)
select (select count(*) from main.nodes)
select * from main.edges
select * from main.tasks
select * from main.queries
select * from main.embeddings
select * from main.agent_secrets
select * from agent_secrets
select * from public.nodes
select * from public.agent_secrets
select * from wherefrom_agent.claims
select count(*) from public.nodes
select * from policies
select * from events
select * from names
select * from node_texts
select * from active_contexts
select * from feedback
select * from retired
select count(*) from retired
select count(*) from events
select count(*) from main.policies
select * from nodes indexed by nodes_in_order
select rowid from nodes
select owner_id from claims
select claims.owner_id from claims
select rowid from claims
select oid, _rowid_ from claims
select ctid from claims
select tableoid from claims
select xmin from claims
select claims from claims
select claims.* from claims join nodes on true
with nodes as (select * from nodes) select * from nodes
with claims as (select * from main.nodes) select * from claims
with claims as (select * from nodes) select count(*) from claims
with x as (select * from nodes) select count(*) from x
with recursive nodes as (select 1 as a union all select a + 1 from nodes, main.nodes where a < 3) select * from nodes
with inner_ as (select * from main.nodes) select * from inner_
with inner_claims as (select * from main.nodes) select * from inner_claims
with "inner_000000000000000000000000_claims" as (select * from main.nodes) select 1 from "inner_000000000000000000000000_claims"
with sqlite_schema as (select * from sqlite_schema) select * from sqlite_schema
with x as (with nodes as (select 1) select 1) select * from nodes
select * from (with nodes as (select 1 as a) select * from nodes) x, nodes
select (with nodes as (select 1) select 1), * from nodes
with pg_class as (select * from pg_class) select * from pg_class
select x.* from (select * from nodes) x
select * from claims natural join nodes
select * from claims where id in (select id from nodes)
select * from claims where exists (select 1 from nodes where owner_id = 'other')
select * from claims order by (select count(*) from nodes)
select * from claims limit (select count(*) from main.nodes)
select 1 union select count(*) from main.nodes
values ((select count(*) from main.nodes))
"""
SEVERAL = """
select 1; select 2
select 1; delete from nodes
select 1;; select 2
select 1; /* x */ delete from nodes
select 1 /* */; /* */ select 2 /*
;select 1; select 2
-- x
/* x */
;
;;;
select 1;\x0b select 2
select 1;'
select 1; pragma query_only = off
begin; delete from nodes; commit
select 1)
select 1)) as v; delete from nodes; --
select 1 from claims) as v limit 1; select * from nodes --
"""
TRICKS = """
\ufeffdelete from nodes
\ufeffselect * from nodes
select\u00a0* from nodes
select * from\u00a0nodes
select * from n\u200bodes
select * from \uff4e\uff4f\uff44\uff45\uff53
\uff53\uff45\uff4c\uff45\uff43\uff54 * from nodes
select * from ma\u0131n.nodes
select * from node\u017f
select * from U&"n\\006fdes"
select U&'\\0064elete' from nodes
select * from nodes\x00
select 1\x00; delete from nodes
select '\ud800' from nodes
sel/**/ect * from nodes
select/**/*/**/from/**/nodes
select * from/*! claims, */ nodes
select * from $$nodes$$
select * from E'nodes'
select * from 'nodes'
select * from main.'nodes'
select * from "nodes" "claims"
select * from nodes claims
select * from nodes as claims
select "nodes".* from nodes
SELECT * FROM NODES
select * from 'main'.'nodes'
select\x0c*\x0cfrom\x0cnodes
dElEtE fRoM nodes
select :x from nodes
select ?1 from nodes
select @x, $y from nodes
select * from claims where id = :id
select %s from nodes
select %(x)s
select {fn now()} from nodes
"""


def test_a_written_row_is_noticed(dialect, new_url):
    url = new_url(dialect)
    with Memory.open(url) as memory, Stand(Store(url, ())) as stand:
        assert stand.kept()
        memory.save("written")
        assert not stand.kept()


def test_nothing_is_written(store, attacker, before):
    all_refused(store, attacker, before, lines(WRITES))


def test_no_file_network_sleep_or_unbounded_function(store, attacker, before):
    all_refused(store, attacker, before, lines(FILES))


def test_no_setting_is_read_or_changed(store, attacker, before):
    all_refused(store, attacker, before, lines(SETTINGS))


def test_no_catalogue_is_read(store, attacker, before):
    all_refused(store, attacker, before, lines(CATALOGUES))


def test_no_table_of_the_store_is_reached(store, attacker, before):
    all_refused(store, attacker, before, lines(BASE))


def test_there_is_one_statement(store, attacker, before):
    all_refused(store, attacker, before, [*lines(SEVERAL), "select 1; -- x\rx\ndelete from nodes\nselect 2"])


def test_no_trick_with_characters_or_quotes_works(store, attacker, before):
    all_refused(store, attacker, before, [*lines(TRICKS), "select * from claims -- x\n, nodes"])


SHADOWS = """
with nodes as (select 1 as a) select a from nodes
with claims as (select 1 as a) select a from claims
with sqlite_schema as (select 1 as a) select a from sqlite_schema
with sqlite_schema as (select 1 as a) select count(*) from sqlite_schema
with nodes as (select 1 as a) select count(*) from nodes
with edges as (select id as a from claims) select count(*) from edges
with temp as (select 1 as a) select * from temp
with main as (select 1 as a) select count(*) from main
with wherefrom_agent as (select 1 as a) select count(*) from wherefrom_agent
with agent_secrets(secret) as (select 'x') select secret from agent_secrets
with scope as (select 'other' as owner) select owner from scope
with a as (select * from claims), claims as (select * from a) select count(*) from claims
select c.claim_text from claims as c join claims as nodes on nodes.id = c.id
select "sqlite_schema".id from claims as "sqlite_schema"
select tasks.id from claims as tasks
select 'nodes', 'main.nodes', 'sqlite_schema' from claims
select * from claims /* /* */ , nodes -- */
"""


@pytest.mark.parametrize("sql", lines(SHADOWS))
def test_a_name_of_ones_own_shows_nothing_else(store, attacker, before, sql):
    attempt(store, attacker, sql)
    assert before.kept()


# --- rows of others ---------------------------------------------------------------------------------------------------

ROUTES = """
select count(*) from {}
select count(*) from {} where 1 = 1 or 1 = 1
select count(*) from (select * from {}) x
select count(*) from (select * from {} union all select * from {} where 1 = 0) x
select max(n) from (select row_number() over (order by 1) as n from {}) x
select count(*) over () from {} limit 1
select sum(1) from {}
with x as (select * from {}) select count(*) from x
with recursive x(n) as (select 1 union all select n + 1 from x where n < 3) select count(*) / 3 from x, {}
select count(*) from {} a left join clock b on 1 = 1
select count(*) from clock b left join {} a on 1 = 1
select (select count(*) from {})
select count(*) from {} where exists (select 1 from {})
"""


@pytest.mark.parametrize("table", COUNTS)
def test_counts_are_of_what_is_seen(store, attacker, table):
    with each_named(route.replace("{}", table) for route in lines(ROUTES)) as named:
        for sql in named:
            result = attempt(store, attacker, sql, timeout_ms=2_000)
            assert result.error is None
            assert result.rows == ((COUNTS[table],),)


def shapes(attacker):
    return {shape.name: shape.columns for shape in attacker.query_graph("select 1", include_schema=True).schema}


def test_every_column_of_every_table_shows_nothing_hidden(store, attacker):
    for table, columns in shapes(attacker).items():
        for sql in (
            f"select * from {table}",
            f"select {', '.join(f'{column} as c{at}' for at, column in enumerate(columns))} from {table}",
            f"select min(cast({columns[0]} as text)), max(cast({columns[0]} as text)) from {table}",
            f"select * from claims c left join {table} t on 1 = 1",
            f"select * from {table} t left join pages p on p.title like '%' or p.id = 'x'",
        ):
            assert attempt(store, attacker, sql, limit=200, timeout_ms=2_000, max_vm_steps=50_000_000).ok, sql


def test_hidden_ids_find_nothing(store, attacker):
    wanted = ", ".join(f"'{each}'" for each in store.hidden_ids)
    for sql in (
        *(f"select id from {table} where id in ({wanted})" for table in ("claims", "pages", "tasks", "memos")),
        f"select id from fragments where id in ({wanted}) or page_id in ({wanted})",
        f"select id from queries where task_id in ({wanted})",
        f"select id from edges where source_id in ({wanted}) or target_id in ({wanted})",
        f"select target_id from embeddings where target_id in ({wanted})",
        f"select claim_text from evidence where claim_id in ({wanted}) or page_id in ({wanted})",
        f"select * from claims c join pages p on p.id in ({wanted})",
        f"select p.id from fragments f left join pages p on p.id in ({wanted}) where p.id is not null",
    ):
        result = attacker.query_graph(sql, timeout_ms=2_000)
        assert (result.error, result.rows) == (None, ()), sql


def test_links_into_hidden_places_are_not_there(store, attacker):
    sql = "select count(*) from edges e where not exists (select 1 from {} n where n.id = e.{}_id) and e.{}_type = '{}'"
    for end in ("source", "target"):
        for table, kind in (("claims", "claim"), ("fragments", "fragment"), ("pages", "page"), ("memos", "memo")):
            assert attempt(store, attacker, sql.format(table, end, end, kind)).rows == ((0,),)


FAILING = {
    "sqlite": [
        "json_extract('no json', '$')",
        "abs(-9223372036854775807 - 1)",
        "'x' like replace('aaaaaaaaaaaaaaaaaaaa', 'a', 'aaaaaaaaaaaaaaaaaaaaaaaa')",
        "instr('x', replace('aaaaaaaaaaaaaaaaaaaa', 'a', 'aaaaaaaaaaaaaaaaaaaaaaaa'))",
        "instr(cast(x'80' as text), 'x')",
    ],
    "postgres": ["cast(cast({} as text) as integer)", "1 / cast(length(cast({} as text)) * 0 as integer)"],
}


def test_no_error_tells_of_a_hidden_row(store, attacker):
    """Conditions that fail at a hidden row, on every column: a database may try them before ours."""
    wanted = ", ".join(f"'{each}'" for each in store.hidden_ids)
    failing = FAILING[store.dialect]
    for table, columns in shapes(attacker).items():
        for at, column in enumerate(columns):
            text = f"cast({column} as text)"
            hidden = f"({text} like '%' || {MARK} || '%' or {text} in ({wanted}))"
            fails = failing[at % len(failing)].replace("{}", column)
            sql = f"select 1 from {table} where case when {hidden} then {fails} else 1 end = 1"
            result = attacker.query_graph(sql, timeout_ms=2_000)
            assert result.ok, (table, column, result.error)


@pytest.mark.parametrize(
    "sql",
    [
        "select id from tasks where case when id in ({}) then {fails} else 1 end = 1 order by id",
        "select id from claims where id > '' and case when id in ({}) then {fails} else 1 end = 1 order by id",
        "select id from fragments where page_id > '' and case when page_id in ({}) then {fails} else 1 end = 1 order by page_id, position",
        "select id from claims where task_id > '' and case when task_id in ({}) then {fails} else 1 end = 1",
        "select id from edges where target_id > '' and case when target_id in ({}) then {fails} else 1 end = 1 order by target_id",
        "select id from edges where updated_at > '' and case when source_id in ({}) then {fails} else 1 end = 1 order by updated_at",
        "select q.id from queries q join tasks t on t.id = q.task_id where case when q.task_id in ({}) then {fails} else 1 end = 1",
        "select c.id from claims c left join tasks t on t.id > '' and case when t.id in ({}) then {fails} else 1 end = 1",
    ],
)
def test_no_error_tells_of_a_hidden_row_through_an_index(store, attacker, sql):
    fails = "json_extract('no json', '$')" if store.dialect == "sqlite" else "cast('x' || this.id as integer)"
    table = sql.split(" from ")[1].split()[0]
    fails = fails.replace(
        "this.id", f"{sql.split('.')[0].split()[-1]}.id" if "." in sql.split(" from ")[0] else f"{table}.id"
    )
    wanted = ", ".join(f"'{each}'" for each in store.hidden_ids)
    result = attacker.query_graph(sql.replace("{}", wanted).replace("{fails}", fails), timeout_ms=2_000)
    assert result.ok, result.error


def test_an_error_still_tells_of_rows_that_are_seen(store, attacker):
    fails = "json_extract(claim_text, '$')" if store.dialect == "sqlite" else "cast(claim_text as integer)"
    for _ in range(3):
        result = attempt(store, attacker, f"select {fails} from claims")
        assert "JSON" in result.error or "seen" in result.error


def test_content_hashes_and_vectors_of_hidden_rows_stay_hidden(store, attacker, execute):
    """Of the same owner, too: what limits `embeddings` is a join."""
    rows = execute(store.url, f"select content_hash from nodes where content like '%{MARKER}%'")
    hashes = {row[0] for row in rows}
    assert len(hashes) > 20
    listed = ", ".join(f"'{each}'" for each in sorted(hashes)[:100])
    fails = "json_extract('x', '$')" if store.dialect == "sqlite" else "cast(content_hash as integer)"
    for table, column in (("embeddings", "content_hash"), ("fragments", "text_hash")):
        sql = f"select 1 from {table} where case when {column} in ({listed}) then {fails.replace('content_hash', column)} else 1 end = 1"
        result = attacker.query_graph(sql, timeout_ms=2_000)
        assert result.ok, result.error
    seen = attacker.query_graph("select content_hash from embeddings union select text_hash from fragments", limit=200)
    assert not hashes & {row[0] for row in seen.rows}


def test_the_name_of_an_inner_view_is_not_told_and_opens_nothing(store, attacker):
    """It was told when rows of `clock` were counted; a CTE of that name then read every table."""
    for sql in (
        "select count(*) from claims a left join clock b on 1 = 1",
        "select count(*) from clock a left join tasks b on 1 = 1",
        "select 1 from clock, clock c, clock d",
        "select nothing from claims",
        "select id from claims, tasks",
        "select claims.nothing, tasks.id from claims natural join tasks",
    ):
        attempt(store, attacker, sql)
    if store.dialect == "sqlite":
        connection = _Connection(f"file:{store.url}?mode=ro", attacker.view.access, all_rendered(), "theirs")
        for name in (connection._inner + "x", connection._inner.upper() + "x", connection._inner + "claims"):
            for sql in (
                f"with {name} as (select content from main.nodes) select content from {name}",
                f"select * from (select content from main.nodes) {name}",
                f"select count(*) from {name}",
            ):
                with pytest.raises(SqlFailed) as failed:
                    connection.answer(Statement(sql, Budget(10, 300, 100_000, 10_000), "2026-01-01T00:00:00.000Z"))
                assert MARKER not in str(failed.value)
                assert connection._inner not in str(failed.value).lower()
        connection.close()


# --- bombs ------------------------------------------------------------------------------------------------------------

TEN = "'" + "a" * 100 + "'"
LONG = f"b(s) as (select replace(replace({TEN}, 'a', {TEN}), 'a', 'aaaaaaaaa'))"
COUNTING = "n(i) as (select 1 union all select i + 1 from n where i < 100000)"
BOMBS = {
    "recursion without end": "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
    "recursion without doubles": "with recursive n(i) as (select 1 union select i + 1 from n) select count(*) from n",
    "recursion sorted": "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n order by i desc",
    "recursion, several ways": "with recursive n(i) as (select 1 union all select i + 1 from n union all select i + 2 from n) select max(i) from n",
    "growing recursion": "with recursive n(s) as (select 'x' union all select s || s from n) select max(length(s)) from n",
    "wide recursion": f"with recursive {LONG}, n(i, s) as (select 1, s from b union select i + 1, s from n) select count(*) from n",
    "grouping": f"with recursive {COUNTING} select a.i * 7919 % 1000003, count(*) from n a, n b group by a.i * 7919 % 1000003, b.i",
    "sorting": f"with recursive {COUNTING} select a.i * 7919 % 1000003 + b.i from n a, n b order by 1",
    "windows": f"with recursive {COUNTING} select sum(i) over (order by i * 7919 % 1000003), count(*) over (order by -i) from n",
    "distinct": f"with recursive {COUNTING} select count(distinct a.i * b.i) from n a, n b",
    "cross join": "select count(*) from " + ", ".join(f"edges e{at}" for at in range(9)),
    "cross join of subqueries": "select (select count(*) from edges a, edges b, edges c, edges d, edges f where a.weight + f.weight <> e.weight) from edges e",
    "rows that are slow each": "select (select count(*) from edges a, edges b, edges c where a.weight + c.id <> e.id + x.id) from edges e, edges x",
    "cross join without conditions": "select * from claims a, claims b, claims c, claims d, claims e, claims f order by 1 desc, 2, 3",
    "doubling": "with a0(s) as (select 'xxxxxxxxxxxxxxxx')" + "".join(f", a{at}(s) as (select s || s from a{at - 1})" for at in range(1, 25)) + " select length(s) from a24",
    "doubling of tables": "with a0(s) as (select id from claims)" + "".join(f", a{at}(s) as (select p.s from a{at - 1} p, a{at - 1} q)" for at in range(1, 15)) + " select count(*) from a14",
    "nested replace": "select length(" + "replace(" * 15 + "'a'" + ", 'a', 'aaaaaaaaaa')" * 15 + ")",
    "long in a loop": f"with recursive {LONG}, {COUNTING} select sum(length(s || i)) from b, n",
    "aggregated text": f"with recursive {COUNTING} select length(group_concat(i)) from n",
    "aggregated text, long": f"with recursive {LONG}, {COUNTING} select length(string_agg(s, s)) from b, n",
    "hexadecimal": f"with recursive {LONG}, {COUNTING} select sum(length(hex(substr(s, 1, 40000)))) from b, n",
    "instr": f"with recursive {LONG}, {COUNTING} select sum(instr(s, substr(s, 1, 45000) || 'b' || i)) from b, n",
    "instr of a pattern": f"with recursive {LONG}, {COUNTING} select sum(instr(s, substr(s, 1, 250) || 'b' || i)) from b, n",
    "strpos": f"with recursive {LONG}, {COUNTING} select sum(strpos(s, substr(s, 1, 45000) || 'b' || i)) from b, n",
    "trim": f"with {LONG} select length(trim(s, replace(substr(s, 1, 80000), 'a', 'b') || 'a')) from b",
    "ltrim": f"with {LONG} select length(ltrim(s, replace(substr(s, 1, 80000), 'a', 'b') || 'a')) from b",
    "rtrim in a loop": f"with recursive {LONG}, {COUNTING} select sum(length(rtrim(s, replace(substr(s, 1, 250), 'a', 'b') || 'a'))) from b, n",
    "replace with a long needle": f"with {LONG} select length(replace(s, substr(s, 1, 45000) || 'b', '')) from b",
    "replace in a loop": f"with recursive {LONG}, {COUNTING} select sum(length(replace(s, 'a', i))) from b, n",
    "like": f"with recursive {LONG}, {COUNTING} select count(*) from b, n where s || i like '{'%a_' * 80}%b'",
    "like without end": f"with recursive {LONG}, {COUNTING} select count(*) from b, n where s || i like '{'%_a' * 80}b'",
    "like of itself": f"with {LONG} select s like s from b",
    "glob": f"with recursive {LONG}, {COUNTING} select count(*) from b, n where s || i glob '{'*[a-c]?' * 30}*b'",
    "upper and lower": f"with recursive {LONG}, {COUNTING} select sum(length(upper(lower(upper(lower(s)))))) from b, n",
    "json": f"with recursive {LONG}, {COUNTING} select sum(json_extract('[' || replace(substr(s, 1, 40000), 'a', '1,') || i || ']', '$[30000]')) from b, n",
    "deep json": f"with {LONG} select json_extract(replace(substr(s, 1, 80000), 'a', '['), '$[0]') from b",
    "deep jsonb": "select cast('" + "[" * 4000 + "]" * 4000 + "' as jsonb)",
    "huge number in json": "select cast('" + "1" * 6000 + "' as jsonb)",
    "huge number": "select cast('" + "9" * 6000 + "' as numeric) * cast('" + "9" * 6000 + "' as numeric)",
    "not UTF-8": "select cast(x'80ff' as text)",
    "dates out of range": "select cast('infinity' as timestamp), date '0001-01-01' - interval '9999 years'",
    "interval": "select interval '999999999 years' * 100",
    "overflow": "select 9223372036854775807 + 1, abs(-9223372036854775807 - 1), power(10, 100000)",
    "wide answer": f"with {LONG} select {', '.join(['s'] * 100)} from b, edges",
    "parentheses": "select " + "(" * 3000 + "1" + ")" * 3000,
    "nested subqueries": "select " + "(select " * 300 + "1" + ")" * 300,
    "nested from": "select * from " + "(select * from " * 300 + "claims" + ") x" * 300,
    "nested case": "select " + "case when 1 = 1 then " * 500 + "1" + " end" * 500,
    "nested functions": "select " + "abs(" * 2000 + "1" + ")" * 2000,
    "signs": "select " + "- " * 8000 + "1",
    "nots": "select " + "not " * 4000 + "true",
    "terms": "select 1 from claims where id = 'x'" + " or id = 'x'" * 1500,
    "sum": "select " + "+".join(["1"] * 9000),
    "chained text": "select " + "||".join(["claim_text"] * 1500) + " from claims",
    "in": "select 1 from claims where id in (" + ",".join(map(str, range(3000))) + ")",
    "values": "values " + ",".join(["(1)"] * 4000),
    "unions": " union ".join(f"select {at}" for at in range(900)),
    "joins": "select count(*) from claims c0 " + " ".join(f"join claims c{at} on c{at}.id = c{at - 1}.id" for at in range(1, 60)),
    "thirty joins": "select count(*) from claims c0 " + " ".join(f"join claims c{at} on c{at}.id = c{at - 1}.id" for at in range(1, 30)),
    "left joins": "select count(*) from claims c0 " + " ".join(f"left join edges c{at} on c{at}.target_id = c0.id" for at in range(1, 30)),
    "natural joins": "select * from claims" + "".join(f" natural join claims c{at}" for at in range(30)),
    "joined views": "select count(*) from " + ", ".join(f"v_evidence_chain v{at}" for at in range(20)),
    "counted views": "select " + ", ".join(["(select count(*) from v_claim_evidence_summary)"] * 31),
    "columns": "select " + ", ".join(["*"] * 90) + " from claims, pages",
    "column names": "select " + ", ".join(f"1 as {'x' * 150}{at}" for at in range(100)),
    "comments": "select 1;" + "/**/" * 4000 + "select 2",
    "line comments": "select 1" + "--\n" * 6000,
    "open comment": "select 1 " + "/*" * 9000,
    "quotes": "select " + "'" * 9999,
    "semicolons": "select 1" + ";" * 19000,
    "too long": "select '" + "x" * 30000 + "'",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_in_time_and_in_little_memory(store, attacker, execute, name):
    try:
        attempt(store, attacker, BOMBS[name], timeout_ms=200, max_vm_steps=50_000_000, limit=200)
    except InvalidInput as error:
        assert "characters" in str(error)
    if store.dialect == "postgres":
        backends = execute(store.url, "select pid from pg_stat_activity where datname = current_database()")
        assert 0 < max(peak_kib(pid) for (pid,) in backends) < BACKEND_KIB


def test_bombs_leave_the_store_as_it_was(store, attacker, before):
    for name in ("recursion without end", "wide recursion", "wide answer", "json", "replace in a loop"):
        attempt(store, attacker, BOMBS[name], timeout_ms=100)
    assert before.kept()


@pytest.mark.parametrize("order", ["forwards", "backwards", "quoted", "nested", "two columns"])
def test_subqueries_that_double_are_not_merged(store, attacker, order):
    """SQLite's planner took 48 seconds and 4.9 GB for 24 of them; no handler is asked there."""
    quote = "'" if order == "quoted" else ""
    ctes = [f"{quote}a{at}{quote}(s) as (select s || s from {quote}a{at - 1}{quote})" for at in range(1, 25)]
    ctes = ["a0(s) as (select 'x')", *ctes]
    sql = f"with {', '.join(ctes[::-1] if order == 'backwards' else ctes)} select length(s) from a24"
    if order in ("nested", "two columns"):
        sql = "select 'x' as a, 'y' as b"
        for _ in range(18):
            sql = f"select a || {'a' if order == 'nested' else 'b'} as a, b from ({sql}) x"
    attempt(store, attacker, sql)
    if store.dialect == "sqlite":
        kept = sql.replace(" as (select s", " as materialized (select s") if "with" in sql else "select 'x' as a"
        result = attempt(store, attacker, kept)
        assert result.ok or "too big" in result.error


def test_the_text_of_every_analysis_is_accepted(store, attacker):
    for name, sql in all_rendered().items():
        result = attacker.query_graph(sql, timeout_ms=2_000, max_vm_steps=50_000_000)
        assert "too often" not in str(result.error), name


def test_the_budget_of_steps_ends_a_statement(store, attacker):
    if store.dialect == "sqlite":
        result = attempt(store, attacker, BOMBS["recursion without end"], timeout_ms=2_000, max_vm_steps=10_000)
        assert "step budget" in result.error


def test_the_whole_answer_has_one_budget(store, attacker):
    """PostgreSQL gives each fetch of a cursor the whole timeout again: 200 rows had an answer after six times as long."""
    slow = "(with recursive r(n) as (select s.i union all select n + 1 from r where n < 12000) select count(*) from r)"
    rows = "with recursive s(i) as (select 1 union all select i + 1 from s where i < 200)"
    result = attempt(store, attacker, f"{rows} select {slow} from s", limit=200, max_vm_steps=50_000_000)
    assert store.dialect == "sqlite" or "interrupted" in str(result.error)


# --- what is legitimate -----------------------------------------------------------------------------------------------

LEGITIMATE = [
    ("select count(*) from fragments where text_content like '%update%'", ((2 * PLACES // 2,),)),
    ("select 'delete from nodes; drop table x -- attach'", (("delete from nodes; drop table x -- attach",),)),
    ("select replace('a-b', '-', '+'), trim('  x '), ltrim('xxy', 'x'), rtrim('yxx', 'x')", (("a+b", "x", "y", "y"),)),
    ("select count(*) from fragments where text_content like '%記憶%'", ((PLACES,),)),
    ("select '日本語' as \"名前\"", (("日本語",),)),
    ("select 1;", ((1,),)),
    ("select 1 ; -- done", ((1,),)),
    ("/* first */ select 1 /* last */ ;  ", ((1,),)),
    ("-- first\nselect 1", ((1,),)),
    ("select id from tasks order by id limit 0", ()),
    ("select n from (select row_number() over (order by id) as n from claims) x order by n limit 2 offset 3", ((4,), (5,))),
    ("with recursive r(n) as (select 1 union all select n + 1 from r where n < 50) select sum(n) from r", ((1275,),)),
    ("with nodes as (select 7 as a) select a from nodes", ((7,),)),
    ("select count(*) from claims c join evidence e on e.claim_id = c.id join pages p on p.id = e.page_id", ((3 * PLACES,),)),
    ("select relation, count(*) from evidence group by relation order by relation", (("refutes", PLACES), ("supports", 2 * PLACES))),
    ("select max(rank) from (select rank() over (partition by page_id order by position) as rank from fragments) x", ((2,),)),
    ("select count(*) from embeddings", ((COUNTS["embeddings"],),)),
    ("select count(*) from queries where harvest_rate is not null", ((PLACES,),)),
    ("values (1, 'a')", ((1, "a"),)),
]  # fmt: skip


def test_what_is_legitimate_is_answered(store, attacker):
    with each_named(LEGITIMATE) as named:
        for sql, rows in named:
            result = attempt(store, attacker, sql, timeout_ms=2_000)
            assert (result.error, result.rows) == (None, rows)


def test_the_analyses_show_nothing_hidden(store, attacker):
    tasks = [None, *(row[0] for row in attacker.query_graph("select id from tasks").rows), store.hidden_ids[0]]
    for view in attacker.views():
        for task_id in tasks:
            told = repr(attacker.query_view(view.name, task_id=task_id, limit=200)).lower()
            assert not [each for each in store.secrets() if each in told], view.name
    for name in (
        "nodes",
        "claims; delete from nodes",
        "v_x' or 1=1 --",
        "../fragments",
        "fragments",
        "v_hub_pages.sql",
    ):
        with pytest.raises(Exception, match=r"no view|name"):
            attacker.query_view(name)


# --- state, forged scopes ---------------------------------------------------------------------------------------------


def test_no_state_survives_a_call(store, attacker, before):
    """Each of these would stay with a connection if it worked; the pool hands the same ones out again."""
    for sql in lines(SETTINGS)[-30:]:
        attacker.query_graph(sql)
    for _ in range(8):
        assert attacker.query_graph("select count(*) from memos", timeout_ms=2_000).rows == ((PLACES,),)
    assert attacker.query_graph("select count(*) from memos where title like 'TITLE%'").ok
    assert before.kept()


def test_another_access_on_the_same_store_sees_its_own(store, attacker):
    with Memory.open(store.url, owner="other", root=ROOT) as other, Memory.open(store.url, root="other") as elsewhere:
        for _ in range(3):
            for memory, name in ((other, "owner"), (elsewhere, "elsewhere")):
                rows = memory.query_graph("select title from memos").rows
                assert rows == ((f"title {MARKER} {name}",),)
            assert attacker.query_graph("select count(*) from memos", timeout_ms=2_000).rows == ((PLACES,),)


@pytest.fixture
def postgres(store, attacker):
    if store.dialect != "postgres":
        pytest.skip("SQLite has no roles")
    with psycopg.connect(store.url, autocommit=True) as connection:
        yield connection


def tables(connection):
    return [
        name for (name,) in connection.execute("select viewname from pg_views where schemaname = 'wherefrom_agent'")
    ]


def failing(connection, sql, parameters=None):
    with pytest.raises(psycopg.Error) as error:
        connection.execute(sql, parameters)
    assert MARKER not in str(error.value)
    assert "secret" not in (error.value.diag.message_primary or "").replace("agent_secrets", "")
    return str(error.value)


def signed(connection, **changed):
    """A scope as the product signs it."""
    from wherefrom.storage.agent.postgres import _signature

    (secret,) = connection.execute("select secret from agent_secrets").fetchone()
    scope = {"owner": "other", "root": ROOT, "below": f"{ROOT}/", "classes": ["internal"], "hidden": None}
    scope |= {"now": "2026-01-01T00:00:00Z", "backend": str(connection.info.backend_pid), **changed}
    body = json.dumps(scope)
    return _signature(secret, body), body


def test_without_a_scope_nothing_is_readable(postgres):
    postgres.execute("set role wherefrom_agent")
    for name in tables(postgres):
        failing(postgres, f"select * from wherefrom_agent.{name}")


@pytest.mark.parametrize(
    "scope",
    [
        "",
        "x",
        "{}",
        "0" * 64,
        "0" * 64 + "{}",
        "0" * 64 + '{"owner": "other"}',
        "\u00e9" * 64 + "{}",
        "null",
        "0" * 64 + "no json",
    ],
)
def test_a_forged_scope_opens_nothing(postgres, scope):
    postgres.execute("select set_config('wherefrom.scope', %s, false)", (scope,))
    postgres.execute("set role wherefrom_agent")
    for name in ("claims", "memos", "queries", "embeddings", "edges", "tasks"):
        assert "scope" in failing(postgres, f"select * from wherefrom_agent.{name}")


def test_a_scope_that_is_changed_or_replayed_opens_nothing(postgres, store):
    signature, body = signed(postgres)
    postgres.execute("select set_config('wherefrom.scope', %s, false)", (signature + body,))
    postgres.execute("set role wherefrom_agent")
    assert postgres.execute("select count(*) from wherefrom_agent.memos").fetchone() == (1,), "it is a good one here"
    changes = (
        signature + body.replace("internal", "pii"),
        signature + body.replace('"other"', '"local"'),
        signature + body + " ",
        signature + " " + body,
        signature.upper() + body,
    )
    for changed in changes:
        postgres.execute("select set_config('wherefrom.scope', %s, false)", (changed,))
        assert "scope" in failing(postgres, "select count(*) from wherefrom_agent.memos")
    with psycopg.connect(store.url, autocommit=True) as another:
        another.execute("select set_config('wherefrom.scope', %s, false)", (signature + body,))
        another.execute("set role wherefrom_agent")
        assert "scope" in failing(another, "select count(*) from wherefrom_agent.memos")


def test_the_role_reaches_no_table_secret_or_schema(postgres):
    base = postgres.execute("select schemaname, tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')").fetchall()  # fmt: skip
    assert ("public", "agent_secrets") in base
    signature, body = signed(postgres)
    postgres.execute("select set_config('wherefrom.scope', %s, false)", (signature + body,))
    for role in ("wherefrom_agent", "wherefrom_views"):
        postgres.execute(f"set role {role}")
        for schema, name in base:
            if role == "wherefrom_agent" or name in ("agent_secrets", "policies", "events"):
                assert "permission denied" in failing(postgres, f"select * from {schema}.{name}")
            for change in (f"delete from {schema}.{name}", f"truncate {schema}.{name}", f"alter table {schema}.{name} disable row level security"):  # fmt: skip
                assert "permission denied" in failing(postgres, change) or "owner" in failing(postgres, change)
        postgres.execute("reset role")
    postgres.execute("set role wherefrom_agent")
    for sql in (
        "create schema x",
        "create table wherefrom_agent.x (a int)",
        "create view wherefrom_agent.x as select 1",
        "create table public.x (a int)",
        "create or replace function wherefrom_agent.scope() returns jsonb language sql as $$ select '{}'::jsonb $$",
        "alter view wherefrom_agent.claims owner to wherefrom_agent",
        "drop view wherefrom_agent.claims",
        "alter role wherefrom_agent superuser",
        "select pg_read_file('/etc/passwd')",
        "copy (select 1) to program 'id'",
    ):
        message = failing(postgres, sql)
        assert any(word in message for word in ("permission denied", "must be", "not permitted")), (sql, message)


def test_a_function_of_ones_own_does_not_stand_in_for_ours(postgres):
    """search_path and temporary objects shadow nothing that the views use."""
    signature, body = signed(postgres)
    postgres.execute("select set_config('wherefrom.scope', %s, false)", (signature + body,))
    postgres.execute("create temp table agent_secrets as select 'x' as secret")
    postgres.execute("create temp table nodes as select 1 as id")
    postgres.execute("grant all on agent_secrets, nodes to public")
    postgres.execute("set role wherefrom_agent")
    postgres.execute("set search_path = pg_temp, wherefrom_agent, public")
    assert postgres.execute("select count(*) from wherefrom_agent.memos").fetchone() == (1,)


# --- many at once -----------------------------------------------------------------------------------------------------


def test_twenty_threads_attack_and_ask_at_once(store, attacker, before):
    attacks = [BOMBS["recursion without end"], BOMBS["cross join"], *lines(WRITES)[:3], *lines(BASE)[:3], BOMBS["json"]]
    wrong, start = [], threading.Barrier(20)

    def ask(number):
        start.wait()
        for at in range(6):
            if (number + at) % 2:
                told = repr(attacker.query_graph(attacks[(number + at) % len(attacks)], timeout_ms=100)).lower()
                wrong.extend(each for each in store.secrets() if each in told)
            else:
                result = attacker.query_graph("select count(*) from memos", timeout_ms=2_000)
                if result.rows != ((PLACES,),):
                    wrong.append(result)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(ask, range(20)))
    assert wrong == []
    assert before.kept()
    assert attacker.query_graph("select count(*) from memos", timeout_ms=2_000).rows == ((PLACES,),)


def test_a_slow_statement_keeps_no_other_call_waiting(store):
    async def conversation(client):
        warm = await client.call_tool("query_graph", {"sql": "select count(*) from memos"})
        assert warm.structured_content["rows"] == [{"count(*)": PLACES}] or warm.structured_content["rows"] == [
            {"count": PLACES}
        ]
        await client.call_tool("memory_list", {"limit": 1})
        options = {"timeout_ms": 2_000, "max_vm_steps": 50_000_000}
        slow = asyncio.create_task(
            client.call_tool("query_graph", {"sql": BOMBS["recursion without end"], "options": options})
        )
        await asyncio.sleep(0.1)
        begun = time.perf_counter()
        listed = await client.call_tool("memory_list", {"limit": 1})
        taken = time.perf_counter() - begun
        assert not listed.is_error
        assert not slow.done()
        assert taken < 1
        answer = (await slow).structured_content
        assert answer["ok"] is False
        assert MARKER not in json.dumps(answer)

    talk(store.url, conversation, WHEREFROM_ROOT=ROOT)
