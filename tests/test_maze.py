"""The maze example runs, and its log and pictures hold what they should."""

from __future__ import annotations

import importlib
import itertools
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "maze"
sys.path.insert(0, str(EXAMPLE))
maze, episode, walks, conductor, agent, run = (
    importlib.import_module(name) for name in ("maze", "episode", "walks", "conductor", "agent", "run")
)
sys.path.remove(str(EXAMPLE))

SIZE, SEED, STEPS = 7, 4, 200
TYPES = {
    "step": int,
    "position": list,
    "action": str | None,
    "why": str,
    "g0": float,
    "gmin": float,
    "best_h": int,
    "hops": list,
    "ag": bool,
    "dg": bool,
    "candidates": list,
    "expanded": int,
    "best_link_g": float | None,
    "accepted": list,
    "theta_ag": float,
    "theta_dg": float,
}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("maze")


@pytest.fixture(scope="module")
def said(out):
    """What the example prints for a small maze; its files are in `out`."""
    lines = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("builtins.print", lambda *parts, **_: lines.append(" ".join(map(str, parts))))
        options = {"--size": SIZE, "--seed": SEED, "--steps": STEPS, "--out": out, "--seeds": 2, "--compare": 5}
        assert run.main([str(part) for option in options.items() for part in option]) == 0
    return "\n".join(lines)


