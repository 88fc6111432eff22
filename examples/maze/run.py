"""The maze experiment: one walk with its log and picture, then a comparison over several mazes.

python examples/maze/run.py [--size 15] [--seed 0] [--steps 400] [--out FOLDER]
    [--without-links] [--seeds 20] [--compare 11]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from maze import Maze, make_maze, shortest
from picture import drawing, page
from walks import Links, Walk, depth_first, explore, random_walk

Arm = Callable[..., Walk]

BASELINE: Final = "without links"
ARMS: Final[Mapping[str, Arm]] = {
    "links that the gates accept": explore,
    BASELINE: partial(explore, links="none", judged=False),
    "nearest candidate, no gates": partial(explore, links="nearest", judged=False),
    "random walk": random_walk,
    "depth-first, table of cells": depth_first,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the experiment; 0 whether or not the goal was reached."""
    options = _options().parse_args(arguments)
    maze = make_maze(options.size, seed=options.seed)
    links: Links = "none" if options.without_links else "gated"
    walk = explore(maze, seed=options.seed, steps=options.steps, links=links)
    print(summary(walk))
    for path in write(walk, Path(options.out)):
        print(f"  {path}")
    if options.seeds:
        seeds = range(options.seed, options.seed + options.seeds)
        size = options.compare
        print(f"\n{options.seeds} mazes of {size} × {size} cells, at most {options.steps} steps:\n")
        print(table([(make_maze(size, seed=seed), seed) for seed in seeds], steps=options.steps))
    return 0


def summary(walk: Walk) -> str:
    """How a walk ended, and how often the gates opened."""
    moves = len(walk.trail) - 1
    end = f"reached the goal in {moves} steps" if walk.reached else f"did not reach the goal in {moves} steps"
    fired = sum(record["ag"] for record in walk.records)
    expanded = sum(record["expanded"] > 0 for record in walk.records)
    accepted = sum(len(record["accepted"]) for record in walk.records)
    return (
        f"The agent {end}; the only way has {shortest(walk.maze)}.\n"
        f"AG fired {fired} times, and {expanded} times L1 had more candidates; DG accepted {accepted} links, "
        f"of which {len(walk.episode.links)} were made."
    )


def write(walk: Walk, folder: Path) -> list[Path]:
    """The log, the page and the drawing."""
    folder.mkdir(parents=True, exist_ok=True)
    title = f"A maze of {walk.maze.size} × {walk.maze.size} cells"
    files = {
        "steps.jsonl": "".join(json.dumps(record) + "\n" for record in walk.records),
        "maze.html": page(walk.maze, walk.records, title=title),
        "maze.svg": drawing(walk.maze, walk.records) + "\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def table(mazes: Sequence[tuple[Maze, int]], *, steps: int) -> str:
    """Each arm in the same mazes. A walk that did not reach the goal counts with all its steps."""
    walks = {name: [arm(maze, seed=seed, steps=steps) for maze, seed in mazes] for name, arm in ARMS.items()}
    moves = {name: [len(walk.trail) - 1 for walk in some] for name, some in walks.items()}
    rows = [f"{'':28} {'reached':>8} {'steps':>7} {'median':>7} {'links':>6}   {'steps more than without links':>29}"]
    for name, some in walks.items():
        share = f"{sum(walk.reached for walk in some)}/{len(some)}"
        mean, median = statistics.mean(moves[name]), statistics.median(moves[name])
        links = statistics.mean(len(walk.episode.links) for walk in some)
        more = "" if name == BASELINE else _difference(moves[name], moves[BASELINE])
        rows.append(f"{name:28} {share:>8} {mean:7.1f} {median:7.1f} {links:6.1f}   {more:>29}".rstrip())
    return "\n".join(rows)


def _difference(one: Sequence[int], other: Sequence[int]) -> str:
    """The mean difference in the same maze, and its standard error: what is within two of these may be chance."""
    more = [a - b for a, b in zip(one, other, strict=True)]
    if len(more) < 2:
        return f"{more[0]:+.1f}"
    return f"{statistics.mean(more):+.1f} ± {statistics.stdev(more) / math.sqrt(len(more)):.1f}"


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="An agent in a maze, and when it links what it remembers.")
    parser.add_argument("--size", type=int, default=15, help="cells on each side")
    parser.add_argument("--seed", type=int, default=0, help="of the maze and of the agent")
    parser.add_argument("--steps", type=int, default=400, help="how many steps the agent has")
    out = Path(tempfile.gettempdir()) / "wherefrom-maze"
    parser.add_argument("--out", default=out, help=f"folder for the log and the pictures, else {out}")
    parser.add_argument("--without-links", action="store_true", help="judge and log, but make no link")
    parser.add_argument("--seeds", type=int, default=20, help="how many mazes are compared; 0 for none")
    parser.add_argument("--compare", type=int, default=11, help="cells on each side of these")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
