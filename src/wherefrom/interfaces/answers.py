"""The answers of tools and `--json`: each declares its keys, where a verb's result has them, and what they are.

An answer is made of a result by `Answer.of`, by these declarations alone; nothing leaves that is not declared. One
whose keys are the fields of its result mirrors it, with the names and sentences that stand there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from wherefrom.interfaces.lean_items import fitted
from wherefrom.interfaces.shape import Answer, Lean, Overlay, Paged, Rounded, cut, found, mirror, rounded
from wherefrom.model import results
from wherefrom.model.graph import Edge, MeasuredEdge, Node, NodeRef
from wherefrom.model.identifiers import short_id
from wherefrom.model.insight import ProposedEdge
from wherefrom.model.limits import PASSAGE_CHARACTERS
from wherefrom.model.sources import source_of
from wherefrom.text.check import json_text

# The keys of a memo, and those that are shown without its text.
_REF: Final = "id namespace title kind created_at updated_at version"
_MEMO: Final = (
    f"{_REF} content metadata claim_kind scope boundary_class confidence quality expires_at valid_from valid_to "
    "superseded_by slot speaker session written_by imported_from pinned aliases provenance"
)
# The source of what was quoted, and of anything else, which shows its date or its kind as well.
_MAX_SOURCE_BYTES: Final = {"fragment": 28}
_MAX_OTHER_SOURCE_BYTES: Final = 20
_PREVIEW_BYTES: Final = 2_000
# Of a memo that is near to a saved one: enough to see what differs.
_NEAR_CHARACTERS: Final = 160
# How far to trust a text, by the kind of its node.
_TRUST: Final = {"memo": "own-note", "claim": "agent-claim", "fragment": "quoted-source"}
Trust = Annotated[
    str,
    BeforeValidator(lambda kind: _TRUST.get(kind, kind)),
    Field(description="own-note, agent-claim or quoted-source."),
]


class MemoRef(mirror(Node, only=_REF, whole=True), answers=(), within=("node",)):
    """A memo without its text."""

    brief: ClassVar[str] = "id version"
    usual: ClassVar[Mapping[str, Any]] = {"version": 1}


class Memo(mirror(Node, only=_MEMO, whole=True), within=("node",)):
    """A memo, in full. `cut` names the fields that were shortened to fit."""

    brief: ClassVar[str] = (
        "id kind claim_kind date namespace title aliases source provenance metadata scope boundary_class confidence "
        "expires_at slot speaker session written_by imported_from valid_from valid_to superseded_by pinned version "
        "offset length content"
    )
    usual: ClassVar[Mapping[str, Any]] = {
        "version": 1, "kind": "memo", "boundary_class": "internal", "confidence": 0.5, "offset": 0, "length": 0
    }  # fmt: skip

    source: str | None = Field(default=None, description="Title, site or file, page and year of what it was read in.")
    date: str = found("observed_at", description="When it was observed.")
    offset: int = Field(default=0, description="Where in the memo's text this piece starts, in characters.")
    length: int = Field(description="How many characters the whole text has.")
    cut: list[str] = Field(default=[])

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        node = getattr(result, "node", result)
        source = source_of(node)
        return {"source": source and source.words(), "length": len(node.content)}

    @classmethod
    def _lean(cls, value: Mapping[str, Any], how: Lean) -> dict[str, Any]:
        lean: dict[str, Any] = super()._lean(value, how)
        if value["length"] == len(value["content"]):
            lean.pop("length", None)
        return lean


class MemoPreview(Memo, answers=()):
    """A memo as an item of a list: of a long text the beginning; ask for it by its id to read it whole."""

    brief: ClassVar[str] = (
        "id kind claim_kind date source title namespace expires_at slot speaker session written_by valid_from valid_to "
        "superseded_by pinned offset length content"
    )

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        if hasattr(result, "is_whole"):
            return super().derived(result)
        node = getattr(result, "node", result)
        passage = getattr(result, "passage", None) or results.Passage(0, node.content[:PASSAGE_CHARACTERS])
        shorter: dict[str, Any] = {"content": passage.text} if len(node.content) > PASSAGE_CHARACTERS else {}
        for name in ("metadata", "aliases", "provenance"):
            if len(json_text(getattr(node, name)).encode()) > _PREVIEW_BYTES:
                shorter[name] = type(getattr(node, name))()
        return {**super().derived(result), **shorter, "offset": passage.offset, "cut": sorted(shorter)}


class Item(MemoPreview, answers=()):
    """A memo that was found or recalled, and why. What its lean form has beside its text is bounded."""

    brief: ClassVar[str] = (
        "id kind date source speaker written_by title valid_from valid_to superseded_by relevance replaces held_until "
        "older disputed_by "
        "offset length content scores factors features figures"
    )

    reason: str = Field(description="Why it is here, in words.")
    trust: Trust = found("node.kind")
    relevance: float | str | None = Field(
        default=None, description="How surely it is about the question: 0 to 1; lean: strong or weak."
    )
    replaces: list[str] = Field(default=[], description="Statements whose place it took.")
    held_until: str | None = Field(default=None, description="Until when the last of those held.")
    older: str | None = found("older_than", default=None, description="A later one that says another value.")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        source, most = source_of(result.node), _MAX_SOURCE_BYTES.get(result.node.kind, _MAX_OTHER_SOURCE_BYTES)
        return {**super().derived(result), "source": source and source.words(most)}

    @classmethod
    def _lean(cls, value: Mapping[str, Any], how: Lean) -> dict[str, Any]:
        lean = super()._lean(value, how)
        if "source" in lean and value["kind"] != "memo":  # a source has a year
            lean.pop("date", None)
        if "relevance" in lean and (word := results.relevance_word(lean.pop("relevance"))) != "likely":
            lean["relevance"] = word
        if "valid_from" in lean:  # since when it holds says more than when that was said
            lean.pop("date", None)
        if "source" in lean and value["kind"] == "fragment":  # that it is quoted goes without saying
            lean.pop("kind", None)
        return fitted(lean, value["reason"])


class ProposedRelation(mirror(ProposedEdge, without="accepted figures number state note told", digits=True)):
    """A relation between two memos that insight found worth making."""

    confidence: float = Field(description="How sure it is until a caller states it, 0 to 1.")
    judge: str = Field(description="insight: a program's guess.")


class NearMemo(Answer, answers=(results.NearStatement,), within=("node",)):
    """A memo that says something similar to the one that was saved."""

    brief: ClassVar[str] = "id date differs hint text"

    id: str
    date: str = found("observed_at", description="When it was observed.")
    differs: list[str] = Field(description="In what: number, date, negation, name, content, more, or wording.")
    hint: str | None = Field(description="What to do about it.")
    text: Annotated[str, cut(_NEAR_CHARACTERS)] = found("content", description="Its beginning.")
    similarity: Rounded = Field(description="How similar, 0 to 1.")


class SavedMemo(Answer, answers=(results.Saved,), within=("node",)):
    """The result of saving. `duplicate`: this text was already there, and `memo` is the one that has it."""

    # The note has the day on which it expires.
    brief: ClassVar[str] = (
        "root_namespace status memo boundary_class alias_added note replaced near redacted relations degraded"
    )
    usual: ClassVar[Mapping[str, Any]] = {"boundary_class": "internal"}

    root_namespace: str
    status: Literal["created", "updated", "unchanged", "duplicate"]
    memo: MemoRef = found("node")
    boundary_class: str
    expires_at: str | None = None
    alias_added: str | None = Field(default=None, description="The title that became an alias of a duplicate.")
    note: str | None = Field(default=None, description="What became of its title, what was not kept, when it expires.")
    replaced: list[str] = Field(default=[], description="Statements whose place it took: they are history now.")
    near: list[NearMemo] = Field(default=[], description="What says something similar: act on its hint.")
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
    items: list[MemoPreview] = found("nodes")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        """A memo that was asked for by its id is a list of one, with the whole of it."""
        return {"nodes": [Overlay(result, {"is_whole": True})]} if hasattr(result, "content") else {}


class Relation(
    mirror(
        MeasuredEdge,
        only="source_id target_id tag weight judge reason created_at updated_at version observed_at valid_from "
        "valid_to",
        whole=True,
    ),
    answers=(),
):
    """A directed relation between two memos."""

    brief: ClassVar[str] = "source_id target_id tag weight confidence judge valid_from valid_to reason depth"
    usual: ClassVar[Mapping[str, Any]] = {"confidence": 1.0}

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
    replaced: list[str] = Field(default=[], description="Where the relations led whose place it took.")


class DeletedRelation(Answer, answers=(Edge, MeasuredEdge)):
    """A deleted relation."""

    root_namespace: str
    deleted: bool = True
    relation: Relation

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        return {"relation": result}


class RelatedMemo(mirror(NodeRef), answers=()):
    """A memo at the end of a relation."""

    usual: ClassVar[Mapping[str, Any]] = {"kind": "memo"}


class RelationList(Paged, answers=(results.Relations,)):
    """Relations and the memos at their ends."""

    root_namespace: str
    always: ClassVar[str] = "root_namespace nodes edges"  # so a design wants it
    nodes: list[RelatedMemo]
    edges: list[Relation]

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        depths = result.depths or (None,) * len(result.edges)
        return {"edges": [Overlay(edge, {"depth": depth}) for edge, depth in zip(result.edges, depths, strict=True)]}


class FinalFactors(mirror(results.Factors), within=("factors",)):
    """The parts of a final score: score = S · g, with g = utility part · confidence part · recency part."""

    S: float = found("fit", description="How well it fits the question, 0 to 1.")
    age_days: Annotated[float, AfterValidator(lambda days: round(days, 3))]


class FoundMemo(Item, answers=(results.Hit,)):
    """A memo that a search found."""

    score: float = Field(description="How well it fits, 0 to 1; comparable within one answer only.")
    scores: mirror(results.Scores) | None = Field(default=None, description="With explain: how the score came about.")
    factors: FinalFactors | None = Field(default=None, description="With explain and rank final: S and the parts of g.")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        return {**super().derived(result), "factors": None if result.factors is None else result}


class SearchResult(mirror(results.SearchResult, without="vectors_searched filtered", whole=True, paged=True)):
    """Memos that fit a question, best first. `arms` says how it was searched, `degraded` what it lacked."""

    brief: ClassVar[str] = "items note degraded policy_version next_cursor truncated"
    always: ClassVar[str] = "items"

    root_namespace: str
    policy_version: str = ""

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        return {} if getattr(result, "explain", True) else {"hits": _without(result.hits, "scores", "factors")}


class SimilarNode(mirror(results.Similar, without="kind", whole=True)):
    """A node near a question."""

    usual: ClassVar[Mapping[str, Any]] = {"trust": "own-note"}

    trust: Trust = found("kind")


class VectorSearchResult(mirror(results.SimilarFound, paged=True)):
    """Nodes that are near in meaning, most similar first."""

    always: ClassVar[str] = "ok results total_searched"

    ok: bool = True


class Features(FinalFactors, mirror(results.Scores), answers=(results.ScoreBreakdown,), within=("scores",)):
    """How an item got its place: score = S · g, with g = utility part · confidence part · recency part."""

    graph: float = Field(description="What relations and mentions add, relative to the best.")


class Dispute(mirror(MeasuredEdge, only="tag confidence judge observed_at thickness", digits=True), answers=()):
    """A relation by which another item contradicts this one, or this one the other."""

    id: str = Field(description="The other item.")


class RecalledMemo(Item, answers=(results.ContextItem,)):
    """One item of an active context."""

    rank: int
    score: float = Field(description="S · g, 0 to 1.")
    disputed_by: list[str] = Field(description="Items of this context that contradict it.")
    disputes: list[Dispute] = Field(default=[], description="The relations behind disputed_by, and who judged them.")
    features: Features | None = found("breakdown", default=None, description="With explain: the scores of every stage.")
    figures: str | None = Field(default=None, description="With explain: the figures as key=value; pairs.")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        def other(edge: Any) -> str:
            return str(edge.source_id if edge.target_id == result.node.id else edge.target_id)

        return {
            **super().derived(result),
            "disputes": [Overlay(edge, {"id": other(edge)}) for edge in result.disputes],
        }


class ActiveContextAnswer(
    mirror(results.ActiveContext, without="question scopes created_at is_kept", whole=True, paged=True)
):
    """The memos that matter now for a question, best first; the id of the context reads them again until it expires."""

    brief: ClassVar[str] = (
        "active_context_id policy_version rules_note rules items note degraded review upkeep parameters filtered "
        "next_cursor truncated"
    )
    always: ClassVar[str] = "items"

    root_namespace: str
    rules_note: str | None = Field(default=None, description="What the rules are, and how many do not fit.")
    rules: dict[str, str] = Field(default={}, description="Stored preferences that always come: text by id.")
    parameters: dict[str, Any] | None = Field(default=None, description="With explain: alpha, k and the arms.")
    filtered: dict[str, int] | None = Field(default=None, description="With explain: what was left out, by reason.")

    @classmethod
    def derived(cls, result: Any) -> Mapping[str, Any]:
        rules = {"rules": {node.id: node.content for node in result.rules}}
        if getattr(result, "explain", True):
            return rules
        items = _without(result.items, "breakdown", "figures")
        return {**rules, "parameters": None, "filtered": None, "items": items}

    @classmethod
    def _lean(cls, value: Mapping[str, Any], how: Lean) -> dict[str, Any]:
        rules = {short_id(known): text for known, text in value["rules"].items()}
        lean: dict[str, Any] = super()._lean({**value, "rules": rules}, how)
        return lean


def _without(items: Sequence[Any], *names: str) -> list[Overlay]:
    """Return results without these values, which have no place in an answer that need not explain itself."""
    return [Overlay(item, dict.fromkeys(names)) for item in items]
