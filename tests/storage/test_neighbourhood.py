"""Conformance: what is around nodes, and paths between two of them, behave the same on both databases."""

from __future__ import annotations

import random
import time
from datetime import timedelta
from itertools import pairwise

import pytest
from also_for_tests import NOW, access_of, link, node_of, put, view

from wherefrom import InvalidInput, Memory, NotFound, Store
from wherefrom.engine.view import View
from wherefrom.model import limits
from wherefrom.storage import edges, neighbourhood, node_texts, nodes

UNKNOWN = "01900000-0000-7000-8000-000000000000"
PHONE = "090-1234-5678"


@pytest.fixture
def ids(memory):
    return [memory.save(f"memo {letter}", title=letter).node.id for letter in "abcdef"]


@pytest.fixture
def chain(memory, ids):
    """a → b ← c → d, and e and f alone."""
    for source, target, weight in ((0, 1, 0.9), (2, 1, 0.4), (2, 3, 0.7)):
        memory.relate(ids[source], ids[target], tag="near", weight=weight)
    return ids


def planted(memory, texts, links, *, tag="near"):
    """Store many memos and relations at once: `links` are pairs of places with a weight."""
    access, database = memory.view.access, memory.view.store.database
    new = [
        node_of("main", text, id=f"01900000-0000-7000-8000-{place:012}", title=None) for place, text in enumerate(texts)
    ]
    made = [edges.between(new[one], new[two], tag, now=NOW, weight=weight) for one, two, weight in links]

    def work(tx):
        nodes.store(tx, access, [node_texts.of_node(node) for node in new], None, now=NOW)
        edges.insert(tx, access, made)

    database.write(work)
    return [node.id for node in new]


def titles(found):
    return [node.title for node in found.nodes]


def keys(found):
    return {(edge.source_id, edge.target_id, edge.tag) for edge in found.edges}


# --- what is around ---------------------------------------------------------------------------------------------------


def test_what_is_around_a_memo_comes_with_its_distance_and_all_relations_between(memory, chain):
    memory.relate(chain[0], chain[2], tag="near", weight=0.1)
    found = memory.neighbourhood([chain[0]], hops=1)
    assert [(node.title, node.hops, node.degree) for node in found.nodes] == [("a", 0, 2), ("b", 1, 2), ("c", 1, 3)]
    assert keys(found) == {(chain[0], chain[1], "near"), (chain[2], chain[1], "near"), (chain[0], chain[2], "near")}
    assert [edge.weight for edge in found.edges] == [0.9, 0.4, 0.1]
    first = memory.relations(source_id=chain[0], target_id=chain[1]).edges[0]
    assert found.edges[0].thickness == pytest.approx(first.thickness)
    assert (found.edges[0].judge, found.edges[0].valid_to) == (None, None)
    assert (found.truncated, found.note) == (False, None)
    node = found.nodes[0]
    assert (node.namespace, node.kind, node.text) == ("main", "memo", "memo a")
    assert (node.boundary_class, node.holds, node.valid_to) == ("internal", True, None)


def test_relations_are_followed_whichever_way_they_point_and_no_further_than_asked(memory, chain):
    assert titles(memory.neighbourhood([chain[0]], hops=2)) == ["a", "b", "c"]
    assert titles(memory.neighbourhood([chain[0]], hops=3)) == ["a", "b", "c", "d"]
    assert titles(memory.neighbourhood([chain[4]], hops=3)) == ["e"]


def test_several_starts_come_first_in_their_order_and_each_once(memory, chain):
    found = memory.neighbourhood([chain[4], chain[3], chain[4], chain[0]])
    assert [(node.title, node.hops) for node in found.nodes] == [("e", 0), ("d", 0), ("a", 0), ("b", 1), ("c", 1)]


def test_a_cycle_a_loop_and_parallel_relations_are_reported_once(memory, ids):
    for one, two in ((0, 1), (1, 2), (2, 0), (0, 0)):
        memory.relate(ids[one], ids[two], tag="near", weight=0.5)
    memory.relate(ids[1], ids[0], tag="near", weight=0.5)
    memory.relate(ids[0], ids[1], tag="far", weight=0.5)
    found = memory.neighbourhood([ids[0]], hops=3)
    assert len(found.nodes) == 3
    assert len(found.edges) == len(keys(found)) == 6
    assert {node.title: node.degree for node in found.nodes} == {"a": 5, "b": 4, "c": 2}


