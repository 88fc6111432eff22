"""Forgetting as values: the plan of what is to be forgotten, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from wherefrom.model.graph import NodeRef
from wherefrom.model.param import Param

ForgetState = Literal["planned", "changed", "forgotten", "erased"]


@dataclass(frozen=True, slots=True)
class ForgottenNode:
    """A node that is to be forgotten, or was: its title or the beginning of its text, and where it comes from.

    version: as the plan shows it; 0 for a node that was let go before and is only in a receipt.
    """

    node: NodeRef
    date: Annotated[str, Param("When it was observed.")]
    source: Annotated[str | None, Param("Title, site or file of what it was read in.")] = None
    relevance: Annotated[float | None, Param("How well it fits the query, 0 to 1; null without one.")] = None
    version: int = 1


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What is to be forgotten of a namespace and those below it; once it is applied, what was.

    left: what the erasure did not reach, and who can do something about it. truncated: more fit than one plan holds.
    """

    root_namespace: str
    plan: Annotated[str, Param("Pass it back with apply, so that exactly these are forgotten.")]
    state: Annotated[
        ForgetState,
        Param("planned: nothing was changed. changed: nothing either, for other nodes fit by now than the plan had."),
    ] = "planned"
    for_good: Annotated[bool, Param("No receipts are kept: nothing brings it back.")] = False
    nodes: Annotated[tuple[ForgottenNode, ...], Param("What goes, or went.")] = ()
    links: Annotated[int, Param("How many relations go with them.", name="relations")] = 0
    versions: Annotated[int, Param("How many former versions of them are kept.")] = 0
    truncated: bool = False
    run_id: Annotated[str | None, Param("Pass it to restore to bring all of it back.")] = None
    restorable_until: str | None = None
    note: str | None = None
    left: Annotated[tuple[str, ...], Param("What the erasure does not reach, and what to do about it.")] = ()

    @property
    def ok(self) -> bool:
        """False if something else was to be forgotten than now fits."""
        return self.state != "changed"
