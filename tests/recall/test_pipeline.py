"""Recall from question to context, on real stores: what is in it, what is not, and why."""

from __future__ import annotations

import random

import pytest
from recall_for_tests import Compass, policy, texts
from talking_for_tests import Clock

from wherefrom import Gone, Memory
from wherefrom.interfaces.answering import value_of
from wherefrom.model.limits import ANSWER_TOKENS, ITEM_TOKENS, PASSAGE_CHARACTERS
from wherefrom.text.tokens import count_tokens

BOTH = ("answer:task", "tool:contact-lookup")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    with Memory.open(tmp_path / "memory.db", embedder=Compass(), clock=clock, allow=BOTH) as opened:
        yield opened


def without_graph(*, version="1.0.1", **sections):
    return policy({"graph": {"weight": 0}, "diversity": {"mmr_lambda": 1.0}, **sections}, version=version)


def test_scores_fall_below_the_threshold_and_are_counted(memory):
    """Both arms fully: S·g = 1·0.6. A hint of a direction: cos 0.1, S = 0 by the spread of candidates."""
    memory.apply_policy(without_graph())
    best = memory.save("deploy on friday north").node
    memory.save("deploy " + "west " * 9 + "north")
    context = memory.activate("deploy friday? north")
    assert texts(context) == [best.content]
    assert context.filtered == {"below_threshold": 1}
    assert context.items[0].score == pytest.approx(0.6)
    memory.apply_policy(without_graph(rerank={"threshold": 0.0}, version="1.0.2"))
    context = memory.activate("deploy friday? north")
    assert len(context.items) == 2
    assert "below_threshold" not in context.filtered


def test_every_item_is_above_the_threshold(memory):
    for number in range(30):
        memory.save(f"deploy number {number} " + "north " * (number % 5) + "west " * (number % 7))
    context = memory.activate("deploy north")
    assert context.items
    assert all(item.score >= 0.15 for item in context.items)
    assert context.filtered["below_threshold"] > 0


def test_a_score_is_relevance_times_g(memory):
    memory.apply_policy(without_graph(rerank={"threshold": 0.0}))
    memory.save("deploy on friday north")
    memory.save("deploy on monday north east", claim_kind="task", confidence=0.9)
    for item in memory.activate("deploy north").items:
        assert item.score == pytest.approx(item.breakdown.fit * item.breakdown.factors.g)
        assert f"score={item.score:.2f};" in item.figures
        assert f"S={item.breakdown.fit:.2f};" in item.figures


def test_what_is_unrelated_is_counted(memory):
    memory.apply_policy(without_graph())
    memory.save("deploy on friday north")
    memory.save("cake south")
    assert memory.activate("deploy north").filtered == {"unrelated": 1}


def test_a_duplicate_passes_its_place_to_its_representative(memory):
    old = memory.save("deploy on friday north").node
    new = memory.save("ship it at the end of the week south").node
    memory.feedback(old.id, "duplicate", duplicate_of=new.id)
    context = memory.activate("deploy friday? north", graph=False)
    (item,) = context.items
    assert (item.node.id, item.replaces) == (new.id, (old.id,))
    assert context.filtered["superseded"] == 1
    assert memory.get(old.id).superseded_by == new.id


def test_a_representative_that_is_found_itself_stands_once(memory):
    old = memory.save("deploy on friday north").node
    new = memory.save("deploy on friday evening north").node
    memory.feedback(old.id, "duplicate", duplicate_of=new.id)
    (item,) = memory.activate("deploy friday? north", graph=False).items
    assert (item.node.id, item.replaces) == (new.id, (old.id,))


def test_the_last_representative_of_a_chain_stands_for_all(memory):
    first, second, third = (memory.save(text).node for text in ("deploy friday north", "cake south", "tea west"))
    memory.feedback(first.id, "duplicate", duplicate_of=second.id)
    memory.feedback(second.id, "duplicate", duplicate_of=third.id)
    (item,) = memory.activate("deploy friday? north", graph=False).items
    assert item.node.id == third.id


