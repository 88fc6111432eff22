"""Whatever the graph: a second run has nothing to do, order and time zero do not matter, and all can be brought back."""

from __future__ import annotations

import json
import shutil
import uuid
from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from metabolism_for_tests import NOW, Graph, Placed, ago, exported, fates, put, removed, says

from wherefrom import Memory
from wherefrom.model.identifiers import timestamp

APART = {"wide_beach": 0.05, "sandy_beach": 0.09, "grey_beach": 0.2}
# Copies of each other, near and less near; the same but for a number; and some that are alone.
TEXTS = (
    *(says("Amber", number) for number in (0, 1, 2, 3, 4, 20, 21, 30, 40)),
    *(says("Coral", number) for number in (0, 20)),
    *(f"Amber is often found on a calm beach after {count} storms." for count in (12, 13)),
    "Quartz is another matter altogether.",
    "Slate is another matter altogether.",
)
KINDS = ("memo", "memo", "memo", "memo", "claim", "entity", "page")
TAGS = ("related", "related", "mentions", "cites", "contradicts", "status", "lives_in", "lives-in")
MORE = ({}, {}, {}, {}, {}, {}, {}, {"pinned": True}, {"boundary_class": "public"}, {"expires_at": ago(days=-9)})
TIMES = ("observed_at", "recency_anchor", "created_at", "updated_at", "expires_at", "rejected_at")

QUICK = partial(
    settings,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)


def anchored(graph):
    """The newest relation of each namespace, which stays: the clocks of two runs are the same."""
    for number, namespace in enumerate(("main", "main/a")):
        ends = [
            graph.node(f"end{number}{side}", f"Topic{side} is by itself.", namespace=namespace, pinned=True)
            for side in "xy"
        ]
        graph.edge(*ends, "cites")


@st.composite
def graphs(draw):
    graph = Graph()
    anchored(graph)
    places = st.sampled_from(["main", "main", "main", "main/a"])
    keys = st.tuples(places, st.sampled_from(KINDS), st.sampled_from(TEXTS))
    names = []
    for number, (namespace, kind, text) in enumerate(draw(st.lists(keys, min_size=3, max_size=9, unique=True))):
        more = draw(st.sampled_from(MORE))
        given = {"claim_kind": "fact"} if kind == "claim" else {}
        text = f"https://example.org/{TEXTS.index(text)}" if kind == "page" else text
        days = draw(st.sampled_from([300.0, 300.0, 300.0, 10.0, 1.0]))
        names.append(graph.node(f"n{number}", text, namespace=namespace, kind=kind, days=days, **given, **more))
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names), st.sampled_from(TAGS))
    for source, target, tag in draw(st.lists(ends, max_size=12, unique=True)):
        figures = {
            "weight": draw(st.sampled_from([0.0, 0.02, 0.05, 0.05, 0.1, 0.3, 1.0])),
            "confidence": draw(st.sampled_from([0.4, 1.0])),
            "days": draw(st.sampled_from([0.0, 1.0, 10.0, 40.0, 100.0, 400.0])),
        }
        graph.edge(source, target, tag, **figures)
    return graph


ASKED = st.fixed_dictionaries(
    {},
    optional={
        "prune_threshold": st.sampled_from([0.0, 0.3, 1.0]),
        "protection_hours": st.sampled_from([0.0, 36.5]),
        "orphans": st.just("all"),
        "mdl_neighbours": st.sampled_from([1, 100]),
        "mdl_benefit": st.sampled_from([0.02, 0.5, 1.0]),
    },
)


@pytest.fixture(scope="module")
def sqlite_place(sqlite_store, tmp_path_factory):
    return str(shutil.copy(sqlite_store, tmp_path_factory.mktemp("properties") / "memory.db"))


def opened(url, shift=timedelta(0)):
    """A memory with nothing in it: of a new owner."""
    return Memory.open(url, owner=uuid.uuid4().hex, embedder=Placed(**APART), clock=lambda: NOW + shift)


def ends_of(edges):
    return Counter(end for source, target, _ in edges for end in {source, target})


def keys(lines):
    found = [json.loads(each) for each in lines]
    return (
        {each["id"] for each in found if each["type"] == "node"},
        {(each["source_id"], each["target_id"], each["tag"]) for each in found if each["type"] == "edge"},
    )


def check_run(url, graph, asked, policies=()):
    """Apply a plan, again, and bring all back."""
    with opened(url) as memory:
        graph.put(memory)
        for namespace, policy in policies:
            memory.apply_policy(json.dumps({"version": "1.0.1", "metabolism": policy}), namespace=namespace)
        before = exported(memory)
        plan = memory.metabolize(apply=True, **asked)
        after = exported(memory)
        check_what_went(plan, keys(before), keys(after))
        again = memory.metabolize(apply=True, **asked)
        assert (removed(again), again.pruned, again.skipped) == ({}, 0, 0), "a second run has nothing to do"
        assert exported(memory) == after
        if plan.nodes_removed + plan.links_removed:
            restored = memory.restore(run_id=plan.run_id)
            assert (len(restored.node_ids), restored.links) == (plan.nodes_removed, plan.links_removed)
            assert restored.skipped == {}
        assert exported(memory) == before, "to the letter"


