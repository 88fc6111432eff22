"""The answers of tools and `--json`: each declares its keys, where a verb's result has them, and what they are.

An answer is made of a result by `Answer.of`, by these declarations alone; nothing leaves that is not declared. One
whose keys are the fields of its result mirrors it, with the names and sentences that stand there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from wherefrom.interfaces.shape import Answer, Count, Overlay, Paged, Rounded, found, mirror, rounded
from wherefrom.model import results
from wherefrom.model.graph import Edge, MeasuredEdge, Node, NodeRef
from wherefrom.model.insight import ProposedEdge

# The keys of a memo, and those that are shown without its text.
_REF: Final = "id namespace title kind created_at updated_at version"
_MEMO: Final = (
    f"{_REF} content metadata claim_kind scope boundary_class confidence quality expires_at superseded_by pinned "
    "aliases"
)
# How far to trust a text, by the kind of its node.
_TRUST: Final = {"memo": "own-note", "claim": "agent-claim", "fragment": "quoted-source"}
Trust = Annotated[
    str,
    BeforeValidator(lambda kind: _TRUST.get(kind, kind)),
    Field(description="own-note, agent-claim or quoted-source."),
]


class MemoRef(mirror(Node, only=_REF, whole=True), answers=(), within=("node",)):
    """A memo without its text."""


class Memo(mirror(Node, only=_MEMO, whole=True), within=("node",)):
    """A memo. `cut` names the fields that were shortened to fit; ask for it by its id to read them whole."""

    content_offset: int = Field(default=0, description="Where in the memo's text this piece starts, in characters.")
    content_length: Count = found("content", description="How many characters the whole text has.")
    cut: list[str] = Field(default=[])


class ProposedRelation(mirror(ProposedEdge, without="accepted figures", digits=True)):
    """A relation between two memos that insight found worth making."""

    confidence: float = Field(description="How sure it is until a caller states it, 0 to 1.")
    judge: str = Field(description="insight: a program's guess.")


class SavedMemo(Answer, answers=(results.Saved,), within=("node",)):
    """The result of saving. `duplicate`: this text was already there, and `memo` is the one that has it."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged", "duplicate"]
    memo: MemoRef = found("node")
    boundary_class: str
    expires_at: str | None = None
    alias_added: str | None = Field(default=None, description="The title that became an alias of a duplicate.")
    note: str | None = Field(default=None, description="What became of the given title, and what was not kept.")
    redacted: dict[str, int] = Field(default={}, description="What the policy took out of the text, by kind.")
    relations: list[ProposedRelation] = found("links", default=[], description="With link: the relations that it made.")
    degraded: list[str] = Field(default=[], description="With link: why it was not, or not fully, linked.")


class DeletedMemo(Answer, answers=(results.Deleted,)):
    """A deleted memo and how many relations went with it."""

    root_namespace: str
    deleted: bool = True
    memo: MemoRef = found("node")
    relations_deleted: int = found("edges_deleted")


class MemoList(Paged, answers=(results.Page,)):
    """Memos, newest first."""

    root_namespace: str
    items: list[Memo] = found("nodes")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        """A memo that was asked for by its id is a list of one."""
        return {"nodes": [result]} if hasattr(result, "content") else {}


class Relation(
    mirror(
        MeasuredEdge,
        only="source_id target_id tag weight judge reason created_at updated_at version observed_at",
        whole=True,
    ),
    answers=(),
):
    """A directed relation between two memos."""

    confidence: Rounded = Field(description="How sure it is, 0 to 1.")
    namespace: str = found("source_namespace")
    thickness: Annotated[float | None, AfterValidator(rounded)] = Field(
        default=None, description="What it is worth now: weight · confidence · decay since observed_at, 0 to 1."
    )
    depth: int | None = Field(default=None, description="After a walk: how many steps from the start.")


