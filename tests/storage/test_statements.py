"""The statements: each is used, and renders for both databases."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import wherefrom
from wherefrom.storage import postgres, sqlite
from wherefrom.storage.statements import _BLOCK, Statements, _blocks

SOURCE = Path(wherefrom.__file__).parent
STATEMENTS = {dialect.name: Statements(dialect) for dialect in (sqlite.DIALECT, postgres.DIALECT)}
NAMES = sorted(set().union(*(statements._blocks for statements in STATEMENTS.values())))
COMMON = sorted(_blocks("queries"))
QUERIES = SOURCE / "storage" / "queries"
# Upkeep of the whole store, which only its operator does (embed, reembed), and the index that follows all of it:
# what it finds is read again as the access may see it.
STORE_WIDE = {
    "changes_range", "changes_since", "change_salt", "embeddings_all", "embeddings_delete", "fill_batch", "fill_total",
    "model_activate", "model_active", "model_held", "model_delete", "model_insert", "model_named", "model_rest",
    "pending_claim", "pending_clear", "pending_missing", "pending_total", "vector_indexed", "vector_settings",
    "vector_settings_end",
    # Of edges that are given with the statement.
    "thickness_of_edges",
    # Of tables that only the connection has.
    "clock_add", "clocks_clear", "clocks_set", "clocks_table", "gone_add", "gone_clear", "gone_table",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_each_statement_is_used(name):
    python = "\n".join(file.read_text() for file in SOURCE.rglob("*.py"))
    assert f'"{name}"' in python


def test_both_dialects_have_the_same_statements():
    """But for the search of vectors, where one has an index in memory and the other pgvector."""
    mine = {name: set(statements._blocks) for name, statements in STATEMENTS.items()}
    for one, other in (("sqlite", "postgres"), ("postgres", "sqlite")):
        of_vectors = re.findall(r"-- name: (\w+)", (QUERIES / one / "vectors.sql").read_text())
        assert mine[one] - mine[other] == set(of_vectors)


@pytest.mark.parametrize("name", COMMON)
def test_both_dialects_have_the_same_parameters(name):
    given = dict.fromkeys(STATEMENTS["sqlite"]._optional[name], "x")
    plain = set(re.findall(r":([a-z_]+)", STATEMENTS["sqlite"].sql(name, given)))
    formatted = set(re.findall(r"%\(([a-z_]+)\)s", STATEMENTS["postgres"].sql(name, given)))
    assert plain == formatted


def test_a_query_of_nodes_or_edges_names_the_owner():
    """The rule that nothing may forget: no statement reads or writes another owner's rows."""
    for dialect, parameter in (("sqlite", ":owner"), ("postgres", "%(owner)s")):
        statements = STATEMENTS[dialect]
        for name in (
            set(statements._blocks)
            - {"lock_edges_shared", "lock_edges_alone", "lock_policies", "wait_briefly", "lock_runs"}
            - STORE_WIDE
        ):
            # FTS5 itself knows no owners: what it finds is joined with nodes that the access may see.
            assert parameter in statements.sql(name, {"model": 1, "dimension": 2}), name


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
    counts = Counter(name for text in texts for name, _ in _BLOCK.findall(text))
    assert counts
    assert not [name for name, count in counts.items() if count > 1]
