"""YAML as nodes that know their lines, so that every fault of a policy says where it is.

Values are read from scalars here, so that no tag of YAML can make an object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import yaml

from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.policy.ranges import Range

# A policy nests five deep; the composer calls itself once for each level.
DEPTH: Final = 16

_TEXT: Final = "tag:yaml.org,2002:str"
_WHOLE: Final = "tag:yaml.org,2002:int"
_FLOAT: Final = "tag:yaml.org,2002:float"
_FLAG: Final = "tag:yaml.org,2002:bool"
_NULL: Final = "tag:yaml.org,2002:null"
_MAPPING: Final = "tag:yaml.org,2002:map"
_LIST: Final = "tag:yaml.org,2002:seq"
# YAML 1.1 also takes 010 for eight and 1:30 for ninety, which nobody means.
_DECIMAL: Final = re.compile(r"[-+]?(0|[1-9][0-9_]*)")

Entries = dict[str, tuple[yaml.Node, yaml.Node]]
"""The keys of a mapping, each with its own node and its value's."""


class Kind(Protocol):
    """What a value may be."""

    def read(self, node: yaml.Node, *, of: str) -> Any:
        """The value, or a fault that names its line."""


@dataclass(frozen=True, slots=True)
class Number(Range):
    """A number within a range, or null, if so stated."""

    nullable: bool = False

    def read(self, node: yaml.Node, *, of: str) -> float | int | None:
        if self.nullable and node.tag == _NULL:
            return None
        if not isinstance(node, yaml.ScalarNode) or node.tag not in (_WHOLE, _FLOAT):
            raise fault(node, f"{of} must be a number, not {described(node)}", hint=str(self))
        value = _number(node, of=of, hint=str(self))
        problem = self.problem(value)
        if problem is not None:
            raise fault(node, f"{of} {problem}", hint=str(self))
        return value if self.whole else float(value)

    def __str__(self) -> str:
        # A dataclass with slots is made anew, and super() without arguments would name the one before.
        return f"{Range.__str__(self)}{', or null' * self.nullable}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, node: yaml.Node, *, of: str) -> str:
        word = read_text(node, of=of)
        if word not in self.words:
            raise fault(node, f"unknown {of} {shown(word)}", hint=listed(self.words))
        return word


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def read(self, node: yaml.Node, *, of: str) -> bool:
        if not isinstance(node, yaml.ScalarNode) or node.tag != _FLAG or node.value.lower() not in ("true", "false"):
            raise fault(node, f"{of} must be true or false, not {described(node)}", hint=listed(("true", "false")))
        return bool(node.value.lower() == "true")


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping from some of the given keys to values of one kind."""

    keys: tuple[str, ...]
    kind: Kind

    def read(self, node: yaml.Node, *, of: str) -> Mapping[str, Any]:
        found = read_entries(node, of=of, allowed=self.keys)
        return {key: self.kind.read(value, of=f"{of}.{key}") for key, (_, value) in found.items()}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers."""

    first: Number
    second: Number

    def read(self, node: yaml.Node, *, of: str) -> tuple[float, float]:
        parts = read_items(node, of=of, low=2, high=2)
        return tuple(kind.read(part, of=of) for kind, part in zip((self.first, self.second), parts, strict=True))  # type: ignore[return-value]


def compose(text: str) -> yaml.Node:
    """The only document of the text as nodes, without anchors, aliases and deep nesting."""
    _refuse_large(text)
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _syntax_fault(error) from None
    except yaml.reader.ReaderError as error:
        problem = f"character {error.character:#x} may not stand in YAML"
        raise _fault_at(text.count("\n", 0, error.position), problem, hint="printable text only") from None
    if node is None:
        raise InvalidInput("the policy is empty", hint="it needs at least a version, for example 'version: 1.0.0'")
    return node


def constructed(text: str) -> Any:
    """A document that was read before, as plain values, by the same rules."""
    return _Loader(text).get_single_data()


def fault(node: yaml.Node, problem: str, *, hint: str | None = None) -> InvalidInput:
    """The error for something wrong at a node."""
    return _fault_at(node.start_mark.line, problem, hint=hint)


def listed(words: Collection[str]) -> str:
    """What is allowed, for a hint."""
    return f"allowed: {', '.join(words)}"


