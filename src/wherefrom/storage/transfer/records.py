"""The lossless JSONL stream: one JSON object a line, first the header, then tasks, nodes, edges and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Final, get_args

from wherefrom.former_name import FORMER, NAME
from wherefrom.model import limits, namespaces
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.evidence import Correction, CorrectionAction, Query, Task
from wherefrom.model.graph import BoundaryClass, ClaimKind, Edge, Node, NodeKind, QueryType, Scope, TaskStatus
from wherefrom.storage import edges, nodes
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.storage.transfer import rules
from wherefrom.text import check, detect

FORMAT: Final = 1
# What the first line is called: the program, by its present or its former name.
HEADERS: Final = (NAME, FORMER)
_UTILITY_LIMIT: Final = 1e12
# JSON allows them inside a string, yet many programs would end the line there.
_LINE_BREAKS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a namespace."""

    namespace: str
    name: str
    value: str
    updated_at: str


Record = Task | Query | Node | Edge | Correction | Setting


def export(tx: Transaction, access: Access, *, now: str, shared: bool = False) -> Iterator[str]:
    """The lines of the stream: everything the access may see in its root, oldest first. With `shared`, what others may
    have of it: nothing of the class pii, and texts without personal data.
    """
    access = access.own()
    yield check.json_text({"type": NAME, "format": FORMAT, "exported_at": now, "root_namespace": access.root})
    others = replace(access, classes=tuple(name for name in access.classes if name != "pii")) if shared else access
    scope = scope_parameters(others)
    for row in tx.stream("task_export", scope):
        yield line("task", Task(*row))
    for row in tx.stream("query_export", scope):
        yield line("query", Query(*row))
    known: set[str] = set()
    for row in tx.stream("node_export", scope):
        node = nodes.seen(others, nodes.from_row(row))
        if node is not None:
            known.add(node.id)
            yield line("node", node)
    # A link of a text with personal data is as restricted as that, and others have the text.
    for row in tx.stream("edge_export", scope_parameters(access)):
        edge = edges.from_row(row)
        if not shared:
            yield line("edge", edge)
        elif edge.source_id in known and edge.target_id in known:
            yield line("edge", replace(edge, reason=edge.reason and detect.redact(edge.reason, detect.KINDS)[0]))
    for row in tx.stream("correction_export", scope):
        yield line("correction", Correction(*row))
    for row in tx.stream("setting_export", scope):
        yield line("setting", Setting(*row))


def parse(line: Mapping[str, Any], access: Access, *, split: bool = False) -> Record | None:
    """The checked record of a line, None for a header; with `split`, a memo may be of any length."""
    match line.get("type"):
        case kind if kind in HEADERS:
            if line.get("format") != FORMAT:
                raise InvalidInput(
                    f"the stream has format {shown(line.get('format'))}; this program reads {FORMAT}",
                    hint="upgrade wherefrom",
                )
            return None
        case "node":
            is_long = split and line.get("kind") == "memo"
            node = Node(**_checked(line, _LONG_NODE_FIELDS if is_long else _NODE_FIELDS))
            _refuse_secret(node.boundary_class)
            _refuse_secret(node.open_class)
            if check.content_hash(node.content) != node.content_hash:
                raise InvalidInput("content_hash does not match the content")
            _refuse_outside(node.namespace, access)
            return rules.checked_node(node)
        case "edge":
            return Edge(**_checked(line, _EDGE_FIELDS))
        case "task":
            task = Task(**_checked(line, _TASK_FIELDS))
            _refuse_secret(task.boundary_class)
            _refuse_outside(task.namespace, access)
            return task
        case "correction":
            return Correction(**_checked(line, _CORRECTION_FIELDS))
        case "query":
            return Query(**_checked(line, _QUERY_FIELDS))
        case "setting":
            setting = Setting(**_checked(line, _SETTING_FIELDS))
            _refuse_outside(setting.namespace, access)
            return setting
        case other:
            raise InvalidInput(f"{shown(other)} is not a type of record")


def _refuse_secret(boundary_class: BoundaryClass) -> None:
    if boundary_class == "secret":
        raise InvalidInput("text of the boundary class 'secret' is not stored")


def _refuse_outside(namespace: str, access: Access) -> None:
    if not namespaces.is_inside(namespace, access.root):
        raise InvalidInput(
            f"namespace {shown(namespace)} lies outside the root {shown(access.root)}",
            hint="import with the root of the export, and rename the namespace afterwards",
        )


