"""Stored plans of insight and metabolism, as they are listed and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from wherefrom.model.param import Param

PlanKind = Literal["insight", "metabolism"]
StoredState = Literal["proposed", "applied", "undone", "running", "stopped"]


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """A plan, or a run of metabolism of which no plan is stored; then its id is that of the run."""

    id: str
    kind: PlanKind
    state: StoredState
    created_at: str
    namespace: str
    decided_at: Annotated[str | None, Param("When it was applied or undone last.")] = None
    run_id: Annotated[str | None, Param("The run that applied it.")] = None
    nodes: Annotated[int, Param("How many nodes it lets go.")] = 0
    links: Annotated[int, Param("How many relations it makes, or lets go by themselves.", name="relations")] = 0
    made: Annotated[int, Param("How many relations it has made.")] = 0


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """A node that goes, or a relation that is made or goes, by one of two plans or by both with other figures.

    ids: of the node, or of the ends of the relation; empty if that is not here any more. first, second: the figures in
    each plan, None where the plan does not have it.
    """

    what: Literal["node", "relation"]
    ids: tuple[str, ...]
    name: str
    first: Mapping[str, str | float | None] | None
    second: Mapping[str, str | float | None] | None = None


@dataclass(frozen=True, slots=True)
class Plans:
    """Stored plans, the newest first; or those that were asked for, and what is in them, or differs between them."""

    root_namespace: str
    items: tuple[PlanSummary, ...]
    entries: tuple[PlanEntry, ...] = ()
    same: Annotated[int, Param("How much both plans have with the same figures.")] = 0
    truncated: Annotated[bool, Param("There are more than are listed.")] = False
