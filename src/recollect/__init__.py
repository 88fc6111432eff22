"""Recollect: a memory for AI agents that can say where every statement comes from."""

from recollect.api import Memory
from recollect.model.errors import (
    Conflict,
    InvalidInput,
    InvalidNamespace,
    NotFound,
    RecollectError,
    SchemaTooNew,
    StoreBusy,
    StoreError,
    StoreUnavailable,
)
from recollect.model.graph import Edge, Node
from recollect.model.results import (
    Check,
    Deleted,
    Health,
    Imported,
    Info,
    NamespaceCount,
    Namespaces,
    NodeRef,
    Page,
    Related,
    Relations,
    Renamed,
    Saved,
)

__all__ = [
    "Check",
    "Conflict",
    "Deleted",
    "Edge",
    "Health",
    "Imported",
    "Info",
    "InvalidInput",
    "InvalidNamespace",
    "Memory",
    "NamespaceCount",
    "Namespaces",
    "Node",
    "NodeRef",
    "NotFound",
    "Page",
    "RecollectError",
    "Related",
    "Relations",
    "Renamed",
    "Saved",
    "SchemaTooNew",
    "StoreBusy",
    "StoreError",
    "StoreUnavailable",
]
