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
from functools import lru_cache
from typing import Any, Final

from wherefrom.lazy import cel

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
    |(?P<sign>[^"'])
    |(?P<unended>.)""",
    re.VERBOSE | re.ASCII,
)
_SYNTAX: Final = re.compile(r"^[0-9:]+ (?:Syntax error: )?")
_COUNT: Final = re.compile(r"[0-9]+")
# Verbose mode lets a count be written with spaces in it; escapes of CEL can hide a brace from us.
_HIDDEN_COUNT: Final = re.compile(r"\(\?[A-Za-z-]*x|(?<!\\)(?:\\\\)*\\[xXuU0-7]")


def holds(rule: str, facts: Mapping[str, Any]) -> bool:
    """Return true if a rule holds for the facts, which are its variables; false also if that cannot be decided.

    A variable that is missing makes a rule false unless the rule is true whatever its value would be, as in
    `dataset.origin != 'prod' || data.masked`.
    """
    program, has_macros, _ = _examined(rule)
    try:
        if program is None or (has_macros and _values(facts) > VALUES):
            return False
        return program.execute(dict(facts)) is True
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # a panic in the library is not an Exception
        return False


def problem_of(rule: str) -> str | None:
    """Return the reason why a rule is refused, or None."""
    return _examined(rule)[2]


@lru_cache(maxsize=1024)
def _examined(rule: str) -> tuple[cel.Program | None, bool, str | None]:
    """Return a rule's program, if it has one; true if macros are in it; and the reason why it is refused, if it is."""
    if len(rule) > RULE_CHARACTERS:
        return None, False, f"it has {len(rule):,} characters; at most {RULE_CHARACTERS:,} are allowed"
    found = [(str(match.lastgroup), match.group(), match.start()) for match in _TOKEN.finditer(rule)]
    tokens = [token for token in found if token[0] != "space"]
    if any(kind in ("refused", "unended") for kind, _, _ in tokens):
        return None, False, "bytes, triple quotes and texts that do not end are not allowed"
    macros = sum(text == "(" and _called(tokens, index) in _MACROS for index, (_, text, _) in enumerate(tokens))
    if macros > MACROS:
        return None, True, f"more than {MACROS} all and exists"
    if problem := _problem_of_macros(tokens) or _problem_of_patterns(tokens):
        return None, bool(macros), problem
    try:
        program = cel.compile(rule)
    except Exception as error:
        said = str(error).partition("ERROR: <input>:")[2] or str(error)
        reason = _SYNTAX.sub("", said).partition(" expecting ")[0].splitlines()[0]
        return None, bool(macros), f"it is not CEL: {reason}"
    unknown = sorted(set(program.functions()) - _OPERATORS - set(FUNCTIONS))
    if "_+_" in unknown:
        problem = "+, map, filter and exists_one are not allowed, because they build values of any size"
    elif unknown:
        problem = f"unknown function {unknown[0]}"
    return None if problem else program, bool(macros), problem


Token = tuple[str, str, int]
"""A token of a rule: its kind, its text and where it starts."""


def _called(tokens: Sequence[Token], index: int) -> str:
    """Return the name of the method whose bracket opens at the index, or nothing."""
    return tokens[index - 1][1] if index > 1 and tokens[index - 2][1] == "." else ""


def _problem_of_macros(tokens: Sequence[Token]) -> str | None:
    """Return the reason why macros are refused: one is long, or inside another, which would multiply their costs."""
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
    """Return the reason why patterns are refused: too many, too long, repeated too often, or built at run time."""
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
    """Return the number of values in all collections of the facts."""
    if isinstance(value, Mapping):
        return len(value) + sum(map(_values, value.values()))
    if isinstance(value, list | tuple):
        return len(value) + sum(map(_values, value))
    return 0
