"""The JSON answers of metabolism: what may go and why, what came back, what was reinforced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import Field

from wherefrom.interfaces.answers import Answer, Relation
from wherefrom.interfaces.explore_answers import DATA
from wherefrom.model.graph import NodeRef
from wherefrom.model.metabolism import (
    WHY_SPARED,
    LinkRule,
    MetabolismPlan,
    Reinforced,
    RemovalRule,
    Restored,
    RunState,
    SparedRule,
    TagConflict,
    ThinLink,
    Weak,
)

_DIGITS: Final = 4
# Enough of a title to recognise it.
_TITLE_CHARACTERS: Final = 80
_WHY_CHARACTERS: Final = 200
# Of relations that exclude each other, the thickest.
_RELATIONS: Final = 10
_TRUNCATED: Final = "Entries were left out to fit; the counts are complete."


class JudgedNode(Answer):
    """A weak node."""

    node_id: str
    namespace: str
    kind: str
    title: str | None

    @classmethod
    def of(cls, ref: NodeRef) -> JudgedNode:
        return cls(node_id=ref.id, namespace=ref.namespace, kind=ref.kind, title=_cut(ref.title, _TITLE_CHARACTERS))


class WeakNode(JudgedNode):
    """A node whose relations are all thin, or that has none, and what becomes of it."""

    removed: bool = Field(description="It may go, or went; else it stays.")
    rule: RemovalRule | SparedRule
    links: int = Field(description="How many relations it has.")
    thickness: float | None = Field(description="Of its thickest relation; null without any.")
    difficulty: float | None = Field(description="1 − similarity to its neighbour; null if none was compared.")
    neighbour: JudgedNode | None = Field(description="What is nearest and stays.")
    detail: str | None = Field(description="In what the two differ.")

    @classmethod
    def of_weak(cls, weak: Weak) -> WeakNode:
        return cls(
            **JudgedNode.of(weak.node).model_dump(),
            removed=weak.removed,
            rule=weak.rule,
            links=weak.links,
            thickness=_rounded(weak.thickness),
            difficulty=_rounded(weak.difficulty),
            neighbour=None if weak.neighbour is None else JudgedNode.of(weak.neighbour),
            detail=_cut(weak.detail, _WHY_CHARACTERS),
        )


class SparedCount(Answer):
    """How many stay by one rule."""

    rule: SparedRule
    why: str
    count: int


class ThinRelation(Answer):
    """A relation that goes by itself."""

    source_memo_id: str
    target_memo_id: str
    tag: str
    thickness: float
    rule: LinkRule

    @classmethod
    def of(cls, link: ThinLink) -> ThinRelation:
        return cls(
            source_memo_id=link.source_id,
            target_memo_id=link.target_id,
            tag=link.tag,
            thickness=round(link.thickness, _DIGITS),
            rule=link.rule,
        )


class ConflictAnswer(Answer):
    """Relations of one source that exclude each other."""

    source_memo_id: str
    tag: str
    relations: int = Field(description="How many there are.")
    target_memo_ids: list[str] = Field(description=f"Of the {_RELATIONS} thickest, the thickest first.")
    kept_memo_id: str | None = Field(description="The target that stays; null if undecided: then all stay.")
    why: str

    @classmethod
    def of(cls, conflict: TagConflict) -> ConflictAnswer:
        return cls(
            source_memo_id=conflict.source_id,
            tag=conflict.tag,
            relations=len(conflict.links),
            target_memo_ids=[link.target_id for link in conflict.links[:_RELATIONS]],
            kept_memo_id=None if conflict.kept is None else conflict.kept.target_id,
            why=_cut(conflict.why, _WHY_CHARACTERS) or "",
        )


class NamespaceSettings(Answer):
    """By which numbers a namespace was judged."""

    namespace: str
    half_life_days: float
    prune_threshold: float
    protection_hours: float
    mdl_neighbours: int
    mdl_benefit: float
    orphans: str

    @classmethod
    def of(cls, namespace: str, settings: Mapping[str, Any]) -> NamespaceSettings:
        return cls(namespace=namespace, **{name: settings[name] for name in cls.model_fields if name != "namespace"})


class MetabolismAnswer(Answer):
    """What may go from a namespace and those below it and what is spared; once applied, what went."""

    root_namespace: str
    state: RunState = Field(description="planned: nothing was changed.")
    run_id: str | None = Field(description="Pass it to restore to bring back all that this run let go.")
    nodes: int = Field(description="How many were examined.")
    links: int = Field(description="How many relations were examined.")
    nodes_to_go: int = Field(description="How many nodes the plan lets go, listed here or not.")
    links_to_go: int = Field(description="How many relations go by themselves, besides those of the nodes.")
    nodes_removed: int = Field(description="Once applied: how many nodes went.")
    links_removed: int = Field(description="Once applied: how many relations went, with nodes or by themselves.")
    skipped: int = Field(description="Once applied: how many stayed after all, since they were changed meanwhile.")
    purged: int = Field(description="Receipts whose time was over, and that were deleted for good.")
    resumed: bool = Field(description="It completed a run that was stopped.")
    weakest: list[WeakNode] = Field(description="The weakest nodes, whatever becomes of them.")
    removed: list[WeakNode] = Field(description="Nodes that go.")
    spared: list[SparedCount] = Field(description="What stays though it is weak or thin, counted by rule.")
    examples: list[WeakNode] = Field(description="Some of what is spared.")
    thinnest: list[ThinRelation] = Field(description="Some of the relations that go by themselves.")
    conflicts: list[ConflictAnswer] = Field(description="Some relations that exclude each other, undecided first.")
    undecided: int = Field(description="How many conflicts are undecided: delete the wrong relation, or leave it.")
    settings: list[NamespaceSettings]
    degraded: list[str] = Field(description="Why the answer may lack something; empty if it does not.")
    truncated: bool = Field(default=False, description=_TRUNCATED)
    data_note: str = DATA

    @classmethod
    def of(cls, plan: MetabolismPlan) -> MetabolismAnswer:
        same = (
            "root_namespace", "state", "run_id", "nodes", "links", "nodes_removed", "links_removed", "skipped",
            "purged", "resumed", "undecided",
        )  # fmt: skip
        return cls(
            **{name: getattr(plan, name) for name in same},
            nodes_to_go=len(plan.removed),
            links_to_go=plan.pruned,
            weakest=[WeakNode.of_weak(weak) for weak in plan.weakest],
            removed=[WeakNode.of_weak(weak) for weak in plan.removed],
            spared=[SparedCount(rule=rule, why=WHY_SPARED[rule], count=n) for rule, n in plan.spared.items()],
            examples=[WeakNode.of_weak(weak) for weak in plan.examples],
            thinnest=[ThinRelation.of(link) for link in plan.thinnest],
            conflicts=[ConflictAnswer.of(conflict) for conflict in plan.conflicts],
            settings=[NamespaceSettings.of(name, plan.settings[name]) for name in sorted(plan.settings)],
            degraded=list(plan.degraded),
        )

    @property
    def parts(self) -> int:
        """How many entries could be left out."""
        return sum(len(entries) for entries in self._lists().values())

    def shortened(self, parts: int) -> MetabolismAnswer:
        """So many of its entries; the longest lists are cut first."""
        return self.model_copy(update=_cut_evenly(self._lists(), parts))

    def _lists(self) -> dict[str, Sequence[Any]]:
        names = ("weakest", "removed", "examples", "thinnest", "conflicts", "settings")
        return {name: getattr(self, name) for name in names}


class NotRestored(Answer):
    """What could not come back."""

    id: str
    why: str


class RestoredAnswer(Answer):
    """What came back."""

    root_namespace: str
    nodes: int = Field(description="How many nodes came back, listed here or not.")
    links: int = Field(description="How many relations came back.")
    node_ids: list[str]
    not_restored: int = Field(description="How many could not come back, listed here or not.")
    skipped: list[NotRestored] = Field(description="What could not come back, and why.")
    truncated: bool = Field(default=False, description=_TRUNCATED)

    @classmethod
    def of(cls, restored: Restored) -> RestoredAnswer:
        skipped = restored.skipped.items()
        return cls(
            root_namespace=restored.root_namespace,
            nodes=len(restored.node_ids),
            links=restored.links,
            node_ids=list(restored.node_ids),
            not_restored=len(restored.skipped),
            skipped=[NotRestored(id=name, why=_cut(why, _WHY_CHARACTERS) or "") for name, why in skipped],
        )

    @property
    def parts(self) -> int:
        """How many entries could be left out."""
        return len(self.node_ids) + len(self.skipped)

    def shortened(self, parts: int) -> RestoredAnswer:
        """So many of its entries; the longer list is cut first."""
        return self.model_copy(update=_cut_evenly({"node_ids": self.node_ids, "skipped": self.skipped}, parts))


class Strength(Answer):
    """What a relation is worth."""

    weight: float
    confidence: float


class ReinforcedAnswer(Answer):
    """A relation that was strengthened or weakened."""

    root_namespace: str
    relation: Relation
    confidence: float = Field(description="How sure the relation is now.")
    before: Strength

    @classmethod
    def of(cls, reinforced: Reinforced, root: str) -> ReinforcedAnswer:
        edge, before = reinforced.edge, reinforced.before
        return cls(
            root_namespace=root,
            relation=Relation.of(edge),
            confidence=_rounded(edge.confidence),
            before=Strength(weight=_rounded(before.weight), confidence=_rounded(before.confidence)),
        )


def _cut_evenly(lists: Mapping[str, Sequence[Any]], parts: int) -> dict[str, Sequence[Any]]:
    """The lists with so many entries together, none longer than it must be while others still lack some."""
    left, most = parts, 0
    for position, size in enumerate(sorted(map(len, lists.values()))):
        most = left // (len(lists) - position)
        if size > most:
            break
        left -= size
        most = size
    return {name: entries[:most] for name, entries in lists.items()}


def _rounded(value: Any) -> Any:
    # Adding zero makes of −0.0 a 0.0.
    return round(value, _DIGITS) + 0.0 if isinstance(value, float) else value


def _cut(text: str | None, characters: int) -> str | None:
    return text if text is None or len(text) <= characters else text[: characters - 1] + "…"
