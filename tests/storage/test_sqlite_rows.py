"""Statements that SQLite runs once for each of many rows."""

from __future__ import annotations

from import_for_tests import put

from wherefrom.storage.sql import Statements
from wherefrom.storage.sqlite import DIALECT
from wherefrom.storage.sqlite_rows import numbered

STATEMENTS = Statements(DIALECT, writing=True)


def test_the_rows_of_an_import_are_inserted_as_values():
    """SQLite begins a savepoint for an insert that selects, and FTS5 writes its index out at each."""
    for name in ("nodes_insert", "text_index", "embedding_save", "names_in_texts_add", "edges_insert"):
        sql, _, _ = numbered(STATEMENTS.sql(name, {}), ())
        assert "\nvalues (" in sql, name
        assert "select" not in sql, name


def test_an_insert_that_asks_for_more_than_its_row_stays_as_it_is():
    sql = STATEMENTS.sql("context_items_insert", {})
    assert numbered(sql, ())[0].startswith("insert into active_context_items")
    assert "join nodes n" in numbered(sql, ())[0]


def test_a_batch_of_texts_is_few_segments_of_the_text_index(sqlite_memory):
    put(sqlite_memory, [f"memo number{number} of many" for number in range(150)])
    rows = sqlite_memory.view.store.database.read(
        lambda tx: tx._connection.execute("select count(distinct segid) from node_terms_idx").fetchall()
    )
    assert rows[0][0] <= 2
