"""The records of the lossless JSONL stream: one JSON object a line, first the header, then tasks, nodes, their former
versions, edges, corrections, and which nodes stand for others that went. Each is checked when it is read, so that
nothing comes in that the verbs would not have stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any, Final, get_args, get_type_hints

from wherefrom.former_name import FORMER, NAME
from wherefrom.model import limits, namespaces
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node, NodeKind
from wherefrom.model.identifiers import timestamp
from wherefrom.model.stand_ins import StandIn
from wherefrom.storage import nodes, versions
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.versions import VERSIONED, Version
from wherefrom.text import check
from wherefrom.text.sensitive.findings import KINDS, redact
from wherefrom.text.urls import check_url, domain_of

FORMAT: Final = 1
# The type of the first line: the present name of the program, or its former one.
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
    "slot": ("memo", "claim"),
    "speaker": ("memo", "claim"),
    "session": ("memo", "claim"),
    "rejected_at": ("claim",),
    "page_id": ("fragment",),
    "position": ("fragment",),
    "domain": ("fragment", "page"),
    "year": ("fragment", "page"),
}
# The fields that a kind does not have.
_FOREIGN_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    kind: tuple(name for name, kinds in _OWN_FIELDS.items() if kind not in kinds) for kind in get_args(NodeKind)
}
# Times that may lie ahead.
_AHEAD: Final = frozenset({"expires_at", "valid_from", "valid_to"})

Record = Task | Query | Node | Version | Edge | Correction | StandIn
# The kinds of records by the types of their lines; a kind comes after those that it names. A version has the fields of
# its node, and the times from which and until which it was known.
RECORDS: Final[Mapping[str, type[Record]]] = {
    kind.__name__.lower(): kind for kind in (Task, Query, Node, Version, Edge, Correction, StandIn)
}
_KNOWN: Final = ("known_from", "known_to")
Checker = Callable[[Any], Any]
# The last line of each kind, and its checked values.
Last = dict[type[Record], tuple[Mapping[str, Any], dict[str, Any]]]
# Written by former versions; nothing has used them, so they are left out.
_FORMER_RECORDS: Final = ("setting",)


def export(tx: Transaction, access: Access, *, now: str, shared: bool = False) -> Iterator[str]:
    """Yield the lines of the stream: everything the access may see in its root, oldest first. With `shared` it is for
    others: without rows of the class pii, and texts without personal data.
    """
    access = access.own()
    yield check.json_text({"type": NAME, "format": FORMAT, "exported_at": now, "root_namespace": access.root})
    others = replace(access, classes=tuple(name for name in access.classes if name != "pii")) if shared else access
    scope = scope_parameters(others)
    for name in ("task", "query"):
        for row in tx.stream(f"{name}_export", scope):
            yield line(name, RECORDS[name](*row))
    known: set[str] = set()
    for row in tx.stream("node_export", scope):
        node = nodes.seen(others, nodes.from_row(row))
        if node is not None:
            known.add(node.id)
            yield line("node", node)
    for known_from, known_to, content, *values in tx.stream("version_export", scope):
        now_is = nodes.from_row(tuple(values))
        was = versions.open_as(versions.node_from(content, now_is.namespace), now_is)
        node = nodes.seen(others, was) if now_is.id in known else None
        if node is not None:
            yield line("version", Version(node, known_from, known_to))
    # An edge of a text with personal data has the class of that text, of which others see the rest.
    for row in tx.stream("edge_export", scope_parameters(access)):
        edge = Edge(*row)
        if not shared:
            yield line("edge", edge)
        elif edge.source_id in known and edge.target_id in known:
            yield line("edge", replace(edge, reason=edge.reason and redact(edge.reason, KINDS)[0]))
    for row in tx.stream("correction_export", scope):
        yield line("correction", Correction(*row))
    for row in tx.stream("standin_export", scope):
        if (pointer := StandIn(*row)).leads_to_id in known:
            yield line("standin", pointer)


def parse(line: Mapping[str, Any], access: Access, *, split: bool, now: str, last: Last | None = None) -> Record | None:
    """Return the checked record of a line, None for a header; with `split`, a memo may be of any length. last: what is
    kept of the lines before it, to check it faster.
    """
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
    is_long = split and kind is Node and line.get("kind") == "memo"
    values = _checked(line, kind, is_long=is_long) if is_long or last is None else _checked_after(line, kind, last)
    latest = _latest(now)
    for field in _PAST[kind]:
        if (moment := values.get(field)) is not None and moment > latest:
            raise InvalidInput(f"{field} {moment} lies in the future")
    if kind is Version:
        return _checked_version(values, access)
    if kind is Node:
        return _checked_node(values, access)
    record = kind(**values)
    if isinstance(record, Task):
        _check_place(record.namespace, {record.boundary_class}, access)
    return record


@lru_cache(maxsize=8)
def _latest(now: str) -> str:
    """Return the last moment that does not lie in the future, by some clock."""
    return timestamp(datetime.fromisoformat(now) + _CLOCK_DIFFERENCE)


def _check_place(namespace: str, classes: Collection[str | None], access: Access) -> None:
    """Raise an error for a record of a class that is not stored, or outside the root."""
    if "secret" in classes:
        raise InvalidInput("text of the boundary class 'secret' is not stored")
    if not namespaces.is_inside(namespace, access.root):
        raise InvalidInput(
            f"namespace {shown(namespace)} lies outside the root {shown(access.root)}",
            hint="import with the root of the export, and rename the namespace afterwards",
        )


def _checked_version(values: dict[str, Any], access: Access) -> Version:
    """Return the former version of a node with these values, checked as a node is."""
    known_from, known_to = (values.pop(name) for name in _KNOWN)
    _check_places_of(values, access)
    kind = values["kind"]
    if kind not in VERSIONED:
        raise InvalidInput(f"a {kind} has no former versions")
    if known_to < known_from:
        raise InvalidInput("known_to lies before known_from")
    return Version(_checked_node(values, access), known_from, known_to)


def _check_places_of(values: Mapping[str, Any], access: Access) -> None:
    whole = values["boundary_class"]
    _check_place(values["namespace"], (whole, values.get("shared_class") or whole), access)


def _checked_node(values: dict[str, Any], access: Access) -> Node:
    """Return the node with these values, as its kind allows it and as one that this access writes. A page is on the
    domain of its URL, whatever the file says, and nothing that comes from a file is a standing rule before this access
    confirms it. Whom the file names as its writer is kept beside that: the first one, if the file was made of an import
    itself.
    """
    _check_places_of(values, access)
    kind, content = values["kind"], values["content"]
    if check.content_hash(content) != values["content_hash"]:
        raise InvalidInput("content_hash does not match the content")
    for name in _FOREIGN_FIELDS[kind]:
        if values.get(name) is not None:
            raise InvalidInput(f"a {kind} has no {name}")
    if kind in _SIZES and len(content.encode()) > _SIZES[kind]:
        # A word such as [phone] may be longer than the text that it stands for.
        text = _TAKEN_OUT.sub("", content)
        if len(text.encode()) > _SIZES[kind]:
            check.check_text(text, field=f"a {kind}", size=_SIZES[kind])
    if kind == "entity" and len(_TAKEN_OUT.sub("", content)) > limits.ENTITY_CHARACTERS:
        check.check_text(content, field="an entity", characters=limits.ENTITY_CHARACTERS)
    provenance = values["provenance"]
    if kind in ("page", "fragment") and "url" in provenance:
        check_url(provenance["url"])
    if kind == "page":
        values["domain"] = domain_of(check_url(content))
    values["confirmed_at"] = None
    values["imported_from"] = values.get("imported_from") or values.get("written_by")
    values["written_by"] = access.written_by
    return Node(**values)


def line(kind: str, record: Record) -> str:
    """Return a record as it stands in the stream."""
    owner = record.node if isinstance(record, Version) else record
    values = {field.name: getattr(owner, field.name) for field in fields(owner)}
    if isinstance(record, Version):
        values |= {name: getattr(record, name) for name in _KNOWN}
    return check.json_text({"type": kind, **values}).translate(_LINE_BREAKS)


# Fields that exports made by former versions do not have.
_ADDED_LATER: Final = frozenset(
    """
    task_id judged_at judge page_id position domain year rejected_at source_kind target_kind aliases shared_class
    slot valid_from valid_to speaker session confirmed_at written_by imported_from
    """.split()  # noqa: SIM905  # a list of words
)


def _checked(line: Mapping[str, Any], kind: type[Record], *, is_long: bool) -> dict[str, Any]:
    """Return the checked values of a line. A long memo may have content of any length, to be split."""
    known = _FIELDS[kind]
    if len(line) != len(known) + 1 or not known.keys() <= line.keys():
        names = line.keys() - {"type"}
        faults = {"unknown fields": names - known.keys(), "missing fields": known.keys() - _ADDED_LATER - names}
        if told := [f"{what} {', '.join(map(shown, sorted(wrong)[:5]))}" for what, wrong in faults.items() if wrong]:
            raise InvalidInput("; ".join(told))
        known = {name: rule for name, rule in known.items() if name in names}
    if is_long:
        known = {**known, "content": (partial(check.check_text, field="content"), False)}
    return {
        name: None if (value := line[name]) is None and is_nullable else checker(value)
        for name, (checker, is_nullable) in known.items()
    }


def _checked_after(line: Mapping[str, Any], kind: type[Record], last: Last) -> dict[str, Any]:
    """Return the checked values of a line. A text or a null that the last line of its kind has, too, is not checked
    again.
    """
    before, values = last.get(kind, ({}, {}))
    if before.keys() != line.keys():
        values = _checked(line, kind, is_long=False)
    else:
        known, values = _FIELDS[kind], values.copy()
        for name in values:
            value, old = line[name], before[name]
            if value is not old and (type(value) is not str or value != old):
                checker, is_nullable = known[name]
                values[name] = None if value is None and is_nullable else checker(value)
    last[kind] = line, values
    return values.copy()


def _fields_of(kind: type[Any]) -> dict[str, tuple[Checker, bool]]:
    """Return the check of each field of a kind of record, and true if the field may be null."""
    if kind is Version:
        return {**_fields_of(Node), **{name: (_checker(name, str), False) for name in _KNOWN}}
    hints = get_type_hints(kind)
    checkers = {name: _checker(name, hint) for name, hint in hints.items()}
    if kind is Edge:
        checkers["reason"] = partial(check.check_text, field="reason", characters=limits.REASON_CHARACTERS)
    return {name: (checkers[name], type(None) in get_args(hint)) for name, hint in hints.items()}


def _checker(name: str, hint: Any) -> Checker:
    """Return the check of a field: the one of its name, or of the words that its type lists."""
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
    return name == "at" or name.endswith("_at") or name in ("recency_anchor", "valid_from", "valid_to", *_KNOWN)


def _one_of(value: object, *, words: tuple[str, ...], field: str) -> object:
    if value not in words:
        raise InvalidInput(f"{field} {shown(value)} is not one of {', '.join(words)}")
    return value


def _namespace(value: object) -> str:
    return namespaces.parse(check.check_text(value, field="namespace"))


_SHARES: Final = ("weight", "confidence", "confidence_before", "quality")
_COUNTS: Final = ("position", "depth", "result_count", "useful_fragments")
_CHECKERS: Final[Mapping[str, Checker]] = {
    **dict.fromkeys(("namespace", "source_namespace", "target_namespace"), _namespace),
    **dict.fromkeys(("tag", "judge", "language", "relation_before", "relation_after"), check.check_tag),
    **{name: partial(check.check_number, field=name, low=0, high=1) for name in _SHARES},
    **{name: partial(check.check_whole, field=name, low=0, high=2**31 - 1) for name in _COUNTS},
    "title": check.check_title,
    "content": check.check_content,
    "content_hash": partial(check.check_text, field="content_hash", characters=64),
    "metadata": check.check_metadata,
    "provenance": partial(check.check_metadata, field="provenance"),
    "utility": partial(check.check_number, field="utility", low=-_MAX_UTILITY, high=_MAX_UTILITY),
    "pinned": partial(check.check_flag, field="pinned"),
    "aliases": check.check_aliases,
    "slot": check.check_slot,
    "speaker": check.check_speaker,
    "session": check.check_session,
    "written_by": partial(check.check_speaker, field="written_by"),
    "imported_from": partial(check.check_speaker, field="imported_from"),
    "year": partial(check.check_whole, field="year", low=-9999, high=9999),
    "version": partial(check.check_whole, field="version", low=1, high=2**30),
}
_FIELDS: Final = {kind: _fields_of(kind) for kind in RECORDS.values()}
# The times of each kind that cannot lie in the future.
_PAST: Final = {
    kind: [name for name in known if _is_time(name) and name not in _AHEAD] for kind, known in _FIELDS.items()
}
