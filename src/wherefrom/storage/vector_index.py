"""The vector index of a SQLite file: in memory, following the `embeddings` table, cached in a file beside it.

Before each search it reads the new entries of the `changes` log, so it sees the writes and deletes of all processes. It
proposes candidates; the search then reads their rows from the database, which decides what exists and who may see it.
"""

from __future__ import annotations

import glob
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, cast

from wherefrom.embedding.port import Matrix
from wherefrom.graph.local import Flags, Places, Steps
from wherefrom.lazy import np
from wherefrom.model.access import Access
from wherefrom.model.graph import BoundaryClass
from wherefrom.storage import vector_lists
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import EmbeddingModel, Near, Nearest, Row, Transaction, try_to_prepare
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.vector_lists import VectorLists
from wherefrom.text.check import json_text

_FORMAT: Final = 1
# Fewer vectors are all compared exactly, in a millisecond; from this number on they are sorted into lists.
LISTED_FROM: Final = 20_000
# The share of the lists that a search scans when the text arm searches, too: it finds 93 % of the true ten in 100,000
# texts. A thorough search scans this many rows (six milliseconds in 100,000), or this share of them if that is more.
_SCANNED_SHARE: Final = 0.1
_QUICK_SHARE: Final = 0.04
_THOROUGH_ROWS: Final = 150_000
_THOROUGH_SHARE: Final = 0.35
# Up to this many rows are compared one by one, whatever lists they are in.
_MAX_COMPARED_ROWS: Final = 4_000
# Candidates are chosen by rounded similarities, so some more than asked for are taken and none is missed.
_EXTRA_CANDIDATES: Final = 16
_MAX_KNOWN_ACCESSES: Final = 4_000


class VectorIndex:
    """The index of one database file; threads may share it."""

    def __init__(self, database: Path, read: Callable[[Callable[[Transaction], _Rows]], _Rows]) -> None:
        self._cache = Path(f"{database}-vectors")
        self._read = read
        self._lock = threading.Lock()
        self._rows: _Rows | None = None
        self._building: threading.Thread | None = None

    def nearest(self, tx: Transaction, access: Access, near: Near) -> Nearest:
        """See `port.Vectors`."""
        with self._lock:
            rows = self._current(tx, near.model)
            allowed = rows.scopes.allowed(access, near.kinds)
            view = rows.view()
        reach = near.limit + _EXTRA_CANDIDATES
        if near.within is None:
            searched = int(view.counts @ allowed)
            share = _QUICK_SHARE if near.quick else _SCANNED_SHARE
            if near.thorough:
                share = max(_THOROUGH_SHARE, min(1.0, _THOROUGH_ROWS / max(len(view.seqs), 1)))
            seqs = view.search(near.direction, allowed, searched, limit=reach, share=share)
        else:
            within = np.isin(view.seqs, np.array(near.within, dtype=np.int64))
            positions = np.flatnonzero(within & view.alive & allowed[view.scopes])
            searched = len(positions)
            seqs = view.best(near.direction, positions, reach)
        where = {"kinds": json_text(near.kinds), "model": near.model.number, "seqs": json_text(seqs)}
        found = tx.rows("embedding_rows", {**scope_parameters(access), **where, **near.times.parameters()})
        vectors = tx.dialect.from_vectors([row[1] for row in found])
        similarities = vectors @ near.direction if found else np.empty(0, dtype=np.float32)
        order = np.argsort(-similarities, kind="stable")[: near.limit]
        return Nearest(tuple(found[at][0] for at in order), vectors[order], searched)

    def drop_copies(self) -> None:
        """See `port.Vectors`. The next search reads the vectors from the database."""
        building = self._building
        if building is not None:
            building.join()
        with self._lock:
            self._rows = None
            # Also what a process that was killed while it wrote the cache has left.
            for file in self._cache.parent.glob(f"{glob.escape(self._cache.name)}*"):
                file.unlink(missing_ok=True)

    def prepare(self, model: EmbeddingModel) -> None:
        """Build the index anew and cache it for the next process, while searches go on with the old one."""
        rows = self._read(lambda tx: _built(tx, model, self._cache))
        with self._lock:
            self._rows = rows

    def forget(self, number: int) -> None:
        """Do nothing: the index of another model takes its place."""

    def _current(self, tx: Transaction, model: EmbeddingModel) -> _Rows:
        """The rows as this transaction sees them, or newer."""
        rows = self._rows
        if rows is None or rows.model != model.number:
            rows = _cached(tx, self._cache, model.number) or _built(tx, model, self._cache)
        if not rows.follow(tx):
            rows = _built(tx, model, self._cache)
        self._rows = rows
        if rows.is_worn and (self._building is None or not self._building.is_alive()):
            self._building = threading.Thread(target=try_to_prepare, args=(self, model), daemon=True)
            self._building.start()
        return rows


