"""The JSON that agents and `--json` get: one shape for each kind of answer, snake_case throughout."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from wherefrom.model.graph import Edge, MeasuredEdge, Node, NodeRef
from wherefrom.model.insight import ProposedLink
from wherefrom.model.results import (
    Deleted,
    Namespaces,
    Related,
    Relations,
    Renamed,
    Saved,
)

# How far to trust a text, by what it is.
_TRUST: Final = {"memo": "own-note", "claim": "agent-claim", "fragment": "quoted-source"}

JUDGE: Final = (
    "Who judged it: null: whoever saved it; human: a person; insight, names: a program's guess; otherwise the judge "
    "named with add_evidence."
)
DIGITS: Final = 4


class Answer(BaseModel):
    """Base of all answers: nothing leaves that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def trust_of(kind: str) -> str:
    """The trust label of a node of this kind."""
    return _TRUST.get(kind, kind)


class MemoRef(Answer):
    """A memo without its text."""

    memo_id: str
    namespace: str
    title: str | None
    kind: str = "memo"
    created_at: str
    updated_at: str
    version: int

    @classmethod
    def fields_of(cls, node: Node) -> dict[str, Any]:
        return {"memo_id": node.id, **{name: getattr(node, name) for name in MemoRef.model_fields if name != "memo_id"}}


class Memo(MemoRef):
    """A memo. `cut` names the fields that were shortened to fit; ask for it by memo_id to read them whole."""

    content: str
    content_offset: int = Field(default=0, description="Where in the memo's text this piece starts, in characters.")
    content_length: int = Field(description="How many characters the whole text has.")
    metadata: dict[str, Any]
    claim_kind: str | None = None
    scope: str | None = None
    boundary_class: str
    confidence: float
    expires_at: str | None = None
    superseded_by: str | None = Field(default=None, description="The node that stands for this one now.")
    pinned: bool = Field(default=False, description="Whether it is kept whatever metabolism makes of it.")
    aliases: list[str] = Field(default=[], description="Other titles that its text was saved under.")
    cut: list[str] = []

    @classmethod
    def of(cls, node: Node) -> Memo:
        more = ("claim_kind", "scope", "boundary_class", "confidence", "expires_at", "superseded_by", "pinned")
        return cls(
            **MemoRef.fields_of(node),
            **{name: getattr(node, name) for name in more},
            content=node.content,
            content_length=len(node.content),
            metadata=dict(node.metadata),
            aliases=list(node.aliases),
        )


class Link(Answer):
    """A link between two memos that insight found worth making."""

    source_memo_id: str
    target_memo_id: str
    tag: str
    weight: float
    confidence: float = Field(description="How sure it is until a caller states it, 0 to 1.")
    judge: str = Field(description="insight: a program's guess.")
    reason: str

    @classmethod
    def fields_of(cls, link: ProposedLink) -> dict[str, Any]:
        return {
            "source_memo_id": link.source_id,
            "target_memo_id": link.target_id,
            "tag": link.tag,
            "weight": round(link.weight, DIGITS),
            "confidence": link.confidence,
            "judge": link.judge,
            "reason": link.reason,
        }


