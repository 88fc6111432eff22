"""Tables cut into parts by owner: all verbs work, and a statement of one owner looks into one part."""

from __future__ import annotations

import json
import re

import psycopg
import pytest
from every_verb_for_tests import SCRIPT, world
from partitions_for_tests import PARTS, making_partitions
from statements_for_tests import plans, recorded, run_all

from wherefrom import Memory
from wherefrom.storage import postgres

# Statements that concern all owners, by what they are for; every other looks into one part of the tables.
STORE_WIDE = {
    # Vectors, which a worker makes for whoever waits.
    "pending_claim", "pending_done", "pending_lease", "pending_missing", "pending_total", "pending_clear",
    "nodes_unchanged", "fill_batch", "fill_total", "embeddings_delete",
    # Being alone with all owners, and a new owner, who waits for that.
    "lock_owners", "owner_add",
    # What a service looks after.
    "feed_owners", "namespaces_to_sweep", "upkeep_places",
}  # fmt: skip


@pytest.fixture(scope="module")
def partitioned(postgres_database):
    """A store whose tables are cut into parts, and what verbs of two owners ran on it."""
    url = postgres_database()
    with making_partitions():
        Memory.open(url).close()
    with recorded() as seen:
        for owner in ("alice", "bob"):
            with Memory.open(url, owner=owner) as memory:
                assert run_all(memory, SCRIPT, world) == []
    return url, seen


def test_every_table_with_owners_has_parts(partitioned):
    with psycopg.connect(partitioned[0]) as connection:
        query = "select count(*) filter (where relkind = 'p'), count(*) filter (where relname ~ '_[0-9]$') from pg_class where relnamespace = 'public'::regnamespace and relkind in ('p', 'r')"
        [(tables, parts)] = connection.execute(query).fetchall()
    assert tables > 25
    assert parts == tables * PARTS


def test_a_statement_of_one_owner_looks_into_one_part(partitioned):
    url, seen = partitioned
    assert len({name for name, _ in seen}) > 150
    wide = set()
    with psycopg.connect(url) as connection:
        postgres._configure(connection)
        connection.execute("set plan_cache_mode = force_custom_plan")
        connection.commit()
        for name, plan in plans(connection, seen):
            parts = set(re.findall(r'"Relation Name": "\w+_(\d)"', json.dumps(plan)))
            if len(parts) > 1:
                wide.add(name)
    assert wide <= STORE_WIDE, wide - STORE_WIDE


def test_a_row_goes_with_the_row_that_it_belongs_to(partitioned):
    with Memory.open(partitioned[0], owner="carol") as memory:
        made = world(memory)
        memory.delete(made.page)
    with psycopg.connect(partitioned[0]) as connection:
        for table, key in (
            ("node_texts", "seq"),
            ("node_terms", "seq"),
            ("embeddings", "seq"),
            ("pending_embeddings", "seq"),
        ):
            query = f"select count(*) from {table} t where not exists (select 1 from nodes n where n.owner_id = t.owner_id and n.{key} = t.node_seq)"
            assert connection.execute(query).fetchone() == (0,), table
        assert connection.execute("select count(*) from nodes where page_id = %s", (made.page,)).fetchone() == (0,)
        query = "select count(*) from edges where source_id = %s or target_id = %s"
        assert connection.execute(query, (made.page, made.page)).fetchone() == (0,)
