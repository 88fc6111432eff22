"""Candidates for a request: the one search in texts and vectors that all engines use, and the facts that rank nodes
beside their text: how useful, certain and fresh they are, and their edges.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Final, NamedTuple

from wherefrom.embedding.port import Matrix
from wherefrom.model.access import Access
from wherefrom.model.graph import Edge, Node
from wherefrom.model.insight import DOUBT
from wherefrom.storage import mentions, names_in_texts
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import EmbeddingModel, Near, Nearest, Row, SearchRequest, Transaction, Vectors
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.text_index import TextFound, TextSearch
from wherefrom.text.check import json_text
from wherefrom.text.sensitive.redaction import shared_text

# Fewer nodes are counted for each request, because a few change the mean; of more the count is kept for a while.
_NODES_COUNTED_EACH_TIME: Final = 2_000
_COUNT_SECONDS: Final = 60.0
_MAX_KNOWN_ACCESSES: Final = 1_000
_MIN_DEVIATION: Final = 0.001
# The tag of a relation from a turn of a conversation to the one before it.
FOLLOWS: Final = "follows"
MAX_REPLACED_SHOWN: Final = 200
_MAX_HEIRS: Final = 5_000
_MAX_STATEMENT_CHARACTERS: Final = 400
# The tag of an edge from a text to a rare name in it; the name stands where other edges have the id of a node.
SHARED_NAME: Final = "name"
_SAID: Final = 6  # columns of the fragment `said` without facts
_UNSAID: Final = (None,) * _SAID


class Candidate(NamedTuple):
    """A node that an arm found: its score by words and vector, and its rank in each arm (1 is best).

    speaker: who says it. session: the namespace and the name of the conversation that it is a turn of. observed_at:
    when it was observed.
    """

    id: str
    text_score: float | None = None
    text_rank: int | None = None
    vector: Matrix | None = None
    vector_rank: int | None = None
    observed_at: str | None = None
    speaker: str | None = None
    session: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of both arms, and among how many vectors they were found. replaced: those of them that may not
    stand for themselves, as in `replaced`. facts: those that came with the candidates, if the request asks for them.
    """

    found: tuple[Candidate, ...]
    vectors_searched: int
    replaced: frozenset[str] = frozenset()
    facts: Mapping[str, RankingFacts] = field(default_factory=dict)


def find(
    tx: Transaction,
    access: Access,
    request: SearchRequest,
    *,
    text: TextSearch,
    vectors: Vectors,
    reach: tuple[int, int],
) -> Candidates:
    """The candidates of text arm and vector arm, with their vectors; `reach` is how many each gives at most."""
    by_words = text.send_best(tx, access, request, limit=reach[0])
    by_vector = send_nearest(tx, access, request, vectors=vectors, limit=reach[1])
    return _joined(tx, access, request, by_words(), by_vector())


def find_quickly(
    tx: Transaction,
    access: Access,
    request: SearchRequest,
    *,
    text: TextSearch,
    vectors: Vectors,
    reach: tuple[int, int],
) -> tuple[Candidates, dict[str, float]]:
    """The candidates for a text by its rarest terms and a quick search of vectors; and the weight of all its terms."""
    by_words, weights = text.send_best_of_rarest(tx, access, request, limit=reach[0])
    by_vector = send_nearest(tx, access, request, vectors=vectors, limit=reach[1], quick=True)
    return _joined(tx, access, request, by_words(), by_vector()), weights


def _joined(tx: Transaction, access: Access, request: SearchRequest, by_words: TextFound, near: Nearest) -> Candidates:
    """The candidates of both arms, each with its vector and what is said of it."""
    scores, known = dict(by_words.scored), by_words.known
    nearby = set(near.ids)
    by_words_alone = [node_id for node_id in scores if node_id not in nearby]
    if unknown := [node_id for node_id in by_words_alone if node_id not in known]:
        known = {**known, **_known(tx, access, unknown, request.searched_model)}
    vectors: dict[str, Matrix] = dict(zip(near.ids, near.vectors, strict=True))
    vectors |= _vectors_of(tx, {node_id: known[node_id] for node_id in by_words_alone if node_id in known})
    said = {node_id: known[node_id][1:] for node_id in scores if node_id in known}
    said |= dict(zip(near.ids, near.said, strict=True))
    ids = list(dict.fromkeys([*scores, *near.ids]))
    text_ranks, vector_ranks = dict(zip(scores, count(1))), dict(zip(near.ids, count(1)))
    by_arm = (map(by_id.get, ids) for by_id in (scores, text_ranks, vectors, vector_ranks))
    found = _made(zip(ids, *by_arm, strict=True), map(said.get, ids))
    told = ((node_id, row[_SAID:]) for node_id, row in said.items()) if request.with_facts else ()
    facts = {node_id: tuple.__new__(RankingFacts, row) for node_id, row in told if row}
    return Candidates(found, near.searched, frozenset(node_id for node_id, row in said.items() if row[0]), facts)


