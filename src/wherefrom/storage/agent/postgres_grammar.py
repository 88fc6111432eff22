"""sqlglot's PostgreSQL parser, cut down to what the writer in postgres_guard.py can write, and bounded in its work.

Import it only when a query arrives: sqlglot takes a while to import.
"""

from __future__ import annotations

import logging
import time
from typing import Any, ClassVar, Final

from sqlglot import Dialect, TokenType
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError

from wherefrom.model.errors import InvalidInput, StoreUnavailable, shown

__all__ = ["DIALECT", "SqlglotError", "new_parser"]

MAX_SECONDS: Final = 0.5
# The parser's moves forwards and back. SELECTs that people write take 1.0 to 1.4 for each token.
MOVES_PER_TOKEN: Final = 4
MOVES_PER_TEXT: Final = 100

# sqlglot would write about each statement that it does not know to standard error.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
_Standard: Final[Any] = Postgres.Parser


def _refused_statement(parser: Any) -> Any:
    word = parser._prev.text.upper()
    raise InvalidInput(f"not a query: {word}", hint="only SELECT is allowed")


class BoundedParser(_Standard):  # type: ignore[misc]
    """Reads SELECT as PostgreSQL does, without the readings of other databases."""

    FUNCTIONS: ClassVar[Any] = {}  # a call stays a name with arguments
    LAMBDAS: ClassVar[Any] = {}  # else f(a -> 'b') is a lambda
    FUNCTION_PARSERS: ClassVar[Any] = {
        name: _Standard.FUNCTION_PARSERS[name] for name in ("CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM")
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[Any] = {
        name: _Standard.NO_PAREN_FUNCTION_PARSERS[name] for name in ("ANY", "CASE")
    }
    STATEMENT_PARSERS: ClassVar[Any] = {
        **dict.fromkeys(_Standard.STATEMENT_PARSERS, _refused_statement),
        TokenType.SEMICOLON: _Standard.STATEMENT_PARSERS[TokenType.SEMICOLON],
    }
    # Types that hold types, such as struct(a int), are not PostgreSQL's.
    NESTED_TYPE_TOKENS: ClassVar[Any] = frozenset()
    STRUCT_TYPE_TOKENS: ClassVar[Any] = frozenset()
    ENUM_TYPE_TOKENS: ClassVar[Any] = frozenset()
    AGGREGATE_TYPE_TOKENS: ClassVar[Any] = frozenset()

    _moves_left = 0  # so that nothing is read but by parse()
    _deadline = 0.0

    def parse(self, raw_tokens: Any, sql: str) -> Any:
        self._moves_left = MOVES_PER_TOKEN * len(raw_tokens) + MOVES_PER_TEXT
        self._deadline = time.monotonic() + MAX_SECONDS
        return super().parse(raw_tokens, sql)

    def _advance(self, times: int = 1) -> None:
        self._moves_left -= 1
        if self._moves_left < 0 or time.monotonic() > self._deadline:
            raise InvalidInput(
                "the SQL takes too long to read", hint="nest less, or name a step: WITH step AS (SELECT …) SELECT …"
            )
        super()._advance(times)

    def _parse_types(
        self, check_func: bool = False, schema: bool = False, allow_identifiers: bool = True, **more: Any
    ) -> Any:
        if self._curr.token_type == TokenType.IDENTIFIER and allow_identifiers:
            # sqlglot would read what is in the quotes as SQL, unchecked.
            raise InvalidInput(f"not a type to cast to: {shown(self._curr.text)}", hint="cast(x as text)")
        if check_func and self._next.token_type == TokenType.L_PAREN and not self._is_sized_literal():
            return None  # a call; sqlglot would read its arguments as sizes of the type first
        return super()._parse_types(check_func, schema, allow_identifiers, **more)

    def _is_sized_literal(self) -> bool:
        """Return True if a type with sizes and a text come next, as in numeric(10, 2) '1.5'."""
        following = " ".join(token.token_type.name for token in self._tokens[self._index + 2 : self._index + 7])
        return following.startswith(("NUMBER R_PAREN STRING", "NUMBER COMMA NUMBER R_PAREN STRING"))

    def _parse_type_size(self) -> Any:
        """Parse the size in cast(x as numeric(10, 2)): a number, and no expression."""
        return super()._parse_type_size() if self._curr.token_type == TokenType.NUMBER else None

    def _parse_json_type_arg(self) -> Any:
        """Parse nothing: json(…) is a type of ClickHouse's."""

    def _parse_connect(self, *_: Any, **__: Any) -> Any:
        raise InvalidInput("not allowed in a query: CONNECT BY", hint="WITH RECURSIVE walks a graph")

    def _parse_user_defined_type(self, identifier: Any) -> Any:
        raise InvalidInput(f"not a type to cast to: {shown(identifier.name)}", hint="cast(x as text)")

    def _can_parse_limit_or_offset(self) -> bool:
        """Return True if LIMIT or OFFSET is next: in PostgreSQL neither is a name, so there is nothing to try."""
        return self._curr.token_type in (TokenType.LIMIT, TokenType.OFFSET)


class BoundedPostgres(Postgres):
    """PostgreSQL, read by BoundedParser."""

    Parser = BoundedParser


DIALECT: Final[Dialect] = BoundedPostgres()


def new_parser() -> Any:
    """Return a parser for one text."""
    try:
        return DIALECT.parser()
    except TypeError:  # classes compiled by mypyc cannot be subclassed, so nothing would bound them
        raise StoreUnavailable(
            "SQL for agents on PostgreSQL needs sqlglot without its compiled parts", hint="pip uninstall sqlglotc"
        ) from None
