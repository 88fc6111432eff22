"""What an active context of long messages costs a model, and what it holds beside whole texts within 6,000 tokens.

WHEREFROM_BENCH_DATA=… python -m bench.long_messages --as after [--sets longmemeval sessions …] [--questions 400]

`longmemeval` is the pool of evidence turns, assistants' answers included; `sessions` has each of LoCoMo's sessions as
one message (some 600 words), `stretches` pieces of them of some 1,400 characters, `scifact` abstracts; each in one
namespace, with the settings as they are. Recall@12 counts texts; whole texts are those of the same order of which the
whole fits 6,000 tokens (bytes / 4 and the frame of an item). `evidence_shown` is the share of LoCoMo's evidence turns
that can be read in the answer: half of their word pairs stand in what is shown of the texts.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from bench import retrieval, stores
from bench.answers import IDS, size
from bench.measure import command, keep, options_of
from bench.recall import mean
from bench.recall_sets import Clock, Passages, locomo, longmemeval
from wherefrom import Memory
from wherefrom.interfaces.mcp.tools import answer
from wherefrom.model.results import ContextItem

WHOLE_TOKENS, FRAME_TOKENS = 6_000, 28
STRETCH = 1_400
# The answer of the tool is made for one question of so many.
EVERY = 4


@dataclass
class Messages:
    """Texts by id, and questions with the ids that answer them and, where known, the words that do."""

    texts: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    questions: list[tuple[str, set[str], list[str]]] = field(default_factory=list)


def main() -> None:
    options = options_of(__doc__, sets=list(SETS), databases=["sqlite"])
    options.add_argument("--questions", type=int, default=400, help="of each set")
    given = options.parse_args()
    for name in given.sets:
        messages = SETS[name](Path(given.data))
        random.Random(17).shuffle(messages.questions)
        del messages.questions[given.questions :]
        for database in given.databases:
            with getattr(stores, database)() as url:
                row = {"command": command("long_messages"), **measure(url, messages)}
            keep("long_messages", {given.label: {f"{name} {database}": row}})


def measure(url: str, messages: Messages) -> dict[str, float]:
    """Means over the questions, with the settings as they are."""
    rows: dict[str, list[float]] = defaultdict(list)
    with Memory.open(url, clock=Clock()) as memory:
        ids = stores.import_texts(memory, {each: (*text, "main") for each, text in messages.texts.items()})
        for number, (question, relevant, words) in enumerate(messages.questions):
            wanted = {ids[text_id] for text_id in relevant}
            context = memory.activate(question)
            found = [item.node.id for item in context.items]
            rows["tokens"].append(context.tokens)
            if number % EVERY == 0:
                lean = {**answer(memory, "memory_activate", {"query": question}), **IDS}
                rows["lean_tokens"].append(size(lean) / 4)
            rows["items"].append(len(found))
            rows["recall"].append(len(wanted & set(found)) / len(wanted))
            whole = within([(item.node.id, item.node.content) for item in context.items], WHOLE_TOKENS)
            rows["recall_whole_texts"].append(len(wanted & set(whole)) / len(wanted))
            rows["tokens_whole_texts"].append(sum(tokens_of(item.node.content) for item in context.items))
            if words:
                seen = " ".join(shown(item) for item in context.items)
                rows["evidence_shown"].append(sum(is_in(part, seen) for part in words) / len(words))
                texts = " ".join(item.node.content for item in context.items if item.node.id in whole)
                rows["evidence_in_whole_texts"].append(sum(is_in(part, texts) for part in words) / len(words))
    figures = {name: mean(values) for name, values in rows.items()}
    most = {f"{name}_most": round(max(rows[name])) for name in ("tokens", "lean_tokens")}
    lengths = [len(text) for _, text in messages.texts.values()]
    counts = {"texts": len(lengths), "questions": len(messages.questions), "mean_characters": mean(lengths)}
    return {**counts, **figures, **most}


def within(texts: list[tuple[str, str]], tokens: int) -> list[str]:
    """The ids of the first texts that fit the tokens as a whole; one that does not is passed over."""
    kept = []
    for text_id, text in texts:
        if tokens_of(text) <= tokens:
            tokens -= tokens_of(text)
            kept.append(text_id)
    return kept


def tokens_of(text: str) -> int:
    return FRAME_TOKENS + len(text.encode()) // 4


def shown(item: ContextItem) -> str:
    """What an answer shows of a text: its passages, or the whole of a short one."""
    passages = getattr(item, "passages", None) or [item.passage]
    texts = [passage.text for passage in passages if passage is not None]
    return " … ".join(texts) or item.node.content


def is_in(part: str, text: str) -> bool:
    """True if at least half of the word pairs of a part stand in a text."""
    pairs = _pairs(part)
    return len(pairs & _pairs(text)) * 2 >= len(pairs)


def _pairs(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"\w+", text.casefold())
    return set(pairwise(words))


def sessions(data: Path, characters: int | None = None) -> Messages:
    """LoCoMo's sessions, each one text or in stretches of so many characters."""
    talk, found = locomo(data), Messages()
    texts: dict[str, list[str]] = defaultdict(list)
    place, lengths = {}, defaultdict(int)
    for turn, session in talk.sessions.items():
        number = lengths[session] // characters if characters else 0
        place[turn] = f"{session} {number}"
        texts[place[turn]].append(talk.texts[turn][1])
        lengths[session] += len(talk.texts[turn][1])
    found.texts = {each: (None, "\n".join(turns)) for each, turns in texts.items()}
    for question, _, relevant, _ in talk.questions:
        words = [talk.texts[turn][1] for turn in sorted(relevant)]
        found.questions.append((question, {place[turn] for turn in relevant}, words))
    return found


def stretches(data: Path) -> Messages:
    return sessions(data, STRETCH)


def memories(data: Path) -> Messages:
    return _whole(longmemeval(data))


def abstracts(data: Path) -> Messages:
    known = retrieval.scifact(data)
    texts = {each: (title, text) for each, (title, text, _) in known.texts.items()}
    return Messages(texts, [(question, relevant, []) for question, _, relevant in known.questions])


def _whole(passages: Passages) -> Messages:
    texts = {each: (title, text) for each, (title, text, _) in passages.texts.items()}
    return Messages(texts, [(question, relevant, []) for question, _, relevant, _ in passages.questions])


SETS: dict[str, Callable[[Path], Messages]] = {
    "longmemeval": memories,
    "sessions": sessions,
    "stretches": stretches,
    "scifact": abstracts,
}

if __name__ == "__main__":
    main()
