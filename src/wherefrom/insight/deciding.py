"""The decisions about plans of relations: made, made in part, declined, taken back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from wherefrom.engine.boundary import cleaned
from wherefrom.engine.params import id_param
from wherefrom.engine.questions import holding
from wherefrom.engine.view import Engine
from wherefrom.insight.choosing import Only, chosen
from wherefrom.insight.settings import InsightSettings
from wherefrom.lazy import lazy_modules
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict
from wherefrom.model.identifiers import timestamp
from wherefrom.model.insight import InsightPlan, ProposedEdge
from wherefrom.model.param import Param
from wherefrom.storage import events, insight, nodes, upkeep_counts
from wherefrom.storage.insight import GateObservation, StoredPlan
from wherefrom.storage.port import Transaction
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.insight import gates, told
    from wherefrom.policy.boundary import Policies
else:
    gates, told = lazy_modules("wherefrom.insight", "gates", "told")

# What nobody has decided about; of what is left out, that is what was not chosen.
_OPEN: Final = ("open", "left_out")
# The nodes around the proposed edges are named for a picture of them.
_MAX_NODES_NAMED_AROUND: Final = 60


class DecisionEngine(Engine):
    """Carries out what somebody decides about a plan."""

    def apply_insight(
        self,
        plan_id: Annotated[
            str,
            id_param("Make the links of this plan.", refers="plan", name="apply_plan_id", option="--apply-plan"),
        ],
        *,
        only: Only = (),
    ) -> InsightPlan:
        """Make the links of a plan, or `only` some of them, all or none. Those that nobody decided about can be made
        later; what was made or declined before stays as it is, unless `only` names what was declined.
        """
        access, known = self.view.access, self.view.boundary.policies

        def work(tx: Transaction) -> InsightPlan:
            kept = self._decidable(tx, access, plan_id)
            numbers = chosen(kept.plan, only)
            if numbers is None:
                numbers = frozenset(link.number for link in kept.plan.accepted if link.state in _OPEN) - kept.chosen
            else:
                numbers -= {link.number for link in kept.plan.accepted if link.state == "made"}
                insight.take_back(tx, access, kept, numbers)
            if numbers or kept.plan.state != "applied":
                kept = self._apply(tx, access, kept, numbers, known)
            return self._show(tx, access, kept)

        return self.store.database.write(work)

    def decline_insight(
        self,
        plan_id: Annotated[
            str,
            id_param("Decline the links of this plan.", refers="plan", name="decline_plan_id", option="--decline"),
        ],
        *,
        only: Only = (),
        reason: Annotated[str | None, Param("Why they are declined.", check=check.check_reason)] = None,
    ) -> InsightPlan:
        """Decline the links of a plan that were not made, or `only` some of them: they are not proposed again, unless
        the text of one of the two ends changes. `undo_insight` takes it back.
        """
        access, known = self.view.access, self.view.boundary.policies

        def work(tx: Transaction) -> InsightPlan:
            kept, now = self._decidable(tx, access, plan_id), self.view.now()
            made = {link.number for link in kept.plan.accepted if link.state == "made"}
            numbers = chosen(kept.plan, only)
            if numbers is not None and numbers & made:
                raise Conflict(f"relation {min(numbers & made)} was made", hint="undo takes it back")
            if numbers is None:
                numbers = frozenset(link.number for link in kept.plan.accepted) - made
            said = reason and cleaned(reason, known.at(kept.namespace))
            count = insight.decline(tx, access, kept, numbers, reason=said or None, now=now)
            # From now on somebody has decided about it.
            learns = kept.plan.applied_at is None
            kept, _ = insight.apply(tx, access, replace(kept, chosen=kept.chosen - numbers), (), now=now)
            if learns:
                remember(tx, access, kept.observed, known, now=self.view.now())
            self._note(tx, access, kept, {"state": "declined", "links": count}, now=now)
            return self._show(tx, access, kept)

        return self.store.database.write(work)

    def undo_insight(
        self,
        plan_id: Annotated[
            str,
            id_param("Take back the links that this plan made.", refers="plan", name="undo_plan_id", option="--undo"),
        ],
        *,
        only: Only = (),
    ) -> InsightPlan:
        """Remove the links that a plan made, or `only` some of them; those that were changed since stay. What was
        declined in it may be proposed again. If nobody had decided about the others yet, all of them wait again. What
        was new when it was made is not new again.
        """
        access = self.view.access

        def work(tx: Transaction) -> InsightPlan:
            kept = insight.get(tx, access, plan_id, moment=self.store.clock())
            if kept.plan.state == "proposed":
                raise Conflict(f"plan {plan_id} was not applied", hint="there is nothing to undo")
            numbers = chosen(kept.plan, only)
            if kept.plan.state == "applied":
                now, everything = self.view.now(), frozenset(link.number for link in kept.plan.accepted)
                kept, removed = insight.undo(tx, access, kept, everything if numbers is None else numbers, now=now)
                self._note(tx, access, kept, {"state": "undone", "links": removed}, now=now)
            return self._show(tx, access, kept)

        return self.store.database.write(work)

    def insight_plan(
        self, plan_id: Annotated[str, id_param("Read this plan again.", refers="plan", option="--plan")]
    ) -> InsightPlan:
        """Read a plan again: the links that it found worth making, made or not."""
        access = self.view.access
        return self.store.database.read(
            lambda tx: self._show(tx, access, insight.get(tx, access, plan_id, moment=self.store.clock()))
        )

    def _decidable(self, tx: Transaction, access: Access, plan_id: str) -> StoredPlan:
        """Return a plan that can be decided about, with the state of each link."""
        moment = self.store.clock()
        kept = insight.get(tx, access, plan_id, moment=moment)
        if kept.plan.undone_at is not None and kept.plan.undone_at < timestamp(moment - insight.PROPOSED_FOR):
            days = insight.PROPOSED_FOR.days
            raise Conflict(f"plan {plan_id} was undone more than {days} days ago", hint="find_insight makes a new one")
        stated = insight.stated(tx, access, kept)
        return replace(kept, plan=told.told_plan(tx, access, self.store.text_search, stated, neighbours=False))

    def _apply(
        self, tx: Transaction, access: Access, kept: StoredPlan, numbers: Collection[int], known: Policies
    ) -> StoredPlan:
        """Write some edges of a plan, the first time what the gates saw, and the event."""
        now, is_first = self.view.now(), kept.plan.applied_at is None
        kept, made = insight.apply(tx, access, kept, numbers, now=now, holds=holding(access, known))
        if is_first:
            remember(tx, access, kept.observed, known, now=self.view.now())
        self._note(tx, access, kept, {"state": "applied", "judged": kept.plan.judged, "links": made}, now=now)
        return kept

    def _note(self, tx: Transaction, access: Access, kept: StoredPlan, done: Mapping[str, Any], *, now: str) -> None:
        """Record as an event what was decided about a plan, and count what still waits."""
        about = events.about_place(access, kept.namespace, part_of=kept.plan.id)
        events.record(tx, access, "insight", {"plan_id": kept.plan.id, **done}, about=about, at=now)
        upkeep_counts.recount(tx, access)

    def _show(self, tx: Transaction, access: Access, kept: StoredPlan) -> InsightPlan:
        """Return the plan with those of its edges, and of the nodes at and around them, that the access may see."""
        stated = insight.stated(tx, access, kept)
        plan = told.told_plan(tx, access, self.store.text_search, stated, neighbours=True)
        ids: set[str] = set()
        around: set[str] = set()
        for decision in plan.decisions:
            ids.update(decision.center_ids, *map(_ends, decision.links))
            around.update(*decision.around)
        named = [*sorted(ids), *sorted(around - ids)[:_MAX_NODES_NAMED_AROUND]]
        known = nodes.refs(tx, access, named, beginnings=True)
        seen = {ref.id for ref in known}
        decisions = tuple(
            replace(decision, links=tuple(link for link in decision.links if _ends(link) <= seen))
            for decision in plan.decisions
        )
        return replace(plan, decisions=decisions, nodes=known)


def remember(tx: Transaction, access: Access, seen: Sequence[GateObservation], known: Policies, *, now: str) -> None:
    """Let the gates of each namespace learn from what they saw."""
    for namespace in dict.fromkeys(observed.namespace for observed in seen):
        settings = known.at(namespace).settings(InsightSettings).gates
        state = gates.from_json(insight.gates(tx, access, namespace))
        for saw in (observed for observed in seen if observed.namespace == namespace):
            state = gates.observed(state, settings, g0=saw.g0, links=saw.links, fired=saw.fired)
        insight.remember(tx, access, namespace, gates.to_json(state), now=now)


def _ends(link: ProposedEdge) -> set[str]:
    return {link.source_id, link.target_id}
