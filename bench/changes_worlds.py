"""What `bench.changes` measures on: notes on facts that change, other memos around them, and the ways to save both."""

from __future__ import annotations

import inspect
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.recall import Clock, locomo
from wherefrom import Memory

NOTES = Path(__file__).parent / "changes_data"
ASKED = datetime(2026, 11, 1, 12, tzinfo=UTC)
"""When questions about the present are put: after the last note."""
BEFORE = datetime(2024, 1, 1, tzinfo=UTC)
"""When the memos around the notes were saved: before the first note."""
DEPTH = 10
"""How many hits or items an answer may have."""


@dataclass(frozen=True, slots=True)
class Note:
    """A text as somebody saved it on a day; `fact` is its place among the statements of the changing fact, 0 for the
    oldest, or None if it is about something else.
    """

    text: str
    day: str
    title: str | None = None
    fact: int | None = None


@dataclass(frozen=True, slots=True)
class World:
    """A fact that changes, what else was noted about its subject, and questions about now and about an earlier day."""

    groups: Sequence[str]
    notes: Sequence[Note]
    slot: str
    now: str
    then: str
    as_of: str
    latest: int

    def without_old(self) -> list[Note]:
        """The notes of somebody who never knew the old statements."""
        return [note for note in self.notes if note.fact in (None, self.latest)]

    def by_then(self) -> list[Note]:
        """The notes that were there on the earlier day."""
        return [note for note in self.notes if note.day <= self.as_of]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two notes that look alike and are both true."""

    groups: Sequence[str]
    notes: Sequence[Note]
    asked: str


@dataclass(frozen=True, slots=True)
class Lasting:
    """A note that stays true, and a question that it answers."""

    groups: Sequence[str]
    note: Note
    question: str


@dataclass(slots=True)
class Told:
    """What was saved of a world: ids by note; how often the answer to a save named the statement that it replaces
    (near), said that it is an update of it (hinted), or said so of another note of the world (misled) or of a memo
    around it (strayed).
    """

    ids: dict[Note, str] = field(default_factory=dict)
    statements: dict[int, str] = field(default_factory=dict)
    replacing: int = 0
    near: int = 0
    hinted: int = 0
    misled: int = 0
    strayed: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The ids of an answer in order, those of them that are marked as older than another, and whether it is less than
    the program would have found with more time.
    """

    ids: Sequence[str]
    older: frozenset[str]
    degraded: bool

    def rank(self, node_id: str) -> int:
        """Its place from 1 on; one after the last if it is not there."""
        return self.ids.index(node_id) + 1 if node_id in self.ids else DEPTH + 1


class Scene:
    """A memory with others' memos in it, to which notes are added for a while."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self.memory, self.clock = memory, clock
        self._added: list[str] = []

    @contextmanager
    def added(self) -> Iterator[None]:
        """Everything that is saved meanwhile is deleted afterwards."""
        try:
            yield
        finally:
            self.clock.moment = ASKED
            for node_id in reversed(self._added):
                self.memory.delete(node_id)
            self._added.clear()

    def save(self, note: Note, **given: Any) -> Any:
        """Save a note on its day."""
        self.clock.moment = _noon(note.day)
        if knows("save", "observed_at"):
            given["observed_at"] = note.day
        saved = self.memory.save(note.text, title=note.title, **given)
        if saved.node.id not in self._added:
            self._added.append(saved.node.id)
        return saved

    def save_all(self, notes: Iterable[Note]) -> Told:
        """Save notes in the order of their days, and nothing else."""
        told = Told()
        for note in in_order(notes):
            _tell(told, note, self.save(note).node.id)
        return told

    def ask(self, verb: str, question: str, *, at: datetime = ASKED, **given: Any) -> Answer:
        """Put a question by `search` or `activate`."""
        self.clock.moment = at
        answer: Any = getattr(self.memory, verb)(question, limit=DEPTH, **given)
        found = answer.hits if verb == "search" else answer.items
        older = frozenset(item.node.id for item in found if getattr(item, "older_than", None))
        return Answer([item.node.id for item in found], older, bool(answer.degraded))


def only_save(scene: Scene, world: World) -> Told:
    """Save what comes, and do not think about it."""
    return scene.save_all(world.notes)


def name_the_slot(scene: Scene, world: World) -> Told:
    """Save the statements of the fact with its slot."""
    told = Told()
    for note in in_order(world.notes):
        given = {} if note.fact is None else {"slot": world.slot}
        _tell(told, note, scene.save(note, **given).node.id)
    return told


def name_the_old(scene: Scene, world: World) -> Told:
    """Save each statement with the id of the one that it replaces."""
    told = Told()
    for note in in_order(world.notes):
        before = told.statements.get(note.fact - 1) if note.fact else None
        _tell(told, note, scene.save(note, **({} if before is None else {"supersedes": [before]})).node.id)
    return told


def follow_hints(scene: Scene, world: World) -> Told:
    """Save what comes; where the answer says that it is an update of the right statement, do as it says."""
    told = Told()
    for note in in_order(world.notes):
        saved = scene.save(note)
        earlier = set(told.statements.values()) if note.fact else set()
        if note.fact:
            before = told.statements[note.fact - 1]
            told.replacing += 1
            told.near += before in [each.node.id for each in near(saved)]
        hints = {each.node.id for each in near(saved) if says_update(each)}
        told.misled += bool((hints & set(told.ids.values())) - earlier)
        told.strayed += bool(hints - set(told.ids.values()))
        if note.fact:
            told.hinted += before in hints
        if hints & earlier:
            scene.save(note, supersedes=sorted(hints & earlier))
        _tell(told, note, saved.node.id)
    return told


STYLES: dict[str, Callable[[Scene, World], Told]] = {
    "saved": only_save,
    "hints": follow_hints,
    "supersedes": name_the_old,
    "slot": name_the_slot,
}


def near(saved: Any) -> Sequence[Any]:
    """The statements that the answer to a save names as near, at most three of them."""
    return tuple(getattr(saved, "near", ()))[:3]


def says_update(statement: Any) -> bool:
    """True if the hint at a near statement tells the caller to let the new one take its place."""
    hint = (getattr(statement, "hint", None) or "").lower()
    return "supersede" in hint or "update" in hint


def knows(verb: str, parameter: str) -> bool:
    """True if the program that is measured has a parameter; earlier ones have fewer."""
    return parameter in inspect.signature(getattr(Memory, verb)).parameters


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Notes by day; of one day, other notes first, then the statements of the fact in their order."""
    return sorted(notes, key=lambda note: (note.day, -1 if note.fact is None else note.fact))


