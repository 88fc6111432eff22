"""Whether metabolism lets go of what is redundant and of nothing else: planted copies and facts among real memos.

WHEREFROM_BENCH_DATA=… python -m bench.metabolism_keeps [--sets locomo scifact] [--no-curves] [--seed 7] [--misses FILE]

Real memos have a relation of full weight; what is planted has one of 0.05 to another memo than the one that it was
made of, or none at all. Near-copies are 30 % of the store, up to 5 % of their words are changed (at least one, which
in texts of fewer than 20 words is more). Paraphrases and copies with one fact changed are counted apart. Contexts of
twelve are asked for in the store without plants, with them, and after metabolism. Curves: dry runs by benefit, with
the rule that a number, date, negation or name may not differ, and without it: then this file puts in its place a
function that sees no difference, which the product has no setting for.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench import explore, planted, plot, recall, stores
from bench.measure import RESULTS, keep
from bench.singular import singular_texts
from wherefrom import Memory
from wherefrom.embedding.port import vectors_of
from wherefrom.embedding.static import StaticEmbedder
from wherefrom.metabolism import bodies as planning
from wherefrom.model.metabolism import MetabolismPlan

SETS = ("locomo", "scifact")
PICTURE = Path(__file__).parent.parent / "docs" / "reference" / "metabolism-keeps.svg"
NEAR, UNLINKED, OTHERS = 0.3, 0.02, 300
SINGULAR_BELOW, SHORT = 0.75, 20
WEAK, STRONG = 0.05, 1.0
BENEFITS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
FACTS = ("number", "name", "negation", "date")
"""Copies of these kinds must not go; a changed duration or a word's opposite is only reported."""
BAR_NEAR = 0.95
DRAWN = {
    "near-copies": ("near", "rule"),
    "near-copies, plain": ("near", "plain"),
    "paraphrases": ("paraphrase", "rule"),
    "paraphrases, plain": ("paraphrase", "plain"),
    "changed facts": ("changed", "rule"),
    "changed facts, plain": ("changed", "plain"),
    "singular facts": ("singular", "rule"),
}
# Texts without a time of their own: long before the questions, and longer ago than any protection.
LONG_AGO = recall.START - timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Memo:
    """A memo to import. kind: real, or what was planted. original: what it was made of."""

    id: str
    kind: str
    text: str
    namespace: str
    at: datetime
    original: str = ""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--no-curves", action="store_true")
    options.add_argument("--misses", type=Path, help="write both texts of what was wrongly kept or lost to this file")
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    result: dict[str, Any] = {}
    with ProcessPoolExecutor() as beside:
        running = {
            name: beside.submit(measured, name, Path(given.data), given.seed, not given.no_curves, given.misses)
            for name in given.sets
        }
        for name, figures in running.items():
            result[name] = figures.result()
            print(name, json.dumps(result[name]), flush=True)
    if given.no_curves or set(given.sets) != set(SETS):
        return
    keep("metabolism_keeps", result)
    PICTURE.write_text(picture(), encoding="utf-8")


def measured(name: str, data: Path, seed: int, curves: bool, misses: Path | None) -> dict[str, Any]:
    """Everything about one set, in a store of its own."""
    start = time.perf_counter()
    passages, chance = recall.SETS[name][0](data), random.Random(seed)
    by_text = real_memos(passages)
    real = list({memo.id: memo for memo in by_text.values()}.values())
    plants = planted_memos(real, chance)
    memos = {memo.id: memo for memo in (*real, *plants)}
    newest = max(memo.at for memo in memos.values())
    ids = {text_id: memo.id for text_id, memo in by_text.items()}
    counts = Counter(memo.kind for memo in memos.values())
    figures: dict[str, Any] = {"questions": len(passages.questions), "store": len(memos), "counts": counts}
    figures["singular_highest_similarity"] = highest_similarity(list(memos.values()), "singular")
    with stores.sqlite() as url:
        clock = recall.Clock(newest)
        with Memory.open(url, clock=clock) as memory:
            bring_in(memory, real, followed(real), newest)
            contexts = {"clean": recall.contexts(memory, clock, passages, ids, True)}
            clock.moment = newest
            bring_in(memory, plants, loosely_linked(plants, real, chance), newest)
            contexts["planted"] = recall.contexts(memory, clock, passages, ids, True)
            # The protection is over.
            clock.moment = newest + timedelta(days=30)
            if curves:
                figures["curves"] = curves_of(memory, memos)
            before = time.perf_counter()
            plan = memory.metabolize(apply=True)
            figures["metabolize_s"] = round(time.perf_counter() - before, 2)
            contexts["after"] = recall.contexts(memory, clock, passages, ids, True)
    figures |= judged(plan, memos) | {"contexts": contexts}
    if misses is not None:
        write_misses(misses.with_suffix(f".{name}.jsonl"), plan, memos)
    return {**figures, "bars": bars(figures), "part_s": round(time.perf_counter() - start, 1)}


