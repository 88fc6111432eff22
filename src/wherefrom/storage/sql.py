"""The language in which all SQL of the program is written, and the named statements of `queries/*.sql`.

A file has statements, which start with `-- name: the_name`, and fragments, which start with `-- fragment: the_name` or
are one line, `-- fragment: the_name = text`. A rule such as who may see a row is a fragment, written once. In both
- `:name` is a parameter;
- `{fragment argument}` is a fragment, in which `{0}` stands for the first argument;
- `{literal name}` is a whole number among the parameters, written into the text;
- `{rows id text, position integer}` is a table `r` with these columns: the rows that `Transaction.many` is given;
- a line that ends in `--if name` is left out unless that parameter is given, one that ends in
  `--unless name` if it is (an optional filter written as `:tag is null or …` would keep both
  databases from using their indexes).

A file under `queries/<dialect>/` replaces statements and fragments by name. The analyses (`explore/views/`), the tables
that agents see (`agent/queries/`) and migrations from 0018 on are written in the same language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from wherefrom.model.access import READ_HINT, Access
from wherefrom.model.errors import BoundaryDenied
from wherefrom.model.evidence import Query, Task
from wherefrom.model.graph import EVIDENCE_TAGS, Edge, Node
from wherefrom.model.identifiers import LEAST_CHARACTERS
from wherefrom.text.check import json_text

_ROWS_OF_TABLES: Final = (Node, Edge, Task, Query)
NODE_COLUMNS, EDGE_COLUMNS, TASK_COLUMNS, QUERY_COLUMNS = (
    tuple(field.name for field in fields(row)) for row in _ROWS_OF_TABLES
)

_BLOCK: Final = re.compile(
    r"^-- (name|fragment): (\w+)(?: = ([^\n]*))?\n(.*?)(?=^-- (?:name|fragment): |\Z)", re.MULTILINE | re.DOTALL
)
_FRAGMENT: Final = re.compile(r"\{(?!rows )([a-z]\w*)((?: [\w.]+)*)\}")
_ARGUMENT: Final = re.compile(r"\{(\d)\}")
_OPTIONAL: Final = re.compile(r"^(.*)--(if|unless) (\w+)$\n?", re.MULTILINE)
_COMMENT: Final = re.compile(r"^\s*--.*(?:\n|$)", re.MULTILINE)
_LITERAL: Final = re.compile(r"\{literal (\w+)\}")
_STATEMENT: Final = re.compile(r"(?:\$body\$.*?\$body\$|'[^']*'|[^;])+", re.DOTALL)
_ROWS: Final = re.compile(r"\{rows ([\w, ]+)\}")
# The name of a field's type, as it stands in the source: also of one that is annotated with a description.
_TYPE_NAME: Final = re.compile(r"^(?:Annotated\[)?(\w+)")
_TYPES: Final = {"int": "integer", "float": "double precision", "bool": "boolean"}
_PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")
# The parameter for the further roots of an access, which a transaction that writes does not see.
_ALSO: Final = "also"

Fragments = Mapping[str, str]


class Blocks(NamedTuple):
    """The statements (`names`) and the fragments of some files, by name."""

    names: dict[str, str]
    fragments: dict[str, str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The differences between the two databases, apart from the fragments in `queries/<dialect>/`."""

    name: str
    privacy: str
    """The privacy of a new store: personal (personal data are kept) or shared (they are taken out)."""
    parameter: str
    """The form of a named parameter; {} stands for the name."""
    rows: Callable[[str], str]
    """The table `r` of the rows given to `Transaction.many`, from its columns and their types."""
    document: Callable[[Sequence[str]], Any]
    """The terms of a text in the form that the full-text index takes."""
    together: Callable[[Sequence[str]], str]
    """The full-text query for texts with all of these terms, near to each other if the index knows places."""
    to_vector: Callable[[Any], Any]
    """A vector in the form that its column takes."""
    from_vectors: Callable[[Sequence[bytes]], Any]
    """The vectors of several rows as a matrix."""
    many_writers: bool
    """True if several transactions write at once, so that they need locks."""
    is_far: bool
    """True if each statement takes a trip to a server: one that does more takes less time than two, and this process
    can do something else meanwhile.
    """
    one_text_index: bool
    """True if one full-text index holds the texts of all owners, and counts them all."""


class Statements:
    """The statements of one dialect, each rendered once for each set of optional lines.

    writing: they see the root of an access alone, and refuse an access that may only read.
    """

    def __init__(self, dialect: Dialect, *, writing: bool = False) -> None:
        self._dialect = dialect
        self._writing = writing
        self._blocks = {**blocks("queries").names, **blocks(f"queries/{dialect.name}").names}
        self._fragments = fragments(dialect.name)
        unseen = {_ALSO} if writing else set()
        conditions = _Conditions(self._fragments)
        self._optional = {name: conditions.of(text) - unseen for name, text in self._blocks.items()}
        self._literals = {name: tuple(_LITERAL.findall(text)) for name, text in self._blocks.items()}
        self._rendered: dict[tuple[str, frozenset[str], tuple[int, ...]], str] = {}

    def sql(self, name: str, parameters: Mapping[str, Any]) -> str:
        """The text of a statement for these parameters."""
        if self._writing and "only_reads" in parameters:
            raise BoundaryDenied(f"this access may only read {parameters['root']!r}", hint=READ_HINT)
        given = frozenset([p for p in self._optional[name] if parameters.get(p) is not None])
        literals = tuple([int(parameters[literal]) for literal in self._literals[name]])
        if (text := self._rendered.get((name, given, literals))) is None:
            block = _LITERAL.sub(lambda m: str(int(parameters[m[1]])), self._blocks[name])
            text = _ROWS.sub(lambda m: self._dialect.rows(m[1]), render(block, self._fragments, given))
            if self._dialect.parameter != ":{}":
                text = _PARAMETER.sub(lambda m: self._dialect.parameter.format(m[1]), text.replace("%", "%%"))
            self._rendered[name, given, literals] = text
        return text


