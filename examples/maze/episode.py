"""The episode graph: what the agent has seen and where it has walked, as nodes with eight features each.

A visited cell is one node, and each of its four directions, open or not, is another. A cell is joined with its
directions, and a direction that was taken with the cell behind it. Links that were accepted come on top.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from maze import DIRECTIONS, OPPOSITE, Cell, step

from wherefrom.graph.local import LocalGraph, Numbers, Places, graph_of
from wherefrom.insight.judge import Scene

# How much [row/H, col/W, dx, dy, passable, log(1 + visits), success, goal] count.
WEIGHTS: Final[Numbers] = np.array([1.0, 1.0, 0.0, 0.0, 3.0, 2.0, 0.0, 0.0])
_PASSABLE, _VISITS, _SUCCESS, _GOAL = 4, 5, 6, 7


@dataclass(frozen=True, slots=True)
class Opening:
    """A direction of a cell."""

    cell: Cell
    direction: str


class Episode:
    """The graph and the features, as they grow; nodes are numbered in the order in which they were seen."""

    def __init__(self, size: int) -> None:
        self._size = size
        self.nodes: list[Cell | Opening] = []
        self.links: list[tuple[int, int]] = []
        self._at: dict[Cell | Opening, int] = {}
        self._rows: Numbers = np.zeros((size * size * (1 + len(DIRECTIONS)), len(WEIGHTS)))
        self._visits: list[int] = []
        self._neighbours: list[set[int]] = []
        self._edges: Places = graph_of(0, np.empty((0, 2), dtype=np.int64)).edges
        # What came since the last scene.
        self._come: list[tuple[int, int]] = []
        self._fresh = 0

    def __contains__(self, cell: Cell) -> bool:
        return cell in self._at

    def at(self, node: Cell | Opening) -> int:
        """The number of a node."""
        return self._at[node]

    def neighbours(self, place: int) -> Iterable[int]:
        """The nodes joined with this one, links included, in a fixed order."""
        return sorted(self._neighbours[place])

    def is_open(self, place: int) -> bool:
        return bool(self._rows[place, _PASSABLE] > 0)

    def visits(self, place: int) -> int:
        """How often a cell was entered, or a direction taken, from either side."""
        return self._visits[place]

    def openings(self, cell: Cell) -> list[int]:
        """The open directions of a cell that was seen."""
        found = (self._at[Opening(cell, name)] for name in DIRECTIONS)
        return [place for place in found if self.is_open(place)]

    def see(self, cell: Cell, ways: Iterable[str], *, goal: bool) -> None:
        """The agent is here: counts the visit, and at the first adds the cell and its directions."""
        if cell not in self._at:
            here = self._add(cell, self.query(cell))
            self._rows[here, _GOAL] = float(goal)
            is_open = set(ways)
            for name, (down, right) in DIRECTIONS.items():
                row = self.query(cell)
                row[2:5] = [float(right), float(down), 1.0 if name in is_open else -1.0]
                self._join(here, self._add(Opening(cell, name), row))
        self._count(self._at[cell])

    def walked(self, cell: Cell, direction: str) -> None:
        """The agent went from a cell to the next, which it has seen by now."""
        beyond = step(cell, direction)
        for one, way, other in ((cell, direction, beyond), (beyond, OPPOSITE[direction], cell)):
            opening = self._at[Opening(one, way)]
            self._count(opening)
            self._rows[opening, _SUCCESS] = 1.0
            self._rows[opening, _GOAL] = self._rows[self._at[other], _GOAL]
            self._join(opening, self._at[other])

    def commit(self, one: int, other: int) -> None:
        """A link that was accepted becomes part of the graph; it was paid for when it was judged."""
        self._join(one, other)
        self._edges = self._graph().joined(np.array([self._come.pop()])).edges
        self.links.append((one, other))

    def query(self, cell: Cell) -> list[float]:
        """What the agent looks for at a cell: here, open, and never taken."""
        return [cell[0] / self._size, cell[1] / self._size, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]

    def distances(self, cell: Cell, places: Sequence[int] | None = None) -> Numbers:
        """How far nodes (all, if none are named) are from the query of a cell: the weighted L2 distance."""
        rows = self._rows[: len(self.nodes)] if places is None else self._rows[list(places)]
        found: Numbers = np.linalg.norm((rows - self.query(cell)) * WEIGHTS, axis=1)
        return found

    def scene(self) -> Scene:
        """The graph as it was at the last scene, with what came since as its `after`."""
        before = self._graph()
        after = before.joined(np.array(self._come, dtype=np.int64)) if self._come else None
        self._edges = (after or before).edges
        fresh, self._come, self._fresh = self._fresh, [], 0
        size = len(self.nodes)
        return Scene(before, np.arange(size), self._rows[:size].copy(), weights=WEIGHTS, after=after, fresh=fresh)

    def _graph(self) -> LocalGraph:
        # The order of the edges does not depend on how many nodes there are.
        return LocalGraph(len(self.nodes), self._edges)

    def _add(self, node: Cell | Opening, row: list[float]) -> int:
        place = len(self.nodes)
        self._at[node] = place
        self.nodes.append(node)
        self._rows[place] = row
        self._visits.append(0)
        self._neighbours.append(set())
        self._fresh += 1
        return place

    def _count(self, place: int) -> None:
        self._visits[place] += 1
        self._rows[place, _VISITS] = math.log1p(self._visits[place])

    def _join(self, one: int, other: int) -> None:
        if other not in self._neighbours[one]:
            self._neighbours[one].add(other)
            self._neighbours[other].add(one)
            self._come.append((one, other))