def read_candidates(
    tx: Transaction, access: Access, ids: Sequence[str], model: EmbeddingModel | None
) -> tuple[Candidate, ...]:
    """These nodes as candidates that no arm found: without ranks, but with their vectors, speakers and sessions."""
    known = _known(tx, access, ids, model) if ids else {}
    vectors = _vectors_of(tx, known)
    rows = ((node_id, None, None, vectors.get(node_id), None) for node_id in ids)
    return _made(rows, (known[node_id][1:] if node_id in known else None for node_id in ids))


def _known(tx: Transaction, access: Access, ids: Sequence[str], model: EmbeddingModel | None) -> dict[str, Row]:
    """What the fragment `candidate` tells of these nodes."""
    where = {"owner": access.owner, "ids": json_text(ids), "model": None if model is None else model.number}
    return {row[0]: row[1:] for row in tx.rows("candidates_of", where)}


def _vectors_of(tx: Transaction, known: Mapping[str, Row]) -> dict[str, Matrix]:
    """The vectors among what the fragment `candidate` tells of nodes."""
    stored = {node_id: row[0] for node_id, row in known.items() if row[0] is not None}
    return dict(zip(stored, tx.dialect.from_vectors(list(stored.values())), strict=True))


def _made(by_arms: Iterable[Row], said: Iterable[Row | None]) -> tuple[Candidate, ...]:
    """Candidates of what the arms tell of each; and when it was observed, who says it, as all who find it may know, and
    its session, of what is said of it.
    """
    rows = (
        (*arms, observed_at, speaker and shared_text(speaker, tag), None if session is None else (namespace, session))
        for arms, (_, speaker, tag, session, namespace, observed_at) in zip(
            by_arms, (row[:_SAID] if row else _UNSAID for row in said), strict=True
        )
    )
    return tuple(map(partial(tuple.__new__, Candidate), rows))  # to call the type for each takes three times as long


def nearest(
    tx: Transaction, access: Access, request: SearchRequest, *, vectors: Vectors, limit: int, thorough: bool = False
) -> Nearest:
    """The nodes whose vectors are nearest to the question's."""
    return send_nearest(tx, access, request, vectors=vectors, limit=limit, thorough=thorough)()


def send_nearest(
    tx: Transaction,
    access: Access,
    request: SearchRequest,
    *,
    vectors: Vectors,
    limit: int,
    thorough: bool = False,
    quick: bool = False,
) -> Callable[[], Nearest]:
    """Begin a search for the nodes whose vectors are nearest to the question's; see `port.Vectors`."""
    if request.vector is None or request.model is None or limit <= 0:
        return lambda: Nearest((), (), 0)  # type: ignore[arg-type]  # no rows
    within = None
    is_filtered = request.metadata or request.scopes or request.task_id is not None or request.written_by is not None
    if is_filtered or request.times.are_narrow:
        where = {**scope_parameters(access), **request.filters(), "task_id": request.task_id}
        within = [seq for (seq,) in tx.rows("nodes_matching", where)]
    how = (within, thorough, request.times, quick, request.with_facts)
    return vectors.send_nearest(tx, access, Near(request.vector, request.model, request.kinds, limit, *how))


class RankingFacts(NamedTuple):
    """The columns of a node by which it is ranked; its text is not among them."""

    id: str
    kind: str
    claim_kind: str | None
    content_hash: str
    utility: float
    confidence: float
    quality: float
    judged_at: str
    recency_anchor: str
    superseded_by: str | None
    valid_to: str | None = None
    page_id: str | None = None

    @classmethod
    def of(cls, node: Node) -> RankingFacts:
        """Return the facts of a node."""
        values = {name: getattr(node, name) for name in cls._fields}
        return cls(**values | {"judged_at": node.judged_at or node.created_at})

    def has_ended(self, now: str) -> bool:
        """True if it holds no longer: it was replaced, outdated or completed."""
        return self.valid_to is not None and self.valid_to <= now

    def heir(self, now: str) -> str | None:
        """The node that stands for this one: what took its place, once it has ended, or that it is a duplicate of."""
        return self.superseded_by if self.valid_to is None or self.has_ended(now) else None


