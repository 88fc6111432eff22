"""Forgetting: a plan of what fits, exactly that let go and restored; and erased so that no byte of it is left."""

from __future__ import annotations

import shutil
from contextlib import closing

import apsw
import numpy as np
import psycopg
import pytest
from embedders_for_tests import Numbered
from forgetting_for_tests import JAPANESE, MARK, files_of, fill, found_in, marks

from wherefrom import BoundaryDenied, Gone, InvalidInput, Memory, NotFound
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.model import limits
from wherefrom.storage import vector_index

FOR_GOOD = {"for_good": True}


def titles(plan):
    return [entry.node.title for entry in plan.nodes]


def ids_of(plan):
    return {entry.node.id for entry in plan.nodes}


def forget(memory, *words, **given):
    """Forget all that fits."""
    return memory.forget(*words, **given, apply=True, plan=memory.forget(*words, **given).plan)


def page(memory, url, *fragments, claim=None, title=None, namespace=None):
    """A page with fragments, and a claim that the first of them supports."""
    return memory.add_evidence(
        page=NewPage(url, title),
        fragments=[NewFragment(text) for text in fragments],
        claims=[NewClaim(claim, evidence=[NewEvidence("supports", fragment=0)])] if claim else [],
        namespace=namespace,
    )


# --- what fits --------------------------------------------------------------------------------------------------------


def test_something_must_be_named(memory):
    with pytest.raises(InvalidInput, match="what to forget is not clear"):
        memory.forget()
    with pytest.raises(InvalidInput, match="what to forget is not clear"):
        memory.forget(namespace="team", for_good=True)


def test_by_a_query_with_its_relevance(memory):
    wanted = memory.save("Kim's birthday is on 4 May.").node.id
    memory.save("The soak test takes six hours.")
    plan = memory.forget("birthday of Kim")
    assert ids_of(plan) == {wanted}
    assert plan.nodes[0].relevance == pytest.approx(1, abs=0.2)
    assert plan.state == "planned"
    assert memory.get(wanted), "a plan changes nothing"
    assert len(memory.forget("birthday of Kim", min_relevance=0).nodes) >= 1
    assert memory.forget("a wholly different matter", min_relevance=0.9).nodes == ()


def test_a_query_finds_what_was_replaced_as_well(memory):
    old = memory.save("The office is in Hamburg.", slot="office").node.id
    new = memory.save("The office is in Berlin.", slot="office").node.id
    assert ids_of(memory.forget("office")) == {old, new}


def test_by_an_entity_with_all_that_mentions_it(memory):
    about = memory.save("She likes tea.", entities=["Kim Lee"]).node.id
    says = memory.save("Then Kim Lee came in.").node.id
    memory.save("Lee Marvin came in.")
    (entity,) = [node.id for node in memory.list(kind="entity").nodes]
    assert ids_of(memory.forget(entity="Kim Lee")) == {about, says, entity}
    assert ids_of(memory.forget(entity="kim lee")) == {about, says, entity}
    assert ids_of(memory.forget(entity=entity)) == {about, says, entity}
    assert memory.forget(entity="Nobody Known").nodes == ()


def test_by_a_name_that_no_entity_has(memory):
    says = memory.save("Then Quartz Hall burned down.").node.id
    memory.save("Quartz is a stone.")
    assert ids_of(memory.forget(entity="Quartz Hall")) == {says}


def test_an_entity_of_more_mentions_than_are_linked(memory):
    memory.save("It begins.", entities=["Kim Lee"])
    says = {memory.save(f"Kim Lee said {number}.").node.id for number in range(210)}
    assert says < ids_of(memory.forget(entity="Kim Lee"))