def line(kind: str, record: Record) -> str:
    """A record as it stands in the stream."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return check.json_text({"type": kind, **values}).translate(_LINE_BREAKS)


Checker = Callable[[object], Any]


def _optional(checker: Checker) -> Checker:
    return lambda value: None if value is None else checker(value)


def _one_of(literal: object, field: str) -> Checker:
    choices = get_args(literal)

    def checked(value: object) -> object:
        if value not in choices:
            raise InvalidInput(f"{field} {shown(value)} is not one of {', '.join(choices)}")
        return value

    return checked


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _UTILITY_LIMIT:
        raise InvalidInput(f"utility {shown(value)} is not a number below {_UTILITY_LIMIT:g}")
    return float(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput("pinned must be true or false")
    return value


def _hash(value: object) -> str:
    return check.check_text(value, field="content_hash", characters=64)


def _version(value: object) -> int:
    return check.check_whole(value, field="version", low=1, high=2**30)


def _id(field: str) -> Checker:
    return partial(check.check_id, field=field)


def _time(field: str) -> Checker:
    return partial(check.check_time, field=field)


def _count(field: str) -> Checker:
    return partial(check.check_whole, field=field, low=0, high=2**31 - 1)


def _words(field: str) -> Checker:
    return partial(check.check_text, field=field, size=limits.QUERY_BYTES)


def _namespace(value: object) -> str:
    return namespaces.parse(check.check_text(value, field="namespace"))


_NODE_FIELDS: Final[Mapping[str, Checker]] = {
    "id": _id("id"),
    "namespace": _namespace,
    "kind": _one_of(NodeKind, "kind"),
    "title": check.check_title,
    "content": check.check_content,
    "metadata": check.check_metadata,
    "content_hash": _hash,
    "provenance": partial(check.check_metadata, field="provenance"),
    "claim_kind": _optional(_one_of(ClaimKind, "claim_kind")),
    "scope": _optional(_one_of(Scope, "scope")),
    "boundary_class": _one_of(BoundaryClass, "boundary_class"),
    "shared_class": _optional(_one_of(BoundaryClass, "shared_class")),
    "utility": _number,
    "confidence": partial(check.check_weight, field="confidence"),
    "quality": partial(check.check_weight, field="quality"),
    "pinned": _flag,
    "aliases": check.check_aliases,
    "observed_at": _time("observed_at"),
    "recency_anchor": _time("recency_anchor"),
    "expires_at": _optional(_time("expires_at")),
    "valid_from": _optional(_time("valid_from")),
    "valid_to": _optional(_time("valid_to")),
    "superseded_by": _optional(_id("superseded_by")),
    "task_id": _optional(_id("task_id")),
    "judged_at": _optional(_time("judged_at")),
    "page_id": _optional(_id("page_id")),
    "position": _optional(_count("position")),
    "domain": _optional(_words("domain")),
    "year": _optional(check.check_year),
    "rejected_at": _optional(_time("rejected_at")),
    "created_at": _time("created_at"),
    "updated_at": _time("updated_at"),
    "version": _version,
}
_LONG_NODE_FIELDS: Final[Mapping[str, Checker]] = {
    **_NODE_FIELDS,
    "content": partial(check.check_text, field="content"),  # of any length, to be split
}
_EDGE_FIELDS: Final[Mapping[str, Checker]] = {
    "source_id": _id("source_id"),
    "target_id": _id("target_id"),
    "tag": check.check_tag,
    "weight": check.check_weight,
    "confidence": partial(check.check_weight, field="confidence"),
    "reason": _optional(partial(check.check_text, field="reason", characters=limits.REASON_CHARACTERS)),
    "source_namespace": _namespace,
    "target_namespace": _namespace,
    "boundary_class": _one_of(BoundaryClass, "boundary_class"),
    "observed_at": _time("observed_at"),
    "created_at": _time("created_at"),
    "updated_at": _time("updated_at"),
    "version": _version,
    "judge": _optional(check.check_tag),
    "source_kind": _one_of(NodeKind, "source_kind"),
    "target_kind": _one_of(NodeKind, "target_kind"),
    "page_id": _optional(_id("page_id")),
    "domain": _optional(_words("domain")),
    "year": _optional(check.check_year),
    "task_id": _optional(_id("task_id")),
}
_TASK_FIELDS: Final[Mapping[str, Checker]] = {
    "id": _id("id"),
    "namespace": _namespace,
    "query": _words("query"),
    "status": _one_of(TaskStatus, "status"),
    "created_at": _time("created_at"),
    "updated_at": _time("updated_at"),
    "boundary_class": _one_of(BoundaryClass, "boundary_class"),
    "result_summary": _optional(_words("result_summary")),
    "error_message": _optional(_words("error_message")),
    "started_at": _optional(_time("started_at")),
    "completed_at": _optional(_time("completed_at")),
}
_QUERY_FIELDS: Final[Mapping[str, Checker]] = {
    "id": _id("id"),
    "task_id": _id("task_id"),
    "query_text": _words("query_text"),
    "executed_at": _time("executed_at"),
    "query_type": _one_of(QueryType, "query_type"),
    "language": _optional(check.check_tag),
    "parent_query_id": _optional(_id("parent_query_id")),
    "depth": _count("depth"),
    "result_count": _optional(_count("result_count")),
    "useful_fragments": _count("useful_fragments"),
}
_CORRECTION_FIELDS: Final[Mapping[str, Checker]] = {
    "action": _one_of(CorrectionAction, "action"),
    "claim_id": _id("claim_id"),
    "reason": _words("reason"),
    "at": _time("at"),
    "source_id": _optional(_id("source_id")),
    "relation_before": _optional(check.check_tag),
    "relation_after": _optional(check.check_tag),
    "confidence_before": _optional(partial(check.check_weight, field="confidence_before")),
}
_SETTING_FIELDS: Final[Mapping[str, Checker]] = {
    "namespace": _namespace,
    "name": partial(check.check_text, field="name", characters=limits.TAG_CHARACTERS),
    "value": partial(check.check_text, field="value", size=limits.METADATA_BYTES),
    "updated_at": _time("updated_at"),
}


# Fields that exports made before them do not have.
_LATER: Final = frozenset(
    """
    task_id judged_at judge page_id position domain year rejected_at source_kind target_kind aliases shared_class
    """.split()  # noqa: SIM905  # a list of words
)


def _checked(line: Mapping[str, Any], checkers: Mapping[str, Checker]) -> dict[str, Any]:
    unknown = sorted(set(line) - set(checkers) - {"type"})
    missing = sorted(set(checkers) - set(line) - _LATER)
    if unknown or missing:
        raise InvalidInput(
            "; ".join(
                f"{what} {', '.join(map(shown, names[:5]))}"
                for what, names in (("unknown fields", unknown), ("missing fields", missing))
                if names
            )
        )
    return {name: checker(line[name]) for name, checker in checkers.items() if name in line}
