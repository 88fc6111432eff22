"""Hostile text, JSON and SQL through the Python API: stored and read back exactly, answered, or refused with a reason.

WHEREFROM_BENCH_DATA=… python -m bench.robustness
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from bench import detection, parser_fuzz, stores
from bench.measure import keep, percentiles
from wherefrom import Memory, NewClaim, NewEvidence, NewFragment, NewPage, Node, WherefromError
from wherefrom.model.results import Saved

_REFUSAL = re.compile(
    "not allowed|prohibited|read-only|one statement|one SELECT at a time|only SELECT|no such function:"
)
_SELECT = re.compile(r"\s*(?:select|with|values)\b", re.IGNORECASE)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    nested = parser_fuzz.statements(parser_fuzz.words(), pairs=20_000, seed=1)
    result: dict[str, object] = {"sql parser": parser_fuzz.fuzzed(parser_fuzz.read, nested)}
    for name, opened in (("sqlite", stores.sqlite()), ("postgres", stores.postgres())):
        with opened as url, Memory.open(url) as memory:
            result[name] = {
                "naughty_strings": naughty_strings(memory, Path(given.data)),
                "json_test_suite": json_files(memory, Path(given.data)),
                "sql": hostile_sql(memory, Path(given.data)),
                "doctor": memory.doctor().ok,
            }
    result["detection"] = detection.measured(Path(given.data))
    keep("robustness", result)


def naughty_strings(memory: Memory, data: Path) -> dict[str, int]:
    """Each string as content, title, metadata, tag, reason, namespace and id."""
    strings = json.loads(next((data / "naughty_strings").glob("*.json")).read_text(encoding="utf-8"))
    anchor = memory.save("anchor").node.id
    counts: Counter[str] = Counter(strings=len(strings))

    def stored(saved: Saved) -> Node:
        return memory.get(saved.node.id)

    for text in strings:
        counts[attempt(lambda: stored(memory.save(text)).content, text)] += 1
        counts[attempt(lambda: stored(memory.save(f"title {text}", title=text)).title, text)] += 1
        counts[attempt(lambda: stored(memory.save(f"metadata {text}", metadata={"k": text})).metadata["k"], text)] += 1
        counts[attempt(lambda: stored(memory.save(f"key {text}", metadata={text: 1})).metadata, {text: 1})] += 1
        counts[attempt(lambda: memory.relate(anchor, anchor, tag=text, weight=1).edge.tag, text)] += 1
        relate = memory.relate
        counts[attempt(lambda: relate(anchor, anchor, tag="t", weight=1, reason=text).edge.reason, text or None)] += 1
        counts[attempt(lambda: memory.list(namespace=text) and text, text)] += 1
        counts[attempt(lambda: memory.get(text), None)] += 1
        counts[attempt(lambda: memory.list(cursor=text), None)] += 1
    return dict(counts)


def json_files(memory: Memory, data: Path) -> dict[str, int]:
    """Each file as metadata if it parses, and as a file to import."""
    counts: Counter[str] = Counter()
    for file in sorted((data / "json_test_suite").glob("*.json")):
        counts["files"] += 1
        raw = file.read_bytes()
        counts[attempt(lambda: memory.import_(io.BytesIO(raw)), None)] += 1
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            counts["not json for python"] += 1
            continue
        metadata = {"v": value}
        counts[
            attempt(
                lambda: memory.get(memory.save(f"file {file.name}", metadata=metadata).node.id).metadata.get("v"), value
            )
        ] += 1
    return dict(counts)


def hostile_sql(memory: Memory, data: Path) -> dict[str, Any]:
    """Injections as given and inside a text in WHERE, scripts of SQLite's fuzzer and their SELECTs: what came of each."""
    memory.add_evidence(
        NewPage("https://example.org/bridge", title="The bridge", year=2020),
        fragments=[NewFragment("The bridge was opened.")],
        claims=[NewClaim("The bridge is open.", evidence=[NewEvidence("supports", fragment=0)])],
    )
    injections = payloads(data / "sql_attack")
    scripts = fuzz_scripts(data / "sqlite_fuzz")
    selects = [part for script in scripts for part in script.split(";") if _SELECT.match(part)]
    before, answer = exported(memory), memory.query_graph("select count(*) from memos").rows
    result: dict[str, Any] = {
        "injections": asked(memory, injections),
        "injections in a text": asked(
            memory, [f"select id from claims where claim_text = '{each}'" for each in injections]
        ),
        "fuzz scripts": asked(memory, scripts),
        "selects of fuzz scripts": asked(memory, selects),
    }
    result["unchanged"] = exported(memory) == before
    result["answers afterwards"] = memory.query_graph("select count(*) from memos").rows == answer
    return result


def payloads(folder: Path) -> list[str]:
    """The lines of all lists."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != "README.md"]
    return [line for file in files for line in file.read_text(errors="replace").splitlines() if line.strip()]


def fuzz_scripts(folder: Path) -> list[str]:
    """The scripts of the fuzzer's databases."""
    found = []
    for file in sorted(folder.glob("*.db")):
        with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as connection:
            rows = connection.execute("select cast(sqltext as blob) from xsql order by sqlid")
            found += [bytes(text).decode(errors="replace") for (text,) in rows]
    return found


def asked(memory: Memory, statements: list[str]) -> dict[str, Any]:
    """How many were answered, refused, failed, interrupted, or were no text; a fault is an error that is not ours."""
    counts: Counter[str] = Counter(statements=len(statements))
    times_s = []
    for sql in statements:
        begun = time.perf_counter()
        counts[outcome(memory, sql)] += 1
        times_s.append(time.perf_counter() - begun)
    return {**counts, "ms": percentiles(times_s)}


def outcome(memory: Memory, sql: str) -> str:
    """What came of a statement."""
    try:
        result = memory.query_graph(sql)
    except WherefromError as error:
        return error.code
    except Exception as error:
        return f"FAULT {type(error).__name__}"
    if result.ok:
        return "answered"
    if result.error is not None and result.error.startswith("interrupted"):
        return "interrupted"
    return "refused" if _REFUSAL.search(f"{result.error} {result.hint}") else "failed"


def exported(memory: Memory) -> str:
    """All that is in the store."""
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue().partition("\n")[2]


def attempt(work: Callable[[], Any], expected: object) -> str:
    """What came of it: `exact`, the code of a refusal, or a fault of ours."""
    try:
        got = work()
    except WherefromError as error:
        return error.code
    except Exception as error:
        return f"FAULT {type(error).__name__}"
    return "exact" if got == expected else "FAULT different"


if __name__ == "__main__":
    main()
