"""A policy as a value, read from YAML: how long scopes live, who sees which class, what must hold, how engines are
tuned. An unknown key or value is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, cast, get_args

from wherefrom.lazy import yaml
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import BOUNDARY_CLASSES, FINDING_KINDS, BoundaryClass, FindingKind, Scope
from wherefrom.model.param import Param
from wherefrom.policy import invariants, nodes
from wherefrom.policy.settings import Settings, item_of, keys_of, settings_from

# A text in which a secret is found is kept without the secret, or refused.
SecretRule = Literal["redact", "deny"]

MAX_INVARIANTS: Final = 50
MAX_TAGS: Final = 64
NAME_CHARACTERS: Final = 64

_SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
_VERSION: Final = re.compile(r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}")
# A tag, or a beginning of tags that ends in *. A comma separates tags in the settings.
_ALLOWED_TAG: Final = re.compile(r"[^\s*,]*\*|[^\s*,]+")
_NAME: Final = re.compile(r"[\w.:-]+")

# The rules on secrets that no policy may change: the only value of a key; the error and the hint for any other.
FIXED: Final[Mapping[str, tuple[object, str, str]]] = {
    "boundary_classes.secret.allow": ((), "boundary class secret allows a tag", "no tag may open it: allow: []"),
    "boundary_classes.secret.deny": (True, "boundary class secret must be denied", "deny: true"),
    "detect.secret": ("secret", "detect puts secret into another class", "a secret is always of class secret"),
}


def _check_allowed_tag(tag: str, *, field: str) -> str:
    if not _ALLOWED_TAG.fullmatch(tag):
        raise InvalidInput(
            f"{shown(tag)} in {field} is not a tag",
            hint="a tag such as answer:task, or the beginning of tags with * at its end, such as tool:*",
        )
    return tag


def _check_name(name: str, *, field: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"{field} {shown(name)} is not a plain name", hint="letters, digits, '_', '-', '.' and ':'")
    return name


_INVARIANT_NAME: Final = item_of(Annotated[str, Param(high=NAME_CHARACTERS, check=_check_name)])


@dataclass(frozen=True, slots=True)
class ScopeRule:
    """How long a memory of a scope is kept, and how much of it fits into a context."""

    ttl_days: Annotated[
        float | None, Param("How many days a memory lives; null: without end.", 0, 36_500, is_low_open=True)
    ] = 1.0
    max_tokens: Annotated[int, Param("How many tokens a context of the scope may hold.", 1, 10_000_000)] = 1


@dataclass(frozen=True, slots=True)
class ClassRule:
    """Which tags open a boundary class, what is redacted in it, and who decides about it."""

    allow: Annotated[
        tuple[Annotated[str, Param(high=NAME_CHARACTERS, name="tag", check=_check_allowed_tag)], ...],
        Param("The tags that open the class; `*` at the end of one stands for any ending.", 0, MAX_TAGS),
    ] = ()
    redact: Annotated[
        tuple[FindingKind, ...], Param("What is taken out of a text of the class before it is stored.", 0, MAX_TAGS)
    ] = ()
    deny: Annotated[bool, Param("True: nothing of the class is stored or shown.")] = False
    escalation: Annotated[
        str | None, Param("Who decides about a text of the class.", high=NAME_CHARACTERS, check=_check_name)
    ] = None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules on what may be kept and seen, with the strictest values; the packaged policy states the usual ones."""

    scopes: Mapping[Scope, ScopeRule] = field(default_factory=lambda: dict.fromkeys(_SCOPES, ScopeRule()))
    boundary_classes: Mapping[BoundaryClass, ClassRule] = field(
        default_factory=lambda: dict.fromkeys(BOUNDARY_CLASSES, ClassRule())
    )
    detect: Mapping[
        FindingKind,
        Annotated[BoundaryClass, Param("The class that a text has at least when such a finding stays in it.")],
    ] = field(default_factory=lambda: dict.fromkeys(FINDING_KINDS, BOUNDARY_CLASSES[-1]))
    secrets: Annotated[
        SecretRule, Param("What becomes of a text with a secret: it is kept without the secret, or refused.")
    ] = "deny"
    keep_expired_days: Annotated[
        float | None,
        Param(
            "How many days what has expired stays in the archive before `sweep` forgets it; null: for good.", 0, 36_500
        ),
    ] = 0.0


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule in CEL that must hold for what is saved in these scopes; ("*",) is everything."""

    name: str
    applies_to: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Policy:
    """One document: its version, its invariants, and the values that it states itself, by key.

    A key is spelt as in `scopes.session.ttl_days`. A preset stands there as the values that it is a name for.
    """

    version: str
    invariants: tuple[Invariant, ...]
    values: Mapping[str, Any]


SettingsKinds = tuple[type[Settings], ...]
"""The settings of all engines, which a policy may set."""


# A text is at most 128 KB, and few policies are in use at a time.
@lru_cache(maxsize=128)
def parse(text: str, settings: SettingsKinds) -> Policy:
    """Return the policy in a YAML text; a fault is refused with its line."""
    return _Document(settings).read(text)


@cache
def default() -> Policy:
    """Return the packaged policy, which holds where none was applied."""
    return _Document((), empty_sections=nodes.constructed(default_text())).read(default_text())


@cache
def default_values() -> Mapping[str, Any]:
    """Return the value of every rule where no policy states another."""
    strictest = {key: parameter.default for key, parameter in keys_of(Rules, "").items()}
    return MappingProxyType({**strictest, **default().values})


@cache
def default_text() -> str:
    """Return the text of the packaged policy."""
    return files("wherefrom.policy").joinpath("default.yaml").read_text(encoding="utf-8")


def dump_with(text: str, *, calibration: Mapping[str, Any] | None, version: str) -> str:
    """Return a policy's text with another version and calibration. Comments are lost."""
    # By way of JSON, so that no list stands in it twice: YAML would write an alias, which a policy may not have.
    changes = {"version": version, "calibration": json.loads(json.dumps(calibration))}
    return str(yaml.safe_dump({**nodes.constructed(text), **changes}, sort_keys=False, allow_unicode=True))


