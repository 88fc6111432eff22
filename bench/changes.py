"""Facts that change: is the current statement recalled, does an old one stand above it, and is nothing else touched?

WHEREFROM_BENCH_DATA=… python -m bench.changes [--part dev|final|all] [--others 5000] [--databases sqlite postgres]

Each fact of `bench/changes_data` is a small world among other memos: LoCoMo's turns, for Japanese the sentences of
JSQuAD. It is saved by four agents: `saved` only saves, `hints` does what the answers to its saves tell it about the
right statement, `supersedes` names what each statement replaces, `slot` names its slot. The yardstick is the store of
somebody who never knew the old statements; of questions about an earlier day, the store of that day. `--others 0`
needs no data. A program from before the feature is measured by its `src` on PYTHONPATH: it has only `saved`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from bench import stores
from bench.changes_worlds import (
    DEPTH,
    STYLES,
    Answer,
    Lasting,
    Pair,
    Scene,
    Told,
    World,
    fill,
    in_order,
    knows,
    lasting,
    locomo_questions,
    lookalikes,
    near,
    other_texts,
    says_update,
    worlds,
)
from bench.measure import keep
from bench.recall import Clock
from wherefrom import Memory

VERBS = ("search", "activate")
LANGUAGES = (("en", "de"), ("ja",))
"""Languages that share a store."""
QUESTIONS = 300


class Tally:
    """Shares by group: how many of those that count had a property."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))

    def add(self, groups: Iterable[str], measure: str, has: int, of: int = 1) -> None:
        """Count one more, or several: `has` of `of` have the property."""
        for group in groups:
            counted = self._groups[group][measure]
            counted[0] += has
            counted[1] += of

    def figures(self) -> dict[str, dict[str, str]]:
        """By group and measure: the share, with both numbers."""
        return {
            group: {name: f"{100 * has / of:.1f} % ({has}/{of})" for name, (has, of) in measured.items() if of}
            for group, measured in sorted(self._groups.items())
        }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--part", choices=("dev", "final", "all"), default="all")
    options.add_argument("--others", type=int, default=5_000)
    options.add_argument("--styles", nargs="+", choices=list(STYLES), default=list(STYLES))
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite"])
    options.add_argument("--name", default="changes", help="name of the file of results")
    given = options.parse_args()
    if given.data is None and given.others:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA; or --others 0")
    result: dict[str, Any] = {"command": f"python -m bench.changes {' '.join(sys.argv[1:])}", "others": given.others}
    for database in given.databases:
        texts = {
            languages: other_texts(Path(given.data), languages[0], given.others) if given.others else []
            for languages in LANGUAGES
        }
        questions = locomo_questions(Path(given.data), QUESTIONS) if given.others else []
        measured = measure(database, given.part, texts, styles=given.styles, questions=questions)
        result[f"{given.part} {database}"] = measured
    keep(given.name, result)


def measure(
    database: str,
    part: str,
    texts: dict[tuple[str, ...], list[str]],
    *,
    styles: Sequence[str] = tuple(STYLES),
    questions: Sequence[str] = (),
    first: int | None = None,
) -> dict[str, Any]:
    """All figures of a part on a database, or those of its first worlds, pairs and notes in each language."""
    if not knows("save", "supersedes"):
        styles = ["saved"]
    tallies: dict[str, Tally] = defaultdict(Tally)
    for languages, others in texts.items():
        with ExitStack() as opened:
            url = opened.enter_context(getattr(stores, database)())
            clock = Clock()
            scene = Scene(opened.enter_context(Memory.open(url, clock=clock)), clock)
            fill(scene.memory, clock, others)
            _say(database, languages, "others", len(others))
            some_worlds = _of(worlds(part), languages)[:first]
            for world in some_worlds:
                live_through(scene, world, styles, tallies)
            _say(database, languages, "worlds", len(some_worlds))
            for pair in _of(lookalikes(part), languages)[:first]:
                look_alike(scene, pair, tallies["lookalikes"])
            _say(database, languages, "lookalikes")
            stay(scene, some_worlds, _of(lasting(part), languages)[:first], styles, tallies["unchanged"])
            _say(database, languages, "unchanged")
            if "en" in languages:
                marked(scene, questions, tallies["conversations"])
    return {name: tally.figures() for name, tally in tallies.items()}


