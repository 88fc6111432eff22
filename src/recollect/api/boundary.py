"""The boundary in force: what this access may see, and what of a text may be kept or asked."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from recollect.model import limits, namespaces
from recollect.model.access import Access
from recollect.model.errors import BoundaryDenied, InvalidInput
from recollect.model.graph import Edge, Node
from recollect.storage import policies
from recollect.storage.port import Database
from recollect.text import check, detect
from recollect.text.detect import FindingKind
from recollect.text.tokens import text_of

if TYPE_CHECKING:
    from recollect.policy.boundary import Effective, Policies
    from recollect.policy.document import Policy

logger = logging.getLogger("recollect")

# A policy that another process applies holds here after so long.
_SECONDS: Final = 1.0
# Ids such as ours: no part of them is as long as a key, and nothing in them announces a password.
_SHORT_PARTS: Final = re.compile(r"[A-Za-z0-9]{1,12}(?:[-.][A-Za-z0-9]{1,12}){0,4}")
_NAMES_REMEMBERED: Final = 10_000
_SECRET: Final[FindingKind] = "secret"  # noqa: S105  # the name of a kind of finding
# What holds where a stored policy cannot be read: nobody sees anything.
_CLOSED: Final = (
    "version: 0.0.0\nboundary_classes:\n  public: {allow: []}\n  internal: {allow: []}\n  pii: {allow: []}\n"
)


@dataclass(frozen=True, slots=True)
class InForce:
    """The policies as they were read, and the access that they leave."""

    policies: Policies
    access: Access


class Boundary:
    """Reads the policies of an owner every second; threads may share it."""

    def __init__(self, database: Database, base: Access, allow: Sequence[str]) -> None:
        self._database = database
        self._base = base
        self._allow = tuple(allow)
        self._lock = threading.Lock()
        self._read_at = -math.inf
        self._forgotten = 0
        self._texts: Mapping[str, str] | None = None
        self._in_force: InForce | None = None

    def in_force(self) -> InForce:
        """What holds now. The lock is not held while the database is read: callers who wait for a server that does not
        answer wait together and not one after the other.
        """
        while True:
            with self._lock:
                if self._in_force is not None and time.monotonic() - self._read_at <= _SECONDS:
                    return self._in_force
                forgotten = self._forgotten
            texts = self._database.read(lambda tx: policies.current(tx, self._base.owner))
            with self._lock:
                if forgotten == self._forgotten:
                    if self._in_force is None or texts != self._texts:
                        self._in_force, self._texts = self._judged(texts), texts
                    self._read_at = time.monotonic()
                    return self._in_force

    def forget(self) -> None:
        """Read the policies again before the next use."""
        with self._lock:
            self._read_at = -math.inf
            self._forgotten += 1

    def at(self, namespace: str) -> Effective:
        """The policy of a namespace."""
        return self.in_force().policies.at(namespace)

    def narrowed(self, access: Access, allow: Sequence[str] | None) -> Access:
        """An access with fewer tags: it sees no more than before."""
        if allow is None:
            return access
        known = self.in_force().policies
        known.at(access.root).visible_classes(allow)  # refuses what is no list of tags
        fewer = self.access_under(known, [tag for tag in allow if tag in self._allow])
        classes = tuple(name for name in access.classes if name in fewer.classes)
        hidden = tuple(sorted({*access.hidden, *fewer.hidden}))
        return replace(access, classes=classes, hidden=hidden, tags=fewer.tags)

    def access_under(self, known: Policies, allow: Sequence[str] | None = None) -> Access:
        """What this access may see under some policies; what one further down takes away is hidden."""
        base, held = self._base, self._allow if allow is None else allow
        classes = known.at(base.root).visible_classes(held)
        below = [name for name in known.by_namespace if name != base.root and namespaces.is_inside(name, base.root)]
        hidden = {
            f"{boundary_class} {name}/"
            for name in below
            for boundary_class in set(classes) - set(known.at(name).visible_classes(held))
        }
        return replace(base, classes=classes, hidden=tuple(sorted(hidden)), tags=tuple(held))

    def cleaned(self, text: str, namespace: str) -> str:
        """A text without what may not be kept, such as a question: it may be embedded, sent and noted in events."""
        return detect.redact(text, {_SECRET, *self.at(namespace).redacted_in("internal")})[0]

    def cleaned_values(self, values: Mapping[str, Any], namespace: str) -> dict[str, Any]:
        """The same for all texts in some JSON."""
        cleaned: dict[str, Any] = _mapped(values, lambda text: self.cleaned(text, namespace))
        return cleaned

    def _judged(self, texts: Mapping[str, str]) -> InForce:
        from recollect.policy.boundary import Policies

        known = Policies({namespace: _read(text, namespace) for namespace, text in texts.items()})
        return InForce(known, self.access_under(known))


class ImportGuard:
    """What the policies leave of the records of an import."""

    def __init__(self, boundary: Boundary) -> None:
        self._policies = boundary.in_force().policies
        self._harmless: set[str] = set()
        self.text = boundary.cleaned

    def node(self, node: Node) -> Node | None:
        """What may be stored of a node; None if nothing may."""
        try:
            return self.admitted(node)
        except BoundaryDenied:
            return None

    def admitted(self, node: Node) -> Node:
        """What may be stored of a node; raises if nothing may."""
        rules = self._policies.at(node.namespace)
        kept, _ = guarded(node, rules)
        keep_invariants(kept, rules)
        if "imported_hash" in kept.provenance:
            kept = replace(kept, provenance={**kept.provenance, "imported_hash": kept.content_hash})
        return kept

    def lifetime(self, node: Node) -> timedelta | None:
        """How long a node of this scope may live from now on; None is without end."""
        return None if node.scope is None else self._policies.at(node.namespace).expiry(node.scope)

    def refuse_secret(self, text: str, field: str) -> None:
        """Raises if a name or an id holds a secret."""
        if text in self._harmless or _SHORT_PARTS.fullmatch(text):
            return
        refuse_secret(text, field=field)
        if len(self._harmless) < _NAMES_REMEMBERED:
            self._harmless.add(text)

    def edge(self, edge: Edge) -> Edge:
        """What may be stored of an edge whose place and class are known."""
        return guarded_edge(edge, self._policies.at(edge.source_namespace))


def guarded(node: Node, rules: Effective) -> tuple[Node, Counter[str]]:
    """What may be stored of a node, and how much was taken out of it; raises if nothing may be.

    A page is known by its URL: with a number taken out it would be another one. So a URL of a page, and where a
    fragment says that it comes from there, is refused or kept.
    """
    is_page = node.kind == "page"
    urls = {"url": node.provenance["url"]} if node.kind in ("page", "fragment") and "url" in node.provenance else {}
    said = {name: value for name, value in node.provenance.items() if name not in urls}
    texts = [text_of(node.title, "" if is_page else node.content), *node.aliases]
    texts += [*_texts(node.metadata), *_texts(said)]
    found = {finding.kind for text in texts for finding in detect.find(text)}
    if any(finding.kind == _SECRET for text in _texts(urls) for finding in detect.find(text)):
        found.add(_SECRET)
    verdict = rules.judge(node.boundary_class, found)
    if verdict.denied:
        raise BoundaryDenied(
            f"this text is not stored: {verdict.reason}",
            hint="take the secret out and say where it is kept instead" if _SECRET in found else "see the policy",
        )
    counts: Counter[str] = Counter()
    kept = replace(node, boundary_class=verdict.boundary_class)
    if not verdict.redact:
        return kept, counts

    def clean(text: str) -> str:
        replaced, taken = detect.redact(text, verdict.redact)
        counts.update(taken)
        return replaced

    content = node.content if is_page else _checked_size(clean(node.content), node.content)
    kept = replace(
        kept,
        title=None if node.title is None else clean(node.title)[: limits.TITLE_CHARACTERS],
        aliases=tuple(dict.fromkeys(clean(alias)[: limits.TITLE_CHARACTERS] for alias in node.aliases)),
        content=content,
        content_hash=check.content_hash(content),
        metadata=_mapped(node.metadata, clean),
        provenance={**_mapped(said, clean), **urls},
    )
    return kept, counts


def _checked_size(cleaned: str, given: str) -> str:
    """A cleaned text, which may have grown; one that was too long before is on its way to be split."""
    is_long = len(given.encode()) > limits.MEMO_BYTES
    return check.check_text(cleaned, field="content") if is_long else check.check_content(cleaned)


def guarded_edge(edge: Edge, rules: Effective) -> Edge:
    """An edge whose reason holds nothing that its class forbids; a secret in it is taken out, too."""
    if edge.reason is None:
        return edge
    cleaned, taken = detect.redact(edge.reason, {_SECRET, *rules.redacted_in(edge.boundary_class)})
    return replace(edge, reason=cleaned[: limits.REASON_CHARACTERS]) if taken else edge


def keep_invariants(node: Node, rules: Effective) -> None:
    """Raises if a node, as it would be stored, breaks an invariant."""
    if broken := violated(node, rules):
        raise BoundaryDenied(f"invariant violation: {', '.join(broken)}", hint="see the policy")


def violated(node: Node, rules: Effective) -> tuple[str, ...]:
    """The invariants that a node breaks."""
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


def refuse_secret(text: str, *, field: str) -> None:
    """Raises if a short text that is kept as it is, such as a name or an id, holds a secret."""
    if any(finding.kind == _SECRET for finding in detect.find(text)):
        raise InvalidInput(f"{field} looks like a secret", hint="choose another one")


def _read(text: str, namespace: str) -> Policy:
    from recollect.policy.document import parse

    try:
        return parse(text)
    except InvalidInput as error:
        logger.warning("the policy of %s cannot be read, so nothing in it is shown: %s", namespace, error)
        return parse(_CLOSED)


def _texts(value: Any, key: str = "") -> list[str]:
    """All texts in some JSON, each with its key: "password: …" is one only together."""
    match value:
        case Mapping():
            return [text for name, item in value.items() for text in _texts(item, name)]
        case list() | tuple():
            return [text for item in value for text in _texts(item, key)]
        case None | bool():
            return [key]
        case _:
            return [f"{key}: {value}" if key else str(value)]


def _mapped(value: Any, clean: Callable[[str], str], key: str = "") -> Any:
    match value:
        case Mapping():
            mapped: dict[str, Any] = {}
            for name, item in value.items():
                new = cleaned = clean(name)
                number = 1
                while new in mapped:  # two names that are alike when cleaned stay two
                    number += 1
                    new = f"{cleaned} {number}"
                mapped[new] = _mapped(item, clean, name)
            return mapped
        case list() | tuple():
            return [_mapped(item, clean, key) for item in value]
        case None | bool():
            return value
        case _:
            return _cleaned_value(value, clean, key)


def _cleaned_value(value: Any, clean: Callable[[str], str], key: str) -> Any:
    """A text or number, looked at with its key in front of it."""
    before = f"{key}: " if key else ""
    whole = f"{before}{value}"
    cleaned = clean(whole)
    if cleaned == whole:
        return value
    return cleaned.removeprefix(before) if cleaned.startswith(before) else clean(str(value))
