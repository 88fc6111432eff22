"""The listed changes: where an answer may differ from its recording, and why.

A key is a pattern (fnmatch, case counts) on the path of a difference, which is
`<kind> <name>: <step>/<key>/<key>/…`, for example `"tool memory_save: */memo/id"` or
`"command list: list-page-one/stdout/items/*/title"`. The tools and commands themselves are at
`surface tools: <tool>/…` and `surface commands: <command>/…`. A pattern holds on both databases; with
`sqlite: ` or `postgres: ` before it, on that one alone. A pattern that excuses no difference fails the test.

RENAMED lists the keys of answers that have another name now: what they hold is still compared.
"""

from __future__ import annotations

CURSOR = "every answer that may be too long has a cursor for its rest, null if there is none"
ONCE = "ranges and words are checked once, by the verb, with one wording for Python, tools and commands"
CHOICE = "a tool of several verbs says in one way which arguments exclude each other, or are lacking"
SENTENCE = "one sentence for a parameter, in its declaration, for tools and commands"
SCHEMA = "the schema of an answer is named after the result that it mirrors; its keys are the same"
RANGE = "ranges are listed as JSON Schema's minimum and maximum everywhere, and end where the verb's end"
BOX = "help and errors of usage are printed without boxes, which take a tenth of a second to draw"
TABLE = "one generic table shows what has no table of its own"
ALSO = "an access may read further roots: --also"
NOTE = "the status says if the store lies under the former name"

NAMED = "the report of an import names a line as the line names itself, not by ids that nobody has seen"
ID = "id is the one key of a thing in every answer; an end of a relation is source_id or target_id"
WORD = "what people and agents read is a relation; link is only a verb"

# Where a recorded key of an answer has another name now: (new name, why). Of what verbs return in Python, one field.
RENAMED: dict[str, tuple[str, str]] = {
    "*/asked/memo_id": ("memo_id", "the name of an argument"),
    "tool *: */answer*/memo_id": ("id", ID),
    "tool *: */answer*/node_id": ("id", ID),
    "command *: */stdout*/memo_id": ("id", ID),
    "command *: */stdout*/node_id": ("id", ID),
    "tool *: */answer*/source_memo_id": ("source_id", ID),
    "tool *: */answer*/target_memo_id": ("target_id", ID),
    "command *: */stdout*/source_memo_id": ("source_id", ID),
    "command *: */stdout*/target_memo_id": ("target_id", ID),
    "[!v]*/target_memo_ids": ("target_ids", ID),
    "[!v]*/kept_memo_id": ("kept_id", ID),
    "tool *_task: */answer/task_id": ("id", ID),
    "command task *: */stdout/task_id": ("id", ID),
    "* *status: */tasks/*/task_id": ("id", ID),
    "surface tools: */outputSchema/*/task_id": ("id", ID),
    "tool *: */answer/plan_id": ("id", ID),
    "command *: */stdout/plan_id": ("id", ID),
    "surface tools: */outputSchema/*/plan_id": ("id", ID),
    "command sweep: */stdout/memo_ids": ("node_ids", ID),
    "[!v]*/links": ("relations", WORD),
    "[!v]*/links_reinforced": ("relations_reinforced", WORD),
    "[!v]*/links_to_go": ("relations_to_go", WORD),
    "[!v]*/links_removed": ("relations_removed", WORD),
    "verb *: */weighed": ("breakdown", "a name that says what it is"),
}

