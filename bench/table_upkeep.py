"""The parts of docs/reference/benchmarks.md on labelled links and on half a year of upkeep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Figures = dict[str, Any]

_RECALL = {"own": "questions on the notes", "locomo": "LoCoMo", "longmemeval": "LongMemEval"}


def links(found: Figures) -> list[str]:
    """Precision and recall of insight and of other ways at equal numbers, and what each part of the gauge does."""
    lines = [
        "\n## Links that a person would make (`python -m bench.links`)\n",
        "Notes with links that were marked before any engine was run (`bench/links_data`). The other ways get as many "
        "links as insight made, their best; Adamic–Adar is over shared terms, `BM25, shares` is divided by what the notes "
        "score for themselves. In `batch` all notes are judged when the last is saved, in `stream` after every few.\n",
        "| part | | run | | links | precision | recall | tempting pairs linked |\n|---|---|---|---|---|---|---|---|",
    ]
    for part, database, row in _measured(found):
        for run in ("batch", "stream", "batch, en", "batch, ja"):
            lines += [
                f"| {part} | {database} | {run} | {way} | {each['links']} | {each['precision']} | {each['recall']} "
                f"| {each.get('tempting', '')} |"
                for way, each in row[run].items()
            ]
    lines.append(
        "\n| part | | without | links | precision | recall | pairs that differ |\n|---|---|---|---|---|---|---|"
    )
    for part, database, row in _measured(found):
        lines += [
            f"| {part} | {database} | {name} | {each['links']} | {each['precision']} | {each['recall']} "
            f"| {each['pairs that differ']} |"
            for name, each in row["ablations"].items()
        ]
    return lines


def upkeep(found: Figures) -> list[str]:
    """What went in half a year and what stayed, what later calls are told, and what is recalled."""
    lines = [
        "\n## Half a year of upkeep (`python -m bench.upkeep`)\n",
        "Notes with what should become of them (`bench/upkeep_data`) among real ones, saved day by day, upkeep applied "
        "every seventh day. Recall@12 of active contexts after the same half year without upkeep and with it.\n",
        "| part | | others | | |\n|---|---|---|---|---|",
    ]
    for part, database, row in _measured(found):
        lines += [f"| {part} | {database} | {row['others']:,} | {name} | {value} |" for name, value in _rows(row)]
    return lines


def _rows(row: Figures) -> Iterator[tuple[str, str]]:
    for titles in ("with titles", "without titles"):
        yield f"near-copies {titles}, collapsed", row["copies"][titles]["collapsed"]
        if "collapsed or asked about" in row["copies"][titles]:
            yield (
                f"near-copies {titles}, collapsed or shown in a review",
                row["copies"][titles]["collapsed or asked about"],
            )
        yield f"near-copies {titles}, right survivor of these", row["copies"][titles]["right survivor"]
    yield "near-copies of which neither is left", str(row["copies"]["all"]["both gone"])
    for name, each in row["lost"].items():
        yield f"{name}, gone", each["gone"]
    for name, share in row["carried over"].items():
        yield f"{name} of the one that went is at the stand-in", share
    yield from row["later calls"].items()
    for name, title in _RECALL.items():
        if name in row["recall with"]:
            without, kept_up = (row[f"recall {arm}"][name]["recall@12"] for arm in ("without", "with"))
            yield f"recall@12, {title}: without, with upkeep", f"{without}, {kept_up}"


def _measured(found: Figures) -> Iterator[tuple[str, str, Figures]]:
    for part in ("dev", "final", "later", "fourth"):
        for database in ("sqlite", "postgres"):
            if database in found.get(part, {}):
                yield part, database, found[part][database]
