"""What an answer shows of the nodes that were chosen: reasons, passages, relevance, disputes; and what was searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from wherefrom.model.graph import Node
from wherefrom.model.limits import ANSWER_TOKENS
from wherefrom.model.results import ContextItem, Passage, ScoreBreakdown, Scores
from wherefrom.model.sources import cut_to_bytes
from wherefrom.recall.candidates import CandidateReader
from wherefrom.recall.ordering import Ranked
from wherefrom.recall.reasons import item_tokens, passage_of, reason_in_words, said_terms
from wherefrom.recall.relevance import BY_WORDS, coverage, relevance, weights_for
from wherefrom.recall.rerank import figures_of
from wherefrom.storage.candidates import helpful_counts
from wherefrom.storage.edges import Measure
from wherefrom.text.tokens import terms

# Of the name of a namespace in a note, which may be long; the whole of it is in the full answer.
_MAX_PLACE_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Shown:
    """What an answer says of a node: why it was found, which passage of a long text fits best, its scores, and how
    surely it is about the question.
    """

    reason: str
    passage: Passage | None
    scores: Scores
    relevance: float | None


def show(reader: CandidateReader, by_id: Mapping[str, Node]) -> Callable[[Ranked], Shown]:
    """Return a function that says of a node what an answer shows of it."""
    question = reader.request.search
    weights, times_asked = reader.read_term_weights()
    helped = helpful_counts(reader.tx, reader.access, by_id.values())
    trusted = weights_for(question.text, reader.request.trust)
    # A fragment is found by the title of its page, too.
    pages = reader.read_nodes(sorted({node.page_id for node in by_id.values() if node.page_id is not None}))
    titles = {page.id: set(terms(page.title or "")) for page in pages.values()}

    def shown(ranked: Ranked) -> Shown:
        node, scored = by_id[ranked.scored.id], ranked.scored
        passage, times = passage_of(node, question.text), helped.get(node.id, 0)
        said = said_terms(node, passage) | titles.get(node.page_id or "", set())
        reason = reason_in_words(
            question.text, node, said, scored, is_reached=ranked.graph > 0, helped=times, now=question.now
        )
        covered = coverage(said, weights, times_asked, scored) if weights or times_asked else None
        scores = scored.scores(covered)
        # What took the place of one that fits may say nothing of the question itself.
        is_untold = scores.found_through is not None or (trusted is None and scores.similarity is not None)
        if covered is None or is_untold:
            return Shown(reason, passage, scores, None)
        return Shown(reason, passage, scores, relevance(covered, scores.similarity, trusted or BY_WORDS))

    return shown


def show_items(
    reader: CandidateReader, chosen: Sequence[Ranked], budget: int, measure: Measure, known: Mapping[str, Node]
) -> tuple[list[ContextItem], int]:
    """Return the chosen nodes that fit the budget as an answer shows them (of a long text one passage), and the number
    of tokens of that answer. known: nodes that were read already.
    """
    ids = [ranked.scored.id for ranked in chosen]
    unknown = [node_id for node_id in ids if node_id not in known]
    reads = (
        partial(reader.read_nodes, unknown),
        partial(reader.read_disputes, ids),
        partial(reader.find_replaced_by, ids),
    )
    reader.tx.ahead(*reads)
    by_id = {**known, **reader.read_nodes(unknown)}
    by_id = {node_id: by_id[node_id] for node_id in ids if node_id in by_id}
    disputes = measure(reader.tx, reader.read_disputes(ids))
    took = reader.find_replaced_by(ids)
    shown = show(reader, by_id)
    items: list[ContextItem] = []
    tokens = ANSWER_TOKENS
    for ranked in chosen:
        node = by_id.get(ranked.scored.id)
        if node is None:
            continue
        said = shown(ranked)
        size = item_tokens(node, said.passage)
        if tokens + size > budget:
            continue
        tokens += size
        breakdown = ScoreBreakdown(said.scores, ranked.scored.score, ranked.graph, ranked.factors)
        replaced = dict(took.get(node.id, ()))
        own = tuple(edge for edge in disputes if node.id in (edge.source_id, edge.target_id))
        others = {edge.source_id if edge.target_id == node.id else edge.target_id for edge in own}
        items.append(
            ContextItem(
                rank=len(items) + 1,
                node=node,
                score=ranked.score,
                reason=said.reason,
                figures=figures_of(breakdown, ranked.score, said.relevance),
                passage=said.passage,
                breakdown=breakdown,
                replaces=tuple(dict.fromkeys((*replaced, *ranked.replaces))),
                held_until=max(replaced.values(), default=None),
                disputed_by=tuple(sorted(others)),
                disputes=own,
                relevance=said.relevance,
            )
        )
    return items, tokens


def say_what_was_searched(reader: CandidateReader, arms: Sequence[str]) -> str:
    """Say what was searched, for an answer that has nothing."""
    request, place = reader.request.search, cut_to_bytes(reader.access.root, _MAX_PLACE_BYTES)
    number = reader.store.utilities.count(reader.tx, reader.access, request)
    narrowed = " with these scopes or metadata" if request.scopes or request.metadata else ""
    narrowed += " by this writer" if request.written_by is not None else ""
    if number == 0:
        return f"nothing{narrowed} is saved in {place} yet"
    ways = " and ".join({"text": "words", "vectors": "meaning", "graph": "relations"}[arm] for arm in arms)
    return f"nothing fits: searched {number:,} text{'s' * (number != 1)}{narrowed} in {place} by {ways}"
