"""Fusion: both arms scaled to [0, 1], then S = α·S_vec + (1 − α)·S_text. Where the question names a time, S becomes
(S + b·closeness) / (1 + b), with the bonus b of the settings and the closeness of recall/dating.py.

S_text = the score of the words / the best; a candidate that the text arm did not find has 0.
S_vec  = the cosine similarity, min–max scaled; a candidate without a vector has 0.
Other scales, and maps fitted from judged questions (relative to the best candidate of each arm, because few candidates
are relevant at all), can take their place (recall/settings.py). For the scale
`spread`, before vectors are compared, a share of the direction that all candidates have in common is taken out of
them and of the question (embedders give every text much in common), and the question is moved towards the three
best candidates of a first ranking (Rocchio's pseudo relevance feedback; Manning et al., Introduction to
Information Retrieval, §9.1.1). Who says a text, and its session, may raise S (recall/bonuses.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from typing import Final, NamedTuple

from wherefrom.embedding.port import Matrix, Trust
from wherefrom.graph.local import Flags, Numbers
from wherefrom.lazy import np
from wherefrom.model.results import Scores
from wherefrom.recall.bonuses import Bonus, session_bonus, with_bonuses
from wherefrom.recall.settings import Calibration, Hybrid
from wherefrom.storage.candidates import Candidate, Candidates
from wherefrom.text.tokens import count_words, is_unspaced

Scale = Callable[[Matrix], Matrix]
"""Returns the part of each vector in the score, S_vec."""

_CANDIDATES_OF_FEEDBACK: Final = 3
_DEFAULT: Final = Hybrid()
_NOTHING_FOUND: Final = Candidates((), 0)
# Questions that are meant letter by letter: code, quotes, addresses, paths.
_LITERAL: Final = re.compile(r"""https?://|www\.|[`"“”「」『』{}<>;]|\w\(\)|\w::\w|\w->\w|[a-z]_[a-z]|(?:^|\s)/\w+/""")


class Scored(NamedTuple):
    """A candidate with its relevance S in [0, 1], and what both arms said about it, as in `Scores`."""

    id: str
    score: float
    vector: Matrix | None = None
    bm25: float | None = None
    text_rank: int | None = None
    similarity: float | None = None
    vector_rank: int | None = None
    s_text: float = 0.0
    s_vec: float = 0.0
    date: float | None = None
    speaker: float | None = None
    session: float | None = None
    found_through: str | None = None

    def scores(self, coverage: float | None) -> Scores:
        """What both arms said: a value for an answer, made of the few candidates that come into one."""
        return Scores(
            *(self.bm25, self.text_rank, self.similarity, self.vector_rank, self.s_text, self.s_vec),
            found_through=self.found_through,
            date=self.date,
            speaker=self.speaker,
            session=self.session,
            coverage=coverage,
        )


@dataclass(frozen=True, slots=True)
class Fused:
    """The candidates by relevance, best first, with the scale of their similarities, by which others can be scored.

    unrelated: how many candidates were left out, because they have neither a word nor a similarity. arms: which arms
    searched. bonuses: those that apply to the question. reached: how likely the walk of the graph arm came past each
    node, and the part of that which does not come of walks that start there; empty where it led nowhere. late: the
    graph arm was left out, because time was up. found: the candidates.
    """

    scored: tuple[Scored, ...]
    alpha: float
    vector: Matrix | None
    scale: Scale
    unrelated: int = 0
    arms: tuple[str, ...] = ("text",)
    reached: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    late: bool = False
    bonuses: tuple[Bonus, ...] = ()
    found: Candidates = _NOTHING_FOUND

    def score_others(self, candidates: Sequence[Candidate]) -> list[Scored]:
        """Score nodes that no arm found, by their vectors on the candidates' scale."""
        return self.score(candidates, np.zeros(len(candidates)), _stacked(candidates, self.vector))

    def score(
        self, candidates: Sequence[Candidate], s_text: Numbers, stacked: tuple[Flags, Matrix | None]
    ) -> list[Scored]:
        """Return candidates with S and what both arms said. stacked: which of them have a vector, and those vectors."""
        has_vector, rows = stacked
        s_vec, similarity = np.zeros(len(candidates)), np.zeros(len(candidates))
        if rows is not None and self.vector is not None:
            similarity[has_vector] = rows @ self.vector
            s_vec[has_vector] = self.scale(rows)
        score = self.alpha * s_vec + (1 - self.alpha) * s_text
        shares = {bonus.name: bonus.shares(candidates) for bonus in self.bonuses}
        score = with_bonuses(score, [(bonus.weight, shares[bonus.name]) for bonus in self.bonuses])
        told = {name: [None if one != one else one for one in some.tolist()] for name, some in shares.items()}
        bonuses = (told.get(name) or repeat(None) for name in ("date", "speaker", "session"))
        similarities = [one if has else None for one, has in zip(similarity.tolist(), has_vector.tolist(), strict=True)]
        ids, text_scores, text_ranks, vectors, vector_ranks, *_ = (
            zip(*candidates, strict=True) if candidates else [()] * 5
        )
        by_arm = (text_scores, text_ranks, similarities, vector_ranks, s_text.tolist(), s_vec.tolist())
        columns = zip(ids, score.tolist(), vectors, *by_arm, *bonuses, repeat(None))
        return list(map(partial(tuple.__new__, Scored), columns))  # a call of Python for each takes three times as long


