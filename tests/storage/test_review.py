"""Reviews: where pairs that contradict each other come from, who sees them, and how they are settled."""

from __future__ import annotations

import pytest

from wherefrom import Conflict, InvalidInput, Memory, NotFound
from wherefrom.api.two_statements import may_both_hold
from wherefrom.evidence.input import NewClaim
from wherefrom.storage.reviewing import COMPATIBLE

OLD, NEW = "2025-03-01T00:00:00Z", "2025-09-01T00:00:00Z"
BACKUPS = [f"The nightly backup of the orders database keeps {days} days." for days in (14, 30)]


def pairs(memory, **given):
    return [(pair.kind, {pair.first.content, pair.second.content}) for pair in memory.review(**given).pairs]


def rate_limits(memory, **more):
    old = memory.save("The rate limit is 30.", title="Rate limit", observed_at=OLD, **more).node
    new = memory.save("The rate limit is 45.", title="rate limit", observed_at=NEW, **more).node
    return old, new


def disputed(memory, tag="contradicts"):
    old = memory.save("Das Büro ist in Berlin.", observed_at=OLD).node
    new = memory.save("Wir arbeiten in Hamburg.", observed_at=NEW).node
    memory.relate(new.id, old.id, tag=tag, weight=1, reason="Es gibt nur ein Büro.")
    return old, new


def residences(memory, execute, url):
    """Two relations with an exclusive tag that hold: as from a time when the tag was none."""
    ann, kyoto, osaka = (memory.save(name, title=name).node for name in ("Ann", "京都", "大阪"))
    for city in (kyoto, osaka):
        memory.relate(ann.id, city.id, tag="lives_in", weight=1)
    execute(url, "update edges set valid_to = null")
    return ann, kyoto, osaka


def test_nothing_contradicts_in_an_empty_memory(memory):
    assert memory.review().pairs == ()
    assert memory.review().next_cursor is None
    assert memory.status().review is None
    assert memory.activate("anything").review is None


def test_the_same_title_with_another_number(open_memory):
    memory = open_memory()
    old, new = rate_limits(memory)
    (pair,) = memory.review().pairs
    assert (pair.kind, pair.reason) == ("title", "same title, the number differs: 45 / 30")
    assert (pair.first.id, pair.second.id, pair.newer) == (new.id, old.id, "first")
    assert (pair.settle.first_id, pair.settle.second_id, pair.settle.keep) == (new.id, old.id, "first")


def test_what_was_observed_later_is_newer_though_it_was_saved_before(open_memory):
    memory = open_memory()
    new = memory.save("The rate limit is 45.", title="Rate limit", observed_at=NEW).node
    memory.save("The rate limit is 30.", title="Rate limit", observed_at=OLD)
    (pair,) = memory.review().pairs
    assert (pair.first.id, pair.reason) == (new.id, "same title, the number differs: 45 / 30")


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("会議は月曜日に開く。", "会議は金曜日に開く。", "the date differs: 金曜 / 月曜"),
        ("本社は東京にある。", "本社は大阪にある。", "the name differs: 大阪 / 東京"),
        ("上限は一分に30回。", "上限は一分に45回。", "the number differs: 45 / 30"),
        ("Der Export ist aktiv.", "Der Export ist nicht aktiv.", "the negation differs: nicht / –"),
        ("Die Leitung hat Ann Weber.", "Die Leitung hat Ann Wagner.", "the name differs: Wagner / Weber"),
    ],
)
def test_titles_in_other_languages(open_memory, one, other, reason):
    memory = open_memory()
    memory.save(one, title="T", observed_at=OLD)
    memory.save(other, title="T", observed_at=NEW)
    assert [pair.reason for pair in memory.review().pairs] == [f"same title, {reason}"]


def test_a_title_elsewhere_or_of_many_or_without_a_difference_is_no_pair(open_memory):
    memory = open_memory()
    memory.save("The limit is 30.", title="Limit", namespace="a")
    memory.save("The limit is 45.", title="Limit", namespace="b")
    memory.save("We met in the hall.", title="Hall")
    memory.save("We met in the hall again.", title="Hall")
    for number in range(6):
        memory.save(f"{number} came.", title="Standup")
    assert pairs(memory) == []


