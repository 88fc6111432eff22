"""What evidence is made of: tasks and queries, what a caller adds, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from wherefrom.model.graph import BoundaryClass, ClaimKind, QueryType, Relation, TaskStatus
from wherefrom.model.param import Param

FragmentType = Literal["paragraph", "heading", "list", "table", "quote", "figure", "code", "abstract"]
AddedStatus = Literal["created", "updated", "unchanged"]
CorrectionAction = Literal["edge_correct", "claim_reject", "claim_restore"]


@dataclass(frozen=True, slots=True)
class Task:
    """A research task. The order of the fields is the order of the columns in every query."""

    id: str
    namespace: str
    query: str
    status: TaskStatus
    created_at: str
    updated_at: str
    boundary_class: BoundaryClass = "internal"
    result_summary: str | None = None
    error_message: str | None = None
    started_at: str | None = None
    completed_at: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """One search that was run for a task. The order of the fields is the order of the columns in every query."""

    id: str
    task_id: str
    query_text: str
    executed_at: str
    query_type: QueryType = "initial"
    language: str | None = None
    parent_query_id: str | None = None
    depth: int = 0
    result_count: int | None = None
    useful_fragments: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQuery:
    """The search that found some evidence: what was asked, and how many results there were."""

    text: Annotated[str, Param("What was asked.")]
    type: Annotated[QueryType, Param("How it came about.")] = "initial"
    language: Annotated[str | None, Param("The language that it is in.")] = None
    parent_id: Annotated[str | None, Param("The query that it follows from.")] = None
    result_count: Annotated[int | None, Param("How many results there were.", 0, 10**9)] = None


@dataclass(frozen=True, slots=True)
class NewPage:
    """A source. `cites` holds the pages that it cites, or just their URLs."""

    url: Annotated[str, Param("Its address; a page is known by it.")]
    title: Annotated[str | None, Param("Its title.")] = None
    year: Annotated[int | None, Param("When it was published.", -9999, 9999)] = None
    paper_metadata: Annotated[Mapping[str, Any], Param("For papers: doi, venue, authors, …")] = field(
        default_factory=dict
    )
    cites: Annotated[Sequence[NewPage | str], Param("Pages that it cites, by URL.")] = ()
    citation_source: str | None = None
    """Who says that it cites them; without it, the caller read it there."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else is known of the page: content_type, fetched_at, file_hash."""


@dataclass(frozen=True, slots=True)
class NewFragment:
    """A verbatim piece of a page. Without a position it comes after those that are there."""

    text: Annotated[str, Param("Copied word for word from the page.")]
    position: Annotated[int | None, Param("Its place on the page; omit: after the others.", 0, 2**31 - 1)] = None
    heading: Annotated[str | None, Param("The heading that it stands under.")] = None
    type: Annotated[FragmentType, Param("What it is.")] = "paragraph"
    headings: Sequence[str] = ()
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """What a fragment, or another claim, says about a claim.

    `fragment` and `claim` name it: a number counts what is given in the same call, from 0; a text is an id.
    `quote` must stand in the fragment, letter for letter; line breaks, hyphenation and typography may differ.
    """

    relation: Annotated[Relation, Param("origin: the claim was taken from here; it is no judgement.")]
    fragment: Annotated[int | str | None, Param("Its number in this call from 0, or a fragment's id.")] = None
    claim: Annotated[int | str | None, Param("Instead: another claim that speaks for or against it.")] = None
    confidence: Annotated[float, Param("How sure you are of the relation.", 0, 1)] = 1.0
    quote: Annotated[str | None, Param("The words that say so; refused unless they stand there.")] = None
    reason: Annotated[str | None, Param("Why, in one plain sentence.")] = None


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A statement, new or known by its id, with what speaks for and against it."""

    text: Annotated[str | None, Param("One statement. Or give claim_id.")] = None
    claim_id: Annotated[str | None, Param("A claim that is stored already.")] = None
    evidence: Annotated[Sequence[NewEvidence], Param("What speaks for and against it.")] = ()
    kind: ClaimKind = "fact"
    confidence: Annotated[float | None, Param("How well it was extracted.", 0, 1)] = None
    """How well it was taken from its source; not how true it is."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """What the evidence says about a claim: a Beta posterior, and how independent its sources are."""

    confidence: float
    uncertainty: float
    controversy: float
    supports: int = 0
    refutes: int = 0
    neutral: int = 0
    pages: int = 0
    domains: int = 0
    oldest_year: int | None = None
    newest_year: int | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one thing that was added."""

    id: str
    status: AddedStatus


