"""What search, activate and save cost beside another commit of the program, in one run on SQLite.

WHEREFROM_BENCH_DATA=… python -m bench.cost --before ../other/src [--after src] [--nodes 100000] [--rounds 5]

Each tree fills a store of its own with the same texts: resampled sentences of LoCoMo and of HotpotQA, 2Wiki and
MuSiQue, some with titles, each linked to the one before it in a session. Then a process of each tree is asked the same
questions and saves the same texts, one call of the one after one call of the other, by turns first; each round has new
processes. The ratio is that of the percentiles over all rounds; `rounds` has the ratio of the p50 of each. By the clock,
and by the time of the processor, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.measure import keep, percentiles

VERBS = ("search", "activate", "save")
TREES = ("before", "after")
# By the clock, and by the time of the processor.
KINDS = ("wall", "processor")
# Of each verb and round, so many calls are not counted.
WARM_UP = 5
Times = dict[str, dict[str, list[float]]]
Process = Any
"""A process whose input and output are text."""
HERE = Path(__file__).parent.parent


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given = os.environ.get("WHEREFROM_BENCH_DATA")
    options.add_argument("--data", type=Path, default=given, required=given is None, help="or WHEREFROM_BENCH_DATA")
    options.add_argument("--before", type=Path, required=True, help="the folder src of the other commit")
    options.add_argument("--after", type=Path, default=HERE / "src")
    options.add_argument("--nodes", type=int, default=100_000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--calls", type=int, default=100, help="of each verb in a round")
    chosen = options.parse_args()
    trees = {"before": chosen.before.resolve(), "after": chosen.after.resolve()}
    with tempfile.TemporaryDirectory(prefix="wherefrom-bench-") as folder:
        job = {"folder": folder, "data": str(chosen.data), "nodes": chosen.nodes, "calls": chosen.calls}
        measured = compare(trees, job, chosen.rounds)
    keep(
        "cost", {f"{chosen.nodes} nodes": {"commits": {name: commit(tree) for name, tree in trees.items()}, **measured}}
    )


def compare(trees: dict[str, Path], job: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Fill both stores, then run the rounds, and put the figures side by side."""
    found: dict[str, Any] = {"fill_s": {name: filled(tree, {**job, "tree": name}) for name, tree in trees.items()}}
    measured = [one_round(trees, {**job, "work": "answer", "round": number}) for number in range(rounds)]
    for kind in KINDS:
        by_round = [{name: figures_of([times[name][kind]]) for name in TREES} for times in measured]
        all_ms = {name: figures_of([times[name][kind] for times in measured]) for name in TREES}
        found[f"{kind}_ms"] = all_ms
        found[f"{kind}_ratio"] = {verb: {at: ratio(all_ms, verb, at) for at in ("p50", "p95")} for verb in VERBS}
        found[f"{kind}_rounds"] = {verb: [ratio(each, verb, "p50") for each in by_round] for verb in VERBS}
    return found


def one_round(trees: dict[str, Path], job: dict[str, Any]) -> dict[str, Times]:
    """The seconds of each call by tree, clock and verb; the first calls are not counted."""
    found: dict[str, Times] = {name: {kind: {verb: [] for verb in VERBS} for kind in KINDS} for name in TREES}
    with ExitStack() as stack:
        processes = {name: stack.enter_context(started(tree, {**job, "tree": name})) for name, tree in trees.items()}
        for verb in VERBS:
            for number in range(job["calls"]):
                for name in TREES if number % 2 == 0 else TREES[::-1]:
                    taken = told(processes[name], f"{verb} {number}")
                    if number >= WARM_UP:
                        for kind in KINDS:
                            found[name][kind][verb].append(taken[kind])
        for process in processes.values():
            process.stdin.close()
    return found


def told(process: Process, line: str) -> dict[str, float]:
    """Tell a process what to call; returns what it took."""
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    answered: dict[str, float] = json.loads(process.stdout.readline())
    return answered


def figures_of(times: Sequence[dict[str, list[float]]]) -> dict[str, dict[str, float]]:
    """The percentiles of each verb over some rounds."""
    return {verb: percentiles([taken for each in times for taken in each[verb]]) for verb in VERBS}


def ratio(ms: dict[str, dict[str, dict[str, float]]], verb: str, at: str) -> float:
    return round(ms["after"][verb][at] / ms["before"][verb][at], 3)


def filled(tree: Path, job: dict[str, Any]) -> float:
    """Fill the store of a tree in a process of its own; returns the seconds of the import."""
    with started(tree, {**job, "work": "fill"}) as process:
        printed, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"filling a store by {tree} failed")
    return float(printed)


def started(tree: Path, job: dict[str, Any]) -> Process:
    """A new process with the program of a tree."""
    paths = os.pathsep.join([str(tree), str(HERE)])
    return subprocess.Popen(
        [sys.executable, "-m", "bench.cost_turn", json.dumps(job)],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=HERE,
    )


def commit(tree: Path) -> str:
    """The commit that last changed a tree, with a + if it has been changed since."""
    git = ["git", "-C", str(tree)]
    named = subprocess.run([*git, "log", "-1", "--abbrev=10", "--format=%h", "--", "."], capture_output=True, text=True)
    changed = subprocess.run([*git, "status", "--porcelain", "--", "."], capture_output=True, text=True)
    return named.stdout.strip() + "+" * bool(changed.stdout.strip())


if __name__ == "__main__":
    main()