def test_near_texts_that_differ_in_a_fact(memory):
    for text in BACKUPS:
        memory.save(text)
    memory.save("Lunch is at noon.")
    (pair,) = memory.review().pairs
    assert (pair.kind, pair.reason) == ("near", "nearly the same, the number differs: 30 / 14")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("東京の事務所は駅から歩いて五分ではありません。", "大阪の事務所は駅から歩いて五分です。"),
        ("The office in Berlin is not open on Fridays.", "The office in Hamburg is open on Fridays."),
        ("東京の店は9時に開く。", "大阪の店は10時に開く。"),
    ],
)
@pytest.mark.parametrize("title", [None, "T"])
def test_no_direction_if_a_name_differs_besides(memory, one, other, title):
    """A newcomer was told to end what is said of the office in Tokyo in favour of the one in Osaka."""
    memory.save(one, title=title, observed_at=OLD)
    memory.save(other, title=title, observed_at=NEW)
    for pair in memory.review().pairs:
        assert (pair.newer, pair.settle.keep) == (None, "both")
        assert pair.reason.endswith("; both may hold")
    assert title is None or memory.review().pairs, "it is listed all the same"


@pytest.mark.parametrize(
    ("kind", "one", "other", "expected"),
    [
        ("near", "東京の事務所は駅から歩いて五分ではありません。", "大阪の事務所は駅から歩いて五分です。", True),
        ("near", "駅から歩いて五分ではありません。", "駅から歩いて五分です。", False),
        ("near", "会議は月曜日に開く。", "会議は金曜日に開く。", False),
        ("near", "本社は東京にある。", "本社は大阪にある。", True),
        ("title", "本社は東京にある。", "本社は大阪にある。", False),
        ("title", "Open on Monday from 9.", "Open on Friday from 10.", False),
        ("near", "Open on Monday from 9.", "Open on Friday from 10.", True),
        ("slot", "The Lisbon team has 5 desks.", "The Porto team has 7 desks.", False),
    ],
)
def test_what_may_both_hold(kind, one, other, expected):
    assert may_both_hold(kind, one, other) == may_both_hold(kind, other, one) == expected


def test_what_began_by_a_settlement_is_as_new_as_it_was_said(open_memory):
    """It was told to be older than what was saved before it, as the day on which it began was compared."""
    memory = open_memory()
    first, second, third = (
        memory.save(f"Eggs keep {weeks} weeks.", title="Eggs", observed_at=f"2025-09-0{day}").node
        for day, weeks in ((1, 3), (2, 4), (3, 2))
    )
    memory.settle(third.id, first.id, "first", until="2025-07-31")
    assert memory.get(third.id).valid_from.startswith("2025-08-01")
    (pair,) = memory.review().pairs
    assert (pair.first.id, pair.second.id, pair.newer) == (third.id, second.id, "first")
    assert pair.reason == "same title, the number differs: 2 / 4"
    memory.relate(second.id, third.id, tag="contradicts", weight=1)
    (pair,) = memory.review().pairs
    assert (pair.kind, pair.first.id) == ("dispute", third.id)


def test_since_when_something_held_counts_if_it_was_told_later(open_memory):
    memory = open_memory()
    memory.save("Eggs kept 3 weeks.", title="Eggs", valid_from="2020-01-01")
    new = memory.save("Eggs kept 2 weeks.", title="Eggs", observed_at=OLD).node
    (pair,) = memory.review().pairs
    assert pair.first.id == new.id


def test_a_dispute_between_statements_that_hold(open_memory):
    memory = open_memory()
    old, new = disputed(memory)
    (pair,) = memory.review().pairs
    assert (pair.kind, pair.reason) == ("dispute", "related by contradicts: Es gibt nur ein Büro.")
    assert (pair.first.id, pair.second.id) == (new.id, old.id)
    assert memory.status().review == memory.activate("Büro").review == "1 pair waits for review"
    memory.feedback(old.id, "outdated")
    assert pairs(memory) == []
    assert memory.status().review is None


@pytest.mark.parametrize("tag", ["conflicts", "refutes"])
def test_other_tags_of_a_dispute(open_memory, tag):
    memory = open_memory()
    disputed(memory, tag)
    assert [pair.kind for pair in memory.review().pairs] == ["dispute"]


def test_two_classes_in_one_slot(open_memory):
    keeper, reader = open_memory(), open_memory(allow=["guest"])
    keeper.save("Mira answers.", slot="support/contact")
    reader.save("The front desk answers.", slot="support/contact", boundary_class="public")
    (pair,) = keeper.review().pairs
    assert (pair.kind, pair.reason) == ("slot", "both hold in the slot support/contact")
    assert keeper.status().review == "1 pair waits for review"
    assert reader.review().pairs == (), "an access that sees one of them sees no pair"
    assert reader.status().review is None


