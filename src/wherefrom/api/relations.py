"""Verbs for relations, and for the namespaces that memos are in."""

from __future__ import annotations

from typing import Any, Final

from wherefrom.api.boundary import guarded_edge, refuse_secret
from wherefrom.api.state import Verbs
from wherefrom.model import limits
from wherefrom.model.errors import BoundaryDenied, InvalidInput, shown
from wherefrom.model.graph import Edge
from wherefrom.model.namespaces import is_inside
from wherefrom.model.results import Direction, Namespaces, Related, Relations, Renamed
from wherefrom.storage import edges, events, namespaces
from wherefrom.storage.port import Transaction
from wherefrom.text import check

_DIRECTIONS: Final[tuple[Direction, ...]] = ("forward", "backward", "both")


class RelationVerbs(Verbs):
    """What can be done with links and namespaces."""

    def relate(
        self,
        source_id: str,
        target_id: str,
        *,
        tag: str,
        weight: float,
        reason: str | None = None,
        namespace: str | None = None,
    ) -> Related:
        """Link two memos, or update that link. A reason that is not given stays; an empty one is cleared.

        With `namespace`, the source memo must be in it.
        """
        key = _edge_key(source_id, target_id, tag)
        weight = check.check_weight(weight)
        access = self._access
        reason = check.check_reason(reason)
        known = self._boundary.in_force().policies
        within = None if namespace is None else access.resolve(namespace)

        def guard(edge: Edge) -> Edge:
            return guarded_edge(edge, known.at(edge.source_namespace))

        def work(tx: Transaction) -> Related:
            now = self._now()
            related = edges.save(tx, access, key, weight=weight, reason=reason, now=now, within=within, guard=guard)
            if related.status != "unchanged":
                payload = {**_names(related.edge), "status": related.status, "version": related.edge.version}
                events.record(tx, access, "integrate", payload, namespace=related.edge.source_namespace, at=now)
            return related

        return self._database.write(work)

    def unrelate(self, source_id: str, target_id: str, *, tag: str, namespace: str | None = None) -> Edge:
        """Delete one link and return it."""
        key = _edge_key(source_id, target_id, tag)
        access = self._access
        within = None if namespace is None else access.resolve(namespace)

        def work(tx: Transaction) -> Edge:
            now = self._now()
            edge = edges.delete(tx, access, key, within=within)
            events.record(tx, access, "delete", _names(edge), namespace=edge.source_namespace, at=now)
            return edge

        return self._database.write(work)

    def relations(
        self,
        *,
        source_id: str | None = None,
        target_id: str | None = None,
        tag: str | None = None,
        since: str | None = None,
        namespace: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Relations:
        """The links inside the root, newest first, filtered by any of source, target, tag, namespace of the
        source, and `since` (created or changed at or after that time: what a copy needs to catch up).
        """
        filters = {
            "source_id": None if source_id is None else check.check_id(source_id, field="source_memo_id"),
            "target_id": None if target_id is None else check.check_id(target_id, field="target_memo_id"),
            "tag": None if tag is None else check.check_tag(tag),
            "since": None if since is None else check.check_time(since, field="since"),
        }
        access = self._access
        within = None if namespace is None else access.resolve(namespace)
        limit = check.check_whole(limit, field="limit", low=1, high=limits.RELATIONS_LIMIT)
        measure = self._measure(access)
        return self._database.read(
            lambda tx: edges.page(tx, access, filters, within=within, limit=limit, cursor=cursor, measure=measure)
        )

    def walk(
        self,
        start_id: str,
        *,
        depth: int = 3,
        direction: Direction = "both",
        tag: str | None = None,
        limit: int = 200,
        cursor: str | None = None,
    ) -> Relations:
        """The links within `depth` steps of a memo, nearest and strongest first; cycles cannot trap it."""
        access = self._access
        start = check.check_id(start_id, field="start_memo_id")
        depth = check.check_whole(depth, field="depth", low=1, high=limits.WALK_DEPTH)
        limit = check.check_whole(limit, field="limit", low=1, high=limits.WALK_LIMIT)
        tag = None if tag is None else check.check_tag(tag)
        if direction not in _DIRECTIONS:
            raise InvalidInput(f"direction {shown(direction)} is not one of {', '.join(_DIRECTIONS)}")
        measure = self._measure(access)
        return self._database.read(
            lambda tx: edges.walk(
                tx,
                access,
                start,
                depth=depth,
                direction=direction,
                tag=tag,
                limit=limit,
                cursor=cursor,
                measure=measure,
            )
        )

    def namespaces(
        self, namespace: str | None = None, *, depth: int = 5, limit: int = 100, cursor: str | None = None
    ) -> Namespaces:
        """The namespaces at and below one (without one: the root), by name, with their counts."""
        access = self._access
        base = access.root if namespace is None else access.resolve(namespace)
        depth = check.check_whole(depth, field="depth", low=1, high=limits.NAMESPACES_DEPTH)
        limit = check.check_whole(limit, field="limit", low=1, high=limits.NAMESPACES_LIMIT)
        return self._database.read(
            lambda tx: namespaces.page(tx, access, base, depth=depth, limit=limit, cursor=cursor)
        )

    def rename_namespace(self, source: str, target: str) -> Renamed:
        """Move a namespace and everything below it, in one transaction."""
        access = self._access
        refuse_secret(target if isinstance(target, str) else "", field="namespace")
        old, new = access.resolve(source), access.resolve(target)
        self._refuse_escape(old, new)

        def work(tx: Transaction) -> Renamed:
            now = self._now()
            renamed = namespaces.rename(tx, access, old, new, now=now)
            payload = {"source": old, "target": new, "nodes": renamed.nodes, "edges": renamed.edges}
            events.record(tx, access, "rename", payload, namespace=new, at=now)
            return renamed

        renamed = self._database.write(work)
        self._boundary.forget()
        return renamed

    def _refuse_escape(self, old: str, new: str) -> None:
        """A move must not take memos out from under a policy that holds above them."""
        for place in self._boundary.in_force().policies.by_namespace:
            if place != old and is_inside(old, place) and not is_inside(new, place):
                raise BoundaryDenied(
                    f"{new!r} is outside {place!r}, whose policy holds for {old!r}",
                    hint="move it inside, or change the policies first",
                )


def _edge_key(source_id: str, target_id: str, tag: str) -> tuple[str, str, str]:
    refuse_secret(tag if isinstance(tag, str) else "", field="tag")
    source = check.check_id(source_id, field="source_memo_id")
    return source, check.check_id(target_id, field="target_memo_id"), check.check_tag(tag)


def _names(edge: Edge) -> dict[str, Any]:
    return {"source_memo_id": edge.source_id, "target_memo_id": edge.target_id, "tag": edge.tag}
