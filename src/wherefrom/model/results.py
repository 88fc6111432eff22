"""The answers of the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from wherefrom.model.graph import MeasuredEdge, Node, NodeRef
from wherefrom.model.insight import Degraded, ProposedEdge
from wherefrom.model.param import Param

SaveStatus = Literal["created", "updated", "unchanged", "duplicate"]
Direction = Literal["forward", "backward", "both"]
Target = Literal["claims", "fragments", "memos"]

_STRONG: Final = 0.9
_LIKELY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved memo or claim. `duplicate`: the text was already there, and the node that has it is returned.
    `alias_added`: the given title, if it became an alias because the node keeps its first title; `note`: what became
    of another title, and what was not kept. `redacted`: how much the policy took out of the text, by kind. `links`:
    the links that the caller asked to be made; `degraded`: why some of them may be missing. `replaced`: the statements
    that it took the place of, which are history now. `near`: what says something similar.
    """

    node: Node
    status: SaveStatus
    redacted: Mapping[str, int] = field(default_factory=dict)
    links: tuple[ProposedEdge, ...] = ()
    degraded: tuple[str, ...] = ()
    alias_added: str | None = None
    note: str | None = None
    replaced: tuple[str, ...] = ()
    near: tuple[NearStatement, ...] = ()


@dataclass(frozen=True, slots=True)
class NearStatement:
    """A memo or claim that says something similar to what is saved. similarity: how similar, by words and meaning,
    from 0 to 1. differs: what differs: number, date, negation, name, content, more (one says more), or nothing but the
    wording. hint: what to do about it, if there is something to do.
    """

    node: Node
    similarity: float
    differs: tuple[str, ...]
    hint: str | None


@dataclass(frozen=True, slots=True)
class Deleted:
    """A deleted memo and how many edges went with it."""

    node: Node
    edges_deleted: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page of nodes, newest first; `next_cursor` is None on the last page."""

    nodes: tuple[Node, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Scores:
    """The parts of a hit's score: BM25 and cosine similarity as measured, their ranks, and both scaled to [0, 1]. All
    values are the hit's own, also if it took the place of a duplicate.
    """

    bm25: Annotated[float | None, Param("Score of the words; null if no word was found.")]
    text_rank: int | None
    similarity: Annotated[float | None, Param("Cosine similarity; null if there is no vector to compare.")]
    vector_rank: int | None
    s_text: float
    s_vec: float
    found_through: Annotated[str | None, Param("The duplicate whose place and S this one took.")] = None
    coverage: Annotated[float | None, Param("The share of the question's words in it; rare ones count more.")] = None
    date: Annotated[float | None, Param("How near it is to the time in the question; null without one.")] = None
    speaker: Annotated[float | None, Param("1 if the question names who says it; null if it names nobody.")] = None
    session: Annotated[float | None, Param("How strong its session is, 0 to 1; null without sessions.")] = None


@dataclass(frozen=True, slots=True)
class Factors:
    """The parts of g, each in [0, 1]: utility (as a z-score before), confidence, recency, and quality if it counts."""

    utility_z: float
    utility: float
    confidence: float
    recency: float
    quality: Annotated[float | None, Param("Null unless the policy lets quality count.")]
    age_days: float
    g: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a node's text, and where it begins, in characters."""

    offset: int
    text: str


