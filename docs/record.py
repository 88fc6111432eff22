"""Records the tour of the README in a terminal of 80 × 24: `python -m docs.record` writes docs/tour.cast and tour.svg.

The commands are those of the README, run by a shell with a home of its own. The cast plays with asciinema; the picture
shows the same as one page.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.docs_for_tests import blocks_of, commands_of

DOCS = Path(__file__).parent
COLUMNS, LINES = 80, 24
PROMPT = "\x1b[1;32m$\x1b[0m "
# How long a reader looks at what was printed, and at each key.
PAUSE_S, KEY_S = 1.2, 0.03
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def main() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    tour = text[text.index("## The tour") :]
    block = next(block for block in blocks_of(tour) if block.kind == "console")
    commands = [command.text for command in commands_of(block)]
    with tempfile.TemporaryDirectory() as home:
        printed = [(command, _run(command, home)) for command in commands]
    _write_cast(printed)
    _write_picture(printed)


def _run(command: str, home: str) -> str:
    """What a command prints on a terminal, with its colours."""
    child, terminal = pty.fork()
    if child == 0:
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        settings = {"HOME": home, "PATH": programs, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
        os.chdir(home)
        os.execvpe("bash", ["bash", "--norc", "-c", command], settings)
    found = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            some = os.read(terminal, 65_536)
        except OSError:  # the shell has ended
            break
        if not some:
            break
        found += some
    os.close(terminal)
    os.waitpid(child, 0)
    return found.decode().replace(str(Path(home).resolve()), "~")


def _write_cast(printed: list[tuple[str, str]]) -> None:
    at, events = 0.0, []
    for command, output in printed:
        events.append([round(at, 3), "o", PROMPT])
        for key in command:
            at += KEY_S
            events.append([round(at, 3), "o", key.replace("\n", "\r\n")])
        at += 0.3
        events.append([round(at, 3), "o", "\r\n" + output])
        at += PAUSE_S
    header = {"version": 2, "width": COLUMNS, "height": LINES, "title": "Wherefrom in a minute"}
    lines = [json.dumps(line, ensure_ascii=False) for line in (header, *events)]
    (DOCS / "tour.cast").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_picture(printed: list[tuple[str, str]]) -> None:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: PTH123, SIM115
    for command, output in printed:
        console.print(Text.from_ansi(PROMPT + command), soft_wrap=False)
        # A progress bar is gone once its command has ended.
        lines = [line for line in output.replace("\r\n", "\n").splitlines() if "━" not in line]
        if lines:
            console.print(Text.from_ansi("\n".join(lines)))
    picture = console.export_svg(title="wherefrom", unique_id="tour")
    (DOCS / "tour.svg").write_text(_FONTS.sub("", picture), encoding="utf-8")


if __name__ == "__main__":
    main()