def test_tags_and_kinds_limit_what_is_followed_and_counted(memory, chain):
    claim = memory.save("A claim.", title="claim", claim_kind="fact").node.id
    memory.relate(chain[0], claim, tag="explains", weight=0.2)
    memory.relate(claim, chain[3], tag="explains", weight=0.2)
    found = memory.neighbourhood([chain[0]], tags=["explains"], hops=3)
    assert [(node.title, node.degree) for node in found.nodes] == [("a", 1), ("claim", 2), ("d", 1)]
    found = memory.neighbourhood([chain[0]], kinds=["claim"], hops=3)
    # A memo is where it starts, so the claim has a relation to it that can be followed, and none to the other memo.
    assert [(node.title, node.degree) for node in found.nodes] == [("a", 1), ("claim", 1)]
    found = memory.neighbourhood([chain[0]], kinds=["memo"], hops=3)
    assert [(node.title, node.degree) for node in found.nodes] == [("a", 1), ("b", 2), ("c", 2), ("d", 1)]
    assert titles(memory.neighbourhood([chain[0]], kinds=["claim", "memo"])) == ["a", "b", "claim"]
    assert titles(memory.neighbourhood([chain[0]], tags=["unheard_of"])) == ["a"]


def test_ended_relations_and_statements_are_there_only_as_of_their_time(timed, clock):
    timed.apply_policy("version: 2.0.0\nmetabolism: {exclusive: [lives_in]}")
    anna, rome, oslo = (timed.save(name, title=name).node.id for name in ("Anna", "Rome", "Oslo"))
    clock.go_on(days=1)
    timed.relate(anna, rome, tag="lives_in", weight=1.0)
    then = clock.now + timedelta(days=1)
    clock.go_on(days=10)
    timed.relate(anna, oslo, tag="lives_in", weight=1.0)
    timed.save("Rome is far.", supersedes=[rome])
    clock.go_on(days=1)
    assert [(node.title, node.degree) for node in timed.neighbourhood([anna]).nodes] == [("Anna", 1), ("Oslo", 1)]
    (old,) = timed.neighbourhood([rome], tags=["lives_in"]).nodes
    assert (old.holds, old.degree) == (False, 0)
    assert old.valid_to is not None
    found = timed.neighbourhood([anna], as_of=then.isoformat())
    assert [(node.title, node.degree, node.holds) for node in found.nodes] == [("Anna", 1, True), ("Rome", 1, True)]
    assert found.edges[0].valid_to is not None
    assert titles(timed.neighbourhood([anna], as_of="2020")) == ["Anna"]
    assert not timed.neighbourhood([anna], as_of="2020").nodes[0].holds
    assert timed.path(anna, rome, tags=["lives_in"]).nodes == ()
    assert titles(timed.path(anna, rome, tags=["lives_in"], as_of=then.isoformat())) == ["Anna", "Rome"]


def test_a_hub_is_cut_at_the_limit_and_the_strongest_stay(memory):
    ids = planted(
        memory,
        [f"{place} of many" for place in range(2_001)],
        [(place, 0, 1 - place / 4_000) if place % 2 else (0, place, 1 - place / 4_000) for place in range(1, 2_001)],
    )
    found = memory.neighbourhood([ids[0]], hops=3)
    assert [node.id for node in found.nodes] == ids[:300]
    assert found.nodes[0].degree == 2_000
    assert len(found.edges) == 299
    assert found.truncated
    assert found.note.startswith(
        "1,701 more at 1 step, those with the weakest relations, are left out: the limit is 300."
    )
    assert found.note.endswith("Nothing further away was looked for.")
    whole = memory.neighbourhood([ids[0]], hops=3, limit=2_001)
    assert (len(whole.nodes), len(whole.edges), whole.truncated, whole.note) == (2_001, 2_000, False, None)
    one = memory.neighbourhood([ids[0]], limit=2_000)
    assert one.note == "1 more at 1 step, those with the weakest relations, is left out: the limit is 2,000."
    far = memory.neighbourhood([ids[5]], hops=2, limit=10)
    assert [node.id for node in far.nodes] == [ids[5], ids[0], *ids[1:5], *ids[6:10]]
    assert far.note.startswith("1,991 more at 2 steps")


def test_a_limit_that_is_just_reached_still_looks_whether_there_is_more(memory, chain):
    found = memory.neighbourhood([chain[0]], hops=3, limit=2)
    assert titles(found) == ["a", "b"]
    assert found.note.startswith("1 more at 2 steps")
    assert not memory.neighbourhood([chain[0]], hops=1, limit=2).truncated


