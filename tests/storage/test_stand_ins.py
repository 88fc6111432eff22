"""Which node stands for one that went: every verb is answered with it, as long as it is here and may be seen."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from metabolism_for_tests import exported

import wherefrom
from wherefrom import Conflict, Gone, Memory, NotFound, WherefromError
from wherefrom.model import stand_ins
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import receipts

MIGRATION = Path(wherefrom.__file__).parent / "storage/migrations/0038_stand_ins.sql"


@pytest.fixture
def memory(open_memory):
    return open_memory()


def let_go(memory, heirs):
    """Let nodes go for others, as metabolism does."""
    store, now = memory.view.store, timestamp(memory.view.store.clock())
    receipt = receipts.Receipt(store.new_id(), now, "metabolism", stand_ins=heirs)
    store.database.write(lambda tx: receipts.retire_nodes(tx, memory.view.access, list(heirs), receipt))
    return receipt.run_id


def save(memory, *texts, **given):
    return [memory.save(text, **given).node.id for text in texts]


def pointers(execute, url):
    return execute(url, "select node_id, stand_in_id, leads_to_id from stand_ins order by node_id")


def code_of(call):
    with pytest.raises(WherefromError) as refused:
        call()
    return refused.value.code


# --- every verb -------------------------------------------------------------------------------------------------------


CALLS = {
    "get": (lambda m, gone, other: m.get(gone), lambda node: node.id),
    "feedback": (lambda m, gone, other: m.feedback(gone, "helpful"), lambda done: done.node.id),
    "relate": (lambda m, gone, other: m.relate(gone, other, tag="x", weight=0.5), lambda done: done.edge.source_id),
    "relate to": (lambda m, gone, other: m.relate(other, gone, tag="y", weight=0.5), lambda done: done.edge.target_id),
    "reinforce": (lambda m, gone, other: m.reinforce(gone, other, tag="x"), None),
    "relations": (lambda m, gone, other: m.relations(source_id=gone), lambda found: found.edges[0].source_id),
    "relations to": (lambda m, gone, other: m.relations(target_id=gone), lambda found: found.edges[0].target_id),
    "walk": (lambda m, gone, other: m.walk(gone, depth=1), lambda found: found.edges[0].source_id),
    "neighbourhood": (lambda m, gone, other: m.neighbourhood([other, gone]), lambda found: found.nodes[1].id),
    "path": (lambda m, gone, other: m.path(gone, other), lambda found: found.nodes[0].id),
    "like": (lambda m, gone, other: m.search(like=gone), None),
    "insight": (lambda m, gone, other: m.find_insight(gone), None),
    "unrelate": (lambda m, gone, other: m.unrelate(gone, other, tag="x"), lambda edge: edge.source_id),
}  # fmt: skip


def test_every_verb_is_answered_with_the_stand_in_also_when_the_receipt_is_purged(memory, clock):
    kept, gone, other = save(memory, "It opens at nine.", "It opens at nine!", "The ferry leaves.")
    let_go(memory, {gone: kept})
    went = timestamp(clock.now)
    clock.go_on(days=31)
    memory.sweep()
    assert memory.history(gone).about.stand_in == kept
    for name, (call, answers) in CALLS.items():
        given = gone[-8:] if name in ("get", "relations to", "path") else gone
        with stand_ins.noting() as notes:
            result = call(memory, given, other)
        assert answers is None or answers(result) == kept, name
        assert notes == [stand_ins.Answered(gone, kept, went)], name
    with stand_ins.noting() as notes:
        memory.get(kept), memory.relations(source_id=kept)
    assert not notes, "what is here answers for itself"


def test_what_would_delete_or_rewrite_the_stand_in_is_refused_and_names_it(memory, clock):
    kept, gone = save(memory, "It opens at nine.", "It opens at nine!")
    let_go(memory, {gone: kept})
    before = exported(memory)
    calls = {
        "delete": (Gone, lambda: memory.delete(gone)),
        "forget": (Gone, lambda: memory.forget(ids=[gone])),
        "former version": (Gone, lambda: memory.get(gone[-8:], version=1)),
        "supersede": (Gone, lambda: memory.save("It opens at ten.", supersedes=[gone])),
        "confirm": (Gone, lambda: memory.confirm_rules([gone])),
        "rewrite": (Conflict, lambda: memory.save("It opens at ten.", memo_id=gone)),
    }
    for days in (0, 31):
        clock.go_on(days=days)
        memory.sweep()
        if days:
            calls["forget for good"] = (Gone, lambda: memory.forget(ids=[gone], for_good=True))
            calls["restore"] = (Gone, lambda: memory.restore(gone[-8:]))
        for name, (kind, call) in calls.items():
            with pytest.raises(kind) as refused:
                call()
            assert type(refused.value) is kind, name
            assert f"{kept[-8:]} 'It opens at nine.' stands for it" in refused.value.message, name
            assert ("wherefrom restore" in refused.value.hint) == (days == 0), name
        assert exported(memory) == before


def test_an_error_of_a_call_that_is_answered_with_it_says_so(memory):
    kept, gone = save(memory, "It opens at nine.", "It opens at nine!")
    let_go(memory, {gone: kept})
    for call in (
        lambda: memory.relate(gone, kept, tag="x", weight=1),
        lambda: memory.unrelate(gone, kept, tag="x"),
        lambda: memory.feedback(gone, "duplicate", duplicate_of=kept),
    ):
        with pytest.raises(WherefromError) as refused:
            call()
        assert f"{gone[-8:]} was let go on 2026-01-01; {kept[-8:]} stands for it" in refused.value.hint


# --- chains -----------------------------------------------------------------------------------------------------------


def test_a_chain_leads_to_the_last_and_back_as_its_nodes_come_back(memory, execute, url):
    texts = [f"It opens at nine{'!' * number}" for number in range(4)]
    a, b, c, d = save(memory, *texts)
    states = [exported(memory)]
    runs = []
    for heirs in ({a: b}, {b: c}, {c: d}):
        runs.append(let_go(memory, heirs))
        states.append(exported(memory))
    assert {memory.get(gone).id for gone in (a, b, c)} == {d}
    for _ in range(2):  # undo, do again, undo: each time as it was
        for number in (2, 1, 0):
            memory.restore(run_id=runs[number])
            assert exported(memory) == states[number]
        assert pointers(execute, url) == []
        runs = [let_go(memory, heirs) for heirs in ({a: b}, {b: c}, {c: d})]
    memory.restore(b)
    assert (memory.get(a).id, memory.get(b).id, memory.get(c).id) == (b, b, d)
    memory.restore(c)
    memory.restore(a)
    assert pointers(execute, url) == []


def test_what_goes_at_once_leads_past_what_goes_with_it(memory):
    a, b, c = save(memory, "It opens.", "It opens!", "It opens?")
    let_go(memory, {a: b, b: c})
    assert memory.get(a).id == memory.get(b).id == c


def test_a_stand_in_that_goes_for_nobody_answers_again_when_it_is_back(memory, clock, execute, url):
    a, b, c = save(memory, "It opens.", "It opens!", "It opens?")
    let_go(memory, {a: b})
    let_go(memory, {b: c})
    plan = memory.forget(ids=[c])
    memory.forget(ids=[c], apply=True, plan=plan.plan)
    with pytest.raises(Gone) as refused:
        memory.get(a)
    assert "stands for it" not in refused.value.message
    memory.restore(c)
    assert memory.get(a).id == memory.get(b).id == c
    plan = memory.forget(ids=[c])
    memory.forget(ids=[c], apply=True, plan=plan.plan)
    clock.go_on(days=31)
    memory.sweep()
    assert pointers(execute, url) == []
    assert code_of(lambda: memory.get(a)) == "not_found"


# --- deleted, forgotten, hidden ---------------------------------------------------------------------------------------


def test_a_stand_in_that_is_deleted_or_erased_leaves_no_pointer(memory, clock, execute, url):
    for number, remove in enumerate((memory.delete, lambda node_id: erase(memory, node_id))):
        a, b, c = save(memory, *(f"It opens {number}{mark}" for mark in ".!?"))
        let_go(memory, {a: b})
        let_go(memory, {b: c})
        clock.go_on(days=31)
        memory.sweep()
        assert memory.get(a).id == c
        remove(c)
        assert pointers(execute, url) == []
        assert code_of(lambda a=a: memory.get(a)) == "not_found"


def test_a_node_that_is_erased_from_a_chain_leaves_no_id_in_it(memory, execute, url):
    a, b, c = save(memory, "It opens.", "It opens!", "It opens?")
    let_go(memory, {a: b})
    let_go(memory, {b: c})
    erase(memory, b)
    assert pointers(execute, url) == [(a, c, c)]
    assert memory.get(a).id == c


def erase(memory, node_id):
    plan = memory.forget(ids=[node_id], for_good=True)
    memory.forget(ids=[node_id], for_good=True, apply=True, plan=plan.plan, vacuum=False)


def test_who_may_not_see_the_stand_in_is_told_not_found_as_of_an_unknown_id(open_memory, clock):
    wide = open_memory(allow=("answer:task", "tool:contact-lookup"))
    mine = open_memory(root="main/me")
    kept, gone = save(wide, "Call me.", "Call me!", namespace="me", boundary_class="pii")
    let_go(wide, {gone: kept})
    unknown = "01900000-0000-7000-8000-0000cc112233"
    others = [
        mine, open_memory(), open_memory(owner="other"), open_memory(root="main/you"), open_memory(root="main/me/below")
    ]  # fmt: skip
    for days in (0, 31):
        clock.go_on(days=days)
        wide.sweep()
        assert wide.get(gone).id == kept
        for other in others:
            for call in ("get", "delete", "walk"):
                for given, missing in ((gone, unknown), (gone[-8:], unknown[-8:])):
                    with pytest.raises(NotFound) as refused:
                        getattr(other, call)(given)
                    with pytest.raises(NotFound) as expected:
                        getattr(other, call)(missing)
                    told = str(refused.value).replace(given, missing)
                    assert (refused.value.code, told) == (expected.value.code, str(expected.value))


# --- moved ------------------------------------------------------------------------------------------------------------


def test_an_export_has_the_pointers_and_an_import_takes_them_once(memory, new_url, request, execute, tmp_path):
    a, b, c, hidden = save(memory, "It opens.", "It opens!", "It opens?", "Elsewhere.")
    before = exported(memory)
    let_go(memory, {a: b})
    let_go(memory, {b: c})
    stream = io.StringIO()
    memory.export(stream)
    lines = stream.getvalue().splitlines()
    assert [json.loads(line)["type"] for line in lines[-2:]] == ["standin"] * 2
    with Memory.open(tmp_path / "copy.db", embedder="none") as copy:
        for _ in range(2):
            assert not copy.import_(lines).rejected
            assert copy.get(a).id == copy.get(b[-8:]).id == c
            assert exported(copy) == exported(memory)
        other = {**json.loads(lines[-1]), "node_id": hidden, "leads_to_id": "nobody-here"}
        (rejection,) = copy.import_([lines[0], json.dumps(other)]).rejections
        assert "the node that stands for it, nobody-here, is neither here" in rejection.reason
        copy.import_([lines[0], json.dumps({**json.loads(lines[-1]), "node_id": hidden})])
        assert copy.get(hidden).content == "Elsewhere.", "what is here needs nobody to answer for it"
        copy.import_([lines[0], *(line for line in before if f'"id":"{b}"' in line)])
        assert (copy.get(a).id, copy.get(b).id) == (b, b), "what is here again answers for itself"


def standin_lines(memory, *triples):
    """An export without records, and lines that say: this went for that one, and leads to that one."""
    memory.export(stream := io.StringIO())
    now = timestamp(memory.view.store.clock())
    names = ("node_id", "stand_in_id", "leads_to_id")
    rows = ({"type": "standin", **dict(zip(names, ids, strict=True)), "went_at": now} for ids in triples)
    return [stream.getvalue().splitlines()[0], *map(json.dumps, rows)]


def test_no_import_lets_a_node_answer_for_an_id_that_was_known_here(memory, open_memory, execute, url):
    deleted, erased, forgotten, here, mine = save(memory, "Gone.", "Erased.", "Forgotten.", "It opens.", "Mine.")
    (elsewhere,) = save(memory, "Elsewhere.", namespace="b")
    memory.delete(deleted)
    memory.delete(elsewhere)
    erase(memory, erased)
    memory.forget(ids=[forgotten], apply=True, plan=memory.forget(ids=[forgotten]).plan)
    known = (deleted, erased, forgotten)
    done = memory.import_(standin_lines(memory, *((one, mine, mine) for one in (*known, here)), ("new", mine, mine)))
    assert [one.line for one in done.rejections] == [2, 3, 4], "what is here stays, without a word"
    assert all("was here" in one.reason for one in done.rejections)
    assert pointers(execute, url) == [("new", mine, mine)]
    below = open_memory(root="main/a")
    (theirs,) = save(below, "It is where I say.")
    lines = standin_lines(below, (elsewhere, theirs, theirs), ("other", mine, mine), ("new", theirs, theirs))
    assert below.import_(lines).rejected == 3
    assert pointers(execute, url) == [("new", mine, mine)]
    assert code_of(lambda: memory.get(elsewhere)) == "not_found"


def test_an_import_makes_no_circles(memory, execute, url):
    (end,) = save(memory, "It opens.")
    circles = (("a", "b", end), ("b", "a", end), ("c", "c", end), ("d", "e", end))
    done = memory.import_(standin_lines(memory, *circles, (end, end, end)))
    assert [one.line for one in done.rejections] == [3, 4]
    done = memory.import_(standin_lines(memory, ("e", "d", end), ("b", end, end)))
    assert [one.line for one in done.rejections] == [2]
    assert pointers(execute, url) == [("a", "b", end), ("b", end, end), ("d", "e", end)]


def test_a_store_of_before_gets_the_pointers_of_its_receipts(memory, execute, url):
    a, b, c = save(memory, "It opens.", "It opens!", "It opens?")
    let_go(memory, {a: b})
    let_go(memory, {c: b})
    known = pointers(execute, url)
    execute(url, "delete from stand_ins")
    text = MIGRATION.read_text(encoding="utf-8")
    execute(url, text[text.index("insert into") : text.index(";", text.index("insert into"))])
    assert pointers(execute, url) == known
