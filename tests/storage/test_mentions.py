"""Mentions: whichever of text and name comes first, the two are linked, and stay so through every change."""

from __future__ import annotations

import io
import json

import pytest

from tests.statements_for_tests import recorded
from wherefrom import Memory
from wherefrom.storage import bulk_mentions
from wherefrom.storage.postgres_pipeline import PipelinedTransaction


def mentions(memory, **filters):
    """Who mentions whom, by what the nodes are called or say, and by whom that was found."""
    found = memory.relations(tag="mentions", limit=500, **filters)
    names = {}
    for edge in found.edges:
        for node_id in (edge.source_id, edge.target_id):
            node = memory.get(node_id)
            names[node_id] = node.title or node.content
    return {(names[edge.source_id], names[edge.target_id], edge.judge) for edge in found.edges}


def stream_of(memory):
    stream = io.StringIO()
    memory.export(stream)
    return io.BytesIO(stream.getvalue().encode())


def reference(*entities):
    """The file of a reference memory server: entities with observations."""
    rows = [{"type": "entity", "name": name, "entityType": "thing", "observations": seen} for name, seen in entities]
    return io.BytesIO("\n".join(json.dumps(row) for row in rows).encode())


def test_a_new_text_is_linked_to_old_names(memory):
    memory.save("A mathematician.", title="Ada Lovelace")
    memory.save("We met Ada Lovelace yesterday.", title="Meeting notes")
    assert mentions(memory) == {("Meeting notes", "Ada Lovelace", "names")}


def test_a_new_name_is_linked_to_old_texts(memory):
    memory.save("We met Ada Lovelace yesterday.", title="Meeting notes")
    assert mentions(memory) == set()
    memory.save("A mathematician.", title="Ada Lovelace")
    assert mentions(memory) == {("Meeting notes", "Ada Lovelace", "names")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("夏目漱石", "昨日、夏目漱石の本を読んだ。"),
        ("東京", "明日は東京へ行く。"),
        ("プリンター", "新しいプリンターを買った。"),
        ("清华大学", "他在清华大学工作。"),
        ("서울", "어제 서울에서 만났다."),
        ("Владимир Набоков", "Это написал Владимир Набоков."),
        ("The Who Live", "We heard The Who Live on stage."),
        ("Bank of England", "The Bank of England raised its rate."),
        ("Mercury (planet)", "The planet Mercury is bright."),
    ],
)
def test_both_orders_give_the_same(new_url, name, text):
    for saves in ((("About it.", name), (text, None)), ((text, None), ("About it.", name))):
        with Memory.open(new_url("sqlite")) as memory:
            for content, title in saves:
                memory.save(content, title=title)
            assert mentions(memory) == {(text, name, "names")}


def test_texts_of_several_scripts_on_either_database(memory):
    memory.save("昨日、夏目漱石の本を読んだ。어제 서울에서 만났다。 他在清华大学工作。", title="notes")
    for number, name in enumerate(("夏目漱石", "서울", "清华大学")):
        memory.save(f"The name with the number {number}.", title=name)
    assert mentions(memory) == {("notes", name, "names") for name in ("夏目漱石", "서울", "清华大学")}


def test_nobody_mentions_itself(memory):
    memory.save("Ada Lovelace was born in 1815.", title="Ada Lovelace")
    assert mentions(memory) == set()


def test_what_only_looks_like_a_name_is_not_linked_either_way(memory):
    memory.save("I ate an apple in 東京都の店.", title="lunch")
    memory.save("A company.", title="Apple")
    memory.save("A city.", title="京都")
    memory.save("Another apple, another 東京都の店.", title="dinner")
    assert mentions(memory) == set()


