"""What a store that is distributed by Citus costs against plain PostgreSQL: saves, searches, activations, agents' SQL and
imports, in turns.

python -m bench.distributed postgresql://user@coordinator/wherefrom [--rounds 30]

The URL is that of a distributed store, to which it adds owners. The plain server is one of its own. Both are asked in
turns, so that what else the machine does slows both: the ratio says more than the times.
"""

from __future__ import annotations

import argparse
import io
import json
import time
import uuid
from collections.abc import Callable
from statistics import median

from bench import stores
from bench.import_speed import sentences
from wherefrom import Memory

_WARM_UP_ROUNDS = 8
"""Until connections are open and statements are prepared."""
_IMPORTED = 1_000
_ROUNDS_FOR_ONE_IMPORT = 5


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
        imports = max(1, given.rounds // _ROUNDS_FOR_ONE_IMPORT)
        taken[f"import_{_IMPORTED}"] = imported({"plain": plain_url, "distributed": given.url}, owner, imports)
        engine = distributed.info().engine
    result: dict[str, object] = {"engine": engine["engine"], "citus": engine["citus"], "servers": engine["servers"]}
    for verb, times in taken.items():
        medians = {
            f"{name}_{what}_ms": round(median(pair[place] for pair in each) * 1000, 1)
            for place, what in enumerate(("wall", "client_cpu"))
            for name, each in times.items()
        }
        ratio = round(medians["distributed_wall_ms"] / medians["plain_wall_ms"], 1)
        result[verb] = {**medians, "ratio": ratio}
    print(json.dumps(result, indent=1))


def measured(memories: dict[str, Memory], rounds: int) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """How long each verb took on each store, and the processor time of this process, in seconds."""
    verbs: dict[str, Callable[[Memory, int], object]] = {
        "save": lambda memory, number: memory.save(
            f"Note {number}: the ferry to island {number % 7} leaves at {number}."
        ),
        "search": lambda memory, number: memory.search(f"when does the ferry to island {number % 7} leave?"),
        "activate": lambda memory, number: memory.activate(f"the ferry to island {number % 7}"),
        "query_graph": lambda memory, _: memory.query_graph(
            "select count(*) from memos m join edges e on e.source_id = m.id"
        ),
    }
    taken: dict[str, dict[str, list[tuple[float, float]]]] = {verb: {name: [] for name in memories} for verb in verbs}
    for number in range(rounds + _WARM_UP_ROUNDS):
        for verb, call in verbs.items():
            for name, memory in memories.items():
                begun, used = time.perf_counter(), time.process_time()
                call(memory, number)
                if number >= _WARM_UP_ROUNDS:
                    taken[verb][name].append((time.perf_counter() - begun, time.process_time() - used))
    return taken


def imported(urls: dict[str, str], owner: str, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """The same for imports of one file, each by an owner who has nothing yet; the first, which warms up, is left out."""
    texts = {str(number): (None, text, "main") for number, text in enumerate(sentences(_IMPORTED, seed=1))}
    with Memory.open(urls["plain"], owner=f"{owner}-source") as source:
        stores.import_texts(source, texts)
        source.export(lines := io.StringIO())
    file = lines.getvalue().encode()
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in urls}
    for number in range(rounds + 1):
        for name, url in urls.items():
            with Memory.open(url, owner=f"{owner}-{number}") as memory:
                begun, used = time.perf_counter(), time.process_time()
                memory.import_(io.BytesIO(file))
                taken[name].append((time.perf_counter() - begun, time.process_time() - used))
    return {name: times[1:] for name, times in taken.items()}


if __name__ == "__main__":
    main()
