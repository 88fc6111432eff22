"""The vector index of a SQLite file: in memory, following the `embeddings` table, cached in a file beside it.

Before each search it reads what the `changes` log has gained, so it sees the writes and deletes of all
processes. It proposes candidates; whoever searches reads the rows themselves from the database, which
decides what exists and who may see it.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wherefrom.embedding.port import Matrix
from wherefrom.model.access import Access
from wherefrom.model.errors import WherefromError
from wherefrom.storage import vector_lists
from wherefrom.storage.port import Model, Near, Nearest, Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.storage.vector_lists import VectorLists
from wherefrom.storage.vector_scopes import Scopes
from wherefrom.text.check import json_text

Positions = NDArray[np.int64]
Read = Callable[[Callable[[Transaction], "_Rows"]], "_Rows"]

_FORMAT: Final = 1
# Below this all vectors are kept and compared exactly: a millisecond. Above it they are sorted into lists.
LISTED_FROM: Final = 20_000
# Of the lists, the share that is scanned when the text arm searches beside: it finds 93 % of the true ten in
# 100,000 texts. Thorough searches scan all of so many rows (six milliseconds in 100,000), above that as many.
_SHARE: Final = 0.1
_THOROUGH_ROWS: Final = 150_000
_THOROUGH_SHARE: Final = 0.35
# So few rows are compared one by one, whatever lists they are in.
_FEW: Final = 4_000
_MARGIN: Final = 16


class VectorIndex:
    """The index of one database file; threads may share it."""

    def __init__(self, database: Path, read: Read) -> None:
        self._cache = Path(f"{database}-vectors")
        self._read = read
        self._lock = threading.Lock()
        self._rows: _Rows | None = None
        self._building: threading.Thread | None = None

    def nearest(self, tx: Transaction, access: Access, near: Near) -> Nearest:
        """See `port.Vectors`."""
        with self._lock:
            rows = self._current(tx, near.model.number)
            allowed = rows.scopes.allowed(access, near.kinds)
            view = rows.view()
        # Candidates are chosen by rounded similarities: some more than asked for, so that none is missed.
        reach = near.limit + _MARGIN
        if near.within is None:
            searched = int(view.counts @ allowed)
            share = _thorough_share(len(view.seqs)) if near.thorough else _SHARE
            seqs = view.search(near.direction, allowed, searched, limit=reach, share=share)
        else:
            positions = view.positions_of(np.array(near.within, dtype=np.int64))
            positions = positions[allowed[view.scopes[positions]]]
            searched = len(positions)
            seqs = view.best(near.direction, positions, reach)
        where = {"kinds": json_text(near.kinds), "model": near.model.number, "seqs": json_text(seqs), "now": near.now}
        found = tx.rows("embedding_rows", {**scope_parameters(access), **where})
        vectors = tx.dialect.from_vectors([row[1] for row in found])
        similarities = vectors @ near.direction if found else np.empty(0, dtype=np.float32)
        order = np.argsort(-similarities, kind="stable")[: near.limit]
        return Nearest(tuple(found[at][0] for at in order), vectors[order], searched)

    def prepare(self, model: Model) -> None:
        """Build the index, so that the next process finds it in the cache."""
        self._renew(model.number)

    def _current(self, tx: Transaction, model: int) -> _Rows:
        """The rows as this transaction sees them, or newer."""
        rows = self._rows
        if rows is None or rows.model != model:
            rows = _cached(tx, self._cache, model) or _built(tx, model, self._cache)
        if not rows.follow(tx):
            rows = _built(tx, model, self._cache)
        self._rows = rows
        if rows.is_worn and (self._building is None or not self._building.is_alive()):
            self._building = threading.Thread(target=self._try_to_renew, args=(model,), daemon=True)
            self._building.start()
        return rows

    def _renew(self, model: int) -> None:
        """Build anew from what is stored now, while searches go on with what there is."""
        rows = self._read(lambda tx: _built(tx, model, self._cache))
        with self._lock:
            self._rows = rows

    def _try_to_renew(self, model: int) -> None:
        try:
            self._renew(model)
        except WherefromError:
            return  # closed meanwhile, or damaged: whoever searches next will see

    def forget(self, number: int) -> None:
        """Nothing: the index of another model takes its place."""


@dataclass(frozen=True, slots=True)
class _View:
    """What one search reads; later changes append behind it."""

    lists: VectorLists
    recent: Matrix
    seqs: Positions
    scopes: NDArray[np.int32]
    alive: NDArray[np.bool_]
    counts: Positions

    def search(
        self, question: Matrix, allowed: NDArray[np.bool_], searched: int, *, limit: int, share: float
    ) -> list[int]:
        if searched == 0:
            return []
        if searched <= _FEW:
            return self.best(question, np.flatnonzero(allowed[self.scopes] & self.alive), limit)
        share *= len(self.seqs) / searched
        while True:
            positions, similarities = self.lists.scan(question, self.lists.nearest_lists(question, share))
            positions = np.concatenate([positions, np.arange(self.lists.rows, len(self.seqs))])
            similarities = np.concatenate([similarities, self.recent @ question])
            if searched < len(self.seqs):
                keep = allowed[self.scopes[positions]] & self.alive[positions]
                positions, similarities = positions[keep], similarities[keep]
            if len(positions) >= min(limit, searched) or share >= 1:
                return self._top(positions, similarities, limit)
            share *= 4

    def best(self, question: Matrix, positions: Positions, limit: int) -> list[int]:
        """The nearest of some rows."""
        if not len(positions):
            return []
        listed = positions[positions < self.lists.rows]
        recent = positions[positions >= self.lists.rows]
        similarities = [self.lists.similarities(question, listed), self.recent[recent - self.lists.rows] @ question]
        return self._top(np.concatenate([listed, recent]), np.concatenate(similarities), limit)

    def positions_of(self, seqs: Positions) -> Positions:
        """Where the rows of these nodes are."""
        return np.flatnonzero(np.isin(self.seqs, seqs) & self.alive)

    def _top(self, positions: Positions, similarities: Matrix, limit: int) -> list[int]:
        if len(positions) > limit:
            chosen = np.argpartition(-similarities, limit)[:limit]
            positions, similarities = positions[chosen], similarities[chosen]
        found: list[int] = self.seqs[positions[np.argsort(-similarities, kind="stable")]].tolist()
        return found


@dataclass(slots=True)
class _Rows:
    """All rows of one model: the lists as they were built, and behind them what came since."""

    model: int
    change: int
    """The newest entry of the log that is in here."""
    salt: int | None
    lists: VectorLists
    recent: Matrix
    seqs: Positions
    scope_numbers: NDArray[np.int32]
    alive: NDArray[np.bool_]
    scopes: Scopes
    counts: Positions
    size: int
    by_seq: Positions | None = None

    @classmethod
    def of_lists(
        cls,
        lists: VectorLists,
        seqs: Positions,
        numbers: NDArray[np.int32],
        scopes: Scopes,
        *,
        model: int,
        change: int,
        salt: int | None,
    ) -> _Rows:
        """Rows that are all in lists."""
        return cls(
            lists=lists,
            recent=np.empty((0, lists.codes.shape[1]), dtype=np.float32),
            seqs=seqs,
            scope_numbers=numbers,
            alive=np.ones(len(seqs), dtype=np.bool_),
            scopes=scopes,
            counts=np.bincount(numbers, minlength=len(scopes)).astype(np.int64),
            size=len(seqs),
            model=model,
            change=change,
            salt=salt,
        )

    @property
    def is_worn(self) -> bool:
        """Whether so much has changed that building anew pays."""
        dead = self.size - int(self.counts.sum())
        return self.size - self.lists.rows + dead >= max(LISTED_FROM, self.lists.rows // 8)

    def view(self) -> _View:
        return _View(
            self.lists,
            self.recent[: self.size - self.lists.rows],
            self.seqs[: self.size],
            self.scope_numbers[: self.size],
            self.alive[: self.size],
            self.counts[: len(self.scopes)].copy(),
        )

    def follow(self, tx: Transaction) -> bool:
        """Take in what the log has gained; False if it no longer reaches back far enough."""
        oldest, newest, salt = tx.row("changes_range", {}) or (0, 0, None)
        if newest < self.change:
            return True  # a reader that began earlier
        if newest == self.change:
            return bool(salt == self.salt)
        if oldest > self.change + 1 or (self.change >= oldest and not self._is_of(tx)):
            return False
        rows = tx.rows("changes_since", {"after": self.change, "model": self.model})
        gone = self._living([row[0] for row in rows])
        self.alive[gone] = False
        np.subtract.at(self.counts, self.scope_numbers[gone], 1)
        self.append([row for row in rows if row[1] is not None])
        self.change, self.salt = newest, salt
        return True

    def _is_of(self, tx: Transaction) -> bool:
        """Whether the database still has the history that this came from; a restored copy has another."""
        return tx.row("change_salt", {"seq": self.change}) == (self.salt,)

    def append(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows of seq, vector and scope behind the others."""
        if not rows:
            return
        vectors = _vectors(rows)
        end = self.size + len(rows)
        if end > len(self.seqs):
            self._make_room(end, vectors.shape[1])
        place = slice(self.size, end)
        self.recent[self.size - self.lists.rows : end - self.lists.rows] = vectors
        self.seqs[place] = [row[0] for row in rows]
        self.scope_numbers[place] = self.scopes.numbers(rows)
        self.alive[place] = True
        counts = np.bincount(self.scope_numbers[place], minlength=len(self.scopes))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.size = end

    def _living(self, seqs: Sequence[int]) -> Positions:
        """Where the rows of these nodes are."""
        wanted = np.array(seqs, dtype=np.int64)
        found = self.lists.rows + np.flatnonzero(np.isin(self.seqs[self.lists.rows : self.size], wanted))
        if self.lists.rows:
            listed = self.seqs[: self.lists.rows]
            if self.by_seq is None:
                self.by_seq = np.argsort(listed)
            at = np.searchsorted(listed, wanted, sorter=self.by_seq)
            places = self.by_seq[np.minimum(at, len(listed) - 1)]
            found = np.concatenate([found, places[listed[places] == wanted]])
        return found[self.alive[found]]

    def _make_room(self, end: int, dimension: int) -> None:
        """Larger arrays; a search that is under way keeps the old ones."""
        room = max(1_024, 2 * (end - self.lists.rows))
        recent = np.zeros((room, dimension), dtype=np.float32)
        if len(self.recent):
            recent[: len(self.recent)] = self.recent
        self.recent = recent
        self.seqs, self.scope_numbers, self.alive = (
            np.concatenate([old, np.zeros(self.lists.rows + room - len(old), dtype=old.dtype)])
            for old in (self.seqs, self.scope_numbers, self.alive)
        )


