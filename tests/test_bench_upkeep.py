"""The notes with labelled links and those of half a year of upkeep are well-formed, and their benchmarks count right."""

from __future__ import annotations

from collections import Counter
from datetime import date

from bench import links, links_baselines, upkeep, upkeep_world
from bench.upkeep_world import Note, World


def test_labels_of_links_name_notes_of_their_part_once():
    notes = {row["id"]: row for row in links.read("notes")}
    assert len(notes) == len(links.read("notes")) >= 200
    assert max(Counter(row["text"] for row in notes.values()).values()) == 1
    assert all(date(2026, 1, 1) <= date.fromisoformat(row["saved"]) <= date(2026, 12, 31) for row in notes.values())
    labelled = [row for name in ("links", "fair", "tempting") for row in links.read(name)]
    assert max(Counter(frozenset((row["a"], row["b"])) for row in labelled).values()) == 1
    for row in labelled:
        assert row["a"] != row["b"]
        assert {notes[row["a"]]["part"], notes[row["b"]]["part"]} == {row["part"]}
    assert {row["part"] for row in notes.values() if row["cluster"] == "guests"} == {"dev"}


def test_notes_of_upkeep_and_their_pairs_and_questions_are_of_one_part():
    worlds = [upkeep_world.world(part, None, 0, 0) for part in ("dev", "final", "later")]
    names = [{note.id for note in each.notes} for each in worlds]
    assert not names[0] & names[1]
    for lived, known in zip(worlds, names, strict=True):
        assert len(known) == len(lived.notes)
        assert max(Counter(note.text for note in lived.notes).values()) == 1
        paired = [pair[name] for pair in lived.pairs for name in ("first", "second")]
        assert set(paired) <= known
        assert len(set(paired)) == len(paired)
        assert {each for question in lived.questions for group in question.answers for each in group} <= known
        saved: set[str] = set()
        for note in lived.notes:
            assert note.related is None or note.related in saved
            saved.add(note.id)
    both = [pair for lived in worlds for pair in lived.pairs]
    assert min(Counter(pair["sort"] for pair in both).values()) >= 60


def test_the_survivor_of_copies_follows_from_what_they_have():
    for lived in (upkeep_world.world(part, None, 0, 0) for part in ("dev", "final", "later")):
        notes = {note.id: note for note in lived.notes}
        for pair in (each for each in lived.pairs if each["sort"] == "copy"):
            rivals = sorted((notes[pair["first"]], notes[pair["second"]]), key=lambda note: note.day)
            assert pair["survivor"] == max(rivals, key=_rank).id  # of equals, the older


def test_links_are_judged_at_equal_numbers_without_those_that_are_merely_fair():
    pairs = [frozenset(names) for names in ("ab", "cd", "ef", "gh")]
    labels = links.Labels({pairs[0]: "cause", pairs[3]: "cause"}, frozenset([pairs[1]]), frozenset([pairs[2]]))
    figures = links.judge({pairs[0]: 0.9, pairs[1]: 0.8, pairs[2]: 0.7, pairs[3]: 0.6}, labels, 2)
    assert (figures["precision"], figures["recall"], figures["tempting"]) == (0.5, 0.5, 1)


def test_words_that_few_notes_share_count_more():
    texts = {"a": "Owen Pascoe rang", "b": "Pascoe asked", "c": "Owen from the shop", "d": "Owen is late"}
    texts |= {str(number): f"note {number}" for number in range(40)}
    for scores in (links_baselines.adamic_adar(texts), links_baselines.bm25(texts, shares=True)):
        assert scores[frozenset("ab")] > scores[frozenset("ac")] > 0
    assert links_baselines.terms("丸久醤油 XPZ 12 is") == ["丸久", "久醤", "醤油", "xpz", "12"]


def test_a_small_half_year_is_lived_with_and_without_upkeep(monkeypatch):
    monkeypatch.setattr(upkeep, "WEEK", 60)
    some = upkeep_world.world("dev", None, 0, 0)
    (pair,) = [pair for pair in some.pairs if pair["sort"] == "copy" and pair["titles"] == "none"][:1]
    notes = tuple(note for note in some.notes if note.id in (pair["first"], pair["second"]))
    figures = upkeep.measure(
        "sqlite", World((Note("single-1", 0, "Nothing else says this."), *notes), (pair,), ()), 182
    )
    assert figures["upkeep"]["runs"] == 3
    assert figures["lost"]["singular"]["gone"] == "0.0 % (0/1)"
    assert figures["copies"]["all"]["both gone"] == 0


def _rank(note: Note) -> tuple[bool, ...]:
    return tuple(value is not None for value in (note.title, note.judged, note.related, note.source))
