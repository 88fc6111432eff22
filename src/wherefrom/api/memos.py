"""Verbs for memos and claims: save, get, list, delete."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, cast, get_args

from wherefrom.api.boundary import guarded, keep_invariants, note_of, refuse_secret
from wherefrom.api.insight import InsightVerbs
from wherefrom.api.state import trace_of
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput, WherefromError, shown
from wherefrom.model.graph import BoundaryClass, ClaimKind, Node, NodeKind, Scope, strictest
from wherefrom.model.identifiers import timestamp
from wherefrom.model.results import Deleted, Page, Saved
from wherefrom.storage import edges, embeddings, events, evidence, mentions, nodes, sweep
from wherefrom.storage.port import Transaction
from wherefrom.text import check

logger = logging.getLogger("wherefrom")

# So many expired nodes are swept beside one save.
_SWEPT_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class _Saving:
    """What is about to be stored: checked, guarded and embedded."""

    node: Node
    change: nodes.Change
    existing: Node | None
    entities: tuple[Node, ...]
    redacted: Counter[str]
    not_kept: str | None
    lifetime: timedelta | None
    accept: Callable[[Node], None]
    made: embeddings.Made | None


class MemoVerbs(InsightVerbs):
    """What can be done with a memo or a claim."""

    def save(
        self,
        content: str,
        *,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        namespace: str | None = None,
        memo_id: str | None = None,
        claim_kind: ClaimKind | None = None,
        scope: Scope | None = None,
        boundary_class: BoundaryClass | None = None,
        confidence: float | None = None,
        entities: Sequence[str] = (),
        provenance: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        link: bool = False,
        request_id: str | None = None,
        trace_id: str | None = None,
    ) -> Saved:
        """Save a memo, with `claim_kind` a claim, or with `memo_id` change one.

        A title that is not given stays; metadata is merged, and a null removes its key. The same text in
        the same namespace is kept once: the node that has it is returned as a duplicate. It keeps its title;
        another one becomes an alias, by which it is found and linked, too. `scope` says how long
        it holds (session, project, principle), `entities` what it is about, `provenance` where it comes from.
        `pinned` keeps it from being let go (see metabolize). `link` also links it to what it belongs with (see
        find_insight). What the policy forbids is taken out or refused; a secret is taken out, and the text kept.
        """
        trace = trace_of(request_id, trace_id)
        refuse_secret(namespace if isinstance(namespace, str) else "", field="namespace")
        given = Node(
            id=self._new_id(),
            namespace=self._access.resolve(namespace),
            kind="memo" if claim_kind is None else "claim",
            title=check.check_title(title),
            content=check.check_content(content),
            content_hash="",
            metadata=check.check_metadata({} if metadata is None else metadata),
            provenance=check.check_metadata({} if provenance is None else provenance, field="provenance"),
            claim_kind=cast(ClaimKind | None, check.check_choice(claim_kind, get_args(ClaimKind), field="claim_kind")),
            scope=cast(Scope | None, check.check_choice(scope, get_args(Scope), field="scope")),
            boundary_class=check.check_class(boundary_class),
            confidence=0.5 if confidence is None else check.check_weight(confidence, field="confidence"),
            pinned=check.check_flag(pinned, field="pinned") or False,
            observed_at="",
            recency_anchor="",
            created_at="",
            updated_at="",
        )
        existing = None if memo_id is None else self.get(memo_id, namespace=namespace)
        if existing is not None and existing.kind in ("page", "fragment"):
            raise InvalidInput(f"{existing.id} is a {existing.kind}: it stays as its source has it")
        if existing is not None and claim_kind is not None and existing.kind != "claim":
            raise InvalidInput(f"{existing.id} is a {existing.kind} and stays one", hint="save the claim as a new one")
        names, access = check.check_names(entities), self._access
        with self._noting_refusal("save", given.namespace, trace):
            saving = self._saving(given, existing, names, sure=confidence is not None)
            saving = replace(saving, change=replace(saving.change, pinned=pinned))
            saved = self._database.write(lambda tx: self._store(tx, access, saving, trace))
        if not embeddings.is_instant(self._embedder) and saved.status != "unchanged":
            self._worker.wake()
        return self._linked(saved) if link else saved

    def get(self, memo_id: str, *, namespace: str | None = None) -> Node:
        """The memo or claim with this id."""
        node_id = check.check_id(memo_id, field="memo_id")
        access = self._access.narrowed(namespace)
        return self._database.read(lambda tx: nodes.read(tx, access, node_id))

    def list(
        self, *, namespace: str | None = None, kind: NodeKind = "memo", limit: int = 20, cursor: str | None = None
    ) -> Page:
        """The memos (or nodes of another kind) of a namespace and of those below it, newest first; without one,
        of the default.
        """
        if kind not in get_args(NodeKind):
            raise InvalidInput(f"kind {shown(kind)} is not one of {', '.join(get_args(NodeKind))}")
        limit = check.check_whole(limit, field="limit", low=1, high=limits.LIST_LIMIT)
        access = self._access.narrowed(self._access.resolve(namespace))
        return self._database.read(lambda tx: nodes.page(tx, access, kind=kind, limit=limit, cursor=cursor))

    def delete(self, memo_id: str, *, namespace: str | None = None) -> Deleted:
        """Delete a memo; its relations go with it."""
        node_id = check.check_id(memo_id, field="memo_id")
        access = self._access.narrowed(namespace)

        def work(tx: Transaction) -> Deleted:
            now = self._now()
            tx.run("lock_edges_shared", {})
            deleted = nodes.delete(tx, access, node_id, now=now)
            payload = {"memo_id": node_id, "edges": deleted.edges_deleted}
            events.record(tx, access, "delete", payload, namespace=deleted.node.namespace, at=now)
            return deleted

        return self._database.write(work)

    def _linked(self, saved: Saved) -> Saved:
        """With its links. It is saved: whatever goes wrong now must not look as if it were not."""
        try:
            links, degraded = self._link_saved(saved.node)
        except WherefromError as error:
            return replace(saved, degraded=(f"not linked: {error.message}",))
        except Exception:
            logger.exception("linking %s failed", saved.node.id)
            return replace(saved, degraded=("not linked: it failed unexpectedly, the log has the details",))
        return replace(saved, links=links, degraded=degraded)

    def _saving(self, given: Node, existing: Node | None, entities: Sequence[str], *, sure: bool) -> _Saving:
        """What the policy leaves of what is given, with its vectors: no lock is held over an embedding."""
        scope = given.scope
        if existing is not None:
            given = replace(
                given,
                kind=existing.kind,
                namespace=existing.namespace,
                scope=scope or existing.scope,
                boundary_class=strictest(given.boundary_class, existing.open_class),
            )
        if given.kind == "claim":
            check.check_text(given.content, field="a claim", size=limits.CLAIM_BYTES)
        rules = self._boundary.at(given.namespace)
        node, redacted = guarded(given, rules)
        node = replace(node, content_hash=check.content_hash(node.content))
        bare = replace(given, title=None, metadata={}, provenance={})
        names: list[Node] = []
        for name in entities:
            entity, taken = guarded(replace(bare, content=name), rules)
            names.append(replace(entity, title=entity.content))
            redacted.update(taken)
        merged = node
        if existing is not None:
            shared_class = node.shared_class or existing.shared_class
            merged = replace(node, title=node.title or existing.title, shared_class=shared_class)
        texts = [embeddings.embedded_text(each) for each in (merged, *names)]
        return _Saving(
            node=node,
            change=nodes.Change(
                content=node.content,
                title=node.title,
                metadata=node.metadata,
                provenance=node.provenance,
                boundary_class=node.boundary_class,
                shared_class=node.shared_class,
                claim_kind=node.claim_kind,
                scope=scope,
                confidence=node.confidence if sure else None,
            ),
            existing=existing,
            entities=tuple(names),
            redacted=redacted,
            not_kept=note_of(redacted, personal=rules.personal),
            lifetime=None if node.scope is None else rules.expiry(node.scope),
            accept=lambda stored: keep_invariants(stored, rules),
            made=None if self._embedder is None else embeddings.made(self._embedder, texts),
        )

    def _store(self, tx: Transaction, access: Access, saving: _Saving, trace: events.Trace) -> Saved:
        tx.run("lock_edges_shared", {})
        moment = self._clock()
        now = timestamp(moment)
        run_id, known = self._new_id(), saving.node.content_hash
        sweep.expired(tx, access, run_id=run_id, now=now, limit=_SWEPT_AT_ONCE)
        sweep.expired(tx, access, run_id=run_id, now=now, limit=_SWEPT_AT_ONCE, content_hash=known)
        expires_at = None if saving.lifetime is None else timestamp(moment + saving.lifetime)
        times: dict[str, Any] = {"observed_at": now, "recency_anchor": now, "created_at": now, "updated_at": now}
        if saving.existing is None:
            saved = nodes.create(
                tx, access, replace(saving.node, expires_at=expires_at, **times), saving.made, accept=saving.accept
            )
        else:
            _refuse_judged(tx, access, saving)
            change = replace(saving.change, expires_at=expires_at)
            saved = nodes.update(tx, access, saving.existing.id, change, saving.made, now=now, accept=saving.accept)
        self._link_entities(tx, access, saved.node, saving, now=now)
        if saved.status == "duplicate":
            # Said again: what it mentions is seen again.
            edges.reinforce_of(tx, access, saved.node.id, tag=mentions.TAG, now=now)
        if saved.status != "unchanged":
            redacted = dict(saving.redacted)
            payload = {"memo_id": saved.node.id, "status": saved.status, "version": saved.node.version}
            payload |= {"redacted": redacted} if redacted else {}
            events.record(tx, access, "ingest", payload, namespace=saved.node.namespace, at=now, trace=trace)
        notes = (saved.note, saving.not_kept)
        return replace(saved, redacted=dict(saving.redacted), note=" ".join(filter(None, notes)) or None)

    def _link_entities(self, tx: Transaction, access: Access, node: Node, saving: _Saving, *, now: str) -> None:
        """Link a node to the entities that the caller names; those that are not there yet are made."""
        times: dict[str, Any] = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), now)
        known = [
            nodes.entity(
                tx,
                access,
                Node(
                    id=self._new_id(),
                    namespace=node.namespace,
                    kind="entity",
                    title=name.content,
                    content=name.content,
                    content_hash=check.content_hash(name.content),
                    boundary_class=strictest(node.open_class, name.boundary_class),
                    shared_class=name.shared_class and strictest(node.open_class, name.open_class),
                    **times,
                ),
                saving.made,
            )
            for name in saving.entities
        ]
        mentions.give(tx, access, node.id, known, now=now)


def _refuse_judged(tx: Transaction, access: Access, saving: _Saving) -> None:
    """Evidence speaks about the words of a claim: with other words it is another claim."""
    claim = saving.existing
    if claim is None or claim.kind != "claim" or saving.node.content == claim.content:
        return
    found = evidence.posteriors(tx, access, [claim.id])[claim.id]
    if found.supports + found.refutes + found.neutral:
        raise Conflict(f"claim {claim.id} has evidence about its words", hint="save the new words as a new claim")
