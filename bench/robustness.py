"""Hostile text and JSON through the Python API: each is stored and read back exactly, or refused with a code.

RECOLLECT_BENCH_DATA=… python -m bench.robustness
"""

from __future__ import annotations

import argparse
import io
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import stores
from bench.measure import keep
from recollect import Memory, Node, RecollectError, Saved


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("RECOLLECT_BENCH_DATA"))
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or RECOLLECT_BENCH_DATA")
    result: dict[str, object] = {}
    for name, opened in (("sqlite", stores.sqlite()), ("postgres", stores.postgres())):
        with opened as url, Memory.open(url) as memory:
            result[name] = {
                "naughty_strings": naughty_strings(memory, Path(given.data)),
                "json_test_suite": json_files(memory, Path(given.data)),
                "doctor": memory.doctor().ok,
            }
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


def attempt(work: Callable[[], Any], expected: object) -> str:
    """What came of it: `exact`, the code of a refusal, or a fault of ours."""
    try:
        got = work()
    except RecollectError as error:
        return error.code
    except Exception as error:
        return f"FAULT {type(error).__name__}"
    return "exact" if got == expected else "FAULT different"


if __name__ == "__main__":
    main()
