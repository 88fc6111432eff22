"""`Memory`: the verbs. The only place that chooses a database."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from recollect import config
from recollect.model import identifiers, limits
from recollect.model import namespaces as paths
from recollect.model.access import Access
from recollect.model.errors import InvalidInput, StoreUnavailable, shown
from recollect.model.graph import BOUNDARY_CLASSES, Edge, Node
from recollect.model.results import (
    Check,
    Deleted,
    Direction,
    Found,
    Health,
    Hit,
    Imported,
    Info,
    Namespaces,
    Page,
    Related,
    Relations,
    Renamed,
    Saved,
)
from recollect.policy.boundary import visible_classes
from recollect.storage import edges, events, health, namespaces, nodes, text_index
from recollect.storage.port import Database, Progress, Transaction
from recollect.storage.transfer import load, records
from recollect.text import check

_DIRECTIONS: Final[tuple[Direction, ...]] = ("forward", "backward", "both")


def _silent(done: int, total: int) -> None:
    """No progress shown."""


class Memory:
    """A memory, seen by one owner from one root.

    Many threads may share one; a process opens its own (also after a fork).
    """

    def __init__(
        self,
        database: Database,
        access: Access,
        *,
        clock: Callable[[], datetime] = identifiers.utc_now,
        new_id: Callable[[], str] = identifiers.new_id,
    ) -> None:
        self._database = database
        self._access = access
        self._clock = clock
        self._new_id = new_id
        self._text_search = text_index.TextSearch()

    @classmethod
    def open(
        cls,
        url: str | Path | None = None,
        *,
        owner: str | None = None,
        root: str | None = None,
        namespace: str | None = None,
        allow: Sequence[str] | None = None,
    ) -> Self:
        """Open a memory by path or URL. What is not given comes from the environment, then the defaults.

        `root` confines everything to one namespace and what is below it, `namespace` is the default
        inside it, `allow` holds the tags that open boundary classes.
        """
        if not isinstance(url, str | Path | None):
            raise InvalidInput(f"a database is a path or a URL, not {type(url).__name__}")
        given = {
            "db": None if url is None else str(url),
            "owner": owner,
            "root": root,
            "namespace": namespace,
            "allow": allow,
        }
        settings = config.load(given)
        access = _access(settings)
        return cls(_open_database(settings), access)

    @property
    def root_namespace(self) -> str:
        """The namespace that this access may not leave."""
        return self._access.root

    # Memos

    def save(
        self,
        content: str,
        *,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        namespace: str | None = None,
        memo_id: str | None = None,
    ) -> Saved:
        """Save a memo, or with `memo_id` change one.

        A title that is not given stays; metadata is merged, and a null removes its key. The same text in
        the same namespace is kept once: the memo that has it is returned as a duplicate.
        """
        content = check.check_content(content)
        title = check.check_title(title)
        patch = check.check_metadata({} if metadata is None else metadata)

        def create(tx: Transaction, now: str) -> Saved:
            node = Node(
                id=self._new_id(),
                namespace=self._access.resolve(namespace),
                title=title,
                content=content,
                content_hash=check.content_hash(content),
                metadata=patch,
                observed_at=now,
                recency_anchor=now,
                created_at=now,
                updated_at=now,
            )
            return nodes.create(tx, self._access, node)

        def update(tx: Transaction, now: str) -> Saved:
            node_id = check.check_id(memo_id, field="memo_id")
            access = self._access.narrowed(namespace)
            return nodes.update(tx, access, node_id, content=content, title=title, metadata=patch, now=now)

        def work(tx: Transaction) -> Saved:
            now = self._now()
            saved = create(tx, now) if memo_id is None else update(tx, now)
            if saved.status != "unchanged":
                payload = {"memo_id": saved.node.id, "status": saved.status, "version": saved.node.version}
                events.record(tx, self._access, "ingest", payload, namespace=saved.node.namespace, at=now)
            return saved

        return self._database.write(work)

    def get(self, memo_id: str, *, namespace: str | None = None) -> Node:
        """The memo with this id."""
        node_id = check.check_id(memo_id, field="memo_id")
        access = self._access.narrowed(namespace)
        return self._database.read(lambda tx: nodes.get(tx, access, node_id))

    def list(self, *, namespace: str | None = None, limit: int = 20, cursor: str | None = None) -> Page:
        """The memos of a namespace and of those below it, newest first; without one, of the default."""
        limit = check.check_whole(limit, field="limit", low=1, high=limits.LIST_LIMIT)
        access = self._access.narrowed(self._access.resolve(namespace))
        return self._database.read(lambda tx: nodes.page(tx, access, kind="memo", limit=limit, cursor=cursor))

    def search(self, query: str, *, namespace: str | None = None, limit: int = 10) -> Found:
        """The memos that fit a question best, in a namespace and those below it (without one: the default).

        Words are found in all their forms, and in any language, also inside of runs without spaces.
        """
        text = check.check_text(query, field="query", size=limits.QUERY_BYTES)
        limit = check.check_whole(limit, field="limit", low=1, high=limits.SEARCH_LIMIT)
        access = self._access.narrowed(self._access.resolve(namespace))

        def work(tx: Transaction) -> Found:
            best = self._text_search.best(tx, access, text, kinds=("memo",), limit=limit)
            found = nodes.by_ids(tx, access, [node_id for node_id, _ in best])
            return Found(tuple(Hit(found[node_id], score) for node_id, score in best), arms=("text",))

        return self._database.read(work)

    def delete(self, memo_id: str, *, namespace: str | None = None) -> Deleted:
        """Delete a memo; its relations go with it."""
        node_id = check.check_id(memo_id, field="memo_id")
        access = self._access.narrowed(namespace)

        def work(tx: Transaction) -> Deleted:
            now = self._now()
            deleted = nodes.delete(tx, access, node_id)
            payload = {"memo_id": node_id, "edges": deleted.edges_deleted}
            events.record(tx, access, "delete", payload, namespace=deleted.node.namespace, at=now)
            return deleted

        return self._database.write(work)

    # Relations

    def relate(
        self,
        source_id: str,
        target_id: str,
        *,
        tag: str,
        weight: float,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Related:
        """Link two memos, or update that link. A reason that is not given stays; an empty one is cleared.

        With `namespace`, the source memo must be in it.
        """
        key = _edge_key(source_id, target_id, tag)
        weight = check.check_weight(weight)
        reason = check.check_reason(reason)
        within = None if namespace is None else self._access.resolve(namespace)

        def work(tx: Transaction) -> Related:
            now = self._now()
            related = edges.save(tx, self._access, key, weight=weight, reason=reason, now=now, within=within)
            if related.status != "unchanged":
                payload = {**_names(related.edge), "status": related.status, "version": related.edge.version}
                events.record(tx, self._access, "integrate", payload, namespace=related.edge.source_namespace, at=now)
            return related

        return self._database.write(work)

    def unrelate(self, source_id: str, target_id: str, *, tag: str, namespace: str | None = None) -> Edge:
        """Delete one link and return it."""
        key = _edge_key(source_id, target_id, tag)
        within = None if namespace is None else self._access.resolve(namespace)

        def work(tx: Transaction) -> Edge:
            now = self._now()
            edge = edges.delete(tx, self._access, key, within=within)
            events.record(tx, self._access, "delete", _names(edge), namespace=edge.source_namespace, at=now)
            return edge

        return self._database.write(work)

    def relations(
        self,
        *,
        source_id: str | None = None,
        target_id: str | None = None,
        tag: str | None = None,
        since: str | None = None,
        namespace: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Relations:
        """The links inside the root, newest first, filtered by any of source, target, tag, namespace of the
        source, and `since` (created or changed at or after that time: what a copy needs to catch up).
        """
        filters = {
            "source_id": None if source_id is None else check.check_id(source_id, field="source_memo_id"),
            "target_id": None if target_id is None else check.check_id(target_id, field="target_memo_id"),
            "tag": None if tag is None else check.check_tag(tag),
            "since": None if since is None else check.check_time(since, field="since"),
        }
        within = None if namespace is None else self._access.resolve(namespace)
        limit = check.check_whole(limit, field="limit", low=1, high=limits.RELATIONS_LIMIT)
        return self._database.read(
            lambda tx: edges.page(tx, self._access, filters, within=within, limit=limit, cursor=cursor)
        )

    def walk(
        self,
        start_id: str,
        *,
        depth: int = 3,
        direction: Direction = "both",
        tag: str | None = None,
        limit: int = 200,
        cursor: str | None = None,
    ) -> Relations:
        """The links within `depth` steps of a memo, nearest and strongest first; cycles cannot trap it."""
        start = check.check_id(start_id, field="start_memo_id")
        depth = check.check_whole(depth, field="depth", low=1, high=limits.WALK_DEPTH)
        limit = check.check_whole(limit, field="limit", low=1, high=limits.WALK_LIMIT)
        tag = None if tag is None else check.check_tag(tag)
        if direction not in _DIRECTIONS:
            raise InvalidInput(f"direction {shown(direction)} is not one of {', '.join(_DIRECTIONS)}")
        return self._database.read(
            lambda tx: edges.walk(
                tx, self._access, start, depth=depth, direction=direction, tag=tag, limit=limit, cursor=cursor
            )
        )

    # Namespaces

    def namespaces(
        self, namespace: str | None = None, *, depth: int = 5, limit: int = 100, cursor: str | None = None
    ) -> Namespaces:
        """The namespaces at and below one (without one: the root), by name, with their counts."""
        base = self._access.root if namespace is None else self._access.resolve(namespace)
        depth = check.check_whole(depth, field="depth", low=1, high=limits.NAMESPACES_DEPTH)
        limit = check.check_whole(limit, field="limit", low=1, high=limits.NAMESPACES_LIMIT)
        return self._database.read(
            lambda tx: namespaces.page(tx, self._access, base, depth=depth, limit=limit, cursor=cursor)
        )

    def rename_namespace(self, source: str, target: str) -> Renamed:
        """Move a namespace and everything below it, in one transaction."""
        old, new = self._access.resolve(source), self._access.resolve(target)

        def work(tx: Transaction) -> Renamed:
            now = self._now()
            renamed = namespaces.rename(tx, self._access, old, new, now=now)
            payload = {"source": old, "target": new, "nodes": renamed.nodes, "edges": renamed.edges}
            events.record(tx, self._access, "rename", payload, namespace=new, at=now)
            return renamed

        return self._database.write(work)

    # Upkeep

    def export(self, target: IO[str], *, progress: Progress = _silent) -> int:
        """Write everything this access may see as JSON lines; returns how many."""
        return self._export(target, self._access, progress)

    def import_(self, source: IO[bytes], *, progress: Progress = _silent) -> Imported:
        """Read an export, or a reference MCP memory server's memory.jsonl, into the root.

        The whole file is checked before anything is written; doing it again changes nothing.
        """
        with _seekable(source) as file:
            return load.load(self._database, self._access, file, now=self._now(), progress=progress)

    def backup(self, target: str | Path, *, progress: Progress = _silent) -> Path:
        """Write a consistent copy while the store is in use.

        On SQLite a database file; on PostgreSQL, whose own tools copy databases, an export of the
        owner's root in all boundary classes, to be read by `import_`.
        """
        path = _path(str(target))
        try:
            if path.exists():
                raise InvalidInput(f"{path} is already there", hint="choose a new name")
            # A folder of our own beside it: private, on the same disk, and nobody else's file is touched.
            with tempfile.TemporaryDirectory(prefix=".recollect-", dir=path.parent) as folder:
                partial = Path(folder) / "copy"
                if not self._database.copy_to(partial, progress):
                    with partial.open("x", encoding="utf-8") as file:
                        self._export(file, replace(self._access, classes=BOUNDARY_CLASSES), progress)
                partial.chmod(0o600)
                partial.rename(path)
        except OSError as error:
            raise StoreUnavailable(f"cannot write {path}: {error.strerror}", hint="is the folder there?") from None
        return path

    def reindex(self) -> int:
        """Make the full-text index of the root anew; returns how many texts it holds."""
        return text_index.reindex(self._database, self._access)

    def info(self) -> Info:
        """Where the memory is and what it holds."""
        return Info(
            program_version=version("recollect"),
            database=self._database.name,
            location=self._database.location,
            schema_version=self._database.schema_version(),
            owner=self._access.owner,
            root_namespace=self._access.root,
            default_namespace=self._access.namespace,
            sizes=self._database.read(lambda tx: health.sizes(tx, self._access)),
            engine=self._database.engine(),
        )

    def doctor(self) -> Health:
        """Check that the store is whole."""
        info = self.info()
        schema = Check("schema", True, f"version {info.schema_version}, as this program expects")
        rows = self._database.read(lambda tx: health.checks(tx, self._access))
        return Health(info, (schema, *self._database.check_integrity(), *rows))

    def close(self) -> None:
        """Release the database's connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _now(self) -> str:
        return identifiers.timestamp(self._clock())

    def _export(self, target: IO[str], access: Access, progress: Progress) -> int:
        def work(tx: Transaction) -> int:
            sizes = health.sizes(tx, access)
            total = sum(count for name, count in sizes.items() if name not in ("events", "retired"))
            written = 0
            for line in records.export(tx, access, now=self._now()):
                target.write(line + "\n")
                written += 1
                if written % 1_000 == 0:
                    progress(written, total)
            return written

        return self._database.read(work)


