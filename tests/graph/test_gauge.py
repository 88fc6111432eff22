"""The gauge, computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.graph.gauge import hop, least
from wherefrom.model.insight import Hop

GIVEN = {"delta_ged": 0.5, "delta_h": 0.1, "delta_sp": 0.4, "temperature": 2.0, "path_weight": 0.25}


def test_a_hop_with_paths():
    """ig = 0.1 + 0.25·0.4 = 0.2; g = 0.5 − 2·0.2 = 0.1."""
    measured = hop(1, **GIVEN)
    assert (measured.hop, measured.delta_ged, measured.delta_h, measured.delta_sp) == (1, 0.5, 0.1, 0.4)
    assert (measured.ig, measured.g) == pytest.approx((0.2, 0.1))


def test_hop_0_has_no_paths():
    """g = 0.5 − 2·0.1 = 0.3, whatever is said about paths."""
    assert hop(0, **GIVEN) == Hop(hop=0, delta_ged=0.5, delta_h=0.1, delta_sp=0.0, ig=0.1, g=0.3)
    assert hop(0, **GIVEN | {"delta_sp": float("nan")}) == hop(0, **GIVEN)


def test_less_entropy_raises_the_gauge():
    assert hop(0, **GIVEN | {"delta_h": -0.1}).g == pytest.approx(0.7)


def test_without_temperature_only_the_cost_counts():
    assert hop(2, **GIVEN | {"temperature": 0.0}).g == 0.5


def of(number, g):
    return Hop(hop=number, delta_ged=0.0, delta_h=0.0, delta_sp=0.0, ig=0.0, g=g)


def test_the_least_of_the_hops():
    assert least([of(0, 0.3), of(1, -0.1), of(2, 0.2)]) == (0.3, -0.1, 1)
    assert least([of(0, 0.3)]) == (0.3, 0.3, 0)


def test_of_equals_the_smaller_hop():
    assert least([of(0, 0.3), of(1, -0.1), of(2, -0.1)]) == (0.3, -0.1, 1)
    assert least([of(0, 0.3), of(1, 0.3)]) == (0.3, 0.3, 0)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_more_hops_never_raise_the_least(gauges):
    hops = [of(number, g) for number, g in enumerate(gauges)]
    g0, gmin, best_h = least(hops)
    assert (g0, gmin) == (gauges[0], min(gauges))
    assert gauges[best_h] == gmin <= least(hops[: max(1, len(hops) - 1)])[1]


@given(st.integers(1, 9), st.floats(0, 1), st.floats(-1, 5), st.floats(0, 1), st.floats(0, 3), st.floats(0, 3))
def test_shorter_paths_never_raise_the_gauge(number, cost, entropy, shorter, temperature, weight):
    same = {"delta_ged": cost, "delta_h": entropy, "temperature": temperature, "path_weight": weight}
    assert hop(number, delta_sp=shorter, **same).g <= hop(0, delta_sp=0.0, **same).g + 1e-12
