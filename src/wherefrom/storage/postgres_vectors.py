"""Vector search on PostgreSQL: pgvector, an HNSW index for each model that has many vectors."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import EmbeddingModel, Near, Nearest, Row, Transaction, try_to_prepare
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

# This many vectors are compared one by one in some five milliseconds; more are worth an index.
_INDEXED_FROM: Final = 2_000
# The number of neighbours that the index keeps in view while it searches (hnsw.ef_search).
_EFFORT: Final = 80
_QUICK_EFFORT: Final = 40
_THOROUGH_EFFORT: Final = 300
_INDEX: Final = "embeddings_hnsw_"
# What is set before a search of the index and taken back behind it: in one database, and in one that Citus distributes.
_SETTINGS: Final = {
    False: ("vector_settings", "vector_settings_end"),
    True: ("vector_settings_distributed", "vector_settings_end_distributed"),
}
_COUNTS_SECONDS: Final = 30.0
_MAX_KNOWN_ACCESSES: Final = 1_000
# pgvector indexes up to 2,000 dimensions, with numbers of half the size up to 4,000.
_MAX_VECTOR_DIMENSIONS: Final = 2_000
_MAX_HALFVEC_DIMENSIONS: Final = 4_000


class PostgresVectors:
    """Vector search of one database. The number of vectors that an access may see decides between the index and a scan;
    if it is large, it is kept for half a minute. `alone` opens a connection in autocommit mode.
    """

    def __init__(self, alone: Callable[[], AbstractContextManager[Any]]) -> None:
        self._alone = alone
        self._counts = Kept[Hashable, tuple[float, int]](entries=_MAX_KNOWN_ACCESSES)
        # The models that have an index, each with whether Citus may keep its rows on other servers.
        self._indexes = Kept[int, bool](entries=_MAX_KNOWN_ACCESSES, seconds=_COUNTS_SECONDS)
        self._building: threading.Thread | None = None

    def send_nearest(self, tx: Transaction, access: Access, near: Near) -> Callable[[], Nearest]:
        """See `port.Vectors`."""
        model = near.model
        where = {
            **scope_parameters(access),
            "kinds": json_text(near.kinds),
            "model": model.number,
            "dimension": model.dimension,
            "question": near.direction,
            "limit": near.limit,
            **near.times.parameters(),
            "facts": near.with_facts or None,
            "half": True if model.dimension > _MAX_VECTOR_DIMENSIONS else None,
            "within": None if near.within is None else json_text(near.within),
        }
        key = (access.reach, where["kinds"], model.number)
        searched = None if near.within is not None else self._indexed(tx, key, where, model)
        if searched is None:
            return self._send_scan(tx, key, where, near)
        many = searched
        effort = _THOROUGH_EFFORT if near.thorough else _QUICK_EFFORT if near.quick else _EFFORT
        begin, end = _SETTINGS[self._indexes.get(model.number) or False]
        settings = (begin, {"effort": max(effort, near.limit)})
        sent = tx.send_between(settings, ("vector_nearest", where), (end, {}))

        def wait() -> Nearest:
            rows = sent()
            if len(rows) < min(near.limit, many):
                # The index gave up before enough rows passed the filter: a small part of a large table.
                return self._send_scan(tx, key, where, near)()
            return _nearest(tx, rows, many)

        return wait

    def drop_copies(self) -> None:
        """Do nothing: all vectors are in the database."""

    def prepare(self, model: EmbeddingModel) -> None:
        """Build the index of a model while others read and write; does nothing if another process is building it."""
        if model.dimension > _MAX_HALFVEC_DIMENSIONS:
            return
        with self._alone() as connection:
            (many,) = connection.execute(
                "select count(*) from (select 1 from embeddings where model = %s limit %s) as counted",
                (model.number, _INDEXED_FROM),
            ).fetchone() or (0,)
            (free,) = connection.execute("select pg_try_advisory_lock(%s)", (model.number,)).fetchone() or (False,)
            if many < _INDEXED_FROM or not free:
                return
            name = f"{_INDEX}{model.number}"
            kind = "halfvec" if model.dimension > _MAX_VECTOR_DIMENSIONS else "vector"
            connection.execute("set maintenance_work_mem = '512MB'")
            query = "select indisvalid from pg_index where indexrelid = to_regclass(%s)"
            made = connection.execute(query, (name,)).fetchone()
            if made == (True,):  # Citus would mark it as invalid, though it makes no other
                return
            if made:
                connection.execute(f"drop index {name}")
            connection.execute(
                f"create index concurrently if not exists {name} on embeddings"
                f" using hnsw ((vector::{kind}({model.dimension})) {kind}_cosine_ops) where model = {model.number}"
            )

    def forget(self, number: int) -> None:
        """Drop the index of a model."""
        self._indexes = Kept[int, bool](entries=_MAX_KNOWN_ACCESSES, seconds=_COUNTS_SECONDS)
        with self._alone() as connection:
            connection.execute(f"drop index concurrently if exists {_INDEX}{number}")

    def _send_scan(self, tx: Transaction, key: Hashable, where: dict[str, Any], near: Near) -> Callable[[], Nearest]:
        """Begin to compare all vectors that the access may see; if there are many, the next search uses the index."""
        sent = tx.send("vector_scan", where)

        def wait() -> Nearest:
            rows = sent()
            searched = rows[0][-1] if rows else 0
            if near.within is None and searched > _INDEXED_FROM and near.model.dimension <= _MAX_HALFVEC_DIMENSIONS:
                self._counts.put(key, (time.monotonic() + _COUNTS_SECONDS, searched))
            return _nearest(tx, [row[:-1] for row in rows], searched)

        return wait

    def _indexed(self, tx: Transaction, key: Hashable, where: dict[str, Any], model: EmbeddingModel) -> int | None:
        """The number of vectors to choose from, if there are many and an index; None if they are to be scanned."""
        known = self._counts.get(key)
        if known is None:
            return None
        if not self._is_indexed(tx, model):
            if self._building is None or not self._building.is_alive():
                self._building = threading.Thread(target=try_to_prepare, args=(self, model), daemon=True)
                self._building.start()
            return None
        until, searched = known
        if until < time.monotonic():
            searched = tx.number("embedding_total", where)
            self._counts.put(key, (time.monotonic() + _COUNTS_SECONDS, searched))
        return searched if searched > _INDEXED_FROM else None

    def _is_indexed(self, tx: Transaction, model: EmbeddingModel) -> bool:
        """True if the index of a model is there; asked again after a while, as nobody drops that of a model in use."""
        if self._indexes.get(model.number) is None:
            found = tx.row("vector_indexed", {"name": f"{_INDEX}{model.number}"})
            if found is None:
                return False
            self._indexes.put(model.number, found[0])
        return True


def _nearest(tx: Transaction, rows: Sequence[Row], searched: int) -> Nearest:
    ids, said = tuple(row[0] for row in rows), tuple(row[2:] for row in rows)
    return Nearest(ids, tx.dialect.from_vectors([row[1] for row in rows]), searched, said)
