"""Upkeep as values: the runs in which insight and metabolism look after a memory, and what waits for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from wherefrom.model.param import Param

UpkeepMode = Literal["off", "propose", "apply"]
UpkeepState = Literal["proposed", "applying", "applied", "undone"]


@dataclass(frozen=True, slots=True)
class UpkeepRun:
    """One run: what it found, and what was done of it."""

    id: Annotated[str, Param("Pass it as undo_run_id to take back all that the run did.")]
    state: Annotated[UpkeepState, Param("proposed: nothing was changed yet, it waits.")]
    started_at: str
    ended_at: Annotated[str | None, Param("When it last looked, or was applied.")] = None
    undone_at: str | None = None
    judged: Annotated[int, Param("How many new memos insight judged.")] = 0
    relations: Annotated[int, Param("How many relations are worth making; once applied, how many were made.")] = 0
    removals: Annotated[
        int, Param("How many nodes and relations metabolism could let go; once applied, how many went.")
    ] = 0
    plan_ids: Annotated[tuple[str, ...], Param("Insight's plans.")] = ()
    plan_relations: Annotated[
        tuple[int, ...], Param("How many relations of each of them wait; once applied, were made.")
    ] = ()
    metabolism_ids: Annotated[tuple[str, ...], Param("Metabolism's runs.")] = ()
    note: Annotated[str | None, Param("What was not done, and why.")] = None


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How upkeep stands: what it may do by itself, what waits, and its last runs."""

    root_namespace: str
    mode: Annotated[UpkeepMode, Param("What it does by itself; a policy says so.")]
    taken_back: Annotated[
        bool, Param("True: a run was undone, so that it only proposes until one is applied by hand.")
    ] = False
    may_apply: Annotated[bool, Param("Whether you may have it done.")] = True
    waiting: Annotated[str | None, Param("What waits to be applied; null: nothing.")] = None
    runs: Annotated[tuple[UpkeepRun, ...], Param("The newest first.")] = ()


def waiting_words(relations: int, removals: int) -> str | None:
    """Say in one line what waits; None if nothing does."""
    counted = change_words(relations, removals)
    return f"{counted} {'waits' if relations + removals == 1 else 'wait'}" if counted else None


def change_words(relations: int, removals: int) -> str:
    """Count relations and removals in words, without those that there are none of."""
    counts = ((relations, "relation"), (removals, "removal"))
    return " and ".join(f"{number:,} {word}{'' if number == 1 else 's'}" for number, word in counts if number)
