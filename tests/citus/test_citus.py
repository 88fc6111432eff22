"""A store that is distributed over a real cluster of Citus; skipped unless WHEREFROM_TEST_CITUS names one."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from citus_for_tests import Cluster
from every_verb_for_tests import SCRIPT, world
from import_for_tests import put
from statements_for_tests import plans, recorded, run_all

from wherefrom import Memory
from wherefrom.explore.views import all_rendered
from wherefrom.model.errors import InvalidInput, StoreBusy, StoreError, StoreUnavailable
from wherefrom.storage import embeddings, postgres
from wherefrom.storage.agent.tables import names

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif("WHEREFROM_TEST_CITUS" not in os.environ, reason="no cluster of Citus is given"),
]
# A shell command that restarts one server that is not the coordinator, and ends when it is up again.
RESTART = os.environ.get("WHEREFROM_TEST_CITUS_RESTART")
OWNERS = tuple(f"owner{number}" for number in range(8))
# What the worker of vectors and a new owner do concerns all owners; the two of an owner's are read together.
WIDE = {
    "pending_missing",
    "nodes_unchanged",
    "pending_claim",
    "pending_done",
    "pending_lease",
    "pending_total",
    "owner_add",
    "lock_owners",
}
# EXPLAIN of Citus cannot show these: they insert rows that are given, by way of the coordinator.
UNEXPLAINED = {"event_floor_raise", "mentions_add", "names_add", "stand_ins_put", "text_index"}


@pytest.fixture(scope="module")
def cluster():
    return Cluster(os.environ["WHEREFROM_TEST_CITUS"])


@pytest.fixture(scope="module")
def url(cluster):
    """A distributed store in which something was saved before it was distributed."""
    made = cluster.make()
    with Memory.open(made, owner="early", embedder="none") as memory:
        memory.save("Saved on one server.", title="Early")
        assert memory.query_graph("select title from memos").rows == (("Early",),)
        first, again = memory.distribute(), memory.distribute()
        assert "nodes" in first.distributed and "keys" in first.copied
        assert (again.distributed, again.copied) == ((), ())
        assert memory.query_graph("select title from memos").rows == (("Early",),)
    yield made
    cluster.drop(made.partition("?")[0].rpartition("/")[2])


def faults(memory):
    """What doctor finds, apart from vectors, which not all of these memories make."""
    return {check.name: check.detail for check in memory.doctor().checks if not check.ok and check.name != "vectors"}


def execute(url, sql, *parameters):
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql, *parameters)
        return cursor.fetchall() if cursor.description else []


def test_every_verb_works_and_goes_to_one_server(url):
    with recorded() as seen:
        for owner in OWNERS[:3]:
            with Memory.open(url, owner=owner) as memory:
                assert run_all(memory, SCRIPT, world) == []
    wide = {}
    with psycopg.connect(url) as connection:
        postgres._configure(connection)
        for (name, text), parameters in seen.items():
            if name not in UNEXPLAINED:
                for _, plan in plans(connection, {(name, text): parameters}):
                    tasks = set(re.findall(r'"Task Count": (\d+)', json.dumps(plan)))
                    if tasks - {"1"}:
                        wide[name] = tasks
    assert set(wide) <= WIDE, wide


def server_of(url, owner):
    placed = "select nodename || ':' || nodeport from pg_dist_shard_placement where shardid = get_shard_id_for_distribution_column('nodes', %s::text)"
    return execute(url, placed, (owner,))[0][0]


def test_an_owners_calls_reach_no_other_server(url):
    """Neither by a statement that EXPLAIN cannot show, nor by the commit: another server may be away."""
    reached = set()
    for owner in OWNERS:
        with Memory.open(url, owner=owner) as memory:
            one, two = (memory.save(f"{owner} begins with {text}.").node.id for text in ("one", "another"))
            for _, connection in memory.view.store.database._pool._idle:
                connection.execute("set citus.log_remote_commands = on")
                connection.commit()
                connection.add_notice_handler(lambda notice: reached.add(str(notice.message_detail)))
            memory.save(f"The ferry of {owner} leaves at nine.", title="Ferry", entities=["ferry"])
            memory.save(f"{owner} begins with a ferry.", memo_id=one)
            memory.relate(one, two, tag="supports", weight=0.5)
            memory.search("when does the ferry leave?")
            memory.activate("the ferry")
            memory.delete(two)
        assert set(re.findall(r"on server \w+@(\S+)", "\n".join(reached))) == {server_of(url, owner)}
        reached.clear()


def test_an_import_refreshes_the_statistics_of_its_owner_alone(url, cluster):
    """All parts together would take as long as the import, and need all servers."""
    name, owner = url.partition("?")[0].rpartition("/")[2], "imports"

    def refreshed():
        found = set()
        for number in (1, 2):
            with cluster.connect(name, number) as connection:
                connection.execute("set citus.override_table_visibility = off")
                query = "select relname, last_analyze from pg_stat_user_tables where last_analyze is not null"
                found |= set(connection.execute(query))
        return found

    before = refreshed()
    with Memory.open(url, owner=owner, embedder="none") as memory:
        put(memory, [f"Note {number}." for number in range(400)])
    tables = ("nodes", "edges", "node_texts", "node_terms", "names", "names_in_texts", "embeddings")
    parts = "select %s || '_' || get_shard_id_for_distribution_column(%s, %s::text)"
    own = {execute(url, parts, (table, table, owner))[0][0] for table in tables}
    assert {part for part, _ in refreshed() - before} == own


def test_the_index_of_vectors_stays(url):
    """Citus marks one that is there as invalid when it is to be made unless it is there."""
    query = "select indexrelid::bigint, indisvalid from pg_index where indexrelid = to_regclass('embeddings_hnsw_1')"
    with Memory.open(url, owner="indexes") as memory:
        put(memory, [f"Lantern {number} hangs over door {number % 7}." for number in range(2_100)])
        [made] = execute(url, query)
        assert made[1] is True
        memory.view.store.database.vectors.prepare(memory.view.store.database.read(embeddings.active))
        assert execute(url, query) == [made]


def test_doctor_finds_it_whole_and_says_what_is_not(url):
    with Memory.open(url, owner="early", embedder="none") as memory:
        assert faults(memory) == {}
        assert memory.info().engine["servers"] == 2
        execute(url, 'create table later (owner_id text collate "C" not null primary key)')
        execute(url, "create policy narrow on tasks as restrictive using (true)")
        found = faults(memory)
        assert "later" in found["distributed tables"]
        assert "tasks" in found["policies of rows"]
        execute(url, "drop policy narrow on tasks")
        assert memory.distribute().distributed == ("later",)
        assert faults(memory) == {}
        execute(url, "drop table later")


def by_way_of_a_worker(url, cluster):
    (host, port), (other, its_port) = cluster.servers[:2]
    return url.replace(f"@{host}:{port}/", f"@{other}:{its_port}/")


def test_a_worker_is_no_entry(url, cluster):
    """The feed of events waits for the transactions of one coordinator; a store can neither be made nor distributed there."""
    with Memory.open(by_way_of_a_worker(url, cluster), owner="early", embedder="none") as memory:
        assert set(faults(memory)) == {"coordinator"}
        with pytest.raises(InvalidInput, match="not the coordinator"):
            memory.distribute()
    empty = cluster.make()
    try:
        with pytest.raises(StoreError, match="not allowed on this node") as refused:
            Memory.open(by_way_of_a_worker(empty, cluster))
        assert "coordinator" in refused.value.hint
        Memory.open(empty).close()
    finally:
        cluster.drop(empty.partition("?")[0].rpartition("/")[2])


def test_another_user_than_the_owner_of_the_tables_does_not_distribute_them(url):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("set citus.multi_shard_modify_mode = sequential")
        connection.execute("create role wherefrom_guest login")
        try:
            connection.execute("grant usage on schema public to wherefrom_guest")
            connection.execute("grant all on all tables in schema public to wherefrom_guest")
            with Memory.open(re.sub("//[^@]+@", "//wherefrom_guest@", url), embedder="none") as memory:
                with pytest.raises(InvalidInput, match="does not own the tables") as refused:
                    memory.distribute()
                assert refused.value.hint.startswith("connect as ")
        finally:
            connection.execute("drop owned by wherefrom_guest")
            connection.execute("drop role wherefrom_guest")


def test_a_later_migration_distributes_what_it_makes(url, monkeypatch):
    from wherefrom.storage import migrate

    text = """create table notes_of_nodes (
    owner_id {key} not null,
    node_id {key} not null,
    constraint notes_of_nodes_key primary key (owner_id, node_id),
    foreign key (owner_id, node_id) references nodes (owner_id, id) on delete cascade
);
create table shared_notes (number integer primary key);
alter table nodes add column later_noted text"""
    known = migrate.migrations("postgres")
    later = migrate.Migration(known[-1].version + 1, "later", "x", text)
    monkeypatch.setattr(migrate, "migrations", lambda dialect: (*known, later))
    try:
        with Memory.open(url, owner="early", embedder="none") as memory:
            node = memory.save("It has a note.").node.id
            execute(url, "insert into notes_of_nodes values ('early', %s)", (node,))
            assert faults(memory) == {}
            memory.delete(node)
        assert execute(url, "select count(*) from notes_of_nodes") == [(0,)]
    finally:
        execute(url, "drop table notes_of_nodes")
        execute(url, "drop table shared_notes")
        execute(url, "alter table nodes drop column later_noted")
        execute(url, "delete from schema_migrations where name = 'later'")


def test_agents_read_their_own_rows_and_no_others(url):
    """Turn by turn on the same connections, so that nothing of one owner's is left for the next."""
    with (
        Memory.open(url, owner=OWNERS[0], embedder="none") as one,
        Memory.open(url, owner=OWNERS[1], embedder="none") as other,
    ):
        one.save("Only the first knows.", title="first")
        other.save("Only the second knows.", title="second")
        for _ in range(4):
            for memory, mine, theirs in ((one, "first", "second"), (other, "second", "first")):
                titles = {
                    title
                    for (title,) in memory.query_graph("select title from memos", limit=200, timeout_ms=2_000).rows
                }
                assert mine in titles and theirs not in titles
                for name in (*names(), *all_rendered()):
                    result = memory.query_graph(f"select * from {name}", limit=200, timeout_ms=2_000)
                    assert result.error is None, (name, result.error)
                    assert theirs not in str(result.rows)
        walk = "with recursive w(id, n) as (select id, 0 from memos union select e.target_id, w.n + 1 from w join edges e on e.source_id = w.id where w.n < 3) select count(*) from w"
        joined = "select count(*) from memos m join edges e on e.source_id = m.id left join embeddings v on v.target_id = m.id left join tasks t on true"
        for sql in (walk, joined, "select count(*) from memos a, memos b", "select max(this_year) from clock, memos"):
            assert one.query_graph(sql, timeout_ms=2_000).error is None, sql
        for sql in (
            "select * from nodes",
            "select * from public.memos",
            "select * from agent_secrets",
            "select set_config('wherefrom.scope', '', true)",
        ):
            assert one.query_graph(sql).error, sql


