"""What tools and `--json` answer: each answer declares its keys, where a verb's result has them, and what they are.

An answer is made of a result by `Answer.of`, by these declarations alone; nothing leaves that is not declared.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from wherefrom.interfaces.shape import Answer, Count, Paged, Rounded, Told, found, mirror, rounded
from wherefrom.model.results import NamespaceCount, Relations

# How far to trust a text, by the kind of its node.
_TRUST: Final = {"memo": "own-note", "claim": "agent-claim", "fragment": "quoted-source"}
JUDGE: Final = (
    "Who judged it: null: whoever saved it; human: a person; insight, names: a program's guess; otherwise the judge "
    "named with add_evidence."
)

Trust = Annotated[str, BeforeValidator(lambda kind: _TRUST.get(kind, kind))]


class MemoRef(Answer):
    """A memo without its text."""

    memo_id: str = found("id", "node.id")
    namespace: str = found("namespace", "node.namespace")
    title: str | None = found("title", "node.title")
    kind: str = found("kind", "node.kind", default="memo")
    created_at: str = found("created_at", "node.created_at")
    updated_at: str = found("updated_at", "node.updated_at")
    version: int = found("version", "node.version")


class Memo(MemoRef):
    """A memo. `cut` names the fields that were shortened to fit; ask for it by memo_id to read them whole."""

    content: str = found("content", "node.content")
    content_offset: int = Field(default=0, description="Where in the memo's text this piece starts, in characters.")
    content_length: Count = found("content", "node.content", description="How many characters the whole text has.")
    metadata: dict[str, Any] = found("metadata", "node.metadata")
    claim_kind: str | None = found("claim_kind", "node.claim_kind", default=None)
    scope: str | None = found("scope", "node.scope", default=None)
    boundary_class: str = found("boundary_class", "node.boundary_class")
    confidence: float = found("confidence", "node.confidence")
    expires_at: str | None = found("expires_at", "node.expires_at", default=None)
    superseded_by: str | None = found(
        "superseded_by", "node.superseded_by", default=None, description="The node that stands for this one now."
    )
    pinned: bool = found(
        "pinned", "node.pinned", default=False, description="Whether it is kept whatever metabolism makes of it."
    )
    aliases: list[str] = found(
        "aliases", "node.aliases", default=[], description="Other titles that its text was saved under."
    )
    cut: list[str] = Field(default=[])


class Link(Answer):
    """A link between two memos that insight found worth making."""

    source_memo_id: str = found("source_id")
    target_memo_id: str = found("target_id")
    tag: str
    weight: Rounded
    confidence: float = Field(description="How sure it is until a caller states it, 0 to 1.")
    judge: str = Field(description="insight: a program's guess.")
    reason: str


class SavedMemo(Answer):
    """What saving did. `duplicate`: this text was already there, and `memo` is the one that has it."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged", "duplicate"]
    memo: MemoRef = found("node")
    boundary_class: str = found("node.boundary_class")
    expires_at: str | None = found("node.expires_at", default=None)
    alias_added: str | None = Field(default=None, description="The title that became an alias of a duplicate.")
    note: str | None = Field(default=None, description="What became of the given title, and what was not kept.")
    redacted: dict[str, int] = Field(default={}, description="What the policy took out of the text, by kind.")
    links: list[Link] = Field(default=[], description="With link: the links that were made for it.")
    degraded: list[str] = Field(default=[], description="With link: why it was not, or not fully, linked.")


class DeletedMemo(Answer):
    """A deleted memo and how many relations went with it."""

    root_namespace: str
    deleted: bool = True
    memo: MemoRef = found("node")
    relations_deleted: int = found("edges_deleted")


class MemoList(Paged):
    """Memos, newest first."""

    root_namespace: str
    items: list[Memo] = found("items", "nodes")

    @model_validator(mode="before")
    @classmethod
    def _told(cls, page: Any) -> Told:
        """A memo that was asked for by its id is a list of one."""
        return Told(page, {"items": [page]}) if hasattr(page, "content") else page


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


