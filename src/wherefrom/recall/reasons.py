"""The reason why a node was found, in words for people and models, made from the figures that ranked it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import Final

from wherefrom.model.graph import Node
from wherefrom.model.limits import ITEM_TOKENS, PASSAGE_CHARACTERS, REASON_BYTES
from wherefrom.model.results import Passage, Scores
from wherefrom.recall.fuse import Scored
from wherefrom.text.passages import best_passage, shared_words
from wherefrom.text.tokens import count_tokens, names_of, searched_text, terms, text_of

_MAX_WORDS: Final = 3
_MAX_WORD_CHARACTERS: Final = 24
_DAYS_A_MONTH: Final = 30
_DAYS_A_YEAR: Final = 365


def reason_in_words(
    question: str,
    node: Node,
    said: Collection[str],
    scores: Scores | Scored,
    *,
    is_reached: bool,
    helped: int,
    now: str,
) -> str:
    """Return a reason such as "says 'deploy' and 'Friday'; 42 days old; helped twice", at most 60 bytes long.

    said: the terms of what is shown of the node. is_reached: True if the graph arm came past it. helped: how often it
    was judged helpful.
    """
    words = [word for word in shared_words(question, said) if len(word) <= _MAX_WORD_CHARACTERS]
    if scores.found_through is not None:
        found = "stands for one that fits"
    elif scores.similarity is not None and scores.vector_rank is not None:
        found = "found by meaning"
    else:
        found = "linked to what fits" if is_reached else "fits by its words"
    facts = [f"helped {_times(helped)}"] if helped else []
    facts += ["pinned"] if node.pinned else []
    age = [_age(node.observed_at, now)] if node.observed_at <= now else []
    for number in range(min(len(words), _MAX_WORDS), -1, -1):
        why = f"says {_listed(words[:number])}" if number else found
        for clauses in ([why, *age, *facts], [why, *facts], [why]):
            if len((text := "; ".join(clauses)).encode()) <= REASON_BYTES and (number or not words):
                return text
    return found


def said_terms(node: Node, passage: Passage | None) -> set[str]:
    """Return the terms of a node's title, names and text, of a long one those of the passage that is shown."""
    names = names_of(node.aliases, node.metadata, node.speaker)
    return set(terms(searched_text(node.title, names, node.content if passage is None else passage.text)))


def passage_of(node: Node, question: str) -> Passage | None:
    """Return the passage of a long text that has most of the question's words; None if the text is short."""
    if len(node.content) <= PASSAGE_CHARACTERS:
        return None
    start, end = best_passage(node.content, question, characters=PASSAGE_CHARACTERS)
    return Passage(start, node.content[start:end])


def item_tokens(node: Node, passage: Passage | None) -> int:
    """Return about how many tokens a model receives of a recalled node: its title, its text or passage, its frame."""
    text = node.content if passage is None else passage.text
    return ITEM_TOKENS + count_tokens(text_of(node.title, text))


def _listed(words: Sequence[str]) -> str:
    quoted = [f"'{word}'" for word in words]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _age(observed_at: str, now: str) -> str:
    """Return how old something is: in days up to two months, in months up to two years."""
    days = (date.fromisoformat(now[:10]) - date.fromisoformat(observed_at[:10])).days
    if days == 0:
        return "from today"
    if days == 1:
        return "from yesterday"
    if days < 2 * _DAYS_A_MONTH:
        return f"{days} days old"
    if days < 2 * _DAYS_A_YEAR:
        return f"{days // _DAYS_A_MONTH} months old"
    return f"{days // _DAYS_A_YEAR} years old"
