"""Reads the reference MCP memory server's `memory.jsonl`: entities become memos, relations become edges.

An entity's memo has its name as title and as first line, one line for each observation, and an id
made from its name, so that importing a newer file updates the same memos.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import Edge, Node, node_at
from wherefrom.text import check
from wherefrom.text.sensitive.findings import KINDS, redact

TYPES: Final = ("entity", "relation")
SOURCE: Final = "reference-memory-server"
_ID_SPACE: Final = uuid.UUID("4f3d6c0e-9a51-5c1b-8d53-0b7f4f1f6a11")


def parse(line: Mapping[str, Any], access: Access, *, split: bool, now: str) -> Node | Edge:
    """Return an entity or relation as a node or edge of the default namespace; with `split`, of any length."""
    if line.get("type") == "entity":
        return _memo(line, access, size=None if split else limits.MEMO_BYTES, now=now)
    if line.get("type") == "relation":
        return _edge(line, access, now=now)
    raise InvalidInput(f"{shown(line.get('type'))} is neither an entity nor a relation")


def _memo(line: Mapping[str, Any], access: Access, *, size: int | None, now: str) -> Node:
    name = _name(line, "name")
    observations = line.get("observations", [])
    if not isinstance(observations, list):
        raise InvalidInput("observations must be a list")
    texts = [check.check_text(text, field="observation", size=size) for text in observations]
    content = check.check_text("\n".join([name, *(f"- {text}" for text in texts)]), field="content", size=size)
    entity_type = line.get("entityType")
    return node_at(
        now,
        id=_id(access, name),
        namespace=access.namespace,
        title=name if len(name) <= limits.TITLE_CHARACTERS else name[: limits.TITLE_CHARACTERS - 1] + "…",
        content=content,
        content_hash=check.content_hash(content),
        written_by=access.written_by,
        metadata=check.check_metadata({"entity_type": entity_type} if entity_type else {}),
        provenance={"source": SOURCE, "imported_hash": check.content_hash(content)},
    )


def _edge(line: Mapping[str, Any], access: Access, *, now: str) -> Edge:
    given = check.check_text(line.get("relationType"), field="relationType", characters=limits.REASON_CHARACTERS)
    # Findings are taken out now: a tag has lost the signs by which they are known.
    relation, _ = redact(given, KINDS)
    tag = check.normalised_tag(relation) or "related"
    source_id, target_id = (_id(access, _name(line, end)) for end in ("from", "to"))
    place, reason = access.namespace, None if tag == relation else relation
    return Edge(source_id, target_id, check.check_tag(tag), 1.0, place, place, now, now, now, reason=reason)


def _name(line: Mapping[str, Any], field: str) -> str:
    return check.check_text(line.get(field), field=field, size=limits.MEMO_BYTES // 2)


def _id(access: Access, name: str) -> str:
    return str(uuid.uuid5(_ID_SPACE, f"{access.namespace}\n{name}"))
