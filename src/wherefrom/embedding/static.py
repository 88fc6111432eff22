"""The packaged embedder: static token vectors of the `wordllama` wheel. No download, no key, some 30 µs a text.

A text's vector is the mean of its tokens' vectors, each token weighted by 1 + ln(how often it occurs):
with plain counts the words that every text has drown the others (JSQuAD nDCG@10 of the vectors alone
0.68 → 0.71, LoCoMo recall 0.48 → 0.49). The two files are read directly, without the package's code.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from wherefrom.embedding.port import Embedder, Matrix, RelevanceWeights, Trust, Weight
from wherefrom.embedding.vocabulary import folder, tokenizer
from wherefrom.lazy import np, safetensors
from wherefrom.model.errors import EmbedderUnavailable
from wherefrom.model.once import once

MODEL_ID: Final = "wordllama-256-log"
# The weight of tokens that belong to no weighed word: stop words and signs. From 0 to 1 it makes little difference.
_OTHER_WEIGHT: Final = 0.5
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"


class StaticEmbedder(Embedder):
    """The packaged embedder; it loads its two files at the first text."""

    model_id = MODEL_ID
    instant = True
    portable = True
    # The floor: 95 of 100 pairs of a scientific claim and a line of small talk are less similar. `similar` was chosen
    # with `python -m bench.similarity`: the highest that loses at most 0.005 of recall@10 in stores of any size. The
    # other values were calibrated with `python -m bench.calibrate`, also on SciFact's training questions, Cranfield and
    # JSQuAD's test half; the weights of relevance on one half of the questions of LoCoMo, LongMemEval, MuSiQue,
    # HotpotQA and SciFact against questions of the others, and of JSQuAD against those of its other half.
    trust = Trust(
        alpha=0.5,
        alpha_weighted=0.45,
        alpha_unspaced=0.3,
        centring=0.7,
        feedback=0.3,
        floor=0.12,
        similar=0.2,
        slips=True,
        relevance=RelevanceWeights(-4.07, 4.76, 5.36, 3.45),
        relevance_unspaced=RelevanceWeights(-4.57, 8.29, 1.53),
    )

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy reads the two files for itself."""
        return StaticEmbedder, ()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row for each text."""
        tokenizer, weights = self._files
        encoded = tokenizer.encode_batch_fast([text or " " for text in texts], add_special_tokens=False)
        rows = np.empty((len(texts), weights.shape[1]), dtype=np.float32)
        for row, encoding in zip(rows, encoded, strict=True):
            counts = Counter(encoding.ids)
            if not counts:
                raise EmbedderUnavailable(f"{self.model_id} found no tokens in a text")
            tokens = np.fromiter(counts, dtype=np.int64, count=len(counts))
            times = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
            # One small product for each text is twice as fast as sums over the rows of all.
            np.dot(1 + np.log(times), weights[tokens], out=row)
        return rows

    def embed_question(self, text: str, weights: Sequence[Weight]) -> Matrix:
        """Return one row for a question, in which each token counts by the weights of its characters."""
        tokenizer, vectors = self._files
        encoding = tokenizer.encode(text or " ", add_special_tokens=False)
        if not encoding.ids:
            raise EmbedderUnavailable(f"{self.model_id} found no tokens in a text")
        by_token: dict[int, list[float]] = {}
        for token, weight in zip(encoding.ids, _token_weights(encoding.offsets, weights, len(text)), strict=True):
            by_token.setdefault(token, []).append(weight)
        counts = [(1 + math.log(len(found))) * sum(found) / len(found) for found in by_token.values()]
        rows: Matrix = np.array([counts], dtype=np.float32) @ vectors[list(by_token)]
        return rows

    @once
    def _files(self) -> tuple[Any, Matrix]:
        return _load()


def _token_weights(places: Sequence[tuple[int, int]], weights: Sequence[Weight], length: int) -> list[float]:
    """Return the weight of each token: the mean of those of its characters that have one. A character in two weighed
    words (pairs of an unspaced script) has the mean of both.
    """
    totals, counts = np.zeros(length + 1), np.zeros(length + 1)
    for start, end, weight in weights:
        totals[start:end] += weight
        counts[start:end] += 1
    sums = np.concatenate(([0.0], np.cumsum(totals / np.maximum(counts, 1))))
    weighed = np.concatenate(([0], np.cumsum(counts > 0)))
    starts, ends = np.array(places).T
    characters = weighed[ends] - weighed[starts]
    means = (sums[ends] - sums[starts]) / np.maximum(characters, 1)
    found: list[float] = np.where(characters > 0, means, _OTHER_WEIGHT).tolist()
    return found


def _load() -> tuple[Any, Matrix]:
    (weights,) = safetensors.load_file(folder() / _WEIGHTS).values()
    return tokenizer(), weights.astype(np.float32)