def test_several_stores_of_a_cluster_are_prepared_for_agents_at_once(cluster):
    """Roles belong to all databases of a server, and Citus alters them again and again."""
    urls = [cluster.make()]
    try:
        with Memory.open(urls[0], embedder="none") as memory:
            memory.distribute()
        urls += [cluster.make(urls[0].partition("?")[0].rpartition("/")[2]) for _ in range(4)]

        def ask(url):
            with Memory.open(url, embedder="none") as memory:
                result = memory.query_graph("select count(*) from memos", timeout_ms=2_000)
            return result.error, result.rows

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(ask, urls[1:])) == [(None, ((0,),))] * 4
    finally:
        for url in urls:
            cluster.drop(url.partition("?")[0].rpartition("/")[2])


def test_a_role_of_agents_sees_nothing_without_a_scope_on_any_server(url, cluster):
    """It may log in, because the coordinator does so as it."""
    with Memory.open(url, owner=OWNERS[0], embedder="none") as memory:
        memory.query_graph("select 1 from memos")
    name = url.partition("?")[0].rpartition("/")[2]
    query = "select c.oid::regclass::text from pg_class c where c.relname ~ '^(nodes|edges|events|tasks|queries|embeddings)(_[0-9]+)?$' and c.relkind = 'r'"
    for number in range(len(cluster.servers)):
        with cluster.connect(name, number) as connection:
            connection.execute("set citus.override_table_visibility = off")
            tables = [table for (table,) in connection.execute(query)]
            assert len(tables) >= 6
            restrictive = "select count(*) from pg_policy where not polpermissive"
            assert connection.execute(restrictive).fetchone() == (0,)
            connection.execute("set role wherefrom_agent")
            for scope in ("", "x" * 64 + '{"owner": "owner1", "backend": "1"}'):
                connection.execute("select set_config('wherefrom.scope', %s, false)", (scope,))
                for table in tables:
                    with pytest.raises((psycopg.errors.RaiseException, psycopg.errors.InsufficientPrivilege)):
                        connection.execute(f"select owner_id from {table}")


