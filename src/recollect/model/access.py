"""Who is asking: the owner, the root they may not leave, and the boundary classes they may see."""

from __future__ import annotations

from dataclasses import dataclass, replace

from recollect.model import namespaces
from recollect.model.graph import BoundaryClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The scope of every query. It can be narrowed and never widened."""

    owner: str
    root: str
    namespace: str
    classes: tuple[BoundaryClass, ...]
    hidden: tuple[str, ...] = ()
    """What a policy further down takes away: `class namespace/`, for a class in a namespace and below it."""

    def resolve(self, namespace: str | None) -> str:
        """The absolute namespace that a caller's input means."""
        return namespaces.resolve(namespace, root=self.root, default=self.namespace)

    def narrowed(self, namespace: str | None) -> Access:
        """The same access confined to a namespace; unchanged when none is given."""
        if namespace is None:
            return self
        return replace(self, root=self.resolve(namespace))

    def sees(self, namespace: str, boundary_class: BoundaryClass) -> bool:
        """The rule that the queries apply, for a node that is already at hand."""
        inside = namespaces.is_inside(namespace, self.root) and boundary_class in self.classes
        return inside and not f"{boundary_class} {namespace}/".startswith(self.hidden)