def test_renaming_moves_the_mentions(memory):
    memory.save("We met Ada Lovelace yesterday.", title="old notes")
    memory.save("We met Ada Byron last year.", title="older notes")
    person = memory.save("A mathematician.", title="Ada Lovelace").node
    memory.save("A mathematician.", title="Ada Byron", memo_id=person.id)
    assert mentions(memory) == {("older notes", "Ada Byron", "names")}
    memory.save("Again with Ada Lovelace and Ada Byron.", title="new notes")
    assert mentions(memory, target_id=person.id) == {
        ("older notes", "Ada Byron", "names"),
        ("new notes", "Ada Byron", "names"),
    }


def test_editing_a_text_moves_its_mentions(memory):
    memory.save("A mathematician.", title="Ada Lovelace")
    memory.save("A programmer.", title="Bob Lee")
    notes = memory.save("We met Ada Lovelace.", title="notes").node
    memory.save("We met Bob Lee.", memo_id=notes.id)
    assert mentions(memory) == {("notes", "Bob Lee", "names")}
    memory.save("We met nobody.", memo_id=notes.id)
    assert mentions(memory) == set()


def test_editing_a_text_leaves_the_mentions_of_its_name(memory):
    person = memory.save("A mathematician.", title="Ada Lovelace").node
    memory.save("We met Ada Lovelace.", title="notes")
    memory.save("A mathematician, born 1815.", memo_id=person.id)
    assert mentions(memory) == {("notes", "Ada Lovelace", "names")}


def test_a_title_that_comes_with_a_duplicate_is_a_name(memory):
    memory.save("We met Ada Lovelace.", title="notes")
    memory.save("A mathematician.")
    memory.save("A mathematician.", title="Ada Lovelace")
    assert mentions(memory) == {("notes", "Ada Lovelace", "names")}


def test_deleting_either_end_deletes_the_mention(memory):
    person = memory.save("A mathematician.", title="Ada Lovelace").node
    notes = memory.save("We met Ada Lovelace.", title="diary").node
    memory.delete(person.id)
    assert mentions(memory) == set()
    memory.save("Nobody met Ada Lovelace.", title="more notes")
    assert mentions(memory) == set()
    memory.save("A mathematician.", title="Ada Lovelace")
    assert len(mentions(memory)) == 2
    memory.delete(notes.id)
    assert mentions(memory) == {("more notes", "Ada Lovelace", "names")}
    assert memory.doctor().ok


def test_a_name_that_many_share_names_none_of_them(memory):
    for number in range(5):
        memory.save(f"The {number}th of them.", title="Weekly Report")
    known = memory.save("See the Weekly Report of today.", title="one").node
    assert len(memory.relations(tag="mentions", source_id=known.id).edges) == 5
    memory.save("The last of them.", title="Weekly Report")
    unknown = memory.save("See the Weekly Report of tomorrow.", title="two").node
    assert memory.relations(tag="mentions", source_id=unknown.id).edges == ()


def test_the_sixth_of_a_name_takes_it_back_from_old_texts(memory):
    notes = memory.save("See the Weekly Report of today.", title="one").node
    for number in range(1, 9):
        memory.save(f"The {number}th of them.", title="Weekly Report")
        edges = memory.relations(tag="mentions", source_id=notes.id).edges
        assert len(edges) == (number if number <= 5 else 0)


def test_a_longer_name_takes_the_place_of_a_shorter_one_in_old_texts(memory):
    memory.save("He reads the New York Times.", title="notes")
    memory.save("A city.", title="New York")
    memory.save("A newspaper.", title="New York Times")
    assert ("notes", "New York Times", "names") in mentions(memory)
    assert ("notes", "New York", "names") not in mentions(memory)


def test_a_shorter_name_is_found_again_when_the_longer_one_goes(memory):
    memory.save("He reads the New York Times.", title="notes")
    memory.save("A city.", title="New York")
    newspaper = memory.save("A newspaper.", title="New York Times").node
    memory.save("A newspaper.", title="The Gazette", memo_id=newspaper.id)
    assert mentions(memory) == {("notes", "New York", "names")}