@pytest.mark.parametrize(
    "source",
    ["https://www.example.org/report", "https://www.example.org/report#part", "example.org", "www.EXAMPLE.org"],
)
def test_by_a_source_with_what_only_it_says(memory, source):
    alone = page(memory, "https://www.example.org/report", "It leaks.", "It does.", claim="The tank leaks.")
    both = page(memory, "https://www.example.org/report", "It rusts.", claim="The tank rusts.")
    page(memory, "https://other.net/", "It rusts, too.", claim="The tank rusts.")
    noted = memory.save("Read it.", provenance={"url": "https://www.example.org/report"}).node.id
    memory.save("Not from there.", provenance={"url": "https://notexample.org/report"})
    plan = memory.forget(source=source)
    fragments = {found.id for found in (*alone.fragments, *both.fragments)}
    assert ids_of(plan) == {alone.page.id, *fragments, alone.claims[0].id, noted}
    assert both.claims[0].id not in ids_of(plan)


@pytest.mark.parametrize("source", ["The Long Report", "the long report", "report.pdf", "papers/report.pdf"])
def test_by_the_title_or_the_file_of_a_source(memory, source):
    here = {"source_title": "The Long Report", "file": "papers/report.pdf"}
    wanted = memory.save("Read it.", provenance=here).node.id
    memory.save("And another.", provenance={"file": "papers/longreport.pdf"})
    assert ids_of(memory.forget(source=source)) == {wanted}


def test_a_domain_has_those_below_it(memory):
    wanted = memory.save("Read it.", provenance={"url": "https://docs.example.org/x"}).node.id
    assert ids_of(memory.forget(source="example.org")) == {wanted}
    assert memory.forget(source="ocs.example.org").nodes == ()


def test_by_the_time_in_which_it_was_observed(memory):
    old, new = (
        memory.save(f"In {year}.", observed_at=str(year), entities=["Kim Lee"]).node.id for year in (2020, 2024)
    )
    assert ids_of(memory.forget(until="2020")) == {old}
    assert ids_of(memory.forget(since="2021", until="2025")) == {new}
    assert ids_of(memory.forget(since="2019", until="2025")) == {old, new}


def test_all_that_is_given_must_hold(memory):
    old = memory.save("Kim Lee was here.", observed_at="2020", entities=["Kim Lee"]).node.id
    memory.save("Kim Lee is here again.", observed_at="2024")
    memory.save("Nobody was here.", observed_at="2020")
    assert ids_of(memory.forget(entity="Kim Lee", until="2020")) == {old}
    assert ids_of(memory.forget("here", entity="Kim Lee", until="2020", ids=[old])) == {old}
    assert memory.forget(entity="Kim Lee", source="example.org").nodes == ()


def test_by_ids_whatever_the_namespace(memory):
    here, there = (memory.save("Here.", namespace=place).node.id for place in ("a", "b"))
    assert ids_of(memory.forget(ids=[here[-8:], there])) == {here, there}
    assert ids_of(memory.forget("here", namespace="a")) == {here}
    with pytest.raises(NotFound):
        memory.forget(ids=[here], namespace="b")
    with pytest.raises(NotFound):
        memory.forget(ids=["no-such-node"])


def test_a_page_goes_with_all_its_fragments_or_not_at_all(memory):
    added = page(memory, "https://example.org/", "It leaks.", "It rusts.")
    assert ids_of(memory.forget(ids=[added.page.id])) == {added.page.id, *(piece.id for piece in added.fragments)}
    assert ids_of(memory.forget(ids=[added.page.id], entity="It")) == set()
    first = added.fragments[0].id
    assert ids_of(memory.forget("leaks", ids=[added.page.id])) == {first}


def test_a_plan_says_what_goes_with_it(memory):
    first = memory.save("First.", title="One", provenance={"actor": "Kim"}).node.id
    memory.save("First, changed.", memo_id=first)
    second = memory.save("Second.").node.id
    memory.relate(first, second, tag="near", weight=0.5)
    plan = memory.forget(ids=[first, second])
    assert (plan.links, plan.versions, plan.truncated) == (1, 1, False)
    assert [(entry.node.kind, entry.node.title, entry.source) for entry in plan.nodes] == [
        ("memo", "One", "by Kim"),
        ("memo", "Second.", None),
    ]


