"""Search without an active context: candidates → S → (graph arm) → (g) → cut-off, each step in the explanation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from recollect.model.access import Access
from recollect.model.results import Found, Hit
from recollect.recall.cut_off import CutOff
from recollect.recall.explain import scores_of
from recollect.recall.fuse import alpha_for, fuse
from recollect.recall.knee import kept
from recollect.recall.pipeline import Searching, Wanted, ranked
from recollect.recall.spread import spread
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
    exclude: str | None = None


def search(tx: Transaction, access: Access, ask: Ask, searching: Searching) -> Found:
    """The best memos, with what led to their order."""
    wanted, question = ask.wanted, ask.wanted.question
    found = find(tx, access, question, text=searching.text, vectors=searching.vectors, reach=(CANDIDATES, CANDIDATES))
    by_vectors = question.vector is not None and found.vectors_searched > 0
    hybrid, calibration = wanted.retrieval.hybrid, wanted.retrieval.calibration
    alpha = alpha_for(question.text, wanted.trust, hybrid) if by_vectors else 0.0
    fusion = fuse(
        [each for each in found.found if each.id != ask.exclude],
        question.vector,
        alpha=alpha,
        trust=wanted.trust,
        hybrid=hybrid,
        calibration=calibration,
    )
    spreading = spread(tx, access, fusion, question, settings=wanted.retrieval.graph)
    scored = [each for each in spreading.scored or fusion.scored if each.candidate.id != ask.exclude]
    order = [(each, each.score) for each in scored]
    if ask.final:
        order = [(each.each, each.score) for each in ranked(tx, access, wanted, searching, scored, Counter())]
    if ask.limit is not None:
        keep = ask.limit
    else:
        keep = kept([score for _, score in order], ask.cut) if ask.cut is not None else len(order)
    chosen = order[:keep]
    by_id = nodes.by_ids(tx, access, [each.candidate.id for each, _ in chosen])
    hits = [
        Hit(by_id[each.candidate.id], score, scores_of(each)) for each, score in chosen if each.candidate.id in by_id
    ]
    return Found(
        hits=tuple(hits),
        arms=("text", *(("vectors",) if by_vectors else ()), *(("graph",) if spreading.scored else ())),
        alpha=alpha,
        candidates=len(order),
        vectors_searched=found.vectors_searched,
    )