def test_a_new_name_leaves_mentions_of_names_that_its_writer_may_not_see(new_url):
    url = new_url("sqlite")
    with Memory.open(url, allow=["tool:contact-lookup"]) as all_of_it, Memory.open(url) as part:
        all_of_it.save("A person.", title="Ada Lovelace", boundary_class="pii")
        all_of_it.save("Ada Lovelace met Bob Lee.", title="notes")
        part.save("A programmer.", title="Bob Lee")
        assert mentions(all_of_it) == {("notes", "Ada Lovelace", "names"), ("notes", "Bob Lee", "names")}


def test_entities_that_the_caller_gives_stay_when_the_text_changes(memory):
    claim = memory.save(
        "The engine was built by Ada Lovelace.", title="claim", entities=["Babbage", "Ada Lovelace"]
    ).node
    both = {("claim", "Babbage", None), ("claim", "Ada Lovelace", None)}
    assert mentions(memory) == both
    memory.save("The engine was never built.", memo_id=claim.id)
    assert mentions(memory) == both
    memory.save("The engine was never built.", title="claim", memo_id=claim.id, metadata={"seen": True})
    assert mentions(memory) == both


def test_what_was_found_and_is_then_given_stays(memory):
    """A mention that was a guess is none any more when the caller says so."""
    memory.save("Somebody.", entities=["Ada Lovelace"])
    claim = memory.save("The engine of Ada Lovelace.", title="claim").node
    assert mentions(memory, source_id=claim.id) == {("claim", "Ada Lovelace", "names")}
    memory.save("The engine of Ada Lovelace.", memo_id=claim.id, entities=["Ada Lovelace"])
    memory.save("The engine.", memo_id=claim.id)
    assert mentions(memory, source_id=claim.id) == {("claim", "Ada Lovelace", None)}


def test_an_entity_is_made_once_and_names_texts(memory):
    memory.save("We saw Ada Lovelace.", title="old")
    memory.save("It runs.", title="one", entities=["Ada Lovelace"])
    memory.save("It stops.", title="two", entities=["Ada Lovelace"])
    assert len(memory.list(kind="entity").nodes) == 1
    assert mentions(memory) == {
        ("old", "Ada Lovelace", "names"),
        ("one", "Ada Lovelace", None),
        ("two", "Ada Lovelace", None),
    }


def test_a_mention_carries_the_stricter_class(new_url):
    with Memory.open(new_url("sqlite"), allow=["tool:contact-lookup"]) as memory:
        memory.save("A person.", title="Ada Lovelace", boundary_class="pii")
        memory.save("We met Ada Lovelace.", title="notes", boundary_class="public")
        (edge,) = memory.relations(tag="mentions").edges
        assert edge.boundary_class == "pii"


def test_who_may_not_see_a_name_makes_no_mention_of_it(new_url):
    url = new_url("sqlite")
    with Memory.open(url, allow=["tool:contact-lookup"]) as all_of_it:
        all_of_it.save("A person.", title="Ada Lovelace", boundary_class="pii")
        with Memory.open(url) as part:
            part.save("We met Ada Lovelace.", title="notes")
            assert mentions(part) == set()
        assert mentions(all_of_it) == set()


def test_names_of_another_owner_or_root_are_unknown(url):
    with Memory.open(url, owner="one", root="main/a") as one, Memory.open(url, owner="two") as two:
        one.save("A person.", title="Ada Lovelace")
        two.save("We met Ada Lovelace.", title="notes")
        with Memory.open(url, owner="one", root="main/b") as beside:
            beside.save("We met Ada Lovelace, too.", title="notes")
            assert mentions(beside) == set()
        assert mentions(one) == mentions(two) == set()


def test_names_are_known_in_all_namespaces_of_the_root(memory):
    memory.save("A person.", title="Ada Lovelace", namespace="people")
    memory.save("We met Ada Lovelace.", title="notes", namespace="diary")
    assert mentions(memory) == {("notes", "Ada Lovelace", "names")}