def test_a_plan_is_bounded_and_says_so(memory, monkeypatch):
    monkeypatch.setattr(limits, "FORGOTTEN", 3)
    for number in range(5):
        memory.save(f"Note {number}.")
    plan = memory.forget(since="2000")
    assert (len(plan.nodes), plan.truncated) == (3, True)
    assert "more fit" in plan.note
    forget(memory, since="2000")
    assert (len(memory.forget(since="2000").nodes), len(memory.list().nodes)) == (2, 2)


# --- let go, and restored ---------------------------------------------------------------------------------------------


def test_exactly_the_plan_is_forgotten_and_comes_back(memory):
    about = memory.save("She likes tea.", entities=["Kim Lee"]).node.id
    other = memory.save("The soak test takes six hours.").node.id
    memory.relate(about, other, tag="near", weight=0.5, reason="why not")
    plan = memory.forget(entity="Kim Lee")
    done = memory.forget(entity="Kim Lee", apply=True, plan=plan.plan)
    assert (done.state, ids_of(done), done.links) == ("forgotten", ids_of(plan), 2)
    with pytest.raises(Gone, match="it was to be forgotten"):
        memory.get(about)
    assert memory.search("tea").hits == ()
    said = [entry for entry in memory.history().items if entry.topic == "retire"]
    assert {entry.node_id for entry in said} == ids_of(plan)
    assert all(entry.text.startswith("forgot '") and entry.restorable_until for entry in said)
    back = memory.restore(run_id=done.run_id)
    assert (set(back.node_ids), back.links) == (ids_of(plan), 2)
    assert memory.get(about).content == "She likes tea."
    assert memory.forget(entity="Kim Lee").plan == plan.plan


def test_former_versions_come_back_too(memory, url, execute):
    first = memory.save("First.").node.id
    memory.save("Changed.", memo_id=first)
    before = execute(url, "select * from node_versions")
    done = forget(memory, ids=[first])
    assert execute(url, "select * from node_versions") == []
    memory.restore(run_id=done.run_id)
    assert execute(url, "select * from node_versions") == before != []


def test_a_statement_whose_slot_was_taken_stays_away(memory):
    first = memory.save("The office is in Hamburg.", slot="office").node.id
    done = forget(memory, ids=[first])
    memory.save("The office is in Berlin.", slot="office")
    assert memory.restore(run_id=done.run_id).skipped == {first: "another node has its slot"}


def test_apply_needs_a_plan(memory):
    kept = memory.save("Kept.").node.id
    with pytest.raises(InvalidInput, match="must have been shown"):
        memory.forget(ids=[kept], apply=True)


@pytest.mark.parametrize("for_good", [False, True])
def test_nothing_is_forgotten_if_another_set_fits_by_now(memory, for_good):
    first = memory.save("Kim Lee came.", entities=["Kim Lee"]).node.id
    plan = memory.forget(entity="Kim Lee", for_good=for_good)
    second = memory.save("Kim Lee went.").node.id
    refused = memory.forget(entity="Kim Lee", for_good=for_good, apply=True, plan=plan.plan)
    assert (refused.state, refused.ok) == ("changed", False)
    assert {first, second} < ids_of(refused)
    assert memory.get(first)
    assert memory.forget(entity="Kim Lee", for_good=for_good, apply=True, plan=refused.plan).ok


def test_another_version_is_another_plan_and_so_is_for_good(memory):
    first = memory.save("First.").node.id
    plan = memory.forget(ids=[first])
    assert memory.forget(ids=[first], for_good=True, apply=True, plan=plan.plan).state == "changed"
    memory.save("Changed.", memo_id=first)
    assert memory.forget(ids=[first], apply=True, plan=plan.plan).state == "changed"


def test_an_empty_plan_can_be_applied(memory):
    assert forget(memory, since="2000").nodes == ()
    assert forget(memory, since="2000", for_good=True).state == "erased"


