"""How long the saves of seven owners take on PostgreSQL, alone and while an eighth imports memos.

python -m bench.owner_locks [--memos 5000] [--seconds 10]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import stores
from bench.measure import keep, percentiles
from wherefrom import Memory, Store

_OWNERS = 7
_PAUSE_S = 0.02
"""Between two saves of an owner, so that the two cores are not busy with saves alone."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memos", type=int, default=5_000)
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--import", dest="imported", nargs=2, metavar=("URL", "FILE"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.imported:
        import_memos(*given.imported)
        return
    with stores.postgres() as url, TemporaryDirectory() as folder, Store.open(url) as store:
        file = _export(Path(folder), given.memos)
        saves(store, lambda: time.sleep(1.0))  # connections, owners and plans are made
        alone = saves(store, lambda: time.sleep(given.seconds))
        command = [sys.executable, "-m", "bench.owner_locks", "--import", url, str(file)]
        started = time.perf_counter()
        beside = saves(store, lambda: subprocess.run(command, check=True))
        taken = time.perf_counter() - started
    result = {
        "alone_ms": percentiles(alone),
        "alone_saves": len(alone),
        "beside_ms": percentiles(beside),
        "beside_saves": len(beside),
        "memos_imported": given.memos,
        "import_seconds": round(taken, 1),
    }
    result["p95_ratio"] = round(result["beside_ms"]["p95"] / result["alone_ms"]["p95"], 2)
    keep("owner_locks", result)


def saves(store: Store, until: Callable[[], object]) -> list[float]:
    """How long each save of the seven owners took while something else went on."""
    ended = threading.Event()

    def save_on(number: int) -> list[float]:
        memory, taken = store.memory(owner=f"owner-{number}"), []
        while not ended.wait(_PAUSE_S):
            start = time.perf_counter()
            memory.save(f"At {time.time_ns()} owner {number} moved the key of the boat house to another stone.")
            taken.append(time.perf_counter() - start)
        return taken

    with ThreadPoolExecutor(_OWNERS) as threads:
        running = [threads.submit(save_on, number) for number in range(_OWNERS)]
        try:
            until()
        finally:
            ended.set()
        return [seconds for one in running for seconds in one.result()]


def import_memos(url: str, file: str) -> None:
    """What the eighth owner does."""
    with Memory.open(url, owner="eighth") as memory, Path(file).open("rb") as source:
        assert memory.import_(source).nodes_created


def _export(folder: Path, memos: int) -> Path:
    url = str(folder / "source.db")
    stores.fill(url, nodes=memos, edges=memos)
    with Memory.open(url) as memory, (folder / "source.jsonl").open("w", encoding="utf-8") as file:
        memory.export(file)
    return folder / "source.jsonl"


if __name__ == "__main__":
    main()
