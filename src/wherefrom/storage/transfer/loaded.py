"""What becomes of the records of an import: written, kept waiting, or rejected; and which of two rows holds, the one
in the store or the one that comes in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wherefrom.model.errors import NotFound
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.storage import edges, nodes
from wherefrom.storage.transfer import reference_server
from wherefrom.storage.transfer.reading import Fault, Place, Read
from wherefrom.storage.transfer.records import Record

# When a row was written does not make it another row.
_TIMES: Final = frozenset({"created_at", "updated_at", "observed_at", "recency_anchor"})


@dataclass(frozen=True, slots=True)
class Loaded:
    """How many were written, what names something that is not there (yet), and what may not be stored."""

    counts: Counter[str] = field(default_factory=Counter)
    early: list[Read] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


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


def missing_reference(place: Place, record: Record) -> Fault:
    """Why a record is left out that names something which is neither in the file nor where the access sees it."""
    match record:
        case Edge():
            what = "an end of the edge"
        case Query():
            what = f"its task {record.task_id}"
        case Correction():
            what = "the claim that it corrects, or its source,"
        case Node():
            what = f"its page {record.page_id}"
        case _:
            what = "what it names"
    error = NotFound(
        f"{what} is neither here nor in a line that can be stored", hint="import it together with what it names"
    )
    return Fault(place, name_of(record), error)


def name_of(record: Record) -> str | None:
    """What names a record in a message."""
    match record:
        case Node() | Task() | Query():
            return record.id
        case Edge():
            return f"{record.source_id} {record.tag} {record.target_id}"
        case Correction():
            return record.claim_id
    return None


def _imported_again(incoming: Node, mine: Node) -> Node | None:
    """A file without versions: it changes what the last import of it wrote, and not what was changed here since."""
    untouched = mine.provenance.get("imported_hash") == mine.content_hash
    if not untouched or incoming.content_hash == mine.content_hash:
        return None
    stricter = incoming.restricted(mine.boundary_class, mine.open_class)
    return replace(stricter, created_at=mine.created_at, version=mine.version + 1)


def _says_the_same(incoming: dict[str, Any], mine: dict[str, Any]) -> bool:
    return all(value == mine[name] for name, value in incoming.items() if name not in _TIMES)
