"""Brings a database to the current schema: numbered, hashed migrations, applied in one transaction."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final

from wherefrom.model.errors import SchemaTooNew, StoreUnavailable
from wherefrom.model.identifiers import timestamp, utc_now
from wherefrom.storage.sql import Dialect, fragments, render

_NAME: Final = re.compile(r"(\d{4})_(\w+?)(?:\.(sqlite|postgres))?\.sql")
# Migrations up to this one write a fragment as `$word`; their texts are hashed, so they keep it.
_LAST_WITH_DOLLARS: Final = 17
_TABLE: Final = """
create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    hash text not null,
    applied_at text not null
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema's history."""

    version: int
    name: str
    hash: str
    text: str


@cache
def migrations(dialect_name: str) -> tuple[Migration, ...]:
    """The migrations of a dialect, in order; a file with the dialect's suffix is its own."""
    found: list[Migration] = []
    for file in sorted(files("wherefrom.storage").joinpath("migrations").iterdir(), key=lambda file: file.name):
        match = _NAME.fullmatch(file.name)
        if match and match[3] in (None, dialect_name):
            text = file.read_text(encoding="utf-8")
            found.append(Migration(int(match[1]), match[2], hashlib.sha256(text.encode()).hexdigest(), text))
    return tuple(found)


def is_current(applied: Iterable[tuple[int, str]], dialect: Dialect) -> bool:
    """True if no migration is missing; raises if the database and this program do not fit."""
    known = {migration.version: migration for migration in migrations(dialect.name)}
    done = dict(applied)
    newer = [version for version in done if version not in known]
    if newer:
        raise SchemaTooNew(
            f"the database has schema version {max(newer)}; this program knows {max(known)}",
            hint="upgrade wherefrom, or open a backup made before the upgrade",
        )
    for version, hashed in done.items():
        if known[version].hash != hashed:
            raise StoreUnavailable(
                f"migration {version:04} of the database differs from this program's",
                hint="it was made by a development version; export it with that version and import it here",
            )
    return len(done) == len(known)


def migrate(run: Callable[[str], object], applied: Sequence[tuple[int, str]], dialect: Dialect) -> None:
    """Apply the missing migrations. The caller holds a lock, commits on success and rolls back on failure."""
    is_current(applied, dialect)
    done = {version for version, _ in applied}
    now = timestamp(utc_now())
    # An existing store stays as it was: shared.
    words = {**fragments(dialect.name), "privacy": "shared" if applied else dialect.privacy, "now": now}
    dollars = {word: text.strip() for word, text in words.items()}
    run(_TABLE)
    for migration in migrations(dialect.name):
        if migration.version not in done:
            has_dollars = migration.version <= _LAST_WITH_DOLLARS
            run(Template(migration.text).substitute(dollars) if has_dollars else render(migration.text, words))
            row = f"({migration.version}, '{migration.name}', '{migration.hash}', '{now}')"
            run(f"insert into schema_migrations (version, name, hash, applied_at) values {row}")  # noqa: S608
