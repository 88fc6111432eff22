"""Hybrid search without an active context: candidates → fusion → cut-off, each step in the explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from recollect.embedding.port import Trust
from recollect.model.access import Access
from recollect.model.graph import Node
from recollect.model.results import Found, Hit, Scores
from recollect.recall.cut_off import CutOff
from recollect.recall.fuse import Scored, alpha_for, fuse
from recollect.recall.knee import kept
from recollect.storage import nodes
from recollect.storage.candidates import Question, find
from recollect.storage.port import Transaction, Vectors
from recollect.storage.text_index import TextSearch

# How many candidates each arm gives: with more, SciFact and LoCoMo gain less than 0.002.
CANDIDATES: Final = 64


@dataclass(frozen=True, slots=True)
class Ask:
    """How to search: a fixed number of hits, or as many as the scores suggest."""

    question: Question
    trust: Trust
    alpha: float | None = None
    limit: int | None = None
    cut: CutOff | None = None
    exclude: str | None = None


def search(tx: Transaction, access: Access, ask: Ask, *, text: TextSearch, vectors: Vectors) -> Found:
    """The best memos, with what led to their order."""
    found = find(tx, access, ask.question, text=text, vectors=vectors, each=CANDIDATES)
    candidates = [candidate for candidate in found.found if candidate.id != ask.exclude]
    searched_by = ask.question.vector is not None and found.vectors_searched > 0
    alpha = (alpha_for(ask.question.text, ask.trust) if ask.alpha is None else ask.alpha) if searched_by else 0.0
    ranked = fuse(candidates, ask.question.vector, alpha=alpha, trust=ask.trust)
    if ask.limit is not None:
        keep = ask.limit
    else:
        keep = kept([each.score for each in ranked], ask.cut) if ask.cut is not None else len(ranked)
    chosen = ranked[:keep]
    by_id = nodes.by_ids(tx, access, [each.candidate.id for each in chosen])
    return Found(
        hits=tuple(_hit(each, by_id[each.candidate.id]) for each in chosen if each.candidate.id in by_id),
        arms=("text", "vectors") if searched_by else ("text",),
        alpha=alpha,
        candidates=len(ranked),
        vectors_searched=found.vectors_searched,
    )


def _hit(each: Scored, node: Node) -> Hit:
    candidate = each.candidate
    scores = Scores(
        bm25=candidate.text_score,
        text_rank=candidate.text_rank,
        similarity=each.similarity,
        vector_rank=candidate.vector_rank,
        s_text=each.s_text,
        s_vec=each.s_vec,
    )
    return Hit(node, each.score, scores)
