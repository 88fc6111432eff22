"""Care on the page: contradictions settled, proposals accepted, what may go, receipts, and the log as it grows."""

from __future__ import annotations

import re

from web_for_tests import settled

from wherefrom import Client


def test_a_pair_is_settled_by_a_key_and_taken_back_by_another(page_at):
    page = page_at("/care/review")
    many = page.locator(".pairs li").count()
    assert many > 1
    page.keyboard.press("j")
    pair = re.search(r"pair=([^&]+)", page.url)
    assert pair is not None and page.locator('.pairs [aria-current="true"]').count() == 1
    assert "If A stands: B stays, marked replaced from" in page.inner_text(".effects")
    page.keyboard.press("1")
    page.locator(".notice", has_text="took the place of").wait_for()
    settled(page)
    assert page.locator(".pairs li").count() == many - 1
    page.keyboard.press("u")
    page.locator(f".pairs li:nth-child({many})").wait_for()
    settled(page)
    assert pair[1] in page.url


def test_the_words_that_differ_are_marked_in_japanese_by_characters(page_at):
    page = page_at("/care/review", language="ja")
    page.locator(".pairs li", has_text="週の会議").get_by_role("button").click()
    settled(page)
    marked = [mark.inner_text() for mark in page.locator(".side mark").all()]
    assert marked and all(len(text) <= 4 for text in marked), marked


def test_a_plan_is_made_with_what_was_not_worth_it_and_accepted_and_undone(page_at):
    page = page_at("/care/insight?ns=main/project")
    page.get_by_role("button", name="Look for relations").click()
    page.wait_for_url("**/care/insight/*")
    settled(page)
    page.get_by_text(re.compile(r"^\d+ not worth making")).click()
    assert "not worth its cost" in page.inner_text("main")
    page.get_by_label("Why you decline").fill("they have nothing in common")
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Decline the 1 chosen").click()
    page.locator(".tag", has_text="declined").wait_for()
    assert "they have nothing in common" in page.inner_text("main")
    page.get_by_role("button", name="Accept", exact=True).first.click()
    page.locator(".notice", has_text="1 relation was made").wait_for()
    page.get_by_role("button", name="Accept all").click()
    page.locator(".notice", has_text=re.compile(r"[1-9]\d* relations were made")).wait_for()
    assert page.locator(".tag", has_text="declined").count() == 1
    page.get_by_role("button", name="Take back this plan").click()
    page.locator(".notice", has_text="none of its relations is left").wait_for()


def test_moving_the_cut_plans_anew_and_its_place_is_in_the_address(page_at):
    page = page_at("/care/metabolism")
    slider = page.locator('.cut-slider input[type="range"]').nth(1)
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**benefit=0.1*")
    settled(page)
    page.reload()
    settled(page)
    assert float(page.locator('.cut-slider input[type="range"]').nth(1).input_value()) > 0.1


def test_what_is_let_go_is_counted_asked_for_again_and_comes_back(page_at, example_service):
    with Client(example_service) as memory:
        before = memory.metabolize("/")
    assert before.removed, "the example has something redundant"
    page = page_at("/care/metabolism")
    assert page.locator(".pair-table tbody tr").count() == len(before.removed)
    page.locator(".pair-table input").first.check()
    assert "1 kept" in page.inner_text(".go-bar")
    page.locator(".pair-table input").first.uncheck()
    page.get_by_role("button", name=re.compile(r"^Let \d+ statements?")).click()
    assert f"Let {len(before.removed)} statement" in page.inner_text("dialog")
    page.get_by_role("button", name="Let them go").click()
    page.wait_for_url("**/care/metabolism/*")
    settled(page)
    page.get_by_role("button", name="Bring back all of it").click()
    page.locator(".notice", has_text="came back").wait_for()
    page.get_by_text("There is nothing left to bring back.").wait_for()
    with Client(example_service) as memory:
        assert memory.metabolize("/").nodes == before.nodes


def test_a_receipt_brings_back_what_was_forgotten(page_at, example_service):
    with Client(example_service) as memory:
        node = memory.save("The spare key hangs behind the door of the shed.", title="Spare key").node
        plan = memory.forget(ids=[node.id])
        memory.forget(ids=[node.id], apply=True, plan=plan.plan)
    page = page_at("/care/receipts")
    receipt = page.locator(f'.receipt[data-id="{node.id}"]')
    assert "Spare key" in receipt.inner_text() and "forgotten, as asked" in receipt.inner_text()
    receipt.get_by_role("button", name="Bring back").click()
    receipt.get_by_text("is back").wait_for()
    with Client(example_service) as memory:
        assert memory.get(node.id).content == node.content


def test_new_lines_of_the_log_wait_until_they_are_wanted(page_at, example_service):
    page = page_at("/care/log?topic=ingest")
    first = page.locator(".log > li").first.get_attribute("data-seq")
    fresh = page.get_by_role("button", name=re.compile("new$"))
    with Client(example_service) as memory:
        for number in range(20):  # the stream begins with what happens once it is open
            memory.save(f"The log is watched by a test, {number}.", title="A watched log")
            page.wait_for_timeout(700)
            if fresh.is_visible():
                break
    fresh.wait_for()
    assert page.locator(".log > li").first.get_attribute("data-seq") == first
    fresh.click()
    assert "A watched log" in page.locator(".log > li").first.inner_text()
    page.goto(f"{example_service}/care/log?topic=policy&since=2031-01-01")
    settled(page)
    assert "Nothing fits these filters." in page.inner_text("main")


def test_what_upkeep_found_is_done_and_taken_back_as_one(page_at):
    page = page_at("/care/upkeep")
    page.get_by_role("button", name="Look now").click()
    page.locator(".go-bar strong", has_text=re.compile(r"relations?.* waits?$")).wait_for()
    page.get_by_role("button", name="Do it").click()
    page.locator(".notice", has_text=re.compile(r"Done: [1-9]\d* related")).wait_for()
    assert "Nothing waits." in page.inner_text(".go-bar")
    page.get_by_role("button", name="Take back this run").click()
    page.locator(".notice", has_text="All that the run did was taken back.").wait_for()
    # The list is read again after the notice is shown.
    page.locator("table.rows tr:has(th[scope=row]):nth-child(1) th", has_text="taken back").wait_for()