@dataclass(frozen=True, slots=True)
class ShortStatement:
    """A short memo or claim, and since when it holds."""

    id: str
    title: str | None
    text: str
    since: str
    created_at: str


@dataclass(frozen=True, slots=True)
class MeanDeviation:
    """Mean and standard deviation of the utilities of all nodes that a question can find."""

    mean: float = 0.0
    deviation: float = 1.0


class WeightedEdge(NamedTuple):
    """An edge as a walk takes it: between two nodes, with a strength."""

    source_id: str
    target_id: str
    tag: str
    strength: float


class UtilityStatistics:
    """Computes mean and deviation of the utilities that an access may see, and keeps the number of its nodes for a
    while. All accesses to a database share one object.
    """

    def __init__(self) -> None:
        self._counts = Kept[Hashable, int](entries=_MAX_KNOWN_ACCESSES, seconds=_COUNT_SECONDS)

    def mean_deviation(
        self, tx: Transaction, access: Access, request: SearchRequest, *, half_life_days: float
    ) -> MeanDeviation:
        """Mean and sample standard deviation of the utilities at the time of the request."""
        where = {**scope_parameters(access), **request.filters(), "half_life": half_life_days}
        total, squares = map(float, tx.row("utility_sums", where) or (0.0, 0.0))
        return _mean_deviation(self.count(tx, access, request), total, squares)

    def count(self, tx: Transaction, access: Access, request: SearchRequest) -> int:
        """The number of nodes that a request can find, by its filters; of many, as it was up to a minute ago."""
        where = {**scope_parameters(access), **request.filters(), "exact": None}
        key = (access.reach, where["kinds"], where["scopes"], where["metadata"], where["written_by"])
        known = self._counts.get(key)
        if known is not None:
            return known
        count = tx.number("recallable_total", where)
        if count < _NODES_COUNTED_EACH_TIME:
            count = tx.number("recallable_total", {**where, "exact": True})
        else:
            # In a large store only the archive, which has no end, makes a difference; an index has it.
            count -= tx.number("archived_total", where)
            self._counts.put(key, int(count))
        return int(count)


def facts_of(tx: Transaction, access: Access, request: SearchRequest, ids: Iterable[str]) -> dict[str, RankingFacts]:
    """The facts of those nodes that are live, that the access may see, and that fit the request's filters."""
    rows = tx.rows("ranking_facts", {**scope_parameters(access), **request.filters(), "ids": json_text(list(ids))})
    return {row[0]: RankingFacts._make(row) for row in rows}


def replaced(tx: Transaction, access: Access, ids: Sequence[str]) -> list[str]:
    """Those of these nodes that may not stand for themselves: they have an end, or another node stands for them."""
    return [row[0] for row in tx.rows("nodes_replaced", {"owner": access.owner, "ids": json_text(ids)})]


def times_of(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, tuple[str, tuple[str, str] | None]]:
    """When each of these nodes was observed, and the session that it is a turn of."""
    rows = tx.rows("nodes_said", {"owner": access.owner, "ids": json_text(ids)})
    return {row[0]: (row[6], None if row[4] is None else (row[5], row[4])) for row in rows}


def heirs(tx: Transaction, access: Access, ids: Sequence[str], *, now: str) -> list[str]:
    """These nodes, and all that took the place of one another after them, by a time."""
    where = {"owner": access.owner, "ids": json_text(ids), "now": now, "limit": _MAX_HEIRS}
    return [row[0] for row in tx.rows("nodes_heirs", where)]


