"""Parameters that several verbs take, declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from wherefrom.lazy import lazy_modules
from wherefrom.model import limits
from wherefrom.model.graph import SAVED_CLASSES, BoundaryClass, Scope
from wherefrom.model.param import Param, Reference
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.engine import boundary
else:  # what only declares parameters, such as the process that reads a document, checks none
    (boundary,) = lazy_modules("wherefrom.engine", "boundary")


def check_place(value: object, *, field: str) -> object:
    """Return a namespace that is written to; one that holds a secret is refused, because it is stored as it is."""
    if isinstance(value, str):
        boundary.refuse_secret(value, field=field)
    return value


def check_new_tag(value: object, *, field: str) -> str:
    """Return a tag that is stored as it is; one that holds a secret is refused."""
    return check.check_tag(check_place(value, field=field), field=field)


def check_slot(value: object, *, field: str) -> str:
    """Return a slot, which is stored and shown as it is: one that holds a secret or personal data is refused."""
    slot = check.check_slot(value, field=field)
    boundary.refuse_findings(str(value), field=field, hint="name the thing and not its value: people/anna/phone")
    return slot


def check_session(value: object, *, field: str) -> str:
    """Return a session, which is stored and shown as it is: one that holds a secret or personal data is refused."""
    session = check.check_session(value, field=field)
    boundary.refuse_findings(session, field=field, hint="call the conversation by a name or a number")
    return session


def check_call_id(value: object, *, field: str) -> str:
    """Return a caller's name for a request; one that holds a secret is refused, because events keep it."""
    name = check.check_id(value, field=field)
    boundary.refuse_secret(name, field=field)
    return name


def id_param(text: str, *, refers: Reference = "node", metavar: str = "", **given: Any) -> Param:
    """Declare a parameter that is the id of a node, or of what it `refers` to; `given` are further values of `Param`.

    A node may be named by its title, too.
    """
    check_form, usual = check.check_id, f"{refers.upper()}_ID"
    if refers in ("node", "any", "retired"):
        check_form, usual = check.check_reference, "MEMO_ID"
    return Param(text, metavar=metavar or usual, check=check_form, refers=refers, **given)


def namespace_param(text: str, **given: Any) -> Param:
    """Declare a parameter that is a namespace; `given` are further values of `Param`."""
    return Param(text, option="--namespace,-n", **given)


NAMESPACE: Final = "A path; '/…' from the root, '..' up. Omit for the default."

Place = Annotated[str | None, namespace_param(NAMESPACE, check=check_place)]
"""Where something is written."""
Namespace = Annotated[str | None, namespace_param(NAMESPACE + " With those below it.")]
"""Where something is looked for."""
SourceWithin = Annotated[str | None, namespace_param("If given, the source memo must be in it.", only="agents")]
MemoWithin = Annotated[str | None, namespace_param("If given, the memo must be in it.", only="agents")]
MemoId = Annotated[str, id_param("The memo's id.")]
DeletedId = Annotated[str, id_param("The memo's id.", gone="refused")]
SourceId = Annotated[str, id_param("The memo that it leads from.", name="source_memo_id", metavar="SOURCE_ID")]
TargetId = Annotated[str, id_param("The memo that it leads to.", name="target_memo_id", metavar="TARGET_ID")]
_TAG = "What kind of relation: lower-case words joined by '_', e.g. supports, conflicts, explains. 64 characters."
NewTag = Annotated[str, Param(_TAG, option="--tag,-t", check=check_new_tag)]
Tag = Annotated[str, Param(_TAG, option="--tag,-t", check=check.check_tag)]
AnyTag = Annotated[str | None, Param("Only relations with this tag.", option="--tag,-t", check=check.check_tag)]
Cursor = Annotated[str | None, Param("next_cursor.")]
_METADATA = 'Only memos whose metadata has these values, e.g. {"source": "meeting"}.'
Filter = Annotated[Mapping[str, Any] | None, Param(_METADATA, check=check.check_filter)]
_REQUEST = "Your name for this request, for the event log."
RequestId = Annotated[str | None, Param(_REQUEST, check=check_call_id, only="agents")]
TraceId = Annotated[str | None, Param("The chain of requests that it belongs to.", check=check_call_id, only="agents")]
TaskId = Annotated[str | None, id_param("Only what belongs to this task.", refers="task", option="--task")]
_CLASS = "Who may see it; internal if omitted."
Class = Annotated[BoundaryClass | None, Param(_CLASS, words=SAVED_CLASSES, option="--class")]
# A node may have so many versions.
VERSION_HIGH: Final = 2**30
SqlRows = Annotated[int, Param("Rows at most.", 1, limits.SQL_ROWS)]
DryRun = Annotated[bool, Param("Only say what would be done.")]


def check_query(value: object, *, field: str) -> str:
    """Return a question, or some words to look for; a blank or too long one is refused."""
    return check.check_text(value, field=field, size=limits.QUERY_BYTES)


_DATE = "2026, 2026-03, 2026-03-14 or a time"
Since = Annotated[str | None, Param("Only what was observed since then.", metavar="DATE", check=check.check_start)]
Until = Annotated[str | None, Param("Only what was observed until then.", metavar="DATE", check=check.check_moment)]
_AS_OF = f"What held then: {_DATE}."
AsOf = Annotated[str | None, Param(_AS_OF, metavar="DATE", check=check.check_moment)]
_WRITTEN_BY = "Only what was written with the key of this name."
WrittenBy = Annotated[str | None, Param(_WRITTEN_BY, metavar="NAME", check=check.check_speaker)]
_KNOWN_AT = "What this memory said then."
KnownAt = Annotated[str | None, Param(_KNOWN_AT, metavar="DATE", check=check.check_moment)]

Scopes = Annotated[Sequence[Scope], Param("Only what was saved with one of these scopes.", option="--scope")]
