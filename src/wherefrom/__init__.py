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
    from wherefrom.api import Memory as Memory
    from wherefrom.api import Store as Store
    from wherefrom.embedding.port import Embedder as Embedder
    from wherefrom.embedding.port import Trust as Trust
    from wherefrom.evidence.input import NewClaim as NewClaim
    from wherefrom.evidence.input import NewEvidence as NewEvidence
    from wherefrom.evidence.input import NewFragment as NewFragment
    from wherefrom.evidence.input import NewPage as NewPage
    from wherefrom.evidence.input import NewQuery as NewQuery
    from wherefrom.interfaces.http.client import Client as Client
    from wherefrom.model.errors import BoundaryDenied as BoundaryDenied
    from wherefrom.model.errors import Cancelled as Cancelled
    from wherefrom.model.errors import Conflict as Conflict
    from wherefrom.model.errors import EmbedderUnavailable as EmbedderUnavailable
    from wherefrom.model.errors import Forbidden as Forbidden
    from wherefrom.model.errors import Gone as Gone
    from wherefrom.model.errors import InvalidInput as InvalidInput
    from wherefrom.model.errors import InvalidNamespace as InvalidNamespace
    from wherefrom.model.errors import NotFound as NotFound
    from wherefrom.model.errors import Overloaded as Overloaded
    from wherefrom.model.errors import SchemaTooNew as SchemaTooNew
    from wherefrom.model.errors import StoreBusy as StoreBusy
    from wherefrom.model.errors import StoreError as StoreError
    from wherefrom.model.errors import StoreUnavailable as StoreUnavailable
    from wherefrom.model.errors import TextRefused as TextRefused
    from wherefrom.model.errors import TimedOut as TimedOut
    from wherefrom.model.errors import TooLarge as TooLarge
    from wherefrom.model.errors import Unauthorized as Unauthorized
    from wherefrom.model.errors import WherefromError as WherefromError
    from wherefrom.model.graph import Edge as Edge
    from wherefrom.model.graph import Node as Node

_HOMES = {
    "api": "Memory Store",
    "embedding.port": "Embedder Trust",
    "model.errors": "BoundaryDenied Cancelled Conflict EmbedderUnavailable Forbidden Gone InvalidInput "
    "InvalidNamespace NotFound Overloaded SchemaTooNew StoreBusy StoreError StoreUnavailable TextRefused TimedOut "
    "TooLarge Unauthorized WherefromError",
    "interfaces.http.client": "Client",
    "evidence.input": "NewClaim NewEvidence NewFragment NewPage NewQuery",
    "model.graph": "Edge Node",
}
__all__ = sorted(" ".join(_HOMES.values()).split())
__getattr__ = exported(globals(), _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
