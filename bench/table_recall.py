"""The parts of docs/reference/benchmarks.md that put two commits side by side: what recall finds, tells and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LABELS = ("before", "after")
DATABASES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
ARMS = {"graph": "", "without": ", without the graph arm"}
_CONTEXTS = {
    "recall_any": "any@12",
    "recall": "R@12",
    "recall_10": "R@10",
    "ndcg": "nDCG@12",
    "dated recall_10": "R@10, questions with a date",
}
_HOPS = {
    "recall_search": "R@5 of search",
    "recall_activate": "R@5 of activate",
    "recall_activate_12": "R@12 of activate",
}
_RULES = {
    "brought": "rules in the answer",
    "with_every_answer": "answers with all twenty",
    "rules_tokens_most": "tokens of the rules, at most",
    "tokens_mean": "tokens of an answer",
}
Figures = Mapping[str, Any]


def recalling(found: Figures) -> list[str]:
    """What active contexts and searches find, in halves where those were measured."""
    return [
        "\n## Recalling (`python -m bench.recall`)\n",
        f"With the packaged embedder. {_commits(found)} Contexts of twelve, the clock at the end of each conversation "
        "(LongMemEval: at the question): how often something relevant is in them (any), which share of it (R), and "
        "nDCG. `split` asks for texts by five of their own words in a row. LoCoMo's and LongMemEval's turns are "
        "saved with their speakers and sessions, where the program takes them; else each is linked to the turn before it. "
        "`-untitled` has no titles, `-entities` has "
        "the titles that stand in each text as its entities. One passage is sought in SciFact, Cranfield and JSQuAD: "
        "nDCG@10 of search. In brackets: even-numbered and odd-numbered conversations or questions.\n",
        "| set | | texts | questions | | before | after |\n|---|---|---|---|---|---|---|",
        *(
            f"| {name}{ARMS[arm]} | {DATABASES[database]} | {row['texts']:,} | {row['questions']:,} | {title} "
            f"| {_halves(before, key)} | {_halves(after, key)} |"
            for part, before, after in _pairs(found)
            for name, database, arm in [part.rsplit(" ", 2)]
            for row in [after or before]
            for key, title in _titles(row).items()
        ),
    ]


def mixed(found: Figures) -> list[str]:
    """Whether the hybrid is as good as its better arm."""
    rows = [
        f"| {name} | {DATABASES[database]} | {row['texts']:,} | {row['questions']:,} | {label} | "
        + " | ".join(_two(row["arms"].get(arm)) for arm in ("hybrid", "words", "meaning"))
        + f" | {row['recall_above_better_arm']:+} | {row['ndcg_above_better_arm']:+} |"
        for part, *labelled in _pairs(found)
        for name, database in [part.rsplit(" ", 1)]
        for label, row in zip(LABELS, labelled, strict=True)
        if row
    ]
    own = {
        name: row
        for label in LABELS
        for name in ("mixed", "beside")
        if (row := found.get(label, {}).get(f"{name} sqlite"))
    }
    about = "".join(
        f" In `{name}` {row['short_sought']:.0%} of the questions seek short texts, and of the first five hits "
        f"{row['long_in_first_five']['words']:.0%} by words alone and {row['long_in_first_five']['meaning']:.0%} by meaning "
        f"alone are long."
        for name, row in own.items()
    )
    return [
        "\n## The arms against each other (`python -m bench.mixed`)\n",
        f"{_commits(found)} R@10 / nDCG@10 of search by both arms, by words alone and by meaning alone, and how far both "
        "are above the better one (below zero: they lose). `mixed` has short statements (LoCoMo, LongMemEval) among "
        "long texts (conversations in stretches, assistants, abstracts, passages) in one namespace; `beside` has beside "
        f"each short statement a long text of what was said around it.{about}\n",
        "| set | | texts | questions | | both | words | meaning | R@10 above | nDCG above |\n|---|---|---|---|---|---|---|---|---|---|",
        *rows,
    ]


def foreign(found: Figures) -> list[str]:
    """Whether answers tell that nothing is about a question."""
    rows = []
    for part, *labelled in _pairs(found):
        name, database = part.rsplit(" ", 1)
        for label, row in zip(LABELS, labelled, strict=True):
            kinds = {kind: value for kind, value in (row or {}).items() if isinstance(value, dict) and "auc" in value}
            rows += [
                f"| {name} | {DATABASES[database]} | {kind} | {value['questions']} | {label} | {value['auc']} "
                f"| {row['answerable_told']} | {value['told']} | {value['below_own_threshold']} "
                f"| {value.get('auc_by_speaker', '')} |"
                for kind, value in kinds.items()
            ]
    return [
        "\n## Questions about something else (`python -m bench.foreign`)\n",
        f"{_commits(found)} Questions of a set against questions of others, by the greatest `relevance` in the active "
        "context (before: the first score). AUC; the share of answerable and of foreign questions of which the answer "
        "says that nothing is about them; the share of foreign ones below a threshold that loses 4 % of the answerable "
        "ones of the set. Category 5 of LoCoMo asks for what another person did: also by the best text of the named "
        "speaker less the best of others.\n",
        "| set | | asked | questions | | AUC | told, answerable | told, foreign | below the set's threshold | AUC by speaker |"
        "\n|---|---|---|---|---|---|---|---|---|---|",
        *rows,
        *_one_threshold(found),
    ]


def long_messages(found: Figures) -> list[str]:
    """What contexts of long messages cost and hold."""
    return [
        "\n## Long messages (`python -m bench.long_messages`)\n",
        f"{_commits(found)} An active context with the settings as they are: tokens as it counts them, and of the answer "
        "of the tool (bytes / 4), mean and most; R@12 of texts, and of the same texts where only those are left that fit "
        "6,000 tokens as a whole; for LoCoMo the share of evidence turns that can be read in what is shown, and in those "
        "whole texts.\n",
        "| set | | characters | | tokens | tool's tokens | R@12 | whole texts, R@12 | evidence shown | in whole texts |"
        "\n|---|---|---|---|---|---|---|---|---|---|",
        *(
            f"| {name} | {DATABASES[database]} | {row['mean_characters']:,.0f} | {label} | {row['tokens']:,.0f} / {row['tokens_most']:,} "
            f"| {row['lean_tokens']:,.0f} / {row['lean_tokens_most']:,} | {row['recall']} | {row['recall_whole_texts']} "
            f"| {row.get('evidence_shown', '')} | {row.get('evidence_in_whole_texts', '')} |"
            for part, *labelled in _pairs(found)
            for name, database in [part.rsplit(" ", 1)]
            for label, row in zip(LABELS, labelled, strict=True)
            if row
        ),
    ]


def rules(found: Figures) -> list[str]:
    """Whether standing instructions come with every answer."""
    lines = []
    for database, before, after in _pairs(found):
        row = after or before
        planted = {key: key.replace("planted, ", "planted by ") for key in row if key.startswith("planted")}
        lines += [
            f"| {DATABASES[database]} | {title} | {_figure(before, key)} | {_figure(after, key)} |"
            for key, title in (_RULES | planted).items()
        ]
    return [
        "\n## Rules that always apply (`python -m bench.rules`)\n",
        f"{_commits(found)} Twenty standing instructions and preferences among turns of LoCoMo, and planted ones: how "
        "many of them each answer brings.\n",
        "| | | before | after |\n|---|---|---|---|",
        *lines,
    ]


def cost(found: Figures) -> list[str]:
    """What the verbs cost on two commits, in one run."""
    lines = []
    for name, row in found.items():
        if not isinstance(row, dict) or "wall_ratio" not in row:
            continue
        at = " and ".join(f"{label} `{commit}`" for label, commit in row["commits"].items())
        lines += [
            f"| {name}, {at} | {verb} | {kind} | "
            + " | ".join(f"{times[label][verb]['p50']} / {times[label][verb]['p95']}" for label in LABELS)
            + f" | {row[f'{kind}_ratio'][verb]['p50']} / {row[f'{kind}_ratio'][verb]['p95']} |"
            for kind, times in (("wall", row["wall_ms"]), ("processor", row["processor_ms"]))
            for verb in times["before"]
        ]
    return [
        "\n## Cost beside another commit (`python -m bench.cost`)\n",
        "Milliseconds p50 / p95 on SQLite, in turns of one run; by the clock, and by the time of the processor, which "
        "other work on the machine disturbs less.\n",
        "| | | | before | after | ratio |\n|---|---|---|---|---|---|",
        *lines,
    ]


def _pairs(found: Figures) -> Iterator[tuple[str, Any, Any]]:
    """Each part that was measured, with its figures before and after; None where it was not."""
    before, after = (found.get(label, {}) for label in LABELS)
    for part in sorted({*before, *after}):
        if not part.startswith("one threshold"):
            yield part, before.get(part), after.get(part)


def _titles(row: Figures) -> dict[str, str]:
    if "recall_any" in row:
        return {key: title for key, title in _CONTEXTS.items() if _value(row, key) is not None}
    return _HOPS if "recall_search" in row else {"ndcg": "nDCG@10"}


def _halves(row: Figures | None, key: str) -> str:
    """A figure, and in brackets those of the halves."""
    if row is None:
        return ""
    halves = [_value(row[part], key) for part in ("even", "odd") if part in row]
    return f"{_value(row, key)}" + (f" ({halves[0]} / {halves[1]})" if None not in halves and halves else "")


def _value(row: Figures, key: str) -> Any:
    """The figure of a name; that of the questions with a date by `dated` before it."""
    first, _, rest = key.partition(" ")
    return row.get(first, {}).get(rest) if rest else row.get(key)


def _figure(row: Figures | None, key: str) -> str:
    return "" if row is None else str(row.get(key, ""))


def _two(figures: Figures | None) -> str:
    return "" if figures is None else f"{figures['recall']} / {figures['ndcg']}"


def _one_threshold(found: Figures) -> Iterator[str]:
    """The shares below one threshold for all sets, as sentences."""
    for label in LABELS:
        for part, row in found.get(label, {}).items():
            if part.startswith("one threshold"):
                sets = "; ".join(
                    f"{name} " + ", ".join(f"{kind} {share}" for kind, share in shares.items())
                    for name, shares in row.items()
                    if isinstance(shares, dict)
                )
                yield f"\nBelow one threshold that loses 4 % of all answerable questions, {label}: {sets}."


def _commits(found: Figures) -> str:
    """A sentence that says which commits are compared."""
    by_label: dict[str, dict[str, None]] = {label: {} for label in LABELS}
    for part, at in found.get("commits", {}).items():
        label = part.split(" ", 1)[0]
        if label in by_label:
            by_label[label][f"`{at}`"] = None
    said = [f"{label} is commit {', '.join(commits)}" for label, commits in by_label.items() if commits]
    return f"{'; '.join(said)[:1].upper()}{'; '.join(said)[1:]}." if said else ""