def test_relations_of_which_one_holds_at_a_time(open_memory, execute, url):
    memory = open_memory()
    ann, kyoto, osaka = residences(memory, execute, url)
    (pair,) = memory.review().pairs
    assert (pair.kind, pair.reason) == ("relation", "both are lives_in of 'Ann', which has one at a time")
    assert {pair.first.id, pair.second.id} == {kyoto.id, osaka.id}
    assert pair.settle.source_id == ann.id
    assert memory.status().review == "1 pair waits for review"
    done = memory.settle(osaka.id, kyoto.id, "first", source_id=ann.id)
    assert (done.status, done.ended_id) == ("settled", kyoto.id)
    assert [edge.target_id for edge in memory.relations(source_id=ann.id).edges] == [osaka.id]
    assert memory.get(kyoto.id).valid_to is None, "the relation ended, and not the city"
    assert pairs(memory) == []
    assert "the relation 'Ann' -lives_in-> '京都' held until" in memory.history(kyoto.id).items[0].text
    with pytest.raises(InvalidInput, match="exclude each other"):
        memory.settle(osaka.id, kyoto.id, "first", source_id=ann.id)


def test_relations_from_a_date_on(open_memory, execute, url):
    memory = open_memory()
    ann, kyoto, osaka = residences(memory, execute, url)
    memory.settle(osaka.id, kyoto.id, "first", until="2024", source_id=ann.id)
    assert [edge.target_id for edge in memory.relations(source_id=ann.id, as_of="2025-06-01").edges] == [osaka.id]


def test_both_relations_hold(open_memory, execute, url):
    memory = open_memory()
    ann, kyoto, osaka = residences(memory, execute, url)
    memory.settle(osaka.id, kyoto.id, "both", source_id=ann.id)
    assert pairs(memory) == []
    assert len(memory.relations(source_id=ann.id, tag="lives_in").edges) == 2


def test_a_tag_counts_where_the_policy_says_so(open_memory, execute, url):
    memory = open_memory()
    residences(memory, execute, url)
    memory.apply_policy("version: 1.0.1\nmetabolism: {exclusive: [status]}\n")
    assert pairs(memory) == []


def test_claims_of_a_task_are_left_to_their_evidence(open_memory):
    memory = open_memory()
    task = memory.create_task("Which limit?")
    memory.add_evidence(task_id=task.id, claims=[NewClaim("The limit is 30."), NewClaim("The limit is 45.")])
    one, other = (node.id for node in memory.list(kind="claim").nodes)
    memory.relate(one, other, tag="contradicts", weight=1)
    assert pairs(memory) == []
    own = memory.save("The limit is 60.", claim_kind="fact").node
    second = memory.save("The limit is 90.", claim_kind="fact").node
    memory.relate(own.id, second.id, tag="contradicts", weight=1)
    assert pairs(memory) == [("dispute", {"The limit is 60.", "The limit is 90."})]


def test_a_pair_is_listed_once_by_what_is_most_certain(memory):
    old, new = rate_limits(memory)
    memory.relate(new.id, old.id, tag="contradicts", weight=1)
    assert [pair.kind for pair in memory.review().pairs] == ["dispute"]


def test_keeping_the_newer_ends_the_older_and_unrelate_undoes_it(open_memory):
    memory = open_memory()
    old, new = rate_limits(memory)
    done = memory.settle(new.id, old.id, "first")
    assert (done.status, done.keep, done.ended_id, done.valid_to) == ("settled", "first", old.id, new.observed_at)
    assert (memory.get(old.id).superseded_by, memory.get(old.id).valid_to) == (new.id, new.observed_at)
    assert pairs(memory) == []
    assert [node.id for node in memory.list().nodes] == [new.id]
    assert [node.id for node in memory.list(as_of="2025-06-01").nodes] == [old.id]
    assert memory.history(old.id).items[0].text.startswith("'rate limit' took the place of 'Rate limit', which held")
    assert memory.settle(new.id, old.id, "first").status == "unchanged"
    memory.unrelate(done.undo.source_id, done.undo.target_id, tag=done.undo.tag)
    assert memory.get(old.id).valid_to is None
    assert len(pairs(memory)) == 1