def worlds(part: str, folder: Path = NOTES) -> list[World]:
    """The facts that change, of one part or of all."""
    found = []
    for row in _rows(folder / "changes.jsonl", part):
        statements = [row[name] for name in ("old", "middle", "new") if name in row]
        notes = [_note(said, fact=place) for place, said in enumerate(statements)]
        notes += [_note(said) for said in row["others"]]
        groups = _groups(row, ("part",), ("language",), ("wording",), ("kind",), ("language", "wording"))
        questions = (row["question_now"], row["question_then"], row["as_of"])
        found.append(World(groups, notes, row["slot"], *questions, len(statements) - 1))
    return found


def lookalikes(part: str, folder: Path = NOTES) -> list[Pair]:
    """The pairs that look like a change and are none."""
    return [
        Pair(
            _groups(row, ("part",), ("language",), ("kind",)),
            [_note(row["first"]), _note(row["second"])],
            row["first"]["text"],
        )
        for row in _rows(folder / "lookalikes.jsonl", part)
    ]


def lasting(part: str, folder: Path = NOTES) -> list[Lasting]:
    """The notes that stay true."""
    return [
        Lasting(_groups(row, ("part",), ("language",)), _note(row), row["question"])
        for row in _rows(folder / "unchanged.jsonl", part)
    ]


def other_texts(data: Path, language: str, count: int) -> list[str]:
    """Texts of others in a language: Japanese sentences of JSQuAD, or turns of LoCoMo's conversations."""
    if language != "ja":
        return list(dict.fromkeys(text for _, text, _ in locomo(data).texts.values()))[:count]
    sentences: dict[str, None] = {}
    for name in ("valid", "test"):
        file = data / f"jglue/jsquad-v1.3/{name}-v1.3.json"
        for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                text = paragraph["context"].partition(" [SEP] ")[2]
                sentences |= dict.fromkeys(f"{each}。" for each in text.split("。") if len(each) > 8)
    return list(sentences)[:count]


def locomo_questions(data: Path, count: int) -> list[str]:
    """Questions of LoCoMo, spread over its conversations."""
    asked = [question for question, *_ in locomo(data).questions]
    return asked[:: max(1, len(asked) // count)][:count]


def fill(memory: Memory, clock: Clock, texts: Sequence[str]) -> None:
    """Import texts, each a minute after the one before."""
    clock.moment = BEFORE
    sample = memory.save("the row that all others are made from")
    memory.export(stream := io.StringIO())
    header, row = stream.getvalue().splitlines()
    memory.delete(sample.node.id)
    template = json.loads(row)
    moments = [name for name, value in template.items() if value == template["created_at"]]
    with tempfile.TemporaryFile() as file:
        file.write(header.encode() + b"\n")
        for number, text in enumerate(texts):
            said = (BEFORE + timedelta(minutes=number)).isoformat(timespec="microseconds").replace("+00:00", "Z")
            node = {"id": f"other{number}", "content": text, "content_hash": sha256(text.encode()).hexdigest()}
            file.write(json.dumps({**template, **node, **dict.fromkeys(moments, said)}).encode() + b"\n")
        clock.moment = BEFORE + timedelta(days=100)
        memory.import_(file)


def _tell(told: Told, note: Note, node_id: str) -> None:
    told.ids[note] = node_id
    if note.fact is not None:
        told.statements[note.fact] = node_id


def _rows(file: Path, part: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if part in ("all", row["part"])]


def _note(said: dict[str, Any], fact: int | None = None) -> Note:
    return Note(said["text"], said["observed_at"], said.get("title"), fact)


def _groups(row: dict[str, Any], *fields: tuple[str, ...]) -> list[str]:
    """The groups that figures are given for, such as `language ja`."""
    return ["all", *(" ".join([names[0], *(row[name] for name in names)]) for names in fields)]


def _noon(day: str) -> datetime:
    return datetime.combine(datetime.fromisoformat(day), time(12), tzinfo=UTC)
