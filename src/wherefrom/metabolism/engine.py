"""The engine of metabolism: let go of what is redundant, make a relation thicker or thinner."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from wherefrom.embedding import vocabulary
from wherefrom.engine.params import Namespace, SourceId, SourceWithin, Tag, TargetId, id_param
from wherefrom.engine.view import Engine, silent
from wherefrom.lazy import lazy_modules
from wherefrom.metabolism.bodies import Bodies
from wherefrom.metabolism.settings import RUN_SETTINGS, MetabolismSettings
from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.metabolism import MetabolismPlan, Orphans, Reinforced
from wherefrom.model.param import Param, parameters_of
from wherefrom.storage import edges, embeddings, events, metabolism, metabolism_plans, receipts, upkeep_counts
from wherefrom.storage.metabolism import Clocks, MeasuredGraph, Run
from wherefrom.storage.port import Progress, Transaction

if TYPE_CHECKING:
    from wherefrom.metabolism import apply as application
    from wherefrom.metabolism import plan, stored
    from wherefrom.metabolism.removals import Removals
    from wherefrom.policy.boundary import Policies
else:
    application, plan, stored = lazy_modules("wherefrom.metabolism", "apply", "plan", "stored")

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
        apply_plan_id: Annotated[
            str | None, id_param("Let exactly that go which this plan showed.", refers="plan", option="--apply-plan")
        ] = None,
        keep: Annotated[
            Sequence[str], id_param("With apply_plan_id: these and their relations stay.", option="--keep")
        ] = (),
        half_life_days: Annotated[float | None, _setting("half_life_days")] = None,
        prune_threshold: Annotated[float | None, _setting("prune_threshold")] = None,
        protection_hours: Annotated[
            float | None, _setting("protection_hours", aliases=("min_survival_protection_hours",))
        ] = None,
        mdl_neighbours: Annotated[int | None, _setting("mdl_neighbours", aliases=("mdl_k_neighbors",))] = None,
        mdl_benefit: Annotated[float | None, _setting("mdl_benefit")] = None,
        orphans: Annotated[Orphans | None, _setting("orphans")] = None,
        figures: Annotated[bool, Param(only="code")] = False,
        run_id: Annotated[str | None, Param(only="code")] = None,
        progress: Progress = silent,
    ) -> MetabolismPlan:
        """Plan what may go from a namespace and those below it, with what is spared and why; with `apply` carry it
        out, with a receipt for everything that goes.

        What is not given is what the policy says for each namespace. `figures` adds how relations and weak nodes are
        distributed. `run_id` is the id of a new run, for a caller that has to know it before. `progress` hears of the
        steps of a plan, or with `apply` of what is let go.

        A plan is stored for two weeks. With `apply_plan_id`, exactly what it showed is let go, but for what `keep`
        names; what was changed meanwhile stays, and the answer says why.

        A run that was cut off is completed by the next one that is asked for in the same way.
        """
        values = half_life_days, prune_threshold, protection_hours, mdl_neighbours, mdl_benefit, orphans
        given = {name: value for name, value in zip(RUN_SETTINGS, values, strict=True) if value is not None}
        writing = self.view.access
        if apply_plan_id is not None:
            if given or namespace is not None:
                raise InvalidInput("a stored plan has its settings", hint="give apply_plan_id with keep only")
            return self._exactly(apply_plan_id, keep, run_id or self.store.new_id(), progress=progress)
        if keep:
            raise InvalidInput("keep leaves something out of a stored plan", hint="give its apply_plan_id, too")
        access = writing.narrowed(writing.resolve(namespace))
        if not apply:
            return self._planned(access, given, figures=figures, progress=progress)
        new_id, moment = run_id or self.store.new_id(), self.store.clock()
        measured = self.store.database.read(lambda tx: metabolism.newest(tx, access, moment))
        run = self.store.database.write(
            lambda tx: metabolism.begin(tx, access, new_id, asked=given, moment=moment, measured=measured)
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

        def look(tx: Transaction) -> tuple[Removals, Mapping[str, str]]:
            newest = metabolism.newest(tx, access, moment)
            settings = _settings(tx, access, known, given, newest)
            graph = MeasuredGraph(tx, access, Clocks(moment, newest, settings))
            bodies = self._bodies(tx)
            return plan.make(graph, settings, figures=figures, progress=progress, bodies=bodies), newest

        made, newest = self.store.database.read(look)
        if self.store.database.read_only or not access.writes or not (made.nodes or made.plan.pruned):
            return made.plan
        plan_id, content = self.store.new_id(), stored.content_of(made, newest)
        self.store.database.write(lambda tx: metabolism_plans.keep(tx, access, plan_id, content, moment=moment))
        return replace(made.plan, plan_id=plan_id)

    def _bodies(self, tx: Transaction) -> Bodies:
        """How texts are compared with the embedder of the store."""
        embedder = self.store.embedder
        by_words = embedder is not None and embedder.trust.slips
        return Bodies(embeddings.embed_now(tx, embedder), by_words=by_words, vocabulary=vocabulary)

    def _exactly(self, plan_id: str, keep: Sequence[str], new_id: str, *, progress: Progress) -> MetabolismPlan:
        """Let go what a stored plan has, as far as it may still go."""
        moment, view = self.store.clock(), self.view.access.writing()

        def look(tx: Transaction) -> tuple[Access, stored.ExactPlan]:
            found = metabolism_plans.get(tx, view, plan_id, moment=moment)
            metabolism_plans.require_waiting(found)
            access = view.narrowed(found.namespace)
            return access, stored.exact_plan(tx, access, found, keep)

        access, exact = self.store.database.read(look)
        asked = {"plan_id": plan_id, "keep": sorted(keep)}
        run = self.store.database.write(
            lambda tx: metabolism.begin(tx, access, new_id, asked=asked, moment=moment, measured=exact.newest)
        )

        def make(tx: Transaction, _: Callable[[], None]) -> Removals:
            return exact.without(*metabolism_plans.gone_by(tx, access, run.id)) if run.resumed else exact.removals

        done = self._applied(access, run, exact.clocks(moment), make, progress=progress)
        stayed = {**exact.left_out, **done.stayed}
        went = tuple(verdict for verdict in done.removed if verdict.node.id not in stayed)
        return replace(done, removed=went, stayed=stayed)

    def _carried_out(
        self, access: Access, run: Run, given: Mapping[str, Any], *, figures: bool, progress: Progress
    ) -> MetabolismPlan:
        """Plan anew, and apply that."""
        moment, known = datetime.fromisoformat(run.moment), self.view.boundary.policies
        settings = self.store.database.read(lambda tx: _settings(tx, access, known, given, run.newest))
        clocks = Clocks(moment, run.newest, settings)

        def make(tx: Transaction, beat: Callable[[], None]) -> Removals:
            let_go = metabolism.let_go(tx, access, run) if run.resumed else {}
            graph, bodies = MeasuredGraph(tx, access, clocks), self._bodies(tx)
            return plan.make(graph, settings, let_go=let_go, figures=figures, beat=beat, bodies=bodies)

        return self._applied(access, run, clocks, make, progress=progress)

    def _applied(
        self,
        access: Access,
        run: Run,
        clocks: Clocks,
        make: Callable[[Transaction, Callable[[], None]], Removals],
        *,
        progress: Progress,
    ) -> MetabolismPlan:
        """Apply what is made, and give the run back; one that is interrupted can be completed."""
        work = application.PlanApplication(self.store.database, access, clocks, self.store.clock, run, progress)
        try:
            removals = self.store.database.read(lambda tx: make(tx, work.beat))
            work.apply(removals)
        except BaseException:
            self._give_back(access, work)
            raise
        purged = 0
        while some := self.store.database.write(lambda tx: receipts.purge(tx, access, self.store.clock())):
            purged += some
        now, counts = self.view.now(), work.counts
        said = {"nodes": counts["nodes"], "links": counts["links"], "skipped": counts["skipped"], "purged": purged}

        known = removals.plan.plan_id
        plan_id = known or self.store.new_id()
        content = {} if known else stored.content_of(removals, run.newest)

        def done(tx: Transaction) -> None:
            if known:
                metabolism_plans.mark(tx, access, plan_id, run.id, now=now)
            else:
                metabolism_plans.keep(tx, access, plan_id, content, moment=self.store.clock(), run_id=run.id)
            held = metabolism.extend(tx, access, work.run, self.store.clock())
            metabolism.end(tx, access, held, state="applied", counts=said, now=now)
            metabolism.note(tx, access, held, state="applied", counts=said, now=now)
            upkeep_counts.recount(tx, access)

        self.store.database.write(done)
        return replace(
            removals.plan,
            run_id=run.id,
            plan_id=plan_id,
            state="applied",
            resumed=run.resumed,
            nodes_removed=counts["nodes"],
            links_removed=counts["links"],
            skipped=counts["skipped"],
            stayed=work.stayed,
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
