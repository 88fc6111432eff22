"""Evidence on the page: analyses that are sorted, filtered and saved, a task's report, and SQL with completion."""

from __future__ import annotations

import re
from pathlib import Path

from web_for_tests import settled


def test_a_view_is_sorted_and_filtered_in_its_address(page_at):
    page = page_at("/evidence/v_claim_evidence_summary")
    page.get_by_role("button", name="Evidence", exact=True).click()
    settled(page)
    assert "sort=-evidence_count" in page.url
    assert page.locator("th[aria-sort=descending]").inner_text().strip("▾ \n") == "Evidence"
    figures = [int(text) for text in page.locator("td[data-name=Evidence]").all_inner_texts()]
    assert figures == sorted(figures, reverse=True) and len(set(figures)) > 1
    page.locator("details.filter-fields summary").click()
    page.get_by_label("Evidence at least").fill(str(figures[0]))
    page.keyboard.press("Tab")
    settled(page)
    assert "f.evidence_count=" in page.url
    left = page.locator("td[data-name=Evidence]").all_inner_texts()
    assert set(left) == {str(figures[0])}
    page.reload()
    settled(page)
    assert page.locator("td[data-name=Evidence]").all_inner_texts() == left


def test_a_mark_of_a_chart_filters_by_keyboard_and_lets_all_through_again(page_at):
    page = page_at("/evidence/v_evidence_timeline")
    rows = page.locator("table.as-cards tbody tr")
    every = rows.count()
    page.locator("[data-mark]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page)
    assert re.search(r"f\.year=\d+\.\.\d+", page.url)
    assert 0 < rows.count() < every
    page.keyboard.press("Enter")
    settled(page)
    assert "f.year" not in page.url and rows.count() == every


def test_everything_filtered_out_is_told_from_nothing_found(page_at):
    page = page_at("/evidence/v_contradictions?f.claim_text=zzzz")
    assert "all of them are filtered out" in page.inner_text("main")
    page.get_by_role("button", name="Clear filters").click()
    settled(page)
    assert page.locator("td a[href^='/n/']").count() > 0


def test_rows_and_drawings_are_saved_and_no_cell_is_a_formula(page_at):
    page = page_at("/sql?q=select+'%3D1%2B1'+as+sum,+'a,\"b\"'+as+quoted,+-1+as+number")
    with page.expect_download() as csv:
        page.get_by_role("button", name="Save as CSV").click()
    text = Path(csv.value.path()).read_bytes().decode("utf-8-sig")
    assert text == '"sum","quoted","number"\r\n"\'=1+1","a,""b""",-1\r\n'
    page = page_at("/evidence/v_evidence_timeline")
    with page.expect_download() as svg:
        page.get_by_role("button", name="Save as SVG").click()
    drawn = Path(svg.value.path()).read_text(encoding="utf-8")
    assert drawn.startswith("<svg") and "rgb(" in drawn and "class=" not in drawn and "<title>Evidence by year" in drawn


def test_the_report_of_a_task_puts_disputes_first_and_is_copied(page_at, task_ids):
    page = page_at(f"/task/{task_ids[-1]}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    disputed = [card.locator(".tag.warn").count() for card in page.locator(".report .card").all()]
    assert disputed == sorted(disputed, reverse=True)
    page.get_by_role("button", name="Copy as Markdown").click()
    page.get_by_text("The report was copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"# {page.inner_text('h1')}") and "](http://127.0.0.1" in copied


def test_sql_is_completed_run_and_told_what_was_wrong(page_at):
    page = page_at("/sql")
    field = page.get_by_label("SQL statement")
    page.locator(".schema details").first.wait_for()
    field.fill("")
    field.press_sequentially("select c.claim_te from claims c")
    for _ in range(len(" from claims c")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("x")
    page.get_by_role("option", name="claim_text").wait_for()
    page.keyboard.press("Tab")
    assert field.input_value() == "select c.claim_text from claims c"
    page.keyboard.press("Control+Enter")
    page.locator("td[data-name=claim_text]").first.wait_for()
    assert "q=select+c.claim_text" in page.url
    field.fill("select claim_txt from claims")
    page.keyboard.press("Control+Enter")
    page.get_by_text("perhaps claim_text").wait_for()
