"""What a model pays: the list of tools and its answers, over stdio with a real client, in both protocol eras."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import jsonschema
import pytest
from every_tool_for_tests import every_tool, prepared
from forking_for_tests import wherefrom_command
from mcp import Client
from talking_for_tests import answer_in, call, talk, wherefrom

from wherefrom import Memory
from wherefrom.evidence.input import NewFragment, NewPage
from wherefrom.interfaces.lean_items import fitted
from wherefrom.interfaces.mcp.server import instructions, listed_verbs
from wherefrom.interfaces.mcp.tools import answer, answer_schema, listed
from wherefrom.interfaces.verbs import BY_NAME, TOOLS
from wherefrom.text.tokens import count_tokens

EIGHT = [
    "memory_activate", "memory_search", "memory_save", "memory_get", "memory_list", "memory_delete",
    "memory_feedback", "memory_relation_save",
]  # fmt: skip
MAX_ITEM_BYTES, MAX_FRAME_BYTES = 110, 350
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tokens(sets, **given):
    tools = [
        listed(verb, **given).model_dump(mode="json", by_alias=True, exclude_none=True) for verb in listed_verbs(sets)
    ]
    return (len(compact(tools).encode()) + len(instructions().encode())) / 4


def serving(*options):
    return (
        *wherefrom_command(),
        "-c",
        f"import sys; sys.argv = ['wherefrom', 'mcp', *{options!r}, *sys.argv[2:]]; from wherefrom.__main__ import main; main()",
    )


async def names(client: Client):
    return [tool.name for tool in (await client.list_tools()).tools]


def test_the_list_of_tools_costs_few_tokens():
    """Whoever adds a tool, a parameter or a word pays for it here."""
    assert tokens(["memory"]) <= 3_500
    assert tokens(["all"]) <= 11_000


def test_eight_tools_are_listed_and_all_can_be_called(tmp_path):
    async def conversation(client):
        assert await names(client) == EIGHT
        assert (await call(client, "get_status"))["counts"]["memo"] == 0
        assert (await call(client, "memory.list_namespaces"))["items"]
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        assert not any(schemas.values())

    talk(str(tmp_path / "memory.db"), conversation)


@pytest.mark.parametrize(
    ("options", "environment", "sets"),
    [
        (("--tools", "graph"), {}, ["graph"]),
        (("--tools", "memory,research"), {}, ["memory", "research"]),
        (("--tools", "upkeep", "--tools", "graph"), {}, ["upkeep", "graph"]),
        (("--tools", "all"), {}, ["all"]),
        ((), {"WHEREFROM_TOOLS": "research,upkeep"}, ["research", "upkeep"]),
    ],
)
def test_a_set_limits_what_is_listed(tmp_path, options, environment, sets):
    async def conversation(client):
        assert await names(client) == [verb.tool for verb in listed_verbs(sets)]
        always = {"query_graph", "query_view", "vector_search"}
        shapes = {tool.name for tool in (await client.list_tools()).tools if tool.output_schema}
        assert shapes == always & set(await names(client))

    talk(str(tmp_path / "memory.db"), conversation, start=serving(*options), **environment)


def test_an_unknown_set_is_refused(tmp_path):
    said = wherefrom(str(tmp_path / "memory.db"), "mcp", "--tools", "memory,dreams", code=2)
    assert "'dreams' is no set of tools" in said


def test_every_tool_is_in_one_set_and_names_tools_that_there_are():
    assert {verb.tools for verb in TOOLS} == {"memory", "graph", "research", "upkeep"}
    assert [verb.tool for verb in listed_verbs(["memory"])] == EIGHT
    for verb in TOOLS:
        words = listed(verb).description.replace(",", " ").replace(".", " ").replace(";", " ").split()
        named = {word for word in words if word.startswith(("memory_", "query_")) or word in BY_NAME}
        assert named <= BY_NAME.keys() | {"memory_relation_save"}, verb.tool
        assert "Call it first" not in listed(verb).description, verb.tool


@pytest.mark.parametrize(
    ("era", "schemas", "url"),
    [
        pytest.param("legacy", True, "sqlite", id="legacy-schemas-sqlite"),
        pytest.param("2026-07-28", False, "sqlite", id="2026-07-28-text-sqlite"),
        pytest.param("2026-07-28", True, "postgres", id="2026-07-28-schemas-postgres", marks=pytest.mark.slow),
        pytest.param("legacy", False, "postgres", id="legacy-text-postgres", marks=pytest.mark.long),
        # The other combinations of what is above.
        pytest.param("legacy", False, "sqlite", id="legacy-text-sqlite", marks=pytest.mark.long),
        pytest.param("2026-07-28", True, "sqlite", id="2026-07-28-schemas-sqlite", marks=pytest.mark.long),
        pytest.param("legacy", True, "postgres", id="legacy-schemas-postgres", marks=pytest.mark.long),
        pytest.param("2026-07-28", False, "postgres", id="2026-07-28-text-postgres", marks=pytest.mark.long),
    ],
    indirect=["url"],
)
def test_every_tool_answers_lean_and_full_as_its_schema_says(url, era, schemas):
    """With listed schemas the client checks each structured copy as well."""
    with Memory.open(url) as memory:
        ids = prepared(memory)

    async def conversation(client):
        called = set()
        assert len(await names(client)) == len(TOOLS)
        for tool, arguments in every_tool(ids):
            called.add(tool)
            for detail in ("full", "lean") if tool not in ("memory_delete", "memory_relation_delete") else ("lean",):
                result = await client.call_tool(tool, {**arguments, "detail": detail})
                assert not result.is_error, result.content
                said = answer_in(result)
                jsonschema.validate(said, answer_schema(BY_NAME[tool]))
                assert (result.structured_content is None) == (not schemas and not BY_NAME[tool].is_schema_listed)
                if detail == "lean":
                    assert None not in said.values(), tool
                    assert said["request_id"], tool
        assert called == {verb.tool for verb in TOOLS}

    options = ("--tools", "all", *(["--schemas"] * schemas))
    talk(url, conversation, start=serving(*options), mode=era)


def test_tools_that_find_nothing_say_so_in_both_forms(sqlite_memory):
    empty = {
        "memory_list": {"items": []},
        "memory_relation_list": {"root_namespace": "main", "nodes": [], "edges": []},
        "memory_search": {"items": []},
        "memory_activate": {"items": []},
        "history": {"items": []},
        "review": {"pairs": []},
        "list_namespaces": {},
        "restore": {"nodes": 0, "relations": 0, "not_restored": 0},
        "query_graph": {"rows": [], "row_count": 0, "cut": []},
        "get_status": {},
        "find_insight": {"accepted": 0},
        "metabolize": {"nodes_to_go": 0},
        "forget": {"nodes": [], "count": 0, "relations": 0},
    }
    given = {
        "memory_search": {"query": "gate"},
        "memory_activate": {"query": "gate"},
        "restore": {"since": "2020-01-01T00:00:00Z"},
        "forget": {"query": "gate"},
        "query_graph": {"sql": "select id from memos"},
    }
    for tool, expected in empty.items():
        lean = answer(sqlite_memory, tool, given.get(tool, {}))
        assert expected.items() <= lean.items(), tool
        assert None not in lean.values()
        full = answer(sqlite_memory, tool, {**given.get(tool, {}), "detail": "full"})
        jsonschema.validate({**full, "request_id": "a", "trace_id": "b"}, answer_schema(BY_NAME[tool]))


def test_a_text_that_needs_several_pages_is_read_with_the_cursor(sqlite_memory):
    text = "".join(f"{number} 日本語の文章。" for number in range(2_400))
    memo = sqlite_memory.save(text).node
    for detail in ("lean", "full"):
        asked = {"memo_id": memo.id, "detail": detail}
        pages = [answer(sqlite_memory, "memory_get", asked)]
        while cursor := pages[-1].get("next_cursor"):
            pages.append(answer(sqlite_memory, "memory_get", {**asked, "cursor": cursor}))
        assert len(pages) > 1
        assert "".join(page["content"] for page in pages) == text


def test_a_claim_is_not_shown_as_a_quotation(mixed):
    source = {"url": "https://example.org/x", "source_title": "On gates"}
    mixed.save("Portcullis gates are heavy.", claim_kind="fact", provenance=source)
    (item, *_) = answer(mixed, "memory_search", {"query": "portcullis"})["items"]
    assert (item["kind"], item["source"]) == ("claim", "example.org")


def test_the_history_is_lean(mixed):
    said = answer(mixed, "history", {"limit": 5})
    for item in said["items"]:
        assert len(item["node_id"]) == 8
        assert len(item["at"]) == len("2026-01-01T00:00:00")
        assert not {"request_id", "trace_id", "id"} & item.keys()
    assert said.keys() <= {"items", "next_cursor", "truncated"}


@pytest.mark.long
@pytest.mark.timeout(600)
def test_every_tool_is_called_by_the_inspector(tmp_path):
    """The reference inspector's command line, which npm installs; it is left out where there is no npm."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    subprocess.run(
        ["npm", "install", "--silent", "--no-audit", "--prefix", tmp_path, INSPECTOR], check=True, capture_output=True
    )
    url = str(tmp_path / "memory.db")
    with Memory.open(url) as memory:
        ids = prepared(memory)
    server = [sys.executable, "-m", "wherefrom", "mcp", "--tools", "all", "--db", url]
    inspect = [str(tmp_path / "node_modules" / ".bin" / "mcp-inspector"), "--cli", *server]
    for tool, arguments in every_tool(ids):
        said = [value if isinstance(value, str) else json.dumps(value) for value in arguments.values()]
        given = [
            part for name, value in zip(arguments, said, strict=True) for part in ("--tool-arg", f"{name}={value}")
        ]
        call = [*inspect, "--method", "tools/call", "--tool-name", tool, *given]
        done = subprocess.run(call, capture_output=True, text=True, check=True, timeout=60)
        answered = json.loads(done.stdout)
        assert not answered.get("isError"), (tool, answered)
        assert json.loads(answered["content"][0]["text"])["request_id"], tool


