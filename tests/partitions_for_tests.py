"""Stores on PostgreSQL whose tables are partitioned by owner, as a distributed database cuts them into shards.

Only tests have them. Whatever needs rows of two owners at once, or a unique key without the owner, fails or is seen here,
on one server and without Citus.
"""

from __future__ import annotations

import re
from contextlib import contextmanager

from wherefrom.storage import postgres
from wherefrom.storage.postgres_distributed import _COPIED
from wherefrom.storage.sql import statements_of

PARTS = 4
_TABLE = re.compile(r"create table (\w+) \(\n(.*)\n\)", re.DOTALL)


def partitioned(script):
    """The statements of a script, with tables that have owners cut into parts by them."""
    for statement in statements_of(script):
        made = _TABLE.fullmatch(statement)
        if made is None or not re.search(r"^\s*owner_id ", made[2], re.MULTILINE) or made[1] in _COPIED:
            yield statement
            continue
        yield f"{statement} partition by hash (owner_id)"
        for part in range(PARTS):
            yield f"create table {made[1]}_{part} partition of {made[1]} for values with (modulus {PARTS}, remainder {part})"


@contextmanager
def making_partitions():
    """Databases that are migrated meanwhile have tables with partitions."""
    before = postgres.statements_of
    postgres.statements_of = lambda script: list(partitioned(script))
    try:
        yield
    finally:
        postgres.statements_of = before
