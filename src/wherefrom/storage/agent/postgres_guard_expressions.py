"""The expressions that an agent's SELECT may hold on PostgreSQL, and how each is written."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.storage.agent import postgres_guard_names as listed
from wherefrom.storage.agent.postgres_guard_names import folded, function_name, quote, quoted, trim_name, type_name

MAX_TREE_DEPTH: Final = 120
MAX_CALLS: Final = 200  # each may hold 100 kB until its row is done, and no timeout fires inside a row
MAX_DIGITS: Final = 40
MAX_UNTICKED: Final = 40  # comparisons and casts: of 20 kB of JSON each takes a millisecond
# Computed values after IN, and branches after CASE x: one comparison each, all of them in one operation.
MAX_COMPARED_VALUES: Final = 100
_JSON: Final = ("JSONExtract", "JSONExtractScalar")
# Functions of ours around what is cast to a type, and around the result.
_CHECKED_BEFORE: Final = {"jsonb": "bounded_json"} | dict.fromkeys(("date", "timestamp", "timestamptz"), "plain_time")
_CHECKED_AFTER: Final = {"text": "bounded", "numeric": "bounded_number"}


class ExpressionWriter(ABC):
    """Writes expressions; the queries inside them are written by the subclass.

    The method `write_kind` writes a node of sqlglot's class Kind. What has no such method is refused.
    """

    def __init__(self, relations: Iterable[str], own: str) -> None:
        self._relations = frozenset(relations)
        self.own = own
        """The schema of our functions and of the tables."""
        self._depth = self._calls = self.nodes = self._unticked = 0
        self.merges = False
        """True while a column of an inner query is written: the planner may put it into many places."""

    @abstractmethod
    def query(self, node: Any) -> str:
        """Write a whole query."""

    def write(self, node: Any) -> str:
        """Write an expression, in parentheses where precedence could matter."""
        kind = type(node).__name__
        self._depth += 1
        self.nodes += 1
        if self._depth > MAX_TREE_DEPTH:
            raise InvalidInput("an expression nested too deeply, or a chain too long", hint="use IN (…) for long lists")
        children = {type(child).__name__ for child in node.iter_expressions()}
        if kind in listed.COMPARISONS and not children.isdisjoint(listed.COMPARISONS):
            raise InvalidInput("comparisons in a row", hint="put parentheses around the inner one")
        if kind in listed.WORDS:
            text = listed.WORDS[kind]
        elif kind in listed.PREFIXES:
            text = f"({listed.PREFIXES[kind]}{self.write(node.this)})"
        elif kind in listed.BINARY:
            text = self._binary(node, kind)
        elif writer := getattr(self, f"write_{kind.lower()}", None):
            text = writer(node)
        else:
            check_arguments(node)
            raise InvalidInput(f"not allowed in a query: {kind}", hint="see the reference for what query_graph allows")
        self._depth -= 1
        return text

    def list(self, nodes: Iterable[Any]) -> str:
        """Write expressions with commas between."""
        return ", ".join([self.write(node) for node in nodes])

    def _ticked(self, text: str) -> str:
        """Return an operation that may be long, inside a look at the clock if the row has many of them."""
        self._unticked += 1
        return f"{self.own}.tick({text})" if self.merges or self._unticked > MAX_UNTICKED else text

    def _binary(self, node: Any, kind: str) -> str:
        left, right = self.write(node.this), node.expression
        right_kind = type(right).__name__
        if right_kind in ("Any", "All") and kind in listed.COMPARISONS:
            text = f"{right_kind.lower()} ({self._inside(right.this)})"
        elif right_kind == "JSONPath":
            text = _json_key(right)
        else:
            text = self.write(right)
        whole = listed.BINARY[kind].format(left, text, own=self.own)
        return self._ticked(whole) if kind in listed.COMPARISONS or (self.merges and kind in _JSON) else whole

    def _inside(self, node: Any) -> str:
        """Write the query of IN, ANY or ALL, without parentheses of its own."""
        plain = type(node).__name__ == "Subquery" and not any(node.args[key] for key in node.args if key != "this")
        return self.query(node.this if plain else node)

    def write_column(self, node: Any) -> str:
        if type(node.this).__name__ == "Star":
            raise InvalidInput("a whole row as a value", hint="name the columns")
        name, table = folded(node.this), node.args.get("table")
        if name in listed.SYSTEM_COLUMNS or (table is not None and name in listed.ROW_FUNCTIONS):
            raise InvalidInput(f"no such column: {shown(name)}", hint="give a computed column an alias of its own")
        if table is None and name in listed.KEYWORDS and not node.this.args.get("quoted"):
            raise InvalidInput(f"not allowed in a query: {name}")
        if table is None and name in self._relations:
            raise InvalidInput(f"{shown(name)} is a table here", hint=f"for a column write {name}.{name}")
        return quote(name) if table is None else f"{quoted(table)}.{quote(name)}"

    def write_literal(self, node: Any) -> str:
        text = str(node.this)
        if node.is_string:
            return "'" + text.replace("'", "''") + "'"
        if not re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,2})?", text, re.IGNORECASE):
            raise InvalidInput(f"not a number: {shown(text)}")
        if len(text) > MAX_DIGITS:
            raise InvalidInput(f"a number of more than {MAX_DIGITS} digits")
        return text

    def write_boolean(self, node: Any) -> str:
        return "true" if node.this else "false"

    def write_exists(self, node: Any) -> str:
        return f"exists ({self.query(node.this)})"

    def write_subquery(self, node: Any) -> str:
        return f"({self.query(node)})"

    def write_is(self, node: Any) -> str:
        if type(node.expression).__name__ not in ("Null", "Boolean"):
            raise InvalidInput("IS takes NULL, TRUE, FALSE or [NOT] DISTINCT FROM")
        return f"({self.write(node.this)} is {_not(node)}{self.write(node.expression)})"

    def write_like(self, node: Any, escape: str = "") -> str:
        word, text = type(node).__name__.lower(), listed.TEXT.format(self.write(node.this))
        return f"({text} {_not(node)}{word} {self.own}.pattern({self.write(node.expression)}){escape})"

    write_ilike = write_like

    def write_escape(self, node: Any) -> str:
        character = node.expression
        if type(node.this).__name__ not in ("Like", "ILike") or not character.is_string or len(character.this) != 1:
            raise InvalidInput("ESCAPE takes one character after LIKE")
        return self.write_like(node.this, f" escape {self.write_literal(character)}")

    def write_in(self, node: Any) -> str:
        query = node.args.get("query")
        if query is None and sum(type(value).__name__ != "Literal" for value in node.expressions) > MAX_COMPARED_VALUES:
            raise InvalidInput(f"more than {MAX_COMPARED_VALUES} computed values after IN", hint="write IN (select …)")
        inside = self.list(node.expressions) if query is None else self._inside(query)
        self._unticked += len(node.expressions)
        return self._ticked(f"({self.write(node.this)} in ({inside}))")

    def write_between(self, node: Any) -> str:
        low, high = self.write(node.args["low"]), self.write(node.args["high"])
        return self._ticked(f"({self.write(node.this)} between {low} and {high})")

    def write_case(self, node: Any) -> str:
        if node.this and len(node.args["ifs"]) > MAX_COMPARED_VALUES:
            raise InvalidInput(
                f"more than {MAX_COMPARED_VALUES} branches after CASE x", hint="write CASE WHEN x = … THEN …"
            )
        self._unticked += len(node.args["ifs"]) if node.this else 0
        text = f"case {self.write(node.this)}" if node.this else "case"
        for branch in node.args["ifs"]:
            text += f" when {self.write(branch.this)} then {self.write(branch.args['true'])}"
        default = node.args.get("default")
        return f"({text}{'' if default is None else f' else {self.write(default)}'} end)"

    def write_cast(self, node: Any) -> str:
        kind = type_name(node.args["to"])
        if kind is None:
            raise InvalidInput(f"not a type to cast to: {shown(node.args['to'].sql('postgres'))}")
        value = self.write(node.this)
        if kind in _CHECKED_BEFORE:
            value = f"{self.own}.{_CHECKED_BEFORE[kind]}({value})"
        text = f"cast({value} as {kind}{_precision(node.args['to'], kind)})"
        if kind in _CHECKED_AFTER:
            return f"{self.own}.{_CHECKED_AFTER[kind]}({text})"
        return text if type(node.this).__name__ == "Literal" else self._ticked(text)

    def write_extract(self, node: Any) -> str:
        return f"pg_catalog.extract('{_one_of(node.this.name, listed.FIELDS)}', {self.write(node.expression)})"

    def write_interval(self, node: Any) -> str:
        amount, unit = node.this, node.args.get("unit")
        if type(unit).__name__ != "Var" or not amount.is_string or not re.fullmatch(r"-?[0-9]{1,9}", amount.this):
            raise InvalidInput("INTERVAL takes a whole number and a unit", hint="interval '7 days'")
        return f"interval '{amount.this} {_one_of(unit.name, listed.UNITS)}'"

    def write_substring(self, node: Any) -> str:
        # substring(x, y) with a text is a regular expression; substr() knows only positions.
        parts = [node.args.get(key) for key in ("this", "start", "length")]
        if any(part is not None and part.is_string for part in parts[1:]):
            raise InvalidInput("SUBSTRING with a regular expression", hint="substring(text from 1 for 10)")
        return self._called("substr", [self.write(part) for part in parts if part is not None])

    def write_strposition(self, node: Any) -> str:
        return self._called("strpos", [self.write(node.this), self.write(node.args["substr"])])

    def write_trim(self, node: Any) -> str:
        characters = node.args.get("expression")
        parts = [node.this] if characters is None else [node.this, characters]
        return self._called(trim_name(node), [self.write(part) for part in parts])

    def write_anonymous(self, node: Any) -> str:
        name = function_name(node)
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise InvalidInput(f"more than {MAX_CALLS} function calls")
        if name == "count" and [type(argument).__name__ for argument in node.expressions] == ["Star"]:
            return "pg_catalog.count(*)"
        nodes, distinct, order = list(node.expressions), "", ""
        if nodes and type(nodes[-1]).__name__ == "Order":
            order, nodes[-1] = f" order by {self.list(nodes[-1].expressions)}", nodes[-1].this
        if nodes and type(nodes[0]).__name__ == "Distinct" and not nodes[0].args.get("on"):
            distinct, nodes = "distinct ", [*nodes[0].expressions, *nodes[1:]]
        if (order or distinct) and name not in listed.AGGREGATES and name != "string_agg":
            raise InvalidInput(f"DISTINCT or ORDER BY in {shown(name)}")
        if name in ("greatest", "least"):
            self._unticked += len(nodes)
            if len(nodes) > MAX_COMPARED_VALUES:
                raise InvalidInput(
                    f"more than {MAX_COMPARED_VALUES} values for {name}", hint="take max(…) or min(…) of rows"
                )
        if name == "date_trunc" and len(nodes) == 3 and type(nodes[2]).__name__ != "Literal":
            raise InvalidInput("date_trunc takes a time zone in quotes", hint="date_trunc('day', x, 'UTC')")
        text = self._called(name, [self.write(argument) for argument in nodes], distinct, order)
        return self._ticked(text) if name in ("greatest", "least", "nullif") else text

    def _called(self, name: str, values: Sequence[str], distinct: str = "", order: str = "") -> str:
        """Write a call of a listed function with these arguments, bounded where its result could grow."""
        if name == "string_agg" and len(values) == 2:
            texts = ", ".join(f"cast({value} as text)" for value in values)
            return f"{self.own}.bounded_agg({distinct}{texts}{order})"
        if name in listed.VARIADIC and values:
            return listed.VARIADIC[name].format(", ".join(values), own=self.own)
        if template := listed.CALLS.get((name, len(values))):
            return template.format(*values, own=self.own)
        least, most = listed.PLAIN.get(name, (1, 0))
        if not least <= len(values) <= most:
            known = {"string_agg", *listed.PLAIN, *listed.VARIADIC, *(called for called, _ in listed.CALLS)}
            reason = f"{len(values)} arguments for" if name in known else "no such function:"
            raise InvalidInput(f"{reason} {shown(name)}", hint="see the reference for the functions query_graph allows")
        return f"pg_catalog.{name}({distinct}{', '.join(values)}{order})"

    def write_filter(self, node: Any) -> str:
        return f"{self._function(node.this)} filter (where {self.write(node.expression.this)})"

    def write_window(self, node: Any) -> str:
        if node.args.get("over") != "OVER":
            raise InvalidInput("a window without OVER")
        function = self.write_filter(node.this) if type(node.this).__name__ == "Filter" else self._function(node.this)
        named = node.args.get("alias")
        if named is not None and not any(node.args.get(key) for key in ("partition_by", "order", "spec")):
            return f"{function} over {quoted(named)}"
        return f"{function} over ({self.window(node)})"

    def _function(self, node: Any) -> str:
        if type(node).__name__ != "Anonymous":
            raise InvalidInput("OVER and FILTER follow a function")
        return self.write(node)

    def window(self, node: Any) -> str:
        """Write the text between the parentheses of a window."""
        parts = [quoted(node.args["alias"])] if node.args.get("alias") else []
        if keys := node.args.get("partition_by"):
            parts.append(f"partition by {self.list(keys)}")
        if order := node.args.get("order"):
            parts.append(f"order by {self.list(order.expressions)}")
        if spec := node.args.get("spec"):
            kind = _one_of(str(spec.args["kind"]), ("rows", "range", "groups"))
            start, end = (self._bound(spec, key) for key in ("start", "end"))
            parts.append(f"{kind} between {start} and {end}" if end else f"{kind} {start}")
        return " ".join(parts)

    def _bound(self, spec: Any, key: str) -> str:
        bound, side = spec.args.get(key), spec.args.get(f"{key}_side")
        if bound is None:
            return ""
        text = self.write_literal(bound) if type(bound).__name__ == "Literal" else str(bound).lower()
        if text == "current row":
            return text
        if text != "unbounded" and not text.isdigit():
            raise InvalidInput("a window's bound is a whole number, UNBOUNDED or CURRENT ROW")
        return f"{text} {_one_of(str(side), ('preceding', 'following'))}"

    def write_ordered(self, node: Any) -> str:
        direction = "desc" if node.args.get("desc") else "asc"
        return f"{self.write(node.this)} {direction} nulls {'first' if node.args.get('nulls_first') else 'last'}"


def check_arguments(node: Any) -> None:
    """Refuse a node with an argument that the writer does not write."""
    allowed = listed.ARGUMENTS.get(type(node).__name__, listed.OPERANDS)
    for key, value in node.args.items():
        if key not in allowed and value is not None and value is not False and value != []:
            raise InvalidInput(f"not allowed in a query: {key.strip('_')} of {type(node).__name__}")


def _not(node: Any) -> str:
    return "not " if node.args.get("negate") else ""


def _one_of(word: str, words: Iterable[str]) -> str:
    if word.lower() not in words:
        raise InvalidInput(f"not allowed in a query: {shown(word)}", hint=f"one of {', '.join(sorted(words))}")
    return word.lower()


def _precision(node: Any, kind: str) -> str:
    sizes = [str(size.this.this) for size in node.expressions if type(size).__name__ == "DataTypeParam"]
    if not node.expressions:
        return ""
    if kind != "numeric" or len(sizes) != len(node.expressions) or len(sizes) > 2:
        raise InvalidInput(f"no length for type {kind}")
    if not all(size.isascii() and size.isdigit() and int(size) <= 100 for size in sizes):
        raise InvalidInput("numeric takes at most 100 digits")
    return f"({', '.join(sizes)})"


def _json_key(path: Any) -> str:
    """Return the key or index that sqlglot made a path of."""
    kinds, key = [type(part).__name__ for part in path.expressions], path.expressions[-1].this
    if kinds == ["JSONPathRoot", "JSONPathKey"] and isinstance(key, str):
        return "'" + key.replace("'", "''") + "'"
    if kinds == ["JSONPathRoot", "JSONPathSubscript"] and type(key) is int:
        return str(key)
    raise InvalidInput("-> and ->> take one key or index")