def real_memos(passages: recall.Passages) -> dict[str, Memo]:
    """The memo of each text, its title in front: as a title it would be linked wherever a text has it. A text that is
    in a namespace twice is one memo.
    """
    found: dict[str, Memo] = {}
    known: dict[tuple[str, str], Memo] = {}
    for number, (text_id, (title, text, namespace)) in enumerate(passages.texts.items()):
        whole = f"{title.rstrip('.')}. {text}" if title else text
        memo = Memo(f"r{number}", "real", whole, namespace, passages.times.get(text_id, LONG_AGO))
        found[text_id] = known.setdefault((namespace, whole), memo)
    return found


def planted_memos(real: Sequence[Memo], chance: random.Random) -> list[Memo]:
    """Paraphrases, changed copies and singular facts, and as many near-copies as then are 30 % of the whole."""
    language = planted.language_of(memo.text for memo in real)
    used = {(memo.namespace, memo.text) for memo in real}
    found: list[Memo] = []

    def copies(kind: str, make: Any, count: int) -> None:
        made = 0
        for original in chance.sample(real, len(real)):
            if made == count:
                break
            text = make(original.text, language, chance)
            if text is not None and (original.namespace, text) not in used:
                used.add((original.namespace, text))
                place = f"p{len(found)}"
                at = original.at + timedelta(hours=1)
                found.append(Memo(place, kind, text, original.namespace, at, original.id))
                made += 1

    copies("paraphrase", planted.paraphrase, OTHERS)
    for kind, make in planted.CHANGED.items():
        copies(kind, make, OTHERS)
    found += singular_memos([*real, *found], chance)
    whole = (len(real) + len(found)) / (1 - NEAR - UNLINKED)
    copies("near", planted.near_copy, round(whole * NEAR))
    copies("unlinked", planted.near_copy, round(whole * UNLINKED))
    return found


def singular_memos(others: Sequence[Memo], chance: random.Random) -> list[Memo]:
    """Texts of which none is near to any other, planted or real."""
    embedder = StaticEmbedder()
    known = vectors_of(embedder, [memo.text for memo in others])
    found: list[Memo] = []
    between = np.zeros((OTHERS, known.shape[1]), dtype=np.float32)
    for text in singular_texts(chance):
        vector = vectors_of(embedder, [text])[0]
        if max(float((known @ vector).max()), float((between @ vector).max())) < SINGULAR_BELOW:
            between[len(found)] = vector
            beside = chance.choice(others)
            found.append(Memo(f"s{len(found)}", "singular", text, beside.namespace, beside.at))
        if len(found) == OTHERS:
            return found
    raise AssertionError("there is no end of texts")


def highest_similarity(memos: Sequence[Memo], kind: str) -> float:
    """Of memos of a kind to any other memo."""
    vectors = vectors_of(StaticEmbedder(), [memo.text for memo in memos])
    places = [at for at, memo in enumerate(memos) if memo.kind == kind]
    similar = vectors[places] @ vectors.T
    similar[np.arange(len(places)), places] = -1
    return round(float(similar.max()), 3)


Link = tuple[str, str, float, str]
"""Source, target, weight, namespace."""


def followed(real: Sequence[Memo]) -> Iterator[Link]:
    """From each memo to the next one of its namespace; from the last to the first."""
    for namespace, order in by_namespace(real).items():
        for source, target in zip(order, order[1:] + order[:1], strict=True):
            yield source, target, STRONG, namespace


def loosely_linked(plants: Sequence[Memo], real: Sequence[Memo], chance: random.Random) -> Iterator[Link]:
    """From each plant to a real memo of its namespace that it was not made of."""
    places = by_namespace(real)
    for memo in plants:
        if memo.kind != "unlinked":
            target = chance.choice([each for each in places[memo.namespace] if each != memo.original])
            yield memo.id, target, WEAK, memo.namespace


def by_namespace(memos: Sequence[Memo]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for memo in memos:
        found.setdefault(memo.namespace, []).append(memo.id)
    return found


def bring_in(memory: Memory, memos: Sequence[Memo], links: Iterator[Link], newest: datetime) -> None:
    """Import memos at their times, and links that were all observed last."""
    with tempfile.TemporaryFile() as file:
        header = {"type": "wherefrom", "format": 1, "exported_at": _time(newest), "root_namespace": "main"}
        file.write(json.dumps(header).encode() + b"\n")
        for memo in memos:
            times = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), _time(memo.at))
            row = explore.node(memo.id, "memo", memo.text, namespace=memo.namespace, **times)
            file.write(json.dumps(row).encode() + b"\n")
        times = dict.fromkeys(("observed_at", "created_at", "updated_at"), _time(newest))
        for source, target, weight, namespace in links:
            places = {"source_namespace": namespace, "target_namespace": namespace}
            row = {**explore.edge(source, target, "related", 1.0), **times, **places, "weight": weight}
            file.write(json.dumps(row).encode() + b"\n")
        file.seek(0)
        memory.import_(file)


