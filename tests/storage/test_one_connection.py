"""Transactions of one process on SQLite that overlap use one connection if they are short, and do not wait for long ones."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from wherefrom import Memory
from wherefrom.model.slots import Baton


@pytest.fixture
def database(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=None) as memory:
        yield memory.view.store.database


def test_short_transactions_follow_each_other_on_one_connection(database):
    """Each on its own connection would forget what it has read whenever another one writes."""
    database._baton = Baton(60.0)

    def work(tx):
        time.sleep(0.002)
        return id(tx._connection)

    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(database.write if number % 2 else database.read, work) for number in range(40)]
        used = {call.result() for call in calls}
    assert len(used) == 1


def test_a_long_transaction_keeps_others_waiting_for_a_moment_only(database):
    begun, may_end = threading.Event(), threading.Event()

    def long(tx):
        begun.set()
        assert may_end.wait(60)
        return id(tx._connection)

    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(database.read, long)
        assert begun.wait(60)
        others = {database.read(lambda tx: id(tx._connection)) for _ in range(5)}
        may_end.set()
        assert call.result() not in others
    assert len(others) == 1


def test_a_transaction_within_another_does_not_wait_for_it(database):
    database._baton = Baton(60.0)
    started = time.monotonic()
    assert database.read(lambda tx: database.read(lambda inner: inner._connection is not tx._connection))
    assert time.monotonic() - started < 30


def test_a_baton_that_was_lost_is_not_handed_on_by_who_lost_it():
    baton = Baton(0.01)
    lost = baton.take()
    mine = baton.take()
    baton.hand_on(lost)
    assert baton._holder is mine
    baton.hand_on(mine)
    assert baton._holder is None


def test_who_fails_hands_the_baton_on(database):
    database._baton = Baton(60.0)
    with pytest.raises(ZeroDivisionError):
        database.read(lambda tx: 1 / 0)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(database.read, lambda tx: 1).result(30) == 1
