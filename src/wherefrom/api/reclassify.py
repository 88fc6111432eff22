"""The engine that brings what was saved earlier in line with the policy in force."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from wherefrom.api.boundary import cleaned, cleaned_row, guarded, guarded_edge, violated
from wherefrom.api.params import DryRun
from wherefrom.api.view import Engine, View, silent
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, StoreBusy
from wherefrom.model.graph import BOUNDARY_CLASSES, Node, strictest
from wherefrom.model.param import Param
from wherefrom.model.policies import Reclassified
from wherefrom.policy.boundary import DEFAULT_ALLOW
from wherefrom.storage import edges, embeddings, events, evidence, nodes, policies, retired, sweep, tasks
from wherefrom.storage.port import Progress, Row, Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.policy.boundary import Effective, Policies

logger = logging.getLogger("wherefrom")

_BATCH: Final = 500
_CHANGES: Final = ("raised", "redacted", "merged", "denied", "violating")


class ReclassifyEngine(Engine):
    """Judges stored rows again."""

    def reclassify(
        self,
        namespace: Annotated[
            str | None,
            Param("Namespace path; omit for the default. Namespaces below it are included.", option="--namespace,-n"),
        ] = None,
        *,
        dry_run: DryRun = False,
        progress: Progress = silent,
    ) -> Reclassified:
        """Bring what was saved earlier in line with the policy in force: classes go up, and what is forbidden is taken
        out; a node that holds nothing else is deleted. Says what was or would be changed.
        """
        access = self.view.writing
        place = access.resolve(namespace)
        refuse_for_others(self.view)
        known = self.view.boundary.in_force().policies
        report = self.judge_again(place, known, dry_run=dry_run, progress=progress)
        if not dry_run:
            try:
                self.store.database.overwrite_deleted()
            except StoreBusy as error:
                logger.warning("deleted text may still be in free pages of the file: %s", error)
            payload = {"reclassified": counts_of(report)}
            at = self.view.now()
            self.store.database.write(lambda tx: events.record(tx, access, "policy", payload, namespace=place, at=at))
        return report

    def judge_again(self, place: str, known: Policies, *, dry_run: bool, progress: Progress) -> Reclassified:
        """Judge every node and every reason of the namespace again, whoever may see it; the report names what this
        access may see.
        """
        access = replace(self.view.writing.narrowed(place), classes=BOUNDARY_CLASSES, hidden=())
        seen = self.view.writing
        changed: dict[str, list[str]] = {name: [] for name in _CHANGES}
        (total,) = self.store.database.read(lambda tx: tx.row("node_total", scope_parameters(access))) or (0,)
        checked = 0
        for batch in self._batches(access, "nodes_after"):
            # Pages last: one that becomes stricter takes its fragments along, which were read before.
            for node in sorted((nodes.from_row(row[1:]) for row in batch), key=lambda node: node.kind == "page"):
                new, what = _rejudged(node, known.at(node.namespace))
                if new is not node and not dry_run:
                    what = {*what, *self._rewrite(access, node, new, known)}
                for name in what if seen.sees(node.namespace, node.open_class) else ():
                    changed[name].append(node.id)
            checked += len(batch)
            progress(checked, total)
        if not dry_run:
            self._clean_rest(access, known)
        for batch in self._batches(access, "edges_after"):
            for edge in (edges.from_row(row[1:]) for row in batch):
                kept = guarded_edge(edge, known.at(edge.source_namespace))
                if kept != edge:
                    changed["redacted"].append(edge.source_id)
                    if not dry_run:
                        row = {"owner": access.owner, **edges.to_parameters(kept)}
                        self.store.database.write(lambda tx, row=row: tx.run("edge_replace", row))  # type: ignore[misc]
        return Reclassified(checked, **{name: tuple(ids) for name, ids in changed.items()}, dry_run=dry_run)

    def _clean_rest(self, access: Access, known: Policies) -> None:
        """Contexts are disposable: they go. The rest is kept, without what may not be."""

        def clean(text: str, namespace: str) -> str:
            return cleaned(text, known.at(namespace))

        self.store.database.write(lambda tx: tasks.clean(tx, access, clean))
        self.store.database.write(lambda tx: evidence.clean_corrections(tx, access, clean))
        self.store.database.write(lambda tx: tx.run("contexts_forget", scope_parameters(access)))
        for batch in self._batches(access, "retired_after"):
            for seq, namespace, content, node_id in batch:
                kept = check.json_text(cleaned_row(json.loads(content), known.at(namespace)))
                if kept != content:
                    row = {"owner": access.owner, "seq": seq, "content": kept, "node_id": node_id}
                    self.store.database.write(lambda tx, row=row: _replace_retired(tx, row))  # type: ignore[misc]

    def _batches(self, access: Access, statement: str) -> Iterator[list[Row]]:
        """All rows of a statement in order, a batch at a time."""
        after = 0
        while True:
            where = {**scope_parameters(access), "after": after, "limit": _BATCH}
            rows = self.store.database.read(lambda tx, where=where: tx.rows(statement, where))  # type: ignore[misc]
            if not rows:
                return
            after = rows[-1][0]
            yield rows

    def _rewrite(self, access: Access, node: Node, new: Node | None, known: Policies) -> set[str]:
        """Store what a policy left of a node; nothing, if it left nothing. Others may have changed it meanwhile.

        If another node already has what is left, that one stands for both, and this one is retired.
        """
        texts = [] if new is None else [embeddings.embedded_text(new)]
        made = None if self.store.embedder is None else embeddings.made(self.store.embedder, texts)

        def work(tx: Transaction) -> set[str]:
            tx.run("lock_edges_alone", {})
            row = tx.row("node_get", {**scope_parameters(access), "id": node.id})
            if row is None or nodes.from_row(row) != node:
                return set()
            if new is None:
                nodes.delete(tx, access, node.id, now=self.view.now())
                return set()
            row = tx.row("node_same_text", {**scope_parameters(access), **nodes.to_parameters(new)})
            taken = None if row is None else nodes.from_row(row)
            # The same text in another class stays another node: not everybody sees both.
            if taken is None or taken.id == node.id or taken.boundary_class != new.boundary_class:
                nodes.replace_node(tx, access, node, replace(new, version=node.version + 1), made)
                _clean_reasons(tx, access, node.id, known)
                return set()
            receipt = retired.Receipt(self.store.new_id(), self.view.now(), "same text after redaction")
            sweep.retire(tx, access, [node.id], receipt, instead={node.id: new})
            return {"merged"}

        return self.store.database.write(work)


def refuse_for_others(view: View) -> None:
    """Raises if a view sees a personal memory as others do: what its owner keeps is not theirs to judge."""
    access = view.writing
    stored = view.store.database.read(lambda tx: policies.privacy(tx, access.owner))
    is_owner = set(DEFAULT_ALLOW) <= set(access.tags) and not view.store.tuning.shared
    if stored.mode == "personal" and not is_owner:
        raise BoundaryDenied(
            "this is the personal memory of its owner, opened for others",
            hint="its owner can do that, with the default tags and without WHEREFROM_PRIVACY=shared",
        )


def _clean_reasons(tx: Transaction, access: Access, node_id: str, known: Policies) -> None:
    """Clean the reasons of a node's links, which follow its class: also those that lead out of the namespace."""
    for row in tx.rows("edges_going", {"owner": access.owner, "ids": check.json_text([node_id])}):
        edge = edges.from_row(row[1:])
        kept = guarded_edge(edge, known.at(edge.source_namespace))
        if kept != edge:
            tx.run("edge_replace", {"owner": access.owner, **edges.to_parameters(kept)})


def _replace_retired(tx: Transaction, row: Mapping[str, Any]) -> None:
    tx.run("retired_replace", row)
    tx.run("retired_vectors_forget", row)


def _rejudged(node: Node, rules: Effective) -> tuple[Node | None, set[str]]:
    """What the policy leaves of a stored node (None: nothing), and what that means for it."""
    try:
        kept, redacted = guarded(node, rules)
    except BoundaryDenied:
        return None, {"denied"}
    what = {"redacted"} if redacted else set()
    if strictest(kept.boundary_class, node.boundary_class) != node.boundary_class:
        what.add("raised")
    if violated(kept, rules):
        what.add("violating")
    return (kept if kept != node else node), what


def counts_of(report: Reclassified) -> dict[str, int]:
    return {"checked": report.checked, **{name: len(getattr(report, name)) for name in _CHANGES}}
