"""The test plan that insight was specified with, point by point."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import Literal, get_args, get_origin

import numpy as np
import pytest
from insight_for_tests import Case, context_of, delta_h, delta_sp, judged_case, tuned

import wherefrom
from wherefrom import Memory
from wherefrom.config import SETTINGS, variable_of
from wherefrom.insight.decide import judged
from wherefrom.insight.gates import GateState, Thresholds
from wherefrom.insight.judge import judge
from wherefrom.insight.settings import InsightSettings
from wherefrom.interfaces.graph_answers import InsightAnswer
from wherefrom.model import insight as values
from wherefrom.model.insight import CandidateEdge, NormSpec, PathKnobs
from wherefrom.policy.settings import keys_of, settings_from

# The eight dimensions of a maze cell and how much each counts.
MAZE_WEIGHTS = [1.0, 1.0, 0.0, 0.0, 3.0, 2.0, 0.0, 0.0]
QUIET = Thresholds(theta_ag=1e9, theta_dg=1e9)
ALERT = Thresholds(theta_ag=-1e9, theta_dg=1e9)


def maze_rows(size, *, seed=5):
    drawn = np.random.default_rng(seed).normal(size=(size, 8))
    return {place: row.tolist() for place, row in enumerate(drawn)}


# Dense enough that the entropy before is above its floor, so that the plain norm `before` holds.
DENSE = Case(
    size=8,
    edges=[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5), (4, 6), (5, 6), (5, 7), (6, 7), (0, 3), (4, 7)],
    rows=maze_rows(8),
    centers=[0],
    candidates=[(0, 4, 0.9), (0, 5, 0.6), (1, 6, 0.7)],
)
SPARSE = dataclasses.replace(DENSE, edges=[(0, 1), (4, 5)])
PATH = Case(
    size=7,
    edges=[(at, at + 1) for at in range(6)],
    rows=maze_rows(7),
    centers=[0],
    candidates=[(0, 3, 0.8), (0, 6, 0.7)],
)


def ends(case):
    return [(u, v) for u, v, _ in case.candidates]


# --- units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edges", [{}, {"candidate_edges": None}, {"candidate_edges": []}])
def test_without_candidates_cached_incr_steps_down_to_cached(edges):
    """Unit 1: sp_engine=cached_incr, candidate_edges=None -> sp_engine cached, contract broken, no autocand."""
    linking = tuned(paths={"engine": "cached_incr"})
    done = judge(PATH.scene(), context_of({"centers": [0], **edges}), linking=linking, thresholds=ALERT)
    metrics = done.metrics
    assert (metrics.sp_engine, metrics.input_contract_ok, metrics.autocand_used) == ("cached", False, False)
    assert (metrics.candidates, metrics.h_scope, done.links, done.request) == (0, "global", (), None)


@pytest.mark.parametrize("engine", ["core", "cached"])
def test_without_candidates_the_other_engines_stay(engine):
    """Unit 1: only cached_incr steps down."""
    done = judge(PATH.scene(), context_of({"centers": [0]}), linking=tuned(paths={"engine": engine}), thresholds=ALERT)
    assert (done.metrics.sp_engine, done.metrics.input_contract_ok) == (engine, False)


def test_without_candidates_paths_are_compared_between_the_graphs():
    """Unit 1: after stepping down, the ΔSP is that of the graph after against the graph before, over fixed pairs."""
    more = [(0, 6)]
    scene = PATH.scene()
    scene = dataclasses.replace(scene, after=scene.graph.joined(np.array(more)))
    done = judge(scene, context_of({"centers": [0]}), linking=tuned(), thresholds=QUIET, further=True)
    everyone = dataclasses.replace(PATH, centers=list(range(7)), candidates=[])
    assert done.metrics.hops[1].delta_sp == pytest.approx(delta_sp(everyone, more, hop=1))


def test_with_candidates_the_contract_is_kept():
    """Unit 1, the other way round: candidates given -> cached_incr, contract kept, h_scope cand_mask."""
    metrics = judged_case(PATH, tuned(paths={"engine": "cached_incr"})).metrics
    assert (metrics.sp_engine, metrics.input_contract_ok, metrics.autocand_used) == ("cached_incr", True, False)
    assert metrics.h_scope == "cand_mask"


@pytest.mark.parametrize("weights", [None, MAZE_WEIGHTS])
def test_delta_h_over_the_candidate_mask_is_that_of_an_independent_implementation(weights):
    """Unit 2: the ΔH of A/B and of L3 have the same sign and nearly the same size (here: the same), norm `before`."""
    case = dataclasses.replace(DENSE, weights=weights)
    plain = delta_h(case, ends(case), least=1e-3)
    measured = judged_case(case).metrics.hops[0].delta_h
    assert measured > 0
    assert measured == pytest.approx(plain)


def test_delta_h_of_a_sparse_graph_is_divided_by_no_less_than_the_entropy_of_a_pair():
    """Unit 2: where the norm `before` would blow up, the sign stays and the size is bounded by the floor ln 4."""
    measured = judged_case(SPARSE).metrics.hops[0].delta_h
    plain = delta_h(SPARSE, ends(SPARSE), least=1e-3)
    assert np.sign(measured) == np.sign(plain)
    assert measured <= plain
    assert measured == pytest.approx(delta_h(SPARSE, ends(SPARSE)))


def test_nodes_outside_the_mask_count_as_rows_of_zeros():
    """Unit 2: what is neither a center nor an end of a candidate has no features."""
    other = {**DENSE.rows, 3: [9.0] * 8, 7: [-9.0] * 8}
    first = judged_case(DENSE).metrics.hops
    assert judged_case(dataclasses.replace(DENSE, rows=other)).metrics.hops == first
    inside = {**DENSE.rows, 4: [9.0] * 8}
    assert judged_case(dataclasses.replace(DENSE, rows=inside)).metrics.hops[0].delta_h != first[0].delta_h


def test_weights_make_a_difference_and_are_used_when_given():
    """Unit 2: ablation of the weight vector; given weights are what is used."""
    weighed = dataclasses.replace(DENSE, weights=MAZE_WEIGHTS)
    on, off = (judged_case(case).metrics.hops[0].delta_h for case in (weighed, DENSE))
    assert abs(on - off) > 1e-3
    assert on == pytest.approx(delta_h(weighed, ends(weighed)))
    assert off == pytest.approx(delta_h(DENSE, ends(DENSE)))


def test_candidates_of_a_hop_are_used_at_that_hop():
    """Unit 3: candidate_edges_by_hop={0: [...], 1: [...]}: each hop is judged with its own."""
    own = {0: [(0, 3, {"score": 0.8})], 1: [(0, 6, {"score": 0.7})]}
    case = dataclasses.replace(PATH, candidates=[])
    metrics = judged_case(case, tuned(gauge={"hops": 1}), candidate_edges=None, candidate_edges_by_hop=own).metrics
    assert [hop.delta_ged for hop in metrics.hops] == pytest.approx([0.2 / 3, 0.3 / 3])
    assert metrics.hops[0].delta_h == pytest.approx(delta_h(PATH, [(0, 3)], hop=0))
    assert metrics.hops[1].delta_h == pytest.approx(delta_h(PATH, [(0, 6)], hop=1))
    assert metrics.hops[1].delta_sp == pytest.approx(delta_sp(PATH, [(0, 6)], hop=1))
    assert (metrics.candidates, metrics.input_contract_ok) == (2, True)


@pytest.mark.parametrize("by_hop", [{}, {1: []}])
def test_without_candidates_of_its_own_a_hop_uses_the_common_ones(by_hop):
    """Unit 3: where a hop has no list of its own (or an empty one), the single list is used for it."""
    metrics = judged_case(PATH, candidate_edges_by_hop=by_hop).metrics
    for hop in metrics.hops:
        assert hop.delta_ged == pytest.approx((0.2 + 0.3) / 3)
        assert hop.delta_h == pytest.approx(delta_h(PATH, ends(PATH), hop=hop.hop))


def test_own_candidates_of_one_hop_leave_the_other_hops_with_the_common_ones():
    """Unit 3: by-hop candidates come first only at their hop."""
    metrics = judged_case(PATH, candidate_edges_by_hop={1: [(0, 3, {"score": 0.8})]}).metrics
    assert [hop.delta_ged for hop in metrics.hops] == pytest.approx([0.5 / 3, 0.2 / 3, 0.5 / 3])


# --- pipeline ---------------------------------------------------------------------------------------------------------


def stub_l1(case, *, count):
    """An L1 in plain words: centers, candidates and norm spec as a dictionary."""
    chosen = case.candidates[:count]
    return {
        "centers": case.centers,
        "candidate_edges": [(u, v, {"score": score}) for u, v, score in chosen],
        "candidate_selection": {"k_star": count, "why": "nearest"},
        "norm_spec": {"metric": "l2", "theta_link": 0.5, "theta_cand": 0.5, "dimension": 8, "scope": "donut"},
    }


def test_l3_consumes_what_l1_hands_over_and_passes_it_on():
    """Pipeline 4: centers, Ecand and norm_spec of a stub L1 are consumed, and echoed in the metrics."""
    linking = tuned()
    done = judge(PATH.scene(), context_of(stub_l1(PATH, count=2)), linking=linking, thresholds=ALERT)
    metrics = done.metrics
    assert metrics.norm_spec == NormSpec(metric="l2", theta_link=0.5, theta_cand=0.5, dimension=8, scope="donut")
    assert metrics.candidate_selection == {"k_star": 2, "why": "nearest"}
    assert (metrics.candidates, metrics.k_star, metrics.input_contract_ok) == (2, 2, True)
    for hop in metrics.hops:
        assert hop.delta_h == pytest.approx(delta_h(PATH, ends(PATH), hop=hop.hop))
        assert hop.delta_sp == pytest.approx(delta_sp(PATH, ends(PATH), hop=hop.hop))
        assert hop.ig == pytest.approx(hop.delta_h + linking.gauge.path_weight * hop.delta_sp)
        assert hop.g == pytest.approx(hop.delta_ged - linking.gauge.temperature * hop.ig)


def test_delta_h_rises_with_the_candidates_as_it_does_in_the_independent_implementation():
    """Pipeline 4: A/B against L3, the same sign and the same slope while Ecand grows."""
    series, expected = [], []
    for count in (1, 2, 3):
        done = judge(DENSE.scene(), context_of(stub_l1(DENSE, count=count)), linking=tuned(), thresholds=QUIET)
        part = dataclasses.replace(DENSE, candidates=DENSE.candidates[:count])
        series.append(done.metrics.hops[0].delta_h)
        expected.append(delta_h(part, ends(part), least=1e-3))
    assert np.sign(series).tolist() == np.sign(expected).tolist() == [1.0, 1.0, 1.0]
    assert np.diff(series) == pytest.approx(np.diff(expected))


class Conductor:
    """An L1 that answers a request with the candidates that it had left, and keeps the request."""

    def __init__(self, case, *, first):
        self.case, self.first, self.requests = case, first, []

    def context(self, count):
        edges = [(u, v, {"score": score}) for u, v, score in self.case.candidates[:count]]
        return context_of({"centers": self.case.centers, "candidate_edges": edges})

    def __call__(self, request):
        self.requests.append(request)
        return self.context(min(self.first + request.budget, len(self.case.candidates)))


def run(conductor, linking, *, state=None):
    start = conductor.context(conductor.first)
    return judged(conductor.case.scene(), start, state or GateState(), conductor, linking=linking)


def test_when_ag_fires_l1_is_asked_for_more_and_the_next_cycle_has_them():
    """Pipeline 5: AG -> ExpansionRequest -> L1 expands Ecand -> more candidates and a larger IG in the next cycle."""
    linking = tuned(gates={"theta_ag": -5.0, "theta_dg": 5.0}, cand_expansion={"budget": 2})
    conductor = Conductor(DENSE, first=1)
    (first, second), _ = run(conductor, linking)
    (request,) = conductor.requests
    assert first.metrics.ag
    assert request == first.request
    assert request.centers == (0,)
    assert request.prev_ecand == (CandidateEdge(0, 4, 0.9),)
    assert request.reason == f"AG: g0 {first.metrics.g0:.3f} > -5.000"
    assert request.budget == 2
    assert request.radius_hint == max(first.metrics.best_h, 1) + 1
    assert request.theta_link_hint == linking.candidates.theta_link / 2
    assert request.accepted == (CandidateEdge(0, 4, 0.9),)
    assert (first.metrics.candidates, second.metrics.candidates) == (1, 3)
    assert second.metrics.hops[0].ig > first.metrics.hops[0].ig > 0
    assert not second.metrics.autocand_used


def test_without_ag_nobody_is_asked():
    """Pipeline 5: no AG, no request."""
    conductor = Conductor(DENSE, first=1)
    (only,), _ = run(conductor, tuned(gates={"theta_ag": 5.0}))
    assert (only.request, only.metrics.ag, conductor.requests) == (None, False, [])


@pytest.mark.parametrize("cycles", [0, 1, 2])
def test_cycles_are_counted(cycles):
    """Pipeline 5: L1 is asked as often as is allowed."""
    conductor = Conductor(DENSE, first=1)
    done, _ = run(conductor, tuned(gates={"theta_ag": -5.0}, cand_expansion={"budget": 1, "cycles": cycles}))
    assert (len(done), len(conductor.requests)) == (cycles + 1, cycles)


@pytest.mark.parametrize("mode", ["l1", "l3", "hybrid"])
def test_l3_expands_by_itself_only_where_it_is_allowed_to(mode):
    """Pipeline 5: cand_expansion.mode l3 and hybrid are behind allow_autocand; without it L1 is asked."""
    for allowed in (False, True):
        linking = tuned(
            gates={"theta_ag": -5.0, "theta_dg": 5.0},
            cand_expansion={"mode": mode, "near_centers_hop": 2},
            candidates={"allow_autocand": allowed},
        )
        conductor = Conductor(PATH, first=1)
        (_, second), _ = run(conductor, linking)
        by_itself = allowed and mode == "l3"
        assert len(conductor.requests) == (0 if by_itself else 1)
        assert second.metrics.autocand_used == by_itself
        assert {link.edge.target for link in second.links} == ({2, 3} if by_itself else {3, 6})


@pytest.mark.parametrize(("allowed", "cycles"), [(False, 1), (True, 2)])
def test_hybrid_looks_around_by_itself_when_l1_has_no_more(allowed, cycles):
    """Pipeline 5: in hybrid mode L3 stands in for L1 only when that has nothing more to give, and is allowed to."""
    linking = tuned(
        gates={"theta_ag": -5.0},
        cand_expansion={"mode": "hybrid", "near_centers_hop": 2},
        candidates={"allow_autocand": allowed},
    )
    asked = []
    start = Conductor(PATH, first=1).context(1)
    done, _ = judged(PATH.scene(), start, GateState(), lambda request: asked.append(request), linking=linking)
    assert (len(done), len(asked)) == (cycles, 1)
    assert done[-1].metrics.autocand_used == allowed


# --- performance ------------------------------------------------------------------------------------------------------


def test_adopting_one_after_the_other_stays_within_its_budget():
    """Performance: the sequential path of cached_incr is in budget (P95, P99) with its caps, on a graph of 1,000 nodes.

    The budget of a decision is 30 ms on a machine of its own (bench/paths.py); here it is ten times that.
    """
    random = np.random.default_rng(1)
    size, targets = 1_000, range(100, 132)
    case = Case(
        size=size,
        edges=[(0, 1), *((int(random.integers(1, at)), at) for at in range(2, size))],
        rows={place: random.normal(size=8).tolist() for place in (0, *targets)},
        centers=[0],
        candidates=[(0, place, float(random.uniform(0.6, 1.0))) for place in targets],
    )
    knobs = PathKnobs(
        engine="cached_incr", sources_cap=64, prune_topk=10, endpoint_window=1, gain_epsilon=1e-4, pair_samples=200
    )
    linking = dataclasses.replace(tuned(candidates={"links": 8}), paths=knobs)
    scene, context = case.scene(), case.context()
    taken = []
    for _ in range(25):
        begin = time.process_time()
        metrics = judge(scene, context, linking=linking, thresholds=ALERT).metrics
        taken.append(time.process_time() - begin)
    assert (metrics.sp_engine, metrics.candidates) == ("cached_incr", 32)
    assert 0 < metrics.pairs <= 200
    assert np.percentile(taken, [95, 99]).max() < 0.3


# --- regressions ------------------------------------------------------------------------------------------------------


def test_there_is_no_benefit_in_any_metric_answer_or_schema(sqlite_memory):
    """Regression 6: h_benefit and ig_benefit do not exist."""
    names = {
        each.name
        for kind in vars(values).values()
        if dataclasses.is_dataclass(kind)
        for each in dataclasses.fields(kind)
    }
    assert not [name for name in names if "benefit" in name]
    for text in ("The Nile floods.", "The Nile floods in summer."):
        sqlite_memory.save(text)
    plan = sqlite_memory.find_insight()
    assert plan.decisions
    assert "benefit" not in InsightAnswer.of(plan, explain=True).model_dump_json()
    assert "benefit" not in json.dumps([dataclasses.asdict(each) for each in plan.decisions])
    assert "benefit" not in json.dumps(InsightAnswer.model_json_schema())
    package = Path(wherefrom.__file__).parent
    sources = "\n".join(file.read_text(encoding="utf-8") for file in package.rglob("*.py"))
    assert "h_benefit" not in sources
    assert "ig_benefit" not in sources


def test_no_environment_variable_changes_the_sign_of_delta_h(tmp_path, monkeypatch):
    """Regression 6: ΔH is after − before whatever is in the environment."""

    def measured(name):
        with Memory.open(tmp_path / name) as memory:
            for text in ("The Nile floods.", "The Nile floods in summer.", "Bread rises."):
                memory.save(text)
            decisions = memory.find_insight().decisions
        return judged_case(DENSE).metrics.hops, [hop.delta_h for each in decisions for hop in each.cycles[0].hops]

    hops, stored = measured("a.db")
    assert hops[0].delta_h > 0
    assert max(stored) > 0
    for name in ("H_SIGN", "H_SCOPE", "ENTROPY", "IG_MODE", "NORM", "INSIGHT", "GAUGE_TEMPERATURE", "ALLOW_AUTOCAND"):
        for prefix in ("WHEREFROM_", "INSIGHTSPIKE_", "GEDIG_"):
            monkeypatch.setenv(prefix + name, "-1")
    assert measured("b.db") == (hops, stored)
    other = {"alpha": "0.0", "cutoff": "off", "cutoff_min": "1", "cutoff_max": "2", "cutoff_sensitivity": "9"}
    for setting in SETTINGS:
        if setting.name in other:
            monkeypatch.setenv(variable_of(setting.name), other[setting.name])
    again, signs = measured("c.db")
    assert again == hops
    assert min(signs) >= 0 < max(signs)


def extremes():
    """Every parameter of insight at both ends of what a policy allows, or with each choice."""
    found = []
    for key, setting in keys_of(InsightSettings, "insight").items():
        if get_origin(setting.kind) is Literal:
            allowed = get_args(setting.kind)
        elif setting.kind is bool:
            allowed = (True, False)
        else:
            allowed = (0.01, 0.99) if setting.param.is_low_open else (setting.param.low, setting.param.high)
        found += [(*key.split(".")[1:], value) for value in allowed]
    return found


@pytest.mark.parametrize(("section", "key", "value"), extremes())
def test_no_parameter_changes_the_sign_of_delta_h(section, key, value):
    """Regression 6: nothing that a policy may set turns ΔH round; with none of them it is even another number."""
    linking = settings_from(InsightSettings, {f"insight.{section}.{key}": value}).reconciled()
    thresholds = Thresholds(linking.gates.theta_ag, linking.gates.theta_dg)
    usual = judge(DENSE.scene(), DENSE.context(), linking=InsightSettings(), thresholds=ALERT).metrics.hops
    done = judge(DENSE.scene(), DENSE.context(), linking=linking, thresholds=thresholds, further=True).metrics.hops
    assert [hop.delta_h for hop in done[:3]] == [hop.delta_h for hop in usual[: len(done)]]
    assert usual[0].delta_h > 0