# --- sizes ------------------------------------------------------------------------------------------------------------


def weigh(said):
    """The bytes of an answer without its items, each of which may weigh so much beside its text."""
    items = said["items"]
    for item in items:
        own = len(compact(item["content"]).encode()) + len(compact(item.get("title", "")).encode()) - 4
        frame = len(compact(item).encode()) + 1 - own
        assert frame <= MAX_ITEM_BYTES, item
        assert len(item.get("reason", "").encode()) <= 60
    return len(compact({**said, "items": []}).encode())


@pytest.fixture
def mixed(sqlite_memory):
    """Notes, claims and quotes, short and long, in two languages, judged and with sources."""
    memory = sqlite_memory
    for number in range(8):
        one = memory.save(f"The gate number {number} opens at {number} o'clock on Friday.", title=f"Gate {number}")
        memory.save(f"The gate of castle {number} is closed on Friday. " + f"Mortar {number}. " * 200)
        memory.save(f"第{number}城門は金曜日に開く。門番は{number}人。", title=f"城門{number}")
        memory.save(
            f"Gate keeper {number} works on Friday.", claim_kind="fact", scope="project", metadata={"a": [1] * 9}
        )
        memory.feedback(one.node.id, "helpful")
    page = NewPage(
        "https://www.example.org/a/very/long/path", "The opening hours of city gates in the Middle Ages", 2019
    )
    memory.add_evidence(page, fragments=[NewFragment(f"Gate {n} opened late on a Friday.") for n in range(5)])
    return memory


