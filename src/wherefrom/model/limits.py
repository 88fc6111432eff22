"""The sizes that inputs may have, stated once."""

from __future__ import annotations

from typing import Final

MEMO_BYTES: Final = 64 * 1024
CLAIM_BYTES: Final = 4 * 1024
FRAGMENT_BYTES: Final = 16 * 1024
URL_CHARACTERS: Final = 2_000
POLICY_BYTES: Final = 128 * 1024
METADATA_BYTES: Final = 16 * 1024
METADATA_DEPTH: Final = 32
TITLE_CHARACTERS: Final = 300
SLOT_CHARACTERS: Final = 128
SPEAKER_CHARACTERS: Final = 128
SESSION_CHARACTERS: Final = 128
FILE_NAME_CHARACTERS: Final = 255
# A node replaces at most so many others in one save; so many of its former versions are kept.
REPLACED: Final = 20
VERSIONS: Final = 50
# One plan forgets at most so many nodes.
FORGOTTEN: Final = 1_000
ALIASES: Final = 20
TAG_CHARACTERS: Final = 64
# A call names so many tags at most.
TAGS: Final = 100
REASON_CHARACTERS: Final = 1_000
NAMESPACE_CHARACTERS: Final = 256
ALSO_ROOTS: Final = 100
OWNER_CHARACTERS: Final = 128
ID_CHARACTERS: Final = 64
MODEL_CHARACTERS: Final = 200
FILTER_PAIRS: Final = 16
# Of a longer text, an answer shows one passage of this length.
PASSAGE_CHARACTERS: Final = 600
# The reason of a recalled item, and what an item and a whole answer may weigh beyond texts (a token has four bytes).
REASON_BYTES: Final = 60
ITEM_TOKENS: Final = 28
ANSWER_TOKENS: Final = 88
ENTITIES: Final = 32
ENTITY_CHARACTERS: Final = 200
FRAGMENTS: Final = 500
CLAIMS: Final = 200
EVIDENCE: Final = 500
CITATIONS: Final = 1_000

QUERY_BYTES: Final = 8 * 1024
SQL_CHARACTERS: Final = 20_000
SQL_ROWS: Final = 200
SQL_MILLISECONDS: Final = 2_000
SQL_STEPS: Final = 50_000_000
LIST_LIMIT: Final = 100
SEARCH_LIMIT: Final = 50
CONTEXT_LIMIT: Final = 50
CONTEXT_TOKENS: Final = 100_000
RELATIONS_LIMIT: Final = 500
WALK_LIMIT: Final = 1_000
WALK_DEPTH: Final = 10
# A neighbourhood starts from so many nodes at most, and has so many nodes and relations; of each text, the beginning.
STARTS: Final = 100
HOPS: Final = 3
DRAWN_NODES: Final = 5_000
DRAWN_EDGES: Final = 20_000
BEGINNING_CHARACTERS: Final = 80
# The relations of a node are counted up to so many each way.
DEGREE_COUNTED: Final = 10_000
# A path has so many steps at most, and is looked for among so many nodes.
PATH_STEPS: Final = 8
PATH_NODES: Final = 20_000
NAMESPACES_LIMIT: Final = 500
NAMESPACES_DEPTH: Final = 10
INSIGHT_LIMIT: Final = 500
REVIEW_LIMIT: Final = 50