def test_a_node_takes_with_it_what_belongs_to_it(url):
    with Memory.open(url, owner="cascades") as memory:
        made = world(memory)
        for node in (made.page, made.one, made.claim):
            memory.delete(node)
    for table in ("node_texts", "node_terms", "embeddings", "pending_embeddings"):
        query = f"select count(*) from {table} t where owner_id = 'cascades' and not exists (select 1 from nodes n where n.owner_id = 'cascades' and n.seq = t.node_seq)"
        assert execute(url, query) == [(0,)], table
    assert execute(url, "select count(*) from nodes where owner_id = 'cascades' and page_id = %s", (made.page,)) == [
        (0,)
    ]


def test_what_is_erased_is_on_no_server(url, cluster):
    """Neither in a part of a table, nor in statistics of its columns."""
    mark, name = "qzvwxerased", url.partition("?")[0].rpartition("/")[2]
    holding = (
        "select c.relname from pg_class c where c.relkind in ('r', 'i', 't') and pg_relation_filepath(c.oid) is not null"
        " and position(%s::bytea in pg_read_binary_file(pg_relation_filepath(c.oid))) > 0"
    )

    def found():
        seen = set()
        for number in range(len(cluster.servers)):
            with cluster.connect(name, number) as connection:
                connection.execute("set citus.override_table_visibility = off")
                connection.execute("checkpoint")
                seen |= {relation for (relation,) in connection.execute(holding, (mark,))}
        return seen

    with Memory.open(url, owner="erased") as memory:
        ids = [
            memory.save(f"The {mark} lantern {mark}{n % 2} number {n}.", title=f"{mark} {n % 3}").node.id
            for n in range(12)
        ]
        execute(url, "analyze")
        assert {"nodes", "pg_statistic"} <= {relation.rpartition("_1")[0] or relation for relation in found()}
        plan = memory.forget(ids=ids, for_good=True)
        assert memory.forget(ids=ids, for_good=True, apply=True, plan=plan.plan).state == "erased"
        left = [found()]
        while left[-1] and len(left) < 5:  # transactions of other databases on a server keep dead rows for a while
            memory.view.store.database.erase_deleted(vacuum=True)
            left.append(found())
        assert left[-1] == set()


