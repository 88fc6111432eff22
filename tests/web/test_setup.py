"""Setting up in a browser: status, namespaces, policies, keys, and files that are dropped."""

from __future__ import annotations

import pytest
from service_for_tests import running_service
from web_for_tests import settled

from wherefrom import Client, Memory

NOTE = b"# Tides\n\nThe tide turns about every six hours and twelve minutes, everywhere on this coast.\n"
DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def own_service(tmp_path_factory):
    """A service that tests of this module write to."""
    file = tmp_path_factory.mktemp("setup") / "memory.db"
    with Memory.open(file) as memory:
        memory.save("The gate opens at nine.", namespace="gate")
        memory.save("Anna keeps the key of the boat house.", namespace="boats")
    with running_service(str(file)) as base:
        yield base


@pytest.fixture
def page_of_own(pages_of, own_service):
    with pages_of(own_service) as page_at:
        yield page_at


def test_the_status_says_in_words_what_is_there_and_follows_changes(page_of_own, own_service):
    page = page_of_own("/setup/status")
    said = page.inner_text("main")
    assert "2 notes" in said and "admin: you may do everything" in said and "SQLite" in said
    with Client(own_service) as client:
        saved = client.save("A third note.")
        page.get_by_text("3 notes").wait_for()
        client.delete(saved.node.id)


def test_a_namespace_is_renamed_and_back(page_of_own, own_service):
    page = page_of_own("/setup/namespaces")
    page.get_by_role("button", name="Rename: main/gate").click()
    page.get_by_label("New path").fill("main/door")
    assert "move from main/gate to main/door" in page.inner_text("dialog")
    page.get_by_role("button", name="Rename it").click()
    page.get_by_text("main/gate is now main/door: 1 moved").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Rename: main/gate").wait_for()
    with Client(own_service) as client:
        assert "main/gate" in {item.namespace for item in client.namespaces().items}
    page.get_by_role("link", name="Ask here: main/gate").click()
    page.get_by_text("The gate opens at nine.").first.wait_for()
    assert "boat house" not in page.inner_text("main")


def test_a_policy_is_checked_tried_put_in_force_and_taken_back(page_of_own, own_service):
    page = page_of_own("/setup/policies?ns=main/gate", allow="400")
    editor = page.get_by_label("Policy (YAML)")
    apply = page.get_by_role("button", name="Put it in force")
    editor.fill("version: 1.0.1\nscopes:\n  sesion: {ttl_days: 1}\n")
    page.get_by_role("button", name="Check it").click()
    page.get_by_text("line 3: unknown key 'sesion'").wait_for()
    page.get_by_role("button", name="Go to line 3").click()
    assert (
        editor.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)")
        == "  sesion: {ttl_days: 1}"
    )
    assert apply.is_disabled()
    editor.fill("version: 1.0.1\nscopes:\n  session: {ttl_days: 1}\n")
    page.get_by_role("button", name="Try it on what is stored").click()
    page.get_by_text("1 stored texts were looked at; none of them would change.").wait_for()
    apply.click()
    page.get_by_text("Version 1.0.1 is in force in main/gate.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("rowheader", name="1.0.2").wait_for()
    with Client(own_service) as client:
        assert [version.version for version in client.policy("main/gate")] == ["1.0.2", "1.0.1"]
    page.get_by_label("Text", exact=True).fill("The password is hunter2hunter2, write to anna@example.org.")
    page.get_by_role("button", name="Try the text").click()
    page.locator(".said.good, .said.bad").filter(has_text="by the policies").wait_for()


def test_dropped_files_are_read_and_each_says_what_became_of_it(page_of_own, own_service, tmp_path):
    page = page_of_own("/setup/import?ns=main/sea", allow="400")
    page.evaluate(DROP, ["tides.md", NOTE.decode()])
    page.get_by_text("Added: Tides, 1 quotation.").wait_for()
    page.set_input_files("input[type=file]", {"name": "tides.md", "mimeType": "text/markdown", "buffer": NOTE})
    page.get_by_text("Unchanged: Tides.").wait_for()
    page.set_input_files("input[type=file]", {"name": "photo.bin", "mimeType": "", "buffer": b"\0\1\2" * 50})
    page.get_by_text("is binary and of no format that can be read").wait_for()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download everything").click()
    downloading.value.save_as(tmp_path / "export.jsonl")
    lines = (tmp_path / "export.jsonl").read_text(encoding="utf-8")
    assert "six hours and twelve minutes" in lines
    (tmp_path / "more.jsonl").write_text(lines + '{"type": "node", "content": 5}\n', encoding="utf-8")
    page.set_input_files("input[type=file]", tmp_path / "more.jsonl")
    page.get_by_text("1 lines were left out").wait_for()
    page.set_input_files("input[type=file]", tmp_path / "export.jsonl")
    page.get_by_text("Nothing changed: all of it was here already.").wait_for()


def test_the_first_key_is_shown_once_and_lets_this_tab_go_on(pages_of, tmp_path):
    with running_service(str(tmp_path / "memory.db")) as base, pages_of(base) as page_at:
        page = page_at("/setup/keys", allow="40")
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.get_by_role("button", name="Make a key").click()
        assert "from then on every caller needs a key" in page.inner_text("dialog")
        page.get_by_role("textbox", name="Name Whose key").fill("anna")
        page.get_by_role("button", name="Make the key").click()
        secret = page.locator(".secret code").inner_text()
        assert secret.startswith("wf_")
        page.get_by_role("button", name="Use it in this tab").click()
        page.get_by_text("This tab uses it now.").wait_for()
        page.get_by_role("rowheader", name="anna").wait_for()
        page.get_by_role("button", name="I have it: hide it").click()
        settled(page)
        assert secret not in page.content() and not any(secret in url for url in asked)
        assert secret not in page.evaluate("JSON.stringify({...localStorage})")
        page.get_by_role("button", name="Make a key").click()
        page.get_by_role("textbox", name="Name Whose key").fill("reader")
        page.get_by_label("Role").select_option("read")
        page.get_by_role("button", name="Make the key").click()
        page.get_by_role("button", name="Revoke: reader").click()
        assert "nobody gets in with it" in page.inner_text("dialog")
        page.get_by_role("button", name="Revoke it").click()
        page.get_by_role("rowheader", name="reader revoked").wait_for()


def test_whoever_leaves_with_the_first_key_unused_is_not_locked_out(pages_of, tmp_path):
    with running_service(str(tmp_path / "memory.db")) as base, pages_of(base) as page_at:
        page = page_at("/setup/keys", allow="40")
        page.get_by_role("button", name="Make a key").click()
        page.get_by_role("textbox", name="Name Whose key").fill("anna")
        page.get_by_role("button", name="Make the key").click()
        page.locator(".secret code").wait_for()
        page.get_by_role("link", name="Status").click()
        page.get_by_text("admin: you may do everything").wait_for()