def relevance_word(relevance: float) -> Literal["strong", "likely", "weak"]:
    """How surely something is about a question, in a word."""
    return "strong" if relevance >= _STRONG else "likely" if relevance >= _LIKELY else "weak"


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that a search found, and how well it fits: `score` is S, 0 to 1, comparable within one answer. Ranked by
    the final score S · g, `fit` is S and `factors` has the parts of g. graph: what relations and mentions add; the
    order is by score + weight · graph. relevance: how surely it is about the question, 0 to 1, comparable between
    questions and stores; None if nobody can tell. `reason` says in words why it was found, `passage` which piece of a
    long text has most of the question's words. replaces: the statements whose place it took, and held_until: until
    when the last of them held. older_than: a later statement that has another value, if nobody said which of the two
    holds.
    """

    node: Node
    score: float
    scores: Scores
    factors: Factors | None = None
    fit: float | None = None
    reason: str = ""
    passage: Passage | None = None
    replaces: tuple[str, ...] = ()
    held_until: str | None = None
    older_than: str | None = None
    graph: float = 0.0
    relevance: float | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search, best first, and how it searched.

    filtered: how many candidates a rule left out, by reason. note: what was searched, if nothing was found.
    """

    hits: Annotated[tuple[Hit, ...], Param(name="items")]
    arms: tuple[str, ...]
    alpha: Annotated[float, Param("The weight of meaning beside words in the scores.")]
    candidates: Annotated[int, Param("How many memos were ranked before the cut.")]
    vectors_searched: int
    degraded: Degraded = ()
    policy_version: str = ""
    filtered: Mapping[str, int] = field(default_factory=dict)
    note: Annotated[str | None, Param("What was searched, if nothing was found or nothing is relevant.")] = None
    nothing_fits: bool = False
    """True if no hit seems to be about the question: then there are only the nearest few."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A node near a question: the beginning of its text, the cosine similarity, and where it comes from."""

    id: str
    title: str | None
    text_preview: Annotated[str, Param("The first 200 characters.")]
    similarity: Annotated[float, Param("Cosine similarity.")]
    kind: str = "claim"
    source: Annotated[Mapping[str, Any], Param("Where it comes from: the page's url, its heading.")] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class SimilarFound:
    """The nodes that `vector_search` found, most similar first, and among how many. note: the threshold, and what came
    nearest to it, if nothing reached it.
    """

    results: tuple[Similar, ...]
    total_searched: Annotated[int, Param("How many embeddings were in scope.")]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """A saved edge, and whether saving it created or changed it. `replaced`: the targets of the relations whose place
    it took.
    """

    edge: MeasuredEdge
    status: Literal["created", "updated", "unchanged"]
    replaced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relations:
    """Edges and the nodes at their ends. After a walk `depths` has each edge's distance from the start."""

    root_namespace: str
    nodes: tuple[NodeRef, ...]
    edges: tuple[MeasuredEdge, ...]
    next_cursor: str | None
    depths: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class NamespaceCount:
    """A namespace and how many nodes it holds, everything below it included."""

    namespace: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Namespaces:
    """Namespaces inside the root, by name."""

    root_namespace: str
    default_namespace: str
    items: tuple[NamespaceCount, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Renamed:
    """A namespace that was moved, and how many nodes and edges moved with it."""

    source: str
    target: str
    nodes: int
    edges: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """A line that an import left out: its number, the id it has, the code of the error and the reason."""

    line: int
    id: str | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """The counts of an import; running it again changes nothing.

    duplicate: a new node whose text was already there; refused: a changed node whose new text another
    node has; denied: a node that the policy does not let in; split: a memo that was stored in parts;
    ended: a statement whose slot a later one has, here or in the file; skipped: an edge with an end that is in neither
    the file nor the store. versions: former versions of nodes.
    rejected: how many lines were left out, for whatever reason; rejections: the first 1,000 of them.
    redacted: what the policies took out of the texts, by kind.
    """

    nodes_created: int = 0
    nodes_updated: int = 0
    nodes_unchanged: int = 0
    nodes_duplicate: int = 0
    nodes_refused: int = 0
    nodes_denied: int = 0
    nodes_split: int = 0
    nodes_ended: int = 0
    versions: int = 0
    edges_created: int = 0
    edges_updated: int = 0
    edges_unchanged: int = 0
    edges_skipped: int = 0
    tasks: int = 0
    queries: int = 0
    corrections: int = 0
    rejected: int = 0
    rejections: tuple[Rejection, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_refused(self) -> bool:
        """True if lines were left out, and of no other line anything is stored or was here already."""
        nodes = self.nodes_created + self.nodes_updated + self.nodes_unchanged + self.nodes_duplicate
        edges = self.edges_created + self.edges_updated + self.edges_unchanged
        return self.rejected > 0 and not nodes + edges + self.versions + self.tasks + self.queries + self.corrections


@dataclass(frozen=True, slots=True)
class ScoreBreakdown:
    """The parts of the place of an item in a context: its score is fit · g, and the order is by score + weight · graph.
    fit: S, how well it fits among the candidates. graph: the share of the graph arm, G · g.
    """

    scores: Scores
    fit: float
    graph: float
    factors: Factors


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A node in a context, with the reason for its place in words, and the figures behind it as key=value; pairs.

    passage: of a long text, the piece with most of the question's words. replaces: nodes that this one stands for
    (they are superseded by it), held_until: until when the last of them held; older_than, relevance: as in `Hit`.
    disputed_by: items that contradict it, and disputes: the relations that say so.
    """

    rank: int
    node: Node
    score: float
    reason: str
    breakdown: ScoreBreakdown | None = None
    replaces: tuple[str, ...] = ()
    disputed_by: tuple[str, ...] = ()
    disputes: tuple[MeasuredEdge, ...] = ()
    figures: str = ""
    passage: Passage | None = None
    held_until: str | None = None
    older_than: str | None = None
    relevance: float | None = None


@dataclass(frozen=True, slots=True)
class ActiveContext:
    """The nodes that were recalled for a question, best first.

    filtered: how many candidates were left out, by reason; parameters: α, k and what else the order depends on.
    rules: the standing rules that come with every context of their namespace, whatever the question, and are not among
    the items; rules_note: what they are, and how many others do not fit.
    """

    id: Annotated[str, Param(name="active_context_id")]
    question: str
    scopes: tuple[str, ...]
    policy_version: str
    provenance: Mapping[str, Any]
    created_at: str
    expires_at: str
    items: tuple[ContextItem, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    filtered: Mapping[str, int] = field(default_factory=dict)
    tokens: Annotated[int, Param("About how many tokens a model receives.")] = 0
    degraded: Degraded = ()
    note: Annotated[str | None, Param("What was searched, if nothing was found or nothing is relevant.")] = None
    nothing_fits: bool = False
    """True if no item seems to be about the question: then there are only the nearest few."""
    review: Annotated[str | None, Param("How many pairs wait for review.")] = None
    upkeep: Annotated[str | None, Param("What upkeep has found and waits.")] = None
    rules: tuple[Node, ...] = ()
    rules_note: str | None = None
    is_kept: bool = True
    """False if the memory may only be read, so that it cannot be asked for by its id."""


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """A judged node; `repeated`: this request was already counted. `links`: how many of its relations became stronger
    or weaker by it.
    """

    node: Node
    signal: str
    status: Literal["recorded", "repeated"]
    representative_id: str | None = None
    links: int = 0


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The nodes that a sweep retired, the run of their receipt, and how many edges went with them."""

    run_id: str
    node_ids: tuple[str, ...]
    edges: Annotated[int, Param(name="relations")]
