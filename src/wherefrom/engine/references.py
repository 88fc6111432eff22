"""Turns what a caller names, by the last characters of an id or by a title, into a whole id; or says that it is
ambiguous, or that it was let go.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from wherefrom.engine.view import View
from wherefrom.model.errors import Gone, InvalidInput, shown
from wherefrom.model.identifiers import short_id, short_ids
from wherefrom.model.param import Param
from wherefrom.storage import receipts, references
from wherefrom.storage.receipts import LetGo
from wherefrom.storage.references import Candidate

_SHOWN: Final = 5
_WORD_CHARACTERS: Final = 40
# Why a node went, by the rule in its receipt.
_WHY: Final = {
    "expired": "its time was over",
    "forget": "it was to be forgotten",
    "orphan": "no relation led to it or from it",
    "restorable": "it said nothing that is not said elsewhere",
    "same text after redaction": "without what the policy forbids, it said the same as another",
    # A run writes for each node that it judged the rule by which it went. Fragments are not judged: they follow their
    # page, and their receipts have only the rule of the run.
    "metabolism": "it went with its page",
}


def whole_id(view: View, param: Param, given: str, field: str) -> str:
    """Return the whole id of what a parameter names, or what is given if there is no such thing: the verb says so.
    `field` is how errors name the parameter.
    """
    access, moment = view.access, view.store.clock()
    found = view.store.database.read(lambda tx: references.find(tx, access, param.refers, given, moment=moment))
    if len(found) > 1:
        raise _ambiguous(given, field, found)
    return found[0].id if found else given


def refuse_gone(view: View, given: str, field: str) -> None:
    """Raise an error if a node with this id, or with an id that ends so, was let go and could be seen before."""
    access = view.access
    found = view.store.database.read(lambda tx: receipts.find(tx, access, given))
    if len(found) > 1:
        raise _ambiguous(given, field, [references.candidate_of(gone.node) for gone in found])
    if found:
        raise _gone(found[0])


def _gone(gone: LetGo) -> Gone:
    node = gone.node
    short, words = short_id(node.id), references.candidate_of(node).words
    message = f"{node.kind} {short} {_quoted(words)} was let go at {gone.at[:19]}Z by run {short_id(gone.run_id)}"
    message += f": {_WHY.get(gone.rule, gone.rule)}"
    if gone.stand_in is not None:
        message += f"; {short_id(gone.stand_in.id)} {_quoted(gone.stand_in.title or '')} stands for it"
    until = datetime.fromisoformat(gone.at) + receipts.KEPT
    hint = f"`wherefrom restore {short}`, or the tool restore, brings it back until {until:%Y-%m-%d}"
    if not gone.is_theirs:
        hint = f"it can be restored until {until:%Y-%m-%d} by an access that sees the whole of it and may write there"
    return Gone(message, hint=hint)


def _ambiguous(given: str, field: str, found: Sequence[Candidate]) -> InvalidInput:
    number = f"{len(found)}" if len(found) < references.MAX_CANDIDATES else f"{len(found)} or more"
    ids = short_ids([candidate.id for candidate in found])
    named = [_named(short, candidate) for short, candidate in zip(ids, found, strict=True)]
    more = f"; and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    hint = f"give one of {'; '.join(named[:_SHOWN])}{more}"
    return InvalidInput(f"{field} {shown(given)} is ambiguous: {number} fit it", hint=hint)


def _named(short: str, candidate: Candidate) -> str:
    words = f" {_quoted(candidate.words)}" if candidate.words else ""
    kind = "" if candidate.kind == "memo" else f" ({candidate.kind})"
    return f"{short}{words}{kind} {candidate.at[:10]}"


def _quoted(words: str) -> str:
    """The beginning of a title or text, on one line and as data."""
    line = " ".join(words[: _WORD_CHARACTERS * 4].split())
    return shown(line if len(line) <= _WORD_CHARACTERS else line[: _WORD_CHARACTERS - 1] + "…")
