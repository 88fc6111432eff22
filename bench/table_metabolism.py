"""The parts of docs/reference/benchmarks.md about metabolism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KINDS = {
    "near": "near-copies",
    "unlinked": "near-copies that were never linked",
    "paraphrase": "paraphrases",
    "number": "copies with another number",
    "name": "copies with another name",
    "negation": "copies with a negation more or less",
    "date": "copies with another date",
    "duration": "copies with another unit of time",
    "opposite": "copies with the opposite of a word",
    "singular": "singular facts",
    "real": "real memos",
}
BARS = {"near": "≥ 95 %", "number": "0", "name": "0", "negation": "0", "date": "0", "singular": "0", "real": "0"}
STORES = {"clean": "without plants", "planted": "with plants", "after": "after metabolism"}


def keeps(found: Mapping[str, Any]) -> list[str]:
    """What metabolism lets go of, and what it keeps."""
    rows = {name: row for name, row in found.items() if isinstance(row, dict) and "shares" in row}
    head = "| planted | bar | " + " | ".join(f"{name}, removed" for name in rows) + " |\n|---|---|" + "---|" * len(rows)
    lines = [
        f"| {label} | {BARS.get(kind, '')} | " + " | ".join(_removed(row, kind) for row in rows.values()) + " |"
        for kind, label in KINDS.items()
    ]
    return [
        "\n## Metabolism: what goes and what stays (`python -m bench.metabolism_keeps`)\n",
        "Real memos with a relation of full weight, and planted ones with a relation of 0.05 to a memo that they were not "
        "made of. Near-copies are 30 % of the store: up to 5 % of the words (at least one) dropped, doubled, swapped, "
        "mistyped, replaced by a synonym or written with another sign; the number, date, negation and name of a memo are "
        "not touched, by rules of the benchmark's own. Paraphrases have their clauses in another order and other words "
        "for up to 30 %. Singular facts are less similar than 0.75 to everything else.\n",
        head,
        *lines,
        *(_of_near(name, row) for name, row in rows.items()),
        "\nActive contexts of twelve for the questions of the sets, gold being the real memos (bar: not lower after than "
        "with plants):\n",
        "| set | questions | store | recall (any) | recall | nDCG |\n|---|---|---|---|---|---|",
        *(
            f"| {name} | {row['questions']:,} | {label} | {figures['recall_any']} | {figures['recall']} | {figures['ndcg']} |"
            for name, row in rows.items()
            for store, label in STORES.items()
            for figures in [row["contexts"][store]]
        ),
        "\nThe share that would go, by benefit (0.1 is the default). `plain`: by similarity alone, without the rule that no "
        "number, date, negation or name may differ; there is no setting for that, the benchmark takes the rule out. "
        "`changed facts`: number, name, negation and date together.\n",
        *(line for name, row in rows.items() if "curves" in row for line in _curves(name, row["curves"])),
        "![What metabolism lets go of, by benefit](metabolism-keeps.svg)",
    ]


def scale(found: Mapping[str, Any]) -> list[str]:
    """How long a plan takes in a large store, and how long a batch of it holds others up."""
    of_each = [(database, row) for database in ("sqlite", "postgres") for row in found.get(database, ())]
    plans = [
        f"| {database} | {row['nodes']:,} | {row['edges']:,} | {row['weak_percent']} % | {row['candidates']:,} "
        f"| {row['removed']:,} | {row['pruned']:,} | {row['plan_seconds']} | {row['peak_memory_mb']:,} |"
        for database, row in of_each
    ]
    runs = [
        f"| {database} | {row['weak_percent']} % | {row['nodes_removed']:,} | {row['links_removed']:,} "
        f"| {row['run_seconds']} | {row['batches']} | {row['longest_batch_ms']} | {row['other_writes']['p50']} "
        f"| {row['longest_other_write_ms']} |"
        for database, row in of_each
        if "run_seconds" in row
    ]
    restores = [
        f"| {database} | {row['weak_percent']} % | {row['nodes_restored']:,} | {row['links_restored']:,} "
        f"| {row['restore_seconds']} | {row['restore_by_run']} | {row['restore_batches']} "
        f"| {row['restore_longest_batch_ms']} | {row['restore_other_writes']['p50']} "
        f"| {row['restore_other_writes']['max']} |"
        for database, row in of_each
        if "restore_seconds" in row
    ]
    head = (
        "\nAll of the run restored, beside the same writer. Bar: at most twice the time of the run.\n",
        "| restored | weak | nodes | relations | restore s | times the run | batches | longest batch ms "
        "| other saves p50 ms | longest ms |\n|---|---|---|---|---|---|---|---|---|---|",
    )
    return [
        "\n## Metabolism by size (`python -m bench.metabolism_scale`)\n",
        "Bars: with 1 % weak nodes a plan within 10 s and 1 GB; applied in batches of which none holds others up for more "
        "than 200 ms. Applied beside another process that saves a memo every 20 ms; the run includes its plan.\n",
        "| | nodes | edges | weak | judged | may go | relations to prune | plan s | peak memory MB |\n"
        "|---|---|---|---|---|---|---|---|---|",
        *plans,
        "",
        "| applied | weak | nodes | relations | run s | batches | longest batch ms | other saves p50 ms | longest ms |\n"
        "|---|---|---|---|---|---|---|---|---|",
        *runs,
        *(head if restores else ()),
        *restores,
        *_taken_over(found),
    ]


def kills(found: Mapping[str, Any]) -> list[str]:
    """What is left when the process is killed."""
    rows = [
        f"| {database} | {row['kills']} | {row['fell'].get('before the first batch', 0)} | {_handing_over(row)} | "
        + " | ".join(str(row["broken"][name]) for name in ("lost", "dangling", "not_completed", "not_restored"))
        + " |"
        for database in ("sqlite", "postgres")
        if (row := found.get(database))
    ]
    return [
        "\n## Metabolism, killed (`python -m bench.metabolism_kills`)\n",
        "A process that applies a plan is killed at a random moment; a second run completes it. Half of the kills hit a "
        "transaction that has written names, sources, utility or relations of nodes that go to their stand-ins and is not "
        "committed. Counted: kills after which "
        "a node was neither live nor restorable, a relation dangled, the end was not that of a run that was left alone, or "
        "the store could not be brought back exactly.\n",
        "| | kills | while planning | while handing over | lost | dangling | not completed | not restored |\n"
        "|---|---|---|---|---|---|---|---|",
        *rows,
    ]


def _handing_over(row: Mapping[str, Any]) -> str:
    """How many kills hit a hand-over, and what these had written by then."""
    if not row.get("in_removals"):
        return "–"
    written = ", ".join(f"{count:,} {name}" for name, count in row["written_by_then"].items())
    return f"{row['in_removals']} ({written})"


def _taken_over(found: Mapping[str, Any]) -> list[str]:
    """How long it takes to bring back nodes whose relations were all taken over by others."""
    rows = [
        f"| {database} | {row['nodes_removed']:,} | {row['links_restored']:,} | {row['run_s']} | {row['restore_s']} "
        f"| {', '.join(map(str, row['restore_by_run']))} | {row['run_processor_s']} | {row['restore_processor_s']} "
        f"| {'yes' if row['exact'] else 'no'} |"
        for database in ("sqlite", "postgres")
        if (row := found.get("taken over", {}).get(database))
    ]
    head = (
        "\nCopies with thick relations go for memos that take all of them over, and the run is restored "
        "(`--taken-over 40000`). Processor seconds are those of the client. Bar: at most twice the time of the run.\n",
        "| | nodes | relations | run s | restore s | times the run | run, processor s | restore, processor s | exact |\n"
        "|---|---|---|---|---|---|---|---|---|",
    )
    return [*head, *rows] if rows else []


def _removed(row: Mapping[str, Any], kind: str) -> str:
    count, removed = row["counts"].get(kind, 0), row["removed"].get(kind, 0)
    return f"{removed:,} of {count:,} ({removed / count:.1%})" if count else "–"


def _of_near(name: str, row: Mapping[str, Any]) -> str:
    long, kept = row["near_from_20_words"], row["near_kept"]
    return (
        f"\n{name}: {row['store']:,} memos. Of the {long['count']:,} near-copies of texts of 20 words and more, in which one "
        f"word is at most 5 %, {long['share']:.1%} went. Near-copies that stayed: {kept['far_from_the_original']} are less "
        f"similar than 0.9 to what they were made of, {kept['other']} stayed for another reason. Highest similarity of a "
        f"singular fact to anything: {row['singular_highest_similarity']}."
    )


def _curves(name: str, curves: Mapping[str, Any]) -> list[str]:
    benefits = list(curves["rule"])
    drawn = {
        "near": "near-copies",
        "paraphrase": "paraphrases",
        "changed": "changed facts",
        "singular": "singular facts",
    }
    lines = [
        f"| {label}{', plain' if how == 'plain' else ''} | "
        + " | ".join(f"{curves[how][benefit][kind]:.1%}" for benefit in benefits)
        + " |"
        for kind, label in drawn.items()
        for how in ("rule", "plain")
    ]
    return [f"| {name}, benefit | " + " | ".join(benefits) + " |\n|---|" + "---|" * len(benefits), *lines, ""]
