"""How fast an import is, and a single save into what was imported.

python -m bench.import_speed [--texts 10000] [--databases sqlite postgres] [--saves 300] [--runs 3]

The texts are made up: sentences of 8 to 24 words out of 5,000, common ones more often, always the same ones. To compare
two versions of the program, run it with each of them first on the path, in turn, on one machine.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections.abc import Iterator

from bench import stores
from bench.measure import keep, percentiles, timed
from bench.search import fill
from wherefrom import Memory

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "zi")
WORDS = 5_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=10_000)
    options.add_argument("--saves", type=int, default=300)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--databases", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    given = options.parse_args()
    result: dict[str, object] = {"texts": given.texts}
    for database in given.databases:
        runs = [measure(database, given.texts, given.saves) for _ in range(given.runs)]
        result[database] = max(runs, key=lambda run: run["import_per_s"])
    keep("import_speed", result)


def measure(database: str, texts: int, saves: int) -> dict[str, object]:
    with getattr(stores, database)() as url:
        figures: dict[str, object] = {"import_per_s": fill(url, sentences(texts, seed=1))}
        new = sentences(saves, seed=2)
        with Memory.open(url) as memory:
            memory.save("Zora Quill keeps the ledger", title="Zora Quill")
            memory.save("a first save, which loads what saves need")
            save = percentiles(timed(lambda: memory.save(f"Zora Quill: {next(new)}", entities=["Ledger"]), saves))
        figures["save_ms"] = save
    print(time.strftime("%H:%M:%S"), database, figures, flush=True)
    return figures


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
