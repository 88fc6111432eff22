"""Percentiles, the machine, the options that many benchmarks share, and where results are kept."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import wherefrom

RESULTS = Path(__file__).parent / "results"
# Stands for the commit of figures from before commits were noted.
EARLIER = "an earlier one"


def percentiles(times_s: Sequence[float]) -> dict[str, float]:
    """p50, p95, p99 and the worst, in milliseconds."""
    ordered = sorted(times_s)
    at = {name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in _SHARES}
    return {name: round(value * 1000, 3) for name, value in {**at, "max": ordered[-1]}.items()}


def timed(work: Callable[[], object], times: int) -> list[float]:
    """How long each of several runs took, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return taken


def options_of(doc: str | None, *, sets: Sequence[str] = (), databases: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The options of a benchmark that is run on two commits: the name of its figures, its data, sets and databases."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--as", dest="label", choices=["before", "after"], default="after", help="name of the figures")
    given = os.environ.get("WHEREFROM_BENCH_DATA")
    options.add_argument("--data", type=Path, default=given, required=given is None, help="or WHEREFROM_BENCH_DATA")
    if sets:
        options.add_argument("--sets", nargs="+", choices=sets, default=sets)
    if databases:
        options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=databases)
    return options


def command(name: str) -> str:
    """How this benchmark was started, without the place of the data."""
    return " ".join(["python -m", f"bench.{name}", *sys.argv[1:]])


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    return {"cores": os.cpu_count(), "system": platform.system(), "python": platform.python_version()}


def commit() -> str:
    """The commit that last changed the program that is imported, with a + if it has been changed since."""
    program = ("--", "src", "pyproject.toml", "constraints.txt")
    named = _git("log", "-1", "--abbrev=10", "--format=%h", *program).strip()
    return named + "+" * bool(_git("status", "--porcelain", *program).strip())


def keep(name: str, measured: Mapping[str, Any]) -> None:
    """Print what was measured and write it to the results folder, each part with the commit that it was measured at.

    Parts that an earlier run measured and this one did not stay, with the commit of that run.
    """
    file = RESULTS / f"{name}.json"
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known = before.pop("commits", {})
    commits = {part: known.get(part, EARLIER) for part in _parts(before)} | dict.fromkeys(_parts(measured), commit())
    found = {**before, **measured}
    for key, value in measured.items():
        if isinstance(value, dict) and isinstance(before.get(key), dict):
            found[key] = {**before[key], **value}
    commits = {part: commits[part] for part in _parts(found)}
    text = json.dumps({**found, "machine": machine(), "commits": commits}, indent=2, ensure_ascii=False)
    RESULTS.mkdir(exist_ok=True)
    file.write_text(text + "\n", encoding="utf-8")
    print(f"== {name}\n{text}")


def _parts(result: Mapping[str, Any]) -> list[str]:
    """The names of what can be measured alone: of the upper level, or of the two upper levels."""
    parts: list[str] = []
    for key, value in result.items():
        if isinstance(value, dict | list) and key != "machine":
            inner = (
                [name for name, figures in value.items() if isinstance(figures, dict)]
                if isinstance(value, dict)
                else []
            )
            parts += [f"{key} {name}" for name in inner] or [key]
    return parts or ["all"]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=_PROGRAM, capture_output=True, text=True, check=True).stdout


# The tree of the program, which need not be that of the benchmarks: two commits are compared by one benchmark.
_PROGRAM = Path(wherefrom.__file__).parents[2]
_SHARES = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
