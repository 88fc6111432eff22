"""Texts that are to be erased, put wherever a store keeps texts; and a search for them in the bytes of its files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage

MARK = "qzvwxforget"
JAPANESE = "忘却対象秘匿語"


def marks(*, vector=None):
    """The bytes of which none may be left: the marks in lower case, as UTF-8 and escaped; and a vector's numbers."""
    wanted = {MARK: MARK.encode(), JAPANESE: JAPANESE.encode(), "escaped": json.dumps(JAPANESE)[1:-1].encode()}
    if vector is not None:
        wanted["vector"] = np.asarray(vector, dtype="<f4").tobytes()[:64]
    return wanted


def found_in(folder, wanted):
    """The marks that stand in some file below a folder, with the files."""
    hits = set()
    for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        content = file.read_bytes()
        hits.update((name, file.name) for name, mark in wanted.items() if mark in content or mark in content.lower())
    return hits


def files_of(url, execute):
    """The folder with the files of a store, once all that was written is in them."""
    if not url.startswith("postgresql"):
        return Path(url).parent
    execute(url, "checkpoint")
    ((folder,),) = execute(url, "show data_directory")
    ((number,),) = execute(url, "select oid from pg_database where datname = current_database()")
    return Path(folder) / "base" / str(number)


def fill(memory, url, execute):
    """Save marked texts in every place; returns the ids of the nodes that have them."""
    title = f"Title {MARK}a"
    first = memory.save(f"Former text {MARK}b {JAPANESE}", title=title, entities=[f"Entity {MARK}c", JAPANESE]).node.id
    memory.save(f"Content {MARK}d {JAPANESE}", memo_id=first, metadata={f"key{MARK}e": f"{MARK}f {JAPANESE}"})
    memory.save(f"Content {MARK}d {JAPANESE}", title=f"Alias {MARK}g", provenance={"actor": f"Actor {MARK}h"})
    second = memory.save(f"Second {MARK}i", provenance={"url": f"https://{MARK}.example.org/{MARK}"}).node.id
    other = memory.save("A lantern stays beside the harbour.").node.id
    for end in (second, other):
        memory.relate(first, end, tag="near", weight=0.9, reason=f"Reason {MARK}j {JAPANESE}")
    memory.relate(other, first, tag="gone", weight=0.9, reason=f"Deleted reason {MARK}k")
    memory.unrelate(other, first, tag="gone")
    evidence = memory.add_evidence(
        page=NewPage(f"https://example.net/{MARK}", f"Page {MARK}l"),
        fragments=[NewFragment(f"Fragment {MARK}m {JAPANESE}")],
        claims=[NewClaim(f"Claim {MARK}n", evidence=[NewEvidence("supports", fragment=0, reason=f"{MARK}o")])],
    )
    claim = evidence.claims[0].id
    memory.reject_claim(claim, reason=f"Rejected {MARK}p")
    memory.restore_claim(claim, reason=f"Adopted {MARK}q")
    memory.feedback(first, signal="helpful")
    assert first in {item.node.id for item in memory.activate(f"what is {MARK}d {JAPANESE}").items}
    # An event of an older version that held a text.
    execute(
        url,
        "insert into events (owner_id, at, topic, namespace, payload, node_id, other_namespace, boundary_class)"
        f" select owner_id, created_at, 'ingest', namespace, '{json.dumps({'was': JAPANESE, 'text': MARK + 'r'})}',"
        f" id, namespace, boundary_class from nodes where id = '{first}'",
    )
    if url.startswith("postgresql"):
        execute(url, "analyze")  # the planner's statistics have values of columns
    entities = [node.id for node in memory.list(kind="entity").nodes]
    return [first, second, claim, evidence.page.id, *entities]