def check_what_went(plan, before, after):
    gone = set(removed(plan))
    assert before[0] - after[0] == gone
    assert plan.skipped == 0
    for each in plan.removed:
        if each.rule == "restorable":
            assert each.neighbour.id in after[0]
            assert plan.settings[each.node.namespace]["mdl_benefit"] > each.difficulty
    assert not [edge for edge in after[1] if gone & set(edge[:2])], "no relation has lost an end"
    lost = {(each.source_id, each.target_id, each.tag) for each in plan.thinnest if each.rule != "thin"}
    staying = {edge for edge in before[1] - lost if not gone & set(edge[:2])}
    assert set(ends_of(staying)) <= set(ends_of(after[1])), "nothing loses its last relation by pruning"


@QUICK(max_examples=settings.default.max_examples)
@given(graph=graphs(), asked=ASKED)
def test_a_second_run_removes_nothing_and_all_comes_back_to_the_letter(sqlite_place, graph, asked):
    check_run(sqlite_place, graph, asked)


@QUICK(max_examples=6)
@given(graph=graphs(), asked=ASKED)
def test_the_same_on_both_databases(store, graph, asked):
    check_run(store, graph, asked)


@QUICK(max_examples=settings.default.max_examples // 2)
@given(graph=graphs(), there=ASKED, below=ASKED)
def test_a_second_run_removes_nothing_where_namespaces_have_settings_of_their_own(sqlite_place, graph, there, below):
    check_run(sqlite_place, graph, {}, policies=[("/", there), ("/a", below)])


def figures(plan):
    """What a plan decides, with its figures."""
    weak = {each.node.id: (each.rule, each.neighbour and each.neighbour.id) for each in (*plan.removed, *plan.examples)}
    thin = {(each.source_id, each.target_id, each.tag): each.rule for each in plan.thinnest}
    undecided = {(each.source_id, each.tag) for each in plan.conflicts if each.kept is None}
    return weak, thin, undecided, plan.pruned


@QUICK(max_examples=settings.default.max_examples // 2)
@given(graph=graphs(), asked=ASKED, chance=st.randoms(use_true_random=False))
def test_the_order_in_which_it_came_in_makes_no_difference(sqlite_place, graph, asked, chance):
    nodes, edges = ([each for each in graph.records() if f'"type":"{kind}"' in each] for kind in ("node", "edge"))
    assert len(nodes) == len(graph.nodes)
    with opened(sqlite_place) as one, opened(sqlite_place) as other:
        put(one, [*nodes, *edges])
        put(other, [*chance.sample(nodes, len(nodes)), *chance.sample(edges, len(edges))])
        first, second = one.metabolize(**asked), other.metabolize(**asked)
        assert figures(first)[1:] == figures(second)[1:]
        assert removed(first) == removed(second)
        assert fates(first) == fates(second)
        stand_ins = [{each.node.id: each.neighbour for each in plan.removed} for plan in (first, second)]
        assert stand_ins[0] == stand_ins[1]


@QUICK(max_examples=settings.default.max_examples // 2)
@given(graph=graphs(), asked=ASKED, days=st.sampled_from([-3000, -0.3, 1, 5000]))
def test_all_times_and_now_shifted_together_change_nothing(sqlite_place, graph, asked, days):
    shift = timedelta(days=days)
    with opened(sqlite_place) as one, opened(sqlite_place, shift) as other:
        graph.put(one)
        put(other, [shifted(each, shift) for each in graph.records()])
        assert figures(one.metabolize(**asked)) == figures(other.metabolize(**asked))


def shifted(line, shift):
    record = json.loads(line)
    for name in TIMES:
        if record.get(name):
            record[name] = timestamp(datetime.fromisoformat(record[name]) + shift)
    return json.dumps(record, ensure_ascii=False)


@QUICK(max_examples=settings.default.max_examples // 2)
@given(graph=graphs(), orphans=st.sampled_from(["entities", "all"]))
def test_with_a_higher_threshold_there_are_more_candidates(sqlite_place, graph, orphans):
    with opened(sqlite_place) as memory:
        graph.put(memory)
        asked = {"orphans": orphans, "protection_hours": 0}
        plans = [memory.metabolize(prune_threshold=threshold, **asked) for threshold in (0.0, 0.05, 0.1, 0.3, 1.0)]
    for lower, higher in pairwise(plans):
        assert set(fates(lower)) <= set(fates(higher))
        assert sum(lower.spared.values()) + len(lower.removed) <= sum(higher.spared.values()) + len(higher.removed)
