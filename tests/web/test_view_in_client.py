"""The view that MCP clients show, in a sandboxed frame of a page that plays the client's part."""

from __future__ import annotations

import json
from importlib.resources import files

from web_for_tests import collected

_HOST = """(given) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  const asked = [];
  const send = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
  addEventListener("message", ({source, data}) => {
    if (source !== frame.contentWindow) return;
    asked.push(data.method);
    if (data.method === "ui/initialize") send({id: data.id, result: {hostCapabilities: {serverTools: {}}, hostContext: {theme: "dark"}}});
    if (data.method === "ui/notifications/initialized") {
      send({method: "ui/notifications/tool-input", params: {arguments: given.input}});
      send({method: "ui/notifications/tool-result", params: given.result});
    }
    if (data.method === "tools/call") send({id: data.id, result: given.more});
    if (data.method === "ui/notifications/size-changed") resolve(asked);
  });
  frame.srcdoc = given.html;
  document.body.append(frame);
})"""
HTML = files("wherefrom.interfaces.mcp").joinpath("view.html").read_text(encoding="utf-8")
HOSTILE = "<img src=x onerror=parent.postMessage(1)>"


def shown(browser, result, *, given=None, more=None):
    """What the view shows for the result of a tool, and a function that ends it."""
    page = browser.new_page()
    wrong = collected(page)
    page.goto("about:blank")
    page.evaluate(_HOST, {"html": HTML, "result": result, "input": given or {}, "more": more})
    return page.frames[1], page, wrong


def text_of(answer):
    return {"content": [{"type": "text", "text": json.dumps(answer)}]}


def test_a_claim_is_shown_with_both_sides_and_its_texts_are_texts(browser):
    sides = [
        {"node": {"content": HOSTILE if tag == "refutes" else "It rose.", "domain": "journal.example", "year": 2005, "namespace": "main"},
         "relation": {"tag": tag, "judge": "model-a", "confidence": 0.9}}
        for tag in ("supports", "refutes")
    ]  # fmt: skip
    posterior = {
        "confidence": 0.6,
        "uncertainty": 0.2,
        "supports": 1,
        "refutes": 1,
        "neutral": 0,
        "pages": 2,
        "domains": 1,
    }
    evidence = {"claim": {"content": "Coffee raises pressure."}, "posterior": posterior, "evidence": sides}
    frame, page, wrong = shown(browser, {**text_of({"kind": "claim"}), "_meta": {"wherefrom/evidence": evidence}})
    words = frame.inner_text("main")
    assert "Coffee raises pressure." in words and "1 for, 1 against" in words and HOSTILE in words
    assert frame.locator("img").count() == 0 and wrong == []
    page.close()


def test_relations_are_drawn_and_listed_and_can_be_followed(browser):
    def relations(*ends):
        nodes = [{"id": end, "title": end.upper(), "kind": "memo"} for pair in ends for end in pair]
        edges = [{"source_id": one, "target_id": other, "tag": "supports", "weight": 0.8} for one, other in ends]
        return text_of({"nodes": nodes, "edges": edges})

    frame, page, wrong = shown(
        browser, relations(("a", "b"), ("b", "c")), given={"start_memo_id": "a"}, more=relations(("c", "d"))
    )
    assert frame.locator("circle").count() == 3 and frame.locator("li").count() == 2
    frame.get_by_role("button", name="C").click()
    frame.get_by_role("button", name="D").wait_for()
    assert frame.locator("circle").count() == 4 and wrong == []
    page.close()
