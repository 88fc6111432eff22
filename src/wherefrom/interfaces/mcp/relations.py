"""Tools for relations: save, list or walk, delete."""

from __future__ import annotations

from typing import Final

from pydantic import AliasChoices, Field

from wherefrom.api import Memory
from wherefrom.interfaces.answers import DeletedRelation, Relation, RelationList, SavedRelation
from wherefrom.interfaces.mcp.tool import Input, Number, Tool, Whole, fitting, reads, writes
from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput
from wherefrom.model.results import Direction, Relations

_TAG: Final = "What kind of link: lower-case words joined by '_', e.g. supports, conflicts, explains. 64 characters."


class SaveRelationInput(Input):
    source_memo_id: str
    target_memo_id: str
    tag: str = Field(description=_TAG)
    weight: Number = Field(
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="How strong, 0 to 1. Guideline: supports 0.6–1.0, conflicts 0.4–0.8, explains 0.5–0.8.",
    )
    reason: str | None = Field(default=None, description="Why, in one plain sentence. Omit to keep the old one.")
    namespace: str | None = Field(default=None, description="If given, the source memo must be in it.")


class ListRelationsInput(Input):
    namespace: str | None = Field(default=None, description="Only relations whose source is in it or below.")
    source_memo_id: str | None = None
    target_memo_id: str | None = None
    tag: str | None = Field(default=None, description=_TAG)
    since: str | None = Field(
        default=None, description="Only what was created or changed at or after this ISO-8601 time."
    )
    start_memo_id: str | None = Field(default=None, description="Walk the graph from this memo instead of listing.")
    depth: Whole | None = Field(
        default=None,
        ge=1,
        le=limits.WALK_DEPTH,
        validation_alias=AliasChoices("depth", "max_depth", "maxDepth"),
        description="How many steps a walk takes from start_memo_id (3 if omitted).",
    )
    direction: Direction | None = Field(default=None, description="Which way a walk follows links (both if omitted).")
    limit: Whole = Field(default=100, ge=1, le=limits.WALK_LIMIT)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class DeleteRelationInput(Input):
    source_memo_id: str
    target_memo_id: str
    tag: str
    namespace: str | None = Field(default=None, description="If given, the source memo must be in it.")


def save(memory: Memory, given: SaveRelationInput) -> SavedRelation:
    related = memory.relate(
        given.source_memo_id,
        given.target_memo_id,
        tag=given.tag,
        weight=given.weight,
        reason=given.reason,
        namespace=given.namespace,
    )
    return SavedRelation.of(related, memory.root_namespace)


def list_or_walk(memory: Memory, given: ListRelationsInput) -> RelationList:
    if given.start_memo_id is None:
        if given.depth is not None or given.direction is not None:
            raise InvalidInput("depth and direction need start_memo_id", hint="say where the walk starts")
        return fitting(
            lambda limit: RelationList.of(_list(memory, given, limit)), min(given.limit, limits.RELATIONS_LIMIT)
        )
    if any((given.source_memo_id, given.target_memo_id, given.since, given.namespace)):
        raise InvalidInput(
            "a walk takes start_memo_id, depth, direction, tag, limit and cursor only",
            hint="leave out start_memo_id to list with filters",
        )
    return fitting(lambda limit: RelationList.of(_walk(memory, given, limit)), given.limit)


def delete(memory: Memory, given: DeleteRelationInput) -> DeletedRelation:
    edge = memory.unrelate(given.source_memo_id, given.target_memo_id, tag=given.tag, namespace=given.namespace)
    return DeletedRelation(root_namespace=memory.root_namespace, relation=Relation.of(edge))


def _list(memory: Memory, given: ListRelationsInput, limit: int) -> Relations:
    return memory.relations(
        source_id=given.source_memo_id,
        target_id=given.target_memo_id,
        tag=given.tag,
        since=given.since,
        namespace=given.namespace,
        limit=limit,
        cursor=given.cursor,
    )


def _walk(memory: Memory, given: ListRelationsInput, limit: int) -> Relations:
    assert given.start_memo_id is not None
    return memory.walk(
        given.start_memo_id,
        depth=given.depth or 3,
        direction=given.direction or "both",
        tag=given.tag,
        limit=limit,
        cursor=given.cursor,
    )


TOOLS: Final = (
    Tool(
        name="memory_relation_save",
        description=(
            "Link two memos with a tag, a weight and a reason, or update that link. Call it when one memo supports, "
            "conflicts with, explains, causes or belongs to another, so that whoever finds one finds the other. "
            "Both memos must exist; the link is unique by source, target and tag."
        ),
        input=SaveRelationInput,
        output=SavedRelation,
        run=save,
        annotations=writes("Save a relation"),
        aliases=("memory.relation.save",),
    ),
    Tool(
        name="memory_relation_list",
        description=(
            "Show how memos are linked, as nodes and edges. Give source_memo_id or target_memo_id for one memo's "
            "links, since to catch up with changes, or start_memo_id with depth to walk the graph outwards, nearest "
            "and strongest links first. Call it to follow a thought, find support or spot conflicts."
        ),
        input=ListRelationsInput,
        output=RelationList,
        run=list_or_walk,
        annotations=reads("List or walk relations"),
        aliases=("memory.relation.list", "memory.relation.graph"),
    ),
    Tool(
        name="memory_relation_delete",
        description="Delete one link between two memos; the memos stay. Call it when a link turned out to be wrong.",
        input=DeleteRelationInput,
        output=DeletedRelation,
        run=delete,
        annotations=writes("Delete a relation", destructive=True),
        aliases=("memory.relation.delete",),
    ),
)
