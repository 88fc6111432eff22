"""A store whose hidden rows all hold a marker, for attacks on what an agent's SQL may see."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw
import psycopg

from wherefrom import Memory, NewClaim, NewEvidence, NewFragment, NewPage, NewQuery
from wherefrom.embedding.static import StaticEmbedder

ROOT = "main/team"
MARKER = "zqmark"
HOLDER = ["answer:task", "tool:contact-lookup", "tool:vault"]
STRICT = '{"version": "1.0.0", "boundary_classes": {"internal": {"allow": ["tool:vault"]}}}'
# Who sees nothing of it, and why: owner, root, namespace inside it, class.
HIDDEN = {
    "owner": ("other", ROOT, None, "internal"),
    "above": ("local", "main", None, "internal"),
    "beside": ("local", "main/team2", None, "public"),
    "elsewhere": ("local", "other", None, "public"),
    "pii": ("local", ROOT, None, "pii"),
    "pii below": ("local", ROOT, "deep", "pii"),
    "policy": ("local", ROOT, "vault", "internal"),
}
SEEN = {
    "internal": ("local", ROOT, None, "internal"),
    "public": ("local", ROOT, None, "public"),
    "below": ("local", ROOT, "deep", "internal"),
    "vault": ("local", ROOT, "vault", "public"),
}


_EMBEDDER = StaticEmbedder()


@dataclass(frozen=True)
class Store:
    """Where it is, and the ids of what the attacker may not see."""

    url: str
    hidden_ids: tuple[str, ...]

    @property
    def dialect(self) -> str:
        return "postgres" if self.url.startswith("postgresql") else "sqlite"

    def open(self) -> Memory:
        """The attacker's access."""
        return Memory.open(self.url, root=ROOT)

    def secrets(self) -> tuple[str, ...]:
        """Texts that no answer may hold."""
        return (MARKER, MARKER.encode().hex(), *self.hidden_ids)


def fill(url: str) -> Store:
    """Something of every kind in each place; what is hidden has the marker in every text."""
    hidden: list[str] = []
    for name, (owner, root, namespace, boundary_class) in SEEN.items():
        _fill(url, f"seen {name}", owner, root, namespace, boundary_class)
    for name, (owner, root, namespace, boundary_class) in HIDDEN.items():
        hidden += _fill(url, f"{MARKER} {name}", owner, root, namespace, boundary_class)
    with Memory.open(url, root=ROOT, allow=HOLDER) as memory:
        memory.apply_policy(STRICT, namespace="vault")
    return Store(url, tuple(hidden))


def _fill(url, text, owner, root, namespace, boundary_class):
    slug = text.replace(" ", "-")
    with Memory.open(url, owner=owner, root=root, allow=HOLDER, embedder=_EMBEDDER) as memory:
        task = memory.create_task(f"task {text}", namespace=namespace, boundary_class=boundary_class)
        added = memory.add_evidence(
            NewPage(
                f"https://{slug}.example/page",
                title=f"page {text}",
                year=2020,
                paper_metadata={"doi": f"10.1/{slug}", "authors": [f"author {text}"]},
                cites=[NewPage(f"https://{slug}.example/cited", title=f"cited {text}")],
            ),
            fragments=[
                NewFragment(f"fragment {text} 記憶 update", heading=f"heading {text}"),
                NewFragment(f"second {text}"),
            ],
            claims=[
                NewClaim(
                    f"claim {text}",
                    evidence=[
                        NewEvidence("supports", fragment=0, reason=f"reason {text}"),
                        NewEvidence("refutes", fragment=1, confidence=0.5),
                    ],
                ),
                NewClaim(f"other claim {text}", evidence=[NewEvidence("supports", fragment=1)]),
            ],
            task_id=task.id,
            query=NewQuery(text=f"query {text}", result_count=2),
            judge="judge_" + text.replace(" ", "_"),
            boundary_class=boundary_class,
        )
        memo = memory.save(
            f"memo {text}",
            title=f"title {text}",
            metadata={"note": f"note {text}"},
            entities=[f"entity {text}"],
            namespace=namespace,
            boundary_class=boundary_class,
        ).node.id
        claim = added.claims[0].id
        memory.relate(memo, claim, tag="supports", weight=1, reason=f"relation {text}")
        memory.embed()
        assert added.page is not None
        return [task.id, added.page.id, memo, *(each.id for each in (*added.fragments, *added.claims))]


class Stand:
    """What a store holds at one time. `kept` hashes all of it only if a transaction has ended since it last looked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._connection = (
            apsw.Connection(store.url) if store.dialect == "sqlite" else psycopg.connect(store.url, autocommit=True)
        )
        self._writes = self._count()
        self._digest = digest(store)

    def __enter__(self) -> Stand:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def kept(self) -> bool:
        """True if the store holds the same as then."""
        writes = self._count()
        if writes == self._writes:
            return True
        self._writes = writes
        return digest(self._store) == self._digest

    def _count(self) -> object:
        """Changes with every transaction that may have written something, and with every new file."""
        if self._store.dialect == "sqlite":
            return self._connection.execute("pragma data_version").fetchall(), _files(self._store)
        return self._connection.execute("select pg_snapshot_xmax(pg_current_snapshot())::text").fetchall()


def _files(store: Store) -> list[str]:
    # The write-ahead log and its index come and go.
    return sorted(each.name for each in Path(store.url).parent.iterdir() if not each.name.endswith(("-wal", "-shm")))


def digest(store: Store) -> str:
    """A hash of everything in the store."""
    found = hashlib.sha256()
    if store.dialect == "sqlite":
        with closing(apsw.Connection(store.url)) as connection:
            names = connection.execute("select name from sqlite_schema where type = 'table' order by name").fetchall()
            found.update(repr(connection.execute("select * from sqlite_schema order by name").fetchall()).encode())
            for (name,) in names:
                found.update(repr(connection.execute(f'select * from "{name}"').fetchall()).encode())
        found.update(repr(_files(store)).encode())
    else:
        with psycopg.connect(store.url) as connection:
            tables = connection.execute(
                "select n.nspname, c.relname, c.relkind::text from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                " where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') order by 1, 2"
            ).fetchall()
            found.update(repr(tables).encode())
            for schema, name, kind in tables:
                if kind == "r":
                    rows = connection.execute(f'select t::text from "{schema}"."{name}" t order by 1').fetchall()
                    found.update(repr(rows).encode())
    return found.hexdigest()


def peak_kib(pid: str | int = "self") -> int:
    """The most memory that a process has had, in KiB; of our own, since it was forgotten. 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)


def forget_peak() -> int:
    """Start to measure anew; what we have now, in KiB."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_kib()