def access_of(
    *,
    owner: str | None = None,
    root: str | None = None,
    namespace: str | None = None,
    allow: Sequence[str] | None = None,
) -> Access:
    """The access that `Memory.open` would have, checked without opening anything."""
    return _access(config.load({"owner": owner, "root": root, "namespace": namespace, "allow": allow}))


def _access(settings: config.Settings) -> Access:
    root = paths.parse(settings.root, field="root")
    return Access(
        owner=check.check_text(settings.owner, field="owner", characters=limits.OWNER_CHARACTERS),
        root=root,
        namespace=paths.resolve(settings.namespace, root=root, default=root),
        classes=visible_classes(settings.allow),
    )


def _open_database(settings: config.Settings) -> Database:
    url = settings.db or str(config.default_database())
    scheme, separator, rest = url.partition("://")
    if scheme in ("postgresql", "postgres") and separator:
        try:
            from recollect.storage.postgres import PostgresDatabase
        except ImportError:
            raise StoreUnavailable(
                "PostgreSQL support is not installed", hint="pip install 'recollect[postgres]'"
            ) from None
        return PostgresDatabase(url, busy_timeout_ms=settings.busy_timeout_ms, pool_size=settings.pool_size)
    if separator and scheme != "sqlite":
        raise InvalidInput(f"{shown(scheme)} is not a database we know", hint="sqlite:///path or postgresql://…")
    if separator and not rest.startswith("/"):
        raise InvalidInput(f"{shown(url)} names a host", hint="sqlite:///relative/path or sqlite:////absolute/path")
    path = rest[1:] if separator else url
    if not path or path == ":memory:" or "\0" in url:
        raise InvalidInput(f"{shown(url)} is not a file", hint="give the path of a file; it is made if missing")
    from recollect.storage.sqlite import SqliteDatabase

    return SqliteDatabase(_path(path), busy_timeout_ms=settings.busy_timeout_ms)


def _path(text: str) -> Path:
    """An absolute path, or an error that says what is wrong with the text."""
    try:
        if "\0" in text or not text:
            raise ValueError("a path has no NUL character and is not empty")
        text.encode()
        return Path(text).expanduser().absolute()
    except (RuntimeError, ValueError) as error:
        raise InvalidInput(f"{shown(text)} is not a path", hint=str(error)) from None


def _edge_key(source_id: str, target_id: str, tag: str) -> tuple[str, str, str]:
    source = check.check_id(source_id, field="source_memo_id")
    return source, check.check_id(target_id, field="target_memo_id"), check.check_tag(tag)


def _names(edge: Edge) -> dict[str, Any]:
    return {"source_memo_id": edge.source_id, "target_memo_id": edge.target_id, "tag": edge.tag}


@contextmanager
def _seekable(source: IO[bytes]) -> Iterator[IO[bytes]]:
    if source.seekable():
        yield source
        return
    with tempfile.TemporaryFile() as spool:
        while block := source.read(1024 * 1024):
            spool.write(block)
        yield spool
