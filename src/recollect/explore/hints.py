"""What to do about a statement that gave no answer: hints for the mistakes that are often made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from recollect.model.evidence import TableShape
from recollect.storage.agent.port import SqlFailed

_UNKNOWN_COLUMN: Final = re.compile(r"""(?:no such column: |column )["']?(?:\w+\.)?(\w+)["']?""")
_UNKNOWN_TABLE: Final = re.compile(
    r"""(?:no such table: |relation ["']|table ["']?|access to )["']?(?:main\.|temp\.)?"""
    r"""([\w.]+?)["']?(?:\.\w*)?(?: |$|["'])"""
)
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


def hint_for(failed: SqlFailed, sql: str, shapes: Sequence[TableShape]) -> str | None:
    """A hint, if the message is one that we know."""
    message = failed.message
    if failed.kind == "interrupted":
        more = "max_vm_steps (up to 50,000,000) and " if "step" in message else ""
        return f"filter by task_id or id first, select fewer rows, or raise {more}timeout_ms (up to 2,000)"
    if match := _UNKNOWN_COLUMN.search(message):
        return _for_column(match[1].lower(), sql, shapes)
    if match := _UNKNOWN_TABLE.search(message):
        table = match[1].lower()
        if table in _INSTEAD or table.split(".")[0] in _INSTEAD:
            return _INSTEAD.get(table) or _INSTEAD[table.split(".")[0]]
        return f"the tables are {', '.join(shape.name for shape in shapes)}"
    if failed.hint is not None:
        return failed.hint
    if failed.kind == "refused" or "cannot modify" in message:
        return "this is read-only: write one SELECT over the tables that include_schema=true lists"
    if "too big" in message or "too long" in message:
        return "use substr, or aggregate fewer rows"
    if "no such function" in message:
        return "common text, number, date, JSON and window functions are there; docs/concepts/sql.md lists them"
    if "too many columns" in message:
        return "select at most 100 columns"
    if "parameter" in message and "no value" in message:
        return "write the value itself, in single quotes"
    if "no statement" in message:
        return "write one SELECT; include_schema=true lists the tables"
    if "incomplete input" in message or "syntax error" in message or "unrecognized token" in message:
        return "text is quoted 'so', names \"so\"; one SELECT, without a WITH … INSERT"
    return None


def _for_column(column: str, sql: str, shapes: Sequence[TableShape]) -> str:
    if column == "task_id" and _TASKLESS.search(sql):
        return _WHERE_TASK
    if column in _INSTEAD:
        return _INSTEAD[column]
    having = [shape.name for shape in shapes if column in shape.columns]
    if having:
        return f"{column} is a column of {', '.join(having[:6])}"
    used = [shape for shape in shapes if re.search(rf"\b{shape.name}\b", sql, re.IGNORECASE)]
    if used:
        return "; ".join(f"{shape.name} has {', '.join(shape.columns)}" for shape in used[:2])
    return "include_schema=true lists the tables and columns"
