"""Chooses the database, the access and the embedder that the settings name."""

from __future__ import annotations

from typing import Final

from wherefrom import config
from wherefrom.api.upkeep_settings import UpkeepSettings
from wherefrom.embedding.endpoint import EndpointEmbedder
from wherefrom.embedding.port import Embedder
from wherefrom.embedding.sentences import SentenceTransformersEmbedder
from wherefrom.embedding.static import StaticEmbedder
from wherefrom.explore.settings import ExploreSettings
from wherefrom.insight.settings import InsightSettings
from wherefrom.metabolism.settings import MetabolismSettings
from wherefrom.model import limits
from wherefrom.model import namespaces as paths
from wherefrom.model.access import Access, also_roots
from wherefrom.model.errors import InvalidInput, StoreError, StoreUnavailable, shown
from wherefrom.policy.boundary import visible_classes
from wherefrom.policy.document import SettingsKinds
from wherefrom.recall.settings import Calibration, RecallSettings
from wherefrom.storage.port import Database
from wherefrom.text import check

# The settings of the engines, which policies may set.
ENGINE_SETTINGS: Final[SettingsKinds] = (
    RecallSettings,
    ExploreSettings,
    InsightSettings,
    MetabolismSettings,
    UpkeepSettings,
    Calibration,
)

_POSTGRES: Final = ("postgresql", "postgres")


def access_of(settings: config.Settings) -> Access:
    """Return the access that the settings name, to the rows of an owner at and below a root, checked. Opens nothing."""
    root = paths.parse(settings.root, field="root")
    default = paths.resolve(settings.namespace, root=root, default=root)
    return Access(
        owner=check.check_text(settings.owner, field="owner", characters=limits.OWNER_CHARACTERS),
        root=root,
        also=also_roots(settings.also, default=default),
        namespace=default,
        classes=visible_classes(settings.allow),
    )


def dialect_of(url: str | None) -> str:
    """Return the name of the SQL that `Memory.query_graph` takes on a database, SQLite or PostgreSQL; a service may
    have either. Opens nothing.
    """
    place = str(config.load({"db": url}).db or "")
    if config.is_service(place):
        return "SQLite or PostgreSQL"
    scheme, separator, _ = place.partition("://")
    return "PostgreSQL" if separator and scheme in _POSTGRES else "SQLite"


def open_database(settings: config.Settings, *, create: bool = True, only_to_read: bool = False) -> Database:
    """Open the database that the settings name, or the per-user one; unless told not to, a missing file is made. In
    one that is opened only to be read no verb leaves anything: no event, no active context, no vector.
    """
    create = create and not only_to_read
    if settings.db:
        return _opened(settings.db, settings, create=create, only_to_read=only_to_read)
    if not create and (place := config.missing_default()) is not None:
        hint = f"`wherefrom save` begins one in {place}; --db names another"
        raise StoreUnavailable("there is no memory yet", hint=hint)
    place = config.default_database()
    try:
        database = _opened(str(place), settings, only_to_read=only_to_read)
    except StoreError:
        if config.default_database() == place:
            raise
    else:
        if config.default_database() == place:
            return database
        database.close()
    # `wherefrom move` took the file away while it was being opened.
    return _opened(str(config.default_database()), settings, only_to_read=only_to_read)


def _opened(url: str, settings: config.Settings, *, create: bool = True, only_to_read: bool) -> Database:
    scheme, separator, rest = url.partition("://")
    if scheme in _POSTGRES and separator:
        try:
            from wherefrom.storage.postgres import PostgresDatabase
        except ImportError:
            raise StoreUnavailable(
                "PostgreSQL support is not installed", hint="pip install 'wherefrom[postgres]'"
            ) from None
        database = PostgresDatabase(
            url,
            busy_timeout_ms=settings.busy_timeout_ms,
            connect_timeout_ms=settings.connect_timeout_ms,
            pool_size=settings.pool_size,
        )
        database.read_only = only_to_read
        return database
    if separator and scheme != "sqlite":
        hint = "sqlite:///path or postgresql://…"
        if config.is_service(url):
            hint = "it is the address of a service: `wherefrom.Client` opens that"
        raise InvalidInput(f"{shown(scheme)} is not a database we know", hint=hint)
    if separator and not rest.startswith("/"):
        raise InvalidInput(f"{shown(url)} names a host", hint="sqlite:///relative/path or sqlite:////absolute/path")
    path = rest[1:] if separator else url
    if not path or path == ":memory:" or "\0" in url:
        raise InvalidInput(f"{shown(url)} is not a file", hint="give the path of a file; it is made if missing")
    from wherefrom.storage.sqlite import SqliteDatabase, may_only_be_read

    file = check.check_path(path)
    if not create and not file.exists():
        raise StoreUnavailable(
            f"there is no memory at {file}", hint="is the path right? `wherefrom save` makes a new one"
        )
    if only_to_read or may_only_be_read(file):
        from wherefrom.storage.sqlite_read_only import ReadOnlySqliteDatabase

        return ReadOnlySqliteDatabase(file, busy_timeout_ms=settings.busy_timeout_ms)
    return SqliteDatabase(file, busy_timeout_ms=settings.busy_timeout_ms)


def open_embedder(settings: config.Settings) -> Embedder | None:
    """Return the embedder that the settings name; it loads or connects at its first text."""
    match settings.embedder:
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
        case _:
            return None


def _model_name(settings: config.Settings) -> str:
    return check.check_text(settings.embed_model, field="embed_model", characters=limits.MODEL_CHARACTERS)
