"""Insight as it is shown: the tool and the command, on plans made by hand."""

from __future__ import annotations

import functools
import json
import subprocess
from dataclasses import replace
from io import StringIO

import pytest
from forking_for_tests import wherefrom_command
from rich.console import Console

from wherefrom.api.memory import LazyVerb, Memory, Verbs
from wherefrom.insight.plans import InsightEngine
from wherefrom.interfaces.cli.render_plans import insight_lines, linked_lines
from wherefrom.interfaces.graph_answers import InsightAnswer
from wherefrom.interfaces.mcp import tools
from wherefrom.interfaces.paging import Scale
from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import Node, NodeRef
from wherefrom.model.insight import Decision, EdgeFigures, Hop, InsightMetrics, InsightPlan, ProposedEdge
from wherefrom.model.results import Saved

# Whole ids, which no memory is asked for.
MEMO, PLAN = "01900000-0000-7000-8000-00000000000a", "01900000-0000-7000-8000-00000000000b"
TOOL = tools.BY_NAME["find_insight"]
FIGURES = EdgeFigures(
    score=0.712345,
    g=-0.123456,
    hop=1,
    delta_ged=0.28767,
    delta_h=-0.000001,
    delta_sp=0.5,
    similarity=0.61239,
    words=None,
    shared=0.25,
    common_neighbours=2,
    distance=None,
)
METRICS = InsightMetrics(
    g0=0.04321,
    gmin=-0.123456,
    best_h=1,
    hops=(Hop(0, 0.3, 0.25, 0.0, 0.25, 0.05), Hop(1, 0.3, 0.3, 0.5, 0.4, -0.123456)),
    candidates=8,
    proposed=3,
    k_star=8,
    pairs=40,
    sp_engine="cached_incr",
    h_scope="cand_mask",
    input_contract_ok=True,
    autocand_used=False,
    theta_ag=0.0,
    theta_dg=0.0,
    ag=True,
    dg=True,
    norm_spec=None,
)


def link(source, target, *, accepted=True, reason="both are about ships", weight=0.712345):
    return ProposedEdge(source, target, "relates_to", weight, accepted, reason, FIGURES)


def plan_of(*decisions, titles=None, **other):
    """A plan whose nodes have their ids for titles, unless others are given."""
    ids = dict.fromkeys(
        [c for d in decisions for c in d.center_ids]
        + [end for d in decisions for each in d.links for end in (each.source_id, each.target_id)]
    )
    refs = tuple(NodeRef(node_id, "main", "memo", (titles or {}).get(node_id, node_id)) for node_id in ids)
    fields = {"id": "p-1", "state": "proposed", "asked": {"since": "2026-01-01"}, "judged": len(decisions)}
    return InsightPlan(
        root_namespace="/", created_at="2026-01-02T00:00:00Z", decisions=decisions, nodes=refs, **(fields | other)
    )


def decision(center, accepted, rejected=(), around=()):
    links = [link(center, end) for end in accepted] + [link(center, end, accepted=False) for end in rejected]
    return Decision((center,), tuple(links), (METRICS, METRICS), tuple(around))


SMALL = plan_of(decision("a", ["b", "c"], ["d"], [("b", "e"), ("c", "f"), ("e", "f"), ("d", "f")]))


class Planning:
    """Stands for the engine: finds one plan; notes what it was asked."""

    def __init__(self, planner):
        self.plan, self.calls = planner.plan, planner.calls

    def _find(self, memo_id, query, namespace, limit):
        self.calls.append(("find", memo_id, query, namespace, limit))
        return self.plan

    def kept(self, **changed):
        return replace(self.plan, decisions=(Decision((), self.plan.accepted, ()),), **changed)

    @functools.wraps(InsightEngine.apply_insight)
    def apply_insight(self, plan_id):
        self.calls.append(("apply", plan_id))
        return self.kept(state="applied", written=2)

    @functools.wraps(InsightEngine.undo_insight)
    def undo_insight(self, plan_id):
        self.calls.append(("undo", plan_id))
        return replace(self.plan, state="undone")

    @functools.wraps(InsightEngine.insight_plan)
    def insight_plan(self, plan_id):
        self.calls.append(("read", plan_id))
        return self.kept()


class Planner:
    """Stands for a memory; its verbs check what they are given as a memory's do."""

    root_namespace = "/"
    _perform, _admit = Memory._perform, Verbs._admit
    find_insight = LazyVerb(lambda: (InsightEngine.find_insight, Planning), "read")
    apply_insight = LazyVerb(lambda: (Planning.apply_insight, Planning), "read")
    undo_insight = LazyVerb(lambda: (Planning.undo_insight, Planning), "read")
    insight_plan = LazyVerb(lambda: (Planning.insight_plan, Planning), "read")

    def __init__(self, plan=SMALL):
        self.plan, self.calls, self.view = plan, [], self


@pytest.fixture(autouse=True)
def ids_as_they_are(monkeypatch):
    """No store stands behind a planner, in which an id could be looked up."""
    monkeypatch.setattr("wherefrom.api.performing._whole_id", lambda view, param, given, field: given)


