"""The analyses: SQL in `views/v_*.sql`, each with a header that names the question it answers and its columns.

They are written in the language of `storage/sql.py`, over the tables that agents see. Their one parameter is :task_id;
rendered without a task an analysis is the view of that name.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from wherefrom.model.errors import NotFound, shown
from wherefrom.model.evidence import Rendered, ViewShape
from wherefrom.storage import sql

_PREFIX: Final = "v_"
_QUESTION: Final = re.compile(r"^-- question: (.+)$", re.MULTILINE)
_COLUMNS: Final = re.compile(r"^-- columns: (.+(?:\n--   .+)*)", re.MULTILINE)


def list_views() -> tuple[ViewShape, ...]:
    """Return all views by name, with their questions and columns."""
    shapes = []
    for name, text in _texts().items():
        (question,), (columns,) = _QUESTION.findall(text), _COLUMNS.findall(text)
        listed = columns.replace("\n--", " ").split(",")
        shapes.append(ViewShape(name, question, tuple(column.strip() for column in listed if column.strip())))
    return tuple(shapes)


def render(name: str, *, task_id: str | None = None) -> Rendered:
    """Return the SQL of a view, with a task about that task alone, and its parameters."""
    text = _texts().get(name if name.startswith(_PREFIX) else _PREFIX + name)
    if text is None:
        raise NotFound(f"there is no view {shown(name)}", hint=f"one of {', '.join(_texts())}")
    given = {} if task_id is None else {"task_id": task_id}
    return Rendered(sql.render(text, sql.blocks("views", __package__).fragments, given), given)


def all_rendered() -> dict[str, str]:
    """Return the SQL of each view, by name."""
    return {name: render(name).sql for name in _texts()}


@cache
def _texts() -> dict[str, str]:
    folder = files(__package__).joinpath("views")
    found = sorted(file.name for file in folder.iterdir() if file.name.startswith(_PREFIX))
    return {name.removesuffix(".sql"): folder.joinpath(name).read_text(encoding="utf-8") for name in found}