@dataclass(frozen=True, slots=True)
class _View:
    """The rows of the index as one search reads them; later changes are appended behind them."""

    lists: VectorLists
    recent: Matrix
    seqs: Places
    scopes: Steps
    alive: Flags
    counts: Places

    def search(self, question: Matrix, allowed: Flags, searched: int, *, limit: int, share: float) -> list[int]:
        if searched == 0:
            return []
        if searched <= _MAX_COMPARED_ROWS:
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

    def best(self, question: Matrix, positions: Places, limit: int) -> list[int]:
        """Return the seqs of the nearest rows among those at these positions."""
        listed = positions[positions < self.lists.rows]
        recent = positions[positions >= self.lists.rows]
        similarities = [self.lists.similarities(question, listed), self.recent[recent - self.lists.rows] @ question]
        return self._top(np.concatenate([listed, recent]), np.concatenate(similarities), limit)

    def _top(self, positions: Places, similarities: Matrix, limit: int) -> list[int]:
        if len(positions) > limit:
            chosen = np.argpartition(-similarities, limit)[:limit]
            positions, similarities = positions[chosen], similarities[chosen]
        found: list[int] = self.seqs[positions[np.argsort(-similarities, kind="stable")]].tolist()
        return found


@dataclass(slots=True)
class _Rows:
    """All rows of one model: the lists as they were built, and behind them the rows that came since.

    change: the newest entry of the log that these rows reflect.
    """

    model: int
    change: int
    salt: int | None
    lists: VectorLists
    seqs: Places
    scope_numbers: Steps
    scopes: Scopes
    recent: Matrix = field(init=False)
    alive: Flags = field(init=False)
    counts: Places = field(init=False)
    size: int = field(init=False)
    by_seq: Places | None = None

    def __post_init__(self) -> None:
        self.recent = np.empty((0, self.lists.codes.shape[1]), dtype=np.float32)
        self.alive = np.ones(len(self.seqs), dtype=np.bool_)
        self.counts = np.bincount(self.scope_numbers, minlength=len(self.scopes)).astype(np.int64)
        self.size = len(self.seqs)

    @property
    def is_worn(self) -> bool:
        """True if so much has changed that building the index anew pays."""
        dead = self.size - int(self.counts.sum())
        return self.size - self.lists.rows + dead >= max(LISTED_FROM, self.lists.rows // 8)

    def view(self) -> _View:
        size, counts = self.size, self.counts[: len(self.scopes)].copy()
        recent = self.recent[: size - self.lists.rows]
        return _View(self.lists, recent, self.seqs[:size], self.scope_numbers[:size], self.alive[:size], counts)

    def follow(self, tx: Transaction) -> bool:
        """Apply the new entries of the log; False if it does not reach back far enough, or is that of another copy."""
        oldest, newest, salt = tx.row("changes_range", {}) or (0, 0, None)
        if newest < self.change:
            return True  # a reader that began earlier
        if newest == self.change:
            return bool(salt == self.salt)
        # A restored copy of the database has another salt at this entry of its log.
        if oldest > self.change + 1 or (self.change >= oldest and not _has_salt(tx, self.change, self.salt)):
            return False
        rows = tx.rows("changes_since", {"after": self.change, "model": self.model})
        gone = self._living([row[0] for row in rows])
        self.alive[gone] = False
        np.subtract.at(self.counts, self.scope_numbers[gone], 1)
        self.append([row for row in rows if row[1] is not None])
        self.change, self.salt = newest, salt
        return True

    def append(self, rows: Sequence[Row]) -> None:
        """Append rows of seq, vector and the values of a scope."""
        end = self.size + len(rows)
        if end > len(self.seqs):
            self._make_room(end)
        place = slice(self.size, end)
        self.recent[self.size - self.lists.rows : end - self.lists.rows] = _vectors(rows, self.recent.shape[1])
        self.seqs[place] = [row[0] for row in rows]
        self.scope_numbers[place] = self.scopes.numbers(rows)
        self.alive[place] = True
        counts = np.bincount(self.scope_numbers[place], minlength=len(self.scopes))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.size = end

    def _living(self, seqs: Sequence[int]) -> Places:
        """The positions of the rows of these nodes that are alive."""
        wanted = np.array(seqs, dtype=np.int64)
        found = self.lists.rows + np.flatnonzero(np.isin(self.seqs[self.lists.rows : self.size], wanted))
        listed = self.seqs[: self.lists.rows]
        if len(listed):
            if self.by_seq is None:
                self.by_seq = np.argsort(listed)
            at = np.searchsorted(listed, wanted, sorter=self.by_seq)
            places = self.by_seq[np.minimum(at, len(listed) - 1)]
            found = np.concatenate([found, places[listed[places] == wanted]])
        return found[self.alive[found]]

    def _make_room(self, end: int) -> None:
        """Replace the arrays with larger ones; a search that is under way keeps the old ones."""
        room = max(1_024, 2 * (end - self.lists.rows))
        self.recent = np.concatenate(
            [self.recent, np.zeros((room - len(self.recent), self.recent.shape[1]), np.float32)]
        )
        self.seqs, self.scope_numbers, self.alive = (
            np.concatenate([old, np.zeros(self.lists.rows + room - len(old), dtype=old.dtype)])
            for old in (self.seqs, self.scope_numbers, self.alive)
        )


class Scope(NamedTuple):
    """The values of a row that decide which accesses may see it."""

    owner: str
    namespace: str
    kind: str
    boundary_class: BoundaryClass


class Scopes:
    """The scopes of all rows, numbered in order of arrival: rows that the same accesses may see have one scope. An
    access is checked against its owner's scopes only.
    """

    def __init__(self, known: Sequence[Sequence[str]] = ()) -> None:
        self._numbers: dict[Scope, int] = {}
        self._of_owner: dict[str, list[Scope]] = {}
        # For an access: how many of its owner's scopes were checked, and the numbers of those that it may see.
        self._seen = Kept[Hashable, tuple[int, list[int]]](entries=_MAX_KNOWN_ACCESSES)
        for values in known:
            self._number(values)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Scope]:
        return iter(self._numbers)

    def numbers(self, rows: Sequence[Row]) -> list[int]:
        """The number of each row's scope, whose values follow the seq and the vector; new scopes are added."""
        known = {values: self._number(values) for values in {row[2:] for row in rows}}
        return [known[row[2:]] for row in rows]

    def allowed(self, access: Access, kinds: Sequence[str]) -> Flags:
        """One flag for each scope: true if this access may see it and asked for its kind."""
        own, key = self._of_owner.get(access.owner, []), (access.reach, tuple(kinds))
        checked, seen = self._seen.get(key) or (0, [])
        if checked < len(own):
            seen = seen + [
                self._numbers[scope]
                for scope in own[checked:]
                if scope.kind in kinds and access.sees(scope.namespace, scope.boundary_class)
            ]
            self._seen.put(key, (len(own), seen))
        allowed = np.zeros(len(self._numbers), dtype=np.bool_)
        allowed[seen] = True
        return allowed

    def _number(self, values: Sequence[str]) -> int:
        owner, namespace, kind, boundary_class = values
        scope = Scope(owner, namespace, sys.intern(kind), cast(BoundaryClass, sys.intern(boundary_class)))
        if scope not in self._numbers:
            self._numbers[scope] = len(self._numbers)
            self._of_owner.setdefault(owner, []).append(scope)
        return self._numbers[scope]