def ask(planner, **arguments):
    return tools.answer(planner, "find_insight", {"detail": "full", **arguments}, is_structured=True)


def test_an_answer_has_the_links_the_figures_and_the_measures():
    answer = ask(Planner(), include_rejected=True)
    first, _, last = answer["relations"]
    assert (first["source_id"], first["target_id"], first["target_title"]) == ("a", "b", "b")
    assert first["accepted"] and not last["accepted"]
    assert first["figures"]["score"] == 0.7123
    assert first["figures"]["similarity"] == 0.6124
    assert str(first["figures"]["delta_h"]) == "0.0", "no minus before a zero"
    assert first["figures"]["words"] is first["figures"]["distance"] is None
    (decided,) = answer["decisions"]
    assert (decided["cycles"], decided["accepted"], decided["rejected"]) == (2, 2, 1)
    assert set(decided) == {
        "center_ids", "accepted", "rejected", "cycles", "g0", "gmin", "best_h", "hops", "ag", "dg", "theta_ag",
        "theta_dg", "candidates", "sp_engine", "h_scope", "input_contract_ok", "autocand_used",
    }  # fmt: skip
    assert decided["hops"][1]["g"] == decided["gmin"] == -0.1235
    assert "benefit" not in json.dumps([answer, TOOL.answer.model_json_schema()])
    assert (answer["accepted"], answer["rejected"], answer["truncated"]) == (2, 1, False)
    assert answer["next_cursor"] is None


def test_rejected_links_are_counted_and_listed_only_when_asked_for():
    answer = ask(Planner())
    assert [each["accepted"] for each in answer["relations"]] == [True, True]
    assert answer["rejected"] == 1


def test_a_plan_that_is_read_again_has_its_links_and_no_measures():
    answer = InsightAnswer.of(plan_of(Decision((), (link("a", "b"),), ())), explain=False)
    assert answer.decisions == []
    assert len(answer.relations) == 1


def test_a_plan_applied_at_once_keeps_what_the_search_knew():
    answer = ask(Planner(), apply=True, include_rejected=True)
    assert (answer["state"], answer["written"], answer["rejected"]) == ("applied", 2, 1)
    assert answer["decisions"]


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        ({}, [("find", None, None, None, 50)]),
        ({"memo_id": MEMO, "namespace": "x"}, [("find", MEMO, None, "x", 50)]),
        ({"q": "ships", "limit": 500}, [("find", None, "ships", None, 500)]),
        ({"memoId": MEMO, "apply": True}, [("find", MEMO, None, None, 50), ("apply", "p-1")]),
        ({"apply_plan_id": PLAN, "include_rejected": True, "limit": 50}, [("apply", PLAN)]),
        ({"undoPlanId": PLAN, "memo_id": None}, [("undo", PLAN)]),
        ({"plan_id": PLAN, "apply": False}, [("read", PLAN)]),
    ],
)
def test_each_way_to_ask_calls_its_verb_once(arguments, calls):
    planner = Planner()
    ask(planner, **arguments)
    assert planner.calls == calls


@pytest.mark.parametrize(
    "arguments",
    [
        {"memo_id": MEMO, "query": "b"},
        {"memo_id": MEMO, "apply_plan_id": "p"},
        {"query": "a", "undo_plan_id": "p"},
        {"namespace": "a", "apply_plan_id": "p"},
        {"limit": 5, "apply_plan_id": "p"},
        {"apply": True, "apply_plan_id": "p"},
        {"apply": True, "undo_plan_id": "p"},
        {"apply_plan_id": "p", "undo_plan_id": "p"},
        {"memo_id": MEMO, "plan_id": "p"},
        {"plan_id": "p", "undo_plan_id": "p"},
        {"limit": True},
        {"surprise": 1},
    ],
)
def test_what_does_not_go_together_is_refused_with_a_hint(arguments):
    planner = Planner()
    with pytest.raises(InvalidInput) as refused:
        ask(planner, **arguments)
    assert refused.value.hint
    assert planner.calls == []


@pytest.mark.parametrize("limit", [0, 501])
def test_a_limit_out_of_range_is_refused_with_the_range(limit):
    planner = Planner()
    with pytest.raises(InvalidInput, match=rf"limit {limit} is outside 1\.\.500"):
        ask(planner, limit=limit)
    assert planner.calls == []


def crowd(nodes, *, accepted, rejected, **other):
    """A plan of many decisions with long titles."""
    decisions = [
        decision(
            f"{number}",
            [f"{number}+{each}" for each in range(accepted)],
            [f"{number}-{each}" for each in range(rejected)],
        )
        for number in range(nodes)
    ]
    ids = [end for each in decisions for judged in each.links for end in (judged.source_id, judged.target_id)]
    return plan_of(*decisions, titles={node_id: f'{node_id} 日本語 \x01"' * 20 for node_id in ids}, **other)


