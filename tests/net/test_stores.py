"""Stores that were made before the rebuild open with the code at hand, and give back what was put in.

The files in `stores/` were made by `make_stores.py`, by the code as it was then; they are never made anew. What the
program calls itself may be different by now: it is compared nowhere.
"""

from __future__ import annotations

import gzip
import importlib
import io
import json
import os
import shutil
import sqlite3
from collections import Counter
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
from net.make_stores import SUMS, sums

PACKAGE = "wherefrom"
STORES = Path(__file__).with_name("stores")
EXPECTED = json.loads((STORES / "expected.json").read_text(encoding="utf-8"))
DIALECTS = ("sqlite", "postgres")
ROOTS = {"local": "main", "team": "acme"}
# Fields of exported records that there were not then: a release that adds one adds it here.
LATER_FIELDS: frozenset[str] = frozenset(
    {"slot", "valid_from", "valid_to", "speaker", "session", "confirmed_at", "written_by", "imported_from"}
)


def opened(url, dialect="sqlite", owner="local", **given):
    """A memory at the moment at which the stores were made."""
    moment = datetime.fromisoformat(EXPECTED[dialect]["moment"])
    memory = importlib.import_module(PACKAGE).Memory
    return memory.open(str(url), owner=owner, root=ROOTS[owner], clock=lambda: moment, **given)


def normalised(text):
    """The records of an export, without what the program calls itself, when it was made, and fields that came later."""
    header, *records = map(json.loads, text.splitlines())
    known = {"type": "program", "format": header["format"], "root_namespace": header["root_namespace"]}
    return [known, *({key: value for key, value in each.items() if key not in LATER_FIELDS} for each in records)]


def exported(memory):
    stream = io.StringIO()
    memory.export(stream)
    # What stands for nodes that went is told since a later migration, which reads it from their receipts.
    return [record for record in normalised(stream.getvalue()) if record["type"] != "standin"]


def kept(dialect, owner="local", *, lifted=True):
    """The export that was made of a store then: its file, and its records."""
    path = STORES / f"export.{dialect}{'' if owner == 'local' else '.' + owner}.jsonl"
    records = normalised(path.read_text(encoding="utf-8"))
    # Settings of namespaces were written and never read; they are no more.
    left = [record for record in records if record["type"] != "setting"]
    for record in left:
        if lifted and record["type"] == "edge" and record.get("judge") == "insight":
            record["confidence"] = round(record["confidence"] + 0.35, 6)  # lifted by a migration
    return path, left


def unpacked(name, target):
    with gzip.open(STORES / f"{name}.gz") as source, target.open("wb") as file:
        shutil.copyfileobj(source, file)
    return target


