"""How fast search is and how its cost grows: hybrid search, vector search against exact and against a bare FAISS scan.

WHEREFROM_BENCH_DATA=… python -m bench.search [--sizes 1000 10000 100000 1000000] [--databases sqlite postgres]

Texts are short: windows of 8 to 24 words out of SciFact's sentences and LoCoMo's turns; the questions are LoCoMo's
and SciFact's claims. The FAISS figure needs `faiss-cpu`; without it the column is empty.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np

from bench import stores
from bench.measure import keep, percentiles, timed
from wherefrom import Memory

QUESTIONS = 200


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options.add_argument("--databases", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    for size in given.sizes:
        for database in given.databases:
            with getattr(stores, database)() as url:
                figures = measure(url, Path(given.data), size)
            keep("search", {database: {str(size): figures}})


def measure(url: str, data: Path, size: int) -> dict[str, object]:
    numbers = random.Random(3)
    figures: dict[str, object] = {"import_per_s": fill(url, texts(data, size, numbers))}
    asked = questions(data, numbers)
    if "://" not in url:
        for suffix, name in (("", "file_mb"), ("-vectors", "cached_index_mb")):
            path = Path(url + suffix)
            figures[name] = round(path.stat().st_size / 1e6, 1) if path.exists() else 0.0
        if path.exists():
            path.unlink()
        figures["cli_search_without_cache_s"] = one_shot(url, asked[0])
        figures["cli_search_s"] = min(one_shot(url, asked[0]) for _ in range(3))
    with Memory.open(url) as memory:
        start = time.perf_counter()
        memory.search(asked[0])
        figures["first_search_s"] = round(time.perf_counter() - start, 3)
        figures["search_ms"] = percentiles([timed(lambda q=q: memory.search(q), 1)[0] for q in asked])
        near = [timed(lambda q=q: memory.vector_search(q, target="memos", min_similarity=0), 1)[0] for q in asked]
        figures["vector_search_ms"] = percentiles(near)
        figures["links_per_s"] = link(memory, size)
        memory.activate(asked[0])
        figures["activate_ms"] = percentiles([timed(lambda q=q: memory.activate(q), 1)[0] for q in asked])
        without = [timed(lambda q=q: memory.activate(q, graph=False), 1)[0] for q in asked]
        figures["activate_without_graph_ms"] = percentiles(without)
        figures["save_ms"] = percentiles(timed(lambda: memory.save(f"a new memo {numbers.random()} about this"), 200))
        figures["vector_search_recall_at_10"], figures["faiss_sq8_ms"] = against_exact(memory, url, asked)
    figures["peak_memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return figures


def texts(data: Path, size: int, numbers: random.Random) -> Iterator[str]:
    words = [turn.split() for turn in _turns(data)] + [
        sentence.split()
        for line in (data / "scifact/corpus.jsonl").open(encoding="utf-8")
        for sentence in json.loads(line)["abstract"]
    ]
    for number in range(size):
        first, second = numbers.choice(words), numbers.choice(words)
        length = numbers.randint(8, 24)
        yield " ".join((first + second)[:length]) + f" #{number}"


def questions(data: Path, numbers: random.Random) -> list[str]:
    asked = [row["question"] for conversation in _locomo(data) for row in conversation["qa"]]
    claims = [json.loads(line)["claim"] for line in (data / "scifact/claims_dev.jsonl").open(encoding="utf-8")]
    return numbers.sample(asked, QUESTIONS // 2) + numbers.sample(claims, QUESTIONS // 2)


def fill(url: str, contents: Iterator[str]) -> int:
    """Import the texts, vectors and indexes included; returns how many a second."""
    with Memory.open(url) as memory, tempfile.TemporaryFile() as file:
        sample = memory.save("the row that all others are made from")
        memory.export(stream := io.StringIO())
        header, row = stream.getvalue().splitlines()
        memory.delete(sample.node.id)
        template = json.loads(row)
        file.write(header.encode() + b"\n")
        count = 0
        for count, text in enumerate(contents, start=1):
            node = {"id": f"n{count}", "content": text, "content_hash": sha256(text.encode()).hexdigest()}
            file.write(json.dumps({**template, **node}).encode() + b"\n")
        start = time.perf_counter()
        memory.import_(file)
        return round(count / (time.perf_counter() - start))


def link(memory: Memory, size: int) -> int:
    """Links from each text to the one before, as between the turns of a conversation; returns how many a second."""
    with tempfile.TemporaryFile() as file:
        ends = ["n1", "n2"]
        memory.relate(ends[1], ends[0], tag="follows", weight=1.0)
        memory.export(stream := io.StringIO())
        lines = stream.getvalue().splitlines()
        template = json.loads(next(line for line in reversed(lines) if '"type":"edge"' in line))
        file.write(lines[0].encode() + b"\n")
        for number in range(2, size):
            edge = {"source_id": f"n{number + 1}", "target_id": f"n{number}"}
            file.write(json.dumps({**template, **edge}).encode() + b"\n")
        start = time.perf_counter()
        memory.import_(file)
        return round(size / (time.perf_counter() - start))


def one_shot(url: str, question: str) -> float:
    """Seconds from starting the command to its answer."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "wherefrom", "search", question, "--db", url, "--json"]
    subprocess.run(command, check=True, capture_output=True)
    return round(time.perf_counter() - start, 3)


def against_exact(memory: Memory, url: str, asked: list[str]) -> tuple[float, float | None]:
    """The share of the true ten nearest that vector_search finds, and the median of a bare FAISS SQ8 scan."""
    ids, vectors = _vectors(url)
    directions = memory.view.store.embedder.embed(asked)
    found = 0
    for question, direction in zip(asked, directions, strict=True):
        similarities = vectors @ direction
        true = set(ids[np.argpartition(-similarities, 10)[:10]])
        hits = memory.vector_search(question, target="memos", min_similarity=0).results
        found += len(true & {hit.id for hit in hits})
    return round(found / len(asked) / 10, 4), _faiss(vectors, directions)


def _faiss(vectors: np.ndarray, directions: np.ndarray) -> float | None:
    try:
        import faiss
    except ImportError:
        return None
    index = faiss.IndexScalarQuantizer(vectors.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors[:100_000])
    index.add(vectors)
    return percentiles([timed(lambda d=d: index.search(d[None], 10), 1)[0] for d in directions])["p50"]


def _vectors(url: str) -> tuple[np.ndarray, np.ndarray]:
    sql = "select n.id, {} from nodes n join embeddings e on e.node_seq = n.seq"
    if "://" in url:
        import psycopg

        with psycopg.connect(url) as connection:
            rows = connection.execute(sql.format("vector_send(e.vector)")).fetchall()
        wire = np.frombuffer(b"".join(row[1] for row in rows), dtype=">f4").reshape(len(rows), -1)
        return np.array([row[0] for row in rows]), wire[:, 1:].astype(np.float32)
    import apsw

    rows = apsw.Connection(url).execute(sql.format("e.vector")).fetchall()
    matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(len(rows), -1)
    return np.array([row[0] for row in rows]), matrix


def _locomo(data: Path) -> list[dict]:
    return json.loads((data / "locomo/locomo10.json").read_text(encoding="utf-8"))


def _turns(data: Path) -> list[str]:
    return [
        f"{turn['speaker']}: {turn['text']}"
        for conversation in _locomo(data)
        for turns in conversation["conversation"].values()
        if isinstance(turns, list)
        for turn in turns
    ]


if __name__ == "__main__":
    main()
