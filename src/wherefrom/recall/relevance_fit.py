"""Fits the weights of relevance to questions of which it is known whether the memory has something about them.

Of each question the item with the highest relevance counts, so choosing it and fitting take turns. The weights are a
logistic regression in which both kinds of questions count the same, whatever their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wherefrom.embedding.port import RelevanceWeights
from wherefrom.graph.local import Flags, Numbers
from wherefrom.lazy import np
from wherefrom.model.policies import RelevanceReport

MIN_QUESTIONS: Final = 10
_ROUNDS: Final = 8
_NEWTON_STEPS: Final = 30
# Keeps the weights finite where words and similarity tell the questions apart without a miss.
_RIDGE: Final = 0.02
_FOLDS: Final = 2

Judged = tuple[Sequence[tuple[float, float]], bool]
"""Coverage and similarity of the items that a question found, and whether the memory has something about it."""


def refit(judged: Sequence[Judged], current: RelevanceWeights) -> tuple[RelevanceWeights, RelevanceReport] | None:
    """Return the weights that fit these questions, or the current ones if those do better on questions that the fit has
    not seen; and how well both do there. None if there are too few questions of either kind.
    """
    questions = [(_features(items or [(0.0, 0.0)]), known) for items, known in judged]
    known = np.array([answer for _, answer in questions], dtype=bool)
    if min(known.sum(), (~known).sum()) < MIN_QUESTIONS:
        return None
    found = [features for features, _ in questions]
    before = np.array([_best(features, current)[1] for features in found])
    after = np.empty(len(found))
    fold = _fold_numbers(known)
    for number in range(_FOLDS):
        seen, held_out = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        weights = _fit([found[at] for at in seen], known[seen], current)
        after[held_out] = [_best(found[at], weights)[1] for at in held_out]
    losses = [_loss(values, known) for values in (before, after)]
    areas = [_auc(values, known) for values in (before, after)]
    is_better = losses[1] < losses[0] and areas[1] >= areas[0]
    counts = len(found), int((~known).sum())
    report = RelevanceReport(*counts, areas[0], areas[1], losses[0], losses[1], is_adopted=is_better)
    return (_fit(found, known, current) if is_better else current), report


def _features(items: Sequence[tuple[float, float]]) -> Numbers:
    pairs = np.array(items, dtype=np.float64)
    return np.column_stack([np.ones(len(pairs)), pairs, pairs[:, 0] * pairs[:, 1]])


def _best(features: Numbers, weights: Numbers | Sequence[float]) -> tuple[int, float]:
    """Return the place of the item with the highest relevance, and that relevance."""
    values = features @ np.array(weights)
    at = int(np.argmax(values))
    return at, float(1.0 / (1.0 + np.exp(-np.clip(values[at], -40.0, 40.0))))


def _fold_numbers(known: Flags) -> Numbers:
    """Return a fold for each question, so that each fold has its share of both kinds."""
    fold = np.zeros(len(known))
    for kind in (known, ~known):
        places = np.flatnonzero(kind)
        fold[places] = np.arange(len(places)) % _FOLDS
    return fold


def _fit(found: Sequence[Numbers], known: Flags, start: Sequence[float]) -> RelevanceWeights:
    weights = np.array(start, dtype=np.float64)
    share = np.where(known, 0.5 / known.sum(), 0.5 / (~known).sum())
    for _ in range(_ROUNDS):
        chosen = np.array([features[_best(features, weights)[0]] for features in found])
        fitted = _logistic(chosen, known.astype(np.float64), share)
        if np.abs(fitted - weights).max() < 1e-4:
            break
        weights = fitted
    return RelevanceWeights(*(round(float(value), 4) for value in weights))


def _logistic(features: Numbers, known: Numbers, share: Numbers) -> Numbers:
    """Return the weights of a logistic regression with a ridge, by Newton's method."""
    weights = np.zeros(features.shape[1])
    ridge = np.diag([0.0, *[_RIDGE] * (features.shape[1] - 1)])
    for _ in range(_NEWTON_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(features @ weights, -40.0, 40.0)))
        gradient = features.T @ (share * (chance - known)) + ridge @ weights / 10
        curvature = (features * (share * np.maximum(chance * (1 - chance), 1e-9))[:, None]).T @ features + ridge / 10
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _loss(values: Numbers, known: Flags) -> float:
    """Return the mean of the log losses of both kinds of questions."""
    safe = np.clip(values, 1e-6, 1 - 1e-6)
    return round(float(-(np.log(safe[known]).mean() + np.log(1 - safe[~known]).mean()) / 2), 4)


def _auc(values: Numbers, known: Flags) -> float:
    """Return how often a known question has a higher value than a foreign one; a tie counts half."""
    less = (values[known][:, None] > values[~known]).mean() + 0.5 * (values[known][:, None] == values[~known]).mean()
    return round(float(less), 4)
