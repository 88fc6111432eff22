"""The vector index of a SQLite file: it follows every writer, filters first, and its cache is never trusted blindly."""

from __future__ import annotations

import io
import json
import os

import apsw
import numpy as np
import pytest
from embedders_for_tests import WORDS
from import_for_tests import put

from wherefrom import Memory
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import embeddings, vector_cache, vector_codes, vector_index
from wherefrom.storage.port import Near, Times
from wherefrom.text.check import content_hash


@pytest.fixture
def small_codes(monkeypatch):
    """Codes from 200 rows on, so that a test can fill some."""
    monkeypatch.setattr(vector_index, "CODED_FROM", 200)
    monkeypatch.setattr(vector_index, "_MAX_COMPARED_ROWS", 20)


def fill(memory, count, *, start=0):
    """Import memos that differ in what they are about."""
    saved = memory.save("template")
    memory.export(stream := io.StringIO())
    memory.delete(saved.node.id)
    header, *rows = stream.getvalue().splitlines()
    template = json.loads(rows[-1])
    lines = [header]
    for number in range(start, start + count):
        text = f"{WORDS[number % 16]} {WORDS[number // 16 % 16]} {WORDS[number // 256 % 16]} {number}"
        node = {"id": f"n{number}", "content": text, "content_hash": content_hash(text)}
        lines.append(json.dumps({**template, **node, "namespace": f"main/{number % 3}"}))
    memory.import_(io.BytesIO("\n".join(lines).encode()))
    found(memory, "anything")


def true_nearest(path, memory, query, count, where="true"):
    rows = (
        apsw.Connection(str(path))
        .execute(f"select n.id, e.vector from nodes n join embeddings e on e.node_seq = n.seq where {where}")
        .fetchall()
    )
    vectors = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(len(rows), -1)
    (direction,) = memory.view.store.embedder.embed([query])
    order = np.argsort(-(vectors @ direction), kind="stable")[:count]
    return [rows[at][0] for at in order]


def found(memory, query, count=10, **given):
    answer = memory.vector_search(query, target="memos", top_k=count, min_similarity=0, **given)
    return [each.id for each in answer.results], answer.total_searched


def index_of(memory):
    return memory.view.store.database.vectors


