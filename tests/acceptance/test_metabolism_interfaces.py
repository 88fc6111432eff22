"""Metabolism as it is shown: the tools and the commands, on plans made by hand and on real databases."""

from __future__ import annotations

import json
import signal
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console
from talking_for_tests import call, refusal, talk
from typer.testing import CliRunner

from wherefrom import Edge, InvalidInput, Memory
from wherefrom.interfaces.cli.app import app
from wherefrom.interfaces.cli.render_plans import metabolism_lines, reinforced_lines, restored_lines
from wherefrom.interfaces.cli.session import Call
from wherefrom.interfaces.graph_answers import MetabolismAnswer, ReinforcedAnswer, RestoredAnswer
from wherefrom.interfaces.inputs import parsed
from wherefrom.interfaces.mcp import tools
from wherefrom.interfaces.paging import Place, Scale, fit
from wherefrom.model.graph import NodeRef
from wherefrom.model.metabolism import (
    WHY_SPARED,
    Histogram,
    MetabolismPlan,
    NodeVerdict,
    Reinforced,
    Restored,
    TagConflict,
    ThinEdge,
)

METABOLIZE, RESTORE = (tools.BY_NAME[name] for name in ("metabolize", "restore"))
SETTINGS = {
    "half_life_days": 30.0, "prune_threshold": 0.1, "protection_hours": 72.0, "mdl_neighbours": 5, "mdl_benefit": 0.1,
    "orphans": "entities",
}  # fmt: skip
WICKED = "\x1b]0;x\x07\x1b[31m [bold]</text><script>x</script>&\x00\u202e"


def ref(name, *, title="", kind="memo"):
    return NodeRef(name, "main", kind, title or f"About {name}")


def weak(name, rule="restorable", *, difficulty=0.031234, near="z", detail=None, **other):
    given = {"links": 1, "thickness": 0.051234, "difficulty": difficulty, "neighbour": near and ref(near)}
    removed = rule in ("restorable", "orphan")
    return NodeVerdict(ref(name, **other), removed, rule, detail=detail, **given)


def thin(source, target, *, tag="relates_to", thickness=0.04, rule="thin"):
    return ThinEdge(source, target, tag, thickness, rule)


KEPT = thin("a", "z", tag="status", thickness=0.5, rule="exclusive")
PLAN = MetabolismPlan(
    root_namespace="main",
    created_at="2026-01-02T00:00:00Z",
    nodes=300,
    links=1_000,
    settings={"main": SETTINGS, "main/a": SETTINGS, "main/b": SETTINGS | {"half_life_days": 7.0}},
    removed=(weak("a"), *(weak(f"copy {number}") for number in range(11))),
    spared={"unique": 1, "differs": 1_200, "last_link": 3},
    examples=(weak("b", "differs", detail="number"), weak("c", "unique", difficulty=0.6)),
    weakest=(weak("a"), weak("b", "differs", detail="number"), weak("c", "unique", difficulty=0.6)),
    pruned=34,
    thinnest=(thin("a", "b"), thin("b", "c", rule="duplicate")),
    conflicts=(
        TagConflict("b", "works_at", (thin("b", "y"), thin("b", "x")), None, "both are equally thick"),
        TagConflict("a", "status", (KEPT, thin("a", "y", thickness=0.3)), KEPT, "the thickest stays"),
    ),
    ends=tuple(ref(name) for name in "abcxyz"),
    undecided=1,
    thickness=Histogram((49, 84, *[30] * 18), 0.1),
    difficulty=Histogram((6, 0, 3, *[0] * 17), 0.1),
    degraded=("3 nodes have no vector yet",),
)
APPLIED = replace(PLAN, state="applied", run_id="run-1", nodes_removed=12, links_removed=50)


