"""What insight does to notes that arrive one by one, and how long a decision takes in a large store.

WHEREFROM_BENCH_DATA=… python -m bench.insight_stream [--parts stream scale] [--databases sqlite] [--keep FILE]

Stream: the first turns of LoCoMo, saved at their times, each with `link=True`: how many links they get, how long that
takes, and whether active contexts of twelve hold more of the evidence than without these links. Scale: `find_insight`
for new notes among 100,000 texts with 300,000 relations, half of them at random and half between texts that begin
alike. Figures of parts that are not run again stay as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from bench import explore, recall, search, stores
from bench.measure import keep, percentiles
from wherefrom import Memory

BAR_P50_MS = 15.0
PARTS = ("stream", "scale")
Value = TypeVar("Value")
Answers = list[dict[str, float]]


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything."""

    turns: int
    texts: int
    relations: int
    notes: int


@dataclass
class Store:
    """A memory, the clock that it goes by, and the ids of what was saved."""

    memory: Memory
    clock: recall.Clock
    ids: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """A plan for one note, in figures; cpu_s: what this process computed for it, however busy the machine is."""

    links: tuple[tuple[str, str], ...]
    candidates: int
    around: int
    fired: bool
    thresholds: dict[str, float]
    find_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Note:
    """A note that arrived in two stores: in one it was saved with `link`, in the other saved, judged and linked."""

    links: tuple[tuple[str, str], ...]
    link_s: float
    save_s: float
    apply_s: float
    judged: Judged

    @property
    def decision_s(self) -> float:
        return self.link_s - self.save_s


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite"])
    options.add_argument("--turns", type=int, default=1_000)
    options.add_argument("--texts", type=int, default=100_000)
    options.add_argument("--relations", type=int, default=300_000)
    options.add_argument("--notes", type=int, default=300)
    options.add_argument("--keep", metavar="FILE", help="scale on SQLite: use or make this file")
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    size = Size(given.turns, given.texts, given.relations, given.notes)
    for database in given.databases:
        for part in given.parts:
            start = time.perf_counter()
            if part == "stream":
                figures = stream(database, Path(given.data), size)
            else:
                figures = scale(database, Path(given.data), size, given.keep if database == "sqlite" else None)
            figures["part_s"] = round(time.perf_counter() - start, 1)
            keep("insight_stream", {database: {part: figures}})


def stream(database: str, data: Path, size: Size) -> dict[str, Any]:
    passages = beginning(recall.locomo(data), size.turns)
    with opened(database) as store, opened(database) as second:
        notes, seconds = taken(lambda: arrive(store, second, passages))
        linked = answered(store, passages, graph=True)
        figures = {
            "turns": len(passages.texts),
            "questions": len(passages.questions),
            "arrival_s": round(seconds, 1),
            **counted(notes, store, passages),
        }
    with opened(database) as store:
        fill(store, passages, link=False, follows=False)
        bare = answered(store, passages, graph=True)
        off = answered(store, passages, graph=False)
    with opened(database) as store:
        both_links = fill(store, passages, link=True, follows=True)
        both = answered(store, passages, graph=True)
    with opened(database) as store:
        fill(store, passages, link=False, follows=True)
        follows = answered(store, passages, graph=True)
    return {
        **figures,
        "contexts": {
            "insight": {**means(linked), "against_no_links": compared(linked, bare)},
            "no_links": means(bare),
            "graph_off": means(off),
        },
        "contexts_with_follows": {
            "links_per_note": round(both_links / len(passages.texts), 3),
            "insight": {**means(both), "against_no_links": compared(both, follows)},
            "no_links": means(follows),
        },
    }


def beginning(passages: recall.Passages, turns: int) -> recall.Passages:
    """The first turns, and the questions that they answer."""
    texts = dict(list(passages.texts.items())[:turns])
    return recall.Passages(
        texts=texts,
        times=passages.times,
        follows=[pair for pair in passages.follows if texts.keys() >= set(pair)],
        questions=[question for question in passages.questions if question[2] <= texts.keys()],
    )


@contextmanager
def opened(database: str) -> Iterator[Store]:
    with getattr(stores, database)() as url:
        clock = recall.Clock()
        with Memory.open(url, clock=clock) as memory:
            yield Store(memory, clock)