def test_an_import_links_both_ways(memory):
    memory.save("The Difference Engine was admired by Ada Lovelace.", title="notes")
    memory.save("Unfinished.", title="Difference Engine")
    before = mentions(memory)
    memory.import_(reference(("Ada Lovelace", ["She saw the Difference Engine"]), ("Difference Engine No 2", [])))
    after = mentions(memory)
    assert before <= after
    assert ("notes", "Ada Lovelace", "names") in after
    assert any(target == "Difference Engine" and source != "notes" for source, target, _ in after)


@pytest.mark.parametrize("texts_read", [0, 5], ids=["looked up by name", "all read"])
def test_an_import_links_older_texts_both_ways_however_they_are_found(memory, monkeypatch, texts_read):
    monkeypatch.setattr(bulk_mentions, "_MAX_TEXTS_READ_PER_NEW", texts_read)
    memory.save("Grace Hopper's harbour has no bees.", title="Harbour log")
    memory.save("She met Ada, and Lovelace was her name.", title="Apart")
    memory.save("It follows the Ada Lovelace report.", title="Log 2")
    memory.save("A person.", title="Ada Lovelace")
    kept = mentions(memory)
    assert kept == {("Log 2", "Ada Lovelace", "names")}
    before = memory.relations(tag="mentions", limit=500).edges
    memory.import_(
        reference(("Grace Hopper", ["knew Log 2 and Charles Babbage"]), ("Charles Babbage", ["met Ada Lovelace"]))
    )
    found = {(source, target) for source, target, _ in mentions(memory) - kept}
    assert {("Harbour log", "Grace Hopper"), ("Log 2", "Ada Lovelace")} <= found | {pair[:2] for pair in kept}
    assert {target for _, target in found} == {"Grace Hopper", "Log 2", "Charles Babbage", "Ada Lovelace"}
    assert not [pair for pair in found if "Apart" in pair]
    assert set(before) <= set(memory.relations(tag="mentions", limit=500).edges), "what is not affected stays as it is"
    memory.import_(reference(("Ada Lovelace report", ["a longer name"])))
    assert ("Log 2", "Ada Lovelace report", "names") in mentions(memory)
    assert ("Log 2", "Ada Lovelace", "names") not in mentions(memory)


def test_texts_with_a_new_name_are_found_by_its_rarest_term(postgres_store, postgres_database):
    number, url = 100, postgres_database(postgres_store)
    with Memory.open(url, embedder="none") as memory, recorded() as seen:
        for name in ("Case", "Other"):  # at first few texts are there, and then many
            memory.import_(reference(*((f"{name} {1000 + each}", ["in a folder"]) for each in range(number))))
        memory.save("A person, in a case.", title="Case 1001 again")
        ((text, given),) = ((text, given) for (name, text), given in seen.items() if name == "texts_naming")
        given["rows"] = json.dumps([{"name": json.dumps(["case", str(1000 + each)])} for each in range(number)])
        with memory.view.store.database._alone() as connection:
            [(plan,)] = connection.execute(f"explain (analyze, format json) {text}", given).fetchall()
        rows = [step["Actual Rows"] * step["Actual Loops"] for step in steps(plan[0]["Plan"])]
        assert max(rows) <= 20 * number, "and not all texts for each name, which are 100 times as many"


def test_where_most_of_a_store_comes_in_at_once_no_text_is_looked_up_by_name(postgres_store, postgres_database):
    url = postgres_database(postgres_store)
    with Memory.open(url, embedder="none") as memory:
        memory.save("See Case 1001.")
        with recorded() as seen:
            memory.import_(reference(*((f"Case {1000 + each}", ["in a folder"]) for each in range(20))))
        assert "texts_naming" not in {name for name, _ in seen}
        assert mentions(memory) == {("See Case 1001.", "Case 1001", "names")}


