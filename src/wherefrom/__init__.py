"""Wherefrom: a memory for AI agents that can say where every statement comes from.

What is here is enough to open a memory, to give it something, and to handle its errors. The classes of what its verbs
return are in `wherefrom.model`, for those who name them in annotations.
"""

from __future__ import annotations

import wherefrom.starting  # noqa: F401  # before everything else: from here on Ctrl-C is quiet

# isort: split
from wherefrom.lazy import exported

TYPE_CHECKING = False  # `typing` takes longer than all of this
if TYPE_CHECKING:
    from wherefrom.api import Memory, Store
    from wherefrom.embedding.port import Embedder, Trust
    from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage, NewQuery
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
    from wherefrom.model.graph import Edge, Node

__all__ = [
    "BoundaryDenied",
    "Conflict",
    "Edge",
    "Embedder",
    "EmbedderUnavailable",
    "Gone",
    "InvalidInput",
    "InvalidNamespace",
    "Memory",
    "NewClaim",
    "NewEvidence",
    "NewFragment",
    "NewPage",
    "NewQuery",
    "Node",
    "NotFound",
    "SchemaTooNew",
    "Store",
    "StoreBusy",
    "StoreError",
    "StoreUnavailable",
    "TextRefused",
    "Trust",
    "WherefromError",
]

__getattr__ = exported(
    globals(),
    {
        "api": "Memory Store",
        "embedding.port": "Embedder Trust",
        "model.errors": "BoundaryDenied Conflict EmbedderUnavailable Gone InvalidInput InvalidNamespace NotFound "
        "SchemaTooNew StoreBusy StoreError StoreUnavailable TextRefused WherefromError",
        "evidence.input": "NewClaim NewEvidence NewFragment NewPage NewQuery",
        "model.graph": "Edge Node",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
