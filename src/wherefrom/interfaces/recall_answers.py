"""The JSON answers of recall and policy."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from wherefrom.interfaces.answers import DIGITS, JUDGE, Answer, Memo, MemoRef, trust_of
from wherefrom.interfaces.search_answers import FinalFactors, HitScores
from wherefrom.model.graph import MeasuredEdge, Node
from wherefrom.model.policies import Guarded, PolicyApplied, PolicyVersion, Reclassified
from wherefrom.model.results import ActiveContext, ContextItem, Judged, Swept, Weighed


class Features(FinalFactors, HitScores):
    """How an item got its place: score = S · g, with g = utility part · confidence part · recency part."""

    graph: float = Field(description="What relations and mentions add, relative to the best.")

    @classmethod
    def of_weighed(cls, weighed: Weighed) -> Features:
        return cls(
            **HitScores.of(weighed.scores).model_dump(),
            **FinalFactors.fields_of(weighed.factors, weighed.relevance),
            graph=weighed.graph,
        )


class Dispute(Answer):
    """A relation by which another item contradicts this one, or this one the other."""

    memo_id: str = Field(description="The other item.")
    tag: str
    confidence: float
    judge: str | None = Field(description=JUDGE)
    observed_at: str
    thickness: float

    @classmethod
    def of(cls, edge: MeasuredEdge, node: Node) -> Dispute:
        return cls(
            memo_id=edge.source_id if edge.target_id == node.id else edge.target_id,
            tag=edge.tag,
            confidence=round(edge.confidence, DIGITS),
            judge=edge.judge,
            observed_at=edge.observed_at,
            thickness=round(edge.thickness, DIGITS),
        )


class RecalledMemo(Memo):
    """One item of an active context."""

    rank: int
    score: float = Field(description="S · g, 0 to 1.")
    reason: str = Field(description="Why it is here, as key=value; pairs.")
    trust: str = Field(description="own-note, agent-claim or quoted-source.")
    source: dict[str, Any] = Field(description="Where it comes from, as the one who saved it said.")
    date: str = Field(description="When it was observed.")
    replaces: list[str] = Field(description="Older nodes that it stands for.")
    disputed_by: list[str] = Field(description="Items of this context that contradict it.")
    disputes: list[Dispute] = Field(default=[], description="The relations behind disputed_by, and who judged them.")
    features: Features | None = Field(default=None, description="With explain: the scores of every stage.")

    @classmethod
    def of_item(cls, item: ContextItem, *, explain: bool) -> RecalledMemo:
        node: Node = item.node
        return cls(
            **Memo.of(node).model_dump(),
            rank=item.rank,
            score=item.score,
            reason=item.reason,
            trust=trust_of(node.kind),
            source=dict(node.provenance),
            date=node.observed_at,
            replaces=list(item.replaces),
            disputed_by=list(item.disputed_by),
            disputes=[Dispute.of(edge, node) for edge in item.disputes],
            features=Features.of_weighed(item.weighed) if explain and item.weighed is not None else None,
        )


class ActiveContextAnswer(Answer):
    """What matters now for a question, best first. It can be read again by its id until it expires."""

    active_context_id: str
    root_namespace: str
    items: list[RecalledMemo]
    expires_at: str
    policy_version: str
    provenance: dict[str, Any]
    tokens: int = Field(description="About how many tokens the texts have.")
    degraded: list[str] = Field(description="Why the answer may lack something; empty if it does not.")
    parameters: dict[str, Any] | None = Field(default=None, description="With explain: alpha, k and the arms.")
    filtered: dict[str, int] | None = Field(default=None, description="With explain: what was left out, by reason.")
    next_cursor: str | None = Field(default=None, description="If the context has more items: pass it back as cursor.")
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")

    @classmethod
    def of(cls, context: ActiveContext, root: str, *, explain: bool = False) -> ActiveContextAnswer:
        return cls(
            active_context_id=context.id,
            root_namespace=root,
            items=[RecalledMemo.of_item(item, explain=explain) for item in context.items],
            expires_at=context.expires_at,
            policy_version=context.policy_version,
            provenance=dict(context.provenance),
            tokens=context.tokens,
            degraded=list(context.degraded),
            parameters=dict(context.parameters) if explain else None,
            filtered=dict(context.filtered) if explain else None,
        )


class FeedbackAnswer(Answer):
    """What a judgement did. `repeated`: this request_id was already counted."""

    status: str
    signal: str
    memo: MemoRef
    utility: float
    confidence: float
    superseded_by: str | None
    links_reinforced: int = Field(description="How many of its relations became stronger or weaker.")

    @classmethod
    def of(cls, judged: Judged) -> FeedbackAnswer:
        return cls(
            status=judged.status,
            signal=judged.signal,
            memo=MemoRef(**MemoRef.fields_of(judged.node)),
            utility=judged.node.utility,
            confidence=judged.node.confidence,
            superseded_by=judged.representative_id,
            links_reinforced=judged.links,
        )


class BoundaryAnswer(Answer):
    """What the policy makes of a text."""

    allowed: bool
    reason: str
    boundary_class: str
    redacted: str | None = Field(description="The text as it would be kept; null if it would not.")
    findings: dict[str, int] = Field(description="What was taken out, by kind.")
    truncated: bool = Field(default=False, description="True when the text was shortened to fit the byte ceiling.")
    escalation: str | None
    policy_version: str

    @classmethod
    def of(cls, guarded: Guarded) -> BoundaryAnswer:
        return cls(
            allowed=guarded.allowed,
            reason=guarded.reason,
            boundary_class=guarded.boundary_class,
            redacted=guarded.text,
            findings=dict(guarded.redacted),
            escalation=guarded.escalation,
            policy_version=guarded.policy_version,
        )


class PolicyAnswer(Answer):
    """What applying a policy did; after a dry run `reclassify` counts the stored rows that it would change."""

    namespace: str
    version: str
    previous_version: str | None
    status: str
    reclassify: dict[str, int]

    @classmethod
    def of(cls, applied: PolicyApplied) -> PolicyAnswer:
        return cls(
            **{name: getattr(applied, name) for name in ("namespace", "version", "previous_version", "status")},
            reclassify=dict(applied.reclassify),
        )


class PolicyText(Answer):
    """A policy that a namespace has or had; the default policy has no namespace."""

    namespace: str
    version: str
    approver: str | None
    applied_at: str
    yaml: str

    @classmethod
    def of(cls, policy: PolicyVersion) -> PolicyText:
        return cls(**{name: getattr(policy, name) for name in cls.model_fields})


class ReclassifiedAnswer(Answer):
    """What a policy made of what was saved before it."""

    checked: int
    raised: list[str]
    redacted: list[str]
    merged: list[str]
    denied: list[str]
    violating: list[str]
    dry_run: bool

    @classmethod
    def of(cls, report: Reclassified) -> ReclassifiedAnswer:
        return cls(**{name: getattr(report, name) for name in cls.model_fields})


class SweptAnswer(Answer):
    """What a sweep retired."""

    run_id: str
    memo_ids: list[str]
    relations: int

    @classmethod
    def of(cls, swept: Swept) -> SweptAnswer:
        return cls(run_id=swept.run_id, memo_ids=list(swept.node_ids), relations=swept.edges)
