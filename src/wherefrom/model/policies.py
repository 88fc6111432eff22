"""What the verbs of policy and privacy answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from wherefrom.model.graph import BoundaryClass, PrivacyMode
from wherefrom.model.param import Param

CalibrationMethod = Literal["isotonic", "platt", "quantile"]


@dataclass(frozen=True, slots=True)
class Guarded:
    """What the policy says about a text: what may be kept of it, as which class, and what was taken out."""

    allowed: bool
    reason: str
    boundary_class: BoundaryClass
    text: Annotated[str | None, Param("The text as it would be kept; null if it would not.", name="redacted")]
    redacted: Annotated[Mapping[str, int], Param("What was taken out, by kind.", name="findings")] = field(
        default_factory=dict
    )
    policy_version: str = ""
    escalation: str | None = None


@dataclass(frozen=True, slots=True)
class Privacy:
    """Whether a memory keeps personal data (personal: its owner sees them, others see the texts without them) or takes
    them out (shared), and since when.
    """

    mode: PrivacyMode
    chosen_at: str


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A policy that a namespace has or had."""

    namespace: str
    version: str
    yaml: str
    approver: str | None
    applied_at: str


@dataclass(frozen=True, slots=True)
class PolicyApplied:
    """What applying a policy did, or with a dry run would do: `reclassify` counts what it would change."""

    namespace: str
    version: str
    previous_version: str | None
    status: Literal["applied", "unchanged", "valid", "dry_run"]
    reclassify: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reclassified:
    """What a policy made of the rows that were there before it: how many were read, and by id what changed.

    merged: retired, because another node had the same text when both were redacted. violating: breaks an invariant
    and stays, but is not recalled.
    """

    checked: int
    raised: tuple[str, ...]
    redacted: tuple[str, ...]
    merged: tuple[str, ...]
    denied: tuple[str, ...]
    violating: tuple[str, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Fitted:
    """A calibration: how many candidates it was fitted on, and how well scores fit before and after.

    error: the mean distance between a score and the share of relevant candidates at that score (ECE).
    """

    version: str
    method: str
    candidates: int
    relevant: int
    error_before: Mapping[str, float]
    error_after: Mapping[str, float]
    curves: Mapping[str, tuple[tuple[float, float, int], ...]]
