"""The JSON answers of searches: hits with their scores, and what is near in meaning."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from wherefrom.interfaces.answers import Answer, Memo, trust_of
from wherefrom.model.results import Factors, Found, Hit, Scores, SimilarFound


class HitScores(Answer):
    """How a hit got its score: score = alpha · s_vec + (1 − alpha) · s_text."""

    bm25: float | None = Field(description="BM25 of the words; null if no word was found.")
    text_rank: int | None
    similarity: float | None = Field(description="Cosine similarity; null if there is no vector to compare.")
    vector_rank: int | None
    s_text: float
    s_vec: float
    found_through: str | None = Field(default=None, description="The duplicate whose place and S this one took.")

    @classmethod
    def of(cls, scores: Scores) -> HitScores:
        return cls(**{name: getattr(scores, name) for name in cls.model_fields})


class FinalFactors(Answer):
    """What a final score is made of: score = S · g, with g = utility part · confidence part · recency part."""

    S: float = Field(description="How well it fits the question, 0 to 1.")
    utility_z: float
    utility: float
    confidence: float
    recency: float
    quality: float | None = Field(description="Null unless the policy lets quality count.")
    age_days: float
    g: float

    @classmethod
    def fields_of(cls, factors: Factors, relevance: float) -> dict[str, Any]:
        """The values of these fields."""
        names = ("utility_z", "utility", "confidence", "recency", "quality", "g")
        parts = {name: getattr(factors, name) for name in names}
        return {**parts, "S": relevance, "age_days": round(factors.age_days, 3)}


class FoundMemo(Memo):
    """A memo that a search found."""

    score: float = Field(description="How well it fits, 0 to 1; comparable within one answer only.")
    trust: str = Field(description="own-note, agent-claim or quoted-source.")
    source: dict[str, Any] = Field(description="Where it comes from, as the one who saved it said.")
    scores: HitScores | None = Field(default=None, description="With explain: how the score came about.")
    factors: FinalFactors | None = Field(default=None, description="With explain and rank final: S and the parts of g.")

    @classmethod
    def of_hit(cls, hit: Hit, *, explain: bool) -> FoundMemo:
        """A hit, with its scores if they are to be explained."""
        factors = None
        if explain and hit.factors is not None and hit.relevance is not None:
            factors = FinalFactors(**FinalFactors.fields_of(hit.factors, hit.relevance))
        return cls(
            **Memo.of(hit.node).model_dump(),
            score=hit.score,
            trust=trust_of(hit.node.kind),
            source=dict(hit.node.provenance),
            scores=HitScores.of(hit.scores) if explain else None,
            factors=factors,
        )


class SearchResult(Answer):
    """Memos that fit a question, best first. `arms` says how it was searched, `degraded` what it lacked."""

    root_namespace: str
    items: list[FoundMemo]
    arms: list[str]
    degraded: list[str] = Field(description="Why the answer may lack something; empty if it does not.")
    alpha: float = Field(description="The weight of meaning beside words in the scores.")
    candidates: int = Field(description="How many memos were ranked before the cut.")
    policy_version: str = ""
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")

    @classmethod
    def of(cls, found: Found, root: str, *, explain: bool = False) -> SearchResult:
        return cls(
            root_namespace=root,
            items=[FoundMemo.of_hit(hit, explain=explain) for hit in found.hits],
            arms=list(found.arms),
            degraded=list(found.degraded),
            alpha=found.alpha,
            candidates=found.candidates,
            policy_version=found.policy_version,
        )


class SimilarNode(Answer):
    """A node near a question."""

    id: str
    title: str | None
    text_preview: str = Field(description="The first 200 characters.")
    similarity: float = Field(description="Cosine similarity.")
    trust: str = Field(description="own-note, agent-claim or quoted-source.")
    source: dict[str, Any] = Field(description="Where it comes from: the page's url, its heading.")


class VectorSearchResult(Answer):
    """What is near in meaning, most similar first."""

    ok: bool = True
    results: list[SimilarNode]
    total_searched: int = Field(description="How many embeddings were in scope.")
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")

    @classmethod
    def of(cls, found: SimilarFound) -> VectorSearchResult:
        results = [
            SimilarNode(
                id=each.id,
                title=each.title,
                text_preview=each.text_preview,
                similarity=each.similarity,
                trust=trust_of(each.kind),
                source=dict(each.source),
            )
            for each in found.results
        ]
        return cls(results=results, total_searched=found.total_searched)