@pytest.mark.parametrize("question", ["Which gate opens on Friday?", "金曜日に開く城門はどれ", "keeper", "zebra"])
@pytest.mark.parametrize("tool", ["memory_search", "memory_activate"])
def test_an_answer_weighs_little_beside_its_texts(mixed, tool, question):
    many = {"limit": 30} if tool == "memory_search" else {"top_k": 30}
    ids = {"request_id": "0" * 36, "trace_id": "0" * 36}
    said = {**answer(mixed, tool, {"query": question, **many}), **ids}
    assert weigh(said) <= MAX_FRAME_BYTES
    assert said["items"] or said["note"].startswith("nothing fits: searched ")
    assert said["policy_version"]


def test_many_replaced_or_disputed_ids_do_not_make_an_item_heavy(sqlite_memory):
    memory = sqlite_memory
    rule = memory.save("The gate opens at nine.", title="Gate", provenance={"url": "https://example.org/x"}).node
    for number in range(40):
        old = memory.save(f"The gate number {number} opens at {number} o'clock.").node
        memory.relate(rule.id, old.id, tag="supersedes", weight=1.0)
    for number in range(12):
        other = memory.save(f"The gate does not open at nine, says keeper {number}.").node
        memory.relate(other.id, rule.id, tag="contradicts", weight=1.0)
    asked = {"query": "when does the gate open at nine?", "top_k": 30}
    said = answer(memory, "memory_activate", asked)
    weigh(said)
    (item,) = [item for item in said["items"] if item["id"] == rule.id[-8:]]
    full = answer(memory, "memory_activate", {**asked, "detail": "full"})
    (whole,) = [item for item in full["items"] if item["id"] == rule.id]
    assert len(whole["disputed_by"]) > 3
    for name in ("replaces", "disputed_by"):
        if len(whole[name]) > 2:
            assert len(item[name]) <= 3
            number = re.search(r"\d+", item[name][-1])[0]
            assert int(number) + len(item[name]) - 1 == len(whole[name])


