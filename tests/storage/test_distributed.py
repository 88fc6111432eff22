"""A store on several servers: what is said where that cannot be, and what guards it on one server already."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg import errors

from wherefrom import Memory, Store
from wherefrom.model.errors import Conflict, InvalidInput, StoreBusy, StoreError, StoreUnavailable
from wherefrom.storage.postgres_connections import translated


def test_it_says_why_it_cannot_be_distributed(memory, cluster):
    if cluster is not None:  # tests/citus takes the reasons from it, one by one
        return
    reason = "extension citus" if memory.info().database == "postgres" else "one machine"
    with pytest.raises(InvalidInput, match=reason) as refused:
        memory.distribute()
    assert refused.value.hint


def test_what_a_database_cannot_do_has_an_error_of_its_own():
    with pytest.raises(StoreUnavailable, match="cannot do this here") as refused, translated():
        raise errors.FeatureNotSupported("could not create distributed plan")
    assert "open it again" in refused.value.hint


def test_a_server_that_the_coordinator_lost_is_unavailable_and_another_fault_is_not(new_url):
    url = new_url("postgres")
    for said, kind in (("failure on connection marked as essential: b:5432", StoreUnavailable), ("a bug", StoreError)):
        raising = f"do $$ begin raise exception '{said}' using errcode = 'XX000'; end $$"
        with psycopg.connect(url, autocommit=True) as connection, pytest.raises(StoreError) as failed, translated():
            connection.execute(raising)
        assert type(failed.value) is kind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ('duplicate key value violates unique constraint "nodes_same_text_102008"', Conflict),
        ("could not serialize access due to concurrent update", StoreBusy),
    ],
)
def test_what_fails_while_rows_are_copied_to_another_server_is_known_by_its_message(new_url, said, kind, monkeypatch):
    """Citus reports it as an error of its own. A writer that came too late is run again, as on one server."""
    raising = f"do $$ begin raise exception '{said}' using errcode = 'XX000'; end $$"
    monkeypatch.setenv("WHEREFROM_BUSY_TIMEOUT_MS", "500")
    with Memory.open(new_url("postgres"), embedder="none") as memory:
        database, runs = memory.view.store.database, []

        def write(tx, times):
            runs.append(1)
            if len(runs) <= times:
                tx._connection.execute(raising)
            return len(runs)

        assert database.write(lambda tx: write(tx, 2)) == 3
        with pytest.raises(kind) as failed:
            database.write(lambda tx: write(tx, 10_000))
        assert type(failed.value) is kind


def test_what_the_server_advises_is_the_hint(new_url):
    """So Citus says to connect to the coordinator."""
    raising = "do $$ begin raise exception 'not on this node' using hint = 'Go elsewhere.'; end $$"
    url = new_url("postgres")
    with psycopg.connect(url) as connection, pytest.raises(StoreError, match="not on") as failed, translated():
        connection.execute(raising)
    assert failed.value.hint == "Go elsewhere."


def test_sql_for_agents_is_prepared_though_one_that_it_waits_for_waits_for_it(new_url):
    """Its tables are locked one after another while others use them: the server gives up one of the two transactions."""
    url = new_url("postgres")
    waiting = "select count(*) from pg_locks where not granted and relation = 'edges'::regclass"
    with (
        Memory.open(url, embedder="none") as memory,
        psycopg.connect(url) as other,
        psycopg.connect(url, autocommit=True) as watching,
        ThreadPoolExecutor(1) as pool,
    ):
        memory.save("The ferry leaves at nine.")
        other.execute("set deadlock_timeout = '60s'")
        other.execute("lock table edges in access share mode")
        asked = pool.submit(memory.query_graph, "select count(*) from memos", timeout_ms=2_000)
        while watching.execute(waiting).fetchone() == (0,):
            assert not asked.done()
            time.sleep(0.01)
        assert other.execute("select count(*) from nodes").fetchone() == (1,)
        other.rollback()
        assert asked.result(60).rows == ((1,),)


@pytest.mark.parametrize(
    ("policy", "refused"),
    [
        ("create policy mine on nodes using (true)", True),
        ("create policy mine on edges for select to public using (owner_id = 'bob')", True),
        ("create policy mine on nodes for insert with check (true)", False),
        ("create policy mine on nodes as restrictive using (true)", False),
    ],
)
def test_a_policy_that_would_show_agents_more_is_refused(new_url, policy, refused, execute):
    url = new_url("postgres")
    execute(url, policy)
    with Memory.open(url, embedder="none") as memory:
        if refused:
            with pytest.raises(StoreUnavailable, match="mine on"):
                memory.query_graph("select 1 from memos")
        else:
            assert memory.query_graph("select 1 from memos").error is None


def test_the_owner_is_written_into_a_statement_besides_the_policies(new_url, execute):
    """Were the policies to fail, another owner's rows would still be out of reach."""
    url = new_url("postgres")
    with (
        Memory.open(url, owner="o'hara", embedder="none") as hers,
        Memory.open(url, owner="bob", embedder="none") as his,
    ):
        hers.save("Hers: 100 % and a \\ more.")
        his.save("His.")
        assert hers.query_graph("select content from memos").rows == (("Hers: 100 % and a \\ more.",),)
        for table in ("nodes", "edges", "events"):
            execute(url, f"alter table {table} disable row level security")
        assert hers.query_graph("select content from memos").rows == (("Hers: 100 % and a \\ more.",),)
        assert his.query_graph("with memos as (select * from memos) select content from memos").rows == (("His.",),)
        assert his.query_view("v_hub_pages").error is None


def test_a_scope_of_one_statement_is_not_used_for_the_next_on_the_same_connection(new_url):
    """The functions that read it count as immutable: a plan that was kept would show the rows of whoever came first."""
    with Store.open(new_url("postgres"), embedder="none") as store:
        memories = {text: store.memory(root=text) for text in ("one", "two")}
        for text, memory in memories.items():
            memory.save(text)
        for _ in range(7):  # a plan is kept from the sixth on
            for text, memory in memories.items():
                assert memory.query_graph("select content from memos", timeout_ms=2_000).rows == ((text,),)
