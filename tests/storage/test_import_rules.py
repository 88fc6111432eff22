"""Import obeys the rules of save: what an access does not see is as if it were not there."""

from __future__ import annotations

import io
from contextlib import ExitStack, contextmanager
from datetime import timedelta

import pytest
from import_for_tests import TIME, edge, exported, node, stream, task

from wherefrom import Conflict, Memory, NewClaim, NewEvidence, NewFragment, NewPage, NotFound
from wherefrom.model.identifiers import timestamp, utc_now
from wherefrom.text.check import content_hash

PII = ["answer:task", "tool:contact-lookup"]
PAGE = NewPage("https://secret.example/report", year=1999)


@contextmanager
def hiding(url, how):
    """One who sees all, one who does not, and where the first may hide something from the second."""
    with ExitStack() as opened:
        insider = opened.enter_context(Memory.open(url, allow=PII))
        if how == "class":
            yield insider, opened.enter_context(Memory.open(url)), {"boundary_class": "pii"}
        else:
            yield insider, opened.enter_context(Memory.open(url, root="main/team")), {"namespace": "main/other"}


def place(how):
    """A namespace that both see."""
    return "main" if how == "class" else "main/team"


@pytest.fixture(params=["class", "root"])
def how(request):
    return request.param


def test_a_hidden_text_is_saved_again_and_neither_knows_of_the_other(url):
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider:
        hidden = insider.save("The bridge is closed.", boundary_class="pii", title="Bridge").node
        saved = outsider.save("The bridge is closed.")
        assert (saved.status, saved.node.boundary_class, saved.node.title) == ("created", "internal", None)
        assert insider.get(hidden.id) == hidden
        assert outsider.save("The bridge is closed.").status == "duplicate"
        # Who sees both says it again in either class, and there are still two.
        assert insider.save("The bridge is closed.", boundary_class="pii").node.id == hidden.id
        assert insider.save("The bridge is closed.").node.id == saved.node.id
        assert len(insider.list().nodes) == 2


def test_a_hidden_memo_cannot_be_changed_by_its_id_and_is_as_one_that_is_missing(url):
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider:
        hidden = insider.save("The bridge is closed.", boundary_class="pii").node
        messages = []
        for memo_id in (hidden.id, "0" * len(hidden.id)):
            with pytest.raises(NotFound) as raised:
                outsider.save("mine", memo_id=memo_id)
            messages.append(str(raised.value).replace(memo_id, "ID"))
        assert messages[0] == messages[1]


def test_a_change_into_a_hidden_text_or_a_class_that_has_it(url):
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider:
        insider.save("hidden text", boundary_class="pii")
        mine = outsider.save("my text").node
        assert outsider.save("hidden text", memo_id=mine.id).status == "updated"
        with pytest.raises(Conflict, match="already has this text"):
            insider.save("hidden text", memo_id=mine.id, boundary_class="pii")


def test_an_entity_that_exists_hidden_is_made_again(url):
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider:
        insider.save("Kim came.", boundary_class="pii", entities=["Kim"])
        outsider.save("Someone came.", entities=["Kim"])
        assert [entity.title for entity in outsider.list(kind="entity").nodes] == ["Kim"]
        assert len(outsider.relations(tag="mentions").edges) == 1


def test_a_page_that_becomes_stricter_keeps_the_same_words_of_two_classes(url):
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider:
        page = outsider.add_evidence(PAGE).page.id
        insider.add_evidence(PAGE, fragments=[NewFragment("Kim said so.", position=0)], boundary_class="internal")
        fragment = next(record for record in exported(insider) if record.get("kind") == "fragment")
        insider.import_(stream({**fragment, "boundary_class": "pii", "version": 2}))
        outsider.add_evidence(PAGE, fragments=[NewFragment("Kim said so.", position=0)])
        insider.add_evidence(PAGE, boundary_class="pii")
        fragments = [record for record in exported(insider) if record.get("kind") == "fragment"]
        assert {(each["boundary_class"], each["page_id"]) for each in fragments} == {("pii", page)}
        assert sorted(each["position"] for each in fragments) == [0, 1]
        assert outsider.list(kind="fragment").nodes == ()


def test_a_namespace_moves_to_where_the_same_text_is_hidden(url):
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider:
        insider.save("same", namespace="b", boundary_class="pii")
        outsider.save("same", namespace="a")
        assert outsider.rename_namespace("a", "b").nodes == 1
        assert len(insider.list(namespace="b").nodes) == 2
        with pytest.raises(Conflict, match="1 texts"):
            insider.save("same", namespace="c")
            insider.rename_namespace("c", "b")


