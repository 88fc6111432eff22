"""Tables and lines of recall and policy, for people."""

from __future__ import annotations

from rich.console import RenderableType
from rich.syntax import Syntax

from wherefrom.interfaces.cli.render import count, judge_of, memo_cell, new_table, shown, when
from wherefrom.model.policies import Fitted, Guarded, PolicyApplied, PolicyVersion, Privacy, Reclassified
from wherefrom.model.results import ActiveContext, ContextItem, Judged, Swept


def context_table(context: ActiveContext, *, explain: bool = False) -> tuple[RenderableType, ...]:
    """What was recalled, best first; what was left out, and what is lacking."""
    found = new_table("#", "score", "id", "memo", "why")
    for item in context.items:
        found.add_row(str(item.rank), f"{item.score:.2f}", item.node.id, memo_cell(item.node), _why(item))
    lines: list[RenderableType] = [found if context.items else "nothing that matters"]
    lines.append(
        f"context {context.id} until {when(context.expires_at)}, policy {context.policy_version},"
        f" about {count(context.tokens, 'token')}"
    )
    if explain:
        left = ", ".join(f"{number} {reason}" for reason, number in sorted(context.filtered.items())) or "nothing"
        lines.append(f"left out: {left}")
        lines.append("with " + ", ".join(f"{name} {value}" for name, value in context.parameters.items()))
    return (*lines, *(f"degraded: {why}" for why in context.degraded))


def judged_line(judged: Judged) -> str:
    """What a judgement did."""
    stands = f"; {judged.representative_id} stands for it now" if judged.representative_id else ""
    return (
        f"{judged.status} {judged.signal} for {judged.node.id}: utility {judged.node.utility:+.2f},"
        f" confidence {judged.node.confidence:.2f}{stands}"
    )


def swept_line(swept: Swept) -> str:
    """What a sweep did."""
    return f"{count(len(swept.node_ids), 'node')} and {count(swept.edges, 'relation')} retired (run {swept.run_id})"


def policy_text(policy: PolicyVersion) -> RenderableType:
    """A policy as it was written."""
    return Syntax(policy.yaml, "yaml", background_color="default", word_wrap=True)


def policy_table(policies: tuple[PolicyVersion, ...]) -> RenderableType:
    """The history of a policy."""
    found = new_table("version", "namespace", "applied", "approver")
    for each in policies:
        applied = when(each.applied_at) if each.applied_at else "packaged"
        found.add_row(each.version, shown(each.namespace or "(default)"), applied, shown(each.approver or ""))
    return found


def applied_line(applied: PolicyApplied) -> RenderableType:
    """What applying a policy did."""
    before = f" (before: {applied.previous_version})" if applied.previous_version else ""
    would = ", ".join(f"{number} {name}" for name, number in applied.reclassify.items())
    after = f"; of what is stored: {would}" if would else ""
    hint = "; `wherefrom reclassify` brings old rows in line" if applied.status == "applied" else ""
    return shown(f"{applied.status}: {applied.version} in {applied.namespace}{before}{after}{hint}")


def privacy_lines(privacy: Privacy, *, chosen: bool) -> tuple[RenderableType, ...]:
    """What becomes of personal data, and what a new choice does not change."""
    meaning = {
        "personal": "e-mail addresses, phone, card and identity numbers are kept for you, and others do not see them",
        "shared": "e-mail addresses, phone, card and identity numbers are taken out of texts",
    }
    older = {
        "personal": "What was taken out earlier does not come back.",
        "shared": "What was kept earlier is shown without them; `wherefrom reclassify` takes them out for good.",
    }
    first = shown(f"{privacy.mode}: {meaning[privacy.mode]}")
    return (first, shown(older[privacy.mode])) if chosen else (first,)


def guarded_lines(guarded: Guarded) -> tuple[RenderableType, ...]:
    """What the policy makes of a text."""
    first = shown(f"{guarded.reason} ({guarded.boundary_class}, policy {guarded.policy_version})")
    return (first,) if guarded.text is None else (first, shown(guarded.text, lines=True))


def reclassified_lines(report: Reclassified) -> tuple[RenderableType, ...]:
    """What a policy made of old rows."""
    names = ("raised", "redacted", "merged", "denied", "violating")
    counts = ", ".join(f"{len(getattr(report, name))} {name}" for name in names)
    note = " (dry run: nothing was changed)" if report.dry_run else ""
    lines = [f"{count(report.checked, 'node')} checked: {counts}{note}"]
    lines += [f"  {name}: {', '.join(getattr(report, name)[:10])}" for name in names if getattr(report, name)]
    return tuple(lines)


def fitted_lines(fitted: Fitted, *, dry_run: bool) -> tuple[RenderableType, ...]:
    """How well a calibration fits."""
    found = new_table("arm", "error before", "error after")
    for name, error in fitted.error_before.items():
        found.add_row(name, f"{error:.4f}", f"{fitted.error_after[name]:.4f}")
    where = "not applied (dry run)" if dry_run else f"in force as policy {fitted.version}"
    first = f"{fitted.method}, {count(fitted.candidates, 'candidate')}, {fitted.relevant:,} relevant: {where}"
    return first, found


def _why(item: ContextItem) -> RenderableType:
    parts = [item.reason]
    parts += [f"replaces {', '.join(item.replaces)}"] if item.replaces else []
    parts += [f"disputed by {', '.join(item.disputed_by)}"] if item.disputed_by else []
    parts += [f"  {edge.tag}, confidence {edge.confidence:g}, {judge_of(edge)}" for edge in item.disputes]
    return shown("\n".join(parts), lines=True)
