"""A real browser on the page of a real service. Without Chromium, npm's build or axe, its tests say so and are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from service_for_tests import running_service
from web_for_tests import START, collected, settled

from wherefrom import Client, config
from wherefrom.interfaces import example
from wherefrom.interfaces.http.web_page import is_built

_FLAGS = (
    "--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run",
)  # fmt: skip
_LOCALES = {"en": "en-GB", "ja": "ja-JP"}
Opening = Callable[..., Page]


def _chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    if not is_built():
        pytest.skip("the page was not built: run `make page`")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; of one module only, because Playwright's loop would be in the way of other tests."""
    path = _chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def example_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with the example, which tests may read and, in ways that others do not mind, write to."""
    if not is_built():
        pytest.skip("the page was not built: run `make page`")
    file = tmp_path_factory.mktemp("example") / "memory.db"
    example.fill(config.load({"db": str(file)}), now=datetime.now(UTC))
    with running_service(str(file)) as base:
        yield base


@contextmanager
def opened(
    browser: Browser, base: str, *, width: int = 1280, language: str = "en", scheme: str = "light", allow: str = ""
) -> Iterator[Callable[..., Page]]:
    """Give a function that opens addresses of the page in one window, and require at the end that nothing was wrong
    there. `allow`: a part of the messages of the console that are expected.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        color_scheme=scheme,
        locale=_LOCALES[language],  # type: ignore[arg-type]
    )
    context.set_default_timeout(60_000)  # so generous that only a fault exceeds it
    context.add_init_script(START)
    page = context.new_page()
    wrong = collected(page, allow)

    def open_at(path: str, *, wait: bool = True) -> Page:
        page.goto(base + path)
        if wait:
            settled(page)
        return page

    try:
        yield open_at
        assert not wrong, wrong
    finally:
        context.close()


@pytest.fixture
def page_at(browser: Browser, example_service: str) -> Iterator[Opening]:
    """Open a path of the example's page: `page_at("/graph", width=390, language="ja", scheme="dark")`."""
    with _many(browser, example_service) as open_at:
        yield open_at


@contextmanager
def _many(browser: Browser, base: str) -> Iterator[Opening]:
    running: list[Any] = []

    def open_at(path: str, *, wait: bool = True, **options: Any) -> Page:
        window = opened(browser, base, **options)
        running.append(window)
        return window.__enter__()(path, wait=wait)

    try:
        yield open_at
    except BaseException:
        for window in running:
            window.__exit__(None, None, None)
        raise
    for window in running:
        window.__exit__(None, None, None)


@pytest.fixture
def pages_of(browser: Browser) -> Callable[..., Any]:
    """Open the page of another service: `with pages_of(base) as page_at: …`."""
    return lambda base: _many(browser, base)


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that finds what people who cannot see or point would stumble over."""
    file = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        pytest.skip("axe is not installed: run `make page`")
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def ids_of_kinds(example_service: str) -> dict[str, str]:
    """The id of something of each kind in the example: claims with evidence first."""
    with Client(example_service) as memory:
        rows = memory.query_graph("select claim_id from v_contradictions limit 1").rows
        listed = {kind: memory.list(kind=kind, limit=1).nodes for kind in ("memo", "fragment", "page", "entity")}
    return {"claim": rows[0][0], **{kind: nodes[0].id for kind, nodes in listed.items() if nodes}}


@pytest.fixture(scope="session")
def task_ids(example_service: str) -> list[str]:
    with Client(example_service) as memory:
        return [state.task.id for state in memory.status().tasks]
