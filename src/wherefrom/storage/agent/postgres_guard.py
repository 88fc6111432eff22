"""The fence before an agent's SELECT on PostgreSQL: read the text, and write the part of SQL that we allow anew.

What runs is never what was sent. sqlglot reads the text without interpreting function calls; the writer can write a
fixed set of nodes and refuses every other node, argument, function, type and table; all names come out quoted, all
functions and tables with their schema. So a misreading may change an answer, but reaches nothing that is not listed.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from wherefrom.model.errors import InvalidInput
from wherefrom.storage.agent.postgres_guard_queries import QueryWriter
from wherefrom.storage.agent.postgres_parser import parsed

SCHEMA: Final = "wherefrom_agent"
FUNCTIONS_SQL: Final = (
    """
create or replace function wherefrom_agent.bounded(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) > 100000 then
    raise exception 'string or blob too big' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function wherefrom_agent.bounded_step(value anyelement) returns anyelement
language plpgsql immutable strict parallel safe as $$
begin
  if pg_column_size(value) > 2000 then
    raise exception 'string or blob too big: at most 2000 bytes in a column of a recursive query'
      using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function wherefrom_agent.pattern(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if length(value) > 256 then
    raise exception 'pattern too long: at most 256 characters' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function wherefrom_agent.bounded_replace(value text, old text, new text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) > 100000 or length(old) > 256 or (old <> '' and
     octet_length(value) + (length(value) - length(replace(value, old, ''))) / length(old)
       * (octet_length(new) - octet_length(old))::bigint > 100000) then
    raise exception 'string or blob too big' using errcode = 'program_limit_exceeded';
  end if;
  return replace(value, old, new);
end $$;

create or replace function wherefrom_agent.bounded_agg_step(state text, value text, separator text) returns text
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

create or replace aggregate wherefrom_agent.bounded_agg(text, text)
  (sfunc = wherefrom_agent.bounded_agg_step, stype = text, parallel = safe);

create or replace function wherefrom_agent.tick(value anyelement) returns anyelement
language plpgsql immutable parallel safe as $$ begin return value; end $$;

create or replace function wherefrom_agent.bounded_json(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) > 20000 then
    raise exception 'JSON too big: at most 20000 bytes' using errcode = 'program_limit_exceeded';
  end if;
  -- Each such number is written out with all its digits.
  if value ~* '[0-9]e[+-]?[0-9]{3}' and
     regexp_replace(replace(replace(value, repeat(chr(92), 2), ''), chr(92) || '"', ''), '"[^"]*"', '', 'g')
       ~* '[0-9]e[+-]?[0-9]{3}' then
    raise exception 'JSON with a number too big' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;

create or replace function wherefrom_agent.plain_time(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  -- PostgreSQL keeps every time zone that a text names for ever, 23 kB each.
  if value !~ '^[-+0-9:. TZ]{1,40}$' then
    raise exception 'not a date or time: digits, - : . T and Z only' using errcode = 'invalid_datetime_format';
  end if;
  return value;
end $$;

create or replace function wherefrom_agent.bounded_json(value jsonb) returns jsonb
language sql immutable parallel safe as $$ select value $$;

create or replace function wherefrom_agent.bounded_number(value numeric) returns numeric
language plpgsql immutable strict parallel safe as $$
begin
  -- 1e131000 takes a few bytes, and 1e131000 - 1 has 131,000 digits.
  if pg_column_size(value) > 256 or scale(value) > 500 or (abs(value) > 1e500 and abs(value) < 'Infinity') then
    raise exception 'number too big' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $$;
"""
    + "".join(  # only numeric grows without bound; these are inlined, so that integers and floats cost nothing
        f"""
create or replace function wherefrom_agent.bounded_number(value {kind}) returns {kind}
language sql immutable parallel safe as $$ select value $$;
"""
        for kind in ("smallint", "integer", "bigint", "real", "double precision", "interval")
    )
    + "".join(
        f"""
create or replace function wherefrom_agent.plain_time(value {kind}) returns {kind}
language sql immutable parallel safe as $$ select value $$;
"""
        for kind in ("date", "timestamp", "timestamptz")
    )
)


@lru_cache(maxsize=512)
def _checked(sql: str, tables: frozenset[str], schema: str) -> str:
    from sqlglot.errors import SqlglotError

    try:
        statements = [tree for tree in parsed(sql) if type(tree).__name__ != "Semicolon"]  # a comment after the last
        if len(statements) != 1:
            raise InvalidInput("one SELECT at a time", hint="send one statement")
        return QueryWriter(tables, statements[0], schema).query(statements[0])
    except (SqlglotError, RecursionError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InvalidInput(f"cannot read the SQL: {reason}", hint="plain SELECT statements only") from None


def checked(sql: str, tables: Collection[str], schema: str = SCHEMA) -> str:
    """The SQL to run in place of `sql`: the same SELECT, made of listed parts only, its values bounded."""
    return _checked(sql, frozenset(tables), schema)
