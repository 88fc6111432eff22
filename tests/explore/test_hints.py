"""Hints for wrong SQL: each is right for the message and for the database that gave it."""

from __future__ import annotations

import re

import pytest

from wherefrom import Memory
from wherefrom.explore.hints import ARGUMENTS, FUNCTIONS, INSTEAD_OF_FUNCTION

# A statement, and what the hint has to say on SQLite and on PostgreSQL. None: the statement is right there.
WRONG = [
    # columns that several tables have
    ("select id from claims c join pages p on p.id = c.id", "c.id or p.id", "c.id or p.id"),
    ("select id from claims, pages", "claims.id or pages.id", "claims.id or pages.id"),
    ("select 1 from claims c, evidence e where task_id = 'x'", "c.task_id or e.task_id", "c.task_id or e.task_id"),
    ("select 1 from claims a cross join pages b join edges using (id)", None, "a.id or b.id"),
    ("select id from claims a join claims b on a.id = b.id", "a.id or b.id", "a.id or b.id"),
    # aggregates
    ("select task_id, count(*) from claims", None, "add task_id to GROUP BY"),
    ("select claim_id, relation from evidence group by claim_id", None, r"max\(relation\)"),
    ("select id from claims where count(*) > 1", "HAVING count", "HAVING count"),
    ("select id from claims having count(*) > 1", "HAVING count", "add id to GROUP BY"),
    ("select sum(count(*)) from claims", "WITH step", "WITH step"),
    ("select count(*) as n from claims where n > 1", "HAVING count", "n is a name that SELECT gives"),
    ("select row_number() from claims", r"OVER \(ORDER BY", r"OVER \(ORDER BY"),
    ("select id from claims where rank() over () = 1", "OVER", "wrap it in WITH"),
    ("select rank() over w from claims", "WINDOW w AS", "WINDOW w AS"),
    ("select sum(support_count > 0) from v_claim_evidence_summary", None, r"count\(\*\) filter"),
    ("select distinct id from claims order by created_at", None, "select what you sort by"),
    # names
    ("select c.claim_txt from claims c", "perhaps claim_text", "perhaps claim_text"),
    ("select text from fragments", "perhaps text_content", "perhaps text_content"),
    ("select x.id from claims c", "tables are called c", "tables are called c"),
    ("select pages.url from claims c", "join pages first", "join pages first"),
    ("select claims.id from claims c", "claims is called c", "claims is called c"),
    ("select name from claims", "name is a column of entities", "name is a column of entities"),
    ("select nowhere from claims", "^claims has id", "^claims has id"),
    ("select * from claim", "perhaps claims", "perhaps claims"),
    ("select id from claims a join claims b using (nope)", "claims has", "claims has"),
    ("with x as (select 1 as a) select b from x", "include_schema", "include_schema"),
    ("with x(a, b) as (select 1) select * from x", r"x\(…\) lists as many", r"x\(…\) lists as many"),
    # texts
    ('select * from claims where claim_text = "abc"', "'abc'", "'abc'"),
    ("select year from evidence where relation = supports", "quote it: 'supports'", "quote it: 'supports'"),
    # types
    ("select * from claims where id = 5", None, "a text with '5'"),
    ("select id from pages where paper_metadata->>'year' > 2000", None, "like with like"),
    ("select * from pages where year > 'abc'", None, "not of type integer"),
    ("select * from claims where created_at > now() - interval '7 days'", "no INTERVAL", "timestamptz"),
    ("select created_at - interval '1 day' from claims", "no INTERVAL", "timestamptz"),
    ("select id from claims where not confidence", None, "comparison"),
    ("select confidence % 2 from claims", None, "numeric"),
    ("select (1 = 1) + 1", None, "true and false are no numbers"),
    ("select coalesce(confidence, 'none') from claims where id = ''", None, "not of type|cast"),
    ("select 1 / 0", None, r"nullif\(y, 0\)"),
    ("select 9223372036854775807 + 1", None, "too large"),
    ("select cast('2026-13-45' as date)", None, "2026-12-31"),
    ("select '1'::integer", r"cast\(x as integer\)", None),
    # functions
    ("select ifnull(scope, 'x') from claims", None, "on PostgreSQL: coalesce"),
    ("select group_concat(id) from claims", None, "string_agg"),
    ("select json_extract(paper_metadata, '$.doi') from pages", None, "->> 'key'"),
    ("select strftime('%Y', created_at) from claims", None, "timestamptz"),
    ("select date_trunc('month', created_at) from claims", "is the month", "timestamptz"),
    ("select max(confidence, utility) from claims", None, "greatest"),
    ("select greatest(confidence, utility) from claims", r"on SQLite: max\(a, b\)", None),
    ("select now()", "date", None),
    ("select length(5)", None, r"cast\(x as text\)"),
    ("select nonsense(1)", "^SQLite has abs", "^of PostgreSQL's there are abs"),
    ("select substr(id) from claims", r"substr\(text, start", r"substr\(text, start"),
    ("select count(distinct id, task_id) from claims", "distinct a", "distinct a"),
    # syntax
    ("select id from claims where id ilike 'x'", "no ILIKE", None),
    ("select id from claims where id ~ 'x'", "regular expressions", "regular expressions"),
    ("select id from claims where id regexp 'x'", "regular expressions", "regular expressions"),
    ("select top 5 id from claims", "LIMIT 5", "LIMIT 5"),
    ("select * from claims c join pages p", None, "CROSS JOIN"),
    ("select id from claims union select id, url from pages", "same number", "same number"),
    ("select 1 where 1 in (select 1, 2)", "one column", "one column"),
    ("select (select 1 union select 2)", None, "LIMIT 1"),
]  # fmt: skip


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def memory(request, tmp_path_factory):
    if request.param == "sqlite":
        where = str(tmp_path_factory.mktemp("hints") / "memory.db")
    else:
        where = request.getfixturevalue("postgres_database")()
    with Memory.open(where) as opened:
        yield opened


