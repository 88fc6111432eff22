"""Statements whose one row takes long: many operations on long texts, in every place where an expression may stand.

A database looks at the clock between rows. Each of these has one row, so whatever ends it has to look in between.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

CHARACTERS = 19_000  # the limit is 20,000
WORDS = 2_300  # PostgreSQL: the limit is 2,500
CALLS = 180  # PostgreSQL: the limit is 200

# What an operation may use: s and t long texts, p a pattern that nearly matches everywhere, d digits, j a JSON object,
# a a JSON array; {i} is another number each time. Each is true, false or null.
COMMON = """
s like p
s like p || '{i}'
s like '%{i}a%b_a%_b'
s not like p escape '!'
lower(s) = 'x{i}'
upper(s) < s
length(s) = {i}
length(s || '{i}') = 1
replace(s, 'a', 'b{i}') = 'x'
replace(s, 'ab{i}', 'c') = 'x'
substr(s, {i}) = 'x'
substr(s, {i}, 90000) = 'x'
trim(s) = 'x{i}'
ltrim(s, p) = 'x{i}'
rtrim(s, p || '{i}') = 'x'
s || '{i}' = t
s < t || '{i}'
s = t
s <> t || '{i}'
s between t and s || '{i}'
nullif(s, t || '{i}') = 'x'
coalesce(nullif(s, s), t) = 'x{i}'
case s when t || '{i}' then 1 when t then 2 else 0 end = 1
s in (t, t || '{i}', s || '{i}')
cast(s as text) = 'x{i}'
cast(d as numeric) = {i}
cast(substr(d, {i}) as numeric) = 1
abs(cast(d as real)) = {i}
round(cast(substr(d, {i}) as numeric), 2) = 1
octet_length(s || t) = {i}
"""
SQLITE = """
s glob '*' || p || '{i}'
instr(s, p || '{i}') = 1
instr(s, 'ab{i}') = 1
hex(substr(s, {i}, 70000)) = 'x'
quote(s) = 'x{i}'
json_extract(j, '$.a{i}') = 1
json_extract(a, '$[{i}]') = 1
json_valid(j || '{i}')
json_type(a, '$[{i}]') = 'x'
json_array_length(substr(a, 1, {i}) || substr(a, {i} + 1)) = 1
j ->> '$.b{i}' = 1
d + {i} = 1
d * 1.5 > {i}
-d < {i}
d % 7 = {i}
d | {i} = 1
s collate nocase = t
s || '{i}' collate nocase < t
s is t || '{i}'
unicode(substr(s, {i})) = 1
strftime(s || '{i}', 'now') = 'x'
date(d || '{i}') = 'x'
round(d, 2) = {i}
max(s, t, s || '{i}') = 'x'
min(s || '{i}', t) = 'x'
iif(s like p || '{i}', 1, 0) = 1
cast(s || '{i}' as blob) = 'x'
cast(d || '{i}' as integer) = 1
typeof(d + {i}) = 'x'
like(p || '{i}', s)
glob(p || '{i}', s)
"""
POSTGRES = """
s ilike p || '{i}'
s not ilike p
strpos(s, p || '{i}') = 1
strpos(s, 'b' || p) = {i}
position('b{i}' || p in s) = 1
split_part(s, p, {i}) = 'x'
split_part(s, 'a', {i}) = 'x'
left(s, -{i}) = 'x'
right(s, -{i}) = 'x'
btrim(s, p || '{i}') = 'x'
trim(both p from s) = 'x{i}'
greatest(s, t, s || '{i}') = 'x'
least(s, t) = 'x{i}'
concat(s, '{i}') = t
char_length(s || '{i}') = 1
substring(s from {i} for 90000) = 'x'
cast(j as jsonb) -> 'a{i}' is null
cast(j as json) ->> 'a{i}' is null
cast(j as jsonb) = cast(a as jsonb)
cast(a as jsonb) < cast(a as jsonb)
jsonb_array_length(cast(a as jsonb)) = {i}
cast(cast(j as jsonb) as text) = 'x{i}'
cast(d as double precision) = {i}
s is distinct from t || '{i}'
mod(cast(substr(d, 1, 100) as numeric), {i} + 1) = 1
"""


def shapes(dialect: str, count: int, *, seed: int = 15) -> Iterator[tuple[str, str]]:
    """Names and texts of so many statements, the same ones every time."""
    chance = random.Random(seed)
    own = SQLITE if dialect == "sqlite" else POSTGRES
    operations = (COMMON + own).replace("\n\n", "\n").strip().split("\n")
    places = [(source, form, operation) for source in SOURCES for form in FORMS for operation in operations]
    chance.shuffle(places)
    for at in range(count):
        source, form, operation = places[at % len(places)]
        others = chance.sample(operations, chance.choice((0, 0, 1, 3)))
        yield f"{source} {form}: {operation}", _filled(dialect, source, form, [operation, *others], chance)


def _filled(dialect: str, source: str, form: str, operations: list[str], chance: random.Random) -> str:
    """The longest statement of this form that is not refused for its length."""
    most = 40_000 // max(map(len, operations))
    used = "".join(name for name in "stpdja" if re.search(rf"\b{name}\b", " ".join(operations)))
    while True:
        tests = [operations[i % len(operations)].replace("{i}", str(chance.randrange(1, 99))) for i in range(most)]
        sql = SOURCES[source](dialect, used, lambda x, tests=tests: FORMS[form](tests, x))
        words = sum(map(len, (sql.split(), *(sql.split(sign) for sign in "()|,='"))))
        if len(sql) < CHARACTERS and (dialect == "sqlite" or (words < WORDS and sql.count("(") < CALLS)):
            return sql
        most = most * 4 // 5


def _texts(dialect: str, used: str, doublings: int) -> str:
    """The columns that are used, as short texts that become long when they are doubled so often."""
    bytes_ = dict.fromkeys("std", 90000) | dict.fromkeys("ja", 18000)
    if dialect == "sqlite":  # where a row may not be longer than 150,000 bytes
        bytes_ = dict.fromkeys("stdja", 120_000 // max(1, len(used.replace("p", ""))))
    texts = {"s": "a", "t": "a", "d": "1", "j": '"a":[1,2],', "a": "[1],1234,"}
    cast = "cast('{}' as text)" if dialect == "postgres" else "'{}'"
    columns = [f"cast('%{'a' * 240}b' as text) as p"] if "p" in used else []
    for name in used.replace("p", ""):
        times = max(1, (bytes_[name] >> doublings) // len(texts[name]))
        columns.append(f"{cast.format(texts[name] * times)} as {name}")
    return ", ".join(columns)


def _each(used: str, change: str) -> str:
    return ", ".join("p" if name == "p" else change.format(name) for name in used)


def _ended(used: str) -> str:
    ends = {
        "p": "p",
        "s": "s",
        "d": "d",
        "t": "t || 'b' as t",
        "j": "'{' || j || '\"z\":1}' as j",
        "a": "'[' || a || '1]' as a",
    }
    return ", ".join(ends[name] for name in used)


def _materialized(dialect: str, used: str, body: Callable[[str], str]) -> str:
    steps = [f"x0 as materialized (select {_texts(dialect, used, 10)})"]
    steps += [f"x{n + 1} as materialized (select {_each(used, '{0} || {0} as {0}')} from x{n})" for n in range(10)]
    return f"with {', '.join(steps)}, x as materialized (select {_ended(used)} from x10) {body('x')}"


def _subqueries(dialect: str, used: str, body: Callable[[str], str]) -> str:
    inner = f"select {_texts(dialect, used, 7)}"
    for n in range(7):
        inner = f"select {_each(used, '{0} || {0} as {0}')} from ({inner}) as y{n}"
    return body(f"(select {_ended(used)} from ({inner}) as y) as x")


def _aggregated(dialect: str, used: str, body: Callable[[str], str]) -> str:
    call = "group_concat({0}, '') as {0}" if dialect == "sqlite" else "string_agg({0}, '') as {0}"
    rows = f"rows as (select {_texts(dialect, used, 10)}, 1 as n union all select {_each(used, '{0}')}, n + 1 from rows where n < 1000)"
    columns = ", ".join("max(p) as p" if name == "p" else call.format(name) for name in used)
    return f"with recursive {rows}, long as materialized (select {columns} from rows), x as (select {_ended(used)} from long) {body('x')}"


def _sum(tests: list[str], x: str) -> str:
    """In parentheses two by two: a chain of hundreds is nested too deeply."""
    terms = [f"case when {test} then 1 else 0 end" for test in tests]
    while len(terms) > 1:
        terms = [f"({' + '.join(terms[at : at + 12])})" for at in range(0, len(terms), 12)]
    return f"select {terms[0]} from {x}"


def _columns(tests: list[str], x: str) -> str:
    return f"select {', '.join(tests[:90])} from {x}"


def _case(tests: list[str], x: str) -> str:
    branches = " ".join(f"when {test} then {at}" for at, test in enumerate(tests[:200]))
    return f"select case {branches} end from {x}"


def _where(tests: list[str], x: str) -> str:
    groups = [" or ".join(f"({test})" for test in tests[at : at + 20]) for at in range(0, len(tests), 20)]
    return f"select 1 from {x} where {' or '.join(f'({group})' for group in groups)}"


def _order(tests: list[str], x: str) -> str:
    return f"select 1 from {x} order by {', '.join(f'case when {test} then 1 else 0 end' for test in tests[:90])}"


def _in_list(tests: list[str], x: str) -> str:
    return f"select 7 in ({', '.join(f'case when {test} then 1 else 0 end' for test in tests[:90])}) from {x}"


def _merged(tests: list[str], x: str) -> str:
    """Columns of a subquery, each named many times."""
    inner = ", ".join(f"case when {test} then 1 else 0 end as c{at}" for at, test in enumerate(tests[:8]))
    names = [f"c{at % min(8, len(tests))}" for at in range(200)]
    terms = [f"({' + '.join(names[at : at + 20])})" for at in range(0, len(names), 20)]
    return f"select {' + '.join(terms)} from (select {inner} from {x}) as m"


def _having(tests: list[str], x: str) -> str:
    wholes = ", ".join(f"max(case when {test} then 1 else 0 end)" for test in tests[:80])
    return f"select {wholes} from {x}"


FORMS: dict[str, Callable[[list[str], str], str]] = {
    "sum": _sum, "columns": _columns, "case": _case, "where": _where, "order": _order, "in list": _in_list,
    "merged": _merged, "aggregates": _having,
}  # fmt: skip
SOURCES: dict[str, Callable[[str, str, Callable[[str], str]], str]] = {
    "materialized": _materialized, "subqueries": _subqueries, "aggregated": _aggregated,
}  # fmt: skip
