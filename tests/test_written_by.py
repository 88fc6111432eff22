"""Who wrote a node: stored from the key, never from the input; shown, kept, and looked for."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from talking_for_tests import wherefrom

from wherefrom import InvalidInput, NewClaim, NewEvidence, NewFragment, NewPage, Store
from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.shape import Lean

RULE = {"claim_kind": "policy_hint"}


@pytest.fixture
def store(url, clock):
    with Store.open(url, clock=clock) as opened:
        yield opened


@pytest.fixture
def anna(store):
    return store.memory_of(store.caller_of(store.memory().create_key("anna", role="admin").secret))


@pytest.fixture
def ben(store):
    return store.memory_of(store.caller_of(store.memory().create_key("ベン", role="admin").secret))


def exported(memory):
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue()


def imported(memory, text):
    return memory.import_(io.StringIO(text))


def writers(memory, node_id):
    return [(version.version, version.written_by) for version in memory.history(node_id).about.versions]


def test_a_save_keeps_the_name_of_its_key(store, anna, ben):
    saved = anna.save("The bridge opens at nine.", entities=["bridge"])
    assert saved.node.written_by == "anna"
    assert ben.get(saved.node.id) == saved.node
    (entity,) = ben.list(kind="entity").nodes
    assert entity.written_by == "anna"
    assert store.memory().save("Without a key.").node.written_by is None


def test_evidence_and_documents_keep_it_too(anna, tmp_path):
    anna.add_evidence(
        NewPage("https://example.org/yeast", title="On yeast"),
        fragments=[NewFragment("Yeast is quickest at 28 degrees.")],
        claims=[NewClaim("Yeast likes 28 degrees.", evidence=[NewEvidence("supports", fragment=0)])],
    )
    note = tmp_path / "note.md"
    note.write_text("# Bridge\n\nThe bridge opens at nine.\n")
    anna.add_documents([str(note)])
    found = [node for kind in ("page", "fragment", "claim") for node in anna.list(kind=kind).nodes]
    assert len(found) >= 5
    assert {node.written_by for node in found} == {"anna"}


def test_each_version_has_its_writer(store, anna, ben, clock):
    node = anna.save("The bridge opens at nine.", title="Bridge").node
    clock.now += timedelta(minutes=1)
    assert ben.save("The bridge opens at eight.", memo_id=node.id).node.written_by == "ベン"
    clock.now += timedelta(minutes=1)
    store.memory().save("The bridge opens at seven.", memo_id=node.id)
    assert writers(anna, node.id) == [(3, None), (2, "ベン"), (1, "anna")]
    assert anna.get(node.id, version=1).written_by == "anna"
    clock.now += timedelta(minutes=1)
    anna.restore(node.id, version=2)
    assert anna.get(node.id).written_by == "ベン", "who restores a text has not written it"


def test_who_says_the_same_again_writes_only_what_that_changes(anna, ben):
    node = anna.save("The bridge opens at nine.").node
    again = ben.save("The bridge opens at nine.")
    assert (again.status, again.node.id, again.node.written_by) == ("duplicate", node.id, "anna")
    changed = ben.save("The bridge opens at nine.", metadata={"approved": "yes"})
    assert (changed.node.id, changed.node.written_by) == (node.id, "ベン"), "or anna would have approved it"
    assert writers(anna, node.id) == [(2, "ベン"), (1, "anna")]


def test_to_end_judge_or_confirm_is_not_to_write(anna, ben, clock):
    old = anna.save("The bridge opens at nine.", slot="bridge/opens").node
    clock.now += timedelta(minutes=1)
    ben.save("The bridge opens at eight.", slot="bridge/opens")
    assert ben.get(old.id).valid_to is not None
    assert ben.get(old.id).written_by == "anna"
    assert ben.feedback(old.id, "helpful").node.written_by == "anna"
    rule = anna.save("Answer in German.", **RULE).node
    text = exported(anna)
    anna.delete(rule.id)
    imported(anna, text)
    assert anna.rules().rules == ()
    assert [node.written_by for node in ben.confirm_rules([rule.id]).rules] == ["anna"]


def test_no_input_sets_it(anna):
    with pytest.raises(TypeError):
        anna.save("The bridge opens at nine.", written_by="ben")
    node = anna.save("It opens at nine.", metadata={"written_by": "ben"}, provenance={"written_by": "ben"}).node
    assert node.written_by == "anna"
    assert anna.save("It opens.", memo_id=node.id, metadata={"imported_from": "ben"}).node.imported_from is None


def test_an_import_is_written_by_whoever_imports(new_url, url, anna, ben, clock):
    first = anna.save("The bridge opens at nine.").node
    ben.save("The bridge opens at eight.", memo_id=first.id)
    stream = exported(anna)
    lines = [json.loads(line) for line in stream.splitlines()]
    assert {line["written_by"] for line in lines if line["type"] in ("node", "version")} == {"anna", "ベン"}
    dialect = "postgres" if url.startswith("postgresql") else "sqlite"
    with Store.open(new_url(dialect), clock=clock) as other, Store.open(new_url(dialect), clock=clock) as third:
        carl = other.memory(written_by="carl")
        imported(carl, stream)
        now = carl.get(first.id)
        assert (now.written_by, now.imported_from) == ("carl", "ベン")
        former = carl.get(first.id, version=1)
        assert (former.written_by, former.imported_from) == ("carl", "anna")
        assert imported(carl, stream).nodes_updated == 0
        plain = third.memory()
        imported(plain, exported(carl))
        carried = plain.get(first.id)
        assert (carried.written_by, carried.imported_from) == (None, "ベン"), "the first writer, not the carrier"
        clock.now += timedelta(minutes=1)
        assert plain.save("It opens at seven.", memo_id=first.id).node.imported_from is None


def test_an_import_of_a_later_version_is_written_by_whoever_imports(anna, ben, clock):
    node = anna.save("The bridge opens at nine.").node
    text = exported(anna)
    line = next(json.loads(line) for line in text.splitlines() if '"type":"node"' in line)
    line |= {"version": 2, "title": "Bridge", "written_by": "anna"}
    imported(ben, text.splitlines()[0] + "\n" + json.dumps(line))
    now = anna.get(node.id)
    assert (now.version, now.written_by, now.imported_from) == (2, "ベン", "anna")


@pytest.mark.parametrize("wrong", ["", "a\nb", "x" * 129, 7, ["anna"]])
def test_a_file_with_a_wrong_writer_is_refused(anna, wrong):
    anna.save("The bridge opens at nine.")
    header, line = exported(anna).splitlines()
    for field in ("written_by", "imported_from"):
        result = imported(anna, header + "\n" + json.dumps({**json.loads(line), field: wrong}))
        assert len(result.rejections) == 1


def test_exports_of_before_can_be_read(anna):
    node = anna.save("The bridge opens at nine.").node
    header, line = exported(anna).splitlines()
    values = json.loads(line)
    del values["written_by"], values["imported_from"]
    anna.delete(node.id)
    imported(anna, header + "\n" + json.dumps(values))
    assert (anna.get(node.id).written_by, anna.get(node.id).imported_from) == ("anna", None)


def test_what_comes_back_from_a_receipt_has_its_writer(anna, ben):
    ben.save("Feed the starter twice a day above 24 degrees.", title="Starter")
    gone = anna.save("Feed the starter twice a day above 24 degrees!").node
    plan = ben.metabolize(apply=True, protection_hours=0)
    assert plan.nodes_removed == 1
    ben.restore(gone.id)
    assert {node.written_by for node in ben.list().nodes} == {"anna", "ベン"}
    assert ben.get(gone.id).written_by == "anna"


def test_lists_and_searches_take_a_writer(store, anna, ben):
    mine = anna.save("The bridge opens at nine.").node
    theirs = ben.save("The bridge closes at ten.").node
    store.memory().save("The bridge is green.")
    memory = store.memory()
    assert memory.list(written_by="anna").nodes == (mine,)
    assert memory.list(written_by="ベン", kind="memo").nodes == (theirs,)
    assert memory.list(written_by="nobody").nodes == ()
    assert len(memory.list().nodes) == 3
    for graph in (False, True):
        found = memory.search("bridge", written_by="anna", graph=graph)
        assert [hit.node.id for hit in found.hits] == [mine.id]
        assert [item.node.id for item in memory.activate("bridge", written_by="ベン", graph=graph).items] == [theirs.id]
    assert len(memory.search("bridge").hits) == 3
    assert memory.search("bridge", written_by="nobody").hits == ()
    with pytest.raises(InvalidInput, match="written_by"):
        memory.list(written_by="a\nb")


def test_agents_read_it_in_sql(anna):
    anna.save("The bridge opens at nine.")
    anna.save("The bridge is green.", claim_kind="fact")
    for table in ("memos", "claims"):
        result = anna.query_graph(f"select written_by, imported_from from {table}")
        assert [tuple(row) for row in result.rows] == [("anna", None)]


def test_answers_show_it_when_there_is_one(store, anna):
    node = anna.save("We chose PostgreSQL for the pool.").node
    plain = store.memory().save("The harbour is green.").node
    found, lean = anna.search("which database pool"), Lean("main")
    assert value_of(found, "main", lean=lean)["items"][0]["written_by"] == "anna"
    assert value_of(anna.list(), "main", lean=lean)["items"][1]["written_by"] == "anna"
    assert value_of(node, "main", lean=lean)["written_by"] == "anna"
    assert "written_by" not in value_of(plain, "main", lean=lean)
    assert value_of(plain, "main")["written_by"] is None


def test_a_long_name_does_not_make_an_item_longer(store):
    memory = store.memory(written_by="n" * 128)
    memory.save("The bridge opens at nine.", provenance={"url": "https://example.org/a/long/address"})
    (item,) = value_of(memory.search("bridge opens"), "main", lean=Lean("main"))["items"]
    assert "written_by" not in item


def test_people_see_it(url, store, anna, ben, clock):
    node = anna.save("The bridge opens at nine.").node
    clock.now += timedelta(minutes=1)
    ben.save("The bridge opens at eight.", memo_id=node.id)
    assert "written by ベン" in wherefrom(url, "get", node.id)
    assert "version 1 by anna" in wherefrom(url, "history", node.id)
    assert "opens at eight" in wherefrom(url, "list", "--written-by", "ベン")
    assert "opens at eight" not in wherefrom(url, "list", "--written-by", "anna")