def test_it_sees_what_others_write_delete_and_move(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as one, Memory.open(path) as other, Memory.open(path, root="main/private") as inside:
        first = one.save("the kitten naps").node.id
        assert found(other, "sleeping cat") == ([first], 1)
        second = other.save("a cat is asleep", namespace="private").node.id
        assert set(found(one, "sleeping cat")[0]) == {first, second}
        assert found(inside, "sleeping cat") == ([second], 1)
        other.rename_namespace("private", "open")
        with pytest.raises(Exception, match="no embeddings"):
            found(inside, "sleeping cat")
        one.save("interest rates rise", memo_id=second)
        assert found(other, "sleeping cat")[0][0] == first
        other.delete(first)
        assert found(one, "rates") == ([second], 1)


def test_codes_find_the_true_neighbours_and_follow_changes(tmp_path, small_codes):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        fill(memory, 1_000)
        assert (tmp_path / "memory.db-vectors").stat().st_mode & 0o777 == 0o600
        for query in ("cat", "river stone", "music in the city 7"):
            ids, searched = found(memory, query)
            assert searched == 1_000
            assert set(ids) == set(true_nearest(path, memory, query, 10))
        for number in range(0, 90, 3):
            memory.delete(f"n{number}")
        memory.save("cat cat cat", memo_id="n1")
        ids, searched = found(memory, "cat", 30)
        assert searched == 970
        assert set(ids) == set(true_nearest(path, memory, "cat", 30))
        ids, searched = found(memory, "river", 10, namespace="main/2")
        assert searched == 333
        assert ids == true_nearest(path, memory, "river", 10, "n.namespace = 'main/2'")


def test_rows_beyond_rounding_are_read_only_where_others_are_hidden(tmp_path, small_codes, monkeypatch):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        fill(memory, 1_000)
        store, access = memory.view.store, memory.view.access
        read: list[int] = []

        def nearest(tx, limit=5, **given):
            rows = tx.rows

            def counted(name, parameters):
                read.extend([len(json.loads(parameters["seqs"]))] if name == "embedding_rows" else [])
                return rows(name, parameters)

            monkeypatch.setattr(tx, "rows", counted, raising=False)
            (direction,) = store.embedder.embed(["cat river"])
            near = Near(direction, embeddings.send_active(tx)(), ("memo",), limit, **given)
            return list(store.database.vectors.send_nearest(tx, access, near)().ids)

        true = true_nearest(path, memory, "cat river", 9)
        assert store.database.read(nearest) == true[:5]
        assert store.database.read(lambda tx: nearest(tx, quick=True)) == true[:5]
        assert all(5 <= count < 5 + vector_index._EXTRA_CANDIDATES for count in read)
        for gone in true[:4]:
            memory.save(f"other {gone}", supersedes=[gone])
        read.clear()
        times = Times(timestamp(store.clock()), holding=True)
        assert store.database.read(lambda tx: nearest(tx, times=times)) == true[4:]
        assert len(read) == 2


def test_more_vectors_than_are_compared_at_once_but_too_few_for_codes(tmp_path, monkeypatch):
    monkeypatch.setattr(vector_index, "_MAX_COMPARED_ROWS", 20)
    with Memory.open(tmp_path / "m.db") as memory:
        fill(memory, 60)
        nearest, searched = found(memory, "a question", 5)
        assert (nearest, searched) == (true_nearest(tmp_path / "m.db", memory, "a question", 5), 60)


def test_a_worn_index_is_built_anew_behind_the_searches(tmp_path, small_codes):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        fill(memory, 300)
        assert index_of(memory)._rows.codes.rows == 300
        fill(memory, 300, start=300)
        with Memory.open(path) as other:
            put(other, [f"dog number {number}" for number in range(250)])
        found(memory, "dog")
        index_of(memory)._building.join()
        assert index_of(memory)._rows.codes.rows == 850
        assert set(found(memory, "dog")[0]) == set(true_nearest(path, memory, "dog", 10))


def test_the_cache_is_used_and_caught_up_with(tmp_path, small_codes, monkeypatch):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        fill(memory, 300)
        memory.save("a whale in the sea")
    monkeypatch.setattr(vector_codes, "build", None)  # whoever builds fails
    with Memory.open(path) as memory:
        ids, searched = found(memory, "whales", 1)
        assert searched == 301
        assert ids == true_nearest(path, memory, "whales", 1)


@pytest.mark.parametrize("moment", ["before there is room for the cache", "while the index is built"])
def test_what_is_erased_while_another_process_builds_the_index_does_not_come_back_in_its_cache(
    tmp_path, small_codes, monkeypatch, moment
):
    path, build = tmp_path / "memory.db", vector_codes.build
    with Memory.open(path) as memory, Memory.open(path) as other:
        fill(memory, 300)
        erased = memory.save("a whale in the sea").node.id
        index_of(memory).drop_copies()
        index, model = index_of(other), other.view.store.database.read(lambda tx: embeddings.send_active(tx)())

        def erase():
            memory.delete(erased)
            memory.view.store.database.erase_deleted(vacuum=False)

        def erase_and_build(*given):
            erase()
            return build(*given)

        if moment == "while the index is built":
            monkeypatch.setattr(vector_codes, "build", erase_and_build)

        def begun_before(tx):
            tx.row("changes_range", {})  # from here on it sees what was there by now
            if moment == "before there is room for the cache":
                erase()
            return index._build(tx, model)

        rows = other.view.store.database.read(begun_before)
        assert rows.size == 301
        assert list(tmp_path.glob("memory.db-vectors*")) == []
        monkeypatch.setattr(vector_codes, "build", build)
        assert other.view.store.database.read(lambda tx: index._build(tx, model)).size == 300
        assert len(list(tmp_path.glob("memory.db-vectors*"))) == 1


def test_a_file_whose_name_begins_as_that_of_the_cache_stays(tmp_path):
    own, cache = tmp_path / "memory.db-vectors.bak", tmp_path / "memory.db-vectors"
    own.write_bytes(b"a copy")
    os.utime(own, (0, 0))
    with vector_cache.room(cache):
        pass
    vector_cache.remove(cache)
    assert own.read_bytes() == b"a copy"


def test_a_room_that_has_just_gone_does_not_end_the_cache(tmp_path, monkeypatch):
    cache = tmp_path / "memory.db-vectors"
    monkeypatch.setattr(vector_cache, "_rooms", lambda cache: [tmp_path / "gone"])
    with vector_cache.room(cache) as made:
        assert made is not None and made.exists()
    assert not made.exists()


def with_header(content, **changed):
    """A cache whose header says something else."""
    header, rest = content.split(b"\n", 1)
    return json.dumps({**json.loads(header), **changed}).encode() + b"\n" + rest


def as_arrays_with_types(content):
    """A cache as former versions wrote it, whose arrays say themselves what they are: here, pointers to objects."""
    stream = io.BytesIO()
    for _ in range(6):
        np.lib.format.write_array_header_1_0(stream, {"descr": "|O", "fortran_order": False, "shape": (300, 256)})
        stream.write(b"A" * 70_000)
    return content.split(b"\n", 1)[0] + b"\n" + stream.getvalue()


DAMAGES = {
    "empty": lambda good: b"",
    "garbage": lambda good: b"\xff" * 900,
    "nested": lambda good: b"[" * 200_000 + b"\n",
    "cut": lambda good: good[:5_000],
    "cut at the end": lambda good: good[:-500],
    "too long": lambda good: good + bytes(500),
    "foreign": lambda good: with_header(good, salt=1),
    "former": lambda good: with_header(good, format=2),
    "typed": as_arrays_with_types,
    "huge": lambda good: with_header(good, rows=90_000_000_000_000),
    "fewer": lambda good: with_header(good, rows=299),
    "none": lambda good: with_header(good, rows=-300),
    "fraction": lambda good: with_header(good, rows=300.0),
    "no number": lambda good: with_header(good, rows="300"),
    "no such change": lambda good: with_header(good, change=10**30),
    "no scopes": lambda good: with_header(good, scopes=[]),
}


@pytest.fixture(scope="module")
def cached(tmp_path_factory):
    """A database and its cache."""
    path = tmp_path_factory.mktemp("cached") / "memory.db"
    with pytest.MonkeyPatch.context() as patch, Memory.open(path) as memory:
        patch.setattr(vector_index, "CODED_FROM", 200)
        fill(memory, 300)
    return path, path.with_name("memory.db-vectors").read_bytes()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_cache_that_is_no_good_is_made_anew(cached, small_codes, damage):
    path, good = cached
    cache = path.with_name("memory.db-vectors")
    cache.write_bytes(DAMAGES[damage](good))
    with Memory.open(path) as memory:
        assert set(found(memory, "cat")[0]) == set(true_nearest(path, memory, "cat", 10))
    assert cache.read_bytes() == good


def test_a_log_that_was_forgotten_means_building_anew(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory, Memory.open(path) as other:
        memory.save("the kitten naps")
        assert found(memory, "cat")[1] == 1
        for number in range(5):
            other.save(f"dog {number}")
        with apsw.Connection(str(path)) as connection:
            connection.execute("delete from changes where seq < (select max(seq) from changes)")
        assert found(memory, "cat")[1] == 6


def test_the_log_forgets_by_itself(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.save("x")
        with apsw.Connection(str(path)) as connection:
            connection.execute("insert into changes (seq, node_seq) values (119999, 1)")
        memory.save("y")
        (oldest,) = apsw.Connection(str(path)).execute("select min(seq) from changes").fetchone()
        assert oldest == 119_999
        assert found(memory, "y")[1] == 2


def test_another_process_sees_no_owner_but_its_own(tmp_path, small_codes):
    path = tmp_path / "memory.db"
    with Memory.open(path, owner="alice") as alice, Memory.open(path, owner="bob") as bob:
        fill(alice, 300)
        mine = bob.save("cat cat cat").node.id
        assert found(bob, "cat") == ([mine], 1)
        assert found(alice, "cat")[1] == 300


def test_codes_find_nearly_all_of_the_true_neighbours():
    numbers = np.random.default_rng(1)
    # Like texts: some subjects, a direction that all have in common, and what is theirs alone.
    subjects = numbers.standard_normal((40, 128))
    vectors = 0.5 + subjects[numbers.integers(0, 40, 5_000)] + numbers.standard_normal((5_000, 128))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    codes = vector_codes.build([vectors[:3_000], vectors[3_000:]], vectors.mean(axis=0), 5_000)
    assert codes.rows == 5_000
    everywhere = np.arange(5_000)
    shares = []
    for question in vectors[::250]:
        exact = vectors @ question
        assert np.allclose(codes.similarities(question, everywhere), exact, atol=0.01)
        true = set(np.argsort(-exact)[:10].tolist())
        shares.append(len(true & set(codes.nearest(question, 250).tolist())) / 10)
    assert np.mean(shares) >= 0.99
    assert codes.nearest(vectors[0], 5_000).tolist() == everywhere.tolist()


def test_dimensions_that_fill_no_word_of_64_signs():
    vectors = np.random.default_rng(2).standard_normal((300, 10)).astype(np.float32)
    codes = vector_codes.build([vectors], np.zeros(10, dtype=np.float32), 300)
    assert 7 in codes.nearest(vectors[7], 20)
    assert codes.signs.shape == (1, 300)


@pytest.mark.parametrize("dimension", [3, 64, 200])
def test_signs_are_counted_twice_where_the_question_is_strong(dimension, monkeypatch):
    """In parts, of which the last is not full, and with a last word that the signs do not fill."""
    monkeypatch.setattr(vector_codes, "_WORDS_AT_ONCE", 100)
    numbers = np.random.default_rng(dimension)
    vectors = numbers.normal(size=(230, dimension)).astype(np.float32)
    question = numbers.normal(size=dimension).astype(np.float32)
    codes = vector_codes.build([vectors], np.zeros(dimension, dtype=np.float32), len(vectors))
    differs = (vectors > 0) != (question > 0)
    is_strong = np.abs(question) > np.median(np.abs(question))
    assert codes._distances(question).tolist() == (differs.sum(1) + (differs & is_strong).sum(1)).tolist()
