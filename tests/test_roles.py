"""Roles: each verb is for one role and those above it, whoever calls it and whatever is given."""

from __future__ import annotations

import pytest
from test_exported_names import NO_COMMAND

from wherefrom import Forbidden, InvalidInput, Memory, Store, WherefromError
from wherefrom.api.memory import Verbs, role_of
from wherefrom.interfaces.verbs import COMMANDS, TOOLS, WITHIN
from wherefrom.model.callers import ROLES

# A new verb is added here, so that somebody decides who may call it.
VERBS = {
    "read": (
        "activate claim_evidence context doctor export get history info insight_plan list namespaces neighbourhood path "
        "plans policy privacy query_graph query_view relations render_view review rules search status upkeep "
        "validate_boundary vector_search views walk"
    ),
    "write": (
        "add_document add_documents add_evidence apply_insight confirm_rules correct_edge correct_page create_task "
        "decline_insight delete feedback find_insight forget reinforce reject_claim relate restore restore_claim save "
        "settle undo_insight undo_upkeep unrelate "
        "update_task"
    ),
    "admin": (
        "apply_policy backup calibrate choose_privacy create_key distribute embed import_ keys metabolize reclassify reembed "
        "reindex rename_namespace revoke_key rotate_key run_upkeep sweep"
    ),
}
NEEDED = {verb: role for role, verbs in VERBS.items() for verb in verbs.split()}


def test_every_verb_has_the_role_that_was_decided():
    verbs = {name for name in vars(Verbs) if hasattr(vars(Verbs)[name], "role")}
    rows = {method for row in (*TOOLS, *COMMANDS) for method in row.methods}
    assert verbs == rows | set(WITHIN) | set(NO_COMMAND)
    assert {name: role_of(name) for name in verbs} == NEEDED
    for name in verbs:
        getattr(Memory, name)  # from now on a method stands in its place
    assert {name: role_of(name) for name in verbs} == NEEDED


def test_every_verb_is_refused_to_lower_roles_and_to_no_others(url):
    with Store.open(url, embedder="none") as store:
        for place, role in enumerate(ROLES):
            memory = store.memory(role=role)
            for verb, needed in NEEDED.items():
                if place < ROLES.index(needed):
                    with pytest.raises(Forbidden, match=f"{verb} is not for the role {role}") as refused:
                        getattr(memory, verb)()
                    assert refused.value.code == "forbidden"
                    assert f"needs the role {needed}" in refused.value.hint
                else:
                    try:
                        getattr(memory, verb)()
                    except Forbidden as error:
                        pytest.fail(f"{verb} was refused to {role}: {error}")
                    except (TypeError, WherefromError):
                        pass  # it lacks its arguments


def test_a_refused_verb_does_nothing(url):
    with Store.open(url, embedder="none") as store:
        node = store.memory().save("The bridge opens at nine.").node
        reader = store.memory(role="read")
        for call in (lambda: reader.save("Another."), lambda: reader.delete(node.id)):
            with pytest.raises(Forbidden):
                call()
        assert reader.list().nodes == (node,)
        assert [item.node.id for item in reader.activate("bridge").items] == [node.id]


def test_an_unknown_role_is_refused(url):
    with Store.open(url, embedder="none") as store:
        for role in ("owner", "", None):
            with pytest.raises(InvalidInput, match="role"):
                store.memory(role=role)
