"""Conformance: memos behave the same on both databases."""

from __future__ import annotations

import pytest

from wherefrom import BoundaryDenied, Conflict, InvalidInput, Memory, NewFragment, NewPage, NotFound


def test_a_saved_memo_is_read_back_exactly(memory):
    text = "Line one\r\n\tタブ\x1b[31m \u0301 emoji 👩‍🚀 end "
    saved = memory.save(text, title="題名", metadata={"n": 1.5, "nested": {"list": [1, None, "x"]}})
    read = memory.get(saved.node.id)
    assert read == saved.node
    assert (read.content, read.title, read.version, read.namespace) == (text, "題名", 1, "main")
    assert read.metadata == {"n": 1.5, "nested": {"list": [1, None, "x"]}}
    assert read.created_at == read.updated_at


def test_saving_by_id_keeps_the_title_merges_metadata_and_raises_the_version(memory):
    first = memory.save("v1", title="T", metadata={"a": 1, "b": 2}).node
    saved = memory.save("v2", memo_id=first.id, metadata={"b": None, "c": 3})
    assert saved.status == "updated"
    assert (saved.node.title, saved.node.metadata, saved.node.version) == ("T", {"a": 1, "c": 3}, 2)
    assert saved.node.created_at == first.created_at
    assert memory.get(first.id) == saved.node


def test_saving_what_is_already_so_changes_nothing(memory):
    first = memory.save("text", title="T", metadata={"a": 1}).node
    saved = memory.save("text", memo_id=first.id, title="T", metadata={"a": 1})
    assert saved.status == "unchanged"
    assert memory.get(first.id) == first


def test_the_same_text_in_a_namespace_is_kept_once_and_said_so(memory):
    first = memory.save("the same", title="first").node
    again = memory.save("the same", metadata={"seen": 2})
    assert (again.status, again.node.id, again.node.title) == ("duplicate", first.id, "first")
    assert again.node.metadata == {"seen": 2}
    assert len(memory.list().nodes) == 1


def test_a_null_removes_its_key_from_a_duplicate_as_well(memory):
    memory.save("the same", metadata={"a": 1, "b": 2})
    assert memory.save("the same", metadata={"a": None}).node.metadata == {"b": 2}
    assert memory.save("another", metadata={"a": None}).node.metadata == {}


def test_one_different_character_or_namespace_is_no_duplicate(memory):
    memory.save("text")
    assert memory.save("text ").status == "created"
    assert memory.save("text", namespace="other").status == "created"
    assert memory.save("Text").status == "created"


def test_an_update_into_another_memos_text_is_a_conflict(memory):
    taken = memory.save("taken").node
    mine = memory.save("mine").node
    with pytest.raises(Conflict, match=taken.id):
        memory.save("taken", memo_id=mine.id)
    assert memory.get(mine.id) == mine


def test_new_ids_are_ours(memory):
    with pytest.raises(NotFound):
        memory.save("text", memo_id="01900000-0000-7000-8000-000000000000")
    assert memory.list().nodes == ()


def test_saving_never_moves_a_memo(memory):
    memo = memory.save("text", namespace="a").node
    with pytest.raises(NotFound):
        memory.save("changed", memo_id=memo.id, namespace="b")
    assert memory.save("changed", memo_id=memo.id, namespace="a").node.namespace == "main/a"


def test_lists_are_newest_first_and_pages_join_without_gap_or_overlap(memory):
    ids = [memory.save(f"memo {number}", namespace=f"n{number % 3}").node.id for number in range(25)]
    listed, cursor = [], None
    while True:
        page = memory.list(limit=10, cursor=cursor)
        listed += [node.id for node in page.nodes]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert listed == ids[::-1]


def test_a_list_covers_the_namespace_and_what_is_below_it(memory):
    memory.save("in team", namespace="team")
    memory.save("in team/a", namespace="team/a")
    memory.save("in team-b", namespace="team-b")
    memory.save("in teams", namespace="teams")
    assert {node.content for node in memory.list(namespace="team").nodes} == {"in team", "in team/a"}


@pytest.mark.parametrize("cursor", ["", "x", "bm9kZXM6", "ZWRnZXM6MQ", "bm9kZXM6LTE", "bm9kZXM6eA", "ééé", 7])
def test_a_foreign_cursor_is_refused(sqlite_memory, cursor):
    with pytest.raises(InvalidInput, match="cursor"):
        sqlite_memory.list(cursor=cursor)


def test_deleting_a_memo_takes_its_relations_with_it(memory):
    a, b, c = (memory.save(text).node.id for text in "abc")
    memory.relate(a, b, tag="supports", weight=0.5)
    memory.relate(b, a, tag="supports", weight=0.5)
    memory.relate(a, a, tag="self", weight=0.5)
    memory.relate(b, c, tag="supports", weight=0.5)
    deleted = memory.delete(a)
    assert (deleted.node.id, deleted.edges_deleted) == (a, 3)
    assert [(e.source_id, e.target_id) for e in memory.relations().edges] == [(b, c)]
    with pytest.raises(NotFound):
        memory.get(a)
    with pytest.raises(NotFound):
        memory.delete(a)


def test_another_owners_memos_do_not_exist(url):
    with Memory.open(url, owner="alice") as alice, Memory.open(url, owner="bob") as bob:
        hers = alice.save("hers").node.id
        his = bob.save("his").node.id
        assert bob.save("hers").status == "created"
        for attempt in (
            lambda: bob.get(hers),
            lambda: bob.save("x", memo_id=hers),
            lambda: bob.delete(hers),
            lambda: bob.relate(his, hers, tag="supports", weight=1),
            lambda: bob.relate(hers, his, tag="supports", weight=1),
            lambda: bob.walk(hers),
        ):
            with pytest.raises(NotFound):
                attempt()
        assert alice.get(hers).content == "hers"
        assert bob.relations().edges == ()