def test_a_text_that_is_hidden_is_imported_again(url):
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider:
        hidden = insider.save("The bridge is closed.", boundary_class="pii").node
        imported = outsider.import_(stream(node("n1", "The bridge is closed.")))
        assert (imported.nodes_created, imported.nodes_duplicate) == (1, 0)
        assert outsider.get("n1").content == hidden.content
        assert insider.get(hidden.id) == hidden


def test_an_id_that_is_taken_out_of_sight_is_replaced_in_all_that_names_it(url, how):
    with hiding(url, how) as (insider, outsider, where):
        hidden = insider.save("hidden", **where).node
        at = {"namespace": place(how)}
        records = [
            node("first", "first", superseded_by=hidden.id, **at),
            edge("first", hidden.id),
            node(hidden.id, "mine", version=9, **at),
        ]
        imported = outsider.import_(stream(*records))
        assert (imported.nodes_created, imported.edges_created, imported.rejected) == (2, 1, 0)
        mine = next(each for each in outsider.list().nodes if each.content == "mine")
        assert mine.id != hidden.id
        assert outsider.relations().edges[0].target_id == mine.id
        assert outsider.get("first").superseded_by == mine.id
        assert insider.get(hidden.id) == hidden
        again = outsider.import_(stream(*records))
        assert (again.nodes_unchanged, again.edges_unchanged, again.nodes_created) == (2, 1, 0)
        later = {**records[2], "content": "changed", "content_hash": content_hash("changed"), "version": 10}
        assert outsider.import_(stream(later)).nodes_updated == 1
        assert outsider.get(mine.id).content == "changed"


def test_a_fragment_of_a_hidden_page_is_as_one_of_a_page_that_is_missing(url, how):
    with hiding(url, how) as (insider, outsider, where):
        page = insider.add_evidence(PAGE, **where).page.id
        results = []
        for page_id in (page, "missing-page"):
            fragment = node("f", "words", kind="fragment", page_id=page_id, position=0, namespace=place(how))
            imported = outsider.import_(stream({**fragment, "domain": "x.example", "year": 5}))
            (rejection,) = imported.rejections
            results.append((imported.nodes_created, rejection.code, rejection.reason.replace(page_id, "ID")))
        assert results[0] == results[1]
        assert results[0][:2] == (0, "not_found")
        assert outsider.list(kind="fragment").nodes == ()
        # Nothing of it holds on to the page.
        assert insider.delete(page).edges_deleted == 0


def test_a_fragment_is_as_its_page_and_not_as_its_line(memory):
    page = memory.add_evidence(PAGE, boundary_class="internal").page.id
    fragment = node("f", "words", kind="fragment", page_id=page, position=0, boundary_class="public")
    memory.import_(stream({**fragment, "domain": "forged.example", "year": 5}))
    stored = memory.get("f")
    assert (stored.domain, stored.year, stored.boundary_class) == ("secret.example", 1999, "internal")
    other = memory.import_(stream({**fragment, "id": "g", "namespace": "main/elsewhere"}))
    assert "another namespace" in other.rejections[0].reason


def test_a_claim_does_not_join_a_hidden_task(url, how):
    with hiding(url, how) as (insider, outsider, where):
        hidden = insider.create_task("Who is Kim?", **where).id
        claims = [
            node("c1", "one", kind="claim", claim_kind="fact", task_id=hidden, namespace=place(how)),
            node("c2", "two", kind="claim", claim_kind="fact", task_id="missing", namespace=place(how)),
        ]
        assert outsider.import_(stream(*claims)).nodes_created == 2
        assert {outsider.get(each).task_id for each in ("c1", "c2")} == {None}
        assert insider.status(hidden).tasks[0].claims == 0


def test_a_task_with_the_id_of_a_hidden_one_becomes_another(url, how):
    with hiding(url, how) as (insider, outsider, where):
        hidden = insider.create_task("Who is Kim?", **where)
        records = [
            task(hidden.id, namespace=place(how), query="mine"),
            node("c", "text", kind="claim", claim_kind="fact", task_id=hidden.id, namespace=place(how)),
        ]
        assert outsider.import_(stream(*records)).tasks == 1
        (mine,) = outsider.status().tasks
        assert (mine.task.query, mine.task.id != hidden.id, mine.claims) == ("mine", True, 1)
        assert outsider.import_(stream(*records)).nodes_unchanged == 1
        assert insider.status(hidden.id).tasks[0].task.query == "Who is Kim?"


