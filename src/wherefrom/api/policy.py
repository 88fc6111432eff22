"""The engine of policies: apply one, read it, try a text against it, choose the privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from wherefrom.api.boundary import guarded, keep_invariants, refuse_secret
from wherefrom.api.params import NAMESPACE, RequestId, check_place
from wherefrom.api.reclassify import ReclassifyEngine, counts_of, refuse_for_others
from wherefrom.api.view import Engine, silent
from wherefrom.config import DEFAULT_ROOT
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied
from wherefrom.model.graph import BoundaryClass, Node, PrivacyMode, Scope
from wherefrom.model.param import Param
from wherefrom.model.policies import Guarded, PolicyApplied, PolicyVersion, Privacy
from wherefrom.policy.boundary import DEFAULT_ALLOW
from wherefrom.storage import events, policies
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.text import check
from wherefrom.text.redaction import SECRET, kinds_in

if TYPE_CHECKING:
    from wherefrom.policy.boundary import Policies


def check_policy(value: object, *, field: str) -> str:
    """The text of a policy: it is kept as it is, so that it may not hold a secret."""
    text = check.check_text(value, field=field, size=limits.POLICY_BYTES)
    refuse_secret(text, field="the policy")
    return text


def _check_approver(value: object, *, field: str) -> str:
    return check.check_text(value, field=field, characters=200)


class PolicyEngine(Engine):
    """Says what may be kept and seen, and how recall ranks."""

    def apply_policy(
        self,
        yaml: Annotated[
            str,
            Param("The whole policy, at most 128 KB. What it leaves out comes from the default.", check=check_policy),
        ],
        *,
        namespace: Annotated[
            str | None,
            Param("Where it holds, with all below. Omit for the default.", option="--namespace,-n", check=check_place),
        ] = None,
        validate_only: Annotated[bool, Param("Only check it.", option="--validate")] = False,
        dry_run: Annotated[bool, Param("Check it and count which stored rows it would change.")] = False,
        expected_version: Annotated[
            str | None,
            Param("Refuse unless this version holds now; 'none' if none should.", option="--expect", metavar="VERSION"),
        ] = None,
        approver: Annotated[str | None, Param("Who approved it; kept in the history.", check=_check_approver)] = None,
        request_id: RequestId = None,
    ) -> PolicyApplied:
        """Put a policy (YAML) in force in a namespace and below it; its history is kept.

        Policies further up still hold: one below can only be stricter. `validate_only` only reads it, `dry_run` also
        counts which stored rows it would change, `expected_version` refuses if another one holds by now.
        """
        from wherefrom.policy.document import parse

        access = self.view.writing
        place = access.resolve(namespace)
        policy = parse(yaml)
        by = approver and self.view.boundary.cleaned(approver, access.root)
        trace = Trace(request_id)
        new = PolicyVersion(place, policy.version, yaml, by, self.view.now())
        before = self.store.database.read(lambda tx: policies.history(tx, access, place))
        previous = before[0].version if before else None
        if validate_only:
            return PolicyApplied(place, policy.version, previous, "valid")
        refuse_for_others(self.view)
        after = self.view.boundary.in_force().policies.with_policy(place, policy)
        self._refuse_opening(after)
        if dry_run:
            report = ReclassifyEngine(self.view).judge_again(place, after, dry_run=True, progress=silent)
            return PolicyApplied(place, policy.version, previous, "dry_run", counts_of(report))
        applied = self.store.database.write(lambda tx: _put(tx, access, new, expected_version, trace))
        self.view.boundary.forget()
        return PolicyApplied(place, policy.version, previous, "applied" if applied else "unchanged")

    def _refuse_opening(self, after: Policies) -> None:
        """Nobody gives themselves a class that they cannot see."""
        before = self.view.writing
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
        self,
        namespace: Annotated[
            str | None, Param("Namespace path; omit for the default.", option="--namespace,-n")
        ] = None,
    ) -> tuple[PolicyVersion, ...]:
        """List the policies that a namespace has of its own, the newest (which holds) first; without any, the
        default.
        """
        from wherefrom.policy.document import default, default_text

        access = self.view.writing
        place = access.readable(namespace)
        own = self.store.database.read(lambda tx: policies.history(tx, access, place))
        return own or (PolicyVersion("", default().version, default_text(), None, ""),)

    def privacy(self) -> Privacy:
        """Say whether this memory keeps personal data, as it is treated here."""
        owner = self.view.writing.owner
        stored = self.store.database.read(lambda tx: policies.privacy(tx, owner))
        return Privacy("shared", stored.chosen_at) if self.store.tuning.shared else stored

    def choose_privacy(
        self, mode: Annotated[PrivacyMode, Param("personal keeps them, shared takes them out.", name="privacy")]
    ) -> Privacy:
        """Choose whether this memory keeps personal data (personal) or takes them out (shared), from now on.

        What was taken out before does not come back. What was kept before is shown without personal data to those who
        do not see its class; `reclassify` takes them out for good.
        """
        access = self.view.writing
        if access.root != DEFAULT_ROOT or not set(DEFAULT_ALLOW) <= set(access.tags):
            raise BoundaryDenied(
                "the privacy of the whole memory is its owner's to choose, and this access sees a part of it",
                hint=f"open it with the root {DEFAULT_ROOT} and the default tags",
            )
        refuse_for_others(self.view)
        new = Privacy(mode, self.view.now())

        def work(tx: Transaction) -> None:
            policies.choose_privacy(tx, access.owner, new)
            events.record(tx, access, "policy", {"privacy": new.mode}, namespace=access.root, at=new.chosen_at)

        self.store.database.write(work)
        self.view.boundary.forget()
        return self.privacy()

    def validate_boundary(
        self,
        text: Annotated[str, Param("The text to try.", aliases=("payload",), check=check.check_content)],
        *,
        scope: Annotated[Scope | None, Param("How long it would be kept.")] = None,
        boundary_class: Annotated[
            BoundaryClass | None, Param("Who may see it; internal if omitted.", option="--class")
        ] = None,
        allow: Annotated[Sequence[str] | None, Param("Try as someone who holds these tags.", only="agents")] = None,
        metadata: Annotated[
            Mapping[str, Any] | None, Param("What invariants would see.", check=check.check_metadata)
        ] = None,
        namespace: Annotated[str | None, Param(NAMESPACE, option="--namespace,-n")] = None,
    ) -> Guarded:
        """Say what the policy would make of a text: whether it may be kept and seen, as what, and what is taken out."""
        access = self.view.access
        place = access.readable(namespace)
        rules = self.view.boundary.at(place)
        opened = None if allow is None else rules.visible_classes(allow)
        node = _unsaved(
            content=text,
            namespace=place,
            metadata=metadata or {},
            scope=scope,
            boundary_class=boundary_class or "internal",
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


def _put(tx: Transaction, access: Access, new: PolicyVersion, expected_version: str | None, trace: Trace) -> bool:
    applied = policies.add(tx, access, new, expected_version=expected_version)
    if applied:
        payload = {"version": new.version, "approver": new.approver, "hash": check.content_hash(new.yaml)}
        events.record(tx, access, "policy", payload, namespace=new.namespace, at=new.applied_at, trace=trace)
    return applied


def _unsaved(**values: Any) -> Node:
    times: dict[str, Any] = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), "")
    return Node(id="", content_hash="", **times, **values)
