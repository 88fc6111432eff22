"""The verb that forgets what is long past: receipts, contexts, events, and what expired where a policy says so."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final

from wherefrom.engine.view import Engine
from wherefrom.model.access import Access
from wherefrom.model.identifiers import timestamp
from wherefrom.model.param import Param
from wherefrom.model.results import SweepResult
from wherefrom.storage import expiring, receipts
from wherefrom.storage.receipts import Receipt

_EXPIRED_PER_TRANSACTION: Final = 100
_MAX_SWEPT: Final = 100_000


class SweepEngine(Engine):
    """Forgets what is long past."""

    def sweep(self, *, limit: Annotated[int, Param("How many at most.", 1, _MAX_SWEPT)] = 1_000) -> SweepResult:
        """Forget receipts, contexts and events that are long past; and, with a receipt, what expired so long ago that
        the policy keeps it no longer (`keep_expired_days`; by default what has expired is kept for good).
        """
        run_id, access, database = self.store.new_id(), self.view.access, self.store.database
        gone: list[str] = []
        edges = 0
        for namespace, before in self._kept_until(access):
            while len(gone) < limit:
                some = min(_EXPIRED_PER_TRANSACTION, limit - len(gone))
                receipt, where = Receipt(run_id, self.view.now(), "expired"), (namespace, before)
                swept = database.write(
                    lambda tx, receipt=receipt, where=where, some=some: expiring.retire_expired(  # type: ignore[misc]
                        tx, access, where, receipt, limit=some
                    )
                )
                gone += swept.node_ids
                edges += swept.edges
                if len(swept.node_ids) < some:
                    break
        database.write(lambda tx: expiring.forget_old(tx, access, self.store.clock()))
        while database.write(lambda tx: receipts.purge(tx, access, self.store.clock())):
            pass
        return SweepResult(run_id, tuple(gone), edges)

    def _kept_until(self, access: Access) -> list[tuple[str, str]]:
        """Return the namespaces in which what has expired is kept for some time only, each with the time before which
        it expired if that is over.
        """
        known, moment = self.view.boundary.policies, self.store.clock()
        if not access.writes:
            return []  # the sweeping is left to those who may write there
        places = self.store.database.read(lambda tx: expiring.places_of_expired(tx, access, now=timestamp(moment)))
        days = {place: known.at(place).keep_expired_days for place in places}
        return [(place, timestamp(moment - timedelta(days=kept))) for place, kept in days.items() if kept is not None]
