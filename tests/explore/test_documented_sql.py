"""Every statement that the documentation shows runs on both databases."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wherefrom import Memory

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs/how-to/explore-evidence.md"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_ON_THE_COMMAND_LINE = re.compile(r'^\$ wherefrom sql (?:--\S+ )*"([^"]+)"', re.MULTILINE)
_OVER_MCP = re.compile(r'"sql": ("(?:[^"\\]|\\.)*")')
_MISTAKES = {"select * from works"}
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def statements():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found = _ON_THE_COMMAND_LINE.findall(text) + [json.loads(sql) for sql in _OVER_MCP.findall(text)]
        found += [block for language, block in _BLOCK.findall(text) if language == "sql"]
        for sql in found:
            if sql not in _MISTAKES and re.match(r"\s*(?:select|with)\b", sql, re.IGNORECASE):
                yield pytest.param(sql, id=f"{page.stem}: {' '.join(sql.split())[:60]}")


def programs(url):
    """The Python of the page, on this database instead of its file."""
    parts = [block for language, block in _BLOCK.findall(HOW_TO.read_text(encoding="utf-8")) if language == "python"]
    return [part.replace('"coffee.db"', repr(url)) for part in parts]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def url(request, tmp_path_factory):
    """A store with the evidence that the page adds."""
    if request.param == "sqlite":
        store = str(tmp_path_factory.mktemp("documented") / "coffee.db")
    else:
        store = request.getfixturevalue("postgres_database")()
    gather = programs(store)[0]
    exec(gather, {})
    return store


@pytest.fixture(scope="module")
def memory(url):
    with Memory.open(url) as opened:
        yield opened


@pytest.mark.parametrize("sql", list(statements()))
def test_a_documented_statement_runs(memory, sql):
    found = memory.query_graph(sql, timeout_ms=2_000, max_vm_steps=50_000_000)
    assert found.ok, (found.error, found.hint)


def test_there_are_statements():
    assert len(list(statements())) >= 8


def test_the_python_of_the_page_runs_and_prints_what_it_says(url, capsys):
    names = {}
    for program in programs(url)[1:]:
        exec(program, names)
    printed = capsys.readouterr().out.splitlines()
    assert "Coffee and blood pressure: a review" in printed
    assert "('supports', 1987, 'journal.example', 0.8)" in printed
    assert names["mine"].ok, names["mine"].error
    assert len(names["mine"].rows) == 1
