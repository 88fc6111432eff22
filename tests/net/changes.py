"""The listed changes: where an answer may differ from its recording, and why.

A key is a pattern (fnmatch, case counts) on the path of a difference, which is
`<kind> <name>: <step>/<key>/<key>/…`, for example `"tool memory_save: */memo/id"` or
`"command list: list-page-one/stdout/items/*/title"`. The tools and commands themselves are at
`surface tools: <tool>/…` and `surface commands: <command>/…`. A pattern holds on both databases; with
`sqlite: ` or `postgres: ` before it, on that one alone. A pattern that excuses no difference fails the test.

RENAMED lists the keys of answers that have another name now: what they hold is still compared.
"""

from __future__ import annotations

# Recorded anew when answers became lean and ids were printed by their ends, and again when statements got times, slots and
# versions and what has expired was archived, and again when upkeep came: all that was listed here until then is part of the recording.
RENAMED: dict[str, tuple[str, str]] = {}

CHANGES: dict[str, str] = {}
