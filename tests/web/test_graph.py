"""The graph in a browser: exploring from a statement, and the same without a picture."""

from __future__ import annotations

import re
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from web_for_tests import settled

from wherefrom import Client

_NO_WEBGL = "HTMLCanvasElement.prototype.getContext = () => null"


@pytest.fixture(scope="module")
def coffee(example_service) -> dict[str, str]:
    """The ids of two statements about coffee, by their first words, and of a quotation that speaks for one of them."""
    with Client(example_service) as memory:
        sql = "select substr(claim_text, 1, 5), id from claims where claim_text like :text"
        found = {
            first: row_id
            for text in ("Coffee raises%", "Decaf%")
            for first, row_id in memory.query_graph(sql, parameters={"text": text}).rows
        }
        quoted = memory.neighbourhood([found["Coffe"]], tags=["supports"], kinds=["fragment"]).nodes
    return {"coffee": found["Coffe"], "decaf": found["Decaf"], "quotation": quoted[1].id}


def asked(page) -> dict[str, str]:
    """The query of the page's present address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def arranged(page):
    """Return the page once its picture stands still; its policy does not let Playwright wait inside it."""
    soon(page, lambda: page.locator(".canvas").get_attribute("data-arranged") == "true")
    return page


def soon(page, is_so):
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        page.wait_for_timeout(30)


def shown(page) -> int:
    """How many the page says that it shows."""
    return int(re.match(r"\d+", page.locator(".summary").inner_text()).group())


def test_a_start_is_found_by_its_words(page_at):
    page = page_at("/graph")
    page.fill("#question", "coffee blood pressure")
    page.keyboard.press("Enter")
    page.locator("form + div .suggestion").first.click()
    settled(page)
    assert asked(page)["from"] == asked(page)["selected"]
    assert page.locator(".graph-list [aria-current]").count() == 1


def test_what_is_chosen_is_expanded_folded_and_hidden_by_keys(page_at, coffee):
    start = {"from": coffee["coffee"], "hops": "2", "selected": coffee["decaf"]}
    page = page_at(f"/graph?{urlencode(start)}")
    first = shown(page)
    page.keyboard.press("e")
    settled(page)
    assert asked(page)["from"] == f"{coffee['coffee']},{coffee['decaf']}"
    assert shown(page) > first
    page.keyboard.press("f")
    settled(page)
    assert shown(page) == first
    page.keyboard.press("h")
    assert shown(page) == first - 1
    page.get_by_role("button", name="Show again").click()
    assert shown(page) == first
    for _ in range(4):
        page.go_back()
    settled(page)
    assert asked(page) == start


def test_a_path_is_told_as_sentences(page_at, coffee):
    page = page_at(f"/graph?from={coffee['coffee']}&hops=2&selected={coffee['coffee']}")
    page.keyboard.press("p")
    page.locator(".graph-list button.row", has_text="Decaffeinated coffee has").click()
    settled(page)
    assert asked(page)["path"] == f"{coffee['coffee']}..{coffee['decaf']}"
    sentences = page.locator(".path li").all_inner_texts()
    assert len(sentences) == 2
    assert "speaks for →" in sentences[0]
    assert "Coffee raises" in sentences[0]
    assert "Decaffeinated" in sentences[1]


def test_tags_kinds_and_words_narrow_what_is_shown(page_at, coffee):
    page = page_at(f"/graph?from={coffee['coffee']}&hops=2")
    page.locator(".legend label", has_text="for").first.click()
    settled(page)
    assert asked(page)["tags"] == "supports"
    assert page.locator(".legend label", has_text="against").inner_text().split()[-1] == "0"
    page.get_by_label("Find here").fill("half")
    soon(page, lambda: asked(page).get("find") == "half")
    rows = page.locator(".graph-list button.row").all_inner_texts()
    assert all("half" in row.lower() for row in rows)


def test_the_picture_answers_to_pointer_and_arrows(page_at, coffee):
    page = arranged(page_at(f"/graph?from={coffee['coffee']}&selected={coffee['coffee']}"))
    page.locator(".canvas").focus()
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    settled(page)
    assert page.locator(".graph-list [aria-current]").count() == 1
    page.keyboard.press("Escape")
    assert "selected" not in asked(page)
    # A single statement stands in the middle, where the pointer finds it.
    page.goto(page.url.split("?")[0] + f"?from={coffee['quotation']}&kinds=memo")
    arranged(settled(page))
    page.locator(".canvas").click()
    settled(page)
    assert asked(page)["selected"] == coffee["quotation"]


def test_without_webgl_the_list_stands_alone(browser, example_service, coffee):
    context = browser.new_context(locale="en-GB")
    context.add_init_script(_NO_WEBGL)
    page = context.new_page()
    page.goto(f"{example_service}/graph?from={coffee['coffee']}")
    settled(page)
    assert "cannot draw the picture" in page.inner_text(".no-picture")
    page.locator(".graph-list button.row").nth(1).click()
    page.keyboard.press("Enter")
    settled(page)
    assert len(asked(page)["from"].split(",")) == 2
    assert page.locator(".canvas").count() == 0
    context.close()
