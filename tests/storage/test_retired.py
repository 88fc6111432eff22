"""Receipts: what was let go comes back as it was, once, to those who may see it, for thirty days."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from embedders_for_tests import Numbered
from receipts_for_tests import exported, fill, nodes_of, opened_at, sentence

from wherefrom import Conflict, InvalidInput, Memory, NotFound
from wherefrom.metabolism import adaptive_batch
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import migrate
from wherefrom.storage import receipts as receipts_module

LOOKUP = ("answer:task", "tool:contact-lookup")
EMAIL = "kim.lee@example.org"
LAX = {
    "version": "1.0.0",
    "boundary_classes": {name: {"redact": []} for name in ("public", "internal", "pii")},
    "detect": dict.fromkeys(("email", "phone", "card", "national_id"), "public"),
}
TABLES = ("nodes", "edges", "embeddings", "feedback", "corrections", "names")
EVER = "2000-01-01T00:00:00Z"


@pytest.fixture
def memory(url, clock):
    with Memory.open(url, clock=clock) as opened:
        yield opened


def pair(memory, clock, *, first=1, places=(None, None), **given):
    """Two texts that are joined for good, and a near-copy of each, thinly joined; all old enough to go."""
    a, b = (save(memory, first + at, "", place, **given) for at, place in enumerate(places))
    copies = [save(memory, first + at, "actually", place, **given) for at, place in enumerate(places)]
    memory.relate(a, b, tag="then", weight=0.9)
    memory.relate(*copies, tag="near", weight=0.05, reason="seen together")
    memory.relate(copies[0], b, tag="near", weight=0.04)
    memory.relate(a, copies[1], tag="near", weight=0.04)
    clock.go_on(days=4)
    return copies


def save(memory, number, filler="", namespace=None, **given):
    return memory.save(sentence(number, filler), namespace=namespace, **given).node.id


def run(memory, namespace=None, **given):
    """Apply a plan; the name of its receipts."""
    return memory.metabolize(namespace, apply=True, **given).run_id


def whole(execute, url, tables=TABLES):
    """All rows of the tables, vectors to the last bit."""
    rows = {table: execute(url, f"select * from {table}") for table in tables}
    return {table: sorted(some, key=repr) for table, some in rows.items()}


def receipts(execute, url):
    return execute(url, "select kind, node_id from retired where kind <> 'restored' order by seq")


def is_here(memory, node_id):
    return node_id in nodes_of(exported(memory))


# --- as it was --------------------------------------------------------------------------------------------------------


def test_everything_that_belongs_to_it_comes_back_to_the_last_bit(memory, clock, url, execute):
    ids = fill(memory, clock, topics=6)
    before, lines = whole(execute, url), exported(memory)
    assert all(before.values()), "something of every kind"
    done = memory.metabolize(apply=True)
    assert {kind for kind, _ in receipts(execute, url)} == {"node", "edge", "embedding", "feedback", "correction"}
    assert all(len(rows) < len(before[table]) for table, rows in whole(execute, url).items())
    restored = memory.restore(run_id=done.run_id)
    assert (len(restored.node_ids), restored.links) == (done.nodes_removed, done.links_removed)
    assert restored.skipped == {}
    assert whole(execute, url) == before
    assert exported(memory) == lines
    assert receipts(execute, url) == []
    assert memory.doctor().ok
    assert ids["copies"][0] in restored.node_ids


def test_former_versions_come_back_with_their_node(memory, clock, url, execute):
    copies = pair(memory, clock)
    memory.save(sentence(1, "really"), memo_id=copies[0])
    memory.save(sentence(1, "actually"), memo_id=copies[0])
    clock.go_on(days=4)
    before = whole(execute, url, ("node_versions",))
    run_id = run(memory)
    assert before["node_versions"]
    assert whole(execute, url, ("node_versions",)) == {"node_versions": []}
    memory.restore(run_id=run_id)
    assert whole(execute, url, ("node_versions",)) == before


def test_node_by_node_is_the_same_in_any_order(memory, clock, url, execute):
    fill(memory, clock, topics=4)
    before, lines = whole(execute, url), exported(memory)
    done = memory.metabolize(apply=True)
    for weak in sorted(done.removed, key=lambda weak: weak.node.id[::-1]):
        restored = memory.restore(weak.node.id)
        assert restored.node_ids == (weak.node.id,)
        assert not [check for check in memory.doctor().checks if not check.ok]
    memory.restore(run_id=done.run_id)  # relations that went by themselves
    assert whole(execute, url) == before
    assert exported(memory) == lines


def test_what_came_back_is_found_again(memory, clock):
    a, b = pair(memory, clock, claim_kind="fact")
    texts = {a: sentence(1, "actually"), b: sentence(2, "actually")}
    run_id = run(memory)
    for text in texts.values():
        memory.search(text), memory.vector_search(text)
    for node_id, text in texts.items():
        assert node_id not in {hit.node.id for hit in memory.search(text).hits}
        assert node_id not in {each.id for each in memory.vector_search(text).results}
    memory.restore(run_id=run_id)
    for node_id, text in texts.items():
        assert memory.search(text).hits[0].node.id == node_id
        assert memory.vector_search(text).results[0].id == node_id


def test_a_name_is_mentioned_again_once_its_entity_is_back(memory, clock):
    memory.delete(memory.save("About it", entities=["Quartz Hall"]).node.id)
    clock.go_on(days=4)
    (entity,) = memory.metabolize(apply=True).removed
    memory.restore(entity.node.id)
    memo = memory.save("We met at Quartz Hall").node.id
    assert [edge.target_id for edge in memory.relations(source_id=memo).edges] == [entity.node.id]


@pytest.mark.parametrize("by", ["node", "run"])
def test_what_expired_and_was_forgotten_comes_back_with_a_new_expiry(memory, clock, by):
    memory.apply_policy("version: 1.1.0\nkeep_expired_days: 1")
    claim = save(memory, 1, claim_kind="fact", scope="session")
    clock.go_on(days=8)
    swept = memory.sweep()
    assert swept.node_ids == (claim,)
    clock.go_on(days=2)
    restored = memory.restore(claim) if by == "node" else memory.restore(run_id=swept.run_id)
    assert (restored.node_ids, restored.skipped) == ((claim,), {})
    assert memory.get(claim).expires_at == timestamp(clock.now + timedelta(days=7))
    assert memory.sweep().node_ids == ()


def test_what_would_have_expired_meanwhile_lives_as_long_again(memory, clock):
    for number in (1, 2):
        save(memory, number, claim_kind="fact")
    a, b = (save(memory, number, "actually", claim_kind="fact", scope="session") for number in (1, 2))
    memory.relate(a, b, tag="near", weight=0.05)
    clock.go_on(days=4)
    run_id = run(memory)
    clock.go_on(days=4)
    restored = memory.restore(run_id=run_id)
    assert (set(restored.node_ids), restored.links) == ({a, b}, 1)
    assert memory.get(a).expires_at == timestamp(clock.now + timedelta(days=7))


# --- which ------------------------------------------------------------------------------------------------------------


def test_exactly_one_of_three_says_what_to_bring_back(sqlite_memory):
    for wrong in ({}, {"node_id": "a", "run_id": "b"}, {"run_id": "a", "since": EVER}):
        with pytest.raises(InvalidInput, match="not clear"):
            sqlite_memory.restore(**wrong)
    with pytest.raises(InvalidInput):
        sqlite_memory.restore(since="yesterday")
    for nothing in ({"node_id": "no-such-node"}, {"run_id": "no-such-run"}):
        with pytest.raises(NotFound):
            sqlite_memory.restore(**nothing)
    assert sqlite_memory.restore(since=EVER).node_ids == ()


def test_each_comes_back_once(memory, clock):
    a, _ = pair(memory, clock)
    run_id = run(memory)
    memory.restore(run_id=run_id)
    lines = exported(memory)
    with pytest.raises(NotFound, match="nothing to bring back"):
        memory.restore(run_id=run_id)
    with pytest.raises(Conflict, match="is here, and holds"):
        memory.restore(a)
    again = memory.restore(since=EVER)
    assert (again.node_ids, again.links, again.skipped) == ((), 0, {})
    assert exported(memory) == lines


def test_since_a_time_brings_back_what_went_from_then_on(memory, clock):
    first = pair(memory, clock, first=1)
    lines = exported(memory)
    run(memory)
    kept = exported(memory)
    clock.go_on(hours=1)
    began = clock.now.isoformat()
    second = pair(memory, clock, first=11)
    run(memory)
    restored = memory.restore(since=began)
    assert set(restored.node_ids) == set(second)
    assert not any(is_here(memory, each) for each in first)
    assert set(memory.restore(since=EVER).node_ids) == set(first)
    assert len(kept) < len(lines)
    assert set(lines) < set(exported(memory))


def test_a_relation_comes_back_with_the_second_of_its_ends(memory, clock):
    a, b = pair(memory, clock)
    lines = exported(memory)
    run(memory)
    first = memory.restore(b)
    assert (first.node_ids, first.links) == ((b,), 1), "with what is here"
    assert all(edge.source_id != a for edge in memory.relations(source_id=a).edges), "of the one that stands for it"
    assert memory.restore(a).links == 2
    assert exported(memory) == lines


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_relation_between_what_two_runs_let_go_comes_back_with_the_second(memory, clock, order):
    memory.relate(save(memory, 1), save(memory, 2), tag="then", weight=0.9)
    a = save(memory, 1, "actually")
    clock.go_on(days=3)
    b = save(memory, 2, "actually")
    memory.relate(a, b, tag="near", weight=0.05)
    clock.go_on(days=1)
    lines = exported(memory)
    plans = [memory.metabolize(apply=True)]
    clock.go_on(days=3)
    plans.append(memory.metabolize(apply=True))
    assert [[weak.node.id for weak in plan.removed] for plan in plans] == [[a], [b]]
    for number in order:
        memory.restore(run_id=plans[number].run_id)
        assert memory.doctor().ok
    assert exported(memory) == lines


def test_many_come_back_in_several_batches(memory, clock, monkeypatch):
    monkeypatch.setattr(adaptive_batch, "_MAX_ROWS", 2)
    monkeypatch.setattr(receipts_module, "MAX_NODES_PER_EDGE_SIDE", 3)
    fill(memory, clock, topics=5)
    lines = exported(memory)
    done = memory.metabolize(apply=True)
    assert len(memory.restore(since=EVER).node_ids) == done.nodes_removed > 9
    assert exported(memory) == lines


# --- what is in the way -----------------------------------------------------------------------------------------------


def test_a_text_that_another_has_by_now_is_skipped_whole(memory, clock, url, execute):
    a, b = pair(memory, clock)
    memory.feedback(a, signal="harmful")
    clock.go_on(days=4)
    lines = exported(memory)
    run_id = run(memory)
    other = save(memory, 1, "actually")
    before, kept = whole(execute, url), receipts(execute, url)
    assert memory.restore(a).skipped == {a: "another node has its text"}
    assert (whole(execute, url), receipts(execute, url)) == (before, kept)
    restored = memory.restore(run_id=run_id)
    assert (restored.node_ids, restored.skipped) == ((b,), {a: "another node has its text"})
    assert not [row for row in whole(execute, url)["feedback"] if a in row]
    memory.delete(other)
    assert memory.restore(a).node_ids == (a,)
    assert exported(memory) == lines


def test_what_was_imported_again_meanwhile_is_here_already(memory, clock, url, execute):
    a, b = pair(memory, clock)
    stream = io.StringIO()
    memory.export(stream)
    run(memory)
    memory.import_(io.BytesIO(stream.getvalue().encode()))
    before = whole(execute, url)
    restored = memory.restore(since=EVER)
    assert (restored.node_ids, restored.links) == ((), 0)
    assert restored.skipped == dict.fromkeys((a, b), "it is here already")
    assert whole(execute, url) == before


def test_a_relation_that_was_made_again_meanwhile_stays_as_it_is(memory, clock):
    a, b = pair(memory, clock)
    (edge,) = (edge for edge in memory.relations(source_id=a).edges if edge.target_id != b)
    run(memory)
    memory.restore(a)
    newer = memory.relate(edge.source_id, edge.target_id, tag=edge.tag, weight=0.7).edge
    memory.restore(since=EVER)
    assert memory.relations(source_id=a, target_id=edge.target_id).edges == (newer,)


def test_what_was_renamed_meanwhile_comes_back_there(memory, clock):
    a, b = pair(memory, clock, places=("x", "x/deep"))
    run_id = run(memory)
    memory.rename_namespace("x", "team/z")
    memory.restore(run_id=run_id)
    assert (memory.get(a).namespace, memory.get(b).namespace) == ("main/team/z", "main/team/z/deep")
    (edge,) = memory.relations(source_id=a, target_id=b).edges
    assert (edge.source_namespace, edge.target_namespace) == ("main/team/z", "main/team/z/deep")
    assert memory.doctor().ok


# --- who may ----------------------------------------------------------------------------------------------------------


def test_a_root_sees_only_its_own_receipts(memory, clock, url):
    mine, theirs = pair(memory, clock, places=("x", "y"))
    lines = exported(memory)
    run_id = run(memory)
    with Memory.open(url, root="main/x", clock=clock) as inside:
        with pytest.raises(NotFound):
            inside.restore(theirs)
        restored = inside.restore(run_id=run_id)
        assert (restored.node_ids, restored.skipped) == ((mine,), {})
        with pytest.raises(NotFound):
            inside.restore(run_id="no-such-run")
    with Memory.open(url, root="main/z", clock=clock) as beside:
        with pytest.raises(NotFound):
            beside.restore(run_id=run_id)
        assert beside.restore(since=EVER).node_ids == ()
    with Memory.open(url, owner="somebody else", clock=clock) as other:
        with pytest.raises(NotFound):
            other.restore(theirs)
        assert other.restore(since=EVER).node_ids == ()
    assert memory.restore(run_id=run_id).node_ids == (theirs,)
    assert exported(memory) == lines


def test_what_the_access_may_not_see_is_neither_brought_back_nor_named(memory, clock, url, execute):
    with Memory.open(url, allow=LOOKUP, clock=clock) as cleared:
        secret = pair(cleared, clock, boundary_class="pii")
        run_id = run(cleared)
        kept = receipts(execute, url)
        for wanted in ({"node_id": secret[0]}, {"run_id": run_id}, {"since": EVER}):
            try:
                restored = memory.restore(**wanted)
            except NotFound:
                continue
            assert (restored.node_ids, restored.links, restored.skipped) == ((), 0, {})
        with pytest.raises(NotFound, match="no receipt"):
            memory.restore(secret[0])
        assert receipts(execute, url) == kept
        assert set(cleared.restore(run_id=run_id).node_ids) == set(secret)


# --- a stricter policy ------------------------------------------------------------------------------------------------


def mails(memory, clock):
    """A near-copy with an address in all its parts, let go under a policy that allowed it."""
    memory.apply_policy(json.dumps(LAX))
    said = {"title": f"For {EMAIL}", "metadata": {"to": [EMAIL]}}
    stays = memory.save(f"{sentence(1)} {EMAIL}", **said).node.id
    copy = memory.save(f"{sentence(1, 'actually')} {EMAIL}", **said).node.id
    memory.relate(copy, stays, tag="near", weight=0.9, reason=f"written to {EMAIL}")
    clock.go_on(days=300)
    memory.relate(stays, save(memory, 2), tag="then", weight=0.9)
    clock.go_on(days=4)
    assert [weak.node.id for weak in memory.metabolize(apply=True).removed] == [copy]
    return copy


def test_a_stricter_policy_cleans_receipts_and_what_comes_back_is_clean(memory, clock, url, execute):
    copy = mails(memory, clock)
    memory.apply_policy(json.dumps({"version": "2.0.0"}))
    assert EMAIL in str(execute(url, "select content from retired"))
    memory.reclassify()
    assert EMAIL not in str(execute(url, "select content, reason from retired"))
    assert {kind for kind, _ in receipts(execute, url)} == {"node", "edge"}, "no vector of what it said"
    memory.restore(copy)
    node = memory.get(copy)
    assert (node.title, node.metadata) == ("For [email]", {"to": ["[email]"]})
    assert "[email]" in node.content
    (edge,) = memory.relations(source_id=copy, tag="near").edges
    assert edge.reason == "written to [email]"
    memory.embed()
    assert memory.doctor().ok
    assert copy in {hit.node.id for hit in memory.search(sentence(1, "actually")).hits}


def test_what_comes_back_has_the_class_that_the_policy_now_gives_it(memory, clock, url):
    copy = mails(memory, clock)
    stricter = LAX | {"version": "2.0.0", "detect": {"email": "pii"}}
    memory.apply_policy(json.dumps(stricter))
    memory.reclassify()
    with Memory.open(url, allow=LOOKUP, clock=clock) as cleared:
        cleared.restore(copy)
        assert cleared.get(copy).boundary_class == "pii"
        assert cleared.doctor().ok
    assert EMAIL not in "".join(exported(memory))


# --- another model ----------------------------------------------------------------------------------------------------


def test_after_a_change_of_the_model_what_comes_back_waits_for_its_vector(url, clock, execute):
    with Memory.open(url, clock=clock) as memory:
        a, b = pair(memory, clock)
        run_id = run(memory)
    with Memory.open(url, embedder=Numbered(), clock=clock) as memory:
        memory.reembed()
        memory.restore(run_id=run_id)
        memory.embed()
        assert memory.doctor().ok
        models = execute(url, "select distinct model from embeddings where model in (select number from "
                              "embedding_models where state = 'active')")  # fmt: skip
        assert len(models) == 1
        found = {each.id for each in memory.vector_search("anything", target="memos", min_similarity=0).results}
        assert {a, b} <= found


def test_without_an_embedder_vectors_come_back_all_the_same(url, clock, execute):
    with Memory.open(url, clock=clock) as memory:
        pair(memory, clock)
        before = whole(execute, url)
        run_id = run(memory)
    with Memory.open(url, embedder="none", clock=clock) as memory:
        memory.restore(run_id=run_id)
    assert whole(execute, url) == before


# --- for thirty days --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["metabolize", "sweep"])
def test_receipts_are_purged_after_thirty_days_and_not_before(memory, clock, url, execute, verb):
    def upkeep(moment):
        with opened_at(url, moment) as later:
            return later.metabolize(apply=True).purged if verb == "metabolize" else later.sweep()

    a, _ = pair(memory, clock)
    run_id = run(memory)
    went = clock.now
    clock.go_on(days=16)
    young = pair(memory, clock, first=11)
    run(memory)
    kept = receipts(execute, url)
    for early in (timedelta(days=29, hours=23), timedelta(days=30)):
        upkeep(went + early)
        assert receipts(execute, url) == kept
    purged = upkeep(went + timedelta(days=30, seconds=1))
    left = receipts(execute, url)
    assert left == kept[len(kept) - len(left) :]
    assert {node_id for kind, node_id in left if kind == "node"} == set(young)
    if verb == "metabolize":
        assert purged == len(kept) - len(left)
    for gone in ({"node_id": a}, {"run_id": run_id}):
        with pytest.raises(
            NotFound, match=r"its receipt is no longer kept; \w+ '.*' stands for it|nothing to bring back"
        ):
            memory.restore(**gone)
    assert set(memory.restore(since=EVER).node_ids) == set(young)


def test_what_was_brought_back_stays_for_as_long_as_receipts_are_kept(memory, clock):
    copies = pair(memory, clock)
    run(memory)
    memory.restore(since=EVER)
    clock.go_on(days=29)
    plan = memory.metabolize(apply=True)
    assert (plan.removed, plan.spared) == ((), {"restored": 2})
    clock.go_on(days=2)
    run(memory)
    assert {weak.node.id for weak in memory.metabolize(apply=True).removed} <= set(copies)
    assert not any(is_here(memory, copy) for copy in copies)


def test_what_nothing_is_restored_from_any_more_may_go(memory, clock):
    """As long as a receipt names it, it stays: else neither of two near-copies would be left."""
    save(memory, 1, "actually"), save(memory, 1, "really")
    clock.go_on(days=4)
    assert memory.metabolize(apply=True).nodes_removed == 1
    save(memory, 1, "indeed")
    clock.go_on(days=4)
    plan = memory.metabolize(apply=True)
    assert (plan.nodes_removed, plan.spared) == (1, {"stands_in": 1})
    clock.go_on(days=31)
    save(memory, 1)
    clock.go_on(days=4)
    assert memory.metabolize(apply=True).purged > 0
    assert len(nodes_of(exported(memory))) == 1


# --- from before ------------------------------------------------------------------------------------------------------


def test_receipts_of_an_older_schema_are_kept_and_come_back(empty_url, new_url, clock, execute, monkeypatch):
    source = new_url("sqlite")
    with Memory.open(source, clock=clock) as memory:
        pair(memory, clock)
        lines = exported(memory)
        run(memory)
        stays = io.StringIO()
        memory.export(stays)
    rows = execute(source, "select kind, node_id, namespace, content from retired where kind in ('node', 'edge')")
    known = migrate.migrations
    monkeypatch.setattr(migrate, "migrations", lambda name: tuple(each for each in known(name) if each.version < 9))
    Memory.open(empty_url).close()
    for kind, node_id, namespace, content in rows:
        values = ("local", "a run", kind, node_id, namespace, content.replace("'", "''"), '{"rule":"expired"}')
        names = "owner_id, run_id, kind, node_id, namespace, content, reason, retired_at"
        moment = clock.now.strftime("%Y-%m-%dT%H:%M:%S.000000Z")
        said = ", ".join(f"'{value}'" for value in (*values, moment))
        execute(empty_url, f"insert into retired ({names}) values ({said})")
    monkeypatch.undo()
    with Memory.open(empty_url, clock=clock) as memory:
        assert memory.info().sizes["retired"] == len(rows)
        memory.import_(io.BytesIO(stays.getvalue().encode()))
        for kind, node_id, *_ in rows:
            if kind == "node":
                assert memory.restore(node_id).node_ids == (node_id,)
        memory.embed()
        assert sorted(exported(memory)) == sorted(lines)
        assert memory.doctor().ok
        assert memory.restore(since=EVER).node_ids == ()
