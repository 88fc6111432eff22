"""Writes docs/reference/benchmarks.md from the results. `python -m bench.table`"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bench import table_changes, table_insight, table_metabolism, table_recall, table_upkeep
from bench.measure import EARLIER, RESULTS, commit
from bench.plot import growth

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "benchmarks.md"
PICTURE = PAGE.parent / "search-growth.svg"
# Headings that say which benchmark made the figures below them.
_HEADING = re.compile(r"^(##.*`python -m bench\.(\w+)`\))$", re.MULTILINE)
_RESULT_OF = {"calibrate": "calibration", "service": "service_sqlite"}
_AT = re.compile(r"The program is at commit `([^`]+)`")


def main() -> None:
    PAGE.write_text(page(commit()), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")


def picture() -> str:
    """How the cost of search grows, on SQLite."""
    rows = _result("search")["sqlite"]
    sizes = sorted(map(int, rows))
    by_size = [rows[str(size)] for size in sizes]
    lines = {
        "hybrid search": [row["search_ms"]["p50"] for row in by_size],
        "activate": [row["activate_ms"]["p50"] if "activate_ms" in row else None for row in by_size],
        "vector_search": [row["vector_search_ms"]["p50"] for row in by_size],
        "bare FAISS SQ8 scan": [_scan_ms(row) for row in by_size],
        "save with its vector": [row["save_ms"]["p50"] for row in by_size],
    }
    return growth(sizes, lines)


def written_at() -> str:
    """The commit of the program that the page on disk was written at."""
    found = _AT.search(PAGE.read_text(encoding="utf-8"))
    return found[1] if found else ""


def page(current: str) -> str:
    """The page that the results on disk give; figures of another commit than the current one are marked."""
    startup, concurrency, graph, retrieval = map(_result, ("startup", "concurrency", "graph", "retrieval"))
    machine = graph["machine"]
    both = ("sqlite", "postgres")
    parts = [
        "<!-- Written by `python -m bench.table`; do not edit. -->\n",
        "# Benchmarks\n",
        f"Measured on {machine['cores']} cores, {machine['system']}, Python {machine['python']}; PostgreSQL on the same "
        "machine with its default durability. `make bench` measures again; the results are in `bench/results/`.\n",
        f"The program is at commit `{current}`. Figures that were measured at another commit say so below their heading.\n",
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
        "With the packaged embedder, at 10 hits: both arms, words alone (BM25), meaning alone (vectors). LoCoMo in turns, "
        "each conversation a namespace, categories 1–4. `any`: at least one of the texts that answer a question is among "
        "the hits.\n",
        "| set | texts | questions | | | nDCG | recall | recall (any) | MRR |\n|---|---|---|---|---|---|---|---|---|",
        *(
            f"| {name} | {row['texts']:,} | {row['questions']:,} | {db} | {arms} | {figures['ndcg']} | {figures['recall']} "
            f"| {figures['recall_any']} | {figures['mrr']} |"
            for name, row in retrieval.items()
            if name not in ("machine", "commits")
            for db in both
            for arms, figures in row[db].items()
        ),
        "\n### The weight of the vectors (`python -m bench.calibrate`)\n",
        "nDCG@10 on training questions by α, the weight of meaning beside words; 0 is words alone, 1 meaning alone.\n",
        *_calibration(),
        *table_recall.recalling(_result("recall")),
        *_beside(),
        "\n## Search by size (`python -m bench.search`)\n",
        "Short texts, questions of LoCoMo and SciFact; milliseconds p50 / p95. Hybrid search includes embedding the "
        "question; activate follows the graph (each text links to the one before) and stores its context. Recall is of the true ten nearest, as vector_search finds them. FAISS is a bare scan of SQ8 codes by one thread, "
        "asked in turn with the verbs; × is how many times its median search, activate and vector_search take. Memory "
        "is what is resident of a process that has answered 600 calls and does nothing else. The last column is `wherefrom search` from the shell, start of Python included.\n",
        "| memos | | import /s | hybrid | activate | vector_search | recall@10 | FAISS SQ8 | × | save | cached index MB | memory MB | CLI s |"
        "\n|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *_sizes(),
        "\n![Cost of search by size](search-growth.svg)",
        *_answers(),
        *_page_in_browser(),
        *_writing(),
        *_serving(),
        *_explore(),
        *_evidence(),
        *table_changes.changes(_result("changes")),
        *table_insight.links(_result("insight_links")),
        *table_insight.hops(_result("insight_hops")),
        *table_insight.stream(_result("insight_stream")),
        *table_insight.paths(_result("paths")),
        *table_metabolism.keeps(_result("metabolism_keeps")),
        *table_metabolism.scale(_result("metabolism_scale")),
        *table_metabolism.kills(_result("metabolism_kills")),
        *table_upkeep.links(_result("links")),
        *table_upkeep.upkeep(_result("upkeep")),
    ]
    return _HEADING.sub(lambda heading: heading[1] + _mark(heading[2], current), "\n".join(parts)) + "\n"


def _mark(benchmark: str, current: str) -> str:
    """A sentence that says which figures below a heading are not of the current commit, if any."""
    commits = _result(_RESULT_OF.get(benchmark, benchmark)).get("commits", {"all": EARLIER})
    # What is called `before` is meant to be of another commit.
    commits = {part: at for part, at in commits.items() if not part.startswith("before ")}
    others = {part: at for part, at in commits.items() if at != current}
    if not others:
        return ""
    if len(set(commits.values())) == 1:
        return f"\n\n**Measured at another commit: {next(iter(others.values()))}.**"
    return f"\n\n**Measured at other commits: {', '.join(f'{part} at {at}' for part, at in others.items())}.**"


def _page_in_browser() -> list[str]:
    """How soon the page is there, in Chromium without a graphics card."""
    found = _result("page_graph")
    graph, ask = found["graph"], found["ask"]
    named = {
        "painted_after_arrival_s": "painted, seconds after the data's arrival",
        "hover_answered_after_arrival_s": "a hover is answered, seconds after the data's arrival",
        "click_answered_after_arrival_s": "a click is answered, seconds after the data's arrival",
        "arranged_after_arrival_s": "the layout has ended, seconds after the data's arrival",
        "panning_frames_per_s": "frames a second while panning",
        "longest_task_s": "longest task of the page, seconds",
        "heap_mb": "memory of the page's script, MB",
        "machine_load": "load of the machine (2 cores)",
    }
    runs = range(1, len(graph["runs"]) + 1)
    return [
        "\n## The page (`python -m bench.page_graph`)\n",
        f"Chromium, software rendering. A graph of {graph['nodes']:,} nodes and {graph['edges']:,} relations:\n",
        f"| | {' | '.join(f'run {run}' for run in runs)} |\n|---|{'---|' * len(runs)}",
        *(f"| {words} | {' | '.join(str(run[name]) for run in graph['runs'])} |" for name, words in named.items()),
        f"\nAsk on {ask['nodes']:,} memos: first paint after "
        f"{', '.join(str(run['first_paint_s']) for run in ask['runs'])} s, first card after "
        f"{', '.join(str(run['first_card_s']) for run in ask['runs'])} s.",
    ]


def _answers() -> list[str]:
    """What the tools and their answers cost a model."""
    found = _result("answers")
    listed = ", ".join(f"{name} {number:,}" for name, number in found["tokens_listed"].items())
    return [
        "\n## What a model pays (`python -m bench.answers`)\n",
        f"The list of tools with the instructions, in tokens (bytes / 4): {listed}. Mean bytes of answers on {found['memos']:,} "
        f"turns of conversations (LoCoMo), {found['questions']} questions; `twice full` is the full answer as text and as "
        'structured copy, which clients are sent with `--schemas` and `detail="full"`.\n',
        "| | lean | full | twice full | text in it | items | most beside the text of an item |\n|---|---|---|---|---|---|---|",
        *(
            f"| {tool} | {row['lean']:,} | {row['full']:,} | {row['twice_full']:,} | {row.get('text', '')} | {row.get('items', '')} "
            f"| {row.get('max_frame_an_item', '')} |"
            for tool, row in found["bytes"].items()
        ),
    ]


def _writing() -> list[str]:
    """Imports, owners who do not wait for each other, and what an owner costs."""
    imports, locks, owners = map(_result, ("import_speed", "owner_locks", "owners"))
    both = ("sqlite", "postgres")
    return [
        "\n## Importing (`python -m bench.import_speed`)\n",
        f"{imports['texts']:,} short texts until rows, words and vectors are stored and found by an exact scan, and until the "
        "index of vectors is built as well; then single saves, each with an entity, milliseconds p50 / p95 / p99.\n",
        "| | texts/s | with the index of vectors | save |\n|---|---|---|---|",
        *(
            f"| {db} | {imports[db]['import_per_s']:,} | {imports[db].get('with_index_per_s', 0):,} "
            f"| {_times(imports[db]['save_ms'])} |"
            for db in both
        ),
        *_saving(),
        "\n## Owners beside each other (`python -m bench.owner_locks`)\n",
        f"Saves of seven owners on PostgreSQL, alone and while an eighth imports {locks['memos_imported']:,} memos, milliseconds "
        f"p50 / p95 / p99. The ratio of the p95 is {locks['p95_ratio']}.\n",
        "| | saves | |\n|---|---|---|",
        *(f"| {when} | {locks[f'{when}_saves']:,} | {_times(locks[f'{when}_ms'])} |" for when in ("alone", "beside")),
        "\n## Many owners (`python -m bench.owners`)\n",
        f"{owners['owners']:,} owners in one process, each saves, searches and activates through a view of one store.\n",
        "| | a view, ms p50 / p95 / p99 | KB an owner | threads |\n|---|---|---|---|",
        *(
            f"| {db} | {_times(owners[db]['view_ms'])} | {owners[db]['growth_kb_per_owner']} | {owners[db]['threads']} |"
            for db in both
        ),
    ]


def _saving() -> list[str]:
    """Saves with and without the look for what is near."""
    found = _result("save_near")
    ways = {"without_ms": "without", "with_ms": "with", "mcp_with_ms": "over MCP, with"}
    return [
        "\n## Saves that look for what is near (`python -m bench.save_near`)\n",
        f"Among {found['memos']:,} memos, milliseconds p50 / p95 / p99.\n",
        f"| | {' | '.join(ways.values())} |\n|---|---|---|---|",
        *(
            f"| {db} | {' | '.join(_times(found[db][way]) for way in ways)} |"
            for db in ("sqlite", "postgres")
            if db in found
        ),
    ]


def _serving() -> list[str]:
    """The service under load."""
    rows = []
    for database in ("sqlite", "postgres"):
        if not (RESULTS / f"service_{database}.json").exists():
            continue
        found = _result(f"service_{database}")
        rows += [
            f"| {database} | {way} | {row['per_second']} | {row['ms']['p50']} | {row['ms']['p95']} "
            f"| {sum(row.get('refused', {}).values())} |"
            for way, row in found.items()
            if isinstance(row, dict) and "per_second" in row
        ]
    return [
        "\n## The service (`python -m bench.service`)\n",
        "100,000 memos of 32 owners; of five calls four ask and one saves. `python` is one client of the Python API, `open loop` "
        "calls that arrive at half of its rate, whose waiting counts. The clients run on the same machine. Milliseconds.\n",
        "| | | calls a second | p50 | p95 | refused |\n|---|---|---|---|---|---|",
        *rows,
    ]


def _calibration() -> list[str]:
    rows = {name: row for name, row in _result("calibration").items() if name not in ("machine", "commits")}
    weights = list(next(iter(rows.values())))
    head = "| set | " + " | ".join(weights) + " |\n|---|" + "---|" * len(weights)
    return [head, *(f"| {name} | " + " | ".join(str(row[w]) for w in weights) + " |" for name, row in rows.items())]


def _beside() -> list[str]:
    """The parts on recall that have been measured; they put two commits side by side."""
    parts = {
        "mixed": table_recall.mixed,
        "foreign": table_recall.foreign,
        "long_messages": table_recall.long_messages,
        "rules": table_recall.rules,
        "cost": table_recall.cost,
    }
    return [line for name, part in parts.items() if (RESULTS / f"{name}.json").exists() for line in part(_result(name))]


def _explore() -> list[str]:
    found = _result("explore")
    both = [db for db in ("sqlite", "postgres") if db in found]
    names = list(found[both[0]]["views"])
    first = (
        f"\n## Exploring {found['claims']:,} claims, {found['judgements']:,} judgements, {found['fragments']:,} fragments, "
        f"{found['pages']:,} pages, {found['citations']:,} citations (`python -m bench.explore`)\n"
    )
    head = "| view | " + " | ".join(f"{db}, one task | {db}, all" for db in both) + " |\n|---|" + "---|" * 2 * len(both)
    rows = [
        f"| {name} | "
        + " | ".join(f"{found[db]['views'][name][scope]}" for db in both for scope in ("task_ms", "all_ms"))
        + " |"
        for name in names
    ]
    cost = [
        f"| {db} | {kind} | {found[db]['bare_ms'][kind]['p50']} | {found[db]['query_graph_ms'][kind]['p50']} |"
        for db in both
        for kind in ("same", "new")
    ]
    return [
        first,
        "Milliseconds, the median of three runs, 50 rows shown. The evidence is spread at random over 50 tasks, which is "
        "hard on what is counted by task and page.\n",
        head,
        *rows,
        "\nA statement of 300 bytes over four tables, p50 in ms: as bare SQL by the database's driver, and through "
        "`query_graph`; the same one again, or each a new one.\n",
        "| | | bare | query_graph |\n|---|---|---|---|",
        *cost,
    ]


def _evidence() -> list[str]:
    rows = {name: row for name, row in _result("evidence").items() if isinstance(row, dict) and "counts" in row}
    names = ("claims", "pages", "fragments", "supports", "refutes", "neutral", "contradicted")
    lines = [
        f"| {name} | {db} | "
        + " | ".join(f"{row['counts'][figure]:,}" for figure in names)
        + f" | {row[db]['compared']:,} | {row[db]['different']} | {row[db]['import_s']} |"
        for name, row in rows.items()
        for db in ("sqlite", "postgres")
        if db in row
    ]
    return [
        "\n## Real evidence (`python -m bench.evidence`)\n",
        "Data sets of judged claims, imported as tasks through the API; the figures of the views are compared with figures "
        "counted from the files by a script that knows nothing of Wherefrom. `both`: claims with support and refutation.\n",
        "| set | | claims | pages | fragments | supports | refutes | neutral | both | compared | different | import s |"
        "\n|---|---|---|---|---|---|---|---|---|---|---|---|",
        *lines,
    ]


def _sizes() -> list[str]:
    search = _result("search")
    return [
        f"| {int(size):,} | {db} | {row['import_per_s']:,} | {_two(row['search_ms'])} "
        f"| {_two(row['activate_ms']) if 'activate_ms' in row else ''} | {_two(row['vector_search_ms'])} "
        f"| {row['vector_search_recall_at_10']} | {_scan_ms(row) or ''} | {_ratios(row)} | {_two(row['save_ms'])} "
        f"| {row.get('cached_index_mb', '')} | {row.get('serving_memory_mb', {}).get('resident', '')} "
        f"| {row.get('cli_search_s', '')} |"
        for db in ("sqlite", "postgres")
        for size, row in sorted(search.get(db, {}).items(), key=lambda item: int(item[0]))
    ]


def _scan_ms(row: dict[str, Any]) -> float | None:
    """The median of FAISS; figures from before reads were measured in turns have it alone."""
    found = row.get("faiss_sq8_ms")
    return found["p50"] if isinstance(found, dict) else found


def _ratios(row: dict[str, Any]) -> str:
    ratios = row.get("ratio_to_faiss", {})
    return " / ".join(f"{ratios[verb]:.2f}" for verb in ("search", "activate", "vector_search") if verb in ratios)


def _two(times: dict[str, float]) -> str:
    return f"{times['p50']} / {times['p95']}"


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
