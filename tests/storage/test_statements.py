"""The statements: each is used, and renders for both databases."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import psycopg
import pytest

import wherefrom
from wherefrom.storage import postgres, sqlite
from wherefrom.storage.agent import postgres_preparing
from wherefrom.storage.migrate import migrations
from wherefrom.storage.postgres_distributed import _COPIED
from wherefrom.storage.sql import _BLOCK, Statements, blocks, fragments, render, statements_of

SOURCE = Path(wherefrom.__file__).parent
STATEMENTS = {dialect.name: Statements(dialect) for dialect in (sqlite.DIALECT, postgres.DIALECT)}
NAMES = sorted(set().union(*(statements._blocks for statements in STATEMENTS.values())))
COMMON = sorted(blocks("queries").names)
QUERIES = SOURCE / "storage" / "queries"
# Numbers that are part of a statement's text.
LITERALS = {"model": 1, "dimension": 2, "effort": 3, "examined": 4, "limit": 5}
KEYWORDS = r"where\b|set\b|on\b|cross\b|join\b|left\b|order\b|limit\b|group\b|union\b|for\b|values\b|using\b|from\b"
# Upkeep of the whole store, which only its operator does (embed, reembed), and the index that follows all of it:
# what it finds is read again as the access may see it.
STORE_WIDE = {
    "changes_range", "changes_since", "change_salt", "embeddings_all", "embeddings_extent", "embeddings_some", "embeddings_delete", "fill_batch", "fill_total",
    "lock_models", "model_activate", "model_active", "model_delete", "model_insert", "model_named", "model_rest",
    "pending_claim", "pending_clear", "pending_missing", "pending_total", "vector_indexed", "vector_settings",
    "vector_settings_end", "vector_settings_distributed", "vector_settings_end_distributed", "node_seqs",
    # Of edges that are given with the statement, and of nodes of any owner, who is given with each.
    "thickness_of_edges", "nodes_unchanged", "pending_done", "pending_lease",
    # Of keys, which say whose they are: a caller names a key, and not an owner.
    "key_of_caller", "keys_used", "keys_usable", "keys_made",
    # Of the service itself: its jobs, and who has something to be told, to be swept or to be looked after.
    "upkeep_places", "jobs_all", "job_add", "job_claim", "job_extend", "job_end", "namespaces_to_sweep", "feed_end", "feed_owners",
    "feed_newest", "feed_numbers", "feed_floors_renumber", "feed_floors_add", "feed_events_renumber",
}  # fmt: skip


def test_each_statement_is_used():
    python = "\n".join(file.read_text() for file in SOURCE.rglob("*.py"))
    assert not [name for name in NAMES if f'"{name}"' not in python]


def test_both_dialects_have_the_same_statements():
    """But for the search of vectors, where one has an index in memory and the other pgvector, for locks, which only
    several writers need, for numbers of transactions, which only one has, for the scores of texts, and for what
    one statement does where two would take two trips.
    """
    mine = {name: set(statements._blocks) for name, statements in STATEMENTS.items()}
    for one, other in (("sqlite", "postgres"), ("postgres", "sqlite")):
        files = map(
            (QUERIES / one).joinpath, ("vectors.sql", "locks.sql", "restored.sql", "text_scores.sql", "walk.sql")
        )
        own = [path.read_text() for path in files if path.exists()]
        assert mine[one] - mine[other] == {name for text in own for name in re.findall(r"-- name: (\w+)", text)}


def test_both_dialects_have_the_same_parameters():
    for name in COMMON:
        given = {**LITERALS, **dict.fromkeys(STATEMENTS["sqlite"]._optional[name], "x")}
        if "{rows " in STATEMENTS["sqlite"]._blocks[name]:
            # The one takes its rows by their columns, the other all of them as one parameter.
            assert "%(rows)s" in STATEMENTS["postgres"].sql(name, given), name
            continue
        plain = set(re.findall(r":([a-z_]+)", STATEMENTS["sqlite"].sql(name, given)))
        formatted = set(re.findall(r"%\(([a-z_]+)\)s", STATEMENTS["postgres"].sql(name, given)))
        assert plain == formatted, name


def test_a_query_of_nodes_or_edges_names_the_owner():
    """The rule that nothing may forget: no statement reads or writes another owner's rows."""
    for dialect, parameter in (("sqlite", ":owner"), ("postgres", "%(owner)s")):
        statements = STATEMENTS[dialect]
        for name in (
            set(statements._blocks) - {"lock_owners", "one_by_one", "see_each_commit", "wait_briefly"} - STORE_WIDE
        ):
            # FTS5 itself knows no owners: what it finds is joined with nodes that the access may see.
            assert parameter in statements.sql(name, LITERALS), name


def whole(dialect, name):
    """A statement with all of its optional lines, on one line."""
    statements = STATEMENTS[dialect]
    given = dict.fromkeys(statements._optional[name], "x")
    return " ".join(statements.sql(name, {**LITERALS, **given}).split())


POSTGRES = {name: whole("postgres", name) for name in STATEMENTS["postgres"]._blocks}


@pytest.fixture
def owner_tables(new_url):
    """The tables that have owners."""
    with psycopg.connect(new_url("postgres")) as connection:
        query = "select table_name from information_schema.columns where column_name = 'owner_id' and table_schema = 'public'"
        return {name for (name,) in connection.execute(query)}


def tables_of(sql, tables):
    """The tables that a statement reads or changes, each with its alias."""
    found = re.finditer(rf"\b(?:from|join|update|,) ({'|'.join(tables)})\b(?: as)?(?: (?!{KEYWORDS})(\w+))?", sql)
    return [(match[1], match[2] or match[1]) for match in found]