def test_a_representative_takes_the_place_of_what_it_stands_for(memory):
    """Meanings fall from the first to the last; the third passes its place on, and the walk leads nowhere new."""
    by_meaning = {"hybrid": {"alpha": 1.0, "lexical_shift": 0}, "rerank": {"threshold": 0.0}}
    memory.apply_policy(policy({**by_meaning, "diversity": {"mmr_lambda": 1.0}}))
    words = ("north", "north north north east east", "north east", "north east east east")
    first, second, third, last = (memory.save(f"{text} x{at}").node for at, text in enumerate(words))
    heir = memory.save("south").node
    memory.relate(first.id, last.id, tag="supports", weight=0.1)
    before = [item.node.id for item in memory.activate("north").items]
    assert before.index(second.id) < before.index(third.id)
    memory.feedback(third.id, "duplicate", duplicate_of=heir.id)
    after = [item.node.id for item in memory.activate("north").items]
    assert after.index(second.id) < after.index(heir.id)


def test_a_completed_task_is_not_recalled(memory):
    task = memory.save("deploy on friday north", claim_kind="task").node
    fact = memory.save("deploy on monday north", claim_kind="fact").node
    memory.feedback(fact.id, "completed")
    assert len(memory.activate("deploy north").items) == 2
    memory.feedback(task.id, "completed")
    context = memory.activate("deploy north")
    assert [item.node.id for item in context.items] == [fact.id]
    assert context.filtered["closed"] == 1


def test_a_node_whose_representative_is_gone_stands_for_itself(memory, clock):
    old = memory.save("deploy on friday north").node
    new = memory.save("ship it at the end of the week south", scope="session").node
    memory.feedback(old.id, "duplicate", duplicate_of=new.id)
    clock.go_on(days=8)
    (item,) = memory.activate("deploy friday? north", graph=False).items
    assert (item.node.id, item.replaces) == (old.id, ())


def test_a_node_whose_representative_may_not_be_seen_stands_for_itself(memory):
    old = memory.save("deploy on friday north").node
    new = memory.save("ship it at the end of the week south", boundary_class="pii").node
    memory.feedback(old.id, "duplicate", duplicate_of=new.id)
    assert [item.node.id for item in memory.activate("deploy friday? north").items] == [new.id]
    (item,) = memory.activate("deploy friday? north", allow=["answer:task"]).items
    assert (item.node.id, item.replaces) == (old.id, ())


def test_what_is_like_a_memo_is_not_the_memo_itself(memory):
    memo = memory.save("deploy on friday north").node
    other = memory.save("deploy on friday evening north").node
    memory.feedback(other.id, "duplicate", duplicate_of=memo.id)
    found = memory.search(like=memo.id, rank="final")
    assert memo.id not in [hit.node.id for hit in found.hits]


def test_items_that_contradict_each_other_say_so(memory):
    one = memory.save("deploys are allowed on friday north").node
    other = memory.save("deploys are forbidden on friday north").node
    third = memory.save("deploys take an hour on friday north").node
    memory.relate(other.id, one.id, tag="contradicts", weight=1.0)
    items = {item.node.id: item for item in memory.activate("deploys friday north").items}
    assert items[one.id].disputed_by == (other.id,)
    assert items[other.id].disputed_by == (one.id,)
    assert items[third.id].disputed_by == ()
    memory.relate(third.id, one.id, tag="supersedes", weight=1.0)
    items = {item.node.id: item for item in memory.activate("deploys friday north").items}
    assert set(items) == {other.id, third.id}
    assert items[third.id].replaces == (one.id,)


def test_a_dispute_with_what_is_not_recalled_is_not_shown(memory):
    one = memory.save("deploys are allowed on friday north").node
    other = memory.save("cake south").node
    memory.relate(other.id, one.id, tag="contradicts", weight=1.0)
    (item,) = memory.activate("deploys friday north").items
    assert item.disputed_by == ()


def test_a_thin_arm_is_asked_once_more(memory):
    """k_final 12 wants 6 of each arm; the texts give 2, so they are asked for twice as many, and no more."""
    memory.apply_policy(without_graph(hybrid={"k_txt": 2, "k_vec": 20}))
    for number in range(10):
        memory.save(f"deploy number {number} north")
    context = memory.activate("deploy north")
    assert (context.parameters["k_txt"], context.parameters["k_vec"]) == (4, 20)
    assert sum(item.breakdown.scores.text_rank is not None for item in context.items) == 4


