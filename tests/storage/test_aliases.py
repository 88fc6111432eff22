"""Conformance: the same text under another title keeps its first title and gets the other as an alias."""

from __future__ import annotations

import io
import json

import pytest
from talking_for_tests import Clock

from wherefrom import InvalidInput, Memory, NewPage

TEXT = "We ship on Fridays only after the soak test."


def mentioned_by(memory, node_id):
    return {edge.source_id for edge in memory.relations(target_id=node_id, tag="mentions").edges}


def titles(memory, query):
    return [hit.node.title for hit in memory.search(query).hits]


def exported(memory):
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue()


@pytest.fixture
def called_twice(memory):
    """A memo with the title "Release rule" and the alias "Friday policy"."""
    memory.save(TEXT, title="Release rule", metadata={"a": 1, "b": 1})
    return memory.save(TEXT, title="Friday policy", metadata={"b": 2, "a": None})


def test_another_title_becomes_an_alias_and_the_answer_says_so(memory, called_twice):
    assert (called_twice.status, called_twice.alias_added) == ("duplicate", "Friday policy")
    assert called_twice.note == (
        "It keeps its title 'Release rule'; 'Friday policy' is now an alias, found and linked like a title."
    )
    node = memory.get(called_twice.node.id)
    assert (node.title, node.aliases, node.version) == ("Release rule", ("Friday policy",), 2)
    assert node.metadata == {"b": 2}, "metadata is merged, and a null removes its key"


def test_mentions_of_the_first_title_stay_and_those_of_the_alias_are_linked(memory):
    before = memory.save("As agreed in the Release rule, we wait.").node.id
    early = memory.save("The Friday policy came up again.").node.id
    node = memory.save(TEXT, title="Release rule").node
    assert mentioned_by(memory, node.id) == {before}
    made = memory.relations(target_id=node.id, tag="mentions").edges
    memory.save(TEXT, title="Friday policy")
    assert mentioned_by(memory, node.id) == {before, early}
    assert made[0] in memory.relations(target_id=node.id, tag="mentions").edges, "what was linked stays as it was"
    late = memory.save("Nobody read the Friday policy.").node.id
    assert mentioned_by(memory, node.id) == {before, early, late}
    memory.reindex()
    assert mentioned_by(memory, node.id) == {before, early, late}


def test_a_question_that_names_the_alias_starts_at_its_node(memory, called_twice):
    linked = memory.save("Deployments wait for Monday otherwise.").node
    memory.relate(called_twice.node.id, linked.id, tag="explains", weight=1.0)
    found = memory.search("what about the friday policy?", graph=True)
    assert linked.id in {hit.node.id for hit in found.hits}


def test_the_alias_is_found_by_its_words(url):
    with Memory.open(url, embedder="none") as memory:
        memory.save("The weather was fine.")
        node = memory.save(TEXT, title="Release rule").node
        assert titles(memory, "guillotine") == []
        memory.save(TEXT, title="Guillotine memorandum")
        assert titles(memory, "guillotine") == ["Release rule"]
        memory.reindex()
        assert titles(memory, "guillotine") == ["Release rule"]
        memory.save("Another text about ships.", memo_id=node.id)
        assert titles(memory, "guillotine") == ["Release rule"]
        memory.delete(node.id)
        assert titles(memory, "guillotine") == []


def test_the_same_title_again_changes_nothing(memory, called_twice):
    for title in ("Friday policy", "Release rule", None):
        again = memory.save(TEXT, title=title)
        assert (again.status, again.alias_added) == ("duplicate", None)
        assert (again.node.version, again.node.aliases) == (2, ("Friday policy",))
    assert "already" in memory.save(TEXT, title="Friday policy").note
    assert memory.save(TEXT, title="Release rule").note is None


def test_a_text_without_a_title_takes_the_one_it_is_given(memory):
    memory.save(TEXT)
    saved = memory.save(TEXT, title="Release rule")
    assert (saved.node.title, saved.node.aliases, saved.alias_added, saved.note) == ("Release rule", (), None, None)


def test_a_rename_by_id_stays_a_rename(memory, called_twice):
    text = memory.save("The Friday policy holds.").node.id
    renamed = memory.save(TEXT, memo_id=called_twice.node.id, title="Shipping rule")
    assert (renamed.node.title, renamed.node.aliases) == ("Shipping rule", ("Friday policy",))
    promoted = memory.save(TEXT, memo_id=called_twice.node.id, title="Friday policy")
    assert (promoted.node.title, promoted.node.aliases) == ("Friday policy", ())
    assert mentioned_by(memory, promoted.node.id) == {text}


