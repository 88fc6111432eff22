"""The parts of docs/reference/benchmarks.md about insight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TUNED = ("cora", "USAir", "NS", "Yeast", "Celegans")


def links(found: Mapping[str, Any]) -> list[str]:
    """Whether accepted links are the true ones."""
    rows = []
    for name, row in found.items():
        for protocol in ("warm", "cold"):
            if not isinstance(row, dict) or protocol not in row:
                continue
            figures = row[protocol]
            ranked = figures["rankings"]
            cells = [f"{ranked['insight']['precision']}"]
            cells += [str(ranked[base]["precision"]) if base in ranked else "–" for base in ("cosine", "adamic_adar")]
            cells.append(_ratio(figures, "cosine"))
            cells.append(_ratio(figures, "adamic_adar"))
            cells += [
                str(ranked[base]["average_precision"]) if base in ranked else "–"
                for base in ("insight", "cosine", "adamic_adar", "cosine_adamic_adar")
            ]
            parts = figures["parts"]
            cells += [str(parts[part]) for part in ("score", "delta_h", "delta_sp")]
            half = "tuned" if name in TUNED else "shown"
            rows.append(f"| {name} {protocol} | {half} | {figures['accepted']:,} | " + " | ".join(cells) + " |")
    return [
        "\n## Insight: are they true links? (`python -m bench.insight_links`)\n",
        "A fifth of the nodes (at most 300 where there are no texts) are asked about; of their links half (`warm`) or all "
        "(`cold`) are hidden. Precision at the number of links that the gate accepts, for insight, tf-idf cosine and "
        "Adamic–Adar over all pairs; × is insight's precision over the other's at the recall that insight reaches; AP is "
        "the average precision of the whole ranking, for insight by g, and by its parts alone. λ, γ and the thresholds "
        "were chosen on the sets marked `tuned`. The sets without texts have neither words nor vectors: only links "
        "speak, and a decision accepts at most five of them, where Adamic–Adar may choose them all at hubs.\n",
        "| set | half | links | P insight | P cosine | P AA | × cosine | × AA | AP insight | AP cosine | AP AA | AP cosine + AA "
        "| AP score | AP ΔH | AP ΔSP |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *rows,
    ]


def stream(found: Mapping[str, Any]) -> list[str]:
    """Notes that arrive one by one, and the time of a decision."""
    lines = []
    for database in ("sqlite", "postgres"):
        row = found.get(database, {})
        if "stream" in row:
            lines += _arrival(database, row["stream"])
        if "scale" in row:
            scale = row["scale"]
            times = scale["find_insight_ms"]["all"]
            lines.append(
                f"\nAt {scale['nodes']:,} nodes and {scale['relations']:,} relations ({database}), {scale['notes']} new "
                f"notes: a decision takes {times['p50']} / {times['p95']} / {times['p99']} ms (p50 / p95 / p99; bar: "
                f"p50 {scale['bar_p50_ms']:g}); AG fired in {scale['ag_share']:.1%}."
            )
    return ["\n## Insight: a stream of notes (`python -m bench.insight_stream`)\n", *lines]


def _arrival(database: str, row: Mapping[str, Any]) -> list[str]:
    per, times = row["links_per_note"], row["find_insight_ms"]["all"]
    rows = [
        f"| {label} | {figures['recall_any']} | {figures['recall']} | {figures['ndcg']} |"
        for group, names in (
            ("contexts", {"insight": "insight links", "no_links": "no links", "graph_off": "without the graph arm"}),
            ("contexts_with_follows", {"insight": "turn to turn, and insight links", "no_links": "turn to turn"}),
        )
        for name, label in names.items()
        for figures in [row[group][name]]
    ]
    return [
        f"The first {row['turns']:,} turns of LoCoMo, saved one by one with `link=True` ({database}): {per['mean']} links a "
        f"note (median {per['median']:g}, p95 {per['p95']}), {row['without_link_share']:.1%} of the notes without one, AG "
        f"fired in {row['ag_share']:.1%}; a decision takes {times['p50']} / {times['p95']} / {times['p99']} ms. Contexts "
        f"of twelve for the {row['questions']} questions about these turns:\n",
        "| graph | recall (any) | recall | nDCG |\n|---|---|---|---|",
        *rows,
    ]


def _ratio(figures: Mapping[str, Any], base: str) -> str:
    value = figures["times_precision_of"].get(base)
    return "–" if value is None else f"{value:.2f}"


def hops(found: Mapping[str, Any]) -> list[str]:
    """Which links of a pool help the graph arm."""
    lines = []
    for name, row in found.items():
        if not isinstance(row, dict) or "strength" not in row:
            continue
        pool = row["pool"]
        lines.append(
            f"\n{name}: {row['texts']:,} passages, {row['questions']} questions, {pool['links_after_cap']:,} candidate links, "
            f"{pool['mentions_after_cap']:,} of them by a title. Recall@5 by the share of them that is kept:\n"
        )
        for strength, figures in row["strength"].items():
            recall = figures["recall"]
            shares = list(next(iter(recall.values())))
            labels = [share if share == "accepted" else f"{float(share):.0%}" for share in shares]
            lines.append(f"| strength {strength} | " + " | ".join(labels) + " |\n|---|" + "---|" * len(labels))
            lines += [
                f"| {chooser} | " + " | ".join(f"{values[share]:.3f}" for share in shares) + " |"
                for chooser, values in recall.items()
            ]
            lines.append("")
    return [
        "\n## Insight: fewer links, same recall (`python -m bench.insight_hops`)\n",
        "Passages without titles, and a pool of links between them: one names the other's title, they are nearest "
        "neighbours, both name a third one's title. The gate knows which links are by a title, as the product does; the "
        "choosers that take `names` first know it, too, and the others do not. Strength: the weight of kept links that "
        "are not by a title; 0.15 is what the product gives its insight links. `accepted`: as many as the gate accepts. "
        "Differences of less than some .03 are within two standard errors.",
        *lines,
        "![Recall by the share of links kept](insight-hops.svg)",
    ]


def paths(found: Mapping[str, Any]) -> list[str]:
    """The engines of shortest paths."""
    rows, searches = [], []
    for name, row in found.items():
        if not isinstance(row, dict) or "cached_incr" not in row:
            continue
        nodes = f"{int(name.removesuffix('_nodes')):,}"
        cached, incremental = row["cached"]["decision_ms"], row["cached_incr"]["decision_ms"]
        step = row["cached_incr"]["step_ms"]
        rows.append(
            f"| {nodes} | {row['edges']:,} | {row['core']['decision_ms']} | {_three(cached)} | {_three(incremental)} "
            f"| {_three(row['cached_incr']['decision_with_cache_ms'])} | {_three(step)} "
            f"| {row['cached_incr']['difference_to_core']:g} |"
        )
        by_library = row["search_from_64_ms"]
        cells = [
            f"{by_library[library]['whole']['p50']} / {by_library[library]['ready']['p50']}"
            if library in by_library
            else "–"
            for library in ("numpy", "scipy", "rustworkx", "igraph")
        ]
        searches.append(f"| {nodes} | " + " | ".join(cells) + " |")
    return [
        "\n## Shortest paths (`python -m bench.paths`)\n",
        "One decision in ms: pairs fixed, the gains of all candidates, five adopted one after the other; `core` once (in the "
        "largest graph without adopting), the others p50 / p95 / p99. The budget of the whole decision is "
        f"{found['budget_ms']:g} ms. `step`: one adoption and the gains after it.\n",
        "| nodes | edges | core | cached | cached_incr | with what the cache keeps | step | greatest difference to core |"
        "\n|---|---|---|---|---|---|---|---|",
        *rows,
        "\nSteps from 64 nodes to all others, p50 in ms: making the library's graph included / with it ready.\n",
        "| nodes | ours (numpy) | SciPy | rustworkx | igraph |\n|---|---|---|---|---|",
        *searches,
    ]


def _three(times: Mapping[str, Any]) -> str:
    return f"{times['p50']} / {times['p95']} / {times['p99']}"
