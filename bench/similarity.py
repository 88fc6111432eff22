"""How similar a question and its answers are by the packaged embedder, and what a threshold for `vector_search` costs.

WHEREFROM_BENCH_DATA=… python -m bench.similarity

The threshold is chosen on the even-numbered questions of SciFact's training half, Cranfield and JSQuAD's test half, and
confirmed on the odd-numbered ones, on SciFact's and JSQuAD's other halves, on LoCoMo and on LongMemEval. A small store
is the texts that answer a question and some that were drawn for it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.calibrate import cranfield
from bench.measure import keep
from bench.retrieval import DEPTH, Collection, jsquad, locomo, longmemeval, scifact
from wherefrom.embedding.port import vectors_of
from wherefrom.embedding.static import StaticEmbedder
from wherefrom.text.tokens import text_of

THRESHOLDS = (0.0, 0.12, 0.16, 0.2, 0.24, 0.3, 0.4, 0.5)
# Texts beside the answers in a store; 0: the whole set.
SIZES = (30, 100, 0)
# Of each part, at most so many.
QUESTIONS = 1_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    data = Path(given.data)
    halves = {
        "scifact train": scifact(data, "train"),
        "cranfield": cranfield(data),
        "jsquad test": jsquad(data, "test"),
    }
    others = {
        "scifact test": scifact(data),
        "jsquad valid": jsquad(data),
        "locomo": locomo(data),
        "longmemeval": longmemeval(data),
    }
    result: dict[str, object] = {"chosen on": {}, "confirmed on": {}}
    for name, collection in halves.items():
        result["chosen on"][name] = measured(collection, slice(0, None, 2))
        result["confirmed on"][name] = measured(collection, slice(1, None, 2))
    for name, collection in others.items():
        result["confirmed on"][name] = measured(collection, slice(None))
    keep("similarity", result)


def measured(collection: Collection, part: slice) -> dict[str, Any]:
    """Similarities of answers and of other texts, and recall@10 by threshold in stores of several sizes."""
    embedder = StaticEmbedder()
    names = list(collection.texts)
    place = {name: at for at, name in enumerate(names)}
    spaces = np.array([collection.texts[name][2] for name in names])
    texts = vectors_of(embedder, [text_of(*collection.texts[name][:2]) for name in names])
    questions = collection.questions[part][:QUESTIONS]
    asked = vectors_of(embedder, [question for question, _, _ in questions])
    draw = np.random.default_rng(5)
    answers, drawn = [], []
    recall = {size: np.zeros(len(THRESHOLDS)) for size in SIZES}
    for direction, (_, space, relevant) in zip(asked, questions, strict=True):
        similar = texts @ direction
        wanted = np.array([place[name] for name in relevant])
        within = np.flatnonzero(spaces == space)
        answers.append(similar[wanted])
        drawn.append(similar[draw.choice(within, 50)])
        for size in SIZES:
            store = np.union1d(wanted, draw.choice(within, size)) if size else within
            recall[size] += recalls(similar, store, wanted)
    shares = {str(at): round(float(np.percentile(np.concatenate(answers), at)), 3) for at in (1, 5, 50)}
    other = {str(at): round(float(np.percentile(np.concatenate(drawn), at)), 3) for at in (50, 95, 99)}
    by_size = {str(size or "all"): recall[size] / len(questions) for size in SIZES}
    return {
        "questions": len(questions),
        "texts": len(names),
        "percentiles of answers": shares,
        "percentiles of drawn texts": other,
        "recall by threshold": {size: table(values) for size, values in by_size.items()},
    }


def recalls(similar: Any, store: Any, wanted: Any) -> Any:
    """The share of the wanted texts among the ten nearest of a store, for each threshold."""
    nearest = store[np.argsort(-similar[store], kind="stable")[:DEPTH]]
    found = similar[nearest[np.isin(nearest, wanted)]]
    return np.array([(found >= threshold).sum() / len(wanted) for threshold in THRESHOLDS])


def table(values: Sequence[float]) -> dict[str, float]:
    return {str(threshold): round(float(value), 4) for threshold, value in zip(THRESHOLDS, values, strict=True)}


if __name__ == "__main__":
    main()
