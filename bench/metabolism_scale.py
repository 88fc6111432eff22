"""Metabolism on a large graph: how long a plan takes and how much memory, how long applying it and bringing everything
back takes, and how long both keep others waiting.

python -m bench.metabolism_scale [--nodes 300000] [--edges 1000000] [--weak 1 2 5 10] [--databases sqlite postgres]
python -m bench.metabolism_scale --taken-over 40000 [--databases sqlite postgres]

The graph: memos with random unit vectors of 256 numbers; each weak one has relations of weight 0.05 only, and half of
them are copies of another memo with a mark at the end and nearly the same vector. One relation in twenty between the others
is thin. Rows are written by the store's own statements, without the full-text index, which metabolism does not read.
More and more of the memos are made weak; each plan is made by a process of its own, whose peak memory is reported (on
PostgreSQL without the server's). The first plan is applied and, after the other plans are made, all that it let go is
restored, while another process saves a memo every 20 ms. Restoring may take at most twice as long as applying.

With `--taken-over`, copies with so many thick relations among them go for memos that proved useful, which take all of these over;
then the run is restored, which takes them out again: `--turns` times, each on a store of its own. An export after it has
to equal the one before.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bench import stores
from bench.measure import command, keep, percentiles
from wherefrom import Memory
from wherefrom.model.access import Access
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import edges as edge_rows
from wherefrom.storage import locks, node_texts
from wherefrom.storage import nodes as node_rows
from wherefrom.storage.embeddings import Made
from wherefrom.text.check import content_hash

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MODEL, DIMENSION = "random-256", 256
BATCH = 5_000
RELATIONS_PER_COPY = 80
Done = TypeVar("Done")
WORDS = [f"term{number}" for number in range(5_000)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=300_000)
    options.add_argument("--edges", type=int, default=1_000_000)
    options.add_argument("--weak", type=int, nargs="+", default=[1, 2, 5, 10])
    options.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    options.add_argument("--turns", type=int, default=3, help="how often so many are handed over")
    options.add_argument("--taken-over", type=int, metavar="RELATIONS", help="only hand over and restore so many")
    options.add_argument("--plan", metavar="URL", help="internal: plan in this process")
    options.add_argument("--write", metavar="URL", help="internal: save memos until standard input ends")
    given = options.parse_args()
    if given.plan:
        print(json.dumps(planned(given.plan)))
        return
    if given.write:
        print(json.dumps(written(given.write)))
        return
    if given.taken_over:
        rows = {name: handed_over(name, given.taken_over, given.turns) for name in given.databases}
        keep("metabolism_scale", {"taken over": {"command": command("metabolism_scale"), **rows}})
        return
    for name in given.databases:
        keep("metabolism_scale", {name: measured(name, sorted(given.weak), given.nodes, given.edges)})


def measured(database: str, percents: list[int], nodes: int, edges: int) -> list[dict[str, Any]]:
    """A plan for each share of weak memos; the application of the first, and its restoration at the end."""
    found: list[dict[str, Any]] = []
    with stores.sqlite() if database == "sqlite" else stores.postgres() as url:
        fill(url, nodes, edges, nodes * percents[-1] // 100)
        for percent in percents:
            weaken(url, nodes, nodes * percent // 100)
            plan = json.loads(_self("--plan", url).stdout)
            first = {} if found else applied(url)
            found.append({"weak_percent": percent, "nodes": nodes, "edges": edges, **plan, **first})
            print(found[-1], flush=True)
        # Last, because what was brought back may not go again for a while: it would change the plans.
        found[0] |= restored(url, found[0]["run_id"], found[0]["run_seconds"])
        print(found[0], flush=True)
    return found


def handed_over(database: str, relations: int, times: int) -> dict[str, Any]:
    """Some times: apply a plan by which memos take over all relations of their copies, and restore the run."""
    turns = []
    for _ in range(times):
        with stores.sqlite() if database == "sqlite" else stores.postgres() as url:
            fill_copies(url, relations)
            with opened(url) as memory:
                before = exported(memory)
                plan, run = _clocked(lambda memory=memory: memory.metabolize(apply=True))
                back, restore = _clocked(lambda memory=memory: memory.restore(run_id=plan.run_id))
                is_exact = exported(memory) == before
        turns.append({"run": run, "restore": restore, "exact": is_exact})
        print(database, turns[-1], flush=True)
    return {
        "nodes_removed": plan.nodes_removed,
        "links_restored": back.links,
        "run_s": sorted(turn["run"]["s"] for turn in turns)[times // 2],
        "restore_s": sorted(turn["restore"]["s"] for turn in turns)[times // 2],
        "restore_by_run": sorted(round(turn["restore"]["s"] / turn["run"]["s"], 2) for turn in turns),
        "run_processor_s": sorted(turn["run"]["processor_s"] for turn in turns)[times // 2],
        "restore_processor_s": sorted(turn["restore"]["processor_s"] for turn in turns)[times // 2],
        "exact": all(turn["exact"] for turn in turns),
    }


def _clocked(work: Callable[[], Done]) -> tuple[Done, dict[str, float]]:
    """What some work returns, and how long it took: by the clock, and of this process."""
    began, spent = time.perf_counter(), time.process_time()
    done = work()
    taken = time.perf_counter() - began, time.process_time() - spent
    return done, {"s": round(taken[0], 2), "processor_s": round(taken[1], 2)}


def exported(memory: Memory) -> list[str]:
    """The lines of an export, without the header and its time."""
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue().splitlines()[1:]


def weaken(url: str, nodes: int, weak: int) -> None:
    """Make the relations of the last memos thin."""
    with opened(url) as memory:
        database = memory.view.store.database
        where = {"owner": "local", "from": id_of(nodes - weak), "to": id_of(nodes)}
        text = "update edges set weight = 0.05 where owner_id = :owner and source_id >= :from and source_id < :to"
        statements = database._statements[True]
        statements._blocks["bench_weaken"] = text
        statements._optional["bench_weaken"] = frozenset()
        statements._literals["bench_weaken"] = ()
        database.write(lambda tx: tx.run("bench_weaken", where))


def id_of(number: int) -> str:
    return f"01900000-0000-7000-8000-{number:012x}"


def planned(url: str) -> dict[str, Any]:
    """A plan, made by a process that has done nothing before."""
    with opened(url) as memory:
        started = time.perf_counter()
        plan = memory.metabolize()
        taken = time.perf_counter() - started
    # Not ru_maxrss: that is at least what the process had that started this one.
    peak = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
    return {
        "plan_seconds": round(taken, 2),
        "peak_memory_mb": round(peak),
        "candidates": len(plan.removed) + sum(plan.spared.values()),
        "removed": len(plan.removed),
        "pruned": plan.pruned,
    }


def applied(url: str) -> dict[str, Any]:
    """Apply the plan beside another writer."""
    plan, beside = _beside_a_writer(url, lambda memory: memory.metabolize(apply=True))
    with opened(url) as memory:
        again = memory.metabolize()
    return {
        "run_id": plan.run_id,
        "run_seconds": round(beside.seconds, 2),
        "nodes_removed": plan.nodes_removed,
        "links_removed": plan.links_removed,
        "batches": len(beside.held_s),
        "longest_batch_ms": round(max(beside.held_s) * 1000, 1),
        "longest_other_write_ms": beside.others["max"],
        "other_writes": beside.others,
        "left_for_a_second_run": len(again.removed) + again.pruned,
    }


def restored(url: str, run_id: str, run_seconds: float) -> dict[str, Any]:
    """Bring back what the run let go, beside another writer."""
    back, beside = _beside_a_writer(url, lambda memory: memory.restore(run_id=run_id))
    return {
        "restore_seconds": round(beside.seconds, 2),
        "restore_by_run": round(beside.seconds / run_seconds, 2),
        "nodes_restored": len(back.node_ids),
        "links_restored": back.links,
        "not_restored": len(back.skipped),
        "restore_batches": len(beside.held_s),
        "restore_longest_batch_ms": round(max(beside.held_s) * 1000, 1),
        "restore_other_writes": beside.others,
    }


@dataclass(frozen=True)
class Beside:
    """How long some work took beside another writer, how long each of its writes held the lock, and how long the
    writes of the other took.
    """

    seconds: float
    held_s: list[float]
    others: dict[str, float]


def _beside_a_writer(url: str, work: Callable[[Memory], Done]) -> tuple[Done, Beside]:
    writer = subprocess.Popen(
        [sys.executable, "-m", "bench.metabolism_scale", "--write", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    writer.stdout.readline()  # it has begun
    held: list[float] = []
    with opened(url) as memory:
        database = memory.view.store.database
        write = database.write

        def timed_write(of_batch: Any) -> Any:
            spent = [0.0]

            def timed_work(tx: Any) -> Any:
                locks.be_alone(tx, memory.view.access.owner)  # waiting for the lock keeps nobody else waiting
                locked = time.perf_counter()
                done = of_batch(tx)
                spent[0] = time.perf_counter() - locked
                return done

            done = write(timed_work)
            held.append(spent[0])
            return done

        database.write = timed_write  # type: ignore[method-assign]
        started = time.perf_counter()
        done = work(memory)
        taken = time.perf_counter() - started
    return done, Beside(taken, held, json.loads(writer.communicate("")[0]))


def written(url: str) -> dict[str, float]:
    """How long saving a memo takes, until nobody listens any more."""
    import select

    times = []
    with opened(url) as memory:
        number = 0
        while not select.select([sys.stdin], [], [], 0.02)[0]:
            started = time.perf_counter()
            memory.save(f"said meanwhile {number} {random.random()}", namespace="elsewhere")
            if number:  # the first opens the connection
                times.append(time.perf_counter() - started)
            else:
                print("begun", flush=True)
            number += 1
    return {"count": len(times), **percentiles(times or [0.0])}


def opened(url: str) -> Memory:
    return Memory.open(url, embedder="none", root="bench", clock=lambda: NOW)


def fill(url: str, nodes: int, edges: int, weak: int) -> None:
    """The graph, by the store's own statements."""
    chance, numbers = random.Random(7), np.random.default_rng(7)
    ids = [id_of(number) for number in range(nodes)]
    weak_from = nodes - weak
    with opened(url) as memory:
        database = memory.view.store.database
        row = {"model_id": MODEL, "dimension": DIMENSION, "state": "active", "now": timestamp(NOW)}
        database.write(lambda tx: tx.run("model_insert", row))
        originals = numbers.standard_normal((nodes, DIMENSION), dtype=np.float32)
        texts: list[str] = []
        copied = chance.sample(range(weak_from), weak)
        for number in range(nodes):
            if number >= weak_from and number % 2:
                original = copied.pop()
                noise = numbers.standard_normal(DIMENSION, dtype=np.float32)
                originals[number] = originals[original] + 0.2 * noise
                texts.append(f"{texts[original]}!")
            else:
                texts.append(f"memo {number}: " + " ".join(chance.choices(WORDS, k=12)))
        originals /= np.linalg.norm(originals, axis=1, keepdims=True)
        for start in range(0, nodes, BATCH):
            some = range(start, min(nodes, start + BATCH))
            batch = [(ids[at], texts[at], originals[at]) for at in some]
            database.write(lambda tx, batch=batch: _write_nodes(tx, memory.view.access, batch))
        links = list(_links(chance, ids, edges, weak_from))
        for start in range(0, len(links), BATCH):
            database.write(lambda tx, some=links[start : start + BATCH]: edge_rows.insert(tx, memory.view.access, some))
        database.refresh_statistics(memory.view.access.owner)


