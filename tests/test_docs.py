"""Docs that fail the build when they fall behind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_reference_pages_are_as_the_code_says():
    out = python(
        "from docs.generate import pages, REFERENCE\n"
        "print([n for n, t in pages().items() if (REFERENCE / n).read_text(encoding='utf-8') != t])"
    )
    assert out.strip() == "[]", "run `make docs`"


def test_the_page_of_benchmarks_is_as_the_results_say():
    assert (
        python(
            "from bench.table import PAGE, page, written_at; print(PAGE.read_text(encoding='utf-8') == page(written_at()))"
        )
        == "True\n"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_page_is_reachable_from_the_readme():
    seen, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        for target in re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                todo.append((page.parent / target).resolve())
    assert {p for p in PAGES if p.parent.name not in ("decisions", "bench")} <= seen


def test_commands_shown_in_the_docs_exist():
    from wherefrom.interfaces.cli.app import app

    known = get_command(app).commands
    for page in PAGES:
        for name in re.findall(r"^\$ wherefrom (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert name in known, (page, name)


def test_no_address_of_a_registry_and_no_path_of_a_machine():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    words = ("python" + "hosted", "npm" + "js.", "pypi" + ".org", "/" + "root/", "/" + "home/")
    for name in tracked:
        text = (ROOT / name).read_bytes().decode(errors="replace")  # stores of older releases are packed
        assert not [word for word in words if word in text], name
