"""Eight processes save on one database while a ninth reads: is anything lost, and how long do reads take?

python -m bench.concurrency [--processes 8 --saves 200]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

from bench import stores
from bench.measure import keep, percentiles
from wherefrom import Memory

WRITER = """
import json, sys, time
from wherefrom import Memory
url, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory.open(url) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    times = []
    for number in range(count):
        start = time.perf_counter()
        memory.save(f"{name} memo {number}: something to remember")
        times.append(time.perf_counter() - start)
print(json.dumps(times))
"""
READER = """
import json, sys, time
from wherefrom import Memory
url, known = sys.argv[1], sys.argv[2]
with Memory.open(url) as memory:
    memory.get(known)
    print("ready", flush=True)
    sys.stdin.readline()
    times, until = [], time.monotonic() + 60
    while time.monotonic() < until:
        start = time.perf_counter()
        memory.get(known)
        times.append(time.perf_counter() - start)
        start = time.perf_counter()
        newest = memory.list(limit=5).nodes
        times.append(time.perf_counter() - start)
        if any(node.title == "stop" for node in newest):
            break
        time.sleep(0.002)
print(json.dumps(times))
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--processes", type=int, default=8)
    options.add_argument("--saves", type=int, default=200)
    given = options.parse_args()
    result: dict[str, object] = {"processes": given.processes, "saves_each": given.saves}
    for name, opened in (("sqlite", stores.sqlite()), ("postgres", stores.postgres())):
        with opened as url:
            result[name] = measure(url, given.processes, given.saves)
    keep("concurrency", result)


def measure(url: str, processes: int, saves: int) -> dict[str, object]:
    with Memory.open(url) as memory:
        known = memory.save("known").node.id
        reader = start(READER, url, known)
        writers = [start(WRITER, url, f"process {number}", str(saves)) for number in range(processes)]
        for process in (reader, *writers):
            assert process.stdout and process.stdout.readline() == "ready\n"
        began = time.perf_counter()
        for process in (reader, *writers):
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        answers = [process.communicate(timeout=120) for process in writers]
        seconds = time.perf_counter() - began
        expected = processes * saves
        found = memory.info().sizes["memos"] - 1
        memory.save("that is all", title="stop")
        reads = json.loads(reader.communicate(timeout=90)[0])
        errors = sum(process.returncode != 0 for process in writers)
        times = [duration for out, _ in answers for duration in json.loads(out)]
        return {
            "lost": expected - found,
            "errors": errors,
            "saves_per_s": round(expected / seconds),
            "save_ms": percentiles(times),
            "reads": len(reads),
            "read_ms": percentiles(reads),
            "doctor": memory.doctor().ok,
        }


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


if __name__ == "__main__":
    main()
