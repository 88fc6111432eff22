"""The public names: sorted, importable, and all verbs reachable."""

from __future__ import annotations

import inspect

import wherefrom
from wherefrom.interfaces.cli import app as cli
from wherefrom.interfaces.mcp.server import TOOLS
from wherefrom.model import errors

# Each verb of Memory with its MCP tool and its command; None is a deliberate gap.
PARITY = {
    "save": ("memory_save", "save"),
    "get": ("memory_list", "get"),  # memory_list reads one memo by memo_id
    "search": ("memory_search", "search"),
    "activate": ("memory_activate", "activate"),
    "context": ("memory_activate", "context"),  # with active_context_id
    "feedback": ("memory_feedback", "feedback"),
    "sweep": (None, "sweep"),  # it happens by itself beside saves; for cron
    "apply_policy": ("policy_apply", "policy"),
    "policy": (None, "policy"),  # for people: it is long
    "validate_boundary": ("boundary_validate", "boundary"),
    "reclassify": (None, "reclassify"),  # for people: it reads everything
    "calibrate": (None, "calibrate"),
    "vector_search": ("vector_search", "similar"),
    "add_evidence": ("add_evidence", None),  # on the command line: add, which makes it of documents
    "add_documents": (None, "add"),  # an agent adds what it has read
    "correct_edge": (None, "correct"),  # for people
    "reject_claim": (None, "reject"),
    "restore_claim": (None, "reject"),  # with --restore
    "create_task": ("create_task", "task"),
    "update_task": ("update_task", "task"),
    "status": ("get_status", "status"),
    "query_graph": ("query_graph", "sql"),
    "query_view": ("query_view", "view"),
    "views": ("query_view", "view"),  # without a name
    "render_view": (None, "view"),  # with --sql
    "list": ("memory_list", "list"),
    "delete": ("memory_delete", "delete"),
    "relate": ("memory_relation_save", "relate"),
    "unrelate": ("memory_relation_delete", "unrelate"),
    "relations": ("memory_relation_list", "relations"),
    "walk": ("memory_relation_list", "walk"),  # with start_memo_id
    "find_insight": ("find_insight", "insight"),
    "apply_insight": ("find_insight", "insight"),  # with apply_plan_id, --apply-plan
    "undo_insight": ("find_insight", "insight"),  # with undo_plan_id, --undo
    "metabolize": ("metabolize", "metabolize"),
    "restore": ("restore", "restore"),
    "reinforce": (None, "reinforce"),  # agents say it by memory_feedback
    "namespaces": ("list_namespaces", "namespaces"),
    "rename_namespace": (None, "rename"),  # for people: it moves everything below it
    "export": (None, "export"),
    "import_": (None, "import"),
    "backup": (None, "backup"),
    "reindex": (None, "reindex"),
    "embed": (None, "embed"),
    "reembed": (None, "reembed"),
    "doctor": (None, "doctor"),
    "info": (None, "info"),
    # Whether personal data are kept is for people to choose, not for an agent.
    "privacy": (None, "privacy"),
    "choose_privacy": (None, "privacy"),
}
NOT_VERBS = {"open", "close", "root_namespace"}


def test_public_names_are_sorted_and_there():
    assert wherefrom.__all__ == sorted(wherefrom.__all__)
    assert all(hasattr(wherefrom, name) for name in wherefrom.__all__)


def test_every_error_is_public_and_has_a_code_of_its_own():
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.WherefromError)]
    assert {c.__name__ for c in classes} <= set(wherefrom.__all__)
    assert len({c.code for c in classes}) == len(classes) <= 12 + 1, "a dozen, and their base"
    assert all(c.__name__ in errors.__doc__ for c in classes)


def test_every_verb_has_a_tool_and_a_command_or_a_reason_not_to():
    verbs = {name for name, _ in inspect.getmembers(wherefrom.Memory) if not name.startswith("_")} - NOT_VERBS
    assert verbs == set(PARITY)
    assert {tool for tool, _ in PARITY.values() if tool} == {tool.name for tool in TOOLS}
    commands = {command.name for command in cli.app.registered_commands}
    commands |= {group.name for group in cli.app.registered_groups}
    assert {command for _, command in PARITY.values() if command} | {"demo", "mcp", "move"} == commands
