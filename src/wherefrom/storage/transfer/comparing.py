"""Which of two rows holds, the one in the store or the one that comes in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from wherefrom.model.graph import Edge, Node
from wherefrom.storage import edges, nodes
from wherefrom.storage.transfer import reference_server

# When a row was written does not make it another row.
_TIMES: Final = frozenset({"created_at", "updated_at", "observed_at", "recency_anchor"})


def later(incoming: Node, mine: Node) -> Node | None:
    """What an incoming node makes of ours, or None if ours stays: the higher version wins, then the later change.

    Without being asked, a class becomes stricter, never more open.
    """
    if incoming.provenance.get("source") == reference_server.SOURCE:
        return _imported_again(incoming, mine)
    incoming = incoming.restricted(mine.boundary_class, mine.open_class)
    if _says_the_same(nodes.to_parameters(incoming), nodes.to_parameters(mine)):
        return None
    return incoming if (incoming.version, incoming.updated_at) > (mine.version, mine.updated_at) else None


def is_newer(incoming: Edge, mine: Edge) -> bool:
    """Whether an incoming edge takes the place of ours."""
    if _says_the_same(edges.to_parameters(incoming), edges.to_parameters(mine)):
        return False
    return (incoming.version, incoming.updated_at) > (mine.version, mine.updated_at)


def _imported_again(incoming: Node, mine: Node) -> Node | None:
    """A file without versions: it changes what the last import of it wrote, and not what was changed here since."""
    untouched = mine.provenance.get("imported_hash") == mine.content_hash
    if not untouched or incoming.content_hash == mine.content_hash:
        return None
    stricter = incoming.restricted(mine.boundary_class, mine.open_class)
    return replace(stricter, created_at=mine.created_at, version=mine.version + 1)


def _says_the_same(incoming: dict[str, Any], mine: dict[str, Any]) -> bool:
    return all(value == mine[name] for name, value in incoming.items() if name not in _TIMES)
