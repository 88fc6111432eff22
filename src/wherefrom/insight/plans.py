"""The engine of insight: plans the relations that are worth it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Annotated, Final

from wherefrom.engine.params import Namespace, check_query, id_param
from wherefrom.engine.questions import Questions, holding
from wherefrom.engine.view import View
from wherefrom.insight.deciding import DecisionEngine, remember
from wherefrom.insight.settings import InsightSettings
from wherefrom.lazy import lazy_modules
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import Gone, InvalidInput
from wherefrom.model.graph import Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.insight import DOUBT, Decision, ExpansionRequest, InsightPlan, ProposedEdge
from wherefrom.model.param import Param
from wherefrom.storage import embeddings, insight, nodes
from wherefrom.storage.candidates import WeightedEdge
from wherefrom.storage.insight import GateObservation, Seen, StoredPlan
from wherefrom.storage.judged_texts import mark_of
from wherefrom.storage.port import SEARCHED, SearchRequest, Times, Transaction
from wherefrom.text.tokens import is_unspaced, text_of

if TYPE_CHECKING:
    from wherefrom.embedding.port import Matrix
    from wherefrom.insight import decide, expand, gates, propose, shared, told
    from wherefrom.storage.port import EmbeddingModel
else:
    decide, expand, gates, propose, shared, told = lazy_modules(
        "wherefrom.insight", "decide", "expand", "gates", "propose", "shared", "told"
    )

_MAX_CHARACTERS_COMPARED: Final = 2_000
# After that a new node is judged without a vector.
_MAX_WAIT_FOR_VECTOR: Final = timedelta(days=1)
# Of those that were judged before, one call looks through so many numbers for nodes without relations.
_SEQS_LOOKED_THROUGH: Final = 20_000
_NO_VECTORS: Final = "what fits a question is compared by vectors, and there are none: only its links speak"
_NO_VECTOR: Final = "judged by words only: some of these have no vector yet"


@dataclass(slots=True)
class _Draft:
    """A plan while it is made: its decisions in order, the edges accepted so far, and the gates by namespace.

    seen: what was judged, once the plan is applied; remaining: how many new nodes are left; texts: what each end of an
    accepted edge said (`mark_of`).
    """

    access: Access
    asked: Mapping[str, str] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    accepted: list[WeightedEdge] = field(default_factory=list)
    observed: list[GateObservation] = field(default_factory=list)
    gates: dict[str, gates.GateState] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    seen: Seen | None = None
    remaining: int = 0
    texts: dict[str, str] = field(default_factory=dict)


class InsightEngine(DecisionEngine):
    """Finds the memos that are worth linking, and links them."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._questions = Questions(view)

    def find_insight(
        self,
        memo_id: Annotated[str | None, id_param("Link this memo or claim.", option="--memo")] = None,
        *,
        query: Annotated[
            str | None,
            Param(
                "Or link what answers this question, among itself.",
                aliases=("q",),
                option="--query",
                metavar="TEXT",
                check=check_query,
            ),
        ] = None,
        namespace: Namespace = None,
        limit: Annotated[int, Param("How many new memos to judge at most.", 1, limits.INSIGHT_LIMIT)] = 50,
        apply: Annotated[bool, Param("Make the links at once.", option="--apply")] = False,
    ) -> InsightPlan:
        """Plan the links that are worth it; nothing is linked before the plan is applied.

        The plan is for a memo (or claim, or fragment) among those of its namespace (or of the one given, which it must
        be in), for what fits a question best, or with neither for everything in the namespace that is new since the
        last plan of that kind was applied, at most `limit` nodes at a time.
        """
        if memo_id is not None and query is not None:
            raise InvalidInput("give memo_id or query, not both", hint="give neither to judge everything new")
        plan = self._find(memo_id, query, namespace, limit)
        if not apply:
            return plan
        applied = self.apply_insight(plan.id)
        # With what only the search knew of it.
        links = {link.number: link for link in applied.accepted}
        decisions = tuple(
            replace(decision, links=tuple(links.get(link.number or -1, link) for link in decision.links))
            for decision in plan.decisions
        )
        done = {name: getattr(applied, name) for name in ("state", "written", "applied_at")}
        return replace(plan, decisions=decisions, **done)

    def _find(self, memo_id: str | None, query: str | None, namespace: str | None, limit: int) -> InsightPlan:
        writing = self.view.access
        if memo_id is not None:
            node = self._linkable(writing.own().narrowed(namespace), memo_id)
            within = writing.narrowed(node.namespace if namespace is None else namespace)
            return self._keep(self._judge(_Draft(within, {"memo_id": node.id}), [node]))
        draft = _Draft(writing.narrowed(writing.resolve(namespace)))
        if query is None:
            return self._keep(self._judge(draft, self._new_nodes(draft, None, limit)))
        question, draft.degraded = self._questions.question(query, None, draft.access)
        if question.vector is None:
            draft.degraded += (_NO_VECTORS,)
        draft.asked = {"query": question.text}
        self._decide(draft, question, None, namespace=draft.access.root)
        return self._keep(draft)

    def link_saved(self, node: Node) -> tuple[tuple[ProposedEdge, ...], tuple[str, ...]]:
        """Judge a node that was just saved, among those of its namespace, and make its links at once."""
        access = self.view.access.narrowed(node.namespace)
        if not self._is_linkable(access, node.id):
            return (), ("not linked: it was replaced or rejected",)
        kept, moment = self._plan(self._judge(_Draft(access, {"memo_id": node.id}), [node])), self.store.clock()
        known = self.view.boundary.policies

        def work(tx: Transaction) -> InsightPlan:
            if not kept.plan.accepted:
                remember(tx, access, kept.observed, known, now=self.view.now())
                return kept.plan
            insight.keep(tx, access, kept, moment=moment)
            numbers = [link.number for link in kept.plan.accepted]
            said = told.told_plan(tx, access, self.store.text_search, kept.plan, neighbours=False)
            return insight.stated(tx, access, self._apply(tx, access, replace(kept, plan=said), numbers, known))

        done = self.store.database.write(work)
        return tuple(link for link in done.accepted if link.state == "made"), kept.plan.degraded

    def find_after(
        self, before: Seen, *, limit: int, planned: list[WeightedEdge]
    ) -> tuple[InsightPlan | None, int, Seen]:
        """Judge the oldest nodes of the root that were not seen `before`, then some that have no relation yet, next to
        the edges that are `planned`, to which it adds its own. Returns the plan, or None if no link is worth it; how
        many nodes were judged; and what was seen by then.
        """
        access = self.view.access
        draft = _Draft(access.narrowed(access.root), accepted=planned)
        found = self._new_nodes(draft, before, limit)
        seen = draft.seen or before
        self._judge(draft, found)
        if any(decision.accepted for decision in draft.decisions):
            return self._keep(draft), len(found), seen
        if draft.observed:
            known, now = self.view.boundary.policies, self.view.now()
            self.store.database.write(lambda tx: remember(tx, draft.access, draft.observed, known, now=now))
        return None, len(found), seen

    def _linkable(self, access: Access, node_id: str) -> Node:
        """Return the node with this id; raises if it cannot be linked."""
        node = self.store.database.read(lambda tx: nodes.get(tx, access, node_id))
        if node.kind not in SEARCHED:
            raise InvalidInput(f"{node.id} is a {node.kind}; {', '.join(SEARCHED)}s are linked")
        if not self._is_linkable(access, node.id):
            raise Gone(f"{node.id} has expired, or was replaced or rejected", hint="nothing is linked to it any more")
        return node

    def _is_linkable(self, access: Access, node_id: str) -> bool:
        holds = holding(access, self.view.boundary.policies)

        def look(tx: Transaction) -> bool:
            known = insight.linkable(tx, access, [node_id], now=self.view.now())
            return bool(known) and (holds is None or node_id in holds(tx, [node_id]))

        return self.store.database.read(look)

    def _new_nodes(self, draft: _Draft, before: Seen | None, limit: int) -> list[Node]:
        """Return the oldest nodes that were not seen before, or else by the last applied plan, and then some that have
        no relation yet; the draft notes which were seen with them.
        """
        access, now = draft.access, self.view.now()
        upto = self.store.database.write(lambda tx: insight.settled(tx, access))

        def look(tx: Transaction) -> tuple[Seen, list[tuple[int, Node]], int]:
            seen = insight.seen(tx, access) if before is None else before
            return seen, *insight.new_nodes(tx, access, after=seen.seq, upto=upto, now=now, limit=limit)

        seen, found, total = self.store.database.read(look)
        found = found[: self._ready(access, [node for _, node in found])]
        draft.asked, draft.remaining = {"since": str(seen.seq)}, total - len(found)
        after = replace(seen, seq=found[-1][0] if found else seen.seq, judged=seen.judged + len(found))
        draft.seen, again = self._find_again(draft, seen, after, limit=limit - len(found))
        return [*(node for _, node in found), *again]

    def _find_again(self, draft: _Draft, before: Seen, after: Seen, *, limit: int) -> tuple[Seen, list[Node]]:
        """Return nodes that were judged when there was less, and have no relation yet, nor one that waits, the oldest
        first; and what was judged with them. A round begins when nothing new is left and there is enough more than at
        the last one: what is new was judged next to all that there is.
        """
        access = draft.access
        if draft.remaining:
            return after, []
        settings = self.view.boundary.policies.at(access.root).settings(InsightSettings).again
        if after.again_at == 0:
            return replace(after, again_at=after.judged), []
        if after.again_seq >= after.again_end and after.judged >= (1.0 + settings.growth) * after.again_at:
            after = replace(after, again_at=after.judged, again_seq=0, again_end=before.seq)
        most, until = min(limit, settings.limit), min(after.again_end, after.again_seq + _SEQS_LOOKED_THROUGH)
        if most <= 0 or after.again_seq >= until:
            return after, []
        now = self.view.now()
        found = self.store.database.read(
            lambda tx: insight.unlinked_nodes(tx, access, after=after.again_seq, upto=until, now=now, limit=most)
        )
        reached = found[-1][0] if len(found) == most else until
        linked = {end for edge in draft.accepted for end in (edge.source_id, edge.target_id)}
        return replace(after, again_seq=reached), [node for _, node in found if node.id not in linked]

    def _ready(self, access: Access, some: Sequence[Node]) -> int:
        """Return the number of nodes before the first that waits for its vector; after a day one is judged without."""
        if self.store.embedder is None:
            return len(some)
        _, vectors = self.store.database.read(lambda tx: _vectors(tx, access, some))
        lately = timestamp(self.store.clock() - _MAX_WAIT_FOR_VECTOR)
        waiting = (at for at, node in enumerate(some) if node.id not in vectors and node.created_at > lately)
        return next(waiting, len(some))

    def _judge(self, draft: _Draft, some: Sequence[Node]) -> _Draft:
        """Decide about each of these nodes, with what was accepted for those before it; return the same draft."""
        model, vectors = self.store.database.read(lambda tx: _vectors(tx, draft.access, some))
        now = self.view.now()
        draft.texts |= {node.id: mark_of(node.content_hash) for node in some}
        for node in some:
            words = shared.without_endings(text_of(node.title, node.content)[:_MAX_CHARACTERS_COMPARED])
            question = SearchRequest(words, vectors.get(node.id), model, times=Times(now, holding=True))
            self._decide(draft, question, node.id, namespace=node.namespace)
        if self.store.embedder is not None and len(vectors) < len(some):
            draft.degraded = (_NO_VECTOR,)
        return draft

    def _decide(self, draft: _Draft, question: SearchRequest, center_id: str | None, *, namespace: str) -> None:
        known, trust = self.view.boundary.policies, self._questions.trust()
        linking, holds = known.at(namespace).settings(InsightSettings), holding(draft.access, known)
        alpha = trust.alpha_unspaced if is_unspaced(question.text) else trust.alpha

        def index(tx: Transaction) -> propose.Index:
            text, vectors = self.store.text_search, self.store.database.vectors
            return propose.Index(tx, draft.access, text, vectors, alpha, trust.floor, holds)

        def work(tx: Transaction) -> propose.Staged:
            if namespace not in draft.gates:
                draft.gates[namespace] = gates.from_json(insight.gates(tx, draft.access, namespace))
            return propose.compose(index(tx), question, center_id=center_id, linking=linking, planned=draft.accepted)

        def search_again(staged: propose.Staged, request: ExpansionRequest) -> propose.Staged | None:
            planned = draft.accepted
            return self.store.database.read(
                lambda tx: expand.expand(index(tx), question, staged, request, linking=linking, planned=planned)
            )

        staged, state, cache = self.store.database.read(work), draft.gates[namespace], self.store.pair_cache
        decision, draft.gates[namespace] = decide.decide(staged, state, search_again, linking=linking, cache=cache)
        decision = self._tag(draft, decision, linking)
        draft.decisions.append(decision)
        # As strong as they are followed once they are written.
        draft.accepted += [
            WeightedEdge(edge.source_id, edge.target_id, edge.tag, edge.weight * (edge.confidence - DOUBT))
            for edge in decision.accepted
        ]
        first, fired = decision.cycles[0], any(metrics.ag for metrics in decision.cycles)
        if first.input_contract_ok:
            values = tuple(round(edge.figures.g, 6) for edge in decision.links)
            draft.observed.append(GateObservation(namespace, round(first.g0, 6), values, fired))

    def _tag(self, draft: _Draft, decision: Decision, linking: InsightSettings) -> Decision:
        """Return a decision whose accepted links have a tag of what joins their ends, which the draft notes."""
        if not decision.accepted:
            return decision
        subject, accepted = linking.candidates.subject, decision.accepted
        links, texts = self.store.database.read(lambda tx: told.tagged(tx, draft.access, accepted, subject=subject))
        draft.texts = {**texts, **draft.texts}
        return replace(decision, links=(*links, *(link for link in decision.links if not link.accepted)))

    def _plan(self, draft: _Draft) -> StoredPlan:
        root, decisions = draft.access.root, tuple(draft.decisions)
        numbers = count(1)
        decisions = tuple(
            replace(decision, links=tuple(_numbered(link, numbers) for link in decision.links))
            for decision in decisions
        )
        plan = InsightPlan(self.store.new_id(), root, "proposed", draft.asked, self.view.now(), decisions)
        plan = replace(plan, judged=len(decisions), remaining=draft.remaining, degraded=draft.degraded)
        sight, observed = insight.sight(draft.access), tuple(draft.observed)
        return StoredPlan(plan, root, sight, observed, draft.seen, texts=draft.texts)

    def _keep(self, draft: _Draft) -> InsightPlan:
        """Store the plan that a draft has become, and return it as it is shown."""
        kept, moment = self._plan(draft), self.store.clock()

        def work(tx: Transaction) -> InsightPlan:
            insight.keep(tx, draft.access, kept, moment=moment)
            return self._show(tx, draft.access, kept)

        return self.store.database.write(work)


def _vectors(tx: Transaction, access: Access, some: Sequence[Node]) -> tuple[EmbeddingModel | None, dict[str, Matrix]]:
    model = embeddings.active(tx)
    return model, {} if model is None else embeddings.of_nodes(tx, access, [node.id for node in some], model)


def _numbered(link: ProposedEdge, numbers: Iterator[int]) -> ProposedEdge:
    return replace(link, number=next(numbers)) if link.accepted else link
