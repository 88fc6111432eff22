"""A store is opened once, and seen through cheap views: each has its owner's rows and policies, and closes nothing."""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from wherefrom import InvalidInput, InvalidNamespace, Memory, Store, WherefromError
from wherefrom.model import limits

STRICT = "version: 1.0.0\nboundary_classes:\n  internal: {allow: ['role:admin']}\n"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened


def counted(store: Store) -> list[str]:
    """What is asked of the database from now on."""
    asked: list[str] = []
    for name in ("read", "write"):
        run = getattr(store.database, name)

        def told(work, run=run, name=name):
            asked.append(name)
            return run(work)

        setattr(store.database, name, told)
    return asked


def use(store: Store, owner: str, *, rounds: int = 1) -> None:
    """What a request does, with a view of its own each time; raises if it meets the rows of another owner."""
    text = f"the harbour of {owner} closes at dusk"
    for _ in range(rounds):
        saved = store.memory(owner=owner).save(text)
        hits = store.memory(owner=owner).search("when does the harbour close?").hits
        context = store.memory(owner=owner).activate("when does the harbour close?")
        assert [hit.node.id for hit in hits] == [saved.node.id]
        assert [item.node.content for item in context.items] == [text]


def test_owners_see_their_own_rows_only(store):
    ann, bob = store.memory(owner="ann"), store.memory(owner="bob")
    hers, his = ann.save("tea at five").node, bob.save("tea at five").node
    assert hers.id != his.id
    assert [node.id for node in ann.list().nodes] == [hers.id]
    assert [hit.node.id for hit in bob.search("tea").hits] == [his.id]
    assert bob.query_graph("select id from memos").rows == ((his.id,),)
    with pytest.raises(WherefromError):
        bob.get(hers.id)


def test_a_view_costs_no_access_to_the_database(store):
    asked = counted(store)
    threads = threading.active_count()
    for number in range(1_000):
        store.memory(owner=f"owner {number}")
    assert not asked
    assert threading.active_count() == threads


def test_a_view_is_cheap(store):
    store.memory(owner="first")
    started = time.thread_time()
    for number in range(1_000):
        store.memory(owner=f"owner {number}")
    assert time.thread_time() - started < 1, "a millisecond each, and a tenth of that here"
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        views = [store.memory(owner=f"owner {number}") for number in range(1_000)]
        assert (tracemalloc.get_traced_memory()[0] - before) / len(views) < 4_096
    finally:
        tracemalloc.stop()


def test_a_view_has_what_the_settings_say_and_what_is_given(url, monkeypatch):
    monkeypatch.setenv("WHEREFROM_OWNER", "ann")
    monkeypatch.setenv("WHEREFROM_ROOT", "team")
    monkeypatch.setenv("WHEREFROM_NAMESPACE", "notes")
    with Store.open(url) as store:
        info = store.memory().info()
        assert (info.owner, info.root_namespace, info.default_namespace) == ("ann", "team", "team/notes")
        info = store.memory(owner="bob", root="other", namespace="drafts", also=["shared/rules"]).info()
        assert (info.owner, info.root_namespace, info.default_namespace) == ("bob", "other", "other/drafts")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"owner": " "}, InvalidInput),
        ({"owner": "x" * (limits.OWNER_CHARACTERS + 1)}, InvalidInput),
        ({"root": ".."}, InvalidNamespace),
        ({"namespace": "../.."}, InvalidNamespace),
        ({"also": "team"}, InvalidInput),
        ({"also": ["a/../b"]}, InvalidNamespace),
        ({"allow": [1]}, InvalidInput),
    ],
)
def test_a_view_is_checked(store, given, error):
    with pytest.raises(error):
        store.memory(**given)


def test_a_memory_that_is_refused_makes_no_file(tmp_path):
    with pytest.raises(InvalidNamespace):
        Memory.open(tmp_path / "memory.db", root="..")
    assert not list(tmp_path.iterdir())


def test_closing_a_view_closes_nothing_and_closing_the_store_closes_all(url):
    store = Store.open(url)
    with store.memory(owner="ann") as ann:
        ann.save("a")
    ann.close()
    ann.query_graph("select 1")
    assert len(ann.list().nodes) == 1
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: store.close(), range(8)))
    store.close()
    for refused in (lambda: ann.save("b"), lambda: ann.query_graph("select 1"), lambda: store.memory().list()):
        with pytest.raises(WherefromError):
            refused()


def test_all_is_closed_even_if_a_part_fails(url):
    class Broken:
        model_id, sends, instant = "broken", False, True

        def close(self):
            raise RuntimeError("broken")

    store = Store.open(url, embedder=Broken())
    closed = []
    close = store.database.close
    store.database.close = lambda: (closed.append(True), close())
    with pytest.raises(RuntimeError):
        store.close()
    assert closed == [True]
    store.close()


def test_a_memory_that_was_opened_closes_its_store(url):
    with Memory.open(url) as memory:
        memory.save("a")
        store = memory.view.store
    with pytest.raises(WherefromError):
        store.memory().list()


def test_a_policy_holds_at_once_in_the_other_views_of_its_owner_and_in_no_others(store):
    seen = ("answer:task", "role:admin")
    ann, again = store.memory(owner="ann", allow=seen), store.memory(owner="ann")
    bob = store.memory(owner="bob")
    for memory in (ann, bob):
        memory.save("tea at five")
    assert len(again.list().nodes) == len(bob.list().nodes) == 1
    ann.apply_policy(STRICT)
    assert not again.list().nodes
    assert len(ann.list().nodes) == len(bob.list().nodes) == 1


def test_the_policies_of_an_owner_are_read_once_a_second_for_all_views(store):
    store.memory(owner="ann").list()
    asked = counted(store)
    for _ in range(10):
        store.memory(owner="ann").list()
    assert len(asked) <= 10 + 2, "the lists, and what a second that passed meanwhile costs"


def test_what_many_make_at_first_use_is_made_once(store):
    made = []
    make = store.database.reader

    def slowly(analyses):
        made.append(True)
        time.sleep(0.05)
        return make(analyses)

    store.database.reader = slowly
    with ThreadPoolExecutor(8) as threads:
        readers = set(threads.map(lambda _: store.reader, range(8)))
        caches = set(map(id, threads.map(lambda _: store.pair_cache, range(8))))
    assert len(made) == len(readers) == len(caches) == 1


@pytest.mark.parametrize("count", [50, pytest.param(500, marks=pytest.mark.long)])
def test_many_owners_share_a_store_in_sixteen_threads(store, count):
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda number: use(store, f"owner {number}"), range(count)))
    for number in range(0, count, 7):
        nodes = store.memory(owner=f"owner {number}").list().nodes
        assert [node.content for node in nodes] == [f"the harbour of owner {number} closes at dusk"]


def test_texts_are_sent_for_the_access_that_saved_them_and_no_other(url, tmp_path):
    sent: list[str] = []

    class Sending:
        model_id, sends, instant, dimension = "sending", True, False, 2

        def embed(self, texts):
            import numpy as np

            sent.extend(texts)
            return np.ones((len(texts), 2), dtype="float32")

        def close(self):
            """Nothing is open."""

    with Memory.open(url, owner="silent", embedder="none") as silent:
        silent.save("never sent")
    with closing(Store.open(url, embedder=Sending())) as store:
        for owner in ("ann", "bob"):
            store.memory(owner=owner).save(f"a text of {owner}")
        store.worker.wait()
    assert sorted(sent) == ["a text of ann", "a text of bob"]