def described(node: yaml.Node) -> str:
    """What a node is, for a message; its text only if it is short."""
    if node.tag not in (_MAPPING, _LIST, _TEXT, _WHOLE, _FLOAT, _FLAG, _NULL):
        return f"something tagged {shown(node.tag)}"
    match node:
        case yaml.MappingNode():
            return "a mapping"
        case yaml.SequenceNode():
            return "a list"
        case _:
            return "null" if is_null(node) else shown(node.value)


def is_null(node: yaml.Node) -> bool:
    """Whether nothing is given there."""
    return bool(node.tag == _NULL)


def read_entries(node: yaml.Node, *, of: str, allowed: Collection[str]) -> Entries:
    """The entries of a mapping by key; nothing (a section with comments only) is an empty mapping."""
    if is_null(node):
        return {}
    if not isinstance(node, yaml.MappingNode) or node.tag != _MAPPING:
        raise fault(node, f"{of} must be a mapping, not {described(node)}", hint=listed(allowed))
    found: Entries = {}
    for key, value in node.value:
        name: str = key.value if isinstance(key, yaml.ScalarNode) and key.tag == _TEXT else ""
        if name not in allowed:
            raise fault(key, f"unknown key {described(key)} of {of}", hint=listed(allowed))
        if name in found:
            raise fault(key, f"key {shown(name)} of {of} is given twice", hint="keep one of them")
        found[name] = (key, value)
    return found


def read_items(node: yaml.Node, *, of: str, high: int, low: int = 0) -> list[yaml.Node]:
    """The nodes of a list with a bounded number of them."""
    size = f"{low} to {high}" if low != high else f"{low}"
    if not isinstance(node, yaml.SequenceNode) or node.tag != _LIST:
        raise fault(node, f"{of} must be a list, not {described(node)}", hint=f"a list of {size} values")
    items: list[yaml.Node] = node.value
    if not low <= len(items) <= high:
        raise fault(node, f"{of} has {len(items)} values", hint=f"a list of {size} values")
    return items


def read_text(node: yaml.Node, *, of: str, characters: int = 200) -> str:
    """A text that is not blank."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != _TEXT:
        raise fault(node, f"{of} must be text, not {described(node)}", hint="put it in quotes if it is meant as text")
    text: str = node.value
    if not text.strip():
        raise fault(node, f"{of} is empty", hint="give a text or leave the key out")
    if len(text) > characters:
        raise fault(node, f"{of} has {len(text):,} characters", hint=f"at most {characters:,}")
    return text


class _Loader(yaml.SafeLoader):
    """Refuses aliases, with which a small text can stand for a huge one, and nesting beyond the stack.

    Only true and false are flags: yes, no, on and off, which YAML 1.1 takes for such, too, are words.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 - as the class above declares it
        first: [(tag, pattern) for tag, pattern in known if tag != _FLAG or first in "tTfF"]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _fault_at(line, "anchors and aliases are not allowed", hint="write the value out")
        if self._depth == DEPTH:
            raise _fault_at(line, f"nested more than {DEPTH} levels deep", hint="a policy nests five levels deep")
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def _refuse_large(text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput("the policy holds a lone surrogate, which is not valid Unicode text") from None
    if size > limits.POLICY_BYTES:
        raise InvalidInput(f"the policy has {size:,} bytes; at most {limits.POLICY_BYTES:,} are allowed")


def _fault_at(line: int, problem: str, *, hint: str | None) -> InvalidInput:
    return InvalidInput(f"line {line + 1}: {problem}", hint=hint)


def _syntax_fault(error: yaml.MarkedYAMLError) -> InvalidInput:
    mark = error.problem_mark or error.context_mark
    problem = (error.problem or error.context or "not YAML").removeprefix("but ")
    return _fault_at(mark.line if mark else 0, problem, hint="a policy is one YAML document with a mapping")


def _number(node: yaml.ScalarNode, *, of: str, hint: str) -> int | float:
    try:
        if node.tag == _WHOLE and _DECIMAL.fullmatch(node.value):
            return int(node.value.replace("_", ""))
        value = float(node.value.replace("_", "")) if node.tag == _FLOAT else math.nan
    except ValueError:  # .inf, 1:30.5, and more digits than Python reads
        value = math.nan
    if not math.isfinite(value):
        raise fault(node, f"{of} {shown(node.value)} is not a finite decimal number", hint=hint)
    return value
