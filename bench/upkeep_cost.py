"""What upkeep by itself costs while an agent saves a memo every second: the CPU time of its worker, and how long the saves
take with and without it.

python -m bench.upkeep_cost [--nodes 20000] [--seconds 180] [--database sqlite]

The worst case: all nodes are new to it, so that insight always has more to judge, and metabolism plans once. The notes
are made of the names of things, places and people, with the packaged model. The worker is that of `wherefrom mcp`. Its CPU
time is that of the threads on which it looks and works; `other_cpu_seconds` is all that the process computed besides the
saves: vectors, events, and threads of NumPy.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

from bench import stores
from bench.measure import keep, percentiles
from wherefrom import Memory
from wherefrom.api import upkeep_watch
from wherefrom.api.upkeep_runs import UpkeepRunEngine

BAR = 0.05
# So that it does not stop because enough waits.
POLICY = "version: 1.0.0\nupkeep: {most_waiting: 10000}\n"
THINGS = [
    "bridge",
    "ferry",
    "kiln",
    "sourdough",
    "harbour",
    "index",
    "violin",
    "tide",
    "garden",
    "budget",
    "sensor",
    "trellis",
    "roof",
    "server",
    "orchard",
]
PLACES = [
    "Lisbon",
    "Osaka",
    "Bergen",
    "Quito",
    "Hamburg",
    "Dakar",
    "Oslo",
    "Kyoto",
    "Porto",
    "Turin",
    "Galway",
    "Tampere",
    "Leeds",
    "Graz",
    "Bilbao",
]
PEOPLE = [
    "Mira",
    "Kenji",
    "Anna",
    "Tomas",
    "Ines",
    "Otto",
    "Lea",
    "Haruto",
    "Nadia",
    "Jonas",
    "Yuki",
    "Clara",
    "Emil",
    "Sofia",
    "Leo",
]
VERBS = [
    "repairs",
    "plans",
    "measures",
    "sells",
    "borrows",
    "paints",
    "inspects",
    "insures",
    "moves",
    "rents",
    "designs",
    "closes",
    "cleans",
]
WHEN = [
    "before the audit",
    "after the storm",
    "in the second week",
    "for the new tenant",
    "with a spare part",
    "on the way home",
]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=20_000)
    options.add_argument("--seconds", type=float, default=180)
    options.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    given = options.parse_args()
    with stores.sqlite() if given.database == "sqlite" else stores.postgres() as url:
        keep("upkeep_cost", {given.database: measured(url, given.nodes, given.seconds)})


def measured(url: str, nodes: int, seconds: float) -> dict[str, Any]:
    """The figures without the worker, for a third of the time, and with it."""
    chance = random.Random(7)
    with Memory.open(url) as memory:
        memory.apply_policy(POLICY)
        texts = {str(number): (None, note(chance, number), "main") for number in range(nodes)}
        stores.import_texts(memory, texts)
        memory.embed()
        alone = saving(memory, chance, seconds / 3, nodes)
        spent: list[float] = []
        counting(UpkeepRunEngine, "run_due", spent)
        counting(upkeep_watch.RootWatch, "jobs", spent)
        worker = upkeep_watch.start_for(memory)
        busy = saving(memory, chance, seconds, nodes * 2)
        worker.close()
        run = memory.upkeep().runs[0]
    share = sum(spent) / busy["seconds"]
    result = {"nodes": nodes, "without": alone, "with": busy, "worker_cpu_seconds": round(sum(spent), 2)}
    result |= {"worker_share": round(share, 4), "bar": BAR, "judged": run.judged, "relations_waiting": run.relations}
    print(result, flush=True)
    assert share <= BAR, share
    return result


def note(chance: random.Random, number: int) -> str:
    """A short note, unlike any other by its number."""
    first, second = chance.choice(THINGS), chance.choice(THINGS)
    who, where = chance.choice(PEOPLE), chance.choice(PLACES)
    return (
        f"{who} {chance.choice(VERBS)} the {first} near the {second} in {where} {chance.choice(WHEN)}, file {number}."
    )


def saving(memory: Memory, chance: random.Random, seconds: float, first: int) -> dict[str, Any]:
    """Save a memo every second; how long each took, and what the process computed besides."""
    taken: list[float] = []
    start, process, thread = time.monotonic(), time.process_time(), time.thread_time()
    while time.monotonic() - start < seconds:
        begun = time.monotonic()
        memory.save(note(chance, first + len(taken)))
        taken.append(time.monotonic() - begun)
        time.sleep(max(0.0, 1.0 - taken[-1]))
    computed = time.thread_time() - thread
    return {
        "seconds": round(time.monotonic() - start, 1),
        "saves": len(taken),
        "save_ms": percentiles(taken),
        "saves_cpu_seconds": round(computed, 2),
        "other_cpu_seconds": round(time.process_time() - process - computed, 2),
    }


def counting(kind: type, name: str, spent: list[float]) -> None:
    """Note the CPU time of each call of a method, on its thread."""
    method: Callable[..., Any] = getattr(kind, name)

    def counted(*args: Any) -> Any:
        begun = time.thread_time()
        try:
            return method(*args)
        finally:
            spent.append(time.thread_time() - begun)

    setattr(kind, name, counted)


if __name__ == "__main__":
    main()
