"""Many threads of one process activate at once, over one SQLite store: calls a second, beside those of one thread.

python -m bench.threads [--memos 5000] [--seconds 5] [--threads 1 4 8 32]
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
from itertools import count

from bench import stores
from bench.measure import percentiles
from wherefrom import Memory, Store


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memos", type=int, default=5_000)
    options.add_argument("--seconds", type=float, default=5.0)
    options.add_argument("--threads", type=int, nargs="+", default=[1, 4, 8, 32])
    given = options.parse_args()
    with stores.sqlite() as url, Store.open(url) as store:
        memory = store.memory()
        stores.import_texts(memory, {str(number): (None, _text(number), "main") for number in range(given.memos)})
        memory.activate(_text(0))
        for threads in given.threads:
            print(json.dumps({"threads": threads, **measure(memory, threads, given.seconds)}), flush=True)


def measure(memory: Memory, threads: int, seconds: float) -> dict[str, object]:
    """Return how many calls a second these threads got answered, together, and how long each call took."""
    numbers, taken, end = count(), list[float](), time.perf_counter() + seconds

    def work() -> None:
        while (began := time.perf_counter()) < end:
            memory.activate(_text(7 * next(numbers)))
            taken.append(time.perf_counter() - began)

    before, began = time.process_time(), time.perf_counter()
    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    busy, lasted = time.process_time() - before, time.perf_counter() - began
    return {
        "per_second": round(len(taken) / lasted, 1),
        "cpu_ms": round(1000 * busy / len(taken), 1),
        "ms": percentiles(taken),
    }


def _text(number: int) -> str:
    """Return twelve words of 4,000, and so a text that shares a word with some others."""
    words = random.Random(number).choices(range(4_000), k=12)
    return " ".join(f"{stores.WORDS[word % 12]}{word}" for word in words)


if __name__ == "__main__":
    main()
