"""The collections that recall is measured on: texts with their times, speakers and links, and judged questions."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench import retrieval

START = datetime(2026, 1, 1, tzinfo=UTC)
# A save takes at most so many names of entities; shorter titles are mostly words of the language.
MAX_ENTITIES, MIN_ENTITY_CHARACTERS, MAX_TITLE_WORDS = 32, 4, 15


@dataclass
class Clock:
    """Tells the time that the data is at."""

    moment: datetime = START

    def __call__(self) -> datetime:
        return self.moment


@dataclass
class Passages:
    """Texts by id (title, text, namespace) with their times, links between them, and questions with their times.

    `speakers`, `sessions` and `entities` are given to a save that takes them; of those that have none, the texts of a
    session are linked by `follows`.
    """

    texts: dict[str, tuple[str | None, str, str]] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    follows: list[tuple[str, str]] = field(default_factory=list)
    questions: list[tuple[str, str, set[str], datetime]] = field(default_factory=list)
    speakers: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    entities: dict[str, list[str]] = field(default_factory=dict)


def locomo(data: Path, categories: Sequence[int] = (1, 2, 3, 4)) -> Passages:
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
                found.speakers[text_id], found.sessions[text_id] = turn["speaker"], f"c{number} {name}"
                if previous is not None:
                    found.follows.append((text_id, previous))
                previous = text_id
            last = max(last, said)
        for question in row["qa"]:
            turns = re.findall(r"D\d+:\d+", " ".join(question.get("evidence", ())))
            known = {f"{number} {turn}" for turn in turns} & found.texts.keys()
            if question["category"] in categories and known:
                found.questions.append((question["question"], namespace, known, last + timedelta(hours=1)))
    return found


def bare_locomo(data: Path) -> Passages:
    """LoCoMo with the speaker's name in its field alone, not at the beginning of the text."""
    found = locomo(data)
    for text_id, (title, text, namespace) in found.texts.items():
        found.texts[text_id] = (title, text.removeprefix(f"{found.speakers[text_id]}: "), namespace)
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
        found.speakers[row["id"]], found.sessions[row["id"]] = row["role"], row["session_date"]
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


def untitled(make: Callable[[Path], Passages]) -> Callable[[Path], Passages]:
    """The same collection without the titles of its texts."""

    def made(data: Path) -> Passages:
        known = make(data)
        return replace(known, texts={text_id: (None, *rest) for text_id, (_, *rest) in known.texts.items()})

    return made


def with_entities(make: Callable[[Path], Passages]) -> Callable[[Path], Passages]:
    """The same collection, each text with the titles of the collection that stand in it as its entities."""

    def made(data: Path) -> Passages:
        known = make(data)
        titles = {title for title, _, _ in known.texts.values() if title and len(title) >= MIN_ENTITY_CHARACTERS}
        return replace(known, entities={each: titles_in(text, titles) for each, (_, text, _) in known.texts.items()})

    return made


def titles_in(text: str, titles: set[str]) -> list[str]:
    """The titles that stand in a text from word border to word border, in their order, the longest at each place."""
    borders = [(word.start(), word.end()) for word in re.finditer(r"\w+", text)]
    longest = max((len(title) for title in titles), default=0)
    found: dict[str, None] = {}
    free_from = 0
    for number, (start, _) in enumerate(borders):
        if start < free_from:
            continue
        ends = [end for _, end in borders[number : number + MAX_TITLE_WORDS] if end - start <= longest]
        named = next((text[start:end] for end in reversed(ends) if text[start:end] in titles), None)
        if named:
            found[named] = None
            free_from = start + len(named)
    return list(found)[:MAX_ENTITIES]


def plain(make: Callable[[Path], retrieval.Collection], every: int = 1) -> Callable[[Path], Passages]:
    def made(data: Path) -> Passages:
        known = make(data)
        questions = [(text, namespace, relevant, START) for text, namespace, relevant in known.questions[::every]]
        return Passages(texts=known.texts, questions=questions)

    return made


def _day(text: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
