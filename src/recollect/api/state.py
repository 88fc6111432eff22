"""What all verbs work with: a database, an access, an embedder, a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from recollect.api.worker import Worker
from recollect.embedding.port import Embedder
from recollect.model import identifiers
from recollect.model.access import Access
from recollect.model.graph import BoundaryClass
from recollect.recall.cut_off import CutOff
from recollect.storage import text_index
from recollect.storage.port import Database


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the settings say about searches and about what may be sent."""

    alpha: float | None = None
    cut: CutOff | None = None
    send_classes: tuple[BoundaryClass, ...] = ("public", "internal")


class Verbs:
    """Base of the groups of verbs that make up `Memory`."""

    def __init__(
        self,
        database: Database,
        access: Access,
        *,
        embedder: Embedder | None = None,
        tuning: Tuning | None = None,
        clock: Callable[[], datetime] = identifiers.utc_now,
        new_id: Callable[[], str] = identifiers.new_id,
    ) -> None:
        self._database = database
        self._access = access
        self._embedder = embedder
        self._tuning = tuning or Tuning()
        self._clock = clock
        self._new_id = new_id
        self._text_search = text_index.TextSearch()
        self._worker = Worker(database, embedder, access, self._tuning.send_classes, clock)

    @property
    def root_namespace(self) -> str:
        """The namespace that this access may not leave."""
        return self._access.root

    def _now(self) -> str:
        return identifiers.timestamp(self._clock())


def silent(done: int, total: int) -> None:
    """No progress shown."""