# --- the boundary -----------------------------------------------------------------------------------------------------


def test_only_what_may_be_seen_and_written_as_a_whole(open_memory):
    owner = open_memory(root="org", allow=("answer:task", "tool:contact-lookup"))
    secret = owner.save("Kim Lee is ill.", entities=["Kim Lee"], boundary_class="pii", namespace="team").node.id
    plain = owner.save("Kim Lee is here.", namespace="team").node.id
    outside = owner.save("Kim Lee is there.", namespace="other").node.id
    agent = open_memory(root="org/team", also=["org/other"], allow=("answer:task",))
    plan = agent.forget(entity="Kim Lee")
    assert ids_of(plan) == {plain}
    for hidden in (secret, outside):
        with pytest.raises((NotFound, BoundaryDenied)):
            agent.forget(ids=[hidden])
    forget(agent, entity="Kim Lee", for_good=True)
    assert owner.get(secret)
    assert owner.get(outside)


def test_a_page_with_a_hidden_fragment_stays(open_memory, url, execute):
    owner = open_memory(root="org", allow=("answer:task", "tool:contact-lookup"))
    added = page(owner, "https://example.org/", "It leaks.", "It rusts.", namespace="team")
    hidden = added.fragments[1].id
    execute(url, f"update nodes set boundary_class = 'pii' where id = '{hidden}'")
    agent = open_memory(root="org/team", allow=("answer:task",))
    assert ids_of(agent.forget(source="example.org")) == {added.fragments[0].id}


def test_relations_that_are_hidden_are_not_counted(open_memory):
    owner = open_memory(root="org", allow=("answer:task", "tool:contact-lookup"))
    plain = owner.save("Plain.", namespace="team").node.id
    for place, given in (("team", {"boundary_class": "pii"}), ("other", {})):
        owner.relate(plain, owner.save("Hidden.", namespace=place, **given).node.id, tag="near", weight=0.5)
    agent = open_memory(root="org/team", allow=("answer:task",))
    assert agent.forget(ids=[plain]).links == 0
    assert owner.forget(ids=[plain]).links == 2


def test_a_further_root_may_only_be_read(open_memory):
    open_memory(root="org").save("Kept.", namespace="other")
    agent = open_memory(root="org/team", also=["org/other"])
    with pytest.raises(BoundaryDenied):
        agent.forget("kept", namespace="org/other")


# --- for good ---------------------------------------------------------------------------------------------------------


def test_no_byte_is_left(url, execute, cluster):
    if cluster is not None:  # tests/citus reads the files of all servers
        return
    with Memory.open(url) as memory:
        ids = fill(memory, url, execute)
        vector = execute(
            url,
            "select vector from embeddings e join nodes n on n.owner_id = e.owner_id and n.seq = e.node_seq"
            f" where n.id = '{ids[0]}'",
        )
        vector = _numbers(vector[0][0])
        before = {name for name, _ in found_in(files_of(url, execute), marks(vector=vector))}
        assert before == {MARK, JAPANESE, "escaped", "vector"}, "they can be found"
        # Receipts of a node, and of relations to one that is erased later.
        forget(memory, ids=[ids[0]])
        memory.restore(ids[0])
        forget(memory, ids=[ids[1]])
        plan = memory.forget(ids=ids, for_good=True)
        done = memory.forget(ids=ids, for_good=True, apply=True, plan=plan.plan)
        assert (done.state, ids_of(done)) == ("erased", ids_of(plan))
        assert set(ids) < ids_of(done)
        assert any("backups" in what for what in done.left)
        assert found_in(files_of(url, execute), marks(vector=vector)) == set()
        assert len(memory.list().nodes) == 1, "the other stays"
        assert memory.search("lantern").hits
        assert memory.doctor().ok
    assert found_in(files_of(url, execute), marks(vector=vector)) == set()


def _numbers(vector):
    if isinstance(vector, bytes):
        return np.frombuffer(vector, dtype="<f4")
    return [float(number) for number in str(vector).strip("[]").split(",")]