def _thorough_share(rows: int) -> float:
    return max(_THOROUGH_SHARE, min(1.0, _THOROUGH_ROWS / max(rows, 1)))


def _built(tx: Transaction, model: int, cache: Path) -> _Rows:
    """The index of everything that is stored; a large one is written to the cache."""
    _, newest, salt = tx.row("changes_range", {}) or (0, 0, None)
    rows = tx.rows("embeddings_all", {"model": model})
    many = rows if len(rows) >= LISTED_FROM else []
    scopes = Scopes()
    numbers = np.array(scopes.numbers(many), dtype=np.int32)
    seqs = np.array([row[0] for row in many], dtype=np.int64)
    lists, order = vector_lists.build(_vectors(many))
    built = _Rows.of_lists(lists, seqs[order], numbers[order], scopes, model=model, change=newest, salt=salt)
    if many:
        _write_cache(built, cache)
    else:
        built.append(rows)
    return built


def _vectors(rows: Sequence[tuple[Any, ...]]) -> Matrix:
    return np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(len(rows), -1 if rows else 0)


def _write_cache(rows: _Rows, cache: Path) -> None:
    """Beside the database, readable by its user alone; if it cannot be written, the next process builds anew."""
    scopes = [[scope.owner, scope.namespace, scope.kind, scope.boundary_class] for scope in rows.scopes]
    header = {"format": _FORMAT, "model": rows.model, "change": rows.change, "salt": rows.salt, "scopes": scopes}
    lists = rows.lists
    arrays = (lists.codes, lists.scale, lists.centres, lists.bounds, rows.seqs, rows.scope_numbers)
    try:
        handle, partial = tempfile.mkstemp(prefix=cache.name, dir=cache.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(header).encode() + b"\n")
                for array in arrays:
                    np.save(file, array, allow_pickle=False)
            Path(partial).replace(cache)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise
    except OSError:
        return


def _cached(tx: Transaction, cache: Path, model: int) -> _Rows | None:
    """The index as a process wrote it, if it belongs to this history of this database."""
    try:
        with cache.open("rb") as file:
            header = json.loads(file.readline())
            if (header["format"], header["model"]) != (_FORMAT, model):
                return None
            if tx.row("change_salt", {"seq": header["change"]}) != (header["salt"],):
                return None
            codes, scale, centres, bounds, seqs, numbers = (np.load(file, allow_pickle=False) for _ in range(6))
        scopes = Scopes(header["scopes"])
        whole = (
            len(codes) == len(seqs) == len(numbers) == bounds[-1]
            and len(bounds) == len(centres) + 1
            and codes.shape[1] == centres.shape[1] == len(scale)
            and 0 <= numbers.min() <= numbers.max() < len(scopes)
        )
        if not whole:
            return None
        lists = VectorLists(codes, scale, centres, bounds)
        change, salt = header["change"], header["salt"]
        return _Rows.of_lists(lists, seqs, numbers, scopes, model=model, change=change, salt=salt)
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError):
        return None
