"""Takes the pictures of the page in docs/page/: `python -m docs.screenshots`, with Chromium and the built page at hand."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "page"
_WIDE, _NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 780}
QUESTION = "/?q=does+coffee+raise+blood+pressure"


def _open_first_claim(page: Page) -> None:
    page.locator("article.card:has(.standing .refutes) h3 a").first.click()
    page.wait_for_timeout(1500)


def _open_quote(page: Page) -> None:
    _open_first_claim(page)
    page.get_by_role("link", name="in its page").first.click()
    page.wait_for_timeout(1500)


def _open_graph(page: Page) -> None:
    _open_first_claim(page)
    claim = page.url.rpartition("/")[2].partition("?")[0]
    page.goto(f"{page.url.partition('/n/')[0]}/graph?from={claim}&hops=2")
    page.wait_for_timeout(6000)


# A picture: its name, the address, the size of the window, the scheme, the language, and what is done before.
PICTURES: tuple[tuple[str, str, dict[str, int], str, str, Callable[[Page], None] | None], ...] = (
    ("1-newest", "/", _WIDE, "light", "en", None),
    ("2-answer", QUESTION, _WIDE, "light", "en", None),
    ("3-statement", QUESTION, _WIDE, "light", "en", _open_first_claim),
    ("4-quote", QUESTION, _WIDE, "light", "en", _open_quote),
    ("graph", QUESTION, _WIDE, "dark", "en", _open_graph),
    ("timeline", "/evidence/v_evidence_timeline", _WIDE, "light", "en", None),
    ("review", "/care/review", _WIDE, "light", "en", None),
    ("japanese-narrow", QUESTION, _NARROW, "dark", "ja", None),
)


def main() -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    running: Callable[..., AbstractContextManager[str]] = __import__("service_for_tests").running_service
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "memory.db"
        _fill(file)
        path = shutil.which("chromium") or shutil.which("google-chrome")
        flags = [
            "--no-sandbox",
            "--use-gl=swiftshader",
            "--enable-unsafe-swiftshader",
            "--disable-background-networking",
        ]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        with running(str(file)) as base:
            for name, address, size, scheme, language, before in PICTURES:
                _take(browser, base + address, name, size, scheme, language, before)
        browser.close()


def _take(browser: Any, url: str, name: str, size: dict[str, int], scheme: str, language: str, before: Any) -> None:
    locale = {"en": "en-GB", "ja": "ja-JP"}[language]
    context = browser.new_context(viewport=size, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    page = context.new_page()
    page.goto(url)
    page.wait_for_timeout(2500)
    if before is not None:
        before(page)
    page.screenshot(path=TARGET / f"{name}.png")
    context.close()


def _fill(file: Path) -> None:
    from wherefrom import config
    from wherefrom.interfaces import example

    example.fill(config.load({"db": str(file)}), now=datetime.now(UTC))


if __name__ == "__main__":
    main()