class SavedRelation(Answer):
    """What saving a relation did."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged"]
    relation: Relation = found("edge")


class DeletedRelation(Answer):
    """A deleted relation."""

    root_namespace: str
    deleted: bool = True
    relation: Relation

    @model_validator(mode="before")
    @classmethod
    def _told(cls, edge: Any) -> Told:
        return Told(edge, {"relation": edge})


class RelationNode(Answer):
    """A memo at the end of a relation."""

    memo_id: str = found("id")
    namespace: str
    kind: str
    title: str | None


class RelationList(Paged):
    """Relations and the memos at their ends."""

    root_namespace: str
    nodes: list[RelationNode]
    edges: list[Relation]

    @model_validator(mode="before")
    @classmethod
    def _told(cls, relations: Relations) -> Told:
        depths = relations.depths or (None,) * len(relations.edges)
        edges = [Told(edge, {"depth": depth}) for edge, depth in zip(relations.edges, depths, strict=True)]
        return Told(relations, {"edges": edges})


class NamespaceList(Paged):
    """Namespaces by name."""

    root_namespace: str
    default_namespace: str
    items: list[mirror(NamespaceCount)]  # type: ignore[valid-type]  # made of the dataclass


class HitScores(Answer):
    """How a hit got its score: score = alpha · s_vec + (1 − alpha) · s_text."""

    bm25: float | None = found("bm25", "scores.bm25", description="BM25 of the words; null if no word was found.")
    text_rank: int | None = found("text_rank", "scores.text_rank")
    similarity: float | None = found(
        "similarity", "scores.similarity", description="Cosine similarity; null if there is no vector to compare."
    )
    vector_rank: int | None = found("vector_rank", "scores.vector_rank")
    s_text: float = found("s_text", "scores.s_text")
    s_vec: float = found("s_vec", "scores.s_vec")
    found_through: str | None = found(
        "found_through",
        "scores.found_through",
        default=None,
        description="The duplicate whose place and S this one took.",
    )


class FinalFactors(Answer):
    """What a final score is made of: score = S · g, with g = utility part · confidence part · recency part."""

    S: float = found("relevance", description="How well it fits the question, 0 to 1.")
    utility_z: float = found("factors.utility_z")
    utility: float = found("factors.utility")
    confidence: float = found("factors.confidence")
    recency: float = found("factors.recency")
    quality: float | None = found("factors.quality", description="Null unless the policy lets quality count.")
    age_days: Annotated[float, AfterValidator(lambda days: round(days, 3))] = found("factors.age_days")
    g: float = found("factors.g")


class FoundMemo(Memo):
    """A memo that a search found."""

    score: float = Field(description="How well it fits, 0 to 1; comparable within one answer only.")
    trust: Trust = found("node.kind", description="own-note, agent-claim or quoted-source.")
    source: dict[str, Any] = found("node.provenance", description="Where it comes from, as the one who saved it said.")
    scores: HitScores | None = Field(default=None, description="With explain: how the score came about.")
    factors: FinalFactors | None = Field(default=None, description="With explain and rank final: S and the parts of g.")

    @model_validator(mode="before")
    @classmethod
    def _told(cls, hit: Any) -> Told:
        return Told(hit, {"factors": None if hit.factors is None else hit})


class SearchResult(Paged):
    """Memos that fit a question, best first. `arms` says how it was searched, `degraded` what it lacked."""

    root_namespace: str
    items: list[FoundMemo] = found("hits")
    arms: list[str]
    degraded: list[str] = Field(description="Why the answer may lack something; empty if it does not.")
    alpha: float = Field(description="The weight of meaning beside words in the scores.")
    candidates: int = Field(description="How many memos were ranked before the cut.")
    policy_version: str = ""


class SimilarNode(Answer):
    """A node near a question."""

    id: str
    title: str | None
    text_preview: str = Field(description="The first 200 characters.")
    similarity: float = Field(description="Cosine similarity.")
    trust: Trust = found("kind", description="own-note, agent-claim or quoted-source.")
    source: dict[str, Any] = Field(description="Where it comes from: the page's url, its heading.")


class VectorSearchResult(Paged):
    """What is near in meaning, most similar first."""

    ok: bool = True
    results: list[SimilarNode]
    total_searched: int = Field(description="How many embeddings were in scope.")


class Features(FinalFactors, HitScores):
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


class RecalledMemo(Memo):
    """One item of an active context."""

    rank: int
    score: float = Field(description="S · g, 0 to 1.")
    reason: str = Field(description="Why it is here, as key=value; pairs.")
    trust: Trust = found("node.kind", description="own-note, agent-claim or quoted-source.")
    source: dict[str, Any] = found("node.provenance", description="Where it comes from, as the one who saved it said.")
    date: str = found("node.observed_at", description="When it was observed.")
    replaces: list[str] = Field(description="Older nodes that it stands for.")
    disputed_by: list[str] = Field(description="Items of this context that contradict it.")
    disputes: list[Dispute] = Field(default=[], description="The relations behind disputed_by, and who judged them.")
    features: Features | None = found("weighed", default=None, description="With explain: the scores of every stage.")

    @model_validator(mode="before")
    @classmethod
    def _told(cls, item: Any) -> Told:
        def other(edge: Any) -> str:
            return str(edge.source_id if edge.target_id == item.node.id else edge.target_id)

        return Told(item, {"disputes": [Told(edge, {"memo_id": other(edge)}) for edge in item.disputes]})


class ActiveContextAnswer(Paged):
    """What matters now for a question, best first. It can be read again by its id until it expires."""

    active_context_id: str = found("id")
    root_namespace: str
    items: list[RecalledMemo]
    expires_at: str
    policy_version: str
    provenance: dict[str, Any]
    tokens: int = Field(description="About how many tokens the texts have.")
    degraded: list[str] = Field(description="Why the answer may lack something; empty if it does not.")
    parameters: dict[str, Any] | None = Field(default=None, description="With explain: alpha, k and the arms.")
    filtered: dict[str, int] | None = Field(default=None, description="With explain: what was left out, by reason.")