def test_what_is_erased_is_only_known_to_have_been(memory):
    first = memory.save("First.", title="One").node.id
    done = forget(memory, ids=[first], for_good=True)
    assert [entry.node.title for entry in done.nodes] == [None]
    (entry,) = memory.history(first).items
    assert entry.text == f"erased {first[-8:]} for good, with its history"
    assert memory.history(first).about.state == "deleted"
    with pytest.raises(NotFound):
        memory.restore(first)
    with pytest.raises(NotFound):
        memory.get(first)


def test_without_a_vacuum_the_report_says_so(memory):
    done = forget(memory, ids=[memory.save("First.").node.id], for_good=True, vacuum=False)
    assert "not vacuumed" in done.left[0]


def test_what_was_let_go_before_can_be_erased_and_again(memory, url, execute):
    added = page(memory, f"https://example.org/{MARK}", f"Fragment {MARK}.")
    forget(memory, source=f"https://example.org/{MARK}")
    plan = memory.forget(ids=[added.page.id], for_good=True)
    assert ids_of(plan) == {added.page.id, added.fragments[0].id}
    with pytest.raises(Gone):
        memory.forget(ids=[added.page.id])
    forget(memory, ids=[added.page.id], for_good=True)
    assert found_in(files_of(url, execute), marks()) == set()
    again = memory.forget(ids=[added.page.id], for_good=True)
    assert (again.nodes, again.state) == ((), "planned")


def test_others_who_read_the_file_are_waited_for_and_not_broken(sqlite_store, tmp_path, monkeypatch, execute):
    monkeypatch.setenv("WHEREFROM_BUSY_TIMEOUT_MS", "200")
    path = str(shutil.copy(sqlite_store, tmp_path / "memory.db"))
    with Memory.open(path) as memory, closing(apsw.Connection(path)) as other:
        first = memory.save(f"Text {MARK}").node.id
        other.execute("begin")
        assert other.execute("select count(*) from nodes").fetchall() == [(1,)]
        done = forget(memory, ids=[first], for_good=True)
        assert "others are reading" in done.left[0]
        assert other.execute("select content from nodes").fetchall() == [(f"Text {MARK}",)]
        other.execute("commit")
        assert other.execute("select count(*) from nodes").fetchall() == [(0,)]
        assert "others" not in forget(memory, ids=[first], for_good=True).left[0]
        assert found_in(tmp_path, marks()) == set()


def test_the_cache_of_vectors_goes_too(sqlite_store, tmp_path, monkeypatch):
    monkeypatch.setattr(vector_index, "CODED_FROM", 10)
    path = shutil.copy(sqlite_store, tmp_path / "memory.db")
    with Memory.open(path, embedder=Numbered()) as memory:
        ids = [memory.save(f"Note {number}.").node.id for number in range(30)]
        memory.embed()
    with Memory.open(path, embedder=Numbered()) as memory:  # an index that is built while nobody writes is cached
        memory.vector_search("Note 3.", target="memos")
        assert list(tmp_path.glob("memory.db-vectors*"))
        forget(memory, ids=[ids[3]], for_good=True)
        assert not list(tmp_path.glob("memory.db-vectors*"))
        assert ids[3] not in {found.id for found in memory.vector_search("Note 3.", target="memos").results}


def test_a_locked_table_is_reported(new_url, monkeypatch):
    url = new_url("postgres")
    monkeypatch.setenv("WHEREFROM_BUSY_TIMEOUT_MS", "300")
    with Memory.open(url) as memory, psycopg.connect(url) as other:
        first = memory.save("First.").node.id
        plan = memory.forget(ids=[first], for_good=True)
        other.execute("lock table names in access share mode")
        done = memory.forget(ids=[first], for_good=True, apply=True, plan=plan.plan)
        assert "others kept a table locked" in done.left[0]
        assert any("write-ahead log" in what for what in done.left)
        with pytest.raises(NotFound):
            memory.get(first)
