"""Fusion: both arms scaled to [0, 1] over the candidates, then S = α·S_vec + (1 − α)·S_text.

S_text = BM25 / the best BM25; a candidate that the text arm did not find has 0.
S_vec  = the cosine similarity, min–max scaled; a candidate without a vector has 0.
Before vectors are compared, a share of the direction that all candidates have in common is taken out of
them and of the question (embedders give every text much in common), and the question is moved towards
the three best candidates of a first ranking (Rocchio's pseudo relevance feedback; Manning et al.,
Introduction to Information Retrieval, §9.1.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from recollect.embedding.port import Matrix, Trust
from recollect.storage.candidates import Candidate
from recollect.text.tokens import is_unspaced

_FEEDBACK_TEXTS: Final = 3


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its scores: all in [0, 1] but the cosine similarity and BM25, which are as measured."""

    candidate: Candidate
    similarity: float | None
    s_text: float
    s_vec: float
    score: float


def alpha_for(question: str, trust: Trust) -> float:
    """The weight of the vectors, by the script of the question."""
    return trust.alpha_unspaced if is_unspaced(question) else trust.alpha


def fuse(candidates: Sequence[Candidate], vector: Matrix | None, *, alpha: float, trust: Trust) -> list[Scored]:
    """The candidates with their scores, best first; unrelated ones (no word, no similarity) left out."""
    if not candidates:
        return []
    texts = np.array([candidate.text_score or 0.0 for candidate in candidates])
    s_text = texts / texts.max() if texts.max() > 0 else texts
    has_vector = np.array([candidate.vector is not None for candidate in candidates])
    s_vec, similarity = np.zeros(len(candidates)), np.zeros(len(candidates))
    if vector is not None and has_vector.any():
        rows = np.stack([candidate.vector for candidate in candidates if candidate.vector is not None])
        similarity[has_vector] = rows @ vector
        s_vec[has_vector] = _compared(rows, vector, s_text[has_vector], alpha=alpha, trust=trust)
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
    return sorted(scored, key=lambda each: (-each.score, -each.s_text, each.candidate.id))


def _compared(rows: Matrix, vector: Matrix, s_text: Matrix, *, alpha: float, trust: Trust) -> Matrix:
    common = trust.centring * rows.mean(axis=0)
    centred = _unit(rows - common)
    question = _unit(vector - common)
    scaled = _min_max(centred @ question)
    if trust.feedback:
        best = np.argsort(-(alpha * scaled + (1 - alpha) * s_text), kind="stable")[:_FEEDBACK_TEXTS]
        scaled = _min_max(centred @ _unit(question + trust.feedback * centred[best].mean(axis=0)))
    return scaled


def _min_max(values: Matrix) -> Matrix:
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.ones_like(values)


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Matrix = vectors / np.maximum(lengths, 1e-9)
    return unit
