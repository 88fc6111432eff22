"""Search without an active context: candidates → S → (graph arm) → (g) → cut-off, each step in the explanation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, NamedTuple

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.results import Factors, Found, Hit
from wherefrom.recall.cut_off import CutOff
from wherefrom.recall.explain import scores_of
from wherefrom.recall.fuse import Scored
from wherefrom.recall.knee import kept
from wherefrom.recall.pipeline import Searching, Wanted, ordered, ranked
from wherefrom.storage import nodes
from wherefrom.storage.candidates import find
from wherefrom.storage.port import Transaction

# How many candidates each arm gives unless the policy says: with more, SciFact and LoCoMo gain less than 0.002.
CANDIDATES: Final = 64


@dataclass(frozen=True, slots=True)
class Ask:
    """How to search: a fixed number of hits, or as many as the scores suggest; by S, or by S·g."""

    wanted: Wanted
    limit: int | None = None
    cut: CutOff | None = None
    final: bool = False


class _Place(NamedTuple):
    """A candidate at its place: its score there, and if it is ranked by S · g, what that is made of."""

    scored: Scored
    score: float
    factors: Factors | None = None
    found_through: str | None = None

    def hit(self, node: Node) -> Hit:
        """The place as a hit, with its node."""
        relevance = None if self.factors is None else self.scored.score
        return Hit(node, self.score, scores_of(self.scored, self.found_through), self.factors, relevance)


def search(tx: Transaction, access: Access, ask: Ask, searching: Searching) -> Found:
    """The best memos, with what led to their order."""
    hybrid = ask.wanted.retrieval.hybrid
    reach = (hybrid.k_txt or CANDIDATES, hybrid.k_vec or CANDIDATES)
    found = find(tx, access, ask.wanted.question, text=searching.text, vectors=searching.vectors, reach=reach)
    order = ordered(tx, access, ask.wanted, found)
    # With the graph arm the scores are handed out anew in its order: they fall from hit to hit.
    values = sorted((each.score for each in order.scored), reverse=True)
    places = [_Place(scored, value) for scored, value in zip(order.scored, values, strict=True)]
    filtered: Counter[str] = Counter()
    if ask.final:
        by_final = ranked(tx, access, ask.wanted, searching, order, filtered)
        places = [
            _Place(ranking.each, ranking.score, ranking.factors.factors(ranking.at), ranking.found_through)
            for ranking in by_final
        ]
    keep = ask.limit
    if keep is None:
        keep = len(places) if ask.cut is None else kept([place.score for place in places], ask.cut)
    chosen = places[:keep]
    by_id = nodes.read_by_ids(tx, access, [place.scored.candidate.id for place in chosen])
    if ask.wanted.holds is not None:
        holding = ask.wanted.holds(tx, list(by_id))
        filtered["invariant"] += len(by_id) - len(holding)
        by_id = {node_id: by_id[node_id] for node_id in holding}
    return Found(
        hits=tuple(
            place.hit(by_id[place.scored.candidate.id]) for place in chosen if place.scored.candidate.id in by_id
        ),
        arms=order.arms,
        alpha=order.alpha,
        candidates=len(places),
        filtered={reason: count for reason, count in filtered.items() if count},
        vectors_searched=order.vectors_searched,
    )
