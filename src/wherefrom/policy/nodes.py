"""YAML as nodes that know their lines, so that every fault of a policy says where it is.

Values are read from scalars here, so that no tag of YAML can make an object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import Any, Final, Literal, get_args, get_origin

from wherefrom.lazy import yaml
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.param import Parameter
from wherefrom.policy.settings import item_of

# The composer calls itself once for each level; a policy has five.
MAX_DEPTH: Final = 16
MAX_TEXT_CHARACTERS: Final = 200

_KNOWN_TAGS: Final = [f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "map", "seq")]
_TEXT, _WHOLE, _FLOAT, _FLAG, _NULL, _MAPPING, _LIST = _KNOWN_TAGS
# YAML 1.1 also takes 010 for eight and 1:30 for ninety, which nobody means.
_DECIMAL: Final = re.compile(r"[-+]?(0|[1-9][0-9_]*)")

Entries = dict[str, tuple["yaml.Node", "yaml.Node"]]
"""The keys of a mapping, each with its own node and its value's."""


def compose(text: str) -> yaml.Node:
    """Return the only document of a text as nodes; anchors, aliases and deep nesting are refused."""
    try:
        _refuse_dangerous(text)
        node = _loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = (error.problem or error.context or "not YAML").removeprefix("but ")
        hint = "a policy is one YAML document with a mapping"
        raise _fault_at(mark.line if mark else 0, problem, hint=hint) from None
    except yaml.reader.ReaderError as error:
        problem = f"character {error.character:#x} may not stand in YAML"
        raise _fault_at(text.count("\n", 0, error.position), problem, hint="printable text only") from None
    if node is None:
        raise InvalidInput("the policy is empty", hint="it needs at least a version, for example 'version: 1.0.0'")
    return node


def constructed(text: str) -> Any:
    """Return the plain values of a text that `compose` has accepted."""
    return _loader(text).get_single_data()


def fault(node: yaml.Node, problem: str, *, hint: str | None = None) -> InvalidInput:
    """Return the error for something wrong at a node; it names the line."""
    return _fault_at(node.start_mark.line, problem, hint=hint)


def described(node: yaml.Node) -> str:
    """Return a node in words for a message; its text only if it is short."""
    if node.tag not in _KNOWN_TAGS:
        return f"something tagged {shown(node.tag)}"
    if isinstance(node, yaml.ScalarNode):
        return "null" if is_null(node) else shown(node.value)
    return "a mapping" if isinstance(node, yaml.MappingNode) else "a list"


def is_null(node: yaml.Node) -> bool:
    """Return true if nothing is given at a node."""
    return bool(node.tag == _NULL)


def read_entries(node: yaml.Node, *, of: str, allowed: Collection[str]) -> Entries:
    """Return the entries of a mapping by key; an empty section (comments only) has none."""
    if is_null(node):
        return {}
    if not isinstance(node, yaml.MappingNode) or node.tag != _MAPPING:
        raise fault(node, f"{of} must be a mapping, not {described(node)}", hint=_listed(allowed))
    found: Entries = {}
    for key, value in node.value:
        name: str = key.value if isinstance(key, yaml.ScalarNode) and key.tag == _TEXT else ""
        if name not in allowed:
            raise fault(key, f"unknown key {described(key)} of {of}", hint=_listed(allowed))
        if name in found:
            raise fault(key, f"key {shown(name)} of {of} is given twice", hint="keep one of them")
        found[name] = (key, value)
    return found


def read_items(node: yaml.Node, *, of: str, high: int, low: int = 0) -> list[yaml.Node]:
    """Return the nodes of a list, which has from `low` to `high` of them."""
    size = f"{low} to {high}" if low != high else f"{low}"
    if not isinstance(node, yaml.SequenceNode) or node.tag != _LIST:
        raise fault(node, f"{of} must be a list, not {described(node)}", hint=f"a list of {size} values")
    items: list[yaml.Node] = node.value
    if not low <= len(items) <= high:
        raise fault(node, f"{of} has {len(items)} values", hint=f"a list of {size} values")
    return items


