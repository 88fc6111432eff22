"""The functions of PostgreSQL that bound the values in an agent's statement; the guard puts them around its parts."""

from __future__ import annotations

from typing import Final

from wherefrom.former_name import NAME
from wherefrom.storage.agent.port import MAX_PATTERN_CHARACTERS


def _refusing(name: str, kind: str, condition: str, message: str, error: str = "program_limit_exceeded") -> str:
    """Return the definition of a function that returns its argument, or fails on this condition."""
    return f"""
create or replace function {NAME}_agent.{name}(value {kind}) returns {kind}
language plpgsql immutable strict parallel safe as $body$
begin
  if {condition} then
    raise exception '{message}' using errcode = '{error}';
  end if;
  return value;
end $body$;
"""


def _passing(name: str, *kinds: str) -> str:
    """Return the definitions of functions that return their argument: they are inlined and cost nothing."""
    return "".join(
        f"create or replace function {NAME}_agent.{name}(value {kind}) returns {kind}\n"
        "language sql immutable parallel safe as $body$ select value $body$;\n"
        for kind in kinds
    )


_TOO_BIG: Final = "string or blob too big"
FUNCTIONS_SQL: Final = (
    _refusing("bounded", "text", "octet_length(value) > 100000", _TOO_BIG)
    + _refusing(
        "bounded_step",
        "anyelement",
        "pg_column_size(value) > 2000",
        f"{_TOO_BIG}: at most 2000 bytes in a column of a recursive query",
    )
    + _refusing(
        "pattern",
        "text",
        f"length(value) > {MAX_PATTERN_CHARACTERS}",
        f"pattern too long: at most {MAX_PATTERN_CHARACTERS} characters",
    )
    # PostgreSQL keeps every time zone that a text names for ever, 23 kB each.
    + _refusing(
        "plain_time",
        "text",
        "value !~ '^[-+0-9:. TZ]{1,40}$'",
        "not a date or time: digits, - : . T and Z only",
        "invalid_datetime_format",
    )
    # Only numeric grows without bound: 1e131000 takes a few bytes, and 1e131000 - 1 has 131,000 digits.
    + _refusing(
        "bounded_number",
        "numeric",
        "pg_column_size(value) > 256 or scale(value) > 500 or (abs(value) > 1e500 and abs(value) < 'Infinity')",
        "number too big",
    )
    + _passing("plain_time", "date", "timestamp", "timestamptz")
    + _passing("bounded_number", "smallint", "integer", "bigint", "real", "double precision", "interval")
    + _passing("bounded_json", "jsonb")
    + f"""
create or replace function {NAME}_agent.bounded_replace(value text, old text, new text) returns text
language plpgsql immutable strict parallel safe as $body$
begin
  if octet_length(value) > 100000 or length(old) > {MAX_PATTERN_CHARACTERS} or (old <> '' and
     octet_length(value) + (length(value) - length(replace(value, old, ''))) / length(old)
       * (octet_length(new) - octet_length(old))::bigint > 100000) then
    raise exception '{_TOO_BIG}' using errcode = 'program_limit_exceeded';
  end if;
  return replace(value, old, new);
end $body$;

create or replace function {NAME}_agent.bounded_agg_step(state text, value text, separator text) returns text
language plpgsql immutable parallel safe as $body$
begin
  if value is null then
    return state;
  elsif octet_length(value) + coalesce(octet_length(state), 0) + coalesce(octet_length(separator), 0) > 100000 then
    raise exception '{_TOO_BIG}' using errcode = 'program_limit_exceeded';
  elsif state is null then
    return value;
  end if;
  return concat(state, separator, value);
end $body$;

create or replace aggregate {NAME}_agent.bounded_agg(text, text)
  (sfunc = {NAME}_agent.bounded_agg_step, stype = text, parallel = safe);

create or replace function {NAME}_agent.tick(value anyelement) returns anyelement
language plpgsql immutable parallel safe as $body$ begin return value; end $body$;

create or replace function {NAME}_agent.bounded_json(value text) returns text
language plpgsql immutable strict parallel safe as $body$
begin
  if octet_length(value) > 20000 then
    raise exception 'JSON too big: at most 20000 bytes' using errcode = 'program_limit_exceeded';
  end if;
  -- Each such number is written out with all its digits.
  if value ~* '[0-9]e[+-]?[0-9]{{3}}' and
     regexp_replace(replace(replace(value, repeat(chr(92), 2), ''), chr(92) || '"', ''), '"[^"]*"', '', 'g')
       ~* '[0-9]e[+-]?[0-9]{{3}}' then
    raise exception 'JSON with a number too big' using errcode = 'program_limit_exceeded';
  end if;
  return value;
end $body$;
"""
)