@cache
def statements(dialect: Dialect, *, writing: bool) -> Statements:
    """The statements that all stores of this process share."""
    return Statements(dialect, writing=writing)


def render(text: str, known: Fragments, given: Container[str] = ()) -> str:
    """Return a text with its fragments filled in; an optional line stays if its parameter is among those given."""
    text = _OPTIONAL.sub(lambda m: m[1] + "\n" if (m[2] == "if") == (m[3] in given) else "", text)
    text = _COMMENT.sub("", text).strip()

    def expanded(match: re.Match[str]) -> str:
        arguments = match[2].split()
        return render(_ARGUMENT.sub(lambda m: arguments[int(m[1])], known[match[1]]), known, given)

    return _FRAGMENT.sub(expanded, text)


def statements_of(script: str) -> list[str]:
    """The statements of a script, one by one; a function's body stands between two `$body$`."""
    return [found.strip() for found in _STATEMENT.findall(_COMMENT.sub("", script)) if found.strip()]


@cache
def fragments(dialect_name: str) -> Fragments:
    """The fragments that the statements of a dialect may use."""
    known = {"is_evidence": f"{{0}}.tag in ({', '.join(repr(tag) for tag in EVIDENCE_TAGS)})"}
    for row in _ROWS_OF_TABLES:
        kind, names = row.__name__.lower(), [field.name for field in fields(row)]
        types = [_TYPES.get(_TYPE_NAME.findall(str(field.type))[0], "text") for field in fields(row)]
        known[kind] = ", ".join(f"{{0}}.{name}" for name in names)
        known[f"{kind}_columns"] = ", ".join(names)
        known[f"{kind}_types"] = ", ".join(f"{name} {type_}" for name, type_ in zip(names, types, strict=True))
        known[f"{kind}_values"] = ", ".join(f":{name}" for name in names)
        known[f"{kind}_changes"] = ", ".join(f"{name} = r.{name}" for name in names)
    return {**known, **blocks("queries").fragments, **blocks(f"queries/{dialect_name}").fragments}


@cache
def blocks(folder: str, package: str = "wherefrom.storage") -> Blocks:
    """The statements and fragments in the files of a folder."""
    found = Blocks({}, {})
    for file in files(package).joinpath(folder).iterdir():
        if file.name.endswith(".sql"):
            for what, name, line, text in _BLOCK.findall(file.read_text(encoding="utf-8")):
                (found.names if what == "name" else found.fragments)[name] = line or text
    return found


def scope_parameters(access: Access) -> dict[str, Any]:
    """The parameters that the fragments `visible`, `visible_edge` and `visible_event` read."""
    parameters: dict[str, Any] = {
        "owner": access.owner,
        "classes": _listed(access.classes),
        "hidden": _listed(access.hidden) if access.hidden else None,
        "partly_seen": json_text(access.partly_seen) if access.hidden else None,
        **inside_parameters("root", access.root),
    }
    if access.also:
        parameters[_ALSO] = json_text([root + "/" for root in access.also])
    if not access.writes:
        parameters["only_reads"] = True
    return parameters


@lru_cache(maxsize=256)
def _listed(names: tuple[str, ...]) -> str:
    """Names as JSON, kept because nearly every statement takes the classes of its access."""
    return json_text(names)


def reference_parameters(given: str) -> dict[str, Any]:
    """The parameters that the fragments `is_given` and `ends_as_given` read: `tail` only if `given` is long enough."""
    return {"given": given, "tail": given[-LEAST_CHARACTERS:] if len(given) >= LEAST_CHARACTERS else None}


def inside_parameters(prefix: str, namespace: str) -> dict[str, str]:
    """The parameters that the fragment `inside` reads under this prefix."""
    # "/" is followed by "0": every path below p lies in [p + "/", p + "0").
    return {prefix: namespace, f"{prefix}_below": namespace + "/", f"{prefix}_end": namespace + "0"}


class _Conditions(dict[str, frozenset[str]]):
    """The parameters that decide which optional lines a fragment keeps, by its name; each is looked through once."""

    def __init__(self, known: Fragments) -> None:
        self._known = known

    def __missing__(self, name: str) -> frozenset[str]:
        self[name] = self.of(self._known[name])
        return self[name]

    def of(self, text: str) -> frozenset[str]:
        """The same of a text."""
        used = {match[1] for match in _FRAGMENT.finditer(_ARGUMENT.sub("x", text))}
        own = frozenset(match[2] for match in _OPTIONAL.findall(text))
        return own.union(*(self[name] for name in used & self._known.keys()))
