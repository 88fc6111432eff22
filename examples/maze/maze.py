"""A perfect maze: between any two cells there is exactly one way."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

Cell = tuple[int, int]

# The four directions as (rows down, columns to the right).
DIRECTIONS: Final[Mapping[str, Cell]] = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
OPPOSITE: Final[Mapping[str, str]] = {"N": "S", "E": "W", "S": "N", "W": "E"}


@dataclass(frozen=True, slots=True)
class Maze:
    """size × size cells (row, column); passages: which directions are open from each."""

    size: int
    start: Cell
    goal: Cell
    passages: Mapping[Cell, frozenset[str]]

    def is_open(self, cell: Cell, direction: str) -> bool:
        return direction in self.passages[cell]


def step(cell: Cell, direction: str) -> Cell:
    """The cell next to this one in a direction, whether or not there is a wall."""
    down, right = DIRECTIONS[direction]
    return cell[0] + down, cell[1] + right


def make_maze(size: int, *, seed: int) -> Maze:
    """From the top left to the bottom right; each perfect maze of this size is equally likely.

    Wilson, "Generating random spanning trees more quickly than the cover time", 1996: walk at random from a cell
    that is not in the maze until the maze is met; the walk without its loops becomes part of it.
    """
    if size < 2:
        raise ValueError(f"a maze has at least 2 × 2 cells, not {size} × {size}")
    chance = random.Random(f"maze {seed}")
    cells = [(row, column) for row in range(size) for column in range(size)]
    dug: dict[Cell, set[str]] = {cell: set() for cell in cells}
    done = {cells[-1]}
    for first in cells:
        last_way: dict[Cell, str] = {}
        cell = first
        while cell not in done:
            last_way[cell] = chance.choice([way for way in DIRECTIONS if step(cell, way) in dug])
            cell = step(cell, last_way[cell])
        cell = first
        while cell not in done:
            done.add(cell)
            dug[cell].add(last_way[cell])
            beyond = step(cell, last_way[cell])
            dug[beyond].add(OPPOSITE[last_way[cell]])
            cell = beyond
    return Maze(size, cells[0], cells[-1], {cell: frozenset(ways) for cell, ways in dug.items()})


def shortest(maze: Maze) -> int:
    """How many steps the only way from start to goal has."""
    reached, edge, steps = {maze.start}, [maze.start], 0
    while maze.goal not in reached:
        edge = [step(cell, way) for cell in edge for way in maze.passages[cell] if step(cell, way) not in reached]
        reached.update(edge)
        steps += 1
    return steps
