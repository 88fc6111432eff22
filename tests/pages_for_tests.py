"""Runs a page: every block in the way of its kind, what it shows compared with what was printed, or written anew."""

from __future__ import annotations

import difflib
import json
import re
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import shown_json_for_tests as shown_json
from docs_for_tests import ROOT, Block, Command, blocks_of, commands_of, files_of, name_of
from sessions_for_tests import Session
from shown_for_tests import WANTED, Likeness, aligned, alike, forms_in, rewritten

_CRONTAB = re.compile(r"^(?:\S+\s+){5}(?P<command>\S.*)$")
# A page that shows one of these shows that the command fails.
_FAILURE = re.compile(r"^(?:error|failed|Error|[a-z]+(?:_[a-z]+)+): |^Traceback |^nothing was imported$")


class Page:
    """One run of a page in a session."""

    def __init__(self, page: Path, session: Session, *, write: bool, stand_ins: Sequence[tuple[str, str]] = ()) -> None:
        self.page, self.session, self.write, self.stand_ins = page, session, write, stand_ins
        self.text = page.read_text(encoding="utf-8")
        self.known, self.forms = Likeness(), forms_in(self.text)
        self.changes: list[tuple[int, int, list[str]]] = []
        self.blocks = blocks_of(self.text)

    def run(self) -> None:
        """Run all blocks, up to the first that fails."""
        for file in files_of(self.page):
            (self.session.folder / file.name).write_bytes(file.read_bytes())
        at = 0
        while at < len(self.blocks):
            block, following = self.blocks[at], self.blocks[at + 1] if at + 1 < len(self.blocks) else None
            try:
                at += self._run(block, following)
            except (AssertionError, ValueError) as error:
                raise AssertionError(f"{name_of(self.page)}, line {block.start}: {error}") from error

    def rewritten(self) -> str:
        """The text of the page with the outputs of this run."""
        lines = self.text.splitlines()
        for start, end, new in sorted(self.changes, reverse=True):
            lines[start:end] = new
        return "\n".join(lines) + "\n"

    def _run(self, block: Block, following: Block | None) -> int:
        """Run a block, and the following one if that shows what came of it; how many that were."""
        if block.not_run:
            check_what_is_not_run(block, self.session)
        elif block.file_name:
            self._save(block, block.file_name)
        elif block.kind == "console":
            for command in commands_of(block):
                self._console(block, command)
        elif block.kind == "python":
            return self._python(block, following)
        elif block.kind == "json":
            return self._json(block, following)
        elif block.kind == "toml":
            tomllib.loads(block.text)
        elif block.kind == "yaml":
            self._policy(block)
        elif block.kind == "crontab":
            for line in block.lines:
                found = _CRONTAB.match(line)
                assert found, f"no line of a crontab: {line}"
                self._must_succeed(found["command"])
        else:
            raise AssertionError(f"nobody knows how to run a block of the kind {block.kind!r}")
        return 1

    def _here(self, text: str) -> str:
        """A text of the page as it is in this run, to be run."""
        self.known = self.known.having_run(text)
        for there, here in self.stand_ins:
            text = text.replace(there, here)
        return self.known.in_this_run(text)

    def _there(self, lines: Sequence[str]) -> list[str]:
        """Lines that were printed, with the addresses of the page."""
        for there, here in self.stand_ins:
            lines = [line.replace(here, there) for line in lines]
        return list(lines)

    def _must_succeed(self, command: str) -> list[str]:
        code, printed = self.session.run(self._here(command))
        assert code == 0, f"{command!r} ends with {code}: {_joined(printed)}"
        return printed

    def _console(self, block: Block, command: Command) -> None:
        code, printed = self.session.run(self._here(command.text))
        printed = self._there(printed)
        fails = any(_FAILURE.match(line) for line in command.shown)
        assert code == 0 or fails, f"{command.text!r} ends with {code}: {_joined(printed)}"
        self._rewrite_ids(block, command.start, command.shown_start)
        if command.shown:
            place = block.start + command.shown_start
            self._compare(command.text, command.shown, printed, (place, place + len(command.shown)))
        self.known = self.known.having_printed(printed)

    def _rewrite_ids(self, block: Block, start: int, end: int) -> None:
        """Give the ids of a command or a call, lines of a block, the form in which they were printed."""
        old = list(block.lines[start:end])
        new = [self.known.as_shown(self.known.in_this_run(line), self.forms) for line in old]
        if self.write and new != old:
            self.changes.append((block.start + start, block.start + end, new))

    def _compare(self, what: str, shown: Sequence[str], printed: Sequence[str], place: tuple[int, int]) -> None:
        """Compare lines, or write them anew."""
        found = alike([line for line in shown if line != WANTED], printed, self.known) if shown else None
        if found is not None and WANTED not in shown:
            self.known = found
            return
        assert self.write, f"{what!r} printed something else:\n{_difference(shown, printed)}"
        shown = [line for line in shown if line != WANTED]
        self.known = aligned(shown, printed, self.known)
        self.changes.append((*place, rewritten(shown, printed, self.known, self.forms)))

    def _python(self, block: Block, following: Block | None) -> int:
        code, printed = self.session.python(self._here(block.text))
        assert code == 0, f"the program ends with {code}: {_joined(printed)}"
        printed = self._there(printed)
        if following is not None and following.kind == "text" and not following.not_run:
            self._compare("the program", following.lines, printed, (following.start, following.end))
            self.known = self.known.having_printed(printed)
            return 2
        if printed:
            assert self.write, (
                f"the page does not show, in a block of text, what the program prints: {_joined(printed)}"
            )
            lines = ["```", "", "```text", *(self.known.as_shown(line, self.forms) for line in printed)]
            self.changes.append((block.end, block.end, lines))
        return 1

    def _json(self, block: Block, following: Block | None) -> int:
        shown = shown_json.read(self._here(block.text))
        if not (isinstance(shown, dict) and shown.keys() == {"name", "arguments"}):
            for server in shown.get("mcpServers", shown.get("servers", {})).values():
                assert self.session.tools((server["command"], *server["args"]))
            return 1
        self._rewrite_ids(block, 0, len(block.lines))
        answer = self.session.call(shown["name"], shown["arguments"])
        if following is None or following.kind != "json" or following.not_run:
            assert not answer.get("error"), answer
            return 1
        expected = shown_json.read(following.text)
        if isinstance(expected, dict) and expected.keys() == {"name", "arguments"}:
            assert not answer.get("error"), answer
            return 1
        found = shown_json.alike(expected, answer, self.known)
        if found is None:
            given = shown_json.written(answer).splitlines()
            assert self.write, f"{shown['name']} answers something else:\n{_difference(following.lines, given)}"
            assert bool(answer.get("error")) == bool(expected.get("error")), answer
            self.known = shown_json.bound(expected, answer, self.known)
            short = shown_json.written(shown_json.shortened(expected, answer))
            lines = self.known.as_shown(short, self.forms).splitlines()
            self.changes.append((following.start, following.end, lines))
        self.known = (found or self.known).having_printed([json.dumps(answer)])
        return 2

    def _save(self, block: Block, name: str) -> None:
        later = [each.text for each in self.blocks if each.start > block.start]
        assert any(name in text for text in later), f"no block uses the file {name}"
        (self.session.folder / name).write_text(self._here(block.text), encoding="utf-8")

    def _policy(self, block: Block) -> None:
        file = self.session.home / "policy.yaml"
        file.write_text(block.text, encoding="utf-8")
        self._must_succeed(f"wherefrom policy {shlex.quote(str(file))} --validate --db {shlex.quote(str(file))}.db")


