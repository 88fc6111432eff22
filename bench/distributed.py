"""What a store that is distributed by Citus costs against plain PostgreSQL: saves, searches and agents' SQL, in turns.

python -m bench.distributed postgresql://user@coordinator/wherefrom [--rounds 30]

The URL is that of a distributed store, to which it adds an owner. The plain server is one of its own. Both are asked in
turns, so that what else the machine does slows both: the ratio says more than the times.
"""

from __future__ import annotations

import argparse
import json
import time
import uuid
from collections.abc import Callable
from statistics import median

from bench import stores
from wherefrom import Memory

_WARM_UP_ROUNDS = 8
"""Until connections are open and statements are prepared."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("url")
    options.add_argument("--rounds", type=int, default=30)
    given = options.parse_args()
    owner = f"bench-{uuid.uuid4().hex[:8]}"
    with (
        stores.postgres() as plain_url,
        Memory.open(plain_url, owner=owner) as plain,
        Memory.open(given.url, owner=owner) as distributed,
    ):
        taken = measured({"plain": plain, "distributed": distributed}, given.rounds)
        engine = distributed.info().engine
    result: dict[str, object] = {"engine": engine["engine"], "citus": engine["citus"], "servers": engine["servers"]}
    for verb, times in taken.items():
        medians = {name: round(median(each) * 1000, 1) for name, each in times.items()}
        ratio = round(medians["distributed"] / medians["plain"], 1)
        result[verb] = {**{f"{name}_ms": value for name, value in medians.items()}, "ratio": ratio}
    print(json.dumps(result, indent=1))


def measured(memories: dict[str, Memory], rounds: int) -> dict[str, dict[str, list[float]]]:
    """How long each verb took on each store, in seconds."""
    verbs: dict[str, Callable[[Memory, int], object]] = {
        "save": lambda memory, number: memory.save(
            f"Note {number}: the ferry to island {number % 7} leaves at {number}."
        ),
        "search": lambda memory, number: memory.search(f"when does the ferry to island {number % 7} leave?"),
        "query_graph": lambda memory, _: memory.query_graph(
            "select count(*) from memos m join edges e on e.source_id = m.id"
        ),
    }
    taken: dict[str, dict[str, list[float]]] = {verb: {name: [] for name in memories} for verb in verbs}
    for number in range(rounds + _WARM_UP_ROUNDS):
        for verb, call in verbs.items():
            for name, memory in memories.items():
                begun = time.perf_counter()
                call(memory, number)
                if number >= _WARM_UP_ROUNDS:
                    taken[verb][name].append(time.perf_counter() - begun)
    return taken


if __name__ == "__main__":
    main()
