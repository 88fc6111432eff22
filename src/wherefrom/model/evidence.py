"""Research tasks and their queries, and the answers of the verbs of evidence and exploring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from wherefrom.model.graph import BoundaryClass, MeasuredEdge, Node, QueryType, TaskStatus
from wherefrom.model.param import Param

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


@dataclass(frozen=True, slots=True)
class Posterior:
    """The Beta posterior of a claim given its evidence, and the pages, domains and years that the evidence is from."""

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
class EvidenceItem:
    """What speaks for or against a claim: a fragment or another claim, and the relation by which it does."""

    node: Node
    relation: MeasuredEdge


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """A claim, how sure its evidence makes it, and the evidence, newest first."""

    claim: Node
    posterior: Posterior
    evidence: tuple[EvidenceItem, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """One thing that was added: its id, and whether it was new or changed."""

    id: str
    status: AddedStatus


@dataclass(frozen=True, slots=True)
class AddedClaim(Added):
    """A claim that was added or got evidence, and its posterior now."""

    rejected: bool
    posterior: Posterior


@dataclass(frozen=True, slots=True)
class EvidenceAdded:
    """The answer of `add_evidence`: everything that was added, by its kind."""

    page: Added | None
    fragments: tuple[Added, ...]
    claims: tuple[AddedClaim, ...]
    edges: Mapping[str, int]
    """The numbers of edges that were created, updated, unchanged, or kept because a person had judged them."""
    cites: int
    query_id: str | None
    redacted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PageCorrected:
    """A page as it is after a person has corrected it, and how many fragments and claims carried its old facts."""

    id: str
    url: str
    title: str | None
    year: int | None
    changed: bool
    followed: int = 0


@dataclass(frozen=True, slots=True)
class DocumentAdded:
    """A file, a page of the web, or one paper of a bibliography, as it was added."""

    source: str
    url: str
    title: str | None
    status: AddedStatus
    fragments: int
    cites: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict)
    """How much the policy took out of the texts, by kind."""


@dataclass(frozen=True, slots=True)
class DocumentsAdded:
    """The documents that were added, and the sources that could not be read or stored, each with the reason."""

    documents: tuple[DocumentAdded, ...]
    failures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction by a person."""

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
    """A corrected claim, its posterior now, and its corrections, newest first."""

    claim_id: str
    rejected: bool
    changed: bool
    posterior: Posterior
    history: tuple[Correction, ...]


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """The evidence that a completed task has gathered, counted."""

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
    evidence_summary: Annotated[EvidenceSummary | None, Param("Only when status is completed.")] = None


@dataclass(frozen=True, slots=True)
class SearchHealth:
    """Searches and activations of the last days, and how many of them lacked an arm."""

    days: int
    searches: int
    fallbacks: Annotated[int, Param("How many had to do without an arm, such as the vectors.")]

    @property
    def fallback_share(
        self,
    ) -> Annotated[float, Param("fallbacks / searches; above 0.01 look at `degraded` of answers.")]:
        """The share of searches that lacked an arm; 0 if there were none."""
        return self.fallbacks / self.searches if self.searches else 0.0


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the memory, or of one of its tasks."""

    counts: Annotated[
        Mapping[str, int], Param("Without a task_id: how many memos, claims, fragments, pages, entities and edges.")
    ]
    tasks_by_status: Mapping[str, int]
    tasks: tuple[TaskState, ...]
    pending_embeddings: int
    root_namespace: str
    searches: SearchHealth
    note: Annotated[str | None, Param("What you should know about where the memory lies.")] = None
    review: Annotated[str | None, Param("How many pairs wait for review.")] = None
    upkeep: Annotated[str | None, Param("What upkeep has found and waits.")] = None


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
    """The database whose SQL the statement has to be in: SQLite or PostgreSQL."""

    @property
    def ok(self) -> bool:
        """True if there is an answer."""
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
