"""The analyses: SQL in `views/*.sql.j2`, each with a header that says what question it answers.

A template may use the tables that agents see and one parameter, :task_id, which is bound and never pasted. Rendered
without a task it is the view of that name.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from wherefrom.model.errors import NotFound, shown
from wherefrom.model.evidence import Rendered, ViewShape

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX: Final = ".sql.j2"
_PREFIX: Final = "v_"
_QUESTION: Final = re.compile(r"^-- question: (.+)$", re.MULTILINE)
_COLUMNS: Final = re.compile(r"^-- columns: (.+(?:\n--   .+)*)", re.MULTILINE)
_COMMENT: Final = re.compile(r"^\s*--.*(?:\n|$)", re.MULTILINE)


def list_views() -> tuple[ViewShape, ...]:
    """All views by name, with their questions and columns."""
    return tuple(_shape(name) for name in _names())


def render(name: str, dialect: str, *, task_id: str | None = None) -> Rendered:
    """A view's SQL for a database; with a task, about that task alone."""
    known = name if name.startswith(_PREFIX) else _PREFIX + name
    if known not in _names():
        raise NotFound(f"there is no view {shown(name)}", hint=f"one of {', '.join(_names())}")
    template = _environment().get_template(known + _SUFFIX)
    text = _COMMENT.sub("", template.render(dialect=dialect, task_id=task_id is not None)).strip()
    return Rendered(text, {} if task_id is None else {"task_id": task_id})


def all_rendered(dialect: str) -> dict[str, str]:
    """The definition of each view."""
    return {name: render(name, dialect).sql for name in _names()}


@cache
def _names() -> tuple[str, ...]:
    folder = files("wherefrom.explore").joinpath("views")
    found = (file.name for file in folder.iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.startswith(_PREFIX)))


@cache
def _shape(name: str) -> ViewShape:
    text = files("wherefrom.explore").joinpath("views", name + _SUFFIX).read_text(encoding="utf-8")
    question, columns = _QUESTION.search(text), _COLUMNS.search(text)
    assert question is not None, f"{name} has no question"
    assert columns is not None, f"{name} names no columns"
    listed = columns[1].replace("\n--", " ").split(",")
    return ViewShape(name, question[1], tuple(column.strip() for column in listed if column.strip()))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # What it makes is SQL and no page: nothing to escape, and no text of a caller enters it.
    return Environment(
        loader=PackageLoader("wherefrom.explore", "views"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
    )
