"""How much the vectors of the configured embedder should count: search quality by weight, on training questions.

WHEREFROM_BENCH_DATA=… python -m bench.calibrate

SciFact's training questions, Cranfield and the half of JSQuAD that `bench.retrieval` does not use.
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections import defaultdict
from pathlib import Path

from bench import stores
from bench.measure import keep
from bench.retrieval import Collection, evaluate, fill, jsquad, scifact

WEIGHTS = ("0", "0.2", "0.3", "0.4", "0.5", "0.6", "1")
# Of each set, at most so many.
QUESTIONS = 400


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    data = Path(given.data)
    result: dict[str, object] = {}
    sets = {"scifact train": scifact(data, "train"), "cranfield": cranfield(data), "jsquad test": jsquad(data, "test")}
    for name, collection in sets.items():
        random.Random(5).shuffle(collection.questions)
        del collection.questions[QUESTIONS:]
        with stores.sqlite() as url:
            ids = fill(url, collection)
            result[name] = {weight: evaluate(url, collection, ids, weight)["ndcg"] for weight in WEIGHTS}
    keep("calibration", result)


def cranfield(data: Path) -> Collection:
    """Questions about aerodynamics against abstracts."""
    found = Collection()
    for block in _blocks(data / "cranfield/cran.all.1400"):
        title, text = (re.search(rf"^\.{part}\n(.*?)(?=^\.\w\n|\Z)", block, re.S | re.M) for part in "TW")
        if title and text and text[1].strip():
            number = block.split("\n", 1)[0].strip()
            found.texts[number] = (" ".join(title[1].split())[:300], " ".join(text[1].split()), "main")
    relevant: dict[int, set[str]] = defaultdict(set)
    for line in (data / "cranfield/cranqrel").read_text().splitlines():
        question, text_id, grade = line.split()[:3]
        if 0 < int(grade) < 5 and text_id in found.texts:
            relevant[int(question)].add(text_id)
    for number, block in enumerate(_blocks(data / "cranfield/cran.qry"), start=1):
        if relevant[number]:
            found.questions.append((" ".join(block.split(".W\n", 1)[1].split()), "main", relevant[number]))
    return found


def _blocks(file: Path) -> list[str]:
    return re.split(r"^\.I ", file.read_text(errors="replace"), flags=re.M)[1:]


if __name__ == "__main__":
    main()