def arrive(store: Store, second: Store, passages: recall.Passages) -> list[Note]:
    """Save every turn in both stores, the one right after the other; texts that are there already make no note."""
    notes = []
    for text_id, (_, text, namespace) in passages.texts.items():
        store.clock.moment = second.clock.moment = passages.times[text_id]
        saved, link_s = taken(lambda: store.memory.save(text, namespace=namespace, link=True))
        again, save_s = taken(lambda: second.memory.save(text, namespace=namespace))
        store.ids[text_id], second.ids[text_id] = saved.node.id, again.node.id
        if again.status != "created":
            continue
        plan_id, judged = judge(second.memory, again.node.id)
        _, apply_s = taken(lambda: second.memory.apply_insight(plan_id))
        links = tuple((link.source_id, link.target_id) for link in saved.links)
        notes.append(Note(links, link_s, save_s, apply_s, judged))
    return notes


def fill(store: Store, passages: recall.Passages, *, link: bool, follows: bool) -> int:
    """Save every turn, and relate it to the one before as soon as it is there; how many links insight made."""
    before = dict(passages.follows) if follows else {}
    links = 0
    for text_id, (_, text, namespace) in passages.texts.items():
        store.clock.moment = passages.times[text_id]
        saved = store.memory.save(text, namespace=namespace, link=link)
        store.ids[text_id] = saved.node.id
        links += len(saved.links)
        previous = store.ids.get(before.get(text_id, ""), saved.node.id)
        if previous != saved.node.id:
            store.memory.relate(saved.node.id, previous, tag="follows", weight=1.0)
    return links


def judge(memory: Memory, memo_id: str) -> tuple[str, Judged]:
    start = time.process_time()
    plan, find_s = taken(lambda: memory.find_insight(memo_id))
    cpu_s = time.process_time() - start
    cycles = [metrics for decision in plan.decisions for metrics in decision.cycles]
    return plan.id, Judged(
        links=tuple((link.source_id, link.target_id) for link in plan.accepted),
        candidates=max((metrics.candidates for metrics in cycles), default=0),
        around=sum(len(decision.around) for decision in plan.decisions),
        fired=any(metrics.ag for metrics in cycles),
        thresholds={"theta_ag": cycles[-1].theta_ag, "theta_dg": cycles[-1].theta_dg},
        find_s=find_s,
        cpu_s=cpu_s,
    )


def counted(notes: Sequence[Note], store: Store, passages: recall.Passages) -> dict[str, Any]:
    """Links and times. `lonely_share`: has no link in the end, either way. `crossing_share`: links out of a talk."""
    namespaces = {store.ids[text_id]: namespace for text_id, (_, _, namespace) in passages.texts.items()}
    links = [pair for note in notes for pair in note.links]
    ends = {end for pair in links for end in pair}
    count = len(notes)
    return {
        "notes": count,
        "links_per_note": spread([len(note.links) for note in notes]),
        "without_link_share": round(sum(not note.links for note in notes) / count, 4),
        "lonely_share": round(1 - len(ends) / count, 4),
        "crossing_share": round(sum(namespaces[a] != namespaces[b] for a, b in links) / max(len(links), 1), 4),
        "same_count_in_both_share": round(sum(len(note.links) == len(note.judged.links) for note in notes) / count, 4),
        "last_thresholds": notes[-1].judged.thresholds,
        "ag_share": round(sum(note.judged.fired for note in notes) / count, 4),
        "decision_ms": percentiles([note.decision_s for note in notes]),
        "save_with_link_ms": percentiles([note.link_s for note in notes]),
        "save_ms": percentiles([note.save_s for note in notes]),
        "find_insight_ms": by_attention([note.judged for note in notes]),
        "find_insight_cpu_ms": percentiles([note.judged.cpu_s for note in notes]),
        "apply_insight_ms": percentiles([note.apply_s for note in notes]),
        "candidates": spread([note.judged.candidates for note in notes]),
        "links_around": spread([note.judged.around for note in notes]),
    }


def answered(store: Store, passages: recall.Passages, *, graph: bool) -> Answers:
    """For each question by itself: what its active context holds."""
    return [
        recall.contexts(store.memory, store.clock, replace(passages, questions=[question]), store.ids, graph)
        for question in passages.questions
    ]


def means(answers: Answers) -> dict[str, float]:
    return {name: recall.mean(answer[name] for answer in answers) for name in answers[0]}


def compared(answers: Answers, others: Answers) -> dict[str, dict[str, int]]:
    """How many questions are answered better and worse than by the others."""
    pairs = list(zip(answers, others, strict=True))
    return {
        name: {
            "better": sum(one[name] > other[name] for one, other in pairs),
            "worse": sum(one[name] < other[name] for one, other in pairs),
        }
        for name in ("recall_any", "recall", "ndcg")
    }


