"""The process that `bench.cost` starts for each tree: it fills a store, or makes the calls that it is told and times them."""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.recall_sets import hotpot, locomo, longmemeval, musique, two_wiki
from bench.search import questions
from wherefrom import Memory

# Texts of a session, which follow each other.
SESSION = 20
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def main() -> None:
    job = json.loads(sys.argv[1])
    url = str(Path(job["folder"]) / f"{job['tree']}.db")
    data = Path(job["data"])
    if job["work"] == "fill":
        print(json.dumps(fill(url, data, job["nodes"])))
    else:
        answer(url, data, job)


def fill(url: str, data: Path, nodes: int) -> float:
    """Import texts and links between them; returns the seconds that it took."""
    with Memory.open(url) as memory, tempfile.TemporaryFile() as file:
        first, second = (memory.save(text).node.id for text in ("the row that all others are made from", "another"))
        memory.relate(second, first, tag="follows", weight=1.0)
        memory.export(stream := io.StringIO())
        header, *lines = stream.getvalue().splitlines()
        rows = [json.loads(line) for line in lines]
        node = next(row for row in rows if row.get("type") != "edge" and row["id"] == first)
        edge = next(row for row in rows if row.get("type") == "edge")
        memory.delete(second)
        memory.delete(first)
        file.write(header.encode() + b"\n")
        count = 0
        for count, (title, text) in enumerate(texts(data, nodes, random.Random(3)), start=1):
            own = {"id": f"n{count}", "title": title, "content": text}
            file.write(_line({**node, **own, "content_hash": sha256(text.encode()).hexdigest()}))
        for number in range(2, count + 1):
            if number % SESSION != 1:
                file.write(_line({**edge, "source_id": f"n{number}", "target_id": f"n{number - 1}"}))
        started = time.perf_counter()
        memory.import_(file)
        return round(time.perf_counter() - started, 1)


def answer(url: str, data: Path, job: dict[str, Any]) -> None:
    """Read the verbs to call, one a line, and print the seconds of each call by each clock; every round has its own
    questions and texts.
    """
    chance, calls = random.Random(100 + job["round"]), job["calls"]
    asked = questions(data, chance)
    chance.shuffle(asked)
    new = [f"{text} ({job['round']}.{number})" for number, (_, text) in enumerate(texts(data, calls, chance))]
    with Memory.open(url) as memory:
        work: dict[str, Callable[[int], object]] = {
            "search": lambda number: memory.search(asked[number % len(asked)]),
            "activate": lambda number: memory.activate(asked[number % len(asked)]),
            "save": lambda number: memory.save(new[number]),
        }
        for line in sys.stdin:
            verb, number = line.split()
            started = {kind: clock() for kind, clock in CLOCKS.items()}
            work[verb](int(number))
            taken = {kind: clock() - started[kind] for kind, clock in CLOCKS.items()}
            print(json.dumps(taken), flush=True)


def texts(data: Path, count: int, chance: random.Random) -> Iterator[tuple[str | None, str]]:
    """Texts of one to four sentences that are neighbours in some real text, half talk and half passages, each once. A
    passage has its title the first time that one of its sentences is taken.
    """
    talk = [[text] for _, text, _ in (*locomo(data).texts.values(), *longmemeval(data).texts.values())]
    passages = [
        (title, text.split(". "))
        for make in (hotpot, musique, two_wiki)
        for title, text, _ in make(data).texts.values()
    ]
    titled: set[str | None] = set()
    seen: set[str] = set()
    while len(seen) < count:
        title, sentences = None, chance.choice(talk)
        if chance.random() < 0.5:
            title, sentences = chance.choice(passages)
        start = chance.randrange(len(sentences))
        words = ". ".join(sentences[start : start + chance.randint(1, 4)]).split()
        # A few words fewer, so that texts that are taken again differ.
        text = " ".join(words[chance.randint(0, len(words) // 4) :])[:2_000]
        if text in seen or len(text) < 20:
            text = f"{text} #{len(seen)}"
        seen.add(text)
        yield (None if title in titled else title), text
        titled.add(title)


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode() + b"\n"


if __name__ == "__main__":
    main()
