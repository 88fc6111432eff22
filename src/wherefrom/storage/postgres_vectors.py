"""Vector search on PostgreSQL: pgvector, an HNSW index for each model that has many vectors."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Any, Final

import psycopg

from wherefrom.model.access import Access
from wherefrom.model.errors import WherefromError
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import Model, Near, Nearest, Row, Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.text.check import json_text

# So many vectors are compared one by one in some five milliseconds; more are worth an index.
_INDEXED_FROM: Final = 2_000
# How many neighbours the index keeps in view while it searches.
_EFFORT: Final = 80
_THOROUGH_EFFORT: Final = 300
_INDEX: Final = "embeddings_hnsw_"
_COUNTS_SECONDS: Final = 30.0
_KNOWN_ACCESSES: Final = 1_000
# pgvector indexes up to 2,000 dimensions, with numbers of half the size up to 4,000.
_FULL_DIMENSIONS: Final = 2_000
_HALF_DIMENSIONS: Final = 4_000

Alone = Callable[[], AbstractContextManager[psycopg.Connection[Row]]]


class PostgresVectors:
    """Keeps for half a minute how many vectors an access may see: that decides between the index and a scan."""

    def __init__(self, alone: Alone) -> None:
        self._alone = alone
        self._many = Kept[Hashable, tuple[float, int]](entries=_KNOWN_ACCESSES)
        self._building: threading.Thread | None = None

    def nearest(self, tx: Transaction, access: Access, near: Near) -> Nearest:
        """See `port.Vectors`."""
        model = near.model
        where = {
            **scope_parameters(access),
            "kinds": json_text(near.kinds),
            "model": model.number,
            "dimension": model.dimension,
            "question": near.direction,
            "limit": near.limit,
            "now": near.now,
            "half": True if model.dimension > _FULL_DIMENSIONS else None,
            "within": None if near.within is None else json_text(near.within),
        }
        key = (access.reach, where["kinds"], model.number)
        searched = None if near.within is not None else self._indexed(tx, key, where, model)
        if searched is None:
            return self._scanned(tx, key, where, near)
        tx.run("vector_settings", {"effort": max(_THOROUGH_EFFORT if near.thorough else _EFFORT, near.limit)})
        rows = tx.rows("vector_nearest", where)
        tx.run("vector_settings_end", {})
        if len(rows) < min(near.limit, searched):
            # The index gave up before enough rows passed the filter: a small part of a large table.
            return self._scanned(tx, key, where, near)
        return Nearest(tuple(row[0] for row in rows), tx.dialect.from_vectors([row[1] for row in rows]), searched)

    def prepare(self, model: Model) -> None:
        """Build the index of a model without holding up anyone; nothing if another process is at it."""
        if model.dimension > _HALF_DIMENSIONS:
            return
        with self._alone() as connection:
            (many,) = connection.execute(
                "select count(*) from (select 1 from embeddings where model = %s limit %s) as counted",
                (model.number, _INDEXED_FROM),
            ).fetchone() or (0,)
            (free,) = connection.execute("select pg_try_advisory_lock(%s)", (model.number,)).fetchone() or (False,)
            if many < _INDEXED_FROM or not free:
                return
            name, kind = _index_name(model), "halfvec" if model.dimension > _FULL_DIMENSIONS else "vector"
            connection.execute("set maintenance_work_mem = '512MB'")
            broken = connection.execute(
                "select 1 from pg_index where indexrelid = to_regclass(%s) and not indisvalid", (name,)
            ).fetchone()
            if broken:
                connection.execute(_sql(f"drop index {name}"))
            connection.execute(
                _sql(
                    f"create index concurrently if not exists {name} on embeddings"
                    f" using hnsw ((vector::{kind}({model.dimension})) {kind}_cosine_ops) where model = {model.number}"
                )
            )

    def forget(self, number: int) -> None:
        """Drop the index of a model."""
        with self._alone() as connection:
            connection.execute(_sql(f"drop index concurrently if exists {_INDEX}{number}"))

    def _prepare_behind(self, model: Model) -> None:
        if self._building is None or not self._building.is_alive():
            self._building = threading.Thread(target=self._try_to_prepare, args=(model,), daemon=True)
            self._building.start()

    def _try_to_prepare(self, model: Model) -> None:
        try:
            self.prepare(model)
        except WherefromError:
            return  # the next search finds it missing and tries again

    def _scanned(self, tx: Transaction, key: Hashable, where: dict[str, Any], near: Near) -> Nearest:
        """Compare all that the access may see; next time by the index, if there are many."""
        rows = tx.rows("vector_scan", where)
        searched = rows[0][2] if rows else 0
        if near.within is None and searched > _INDEXED_FROM and near.model.dimension <= _HALF_DIMENSIONS:
            self._many.put(key, (time.monotonic() + _COUNTS_SECONDS, searched))
        return Nearest(tuple(row[0] for row in rows), tx.dialect.from_vectors([row[1] for row in rows]), searched)

    def _indexed(self, tx: Transaction, key: Hashable, where: dict[str, Any], model: Model) -> int | None:
        """How many vectors there are to choose from, if they are many and there is an index."""
        known = self._many.get(key)
        if known is None:
            return None
        if tx.row("vector_indexed", {"name": _index_name(model)}) is None:
            self._prepare_behind(model)
            return None
        until, searched = known
        if until < time.monotonic():
            (searched,) = tx.row("embedding_total", where) or (0,)
            self._many.put(key, (time.monotonic() + _COUNTS_SECONDS, searched))
        return searched if searched > _INDEXED_FROM else None


def _index_name(model: Model) -> str:
    return f"{_INDEX}{model.number}"


def _sql(text: str) -> Any:
    """A statement made of our own words and whole numbers."""
    return text
