"""Conformance: what is found by more than its text: a fragment by the title of its page, a memo by aliases and tags."""

from __future__ import annotations

import pytest

from wherefrom import Memory, NewFragment, NewPage
from wherefrom.evidence.input import NewClaim, NewEvidence
from wherefrom.model.sources import source_of

URL = "https://example.org/paper"
FIRST = NewFragment("We ran the service for nine days.", heading="page 1")
SECOND = NewFragment("Memory grew by two percent.", heading="page 2")
LAST = NewFragment("A leak in the parser was the cause.", heading="page 3")
EMAIL = "kim.lee" + "@" + "example.org"


@pytest.fixture
def memory(url):
    """A memory that searches by words alone, with a page and some notes."""
    with Memory.open(url, embedder="none") as opened:
        for number in range(8):
            opened.save(f"Note {number} about nothing in particular.")
        opened.add_evidence(NewPage(URL, "Soak tests at scale", 2024), fragments=[FIRST, SECOND, LAST])
        yield opened


def found(memory, query, **given):
    return [hit.node.content for hit in memory.search(query, **given).hits]


def test_a_document_is_found_by_its_title(memory):
    assert found(memory, "soak tests") == [FIRST.text, SECOND.text]
    assert found(memory, "example.org") == [FIRST.text, SECOND.text], "and by its site"
    context = memory.activate("soak tests")
    assert {item.node.content for item in context.items} == {FIRST.text, SECOND.text}


def test_the_fragment_that_has_the_other_words_comes_first(memory):
    assert found(memory, "soak tests parser leak")[0] == LAST.text


def test_a_title_helps_only_its_own_page(memory):
    memory.save("Tests of the parser found a leak.")
    memory.add_evidence(
        NewPage("https://example.org/other", "Gardening"), fragments=[NewFragment("A leak in the hose.")]
    )
    hits = memory.search("leak soak", limit=3).hits
    assert hits[0].node.content == LAST.text
    assert hits[0].scores.bm25 > hits[1].scores.bm25


def test_a_japanese_title_finds_its_document(memory):
    page = NewPage("https://example.jp/1", "長時間試験の記録")
    memory.add_evidence(page, fragments=[NewFragment("九日間動かした。")])
    assert found(memory, "長時間試験") == ["九日間動かした。"]


def test_a_new_title_takes_the_place_of_the_old_one(memory):
    memory.add_evidence(NewPage(URL, "Endurance runs"), fragments=[FIRST])
    assert found(memory, "soak") == []
    assert found(memory, "endurance") == [FIRST.text, SECOND.text]
    sources = {source_of(hit.node).words() for hit in memory.search("endurance").hits}
    assert sources == {"Endurance runs, example.org, p. 1, 2024", "Endurance runs, example.org, p. 2, 2024"}


def test_a_title_finds_nothing_that_the_access_may_not_see(url, memory):
    memory.add_evidence(
        NewPage("https://example.org/staff", "Salaries"), fragments=[NewFragment("A table.")], namespace="staff"
    )
    with Memory.open(url, root="main/other", embedder="none") as other:
        assert found(other, "salaries") == []
    assert found(memory, "salaries") == ["A table."]


def test_a_renamed_page_gives_its_fragments_no_personal_data(url):
    with Memory.open(url, embedder="none") as memory:
        memory.choose_privacy("personal")
        memory.add_evidence(NewPage(URL, "Minutes"), fragments=[FIRST])
        memory.add_evidence(NewPage(URL, f"Minutes by {EMAIL}"), fragments=[FIRST])
        (hit,) = memory.search("minutes").hits
        assert EMAIL not in str(hit.node.provenance)
        assert hit.node.provenance["source_title"].startswith("Minutes by")


def test_a_fragment_that_is_no_longer_on_its_page_is_not_found_by_the_title(memory, tmp_path):
    file = tmp_path / "paper.md"
    file.write_text("# Endurance\n\nIt ran for nine days.\n\n# End\n\nNothing broke.\n")
    memory.add_documents([file])
    ran = _id_of(memory, NewFragment("It ran for nine days."))
    memory.add_evidence(claims=[NewClaim("It ran.", evidence=[NewEvidence("supports", fragment=ran)])])
    file.write_text("# Endurance\n\nNothing broke.\n")
    memory.add_documents([file])
    assert found(memory, "endurance") == ["Nothing broke."]


def test_a_memo_is_found_by_its_tags(memory):
    saved = memory.save("Ship after lunch.", metadata={"tags": ["release", "週次 定例"]})
    memory.save("Ship before lunch.", metadata={"tags": "retired, release"})
    assert set(found(memory, "release")) == {"Ship after lunch.", "Ship before lunch."}
    assert found(memory, "定例") == ["Ship after lunch."]
    memory.save("Ship after lunch.", memo_id=saved.node.id, metadata={"tags": ["deploy"]})
    assert found(memory, "release") == ["Ship before lunch."]
    assert found(memory, "deploy") == ["Ship after lunch."]
    memory.save("Ship after lunch.", memo_id=saved.node.id, metadata={"tags": None})
    assert found(memory, "deploy") == []


@pytest.mark.parametrize("tags", [{"a": "release"}, 7, True, [["release"]], [None, 3]])
def test_tags_that_are_no_words_are_left_out(memory, tags):
    memory.save("Ship after lunch.", metadata={"tags": tags})
    assert found(memory, "release") == []


def test_tags_are_found_after_reindexing(memory):
    memory.save("Ship after lunch.", metadata={"tags": ["release"]}, title="Rule")
    memory.save("Ship after lunch.", title="Friday policy")
    memory.reindex()
    for query in ("release", "rule", "friday"):
        assert found(memory, query) == ["Ship after lunch."]


def _id_of(memory, fragment):
    query = f"select id from fragments where text_content = '{fragment.text}'"
    result = memory.query_graph(query)
    assert result.ok, result.error
    return result.rows[0][0]
