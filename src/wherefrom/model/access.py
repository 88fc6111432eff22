"""The access of a caller: owner, root, further roots to read, and the classes that may be seen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from wherefrom.model import namespaces
from wherefrom.model.callers import Role
from wherefrom.model.errors import BoundaryDenied, InvalidInput, InvalidNamespace, shown
from wherefrom.model.graph import BoundaryClass
from wherefrom.model.limits import ALSO_ROOTS

READ_HINT: Final = "to change it, open the memory with a root that holds it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The scope of every query. It can be narrowed and never widened."""

    owner: str
    root: str
    namespace: str
    classes: tuple[BoundaryClass, ...]
    hidden: tuple[str, ...] = ()
    """Classes that a policy further down closes: `class namespace/`, for a class in a namespace and below it."""
    also: tuple[str, ...] = ()
    """Further roots, which it may read with all that is below them, and never write (see `also_roots`)."""
    writes: bool = True
    """False once it was narrowed to one of the further roots."""
    tags: tuple[str, ...] = field(default=(), compare=False)
    """The tags that it holds. What it sees by them is in `classes` and `hidden`, as the policies say now."""
    role: Role = field(default="admin", compare=False)
    """The verbs that it may call."""
    written_by: str | None = field(default=None, compare=False)
    """The name of the key or token that it came with, which the nodes that it writes keep; None: without one."""

    @property
    def roots(self) -> tuple[str, ...]:
        """All roots that it may read, its own first."""
        return (self.root, *self.also)

    @property
    def reach(self) -> tuple[Hashable, ...]:
        """The key of caches that depend on what this access sees, whatever its default and what it may write."""
        return self.owner, self.roots, self.classes, self.hidden

    @property
    def partly_seen(self) -> tuple[str, ...]:
        """The namespaces of which it does not see all: those in which a policy closes a class, and all above them."""
        closed = {place.partition(" ")[2].removesuffix("/") for place in self.hidden}
        return tuple(sorted({above for place in closed for above in namespaces.lineage(place)}))

    @property
    def home(self) -> str:
        """The namespace of its own notes, such as searches: its root, or its default if it may only read that."""
        return self.root if self.writes else self.namespace

    def resolve(self, namespace: str | None) -> str:
        """Return the absolute namespace that a caller's input means, to write in it; raise if it may only be read."""
        place = self.readable(namespace)
        if self.also and not namespaces.is_inside(place, self.root):
            raise BoundaryDenied(
                f"namespace {shown(place)} is outside the root {shown(self.root)}: this access may only read it",
                hint=f"a namespace of that name inside the root is {shown('/' + place)}",
            )
        if not self.writes:
            self.writing()
        return place

    def readable(self, namespace: str | None) -> str:
        """Return the absolute namespace that a caller's input means, to read in it.

        As in `namespaces.resolve`; besides, a path that begins with the segments of a further root is absolute.
        """
        if not self.also or namespace is None:
            return namespaces.resolve(namespace, root=self.root, default=self.namespace)
        for root in sorted(self.roots, key=len, reverse=True):
            if namespaces.begins_with(namespace, root):
                return namespaces.resolve(namespace, root=root, default=root)
        try:
            return namespaces.resolve(namespace, root=self.root, default=self.namespace)
        except InvalidNamespace as error:
            others = ", ".join(map(shown, self.also[:5]))
            hint = f"{error.hint}; " * bool(error.hint) + f"readable besides: {others}"
            raise InvalidNamespace(error.message, hint=hint) from None

    def narrowed(self, namespace: str | None) -> Access:
        """The same access confined to a namespace; unchanged when none is given. In a further root it may only read."""
        if namespace is None:
            return self
        place = self.readable(namespace)
        return replace(self, root=place, also=(), writes=self.writes and namespaces.is_inside(place, self.root))

    def reading(self, namespace: str | None) -> Access:
        """Return the access of a list or a search: to one namespace, or else to the default and further roots."""
        return replace(self, root=self.readable(None)) if namespace is None else self.narrowed(namespace)

    def own(self) -> Access:
        """The same access without the further roots."""
        if not self.also:
            return self
        alone = replace(self, also=())
        return replace(alone, hidden=tuple(place for place in self.hidden if alone._meets(place)))

    def writing(self) -> Access:
        """Return the same access as far as it may write; raise if it may not write at all."""
        if not self.writes:
            raise BoundaryDenied(f"this access may only read {shown(self.root)}", hint=READ_HINT)
        return self.own()

    def sees(self, namespace: str, boundary_class: BoundaryClass) -> bool:
        """Return True if the queries would show a node of this namespace and class."""
        is_hidden = f"{boundary_class} {namespace}/".startswith(self.hidden)
        return boundary_class in self.classes and not is_hidden and self.has_inside(namespace)

    def covers(self, other: Access) -> bool:
        """Return True if this access sees all that another one sees. One that holds all tags of the other does, even
        if policies have closed something since the other was made.
        """
        if self.owner != other.owner or not all(map(self.has_inside, other.roots)):
            return False
        if other.tags and set(other.tags) <= set(self.tags):
            return True
        sees_classes = set(other.classes) <= set(self.classes)
        return sees_classes and all(hidden.startswith(other.hidden) for hidden in self.hidden if other.overlaps(hidden))

    def overlaps(self, hidden: str) -> bool:
        """Return True if this access may see a class in a namespace (written as in `hidden`), or above or below it."""
        return self._meets(hidden) and hidden.partition(" ")[0] in self.classes

    def _meets(self, hidden: str) -> bool:
        namespace = hidden.partition(" ")[2].removesuffix("/")
        return self.has_inside(namespace) or any(namespaces.is_inside(root, namespace) for root in self.roots)

    def has_inside(self, namespace: str) -> bool:
        """Return True if a namespace is in one of the roots."""
        return any(namespaces.is_inside(namespace, root) for root in self.roots)


def also_roots(also: Sequence[str], *, default: str) -> tuple[str, ...]:
    """Return further roots as an access holds them: plain paths, each once, without those inside another one or inside
    the default namespace, which are read anyway.
    """
    if isinstance(also, str) or not isinstance(also, Sequence):
        raise InvalidInput(f"also {shown(also)} must be a list of namespaces", hint="for example ['team']")
    if len(also) > ALSO_ROOTS:
        raise InvalidInput(f"also holds more than {ALSO_ROOTS} namespaces", hint="name one above them")
    found: list[str] = []
    for root in sorted(namespaces.parse(name, field="also") for name in also):
        if not any(namespaces.is_inside(root, known) for known in (default, *found)):
            found.append(root)
    return tuple(found)
