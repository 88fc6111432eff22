"""What the policies of an owner say at a place: who sees a class, what is redacted or denied, what must hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache, reduce
from types import MappingProxyType
from typing import Any, Final, TypeVar

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import BOUNDARY_CLASSES, BoundaryClass, Scope, strictest
from wherefrom.model.namespaces import is_inside
from wherefrom.policy import document, invariants
from wherefrom.policy.document import FINDING_KINDS, ClassRule, Invariant, Policy, ScopeRule, SecretRule
from wherefrom.policy.linking import Linking
from wherefrom.policy.metabolism import Metabolism
from wherefrom.policy.retrieval import Retrieval

DEFAULT_ALLOW: Final = ("answer:task",)
SECRET: Final = "secret"  # noqa: S105  # the name of a kind of finding

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a text: its class, the kinds of findings to redact, or that it may not be stored or shown."""

    boundary_class: BoundaryClass
    redact: tuple[str, ...]
    denied: bool
    reason: str
    escalation: str | None


@dataclass(frozen=True, slots=True)
class Effective:
    """What holds at a place: the topmost policy, tightened by each one below it.

    allow: for each class, what each level allows; every level has to. version: those of the levels, from the top.
    """

    version: str
    scopes: Mapping[Scope, ScopeRule]
    allow: Mapping[BoundaryClass, tuple[tuple[str, ...], ...]]
    redact: Mapping[BoundaryClass, tuple[str, ...]]
    denied: frozenset[BoundaryClass]
    escalation: Mapping[BoundaryClass, str | None]
    detect: Mapping[str, BoundaryClass]
    secrets: SecretRule
    invariants: tuple[Invariant, ...]
    retrieval: Retrieval
    linking: Linking
    metabolism: Metabolism
    personal: bool = False

    def visible_classes(self, allow: Sequence[str]) -> tuple[BoundaryClass, ...]:
        """The classes that the held tags open. One that stays closed closes all the stricter ones."""
        tags = _checked_tags(allow)
        visible: list[BoundaryClass] = []
        for name in BOUNDARY_CLASSES:
            if name in self.denied or not all(_opens(level, tags) for level in self.allow[name]):
                break
            visible.append(name)
        return tuple(visible)

    def judge(self, boundary_class: BoundaryClass, found: Collection[str]) -> Verdict:
        """What becomes of a text of this class with findings of these kinds: deny before redact before allow.

        What is found and not redacted raises the class, whose own list then decides what is redacted.
        """
        kinds = [kind for kind in FINDING_KINDS if kind in found]
        kinds += sorted(set(found) - set(FINDING_KINDS))
        denied = [kind for kind in kinds if self._detected(kind) in self.denied]
        judged = boundary_class
        for kind in denied:
            judged = strictest(judged, self._detected(kind))
        if denied or judged in self.denied:
            reason = f"found: {', '.join(denied)}" if denied else f"class {judged} is denied"
            return Verdict(judged, (), denied=True, reason=reason, escalation=self.escalation[judged])
        while True:
            redact = tuple(kind for kind in kinds if kind in self.redact[judged])
            raised = judged
            for kind in kinds:
                raised = raised if kind in redact else strictest(raised, self._detected(kind))
            if raised == judged:
                break
            judged = raised
        reason = _reason(boundary_class, judged, redact)
        return Verdict(judged, redact, denied=False, reason=reason, escalation=self.escalation[judged])

    def admit(self, boundary_class: BoundaryClass, found: Collection[str]) -> Verdict:
        """What becomes of a text that is saved: a secret is taken out before the rest is judged, unless the policy
        denies the whole text for it.
        """
        if SECRET not in found or self.secrets == "deny":
            return self.judge(boundary_class, found)
        verdict = self.judge(boundary_class, [kind for kind in found if kind != SECRET])
        if verdict.denied:
            return verdict
        redact = (*verdict.redact, SECRET)
        return replace(verdict, redact=redact, reason=_reason(boundary_class, verdict.boundary_class, redact))

    def redacted_in(self, boundary_class: BoundaryClass) -> tuple[str, ...]:
        """The kinds of findings that are redacted in texts of a class."""
        return self.redact[boundary_class]

    def redacted_without_class(self, boundary_class: BoundaryClass) -> tuple[str, ...]:
        """The kinds of findings that are taken out of texts without a class of their own, such as questions and reasons
        of links: secrets, and what this class redacts; in a personal store all kinds, unless the class is pii.
        """
        kinds = self.redacted_in(boundary_class)
        if self.personal and boundary_class != "pii":
            kinds = FINDING_KINDS
        return (*(kind for kind in kinds if kind != SECRET), SECRET)

    def expiry(self, scope: Scope | None) -> timedelta | None:
        """How long a memory of the scope lives; None is without end, as for memories without a scope."""
        days = self.scopes[scope].ttl_days if scope is not None else None
        return None if days is None else timedelta(days=days)

    def max_tokens(self, scope: Scope) -> int:
        """How many tokens a context of the scope may hold."""
        return self.scopes[scope].max_tokens

    def violated(self, scope: Scope | None, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """The names of the invariants that do not hold, or of which that cannot be decided."""
        broken = (
            invariant.name
            for invariant in self.invariants
            if ("*" in invariant.applies_to or scope in invariant.applies_to)
            and not invariants.holds(invariant.rule, facts)
        )
        return tuple(dict.fromkeys(broken))

    def _detected(self, kind: str) -> BoundaryClass:
        # A kind that the policy does not know is judged as the worst.
        return self.detect.get(kind, BOUNDARY_CLASSES[-1])


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies of one owner by namespace: at a place the topmost one above it holds, tightened by those below."""

    by_namespace: Mapping[str, Policy]
    personal: bool = False
    _known: dict[tuple[str, ...], Effective] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at(self, namespace: str) -> Effective:
        """What holds in a namespace; the default policy where none was applied at it or above."""
        chain = tuple(sorted((path for path in self.by_namespace if is_inside(namespace, path)), key=len))
        if chain not in self._known:
            # Only a namespace of the first level has nothing above it: further down the default is only tightened.
            above = [] if chain and "/" not in chain[0] else [document.default()]
            levels = [*above, *(self.by_namespace[path] for path in chain)]
            if self.personal:
                levels[0] = _personal(levels[0])
            self._known[chain] = replace(_folded(levels), personal=self.personal)
        return self._known[chain]

    def with_policy(self, namespace: str, policy: Policy) -> Policies:
        """The same policies with another one in a namespace."""
        return Policies({**self.by_namespace, namespace: policy}, self.personal)


def visible_classes(allow: Sequence[str]) -> tuple[BoundaryClass, ...]:
    """The classes that the held tags open under the default policy."""
    return _default().visible_classes(allow)


@cache
def _default() -> Effective:
    return Policies({}).at("")


def _personal(policy: Policy) -> Policy:
    """A policy at the top of a personal store: where it says nothing itself, the owner sees personal data, and nothing
    of them is taken out.
    """
    stated = frozenset[str]() if policy is document.default() else policy.stated
    classes = dict(policy.classes)
    for name, rule in policy.classes.items():
        if f"boundary_classes.{name}.redact" not in stated:
            classes[name] = replace(classes[name], redact=tuple(kind for kind in rule.redact if kind == SECRET))
        if name == "pii" and f"boundary_classes.{name}.allow" not in stated:
            classes[name] = replace(classes[name], allow=(*DEFAULT_ALLOW, *rule.allow))
    return replace(policy, classes=MappingProxyType(classes))


def _folded(chain: Sequence[Policy]) -> Effective:
    layers = [document.default(), *chain]
    calibrations = [policy.calibration for policy in chain if policy.calibration is not None]
    return Effective(
        version=" > ".join(policy.version for policy in chain),
        scopes=MappingProxyType({scope: _scope_rule(chain, scope) for scope in chain[0].scopes}),
        allow=_by_class(lambda name: tuple(rule.allow for rule in _rules(chain, name, "allow"))),
        redact=_by_class(lambda name: _united([rule.redact for rule in _rules(chain, name, "redact")])),
        denied=frozenset(name for name in BOUNDARY_CLASSES if any(rule.deny for rule in _rules(chain, name, "deny"))),
        escalation=_by_class(lambda name: _first([rule.escalation for rule in _rules(chain, name, "escalation")])),
        detect=MappingProxyType({kind: _detected_class(chain, kind) for kind in FINDING_KINDS}),
        secrets="deny" if any(policy.secrets == "deny" for policy in _stating(chain, "secrets")) else "redact",
        invariants=tuple(invariant for policy in chain for invariant in policy.invariants),
        retrieval=document.retrieval(
            *(policy.retrieval for policy in layers), calibration=calibrations[-1] if calibrations else None
        ),
        linking=document.linking(*(policy.insight for policy in layers)),
        metabolism=document.metabolism(*(policy.metabolism for policy in layers)),
    )


def _stating(chain: Sequence[Policy], key: str) -> list[Policy]:
    """The levels that have a say about a key: the topmost, and those below that state it themselves."""
    return [chain[0], *(policy for policy in chain[1:] if key in policy.stated)]


def _rules(chain: Sequence[Policy], name: BoundaryClass, part: str) -> list[ClassRule]:
    return [policy.classes[name] for policy in _stating(chain, f"boundary_classes.{name}.{part}")]


def _scope_rule(chain: Sequence[Policy], scope: Scope) -> ScopeRule:
    ttls = [policy.scopes[scope].ttl_days for policy in _stating(chain, f"scopes.{scope}.ttl_days")]
    sizes = [policy.scopes[scope].max_tokens for policy in _stating(chain, f"scopes.{scope}.max_tokens")]
    return ScopeRule(ttl_days=min((days for days in ttls if days is not None), default=None), max_tokens=min(sizes))


def _detected_class(chain: Sequence[Policy], kind: str) -> BoundaryClass:
    return reduce(strictest, (policy.detect[kind] for policy in _stating(chain, f"detect.{kind}")))


def _by_class(value: Callable[[BoundaryClass], Value]) -> Mapping[BoundaryClass, Value]:
    return MappingProxyType({name: value(name) for name in BOUNDARY_CLASSES})


def _united(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(kind for kind in FINDING_KINDS if any(kind in kinds for kinds in lists))


def _first(names: Sequence[str | None]) -> str | None:
    """What the upper level says: one below may add who decides, and not replace it."""
    return next((name for name in names if name is not None), None)


def _reason(given: BoundaryClass, judged: BoundaryClass, redact: Sequence[str]) -> str:
    parts = [f"redacted: {', '.join(redact)}"] if redact else []
    parts += [f"raised from {given} to {judged}"] if judged != given else []
    return "; ".join(parts) or "allowed"


def _checked_tags(allow: Sequence[str]) -> Sequence[str]:
    if (
        isinstance(allow, str)
        or not isinstance(allow, Sequence)
        or not all(isinstance(tag, str) and tag for tag in allow)
    ):
        raise InvalidInput(f"allow {shown(allow)} must be a list of tags", hint="for example ['answer:task']")
    return allow


def _opens(patterns: Sequence[str], tags: Sequence[str]) -> bool:
    """True if a held tag matches a pattern; `*` is for everyone, also for an access that holds no tag."""
    return "*" in patterns or any(_matches(pattern, tag) for pattern in patterns for tag in tags)


def _matches(pattern: str, tag: str) -> bool:
    return tag.startswith(pattern[:-1]) if pattern.endswith("*") else tag == pattern
