"""The engines of relations between memos, and of the namespaces that memos are in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from wherefrom.engine import params
from wherefrom.engine.boundary import ImportGuard
from wherefrom.engine.params import AsOf, Cursor, SourceId, SourceWithin, TargetId, id_param, namespace_param
from wherefrom.engine.view import Engine
from wherefrom.metabolism.settings import MetabolismSettings
from wherefrom.model import limits
from wherefrom.model.errors import BoundaryDenied, InvalidInput
from wherefrom.model.graph import Edge, NodeKind
from wherefrom.model.namespaces import is_inside
from wherefrom.model.neighbourhood import Neighbourhood, PathFound
from wherefrom.model.param import Param
from wherefrom.model.results import Direction, Namespaces, Related, Relations, Renamed
from wherefrom.storage import edges, events, locks, namespaces, neighbourhood, nodes, replacing, upkeep_counts
from wherefrom.storage.port import Transaction
from wherefrom.text import check

_WEIGHT = "How strong, 0 to 1. Guideline: supports 0.6–1.0, conflicts 0.4–0.8, explains 0.5–0.8."
_Weight = Annotated[float, Param(_WEIGHT, 0, 1, option="--weight,-w")]
_REASON = "Why, in one plain sentence. Omit to keep the old one."
_Reason = Annotated[str | None, Param(_REASON, option="--reason,-r", check=check.check_reason)]
_FromMemo = Annotated[
    str | None,
    id_param("Only relations from this memo.", name="source_memo_id", option="--source", gone="ahead"),
]
_ToMemo = Annotated[
    str | None, id_param("Only relations to this memo.", name="target_memo_id", option="--target", gone="ahead")
]
_SINCE = "Only what was created or changed at or after this ISO-8601 time."
_Since = Annotated[str | None, Param(_SINCE, metavar="TIME", check=check.check_time)]
_Starts = Annotated[Sequence[str], id_param("Where to start.", high=limits.STARTS, aliases=("memo_ids",))]
_KINDS = "Only what is of one of these kinds, beside where it starts."
_Kinds = Annotated[Sequence[NodeKind] | None, Param(_KINDS)]
_Drawn = Annotated[int, Param("How many at most, with those where it starts.", 1, limits.DRAWN_NODES)]
_TAGS = "Only relations with one of these tags."
_Tags = Annotated[Sequence[str] | None, Param(_TAGS, option="--tag,-t", check=check.check_tags)]


class RelationEngine(Engine):
    """Relates memos, and lists and follows relations."""

    def relate(
        self,
        source_id: SourceId,
        target_id: TargetId,
        *,
        tag: params.NewTag,
        weight: _Weight,
        reason: _Reason = None,
        namespace: SourceWithin = None,
    ) -> Related:
        """Relate two memos, or update that relation. A reason that is not given stays; an empty one is cleared.

        With `namespace`, the source memo must be in it. By `supersedes` the target ends, and by a tag of which the
        policy says that it is exclusive, the source's other relations with it.
        """
        access = self.view.access
        within = None if namespace is None else access.resolve(namespace)
        guard = ImportGuard(self.view.boundary).edge

        def work(tx: Transaction) -> Related:
            key, now = (source_id, target_id, tag), self.view.now()
            if tag == replacing.TAG or self._is_exclusive_somewhere(tag):
                # Of those who replace the same at once, each must see what the one before has done.
                locks.be_alone(tx, access.owner)
            related = edges.save(tx, access, key, weight=weight, reason=reason, now=now, within=within, guard=guard)
            if tag == replacing.TAG and source_id != target_id:
                source, target = (nodes.get(tx, access, end) for end in (source_id, target_id))
                replacing.supersede(tx, access, source, target, now=now)
            elif tag in self._exclusive(related.edge):
                ended = edges.end_others(tx, access, related.edge, now=now)
                related = replace(related, replaced=tuple(edge.target_id for edge in ended))
            if related.status != "unchanged":
                payload = {**_names(related.edge), "status": related.status, "version": related.edge.version}
                events.record(tx, access, "integrate", payload, about=events.about_edge(related.edge), at=now)
                upkeep_counts.recount(tx, access)
            return related

        return self.store.database.write(work)

    def _exclusive(self, edge: Edge) -> Collection[str]:
        """Return the tags of which a node has one relation at a time, where this relation belongs."""
        return self.view.boundary.policies.at(edge.source_namespace).settings(MetabolismSettings).exclusive

    def _is_exclusive_somewhere(self, tag: str) -> bool:
        policies = self.view.boundary.policies
        places = (self.view.root, *policies.by_namespace)
        return any(tag in policies.at(place).settings(MetabolismSettings).exclusive for place in places)

    def unrelate(
        self, source_id: SourceId, target_id: TargetId, *, tag: params.Tag, namespace: SourceWithin = None
    ) -> Edge:
        """Delete one relation; the memos stay. A memo that holds no longer because of it holds again.

        Returns the relation as it was.
        """
        access = self.view.access
        within = None if namespace is None else access.resolve(namespace)

        def work(tx: Transaction) -> Edge:
            if tag == replacing.TAG:
                locks.be_alone(tx, access.owner)
            edge, now = edges.delete(tx, access, (source_id, target_id, tag), within=within), self.view.now()
            events.record(tx, access, "delete", _names(edge), about=events.about_edge(edge), at=now)
            if tag == replacing.TAG and source_id != target_id:
                replacing.take_back(tx, access, source_id, target_id, now=now)
            upkeep_counts.recount(tx, access)
            return edge

        return self.store.database.write(work)

    def relations(
        self,
        *,
        source_id: _FromMemo = None,
        target_id: _ToMemo = None,
        tag: params.AnyTag = None,
        since: _Since = None,
        as_of: AsOf = None,
        namespace: Annotated[str | None, namespace_param("Only relations whose source is in it or below.")] = None,
        limit: Annotated[int, Param("How many at most.", 1, limits.RELATIONS_LIMIT)] = 100,
        cursor: Cursor = None,
    ) -> Relations:
        """List relations, newest first, filtered by any of source, target, tag, namespace of the source, and
        `since` (created or changed at or after that time: what a copy needs to catch up). Those that hold now, or at
        the time `as_of`.
        """
        filters = {"source_id": source_id, "target_id": target_id, "tag": tag, "since": since, "as_of": as_of}
        access = self.view.access
        within = None if namespace is None else access.readable(namespace)
        page = partial(edges.page, within=within, limit=limit, cursor=cursor, measure=self.view.measure(access))
        return self.store.database.read(lambda tx: page(tx, access, filters))

    def walk(
        self,
        start_id: Annotated[str, id_param("Where the walk starts.", name="start_memo_id")],
        *,
        depth: Annotated[int, Param("How many steps.", 1, limits.WALK_DEPTH, aliases=("max_depth",))] = 3,
        direction: Annotated[Direction, Param("Which way it follows relations.")] = "both",
        tag: params.AnyTag = None,
        limit: Annotated[int, Param("How many relations at most.", 1, limits.WALK_LIMIT)] = 200,
        cursor: Cursor = None,
    ) -> Relations:
        """Walk the graph from a memo: the relations within `depth` steps, nearest and strongest first; cycles cannot
        trap it.
        """
        access = self.view.access
        measure = self.view.measure(access)
        walk = partial(edges.walk, depth=depth, direction=direction, tag=tag, limit=limit, cursor=cursor)
        return self.store.database.read(lambda tx: walk(tx, access, start_id, measure=measure))

    def neighbourhood(
        self,
        node_ids: _Starts,
        *,
        hops: Annotated[int, Param("How many steps away.", 1, limits.HOPS)] = 1,
        tags: _Tags = None,
        kinds: _Kinds = None,
        as_of: AsOf = None,
        limit: _Drawn = 300,
    ) -> Neighbourhood:
        """Return what is around some memos, to be drawn: all within `hops` steps, whichever way relations point, with
        the relations between them. The limit keeps what is nearest and has the strongest relations.
        """
        starts = tuple(dict.fromkeys(node_ids))
        if not starts:
            raise InvalidInput("node_ids is empty", hint="name at least one memo")
        if len(starts) > limit:
            raise InvalidInput(f"node_ids has {len(starts)} items, and limit is {limit}", hint="raise the limit")
        followed = neighbourhood.Followed(self.view.access, self.view.now(), as_of, tags, kinds)
        around = partial(neighbourhood.around, hops=hops, limit=limit, clocks=self.view.clocks(followed.access))
        return self.store.database.read(lambda tx: around(tx, followed, starts))

    def path(
        self,
        source_id: Annotated[str, id_param("The memo at one end.", metavar="SOURCE_ID")],
        target_id: Annotated[str, id_param("The memo at the other end.", metavar="TARGET_ID")],
        *,
        max_steps: Annotated[int, Param("How many relations it has at most.", 1, limits.PATH_STEPS)] = 6,
        tags: _Tags = None,
        as_of: AsOf = None,
    ) -> PathFound:
        """Say how two memos are connected: the shortest chain of relations between them, whichever way those point,
        and of several the one with the thickest relations.
        """
        followed = neighbourhood.Followed(self.view.access, self.view.now(), as_of, tags)
        search = partial(neighbourhood.path, max_steps=max_steps, measure=self.view.measure(followed.access))
        return self.store.database.read(lambda tx: search(tx, followed, source_id, target_id))


class NamespaceEngine(Engine):
    """Lists and moves namespaces."""

    def namespaces(
        self,
        namespace: Annotated[str | None, Param("Where to start. Omit for the root.")] = None,
        *,
        depth: Annotated[int, Param("How many levels below.", 1, limits.NAMESPACES_DEPTH)] = 5,
        limit: Annotated[int, Param("How many at most.", 1, limits.NAMESPACES_LIMIT)] = 100,
        cursor: Cursor = None,
    ) -> Namespaces:
        """List the namespaces at and below one (without one: the root), by name, with their counts."""
        access = self.view.access
        base = access.root if namespace is None else access.readable(namespace)
        return self.store.database.read(
            lambda tx: namespaces.page(tx, access, base, depth=depth, limit=limit, cursor=cursor)
        )

    def rename_namespace(
        self,
        source: Annotated[str, Param("The namespace to move.")],
        target: Annotated[str, Param("Its new path.", check=params.check_place)],
    ) -> Renamed:
        """Move a namespace and everything below it, in one transaction."""
        access = self.view.access
        old, new = access.resolve(source), access.resolve(target)
        self._refuse_escape(old, new)

        def work(tx: Transaction) -> Renamed:
            now = self.view.now()
            renamed = namespaces.rename(tx, access, old, new, now=now)
            payload = {"source": old, "target": new, "nodes": renamed.nodes, "edges": renamed.edges}
            events.record(tx, access, "rename", payload, about=events.about_place(access, new, other=old), at=now)
            return renamed

        renamed = self.store.database.write(work)
        self.view.boundary.forget()
        return renamed

    def _refuse_escape(self, old: str, new: str) -> None:
        """Raises if a move would take memos out of the reach of a policy that holds for them now."""
        for place in self.view.boundary.policies.by_namespace:
            if place != old and is_inside(old, place) and not is_inside(new, place):
                raise BoundaryDenied(
                    f"{new!r} is outside {place!r}, whose policy holds for {old!r}",
                    hint="move it inside, or change the policies first",
                )


def _names(edge: Edge) -> dict[str, Any]:
    return {"source_memo_id": edge.source_id, "target_memo_id": edge.target_id, "tag": edge.tag}
