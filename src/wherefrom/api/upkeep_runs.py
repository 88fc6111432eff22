"""The engine of upkeep by itself: runs in which insight and metabolism look, propose, apply, and are undone as one."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from wherefrom.api.upkeep_settings import UpkeepSettings
from wherefrom.api.upkeep_words import not_taken_back, relation_left, relations_left_out, removals_left_out
from wherefrom.engine.pace import Pace, sleep
from wherefrom.engine.params import id_param
from wherefrom.engine.view import Engine
from wherefrom.lazy import lazy_modules
from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.callers import has_role
from wherefrom.model.errors import Conflict, Gone, NotFound, StoreBusy
from wherefrom.model.identifiers import short_id, timestamp
from wherefrom.model.jobs import Job
from wherefrom.model.param import Param
from wherefrom.model.upkeep import Upkeep, waiting_words
from wherefrom.storage import events, insight, jobs, nodes, upkeep_counts, upkeep_runs
from wherefrom.storage.insight import Seen
from wherefrom.storage.jobs import Lease
from wherefrom.storage.port import SEARCHED, Transaction
from wherefrom.storage.upkeep_runs import PlanPart, StoredRun

if TYPE_CHECKING:
    from wherefrom.api import restoring
    from wherefrom.insight import plans
    from wherefrom.metabolism import engine as metabolism_engine
else:
    (restoring,) = lazy_modules("wherefrom.api", "restoring")
    (plans,) = lazy_modules("wherefrom.insight", "plans")
    metabolism_engine = lazy_modules("wherefrom.metabolism", "engine")[0]

Part = Literal["finish", "insight", "metabolism"]

_EVERYTHING: Final[frozenset[Part]] = frozenset(("insight", "metabolism"))
_RUNS_SHOWN: Final = 10
# A piece of insight's work: so many memos that it takes about so long, while others use the processor, too.
_FIRST_PIECE: Final = 8
_LARGEST_PIECE: Final = 50
_SECONDS_PER_PIECE: Final = 0.25
# Metabolism holds a lease of two minutes while it applies, and extends it between its rests.
_LONGEST_REST_IN_METABOLISM: Final = 10.0
# By hand it waits so long for its turn.
_PATIENCE_SECONDS: Final = 10.0
_SECONDS_BETWEEN_CLAIMS: Final = 0.2
_FIRST_ONLY_PROPOSES: Final = "the first run only proposes: apply it when you have looked at it"
_PAST: Final = "the plan of what may go was past or applied by hand: the next run looks again"
_BUSY: Final = "another run of metabolism was under way: its part waits for the next run"


def lease_name(access: Access) -> str:
    """The name of the job that is upkeep of the root of an access."""
    return f"upkeep of {access.root} of {access.owner}"


class UpkeepRunEngine(Engine):
    """Looks after a memory: finds what is worth relating and what may go, and does it or says so."""

    def upkeep(self) -> Upkeep:
        """Say what upkeep found and what of it waits, when it ran, and what it did."""
        access, moment = self.view.access, self.store.clock()
        found, taken_back = self.store.database.read(
            lambda tx: (upkeep_runs.newest(tx, access, limit=_RUNS_SHOWN), upkeep_runs.is_taken_back(tx, access))
        )
        waits = waiting_words(*found[0].waiting(moment)) if found else None
        shown = tuple(run.shown(moment) for run in found)
        return Upkeep(access.root, self._settings.mode, taken_back, self._may_run, waits, shown)

    def run_upkeep(
        self,
        run: Annotated[
            Literal["propose", "apply"],
            Param("propose: look now; apply: do what waits.", only="agents"),
        ],
    ) -> Upkeep:
        """Look now for relations worth making and for what may go; or do what waits. All of it can be undone as one
        run.

        What waits is applied as it was found; if nothing waits, it looks first. The first run of a root only proposes.
        """
        with self._leased() as pace:
            self._complete(pace)
            known = self._newest()
            if run == "apply" and known is not None and any(known.waiting(self.store.clock())):
                self._apply(known, pace)
                return self.upkeep()
            found = self._look(_EVERYTHING, pace)
            if run == "apply" and known is not None:
                self._apply(found, pace)
            elif run == "apply" and any(found.waiting(self.store.clock())):
                self._put(replace(found, note=_FIRST_ONLY_PROPOSES))
        return self.upkeep()

    def undo_upkeep(
        self,
        undo_run_id: Annotated[str, id_param("Undo this run.", refers="upkeep", metavar="RUN", only="agents")],
    ) -> Upkeep:
        """Take back all that a run did, as one: what went comes back, and the relations that it made go."""
        with self._leased() as pace:
            run = self.store.database.read(lambda tx: upkeep_runs.get(tx, self.view.access, undo_run_id))
            if run.state == "proposed":
                raise Conflict(f"run {short_id(run.id)} was not applied", hint="there is nothing to undo")
            if run.state == "applying":
                raise Conflict(f"run {short_id(run.id)} was cut off", hint="run upkeep again: that completes it")
            if run.state == "applied":
                self._undo(run, pace)
        return self.upkeep()

    def due(self) -> frozenset[Part]:
        """Return what there is to do by itself now."""
        settings, access, moment = self._settings, self.view.access, self.store.clock()
        if settings.mode == "off" or not self._may_run:
            return frozenset()

        def look(tx: Transaction) -> frozenset[Part]:
            run = next(iter(upkeep_runs.newest(tx, access)), None)
            if run is not None and run.state == "applying":
                return frozenset(("finish",))
            found: set[Part] = set()
            if self._is_insight_due(tx, run, settings):
                found.add("insight")
            since = None if run is None else run.metabolism_at
            # For the first time it looks with insight, so that the first run has both.
            is_over = since is not None and since <= timestamp(moment - timedelta(hours=settings.metabolism_hours))
            if "insight" in found if since is None else is_over and upkeep_runs.changed(tx, access, since):
                found.add("metabolism")
            return frozenset(found)

        return self.store.database.read(look)

    @property
    def _may_run(self) -> bool:
        return self.view.access.writes and has_role(self.view.role, "admin") and not self.store.database.read_only

    @property
    def share(self) -> float:
        """The share of one processor that it may take by itself."""
        return self._settings.share

    def run_due(self) -> Mapping[str, int]:
        """Do a piece of what is due; return figures that say what was done so far. Whoever calls it rests between two
        pieces, so that the lease is free meanwhile.
        """
        settings, parts = self._settings, self.due()
        slowly = Pace(share=settings.share)
        if "finish" in parts:
            self._complete(slowly)
        may_apply = settings.mode == "apply" and self._may_apply()
        # Metabolism has a piece of its own, and comes first: of insight there may be more for hours.
        piece = parts & {"metabolism"} or parts
        found = self._look(piece, Pace(seconds=settings.seconds), more="insight" in parts - piece)
        if may_apply and not found.looking and any(found.waiting(self.store.clock())):
            found = self._apply(found, slowly)
        shown = found.shown(self.store.clock())
        return {"judged": shown.judged, "relations": shown.relations, "removals": shown.removals}

    def _may_apply(self) -> bool:
        """Return False before the first look has ended, which nobody could have seen, and after a run that somebody has
        undone, until one is applied by hand.
        """
        access = self.view.access

        def look(tx: Transaction) -> bool:
            found = upkeep_runs.newest(tx, access, limit=2)
            return any(run.ended_at for run in found) and not upkeep_runs.is_taken_back(tx, access)

        return self.store.database.read(look)

    # --- looking --------------------------------------------------------------------------------------------------

    def _is_insight_due(self, tx: Transaction, run: StoredRun | None, settings: UpkeepSettings) -> bool:
        access, moment = self.view.access, self.store.clock()
        run = run and upkeep_runs.rewound(run, moment)
        if run is not None and run.waiting(moment)[0] >= settings.most_waiting and settings.mode == "propose":
            return False
        seen = _later(run.seen if run is not None else Seen(), insight.seen(tx, access))
        if run is not None and run.looking:
            return True
        new, last = upkeep_runs.new_since(
            tx, access, seen.seq, kinds=SEARCHED, now=timestamp(moment), limit=settings.after_new
        )
        is_quiet = last is not None and last <= timestamp(moment - timedelta(seconds=settings.quiet_seconds))
        return new >= settings.after_new or is_quiet

    def _look(self, parts: Collection[Part], pace: Pace, *, more: bool = False) -> StoredRun:
        """Look for what there is to do until the pace is over, and note it in the run that waits. A look that is cut
        off goes on where it was; what it found is told when it has ended: with `more`, insight has to look yet.
        """
        known, moment = self._newest(), self.store.clock()
        if known is not None and known.state == "proposed":
            run = upkeep_runs.rewound(replace(known, note=None), moment)
        else:
            seen, looked_at = (known.seen, known.metabolism_at) if known is not None else (Seen(), None)
            run = StoredRun(self.store.new_id(), "proposed", seen, timestamp(moment), looked_at)
        if "metabolism" in parts:
            run = self._look_for_removals(run)
            pace.rest()
        if "insight" in parts:
            run = self._look_for_relations(run, pace)
        elif more:
            run = replace(run, looking=True)
        if run.looking:
            return self._put(run)
        run = self._put(replace(run, ended_at=self.view.now()))  # which counts what waits
        waits, told = run.waiting(moment), run.told
        return self._put(replace(run, told=waits), told=waits if waits != told and any(waits) else None)

    def _look_for_relations(self, run: StoredRun, pace: Pace) -> StoredRun:
        """Judge what is new, then those that have no relation though the memory has grown, until the pace is over."""
        access, finder, size = self.view.access, plans.InsightEngine(self.view), _FIRST_PIECE
        seen, last = self.store.database.read(lambda tx: (insight.seen(tx, access), nodes.last_seq(tx, access)))
        # What is saved while it looks is for the next look: else one beside a busy agent would never end.
        upto = run.upto if run.looking and run.upto else last
        run = replace(run, seen=_later(run.seen, seen), looking=True, upto=upto)
        waits = run
        planned = self.store.database.read(lambda tx: upkeep_counts.waiting_edges(tx, access, waits))
        while not pace.is_over:
            if run.waiting(self.store.clock())[0] >= self._settings.most_waiting:
                return replace(run, looking=False, upto=0)
            plan, judged, seen = finder.find_after(run.seen, limit=size, planned=planned)
            if plan is not None:
                part = PlanPart(plan.id, plan.created_at, len(plan.accepted), run.seen.seq, run.judged)
                run = replace(run, plans=(*run.plans, part))
            is_stuck = seen == run.seen  # the next node waits for its vector, or there is none
            # One that is judged again is not counted again.
            run = self._put(replace(run, seen=seen, judged=run.judged + seen.judged - run.seen.judged))
            taken = pace.rest()
            if is_stuck or (seen.seq >= run.upto and seen.again_seq >= seen.again_end):
                return replace(run, looking=False, upto=0)
            if judged == size:
                size = max(1, min(_LARGEST_PIECE, 2 * size, int(size * _SECONDS_PER_PIECE / max(taken, 1e-3))))
        return run

    def _look_for_removals(self, run: StoredRun) -> StoredRun:
        plan = metabolism_engine.MetabolismEngine(self.view).metabolize("/")
        now, nodes, links = self.view.now(), len(plan.removed), plan.pruned
        return self._put(replace(run, metabolism_at=now, plan_id=plan.plan_id, nodes=nodes, links=links))

    # --- doing and undoing ----------------------------------------------------------------------------------------

    def _apply(self, run: StoredRun, pace: Pace) -> StoredRun:
        """Do what a run found. It is noted first, with what somebody has made of it by hand, so that another process
        can complete it.
        """
        next_id = None if run.plan_id is None else self.store.new_id()
        parts = tuple(replace(part, by_hand=self._made(part)) for part in run.plans)
        return self._finish(self._put(replace(run, state="applying", plans=parts, next_id=next_id, note=None)), pace)

    def _made(self, part: PlanPart) -> tuple[int, ...]:
        """The numbers of the relations of a plan that were made, without those that were by hand."""
        with suppress(NotFound, Gone):
            plan = plans.InsightEngine(self.view).insight_plan(part.id)
            made = (link.number for link in plan.accepted if link.state == "made")
            return tuple(number for number in made if number not in part.by_hand)
        return ()

    def _complete(self, pace: Pace) -> None:
        """Complete a run that was cut off while it was applied."""
        known = self._newest()
        if known is not None and known.state == "applying":
            self._finish(known, pace)

    def _finish(self, run: StoredRun, pace: Pace) -> StoredRun:
        """Let go first, as it was shown: a copy that insight has just linked would stay."""
        ids, gone, note = self._let_go(run, pace)
        run = self._put(replace(run, metabolism_ids=ids, gone=gone, note=note, next_id=None))
        pace.rest()
        maker, parts = plans.InsightEngine(self.view), []
        for part in run.plans:
            parts.append(replace(part, links=0))
            # One that was undone by hand, or forgotten with what it named, is left out.
            with suppress(NotFound, Gone, Conflict):
                if maker.insight_plan(part.id).state != "undone":
                    parts[-1] = replace(part, links=maker.apply_insight(part.id).written - len(part.by_hand))
            pace.rest()
        made = sum(part.links for part in parts)
        left = self.store.database.read(lambda tx: upkeep_counts.left_out(tx, self.view.access, run))
        note = "; ".join(note for note in (run.note, relations_left_out(*left)) if note) or None
        run = replace(run, state="applied", plans=tuple(parts), made=made, note=note, ended_at=self.view.now())
        return self._put(run, told=(made, run.gone) if made or run.gone else None)

    def _let_go(self, run: StoredRun, pace: Pace) -> tuple[tuple[str, ...], int, str | None]:
        """Let go what metabolism's plan showed, as far as it may still go; return the ids of its runs, how much went,
        and what was left out.
        """
        access, own = self.view.access, run.next_id
        if own is None:
            return run.metabolism_ids, run.gone, run.note
        begun = self.store.database.read(lambda tx: upkeep_runs.metabolism_run(tx, access, own))
        if begun is not None and begun[0] != "running":
            return (own,), _removals(run, begun[1], begun[2]), None

        def rest(done: int, total: int) -> None:
            del done, total
            pace.rest(_LONGEST_REST_IN_METABOLISM)

        try:
            plan = metabolism_engine.MetabolismEngine(self.view).metabolize(
                apply_plan_id=run.plan_id, run_id=own, progress=rest
            )
        except StoreBusy:
            if begun is not None:  # the lease of the process that was cut off is not over
                raise
            return (), 0, _BUSY
        except (NotFound, Gone, Conflict):  # it is past, or somebody has applied it
            return (), 0, _PAST
        ids = (*((own,) if begun is not None else ()), *((plan.run_id,) if plan.run_id else ()))
        note = removals_left_out(run.nodes - plan.nodes_removed)
        return tuple(dict.fromkeys(ids)), _removals(run, plan.nodes_removed, plan.links_removed), note

    def _undo(self, run: StoredRun, pace: Pace) -> None:
        """Take back what a run did, the last first; if it is cut off, the same again completes it."""
        bringer, maker = restoring.RestoreEngine(self.view), plans.InsightEngine(self.view)
        left: list[str] = []
        for part in reversed(run.plans):
            with suppress(NotFound, Gone, Conflict):  # it was not applied
                made = self._made(part)
                after = maker.undo_insight(part.id, only=made).accepted if made else ()
                left += [relation_left(link) for link in after if link.state == "made" and link.number in made]
            pace.rest()
        for run_id in reversed(run.metabolism_ids):
            with suppress(NotFound):  # it is all here again
                skipped = bringer.restore(run_id=run_id).skipped
                left += [f"{short_id(node_id)}: {why}" for node_id, why in skipped.items()]
        note = not_taken_back(left) if left else None
        self._put(replace(run, state="undone", undone_at=self.view.now(), note=note), told=(run.made, run.gone))

    # --- what is stored -------------------------------------------------------------------------------------------

    @property
    def _settings(self) -> UpkeepSettings:
        return self.view.boundary.policies.at(self.view.root).settings(UpkeepSettings)

    def _newest(self) -> StoredRun | None:
        access = self.view.access
        return next(iter(self.store.database.read(lambda tx: upkeep_runs.newest(tx, access))), None)

    def _put(self, run: StoredRun, *, told: tuple[int, int] | None = None) -> StoredRun:
        """Store a run as it is now, with an event if there is something to tell: how many relations and removals."""
        access = self.view.access

        def work(tx: Transaction) -> StoredRun:
            if told is not None:
                payload: dict[str, Any] = {
                    "run_id": run.id,
                    "state": run.state,
                    "relations": told[0],
                    "removals": told[1],
                }
                about = events.about_place(access, access.root, part_of=run.id)
                events.record(tx, access, "upkeep", payload, about=about, at=self.view.now())
            put = upkeep_runs.put(tx, access, run, moment=self.store.clock())
            if run.state != "proposed" or run.looking:
                return put
            # Somebody may have decided about a part of it while it looked.
            upkeep_counts.recount(tx, access)
            return upkeep_runs.get(tx, access, run.id)

        return self.store.database.write(work)

    @contextmanager
    def _leased(self) -> Iterator[Pace]:
        """Keep other processes from upkeep of this root; refuses if one is at it."""
        store, name = self.store, lease_name(self.view.access.writing())
        lease, job = Lease(name, f"by hand {store.new_id()}"), Job(name, 0, dict)
        until = time.monotonic() + _PATIENCE_SECONDS

        def beat() -> None:
            store.database.write(lambda tx: jobs.extend(tx, lease, store.clock()))

        while not store.database.write(lambda tx: jobs.claim(tx, job, lease, store.clock())):
            if time.monotonic() < until:  # a piece of work by itself is short
                sleep(_SECONDS_BETWEEN_CLAIMS)
                continue
            raise StoreBusy("upkeep is under way here", hint="try again when it is done, in a few minutes at most")
        try:
            yield Pace(beat=beat)
        finally:
            with cancellation.running(None):
                store.database.write(lambda tx: jobs.end(tx, lease, now=self.view.now(), result=None, error=None))


def _removals(run: StoredRun, nodes: int, links: int) -> int:
    """How much went as it was counted when it waited: relations that went with a node are no removals of their own."""
    return nodes + min(links, run.links)


def _later(one: Seen, other: Seen) -> Seen:
    """Of two states of what was seen, the one that has come further."""
    return max(one, other, key=lambda seen: (seen.seq, seen.again_at, seen.again_seq))
