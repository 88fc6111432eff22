"""`Store` and `Memory`: the verbs. The only place that chooses a database or an embedder."""

from wherefrom.api.memory import Memory
from wherefrom.api.opening import access_of, dialect_of
from wherefrom.api.store import Store

__all__ = ["Memory", "Store", "access_of", "dialect_of"]
