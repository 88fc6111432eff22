"""The benchmarks of recall, on a few texts of their own."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from bench import cost, fields, foreign, long_messages, mixed, recall, recall_sets, rules, stores, table_recall
from bench.recall_sets import Clock, Passages
from bench.retrieval import Collection
from wherefrom import Memory

DAY = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def talk():
    """Two conversations of two turns, each with a question."""
    found = Passages()
    said = (
        "Ann: the kestrel nests on the tower",
        "Ben: 塔の鍵は台所にある",
        "Cleo: the boat needs paint",
        "Dan: I sold it",
    )
    for number, text in enumerate(said):
        text_id, conversation = str(number), number // 2
        found.texts[text_id] = (None, text, f"main/c{conversation}")
        found.times[text_id] = DAY + timedelta(minutes=number)
        found.speakers[text_id], found.sessions[text_id] = text.split(":")[0], f"c{conversation} session_1"
    found.follows = [("1", "0"), ("3", "2")]
    later = DAY + timedelta(days=1)
    found.questions = [
        ("Where did the kestrel of Ann nest in March?", "main/c0", {"0"}, later),
        ("What needs paint?", "main/c1", {"2"}, later),
    ]
    return found


@pytest.fixture
def collection(talk):
    texts = {text_id: (title, text, "main") for text_id, (title, text, _) in talk.texts.items()}
    return Collection(texts, [(question, "main", relevant) for question, _, relevant, _ in talk.questions])


@pytest.fixture
def as_configured():
    """What a benchmark sets in the environment is gone after the test."""
    yield
    os.environ.pop("WHEREFROM_ALPHA", None)


def test_only_fields_that_a_save_takes_are_given():
    assert fields.accepted(Memory.save, title="a", entities=None, no_such_field="b") == {"title": "a"}


def test_titles_are_found_from_border_to_border_and_the_longest_wins():
    titles = {"Kestrel", "Kestrel Tower", "Boat"}
    assert recall_sets.titles_in("The Kestrel Tower, not the Boats; a Kestrel.", titles) == ["Kestrel Tower", "Kestrel"]


@pytest.mark.parametrize(
    ("question", "is_dated"),
    [
        ("What did she buy in May?", True),
        ("What may I buy?", False),
        ("Who came two weeks ago?", True),
        ("What happened in 2023?", True),
        ("Who sings?", False),
    ],
)
def test_questions_with_a_date_are_known(question, is_dated):
    assert recall.is_dated(question) is is_dated


@pytest.mark.parametrize("fill", [recall.fill, recall.saved])
def test_halves_are_even_and_odd_conversations(talk, fill, tmp_path):
    clock = Clock()
    with Memory.open(tmp_path / "memory.db", clock=clock) as memory:
        ids = fill(memory, clock, talk)
        figures = recall.context_figures(memory, clock, talk, ids, True)
    found = recall.grouped(talk, figures, halves=True)
    assert (found["recall_any"], found["recall_10"]) == (1, 1)
    assert [found[part]["questions"] for part in ("even", "odd", "dated")] == [1, 1, 1]


def test_what_is_imported_is_as_if_saved_at_its_time(talk, tmp_path):
    with Memory.open(tmp_path / "memory.db", clock=Clock(DAY + timedelta(days=1))) as memory:
        ids = stores.import_texts(memory, talk.texts, talk.times)
        assert memory.get(ids["1"]).observed_at.startswith("2026-03-01T00:01")


def test_the_hybrid_is_compared_with_its_better_arm(collection, as_configured):
    found = mixed.compared(collection, "sqlite")
    assert found["recall_above_better_arm"] == 0
    assert found["arms"].keys() == {"hybrid", "words", "meaning"}
    assert mixed.share_of_short(collection) == 1


def test_the_area_under_the_curve_counts_equal_figures_as_half():
    assert foreign.auc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert foreign.auc([], [0.5]) is None


def test_the_threshold_loses_four_in_a_hundred():
    figures = [number / 100 for number in range(100)]
    assert foreign.share_below(figures, foreign.threshold(figures)) == 0.04


def test_foreign_questions_are_asked_at_the_same_places(talk, tmp_path):
    known = [(question, namespace, now) for question, namespace, _, now in talk.questions]
    others = [("How does troponin bind?", *known[0][1:])]
    asked = foreign.answered(str(tmp_path / "memory.db"), talk, known, {"foreign": others, "category 5": known})
    found = foreign.told_apart(asked)
    assert found["answerable"] == 2
    assert found["category 5"]["auc"] == 0.5
    assert asked["answerable"].by_speaker[0] > 0, "the item of Ann, whom the question names, is the best"
    assert set(foreign.one_threshold({"talk": asked})["talk"]) == {"answerable", "foreign", "category 5"}


def test_whole_texts_that_do_not_fit_are_passed_over():
    texts = [("short", "a" * 40), ("long", "b" * 4_000), ("short too", "c" * 40)]
    assert long_messages.within(texts, 100) == ["short", "short too"]


def test_a_part_is_shown_if_half_of_its_word_pairs_are():
    assert long_messages.is_in("the boat needs paint", "they say the boat needs care")
    assert not long_messages.is_in("the boat needs paint", "paint needs a boat")


def test_long_messages_are_measured_with_what_can_be_read(tmp_path):
    message = " ".join(f"Sentence {number} is about nothing." for number in range(60)) + " The boat needs paint."
    messages = long_messages.Messages({"a": (None, message)}, [("boat paint", {"a"}, ["The boat needs paint."])])
    found = long_messages.measure(str(tmp_path / "memory.db"), messages)
    assert (found["recall"], found["evidence_shown"], found["evidence_in_whole_texts"]) == (1, 1, 1)
    assert found["tokens"] < found["tokens_whole_texts"]


def test_planted_rules_are_told_from_the_own_ones(tmp_path):
    found = rules.measure(str(tmp_path / "memory.db"), ["Ann paints boats."], ["Who paints boats?"])
    assert len((*rules.HINTS, *rules.PINNED, *rules.PRINCIPLES)) == 20
    assert {f"planted, {source}, in rules" for source in rules.PLANTED} <= found.keys()
    assert 0 <= found["brought"] <= 1


def test_costs_are_compared_by_their_percentiles():
    turns = {"before": {verb: [0.002] for verb in cost.VERBS}, "after": {verb: [0.003] for verb in cost.VERBS}}
    figures = {name: cost.figures_of([turn]) for name, turn in turns.items()}
    assert cost.ratio(figures, "search", "p50") == 1.5


def test_the_page_puts_before_and_after_side_by_side():
    row = {"texts": 4, "questions": 2, "ndcg": 0.5, "even": {"ndcg": 0.4}, "odd": {"ndcg": 0.6}}
    found = {
        "before": {"scifact sqlite graph": row},
        "after": {"scifact sqlite graph": {**row, "ndcg": 0.7}},
        "commits": {"before scifact sqlite graph": "aaa", "after scifact sqlite graph": "bbb"},
    }
    page = "\n".join(table_recall.recalling(found))
    assert "Before is commit `aaa`; after is commit `bbb`." in page
    assert "| scifact | SQLite | 4 | 2 | nDCG@10 | 0.5 (0.4 / 0.6) | 0.7 (0.4 / 0.6) |" in page
