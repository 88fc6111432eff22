"""The rules of a policy's invariants: a bounded part of CEL, and whether a rule holds for some facts.

CEL always ends, but not soon: over 8,000 values `l.map(x, x)` takes 3 s and `l.map(a, l.map(b, a))` hours, each
`.map(a, a + a)` after `[text]` doubles its memory, and one regular expression with counted repetitions took 8 s on
64 KB (common-expression-language 0.10). So what builds larger values may not stand in a rule (`+`, map, filter,
exists_one), macros do not nest, and patterns are short literals. What is left takes two seconds for the worst rule
and metadata that we could write, and some ten microseconds for an ordinary rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cel import Program

RULE_CHARACTERS: Final = 2_000
MACROS: Final = 3
PREDICATE_CHARACTERS: Final = 150
PATTERNS: Final = 3
PATTERN_CHARACTERS: Final = 100
REPETITIONS: Final = 500
# How many values the facts of a rule with macros may have in all. Metadata of 16 KB could hold 8,000, and a macro
# that compares all of it for each of them took 75 s.
VALUES: Final = 1_000

FUNCTIONS: Final = (
    *("contains", "startsWith", "endsWith", "matches", "size"),
    *("int", "uint", "double", "string", "type", "timestamp", "duration"),
    *("getFullYear", "getMonth", "getDate", "getDayOfWeek", "getHours", "getMinutes", "getSeconds"),
)
HINT: Final = (
    "a CEL expression that gives true or false, such as api.breaking_change == false; operators: == != < <= > >= && "
    f"|| ! in - * / % ?: and the functions has, all, exists, {', '.join(FUNCTIONS)}"
)
_OPERATORS: Final = frozenset(
    {"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_&&_", "_||_", "!_", "-_", "@in", "_-_", "_*_", "_/_", "_%_"}
    | {"_?_:_", "_[_]", "@not_strictly_false"}
)
_MACROS: Final = ("all", "exists")
# As CEL's own lexer reads them. What could be read in two ways (bytes, triple quotes) is refused.
_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
    |(?P<refused>\w*(?:\"{3}|'{3})|(?![rR]["'])[A-Za-z_]\w*["'])
    |(?P<string>[rR](?:"[^"\n\r]*"|'[^'\n\r]*')|"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*')
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>[0-9]+)
    |(?P<sign>[^"'])""",
    re.VERBOSE | re.ASCII,
)
_SYNTAX: Final = re.compile(r"^[0-9:]+ (?:Syntax error: )?")
_COUNT: Final = re.compile(r"[0-9]+")
# Verbose mode lets a count be written with spaces in it; escapes of CEL can hide a brace from us.
_HIDDEN_COUNT: Final = re.compile(r"\(\?[A-Za-z-]*x|(?<!\\)(?:\\\\)*\\[xXuU0-7]")


def compiles(rule: str) -> str | None:
    """What is wrong with a rule, or None."""
    return _examined(rule).problem


