"""Ids by their last characters and nodes by their titles, in every verb, tool and command; ambiguous and gone ones."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import asdict, is_dataclass
from datetime import timedelta

import pytest
from import_for_tests import node, stream, task
from references_for_tests import BEFORE, CALLS, declared_ids, world
from talking_for_tests import call, refusal, run_command, talk

from wherefrom import Conflict, Gone, InvalidInput, Memory, NewClaim, NewEvidence, NotFound, WherefromError
from wherefrom.interfaces.mcp.tools import answer
from wherefrom.interfaces.verbs import COMMANDS, TOOLS
from wherefrom.model.identifiers import short_ids
from wherefrom.model.param import parameters_of

OWN_FIELDS = {"query.parent_id", "claims.claim_id", "claims.evidence.fragment", "claims.evidence.claim"}
# These confine a list, which is empty if there is no such thing.
FILTERS = {(verb, "task_id") for verb in ("query_view", "render_view")}
FILTERS |= {("relations", end) for end in ("source_id", "target_id")}
# Two ids that share their last characters, and one that nothing shares.
FIRST, SECOND = "01900000-0000-7000-8000-0000aa4d69f9", "01900000-0000-7000-8000-0000bb4d69f9"
ALONE = "01900000-0000-7000-8000-0000cc112233"
WIDE = ("answer:task", "tool:contact-lookup")


def put(memory, *records):
    imported = memory.import_(stream(*records))
    assert not imported.rejected, imported
    return imported


# --- every id of every verb -------------------------------------------------------------------------------------------


def test_every_id_of_every_verb_is_tried():
    assert declared_ids() == set(CALLS)


@pytest.fixture(scope="module")
def filled_sqlite(sqlite_store, tmp_path_factory):
    """A file to copy, and the ids of what is in it."""
    file = shutil.copy(sqlite_store, tmp_path_factory.mktemp("filled") / "m.db")
    with Memory.open(file) as memory:
        return file, world(memory)


@pytest.fixture(scope="module")
def filled_postgres(postgres_database, postgres_store):
    """The name of a database to copy, and the ids of what is in it."""
    url = postgres_database(postgres_store)
    with Memory.open(url) as memory:
        return url.partition("?")[0].rpartition("/")[2], world(memory)


# On every change each verb takes one id on PostgreSQL, and all of its ids on SQLite.
FIRST_OF_VERB = dict(sorted(CALLS, reverse=True))


@pytest.mark.parametrize(
    ("dialect", "verb", "path"),
    [
        pytest.param(
            dialect, verb, path,
            marks=[pytest.mark.long] if dialect == "postgres" and path != FIRST_OF_VERB[verb] else [],
        )
        for dialect in ("sqlite", "postgres")
        for verb, path in sorted(CALLS)
    ],
)  # fmt: skip
def test_a_verb_takes_the_end_of_an_id(request, tmp_path, _postgres, dialect, verb, path):
    kept, filled = request.getfixturevalue(f"filled_{dialect}")
    with Memory.open(shutil.copy(kept, tmp_path / "m.db") if dialect == "sqlite" else _postgres(kept)) as memory:
        take_the_end(memory, filled, verb, path)


def take_the_end(memory, filled, verb, path):
    of, arguments = CALLS[verb, path]
    whole = getattr(filled, of)
    if (verb, path) not in FILTERS:
        with pytest.raises(NotFound):
            getattr(memory, verb)(**arguments(filled, "ffffff-nothing"))
    BEFORE.get(verb, lambda *_: None)(memory, filled)
    ended = getattr(memory, verb)(**arguments(filled, whole[-6:]))
    if verb in ("get", "relations", "walk", "path", "context", "insight_plan", "status", "query_view", "render_view"):
        said = getattr(memory, verb)(**arguments(filled, whole))
        assert _timeless(ended) == _timeless(said)
    assert verb != "restore" or filled.gone in ended.node_ids


def _timeless(result):
    return {name: value for name, value in asdict(result).items() if name != "elapsed_ms"}


@pytest.mark.parametrize(
    ("verb", "path"), sorted((verb, path) for verb, path in CALLS if any(verb in row.methods for row in TOOLS))
)
def test_a_tool_takes_the_end_of_an_id(filled_sqlite, tmp_path, verb, path):
    kept, filled = filled_sqlite
    of, arguments = CALLS[verb, path]
    tool = next(row.tool for row in TOOLS if verb in row.methods)
    names = {known.python: known.name for known in parameters_of(getattr(Memory, verb)).values()}
    given = arguments(filled, getattr(filled, of)[-8:])
    with Memory.open(shutil.copy(kept, tmp_path / "m.db")) as memory:
        BEFORE.get(verb, lambda *_: None)(memory, filled)
        answer(memory, tool, {names[name]: _plain(value) for name, value in given.items()})


def _plain(value):
    if is_dataclass(value):
        known = {name: _plain(inner) for name, inner in asdict(value).items()}
        return {name: inner for name, inner in known.items() if inner is not None and name != "kind"}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(
    ("verb", "path"),
    sorted(
        (verb, path)
        for verb, path in CALLS
        if path not in OWN_FIELDS
        and verb not in {"add_evidence", "undo_upkeep"}
        and any(verb in row.methods for row in COMMANDS)
    ),
)
def test_a_command_takes_the_end_of_an_id(tmp_path, filled_sqlite, verb, path):
    kept, filled = filled_sqlite
    url = str(shutil.copy(kept, tmp_path / "m.db"))
    if verb in BEFORE:
        with Memory.open(url) as memory:
            BEFORE[verb](memory, filled)
    of, arguments = CALLS[verb, path]
    row = next(row for row in COMMANDS if verb in row.methods)
    declared = {known.python: known for known in parameters_of(getattr(Memory, verb)).values()}
    line = row.command.split()
    for name, value in arguments(filled, getattr(filled, of)[-8:]).items():
        value = value[0] if isinstance(value, list) else value
        option = declared[name].param.option or ("" if declared[name].is_positional else f"--{name.replace('_', '-')}")
        line += [option.split(",")[0], str(value)] if option.startswith("-") else [str(value)]
    run_command(url, *line, "--json")


def test_a_tool_over_stdio_takes_the_end_of_an_id_and_a_title(url):
    with Memory.open(url) as memory:
        filled = world(memory)

    async def conversation(client):
        for given in (filled.one[-6:], filled.one[-8:], "Bridge", "bridge", "ＢＲＩＤＧＥ"):
            found = await call(client, "memory_list", memo_id=given)
            assert found["items"][0]["id"] == filled.one
        error = await refusal(client, "memory_delete", memo_id=filled.gone[-8:])
        assert error["code"] == "gone"
        assert f"wherefrom restore {filled.gone[-8:]}" in error["hint"]
        assert (await call(client, "restore", node_id=filled.gone[-8:]))["node_ids"] == [filled.gone]

    talk(url, conversation)


# --- which one --------------------------------------------------------------------------------------------------------


def test_the_end_of_an_id_has_at_least_six_characters(memory):
    put(memory, node(ALONE, "alone"))
    assert memory.get("112233").id == memory.get("cc112233").id == memory.get("-8000-0000cc112233").id == ALONE
    for wrong in ("12233", "3", "223344", "112233 "):
        with pytest.raises(NotFound):
            memory.get(wrong)


def test_an_id_that_is_given_whole_is_no_end_of_another(memory):
    """Imports keep foreign ids, one of which may be how another one ends: then it is not taken for either."""
    put(memory, node("abcdef", "short"), node("123-abcdef", "long"), node("x1", "shortest"))
    with pytest.raises(InvalidInput, match="ambiguous"):
        memory.get("abcdef")
    assert memory.get("-abcdef").content == "long"
    assert memory.get("x1").content == "shortest"


def test_an_end_comes_before_a_title(memory):
    put(memory, node(ALONE, "alone"), node("other", "called so", title="112233"))
    assert memory.get("112233").id == ALONE
    memory.delete(ALONE)
    with pytest.raises(NotFound):  # a title that looks like an id is not taken for one that is gone
        memory.get("112233")


def test_what_is_ambiguous_is_answered_with_the_candidates(memory):
    titled = node(FIRST, "We release on Tuesdays.", title="Release rule")
    put(memory, titled, node(SECOND, "Nobody\nreleases " + "x" * 90))
    with pytest.raises(InvalidInput, match=r"memo_id '4d69f9' is ambiguous: 2 fit it") as refused:
        memory.get("4d69f9")
    assert "aa4d69f9 'Release rule' 2026-01-01" in refused.value.hint
    assert "bb4d69f9 'Nobody releases xxxxxxxxxxxxxxxxxxxxxxx…' 2026-01-01" in refused.value.hint
    assert memory.get("aa4d69f9").id == FIRST
    with pytest.raises(InvalidInput, match="target_memo_id '4d69f9' is ambiguous"):
        memory.relate(FIRST, "4d69f9", tag="x", weight=1)


def test_candidates_are_told_apart_by_as_many_characters_as_that_takes(memory):
    ends = ["01900000-0000-7000-8000-0a00004d69f9", "01900000-0000-7000-8000-0b00004d69f9"]
    put(memory, *(node(whole, f"text {whole}") for whole in ends))
    with pytest.raises(InvalidInput) as refused:
        memory.get("004d69f9")
    assert "a00004d69f9" in refused.value.hint
    assert short_ids(["x-12345678", "x-12345678"]) == ["12345678"] * 2
    assert short_ids(["a12345678", "12345678"]) == ["a12345678", "12345678"]
    assert short_ids([]) == []


def test_no_more_than_five_candidates_are_named(memory):
    put(memory, *(node(f"{number:02}-abcdef", f"text {number}", title="Same") for number in range(30)))
    for given in ("Same", "abcdef"):
        with pytest.raises(InvalidInput, match="20 or more fit it") as refused:
            memory.get(given)
        assert refused.value.hint.count("'Same'") == 5


def test_tasks_are_known_by_the_ends_of_their_ids_and_not_by_titles(memory):
    put(memory, task(FIRST, query="rivers"), task(SECOND, query="lakes"))
    assert memory.status(FIRST[-8:]).tasks[0].task.id == FIRST
    with pytest.raises(InvalidInput, match="2 fit it") as refused:
        memory.status("4d69f9")
    assert "'lakes' (task)" in refused.value.hint
    with pytest.raises(NotFound):
        memory.status("rivers")


# --- titles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "title",
    [
        "Release rule",
        "リリースの規則",
        "五",
        "v2",
        "2026",
        "The",
        "a [b] 'c' \"d\" \\e/ {f}: 100 %_*?",
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
        "ß" * 300,
    ],
)
def test_a_node_is_known_by_its_title(memory, title):
    memo = memory.save("A text.", title=title).node.id
    memory.save("Another text.", title="Something else")
    assert memory.get(title).id == memo


@pytest.mark.parametrize(
    ("title", "given"),
    [("Release rule", "release RULE"), ("Straße", "STRASSE"), ("ＡＢＣ", "abc"), ("Élan vital", "ÉLAN  VITAL")],
)
def test_case_and_width_of_a_title_do_not_matter(memory, title, given):
    memo = memory.save("A text.", title=title).node.id
    assert memory.get(given).id == memo
    exact = memory.save("Another text.", title=given).node.id
    assert (memory.get(title).id, memory.get(given).id) == (memo, exact)


def test_an_alias_is_a_title(memory):
    memo = memory.save("A text.", title="Release rule").node.id
    memory.save("A text.", title="Tuesday rule")
    assert memory.get("Tuesday rule").id == memory.get("tuesday RULE").id == memo


def test_what_would_delete_or_rewrite_is_not_named_by_an_alias(memory):
    """It may be the title of a copy that went for the memo, whose alias it has become."""
    memo = memory.save("A text.", title="Release rule").node.id
    memory.save("A text.", title="Tuesday rule")
    for refuse in (
        lambda: memory.delete("Tuesday rule"),
        lambda: memory.delete("tuesday RULE", dry_run=True),
        lambda: memory.forget(ids=["Tuesday rule"]),
        lambda: memory.save("Another.", supersedes=["Tuesday rule"]),
        lambda: memory.confirm_rules(["Tuesday rule"]),
    ):
        with pytest.raises(InvalidInput, match=f"is only another name of {memo[-8:]} 'Release rule'"):
            refuse()
    assert memory.get("Tuesday rule").valid_to is None
    assert memory.delete("release RULE").node.id == memo


def test_a_title_of_several_is_ambiguous_whatever_their_kind(memory):
    """A memo and a claim, that is; a page, which anybody may call so, or an entity does not count beside them."""
    memo = memory.save("A text.", title="Mika", entities=["Mika"]).node
    assert memory.get("Mika").id == memo.id
    memory.save("Another.", title="Mika", claim_kind="fact")
    with pytest.raises(InvalidInput, match="2 fit it") as refused:
        memory.get("Mika")
    assert "(claim)" in refused.value.hint


@pytest.mark.parametrize(
    "given", ["%", "_elease rule", "Release%", "Releas_ rule", "%d69f9", "______", "*", "[R]elease rule"]
)
def test_wildcards_mean_nothing(memory, given):
    put(memory, node(FIRST, "We release on Tuesdays.", title="Release rule"))
    with pytest.raises(NotFound):
        memory.get(given)


@pytest.mark.parametrize(
    "given", ["'; drop table nodes; --", "' or '1'='1", "x\\", ":given", "{tail}", "%(given)s", "$1", "\x1b[2J", "@1"]
)
def test_what_looks_like_a_statement_is_just_not_found(memory, given):
    memo = memory.save("A text.", title="Release rule").node.id
    judged = [NewClaim("So it is.", evidence=[NewEvidence("supports", fragment=given)])]
    for ask in (
        lambda: memory.get(given),
        lambda: memory.unrelate(memo, given, tag="x"),
        lambda: memory.add_evidence(claims=judged),
    ):
        with pytest.raises(NotFound) as refused:
            ask()
        assert "\x1b" not in str(refused.value)
    assert memory.get(memo).title == "Release rule"


@pytest.mark.parametrize("given", ["", "  ", "a\0b", "\ud800", "x" * 301, 7, None, True])
def test_what_can_be_no_title_is_refused(memory, given):
    with pytest.raises(InvalidInput):
        memory.get(given)


# --- what the access sees ---------------------------------------------------------------------------------------------


def test_other_owners_and_other_roots_make_nothing_ambiguous(open_memory):
    titles = {"title": "Release rule"}
    mine, theirs = open_memory(root="me"), open_memory(owner="other", root="me")
    everything = open_memory(root="main")
    put(theirs, node(SECOND, "theirs", namespace="me", **titles))
    put(everything, node("far-4d69f9", "far", **titles))
    for given in ("4d69f9", "Release rule", "far-4d69f9"):
        with pytest.raises(NotFound):
            mine.get(given)
    put(mine, node(FIRST, "mine", namespace="me/below", **titles))
    assert mine.get("4d69f9").id == mine.get("Release rule").id == mine.get("release rule").id == FIRST


def test_further_roots_count_and_are_only_read(open_memory):
    both = open_memory(root="me", also=["team"])
    put(open_memory(root="team"), node(FIRST, "theirs", namespace="team", title="Release rule"))
    assert both.get("4d69f9").id == both.get("Release rule").id == FIRST
    with pytest.raises(WherefromError) as refused:
        both.delete("Release rule")
    assert refused.value.code == "boundary_denied"
    put(both, node(SECOND, "mine", namespace="me", title="Release rule"))
    with pytest.raises(InvalidInput, match="2 fit it"):
        both.get("4d69f9")


def test_classes_that_the_access_may_not_see_do_not_count(open_memory):
    wide, narrow = open_memory(allow=WIDE), open_memory()
    put(wide, node(FIRST, "closed", boundary_class="pii", title="Release rule"))
    for given in ("4d69f9", "Release rule"):
        assert wide.get(given).id == FIRST
        with pytest.raises(NotFound):
            narrow.get(given)
    put(wide, node(SECOND, "open", title="Release rule"))
    for given in ("4d69f9", "Release rule"):
        assert narrow.get(given).id == SECOND
        with pytest.raises(InvalidInput, match="2 fit it"):
            wide.get(given)


def test_a_title_tells_nobody_the_number_that_is_taken_out_for_them(url, monkeypatch):
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    with Memory.open(url) as mine, Memory.open(url, allow=["tool:calendar"]) as others:
        mine.choose_privacy("personal")
        memo = mine.save("He is there at nine.", title="Kenji 090-1234-5678").node.id
        assert mine.get("Kenji 090-1234-5678").id == memo
        seen = others.get(memo[-8:])
        assert seen.id == memo
        assert "1234" not in seen.title
        with pytest.raises(NotFound):
            others.get("Kenji 090-1234-5678")


def test_plans_and_contexts_of_those_who_see_more_are_not_found(open_memory):
    wide, narrow = open_memory(allow=WIDE), open_memory()
    wide.save("The harbour bridge opens at nine.", boundary_class="pii")
    wide.save("The ferry leaves from the harbour bridge at ten.", boundary_class="pii")
    context, plan = wide.activate("harbour bridge").id, wide.find_insight(query="harbour bridge").id
    assert wide.context(context[-6:]).id == context
    assert wide.insight_plan(plan[-6:]).id == plan
    with pytest.raises(NotFound):
        narrow.context(context[-6:])
    if wide.insight_plan(plan).accepted:
        with pytest.raises(NotFound):
            narrow.insight_plan(plan[-6:])


def test_a_context_that_has_expired_is_found_and_gone(timed, clock):
    context = timed.activate("harbour bridge").id
    clock.go_on(days=2)
    with pytest.raises(Gone, match="expired"):
        timed.context(context[-6:])


# --- gone -------------------------------------------------------------------------------------------------------------


def test_what_was_let_go_is_neither_deleted_nor_rewritten_in_the_place_of_its_stand_in(memory):
    filled = world(memory)
    calls = {
        "delete": (Gone, memory.delete),
        "forget": (Gone, lambda given: memory.forget(ids=[given])),
        "former version": (Gone, lambda given: memory.get(given, version=1)),
        "rewrite": (Conflict, lambda given: memory.save("Feed it once a day.", memo_id=given)),
    }
    for given in (filled.gone, filled.gone[-8:], filled.gone[-6:]):
        for name, (kind, ask) in calls.items():
            with pytest.raises(kind) as refused:
                ask(given)
            said, hint = refused.value.message, refused.value.hint
            assert said.startswith(
                f"memo {filled.gone[-8:]} 'Feed the starter twice a day above 24 d…' was let go at "
            ), name
            assert f"by run {filled.run[-8:]}: it said nothing that is not said elsewhere" in said
            assert f"; {filled.kept[-8:]} 'Starter' stands for it" in said
            assert hint.startswith(
                f"`wherefrom restore {filled.gone[-8:]}`, or the tool restore, brings it back until 20"
            )
            assert f"nothing was done to {filled.kept[-8:]}" in hint
    assert memory.get(filled.kept).content == "Feed the starter twice a day above 24 degrees."
    memory.restore(filled.gone[-6:])
    assert memory.get(filled.gone[-6:]).id == filled.gone


def test_what_a_person_deleted_is_not_found(memory):
    memo = memory.save("A text.").node.id
    memory.delete(memo)
    for given in (memo, memo[-8:]):
        with pytest.raises(NotFound) as refused:
            memory.get(given)
        assert refused.value.code == "not_found"


def test_only_an_access_that_could_have_seen_it_learns_that_it_is_gone(open_memory):
    with_vectors = {"embedder": "static"}
    filled = world(open_memory(root="me", **with_vectors))
    for stranger in (open_memory(owner="other", root="me"), open_memory(root="main"), open_memory(root="me/below")):
        for given in (filled.gone, filled.gone[-8:]):
            with pytest.raises(NotFound) as refused:
                stranger.get(given)
            assert refused.value.code == "not_found"
    reader = open_memory(root="you", also=["me"])
    assert reader.get(filled.gone[-8:]).id == filled.kept
    with pytest.raises(Gone) as refused:
        reader.delete(filled.gone[-8:])
    assert "by an access that sees the whole of it and may write there" in refused.value.hint


def test_what_expired_and_was_forgotten_is_gone_and_promises_to_come_back(timed, clock):
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: 0")
    memo = timed.save("A text for a week.", scope="session").node.id
    clock.go_on(days=8)
    run = timed.sweep().run_id
    with pytest.raises(Gone) as refused:
        timed.get(memo[-8:])
    assert f"by run {run[-8:]}: its time was over" in refused.value.message
    assert (
        refused.value.hint == f"`wherefrom restore {memo[-8:]}`, or the tool restore, brings it back until 2026-02-08"
    )
    clock.go_on(days=31)
    timed.sweep()
    with pytest.raises(NotFound) as refused:
        timed.get(memo[-8:])
    assert refused.value.code == "not_found"


def test_who_sees_only_a_part_of_it_is_not_told_to_restore_it(url, monkeypatch):
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    with Memory.open(url) as mine, Memory.open(url, allow=["tool:calendar"]) as others:
        mine.choose_privacy("personal")
        mine.save("Call Kenji at 090-1234-5678 twice a day.")
        gone = mine.save("Call Kenji at 090-1234-5678 twice a day!").node.id
        mine.metabolize(apply=True, protection_hours=0)
        with pytest.raises(Gone) as told:
            mine.delete(gone)
        assert "wherefrom restore" in told.value.hint
        with pytest.raises(Gone) as told:
            others.delete(gone)
        assert "1234" not in str(told.value)
        assert "by an access that sees the whole of it" in told.value.hint


def test_what_a_policy_made_the_same_as_another_names_that_one(url, monkeypatch):
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    with Memory.open(url) as memory:
        memory.choose_privacy("personal")
        ids = [memory.save(f"Call Kenji at 090-1234-567{number}.").node.id for number in (7, 8)]
        memory.choose_privacy("shared")
        memory.reclassify()
        (gone,) = set(ids) - {node.id for node in memory.list().nodes}
        (kept,) = set(ids) - {gone}
        assert memory.get(gone).id == kept
        with pytest.raises(Gone, match="without what the policy forbids, it said the same as another") as told:
            memory.delete(gone)
        assert f"; {kept[-8:]} 'Call Kenji at [phone].' stands for it" in told.value.message


def test_several_that_are_gone_are_ambiguous(timed, clock):
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: 0")
    week = (clock.now + timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    put(timed, *(node(whole, f"text {whole}", scope="session", expires_at=week) for whole in (FIRST, SECOND)))
    clock.go_on(days=8)
    timed.sweep()
    with pytest.raises(InvalidInput, match="2 fit it") as refused:
        timed.get("4d69f9")
    assert "aa4d69f9" in refused.value.hint
    with pytest.raises(Gone):
        timed.get("aa4d69f9")


def test_an_id_that_is_here_again_is_not_gone(memory):
    filled = world(memory)
    lines = io.StringIO()
    memory.restore(filled.gone)
    memory.export(lines)
    again = [json.loads(line) for line in lines.getvalue().splitlines() if filled.gone in line]
    memory.metabolize(apply=True, protection_hours=0)
    put(memory, *(record for record in again if record["type"] == "node"))
    assert memory.get(filled.gone[-8:]).id == filled.gone


def test_several_are_given_as_a_list_each_by_what_names_it(memory):
    old = [memory.save(f"The office is in {city}.", title=f"Office {city}").node.id for city in ("Rome", "Oslo")]
    saved = memory.save("The office is in Berlin.", supersedes=[old[0][-8:], "Office Oslo"])
    assert saved.replaced == tuple(old)
    with pytest.raises(InvalidInput, match="supersedes must be a list"):
        memory.save("The office is in Bonn.", supersedes="Office Oslo")
    with pytest.raises(InvalidInput, match=r"supersedes\.1 must be text"):
        memory.save("The office is in Bonn.", supersedes=[old[0], 5])