def test_keeping_the_older_says_that_the_newer_never_held(open_memory):
    memory = open_memory()
    old, new = rate_limits(memory)
    memory.settle(new.id, old.id, "second")
    assert memory.get(new.id).superseded_by == old.id
    for moment in ("2025-06-01", "2025-12-01"):
        assert [node.id for node in memory.list(as_of=moment).nodes] == [old.id]


def test_a_date_says_how_long_the_older_held(open_memory):
    memory = open_memory()
    old, new = rate_limits(memory)
    memory.settle(new.id, old.id, "first", until="2025-06")
    assert memory.get(old.id).valid_to == memory.get(new.id).valid_from
    assert memory.get(old.id).valid_to.startswith("2025-07-01T00:00")
    assert [node.id for node in memory.list(as_of="2025-06-30").nodes] == [old.id]
    assert [node.id for node in memory.list(as_of="2025-07-01").nodes] == [new.id]


def test_both_hold_and_are_not_listed_again(open_memory):
    memory = open_memory()
    old, new = disputed(memory)
    done = memory.settle(new.id, old.id, "both")
    assert (done.status, done.ended_id, done.undo.tag) == ("settled", None, COMPATIBLE)
    assert pairs(memory) == []
    assert memory.status().review is None
    assert memory.get(old.id).valid_to is memory.get(new.id).valid_to is None
    assert memory.history(old.id).items[0].text == "'Wir arbeiten in Hamburg.' and 'Das Büro ist in Berlin.' both hold"
    assert memory.settle(old.id, new.id, "both").status == "unchanged"
    memory.unrelate(new.id, old.id, tag=COMPATIBLE)
    assert len(pairs(memory)) == 1


def test_both_titles_and_near_texts_hold(memory):
    for kind, texts in (("title", ("単価は300円。", "単価は450円。")), ("near", BACKUPS)):
        title = "単価" if kind == "title" else None
        one, other = (memory.save(text, title=title).node for text in texts)
        assert [found for found, _ in pairs(memory)] == [kind]
        memory.settle(one.id, other.id, "both")
        assert pairs(memory) == []


def test_a_new_decision_takes_the_place_of_both_hold(open_memory):
    memory = open_memory()
    old, new = disputed(memory)
    memory.settle(new.id, old.id, "both")
    memory.settle(new.id, old.id, "first")
    assert [edge.tag for edge in memory.relations(source_id=new.id).edges] == ["supersedes", "contradicts"]
    with pytest.raises(Conflict, match="holds no longer"):
        memory.settle(new.id, old.id, "both")


def test_what_cannot_be_settled_is_refused(open_memory):
    memory = open_memory()
    old, new = rate_limits(memory, valid_from="2025-01")
    third = memory.save("The rate limit is 60.").node
    with pytest.raises(InvalidInput, match="the same"):
        memory.settle(old.id, old.id, "first")
    with pytest.raises(InvalidInput, match="has ended"):
        memory.settle(old.id, new.id, "both", until="2025")
    with pytest.raises(InvalidInput, match="holds since 2025-01-01"):
        memory.settle(new.id, old.id, "first", until="2024")
    with pytest.raises(InvalidInput, match="keep"):
        memory.settle(old.id, new.id, "neither")
    with pytest.raises(NotFound):
        memory.settle(old.id, "01900000-0000-7000-8000-000000000000", "first")
    memory.settle(new.id, old.id, "first")
    with pytest.raises(Conflict, match="was replaced before"):
        memory.settle(third.id, old.id, "first")
    with pytest.raises(Conflict, match="took the place"):
        memory.settle(old.id, new.id, "first")


def test_a_namespace_and_a_root_confine_the_review(open_memory):
    memory = open_memory()
    rate_limits(memory, namespace="team/a")
    rate_limits(memory, namespace="team/b")
    assert len(pairs(memory)) == 2
    assert len(pairs(memory, namespace="team/a")) == 1
    assert len(pairs(open_memory(root="main/team/b"))) == 1
    assert pairs(open_memory(owner="another")) == []
    old = memory.list(namespace="team/a").nodes[0]
    with pytest.raises(NotFound):
        confined = open_memory(root="main/team/b")
        confined.settle(old.id, confined.list().nodes[0].id, "first")


