"""`Memory`: the verbs in one class, and how to open it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from wherefrom import config
from wherefrom.api.documents import DocumentVerbs
from wherefrom.api.explore import ExploreVerbs
from wherefrom.api.memos import MemoVerbs
from wherefrom.api.metabolism import MetabolismVerbs
from wherefrom.api.opening import access_from, open_database, open_embedder, tuning_of
from wherefrom.api.policy import PolicyVerbs
from wherefrom.api.recall import RecallVerbs
from wherefrom.api.relations import RelationVerbs
from wherefrom.api.search import SearchVerbs
from wherefrom.api.tasks import TaskVerbs
from wherefrom.api.upkeep import UpkeepVerbs
from wherefrom.embedding.port import Embedder
from wherefrom.model import identifiers
from wherefrom.model.errors import InvalidInput


class Memory(
    MemoVerbs,
    SearchVerbs,
    RecallVerbs,
    RelationVerbs,
    DocumentVerbs,
    TaskVerbs,
    ExploreVerbs,
    PolicyVerbs,
    MetabolismVerbs,
    UpkeepVerbs,
):
    """A memory, seen by one owner from one root.

    Many threads may share one; a process opens its own (also after a fork).
    """

    @classmethod
    def open(
        cls,
        url: str | Path | None = None,
        *,
        owner: str | None = None,
        root: str | None = None,
        namespace: str | None = None,
        allow: Sequence[str] | None = None,
        embedder: str | Embedder | None = None,
        embed_model: str | None = None,
        privacy: str | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Open a memory by path or URL. What is not given comes from the environment, then the defaults.

        `root` confines everything to one namespace and what is below it, `namespace` is the default
        inside it, `allow` holds the tags that open boundary classes. `embedder` is the name of one (see the
        settings) or an object of your own that is one; `embed_model` is its model. `privacy="shared"` treats
        a personal memory as a shared one, for those who are not its owner. `clock` tells the time instead of the
        machine's, with a zone: what is fresh and what has expired depends on it.
        """
        if not isinstance(url, str | Path | None):
            raise InvalidInput(f"a database is a path or a URL, not {type(url).__name__}")
        given = {
            "db": None if url is None else str(url),
            "owner": owner,
            "root": root,
            "namespace": namespace,
            "allow": allow,
            "embedder": embedder if isinstance(embedder, str) else None,
            "embed_model": embed_model,
            "privacy": privacy,
        }
        settings = config.load(given)
        access = access_from(settings)
        made = open_embedder(settings) if embedder is None or isinstance(embedder, str) else embedder
        return cls(
            open_database(settings),
            access,
            allow=settings.allow,
            embedder=made,
            tuning=tuning_of(settings),
            clock=clock or identifiers.utc_now,
        )

    def close(self) -> None:
        """Finish the work at hand and release the database's connections."""
        # First, because it is quick: whoever ends the process may not wait for the batch at hand.
        self._journal.close()
        self._worker.close()
        if self._embedder is not None:
            self._embedder.close()
        self._close_reader()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
