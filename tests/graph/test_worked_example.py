"""All measures together on one graph: eight nodes A to H, joined by Q with four links, λ = γ = 1.

    F   G   H   E
    |   |   |   |        Q is linked to A, B, C and D.
    B – C – D – A

Whether a pair of nodes counts that was no pair before decides the outcome: over all pairs the paths through Q are
worth the links, over the pairs that were connected before they are not. Ours are the pairs of before.
"""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest
from graph_for_tests import mean_length, relative

from wherefrom.graph.entropy import link_set_change
from wherefrom.graph.gauge import candidate_base, delta_ged, edit_cost, hop, least
from wherefrom.graph.local import graph_of
from wherefrom.graph.paths import open_paths
from wherefrom.model.insight import PathKnobs

A, B, C, D, E, F, G, H, Q = range(9)
EDGES = np.array([(B, C), (C, D), (D, A), (A, E), (B, F), (C, G), (D, H)])
LINKS = np.array([(Q, A), (Q, B), (Q, C), (Q, D)])
BEFORE = graph_of(8, EDGES)
AFTER = graph_of(9, np.concatenate([EDGES, LINKS]))
EARLIER_PAIRS = np.array(list(combinations(range(8), 2)))


def gauge(number, *, around, shorter=0.0):
    """g with the link-set form of ΔH, over so many equal weights."""
    return hop(
        number,
        delta_ged=delta_ged(edit_cost(BEFORE, AFTER), candidate_base(len(LINKS))),
        delta_h=link_set_change([1.0] * around),
        delta_sp=shorter,
        temperature=1.0,
        path_weight=1.0,
    )


def test_the_cost():
    """One node with four links, of one node with four candidates: 5/5."""
    assert edit_cost(BEFORE, AFTER) == candidate_base(len(LINKS)) == 5.0
    assert delta_ged(5.0, 5.0) == 1.0


def test_the_entropies():
    """Q joins the four that it is linked to, and at one hop all eight."""
    near, far = link_set_change([1.0] * 4), link_set_change([1.0] * 8)
    assert near == pytest.approx((log(5) - log(4)) / log(5))
    assert far == pytest.approx((log(9) - log(8)) / log(9))
    assert (round(near, 4), round(far, 4)) == (0.1386, 0.0536)


def test_the_paths():
    """68 steps over 28 pairs; afterwards 76 over 36, or 64 over the 28 of before."""
    before = mean_length(BEFORE)
    everywhere, fixed = mean_length(AFTER), mean_length(AFTER, pairs=EARLIER_PAIRS)
    assert (before, everywhere, fixed) == pytest.approx((68 / 28, 76 / 36, 64 / 28))
    assert mean_length(BEFORE, pairs=EARLIER_PAIRS) == pytest.approx(before)
    assert round(relative(before, everywhere), 4) == 0.1307
    assert round(relative(before, fixed), 4) == 0.0588


@pytest.mark.parametrize("engine", ["core", "cached", "cached_incr"])
def test_every_engine_takes_the_pairs_of_before(engine):
    """Q is there from the start, without links: nobody's pair."""
    knobs = PathKnobs(engine=engine, pair_samples=0, sources_cap=0)
    waiting, everyone = graph_of(9, EDGES), np.ones(9, dtype=bool)
    paths = open_paths(waiting, everyone, centers=np.array([Q]), endpoints=np.unique(LINKS), knobs=knobs)
    assert (paths.pairs, paths.before) == (28, pytest.approx(68 / 28))
    assert round(paths.gain(LINKS), 4) == 0.0588


def test_hop_0():
    assert round(gauge(0, around=4).g, 3) == 0.861


def test_hop_1_over_all_pairs():
    shorter = relative(mean_length(BEFORE), mean_length(AFTER))
    direct, further = gauge(0, around=4), gauge(1, around=8, shorter=shorter)
    assert round(further.g, 3) == 0.816
    assert least([direct, further]) == (direct.g, further.g, 1)


def test_hop_1_over_the_pairs_of_before():
    shorter = relative(mean_length(BEFORE), mean_length(AFTER, pairs=EARLIER_PAIRS))
    direct, further = gauge(0, around=4), gauge(1, around=8, shorter=shorter)
    assert round(further.g, 3) == 0.888
    assert least([direct, further]) == (direct.g, direct.g, 0)