class _Document:
    """A document that is being read: the values found so far, and the nodes of their keys."""

    def __init__(self, settings: SettingsKinds, *, empty_sections: Iterable[str] = ()) -> None:
        """`empty_sections` are further keys that the document may have if nothing stands below them."""
        self._settings = settings
        self._known = dict(keys_of(Rules, ""))
        for kind in settings:
            self._known |= keys_of(cast(Any, kind), kind.SECTION)
        self._aliases = {alias: key for key, known in self._known.items() for alias in known.param.aliases}
        self._names = _names_below(("version", *keys_of(Rules, ""), "invariants", *self._known, *self._aliases))
        for section in empty_sections:
            if section not in self._names[""]:
                self._names[""][section], self._names[section] = None, {}
        self._values: dict[str, Any] = {}
        self._key_nodes: dict[str, yaml.Node] = {}

    def read(self, text: str) -> Policy:
        """Return the policy in a text."""
        root = nodes.compose(text)
        self._walk("", root)
        if "version" not in self._values:
            raise nodes.fault(root, "the policy has no version", hint="for example 'version: 1.0.0'")
        for kind in self._settings:
            preset = self._values.pop(f"{kind.SECTION}.preset", None)
            preset_values = kind.PRESETS[preset] if preset else {}
            self._values = {f"{kind.SECTION}.{key}": value for key, value in preset_values.items()} | self._values
        self._refuse_crossed()
        for kind in self._settings:
            if wrong := settings_from(kind, self._values).contradiction():
                raise nodes.fault(self._key_nodes[wrong.key], wrong.message, hint=wrong.hint)
        version, found = self._values.pop("version"), self._values.pop("invariants", ())
        return Policy(version, found, MappingProxyType(self._values))

    def _walk(self, path: str, node: yaml.Node) -> None:
        """Read everything that stands at or below a path."""
        entries = nodes.read_entries(node, of=path or "the policy", allowed=tuple(self._names[path]))
        for name, (key_node, value_node) in entries.items():
            written = f"{path}.{name}" if path else name
            if written in self._names:
                self._walk(written, value_node)
                continue
            key = self._aliases.get(written, written)
            if key in self._key_nodes:
                raise nodes.fault(key_node, f"{key} is given twice", hint=f"keep {key}")
            self._key_nodes[key] = key_node
            self._values[key] = self._value(value_node, key, written)
        missing = [name for name in self._names[path] if name not in entries and not self._is_optional(path, name)]
        needs_all = any(kind.NEEDS_ALL and path == kind.SECTION for kind in self._settings)
        if needs_all and missing and not nodes.is_null(node):
            raise nodes.fault(node, f"{path} has no {missing[0]}", hint=f"it needs {', '.join(self._names[path])}")

    def _is_optional(self, path: str, name: str) -> bool:
        """True if a key may be left out where all others of its section are given."""
        known = self._known.get(f"{path}.{name}")
        return known is not None and known.is_optional

    def _value(self, node: yaml.Node, key: str, written: str) -> Any:
        if key == "version":
            if not isinstance(node, yaml.ScalarNode) or not _VERSION.fullmatch(node.value):
                hint = "MAJOR.MINOR.PATCH, for example 1.0.0"
                raise nodes.fault(node, f"version {nodes.described(node)} is not a semantic version", hint=hint)
            return nodes.read_text(node, of="version")
        if key == "invariants":
            return _invariants(node)
        value = nodes.read_value(node, self._known[key], of=written)
        only, problem, hint = FIXED.get(key, (value, "", ""))
        if value != only:
            raise nodes.fault(node, problem, hint=hint)
        return value

    def _refuse_crossed(self) -> None:
        """Refuse a lower bound above its upper bound, where one of them may be a default."""
        for low, parameter in self._known.items():
            name = parameter.param.at_most
            high = f"{low.rpartition('.')[0]}.{name}"
            if not name or not {low, high} & self._key_nodes.keys():
                continue
            least, most = (self._values.get(key, self._known[key].default) for key in (low, high))
            if least > most:
                given = [self._key_nodes[key] for key in (low, high) if key in self._key_nodes]
                raise nodes.fault(
                    max(given, key=lambda node: node.start_mark.index),
                    f"{low} {least:g} is above {name} {most:g}",
                    hint=f"{low.rpartition('.')[2]} may be at most {name}; a key that is left out has its default",
                )