@pytest.mark.parametrize("replaced", [0, 1, 2, 3, 40])
@pytest.mark.parametrize("disputed", [0, 1, 2, 3, 40])
def test_ids_are_the_last_to_give_way(replaced, disputed):
    ids = {"replaces": ["12345678"] * replaced, "disputed_by": ["12345678"] * disputed}
    ids = {name: values for name, values in ids.items() if values}
    item = fitted({"id": "12345678", "date": "2026-01-01", **ids, "content": "text"}, "says 'gate'; 3 days old")
    for name, values in ids.items():
        assert item[name][0] == "12345678"
        if item[name] != values or len(values) > 2:
            assert item[name][-1] == f"+{len(values) - len(item[name]) + 1} more"
    assert len(compact({**item, "content": ""}).encode()) + 1 <= MAX_ITEM_BYTES


@pytest.mark.parametrize("length", [60, 3_000])
@pytest.mark.parametrize("kind", [None, "fact"])
def test_a_short_reason_survives_beside_title_source_and_date(sqlite_memory, kind, length):
    said_by = {"source_title": "The opening hours of city gates", "url": "https://www.example.org/a", "year": 2019}
    for number in range(5):
        text = f"The portcullis {number} opens at nine. ".ljust(length, ".")
        sqlite_memory.save(text, title=f"Portcullis number {number}", provenance=said_by, claim_kind=kind)
    for tool in ("memory_search", "memory_activate"):
        said = answer(sqlite_memory, tool, {"query": "which portcullis opens?"})
        assert said["items"]
        weigh(said)
        for item in said["items"]:
            assert item["source"]
            # A long claim has its kind and its length beside them: there is no room.
            assert item.get("reason", "").startswith("says " if kind is None or length < 1_000 else "")


def test_a_long_name_of_a_namespace_does_not_make_a_note_heavy(sqlite_memory):
    memory = sqlite_memory.view.store.memory(root="城" * 250)
    for number in range(3):
        for tool in ("memory_search", "memory_activate"):
            said = answer(memory, tool, {"query": "zebra"})
            assert "城" in said["note"]
            assert weigh({**said, "request_id": "0" * 36, "trace_id": "0" * 36}) <= MAX_FRAME_BYTES
        memory.save(f"第{number}城門は金曜日に開く。")