def test_there_are_at_most_twenty(memory):
    memory.save(TEXT, title="Release rule")
    for number in range(20):
        assert memory.save(TEXT, title=f"Alias {number}").alias_added == f"Alias {number}"
    full = memory.save(TEXT, title="One too many")
    assert (full.alias_added, len(full.node.aliases), full.node.version) == (None, 20, 21)
    assert "20 aliases" in full.note


@pytest.mark.parametrize("title", ["x" * 301, "nul \0", "", "\ud800"])
def test_an_alias_is_checked_like_a_title(memory, title):
    memory.save(TEXT, title="Release rule")
    with pytest.raises(InvalidInput):
        memory.save(TEXT, title=title)


def test_personal_data_is_taken_out_of_an_alias(memory):
    memory.save(TEXT, title="Release rule")
    saved = memory.save(TEXT, title="Rule of mira@example.com")
    assert saved.alias_added == "Rule of [email]"
    assert saved.redacted == {"email": 1}


def test_aliases_survive_export_and_import(memory, called_twice, new_url):
    stream = exported(memory)
    with Memory.open(new_url("sqlite")) as other:
        other.save("The Friday policy came up again.")
        other.import_(io.BytesIO(stream.encode()))
        assert other.get(called_twice.node.id) == called_twice.node
        assert len(mentioned_by(other, called_twice.node.id)) == 1
        assert exported(other).count('"aliases":["Friday policy"]') == 1


def test_an_export_without_aliases_is_read_still(memory, called_twice, new_url):
    records = [json.loads(line) for line in exported(memory).splitlines()]
    old = "\n".join(json.dumps({k: v for k, v in each.items() if k != "aliases"}) for each in records)
    memory.import_(io.BytesIO(old.encode()))
    assert memory.get(called_twice.node.id).aliases == ("Friday policy",)
    with Memory.open(new_url("sqlite")) as other:
        other.import_(io.BytesIO(old.encode()))
        assert other.get(called_twice.node.id).aliases == ()


@pytest.mark.parametrize("aliases", ["x", [1], ["x" * 301], ["a"] * 21])
def test_an_import_checks_aliases(memory, called_twice, aliases):
    records = [json.loads(line) for line in exported(memory).splitlines()]
    broken = "\n".join(json.dumps({**each, "aliases": aliases} if each["type"] == "node" else each) for each in records)
    rejections = memory.import_(io.BytesIO(broken.encode())).rejections
    assert [(each.id, each.code) for each in rejections] == [(called_twice.node.id, "invalid_input")]
    assert "alias" in rejections[0].reason


def test_aliases_come_back_with_their_node(url):
    clock = Clock()
    with Memory.open(url, clock=clock) as memory:
        node = memory.save(TEXT, title="Release rule", scope="session").node
        memory.save(TEXT, title="Friday policy", scope="session")
        expected = memory.get(node.id)
        clock.go_on(days=8)
        memory.save("Something else.")
        assert memory.list().nodes[-1].id != node.id
        memory.restore(node_id=node.id)
        back = memory.get(node.id)
        assert (back.title, back.aliases, back.content) == (expected.title, expected.aliases, expected.content)
        mentioning = memory.save("The Friday policy holds.").node.id
        assert mentioned_by(memory, node.id) == {mentioning}


def test_what_a_policy_forbids_is_taken_out_of_stored_aliases(memory, url, execute, called_twice):
    text = memory.save("Rule 7 for mira@example.com was read out.", boundary_class="public").node.id
    execute(url, """update nodes set aliases = '["Friday policy", "Rule 7 for mira@example.com"]'""")
    assert called_twice.node.id in memory.reclassify().redacted
    assert memory.get(called_twice.node.id).aliases == ("Friday policy", "Rule 7 for [email]")
    assert mentioned_by(memory, called_twice.node.id) <= {text}


def test_a_backup_has_them(sqlite_memory, tmp_path):
    sqlite_memory.save(TEXT, title="Release rule")
    node = sqlite_memory.save(TEXT, title="Friday policy").node
    sqlite_memory.backup(tmp_path / "copy.db")
    with Memory.open(tmp_path / "copy.db") as copy:
        assert copy.get(node.id) == node


def test_a_page_takes_the_title_that_its_source_has_now(memory):
    page = memory.add_evidence(NewPage("https://example.org/a", "The old headline")).page.id
    memory.add_evidence(NewPage("https://example.org/a", "The new headline"))
    assert (memory.get(page).title, memory.get(page).aliases) == ("The new headline", ())