class SavedRelation(Answer, answers=(results.Related,)):
    """The result of saving a relation."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged"]
    relation: Relation = found("edge")


class DeletedRelation(Answer, answers=(Edge, MeasuredEdge)):
    """A deleted relation."""

    root_namespace: str
    deleted: bool = True
    relation: Relation

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        return {"relation": result}


class RelationList(Paged, answers=(results.Relations,)):
    """Relations and the memos at their ends."""

    root_namespace: str
    nodes: list[mirror(NodeRef)]
    edges: list[Relation]

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        depths = result.depths or (None,) * len(result.edges)
        return {"edges": [Overlay(edge, {"depth": depth}) for edge, depth in zip(result.edges, depths, strict=True)]}


class FinalFactors(mirror(results.Factors), within=("factors",)):
    """The parts of a final score: score = S · g, with g = utility part · confidence part · recency part."""

    S: float = found("relevance", description="How well it fits the question, 0 to 1.")
    age_days: Annotated[float, AfterValidator(lambda days: round(days, 3))]


class FoundMemo(Memo, answers=(results.Hit,)):
    """A memo that a search found."""

    score: float = Field(description="How well it fits, 0 to 1; comparable within one answer only.")
    trust: Trust = found("node.kind")
    source: dict[str, Any] = found("node.provenance", description="Where it comes from, as the one who saved it said.")
    scores: mirror(results.Scores) | None = Field(default=None, description="With explain: how the score came about.")
    factors: FinalFactors | None = Field(default=None, description="With explain and rank final: S and the parts of g.")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        return {"factors": None if result.factors is None else result}


class SearchResult(mirror(results.SearchResult, without="vectors_searched filtered", whole=True, paged=True)):
    """Memos that fit a question, best first. `arms` says how it was searched, `degraded` what it lacked."""

    root_namespace: str
    policy_version: str = ""


class SimilarNode(mirror(results.Similar, without="kind", whole=True)):
    """A node near a question."""

    trust: Trust = found("kind")


class VectorSearchResult(mirror(results.SimilarFound, paged=True)):
    """Nodes that are near in meaning, most similar first."""

    ok: bool = True


class Features(FinalFactors, mirror(results.Scores), answers=(results.ScoreBreakdown,), within=("scores",)):
    """How an item got its place: score = S · g, with g = utility part · confidence part · recency part."""

    graph: float = Field(description="What relations and mentions add, relative to the best.")


class Dispute(mirror(MeasuredEdge, only="tag confidence judge observed_at thickness", digits=True), answers=()):
    """A relation by which another item contradicts this one, or this one the other."""

    id: str = Field(description="The other item.")


class RecalledMemo(Memo, answers=(results.ContextItem,)):
    """One item of an active context."""

    rank: int
    score: float = Field(description="S · g, 0 to 1.")
    reason: str = Field(description="Why it is here, as key=value; pairs.")
    trust: Trust = found("node.kind")
    source: dict[str, Any] = found("node.provenance", description="Where it comes from, as the one who saved it said.")
    date: str = found("node.observed_at", description="When it was observed.")
    replaces: list[str] = Field(description="Older nodes that it stands for.")
    disputed_by: list[str] = Field(description="Items of this context that contradict it.")
    disputes: list[Dispute] = Field(default=[], description="The relations behind disputed_by, and who judged them.")
    features: Features | None = found("breakdown", default=None, description="With explain: the scores of every stage.")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        def other(edge: Any) -> str:
            return str(edge.source_id if edge.target_id == result.node.id else edge.target_id)

        return {"disputes": [Overlay(edge, {"id": other(edge)}) for edge in result.disputes]}


class ActiveContextAnswer(
    mirror(results.ActiveContext, without="question scopes created_at is_kept", whole=True, paged=True)
):
    """The memos that matter now for a question, best first; the id of the context reads them again until it expires."""

    root_namespace: str
    parameters: dict[str, Any] | None = Field(default=None, description="With explain: alpha, k and the arms.")
    filtered: dict[str, int] | None = Field(default=None, description="With explain: what was left out, by reason.")
