"""Whether the links that insight accepts are the true ones: part of known graphs is hidden, and asked for again.

WHEREFROM_BENCH_DATA=… python -m bench.insight_links [--half tuning] [--sets cora USAir …] [--policy FILE] [--dump FILE]

A fifth of the nodes is asked about (`find_insight`), half of their links hidden (`warm`) or all (`cold`, where nodes
have words). A pair (asked node, other node without a stored link to it) is true if its link was hidden. Baselines rank
all such pairs: exact tf-idf cosine, Adamic–Adar, common neighbours, and the sum of the first two in standard
deviations; what scores least of all counts as not found, equal scores are shuffled. They are cut off after as many
links as insight accepts. `projected` is the cosine of the vectors that insight has. `parts` are rankings by single figures, from a second run in which AG always fires and DG accepts
nothing, so that each figure is of the link alone; --dump writes that run, `accepted` being that of the first.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import yaml
from numpy.typing import NDArray

from bench import linked_sets, stores
from bench.linked_sets import HALVES, LinkedSet, Numbers, Projected, Split
from bench.measure import keep, percentiles
from wherefrom import Memory
from wherefrom.model.insight import ProposedEdge

Flags = NDArray[np.bool_]
SETS = [name for names in HALVES.values() for name in names]
FIGURES = ("similarity", "words", "shared", "score", "delta_h", "delta_sp", "hop", "g")
OPEN = {"theta_ag": -10.0, "theta_dg": -10.0}


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs of an asked node (row) and another (column): which can be proposed, and which are true."""

    possible: Flags
    true: Flags

    def unfound(self) -> Numbers:
        return np.full(self.true.shape, -np.inf, dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Of what was found, best first, which is true; total: how many true pairs there are."""

    hits: Flags
    total: int

    def average_precision(self) -> float:
        places = np.flatnonzero(self.hits)
        return float((np.arange(1, len(places) + 1) / (places + 1)).sum() / max(self.total, 1))

    def at(self, count: int) -> tuple[float, float]:
        """Precision and recall of the first so many."""
        found = int(self.hits[:count].sum())
        return found / max(min(count, len(self.hits)), 1), found / max(self.total, 1)

    def precision_at(self, recall: float) -> float | None:
        """Interpolated between the places of two true pairs; None where the ranking never gets that far."""
        places = np.flatnonzero(self.hits)
        number = np.arange(1, len(places) + 1)
        if not len(places) or recall > len(places) / self.total:
            return None
        return float(np.interp(recall * self.total, number, number / (places + 1)))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--half", choices=sorted(HALVES))
    options.add_argument("--sets", nargs="+", choices=SETS)
    options.add_argument("--protocols", nargs="+", choices=["warm", "cold"], default=["warm", "cold"])
    options.add_argument("--policy", type=Path, help="applied before asking; the result is then printed and not kept")
    options.add_argument("--dump", type=Path, help="where the figures of all judged links go, as JSON lines")
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    policy = yaml.safe_load(given.policy.read_text(encoding="utf-8")) if given.policy else {}
    result: dict[str, Any] = {}
    for name in given.sets or HALVES.get(given.half, SETS):
        known = linked_sets.read(Path(given.data), name)
        if known is None:
            continue
        embedder = "none" if known.words is None else Projected(known)
        row: dict[str, Any] = {"nodes": known.size, "links": len(known.links)}
        for protocol in given.protocols if known.words is not None else ["warm"]:
            row[protocol] = measured(known, protocol, embedder=embedder, policy=policy, dump=given.dump)
            print(name, protocol, json.dumps(row[protocol]), flush=True)
        result[name] = row
    if given.policy is None:
        keep("insight_links", result)


def measured(
    known: LinkedSet,
    protocol: str,
    *,
    embedder: str | Projected,
    policy: Mapping[str, Any],
    dump: Path | None,
) -> dict[str, Any]:
    """What insight finds of the hidden links, and what the baselines do."""
    split = linked_sets.split(known, protocol)
    with stores.sqlite() as url, Memory.open(url, embedder=embedder) as memory:
        ids = linked_sets.store(memory, known, stored=split.stored)
        if policy:
            memory.apply_policy(yaml.safe_dump({**policy, "version": "1.1.0"}))
        links, times = asked(memory, split, ids=ids)
        memory.apply_policy(yaml.safe_dump({**opened(policy), "version": "1.2.0"}))
        alone, _ = asked(memory, split, ids=ids)
    pairs = pairs_of(known, split)
    if dump is not None:
        accepted = {ends for ends, link in links.items() if link.accepted}
        with dump.open("a", encoding="utf-8") as file:
            about = {"set": known.name, "protocol": protocol}
            write(file, about, split=split, pairs=pairs, links=alone, accepted=accepted)
    baselines = baselines_of(known, split, pairs=pairs)
    if isinstance(embedder, Projected):
        vectors = embedder.embed(known.texts())
        baselines["projected"] = _cosines(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), split)
    rankings = {name: ranked(pairs, scores) for name, scores in baselines.items()}
    return {
        "asked": len(split.asked),
        "hidden": int(pairs.true.sum()),
        **compared(pairs, links, rankings=rankings),
        "parts": parts(pairs, alone),
        "find_insight_ms": percentiles(times),
    }


def asked(
    memory: Memory, split: Split, *, ids: Sequence[str]
) -> tuple[dict[tuple[int, int], ProposedEdge], list[float]]:
    """The links that were judged, by row and column, and how long each question took."""
    place = {node_id: number for number, node_id in enumerate(ids)}
    links: dict[tuple[int, int], ProposedEdge] = {}
    times = []
    for row, node in enumerate(split.asked.tolist()):
        start = time.perf_counter()
        plan = memory.find_insight(ids[node])
        times.append(time.perf_counter() - start)
        for link in (*plan.accepted, *plan.rejected):
            (other,) = {place[link.source_id], place[link.target_id]} - {node}
            links[row, other] = link
    return links, times


def opened(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The policy with the gates set so that AG always fires and DG accepts nothing."""
    insight = policy.get("insight") or {}
    gates = {**(insight.get("gates") or {}), "mode": "fixed", **OPEN}
    return {**policy, "insight": {**insight, "gates": gates}}


def pairs_of(known: LinkedSet, split: Split) -> Pairs:
    stored, hidden = (_adjacency(known.size, links)[split.asked] > 0 for links in (split.stored, split.hidden))
    possible = ~stored
    possible[np.arange(len(split.asked)), split.asked] = False
    return Pairs(possible, hidden)


def baselines_of(known: LinkedSet, split: Split, *, pairs: Pairs) -> dict[str, Numbers]:
    """Scores of all pairs by other means."""
    linked = _adjacency(known.size, split.stored)
    degrees = linked.sum(axis=1)
    # A node with one link is nobody's common neighbour, so what it would weigh does not matter.
    weights = 1.0 / np.log(np.maximum(degrees, 2))
    near = linked[split.asked]
    found = {"adamic_adar": (near * weights) @ linked, "common_neighbours": near @ linked}
    if known.words is not None:
        found["cosine"] = _cosines(linked_sets.tf_idf(known), split)
        found["cosine_adamic_adar"] = sum(_standard(found[name], pairs) for name in ("cosine", "adamic_adar"))
    return found


def ranked(pairs: Pairs, scores: Numbers) -> Ranking:
    """The possible pairs with a score above the least, best first; equal ones in random order, always the same."""
    counted = pairs.possible & (scores > scores[pairs.possible].min())
    values, true = scores[counted], pairs.true[counted]
    shuffled = np.random.default_rng(linked_sets.SEED).permutation(len(values))
    order = shuffled[np.argsort(-values[shuffled], kind="stable")]
    return Ranking(true[order], int(pairs.true.sum()))


def compared(
    pairs: Pairs, links: Mapping[tuple[int, int], ProposedEdge], *, rankings: Mapping[str, Ranking]
) -> dict[str, Any]:
    """Insight beside the baselines: after as many links as it accepts, over all, and at the recall it reaches."""
    scores = pairs.unfound()
    chosen = np.zeros_like(pairs.true)
    for ends, link in links.items():
        scores[ends] = -link.figures.g
        chosen[ends] = link.accepted
    count, found = int(chosen.sum()), int((chosen & pairs.true).sum())
    precision, recall = found / max(count, 1), found / max(int(pairs.true.sum()), 1)
    own = ranked(pairs, scores)
    rows = {"insight": _row(precision, recall, own.average_precision())}
    rows |= {name: _row(*each.at(count), each.average_precision()) for name, each in rankings.items()}
    there = {name: each.precision_at(recall) for name, each in rankings.items()}
    return {
        "judged": len(links),
        "judged_already_linked": sum(not pairs.possible[ends] for ends in links),
        "judged_recall": round(int(own.hits.sum()) / max(own.total, 1), 4),
        "accepted": count,
        "rankings": rows,
        "precision_at_equal_recall": {name: value and round(value, 4) for name, value in there.items()},
        "times_precision_of": {name: value and round(precision / value, 3) for name, value in there.items()},
    }


def parts(pairs: Pairs, links: Mapping[tuple[int, int], ProposedEdge]) -> dict[str, float]:
    """Average precision of what was judged, ranked by one figure alone."""
    found = {}
    for name in (*FIGURES, "distance"):
        if name == "hop":
            continue
        scores = pairs.unfound()
        for ends, link in links.items():
            value = getattr(link.figures, name)
            # Of these less is better; the others are larger where more speaks for a link.
            scores[ends] = -1e9 if value is None else -value if name in ("g", "distance") else value
        found[name] = round(ranked(pairs, scores).average_precision(), 4)
    return found


def write(
    file: IO[str],
    about: Mapping[str, str],
    *,
    split: Split,
    pairs: Pairs,
    links: Mapping[tuple[int, int], ProposedEdge],
    accepted: set[tuple[int, int]],
) -> None:
    for ends, link in links.items():
        row = {
            **about,
            "source": int(split.asked[ends[0]]),
            "target": ends[1],
            "is_true": bool(pairs.true[ends]),
            **{name: getattr(link.figures, name) for name in (*FIGURES, "common_neighbours", "distance")},
            "accepted": ends in accepted,
        }
        file.write(json.dumps(row) + "\n")


def _row(precision: float, recall: float, average: float) -> dict[str, float]:
    return {"precision": round(precision, 4), "recall": round(recall, 4), "average_precision": round(average, 4)}


def _adjacency(size: int, links: NDArray[np.int64]) -> Numbers:
    found = np.zeros((size, size), dtype=np.float32)
    found[links[:, 0], links[:, 1]] = found[links[:, 1], links[:, 0]] = 1.0
    return found


def _cosines(rows: Numbers, split: Split) -> Numbers:
    found: Numbers = rows[split.asked] @ rows.T
    return found


def _standard(scores: Numbers, pairs: Pairs) -> Numbers:
    values = scores[pairs.possible]
    deviation = float(values.std())
    return (scores - values.mean()) / deviation if deviation > 0 else np.zeros_like(scores)


if __name__ == "__main__":
    main()