def holds(rule: str, facts: Mapping[str, Any]) -> bool:
    """Whether the rule is true of the facts, which are its variables; False also if that cannot be decided.

    A variable that is missing makes a rule false unless the rule is true whatever its value would be, as in
    `dataset.origin != 'prod' || data.masked`.
    """
    examined = _examined(rule)
    if examined.program is None:
        return False
    try:
        if examined.macros and _values(facts) > VALUES:
            return False
        return examined.program.execute(dict(facts)) is True
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # a panic in the library is not an Exception
        return False


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule that was compiled, or why not."""

    program: Program | None = None
    problem: str | None = None
    macros: int = 0


@lru_cache(maxsize=1024)
def _examined(rule: str) -> _Rule:
    if len(rule) > RULE_CHARACTERS:
        return _Rule(problem=f"it has {len(rule):,} characters; at most {RULE_CHARACTERS:,} are allowed")
    tokens = _tokens(rule)
    if tokens is None:
        return _Rule(problem="bytes, triple quotes and texts that do not end are not allowed")
    macros = sum(text == "(" and _called(tokens, index) in _MACROS for index, (_, text, _) in enumerate(tokens))
    problem = _problem_of_macros(tokens) or _problem_of_patterns(tokens)
    if macros > MACROS:
        problem = f"more than {MACROS} all and exists"
    if problem is not None:
        return _Rule(problem=problem)
    program, problem = _compiled(rule)
    return _Rule(program=program, problem=problem, macros=macros)


def _compiled(rule: str) -> tuple[Program | None, str | None]:
    import cel  # 0.3 s, and most memories have no invariants

    try:
        program = cel.compile(rule)
    except Exception as error:
        said = str(error).partition("ERROR: <input>:")[2] or str(error)
        return None, f"it is not CEL: {_SYNTAX.sub('', said).partition(' expecting ')[0].splitlines()[0]}"
    unknown = sorted(set(program.functions()) - _OPERATORS - set(FUNCTIONS))
    if "_+_" in unknown:
        return None, "+, map, filter and exists_one are not allowed, because they build values of any size"
    return (None, f"unknown function {unknown[0]}") if unknown else (program, None)


Token = tuple[str, str, int]
"""Its kind, its text and where it starts."""


def _tokens(rule: str) -> list[Token] | None:
    tokens: list[Token] = []
    position = 0
    while position < len(rule):
        match = _TOKEN.match(rule, position)
        if match is None or match.lastgroup == "refused":
            return None
        if match.lastgroup != "space":
            tokens.append((str(match.lastgroup), match.group(), position))
        position = match.end()
    return tokens


def _called(tokens: Sequence[Token], index: int) -> str:
    """The name of the method whose bracket opens at the index, or nothing."""
    before = [text for _, text, _ in tokens[max(0, index - 2) : index]]
    return before[1] if len(before) == 2 and before[0] == "." else ""


def _problem_of_macros(tokens: Sequence[Token]) -> str | None:
    """Macros are short, and none stands inside another, which would multiply their costs."""
    open_brackets: list[int | None] = []
    for index, (_, text, start) in enumerate(tokens):
        if text == "(":
            name = _called(tokens, index)
            inside = any(place is not None for place in open_brackets)
            if inside and name in (*_MACROS, "matches"):
                return f"{name} stands inside all or exists, which may hold neither all, exists nor matches"
            open_brackets.append(start if name in _MACROS else None)
        elif text == ")" and open_brackets:
            opened = open_brackets.pop()
            if opened is not None and start - opened > PREDICATE_CHARACTERS:
                return f"an all or exists is longer than {PREDICATE_CHARACTERS} characters"
    return None


def _problem_of_patterns(tokens: Sequence[Token]) -> str | None:
    patterns = 0
    for index, (_, text, _) in enumerate(tokens):
        following = tokens[index + 1 : index + 4]
        if text != "matches" or not following or following[0][1] != "(":
            continue
        if [kind for kind, _, _ in following] != ["sign", "string", "sign"] or following[2][1] != ")":
            return "matches needs its pattern as one text in quotes"
        patterns += 1
        pattern = following[1][1]
        counts = [int(count) for count in _COUNT.findall(pattern)] if "{" in pattern else []
        if len(pattern) > PATTERN_CHARACTERS or math.prod(filter(None, counts)) > REPETITIONS:
            return f"a pattern is longer than {PATTERN_CHARACTERS} characters or repeats more than {REPETITIONS} times"
        if _HIDDEN_COUNT.search(pattern):
            return "a pattern has a numeric escape or the x flag, which could hide its size"
    return f"more than {PATTERNS} matches" if patterns > PATTERNS else None


def _values(value: Any) -> int:
    """How many values there are in all collections of the facts."""
    if isinstance(value, Mapping):
        return len(value) + sum(map(_values, value.values()))
    if isinstance(value, list | tuple):
        return len(value) + sum(map(_values, value))
    return 0
