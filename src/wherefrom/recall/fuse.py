"""Fusion: both arms scaled to [0, 1], then S = α·S_vec + (1 − α)·S_text.

S_text = BM25 / the best BM25; a candidate that the text arm did not find has 0.
S_vec  = the cosine similarity, min–max scaled; a candidate without a vector has 0.
Other scales, and maps fitted from judged questions (relative to the best candidate of each arm, because few candidates
are relevant at all), can take their place (policy/retrieval.py). For the scale
`spread`, before vectors are compared, a share of the direction that all candidates have in common is taken out of
them and of the question (embedders give every text much in common), and the question is moved towards the three
best candidates of a first ranking (Rocchio's pseudo relevance feedback; Manning et al., Introduction to
Information Retrieval, §9.1.1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from wherefrom.embedding.port import Matrix, Trust
from wherefrom.policy.retrieval import Calibration, Hybrid
from wherefrom.storage.candidates import Candidate
from wherefrom.text.tokens import count_words, is_unspaced

Scale = Callable[[Matrix], Matrix]
"""From vectors to their part of the score."""

_FEEDBACK_TEXTS: Final = 3
_DEFAULT: Final = Hybrid()
# What is meant letter by letter: code, quotes, addresses, paths.
_LITERAL: Final = re.compile(r"""https?://|www\.|[`"“”「」『』{}<>;]|\w\(\)|\w::\w|\w->\w|[a-z]_[a-z]|(?:^|\s)/\w+/""")


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its scores: all in [0, 1] but the cosine similarity and BM25, which are as measured."""

    candidate: Candidate
    similarity: float | None
    s_text: float
    s_vec: float
    score: float


def alpha_for(question: str, trust: Trust, hybrid: Hybrid = _DEFAULT) -> float:
    """The weight of the vectors: by the script of the question, or as set, shifted by what the question looks like."""
    alpha = hybrid.alpha
    if alpha is None:
        alpha = trust.alpha_unspaced if is_unspaced(question) else trust.alpha
    words = count_words(question)
    shift = 0.0
    if words <= hybrid.lexical_tokens or _LITERAL.search(question):
        shift = hybrid.lexical_shift
    elif words >= hybrid.natural_tokens:
        shift = hybrid.natural_shift
    return min(max(alpha + shift, min(alpha, hybrid.alpha_low)), max(alpha, hybrid.alpha_high))


@dataclass(frozen=True, slots=True)
class Fusion:
    """The candidates with their scores, best first, and the scale of their similarities, for others to be scored by."""

    scored: tuple[Scored, ...]
    alpha: float
    vector: Matrix | None
    scale: Scale

    def others(self, candidates: Sequence[Candidate]) -> list[Scored]:
        """Nodes that no arm found, by their vectors on the candidates' scale."""
        with_vector = [each for each in candidates if each.vector is not None]
        if self.vector is None or not with_vector:
            return [Scored(each, None, 0.0, 0.0, 0.0) for each in candidates]
        rows = np.stack([each.vector for each in with_vector if each.vector is not None])
        scaled = dict(zip((each.id for each in with_vector), self.scale(rows).tolist(), strict=True))
        similarity = dict(zip((each.id for each in with_vector), (rows @ self.vector).tolist(), strict=True))
        return [
            Scored(each, similarity.get(each.id), 0.0, scaled.get(each.id, 0.0), self.alpha * scaled.get(each.id, 0.0))
            for each in candidates
        ]


