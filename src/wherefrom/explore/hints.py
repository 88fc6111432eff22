"""What to do about a statement that gave no answer: hints for the mistakes that are often made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from wherefrom.explore.hint_rules import (
    ARGUMENTS,
    FUNCTIONS,
    INSTEAD_OF_FUNCTION,
    NO_SUCH_FUNCTION,
    QUOTES,
    READ_ONLY,
    RULES,
    WRONG_ARGUMENTS,
)
from wherefrom.model.evidence import TableShape
from wherefrom.storage.agent.port import Dialect, SqlFailed

_UNKNOWN_COLUMN: Final = re.compile(
    r"""^no such column: ["']?(?:(\w+)\.)?(\w+)|^column (?:"(?:(\w+)\.)?(\w+)"|(\w+)\.(\w+))"""
    r""" (?:does not exist|specified in USING clause does not exist)|^cannot join using column ()(\w+)"""
)
_AMBIGUOUS: Final = re.compile(
    r"""^ambiguous column name: (?:\w+\.)?(\w+)|^column reference "(\w+)" is ambiguous"""
    r"""|^common column name "(\w+)" appears more than once"""
)
_UNKNOWN_TABLE: Final = re.compile(
    r"""^no such table: '?(?:main\.|temp\.)?([\w.]+)|^access to (\w+)\.\w* is prohibited"""
    r"""|^relation "([\w.]+)" does not exist"""
)
_UNKNOWN_ALIAS: Final = re.compile(r"""^(?:missing|invalid reference to) FROM-clause entry for table "(\w+)\"""")
_NAMED: Final = re.compile(r"(\bfrom\b|\bjoin\b|,)\s*(\w+)(?:\s+as\b)?(?:\s+(\w+))?", re.IGNORECASE)
_NO_ALIAS: Final = frozenset(
    "on where group order having limit join left right inner cross natural full using union window and as from".split()  # noqa: SIM905  # a list of words
)
_NAME_CHARACTERS: Final = 63  # a name that is longer is repeated in part
_SYNTAX: Final = ("incomplete input", "syntax error", "unrecognized token", "cannot read the SQL")
_TASKLESS: Final = re.compile(r"\b(fragments|pages|edges)\b", re.IGNORECASE)
_INSTEAD: Final = {
    "nodes": "memos, claims, fragments, pages and entities are tables of their own",
    "authors": "authors are in pages.paper_metadata: paper_metadata ->> 'authors'",
    "works": "what is known of a paper is in pages.paper_metadata",
    "relations": "relations are in edges; their tag is called relation",
    "sqlite_master": "include_schema=true lists the tables and columns",
    "sqlite_schema": "include_schema=true lists the tables and columns",
    "information_schema": "include_schema=true lists the tables and columns",
}
_WHERE_TASK: Final = (
    "only claims and queries have task_id; join to claims, or use evidence, which has task_id, claim_id, fragment_id"
    " and page_id"
)
_WITH_STEP: Final = "WITH step AS (SELECT …) SELECT … FROM step WHERE …"
_NO_INTERVAL: Final = "SQLite has no INTERVAL; times are text: created_at > date('now', '-7 days')"


def hint_for(failed: SqlFailed, sql: str, shapes: Sequence[TableShape], dialect: Dialect) -> str | None:
    """A hint that is right for this message of this database, if the message is one that we know."""
    message = failed.message
    if failed.kind == "interrupted" and "cancelled" in message:
        return None
    if failed.kind == "interrupted":
        more = "max_vm_steps (up to 50,000,000) and " if "step" in message else ""
        return f"filter by task_id or id first, select fewer rows, or raise {more}timeout_ms (up to 2,000)"
    hint = _for_name(message, sql, shapes, dialect) or _for_function(message, dialect)
    if hint is not None:
        return hint
    for pattern, text in RULES:
        if match := pattern.search(message):
            return text.format(*match.groups())
    if any(part in message for part in _SYNTAX):
        return _for_syntax(sql)
    if failed.hint is not None:
        return failed.hint
    if failed.kind == "refused" or "cannot modify" in message:
        return READ_ONLY
    return None


def _for_name(message: str, sql: str, shapes: Sequence[TableShape], dialect: Dialect) -> str | None:
    """A hint about a column, table or alias that the message names."""
    if match := _UNKNOWN_COLUMN.search(message):
        table, column = _matched(match, 1), _matched(match, 2)
        if dialect == "SQLite" and column == "interval":
            return _NO_INTERVAL
        return (_for_alias(table, sql, shapes) if table else None) or _for_column(column, sql, shapes)
    if match := _AMBIGUOUS.search(message):
        return _for_ambiguous(_matched(match, 1, step=1), sql, shapes)
    if match := _UNKNOWN_TABLE.search(message):
        return _for_table(_matched(match, 1, step=1), shapes)
    if match := _UNKNOWN_ALIAS.search(message):
        return _for_alias(match[1].lower(), sql, shapes)
    return None


