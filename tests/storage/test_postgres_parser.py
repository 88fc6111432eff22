"""Reading an agent's SQL for PostgreSQL ends soon, whatever the text is, and useful nesting is still read."""

from __future__ import annotations

import time

import pytest

from bench import parser_fuzz
from wherefrom import Memory
from wherefrom.model.errors import InvalidInput
from wherefrom.storage.agent import postgres_parser
from wherefrom.storage.agent.postgres_guard import checked

TABLES = ("claims", "pages")
DEEP = 20


def nested(opening: str, middle: str, closing: str, *, start: str = "select ", end: str = "") -> str:
    return start + opening * DEEP + middle + closing * DEEP + end


# Each took twice to three times as long for each level.
DOUBLED = {
    "a type as a call": nested("int(", "1", ")"),
    "types as calls": "select " + "int(text(date(uuid(" * 5 + "1" + "))))" * 5,
    "json as a call": nested("json(", "1", ")"),
    "struct": nested("struct(", "a int", ")"),
    "an enumeration": nested("enum(", "1", ")"),
    "oid as a call": nested("oid(", "1", ")"),
    "oid as a call, of a sum": nested("oid(1 + ", "1", ")"),
    "regclass as a call": nested("regclass (", "select 1", ")"),
    "a type's size": nested("int(", "1", ")", start="select 1::"),
    "a type's size in cast": nested("int(", "1", ")", start="select cast(1 as ").removesuffix(")"),
    "a type in quotes": nested("int(", "1", ")", start='select 1::"', end='"'),
    "a type in quotes, deeper than 20": 'select 1::"' + "int(" * 400 + "1" + ")" * 400 + '"',
    "a type of a schema, in quotes": nested("int(", "1", ")", start='select 1::own."', end='"'),
    "joins without ON": nested(" join claims", "", "", start="select 1 from claims"),
    "left joins without ON": nested(" left join claims", "", "", start="select 1 from claims"),
    "straight joins": nested(" straight_join claims", "", "", start="select 1 from claims"),
    "limit": nested("select 1 limit (", "1", ")", start=""),
    "offset": nested("select 1 offset (", "1", ")", start=""),
}


@pytest.mark.parametrize("name", DOUBLED)
def test_what_doubled_with_each_level_is_read_at_once(name):
    checked("select 1", TABLES)  # sqlglot is imported
    begun = time.thread_time()
    with pytest.raises(InvalidInput) as refused:
        checked(DOUBLED[name], TABLES)
    assert time.thread_time() - begun < 0.5
    assert "too long to read" not in refused.value.message, "the cause is gone, not only cut short"


def test_a_type_as_a_call_is_refused_in_time_by_query_graph(memory):
    """On PostgreSQL it took 50 seconds."""
    begun = time.perf_counter()
    found = memory.query_graph(DOUBLED["a type as a call"], timeout_ms=300)
    assert not found.ok
    assert found.hint
    assert time.perf_counter() - begun < 10


@pytest.mark.parametrize("text", ["/* " * 6_600, '"/* ' * 5_000, "'" * 19_999, "-- '\n" * 4_000, "- " * 9_000])
def test_quotes_and_comments_are_found_in_linear_time(text):
    checked("select 1", TABLES)
    begun = time.thread_time()
    with pytest.raises(InvalidInput):
        checked(text, TABLES)
    assert time.thread_time() - begun < 0.4


NESTED_CALLS = "coalesce(nullif(trim(lower(" * 4 + "claim_text" + ")), ''), 'none')" * 4
USEFUL = {
    "calls, 16 deep": f"select {NESTED_CALLS} as t from claims",
    "parentheses": f"select {'(' * 18}1{')' * 18} as a",
    "case": "select " + "case when 1 = 1 then " * 12 + "1" + " end" * 12 + " as a",
    "subqueries": "select * from (" * 12 + "select 1 as a" + ") as q" * 12,
    "casts": f"select {'cast(' * 12}1{' as text)' * 12} as t",
    "sizes": "select numeric(10, 2) '1.5' as a, cast(1.5 as numeric(10, 2)) as b, 1.5::numeric(4) as c",
    "joins": "select count(*) from claims a" + "".join(f" join claims b{n} on b{n}.id = a.id" for n in range(20)),
    "joins of all kinds": "select a.id from claims a cross join clock b natural left join (select 1 as z) as c"
    " left join claims d using (id) join claims e on e.id = a.id, pages",
    "keys of JSON": "select paper_metadata -> 'a' -> 0 ->> '$.b' as t from pages",
    "names like types": 'select "date" as text, q.time as json from (select 1 as "date", 2 as time) as q',
}


@pytest.fixture(scope="module")
def postgres(postgres_database):
    with Memory.open(postgres_database()) as opened:
        yield opened


@pytest.mark.parametrize("name", USEFUL)
def test_useful_nesting_is_read(postgres, name):
    found = postgres.query_graph(USEFUL[name], timeout_ms=2_000)
    assert found.ok, found.error


def test_one_read_of_each_token_is_enough_for_what_people_write():
    """So the limit, four moves a token, is far from what is in use."""
    dialect = postgres_parser.DIALECT
    for sql in USEFUL.values():
        tokens = dialect.tokenize(sql)
        parser = dialect.parser()
        parser.parse(tokens, sql)
        used = postgres_parser.MOVES_PER_TOKEN * len(tokens) + postgres_parser.MOVES_PER_TEXT - parser._moves_left
        assert used < 2 * len(tokens) + 20, sql


@pytest.mark.parametrize("limit", [{"MOVES_PER_TOKEN": 0, "MOVES_PER_TEXT": 5}, {"MAX_SECONDS": 0.0}])
def test_reading_is_cut_short_by_moves_and_by_the_clock(monkeypatch, limit):
    for name, value in limit.items():
        monkeypatch.setattr(postgres_parser, name, value)
    with pytest.raises(InvalidInput, match="too long to read"):
        checked("select lower(claim_text), upper(claim_text) from claims where id = 'cut short'", TABLES)


def test_sqlglot_stumbling_is_a_refusal():
    """Nested CONNECT BY was a KeyError."""
    with pytest.raises(InvalidInput, match="CONNECT BY"):
        checked("select 1 connect by (select 1 connect by 1)", TABLES)


def test_a_join_without_on_says_so():
    with pytest.raises(InvalidInput, match="JOIN without ON") as refused:
        checked("select 1 from claims c join pages p where p.id = c.id", TABLES)
    assert "CROSS JOIN" in refused.value.hint


@pytest.mark.slow
def test_no_word_of_the_grammar_takes_long():
    """A small part of what `python -m bench.parser_fuzz` tries."""
    words = parser_fuzz.words()
    assert {"int", "regclass", "join", "limit", "interval", "within"} <= set(words)
    found = parser_fuzz.fuzzed(parser_fuzz.read, parser_fuzz.statements(words[::40], pairs=200, seed=7))
    assert found["statements"] > 700
    assert found["to look at"] == []
    assert found["ms"]["p95"] < 300