def live_through(scene: Scene, world: World, styles: Sequence[str], tallies: dict[str, Tally]) -> None:
    """Save a world in every style, and compare the answers with those of the yardstick."""
    with scene.added():
        told = scene.save_all(world.without_old())
        current = told.statements[world.latest]
        ideal = {verb: scene.ask(verb, world.now).rank(current) for verb in VERBS}
    day = datetime.fromisoformat(f"{world.as_of}T23:59:59+00:00")
    with scene.added():
        told = scene.save_all(world.by_then())
        ideal_then = {verb: scene.ask(verb, world.then, at=day).rank(told.statements[0]) for verb in VERBS}
    for style in styles:
        tally = tallies[style]
        with scene.added():
            told = STYLES[style](scene, world)
            for verb in VERBS:
                of_now(tally, world, told, verb, scene.ask(verb, world.now), ideal[verb])
                if knows(verb, "as_of"):
                    then = scene.ask(verb, world.then, as_of=world.as_of)
                    of_then(tally, world, told, verb, then, ideal_then[verb])
            if style == "hints" and told.replacing:
                tally.add(world.groups, "near: the old one is among three", told.near, told.replacing)
                tally.add(world.groups, "near: said to be an update", told.hinted, told.replacing)
                tally.add(world.groups, "near: another note said to be updated, of saves", told.misled, len(told.ids))
                tally.add(world.groups, "near: a memo around said to be updated, of saves", told.strayed, len(told.ids))


def of_now(tally: Tally, world: World, told: Told, verb: str, answer: Answer, ideal: int) -> None:
    """Where the current statement and the old ones stand in the answer to the question about now."""
    current = answer.rank(told.statements[world.latest])
    old = min(answer.rank(node_id) for place, node_id in told.statements.items() if place < world.latest)
    tally.add(world.groups, f"{verb}: not below its place in the yardstick", current <= ideal)
    tally.add(world.groups, f"{verb}: an old one is above it", old < current)
    if min(old, current) <= DEPTH:
        tally.add(world.groups, f"{verb}: newer above older", current < old)
    if ideal == 1:
        tally.add(world.groups, f"{verb}: first where it is in the yardstick", current == 1)
    tally.add(world.groups, f"{verb}: first", current == 1)
    tally.add(world.groups, f"{verb}: first in the yardstick", ideal == 1)
    tally.add(world.groups, f"{verb}: in a hurry", answer.degraded)
    others = [node_id for note, node_id in told.ids.items() if note.fact is None and node_id in answer.ids]
    tally.add(world.groups, f"{verb}: others marked as older", len(answer.older & set(others)), len(others))
    tally.add(world.groups, f"{verb}: the current one marked as older", told.statements[world.latest] in answer.older)
    if old <= DEPTH and current <= DEPTH:
        outdated = set(told.statements.values()) - {told.statements[world.latest]}
        tally.add(world.groups, f"{verb}: an old one found and marked as older", bool(outdated & answer.older))


def of_then(tally: Tally, world: World, told: Told, verb: str, answer: Answer, ideal: int) -> None:
    """Where the old statement stands in the answer to the question about the earlier day."""
    old, later = answer.rank(told.statements[0]), [told.statements[place] for place in range(1, world.latest + 1)]
    if ideal == 1:
        tally.add(world.groups, f"{verb}: then, first where it is in the store of that day", old == 1)
    tally.add(world.groups, f"{verb}: then, first", old == 1)
    tally.add(world.groups, f"{verb}: then, a later one is in the answer", bool(set(later) & set(answer.ids)))


def look_alike(scene: Scene, pair: Pair, tally: Tally) -> None:
    """Whether one of two true notes is marked as older, or said to be updated by the other."""
    with scene.added():
        saves = [scene.save(note) for note in in_order(pair.notes)]
        both = {saved.node.id for saved in saves}
        for verb in VERBS:
            answer = scene.ask(verb, pair.asked)
            tally.add(pair.groups, f"{verb}: marked as older", bool(answer.older & both))
        hints = [each for each in near(saves[-1]) if each.node.id in both and says_update(each)]
        tally.add(pair.groups, "near: said to be an update", bool(hints))


def stay(
    scene: Scene, changing: Sequence[World], notes: Sequence[Lasting], styles: Sequence[str], tally: Tally
) -> None:
    """Whether notes that stay true are found as well among facts that change as among facts that never did."""
    for style in (*styles, "yardstick", "without"):
        with scene.added():
            ids = [scene.save(each.note).node.id for each in notes]
            for world in changing:
                if style in STYLES:
                    STYLES[style](scene, world)
                elif style == "yardstick":
                    scene.save_all(world.without_old())
            for each, node_id in zip(notes, ids, strict=True):
                answer = scene.ask("search", each.question)
                for depth in (1, 5):
                    tally.add(each.groups, f"{style}: R@{depth}", answer.rank(node_id) <= depth)
                tally.add(each.groups, f"{style}: marked as older", node_id in answer.older)


def marked(scene: Scene, questions: Sequence[str], tally: Tally) -> None:
    """Which share of the turns of conversations is marked as older in answers."""
    for question in questions:
        answer = scene.ask("search", question)
        tally.add(["all"], "turns in answers that are marked as older", len(answer.older), len(answer.ids))
        tally.add(["all"], "answers with such a turn", bool(answer.older))


def _of(rows: Sequence[Any], languages: Sequence[str]) -> list[Any]:
    wanted = {f"language {language}" for language in languages}
    return [row for row in rows if wanted & set(row.groups)]


def _say(*words: object) -> None:
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
