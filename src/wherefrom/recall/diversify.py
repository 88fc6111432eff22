"""Diversity: each text once, few nodes of one entity, and then Maximal Marginal Relevance.

MMR (Carbonell & Goldstein, SIGIR 1998) takes again and again the node with the highest
λ·score − (1 − λ)·(its greatest cosine similarity to a node already taken), the scores scaled to [0, 1] over the
candidates. With λ = 1 that is plain order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from wherefrom.embedding.port import Matrix


def first_of_each(keys: Sequence[str]) -> list[int]:
    """The places of the first of each key, in order: with content hashes, each text once."""
    seen: dict[str, int] = {}
    for at, key in enumerate(keys):
        seen.setdefault(key, at)
    return list(seen.values())


def few_of_each(
    ids: Sequence[str], entities: Mapping[str, Collection[str]], *, most: int, asked: Collection[str] = ()
) -> list[int]:
    """The places of those that leave at most so many of each entity, in order; an entity that the question itself
    names may come as often as it likes.
    """
    taken: Counter[str] = Counter()
    kept = []
    for at, node_id in enumerate(ids):
        about = [entity for entity in entities.get(node_id, ()) if entity not in asked]
        if any(taken[entity] >= most for entity in about):
            continue
        taken.update(about)
        kept.append(at)
    return kept


def mmr(scores: Sequence[float], vectors: Sequence[Matrix | None], *, balance: float, count: int) -> list[int]:
    """The places of the `count` nodes that MMR takes, in the order in which it takes them."""
    relevance = np.array(scores, dtype=np.float64)
    if len(scores) > 1 and relevance.max() > relevance.min():
        relevance = (relevance - relevance.min()) / (relevance.max() - relevance.min())
    if balance >= 1.0 or len(scores) <= 1:
        plain: list[int] = np.argsort(-relevance, kind="stable")[:count].tolist()
        return plain
    places = [at for at, vector in enumerate(vectors) if vector is not None]
    rows = np.stack([vector for vector in vectors if vector is not None]) if places else np.zeros((0, 1))
    nearest = np.zeros(len(scores))
    left = np.ones(len(scores), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < min(count, len(scores)):
        worth = np.where(left, balance * relevance - (1.0 - balance) * nearest, -np.inf)
        at = int(np.argmax(worth))
        chosen.append(at)
        left[at] = False
        vector = vectors[at]
        if vector is not None:
            nearest[places] = np.maximum(nearest[places], rows @ vector)
    return chosen
