"""Upkeep on a schedule: each job is done when it is due, by one process, and one that dies or fails stops nothing."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from embedders_for_tests import Numbered

from wherefrom import Store, config
from wherefrom.api.jobs import standard_jobs, sweep_all
from wherefrom.engine import schedule
from wherefrom.engine.schedule import Schedule
from wherefrom.model import cancellation
from wherefrom.model.errors import StoreBusy
from wherefrom.model.jobs import Job
from wherefrom.storage import jobs, postgres, sqlite
from wherefrom.storage.sql import Statements

DIALECTS = {False: sqlite.DIALECT, True: postgres.DIALECT}


@pytest.fixture
def store(url, clock):
    with Store.open(url, embedder="none", clock=clock) as opened:
        yield opened


def state_of(store, name):
    return next(state for state in store.jobs() if state.name == name)


def test_a_job_is_done_when_it_is_due_and_says_what_it_did(store, clock):
    runs = []
    plan = Schedule(store, [Job("count", 60, lambda: runs.append(1) or {"runs": len(runs)})])
    assert store.jobs() == ()
    assert plan.run_due() == ("count",)
    assert plan.run_due() == ()
    clock.go_on(seconds=59)
    assert plan.run_due() == ()
    clock.go_on(seconds=1)
    assert plan.run_due() == ("count",)
    state = state_of(store, "count")
    assert state.last_result == {"runs": 2}
    assert (state.holder, state.last_error) == (None, None)
    assert state.last_started == state.last_ended == "2026-01-01T00:01:00.000000Z"


def test_a_look_that_finds_no_job_due_waits_for_no_writer(store):
    plan = Schedule(store, [Job("count", 60, dict)])
    assert plan.run_due() == ("count",)

    def write(tx):
        if tx.dialect.name == "postgres":
            tx._connection.execute("lock table jobs in exclusive mode")
        return looking.submit(plan.run_due).result(2)

    with ThreadPoolExecutor(1) as looking:
        assert store.database.write(write) == ()


def test_nothing_is_done_by_itself_in_a_store_that_may_only_be_read(new_url):
    url = new_url("sqlite")
    Store.open(url, embedder="none").close()
    with Store.from_settings(config.load({"db": url}), embedder="none", only_to_read=True) as store:
        plan = Schedule(store, standard_jobs(store))
        plan.start()
        assert "wherefrom-upkeep" not in {thread.name for thread in threading.enumerate()}
        plan.close()


def test_replicas_do_each_job_once(url, clock, store):
    runs, meet = [], threading.Barrier(4)
    with Store.open(url, embedder="none", clock=clock) as other:
        plans = [Schedule(each, [Job("once", 60, lambda: runs.append(1) or {})]) for each in (store, other) * 2]

        def run(plan):
            meet.wait()
            return plan.run_due()

        for _ in range(5):
            runs.clear()
            with ThreadPoolExecutor(4) as threads:
                done = list(threads.map(run, plans))
            assert len(runs) == 1
            assert sorted(done) == [(), (), (), ("once",)]
            clock.go_on(seconds=60)


def test_a_dead_holders_lease_runs_out(store, clock):
    job, runs = Job("heavy", 3600, lambda: runs.append(1) or {}), []
    dead = jobs.Lease("heavy", "a process that died")
    assert store.database.write(lambda tx: jobs.claim(tx, job, dead, clock()))
    plan = Schedule(store, [job])
    clock.go_on(seconds=jobs.LEASE.total_seconds() - 1)
    assert plan.run_due() == ()
    assert state_of(store, "heavy").holder == dead.holder
    clock.go_on(seconds=1)
    assert state_of(store, "heavy").holder is None
    assert plan.run_due() == ("heavy",)
    # It comes back and finds that the job is another's.
    assert not store.database.write(lambda tx: jobs.extend(tx, dead, clock()))
    store.database.write(lambda tx: jobs.end(tx, dead, now="2030", result=None, error="late"))
    assert state_of(store, "heavy").last_error is None


def test_a_lease_is_prolonged_while_its_job_runs(store, clock, monkeypatch):
    monkeypatch.setattr(schedule, "_SECONDS_BETWEEN_BEATS", 0.01)
    taken = []

    def long():
        rival = jobs.Lease("long", "another process")
        for _ in range(3):
            before = [row[2] for row in store.database.read(lambda tx: tx.rows("jobs_all", {}))]
            clock.go_on(seconds=90)
            while [row[2] for row in store.database.read(lambda tx: tx.rows("jobs_all", {}))] == before:
                pass
            taken.append(store.database.write(lambda tx: jobs.claim(tx, job, rival, clock())))
        return {}

    job = Job("long", 1, long)
    assert Schedule(store, [job]).run_due() == ("long",)
    assert taken == [False] * 3


def test_a_job_that_another_process_has_taken_is_stopped(store, clock, monkeypatch):
    monkeypatch.setattr(schedule, "_SECONDS_BETWEEN_BEATS", 0.01)
    rival = jobs.Lease("slow", "another process")

    def slow():
        ours = jobs.Lease("slow", state_of(store, "slow").holder)
        store.database.write(lambda tx: jobs.end(tx, ours, now="2026", result=None, error=None, again=True))
        assert store.database.write(lambda tx: jobs.claim(tx, job, rival, clock()))
        while True:
            cancellation.current().check()

    job = Job("slow", 60, slow)
    assert Schedule(store, [job]).run_due() == ("slow",)
    assert state_of(store, "slow").holder == rival.holder


@pytest.mark.parametrize("error", [ValueError("it broke"), None])
def test_a_job_that_fails_is_noted_and_the_others_go_on(store, clock, error):
    def fail():
        if error is not None:
            raise error
        store.memory().get("no such memo")

    plan = Schedule(store, [Job("bad", 60, fail), Job("good", 60, lambda: {"done": 1})])
    assert plan.run_due() == ("bad", "good")
    bad = state_of(store, "bad")
    assert bad.last_result is None
    assert ("ValueError" if error else "no such memo") in bad.last_error
    assert "broke" not in bad.last_error
    assert state_of(store, "good").last_result == {"done": 1}
    clock.go_on(seconds=60)
    assert plan.run_due() == ("bad", "good")


def test_a_job_that_finds_the_store_busy_waits_for_its_next_turn_and_is_no_failure(store, clock, caplog):
    answers = [StoreBusy("another writer is not done yet", hint="try again"), None]

    def write():
        if (error := answers.pop(0)) is not None:
            raise error
        return {"done": 1}

    plan = Schedule(store, [Job("late", 60, write)])
    with caplog.at_level("INFO", "wherefrom"):
        assert plan.run_due() == ("late",)
        assert not caplog.records
    state = state_of(store, "late")
    assert (state.holder, state.last_result, state.last_error) == (None, None, None)
    assert plan.run_due() == ()
    clock.go_on(seconds=60)
    assert plan.run_due() == ("late",)
    assert state_of(store, "late").last_result == {"done": 1}


def test_a_look_that_finds_the_store_busy_logs_nothing(store, monkeypatch, caplog):
    monkeypatch.setattr(schedule, "_SECONDS_BETWEEN_LOOKS", 0.01)
    looks, done = [], threading.Event()
    plan = Schedule(store, [])

    def look():
        looks.append(1)
        if len(looks) == 1:
            raise StoreBusy("another writer is not done yet", hint="try again")
        done.set()

    monkeypatch.setattr(plan, "run_due", look)
    with caplog.at_level("INFO", "wherefrom"):
        plan.start()
        assert done.wait(20)
        plan.close()
    assert not caplog.records


def test_closing_stops_a_running_job_which_is_then_due_at_once(store):
    begun = threading.Event()

    def endless():
        begun.set()
        while True:
            store.database.read(lambda tx: tx.rows("jobs_all", {}))

    plan = Schedule(store, [Job("endless", 3600, endless)])
    plan.start()
    plan.start()
    assert begun.wait(20)
    plan.close()
    assert plan.run_due() == ()
    state = state_of(store, "endless")
    assert (state.holder, state.last_started, state.last_result, state.last_error) == (None, None, None, None)
    assert Schedule(store, [Job("endless", 3600, lambda: {"done": 1})]).run_due() == ("endless",)


def test_jobs_that_there_are_at_the_moment_are_asked_for_at_every_look(store, clock):
    there = []
    plan = Schedule(store, [Job("always", 60, dict)], further=lambda: there)
    assert plan.run_due() == ("always",)
    there.append(Job("now and then", 60, dict))
    assert plan.run_due() == ("now and then",)
    clock.go_on(seconds=60)
    assert plan.run_due() == ("always", "now and then")


def test_the_thread_goes_on_after_an_outage(store, monkeypatch):
    monkeypatch.setattr(schedule, "_SECONDS_BETWEEN_LOOKS", 0.01)
    done = threading.Event()
    plan = Schedule(store, [Job("quick", 0, lambda: done.set() or {})])
    kept, store.database._closed = getattr(store.database, "_closed", False), True
    pool = getattr(store.database, "_pool", None)
    if pool is not None:
        pool._closed = True
    plan.start()
    assert not done.wait(0.1)
    store.database._closed = kept
    if pool is not None:
        pool._closed = False
    assert done.wait(20)
    plan.close()


def test_vectors_of_all_owners_are_completed(url, clock):
    with Store.open(url, embedder="none", clock=clock) as plain:
        for number in range(3):
            plain.memory(owner=f"owner {number}").save(f"memo {number}")
    embedder = Numbered()
    with Store.open(url, embedder=embedder, clock=clock) as store:
        assert Schedule(store, standard_jobs(store)).run_due() == ("vectors", "expiry")
        assert state_of(store, "vectors").last_result == {"made": 0}  # nobody has said that they want some
        store.memory(owner="owner 0").save("memo 7")
        clock.go_on(seconds=60)
        assert Schedule(store, standard_jobs(store)).run_due() == ("vectors",)
        assert state_of(store, "vectors").last_result == {"made": 3}


def test_texts_are_not_sent_away_by_a_job(url, clock):
    embedder = Numbered()
    embedder.sends = True
    with Store.open(url, embedder="none", clock=clock) as plain:
        plain.memory().save("memo 1")
    with Store.open(url, embedder=embedder, clock=clock) as store:
        Schedule(store, standard_jobs(store)).run_due()
        assert embedder.embedded == 0


POLICY = "version: 1.0.0\nkeep_expired_days: 7\n"


def test_what_expired_is_archived_for_all_owners_as_their_policies_say(store, clock):
    kept = store.memory(owner="keeps")
    gone = [store.memory(owner="lets go"), store.memory(owner="lets go", root="team")]
    for memory in gone:
        memory.apply_policy(POLICY)
    for memory in (kept, *gone):
        memory.save("for a session", claim_kind="task", scope="session")
        memory.save("for good", claim_kind="fact", scope="principle")
    clock.go_on(days=20)
    plan = Schedule(store, standard_jobs(store))
    assert plan.run_due() == ("vectors", "expiry")
    assert state_of(store, "expiry").last_result == {"owners": 2, "nodes": 2, "failed": 0}
    for memory in gone:
        assert [node.content for node in memory.list().nodes] == ["for good"]
        assert memory.sweep().node_ids == ()
    assert len(store.database.read(lambda tx: tx.rows("jobs_all", {}))) == 2


# The database refuses what the sweep of one owner does.
REFUSE_TO_DELETE = {
    "sqlite": [
        "create trigger refuse before delete on nodes when old.owner_id = 'broken' begin select raise(abort, 'no'); end"
    ],
    "postgres": [
        "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
        "create trigger refuse before delete on nodes for each row when (old.owner_id = 'broken')"
        " execute function refuse()",
    ],
}


def test_an_owner_whose_sweep_fails_stops_nobody_else(store, clock, execute, url, caplog):
    memories = [store.memory(owner=owner) for owner in ("first", "broken", "last")]
    for memory in memories:
        memory.apply_policy(POLICY)
        memory.save("for a session", claim_kind="task", scope="session")
    for statement in REFUSE_TO_DELETE["postgres" if url.startswith("postgresql") else "sqlite"]:
        execute(url, statement)
    clock.go_on(days=20)
    with caplog.at_level("WARNING", "wherefrom"):
        Schedule(store, standard_jobs(store)).run_due()
    state = state_of(store, "expiry")
    assert state.last_result == {"owners": 3, "nodes": 2, "failed": 1}
    assert "1 parts of it failed" in state.last_error
    assert "of broken was not swept" in caplog.text
    assert [len(memory.list(include=["expired"]).nodes) for memory in memories] == [0, 1, 0]


def past(store, days):
    """Return where something is past its time after some days."""
    return store.database.read(lambda tx: jobs.namespaces_to_sweep(tx, store.clock() + timedelta(days=days)))


def test_each_owner_whose_events_are_past_is_found(store, clock):
    for owner in ("a", "二", "c"):
        store.memory(owner=owner).save("early", namespace="x/y")
        store.memory(owner=owner).save("early", namespace="z")
    assert past(store, 364) == []
    clock.go_on(days=200)
    store.memory(owner="late").save("later")
    found = past(store, 200)
    assert [owner for owner, _ in found] == ["a", "c", "二"]
    clock.go_on(days=200)
    assert sweep_all(store)["owners"] == 3
    assert past(store, 0) == []


def test_events_that_are_not_past_are_not_read_to_find_those_that_are(url, execute):
    Store.open(url, embedder="none").close()
    values = "'owner ' || (i % 5), '2026-06-01T00:00:00.000000Z', 'ingest', 'main', '{}'"
    if url.startswith("postgresql"):
        execute(
            url,
            f"insert into events (owner_id, at, topic, namespace, payload) select {values} from generate_series(1, 20000) i",
        )
        execute(url, "analyze events")
    else:
        numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)"
        execute(url, f"insert into events (owner_id, at, topic, namespace, payload) {numbers} select {values} from n")
    dialect = DIALECTS[url.startswith("postgresql")]
    sql = re.sub(r":\w+|%\(\w+\)s", "'2026-01-01'", Statements(dialect).sql("namespaces_to_sweep", {}))
    plan = execute(url, f"{'explain' if url.startswith('postgresql') else 'explain query plan'} {sql}")
    reading = [row[-1] for row in plan if re.search(r"\bevents|\be\b", row[-1])]
    assert reading
    assert not [line for line in reading if re.search(r"Seq Scan|SCAN e\b", line)], reading
    conditions = [row[-1] for row in plan if "Index Cond" in row[-1]]
    assert all("owner_id" in condition for condition in conditions), conditions
