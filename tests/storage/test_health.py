"""What `doctor` finds, and that it can find something."""

from __future__ import annotations

import psycopg
import pytest
from import_for_tests import put

from wherefrom import Memory, StoreError
from wherefrom.storage import migrate


def failed(memory):
    return {check.name for check in memory.doctor().checks if not check.ok}


def test_a_fresh_store_is_whole(memory, url):
    memory.save("text")
    health = memory.doctor()
    assert health.ok
    assert health.info.sizes == {"memos": 1, "edges": 0, "events": 1, "retired": 0}
    dialect = "postgres" if url.startswith("postgresql") else "sqlite"
    assert health.info.schema_version == migrate.migrations(dialect)[-1].version


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("update nodes set content = 'tampered'", {"content hashes"}),
        ("update nodes set namespace = 'main/elsewhere'", {"edge copies"}),
    ],
)
def test_tampering_is_found(memory, url, execute, damage, found):
    a, b = memory.save("a").node.id, memory.save("b", namespace="x").node.id
    memory.relate(a, b, tag="supports", weight=1)
    execute(url, f"{damage} where id = '{a}'")
    assert failed(memory) == found


def test_an_edge_without_its_end_is_found(memory, url, execute, cluster):
    """No statement of ours can make one; a database opened without foreign keys can."""
    a, b = memory.save("a").node.id, memory.save("b").node.id
    memory.relate(a, b, tag="supports", weight=1)
    if url.startswith("postgresql"):
        # Citus hands on what is set for a transaction, and sends no statement that stands with others.
        with psycopg.connect(url) as connection:
            if cluster is not None:
                connection.execute("set citus.propagate_set_commands = local")
            connection.execute("set local session_replication_role = replica")
            connection.execute("delete from nodes where id = %s", (b,))
        assert failed(memory) == {"orphaned edges"}
    else:
        execute(url, f"delete from nodes where id = '{b}'")
        assert failed(memory) == {"foreign keys", "orphaned edges"}


def test_a_damaged_file_is_found(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        put(memory, [f"memo {number} " + "x" * 500 for number in range(200)])
        memory.backup(tmp_path / "copy.db")
    content = bytearray((tmp_path / "copy.db").read_bytes())
    for page in range(60, 100):
        content[page * 4096 + 100 : page * 4096 + 1100] = b"\xa5" * 1000
    (tmp_path / "copy.db").write_bytes(content)
    try:
        with Memory.open(tmp_path / "copy.db") as damaged:
            found = not damaged.doctor().ok
    except StoreError as error:
        found = "damaged" in str(error)
    assert found
