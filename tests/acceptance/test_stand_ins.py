"""The answer to a call on an id that went says which node stands for it: as a tool, a command and a route."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from service_for_tests import served
from talking_for_tests import run_command

from wherefrom import Client, Gone, InvalidInput, Memory, Store
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.mcp.tools import answer, answer_schema
from wherefrom.interfaces.verbs import BY_NAME
from wherefrom.model import stand_ins
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import receipts


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A file, the node that stays in it, the one that went for it, and another."""
    file = tmp_path_factory.mktemp("stand_ins") / "m.db"
    with Memory.open(file, embedder="none") as memory:
        kept, gone, other = (memory.save(text).node.id for text in ("It opens.", "It opens!", "The ferry leaves."))
        receipt = receipts.Receipt(
            memory.view.store.new_id(), timestamp(memory.view.store.clock()), "metabolism", stand_ins={gone: kept}
        )
        memory.view.store.database.write(lambda tx: receipts.retire_nodes(tx, memory.view.access, [gone], receipt))
    return str(file), kept, gone, other


def test_a_tool_says_it_in_one_field(filled):
    url, kept, gone, other = filled
    calls = {
        "memory_list": {"memo_id": gone},
        "memory_feedback": {"memo_id": gone, "signal": "helpful"},
        "memory_relation_save": {"source_memo_id": gone, "target_memo_id": other, "tag": "x", "weight": 0.5},
        "memory_relation_list": {"source_memo_id": gone},
    }
    with Memory.open(url, embedder="none") as memory:
        for name, given in calls.items():
            lean, full = (answer(memory, name, {**given, "detail": detail}) for detail in ("lean", "full"))
            assert lean["asked_for"].startswith(f"{gone[-8:]} was let go on 20"), name
            assert lean["asked_for"].endswith(f"; {kept[-8:]} stands for it and answers"), name
            assert (gone in full["asked_for"], kept in full["asked_for"]) == (True, True), name
            assert "asked_for" in answer_schema(BY_NAME[name])["properties"], name
            assert "asked_for" not in answer(memory, name, {**given, next(iter(given)): kept}), name
        with pytest.raises(Gone) as refused:
            answer(memory, "memory_delete", {"memo_id": gone})
        assert f"{kept[-8:]} 'It opens.' stands for it" in refused.value.message


def test_a_command_says_it_first_or_in_its_json(filled):
    url, kept, gone, _ = filled
    said = run_command(url, "get", gone[-8:]).stdout.splitlines()[0]
    assert said.startswith(f"{gone[-8:]} was let go on 20")
    found = json.loads(run_command(url, "get", gone, "--json").stdout)
    assert kept in found["asked_for"]
    assert "stands for it" in run_command(url, "delete", gone, "--yes", code=3).stderr


def test_a_route_says_it_and_a_client_hears_it(filled):
    url, kept, gone, _ = filled
    with ExitStack() as opened:
        store = opened.enter_context(Store.open(url, embedder="none"))
        address = opened.enter_context(served(Service(store, Options(keyless=True, rate=10_000)).app()))
        client = opened.enter_context(Client(address))
        with stand_ins.noting() as notes:
            assert client.get(gone).id == kept
        ((asked, answers),) = ((known.asked_id, known.answer_id) for known in notes)
        assert (asked, answers) == (gone, kept)
        body = json.loads(client._sender.post("get", json.dumps({"memo_id": gone}).encode(), is_repeatable=True))
        assert body["asked_for"] == [{"asked_id": gone, "answer_id": kept, "went_at": notes[0].went_at}]
        assert "asked_for" not in json.loads(
            client._sender.post("get", json.dumps({"memo_id": kept}).encode(), is_repeatable=True)
        )


def test_save_by_a_name_that_is_only_an_alias_is_refused_and_names_the_node(url):
    with Memory.open(url, embedder="none") as memory:
        kept = memory.save("It opens.", title="Door").node
        assert memory.save("It opens.", title="Gate").node.aliases == ("Gate",)
        for change in (
            lambda: memory.save("It is shut.", memo_id="Gate"),
            lambda: answer(memory, "memory_save", {"content": "It is shut.", "memo_id": "Gate"}),
        ):
            with pytest.raises(InvalidInput, match=f"only another name of {kept.id[-8:]} 'Door'"):
                change()
        assert "only another name of" in run_command(url, "save", "It is shut.", "--id", "Gate", code=2).stderr
        assert memory.get(kept.id).content == "It opens."
        assert memory.save("It is shut.", memo_id="Door").node.id == kept.id
