"""Chooses the database, the access and the embedder that the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from wherefrom import config
from wherefrom.embedding.endpoint import EndpointEmbedder
from wherefrom.embedding.port import Embedder
from wherefrom.embedding.sentences import SentenceTransformersEmbedder
from wherefrom.embedding.static import StaticEmbedder
from wherefrom.model import limits
from wherefrom.model import namespaces as paths
from wherefrom.model.access import Access, also_roots
from wherefrom.model.errors import InvalidInput, StoreError, StoreUnavailable, shown
from wherefrom.model.graph import BOUNDARY_CLASSES, BoundaryClass
from wherefrom.policy.boundary import visible_classes
from wherefrom.recall.cut_off import CutOff
from wherefrom.storage.port import Database
from wherefrom.text import check

_POSTGRES: Final = ("postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the settings say about searches and about what may be sent."""

    alpha: float | None = None
    cut: CutOff | None = None
    send_classes: tuple[BoundaryClass, ...] = ("public", "internal")
    shared: bool = False
    """Treats a personal store as a shared one."""


def access_of(
    *,
    owner: str | None = None,
    root: str | None = None,
    also: Sequence[str] | None = None,
    namespace: str | None = None,
    allow: Sequence[str] | None = None,
) -> Access:
    """The access that `Memory.open` would have, checked without opening anything."""
    settings = config.load({"owner": owner, "root": root, "also": also, "namespace": namespace, "allow": allow})
    return access_from(settings.owner, settings.root, settings.also, settings.namespace, settings.allow)


def access_from(owner: str, root: str, also: Sequence[str], namespace: str, allow: Sequence[str]) -> Access:
    """An access to the rows of an owner at and below a root, checked."""
    inside = paths.parse(root, field="root")
    default = paths.resolve(namespace, root=inside, default=inside)
    return Access(
        owner=check.check_text(owner, field="owner", characters=limits.OWNER_CHARACTERS),
        root=inside,
        also=also_roots(also, default=default),
        namespace=default,
        classes=visible_classes(allow),
    )


def dialect_of(url: str | None) -> str:
    """Whose SQL `Memory.query_graph` takes on this database, SQLite's or PostgreSQL's, without opening it."""
    scheme, separator, _ = str(config.load({"db": url}).db or "").partition("://")
    return "PostgreSQL" if separator and scheme in _POSTGRES else "SQLite"


def open_database(settings: config.Settings) -> Database:
    if settings.db:
        return _opened(settings.db, settings)
    place = config.default_database()
    try:
        database = _opened(str(place), settings)
    except StoreError:
        if config.default_database() == place:
            raise
    else:
        if config.default_database() == place:
            return database
        database.close()
    # `wherefrom move` took the file away while it was being opened.
    return _opened(str(config.default_database()), settings)


def _opened(url: str, settings: config.Settings) -> Database:
    scheme, separator, rest = url.partition("://")
    if scheme in _POSTGRES and separator:
        try:
            from wherefrom.storage.postgres import PostgresDatabase
        except ImportError:
            raise StoreUnavailable(
                "PostgreSQL support is not installed", hint="pip install 'wherefrom[postgres]'"
            ) from None
        return PostgresDatabase(
            url,
            busy_timeout_ms=settings.busy_timeout_ms,
            connect_timeout_ms=settings.connect_timeout_ms,
            pool_size=settings.pool_size,
        )
    if separator and scheme != "sqlite":
        raise InvalidInput(f"{shown(scheme)} is not a database we know", hint="sqlite:///path or postgresql://…")
    if separator and not rest.startswith("/"):
        raise InvalidInput(f"{shown(url)} names a host", hint="sqlite:///relative/path or sqlite:////absolute/path")
    path = rest[1:] if separator else url
    if not path or path == ":memory:" or "\0" in url:
        raise InvalidInput(f"{shown(url)} is not a file", hint="give the path of a file; it is made if missing")
    from wherefrom.storage.sqlite import SqliteDatabase, may_only_be_read

    file = path_of(path)
    if may_only_be_read(file):
        from wherefrom.storage.sqlite_read_only import ReadOnlySqliteDatabase

        return ReadOnlySqliteDatabase(file, busy_timeout_ms=settings.busy_timeout_ms)
    return SqliteDatabase(file, busy_timeout_ms=settings.busy_timeout_ms)


def path_of(text: str) -> Path:
    """An absolute path, or an error that says what is wrong with the text."""
    try:
        if "\0" in text or not text:
            raise ValueError("a path has no NUL character and is not empty")
        text.encode()
        return Path(text).expanduser().absolute()
    except (RuntimeError, ValueError) as error:
        raise InvalidInput(f"{shown(text)} is not a path", hint=str(error)) from None


def open_embedder(settings: config.Settings) -> Embedder | None:
    """The embedder that the settings name; it loads or connects at its first text."""
    match settings.embedder:
        case "none":
            return None
        case "static":
            return StaticEmbedder()
        case "sentence-transformers":
            return SentenceTransformersEmbedder(_model_name(settings))
        case "endpoint":
            if not settings.embed_url.startswith(("http://", "https://")):
                raise InvalidInput(
                    f"embed_url {shown(settings.embed_url)} is not an http(s) URL",
                    hint="set WHEREFROM_EMBED_URL, for example to http://localhost:11434/v1",
                )
            return EndpointEmbedder(
                settings.embed_url,
                model=_model_name(settings),
                key=settings.embed_key,
                timeout_ms=settings.embed_timeout_ms,
            )
        case other:
            raise InvalidInput(
                f"embedder {shown(other)} is not one of static, endpoint, sentence-transformers, none",
                hint="set WHEREFROM_EMBEDDER",
            )


def tuning_of(settings: config.Settings) -> Tuning:
    """The settings of searches, checked."""
    unknown = [name for name in settings.embed_classes if name not in BOUNDARY_CLASSES or name == "secret"]
    if unknown:
        raise InvalidInput(f"embed_classes may not hold {shown(unknown[0])}", hint="public, internal or pii")
    if settings.cutoff not in ("auto", "off"):
        raise InvalidInput(f"cutoff {shown(settings.cutoff)} is not auto or off")
    if not settings.cutoff_min <= settings.cutoff_max <= limits.SEARCH_LIMIT:
        raise InvalidInput(f"cutoff_min ≤ cutoff_max ≤ {limits.SEARCH_LIMIT} does not hold")
    if settings.privacy not in ("", "shared"):
        raise InvalidInput(
            f"privacy {shown(settings.privacy)} is not shared or empty",
            hint="`wherefrom privacy personal` makes a memory personal for good",
        )
    return Tuning(
        alpha=_alpha(settings.alpha),
        cut=CutOff(settings.cutoff_min, settings.cutoff_max, settings.cutoff_sensitivity)
        if settings.cutoff == "auto"
        else None,
        send_classes=cast(tuple[BoundaryClass, ...], settings.embed_classes),
        shared=settings.privacy == "shared",
    )


def _alpha(text: str) -> float | None:
    if not text:
        return None
    try:
        return check.check_weight(float(text), field="alpha")
    except ValueError:
        raise InvalidInput(f"alpha {shown(text)} is not a number from 0 to 1") from None


def _model_name(settings: config.Settings) -> str:
    return check.check_text(settings.embed_model, field="embed_model", characters=limits.MODEL_CHARACTERS)
