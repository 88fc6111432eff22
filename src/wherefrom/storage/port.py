"""The port to a database: transactions that run named statements.

`Database.read` and `Database.write` run one unit of work in one transaction. A write may run more
than once (a serialisation failure is retried), so it must not change anything outside the
database. A write is durable when the call returns; if the work raises, nothing of it remains.
A call that is cancelled (see `model/cancellation.py`) ends at the statement under way, or before the next one or while
it waits, with `cancelled` or `timed_out`: of a write that has not begun to commit nothing remains.
Readers never wait for writers. Both are safe to call from any thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

from wherefrom.embedding.port import Matrix
from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput, WherefromError
from wherefrom.model.graph import Node
from wherefrom.model.health import Check, Distribution
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.sql import Dialect, Statements
from wherefrom.text.check import json_text
from wherefrom.text.dates.interval import Interval

Result = TypeVar("Result")
Row = tuple[Any, ...]
Parameters = Mapping[str, Any]
Statement = tuple[str, Parameters]
Progress = Callable[[int, int], None]
"""Called with the amounts of work done and to do."""
TextScore = Literal["surprise", "bm25"]
# The kinds of nodes that are found and recalled; entities and pages only lead to them.
SEARCHED: Final = ("memo", "claim", "fragment")


class Transaction(ABC):
    """Runs named statements on a connection; see `sql.py` for how they are written.

    A transaction that writes sees the root of an access alone, and nothing of its further roots (`Access.also`).
    """

    dialect: Dialect

    def __init__(self, connection: Any, statements: Statements, *, writes: bool) -> None:
        self._connection = connection
        self._statements = statements
        self._call = cancellation.current()
        self.writes = writes
        self._made: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """What a function makes of the rows that this transaction sees: once for each key, if the transaction only
        reads and so sees the same to its end.
        """
        if self.writes:
            return make()
        if key not in self._made:
            self._made[key] = make()
        made: Result = self._made[key]
        return made

    def expect(self, questions: Sequence[tuple[str, Parameters]]) -> None:
        """Send queries whose rows this transaction will ask for, and will not have changed by then, all at once: where
        the database is far, each would take a round trip.
        """
        del questions  # here it is near

    def rows(self, name: str, parameters: Parameters) -> list[Row]:
        """All rows of a query."""
        rows: list[Row] = self._execute(name, parameters).fetchall()
        return rows

    def send(self, name: str, parameters: Parameters) -> Callable[[], list[Row]]:
        """Begin a query, and return a function that waits for its rows. A server works on several at once, so that all
        of them together take one trip to it.
        """
        rows = self.rows(name, parameters)
        return lambda: rows

    def send_between(self, before: Statement, query: Statement, after: Statement) -> Callable[[], list[Row]]:
        """As `send`, with what is set for this query alone: a statement before it and one after it, which are run if
        and only if the query is.
        """
        self.run(*before)
        sent = self.send(*query)
        self.run(*after)
        return sent

    def ahead(self, *reads: Callable[[], object]) -> None:
        """Prepare for several reads of this transaction, which nothing but the rows decides: where each statement takes
        a trip to a server, theirs are sent together, and the reads find their rows at hand.
        """
        del reads

    def row(self, name: str, parameters: Parameters) -> Row | None:
        """The first row of a query, or None."""
        row: Row | None = self._execute(name, parameters).fetchone()
        return row

    def number(self, name: str, parameters: Parameters) -> int:
        """The number in the first row of a query, or 0."""
        row = self.row(name, parameters)
        return int(row[0]) if row else 0

    def run(self, name: str, parameters: Parameters) -> None:
        """Run a change."""
        self._execute(name, parameters)

    @abstractmethod
    def stream(self, name: str, parameters: Parameters) -> Iterator[Row]:
        """The rows of a query, without holding them all in memory."""

    @abstractmethod
    def count(self, name: str, parameters: Parameters) -> int:
        """Run a change and return the number of rows that it changed (cascades not counted)."""

    @abstractmethod
    def many(self, name: str, rows: Sequence[Parameters], common: Parameters) -> list[Row]:
        """Run a change that takes `{rows …}` for all these rows together, and return the rows that it returns."""

    def run_many(self, name: str, parameters: Iterable[Parameters]) -> None:
        """Run a change once for each set of parameters."""
        self._call.check()
        if rows := list(parameters):
            self._connection.cursor().executemany(self._statements.sql(name, rows[0]), rows)

    @abstractmethod
    def _execute(self, name: str, parameters: Parameters) -> Any:
        """Run a statement and return its cursor."""


def broken_rule(said: str) -> Conflict:
    """The error for a change that breaks a rule of the database, which names it."""
    if "nodes_in_slot" in said or "nodes.slot" in said:
        return Conflict(
            "a slot would have two statements that hold", hint="end one of them first: save with supersedes, or restore"
        )
    return Conflict(f"the change breaks a rule of the store: {said}")


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model that makes vectors of the store."""

    number: int
    model_id: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Times:
    """The time of a question and the times of what it looks for.

    now: what has expired by then, or holds only later, is not found. as_of: the question is put at this time, which
    `now` is then. since, until: when it was observed. known_at: only what was stored by then. holding: what has ended
    is not found, either; else it may lead to what took its place.
    """

    now: str = ""
    as_of: str | None = None
    since: str | None = None
    until: str | None = None
    known_at: str | None = None
    holding: bool = False

    def admit(self, node: Node) -> bool:
        """Return True if a node, as it was known at a time, is found by these times."""
        is_live = (node.expires_at is None or node.expires_at > self.now) and node.rejected_at is None
        start = node.holds_from if self.as_of is not None else node.valid_from or ""
        observed = (self.since or "") <= node.observed_at and (self.until is None or node.observed_at <= self.until)
        return is_live and start <= self.now and observed and node.created_at <= (self.known_at or self.now)

    def within(self, interval: Interval) -> Times | None:
        """Return these times for what was observed in an interval; None if they leave nothing of it."""
        since = max(self.since or "", interval.start)
        until = min(self.until or interval.end, interval.end)
        return replace(self, since=since, until=until) if since <= until else None

    @property
    def are_narrow(self) -> bool:
        """True if many nodes may be left out, so that a search needs to know which."""
        return any(time is not None for time in (self.as_of, self.since, self.until, self.known_at))

    def parameters(self) -> dict[str, Any]:
        """The times as parameters of a statement."""
        as_of = self.as_of if self.known_at is None else None
        given = {"now": self.now, "as_of": as_of and self.now, "since": self.since, "until": self.until}
        return {**given, "known_at": self.known_at, "holding": self.holding or None}


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search by words, a direction, or both, among nodes of some kinds and scopes, with some metadata, of a task.

    times: the time of the question, and the times of what is looked for.
    lookups: the terms of personal data in the question, for those who may see them.
    text_score: how texts are scored by the words that they share with the question.
    written_by: the key that it must have been written with.
    intervals: the times that the question names; what was observed then is preferred, and nothing else is left out.
    term_counts: the number of texts with each term of the text, if they were counted already.
    with_facts: what is found is told with its `RankingFacts`, because it is ranked by them.
    """

    text: str
    vector: Matrix | None = None
    model: EmbeddingModel | None = None
    kinds: Sequence[str] = SEARCHED
    metadata: Mapping[str, Any] = field(default_factory=dict)
    task_id: str | None = None
    scopes: Sequence[str] = ()
    written_by: str | None = None
    times: Times = Times()
    lookups: Sequence[str] = ()
    text_score: TextScore = "bm25"
    intervals: tuple[Interval, ...] = ()
    term_counts: Mapping[str, int] = field(default_factory=dict)
    with_facts: bool = False

    @property
    def searched_model(self) -> EmbeddingModel | None:
        """The model whose vectors are compared with that of the question, if it has one."""
        return None if self.vector is None else self.model

    @property
    def now(self) -> str:
        """The time of the question."""
        return self.times.now

    def admits(self, node: Node) -> bool:
        """Return True if a node, as it was known at a time, fits the filters."""
        is_scoped = not self.scopes or node.scope in self.scopes
        is_theirs = self.written_by in (None, node.written_by)
        has_values = all(node.metadata.get(name) == value for name, value in self.metadata.items())
        return is_scoped and is_theirs and has_values and node.kind in self.kinds and self.times.admit(node)

    def filters(self) -> dict[str, Any]:
        """The filters as parameters of a statement."""
        return {
            "kinds": json_text(self.kinds),
            "metadata": json_text(self.metadata) if self.metadata else None,
            "scopes": json_text(self.scopes) if self.scopes else None,
            "written_by": self.written_by,
            **self.times.parameters(),
        }


@dataclass(frozen=True, slots=True)
class Near:
    """A search for the nodes nearest to a direction, of these kinds and, if given, with these seqs (`within`).

    times: the time of the question, and the times of what is looked for.
    thorough: find the true neighbours (99 of 100), rather than most of them in a third of the time.
    quick: find most of the very nearest, in half the usual time.
    with_facts: as in `SearchRequest`.
    """

    direction: Matrix
    model: EmbeddingModel
    kinds: Sequence[str]
    limit: int
    within: Sequence[int] | None = None
    thorough: bool = False
    times: Times = Times()
    quick: bool = False
    with_facts: bool = False


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nodes nearest to a question, nearest first, with their vectors. searched: how many vectors were compared.
    said: what the fragment `said` tells of each.
    """

    ids: tuple[str, ...]
    vectors: Matrix
    searched: int
    said: tuple[Row, ...] = ()


