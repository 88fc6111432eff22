"""How often the collector of cycles runs while records are imported."""

from __future__ import annotations

import gc

import pytest

from wherefrom.storage.transfer.collecting import collecting_seldom


@pytest.fixture(autouse=True)
def usual():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_the_last_of_two_imports_that_overlap_sets_the_thresholds_back():
    first, second = collecting_seldom(), collecting_seldom()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] > 700
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


def test_an_import_that_fails_sets_the_thresholds_back():
    with pytest.raises(ValueError, match="broken"), collecting_seldom():
        raise ValueError("broken")
    assert gc.get_threshold() == (700, 10, 10)


def test_a_collector_that_is_switched_off_stays_off():
    gc.set_threshold(0, 10, 10)
    with collecting_seldom():
        assert gc.get_threshold()[0] == 0
