"""Verbs for memos: save, get, list, delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api.state import Verbs
from recollect.model import limits
from recollect.model.graph import Node
from recollect.model.results import Deleted, Page, Saved
from recollect.storage import embeddings, events, nodes
from recollect.storage.port import Transaction
from recollect.text import check
from recollect.text.tokens import text_of


class MemoVerbs(Verbs):
    """What can be done with a memo."""

    def save(
        self,
        content: str,
        *,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        namespace: str | None = None,
        memo_id: str | None = None,
    ) -> Saved:
        """Save a memo, or with `memo_id` change one.

        A title that is not given stays; metadata is merged, and a null removes its key. The same text in
        the same namespace is kept once: the memo that has it is returned as a duplicate.
        """
        content = check.check_content(content)
        title = check.check_title(title)
        patch = check.check_metadata({} if metadata is None else metadata)
        made = self._made(memo_id, title, content)

        def create(tx: Transaction, now: str) -> Saved:
            node = Node(
                id=self._new_id(),
                namespace=self._access.resolve(namespace),
                title=title,
                content=content,
                content_hash=check.content_hash(content),
                metadata=patch,
                observed_at=now,
                recency_anchor=now,
                created_at=now,
                updated_at=now,
            )
            return nodes.create(tx, self._access, node, made)

        def update(tx: Transaction, now: str) -> Saved:
            access = self._access.narrowed(namespace)
            change = nodes.Change(content=content, title=title, metadata=patch)
            return nodes.update(tx, access, check.check_id(memo_id, field="memo_id"), change, made, now=now)

        def work(tx: Transaction) -> Saved:
            now = self._now()
            saved = create(tx, now) if memo_id is None else update(tx, now)
            if saved.status != "unchanged":
                payload = {"memo_id": saved.node.id, "status": saved.status, "version": saved.node.version}
                events.record(tx, self._access, "ingest", payload, namespace=saved.node.namespace, at=now)
            return saved

        saved = self._database.write(work)
        if not embeddings.is_instant(self._embedder) and saved.status != "unchanged":
            self._worker.wake()
        return saved

    def _made(self, memo_id: str | None, title: str | None, content: str) -> embeddings.Made | None:
        """The vector of a memo to be, made before the transaction: no lock is held over an embedding."""
        if self._embedder is None:
            return None
        if memo_id is not None and title is None and embeddings.is_instant(self._embedder):
            node_id = check.check_id(memo_id, field="memo_id")
            title = self._database.read(lambda tx: nodes.get(tx, self._access, node_id)).title
        return embeddings.made(self._embedder, [text_of(title, content)])

    def get(self, memo_id: str, *, namespace: str | None = None) -> Node:
        """The memo with this id."""
        node_id = check.check_id(memo_id, field="memo_id")
        access = self._access.narrowed(namespace)
        return self._database.read(lambda tx: nodes.get(tx, access, node_id))

    def list(self, *, namespace: str | None = None, limit: int = 20, cursor: str | None = None) -> Page:
        """The memos of a namespace and of those below it, newest first; without one, of the default."""
        limit = check.check_whole(limit, field="limit", low=1, high=limits.LIST_LIMIT)
        access = self._access.narrowed(self._access.resolve(namespace))
        return self._database.read(lambda tx: nodes.page(tx, access, kind="memo", limit=limit, cursor=cursor))

    def delete(self, memo_id: str, *, namespace: str | None = None) -> Deleted:
        """Delete a memo; its relations go with it."""
        node_id = check.check_id(memo_id, field="memo_id")
        access = self._access.narrowed(namespace)

        def work(tx: Transaction) -> Deleted:
            now = self._now()
            deleted = nodes.delete(tx, access, node_id)
            payload = {"memo_id": node_id, "edges": deleted.edges_deleted}
            events.record(tx, access, "delete", payload, namespace=deleted.node.namespace, at=now)
            return deleted

        return self._database.write(work)
