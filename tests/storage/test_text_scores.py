"""Conformance: the scores of words are those of the formulas, on both databases, in the index and outside of it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from wherefrom import Memory
from wherefrom.storage import nodes, term_weights
from wherefrom.storage.port import SEARCHED, SearchRequest, Times
from wherefrom.storage.text_index import TextSearch
from wherefrom.storage.text_statistics import Sample, Statistics

NOW = "2030-01-01T00:00:00.000000Z"
SHORT, LONG = "harbour lights", "harbour harbour " + "of a town by the sea " * 40
OTHERS = ("a ferry", "two ferries leave", "東京都の港", "an old tower")
TEXTS = (SHORT, LONG, *OTHERS)
# The numbers of terms: 2, 242, 2, 3, 8 (four pairs, four Han characters), 3.
LENGTHS = (2, 242, 2, 3, 8, 3)
AVERAGE = sum(LENGTHS) / len(LENGTHS)


@pytest.fixture
def memory(url):
    """A memory that searches by words alone."""
    with Memory.open(url, embedder="none") as opened:
        for text in TEXTS:
            opened.save(text)
        yield opened


def scores(memory, query, *, search=None, **given):
    """The scores of the texts that are found, by text."""
    request = SearchRequest(query, times=Times(NOW), **given)
    access = memory.view.access.reading(None)

    def work(tx):
        found = (search or TextSearch()).send_best(tx, access, request, limit=10)().scored
        return {row.content: dict(found)[row.id] for row in nodes.read_by_ids(tx, access, list(dict(found))).values()}

    return memory.view.store.database.read(work)


def by_hand(texts, frequency, length):
    """The surprise of a term in a text."""
    share = (texts + 0.5) / 21  # of few texts, as if they were twenty
    likely = 1 - (1 - share) ** ((length / AVERAGE) ** 0.6)
    return -math.log(likely) * frequency * 2.2 / (frequency + 1.2)


def test_the_score_is_the_sum_of_surprises(memory):
    found = scores(memory, "lights of the harbour", text_score="surprise")
    assert found[SHORT] == pytest.approx(by_hand(2, 1, 2) + by_hand(1, 1, 2), rel=1e-9)
    assert found[LONG] == pytest.approx(by_hand(2, 2, 242), rel=1e-9)


def test_what_is_near_to_a_text_is_scored_by_its_share_of_the_terms(memory):
    access, asked = memory.view.access.reading(None), SearchRequest("harbour lights by a tower", times=Times(NOW))

    def work(tx):
        found, weights = TextSearch().send_best_of_rarest(tx, access, asked, limit=10)
        scored = dict(found().scored)
        return {row.content: scored[row.id] for row in nodes.read_by_ids(tx, access, list(scored)).values()}, weights

    found, weights = memory.view.store.database.read(work)
    harbour, light, tower = (weights[term] for term in ("harbour", "light", "tower"))
    assert harbour < light == tower
    assert found == {
        SHORT: pytest.approx(harbour + light),
        LONG: pytest.approx(harbour),
        "an old tower": pytest.approx(tower),
    }


def test_a_hit_in_a_script_without_spaces_surprises_too(memory):
    found = scores(memory, "東京", text_score="surprise")
    assert found == {"東京都の港": pytest.approx(by_hand(1, 1, 8), rel=1e-9)}


def test_bm25_is_as_it_was(memory):
    found = scores(memory, "lights of the harbour")
    weights = {texts: math.log((len(TEXTS) - texts + 0.5) / (texts + 0.5)) for texts in (1, 2)}
    assert found[SHORT] == pytest.approx(sum(term_weights.bm25(w, 1, 2 / AVERAGE) for w in weights.values()), rel=1e-6)
    assert found[LONG] == pytest.approx(term_weights.bm25(weights[2], 2, 242 / AVERAGE), rel=1e-6)


@pytest.mark.parametrize("score", ["surprise", "bm25"])
def test_a_text_outside_of_the_index_has_the_score_that_it_would_have_in_it(memory, score):
    request = SearchRequest("lights of the harbour 東京", times=Times(NOW), text_score=score)
    access = memory.view.access.reading(None)

    def work(tx):
        search = TextSearch()
        inside = dict(search.send_best(tx, access, request, limit=10)().scored)
        known = nodes.read_by_ids(tx, access, list(inside)).values()
        return inside, dict(search.scores(tx, access, request, known))

    inside, outside = memory.view.store.database.read(work)
    assert len(inside) == 3
    assert outside == pytest.approx(inside, rel=1e-6)


def test_deleted_and_changed_texts_leave_nothing_in_the_scores(memory):
    before = scores(memory, "lights of the harbour", text_score="surprise")
    saved = memory.save("harbour and lights and a pier")
    memory.save("a pier", memo_id=saved.node.id)
    memory.delete(saved.node.id)
    assert scores(memory, "lights of the harbour", text_score="surprise") == pytest.approx(before, rel=1e-9)
    assert scores(memory, "pier", text_score="surprise") == {}


def test_lengths_of_several_bytes_are_read(memory):
    lengths = (127, 128, 8_191, 8_200, 16_383, 16_384, 30_000)
    for length in lengths:
        memory.save("zebra " + "x " * (length - 1), metadata={"length": length})
    average = (sum(LENGTHS) + sum(lengths)) / (len(TEXTS) + len(lengths))
    found = scores(memory, "zebra", text_score="surprise")
    share = (len(lengths) + 0.5) / 21
    for text, score in found.items():
        assert score == pytest.approx(term_weights.surprise(share, 1, len(text.split()) / average), rel=1e-9)
    assert len(found) == len(lengths)


def test_in_a_text_of_average_length_surprise_is_the_inverse_document_frequency():
    assert term_weights.surprise(0.01, 1, 1.0) == pytest.approx(math.log(100))
    assert term_weights.surprise(0.01, 0, 1.0) == 0.0
    # 1 − 0.99^(32^0.6) = 1 − 0.99^8 = 0.0773.
    assert term_weights.surprise(0.01, 1, 32.0) == pytest.approx(2.5606, abs=1e-4)
    assert term_weights.surprise(0.01, 3, 1.0) == pytest.approx(math.log(100) * 3 * 2.2 / 4.2)


def test_weights_fall_with_the_share_of_texts_and_a_term_in_none_has_the_greatest(memory):
    access, search = memory.view.access.reading(None), TextSearch()
    text = "a harbour with lights and a volcano 東京"

    counts = memory.view.store.database.read(lambda tx: search.term_counts(tx, access, text))
    weights = memory.view.store.database.read(lambda tx: search.term_weights(tx, access, counts, SEARCHED))
    assert set(weights) == {"harbour", "light", "volcano", "東京"}
    assert weights["harbour"] < weights["light"] == weights["東京"] < weights["volcano"]
    # A store of few texts is taken for one of a thousand.
    assert weights["volcano"] == pytest.approx(math.log(1_001 / 0.5))
    assert weights["harbour"] == pytest.approx(math.log(1_001 / 2.5))


def test_a_term_in_all_texts_of_a_part_tells_nothing_there():
    everywhere = Statistics(10_000, 20.0, sampled=256, sample=Sample({"anna": 256}))
    shares = term_weights.shares({"anna": 300, "boat": 300}, everywhere)
    assert shares["anna"] > 0.9 and shares["boat"] < 0.01
    elsewhere = replace(everywhere, sampled=0)
    assert term_weights.shares({"anna": 300}, elsewhere) == {"anna": pytest.approx(300.5 / 10_001)}


@pytest.mark.parametrize("score", ["surprise", "bm25"])
def test_of_texts_with_equal_scores_the_newest_are_found(memory, score):
    """PostgreSQL took any of them, where its limit cut them off."""
    ids = [memory.save(f"ledger entry{letter}").node.id for letter in "qwertyuiopasdfghjklz"]
    request = SearchRequest("ledger", times=Times(NOW), text_score=score)
    access = memory.view.access.reading(None)
    found = memory.view.store.database.read(lambda tx: TextSearch().send_best(tx, access, request, limit=3)().scored)
    assert [node_id for node_id, _ in found] == ids[:-4:-1]