class SavedMemo(Answer):
    """What saving did. `duplicate`: this text was already there, and `memo` is the one that has it."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged", "duplicate"]
    memo: MemoRef
    boundary_class: str
    expires_at: str | None = None
    alias_added: str | None = Field(default=None, description="The title that became an alias of a duplicate.")
    note: str | None = Field(default=None, description="What became of the given title, and what was not kept.")
    redacted: dict[str, int] = Field(default={}, description="What the policy took out of the text, by kind.")
    links: list[Link] = Field(default=[], description="With link: the links that were made for it.")
    degraded: list[str] = Field(default=[], description="With link: why it was not, or not fully, linked.")

    @classmethod
    def of(cls, saved: Saved, root: str) -> SavedMemo:
        return cls(
            root_namespace=root,
            status=saved.status,
            memo=MemoRef(**MemoRef.fields_of(saved.node)),
            boundary_class=saved.node.boundary_class,
            expires_at=saved.node.expires_at,
            alias_added=saved.alias_added,
            note=saved.note,
            redacted=dict(saved.redacted),
            links=[Link(**Link.fields_of(link)) for link in saved.links],
            degraded=list(saved.degraded),
        )


class DeletedMemo(Answer):
    """A deleted memo and how many relations went with it."""

    root_namespace: str
    deleted: bool = True
    memo: MemoRef
    relations_deleted: int

    @classmethod
    def of(cls, deleted: Deleted, root: str) -> DeletedMemo:
        memo = MemoRef(**MemoRef.fields_of(deleted.node))
        return cls(root_namespace=root, memo=memo, relations_deleted=deleted.edges_deleted)


class MemoList(Answer):
    """Memos, newest first."""

    root_namespace: str
    items: list[Memo]
    next_cursor: str | None = Field(description="Pass it back as cursor for the next page; null on the last page.")
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")


class Relation(Answer):
    """A directed link between two memos."""

    source_memo_id: str
    target_memo_id: str
    tag: str
    weight: float
    confidence: float = Field(description="How sure it is, 0 to 1.")
    judge: str | None = Field(description=JUDGE)
    reason: str | None
    namespace: str
    created_at: str
    updated_at: str
    version: int
    observed_at: str = Field(description="When it was last seen to hold.")
    thickness: float | None = Field(
        default=None, description="What it is worth now: weight · confidence · decay since observed_at, 0 to 1."
    )
    depth: int | None = Field(default=None, description="After a walk: how many steps from the start.")

    @classmethod
    def of(cls, edge: Edge, depth: int | None = None) -> Relation:
        return cls(
            source_memo_id=edge.source_id,
            target_memo_id=edge.target_id,
            tag=edge.tag,
            weight=edge.weight,
            confidence=round(edge.confidence, DIGITS),
            judge=edge.judge,
            reason=edge.reason,
            namespace=edge.source_namespace,
            created_at=edge.created_at,
            updated_at=edge.updated_at,
            version=edge.version,
            observed_at=edge.observed_at,
            thickness=round(edge.thickness, DIGITS) if isinstance(edge, MeasuredEdge) else None,
            depth=depth,
        )


class SavedRelation(Answer):
    """What saving a relation did."""

    root_namespace: str
    status: Literal["created", "updated", "unchanged"]
    relation: Relation

    @classmethod
    def of(cls, related: Related, root: str) -> SavedRelation:
        return cls(root_namespace=root, status=related.status, relation=Relation.of(related.edge))


class DeletedRelation(Answer):
    """A deleted relation."""

    root_namespace: str
    deleted: bool = True
    relation: Relation


class RelationNode(Answer):
    """A memo at the end of a relation."""

    memo_id: str
    namespace: str
    kind: str
    title: str | None

    @classmethod
    def of(cls, ref: NodeRef) -> RelationNode:
        return cls(memo_id=ref.id, namespace=ref.namespace, kind=ref.kind, title=ref.title)


class RelationList(Answer):
    """Relations and the memos at their ends."""

    root_namespace: str
    nodes: list[RelationNode]
    edges: list[Relation]
    next_cursor: str | None = Field(description="Pass it back as cursor for the next page; null on the last page.")
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")

    @classmethod
    def of(cls, found: Relations) -> RelationList:
        depths = found.depths or (None,) * len(found.edges)
        return cls(
            root_namespace=found.root_namespace,
            nodes=[RelationNode.of(ref) for ref in found.nodes],
            edges=[Relation.of(edge, depth) for edge, depth in zip(found.edges, depths, strict=True)],
            next_cursor=found.next_cursor,
        )


class Namespace(Answer):
    """A namespace and how many nodes are in it and below it."""

    namespace: str
    nodes: int


class NamespaceList(Answer):
    """Namespaces by name."""

    root_namespace: str
    default_namespace: str
    items: list[Namespace]
    next_cursor: str | None = Field(description="Pass it back as cursor for the next page; null on the last page.")
    truncated: bool = Field(default=False, description="True when the answer was shortened to fit its byte ceiling.")

    @classmethod
    def of(cls, found: Namespaces) -> NamespaceList:
        return cls(
            root_namespace=found.root_namespace,
            default_namespace=found.default_namespace,
            items=[Namespace(namespace=item.namespace, nodes=item.nodes) for item in found.items],
            next_cursor=found.next_cursor,
        )


class RenamedNamespace(Answer):
    """What moving a namespace touched."""

    source: str
    target: str
    nodes: int
    edges: int

    @classmethod
    def of(cls, renamed: Renamed) -> RenamedNamespace:
        return cls(source=renamed.source, target=renamed.target, nodes=renamed.nodes, edges=renamed.edges)
