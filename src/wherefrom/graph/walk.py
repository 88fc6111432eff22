"""The chance that a walk from some nodes passes each other node: personalised PageRank without returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wherefrom.graph.local import Numbers, Places
from wherefrom.lazy import np

_STEPS: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Nodes that have something in common, such as a name: place by place a member and the number of its group.

    share: how much of what leaves a node goes by groups, if it has edges as well.
    """

    members: Places
    numbers: Places
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class _GroupSteps:
    """The steps over groups: the chance into a group from each membership, and from the group to each other member."""

    members: Places
    numbers: Places
    into: Numbers
    out: Numbers

    def taken(self, passed: Numbers) -> Numbers:
        """Return what comes to each node over groups; what a node gives to a group does not come back to it."""
        flow = passed[self.members] * self.into
        together = _summed(self.numbers, flow)[self.numbers]
        return _summed(self.members, (together - flow) * self.out, len(passed))

    def returns(self, size: int) -> Numbers:
        """Return the chance that a walk goes from each node over a group to another one and back by the same group."""
        together = _summed(self.numbers, self.into)[self.numbers]
        return _summed(self.members, self.into * self.out * (together - self.into) * self.out, size)


def passing(
    start: Numbers,
    sources: Places,
    targets: Places,
    weights: Numbers,
    *,
    damping: float,
    groups: Groups | None = None,
    steps: int = _STEPS,
) -> tuple[Numbers, Numbers]:
    """x = s + Cᵀx by iteration, then G_j = x_j·(1 − Σ_i c_ji·c_ij), scaled so that the greatest is 1. Range: [0, 1].
    The second result is the same of x − s: what comes of walks that are not at their start.

    start (s): where a walk begins, one mass for each node, scaled to sum 1. An edge is taken in either direction with
    the chance c_ij = d·w_ij / max(1, Σ_k w_ik): where the weights of a node's edges sum to less than 1 the walk ends
    there with the rest, so nobody is forced over weak edges. Coming back over the same edge does not count: a node
    among many edges is worth no more than one without any, and without edges the result is the start.

    A node in groups takes one of its n_i groups with the chance d·h_i/n_i, and from a group of m goes to each other
    member with 1/(m − 1); h_i is the share of the groups if the node has edges, whose c_ij is then times 1 − h_i, and
    1 if it has none.
    After Haveliwala, "Topic-sensitive PageRank", WWW 2002. Cost: steps × (edges + memberships).
    """
    total = start.sum()
    if total <= 0:
        return np.zeros(len(start)), np.zeros(len(start))
    begin = start / total
    leave, enter = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    weight = np.concatenate([weights, weights])
    strength = _summed(leave, weight, len(begin))
    chance = damping * weight / np.maximum(strength, 1.0)[leave]
    by_group = None
    if groups is not None and len(groups.members):
        by_group, by_edges = _group_steps(groups, strength, damping)
        chance = chance * by_edges[leave]
    passed = begin
    for _ in range(steps if len(leave) or by_group is not None else 0):
        came = _summed(enter, passed[leave] * chance, len(begin))
        passed = begin + came if by_group is None else begin + came + by_group.taken(passed)
    back = np.concatenate([chance[len(sources) :], chance[: len(sources)]])
    returned = _summed(leave, chance * back, len(begin))
    stays = 1.0 - (returned if by_group is None else returned + by_group.returns(len(begin)))
    once = passed * stays
    return np.clip(once / once.max(), 0.0, 1.0), np.clip((passed - begin) * stays / once.max(), 0.0, 1.0)


def _group_steps(groups: Groups, strength: Numbers, damping: float) -> tuple[_GroupSteps, Numbers]:
    """Return the steps over groups, and for each node the part of its walks that is left to its edges."""
    memberships = np.bincount(groups.members, minlength=len(strength))
    share = np.where(strength > 0, groups.share, 1.0)
    into = damping * share[groups.members] / memberships[groups.members]
    out = 1.0 / np.maximum(np.bincount(groups.numbers)[groups.numbers] - 1, 1)
    return _GroupSteps(groups.members, groups.numbers, into, out), np.where(memberships > 0, 1.0 - groups.share, 1.0)


def _summed(places: Places, weights: Numbers, size: int = 0) -> Numbers:
    """Return the sum of the weights at each place."""
    sums: Numbers = np.bincount(places, weights=weights, minlength=size).astype(np.float64, copy=False)
    return sums
