"""Kills a process at random moments while it applies a plan of metabolism: is everything live or restorable, does no
relation dangle, and does the next run complete the first?

python -m bench.metabolism_kills [--times 100] [--topics 200] [--databases sqlite postgres]

One number of times for all databases, or one for each. A quarter of the kills come some milliseconds after a random
batch, a quarter at a random time between the start of the run and its end. The other half hits removals under way: the
process waits in the transaction of a random batch that hands over names, sources, utility or relations of nodes that go,
once these are written to the stand-ins, or once the nodes are retired as well; there it is killed. Counted is what these
transactions had written by then.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from bench import stores
from bench.measure import command, keep
from bench.planted import listed
from wherefrom import Memory

# In small batches, so that there are more places to be killed at. A line `handed …` tells, in the transaction itself,
# what it has handed over; after the one with the number `at`, the process waits to be killed at the `point`.
CHILD = """
import json, sys, time
from collections import Counter
from datetime import datetime
from wherefrom import Memory
from wherefrom.metabolism import adaptive_batch, apply
url, moment, at, point = sys.argv[1], datetime.fromisoformat(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
adaptive_batch._MAX_ROWS, apply._MAX_EDGES_PER_BATCH = 4, 8
hand_over, retire_nodes, seen = apply.inheritance.hand_over, apply.receipts.retire_nodes, [0]

def wait(here):
    if seen[0] == at and point == here:
        print("waiting", flush=True)
        time.sleep(600)

def handing_over(tx, access, heirs, is_taken):
    moved, made = hand_over(tx, access, heirs, is_taken)
    found = Counter()
    for record in moved.values():
        found["names and sources"] += len(record.get("gifts", ()))
        found["utility"] += "utility" in record.get("numbers", {})
        found["relations"] += len(record.get("edges", ()))
    if found.total():
        seen[0] += 1
        print("handed", json.dumps(found), flush=True)
        wait("handed over")
    return moved, made

def retiring(*given, **more):
    done = retire_nodes(*given, **more)
    wait("retired")
    return done

apply.inheritance.hand_over, apply.receipts.retire_nodes = handing_over, retiring
with Memory.open(url, clock=lambda: moment) as memory:
    memory.search("walnut")
    print("ready", flush=True)
    memory.metabolize(apply=True, progress=lambda done, total: print(done, flush=True))
"""
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
TOPICS = 200
SEED = 7
FILLERS = ("really", "basically", "indeed")
WORDS = listed(
    "walnut river lantern keeper railing spring meadow copper kettle harbour pigeon ladder orchard violin candle barley "
    "glacier teacher bridge pepper cottage falcon marble ferry blanket saffron thunder pillow quarry sailor tulip "
    "engine basket compass dragon feather garden hammer island jacket kitchen lemon mirror needle oyster piano quilt "
    "rabbit saddle temple umbrella valley window yellow zebra anchor button carpet desert elbow forest goblet"
)


@dataclass
class Store:
    """A filled store, what it holds before and after a run, and of how many batches and seconds that is."""

    url: str
    moment: datetime
    before: list[str]
    after: list[str]
    batches: int
    seconds: float
    handed: int
    """In how many batches something is handed over."""


POINTS = ("handed over", "retired")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, nargs="+", default=[100])
    options.add_argument("--topics", type=int, default=TOPICS, help="how many copies go, of as many that stay")
    options.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    given = options.parse_args()
    times = given.times * len(given.databases) if len(given.times) == 1 else given.times
    for database, some in zip(given.databases, times, strict=True):
        row: dict[str, object] = {"command": command("metabolism_kills"), "copies": given.topics, "seed": SEED}
        keep("metabolism_kills", {database: row | measure(database, some, given.topics)})


def measure(database: str, times: int, topics: int) -> dict[str, object]:
    """Kill so many runs, each on a copy of one store."""
    chance = random.Random(SEED)
    fell: Counter[str] = Counter()
    points: Counter[str] = Counter()
    written: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    with copies_of(database) as (url, copy):
        store = filled(url, copy, topics)
        while (done := fell.total()) < times:
            killed = copy(store.url)
            if done % 2:
                point = POINTS[done // 2 % len(POINTS)]
                batches, had = kill_in(killed, store, chance, point)
                points[point] += 1
                written += had
            else:
                batches = kill(killed, store, chance, by_time=done % 4 == 2)
            if batches is not None:
                fell[where(batches, store.batches)] += 1
                found = list(faults(killed, copy(killed), store, begun=batches > 0))
                if found:
                    print(f"after batch {batches}: {', '.join(found)}", file=sys.stderr)
                broken.update(found)
            copy.drop()
    names = ("lost", "dangling", "not_resumed", "not_completed", "not_restored")
    return {
        "kills": fell.total(),
        "nodes": sum('"type":"node"' in line for line in store.before),
        "lines_before": len(store.before),
        "lines_after": len(store.after),
        "batches": store.batches,
        "fell": dict(sorted(fell.items())),
        "in_removals": points.total(),
        "points": dict(sorted(points.items())),
        "written_by_then": dict(sorted(written.items())),
        "broken": {name: broken[name] for name in names},
    }


def kill(url: str, store: Store, chance: random.Random, *, by_time: bool) -> int | None:
    """Kill a run; after how many of its batches, None if it was done already."""
    with started(url, store.moment) as process:
        assert process.stdout
        said: list[str] = []
        if by_time:
            time.sleep(chance.uniform(0, store.seconds))
        else:
            wanted = chance.randint(1, store.batches - 1)
            while batches_of(said) < wanted:
                said.append(process.stdout.readline())
            time.sleep(chance.uniform(0, 0.006))
        process.kill()
        said += process.stdout.readlines()
        process.wait()
    return None if process.returncode == 0 else batches_of(said)


def kill_in(url: str, store: Store, chance: random.Random, point: str) -> tuple[int, Counter[str]]:
    """Kill a run in the transaction of a random batch that hands something over; after how many batches, and what that
    transaction had written by then.
    """
    with started(url, store.moment, chance.randint(1, store.handed), point) as process:
        assert process.stdout
        said: list[str] = []
        while not said or said[-1] != "waiting\n":
            said.append(process.stdout.readline())
            assert said[-1], "the run ended before it came to the batch"
        process.kill()
        process.wait()
    last = [line for line in said if line.startswith("handed")][-1]
    return batches_of(said), Counter(json.loads(last.partition(" ")[2]))


def started(url: str, moment: datetime, at: int = 0, point: str = "") -> subprocess.Popen[str]:
    """A process that is about to apply; with `at` it waits in the transaction of that hand-over, at a point of it."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, url, moment.isoformat(), str(at), point], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def batches_of(said: list[str]) -> int:
    """How many batches were committed, by the lines that a process printed."""
    return sum(line.strip().isdecimal() for line in said)


def where(batches: int, total: int) -> str:
    if not batches:
        return "before the first batch"
    tenth = min(9, batches * 10 // total)
    return f"at {tenth * 10} to {tenth * 10 + 10} % of the batches"


def faults(url: str, copied: str, store: Store, *, begun: bool) -> Iterator[str]:
    """What does not hold in a store whose run was killed, of which there is a copy."""
    with opened(copied, store.moment) as memory:
        if not memory.doctor().ok:
            yield "dangling"
        memory.restore(since=BEGAN.isoformat())
        if exported(memory) != store.before:
            yield "lost"
    with opened(url, store.moment + timedelta(minutes=3)) as memory:
        # Killed after the end of the run, while the process was on its way out.
        ended = exported(memory) == store.after
        done = memory.metabolize(apply=True)
        if begun and not ended and not done.resumed:
            yield "not_resumed"
        if (left := exported(memory)) != store.after:
            for line in sorted(set(left) ^ set(store.after)):
                print("-" if line in store.after else "+", line, file=sys.stderr)
            yield "not_completed"
        if not memory.doctor().ok:
            yield "dangling"
        whole = {"run_id": done.run_id} if done.resumed else {"since": BEGAN.isoformat()}
        restored = memory.restore(**whole)
        if exported(memory) != store.before or restored.skipped or not memory.doctor().ok:
            yield "not_restored"


def filled(url: str, copy: Copies, topics: int) -> Store:
    """Fill a store and see what an uninterrupted run makes of a copy."""
    moment = [BEGAN]
    with Memory.open(url, clock=lambda: moment[0]) as memory:
        fill(memory, moment, topics)
        before = exported(memory)
    copied = copy(url)
    with started(copied, moment[0]) as process:
        assert process.stdout
        began = time.perf_counter()
        said = process.stdout.readlines()
        seconds = time.perf_counter() - began
    assert process.returncode == 0
    handed = sum(line.startswith("handed") for line in said)
    with opened(copied, moment[0]) as memory:
        assert not memory.metabolize().removed
        return Store(url, moment[0], before, exported(memory), batches_of(said), seconds, handed)


def fill(memory: Memory, moment: list[datetime], topics: int) -> None:
    """Near-copies that became thin, among them some of each other only and some that mention entities; conflicts, thin
    relations, orphaned entities; claims with corrections.
    """
    copies = [
        save(memory, number, FILLERS[number % 3], [f"Alder {WORDS[number % len(WORDS)]}"] if number % 9 == 0 else ())
        for number in range(topics)
    ]
    alike = [save(memory, 1_000 + number // 3, FILLERS[number % 3]) for number in range(30)]
    unique = [save(memory, 2_000 + number) for number in range(10)]
    for number in range(10):
        memory.delete(save(memory, 3_000 + number, entities=[f"Quartz {WORDS[number]}"]))
    for number, each in enumerate(copies):
        memory.relate(each, unique[number % 10], tag="near", weight=0.9, reason="once seen together")
        memory.relate(copies[number - 1], each, tag="then", weight=0.8)
    for each in alike:
        memory.relate(copies[0], each, tag="like", weight=0.7)
    for each in copies[:20]:
        memory.feedback(each, signal="helpful")
    moment[0] += timedelta(days=300)
    strong = [save(memory, number) for number in range(topics)]
    for number, each in enumerate(strong):
        memory.relate(strong[number - 1], each, tag="then", weight=0.9)
        memory.relate(each, strong[(number + 5) % topics], tag="recalls", weight=0.04)
        if number % 5 == 0:
            memory.relate(each, strong[number - 3], tag="status", weight=0.9)
            memory.relate(each, strong[number - 4], tag="status", weight=0.5)
    moment[0] += timedelta(days=10)


def save(memory: Memory, number: int, filler: str = "", entities: list[str] | tuple[()] = ()) -> str:
    """A text unlike those of other numbers; with a filler, a near-copy of it. Some have titles, and sources of their own."""
    words = random.Random(number).sample(WORDS, 9)
    text = " ".join(["the", *words[:4], *([filler] if filler else []), "beside", "the", *words[4:]])
    title = " ".join([*words[:3], *([filler] if filler else [])]) if number % 3 == 0 else None
    noted = {"noted_in": f"notebook {number} {filler}"} if number % 2 == 0 else None
    return memory.save(text, title=title, provenance=noted, entities=entities).node.id


def opened(url: str, moment: datetime) -> Memory:
    return Memory.open(url, clock=lambda: moment)


def exported(memory: Memory) -> list[str]:
    """The lines of an export, without the header and its time, and without the times at which copies went: a run that is
    completed later lets some of them go later.
    """
    stream = io.StringIO()
    memory.export(stream)
    lines = stream.getvalue().splitlines()[1:]
    pointers = sorted(line.partition(',"went_at"')[0] for line in lines if line.startswith('{"type":"standin"'))
    return [line for line in lines if not line.startswith('{"type":"standin"')] + pointers


@contextmanager
def copies_of(database: str) -> Iterator[tuple[str, Copies]]:
    """The URL of an empty store, and what copies it."""
    if database == "sqlite":
        with stores.sqlite() as url:
            yield url, FileCopies(Path(url).parent)
    else:
        with stores.postgres() as server:
            copies = DatabaseCopies(server)
            yield copies("template1"), copies


class Copies(Protocol):
    """Copies of stores that nobody has open."""

    def __call__(self, source: str) -> str: ...

    def drop(self) -> None:
        """All but the first two."""
        ...


class FileCopies:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = 0

    def __call__(self, source: str) -> str:
        self.made += 1
        target = str(self.folder / f"copy_{self.made}.db")
        for suffix in ("", "-wal"):
            if Path(source + suffix).exists():
                shutil.copy(source + suffix, target + suffix)
        return target

    def drop(self) -> None:
        for file in self.folder.glob("copy_*"):
            if not file.name.startswith("copy_1."):
                file.unlink()


class DatabaseCopies:
    def __init__(self, server: str) -> None:
        self.server = server
        self.made: list[str] = []

    def __call__(self, source: str) -> str:
        name = f"copy_{uuid.uuid4().hex}"
        self.made.append(name)
        self._execute(f"create database {name} template {_name(source)} strategy file_copy")
        return self.server.replace("/postgres?", f"/{name}?")

    def drop(self) -> None:
        for name in self.made[2:]:
            self._execute(f"drop database {name} with (force)")
        del self.made[2:]

    def _execute(self, statement: str) -> None:
        """As soon as the last connection to the original is gone."""
        import psycopg

        with psycopg.connect(self.server, autocommit=True) as connection:
            for attempt in range(100):
                try:
                    connection.execute(statement)
                    return
                except psycopg.errors.ObjectInUse:
                    if attempt == 99:
                        raise
                    time.sleep(0.1)


def _name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


if __name__ == "__main__":
    main()
