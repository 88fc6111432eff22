"""The boundary in force: the policies of owners, read from the store at most once a second each; the classes that an
access sees under them, and the parts of a text that may be stored or asked.
"""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput
from wherefrom.model.graph import SECRET, Edge, Node, strictest
from wherefrom.model.policies import Privacy
from wherefrom.policy.boundary import PlaceRules, Policies
from wherefrom.policy.document import Policy, SettingsKinds, parse
from wherefrom.storage import policies
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import Database
from wherefrom.text import check
from wherefrom.text.sensitive.findings import find, redact
from wherefrom.text.sensitive.redaction import has_only_labels, has_secret_address, kinds_in, mapped, without

logger = logging.getLogger("wherefrom")

# A policy that another process applies holds here after this time.
_MAX_AGE_SECONDS: Final = 1.0
# Of more owners, those who asked last are remembered.
_MAX_OWNERS: Final = 1_000
# The policy that holds where a stored one cannot be read: nobody sees anything.
_CLOSED: Final = (
    "version: 0.0.0\nboundary_classes:\n  public: {allow: []}\n  internal: {allow: []}\n  pii: {allow: []}\n"
)
# Ids such as ours: no part of them is as long as a key, and nothing in them announces a password.
_SHORT_PARTS: Final = re.compile(r"[A-Za-z0-9]{1,12}(?:[-.][A-Za-z0-9]{1,12}){0,4}")
_NAMES: Final = {
    "email": ("e-mail address", "e-mail addresses"),
    "phone": ("phone number", "phone numbers"),
    "card": ("card number", "card numbers"),
    "national_id": ("identity number", "identity numbers"),
}
_NAMES_REMEMBERED: Final = 10_000


@dataclass(slots=True)
class _Known:
    """The policies of an owner as they were read, and when."""

    stored: tuple[Mapping[str, str], Privacy] | None = None
    parsed: Policies | None = None
    read_at: float = -math.inf


class PolicyCache:
    """Reads the policies of an owner once a second while somebody asks. Threads and views share what it has parsed."""

    def __init__(self, database: Database, settings: SettingsKinds, *, shared: bool = False) -> None:
        """`settings` are those of the engines; `shared` treats a personal store as a shared one."""
        self.settings = settings
        self._database = database
        self._shared = shared
        self._lock = threading.Lock()
        self._by_owner = Kept[str, _Known](entries=_MAX_OWNERS)
        self._default_policies: dict[bool, Policies] = {}

    def of(self, owner: str) -> Policies:
        """Return the policies of an owner. Not to be called inside a transaction: it may need its own connection.

        The lock is free while the database is read, so that callers wait for a slow server together.
        """
        while True:
            with self._lock:
                known = self._by_owner.get(owner) or _Known()
                self._by_owner.put(owner, known)
                stored, parsed = known.stored, known.parsed
                if parsed is not None and time.monotonic() - known.read_at <= _MAX_AGE_SECONDS:
                    return parsed
            now_stored = self._database.glance(lambda tx: policies.current(tx, owner))
            if parsed is None or now_stored != stored:
                parsed = self._parsed(*now_stored)
            with self._lock:
                if self._by_owner.get(owner) is not known:
                    continue  # forgotten meanwhile: what was read may be from before that
                if known.parsed is None or known.stored != now_stored:
                    known.stored, known.parsed = now_stored, parsed
                known.read_at = time.monotonic()
                return known.parsed

    def section(self, name: str) -> type[Any]:
        """Return the class of the settings that stand in a section of a policy."""
        return next(kind for kind in self.settings if name == kind.SECTION)

    def forget(self, owner: str) -> None:
        """Read the policies of an owner again before the next use."""
        with self._lock:
            if known := self._by_owner.get(owner):
                self._by_owner.put(owner, _Known(known.stored, known.parsed))

    def _parsed(self, texts: Mapping[str, str], privacy: Privacy) -> Policies:
        personal = privacy.mode == "personal" and not self._shared
        if texts:
            return Policies({place: self._read(text, place) for place, text in texts.items()}, personal)
        # All owners without a policy of their own share one value.
        return self._default_policies.setdefault(personal, Policies({}, personal))

    def _read(self, text: str, namespace: str) -> Policy:
        try:
            return parse(text, self.settings)
        except InvalidInput as error:
            logger.warning("the policy of %s cannot be read, so nothing in it is shown: %s", namespace, error)
            return parse(_CLOSED, self.settings)


