"""What half a year of upkeep is measured on: notes with what should become of them, and real notes around them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.recall_sets import locomo, longmemeval

DATA = Path(__file__).parent / "upkeep_data"
DAYS = 182
"""The length of the half year that the days of the data are in."""
LAST_DAY = 150
"""Real notes are saved until then, so that the last ones are older than what is protected."""


@dataclass(frozen=True)
class Note:
    """A note and the day on which it is saved. `source`, `judged` and `related` are what it gets besides."""

    id: str
    day: float
    text: str
    title: str | None = None
    source: str | None = None
    judged: str | None = None
    related: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    """More arguments of its save: speaker and session of a turn, the kind of a claim."""


@dataclass(frozen=True)
class Question:
    """A question; a group of notes is found if one of them is."""

    text: str
    answers: tuple[frozenset[str], ...]
    group: str


@dataclass(frozen=True)
class World:
    """The notes in the order in which they are saved, the labelled pairs, and the questions."""

    notes: tuple[Note, ...]
    pairs: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]


def world(part: str, data: Path | None, others: int, asked: int) -> World:
    """A part of the data among so many real notes, with at most so many questions about those of each collection."""
    own = [
        Note(
            row["id"],
            row["day"] + number / 100_000,
            row["text"],
            **{name: row.get(name) for name in ("title", "source", "judged", "related")},
        )
        for number, row in enumerate(_read("notes", part))
    ]
    questions = [
        Question(row["question"], tuple(map(frozenset, row["answers"])), f"own, {row['language']}")
        for row in _read("questions", part)
    ]
    around: list[Note] = []
    opposed: list[dict[str, Any]] = []
    if others and data is not None:
        share = others // 3
        for make in (_turns, _evidence, _claims):
            some, more = make(data, others - 2 * share if make is _claims else share)
            around += some
            questions += more[:asked]
        opposed = _opposed(data, {note.text: note.id for note in around})
    notes = tuple(sorted([*own, *around], key=lambda note: note.day))
    return World(notes, (*_read("pairs", part), *opposed), tuple(questions))


def _turns(data: Path, count: int) -> tuple[list[Note], list[Question]]:
    """The first turns of LoCoMo's conversations, with speakers and sessions, and the questions about them alone."""
    found = locomo(data)
    chosen = list(found.texts)[:count]
    notes = [
        Note(
            f"locomo {text_id}",
            day,
            found.texts[text_id][1],
            fields={"speaker": found.speakers[text_id], "session": found.sessions[text_id]},
        )
        for text_id, day in zip(chosen, _days(count), strict=True)
    ]
    return notes, _about("locomo", found.questions, set(chosen))


def _evidence(data: Path, count: int) -> tuple[list[Note], list[Question]]:
    """The first evidence turns of LongMemEval, as memos; of those that say the same, one."""
    found = longmemeval(data)
    chosen = list({text: text_id for text_id, (_, text, _) in reversed(found.texts.items())}.values())[::-1][:count]
    notes = [
        Note(f"longmemeval {text_id}", day, found.texts[text_id][1])
        for text_id, day in zip(chosen, _days(len(chosen)), strict=True)
    ]
    return notes, _about("longmemeval", found.questions, set(chosen))


def _claims(data: Path, count: int) -> tuple[list[Note], list[Question]]:
    """The first claims of SciFact, as claims."""
    chosen = list(dict.fromkeys(row["claim"] for row in _scifact(data)))[:count]
    notes = [
        Note(f"scifact {number}", day, text, fields={"claim_kind": "fact"})
        for number, (text, day) in enumerate(zip(chosen, _days(len(chosen)), strict=True))
    ]
    return notes, []


def _opposed(data: Path, known: dict[str, str]) -> list[dict[str, Any]]:
    """Pairs of known claims of which one document supports one and contradicts the other."""
    judged: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in _scifact(data):
        for document, judgements in row["evidence"].items():
            for each in judgements if row["claim"] in known else ():
                judged[document, each["label"]].add(known[row["claim"]])
    pairs = {
        (first, second)
        for document, label in judged
        if label == "SUPPORT"
        for first in judged[document, label]
        for second in judged.get((document, "CONTRADICT"), ())
    }
    return [
        {"id": f"{first}, {second}", "sort": "opposed", "first": first, "second": second}
        for first, second in sorted(pairs)
    ]


def _scifact(data: Path) -> Iterator[dict[str, Any]]:
    for name in ("train", "dev", "test"):
        lines = (data / f"scifact/claims_{name}.jsonl").read_text(encoding="utf-8").splitlines()
        yield from map(json.loads, lines)


def _about(name: str, questions: list[Any], chosen: set[str]) -> list[Question]:
    return [
        Question(text, tuple(frozenset([f"{name} {each}"]) for each in sorted(relevant)), name)
        for text, _, relevant, _ in questions
        if relevant <= chosen
    ]


def _days(count: int) -> Iterator[float]:
    yield from (LAST_DAY * number / max(1, count) for number in range(count))


def _read(name: str, part: str) -> list[dict[str, Any]]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["part"] == part]
