"""The guard before an agent's SQL on PostgreSQL: what it accepts answers the same, and everything else is refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from wherefrom.model.errors import InvalidInput
from wherefrom.storage.agent.postgres_functions import FUNCTIONS_SQL
from wherefrom.storage.agent.postgres_guard import checked
from wherefrom.storage.agent.postgres_guard_expressions import ExpressionWriter
from wherefrom.storage.agent.postgres_guard_names import ARGUMENTS, ROW_FUNCTIONS
from wherefrom.storage.agent.postgres_parser import MAX_CHARACTERS

COLUMNS = {
    "claims": "id text, task_id text, claim_text text, confidence double precision, utility double precision, scope text",
    "edges": "id bigint, source_id text, target_id text, source_type text, relation text, edge_human_corrected boolean",
    "pages": "id text, paper_metadata jsonb",
    "memos": "id text",
    "clock": "this_year integer",
    "evidence": "claim_id text, year integer, nli_edge_confidence double precision",
    "many": "id integer, filler text",
}
TABLES = frozenset(COLUMNS)
ROWS = """
insert into claims values ('c1', 't1', '表;--', 0.9, 0.5, 'x'), ('c2', 't1', '記憶 abc x', 0.4, 0.05, null), ('c3', 't2', 'xx', 0.1, null, 'y');
insert into edges values (1, 'c1', 'c2', 'claim', 'supports', false), (2, 'c2', 'c3', 'claim', 'refutes', null), (3, 'c3', 'c1', 'claim', 'supports', true);
insert into pages values ('p1', '{"doi": "10.1/x", "authors": ["a", "b"], "b": {"c": "d"}}'), ('p2', null);
insert into memos values ('m1');
insert into clock values (2026);
insert into evidence values ('c1', 2020, 0.5), ('c1', 2020, 0.7), ('c2', null, 0.123);
insert into many select g, repeat('a', 50) from generate_series(1, 20000) g;
"""


@pytest.fixture(scope="module")
def connection(postgres_database: Callable[[], str]) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres_database(), autocommit=True) as opened:
        opened.execute("create schema wherefrom_agent")
        opened.execute("set search_path = wherefrom_agent")
        opened.execute(FUNCTIONS_SQL)
        for name, columns in COLUMNS.items():
            opened.execute(f"create table {name} ({columns})")
        opened.execute(ROWS)
        opened.execute("analyze")
        opened.execute("set statement_timeout = '2s'")
        yield opened


def answer(connection: psycopg.Connection[Any], sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    cursor = connection.execute(sql)
    assert cursor.description is not None
    return [column.name for column in cursor.description], cursor.fetchall()


ACCEPTED = """
select c.*, e.relation from claims c join edges e on c.id = e.source_id order by c.id
select count(*), count(distinct claim_text), sum(confidence) filter (where utility > 0.1), lower(claim_text) from claims c group by claim_text order by 4
select substring(claim_text from 2 for 3), substring(claim_text, 2), substr(claim_text, 1), position('a' in claim_text), strpos(claim_text, 'b'), trim(both 'x' from claim_text), trim(claim_text), left(claim_text, 1), mod(7, 4), 7 % 4, 2 ^ 10 from claims order by id
select coalesce(claim_text, scope), nullif(id, 'x'), greatest(1, 2), concat(id, 1), concat_ws(',', id, scope), replace(claim_text, 'x', 'yy'), replace(claim_text, '', 'y'), length(claim_text), split_part(id, 'c', 2) from claims order by id
select task_id, string_agg(claim_text, ',' order by id), string_agg(distinct id, ';' order by id), string_agg(scope, '|') from claims group by task_id order by task_id
select id, row_number() over (partition by task_id order by confidence desc nulls last rows between unbounded preceding and current row) r, lag(id, 1) over w, sum(confidence) over (order by id rows 2 preceding) from claims window w as (order by id)
select rank() over (order by confidence), ntile(2) over (order by id), first_value(id) over (order by id), count(*) filter (where confidence > 0.2) over () from claims order by id
select id::text, 5::int, 1.5::numeric(10, 2), 1::double precision, text 'x', date '2020-01-01', timestamp '2020-01-01' + interval '1 day', cast('t' as boolean) from memos
select paper_metadata->'b'->>'c', paper_metadata->>'doi', jsonb_array_length(paper_metadata->'authors'), paper_metadata->'authors'->0, '{"$.a": 1}'::jsonb->>'$.a' from pages order by id
select id || 'x', id like 'c%', id not like 'c!%' escape '!', id ilike 'C%', id in ('c1', 'c2'), id not in (select source_id from edges), confidence between 0 and 1, id not between 'a' and 'b' from claims order by id
select id is null, id is not null, scope is distinct from id, (confidence > 0) is true, id = any (select source_id from edges), id <> all (select source_id from edges), exists (select 1), not (id = 'x'), -confidence from claims order by id
with recursive r(n) as (select 1 union all select n + 1 from r where n < 20), m as materialized (select 1) select * from r limit 5 offset 2
with recursive walk(id, depth) as (select 'c1', 0 union select e.target_id, w.depth + 1 from walk w join edges e on e.source_id = w.id where w.depth < 4) select id, min(depth) as d from walk group by id order by 1
(select 1 union select 2) intersect select 2 except all select 4 order by 1 nulls first limit 1
values (1, 2), (3, 4)
select * from (values (1, 'a'), (3, 'b')) v(a, b)
select distinct on (task_id) task_id, id from claims order by task_id, id desc
select case when confidence > 0.5 then 'high' else 'low' end, case id when 'c1' then 2 end, null, 1e5, 1.5, .5 from claims order by id
select * from claims c left outer join edges e on c.id = e.source_id cross join clock natural join clock k order by c.id
select x.count from (select count(*) from claims) x
select 'update; delete -- drop /* insert */ $1 [0] {} E' as note, id as "表 名" from claims where claim_text = '表;--' or claim_text like '%記憶%' order by id
select sqrt(4), exp(1), ln(2), log(100), power(2, 3), abs(-1), ceil(1.2), floor(1.7), sign(-3), round(2.5), round(2.345, 2)
select extract(year from date '2020-02-03'), date_part('month', date '2020-02-03'), date_trunc('month', timestamp '2020-02-03')
select 'it''s', "claim_text" from Claims where Claims.ID = 'c1' -- a comment; with 'quotes
with claims as (select 1 as id) select id from claims
with a as (select id from claims), b as (with c as (select id from a) select * from c) select (select count(*) from b), id from a where id in (select id from b) order by 2
select bool_and(confidence > 0), bool_or(confidence > 0), stddev(confidence), variance(confidence), min(id), max(id) from claims;
select 2 * 3, 7 / 2, 7.0 / 2, 1.5 * 2, 3 - 1, '5' || 1, 10 % 3, -2 ^ 2, 2 * 3 + 4 * 5 - 6 / 2, 1 + 2 || 'x'
select not true or true and false, not 1 = 2, 1 < 2 and 2 < 3, (1 < 2) = true
select count(*) >= 1 and count(*) < 5 as few, upper('a') = 'A' from claims
select * from (select id from claims union all select id from memos) u order by id limit 3
select /* first */ 1 as a, 2 as b
select e.source_type, count(*) as n from edges e where e.relation in ('supports', 'refutes') and e.edge_human_corrected is not true group by e.source_type order by n desc, 1
select year / 10 * 10 as decade, count(*) as n, avg(nli_edge_confidence) from evidence where year is not null group by year / 10 * 10 having count(*) > 1 order by decade desc
"""


@pytest.mark.parametrize("sql", ACCEPTED.strip().splitlines())
def test_what_is_accepted_answers_like_the_original(connection, sql):
    assert answer(connection, checked(sql, TABLES)) == answer(connection, sql)


def test_rounding_a_float_works_as_on_sqlite(connection):
    _, rows = answer(connection, checked("select round(avg(confidence), 2) from claims", TABLES))
    assert float(rows[0][0]) == 0.47


STATEMENTS = """
delete from claims
insert into claims values (1)
update claims set id = 1
truncate claims
merge into claims using edges on true when matched then delete
create table x as select 1
create function f() returns int language sql as 'select 1'
drop table claims
alter role postgres superuser
copy claims to '/tmp/x'
copy (select 1) to program 'id'
do 'begin end'
call f()
set role postgres
reset role
show all
explain analyze select 1
prepare x as select 1
execute x
declare x cursor for select 1
listen x
lock table claims
vacuum
grant all on claims to public
begin
commit
select 1; select 2
select 1; drop table claims
select id into x from claims
select id from claims for update
select id from claims for share skip locked
with x as (delete from claims returning *) select * from x
with x as (insert into claims values (1) returning *) select * from x
with x as (update claims set id = 1 returning id) select * from x
select * from (delete from claims returning *) x
select * from (delete from claims) x
with x as (select 1) delete from claims
select
select from claims
"""
TABLES_REFUSED = """
select * from pg_class
select * from pg_catalog.pg_class
select * from information_schema.tables
select * from public.claims
select * from wherefrom_agent.claims
select * from nodes
select * from "Claims"
select * from only claims
select * from claims tablesample system (5)
with pg_class as (select * from pg_class) select * from pg_class
with pg_class as (select 1) select * from pg_class
with nodes as (select * from nodes) select * from nodes
with a as (select * from b), b as (select 1) select * from a
select (with nodes as (select 1) select 1), * from nodes
select * from (with nodes as (select 1) select 1) x, nodes
select * from (with nodes as (select 1) select * from nodes) x union select * from nodes
with x as (with nodes as (select 1) select 1) select * from nodes
select * from generate_series(1, 2)
select * from generate_series(1, 2) with ordinality
select * from claims, lateral (select 1) x
select * from claims, lateral generate_series(1, 2) x
select * from unnest(array(select 1)) x
select * from rows from (generate_series(1, 2)) x
select * from json_table('{}', '$' columns (a int)) x
select * from xmltable('/a' passing '<a/>' columns a int) x
select * from pg_ls_dir('/') x
select * from dblink('x', 'y') as t(a int)
select * from claims pivot (sum(x) for y in ('a'))
select * from claims semi join edges on true
select * from claims asof join edges on true
select * from claims@x
select * from f
"""
FUNCTIONS_REFUSED = """
set_config('wherefrom.scope', 'x', true)
pg_catalog.set_config('a', 'b', true)
"set_config"('a', 'b', true)
"SET_CONFIG"('a', 'b', true)
SeT_CoNfIg('a', 'b', true)
set_config ('a', 'b', true)
set_config/**/('a', 'b', true)
pg_catalog . set_config('a', 'b', true)
"pg_catalog"."set_config"('a', 'b', true)
current_setting('a')
pg_sleep(1)
pg_sleep_for('1 day')
pg_advisory_lock(1)
pg_try_advisory_xact_lock(1)
query_to_xml('select 1', true, true, '')
table_to_xml('claims', true, true, '')
database_to_xml(true, true, '')
cursor_to_xml('x', 1, true, true, '')
xmlelement(name x)
xmlparse(document '<a/>')
lo_import('/etc/passwd')
lo_get(1)
lo_from_bytea(0, 'x')
pg_read_file('/etc/passwd')
pg_ls_dir('/')
pg_stat_file('x')
pg_terminate_backend(1)
pg_reload_conf()
pg_notify('a', 'b')
txid_current()
nextval('x')
setval('x', 1)
version()
current_user
session_user
user
current_role
current_catalog
current_schema
current_schemas(true)
inet_server_addr()
has_table_privilege('x', 'y')
pg_get_viewdef('x')
to_regclass('x')
generate_series(1, 1000000000)
unnest('{1}')
repeat('x', 1000000000)
lpad('x', 1000000000)
rpad('x', 1000000000)
format('%1000000000s', 'x')
overlay('a' placing 'b' from 1)
translate('a', 'b', 'c')
regexp_replace('a', 'b', 'c')
regexp_matches('a', 'b')
array_agg(id)
json_agg(id)
jsonb_agg(id)
json_object_agg(id, id)
xmlagg(id)
array_fill(1, 2)
row_to_json(claims)
to_json(id)
row(1, 2)
(1, 2)
(1, 2) = (1, 2)
array[1]
array(select 1)
id[1]
('{1,2}')[1]
encode('a', 'hex')
decode('a', 'hex')
convert_from('a', 'b')
md5('a')
sha256('a')
random()
gen_random_uuid()
clock_timestamp()
timeofday()
factorial(100000)
gcd(1, 2)
to_char(1, 'x')
to_tsvector('a')
ts_stat('select 1')
percentile_cont(0.5) within group (order by confidence)
lag(id) ignore nulls over (order by id)
grouping(id)
bounded('x')
wherefrom_agent.bounded('x')
chr(92)
ascii('a')
any_value(id)
sum(*)
count()
count(id, id)
lower(id, id)
lower(distinct id)
sum(variadic id)
lower(x => id)
lower(x := id)
"""
EXPRESSIONS_REFUSED = """
id ~ 'x'
id ~* 'x'
id !~ 'x'
id similar to 'x'
id not similar to 'x'
substring(id similar 'a' escape 'b')
substring(id from 'a' for '#')
id operator(pg_catalog.+) 1
id operator(pg_catalog.~) 'x'
1 & 2
1 | 2
1 # 2
~ 1
1 << 2
|/ 4
@ 4
4 !
id ^@ 'a'
id @@ 'a'
id <-> 'a'
paper_metadata #> '{a}'
paper_metadata @> '{}'
paper_metadata ? 'a'
id collate "C"
now() at time zone 'utc'
1 between symmetric 2 and 3
1 < 2 < 3
'claims'::regclass
'a'::regproc
'a'::xml
'1'::money
'a'::bytea
'a'::text[]
'a'::oid
'a'::pg_catalog.text
'a'::"char"
'a'::char(1000000)
'a'::varchar(5)
'a'::bit(5)
'a'::int4range
'a'::tsvector
'a'::name
'a'::cstring
'a'::claims
'a'::record
'a'::interval
'a'::text collate "C"
1::numeric(1000, 2)
regclass 'claims'
cast('a' as xml)
interval '1' year to month
interval '1 day; drop'
interval '1 day ago'
1a
id like any (array['a'])
id = any ('{a}')
id in ((1, 2), (3, 4))
claims
(claims).id
(claims).*
(claims.*)
claims.*::text
count(claims)
count(claims.*)
claims::text
claims is null
claims.json_agg
claims.array_agg
claims.row_to_json
claims.to_jsonb
claims."json_agg"
claims.concat
claims.min
claims.pg_column_size
claims.bounded_step
wherefrom_agent.claims.id
claims.claims.id
ctid
xmin
claims.ctid
claims.xmax
tableoid
cmin
oid
$1
$$x$$
$tag$x$tag$
%s
%(x)s
:x
?
@x
E'a'
e'a'
U&'a'
U&"a"
N'a'
B'1'
X'1F'
0x1F
0b11
1_000
'a' 'b'
'back\\slash'
"back\\slash"
'a
"a
`id`
{id}
{fn now()}
id\x0bid
id\u00a0id
id\u200bid
\ufeff1
'a\x00b'
'a\ud800b'
99999999999999999999999999999999999999999
1e400
1e1000000
default
"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
""
1 /* a /* b */ c */
1 /* open
* except (id)
* exclude (id)
wherefrom_agent.claims.*
claims.* except (id)
! true
exists(id)
all
if(true, 1, 2)
next value for x
"""
CLAUSES_REFUSED = """
group by rollup (id)
group by cube (id)
group by grouping sets ((id), ())
group by all
limit (select 1)
limit all
limit 1 + 1
limit 5 percent
fetch first 5 rows only
fetch first 5 rows with ties
offset (select 1)
order by id using >
qualify id = 1
window w as (order by id rows between 1 preceding and current row exclude ties)
union by name select 1
where id = 1 returning id
connect by id = 1
sort by id
"""


@pytest.mark.parametrize("sql", (STATEMENTS + TABLES_REFUSED).strip().splitlines())
def test_refused_statements_and_tables(sql):
    with pytest.raises(InvalidInput):
        checked(sql, TABLES)


@pytest.mark.parametrize(
    "sql",
    [
        "select {} from claims",
        "select id from claims where coalesce({}) is not null",
        "select 1 from claims group by 1 order by {}",
        "with a as (select id from claims where exists (select {} from claims)) select id from a",
    ],
)
def test_refused_expressions(sql):
    for expression in (FUNCTIONS_REFUSED + EXPRESSIONS_REFUSED).strip("\n").split("\n"):
        if expression.startswith("*") and "select {}" not in sql:
            continue  # a star is no expression
        try:
            checked(sql.replace("{}", expression), TABLES)
        except InvalidInput:
            continue
        pytest.fail(f"it was let through: {expression}")


@pytest.mark.parametrize("clause", CLAUSES_REFUSED.strip().splitlines())
def test_refused_clauses(clause):
    with pytest.raises(InvalidInput):
        checked(f"select id from claims {clause}", TABLES)


def test_the_message_names_what_is_refused():
    with pytest.raises(InvalidInput, match="pg_sleep"):
        checked("select pg_sleep(1)", TABLES)
    with pytest.raises(InvalidInput, match="nodes"):
        checked("select 1 from nodes", TABLES)
    with pytest.raises(InvalidInput, match="DELETE"):
        checked("delete from claims", TABLES)


TOO_MUCH = {
    "characters": "select '" + "x" * MAX_CHARACTERS + "'",
    "tables": "select 1 from " + ", ".join(f"claims c{n}" for n in range(33)),
    "set operations": " union ".join(["select 1"] * 22),
    "columns": "select " + ", ".join(["1"] * 101),
    "words": "select " + "+".join(["1"] * 2000),
    "chain": "select " + "||".join(["id"] * 300) + " from claims",
    "parentheses": "select " + "(" * 21 + "1" + ")" * 21,
    "cases": "select " + "case when " * 21 + "true" + " then true end" * 21,
    "signs": "select " + "- " * 50 + "1",
    "nots": "select " + "not " * 50 + "true",
    "arrays": "select " + "array[" * 20 + "1" + "]" * 20,
    "calls": "select " + "+".join(["abs(1)"] * 110) + "," + "+".join(["abs(1)"] * 100),
    "values": "values (" + ",".join(["1"] * 101) + ")",
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_too_much_is_refused_quickly(name):
    checked("select 1", TABLES)  # sqlglot is imported
    started = time.thread_time()
    with pytest.raises(InvalidInput):
        checked(TOO_MUCH[name], TABLES)
    assert time.thread_time() - started < 2


LONG = "long as (select string_agg(filler, '') as v from (select filler from many limit 1900) q)"
BOMBS = {
    "doubling in CTEs": "with a0 as (select 'xxxxxxxxxxxxxxxx' as s)" + "".join(f", a{n} as (select s||s as s from a{n - 1})" for n in range(1, 29)) + " select length(s) from a28",
    "aggregate": "select string_agg(a.filler, '') from many a, many b",
    "aggregate of single bytes": "select string_agg('x', '') from many a, many b",
    "replacing": "select length(replace(replace(replace(filler, 'a', 'aaaaaaaaaaaaaaaa'), 'a', 'aaaaaaaaaaaaaaaa'), 'a', 'aaaaaaaaaaaaaaaa')) from many",
    "separator": f"with {LONG} select length(concat_ws(v, v, v, v)) from long",
    "squares": "with a0 as (select 1234567890123456789012345678901234567890 as s)" + "".join(f", a{n} as (select s*s as s from a{n - 1})" for n in range(1, 20)) + " select s from a19",
    "digits of a text": f"with {LONG} select cast(replace(v, 'a', '9') as numeric) from long",
    "growing products": "with recursive r(s) as (select 1.5 union all select s * 1.23456789 from r) select max(s) from r",
    "power": "select power(10, 100000)",
    "long pattern": f"with {LONG} select v like v from long",
    "long needle": f"with {LONG} select strpos(v, v) from long",
    "wide recursion": f"with recursive {LONG}, r(n, v) as (select 1, v from long union select n + 1, v from r) select count(*) from r",
    "cross join": "select count(*) from many a, many b, many c",
    "recursion without end": "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r",
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_in_an_error_within_the_budget(connection, name):
    sql = checked(BOMBS[name], TABLES)
    started = time.perf_counter()
    with pytest.raises((psycopg.errors.ProgramLimitExceeded, psycopg.errors.QueryCanceled, psycopg.DataError)):
        connection.execute(sql)
    assert time.perf_counter() - started < 10


def test_expressions_do_not_multiply_in_the_planner(connection):
    sql = "select 'x' as s"
    for _ in range(15):
        sql = f"select case when s = 'y' then s when s = 'z' then s else s end as s from ({sql}) q"
    started = time.perf_counter()
    assert answer(connection, checked(sql, TABLES))[1] == [("x",)]
    assert time.perf_counter() - started < 10


def test_many_joins_are_planned_in_time(connection):
    joins = " ".join(f"join claims c{n} on c{n}.id = c{n - 1}.id" for n in range(1, 32))
    started = time.perf_counter()
    assert answer(connection, checked(f"select count(*) from claims c0 {joins}", TABLES))[1] == [(3,)]
    assert time.perf_counter() - started < 10


def test_no_function_can_be_called_as_a_column_of_a_row(connection):
    """`row.name` is name(row): each function that would take a row must be on the list (or be harmless: count)."""
    found = connection.execute(
        """select proname from pg_proc where pronamespace in ('pg_catalog'::regnamespace, 'wherefrom_agent'::regnamespace)
        and pronargs >= 1 and pronargs - pronargdefaults <= 1
        and proargtypes[0] = any (array['record', '"any"', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray']::regtype[])"""
    )
    assert {name for (name,) in found} <= ROW_FUNCTIONS | {"count"}


def test_the_arguments_of_whatever_can_be_written_are_listed():
    kinds = {name.removeprefix("write_") for name in dir(ExpressionWriter) if name.startswith("write_")}
    assert kinds <= {kind.lower() for kind in ARGUMENTS}
