"""Evidence that must not be lost, changed or shown: each test is named after a fault that there once was."""

from __future__ import annotations

import io
import json

import pytest
from policies_for_tests import LAX

from wherefrom import BoundaryDenied, Conflict, Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage, NewQuery

EMAIL = "kim.lee" + "@" + "example.org"
SECRET = "ghp" + "_" + "aB3" * 12
ALLOW = ["answer:task", "tool:*", "tool:contact-lookup"]
PAGE = NewPage("https://rivers.example/nile", year=2020)
STRICT = """
version: 2.0.0
boundary_classes:
  pii: {redact: [email]}
detect: {email: pii}
"""


def judged(memory, relation="supports", text="The Nile floods.", **more):
    evidence = [NewEvidence(relation, fragment=0, confidence=0.4)]
    return memory.add_evidence(
        PAGE, fragments=[NewFragment("It floods in summer.")], claims=[NewClaim(text, evidence=evidence)], **more
    )


def rows(memory, sql):
    result = memory.query_graph(sql, limit=200, timeout_ms=2000, max_vm_steps=50_000_000)
    assert result.ok, result.error
    return list(result.rows)


def exported(memory):
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue()


def test_the_reason_of_a_correction_is_not_shown_with_a_hidden_fragment(url):
    with Memory.open(url, allow=ALLOW) as high, Memory.open(url, allow=["answer:task"]) as low:
        claim = high.add_evidence(claims=[NewClaim("The Nile floods.")]).claims[0].id
        added = high.add_evidence(
            PAGE,
            fragments=[NewFragment("A patient said so.")],
            claims=[NewClaim(claim_id=claim, evidence=[NewEvidence("supports", fragment=0)])],
            boundary_class="pii",
        )
        high.correct_edge(added.fragments[0].id, claim, relation="refutes", reason="the patient in room seven lied")
        assert len(high.reject_claim(claim, reason="no").history) == 2
        assert [each.action for each in low.restore_claim(claim, reason="yes").history] == [
            "claim_restore",
            "claim_reject",
        ]
        assert "room seven" not in exported(low)
        assert "room seven" in exported(high)


def test_reclassify_brings_a_page_and_its_fragments_in_line_at_once(memory):
    memory.apply_policy(LAX)
    task = memory.create_task(f"Who is {EMAIL}?")
    memory.add_evidence(
        NewPage("https://a.example/1", f"Contact {EMAIL}"),
        fragments=[NewFragment(f"Mail {EMAIL} for it.")],
        task_id=task.id,
        claims=[NewClaim(f"{EMAIL} answers.", evidence=[NewEvidence("supports", fragment=0)])],
        query=NewQuery(text=f"mail of {EMAIL}"),
    )
    memory.update_task(task.id, result_summary=f"{EMAIL} it is")
    claim = rows(memory, "select id from claims")[0][0]
    memory.reject_claim(claim, reason=f"ask {EMAIL}")
    assert EMAIL in exported(memory)
    memory.apply_policy(STRICT)
    memory.reclassify()
    with_all = exported(memory)
    assert EMAIL not in with_all


def test_a_changed_document_takes_only_what_it_brought(memory, tmp_path):
    note = tmp_path / "note.md"
    note.write_text("# Nile\n\n" + "The river rises in the south and flows to the sea in the north. " * 2)
    memory.add_documents([note])
    agents = memory.add_evidence(NewPage(note.as_uri()), fragments=[NewFragment("An agent quoted this.")])
    linked = rows(memory, "select id from fragments where char_start is not null")[0][0]
    memo = memory.save("Read this again.").node.id
    memory.relate(memo, linked, tag="about", weight=0.5)
    note.write_text("# Nile\n\n" + "All of it is new, and long enough to be a paragraph of its own in the text. " * 2)
    memory.add_documents([note])
    left = {row[0]: row[1] for row in rows(memory, "select id, valid_to from fragments")}
    assert left[agents.fragments[0].id] is None
    assert left[linked] is not None, "it is used, so it stays, and is marked as gone"
    assert len(left) == 3


def test_a_redacted_paragraph_that_moved_keeps_what_was_judged_by_it(memory, tmp_path):
    note = tmp_path / "note.md"
    paragraph = (
        f"Ask {EMAIL} about the floods of the Nile, because the office knows all of the figures of the year.\n\n"
    )
    other = "Another paragraph comes first now, and it is long enough not to be joined with the one after it.\n\n"
    note.write_text("# A\n\n" + paragraph)
    memory.add_documents([note])
    fragment = rows(memory, "select id from fragments")[0][0]
    memory.add_evidence(claims=[NewClaim("The office knows.", evidence=[NewEvidence("supports", fragment=fragment)])])
    note.write_text("# A\n\n" + other + paragraph)
    memory.add_documents([note])
    found = rows(memory, "select id, position, valid_to from fragments order by position")
    assert len(found) == 2
    assert found[1] == (fragment, 1, None)


