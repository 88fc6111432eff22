"""The engine of memos and claims: save, get, list, delete."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final

from wherefrom.api import former_versions
from wherefrom.api.memo_checks import refuse_other_version, refuse_times
from wherefrom.api.memo_params import (
    BoundaryClass,
    ChangedId,
    ClaimKind,
    Confidence,
    Content,
    Entities,
    ExpectedVersion,
    Include,
    Link,
    Metadata,
    ObservedAt,
    Pinned,
    Provenance,
    Quality,
    Scope,
    Session,
    Slot,
    Speaker,
    Supersedes,
    Title,
    ValidFrom,
    ValidTo,
    Version,
)
from wherefrom.engine.boundary import guarded, keep_invariants, note_of, note_of_times
from wherefrom.engine.params import (
    AsOf,
    Cursor,
    DeletedId,
    KnownAt,
    MemoId,
    MemoWithin,
    Namespace,
    Place,
    RequestId,
    Since,
    TraceId,
    Until,
    WrittenBy,
)
from wherefrom.engine.questions import Questions
from wherefrom.engine.view import Engine
from wherefrom.insight.plans import InsightEngine
from wherefrom.model import graph, limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.graph import Node, node_at, strictest, times_at
from wherefrom.model.identifiers import timestamp
from wherefrom.model.param import Param
from wherefrom.model.results import Deleted, NearStatement, Page, Saved
from wherefrom.policy.boundary import PlaceRules
from wherefrom.recall.near import Likely, look_for_likely, nearest_of
from wherefrom.recall.rules import note_of_rule
from wherefrom.storage import edges, embeddings, events, evidence, locks, mentions, node_saving, nodes, replacing
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.text import check

logger = logging.getLogger("wherefrom")

# The values of a node that a save changes; those that it changes only if they are stated come beside them.
_CHANGED: Final = (
    "content", "title", "speaker", "metadata", "provenance", "boundary_class", "shared_class", "claim_kind"
)  # fmt: skip

# The values that a statement which is said again keeps, unless the save states others.
_KEPT: Final = ("valid_from", "valid_to", "superseded_by", "slot")

# The kinds of nodes that are saved one by one, and not read from documents.
_SAVED_KINDS: Final[tuple[graph.NodeKind, ...]] = ("memo", "claim")


@dataclass(frozen=True, slots=True)
class _Saving:
    """A memo or claim that is about to be stored: guarded by the policy, and embedded.

    stated: the values that the caller gave, of those that have a default. existing: the node that is changed.
    supersedes: the ids of the statements that it takes the place of. likely: what may be near to it, which is looked
    for before the transaction that writes, because that one holds a lock.
    """

    node: Node
    stated: node_saving.Change
    existing: Node | None
    entities: Sequence[Node]
    redacted: Counter[str]
    rules: PlaceRules
    made: embeddings.Made | None
    likely: Likely
    supersedes: Sequence[str] = ()


class MemoEngine(Engine):
    """Saves, reads and deletes memos and claims."""

    def save(
        self,
        content: Content,
        *,
        title: Title = None,
        metadata: Metadata = None,
        namespace: Place = None,
        memo_id: ChangedId = None,
        claim_kind: ClaimKind = None,
        scope: Scope = None,
        boundary_class: BoundaryClass = None,
        confidence: Confidence = None,
        quality: Quality = None,
        entities: Entities = (),
        provenance: Provenance = None,
        supersedes: Supersedes = (),
        slot: Slot = None,
        speaker: Speaker = None,
        session: Session = None,
        valid_from: ValidFrom = None,
        valid_to: ValidTo = None,
        observed_at: ObservedAt = None,
        pinned: Pinned = None,
        link: Link = False,
        expected_version: ExpectedVersion = None,
        request_id: RequestId = None,
        trace_id: TraceId = None,
    ) -> Saved:
        """Save a memo, with `claim_kind` a claim, or with `memo_id` change one.

        A title that is not given stays; metadata is merged, and a null removes its key. The same text in the same
        namespace is kept once: the node that has it is returned as a duplicate. It keeps its title; another one becomes
        an alias, by which it is found and linked, too. With a `session`, it is a turn of a conversation, said by
        `speaker`: the same words are a turn of their own, unless the same one says them at the same `observed_at`, or
        the call has the `request_id` of one before. `scope` says how long it holds (session, project, principle);
        then it is in the archive, from which `restore`, or saving the same text again, brings it back. `entities` say
        what it is about, `provenance` where it is from. `supersedes` names statements that it takes the place of; a
        `slot` has one statement at a time, and a new one takes the place of the one before. What was replaced stays as
        history. The answer has up to three statements that are `near`, with what differs and what to do about it.
        `valid_from`, `valid_to` and `observed_at` say since when and until when it holds, and when it was said.
        `pinned` keeps it from being let go (see metabolize). `link` also links it to what it belongs with (see
        find_insight). With `expected_version`, a memo that has another version by now is not changed (Conflict). What
        the policy forbids is taken out or refused; a secret is taken out, and the text kept.
        """
        access, trace, now = self.view.access, Trace(request_id, trace_id), self.view.now()
        refuse_times(valid_from, valid_to, observed_at, is_new=memo_id is None, now=now)
        placed = {"valid_from": valid_from, "valid_to": valid_to, "slot": slot, "session": session}
        said: dict[str, Any] = {"speaker": speaker, "confirmed_at": now, "metadata": metadata or {}, **placed}
        given = node_at(
            "",
            id=self.store.new_id(),
            namespace=access.resolve(namespace),
            kind="memo" if claim_kind is None else "claim",
            title=title,
            content=content,
            provenance=provenance or {},
            claim_kind=claim_kind,
            scope=scope,
            boundary_class=boundary_class or "internal",
            confidence=0.5 if confidence is None else confidence,
            quality=0.5 if quality is None else quality,
            pinned=pinned or False,
            **said,
        )
        existing = None if memo_id is None else self._changeable(access.narrowed(namespace), memo_id, claim_kind)
        refuse_other_version(existing, expected_version)
        with self.view.noting_refusal("save", given.namespace, trace):
            stated: dict[str, Any] = {"scope": scope, "confidence": confidence, "quality": quality, "pinned": pinned}
            stated |= {**placed, "observed_at": observed_at}
            saving = replace(self._saving(given, stated, existing, entities), supersedes=supersedes)
            saved, was = self.store.database.write(lambda tx: self._store(tx, access, saving, trace, expected_version))
        saved = _with_near(saved, nearest_of(saving.likely, was, saving.node), supersedes)
        if not embeddings.is_instant(self.store.embedder) and saved.status != "unchanged":
            self.store.worker.wake(access)
        return self._linked(saved) if link else saved

    def get(self, memo_id: MemoId, *, version: Version = None, namespace: MemoWithin = None) -> Node:
        """Read one memo or claim in full; with `version`, as it was in a former version."""
        access = self.view.access.narrowed(namespace)
        if version is None:
            return self.store.database.read(lambda tx: nodes.read(tx, access, memo_id))
        return self.store.database.read(lambda tx: former_versions.read(tx, access, memo_id, version))

    def list(
        self,
        *,
        namespace: Namespace = None,
        kind: Annotated[graph.NodeKind | None, Param("What to list. Omit for memos and claims.")] = None,
        since: Since = None,
        until: Until = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        written_by: WrittenBy = None,
        include: Include = (),
        limit: Annotated[int, Param("How many at most.", 1, limits.LIST_LIMIT)] = 20,
        cursor: Cursor = None,
    ) -> Page:
        """List the memos and claims (or the nodes of one kind) of a namespace and of those below it, newest first;
        without one, of the default.

        Listed is what holds now, with `as_of` at another time, or with `known_at` what this memory said then; `include`
        adds what was replaced or has expired.
        """
        access, kinds = self.view.access.reading(namespace), _SAVED_KINDS if kind is None else (kind,)
        times = Questions(self.view).times(since, until, as_of, known_at)
        # Of what was known at a time, the versions of that time say whether it held.
        where = {**times.parameters(), "written_by": written_by}
        where |= dict.fromkeys(include if known_at is None else ("replaced", "expired"), True)
        page = partial(nodes.page, kinds=kinds, where=where, limit=limit, cursor=cursor)
        if known_at is None:
            return self.store.database.read(lambda tx: page(tx, access))
        return self.store.database.read(lambda tx: former_versions.as_known(tx, access, page(tx, access), times))

    def delete(
        self,
        memo_id: DeletedId,
        *,
        namespace: MemoWithin = None,
        dry_run: Annotated[bool, Param(only="code")] = False,
    ) -> Deleted:
        """Delete a memo for good; its relations go with it.

        `dry_run` deletes nothing and returns what would go.
        """
        access = self.view.access.narrowed(namespace)

        def work(tx: Transaction) -> Deleted:
            now = self.view.now()
            locks.share(tx, access.owner)
            deleted = node_saving.delete(tx, access, memo_id, now=now)
            payload = {"memo_id": memo_id}
            events.record(tx, access, "delete", payload, about=events.about_node(deleted.node), at=now)
            return deleted

        if dry_run:
            return self.store.database.read(lambda tx: node_saving.deletable(tx, access, memo_id))
        return self.store.database.write(work)

    def _changeable(self, access: Access, node_id: str, claim_kind: graph.ClaimKind | None) -> Node:
        """Return the node with this id; raise if a save may not change it, or not to a claim."""
        node = self.store.database.read(lambda tx: nodes.read(tx, access, node_id))
        if node.kind in ("page", "fragment"):
            raise InvalidInput(f"{node.id} is a {node.kind}: it stays as its source has it")
        if claim_kind is not None and node.kind != "claim":
            raise InvalidInput(f"{node.id} is a {node.kind} and stays one", hint="save the claim as a new one")
        return node

    def _linked(self, saved: Saved) -> Saved:
        """Return the answer to a save with the relations that it made; if that fails it says so: the memo is saved."""
        try:
            links, degraded = InsightEngine(self.view).link_saved(saved.node)
        except WherefromError as error:
            return replace(saved, degraded=(f"not linked: {error.message}",))
        except Exception:
            logger.exception("linking %s failed", saved.node.id)
            return replace(saved, degraded=("not linked: it failed unexpectedly, the log has the details",))
        return replace(saved, links=links, degraded=degraded)

    def _saving(
        self, given: Node, stated: node_saving.Change, existing: Node | None, entities: Sequence[str]
    ) -> _Saving:
        """Return the given texts as the policy lets them be stored, embedded now because a write holds a lock."""
        if existing is not None:
            given = replace(
                given,
                kind=existing.kind,
                namespace=existing.namespace,
                scope=given.scope or existing.scope,
                boundary_class=strictest(given.boundary_class, existing.open_class),
            )
        if given.kind == "claim":
            check.check_text(given.content, field="a claim", size=limits.CLAIM_BYTES)
        rules = self.view.boundary.at(given.namespace)
        node, redacted = guarded(given, rules)
        node = replace(node, content_hash=check.content_hash(node.content))
        named: list[Node] = []
        nameless = node_at("", namespace=given.namespace, kind="entity", boundary_class=given.boundary_class)
        for name in entities:
            entity, taken = guarded(replace(nameless, content=name), rules)
            entity = replace(entity, id=self.store.new_id(), title=entity.content)
            named.append(replace(entity, content_hash=check.content_hash(entity.content)))
            redacted.update(taken)
        merged = node
        if existing is not None:
            shared_class = node.shared_class or existing.shared_class
            merged = replace(node, title=node.title or existing.title, shared_class=shared_class)
        texts = [embeddings.embedded_text(embedded) for embedded in (merged, *named)]
        made = None if self.store.embedder is None else embeddings.made(self.store.embedder, texts)
        likely = look_for_likely(self.store, self.view.access, node, made, now=self.view.now())
        return _Saving(node, stated, existing, named, redacted, rules, made, likely)

    def _store(
        self, tx: Transaction, access: Access, saving: _Saving, trace: Trace, expected_version: int | None
    ) -> tuple[Saved, dict[str, Node]]:
        """Store a memo or claim; returns the answer, and what may be near to it, as it was before."""
        node = saving.node
        # With another beginning, a statement may take the place of those before it in the slot that it has.
        replaces = saving.supersedes or node.slot is not None or node.valid_from is not None
        # Of those who replace the same statement at once, each must see what the one before has done.
        if is_alone := replaces or expected_version is not None:
            locks.be_alone(tx, access.owner)
        likely = node_saving.send_seen(tx, access, saving.likely.ids)
        now = timestamp(moment := self.store.clock())
        lifetime = saving.rules.expiry(node.scope)
        expires_at = None if lifetime is None else timestamp(moment + lifetime)
        accept = partial(keep_invariants, rules=saving.rules)
        done: replacing.Replacement | None = None
        if saving.existing is None:
            said_at = saving.stated["observed_at"] or nodes.said_by_request(tx, access, node, trace.request_id) or now
            seen = dict.fromkeys(("observed_at", "recency_anchor"), said_at)
            new = replace(node, expires_at=expires_at, **times_at(now) | seen)
            if not is_alone:
                node_saving.share_for_new(tx, access, new, _entities(saving, new, now=now))
            if replaces:
                # The heir is the node that has this text already, if there is one.
                known = nodes.same_text(tx, access, new, at=new.holds_from)
                heir = new
                if known is not None:
                    own = {name: getattr(new, name) or getattr(known, name) for name in _KEPT}
                    heir = replace(new, id=known.id, **own)
                done = replacing.make_room(tx, access, heir, saving.supersedes, begins=heir.holds_from, now=now)
                new = replace(new, valid_to=done.heir.valid_to, superseded_by=done.heir.superseded_by)
            saved = node_saving.create(tx, access, new, saving.made, accept=accept)
        else:
            if not is_alone:
                locks.share(tx, access.owner)
            if expected_version is not None:  # others may have changed it meanwhile
                refuse_other_version(nodes.get(tx, access, saving.existing.id), expected_version)
            evidence.refuse_rewording(tx, access, saving.existing, node.content)
            change = {**saving.stated, **{name: getattr(node, name) for name in _CHANGED}, "expires_at": expires_at}
            change |= {"said_at": now}
            if replaces:
                heir = node_saving.after_change(nodes.get(tx, access, saving.existing.id), change, now=now)
                heir = replace(heir, observed_at=saving.stated["observed_at"] or now)
                begins = heir.holds_from
                done = replacing.make_room(tx, access, heir, saving.supersedes, begins=begins, now=now)
                change |= {"valid_to": done.heir.valid_to, "superseded_by": done.heir.superseded_by}
            saved = node_saving.update(tx, access, saving.existing.id, change, saving.made, now=now, accept=accept)
        if done is not None:
            replacing.relate(tx, access, saved.node, done, now=now, trace=trace)
            saved = replace(saved, replaced=tuple(node.id for node in done.ended))
        self._link_entities(tx, access, saved.node, saving, now=now)
        if saved.status == "duplicate":
            # Said again: what it mentions is seen again.
            edges.reinforce_of(tx, access, saved.node.id, tag=mentions.TAG, now=now)
        if saved.status != "unchanged":
            payload = {"memo_id": saved.node.id, "status": saved.status, "version": saved.node.version}
            payload |= {"redacted": dict(saving.redacted)} if saving.redacted else {}
            events.record(tx, access, "ingest", payload, about=events.about_node(saved.node), at=now, trace=trace)
        taken, times = note_of(saving.redacted, personal=saving.rules.personal), note_of_times(saved.node, now)
        notes = (saved.note, taken, times, note_of_rule(self.view, saved.node))
        return replace(saved, redacted=dict(saving.redacted), note=" ".join(filter(None, notes)) or None), likely()

    def _link_entities(self, tx: Transaction, access: Access, node: Node, saving: _Saving, *, now: str) -> None:
        """Link a node to the entities that the caller names; those that are not there yet are made."""
        entities = _entities(saving, node, now=now)
        known = [node_saving.entity(tx, access, entity, saving.made) for entity in entities]
        mentions.insert(tx, access, [(node.id, entity_id) for entity_id in known], judge=None, now=now)


def _entities(saving: _Saving, node: Node, *, now: str) -> list[Node]:
    """Return the entities that a caller names as a node has them: in its place, and as restricted."""
    return [
        replace(
            entity,
            namespace=node.namespace,
            boundary_class=strictest(node.open_class, entity.boundary_class),
            shared_class=entity.shared_class and strictest(node.open_class, entity.open_class),
            **times_at(now),
        )
        for entity in saving.entities
    ]


def _with_near(saved: Saved, near: Sequence[NearStatement], supersedes: Sequence[str]) -> Saved:
    """Return the answer to a save with what is near, but for itself and what it took the place of."""
    gone = {saved.node.id, *saved.replaced, *supersedes}
    return replace(saved, near=tuple(one for one in near if one.node.id not in gone))
