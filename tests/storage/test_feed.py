"""The feed of changes: nobody misses one, sees one twice, or is told of what it may not see."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from wherefrom import InvalidInput, Memory, Store
from wherefrom.engine import feed
from wherefrom.model.changes import Position


@pytest.fixture
def store(url, clock):
    with Store.open(url, embedder="none", clock=clock) as opened:
        yield opened


def told(memory, after):
    return [(change.topic, change.node_id) for change in feed.changes(memory.view, after).items]


def test_each_change_is_told_once_with_ids_and_without_contents(store):
    memory = store.memory()
    start = feed.changes(memory.view)
    assert start.items == ()
    first = memory.save("A bridge of 1890.").node.id
    second = memory.save("橋は一八九〇年に架けられた。").node.id
    memory.relate(first, second, tag="related", weight=0.5)
    memory.save("A bridge of 1891.", memo_id=first)
    memory.delete(second)
    memory.search("bridge")
    found = feed.changes(memory.view, start.next_id)
    assert [(change.topic, change.node_id) for change in found.items] == [
        ("ingest", first), ("ingest", second), ("integrate", first), ("ingest", first), ("delete", second),
    ]  # fmt: skip
    assert found.items[2].other_id == second
    assert "bridge" not in repr(found) and "橋" not in repr(found)
    assert told(memory, found.next_id) == []
    ids = [change.id for change in found.items]
    assert len(set(ids)) == len(ids)
    for number, change_id in enumerate(ids):
        assert [change.id for change in feed.changes(memory.view, change_id).items] == ids[number + 1 :]


def test_a_page_goes_on_where_the_last_one_ended(store):
    memory = store.memory()
    after = feed.changes(memory.view).next_id
    made = [memory.save(f"memo number {number}").node.id for number in range(5)]
    pages = []
    while True:
        page = feed.changes(memory.view, after, limit=2)
        pages += [change.node_id for change in page.items]
        after = page.next_id
        if not page.more:
            break
    assert pages == made


def test_a_view_is_told_of_its_own_roots_and_classes_alone(store):
    everywhere = feed.end(store)
    views = {
        "team": store.memory(root="team"),
        "below": store.memory(root="team/a"),
        "also": store.memory(root="mine", also=["team/a"]),
        "other": store.memory(owner="somebody else", root="team"),
    }
    writer = store.memory(root="team")
    top = writer.save("at the top").node.id
    below = writer.save("further down", namespace="/a").node.id
    few = store.memory(root="team", allow=["answer:task", "tool:contact-lookup"])
    hidden = few.save("of few", boundary_class="pii").node.id
    mine = views["also"].save("of my own").node.id
    after = str(everywhere)
    assert {node for _, node in told(views["team"], after)} == {top, below}
    assert {node for _, node in told(views["below"], after)} == {below}
    assert {node for _, node in told(views["also"], after)} == {below, mine}
    assert told(views["other"], after) == []
    assert {node for _, node in told(few, after)} == {top, below, hidden}


def test_the_owners_whose_memories_have_changed_are_told_once_each(store):
    start = feed.end(store)
    assert feed.owners_after(store, start)[0] == set()
    for owner in ("one", "二", "one"):
        store.memory(owner=owner).save(f"of {owner}, {feed.end(store)}")
    owners, after = feed.owners_after(store, start)
    assert owners == {"one", "二"}
    assert feed.owners_after(store, after) == (set(), feed.end(store))
    store.memory(owner="one").search("nothing that is told")
    store.journal.write()
    assert feed.owners_after(store, after)[0] == set()


def test_an_event_whose_transaction_commits_later_is_not_missed(store):
    # Its number is lower than that of one that was committed before it.
    memory, position = store.memory(), feed.end(store)
    after, told_owners = str(position), []
    written, go_on, seen = threading.Event(), threading.Event(), []
    row = {
        "owner": "local", "at": "2026-01-01T00:00:00Z", "topic": "task", "namespace": "main", "payload": "{}",
        "request_id": None, "trace_id": None, "node_id": "slow", "other_id": None, "other_namespace": "main",
        "part_of": None, "boundary_class": "internal",
    }  # fmt: skip

    def slow(tx):
        tx.run("event_insert", row)
        written.set()
        go_on.wait(20)

    def poll():
        nonlocal position, after
        owners, position = feed.owners_after(store, position)
        told_owners.append(owners)
        found = feed.changes(memory.view, after)
        seen.extend(change.node_id for change in found.items)
        after = found.next_id

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(store.database.write, slow)
        assert written.wait(20)
        second = threads.submit(memory.save, "committed in between")
        if store.database.name == "postgres":
            second.result()
        poll()
        go_on.set()
        first.result()
        quick = second.result().node.id
    poll()
    assert sorted(seen) == sorted(["slow", quick])
    assert told_owners == [set(), {"local"}]


def test_many_writers_and_one_reader(store):
    position, seen, made = feed.end(store), [], []
    memories = {f"owner {number}": store.memory(owner=f"owner {number}") for number in range(4)}
    after = dict.fromkeys(memories, str(position))
    done = threading.Event()

    def read_all(owner):
        more = True
        while more:
            found = feed.changes(memories[owner].view, after[owner], limit=7)
            seen.extend(change.node_id for change in found.items)
            after[owner], more = found.next_id, found.more

    def read():
        nonlocal position
        while True:
            is_last = done.is_set()
            owners, position = feed.owners_after(store, position)
            for owner in owners:
                read_all(owner)
            if is_last and not owners:
                return

    def write(owner):
        made.extend(memories[owner].save(f"memo {owner} {each}").node.id for each in range(10))

    with ThreadPoolExecutor(5) as threads:
        reading = threads.submit(read)
        list(threads.map(write, memories))
        done.set()
        reading.result()
    assert sorted(seen) == sorted(made)


def test_a_position_before_what_is_kept_is_reset(store, clock):
    memory = store.memory()
    before = feed.changes(memory.view).next_id
    memory.save("long ago")
    between = feed.changes(memory.view).next_id
    clock.go_on(days=400)
    kept = memory.save("today").node.id
    memory.sweep()
    lost = feed.changes(memory.view, before)
    assert lost.reset and lost.items == ()
    assert told(memory, lost.next_id) == []
    assert not feed.changes(memory.view, between).reset
    assert told(memory, between) == [("ingest", kept)]


def test_a_position_of_another_store_is_reset_and_a_wrong_one_refused(store):
    memory = store.memory()
    assert feed.changes(memory.view, str(Position(10**17, 10**17))).reset
    for wrong in ("", "7", "1-", "-1-1", "1-1 ", "١-١", "9" * 40 + "-1"):
        with pytest.raises(InvalidInput):
            feed.changes(memory.view, wrong)


def test_a_memory_that_is_opened_alone_has_the_feed_too(url):
    with Memory.open(url) as memory:
        after = feed.changes(memory.view).next_id
        node = memory.save("alone").node.id
        assert told(memory, after) == [("ingest", node)]


def as_restored(url, execute):
    """Make a database look as if it had been restored from a cluster with far higher numbers of transactions."""
    execute(url, "update events set written_in = written_in + 100000000000")
    execute(url, "update event_floors set written_in = written_in + 100000000000")


def swept(memory, clock):
    """Let an owner have a floor and an event that was kept."""
    memory.save("long ago")
    clock.go_on(days=400)
    memory.save("today")
    memory.sweep()


def test_the_feed_goes_on_after_a_restore_into_a_younger_cluster(new_url, clock, execute):
    url = new_url("postgres")
    with Store.open(url, embedder="none", clock=clock) as store:
        for owner in ("with a floor", "without one"):
            memory = store.memory(owner=owner)
            memory.save("before all")
            early = feed.changes(memory.view).next_id
            swept(memory, clock) if owner == "with a floor" else memory.save("later")
    as_restored(url, execute)
    for _ in range(2):
        with Store.open(url, embedder="none", clock=clock) as store:
            for owner in ("with a floor", "without one"):
                memory = store.memory(owner=owner)
                late = str(Position(100000000000 + 5, 1))
                assert feed.changes(memory.view, early).reset and feed.changes(memory.view, late).reset
                after = feed.changes(memory.view, late).next_id
                assert feed.changes(memory.view, after).items == ()
                node = memory.save("after the restore, " + after).node.id
                found = feed.changes(memory.view, after)
                assert [change.node_id for change in found.items] == [node] and not found.reset
    assert execute(url, "select count(*) from events where written_in = 0") > [(0,)]


def test_a_restore_beneath_an_open_store_resets_nobody_for_ever(new_url, clock, execute):
    url = new_url("postgres")
    with Store.open(url, embedder="none", clock=clock) as store:
        memory = store.memory()
        swept(memory, clock)
        as_restored(url, execute)
        after = feed.changes(memory.view, str(Position(10**17, 1))).next_id
        node = memory.save("after the restore").node.id
        assert told(memory, after) == [("ingest", node)]


def test_a_floor_is_not_lowered(url, clock, execute):
    with Store.open(url, embedder="none", clock=clock) as store:
        memory = store.memory()
        swept(memory, clock)
        if url.startswith("postgresql"):
            execute(url, "update events set written_in = 0")
        before = execute(url, "select written_in, seq from event_floors")
        clock.go_on(days=400)
        memory.sweep()
        assert execute(url, "select written_in, seq from event_floors") >= before