def test_too_many_relations_are_cut_and_said(memory, ids, monkeypatch):
    for tag, weight in (("x", 0.1), ("y", 0.9), ("z", 0.5)):
        memory.relate(ids[0], ids[1], tag=tag, weight=weight)
    monkeypatch.setattr(neighbourhood, "DRAWN_EDGES", 2)
    found = memory.neighbourhood([ids[0]])
    assert [edge.tag for edge in found.edges] == ["y", "z"]
    assert (found.truncated, found.note) == (True, "Of the relations between these, the 2 thickest are here.")


def test_a_degree_is_counted_up_to_a_bound_each_way(memory, chain, monkeypatch):
    monkeypatch.setattr(neighbourhood, "DEGREE_COUNTED", 1)
    assert [node.degree for node in memory.neighbourhood([chain[0]]).nodes] == [1, 1]


def test_texts_are_cut_at_characters_and_titles_are_whole(memory):
    text, title = "吾輩は猫である。名前はまだ無い。" * 20, "題名" * 100
    (node,) = memory.neighbourhood([memory.save(text, title=title).node.id]).nodes
    assert (node.text, node.title) == (text[:80], title)
    (short,) = memory.neighbourhood([memory.save("猫").node.id]).nodes
    assert (short.text, short.title) == ("猫", None)


def test_what_cannot_be_asked_is_refused(memory, chain):
    for given in (
        {"node_ids": []},
        {"node_ids": chain[0]},
        {"node_ids": [UNKNOWN] * 101},
        {"node_ids": chain[:3], "limit": 2},
        {"node_ids": chain[:1], "hops": 4},
        {"node_ids": chain[:1], "hops": 0},
        {"node_ids": chain[:1], "limit": limits.DRAWN_NODES + 1},
        {"node_ids": chain[:1], "tags": "near"},
        {"node_ids": chain[:1], "tags": ["Not A Tag"]},
        {"node_ids": chain[:1], "kinds": ["edge"]},
        {"node_ids": chain[:1], "as_of": "tomorrow"},
    ):
        with pytest.raises(InvalidInput):
            memory.neighbourhood(**given)
    for given in ({"max_steps": 9}, {"max_steps": 0}, {"tags": [3]}):
        with pytest.raises(InvalidInput):
            memory.path(chain[0], chain[1], **given)
    with pytest.raises(NotFound, match=UNKNOWN):
        memory.neighbourhood([chain[0], UNKNOWN])
    for ends in ((chain[0], UNKNOWN), (UNKNOWN, chain[0])):
        with pytest.raises(NotFound, match=UNKNOWN):
            memory.path(*ends)


# --- paths ------------------------------------------------------------------------------------------------------------


def test_a_path_is_in_order_from_one_end_to_the_other(memory, chain):
    found = memory.path(chain[0], chain[3])
    assert [(node.title, node.hops) for node in found.nodes] == [("a", 0), ("b", 1), ("c", 2), ("d", 3)]
    assert [(edge.source_id, edge.target_id) for edge in found.edges] == [
        (chain[0], chain[1]),
        (chain[2], chain[1]),
        (chain[2], chain[3]),
    ]
    assert (found.truncated, found.note) == (False, None)
    back = memory.path(chain[3], chain[0])
    assert titles(back) == ["d", "c", "b", "a"]
    assert [(edge.source_id, edge.target_id) for edge in back.edges] == [
        (edge.source_id, edge.target_id) for edge in reversed(found.edges)
    ]


def test_without_a_path_it_is_said_in_words(memory, chain):
    alone = memory.path(chain[0], chain[4])
    assert (alone.nodes, alone.edges, alone.truncated) == ((), (), False)
    assert alone.note == "No chain of relations joins them."
    short = memory.path(chain[0], chain[3], max_steps=2)
    assert (short.nodes, short.note) == ((), "No chain of 2 steps or fewer joins them.")
    assert memory.path(chain[0], chain[3], max_steps=3).nodes
    assert memory.path(chain[0], chain[3], tags=["other"]).nodes == ()
    same = memory.path(chain[0], chain[0])
    assert (titles(same), same.edges, same.note) == (["a"], (), "Both ends are the same.")


