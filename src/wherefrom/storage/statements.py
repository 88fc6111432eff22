"""Loads the named statements in `queries/*.sql` and renders them for a dialect.

A block starts with `-- name: the_name`. Inside it
- `:name` is a parameter;
- `{fragment argument}` is one of the fragments below, so that a rule such as who may see a row
  stands in one place;
- `{literal name}` is a whole number among the parameters, written into the text;
- a line that ends in `--if name` is left out unless that parameter is given, one that ends in
  `--unless name` if it is (an optional filter written as `:tag is null or …` would keep both
  databases from using their indexes).

A file under `queries/<dialect>/` replaces blocks by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, Final

from wherefrom.model.access import READ_HINT, Access
from wherefrom.model.errors import BoundaryDenied
from wherefrom.model.evidence import Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.model.metabolism import EVIDENCE_TAGS
from wherefrom.text.check import json_text

NODE_COLUMNS: Final = tuple(field.name for field in fields(Node))
EDGE_COLUMNS: Final = tuple(field.name for field in fields(Edge))
TASK_COLUMNS: Final = tuple(field.name for field in fields(Task))
QUERY_COLUMNS: Final = tuple(field.name for field in fields(Query))

_BLOCK: Final = re.compile(r"^-- name: (\w+)\n(.*?)(?=^-- name: |\Z)", re.MULTILINE | re.DOTALL)
_FRAGMENT: Final = re.compile(r"\{(\w+)(?: ([\w.]+))?(?: ([\w.]+))?(?: ([\w.]+))?\}")
_OPTIONAL: Final = re.compile(r"^(.*)--(if|unless) (\w+)$\n?", re.MULTILINE)
_COMMENT: Final = re.compile(r"^--.*\n", re.MULTILINE)
_LITERAL: Final = re.compile(r"\{literal (\w+)\}")
# What a policy hides, and what may be read beside the root, are conditions only where there are such.
_HIDDEN: Final = "hidden"
_ALSO: Final = "also"
_PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The few words in which the two databases differ."""

    name: str
    each: str
    """A subquery of the texts in a parameter that holds a JSON array; {} is the parameter."""
    words: Mapping[str, str]
    """The words in $ of migrations."""
    privacy: str
    """Whether a new store keeps personal data: personal or shared."""
    parameter: str
    """How a named parameter is written; {} is the name."""
    document: Callable[[Sequence[str]], str]
    """A text's terms as its full-text index takes them."""
    matches: str
    """Whether a row's metadata has all that :metadata holds; {} is the row."""
    vector: str
    """A row's vector as bytes; {} is the row."""
    together: Callable[[Sequence[str]], str]
    """What its full-text index looks for when a text should have all these terms, near to each other if it can tell."""
    judged_days_ago: str
    """How many days before :now a node was judged; {} is the row."""
    day: str
    """A stored time as a number of days; {} is its column or parameter."""
    to_vector: Callable[[Any], Any]
    """A vector as its column takes it."""
    from_vectors: Callable[[Sequence[bytes]], Any]
    """The vectors of several rows as a matrix."""
    one_text_index: bool
    """Whether all owners' texts are in one full-text index, which counts them all."""


class Statements:
    """The statements of one dialect, each rendered once for each set of optional lines.

    Those of a transaction that writes see the root of an access alone, and refuse an access that may only read.
    """

    def __init__(self, dialect: Dialect, *, writing: bool = False) -> None:
        self._dialect = dialect
        self._writing = writing
        self._blocks = {**_blocks("queries"), **_blocks(f"queries/{dialect.name}")}
        seen = {_HIDDEN} if writing else {_HIDDEN, _ALSO}
        self._optional = {
            name: frozenset(match[2] for match in _OPTIONAL.findall(text)) | (seen if "{visible" in text else set())
            for name, text in self._blocks.items()
        }
        self._literals = {name: tuple(_LITERAL.findall(text)) for name, text in self._blocks.items()}
        self._rendered: dict[tuple[str, frozenset[str], tuple[int, ...]], str] = {}

    def sql(self, name: str, parameters: Mapping[str, Any]) -> str:
        """The text of a statement for these parameters."""
        if self._writing and "only_reads" in parameters:
            raise BoundaryDenied(f"this access may only read {parameters['root']!r}", hint=READ_HINT)
        given = frozenset(p for p in self._optional[name] if parameters.get(p) is not None)
        literals = tuple(int(parameters[literal]) for literal in self._literals[name])
        if (name, given, literals) not in self._rendered:
            numbers = dict(zip(self._literals[name], literals, strict=True))
            self._rendered[name, given, literals] = self._render(self._blocks[name], given, numbers)
        return self._rendered[name, given, literals]

    def _render(self, block: str, given: frozenset[str], numbers: Mapping[str, int]) -> str:
        text = _LITERAL.sub(lambda m: str(numbers[m[1]]), block)
        text = _OPTIONAL.sub(lambda m: m[1] + "\n" if (m[2] == "if") == (m[3] in given) else "", text)
        text = _COMMENT.sub("", text)
        while (expanded := _FRAGMENT.sub(lambda m: self._fragment(m, given), text)) != text:
            text = expanded
        if self._dialect.parameter != ":{}":
            text = text.replace("%", "%%")
            text = _PARAMETER.sub(lambda m: self._dialect.parameter.format(m[1]), text)
        return text.strip()

    def _fragment(self, match: re.Match[str], given: frozenset[str]) -> str:
        name, *arguments = (group for group in match.groups() if group is not None)
        if name == "each":
            return self._dialect.each.format(f":{arguments[0]}")
        if name in ("matches", "vector", "judged_days_ago", "day"):
            return str(getattr(self._dialect, name)).format(arguments[0])
        if name == "unhidden" and _HIDDEN not in given:
            return ""
        if name == "readable" and _ALSO not in given:
            return f"{{inside {arguments[0]} root}}"
        return FRAGMENTS[name](*arguments)