def _matched(match: re.Match[str], first: int, *, step: int = 2) -> str:
    """The text of the alternative that matched: every `step`th group from `first`."""
    return next((group for group in match.groups()[first - 1 :: step] if group), "").lower()[:_NAME_CHARACTERS]


def _for_column(column: str, sql: str, shapes: Sequence[TableShape]) -> str:
    if column == "task_id" and _TASKLESS.search(sql):
        return _WHERE_TASK
    if column in _INSTEAD:
        return _INSTEAD[column]
    used = [shape for shape in shapes if re.search(rf"\b{shape.name}\b", sql, re.IGNORECASE)]
    having = [shape.name for shape in shapes if column in shape.columns]
    name = re.escape(column)
    if re.search(rf"\bas\s+\"?{name}\b", sql, re.IGNORECASE) and not having:
        return f"{column} is a name that SELECT gives: repeat its expression, or filter outside: {_WITH_STEP}"
    if (quoted := re.search(rf'"({name})"', sql, re.IGNORECASE)) and not having:
        return f"text is in single quotes: '{quoted[1]}'; double quotes are for names"
    if re.search(rf"(?:=|<>|!=|\blike)\s*{name}\b", sql, re.IGNORECASE) and not having:
        return f"if {column} is a text, quote it: '{column}'{_columns(used)}"
    if having:
        return f"{column} is a column of {', '.join(having[:6])}"
    if close := _similar(column, used):
        return f"perhaps {close}{_columns(used)}"
    return _columns(used).removeprefix("; ") or "include_schema=true lists the tables and columns"


def _similar(column: str, used: Sequence[TableShape]) -> str | None:
    """A column of these tables that `column` may be short for, or a misspelling of."""
    columns = [name for shape in used for name in shape.columns]
    longer = [name for name in columns if name.startswith(f"{column}_") or name.endswith(f"_{column}")]
    return next(iter(longer or get_close_matches(column, columns, n=1, cutoff=0.75)), None)


def _columns(used: Sequence[TableShape]) -> str:
    return "".join(f"; {shape.name} has {', '.join(shape.columns)}" for shape in used[:2])


def _for_alias(name: str, sql: str, shapes: Sequence[TableShape]) -> str | None:
    """A hint if `name` stands for no table of the statement."""
    called = _called(sql, shapes)
    if not called or name in [alias for _, alias in called]:
        return None
    for table, alias in called:
        if table == name:
            return f"{table} is called {alias} in this statement: write {alias}.… instead of {table}.…"
    known = f"; join {name} first" if any(shape.name == name for shape in shapes) else ""
    return f"{name} is no table of this statement, whose tables are called {', '.join(a for _, a in called)}{known}"


def _called(sql: str, shapes: Sequence[TableShape]) -> list[tuple[str, str]]:
    """The tables after FROM, JOIN and commas, each with what the statement calls it."""
    names = {shape.name for shape in shapes}
    found = []
    for match in _NAMED.finditer(sql):
        table, alias = match[2].lower(), (match[3] or "").lower()
        if match[1] != "," or table in names:  # after a comma anything may stand
            found.append((table, alias if alias and alias not in _NO_ALIAS else table))
    return found


def _for_ambiguous(column: str, sql: str, shapes: Sequence[TableShape]) -> str:
    columns = {shape.name: shape.columns for shape in shapes}
    having = [f"{alias}.{column}" for table, alias in _called(sql, shapes) if column in columns.get(table, ())]
    written = " or ".join(having) if len(having) > 1 else f"the table before it, as in c.{column}"
    return f"several tables of the statement have {column}: write {written}"


def _for_table(table: str, shapes: Sequence[TableShape]) -> str:
    for name in (table, table.split(".")[0]):
        if name in _INSTEAD:
            return _INSTEAD[name]
    names = [shape.name for shape in shapes]
    close = get_close_matches(table, names, n=1, cutoff=0.75)
    return f"{f'perhaps {close[0]}; ' if close else ''}the tables are {', '.join(names)}"


def _for_function(message: str, dialect: Dialect) -> str | None:
    instead = INSTEAD_OF_FUNCTION[dialect]
    if match := NO_SUCH_FUNCTION.search(message):
        name = next(group for group in match.groups() if group).lower()
        return f"on {dialect}: {instead[name]}" if name in instead else FUNCTIONS[dialect]
    if match := WRONG_ARGUMENTS.search(message):
        name = (match[1] or match[2]).lower()
        right = instead.get(name) if name in ("max", "min") else ARGUMENTS.get(name)
        return f"on {dialect}: {right or f'{name}(x)'}"
    return None


def _for_syntax(sql: str) -> str:
    if re.search(r"\bselect\s+top\b", sql, re.IGNORECASE):
        return "write LIMIT 5 at the end instead of TOP 5"
    return QUOTES
