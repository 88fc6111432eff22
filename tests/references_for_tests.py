"""A memory with one of all that has an id, and a call of every verb for each id that it takes."""

from __future__ import annotations

from dataclasses import is_dataclass
from types import SimpleNamespace
from typing import get_args

from wherefrom import Memory, NewClaim, NewEvidence, NewFragment, NewPage, NewQuery
from wherefrom.interfaces.verbs import TOOLS, WITHIN
from wherefrom.model.param import parameters_of

PAGE = "https://example.org/yeast"


def world(memory, *, key_name="anna"):
    """The ids of what a memory is filled with. The name of its key is that of no other key of the owner."""
    memory.run_upkeep("propose")
    upkept = memory.run_upkeep("apply").runs[0].id
    task = memory.create_task("How warm does a starter stand?").id
    added = memory.add_evidence(
        NewPage(PAGE, title="On yeast"),
        fragments=[NewFragment("Yeast is quickest at 28 degrees.")],
        claims=[NewClaim("Yeast likes 28 degrees.", evidence=[NewEvidence("supports", fragment=0)])],
        task_id=task,
        query=NewQuery(text="yeast temperature"),
    )
    other = (
        memory.add_evidence(NewPage(PAGE), claims=[NewClaim("Yeast dies at 60 degrees.")], task_id=task).claims[0].id
    )
    one = memory.save("The harbour bridge opens at nine.", title="Bridge").node.id
    two = memory.save("The ferry leaves from the harbour bridge at ten.", title="Ferry").node.id
    memory.relate(one, two, tag="near", weight=0.5)
    kept = memory.save("Feed the starter twice a day above 24 degrees.", title="Starter").node.id
    gone = memory.save("Feed the starter twice a day above 24 degrees!").node.id
    run = memory.metabolize(apply=True, protection_hours=0).run_id
    memory.save("The lamp in the hall burns all night long.")
    going = memory.save("The lamp in the hall burns all night long!").node.id
    planned = memory.metabolize(protection_hours=0).plan_id
    return SimpleNamespace(
        going=going,
        planned=planned,
        task=task,
        query=added.query_id,
        page=added.page.id,
        fragment=added.fragments[0].id,
        claim=added.claims[0].id,
        other=other,
        one=one,
        two=two,
        gone=gone,
        kept=kept,
        run=run,
        upkept=upkept,
        context=memory.activate("When does the bridge open?").id,
        plan=memory.find_insight(one).id,
        rule=memory.save("Answer in German.", claim_kind="policy_hint").node.id,
        key=memory.create_key(key_name).key.id,
    )


def _claims(**given):
    return {"claims": [NewClaim(**given)]}


