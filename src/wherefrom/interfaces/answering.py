"""The one way from a verb's result to JSON, whoever asked: tools, commands with `--json`, later routes."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import partial
from typing import Any, Final

from pydantic_core import from_json

from wherefrom.interfaces import graph_answers as graph
from wherefrom.interfaces.shape import ANSWERS, Answer, Lean, mirror
from wherefrom.model.evidence import QueryResult

# The keys that come last in an answer.
_LAST: Final = ("next_cursor", "truncated")
_NO_ROWS: Final = QueryResult((), (), False, 0)


def answer_of(result: Any) -> type[Answer]:
    """Return the answer that is declared for a kind of result, or its mirror."""
    return ANSWERS.get(result) or mirror(result)


def value_of(
    result: Any, root: str, *, answer: type[Answer] | None = None, explain: bool = False, lean: Lean | None = None
) -> Any:
    """Return a result as plain JSON values. `explain` adds how scores came about, or what was judged and not taken;
    `lean` leaves out what a model does not need.
    """
    if answer is None and isinstance(result, tuple | list):
        return [value_of(entry, root, explain=explain) for entry in result]
    shown = partial(_dumped, lean=lean)
    if not is_dataclass(result) and answer is None:
        return result
    if isinstance(result, tuple):  # the analyses that there are
        return shown(graph.ViewResult.of(_NO_ROWS, views=result))
    values = {"root_namespace": root} if not hasattr(result, "root_namespace") else {}
    return shown((answer or answer_of(type(result))).of(result, explain=explain, **values))


def _dumped(answer: Answer, *, lean: Lean | None) -> Any:
    # By way of Pydantic's JSON, which has a word for what JSON has not, such as an infinite number.
    value: dict[str, Any] = from_json(answer.model_dump_json(context=lean))
    last = {name: value.pop(name) for name in _LAST if name in value}
    return {**value, **last}
