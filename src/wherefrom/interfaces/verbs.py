"""The table of verbs: what each is called as a tool and as a command, and when an agent should call it.

A verb is declared on its method; a row here gives it to agents and people. What reads nothing else than this table and
the methods: tools, commands, `--json`, reference pages.
"""

from __future__ import annotations

from typing import Any, Final

from wherefrom.interfaces.verb import Verb, again
from wherefrom.model.param import Param

_EXPLAIN: Final = Param("Add how the scores came about, and what was left out.", aliases=("include_meta",))


def ends_of_shown(answer: dict[str, Any]) -> None:
    """Names only the memos at the ends of the relations that are shown."""
    ends = {end for edge in answer["edges"] for end in (edge["source_memo_id"], edge["target_memo_id"])}
    answer["nodes"] = [node for node in answer["nodes"] if node["memo_id"] in ends]


def count_rows(answer: dict[str, Any]) -> None:
    """Counts the rows that are shown."""
    answer["row_count"] = len(answer["rows"])


TOOLS: Final = (
    Verb(
        methods=("save",),
        tool="memory_save",
        command="save",
        effect="writes",
        aliases=("memory.save", "pce.memory.upsert"),
    ),
    Verb(
        methods=("list", "get"),
        tool="memory_list",
        aliases=("memory.list",),
        ignores=("kind", "limit"),
        lists=("items",),
    ),
    Verb(methods=("delete",), tool="memory_delete", command="delete", effect="destroys", aliases=("memory.delete",)),
    Verb(
        methods=("search",),
        tool="memory_search",
        command="search",
        aliases=("memory.search", "pce.memory.search"),
        alias_defaults={"pce.memory.search": {"rank": "final"}},
        explains=("explain", _EXPLAIN),
        lists=("items",),
    ),
    Verb(methods=("vector_search",), tool="vector_search", command="similar", lists=("results",)),
    Verb(
        methods=("activate", "context"),
        tool="memory_activate",
        effect="writes",
        aliases=("memory.activate", "pce.memory.activate"),
        ignores=("top_k",),
        most="top_k",
        explains=("explain", _EXPLAIN),
        lists=("items",),
        resumes=lambda context, _: {"active_context_id": context.id} if context.is_kept else None,
        resumed_by="active_context_id",
        texts={"active_context_id": "Read this active context again, instead of a query."},
    ),
    Verb(
        methods=("feedback",),
        tool="memory_feedback",
        command="feedback",
        effect="writes",
        aliases=("memory.feedback", "pce.memory.feedback"),
    ),
    Verb(
        methods=("relate",),
        tool="memory_relation_save",
        command="relate",
        effect="writes",
        aliases=("memory.relation.save",),
    ),
    Verb(
        methods=("relations", "walk"),
        tool="memory_relation_list",
        aliases=("memory.relation.list", "memory.relation.graph"),
        lists=("edges",),
        mend=ends_of_shown,
        texts={
            "start_memo_id": "Walk the graph from this memo instead of listing.",
            "depth": "How many steps a walk takes from start_memo_id.",
            "direction": "Which way a walk follows relations.",
        },
    ),
    Verb(
        methods=("unrelate",),
        tool="memory_relation_delete",
        command="unrelate",
        effect="destroys",
        aliases=("memory.relation.delete",),
    ),
    Verb(
        methods=("find_insight", "apply_insight", "undo_insight", "insight_plan"),
        tool="find_insight",
        command="insight",
        effect="writes",
        explains=(
            "include_rejected",
            Param("Also list links that are not worth making, and why.", option="--rejected"),
        ),
        lists=("links", "decisions"),
        # A plan keeps the links worth making; what else its search knew is told once.
        resumes=lambda plan, end: {"plan_id": plan.id} if end < len(plan.accepted) else None,
        resumed_by="plan_id",
        texts={
            "apply_plan_id": "Instead of a search: make the links of this plan.",
            "undo_plan_id": "Instead of a search: take back the links that this plan made.",
            "plan_id": "Instead of a search: read this plan again.",
        },
    ),
    Verb(
        methods=("metabolize",),
        tool="metabolize",
        command="metabolize",
        effect="destroys",
        lists=("weakest", "examples", "thinnest", "conflicts", "settings", "removed"),
        resumes=lambda plan, _: {} if plan.state == "planned" else None,
    ),
    Verb(methods=("restore",), tool="restore", command="restore", effect="writes", lists=("node_ids", "skipped")),
    Verb(methods=("add_evidence",), tool="add_evidence", effect="writes", lists=("claims", "fragments"), resumes=again),
    Verb(methods=("query_graph",), tool="query_graph", lists=("rows",), mend=count_rows, group="options"),
    Verb(methods=("views", "query_view"), tool="query_view", lists=("rows", "views"), mend=count_rows),
    Verb(methods=("status",), tool="get_status", command="status", lists=("tasks",)),
    Verb(methods=("create_task",), tool="create_task", command="task create", effect="writes"),
    Verb(methods=("update_task",), tool="update_task", command="task update", effect="writes"),
    Verb(
        methods=("namespaces",),
        tool="list_namespaces",
        command="namespaces",
        aliases=("memory.list_namespaces",),
        lists=("items",),
    ),
    Verb(methods=("apply_policy",), tool="policy_apply", effect="destroys", aliases=("pce.memory.policy.apply",)),
    Verb(
        methods=("validate_boundary",),
        tool="boundary_validate",
        command="boundary",
        aliases=("pce.memory.boundary.validate",),
        lists=("redacted",),
    ),
)
_PEOPLE: Final = {
    "list": "list", "get": "get", "context": "context", "relations": "relations", "walk": "walk",
    "reinforce": "reinforce", "rename_namespace": "rename", "add_documents": "add", "correct_edge": "correct",
    "reject_claim": "reject", "query_graph": "sql", "apply_policy": "policy", "reclassify": "reclassify",
    "calibrate": "calibrate", "sweep": "sweep", "export": "export", "import_": "import", "backup": "backup",
    "reindex": "reindex", "embed": "embed", "reembed": "reembed", "info": "info", "doctor": "doctor",
}  # fmt: skip
COMMANDS: Final = (
    *(verb for verb in TOOLS if verb.command),
    Verb(methods=("activate",), command="activate", explains=("explain", _EXPLAIN)),
    Verb(methods=("views", "query_view"), command="view"),
    Verb(methods=("privacy", "choose_privacy"), command="privacy"),
    *(Verb(methods=(method,), command=command) for method, command in _PEOPLE.items()),
)
# These verbs have no row of their own: another row runs them, or a command with an option.
WITHIN: Final = {"policy": "policy", "render_view": "view --sql", "restore_claim": "reject --restore"}
