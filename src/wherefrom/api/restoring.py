"""The engine of restoring: what was let go comes back, what has ended or expired holds again, and a former version of a
text becomes the newest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Final

from wherefrom.engine.boundary import ImportGuard, guarded, keep_invariants
from wherefrom.engine.params import VERSION_HIGH, id_param
from wherefrom.engine.view import Engine
from wherefrom.metabolism.adaptive_batch import AdaptiveBatch
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput
from wherefrom.model.graph import Node
from wherefrom.model.metabolism import Restored
from wherefrom.model.param import Param
from wherefrom.storage import embeddings, events, evidence, locks, node_saving, nodes, receipts, replacing, versions
from wherefrom.storage.port import Result, Transaction
from wherefrom.storage.receipts import RestoreRequest
from wherefrom.text import check

_NODE: Final = "Bring back this node: it was let go, has ended or has expired."
_Version = Annotated[
    int | None, Param("With node_id: make this former version its newest; history lists them.", 1, VERSION_HIGH)
]


class RestoreEngine(Engine):
    """Brings back what was let go, what has ended, what has expired, and former versions."""

    def restore(
        self,
        node_id: Annotated[
            str | None, id_param(_NODE, refers="retired", aliases=("memo_id", "id"), metavar="NODE_ID")
        ] = None,
        *,
        run_id: Annotated[
            str | None, id_param("Or all that this run of metabolize let go.", refers="run", option="--run")
        ] = None,
        since: Annotated[
            str | None,
            Param("Or all that went at or after this ISO-8601 time.", metavar="TIME", check=check.check_time),
        ] = None,
        version: _Version = None,
    ) -> Restored:
        """Bring back what was let go: one node, what one run let go, or everything since a time, as it was.

        A node that is here and has ended (it was replaced, or is outdated or a completed task) holds again; one that
        has expired lives as long as its scope says, from now on. With `version`, that former text, title and metadata
        of the node become its newest version. What cannot come back (another node has its text by now) is named with
        the reason.
        """
        if sum(value is not None for value in (node_id, run_id, since)) != 1:
            raise InvalidInput("what to bring back is not clear", hint="give exactly one of node_id, run_id and since")
        if version is not None and node_id is None:
            raise InvalidInput("version is one of a node", hint="give node_id with it")
        access = self.view.access
        if node_id is not None and version is not None:
            return self._former(access, node_id, version)
        if node_id is not None and (note := self._holding_again(access, node_id)):
            return Restored(access.root, (node_id,), 0, note=note)
        return self._let_go(access, RestoreRequest(node_id=node_id, run_id=run_id, since=since))

    def _let_go(self, access: Access, wanted: RestoreRequest) -> Restored:
        """Bring back nodes that were let go, and their relations."""
        guard, batch = ImportGuard(self.view.boundary), AdaptiveBatch()
        ids: list[str] = []
        skipped: dict[str, str] = {}
        for back, left in self._in_batches(
            lambda tx, **page: receipts.restore_nodes(tx, access, wanted, guard, now=self.view.now(), **page),
            AdaptiveBatch(),
        ):
            ids += back
            skipped |= left

        def restore_edges(wanted: RestoreRequest) -> int:
            return sum(
                self._in_batches(lambda tx, **page: receipts.restore_edges(tx, access, wanted, guard, **page), batch)
            )

        links = 0 if wanted.node_id is not None else restore_edges(wanted)
        # An edge that went with either of two nodes comes back with the second of them; a node that is here already
        # may lack edges if this was cut off before.
        around = ids if wanted.node_id is None else [wanted.node_id]
        for start in range(0, len(around), receipts.MAX_NODES_PER_EDGE_SIDE):
            some = around[start : start + receipts.MAX_NODES_PER_EDGE_SIDE]
            links += restore_edges(RestoreRequest(sources=some)) + restore_edges(RestoreRequest(targets=some))
        if wanted.since is None and not ids and not links:
            self._refuse_holding(access, wanted.node_id)
            if not skipped:
                raise receipts.nothing_there(access, wanted)
        done = Restored(access.root, tuple(ids), links, skipped)
        if ids or links:
            self.store.database.write(lambda tx: receipts.note(tx, access, wanted, done, now=self.view.now()))
        self.store.worker.wake(access)
        return done

    def _holding_again(self, access: Access, node_id: str) -> str | None:
        """Let a node that is here and has ended or expired hold again; return what was done, or None."""
        known = self.view.boundary.policies

        def work(tx: Transaction) -> str | None:
            locks.be_alone(tx, access.owner)
            node = nodes.by_ids(tx, access, [node_id]).get(node_id)
            now = self.view.now()
            if node is None and nodes.read_by_ids(tx, access, [node_id]):
                nodes.get(tx, access, node_id)  # refuses an access that sees a part of it
            if node is None or node.kind not in versions.VERSIONED:
                return None
            done = replacing.revive(tx, access, node, lifetime=known.at(node.namespace).expiry(node.scope), now=now)
            if done is node:
                return None
            ended = (node.valid_to, node.superseded_by) != (done.valid_to, done.superseded_by)
            until = "without end" if done.expires_at is None else f"until {done.expires_at[:10]}"
            return f"It holds again{'' if done.expires_at == node.expires_at and ended else f', {until}'}."

        return self.store.database.write(work)

    def _refuse_holding(self, access: Access, node_id: str | None) -> None:
        """Raise an error if a node is here: nothing of it is to be brought back."""
        ids = [] if node_id is None else [node_id]
        for node in self.store.database.read(lambda tx: nodes.read_by_ids(tx, access.own(), ids)).values():
            if not access.sees(node.namespace, node.boundary_class):
                continue
            if node.rejected_at is not None:
                hint = f"`wherefrom reject {node.id} --restore` adopts it again"
                raise Conflict(f"claim {node.id} was rejected", hint=hint)
            hint = "history shows its former versions; version brings one of them back"
            raise Conflict(f"{node.kind} {node.id} is here, and holds", hint=hint)

    def _former(self, access: Access, node_id: str, number: int) -> Restored:
        """Make a former version of a node its newest, as far as the policy lets it be kept."""
        known = self.view.boundary.policies

        def former(tx: Transaction) -> tuple[Node, Node]:
            node = nodes.get(tx, access, node_id)
            version = versions.numbered(tx, access, node, number)
            # Whoever wrote that text, it is not said anew: as a standing rule it has to be confirmed.
            was = replace(node, content=version.content, title=version.title, metadata=version.metadata)
            was = replace(was, written_by=version.written_by, imported_from=version.imported_from)
            return node, replace(was, confirmed_at=None)

        node, given = self.store.database.read(former)
        rules = known.at(node.namespace)
        kept, taken = guarded(given, rules)
        kept = replace(kept, content_hash=check.content_hash(kept.content))
        embedder, text = self.store.embedder, embeddings.embedded_text(kept)
        made = None if embedder is None else embeddings.made(embedder, [text])

        def work(tx: Transaction) -> Node:
            locks.share(tx, access.owner)
            now = self.view.now()
            if nodes.get(tx, access, node_id).version != node.version:
                raise Conflict(f"{node_id} was changed meanwhile", hint="look at it, and restore the version again")
            evidence.refuse_rewording(tx, access, node, kept.content)
            accept = partial(keep_invariants, rules=rules)
            new = node_saving.take_texts(tx, access, node, kept, made, now=now, accept=accept)
            payload = {"memo_id": node.id, "status": "updated", "version": new.version, "of_version": number}
            payload |= {"redacted": dict(taken)} if taken else {}
            events.record(tx, access, "ingest", payload, about=events.about_node(new), at=now)
            return new

        new = self.store.database.write(work)
        self.store.worker.wake(access)
        note = f"Version {number} is version {new.version} now."
        return Restored(access.root, (node_id,), 0, note=note)

    def _in_batches(self, step: Callable[..., tuple[Result, int | None]], batch: AdaptiveBatch) -> Iterator[Result]:
        """Run a step in short transactions, each from where the one before it ended."""
        after: int | None = 0
        while after is not None:

            def work(tx: Transaction, after: int = after) -> tuple[Result, int | None, float]:
                locks.be_alone(tx, self.view.access.owner)
                started = time.perf_counter()
                result, last = step(tx, after=after, limit=batch.size)
                return result, last, time.perf_counter() - started

            result, after, seconds = self.store.database.write(work)
            batch.took(seconds)
            yield result