@pytest.fixture
def deadlocks(monkeypatch):
    """Those that ended a transaction of this process; servers do not count those that Citus finds between them."""
    run, found = postgres.PostgresDatabase._run, []

    def counted(*given, **named):
        try:
            return run(*given, **named)
        except psycopg.errors.DeadlockDetected as error:
            found.append(str(error))
            raise

    monkeypatch.setattr(postgres.PostgresDatabase, "_run", counted)
    return found


def test_eight_writers_do_not_deadlock(url, deadlocks):
    """Two of each owner, who save, update, relate, import, rename and delete."""

    def write(number):
        owner = f"writing{number // 2}"
        with Memory.open(url, owner=owner, embedder="none") as memory:
            for turn in range(8):
                text = f"{owner} notes {random.random()}."
                ids = [memory.save(f"{part} {text}", title=f"Note {turn}").node.id for part in ("One:", "Two:")]
                memory.relate(*ids, tag="supports", weight=0.5)
                memory.save(f"Anew: {text}", memo_id=ids[0], entities=["ferry"])
                memory.activate("when does the ferry leave?")
                put(memory, [f"{text} {line}" for line in range(5)], namespace=f"main/w{number}t{turn}")
                memory.rename_namespace(f"w{number}t{turn}", f"moved/w{number}t{turn}")
                memory.delete(ids[1])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert deadlocks == []


def test_what_was_saved_outlives_a_worker_that_is_cut_off(url, cluster):
    """All connections of one worker are ended again and again while owners save: what was answered is stored, once."""
    name, over = url.partition("?")[0].rpartition("/")[2], threading.Event()

    def cut():
        with cluster.connect("postgres", 1) as connection:
            while not over.wait(0.3):
                connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))

    def write(owner):
        saved, failed = set(), 0
        with Memory.open(url, owner=owner, root="cut", embedder="none") as memory:
            for number in range(12):
                try:
                    saved.add(memory.save(f"{owner} keeps {number}.").node.id)
                except (StoreUnavailable, StoreBusy):
                    failed += 1
        return saved, failed

    cutter = threading.Thread(target=cut)
    cutter.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            answered = list(pool.map(write, OWNERS[:4]))
    finally:
        over.set()
        cutter.join()
    execute(url, "select recover_prepared_transactions()")  # Citus does so once a minute
    for owner, (saved, failed) in zip(OWNERS, answered, strict=False):
        with Memory.open(url, owner=owner, root="cut", embedder="none") as memory:
            kept = {node.id for node in memory.list(limit=50).nodes}
            assert saved <= kept
            assert len(kept) <= len(saved) + failed
            assert faults(memory) == {}
    assert sum(len(saved) for saved, _ in answered)