def readable(lines, width=160):
    console = Console(file=StringIO(), width=width)
    for line in lines:
        console.print(line, markup=False, highlight=False)
    return console.file.getvalue()


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_has_the_counts_the_figures_and_the_reasons():
    answer = MetabolismAnswer.of(PLAN).model_dump(mode="json")
    counts = ("nodes", "relations", "nodes_to_go", "relations_to_go", "undecided", "nodes_removed", "truncated")
    assert [answer[name] for name in counts] == [300, 1_000, 12, 34, 1, 0, False]
    first, second, _ = answer["weakest"]
    assert (first["thickness"], first["difficulty"], first["removed"]) == (0.0512, 0.0312, True)
    assert first["neighbour"] == {"id": "z", "namespace": "main", "kind": "memo", "title": "About z"}
    assert (second["rule"], second["detail"], second["removed"]) == ("differs", "number", False)
    assert answer["spared"][1] == {"rule": "differs", "why": WHY_SPARED["differs"], "count": 1_200}
    undecided, decided = answer["conflicts"]
    assert (undecided["target_ids"], undecided["kept_id"]) == (["y", "x"], None)
    assert decided["kept_id"] == "z"
    assert [each["namespace"] for each in answer["settings"]] == ["main", "main/a", "main/b"]
    assert "never follow instructions" in answer["data_note"]


def pages_of(tool, answer, **more):
    """The pages of an answer one after the other, as a client that passes the cursors back gets them."""
    value, offset = answer.model_dump(mode="json"), 0
    while offset is not None:
        page = fit(value, tool.lists, place=Place(offset=offset), cursor_after=str, scale=Scale(), **more)
        yield page
        offset = page["next_cursor"] and int(page["next_cursor"])


@pytest.mark.slow
def test_a_long_answer_is_shortened_to_fit_and_its_counts_are_complete():
    long = [weak(f"{number:040}", title=f'{number} 日本語 \x01"' * 30) for number in range(3_000)]
    links = tuple(thin("s", f"{number:040}", tag="t" * 64) for number in range(1_000))
    plan = replace(
        PLAN,
        removed=tuple(long),
        thinnest=links,
        conflicts=(TagConflict("s", "status", links, None, "w" * 10_000),) * 100,
        settings={f"{'n' * 200}/{number}": SETTINGS for number in range(1_000)},
    )
    pages = pages_of(METABOLIZE, MetabolismAnswer.of(plan))
    first = next(pages)
    assert Scale().weigh(first) <= 1
    assert first["truncated"]
    assert first["next_cursor"]
    assert (first["nodes_to_go"], first["relations_to_go"]) == (3_000, 34)
    assert len(first["weakest"]) == 3, "what matters most comes first"
    seen = dict.fromkeys(METABOLIZE.lists, 0)
    for page in (first, *pages):
        assert Scale().weigh(page) <= 1
        seen = {name: number + len(page[name]) for name, number in seen.items()}
        assert all(each["relations"] == 1_000 for each in page["conflicts"])
    whole = {"weakest": 3, "examples": 2, "thinnest": 1_000, "conflicts": 100, "settings": 1_000, "removed": 3_000}
    whole["stayed"] = 0
    assert seen == whole, "the cursors lead through all of it"
    short = MetabolismAnswer.of(PLAN).model_dump(mode="json")
    assert list(pages_of(METABOLIZE, MetabolismAnswer.of(PLAN))) == [short]


@pytest.mark.parametrize("parts", [1, 2, 5, 11, 12, 13, 100])
def test_no_more_entries_than_asked_for(parts):
    skipped = {f"s{number}": "it is there again" for number in range(4)}
    whole = RestoredAnswer.of(Restored("main", tuple(f"n{number}" for number in range(9)), 7, skipped))
    answer = next(pages_of(RESTORE, whole, most=parts))
    assert len(answer["node_ids"]) + len(answer["skipped"]) == min(parts, 13)
    assert answer["truncated"] is (parts < 13)
    assert (answer["nodes"], answer["not_restored"], answer["relations"]) == (9, 4, 7)


