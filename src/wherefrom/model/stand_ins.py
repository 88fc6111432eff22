"""Stand-ins: nodes that answer for others that went, and what the answer to a call says of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from wherefrom.model.identifiers import short_id

ASKED_FOR: Final = "The id that was asked for went: since when, and which node stands for it and answers."


@dataclass(frozen=True, slots=True)
class StandIn:
    """A node that went, the one that it went for, and the last of that chain, which is here and answers for it."""

    node_id: str
    stand_in_id: str
    leads_to_id: str
    went_at: str


@dataclass(frozen=True, slots=True)
class Answered:
    """An id that a caller asked for and that went, and the node that answers instead."""

    asked_id: str
    answer_id: str
    went_at: str

    def sentence(self, *, whole_ids: bool) -> str:
        """Say it in words."""
        asked, answer = (known if whole_ids else short_id(known) for known in (self.asked_id, self.answer_id))
        return f"{asked} was let go on {self.went_at[:10]}; {answer} stands for it and answers"


_NOTES: Final[ContextVar[list[Answered] | None]] = ContextVar("answered_by_stand_ins", default=None)


@contextmanager
def noting() -> Iterator[list[Answered]]:
    """Collect what is noted while a call runs: the ids that it asked for and that others answered for."""
    notes: list[Answered] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def note(answered: Answered) -> None:
    """Note that a stand-in answers, if somebody collects it."""
    notes = _NOTES.get()
    if notes is not None and answered not in notes:
        notes.append(answered)


def noted() -> tuple[Answered, ...]:
    """Return what was noted of the call under way."""
    return tuple(_NOTES.get() or ())


def asked_for(*, whole_ids: bool = True) -> str | None:
    """Say of the call under way which ids others answered for; None if it got what it asked for."""
    return "; ".join(known.sentence(whole_ids=whole_ids) for known in noted()) or None
