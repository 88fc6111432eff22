"""L1 of the maze: chooses the center, the candidates and the norm spec, and answers when L3 asks for more.

A candidate is a link from the cell where the agent is to an opening elsewhere that was seen and never taken. These
are the nodes near the query [row/H, col/W, 0, 0, 1, 0, 0, 0]: a wall is 6 away from it, an opening that was taken
once 2·ln 2 = 1.39, so neither is within θ_cand.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
from episode import Episode
from maze import Cell

from wherefrom.insight.judge import Context
from wherefrom.model.insight import CandidateEdge, ExpansionRequest, NormSpec

# Distances; a candidate's score is exp(−distance).
THETA_CAND: Final = 1.0
THETA_LINK: Final = 0.1
# So many candidates at the first look; L3 says how many more it wants.
FIRST_LOOK: Final = 2

_NORM = NormSpec(
    metric="l2", theta_link=math.exp(-THETA_LINK), theta_cand=math.exp(-THETA_CAND), dimension=8, outer=THETA_CAND
)


def first_look(episode: Episode, cell: Cell) -> Context:
    """The nearest candidates, for all hops alike."""
    edges = candidates(episode, cell)[:FIRST_LOOK]
    return Context(
        centers=(episode.at(cell),),
        candidate_edges=edges,
        candidate_selection={"k_star": len(edges), "theta_cand": THETA_CAND, "theta_link": THETA_LINK},
        norm_spec=_NORM,
    )


def further_look(episode: Episode, cell: Cell, *, asked: ExpansionRequest, hops: int) -> Context | None:
    """The candidates as before, and more where the paths are measured too: at the hops from 1 on. None: no more.

    At hop 0 a far opening can only look dear, for what speaks for it is the way that it saves.
    """
    known = {(edge.source, edge.target) for edge in asked.prev_ecand}
    more = [edge for edge in candidates(episode, cell) if (edge.source, edge.target) not in known][: asked.budget]
    if not more:
        return None
    edges = (*asked.prev_ecand, *more)
    return Context(
        centers=asked.centers,
        candidate_edges=asked.prev_ecand,
        candidate_edges_by_hop=dict.fromkeys(range(1, hops + 1), edges),
        candidate_selection={"k_star": len(edges), "theta_cand": THETA_CAND, "theta_link": asked.theta_link_hint},
        norm_spec=replace(_NORM, theta_link=max(asked.theta_link_hint, _NORM.theta_cand)),
    )


def candidates(episode: Episode, cell: Cell) -> tuple[CandidateEdge, ...]:
    """All candidates, the nearest first."""
    here = episode.at(cell)
    joined = {here, *episode.neighbours(here)}
    distances = episode.distances(cell)
    order = [int(place) for place in np.argsort(distances, kind="stable") if distances[place] <= THETA_CAND]
    return tuple(
        CandidateEdge(here, place, math.exp(-float(distances[place]))) for place in order if place not in joined
    )