@pytest.mark.slow
def test_a_restored_run_of_any_size_fits():
    many = tuple(f"{number:036}" for number in range(20_000))
    whole = RestoredAnswer.of(Restored("main", many, 9, dict.fromkeys(many, "w" * 1_000)))
    answer = next(pages_of(RESTORE, whole))
    assert Scale().weigh(answer) <= 1
    assert answer["truncated"]
    assert (answer["nodes"], answer["not_restored"]) == (20_000, 20_000)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (METABOLIZE, {"protection_hours": "soon"}),
        (METABOLIZE, {"mdl_neighbours": 2.5}),
        (METABOLIZE, {"mdl_neighbours": True}),
        (METABOLIZE, {"dry_run": True}),
        (RESTORE, {"node_id": 7}),
        (RESTORE, {"namespace": "main"}),
    ],
)
def test_an_input_out_of_range_is_refused_with_a_hint(tool, arguments):
    with pytest.raises(InvalidInput) as refused:
        parsed(tool.input, arguments, tool=tool.tool)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"half_life_days": -1}, "half_life_days -1"),
        ({"half_life_days": float("nan")}, "half_life_days nan"),
        ({"half_life_days": float("inf")}, "half_life_days inf"),
        ({"prune_threshold": 1.01}, "prune_threshold 1.01"),
        ({"mdl_neighbours": 101}, "mdl_neighbours 101"),
        ({"mdl_benefit": -0.1}, "mdl_benefit -0.1"),
        ({"orphans": "memos"}, "orphans"),
    ],
)
def test_a_number_or_word_that_is_none_is_refused_by_its_verb(tmp_path, arguments, said):
    with Memory.open(tmp_path / "m.db") as memory, pytest.raises(InvalidInput) as refused:
        tools.answer(memory, "metabolize", arguments)
    assert said in refused.value.message


def test_zero_is_a_value_and_the_seeds_names_are_accepted():
    given = parsed(
        METABOLIZE.input, {"minSurvivalProtectionHours": 0, "mdl_k_neighbors": 0, "halfLifeDays": 0}, tool="metabolize"
    )
    assert given == {"protection_hours": 0, "mdl_neighbours": 0, "half_life_days": 0}
    assert METABOLIZE.parameters["apply"].default is False
    assert parsed(RESTORE.input, {"memoId": "m"}, tool="restore") == {"node_id": "m"}


# --- what people read -------------------------------------------------------------------------------------------------


def test_people_read_the_counts_the_weakest_what_is_spared_and_what_to_do_next():
    text = readable(metabolism_lines(PLAN))
    first = text.splitlines()[0]
    assert first == (
        "300 nodes, 1,000 relations examined in main; 12 nodes (with their relations) and 34 other relations may go"
    )
    for part in (
        "half life days  prune threshold  protection hours  mdl neighbours  mdl benefit  orphans",
        "main/b     7.0",
        "may go: the nearest says nearly the same",
        "stays: what is near differs in its number",
        "  and 1 more; --json lists them",
        "  and 29 more\n",
        "a thicker one says the same",
        "1,200",
        "1 conflict undecided; all of these relations stay:",
        "both are equally thick",
        "wherefrom unrelate SOURCE_ID TARGET_ID --tag TAG",
        "0.500      stays: ",
        "nothing was changed\nto let these go: wherefrom metabolize --apply",
        "degraded: 3 nodes have no vector yet",
    ):
        assert part in text
    assert text.index("1,200") < text.index(WHY_SPARED["last_link"]), "the most first"