def test_twelve_memos_cost_less_than_two_and_a_half_times_their_text(sqlite_memory):
    for number in range(12):
        text = f"Note {number:02}: the release of Friday waits for the soak test of part {number:02}; Mira signs it off"
        sqlite_memory.save(f"{text:.<120}")
    for tool in ("memory_activate", "memory_search"):
        said = answer(sqlite_memory, tool, {"query": "release on Friday", "limit": 12})
        assert len(said["items"]) == 12
        whole = compact({**said, "request_id": "0" * 36, "trace_id": "0" * 36})
        assert len(whole.encode()) <= 2.4 * 12 * 120


def test_max_tokens_is_what_a_model_receives(mixed):
    for limit in (150, 300, 1_000):
        for detail in ("lean", "full"):
            arguments = {"query": "Which gate opens on Friday?", "max_tokens": limit, "top_k": 30, "detail": detail}
            said = answer(mixed, "memory_activate", arguments)
            received = count_tokens(compact({**said, "request_id": "0" * 36, "trace_id": "0" * 36}))
            assert received <= limit or len(said["items"]) == 1
            assert said["items"]


def test_a_long_text_is_shown_by_the_passage_that_fits_and_read_on(sqlite_memory):
    text = "Filler about nothing. " * 200 + "The gate opens at nine on Fridays. " + "More of the same. " * 200
    memo = sqlite_memory.save(text).node
    (item,) = answer(sqlite_memory, "memory_search", {"query": "when does the gate open?"})["items"]
    assert item["content"].startswith("The gate opens at nine on Fridays.")
    assert text[item["offset"] :].startswith(item["content"])
    assert item["length"] == len(text)
    rest = answer(sqlite_memory, "memory_get", {"memo_id": memo.id, "offset": item["offset"]})
    assert rest["content"] == text[item["offset"] :]
    assert (rest["offset"], rest["length"]) == (item["offset"], len(text))
    whole = answer(sqlite_memory, "memory_get", {"memo_id": memo.id})
    assert whole["content"] == text
    assert "offset" not in whole


def test_the_figures_are_there_for_those_who_ask(mixed):
    (item, *_) = answer(mixed, "memory_activate", {"query": "gate", "explain": True})["items"]
    assert "S=" in item["figures"]
    assert item["features"]["S"] > 0
    (item, *_) = answer(mixed, "memory_activate", {"query": "gate"})["items"]
    assert not {"figures", "features", "score"} & item.keys()


def test_nothing_leaves_that_is_not_declared(mixed):
    """Neither form has a key that its schema lacks."""
    for tool, given in (("memory_search", {"query": "gate"}), ("memory_list", {"limit": 5}), ("get_status", {})):
        for detail in ("lean", "full"):
            said = answer(mixed, tool, {**given, "detail": detail})
            schema = answer_schema(BY_NAME[tool])
            assert schema["additionalProperties"] is False
            jsonschema.validate({**said, "request_id": "a", "trace_id": "b"}, schema)


def test_a_save_names_what_is_near_and_what_to_do(sqlite_memory):
    first = answer(sqlite_memory, "memory_save", {"content": "Anna lives in Hamburg."})["memo"]["id"]
    said = answer(sqlite_memory, "memory_save", {"content": "Anna lives in Munich."})
    (near,) = said["near"]
    assert (near["id"], near["differs"], near["text"]) == (first, ["name"], "Anna lives in Hamburg.")
    assert "supersedes" in near["hint"]
    weight = len(compact(near).encode()) - len(near["text"].encode())
    assert weight <= 2 * MAX_ITEM_BYTES
    again = answer(sqlite_memory, "memory_save", {"content": "Anna lives in Munich.", "supersedes": [near["id"]]})
    assert again["replaced"] == [first]
    (item,) = answer(sqlite_memory, "memory_search", {"query": "Where does Anna live?"})["items"]
    assert (item["content"], item["replaces"]) == ("Anna lives in Munich.", [first])
