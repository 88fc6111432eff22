"""Pages of the documentation as blocks to run; and, as a command, their outputs written anew.

A page is one session: its blocks run from top to bottom in one new folder, in one shell. CONTRIBUTING.md says what a
writer of a page has to know. `python -m tests.docs_for_tests --write docs/quickstart.md` runs a page and replaces the
outputs that it shows by what was printed, and without a page all of them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs/quickstart.md", *sorted(ROOT.glob("docs/how-to/*.md")))
WRITING = "WHEREFROM_WRITE_DOCS"
"""The variable of the environment that lets the tests of pages write instead of compare."""

_FENCE = re.compile(r"^```(?P<kind>\S*)\s*$")
_NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
_FILE_NAME = re.compile(r"^(?:#|%|//) (?P<name>[\w-]+\.\w+)$")
_LINKED_FILE = re.compile(r"\]\((?P<name>[\w.-]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: the lines from `start` up to `end` of its page, without the fences."""

    kind: str
    start: int
    end: int
    lines: tuple[str, ...]
    not_run: str | None
    """Why it is not run, if its page says so."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def file_name(self) -> str | None:
        """The file that it is: its first line is a comment with a name and nothing else."""
        found = _FILE_NAME.match(self.lines[0]) if self.lines else None
        return found["name"] if found else None


@dataclass(frozen=True)
class Command:
    """A command of a console block with the output that the page shows; lines are counted from the block's first."""

    text: str
    start: int
    shown_start: int
    shown: tuple[str, ...]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    lines, blocks = text.splitlines(), []
    opened: tuple[str, int] | None = None
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence and opened is None:
            opened = fence["kind"], at + 1
        elif line == "```" and opened is not None:
            kind, start = opened
            before = next((line for line in reversed(lines[: start - 1]) if line), "")
            not_run = _NOT_RUN.match(before)
            blocks.append(Block(kind, start, at, tuple(lines[start:at]), not_run["reason"] if not_run else None))
            opened = None
    assert opened is None, f"the block that begins in line {opened and opened[1]} does not end"
    return blocks


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block: `$ ` begins one, and it goes on until a shell would run it."""
    commands, at, lines = [], 0, block.lines
    assert not lines or lines[0].startswith("$ "), f"a console block begins with a command, not with {lines[0]!r}"
    while at < len(lines):
        start, text, at = at, lines[at].removeprefix("$ "), at + 1
        while at < len(lines) and not _is_complete(text):
            text, at = f"{text}\n{lines[at].removeprefix('> ')}", at + 1
        shown_start = at
        while at < len(lines) and not lines[at].startswith("$ "):
            at += 1
        commands.append(Command(text, start, shown_start, lines[shown_start:at]))
    return commands


def files_of(page: Path) -> list[Path]:
    """The files beside a page that it links to, other than pages and pictures: its reader has them."""
    names = {found["name"] for found in _LINKED_FILE.finditer(page.read_text(encoding="utf-8"))}
    return [page.parent / name for name in sorted(names) if not name.endswith((".md", ".svg"))]


def _is_complete(command: str) -> bool:
    """Whether a shell would run it: no quote, here-document or line that goes on is open."""
    if command.endswith("\\"):
        return False
    if not re.search(r"""["'`(<]""", command):
        return True
    read = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)
    return not read.returncode and not read.stderr


def main(arguments: list[str]) -> int:
    """Check pages, or with `--write` write their outputs anew."""
    options = [each for each in arguments if each.startswith("-")]
    if set(options) - {"--write"}:
        sys.exit("usage: python -m tests.docs_for_tests [--write] [PAGE …]")
    pages = [Path(each).resolve() for each in arguments if not each.startswith("-")] or list(PAGES)
    tests = [f"tests/test_documented.py::test_a_page_runs_as_it_stands[{name_of(page)}]" for page in pages]
    environment = {**os.environ, **({WRITING: "1"} if options else {})}
    workers = str(min(len(tests), 2))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-n", workers, *tests], cwd=ROOT, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