def check_what_is_not_run(block: Block, session: Session) -> None:
    """Check what can be checked of commands that are not run: what they name is there."""
    for command in commands_of(block):
        match shlex.split(command.text, comments=True):
            case ["make", target]:
                assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE), target
            case ["pip" | "pipx", "install", *_, wanted]:
                _check_installed(wanted)
            case ["claude", "mcp", "add", *_] as words:
                assert session.tools(tuple(words[words.index("--") + 1 :]))
            case ["source", ".venv/bin/activate"] | ["git", "clone", *_] | ["cd", _]:
                pass
            case words:
                raise AssertionError(f"nobody knows how to check {words}")


def _check_installed(wanted: str) -> None:
    """Check what `pip install` is given: this folder, with extras that there are."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = re.fullmatch(r"\.(?:\[(?P<extras>[\w,-]+)\])?", wanted)
    assert found, f"this installs something else: {wanted}"
    missing = set((found["extras"] or "").split(",")) - {"", *project["optional-dependencies"]}
    assert not missing, f"there are no such extras: {missing}"


def _joined(lines: Sequence[str]) -> str:
    return "\n" + "\n".join(lines)


def _difference(shown: Sequence[Any], printed: Sequence[Any]) -> str:
    return "\n".join(difflib.unified_diff(shown, printed, "shown", "printed", lineterm="", n=1))
