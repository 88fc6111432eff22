"""Texts that would like to run: saved in every field that takes text, shown on every page, and never more than text."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from service_for_tests import running_service
from web_for_tests import settled

from wherefrom import Client
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage

VECTORS = (
    "<script>window.__ran=1</script>",
    "<img src=x onerror=window.__ran=1>",
    "<svg onload=window.__ran=1><animate onbegin=window.__ran=1 attributeName=x dur=1s>",
    "\"><iframe srcdoc='<script>top.__ran=1</script>'></iframe>",
    "'-window.__ran=1-' \" onfocus=window.__ran=1 autofocus x=\"",
    "javascript:window.__ran=1",
    "data:text/html,<script>top.__ran=1</script>",
    "{{constructor.constructor('window.__ran=1')()}} ${window.__ran=1} <%= window.__ran=1 %>",
    "</title></textarea></style></noscript><script>window.__ran=1</script>",
    "<math><mi//xlink:href=\"data:x,<script>window.__ran=1</script>\">",
    "<a href=javascript:window.__ran=1>a</a><form action=javascript:window.__ran=1><button>b</button></form>",
    "<details open ontoggle=window.__ran=1>‮ right to left ‬ \u2066 isolated",
    "<base href=https://evil.example/><link rel=stylesheet href=https://evil.example/x.css><meta http-equiv=refresh content=0;url=https://evil.example>",
)  # fmt: skip
# What the page itself never has: an element that came out of a text.
_OUT_OF_TEXT = """() => [window.__ran, ...[...document.querySelectorAll(
  'main script, iframe, main img[src], base, meta[http-equiv], [onerror], [onload], [onfocus], [ontoggle], form[action], a[href^="javascript:"], a[href^="data:"], math'
)].map((found) => found.outerHTML.slice(0, 120))].filter(Boolean)"""


@pytest.fixture(scope="module")
def hostile_service(tmp_path_factory):
    """A service whose every field of text holds a vector, with a page for each thing in it."""
    with running_service(str(tmp_path_factory.mktemp("hostile") / "memory.db")) as base, Client(base) as memory:
        yield base, list(_fill(memory))


def _fill(memory):
    yield from (
        "/",
        "/care/review",
        "/care/insight",
        "/care/metabolism",
        "/care/log",
        "/care/receipts",
        "/evidence",
        "/sql",
    )
    yield from ("/setup/status", "/setup/namespaces", "/setup/policies", "/setup/keys", "/graph")
    ids = []
    for number, text in enumerate(VECTORS):
        saved = memory.save(
            f"Boiler note {number}: {text} {text}",
            title=f"{number} {text}"[:300],
            metadata={text: text},
            provenance={"url": text, "source": text, "file": text, "title": text},
            entities=[f"E{number} {text}"[:200]],
            speaker=text.translate(dict.fromkeys(map(ord, "\u202e\u202c\u2066")))[:128],
            session=f"s{number}",
        )
        ids.append(saved.node.id)
        yield f"/n/{saved.node.id}"
    for one, other, text in zip(ids, ids[1:], VECTORS, strict=False):
        memory.relate(one, other, tag="supports", weight=0.9, reason=text)
    memory.save("The boiler is serviced in March.", slot="boiler/service")
    memory.save(f"The boiler is serviced in April. {VECTORS[1]}", slot="boiler/service")
    task = memory.create_task(f"What is {VECTORS[0]}?")
    for number, text in enumerate(VECTORS):
        added = memory.add_evidence(
            NewPage(f"https://page{number}.example/{number}?{_quoted(text)}", title=text, year=1990 + number),
            fragments=[NewFragment(f"{text} in a page")],
            claims=[
                NewClaim(
                    f"It is so {number % 3}: {VECTORS[number % 3]}",
                    evidence=[
                        NewEvidence(
                            "supports" if number % 2 else "refutes", fragment=0, confidence=0.9, quote=text, reason=text
                        )
                    ],
                )
            ],
            task_id=task.id,
        )
        yield f"/n/{added.claims[0].id}"
        yield f"/n/{added.page.id}"
        yield f"/n/{added.fragments[0].id}"
    memory.update_task(task.id, status="completed", result_summary=VECTORS[1])
    yield f"/task/{task.id}"
    for view in memory.views():
        yield f"/evidence/{view.name}"
    yield f"/graph?from={ids[0]}&hops=2"
    yield f"/graph?from={ids[0]}&path={ids[0]}..{ids[2]}"
    gone = memory.delete(ids[-1])
    yield f"/n/{gone.node.id}"
    # What stands in the address is text from somebody else, too.
    yield from (f"/?q={_quoted(text)}&ns={_quoted(text)}&by={_quoted(text)}" for text in VECTORS[:6])
    yield from (
        f"/sql?q={_quoted(f'select {chr(39)}{text.replace(chr(39), chr(39) * 2)}{chr(39)}')}" for text in VECTORS[:3]
    )
    yield from (f"/n/{_quoted(VECTORS[1])}", f"/evidence/{_quoted(VECTORS[0])}", f"/graph?from={_quoted(VECTORS[1])}")


def _quoted(text):
    return quote(text, safe="")


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_no_text_of_the_memory_or_the_address_runs_or_becomes_a_part_of_the_page(pages_of, hostile_service, step):
    """On every change on every kind of page, and on every third of a statement: their texts are of all kinds."""
    base, paths = hostile_service
    statements = [path for path in paths if path.startswith("/n/")]
    paths = [path for path in paths if path not in statements or path in statements[::step]]
    # A refusal that the address deserves is told in the console by the browser itself.
    with pages_of(base) as page_at:
        page = page_at("/?q=boiler", allow="Failed to load resource")
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        for path in paths:
            page.evaluate(
                "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }", path
            )
            settled(page)
            assert page.evaluate(_OUT_OF_TEXT) == [], path
        assert [url for url in asked if not url.startswith(base)] == []


def test_a_text_is_seen_as_it_was_saved(pages_of, hostile_service):
    base, _ = hostile_service
    with pages_of(base) as page_at:
        page = page_at("/?q=boiler+note+1&mode=search")
        assert VECTORS[1] in page.inner_text("main")
