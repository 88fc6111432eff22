"""The fence before an agent's SELECT on PostgreSQL: read the text, and write the part of SQL that we allow anew.

What runs is never what was sent. sqlglot reads the text without interpreting function calls; the writer can write a
fixed set of nodes and refuses every other node, argument, function, type and table; all names come out quoted, all
functions with their schema. So a misreading may change an answer, but reaches nothing that is not listed. A table has
no schema: the reader defines it before the statement.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from wherefrom.lazy import lazy_modules
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.storage.agent.port import MAX_COLUMNS
from wherefrom.storage.agent.postgres_guard_expressions import ExpressionWriter, check_arguments
from wherefrom.storage.agent.postgres_guard_names import ARGUMENTS, column_name, folded, quote, quoted

if TYPE_CHECKING:
    from wherefrom.storage.agent import postgres_parser as parser
else:  # it imports sqlglot, which takes 0.2 s
    (parser,) = lazy_modules("wherefrom.storage.agent", "postgres_parser")

SCHEMA: Final = "wherefrom_agent"
MAX_TABLES: Final = 32
MAX_SET_OPERATIONS: Final = 20
MAX_WEIGHT: Final = 60


@lru_cache(maxsize=512)
def checked(sql: str, tables: Collection[str], schema: str = SCHEMA) -> str:
    """Return the SQL to run in place of `sql`: the same SELECT, made of listed parts only, its values bounded."""
    statements = [tree for tree in parser.parsed(sql) if type(tree).__name__ != "Semicolon"]  # a comment after the last
    if len(statements) != 1:
        raise InvalidInput("one SELECT at a time", hint="send one statement")
    try:
        writer = QueryWriter(tables, statements[0], schema)
        for node in statements[0].walk():
            if type(node).__name__ in ARGUMENTS:
                check_arguments(node)
        return writer.query(statements[0])
    except RecursionError as error:
        raise InvalidInput(f"cannot read the SQL: {error}", hint="plain SELECT statements only") from None


class QueryWriter(ExpressionWriter):
    """Writes one statement.

    PostgreSQL's planner puts the expression of a subquery's column wherever the column is named: `s || s` over
    `s || s`, 28 deep, is planned for hours, and no timeout stops the planner. So each query has a weight, the size of
    its largest column after that; above `MAX_WEIGHT` a fence (OFFSET 0, MATERIALIZED) keeps the planner out.
    """

    def __init__(self, tables: Collection[str], statement: Any, own: str) -> None:
        super().__init__(_relations(statement), own)
        self._tables = tables
        self._scope: dict[str, int] = {}  # the CTEs in sight, and their weights
        self._weight = 1  # the weight of the query written last
        self._heaviest = 1  # the weight of the heaviest query inside the expression that is being written
        self._open = 0  # how many queries are being written, each inside the one before
        self._source = 1  # the weight of the heaviest relation in the FROM clause that is being written
        self._table_count = self._set_count = 0
        self._stepping = False  # True directly in an arm of a recursive UNION, whose rows stay in memory

    def query(self, node: Any) -> str:
        """Write a SELECT, a set operation or VALUES, with its CTEs."""
        outer = self._scope
        kind = type(node).__name__
        if kind not in ("Select", "Union", "Intersect", "Except", "Values", "Subquery"):
            raise InvalidInput(f"not a query: {kind.upper()}", hint="only SELECT is allowed")
        if kind == "Subquery" and node.args.get("alias"):
            raise InvalidInput("an alias on a query in parentheses")
        self._open += 1
        stepping, self._stepping = self._stepping, False
        with_ = self._with(node.args.get("with_"))
        self._stepping = stepping
        if kind == "Select":
            body = self._select(node)
        elif kind == "Values":
            body = self._values(node)
        elif kind == "Subquery":
            body = f"({self.query(node.this)})"
        else:
            body = self._set_operation(node, kind)
        for key, word in (("order", " order by "), ("limit", " limit "), ("offset", " offset ")):
            if node.args.get(key):
                body += word + self._tail(node.args[key])
        self._scope = outer
        self._open -= 1
        self._heaviest = max(self._heaviest, self._weight)
        return with_ + body

    def _with(self, node: Any) -> str:
        if node is None:
            return ""
        recursive = bool(node.args.get("recursive"))
        names = [folded(cte.args["alias"].this) for cte in node.expressions]
        if recursive:
            self._scope = self._scope | dict.fromkeys(names, 1)
        parts = []
        for name, cte in zip(names, node.expressions, strict=True):
            self._stepping = recursive and bool(cte.this.args.get("distinct")) and type(cte.this).__name__ == "Union"
            body = self.query(cte.this)
            # A CTE of WITH RECURSIVE may be used before its weight is known.
            fenced = recursive or cte.args.get("materialized") or self._weight > MAX_WEIGHT
            how = "materialized " if fenced else ""  # NOT MATERIALIZED would copy it to each place of use
            parts.append(f"{self._alias(cte.args['alias'])} as {how}({body})")
            self._scope = self._scope | {name: 1 if fenced else self._weight}
        return f"with {'recursive ' if recursive else ''}{', '.join(parts)} "

    def _select(self, node: Any) -> str:
        if not node.expressions or len(node.expressions) > MAX_COLUMNS:
            raise InvalidInput(f"a SELECT has 1 to {MAX_COLUMNS} columns")
        stepping, self._stepping = self._stepping, False
        columns, size = self._columns(node.expressions, stepping)
        text = f"select {self._distinct(node.args.get('distinct'))}{columns}"
        merges, self.merges = self.merges, False
        outside, self._source = self._source, 1
        if source := node.args.get("from_"):
            text += f" from {self._relation(source.this)}{''.join(map(self._join, node.args.get('joins') or ()))}"
        for key, word in (("where", "where"), ("group", "group by"), ("having", "having")):
            if part := node.args.get(key):
                text += f" {word} {self.list(part.expressions) if key == 'group' else self.write(part.this)}"
        if windows := node.args.get("windows"):
            text += " window " + ", ".join(f"{quoted(window.this)} as ({self.window(window)})" for window in windows)
        self._weight, self._source, self.merges = size * self._source, outside, merges
        return text

    def _columns(self, nodes: Iterable[Any], stepping: bool) -> tuple[str, int]:
        """Write the output columns; return their text, and the size of the largest."""
        outside, largest, texts = self._heaviest, 1, []
        merges, self.merges = self.merges, self._open > 1
        for node in nodes:
            before, self._heaviest = self.nodes, 1
            texts.append(self._output(node, stepping))
            largest = max(largest, (self.nodes - before) * self._heaviest)
            outside = max(outside, self._heaviest)
        self._heaviest, self.merges = outside, merges
        return ", ".join(texts), largest

    def _output(self, node: Any, stepping: bool) -> str:
        kind = type(node).__name__
        if kind == "Star" or (kind == "Column" and type(node.this).__name__ == "Star"):
            if stepping:
                raise InvalidInput("* in a recursive query", hint="name the columns")
            return "*" if kind == "Star" else f"{quoted(node.args['table'])}.*"
        name = node.args["alias"] if kind == "Alias" else None
        value = node.this if name is not None else node
        text = self.write(value)
        if stepping and type(value).__name__ not in ("Literal", "Null", "Boolean"):
            text = f"{self.own}.bounded_step({text})"
        elif kind == "Column":
            return text
        return f"{text} as {quoted(name) if name is not None else quote(column_name(value) or '?column?')}"

    def _distinct(self, node: Any) -> str:
        if node is None:
            return ""
        if (on := node.args.get("on")) is None:
            return "distinct "
        return f"distinct on ({self.list(on.expressions if type(on).__name__ == 'Tuple' else [on])}) "

    def _set_operation(self, node: Any, kind: str) -> str:
        self._set_count += 1
        if self._set_count > MAX_SET_OPERATIONS:
            raise InvalidInput(f"more than {MAX_SET_OPERATIONS} set operations")
        stepping, every = self._stepping, "" if node.args.get("distinct") else " all"
        left, weight = self.query(node.this), self._weight
        self._stepping = stepping
        right = self.query(node.expression)
        self._stepping, self._weight = False, max(weight, self._weight)
        return f"({left}) {kind.lower()}{every} ({right})"

    def _values(self, node: Any) -> str:
        rows, before = [], self.nodes
        for row in node.expressions:
            if type(row).__name__ != "Tuple" or len(row.expressions) > MAX_COLUMNS:
                raise InvalidInput(f"VALUES takes rows of at most {MAX_COLUMNS} columns")
            rows.append(f"({self.list(row.expressions)})")
        self._weight = max(1, self.nodes - before)
        return f"values {', '.join(rows)}"

    def _tail(self, node: Any) -> str:
        if type(node).__name__ == "Order":
            return self.list(node.expressions)
        count: Any = node.expression if type(node).__name__ in ("Limit", "Offset") else None
        if type(count).__name__ != "Literal" or count.is_string or not re.fullmatch("[0-9]{1,18}", count.this):
            raise InvalidInput("LIMIT and OFFSET take a whole number")
        return str(count.this)

    def _join(self, node: Any) -> str:
        words = [str(node.args.get(key) or "").lower() for key in ("method", "side", "kind")]
        if not set(words) <= {"", "natural", "left", "right", "full", "inner", "outer", "cross"}:
            raise InvalidInput(f"not allowed in a query: {' '.join(words).strip()} join")
        relation = self._relation(node.this)
        if condition := node.args.get("on"):
            return f" {' '.join(words)} join {relation} on {self.write(condition)}"
        if columns := node.args.get("using"):
            return f" {' '.join(words)} join {relation} using ({', '.join(map(quoted, columns))})"
        return f" {' '.join(words)} join {relation}" if any(words) else f", {relation}"

    def _relation(self, node: Any) -> str:
        self._table_count += 1
        kind = type(node).__name__
        if self._table_count > MAX_TABLES:
            raise InvalidInput(f"more than {MAX_TABLES} table references")
        if kind not in ("Table", "Subquery", "Values"):
            raise InvalidInput(f"not allowed after FROM: {kind}", hint="tables, views, CTEs and subqueries only")
        alias = node.args.get("alias")
        if kind in ("Values", "Subquery"):
            text = self._fenced(self._values(node) if kind == "Values" else self.query(node.this))
        elif type(node.this).__name__ != "Identifier":
            raise InvalidInput(f"not allowed after FROM: {shown(node.this.name)}", hint="no functions as tables")
        else:
            text = self._table(folded(node.this))
        return text if alias is None else f"{text} as {self._alias(alias)}"

    def _fenced(self, query: str) -> str:
        if self._weight > MAX_WEIGHT:
            query, self._weight = f'select * from ({query}) as "fenced" offset 0', 1  # noqa: S608 - `query` is our own writing
        self._source = max(self._source, self._weight)
        return f"({query})"

    def _table(self, name: str) -> str:
        if name in self._scope:
            self._source = max(self._source, self._scope[name])
            return quote(name)
        if name not in self._tables:
            raise InvalidInput(f"no such table: {shown(name)}", hint=f"there are: {', '.join(sorted(self._tables))}")
        return quote(name)

    def _alias(self, node: Any) -> str:
        columns = ", ".join(map(quoted, node.args.get("columns") or ()))
        return quoted(node.this) + (f"({columns})" if columns else "")


def _relations(statement: Any) -> Iterator[str]:
    """Yield the names under which FROM clauses anywhere in the statement offer rows."""
    for node in statement.walk():
        kind, parent = type(node).__name__, type(node.parent).__name__
        bare = kind == "Table" and not node.args.get("alias") and type(node.this).__name__ == "Identifier"
        if bare or (kind == "TableAlias" and parent != "CTE"):
            yield folded(node.this)