@pytest.fixture(scope="module")
def log(out, said):
    return [json.loads(line) for line in (out / "steps.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_maze_is_perfect(size, seed):
    made = maze.make_maze(size, seed=seed)
    reached, edge = {made.start}, [made.start]
    for cell in edge:
        for way in made.passages[cell]:
            beyond = maze.step(cell, way)
            assert maze.OPPOSITE[way] in made.passages[beyond]
            if beyond not in reached:
                reached.add(beyond)
                edge.append(beyond)
    assert len(reached) == size * size
    assert sum(map(len, made.passages.values())) == 2 * (size * size - 1)  # Connected, and one passage less than cells.


def test_a_maze_of_one_cell_is_refused():
    with pytest.raises(ValueError, match="2 × 2"):
        maze.make_maze(1, seed=0)


def test_it_says_whether_the_goal_was_reached(said, log):
    made = maze.make_maze(SIZE, seed=SEED)
    if log[-1]["position"] == list(made.goal):
        assert f"reached the goal in {len(log) - 1} steps" in said
    else:
        assert f"did not reach the goal in {STEPS} steps" in said


def test_a_walk_that_ends_too_early_says_so():
    walk = walks.explore(maze.make_maze(SIZE, seed=SEED), seed=SEED, steps=3)
    assert not walk.reached
    assert "did not reach the goal in 3 steps" in run.summary(walk)


def test_log_lines_are_complete(log):
    for number, line in enumerate(log):
        assert line.keys() == TYPES.keys()
        for key, kind in TYPES.items():
            assert isinstance(line[key], kind), key
        assert line["step"] == number
        assert line["gmin"] == min(line["hops"]) == line["hops"][line["best_h"]]
        assert line["dg"] == bool(line["accepted"])
        assert line["expanded"] == line["candidates"][-1] - line["candidates"][0]
        assert (line["best_link_g"] is None) == (line["candidates"] == [0])
        assert line["ag"] or len(line["candidates"]) == 1
        assert not line["ag"] or line["g0"] > line["theta_ag"]
        for link in line["accepted"]:
            assert link["from"] == line["position"] != link["to"]
            assert link["g"] <= line["theta_dg"]


def test_every_step_goes_through_an_opening(log):
    made = maze.make_maze(SIZE, seed=SEED)
    for line, after in itertools.pairwise(log):
        assert made.is_open(tuple(line["position"]), line["action"])
        assert list(maze.step(line["position"], line["action"])) == after["position"]
    assert log[-1]["action"] is None


def test_when_attention_fires_the_next_cycle_has_more_candidates(log):
    expanded = [line for line in log if line["ag"] and len(line["candidates"]) > 1]
    assert expanded
    assert all(first < second for first, second in (line["candidates"] for line in expanded))
    assert all(len(line["hops"]) > 1 for line in expanded)


def test_a_seed_gives_the_same_walk_again(log):
    again = walks.explore(maze.make_maze(SIZE, seed=SEED), seed=SEED, steps=STEPS)
    assert again.records == log
    other = walks.explore(maze.make_maze(SIZE, seed=SEED), seed=SEED + 1, steps=STEPS)
    assert other.records != log


def test_without_links_none_is_made_but_all_is_judged():
    made = maze.make_maze(SIZE, seed=SEED)
    walk = walks.explore(made, seed=SEED, steps=STEPS, links="none")
    assert not walk.episode.links
    assert any(line["accepted"] for line in walk.records)
    assert walks.explore(made, seed=SEED, steps=STEPS, links="none", judged=False).trail == walk.trail


def test_the_table_has_a_row_for_each_arm(said):
    for name in run.ARMS:
        assert re.search(rf"^{re.escape(name)} +[012]/2 ", said, re.MULTILINE), name


def test_candidates_are_openings_elsewhere_that_were_never_taken():
    seen = episode.Episode(4)
    seen.see((0, 0), ["E", "S"], goal=False)
    seen.see((0, 1), ["W", "E"], goal=False)
    seen.walked((0, 0), "E")
    found = conductor.candidates(seen, (0, 1))
    assert [seen.nodes[edge.target] for edge in found] == [episode.Opening((0, 0), "S")]
    assert found[0].score == pytest.approx(2.718281828459045 ** -(1 / 4))  # One cell of four away.


def test_features_are_the_eight_of_the_origin():
    seen = episode.Episode(4)
    seen.see((2, 1), ["E"], goal=False)
    rows = seen.scene().rows
    assert rows[seen.at((2, 1))] == pytest.approx([0.5, 0.25, 0, 0, 1, 0.6931471805599453, 0, 0])
    assert rows[seen.at(episode.Opening((2, 1), "E"))] == pytest.approx([0.5, 0.25, 1, 0, 1, 0, 0, 0])
    assert rows[seen.at(episode.Opening((2, 1), "N"))] == pytest.approx([0.5, 0.25, 0, -1, -1, 0, 0, 0])


def test_a_scene_tells_what_was_there_from_what_came():
    seen = episode.Episode(4)
    seen.see((0, 0), ["E"], goal=False)
    seen.scene()
    seen.see((0, 1), ["W"], goal=False)
    seen.walked((0, 0), "E")
    scene = seen.scene()
    assert (len(scene.graph.edges), len(scene.after.edges), scene.fresh) == (4, 10, 5)
    seen.commit(seen.at((0, 0)), seen.at(episode.Opening((0, 1), "N")))
    later = seen.scene()
    assert (len(later.graph.edges), later.after, later.fresh) == (11, None, 0)


def test_the_agent_knows_a_dead_end():
    seen = episode.Episode(4)
    seen.see((0, 0), ["E", "S"], goal=False)
    seen.see((0, 1), ["W"], goal=False)
    seen.walked((0, 0), "E")
    assert agent.is_closed(seen, (0, 0), "E", cells=1)
    assert not agent.is_closed(seen, (0, 0), "S", cells=1)


def test_a_link_brings_an_opening_within_sight():
    seen = episode.Episode(9)
    ways = {0: "ES", 5: "W"}
    for column in range(6):
        seen.see((0, column), ways.get(column, "EW"), goal=False)
        if column:
            seen.walked((0, column - 1), "E")
    aim = seen.at(episode.Opening((0, 0), "S"))
    assert agent.visible(seen, (0, 5)) == []
    seen.commit(seen.at((0, 5)), aim)
    assert agent.visible(seen, (0, 5)) == [aim]
    assert agent.way(seen, (0, 5), to=(0, 0)) == ["W"] * 5


def test_the_pictures_are_well_formed_and_need_nothing_else(out, said, log):
    html = (out / "maze.html").read_text(encoding="utf-8")
    page = ET.fromstring(html)
    drawing = ET.fromstring((out / "maze.svg").read_text(encoding="utf-8"))
    assert not re.search(r"(?:src|href)=|url\(|@import", html)
    assert set(re.findall(r"https?://[\w./]+", html)) == {"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"}
    steps = page.find(".//{*}script[@id='steps']")
    assert len(json.loads(steps.text)) == len(log)
    shown = [each for each in drawing.iter() if "data-from" in each.attrib]
    assert len([each for each in shown if each.tag.endswith("line")]) == len(log) - 1
    assert len([each for each in shown if each.tag.endswith("path")]) == sum(len(line["accepted"]) for line in log)


def test_the_readme_names_the_origin_and_what_is_not_shown():
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    for part in ("InsightSpike-AI", "Apache-2.0", "2025-082988", "2025-082989", "not reproduced"):
        assert part in text
