"""Wherefrom: a memory for AI agents that can say where every statement comes from."""

from __future__ import annotations

import wherefrom.starting  # noqa: F401  # before everything else: from here on Ctrl-C is quiet

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wherefrom.api import Memory, Store
    from wherefrom.embedding.port import Embedder, Trust
    from wherefrom.model.errors import (
        BoundaryDenied,
        Conflict,
        EmbedderUnavailable,
        Gone,
        InvalidInput,
        InvalidNamespace,
        NotFound,
        SchemaTooNew,
        StoreBusy,
        StoreError,
        StoreUnavailable,
        TextRefused,
        WherefromError,
    )
    from wherefrom.model.evidence import (
        Added,
        AddedClaim,
        Corrected,
        Correction,
        DocumentAdded,
        DocumentsAdded,
        EvidenceAdded,
        EvidenceSummary,
        NewClaim,
        NewEvidence,
        NewFragment,
        NewPage,
        NewQuery,
        Posterior,
        Query,
        QueryResult,
        Rendered,
        Status,
        TableShape,
        Task,
        TaskState,
        ViewShape,
    )
    from wherefrom.model.graph import Edge, MeasuredEdge, Node, NodeRef
    from wherefrom.model.insight import Decision, InsightMetrics, InsightPlan, LinkFigures, ProposedLink
    from wherefrom.model.metabolism import (
        Histogram,
        MetabolismPlan,
        Reinforced,
        Restored,
        TagConflict,
        ThinLink,
        Weak,
    )
    from wherefrom.model.policies import Fitted, Guarded, PolicyApplied, PolicyVersion, Privacy, Reclassified
    from wherefrom.model.results import (
        ActiveContext,
        Check,
        ContextItem,
        Deleted,
        Factors,
        Found,
        Health,
        Hit,
        Imported,
        Info,
        Judged,
        NamespaceCount,
        Namespaces,
        Page,
        Rejection,
        Related,
        Relations,
        Renamed,
        Saved,
        Scores,
        Similar,
        SimilarFound,
        Swept,
        Weighed,
    )

__all__ = [
    "ActiveContext",
    "Added",
    "AddedClaim",
    "BoundaryDenied",
    "Check",
    "Conflict",
    "ContextItem",
    "Corrected",
    "Correction",
    "Decision",
    "Deleted",
    "DocumentAdded",
    "DocumentsAdded",
    "Edge",
    "Embedder",
    "EmbedderUnavailable",
    "EvidenceAdded",
    "EvidenceSummary",
    "Factors",
    "Fitted",
    "Found",
    "Gone",
    "Guarded",
    "Health",
    "Histogram",
    "Hit",
    "Imported",
    "Info",
    "InsightMetrics",
    "InsightPlan",
    "InvalidInput",
    "InvalidNamespace",
    "Judged",
    "LinkFigures",
    "MeasuredEdge",
    "Memory",
    "MetabolismPlan",
    "NamespaceCount",
    "Namespaces",
    "NewClaim",
    "NewEvidence",
    "NewFragment",
    "NewPage",
    "NewQuery",
    "Node",
    "NodeRef",
    "NotFound",
    "Page",
    "PolicyApplied",
    "PolicyVersion",
    "Posterior",
    "Privacy",
    "ProposedLink",
    "Query",
    "QueryResult",
    "Reclassified",
    "Reinforced",
    "Rejection",
    "Related",
    "Relations",
    "Renamed",
    "Rendered",
    "Restored",
    "Saved",
    "SchemaTooNew",
    "Scores",
    "Similar",
    "SimilarFound",
    "Status",
    "Store",
    "StoreBusy",
    "StoreError",
    "StoreUnavailable",
    "Swept",
    "TableShape",
    "TagConflict",
    "Task",
    "TaskState",
    "TextRefused",
    "ThinLink",
    "Trust",
    "ViewShape",
    "Weak",
    "Weighed",
    "WherefromError",
]

# The lightest first. A name is looked up when it is first used: a process that needs one module imports only that.
_HOMES = (
    "wherefrom.model.errors",
    "wherefrom.model.graph",
    "wherefrom.model.evidence",
    "wherefrom.model.insight",
    "wherefrom.model.metabolism",
    "wherefrom.model.policies",
    "wherefrom.model.results",
    "wherefrom.embedding.port",
    "wherefrom.api",
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in map(import_module, _HOMES):
            if hasattr(home, name):
                globals()[name] = getattr(home, name)
                return globals()[name]
    raise AttributeError(f"module 'wherefrom' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
