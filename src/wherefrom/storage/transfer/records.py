"""The records of the lossless JSONL stream: one JSON object a line, first the header, then tasks, nodes and edges; and
what a record may say, so that nothing comes in that the verbs would not have stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from wherefrom.former_name import FORMER, NAME
from wherefrom.model import limits, namespaces
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import BoundaryClass, Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import nodes
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text import check
from wherefrom.text.sensitive.findings import KINDS, redact
from wherefrom.text.urls import check_url, domain_of

FORMAT: Final = 1
# What the first line is called: the program, by its present or its former name.
HEADERS: Final = (NAME, FORMER)
_MAX_UTILITY: Final = 1e12
# The clocks of two machines may differ by this much.
_CLOCK_DIFFERENCE: Final = timedelta(minutes=5)
# JSON allows them inside a string, yet many programs would end the line there.
_LINE_BREAKS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_TAKEN_OUT: Final = re.compile(rf"\[(?:{'|'.join(KINDS)})\]")
_SIZES: Final = {"claim": limits.CLAIM_BYTES, "fragment": limits.FRAGMENT_BYTES}
# Fields that only some kinds of nodes have.
_OWN_FIELDS: Final = {
    "claim_kind": ("claim",),
    "task_id": ("claim",),
    "rejected_at": ("claim",),
    "page_id": ("fragment",),
    "position": ("fragment",),
    "domain": ("fragment", "page"),
    "year": ("fragment", "page"),
}
# Times that may lie ahead.
_AHEAD: Final = frozenset({"expires_at", "valid_from", "valid_to"})

Record = Task | Query | Node | Edge | Correction
RECORDS: Final[Mapping[str, type[Record]]] = {
    "task": Task,
    "query": Query,
    "node": Node,
    "edge": Edge,
    "correction": Correction,
}
# Written by former versions; nothing has used them, so they are left out.
_FORMER_RECORDS: Final = ("setting",)


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
        edge = Edge(*row)
        if not shared:
            yield line("edge", edge)
        elif edge.source_id in known and edge.target_id in known:
            yield line("edge", replace(edge, reason=edge.reason and redact(edge.reason, KINDS)[0]))
    for row in tx.stream("correction_export", scope):
        yield line("correction", Correction(*row))


def parse(line: Mapping[str, Any], access: Access, *, split: bool = False) -> Record | None:
    """The checked record of a line, None for a header; with `split`, a memo may be of any length."""
    name = line.get("type")
    if name in HEADERS:
        if line.get("format") != FORMAT:
            raise InvalidInput(
                f"the stream has format {shown(line.get('format'))}; this program reads {FORMAT}",
                hint="upgrade wherefrom",
            )
        return None
    if name in _FORMER_RECORDS:
        return None
    kind = RECORDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise InvalidInput(f"{shown(name)} is not a type of record")
    record = kind(**_checked(line, kind, is_long=split and line.get("kind") == "memo"))
    if isinstance(record, Node | Task):
        _refuse_secret(record.boundary_class)
        _refuse_outside(record.namespace, access)
    if isinstance(record, Node):
        _refuse_secret(record.open_class)
        if check.content_hash(record.content) != record.content_hash:
            raise InvalidInput("content_hash does not match the content")
        return _checked_node(record)
    return record


def horizon(now: str) -> str:
    """The time that nothing in an import may lie after: now, as the clock of another machine may see it."""
    return timestamp(datetime.fromisoformat(now) + _CLOCK_DIFFERENCE)


def refuse_future(record: Record, latest: str) -> None:
    """Raises if something is said to have happened after a time."""
    for name in _FIELDS[type(record)].past:
        moment = getattr(record, name)
        if moment is not None and moment > latest:
            raise InvalidInput(f"{name} {moment} lies in the future")


def _checked_node(node: Node) -> Node:
    """A node as its kind allows it; a page is on the domain of its URL, whatever the file says."""
    for name, kinds in _OWN_FIELDS.items():
        if getattr(node, name) is not None and node.kind not in kinds:
            raise InvalidInput(f"a {node.kind} has no {name}")
    if node.kind in _SIZES:
        # What was taken out was shorter than the word in its place may be.
        text = _TAKEN_OUT.sub("", node.content)
        if len(text.encode()) > _SIZES[node.kind]:
            check.check_text(text, field=f"a {node.kind}", size=_SIZES[node.kind])
    if node.kind == "entity" and len(_TAKEN_OUT.sub("", node.content)) > limits.ENTITY_CHARACTERS:
        check.check_text(node.content, field="an entity", characters=limits.ENTITY_CHARACTERS)
    if node.kind in ("page", "fragment") and "url" in node.provenance:
        check_url(node.provenance["url"])
    if node.kind == "page":
        return replace(node, domain=domain_of(check_url(node.content)))
    return node


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


Checker = Callable[[Any], Any]


class _Fields(NamedTuple):
    """How the fields of a kind of record are checked, also by what was checked before, and some of them together; which
    of them have to be there and which may be null; which are times gone by.
    """

    checkers: dict[str, Checker]
    remembering: dict[str, Checker]
    required: frozenset[str]
    nullable: frozenset[str]
    past: tuple[str, ...]
    together: Callable[..., dict[str, Any]]


def _fields_of(kind: type[Any]) -> _Fields:
    hints = get_type_hints(kind)
    checkers = {name: _checker(name, hint) for name, hint in hints.items()}
    if kind is Edge:
        checkers["reason"] = partial(check.check_text, field="reason", characters=limits.REASON_CHARACTERS)
    nullable = frozenset(name for name, hint in hints.items() if type(None) in get_args(hint))
    # Exports made before a field was added do not have it.
    required = frozenset(field.name for field in fields(kind) if field.name not in _LATER)
    past = tuple(name for name in hints if _is_time(name) and name not in _AHEAD)
    remembering = {
        name: checker if name in _OF_ITS_OWN else lru_cache(maxsize=1_024, typed=True)(checker)
        for name, checker in checkers.items()
    }
    repeated = tuple(name for name in checkers if name in _REPEATED)

    @lru_cache(maxsize=1_024, typed=True)
    def together(*values: Any) -> dict[str, Any]:
        given = zip(repeated, values, strict=True)
        return {name: None if value is None and name in nullable else checkers[name](value) for name, value in given}

    return _Fields(checkers, remembering, required, nullable, past, together)


# Fields that are another one in each record; the values of the others come again and again.
_OF_ITS_OWN: Final = frozenset({"id", "title", "content", "content_hash", "metadata", "provenance", "aliases"})

# Fields in which most nodes of a file are alike, so that one look-up checks them all.
_REPEATED: Final = frozenset(
    """
    namespace version kind pinned claim_kind scope boundary_class confidence quality domain year shared_class
    """.split()  # noqa: SIM905  # a list of words
)
_LATER: Final = frozenset(
    """
    task_id judged_at judge page_id position domain year rejected_at source_kind target_kind aliases shared_class
    """.split()  # noqa: SIM905  # a list of words
)


def _checked(line: Mapping[str, Any], kind: type[Record], *, is_long: bool) -> dict[str, Any]:
    """The checked values of a line. One that is long may have content of any length, to be split."""
    known = _FIELDS[kind]
    names = line.keys() - {"type"}
    if not names <= known.checkers.keys() or not known.required <= names:
        unknown, missing = sorted(names - known.checkers.keys()), sorted(known.required - names)
        raise InvalidInput(
            "; ".join(
                f"{what} {', '.join(map(shown, wrong[:5]))}"
                for what, wrong in (("unknown fields", unknown), ("missing fields", missing))
                if wrong
            )
        )
    long = {"content": partial(check.check_text, field="content")} if is_long else {}

    def values(checkers: Mapping[str, Checker], checked: Container[str] = ()) -> dict[str, Any]:
        return {
            name: None if line[name] is None and name in known.nullable else long.get(name, checker)(line[name])
            for name, checker in checkers.items()
            if name in names and name not in checked
        }

    try:
        if kind is Node and names >= _REPEATED:
            with suppress(InvalidInput):  # the first fault of the line is told
                alike = known.together(*_repeated_of(line))
                return {**alike, **values(known.remembering, _REPEATED)}
        return values(known.remembering)
    except TypeError:  # a list or an object where there should be neither cannot be looked up
        return values(known.checkers)


def _checker(name: str, hint: Any) -> Checker:
    """How a field is checked: by its name, or as one of the words that its type has."""
    if name in _CHECKERS:
        return _CHECKERS[name]
    words = [word for option in (hint, *get_args(hint)) for word in get_args(option) if isinstance(word, str)]
    if words:
        return partial(_one_of, words=tuple(dict.fromkeys(words)), field=name)
    if _is_time(name):
        return partial(check.check_time, field=name)
    if name == "id" or name.endswith("_id"):
        return partial(check.check_id, field=name)
    return partial(check.check_text, field=name, size=limits.QUERY_BYTES)


def _is_time(name: str) -> bool:
    return name == "at" or name.endswith("_at") or name in ("recency_anchor", "valid_from", "valid_to")


def _one_of(value: object, *, words: tuple[str, ...], field: str) -> object:
    if value not in words:
        raise InvalidInput(f"{field} {shown(value)} is not one of {', '.join(words)}")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MAX_UTILITY:
        raise InvalidInput(f"utility {shown(value)} is not a number below {_MAX_UTILITY:g}")
    return float(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput("pinned must be true or false")
    return value


def _namespace(value: object) -> str:
    return namespaces.parse(check.check_text(value, field="namespace"))


def _count(field: str) -> Checker:
    return partial(check.check_whole, field=field, low=0, high=2**31 - 1)


def _share(field: str) -> Checker:
    return partial(check.check_weight, field=field)


_CHECKERS: Final[Mapping[str, Checker]] = {
    "namespace": _namespace,
    "source_namespace": _namespace,
    "target_namespace": _namespace,
    "title": check.check_title,
    "content": check.check_content,
    "metadata": check.check_metadata,
    "content_hash": partial(check.check_text, field="content_hash", characters=64),
    "provenance": partial(check.check_metadata, field="provenance"),
    "utility": _number,
    "weight": check.check_weight,
    "confidence": _share("confidence"),
    "confidence_before": _share("confidence_before"),
    "quality": _share("quality"),
    "pinned": _flag,
    "aliases": check.check_aliases,
    "position": _count("position"),
    "depth": _count("depth"),
    "result_count": _count("result_count"),
    "useful_fragments": _count("useful_fragments"),
    "year": check.check_year,
    "version": partial(check.check_whole, field="version", low=1, high=2**30),
    "tag": check.check_tag,
    "judge": check.check_tag,
    "language": check.check_tag,
    "relation_before": check.check_tag,
    "relation_after": check.check_tag,
}
_repeated_of: Final = itemgetter(*(name for name in get_type_hints(Node) if name in _REPEATED))
_FIELDS: Final[Mapping[type, _Fields]] = {kind: _fields_of(kind) for kind in RECORDS.values()}
