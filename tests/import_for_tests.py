"""Lines of an import, made by hand."""

from __future__ import annotations

import io
import json
import uuid

from wherefrom.text.check import content_hash

TIME = "2026-01-01T00:00:00.000000Z"


def node(node_id, text, **values):
    plain = dict.fromkeys(("title", "claim_kind", "scope", "expires_at", "valid_from", "valid_to", "superseded_by"))
    times = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), TIME)
    figures = {"utility": 0.0, "confidence": 0.5, "quality": 0.5, "pinned": False, "version": 1}
    rest = {"namespace": "main", "kind": "memo", "metadata": {}, "provenance": {}, "boundary_class": "internal"}
    known = {"type": "node", "id": node_id, "content": text, "content_hash": content_hash(text)}
    return {**known, **plain, **times, **figures, **rest, **values}


def edge(source, target, **values):
    times = dict.fromkeys(("observed_at", "created_at", "updated_at"), TIME)
    names = {"source_namespace": "main", "target_namespace": "main", "boundary_class": "internal", "reason": None}
    ends = {"type": "edge", "source_id": source, "target_id": target, "tag": "supports", "weight": 1.0}
    return {**ends, "confidence": 1.0, "version": 1, **times, **names, **values}


def task(task_id, **values):
    empty = dict.fromkeys(("result_summary", "error_message", "started_at", "completed_at"))
    known = {"type": "task", "id": task_id, "namespace": "main", "query": "rivers", "status": "created"}
    return {**known, "boundary_class": "internal", "created_at": TIME, "updated_at": TIME, **empty, **values}


def stream(*records):
    header = {"type": "wherefrom", "format": 1}
    return io.BytesIO("\n".join(json.dumps(record) for record in (header, *records)).encode())


def put(memory, texts, **values):
    """Import memos with these texts at once: a hundred take no longer than a few that are saved one by one."""
    records = [node(f"01900000-0000-7000-8000-{uuid.uuid4().hex[:12]}", text, **values) for text in texts]
    assert memory.import_(stream(*records)).nodes_created == len(records)


def exported(memory):
    memory.export(lines := io.StringIO())
    return [json.loads(line) for line in lines.getvalue().splitlines()][1:]


# What comes before the lines of a file; a memo that is too long for one; lines that cannot be stored, with the reasons.
HEADER = b'{"type":"wherefrom","format":1}\n'
LONG = "".join(f"Sentence number {number} of a long memo.\n" for number in range(4_000))
BAD = {
    b"not json": "not JSON",
    b"[1, 2]": "not a JSON object",
    b"\xff\xfe\x00\x01": "not JSON",
    b'{"a":' * 5_000: "not JSON",
    b'"' + b"x" * 3_000_000 + b'"': "longer than",
    json.dumps({**node("surrogate", "ab"), "content": "\ud800"}).encode(): "lone surrogate",
    json.dumps(node("long", LONG)).encode(): "65,536",
    json.dumps(node("key", "AKIAQ3EGRZ7VNH2KD5TM")).encode(): "secret",
}