def test_a_path_is_the_thickest_of_the_shortest(memory):
    """Every pair of a random graph, against all shortest chains one by one."""
    chance = random.Random(7)
    pairs = {tuple(chance.sample(range(24), 2)) for _ in range(34)}
    ids = planted(memory, [f"memo {place}" for place in range(26)], [(*pair, chance.random()) for pair in pairs])
    near = {node_id: {} for node_id in ids}
    for edge in memory.relations(limit=500).edges:
        for one, two in ((edge.source_id, edge.target_id), (edge.target_id, edge.source_id)):
            near[one][two] = max(near[one].get(two, 0.0), edge.thickness)

    def shortest(source, target):
        chains, seen = [(0.0, (source,))], {source}
        while chains and not any(path[-1] == target for _, path in chains):
            chains = [
                (total + thickness, (*path, end))
                for total, path in chains
                for end, thickness in near[path[-1]].items()
                if end not in seen
            ]
            seen.update(path[-1] for _, path in chains)
        return max(((total, path) for total, path in chains if path[-1] == target), default=None)

    lengths = set()
    for source in ids[::4]:
        for target in ids:
            if source == target:
                continue
            found, expected = memory.path(source, target, max_steps=8), shortest(source, target)
            if expected is None or len(expected[1]) > 9:
                assert found.nodes == ()
                continue
            lengths.add(len(found.edges))
            path = [node.id for node in found.nodes]
            assert len(path) == len(expected[1])
            assert sum(edge.thickness for edge in found.edges) == pytest.approx(expected[0], abs=1e-6)
            for edge, (one, two) in zip(found.edges, pairwise(path), strict=True):
                assert {edge.source_id, edge.target_id} == {one, two}
    assert {1, 2, 3, 4, 5} <= lengths


def test_a_search_that_sees_too_many_stops_and_says_so(memory, monkeypatch):
    # Two hubs, each with 30 others, joined by way of two of these.
    links = [(0, place, 0.5) for place in range(2, 32)] + [(1, place, 0.5) for place in range(32, 62)]
    ids = planted(memory, [f"memo {place}" for place in range(64)], [*links, (31, 61, 0.1)])
    monkeypatch.setattr(neighbourhood, "PATH_NODES", 20)
    stopped = memory.path(ids[0], ids[1])
    assert (stopped.nodes, stopped.truncated) == ((), True)
    assert stopped.note == "The search stopped at 20 memos: none was found."
    # From its other end the way is narrow, so that the hub need not be gone through.
    assert [node.id for node in memory.path(ids[0], ids[61]).nodes] == [ids[0], ids[31], ids[61]]
    monkeypatch.setattr(neighbourhood, "PATH_NODES", 100)
    assert [node.id for node in memory.path(ids[0], ids[1]).nodes] == [ids[0], ids[31], ids[61], ids[1]]


# --- who sees what ----------------------------------------------------------------------------------------------------


def test_other_owners_roots_and_classes_neither_appear_nor_count_nor_lead_anywhere(memory):
    here, there = put(memory, node_of("me", "here"), node_of("me/below", "there"))
    open_way = put(memory, node_of("me", "open one"), node_of("me", "open two"))
    outside, closed = put(memory, node_of("you", "outside"), node_of("me", "closed", boundary_class="pii"))
    for between in (outside, closed):
        link(memory, here, between)
        link(memory, between, there)
    for one, two in pairwise((here, *open_way, there)):
        link(memory, one, two)
    link(memory, outside, closed)
    narrow = view(memory, access_of("me"))
    found = narrow.neighbourhood([here.id], hops=3)
    assert {node.id: node.degree for node in found.nodes} == {
        here.id: 1,
        open_way[0].id: 2,
        open_way[1].id: 2,
        there.id: 1,
    }
    assert len(found.edges) == 3
    assert [node.id for node in narrow.path(here.id, there.id).nodes] == [here.id, *(n.id for n in open_way), there.id]
    for hidden in (outside.id, closed.id):
        for ask in (lambda given: narrow.neighbourhood([given]), lambda given: narrow.path(here.id, given)):
            with pytest.raises(NotFound):
                ask(hidden)
    with pytest.raises(NotFound):
        view(memory, access_of("me", owner="kim")).neighbourhood([here.id])
    # With a further root and the class, the short ways are open, and counted.
    wide = Memory(View(memory.view.store, access_of("me", ["you"]), ["answer:task", "tool:contact-lookup"]))
    assert {node.id: node.degree for node in wide.neighbourhood([here.id]).nodes} == {
        here.id: 3,
        open_way[0].id: 2,
        outside.id: 3,
        closed.id: 3,
    }
    assert len(wide.path(here.id, there.id).edges) == 2