def replaced_by(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """The statements whose place each of these nodes took, each with the time at which it ended, the last first."""
    found: dict[str, list[tuple[str, str]]] = {}
    where = {**scope_parameters(access), "ids": json_text(ids), "limit": MAX_REPLACED_SHOWN}
    for heir, node_id, valid_to in tx.rows("nodes_replaced_by", where) if ids else ():
        found.setdefault(heir, []).append((node_id, valid_to))
    return found


def short_statements(access: Access, some: Iterable[Node]) -> list[ShortStatement]:
    """Those of these nodes that are short memos, or claims of no research task, and that nothing has replaced, by id;
    none of which the access sees only a part.
    """
    return [
        ShortStatement(node.id, node.title, node.content, node.valid_from or node.observed_at, node.created_at)
        for node in sorted(some, key=lambda node: node.id)
        if node.kind in ("memo", "claim")
        and node.task_id is None
        and node.superseded_by is None
        and len(node.content) <= _MAX_STATEMENT_CHARACTERS
        and access.sees(node.namespace, node.boundary_class)
    ]


def edges_around(
    tx: Transaction, access: Access, frontier: Sequence[str], *, per_node: int, limit: int, doubt: float = DOUBT
) -> list[WeightedEdge]:
    """The edges at these nodes: of each node at most `per_node` in either direction, at most `limit` in all. Those that
    insight found are less sure by `doubt`.
    """
    where = {**scope_parameters(access), "frontier": json_text(frontier), "each": per_node, "limit": limit}
    rows = tx.rows("edges_around", {**where, "doubt": doubt})
    return list(map(partial(tuple.__new__, WeightedEdge), rows))  # `_make` is a call of Python for each


def edges_by_names(
    tx: Transaction, access: Access, frontier: Sequence[str], *, shares: bool
) -> tuple[list[WeightedEdge], list[WeightedEdge]]:
    """The edges at these nodes that come of names in texts: to or from a text that begins with a name, as mentions; and
    if `shares`, from each text with a rare name to that name, which stands for a node (`SHARED_NAME`).
    """
    own, others = names_in_texts.around(tx, access, frontier, shares=shares)
    means = [WeightedEdge(source, target, mentions.TAG, 1.0) for source, target in names_in_texts.meant(own, others)]
    shared = names_in_texts.shared(others) if shares else []
    return means, [WeightedEdge(node_id, name, SHARED_NAME, 1.0) for node_id, name in shared]


def turns_around(tx: Transaction, access: Access, ids: Sequence[str], *, limit: int) -> list[WeightedEdge]:
    """Edges from each of these nodes that is a turn of a session to the turn before it, and to it from the turn after
    it, at most `limit`. They are read from the order of the turns, and not stored.
    """
    if not ids or limit <= 0 or not has_sessions(tx, access):
        return []
    rows = tx.rows("turns_around", {**scope_parameters(access), "ids": json_text(ids)})
    pairs = [pair for turn, before, after in rows for pair in ((turn, before), (after, turn)) if None not in pair]
    return [WeightedEdge(*pair, FOLLOWS, 1.0) for pair in dict.fromkeys(pairs)][:limit]


def has_sessions(tx: Transaction, access: Access) -> bool:
    """True if any text of the owner is a turn of a session."""
    return tx.once("has sessions", lambda: tx.row("sessions_known", {"owner": access.owner}) is not None)


def linked(tx: Transaction, access: Access, centers: Sequence[str], ids: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of one of the `centers` and one of these nodes that an edge joins, in either direction."""
    where = {"owner": access.owner, "centers": json_text(centers), "ids": json_text(ids)}
    return [(center, other) for center, other in tx.rows("edges_of_centers", where)]


def declined(tx: Transaction, access: Access, centers: Sequence[str], ids: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of one of the `centers` and one of these nodes that somebody declined to relate."""
    asked, wanted = {"owner": access.owner, "centers": json_text(centers)}, {*ids}
    return [(center, other) for center, other in tx.rows("insight_declined_of_centers", asked) if other in wanted]


def entities(tx: Transaction, access: Access, ids: Iterable[str]) -> dict[str, set[str]]:
    """The ids of the entities that each of these nodes mentions."""
    found: dict[str, set[str]] = defaultdict(set)
    for node_id, entity_id in tx.rows("entities_of", {**scope_parameters(access), "ids": json_text(list(ids))}):
        found[node_id].add(entity_id)
    return found


def disputing_edges(tx: Transaction, access: Access, ids: Iterable[str]) -> list[Edge]:
    """The edges by which one of these nodes contradicts or replaces another."""
    rows = tx.rows("disputes", {**scope_parameters(access), "ids": json_text(list(ids))})
    return [Edge(*row) for row in rows]


def helpful_counts(tx: Transaction, access: Access, some: Iterable[Node]) -> dict[str, int]:
    """How often each of these nodes was judged helpful; those that never were are left out."""
    ids = [node.id for node in some if node.utility > 0]
    return dict(tx.rows("helpful_counts", {"owner": access.owner, "ids": json_text(ids)})) if ids else {}


def _mean_deviation(count: int, total: float, squares: float) -> MeanDeviation:
    mean = total / max(count, 1)
    variance = max(squares - count * mean * mean, 0.0) / (count - 1) if count > 1 else 0.0
    # If all utilities are equal, a deviation of 1 leaves their differences 0.
    return MeanDeviation(mean, max(math.sqrt(variance), _MIN_DEVIATION) if variance > 0 else 1.0)