def test_a_root_confines_everything(url):
    with Memory.open(url, root="acme") as whole, Memory.open(url, root="acme/team", namespace="desk") as team:
        outside = whole.save("outside").node.id
        inside = team.save("inside").node
        assert inside.namespace == "acme/team/desk"
        assert whole.get(inside.id) == inside
        assert [node.id for node in team.list(namespace="/").nodes] == [inside.id]
        for attempt in (
            lambda: team.get(outside),
            lambda: team.delete(outside),
            lambda: team.save("x", memo_id=outside),
            lambda: team.relate(inside.id, outside, tag="supports", weight=1),
        ):
            with pytest.raises(NotFound):
                attempt()
        whole.relate(outside, inside.id, tag="supports", weight=1)
        assert team.relations().edges == ()
        assert len(whole.relations().edges) == 1
        assert team.walk(inside.id, direction="both").edges == ()


def test_a_failed_change_leaves_nothing_behind(memory):
    memo = memory.save("text").node
    before = memory.info().sizes
    for attempt in (
        lambda: memory.save("x" * 70_000),
        lambda: memory.save("y", metadata={"a": float("nan")}),
        lambda: memory.relate(memo.id, "01900000-0000-7000-8000-000000000000", tag="supports", weight=1),
        lambda: memory.save("z", namespace="../.."),
    ):
        with pytest.raises((InvalidInput, NotFound)):
            attempt()
    assert memory.info().sizes == before


def test_true_and_one_are_different_values(memory):
    memo = memory.save("text", metadata={"done": 1, "deep": [0]}).node
    saved = memory.save("text", memo_id=memo.id, metadata={"done": True, "deep": [False]})
    assert saved.status == "updated"
    read = memory.get(memo.id).metadata
    assert read["done"] is True
    assert read["deep"][0] is False


def test_merged_metadata_stays_within_its_limit(memory):
    memo = memory.save("text", metadata={"a": "x" * 10_000}).node
    with pytest.raises(InvalidInput, match="metadata"):
        memory.save("text", memo_id=memo.id, metadata={"b": "x" * 10_000})
    assert memory.get(memo.id) == memo


def test_an_access_that_cannot_see_a_class_cannot_save_in_it(url):
    with Memory.open(url, allow=["nothing"]) as blind, pytest.raises(BoundaryDenied, match="boundary class"):
        blind.save("text")


@pytest.mark.parametrize("namespace", [0, False, [], {}, b""])
def test_a_namespace_that_is_no_text_is_refused(sqlite_memory, namespace):
    with pytest.raises(InvalidInput):
        sqlite_memory.save("text", namespace=namespace)


def test_huge_numbers_are_refused_and_named(sqlite_memory):
    number = 10**5000
    memo = sqlite_memory.save("text").node.id
    for attempt in (
        lambda: sqlite_memory.list(limit=number),
        lambda: sqlite_memory.relate(memo, memo, tag="t", weight=number),
        lambda: sqlite_memory.save("x", metadata={"n": number}),
    ):
        with pytest.raises(InvalidInput):
            attempt()


def test_a_memo_is_pinned_and_unpinned_by_saving_it(memory):
    node = memory.save("Keep this.", pinned=True).node
    assert memory.get(node.id).pinned
    assert memory.save("Keep this.").node.pinned, "saying it again does not unpin it"
    assert not memory.save("Keep this.", memo_id=node.id, pinned=False).node.pinned
    assert memory.save("Keep this.", pinned=True).node.pinned
    with pytest.raises(InvalidInput):
        memory.save("Keep that.", pinned="yes")


def test_quality_is_what_a_save_says_and_ranks_if_the_policy_lets_it(memory):
    plain = memory.save("the north deploy was rolled back").node
    good = memory.save("the north deploy was rolled back on Monday", quality=0.9).node
    assert (memory.get(plain.id).quality, memory.get(good.id).quality) == (0.5, 0.9)
    assert memory.save("the north deploy was rolled back on Monday", memo_id=good.id).node.quality == 0.9
    changed = memory.save("the north deploy was rolled back on Monday", memo_id=good.id, quality=0.2)
    assert (changed.status, changed.node.quality) == ("updated", 0.2)
    memory.apply_policy("version: 1.0.0\nretrieval: {rerank: {use_quality: true, threshold: 0}}")
    factors = {item.node.id: item.breakdown.factors.quality for item in memory.activate("north deploy").items}
    assert factors == {plain.id: pytest.approx(0.5, abs=0.01), good.id: pytest.approx(0.2, abs=0.01)}


@pytest.mark.parametrize("quality", [-0.1, 1.1, "high"])
def test_a_quality_out_of_range_is_refused(memory, quality):
    with pytest.raises(InvalidInput, match="quality"):
        memory.save("a text", quality=quality)


def test_claims_are_listed_with_memos_page_by_page(memory):
    saved = [memory.save(f"text {number}", claim_kind="fact" if number % 3 == 0 else None) for number in range(7)]
    memory.add_evidence(NewPage("https://example.org/a", "A"), fragments=[NewFragment("verbatim")])
    newest_first = [one.node.id for one in reversed(saved)]
    assert [node.id for node in memory.list().nodes] == newest_first
    assert {node.kind for node in memory.list(kind="claim").nodes} == {"claim"}
    assert [node.kind for node in memory.list(kind="fragment").nodes] == ["fragment"]
    for size in (1, 2, 3, 7):
        pages, cursor = [], None
        while cursor is not None or not pages:
            page = memory.list(limit=size, cursor=cursor)
            pages += page.nodes
            cursor = page.next_cursor
        assert [node.id for node in pages] == newest_first, size