def fuse(
    candidates: Sequence[Candidate],
    vector: Matrix | None,
    *,
    alpha: float,
    trust: Trust,
    hybrid: Hybrid = _DEFAULT,
    calibration: Calibration | None = None,
) -> Fusion:
    """The candidates with their scores; unrelated ones (no word, no similarity) left out."""
    texts = np.array([candidate.text_score or 0.0 for candidate in candidates])
    s_text = _text_scale(candidates, texts, hybrid, calibration)
    has_vector = np.array([candidate.vector is not None for candidate in candidates], dtype=bool)
    s_vec, similarity = np.zeros(len(candidates)), np.zeros(len(candidates))
    scale: Scale = _no_scale
    if vector is not None and has_vector.any():
        rows = np.stack([candidate.vector for candidate in candidates if candidate.vector is not None])
        similarity[has_vector] = rows @ vector
        if calibration is not None:
            top = max(float(mapped(rows @ vector, calibration.vectors).max()), 1e-9)
            scale = partial(_by_map, vector=vector, points=calibration.vectors, top=top)
        elif hybrid.vector_scale == "cosine":
            scale = partial(_by_cosine, vector=vector)
        else:
            scale = _compared(rows, vector, s_text[has_vector], alpha=alpha, trust=trust)
        s_vec[has_vector] = scale(rows)
    score = alpha * s_vec + (1 - alpha) * s_text
    related = (texts > 0) | (similarity > trust.floor)
    scored = [
        Scored(
            candidate,
            float(similarity[at]) if has_vector[at] and vector is not None else None,
            float(s_text[at]),
            float(s_vec[at]),
            float(score[at]),
        )
        for at, candidate in enumerate(candidates)
        if related[at]
    ]
    scored.sort(key=lambda each: (-each.score, -each.s_text, each.candidate.id))
    return Fusion(tuple(scored), alpha, vector, scale)


def mapped(values: Matrix, points: Sequence[tuple[float, float]]) -> Matrix:
    """Raw scores by a calibration's map."""
    return np.interp(values, [x for x, _ in points], [y for _, y in points]).astype(np.float32)


def _text_scale(
    candidates: Sequence[Candidate], texts: Matrix, hybrid: Hybrid, calibration: Calibration | None
) -> Matrix:
    found = texts > 0
    if not found.any():
        return np.zeros(len(candidates), dtype=np.float32)
    if calibration is not None:
        likely: Matrix = np.where(found, mapped(texts, calibration.text), np.float32(0.0))
        relative: Matrix = likely / np.float32(max(float(likely.max()), 1e-9))
        return relative
    if hybrid.text_scale == "rank":
        ranks = [1.0 / (1.0 + each.text_rank) if each.text_rank else 0.0 for each in candidates]
        return np.array(ranks, dtype=np.float32)
    low = texts[found].min() if hybrid.text_scale == "min-max" else 0.0
    scaled: Matrix = np.where(found, (texts - low) / max(texts.max() - low, 1e-9), 0.0)
    return scaled


def _compared(rows: Matrix, vector: Matrix, s_text: Matrix, *, alpha: float, trust: Trust) -> Scale:
    common = trust.centring * rows.mean(axis=0)
    centred = _unit(rows - common)
    question = _unit(vector - common)
    if trust.feedback:
        first = centred @ question
        scaled = _min_max(first, first.min(), first.max())
        best = np.argsort(-(alpha * scaled + (1 - alpha) * s_text), kind="stable")[:_FEEDBACK_TEXTS]
        question = _unit(question + trust.feedback * centred[best].mean(axis=0))
    compared = centred @ question
    low, high = compared.min(), compared.max()
    return lambda others: _min_max(_unit(others - common) @ question, low, high)


def _by_map(rows: Matrix, *, vector: Matrix, points: Sequence[tuple[float, float]], top: float) -> Matrix:
    scaled: Matrix = np.clip(mapped(rows @ vector, points) / top, 0.0, 1.0)
    return scaled


def _by_cosine(rows: Matrix, *, vector: Matrix) -> Matrix:
    scaled: Matrix = (np.clip(rows @ vector, -1.0, 1.0) + 1.0) / 2.0
    return scaled


def _no_scale(rows: Matrix) -> Matrix:
    return np.zeros(len(rows), dtype=np.float32)


def _min_max(values: Matrix, low: float, high: float) -> Matrix:
    scaled: Matrix = np.clip((values - low) / (high - low), 0.0, 1.0) if high > low else np.ones_like(values)
    return scaled


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Matrix = vectors / np.maximum(lengths, 1e-9)
    return unit