class Vectors(Protocol):
    """Vector search of one database."""

    def send_nearest(self, tx: Transaction, access: Access, near: Near) -> Callable[[], Nearest]:
        """Begin a search, and return a function that waits for the nearest nodes among those that the access may see:
        filtered first, then chosen.
        """

    def drop_copies(self) -> None:
        """Delete the copies of vectors that are kept outside the database: in memory, and in files beside it."""

    def prepare(self, model: EmbeddingModel) -> None:
        """Build the index of a model, after many vectors were stored at once."""

    def forget(self, number: int) -> None:
        """Drop the index of a model, before its vectors are deleted."""


def try_to_prepare(vectors: Vectors, model: EmbeddingModel) -> None:
    """Build the index of a model in the background; if that fails, the next search finds it missing and tries again."""
    with suppress(WherefromError):
        vectors.prepare(model)


class Database(Protocol):
    """A SQLite file or a PostgreSQL database with the current schema."""

    name: str
    location: str
    read_only: bool = False
    """True if every write is refused, because this user may only read."""

    @property
    def vectors(self) -> Vectors:
        """Its vector search."""

    def reader(self, analyses: Mapping[str, str]) -> Reader:
        """The reader that runs agents' SQL; `analyses` are views by name, over the tables that agents see."""

    def read(self, work: Callable[[Transaction], Result]) -> Result:
        """Run `work` on one consistent snapshot."""

    def glance(self, work: Callable[[Transaction], Result]) -> Result:
        """Run `work`, whose statements need not see one snapshot; those that it sends before it wants rows take one
        trip, begin and commit included. It may run more than once.
        """
        return self.read(work)

    def write(self, work: Callable[[Transaction], Result]) -> Result:
        """Run `work` and commit it, or leave nothing of it behind."""

    def write_unsynced(self, work: Callable[[Transaction], Result]) -> Result:
        """The same for what is worth little after a while: others need not wait until a disk has it. It outlives this
        process, but the machine may lose it with its power, until the next `write`.
        """
        return self.write(work)

    def read_and_note(
        self, work: Callable[[Transaction], Result], note: Callable[[Transaction, Result], None]
    ) -> Result:
        """Run `work` on one snapshot, and note its result as `write_unsynced` does. Both may run more than once."""
        result = self.read(work)
        self.write_unsynced(lambda tx: note(tx, result))
        return result

    def schema_version(self) -> int:
        """The number of the newest migration that has been applied."""

    def engine(self) -> Mapping[str, Any]:
        """Facts about the engine: version, sizes on disk."""

    def check_integrity(self) -> tuple[Check, ...]:
        """The engine's own checks of what it stored."""

    def copy_to(self, target: Path, progress: Progress) -> bool:
        """Write a consistent copy of the whole database to a file; False if the engine cannot."""

    def refresh_statistics(self, owner: str) -> None:
        """Refresh the planner's statistics, if it has any, after many rows of an owner were stored at once."""
        del owner

    def overwrite_deleted(self) -> None:
        """Overwrite deleted rows in the files, if the engine can; takes as long as writing the database anew."""
        return

    def erase_deleted(self, *, vacuum: bool) -> tuple[str, ...]:
        """Leave nothing of deleted rows in the files, nor in the caches of this process; returns what is left all the
        same, in words. It takes as long as writing the database anew, unless `vacuum` is false: then only caches go.
        Others may be locked out meanwhile.
        """

    def distribute(self) -> Distribution:
        """Spread the rows over several servers by their owners; again, what is missing."""
        raise InvalidInput(
            "a SQLite file is a store on one machine",
            hint="export it, import it into PostgreSQL with Citus, and distribute that one",
        )

    def close(self) -> None:
        """Release all connections."""
