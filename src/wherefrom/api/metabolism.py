"""The engine of metabolism: let go of what is redundant, bring it back, make a relation thicker or thinner."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from wherefrom.api.boundary import ImportGuard
from wherefrom.api.params import Namespace, SourceId, SourceWithin, Tag, TargetId
from wherefrom.api.view import Engine, silent
from wherefrom.metabolism.pace import Pace
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.metabolism import MetabolismPlan, Orphans, Reinforced, Restored
from wherefrom.model.param import Param
from wherefrom.policy.metabolism import RANGES, Metabolism, overridden
from wherefrom.storage import edges, events, metabolism, retired
from wherefrom.storage.metabolism import Clocks, Run
from wherefrom.storage.port import Progress, Result, Transaction
from wherefrom.storage.retired import Around, Wanted
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.metabolism.applying import Applying
    from wherefrom.policy.boundary import Policies

logger = logging.getLogger("wherefrom")

_DEFAULT: Final = Metabolism()
_WANTED: Final = "give exactly one of node_id, run_id and since"


def _number(text: str, key: str, **spelt: Any) -> Param:
    """A setting of a run, in its range."""
    return Param(
        f"{text} Omit for what the policy says ({getattr(_DEFAULT, key):g}).",
        RANGES[key].low,
        RANGES[key].high,
        **spelt,
    )


class MetabolismEngine(Engine):
    """Lets go of what may go, and brings it back."""

    def metabolize(
        self,
        namespace: Namespace = None,
        *,
        apply: Annotated[bool, Param("Let it go; without it nothing is changed.")] = False,
        half_life_days: Annotated[
            float | None, _number("After how long a relation is half as thick; 0: never.", "half_life_days")
        ] = None,
        prune_threshold: Annotated[
            float | None, _number("Thinner relations go; a node without a thicker one is weak.", "prune_threshold")
        ] = None,
        protection_hours: Annotated[
            float | None,
            _number("What is younger stays.", "protection_hours", aliases=("min_survival_protection_hours",)),
        ] = None,
        mdl_neighbours: Annotated[
            int | None,
            _number(
                "With how many of the nearest a weak node is compared.",
                "mdl_neighbours",
                aliases=("mdl_k_neighbors",),
            ),
        ] = None,
        mdl_benefit: Annotated[
            float | None,
            _number("A weak node goes if 1 − its similarity to the nearest is less; 0: none goes.", "mdl_benefit"),
        ] = None,
        orphans: Annotated[
            Orphans | None,
            Param(
                "What goes untested if it has no relations: entities, or all nodes. Omit for what the policy says "
                "(entities)."
            ),
        ] = None,
        figures: bool = False,
        progress: Progress = silent,
    ) -> MetabolismPlan:
        """Plan what may go from a namespace and those below it, with what is spared and why; with `apply` carry it
        out, with a receipt for everything that goes.

        What is not given is what the policy says for each namespace. `figures` adds how relations and weak nodes are
        distributed.

        A run that was cut off is completed by the next one that is asked for in the same way.
        """
        given: dict[str, Any] = {
            "half_life_days": half_life_days,
            "prune_threshold": prune_threshold,
            "protection_hours": protection_hours,
            "mdl_neighbours": mdl_neighbours,
            "mdl_benefit": mdl_benefit,
            "orphans": orphans,
        }
        writing = self.view.writing
        access = writing.narrowed(writing.resolve(namespace))
        if not apply:
            return self._planned(access, given, figures=figures)
        asked = {name: value for name, value in given.items() if value is not None}
        run_id, moment = self.store.new_id(), self.store.clock()
        measured = self.store.database.read(lambda tx: metabolism.newest(tx, access, moment))
        run = self.store.database.write(
            lambda tx: metabolism.begin(tx, access, run_id, asked=asked, moment=moment, measured=measured)
        )
        return self._carried_out(access, run, given, figures=figures, progress=progress)

    def restore(
        self,
        node_id: Annotated[
            str | None,
            Param("Bring back this node.", aliases=("memo_id",), metavar="NODE_ID", check=check.check_id),
        ] = None,
        *,
        run_id: Annotated[
            str | None,
            Param("Or all that this run of metabolize let go.", option="--run", metavar="RUN_ID", check=check.check_id),
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
            raise InvalidInput("what to bring back is not clear", hint=_WANTED)
        wanted = Wanted(node_id=node_id, run_id=run_id, since=since)
        access = self.view.writing
        ids, skipped = self._restore_nodes(access, wanted)
        pace = Pace()
        links = 0 if wanted.node_id is not None else self._restore_links(access, wanted, pace)
        # What went with a neighbour at another time comes back with the second of the two; a node that is here
        # already may lack relations if this was cut off before.
        around = ids if wanted.node_id is None else [wanted.node_id]
        for start in range(0, len(around), retired.AROUND):
            some = around[start : start + retired.AROUND]
            links += sum(self._restore_links(access, Wanted(), pace, Around(some, into)) for into in (False, True))
        if wanted.since is None and not ids and not skipped and not links:
            raise retired.nothing_there(access, wanted)
        restored = Restored(access.root, tuple(ids), links, skipped)
        if ids or links:
            self.store.database.write(lambda tx: retired.note(tx, access, wanted, restored, now=self.view.now()))
        self.store.worker.wake(self.view.writing)
        return restored

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
        key = (source_id, target_id, tag)
        access = self.view.writing
        within = None if namespace is None else access.resolve(namespace)
        measure = self.view.measure(access)

        def work(tx: Transaction) -> Reinforced:
            now = self.view.now()
            reinforced = edges.reinforce(tx, access, key, weaken=weaken, now=now, measure=measure, within=within)
            edge, before = reinforced.edge, reinforced.before
            payload = {
                **dict(zip(("source_memo_id", "target_memo_id", "tag"), key, strict=True)),
                "weight": [before.weight, edge.weight],
                "confidence": [before.confidence, edge.confidence],
            }
            events.record(tx, access, "reinforce", payload, namespace=edge.source_namespace, at=now)
            return reinforced

        return self.store.database.write(work)

    def _planned(self, access: Access, given: Mapping[str, Any], *, figures: bool) -> MetabolismPlan:
        from wherefrom.metabolism import plan

        moment, known = self.store.clock(), self.view.boundary.in_force().policies

        def look(tx: Transaction) -> MetabolismPlan:
            clocks = _clocks(tx, access, known, given, moment, metabolism.newest(tx, access, moment))
            return plan.make(tx, access, clocks, figures=figures).plan

        return self.store.database.read(look)

    def _carried_out(
        self, access: Access, run: Run, given: Mapping[str, Any], *, figures: bool, progress: Progress
    ) -> MetabolismPlan:
        """Plan, apply, and give the run back; one that is interrupted can be completed."""
        from wherefrom.metabolism import applying, plan

        moment, known = datetime.fromisoformat(run.moment), self.view.boundary.in_force().policies
        clocks = self.store.database.read(lambda tx: _clocks(tx, access, known, given, moment, run.newest))
        work = applying.Applying(self.store.database, access, clocks, self.store.clock, run, progress)
        try:
            let_go = self.store.database.read(lambda tx: metabolism.let_go(tx, access, run)) if run.resumed else {}
            planned = self.store.database.read(
                lambda tx: plan.make(tx, access, clocks, let_go=let_go, figures=figures, beat=work.beat)
            )
            work.apply(planned)
        except BaseException:
            self._give_back(access, work)
            raise
        purged = self._purge(access)
        now, counts = self.view.now(), work.counts
        said = {"nodes": counts["nodes"], "links": counts["links"], "skipped": counts["skipped"], "purged": purged}

        def done(tx: Transaction) -> None:
            held = metabolism.extend(tx, access, work.run, self.store.clock())
            metabolism.end(tx, access, held, state="applied", counts=said, now=now)
            payload = {"run_id": run.id, "state": "applied", **said}
            events.record(tx, access, "metabolism", payload, namespace=access.root, at=now)

        self.store.database.write(done)
        return replace(
            planned.plan,
            run_id=run.id,
            state="applied",
            resumed=run.resumed,
            nodes_removed=counts["nodes"],
            links_removed=counts["links"],
            skipped=counts["skipped"],
            purged=purged,
        )

    def _give_back(self, access: Access, work: Applying) -> None:
        try:
            now, counts = self.view.now(), dict(work.counts)
            self.store.database.write(
                lambda tx: metabolism.end(tx, access, work.run, state="running", counts=counts, now=now)
            )
        except WherefromError as error:
            logger.warning("the run stays taken until its lease is over: %s", error)

    def _purge(self, access: Access) -> int:
        purged = 0
        while some := self.store.database.write(lambda tx: retired.purge(tx, access, self.store.clock())):
            purged += some
        return purged

    def _restore_nodes(self, access: Access, wanted: Wanted) -> tuple[list[str], dict[str, str]]:
        guard = ImportGuard(self.view.boundary)
        ids: list[str] = []
        skipped: dict[str, str] = {}

        def step(tx: Transaction, after: int, limit: int) -> tuple[retired.Back, int | None]:
            return retired.restore_nodes(tx, access, wanted, guard, after=after, limit=limit, now=self.view.now())

        for back in self._in_batches(step, Pace()):
            ids += back.node_ids
            skipped |= back.skipped
        return ids, skipped

    def _restore_links(self, access: Access, wanted: Wanted, pace: Pace, around: Around | None = None) -> int:
        guard = ImportGuard(self.view.boundary)

        def step(tx: Transaction, after: int, limit: int) -> tuple[int, int | None]:
            return retired.restore_edges(tx, access, wanted, around, guard, after=after, limit=limit)

        return sum(self._in_batches(step, pace))

    def _in_batches(
        self, step: Callable[[Transaction, int, int], tuple[Result, int | None]], pace: Pace
    ) -> Iterator[Result]:
        """Run a step in short transactions, each from where the one before it ended."""
        after: int | None = 0
        while after is not None:

            def work(tx: Transaction, after: int = after) -> tuple[Result, int | None, float]:
                tx.run("lock_edges_alone", {})
                started = time.perf_counter()
                result, last = step(tx, after, pace.size)
                return result, last, time.perf_counter() - started

            result, after, seconds = self.store.database.write(work)
            pace.took(seconds)
            yield result


def _clocks(
    tx: Transaction,
    access: Access,
    known: Policies,
    given: Mapping[str, Any],
    moment: datetime,
    newest: Mapping[str, str],
) -> Clocks:
    names = {*metabolism.namespaces(tx, access), *newest, access.root}
    settings = {name: overridden(known.at(name).metabolism, **given) for name in names}
    return Clocks(moment, newest, settings)
