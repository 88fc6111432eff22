"""Many receipts: they come back exactly, page by page, also after a kill in the middle."""

from __future__ import annotations

import io
import json
import subprocess

import pytest
from forking_for_tests import wherefrom_command
from receipts_for_tests import exported, opened_at

from wherefrom.metabolism import adaptive_batch
from wherefrom.storage import postgres, sqlite
from wherefrom.storage.sql import Statements
from wherefrom.text.check import content_hash

MEMOS, DISTANCES = 60, 6
RELATIONS = MEMOS * DISTANCES
BATCH = 20
RESTORE = f"""
import sys
from datetime import datetime
from wherefrom import Memory
from wherefrom.metabolism import adaptive_batch
url, moment, run_id = sys.argv[1], datetime.fromisoformat(sys.argv[2]), sys.argv[3]
adaptive_batch._MAX_ROWS = {BATCH}
with Memory.open(url, clock=lambda: moment, embedder="none") as memory:
    write = memory.view.store.database.write
    def told(work):
        done = write(work)
        print("written", flush=True)
        return done
    memory.view.store.database.write = told
    memory.restore(run_id=run_id)
"""


@pytest.fixture
def run(url, clock):
    """The id of a run that let many thin relations go, and the export of the store before it."""
    with opened_at(url, clock.now, embedder="none") as memory:
        first, second = (memory.save(f"memo {number} stands by itself").node.id for number in range(2))
        memory.relate(first, second, tag="then", weight=0.9)
        memory.import_(io.BytesIO(_many(memory)))
        lines = exported(memory)
    clock.go_on(days=10)
    with opened_at(url, clock.now, embedder="none") as memory:
        done = memory.metabolize(apply=True)
    assert (done.nodes_removed, done.links_removed) == (0, RELATIONS)
    return done.run_id, lines


def _many(memory):
    """An import of many memos, each strongly related to the next and thinly to some others."""
    stream = io.StringIO()
    memory.export(stream)
    header, *records = map(json.loads, stream.getvalue().splitlines())
    node, edge = (next(each for each in records if each["type"] == kind) for kind in ("node", "edge"))
    ids = [f"01900000-0000-7000-8000-{number:012x}" for number in range(MEMOS)]
    found = [header]
    texts = [f"memo {each}" for each in ids]
    found += [
        {**node, "id": each, "content": text, "content_hash": content_hash(text)}
        for each, text in zip(ids, texts, strict=True)
    ]
    for number, each in enumerate(ids):
        found.append({**edge, "source_id": each, "target_id": ids[number - 1]})
        for distance in range(2, DISTANCES + 2):
            far = ids[(number + distance) % MEMOS]
            found.append({**edge, "source_id": each, "target_id": far, "tag": "recalls", "weight": 0.05})
    return "\n".join(map(json.dumps, found)).encode()


@pytest.mark.slow
def test_all_come_back_exactly_in_many_batches(url, run, clock, monkeypatch):
    run_id, lines = run
    monkeypatch.setattr(adaptive_batch, "_MAX_ROWS", BATCH)
    with opened_at(url, clock.now, embedder="none") as memory:
        restored = memory.restore(run_id=run_id)
        assert (restored.links, restored.skipped) == (RELATIONS, {})
        assert exported(memory) == lines


@pytest.mark.parametrize("dialect", [sqlite.DIALECT, postgres.DIALECT], ids=["sqlite", "postgres"])
def test_a_page_of_receipts_is_read_by_itself_and_with_what_the_planner_knows(dialect):
    """43,804 relations took hours on PostgreSQL: each page joined the ends of all receipts."""
    where = dict.fromkeys(("owner", "root", "root_below", "root_end", "after", "run_id", "limit"), "x")
    for name in ("retired_edges", "retired_nodes"):
        text = Statements(dialect).sql(name, where)
        assert "||" not in text, "an expression has no statistics"
        assert " nodes " not in text


@pytest.mark.slow
def test_a_restore_that_is_killed_is_completed_by_the_next(url, run, clock):
    run_id, lines = run
    command = [*wherefrom_command(), "-c", RESTORE, url, clock.now.isoformat(), run_id]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(6):
            assert process.stdout.readline() == "written\n"
        process.kill()
        process.stdout.read()
    with opened_at(url, clock.now, embedder="none") as memory:
        assert memory.restore(run_id=run_id).links < RELATIONS
        assert exported(memory) == lines
        assert memory.doctor().ok


def test_a_memory_sees_only_the_receipts_below_its_root(url, run, clock):
    run_id, lines = run
    with opened_at(url, clock.now, embedder="none", root="main/elsewhere") as memory:
        assert memory.restore(since="2000-01-01T00:00:00Z").links == 0
    with opened_at(url, clock.now, embedder="none") as memory:
        assert memory.restore(since="2000-01-01T00:00:00Z").links == RELATIONS
        assert exported(memory) == lines
        assert run_id