def test_an_arm_with_nothing_more_to_give_is_not_asked_again(memory):
    memory.apply_policy(without_graph(hybrid={"k_txt": 20, "k_vec": 20}))
    for number in range(8):
        memory.save(f"deploy number {number} north")
    parameters = memory.activate("deploy north").parameters
    assert (parameters["k_txt"], parameters["k_vec"]) == (20, 20)
    memory.save("cake south")
    parameters = memory.activate("nothing of this west").parameters
    assert (parameters["k_txt"], parameters["k_vec"]) == (20, 20)


def test_the_arms_reach_by_default_four_and_eight_times_what_is_wanted(memory):
    memory.save("deploy north")
    for number in range(6):
        memory.save(f"deploy number {number} north")
    parameters = memory.activate("deploy north", limit=10).parameters
    assert (parameters["k_txt"], parameters["k_vec"], parameters["k_final"]) == (40, 80, 10)


def test_each_text_once_and_no_more_than_wanted(memory):
    memory.apply_policy(policy({"graph": {"weight": 0}, "context": {"k_final": 3}}))
    memory.save("deploy on friday north", namespace="one")
    memory.save("deploy on friday north", namespace="two")
    for number in range(5):
        memory.save(f"deploy friday {number} north", entities=["Falcon"])
    for number in range(4):
        memory.save(f"deploy friday again {number} north")
    context = memory.activate("deploy friday north")
    assert len(context.items) == 3
    assert context.filtered == {"same_text": 1, "beyond_limit": 7}


def test_no_text_is_left_out_because_others_have_its_entity(memory):
    for number in range(5):
        memory.save(f"deploy friday {number} north", entities=["Falcon"])
    assert len(memory.activate("deploy friday north").items) == 5
    memory.apply_policy(policy({"diversity": {"per_entity": 2}}))
    assert len(memory.activate("deploy friday north").items) == 5


def test_what_breaks_an_invariant_is_not_recalled(memory):
    memory.save("deploy on friday north", metadata={"reviewed": True})
    memory.save("deploy on monday north", metadata={"reviewed": False})
    rule = {"name": "reviewed", "applies_to": ["*"], "rule": "metadata.reviewed == true"}
    memory.apply_policy(policy({"graph": {"weight": 0}}, invariants=[rule]))
    context = memory.activate("deploy north")
    assert texts(context) == ["deploy on friday north"]
    assert context.filtered["invariant"] == 1


def test_what_has_expired_is_not_recalled_and_is_swept(memory, clock):
    memory.apply_policy(without_graph(rerank={"threshold": 0.0}))
    gone = memory.save("deploy on friday north", scope="session").node
    memory.save("deploy on monday north", scope="project")
    assert len(memory.activate("deploy north").items) == 2
    clock.go_on(days=7)
    assert texts(memory.activate("deploy north")) == ["deploy on monday north"]
    assert [hit.node.content for hit in memory.search("deploy north").hits] == ["deploy on monday north"]
    assert gone.id not in [node.id for node in memory.list().nodes]
    clock.go_on(days=120)
    assert memory.activate("deploy north").items == ()


def test_a_context_keeps_until_it_expires(memory, clock):
    memory.save("deploy on friday north")
    context = memory.activate("deploy north", provenance={"by": "test"})
    clock.go_on(minutes=59)
    kept = memory.context(context.id)
    assert [(item.rank, item.node.id, item.score, item.reason) for item in kept.items] == [
        (item.rank, item.node.id, item.score, item.reason) for item in context.items
    ]
    assert (kept.question, kept.provenance) == (context.question, {"by": "test"})
    clock.go_on(minutes=1)
    with pytest.raises(Gone):
        memory.context(context.id)


