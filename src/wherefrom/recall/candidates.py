"""The store as ranking reads it for one request: candidates of both arms, their neighbourhood, and their facts.

The boundary comes first and in the database: what an access may not see, or what has expired, is no candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from wherefrom.embedding.port import Trust
from wherefrom.engine.params import check_query
from wherefrom.engine.questions import Questions
from wherefrom.engine.resources import Resources
from wherefrom.engine.view import View
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import Edge, Node
from wherefrom.recall.dating import is_wide
from wherefrom.recall.older import older_ones
from wherefrom.recall.settings import RecallSettings
from wherefrom.storage import candidates, mentions, nodes
from wherefrom.storage.candidates import (
    FOLLOWS,
    Candidate,
    Candidates,
    MeanDeviation,
    RankingFacts,
    WeightedEdge,
)
from wherefrom.storage.port import SearchRequest, Transaction
from wherefrom.text import check
from wherefrom.text.dates.find import time_words
from wherefrom.text.tokens import terms

# How far a search looks where most of what it finds has ended, and how much further each time.
_MAX_REACH: Final = 4_096
_REACH_FACTOR: Final = 8
# How many times what is known of the past is followed from what was replaced to what replaced it.
_MAX_PAST_GENERATIONS: Final = 32
_EDGES_PER_NODE: Final = 50
_CANDIDATES_PER_JUDGED_QUESTION: Final = 64
# How many texts of a time that the question names each arm gives.
_DATED_REACH: Final = (32, 32)


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
    """Reads candidates and their facts for one request, in one transaction, with one access. beside: other reads of the
    answer, which need nothing of the candidates.
    """

    tx: Transaction
    access: Access
    store: Resources
    request: RecallRequest
    beside: tuple[Callable[[Transaction], object], ...] = ()

    def read_ahead(self, reach: tuple[int, int], *more: Callable[[], object]) -> None:
        """Prepare to find candidates, together with what else the answer needs: `beside`, and `more`."""
        self.tx.ahead(partial(self.find, reach), *(partial(read, self.tx) for read in self.beside), *more)

    def reads_of_ranking(self) -> list[Callable[[], object]]:
        """Return the reads of a ranking with a graph arm that need nothing of the candidates."""
        reads: list[Callable[[], object]] = [self.read_utilities]
        if self.request.retrieval.graph.weight > 0:
            has_sessions = partial(candidates.has_sessions, self.tx, self.access)
            reads += [has_sessions, *mentions.reads_of_asked(self.tx, self.access, self.request.search.text)]
        return reads

    def read_utilities(self) -> MeanDeviation:
        """Return mean and deviation of the utility of all that this request can find."""
        days = self.request.retrieval.feedback.utility_half_life_days
        return self.store.utilities.mean_deviation(self.tx, self.access, self.request.search, half_life_days=days)

    def find(self, reach: tuple[int, int]) -> Candidates:
        """Return candidates: at most `reach[0]` by words and `reach[1]` by vectors."""
        found = self.tx.once(("candidates", reach), lambda: self._find(reach))
        self._known_facts().update(found.facts)
        return found

    def _find(self, reach: tuple[int, int]) -> Candidates:
        text, vectors = self.store.text_search, self.store.database.vectors
        found = candidates.find(self.tx, self.access, self.request.search, text=text, vectors=vectors, reach=reach)
        is_full = len(found.found) >= min(reach)
        if is_full and 2 * len(found.replaced) > len(found.found) and max(reach) < _MAX_REACH:
            # A long history takes the places of what else there is: look further.
            further = tuple(min(_REACH_FACTOR * some, _MAX_REACH) for some in reach)
            return self._find((further[0], further[1]))
        return self._with_dated(found)

    def _with_dated(self, found: Candidates) -> Candidates:
        """Return candidates with those that both arms find among the texts of the times that the question names."""
        text, vectors = self.store.text_search, self.store.database.vectors
        known = {candidate.id: candidate for candidate in found.found}
        added: dict[str, Candidate] = {}
        replaced, facts = set(found.replaced), dict(found.facts)
        for interval in self.request.search.intervals if self.request.retrieval.hybrid.date_bonus else ():
            times = self.request.search.times.within(interval)
            if times is None or is_wide(interval):
                continue
            request = replace(self.request.search, times=times)
            dated = candidates.find(self.tx, self.access, request, text=text, vectors=vectors, reach=_DATED_REACH)
            replaced |= dated.replaced
            facts |= dated.facts
            for one in dated.found:
                # Its ranks are among the texts of that time, and say nothing beside those of all.
                if one.id not in known:
                    added.setdefault(one.id, one._replace(text_rank=None, vector_rank=None))
        if not added:
            return found
        return replace(found, found=(*found.found, *added.values()), replaced=frozenset(replaced), facts=facts)

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
        in_texts = self.request.retrieval.graph.names > 0
        return mentions.asked(self.tx, self.access, self.request.search.text, in_texts=in_texts)

    def read_term_weights(self) -> tuple[dict[str, float], set[str]]:
        """Return how telling each term of the question is among what the access sees, and apart from them the terms of
        the times that it names, which texts of those times need not say; nothing if it asks for a number, or for what
        is like a node.
        """
        question = self.request.search
        if question.lookups or self.request.exclude is not None:
            return {}, set()
        search = self.store.text_search
        counts = question.term_counts or search.term_counts(self.tx, self.access, question.text)
        weights = search.term_weights(self.tx, self.access, counts, question.kinds)
        times = set(terms(" ".join(time_words(question.text)))) if question.intervals else set()
        return {term: weight for term, weight in weights.items() if term not in times}, times

    def read_edges_near(self, seeds: Collection[str]) -> list[WeightedEdge]:
        """Return the edges within some steps of the seeds, each once, as many as the policy allows.

        Among them are the names that the seeds share with other texts (`SHARED_NAME`); from those texts the walk is
        not read on, which measures the same and costs less.
        """
        settings = self.request.retrieval.graph
        found: dict[WeightedEdge, None] = {}
        seen, frontier, frontier_is_seeds = set(seeds), list(seeds), True
        for _ in range(settings.hops):
            left = settings.edges - len(found)
            if not frontier or left <= 0:
                break
            read_edges = partial(candidates.edges_around, self.tx, self.access, frontier, limit=left)
            read_edges = partial(read_edges, per_node=_EDGES_PER_NODE, doubt=settings.doubt)
            read_turns = partial(candidates.turns_around, self.tx, self.access, frontier, limit=left)
            read_names = partial(candidates.edges_by_names, self.tx, self.access, frontier, shares=frontier_is_seeds)
            self.tx.ahead(read_edges, read_turns, *([read_names] if settings.names > 0 else []))
            edges = read_edges()
            edges += self._read_turns(frontier, [*found, *edges], limit=left - len(edges))
            shared: list[WeightedEdge] = []
            if settings.names > 0:
                means, shared = read_names()
                edges += means
            found |= dict.fromkeys([*edges, *shared][:left])
            ends = {end for edge in edges for end in (edge.source_id, edge.target_id)}
            frontier, frontier_is_seeds = sorted(ends - seen), False
            seen |= ends
        return list(found)

    def _read_turns(self, ids: Sequence[str], stated: Iterable[WeightedEdge], *, limit: int) -> list[WeightedEdge]:
        """Return edges from turns of sessions to those before and after them, unless such a relation is stated."""
        turns = candidates.turns_around(self.tx, self.access, ids, limit=limit)
        known = {frozenset((edge.source_id, edge.target_id)) for edge in stated if edge.tag == FOLLOWS} if turns else ()
        return [edge for edge in turns if frozenset((edge.source_id, edge.target_id)) not in known]

    def read_facts(self, ids: Iterable[str]) -> dict[str, RankingFacts]:
        """Return the facts of those nodes that can be recalled for this request; those of each are read once."""
        known = self._known_facts()
        wanted = list(ids)
        if unknown := [node_id for node_id in wanted if node_id not in known]:
            known |= dict.fromkeys(unknown) | candidates.facts_of(self.tx, self.access, self.request.search, unknown)
        return {node_id: facts for node_id in wanted if (facts := known[node_id]) is not None}

    def _known_facts(self) -> dict[str, RankingFacts | None]:
        return self.tx.once("facts", dict)

    def read_facts_with_heirs(self, ids: Iterable[str]) -> dict[str, RankingFacts]:
        """Return the facts of nodes, and of their heirs: the nodes by which they were superseded."""
        by_id = self.read_facts(ids)
        now = self.request.search.now
        heirs = [heir for facts in by_id.values() if (heir := facts.heir(now)) and heir not in by_id]
        return by_id | self.read_facts(self.find_heirs(heirs)) if heirs else by_id

    def find_heirs(self, ids: Sequence[str]) -> list[str]:
        """Return these nodes, and all those that took the place of one another after them."""
        return candidates.heirs(self.tx, self.access, ids, now=self.request.search.now)

    def find_replaced(self, ids: Sequence[str], found: Candidates) -> list[str]:
        """Return those of these nodes that have ended, or are duplicates of others. found: candidates of which that is
        known.
        """
        known = {candidate.id for candidate in found.found}
        unknown = [node_id for node_id in ids if node_id not in known]
        others = candidates.replaced(self.tx, self.access, unknown) if unknown else []
        return [*(node_id for node_id in ids if node_id in found.replaced), *others]

    def read_nodes(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return nodes as far as the access may see them."""
        if (likely := self._likely(ids)) is None:
            return nodes.read_by_ids(self.tx, self.access, ids)
        known = self.tx.once(("likely nodes", *likely), lambda: nodes.read_by_ids(self.tx, self.access, likely))
        return {node_id: known[node_id] for node_id in ids if node_id in known}

    def find_replaced_by(self, ids: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """Return the statements whose place each of these nodes took, with the times at which they ended."""
        likely = self._likely(ids)
        found = candidates.replaced_by(self.tx, self.access, ids if likely is None else likely)
        if likely is not None and sum(map(len, found.values())) >= candidates.MAX_REPLACED_SHOWN:
            return candidates.replaced_by(self.tx, self.access, ids)
        return {node_id: found[node_id] for node_id in ids if node_id in found}

    def read_disputes(self, ids: Sequence[str]) -> list[Edge]:
        """Return the relations by which one of these nodes contradicts another."""
        likely = self._likely(ids)
        edges = candidates.disputing_edges(self.tx, self.access, ids if likely is None else likely)
        among = set(ids)
        return [edge for edge in edges if edge.source_id in among and edge.target_id in among]

    def _likely(self, ids: Iterable[str]) -> list[str] | None:
        """The ids read ahead for the answer, if all of these ids are among them; else None."""
        likely = self._likely_ones()
        return list(likely) if likely and likely.keys() >= set(ids) else None

    def _likely_ones(self) -> dict[str, None]:
        return self.tx.once("likely", dict)

    def find_older(self, some: Iterable[Node]) -> dict[str, str]:
        """Return the statements among these nodes that are older than another, which exchanges their value."""
        return older_ones(candidates.short_statements(self.access, some))

    def read_candidates(self, ids: Sequence[str]) -> Sequence[Candidate]:
        """Return nodes that no arm found as candidates: without ranks."""
        return candidates.read_candidates(self.tx, self.access, ids, self.request.search.model)

    def read_reached(self, ids: Sequence[str], found: Sequence[str], likely: Sequence[str]) -> Sequence[Candidate]:
        """Return those of these nodes that can be recalled for this request, as `read_candidates` does. found: the
        candidates, whose facts are read as well. likely: those that are likely to be shown; where each statement is a
        trip to a server, what an answer shows of them is read at the same time.
        """
        self.tx.ahead(
            partial(self.read_facts, [*found, *ids]),
            partial(self.read_candidates, ids),
            partial(self._likely_ones().update, dict.fromkeys(likely)),
            *(partial(read, likely) for read in (self.read_nodes, self.read_disputes, self.find_replaced_by)),
        )
        known = self.read_facts([*found, *ids])
        return [one for one in self.read_candidates(ids) if one.id in known]

    def select_holding(self, ids: Collection[str]) -> set[str]:
        """Return those of these nodes that keep the invariants of the policy."""
        return set(ids) if self.request.holds is None else self.request.holds(self.tx, list(ids))


@dataclass(frozen=True, slots=True)
class PastReader(CandidateReader):
    """Reads what the memory knew at a time. `changed` are the nodes that have changed since, as they were then; a node
    that has changed and is not among them is not found.

    Former texts are searched by their words alone.
    """

    changed: Mapping[str, Node] = field(default_factory=dict)

    def find(self, reach: tuple[int, int]) -> Candidates:
        """See `CandidateReader.find`; a changed text is found by what it was, not by what it is."""
        text, vectors = self.store.text_search, self.store.database.vectors
        found = candidates.find(self.tx, self.access, self.request.search, text=text, vectors=vectors, reach=reach)
        now = CandidateReader.read_nodes(self, list(self.changed))
        rewritten = [was for was in self.changed.values() if was.id in now and _text(was) != _text(now[was.id])]
        ids = {node.id for node in rewritten}
        kept = [candidate for candidate in found.found if candidate.id not in ids]
        scores = self.store.text_search.scores(self.tx, self.access, self.request.search, rewritten)[: reach[0]]
        ranks = {node_id: (score, rank) for rank, (node_id, score) in enumerate(scores, 1)}
        added = candidates.read_candidates(self.tx, self.access, list(ranks), None)
        added = tuple(one._replace(text_score=ranks[one.id][0], text_rank=ranks[one.id][1]) for one in added)
        return Candidates((*kept, *added), found.vectors_searched)

    def read_facts(self, ids: Iterable[str]) -> dict[str, RankingFacts]:
        """See `CandidateReader.read_facts`."""
        request = self.request.search
        return {node.id: RankingFacts.of(node) for node in self.read_nodes(list(ids)).values() if request.admits(node)}

    def find_replaced(self, ids: Sequence[str], found: Candidates) -> list[str]:
        """Return all of these nodes: of each it matters what it was then."""
        del found
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

    def find_older(self, some: Iterable[Node]) -> dict[str, str]:
        """Return nothing: texts of the past are not compared."""
        del some
        return {}

    def read_nodes(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return nodes as they were, as far as the access may see them."""
        known_at = self.request.search.times.known_at or ""
        found = CandidateReader.read_nodes(self, ids)
        same = {node.id: node for node in found.values() if node.updated_at <= known_at}
        return same | {node_id: self.changed[node_id] for node_id in found if node_id in self.changed}


def _text(node: Node) -> tuple[object, ...]:
    return node.title, node.content, node.aliases, node.speaker


def check_judged(judged: Any) -> tuple[str, frozenset[str]]:
    """Return the query of a judged question, and the ids that answer it; none, if the memory has nothing about it."""
    if not isinstance(judged, Mapping) or not isinstance(judged.get("relevant"), list):
        raise InvalidInput(
            "a judged question has a query and a list of relevant ids", hint='{"query": "…", "relevant": ["memo_id"]}'
        )
    relevant = frozenset(check.check_id(node_id, field="relevant") for node_id in judged["relevant"])
    return check_query(judged.get("query"), field="query"), relevant


def judged_candidates(
    view: View, judged: tuple[str, Collection[str]], access: Access
) -> list[tuple[float | None, float | None, bool]]:
    """Return the score of the words, similarity and relevance of each candidate of a judged question."""
    query, relevant = judged
    hybrid = view.boundary.at(access.root).settings(RecallSettings).hybrid
    request, _ = Questions(view).question(query, None, access, weighted=hybrid.question_weights == "idf")
    request = replace(request, text_score=hybrid.text_score)
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
