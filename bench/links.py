"""Links that a person would call an insight: how many of them insight finds, beside other ways at equal numbers.

python -m bench.links [--part dev|final|later|fourth] [--databases sqlite postgres] [--every 5]

The notes of a part of `bench/links_data` are saved in the order of their days. `batch` judges them all when the last is
there, `stream` after every few saves; both until no new one is left. Cosine, BM25 and Adamic–Adar
(`links_baselines.py`) get as many links as insight made, their best ones; random is what a blind guess expects. Pairs
that are neither links nor wrong count nowhere. Each ablation changes one key of the policy and judges in one batch.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench import stores
from bench.links_baselines import Pair, Scores, adamic_adar, bm25, cosine
from bench.measure import command, keep
from bench.recall_sets import Clock
from wherefrom import Memory

DATA = Path(__file__).parent / "links_data"
AT_A_TIME = 100
MAX_PLANS = 200
"""A search for links that does not end by then is an error."""
LANGUAGES = ("en", "ja")
ABLATIONS = {
    "γ = 0": "gauge: {path_weight: 0}",
    "no hops": "gauge: {hops: 0}",
    "AG never fires": "gates: {theta_ag: 10}",
    "no expansion": "cand_expansion: {cycles: 0}",
}
Figures = dict[str, Any]


@dataclass(frozen=True)
class Labels:
    """Pairs of notes by what a person says of them."""

    links: Mapping[Pair, str]
    """The kind of each link."""
    fair: frozenset[Pair]
    tempting: frozenset[Pair]


@dataclass(frozen=True)
class Found:
    """The links that a run of insight made, by pair with their weight, and what it cost."""

    links: Scores
    tags: Mapping[str, int]
    judged: int
    seconds: float


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--part", choices=("dev", "final", "later", "fourth"), default="dev")
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite"])
    options.add_argument("--every", type=int, default=5, help="the stream judges after so many saves")
    given = options.parse_args()
    for database in given.databases:
        measured = measure(database, notes_of(given.part), labels_of(given.part), every=given.every)
        keep("links", {given.part: {database: {"command": command("links"), **measured}}})


def notes_of(part: str) -> list[Figures]:
    """The notes of a part in the order in which they are saved."""
    return sorted((row for row in read("notes") if row["part"] == part), key=lambda row: row["saved"])


def labels_of(part: str) -> Labels:
    """What a person says of the pairs of a part."""
    by_name = {
        name: {frozenset((row["a"], row["b"])): row.get("kind", "") for row in read(name) if row["part"] == part}
        for name in ("links", "fair", "tempting")
    }
    return Labels(by_name["links"], frozenset(by_name["fair"]), frozenset(by_name["tempting"]))


def read(name: str) -> list[Figures]:
    """The rows of a file of the data."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def measure(database: str, notes: Sequence[Figures], labels: Labels, *, every: int) -> Figures:
    """All figures of a part on a database."""
    texts = {row["id"]: f"{row.get('title', '')} {row['text']}".strip() for row in notes}
    batch, cosines = run(database, notes, every=len(notes), texts=texts)
    others = {
        "cosine": cosines,
        "BM25": bm25(texts, shares=False),
        "BM25, shares": bm25(texts, shares=True),
        "Adamic–Adar": adamic_adar(texts),
    }
    result: Figures = {"notes": len(notes), "links": len(labels.links), "fair": len(labels.fair)}
    streamed, _ = run(database, notes, every=every)
    for name, found in (("batch", batch), ("stream", streamed)):
        number = len(found.links.keys() - labels.fair)
        row = {"insight": judge(found.links, labels, number) | costs(found)}
        row |= {other: judge(scores, labels, number) for other, scores in others.items()}
        result[name] = row | {"random": expected(len(notes), labels, number)}
    for language in LANGUAGES:
        result[f"batch, {language}"] = within(language, notes, labels, {"insight": batch.links} | others)
    result["as many as labelled"] = {
        name: judge(scores, labels, len(labels.links)) for name, scores in ({"insight": batch.links} | others).items()
    }
    result["ablations"] = {}
    for name, keys in ABLATIONS.items():
        found, _ = run(database, notes, every=len(notes), keys=keys)
        row = judge(found.links, labels, len(found.links.keys() - labels.fair))
        other = len(found.links.keys() ^ batch.links.keys())
        result["ablations"][name] = row | {"pairs that differ": other, "seconds": found.seconds}
        _say(database, name, row)
    return result


