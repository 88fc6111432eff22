"""What is asked of the store: the words, the direction, and what confines the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wherefrom.embedding.port import Matrix
from wherefrom.storage.port import Model
from wherefrom.text.check import json_text


@dataclass(frozen=True, slots=True)
class Question:
    """Words, a direction, or both; among nodes of some kinds and scopes, with this metadata, of this task.

    What has expired at `now` is not found; an empty `now` finds it, too.
    """

    text: str
    vector: Matrix | None
    model: Model | None
    kinds: Sequence[str]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    task_id: str | None = None
    scopes: Sequence[str] = ()
    now: str = ""
    lookups: Sequence[str] = ()
    """Personal data in the question, as the index knows them; for those who may see them."""

    def filters(self) -> dict[str, Any]:
        """The parameters of a statement that are the same whatever is searched."""
        return {
            "kinds": json_text(self.kinds),
            "metadata": json_text(self.metadata) if self.metadata else None,
            "scopes": json_text(self.scopes) if self.scopes else None,
            "now": self.now,
        }
