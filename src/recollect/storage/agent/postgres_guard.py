"""The fence before an agent's SELECT on PostgreSQL: read the text, and write the part of SQL that we allow anew.

What runs is never what was sent. sqlglot reads the text without interpreting function calls; the writer can write a
fixed set of nodes and refuses every other node, argument, function, type and table; all names come out quoted, all
functions and tables with their schema. So a misreading may change an answer, but reaches nothing that is not listed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from recollect.model.errors import InvalidInput, shown
from recollect.storage.agent.postgres_guard_queries import QueryWriter

if TYPE_CHECKING:
    from sqlglot import Dialect

MAX_CHARACTERS: Final = 20_000
MAX_TOKENS: Final = 2_500  # sqlglot takes some 50 µs for each
MAX_DEPTH: Final = 20  # of parentheses and `case`: sqlglot spends some 20 stack frames on each

FUNCTIONS_SQL: Final = """
create or replace function recollect_agent.bounded(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) > 100000 then
    raise exception 'string or blob too big' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function recollect_agent.bounded_step(value anyelement) returns anyelement
language plpgsql immutable strict parallel safe as $$
begin
  if pg_column_size(value) > 2000 then
    raise exception 'string or blob too big: at most 2000 bytes in a column of a recursive query'
      using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function recollect_agent.pattern(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if length(value) > 256 then
    raise exception 'pattern too long: at most 256 characters' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function recollect_agent.bounded_replace(value text, old text, new text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) > 100000 or length(old) > 256 or (old <> '' and
     octet_length(value) + (length(value) - length(replace(value, old, ''))) / length(old)
       * (octet_length(new) - octet_length(old))::bigint > 100000) then
    raise exception 'string or blob too big' using errcode = 'program_limit_exceeded';
  end if;
  return replace(value, old, new);
end $$;

create or replace function recollect_agent.bounded_agg_step(state text, value text, separator text) returns text
language plpgsql immutable parallel safe as $$
begin
  if value is null then
    return state;
  elsif octet_length(value) + coalesce(octet_length(state), 0) + coalesce(octet_length(separator), 0) > 100000 then
    raise exception 'string or blob too big' using errcode = 'program_limit_exceeded';
  elsif state is null then
    return value;
  end if;
  return concat(state, separator, value);
end $$;

create or replace aggregate recollect_agent.bounded_agg(text, text)
  (sfunc = recollect_agent.bounded_agg_step, stype = text, parallel = safe);

create or replace function recollect_agent.tick(value anyelement) returns anyelement
language plpgsql immutable parallel safe as $$ begin return value; end $$;

create or replace function recollect_agent.bounded_json(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) > 20000 then
    raise exception 'JSON too big: at most 20000 bytes' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function recollect_agent.bounded_json(value jsonb) returns jsonb
language sql immutable parallel safe as $$ select value $$;

create or replace function recollect_agent.bounded_number(value numeric) returns numeric
language plpgsql immutable strict parallel safe as $$
begin
  if pg_column_size(value) > 256 then
    raise exception 'number too big' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;
""" + "".join(  # only numeric grows without bound; these are inlined, so that integers and floats cost nothing
    f"""
create or replace function recollect_agent.bounded_number(value {kind}) returns {kind}
language sql immutable parallel safe as $$ select value $$;
"""
    for kind in ("smallint", "integer", "bigint", "real", "double precision", "interval")
)


@lru_cache(maxsize=512)
def _checked(sql: str, tables: frozenset[str]) -> str:
    from sqlglot.errors import SqlglotError

    _check_text(sql)
    try:
        parsed = (statement for statement in _dialect().parse(sql) if statement is not None)
        statements = [one for one in parsed if type(one).__name__ != "Semicolon"]  # a comment after the last one
        if len(statements) != 1:
            raise InvalidInput("one SELECT at a time", hint="send one statement")
        return QueryWriter(tables, statements[0]).query(statements[0])
    except (SqlglotError, RecursionError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InvalidInput(f"cannot read the SQL: {reason}", hint="plain SELECT statements only") from None


def checked(sql: str, tables: Collection[str]) -> str:
    """The SQL to run in place of `sql`: the same SELECT, made of listed parts only, its values bounded."""
    return _checked(sql, frozenset(tables))


@cache
def _dialect() -> Dialect:
    """PostgreSQL as sqlglot reads it, but a function call stays a name with arguments."""
    # It would write about each statement that it does not know to standard error.
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    from sqlglot.dialects.postgres import Postgres

    standard = Postgres.Parser

    class Uninterpreted(Postgres):
        class Parser(standard):  # type: ignore[misc, valid-type]
            FUNCTIONS: Any = {}  # noqa: RUF012
            LAMBDAS: Any = {}  # noqa: RUF012 - else f(a -> 'b') is a lambda
            FUNCTION_PARSERS: Any = {  # noqa: RUF012
                name: standard.FUNCTION_PARSERS[name] for name in ("CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM")
            }
            NO_PAREN_FUNCTION_PARSERS: Any = {  # noqa: RUF012
                name: standard.NO_PAREN_FUNCTION_PARSERS[name] for name in ("ANY", "CASE")
            }

    return Uninterpreted()


_QUOTED: Final = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|--[^\n\r]*|/\*.*?\*/""", re.DOTALL)
_STRANGE: Final = re.compile(
    r"""[^\w\s().,*+\-/%^<>=|:;!'"]|[^\S \t\r\n]|\b[benux]'|/\*|\*/|!(?!=)|(?<!\w)[0-9]+(?=[^\W\d])(?!e[+-]?[0-9])""",
    re.IGNORECASE,
)
_INTERVAL: Final = re.compile(r"\binterval\s*'(?!\s*-?[0-9]+(?:\s+[a-z]+)?\s*')", re.IGNORECASE)
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_NESTING: Final = re.compile(r"[()]|\b(?:case|end)\b", re.IGNORECASE)
_PREFIXES: Final = re.compile(r"(?:(?:\bnot\b|[-+])\s*){20}", re.IGNORECASE)


def _check_text(sql: str) -> None:
    """Refuse what sqlglot reads slowly (`array[` nested 20 deep takes minutes) or differently from PostgreSQL."""
    if len(sql) > MAX_CHARACTERS:
        raise InvalidInput(f"the SQL is longer than {MAX_CHARACTERS} characters")
    if re.search(r"[\\\0\ud800-\udfff]", sql):
        raise InvalidInput("a backslash, NUL or lone surrogate in the SQL", hint="LIKE … ESCAPE takes other characters")
    bare = _QUOTED.sub(lambda match: match[1][0] if match[1] else " ", sql)
    if strange := _STRANGE.search(bare):
        raise InvalidInput(f"not allowed in a query: {shown(strange[0])}", hint="no arrays, parameters or E'' strings")
    if _INTERVAL.search(sql):  # sqlglot drops what follows the unit, such as "ago"
        raise InvalidInput("INTERVAL takes a whole number and a unit", hint="interval '7 days'")
    if len(_TOKEN.findall(bare)) > MAX_TOKENS:
        raise InvalidInput(f"more than {MAX_TOKENS} words and signs in the SQL")
    depth = {"(": 0, "case": 0}
    for match in _NESTING.finditer(bare):
        word = match[0].lower()
        if word in depth:
            depth[word] += 1
        else:
            depth["(" if word == ")" else "case"] -= 1
        if sum(depth.values()) > MAX_DEPTH or min(depth.values()) < 0:
            raise InvalidInput(f"unbalanced, or nested more than {MAX_DEPTH} deep")
    if _PREFIXES.search(bare):
        raise InvalidInput("too many signs or NOTs in a row")
