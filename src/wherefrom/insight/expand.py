"""L1's answer to L3, which asked for more candidates: another and wider search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from wherefrom.insight.judge import Context
from wherefrom.insight.propose import TWO_STEPS, Asked, Found, Index, Staged, first_reach, search_texts, staged_for
from wherefrom.insight.settings import InsightSettings
from wherefrom.lazy import np
from wherefrom.model.insight import CandidateEdge, ExpansionRequest
from wherefrom.storage import candidates as search
from wherefrom.storage.candidates import WeightedEdge
from wherefrom.storage.port import SearchRequest

# Asked for more, L1 looks for so many times as many texts.
_WIDER: Final = 2


def expand(
    index: Index,
    question: SearchRequest,
    staged: Staged,
    request: ExpansionRequest,
    *,
    linking: InsightSettings,
    planned: Sequence[WeightedEdge] = (),
) -> Staged | None:
    """Return L1's answer to L3: the stage with more candidates, which another search finds; None if it finds none.

    It looks further: for several times as many texts, by the surprise of their words instead of BM25, and by what the
    centers and the links accepted so far mean together; and through the graph for as many steps as the request hints.
    What was a candidate is not chosen again. A node that only a walk of more than two steps led to counts from the hop
    on at which that walk is measured.
    """
    centers = tuple(staged.ids[center] for center in staged.context.centers)
    center_id = centers[0] if staged.found.is_own else None
    found = _search_again(index, question, staged, request, center_id=center_id, linking=linking)
    asked = Asked(question, centers, center_id, tuple(planned), linking)
    larger = staged_for(index, asked, found, radius=max(request.radius_hint, TWO_STEPS))
    known = {frozenset((staged.ids[edge.source], staged.ids[edge.target])) for edge in request.prev_ecand}
    by_score = sorted((*(larger.context.candidate_edges or ()), *larger.others), key=lambda edge: -(edge.score or 0.0))
    is_known = {edge: frozenset((larger.ids[edge.source], larger.ids[edge.target])) in known for edge in by_score}
    likely = (edge for edge in by_score if not is_known[edge] and (edge.score or 0.0) >= request.theta_link_hint)
    chosen = tuple(islice(likely, request.budget))
    if not chosen:
        return None
    before = tuple(edge for edge in by_score if is_known[edge])
    return replace(larger, context=_expanded(larger, before, chosen, hops=linking.gauge.hops))


def _expanded(
    larger: Staged, before: Sequence[CandidateEdge], chosen: Sequence[CandidateEdge], *, hops: int
) -> Context:
    """Return the context with the chosen candidates: those that a longer walk led to at their hops alone."""
    first_hop = {
        edge: min(max(larger.found.steps.get(larger.ids[end], 0) for end in (edge.source, edge.target)) - 1, hops)
        for edge in chosen
    }
    common = (*before, *(edge for edge in chosen if first_hop[edge] <= 1))
    by_hop = {
        hop: (*common, *(edge for edge in chosen if 1 < first_hop[edge] <= hop))
        for hop in range(2, hops + 1)
        if any(1 < first <= hop for first in first_hop.values())
    }
    selection = {**larger.context.candidate_selection, "k_star": len(before) + len(chosen), "expanded_by": len(chosen)}
    return replace(larger.context, candidate_edges=common, candidate_edges_by_hop=by_hop, candidate_selection=selection)


def _search_again(
    index: Index,
    question: SearchRequest,
    staged: Staged,
    request: ExpansionRequest,
    *,
    center_id: str | None,
    linking: InsightSettings,
) -> Found:
    """Return what was found, and what a wider search finds in another way."""
    first = staged.found
    reach = _WIDER * (len(request.prev_ecand) + request.budget)
    # As many that are near the question, or more, were found before.
    near_reach = reach if reach > first_reach(linking) else 0
    wider = search_texts(index, replace(question, text_score="surprise"), center_id, reach=(reach, near_reach))
    ends = [staged.ids[end] for edge in request.accepted for end in (edge.source, edge.target)]
    middle = [first.rows[node_id] for node_id in dict.fromkeys(ends) if node_id in first.rows]
    if question.model is not None and middle:
        mean = np.asarray(sum(middle), dtype=np.float32)
        around = replace(question, vector=mean / np.float32(max(float(np.linalg.norm(mean)), 1e-10)))
        near = search.nearest(index.tx, index.access, around, vectors=index.vectors, limit=reach, thorough=True)
        wider.rows = {**dict(zip(near.ids, near.vectors, strict=True)), **wider.rows}
        wider.order += [node_id for node_id in near.ids if node_id not in set(wider.order)]
    kept = [node_id for pair in staged.pairs for node_id in (staged.ids[pair[0]], staged.ids[pair[1]])]
    return replace(
        first,
        words={**wider.words, **first.words},
        rows={**wider.rows, **first.rows},
        order=list(dict.fromkeys([*first.order, *kept, *wider.order])),
    )