def run(
    database: str,
    notes: Sequence[Figures],
    *,
    every: int,
    keys: str | None = None,
    texts: Mapping[str, str] | None = None,
) -> tuple[Found, Scores]:
    """Save the notes, and have insight link the new ones after every so many; with `texts` also the cosine of pairs,
    from before any link.
    """
    links: Scores = {}
    tags: Counter[str] = Counter()
    judged, seconds, cosines = 0, 0.0, {}
    with ExitStack() as opened:
        url, clock = opened.enter_context(getattr(stores, database)()), Clock()
        memory = opened.enter_context(Memory.open(url, clock=clock))
        if keys is not None:
            memory.apply_policy(f"version: 1.1.0\ninsight:\n  {keys}\n")
        named: dict[str, str] = {}
        for number, note in enumerate(notes, start=1):
            clock.moment = max(clock.moment + timedelta(minutes=1), datetime.fromisoformat(f"{note['saved']}T09:00Z"))
            named[memory.save(note["text"], title=note.get("title")).node.id] = note["id"]
            if number % every == 0 or number == len(notes):
                if texts is not None:
                    by_node = {node_id: texts[name] for node_id, name in named.items()}
                    cosines = _renamed(cosine(memory, by_node), named)
                started = time.process_time()
                for plan in link_new(memory, clock):
                    judged += plan.judged
                    for link in (each for decision in plan.decisions for each in decision.links if each.accepted):
                        pair = frozenset((named[link.source_id], named[link.target_id]))
                        tags[link.tag] += pair not in links
                        links[pair] = max(links.get(pair, 0.0), link.weight)
                seconds += time.process_time() - started
    return Found(links, tags, judged, round(seconds, 2)), cosines


def link_new(memory: Memory, clock: Clock) -> list[Any]:
    """The plans that insight makes and applies until nothing new is left."""
    plans = []
    while True:
        clock.moment += timedelta(seconds=1)
        plan = memory.find_insight(limit=AT_A_TIME, apply=True)
        plans.append(plan)
        if not plan.remaining:
            return plans
        if len(plans) == MAX_PLANS:
            raise RuntimeError(f"{plan.remaining} notes are still new after {MAX_PLANS} plans")


def judge(scores: Scores, labels: Labels, number: int) -> Figures:
    """The figures of the best so many pairs that are not merely fair."""
    ranked = sorted(
        (pair for pair in scores if pair not in labels.fair), key=lambda pair: (-scores[pair], *sorted(pair))
    )
    chosen = ranked[:number]
    right = [pair for pair in chosen if pair in labels.links]
    precision, recall = _share(len(right), len(chosen)), _share(len(right), len(labels.links))
    return {
        "links": len(chosen),
        "right": len(right),
        "precision": precision,
        "recall": recall,
        "f1": round(2 * precision * recall / (precision + recall), 4) if right else 0.0,
        "tempting": len(labels.tempting & set(chosen)),
        "recall by kind": _by_kind(right, labels),
    }


def within(language: str, notes: Sequence[Figures], labels: Labels, by_way: Mapping[str, Scores]) -> Figures:
    """The same, of pairs of one language alone, because a small embedder finds all texts of some languages alike."""
    own = {row["id"] for row in notes if row["language"] == language}
    kept = Labels({pair: kind for pair, kind in labels.links.items() if pair <= own}, labels.fair, labels.tempting)
    number = sum(pair <= own and pair not in labels.fair for pair in by_way["insight"])
    return {
        name: judge({pair: score for pair, score in scores.items() if pair <= own}, kept, number)
        for name, scores in by_way.items()
    }


def expected(notes: int, labels: Labels, number: int) -> Figures:
    """What so many pairs taken at random are expected to have right."""
    precision = len(labels.links) / (notes * (notes - 1) / 2 - len(labels.fair))
    right = number * precision
    return {"links": number, "precision": round(precision, 4), "recall": _share(right, len(labels.links))}


def costs(found: Found) -> Figures:
    """What a run of insight cost, and the tags of its links."""
    return {"judged": found.judged, "processor_s": found.seconds, "tags": dict(found.tags)}


def _by_kind(right: Collection[Pair], labels: Labels) -> dict[str, str]:
    of = Counter(labels.links.values())
    has = Counter(labels.links[pair] for pair in right)
    return {kind: f"{has[kind]}/{number}" for kind, number in sorted(of.items())}


def _renamed(scores: Scores, named: Mapping[str, str]) -> Scores:
    return {frozenset(named[node_id] for node_id in pair): score for pair, score in scores.items()}


def _share(has: float, of: int) -> float:
    return round(has / of, 4) if of else 0.0


def _say(*words: object) -> None:
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
