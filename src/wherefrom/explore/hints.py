"""Hints for statements that gave no answer: which message of SQLite, PostgreSQL or our guard gets which hint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from wherefrom.model.evidence import TableShape
from wherefrom.storage.agent.port import Dialect, SqlFailed

_QUOTES: Final = "text is quoted 'so', names \"so\"; one SELECT, without a WITH … INSERT"
_READ_ONLY: Final = "this is read-only: write one SELECT over the tables that include_schema=true lists"
_TIMES: Final = (
    "times are stored as text that sorts as time: compare with '2026-01-01', substr(created_at, 1, 7) is a month"
)
_CAST_TIME: Final = f"{_TIMES}; functions of time take cast(created_at as timestamptz)"
_HAVING: Final = "conditions on aggregates come after GROUP BY: … GROUP BY task_id HAVING count(*) > 1"
_STEP: Final = "compute the inner one first: WITH step AS (SELECT …) SELECT … FROM step"
_ONE_COLUMN: Final = "a subquery that is compared selects one column"
_SAME_COLUMNS: Final = "both SELECTs need the same number of columns; fill up with NULL"
_NAMED_COLUMNS: Final = "after WITH, {0}(…) lists as many columns as its SELECT has"
_WINDOW: Final = "write OVER (ORDER BY …), or name it after the conditions: WINDOW w AS (ORDER BY …)"
_OVER: Final = "a window function needs OVER: row_number() OVER (ORDER BY …); to filter by it, wrap it in WITH"
_NO_PATTERNS: Final = "there are no regular expressions: use LIKE '%…%'"
_POSITIVE: Final = "leave such values out: WHERE x > 0"
_SMALLER: Final = (
    "the number is too large for its type: compute with smaller ones, or cast integers to double precision"
)

# The hint for each pattern of a message; the first that is found counts. {0}, {1} are what its groups matched.
_RULES: Final = {
    # SQLite
    r"^HAVING clause on a non-aggregate query": _HAVING,
    r"^misuse of aggregate(?: function)?:? ?(\w+)\(\)": f"{_HAVING}; an aggregate of an aggregate: {_STEP}",
    r"^misuse of (?:aliased )?window function": _OVER,
    r"^no such window: ": _WINDOW,
    r"^SELECTs to the left and right of \w+": _SAME_COLUMNS,
    r"^sub-select returns \d+ columns": _ONE_COLUMN,
    r"^table (\w+) has \d+ values for \d+ columns": _NAMED_COLUMNS,
    r'^near "ilike": ': "SQLite has no ILIKE; its LIKE does not mind the case of ASCII letters",
    r'^near "(?:~|regexp|similar)": ': _NO_PATTERNS,
    r'^unrecognized token: ":"': "SQLite casts with cast(x as integer), not with x::integer",
    r'^near "(?:\'.*\'|interval)": ': f"SQLite has no INTERVAL; {_TIMES}, date('now', '-7 days') was a week ago",
    r"^too many (?:columns|terms) in|^too many columns": "select at most 100 columns",
    # PostgreSQL
    r'^column "(?:\w+\.)?([^".]+)" must appear in the GROUP BY clause': (
        "PostgreSQL: add {0} to GROUP BY, or take one value of each group: max({0})"
    ),
    r"^a text is expected, not a value of type": "PostgreSQL: make it a text first, as in length(cast(x as text))",
    r"^subquery uses ungrouped column": "PostgreSQL: add the column to GROUP BY of the outer query",
    r"^aggregate functions are not allowed in (?!RETURNING)": _HAVING,
    r"^aggregate function calls cannot (?:be nested|contain)": _STEP,
    r"^window functions? .* requires? an OVER clause|^window functions are not allowed in": _OVER,
    r'^window "\w+" does not exist': _WINDOW,
    r"^each \w+ query must have the same number of columns": _SAME_COLUMNS,
    r"^subquery (?:has too many columns|must return only one column)": _ONE_COLUMN,
    r"^more than one row returned by a subquery": "take one row with LIMIT 1 or max(…), or write IN (SELECT …)",
    r'^WITH query "(\w+)" has \d+ columns': _NAMED_COLUMNS,
    r"^for SELECT DISTINCT, ORDER BY expressions must appear": (
        "PostgreSQL: select what you sort by, too, or use GROUP BY instead of DISTINCT"
    ),
    r"^SELECT DISTINCT ON expressions must match": "ORDER BY begins with the columns of DISTINCT ON",
    r"^operator does not exist: .*(?:timestamp|interval|date)": _CAST_TIME,
    r"^operator does not exist: (?:text \S+ (?:integer|bigint|numeric|double precision)|\w+ \S+ text)": (
        "PostgreSQL compares like with like: a text with '5', a number with cast(x as double precision)"
    ),
    r"^operator does not exist: (?:boolean \S+|\w+ \S+ boolean)": (
        "on PostgreSQL true and false are no numbers: write x = true, or case when x then 1 else 0 end"
    ),
    r"^operator does not exist: double precision %": "% takes whole and decimal numbers: cast(x as numeric) % 2",
    r"^operator does not exist: (.+?) (\S+) (.+?)(?: \(|$)": (
        "PostgreSQL has no {1} between {0} and {2}: cast one side, as in cast(x as text)"
    ),
    r"^\w+ types (.+) and (.+?) cannot be matched": "PostgreSQL: cast both to one type, as in cast(x as text)",
    r"^invalid input syntax for type ([\w ]+)": (
        "this is not of type {0}: write such a value, or compare as text with cast(x as text)"
    ),
    r"^date/time field value out of range|^invalid value for .*date": "dates are '2026-12-31'",
    r"^division by zero": "x / nullif(y, 0) is NULL instead of an error",
    r"^argument of .+ must be type boolean": "PostgreSQL: write a comparison, as in x > 0 or x is not null",
    r"^cannot take (?:square root|logarithm)": _POSITIVE,
    r"out of range": _SMALLER,
    # The guard of PostgreSQL
    r"^a number of more than|^not a number:": "write a number such as 5, 0.5 or 1e10, or quote a text",
    r"^unbalanced, or nested": "close every parenthesis and CASE … END, and nest less: WITH step AS (SELECT …)",
    r"^more than \d+ (?:table|set|function)": "ask in several statements",
    r"^the SQL is longer than|^more than \d+ words": "shorten the statement: for long lists join to a table",
    # Both
    r"^not allowed in a query: '~'|RegexpLike": _NO_PATTERNS,
    r"too big|too long(?! to read)": "use substr, or aggregate fewer rows",
    r"parameter.*no value": "write the value itself, in single quotes",
    r"no statement": "write one SELECT; include_schema=true lists the tables",
}

_NO_SUCH_FUNCTION: Final = re.compile(
    r"^no such function: '?(\w+)'?|^the function (\w+) is not allowed|^function (?:\w+\.)?(\w+)\((.*?)\) does not exist"
)
_WRONG_ARGUMENTS: Final = re.compile(r"^wrong number of arguments to function (\w+)|^\d+ arguments for '(\w+)'")

_JOINED_TEXTS: Final = "string_agg(x, ', ')"
INSTEAD_OF_FUNCTION: Final[dict[Dialect, dict[str, str]]] = {
    "SQLite": {
        **dict.fromkeys(("array_agg", "json_agg", "jsonb_agg"), _JOINED_TEXTS),
        **dict.fromkeys(("char_length", "character_length"), "length(x)"),
        **dict.fromkeys(("date_part", "extract"), "cast(substr(created_at, 1, 4) as integer) is the year"),
        **dict.fromkeys(("regexp", "regexp_replace", "regexp_matches"), _NO_PATTERNS),
        **dict.fromkeys(("strpos", "position"), "instr(text, part)"),
        "now": "date('now') is today",
        "date_trunc": "substr(created_at, 1, 7) is the month",
        "to_char": "strftime('%Y-%m', created_at)",
        "age": "julianday(a) - julianday(b) are days",
        "greatest": "max(a, b)",
        "least": "min(a, b)",
        "concat": "a || b",
        "concat_ws": "a || ' ' || b",
        "left": "substr(x, 1, 5)",
        "right": "substr(x, -5)",
        "jsonb_array_length": "json_array_length(x)",
        "bool_and": "min(x)",
        "bool_or": "max(x)",
        "stddev": "sqrt(avg(x * x) - avg(x) * avg(x))",
        "variance": "avg(x * x) - avg(x) * avg(x)",
    },
    "PostgreSQL": {
        **dict.fromkeys(("array_agg", "group_concat", "json_agg", "jsonb_agg"), _JOINED_TEXTS),
        **dict.fromkeys(("age", "date", "datetime", "date_part", "date_trunc", "extract"), _CAST_TIME),
        **dict.fromkeys(("strftime", "time", "to_char"), _CAST_TIME),
        **dict.fromkeys(("if", "iif"), "case when a then b else c end"),
        **dict.fromkeys(("regexp_replace", "regexp_matches"), _NO_PATTERNS),
        **{name: f"{name} takes a text: {name}(cast(x as text))" for name in ("length", "lower", "upper")},
        "julianday": "extract(epoch from cast(x as timestamptz)) / 86400 are days",
        "unixepoch": "extract(epoch from cast(x as timestamptz))",
        "ifnull": "coalesce(a, b)",
        "json_extract": "metadata ->> 'key' as text, metadata -> 'key' as JSON",
        "json_array_length": "jsonb_array_length(x)",
        "instr": "strpos(text, part)",
        "total": "coalesce(sum(x), 0)",
        "glob": "x like 'a%'",
        "exists": "exists (select 1 from …)",
        "max": "greatest(a, b)",
        "min": "least(a, b)",
        "sum": "sum takes numbers: sum(cast(x as double precision)); count(*) filter (where …) counts what is true",
        "avg": "avg takes numbers: avg(cast(x as double precision))",
        "round": "round(x, 2)",
    },
}
ARGUMENTS: Final = {
    "substr": "substr(text, start, length), counted from 1",
    "substring": "substring(text, start, length), counted from 1",
    "replace": "replace(text, old, new)",
    "round": "round(x, digits)",
    "count": "count(*), count(x) or count(distinct x); for pairs count(distinct a || ' ' || b)",
    "string_agg": "string_agg(x, ', ')",
    "group_concat": "group_concat(x, ', ')",
    "nullif": "nullif(x, y)",
    "lag": "lag(x, 1) over (order by …)",
    "lead": "lead(x, 1) over (order by …)",
}
FUNCTIONS: Final[dict[Dialect, str]] = {
    "SQLite": (
        "SQLite has abs avg coalesce count date group_concat ifnull iif instr json_extract julianday length ln lower"
        " max min nullif replace round sqrt strftime string_agg substr sum total trim upper and window functions"
    ),
    "PostgreSQL": (
        "of PostgreSQL's there are abs avg coalesce concat count date_trunc extract greatest least left length ln lower"
        " max min now nullif replace right round split_part sqrt string_agg strpos substr sum trim upper and window"
        " functions"
    ),
}

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
_TABLE_AND_ALIAS: Final = re.compile(r"(\bfrom\b|\bjoin\b|,)\s*(\w+)(?:\s+as\b)?(?:\s+(\w+))?", re.IGNORECASE)
_NEVER_ALIASES: Final = frozenset(
    "on where group order having limit join left right inner cross natural full using union window and as from".split()  # noqa: SIM905  # a list of words
)
_MAX_NAME_CHARACTERS: Final = 63  # a longer name is repeated in part
_SYNTAX: Final = ("incomplete input", "syntax error", "unrecognized token", "cannot read the SQL")
_TABLES_WITHOUT_TASK: Final = re.compile(r"\b(fragments|pages|edges)\b", re.IGNORECASE)
_LISTED: Final = "include_schema=true lists the tables and columns"
_HOLDS: Final = "holds_now is true for what holds now; valid_from and valid_to say since when and until when it does"
_INSTEAD: Final = {
    "nodes": "memos, claims, fragments, pages and entities are tables of their own",
    "authors": "authors are in pages.paper_metadata: paper_metadata ->> 'authors'",
    "works": "what is known of a paper is in pages.paper_metadata",
    "relations": "relations are in edges; their tag is called relation",
    "versions": "former versions of texts are no table: history and get with version read them",
    **dict.fromkeys(("current", "is_current", "is_valid", "valid_until", "valid"), _HOLDS),
    **dict.fromkeys(("sqlite_master", "sqlite_schema", "information_schema"), _LISTED),
}
_TASK_TABLES: Final = (
    "only claims and queries have task_id; join to claims, or use evidence, which has task_id, claim_id, fragment_id"
    " and page_id"
)
_WITH_STEP: Final = "WITH step AS (SELECT …) SELECT … FROM step WHERE …"
_NO_INTERVAL: Final = "SQLite has no INTERVAL; times are text: created_at > date('now', '-7 days')"


def hint_for(failed: SqlFailed, sql: str, shapes: Sequence[TableShape], dialect: Dialect) -> str | None:
    """Return the hint for a message of this database about this statement; None if the message is not known."""
    message = failed.message
    if failed.kind == "interrupted":
        more = "max_vm_steps (up to 50,000,000) and " if "step" in message else ""
        return f"filter by task_id or id first, select fewer rows, or raise {more}timeout_ms (up to 2,000)"
    hint = _for_name(message, sql, shapes, dialect) or _for_function(message, dialect)
    if hint is not None:
        return hint
    for pattern, text in _RULES.items():
        if match := re.search(pattern, message):
            return text.format(*match.groups())
    if any(part in message for part in _SYNTAX):
        is_top = re.search(r"\bselect\s+top\b", sql, re.IGNORECASE)
        return "write LIMIT 5 at the end instead of TOP 5" if is_top else _QUOTES
    is_refused = failed.kind == "refused" or "cannot modify" in message
    return failed.hint or (_READ_ONLY if is_refused else None)


def _for_name(message: str, sql: str, shapes: Sequence[TableShape], dialect: Dialect) -> str | None:
    """Return the hint about the column, table or alias that a message names."""
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
    """Return the text of the first group that matched, among every `step`th from `first`."""
    return next((group for group in match.groups()[first - 1 :: step] if group), "").lower()[:_MAX_NAME_CHARACTERS]


def _for_column(column: str, sql: str, shapes: Sequence[TableShape]) -> str:
    if column == "task_id" and _TABLES_WITHOUT_TASK.search(sql):
        return _TASK_TABLES
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
    return _columns(used).removeprefix("; ") or _LISTED


def _similar(column: str, used: Sequence[TableShape]) -> str | None:
    """Return the column of these tables that `column` abbreviates or misspells; None if there is none."""
    columns = [name for shape in used for name in shape.columns]
    longer = [name for name in columns if name.startswith(f"{column}_") or name.endswith(f"_{column}")]
    return next(iter(longer or get_close_matches(column, columns, n=1, cutoff=0.75)), None)


def _columns(used: Sequence[TableShape]) -> str:
    return "".join(f"; {shape.name} has {', '.join(shape.columns)}" for shape in used[:2])


def _for_alias(name: str, sql: str, shapes: Sequence[TableShape]) -> str | None:
    """Return the hint about a name before a dot that no table of the statement has; None if one has it."""
    called = _named_tables(sql, shapes)
    if not called or name in [alias for _, alias in called]:
        return None
    for table, alias in called:
        if table == name:
            return f"{table} is called {alias} in this statement: write {alias}.… instead of {table}.…"
    known = f"; join {name} first" if any(shape.name == name for shape in shapes) else ""
    return f"{name} is no table of this statement, whose tables are called {', '.join(a for _, a in called)}{known}"


def _named_tables(sql: str, shapes: Sequence[TableShape]) -> list[tuple[str, str]]:
    """Return the tables after FROM, JOIN and commas, each with its alias in the statement, or else its name."""
    names = {shape.name for shape in shapes}
    found = []
    for match in _TABLE_AND_ALIAS.finditer(sql):
        table, alias = match[2].lower(), (match[3] or "").lower()
        if match[1] != "," or table in names:  # after a comma anything may stand
            found.append((table, alias if alias and alias not in _NEVER_ALIASES else table))
    return found


def _for_ambiguous(column: str, sql: str, shapes: Sequence[TableShape]) -> str:
    columns = {shape.name: shape.columns for shape in shapes}
    having = [f"{alias}.{column}" for table, alias in _named_tables(sql, shapes) if column in columns.get(table, ())]
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
    if match := _NO_SUCH_FUNCTION.search(message):
        name = next(group for group in match.groups() if group).lower()
        return f"on {dialect}: {instead[name]}" if name in instead else FUNCTIONS[dialect]
    if match := _WRONG_ARGUMENTS.search(message):
        name = (match[1] or match[2]).lower()
        right = instead.get(name) if name in ("max", "min") else ARGUMENTS.get(name)
        return f"on {dialect}: {right or f'{name}(x)'}"
    return None
