"""The engine of forgetting: shows what fits, and then lets exactly that go, or erases it for good."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from typing import Annotated, Final

from wherefrom.engine.params import Since, Until, check_query, id_param, namespace_param
from wherefrom.engine.view import Engine
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, NotFound
from wherefrom.model.forgetting import ForgetPlan, ForgottenNode
from wherefrom.model.graph import Node, NodeRef
from wherefrom.model.identifiers import timestamp
from wherefrom.model.param import Param
from wherefrom.model.sources import source_of
from wherefrom.recall.verbs import RecallEngine
from wherefrom.storage import forgetting, history, locks, nodes, receipts, stand_ins
from wherefrom.storage.forgetting import Found
from wherefrom.storage.port import Transaction
from wherefrom.storage.receipts import KEPT
from wherefrom.text import check

_BEGINNING_CHARACTERS: Final = 80
_PLAN_CHARACTERS: Final = 16
_MORE_FIT: Final = f"more fit than these {limits.FORGOTTEN:,}: once they are forgotten, ask again"
_CHANGED: Final = "nothing was forgotten: other nodes fit by now than the plan had; look at these, and pass their plan"
_WITHOUT_PLAN: Final = "call it without apply, look at what it lists, then call it again with apply and its plan"

_Query = Annotated[str | None, Param("What fits these words.", check=check_query)]


def _check_words(value: object, *, field: str) -> str:
    return check.check_text(value, field=field, characters=limits.URL_CHARACTERS)


_Entity = Annotated[str | None, Param("This name, with all that mentions it.", check=_check_words)]
_SOURCE: Final = "What was read there: a URL, domain, title or file."
_Source = Annotated[str | None, Param(_SOURCE, check=_check_words)]
_Ids = Annotated[
    Sequence[str],
    id_param("These nodes.", high=limits.FORGOTTEN, option="--id", aliases=("memo_ids",), gone="refused"),
]
_Within = Annotated[str | None, namespace_param("Only here and below it.")]
_LEAST: Final = "How well it must fit the query, 0 to 1."
_Plan = Annotated[str | None, Param("The plan that was shown.", metavar="PLAN")]
_FOR_GOOD: Final = "Erase it: nothing brings it back."
_VACUUM: Final = "With for_good: also rewrite the files, which takes long and locks PostgreSQL's tables."


@dataclass(frozen=True, slots=True)
class _Criteria:
    """What a caller wants forgotten; all that is given must hold."""

    query: str | None
    entity: str | None
    source: str | None
    since: str | None
    until: str | None
    ids: Sequence[str]

    @property
    def has_only_ids(self) -> bool:
        """True if nothing but ids is given, or nothing at all."""
        return not any((self.query, self.entity, self.source, self.since, self.until))

    def has_time(self, node: Node) -> bool:
        """Return True if a node was observed in the time."""
        return (self.since or "") <= node.observed_at and (self.until is None or node.observed_at <= self.until)


@dataclass(frozen=True, slots=True)
class _Selection:
    """The nodes that fit, in order: those that are here, and those that only receipts have."""

    here: Found
    let_go: Found
    relevance: Mapping[str, float]
    truncated: bool


class ForgetEngine(Engine):
    """Forgets what a caller names."""

    def forget(
        self,
        query: _Query = None,
        *,
        entity: _Entity = None,
        source: _Source = None,
        since: Since = None,
        until: Until = None,
        ids: _Ids = (),
        namespace: _Within = None,
        min_relevance: Annotated[float, Param(_LEAST, 0, 1)] = 0.5,
        apply: Annotated[bool, Param("Forget it; needs plan.", only="agents")] = False,
        plan: _Plan = None,
        for_good: Annotated[bool, Param(_FOR_GOOD)] = False,
        vacuum: Annotated[bool, Param(_VACUUM, option="--vacuum/--no-vacuum")] = True,
    ) -> ForgetPlan:
        """List what is to be forgotten; with `apply` and the `plan` of that list, forget exactly that.

        It is named by a query, an entity, a source, the time in which it was observed, or ids; where several are given,
        all must hold. What is forgotten can be restored for 30 days, unless it is `for_good`: then its texts, vectors,
        versions, receipts and events are erased, and the files are rewritten so that no byte of them is left. With
        for_good, ids may also name what was let go before. If other nodes fit by the time of `apply`, nothing is
        forgotten, and the answer is the new plan.
        """
        wanted = _Criteria(query, entity, source, since, until, ids)
        if wanted.has_only_ids and not ids:
            raise InvalidInput(
                "what to forget is not clear", hint="give at least one of query, entity, source, since, until and ids"
            )
        if apply and plan is None:
            raise InvalidInput("what is forgotten must have been shown before", hint=_WITHOUT_PLAN)
        writing = self.view.access
        # An id is looked for in the whole root, all else in the default namespace.
        anywhere = namespace is None and wanted.has_only_ids
        access = (writing if anywhere else writing.narrowed(writing.resolve(namespace))).writing()
        selected, shown = self._look(access, wanted, min_relevance, for_good=for_good)
        if not apply:
            return shown
        done = None
        if plan == shown.plan:
            done = self._erased(access, selected, shown) if for_good else self._let_go(access, selected, shown)
        if done is None:
            _, shown = self._look(access, wanted, min_relevance, for_good=for_good)
            return replace(shown, state="changed", note=_CHANGED)
        if for_good:
            self.store.drop_caches()
            done = replace(done, left=self.store.database.erase_deleted(vacuum=vacuum))
        return done

    def _look(
        self, access: Access, wanted: _Criteria, least: float, *, for_good: bool
    ) -> tuple[_Selection, ForgetPlan]:
        """Find what fits, and return it with its plan."""
        relevance: Mapping[str, float] | None = None
        lacks: tuple[str, ...] = ()
        if wanted.query is not None:
            search = RecallEngine(self.view)
            relevance, lacks = search.fitting(wanted.query, access, least=least, limit=limits.FORGOTTEN // 2)

        def work(tx: Transaction) -> tuple[_Selection, ForgetPlan]:
            selected = _selected(tx, access, wanted, relevance, for_good=for_good)
            return selected, _plan(tx, access, selected, for_good=for_good)

        selected, shown = self.store.database.read(work)
        return selected, replace(shown, note="; ".join(filter(None, (shown.note, *lacks))) or None)

    def _let_go(self, access: Access, selected: _Selection, shown: ForgetPlan) -> ForgetPlan | None:
        """Retire the nodes; return None if something of them has changed meanwhile."""
        run_id, moment = self.store.new_id(), self.store.clock()

        def work(tx: Transaction) -> bool:
            locks.be_alone(tx, access.owner)
            if not _is_as_shown(tx, access, selected):
                return False
            receipt = receipts.Receipt(run_id, timestamp(moment), "forget")
            receipts.sweep(tx, access, list(selected.here), receipt)
            return True

        if selected.here and not self.store.database.write(work):
            return None
        until = timestamp(datetime.fromisoformat(timestamp(moment)) + KEPT)
        return replace(shown, state="forgotten", run_id=run_id, restorable_until=until)

    def _erased(self, access: Access, selected: _Selection, shown: ForgetPlan) -> ForgetPlan | None:
        """Erase the nodes; return None if something of them has changed meanwhile."""
        run_id = self.store.new_id()
        # What waits to be written was noted before the erasure and would come after it.
        self.store.journal.write()

        def work(tx: Transaction) -> bool:
            locks.be_alone(tx, access.owner)
            if not _is_as_shown(tx, access, selected):
                return False
            found = {**selected.here, **selected.let_go}
            forgetting.erase(tx, access, found, run_id=run_id, now=self.view.now())
            return True

        if not self.store.database.write(work):
            return None
        # The answer, which others may log, says no more of them than the store does.
        nameless = tuple(replace(entry, node=replace(entry.node, title=None), source=None) for entry in shown.nodes)
        return replace(shown, state="erased", nodes=nameless)


def _selected(
    tx: Transaction, access: Access, wanted: _Criteria, relevance: Mapping[str, float] | None, *, for_good: bool
) -> _Selection:
    """Find the nodes that fit all that is wanted, at most as many as one plan holds."""
    sets = list(_sets(tx, access, wanted, relevance))
    if not sets:
        sets.append(forgetting.observed(tx, access, wanted.since, wanted.until))
    # In the order of the first set: by relevance, as the ids were given, or as the store has them.
    fitting = reduce(lambda known, more: {key: known[key] for key in known if key in more}, sets)
    here = {key: node for key, node in fitting.items() if wanted.has_time(node)}
    gone: Found = {}
    for node_id in wanted.ids:
        if node_id not in here and not forgetting.whole(tx, access, [node_id]):
            gone |= _named_gone(tx, access, node_id, for_good=for_good)
    kept = dict(list(here.items())[: limits.FORGOTTEN])
    whole = forgetting.without_broken_pages(tx, access, kept)
    return _Selection(whole, gone if wanted.has_only_ids else {}, relevance or {}, len(here) > limits.FORGOTTEN)


def _sets(tx: Transaction, access: Access, wanted: _Criteria, relevance: Mapping[str, float] | None) -> Iterator[Found]:
    """Return what fits each thing that is wanted, but the times."""
    if relevance is not None:
        found = forgetting.whole(tx, access, list(relevance))
        yield {key: found[key] for key in relevance if key in found}
    if wanted.ids:
        yield forgetting.with_fragments(tx, access, forgetting.whole(tx, access, wanted.ids))
    if wanted.entity is not None:
        yield forgetting.about_entity(tx, access, wanted.entity)
    if wanted.source is not None:
        yield forgetting.from_source(tx, access, wanted.source)


def _named_gone(tx: Transaction, access: Access, node_id: str, *, for_good: bool) -> Found:
    """Return a node that is not here from its receipt; one that was deleted before is none, and any other an error."""
    found = forgetting.let_go(tx, access, node_id)
    is_known = bool(found) or history.end(tx, access, node_id) is not None
    # Of one for which another stands nothing but that is left, which nobody has named.
    if for_good and is_known and (found or not stand_ins.find(tx, access, node_id)):
        return found
    nodes.get(tx, access, node_id)
    raise NotFound(f"there is no node {node_id} that this access may write in {access.root!r}")


def _plan(tx: Transaction, access: Access, selected: _Selection, *, for_good: bool) -> ForgetPlan:
    links, versions = forgetting.counts(tx, access, selected.here)
    listed = [_listed(node, selected.relevance.get(node.id)) for node in selected.here.values()]
    listed += [replace(_listed(node, None), version=0) for node in selected.let_go.values()]
    return ForgetPlan(
        root_namespace=access.root,
        plan=_name_of(listed, for_good=for_good),
        for_good=for_good,
        nodes=tuple(listed),
        links=links,
        versions=versions,
        truncated=selected.truncated,
        note=_MORE_FIT if selected.truncated else None,
    )


def _listed(node: Node, relevance: float | None) -> ForgottenNode:
    source = source_of(node)
    name = NodeRef(node.id, node.namespace, node.kind, node.title or node.content[:_BEGINNING_CHARACTERS])
    return ForgottenNode(name, node.observed_at, source.words() if source else None, relevance, node.version)


def _name_of(listed: Sequence[ForgottenNode], *, for_good: bool) -> str:
    """Return what tells a plan from any other: one of other nodes, or of other versions of them."""
    said = "\n".join(sorted(f"{entry.node.id} {entry.version}" for entry in listed))
    return hashlib.sha256(f"{for_good}\n{said}".encode()).hexdigest()[:_PLAN_CHARACTERS]


def _is_as_shown(tx: Transaction, access: Access, selected: _Selection) -> bool:
    """Return True if the nodes are as they were read, and no page has got another fragment."""
    now = forgetting.whole(tx, access, list(selected.here))
    versions = {key: node.version for key, node in selected.here.items()}
    is_same = {key: node.version for key, node in now.items()} == versions
    return is_same and forgetting.without_broken_pages(tx, access, now).keys() == versions.keys()
