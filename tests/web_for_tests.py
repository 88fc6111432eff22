"""What tests of the page ask of a browser: when it has settled, what went wrong, what shifted, who could not use it."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Page

# Counts what moves under the reader's eyes; runs before the page's own script.
START = """
window.__shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
_BUSY = """() => document.readyState !== "complete" || !document.querySelector("main *")
  || !!document.querySelector('[aria-busy="true"], p.state[role="status"]')"""
_LONGEST_SECONDS = 60.0
MAX_SHIFT = 0.1


def settled(page: Page) -> Page:
    """Return when nothing is loading any more, twice in a row."""
    until = time.monotonic() + _LONGEST_SECONDS
    quiet = 0
    while True:
        quiet = 0 if page.evaluate(_BUSY) else quiet + 1
        if quiet == 2:
            return page
        assert time.monotonic() < until, f"{page.url} goes on loading: {page.inner_text('main')[:200]}"
        page.wait_for_timeout(50)


def collected(page: Page, allow: str = "") -> list[str]:
    """Return a list to which everything is added that goes wrong on a page from now on."""
    wrong: list[str] = []

    def note(text: str) -> None:
        # The browser's own words on drawing without a graphics card.
        if "GL Driver Message" not in text and (not allow or allow not in text):
            wrong.append(text)

    page.on("console", lambda message: note(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: note(f"{page.url}: {error.stack}"))
    page.on("dialog", lambda dialog: (note(f"a dialog: {dialog.message}"), dialog.dismiss()))
    return wrong


def shift_of(page: Page) -> float:
    """Return how much of the page has moved by itself, as browsers count it."""
    return float(page.evaluate("window.__shift"))


def stumbles(page: Page, axe: str) -> list[str]:
    """Return what axe calls serious or critical, by rule and place."""
    page.evaluate(axe)
    found: list[dict[str, Any]] = page.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']}).then((found) => found.violations)"
    )
    return [
        f"{rule['id']}: {node['target']} {node.get('failureSummary', '')[:200]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def is_too_wide(page: Page) -> bool:
    """Return True if the whole page has to be moved sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"))
