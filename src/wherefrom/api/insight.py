"""Verbs of insight: find the links that are worth it, apply them, undo that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Final

from wherefrom.api.asking import SEARCHED, Asking, holding
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, Gone, InvalidInput
from wherefrom.model.graph import Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.insight import Decision, InsightPlan, ProposedLink
from wherefrom.storage import embeddings, events, insight, nodes
from wherefrom.storage.insight import Kept, Observed
from wherefrom.storage.port import Transaction
from wherefrom.storage.question import Question
from wherefrom.storage.standings import Link
from wherefrom.text import check
from wherefrom.text.tokens import is_unspaced, text_of

if TYPE_CHECKING:
    from wherefrom.embedding.port import Matrix
    from wherefrom.graph.paths import PairCache
    from wherefrom.insight.gates import GateState
    from wherefrom.storage.port import Model

# So much of a text is looked for in others.
_WORDS: Final = 2_000
# So long what is new waits for its vector before it is judged without.
_WAITING: Final = timedelta(days=1)
# So many of the nodes around the links are named, for a picture of them.
_NAMED_AROUND: Final = 60
_NO_VECTORS: Final = "what fits a question is compared by vectors, and there are none: only its links speak"
_NO_VECTOR: Final = "judged by words only: some of these have no vector yet"


@dataclass(slots=True)
class _Finding:
    """A plan while it is made: decisions in order, links accepted so far, and the gates by namespace."""

    access: Access
    decisions: list[Decision] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    observed: list[Observed] = field(default_factory=list)
    gates: dict[str, GateState] = field(default_factory=dict)


class InsightVerbs(Asking):
    """What is worth linking."""

    def find_insight(
        self, memo_id: str | None = None, *, query: str | None = None, namespace: str | None = None, limit: int = 50
    ) -> InsightPlan:
        """A plan of the links that are worth it: for a memo (or claim, or fragment) among those of its namespace (or
        of the one given, which it must be in), for what fits a question best, or with neither for everything in the
        namespace that is new since the last plan of that kind was applied, at most `limit` nodes at a time. Nothing
        is linked before the plan is applied.
        """
        if memo_id is not None and query is not None:
            raise InvalidInput("give memo_id or query, not both", hint="give neither to judge everything new")
        limit = check.check_whole(limit, field="limit", low=1, high=limits.INSIGHT_LIMIT)
        if memo_id is not None:
            node = self._linkable(memo_id, namespace)
            finding = _Finding(self._access.narrowed(node.namespace if namespace is None else namespace))
            degraded = self._judge(finding, [node])
            return self._proposed(finding.access, self._kept(finding, {"memo_id": node.id}, degraded, judged=1))
        access = self._access.narrowed(self._access.resolve(namespace))
        finding = _Finding(access)
        if query is not None:
            question, degraded = self._question(query, None, access)
            question = replace(question, kinds=SEARCHED)
            if question.vector is None:
                degraded = (*degraded, _NO_VECTORS)
            self._decide(finding, question, None, namespace=access.root)
            return self._proposed(access, self._kept(finding, {"query": question.text}, degraded, judged=1))
        return self._find_new(finding, limit)

    def apply_insight(self, plan_id: str) -> InsightPlan:
        """Make the links of a plan, all or none; one that was applied stays as it is."""
        known_id = check.check_id(plan_id, field="plan_id")
        access = self._access

        def work(tx: Transaction) -> InsightPlan:
            kept = insight.get(tx, access, known_id, moment=self._clock())
            if kept.plan.state == "undone":
                raise Conflict(f"plan {known_id} was undone", hint="find_insight makes a new one")
            if kept.plan.state == "proposed":
                kept = self._applied(tx, access, kept)
            return self._shown(tx, access, kept.plan)

        return self._database.write(work)

    def undo_insight(self, plan_id: str) -> InsightPlan:
        """Remove the links that a plan made; those that were changed since stay. What was new when it was made is
        not new again.
        """
        known_id = check.check_id(plan_id, field="plan_id")
        access = self._access

        def work(tx: Transaction) -> InsightPlan:
            kept = insight.get(tx, access, known_id, moment=self._clock())
            if kept.plan.state != "undone":
                now = self._now()
                kept, removed = insight.undo(tx, access, kept, now=now)
                payload = {"plan_id": known_id, "state": "undone", "links": removed}
                events.record(tx, access, "insight", payload, namespace=kept.namespace, at=now)
            return self._shown(tx, access, kept.plan)

        return self._database.write(work)

    def _link_saved(self, node: Node) -> tuple[tuple[ProposedLink, ...], tuple[str, ...]]:
        """Judge a node that was just saved, among those of its namespace, and make its links at once."""
        finding = _Finding(self._access.narrowed(node.namespace))
        access = finding.access
        if not self._is_linkable(access, node.id):
            return (), ("not linked: it was replaced or rejected",)
        degraded = self._judge(finding, [node])
        kept, moment = self._kept(finding, {"memo_id": node.id}, judged=1), self._clock()

        def work(tx: Transaction) -> tuple[insight.Key, ...]:
            if not kept.plan.accepted:
                self._remember(tx, access, kept.observed)
                return ()
            insight.keep(tx, access, kept, moment=moment)
            return self._applied(tx, access, kept).made

        made = self._database.write(work)
        links = (link for link in kept.plan.accepted if (link.source_id, link.target_id, link.tag) in made)
        return tuple(links), degraded

    def _linkable(self, memo_id: str, namespace: str | None) -> Node:
        """The node with this id, if it is one that can be linked."""
        node_id = check.check_id(memo_id, field="memo_id")
        access = self._access.narrowed(namespace)
        node = self._database.read(lambda tx: nodes.get(tx, access, node_id))
        if node.kind not in SEARCHED:
            raise InvalidInput(f"{node.id} is a {node.kind}; {', '.join(SEARCHED)}s are linked")
        if not self._is_linkable(access, node.id):
            raise Gone(f"{node.id} has expired, or was replaced or rejected", hint="nothing is linked to it any more")
        return node

    def _is_linkable(self, access: Access, node_id: str) -> bool:
        holds = self._holds(access)

        def look(tx: Transaction) -> bool:
            known = insight.linkable(tx, access, [node_id], now=self._now())
            return bool(known) and (holds is None or node_id in holds(tx, [node_id]))

        return self._database.read(look)

    def _holds(self, access: Access) -> insight.Holds | None:
        """What says which nodes keep the invariants of the policy; None if it has none."""
        return holding(access, self._boundary.in_force().policies)

    @cached_property
    def _pair_cache(self) -> PairCache:
        from wherefrom.graph.paths import PairCache

        return PairCache()

    def _find_new(self, finding: _Finding, limit: int) -> InsightPlan:
        access, now = finding.access, self._now()
        upto = self._database.write(lambda tx: insight.settled(tx, access))

        def look(tx: Transaction) -> tuple[int, list[tuple[int, Node]], int]:
            after = insight.seen(tx, access)
            return after, *insight.new_nodes(tx, access, after=after, upto=upto, kinds=SEARCHED, now=now, limit=limit)

        after, found, total = self._database.read(look)
        found = found[: self._ready(access, [node for _, node in found])]
        degraded = self._judge(finding, [node for _, node in found])
        kept = self._kept(
            finding,
            {"since": str(after)},
            degraded,
            judged=len(found),
            seen_seq=found[-1][0] if found else after,
            remaining=total - len(found),
        )
        return self._proposed(access, kept)

    def _ready(self, access: Access, some: Sequence[Node]) -> int:
        """How many come before the first that waits for its vector; what has waited for a day is judged without."""
        if self._embedder is None:
            return len(some)
        _, vectors = self._database.read(lambda tx: _vectors(tx, access, some))
        lately = timestamp(self._clock() - _WAITING)
        waiting = (at for at, node in enumerate(some) if node.id not in vectors and node.created_at > lately)
        return next(waiting, len(some))

    def _judge(self, finding: _Finding, some: Sequence[Node]) -> tuple[str, ...]:
        """Decide about each of these nodes; links accepted for one count for those after it."""
        access = finding.access
        model, vectors = self._database.read(lambda tx: _vectors(tx, access, some))
        now = self._now()
        for node in some:
            words = text_of(node.title, node.content)[:_WORDS]
            question = Question(words, vectors.get(node.id), model, kinds=SEARCHED, now=now)
            self._decide(finding, question, node.id, namespace=node.namespace)
        return (_NO_VECTOR,) if self._embedder is not None and len(vectors) < len(some) else ()

    def _decide(self, finding: _Finding, question: Question, center_id: str | None, *, namespace: str) -> None:
        from wherefrom.insight import conductor, cycle, gates

        linking = self._boundary.at(namespace).linking

        def work(tx: Transaction) -> conductor.Staged:
            if namespace not in finding.gates:
                finding.gates[namespace] = gates.from_json(insight.gates(tx, finding.access, namespace))
            trust = self._trust()
            alpha = trust.alpha_unspaced if is_unspaced(question.text) else trust.alpha
            index = conductor.Index(
                tx,
                finding.access,
                self._text_search,
                self._database.vectors,
                alpha=alpha,
                floor=trust.floor,
                holds=self._holds(finding.access),
            )
            return conductor.compose(index, question, center_id=center_id, linking=linking, planned=finding.links)

        staged = self._database.read(work)
        decision, state = cycle.decide(staged, finding.gates[namespace], linking=linking, cache=self._pair_cache)
        finding.gates[namespace] = state
        finding.decisions.append(decision)
        # As strong as they are once they are written.
        finding.links += [
            Link(link.source_id, link.target_id, link.tag, link.weight * link.confidence) for link in decision.accepted
        ]
        if not decision.cycles[0].input_contract_ok:
            return
        finding.observed.append(
            Observed(
                namespace,
                round(decision.cycles[0].g0, 6),
                tuple(round(link.figures.g, 6) for link in decision.links),
                any(metrics.ag for metrics in decision.cycles),
            )
        )

    def _kept(
        self,
        finding: _Finding,
        asked: Mapping[str, str],
        degraded: tuple[str, ...] = (),
        *,
        judged: int,
        seen_seq: int | None = None,
        remaining: int = 0,
    ) -> Kept:
        access = finding.access
        plan = InsightPlan(
            id=self._new_id(),
            root_namespace=access.root,
            state="proposed",
            asked=asked,
            created_at=self._now(),
            decisions=tuple(finding.decisions),
            judged=judged,
            remaining=remaining,
            degraded=degraded,
        )
        return Kept(plan, access.root, insight.sight(access), tuple(finding.observed), seen_seq)

    def _proposed(self, access: Access, kept: Kept) -> InsightPlan:
        """Keep a plan, and show it."""
        moment = self._clock()

        def work(tx: Transaction) -> InsightPlan:
            insight.keep(tx, access, kept, moment=moment)
            return self._shown(tx, access, kept.plan)

        return self._database.write(work)

    def _applied(self, tx: Transaction, access: Access, kept: Kept) -> Kept:
        """Write the links, what the gates saw, and the event."""
        now = self._now()
        kept = insight.apply(tx, access, kept, now=now, holds=self._holds(access))
        self._remember(tx, access, kept.observed)
        payload = {"plan_id": kept.plan.id, "state": "applied", "judged": kept.plan.judged, "links": kept.plan.written}
        events.record(tx, access, "insight", payload, namespace=kept.namespace, at=now)
        return kept

    def _remember(self, tx: Transaction, access: Access, seen: Sequence[Observed]) -> None:
        """Let the gates of each namespace learn from what they saw."""
        from wherefrom.insight import gates

        by_namespace: dict[str, list[Observed]] = defaultdict(list)
        for each in seen:
            by_namespace[each.namespace].append(each)
        for namespace, some in by_namespace.items():
            settings = self._boundary.at(namespace).linking.gates
            state = gates.from_json(insight.gates(tx, access, namespace))
            for each in some:
                state = gates.observed(state, settings, g0=each.g0, links=each.links, fired=each.fired)
            insight.remember(tx, access, namespace, gates.to_json(state), now=self._now())

    def _shown(self, tx: Transaction, access: Access, plan: InsightPlan) -> InsightPlan:
        """The plan with the ends of its links, and the nodes around them, as far as the access may see them; without
        links to what it may not see any more.
        """
        ids = {
            end for decision in plan.decisions for link in decision.links for end in (link.source_id, link.target_id)
        }
        ids |= {center for decision in plan.decisions for center in decision.center_ids}
        around = {end for decision in plan.decisions for pair in decision.around for end in pair}
        named = [*sorted(ids), *sorted(around - ids)[:_NAMED_AROUND]]
        known = nodes.beginnings(tx, access, named)
        seen = {ref.id for ref in known}
        decisions = (
            replace(each, links=tuple(link for link in each.links if {link.source_id, link.target_id} <= seen))
            for each in plan.decisions
        )
        return replace(plan, decisions=tuple(decisions), nodes=known)


def _vectors(tx: Transaction, access: Access, some: Sequence[Node]) -> tuple[Model | None, dict[str, Matrix]]:
    model = embeddings.active(tx)
    return model, {} if model is None else embeddings.of_nodes(tx, access, [node.id for node in some], model)
