"""The engine of metabolism: let go of what is redundant, make a relation thicker or thinner."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from wherefrom.engine.params import Namespace, SourceId, SourceWithin, Tag, TargetId
from wherefrom.engine.view import Engine, silent
from wherefrom.lazy import lazy_modules
from wherefrom.metabolism.settings import RUN_SETTINGS, MetabolismSettings
from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import WherefromError
from wherefrom.model.metabolism import MetabolismPlan, Orphans, Reinforced
from wherefrom.model.param import Param, parameters_of
from wherefrom.storage import edges, embeddings, events, metabolism, receipts
from wherefrom.storage.metabolism import Clocks, MeasuredGraph, Run
from wherefrom.storage.port import Progress, Transaction

if TYPE_CHECKING:
    from wherefrom.metabolism import apply as application
    from wherefrom.metabolism import plan
    from wherefrom.metabolism.removals import Removals
    from wherefrom.policy.boundary import Policies
else:
    application, plan = lazy_modules("wherefrom.metabolism", "apply", "plan")

logger = logging.getLogger("wherefrom")


def _setting(key: str, **spelt: Any) -> Param:
    """A setting of one run, declared as policies have it."""
    setting = parameters_of(MetabolismSettings)[key]
    usual = setting.default if isinstance(setting.default, str) else f"{setting.default:g}"
    return replace(setting.param, text=f"{setting.param.text} Omit: by policy ({usual}).", **spelt)


class MetabolismEngine(Engine):
    """Lets go of what may go."""

    def metabolize(
        self,
        namespace: Namespace = None,
        *,
        apply: Annotated[bool, Param("Let it go; without it nothing is changed.")] = False,
        half_life_days: Annotated[float | None, _setting("half_life_days")] = None,
        prune_threshold: Annotated[float | None, _setting("prune_threshold")] = None,
        protection_hours: Annotated[
            float | None, _setting("protection_hours", aliases=("min_survival_protection_hours",))
        ] = None,
        mdl_neighbours: Annotated[int | None, _setting("mdl_neighbours", aliases=("mdl_k_neighbors",))] = None,
        mdl_benefit: Annotated[float | None, _setting("mdl_benefit")] = None,
        orphans: Annotated[Orphans | None, _setting("orphans")] = None,
        figures: Annotated[bool, Param(only="code")] = False,
        progress: Progress = silent,
    ) -> MetabolismPlan:
        """Plan what may go from a namespace and those below it, with what is spared and why; with `apply` carry it
        out, with a receipt for everything that goes.

        What is not given is what the policy says for each namespace. `figures` adds how relations and weak nodes are
        distributed. `progress` hears of the steps of a plan, or with `apply` of what is let go.

        A run that was cut off is completed by the next one that is asked for in the same way.
        """
        values = half_life_days, prune_threshold, protection_hours, mdl_neighbours, mdl_benefit, orphans
        given = {name: value for name, value in zip(RUN_SETTINGS, values, strict=True) if value is not None}
        writing = self.view.access
        access = writing.narrowed(writing.resolve(namespace))
        if not apply:
            return self._planned(access, given, figures=figures, progress=progress)
        run_id, moment = self.store.new_id(), self.store.clock()
        measured = self.store.database.read(lambda tx: metabolism.newest(tx, access, moment))
        run = self.store.database.write(
            lambda tx: metabolism.begin(tx, access, run_id, asked=given, moment=moment, measured=measured)
        )
        return self._carried_out(access, run, given, figures=figures, progress=progress)

    def reinforce(
        self,
        source_id: SourceId,
        target_id: TargetId,
        *,
        tag: Tag,
        weaken: Annotated[bool, Param("Trust it less instead of more.")] = False,
        namespace: SourceWithin = None,
    ) -> Reinforced:
        """Strengthen a relation that proved right (it counts as observed now), or weaken one that did not."""
        key, access = (source_id, target_id, tag), self.view.access
        within = None if namespace is None else access.resolve(namespace)
        measure = self.view.measure(access)

        def work(tx: Transaction) -> Reinforced:
            now = self.view.now()
            reinforced = edges.reinforce(tx, access, key, weaken=weaken, now=now, measure=measure, within=within)
            edge, before = reinforced.edge, reinforced.before
            figures = {"weight": [before.weight, edge.weight], "confidence": [before.confidence, edge.confidence]}
            payload = {"source_memo_id": source_id, "target_memo_id": target_id, "tag": tag, **figures}
            events.record(tx, access, "reinforce", payload, about=events.about_edge(edge), at=now)
            return reinforced

        return self.store.database.write(work)

    def _planned(
        self, access: Access, given: Mapping[str, Any], *, figures: bool, progress: Progress
    ) -> MetabolismPlan:
        moment, known = self.store.clock(), self.view.boundary.policies

        def look(tx: Transaction) -> MetabolismPlan:
            newest = metabolism.newest(tx, access, moment)
            settings = _settings(tx, access, known, given, newest)
            graph = MeasuredGraph(tx, access, Clocks(moment, newest, settings))
            embed = embeddings.embed_now(tx, self.store.embedder)
            return plan.make(graph, settings, figures=figures, progress=progress, embed=embed).plan

        return self.store.database.read(look)

    def _carried_out(
        self, access: Access, run: Run, given: Mapping[str, Any], *, figures: bool, progress: Progress
    ) -> MetabolismPlan:
        """Plan, apply, and give the run back; one that is interrupted can be completed."""
        moment, known = datetime.fromisoformat(run.moment), self.view.boundary.policies
        settings = self.store.database.read(lambda tx: _settings(tx, access, known, given, run.newest))
        clocks = Clocks(moment, run.newest, settings)
        work = application.PlanApplication(self.store.database, access, clocks, self.store.clock, run, progress)
        try:
            let_go = self.store.database.read(lambda tx: metabolism.let_go(tx, access, run)) if run.resumed else {}

            def make(tx: Transaction) -> Removals:
                graph = MeasuredGraph(tx, access, clocks)
                embed = embeddings.embed_now(tx, self.store.embedder)
                return plan.make(graph, settings, let_go=let_go, figures=figures, beat=work.beat, embed=embed)

            removals = self.store.database.read(make)
            work.apply(removals)
        except BaseException:
            self._give_back(access, work)
            raise
        purged = 0
        while some := self.store.database.write(lambda tx: receipts.purge(tx, access, self.store.clock())):
            purged += some
        now, counts = self.view.now(), work.counts
        said = {"nodes": counts["nodes"], "links": counts["links"], "skipped": counts["skipped"], "purged": purged}

        def done(tx: Transaction) -> None:
            held = metabolism.extend(tx, access, work.run, self.store.clock())
            metabolism.end(tx, access, held, state="applied", counts=said, now=now)
            metabolism.note(tx, access, held, state="applied", counts=said, now=now)

        self.store.database.write(done)
        return replace(
            removals.plan,
            run_id=run.id,
            state="applied",
            resumed=run.resumed,
            nodes_removed=counts["nodes"],
            links_removed=counts["links"],
            skipped=counts["skipped"],
            purged=purged,
        )

    def _give_back(self, access: Access, work: application.PlanApplication) -> None:
        try:
            now, counts = self.view.now(), dict(work.counts)

            def work_back(tx: Transaction) -> None:
                metabolism.end(tx, access, work.run, state="running", counts=counts, now=now)
                metabolism.note(tx, access, work.run, state="running", counts=counts, now=now)

            with cancellation.running(None):  # a cancelled run is given back, too
                self.store.database.write(work_back)
        except WherefromError as error:
            logger.warning("the run stays taken until its lease is over: %s", error)


def _settings(
    tx: Transaction, access: Access, known: Policies, given: Mapping[str, Any], newest: Mapping[str, str]
) -> dict[str, MetabolismSettings]:
    """The settings of each namespace below the root, with what the call gives."""
    names = {*metabolism.namespaces(tx, access), *newest, access.root}
    return {name: replace(known.at(name).settings(MetabolismSettings), **given) for name in names}
