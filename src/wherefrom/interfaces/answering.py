"""The one way from a verb's result to JSON, whoever asked: tools, commands with `--json`, later routes."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, Final

from pydantic_core import from_json

from wherefrom.interfaces import graph_answers as graph
from wherefrom.interfaces.shape import ANSWERS, Answer, mirror
from wherefrom.model.evidence import QueryResult
from wherefrom.model.results import ActiveContext, SearchResult

# Keys of an answer and its items that have a value only when it is asked to explain.
_EXPLAINED: Final = ("scores", "factors", "features", "parameters", "filtered")
# The keys that come last in an answer.
_LAST: Final = ("next_cursor", "truncated")
_NO_ROWS: Final = QueryResult((), (), False, 0)


def answer_of(result: Any) -> type[Answer]:
    """Return the answer that is declared for a kind of result, or its mirror."""
    return ANSWERS.get(result) or mirror(result)


def value_of(result: Any, root: str, *, answer: type[Answer] | None = None, explain: bool = False) -> Any:
    """Return a result as plain JSON values. `explain` adds how scores came about, or what was judged and not taken."""
    if answer is None and isinstance(result, tuple | list):
        return [value_of(entry, root, explain=explain) for entry in result]
    if not is_dataclass(result) and answer is None:
        return result
    if isinstance(result, tuple):  # the analyses that there are
        return _dumped(graph.ViewResult.of(_NO_ROWS, views=result))
    values = {"root_namespace": root} if not hasattr(result, "root_namespace") else {}
    value = _dumped((answer or answer_of(type(result))).of(result, explain=explain, **values))
    return value if explain else _unexplained(value, type(result))


def _dumped(answer: Answer) -> Any:
    # By way of Pydantic's JSON, which has a word for what JSON has not, such as an infinite number.
    value: dict[str, Any] = from_json(answer.model_dump_json())
    last = {name: value.pop(name) for name in _LAST if name in value}
    return {**value, **last}


def _unexplained(value: dict[str, Any], kind: type) -> dict[str, Any]:
    if kind in (SearchResult, ActiveContext):
        for holder in (value, *value["items"]):
            holder |= {name: None for name in _EXPLAINED if name in holder}
    return value
