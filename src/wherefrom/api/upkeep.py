"""The engine of upkeep: export, import with its files, backup, indexes, health."""

from __future__ import annotations

import os
import select
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import IO, Annotated, Any, Final

from wherefrom.embedding.port import Embedder
from wherefrom.engine.boundary import ImportGuard
from wherefrom.engine.view import Engine, silent
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.model.graph import BOUNDARY_CLASSES
from wherefrom.model.health import Check, Distribution, Health, Info
from wherefrom.model.param import Param
from wherefrom.model.results import Imported
from wherefrom.storage import bulk_mentions, embeddings, health, text_index, upkeep_counts
from wherefrom.storage.port import Progress, Transaction
from wherefrom.storage.transfer import load, records
from wherefrom.text.check import check_path

Source = str | PathLike[str] | IO[bytes] | IO[str] | Iterable[str | bytes]
"""The source of an import: a path, a file opened for reading, or lines."""

_LINES_PER_PROGRESS: Final = 1_000
_BLOCK_BYTES: Final = 1024 * 1024


class UpkeepEngine(Engine):
    """Keeps a memory whole, and moves it."""

    def export(
        self,
        target: IO[str],
        *,
        shared: Annotated[bool, Param("For others: without personal data.")] = False,
        progress: Progress = silent,
    ) -> int:
        """Write everything this access may see in its root as JSON lines.

        `shared` is for others: texts with personal data are written without them, in the class that they have so.
        Returns how many lines there are.
        """
        return self._export(target, self.view.access, progress, shared=shared)

    def import_(
        self,
        source: Source,
        *,
        split: Annotated[bool, Param("Store memos that are too long in parts.")] = False,
        rejects: str | PathLike[str] | IO[str] | None = None,
        progress: Progress = silent,
    ) -> Imported:
        """Read an export, or a reference MCP memory server's memory.jsonl, into the root: a path, a file, or lines.

        A line that cannot be stored is left out and reported, with its number, its id and the reason; the others are
        stored. `rejects` is a new file for all such lines: mended, it can be imported. `split` stores memos that are
        too long in parts. Doing it again changes nothing.
        """
        with readable(source) as file, _writable(rejects) as sink:
            imported = load.load(
                self.store.database,
                self.view.access,
                file,
                guard=ImportGuard(self.view.boundary),
                embedder=self.store.embedder,
                now=self.view.now(),
                options=load.Options(progress, split=split, rejects=sink),
            )
        self.store.database.write(lambda tx: upkeep_counts.recount(tx, self.view.access))
        if not embeddings.is_instant(self.store.embedder):
            self.store.worker.wake(self.view.access)
        return imported

    def backup(
        self, target: Annotated[str | Path, Param("A new file.", metavar="FILE")], *, progress: Progress = silent
    ) -> Path:
        """Write a consistent copy while the store is in use.

        On SQLite a database file; on PostgreSQL, whose own tools copy databases, an export of the
        owner's root in all boundary classes, to be read by `import_`.
        """
        path = check_path(str(target))
        try:
            if path.exists():
                raise InvalidInput(f"{path} is already there", hint="choose a new name")
            # A folder of our own beside it: private, on the same disk, and nobody else's file is touched.
            with tempfile.TemporaryDirectory(prefix=".wherefrom-", dir=path.parent) as folder:
                copy = Path(folder) / "copy"
                if not self.store.database.copy_to(copy, progress):
                    with copy.open("x", encoding="utf-8") as file:
                        self._export(file, replace(self.view.access, classes=BOUNDARY_CLASSES, hidden=()), progress)
                copy.chmod(0o600)
                copy.rename(path)
        except OSError as error:
            raise StoreUnavailable(f"cannot write {path}: {error.strerror}", hint="is the folder there?") from None
        return path

    def reindex(self) -> int:
        """Make the full-text index of the root anew, and find all mentions again.

        Returns how many texts the index holds.
        """
        access = self.view.access
        count = text_index.reindex(self.store.database, access)
        bulk_mentions.rebuild_mentions(self.store.database, access, now=self.view.now())
        return count

    def embed(self, *, progress: Progress = silent) -> int:
        """Make the vectors that are missing in the whole store. Can be interrupted and repeated.

        Returns how many it made.
        """
        embedder = self._required_embedder()
        self.store.worker.wait()
        self.store.database.write(embeddings.find_missing)
        classes = self.store.settings.embed_classes
        progress(0, self.store.database.read(lambda tx: embeddings.waiting(tx, embedder, classes)))
        done = self._make_vectors(embeddings.complete, embedder, progress)
        if done:
            embeddings.prepare(self.store.database)
        return done

    def reembed(self, *, progress: Progress = silent) -> int:
        """Make all vectors of the store with this memory's embedder beside the old ones, and switch when complete."""
        embedder = self._required_embedder()
        model = self.store.database.read(embeddings.active)
        if model is None or model.model_id == embedder.model_id:
            return self.embed(progress=progress)
        return self._make_vectors(embeddings.refill, embedder, progress)

    def distribute(self) -> Distribution:
        """Spread the store over the servers of Citus, each owner on one of them.

        Can be repeated: then it distributes what is missing. docs/how-to/scale.md says when it is worth it.
        """
        return self.store.database.distribute()

    def info(self) -> Info:
        """Say where the memory is and what it holds."""
        access = self.view.access
        return Info(
            program_version=version("wherefrom"),
            database=self.store.database.name,
            location=self.store.database.location,
            schema_version=self.store.database.schema_version(),
            owner=access.owner,
            root_namespace=access.root,
            default_namespace=access.namespace,
            embedder=None if self.store.embedder is None else self.store.embedder.model_id,
            privacy="personal" if self.view.boundary.policies.personal else "shared",
            sizes=self.store.database.read(lambda tx: health.sizes(tx, access)),
            engine=self.store.database.engine(),
            role=self.view.role,
        )

    def doctor(self, *, progress: Progress = silent) -> Health:
        """Check that the store is whole; the command ends with exit code 1 if it is not."""
        access, database = self.view.access, self.store.database
        vectors = partial(
            health.vector_checks, embedder=self.store.embedder, send_classes=self.store.settings.embed_classes
        )

        def read(check: Callable[..., tuple[Check, ...]]) -> tuple[Check, ...]:
            return database.read(lambda tx: check(tx, access))

        parts = (health.edge_checks, health.index_checks, health.hash_checks, vectors)
        steps: list[Callable[[], tuple[Check, ...]]] = [
            database.check_integrity,
            *(partial(read, part) for part in parts),
        ]
        checks: list[Check] = []
        for done, step in enumerate(steps):
            progress(done, len(steps))
            checks += step()
        progress(len(steps), len(steps))
        info = self.info()
        schema = Check("schema", True, f"version {info.schema_version}, as this program expects")
        return Health(info, (schema, *checks))

    def _export(self, target: IO[str], access: Access, progress: Progress, *, shared: bool = False) -> int:
        """Write the records that an access sees, one a line; return how many."""
        database = self.store.database

        def work(tx: Transaction) -> int:
            if database.read_only:
                file.seek(0)
                file.truncate()
            sizes = health.sizes(tx, access)
            total = sum(count for name, count in sizes.items() if name not in ("events", "retired"))
            written = 0
            for written, line in enumerate(records.export(tx, access, now=self.view.now(), shared=shared), start=1):
                file.write(line + "\n")
                if written % _LINES_PER_PROGRESS == 0:
                    progress(written, total)
            return written

        # A read of a file that somebody else may write to is done again if it changed meanwhile, so it goes to a copy.
        with tempfile.TemporaryFile("w+", encoding="utf-8") if database.read_only else nullcontext(target) as file:
            count = database.read(work)
            if database.read_only:
                file.seek(0)
                shutil.copyfileobj(file, target)
        return count

    def _make_vectors(self, make: Callable[..., int], embedder: Embedder, progress: Progress) -> int:
        store = self.store
        return make(
            store.database, embedder, classes=store.settings.embed_classes, clock=store.clock, progress=progress
        )

    def _required_embedder(self) -> Embedder:
        if self.store.embedder is None:
            raise InvalidInput("this memory has no embedder", hint="set WHEREFROM_EMBEDDER, for example to static")
        return self.store.embedder


