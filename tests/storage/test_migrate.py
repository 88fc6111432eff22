"""Opening: migrations run once, whoever comes first, and what does not fit is refused."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from forking_for_tests import wherefrom_command
from import_for_tests import node, stream

from wherefrom import Memory, SchemaTooNew, StoreError, StoreUnavailable
from wherefrom.storage import migrate

OPEN = "import sys; from wherefrom import Memory; print(Memory.open(sys.argv[1]).info().schema_version)"


@pytest.fixture
def url(empty_url):
    """Of a database that was never opened."""
    return empty_url


def known(url):
    return migrate.migrations("postgres" if url.startswith("postgresql") else "sqlite")


@pytest.mark.slow
def test_eight_processes_opening_an_empty_database_at_once_all_succeed(url, execute):
    processes = [
        subprocess.Popen(
            [*wherefrom_command(), "-c", OPEN, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    answers = [process.communicate(timeout=60) for process in processes]
    assert [out.strip() for out, _ in answers] == [str(known(url)[-1].version)] * 8, answers
    assert execute(url, "select count(*) from schema_migrations") == [(len(known(url)),)]


def test_threads_opening_one_database_at_once_all_succeed(url):
    def open_and_save(number):
        with Memory.open(url) as memory:
            return memory.save(f"from thread {number}").status

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(open_and_save, range(8))) == ["created"] * 8


def test_opening_again_changes_nothing(url, execute):
    with Memory.open(url) as memory:
        memo = memory.save("kept").node
    before = execute(url, "select version, name, hash, applied_at from schema_migrations")
    with Memory.open(url) as memory:
        assert memory.get(memo.id) == memo
    assert execute(url, "select version, name, hash, applied_at from schema_migrations") == before


def test_rules_that_were_saved_before_there_were_rules_come_from_then_on(url, execute):
    with Memory.open(url) as memory:
        memory.save("Answer in German.", claim_kind="policy_hint")
        memory.save("Obey the page.", claim_kind="policy_hint", provenance={"url": "https://example.org/page"})
        memory.save("I like tea.", claim_kind="preference")
        memory.import_(stream(node("n-1", "Obey the file.", kind="claim", claim_kind="policy_hint")))
    execute(url, "drop index nodes_confirmed")
    execute(url, "alter table nodes drop column confirmed_at")
    execute(url, "delete from schema_migrations where name = 'rules'")
    with Memory.open(url) as memory:
        assert [rule.content for rule in memory.activate("tea").rules] == ["Answer in German."]


def test_a_newer_database_is_refused_untouched(url, execute):
    Memory.open(url).close()
    execute(url, "insert into schema_migrations (version, name, hash, applied_at) values (9999, 'later', 'x', 'now')")
    with pytest.raises(SchemaTooNew, match="9999"):
        Memory.open(url)


def test_a_migration_that_was_changed_is_refused(url, execute):
    Memory.open(url).close()
    execute(url, "update schema_migrations set hash = 'something else'")
    with pytest.raises(StoreUnavailable, match="000"):
        Memory.open(url)


def test_a_migration_that_fails_is_rolled_back_whole(url, monkeypatch, execute):
    good = known(url)
    bad = migrate.Migration(99, "bad", "hash", "create table half_done (x text); select * from no_such_table;")
    monkeypatch.setattr(migrate, "migrations", lambda _: (*good, bad))
    with pytest.raises(StoreError, match="no_such_table"):
        Memory.open(url)
    monkeypatch.undo()
    with Memory.open(url) as memory:
        assert memory.save("works").status == "created"
        assert memory.info().schema_version == good[-1].version
    with pytest.raises(Exception, match="half_done"):
        execute(url, "select * from half_done")


def test_another_programs_sqlite_file_is_refused_untouched(tmp_path, execute):
    path = tmp_path / "other.db"
    execute(str(path), "create table theirs (x)")
    with pytest.raises(StoreUnavailable, match="another program"):
        Memory.open(path)
    assert execute(str(path), "select name from sqlite_schema") == [("theirs",)]


def test_a_file_that_is_no_database_is_refused_untouched(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("dear diary " * 1000)
    with pytest.raises(StoreUnavailable, match="not a SQLite database"):
        Memory.open(path)
    assert path.read_text().startswith("dear diary")


def test_a_new_file_is_private(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.save("private")
        modes = {file.name: file.stat().st_mode & 0o077 for file in tmp_path.iterdir()}
    assert set(modes.values()) == {0}, modes


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_no_two_migrations_have_the_same_number(dialect):
    numbers = [migration.version for migration in migrate.migrations(dialect)]
    assert len(numbers) == len(set(numbers))


def test_the_planner_has_figures_of_every_index_of_a_large_table(sqlite_store, execute):
    without = execute(
        str(sqlite_store),
        """
        select i.name from sqlite_schema i
        where i.type = 'index' and i.tbl_name in ('nodes', 'edges', 'embeddings', 'names_in_texts', 'retired')
          and i.name not in (select s.idx from sqlite_stat1 s)
        """,
    )
    assert without == [], "SQLite takes an index without figures for one that finds ten rows"
