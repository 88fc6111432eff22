"""The boundary in force: what this access may see, and what of a text may be kept or asked."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from recollect.model import limits, namespaces
from recollect.model.access import Access
from recollect.model.errors import BoundaryDenied
from recollect.model.graph import Edge, Node
from recollect.storage import policies
from recollect.storage.port import Database
from recollect.text import check, detect
from recollect.text.detect import FindingKind

if TYPE_CHECKING:
    from recollect.policy.boundary import Effective, Policies

# A policy that another process applies holds here after so long.
_SECONDS: Final = 1.0
_SECRET: Final[FindingKind] = "secret"  # noqa: S105  # the name of a kind of finding


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
        self._read_at = 0.0
        self._texts: Mapping[str, str] | None = None
        self._in_force: InForce | None = None

    def in_force(self) -> InForce:
        """What holds now."""
        with self._lock:
            if self._in_force is None or time.monotonic() - self._read_at > _SECONDS:
                texts = self._database.read(lambda tx: policies.current(tx, self._base.owner))
                if self._in_force is None or texts != self._texts:
                    self._in_force, self._texts = self._judged(texts), texts
                self._read_at = time.monotonic()
            return self._in_force

    def forget(self) -> None:
        """Read the policies again before the next use."""
        with self._lock:
            self._read_at = 0.0

    def at(self, namespace: str) -> Effective:
        """The policy of a namespace."""
        return self.in_force().policies.at(namespace)

    def narrowed(self, access: Access, allow: Sequence[str] | None) -> Access:
        """An access with fewer tags: it sees no more than before."""
        if allow is None:
            return access
        fewer = self._access(self.in_force().policies, tuple(tag for tag in allow if _is_held(tag, self._allow)))
        classes = tuple(name for name in access.classes if name in fewer.classes)
        return replace(access, classes=classes, hidden=tuple(sorted({*access.hidden, *fewer.hidden})))

    def question(self, text: str, namespace: str) -> str:
        """A question without what may not be kept: it may be embedded, sent away and written to events."""
        return detect.redact(text, {_SECRET, *self.at(namespace).redacted_in("internal")})[0]

    def clean(self, values: Mapping[str, Any], namespace: str) -> dict[str, Any]:
        """The same for all texts in some JSON."""
        cleaned: dict[str, Any] = _mapped(values, lambda text: self.question(text, namespace))
        return cleaned

    def _judged(self, texts: Mapping[str, str]) -> InForce:
        from recollect.policy.boundary import Policies
        from recollect.policy.document import parse

        known = Policies({namespace: parse(text) for namespace, text in texts.items()})
        return InForce(known, self._access(known, self._allow))

    def _access(self, known: Policies, allow: Sequence[str]) -> Access:
        base = self._base
        classes = known.at(base.root).visible_classes(allow)
        below = [name for name in known.by_namespace if name != base.root and namespaces.is_inside(name, base.root)]
        hidden = {
            f"{boundary_class} {name}/"
            for name in below
            for boundary_class in set(classes) - set(known.at(name).visible_classes(allow))
        }
        return replace(base, classes=classes, hidden=tuple(sorted(hidden)))


class ImportGuard:
    """What the policies leave of the records of an import."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary

    def node(self, node: Node) -> Node | None:
        """What may be stored of a node; None if nothing may."""
        try:
            return guarded(node, self._boundary.at(node.namespace))[0]
        except BoundaryDenied:
            return None

    def edge(self, edge: Edge) -> Edge:
        """What may be stored of an edge."""
        return guarded_edge(edge, self._boundary.at(edge.source_namespace))


def guarded(node: Node, rules: Effective) -> tuple[Node, Counter[str]]:
    """What may be stored of a node, and how much was taken out of it; raises if nothing may be."""
    texts = [node.title or "", node.content, *_strings(node.metadata), *_strings(node.provenance)]
    found = {finding.kind for text in texts for finding in detect.find(text)}
    verdict = rules.judge(node.boundary_class, found)
    if verdict.denied:
        raise BoundaryDenied(
            f"this text is not stored: {verdict.reason}",
            hint="take the secret out and say where it is kept instead" if _SECRET in found else "see the policy",
        )
    counts: Counter[str] = Counter()
    kept = replace(node, boundary_class=verdict.boundary_class)
    if verdict.redact:
        kept = _redacted(kept, verdict.redact, counts)
    broken = rules.violated(node.scope, _facts(kept))
    if broken:
        raise BoundaryDenied(f"invariant violation: {', '.join(broken)}", hint="see the policy")
    return kept, counts


def guarded_edge(edge: Edge, rules: Effective) -> Edge:
    """An edge whose reason holds nothing that its class forbids; a secret in it is taken out, too."""
    if edge.reason is None:
        return edge
    found = {finding.kind for finding in detect.find(edge.reason)}
    redact = found & {_SECRET, *rules.redacted_in(edge.boundary_class)}
    return replace(edge, reason=detect.redact(edge.reason, redact)[0]) if redact else edge


def holds(rules: Effective) -> Callable[[Node], bool] | None:
    """Whether a stored node keeps the invariants; None if there are none to keep."""
    return (lambda node: not rules.violated(node.scope, _facts(node))) if rules.invariants else None


def _redacted(node: Node, kinds: Sequence[str], counts: Counter[str]) -> Node:
    def clean(text: str) -> str:
        replaced, taken = detect.redact(text, kinds)
        counts.update(taken)
        return replaced

    content = check.check_content(clean(node.content))
    return replace(
        node,
        title=None if node.title is None else clean(node.title)[: limits.TITLE_CHARACTERS],
        content=content,
        content_hash=check.content_hash(content),
        metadata=_mapped(node.metadata, clean),
        provenance=_mapped(node.provenance, clean),
    )


def _strings(value: Any) -> list[str]:
    match value:
        case str():
            return [value]
        case Mapping():
            return [text for pair in value.items() for part in pair for text in _strings(part)]
        case list() | tuple():
            return [text for item in value for text in _strings(item)]
        case _:
            return []


def _mapped(value: Any, clean: Callable[[str], str]) -> Any:
    match value:
        case str():
            return clean(value)
        case Mapping():
            return {clean(key): _mapped(item, clean) for key, item in value.items()}
        case list() | tuple():
            return [_mapped(item, clean) for item in value]
        case _:
            return value


def _facts(node: Node) -> dict[str, Any]:
    """What invariants speak of: the metadata by its keys, and what the node is."""
    return {
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


def _is_held(tag: str, held: Sequence[str]) -> bool:
    return tag in held
