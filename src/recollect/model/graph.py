"""The two things the store keeps: nodes and the edges between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

NodeKind = Literal["memo", "claim", "fragment", "page", "entity"]
ClaimKind = Literal["fact", "preference", "task", "policy_hint"]
Scope = Literal["session", "project", "principle"]
BoundaryClass = Literal["public", "internal", "pii", "secret"]

# From the least to the most restricted.
BOUNDARY_CLASSES: Final[tuple[BoundaryClass, ...]] = ("public", "internal", "pii", "secret")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A memo, claim, fragment, page or entity of one owner. Times are UTC, ISO-8601."""

    id: str
    namespace: str
    kind: NodeKind = "memo"
    title: str | None = None
    content: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    content_hash: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    claim_kind: ClaimKind | None = None
    scope: Scope | None = None
    boundary_class: BoundaryClass = "internal"
    utility: float = 0.0
    confidence: float = 0.5
    quality: float = 0.5
    pinned: bool = False
    observed_at: str
    recency_anchor: str
    expires_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    superseded_by: str | None = None
    created_at: str
    updated_at: str
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A directed, weighted, reasoned link; unique by (source, target, tag)."""

    source_id: str
    target_id: str
    tag: str
    weight: float
    confidence: float = 1.0
    reason: str | None = None
    source_namespace: str
    target_namespace: str
    boundary_class: BoundaryClass = "internal"
    observed_at: str
    created_at: str
    updated_at: str
    version: int = 1


def strictest(first: BoundaryClass, second: BoundaryClass) -> BoundaryClass:
    """The more restricted of two boundary classes: what an edge between them carries."""
    return max(first, second, key=BOUNDARY_CLASSES.index)
