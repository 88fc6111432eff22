"""Conformance: weak nodes, orphans and thin edges are found the same on both databases, page by page, by indexes."""

from __future__ import annotations

import json
import random
import re
from datetime import datetime

import pytest
from metabolism_for_tests import NOW, Graph, Placed, ago
from talking_for_tests import Clock

from wherefrom import Memory
from wherefrom.metabolism.settings import MetabolismSettings
from wherefrom.model.identifiers import timestamp
from wherefrom.model.metabolism import EVIDENCE_TAGS
from wherefrom.storage import metabolism
from wherefrom.storage.metabolism import Clocks, MeasuredGraph
from wherefrom.storage.sql import scope_parameters

SPACES = ("main", "main/a", "main/a/b", "main/c")
SETTINGS = {
    "main": MetabolismSettings(),
    "main/a": MetabolismSettings(half_life_days=0),
    "main/a/b": MetabolismSettings(prune_threshold=0.4, protection_hours=24.5),
    "main/c": MetabolismSettings(half_life_days=7),
}
FINDERS = ("weakly_connected_nodes", "orphan_nodes", "thin_edges")


def scattered(seed=7):
    """Nodes and edges of all sorts, with times and figures that no rule was made for."""
    chance = random.Random(seed)
    graph = Graph()
    names = []
    for number in range(60):
        given = {"namespace": chance.choice(SPACES), "days": chance.choice([0.5, 2, 4, 40])}
        if chance.random() < 0.1:
            given["pinned"] = True
        if chance.random() < 0.1:
            given["expires_at"] = ago(days=chance.choice([1, -1]))
        names.append(graph.node(f"n{number:02}", kind=chance.choice(["memo", "memo", "entity"]), **given))
    known = set()
    for _ in range(70):
        key = (*chance.choices(names[:45], k=2), chance.choice(["related", "mentions", "cites", "status"]))
        if key not in known:
            known.add(key)
            figures = {"weight": chance.choice([0.05, 0.3, 1.0]), "confidence": chance.choice([0.2, 1.0])}
            graph.edge(*key, days=chance.choice([0.1, 3.5, 20, 200, 20_000]), **figures)
    return graph


@pytest.fixture
def memory(url):
    with Memory.open(url, clock=Clock(), embedder=Placed()) as opened:
        yield opened


def clocks(memory, tx, settings=SETTINGS):
    return Clocks(NOW, metabolism.newest(tx, memory.view.access, NOW), settings)


def found(memory, name, *, gone=(), **given):
    def look(tx):
        graph = MeasuredGraph(tx, memory.view.access, clocks(memory, tx))
        graph.overlook(gone)
        return list(getattr(graph, name)(**given))

    return memory.view.store.database.read(look)


class Plainly:
    """The same from the definitions, in plain Python."""

    def __init__(self, graph):
        self.nodes, self.edges = graph.nodes, graph.edges
        self.newest = {}
        for edge in self.edges:
            place = self.nodes[edge.source_id].namespace
            self.newest[place] = max(self.newest.get(place, ""), edge.observed_at)

    def thickness(self, edge):
        place = self.nodes[edge.source_id].namespace
        half_life = SETTINGS[place].half_life_days
        aged = datetime.fromisoformat(self.newest[place]) - datetime.fromisoformat(edge.observed_at)
        decays = half_life and edge.tag not in EVIDENCE_TAGS
        return edge.weight * edge.confidence * (2 ** (-aged.total_seconds() / 86_400 / half_life) if decays else 1)

    def threshold(self, edge):
        """Between two namespaces the lower one: it is thin if it is for both."""
        return min(SETTINGS[self.nodes[end].namespace].prune_threshold for end in (edge.source_id, edge.target_id))

    def of(self, name):
        return [edge for edge in self.edges if name in (edge.source_id, edge.target_id)]

    def weak(self):
        return {
            name: self.rule(node)
            for name, node in self.nodes.items()
            if self.of(name) and all(self.thickness(edge) <= self.threshold(edge) for edge in self.of(name))
        }

    def orphans(self):
        return {name: self.rule(node) for name, node in self.nodes.items() if not self.of(name)}

    def rule(self, node):
        if node.pinned:
            return "pinned"
        if node.expires_at is not None and node.expires_at <= timestamp(NOW):
            return "ended"
        young = node.created_at > ago(hours=SETTINGS[node.namespace].protection_hours)
        return "young" if young else None

    def thin(self):
        found = {}
        for edge in self.edges:
            settings = SETTINGS[self.nodes[edge.source_id].namespace]
            old = edge.observed_at <= ago(hours=settings.protection_hours)
            if old and edge.tag not in EVIDENCE_TAGS and self.thickness(edge) < self.threshold(edge):
                found[edge.source_id, edge.target_id, edge.tag] = self.thickness(edge)
        return found


