"""Verbs of policy: apply one, read it, try a text against it, bring old rows in line, calibrate."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from wherefrom.api.asking import SEARCHED, Asking
from wherefrom.api.boundary import guarded, guarded_edge, keep_invariants, refuse_secret, violated
from wherefrom.api.state import silent, trace_of
from wherefrom.config import DEFAULT_ROOT
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput, StoreBusy
from wherefrom.model.graph import BOUNDARY_CLASSES, BoundaryClass, Node, PrivacyMode, Scope, strictest
from wherefrom.model.policies import Fitted, Guarded, PolicyApplied, PolicyVersion, Privacy, Reclassified
from wherefrom.policy.boundary import DEFAULT_ALLOW
from wherefrom.storage import edges, embeddings, events, evidence, nodes, policies, retired, sweep, tasks
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Progress, Row, Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.text import check
from wherefrom.text.redaction import SECRET, kinds_in

if TYPE_CHECKING:
    from wherefrom.policy.boundary import Effective, Policies
    from wherefrom.recall.calibrate import Method

logger = logging.getLogger("wherefrom")

_BATCH: Final = 500
_CHANGES: Final = ("raised", "redacted", "merged", "denied", "violating")


class PolicyVerbs(Asking):
    """What may be kept and seen, and how recall ranks."""

    def apply_policy(
        self,
        yaml: str,
        *,
        namespace: str | None = None,
        validate_only: bool = False,
        dry_run: bool = False,
        expected_version: str | None = None,
        approver: str | None = None,
        request_id: str | None = None,
    ) -> PolicyApplied:
        """Put a policy (YAML) in force in a namespace and below it; its history is kept.

        Policies further up still hold: one below can only be stricter. `validate_only` only reads it, `dry_run` also
        counts which stored rows it would change, `expected_version` refuses if another one holds by now.
        """
        from wherefrom.policy.document import parse

        text = check.check_text(yaml, field="yaml", size=limits.POLICY_BYTES)
        refuse_secret(text, field="the policy")
        refuse_secret(namespace if isinstance(namespace, str) else "", field="namespace")
        access = self._access
        place = access.resolve(namespace)
        policy = parse(text)
        by = None if approver is None else check.check_text(approver, field="approver", characters=200)
        by = by and self._boundary.cleaned(by, access.root)
        trace = trace_of(request_id, None)
        new = PolicyVersion(place, policy.version, text, by, self._now())
        before = self._database.read(lambda tx: policies.history(tx, access, place))
        previous = before[0].version if before else None
        if validate_only:
            return PolicyApplied(place, policy.version, previous, "valid")
        self._refuse_for_others()
        after = self._boundary.in_force().policies.with_policy(place, policy)
        self._refuse_opening(after)
        if dry_run:
            report = self._reclassified(place, after, dry_run=True, progress=silent)
            return PolicyApplied(place, policy.version, previous, "dry_run", _counts(report))
        applied = self._database.write(lambda tx: _put(tx, access, new, expected_version, trace))
        self._boundary.forget()
        return PolicyApplied(place, policy.version, previous, "applied" if applied else "unchanged")

    def _refuse_opening(self, after: Policies) -> None:
        """Nobody gives themselves a class that they cannot see."""
        before = self._access
        opened = self._boundary.access_under(after)
        classes = sorted(set(opened.classes) - set(before.classes))
        uncovered = [hidden for hidden in before.hidden if hidden not in opened.hidden]
        if classes or uncovered:
            what = ", ".join([*classes, *uncovered])
            raise BoundaryDenied(
                f"this policy would open to you what you may not see now: {what}",
                hint="open the memory with tags that open it already, and apply the policy then",
            )

    def policy(self, namespace: str | None = None) -> tuple[PolicyVersion, ...]:
        """The policies that a namespace has of its own, the newest (which holds) first; without any, the default."""
        from wherefrom.policy.document import default, default_text

        access = self._access
        place = access.resolve(namespace)
        own = self._database.read(lambda tx: policies.history(tx, access, place))
        return own or (PolicyVersion("", default().version, default_text(), None, ""),)

    def privacy(self) -> Privacy:
        """Whether this memory keeps personal data, as it is treated here."""
        stored = self._database.read(lambda tx: policies.privacy(tx, self._access.owner))
        return Privacy("shared", stored.chosen_at) if self._tuning.shared else stored

    def choose_privacy(self, mode: PrivacyMode) -> Privacy:
        """Choose whether this memory keeps personal data (personal) or takes them out (shared), from now on.

        What was taken out before does not come back. What was kept before is shown without personal data to those who
        do not see its class; `reclassify` takes them out for good.
        """
        access = self._access
        chosen = check.check_choice(mode, get_args(PrivacyMode), field="privacy")
        if chosen is None:
            raise InvalidInput("say which privacy to choose", hint="personal or shared")
        if access.root != DEFAULT_ROOT or not set(DEFAULT_ALLOW) <= set(access.tags):
            raise BoundaryDenied(
                "the privacy of the whole memory is its owner's to choose, and this access sees a part of it",
                hint=f"open it with the root {DEFAULT_ROOT} and the default tags",
            )
        self._refuse_for_others()
        new = Privacy(cast(PrivacyMode, chosen), self._now())

        def work(tx: Transaction) -> None:
            policies.choose_privacy(tx, access.owner, new)
            events.record(tx, access, "policy", {"privacy": new.mode}, namespace=access.root, at=new.chosen_at)

        self._database.write(work)
        self._boundary.forget()
        return self.privacy()

    def _refuse_for_others(self) -> None:
        """Raises if this access sees a personal memory as others do: what its owner keeps is not theirs to judge."""
        access = self._access
        stored = self._database.read(lambda tx: policies.privacy(tx, access.owner))
        is_owner = set(DEFAULT_ALLOW) <= set(access.tags) and not self._tuning.shared
        if stored.mode == "personal" and not is_owner:
            raise BoundaryDenied(
                "this is the personal memory of its owner, opened for others",
                hint="its owner can do that, with the default tags and without WHEREFROM_PRIVACY=shared",
            )

    def validate_boundary(
        self,
        text: str,
        *,
        scope: Scope | None = None,
        boundary_class: BoundaryClass | None = None,
        allow: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        namespace: str | None = None,
    ) -> Guarded:
        """What the policy would make of a text: whether it may be kept and seen, as what, and what is taken out."""
        access = self._access
        place = access.resolve(namespace)
        rules = self._boundary.at(place)
        opened = None if allow is None else rules.visible_classes(allow)
        node = _unsaved(
            content=check.check_content(text),
            namespace=place,
            metadata=check.check_metadata({} if metadata is None else metadata),
            scope=cast(Scope | None, check.check_choice(scope, get_args(Scope), field="scope")),
            boundary_class=check.check_class(boundary_class),
        )
        said = {"policy_version": rules.version}
        has_secret = SECRET in kinds_in(node)
        try:
            kept, redacted = guarded(node, rules)
            keep_invariants(kept, rules)
        except BoundaryDenied as error:
            denied: BoundaryClass = "secret" if has_secret else node.boundary_class
            return Guarded(False, error.message, denied, None, {}, **said)
        if has_secret:
            reason = "found: secret; a save takes it out and keeps the rest"
            return Guarded(False, reason, "secret", None, {}, **said)
        verdict = rules.judge(kept.boundary_class, ())
        found = Guarded(True, "allowed", kept.boundary_class, kept.content, redacted, **said)
        if not (access.sees(place, kept.boundary_class) if opened is None else kept.boundary_class in opened):
            reason = f"these tags do not open the boundary class {kept.boundary_class!r}"
            return replace(found, allowed=False, reason=reason, text=None)
        reason = "allowed; " + ", ".join(f"{count} {kind} taken out" for kind, count in sorted(redacted.items()))
        return replace(found, reason=reason if redacted else "allowed", escalation=verdict.escalation)

    def reclassify(
        self, namespace: str | None = None, *, dry_run: bool = False, progress: Progress = silent
    ) -> Reclassified:
        """Bring what was saved earlier in line with the policy in force: classes go up, and what is forbidden is taken
        out; a node that holds nothing else is deleted. Says what was or would be changed.
        """
        access = self._access
        place = access.resolve(namespace)
        self._refuse_for_others()
        report = self._reclassified(place, self._boundary.in_force().policies, dry_run=dry_run, progress=progress)
        if not dry_run:
            try:
                self._database.overwrite_deleted()
            except StoreBusy as error:
                logger.warning("deleted text may still be in free pages of the file: %s", error)
            payload = {"reclassified": _counts(report)}
            at = self._now()
            self._database.write(lambda tx: events.record(tx, access, "policy", payload, namespace=place, at=at))
        return report

    def calibrate(
        self,
        judged: Iterable[Mapping[str, Any]],
        *,
        method: Method = "isotonic",
        namespace: str | None = None,
        dry_run: bool = False,
    ) -> Fitted:
        """Fit the scales of both arms to judged questions ({"query", "relevant": [memo_id, …]}) and put them in force
        as the next version of the namespace's policy.
        """
        from wherefrom.policy.document import dump_with
        from wherefrom.recall import calibrate

        checked = check.check_choice(method, get_args(calibrate.Method), field="method")
        access = self._access.narrowed(self._access.resolve(namespace))
        if isinstance(judged, str | Mapping) or not isinstance(judged, Iterable):
            raise InvalidInput("judged questions are a list of objects")
        rows = [row for each in judged for row in self._judged_candidates(each, access)]
        model = self._database.read(embeddings.active)
        holds = self.policy(namespace)[0]
        # A namespace without a policy of its own gets one that says nothing else.
        base = holds.yaml if holds.namespace else f"version: {holds.version}\n"
        version = _next_version(holds.version)
        fitted, maps = calibrate.fitted(rows, cast("Method", checked), version=version)
        if not dry_run:
            section = {"method": fitted.method, "model": model.model_id if model else "none", **maps}
            self.apply_policy(dump_with(base, calibration=section, version=version), namespace=namespace)
        return fitted

    def _judged_candidates(
        self, judged: Mapping[str, Any], access: Access
    ) -> list[tuple[float | None, float | None, bool]]:
        """BM25, similarity and relevance of the candidates of one judged question."""
        from wherefrom.storage.candidates import find

        if not isinstance(judged, Mapping) or not isinstance(judged.get("relevant"), list) or not judged["relevant"]:
            raise InvalidInput(
                "a judged question has a query and a list of relevant ids",
                hint='{"query": "…", "relevant": ["memo_id"]}',
            )
        relevant = {check.check_id(node_id, field="relevant") for node_id in judged["relevant"]}
        question, _ = self._question(judged.get("query"), None, access)
        question = replace(question, kinds=SEARCHED)
        searching = self._searching()
        found = self._database.read(
            lambda tx: find(tx, access, question, text=searching.text, vectors=searching.vectors, reach=(64, 64))
        )
        return [
            (
                each.text_score,
                None if each.vector is None or question.vector is None else float(each.vector @ question.vector),
                each.id in relevant,
            )
            for each in found.found
        ]

    def _reclassified(self, place: str, known: Policies, *, dry_run: bool, progress: Progress) -> Reclassified:
        """Judge every node and every reason of the namespace again, whoever may see it; the report names what this
        access may see.
        """
        access = replace(self._access.narrowed(place), classes=BOUNDARY_CLASSES, hidden=())
        seen = self._access
        changed: dict[str, list[str]] = {name: [] for name in _CHANGES}
        (total,) = self._database.read(lambda tx: tx.row("node_total", scope_parameters(access))) or (0,)
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
            self._clean_rest(access)
        for batch in self._batches(access, "edges_after"):
            for edge in (edges.from_row(row[1:]) for row in batch):
                cleaned = guarded_edge(edge, known.at(edge.source_namespace))
                if cleaned != edge:
                    changed["redacted"].append(edge.source_id)
                    if not dry_run:
                        row = {"owner": access.owner, **edges.to_parameters(cleaned)}
                        self._database.write(lambda tx, row=row: tx.run("edge_replace", row))  # type: ignore[misc]
        return Reclassified(checked, **{name: tuple(ids) for name, ids in changed.items()}, dry_run=dry_run)

    def _clean_rest(self, access: Access) -> None:
        """Contexts are disposable: they go. The rest is kept, without what may not be."""
        self._database.write(lambda tx: tasks.clean(tx, access, self._boundary.cleaned))
        self._database.write(lambda tx: evidence.clean_corrections(tx, access, self._boundary.cleaned))
        self._database.write(lambda tx: tx.run("contexts_forget", scope_parameters(access)))
        for batch in self._batches(access, "retired_after"):
            for seq, namespace, content, node_id in batch:
                cleaned = check.json_text(self._boundary.cleaned_row(json.loads(content), namespace))
                if cleaned != content:
                    row = {"owner": access.owner, "seq": seq, "content": cleaned, "node_id": node_id}
                    self._database.write(lambda tx, row=row: _replace_retired(tx, row))  # type: ignore[misc]

    def _batches(self, access: Access, statement: str) -> Iterator[list[Row]]:
        """All rows of a statement in order, a batch at a time."""
        after = 0
        while True:
            where = {**scope_parameters(access), "after": after, "limit": _BATCH}
            rows = self._database.read(lambda tx, where=where: tx.rows(statement, where))  # type: ignore[misc]
            if not rows:
                return
            after = rows[-1][0]
            yield rows

    def _rewrite(self, access: Access, node: Node, new: Node | None, known: Policies) -> set[str]:
        """Store what a policy left of a node; nothing, if it left nothing. Others may have changed it meanwhile.

        If another node already has what is left, that one stands for both, and this one is retired.
        """
        texts = [] if new is None else [embeddings.embedded_text(new)]
        made = None if self._embedder is None else embeddings.made(self._embedder, texts)

        def work(tx: Transaction) -> set[str]:
            tx.run("lock_edges_alone", {})
            row = tx.row("node_get", {**scope_parameters(access), "id": node.id})
            if row is None or nodes.from_row(row) != node:
                return set()
            if new is None:
                nodes.delete(tx, access, node.id, now=self._now())
                return set()
            row = tx.row("node_same_text", {**scope_parameters(access), **nodes.to_parameters(new)})
            taken = None if row is None else nodes.from_row(row)
            # The same text in another class stays another node: not everybody sees both.
            if taken is None or taken.id == node.id or taken.boundary_class != new.boundary_class:
                nodes.replace_node(tx, access, node, replace(new, version=node.version + 1), made)
                _clean_reasons(tx, access, node.id, known)
                return set()
            receipt = retired.Receipt(self._new_id(), self._now(), "same text after redaction")
            sweep.retire(tx, access, [node.id], receipt, instead={node.id: new})
            return {"merged"}

        return self._database.write(work)


def _clean_reasons(tx: Transaction, access: Access, node_id: str, known: Policies) -> None:
    """Clean the reasons of a node's links, which follow its class: also those that lead out of the namespace."""
    for row in tx.rows("edges_going", {"owner": access.owner, "ids": check.json_text([node_id])}):
        edge = edges.from_row(row[1:])
        cleaned = guarded_edge(edge, known.at(edge.source_namespace))
        if cleaned != edge:
            tx.run("edge_replace", {"owner": access.owner, **edges.to_parameters(cleaned)})


def _replace_retired(tx: Transaction, row: Mapping[str, Any]) -> None:
    tx.run("retired_replace", row)
    tx.run("retired_vectors_forget", row)


def _put(tx: Transaction, access: Access, new: PolicyVersion, expected_version: str | None, trace: Trace) -> bool:
    applied = policies.add(tx, access, new, expected_version=expected_version)
    if applied:
        payload = {"version": new.version, "approver": new.approver, "hash": check.content_hash(new.yaml)}
        events.record(tx, access, "policy", payload, namespace=new.namespace, at=new.applied_at, trace=trace)
    return applied


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


def _counts(report: Reclassified) -> dict[str, int]:
    return {"checked": report.checked, **{name: len(getattr(report, name)) for name in _CHANGES}}


def _next_version(version: str) -> str:
    major, minor, patch = version.split(".")
    return f"{major}.{minor}.{int(patch) + 1}"


def _unsaved(**values: Any) -> Node:
    times: dict[str, Any] = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), "")
    return Node(id="", content_hash="", **times, **values)
