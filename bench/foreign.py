"""Whether an answer tells that nothing is about a question: questions of the store against questions of other stores.

WHEREFROM_BENCH_DATA=… python -m bench.foreign --as after [--sets locomo scifact …] [--questions 400] [--databases sqlite]

A question's figure is the greatest `relevance` in its active context; of a program whose items have none, the score of
the first item. AUC: how often an answerable question has a greater figure than a foreign one. `told`: the share that
the answer itself says nothing of, with the settings as they are. Then the share of foreign ones below a threshold that
loses 4 % of the answerable ones of the set, and below one for all sets that loses 4 % of all. JSQuAD is asked questions
about paragraphs of its other half, too (`same language`). LoCoMo's category 5 asks one person what the other one did:
by the figure, and by the best item of the named speaker less the best of others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bench import retrieval, stores
from bench.measure import command, keep, options_of
from bench.recall import fill
from bench.recall_sets import Clock, Passages, locomo, longmemeval, musique, plain
from wherefrom import Memory
from wherefrom.model.results import ActiveContext, ContextItem

LOST = 0.04
ADVERSARIAL = 5
Question = tuple[str, str, datetime]
"""Text, namespace, time."""


@dataclass
class Asked:
    """The figures of some questions, and how many answers say that nothing here is about the question."""

    figures: list[float] = field(default_factory=list)
    told: int = 0
    by_speaker: list[float] = field(default_factory=list)

    def share_told(self) -> float:
        return round(self.told / max(1, len(self.figures)), 4)


def main() -> None:
    options = options_of(__doc__, sets=list(SETS), databases=["sqlite"])
    options.add_argument("--questions", type=int, default=400, help="of each kind and set")
    options.add_argument("--seed", type=int, default=13)
    given = options.parse_args()
    data = Path(given.data)
    for database in given.databases:
        asked = {}
        for name in given.sets:
            known, foreign = chosen(name, data, given.questions, given.seed)
            with getattr(stores, database)() as url:
                asked[name] = answered(url, SETS[name](data), known, foreign)
            kept = {"command": command("foreign"), **told_apart(asked[name])}
            keep("foreign", {given.label: {f"{name} {database}": kept}})
        if len(asked) == len(SETS):
            keep("foreign", {given.label: {f"one threshold {database}": one_threshold(asked)}})


def chosen(name: str, data: Path, count: int, seed: int) -> tuple[list[Question], dict[str, list[Question]]]:
    """Questions that the store of a set answers, and those of others, which are asked at the same places and times."""
    chance = random.Random(seed)
    own = SETS[name](data).questions
    known = [(text, namespace, now) for text, namespace, _, now in chance.sample(own, min(count, len(own)))]
    others: list[str] = []
    for other, make in SETS.items():
        if other not in (name, "jsquad"):
            asked = [text for text, _, _, _ in make(data).questions]
            others += chance.sample(asked, min(count, len(asked)))
    kinds = {"foreign": chance.sample(others, min(len(known), len(others)))}
    if name == "jsquad":
        kinds["same language"] = [text for text, _, _ in chance.sample(_other_half(data), len(known))]
    foreign = {
        kind: [(text, namespace, now) for text, (_, namespace, now) in zip(texts, known, strict=False)]
        for kind, texts in kinds.items()
    }
    if name == "locomo":
        wrong = [(text, namespace, now) for text, namespace, _, now in locomo(data, (ADVERSARIAL,)).questions]
        foreign["category 5"] = chance.sample(wrong, min(count, len(wrong)))
    return known, foreign


def answered(
    url: str, passages: Passages, known: Sequence[Question], foreign: dict[str, list[Question]]
) -> dict[str, Asked]:
    """Save the texts, ask all questions, and note the figures by kind of question."""
    clock = Clock()
    with Memory.open(url, clock=clock) as memory:
        ids = fill(memory, clock, passages)
        speakers = {ids[text_id]: speaker for text_id, speaker in passages.speakers.items()}
        return {
            kind: ask(memory, clock, questions, speakers)
            for kind, questions in {"answerable": list(known), **foreign}.items()
        }


def ask(memory: Memory, clock: Clock, questions: Sequence[Question], speakers: dict[str, str]) -> Asked:
    found = Asked()
    for text, namespace, now in questions:
        clock.moment = now
        context = memory.activate(text, namespace=namespace)
        found.figures.append(max(map(figure, context.items), default=0.0))
        found.told += says_nothing(context)
        by_speaker = above_others(text, context, speakers)
        if by_speaker is not None:
            found.by_speaker.append(by_speaker)
    return found


def figure(item: ContextItem) -> float:
    """How relevant an item is by itself, or its score on a commit whose items say only that."""
    relevance = getattr(item, "relevance", None)
    return float(item.score if relevance is None else relevance)


def says_nothing(context: ActiveContext) -> bool:
    """True if the answer says that nothing is about the question, or is empty."""
    return not context.items or bool(re.match(r"nothing\b", context.note or "", re.IGNORECASE))


def above_others(question: str, context: ActiveContext, speakers: dict[str, str]) -> float | None:
    """The best item of the one speaker that a question names, less the best of others; None if it does not name one."""
    named = {speaker for speaker in set(speakers.values()) if re.search(rf"\b{re.escape(speaker)}\b", question)}
    if len(named) != 1:
        return None
    own, others = [0.0], [0.0]
    for item in context.items:
        (own if speakers.get(item.node.id) in named else others).append(figure(item))
    return max(own) - max(others)


def told_apart(asked: dict[str, Asked]) -> dict[str, object]:
    """Of each kind of foreign questions: how well they are told from answerable ones, and what is told of them."""
    known = asked["answerable"]
    limit = threshold(known.figures)
    kinds = {kind: questions for kind, questions in asked.items() if kind != "answerable"}
    found: dict[str, object] = {"answerable": len(known.figures), "answerable_told": known.share_told()}
    for kind, questions in kinds.items():
        row = {
            "questions": len(questions.figures),
            "auc": auc(known.figures, questions.figures),
            "told": questions.share_told(),
            "below_own_threshold": share_below(questions.figures, limit),
        }
        if kind == "category 5":
            row |= {"auc_by_speaker": auc(known.by_speaker, questions.by_speaker)}
        found[kind] = row
    return found


def one_threshold(asked: dict[str, dict[str, Asked]]) -> dict[str, object]:
    """The share of answerable and of foreign questions below one threshold for all sets."""
    limit = threshold([value for kinds in asked.values() for value in kinds["answerable"].figures])
    return {
        "threshold": round(limit, 4),
        **{
            name: {kind: share_below(questions.figures, limit) for kind, questions in kinds.items()}
            for name, kinds in asked.items()
        },
    }


def threshold(figures: Sequence[float]) -> float:
    """The greatest value that at most 4 % of the figures are below."""
    return sorted(figures)[int(len(figures) * LOST)]


def share_below(figures: Sequence[float], limit: float) -> float:
    return round(sum(value < limit for value in figures) / max(1, len(figures)), 4)


def auc(greater: Sequence[float], less: Sequence[float]) -> float | None:
    """The probability that one of the first is greater than one of the second; an equal one counts as half."""
    if not greater or not less:
        return None
    wins = sum((one > other) + (one == other) / 2 for one in greater for other in less)
    return round(wins / len(greater) / len(less), 4)


def _other_half(data: Path) -> list[tuple[str, str, set[str]]]:
    """Questions about paragraphs that are not in the store: of JSQuAD's test part, of articles that are not there."""
    stored = {title for title, _, _ in retrieval.jsquad(data).texts.values()}
    other = retrieval.jsquad(data, "test")
    return [row for row in other.questions if other.texts[next(iter(row[2]))][0] not in stored]


SETS: dict[str, Callable[[Path], Passages]] = {
    "locomo": locomo,
    "longmemeval": longmemeval,
    "musique": musique,
    "scifact": plain(retrieval.scifact),
    "jsquad": plain(retrieval.jsquad),
}

if __name__ == "__main__":
    main()