def test_texts_fit_the_budget(memory):
    long = "deploy friday " + "carefully " * 100 + "north north"
    memory.save(long)
    memory.save("deploy on friday north")
    memory.save("deploy some friday north")
    whole = memory.activate("deploy friday north")
    assert len(whole.items) == 3
    shown = [item.passage.text if item.passage else item.node.content for item in whole.items]
    assert max(map(len, shown)) <= PASSAGE_CHARACTERS
    assert whole.tokens == ANSWER_TOKENS + sum(ITEM_TOKENS + count_tokens(text) for text in shown)
    part = memory.activate("deploy friday north", max_tokens=160)
    assert long not in texts(part)
    assert [item.rank for item in part.items] == [1, 2]
    assert part.tokens <= 160
    nothing = memory.activate("deploy friday north", max_tokens=1)
    assert (nothing.items, nothing.note) == ((), "what fits the question is longer than max_tokens")


def test_the_budget_of_a_scope_holds_too(memory):
    scopes = {"session": {"ttl_days": 7, "max_tokens": 130}}
    memory.apply_policy(policy(scopes=scopes))
    memory.save("deploy on friday north", scope="session")
    memory.save("deploy some friday north", scope="session")
    assert len(memory.activate("deploy friday north").items) == 2
    assert len(memory.activate("deploy friday north", scope=["session"]).items) == 1
    assert len(memory.activate("deploy friday north", scope=["session"], max_tokens=1_000).items) == 1


def test_an_explained_answer_has_the_same_items_as_a_plain_one(memory):
    for number in range(6):
        memory.save(f"deploy number {number} north", claim_kind="fact")
    context = memory.activate("deploy north")
    plain, explained = (value_of(context, "main", explain=each) for each in (False, True))
    assert [item["id"] for item in plain["items"]] == [item["id"] for item in explained["items"]]
    assert all(item["features"] is None for item in plain["items"])
    assert all(item["features"] is not None for item in explained["items"])
    assert (plain["parameters"], plain["filtered"]) == (None, None)
    assert explained["parameters"]["k_final"] == 12


def test_the_same_question_has_the_same_answer(memory):
    for number in range(20):
        memory.save(f"deploy number {number} " + "north " * (1 + number % 4) + "east " * (number % 3))
    first, again = memory.activate("deploy north"), memory.activate("deploy north")
    assert [(item.node.id, item.score) for item in first.items] == [(item.node.id, item.score) for item in again.items]


WORDS = ("deploy", "friday", "cake", "tea", "north", "east", "south", "west")


def open_part(path, clock, **options):
    return Memory.open(path, embedder=Compass(), clock=clock, **options)


def write(memory, numbers, *, forbidden):
    """Memos about deploys in all directions; forbidden ones among them, which fit the questions better still."""
    generator = random.Random(7)
    for number in numbers:
        words = generator.choices(WORDS, k=6)
        text = f"{' '.join(words)} x{number}"
        entities = ["Falcon"] if number % 3 == 0 else []
        memory.save(text, title=f"Falcon {number}" if number % 5 == 0 else None, entities=entities)
        if forbidden:
            better = {"boundary_class": "pii", "entities": ["Kestrel"], "title": f"Falcon {number}"}
            memo = memory.save(f"deploy friday north y{number} " + " ".join(words), **better).node
            memory.feedback(memo.id, "helpful")


QUESTIONS = ("deploy friday north", "tea west", "cake? south east", "what about Falcon north")


@pytest.mark.parametrize("where", ["class", "namespace"])
def test_what_an_access_may_not_see_changes_nothing_in_its_answer(tmp_path, where):
    """The same store with and without forbidden rows, by the scale on which a cosine counts for itself."""
    clock = Clock()
    # Words weigh by the whole store, so they are counted by rank, and everything is recalled.
    rules = policy(
        {
            "hybrid": {"alpha": 0.65, "lexical_shift": 0, "text_scale": "rank", "vector_scale": "cosine"},
            "rerank": {"threshold": 0.0},
            "context": {"k_final": 50},
        }
    )
    answers = []
    for forbidden in (False, True):
        path = tmp_path / f"{forbidden}.db"
        allow = BOTH if where == "class" else None
        with open_part(path, clock, allow=allow) as all_of_it:
            all_of_it.apply_policy(rules)
            if where == "class":
                write(all_of_it, range(20), forbidden=forbidden)
            else:
                with open_part(path, clock, root="main/here") as part:
                    write(part, range(20), forbidden=False)
                if forbidden:
                    with open_part(path, clock, root="main/there") as part:
                        write(part, range(20, 60), forbidden=False)
        options = {"root": "main/here"} if where == "namespace" else {}
        with open_part(path, clock, **options) as part:
            answers.append([sorted(texts(part.activate(question))) for question in QUESTIONS])
    assert answers[0] == answers[1]
    assert all(answers[0])


