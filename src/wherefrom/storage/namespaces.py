"""Lists the namespaces of an access, and moves a namespace."""

from __future__ import annotations

from collections import Counter

from wherefrom.model import cursors
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, Conflict, InvalidNamespace, NotFound
from wherefrom.model.limits import NAMESPACE_CHARACTERS
from wherefrom.model.namespaces import is_inside, lineage
from wherefrom.model.results import NamespaceCount, Namespaces, Renamed
from wherefrom.storage import insight, keys, locks
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import inside_parameters, scope_parameters


def page(tx: Transaction, access: Access, base: str, *, depth: int, limit: int, cursor: str | None) -> Namespaces:
    """The base and the namespaces up to `depth` levels below it, by name; each count includes the namespaces below.
    If the base is the root, the further roots are listed, too.
    """
    within = access if base == access.root else access.narrowed(base)
    counts = Counter(dict.fromkeys(within.roots, 0))
    for namespace, nodes in tx.rows("namespace_counts", scope_parameters(within)):
        tops = [top for top in within.roots if is_inside(namespace, top)]
        counts.update(dict.fromkeys({name for top in tops for name in _lineage(namespace, top, depth)}, nodes))
    after = cursors.decode(cursor, "namespaces")
    names = sorted(name for name in counts if after is None or name > after)
    return Namespaces(
        root_namespace=access.root,
        default_namespace=access.namespace,
        items=tuple(NamespaceCount(name, counts[name]) for name in names[:limit]),
        next_cursor=cursors.encode("namespaces", names[limit - 1]) if len(names) > limit else None,
    )


def _lineage(namespace: str, top: str, depth: int) -> list[str]:
    """The namespaces from `top` down to a namespace, at most `depth` levels below `top`."""
    level = top.count("/")
    return list(lineage(namespace)[level : level + depth + 1])


def rename(tx: Transaction, access: Access, source: str, target: str, *, now: str) -> Renamed:
    """Move a namespace and everything below it, with its edges."""
    access = access.writing()
    if is_inside(target, source):
        raise InvalidNamespace(f"{source!r} cannot be moved into itself ({target!r})")
    locks.be_alone(tx, access.owner)
    parameters = {"owner": access.owner, "target": target, "now": now, **inside_parameters("moved", source)}
    longest = tx.number("namespace_longest", parameters)
    if longest == 0:
        raise NotFound(f"there is nothing in namespace {source!r}", hint="list the namespaces")
    if longest - len(source) + len(target) > NAMESPACE_CHARACTERS:
        raise InvalidNamespace(f"a path below {target!r} would be longer than {NAMESPACE_CHARACTERS} characters")
    unseen = tx.number("namespace_unseen", {**scope_parameters(access), **parameters})
    if unseen:
        raise BoundaryDenied(
            f"{unseen} nodes in {source!r} are of boundary classes that this access may not see",
            hint="open the memory with tags that open them",
        )
    for namespace, boundary_class in tx.rows("namespace_classes", parameters):
        if not access.sees(target + namespace[len(source) :], boundary_class):
            raise BoundaryDenied(
                f"this access may not see the boundary class {boundary_class!r} in {target!r}",
                hint="choose another namespace",
            )
    collisions = tx.number("namespace_collisions", {**scope_parameters(access), **parameters})
    if collisions:
        raise Conflict(
            f"{collisions} texts are in both {source!r} and {target!r}",
            hint="delete the duplicates in one of them, then rename again",
        )
    slots = tx.number("namespace_slots", parameters)
    if slots:
        raise Conflict(
            f"{slots} slots have a statement in both {source!r} and {target!r}",
            hint="end or delete one of the two, then rename again",
        )
    policies = tx.number("policies_inside", {**parameters, **inside_parameters("target", target)})
    if policies:
        raise Conflict(f"{target!r} has policies of its own", hint="move the memos into another namespace")
    nodes = tx.count("namespace_move_nodes", parameters)
    edges = tx.count("namespace_move_edges", parameters)
    for name in (
        "namespace_move_tasks",
        "policies_move",
        "retired_move",
        "runs_move",
        "metabolism_plans_move",
        "upkeep_runs_move",
        "mentions_due_move",
        "events_move",
    ):
        tx.run(name, parameters)
    insight.move(tx, access, source, target)
    keys.move(tx, access.owner, source, target)
    return Renamed(source, target, nodes, edges)