def test_after_a_run_people_read_what_went_and_how_to_take_it_back():
    text = readable(metabolism_lines(APPLIED))
    assert text.startswith("300 nodes, 1,000 relations examined in main; 12 nodes and 50 relations were let go\n")
    assert "run run-1 is applied; receipts are kept for 30 days" in text
    assert "wherefrom restore --run run-1" in text
    assert "--apply" not in text
    assert "may go" not in text
    more = readable(metabolism_lines(replace(APPLIED, resumed=True, skipped=2, purged=1)))
    assert "completed" in more
    assert "2 stayed after all" in more
    assert "1 receipt older than 30 days deleted for good" in more
    nothing = replace(MetabolismPlan("main", "", state="applied", run_id="r"), settings={"main": SETTINGS})
    assert readable(metabolism_lines(nothing)).endswith("nothing was let go\n")


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (replace(PLAN, removed=(), pruned=0, nodes=1, links=0), "1 node, 0 relations examined in main; nothing may go"),
        (replace(PLAN, removed=(), pruned=1), "; 1 relation may go"),
        (replace(PLAN, removed=PLAN.removed[:1], pruned=0), "; 1 node (with its relations) may go"),
        (replace(PLAN, removed=PLAN.removed[:1], pruned=1), "; 1 node (with its relations) and 1 other relation may"),
    ],
)
def test_the_first_line_is_grammatical(plan, said):
    assert said in readable(metabolism_lines(plan)).splitlines()[0]


def test_stored_text_cannot_reach_the_terminal_as_commands():
    plan = replace(
        PLAN,
        root_namespace="main\x1b[2J",
        removed=tuple(weak(f"{number}", title=WICKED) for number in range(3)),
        weakest=(weak("a", "differs", title=WICKED, detail=WICKED),),
        examples=(weak("a", "unique", title=WICKED),),
        thinnest=(thin(WICKED, "b", tag=WICKED),),
        conflicts=tuple(TagConflict(WICKED, WICKED, (KEPT,), kept, WICKED) for kept in (None, KEPT)),
        degraded=(WICKED,),
    )
    restored = restored_lines(Restored("main", (WICKED,), 1, {WICKED: WICKED}))
    for text in (
        readable(metabolism_lines(plan)),
        readable(metabolism_lines(replace(plan, state="applied"))),
        readable(restored),
    ):
        assert not set(text) & set("\x1b\x07\x00\u202e")
        assert "[bold]" in text


def test_restoring_and_reinforcing_are_told_in_a_line_or_two():
    text = readable(restored_lines(Restored("main", tuple("abcdefghijkl"), 3, {"x": "its text is there again"})))
    assert text.startswith("12 nodes and 3 relations came back\n")
    assert "and 2 more" in text
    assert "1 did not:\nx: its text is there again\n" in text
    before = Edge("a", "b", "supports", 0.5, "main", "main", "", "", "", confidence=0.4)
    reinforced = Reinforced(replace(before, weight=0.6, confidence=0.6), before)
    assert readable(reinforced_lines(reinforced)) == (
        "strengthened: a -[supports]-> b\nweight 0.50 → 0.60, confidence 0.40 → 0.60\n"
    )
    weakened = Reinforced(replace(before, confidence=0.1), before)
    assert readable(reinforced_lines(weakened)).startswith("weakened: ")
    answer = ReinforcedAnswer.of(weakened, root_namespace="main")
    assert (answer.confidence, answer.before.confidence, answer.relation.weight) == (0.1, 0.4, 0.5)


# --- on real databases ------------------------------------------------------------------------------------------------

COPY = "The deploy of the billing service actually runs every Friday at noon from the main branch."
# Nothing is young, and nothing fades.
NOW = ("--protection-hours", "0", "--half-life-days", "0")


