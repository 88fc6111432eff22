"""How a memo looks as an item of a list, and inputs that several tools share."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, TypeVar

from pydantic import BeforeValidator

from wherefrom.interfaces.answers import Memo

_Memo = TypeVar("_Memo", bound=Memo)

# In a list, enough of each memo to recognise it.
_PREVIEW_CHARACTERS: Final = 600
_PREVIEW_METADATA_BYTES: Final = 2_000

NAMESPACE: Final = (
    "Namespace path. Omit for the default; a leading '/' starts at the root; '..' goes up, never above the root."
)


def _object(value: object) -> object:
    """Some clients send an object as JSON in a string."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


JsonObject = Annotated[dict[str, Any] | None, BeforeValidator(_object)]


def preview(memo: _Memo) -> _Memo:
    """A memo as an item of a list: long fields shortened, and said so."""
    shorter: dict[str, Any] = {}
    if memo.content_length > _PREVIEW_CHARACTERS:
        shorter["content"] = memo.content[:_PREVIEW_CHARACTERS]
    if len(json.dumps(memo.metadata, ensure_ascii=False).encode()) > _PREVIEW_METADATA_BYTES:
        shorter["metadata"] = {}
    if len(json.dumps(memo.aliases, ensure_ascii=False).encode()) > _PREVIEW_METADATA_BYTES:
        shorter["aliases"] = []
    source = getattr(memo, "source", None)
    if source and len(json.dumps(source, ensure_ascii=False).encode()) > _PREVIEW_METADATA_BYTES:
        shorter["source"] = {}
    return memo.model_copy(update={**shorter, "cut": sorted(shorter)}) if shorter else memo