def fill_copies(url: str, relations: int) -> None:
    """Useful memos with a thin relation, a copy of each with thick ones to others, and those others."""
    chance, numbers = random.Random(7), np.random.default_rng(7)
    copies = relations // RELATIONS_PER_COPY
    others = 4 * copies
    vectors = numbers.standard_normal((copies + others, DIMENSION), dtype=np.float32)
    texts = [f"memo {number}: " + " ".join(chance.choices(WORDS, k=12)) for number in range(copies + others)]
    near = vectors[:copies] + 0.2 * numbers.standard_normal((copies, DIMENSION), dtype=np.float32)
    vectors = np.concatenate([vectors, near])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts += [f"{text}!" for text in texts[:copies]]
    ids = [id_of(number) for number in range(len(texts))]
    with opened(url) as memory:
        database, access = memory.view.store.database, memory.view.access
        row = {"model_id": MODEL, "dimension": DIMENSION, "state": "active", "now": timestamp(NOW)}
        database.write(lambda tx: tx.run("model_insert", row))
        rows = list(zip(ids, texts, vectors, strict=True))
        database.write(lambda tx: _write_nodes(tx, access, rows[:copies], useful=True))
        database.write(lambda tx: _write_nodes(tx, access, rows[copies:]))
        links = [_edge(ids, (number, number % others + copies), 0.05, chance) for number in range(copies)]
        for number in range(copies + others, len(ids)):
            ends = chance.sample(range(copies, copies + others), RELATIONS_PER_COPY)
            links += [_edge(ids, (number, end), 0.9, chance) for end in ends]
        for start in range(0, len(links), BATCH):
            database.write(lambda tx, some=links[start : start + BATCH]: edge_rows.insert(tx, access, some))
        database.refresh_statistics(access.owner)