def test_a_text_that_left_its_page_is_not_recalled(memory, tmp_path):
    note = tmp_path / "note.md"
    note.write_text(
        "# A\n\nThe flood gauge at Aswan stood at nine metres in the summer of that year, it was said then.\n"
    )
    memory.add_documents([note])
    fragment = rows(memory, "select id from fragments")[0][0]
    memory.add_evidence(claims=[NewClaim("It stood high.", evidence=[NewEvidence("supports", fragment=fragment)])])
    note.write_text(
        "# A\n\nThe flood gauge at Aswan stood at four metres in the summer of that year, as is known now.\n"
    )
    memory.add_documents([note])
    for found in (memory.search("flood gauge Aswan", limit=10).hits, memory.activate("flood gauge Aswan").items):
        assert fragment not in {each.node.id for each in found}
    similar = memory.vector_search("flood gauge Aswan", target="fragments", min_similarity=0.0).results
    assert fragment not in {each.id for each in similar}


def test_a_document_is_kept_without_the_secret_in_it(memory, tmp_path):
    note = tmp_path / "note.md"
    note.write_text(f"# Access\n\nThe key of the gauge is {SECRET} and opens it.\n\nThe river is high.\n")
    (added,) = memory.add_documents([note]).documents
    assert (added.status, added.fragments) == ("created", len(rows(memory, "select id from fragments")))
    texts = [text for (text,) in rows(memory, "select text_content from fragments")]
    assert "The key of the gauge is [secret] and opens it." in "\n".join(texts)


def test_a_document_with_a_secret_leaves_nothing_behind_where_the_policy_denies(memory, tmp_path):
    memory.apply_policy("version: 1.0.1\nsecrets: deny\n")
    note = tmp_path / "long.md"
    paragraphs = [f"Paragraph {n} says something about the river, the mud, the fields and the sea." for n in range(250)]
    paragraphs[245] = f"The key is {SECRET}."
    note.write_text("\n\n".join(paragraphs))
    added = memory.add_documents([note])
    assert added.documents == ()
    assert "paragraphs" in added.failures[0][1]
    assert rows(memory, "select count(*) from fragments") == [(0,)]
    assert rows(memory, "select count(*) from pages") == [(0,)]


def test_what_is_known_of_a_paper_is_merged(memory):
    url = "https://p.example/1"
    memory.add_evidence(NewPage(url, paper_metadata={"doi": "10.1/x", "authors": ["A"]}))
    memory.add_evidence(NewPage(url, paper_metadata={"venue": "J"}))
    (found,) = rows(memory, "select paper_metadata from pages")
    paper = found[0] if isinstance(found[0], dict) else json.loads(found[0])
    assert paper == {"doi": "10.1/x", "authors": ["A"], "venue": "J"}
    memory.add_evidence(NewPage("https://p.example/2", cites=["https://p.example/3"]))
    memory.add_evidence(NewPage("https://p.example/2", cites=[NewPage("https://p.example/3", "A title", 1999)]))
    assert rows(memory, "select title, year from pages where url = 'https://p.example/3'") == [("A title", 1999)]


def test_only_a_person_changes_what_a_person_judged(memory):
    added = judged(memory)
    fragment, claim = added.fragments[0].id, added.claims[0].id
    memory.correct_edge(fragment, claim, relation="refutes", reason="misread")
    with pytest.raises(Conflict, match="person"):
        memory.unrelate(fragment, claim, tag="refutes")
    second = memory.add_evidence(claims=[NewClaim("Mud is left.", evidence=[NewEvidence("supports", claim=claim)])])
    other = second.claims[0].id
    memory.correct_edge(claim, other, relation="refutes", reason="it does not follow")
    for tag in ("supports", "refutes", "neutral"):
        with pytest.raises(Conflict, match="person"):
            memory.relate(claim, other, tag=tag, weight=0.5)
    with pytest.raises(Conflict, match="evidence"):
        memory.save("The Nile never floods.", memo_id=claim)
    memory.save("The Nile floods.", memo_id=claim, title="Floods")
    assert rows(memory, "select relation, judge from evidence") == [("refutes", "human")]