def scope_parameters(access: Access) -> dict[str, Any]:
    """The parameters that the fragments `visible` and `visible_edge` read."""
    parameters: dict[str, Any] = {
        "owner": access.owner,
        "classes": json_text(access.classes),
        "hidden": json_text(access.hidden) if access.hidden else None,
        **inside_parameters("root", access.root),
    }
    if access.also:
        parameters["also"] = json_text([root + "/" for root in access.also])
    if not access.writes:
        parameters["only_reads"] = True
    return parameters


def own_parameters(access: Access) -> dict[str, Any]:
    """The same without the further roots, for what is about the root alone."""
    return scope_parameters(access.own())


def inside_parameters(prefix: str, namespace: str) -> dict[str, str]:
    """The parameters that the fragment `inside` reads under this prefix."""
    # "/" is followed by "0": every path below p lies in [p + "/", p + "0").
    return {prefix: namespace, f"{prefix}_below": namespace + "/", f"{prefix}_end": namespace + "0"}


def _inside(column: str, prefix: str) -> str:
    # || '' keeps both planners from choosing an index by namespace: it is a filter and nearly
    # always lets most rows through. A walk took 900 ms over 300,000 edges without it, 8 ms with it.
    return f"({column} || '' = :{prefix} or ({column} || '' >= :{prefix}_below and {column} || '' < :{prefix}_end))"


def _within(column: str, prefix: str) -> str:
    """Like `inside`, for tables without an index by namespace: the planner can use what it knows of the column."""
    return f"({column} = :{prefix} or ({column} >= :{prefix}_below and {column} < :{prefix}_end))"


def _visible(alias: str) -> str:
    return (
        f"{alias}.owner_id = :owner and {{readable {alias}.namespace}}"
        f" and {alias}.boundary_class in {{each classes}}{{unhidden {alias}.boundary_class {alias}.namespace}}"
    )


def _visible_or_masked(alias: str) -> str:
    """Rows that the access sees as they are, and those that it sees without personal data (`nodes.seen`)."""
    shared = f"{alias}.shared_class in {{each classes}}{{unhidden {alias}.shared_class {alias}.namespace}}"
    return (
        f"{alias}.owner_id = :owner and {{readable {alias}.namespace}} and ("
        f"({alias}.boundary_class in {{each classes}}{{unhidden {alias}.boundary_class {alias}.namespace}})"
        f" or ({shared}))"
    )


def _visible_edge(alias: str) -> str:
    return (
        f"{alias}.owner_id = :owner and {{readable {alias}.source_namespace}}"
        f" and {{readable {alias}.target_namespace}} and {alias}.boundary_class in {{each classes}}"
        f"{{unhidden {alias}.boundary_class {alias}.source_namespace}}"
        f"{{unhidden {alias}.boundary_class {alias}.target_namespace}}"
    )


def _readable(column: str) -> str:
    """Whether a namespace is inside the root, or inside one of the further roots, which end in /."""
    return (
        f"({{inside {column} root}} or exists (select 1 from {{each also}} as a"  # noqa: S608  # a column of ours
        f" where substr({column} || '/', 1, length(a.value)) = a.value))"
    )


def _unhidden(boundary_class: str, namespace: str) -> str:
    return (
        " and not exists (select 1 from {each hidden} as h"  # noqa: S608  # column names of ours
        f" where substr({boundary_class} || ' ' || {namespace} || '/', 1, length(h.value)) = h.value)"
    )


def _strictest(first: str, second: str) -> str:
    classes = f"({first}.boundary_class, {second}.boundary_class)"
    return f"""case
        when 'secret' in {classes} then 'secret'
        when 'pii' in {classes} then 'pii'
        when 'internal' in {classes} then 'internal'
        else 'public'
    end"""


def _live(alias: str) -> str:
    unexpired = f"({alias}.expires_at is null or {alias}.expires_at > cast(:now as text))"
    # A fragment with an end is no longer on its page.
    there = f"({alias}.valid_to is null or {alias}.kind <> 'fragment')"
    return f"{unexpired} and {alias}.rejected_at is null and {there}"


