"""What the store needs of a database: transactions that run named statements.

`Database.read` and `Database.write` run one unit of work in one transaction. A write may run more
than once (a serialisation failure is retried), so it must not change anything outside the
database. A write is durable when the call returns; if the work raises, nothing of it remains.
Readers never wait for writers. Both are safe to call from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from wherefrom.embedding.port import Matrix
from wherefrom.model.access import Access
from wherefrom.model.results import Check
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.statements import Dialect

Result = TypeVar("Result")
Row = tuple[Any, ...]
Parameters = Mapping[str, Any]
Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


class Transaction(Protocol):
    """Runs named statements; see `statements.py` for how they are written.

    One that writes sees the root of an access alone, and nothing of its further roots (`Access.also`).
    """

    dialect: Dialect
    writes: bool

    def rows(self, name: str, parameters: Parameters) -> list[Row]:
        """All rows of a query."""
        ...

    def row(self, name: str, parameters: Parameters) -> Row | None:
        """The first row of a query, or None."""
        ...

    def stream(self, name: str, parameters: Parameters) -> Iterator[Row]:
        """The rows of a query, without holding them all in memory."""
        ...

    def run(self, name: str, parameters: Parameters) -> None:
        """Run a change."""
        ...

    def count(self, name: str, parameters: Parameters) -> int:
        """Run a change and say how many rows it touched (cascades not counted)."""
        ...

    def run_many(self, name: str, parameters: Iterable[Parameters]) -> None:
        """Run a change once for each set of parameters."""
        ...


@dataclass(frozen=True, slots=True)
class Model:
    """A model that vectors of the store are made with."""

    number: int
    model_id: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Near:
    """What to look for: the nodes nearest to a direction, of these kinds and, if given, with these seqs.

    now: what has expired then is left out.
    thorough: find the true neighbours (99 of 100) rather than most of them in a third of the time.
    """

    direction: Matrix
    model: Model
    kinds: Sequence[str]
    limit: int
    within: Sequence[int] | None = None
    thorough: bool = False
    now: str = ""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Nodes near a question, nearest first, with their vectors; `searched` is how many there were to choose from."""

    ids: tuple[str, ...]
    vectors: Matrix
    searched: int


class Vectors(Protocol):
    """Vector search of one database."""

    def nearest(self, tx: Transaction, access: Access, near: Near) -> Nearest:
        """The nearest nodes among those that the access may see: the filters come before the choice."""
        ...

    def prepare(self, model: Model) -> None:
        """Make the index of a model, after many vectors came in at once."""
        ...

    def forget(self, number: int) -> None:
        """Let go of the index of a model, before its vectors are deleted."""
        ...


class Database(Protocol):
    """A SQLite file or a PostgreSQL database with the current schema."""

    name: str
    location: str
    read_only: bool
    """Whether every write is refused, because this user may only read."""

    @property
    def vectors(self) -> Vectors:
        """Its vector search."""
        ...

    def reader(self, analyses: Mapping[str, str]) -> Reader:
        """What runs agents' SQL; `analyses` are views by name, written in terms of the tables that agents see."""
        ...

    def read(self, work: Callable[[Transaction], Result]) -> Result:
        """Run `work` on one consistent snapshot."""
        ...

    def write(self, work: Callable[[Transaction], Result]) -> Result:
        """Run `work` and commit it, or leave nothing of it behind."""
        ...

    def schema_version(self) -> int:
        """The number of the newest migration that has been applied."""
        ...

    def engine(self) -> Mapping[str, Any]:
        """Facts about the engine: version, sizes on disk."""
        ...

    def check_integrity(self) -> tuple[Check, ...]:
        """The engine's own checks of what it stored."""
        ...

    def copy_to(self, target: Path, progress: Progress) -> bool:
        """Write a consistent copy of the whole database to a file; False if the engine cannot."""
        ...

    def refresh_statistics(self) -> None:
        """Tell the planner what the tables hold now, after many rows came in at once."""
        ...

    def overwrite_deleted(self) -> None:
        """Leave nothing of deleted rows in the files, if the engine can; takes as long as writing all of it anew."""
        ...

    def close(self) -> None:
        """Release all connections."""
        ...
