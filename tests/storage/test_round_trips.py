"""How often a save waits for a PostgreSQL server."""

from __future__ import annotations

import math

import pytest

from tests.round_trips_for_tests import counted
from wherefrom import Memory
from wherefrom.recall.near import Likely
from wherefrom.storage import text_index


@pytest.fixture(autouse=True)
def policies_read_once(monkeypatch):
    """On a busy machine a second may pass between any two saves."""
    monkeypatch.setattr("wherefrom.engine.boundary._MAX_AGE_SECONDS", math.inf)


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


def fewest(memory, texts, **extra):
    """The round trips of a save with what is given beside its text; the first save prepares some statements."""
    numbers = []
    for number, text in enumerate(texts):
        with counted(memory) as trips:
            saved = memory.save(text, **{name: value(number) for name, value in extra.items()})
        assert saved.status == "created"
        numbers.append(trips.number)
    return min(numbers), saved


def said(what):
    return [f"Zora Quill has {what} volume {number}" for number in range(4)]


def test_a_save_writes_in_two_round_trips(postgres_store, postgres_database, monkeypatch):
    """Begin and commit included; what is near is looked for before, by itself."""
    with Memory.open(postgres_database(postgres_store)) as memory:
        memory.save("Zora Quill keeps the ledger", title="Zora Quill")
        monkeypatch.setattr("wherefrom.api.memos.look_for_likely", lambda *_, **__: Likely())
        number, saved = fewest(memory, said("read"))
        assert len(memory.relations(source_id=saved.node.id).edges) == 1
        assert number == 2


def test_a_save_with_what_is_near_takes_four_round_trips(postgres_store, postgres_database):
    """Two to look for what may be near, and two to write, of which the first reads it. It was 23, then 10."""
    with Memory.open(postgres_database(postgres_store)) as memory:
        memory.save("Zora Quill keeps the ledger", title="Zora Quill")
        number, saved = fewest(memory, said("written"))
        assert saved.near
        assert number == 4


def test_common_terms_are_counted_once_for_a_save(postgres_store, postgres_database, monkeypatch):
    """What is kept of the first look was taken for known in the second, which then asked for the rest again."""
    monkeypatch.setattr(text_index, "_COMMON_TERM_TEXTS", 1)
    with Memory.open(postgres_database(postgres_store)) as memory:
        memory.save("Zora Quill keeps the ledger", title="Zora Quill")
        number, _ = fewest(memory, [f"{text} of work{at} and craft{at}" for at, text in enumerate(said("bound"))])
        assert number == 4


def test_a_save_with_a_title_or_an_entity_takes_one_or_two_more(postgres_store, postgres_database):
    """A title is looked for in older texts, whose names are read again; the name of a new entity is looked for."""
    with Memory.open(postgres_database(postgres_store)) as memory:
        memory.save("Zora Quill keeps the ledger", title="Zora Quill", entities=["Max Webb"])
        trips = {
            "known entity": fewest(memory, said("sewn"), entities=lambda _: ["Max Webb"])[0],
            "new entity": fewest(memory, said("sold"), entities=lambda number: [f"Ivo Brandt{number}"])[0],
            "title": fewest(memory, said("lost"), title=lambda number: f"Zora {number}")[0],
        }
        assert trips == {"known entity": 4, "new entity": 5, "title": 6}


def test_an_entity_that_is_named_twice_is_made_once(memory):
    saved = memory.save("Ivo Brandt is here", entities=["Ivo Brandt", "Max Webb", "Ivo Brandt"])
    assert len(memory.relations(source_id=saved.node.id).edges) == 2
    assert len(memory.list(kind="entity").nodes) == 2