def test_a_batch_of_an_import_keeps_no_plan_that_was_made_when_a_table_was_empty(
    postgres_store, postgres_database, monkeypatch
):
    batches, execute = [], PipelinedTransaction._execute

    def noting(transaction, name, parameters, **options):
        if name == "mentions_add" and len(json.loads(parameters["rows"])) > 50:
            batches.append(options)
        return execute(transaction, name, parameters, **options)

    monkeypatch.setattr(PipelinedTransaction, "_execute", noting)
    rows = [(f"Case {1000 + each}", [f"It follows Case {1000 + (each + 7) % 100}."]) for each in range(100)]
    with Memory.open(postgres_database(postgres_store), embedder="none") as memory:
        memory.import_(reference(*rows))
    assert batches == [{"prepare": False}] * len(batches) != []


def steps(plan):
    """All steps of a plan."""
    yield plan
    for step in plan.get("Plans", ()):
        yield from steps(step)


def test_importing_again_changes_no_mention(memory):
    file = reference(("Ada Lovelace", ["wrote about the Analytical Engine"]), ("Analytical Engine", ["made of brass"]))
    memory.save("Ada Lovelace and the Analytical Engine", title="notes")
    memory.import_(file)
    before = memory.relations(tag="mentions", limit=500).edges
    assert before
    file.seek(0)
    again = memory.import_(file)
    assert (again.nodes_created, again.nodes_updated, again.edges_created, again.edges_updated) == (0, 0, 0, 0)
    assert memory.relations(tag="mentions", limit=500).edges == before


def test_a_copy_has_the_same_mentions(new_url, url):
    with Memory.open(url) as original, Memory.open(new_url("sqlite")) as copy:
        original.save("A mathematician.", title="Ada Lovelace")
        original.save("We met Ada Lovelace.", title="notes", entities=["Babbage"])
        copy.import_(stream_of(original))
        assert mentions(copy) == mentions(original)
        assert len(mentions(copy)) == 2
        copy.import_(stream_of(original))
        assert mentions(copy) == mentions(original)


def test_an_imported_change_moves_mentions(new_url):
    with Memory.open(new_url("sqlite")) as original, Memory.open(new_url("sqlite")) as copy:
        person = original.save("A mathematician.", title="Ada Lovelace").node
        notes = original.save("We met Ada Lovelace and Ada Byron.", title="notes").node
        copy.import_(stream_of(original))
        original.save("A mathematician.", title="Ada Byron", memo_id=person.id)
        original.save("We met only Ada Byron.", memo_id=notes.id)
        copy.import_(stream_of(original))
        assert mentions(copy) == mentions(original) == {("notes", "Ada Byron", "names")}


def test_reindexing_finds_all_mentions_again(memory, url, execute):
    memory.save("A mathematician.", title="Ada Lovelace")
    memory.save("We met Ada Lovelace.", title="notes", entities=["Babbage"])
    memory.save("Babbage was there.", title="more")
    before = mentions(memory)
    assert len(before) == 3
    execute(url, "delete from names")
    execute(url, "delete from edges where judge = 'names'")
    memory.reindex()
    assert mentions(memory) == before
    memory.reindex()
    assert mentions(memory) == before


def test_reindexing_forgets_what_is_ambiguous_by_now(memory):
    memory.save("See the Weekly Report of today.", title="one")
    for number in range(8):
        memory.save(f"The {number}th of them.", title="Weekly Report")
    memory.reindex()
    assert mentions(memory) == set()


def test_a_relation_that_the_caller_makes_is_no_guess(memory):
    """A caller's own link with the tag `mentions` stays when the text changes."""
    person = memory.save("A mathematician.", title="Ada Lovelace").node
    notes = memory.save("We met someone.", title="notes").node
    memory.relate(notes.id, person.id, tag="mentions", weight=0.4)
    memory.save("We met someone else.", memo_id=notes.id)
    assert mentions(memory) == {("notes", "Ada Lovelace", None)}