def _write_nodes(tx: Any, access: Access, some: list[tuple[str, str, Any]], *, useful: bool = False) -> None:
    then = timestamp(NOW - timedelta(days=90))
    times: dict[str, Any] = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), then)
    new = [
        Node(
            id=node_id,
            namespace="bench",
            utility=1.0 if useful else 0.0,
            content=text,
            content_hash=content_hash(text),
            **times,
        )
        for node_id, text, _ in some
    ]
    made = Made(MODEL, {content_hash(text): vector for _, text, vector in some})
    node_rows.store(tx, access, [node_texts.of_node(node) for node in new], made, now=then)


def _links(chance: random.Random, ids: list[str], edges: int, weak_from: int) -> Iterator[Edge]:
    """Two or three relations of each memo that will be weak; the rest among the others."""
    pairs: set[tuple[int, int]] = set()
    for number in range(weak_from, len(ids)):
        for _ in range(chance.choice((2, 3))):
            pair = (number, chance.randrange(weak_from))
            if pair not in pairs:
                pairs.add(pair)
                yield _edge(ids, pair, 0.9, chance)
    # Each of the others has a strong one.
    for number in range(weak_from):
        pair = (number, (number + 1) % weak_from)
        pairs.add(pair)
        yield _edge(ids, pair, 1.0, chance)
    while len(pairs) < edges:
        pair = (chance.randrange(weak_from), chance.randrange(weak_from))
        if pair not in pairs and pair[0] != pair[1]:
            pairs.add(pair)
            yield _edge(ids, pair, 0.05 if chance.random() < 0.05 else chance.uniform(0.6, 1.0), chance)


def _edge(ids: list[str], pair: tuple[int, int], weight: float, chance: random.Random) -> Edge:
    then = timestamp(NOW - timedelta(days=4 + chance.uniform(0, 50)))
    return Edge(
        source_id=ids[pair[0]],
        target_id=ids[pair[1]],
        tag="related",
        weight=weight,
        source_namespace="bench",
        target_namespace="bench",
        observed_at=then,
        created_at=then,
        updated_at=then,
    )


def _self(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.metabolism_scale", *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
    )


if __name__ == "__main__":
    main()