class Boundary:
    """The limits of one access, as the policies stand now."""

    def __init__(self, cache: PolicyCache, base: Access, allow: Sequence[str]) -> None:
        self._cache = cache
        self._base = base
        self._allow = tuple(allow)
        self._under: tuple[Policies, Access] | None = None

    @property
    def policies(self) -> Policies:
        """The policies in force. Not to be read inside a transaction (see `PolicyCache.of`)."""
        return self._cache.of(self._base.owner)

    @property
    def access(self) -> Access:
        """The access under the policies in force."""
        known, held = self.policies, self._under
        if held is None or held[0] is not known:
            held = self._under = known, self.access_under(known)
        return held[1]

    def forget(self) -> None:
        """Read the policies again before the next use, for all accesses of this owner."""
        self._cache.forget(self._base.owner)

    def at(self, namespace: str) -> PlaceRules:
        """Return the rules of a namespace."""
        return self.policies.at(namespace)

    def narrowed(self, access: Access, allow: Sequence[str] | None) -> Access:
        """Return an access with no tags but these; it sees no more than before."""
        if allow is None:
            return access
        known = self.policies
        known.at(access.root).visible_classes(allow)  # refuses what is no list of tags
        fewer = access_seeing(self._base, known, [tag for tag in allow if tag in self._allow])
        classes = tuple(name for name in access.classes if name in fewer.classes)
        hidden = tuple(sorted({*access.hidden, *fewer.hidden}))
        return replace(access, classes=classes, hidden=hidden, tags=fewer.tags)

    def access_under(self, known: Policies) -> Access:
        """Return this access as it would be under other policies."""
        return access_seeing(self._base, known, self._allow)

    def cleaned(self, text: str, namespace: str) -> str:
        """Return a text, such as a question, without findings: it may be embedded, sent and noted in events."""
        return cleaned(text, self.at(namespace))

    def cleaned_values(self, values: Mapping[str, Any], namespace: str) -> dict[str, Any]:
        """Return a JSON object with all its texts cleaned."""
        rules = self.at(namespace)
        return dict(mapped(values, lambda text: cleaned(text, rules)))


class ImportGuard:
    """Takes findings out of the records of an import, and refuses what no policy lets in."""

    def __init__(self, boundary: Boundary) -> None:
        self._policies = boundary.policies
        self._harmless: set[str] = set()
        self._taken: Counter[str] = Counter()

    def text(self, text: str, namespace: str) -> str:
        """Return a text that is no node's without findings."""
        return cleaned(text, self._policies.at(namespace))

    def node(self, node: Node) -> Node | None:
        """Return a node as it may be stored; None if it may not."""
        try:
            return self.admitted(node)
        except BoundaryDenied:
            return None

    def admitted(self, node: Node) -> Node:
        """Return a node as it may be stored; raises if it may not."""
        rules = self._policies.at(node.namespace)
        kept, taken = guarded(node, rules)
        # All may see them.
        if kept.slot is not None and find(kept.slot.upper()) + find(kept.slot):
            kept = replace(kept, slot=None)
        if kept.session is not None and find(kept.session):
            kept = replace(kept, session=None)
        keep_invariants(kept, rules)
        self._taken.update(taken)
        if "imported_hash" in kept.provenance:
            kept = replace(kept, provenance={**kept.provenance, "imported_hash": kept.content_hash})
        return kept

    def lifetime(self, node: Node) -> timedelta | None:
        """Return how long a node may live from now on, by its scope; None is without end."""
        return self._policies.at(node.namespace).expiry(node.scope)

    def refuse_secret(self, text: str, field: str) -> None:
        """Raise an error if a name or an id holds a secret."""
        if text in self._harmless or _SHORT_PARTS.fullmatch(text):
            return
        refuse_secret(text, field=field)
        if len(self._harmless) < _NAMES_REMEMBERED:
            self._harmless.add(text)

    def taken_out(self) -> Counter[str]:
        """Return how many findings of each kind were taken out since this was asked last."""
        taken, self._taken = self._taken, Counter()
        return taken

    def edge(self, edge: Edge) -> Edge:
        """Return an edge, whose place and class are known, as it may be stored."""
        return guarded_edge(edge, self._policies.at(edge.source_namespace))


def access_seeing(base: Access, known: Policies, tags: Sequence[str]) -> Access:
    """Return an access with the classes that these tags open under some policies, which are those of its root.

    A class that is closed in a further root, or where a policy holds further down, is hidden there.
    """
    classes = known.at(base.root).visible_classes(tags)
    places = {*filter(base.has_inside, known.by_namespace), *base.also} - {base.root}
    hidden = {
        f"{name} {place}/" for place in places for name in set(classes) - {*known.at(place).visible_classes(tags)}
    }
    return replace(base, classes=classes, hidden=tuple(sorted(hidden)), tags=tuple(tags))


def cleaned(text: str, rules: PlaceRules) -> str:
    """Return a text without a class of its own, such as a question or a reason, without findings."""
    return redact(text, rules.redacted_without_class("internal"))[0]


def cleaned_row(values: Mapping[str, Any], rules: PlaceRules) -> dict[str, Any]:
    """Return a stored row without the findings that its place redacts; personal data of a personal store stay."""
    kinds = (SECRET, *rules.redact["internal"])
    return dict(mapped(values, lambda text: redact(text, kinds)[0]))


