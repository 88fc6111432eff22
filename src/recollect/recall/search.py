"""Search without an active context: candidates → S → (graph arm) → (g) → cut-off, each step in the explanation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from recollect.model.access import Access
from recollect.model.results import Found, Hit
from recollect.recall.cut_off import CutOff
from recollect.recall.explain import scores_of
from recollect.recall.knee import kept
from recollect.recall.pipeline import Searching, Wanted, ordered, ranked
from recollect.storage import nodes
from recollect.storage.candidates import find
from recollect.storage.port import Transaction

# How many candidates each arm gives: with more, SciFact and LoCoMo gain less than 0.002.
CANDIDATES: Final = 64


@dataclass(frozen=True, slots=True)
class Ask:
    """How to search: a fixed number of hits, or as many as the scores suggest; by S, or by S·g."""

    wanted: Wanted
    limit: int | None = None
    cut: CutOff | None = None
    final: bool = False


def search(tx: Transaction, access: Access, ask: Ask, searching: Searching) -> Found:
    """The best memos, with what led to their order."""
    reach = (CANDIDATES, CANDIDATES)
    found = find(tx, access, ask.wanted.question, text=searching.text, vectors=searching.vectors, reach=reach)
    order = ordered(tx, access, ask.wanted, found)
    # With the graph arm the scores are handed out anew in its order: they fall from hit to hit.
    values = sorted((each.score for each in order.scored), reverse=True)
    hits = [(each, value, None) for each, value in zip(order.scored, values, strict=True)]
    if ask.final:
        by_final = ranked(tx, access, ask.wanted, searching, order, Counter())
        hits = [(each.each, each.score, each.factors.factors(each.at)) for each in by_final]  # type: ignore[misc]
    keep = ask.limit
    if keep is None:
        keep = len(hits) if ask.cut is None else kept([score for _, score, _ in hits], ask.cut)
    chosen = hits[:keep]
    by_id = nodes.by_ids(tx, access, [each.candidate.id for each, _, _ in chosen])
    if ask.wanted.holds is not None:
        by_id = {node_id: by_id[node_id] for node_id in ask.wanted.holds(tx, list(by_id))}
    return Found(
        hits=tuple(
            Hit(by_id[each.candidate.id], score, scores_of(each), factors)
            for each, score, factors in chosen
            if each.candidate.id in by_id
        ),
        arms=order.arms,
        alpha=order.alpha,
        candidates=len(hits),
        vectors_searched=order.vectors_searched,
    )
