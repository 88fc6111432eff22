"""Error messages of SQLite, PostgreSQL and our guard, each with what to write instead."""

from __future__ import annotations

import re
from typing import Final

from wherefrom.storage.agent.port import Dialect

QUOTES: Final = "text is quoted 'so', names \"so\"; one SELECT, without a WITH … INSERT"
READ_ONLY: Final = "this is read-only: write one SELECT over the tables that include_schema=true lists"
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
_POSITIVE: Final = "leave such values out: WHERE x > 0"
_SMALLER: Final = (
    "the number is too large for its type: compute with smaller ones, or cast integers to double precision"
)

# The first that is found in a message. {0}, {1} are what its groups matched.
RULES: Final = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
        # SQLite
        (r"^HAVING clause on a non-aggregate query", _HAVING),
        (r"^misuse of aggregate(?: function)?:? ?(\w+)\(\)", f"{_HAVING}; an aggregate of an aggregate: {_STEP}"),
        (r"^misuse of (?:aliased )?window function", _OVER),
        (r"^no such window: ", _WINDOW),
        (r"^SELECTs to the left and right of \w+", _SAME_COLUMNS),
        (r"^sub-select returns \d+ columns", _ONE_COLUMN),
        (r"^table (\w+) has \d+ values for \d+ columns", _NAMED_COLUMNS),
        (r'^near "ilike": ', "SQLite has no ILIKE; its LIKE does not mind the case of ASCII letters"),
        (r'^near "(?:~|regexp|similar)": ', "there are no regular expressions: use LIKE '%…%'"),
        (r'^unrecognized token: ":"', "SQLite casts with cast(x as integer), not with x::integer"),
        (r'^near "(?:\'.*\'|interval)": ', f"SQLite has no INTERVAL; {_TIMES}, date('now', '-7 days') was a week ago"),
        (r"^too many (?:columns|terms) in|^too many columns", "select at most 100 columns"),
        # PostgreSQL
        (
            r'^column "(?:\w+\.)?([^".]+)" must appear in the GROUP BY clause',
            "PostgreSQL: add {0} to GROUP BY, or take one value of each group: max({0})",
        ),
        (
            r"^a text is expected, not a value of type",
            "PostgreSQL: make it a text first, as in length(cast(x as text))",
        ),
        (r"^subquery uses ungrouped column", "PostgreSQL: add the column to GROUP BY of the outer query"),
        (r"^aggregate functions are not allowed in (?!RETURNING)", _HAVING),
        (r"^aggregate function calls cannot (?:be nested|contain)", _STEP),
        (r"^window functions? .* requires? an OVER clause|^window functions are not allowed in", _OVER),
        (r'^window "\w+" does not exist', _WINDOW),
        (r"^each \w+ query must have the same number of columns", _SAME_COLUMNS),
        (r"^subquery (?:has too many columns|must return only one column)", _ONE_COLUMN),
        (r"^more than one row returned by a subquery", "take one row with LIMIT 1 or max(…), or write IN (SELECT …)"),
        (r'^WITH query "(\w+)" has \d+ columns', _NAMED_COLUMNS),
        (
            r"^for SELECT DISTINCT, ORDER BY expressions must appear",
            "PostgreSQL: select what you sort by, too, or use GROUP BY instead of DISTINCT",
        ),
        (r"^SELECT DISTINCT ON expressions must match", "ORDER BY begins with the columns of DISTINCT ON"),
        (r"^operator does not exist: .*(?:timestamp|interval|date)", _CAST_TIME),
        (
            r"^operator does not exist: (?:text \S+ (?:integer|bigint|numeric|double precision)|\w+ \S+ text)",
            "PostgreSQL compares like with like: a text with '5', a number with cast(x as double precision)",
        ),
        (
            r"^operator does not exist: (?:boolean \S+|\w+ \S+ boolean)",
            "on PostgreSQL true and false are no numbers: write x = true, or case when x then 1 else 0 end",
        ),
        (
            r"^operator does not exist: double precision %",
            "% takes whole and decimal numbers: cast(x as numeric) % 2",
        ),
        (
            r"^operator does not exist: (.+?) (\S+) (.+?)(?: \(|$)",
            "PostgreSQL has no {1} between {0} and {2}: cast one side, as in cast(x as text)",
        ),
        (r"^\w+ types (.+) and (.+?) cannot be matched", "PostgreSQL: cast both to one type, as in cast(x as text)"),
        (
            r"^invalid input syntax for type ([\w ]+)",
            "this is not of type {0}: write such a value, or compare as text with cast(x as text)",
        ),
        (r"^date/time field value out of range|^invalid value for .*date", "dates are '2026-12-31'"),
        (r"^division by zero", "x / nullif(y, 0) is NULL instead of an error"),
        (r"^argument of .+ must be type boolean", "PostgreSQL: write a comparison, as in x > 0 or x is not null"),
        (r"^cannot take (?:square root|logarithm)", _POSITIVE),
        (r"out of range", _SMALLER),
        # The guard of PostgreSQL
        (r"^a number of more than|^not a number:", "write a number such as 5, 0.5 or 1e10, or quote a text"),
        (r"^unbalanced, or nested", "close every parenthesis and CASE … END, and nest less: WITH step AS (SELECT …)"),
        (r"^more than \d+ (?:table|set|function)", "ask in several statements"),
        (r"^the SQL is longer than|^more than \d+ words", "shorten the statement: for long lists join to a table"),
        # Both
        (r"^not allowed in a query: '~'|RegexpLike", "there are no regular expressions: use LIKE '%…%'"),
        (r"too big|too long(?! to read)", "use substr, or aggregate fewer rows"),
        (r"parameter.*no value", "write the value itself, in single quotes"),
        (r"no statement", "write one SELECT; include_schema=true lists the tables"),
    )
)