@contextmanager
def readable(source: Source) -> Iterator[IO[bytes]]:
    """Yield the bytes of a source as a seekable file: the source itself if it is one, otherwise a copy."""
    given: Any = source
    with ExitStack() as files:
        if isinstance(source, str | PathLike):
            path = check_path(os.fspath(source))
            try:
                given = files.enter_context(path.open("rb"))
            except OSError as error:
                raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
        has_bytes = hasattr(given, "read") and isinstance(given.read(0), bytes)
        if has_bytes and given.seekable():
            yield given
            return
        spool = files.enter_context(tempfile.TemporaryFile())
        for block in _blocks(given) if has_bytes else _lines(given):
            spool.write(block)
        yield spool


@contextmanager
def _writable(target: str | PathLike[str] | IO[str] | None) -> Iterator[IO[str] | None]:
    """Yield a new file that only its owner may read, removed again if it stays empty; or the given open file."""
    if not isinstance(target, str | PathLike):
        yield target
        return
    path = check_path(os.fspath(target))
    try:
        # For its owner alone: memories are private, and so is a file of them.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidInput(f"{path} is already there", hint="choose a new name") from None
    except OSError as error:
        raise StoreUnavailable(f"cannot write {path}: {error.strerror}", hint="is the folder there?") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            yield file
    finally:
        if path.stat().st_size == 0:
            path.unlink()


def _blocks(source: Any) -> Iterator[bytes]:
    """Yield the bytes of a pipe as they come. A Ctrl-C just before a read would be heard only when the read returns, so
    the wait for each read but the first, which empties the buffer, is cut into seconds.
    """
    read = getattr(source, "read1", source.read)  # `read` would wait for a whole block
    waits = os.name == "posix" and _is_pipe(source)
    while block := read(_BLOCK_BYTES):
        yield block
        while waits and not select.select([source], [], [], 1.0)[0]:
            pass


def _is_pipe(source: Any) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(source.fileno()).st_mode)
    except (AttributeError, OSError, TypeError, ValueError):  # no file of the system
        return False


def _lines(source: Any) -> Iterator[bytes]:
    """Yield lines as bytes. A lone surrogate makes its own line unreadable, and no other."""
    try:
        lines = iter(source)
    except TypeError:
        raise InvalidInput("the source of an import is a path, an open file, or lines") from None
    for line in lines:
        if not isinstance(line, str | bytes):
            raise InvalidInput(f"a line of an import is text, not {type(line).__name__}")
        encoded = line.encode(errors="surrogatepass") if isinstance(line, str) else line
        yield encoded if encoded.endswith(b"\n") else encoded + b"\n"
