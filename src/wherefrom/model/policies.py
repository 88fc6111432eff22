"""The answers of the verbs of policy and privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from wherefrom.model.graph import BoundaryClass, PrivacyMode
from wherefrom.model.param import Param

CalibrationMethod = Literal["isotonic", "platt", "quantile"]


@dataclass(frozen=True, slots=True)
class BoundaryCheck:
    """The policy's verdict on a text: whether it may be kept, as which class, and what was taken out of it."""

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
    """A memory's privacy mode and when it was chosen. personal: personal data are kept for the owner, others see texts
    without them; shared: they are taken out.
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
    """The outcome of applying a policy, or of a dry run: `reclassify` counts the nodes that it would change."""

    namespace: str
    version: str
    previous_version: str | None
    status: Literal["applied", "unchanged", "valid", "dry_run"]
    reclassify: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reclassified:
    """The changes that a policy made to older rows: how many were read, and the ids of those that changed.

    merged: nodes retired because another had the same text once both were redacted. violating: nodes that break an
    invariant; they stay, and are not recalled.
    """

    checked: int
    raised: tuple[str, ...]
    redacted: tuple[str, ...]
    merged: tuple[str, ...]
    denied: tuple[str, ...]
    violating: tuple[str, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class RelevanceReport:
    """How well relevance tells questions that the memory has something about from foreign ones, on questions that the
    fit has not seen: the area under the curve (1 is perfect, 0.5 a guess) and the log loss, before and after.

    is_adopted: True if the new weights are better there; else the former ones stay.
    """

    questions: int
    foreign: int
    auc_before: float
    auc_after: float
    loss_before: float
    loss_after: float
    is_adopted: bool


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A calibration: the number of candidates it was fitted on, and how well scores fit before and after.

    error: the mean distance between a score and the share of relevant candidates at that score (ECE).
    """

    version: str
    method: str
    candidates: int
    relevant: int
    error_before: Mapping[str, float]
    error_after: Mapping[str, float]
    curves: Mapping[str, tuple[tuple[float, float, int], ...]]
    relevance: RelevanceReport | None = None
