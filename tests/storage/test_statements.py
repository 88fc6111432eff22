"""The statements: each is used, and renders for both databases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import recollect
from recollect.storage import postgres, sqlite
from recollect.storage.statements import Statements, _blocks

SOURCE = Path(recollect.__file__).parent
STATEMENTS = {dialect.name: Statements(dialect) for dialect in (sqlite.DIALECT, postgres.DIALECT)}
NAMES = sorted(STATEMENTS["sqlite"]._blocks)
COMMON = sorted(_blocks("queries"))


@pytest.mark.parametrize("name", NAMES)
def test_each_statement_is_used(name):
    python = "\n".join(file.read_text() for file in SOURCE.rglob("*.py"))
    assert f'"{name}"' in python


def test_both_dialects_have_the_same_statements():
    assert set(STATEMENTS["sqlite"]._blocks) == set(STATEMENTS["postgres"]._blocks)


@pytest.mark.parametrize("name", COMMON)
def test_both_dialects_have_the_same_parameters(name):
    given = dict.fromkeys(STATEMENTS["sqlite"]._optional[name], "x")
    plain = set(re.findall(r":([a-z_]+)", STATEMENTS["sqlite"].sql(name, given)))
    formatted = set(re.findall(r"%\(([a-z_]+)\)s", STATEMENTS["postgres"].sql(name, given)))
    assert plain == formatted


def test_a_query_of_nodes_or_edges_names_the_owner():
    """The rule that nothing may forget: no statement reads or writes another owner's rows."""
    for name in set(NAMES) - {"lock_edges_shared", "lock_edges_alone"}:
        # FTS5 itself knows no owners: what it finds is joined with nodes that the access may see.
        assert "%(owner)s" in STATEMENTS["postgres"].sql(name, {}), name
        assert ":owner" in STATEMENTS["sqlite"].sql(name, {}), name


def test_optional_lines_come_and_go():
    statements = STATEMENTS["sqlite"]
    assert ":tag" not in statements.sql("edge_list", {"tag": None})
    assert ":tag" in statements.sql("edge_list", {"tag": "x"})
    assert "seq + 0" not in statements.sql("edge_list", {})
    assert "seq + 0" in statements.sql("edge_list", {"of_memo": "x"})
