"""A person corrects what is known about a page, and all that is derived from it follows."""

from __future__ import annotations

import pytest

from wherefrom import (
    BoundaryDenied,
    InvalidInput,
    Memory,
    NewClaim,
    NewEvidence,
    NewFragment,
    NewPage,
    NotFound,
)
from wherefrom.model.sources import source_of

URL = "https://example.org/leaks"
PHONE = "+49 170 1234567"


def add(memory, **page):
    return memory.add_evidence(
        NewPage(URL, **page),
        fragments=[NewFragment("Four leaks were found."), NewFragment("They were small.")],
        claims=[NewClaim("There are leaks.", evidence=[NewEvidence("supports", fragment=0)])],
    )


def rows(memory, sql):
    result = memory.query_graph(sql)
    assert result.error is None, result.error
    return result.rows


def test_year_and_title_reach_fragments_judgements_and_analyses(memory, url, execute):
    added = add(memory, title="Leeks")
    claim = added.claims[0].id
    assert memory.query_view("v_evidence_freshness").rows == ()
    corrected = memory.correct_page(added.page.id, year=2019, title="Leaks")
    assert (corrected.title, corrected.year, corrected.changed, corrected.followed) == ("Leaks", 2019, True, 3)
    assert rows(memory, "select title, year, domain from pages") == (("Leaks", 2019, "example.org"),)
    assert execute(url, "select distinct year from nodes where kind = 'fragment'") == [(2019,)]
    assert execute(url, "select year from edges where tag = 'supports'") == [(2019,)]
    (row,) = memory.query_view("v_evidence_freshness").rows
    assert 2019 in row
    assert memory.add_evidence(claims=[NewClaim(claim_id=claim)]).claims[0].posterior.newest_year == 2019
    for node_id in (added.fragments[0].id, claim):
        assert memory.get(node_id).provenance["source_title"] == "Leaks"
    assert memory.doctor().ok


def test_it_is_undone_by_correcting_again(memory, url, execute):
    page = add(memory, title="Leaks", year=2001).page.id
    memory.correct_page(page, year=2019)
    again = memory.correct_page(page, year=2019)
    assert (again.changed, again.followed) == (False, 0)
    assert memory.correct_page(page, year=2001).year == 2001
    assert memory.correct_page(page, no_year=True).year is None
    assert execute(url, "select year from edges where tag = 'supports'") == [(None,)]
    assert memory.doctor().ok


def test_the_source_does_not_change_back_what_a_person_said(memory):
    page = add(memory, title="Leeks").page.id
    memory.correct_page(page, year=2019)
    assert add(memory, title="Leeks, second edition", year=2021).page.id == page
    assert rows(memory, "select title, year from pages") == (("Leeks, second edition", 2019),)
    memory.correct_page(page, title="Leaks")
    add(memory, title="Leeks, third edition", year=2023)
    assert rows(memory, "select title, year from pages") == (("Leaks", 2019),)


def test_a_document_that_is_read_again_keeps_its_year(memory, tmp_path):
    file = tmp_path / "note.md"
    file.write_text("# Leeks\n\nFour leaks were found.\n")
    memory.add_documents([str(file)])
    ((page,),) = rows(memory, "select id from pages")
    memory.correct_page(page, year=2019, title="Leaks")
    file.write_text("# Leeks\n\nFive leaks were found.\n")
    memory.add_documents([str(file)])
    assert rows(memory, "select title, year from pages") == (("Leaks", 2019),)
    assert memory.doctor().ok


def test_it_leaves_an_event(memory, url, execute):
    page = add(memory).page.id
    memory.correct_page(page, year=2019)
    memory.correct_page(page, year=2019)
    ((payload,),) = execute(url, "select payload from events where topic = 'correct'")
    assert '"fields":["year"]' in payload.replace(" ", "")
    assert page in payload


def test_what_is_no_page_or_nothing_is_refused(memory):
    added = add(memory)
    for node_id in (added.fragments[0].id, added.claims[0].id, memory.save("memo").node.id):
        with pytest.raises(InvalidInput, match="and no page"):
            memory.correct_page(node_id, year=2019)
    with pytest.raises(NotFound):
        memory.correct_page("01900000-0000-7000-8000-000000000000", year=2019)
    for given in ({}, {"year": 10_000}, {"year": True}, {"title": ""}, {"year": 1, "no_year": True}):
        with pytest.raises(InvalidInput):
            memory.correct_page(added.page.id, **given)


def test_other_owners_and_readers_do_not_correct_it(open_memory):
    page = add(open_memory(root="team")).page.id
    with pytest.raises(NotFound):
        open_memory(owner="other").correct_page(page, year=2019)
    with pytest.raises(NotFound):
        open_memory(root="elsewhere").correct_page(page, year=2019)
    with pytest.raises(BoundaryDenied):
        open_memory(root="elsewhere", also=["team"]).correct_page(page, year=2019)


def test_a_secret_in_a_title_is_not_kept(memory, url, execute):
    page = add(memory).page.id
    corrected = memory.correct_page(page, title="Leaks, password: Tr0ub4dor&3xyz")
    assert "Tr0ub4dor" not in corrected.title
    for table in ("nodes", "events"):
        assert "Tr0ub4dor" not in str(execute(url, f"select * from {table}"))


