"""Names in texts: kept with every text, and read as edges of a walk by those who see the texts."""

from __future__ import annotations

import io

import pytest
from also_for_tests import CLASSES, access_of, node_of, put

from wherefrom import Memory
from wherefrom.storage.candidates import SHARED_NAME, edges_by_names
from wherefrom.storage.mentions import asked
from wherefrom.storage.names_in_texts import MAX_TEXTS_BEGUN, MAX_TEXTS_PER_NAME

BOTH = ["tool:contact-lookup"]


def near(memory, *nodes, access=None):
    """The edges by names at some nodes: (text, text that it means), and the texts of each shared name."""
    database, access = memory.view.store.database, access or memory.view.access
    means, shares = database.read(lambda tx: edges_by_names(tx, access, [node.id for node in nodes], shares=True))
    groups = {}
    for edge in shares:
        assert edge.tag == SHARED_NAME
        groups.setdefault(edge.target_id, set()).add(edge.source_id)
    return {(edge.source_id, edge.target_id) for edge in means}, groups


def test_texts_with_the_same_rare_name_are_near_each_other(memory):
    one = memory.save("We met Ada Lovelace at the harbour.").node
    two = memory.save("The letters of Ada Lovelace are lost.").node
    memory.save("It was about Charles Babbage.")
    assert near(memory, one) == (set(), {"ada lovelace": {one.id, two.id}})
    assert near(memory, two) == near(memory, one)


def test_a_name_of_one_word_joins_no_texts_by_itself(memory):
    one = memory.save("We flew to London.").node
    memory.save("They came from London.")
    assert near(memory, one) == (set(), {})


def test_a_name_that_many_texts_have_joins_none(memory):
    first = memory.save("Number 0 is by Ada Lovelace.").node
    for number in range(1, MAX_TEXTS_PER_NAME):
        memory.save(f"Number {number} is by Ada Lovelace.")
    assert len(near(memory, first)[1]["ada lovelace"]) == MAX_TEXTS_PER_NAME
    memory.save("One more is by Ada Lovelace.")
    assert near(memory, first) == (set(), {})


@pytest.mark.parametrize(
    ("about", "mentioning"),
    [
        ("Kestrel Ltd was founded in Hull.", "She works for Kestrel Ltd now."),
        ("Kestrel was founded in Hull.", "She works for Kestrel now."),
        ("ケストレルは1999年に設立された。", "彼女は今ケストレルで働いている。"),
    ],
)
def test_the_name_that_a_text_begins_with_is_its_title(memory, about, mentioning):
    target = memory.save(about).node
    source = memory.save(mentioning).node
    for some in ([source], [target], [source, target]):
        assert near(memory, *some)[0] == {(source.id, target.id)}


def test_a_text_with_a_title_is_known_by_that(memory):
    memory.save("Kestrel Ltd was founded in Hull.", title="Foundation")
    source = memory.save("She works for Kestrel Ltd now.").node
    assert near(memory, source)[0] == set()


def test_what_many_texts_begin_with_is_the_title_of_none(memory):
    source = memory.save("They listened to Ada Lovelace.").node
    for number in range(MAX_TEXTS_BEGUN):
        memory.save(f"Ada Lovelace: I have {number} questions.")
    assert len(near(memory, source)[0]) == MAX_TEXTS_BEGUN
    memory.save("Ada Lovelace: that was all.")
    assert near(memory, source)[0] == set()


def test_a_question_names_what_a_text_begins_with(memory):
    database, access = memory.view.store.database, memory.view.access
    about = memory.save("Kestrel Ltd was founded in Hull.").node
    single = memory.save("Hull is a port.").node

    def named(question):
        return database.read(lambda tx: asked(tx, access, question))

    assert named("who founded kestrel ltd?") == {about.id: 1.0}
    assert named("who lives in Hull?") == {single.id: 1.0}
    assert named("what is the hull of a ship?") == {}
    assert database.read(lambda tx: asked(tx, access, "who founded kestrel ltd?", in_texts=False)) == {}
    titled = memory.save("A company.", title="Kestrel Ltd").node
    assert named("who founded kestrel ltd?") == {titled.id: 1.0}


def test_names_follow_every_change_of_a_text(memory):
    node = memory.save("We met Ada Lovelace.").node
    other = memory.save("A letter to Ada Lovelace, and one to Charles Babbage.").node
    memory.save("We met Charles Babbage.", memo_id=node.id)
    assert near(memory, other)[1] == {"charles babbage": {node.id, other.id}}
    memory.save("Ada Lovelace was met.", memo_id=node.id)
    assert near(memory, other)[0] == {(other.id, node.id)}
    memory.save("Ada Lovelace was met.", title="Meeting", memo_id=node.id)
    assert near(memory, other) == (set(), {"ada lovelace": {node.id, other.id}})
    memory.delete(node.id)
    assert near(memory, other) == (set(), {})


