"""The policies of an owner folded into the rules of a place: visible classes, redactions, denials, invariants."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import reduce
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast, get_args

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import BOUNDARY_CLASSES, FINDING_KINDS, SECRET, BoundaryClass, Scope, strictest
from wherefrom.model.namespaces import is_inside
from wherefrom.policy import document, invariants
from wherefrom.policy.document import Invariant, Policy, SecretRule
from wherefrom.policy.settings import Settings, settings_from

DEFAULT_ALLOW: Final = ("answer:task",)

_Value = TypeVar("_Value")
_Settings = TypeVar("_Settings", bound=Settings)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement on a text: its class, the kinds of findings to redact, or why it may not be stored or shown."""

    boundary_class: BoundaryClass
    redact: tuple[str, ...] = ()
    denied: str = ""


@dataclass(frozen=True, slots=True)
class PlaceRules:
    """The rules of a place: those of the topmost policy, tightened by each one below it.

    version: the versions of the levels, from the top. allow: for each class, the tags of each level; every level has to
    open it. denied_kinds: the findings for which a text is refused. values: what the levels state, by key.
    keep_expired_days: how long what has expired is kept; None is for good.
    """

    version: str
    ttl_days: Mapping[Scope, float | None]
    max_tokens: Mapping[Scope, int]
    allow: Mapping[BoundaryClass, tuple[tuple[str, ...], ...]]
    redact: Mapping[BoundaryClass, tuple[str, ...]]
    denied: frozenset[BoundaryClass]
    denied_kinds: frozenset[str]
    escalation: Mapping[BoundaryClass, str | None]
    detect: Mapping[str, BoundaryClass]
    secrets: SecretRule
    invariants: tuple[Invariant, ...]
    values: Mapping[str, Any]
    keep_expired_days: float | None = None
    personal: bool = False
    _built: dict[type[Settings], Settings] = field(default_factory=dict, init=False, repr=False, compare=False)

    def settings(self, kind: type[_Settings]) -> _Settings:
        """Return the settings of an engine; of two policies that state a key, the one further down wins."""
        if kind not in self._built:
            self._built[kind] = settings_from(kind, self.values).reconciled()
        return cast(_Settings, self._built[kind])

    def visible_classes(self, allow: Sequence[str]) -> tuple[BoundaryClass, ...]:
        """Return the classes that the held tags open. One that stays closed closes all the stricter ones."""
        if (
            isinstance(allow, str)
            or not isinstance(allow, Sequence)
            or not all(tag and isinstance(tag, str) for tag in allow)
        ):
            raise InvalidInput(f"allow {shown(allow)} must be a list of tags", hint="for example ['answer:task']")

        def is_open(name: BoundaryClass) -> bool:
            return name not in self.denied and all(_opens(level, allow) for level in self.allow[name])

        return tuple(takewhile(is_open, BOUNDARY_CLASSES))

    def judge(self, boundary_class: BoundaryClass, found: Collection[str]) -> Verdict:
        """Judge a text of this class with findings of these kinds: deny before redact before allow.

        What is found and not redacted raises the class, whose own list then decides what is redacted.
        """
        if not found and boundary_class not in self.denied:
            return Verdict(boundary_class)  # most texts
        kinds = [*(kind for kind in FINDING_KINDS if kind in found), *sorted(set(found) - set(FINDING_KINDS))]
        denied = [kind for kind in kinds if kind in self.denied_kinds or kind not in self.detect]
        judged = reduce(strictest, map(self._detected, denied), boundary_class)
        if denied or judged in self.denied:
            return Verdict(judged, denied=f"found: {', '.join(denied)}" if denied else f"class {judged} is denied")
        while True:
            redact = tuple(kind for kind in kinds if kind in self.redact[judged])
            raised = reduce(strictest, (self._detected(kind) for kind in kinds if kind not in redact), judged)
            if raised == judged:
                return Verdict(judged, redact)
            judged = raised

    def admit(self, boundary_class: BoundaryClass, found: Collection[str]) -> Verdict:
        """Judge a text that is saved: first a secret is taken out, unless the policy denies the whole text for it."""
        if SECRET not in found or self.secrets == "deny":
            return self.judge(boundary_class, found)
        verdict = self.judge(boundary_class, [kind for kind in found if kind != SECRET])
        return verdict if verdict.denied else replace(verdict, redact=(*verdict.redact, SECRET))

    def redacted_without_class(self, boundary_class: BoundaryClass) -> tuple[str, ...]:
        """Return the kinds of findings that are taken out of a text without a class of its own, such as a question or
        the reason of a relation: secrets, and what this class redacts; in a personal store all, unless it is pii.
        """
        kinds = FINDING_KINDS if self.personal and boundary_class != "pii" else self.redact[boundary_class]
        return (*(kind for kind in kinds if kind != SECRET), SECRET)

    def expiry(self, scope: Scope | None) -> timedelta | None:
        """Return how long a memory of the scope lives; None is without end, as for one without a scope."""
        days = self.ttl_days[scope] if scope is not None else None
        return None if days is None else timedelta(days=days)

    def violated(self, scope: Scope | None, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the invariants that do not hold, or that cannot be decided."""
        broken = (
            invariant.name
            for invariant in self.invariants
            if ("*" in invariant.applies_to or scope in invariant.applies_to)
            and not invariants.holds(invariant.rule, facts)
        )
        return tuple(dict.fromkeys(broken))

    def _detected(self, kind: str) -> BoundaryClass:
        # A kind that no policy knows is judged as the worst.
        return self.detect.get(kind, BOUNDARY_CLASSES[-1])


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies of one owner by namespace: at a place the topmost one above it holds, tightened by those below."""

    by_namespace: Mapping[str, Policy]
    personal: bool = False
    _known: dict[tuple[str, ...], PlaceRules] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process folds the rules of each place for itself."""
        return Policies, (dict(self.by_namespace), self.personal)

    def at(self, namespace: str) -> PlaceRules:
        """Return the rules of a namespace; those of the default policy where none was applied at it or above."""
        chain = tuple(sorted((path for path in self.by_namespace if is_inside(namespace, path)), key=len))
        if chain not in self._known:
            # Only a namespace of the first level has nothing above it: further down the default is only tightened.
            above = [] if chain and "/" not in chain[0] else [document.default()]
            levels = [*above, *(self.by_namespace[path] for path in chain)]
            self._known[chain] = _folded(levels, personal=self.personal)
        return self._known[chain]

    def with_policy(self, namespace: str, policy: Policy) -> Policies:
        """Return these policies with another one in a namespace."""
        return Policies({**self.by_namespace, namespace: policy}, self.personal)


def visible_classes(allow: Sequence[str]) -> tuple[BoundaryClass, ...]:
    """Return the classes that the held tags open under the default policy."""
    return _WITHOUT_POLICY.at("").visible_classes(allow)


def _personal_values() -> dict[str, Any]:
    """Return the default values in a personal store: the owner sees personal data, and nothing of them is taken out."""
    values = dict(document.default_values())
    for name in BOUNDARY_CLASSES:
        key = f"boundary_classes.{name}.redact"
        values[key] = tuple(kind for kind in values[key] if kind == SECRET)
    values["boundary_classes.pii.allow"] = (*DEFAULT_ALLOW, *values["boundary_classes.pii.allow"])
    return values


def _folded(levels: Sequence[Policy], *, personal: bool) -> PlaceRules:
    usual = _personal_values() if personal else document.default_values()
    top = usual if levels[0] is document.default() else {**usual, **levels[0].values}
    below = [policy.values for policy in levels[1:]]

    def stated(key: str) -> list[Any]:
        """Return the values of a key that count: of the topmost level, and of those below that state it."""
        return [top[key], *(values[key] for values in below if key in values)]

    def by_class(part: str, joined: Callable[[list[Any]], _Value]) -> Mapping[BoundaryClass, _Value]:
        found = {name: joined(stated(f"boundary_classes.{name}.{part}")) for name in BOUNDARY_CLASSES}
        return MappingProxyType(found)

    denied = frozenset(name for name, is_denied in by_class("deny", any).items() if is_denied)
    detected = {kind: stated(f"detect.{kind}") for kind in FINDING_KINDS}
    return PlaceRules(
        version=" > ".join(policy.version for policy in levels),
        ttl_days={scope: _shortest(stated(f"scopes.{scope}.ttl_days")) for scope in get_args(Scope)},
        max_tokens={scope: min(stated(f"scopes.{scope}.max_tokens")) for scope in get_args(Scope)},
        allow=by_class("allow", tuple),
        redact=by_class("redact", _united),
        denied=denied,
        # A stricter class below does not undo that a finding of the class above is refused.
        denied_kinds=frozenset(kind for kind, classes in detected.items() if denied.intersection(classes)),
        # A policy further down may name who decides if none above it does.
        escalation=by_class("escalation", lambda names: next((name for name in names if name is not None), None)),
        detect=MappingProxyType({kind: reduce(strictest, classes) for kind, classes in detected.items()}),
        secrets="deny" if "deny" in stated("secrets") else "redact",
        invariants=tuple(invariant for policy in levels for invariant in policy.invariants),
        values=MappingProxyType({key: value for values in (top, *below) for key, value in values.items()}),
        keep_expired_days=_shortest(stated("keep_expired_days")),
        personal=personal,
    )


def _shortest(days: Sequence[float | None]) -> float | None:
    """Return the shortest of some times; None is without end."""
    return min((number for number in days if number is not None), default=None)


def _united(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(kind for kind in FINDING_KINDS if any(kind in kinds for kinds in lists))


def _opens(patterns: Sequence[str], tags: Sequence[str]) -> bool:
    """Return true if a held tag matches a pattern; `*` is for everyone, also for an access that holds no tag."""
    beginnings = tuple(pattern[:-1] for pattern in patterns if pattern.endswith("*"))
    return "*" in patterns or any(tag in patterns or tag.startswith(beginnings) for tag in tags)


_WITHOUT_POLICY: Final = Policies({})
