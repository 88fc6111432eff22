"""Reads an agent's SQL for PostgreSQL with sqlglot, in time that grows with the length of the text and no faster.

sqlglot tries one reading, goes back and tries another. Where both readings contain the same nested part, each level of
nesting doubles the time: `int(int(int(1)))` is tried as a type and then as a call. So the text is checked in linear
passes, and the parser is cut down and bounded (postgres_grammar.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from wherefrom.lazy import lazy_modules
from wherefrom.model.errors import InvalidInput, shown

if TYPE_CHECKING:
    from wherefrom.storage.agent import postgres_grammar as grammar
else:  # it imports sqlglot, which takes 0.2 s
    (grammar,) = lazy_modules("wherefrom.storage.agent", "postgres_grammar")

MAX_CHARACTERS: Final = 20_000
MAX_TOKENS: Final = 2_500  # sqlglot takes some 30 µs for each
MAX_DEPTH: Final = 20  # of parentheses and `case`: sqlglot spends some 20 stack frames on each

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


def parsed(sql: str) -> list[Any]:
    """Return the statements in `sql` as sqlglot's trees; raise InvalidInput if it cannot be read."""
    _check_text(sql)
    try:
        tokens = grammar.DIALECT.tokenize(sql)
        _check_joins(tokens)
        return [tree for tree in grammar.new_parser().parse(tokens, sql) if tree is not None]
    except (grammar.SqlglotError, RecursionError) as error:
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
    for token in tokens:
        kind = token.token_type.name
        if kind in ("CROSS", "NATURAL"):
            free = True
        elif kind in ("JOIN", "STRAIGHT_JOIN"):
            _refuse_if(waiting[-1])
            waiting[-1], free = not free, False
        elif kind in ("ON", "USING"):
            waiting[-1] = False
        elif kind == "L_PAREN":
            waiting.append(False)
        elif kind == "R_PAREN":
            _refuse_if(waiting.pop())
    _refuse_if(any(waiting))


def _refuse_if(without_condition: bool) -> None:
    if without_condition:
        raise InvalidInput("a JOIN without ON", hint="JOIN … ON …, JOIN … USING (…), or CROSS JOIN")
