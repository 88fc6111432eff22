"""Who is asking: the owner, the root they may not leave, and the boundary classes they may see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from wherefrom.model import namespaces
from wherefrom.model.graph import BoundaryClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The scope of every query. It can be narrowed and never widened."""

    owner: str
    root: str
    namespace: str
    classes: tuple[BoundaryClass, ...]
    hidden: tuple[str, ...] = ()
    """What a policy further down takes away: `class namespace/`, for a class in a namespace and below it."""
    tags: tuple[str, ...] = field(default=(), compare=False)
    """The tags that it holds. What it sees by them is in `classes` and `hidden`, as the policies say now."""

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

    def covers(self, other: Access) -> bool:
        """Whether this access sees all that another one sees. With the same tags it does, even if a policy has taken
        something away since the other was made.
        """
        if self.owner != other.owner or not namespaces.is_inside(other.root, self.root):
            return False
        if other.tags and set(other.tags) <= set(self.tags):
            return True
        if not set(other.classes) <= set(self.classes):
            return False
        return all(hidden.startswith(other.hidden) for hidden in self.hidden if other.overlaps(hidden))

    def overlaps(self, hidden: str) -> bool:
        """True if this access may see the class, and the namespace lies inside its root or contains it.

        Class and namespace are written as in `hidden`.
        """
        boundary_class, _, place = hidden.partition(" ")
        namespace = place.removesuffix("/")
        meets = namespaces.is_inside(namespace, self.root) or namespaces.is_inside(self.root, namespace)
        return meets and boundary_class in self.classes
