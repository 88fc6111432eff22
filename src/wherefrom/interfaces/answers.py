"""What tools and `--json` answer: each answer declares its keys, where a verb's result has them, and what they are.

An answer is made of a result by `Answer.of`, by these declarations alone; nothing leaves that is not declared. One
whose keys are the fields of its result mirrors it, with the names and sentences that stand there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from wherefrom.interfaces.shape import Answer, Count, Paged, Rounded, Told, found, mirror, rounded
from wherefrom.model import results
from wherefrom.model.graph import Edge, MeasuredEdge, Node, NodeRef
from wherefrom.model.insight import ProposedLink

# How far to trust a text, by the kind of its node.
_TRUST: Final = {"memo": "own-note", "claim": "agent-claim", "fragment": "quoted-source"}
JUDGE: Final = (
    "Who judged it: null: whoever saved it; human: a person; insight, names: a program's guess; otherwise the judge "
    "named with add_evidence."
)

Trust = Annotated[
    str,
    BeforeValidator(lambda kind: _TRUST.get(kind, kind)),
    Field(description="own-note, agent-claim or quoted-source."),
]


class MemoRef(Answer, within=("node",)):
    """A memo without its text."""

    memo_id: str = found("id")
    namespace: str
    title: str | None
    kind: str = "memo"
    created_at: str
    updated_at: str
    version: int


class Memo(MemoRef, answers=(Node,)):
    """A memo. `cut` names the fields that were shortened to fit; ask for it by memo_id to read them whole."""

    content: str
    content_offset: int = Field(default=0, description="Where in the memo's text this piece starts, in characters.")
    content_length: Count = found("content", description="How many characters the whole text has.")
    metadata: dict[str, Any]
    claim_kind: str | None = None
    scope: str | None = None
    boundary_class: str
    confidence: float
    expires_at: str | None = None
    superseded_by: str | None = Field(default=None, description="The node that stands for this one now.")
    pinned: bool = Field(default=False, description="Whether it is kept whatever metabolism makes of it.")
    aliases: list[str] = Field(default=[], description="Other titles that its text was saved under.")
    cut: list[str] = Field(default=[])


class Link(mirror(ProposedLink, without=("accepted", "figures"), digits=True)):  # type: ignore[misc]
    """A link between two memos that insight found worth making."""

    confidence: float = Field(description="How sure it is until a caller states it, 0 to 1.")
    judge: str = Field(description="insight: a program's guess.")


class SavedMemo(Answer, answers=(results.Saved,), within=("node",)):
    """What saving did. `duplicate`: this text was already there, and `memo` is the one that has it."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged", "duplicate"]
    memo: MemoRef = found("node")
    boundary_class: str
    expires_at: str | None = None
    alias_added: str | None = Field(default=None, description="The title that became an alias of a duplicate.")
    note: str | None = Field(default=None, description="What became of the given title, and what was not kept.")
    redacted: dict[str, int] = Field(default={}, description="What the policy took out of the text, by kind.")
    links: list[Link] = Field(default=[], description="With link: the links that were made for it.")
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
    def told(cls, result: Any) -> Mapping[str, Any]:
        """A memo that was asked for by its id is a list of one."""
        return {"nodes": [result]} if hasattr(result, "content") else {}


class Relation(Answer):
    """A directed link between two memos."""

    source_memo_id: str = found("source_id")
    target_memo_id: str = found("target_id")
    tag: str
    weight: float
    confidence: Rounded = Field(description="How sure it is, 0 to 1.")
    judge: str | None = Field(description=JUDGE)
    reason: str | None
    namespace: str = found("source_namespace")
    created_at: str
    updated_at: str
    version: int
    observed_at: str = Field(description="When it was last seen to hold.")
    thickness: Annotated[float | None, AfterValidator(rounded)] = Field(
        default=None, description="What it is worth now: weight · confidence · decay since observed_at, 0 to 1."
    )
    depth: int | None = Field(default=None, description="After a walk: how many steps from the start.")


