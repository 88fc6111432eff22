"""Asking on the page: results with their sources, filters, "nothing here", the keyboard and addresses."""

from __future__ import annotations

from web_for_tests import settled


def test_an_answer_names_its_source_first_and_says_why_it_is_there(page_at):
    page = page_at("/")
    page.keyboard.press("/")
    page.keyboard.type("does coffee raise blood pressure?")
    page.keyboard.press("Enter")
    card = page.locator("article.card").first
    card.wait_for()
    settled(page)
    assert "q=does+coffee" in page.url
    assert "source-line" in card.locator("> *").first.get_attribute("class")
    assert "Why:" in page.locator("article.card .why").first.inner_text()
    assert page.locator("article.card mark").count() > 0


def test_a_foreign_question_is_told_plainly(page_at):
    page = page_at("/?q=quantum+chromodynamics+of+gluons")
    assert "Nothing here says that." in page.inner_text("main")
    assert page.locator("article.card").count() <= 3


def test_keys_open_a_result_and_back_returns(page_at):
    page = page_at("/?q=coffee")
    page.keyboard.press("j")
    page.keyboard.press("j")
    chosen = page.locator("article.card.current").get_attribute("data-id")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/n/{chosen}")
    page.go_back()
    settled(page)
    assert page.url.endswith("/?q=coffee") and page.locator("article.card").count() > 1


def test_filters_are_in_the_address_and_what_they_leave_out_is_said(page_at):
    page = page_at("/?q=coffee&kind=entity")
    assert "filtered out" in page.inner_text("main")
    page.get_by_role("button", name="Show them").click()
    settled(page)
    assert "kind=" not in page.url and page.locator("article.card").count() > 0


def test_the_language_changes_at_once_and_is_kept(page_at):
    page = page_at("/")
    page.get_by_role("button", name="日本語で表示する").click()
    assert page.evaluate("document.documentElement.lang") == "ja"
    assert "たずねる" in page.inner_text("header")
    page.reload()
    settled(page)
    assert "たずねる" in page.inner_text("header")


def test_help_lists_the_keys(page_at):
    page = page_at("/")
    page.keyboard.press("?")
    assert "this help" in page.inner_text("dialog")
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_what_the_newest_leave_out_comes_with_a_button(page_at):
    page = page_at("/")
    assert page.locator("article.card").count() == 20
    page.get_by_role("button", name="Show more").click()
    settled(page)
    assert page.locator("article.card").count() > 20


def test_escape_leaves_the_field_and_keys_go_on_beside_a_filter(page_at):
    page = page_at("/?q=coffee")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    assert page.input_value("#question") == "coffee"
    page.locator(".choice input").first.focus()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('article')?.classList.contains('current')")
