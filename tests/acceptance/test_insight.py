"""Insight end to end on both databases: in Python, on the command line and through MCP."""

from __future__ import annotations

import json

import pytest
from embedders_for_tests import Numbered
from insight_for_tests import NOTES
from talking_for_tests import Clock, call, refusal, talk, wherefrom

from wherefrom import Gone, InvalidInput, Memory, NotFound

LOOKUP = ("answer:task", "tool:contact-lookup")
NILE = "What does the Nile flood leave on the fields?"


def save_all(memory, texts=NOTES["en"], **given):
    return [memory.save(text, **given).node.id for text in texts]


def numbered(ids, links):
    """The links as pairs of numbers of notes, the lower first."""
    return {tuple(sorted((ids.index(link.source_id), ids.index(link.target_id)))) for link in links}


def kin(count=12, *, size=3):
    return {(a, b) for a in range(count) for b in range(a + 1, count) if a // size == b // size}


def ends(plan):
    return {end for link in (*plan.accepted, *plan.rejected) for end in (link.source_id, link.target_id)}


def settings(**insight):
    return json.dumps({"version": "1.0.1", "insight": insight})


# --- what is linked ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", NOTES)
def test_notes_are_linked_to_their_kin_and_not_across_topics(memory, language):
    ids = save_all(memory, NOTES[language])
    plan = memory.find_insight()
    found = numbered(ids, plan.accepted)
    assert found <= kin(), "never across topics"
    assert len(found) >= 10, "of 12"
    assert {end for pair in found for end in pair} == set(range(12)), "every note has kin"
    assert (plan.judged, plan.remaining, plan.degraded) == (12, 0, ())
    for link in plan.accepted:
        assert link.reason.startswith(("both name ", "both say ")), "what they share is told"
        assert link.reason.removeprefix(link.told)
    memory.apply_insight(plan.id)
    for node_id in ids[1::3]:
        assert memory.find_insight(node_id).accepted == (), "asked again, there is nothing left: strangers stay apart"


def test_in_a_store_of_many_languages_topics_do_not_mix(sqlite_memory):
    ids = [node_id for texts in NOTES.values() for node_id in save_all(sqlite_memory, texts)]
    found = numbered(ids, sqlite_memory.find_insight().accepted)
    assert len(found & kin(48)) >= 40, "of 48"
    assert not [pair for pair in found - kin(48) if pair[0] % 12 // 3 != pair[1] % 12 // 3], "no other topic"


def test_the_same_store_gives_the_same_plan(memory):
    ids = save_all(memory)
    for asked in ({}, {"memo_id": ids[4]}, {"query": NILE}):
        first, second = memory.find_insight(**asked), memory.find_insight(**asked)
        assert first.id != second.id
        assert (first.decisions, first.nodes, first.asked) == (second.decisions, second.nodes, second.asked)


def test_all_at_once_or_one_after_the_other_is_the_same(new_url):
    """What was accepted before counts alike, whether it is only planned or written already."""
    with Memory.open(new_url("sqlite")) as one, Memory.open(new_url("sqlite")) as other:
        ids, others = save_all(one, NOTES["ja"]), save_all(other, NOTES["ja"])
        together = one.find_insight()
        separate = []
        while (part := other.find_insight(limit=1)).judged:
            other.apply_insight(part.id)
            separate += part.accepted
        assert numbered(ids, together.accepted) == numbered(others, separate)
        scores = [sorted(round(link.figures.score, 6) for link in links) for links in (together.accepted, separate)]
        assert scores[0] == scores[1]


def test_a_question_links_what_answers_it_among_itself(memory):
    ids = save_all(memory)
    plan = memory.find_insight(query=NILE)
    assert numbered(ids, plan.accepted) == {(0, 1), (0, 2), (1, 2)}
    (decision,) = plan.decisions
    assert set(decision.center_ids) == set(ids[:3])


def test_an_empty_store_gives_empty_plans(memory):
    for plan in (memory.find_insight(), memory.find_insight(query="anything")):
        assert (plan.accepted, plan.rejected, plan.nodes, plan.remaining) == ((), (), (), 0)
        assert memory.apply_insight(plan.id).written == 0
    saved = memory.save("The first of all.", link=True)
    assert saved.links == ()
    assert memory.find_insight(saved.node.id).accepted == ()


@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_without_vectors_words_decide(url, language):
    with Memory.open(url, embedder="none") as memory:
        ids = save_all(memory, NOTES[language])
        found = numbered(ids, memory.find_insight().accepted)
        assert len(found & kin()) >= 6
        assert len(found - kin()) <= 1
        figures = [link.figures for link in memory.find_insight(ids[0]).accepted]
        assert {each.similarity for each in figures} <= {None}


def test_without_words_or_vectors_links_decide(url):
    with Memory.open(url, embedder="none") as memory:
        ids = [memory.save(word).node.id for word in ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")]
        for middle in ids[1:4]:
            memory.relate(ids[0], middle, tag="next", weight=1)
            memory.relate(middle, ids[4], tag="next", weight=1)
        (link,) = memory.find_insight(ids[0]).accepted
        assert (link.target_id, link.figures.common_neighbours, link.figures.distance) == (ids[4], 3, 2)
        assert (link.figures.similarity, link.figures.words) == (None, 0.0)
        assert "3 neighbours in common" in link.reason


# --- what is left out -------------------------------------------------------------------------------------------------


def asked_every_way(memory, memo_id):
    return [memory.find_insight(), memory.find_insight(memo_id), memory.find_insight(query=NILE)]


def test_what_may_not_be_seen_is_neither_proposed_nor_shown(url):
    with Memory.open(url, allow=LOOKUP) as keeper, Memory.open(url) as other:
        ids = [
            keeper.save(text, boundary_class="pii" if at == 1 else None).node.id for at, text in enumerate(NOTES["en"])
        ]
        for plan in asked_every_way(keeper, ids[2]):
            assert {(0, 1), (1, 2)} & numbered(ids, plan.accepted), "who may see it is shown its links"
        keeper.relate(ids[0], ids[1], tag="next", weight=1)
        keeper.relate(ids[1], ids[2], tag="next", weight=1)
        for plan in asked_every_way(keeper, ids[0]):
            assert ids[1] in repr(plan), "and those around it"
        for plan in asked_every_way(other, ids[0]):
            assert ids[1] not in repr(plan)
            assert "fertile" not in repr(plan)
        with pytest.raises(NotFound):
            other.find_insight(ids[1])
        assert ids[1] not in repr(other.save("Mud of the Nile floods the fields in summer.", link=True))


def test_nothing_outside_the_root_or_the_namespace_is_linked(url):
    with Memory.open(url) as memory:
        ids = [memory.save(text, namespace="a" if at % 2 else "b").node.id for at, text in enumerate(NOTES["en"])]
        assert numbered(ids, memory.find_insight().accepted) == kin(), "below the root everything is linked"
        inside = memory.find_insight(namespace="a")
        assert ends(inside) <= set(ids[1::2])
        assert inside.judged == 6
    with Memory.open(url, root="main/a") as confined:
        for plan in asked_every_way(confined, ids[1]):
            assert not set(ids[0::2]) & ends(plan)
            assert not [node_id for node_id in ids[0::2] if node_id in repr(plan)]
        with pytest.raises(NotFound):
            confined.find_insight(ids[0])


def test_a_memo_is_found_wherever_get_finds_it(url):
    with Memory.open(url, namespace="main/a") as memory:
        ids = save_all(memory, namespace="/main/b")
        assert memory.get(ids[0]).id == ids[0]
        assert numbered(ids, memory.find_insight(ids[0]).accepted) == {(0, 1), (0, 2)}
        with pytest.raises(NotFound):
            memory.find_insight(ids[0], namespace="/main/a")


def test_what_was_replaced_or_has_expired_is_not_linked(url):
    clock = Clock()
    with Memory.open(url, clock=clock) as memory:
        ids = [memory.save(text, scope="session" if at == 2 else None).node.id for at, text in enumerate(NOTES["en"])]
        memory.feedback(ids[0], "duplicate", duplicate_of=ids[1])
        more = memory.save("Summer floods of the Nile bring mud to the fields.").node.id
        clock.go_on(days=8)
        for plan in asked_every_way(memory, ids[1]):
            assert not {ids[0], ids[2]} & ends(plan)
        assert ids[1] in ends(memory.find_insight(more))
        for gone in (ids[0], ids[2]):
            with pytest.raises(Gone):
                memory.find_insight(gone)


def test_l3_proposes_nothing_that_was_replaced_either(memory):
    memory.apply_policy(
        settings(
            candidates={"allow_autocand": True, "theta_cand": 1, "theta_link": 1},
            cand_expansion={"mode": "l3"},
            gates={"theta_ag": -10, "theta_dg": 10},
        )
    )
    ids = save_all(memory, NOTES["en"][:5])
    for other in (0, 1, 2):
        memory.relate(ids[3], ids[other], tag="next", weight=0.5)
    memory.feedback(ids[1], "duplicate", duplicate_of=ids[2])
    plan = memory.find_insight(ids[0])
    assert [cycle.autocand_used for cycle in plan.decisions[0].cycles] == [True, True]
    assert ids[2] in ends(plan)
    assert ids[1] not in ends(plan)


@pytest.mark.parametrize(
    "given",
    [
        {"memo_id": "x", "query": "y"},
        {"limit": 0},
        {"limit": 501},
        {"limit": True},
        {"limit": "5"},
        {"memo_id": " "},
        {"query": ""},
    ],
)
def test_what_cannot_be_asked_is_refused(sqlite_memory, given):
    with pytest.raises(InvalidInput):
        sqlite_memory.find_insight(**given)


# --- settings ---------------------------------------------------------------------------------------------------------


def test_what_a_policy_sets_holds(memory):
    ids = save_all(memory)
    for number, (sections, check) in enumerate(
        (
            ({"candidates": {"links": 1}}, lambda plan: len(plan.accepted) == 1),
            ({"candidates": {"top_k": 2}}, lambda plan: plan.decisions[0].cycles[0].candidates == 2),
            ({"gates": {"theta_dg": -10}}, lambda plan: plan.accepted == () and plan.rejected),
            ({"gates": {"theta_ag": -10}, "gauge": {"hops": 1}}, lambda plan: len(plan.decisions[0].cycles[0].hops) == 2),
            ({"gates": {"theta_ag": 10}}, lambda plan: len(plan.decisions[0].cycles) == 1),
            ({"paths": {"engine": "core"}}, lambda plan: plan.decisions[0].cycles[0].sp_engine == "core"),
            ({"gauge": {"temperature": 0}}, lambda plan: all(
                hop.g == hop.delta_ged for hop in plan.decisions[0].cycles[0].hops
            )),
        )
    ):  # fmt: skip
        memory.apply_policy(json.dumps({"version": f"1.{number}.0", "insight": sections}))
        assert check(memory.find_insight(ids[0])), sections


def test_running_gates_remember_by_namespace_and_use_it(url, execute):
    with Memory.open(url, embedder=Numbered()) as memory:
        memory.apply_policy(settings(gates={"mode": "running", "warm_up": 3, "window": 8, "theta_dg": 0.3}))
        for namespace in ("a", "b"):
            for text in ("1 amber", "1 basalt", "1 cobalt", "1 dolomite"):
                memory.save(text, namespace=namespace)
        first = memory.find_insight(namespace="a")
        assert first.decisions[0].cycles[0].theta_dg == 0.3
        memory.apply_insight(first.id)
        stored = dict(execute(url, "select namespace, state from insight_gates"))
        assert list(stored) == ["main/a"]
        seen = sorted(json.loads(stored["main/a"])["decision"])
        assert len(seen) >= 3
        later, elsewhere = memory.save("1 ebony", namespace="a"), memory.save("1 ebony", namespace="b")
        theta = memory.find_insight(later.node.id).decisions[0].cycles[0].theta_dg
        assert theta != 0.3
        assert seen[0] <= theta <= seen[-1]
        assert memory.find_insight(elsewhere.node.id).decisions[0].cycles[0].theta_dg == 0.3


def test_saving_with_link_makes_the_links_at_once(memory):
    ids = save_all(memory, NOTES["en"][1:])
    saved = memory.save(NOTES["en"][0], link=True)
    assert {link.target_id for link in saved.links} == set(ids[:2])
    edges = memory.relations(source_id=saved.node.id).edges
    assert {(edge.target_id, edge.judge) for edge in edges} == {(node_id, "insight") for node_id in ids[:2]}
    assert memory.save(NOTES["en"][0], link=True).links == (), "it was there already"
    assert memory.save("Something else", memo_id=ids[0]).links == ()


# --- on the command line ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_people_find_make_and_undo_links(url):
    with Memory.open(url) as memory:
        ids = save_all(memory, NOTES["en"][:6])
    said = wherefrom(url, "insight", "--rejected")
    assert "6 relations worth making" in said
    assert "--apply-plan" in said
    found = json.loads(wherefrom(url, "insight", "--json"))
    assert (found["state"], found["accepted"], found["judged"]) == ("proposed", 6, 6)
    applied = json.loads(wherefrom(url, "insight", "--apply-plan", found["id"], "--json"))
    assert (applied["state"], applied["written"]) == ("applied", 6)
    assert "undone" in wherefrom(url, "insight", "--undo", found["id"])
    one = json.loads(wherefrom(url, "insight", "--memo", ids[0], "--apply", "--json"))
    assert {link["target_id"] for link in one["relations"]} == set(ids[1:3])
    assert (one["state"], one["written"]) == ("applied", 2)
    saved = json.loads(wherefrom(url, "save", "Mud from the Nile flood feeds the fields.", "--link", "--json"))
    assert {link["target_id"] for link in saved["relations"]} <= set(ids[:3])
    assert saved["relations"]


# --- through MCP ------------------------------------------------------------------------------------------------------


def test_an_agent_finds_makes_and_undoes_links(url):
    async def conversation(client):
        ids = [(await call(client, "memory_save", content=text))["memo"]["id"] for text in NOTES["en"][:6]]
        everything = await call(client, "find_insight")
        assert (everything["state"], everything["accepted"], everything["judged"]) == ("proposed", 6, 6)
        assert {frozenset((link["source_id"], link["target_id"])) for link in everything["relations"]} == {
            frozenset((ids[a], ids[b])) for a, b in kin(6)
        }
        assert len(everything["decisions"]) == 6
        again = await call(client, "find_insight")
        own = dict.fromkeys(("id", "request_id", "trace_id"))
        assert {**again, **own} == {**everything, **own}
        one = await call(client, "find_insight", memo_id=ids[0], include_rejected=True)
        assert [link["accepted"] for link in one["relations"]].count(True) == one["accepted"] == 2
        assert len(one["relations"]) == one["accepted"] + one["rejected"]
        asked = await call(client, "find_insight", query=NILE)
        assert (asked["asked"], asked["accepted"]) == ({"query": NILE}, 3)
        applied = await call(client, "find_insight", apply_plan_id=everything["id"])
        assert (applied["state"], applied["written"]) == ("applied", 6)
        assert (await call(client, "find_insight"))["judged"] == 0
        undone = await call(client, "find_insight", undo_plan_id=everything["id"])
        assert (undone["state"], undone["written"]) == ("undone", 0)
        at_once = await call(client, "find_insight", memo_id=ids[3], apply=True)
        assert (at_once["state"], at_once["written"]) == ("applied", 2)
        saved = await call(client, "memory_save", content="Mud from the Nile flood feeds the fields.", link=True)
        assert {link["target_id"] for link in saved["relations"]} <= set(ids[:3])
        assert saved["relations"]
        for mixed in (
            {"memo_id": ids[0], "query": "mud"},
            {"memo_id": ids[0], "apply_plan_id": everything["id"]},
            {"apply_plan_id": everything["id"], "undo_plan_id": everything["id"]},
            {"query": "mud", "undo_plan_id": everything["id"]},
            {"limit": 0},
            {"surprise": 1},
        ):
            assert (await refusal(client, "find_insight", **mixed))["code"] == "invalid_input"
        for missing in ({"memo_id": "01900000-0000-7000-8000-000000000000"}, {"apply_plan_id": asked["id"][::-1]}):
            assert (await refusal(client, "find_insight", **missing))["code"] in ("not_found", "invalid_input")
        assert (await refusal(client, "find_insight", undo_plan_id=asked["id"]))["code"] == "conflict"

    talk(url, conversation)
