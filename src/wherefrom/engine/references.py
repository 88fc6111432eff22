"""Turns what a caller names, by the last characters of an id or by a title, into a whole id, and the id of a node that
went into that of the one that stands for it; or says that it is ambiguous, or that it was let go.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from wherefrom.engine.view import View
from wherefrom.model.errors import Conflict, Gone, InvalidInput, WherefromError, shown
from wherefrom.model.identifiers import short_id, short_ids
from wherefrom.model.param import Param
from wherefrom.model.stand_ins import Answered, note
from wherefrom.storage import receipts, references, stand_ins
from wherefrom.storage.receipts import LetGo
from wherefrom.storage.references import Candidate
from wherefrom.storage.stand_ins import Pointer

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

    Raises an error if several fit, or if the verb would delete or rewrite what is named by an alias only: that may be
    the title of another node, which went for this one.
    """
    access, moment = view.access, view.store.clock()
    found = view.store.database.read(lambda tx: references.find(tx, access, param.refers, given, moment=moment))
    if len(found) > 1:
        raise _ambiguous(given, field, found)
    if found and found[0].by_alias and param.gone in ("refused", "conflict"):
        short, words = short_id(found[0].id), _quoted(found[0].words)
        hint = f"nothing was done to {short}: give that id if it is meant"
        raise InvalidInput(f"{field} {shown(given)} is only another name of {short} {words}", hint=hint)
    return found[0].id if found else given


def answering_id(view: View, param: Param, given: str, field: str, *, is_refused: bool = False) -> str:
    """Return the id of the node that stands for one that went, with this id or with an id that ends so, and note that
    it answers; or what is given if none went that could be seen.

    Raises an error if nothing stands for it, or if `param` or `is_refused` says that what does may not answer.
    """
    access = view.access
    pointers, let_go = view.store.database.read(
        lambda tx: (
            stand_ins.find(tx, access, given),
            () if param.gone == "ahead" else receipts.find(tx, access, given),
        )
    )
    candidates = {pointer.node_id: references.gone_candidate(pointer) for pointer in pointers}
    candidates |= {gone.node.id: references.candidate_of(gone.node) for gone in let_go}
    if len(candidates) > 1:
        raise _ambiguous(given, field, list(candidates.values()))
    pointer, gone = next(iter(pointers), None), next(iter(let_go), None)
    may_answer = param.refers == "node" and param.gone in ("", "ahead") and not is_refused
    if pointer is not None and may_answer:
        note(Answered(pointer.node_id, pointer.stand_in.id, pointer.went_at))
        return pointer.stand_in.id
    if pointer is not None or (gone is not None and param.refers == "node"):
        raise _refusal(param, pointer, gone)
    return given


def _refusal(param: Param, pointer: Pointer | None, gone: LetGo | None) -> WherefromError:
    """The error for an id that went: when and why, what stands for it, and what can be done."""
    assert pointer is not None or gone is not None
    stand_in = pointer.stand_in if pointer is not None else None
    said, hints = _how_it_went(pointer, gone), []
    if gone is not None:
        hints.append(_how_to_restore(gone))
    if stand_in is not None:
        said += f"; {short_id(stand_in.id)} {_quoted(references.candidate_of(stand_in).words)} stands for it"
        hints.append(f"nothing was done to {short_id(stand_in.id)}: give that id if it is meant")
    kind = Conflict if param.gone == "conflict" and stand_in is not None else Gone
    return kind(said, hint="; ".join(hints))


def _how_it_went(pointer: Pointer | None, gone: LetGo | None) -> str:
    if gone is None:
        assert pointer is not None
        short, went_at = short_id(pointer.node_id), pointer.went_at[:19]
        return f"{pointer.stand_in.kind} {short} was let go at {went_at}Z, and its receipt is no longer kept"
    node = gone.node
    words = _quoted(references.candidate_of(node).words)
    said = f"{node.kind} {short_id(node.id)} {words} was let go at {gone.at[:19]}Z by run {short_id(gone.run_id)}"
    return f"{said}: {_WHY.get(gone.rule, gone.rule)}"


def _how_to_restore(gone: LetGo) -> str:
    until = datetime.fromisoformat(gone.at) + receipts.KEPT
    if not gone.is_theirs:
        return f"it can be restored until {until:%Y-%m-%d} by an access that sees the whole of it and may write there"
    return f"`wherefrom restore {short_id(gone.node.id)}`, or the tool restore, brings it back until {until:%Y-%m-%d}"


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