def test_a_task_keeps_its_class_for_its_claims(url):
    with Memory.open(url, allow=ALLOW) as high, Memory.open(url, allow=["answer:task"]) as low:
        task = high.create_task("What did the patient say?", boundary_class="pii")
        high.add_evidence(claims=[NewClaim("The patient slept.")], task_id=task.id)
        assert rows(high, "select boundary_class from claims") == [("pii",)]
        assert rows(low, "select count(*) from claims") == [(0,)]


def test_nobody_deletes_fragments_that_they_do_not_see(url):
    with Memory.open(url, allow=ALLOW) as high, Memory.open(url, allow=["answer:task"]) as low:
        high.apply_policy(LAX.replace("email: public", "email: pii"))
        page = high.add_evidence(PAGE, fragments=[NewFragment("All may read this.")]).page.id
        high.add_evidence(PAGE, fragments=[NewFragment(f"Only some may read {EMAIL}.")])
        assert rows(low, "select text_content from fragments") == [("All may read this.",)]
        with pytest.raises(BoundaryDenied):
            low.delete(page)
        assert high.delete(page).edges_deleted == 0
        assert rows(high, "select count(*) from fragments") == [(0,)]


def test_deleting_a_page_counts_the_edges_of_its_fragments(memory):
    added = judged(memory)
    assert memory.delete(added.page.id).edges_deleted == 1


def test_doctor_sees_stale_copies_on_edges(url, execute):
    with Memory.open(url) as memory:
        judged(memory)
        assert memory.doctor().ok
        execute(url, "update edges set year = 1")
        assert [check.name for check in memory.doctor().checks if not check.ok] == ["edge copies"]


def test_a_pair_has_one_judgement_whoever_writes(url, execute):
    with Memory.open(url) as memory:
        judged(memory)
    with pytest.raises(Exception, match=r"(?i)unique"):
        execute(
            url,
            "insert into edges (owner_id, source_id, target_id, tag, weight, confidence, source_namespace,"
            " target_namespace, boundary_class, observed_at, created_at, updated_at, version, source_kind, target_kind)"
            " select owner_id, source_id, target_id, 'refutes', weight, confidence, source_namespace, target_namespace,"
            " boundary_class, observed_at, created_at, updated_at, version, source_kind, target_kind from edges"
            " where tag = 'supports'",
        )


def test_a_task_from_a_clock_that_is_ahead_can_still_be_completed(memory):
    task = memory.create_task("When?")
    ahead = exported(memory).replace(task.updated_at, "2099-01-01T00:00:00.000000Z")
    memory.import_(io.BytesIO(ahead.encode()))
    memory.update_task(task.id, status="completed")
    assert memory.status(task.id).tasks[0].task.status == "completed"


def test_an_older_export_does_not_set_a_query_back(memory):
    task = memory.create_task("What?")
    memory.add_evidence(
        PAGE, fragments=[NewFragment("One.")], task_id=task.id, query=NewQuery(text="q", result_count=4)
    )
    old = exported(memory)
    memory.add_evidence(PAGE, fragments=[NewFragment("Two.")], task_id=task.id, query=NewQuery(text="q"))
    memory.import_(io.BytesIO(old.encode()))
    assert rows(memory, "select result_count, harvest_rate from queries") == [(4, 0.5)]


def test_a_page_that_becomes_stricter_takes_its_fragments_along_to_a_copy(new_url):
    with Memory.open(new_url("sqlite"), allow=ALLOW) as source, Memory.open(new_url("sqlite"), allow=ALLOW) as copy:
        judged(source)
        copy.import_(io.BytesIO(exported(source).encode()))
        source.add_evidence(PAGE, boundary_class="pii")
        copy.import_(io.BytesIO(exported(source).encode()))
        for memory in (source, copy):
            assert rows(memory, "select boundary_class from fragments") == [("pii",)]
            assert rows(memory, "select distinct boundary_class from edges") == [("pii",)]
            assert memory.doctor().ok


def test_the_status_of_a_task_does_not_count_the_store(memory):
    task = memory.create_task("What?")
    assert memory.status(task.id).counts == {}
    assert memory.status().counts["page"] == 0


def test_one_word_is_no_name_of_a_page(memory):
    memory.add_evidence(NewPage("https://a.example/code", "code"))
    memory.add_evidence(NewPage("https://a.example/nile", "Blue Nile"))
    memory.save("The code of the Blue Nile project.")
    assert rows(memory, "select p.title from edges e join pages p on p.id = e.target_id") == [("Blue Nile",)]