def test_a_pair_across_a_boundary_is_not_seen_nor_settled(open_memory):
    memory = open_memory()
    old = memory.save("The limit is 30.", namespace="a").node
    new = memory.save("The limit is 45.", namespace="b").node
    memory.relate(new.id, old.id, tag="contradicts", weight=1)
    assert len(pairs(memory)) == 1
    assert pairs(memory, namespace="a") == []
    assert pairs(open_memory(root="main/a")) == []
    assert open_memory(root="main/a").activate("limit").review is None


def test_pages_go_on_where_they_ended_though_pairs_are_settled(open_memory):
    memory = open_memory()
    for number in range(5):
        memory.save(f"Gate {number} opens at 8.", title=f"Gate {number}")
        memory.save(f"Gate {number} opens at 9.", title=f"Gate {number}")
    first = memory.review(limit=2)
    assert len(first.pairs) == 2
    for pair in first.pairs:
        memory.settle(pair.first.id, pair.second.id, "first")
    second = memory.review(limit=2, cursor=first.next_cursor)
    third = memory.review(limit=2, cursor=second.next_cursor)
    titles = [pair.first.title for page in (first, second, third) for pair in page.pairs]
    assert titles == ["Gate 4", "Gate 3", "Gate 2", "Gate 1", "Gate 0"]
    assert third.next_cursor is None
    with pytest.raises(InvalidInput, match="cursor"):
        memory.review(cursor="bm9kZXM6MQ")


def test_what_has_expired_or_was_replaced_is_in_no_pair(open_memory, clock):
    memory = open_memory()
    memory.save("The limit is 30.", title="Limit", scope="session")
    new = memory.save("The limit is 45.", title="Limit").node
    assert len(pairs(memory)) == 1
    clock.go_on(days=8)
    assert pairs(memory) == []
    third = memory.save("The limit is 60.", title="Limit").node
    memory.relate(third.id, new.id, tag="supersedes", weight=1)
    assert pairs(memory) == []


def test_decisions_survive_metabolism_and_a_copy(open_memory, clock, tmp_path):
    memory = open_memory()
    old, new = disputed(memory)
    memory.settle(new.id, old.id, "both")
    clock.go_on(days=800)
    memory.relate(memory.save("a").node.id, memory.save("b").node.id, tag="explains", weight=1)
    memory.metabolize(apply=True)
    assert pairs(memory) == []
    file = tmp_path / "copy.jsonl"
    with file.open("w", encoding="utf-8") as stream:
        memory.export(stream)
    with Memory.open(tmp_path / "copy.db", embedder="none") as copy:
        copy.import_(file)
        assert pairs(copy) == []
        assert len(copy.relations(tag=COMPATIBLE).edges) == 1


def test_what_recall_marks_as_older_is_reviewed(memory):
    old = memory.save("Anna lives in Hamburg.", observed_at="2025-01").node.id
    new = memory.save("Anna lives in Munich.", observed_at="2025-03").node.id
    memory.save("Ben lives in Hamburg.", observed_at="2025-04")
    (pair,) = memory.review().pairs
    assert {pair.first.id, pair.second.id} == {old, new}


def test_what_may_be_one_statement_twice_comes_last(memory):
    """Metabolism leaves them, since each has words that the other has not; nobody was told of them."""
    old = memory.save("The washing machine of the flat is repaired by Mr Sato.", observed_at=OLD).node
    new = memory.save("The washing machine in the flat gets repaired by Mr Sato, kindly.", observed_at=NEW).node
    for text in BACKUPS:
        memory.save(text)
    near, alike = memory.review().pairs
    assert (near.kind, alike.kind) == ("near", "alike")
    assert alike.reason == "nearly the same, and no fact is seen to differ"
    assert (alike.first.id, alike.second.id, alike.newer) == (new.id, old.id, "first")
    first, second = (memory.review(limit=1, cursor=cursor) for cursor in (None, memory.review(limit=1).next_cursor))
    assert [page.pairs[0].kind for page in (first, second)] == ["near", "alike"]
    assert memory.settle(alike.first.id, alike.second.id, "both").status == "settled"
    assert [pair.kind for pair in memory.review().pairs] == ["near"]


def test_titled_statements_that_may_be_one_are_listed_by_their_bodies(memory):
    memory.save("The washing machine of the flat is repaired by Mr Sato.", title="Laundry")
    memory.save("The washing machine in the flat gets repaired by Mr Sato, kindly.", title="laundry")
    assert [pair.kind for pair in memory.review().pairs] == ["alike"]