def test_edges_and_corrections_of_hidden_nodes_are_as_those_of_missing_ones(url, how):
    with hiding(url, how) as (insider, outsider, where):
        hidden = insider.save("hidden", claim_kind="fact", **where).node.id
        results = []
        for missing in (hidden, "missing-node"):
            correction = {
                "type": "correction",
                "action": "claim_reject",
                "claim_id": missing,
                "reason": "x",
                "at": TIME,
            }
            more = dict.fromkeys(("source_id", "relation_before", "relation_after", "confidence_before"))
            records = [node("mine", "mine", namespace=place(how)), edge("mine", missing), {**correction, **more}]
            imported = outsider.import_(stream(*records))
            results.append([(each.line, each.code, each.reason) for each in imported.rejections])
            assert imported.edges_skipped == 1
        assert results[0] == results[1]
        assert [line for line, _, _ in results[0]] == [3, 4]
        assert insider.relations().edges == ()


def test_nothing_comes_in_where_the_access_does_not_see(url):
    with Memory.open(url) as outsider, Memory.open(url, allow=PII) as insider:
        records = [node("n1", "one", boundary_class="pii"), task("t1", boundary_class="pii"), node("n2", "two")]
        imported = outsider.import_(stream(*records))
        assert [(each.line, each.id, each.code) for each in imported.rejections] == [
            (2, "n1", "boundary_denied"),
            (3, "t1", "boundary_denied"),
        ]
        assert (imported.nodes_created, imported.nodes_denied, imported.tasks) == (1, 1, 0)
        assert [each.id for each in insider.list().nodes] == ["n2"]


def test_a_class_only_goes_up_by_an_import(url):
    with Memory.open(url, allow=PII) as memory:
        memory.import_(stream(node("n1", "one", boundary_class="pii"), node("n2", "two")))
        memory.import_(stream(node("n1", "new one", boundary_class="public", version=2)))
        assert (memory.get("n1").content, memory.get("n1").boundary_class) == ("new one", "pii")
        # The same text in another class is another memo.
        assert memory.import_(stream(node("n3", "two", boundary_class="pii"))).nodes_created == 1
        assert memory.get("n2").boundary_class == "internal"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"created_at": "2999-01-01T00:00:00Z"}, "future"),
        ({"recency_anchor": "2999-01-01T00:00:00Z"}, "future"),
        ({"page_id": "p1"}, "a memo has no page_id"),
        ({"task_id": "t1"}, "a memo has no task_id"),
        ({"domain": "x.example"}, "a memo has no domain"),
        ({"claim_kind": "fact"}, "a memo has no claim_kind"),
        ({"kind": "claim", "content": "x" * 5000}, "4,096"),
        ({"kind": "fragment", "content": "x" * 20_000}, "16,384"),
        ({"kind": "entity", "content": "x" * 201}, "200"),
        ({"kind": "page", "content": "no url"}, "absolute URL"),
        ({"kind": "fragment", "provenance": {"url": "call +81 90-1234-5678"}}, "absolute URL"),
        ({"title": "x" * 301}, "300"),
        ({"metadata": {"a": "x" * 20_000}}, "16,384"),
        ({"confidence": 2}, "outside 0..1"),
        ({"namespace": "main/AKIAQ3EGRZ7VNH2KD5TM"}, "secret"),
        ({"id": "AKIAQ3EGRZ7VNH2KD5TM"}, "secret"),
    ],
)
def test_what_save_would_not_store_is_rejected(sqlite_memory, values, reason):
    record = {**node("n1", "text"), **values}
    record["content_hash"] = content_hash(record["content"])
    imported = sqlite_memory.import_(stream(record))
    assert (imported.nodes_created, imported.rejected) == (0, 1)
    assert reason in imported.rejections[0].reason


def test_a_scope_ends_no_later_than_one_that_is_saved_now(memory):
    soon = timestamp(utc_now() + timedelta(days=1))
    memory.import_(stream(node("n1", "one", scope="session"), node("n2", "two", scope="session", expires_at=soon)))
    saved = memory.save("three", scope="session").node
    assert memory.get("n1").expires_at <= saved.expires_at
    assert memory.get("n2").expires_at == soon


