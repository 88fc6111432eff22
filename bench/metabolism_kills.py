"""Kills a process at random moments while it applies a plan of metabolism: is everything live or restorable, does no
relation dangle, and does the next run complete the first?

python -m bench.metabolism_kills [--times 100] [--databases sqlite postgres]

One number of times for all databases, or one for each. Half of the kills come some milliseconds after a random batch,
half at a random time between the start of the run and its end.
"""

from __future__ import annotations

import argparse
import io
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
from bench.measure import keep
from bench.planted import listed
from wherefrom import Memory

# In small batches, so that there are more places to be killed at.
CHILD = """
import sys
from datetime import datetime
from wherefrom import Memory
from wherefrom.metabolism import adaptive_batch, apply
url, moment = sys.argv[1], datetime.fromisoformat(sys.argv[2])
adaptive_batch._MAX_ROWS, apply._MAX_EDGES_PER_BATCH = 4, 8
with Memory.open(url, clock=lambda: moment) as memory:
    memory.search("walnut")
    print("ready", flush=True)
    memory.metabolize(apply=True, progress=lambda done, total: print(done, flush=True))
"""
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
TOPICS = 200
SEED = 7
FILLERS = ("quite", "clearly", "indeed")
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, nargs="+", default=[100])
    options.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    given = options.parse_args()
    times = given.times * len(given.databases) if len(given.times) == 1 else given.times
    result: dict[str, object] = {"copies": TOPICS, "seed": SEED}
    for database, some in zip(given.databases, times, strict=True):
        result[database] = measure(database, some)
    keep("metabolism_kills", result)


def measure(database: str, times: int) -> dict[str, object]:
    """Kill so many runs, each on a copy of one store."""
    chance = random.Random(SEED)
    fell: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    with copies_of(database) as (url, copy):
        store = filled(url, copy)
        while fell.total() < times:
            killed = copy(store.url)
            batches = kill(killed, store, chance, by_time=fell.total() % 2 == 1)
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
        "broken": {name: broken[name] for name in names},
    }


def kill(url: str, store: Store, chance: random.Random, *, by_time: bool) -> int | None:
    """Kill a run; after how many of its batches, None if it was done already."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, url, store.moment.isoformat()], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        lines = 0
        if by_time:
            time.sleep(chance.uniform(0, store.seconds))
        else:
            lines = chance.randint(1, store.batches - 1)
            for _ in range(lines):
                process.stdout.readline()
            time.sleep(chance.uniform(0, 0.006))
        process.kill()
        lines += process.stdout.read().count("\n")
        process.wait()
    return None if process.returncode == 0 else lines


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


def filled(url: str, copy: Copies) -> Store:
    """Fill a store and see what an uninterrupted run makes of a copy."""
    moment = [BEGAN]
    with Memory.open(url, clock=lambda: moment[0]) as memory:
        fill(memory, moment)
        before = exported(memory)
    copied = copy(url)
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, copied, moment[0].isoformat()], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        process.stdout.readline()
        started = time.perf_counter()
        batches = len(process.stdout.readlines())
        seconds = time.perf_counter() - started
    assert process.returncode == 0
    with opened(copied, moment[0]) as memory:
        assert not memory.metabolize().removed
        return Store(url, moment[0], before, exported(memory), batches, seconds)


def fill(memory: Memory, moment: list[datetime]) -> None:
    """Near-copies that became thin, among them some of each other only and some that mention entities; conflicts, thin
    relations, orphaned entities; claims with corrections.
    """
    copies = [
        save(memory, number, FILLERS[number % 3], [f"Alder {WORDS[number % len(WORDS)]}"] if number % 9 == 0 else ())
        for number in range(TOPICS)
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
    strong = [save(memory, number) for number in range(TOPICS)]
    for number, each in enumerate(strong):
        memory.relate(strong[number - 1], each, tag="then", weight=0.9)
        memory.relate(each, strong[(number + 5) % TOPICS], tag="recalls", weight=0.04)
        if number % 5 == 0:
            memory.relate(each, strong[number - 3], tag="status", weight=0.9)
            memory.relate(each, strong[number - 4], tag="status", weight=0.5)
    moment[0] += timedelta(days=10)


def save(memory: Memory, number: int, filler: str = "", entities: list[str] | tuple[()] = ()) -> str:
    """A text unlike those of other numbers; with a filler, a near-copy of it."""
    words = random.Random(number).sample(WORDS, 9)
    text = " ".join(["the", *words[:4], *([filler] if filler else []), "beside", "the", *words[4:]])
    return memory.save(text, entities=entities).node.id


def opened(url: str, moment: datetime) -> Memory:
    return Memory.open(url, clock=lambda: moment)


def exported(memory: Memory) -> list[str]:
    """The lines of an export, without the header and its time."""
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue().splitlines()[1:]


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
