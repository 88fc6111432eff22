"""The service under load: 32 clients of 32 owners, most of what they do is to ask; and one client of the Python API.

python -m bench.service --data DATA [--database sqlite] [--nodes 100000] [--seconds 60]

Open loop: calls arrive at a fixed rate, half of what one client of the Python API reaches, and the time that a call
waits counts. Closed loop: each client makes its next call when it has its answer. The clients run on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from bench import cost_turn, search, stores
from bench.measure import keep, percentiles
from wherefrom import Memory, Store

# Of five calls, one saves.
_VERBS = ("activate", "search", "activate", "search", "save")
_WARM_CALLS = 40


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    options.add_argument("--nodes", type=int, default=100_000)
    options.add_argument("--owners", type=int, default=32)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--alone", metavar="URL", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.alone:
        print(json.dumps(alone(given.alone, given)))
        return
    opened = stores.sqlite() if given.database == "sqlite" else stores.postgres()
    with opened as url:
        keep(f"service_{given.database}", measure(url, given))


def measure(url: str, given: argparse.Namespace) -> dict[str, Any]:
    keys = fill(url, given)
    command = [sys.executable, "-m", "bench.service", *sys.argv[1:], "--alone", url]
    one = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    result: dict[str, Any] = {"nodes": given.nodes, "owners": given.owners, "seconds": given.seconds, "python": one}
    jobs = Jobs(given, keys)
    with serving(url) as base:
        asyncio.run(jobs.closed(base, 4, seconds=8))  # what is loaded at the first calls is not measured
        result["one client"] = asyncio.run(jobs.closed(base, 1))
        result["open loop"] = asyncio.run(jobs.open(base, one["per_second"] / 2))
        result["32 clients"] = asyncio.run(jobs.closed(base, given.owners))
    with serving(url, "--workers", "2") as base:
        asyncio.run(jobs.closed(base, 8, seconds=8))
        result["32 clients, two processes"] = asyncio.run(jobs.closed(base, given.owners))
    result["open p95 / python p50"] = round(result["open loop"]["ms"]["p95"] / one["ms"]["p50"], 2)
    for name in ("32 clients", "32 clients, two processes"):
        result[f"{name} / python"] = round(result[name]["per_second"] / one["per_second"], 2)
        result[f"{name} / one client"] = round(result[name]["per_second"] / result["one client"]["per_second"], 2)
    return result


def fill(url: str, given: argparse.Namespace) -> list[str]:
    """Give each owner its share of the memos; return a key of each."""
    chance, keys = random.Random(3), []
    found = cost_turn.texts(given.data, given.nodes, chance)
    with Store.open(url) as store:
        for owner in range(given.owners):
            memory = store.memory(owner=f"owner-{owner}")
            some = islice(found, given.nodes // given.owners)
            share = {str(number): (None, text, "main") for number, (_, text) in enumerate(some)}
            stores.import_texts(memory, share)
            keys.append(memory.create_key("load", role="write").secret)
    return keys


def alone(url: str, given: argparse.Namespace) -> dict[str, Any]:
    """What one client reaches through the Python API, in a process of its own."""
    calls, taken = Calls(given), []
    with Store.open(url) as store:
        memories = [store.memory(owner=f"owner-{owner}") for owner in range(given.owners)]
        end = None
        while end is None or time.perf_counter() < end:
            start = time.perf_counter()
            verb, arguments, owner = calls.next()
            run(memories[owner], verb, arguments)
            taken.append(time.perf_counter() - start)
            if end is None and len(taken) == _WARM_CALLS:
                taken, end = [], time.perf_counter() + given.seconds / 2
    return {"per_second": round(len(taken) / sum(taken), 1), "ms": ms(taken)}


def run(memory: Memory, verb: str, arguments: dict[str, Any]) -> None:
    text = next(iter(arguments.values()))
    {"activate": memory.activate, "search": memory.search, "save": memory.save}[verb](text)


class Calls:
    """The calls that clients make, each owner in turn: real questions, and new texts to save."""

    def __init__(self, given: argparse.Namespace, seed: int = 5) -> None:
        self._chance = random.Random(f"{seed} {os.getpid()}")
        self._questions = search.questions(given.data, self._chance)
        self._owners = given.owners
        self._number = 0

    def next(self, owner: int | None = None) -> tuple[str, dict[str, Any], int]:
        self._number += 1
        verb = self._chance.choice(_VERBS)
        owner = self._chance.randrange(self._owners) if owner is None else owner
        question = self._chance.choice(self._questions)
        if verb == "save":
            return verb, {"content": f"Note {self._chance.random()} about this: {question}"}, owner
        return verb, {"query": question}, owner


@dataclass
class Run:
    taken: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def figures(self, seconds: float) -> dict[str, Any]:
        done = self.statuses[200]
        refused = {str(status): count for status, count in self.statuses.items() if status != 200}
        return {"per_second": round(done / seconds, 1), "ms": ms(self.taken), "refused": refused}


class Jobs:
    def __init__(self, given: argparse.Namespace, keys: list[str]) -> None:
        self._given, self._keys = given, keys
        self._calls = Calls(given)

    async def closed(self, base: str, clients: int, seconds: float | None = None) -> dict[str, Any]:
        run, seconds = Run(), seconds or self._given.seconds
        end = time.perf_counter() + seconds

        async def client(number: int) -> None:
            connection = Connection(base)
            while time.perf_counter() < end:
                verb, arguments, owner = self._calls.next(number if clients > 1 else None)
                start = time.perf_counter()
                status = await connection.call(self._keys[owner], verb, arguments)
                run.taken.append(time.perf_counter() - start)
                run.statuses[status] += 1
                if status in (429, 503):
                    await asyncio.sleep(1)
            connection.close()

        await asyncio.gather(*map(client, range(clients)))
        return run.figures(seconds)

    async def open(self, base: str, rate: float) -> dict[str, Any]:
        run, seconds, free = Run(), self._given.seconds, [Connection(base)]
        begun, tasks, chance = time.perf_counter(), set(), random.Random(11)
        at = begun

        async def one(due: float) -> None:
            connection = free.pop() if free else Connection(base)
            verb, arguments, owner = self._calls.next()
            status = await connection.call(self._keys[owner], verb, arguments)
            run.taken.append(time.perf_counter() - due)
            run.statuses[status] += 1
            free.append(connection)

        while at < begun + seconds:
            at += chance.expovariate(rate)
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            tasks.add(task := asyncio.create_task(one(at)))
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)
        return {"offered_per_second": round(rate, 1), **run.figures(seconds)}


class Connection:
    """A connection that is kept open, and speaks as little HTTP as it needs: the clients share the machine."""

    def __init__(self, base: str) -> None:
        self._host, self._port = base.removeprefix("http://").split(":")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, key: str, verb: str, arguments: dict[str, Any]) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, int(self._port))
        reader, writer = self._streams
        body = json.dumps(arguments).encode()
        head = f"POST /api/{verb} HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {key}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(answer.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
        return int(answer.split(b" ", 2)[1])

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


@contextlib.contextmanager
def serving(url: str, *options: str) -> Iterator[str]:
    """A service in processes of its own; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "wherefrom", "serve", "--db", url, "--port", str(port), *options]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{base}/readyz", timeout=5).close()
                break
            time.sleep(0.1)
        yield base
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def ms(taken: list[float]) -> dict[str, float]:
    return {**percentiles(taken), "max": round(max(taken, default=0) * 1000, 1)}


if __name__ == "__main__":
    main()
