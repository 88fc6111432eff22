"""The walks that are compared: the agent with links of three kinds, and two that need no graph."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from agent import choose
from conductor import candidates
from episode import Episode, Opening
from judging import Decided, decide
from maze import OPPOSITE, Cell, Maze, step

from wherefrom.graph.paths import PairCache
from wherefrom.insight.gates import GateState
from wherefrom.insight.judge import Weighed

# gated: what L3 accepts; none: the same agent without; nearest: at every step the nearest candidate, without L3.
Links = Literal["gated", "none", "nearest"]


@dataclass(slots=True)
class Walk:
    """What came of a walk: the cells one after the other, the graph, and one record for each step."""

    maze: Maze
    episode: Episode
    trail: list[Cell] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def reached(self) -> bool:
        return self.trail[-1] == self.maze.goal


def explore(maze: Maze, *, seed: int, steps: int, links: Links = "gated", judged: bool = True) -> Walk:
    """The agent's walk. judged: ask L3 and keep records, even where its links are not taken."""
    walk, chance = Walk(maze, Episode(maze.size)), random.Random(f"agent {seed}")
    episode, cell, state, cache = walk.episode, maze.start, GateState(), PairCache()
    plan: list[str] = []
    for number in range(steps + 1):
        episode.see(cell, maze.passages[cell], goal=cell == maze.goal)
        if walk.trail:
            episode.walked(walk.trail[-1], _between(walk.trail[-1], cell))
        walk.trail.append(cell)
        decided = None
        if judged or links == "gated":
            decided = decide(episode, cell, state=state, cache=cache)
            state = decided.state
        for one, other in _links(episode, cell, decided, links):
            episode.commit(one, other)
        action, why = None, "end"
        if cell != maze.goal and number != steps:
            plan, why = choose(episode, cell, plan=plan, chance=chance)
            action = plan.pop(0)
        if decided is not None:
            walk.records.append(_record(walk, decided, action=action, why=why))
        if action is None:
            break
        cell = step(cell, action)
    return walk


def random_walk(maze: Maze, *, seed: int, steps: int) -> Walk:
    """Any open direction."""
    chance = random.Random(f"agent {seed}")
    walk = Walk(maze, Episode(maze.size), [maze.start])
    while not walk.reached and len(walk.trail) <= steps:
        walk.trail.append(step(walk.trail[-1], chance.choice(sorted(maze.passages[walk.trail[-1]]))))
    return walk


def depth_first(maze: Maze, *, seed: int, steps: int) -> Walk:
    """With a table of the cells that were visited, and the way back: as good as it gets without a hint."""
    chance = random.Random(f"agent {seed}")
    walk, known, back = Walk(maze, Episode(maze.size), [maze.start]), {maze.start}, list[Cell]()
    while not walk.reached and len(walk.trail) <= steps:
        cell = walk.trail[-1]
        fresh = [step(cell, way) for way in sorted(maze.passages[cell]) if step(cell, way) not in known]
        if fresh:
            back.append(cell)
            walk.trail.append(chance.choice(fresh))
            known.add(walk.trail[-1])
        else:
            walk.trail.append(back.pop())
    return walk


def _links(episode: Episode, cell: Cell, decided: Decided | None, links: Links) -> Iterator[tuple[int, int]]:
    if links == "gated" and decided is not None:
        yield from ((link.edge.source, link.edge.target) for link in decided.accepted)
    if links == "nearest":
        yield from ((edge.source, edge.target) for edge in candidates(episode, cell)[:1])


def _record(walk: Walk, decided: Decided, *, action: str | None, why: str) -> dict[str, Any]:
    """A line of the log. g0 is that of the first cycle, what the hops say that of the last."""
    first, last = decided.cycles[0].metrics, decided.cycles[-1].metrics
    counts = [cycle.metrics.candidates for cycle in decided.cycles]
    links = decided.cycles[-1].links
    return {
        "step": len(walk.trail) - 1,
        "position": list(walk.trail[-1]),
        "action": action,
        "why": why,
        "g0": _short(first.g0),
        "gmin": _short(last.gmin),
        "best_h": last.best_h,
        "hops": [_short(hop.g) for hop in last.hops],
        "ag": first.ag,
        "dg": last.dg,
        "candidates": counts,
        "expanded": counts[-1] - counts[0],
        "best_link_g": _short(min(link.g for link in links)) if links else None,
        "accepted": [_accepted(walk.episode, link) for link in decided.accepted],
        "theta_ag": _short(first.theta_ag),
        "theta_dg": _short(first.theta_dg),
    }


def _accepted(episode: Episode, link: Weighed) -> dict[str, Any]:
    cell, opening = episode.nodes[link.edge.source], episode.nodes[link.edge.target]
    assert isinstance(opening, Opening) and not isinstance(cell, Opening)
    return {
        "from": list(cell),
        "to": list(opening.cell),
        "direction": opening.direction,
        "score": _short(link.edge.score or 0.0),
        "g": _short(link.g),
        "hop": link.hop,
        "delta_h": _short(link.delta_h),
        "delta_sp": _short(link.delta_sp),
    }


def _between(one: Cell, other: Cell) -> str:
    return next(way for way in OPPOSITE if step(one, way) == other)


def _short(number: float) -> float:
    return round(number, 6)