@pytest.mark.parametrize("wrong", WRONG, ids=[sql for sql, *_ in WRONG])
def test_a_hint_is_right_for_its_message_and_database(memory, wrong):
    sql, on_sqlite, on_postgres = wrong
    found = memory.query_graph(sql, timeout_ms=2_000)
    expected = {"SQLite": on_sqlite, "PostgreSQL": on_postgres}[found.dialect]
    if expected is None:
        assert found.ok, (found.error, found.hint)
    else:
        assert re.search(expected, found.hint or ""), (found.error, found.hint)


def test_no_hint_names_a_column_that_the_message_does_not(memory):
    """The hint for `ambiguous column name: id` was "name is a column of entities"."""
    found = memory.query_graph("select id from claims c join pages p on p.id = c.id")
    assert "name" not in found.hint
    assert "entities" not in found.hint


def test_every_function_that_a_hint_lists_is_there(memory):
    dialect = memory.query_graph("select 1").dialect
    names = FUNCTIONS[dialect].partition(" abs ")[2].split(" and window")[0].split()
    assert len(names) > 20
    for name in ["abs", *names]:
        error = memory.query_graph(f"select {name}(1, 2, 3, 4, 5) from claims").error or ""
        assert not re.search("no such function|not allowed", error), (name, error)


def test_what_a_hint_puts_in_place_of_a_function_is_there(memory):
    dialect = memory.query_graph("select 1").dialect
    of_one_database = {"SQLite": "group_concat"}.get(dialect)
    called = [text for name, text in ARGUMENTS.items() if name != "group_concat" or name == of_one_database]
    for hint in (*INSTEAD_OF_FUNCTION[dialect].values(), *called):
        for name in re.findall(r"\b([a-z_]+)\(", hint):
            error = memory.query_graph(f"select {name}(1, 2, 3, 4, 5) from claims").error or ""
            assert not re.search("no such function: '?" + name, error), (hint, error)


def test_the_dialect_is_told(memory, request):
    dialect = {"sqlite": "SQLite", "postgres": "PostgreSQL"}[request.node.callspec.params["memory"]]
    for sql in ("select 1", "select nowhere", "select 1; select 2", "select int(1)"):
        assert memory.query_graph(sql).dialect == dialect