@pytest.mark.parametrize(
    ("shape", "left"),
    [
        ({"nodes": 3, "accepted": 3, "rejected": 200}, "rejected"),
        ({"nodes": 40, "accepted": 0, "rejected": 1}, "decisions"),
        ({"nodes": 100, "accepted": 5, "rejected": 20}, "accepted"),
    ],
)
def test_a_long_answer_is_shortened_to_fit_and_says_so(shape, left):
    plan = crowd(**shape, id=PLAN, asked={"query": "\x01" * 8_000})
    planner = Planner(plan)
    first = ask(planner, query="x", include_rejected=True)
    pages = [first]
    while (cursor := pages[-1]["next_cursor"]) is not None:
        pages.append(ask(planner, query="x", include_rejected=True, cursor=cursor))
    assert all(Scale().weigh(page) <= 1 for page in pages)
    assert first["truncated"]
    assert [name for name, *_ in planner.calls].count("find") == 1, "the plan is made once"
    assert first["accepted"] == len(plan.accepted)
    assert first["rejected"] == len(plan.rejected)
    shown = [each["accepted"] for each in first["relations"]]
    if left == "rejected":
        assert shown[:9] == [True] * 9
        assert 0 < shown.count(False) < len(plan.rejected)
    elif left == "decisions":
        assert shown == [False] * len(shown)
        assert len(pages) == 1, "what is not kept is told once"
    else:
        assert 0 < len(shown) < len(plan.accepted)
        assert all(shown)
        assert first["decisions"] == []
    listed = [each["target_id"] for page in pages for each in page["relations"] if each["accepted"]]
    assert listed == [each.target_id for each in plan.accepted], "all that are worth making, each once"


def readable(lines):
    console = Console(file=StringIO(), width=160)
    for line in lines:
        console.print(line, markup=False, highlight=False)
    return console.file.getvalue()


def test_people_read_the_links_the_counts_and_what_to_do_next():
    plan = replace(SMALL, remaining=3, degraded=("no vectors: words only",))
    text = readable(insight_lines(plan, rejected=False))
    for part in (
        "from",
        "hop",
        "-[relates_to 0.71]->",
        "-0.123",
        "both are about ships",
        "1 memo judged: 2 relations worth making, 1 not",
    ):
        assert part in text
    assert "wherefrom insight --apply-plan p-1" in text
    assert "3 new memos left for the next plan" in text
    assert "degraded: no vectors" in text
    assert "worth it" not in text
    assert "worth it" in readable(insight_lines(plan, rejected=True))
    made = tuple(replace(each, state="made") for each in plan.decisions[0].links)
    done = replace(plan, decisions=(replace(plan.decisions[0], links=made),), state="applied", written=2)
    applied = readable(insight_lines(done, rejected=False))
    assert "2 relations made" in applied
    assert "--undo p-1" in applied
    assert "--apply-plan" not in applied
    part = readable(insight_lines(replace(done, written=1, declined=1), rejected=False))
    assert "plan p-1 is applied: 1 relation made, 1 declined" in part
    refused = readable(insight_lines(replace(done, written=0, declined=2), rejected=False))
    assert "plan p-1 is decided: 2 relations declined; nothing was linked" in refused
    assert "0 relations made" not in refused
    assert "undone" in readable(insight_lines(replace(plan, state="undone"), rejected=False))
    assert readable(insight_lines(plan_of(), rejected=False)).endswith("plan p-1 has no relations\n")
    none = plan_of(Decision(("a",), (), (METRICS,)))
    assert "to go on from here: wherefrom insight --apply-plan p-1" in readable(insight_lines(none, rejected=False))
    asked = replace(none, asked={"query": "ships"})
    assert "1 question judged: 0 relations" in readable(insight_lines(asked, rejected=False))


def test_titles_and_reasons_cannot_reach_the_terminal_as_commands():
    wicked = replace(SMALL.decisions[0], links=(link("a", "b", reason="\x1b[31m [bold]"),))
    text = readable(insight_lines(plan_of(wicked, titles={"a": "\x1b]0;x\x07"}), rejected=True))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold]" in text


def test_saving_shows_the_links_that_it_made():
    node = Node(
        id="a", namespace="main", kind="memo", title=None, content="x", content_hash="", metadata={}, provenance={},
        claim_kind=None, scope=None, boundary_class="internal", confidence=0.5, observed_at="", recency_anchor="",
        created_at="", updated_at="",
    )  # fmt: skip
    assert "linked a -[relates_to 0.71, confidence 0.5, guess: insight]-> b: both are about ships" in readable(
        linked_lines(Saved(node, "created", links=(link("a", "b"),)))
    )
    assert "no new relation is worth it" in readable(linked_lines(Saved(node, "created")))


@pytest.mark.parametrize(
    "options",
    [
        ["--memo", "a", "--query", "b"],
        ["--memo", "a", "--apply-plan", "p"],
        ["--apply", "--undo", "p"],
        ["--limit", "7", "--undo", "p"],
        ["--apply-plan", "p", "--undo", "p"],
    ],
)
def test_options_that_do_not_go_together_are_refused(tmp_path, options):
    process = subprocess.run(
        [*wherefrom_command(), "insight", *options, "--db", str(tmp_path / "m.db")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    assert process.returncode == 2, process.stderr
    assert process.stderr.startswith("invalid_input: ")
    assert "hint: " in process.stderr
    assert not list(tmp_path.glob("x*"))