@pytest.fixture(autouse=True)
def as_plain_users_do(monkeypatch):
    """The tests of this file set no privacy: the SQLite store is personal, the other one shared."""
    for name in [name for name in os.environ if name.endswith("_PRIVACY")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def restored_database(postgres_database):
    """The name of a database that the dump was restored into, to copy."""
    url = postgres_database()
    script = gzip.decompress((STORES / "memory.pgdump.sql.gz").read_bytes()).decode()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(script)
    return url.partition("?")[0].rpartition("/")[2]


@pytest.fixture
def old(request, tmp_path):
    """Copies an old store of a dialect; returns its URL."""

    def copy(dialect):
        if dialect == "postgres":
            return request.getfixturevalue("postgres_database")(request.getfixturevalue("restored_database"))
        unpacked("memory.db-wal", tmp_path / "old.db-wal")
        return str(unpacked("memory.db", tmp_path / "old.db"))

    return copy


@pytest.fixture(params=DIALECTS)
def store(request, old):
    """An old store, once of each dialect: its URL, its dialect, what it must give back."""
    return old(request.param), request.param, EXPECTED[request.param]


# --- the stores themselves --------------------------------------------------------------------------------------------


def test_the_files_are_as_they_were_made():
    """A rename of the program that is done by replacing words must leave them alone, and so must line endings."""
    assert sums(STORES) == (STORES / SUMS).read_text(encoding="utf-8").splitlines()


def test_the_wal_holds_committed_rows_that_the_main_file_does_not_have(tmp_path):
    alone = unpacked("memory.db", tmp_path / "alone.db")
    whole = unpacked("memory.db", tmp_path / "whole.db")
    unpacked("memory.db-wal", tmp_path / "whole.db-wal")
    counts = {}
    for path in (alone, whole):
        connection = sqlite3.connect(path)
        counts[path] = connection.execute(
            "select (select count(*) from active_contexts), (select count(*) from pending_embeddings)"
        ).fetchone()
        connection.close()
    assert counts == {alone: (0, 0), whole: (1, 3)}


def test_each_store_is_small_and_has_something_of_everything():
    for path in STORES.iterdir():
        assert path.stat().st_size < 600_000, path.name
    for dialect in DIALECTS:
        _, records = kept(dialect)
        assert Counter(each["type"] for each in records) == {
            "program": 1,
            "node": 40,
            "edge": 23,
            "task": 2,
            "query": 1,
            "correction": 2,
        }
        nodes = [each for each in records if each["type"] == "node"]
        assert {each["kind"] for each in nodes} == {"memo", "claim", "fragment", "page", "entity"}
        assert {each["claim_kind"] for each in nodes} == {None, "fact", "preference", "task", "policy_hint"}
        assert {each["scope"] for each in nodes} == {None, "session", "project", "principle"}
        assert {each["boundary_class"] for each in nodes} >= {"public", "internal"}
        assert any(each["aliases"] for each in nodes) and any(each["pinned"] for each in nodes)
        assert any(each["superseded_by"] for each in nodes) and any(each["rejected_at"] for each in nodes)
        tags = {each["tag"] for each in records if each["type"] == "edge"}
        assert tags == {"supports", "refutes", "cites", "explains", "conflicts", "then", "mentions", "related"}


# --- opening ----------------------------------------------------------------------------------------------------------


def test_an_old_store_opens_and_says_what_it_holds(store):
    url, dialect, expected = store
    with opened(url, dialect) as memory:
        info = memory.info()
    assert {name: getattr(info, name) for name in ("owner", "root_namespace", "privacy")} == {
        name: expected["info"][name] for name in ("owner", "root_namespace", "privacy")
    }
    assert info.schema_version >= expected["info"]["schema_version"]
    sizes = dict(expected["info"]["sizes"])
    assert info.sizes["events"] >= sizes.pop("events")
    assert {name: info.sizes[name] for name in sizes} == sizes


@pytest.mark.parametrize("owner", ROOTS)
def test_an_old_store_exports_what_it_did(store, owner):
    url, dialect, _ = store
    with opened(url, dialect, owner) as memory:
        assert exported(memory) == kept(dialect, owner)[1]


@pytest.mark.parametrize("owner", ROOTS)
def test_an_old_store_tells_its_history(store, owner):
    url, dialect, _ = store
    with opened(url, dialect, owner) as memory:
        entries, cursor = [], None
        while True:
            page = memory.history(limit=100, cursor=cursor)
            entries += page.items
            if (cursor := page.next_cursor) is None:
                break
        assert entries
        here = {node.id for kind in ("memo", "claim") for node in memory.list(kind=kind, limit=100).nodes}
        told = {entry.node_id for entry in entries if entry.topic == "ingest"}
        assert told & here, "old events are found by their nodes"
        for node_id in told & here:
            assert any(entry.topic == "ingest" for entry in memory.history(node_id, limit=100).items)
        assert all(entry.node_id and entry.part_of for entry in entries if entry.topic == "retire")
        assert all(memory.history(entry.part_of).about for entry in entries if entry.topic in ("metabolism", "plan"))


def test_a_file_with_the_mark_of_old_files_is_taken_for_ours_when_it_has_to_be_migrated(tmp_path):
    """The mark is looked at only when a migration is due: until then a changed mark would go unseen."""
    mark = int.from_bytes(gzip.decompress((STORES / "memory.db.gz").read_bytes())[68:72])
    for number in (mark, 12_345):
        connection = sqlite3.connect(tmp_path / f"{number}.db")
        connection.execute(f"pragma application_id = {number}")
        connection.execute(
            "create table schema_migrations (version integer primary key, name text, hash text, applied_at text)"
        )
        connection.close()
    with opened(tmp_path / f"{mark}.db") as memory:
        assert memory.save("It was migrated.").status == "created"
    with pytest.raises(importlib.import_module(PACKAGE).StoreUnavailable, match="another program"):
        opened(tmp_path / "12345.db")


def test_an_old_store_opens_twice_and_without_an_embedder(store):
    url, dialect, _ = store
    with opened(url, dialect) as memory, opened(url, dialect, embedder="none") as other:
        assert exported(memory) == exported(other) == kept(dialect)[1]


def test_namespaces_are_counted_as_before(store):
    url, dialect, expected = store
    with opened(url, dialect) as memory:
        found = memory.namespaces(depth=5).items
    assert [[each.namespace, each.nodes] for each in found] == expected["namespaces"]


def test_personal_data_stay_where_they_were_kept_and_nowhere_else(old):
    address = "aiko.tanaka@"
    for dialect, there in (("sqlite", True), ("postgres", False)):
        with opened(old(dialect), dialect) as memory:
            assert (address in json.dumps(exported(memory))) is there
    with opened(old("sqlite"), privacy="shared") as memory:
        assert address not in json.dumps(exported(memory))


# --- what the tables beside the graph hold ----------------------------------------------------------------------------


def test_the_policies_in_force_are_those_of_then_with_their_history(store):
    url, dialect, expected = store
    with opened(url, dialect) as memory:
        found = {
            place: [[each.version, each.approver, each.yaml] for each in memory.policy(place)]
            for place in expected["policies"]
        }
        assert found == expected["policies"]
        with pytest.raises(importlib.import_module(PACKAGE).BoundaryDenied, match="no_destructive_change"):
            memory.save("We break the API.", scope="project", metadata={"api": {"breaking_change": True}})


def test_the_policy_of_another_owner_is_its_own(store):
    url, dialect, _ = store
    with opened(url, dialect, "team") as memory:
        assert memory.policy()[0].yaml == "version: 3.0.0\nsecrets: deny\n"


def test_a_context_is_read_by_its_id(store):
    url, dialect, expected = store
    wanted = expected["context"]
    with opened(url, dialect) as memory:
        context = memory.context(wanted["id"])
    assert [context.question, context.policy_version, context.expires_at] == [
        wanted["question"],
        wanted["policy_version"],
        wanted["expires_at"],
    ]
    items = [(item.rank, item.node.id, pytest.approx(item.score), item.reason) for item in context.items]
    assert items == [tuple(each) for each in wanted["items"]]


def test_a_receipt_gives_its_node_and_its_relations_back(store):
    url, dialect, expected = store
    let_go = expected["let_go"]
    with opened(url, dialect) as memory:
        before = exported(memory)
        assert memory.get(let_go["id"]).id != let_go["id"], "the one that it went for answers"
        restored = memory.restore(let_go["id"])
        assert restored.node_ids == (let_go["id"],)
        assert restored.links == 1  # to the one that was brought back before
        node = memory.get(let_go["id"])
        for name in ("namespace", "kind", "content", "content_hash", "created_at", "updated_at", "version", "utility"):
            assert getattr(node, name) == let_go[name], name
        after = exported(memory)
        assert next(each for each in after if each not in before)["id"] == let_go["id"]
        assert len(after) == len(before) + 2
        assert memory.search(let_go["content"], namespace="garden", limit=1).hits[0].node.id == let_go["id"]


def test_a_whole_run_comes_back_by_its_receipts(store):
    url, dialect, expected = store
    with opened(url, dialect) as memory:
        restored = memory.restore(run_id=expected["known"]["run_id"])
    assert len(restored.node_ids) == 3 and not restored.skipped


def test_a_run_that_was_cut_off_then_is_completed_now(store):
    url, dialect, expected = store
    with opened(url, dialect) as memory:
        plan = memory.metabolize("shed", apply=True)
        assert plan.resumed and plan.state == "applied"
        assert memory.get(expected["known"]["new_shed"]).namespace == "main/shed"
        assert not memory.metabolize("shed").removed
        assert len(memory.restore(run_id=plan.run_id).node_ids) == 3


def test_plans_of_links_are_applied_and_undone(store):
    url, dialect, expected = store
    known = expected["known"]
    with opened(url, dialect) as memory:
        before = exported(memory)
        applied = memory.apply_insight(known["plan_proposed"])
        assert applied.state == "applied" and applied.written > 0
        assert len(exported(memory)) == len(before) + applied.written
        assert memory.undo_insight(known["plan_proposed"]).state == "undone"
        assert exported(memory) == before
        assert memory.undo_insight(known["plan_applied"]).state == "undone"
        assert len(exported(memory)) < len(before)
        assert memory.apply_insight(known["plan_undone"]).state == "applied", (
            "one that was undone lately may be applied again"
        )


def test_texts_that_waited_get_their_vectors(store):
    url, dialect, expected = store
    waiting = expected["known"]["waiting"].split(",")
    with opened(url, dialect) as memory:
        assert memory.status().pending_embeddings == expected["pending_embeddings"] == len(waiting)
        assert memory.embed() == len(waiting)
        assert memory.status().pending_embeddings == 0
        health = memory.doctor()
        assert health.ok, health.checks
        found = memory.vector_search("this text is waiting for a vector", target="memos", top_k=1)
        assert [each.id for each in found.results] == [waiting[1]]
        assert found.total_searched == expected["info"]["sizes"]["memos"]


def test_evidence_is_counted_and_read_by_sql_as_before(store):
    url, dialect, expected = store
    known = expected["known"]
    with opened(url, dialect) as memory:
        found = memory.query_view("v_claim_evidence_summary", task_id=known["task"])
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        (row,) = [row for row in rows if row["claim_id"] == known["claim"]]
        names = ("support_count", "refute_count", "neutral_count", "evidence_count")
        assert [row[name] for name in names] == expected["claim"]
        answer = memory.query_graph(
            "select p.url, count(*) from pages p join fragments f on f.page_id = p.id group by p.url order by p.url",
            timeout_ms=2_000,
        )
        assert [tuple(row) for row in answer.rows] == [
            ("https://one.example.org/a", 2),
            ("https://three.example.jp/c", 2),
            ("https://two.example.org/b", 2),
        ]
        (state,) = memory.status(known["task"]).tasks
        summary = state.evidence_summary
        assert (summary.total_pages, summary.supporting_edges, summary.refuting_edges) == (3, 2, 1)


def test_aliases_mentions_and_words_of_three_scripts_are_found(store):
    url, dialect, expected = store
    known = expected["known"]
    with opened(url, dialect) as memory:
        assert memory.search("期限", limit=1).hits[0].node.id == known["aliased"] == known["pinned"]
        assert memory.get(known["pinned"]).pinned
        for words, namespace in (("尼罗河淤泥", "main/中文/笔记"), ("데이터베이스 색인", "main/한국어")):
            assert memory.search(words, limit=1).hits[0].node.namespace == namespace
        mentions = memory.relations(tag="mentions").edges
        assert len(mentions) == 2


def test_an_old_store_goes_on_being_written(store):
    url, dialect, expected = store
    known = expected["known"]
    with opened(url, dialect) as memory:
        before = exported(memory)
        saved = memory.save("A memo of the time after: 葵プロジェクト.", title="After")
        assert saved.status == "created"
        memory.relate(saved.node.id, known["pinned"], tag="explains", weight=0.5)
        assert memory.save(memory.get(known["name"]).content).status == "duplicate"
        memory.feedback(known["pinned"], "helpful", request_id="req-after")
        assert memory.activate("memo of the time after").items[0].node.id == saved.node.id
        assert memory.feedback(known["pinned"], "helpful", request_id="req-helpful").status == "repeated"
        memory.delete(saved.node.id)
        assert len(exported(memory)) == len(before)


# --- exports and backups ----------------------------------------------------------------------------------------------


def target_of(url, dialect, owner):
    """A memory in an empty store that keeps or takes out personal data as the one that the export is of."""
    memory = importlib.import_module(PACKAGE).Memory
    with memory.open(url, owner=owner) as chosen:
        chosen.choose_privacy(EXPECTED[dialect]["info"]["privacy"])
    return opened(url, dialect, owner)


@pytest.mark.parametrize("owner", ROOTS)
@pytest.mark.parametrize("into", DIALECTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_old_export_imports_into_an_empty_store_and_exports_the_same(dialect, into, owner, new_url):
    path, records = kept(dialect, owner, lifted=False)
    with target_of(new_url(into), dialect, owner) as memory:
        imported = memory.import_(path)
        assert not imported.rejected, imported.rejections
        assert imported.nodes_created == sum(each["type"] == "node" for each in records)
        assert imported.edges_created == sum(each["type"] == "edge" for each in records)
        assert exported(memory) == records
        again = memory.import_(path)
        assert (again.nodes_unchanged, again.edges_unchanged) == (imported.nodes_created, imported.edges_created)
        assert exported(memory) == records


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_old_export_changes_nothing_in_the_store_that_it_is_of(dialect, old):
    path, records = kept(dialect)
    with opened(old(dialect), dialect) as memory:
        imported = memory.import_(path)
        assert not (imported.nodes_created or imported.nodes_updated or imported.edges_created or imported.rejected)
        assert exported(memory) == records


def test_an_old_backup_of_sqlite_opens_with_everything(tmp_path):
    path = unpacked("backup.db", tmp_path / "backup.db")
    expected = EXPECTED["sqlite"]
    with opened(path) as memory:
        assert exported(memory) == kept("sqlite")[1]
        assert memory.context(expected["context"]["id"]).question == expected["context"]["question"]
        assert memory.embed() == expected["pending_embeddings"]
        assert memory.doctor().ok
        assert memory.restore(expected["let_go"]["id"]).node_ids == (expected["let_go"]["id"],)
    with opened(path, owner="team") as memory:
        assert exported(memory) == kept("sqlite", "team")[1]


@pytest.mark.parametrize("into", DIALECTS)
def test_an_old_backup_of_postgres_imports(into, new_url, tmp_path):
    path = unpacked("backup.postgres.jsonl", tmp_path / "backup.jsonl")
    with target_of(new_url(into), "postgres", "local") as memory:
        assert not memory.import_(path).rejected
        assert exported(memory) == kept("postgres", lifted=False)[1]
