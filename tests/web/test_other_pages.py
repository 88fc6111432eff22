"""What pages of others, and whoever looks over the shoulder, get of a service that a browser uses: nothing."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from service_for_tests import running_service
from web_for_tests import settled

from wherefrom import Client, Memory

_ATTACK = """<!doctype html><title>elsewhere</title><form method=post action="{base}/api/save" enctype="text/plain" target=f>
<input name='{{"content":"forged by a form","x":"' value='"}}'></form><iframe name=f></iframe>"""
_FETCHES = """async (base) => {
  const tries = [];
  for (const mode of ["cors", "no-cors"]) for (const type of ["application/json", "text/plain"]) for (const credentials of ["include", "omit"]) {
    try {
      const answer = await fetch(base + "/api/save", {method: "POST", mode, credentials, headers: {"Content-Type": type}, body: JSON.stringify({content: "forged by a script"})});
      tries.push(answer.type === "opaque" ? "opaque" : await answer.text());
    } catch (error) { tries.push("refused"); }
  }
  try { tries.push(await (await fetch(base + "/api/events")).text()); } catch (error) { tries.push("refused"); }
  return tries;
}"""


@pytest.fixture
def elsewhere(tmp_path):
    """The address of a page of another origin, which `{base}` in its text is filled in for."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self):
            text = self.server.text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_page_of_another_origin_writes_and_reads_nothing(browser, elsewhere, tmp_path):
    server, other = elsewhere
    with running_service(str(tmp_path / "memory.db")) as base:
        server.text = _ATTACK.format(base=base)
        context = browser.new_context()
        page = context.new_page()
        page.goto(other)
        assert set(page.evaluate(_FETCHES, base)) <= {"refused", "opaque"}
        page.evaluate("document.forms[0].submit()")
        page.wait_for_timeout(300)
        assert context.cookies() == []
        context.close()
        with Client(base) as memory:
            assert memory.list().nodes == ()


def test_the_page_cannot_be_framed_and_lets_only_its_own_files_run(example_service):
    with httpx2.Client(trust_env=False) as client:
        for path in ("/", "/n/x", "/care/review", "/setup/keys", "/sql?q=1"):
            answer = client.get(example_service + path)
            policy = answer.headers["content-security-policy"]
            assert "script-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
            assert answer.headers["x-frame-options"] == "DENY"
            assert "set-cookie" not in answer.headers
            assert "<script>" not in answer.text and " style=" not in answer.text


def test_a_path_leads_to_no_file_outside_the_page(example_service):
    with httpx2.Client(trust_env=False) as client:
        for path in (
            "/assets/../web_page.py",
            "/assets/%2e%2e/web_page.py",
            "/assets/..%2fweb_page.py",
            "/assets//etc/passwd",
            "/assets/",
        ):
            answer = client.get(example_service + path)
            assert answer.status_code in (400, 404, 401) or "docstring" not in answer.text
            assert "def " not in answer.text and "root:" not in answer.text


def test_a_key_stays_in_its_tab_and_is_in_no_address_or_log(pages_of, tmp_path, capfd):
    file = tmp_path / "memory.db"
    with Memory.open(file) as memory:
        memory.save("Only with a key.")
        key = memory.create_key("reader", role="read").secret
    with running_service(str(file)) as base, pages_of(base) as page_at:
        # The browser tells of the refusal of the first call without a key.
        page = page_at("/?q=key", wait=False, allow="401")
        asked = []
        page.on("request", lambda request: asked.append((request.url, dict(request.headers))))
        page.fill("input[type=password]", key)
        page.click("form.key-form button[type=submit]")
        page.get_by_text("Only with a key.").first.wait_for()
        settled(page)
        assert any(key in headers.get("authorization", "") for _, headers in asked)
        assert not any(key in url for url, _ in asked)
        assert key not in page.url and key not in page.content()
        assert key not in page.evaluate("JSON.stringify({...localStorage})")
        assert page.context.cookies() == []
        other = page.context.new_page()
        other.goto(base)
        other.locator("input[type=password]").wait_for()
        other.close()
    out, err = capfd.readouterr()
    assert key not in out + err


def test_a_reader_is_offered_nothing_that_it_may_not_do(pages_of, tmp_path):
    file = tmp_path / "memory.db"
    with Memory.open(file) as memory:
        saved = memory.save("Read me, do not write me.")
        key = memory.create_key("reader", role="read").secret
    with running_service(str(file)) as base, pages_of(base) as page_at:
        page = page_at(f"/n/{saved.node.id}", wait=False, allow="40")
        page.fill("input[type=password]", key)
        page.click("form.key-form button[type=submit]")
        page.get_by_text("Read me, do not write me.").first.wait_for()
        settled(page)
        words = page.inner_text("main").lower()
        assert (
            not page.get_by_role("button", name="Forget").is_visible()
            or page.get_by_role("button", name="Forget").is_disabled()
        ), words


def test_requests_name_no_other_host(page_at, example_service):
    page = page_at("/", wait=False)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    settled(page)
    assert asked and all(url.startswith(example_service) for url in asked), json.dumps(asked)
