"""Candidates that L3 makes by itself, near the centers: only where `allow_autocand` is set."""

from __future__ import annotations

import numpy as np

from wherefrom.insight.context import Context, Scene, ends_of
from wherefrom.model.insight import CandidateEdge


def near_centers(scene: Scene, context: Context, *, hop: int, limit: int) -> tuple[CandidateEdge, ...]:
    """The nodes within one step more than `hop` of a center that are most similar to it, as candidates."""
    if not len(scene.places) or limit <= 0:
        return ()
    rows = scene.rows if scene.weights is None else scene.rows * scene.weights
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-10)
    at = {int(place): number for number, place in enumerate(scene.places)}
    graph = scene.after or scene.graph
    known = {(edge.source, edge.target) for edge in context.edges()}
    found: list[CandidateEdge] = []
    for center in context.centers:
        if center not in at:
            continue
        start = np.zeros(graph.size, dtype=bool)
        start[center] = True
        reached = graph.within(start, hop + 1) & ~graph.within(start, 1)
        similarity = unit @ unit[at[center]]
        found += [
            CandidateEdge(center, int(place), float(np.clip(similarity[at[int(place)]], 0.0, 1.0)))
            for place in np.flatnonzero(reached)
            if int(place) in at and (center, int(place)) not in known and (int(place), center) not in known
        ]
    found.sort(key=lambda edge: (-(edge.score or 0.0), edge.source, edge.target))
    return tuple({ends_of(edge): edge for edge in reversed(found)}.values())[::-1][:limit]