# For each id that a verb takes: what it is an id of in the world above, and the arguments of a call with it.
CALLS = {
    ("save", "memo_id"): ("one", lambda w, i: {"content": "It opens at eight.", "memo_id": i}),
    ("save", "supersedes"): ("one", lambda w, i: {"content": "It opens at eight.", "supersedes": [i]}),
    ("get", "memo_id"): ("one", lambda w, i: {"memo_id": i}),
    ("delete", "memo_id"): ("one", lambda w, i: {"memo_id": i}),
    ("search", "like"): ("one", lambda w, i: {"like": i}),
    ("confirm_rules", "confirm"): ("rule", lambda w, i: {"confirm": [i]}),
    ("rotate_key", "key_id"): ("key", lambda w, i: {"key_id": i}),
    ("revoke_key", "key_id"): ("key", lambda w, i: {"key_id": i}),
    ("context", "context_id"): ("context", lambda w, i: {"context_id": i}),
    ("feedback", "memo_id"): ("one", lambda w, i: {"memo_id": i, "signal": "helpful"}),
    ("feedback", "active_context_id"): (
        "context",
        lambda w, i: {"memo_id": w.one, "signal": "helpful", "active_context_id": i},
    ),
    ("feedback", "duplicate_of"): ("two", lambda w, i: {"memo_id": w.one, "signal": "duplicate", "duplicate_of": i}),
    ("relate", "source_id"): ("two", lambda w, i: {"source_id": i, "target_id": w.one, "tag": "x", "weight": 1.0}),
    ("relate", "target_id"): ("two", lambda w, i: {"source_id": w.one, "target_id": i, "tag": "x", "weight": 1.0}),
    ("unrelate", "source_id"): ("one", lambda w, i: {"source_id": i, "target_id": w.two, "tag": "near"}),
    ("unrelate", "target_id"): ("two", lambda w, i: {"source_id": w.one, "target_id": i, "tag": "near"}),
    ("reinforce", "source_id"): ("one", lambda w, i: {"source_id": i, "target_id": w.two, "tag": "near"}),
    ("reinforce", "target_id"): ("two", lambda w, i: {"source_id": w.one, "target_id": i, "tag": "near"}),
    ("relations", "source_id"): ("one", lambda w, i: {"source_id": i}),
    ("relations", "target_id"): ("two", lambda w, i: {"target_id": i}),
    ("walk", "start_id"): ("one", lambda w, i: {"start_id": i}),
    ("neighbourhood", "node_ids"): ("one", lambda w, i: {"node_ids": [w.two, i]}),
    ("path", "source_id"): ("one", lambda w, i: {"source_id": i, "target_id": w.two}),
    ("path", "target_id"): ("two", lambda w, i: {"source_id": w.one, "target_id": i}),
    ("find_insight", "memo_id"): ("one", lambda w, i: {"memo_id": i}),
    ("apply_insight", "plan_id"): ("plan", lambda w, i: {"plan_id": i}),
    ("undo_insight", "plan_id"): ("plan", lambda w, i: {"plan_id": i}),
    ("metabolize", "apply_plan_id"): ("planned", lambda w, i: {"apply_plan_id": i}),
    ("metabolize", "keep"): ("going", lambda w, i: {"apply_plan_id": w.planned, "keep": [i]}),
    ("decline_insight", "plan_id"): ("plan", lambda w, i: {"plan_id": i}),
    ("plans", "first_id"): ("plan", lambda w, i: {"first_id": i}),
    ("plans", "second_id"): ("plan", lambda w, i: {"first_id": w.plan, "second_id": i}),
    ("undo_upkeep", "undo_run_id"): ("upkept", lambda w, i: {"undo_run_id": i}),
    ("history", "memo_id"): ("one", lambda w, i: {"memo_id": i}),
    ("claim_evidence", "claim_id"): ("claim", lambda w, i: {"claim_id": i}),
    ("correct_page", "page_id"): ("page", lambda w, i: {"page_id": i, "year": 2001}),
    ("insight_plan", "plan_id"): ("plan", lambda w, i: {"plan_id": i}),
    ("settle", "first_id"): ("one", lambda w, i: {"first_id": i, "second_id": w.two, "keep": "both"}),
    ("settle", "second_id"): ("two", lambda w, i: {"first_id": w.one, "second_id": i, "keep": "both"}),
    ("settle", "source_id"): (
        "one",
        lambda w, i: {"first_id": w.one, "second_id": w.two, "keep": "both", "source_id": i},
    ),
    ("forget", "ids"): ("one", lambda w, i: {"ids": [i]}),
    ("restore", "node_id"): ("gone", lambda w, i: {"node_id": i}),
    ("restore", "run_id"): ("run", lambda w, i: {"run_id": i}),
    ("correct_edge", "source_id"): (
        "fragment",
        lambda w, i: {"source_id": i, "claim_id": w.claim, "relation": "refutes", "reason": "misread"},
    ),
    ("correct_edge", "claim_id"): (
        "claim",
        lambda w, i: {"source_id": w.fragment, "claim_id": i, "relation": "refutes", "reason": "misread"},
    ),
    ("reject_claim", "claim_id"): ("claim", lambda w, i: {"claim_id": i, "reason": "an error"}),
    ("restore_claim", "claim_id"): ("claim", lambda w, i: {"claim_id": i, "reason": "none"}),
    ("update_task", "task_id"): ("task", lambda w, i: {"task_id": i, "status": "paused"}),
    ("status", "task_id"): ("task", lambda w, i: {"task_id": i}),
    ("query_view", "task_id"): ("task", lambda w, i: {"name": "v_hub_pages", "task_id": i}),
    ("render_view", "task_id"): ("task", lambda w, i: {"name": "v_hub_pages", "task_id": i}),
    ("vector_search", "task_id"): ("task", lambda w, i: {"query": "yeast", "task_id": i, "min_similarity": 0.0}),
    ("add_evidence", "task_id"): ("task", lambda w, i: {"task_id": i, **_claims(text="Yeast is alive.")}),
    ("add_evidence", "query_id"): (
        "query",
        lambda w, i: {"task_id": w.task, "query_id": i, **_claims(text="Yeast is alive.")},
    ),
    ("add_evidence", "query.parent_id"): (
        "query",
        lambda w, i: {"task_id": w.task, "query": NewQuery(text="warm yeast", parent_id=i), **_claims(text="It is.")},
    ),
    ("add_evidence", "claims.claim_id"): (
        "claim",
        lambda w, i: _claims(claim_id=i, evidence=[NewEvidence("refutes", claim=w.other)]),
    ),
    ("add_evidence", "claims.evidence.fragment"): (
        "fragment",
        lambda w, i: _claims(text="Warm yeast is quick.", evidence=[NewEvidence("supports", fragment=i)]),
    ),
    ("add_evidence", "claims.evidence.claim"): (
        "other",
        lambda w, i: _claims(claim_id=w.claim, evidence=[NewEvidence("refutes", claim=i)]),
    ),
}
# What must be done before a call of these.
BEFORE = {
    "undo_insight": lambda memory, w: memory.apply_insight(w.plan),
    "restore_claim": lambda memory, w: memory.reject_claim(w.claim, reason="an error"),
}


def declared_ids():
    """Every id that a verb takes, as (verb, path of the parameter), out of the declarations alone."""
    verbs = {method for verb in TOOLS for method in verb.methods} | set(WITHIN)
    verbs |= {
        name for name in dir(Memory) if not name.startswith("_") and hasattr(getattr(Memory, name), "__wrapped__")
    }
    return {(verb, path) for verb in verbs for path in _paths(parameters_of(getattr(Memory, verb)))}


def _paths(declared):
    for name, parameter in declared.items():
        if parameter.param.refers:
            yield name
        # A page cites pages, which cite pages.
        for kind in {parameter.kind, *get_args(parameter.kind)} - {NewPage}:
            if is_dataclass(kind):
                yield from (f"{name}.{path}" for path in _paths(parameters_of(kind)))
