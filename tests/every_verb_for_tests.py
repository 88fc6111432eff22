"""A call of every verb that a service offers, one after the other, in a memory that has something for each of them."""

from __future__ import annotations

import references_for_tests

from wherefrom import NewClaim, NewEvidence, NewFragment, NewPage, NewQuery

POLICY = "version: 2.0.0\ndetect: {email: pii}\n"
PAPER = NewPage(
    "https://example.org/paper",
    title="発酵の温度",
    year=2019,
    paper_metadata={"doi": "10.1/x", "authors": ["A", "B"]},
    cites=["https://example.org/cited", NewPage("https://example.org/other", title="Other", paper_metadata={"a": 1})],
    citation_source="openalex",
    details={"content_type": "text/html"},
)
EVIDENCE = {
    "page": PAPER,
    "fragments": [NewFragment("酵母は28度で最も速い。", headings=["一", "二"], start=3, end=17)],
    "claims": [
        NewClaim(
            "酵母は暖かい方が速い。", evidence=[NewEvidence("supports", fragment=0, confidence=0.5)], kind="preference"
        )
    ],
    "query": NewQuery(text="酵母 温度", result_count=3),
}


def world(memory):
    """The ids of what a memory is filled with."""
    made = references_for_tests.world(memory)
    made.key = memory.create_key("Bob").key.id
    return made


# Each verb with its arguments, which know the ids of the world; in this order each of them succeeds.
SCRIPT = (
    ("info", lambda w: {}),
    ("list", lambda w: {"include": ("replaced",), "limit": 50}),
    ("get", lambda w: {"memo_id": w.one[-6:]}),
    ("save", lambda w: {"content": "橋は九時に開く。", "slot": "bridge/opens", "metadata": {"a": [1.0, {"b": None}]}}),
    ("save", lambda w: {"content": "橋は十時に開く。", "slot": "bridge/opens", "valid_from": "2026-03", "entities": ["橋"]}),
    ("search", lambda w: {"query": "harbour bridge", "rank": "final", "since": "2020", "request_id": "a-request"}),
    ("search", lambda w: {"like": w.one}),
    ("vector_search", lambda w: {"query": "yeast", "min_similarity": 0.0}),
    ("activate", lambda w: {"query": "Wann öffnet die Brücke?", "scope": ["project"], "provenance": {"agent": "x"}}),
    ("activate", lambda w: {"query": "bridge"}),
    ("context", lambda w: {"context_id": w.context}),
    ("feedback", lambda w: {"memo_id": w.one, "signal": "helpful", "active_context_id": w.context}),
    ("rules", lambda w: {}),
    ("confirm_rules", lambda w: {"confirm": [w.rule]}),
    ("relate", lambda w: {"source_id": w.two, "target_id": w.one, "tag": "explains", "weight": 1.0}),
    ("reinforce", lambda w: {"source_id": w.one, "target_id": w.two, "tag": "near"}),
    ("relations", lambda w: {"source_id": w.one}),
    ("walk", lambda w: {"start_id": w.one, "depth": 3}),
    ("neighbourhood", lambda w: {"node_ids": [w.one, w.two[-6:]], "hops": 2, "kinds": ["memo", "claim"], "tags": ["near"]}),
    ("path", lambda w: {"source_id": w.one, "target_id": w.two, "max_steps": 3, "as_of": "2030"}),
    ("unrelate", lambda w: {"source_id": w.two, "target_id": w.one, "tag": "explains"}),
    ("namespaces", lambda w: {}),
    ("save", lambda w: {"content": "Something in another place.", "namespace": "old"}),
    ("rename_namespace", lambda w: {"source": "old", "target": "new"}),
    ("find_insight", lambda w: {"memo_id": w.one}),
    ("insight_plan", lambda w: {"plan_id": w.plan}),
    ("apply_insight", lambda w: {"plan_id": w.plan}),
    ("undo_insight", lambda w: {"plan_id": w.plan}),
    ("decline_insight", lambda w: {"plan_id": w.plan, "reason": "They have nothing in common."}),
    ("undo_insight", lambda w: {"plan_id": w.plan}),
    ("create_task", lambda w: {"query": "How cold does a starter stand?"}),
    ("add_evidence", lambda w: {"task_id": w.task, **EVIDENCE}),
    ("claim_evidence", lambda w: {"claim_id": w.claim}),
    ("correct_page", lambda w: {"page_id": w.page, "year": 2001}),
    ("correct_edge", lambda w: {"source_id": w.fragment, "claim_id": w.claim, "relation": "refutes", "reason": "misread"}),
    ("reject_claim", lambda w: {"claim_id": w.claim, "reason": "an error"}),
    ("restore_claim", lambda w: {"claim_id": w.claim, "reason": "none"}),
    ("status", lambda w: {"task_id": w.task}),
    ("update_task", lambda w: {"task_id": w.task, "status": "paused"}),
    ("query_graph", lambda w: {"sql": "select claim_id, text from claims where text like :x", "parameters": {"x": "%"}}),
    ("query_graph", lambda w: {"sql": "select 9e999 as big, 1.5 as small, null as nothing", "include_schema": True}),
    ("query_graph", lambda w: {"sql": "select nothing from nowhere"}),
    ("views", lambda w: {}),
    ("query_view", lambda w: {"name": "v_hub_pages"}),
    ("render_view", lambda w: {"name": "v_hub_pages", "task_id": w.task}),
    ("privacy", lambda w: {}),
    ("choose_privacy", lambda w: {"mode": "shared"}),
    ("validate_boundary", lambda w: {"text": "Write to anna@example.org.", "metadata": {"x": 1}}),
    ("apply_policy", lambda w: {"yaml": POLICY}),
    ("policy", lambda w: {}),
    ("reclassify", lambda w: {}),
    ("metabolize", lambda w: {"figures": True}),
    ("plans", lambda w: {"kind": "insight"}),
    ("restore", lambda w: {"node_id": w.gone}),
    ("run_upkeep", lambda w: {"run": "propose"}),
    ("run_upkeep", lambda w: {"run": "apply"}),
    ("undo_upkeep", lambda w: {"undo_run_id": w.upkept}),
    ("upkeep", lambda w: {}),
    ("review", lambda w: {}),
    ("settle", lambda w: {"first_id": w.one, "second_id": w.two, "keep": "both"}),
    ("forget", lambda w: {"query": "yeast"}),
    ("sweep", lambda w: {}),
    ("calibrate", lambda w: {"judged": ({"query": query, "relevant": [w.one]} for query in ("bridge",) * 20)}),
    ("delete", lambda w: {"memo_id": w.two, "dry_run": True}),
    ("delete", lambda w: {"memo_id": w.two}),
    ("history", lambda w: {"limit": 100}),
    ("create_key", lambda w: {"name": "アンナ", "role": "read", "tools": ["graph"], "expires": "30d"}),
    ("keys", lambda w: {}),
    ("rotate_key", lambda w: {"key_id": w.key, "grace": "1h"}),
    ("revoke_key", lambda w: {"key_id": w.key}),
)  # fmt: skip
