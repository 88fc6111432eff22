"""Where a list of scores stops being worth reading: Kneedle (Satopää et al., ICDCS 2011) for a convex, falling curve.

Written out, because the `kneed` package imports SciPy, which takes a second; the tests compare with it. One thing
differs: a knee at the very first score, which would keep nothing, is passed over for the next one. It is found when
several scores are high and then they fall: just where a cut is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wherefrom.recall.cut_off import CutOff


def kept(scores: Sequence[float], cut: CutOff) -> int:
    """How many of these falling scores to keep: those before the knee."""
    if len(scores) <= cut.least:
        return len(scores)
    considered = scores[: cut.most]
    if max(considered) == min(considered):
        return min(cut.least, len(considered))
    return max(knee(considered, cut.sensitivity) or len(considered), min(cut.least, len(considered)))


def knee(scores: Sequence[float], sensitivity: float) -> int | None:
    """The place of the first knee after the first score, or None if the curve has none."""
    count = len(scores)
    values = np.array(scores, dtype=np.float64)
    if count < 2 or values.max() == values.min():
        return None
    places = np.arange(count) / (count - 1)
    scaled = (values - values.min()) / (values.max() - values.min())
    difference = (scaled.max() - scaled) - places
    before, after = np.r_[difference[:1], difference[:-1]], np.r_[difference[1:], difference[-1:]]
    peaks = (difference >= before) & (difference >= after)
    dips = (difference <= before) & (difference <= after)
    if not peaks.any():
        return None
    step = sensitivity * float(np.diff(places).mean())
    threshold, at_peak, active = 0.0, 0, True
    for at in range(int(np.argmax(peaks)), count - 1):
        if peaks[at]:
            threshold, at_peak, active = float(difference[at]) - step, at, True
        if dips[at]:
            active = False
        if active and at_peak > 0 and difference[at + 1] < threshold:
            return at_peak
    return None
