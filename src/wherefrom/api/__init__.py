"""`Memory`: the verbs. The only place that chooses a database or an embedder."""

from wherefrom.api.memory import Memory
from wherefrom.api.opening import access_of, dialect_of

__all__ = ["Memory", "access_of", "dialect_of"]