def _is_evidence(alias: str) -> str:
    return f"{alias}.tag in ({', '.join(repr(tag) for tag in EVIDENCE_TAGS)})"


def _thickness(edge: str, clock: str) -> str:
    # exp(-λΔt) = 1 for what neither decays nor is older than the newest of its namespace; PostgreSQL refuses products
    # that round to nothing. An edge from outside of what is looked at has no clock and does not decay.
    return f"""(case when {edge}.weight < 1e-100 or {edge}.confidence < 1e-100 then 0.0 else
    {edge}.weight * {edge}.confidence * case
        when {clock}.newest is null or {edge}.observed_at >= {clock}.newest or {{is_evidence {edge}}} then 1.0
        when {edge}.observed_at <= {clock}.vanished then 0.0
        else exp({clock}.rate * ({{day {edge}.observed_at}} - {clock}.newest_day))
    end end)"""


def _surely_thick(edge: str, clock: str, limit: str) -> str:
    # Twice as heavy as thin, and not half as thick yet: known without looking at the time more closely.
    return f"""case
        when {edge}.weight < 1e-100 or {edge}.confidence < 1e-100 then 0
        when {edge}.weight * {edge}.confidence > 2 * {limit}.threshold and {edge}.observed_at > {clock}.halved then 1
        else 0
    end = 1"""


def _spared(alias: str) -> str:
    """The first rule that exempts a node from being let go, or null."""
    running = "select t.id from tasks t where t.owner_id = :owner and t.status in ('created', 'exploring', 'paused')"
    judges = "e.source_kind = 'fragment' and e.target_kind = 'claim'"
    source = f"e.owner_id = :owner and {judges} and e.source_id = {alias}.id and {alias}.kind = 'fragment'"
    page = f"e.owner_id = :owner and {judges} and e.page_id = {alias}.id and {alias}.kind = 'page'"
    claim = "exists (select 1 from nodes c where c.owner_id = e.owner_id and c.id = e.target_id and {live c})"
    return f"""case
        when {alias}.pinned then 'pinned'
        when {alias}.claim_kind = 'policy_hint' then 'policy_hint'
        when {alias}.scope = 'principle' then 'principle'
        when exists (
            select 1 from retired x where x.owner_id = :owner and x.node_id = {alias}.id and x.kind = 'restored'
        ) then 'restored'
        when {alias}.task_id in ({running})
          or exists (select 1 from edges e where {source} and e.task_id in ({running}))
          or exists (select 1 from edges e where {page} and e.task_id in ({running})) then 'task'
        when exists (select 1 from edges e where {source} and {claim})
          or exists (select 1 from edges e where {page} and {claim}) then 'evidence'
        when {alias}.kind = 'fragment' and {alias}.page_id is not null then 'page'
        when not ({{live {alias}}}) then 'ended'
    end"""  # noqa: S608  # column names of ours


def _row_fragments(kind: str, names: tuple[str, ...]) -> dict[str, Callable[..., str]]:
    """The columns of a kind of row: of an alias, by themselves, as parameters, as changes."""
    return {
        kind: lambda alias: ", ".join(f"{alias}.{name}" for name in names),
        f"{kind}_columns": lambda: ", ".join(names),
        f"{kind}_values": lambda: ", ".join(f":{name}" for name in names),
        f"{kind}_changes": lambda: ", ".join(f"{name} = :{name}" for name in names),
    }


FRAGMENTS: Final[Mapping[str, Callable[..., str]]] = {
    "inside": _inside,
    "within": _within,
    "visible": _visible,
    "visible_or_masked": _visible_or_masked,
    "open_class": lambda alias: f"coalesce({alias}.shared_class, {alias}.boundary_class)",
    "visible_edge": _visible_edge,
    "readable": _readable,
    "unhidden": _unhidden,
    "live": _live,
    "strictest": _strictest,
    "each_number": lambda name: f"(select cast(v.value as bigint) from {{each {name}}} as v)",  # noqa: S608
    "is_evidence": _is_evidence,
    "still": lambda alias: f"not exists (select 1 from metabolism_gone x where x.seq = {alias}.seq)",  # noqa: S608
    "thickness": _thickness,
    "surely_thick": _surely_thick,
    "lower": lambda one, other: (
        f"case when {other}.threshold < {one}.threshold then {other}.threshold else {one}.threshold end"
    ),
    "spared": _spared,
    **_row_fragments("node", NODE_COLUMNS),
    **_row_fragments("edge", EDGE_COLUMNS),
    **_row_fragments("task", TASK_COLUMNS),
    **_row_fragments("query", QUERY_COLUMNS),
}


@cache
def _blocks(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    place = files("wherefrom.storage").joinpath(folder)
    for file in place.iterdir() if place.is_dir() else ():
        if file.name.endswith(".sql"):
            found.update(blocks_of(file.read_text(encoding="utf-8")))
    return found


def blocks_of(text: str) -> dict[str, str]:
    """The named blocks of a file."""
    return dict(_BLOCK.findall(text))
