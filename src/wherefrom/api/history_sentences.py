"""Events in words: one short sentence for each, made of its figures and of the names of what it is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from wherefrom.model.identifiers import last_day, short_id
from wherefrom.model.upkeep import waiting_words
from wherefrom.storage.history import Event, LetGo
from wherefrom.storage.reviewing import COMPATIBLE

_NAME_CHARACTERS: Final = 48


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the ids in some events: names of nodes, receipts, and the states of plans, by id; and which
    of the nodes are claims.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    receipts: Mapping[str, LetGo] = field(default_factory=dict)
    plans: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    claims: Collection[str] = ()

    def name(self, node_id: str | None) -> str:
        """The title of a node in quotes, or the end of its id."""
        title = self.titles.get(node_id or "")
        return quoted(title) if title else short_id(node_id or "?")

    def receipt(self, event: Event) -> LetGo | None:
        """The receipt of the node that an event tells was let go, if it is still there."""
        found = self.receipts.get(event.node_id or "")
        return found if event.topic == "retire" and found is not None and found.run_id == event.part_of else None


def quoted(title: str) -> str:
    """A title on one line, in quotes, not too long."""
    line = " ".join(title.split())
    return f"'{line}'" if len(line) <= _NAME_CHARACTERS else f"'{line[: _NAME_CHARACTERS - 1]}…'"


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def day(time: str) -> str:
    """The date of a stored time."""
    return time[:10]


def sentence(event: Event, known: Known) -> str:
    """Say what happened."""
    write = _SENTENCES.get(event.topic)
    return event.topic if write is None else write(event, known)


def _ingest(event: Event, known: Known) -> str:
    figures, name = event.payload, known.name(event.node_id)
    said = f"saved {name}"
    if figures.get("rule") == "policy":
        said = f"changed {name} as the policy asks (version {figures['version']})"
    elif "of_version" in figures:
        said = f"brought back version {figures['of_version']} of {name} (version {figures['version']})"
    elif figures.get("status") == "duplicate":
        said = f"saved {name} again: the text was there already"
    elif figures.get("status") == "updated":
        said = f"saved {name} (version {figures['version']})"
    taken = ", ".join(f"{number} {kind}" for kind, number in figures.get("redacted", {}).items())
    return f"{said}; taken out: {taken}" if taken else said


def _integrate(event: Event, known: Known) -> str:
    if event.payload.get("tag") == COMPATIBLE:
        return f"{known.name(event.node_id)} and {known.name(event.other_id)} both hold"
    done = "changed the relation" if event.payload.get("status") == "updated" else "related"
    return f"{done} {_ends(event, known)}{_by_plan(event)}"


def _delete(event: Event, known: Known) -> str:
    if event.other_id is not None:
        return f"deleted the relation {_ends(event, known)}{_by_plan(event)}"
    if event.payload.get("rule") == "forget":
        return f"erased {known.name(event.node_id)} for good, with its history"
    why = ": the policy left nothing of it" if event.payload.get("rule") == "policy" else ""
    return f"deleted {known.name(event.node_id)}{why}"


def _replace(event: Event, known: Known) -> str:
    until = last_day(event.payload.get("valid_to") or event.at)
    if "tag" in event.payload:
        return f"the relation {_ends(event, known)} held until {until}"
    if event.other_id is None:
        return f"{known.name(event.node_id)} held until {until}"
    return f"{known.name(event.other_id)} took the place of {known.name(event.node_id)}, which held until {until}"


def _reopen(event: Event, known: Known) -> str:
    return f"{known.name(event.node_id)} holds again"


def _ends(event: Event, known: Known) -> str:
    return f"{known.name(event.node_id)} -{event.payload.get('tag', '?')}-> {known.name(event.other_id)}"


def _by_plan(event: Event) -> str:
    return f" (plan {short_id(event.part_of)})" if event.part_of else ""


def _rename(event: Event, _: Known) -> str:
    moved = event.payload
    return f"moved {moved.get('source')} to {moved.get('target')}: {counted(moved.get('nodes', 0), 'node')}"


def _import(event: Event, _: Known) -> str:
    figures = event.payload
    rejected = figures.get("rejected")
    left = f"; {counted(rejected, 'line')} left out" if rejected else ""
    return f"imported {_nodes_and_relations(figures.get('nodes', 0), figures.get('edges', 0))}{left}"


def _nodes_and_relations(nodes: int, relations: int) -> str:
    return f"{counted(nodes, 'node')} and {counted(relations, 'relation')}"


def _policy(event: Event, _: Known) -> str:
    figures = event.payload
    if "privacy" in figures:
        return f"the memory is {figures['privacy']} from now on"
    if "reclassified" in figures:
        changed = ", ".join(f"{number} {name}" for name, number in figures["reclassified"].items() if number)
        return f"brought what was stored in line with the policy: {changed or 'nothing changed'}"
    by = f", approved by {figures['approver']}" if figures.get("approver") else ""
    return f"policy {figures.get('version')} put in force{by}"


def _filter(event: Event, _: Known) -> str:
    figures = event.payload
    if figures.get("decision") == "denied":
        return f"refused ({figures.get('verb')}): {figures.get('reason')}"
    left_out = ", ".join(f"{number} {rule}" for rule, number in figures.get("filtered", {}).items())
    return f"left out of an answer to {figures.get('verb')}: {left_out}"


def _feedback(event: Event, known: Known) -> str:
    of = f" of {known.name(event.other_id)}" if event.other_id else ""
    return f"judged {known.name(event.node_id)}: {event.payload.get('signal')}{of}"


def _critic(event: Event, known: Known) -> str:
    changes = [
        f"{name} {values[0]:g} → {values[1]:g}"
        for name, values in event.payload.items()
        if isinstance(values, list) and values[0] != values[1]
    ]
    return f"{known.name(event.node_id)} after a judgement: {', '.join(changes) or 'as before'}"


def _reinforce(event: Event, known: Known) -> str:
    figures = event.payload
    if event.other_id is not None:
        before, after = figures.get("confidence", (0, 0))
        weaker = (after, *figures.get("weight", ())[1:]) < (before, *figures.get("weight", ())[:1])
        return f"{'weakened' if weaker else 'strengthened'} the relation {_ends(event, known)}"
    done = "weakened" if figures.get("weaken") else "strengthened"
    return f"{done} the relations of {known.name(event.node_id)}"


def _task(event: Event, _: Known) -> str:
    return f"task {short_id(event.part_of or '?')} is {event.payload.get('status')}"


def _evidence(event: Event, known: Known) -> str:
    status, name = event.payload.get("status"), known.name(event.node_id)
    added = f"added the claim {name}" if event.node_id in known.claims else f"added {name} as evidence"
    done = {"created": added, "updated": f"added to {name}"}
    return done.get(str(status), f"added evidence to {name}")


def _correct(event: Event, known: Known) -> str:
    name, action = known.name(event.node_id), event.payload.get("action")
    said = {
        "claim_reject": f"rejected the claim {name}",
        "claim_restore": f"adopted the claim {name} again",
        "page_correct": f"corrected what is known about {name}",
    }
    return said.get(str(action), f"corrected what a source says about {name}")


def _insight(event: Event, _: Known) -> str:
    links = counted(event.payload.get("links", 0), "relation")
    done = {"undone": f"undone: {links} taken back", "declined": f"declined {links}"}
    return f"plan {short_id(event.part_of or '?')} {done.get(str(event.payload.get('state')), f'made {links}')}"


def _plan(event: Event, known: Known) -> str:
    plan, links = short_id(event.part_of or "?"), event.payload.get("links")
    proposed = "was made" if links is None else f"proposes {counted(links, 'relation')}"
    state, since = known.plans.get(event.part_of or "", ("no longer stored", ""))
    now = "not applied yet" if state == "proposed" else f"{state} {day(since)}".strip()
    return f"plan {plan} {proposed}; {now}"


def _metabolism(event: Event, _: Known) -> str:
    run, figures = short_id(event.part_of or "?"), event.payload
    gone = _nodes_and_relations(figures.get("nodes", 0), figures.get("links", 0))
    if figures.get("state") == "applied":
        return f"run {run} let go {gone}"
    if figures.get("state") == "stopped":
        return f"run {run} was given up: another one began"
    return f"run {run} was cut off after {gone}; the same command completes it"


def _upkeep(event: Event, _: Known) -> str:
    run, figures = short_id(event.part_of or "?"), event.payload
    relations, removals = figures.get("relations", 0), figures.get("removals", 0)
    if figures.get("state") == "proposed":
        return f"upkeep {run} found something: {waiting_words(relations, removals) or 'nothing waits'}"
    done = f"made {counted(relations, 'relation')}; {counted(removals, 'removal')}"
    return f"upkeep {run} {done}" if figures.get("state") == "applied" else f"upkeep {run} was undone (it {done})"


def _retire(event: Event, known: Known) -> str:
    rule, run = event.payload.get("rule"), f"; run {short_id(event.part_of or '?')}"
    receipt = known.receipt(event)
    name = known.name(event.node_id)
    if rule == "forget":
        return f"forgot {name}, as asked{run}"
    if rule == "expired":
        return f"let go {name}: its time was over{run}"
    why = {"orphan": ": nothing was linked to it", "same text after redaction": ": another has its text"}.get(
        str(rule), ""
    )
    if receipt is not None and receipt.stand_in is not None and receipt.stand_in in known.titles:
        why = f": {known.name(receipt.stand_in)} says nearly the same"
    return f"let go {name}{why}{run}"


def _return(event: Event, known: Known) -> str:
    return f"brought back {known.name(event.node_id)}; run {short_id(event.part_of or '?')}"


_SENTENCES: Final[Mapping[str, Callable[[Event, Known], str]]] = {
    "ingest": _ingest,
    "integrate": _integrate,
    "delete": _delete,
    "rename": _rename,
    "import": _import,
    "search": lambda event, _: f"searched: {counted(event.payload.get('hits', 0), 'hit')}",
    "search_fallback": lambda event, _: f"searched with less: {'; '.join(event.payload.get('reasons', ()))}",
    "activate": lambda event, _: f"recalled {counted(event.payload.get('items', 0), 'item')}",
    "policy": _policy,
    "filter": _filter,
    "critic": _critic,
    "feedback": _feedback,
    "task": _task,
    "evidence": _evidence,
    "correct": _correct,
    "insight": _insight,
    "plan": _plan,
    "metabolism": _metabolism,
    "retire": _retire,
    "upkeep": _upkeep,
    "return": _return,
    "reinforce": _reinforce,
    "replace": _replace,
    "reopen": _reopen,
}
