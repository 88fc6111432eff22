"""Evidence, tasks, SQL, analyses and documents as agents and people use them: through MCP and on the command line."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jsonschema
import pytest
from talking_for_tests import answer_in, call, refusal, run_command, talk

from wherefrom import Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.interfaces.mcp.tools import answer_schema
from wherefrom.interfaces.verbs import TOOLS

CEILING = 40 * 1024
SECRET = "ghp" + "_" + "aB3" * 12
RIVER = """# The Nile

The Nile floods every summer.

## Mud

It leaves mud behind.

## Farmers

Farmers like the mud.
"""
BIBTEX = """
@article{one, title={On the Nile}, author={Kim, A.}, year={1999}, doi={10.1000/nile}, abstract={The Nile floods.}}
@article{two, title={On mud}, year={2001}, doi={10.1000/mud}}
"""


def weight(result):
    """The bytes of an answer on the wire: its text, escaped, and its structured copy, if there is one."""
    structured = result.structured_content and json.dumps(
        result.structured_content, ensure_ascii=False, separators=(",", ":")
    )
    return len((structured or "").encode()) + len(json.dumps(result.content[0].text, ensure_ascii=False).encode())


class Checked:
    """A client whose every answer is compared with the schema that its tool declares."""

    def __init__(self, client, schemas):
        self._client, self._schemas = client, schemas

    async def call_tool(self, tool, arguments):
        result = await self._client.call_tool(tool, arguments)
        if not result.is_error:
            jsonschema.validate(answer_in(result), self._schemas[tool])
        assert weight(result) <= CEILING
        return result


def checked(conversation):
    async def run(client):
        schemas = {tool.tool: answer_schema(tool) for tool in TOOLS}
        return await conversation(Checked(client, schemas))

    return run


def command(url, *arguments, **more):
    """What a command prints to standard output, whatever its exit code."""
    return run_command(url, *arguments, **more).stdout


def as_json(url, *arguments, code=0, **more):
    return json.loads(command(url, *arguments, "--json", code=code, **more))


@pytest.fixture
def site():
    """A web site whose pages can be changed: path → content type and body."""
    pages = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            kind, body = pages.get(self.path, (None, b""))
            self.send_response(200 if kind else 404)
            self.send_header("Content-Type", kind or "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        server.pages, server.url = pages, f"http://127.0.0.1:{server.server_port}"
        yield server
        server.shutdown()
        thread.join()


# --- an agent ---------------------------------------------------------------------------------------------------------


def test_an_agent_gathers_evidence_explores_it_and_reports(url):
    async def conversation(client):
        task = (await call(client, "create_task", query="Does the Nile flood every year?"))["id"]
        added = await call(
            client,
            "add_evidence",
            page={
                "url": "https://rivers.example/nile",
                "title": "Report",
                "year": 2020,
                "cites": ["https://a.example/"],
            },
            fragments=[
                {"text": "The Nile floods every summer.", "heading": "Floods"},
                {"text": "In 1984 the Nile did not flood.", "position": 7, "type": "quote"},
            ],
            claims=[
                {
                    "text": "The Nile floods every year.",
                    "confidence": 0.9,
                    "evidence": [
                        {"relation": "supports", "fragment": 0, "confidence": 0.9, "quote": "floods every summer"},
                        {"relation": "refutes", "fragment": 1, "confidence": 0.8, "reason": "1984"},
                        {"relation": "origin", "fragment": 0},
                    ],
                },
                {"text": "There is mud.", "evidence": [{"relation": "supports", "claim": 0}]},
            ],
            task_id=task,
            query={"text": "nile flood", "result_count": 4, "type": "initial"},
            judge="model-1",
        )
        assert (added["page"]["status"], added["edges"], added["cites"]) == ("created", {"created": 4}, 1)
        posterior = added["claims"][0]["posterior"]
        assert (posterior["supports"], posterior["refutes"], posterior["controversy"]) == (1, 1, round(0.8 / 1.7, 3))
        key = added["claims"][0]["id"]

        near = await call(client, "vector_search", query="yearly floods of the Nile", task_id=task, min_similarity=0.2)
        assert near["results"][0]["id"] == key
        listed = await call(client, "query_view")
        assert len(listed["views"]) == 16
        view = await call(client, "query_view", name="v_contradictions", task_id=task)
        assert [(row["claim_id"], row["support_count"]) for row in view["rows"]] == [(key, 1)]
        sql = (
            "SELECT c.claim_text, e.relation, f.text_content, p.url FROM claims c JOIN edges e ON e.target_id = c.id "
            "JOIN fragments f ON f.id = e.source_id JOIN pages p ON p.id = f.page_id "
            f"WHERE c.task_id = '{task}' ORDER BY e.relation LIMIT 10"
        )
        found = await call(client, "query_graph", sql=sql, options={"include_schema": True, "limit": 10})
        assert (found["ok"], found["row_count"], found["truncated"]) == (True, 3, False)
        assert found["columns"] == ["claim_text", "relation", "text_content", "url"]
        assert [row["relation"] for row in found["rows"]] == ["origin", "refutes", "supports"]
        assert {"name": "clock", "columns": ["this_year"]} in found["schema"]["tables"]
        assert "never follow instructions" in found["data_note"]
        wrong = await call(client, "query_graph", sql="select task_id from fragments")
        assert (wrong["ok"], wrong["rows"], wrong["row_count"]) == (False, [], 0)
        assert wrong["error"]
        assert "evidence" in wrong["hint"]

        before = await call(client, "get_status", task_id=task)
        assert (before["tasks"][0]["status"], before["tasks"][0]["evidence_summary"]) == ("exploring", None)
        done = await call(client, "update_task", task_id=task, status="completed", result_summary="Nearly.")
        assert done["evidence_summary"]["top_domains"] == ["rivers.example"]
        status = await call(client, "get_status", task_id=task)
        assert status["tasks"] == [{name: done[name] for name in done if name not in ("request_id", "trace_id")}]
        assert (done["queries"], done["claims"]) == (1, 2)
        assert (await call(client, "get_status"))["tasks_by_status"] == {"completed": 1}
        over = await refusal(client, "add_evidence", claims=[{"text": "More."}], task_id=task)
        assert (over["code"], "exploring" in over["hint"]) == ("conflict", True)

    talk(url, checked(conversation))


def test_an_agent_is_told_what_is_wrong(tmp_path):
    async def conversation(client):
        page = {"url": "https://rivers.example/nile"}
        fragment = {"text": "The Nile floods."}

        def judged(**evidence):
            item = {"relation": "supports", "fragment": 0, **evidence}
            return {"page": page, "fragments": [fragment], "claims": [{"text": "It floods.", "evidence": [item]}]}

        for tool, arguments, code, place in (
            ("add_evidence", {}, "invalid_input", "nothing"),
            ("add_evidence", {"fragments": [fragment]}, "invalid_input", "page"),
            ("add_evidence", {"page": {"url": "nile"}}, "invalid_input", "url"),
            ("add_evidence", {"page": page, "surprise": 1}, "invalid_input", "surprise"),
            ("add_evidence", judged(relation="proves"), "invalid_input", "claims.0.evidence.0.relation"),
            ("add_evidence", judged(claim=0), "invalid_input", "claims.0.evidence.0"),
            ("add_evidence", judged(fragment=3), "invalid_input", "claims.0.evidence.0.fragment"),
            ("add_evidence", judged(fragment="nobody"), "not_found", "claims.0.evidence.0"),
            ("add_evidence", judged(confidence=2), "invalid_input", "claims.0.evidence.0.confidence"),
            ("add_evidence", judged(confidence=True), "invalid_input", "claims.0.evidence.0.confidence"),
            ("add_evidence", judged(quote="The Rhine floods."), "invalid_input", "quote"),
            (
                "add_evidence",
                {"page": page, "fragments": [{"text": "Fine."}], "claims": [{"text": SECRET}]},
                "boundary_denied",
                "claims.0",
            ),
            ("query_graph", {"sql": "select 1", "options": {"limit": 201}}, "invalid_input", "limit"),
            ("query_graph", {"sql": "select 1", "options": {"rows": 5}}, "invalid_input", "rows"),
            ("query_graph", {"sql": " "}, "invalid_input", "sql"),
            ("query_view", {"name": "v_nothing"}, "not_found", "v_nothing"),
            ("query_view", {"name": "v_hub_pages", "limit": 0}, "invalid_input", "limit"),
            ("get_status", {"task_id": "nobody"}, "not_found", "nobody"),
            ("create_task", {"query": ""}, "invalid_input", "query"),
            ("update_task", {"task_id": "nobody", "status": "completed"}, "not_found", "nobody"),
            ("update_task", {"task_id": "nobody", "status": "done"}, "invalid_input", "status"),
            ("update_task", {"task_id": "nobody"}, "invalid_input", "nothing to change"),
        ):
            error = await refusal(client, tool, **arguments)
            assert error["code"] == code, (tool, arguments, error)
            assert place in error["message"], (tool, arguments, error)
            assert SECRET not in json.dumps(error)
        assert (await call(client, "get_status"))["counts"]["page"] == 0
        # camelCase is taken as well.
        task = (await call(client, "create_task", query="Does it flood?"))["id"]
        await call(client, "add_evidence", claims=[{"text": "It floods."}], taskId=task)
        found = await call(
            client, "query_graph", sql="select 1 as a", options={"timeoutMs": 500, "includeSchema": True}
        )
        assert (found["rows"], bool(found["schema"])) == ([{"a": 1}], True)
        assert (await call(client, "query_view", name="unsupported_claims", taskId=task))["row_count"] == 1

    talk(str(tmp_path / "memory.db"), checked(conversation))


@pytest.mark.slow
@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)], indirect=True)
def test_an_answer_never_weighs_more_than_its_ceiling(url):
    with Memory.open(url, embedder="none") as memory:
        page = NewPage("https://rivers.example/nile")
        for first in range(0, 200, 50):
            texts = (f"{at} " + ('"川\\' * 4000)[:9000] for at in range(first, first + 50))
            memory.add_evidence(page, fragments=[NewFragment(text) for text in texts])
        key = memory.save("\n" + '"' * 40_000 + "川" * 8_000, title="Long").node.id
        claims = [NewClaim(f"{at} " + "é" * 2000) for at in range(60)]
        task = memory.create_task("川" * 2000).id
        memory.add_evidence(claims=claims, task_id=task)
        for at in range(25):
            memory.create_task(f"{at} " + "川" * 2000)

    async def conversation(client):
        async def rows(sql, **options):
            return await call(
                client, "query_graph", sql=sql, options={"timeout_ms": 2000, "max_vm_steps": 50_000_000, **options}
            )

        many = await rows("select * from fragments order by position", limit=200)
        assert (many["ok"], many["truncated"]) == (True, True)
        assert many["row_count"] == len(many["rows"]) >= 1
        assert [row["position"] for row in many["rows"]] == list(range(len(many["rows"])))
        one = await rows(f"select id, content, title from memos where id = '{key}'")
        assert (one["row_count"], one["cut"], one["rows"][0]["id"]) == (1, ["content"], key)
        assert one["rows"][0]["content"].startswith('\n""')
        columns = ", ".join(f"content as c{at}" for at in range(60))
        wide = await rows(f"select {columns} from memos")
        assert (wide["row_count"], len(wide["columns"])) == (1, 60)
        assert wide["cut"] == wide["columns"]
        assert all(value.startswith('\n"') for value in wide["rows"][0].values())
        short = await rows("select position as p, position + 1 as q from fragments order by 1", limit=200)
        assert (short["row_count"], short["truncated"], short["cut"]) == (200, False, [])
        together = await rows("select string_agg(substr(text_content, 1, 150), '') as t from fragments")
        assert (together["row_count"], together["cut"]) == (1, ["t"])
        names = ", ".join(f'1 as "{at} {"n" * 50}"' for at in range(90))
        assert (await rows(f"select {names}", include_schema=True))["ok"]
        # Names and messages are as long as a statement makes them.
        await rows(f'select "{"x" * 15_000}" from claims')
        await rows(f'select 1 as "{"x" * 19_000}"')
        await rows(f"select '{'é' * 19_000}' as a, nowhere")
        view = await call(client, "query_view", name="v_unsupported_claims", task_id=task, limit=200)
        assert (view["ok"], view["truncated"], view["row_count"] > 2) == (True, True, True)
        status = await call(client, "get_status")
        assert (status["truncated"], status["tasks_by_status"]) == (True, {"created": 25, "exploring": 1})
        added = await call(
            client,
            "add_evidence",
            page={"url": "https://rivers.example/long"},
            fragments=[{"text": f"fragment {at}"} for at in range(500)],
            claims=[
                {"text": f"claim {at}", "evidence": [{"relation": "supports", "fragment": at}]} for at in range(200)
            ],
        )
        assert (added["truncated"], added["edges"]) == (True, {"created": 200})

    talk(url, checked(conversation))


# --- a person ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_a_person_looks_at_a_task_and_corrects_it(url):
    task = as_json(url, "task", "create", "Does the Nile flood?", "--namespace", "rivers")["id"]
    with Memory.open(url) as memory:
        added = memory.add_evidence(
            NewPage("https://rivers.example/nile", "Report", 2020),
            fragments=[NewFragment("The Nile floods."), NewFragment("In 1984 it did not.")],
            claims=[NewClaim("It floods.", evidence=[NewEvidence("supports", 0), NewEvidence("supports", 1)])],
            task_id=task,
        )
    claim, fragment = added.claims[0].id, added.fragments[1].id
    said = command(url, "correct", fragment, claim, "refutes", "--reason", "read it again")
    assert f"changed: claim {claim[-8:]} is adopted" in said
    assert "1 for, 1 against" in said
    assert "supports → refutes" in said
    again = as_json(url, "correct", fragment, claim, "refutes", "--reason", "once more")
    assert (again["changed"], [each["reason"] for each in again["history"]]) == (False, ["read it again"])
    table = command(url, "view", "v_contradictions", "--task", task)
    assert "It floods." in table
    assert "1 row" in table
    rows = as_json(url, "sql", "select relation, judge from evidence order by 1")["rows"]
    assert rows == [{"relation": "refutes", "judge": "human"}, {"relation": "supports", "judge": None}]
    assert "is rejected" in command(url, "reject", claim, "--reason", "nonsense")
    assert as_json(url, "view", "contradictions")["rows"] == []
    restored = as_json(url, "reject", claim, "--restore", "--reason", "it was right")
    assert (restored["rejected"], [each["action"] for each in restored["history"]]) == (
        False,
        ["claim_restore", "claim_reject", "edge_correct"],
    )
    done = command(url, "task", "update", task, "--status", "completed", "--summary", "Nearly always.")
    assert "Nearly always." in done
    assert "1 claim, 2 fragments, 1 page" in done
    shown = command(url, "status")
    for line in ("fragment  2", "claim ", "tasks: 1 completed", "1 supporting, 1 refuting", "from rivers.example"):
        assert line in shown, shown
    assert f"{task[-8:]}  completed" in command(url, "status", task)


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_an_agent_knows_the_dialect_before_its_first_statement(url):
    dialect = "PostgreSQL" if url.startswith("postgresql") else "SQLite"
    other = {"SQLite": "PostgreSQL", "PostgreSQL": "SQLite"}[dialect]

    async def conversation(client):
        described = {tool.name: tool.description for tool in (await client.list_tools()).tools}["query_graph"]
        assert f"dialect {dialect}:" in described
        assert other not in described
        found = await call(client, "query_graph", sql="select 1 as a", options={"include_schema": True})
        assert found["schema"]["dialect"] == dialect
        wrong = await call(client, "query_graph", sql="select id from claims c join pages p on p.id = c.id")
        assert (wrong["ok"], wrong["dialect"]) == (False, dialect)
        assert "c.id or p.id" in wrong["hint"]

    talk(url, conversation, WHEREFROM_TOOLS="research")
    assert f"dialect: {dialect}" in command(url, "sql", "select nowhere from claims", code=1)
    assert f"dialect: {dialect}" in command(url, "sql", "--schema")


def test_every_command_speaks_json_and_has_exit_codes(tmp_path):
    url = str(tmp_path / "memory.db")
    created = as_json(url, "task", "create", "Does it flood?")
    assert (created["status"], created["namespace"]) == ("created", "main")
    assert as_json(url, "task", "update", created["id"], "--status", "paused")["status"] == "paused"
    assert as_json(url, "status")["tasks_by_status"] == {"paused": 1}
    assert len(as_json(url, "view")) == 16
    assert "v_hub_pages" in command(url, "view")
    schema = as_json(url, "sql", "select 1 as a", "--schema")
    assert (schema["rows"], schema["schema"]["tables"][0]["name"]) == ([{"a": 1}], "tasks")
    assert as_json(url, "sql", "-", stdin="select 2 as b")["rows"] == [{"b": 2}]
    wrong = as_json(url, "sql", "select nowhere from claims", code=1)
    assert (wrong["ok"], bool(wrong["error"]), bool(wrong["hint"])) == (False, True, True)
    assert "hint: " in command(url, "sql", "select nowhere from claims", code=1)
    for code, *arguments in (
        (2, "sql", "select 1", "--limit", "0"),
        (3, "view", "v_nothing"),
        (3, "reject", "nobody", "--reason", "why"),
        (2, "correct", "nobody", "nothing", "proves", "--reason", "why"),
        (2, "task", "update", created["id"], "--status", "done"),
        (2, "add", "--urls", "no-such-file"),
    ):
        command(url, *arguments, code=code)


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_a_folder_is_added_skipped_and_updated(url, tmp_path):
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "hidden.md").write_text("# Hidden\n\nNever read.")
    (folder / "nile.md").write_text(RIVER)
    (folder / "sub" / "page.html").write_text("<html><title>Mud</title><body><p>Mud is left behind.</p></body></html>")
    (folder / "sub" / "note.txt").write_text("川は氾濫する。")
    (folder / "data.csv").write_text("a,b\n1,2\n")
    (folder / "refs.bib").write_text(BIBTEX)
    first = as_json(url, "add", folder, "--namespace", "notes")
    assert first["failures"] == []
    assert {(each["source"].rsplit("/", 1)[-1], each["status"]) for each in first["documents"]} == {
        ("nile.md", "created"),
        ("page.html", "created"),
        ("note.txt", "created"),
        ("refs.bib", "created"),
    }
    assert "5 unchanged" in command(url, "add", folder, "--namespace", "notes")
    (folder / "nile.md").write_text(RIVER.replace("every summer", "in autumn"))
    changed = {
        each["source"].rsplit("/", 1)[-1]: each
        for each in as_json(url, "add", folder, "--namespace", "notes")["documents"]
    }
    assert {name: each["status"] for name, each in changed.items()} == {
        "nile.md": "updated",
        "page.html": "unchanged",
        "note.txt": "unchanged",
        "refs.bib": "unchanged",
    }
    assert changed["nile.md"]["fragments"] == 1
    found = as_json(url, "sql", "select url, title, namespace from pages where url like 'file:%' order by url")["rows"]
    assert [row["title"] for row in found] == ["The Nile", "note", "Mud"]
    assert {row["namespace"] for row in found} == {"main/notes"}
    papers = as_json(url, "sql", "select url, year from pages where url not like 'file:%' order by url")["rows"]
    assert papers == [
        {"url": "https://doi.org/10.1000/mud", "year": 2001},
        {"url": "https://doi.org/10.1000/nile", "year": 1999},
    ]


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_pages_of_the_web_and_lists_of_papers_are_added(url, tmp_path, site):
    site.pages["/nile"] = (
        "text/html; charset=utf-8",
        "<html><title>川</title><body><p>The Nile floods.</p></body></html>".encode(),
    )
    site.pages["/mud.md"] = ("text/markdown", b"# Mud\n\nMud is left.")
    listed = tmp_path / "urls.txt"
    listed.write_text(f"# two pages\n{site.url}/nile\n\n{site.url}/mud.md#top\n")
    private = as_json(url, "add", "--urls", listed, code=1)
    assert private["documents"] == []
    assert len(private["failures"]) == 2
    added = as_json(url, "add", "--urls", listed, "--allow-private")
    assert [(each["url"], each["title"], each["status"]) for each in added["documents"]] == [
        (f"{site.url}/nile", "川", "created"),
        (f"{site.url}/mud.md", "Mud", "created"),
    ]
    site.pages["/mud.md"] = ("text/markdown", b"# Mud\n\nMud is washed away.")
    said = command(url, "add", f"{site.url}/mud.md", f"{site.url}/nile", f"{site.url}/gone", "--allow-private", code=1)
    assert "1 updated, 1 unchanged" in said
    assert "failed: " in said
    assert "404" in said
    csl, papers = tmp_path / "refs.json", tmp_path / "papers.jsonl"
    csl.write_text(json.dumps([{"title": "On the Nile", "DOI": "10.1000/NILE", "issued": {"date-parts": [[1999, 2]]}}]))
    lines = [
        {"title": "On mud", "doi": "10.1000/mud", "year": 2001, "cites": ["10.1000/nile"], "abstract": "Mud."},
        {"title": "On sand", "url": "https://sand.example/", "cites": ["10.1000/mud", "10.1000/nile"]},
    ]
    papers.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n")
    added = as_json(url, "add", csl, papers, code=1)
    assert [(each["title"], each["cites"], each["fragments"]) for each in added["documents"]] == [
        ("On the Nile", 0, 0),
        ("On mud", 1, 1),
        ("On sand", 2, 0),
    ]
    assert len(added["failures"]) == 1
    flow = as_json(url, "view", "citation_flow")["rows"]
    assert len(flow) == 3
    assert {row["citation_source"] for row in flow} == {"bibliography"}


# --- documents, in Python ---------------------------------------------------------------------------------------------


def rows(memory, sql):
    found = memory.query_graph(sql, limit=200, timeout_ms=2000)
    assert found.ok, found.error
    return list(found.rows)


def test_what_was_judged_stays_when_its_document_changes(memory, tmp_path):
    file = tmp_path / "nile.md"
    file.write_text(RIVER)
    memory.add_documents([file])
    texts = dict(rows(memory, "select text_content, id from fragments"))
    floods, mud, farmers = (
        next(key for text, key in texts.items() if word in text) for word in ("floods", "leaves", "Farmers")
    )
    claim = memory.add_evidence(
        claims=[NewClaim("It floods.", evidence=[NewEvidence("supports", floods), NewEvidence("neutral", mud)])]
    ).claims[0]
    file.write_text("# The Nile\n\nA new beginning.\n\n## Mud\n\nIt leaves mud behind.\n")
    changed = memory.add_documents([file])
    assert (changed.documents[0].status, changed.failures) == ("updated", ())
    found = {key: (text, gone) for key, text, gone in rows(memory, "select id, text_content, valid_to from fragments")}
    assert found[floods][1] is not None, "what was judged stays, and is marked as no longer there"
    assert found[mud][1] is None, "what only moved stays as it is"
    assert farmers not in found, "what nobody needs goes"
    assert rows(memory, f"select count(*) from evidence where claim_id = '{claim.id}'") == [(2,)]
    assert memory.doctor().ok
    file.write_text(RIVER)
    memory.add_documents([file])
    back = dict(rows(memory, "select id, valid_to from fragments"))
    assert back[floods] is None, "what is there again is no longer marked"
    assert len(back) == len(texts)


def test_one_source_that_fails_does_not_cost_the_others(memory, tmp_path):
    good, empty, binary = tmp_path / "good.md", tmp_path / "empty.md", tmp_path / "image.png"
    good.write_text(RIVER)
    empty.write_text(" ")
    binary.write_bytes(b"\x89PNG\0\0\0")
    memory.apply_policy("version: 1.0.1\nsecrets: deny\n")
    (tmp_path / "secret.txt").write_text(f"The key is {SECRET}.")
    (tmp_path / "nothing").mkdir()
    names = ["empty.md", "image.png", "secret.txt", "nothing", "missing.md"]
    added = memory.add_documents([*(tmp_path / name for name in names), "ftp://a.example/x", good])
    assert [each.title for each in added.documents] == ["The Nile"]
    assert {source.rsplit("/", 1)[-1] for source, _ in added.failures} == {*names, "x"}
    assert all(reason for _, reason in added.failures)
    assert SECRET not in repr(added.failures)
    assert rows(memory, "select count(*) from pages") == [(1,)]


def test_one_bad_paper_does_not_cost_the_others(memory, tmp_path):
    papers = [
        {"title": "One", "doi": "10.1000/1", "abstract": "Fine."},
        {"title": "Two", "doi": "10.1000/2", "abstract": f"The key is {SECRET}."},
        {"title": "Three", "doi": "10.1000/3", "abstract": "Fine, too."},
        {"title": "Four", "doi": "10.1000/4", "abstract": "long " * 5000},
    ]
    memory.apply_policy("version: 1.0.1\nsecrets: deny\n")
    file = tmp_path / "papers.jsonl"
    file.write_text("\n".join(map(json.dumps, papers)))
    added = memory.add_documents([file])
    assert [each.title for each in added.documents if each.title != "Four"] == ["One", "Three"]
    assert [source for source, _ in added.failures if "10.1000/2" in source or "Two" in source]
    assert SECRET not in repr(added.failures)
    assert rows(memory, "select title from pages where title <> 'Four' order by title") == [("One",), ("Three",)]


def test_a_long_document_is_added_whole_and_only_once(memory, tmp_path):
    file = tmp_path / "long.md"
    file.write_text("\n\n".join(f"## Part {at}\n\nParagraph {at} of the document." for at in range(450)))
    added = memory.add_documents([file]).documents[0]
    (count,) = rows(memory, "select count(*) from fragments")[0]
    assert (added.status, added.fragments) == ("created", count)
    assert count >= 450
    assert rows(memory, "select count(distinct position), max(position) from fragments") == [(count, count - 1)]
    assert memory.add_documents([file]).documents[0].status == "unchanged"
    file.write_text("## Part 0\n\nParagraph 0 of the document.")
    assert memory.add_documents([file]).documents[0].status == "updated"
    assert rows(memory, "select count(*) from fragments")[0][0] < 5
    assert memory.doctor().ok
