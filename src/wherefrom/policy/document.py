"""A policy as a value: how long scopes live, who sees which class, what must hold, how the rest is tuned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeVar

from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import BoundaryClass, Scope
from wherefrom.policy.linking import Linking
from wherefrom.policy.metabolism import Metabolism
from wherefrom.policy.retrieval import Calibration, Retrieval

# What a scan of a text can find, and so what a policy can redact and detect.
FINDING_KINDS: Final = ("email", "phone", "card", "national_id", "secret")

# What becomes of a text in which a secret is found: it is kept without the secret, or refused.
SecretRule = Literal["redact", "deny"]

Parameters = TypeVar("Parameters", Retrieval, Linking)


@dataclass(frozen=True, slots=True)
class ScopeRule:
    """How many days a memory of the scope lives (None: without end), and the tokens of a context."""

    ttl_days: float | None
    max_tokens: int


@dataclass(frozen=True, slots=True)
class ClassRule:
    """Which tags open a boundary class, what is redacted in it, and who decides about it."""

    allow: tuple[str, ...]
    redact: tuple[str, ...]
    deny: bool = False
    escalation: str | None = None


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule in CEL that must hold for what is saved in these scopes; ("*",) is everything."""

    name: str
    applies_to: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Policy:
    """One document, with the default policy's values where it says nothing.

    retrieval, insight: only what was given, by section and key, with a preset written out; metabolism: by key.
    stated: which keys the document gave itself, such as `scopes.session.ttl_days`. Below another policy only
    these count: a silent document must not pull what stands above it back to the default.
    """

    version: str
    scopes: Mapping[Scope, ScopeRule]
    classes: Mapping[BoundaryClass, ClassRule]
    detect: Mapping[str, BoundaryClass]
    secrets: SecretRule
    invariants: tuple[Invariant, ...]
    retrieval: Mapping[str, Any]
    insight: Mapping[str, Any]
    metabolism: Mapping[str, Any]
    calibration: Calibration | None
    stated: frozenset[str]


def parse(text: str) -> Policy:
    """The policy in a YAML text; every fault is refused with its line."""
    if not isinstance(text, str):
        raise InvalidInput(f"a policy must be YAML text, not {type(text).__name__}")
    return _parsed(text)


@cache
def default() -> Policy:
    """The packaged policy, which holds where none was applied."""
    from wherefrom.policy import reading

    return reading.read(default_text())


@cache
def default_text() -> str:
    """The packaged policy as text."""
    return files("wherefrom.policy").joinpath("default.yaml").read_text(encoding="utf-8")


def dump_with(text: str, *, calibration: Mapping[str, Any] | None, version: str) -> str:
    """The policy's text with another version and calibration (None takes it out). Comments are lost."""
    parse(text)
    from wherefrom.policy import reading

    changed = reading.rewritten(text, calibration=calibration, version=version)
    parse(changed)
    return changed


def retrieval(*layers: Mapping[str, Any], calibration: Calibration | None = None) -> Retrieval:
    """The parameters of recall: the defaults with each layer's keys laid over them, the last one on top.

    A layer is what `Policy.retrieval` holds. Tables such as half_life_days are merged by key.
    """
    return _laid(Retrieval(calibration=calibration), layers)


def linking(*layers: Mapping[str, Any]) -> Linking:
    """The parameters of insight, laid over each other likewise; a layer is what `Policy.insight` holds.

    Each layer goes together by itself, and two of them may not: then L3 makes no candidates that it may not make,
    what is proposed is a candidate first, and a full window has warmed up.
    """
    built = _laid(Linking(), layers)
    candidates, expansion, gates = built.candidates, built.cand_expansion, built.gates
    return replace(
        built,
        candidates=replace(candidates, theta_link=max(candidates.theta_link, candidates.theta_cand)),
        cand_expansion=expansion if candidates.allow_autocand else replace(expansion, mode="l1"),
        gates=replace(gates, warm_up=min(gates.warm_up, gates.window)),
    )


def metabolism(*layers: Mapping[str, Any]) -> Metabolism:
    """The parameters of metabolism, laid over each other likewise; a layer is what `Policy.metabolism` holds.

    Lists of exclusive tags are not merged: the last one holds.
    """
    built = Metabolism()
    for layer in layers:
        built = replace(built, **layer)
    return built


def _laid(built: Parameters, layers: Sequence[Mapping[str, Any]]) -> Parameters:
    for layer in layers:
        for section, values in layer.items():
            current = getattr(built, section)
            merged = {
                key: {**getattr(current, key), **value} if isinstance(value, Mapping) else value
                for key, value in values.items()
            }
            built = replace(built, **{section: replace(current, **merged)})
    return built


# A text is at most 128 KB, and few policies are in use at a time.
@lru_cache(maxsize=128)
def _parsed(text: str) -> Policy:
    from wherefrom.policy import reading

    return reading.read(text, base=default())