def _has_salt(tx: Transaction, change: int, salt: int | None) -> bool:
    return tx.row("change_salt", {"seq": change}) == (salt,)


def _built(tx: Transaction, model: EmbeddingModel, cache: Path) -> _Rows:
    """Return the index of all stored vectors of a model; a large one is written to the cache."""
    _, newest, salt = tx.row("changes_range", {}) or (0, 0, None)
    rows = tx.rows("embeddings_all", {"model": model.number})
    many = rows if len(rows) >= LISTED_FROM else []
    scopes = Scopes()
    numbers = np.array(scopes.numbers(many), dtype=np.int32)
    seqs = np.array([row[0] for row in many], dtype=np.int64)
    lists, order = vector_lists.build(_vectors(many, model.dimension))
    built = _Rows(model.number, newest, salt, lists, seqs[order], numbers[order], scopes)
    if many:
        _write_cache(built, cache)
    else:
        built.append(rows)
    return built


def _vectors(rows: Sequence[Row], dimension: int) -> Matrix:
    return np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(len(rows), dimension)


def _write_cache(rows: _Rows, cache: Path) -> None:
    """Write the cache, readable by its user alone; if that fails, the next process builds the index anew."""
    header = {"format": _FORMAT, "model": rows.model, "change": rows.change, "salt": rows.salt}
    lists = rows.lists
    arrays = (lists.codes, lists.scale, lists.centres, lists.bounds, rows.seqs, rows.scope_numbers)
    with suppress(OSError):
        handle, partial = tempfile.mkstemp(prefix=cache.name, dir=cache.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps({**header, "scopes": list(rows.scopes)}).encode() + b"\n")
                for array in arrays:
                    np.save(file, array, allow_pickle=False)
            Path(partial).replace(cache)
        finally:
            Path(partial).unlink(missing_ok=True)


def _cached(tx: Transaction, cache: Path, model: int) -> _Rows | None:
    """The index that a process cached, if it is whole and belongs to this history of this database."""
    try:
        with cache.open("rb") as file:
            header = json.loads(file.readline())
            same = (header["format"], header["model"]) == (_FORMAT, model)
            if not same or not _has_salt(tx, header["change"], header["salt"]):
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
        return _Rows(model, header["change"], header["salt"], lists, seqs, numbers, scopes)
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError):
        return None
