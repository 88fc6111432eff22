"""Selection: how many hits a search keeps, and which nodes a context takes.

A search is cut off by Kneedle (Satopää et al., ICDCS 2011), written out, because `kneed` imports SciPy, which takes a
second; the tests compare with it. One thing differs: a knee at the very first score, which would keep nothing,
is passed over for the next one.

A context has each text once, and of these what Maximal Marginal Relevance takes (Carbonell & Goldstein, SIGIR 1998):
again and again the node with the highest λ·score − (1 − λ)·(its greatest cosine similarity to a node already taken),
the scores scaled to [0, 1] over the candidates. With λ = 1 that is plain order. A policy may have many nodes of one
entity stand behind the others; none is left out for that, and none comes in for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from wherefrom.embedding.port import Matrix
from wherefrom.lazy import np


@dataclass(frozen=True, slots=True)
class CutOff:
    """The limits of the cut-off: from `least` to `most` hits; a higher sensitivity asks for a sharper knee."""

    least: int
    most: int
    sensitivity: float


def kept(scores: Sequence[float], cut: CutOff) -> int:
    """Return how many of these falling scores are kept: those before the knee, within the limits of the cut-off."""
    if len(scores) <= cut.least:
        return len(scores)
    considered = scores[: cut.most]
    if max(considered) == min(considered):
        return min(cut.least, len(considered))
    return max(knee(considered, cut.sensitivity) or len(considered), min(cut.least, len(considered)))


def knee(scores: Sequence[float], sensitivity: float) -> int | None:
    """Return the place of the first knee after the first score; None if the curve has none."""
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


def few_of_each_first(
    ids: Sequence[str], entities: Mapping[str, Collection[str]], *, most: int, asked: Collection[str] = ()
) -> list[int]:
    """Return the places of all nodes: first, in order, at most `most` about one entity, then the others, in order.
    Entities in `asked`, which the question names, have no limit.
    """
    taken: Counter[str] = Counter()
    first, last = [], []
    for at, node_id in enumerate(ids):
        about = [entity for entity in entities.get(node_id, ()) if entity not in asked]
        if any(taken[entity] >= most for entity in about):
            last.append(at)
            continue
        taken.update(about)
        first.append(at)
    return [*first, *last]


def mmr(scores: Sequence[float], vectors: Sequence[Matrix | None], *, balance: float, count: int) -> list[int]:
    """Return the places of the `count` nodes that MMR takes, in the order in which it takes them."""
    relevance = np.array(scores, dtype=np.float64)
    if len(scores) > 1 and relevance.max() > relevance.min():
        relevance = (relevance - relevance.min()) / (relevance.max() - relevance.min())
    places = [at for at, vector in enumerate(vectors) if vector is not None]
    rows = np.stack([vector for vector in vectors if vector is not None]) if places else np.zeros((0, 1))
    nearest, own, told = np.zeros(len(scores)), balance * relevance, np.array(places, dtype=np.int64)
    chosen: list[int] = []
    while len(chosen) < min(count, len(scores)):
        at = int((own - (1.0 - balance) * nearest).argmax())
        chosen.append(at)
        own[at] = -np.inf
        vector = vectors[at]
        if vector is not None:
            nearest[told] = np.maximum(nearest[told], rows @ vector)
    return chosen
