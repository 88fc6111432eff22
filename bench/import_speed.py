"""How fast an import is until all of it can be found by an exact scan, and then how long the index of vectors takes.

python -m bench.import_speed [--texts 100000] [--databases sqlite postgres] [--saves 300] [--runs 1]

The texts are made up: sentences of 8 to 24 words out of 5,000, common ones more often, always the same ones. An import
stores rows, the index of words and the vectors; then it builds an index of vectors, without which a search compares all
of them. Single saves into what was imported follow, each with an entity; `bench.save_near` has plain ones. To compare
two versions of the program, run it with each of them first on the path, in turn, on one machine.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench import stores
from bench.measure import keep, percentiles, timed
from bench.search import fill
from wherefrom import Memory
from wherefrom.storage import embeddings

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "zi")
WORDS = 5_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=100_000)
    options.add_argument("--saves", type=int, default=300)
    options.add_argument("--runs", type=int, default=1, help="the fastest of so many is kept")
    options.add_argument("--databases", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    given = options.parse_args()
    result: dict[str, Any] = {"command": f"python -m bench.import_speed {' '.join(sys.argv[1:])}", "texts": given.texts}
    for database in given.databases:
        runs = [measure(database, given.texts, given.saves) for _ in range(given.runs)]
        result[database] = max(runs, key=lambda run: run["import_per_s"])
    keep("import_speed", result)


def measure(database: str, texts: int, saves: int) -> dict[str, Any]:
    with getattr(stores, database)() as url:
        with timed_index() as index:
            whole_s = texts / fill(url, sentences(texts, seed=1))
        figures: dict[str, Any] = {
            "import_per_s": round(texts / (whole_s - index["s"])),
            "with_index_per_s": round(texts / whole_s),
            "index_s": round(index["s"], 2),
        }
        new = sentences(saves, seed=2)
        with Memory.open(url) as memory:
            memory.save("Zora Quill keeps the ledger", title="Zora Quill")
            memory.save("a first save, which loads what saves need")
            save = percentiles(timed(lambda: memory.save(f"Zora Quill: {next(new)}", entities=["Ledger"]), saves))
        figures["save_ms"] = save
    print(time.strftime("%H:%M:%S"), database, figures, flush=True)
    return figures


@contextmanager
def timed_index() -> Iterator[dict[str, float]]:
    """Measure how long imports take to build the index of vectors, after all else is stored."""
    taken, prepare = {"s": 0.0}, embeddings.prepare

    def timed(*given: Any) -> None:
        started = time.perf_counter()
        prepare(*given)
        taken["s"] += time.perf_counter() - started

    embeddings.prepare = timed
    try:
        yield taken
    finally:
        embeddings.prepare = prepare


def sentences(count: int, *, seed: int) -> Iterator[str]:
    """Sentences in which the common words of a vocabulary stand as often as such words do."""
    numbers = random.Random(seed)
    vocabulary = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=3)]
    random.Random(0).shuffle(vocabulary)
    words = vocabulary[:WORDS]
    weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(WORDS)))
    for number in range(count):
        chosen = numbers.choices(words, cum_weights=weights, k=numbers.randint(8, 24))
        yield f"{' '.join(chosen).capitalize()} {seed}-{number}."


if __name__ == "__main__":
    main()