def test_a_utility_is_compared_with_those_that_can_be_recalled(memory):
    memory.save("deploy north", scope="project")
    for number in range(5):
        other = memory.save(f"cake {number} south", scope="session").node
        memory.feedback(other.id, "helpful")
    (item,) = memory.activate("deploy north", scope=["project"]).items
    assert item.breakdown.factors.utility_z == pytest.approx(0.0)


def test_an_entity_that_others_know_stays_known_to_them(tmp_path):
    path = tmp_path / "memory.db"
    with open_part(path, Clock(), allow=BOTH) as all_of_it, open_part(path, Clock()) as part:
        part.save("The build is green.", entities=["Falcon"])
        all_of_it.save("The owner lives by the sea.", entities=["Falcon"], boundary_class="pii")
        part.save("The build is red.", entities=["Falcon"])
        assert len(part.relations(tag="mentions").edges) == 2


def test_filtering_an_answer_again_takes_nothing_out(memory):
    write(memory, range(20), forbidden=True)
    for question in QUESTIONS:
        context = memory.activate(question, allow=["answer:task"], graph=True)
        assert context.items
        assert all(item.node.boundary_class in ("public", "internal") for item in context.items)
        for item in context.items:
            assert memory.get(item.node.id) == item.node
        assert all("y" not in text.split()[-1] for text in texts(context))


def test_replaced_and_disputing_nodes_that_may_not_be_seen_are_not_named(memory):
    one = memory.save("deploys are allowed on friday north").node
    hidden = memory.save("deploys are forbidden on friday north", boundary_class="pii").node
    memory.relate(hidden.id, one.id, tag="contradicts", weight=1.0)
    memory.feedback(hidden.id, "duplicate", duplicate_of=one.id)
    (item,) = memory.activate("deploys friday north", allow=["answer:task"]).items
    assert (item.disputed_by, item.replaces) == ((), ())


def test_nothing_in_an_empty_memory(memory):
    context = memory.activate("anything")
    assert (context.items, context.filtered, context.tokens) == ((), {}, ANSWER_TOKENS)
    assert context.note == "nothing is saved in main yet"


def test_an_empty_answer_says_what_was_searched(memory):
    memory.save("deploy on friday north", scope="project")
    memory.save("cake south")
    assert memory.activate("zebra").note == "nothing fits: searched 2 texts in main by words and meaning"
    assert memory.search("zebra").note == "nothing fits: searched 2 texts in main by words and meaning"
    narrowed = memory.search("zebra", scope=["project"]).note
    assert narrowed == "nothing fits: searched 1 text with these scopes or metadata in main by words and meaning"
    assert memory.search("zebra", scope=["session"]).note == (
        "nothing with these scopes or metadata is saved in main yet"
    )
    assert memory.search("deploy north").note is None


def test_without_an_embedder_words_decide(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        memory.save("deploy on friday")
        context = memory.activate("deploy")
        assert len(context.items) == 1
        assert (context.parameters["alpha"], context.parameters["arms"]) == (0.0, ["text"])


def test_an_activation_is_an_event_with_its_statistics(memory, tmp_path, execute):
    memory.save("deploy on friday north")
    context = memory.activate("deploy north", request_id="r1", trace_id="t1")
    rows = execute(
        str(tmp_path / "memory.db"), "select payload, request_id, trace_id from events where topic = 'activate'"
    )
    ((payload, request_id, trace_id),) = rows
    assert (request_id, trace_id) == ("r1", "t1")
    for part in (context.id, "policy_version", "alpha", "k_txt", "k_vec", "p50", "p90", "avg", "score_final"):
        assert part in payload
