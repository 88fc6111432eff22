"""The engine of metabolism: let go of what is redundant, bring it back, make a relation thicker or thinner."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from wherefrom.engine.boundary import ImportGuard
from wherefrom.engine.params import Namespace, SourceId, SourceWithin, Tag, TargetId, id_param
from wherefrom.engine.view import Engine, silent
from wherefrom.lazy import lazy_modules
from wherefrom.metabolism.adaptive_batch import AdaptiveBatch
from wherefrom.metabolism.settings import RUN_SETTINGS, MetabolismSettings
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.metabolism import MetabolismPlan, Orphans, Reinforced, Restored
from wherefrom.model.param import Param, parameters_of
from wherefrom.storage import edges, events, locks, metabolism, receipts
from wherefrom.storage.metabolism import Clocks, MeasuredGraph, Run
from wherefrom.storage.port import Progress, Result, Transaction
from wherefrom.storage.receipts import RestoreRequest
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.metabolism import apply as application
    from wherefrom.metabolism import plan
    from wherefrom.policy.boundary import Policies
else:
    application, plan = lazy_modules("wherefrom.metabolism", "apply", "plan")

logger = logging.getLogger("wherefrom")


def _setting(key: str, **spelt: Any) -> Param:
    """A setting of one run, declared as policies have it."""
    setting = parameters_of(MetabolismSettings)[key]
    usual = setting.default if isinstance(setting.default, str) else f"{setting.default:g}"
    return replace(setting.param, text=f"{setting.param.text} Omit for what the policy says ({usual}).", **spelt)


class MetabolismEngine(Engine):
    """Lets go of what may go, and brings it back."""

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
        figures: bool = False,
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

    def restore(
        self,
        node_id: Annotated[
            str | None,
            id_param("Bring back this node.", refers="retired", aliases=("memo_id", "id"), metavar="NODE_ID"),
        ] = None,
        *,
        run_id: Annotated[
            str | None, id_param("Or all that this run of metabolize let go.", refers="run", option="--run")
        ] = None,
        since: Annotated[
            str | None,
            Param("Or all that went at or after this ISO-8601 time.", metavar="TIME", check=check.check_time),
        ] = None,
    ) -> Restored:
        """Bring back what was let go: one node, what one run let go, or everything since a time, as it was.

        What cannot come back (another node has its text by now) is named with the reason.
        """
        if sum(value is not None for value in (node_id, run_id, since)) != 1:
            raise InvalidInput("what to bring back is not clear", hint="give exactly one of node_id, run_id and since")
        wanted = RestoreRequest(node_id=node_id, run_id=run_id, since=since)
        access, guard, batch = self.view.access, ImportGuard(self.view.boundary), AdaptiveBatch()
        ids: list[str] = []
        skipped: dict[str, str] = {}
        for back, left in self._in_batches(
            lambda tx, **page: receipts.restore_nodes(tx, access, wanted, guard, now=self.view.now(), **page),
            AdaptiveBatch(),
        ):
            ids += back
            skipped |= left

        def restore_edges(wanted: RestoreRequest) -> int:
            return sum(
                self._in_batches(lambda tx, **page: receipts.restore_edges(tx, access, wanted, guard, **page), batch)
            )

        links = 0 if node_id is not None else restore_edges(wanted)
        # An edge that went with either of two nodes comes back with the second of them; a node that is here already
        # may lack edges if this was cut off before.
        around = ids if node_id is None else [node_id]
        for start in range(0, len(around), receipts.MAX_NODES_PER_EDGE_SIDE):
            some = around[start : start + receipts.MAX_NODES_PER_EDGE_SIDE]
            links += restore_edges(RestoreRequest(sources=some)) + restore_edges(RestoreRequest(targets=some))
        if since is None and not ids and not skipped and not links:
            raise receipts.nothing_there(access, wanted)
        done = Restored(access.root, tuple(ids), links, skipped)
        if ids or links:
            self.store.database.write(lambda tx: receipts.note(tx, access, wanted, done, now=self.view.now()))
        self.store.worker.wake(access)
        return done

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
            return plan.make(graph, settings, figures=figures, progress=progress).plan

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

            def make(tx: Transaction) -> plan.Removals:
                graph = MeasuredGraph(tx, access, clocks)
                return plan.make(graph, settings, let_go=let_go, figures=figures, beat=work.beat)

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

            self.store.database.write(work_back)
        except WherefromError as error:
            logger.warning("the run stays taken until its lease is over: %s", error)

    def _in_batches(self, step: Callable[..., tuple[Result, int | None]], batch: AdaptiveBatch) -> Iterator[Result]:
        """Run a step in short transactions, each from where the one before it ended."""
        after: int | None = 0
        while after is not None:

            def work(tx: Transaction, after: int = after) -> tuple[Result, int | None, float]:
                locks.be_alone(tx, self.view.access.owner)
                started = time.perf_counter()
                result, last = step(tx, after=after, limit=batch.size)
                return result, last, time.perf_counter() - started

            result, after, seconds = self.store.database.write(work)
            batch.took(seconds)
            yield result


def _settings(
    tx: Transaction, access: Access, known: Policies, given: Mapping[str, Any], newest: Mapping[str, str]
) -> dict[str, MetabolismSettings]:
    """The settings of each namespace below the root, with what the call gives."""
    names = {*metabolism.namespaces(tx, access), *newest, access.root}
    return {name: replace(known.at(name).settings(MetabolismSettings), **given) for name in names}
