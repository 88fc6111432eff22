"""What a record of an import may say, so that nothing comes in that the verbs would not have stored."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.text import check, detect
from wherefrom.text.urls import check_url, domain_of

# The clocks of two machines may differ by so much.
_CLOCKS_DIFFER: Final = timedelta(minutes=5)
_TAKEN_OUT: Final = re.compile(rf"\[(?:{'|'.join(detect.KINDS)})\]")
_SIZES: Final = {"claim": limits.CLAIM_BYTES, "fragment": limits.FRAGMENT_BYTES}
# Fields that only some kinds of nodes have.
_OWN_FIELDS: Final = {
    "claim_kind": ("claim",),
    "task_id": ("claim",),
    "rejected_at": ("claim",),
    "page_id": ("fragment",),
    "position": ("fragment",),
    "domain": ("fragment", "page"),
    "year": ("fragment", "page"),
}
_PAST: Final[dict[type, tuple[str, ...]]] = {
    Node: ("created_at", "updated_at", "observed_at", "recency_anchor", "judged_at", "rejected_at"),
    Edge: ("created_at", "updated_at", "observed_at"),
    Task: ("created_at", "updated_at", "started_at", "completed_at"),
    Query: ("executed_at",),
    Correction: ("at",),
}


def checked_node(node: Node) -> Node:
    """A node as its kind allows it; a page is on the domain of its URL, whatever the file says."""
    for name, kinds in _OWN_FIELDS.items():
        if getattr(node, name) is not None and node.kind not in kinds:
            raise InvalidInput(f"a {node.kind} has no {name}")
    if node.kind in _SIZES:
        # What was taken out was shorter than the word in its place may be.
        text = _TAKEN_OUT.sub("", node.content)
        if len(text.encode()) > _SIZES[node.kind]:
            check.check_text(text, field=f"a {node.kind}", size=_SIZES[node.kind])
    if node.kind == "entity" and len(_TAKEN_OUT.sub("", node.content)) > limits.ENTITY_CHARACTERS:
        check.check_text(node.content, field="an entity", characters=limits.ENTITY_CHARACTERS)
    if node.kind in ("page", "fragment") and "url" in node.provenance:
        check_url(node.provenance["url"])
    if node.kind == "page":
        return replace(node, domain=domain_of(check_url(node.content)))
    return node


def horizon(now: str) -> str:
    """The time that nothing in an import may lie after: now, as the clock of another machine may see it."""
    return timestamp(datetime.fromisoformat(now) + _CLOCKS_DIFFER)


def refuse_future(record: Any, latest: str) -> None:
    """Raises if something is said to have happened after a time."""
    for name in _PAST.get(type(record), ("updated_at",)):
        moment = getattr(record, name)
        if moment is not None and moment > latest:
            raise InvalidInput(f"{name} {moment} lies in the future")
