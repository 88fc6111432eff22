"""The vector index of a SQLite file: in memory, following the `embeddings` table, cached in a file beside it.

Before each search it reads the new entries of the `changes` log, so it sees the writes and deletes of all processes. It
proposes candidates; the search then reads their rows from the database, which decides what exists and who may see it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from wherefrom.embedding.port import Matrix
from wherefrom.graph.local import Flags, Places, Steps
from wherefrom.lazy import np
from wherefrom.model.access import Access
from wherefrom.model.graph import BoundaryClass
from wherefrom.storage import vector_cache, vector_codes
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import EmbeddingModel, Near, Nearest, Row, Transaction, try_to_prepare
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.vector_codes import VectorCodes
from wherefrom.text.check import json_text

# Fewer vectors are all compared exactly, in a millisecond; from this number on they are kept as codes.
CODED_FROM: Final = 20_000
# How many of the rows that are nearest by their signs are compared by their numbers; of many rows this share.
_COMPARED_ROWS, _QUICK_ROWS, _THOROUGH_ROWS = 1_500, 400, 3_000
_COMPARED_SHARE: Final = 0.004
_ROWS_READ_AT_ONCE: Final = 8_192
_ROWS_OF_MEAN: Final = 4_096
# Up to this many rows are all compared by their numbers.
_MAX_COMPARED_ROWS: Final = 4_000
# Candidates are chosen by rounded similarities, so some more than asked for are taken and none is missed.
_EXTRA_CANDIDATES: Final = 16
_MAX_KNOWN_ACCESSES: Final = 4_000


class VectorIndex:
    """The index of one database file; threads may share it."""

    def __init__(self, database: Path, read: Callable[[Callable[[Transaction], Any]], Any]) -> None:
        self._cache = Path(f"{database}-vectors")
        self._read = read
        self._lock = threading.Lock()
        self._rows: _Rows | None = None
        self._building: threading.Thread | None = None

    def send_nearest(self, tx: Transaction, access: Access, near: Near) -> Callable[[], Nearest]:
        """See `port.Vectors`."""
        found = self._nearest(tx, access, near)
        return lambda: found

    def _nearest(self, tx: Transaction, access: Access, near: Near) -> Nearest:
        with self._lock:
            rows = self._current(tx, near.model)
            allowed = rows.scopes.allowed(access, near.kinds)
            view = rows.view()
        reach = near.limit + _EXTRA_CANDIDATES
        if near.within is None:
            searched = int(view.counts @ allowed)
            compared = _THOROUGH_ROWS if near.thorough else _QUICK_ROWS if near.quick else _COMPARED_ROWS
            proposed = view.search(near, allowed, searched, limit=reach, compared=compared)
        else:
            within = np.isin(view.seqs, np.array(near.within, dtype=np.int64))
            positions = np.flatnonzero(within & view.alive & allowed[view.scopes])
            searched = len(positions)
            proposed = view.best(near.direction, positions, reach)
        found = _read(tx, access, near, proposed)
        vectors = tx.dialect.from_vectors([row[1] for row in found])
        similarities = vectors @ near.direction if found else np.empty(0, dtype=np.float32)
        order = np.argsort(-similarities, kind="stable")[: near.limit]
        said = tuple(found[at][2:] for at in order.tolist())
        return Nearest(tuple(found[at][0] for at in order.tolist()), vectors[order], searched, said)

    def drop_copies(self) -> None:
        """See `port.Vectors`. The next search reads the vectors from the database."""
        building = self._building
        if building is not None:
            building.join()
        with self._lock:
            self._rows = None
            vector_cache.remove(self._cache)

    def prepare(self, model: EmbeddingModel) -> None:
        """Build the index anew and cache it for the next process, while searches go on with the old one."""
        rows = self._read(lambda tx: self._build(tx, model))
        with self._lock:
            self._rows = rows

    def forget(self, number: int) -> None:
        """Do nothing: the index of another model takes its place."""

    def _build(self, tx: Transaction, model: EmbeddingModel) -> _Rows:
        return _built(tx, model, self._cache, lambda: self._read(_newest_change))

    def _current(self, tx: Transaction, model: EmbeddingModel) -> _Rows:
        """The rows as this transaction sees them, or newer."""
        rows = self._rows
        if rows is None or rows.model != model.number:
            rows = _cached(tx, self._cache, model) or self._build(tx, model)
        if not rows.follow(tx):
            rows = self._build(tx, model)
        self._rows = rows
        if rows.is_worn and (self._building is None or not self._building.is_alive()):
            self._building = threading.Thread(target=try_to_prepare, args=(self, model), daemon=True)
            self._building.start()
        return rows


class Proposed(NamedTuple):
    """Rows, nearest first, with their similarities, whose differences may be wrong by `rounding`."""

    seqs: Places
    similarities: Matrix
    rounding: float


@dataclass(frozen=True, slots=True)
class _View:
    """The rows of the index as one search reads them; later changes are appended behind them."""

    codes: VectorCodes
    recent: Matrix
    seqs: Places
    scopes: Steps
    alive: Flags
    counts: Places

    def search(self, near: Near, allowed: Flags, searched: int, *, limit: int, compared: int) -> Proposed:
        """Return the nearest of the rows that may be seen, which are `searched`; of many, about `compared` are compared
        by their numbers.
        """
        question = near.direction
        if searched <= _MAX_COMPARED_ROWS:
            return self.best(question, np.flatnonzero(allowed[self.scopes] & self.alive), limit)
        behind = np.arange(self.codes.rows, len(self.seqs))
        wanted = max(compared, limit, int(_COMPARED_SHARE * searched)) * len(self.seqs) // searched
        while True:
            positions = np.concatenate([self.codes.nearest(question, wanted, quick=near.quick), behind])
            if searched < len(self.seqs):
                positions = positions[allowed[self.scopes[positions]] & self.alive[positions]]
            if len(positions) >= min(limit, searched) or wanted >= self.codes.rows:
                return self.best(question, positions, limit)
            wanted *= 4

    def best(self, question: Matrix, positions: Places, limit: int) -> Proposed:
        """Return the nearest rows among those at these positions, which are in order."""
        border = int(np.searchsorted(positions, self.codes.rows))
        behind = positions[border:] - self.codes.rows
        # All of them need no copy of their vectors.
        recent = self.recent if len(behind) == len(self.recent) else self.recent[behind]
        similarities = np.concatenate([self.codes.similarities(question, positions[:border]), recent @ question])
        if len(positions) > limit:
            chosen = np.argpartition(-similarities, limit)[:limit]
            positions, similarities = positions[chosen], similarities[chosen]
        order = np.argsort(-similarities, kind="stable")
        rounding = self.codes.rounding(question, positions[positions < self.codes.rows])
        return Proposed(self.seqs[positions[order]], similarities[order], rounding)


@dataclass(slots=True)
class _Rows:
    """All rows of one model: the codes as they were built, and behind them the vectors that came since.

    change: the newest entry of the log that these rows reflect. newest: the greatest seq.
    """

    model: int
    change: int
    salt: int | None
    codes: VectorCodes
    seqs: Places
    scope_numbers: Steps
    scopes: Scopes
    recent: Matrix = field(init=False)
    alive: Flags = field(init=False)
    counts: Places = field(init=False)
    size: int = field(init=False)
    newest: int = field(init=False)

    def __post_init__(self) -> None:
        self.recent = np.empty((0, self.codes.numbers.shape[1]), dtype=np.float32)
        self.alive = np.ones(len(self.seqs), dtype=np.bool_)
        self.counts = np.bincount(self.scope_numbers, minlength=len(self.scopes)).astype(np.int64)
        self.size = len(self.seqs)
        self.newest = int(self.seqs.max(initial=0))

    @property
    def is_worn(self) -> bool:
        """True if so much has changed that building the index anew pays."""
        dead = self.size - int(self.counts.sum())
        return self.size - self.codes.rows + dead >= max(CODED_FROM, self.codes.rows // 32)

    def view(self) -> _View:
        size, counts = self.size, self.counts[: len(self.scopes)].copy()
        recent = self.recent[: size - self.codes.rows]
        return _View(self.codes, recent, self.seqs[:size], self.scope_numbers[:size], self.alive[:size], counts)

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
        self.recent[self.size - self.codes.rows : end - self.codes.rows] = _vectors(rows, self.recent.shape[1])
        self.seqs[place] = [row[0] for row in rows]
        self.scope_numbers[place] = self.scopes.numbers(rows)
        self.alive[place] = True
        counts = np.bincount(self.scope_numbers[place], minlength=len(self.scopes))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.size = end
        self.newest = max([self.newest, *(row[0] for row in rows)])

    def _living(self, seqs: Sequence[int]) -> Places:
        """The positions of the rows of these nodes that are alive."""
        if not seqs or min(seqs) > self.newest:
            return np.empty(0, dtype=np.int64)
        wanted = np.array(seqs, dtype=np.int64)
        found = self.codes.rows + np.flatnonzero(np.isin(self.seqs[self.codes.rows : self.size], wanted))
        coded = self.seqs[: self.codes.rows]
        if len(coded):
            places = np.minimum(np.searchsorted(coded, wanted), len(coded) - 1)
            found = np.concatenate([found, places[coded[places] == wanted]])
        return found[self.alive[found]]

    def _make_room(self, end: int) -> None:
        """Replace the arrays with larger ones; a search that is under way keeps the old ones."""
        room = max(1_024, 2 * (end - self.codes.rows))
        self.recent = np.concatenate(
            [self.recent, np.zeros((room - len(self.recent), self.recent.shape[1]), np.float32)]
        )
        self.seqs, self.scope_numbers, self.alive = (
            np.concatenate([old, np.zeros(self.codes.rows + room - len(old), dtype=old.dtype)])
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


def _read(tx: Transaction, access: Access, near: Near, proposed: Proposed) -> list[Row]:
    """Return the rows that exist and may be seen: all, or those that may be wanted by rounding, if all of these do."""
    seqs, similarities, rounding = proposed
    where = {**scope_parameters(access), "kinds": json_text(near.kinds), "model": near.model.number}
    where |= {**near.times.parameters(), "facts": near.with_facts or None}

    def read(some: Places) -> list[Row]:
        return tx.rows("embedding_rows", {**where, "seqs": json_text(np.sort(some).tolist())})

    if len(seqs) <= near.limit:
        return read(seqs)
    likely = int(np.count_nonzero(similarities >= similarities[near.limit - 1] - rounding))
    rows = read(seqs[:likely])
    return rows if len(rows) == likely else rows + read(seqs[likely:])


def _has_salt(tx: Transaction, change: int, salt: int | None) -> bool:
    return tx.row("change_salt", {"seq": change}) == (salt,)


def _newest_change(tx: Transaction) -> int:
    return int((tx.row("changes_range", {}) or (0, 0, None))[1])


def _built(tx: Transaction, model: EmbeddingModel, cache: Path, newest_of_all: Callable[[], int]) -> _Rows:
    """Return the index of all stored vectors of a model. A large one is written to the cache, and read from there, if
    the transaction sees all that is in the database when there is room: what is erased later takes the room away.
    """
    _, newest, salt = tx.row("changes_range", {}) or (0, 0, None)
    count, first, last = tx.row("embeddings_extent", {"model": model.number}) or (0, 0, 0)
    count = count if count >= CODED_FROM else 0
    sample = np.linspace(first or 0, last or 0, _ROWS_OF_MEAN if count else 0, dtype=np.int64)
    scopes, seqs, numbers = Scopes(), np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int32)

    def batches() -> Iterator[Matrix]:
        at, rows = 0, tx.stream("embeddings_all", {"model": model.number})
        while some := list(islice(rows, _ROWS_READ_AT_ONCE)):
            seqs[at : at + len(some)] = [row[0] for row in some]
            numbers[at : at + len(some)] = scopes.numbers(some)
            at += len(some)
            yield _vectors(some, model.dimension)

    sampled = tx.rows("embeddings_some", {"model": model.number, "seqs": json_text(sample.tolist())})
    mean = _vectors(sampled, model.dimension).sum(axis=0) / max(len(sampled), 1)
    with vector_cache.room(cache if count else None) as room:
        is_cached = room is not None and newest_of_all() == newest
        codes = vector_codes.build(batches() if count else (), mean, count)
        built = _Rows(model.number, newest, salt, codes, seqs, numbers, scopes)
        if not count:
            built.append(tx.rows("embeddings_all", {"model": model.number}))
        if room is None or not is_cached:
            return built
        _write_cache(built, room, cache)
    # What is read from the file need not stay in memory.
    return _cached(tx, cache, model) or built


def _vectors(rows: Sequence[Row], dimension: int) -> Matrix:
    return np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(len(rows), dimension)


def _write_cache(rows: _Rows, room: Path, cache: Path) -> None:
    header = {"model": rows.model, "change": rows.change, "salt": rows.salt, "rows": rows.size}
    codes = rows.codes
    arrays = (codes.signs, codes.scales, codes.mean, rows.seqs, rows.scope_numbers, codes.numbers)
    vector_cache.write(room, cache, {**header, "scopes": list(rows.scopes)}, arrays, dimension=codes.numbers.shape[1])


def _cached(tx: Transaction, cache: Path, model: EmbeddingModel) -> _Rows | None:
    """The index that a process cached, if it is whole and belongs to this history of this database."""
    try:
        found = vector_cache.read(cache, model=model.number, dimension=model.dimension)
        if found is None or not _has_salt(tx, found.header["change"], found.header["salt"]):
            return None
        header, (signs, scales, mean, seqs, scope_numbers, numbers) = found
        scopes = Scopes(header["scopes"])
        if not (np.diff(seqs) > 0).all() or not 0 <= scope_numbers.min() <= scope_numbers.max() < len(scopes):
            return None
        codes = VectorCodes(signs, numbers, scales, mean)
        return _Rows(model.number, header["change"], header["salt"], codes, seqs, scope_numbers, scopes)
    except (OSError, ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError):
        return None
