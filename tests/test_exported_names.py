"""The public names: sorted, importable, and all verbs reachable."""

from __future__ import annotations

import inspect

from typer.main import get_command

import wherefrom
from wherefrom.interfaces.cli import app as cli
from wherefrom.interfaces.mcp.tools import listed
from wherefrom.interfaces.verbs import BY_NAME, COMMANDS, TOOLS, WITHIN
from wherefrom.model import errors

# What agents do not get, and what people do not: a deliberate gap each.
NO_TOOL = {
    "sweep": "it happens by itself beside saves; for cron",
    "policy": "for people: it is long",
    "reclassify": "for people: it reads everything",
    "calibrate": "for people",
    "rules": "agents get them with each activation, and read them as a resource",
    "confirm_rules": "for people: what came from elsewhere is for them to trust; an agent says it again",
    **dict.fromkeys(("add_document", "add_documents"), "an agent adds what it has read"),
    "plans": "for people; agents read plans by history",
    "correct_edge": "for people",
    "claim_evidence": "agents read it as a resource, or by query_graph",
    "correct_page": "for people: an agent says it when it adds the page",
    "reject_claim": "for people",
    "restore_claim": "for people",
    "render_view": "for people",
    "neighbourhood": "for pages that draw the graph: agents have memory_relation_list",
    "path": "for people and pages: the list of tools is short",
    "reinforce": "agents say it by memory_feedback",
    "rename_namespace": "for people: it moves everything below it",
    "privacy": "whether personal data are kept is for people to choose, not for an agent",
    "choose_privacy": "whether personal data are kept is for people to choose, not for an agent",
    **dict.fromkeys(("keys", "create_key", "rotate_key", "revoke_key"), "for people: who may call is not for an agent"),
    **dict.fromkeys(
        ("export", "import_", "backup", "reindex", "embed", "reembed", "distribute", "doctor", "info"), "upkeep"
    ),
}
NO_COMMAND = {"neighbourhood": "for pages that draw the graph: people have walk"}
NOT_VERBS = {"open", "close", "root_namespace"}
# Commands that are no verb of a memory, or more than one row's.
OTHER_COMMANDS = {"completion", "config", "demo", "mcp", "move", "serve", "setup"}


def test_public_names_are_sorted_and_there():
    assert wherefrom.__all__ == sorted(wherefrom.__all__)
    assert all(hasattr(wherefrom, name) for name in wherefrom.__all__)


def test_every_error_is_public_and_has_a_code_of_its_own():
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.WherefromError)]
    assert {c.__name__ for c in classes} <= set(wherefrom.__all__)
    assert len({c.code for c in classes}) == len(classes) <= 18 + 1, "a dozen, six of services, and their base"
    assert all(c.__name__ in errors.__doc__ for c in classes)


def test_every_verb_has_a_tool_and_a_command_or_a_reason_not_to():
    verbs = {name for name, _ in inspect.getmembers(wherefrom.Memory) if not name.startswith("_")} - NOT_VERBS
    agents = {method for row in TOOLS for method in row.methods}
    people = {method for row in COMMANDS for method in row.methods}
    assert agents | people <= verbs, "each row's methods are verbs"
    assert not WITHIN.keys() & (agents | people)
    within = {method: row.split()[0] for method, row in WITHIN.items()}
    assert verbs == agents | people | set(within) | set(NO_COMMAND)
    assert verbs - agents == set(NO_TOOL)
    assert verbs - people - set(within) == set(NO_COMMAND)
    assert set(within.values()) <= {row.command for row in COMMANDS}


def test_every_row_is_a_tool_or_a_command_by_a_name_of_its_own():
    tools = [name for row in TOOLS for name in (row.tool, *row.aliases)]
    assert len(set(tools)) == len(tools) == len(BY_NAME)
    assert all(row.tool and row.answer for row in TOOLS)
    assert all(shown.description and shown.annotations.title for shown in map(listed, TOOLS))
    commands = [row.command for row in COMMANDS]
    assert len(set(commands)) == len(commands)
    assert all(commands)
    known = get_command(cli.app).commands
    assert {command.split()[0] for command in commands} | OTHER_COMMANDS == set(known)