def test_an_import_of_corrections_keeps_them_and_bad_ones_do_no_harm(memory, tmp_path):
    page = add(memory).page.id
    memory.correct_page(page, year=2019)
    with (tmp_path / "out.jsonl").open("w") as stream:
        memory.export(stream)
    text = (tmp_path / "out.jsonl").read_text()
    (tmp_path / "bad.jsonl").write_text(
        text.replace('["year"]', '["content","id"]').replace('"version":2', '"version":9')
    )
    for name, year in (("out.jsonl", 2019), ("bad.jsonl", 2021)):
        with Memory.open(tmp_path / f"{name}.db") as other:
            other.import_(tmp_path / name)
            add(other, year=2021)
            assert rows(other, "select year from pages") == ((year,),)


def said(memory, node_id):
    """What a claim or fragment says of its page: the title and the year."""
    source = source_of(memory.get(node_id))
    return source.title, source.year


def test_claims_follow_the_year_and_title_of_their_page(memory):
    added = add(memory, title="Leeks", year=2020)
    bare = memory.add_evidence(NewPage(URL), claims=[NewClaim("Nobody speaks for this.")]).claims[0].id
    other = memory.add_evidence(NewPage(f"{URL}/2", "Leeks", year=2020), claims=[NewClaim("Not from there.")])
    parts = (added.fragments[0].id, added.claims[0].id, bare)
    for change, expected in (
        ({"year": 1999}, ("Leeks", 1999)),
        ({"title": "Leaks"}, ("Leaks", 1999)),
        ({"no_year": True}, ("Leaks", None)),
        ({"title": "Leaks!", "year": 2001}, ("Leaks!", 2001)),
    ):
        before = [memory.get(part).version for part in parts]
        assert memory.correct_page(added.page.id, **change).followed == 4
        assert [said(memory, part) for part in parts] == [expected] * 3
        assert [memory.get(part).version for part in parts] == [version + 1 for version in before]
    assert said(memory, other.claims[0].id) == ("Leeks", 2020)
    assert memory.doctor().ok


def test_claims_follow_a_page_that_is_added_again(memory):
    added = add(memory, title="Leeks", year=2020)
    parts = (added.fragments[0].id, added.fragments[1].id, added.claims[0].id)
    memory.add_evidence(NewPage(URL, "Leaks"))
    assert [said(memory, part) for part in parts] == [("Leaks", 2020)] * 3
    memory.add_evidence(NewPage(URL, year=2021))
    assert [said(memory, part) for part in parts] == [("Leaks", 2021)] * 3
    versions = [memory.get(part).version for part in parts]
    add(memory, title="Leaks", year=2021)
    assert [memory.get(part).version for part in parts] == versions


def test_what_is_new_on_a_corrected_page_says_what_the_person_said(memory):
    memory.correct_page(add(memory, title="Leeks").page.id, title="Leaks", year=2019)
    new = memory.add_evidence(
        NewPage(URL, "Leeks", year=2021), fragments=[NewFragment("A fifth leak.")], claims=[NewClaim("There are five.")]
    )
    for node_id in (new.fragments[0].id, new.claims[0].id):
        assert said(memory, node_id) == ("Leaks", 2019)


def test_a_page_of_the_same_url_elsewhere_does_not_rename_a_claim(memory):
    here = add(memory, title="Leeks")
    there = memory.add_evidence(NewPage(URL, "Leeks"), claims=[NewClaim("Elsewhere.")], namespace="main/elsewhere")
    memory.correct_page(there.page.id, title="Leaks")
    assert said(memory, here.claims[0].id)[0] == "Leeks"
    assert said(memory, there.claims[0].id)[0] == "Leaks"


@pytest.fixture
def personal(url, monkeypatch):
    """A memory that keeps personal data for its owner."""
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    with Memory.open(url) as memory:
        memory.choose_privacy("personal")
        yield memory


def test_a_phone_number_in_a_title_is_shown_to_its_owner_alone(personal, url, execute):
    added = add(personal, title="Leeks", year=2020)
    parts = (added.fragments[0].id, added.claims[0].id)
    for change in ({"title": f"Call Anna about leaks: {PHONE}"}, {"year": 2021}):
        before = [personal.get(part).version for part in parts]
        personal.correct_page(added.page.id, **change)
        assert PHONE in personal.get(added.page.id).title
        assert [personal.get(part).version for part in parts] == [version + 1 for version in before]
        assert PHONE not in str(execute(url, "select * from nodes where kind <> 'page'"))
        with Memory.open(url, privacy="shared") as shared:
            assert "[phone]" in shared.get(added.page.id).title
            for part in parts:
                assert "[phone]" in shared.get(part).provenance["source_title"]


def test_parts_as_restricted_as_their_page_stay_open_to_others(personal, url):
    added = add(personal, title=f"Call Anna: {PHONE}", year=2020)
    personal.correct_page(added.page.id, year=2021)
    assert PHONE in said(personal, added.claims[0].id)[0]
    with Memory.open(url, privacy="shared") as shared:
        for part in (added.page.id, added.fragments[0].id, added.claims[0].id):
            node = shared.get(part)
            assert PHONE not in str(node)
            assert source_of(node).year == 2021


def test_a_claim_learns_no_title_of_a_page_that_is_less_open(personal):
    added = add(personal, title="Leeks", year=2020)
    personal.add_evidence(NewPage(URL, "Dismissals", year=2021), boundary_class="pii")
    claim, fragment = personal.get(added.claims[0].id), personal.get(added.fragments[0].id)
    assert (claim.boundary_class, claim.provenance["source_title"]) == ("internal", "Leeks")
    assert (fragment.boundary_class, fragment.provenance["source_title"]) == ("pii", "Dismissals")
