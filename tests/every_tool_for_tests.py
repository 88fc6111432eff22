"""A call of each tool that succeeds, and what must be stored for it."""

from __future__ import annotations

POLICY = "version: 1.0.1\n"


def every_tool(ids):
    """One call of each tool that succeeds, in an order in which each finds what it needs."""
    gate, moat, task = ids
    yield "memory_save", {"content": "The bridge is new.", "title": "Bridge", "claim_kind": "fact"}
    yield "memory_get", {"memo_id": gate}
    yield "memory_list", {}
    yield "memory_search", {"query": "when does the gate open?"}
    yield "memory_activate", {"query": "when does the gate open?"}
    yield "memory_feedback", {"memo_id": gate, "signal": "helpful"}
    yield "memory_relation_save", {"source_memo_id": gate, "target_memo_id": moat, "tag": "near", "weight": 0.5}
    yield "memory_relation_list", {}
    yield "memory_relation_delete", {"source_memo_id": gate, "target_memo_id": moat, "tag": "near"}
    yield "find_insight", {}
    yield "list_namespaces", {}
    yield "create_task", {"query": "Does the bridge hold?"}
    claim = {"text": "Gates open.", "evidence": [{"relation": "supports", "fragment": 0}]}
    page = {"url": "https://example.org/gates", "title": "Gates"}
    fragments = [{"text": "All gates open."}]
    yield "add_evidence", {"page": page, "fragments": fragments, "claims": [claim], "task_id": task}
    yield "vector_search", {"query": "gates", "target": "fragments"}
    yield "query_view", {"name": "v_claim_evidence_summary"}
    yield "query_graph", {"sql": "select count(*) as n from memos"}
    yield "update_task", {"task_id": task, "status": "completed"}
    yield "get_status", {}
    yield "metabolize", {}
    yield "restore", {"since": "2020-01-01T00:00:00Z"}
    yield "forget", {"query": "gate"}
    yield "policy_apply", {"yaml": POLICY, "validate_only": True}
    yield "boundary_validate", {"text": "The gate opens at nine."}
    yield "history", {}
    yield "upkeep", {}
    yield "review", {}
    yield "settle", {"first_id": gate, "second_id": moat, "keep": "both"}
    yield "memory_delete", {"memo_id": moat}


def prepared(memory):
    """Two memos and a task, for `every_tool`."""
    memos = [memory.save(f"The {thing} is open at nine.").node.id for thing in ("gate", "moat")]
    return [*memos, memory.create_task("Does the gate open?").id]