def alpha_for(question: str, trust: Trust, hybrid: Hybrid = _DEFAULT) -> float:
    """Return the weight of the vectors: as set, or by the script of the question; shifted by the question's form."""
    alpha = hybrid.alpha
    if alpha is None:
        alpha = trust.alpha_unspaced if is_unspaced(question) else trust.alpha
        if trust.alpha_weighted is not None and hybrid.question_weights == "idf" and not is_unspaced(question):
            alpha = trust.alpha_weighted
    words = count_words(question)
    shift = 0.0
    if words <= hybrid.lexical_tokens or _LITERAL.search(question):
        shift = hybrid.lexical_shift
    elif words >= hybrid.natural_tokens:
        shift = hybrid.natural_shift
    return min(max(alpha + shift, min(alpha, hybrid.alpha_low)), max(alpha, hybrid.alpha_high))


def fuse(
    candidates: Sequence[Candidate],
    vector: Matrix | None,
    *,
    alpha: float,
    trust: Trust,
    hybrid: Hybrid = _DEFAULT,
    calibration: Calibration | None = None,
    bonuses: Sequence[Bonus] = (),
) -> Fused:
    """Return the candidates with their scores; unrelated ones (no word, no similarity, and not of a time that the
    question names) are left out. bonuses: those that the question gives; that of sessions comes of the scores.
    """
    s_text = _text_scale(candidates, hybrid, calibration)
    has_vector, rows = stacked = _stacked(candidates, vector)
    scale: Scale = _zeros
    if rows is not None and vector is not None:
        if calibration is not None:
            scale = _map_scale(rows, vector, calibration.vectors)
        elif hybrid.vector_scale == "cosine":
            scale = _cosine_scale(vector)
        else:
            scale = _compared_scale(rows, vector, s_text[has_vector], alpha=alpha, trust=trust)
    fused = Fused((), alpha, vector, scale, bonuses=tuple(bonuses))
    scored = fused.score(candidates, s_text, stacked)
    related = [one for one in scored if _is_related(one, trust)]
    if by_session := session_bonus(candidates, {one.id: one.score for one in related}, hybrid.session_share):
        fused, known = replace(fused, bonuses=(*fused.bonuses, *by_session)), {one.id for one in related}
        related = [one for one in fused.score(candidates, s_text, stacked) if one.id in known]
    related.sort(key=lambda one: (-one.score, -one.s_text, one.id))
    return replace(fused, scored=tuple(related), unrelated=len(scored) - len(related))


def mapped(values: Matrix, points: Sequence[tuple[float, float]]) -> Matrix:
    """Return raw scores by a calibration's map."""
    return np.interp(values, [x for x, _ in points], [y for _, y in points]).astype(np.float32)


def _is_related(one: Scored, trust: Trust) -> bool:
    return (one.bm25 or 0.0) > 0 or (one.similarity or 0.0) > trust.floor or one.date == 1.0


def _stacked(candidates: Sequence[Candidate], vector: Matrix | None) -> tuple[Flags, Matrix | None]:
    """Return true for each candidate that has a vector to compare with the question's; and those vectors, if any."""
    vectors = [] if vector is None else [one.vector for one in candidates if one.vector is not None]
    has_vector = np.array([vector is not None and one.vector is not None for one in candidates], dtype=bool)
    # `np.stack` looks at each of them several times.
    return has_vector, np.concatenate(vectors).reshape(len(vectors), -1) if vectors else None


def _text_scale(candidates: Sequence[Candidate], hybrid: Hybrid, calibration: Calibration | None) -> Numbers:
    texts = np.array([candidate.text_score or 0.0 for candidate in candidates])
    found = texts > 0
    if not found.any():
        return np.zeros(len(candidates))
    if calibration is not None:
        likely = np.where(found, mapped(texts, calibration.text), np.float32(0.0))
        return likely / np.float32(max(float(likely.max()), 1e-9))
    if hybrid.text_scale == "rank":
        ranks = [1.0 / (1.0 + one.text_rank) if one.text_rank else 0.0 for one in candidates]
        return np.array(ranks, dtype=np.float32)
    low = texts[found].min() if hybrid.text_scale == "min-max" else 0.0
    return np.where(found, (texts - low) / max(texts.max() - low, 1e-9), 0.0)


def _map_scale(rows: Matrix, vector: Matrix, points: Sequence[tuple[float, float]]) -> Scale:
    top = max(float(mapped(rows @ vector, points).max()), 1e-9)
    return lambda others: np.clip(mapped(others @ vector, points) / top, 0.0, 1.0)


def _cosine_scale(vector: Matrix) -> Scale:
    return lambda others: (np.clip(others @ vector, -1.0, 1.0) + 1.0) / 2.0


def _compared_scale(rows: Matrix, vector: Matrix, s_text: Numbers, *, alpha: float, trust: Trust) -> Scale:
    common = trust.centring * rows.mean(axis=0)
    centred = _unit(rows - common)
    question = _unit(vector - common)
    if trust.feedback:
        first = centred @ question
        scaled = _min_max(first, first.min(), first.max())
        best = np.argsort(-(alpha * scaled + (1 - alpha) * s_text), kind="stable")[:_CANDIDATES_OF_FEEDBACK]
        question = _unit(question + trust.feedback * centred[best].mean(axis=0))
    compared = centred @ question
    low, high = compared.min(), compared.max()
    return lambda others: _min_max(compared if others is rows else _unit(others - common) @ question, low, high)


def _zeros(rows: Matrix) -> Matrix:
    return np.zeros(len(rows), dtype=np.float32)


def _min_max(values: Matrix, low: float, high: float) -> Matrix:
    return np.clip((values - low) / (high - low), 0.0, 1.0) if high > low else np.ones_like(values)


def _unit(vectors: Matrix) -> Matrix:
    # As `np.linalg.norm` computes it, which takes longer to find out what it is given.
    lengths = np.sqrt(np.add.reduce(vectors * vectors, axis=-1, keepdims=True))
    unit: Matrix = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32, copy=False)
    return unit
