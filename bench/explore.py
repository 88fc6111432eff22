"""The analyses and SQL on a large evidence graph: 100,000 claims, 300,000 judgements, 20,000 pages, 40,000 citations.

python -m bench.explore [--claims 100000] [--databases sqlite postgres]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench import stores
from bench.measure import keep, percentiles, timed
from wherefrom import Memory

TASKS = 50
NOW = "2026-06-01T00:00:00.000000Z"
WORDS = [f"term{number}" for number in range(5_000)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--claims", type=int, default=100_000)
    options.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    options.add_argument("--keep", metavar="FILE", help="on SQLite: use or make this file")
    given = options.parse_args()
    result: dict[str, Any] = {"claims": given.claims, **sizes(given.claims)}
    for name in given.databases:
        with stores.sqlite() if name == "sqlite" else stores.postgres() as url:
            where = given.keep if given.keep and name == "sqlite" else url
            taken = fill(where, given.claims)
            with Memory.open(where, embedder="none") as memory:
                result[name] = {"import_s": round(taken, 1), **measure(memory), **overhead(memory, where)}
    keep("explore", result)


def sizes(claims: int) -> dict[str, int]:
    return {"judgements": claims * 3, "fragments": claims * 2, "pages": claims // 5, "citations": claims * 2 // 5}


def fill(url: str, claims: int) -> float:
    """Import the graph; returns the seconds that it took. A file that has it already is left alone."""
    with Memory.open(url, embedder="none") as memory, tempfile.TemporaryFile() as file:
        if memory.status().counts["claim"] >= claims:
            return 0.0
        for line in lines(claims):
            file.write(json.dumps(line).encode() + b"\n")
        file.seek(0)
        start = time.perf_counter()
        memory.import_(file)
        return time.perf_counter() - start


def lines(claims: int) -> Iterator[dict[str, Any]]:
    """The graph as an export: every claim has three judgements, every page ten fragments and two citations."""
    chance = random.Random(5)
    yield {"type": "wherefrom", "format": 1, "exported_at": NOW, "root_namespace": "main"}
    for task in range(TASKS):
        yield {
            "type": "task", "id": f"task-{task}", "namespace": "main", "query": f"question {task}", "status": "exploring",
            "created_at": NOW, "updated_at": NOW, "boundary_class": "internal", "result_summary": None,
            "error_message": None, "started_at": NOW, "completed_at": None,
        }  # fmt: skip
    known = sizes(claims)
    for page in range(known["pages"]):
        domain = f"site{page % 400}.example"
        yield node(f"p{page}", "page", f"https://{domain}/{page}", domain=domain, year=1980 + chance.randrange(46))
    for fragment in range(known["fragments"]):
        page = fragment % known["pages"]
        yield node(
            f"f{fragment}",
            "fragment",
            text(chance, fragment, 40),
            page_id=f"p{page}",
            position=fragment // known["pages"],
        )
    for claim in range(claims):
        yield node(f"c{claim}", "claim", text(chance, claim, 12), claim_kind="fact", task_id=f"task-{claim % TASKS}")
    for claim in range(claims):
        for fragment in chance.sample(range(known["fragments"]), 3):
            tag = chance.choices(("supports", "refutes", "neutral"), (6, 2, 2))[0]
            yield edge(f"f{fragment}", f"c{claim}", tag, round(chance.uniform(0.5, 1), 3))
        if claim % 10 == 0 and claim + TASKS < claims:
            yield edge(f"c{claim}", f"c{claim + TASKS}", "supports", 0.8)
    made = set()
    while len(made) < known["citations"]:
        pair = chance.randrange(known["pages"]), chance.randrange(known["pages"])
        pairs = [pair, pair[::-1]] if len(made) % 20 == 0 else [pair]
        for one, other in pairs:
            if one != other and (one, other) not in made:
                made.add((one, other))
                yield edge(f"p{one}", f"p{other}", "cites", 1.0)


def text(chance: random.Random, number: int, words: int) -> str:
    return f"{number} " + " ".join(chance.choices(WORDS, k=words))


def node(key: str, kind: str, content: str, **more: Any) -> dict[str, Any]:
    fixed = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), NOW)
    empty = dict.fromkeys(("claim_kind", "scope", "expires_at", "valid_from", "valid_to", "superseded_by", "title"))
    hashed = hashlib.sha256(content.encode()).hexdigest()
    return {
        "type": "node", "id": key, "namespace": "main", "kind": kind, "content": content, "content_hash": hashed,
        "metadata": {}, "provenance": {}, "boundary_class": "internal", "utility": 0.0, "confidence": 0.5, "quality": 0.5,
        "pinned": False, "version": 1, **fixed, **empty, **more,
    }  # fmt: skip


def edge(source: str, target: str, tag: str, confidence: float) -> dict[str, Any]:
    return {
        "type": "edge", "source_id": source, "target_id": target, "tag": tag, "weight": 1.0, "confidence": confidence,
        "reason": None, "source_namespace": "main", "target_namespace": "main", "boundary_class": "internal",
        "observed_at": NOW, "created_at": NOW, "updated_at": NOW, "version": 1,
    }  # fmt: skip


def measure(memory: Memory) -> dict[str, Any]:
    views = {}
    for shape in memory.views():
        views[shape.name] = {
            "task_ms": once(memory, shape.name, "task-7"),
            "all_ms": once(memory, shape.name, None),
        }
    first = "select c.*, e.relation from claims c join edges e on c.id = e.source_id"
    task = "select relation, count(*) from evidence where task_id = 'task-3' group by relation"
    return {
        "views": views,
        "task_query_ms": percentiles(timed(lambda: memory.query_graph(task, max_vm_steps=50_000_000), 20)),
        "first_example_ms": percentiles(timed(lambda: memory.query_graph(first, timeout_ms=2000), 20)),
    }


def once(memory: Memory, name: str, task_id: str | None) -> float | str:
    """The median of three runs, in milliseconds, or the error."""
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        answer = memory.query_view(name, task_id=task_id)
        taken.append((time.perf_counter() - start) * 1000)
        if not answer.ok:
            return f"{answer.error} after {taken[-1]:.0f} ms"
    return round(sorted(taken)[1], 1)


def overhead(memory: Memory, url: str) -> dict[str, Any]:
    """A statement of some 300 bytes through query_graph, and as bare SQL on the tables by the database's own driver."""
    agents = (
        "select c.id, c.claim_text, e.relation, f.text_content, p.url from claims c join edges e on e.target_id = c.id"
        " join fragments f on f.id = e.source_id join pages p on p.id = f.page_id where c.id = 'c{}' limit 10"
    )
    bare = (
        "select c.id, c.content, e.tag, f.content, p.content from nodes c join edges e on e.owner_id = c.owner_id and"
        " e.target_id = c.id join nodes f on f.owner_id = c.owner_id and f.id = e.source_id join nodes p on p.owner_id ="
        " c.owner_id and p.id = f.page_id where c.owner_id = 'local' and c.id = 'c{}' limit 10"
    )
    with driver(url) as run:
        direct = {
            "same": percentiles(timed(lambda: run(bare.format(7)), 300)),
            "new": percentiles(each_new(lambda number: run(bare.format(number)))),
        }
    guarded = {
        "same": percentiles(timed(lambda: memory.query_graph(agents.format(7)), 300)),
        "new": percentiles(each_new(lambda number: memory.query_graph(agents.format(number)))),
    }
    return {"bare_ms": direct, "query_graph_ms": guarded}


def each_new(run: Callable[[int], object]) -> list[float]:
    """Statements of which none was prepared or checked before."""
    taken = []
    for number in range(1_000, 1_300):
        start = time.perf_counter()
        run(number)
        taken.append(time.perf_counter() - start)
    return taken


@contextmanager
def driver(url: str) -> Iterator[Callable[[str], object]]:
    if url.startswith("postgresql"):
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            yield lambda sql: connection.execute(sql).fetchall()
    else:
        import apsw

        connection = apsw.Connection(url, flags=apsw.SQLITE_OPEN_READONLY)
        yield lambda sql: connection.execute(sql).fetchall()
        connection.close()


if __name__ == "__main__":
    main()
