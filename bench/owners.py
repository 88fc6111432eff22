"""Many owners in one process: each saves, searches and activates in turn, through one store.

python -m bench.owners [--owners 500]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from bench import stores
from bench.measure import keep, percentiles
from wherefrom import Store

_WARM = 50
"""So many owners come before the measured ones: what is made once for all is not theirs."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--owners", type=int, default=500)
    options.add_argument("--measure", metavar="URL", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.owners)))
        return
    result: dict[str, object] = {"owners": given.owners, "pool_size": 8}
    for name, opened in (("sqlite", stores.sqlite()), ("postgres", stores.postgres())):
        with opened as url:
            command = [sys.executable, "-m", "bench.owners", "--owners", str(given.owners), "--measure", url]
            environment = {**os.environ, "WHEREFROM_POOL_SIZE": "8"}
            result[name] = json.loads(
                subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment).stdout
            )
    keep("owners", result)


def measure(url: str, owners: int) -> dict[str, object]:
    with Store.open(url) as store:
        for number in range(_WARM):
            _use(store, f"first-{number}")
        before = _resident_kb()
        started = time.perf_counter()
        views = [_use(store, f"owner-{number}") for number in range(owners)]
        seconds = time.perf_counter() - started
        return {
            "view_ms": percentiles(views),
            "seconds": round(seconds, 2),
            "growth_kb_per_owner": round((_resident_kb() - before) / owners, 2),
            "threads": len(list(Path("/proc/self/task").iterdir())),
        }


def _use(store: Store, owner: str) -> float:
    """What one owner does; returns how long the view took to make."""
    start = time.perf_counter()
    memory = store.memory(owner=owner)
    taken = time.perf_counter() - start
    saved = memory.save(f"{owner} keeps the key of the boat house under the third stone.", title=f"Key of {owner}")
    found = memory.search("Where is the key of the boat house?")
    assert [hit.node.id for hit in found.hits] == [saved.node.id]
    recalled = memory.activate("Where is the key?")
    assert [item.node.id for item in recalled.items] == [saved.node.id]
    return taken


def _resident_kb() -> float:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


if __name__ == "__main__":
    main()