def test_a_claim_that_was_judged_keeps_its_words(memory):
    added = memory.add_evidence(
        PAGE,
        fragments=[NewFragment("It flows north.")],
        claims=[NewClaim("It flows north.", evidence=[NewEvidence(relation="supports", confidence=0.9, fragment=0)])],
    )
    claim = next(record for record in exported(memory) if record.get("id") == added.claims[0].id)
    changed = {**claim, "content": "It flows south.", "content_hash": content_hash("It flows south."), "version": 9}
    imported = memory.import_(stream(changed))
    assert (imported.nodes_updated, imported.rejections[0].code) == (0, "conflict")
    assert memory.get(claim["id"]).content == "It flows north."


def test_evidence_comes_back_exactly_as_the_same_access_exported_it(url, new_url):
    with Memory.open(url, allow=PII) as memory, Memory.open(new_url("sqlite"), allow=PII) as copy:
        task_id = memory.create_task("rivers").id
        memory.add_evidence(
            NewPage("https://www.rivers.example/nile", title="Nile", year=2001, cites=["https://other.example/a"]),
            fragments=[NewFragment("It flows north."), NewFragment("Kim: +81 90-1234-5678")],
            claims=[
                NewClaim("It flows north.", evidence=[NewEvidence(relation="supports", confidence=0.9, fragment=0)])
            ],
            task_id=task_id,
            boundary_class="pii",
        )
        memory.save("for a week", scope="session", pinned=True, entities=["Nile"])
        older, newer = memory.save("older").node.id, memory.save("newer").node.id
        memory.feedback(older, "duplicate", duplicate_of=newer)
        before = exported(memory)
        imported = copy.import_(stream(*before))
        assert imported.rejected == 0
        assert exported(copy) == before
        assert copy.import_(stream(*reversed(before))).nodes_created == 0
        assert exported(copy) == before


def test_a_reference_servers_file_obeys_the_same_rules(url):
    lines = (
        '{"type":"entity","name":"Ada","observations":["born 1815"]}\n{"type":"entity","name":"Bob","observations":[]}'
    )
    with Memory.open(url, allow=PII) as insider, Memory.open(url) as outsider, Memory.open(url, allow=["x"]) as nobody:
        insider.import_(io.StringIO(lines))
        ada = next(each for each in exported(insider) if each["title"] == "Ada")
        insider.save(ada["content"], memo_id=ada["id"], boundary_class="pii")
        imported = outsider.import_(io.StringIO(lines))
        assert (imported.nodes_created, imported.nodes_unchanged) == (1, 1)
        assert {each.title for each in outsider.list().nodes} == {"Ada", "Bob"}
        assert outsider.import_(io.StringIO(lines)).nodes_unchanged == 2
        assert [each.code for each in nobody.import_(io.StringIO(lines)).rejections] == ["boundary_denied"] * 2


def test_one_text_in_two_classes_comes_back_as_two(url, new_url):
    """One of them became the other's alias, and whoever sees the open class only lost the memo."""
    with Memory.open(url, allow=PII) as memory, Memory.open(url) as outsider:
        memory.save("The bridge is closed.", boundary_class="pii")
        outsider.save("The bridge is closed.", boundary_class="public")
        memory.export(lines := io.StringIO())
    copy = new_url("sqlite")
    with Memory.open(copy, allow=PII) as other, Memory.open(copy) as outsider:
        for _ in range(2):
            other.import_(io.StringIO(lines.getvalue()))
            assert sorted(node.boundary_class for node in other.list().nodes) == ["pii", "public"]
        assert [node.boundary_class for node in outsider.list().nodes] == ["public"]


def test_a_memo_changes_by_import_beside_its_twin_in_another_class(url):
    with Memory.open(url, allow=PII) as memory:
        memory.import_(stream(node("twin-one", "closed", boundary_class="pii"), node("twin-two", "closed")))
        result = memory.import_(stream(node("twin-two", "closed", title="Bridge", version=2)))
        assert (result.nodes_updated, result.rejected) == (1, 0)
        assert memory.get("twin-two").title == "Bridge"


@pytest.mark.parametrize("classes", [("pii", "internal"), ("internal", "pii")])
def test_a_page_that_is_named_twice_has_the_strictest_class(url, classes):
    address = "https://rivers.example/nile"
    with Memory.open(url, allow=PII) as memory:
        page = {"kind": "page", "domain": "rivers.example"}
        memory.import_(stream(node("page-0", address, boundary_class="public", **page)))
        memory.import_(stream(*(node(f"page-{each}", address, boundary_class=each, **page) for each in classes)))
        assert memory.query_graph("select boundary_class from pages", timeout_ms=2_000).rows == (("pii",),)
