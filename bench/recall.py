"""How well recall finds what it should: `activate` on conversations, and questions that need several passages.

WHEREFROM_BENCH_DATA=… python -m bench.recall [--sets locomo longmemeval 2wiki …] [--databases sqlite]

Conversations: Recall@12 and nDCG@12 of active contexts, the clock set to the end of each conversation (LongMemEval:
to the date of the question). Multi-hop: recall@5. Single-hop: nDCG@10, to see that the graph arm does no harm. Each
with and without the graph arm. `split` is the protocol of 8:1:1: n-grams of texts of the tenth part as questions.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench import retrieval, stores
from bench.measure import keep
from wherefrom import Memory

CONTEXT, HOPS, SINGLE = 12, 5, 10
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Clock:
    """Tells the time that the data is at."""

    moment: datetime = START

    def __call__(self) -> datetime:
        return self.moment


@dataclass
class Passages:
    """Texts by id (title, text, namespace) with their times, links between them, and questions with their times."""

    texts: dict[str, tuple[str | None, str, str]] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    follows: list[tuple[str, str]] = field(default_factory=list)
    questions: list[tuple[str, str, set[str], datetime]] = field(default_factory=list)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sets", nargs="+", choices=sorted(SETS), default=sorted(SETS))
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite"])
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    result: dict[str, object] = {}
    for name in given.sets:
        make, evaluate = SETS[name]
        passages = make(Path(given.data))
        row: dict[str, object] = {"texts": len(passages.texts), "questions": len(passages.questions)}
        for database in given.databases:
            with getattr(stores, database)() as url:
                clock = Clock()
                with Memory.open(url, clock=clock) as memory:
                    ids = fill(memory, clock, passages)
                    row[database] = {
                        arm: evaluate(memory, clock, passages, ids, arm == "graph") for arm in ("graph", "without")
                    }
        result[name] = row
        print(name, json.dumps(row), flush=True)
    keep("recall", result)


def fill(memory: Memory, clock: Clock, passages: Passages) -> dict[str, str]:
    """Save the texts at their times, and link those that follow each other."""
    ids = {}
    for text_id, (title, text, namespace) in passages.texts.items():
        clock.moment = passages.times.get(text_id, START)
        ids[text_id] = memory.save(text, title=title, namespace=namespace).node.id
    for source, target in passages.follows:
        if ids[source] != ids[target]:
            memory.relate(ids[source], ids[target], tag="follows", weight=1.0)
    return ids


def contexts(memory: Memory, clock: Clock, passages: Passages, ids: dict[str, str], graph: bool) -> dict[str, float]:
    """Of active contexts of twelve: how often something relevant is in them, which share of it, and how far up."""
    rankings = []
    for question, namespace, relevant, now in passages.questions:
        clock.moment = now
        context = memory.activate(question, namespace=namespace, limit=CONTEXT, graph=graph)
        rankings.append(([item.node.id for item in context.items], {ids[each] for each in relevant}))
    return {
        "recall_any": mean(float(bool(wanted & set(found))) for found, wanted in rankings),
        "recall": mean(len(wanted & set(found)) / len(wanted) for found, wanted in rankings),
        "ndcg": mean(ndcg(found, wanted, CONTEXT) for found, wanted in rankings),
        "items": mean(len(found) for found, _ in rankings),
    }


def hops(memory: Memory, clock: Clock, passages: Passages, ids: dict[str, str], graph: bool) -> dict[str, float]:
    """Which share of the needed passages is among the first five, of a search and of an active context."""
    clock.moment = START
    searched, activated = [], []
    for question, namespace, relevant, _ in passages.questions:
        wanted = {ids[each] for each in relevant}
        hits = memory.search(question, namespace=namespace, limit=HOPS, graph=graph).hits
        searched.append(len(wanted & {hit.node.id for hit in hits}) / len(wanted))
        items = memory.activate(question, namespace=namespace, limit=CONTEXT, graph=graph).items[:HOPS]
        activated.append(len(wanted & {item.node.id for item in items}) / len(wanted))
    return {"recall_search": mean(searched), "recall_activate": mean(activated)}


def single(memory: Memory, clock: Clock, passages: Passages, ids: dict[str, str], graph: bool) -> dict[str, float]:
    """nDCG@10 of searches."""
    clock.moment = START
    values = []
    for question, namespace, relevant, _ in passages.questions:
        hits = memory.search(question, namespace=namespace, limit=SINGLE, graph=graph).hits
        values.append(ndcg([hit.node.id for hit in hits], {ids[each] for each in relevant}, SINGLE))
    return {"ndcg": mean(values)}


def ndcg(found: Sequence[str], wanted: set[str], depth: int) -> float:
    hits = [place for place, node_id in enumerate(found[:depth]) if node_id in wanted]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(wanted), depth)))
    return sum(1 / math.log2(place + 2) for place in hits) / ideal


def mean(values: object) -> float:
    listed = list(values)  # type: ignore[call-overload]
    return round(sum(listed) / len(listed), 4)


def locomo(data: Path) -> Passages:
    """Turns of ten conversations, each in a namespace of its own, with links from turn to turn."""
    found = Passages()
    for number, row in enumerate(json.loads((data / "locomo/locomo10.json").read_text(encoding="utf-8"))):
        namespace, talk = f"main/c{number}", row["conversation"]
        last = START.replace(year=2000)
        for name, turns in talk.items():
            if not isinstance(turns, list):
                continue
            said = datetime.strptime(talk[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            previous = None
            for place, turn in enumerate(turns):
                picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                text_id = f"{number} {turn['dia_id']}"
                found.texts[text_id] = (None, f"{turn['speaker']}: {turn['text']}{picture}", namespace)
                found.times[text_id] = said + timedelta(seconds=place)
                if previous is not None:
                    found.follows.append((text_id, previous))
                previous = text_id
            last = max(last, said)
        for question in row["qa"]:
            turns = re.findall(r"D\d+:\d+", " ".join(question.get("evidence", ())))
            known = {f"{number} {turn}" for turn in turns} & found.texts.keys()
            if question["category"] in (1, 2, 3, 4) and known:
                found.questions.append((question["question"], namespace, known, last + timedelta(hours=1)))
    return found


def longmemeval(data: Path) -> Passages:
    """The pool of all evidence turns; those of one session, in which nothing else was kept, follow each other."""
    folder = data / "longmemeval_evidence"
    found = Passages()
    sessions = defaultdict(list)
    for row in json.loads((folder / "evidence_turns.json").read_text(encoding="utf-8")):
        said = _day(row["session_date"])
        found.texts[row["id"]] = (None, row["content"], "main")
        found.times[row["id"]] = said
        sessions[row["session_date"]].append(row["id"])
    found.follows = [pair for turns in sessions.values() for pair in zip(turns[1:], turns, strict=False)]
    for row in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
        if row["evidence_turn_ids"]:
            asked = max([_day(row["question_date"]), *(found.times[turn] for turn in row["evidence_turn_ids"])])
            found.questions.append((row["question"], "main", set(row["evidence_turn_ids"]), asked))
    return found


def split(data: Path) -> Passages:
    """The store divided 8:1:1; questions are three words in a row of each text of the last tenth, taken at random."""
    found = locomo(data)
    numbers = random.Random(7)
    texts = [text_id for text_id in found.texts if len(found.texts[text_id][1].split()) >= 12]
    numbers.shuffle(texts)
    found.questions = []
    last = max(found.times.values())
    for text_id in texts[-len(texts) // 10 :]:
        _, text, namespace = found.texts[text_id]
        words = text.split()[1:]
        at = numbers.randrange(len(words) - 5)
        found.questions.append((" ".join(words[at : at + 5]), namespace, {text_id}, last))
    return found


def two_wiki(data: Path) -> Passages:
    folder = data / "hipporag_multihop"
    rows = json.loads((folder / "2wikimultihopqa_corpus.json").read_text(encoding="utf-8"))
    questions = json.loads((folder / "fastgraphrag_2wiki_101_vdb.json").read_text(encoding="utf-8"))
    return _passages(
        [(row["title"], row["text"]) for row in rows], [(q["question"], q["ground_truth"]) for q in questions]
    )


def hotpot(data: Path) -> Passages:
    folder = data / "hipporag_multihop"
    rows = json.loads((folder / "hotpotqa_train_corpus.json").read_text(encoding="utf-8"))
    questions = json.loads((folder / "hotpotqa_train.json").read_text(encoding="utf-8"))
    return _passages(
        [(title, "".join(sentences)) for title, sentences in rows.items()],
        [(q["question"], {title for title, _ in q["supporting_facts"]}) for q in questions],
    )


def musique(data: Path) -> Passages:
    folder = data / "hipporag_multihop"
    found = Passages()
    by_text = {}
    for number, row in enumerate(json.loads((folder / "musique_train_corpus.json").read_text(encoding="utf-8"))):
        found.texts[str(number)] = (row["title"][:300], row["text"], "main")
        by_text[row["title"], row["text"]] = str(number)
    for row in json.loads((folder / "musique_train.json").read_text(encoding="utf-8")):
        needed = {by_text[p["title"], p["paragraph_text"]] for p in row["paragraphs"] if p["is_supporting"]}
        found.questions.append((row["question"], "main", needed, START))
    return found


def _passages(rows: Sequence[tuple[str, str]], questions: Sequence[tuple[str, object]]) -> Passages:
    found = Passages()
    by_title: dict[str, str] = {}
    for number, (title, text) in enumerate(rows):
        found.texts[str(number)] = (title[:300], text, "main")
        by_title.setdefault(title, str(number))
    found.questions = [
        (question, "main", {by_title[title] for title in titles}, START)  # type: ignore[attr-defined]
        for question, titles in questions
    ]
    return found


def _plain(make: Callable[[Path], retrieval.Collection], every: int = 1) -> Callable[[Path], Passages]:
    def made(data: Path) -> Passages:
        known = make(data)
        questions = [(text, namespace, relevant, START) for text, namespace, relevant in known.questions[::every]]
        return Passages(texts=known.texts, questions=questions)

    return made


def _day(text: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


SETS = {
    "locomo": (locomo, contexts),
    "longmemeval": (longmemeval, contexts),
    "split": (split, contexts),
    "2wiki": (two_wiki, hops),
    "hotpotqa": (hotpot, hops),
    "musique": (musique, hops),
    "scifact": (_plain(retrieval.scifact), single),
    "jsquad": (_plain(retrieval.jsquad, every=4), single),
}

if __name__ == "__main__":
    main()
