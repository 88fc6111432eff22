"""How fast reads are and how their cost grows: search, activate and vector_search beside a bare FAISS scan, and saves.

WHEREFROM_BENCH_DATA=… python -m bench.search [--sizes 1000 10000 100000 1000000] [--databases sqlite postgres]

Texts are short: windows of 8 to 24 words out of SciFact's sentences and LoCoMo's turns; the questions are LoCoMo's
and SciFact's claims. Each question is put to FAISS and to all three verbs in turn, so that what else the machine does
disturbs them alike; `ratio_to_faiss` is that of the medians, by the clock and by the time of the processor. FAISS is a
scan of SQ8 codes of the same vectors by one thread. It needs `faiss-cpu`; without it there are no ratios. The memory of
a process that serves is measured in one of its own (`--serve`), which has neither the texts nor FAISS.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np

from bench import stores
from bench.measure import keep, percentiles, timed
from wherefrom import Memory

QUESTIONS = 200
# So many questions are asked before those that are counted.
WARM_UP = 20


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options.add_argument("--databases", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    options.add_argument("--serve", metavar="URL", help="answer questions of standard input, and print the memory used")
    given = options.parse_args()
    if given.serve is not None:
        print(json.dumps(serve(given.serve, json.load(sys.stdin))))
        return
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
        figures["links_per_s"] = link(memory, size)
        ids, vectors = _vectors(url)
        figures["vector_search_recall_at_10"] = recall_at_10(memory, ids, vectors, asked)
        figures |= in_turns(memory, _faiss(vectors), asked)
        without = [timed(lambda q=q: memory.activate(q, graph=False), 1)[0] for q in asked]
        figures["activate_without_graph_ms"] = percentiles(without)
        figures["save_ms"] = percentiles(timed(lambda: memory.save(f"a new memo {numbers.random()} about this"), 200))
    figures["serving_memory_mb"] = served(url, asked)
    return figures


def in_turns(memory: Memory, scan: Callable[[np.ndarray], object] | None, asked: list[str]) -> dict[str, object]:
    """The milliseconds of each verb and of FAISS, question by question in turn, and how many times FAISS a verb takes."""
    directions = dict(zip(asked, memory.view.store.embedder.embed(asked), strict=True))
    verbs: dict[str, Callable[[str], object]] = {
        "search": memory.search,
        "activate": memory.activate,
        "vector_search": lambda question: memory.vector_search(question, target="memos", min_similarity=0),
    }
    if scan is not None:
        verbs["faiss_sq8"] = lambda question: scan(directions[question][None])
    wall: dict[str, list[float]] = {name: [] for name in verbs}
    processor: dict[str, list[float]] = {name: [] for name in verbs}
    for warm, questions_asked in ((False, asked[:WARM_UP]), (True, asked)):
        for question in questions_asked:
            for name, verb in verbs.items():
                start, start_cpu = time.perf_counter(), time.thread_time()
                verb(question)
                if warm:
                    processor[name].append(time.thread_time() - start_cpu)
                    wall[name].append(time.perf_counter() - start)
    found: dict[str, object] = {f"{name}_ms": percentiles(times) for name, times in wall.items()}
    for key, times in (("ratio_to_faiss", wall), ("processor_ratio_to_faiss", processor)) if scan is not None else ():
        p50 = {name: percentiles(some)["p50"] for name, some in times.items()}
        found[key] = {name: round(p50[name] / p50["faiss_sq8"], 2) for name in p50 if name != "faiss_sq8"}
    return found


def served(url: str, asked: list[str]) -> dict[str, float]:
    """The memory of a process of its own that has answered the questions."""
    command = [sys.executable, "-m", "bench.search", "--serve", url]
    done = subprocess.run(command, input=json.dumps(asked), check=True, capture_output=True, text=True)
    memory: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return memory


def serve(url: str, asked: list[str]) -> dict[str, float]:
    """Answer questions; returns the memory of this process in MB: all that is resident, and of that what is no file."""
    with Memory.open(url) as memory:
        for question in asked:
            memory.search(question)
            memory.activate(question)
            memory.vector_search(question, target="memos", min_similarity=0)
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    kb = {
        name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest.endswith("kB")
    }
    return {
        "resident": round(kb["VmRSS"] / 1024),
        "peak": round(kb["VmHWM"] / 1024),
        "own": round(kb["RssAnon"] / 1024),
    }


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


def recall_at_10(memory: Memory, ids: np.ndarray, vectors: np.ndarray, asked: list[str]) -> float:
    """The share of the true ten nearest that vector_search finds."""
    found = 0
    for question, direction in zip(asked, memory.view.store.embedder.embed(asked), strict=True):
        true = set(ids[np.argpartition(-(vectors @ direction), 10)[:10]])
        hits = memory.vector_search(question, target="memos", min_similarity=0).results
        found += len(true & {hit.id for hit in hits})
    return round(found / len(asked) / 10, 4)


def _faiss(vectors: np.ndarray) -> Callable[[np.ndarray], object] | None:
    """A scan of all vectors as SQ8 codes by one thread, if FAISS is there."""
    try:
        import faiss
    except ImportError:
        return None
    faiss.omp_set_num_threads(1)
    index = faiss.IndexScalarQuantizer(vectors.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors[:100_000])
    index.add(vectors)
    return lambda question: index.search(question, 10)


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
