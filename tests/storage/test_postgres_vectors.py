"""pgvector: the index is made when there are many vectors, and filters come before the choice with it, too."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from embedders_for_tests import WORDS, Numbered

from wherefrom import Memory
from wherefrom.embedding.port import vectors_of
from wherefrom.storage import embeddings, postgres_vectors
from wherefrom.storage.port import SEARCHED, Near
from wherefrom.storage.postgres_pipeline import PipelinedTransaction
from wherefrom.text.check import content_hash


@pytest.fixture
def url(new_url):
    return new_url("postgres")


@pytest.fixture(autouse=True)
def small_index(monkeypatch):
    """An index from 100 vectors on."""
    monkeypatch.setattr(postgres_vectors, "_INDEXED_FROM", 100)


def fill(memory, texts):
    saved = memory.save("template")
    memory.export(stream := io.StringIO())
    memory.delete(saved.node.id)
    header, *rows = stream.getvalue().splitlines()
    template = json.loads(rows[-1])
    lines = [header] + [
        json.dumps(
            {**template, "id": f"{memory.view.access.owner}{at}", "content": text, "content_hash": content_hash(text)}
        )
        for at, text in enumerate(texts)
    ]
    memory.import_(io.BytesIO("\n".join(lines).encode()))
    return texts


def found(memory, query, count=10):
    answer = memory.vector_search(query, target="memos", top_k=count, min_similarity=0)
    return [each.text_preview for each in answer.results], answer.total_searched


def true_nearest(memory, texts, query, count=10):
    (direction,) = vectors_of(memory.view.store.embedder, [query])
    return [texts[at] for at in np.argsort(-(vectors_of(memory.view.store.embedder, texts) @ direction))[:count]]


@pytest.mark.slow
def test_the_index_is_made_used_and_dropped_with_its_model(url, execute, request):
    if request.config.getoption("partitioned"):
        pytest.skip("PostgreSQL makes no index of a partitioned table concurrently, and only tests have such tables")
    indexes = "select indexname from pg_indexes where indexname like 'embeddings_hnsw%'"
    with Memory.open(url) as memory:
        texts = fill(memory, [f"{WORDS[n % 16]} {WORDS[n // 16 % 16]} {n}" for n in range(1_200)])
        assert execute(url, indexes) == [("embeddings_hnsw_1",)]
        for query in ("a river of stone", "music in the city", "bread"):
            found(memory, query)  # the first one counts, the next uses the index
            got, searched = found(memory, query)
            assert searched == 1_200
            assert len(set(got) & set(true_nearest(memory, texts, query))) >= 9
        assert "embeddings_hnsw" in str(execute(url, "select idx_scan, indexrelname from pg_stat_user_indexes"))
    with Memory.open(url, embedder=Numbered("other")) as memory:
        memory.reembed()
        assert execute(url, indexes) == [("embeddings_hnsw_2",)]


@pytest.mark.slow
def test_a_small_part_of_a_large_table_is_searched_whole(url):
    with Memory.open(url, owner="alice") as alice, Memory.open(url, owner="bob") as bob:
        fill(alice, [f"cat {WORDS[n % 16]} {n}" for n in range(1_500)])
        texts = fill(bob, [f"interest rates of the central bank {n}" for n in range(130)])
        for _ in range(3):
            got, searched = found(bob, "cat", 50)
            assert searched == 130
            assert len(got) == len(set(got) & set(texts))
        assert len(bob.search("cat rates of the central bank", limit=50).hits) == 50
        assert len(found(bob, "rates of the bank", 50)[0]) == 50


def test_what_is_set_for_the_index_holds_for_its_search_alone(url, monkeypatch):
    """Also where several searches are looked ahead for, and each of them is tried again."""
    monkeypatch.setattr(postgres_vectors.PostgresVectors, "_indexed", lambda *_: 1)  # as if there were many vectors
    executed, execute = [], PipelinedTransaction._execute
    with Memory.open(url) as memory:
        memory.save("a river of stone")
        store, access = memory.view.store, memory.view.access
        (direction,) = vectors_of(store.embedder, ["stone"])

        def work(tx):
            model = embeddings.send_active(tx)()
            # The first two have the same settings.
            searches = [Near(direction, model, SEARCHED, limit) for limit in (5, 9, 100, 200)]

            def find(*several):
                return [store.database.vectors.send_nearest(tx, access, each)().ids for each in several]

            monkeypatch.setattr(
                PipelinedTransaction, "_execute", lambda tx, *given: (executed.append(given[0]), execute(tx, *given))[1]
            )
            tx.ahead(lambda: find(*searches[1:]), lambda: find(searches[0], searches[3]))
            found = find(*searches)
            off = "select count(*) from pg_settings where name in ('enable_sort', 'enable_seqscan') and setting = 'off'"
            return found, tx._connection.execute(off).fetchall()

        found, off = store.database.read(work)
    assert all(len(ids) == 1 for ids in found)
    assert off == [(0,)]
    assert executed == ["vector_settings", "vector_nearest", "vector_settings_end"] * 4