def curves_of(memory: Memory, memos: Mapping[str, Memo]) -> dict[str, dict[str, dict[str, float]]]:
    """The share of each kind that would go, by benefit: by the product's rule, and by similarity alone."""
    # A text's facts are the same at every benefit.
    with replaced(facts_of=cache(planning.facts_of)):
        by_rule = curve(memory, memos)
    with replaced(facts_of=lambda _text: None, difference=lambda _one, _other: None):
        return {"rule": by_rule, "plain": curve(memory, memos)}


def curve(memory: Memory, memos: Mapping[str, Memo]) -> dict[str, dict[str, float]]:
    counts = Counter(memo.kind for memo in memos.values())
    found: dict[str, dict[str, float]] = {}
    for benefit in BENEFITS:
        shares = gone(memory.metabolize(mdl_benefit=benefit), memos)
        found[str(benefit)] = {**shares, "changed": together(shares, counts)}
    return found


@contextmanager
def replaced(**functions: Callable[..., Any]) -> Iterator[None]:
    """Other functions where metabolism plans."""
    kept = {name: getattr(planning, name) for name in functions}
    for name, function in functions.items():
        setattr(planning, name, function)
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(planning, name, function)


def gone(plan: MetabolismPlan, memos: Mapping[str, Memo]) -> dict[str, float]:
    """Of each kind, the share that a plan removes."""
    counts = Counter(memo.kind for memo in memos.values())
    removed = Counter(memos[weak.node.id].kind for weak in plan.removed)
    return {kind: round(removed[kind] / count, 4) for kind, count in counts.items()}


def together(shares: Mapping[str, float], counts: Mapping[str, int]) -> float:
    """The share of all copies in which a fact was changed."""
    return round(sum(shares[k] * counts[k] for k in FACTS) / sum(counts[k] for k in FACTS), 4)


def judged(plan: MetabolismPlan, memos: Mapping[str, Memo]) -> dict[str, Any]:
    """What went, of each kind; of near-copies also by length, and why the others stayed."""
    removed = {weak.node.id for weak in plan.removed}
    near = [memo for memo in memos.values() if memo.kind == "near"]
    long = [memo for memo in near if len(memos[memo.original].text.split()) >= SHORT]
    kept = [memo for memo in near if memo.id not in removed]
    vectors = vectors_of(StaticEmbedder(), [each.text for memo in kept for each in (memo, memos[memo.original])])
    far = int(((vectors[::2] * vectors[1::2]).sum(axis=1) <= 0.9).sum()) if kept else 0
    return {
        "removed": Counter(memos[node_id].kind for node_id in removed),
        "shares": gone(plan, memos),
        "near_from_20_words": {"count": len(long), "share": _share(sum(m.id in removed for m in long), len(long))},
        "near_kept": {"far_from_the_original": far, "other": len(kept) - far},
        "spared": dict(plan.spared),
        "pruned": plan.pruned,
    }


def bars(figures: Mapping[str, Any]) -> dict[str, bool]:
    """What was asked for, and whether it is so."""
    removed, contexts = figures["removed"], figures["contexts"]
    return {
        "near_copies_95_percent": figures["shares"]["near"] >= BAR_NEAR,
        "no_changed_fact_lost": not any(removed[kind] for kind in FACTS),
        "no_singular_lost": not removed["singular"],
        "no_real_lost": not removed["real"],
        "recall_not_lower": contexts["after"]["recall"] >= contexts["planted"]["recall"],
    }


def write_misses(file: Path, plan: MetabolismPlan, memos: Mapping[str, Memo]) -> None:
    """Both texts of each near-copy that stayed and of each other one that went."""
    removed = {weak.node.id: weak for weak in plan.removed}
    with file.open("w", encoding="utf-8") as out:
        for memo in memos.values():
            wrong = memo.id not in removed if memo.kind in ("near", "unlinked") else memo.id in removed
            if wrong and memo.kind != "paraphrase":
                original = memos[memo.original].text if memo.original else ""
                out.write(json.dumps({"kind": memo.kind, "text": memo.text, "original": original}) + "\n")


def picture() -> str:
    """What goes by benefit, of the results on disk."""
    rows = json.loads((RESULTS / "metabolism_keeps.json").read_text(encoding="utf-8"))
    panels = {
        name: {
            label: {float(benefit): shares[kind] for benefit, shares in rows[name]["curves"][how].items()}
            for label, (kind, how) in DRAWN.items()
        }
        for name in SETS
    }
    return plot.shares(
        "What metabolism lets go of, by benefit",
        panels,
        below="benefit (0.1, the default, is 10%); plain: by similarity alone",
    )


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _share(part: int, whole: int) -> float:
    return round(part / max(whole, 1), 4)


if __name__ == "__main__":
    main()
