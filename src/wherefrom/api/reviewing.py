"""The engine of reviews: pairs of statements that contradict each other, listed and settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Final, Literal

from wherefrom.api.contradictions import Finder, Found, Key, exclusive_tags
from wherefrom.api.history_sentences import day, quoted
from wherefrom.api.two_statements import may_both_hold
from wherefrom.engine.params import Cursor, id_param, namespace_param
from wherefrom.engine.view import Engine
from wherefrom.model import cursors, limits
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import last_day
from wherefrom.model.param import Param
from wherefrom.model.review import Kept, Review, ReviewPair, SettleCall, Settled, UndoCall
from wherefrom.storage import edges, embeddings, events, locks, nodes, replacing, reviewing, versions
from wherefrom.storage.port import Transaction
from wherefrom.storage.reviewing import COMPATIBLE
from wherefrom.text import check

_CURSOR: Final = "review"
_NAME_CHARACTERS: Final = 80

_Within = Annotated[str | None, namespace_param("Only there and below.")]
_First = Annotated[str, id_param("One of them.", metavar="FIRST_ID")]
_Second = Annotated[str, id_param("The other.", metavar="SECOND_ID")]
_Keep = Annotated[Kept, Param("What holds.")]
_UNTIL: Final = "The other's last day; what is kept begins then."
_EndedBy = Annotated[str | None, Param(_UNTIL, metavar="DATE", check=check.check_end)]
_SOURCE: Final = "For relations: where both lead from."
_Source = Annotated[str | None, id_param(_SOURCE, option="--source")]


class ReviewEngine(Engine):
    """Lists what contradicts, and settles it."""

    def review(
        self,
        namespace: _Within = None,
        *,
        limit: Annotated[int, Param("How many at most.", 1, limits.REVIEW_LIMIT)] = 10,
        cursor: Cursor = None,
    ) -> Review:
        """List pairs of memos or claims that contradict each other or look outdated, with the reason and the call that
        settles each.

        First what is certain: two statements in one slot, two relations with an exclusive tag from one source, and
        disputes. Then what is compared: of the newest statements those with the same title, and those that say nearly
        the same, if a number, a date, a negation or a name differs; last those that may be one statement twice. Only
        pairs of which the access sees both wholly.
        """
        access, now = self.view.access.reading(namespace).own(), self.view.now()
        known, after = self.view.boundary.policies, _position(cursor)

        def work(tx: Transaction) -> Review:
            finder = Finder(tx, access, known, now, embeddings.embed_now(tx, self.store.embedder))
            rest = (found for found in finder.pairs() if after is None or found.key > after)
            page = list(islice(rest, limit + 1))
            more = cursors.encode(_CURSOR, "{}.{}.{}".format(*page[limit - 1].key)) if len(page) > limit else None
            return Review(access.root, _shown(tx, access, page[:limit]), more)

        return self.store.database.read(work)

    def settle(
        self,
        first_id: _First,
        second_id: _Second,
        keep: _Keep,
        *,
        until: _EndedBy = None,
        source_id: _Source = None,
    ) -> Settled:
        """Say which of two statements holds: the other one ends, superseded by it; or that both hold.

        `until` says how long the one that ends held, and from when on the other one holds. Of both that hold it is
        remembered, by a relation `compatible`, and they are not listed again. With `source_id` the relations that lead
        from it to the two are meant, and the statements stay. `unrelate` takes a decision back.
        """
        if first_id == second_id:
            raise InvalidInput("first_id and second_id are the same", hint="a pair has two of them")
        if keep == "both" and until is not None:
            raise InvalidInput("until says that one of them has ended", hint="keep the first or the second")
        access, known = self.view.access, self.view.boundary.policies
        ids = (first_id, second_id) if keep == "first" else (second_id, first_id)

        def work(tx: Transaction) -> Settled:
            # Of those who settle the same pair at once, each must see what the one before has done.
            locks.be_alone(tx, access.owner)
            now = self.view.now()
            if source_id is not None:
                nodes.get(tx, access, source_id)
            if keep == "both":
                return _remember_both(tx, access, first_id, second_id, now=now)
            if source_id is None:
                return _keep_one(tx, access, ids, keep, until=until, now=now)
            found = reviewing.between(tx, access, source_id, ids)
            exclusive = exclusive_tags(known, {edge.source_namespace for edge in found})
            return _keep_relation(tx, access, ids, keep, [edge for edge in found if edge.tag in exclusive], until, now)

        return self.store.database.write(work)


def _keep_one(
    tx: Transaction, access: Access, ids: Sequence[str], keep: Kept, *, until: str | None, now: str
) -> Settled:
    """End the second of two statements in favour of the first."""
    kept, other = (_statement(tx, access, node_id) for node_id in ids)
    undo = UndoCall(kept.id, other.id, replacing.TAG)
    if other.superseded_by == kept.id:
        return Settled("unchanged", keep, _replaced(kept, other), other.id, other.valid_to, undo)
    if other.superseded_by is not None:
        raise Conflict(f"{other.id} was replaced before", hint="its history says by what: settle that one and this one")
    if until is not None:
        _refuse_early_end(kept, other, until)
        kept = replacing.begin(tx, access, kept, at=until, now=now)
    # What is later and wrong has never held: it ends where it began.
    at = until or max(kept.holds_from, other.holds_from)
    ended = replacing.supersede(tx, access, kept, other, now=now, at=at) or other
    edges.insert(tx, access, [edges.between(kept, ended, replacing.TAG, now=now)], skip_known=True)
    _forget_both(tx, access, ids)
    return Settled("settled", keep, _replaced(kept, ended), ended.id, ended.valid_to, undo)


def _keep_relation(
    tx: Transaction,
    access: Access,
    ids: Sequence[str],
    keep: Kept,
    found: Sequence[Edge],
    until: str | None,
    now: str,
) -> Settled:
    """End the relations to the second of two nodes that exclude those to the first."""
    kept = {edge.tag: edge for edge in found if edge.target_id == ids[0]}
    others = [edge for edge in found if edge.target_id == ids[1] and edge.tag in kept]
    if not others:
        raise InvalidInput("no two relations from source_id to these two exclude each other", hint="review lists pairs")
    for other in others:
        ended = edges.end(tx, access, other, at=until or now, now=now)
        payload = {"source_memo_id": ended.source_id, "target_memo_id": ended.target_id, "tag": ended.tag}
        payload["valid_to"] = ended.valid_to or now
        events.record(tx, access, "replace", payload, about=events.about_edge(ended), at=now)
        if until is not None:
            edges.begin(tx, access, kept[other.tag], at=until, now=now)
    tags = ", ".join(edge.tag for edge in others)
    text = f"the relation {tags} to {ids[1][-8:]} held until {last_day(until or now)}"
    return Settled("settled", keep, text, ids[1], until or now)


def _remember_both(tx: Transaction, access: Access, first_id: str, second_id: str, *, now: str) -> Settled:
    """Relate two nodes that both hold, so that they are not listed again."""
    first, second = (nodes.get(tx, access, node_id) for node_id in (first_id, second_id))
    text = f"{_name(first)} and {_name(second)} both hold"
    if known := _both(tx, access, (first_id, second_id)):
        return Settled("unchanged", "both", text, undo=UndoCall(*edges.key_of(known[0])))
    if ended := next((node for node in (first, second) if node.valid_to is not None and node.valid_to <= now), None):
        raise Conflict(f"{ended.id} holds no longer", hint="let it hold again first: unrelate what superseded it")
    edge = edges.between(first, second, COMPATIBLE, now=now)
    edges.insert(tx, access, [edge])
    payload = {"source_memo_id": first.id, "target_memo_id": second.id, "tag": COMPATIBLE}
    events.record(tx, access, "integrate", {**payload, "status": "created"}, about=events.about_edge(edge), at=now)
    return Settled("settled", "both", text, undo=UndoCall(*edges.key_of(edge)))


def _both(tx: Transaction, access: Access, ids: Sequence[str]) -> list[Edge]:
    """The relations by which two nodes both hold, in whichever direction."""
    found = [*reviewing.between(tx, access, ids[0], ids[1:]), *reviewing.between(tx, access, ids[1], ids[:1])]
    return [edge for edge in found if edge.tag == COMPATIBLE]


def _forget_both(tx: Transaction, access: Access, ids: Sequence[str]) -> None:
    """Take back that both hold, as one of them has ended."""
    edges.remove(tx, access, _both(tx, access, ids))


def _statement(tx: Transaction, access: Access, node_id: str) -> Node:
    node = nodes.get(tx, access, node_id)
    if node.kind not in versions.VERSIONED:
        raise InvalidInput(f"{node.id} is a {node.kind}: it stays as its source has it")
    return node


def _refuse_early_end(kept: Node, other: Node, until: str) -> None:
    """Raise an error if a statement would end before it begins."""
    if until <= (other.valid_from or ""):
        raise InvalidInput(f"{other.id} holds since {day(other.holds_from)}", hint="until is the last day that it held")
    if kept.valid_to is not None and kept.valid_to <= until:
        raise InvalidInput(f"{kept.id} held until {last_day(kept.valid_to)}", hint="what is kept must hold after until")


def _position(cursor: str | None) -> Key | None:
    """The key of the last pair of the page before."""
    inside = cursors.decode(cursor, _CURSOR)
    if inside is None:
        return None
    try:
        rank, later, earlier = (int(number) for number in inside.split("."))
    except ValueError:
        raise cursors.foreign(cursor) from None
    return rank, later, earlier


def _shown(tx: Transaction, access: Access, page: Sequence[Found]) -> tuple[ReviewPair, ...]:
    """The pairs of a page with their statements, what looks newer first."""
    known = nodes.by_ids(tx, access, sorted({key for found in page for key in (found.first_id, found.second_id)}))
    times = reviewing.since(tx, access, known)
    return tuple(
        _pair(found, known[found.first_id], known[found.second_id], times)
        for found in page
        if found.first_id in known and found.second_id in known
    )


def _pair(found: Found, first: Node, second: Node, times: Mapping[str, str]) -> ReviewPair:
    since = found.since or (times[first.id], times[second.id])
    if since[0] < since[1]:
        first, second = second, first
    is_undecided, reason = since[0] == since[1], found.reason
    if may_both_hold(found.kind, first.content, second.content):
        is_undecided, reason = True, f"{reason}; both may hold"
    newer: Literal["first"] | None = None if is_undecided else "first"
    call = SettleCall(first.id, second.id, newer or "both", found.source_id)
    return ReviewPair(found.kind, reason, first, second, newer, call)


def _replaced(kept: Node, ended: Node) -> str:
    until = last_day(ended.valid_to or ended.updated_at)
    return f"{_name(kept)} took the place of {_name(ended)}, which held until {until}"


def _name(node: Node) -> str:
    return quoted(node.title or node.content[:_NAME_CHARACTERS])
