"""How well recall finds what it should: `activate` on conversations, and questions that need several passages.

WHEREFROM_BENCH_DATA=… python -m bench.recall --as after [--sets locomo longmemeval 2wiki …] [--databases sqlite] [--halves]

Conversations: Recall@12 and nDCG@12 of active contexts and the share of the evidence in their first ten items, the
clock set to the end of each conversation (LongMemEval: to the date of the question); `dated` are the questions that
name a date. Multi-hop: recall@5 and recall@12; `-untitled` without the titles of the passages, `-entities` with the
titles that stand in a passage given as its entities. Single-hop: nDCG@10, to see that the graph arm does no harm. Each
with and without the graph arm. `split` is the protocol of 8:1:1: n-grams of texts of the tenth part as questions.
`--halves` tells even- and odd-numbered conversations apart, or questions where there is one conversation. Speakers and
sessions are given to a program that takes them; for another, the turns of a session are linked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench import retrieval, stores
from bench.calibrate import cranfield
from bench.fields import accepted, takes
from bench.measure import command, keep, options_of
from bench.recall_sets import (
    START,
    Clock,
    Passages,
    bare_locomo,
    hotpot,
    locomo,
    longmemeval,
    musique,
    plain,
    split,
    two_wiki,
    untitled,
    with_entities,
)
from wherefrom import Memory

CONTEXT, FIRST, HOPS, SINGLE = 12, 10, 5, 10
ARMS = ("graph", "without")
Figures = dict[str, float]
Evaluation = Callable[[Memory, Clock, Passages, dict[str, str], bool], list[Figures]]

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
# "May" and "March" are dates only if written as names, not "may I".
_NAMED = re.compile(rf"\b(?:{_MONTHS}|{_DAYS})s?\b")
_RELATIVE = re.compile(
    r"\b(?:(?:19|20)\d\d|\d+(?:st|nd|rd|th) of|(?:days?|weeks?|months?|years?) ago|yesterday|today|tonight|"
    r"(?:last|past|previous|this|next) (?:night|day|week|weekend|month|year|spring|summer|autumn|fall|winter))\b",
    re.IGNORECASE,
)


def main() -> None:
    options = options_of(__doc__, sets=sorted(SETS), databases=["sqlite"])
    options.add_argument("--halves", action="store_true", help="even- and odd-numbered parts, too")
    options.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS, help="with the graph arm, without it")
    given = options.parse_args()
    for name in given.sets:
        make, evaluate = SETS[name]
        passages = make(Path(given.data))
        for database in given.databases:
            with getattr(stores, database)() as url:
                clock = Clock()
                with Memory.open(url, clock=clock) as memory:
                    ids = fill(memory, clock, passages)
                    for arm in given.arms:
                        figures = evaluate(memory, clock, passages, ids, arm == "graph")
                        row = {"command": command("recall"), "texts": len(passages.texts)}
                        row |= {"questions": len(figures), **grouped(passages, figures, halves=given.halves)}
                        keep("recall", {given.label: {f"{name} {database} {arm}": row}})


def fill(memory: Memory, clock: Clock, passages: Passages) -> dict[str, str]:
    """Save the texts at their times, each with its speaker and session if the program takes them; else import the texts
    and link those that follow each other.
    """
    if passages.entities or (passages.sessions and takes(Memory.save, "session")):
        return saved(memory, clock, passages)
    times = [*passages.times.values()] or [START]
    clock.moment = max(times)
    ids = stores.import_texts(memory, passages.texts, passages.times)
    clock.moment = times[-1]
    for source, target in passages.follows:
        if ids[source] != ids[target]:
            memory.relate(ids[source], ids[target], tag="follows", weight=1.0)
    return ids


def saved(memory: Memory, clock: Clock, passages: Passages) -> dict[str, str]:
    """Save the texts one by one, with all that is known about them and that the program takes."""
    ids = {}
    for text_id, (title, text, namespace) in passages.texts.items():
        clock.moment = passages.times.get(text_id, START)
        fields = accepted(
            Memory.save,
            speaker=passages.speakers.get(text_id),
            session=passages.sessions.get(text_id),
            entities=passages.entities.get(text_id),
        )
        ids[text_id] = memory.save(text, title=title, namespace=namespace, **fields).node.id
    return ids


def grouped(passages: Passages, figures: Sequence[Figures], *, halves: bool) -> dict[str, object]:
    """The means over all questions; below them those of the questions with a date, and of the two halves."""
    numbers = [_number(index, namespace) for index, (_, namespace, _, _) in enumerate(passages.questions)]
    parts = {"": [True] * len(figures)}
    if halves:
        parts |= {"even": [number % 2 == 0 for number in numbers], "odd": [number % 2 == 1 for number in numbers]}
    dated = [is_dated(question) for question, _, _, _ in passages.questions]
    found: dict[str, object] = {}
    for name, members in parts.items():
        chosen = [row for row, member in zip(figures, members, strict=True) if member]
        with_date = [row for row, member, has in zip(figures, members, dated, strict=True) if member and has]
        part: dict[str, object] = dict(means(chosen))
        if "recall_any" in figures[0] and with_date:
            part["dated"] = {"questions": len(with_date), **means(with_date)}
        found |= {name: {"questions": len(chosen), **part}} if name else part
    return found


def is_dated(question: str) -> bool:
    """True if a question names a month, a day of the week, a year, or a time before now."""
    return bool(_NAMED.search(question) or _RELATIVE.search(question))


def context_figures(
    memory: Memory, clock: Clock, passages: Passages, ids: dict[str, str], graph: bool
) -> list[Figures]:
    """Of each active context of twelve: whether something relevant is in it, which share of it, and how far up. A
    context has each text once, so the same words in another session count as found.
    """
    rows = []
    first: dict[object, str] = {}
    same = {ids[text_id]: first.setdefault(text, ids[text_id]) for text_id, text in passages.texts.items()}
    for question, namespace, relevant, now in passages.questions:
        clock.moment = now
        context = memory.activate(question, namespace=namespace, limit=CONTEXT, graph=graph)
        found, wanted = [same[item.node.id] for item in context.items], {same[ids[each]] for each in relevant}
        rows.append(
            {
                "recall_any": float(bool(wanted & set(found))),
                "recall": len(wanted & set(found)) / len(wanted),
                "recall_10": len(wanted & set(found[:FIRST])) / len(wanted),
                "ndcg": ndcg(found, wanted, CONTEXT),
                "items": len(found),
            }
        )
    return rows


def contexts(memory: Memory, clock: Clock, passages: Passages, ids: dict[str, str], graph: bool) -> Figures:
    """The means of what active contexts hold."""
    return means(context_figures(memory, clock, passages, ids, graph))


def hops(memory: Memory, clock: Clock, passages: Passages, ids: dict[str, str], graph: bool) -> list[Figures]:
    """Which share of the needed passages is among the first five, of a search and of an active context."""
    clock.moment = START
    rows = []
    for question, namespace, relevant, _ in passages.questions:
        wanted = {ids[each] for each in relevant}
        hits = memory.search(question, namespace=namespace, limit=HOPS, graph=graph).hits
        items = memory.activate(question, namespace=namespace, limit=CONTEXT, graph=graph).items
        recalled = [item.node.id for item in items]
        rows.append(
            {
                "recall_search": len(wanted & {hit.node.id for hit in hits}) / len(wanted),
                "recall_activate": len(wanted & set(recalled[:HOPS])) / len(wanted),
                "recall_activate_12": len(wanted & set(recalled)) / len(wanted),
            }
        )
    return rows


def single(memory: Memory, clock: Clock, passages: Passages, ids: dict[str, str], graph: bool) -> list[Figures]:
    """nDCG@10 of searches."""
    clock.moment = START
    rows = []
    for question, namespace, relevant, _ in passages.questions:
        hits = memory.search(question, namespace=namespace, limit=SINGLE, graph=graph).hits
        rows.append({"ndcg": ndcg([hit.node.id for hit in hits], {ids[each] for each in relevant}, SINGLE)})
    return rows


def ndcg(found: Sequence[str], wanted: set[str], depth: int) -> float:
    hits = [place for place, node_id in enumerate(found[:depth]) if node_id in wanted]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(wanted), depth)))
    return sum(1 / math.log2(place + 2) for place in hits) / ideal


def mean(values: object) -> float:
    listed = list(values)  # type: ignore[call-overload]
    return round(sum(listed) / len(listed), 4)


def means(rows: Sequence[Mapping[str, float]]) -> Figures:
    return {name: mean(row[name] for row in rows) for name in rows[0]} if rows else {}


def _number(index: int, namespace: str) -> int:
    """The number of the conversation that a question is about, or its own where there is one conversation."""
    conversation = re.fullmatch(r"main/c(\d+)", namespace)
    return int(conversation[1]) if conversation else index


SETS: dict[str, tuple[Callable[[Path], Passages], Evaluation]] = {
    "locomo": (locomo, context_figures),
    "locomo-bare": (bare_locomo, context_figures),
    "longmemeval": (longmemeval, context_figures),
    "split": (split, context_figures),
    "2wiki": (two_wiki, hops),
    "2wiki-entities": (with_entities(two_wiki), hops),
    "hotpotqa": (hotpot, hops),
    "hotpotqa-entities": (with_entities(hotpot), hops),
    "hotpotqa-untitled": (untitled(hotpot), hops),
    "musique": (musique, hops),
    "musique-entities": (with_entities(musique), hops),
    "musique-untitled": (untitled(musique), hops),
    "scifact": (plain(retrieval.scifact), single),
    "cranfield": (plain(cranfield), single),
    "jsquad": (plain(retrieval.jsquad, every=4), single),
}

if __name__ == "__main__":
    main()