def test_two_owners_with_the_same_ids_see_their_own_graph(memory):
    for owner, text in (("local", "ours"), ("kim", "theirs")):
        one, two = put(memory, *(node_of("main", f"{text} {n}", id=f"same-{n}") for n in (1, 2)), owner=owner)
        access = access_of("main", owner=owner)
        made = edges.between(one, two, text, now=NOW)
        memory.view.store.database.write(lambda tx, access=access, made=made: edges.insert(tx, access, [made]))
    for owner, text in (("local", "ours"), ("kim", "theirs")):
        seen = view(memory, access_of("main", owner=owner))
        found = seen.neighbourhood(["same-1"])
        assert [(node.text, node.degree) for node in found.nodes] == [(f"{text} 1", 1), (f"{text} 2", 1)]
        assert (
            [edge.tag for edge in found.edges] == [edge.tag for edge in seen.path("same-1", "same-2").edges] == [text]
        )


def test_of_a_memo_with_personal_data_others_see_the_rest_and_none_of_its_relations(url, monkeypatch):
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    with Memory.open(url) as mine, Memory.open(url, allow=["tool:calendar"]) as others:
        mine.choose_privacy("personal")
        private = mine.save(f"My phone number is {PHONE}.", title=f"Call {PHONE}").node.id
        bridge, ferry = (mine.save(text).node.id for text in ("The bridge.", "The ferry."))
        mine.relate(bridge, private, tag="near", weight=1.0)
        mine.relate(private, ferry, tag="near", weight=1.0)
        assert [node.degree for node in mine.neighbourhood([private]).nodes] == [2, 1, 1]
        assert PHONE in mine.neighbourhood([private]).nodes[0].text
        found = others.neighbourhood([private, bridge], hops=3)
        assert PHONE not in repr(found)
        assert [(node.text, node.degree) for node in found.nodes] == [
            ("My phone number is [phone].", 0),
            ("The bridge.", 0),
        ]
        assert found.nodes[0].title == "Call [phone]"
        assert found.nodes[0].boundary_class == "internal"
        assert len(mine.path(bridge, ferry).edges) == 2
        assert (
            others.path(bridge, ferry).note == others.path(bridge, private).note == "No chain of relations joins them."
        )


def test_the_lowest_role_may_look(url):
    with Store.open(url, embedder="none") as store:
        one, two = (store.memory().save(text).node.id for text in ("one", "two"))
        reader = store.memory(role="read")
        assert [node.text for node in reader.neighbourhood([one, two]).nodes] == ["one", "two"]
        assert reader.path(one, two).nodes == ()
        assert [store.memory(role=role).info().role for role in ("read", "write", "admin")] == [
            "read",
            "write",
            "admin",
        ]


# --- what it costs ----------------------------------------------------------------------------------------------------


def test_it_is_a_few_statements_whatever_it_finds(memory):
    chance = random.Random(3)
    pairs = {tuple(chance.sample(range(600), 2)) for _ in range(2_400)}
    ids = planted(memory, [f"memo {place}" for place in range(600)], [(*pair, chance.random()) for pair in pairs])
    asked = []
    database = memory.view.store.database
    read = database.read

    def counting(work):
        def counted(tx):
            rows = tx.rows
            tx.rows = lambda name, where: asked.append(name) or rows(name, where)
            try:
                return work(tx)
            finally:
                del tx.rows

        return read(counted)

    database.read = counting
    try:
        assert len(memory.neighbourhood(ids[:100], hops=3, limit=600).nodes) == 600
        assert len(asked) <= 12, asked
        asked.clear()
        assert memory.path(ids[0], ids[1]).nodes
        assert len(asked) <= 40, asked
    finally:
        database.read = read


@pytest.mark.slow
def test_five_thousand_nodes_and_twenty_thousand_relations_take_about_a_second(sqlite_memory):
    chance = random.Random(5)
    links = {(0, place): 1.0 for place in range(1, 5_000)}
    while len(links) < 20_000:
        links[tuple(chance.sample(range(5_000), 2))] = chance.random()
    given = [(*pair, weight) for pair, weight in links.items()]
    ids = planted(sqlite_memory, [f"memo {place}" for place in range(5_000)], given)
    before = time.thread_time()
    found = sqlite_memory.neighbourhood([ids[0]], limit=5_000)
    spent = time.thread_time() - before
    assert (len(found.nodes), len(found.edges), found.truncated) == (5_000, 20_000, False)
    assert spent < 4, f"{spent:.2f} s of CPU"