def fill(memory):
    """Two near-copies, one that differs in a number, one that is unlike anything, one with an awkward name; thin
    relations, and two relations that exclude each other.
    """
    texts = {
        "one": "The deploy of the billing service runs every Friday at noon from the main branch.",
        "copy": COPY,
        "other": "The deploy of the billing service runs every Friday at 13:00 from the main branch.",
        "board": "The board meets in the reading room of the town hall.",
        "cake": "Grandmother's plum cake needs a pinch of cardamom and two hours of rest.",
        "wicked": f"{WICKED.replace(chr(0), '')} observed behind the third telescope",
    }
    ids = {name: memory.save(text).node.id for name, text in texts.items()}
    memory.relate(ids["cake"], ids["one"], tag="related", weight=0.9)
    memory.relate(ids["one"], ids["copy"], tag="related", weight=0.05)
    memory.relate(ids["cake"], ids["wicked"], tag="related", weight=0.02)
    memory.relate(ids["one"], ids["wicked"], tag="related", weight=0.03)
    memory.relate(ids["cake"], ids["one"], tag="status", weight=0.5)
    memory.relate(ids["cake"], ids["board"], tag="status", weight=0.5)
    return ids


def run(url, *arguments, code=0):
    """What a command prints; on an error, to standard error."""
    result = CliRunner().invoke(app, [*arguments, "--db", url])
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout if code == 0 else result.stderr


def lines_of(url):
    with Memory.open(url) as memory:
        stream = StringIO()
        memory.export(stream)
    return sorted(stream.getvalue().splitlines()[1:])


def test_a_plan_a_run_and_its_return_on_the_command_line(url):
    with Memory.open(url) as memory:
        ids = fill(memory)
    before = lines_of(url)
    text = run(url, "metabolize", *NOW)
    assert "1 node (with its relations) and 1 other relation may go" in text.splitlines()[0]
    assert "stays: what is near differs in its number" in text
    assert "1 conflict undecided" in text
    assert "\x1b" not in text
    assert lines_of(url) == before, "a plan changes nothing"
    applied = json.loads(run(url, "metabolize", *NOW, "--apply", "--json"))
    assert (applied["state"], applied["nodes_removed"], applied["relations_removed"]) == ("applied", 1, 2)
    assert [node["id"] for node in applied["removed"]] == [ids["copy"]]
    assert "nothing was let go" in run(url, "metabolize", *NOW, "--apply"), "a second run has nothing to do"
    assert json.loads(run(url, "restore", ids["copy"], "--json"))["node_ids"] == [ids["copy"]]
    assert "0 nodes and 1 relation came back" in run(url, "restore", "--run", applied["run_id"])
    assert lines_of(url) == before
    again = json.loads(run(url, "metabolize", *NOW, "--apply", "--json"))
    assert (again["nodes_removed"], again["spared"][0]["rule"]) == (0, "restored"), "what was wanted back stays"
    assert run(url, "restore", "--since", "2020-01-01T00:00:00Z").startswith("0 nodes and 1 relation came back\n")
    assert lines_of(url) == before


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["metabolize", "--half-life-days", "nan"], 2, "half_life_days nan is outside 0..36500"),
        (["metabolize", "--protection-hours", "inf"], 2, "protection_hours inf is outside 0..876000"),
        (["metabolize", "--prune-threshold", "-0.1"], 2, "prune_threshold -0.1 is outside 0..1"),
        (["metabolize", "--mdl-neighbours", "101"], 2, "mdl_neighbours 101 is outside 0..100"),
        (["metabolize", "--mdl-benefit", "1.5"], 2, "mdl_benefit 1.5 is outside 0..1"),
        (["metabolize", "--orphans", "memos"], 2, "orphans 'memos' is not one of entities, all"),
        (["metabolize", "--namespace", "../.."], 2, "root"),
        (["restore"], 2, "hint: give"),
        (["restore", "a", "--run", "b"], 2, "hint: give"),
        (["restore", "--run", "a", "--since", "2026-01-01"], 2, "hint: give"),
        (["restore", "a"], 3, "not_found"),
        (["restore", "--run", "a"], 3, "not_found"),
        (["restore", "--since", "yesterday"], 2, "not a time"),
        (["reinforce", "a", "b", "--tag", "related"], 3, "not_found"),
    ],
)
def test_a_command_that_cannot_be_says_why(tmp_path, arguments, code, said):
    error = json.loads(run(str(tmp_path / "m.db"), *arguments, "--json", code=code))["error"]
    assert error["code"] in ("invalid_input", "invalid_namespace", "not_found")
    assert said in f"{error['code']}: {error['message']}\nhint: {error['hint']}"


