"""Reads the YAML text of a policy into a Policy, and refuses whatever it does not know."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, cast, get_args

import yaml

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import BOUNDARY_CLASSES, BoundaryClass, Scope
from wherefrom.policy import invariants
from wherefrom.policy.document import FINDING_KINDS, ClassRule, Invariant, Policy, ScopeRule, SecretRule
from wherefrom.policy.linking_kinds import read_insight
from wherefrom.policy.metabolism_kinds import read_metabolism
from wherefrom.policy.nodes import (
    Choice,
    Entries,
    Flag,
    Number,
    compose,
    constructed,
    described,
    fault,
    is_null,
    listed,
    read_entries,
    read_items,
    read_text,
)
from wherefrom.policy.tuning import read_calibration, read_retrieval

INVARIANTS: Final = 50
TAGS: Final = 64
NAME_CHARACTERS: Final = 64

_SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
_SECTIONS: Final = (
    "version",
    "scopes",
    "boundary_classes",
    "detect",
    "secrets",
    "invariants",
    "retrieval",
    "insight",
    "metabolism",
    "calibration",
)
_VERSION: Final = re.compile(r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}")
_TTL_DAYS: Final = Number(0, 36_500, without_low=True, nullable=True)
_MAX_TOKENS: Final = Number(1, 10_000_000, whole=True)
# A tag, or a beginning of tags that ends in *. A comma separates tags in the settings.
_ALLOWED_TAG: Final = re.compile(r"[^\s*,]*\*|[^\s*,]+")
_NAME: Final = re.compile(r"[\w.:-]+")

# What the packaged policy is read over; it leaves nothing out that this would open.
BLANK: Final = Policy(
    version="0.0.0",
    scopes=MappingProxyType({scope: ScopeRule(ttl_days=1.0, max_tokens=1) for scope in _SCOPES}),
    classes=MappingProxyType({name: ClassRule(allow=(), redact=()) for name in BOUNDARY_CLASSES}),
    detect=MappingProxyType(dict.fromkeys(FINDING_KINDS, BOUNDARY_CLASSES[-1])),
    secrets="deny",
    invariants=(),
    retrieval=MappingProxyType({}),
    insight=MappingProxyType({}),
    metabolism=MappingProxyType({}),
    calibration=None,
    stated=frozenset(),
)


def read(text: str, *, base: Policy = BLANK) -> Policy:
    """The policy in the text; what it leaves out comes from `base`, apart from parameters, which are laid over each
    other later.
    """
    root = compose(text)
    sections = read_entries(root, of="the policy", allowed=_SECTIONS)
    if "version" not in sections:
        raise fault(root, "the policy has no version", hint="for example 'version: 1.0.0'")
    given = {name: value for name, (_, value) in sections.items()}
    calibration = given.get("calibration")
    stated: set[str] = set()
    return Policy(
        version=_version(given["version"]),
        scopes=_scopes(given.get("scopes"), base=base, stated=stated),
        classes=_classes(given.get("boundary_classes"), base=base, stated=stated),
        detect=_detect(given.get("detect"), base=base, stated=stated),
        secrets=_secrets(given.get("secrets"), base=base, stated=stated),
        invariants=_invariants(given["invariants"]) if "invariants" in given else base.invariants,
        retrieval=read_retrieval(given["retrieval"]) if "retrieval" in given else MappingProxyType({}),
        insight=read_insight(given["insight"]) if "insight" in given else MappingProxyType({}),
        metabolism=read_metabolism(given["metabolism"]) if "metabolism" in given else MappingProxyType({}),
        calibration=None if calibration is None or is_null(calibration) else read_calibration(calibration),
        stated=frozenset(stated),
    )


def rewritten(text: str, *, calibration: Mapping[str, Any] | None, version: str) -> str:
    """The text of a policy that was read before, with another version and calibration."""
    document = {**constructed(text), "version": version}
    document.pop("calibration", None)
    if calibration is not None:
        document["calibration"] = _plain(calibration)
    try:
        return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    except yaml.representer.RepresenterError:
        raise InvalidInput("calibration must hold texts and numbers only") from None


class _Dumper(yaml.SafeDumper):
    """Writes a value that occurs twice twice: a policy has no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _plain(value: Any) -> Any:
    """Mappings and sequences of any type as those that YAML writes."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _version(node: yaml.Node) -> str:
    hint = "MAJOR.MINOR.PATCH, for example 1.0.0"
    if not isinstance(node, yaml.ScalarNode) or not _VERSION.fullmatch(node.value):
        raise fault(node, f"version {described(node)} is not a semantic version", hint=hint)
    return read_text(node, of="version")


def _section(node: yaml.Node | None, *, of: str, allowed: Collection[str]) -> Entries:
    return {} if node is None else read_entries(node, of=of, allowed=allowed)


def _scopes(node: yaml.Node | None, *, base: Policy, stated: set[str]) -> Mapping[Scope, ScopeRule]:
    rules = dict(base.scopes)
    for name, (_, value) in _section(node, of="scopes", allowed=_SCOPES).items():
        scope = cast(Scope, name)
        found = read_entries(value, of=f"scope {name}", allowed=("ttl_days", "max_tokens"))
        stated |= {f"scopes.{name}.{key}" for key in found}
        changes: dict[str, Any] = {}
        if "ttl_days" in found:
            changes["ttl_days"] = _TTL_DAYS.read(found["ttl_days"][1], of=f"ttl_days of scope {name}")
        if "max_tokens" in found:
            changes["max_tokens"] = _MAX_TOKENS.read(found["max_tokens"][1], of=f"max_tokens of scope {name}")
        rules[scope] = replace(rules[scope], **changes)
    return MappingProxyType(rules)


def _classes(node: yaml.Node | None, *, base: Policy, stated: set[str]) -> Mapping[BoundaryClass, ClassRule]:
    rules = dict(base.classes)
    for name, (key, value) in _section(node, of="boundary_classes", allowed=BOUNDARY_CLASSES).items():
        boundary_class = cast(BoundaryClass, name)
        of = f"boundary class {name}"
        found = read_entries(value, of=of, allowed=("allow", "redact", "deny", "escalation"))
        stated |= {f"boundary_classes.{name}.{part}" for part in found}
        rules[boundary_class] = replace(rules[boundary_class], **_class_changes(found, of=of))
        if name == "secret":
            _refuse_open_secret(rules["secret"], found, key)
    return MappingProxyType(rules)


def _class_changes(found: Entries, *, of: str) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for part, (_, node) in found.items():
        match part:
            case "allow":
                changes[part] = _tags(node, of=f"allow of {of}")
            case "redact":
                items = read_items(node, of=f"redact of {of}", high=TAGS)
                kinds = [Choice(FINDING_KINDS).read(item, of="kind of finding") for item in items]
                changes[part] = tuple(dict.fromkeys(kinds))
            case "deny":
                changes[part] = Flag().read(node, of=f"deny of {of}")
            case _:
                changes[part] = None if is_null(node) else _name(node, of=f"escalation of {of}")
    return changes


def _refuse_open_secret(rule: ClassRule, found: Entries, key: yaml.Node) -> None:
    if rule.allow:
        raise fault(found["allow"][1], "boundary class secret allows a tag", hint="no tag may open it: allow: []")
    if not rule.deny:
        raise fault(
            found["deny"][1] if "deny" in found else key, "boundary class secret must be denied", hint="deny: true"
        )


def _tags(node: yaml.Node, *, of: str) -> tuple[str, ...]:
    hint = "a tag such as answer:task, or the beginning of tags with * at its end, such as tool:*"
    tags = []
    for item in read_items(node, of=of, high=TAGS):
        tag = read_text(item, of=f"a tag in {of}", characters=NAME_CHARACTERS)
        if not _ALLOWED_TAG.fullmatch(tag):
            raise fault(item, f"{shown(tag)} in {of} is not a tag", hint=hint)
        tags.append(tag)
    return tuple(dict.fromkeys(tags))


def _detect(node: yaml.Node | None, *, base: Policy, stated: set[str]) -> Mapping[str, BoundaryClass]:
    classes = dict(base.detect)
    for kind, (_, value) in _section(node, of="detect", allowed=FINDING_KINDS).items():
        found = cast(BoundaryClass, Choice(BOUNDARY_CLASSES).read(value, of="boundary class"))
        if kind == "secret" and found != "secret":
            raise fault(value, f"detect puts secret into class {found}", hint="a secret is always of class secret")
        classes[kind] = found
        stated.add(f"detect.{kind}")
    return MappingProxyType(classes)


def _secrets(node: yaml.Node | None, *, base: Policy, stated: set[str]) -> SecretRule:
    if node is None:
        return base.secrets
    stated.add("secrets")
    return cast(SecretRule, Choice(get_args(SecretRule)).read(node, of="rule for secrets"))


def _invariants(node: yaml.Node) -> tuple[Invariant, ...]:
    found: dict[str, Invariant] = {}
    for item in [] if is_null(node) else read_items(node, of="invariants", high=INVARIANTS):
        invariant = _invariant(item)
        if invariant.name in found:
            raise fault(item, f"invariant {invariant.name} is given twice", hint="give each its own name")
        found[invariant.name] = invariant
    return tuple(found.values())


def _invariant(node: yaml.Node) -> Invariant:
    found = read_entries(node, of="an invariant", allowed=("name", "applies_to", "rule"))
    for key in ("name", "rule"):
        if key not in found:
            raise fault(node, f"an invariant has no {key}", hint="it needs name and rule, and may have applies_to")
    name = _name(found["name"][1], of="the name of an invariant")
    rule_node = found["rule"][1]
    rule = read_text(rule_node, of=f"rule of invariant {name}", characters=invariants.RULE_CHARACTERS)
    problem = invariants.compiles(rule)
    if problem is not None:
        raise fault(rule_node, f"rule of invariant {name}: {problem}", hint=invariants.HINT)
    applies_to = (
        _applies_to(found["applies_to"][1], of=f"applies_to of invariant {name}") if "applies_to" in found else ("*",)
    )
    return Invariant(name=name, applies_to=applies_to, rule=rule)


def _applies_to(node: yaml.Node, *, of: str) -> tuple[str, ...]:
    items = read_items(node, of=of, low=1, high=len(_SCOPES))
    scopes = tuple(dict.fromkeys(Choice((*_SCOPES, "*")).read(item, of="scope") for item in items))
    if "*" in scopes and len(scopes) > 1:
        raise fault(node, f"{of} has * beside a scope", hint=listed((*_SCOPES, "['*'] alone")))
    return scopes


def _name(node: yaml.Node, *, of: str) -> str:
    name = read_text(node, of=of, characters=NAME_CHARACTERS)
    if not _NAME.fullmatch(name):
        raise fault(node, f"{of} {shown(name)} is not a plain name", hint="letters, digits, '_', '-', '.' and ':'")
    return name