@pytest.mark.parametrize("seed", [7, 8])
def test_both_databases_find_what_the_definitions_say(memory, seed):
    graph = scattered(seed)
    graph.put(memory)
    expected = Plainly(graph)
    assert {node.id: node.rule for node in found(memory, "weakly_connected_nodes")} == expected.weak()
    assert {node.id: node.rule for node in found(memory, "orphan_nodes")} == expected.orphans()
    thin = {(edge.source_id, edge.target_id, edge.tag): edge.value for edge in found(memory, "thin_edges")}
    assert thin == pytest.approx(expected.thin(), abs=1e-9)
    assert expected.weak()
    assert len(expected.thin()) > 3


@pytest.mark.parametrize("name", FINDERS)
def test_pages_of_any_size_come_to_the_same(memory, monkeypatch, name):
    """Open point 5: by keyset, so nothing is missed between two pages."""
    scattered().put(memory)
    whole = found(memory, name)
    assert [each.seq for each in whole] == sorted({each.seq for each in whole})
    for size in (1, 2, 3, len(whole), len(whole) + 1):
        monkeypatch.setattr(metabolism, "PAGE_ROWS", size)
        assert found(memory, name) == whole


def test_pages_do_not_shift_when_what_was_found_is_removed_meanwhile(memory, monkeypatch, url, execute):
    """Open point 5: with offsets every second page would be skipped."""
    scattered().put(memory)
    whole = [node.id for node in found(memory, "orphan_nodes")]
    monkeypatch.setattr(metabolism, "PAGE_ROWS", 2)

    def remove(tx):
        met = []
        for node in MeasuredGraph(tx, memory.view.access, clocks(memory, tx)).orphan_nodes():
            met.append(node.id)
            tx.run("nodes_delete", {"owner": memory.view.access.owner, "ids": json.dumps([node.id])})
        return met

    assert memory.view.store.database.write(remove) == whole
    assert execute(url, "select count(*) from nodes") == [(60 - len(whole),)]


def test_only_the_nodes_and_edges_that_are_asked_for_are_looked_at(memory):
    scattered().put(memory)
    for name, asked in (("weakly_connected_nodes", "ids"), ("orphan_nodes", "ids"), ("thin_edges", "seqs")):
        whole = found(memory, name)
        some = whole[::2]
        keys = [each.seq if asked == "seqs" else each.id for each in some]
        assert found(memory, name, **{asked: keys}) == some
        assert found(memory, name, **{asked: []}) == []


def test_edges_that_count_as_gone_are_overlooked(memory, url, execute):
    graph = Graph()
    one, other = graph.hubs()
    graph.put(memory)
    assert found(memory, "orphan_nodes") == []
    ((seq,),) = execute(url, "select seq from edges")
    assert [node.id for node in found(memory, "orphan_nodes", gone=[seq])] == [one, other]
    assert found(memory, "orphan_nodes") == [], "only within that transaction"


def test_what_the_access_may_not_see_is_not_found(memory, url):
    graph = scattered()
    for name, node in list(graph.nodes.items())[::5]:
        graph.node(name, node.content, namespace=node.namespace, kind=node.kind, boundary_class="pii")
    allow = ("answer:task", "tool:contact-lookup")
    with Memory.open(url, clock=Clock(), embedder=Placed(), allow=allow) as keeper:
        graph.put(keeper)
        assert any(graph.nodes[node.id].boundary_class == "pii" for node in found(keeper, "orphan_nodes"))
    for name in FINDERS[:2]:
        assert all(graph.nodes[node.id].boundary_class == "internal" for node in found(memory, name))
    with Memory.open(url, clock=Clock(), embedder=Placed(), root="main/a") as below:
        assert {node.namespace for node in found(below, "orphan_nodes")} == {"main/a", "main/a/b"}


@pytest.mark.parametrize("name", FINDERS)
def test_no_statement_reads_all_edges_for_each_node(sqlite_memory, name):
    scattered().put(sqlite_memory)
    where = {**scope_parameters(sqlite_memory.view.access), "now": timestamp(NOW), "after": 0, "limit": 10}

    def plan(tx):
        known = clocks(sqlite_memory, tx)
        where.update(known.surely_thick, clocks=known.text, gone="[]", guessed=0.5)
        sql = tx._statements.sql(name, {**where, "ids": None, "seqs": None})
        return [row[3] for row in tx._connection.execute(f"explain query plan {sql}", where)]

    steps = sqlite_memory.view.store.database.read(plan)
    assert steps
    scans = [step for step in steps if re.match(r"SCAN (e|f|edges)\b", step)]
    assert scans == ["SCAN e"] * (name == "thin_edges"), "once"
    assert not [step for step in steps if "USE TEMP B-TREE FOR ORDER BY" in step], "a page at a time, in order"
