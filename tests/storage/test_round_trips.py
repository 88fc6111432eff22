"""How often a save waits for a PostgreSQL server."""

from __future__ import annotations

from tests.round_trips_for_tests import counted
from wherefrom import Memory


def test_a_statement_is_one_round_trip_and_a_pipeline_is_one(postgres_store, postgres_database):
    with Memory.open(postgres_database(postgres_store)) as memory:
        memory.save("a text, so that there is a connection")
        ((_, connection),) = memory.view.store.database._pool._idle
        for _ in range(2):  # the second time it is prepared
            connection.execute("select 1")
        with counted(connection) as three:
            for _ in range(3):
                connection.execute("select 1")
        with counted(connection) as one, connection.pipeline():
            for _ in range(3):
                connection.execute("select 1")
        assert (three.number, one.number) == (3, 1)


def test_a_save_writes_in_two_round_trips(postgres_store, postgres_database, monkeypatch):
    """Begin and commit included; what is near is looked for before, by itself."""
    with Memory.open(postgres_database(postgres_store)) as memory:
        memory.save("Zora Quill keeps the ledger", title="Zora Quill")
        for number in range(3):
            memory.save(f"Zora Quill has written page {number} of it")
        monkeypatch.setattr("wherefrom.api.memos.find_near", lambda *_, **__: ())
        database = memory.view.store.database
        with counted(memory) as looking:
            database.read(lambda tx: tx.row("model_active", {}))
        with counted(memory) as trips:
            saved = memory.save("Zora Quill has read what she wrote")
        assert saved.status == "created"
        assert len(memory.relations(source_id=saved.node.id).edges) == 1
        assert trips.number - looking.number == 2


def test_a_save_with_what_is_near_takes_ten_round_trips_at_most(postgres_store, postgres_database):
    """It was 23: each query of the search for what is near was one, and so was each statement of the save."""
    with Memory.open(postgres_database(postgres_store)) as memory:
        memory.save("Zora Quill keeps the ledger", title="Zora Quill")
        for number in range(5):
            memory.save(f"Zora Quill has written page {number} of it")
        with counted(memory) as trips:
            saved = memory.save("Zora Quill has written what she read")
        assert saved.near
        assert trips.number <= 10
