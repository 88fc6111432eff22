"""What all owners of a store share: caches that are bounded and keep them apart, readers that many threads use."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from also_for_tests import NOW, access_of, node_of, put, read

from wherefrom import StoreUnavailable
from wherefrom.explore.views import all_rendered
from wherefrom.storage import kept, postgres_vectors, text_index
from wherefrom.storage.agent.port import Budget, Statement
from wherefrom.storage.candidates import UtilityStatistics
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import SearchRequest, Times
from wherefrom.storage.text_index import Sample, TextSearch
from wherefrom.storage.vector_index import Scopes

OWNERS = 40
BUDGET = Budget(rows=10, timeout_ms=2_000, steps=1_000_000, answer_bytes=100_000)


@pytest.fixture
def owners(memory):
    """A row of each of many owners."""
    names = [f"owner {number}" for number in range(OWNERS)]
    for name in names:
        put(memory, node_of("me", f"the bridge of {name}", id=f"id of {name}"), owner=name)
    return names


def in_threads(ask, given, *, threads=16):
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(ask, given))


def test_a_reader_answers_each_owner_with_their_own_rows(memory, owners):
    reader = memory.view.store.database.reader(all_rendered())

    def ask(given):
        owner, ours = given
        asked = Statement("select id from memos", BUDGET, NOW, ours=ours)
        return owner, reader.answer(access_of(owner=owner), asked).rows, reader.shapes(access_of(owner=owner))

    asked = [(owner, ours) for owner in owners for ours in (True, False, True)]
    for owner, rows, shapes in in_threads(ask, asked):
        assert rows == ((f"id of {owner}",),)
        assert shapes
    reader.close()


def test_searches_of_many_owners_share_their_caches(memory, owners):
    search, utilities = TextSearch(), UtilityStatistics()

    def ask(owner):
        access = access_of(owner=owner)
        question = SearchRequest("bridge", None, None, ("memo",), times=Times(NOW))

        def look(tx):
            spread = utilities.mean_deviation(tx, access, question, half_life_days=30.0)
            return search.send_best(tx, access, question, limit=5)().scored, spread

        found, _ = read(memory, look)
        return owner, [node_id for node_id, _ in found]

    for owner, found in in_threads(ask, owners * 3):
        assert found == [f"id of {owner}"]
    assert len(search._statistics) == OWNERS


def test_what_is_kept_is_bounded_by_number_weight_and_time(monkeypatch):
    now = 100.0
    monkeypatch.setattr(kept.time, "monotonic", lambda: now)
    some = Kept[str, str](entries=3, seconds=10.0, weight=10, weigh=len)
    for name in "abcd":
        some.put(name, name)
    assert [some.get(name) for name in "abcd"] == [None, "b", "c", "d"]
    some.get("b")
    some.put("e", "e")
    assert [some.get(name) for name in "bcde"] == ["b", None, "d", "e"]
    some.put("f", "f" * 9)
    assert [some.get(name) for name in "def"] == [None, "e", "f" * 9]
    some.put("g", "g" * 99)  # heavier than all together may be: it is kept alone
    assert (len(some), some.get("g")) == (1, "g" * 99)
    some.put("g", "g")
    assert some._held_weight == 1
    now += 10.0
    assert some.get("g") is None and len(some) == 0 and some._held_weight == 0


def test_what_is_kept_survives_many_threads():
    some = Kept[int, int](entries=50, weight=200, weigh=lambda value: value % 7)

    def use(seed):
        for step in range(2_000):
            key = (seed * 31 + step * 7) % 120
            some.put(key, key)
            assert some.get(key) in (key, None)

    in_threads(use, range(16))
    assert len(some) <= 50
    assert some._held_weight == sum(key % 7 for key in some._held) <= 200


def test_a_sample_counts_terms():
    sample = Sample({"bridge": 3, "tower": 200, "橋": 1})
    assert [sample.count(term) for term in ("bridge", "tower", "橋", "river")] == [3, 200, 1, 0]
    assert (len(sample), Sample({}).count("x")) == (3, 0)


def test_the_samples_of_all_owners_together_are_bounded(memory, owners, monkeypatch):
    monkeypatch.setattr(text_index, "_MAX_SAMPLED_TERMS", 20)
    search = TextSearch()
    question = SearchRequest("bridge", None, None, ("memo",), times=Times(NOW))
    for owner in owners:
        read(memory, lambda tx, owner=owner: search.send_best(tx, access_of(owner=owner), question, limit=5)().scored)
    assert search._statistics._held_weight <= 20


def test_scopes_of_an_index_are_looked_up_by_owner():
    scopes = Scopes([("a", "me", "memo", "internal"), ("b", "me", "memo", "internal")])
    access = access_of(owner="a", also=["team"])
    assert scopes.allowed(access, ("memo",)).tolist() == [True, False]
    rows = [(1, b"", "b", "team", "memo", "public"), (2, b"", "a", "team/x", "memo", "public")]
    rows += [(3, b"", "a", "teams", "memo", "public"), (4, b"", "a", "me", "claim", "public")]
    numbers = scopes.numbers(rows)
    allowed = scopes.allowed(access, ("memo",))
    assert [bool(allowed[number]) for number in numbers] == [False, True, False, False]
    assert len(scopes) == 6 and scopes.numbers(rows) == numbers
    assert not scopes.allowed(access_of(owner="c"), ("memo",)).any()
    hidden = access_of(owner="a", also=["team"], hidden=("public team/",))
    assert np.flatnonzero(scopes.allowed(hidden, ("memo",))).tolist() == [0]


def test_counts_of_vectors_are_bounded():
    vectors = postgres_vectors.PostgresVectors(lambda: pytest.fail("no connection"))
    for number in range(3_000):
        vectors._counts.put(number, (0.0, 1))
    assert len(vectors._counts) == 1_000


def test_threads_that_wait_for_a_server_that_is_away_wait_together(new_url, monkeypatch):
    from wherefrom.storage.agent import postgres
    from wherefrom.storage.postgres import PostgresDatabase

    database = PostgresDatabase(new_url("postgres"), busy_timeout_ms=500, connect_timeout_ms=2_000, pool_size=2)
    reader = database.reader(all_rendered())
    attempts = []

    def away(*_, **__):
        attempts.append(1)
        time.sleep(0.3)
        raise StoreUnavailable("PostgreSQL cannot be reached: no answer", hint="is it running?")

    meet = threading.Barrier(8)

    def ask(_):
        meet.wait()
        with pytest.raises(StoreUnavailable, match="no answer"):
            reader.answer(access_of(), Statement("select 1", BUDGET, NOW))

    with monkeypatch.context() as patched:
        patched.setattr(postgres, "connect", away)
        began = time.monotonic()
        in_threads(ask, range(8), threads=8)
        assert time.monotonic() - began < 8 * 0.3, "not one after the other"
    assert len(attempts) == 1
    assert reader.answer(access_of(), Statement("select 1", BUDGET, NOW)).rows == ((1,),)
    reader.close()
    database.close()
