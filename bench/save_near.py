"""What looking for near statements adds to a save.

python -m bench.save_near [--memos 100000] [--saves 200] [--databases sqlite postgres]

The memos are made up, as in `bench.import_speed`. Half of the new texts are new, half are one of the memos with one word
exchanged, so that something is near. Saves with and without the look take turns in one run, each way with its own
texts. Then as many are saved over MCP, with the look: the time between a line to the server and the line of its answer.
A program that does not look has the same figures twice.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from bench import stores
from bench.import_speed import sentences
from bench.measure import keep, percentiles
from bench.search import fill
from wherefrom import Memory
from wherefrom.recall.near import Likely

LOOK = "look_for_likely"
"""The name of the function that looks for near statements."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memos", type=int, default=100_000)
    options.add_argument("--saves", type=int, default=200)
    options.add_argument("--databases", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    options.add_argument("--name", default="save_near", help="name of the file of results")
    given = options.parse_args()
    result: dict[str, Any] = {"command": f"python -m bench.save_near {' '.join(sys.argv[1:])}", "memos": given.memos}
    for database in given.databases:
        result[database] = measure(database, given.memos, given.saves)
        print(time.strftime("%H:%M:%S"), database, result[database], flush=True)
    keep(given.name, result)


def measure(database: str, memos: int, saves: int) -> dict[str, object]:
    """Percentiles of saves with and without the look, in turns, and how many answers named something."""
    taken: dict[str, list[float]] = {"with": [], "without": []}
    named = dict.fromkeys(taken, 0)
    with getattr(stores, database)() as url:
        fill(url, sentences(memos, seed=1))
        new, known = sentences(2 * saves + 10, seed=2), sentences(memos, seed=1)
        with Memory.open(url) as memory:
            for _ in range(10):
                memory.save(next(new))
            for number in range(saves):
                for way in taken:
                    text = next(new) if number % 2 else _exchanged(next(known, next(new)))
                    with nullcontext() if way == "with" else not_looking():
                        started = time.perf_counter()
                        saved = memory.save(text)
                        taken[way].append(time.perf_counter() - started)
                    named[way] += bool(getattr(saved, "near", ()))
        over_mcp = mcp_saves(url, sentences(saves + 10, seed=3))
    figures = {way: percentiles(times) for way, times in taken.items()}
    return {
        "with_ms": figures["with"],
        "without_ms": figures["without"],
        "mcp_with_ms": percentiles(over_mcp),
        "p50_ratio": round(figures["with"]["p50"] / figures["without"]["p50"], 2),
        "p50_more_ms": round(figures["with"]["p50"] - figures["without"]["p50"], 2),
        "answers_with_near": named["with"],
        "answers_with_near_though_off": named["without"],
    }


def mcp_saves(url: str, texts: Iterator[str]) -> list[float]:
    """Seconds that saves by the server of MCP take, over its standard input and output; the first ten do not count."""
    command = [sys.executable, "-m", "wherefrom", "mcp", "--db", url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def ask(number: int, method: str, params: Mapping[str, object]) -> dict[str, Any]:
            print(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}), file=server.stdin)
            server.stdin.flush()
            while (answer := json.loads(server.stdout.readline())).get("id") != number:
                pass
            return answer["result"]

        client = {"name": "bench", "version": "1"}
        ask(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), file=server.stdin)
        taken = []
        for number, text in enumerate(texts, start=1):
            started = time.perf_counter()
            answer = ask(number, "tools/call", {"name": "memory_save", "arguments": {"content": text}})
            taken.append(time.perf_counter() - started)
            assert not answer.get("isError"), answer
        server.stdin.close()
    return taken[10:]


@contextmanager
def not_looking() -> Iterator[None]:
    """Saves do not look for near statements meanwhile: wherever the program has the function, it finds nothing."""
    found = [
        (module, getattr(module, LOOK))
        for name, module in list(sys.modules.items())
        if name.startswith("wherefrom") and LOOK in vars(module)
    ]
    for module, _ in found:
        setattr(module, LOOK, lambda *_, **__: Likely())
    try:
        yield
    finally:
        for module, look in found:
            setattr(module, LOOK, look)


def _exchanged(text: str) -> str:
    """A text with another word in its middle."""
    words = text.split()
    words[len(words) // 2] = "otherwise"
    return " ".join(words)


if __name__ == "__main__":
    main()
