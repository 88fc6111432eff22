"""The engine of policies: apply one, read it, try a text against it, judge again what is stored, fit the scales of both
arms of a search; choose the privacy.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final

from wherefrom.config import DEFAULT_ROOT
from wherefrom.engine import boundary
from wherefrom.engine.params import NAMESPACE, DryRun, Place, RequestId, check_place, namespace_param
from wherefrom.engine.view import Engine, silent
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput, StoreBusy
from wherefrom.model.graph import (
    BOUNDARY_CLASSES,
    SECRET,
    BoundaryClass,
    Edge,
    Node,
    PrivacyMode,
    Scope,
    node_at,
    strictest,
)
from wherefrom.model.param import Param
from wherefrom.model.policies import (
    BoundaryCheck,
    CalibrationMethod,
    CalibrationReport,
    PolicyApplied,
    PolicyVersion,
    Privacy,
    Reclassified,
)
from wherefrom.policy.boundary import DEFAULT_ALLOW, PlaceRules, Policies
from wherefrom.policy.document import default, default_text, dump_with, parse
from wherefrom.recall import calibrate
from wherefrom.recall.candidates import check_judged, judged_candidates
from wherefrom.recall.verbs import RecallEngine
from wherefrom.storage import embeddings, events, node_saving, policies
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Progress, Transaction
from wherefrom.storage.receipts import Receipt
from wherefrom.text import check
from wherefrom.text.sensitive.redaction import kinds_in

logger = logging.getLogger("wherefrom")

# The lists of nodes that a report on stored rows has.
_CHANGES: Final = ("raised", "redacted", "merged", "denied", "violating")
_check_approver: Final = partial(check.check_text, characters=200)

_POLICY: Final = "The whole policy, at most 128 KB. What it leaves out comes from the default."
_PLACE: Final = "Where it holds, with all below. Omit for the default."
_SUBTREE: Final = "Namespace path; omit for the default. Namespaces below it are included."
_EXPECTED: Final = "Refuse unless this version holds now; 'none' if none should."
_AnyClass = Annotated[BoundaryClass | None, Param("Who may see it; internal if omitted.", option="--class")]
_Facts = Annotated[Mapping[str, Any] | None, Param("What invariants would see.", check=check.check_metadata)]
_PolicyPlace = Annotated[str | None, namespace_param(_PLACE, check=check_place)]


def check_policy(value: object, *, field: str) -> str:
    """The text of a policy, checked; one that holds a secret is refused, because the text is kept as it is."""
    text = check.check_text(value, field=field, size=limits.POLICY_BYTES)
    boundary.refuse_secret(text, field="the policy")
    return text


class PolicyEngine(Engine):
    """Applies policies and reads them, judges texts and stored rows by them, and chooses the privacy of the memory."""

    def apply_policy(
        self,
        yaml: Annotated[str, Param(_POLICY, check=check_policy, only="agents")],
        *,
        namespace: _PolicyPlace = None,
        validate_only: Annotated[bool, Param("Only check it.", option="--validate")] = False,
        dry_run: Annotated[bool, Param("Check it and count which stored rows it would change.")] = False,
        expected_version: Annotated[str | None, Param(_EXPECTED, option="--expect", metavar="VERSION")] = None,
        approver: Annotated[str | None, Param("Who approved it; kept in the history.", check=_check_approver)] = None,
        request_id: RequestId = None,
    ) -> PolicyApplied:
        """Put a policy (YAML) in force in a namespace and below it; its history is kept.

        Policies further up still hold: one below can only be stricter. `validate_only` only reads it, `dry_run` also
        counts which stored rows it would change, `expected_version` refuses if another one holds by now.
        """
        access = self.view.access
        place = access.resolve(namespace)
        policy = parse(yaml, self.store.policies.settings)
        by = approver and self.view.boundary.cleaned(approver, access.root)
        new = PolicyVersion(place, policy.version, yaml, by, self.view.now())
        before = self.store.database.read(lambda tx: policies.history(tx, access, place))
        previous = before[0].version if before else None
        if validate_only:
            return PolicyApplied(place, policy.version, previous, "valid")
        self._refuse_others()
        after = self.view.boundary.policies.with_policy(place, policy)
        self._refuse_opening(after)
        if dry_run:
            report = self._judge_again(place, after, dry_run=True, progress=silent)
            return PolicyApplied(place, policy.version, previous, "dry_run", _counts_of(report))

        def work(tx: Transaction) -> bool:
            applied = policies.add(tx, access, new, expected_version=expected_version)
            if applied:
                payload = {"version": new.version, "approver": new.approver, "hash": check.content_hash(new.yaml)}
                about = events.about_place(access, place)
                events.record(tx, access, "policy", payload, about=about, at=new.applied_at, trace=Trace(request_id))
            return applied

        applied = self.store.database.write(work)
        self.view.boundary.forget()
        return PolicyApplied(place, policy.version, previous, "applied" if applied else "unchanged")

    def _refuse_opening(self, after: Policies) -> None:
        """Raises if a change of policies would let this access see a class or namespace that it does not see now."""
        before = self.view.access
        opened = self.view.boundary.access_under(after)
        classes = sorted(set(opened.classes) - set(before.classes))
        uncovered = [hidden for hidden in before.hidden if hidden not in opened.hidden]
        if classes or uncovered:
            what = ", ".join([*classes, *uncovered])
            raise BoundaryDenied(
                f"this policy would open to you what you may not see now: {what}",
                hint="open the memory with tags that open it already, and apply the policy then",
            )

    def policy(
        self, namespace: Annotated[str | None, namespace_param("Namespace path; omit for the default.")] = None
    ) -> tuple[PolicyVersion, ...]:
        """List the policies that a namespace has of its own, the newest (which holds) first; without any, the
        default.
        """
        access = self.view.access
        place = access.readable(namespace)
        own = self.store.database.read(lambda tx: policies.history(tx, access, place))
        return own or (PolicyVersion("", default().version, default_text(), None, ""),)

    def privacy(self) -> Privacy:
        """Say whether this memory keeps personal data, as it is treated here."""
        owner = self.view.access.owner
        stored = self.store.database.read(lambda tx: policies.privacy(tx, owner))
        return Privacy("shared", stored.chosen_at) if self.store.settings.privacy == "shared" else stored

    def choose_privacy(
        self, mode: Annotated[PrivacyMode, Param("personal keeps them, shared takes them out.", name="privacy")]
    ) -> Privacy:
        """Choose whether this memory keeps personal data (personal) or takes them out (shared), from now on.

        What was taken out before does not come back. What was kept before is shown without personal data to those who
        do not see its class; `reclassify` takes them out for good.
        """
        access = self.view.access
        if access.root != DEFAULT_ROOT or not set(DEFAULT_ALLOW) <= set(access.tags):
            raise BoundaryDenied(
                "the privacy of the whole memory is its owner's to choose, and this access sees a part of it",
                hint=f"open it with the root {DEFAULT_ROOT} and the default tags",
            )
        self._refuse_others()
        new = Privacy(mode, self.view.now())

        def work(tx: Transaction) -> None:
            policies.choose_privacy(tx, access.owner, new)
            about = events.about_place(access, access.root)
            events.record(tx, access, "policy", {"privacy": new.mode}, about=about, at=new.chosen_at)

        self.store.database.write(work)
        self.view.boundary.forget()
        return self.privacy()

    def validate_boundary(
        self,
        text: Annotated[str, Param("The text to try.", aliases=("payload",), check=check.check_content)],
        *,
        scope: Annotated[Scope | None, Param("How long it would be kept.")] = None,
        boundary_class: _AnyClass = None,
        allow: Annotated[Sequence[str] | None, Param("Try as someone who holds these tags.", only="agents")] = None,
        metadata: _Facts = None,
        namespace: Annotated[str | None, namespace_param(NAMESPACE)] = None,
    ) -> BoundaryCheck:
        """Say what the policy would make of a text: whether it may be kept and seen, as what, and what is taken out."""
        access = self.view.access
        place = access.readable(namespace)
        rules = self.view.boundary.at(place)
        opened = None if allow is None else rules.visible_classes(allow)
        given = boundary_class or "internal"
        node = node_at("", content=text, namespace=place, metadata=metadata or {}, scope=scope, boundary_class=given)
        has_secret = SECRET in kinds_in(node)
        refusal = "found: secret; a save takes it out and keeps the rest" if has_secret else ""
        try:
            kept, redacted = boundary.guarded(node, rules)
            boundary.keep_invariants(kept, rules)
        except BoundaryDenied as error:
            refusal = error.message
        if refusal:
            return BoundaryCheck(False, refusal, "secret" if has_secret else given, None, policy_version=rules.version)
        shown_as = kept.boundary_class
        taken = [f"{count} {kind} taken out" for kind, count in sorted(redacted.items())]
        reason = "allowed; " + ", ".join(taken) if taken else "allowed"
        verdict = BoundaryCheck(True, reason, shown_as, kept.content, redacted, policy_version=rules.version)
        if not (access.sees(place, shown_as) if opened is None else shown_as in opened):
            reason = f"these tags do not open the boundary class {shown_as!r}"
            return replace(verdict, allowed=False, reason=reason, text=None)
        return replace(verdict, escalation=rules.escalation[shown_as])

    def reclassify(
        self,
        namespace: Annotated[str | None, namespace_param(_SUBTREE)] = None,
        *,
        dry_run: DryRun = False,
        progress: Progress = silent,
    ) -> Reclassified:
        """Bring what was saved earlier in line with the policy in force: classes go up, and what is forbidden is taken
        out; a node that holds nothing else is deleted. Says what was or would be changed.
        """
        access = self.view.access
        place = access.resolve(namespace)
        self._refuse_others()
        known = self.view.boundary.policies
        report = self._judge_again(place, known, dry_run=dry_run, progress=progress)
        if not dry_run:
            try:
                self.store.database.overwrite_deleted()
            except StoreBusy as error:
                logger.warning("deleted text may still be in free pages of the file: %s", error)
            payload = {"reclassified": _counts_of(report)}
            at, about = self.view.now(), events.about_place(access, place)
            self.store.database.write(lambda tx: events.record(tx, access, "policy", payload, about=about, at=at))
        return report

    def calibrate(
        self,
        judged: Annotated[Iterable[Mapping[str, Any]], Param(only="code")],
        *,
        method: Annotated[CalibrationMethod, Param("How the scales are fitted.")] = "isotonic",
        namespace: Place = None,
        dry_run: DryRun = False,
    ) -> CalibrationReport:
        """Fit the scales of both arms to judged questions and put them in force as the next version of the namespace's
        policy.

        A judged question is {"query": "…", "relevant": ["memo_id", …]}; of a foreign one, about which the memory has
        nothing, the list is empty. With some questions of both kinds the weights of relevance are fitted as well, if
        that tells questions apart better that the fit has not seen.
        """
        access = self.view.access.narrowed(self.view.access.resolve(namespace))
        if isinstance(judged, str | Mapping) or not isinstance(judged, Iterable):
            raise InvalidInput("judged questions are a list of objects")
        questions = [check_judged(question) for question in judged]
        rows = [row for question in questions if question[1] for row in judged_candidates(self.view, question, access)]
        current = self.policy(namespace)[0]
        major, minor, patch = current.version.split(".")
        version = f"{major}.{minor}.{int(patch) + 1}"
        report, maps = calibrate.fitted(rows, method, version=version)
        told = RecallEngine(self.view).judge_relevance([(query, bool(known)) for query, known in questions], access)
        report = replace(report, relevance=told and told[1])
        if not dry_run:
            model = self.store.database.read(embeddings.active)
            section: dict[str, Any] = {"method": report.method, "model": model.model_id if model else "none", **maps}
            section |= {"relevance": list(told[0])} if told and told[1].is_adopted else {}
            # A namespace without a policy of its own gets one that says nothing else.
            base = current.yaml if current.namespace else f"version: {current.version}\n"
            text = dump_with(base, calibration=section, version=version)
            self.apply_policy(check_policy(text, field="yaml"), namespace=namespace)
        return report

    def _judge_again(self, place: str, known: Policies, *, dry_run: bool, progress: Progress) -> Reclassified:
        """Judge every node and edge of the namespace again, whoever may see it; the report names those in sight."""
        access = replace(self.view.access.narrowed(place), classes=BOUNDARY_CLASSES, hidden=())
        database, seen = self.store.database, self.view.access
        changed: dict[str, list[str]] = {name: [] for name in _CHANGES}
        total = database.read(lambda tx: node_saving.count_nodes(tx, access))
        checked = 0

        def keep(edge: Edge) -> Edge:
            return boundary.guarded_edge(edge, known.at(edge.source_namespace))

        for batch in node_saving.node_batches(database, access):
            for node in batch:
                new, changes = _rejudged(node, known.at(node.namespace))
                if new is not node and not dry_run and self._rewrite(access, (node, new), keep):
                    changes.append("merged")
                for name in changes if seen.sees(node.namespace, node.open_class) else ():
                    changed[name].append(node.id)
            checked += len(batch)
            progress(checked, total)
        if not dry_run:
            node_saving.rewrite_rest(
                database,
                access,
                lambda text, namespace: boundary.cleaned(text, known.at(namespace)),
                lambda row, namespace: boundary.cleaned_row(row, known.at(namespace)),
                lambda node: _rejudged(node, known.at(node.namespace))[0],
            )
        changed["redacted"] += node_saving.rewrite_edges(database, access, keep, dry_run=dry_run)
        return Reclassified(checked, **{name: tuple(ids) for name, ids in changed.items()}, dry_run=dry_run)

    def _rewrite(self, access: Access, change: tuple[Node, Node | None], keep: node_saving.KeepEdge) -> bool:
        """Store what a policy left of a node; True if another node already has that text and stands for both."""
        texts = [] if change[1] is None else [embeddings.embedded_text(change[1])]
        made = None if self.store.embedder is None else embeddings.made(self.store.embedder, texts)
        receipt = Receipt(self.store.new_id(), self.view.now(), "same text after redaction")
        return self.store.database.write(
            lambda tx: node_saving.rewrite_node(tx, access, change, made, receipt=receipt, keep=keep)
        )

    def _refuse_others(self) -> None:
        """Raises if a personal memory is opened for others: what its owner keeps is not theirs to judge."""
        access = self.view.access
        privacy = self.store.database.read(lambda tx: policies.privacy(tx, access.owner))
        is_owner = set(DEFAULT_ALLOW) <= set(access.tags) and self.store.settings.privacy != "shared"
        if privacy.mode == "personal" and not is_owner:
            raise BoundaryDenied(
                "this is the personal memory of its owner, opened for others",
                hint="its owner can do that, with the default tags and without WHEREFROM_PRIVACY=shared",
            )


def _rejudged(node: Node, rules: PlaceRules) -> tuple[Node | None, list[str]]:
    """The stored node as the policy leaves it (None if nothing may stay), and the names of the changes."""
    try:
        kept, redacted = boundary.guarded(node, rules)
    except BoundaryDenied:
        return None, ["denied"]
    raised = strictest(kept.boundary_class, node.boundary_class) != node.boundary_class
    changes = {"redacted": redacted, "raised": raised, "violating": boundary.violated(kept, rules)}
    return (kept if kept != node else node), [name for name, applies in changes.items() if applies]


def _counts_of(report: Reclassified) -> dict[str, int]:
    """How many nodes were judged, and how many had each change."""
    return {"checked": report.checked, **{name: len(getattr(report, name)) for name in _CHANGES}}