def test_names_come_with_an_import_and_with_reindex(memory, new_url):
    one = memory.save("We met Ada Lovelace.").node
    two = memory.save("A letter to Ada Lovelace.").node
    stream = io.StringIO()
    memory.export(stream)
    with Memory.open(new_url("sqlite")) as copy:
        copy.import_(io.BytesIO(stream.getvalue().encode()))
        assert near(copy, one)[1] == {"ada lovelace": {one.id, two.id}}
        database, access = copy.view.store.database, copy.view.access
        where = {"owner": access.owner, "ids": f'["{one.id}", "{two.id}"]'}
        database.write(lambda tx: tx.run("names_in_texts_forget", where))
        assert near(copy, one) == (set(), {})
        copy.reindex()
        assert near(copy, one)[1] == {"ada lovelace": {one.id, two.id}}


def test_names_of_texts_out_of_sight_lead_nowhere(url):
    """Neither what a hidden text says nor how many there are changes what an access is told."""
    with Memory.open(url, allow=BOTH) as all_of_it, Memory.open(url) as part:
        seen = part.save("We met Ada Lovelace.").node
        hidden = all_of_it.save("A letter to Ada Lovelace.", boundary_class="pii").node
        about = all_of_it.save("Ada Lovelace was born in London.", boundary_class="pii").node
        assert near(all_of_it, seen)[0] == {(seen.id, about.id)}
        assert near(part, seen) == (set(), {})
        assert near(part, hidden) == near(part, about) == (set(), {})
        database, access = part.view.store.database, part.view.access
        assert database.read(lambda tx: asked(tx, access, "who is Ada Lovelace?")) == {}
        for number in range(MAX_TEXTS_PER_NAME + 10):
            all_of_it.save(f"Secret {number} of Ada Lovelace.", boundary_class="pii")
            all_of_it.save(f"Ada Lovelace has secret {number}.", boundary_class="pii")
        other = part.save("Somebody wrote to Ada Lovelace.").node
        assert near(part, seen) == (set(), {"ada lovelace": {seen.id, other.id}})


def test_names_of_other_roots_lead_nowhere(url):
    with Memory.open(url, root="main/here") as here, Memory.open(url, root="main/there") as there:
        seen = here.save("We met Ada Lovelace.").node
        there.save("A letter to Ada Lovelace.")
        there.save("Ada Lovelace was born in London.")
        assert near(here, seen) == (set(), {})
        here.reindex()
        assert len(there.search("Ada Lovelace").hits) == 2
        found = there.search("letter").hits[0].node
        assert near(there, found)[0] != set()


def test_what_others_do_not_see_of_a_text_is_no_name_of_it(memory):
    """A text with personal data, which others see without them, keeps the names that they see."""
    mail = "We met Ada Lovelace; write to mira@Harbour-Office.org about it."
    shared = node_of("main", mail, boundary_class="pii", shared_class="internal")
    other = node_of("main", "A letter to Ada Lovelace, and to the Harbour Office.")
    plain = node_of("main", "Somebody wrote to Ada Lovelace from the Harbour Office.")
    put(memory, shared, other, plain)
    everything, part = access_of("main", classes=CLASSES), access_of("main")
    assert near(memory, shared, access=everything)[1] == {"ada lovelace": {shared.id, other.id, plain.id}}
    # A text that an access sees without its personal data leads nowhere for it, as no relation of it does.
    assert near(memory, shared, access=part) == (set(), {})
    assert near(memory, other, access=part)[1] == {
        name: {other.id, plain.id} for name in ("ada lovelace", "harbour office")
    }


def test_a_walk_goes_over_a_name_that_is_no_title(memory):
    memory.save("The lighthouse at the harbour was painted by Mira Petrova.")
    other = memory.save("Bread and salt are sold by Mira Petrova on weekends.").node
    for number in range(30):
        memory.save(f"Row {number} of the ledger is about wood, nails and rope.")
    found = [item.node.id for item in memory.activate("who painted the lighthouse at the harbour?", limit=2).items]
    assert other.id in found
    quiet = "version: 1.0.0\nretrieval: {graph: {names: 0}}\n"
    memory.apply_policy(quiet)
    found = [item.node.id for item in memory.activate("who painted the lighthouse at the harbour?", limit=2).items]
    assert other.id not in found