def guarded(node: Node, rules: PlaceRules) -> tuple[Node, Counter[str]]:
    """Return a node as it may be stored, and how many findings of each kind were taken out; raises if it may not.

    In a personal store personal data stay, and raise the class; `shared_class` is then the class of the text without
    them. In a shared store a node has that class, in which others already saw it.
    """
    given, found = node.open_class, kinds_in(node)
    if has_secret_address(node):
        found.add(SECRET)
        verdict = rules.judge(given, found)
    else:
        verdict = rules.admit(given, found)
    while not verdict.denied and verdict.redact:
        # The text around a finding may be one itself once that is gone.
        uncovered = kinds_in(without(node, verdict.redact)[0]) - found
        if not uncovered:
            break
        found |= uncovered
        verdict = rules.admit(given, found)
    if verdict.denied:
        raise BoundaryDenied(
            f"this text is not stored: {verdict.denied}",
            hint="take the secret out and say where it is kept instead" if SECRET in found else "see the policy",
        )
    judged = strictest(verdict.boundary_class, node.boundary_class if rules.personal else given)
    shared = given if rules.personal and judged != given else None
    kept = node
    if (judged, shared) != (node.boundary_class, node.shared_class):
        kept = replace(node, boundary_class=judged, shared_class=shared)
    if not verdict.redact:
        return kept, Counter()
    kept, counts = without(kept, verdict.redact)
    is_empty = kept.content != node.content and f"[{SECRET}]" in kept.content and has_only_labels(kept.content)
    # A piece of a document stays in its place, a page is known by its address.
    if is_empty and node.kind not in ("fragment", "page"):
        raise BoundaryDenied(
            "this text is not stored: it holds nothing but a secret", hint="say what it is for and where it is kept"
        )
    # A cleaned text may have grown. One that was too long before is on its way to be split.
    if len(node.content.encode()) <= limits.MEMO_BYTES:
        check.check_content(kept.content)
    return kept, counts


def note_of(redacted: Mapping[str, int], *, personal: bool) -> str | None:
    """Return what to tell the caller about findings that were taken out; None if there were none."""
    notes = []
    if number := redacted.get(SECRET, 0):
        what = "A secret was" if number == 1 else f"{number} secrets were"
        notes.append(f"{what} taken out and not kept; the rest of the text is.")
    taken = [f"{number} {_NAMES[kind][number > 1]}" for kind, number in redacted.items() if kind in _NAMES]
    if taken:
        why = (
            "A policy takes them out."
            if personal
            else "This memory takes personal data out; one of your own can keep them (`wherefrom privacy personal`)."
        )
        notes.append(f"Not kept: {', '.join(taken)}. {why}")
    return " ".join(notes) or None


def note_of_times(node: Node, now: str) -> str | None:
    """Return when a node begins to hold, ends or expires, unless it simply holds from now on."""
    said = []
    if node.valid_from is not None and node.valid_from > now:
        said.append(f"Holds from {node.valid_from[:10]} on; until then only as_of finds it.")
    if node.valid_to is not None and node.valid_to <= now:
        said.append("Holds no longer: only as_of finds it.")
    if node.expires_at is not None:
        day = node.expires_at[:10]
        said.append(f"Expires on {day}." if node.expires_at > now else f"Expired on {day}; restore brings it back.")
    return " ".join(said) or None


def guarded_edge(edge: Edge, rules: PlaceRules) -> Edge:
    """Return an edge whose reason has no secret and nothing that its class redacts."""
    if edge.reason is None:
        return edge
    kept, taken = redact(edge.reason, rules.redacted_without_class(edge.boundary_class))
    return replace(edge, reason=kept[: limits.REASON_CHARACTERS]) if taken else edge


def keep_invariants(node: Node, rules: PlaceRules) -> None:
    """Raise an error if a node, as it would be stored, breaks an invariant."""
    if broken := violated(node, rules):
        raise BoundaryDenied(f"invariant violation: {', '.join(broken)}", hint="see the policy")


def violated(node: Node, rules: PlaceRules) -> tuple[str, ...]:
    """Return the names of the invariants that a node breaks."""
    if not rules.invariants:
        return ()
    facts = {
        **node.metadata,
        "metadata": dict(node.metadata),
        "text": node.content,
        "title": node.title or "",
        "scope": node.scope or "",
        "kind": node.kind,
        "claim_kind": node.claim_kind or "",
        "boundary_class": node.boundary_class,
        "namespace": node.namespace,
    }
    return rules.violated(node.scope, facts)


def refuse_findings(text: str, *, field: str, hint: str) -> None:
    """Raise an error if a text that all may see, such as a slot, holds a secret or personal data."""
    refuse_secret(text, field=field)
    if find(text):
        raise InvalidInput(f"{field} holds personal data", hint=hint)


def refuse_secret(text: str, *, field: str) -> None:
    """Raise an error if a text that is stored as it is, such as a name or an id, holds a secret."""
    if any(finding.kind == SECRET for finding in find(text)):
        raise InvalidInput(f"{field} looks like a secret", hint="choose another one")
