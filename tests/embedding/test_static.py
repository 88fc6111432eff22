"""The packaged embedder: directions that make sense, in several languages."""

from __future__ import annotations

import numpy as np
import pytest

from wherefrom.embedding.port import Weight, question_vector, vectors_of
from wherefrom.embedding.static import StaticEmbedder

EMBEDDER = StaticEmbedder()


def similarity(first, second):
    rows = vectors_of(EMBEDDER, [first, second])
    return float(rows[0] @ rows[1])


def test_rows_have_length_one_and_do_not_depend_on_their_batch():
    texts = ["a cat", "東京都の天気", "x" * 50_000, "!?", "🙂", "a cat"]
    together = vectors_of(EMBEDDER, texts)
    assert together.shape == (6, 256)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.allclose(together, np.concatenate([vectors_of(EMBEDDER, [text]) for text in texts]), atol=1e-6)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("The kitten is asleep", "a sleeping cat", "interest rates of the central bank"),
        ("猫が寝ている", "眠っている猫", "中央銀行の金利"),
        ("我喜欢喝咖啡", "我想喝一杯咖啡", "银行的利率"),
    ],
)
def test_what_is_near_in_meaning_is_more_similar(text, near, far):
    assert similarity(text, near) > similarity(text, far) + 0.1


def test_a_word_repeated_counts_less_each_time():
    once, often = "the cat", "the the the the the the the the cat"
    assert similarity(often, "cat") > 0.5 * similarity(once, "cat")


def test_a_question_of_equal_weights_is_the_plain_vector():
    for text in ("When did the kitten sleep?", "子猫はいつ寝ましたか", "a a b 🙂"):
        whole = question_vector(EMBEDDER, text, [Weight(0, len(text), 1.7)])
        assert np.allclose(whole, vectors_of(EMBEDDER, [text])[0], atol=1e-6)
        assert np.allclose(question_vector(EMBEDDER, text, []), whole, atol=1e-6)


@pytest.mark.parametrize(("text", "word"), [("the kitten and the bank", "kitten"), ("銀行と猫について", "猫")])
def test_a_question_leans_towards_its_weighty_words(text, word):
    at = text.index(word)
    weights = [Weight(0, len(text), 1.0), Weight(at, at + len(word), 9.0)]
    alone = vectors_of(EMBEDDER, [word])[0]
    plain, weighed = vectors_of(EMBEDDER, [text])[0], question_vector(EMBEDDER, text, weights)
    assert float(weighed @ alone) > float(plain @ alone) + 0.05
