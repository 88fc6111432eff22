"""How well search finds what it should, on judged questions: hybrid, beside words alone and meaning alone.

WHEREFROM_BENCH_DATA=… python -m bench.retrieval [--sets scifact jsquad locomo longmemeval] [--databases sqlite]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench import stores
from bench.measure import keep
from wherefrom import Memory

DEPTH = 10


@dataclass
class Collection:
    """Texts by id (title, text, namespace), and questions with the ids that answer them."""

    texts: dict[str, tuple[str | None, str, str]] = field(default_factory=dict)
    questions: list[tuple[str, str, set[str]]] = field(default_factory=list)
    """Question, namespace, relevant ids."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sets", nargs="+", choices=sorted(SETS), default=sorted(SETS))
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"])
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    result: dict[str, object] = {}
    for name in given.sets:
        collection = SETS[name](Path(given.data))
        row: dict[str, object] = {"texts": len(collection.texts), "questions": len(collection.questions)}
        for database in given.databases:
            with getattr(stores, database)() as url:
                ids = fill(url, collection)
                row[database] = {
                    arms: evaluate(url, collection, ids, alpha) for arms, alpha in ALPHAS[database].items()
                }
        result[name] = row
    keep("retrieval", result)


# The weight of the vectors: the embedder's own, none, or all.
ALPHAS = {"sqlite": {"hybrid": "", "words": "0", "meaning": "1"}, "postgres": {"hybrid": "", "words": "0"}}


def fill(url: str, collection: Collection) -> dict[str, str]:
    """Save the texts; returns the memo of each."""
    with Memory.open(url) as memory:
        return {
            text_id: memory.save(text, title=title, namespace=namespace).node.id
            for text_id, (title, text, namespace) in collection.texts.items()
        }


def evaluate(url: str, collection: Collection, ids: dict[str, str], alpha: str) -> dict[str, float]:
    """nDCG, recall and reciprocal rank at 10; `any` counts a question as answered by one of its texts."""
    totals: dict[str, float] = defaultdict(float)
    os.environ["WHEREFROM_ALPHA"] = alpha
    with Memory.open(url) as memory:
        for question, namespace, relevant in collection.questions:
            wanted = {ids[text_id] for text_id in relevant}
            ranking = [hit.node.id for hit in memory.search(question, namespace=namespace, limit=DEPTH).hits]
            for name, value in measures(ranking, wanted):
                totals[name] += value
    return {name: round(total / len(collection.questions), 4) for name, total in totals.items()}


def measures(ranking: list[str], wanted: set[str]) -> Iterator[tuple[str, float]]:
    hits = [position for position, node_id in enumerate(ranking) if node_id in wanted]
    ideal = sum(1 / math.log2(position + 2) for position in range(min(len(wanted), DEPTH)))
    yield "ndcg", sum(1 / math.log2(position + 2) for position in hits) / ideal
    yield "recall", len(hits) / len(wanted)
    yield "recall_any", float(bool(hits))
    yield "mrr", 1 / (hits[0] + 1) if hits else 0.0


def scifact(data: Path, split: str = "test") -> Collection:
    """Claims against abstracts, the questions of BEIR."""
    found = Collection()
    for line in (data / "scifact/corpus.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        found.texts[row["_id"]] = (row["title"][:300] or None, " ".join(row["abstract"]), "main")
    questions = {
        row["_id"]: row["text"] for row in map(json.loads, (data / "scifact/beir_queries.jsonl").open(encoding="utf-8"))
    }
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (data / f"scifact/beir_qrels_{split}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, text, grade = line.split()
        if int(grade) > 0:
            relevant[question].add(text)
    found.questions = [(questions[name], "main", texts) for name, texts in relevant.items() if name in questions]
    return found


def jsquad(data: Path, split: str = "valid") -> Collection:
    """Japanese questions against Wikipedia paragraphs."""
    found = Collection()
    for article in json.loads((data / f"jglue/jsquad-v1.3/{split}-v1.3.json").read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            text_id = str(len(found.texts))
            found.texts[text_id] = (article["title"], paragraph["context"], "main")
            found.questions += [(row["question"], "main", {text_id}) for row in paragraph["qas"]]
    return found


def locomo(data: Path) -> Collection:
    """Questions of categories 1–4 against the turns of their conversation, each in a namespace of its own."""
    found = Collection()
    for number, conversation in enumerate(json.loads((data / "locomo/locomo10.json").read_text(encoding="utf-8"))):
        namespace = f"main/c{number}"
        for turns in conversation["conversation"].values():
            for turn in turns if isinstance(turns, list) else ():
                picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                text = f"{turn['speaker']}: {turn['text']}{picture}"
                found.texts[f"{number} {turn['dia_id']}"] = (None, text, namespace)
        for row in conversation["qa"]:
            # Some evidence lists hold several turns in one text.
            turns = re.findall(r"D\d+:\d+", " ".join(row.get("evidence", ())))
            known = {f"{number} {turn}" for turn in turns} & found.texts.keys()
            if row["category"] in (1, 2, 3, 4) and known:
                found.questions.append((row["question"], namespace, known))
    return found


def longmemeval(data: Path) -> Collection:
    """Each question against the pool of all evidence turns."""
    folder = data / "longmemeval_evidence"
    found = Collection()
    for row in json.loads((folder / "evidence_turns.json").read_text(encoding="utf-8")):
        found.texts[row["id"]] = (None, row["content"], "main")
    for row in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
        if row["evidence_turn_ids"]:
            found.questions.append((row["question"], "main", set(row["evidence_turn_ids"])))
    return found


SETS: dict[str, Callable[[Path], Collection]] = {
    "jsquad": jsquad,
    "locomo": locomo,
    "longmemeval": longmemeval,
    "scifact": scifact,
}

if __name__ == "__main__":
    main()