def _names_below(keys: Iterable[str]) -> dict[str, dict[str, None]]:
    """Return the names that may stand below each path that leads to a key."""
    found: dict[str, dict[str, None]] = {}
    for key in keys:
        parts = key.split(".")
        for depth, name in enumerate(parts):
            found.setdefault(".".join(parts[:depth]), {})[name] = None
    return found


def _invariants(node: yaml.Node) -> tuple[Invariant, ...]:
    found: dict[str, Invariant] = {}
    for item in [] if nodes.is_null(node) else nodes.read_items(node, of="invariants", high=MAX_INVARIANTS):
        invariant = _invariant(item)
        if found.setdefault(invariant.name, invariant) is not invariant:
            raise nodes.fault(item, f"invariant {invariant.name} is given twice", hint="give each its own name")
    return tuple(found.values())


def _invariant(node: yaml.Node) -> Invariant:
    """Return the invariant at a node; one without applies_to holds for everything."""
    found = nodes.read_entries(node, of="an invariant", allowed=("name", "applies_to", "rule"))
    if missing := [key for key in ("name", "rule") if key not in found]:
        hint = "it needs name and rule, and may have applies_to"
        raise nodes.fault(node, f"an invariant has no {missing[0]}", hint=hint)
    name: str = nodes.read_value(found["name"][1], _INVARIANT_NAME, of="the name of an invariant")
    rule_node = found["rule"][1]
    rule = nodes.read_text(rule_node, of=f"rule of invariant {name}", characters=invariants.RULE_CHARACTERS)
    if problem := invariants.problem_of(rule):
        raise nodes.fault(rule_node, f"rule of invariant {name}: {problem}", hint=invariants.HINT)
    if "applies_to" not in found:
        return Invariant(name, ("*",), rule)
    of, scopes_node = f"applies_to of invariant {name}", found["applies_to"][1]
    items = nodes.read_items(scopes_node, of=of, low=1, high=len(_SCOPES))
    scopes = tuple(dict.fromkeys(nodes.read_choice(item, (*_SCOPES, "*"), of="scope") for item in items))
    if "*" in scopes and len(scopes) > 1:
        raise nodes.fault(scopes_node, f"{of} has * beside a scope", hint=f"allowed: {', '.join(_SCOPES)}, ['*'] alone")
    return Invariant(name, scopes, rule)
