"""Rows in several namespaces of one owner, and accesses that read more than their root."""

from __future__ import annotations

from wherefrom import Memory
from wherefrom.engine.view import View
from wherefrom.model.access import Access, also_roots
from wherefrom.model.graph import Node
from wherefrom.storage import edges, node_saving
from wherefrom.text.check import content_hash

CLASSES = ("public", "internal", "pii")
NOW = "2026-01-01T00:00:00.000000Z"


def access_of(root="me", also=(), namespace=None, **given):
    """An access of the owner `local`."""
    default = namespace or root
    plain = {"owner": "local", "classes": ("public", "internal")}
    return Access(**{**plain, "root": root, "namespace": default, "also": also_roots(also, default=default), **given})


def view(memory, access):
    """A memory on the same database, seen by another access."""
    return Memory(View(memory.view.store, access, memory.view.store.settings.allow))


def node_of(namespace, text, *, boundary_class="internal", **given):
    times = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), NOW)
    plain = {"id": f"n-{content_hash(namespace + text + boundary_class)[:20]}", "content": text}
    hashed = {"content_hash": content_hash(text), "boundary_class": boundary_class}
    return Node(namespace=namespace, **{**times, **plain, **hashed, **given})


def put(memory, *new, owner="local"):
    """Store nodes wherever they are."""

    def work(tx):
        for node in new:
            access = access_of(node.namespace, owner=owner, classes=CLASSES)
            node_saving.create(tx, access, node, None)

    memory.view.store.database.write(work)
    return new


def link(memory, source, target, tag="about"):
    """Store an edge wherever its ends are."""
    edge = edges.between(source, target, tag, now=NOW)
    memory.view.store.database.write(lambda tx: edges.insert(tx, memory.view.access, [edge]))
    return edge


def read(memory, work):
    return memory.view.store.database.read(work)
