"""Relations in answers: who judged them, how sure and how thick they are; on both databases."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from metabolism_for_tests import NOW, Graph, ago, exported, put
from rich.console import Console

from wherefrom import Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.interfaces.answers import Relation, RelationList
from wherefrom.interfaces.cli.render_nodes import relation_line, relation_lines

TOLERANCE = 1e-9


def by_key(edges):
    return {(edge.source_id, edge.target_id, edge.tag): edge.thickness for edge in edges}


def measured(memory, **settings):
    """What metabolism measures, of all relations that it could prune."""
    plan = memory.metabolize(prune_threshold=1, protection_hours=0, mdl_benefit=0, mdl_neighbours=0, **settings)
    return {(link.source_id, link.target_id, link.tag): link.thickness for link in plan.thinnest}


def rendered(shown):
    console = Console(file=StringIO(), width=160)
    console.print(shown, markup=False, highlight=False)
    return console.file.getvalue()


@pytest.fixture
def aged(memory):
    """Relations of several ages, in a namespace whose newest is of today and in one that is quiet."""
    graph = Graph()
    for namespace, newest in (("main", 0), ("main/quiet", 3_000)):
        one, other = graph.hubs(namespace, days=newest)
        graph.edge(one, other, "half", days=newest + 30)
        graph.edge(one, other, "light", days=newest + 7, weight=0.4, confidence=0.15, judge="insight")
        graph.edge(one, other, "gone", days=newest + 40_000)
        graph.edge(one, other, "supports", days=newest + 300, confidence=0.9, judge="model-1")
    graph.edge("main.huba", "main.quiet.huba", "across", days=60)
    graph.put(memory)
    return memory


def test_a_listed_relation_is_as_thick_as_metabolism_measures_it(aged):
    shown = by_key(aged.relations().edges)
    known = measured(aged)
    assert len(known) >= 7
    for key, thickness in known.items():
        assert shown[key] == pytest.approx(thickness, abs=TOLERANCE), key
    assert shown["main.quiet.huba", "main.quiet.hubb", "half"] == pytest.approx(0.5, abs=TOLERANCE)
    assert shown["main.huba", "main.hubb", "light"] == pytest.approx(0.4 * 0.15 * 2 ** (-7 / 30), abs=TOLERANCE)
    assert shown["main.huba", "main.hubb", "supports"] == 0.9, "evidence does not decay"
    assert shown["main.huba", "main.hubb", "gone"] == 0.0


def test_a_walk_and_pages_show_the_same_thickness_as_the_list(aged):
    shown = by_key(aged.relations().edges)
    walked = by_key(aged.walk("main.huba").edges)
    assert walked
    assert all(shown[key] == pytest.approx(thickness, abs=TOLERANCE) for key, thickness in walked.items())
    assert by_key(aged.relations(limit=1).edges).items() <= shown.items(), "the newest need not be on the page"


def test_the_half_life_of_the_namespace_counts(aged):
    aged.apply_policy(json.dumps({"version": "1.0.1", "metabolism": {"half_life_days": 60}}))
    shown = by_key(aged.relations().edges)
    assert shown["main.huba", "main.hubb", "half"] == pytest.approx(2**-0.5, abs=TOLERANCE)
    aged.apply_policy(json.dumps({"version": "1.0.2", "metabolism": {"half_life_days": 0}}))
    assert by_key(aged.relations().edges)["main.huba", "main.hubb", "gone"] == 1.0


def test_a_relation_that_was_let_go_still_counts_as_the_newest(memory):
    graph = Graph()
    one, other = graph.hubs(days=60)
    graph.edge(one, other, "thin", weight=0.01, days=30)
    graph.put(memory)
    before = by_key(memory.relations().edges)[one, other, "related"]
    assert before == pytest.approx(0.5, abs=TOLERANCE)
    assert memory.metabolize(apply=True).links_removed == 1
    assert by_key(memory.relations().edges)[one, other, "related"] == pytest.approx(before, abs=TOLERANCE)


def test_what_is_dated_later_than_now_is_no_clock(memory, later):
    graph = Graph()
    one, other = graph.hubs(days=-100)
    graph.edge(one, other, "now", days=0)
    with later():
        graph.put(memory)
    assert set(by_key(memory.relations().edges).values()) == {1.0}


def test_saving_and_reinforcing_answer_with_the_thickness(aged):
    one, other = "main.huba", "main.hubb"
    assert aged.relate(one, other, tag="half", weight=0.8).edge.thickness == pytest.approx(0.8)
    assert aged.relate(one, other, tag="light", weight=0.4).edge.thickness == pytest.approx(0.4), "its own from now on"
    weaker = aged.reinforce("main.quiet.huba", "main.quiet.hubb", tag="half", weaken=True)
    assert weaker.before.thickness == pytest.approx(0.5, abs=TOLERANCE)
    assert weaker.edge.thickness == pytest.approx(0.35, abs=TOLERANCE)


def test_an_answer_tells_a_guess_from_a_statement_and_from_a_person(memory):
    mira = memory.save("Mira signs off releases.", title="Mira").node
    rule = memory.save("Nothing ships before Mira has seen it.", title="Rule").node
    memory.relate(rule.id, mira.id, tag="needs", weight=0.8)
    added = memory.add_evidence(
        NewPage("https://rivers.example/nile"),
        fragments=[NewFragment("The Nile floods."), NewFragment("The Nile is dry.")],
        claims=[NewClaim("It floods.", evidence=[NewEvidence("supports", at, confidence=0.3) for at in (0, 1)])],
        judge="model-1",
    )
    dry, claim = added.fragments[1].id, added.claims[0].id
    memory.correct_edge(dry, claim, relation="refutes", reason="It says dry.")
    answer = RelationList.of(memory.relations())
    shown = {(edge.tag, edge.judge, edge.confidence, edge.thickness) for edge in answer.edges}
    assert shown == {
        ("mentions", "names", 1.0, 1.0),
        ("needs", None, 1.0, 0.8),
        ("supports", "model-1", 0.3, 0.3),
        ("refutes", "human", 1.0, 1.0),
    }
    assert {edge.observed_at[:10] for edge in answer.edges} == {NOW.date().isoformat()}


def test_the_table_shows_a_guess_at_a_glance(aged):
    graph = Graph()
    graph.edge("main.hubb", "main.huba", "mentions", judge="names")
    graph.edge("main.hubb", "main.huba", "refutes", judge="human")
    put(aged, graph.records())
    text = "".join(map(rendered, relation_lines(aged.relations())))
    lines = {tag: text.partition(f"-[{tag} ")[2].partition("\n- ")[0] for tag in ("light", "half")}
    assert "guess: insight" in lines["light"]
    assert "0.15" in lines["light"]
    assert "stated" in lines["half"]
    for judge in ("guess: names", "person", "model-1", ago(days=30)[:10]):
        assert judge in text
    one = {edge.tag: rendered(relation_line(edge)).strip() for edge in aged.relations(source_id="main.huba").edges}
    assert one["light"] == "ain.huba -[light 0.4, confidence 0.15, guess: insight]-> ain.hubb"
    assert one["half"] == "ain.huba -[half 1]-> ain.hubb"


def test_a_deleted_relation_has_no_thickness(aged):
    edge = aged.unrelate("main.huba", "main.hubb", tag="light")
    answer = Relation.of(edge)
    assert (answer.confidence, answer.judge, answer.thickness) == (0.15, "insight", None)


def test_a_copy_has_the_same_judges_confidences_and_times(aged, new_url):
    with Memory.open(new_url("sqlite"), clock=lambda: NOW) as copy:
        put(copy, exported(aged))
        assert set(copy.relations().edges) == set(aged.relations().edges)
        shown = by_key(aged.relations().edges)
        assert by_key(copy.relations().edges) == pytest.approx(shown, abs=TOLERANCE)
    assert not any("thickness" in line for line in exported(aged)), "it is measured, not kept"