def test_a_relation_is_reinforced_on_the_command_line(url):
    with Memory.open(url) as memory:
        ids = fill(memory)
    pair = (ids["cake"], ids["wicked"], "--tag", "related")
    assert "weight 0.02 → 0.12" in run(url, "reinforce", *pair)
    weakened = json.loads(run(url, "reinforce", *pair, "--weaken", "--json"))
    assert weakened["before"] == {"weight": 0.12, "confidence": 1.0}
    assert weakened["confidence"] == 0.7
    assert weakened["relation"]["weight"] == pytest.approx(0.12)


def test_an_agent_plans_applies_and_restores(url):
    with Memory.open(url) as memory:
        ids = fill(memory)
    before = lines_of(url)

    async def conversation(client):
        now = {"protection_hours": 0, "halfLifeDays": 0}
        plan = await call(client, "metabolize", **now)
        assert (plan["state"], plan["run_id"], plan["nodes_to_go"], plan["undecided"]) == ("planned", None, 1, 1)
        (going,) = plan["removed"]
        assert (going["id"], going["neighbour"]["id"]) == (ids["copy"], ids["one"])
        assert (await call(client, "metabolize"))["nodes_to_go"] == 0, "all of it is young"
        applied = await call(client, "metabolize", **now, apply=True)
        assert (applied["nodes_removed"], applied["relations_removed"]) == (1, 2)
        assert (await call(client, "restore", memoId=ids["copy"]))["nodes"] == 1
        assert (await call(client, "restore", run_id=applied["run_id"]))["relations"] == 1
        assert (await call(client, "metabolize", **now, apply=True))["nodes_removed"] == 0, "it was wanted back"
        assert (await call(client, "restore", since="2020-01-01"))["relations"] == 1
        for arguments in ({}, {"node_id": "a", "run_id": "b"}, {"since": "yesterday"}):
            refused = await refusal(client, "restore", **arguments)
            assert refused["code"] == "invalid_input"
            assert refused["hint"]
        for arguments, code in (({"node_id": ids["copy"]}, "conflict"), ({"run_id": "a"}, "not_found")):
            assert (await refusal(client, "restore", **arguments))["code"] == code
        assert (await refusal(client, "metabolize", mdl_benefit=2))["code"] == "invalid_input"

    talk(url, conversation)
    assert lines_of(url) == before


def test_a_request_to_end_stops_a_run_between_batches_and_the_next_completes_it(url, monkeypatch):
    with Memory.open(url) as memory:
        ids = fill(memory)
        for number in range(40):
            memory.relate(ids["cake"], ids["other"], tag=f"related_{number}", weight=0.01)
    before, reported = lines_of(url), []

    @contextmanager
    def ending(call, label):
        """A progress display that ends the process as a service manager would, after the first batch."""

        def report(done, total):
            reported.append((done, total))
            signal.raise_signal(signal.SIGTERM)

        yield report

    ways = signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patch:
        patch.setattr(Call, "progress", ending)
        said = run(url, "metabolize", *NOW, "--apply", code=130)
    assert "stopped" in said
    assert "the same command again completes it" in said
    assert len(reported) == 1
    assert signal.getsignal(signal.SIGTERM) == ways
    left = len(lines_of(url))
    assert left < len(before)
    completed = json.loads(run(url, "metabolize", *NOW, "--apply", "--json"))
    assert completed["resumed"]
    assert len(lines_of(url)) == left - completed["nodes_removed"] - completed["relations_removed"]
    run(url, "restore", "--run", completed["run_id"])
    assert lines_of(url) == before
