"""One statement on the page: its source and both sides, its page, its history, and what can be done and undone."""

from __future__ import annotations

import pytest
from web_for_tests import settled

from wherefrom import Client

# A browser tells in its console that an id is gone.
GONE = "410 (Gone)"


@pytest.fixture
def memory(example_service):
    with Client(example_service) as client:
        yield client


@pytest.fixture
def note(memory):
    """The id of a note of this test's own."""
    return memory.save("The night ferry leaves at eleven.", title="Night ferry", namespace="test/statement").node.id


def act(page, button, fill=None):
    """Open a dialog by its button, fill its text in, and do what it offers; return what the page says of it."""
    page.get_by_role("button", name=button, exact=True).click()
    if fill is not None:
        page.locator("dialog textarea").fill(fill)
    page.locator("dialog button[type=submit]").click()
    page.locator("dialog").wait_for(state="detached")
    return said(page)


def undo(page):
    before = said(page)
    page.keyboard.press("u")
    page.wait_for_timeout(50)
    page.locator(".notice", has_not_text=before.split("\n")[0]).wait_for()
    return said(page)


def said(page):
    text = page.locator(".notice").inner_text()
    settled(page)
    return text


def test_a_claim_shows_both_sides_with_their_judges_and_each_quote_in_its_page(page_at, ids_of_kinds, memory):
    found = memory.claim_evidence(ids_of_kinds["claim"])
    page = page_at(f"/n/{found.claim.id}")
    for side in ("supports", "refutes"):
        items = [item for item in found.evidence if item.relation.tag == side and item.node.kind == "fragment"]
        shown = page.locator(f".side-{side}").inner_text()
        assert items and all(item.node.content in shown for item in items)
        assert all(item.relation.judge in shown and str(item.relation.year) in shown for item in items)
    assert f"{found.posterior.confidence:.2f}, give or take" in page.inner_text(".posterior")
    page.locator(".side-refutes").get_by_role("link", name="in its page").first.click()
    settled(page)
    quote = page.locator("mark#quote")
    assert quote.inner_text() in page.inner_text(".side-refutes")
    assert page.url.endswith("#quote") and quote.bounding_box()["y"] < 844
    assert page.locator(".passage").count() > 1


def test_on_a_narrow_page_keys_choose_the_side(page_at, ids_of_kinds):
    page = page_at(f"/n/{ids_of_kinds['claim']}", width=390)
    assert page.locator(".side-supports").is_visible() and not page.locator(".side-refutes").is_visible()
    page.keyboard.press("]")
    page.locator("#refutes:focus").wait_for()
    assert "side=refutes" in page.url and not page.locator(".side-supports").is_visible()


def test_a_correction_is_a_version_whose_words_are_compared_and_is_undone(page_at, note, memory):
    page = page_at(f"/n/{note}")
    page.keyboard.press("c")
    page.locator("dialog textarea").fill("The night ferry leaves at midnight.")
    page.locator("dialog button[type=submit]").click()
    assert "version 2" in said(page)
    assert page.inner_text("article header .text") == "The night ferry leaves at midnight."
    page.get_by_role("link", name="version 1", exact=True).click()
    settled(page)
    assert page.url.endswith("?v=1")
    assert page.inner_text(".former .text del") == "eleven" and page.inner_text(".former .text ins") == "midnight"
    undo(page)
    assert memory.get(note).content == "The night ferry leaves at eleven."


def test_a_replaced_statement_says_so_and_undoing_it_lets_it_hold(page_at, note, memory):
    page = page_at(f"/n/{note}")
    assert "new statement" in act(page, "Replace", "The night ferry no longer leaves.")
    heir = page.url.rpartition("/")[2]
    assert heir != note and memory.get(note).superseded_by == heir
    page.get_by_role("link", name="Night ferry: The night ferry leaves at eleven.").first.click()
    settled(page)
    assert "Replaced by" in page.inner_text(".banner")
    page.go_back()
    undo(page)
    assert memory.get(note).superseded_by is None and page.url.endswith(note)


def test_what_is_forgotten_leaves_a_receipt_that_brings_it_back(page_at, note, memory):
    page = page_at(f"/n/{note}", allow=GONE)
    page.get_by_role("button", name="Forget", exact=True).click()
    assert "1 entry goes" in page.inner_text("dialog .act p")
    page.locator("dialog button[type=submit]").click()
    assert "can be brought back until" in said(page)
    assert page.inner_text("article.receipt h1") == "Night ferry"
    assert "came back" in act(page, "Bring back")
    assert memory.get(note).title == "Night ferry" and page.locator("article.receipt").count() == 0


def test_a_judgement_is_corrected_and_the_service_says_how_sure_it_is_now(page_at, memory):
    claim = memory.query_graph("select id from claims where claim_text like 'The effect comes from%'").rows[0][0]
    page = page_at(f"/n/{claim}")
    # Quotes, which count, come before what follows from other statements.
    page.get_by_role("button", name="Correct this judgement").first.click()
    page.get_by_role("radio", name="against").check()
    page.get_by_label("Why (kept in the history)").fill("read again")
    page.locator("dialog button[type=submit]").click()
    answer = said(page)
    assert f"{memory.claim_evidence(claim).posterior.confidence:.2f} (▲0 ▼1)" in answer
    undo(page)
    assert memory.claim_evidence(claim).posterior.supports == 1


def test_a_relation_is_made_taken_away_and_brought_back(page_at, note, memory):
    other = memory.save("The harbour office opens at six.", namespace="test/statement").node.id
    memory.relate(note, other, tag="explains", weight=0.6, reason="It is the next to open.")
    page = page_at(f"/n/{note}")
    assert "It is the next to open." in page.inner_text(".relations")
    page.get_by_role("button", name="Take away: explains").click()
    page.locator("dialog button[type=submit]").click()
    said(page)
    assert memory.relations(source_id=note, tag="explains").edges == ()
    undo(page)
    (edge,) = memory.relations(source_id=note, tag="explains").edges
    assert (edge.weight, edge.reason) == (0.6, "It is the next to open.")


def test_a_source_shows_what_rests_on_it_and_only_web_addresses_open(page_at, memory):
    page_id = memory.query_graph("select page_id from evidence where relation = 'supports'").rows[0][0]
    page = page_at(f"/n/{page_id}", language="ja")
    source = memory.get(page_id)
    assert page.locator(".facts a").get_attribute("href") == source.content
    assert str(source.year) in page.inner_text(".facts") and page.locator(".passage-claim").count() > 0
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/")
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url(f"**/n/{page_id}")