class SavedRelation(Answer, answers=(results.Related,)):
    """What saving a relation did."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged"]
    relation: Relation = found("edge")


class DeletedRelation(Answer, answers=(Edge, MeasuredEdge)):
    """A deleted relation."""

    root_namespace: str
    deleted: bool = True
    relation: Relation

    @classmethod
    def told(cls, result: Any) -> Mapping[str, Any]:
        return {"relation": result}


class RelationNode(mirror(NodeRef)):  # type: ignore[misc]
    """A memo at the end of a relation."""


class RelationList(Paged, answers=(results.Relations,)):
    """Relations and the memos at their ends."""

    root_namespace: str
    nodes: list[RelationNode]
    edges: list[Relation]

    @classmethod
    def told(cls, result: Any) -> Mapping[str, Any]:
        depths = result.depths or (None,) * len(result.edges)
        return {"edges": [Told(edge, {"depth": depth}) for edge, depth in zip(result.edges, depths, strict=True)]}


class NamespaceList(Paged, mirror(results.Namespaces)):  # type: ignore[misc]
    """Namespaces by name."""


class HitScores(mirror(results.Scores)):  # type: ignore[misc]
    """How a hit got its score: score = alpha · s_vec + (1 − alpha) · s_text."""


class FinalFactors(mirror(results.Factors), Answer, within=("factors",)):  # type: ignore[misc]
    """What a final score is made of: score = S · g, with g = utility part · confidence part · recency part."""

    S: float = found("relevance", description="How well it fits the question, 0 to 1.")
    age_days: Annotated[float, AfterValidator(lambda days: round(days, 3))]


class FoundMemo(Memo, answers=(results.Hit,)):
    """A memo that a search found."""

    score: float = Field(description="How well it fits, 0 to 1; comparable within one answer only.")
    trust: Trust = found("node.kind")
    source: dict[str, Any] = found("node.provenance", description="Where it comes from, as the one who saved it said.")
    scores: HitScores | None = Field(default=None, description="With explain: how the score came about.")
    factors: FinalFactors | None = Field(default=None, description="With explain and rank final: S and the parts of g.")

    @classmethod
    def told(cls, result: Any) -> Mapping[str, Any]:
        return {"factors": None if result.factors is None else result}


class SearchResult(
    Paged,
    mirror(results.Found, without=("vectors_searched", "filtered"), whole=True),  # type: ignore[misc]
):
    """Memos that fit a question, best first. `arms` says how it was searched, `degraded` what it lacked."""

    root_namespace: str
    policy_version: str = ""


class SimilarNode(mirror(results.Similar, without=("kind",), whole=True)):  # type: ignore[misc]
    """A node near a question."""

    trust: Trust = found("kind")


class VectorSearchResult(Paged, mirror(results.SimilarFound)):  # type: ignore[misc]
    """What is near in meaning, most similar first."""

    ok: bool = True


class Features(FinalFactors, HitScores, answers=(results.Weighed,), within=("scores",)):
    """How an item got its place: score = S · g, with g = utility part · confidence part · recency part."""

    graph: float = Field(description="What relations and mentions add, relative to the best.")


class Dispute(Answer):
    """A relation by which another item contradicts this one, or this one the other."""

    memo_id: str = Field(description="The other item.")
    tag: str
    confidence: Rounded
    judge: str | None = Field(description=JUDGE)
    observed_at: str
    thickness: Rounded


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
    features: Features | None = found("weighed", default=None, description="With explain: the scores of every stage.")

    @classmethod
    def told(cls, result: Any) -> Mapping[str, Any]:
        def other(edge: Any) -> str:
            return str(edge.source_id if edge.target_id == result.node.id else edge.target_id)

        return {"disputes": [Told(edge, {"memo_id": other(edge)}) for edge in result.disputes]}


class ActiveContextAnswer(
    Paged,
    mirror(results.ActiveContext, without=("question", "scopes", "created_at", "is_kept"), whole=True),  # type: ignore[misc]
):
    """What matters now for a question, best first. It can be read again by its id until it expires."""

    root_namespace: str
    parameters: dict[str, Any] | None = Field(default=None, description="With explain: alpha, k and the arms.")
    filtered: dict[str, int] | None = Field(default=None, description="With explain: what was left out, by reason.")
