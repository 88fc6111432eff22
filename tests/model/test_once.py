"""What is made at first use is made once, whichever thread asks first."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from wherefrom.model.once import once

THREADS = 16


class Held:
    def __init__(self) -> None:
        self.made = []
        self.fails = 0

    @once
    def slow(self) -> object:
        """Something that takes a while."""
        if self.fails:
            self.fails -= 1
            raise OSError
        time.sleep(0.05)
        self.made.append(object())
        return self.made[-1]

    @once
    def other(self) -> tuple[object, str]:
        return self.slow, "other"


def together(ask):
    meet = threading.Barrier(THREADS)

    def one(_):
        meet.wait()
        return ask()

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(one, range(THREADS)))


def test_threads_that_ask_at_the_same_time_get_one_object():
    held, another = Held(), Held()
    assert "slow" not in vars(held)
    found = together(lambda: held.slow)
    assert len(held.made) == 1 and set(found) == {held.made[0]}
    assert held.slow is vars(held)["slow"]
    assert another.slow is not held.slow
    assert Held.slow.__doc__ == "Something that takes a while."


def test_one_may_be_made_of_another():
    held = Held()
    assert set(together(lambda: held.other)) == {(held.made[0], "other")}


def test_what_failed_is_tried_again():
    held = Held()
    held.fails = 1
    with pytest.raises(OSError):
        _ = held.slow
    assert held.slow is held.slow


def test_a_database_has_one_index(memory, monkeypatch):
    database = memory.view.store.database
    made = []
    kind = type(database).vectors.func

    def slow(self):
        time.sleep(0.05)
        made.append(kind(self))
        return made[-1]

    monkeypatch.setattr(type(database).vectors, "func", slow)
    database.__dict__.pop("vectors", None)
    assert len(set(map(id, together(lambda: database.vectors)))) == len(made) == 1
