"""Whether insight links notes that a question needs together, and what each part of it does to its decisions.

WHEREFROM_BENCH_DATA=… python -m bench.insight_pairs [--sets longmemeval hotpotqa locomo] [--parts now paths …] [--most 300]

Two texts are a true pair if a question needs both. Texts of even-numbered questions (conversations, for LoCoMo) are for
tuning, those of odd-numbered ones for the figures; of each at most `--most` texts are asked about (`find_insight`).
Cosine, and the share of words, rank all pairs that were judged and are cut off after as many as insight accepts.
`changed` counts the pairs that one policy accepts and the one in force does not, or the other way round.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bench import recall_sets, stores
from bench.measure import keep
from bench.recall import fill
from wherefrom import Memory
from wherefrom.model.insight import ProposedEdge

Pair = frozenset[str]
Links = dict[Pair, ProposedEdge]
SETS: Mapping[str, Callable[[Path], recall_sets.Passages]] = {
    "longmemeval": recall_sets.longmemeval,
    "hotpotqa": recall_sets.hotpot,
    "locomo": recall_sets.locomo,
}
ATTENTIVE = {"theta_ag": -10.0, "cool_down": 0}
# What is changed in the policy; the first is the policy in force.
PARTS: Mapping[str, dict[str, Any]] = {
    "now": {},
    "no names": {"candidates": {"names": 0.0}},
    "no terms": {"candidates": {"terms": 0.0}},
    "no time": {"candidates": {"time": 0.0}},
    "no ΔH": {"gauge": {"temperature": 0.0}},
    "no paths": {"gauge": {"path_weight": 0.0}},
    "paths 0.2": {"gauge": {"path_weight": 0.2}},
    "AG always": {"gates": ATTENTIVE},
    "AG always, no expansion": {"gates": ATTENTIVE, "cand_expansion": {"cycles": 0}},
    "AG always, no hops": {"gates": ATTENTIVE, "gauge": {"hops": 0}},
    "AG always, no paths": {"gates": ATTENTIVE, "gauge": {"path_weight": 0.0}},
    "AG always, paths 1": {"gates": ATTENTIVE, "gauge": {"path_weight": 1.0}},
}
# A question that needs many texts joins most of them by chance.
MOST_NEEDED = 6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    options.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    options.add_argument("--most", type=int, default=300)
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    for name in given.sets:
        keep("insight_pairs", {name: measured(SETS[name](Path(given.data)), given.parts, given.most)})


def measured(passages: recall_sets.Passages, parts: Sequence[str], most: int) -> dict[str, Any]:
    """What each policy accepts, for both halves of the questions."""
    if not passages.times:
        passages.texts = {each: (None, f"{title}. {text}", at) for each, (title, text, at) in passages.texts.items()}
    with stores.sqlite() as url:
        clock = recall_sets.Clock()
        with Memory.open(url, clock=clock) as memory:
            ids = fill(memory, clock, passages)
            clock.moment = max(passages.times.values(), default=recall_sets.START)
            halves = [true_pairs(passages, ids, half) for half in (0, 1)]
            asked = [chosen(sorted(set().union(*true)), most) for true in halves]
            found: dict[str, Any] = {"texts": len(passages.texts), "asked": list(map(len, asked))}
            in_force: list[set[Pair]] = []
            for number, part in enumerate(parts):
                memory.apply_policy(yaml.safe_dump({"version": f"1.{number + 1}.0", "insight": PARTS[part]}))
                rows = [judged(memory, each) for each in asked]
                accepted = [{pair for pair, link in links.items() if link.accepted} for links, _, _ in rows]
                in_force = in_force or accepted
                found[part] = {
                    name: {
                        **figures(links, true_of(true, each)),
                        "changed": len(some ^ before),
                        "ag_share": round(fired, 3),
                        "cpu_ms": round(cpu_ms, 1),
                    }
                    for name, (links, fired, cpu_ms), true, each, some, before in zip(
                        ("even", "odd"), rows, halves, asked, accepted, in_force, strict=True
                    )
                }
                print(part, json.dumps(found[part]), flush=True)
    return found


def true_pairs(passages: recall_sets.Passages, ids: Mapping[str, str], half: int) -> set[Pair]:
    """The pairs of texts that a question of this half needs together."""
    found: set[Pair] = set()
    for number, (_, namespace, needed, _) in enumerate(passages.questions):
        place = number if namespace == "main" else int(namespace.removeprefix("main/c"))
        if place % 2 == half and len(needed) <= MOST_NEEDED:
            found |= {frozenset(pair) for pair in itertools.combinations({ids[text] for text in needed}, 2)}
    return {pair for pair in found if len(pair) > 1}


def chosen(ids: Sequence[str], most: int) -> list[str]:
    return sorted(random.Random(1).sample(ids, min(most, len(ids))))


def true_of(true: set[Pair], asked: Sequence[str]) -> set[Pair]:
    return {pair for pair in true if pair & set(asked)}


def judged(memory: Memory, asked: Sequence[str]) -> tuple[Links, float, float]:
    """The links that were judged, in which share of the decisions AG fired, and the time of this process for one."""
    links: Links = {}
    fired = 0
    start = time.process_time()
    for node_id in asked:
        (decision,) = memory.find_insight(node_id).decisions
        fired += any(cycle.ag for cycle in decision.cycles)
        for link in decision.links:
            pair = frozenset((link.source_id, link.target_id))
            if pair not in links or link.accepted:
                links[pair] = link
    return links, fired / len(asked), (time.process_time() - start) * 1_000 / len(asked)


def figures(links: Links, true: set[Pair]) -> dict[str, Any]:
    """Precision and recall of what was accepted, and of as many by other rankings."""
    count = sum(link.accepted for link in links.values())
    rankings: dict[str, Callable[[ProposedEdge], Any]] = {
        "insight": lambda link: (link.accepted, -link.figures.g),
        "cosine": lambda link: link.figures.similarity or -1.0,
        "words": lambda link: link.figures.words or 0.0,
    }
    row: dict[str, Any] = {"accepted": count, "true": len(true)}
    for name, by in rankings.items():
        best = sorted(links, key=lambda pair: (by(links[pair]), sorted(pair)), reverse=True)[:count]
        hits = sum(pair in true for pair in best)
        row[name] = [round(hits / max(count, 1), 4), round(hits / max(len(true), 1), 4)]
    return row


if __name__ == "__main__":
    main()