NO_SUCH_FUNCTION: Final = re.compile(
    r"^no such function: '?(\w+)'?|^the function (\w+) is not allowed|^function (?:\w+\.)?(\w+)\((.*?)\) does not exist"
)
WRONG_ARGUMENTS: Final = re.compile(r"^wrong number of arguments to function (\w+)|^\d+ arguments for '(\w+)'")

_NO_PATTERNS: Final = "there are no regular expressions: use LIKE '%…%'"
_TEXTS_OF_ROWS: Final = "string_agg(x, ', ')"
INSTEAD_OF_FUNCTION: Final[dict[Dialect, dict[str, str]]] = {
    "SQLite": {
        "now": "date('now') is today",
        "date_trunc": "substr(created_at, 1, 7) is the month",
        "date_part": "cast(substr(created_at, 1, 4) as integer) is the year",
        "extract": "cast(substr(created_at, 1, 4) as integer) is the year",
        "to_char": "strftime('%Y-%m', created_at)",
        "age": "julianday(a) - julianday(b) are days",
        "greatest": "max(a, b)",
        "least": "min(a, b)",
        "array_agg": _TEXTS_OF_ROWS,
        "json_agg": _TEXTS_OF_ROWS,
        "jsonb_agg": _TEXTS_OF_ROWS,
        "concat": "a || b",
        "concat_ws": "a || ' ' || b",
        "strpos": "instr(text, part)",
        "position": "instr(text, part)",
        "left": "substr(x, 1, 5)",
        "right": "substr(x, -5)",
        "char_length": "length(x)",
        "character_length": "length(x)",
        "jsonb_array_length": "json_array_length(x)",
        "bool_and": "min(x)",
        "bool_or": "max(x)",
        "stddev": "sqrt(avg(x * x) - avg(x) * avg(x))",
        "variance": "avg(x * x) - avg(x) * avg(x)",
        "regexp": _NO_PATTERNS,
        "regexp_replace": _NO_PATTERNS,
        "regexp_matches": _NO_PATTERNS,
    },
    "PostgreSQL": {
        "datetime": _CAST_TIME,
        "date": _CAST_TIME,
        "time": _CAST_TIME,
        "strftime": _CAST_TIME,
        "to_char": _CAST_TIME,
        "julianday": "extract(epoch from cast(x as timestamptz)) / 86400 are days",
        "unixepoch": "extract(epoch from cast(x as timestamptz))",
        "date_trunc": _CAST_TIME,
        "date_part": _CAST_TIME,
        "extract": _CAST_TIME,
        "age": _CAST_TIME,
        "ifnull": "coalesce(a, b)",
        "iif": "case when a then b else c end",
        "if": "case when a then b else c end",
        "group_concat": _TEXTS_OF_ROWS,
        "array_agg": _TEXTS_OF_ROWS,
        "json_agg": _TEXTS_OF_ROWS,
        "jsonb_agg": _TEXTS_OF_ROWS,
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
        "length": "length takes a text: length(cast(x as text))",
        "lower": "lower takes a text: lower(cast(x as text))",
        "upper": "upper takes a text: upper(cast(x as text))",
        "regexp_replace": _NO_PATTERNS,
        "regexp_matches": _NO_PATTERNS,
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
