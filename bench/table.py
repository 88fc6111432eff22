"""Writes docs/reference/benchmarks.md from the results. `python -m bench.table`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.measure import RESULTS

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "benchmarks.md"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The page that the results on disk give."""
    startup, concurrency, graph, retrieval = map(_result, ("startup", "concurrency", "graph", "retrieval"))
    machine = graph["machine"]
    both = ("sqlite", "postgres")
    parts = [
        "<!-- Written by `python -m bench.table`; do not edit. -->\n",
        "# Benchmarks\n",
        f"Measured on {machine['cores']} cores, {machine['system']}, Python {machine['python']}; PostgreSQL on the same "
        "machine with its default durability. `make bench` measures again; the results are in `bench/results/`.\n",
        "## Start (`python -m bench.startup`)\n",
        "| | ms from process start to the answer of `initialize` |\n|---|---|",
        *(f"| {name} | {value} |" for name, value in startup["initialize_ms"].items()),
        f"\n{startup['ratio']} × an empty server of the same SDK, measured in turns; {startup['resident_mb']} MB resident; "
        f"heavy modules imported: {startup['heavy_modules_imported']}.\n",
        f"## {concurrency['processes']} processes × {concurrency['saves_each']} saves (`python -m bench.concurrency`)\n",
        "A ninth process reads all the while.\n",
        "| | lost | errors | saves/s | save p50 / p99 ms | reads | read p50 / p99 / max ms |\n|---|---|---|---|---|---|---|",
        *(_concurrency_row(name, concurrency[name]) for name in both),
        f"\n## A graph of {graph['nodes']:,} nodes and {graph['edges']:,} edges (`python -m bench.graph`)\n",
        "Milliseconds, p50 / p95 / p99. The walks start at a hub with 100 links out and may go three steps; the limit on "
        "links decides how far they come.\n",
        "| | SQLite | PostgreSQL |\n|---|---|---|",
        *(
            f"| {name.removesuffix('_ms').replace('_', ' ')} | "
            + " | ".join(_times(graph[db][name]) for db in both)
            + " |"
            for name in graph["sqlite"]
        ),
    ]
    parts += [
        "\n## Finding (`python -m bench.retrieval`)\n",
        "Full text alone, at 10 hits; LoCoMo in turns, each conversation a namespace, categories 1–4. `any`: at least one "
        "of the texts that answer a question is among the hits.\n",
        "| set | texts | questions | | nDCG | recall | recall (any) | MRR |\n|---|---|---|---|---|---|---|---|",
        *(
            f"| {name} | {row['texts']:,} | {row['questions']:,} | {db} | {row[db]['ndcg']} | {row[db]['recall']} "
            f"| {row[db]['recall_any']} | {row[db]['mrr']} |"
            for name, row in retrieval.items()
            if name != "machine"
            for db in both
        ),
    ]
    return "\n".join(parts) + "\n"


def _concurrency_row(name: str, row: dict[str, Any]) -> str:
    saves, reads = row["save_ms"], row["read_ms"]
    return (
        f"| {name} | {row['lost']} | {row['errors']} | {row['saves_per_s']:,} | {saves['p50']} / {saves['p99']} "
        f"| {row['reads']} | {reads['p50']} / {reads['p99']} / {reads['max']} |"
    )


def _times(value: Any) -> str:
    return f"{value['p50']} / {value['p95']} / {value['p99']}" if isinstance(value, dict) else f"{value:,}"


def _result(name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return result


if __name__ == "__main__":
    main()
