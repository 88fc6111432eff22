"""No test that there was before the rebuild is lost: each is still there by its name, or its fate is written down."""

from __future__ import annotations

from collections import Counter

from net.list_tests import LIST, listed, names_in
from net.renamed_tests import RENAMED

THEN = LIST.read_text(encoding="utf-8").splitlines()


def name_of(line):
    return line.partition("::")[2]


NOW = Counter(map(name_of, listed()))


def lost(then, now, renamed):
    """The lines of the list whose names there are not as often as there were; the file may be another."""
    wanted = Counter(name_of(line) for line in then if line not in renamed and name_of(line) not in renamed)
    return [line for line in then if now[name_of(line)] < wanted[name_of(line)]]


def test_the_list_is_sorted_has_every_test_once_and_is_not_short():
    assert sorted(set(THEN)) == THEN
    assert len(THEN) > 1_700
    assert all(line.startswith("tests/") and name_of(line) for line in THEN)


def test_every_test_of_the_list_is_still_there_or_its_new_name_is_written_down():
    gone = lost(THEN, NOW, RENAMED)
    assert not gone, f"{len(gone)} tests are gone: {gone[:20]}"


def test_what_is_written_down_about_a_test_is_a_name_that_there_is_or_a_sentence():
    assert not RENAMED.keys() - {*THEN, *map(name_of, THEN)}
    assert all(" " in new.strip() or new in NOW for new in RENAMED.values()), RENAMED


def test_a_test_that_goes_is_missed_also_where_another_has_its_name():
    then = ["tests/a.py::test_one", "tests/b.py::test_one", "tests/b.py::test_two"]
    assert lost(then, Counter(test_one=2, test_two=1), {}) == []
    assert lost(then, Counter(test_one=1, test_two=1), {}) == then[:2]
    assert lost(then, Counter(test_one=1, test_two=1), {then[1]: "It is in the other one."}) == []
    assert lost(then, Counter(test_one=2), {}) == then[2:]
    assert lost(then, Counter(test_one=2, test_three=1), {"test_two": "test_three"}) == []


def test_tests_in_classes_and_state_machines_are_found():
    source = """
async def test_one(): ...
def helper(): ...
class TestTwo:
    def test_three(self): ...
    def _aid(self): ...
class Machine(RuleBasedStateMachine):
    @rule()
    def step(self): ...
TestMachine = Machine.TestCase
"""
    assert [*names_in(source)] == [
        "test_one",
        "TestTwo",
        "TestTwo.test_three",
        "Machine",
        "Machine.step",
        "TestMachine",
    ]