def scale(database: str, data: Path, size: Size, kept: str | None) -> dict[str, Any]:
    with getattr(stores, database)() as url:
        where = kept or url
        built_s = build(where, data, size)
        with Memory.open(where) as memory:
            counts = memory.status().counts
            saves, judged, first_s = decide(memory, search.texts(data, size.notes + 1, random.Random(11)))
    find_ms = by_attention(judged)
    return {
        "nodes": counts["memo"],
        "relations": counts["edge"],
        "notes": len(judged),
        "build_s": round(built_s, 1),
        "first_decision_s": round(first_s, 3),
        "find_insight_ms": find_ms,
        "find_insight_cpu_ms": percentiles([each.cpu_s for each in judged]),
        "bar_p50_ms": BAR_P50_MS,
        "within_bar": find_ms["all"]["p50"] <= BAR_P50_MS,
        "save_ms": percentiles(saves),
        "last_thresholds": judged[-1].thresholds,
        "ag_share": round(sum(each.fired for each in judged) / len(judged), 4),
        "links_per_note": spread([len(each.links) for each in judged]),
        "candidates": spread([each.candidates for each in judged]),
        "links_around": spread([each.around for each in judged]),
    }


def build(url: str, data: Path, size: Size) -> float:
    """Import texts and relations as far as they are not there yet; returns the seconds that it took."""
    start = time.perf_counter()
    with Memory.open(url) as memory:
        counts = memory.status().counts
    contents = list(search.texts(data, size.texts, random.Random(3)))
    if counts["memo"] < size.texts:
        search.fill(url, iter(contents))
    if counts["edge"] < size.relations:
        numbers = random.Random(5)
        pairs = related(contents, size.relations, numbers)
        with Memory.open(url) as memory, tempfile.TemporaryFile() as file:
            header = {"type": "wherefrom", "format": 1, "exported_at": explore.NOW, "root_namespace": "main"}
            file.write(json.dumps(header).encode() + b"\n")
            for source, target in pairs:
                row = explore.edge(f"n{source + 1}", f"n{target + 1}", "related", 1.0)
                file.write(json.dumps({**row, "weight": round(numbers.uniform(0.3, 0.9), 3)}).encode() + b"\n")
            memory.import_(file)
    return time.perf_counter() - start


def related(contents: Sequence[str], count: int, numbers: random.Random) -> list[tuple[int, int]]:
    """Pairs of texts: half of them begin with the same words, as many as there are; the others are any."""
    texts = sorted((text.split(), place) for place, text in enumerate(contents))
    near = [
        (-same_beginning(words, others), *sorted((place, other)))
        for step in (1, 2, 3)
        for (words, place), (others, other) in zip(texts, texts[step:], strict=False)
    ]
    pairs = {(one, other) for _, one, other in sorted(near)[: count // 2]}
    while len(pairs) < count:
        one, other = sorted((numbers.randrange(len(contents)), numbers.randrange(len(contents))))
        if one != other:
            pairs.add((one, other))
    return sorted(pairs)


def same_beginning(words: Sequence[str], others: Sequence[str]) -> int:
    """How many words they begin with alike."""
    differing = (at for at, (one, other) in enumerate(zip(words, others, strict=False)) if one != other)
    return next(differing, min(len(words), len(others)))


def decide(memory: Memory, contents: Iterator[str]) -> tuple[list[float], list[Judged], float]:
    """Save and judge one after the other; the first, which loads the index, by itself. Leaves nothing behind."""
    saves, judged, ids = [], [], []
    try:
        for text in contents:
            saved, save_s = taken(lambda: memory.save(text))
            ids.append(saved.node.id)
            saves.append(save_s)
            judged.append(judge(memory, saved.node.id)[1])
    finally:
        for memo_id in ids:
            memory.delete(memo_id)
    return saves[1:], judged[1:], judged[0].find_s


def by_attention(judged: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """The times of `find_insight`, of all decisions and of those in which AG did and did not fire."""
    groups = {
        "all": [each.find_s for each in judged],
        "ag": [each.find_s for each in judged if each.fired],
        "no_ag": [each.find_s for each in judged if not each.fired],
    }
    return {name: percentiles(times) for name, times in groups.items() if times}


def spread(counts: Sequence[int]) -> dict[str, float]:
    ordered = sorted(counts)
    return {
        "mean": round(statistics.fmean(ordered), 3),
        "median": statistics.median(ordered),
        "p95": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
        "max": ordered[-1],
    }


def taken(work: Callable[[], Value]) -> tuple[Value, float]:
    """What came of it, and how many seconds it took."""
    start = time.perf_counter()
    value = work()
    return value, time.perf_counter() - start


if __name__ == "__main__":
    main()
