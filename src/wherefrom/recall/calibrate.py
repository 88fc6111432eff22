"""Calibration: maps from raw scores to [0, 1], fitted on judged questions.

isotonic: the rising step function nearest to relevance (pool adjacent violators; Zadrozny & Elkan, KDD 2002).
platt: 1 / (1 + exp(−(a·x + b))), fitted by Newton's method (Platt, 1999).
quantile: the share of raw scores at or below x; it needs no judgements.
The first two estimate how likely a candidate is relevant; as scores they are divided by their highest value.
"""

from __future__ import annotations

from typing import Final

from wherefrom.graph.local import Numbers
from wherefrom.lazy import np
from wherefrom.model.errors import InvalidInput
from wherefrom.model.policies import CalibrationMethod as Method
from wherefrom.model.policies import CalibrationReport

Points = tuple[tuple[float, float], ...]

_MAX_POINTS: Final = 101
_BINS: Final = 10
_MIN_JUDGED_CANDIDATES: Final = 20


def fit(raw: Numbers, relevant: Numbers, method: Method) -> Points:
    """Return the points of a map: at least two, rising in x, not falling in y."""
    order = np.argsort(raw, kind="stable")
    x, y = raw[order], relevant[order]
    if method == "quantile":
        values = np.searchsorted(x, x, side="right") / len(x)
    elif method == "platt":
        values = _platt(x, y)
    else:
        values = _isotonic(x, y)
    return _thinned(x, np.clip(values, 0.0, 1.0))


def scaled(points: Points) -> Points:
    """Return a map stretched so that its highest value is 1."""
    high = points[-1][1]
    return tuple((x, y / high) for x, y in points) if high > 0 else points


def reliability(scores: Numbers, relevant: Numbers) -> tuple[tuple[float, float, int], ...]:
    """Return mean score, share of relevant candidates and count of each bin, from the lowest scores on."""
    order = np.argsort(scores, kind="stable")
    parts = [part for part in np.array_split(order, _BINS) if len(part)]
    return tuple((float(scores[part].mean()), float(relevant[part].mean()), len(part)) for part in parts)


def calibration_error(curve: tuple[tuple[float, float, int], ...]) -> float:
    """Return the mean distance between score and share over all candidates (expected calibration error)."""
    total = sum(count for _, _, count in curve)
    return sum(abs(score - share) * count for score, share, count in curve) / max(total, 1)


def _isotonic(x: Numbers, y: Numbers) -> Numbers:
    """Fit a rising step function: pool adjacent violators; equal scores are one block from the start."""
    starts = np.flatnonzero(np.r_[True, np.diff(x) > 0])
    sums = np.add.reduceat(y, starts)
    sizes = np.diff(np.r_[starts, len(x)]).astype(np.float64)
    blocks: list[tuple[float, float, int]] = []
    for total, size in zip(sums, sizes, strict=True):
        block = (float(total), float(size), 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    levels = np.repeat([total / size for total, size, _ in blocks], [count for _, _, count in blocks])
    return np.repeat(levels, sizes.astype(int))


def _platt(x: Numbers, y: Numbers) -> Numbers:
    """Fit a logistic regression on one variable; Platt's targets keep it finite when the classes are apart."""
    positive = y.sum()
    targets = np.where(y > 0, (positive + 1) / (positive + 2), 1 / (len(y) - positive + 2))
    centre, width = x.mean(), max(float(x.std()), 1e-9)
    z = (x - centre) / width
    a, b = 1.0, 0.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(a * z + b, -40, 40)))
        weight = np.maximum(p * (1 - p), 1e-9)
        gradient = np.array([((p - targets) * z).sum(), (p - targets).sum()])
        curvature = np.array([[(weight * z * z).sum(), (weight * z).sum()], [(weight * z).sum(), weight.sum()]])
        step = np.linalg.solve(curvature + 1e-9 * np.eye(2), gradient)
        a, b = a - step[0], b - step[1]
        if np.abs(step).max() < 1e-9:
            break
    # A map that falls would put the worst first; a flat one takes its place.
    fitted: Numbers = 1 / (1 + np.exp(-np.clip(max(a, 0.0) * z + b, -40, 40)))
    return fitted


def _thinned(x: Numbers, y: Numbers) -> Points:
    """Return at most `_MAX_POINTS` points of a curve: its ends, and points spread evenly between them."""
    last_of_each = np.r_[np.flatnonzero(np.diff(x) > 0), len(x) - 1]
    x, y = x[last_of_each], y[last_of_each]
    if len(x) > _MAX_POINTS:
        places = np.unique(np.linspace(0, len(x) - 1, _MAX_POINTS).round().astype(int))
        x, y = x[places], y[places]
    if len(x) == 1:
        x, y = np.r_[x, x + 1.0], np.r_[y, y]
    rising = np.maximum.accumulate(y)
    rounded = [(float(f"{a:.9g}"), round(float(b), 6)) for a, b in zip(x, rising, strict=True)]
    return tuple(dict(rounded).items())


def fitted(
    rows: list[tuple[float | None, float | None, bool]], method: Method, *, version: str
) -> tuple[CalibrationReport, dict[str, list[list[float]]]]:
    """Return how well both maps fit judged candidates (BM25, similarity, relevant), and the maps for a policy."""
    maps: dict[str, list[list[float]]] = {}
    curves: dict[str, tuple[tuple[float, float, int], ...]] = {}
    for name, at in (("text", 0), ("vectors", 1)):
        known = [(row[at], row[2]) for row in rows if row[at] is not None]
        raw = np.array([value for value, _ in known], dtype=np.float64)
        relevant = np.array([hit for _, hit in known], dtype=np.float64)
        if len(raw) < _MIN_JUDGED_CANDIDATES or (method != "quantile" and not 0 < relevant.sum() < len(relevant)):
            raise InvalidInput(
                f"{len(raw)} judged candidates of the {name} arm, {int(relevant.sum())} of them relevant, are too few",
                hint="give more questions, each with ids that a search finds",
            )
        points = fit(raw, relevant, method)
        plain = raw / raw.max() if name == "text" else (np.clip(raw, -1, 1) + 1) / 2
        curves[f"{name}, before"] = reliability(plain, relevant)
        curves[f"{name}, after"] = reliability(np.interp(raw, [x for x, _ in points], [y for _, y in points]), relevant)
        maps[name] = [list(point) for point in scaled(points)]
    before, after = (
        {name: round(calibration_error(curves[f"{name}, {when}"]), 4) for name in maps} for when in ("before", "after")
    )
    hits = sum(1 for row in rows if row[2])
    return CalibrationReport(version, method, len(rows), hits, before, after, curves), maps
