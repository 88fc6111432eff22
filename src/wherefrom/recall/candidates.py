"""The store as ranking reads it for one request: candidates of both arms, their neighbourhood, and their facts.

The boundary comes first and in the database: what an access may not see, or what has expired, is no candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wherefrom.embedding.port import Trust
from wherefrom.engine.params import check_query
from wherefrom.engine.questions import Questions
from wherefrom.engine.resources import Resources
from wherefrom.engine.view import View
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import Edge, Node
from wherefrom.recall.older import older_ones
from wherefrom.recall.settings import RecallSettings
from wherefrom.storage import candidates, embeddings, mentions, nodes
from wherefrom.storage.candidates import Candidate, Candidates, RankingFacts, WeightedEdge
from wherefrom.storage.port import SearchRequest, Transaction
from wherefrom.text import check

# How far a search looks where most of what it finds has ended, and how much further each time.
_MAX_REACH: Final = 4_096
_REACH_FACTOR: Final = 8
# How many times what is known of the past is followed from what was replaced to what replaced it.
_MAX_PAST_GENERATIONS: Final = 32
_EDGES_PER_NODE: Final = 50
_CANDIDATES_PER_JUDGED_QUESTION: Final = 64


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question, and how to rank what is found for it.

    holds: selects the nodes that keep the invariants; None if there are none. deadline: after this time of the
    monotonic clock the graph arm is left out. exclude: a node that is not to be found.
    """

    search: SearchRequest
    trust: Trust
    retrieval: RecallSettings
    holds: Callable[[Transaction, Sequence[str]], set[str]] | None = None
    deadline: float | None = None
    exclude: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateReader:
    """Reads candidates and their facts for one request, in one transaction, with one access."""

    tx: Transaction
    access: Access
    store: Resources
    request: RecallRequest

    def find(self, reach: tuple[int, int]) -> Candidates:
        """Return candidates: at most `reach[0]` by words and `reach[1]` by vectors."""
        text, vectors = self.store.text_search, self.store.database.vectors
        found = candidates.find(self.tx, self.access, self.request.search, text=text, vectors=vectors, reach=reach)
        replaced = self.find_replaced([candidate.id for candidate in found.found])
        is_full = len(found.found) >= min(reach)
        if is_full and 2 * len(replaced) > len(found.found) and max(reach) < _MAX_REACH:
            # A long history takes the places of what else there is: look further.
            further = tuple(min(_REACH_FACTOR * some, _MAX_REACH) for some in reach)
            return self.find((further[0], further[1]))
        return found

    def find_enough(self, reach: tuple[int, int], limit: int) -> tuple[Candidates, tuple[int, int]]:
        """Return the candidates of both arms, and how many of each were looked for. Where an arm finds less than half
        of `limit` though there may be more, it looks once for a multiple.
        """
        found = self.find(reach)
        by_text = sum(candidate.text_rank is not None for candidate in found.found)
        by_vector = sum(candidate.vector_rank is not None for candidate in found.found)
        more = self.request.retrieval.hybrid.expansion
        text_factor = more if 2 * by_text < limit and by_text == reach[0] else 1
        vector_factor = more if 2 * by_vector < limit and by_vector < found.vectors_searched else 1
        if text_factor == vector_factor == 1:
            return found, reach
        reach = (reach[0] * text_factor, reach[1] * vector_factor)
        return self.find(reach), reach

    def read_named(self) -> dict[str, float]:
        """Return the nodes that the question names, each with its share of the name."""
        return mentions.asked(self.tx, self.access, self.request.search.text)

    def read_edges_near(self, seeds: Collection[str]) -> list[WeightedEdge]:
        """Return the edges within some steps of the seeds, each once, as many as the policy allows."""
        settings = self.request.retrieval.graph
        found: dict[WeightedEdge, None] = {}
        seen, frontier = set(seeds), list(seeds)
        for _ in range(settings.hops):
            left = settings.edges - len(found)
            if not frontier or left <= 0:
                break
            edges = candidates.edges_around(self.tx, self.access, frontier, per_node=_EDGES_PER_NODE, limit=left)
            found |= dict.fromkeys(edges)
            ends = {end for edge in edges for end in (edge.source_id, edge.target_id)}
            frontier = sorted(ends - seen)
            seen |= ends
        return list(found)

    def read_facts(self, ids: Iterable[str]) -> dict[str, RankingFacts]:
        """Return the facts of those nodes that can be recalled for this request."""
        return candidates.facts_of(self.tx, self.access, self.request.search, ids)

    def read_facts_with_heirs(self, ids: Iterable[str]) -> dict[str, RankingFacts]:
        """Return the facts of nodes, and of their heirs: the nodes by which they were superseded."""
        by_id = self.read_facts(ids)
        now = self.request.search.now
        heirs = [heir for facts in by_id.values() if (heir := facts.heir(now)) and heir not in by_id]
        return by_id | self.read_facts(self.find_heirs(heirs)) if heirs else by_id

    def find_heirs(self, ids: Sequence[str]) -> list[str]:
        """Return these nodes, and all those that took the place of one another after them."""
        return candidates.heirs(self.tx, self.access, ids, now=self.request.search.now)

    def find_replaced(self, ids: Sequence[str]) -> list[str]:
        """Return those of these nodes that have ended, or are duplicates of others."""
        return candidates.replaced(self.tx, self.access, ids)

    def read_nodes(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return nodes as far as the access may see them."""
        return nodes.read_by_ids(self.tx, self.access, ids)

    def find_replaced_by(self, ids: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """Return the statements whose place each of these nodes took, with the times at which they ended."""
        return candidates.replaced_by(self.tx, self.access, ids)

    def read_disputes(self, ids: Sequence[str]) -> list[Edge]:
        """Return the relations by which one of these nodes contradicts another."""
        return candidates.disputing_edges(self.tx, self.access, ids)

    def find_older(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the statements among these nodes that are older than another, which exchanges their value."""
        return older_ones(candidates.short_statements(self.tx, self.access, ids))

    def read_candidates(self, ids: Sequence[str]) -> list[Candidate]:
        """Return nodes that no arm found as candidates: without ranks, but with their vectors."""
        model = self.request.search.model
        vectors = {} if model is None else embeddings.of_nodes(self.tx, self.access, ids, model)
        return [Candidate(node_id, vector=vectors.get(node_id)) for node_id in ids]

    def select_holding(self, ids: Collection[str]) -> set[str]:
        """Return those of these nodes that keep the invariants of the policy."""
        return set(ids) if self.request.holds is None else self.request.holds(self.tx, list(ids))


@dataclass(frozen=True, slots=True)
class PastReader(CandidateReader):
    """Reads what the memory knew at a time. `changed` are the nodes that have changed since, as they were then; a node
    that has changed and is not among them is not found.

    Former texts are searched by their words alone.
    """

    changed: Mapping[str, Node]

    def find(self, reach: tuple[int, int]) -> Candidates:
        """See `CandidateReader.find`; a changed text is found by what it was, not by what it is."""
        text, vectors = self.store.text_search, self.store.database.vectors
        found = candidates.find(self.tx, self.access, self.request.search, text=text, vectors=vectors, reach=reach)
        now = CandidateReader.read_nodes(self, list(self.changed))
        rewritten = [was for was in self.changed.values() if was.id in now and _text(was) != _text(now[was.id])]
        ids = {node.id for node in rewritten}
        kept = [candidate for candidate in found.found if candidate.id not in ids]
        scores = self.store.text_search.scores(self.tx, self.access, self.request.search, rewritten)[: reach[0]]
        added = [Candidate(node_id, score, rank) for rank, (node_id, score) in enumerate(scores, 1)]
        return Candidates((*kept, *added), found.vectors_searched)

    def read_facts(self, ids: Iterable[str]) -> dict[str, RankingFacts]:
        """See `CandidateReader.read_facts`."""
        request = self.request.search
        return {node.id: RankingFacts.of(node) for node in self.read_nodes(list(ids)).values() if request.admits(node)}

    def find_replaced(self, ids: Sequence[str]) -> list[str]:
        """Return all of these nodes: of each it matters what it was then."""
        return list(ids)

    def find_heirs(self, ids: Sequence[str]) -> list[str]:
        """See `CandidateReader.find_heirs`."""
        found: dict[str, None] = {}
        now, following = self.request.search.now, list(ids)
        for _ in range(_MAX_PAST_GENERATIONS):
            new = [node_id for node_id in following if node_id not in found]
            if not new:
                break
            found |= dict.fromkeys(new)
            following = [heir for facts in self.read_facts(new).values() if (heir := facts.heir(now))]
        return list(found)

    def find_replaced_by(self, ids: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """See `CandidateReader.find_replaced_by`."""
        found = CandidateReader.find_replaced_by(self, ids)
        old = self.read_nodes([node_id for replaced in found.values() for node_id, _ in replaced])
        return {
            heir: known
            for heir, replaced in found.items()
            if (known := [(one, end) for one, end in replaced if one in old and old[one].superseded_by == heir])
        }

    def read_disputes(self, ids: Sequence[str]) -> list[Edge]:
        """See `CandidateReader.read_disputes`."""
        known_at = self.request.search.times.known_at or ""
        return [edge for edge in CandidateReader.read_disputes(self, ids) if edge.created_at <= known_at]

    def find_older(self, ids: Sequence[str]) -> dict[str, str]:
        """Return nothing: texts of the past are not compared."""
        del ids
        return {}

    def read_nodes(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return nodes as they were, as far as the access may see them."""
        known_at = self.request.search.times.known_at or ""
        found = CandidateReader.read_nodes(self, ids)
        same = {node.id: node for node in found.values() if node.updated_at <= known_at}
        return same | {node_id: self.changed[node_id] for node_id in found if node_id in self.changed}


def _text(node: Node) -> tuple[object, ...]:
    return node.title, node.content, node.aliases


def judged_candidates(
    view: View, judged: Mapping[str, Any], access: Access
) -> list[tuple[float | None, float | None, bool]]:
    """Return BM25, similarity and relevance of each candidate of a judged question."""
    if not isinstance(judged, Mapping) or not isinstance(judged.get("relevant"), list) or not judged["relevant"]:
        raise InvalidInput(
            "a judged question has a query and a list of relevant ids", hint='{"query": "…", "relevant": ["memo_id"]}'
        )
    relevant = {check.check_id(node_id, field="relevant") for node_id in judged["relevant"]}
    request, _ = Questions(view).question(check_query(judged.get("query"), field="query"), None, access)
    store, reach = view.store, (_CANDIDATES_PER_JUDGED_QUESTION, _CANDIDATES_PER_JUDGED_QUESTION)
    found = store.database.read(
        lambda tx: candidates.find(
            tx, access, request, text=store.text_search, vectors=store.database.vectors, reach=reach
        )
    )
    direction = request.vector
    return [
        (
            candidate.text_score,
            None if candidate.vector is None or direction is None else float(candidate.vector @ direction),
            candidate.id in relevant,
        )
        for candidate in found.found
    ]
