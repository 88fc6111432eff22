"""`Store` and `Memory`: the verbs. The only place that chooses a database or an embedder."""

from __future__ import annotations

from wherefrom.lazy import exported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wherefrom.api.memory import Memory
    from wherefrom.api.opening import access_of, dialect_of
    from wherefrom.api.store import Store, settings_of

__all__ = ["Memory", "Store", "access_of", "dialect_of", "settings_of"]

__getattr__ = exported(globals(), {"memory": "Memory", "opening": "access_of dialect_of", "store": "Store settings_of"})
