"""How the agent moves: it takes what it sees in the graph within a few steps, and walks there."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final

from episode import Episode, Opening
from maze import OPPOSITE, Cell, step

# So many steps around itself the agent sees in the graph. A cell, its direction, the next cell, its direction: 3.
REACH: Final = 3
_TEMPERATURE: Final = 0.1


def choose(episode: Episode, cell: Cell, *, plan: Sequence[str], chance: random.Random) -> tuple[list[str], str]:
    """The next moves, and why: an opening here, the plan, one that the graph shows, or else the way least taken."""
    here = episode.openings(cell)
    fresh = [place for place in here if not episode.visits(place)]
    if fresh:
        return [_direction(episode, _drawn(episode, cell, fresh, chance))], "new"
    if plan:
        return list(plan), "plan"
    seen = visible(episode, cell)
    if seen:
        aim = episode.nodes[_drawn(episode, cell, seen, chance)]
        assert isinstance(aim, Opening)
        return [*way(episode, cell, to=aim.cell), aim.direction], "seen"
    live = [place for place in here if not is_closed(episode, cell, _direction(episode, place), cells=REACH // 2)]
    return [_direction(episode, _drawn(episode, cell, live or here, chance))], "least taken"


def visible(episode: Episode, cell: Cell) -> list[int]:
    """The open directions never taken within reach in the graph: over passages walked, and over links."""
    start = episode.at(cell)
    reached, edge = {start}, [start]
    for _ in range(REACH):
        edge = sorted({other for place in edge for other in episode.neighbours(place)} - reached)
        reached.update(edge)
    return [place for place in sorted(reached) if _is_untaken(episode, place)]


def is_closed(episode: Episode, cell: Cell, direction: str, *, cells: int) -> bool:
    """Whether the graph shows, so many cells far, that behind a direction everything was taken."""
    if not episode.visits(episode.at(Opening(cell, direction))):
        return False
    beyond = step(cell, direction)
    others = {_direction(episode, place) for place in episode.openings(beyond)} - {OPPOSITE[direction]}
    return not others or (cells > 1 and all(is_closed(episode, beyond, each, cells=cells - 1) for each in others))


def way(episode: Episode, start: Cell, *, to: Cell) -> list[str]:
    """The directions from a cell to another, along passages that were walked."""
    found: dict[Cell, list[str]] = {start: []}
    edge = [start]
    while to not in found:
        nearest, edge = edge, []
        for cell in nearest:
            for place in episode.openings(cell):
                name = _direction(episode, place)
                beyond = step(cell, name)
                if episode.visits(place) and beyond not in found:
                    found[beyond] = [*found[cell], name]
                    edge.append(beyond)
    return found[to]


def _drawn(episode: Episode, cell: Cell, places: Sequence[int], chance: random.Random) -> int:
    """One of the openings, with the chance ∝ exp(−d / 0.1), d being its distance to the query."""
    distances = episode.distances(cell, places)
    # Less the least, or all of them may round to nothing.
    return chance.choices(places, [math.exp(-float(each) / _TEMPERATURE) for each in distances - distances.min()])[0]


def _direction(episode: Episode, place: int) -> str:
    node = episode.nodes[place]
    assert isinstance(node, Opening)
    return node.direction


def _is_untaken(episode: Episode, place: int) -> bool:
    return isinstance(episode.nodes[place], Opening) and episode.is_open(place) and not episode.visits(place)
