"""Parameters that several verbs take, declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from wherefrom.api.boundary import refuse_secret
from wherefrom.model import limits
from wherefrom.model.graph import SAVED_CLASSES, BoundaryClass, Scope
from wherefrom.model.param import Param
from wherefrom.text import check


def check_place(value: object, *, field: str) -> object:
    """A namespace that something is written to: it is kept as it is, so that it may not hold a secret."""
    if isinstance(value, str):
        refuse_secret(value, field=field)
    return value


def check_new_tag(value: object, *, field: str) -> str:
    """A tag that is kept as it is, so that it may not hold a secret."""
    if isinstance(value, str):
        refuse_secret(value, field=field)
    return check.check_tag(value, field=field)


def check_call_id(value: object, *, field: str) -> str:
    """A caller's name for a request: it is kept in events, so that it may not hold a secret."""
    name = check.check_id(value, field=field)
    refuse_secret(name, field=field)
    return name


NAMESPACE: Final = (
    "Namespace path. Omit for the default; a leading '/' starts at the root; '..' goes up, never above the root."
)

Place = Annotated[str | None, Param(NAMESPACE, option="--namespace,-n", check=check_place)]
"""Where something is written."""
Namespace = Annotated[str | None, Param(NAMESPACE + " Namespaces below it are included.", option="--namespace,-n")]
"""Where something is looked for."""
SourceWithin = Annotated[
    str | None, Param("If given, the source memo must be in it.", option="--namespace,-n", only="agents")
]
MemoWithin = Annotated[str | None, Param("If given, the memo must be in it.", option="--namespace,-n", only="agents")]
MemoId = Annotated[str, Param("The memo's id.", metavar="MEMO_ID", check=check.check_id)]
SourceId = Annotated[
    str, Param("The memo that it leads from.", name="source_memo_id", metavar="SOURCE_ID", check=check.check_id)
]
TargetId = Annotated[
    str, Param("The memo that it leads to.", name="target_memo_id", metavar="TARGET_ID", check=check.check_id)
]
_TAG = "What kind of relation: lower-case words joined by '_', e.g. supports, conflicts, explains. 64 characters."
NewTag = Annotated[str, Param(_TAG, option="--tag,-t", check=check_new_tag)]
Tag = Annotated[str, Param(_TAG, option="--tag,-t", check=check.check_tag)]
AnyTag = Annotated[str | None, Param("Only relations with this tag.", option="--tag,-t", check=check.check_tag)]
Cursor = Annotated[str | None, Param("next_cursor of the page before.")]
Filter = Annotated[
    Mapping[str, Any] | None,
    Param('Only memos whose metadata has these values, e.g. {"source": "meeting"}.', check=check.check_filter),
]
RequestId = Annotated[
    str | None, Param("Your name for this request, for the event log.", check=check_call_id, only="agents")
]
TraceId = Annotated[str | None, Param("The chain of requests that it belongs to.", check=check_call_id, only="agents")]
TaskId = Annotated[
    str | None, Param("Only what belongs to this task.", option="--task", metavar="TASK_ID", check=check.check_id)
]
Class = Annotated[
    BoundaryClass | None, Param("Who may see it; internal if omitted.", words=SAVED_CLASSES, option="--class")
]
SqlRows = Annotated[int, Param("Rows at most.", 1, limits.SQL_ROWS)]
DryRun = Annotated[bool, Param("Only say what would be done.")]


def check_query(value: object, *, field: str) -> str:
    """A question or some words to look for."""
    return check.check_text(value, field=field, size=limits.QUERY_BYTES)


Scopes = Annotated[Sequence[Scope], Param("Only what was saved with one of these scopes.", option="--scope")]
