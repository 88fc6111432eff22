"""Reads an agent's SQL for PostgreSQL with sqlglot, in time that grows with the length of the text and no faster.

sqlglot tries one reading, goes back and tries another. Where both readings contain the same nested part, each level of
nesting doubles the time: `int(int(int(1)))` is tried as a type and then as a call. So the text is checked in linear
passes, and sqlglot's parser is cut down to what the writer in postgres_guard.py can write, and bounded in its work.
Import it only when a query arrives: sqlglot takes 0.2 s to import.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterable
from typing import Any, ClassVar, Final

from sqlglot import Dialect, TokenType
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError

from wherefrom.model.errors import InvalidInput, StoreUnavailable, shown

MAX_CHARACTERS: Final = 20_000
MAX_TOKENS: Final = 2_500  # sqlglot takes some 30 µs for each
MAX_DEPTH: Final = 20  # of parentheses and `case`: sqlglot spends some 20 stack frames on each

MAX_SECONDS: Final = 0.5  # of this thread's CPU: on a busy machine a harmless statement may wait longer than that
# The parser's moves forwards and back. SELECTs that people write take 1.0 to 1.4 for each token.
MOVES_PER_TOKEN: Final = 4
MOVES_PER_TEXT: Final = 100


_QUOTED: Final = re.compile(
    r"""'(?:[^']|'')*+(?:'|(?P<open_text>\Z))|"(?:[^"]|"")*+(?:"|(?P<open_name>\Z))"""
    r"""|--[^\n\r]*|/\*.*?(?:\*/|(?P<open_comment>\Z))""",
    re.DOTALL,
)
_STRANGE: Final = re.compile(
    r"""[^\w\s().,*+\-/%^<>=|:;!'"]|[^\S \t\r\n]|\b[benux]'|/\*|\*/|!(?!=)|(?<!\w)[0-9]+(?=[^\W\d])(?!e[+-]?[0-9])""",
    re.IGNORECASE,
)
_INTERVAL: Final = re.compile(r"\binterval\s*'(?!\s*-?[0-9]+(?:\s+[a-z]+)?\s*')", re.IGNORECASE)
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_NESTING: Final = re.compile(r"[()]|\b(?:case|end)\b", re.IGNORECASE)
_PREFIXES: Final = re.compile(r"(?:(?:\bnot\b|[-+])\s*){20}", re.IGNORECASE)

# sqlglot would write about each statement that it does not know to standard error.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
_Standard: Final[Any] = Postgres.Parser


def parsed(sql: str) -> list[Any]:
    """Return the statements in `sql` as sqlglot's trees; raise InvalidInput if it cannot be read."""
    _check_text(sql)
    try:
        tokens = DIALECT.tokenize(sql)
        _check_joins(tokens)
        return [tree for tree in new_parser().parse(tokens, sql) if tree is not None]
    except (SqlglotError, RecursionError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InvalidInput(f"cannot read the SQL: {reason}", hint="plain SELECT statements only") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:  # it stumbled
        raise InvalidInput("cannot read the SQL", hint="plain SELECT statements only") from error


def _check_text(sql: str) -> None:
    """Refuse a text that is too long or too deep, or that sqlglot reads differently from PostgreSQL."""
    if len(sql) > MAX_CHARACTERS:
        raise InvalidInput(f"the SQL is longer than {MAX_CHARACTERS} characters")
    if re.search(r"[\\\0\ud800-\udfff]", sql):
        raise InvalidInput("a backslash, NUL or lone surrogate in the SQL", hint="LIKE … ESCAPE takes other characters")
    bare = _QUOTED.sub(_without_content, sql)
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


def _without_content(quoted: re.Match[str]) -> str:
    """Return what stands for a text, a name in quotes or a comment while the rest is checked."""
    if quoted.lastgroup:
        kind = quoted.lastgroup.removeprefix("open_")
        raise InvalidInput(
            f"a {kind} without its end: {shown(quoted[0][:20])}", hint="text is quoted 'so', names \"so\""
        )
    return quoted[0][0] if quoted[0][0] in "'\"" else " "


def _check_joins(tokens: Iterable[Any]) -> None:
    """Refuse joins without ON: sqlglot tries every way to give the ONs that follow to the joins before them."""
    waiting = [False]  # at each depth of parentheses: True while a join has no ON yet
    free = False  # True before the JOIN of CROSS and NATURAL, which take no ON
    without_condition = False
    for token in tokens:
        kind = token.token_type.name
        if kind in ("CROSS", "NATURAL"):
            free = True
        elif kind in ("JOIN", "STRAIGHT_JOIN"):
            without_condition |= waiting[-1]
            waiting[-1], free = not free, False
        elif kind in ("ON", "USING"):
            waiting[-1] = False
        elif kind == "L_PAREN":
            waiting.append(False)
        elif kind == "R_PAREN":
            without_condition |= waiting.pop()
    if without_condition or any(waiting):
        raise InvalidInput("a JOIN without ON", hint="JOIN … ON …, JOIN … USING (…), or CROSS JOIN")


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
        self._deadline = time.thread_time() + MAX_SECONDS
        return super().parse(raw_tokens, sql)

    def _advance(self, times: int = 1) -> None:
        self._moves_left -= 1
        if self._moves_left < 0 or time.thread_time() > self._deadline:
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
