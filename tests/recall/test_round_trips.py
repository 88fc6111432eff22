"""How often a read waits for PostgreSQL: a pipeline is one round trip, begin and commit are among them."""

from __future__ import annotations

from itertools import count, islice

import pytest
from import_for_tests import edge, node, stream
from round_trips_for_tests import counted

from wherefrom import Memory
from wherefrom.recall.candidates import CandidateReader
from wherefrom.storage import candidates, text_index

TEXTS = [
    f"{who} {what} in {where} on day {number}"
    for number, (who, what, where) in enumerate(
        (who, what, where)
        for who in ("Ada Lovelace", "Charles Babbage", "Mary Somerville")
        for what in ("wrote a letter", "gave a lecture", "missed a train", "planted a tree")
        for where in ("London", "Turin", "the Harbour of Genoa", "Oslo")
    )
]


@pytest.fixture
def warm(postgres_database, postgres_store, monkeypatch):
    """A memory with texts and relations whose connection has prepared all its statements; of few texts it keeps the
    statistics, as it does of many.
    """
    monkeypatch.setattr(text_index, "_TEXTS_COUNTED_EACH_TIME", 0)
    monkeypatch.setattr(candidates, "_NODES_COUNTED_EACH_TIME", 0)
    with Memory.open(postgres_database(postgres_store)) as memory:
        nodes = [node(f"n{number}", text) for number, text in enumerate(TEXTS)]
        follows = [edge(f"n{number}", f"n{number - 1}", tag="follows") for number in range(1, len(TEXTS))]
        memory.import_(stream(*nodes, *follows))
        for question in ("Who wrote a letter in Turin?", "Did Mary Somerville plant a tree in Oslo?"):
            memory.search(question)
            memory.activate(question)
            memory.vector_search(question, target="memos", min_similarity=0)
        yield memory


def test_reads_wait_for_the_server_a_few_times_only(warm):
    question = "Who missed a train near the Harbour of Genoa?"
    reads = {
        "search": lambda: warm.search(question).hits,
        "vector_search": lambda: warm.vector_search(question, target="memos", min_similarity=0).results,
        "activate": lambda: warm.activate(question).items,
    }
    trips = {}
    for name, read in reads.items():
        # Now and then events are written, or the policies read again, on the same connection.
        counts = []
        for _ in range(4):
            with counted(warm) as found:
                assert len(read()) > 5
            counts.append(found.number)
        trips[name] = min(counts)
    assert "graph" in warm.activate(question).parameters["arms"]
    assert trips == {"search": 4, "vector_search": 4, "activate": 6}


def test_looking_ahead_for_a_read_that_always_asks_something_else_ends(warm):
    owners = islice(count(), 100)  # without a bound it would go on until there are no more

    def work(tx):
        tx.ahead(lambda: tx.number("event_total", {"owner": str(next(owners))}))
        return tx.number("event_total", {"owner": "new"})

    assert warm.view.store.database.read(work) == 0
    assert next(owners) == 20


def test_a_glance_that_always_asks_something_else_becomes_a_read(warm):
    """It went on outside of any transaction, where settings for one have no effect."""
    owners = islice(count(), 100)  # without a bound it would go on until there are no more

    def work(tx):
        found = tx.number("event_total", {"owner": str(next(owners))})
        return found, tx._connection.execute("show transaction_isolation").fetchone()

    assert warm.view.store.database.glance(work) == (0, ("repeatable read",))


def test_nodes_that_become_likely_later_are_read_as_well(warm):
    """They were looked for among those that were read the first time, and left out."""

    def work(tx):
        reader, found = CandidateReader(tx, warm.view.access, warm.view.store, None), []
        for node_id in ("n1", "n2"):
            reader._likely_ones()[node_id] = None
            found += reader.read_nodes([node_id])
        return found

    assert warm.view.store.database.read(work) == ["n1", "n2"]
