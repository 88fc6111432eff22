"""The part of docs/reference/benchmarks.md on facts that change."""

from __future__ import annotations

from typing import Any

_NOW = (
    ("not below its place in the yardstick", "as high as in the yardstick"),
    ("first where it is in the yardstick", "first, of those first there"),
    ("newer above older", "newer above older"),
    ("an old one is above it", "an old one above it"),
)
_THEN = "then, first where it is in the store of that day"


def changes(found: dict[str, Any]) -> list[str]:
    """Of each style and verb: where the current statement stands; what is named, hinted at and marked."""
    lines = [
        "\n## Facts that change (`python -m bench.changes`)\n",
        f"Facts with an old and a new statement (`bench/changes_data`), each saved among {found['others']:,} other memos by "
        "agents that only save, follow the hints in the answers to their saves where those are right, name what is "
        "replaced, or name a slot. The yardstick is a store without the old statements; for an earlier day, the store of "
        "that day.\n",
    ]
    for name, measured in _measured(found):
        styles = [style for style in ("saved", "hints", "supersedes", "slot") if style in measured]
        lines += [
            f"\n{name}:\n",
            f"| | | {' | '.join(title for _, title in _NOW)} | as of then, first |\n|---|---|"
            + "---|" * (len(_NOW) + 1),
        ]
        for style in styles:
            figures = measured[style]["all"]
            lines += [
                f"| {style} | {verb} | "
                + " | ".join(figures.get(f"{verb}: {measure}", "") for measure in (*(key for key, _ in _NOW), _THEN))
                + " |"
                for verb in ("search", "activate")
            ]
        lines += _by_wording(measured, styles) + _touched(measured)
    return lines


def knowledge_updates(found: dict[str, Any]) -> list[str]:
    """Of each style: where the newest evidence stands."""
    names = ("newest above older", "newest first", "first where it is in the yardstick")
    return [
        "\n## Knowledge that was updated (`python -m bench.knowledge_updates`)\n",
        f"{found['questions']} questions of LongMemEval on knowledge updates, among {found['turns']:,} evidence turns.\n",
        "| | | | " + " | ".join(names) + " |\n|---|---|---|" + "---|" * len(names),
        *(
            f"| {database} | {style} | {verb} | "
            + " | ".join(figures.get(f"{verb}: {name}", "") for name in names)
            + " |"
            for database in ("sqlite", "postgres")
            for style, figures in found.get(database, {}).items()
            for verb in ("search", "activate")
        ),
    ]


def save_near(found: dict[str, Any]) -> list[str]:
    """What looking for near statements adds to a save."""
    return [
        "\n## Looking for near statements while saving (`python -m bench.save_near`)\n",
        f"Saves into {found['memos']:,} memos, in turns with and without the look; milliseconds p50 / p95.\n",
        "| | with | without | ratio of the p50 |\n|---|---|---|---|",
        *(
            f"| {database} | {_two(found[database]['with_ms'])} | {_two(found[database]['without_ms'])} "
            f"| {found[database]['p50_ratio']} |"
            for database in ("sqlite", "postgres")
            if database in found
        ),
    ]


def _by_wording(measured: dict[str, Any], styles: list[str]) -> list[str]:
    """By language and wording: newer above older, and whether the old statement is named as near."""
    groups = [group for group in measured[styles[0]] if group.startswith("language ") and group.count(" ") == 2]
    shown = [style for style in styles if style in ("saved", "hints")]
    near = ("near: the old one is among three", "near: said to be an update") if "hints" in styles else ()
    titles = [f"{style}, {verb}: newer above older" for style in shown for verb in ("search", "activate")]
    return [
        "",
        "| | " + " | ".join([*titles, *near]) + " |\n|---|" + "---|" * (len(titles) + len(near)),
        *(
            f"| {group.removeprefix('language ')} | "
            + " | ".join(
                [
                    *(
                        measured[style][group].get(f"{verb}: newer above older", "")
                        for style in shown
                        for verb in ("search", "activate")
                    ),
                    *(measured["hints"][group].get(name, "") for name in near),
                ]
            )
            + " |"
            for group in groups
        ),
    ]


def _touched(measured: dict[str, Any]) -> list[str]:
    """What should stay as it is: lookalikes, other statements, notes that never change, conversations."""
    rows = [
        *((f"lookalikes, {name}", share) for name, share in measured["lookalikes"]["all"].items()),
        *(
            (f"{name} (of those who only save)", share)
            for name, share in measured["saved"]["all"].items()
            if "others marked" in name or "current one marked" in name
        ),
        *((f"unchanged, {name}", share) for name, share in measured["unchanged"]["all"].items()),
        *((f"LoCoMo, {name}", share) for name, share in measured.get("conversations", {}).get("all", {}).items()),
    ]
    return ["", "| what should stay as it is | |\n|---|---|", *(f"| {name} | {share} |" for name, share in rows)]


def _measured(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, value) for name, value in found.items() if isinstance(value, dict) and "saved" in value]


def _two(times: dict[str, float]) -> str:
    return f"{times['p50']} / {times['p95']}"
