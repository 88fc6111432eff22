"""The sizes that inputs may have, stated once."""

from __future__ import annotations

from typing import Final

MEMO_BYTES: Final = 64 * 1024
METADATA_BYTES: Final = 16 * 1024
METADATA_DEPTH: Final = 32
TITLE_CHARACTERS: Final = 300
TAG_CHARACTERS: Final = 64
REASON_CHARACTERS: Final = 1_000
NAMESPACE_CHARACTERS: Final = 256
OWNER_CHARACTERS: Final = 128
ID_CHARACTERS: Final = 64
MODEL_CHARACTERS: Final = 200
FILTER_PAIRS: Final = 16

QUERY_BYTES: Final = 8 * 1024
LIST_LIMIT: Final = 100
SEARCH_LIMIT: Final = 50
RELATIONS_LIMIT: Final = 500
WALK_LIMIT: Final = 1_000
WALK_DEPTH: Final = 10
NAMESPACES_LIMIT: Final = 500
NAMESPACES_DEPTH: Final = 10