@dataclass(frozen=True, slots=True)
class AddedClaim(Added):
    """A claim that was added to, and what its evidence says now."""

    rejected: bool
    posterior: Posterior


@dataclass(frozen=True, slots=True)
class EvidenceAdded:
    """What `add_evidence` did."""

    page: Added | None
    fragments: tuple[Added, ...]
    claims: tuple[AddedClaim, ...]
    edges: Mapping[str, int]
    """How many edges were created, updated, unchanged, or kept because a person had judged them."""
    cites: int
    query_id: str | None
    redacted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DocumentAdded:
    """What became of a file, a page of the web, or one paper of a bibliography."""

    source: str
    url: str
    title: str | None
    status: AddedStatus
    fragments: int
    cites: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict)
    """What the policy took out of the texts, by kind."""


@dataclass(frozen=True, slots=True)
class DocumentsAdded:
    """What was added, and what could not be read or stored, each with the reason."""

    documents: tuple[DocumentAdded, ...]
    failures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person corrected."""

    action: CorrectionAction
    claim_id: str
    reason: str
    at: str
    source_id: str | None = None
    relation_before: str | None = None
    relation_after: str | None = None
    confidence_before: float | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected claim: what its evidence says now, and all that was corrected about it, newest first."""

    claim_id: str
    rejected: bool
    changed: bool
    posterior: Posterior
    history: tuple[Correction, ...]


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """What a completed task has gathered."""

    total_claims: int
    total_fragments: int
    total_pages: int
    supporting_edges: int
    refuting_edges: int
    neutral_edges: int
    top_domains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task with its queries counted; the summary is there once it is completed."""

    task: Task
    queries: int
    claims: int
    evidence_summary: EvidenceSummary | None = None


@dataclass(frozen=True, slots=True)
class SearchHealth:
    """How many searches and activations there were in the last days, and how many of them lacked an arm."""

    days: int
    searches: int
    fallbacks: Annotated[int, Param("How many had to do without an arm, such as the vectors.")]

    @property
    def fallback_share(self) -> float:
        """The share of searches that lacked an arm; 0 if there were none."""
        return self.fallbacks / self.searches if self.searches else 0.0


@dataclass(frozen=True, slots=True)
class Status:
    """How the memory or one of its tasks is."""

    counts: Annotated[
        Mapping[str, int],
        Param("Without a task_id: how many memos, claims, fragments, pages, entities and edges."),
    ]
    tasks_by_status: Mapping[str, int]
    tasks: tuple[TaskState, ...]
    pending_embeddings: int
    root_namespace: str
    searches: SearchHealth
    note: Annotated[str | None, Param("What you should know about where the memory lies.")] = None


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table or view that SQL may read."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to an SQL statement, or why there is none."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    elapsed_ms: int
    error: str | None = None
    hint: str | None = None
    schema: tuple[TableShape, ...] | None = None
    notes: tuple[str, ...] = ()
    dialect: str = ""
    """Whose SQL the statement has to be: SQLite or PostgreSQL."""

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.error is None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A view's SELECT, to run by itself or inside `with name as (…)`, and the parameters that it takes."""

    sql: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ViewShape:
    """One of the analyses: its name, the question it answers, its columns."""

    name: str
    question: str
    columns: tuple[str, ...]