def read_text(node: yaml.Node, *, of: str, characters: int = MAX_TEXT_CHARACTERS) -> str:
    """Return the text of a node; a blank or too long one is refused."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != _TEXT:
        raise fault(node, f"{of} must be text, not {described(node)}", hint="put it in quotes if it is meant as text")
    text: str = node.value
    if not text.strip():
        raise fault(node, f"{of} is empty", hint="give a text or leave the key out")
    if len(text) > characters:
        raise fault(node, f"{of} has {len(text):,} characters", hint=f"at most {characters:,}")
    return text


def read_choice(node: yaml.Node, words: Sequence[str], *, of: str) -> str:
    """Return the word of a node; any but these words is refused."""
    word = read_text(node, of=of)
    if word not in words:
        raise fault(node, f"unknown {of} {shown(word)}", hint=_listed(words))
    return word


def read_value(node: yaml.Node, parameter: Parameter, *, of: str) -> Any:
    """Return the value of a parameter; what its declaration does not allow is refused."""
    kind, param = parameter.kind, parameter.param
    if parameter.is_optional and is_null(node):
        return None
    if kind is bool:
        flag = node.value.lower() if isinstance(node, yaml.ScalarNode) and node.tag == _FLAG else ""
        if flag not in ("true", "false"):
            raise fault(node, f"{of} must be true or false, not {described(node)}", hint=_listed(("true", "false")))
        return flag == "true"
    if kind in (int, float):
        return _read_number(node, parameter, of=of)
    if get_origin(kind) is Literal:
        return read_choice(node, get_args(kind), of=of)
    if kind is not str:
        return _read_tuple(node, parameter, of=of)
    said = f"a {param.name} in {of}" if param.name else of
    text = read_text(node, of=said, characters=int(param.high or MAX_TEXT_CHARACTERS))
    try:
        return text if param.check is None else param.check(text, field=of)
    except InvalidInput as error:
        raise fault(node, error.message, hint=error.hint) from None


def _read_tuple(node: yaml.Node, parameter: Parameter, *, of: str) -> tuple[Any, ...]:
    """Return a pair of values, a list in which each value counts once, or a list of points that rises."""
    kinds, param = get_args(parameter.kind), parameter.param
    if kinds[-1] is not ...:
        parts = read_items(node, of=of, low=len(kinds), high=len(kinds))
        return tuple(read_value(part, item_of(kind), of=of) for part, kind in zip(parts, kinds, strict=True))
    item = item_of(kinds[0])
    values: list[Any] = []
    for part in read_items(node, of=of, low=int(param.low or 0), high=int(param.high or 0)):
        value = read_value(part, item, of=of)
        if values and isinstance(value, tuple) and (value[0] <= values[-1][0] or value[1] < values[-1][1]):
            raise fault(part, f"{of} does not rise", hint="each x above the one before it, and no y below")
        values.append(value)
    return tuple(dict.fromkeys(values))


def _read_number(node: yaml.Node, parameter: Parameter, *, of: str) -> int | float:
    if not isinstance(node, yaml.ScalarNode) or node.tag not in (_WHOLE, _FLOAT):
        raise fault(node, f"{of} must be a number, not {described(node)}", hint=parameter.range)
    value: int | float = math.nan
    try:
        if node.tag == _FLOAT:
            value = float(node.value.replace("_", ""))
        elif _DECIMAL.fullmatch(node.value):
            value = int(node.value.replace("_", ""))
    except ValueError:  # .inf, 1:30.5, and more digits than Python reads
        pass
    if isinstance(value, float) and not math.isfinite(value):
        raise fault(node, f"{of} {shown(node.value)} is not a finite decimal number", hint=parameter.range)
    problem = parameter.problem(value)
    if problem is not None:
        raise fault(node, f"{of} {problem}", hint=parameter.range)
    return value if parameter.kind is int else float(value)


def _loader(text: str) -> yaml.SafeLoader:
    """Return a loader for which only true and false are flags; yes, no, on and off, flags in YAML 1.1, are words."""
    loader = yaml.SafeLoader(text)
    loader.yaml_implicit_resolvers = {  # of this loader alone
        first: [(tag, pattern) for tag, pattern in known if tag != _FLAG or first in "tTfF"]
        for first, known in loader.yaml_implicit_resolvers.items()
    }
    return loader


def _refuse_dangerous(text: str) -> None:
    """Refuse aliases, with which a small text can stand for a huge one, and nesting beyond the stack."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            if event.anchor is not None:  # of an alias, too
                raise _fault_at(line, "anchors and aliases are not allowed", hint="write the value out")
            if depth == MAX_DEPTH:
                raise _fault_at(
                    line, f"nested more than {MAX_DEPTH} levels deep", hint="a policy nests five levels deep"
                )
            depth += isinstance(event, yaml.CollectionStartEvent)


def _listed(words: Collection[str]) -> str:
    return f"allowed: {', '.join(words)}"


def _fault_at(line: int, problem: str, *, hint: str | None) -> InvalidInput:
    return InvalidInput(f"line {line + 1}: {problem}", hint=hint)
