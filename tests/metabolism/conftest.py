"""A memory for each test of metabolism, in a store that the tests of a file share: each is another owner's."""

from __future__ import annotations

import shutil
import uuid
from contextlib import ExitStack, contextmanager

import pytest
from metabolism_for_tests import Graph, Placed, says

from wherefrom import Memory


@pytest.fixture(scope="module", params=("sqlite", "postgres"))
def store(request, tmp_path_factory):
    """The URL of a store, once of each dialect."""
    if request.param == "sqlite":
        place = tmp_path_factory.mktemp("metabolism") / "memory.db"
        return str(shutil.copy(request.getfixturevalue("sqlite_store"), place))
    name = request.getfixturevalue("postgres_store")
    return request.getfixturevalue("postgres_database")(name)


@pytest.fixture
def owner():
    return uuid.uuid4().hex


@pytest.fixture
def open_memory(store, owner, clock):
    """Opens the memory of one owner in different ways."""
    with ExitStack() as opened:
        yield lambda **given: opened.enter_context(
            Memory.open(store, owner=owner, clock=clock, **{"embedder": Placed(), **given})
        )


@pytest.fixture
def graph():
    """Two strong nodes, and a strong one that says something about amber."""
    made = Graph()
    one, _ = made.hubs()
    made.strong("original", says("Amber"), to=one)
    return made


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def later(clock):
    """What is put in meanwhile may be dated later than now: no import takes what is."""

    @contextmanager
    def go():
        clock.go_on(days=3001)
        yield
        clock.go_on(days=-3001)

    return go