def test_every_table_of_a_statement_is_of_one_owner(owner_tables):
    """On a distributed PostgreSQL each of them decides where it is looked for; on every one nobody sees another's."""
    for name in POSTGRES.keys() - STORE_WIDE - {"lock_owners", "owner_add", "privacy_current"}:
        sql = POSTGRES[name]
        for table, alias in tables_of(sql, owner_tables):
            named = f"{alias}.owner_id = %(owner)s" in sql
            assert named or re.search(r"(where|and) owner_id = %\(owner\)s", sql), f"{name}: {table}"


def test_no_statement_locks_a_table_or_rows_without_an_owner(owner_tables):
    for name, sql in POSTGRES.items():
        assert not sql.startswith("lock table"), name
        if re.search(r"\bfor (no key )?(share|update)\b", sql):
            assert tables_of(sql, owner_tables), name


def test_no_statement_makes_a_table_of_the_connection():
    assert not [name for name, sql in POSTGRES.items() if "temp table" in sql]


def test_a_distributed_database_is_set_nothing_by_set_config():
    """Settings are not sent on to the servers of a distributed database unless they are `set local`."""
    users = {name for name, sql in POSTGRES.items() if "set_config" in sql}
    assert users == {"vector_settings", "vector_settings_end"}
    for name in users:
        done = re.findall(r"set_config\('([\w.]+)', '(\w+)', true\)", POSTGRES[name])
        assert sorted(done) == sorted(
            (setting, value)
            for setting, value in re.findall(r"set local ([\w.]+) = '?(\w+)", POSTGRES[f"{name}_distributed"])
        )
    users = {str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py") if "set_config(" in file.read_text()}
    assert users == {"storage/postgres.py"}


def test_no_upsert_looks_into_another_table():
    for name, sql in POSTGRES.items():
        _, _, upsert = sql.partition("on conflict")
        assert "select" not in upsert, name


def test_no_statement_compares_a_row_with_a_subquery():
    """Citus writes `(a, b) in (select …)` wrongly for one server; for all of them it does not."""
    pattern = re.compile(r"(?<!\w)\(\w+(?:\.\w+)?, [^()]*\) (?:not )?in \(select")
    assert not [name for name, sql in POSTGRES.items() if pattern.search(sql) and name not in STORE_WIDE]


def test_policies_only_let_rows_through_and_have_no_subquery():
    """Citus makes a restrictive policy one that lets every row through, and refuses subqueries in policies."""
    plan = postgres_preparing._plan("wherefrom", "public", {})
    made = [text for text in statements_of(plan.script) if text.startswith("create policy")]
    assert len(made) == 2 * len(postgres_preparing._GUARDED_TABLES)
    assert not [text for text in made if re.search(r"restrictive|\bselect\b(?! to )|\) is (not )?null", text)]


# Migrations up to this one ran before any store was distributed.
LAST_ON_ONE_SERVER = 37


def test_later_migrations_can_be_run_on_a_distributed_store():
    """Each alone is refused by Citus: triggers, constraints and identities of a column that is added, keys without the
    owner, several statements in one.
    """
    refused = r"create (or replace )?(trigger|rule)|add column [^,;]*\b(check|references|identity|unique)\b|lock table"
    for migration in migrations("postgres"):
        if migration.version <= LAST_ON_ONE_SERVER:
            continue
        for text in statements_of(render(migration.text, {**fragments("postgres"), "privacy": "", "now": ""})):
            assert not re.search(refused, text), (migration.name, text)
            table = re.match(r"create table (\w+) \(", text)
            if table and re.search(r"^\s*owner_id ", text, re.MULTILINE) and table[1] not in _COPIED:
                assert re.search(r"primary key \(owner_id\b", text), (migration.name, table[1])
                assert all("owner_id" in key for key in re.findall(r"unique \(([^)]*)", text)), (migration.name, text)


def test_no_unique_key_of_a_table_with_owners_is_without_the_owner(new_url, owner_tables):
    query = """
    select c.relname, i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relname = any (%s) and not exists (
        select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'owner_id' and a.attnum = any (i.indkey))
    """
    with psycopg.connect(new_url("postgres")) as connection:
        assert connection.execute(query, (list(owner_tables - set(_COPIED)),)).fetchall() == []


def test_no_table_of_owners_has_a_trigger(new_url):
    with psycopg.connect(new_url("postgres")) as connection:
        assert connection.execute("select tgname from pg_trigger where not tgisinternal").fetchall() == []


def test_optional_lines_come_and_go():
    statements = STATEMENTS["sqlite"]
    assert ":tag" not in statements.sql("edge_list", {"tag": None})
    assert ":tag" in statements.sql("edge_list", {"tag": "x"})
    assert "seq + 0" not in statements.sql("edge_list", {})
    assert "seq + 0" in statements.sql("edge_list", {"of_memo": "x"})


@pytest.mark.parametrize("folder", ["", "sqlite", "postgres"])
def test_no_name_is_used_twice(folder):
    """The second block would silently take the place of the first."""
    texts = [file.read_text("utf-8") for file in (QUERIES / folder).glob("*.sql")]
    counts = Counter(block[:2] for text in texts for block in _BLOCK.findall(text))
    assert counts
    assert not [name for name, count in counts.items() if count > 1]


def test_rows_have_the_type_of_a_field_also_if_it_is_annotated_with_a_description():
    types = set(fragments("postgres")["node_types"].split(", "))
    assert {"pinned boolean", "version integer", "year integer", "utility double precision", "aliases text"} <= types
