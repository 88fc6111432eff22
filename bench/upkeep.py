"""Half a year of upkeep: what goes, what stays, what later calls are told, and what recall then finds.

WHEREFROM_BENCH_DATA=… python -m bench.upkeep [--part dev|final|later|fourth] [--others 2000] [--days 182]
[--databases sqlite postgres]

The notes of a part of `bench/upkeep_data` are saved day by day among real ones (turns of LoCoMo, evidence turns of
LongMemEval, claims of SciFact), related and judged as the data says. Every seventh day upkeep is done and applied, and
it is noted which pairs the review then shows to a person. The same half year is lived without upkeep, too, and both
stores are asked the same questions. `--days` compresses the half year into fewer days, `--others 0` needs no data.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench import stores
from bench.fields import accepted
from bench.measure import command, keep
from bench.recall_sets import START, Clock
from bench.upkeep_world import DAYS, Note, Question, World, world
from wherefrom import Memory, NotFound
from wherefrom.model.limits import REVIEW_LIMIT

CONTEXT = 12
WEEK = 7
RELATION_WEIGHT = 0.8
QUESTIONS_OF_OTHERS = 150
SHOWN = 20
"""How many of what should not have happened are named in the results."""
Figures = dict[str, Any]
_SORTS = {"changed": "changed facts", "paraphrase": "paraphrases", "opposed": "opposed claims of SciFact"}


class Life:
    """A store that lives through a half year, and where each note of the data is in it."""

    def __init__(self, memory: Memory, clock: Clock, *, kept_up: bool, days: float) -> None:
        self.memory, self.clock, self.kept_up, self.days = memory, clock, kept_up, days
        self.ids: dict[str, str] = {}
        self.totals: Counter[str] = Counter()
        self.upkeep_s = 0.0
        self.first_answers: dict[str, str] = {}
        """What `get` said of each copy that went, right after the upkeep that let it go."""
        self.listed: dict[frozenset[str], str] = {}
        """The pairs of ids that the review after an upkeep listed for a person, with the reason."""

    def live(self, notes: Sequence[Note]) -> None:
        """Save the notes at their times, judge and relate them, and do upkeep every seventh day."""
        week = 1
        waiting: list[Note] = []
        for note in notes:
            while note.day >= week * WEEK:
                self._judge(waiting, by_day=week * WEEK)
                self._do_upkeep(week * WEEK)
                week += 1
            self._judge(waiting, by_day=note.day)
            self._go_to(note.day)
            self._save(note)
            if note.judged:
                waiting.append(note)
        self._judge(waiting, by_day=DAYS)
        for later in range(week, DAYS // WEEK + 1):
            self._do_upkeep(later * WEEK)
        self._go_to(DAYS)

    def _save(self, note: Note) -> None:
        provenance = {"url": f"https://example.org/{note.source.replace(' ', '/')}"} if note.source else None
        fields = accepted(Memory.save, **note.fields)
        saved = self.memory.save(note.text, title=note.title, provenance=provenance, **fields)
        self.ids[note.id] = saved.node.id
        if note.related:
            self.memory.relate(saved.node.id, self.ids[note.related], tag="related", weight=RELATION_WEIGHT)

    def _judge(self, waiting: list[Note], *, by_day: float) -> None:
        """Judge what was saved at least a day before."""
        while waiting and waiting[0].day + 1 <= by_day:
            note = waiting.pop(0)
            self._go_to(note.day + 1)
            self.memory.feedback(self.ids[note.id], note.judged)

    def _go_to(self, day: float) -> None:
        self.clock.moment = max(self.clock.moment, START + timedelta(days=day * self.days / DAYS))

    def _do_upkeep(self, day: float) -> None:
        self._go_to(day)
        if self.kept_up:
            started = time.process_time()
            self.totals += done_upkeep(self.memory)
            self.upkeep_s += time.process_time() - started
            self._review()
            for name in self.ids.keys() - self.first_answers.keys():
                if name.startswith("copy-") and held(self.memory, self.ids[name]) is None:
                    self.first_answers[name] = answer_of(self.memory.get, self.ids[name])

    def _review(self) -> None:
        """Note what a person is asked about, without an answer."""
        cursor = None
        while True:
            page = self.memory.review(limit=REVIEW_LIMIT, cursor=cursor)
            self.listed |= {frozenset((pair.first.id, pair.second.id)): pair.reason for pair in page.pairs}
            if (cursor := page.next_cursor) is None:
                return


def done_upkeep(memory: Memory) -> Counter[str]:
    """What one upkeep did. The first of a memory only proposes, as for everybody."""
    run = memory.run_upkeep("apply").runs[0]
    done = run.state == "applied"
    return Counter(runs=1, relations_made=run.relations * done, removed=run.removals * done)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--part", choices=("dev", "final", "later", "fourth"), default="dev")
    options.add_argument("--others", type=int, default=2_000, help="how many real notes")
    options.add_argument("--days", type=float, default=DAYS, help="how long the half year takes")
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite"])
    given = options.parse_args()
    if given.data is None and given.others:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA; or --others 0")
    data = Path(given.data) if given.data else None
    lived = world(given.part, data, given.others, QUESTIONS_OF_OTHERS)
    for database in given.databases:
        row = {"command": command("upkeep"), "others": given.others, "days": given.days}
        keep("upkeep", {given.part: {database: row | measure(database, lived, given.days)}})


def measure(database: str, lived: World, days: float) -> Figures:
    """All figures of a world on a database."""
    result: Figures = {"notes": len(lived.notes)}
    for kept_up in (False, True):
        with ExitStack() as opened:
            url, clock = opened.enter_context(getattr(stores, database)()), Clock()
            memory = opened.enter_context(Memory.open(url, clock=clock))
            life = Life(memory, clock, kept_up=kept_up, days=days)
            life.live(lived.notes)
            _say(database, "lived", "with upkeep" if kept_up else "without", dict(life.totals))
            result["recall with" if kept_up else "recall without"] = recalled(life, lived.questions)
            if kept_up:
                here = {name: node for name, node_id in life.ids.items() if (node := held(memory, node_id))}
                result["upkeep"] = dict(life.totals) | {"processor_s": round(life.upkeep_s, 1)}
                result["copies"] = copies(life, lived, here)
                result["asked about in all"] = len(life.listed)
                result["lost"] = lost(lived, here)
                result["carried over"] = carried_over(life, lived, here)
                result["later calls"] = later_calls(life, lived, here)
    return result


def held(memory: Memory, node_id: str) -> Any | None:
    """The node of an id if it is here itself; None if it went or another one stands for it."""
    try:
        node = memory.get(node_id)
    except NotFound:
        return None
    return node if node.id == node_id and node.superseded_by is None else None


def answer_of(call: Callable[[str], object], node_id: str) -> str:
    """What a call answers on an id, as text; of an error its message, in which ids are short."""
    try:
        return str(call(node_id))
    except NotFound as error:
        return f"{error} {error.hint}"


def copies(life: Life, lived: World, here: dict[str, Any]) -> Figures:
    """Of near-copies, by their titles: how many were collapsed into one, and whether the right one stayed; and how many
    more the weekly review showed to a person.
    """
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    missed, wrong = [], []
    for pair in lived.pairs:
        if pair["sort"] != "copy":
            continue
        both = {pair["first"], pair["second"]}
        stayed = both & here.keys()
        titled = "without titles" if pair["titles"] == "none" else "with titles"
        groups = ("all", titled, f"titles {pair['titles']}", f"language {pair['language']}", f"kind {pair['kind']}")
        for group in groups:
            counted[group] += Counter(
                pairs=1,
                collapsed=len(stayed) == 1,
                right=stayed == {pair["survivor"]},
                both_gone=not stayed,
                asked=len(stayed) == 2 and frozenset(life.ids[name] for name in both) in life.listed,
            )
        if len(stayed) == 1:
            counted[f"survivor by {pair['by']}"] += Counter(collapsed=1, right=stayed == {pair["survivor"]})
        missed += [pair["id"]] if len(stayed) == 2 else []
        wrong += [pair["id"]] if len(stayed) == 1 and stayed != {pair["survivor"]} else []
    figures: Figures = {}
    for group, numbers in sorted(counted.items()):
        figures[group] = {"right survivor": _of(numbers["right"], numbers["collapsed"])}
        if numbers["pairs"]:
            figures[group] |= {
                "collapsed": _of(numbers["collapsed"], numbers["pairs"]),
                "collapsed or asked about": _of(numbers["collapsed"] + numbers["asked"], numbers["pairs"]),
                "both gone": numbers["both_gone"],
            }
    return figures | {"not collapsed": missed[:SHOWN], "wrong survivor": wrong[:SHOWN]}


def lost(lived: World, here: dict[str, Any]) -> Figures:
    """What is not here any more of that which has to stay; and, told apart, of paraphrases and real notes."""
    gone: dict[str, list[str]] = defaultdict(list)
    of: Counter[str] = Counter()
    for pair in lived.pairs:
        if pair["sort"] == "copy":
            continue
        sort = _SORTS[pair["sort"]]
        for name in (sort, f"{sort}, {pair['kind']}") if sort == "changed facts" else (sort,):
            of[name] += 1
            if not {pair["first"], pair["second"]} <= here.keys():
                gone[name].append(pair["id"])
    for note in lived.notes:
        kind = note.id.replace("beside", "single").split("-")[0].split(" ")[0]
        if kind in ("single", "locomo", "longmemeval", "scifact"):
            name = "singular" if kind == "single" else kind
            of[name] += 1
            if note.id not in here:
                gone[name].append(f"{note.id}: {note.text}")
    return {
        name: {"gone": _of(len(gone[name]), number), "for example": gone[name][:SHOWN]}
        for name, number in sorted(of.items())
    }


def carried_over(life: Life, lived: World, here: dict[str, Any]) -> Figures:
    """Of collapsed copies: whether what the one that went had (title, relation, judgement, source) is at the other."""
    notes = {note.id: note for note in lived.notes}
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for went, stands in _collapsed(lived, here):
        note, node = notes[went], here[stands]
        if note.title is not None:
            _count(counted["title or alias"], note.title in (node.title, *node.aliases))
        if note.related is not None:
            other = life.ids[note.related]
            edges = life.memory.relations(source_id=node.id).edges + life.memory.relations(target_id=node.id).edges
            _count(counted["relation"], any(other in (edge.source_id, edge.target_id) for edge in edges))
        if note.judged is not None:
            _count(counted["utility"], node.utility > 0)
        if note.source is not None:
            _count(counted["source"], note.source.replace(" ", "/") in str(node.provenance))
    return {name: _of(*numbers) for name, numbers in sorted(counted.items())}


def later_calls(life: Life, lived: World, here: dict[str, Any]) -> Figures:
    """What calls on the ids of copies that went are answered: with the one that stands for it, or by an error that
    names it.
    """
    memory = life.memory
    beside = memory.save("The list of calls is checked at the end of the half year.").node.id
    calls = {
        "get": memory.get,
        "feedback": lambda node_id: memory.feedback(node_id, "helpful"),
        "relate": lambda node_id: memory.relate(node_id, beside, tag="checked", weight=RELATION_WEIGHT),
    }
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for went, stands in _collapsed(lived, here):
        stand_in = life.ids[stands]
        answers = {f"{name} at the end": answer_of(call, life.ids[went]) for name, call in calls.items()}
        for name, answer in {"get in the week it went": life.first_answers.get(went, ""), **answers}.items():
            _count(counted[f"{name}: answered with the stand-in"], stand_in in answer)
            _count(counted[f"{name}: answered, or an error names it"], stand_in[-8:] in answer)
    return {name: _of(*numbers) for name, numbers in sorted(counted.items())}


def recalled(life: Life, questions: Sequence[Question]) -> Figures:
    """Recall@12 of active contexts, by the group of the question: the mean share of its answers that are there."""
    shares: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        items = life.memory.activate(question.text, limit=CONTEXT).items
        found = {item.node.id for item in items}
        groups = [{life.ids[name] for name in group} for group in question.answers]
        share = sum(bool(group & found) for group in groups) / len(groups)
        for name in {question.group, question.group.partition(",")[0]}:
            shares[name].append(share)
    return {
        name: {"questions": len(each), "recall@12": round(sum(each) / len(each), 4)}
        for name, each in sorted(shares.items())
    }


def _collapsed(lived: World, here: dict[str, Any]) -> list[tuple[str, str]]:
    """Of each collapsed pair of copies, the one that went and the one that stands for it."""
    return [
        (went, stands)
        for pair in lived.pairs
        if pair["sort"] == "copy"
        for went, stands in ((pair["first"], pair["second"]), (pair["second"], pair["first"]))
        if went not in here and stands in here
    ]


def _count(numbers: list[int], has: bool) -> None:
    numbers[0] += has
    numbers[1] += 1


def _of(has: int, of: int) -> str:
    return f"{100 * has / of:.1f} % ({has}/{of})" if of else "none"


def _say(*words: object) -> None:
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
