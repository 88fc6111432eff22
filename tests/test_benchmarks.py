"""Results of benchmarks know their commit, and the page marks those of another one."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from bench import measure, table


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    return tmp_path


def commits_of(folder, name):
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["commits"]


def test_a_part_that_was_not_measured_again_keeps_its_commit(results, monkeypatch):
    monkeypatch.setattr(measure, "commit", lambda: "first")
    measure.keep("search", {"sqlite": {"1000": {"p50": 1.5}, "10000": {"p50": 2.5}}})
    monkeypatch.setattr(measure, "commit", lambda: "second")
    measure.keep("search", {"sqlite": {"1000": {"p50": 1.5}}})
    assert commits_of(results, "search") == {"sqlite 1000": "second", "sqlite 10000": "first"}


def test_figures_from_before_commits_were_noted_are_of_an_earlier_one(results, monkeypatch):
    (results / "search.json").write_text('{"machine": {}, "sqlite": {"1000": {"p50": 1.5}}}', encoding="utf-8")
    monkeypatch.setattr(measure, "commit", lambda: "second")
    measure.keep("search", {"postgres": {"1000": {"p50": 3.5}}})
    assert commits_of(results, "search") == {"sqlite 1000": measure.EARLIER, "postgres 1000": "second"}


def test_a_heading_marks_figures_of_another_commit(results, monkeypatch):
    monkeypatch.setattr(measure, "commit", lambda: "first")
    measure.keep("owners", {"growth_kb": 7.7})
    assert table._mark("owners", "first") == ""
    assert "another commit: first" in table._mark("owners", "second")


def test_the_commit_is_that_of_the_program():
    assert measure.commit().rstrip("+").isalnum()


def test_each_benchmark_can_be_started():
    for file in Path(measure.__file__).parent.glob("*.py"):
        importlib.import_module(f"bench.{file.stem}")