CHANGES: dict[str, str] = {
    # Keys that answers have gained.
    "tool *: */answer/next_cursor": CURSOR,
    "command *: */stdout/next_cursor": CURSOR,
    "surface tools: */outputSchema/properties/next_cursor*": CURSOR,
    "surface tools: */outputSchema/required/next_cursor": CURSOR,
    "surface tools: */outputSchema/properties/truncated/description": CURSOR,
    "surface tools: */inputSchema/properties/cursor*": CURSOR,
    "tool get_status: */answer/note": NOTE,
    "command status: */stdout/note": NOTE,
    "verb status: */note": NOTE,
    "surface tools: get_status/outputSchema/properties/note": NOTE,
    "command import: c-import/files/rejects.jsonl/1/id": NAMED,
    "command import: c-import/stdout/rejections/0/id": NAMED,
    "verb import_: v-import/answer/rejections/0/id": NAMED,
    "command *: */stdout/history/*/claim_id": "a correction is shown whole, with the claim that it is about",
    # What agents and people may give.
    "surface tools: memory_save/inputSchema/properties/trace_id": "every verb that writes events takes a trace",
    "surface tools: find_insight/inputSchema/properties/plan_id": "a plan can be read again",
    "surface tools: memory_list/inputSchema/properties/kind/enum/*": "pages and fragments can be listed, too",
    "tool memory_list: list-kind/*": "pages and fragments can be listed, too",
    "surface commands: */parameters/--also": ALSO,
    "command mcp: c-mcp-unknown/stderr/0": ALSO,
    "surface commands: insight/parameters/--plan": "a plan can be read again",
    "surface commands: task create/parameters/--class": "a task has a boundary class, on the command line, too",
    "surface commands: move": "brings over a store of the former name",
    # Sentences and schemas.
    "surface tools: create_task/description": ID,
    "surface tools: find_insight/description": WORD,
    "surface tools: find_insight/annotations/title": WORD,
    "surface tools: memory_relation_*/description": WORD,
    "surface commands: */help": SENTENCE,
    "surface commands: */name": SENTENCE,
    "surface commands: */metavar": SENTENCE,
    "surface commands: */parameters/argument */opts/*": SENTENCE,
    "surface tools: */inputSchema/*description": SENTENCE,
    "surface tools: */outputSchema/*description": SENTENCE,
    "surface tools: */outputSchema/$defs/*": SCHEMA,
    "surface tools: */outputSchema/*$ref": SCHEMA,
    "surface tools: */inputSchema/$defs/*": SCHEMA,
    "surface tools: */inputSchema/*$ref": SCHEMA,
    "surface tools: */inputSchema/*minimum": RANGE,
    "surface tools: */inputSchema/*maximum": RANGE,
    "surface tools: */inputSchema/*/ge": RANGE,
    "surface tools: */inputSchema/*/le": RANGE,
    "surface tools: memory_relation_list/inputSchema/properties/depth/*": RANGE,
    "surface tools: memory_relation_list/inputSchema/properties/direction/*": RANGE,
    "surface tools: add_evidence/inputSchema/properties/request_id": "every verb that writes events takes a request",
    "surface tools: policy_apply/outputSchema/*": SCHEMA,
    "surface tools: *_task/outputSchema/*": SCHEMA,
    # Errors.
    "tool *: */error/message": ONCE,
    "tool *: */error/hint": ONCE,
    "tool memory_save: refuse-class/error/code": "a class that nothing is saved in is the boundary's to refuse",
    "tool create_task: task-create-class/error/code": "a class that nothing is saved in is the boundary's to refuse",
    "command metabolize: c-metabolize-wrong/stderr/error/*": ONCE,
    "command insight: c-insight-*/stderr/error/*": CHOICE,
    "verb add_evidence: v-evidence-wrong/error/*": "what has the wrong type is refused, and is no AttributeError",
    "verb list: v-list-cursor/error/*": ONCE,
    # Two refusals of a class are noted as events that were none before.
    "* info: */sizes/events": "two refusals of a class are noted as events that were none before",
    "* doctor: */sizes/events": "two refusals of a class are noted as events that were none before",
    # Long texts: one rule for all answers.
    "tool memory_list: read-long*/answer/items/0/content*": "a page of a long memo is as long as fits",
    "tool query_graph: sql-long/answer/truncated": "a row whose texts were cut says so as other answers do",
    # The same SQL with other blanks.
    "command view: c-view-sql/stdout/sql": "the template language of analyses leaves other blanks",
    "verb render_view: v-render/answer/sql": "the template language of analyses leaves other blanks",
    # What people see.
    "command get: r-missing-argument/stderr/[234]": BOX,
    "command list: r-unknown-option/stderr/[234]": BOX,
    "command remember: r-unknown/stderr/[234]": BOX,
    "command add: r-*": TABLE,
    "command calibrate: r-*": TABLE,
    "command correct: r-*": TABLE,
    "command demo: r-*": TABLE,
    "command doctor: r-*": TABLE,
    "command import: r-*": TABLE,
    "command info: r-*": TABLE,
    "command insight: r-*": TABLE,
    "command metabolize: r-*": TABLE,
    "command policy: r-policy-history/*": TABLE,
    "command reclassify: r-*": TABLE,
    "command reject: r-*": TABLE,
    "command rename: r-*": TABLE,
    "command save: r-save-link/stdout/1": WORD,
    "command search: r-*": TABLE,
    "command similar: r-*": TABLE,
    "command status: r-*": TABLE,
    "command view: r-views/*": TABLE,
    "command walk: r-*": TABLE,
    # Settings of namespaces went: nothing read them.
    "* import*: */settings": "settings of namespaces were written and never read; they are no more",
    "* doctor: */checks/0/detail": "the schema has a later version",
    "* doctor: */schema_version": "the schema has a later version",
    "* info: */schema_version": "the schema has a later version",
    # A save can say the quality, which ranking could take into account and nobody could set.
    "surface *: */quality*": "a save takes the quality of a memo or claim",
    "surface *: */--quality*": "a save takes the quality of a memo or claim",
    "*: */quality": "a memo shows its quality beside its confidence",
}