def test_a_server_that_was_restarted_is_no_fault(url, cluster):
    """The coordinator may hold connections to it from before, and finds them dead when it uses them."""
    name = url.partition("?")[0].rpartition("/")[2]
    ending = (
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s and pid <> pg_backend_pid()"
    )
    with Memory.open(url, owner=OWNERS[0], embedder="none") as memory:
        assert memory.info().engine["distributed_bytes"] > 0
        for number in (1, 2):
            with cluster.connect(name, number) as connection:
                connection.execute(ending, (name,))
        assert memory.info().engine["servers"] == 2
        for number in (1, 2):
            with cluster.connect(name, number) as connection:
                connection.execute(ending, (name,))
        assert faults(memory) == {}


@pytest.mark.skipif(RESTART is None, reason="no command that restarts a server of the cluster is given")
def test_a_server_that_is_restarted_under_load_loses_nothing(url, cluster, record_property):
    """Owners save all the while: what was answered is stored, once, and those on the other server notice nothing."""
    name, over = url.partition("?")[0].rpartition("/")[2], threading.Event()
    owners = tuple(f"restarted{number}" for number in range(6))
    saved, failed = ({owner: [] for owner in owners} for _ in range(2))
    memories = {owner: Memory.open(url, owner=owner, embedder="none") for owner in owners}

    def write(owner):
        while not over.is_set():
            try:
                saved[owner].append(memories[owner].save(f"{owner} keeps {random.random()}.").node.id)
            except (StoreUnavailable, StoreBusy) as error:
                failed[owner].append(str(error))

    def all_save(more):
        wanted = {owner: len(ids) + more for owner, ids in saved.items()}
        deadline = time.monotonic() + 60
        while any(len(saved[owner]) < least for owner, least in wanted.items()):
            assert time.monotonic() < deadline, {owner: (len(saved[owner]), failed[owner][-1:]) for owner in owners}
            time.sleep(0.05)

    def started():
        found = []
        for number in range(len(cluster.servers)):
            with cluster.connect(name, number) as connection:
                found += connection.execute("select pg_postmaster_start_time()").fetchone()
        return found

    before = started()
    with ThreadPoolExecutor(len(owners)) as pool:
        writers = [pool.submit(write, owner) for owner in owners]
        try:
            for _ in range(2):
                all_save(4)
                subprocess.run(RESTART, shell=True, check=True, timeout=120, stdout=subprocess.DEVNULL)
            all_save(4)
        finally:
            over.set()
        for writer in writers:
            writer.result()
    assert sum(old != new for old, new in zip(before, started(), strict=True)) == 1
    execute(url, "select recover_prepared_transactions()")  # Citus does so once a minute
    servers = {}
    for owner, memory in memories.items():
        servers[owner] = server_of(url, owner)
        kept = {node for (node,) in execute(url, "select id from nodes where owner_id = %s", (owner,))}
        assert {*saved[owner]} <= kept
        assert len(kept) <= len(saved[owner]) + len(failed[owner])
        assert faults(memory) == {}
        memory.close()
        record_property(owner, {"server": servers[owner], "saved": len(saved[owner]), "failed": len(failed[owner])})
    assert len({*servers.values()}) == 2
    assert len({servers[owner] for owner in owners if failed[owner]}) <= 1, failed


def test_it_says_why_it_cannot_be_distributed(cluster):
    url = cluster.make()
    name = url.partition("?")[0].rpartition("/")[2]
    try:
        with Memory.open(url, embedder="none") as memory:
            execute(url, "select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid > 0")
            with pytest.raises(InvalidInput, match="knows no server"):
                memory.distribute()
            execute(url, "drop extension citus cascade")
            with pytest.raises(InvalidInput, match="is not in this database"):
                memory.distribute()
    finally:
        cluster.drop(name)
