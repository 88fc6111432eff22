"""The table of verbs: what each is called as a tool and as a command, and how it is run with arguments by name.

A verb is declared on its method; a row here gives it to agents and people. Tools, commands, `--json` and the reference
pages are made of this table and the methods, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, get_type_hints

from wherefrom import interfaces
from wherefrom.api.memory import Memory, Verbs, docstring_of
from wherefrom.model.errors import InvalidInput
from wherefrom.model.limits import MEMO_BYTES
from wherefrom.model.param import Param, Parameter, ToolSet, parameters_of

_CURSOR: Final = Parameter("cursor", str, True, None, False, Param("next_cursor."))
# Every tool takes these; only where they mean more are they listed.
_CALL_IDS: Final = frozenset(("request_id", "trace_id"))
_DETAIL: Final = Parameter("detail", Literal["lean", "full"], False, "lean", False, Param())
# The list of a verb whose answer is one long text, of which it shows a page.
_TEXT: Final = ("content",)
_OFFSET: Final = Parameter(
    "offset", int, False, 0, False, Param("Read a long text from this character on.", 0, MEMO_BYTES)
)


@dataclass(frozen=True)
class Verb:
    """One row: the verb of `Memory` that it runs, and its names as a tool and as a command.

    methods: the verb, and others; one of those runs instead if its first parameter is given.
    ignores: parameters that the others need not take. explains: an option that only changes what is shown.
    lists: the keys of the answer that are paged, in this order. mend: puts right what depends on a page's entries.
    resumes: given the result and how many entries were shown, returns the id under which the rest of a long answer is
    stored, "" if the same call is made again for it, or None if it is not kept. By default only verbs that read can be
    called again for it.
    resumed_by: the parameter that takes that id. texts: sentences for parameters that mean more here than in the verb.
    most: the parameter that limits the entries of a page, if the verb does not apply it itself.
    group: the object that holds all parameters of the tool but the first. tools: the set of tools that it is in.
    unlisted: parameters that are accepted and not listed, as few need them. is_schema_listed: the schema of its answer
    is always listed.
    """

    methods: tuple[str, ...]
    tool: str = ""
    command: str = ""
    effect: Literal["reads", "writes", "destroys"] = "reads"
    _: KW_ONLY
    aliases: tuple[str, ...] = ()
    alias_defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ignores: tuple[str, ...] = ()
    explains: tuple[str, Param] | None = None
    lists: tuple[str, ...] = ()
    resumes: Callable[[Any, int], str | None] | None = None
    resumed_by: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    most: str = ""
    mend: Callable[[dict[str, Any]], None] | None = None
    group: str = ""
    tools: ToolSet = "memory"
    unlisted: tuple[str, ...] = ()
    is_schema_listed: bool = False

    @property
    def summary(self) -> str:
        """The first paragraphs of the docstrings of the row's verbs."""
        docstrings = (docstring_of(method).split("\n\n")[0] for method in self.methods)
        return " ".join(" ".join(docstrings).split())

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters of all verbs of the row and what `explains`, by field; with several verbs none is required."""
        found: dict[str, Parameter] = {}
        others = self.methods[1:]
        for method in self.methods:
            for parameter in parameters_of(getattr(Memory, method)).values():
                if parameter.param.only == "code":
                    continue
                if others and parameter.is_required:
                    parameter = replace(parameter, default=None, is_optional=True)
                if text := self.texts.get(parameter.name):
                    parameter = replace(parameter, param=replace(parameter.param, text=text))
                found.setdefault(parameter.name, parameter)
        if self.explains is not None:
            name, param = self.explains
            found[name] = Parameter(name, bool, False, False, False, param)
        return found

    @cached_property
    def answer(self) -> Any:
        """The answer of the tool: that of its first verb."""
        return interfaces.answering.answer_of(get_type_hints(getattr(Memory, self.methods[0]))["return"])

    @cached_property
    def input(self) -> Any:
        """The input of the tool."""
        declared = {name: known for name, known in self.parameters.items() if known.param.only != "people"}
        if self.lists and "cursor" not in declared and (self.effect == "reads" or self.resumes is not None):
            declared["cursor"] = _CURSOR
        if self.lists == _TEXT:
            declared["offset"] = _OFFSET
        return interfaces.inputs.input_of({**declared, "detail": _DETAIL}, group=self.group)

    @cached_property
    def not_listed(self) -> set[str]:
        """The inputs that are accepted and not listed."""
        ids = {name for name in _CALL_IDS & self.parameters.keys() if self.parameters[name].param.only == "agents"}
        return ids.union(self.unlisted)

    def run(self, memory: Verbs, given: Mapping[str, Any], **more: Any) -> Any:
        """Run the verb that the given arguments mean. `more` are arguments by their names in Python."""
        method = self.chosen(given)
        declared = {known.name: known for known in parameters_of(getattr(Memory, method)).values()}
        known = {*declared, *self.ignores}
        if refused := [name for name in given if name not in known and self._says(name, given[name])]:
            raise self._refusal(method, refused)
        arguments = {declared[name].python: value for name, value in given.items() if name in declared}
        needed = (known for known in declared.values() if known.is_required)
        if lacking := [known.name for known in needed if known.python not in {*arguments, *more}]:
            others = map(_selector, self.methods[1:])
            raise InvalidInput(f"give {' and '.join(lacking)}{''.join(f', or {other}' for other in others)}")
        return getattr(memory, method)(**arguments, **more)

    def takes(self, name: str, given: Mapping[str, Any]) -> bool:
        """Whether the verb that the given arguments mean takes this one, too."""
        return name in _names(self.chosen(given))

    def _says(self, name: str, value: Any) -> bool:
        """Return whether a value asks for something: many clients fill in the defaults."""
        return value is not None and (name not in self.parameters or value != self.parameters[name].default)

    def chosen(self, given: Mapping[str, Any]) -> str:
        """Return the verb that the given arguments mean: the first, unless another one's first parameter is given."""
        chosen = [method for method in self.methods[1:] if given.get(_selector(method)) is not None]
        if len(chosen) > 1:
            raise InvalidInput(f"{' and '.join(map(_selector, chosen))} exclude each other", hint="give one of them")
        return chosen[0] if chosen else self.methods[0]

    def _refusal(self, method: str, refused: list[str]) -> InvalidInput:
        if method == self.methods[0]:
            needed = [_selector(other) for other in self.methods[1:] if refused[0] in _names(other)]
            return InvalidInput(f"{' and '.join(refused)} can be given with {' or '.join(needed)} only")
        message = f"{_selector(method)} and {', '.join(refused)} exclude each other"
        return InvalidInput(message, hint=f"with it, give only {', '.join(_names(method))}")


def _selector(method: str) -> str:
    """The parameter that chooses a verb among several: its first."""
    return _names(method)[0]


def _names(method: str) -> list[str]:
    return [parameter.name for parameter in parameters_of(getattr(Memory, method)).values()]


_EXPLAIN: Final = ("explain", Param("Add how the scores came about, and what was left out.", aliases=("include_meta",)))


def _keep_ends_of_shown(answer: dict[str, Any]) -> None:
    """Name only the memos at the ends of the relations that are shown."""
    ends = {end for edge in answer["edges"] for end in (edge["source_id"], edge["target_id"])}
    answer["nodes"] = [node for node in answer.get("nodes", ()) if node["id"] in ends]


def _count_rows(answer: dict[str, Any]) -> None:
    """Count the rows that are shown."""
    answer["row_count"] = len(answer["rows"])


TOOLS: Final = (
    Verb(
        ("activate", "context"),
        "memory_activate",
        effect="writes",
        aliases=("memory.activate", "pce.memory.activate"),
        ignores=("top_k",),
        most="top_k",
        explains=_EXPLAIN,
        lists=("items",),
        resumes=lambda context, _: context.id if context.is_kept else None,
        resumed_by="active_context_id",
        texts={"active_context_id": "Read this active context again, instead of a query."},
        unlisted=("provenance", "written_by"),
    ),
    Verb(
        ("search",),
        "memory_search",
        "search",
        aliases=("memory.search", "pce.memory.search"),
        alias_defaults={"pce.memory.search": {"rank": "final"}},
        explains=_EXPLAIN,
        lists=("items",),
        unlisted=("written_by",),
    ),
    Verb(
        ("save",),
        "memory_save",
        "save",
        "writes",
        aliases=("memory.save", "pce.memory.upsert"),
        unlisted=("expected_version",),
    ),
    Verb(("get",), "memory_get", "get", lists=_TEXT),
    Verb(
        ("list", "get"),
        "memory_list",
        aliases=("memory.list",),
        ignores=("kind", "limit"),
        lists=("items",),
        unlisted=("memo_id", "version", "written_by"),
    ),
    Verb(("delete",), "memory_delete", "delete", "destroys", aliases=("memory.delete",), unlisted=("namespace",)),
    Verb(("feedback",), "memory_feedback", "feedback", "writes", aliases=("memory.feedback", "pce.memory.feedback")),
    Verb(("relate",), "memory_relation_save", "relate", "writes", aliases=("memory.relation.save",)),
    Verb(
        ("relations", "walk"),
        "memory_relation_list",
        aliases=("memory.relation.list", "memory.relation.graph"),
        lists=("edges",),
        mend=_keep_ends_of_shown,
        texts={
            "start_memo_id": "Walk the graph from this memo instead of listing.",
            "depth": "How many steps a walk takes from start_memo_id.",
            "direction": "Which way a walk follows relations.",
        },
        tools="graph",
    ),
    Verb(
        ("unrelate",),
        "memory_relation_delete",
        "unrelate",
        "destroys",
        aliases=("memory.relation.delete",),
        tools="graph",
    ),
    Verb(
        ("find_insight", "apply_insight", "decline_insight", "undo_insight", "insight_plan"),
        "find_insight",
        "insight",
        "writes",
        explains=(
            "include_rejected",
            Param("Also list relations that are not worth making, and why.", option="--rejected"),
        ),
        lists=("relations", "decisions"),
        # A plan keeps the relations worth making; what else its search knew is told once.
        resumes=lambda plan, end: plan.id if end < len(plan.accepted) else None,
        resumed_by="plan_id",
        texts={
            "apply_plan_id": "Instead of a search: make the relations of this plan.",
            "decline_plan_id": "Decline them: they are not proposed again.",
            "undo_plan_id": "Take back what was made or declined.",
            "plan_id": "Read this plan again.",
            "only": "Only these of the plan: numbers, or source_id:target_id.",
        },
        unlisted=("reason",),
        tools="graph",
    ),
    Verb(
        ("namespaces",),
        "list_namespaces",
        "namespaces",
        aliases=("memory.list_namespaces",),
        lists=("items",),
        tools="graph",
    ),
    Verb(("create_task",), "create_task", "task create", "writes", tools="research"),
    Verb(
        ("add_evidence",),
        "add_evidence",
        effect="writes",
        lists=("claims", "fragments"),
        resumes=lambda *_: "",
        tools="research",
    ),
    Verb(("vector_search",), "vector_search", "similar", lists=("results",), tools="research", is_schema_listed=True),
    Verb(
        ("views", "query_view"),
        "query_view",
        lists=("rows", "views"),
        mend=_count_rows,
        tools="research",
        is_schema_listed=True,
    ),
    Verb(
        ("query_graph",),
        "query_graph",
        lists=("rows",),
        mend=_count_rows,
        group="options",
        tools="research",
        is_schema_listed=True,
    ),
    Verb(("update_task",), "update_task", "task update", "writes", tools="research"),
    Verb(("status",), "get_status", "status", lists=("tasks",), tools="research"),
    Verb(
        ("metabolize",),
        "metabolize",
        "metabolize",
        "destroys",
        lists=("weakest", "examples", "thinnest", "conflicts", "settings", "removed", "stayed"),
        resumes=lambda plan, _: "" if plan.state == "planned" else None,
        unlisted=("keep", "half_life_days", "prune_threshold", "mdl_neighbours"),
        tools="upkeep",
    ),
    Verb(("restore",), "restore", "restore", "writes", lists=("node_ids", "skipped"), tools="upkeep"),
    Verb(
        ("forget",),
        "forget",
        "forget",
        "destroys",
        lists=("nodes",),
        resumes=lambda plan, _: "" if plan.state in ("planned", "changed") else None,
        tools="upkeep",
        unlisted=("min_relevance", "vacuum"),
    ),
    Verb(
        ("upkeep", "run_upkeep", "undo_upkeep"),
        "upkeep",
        "upkeep",
        "destroys",
        lists=("runs",),
        tools="upkeep",
    ),
    Verb(("history",), "history", "history", lists=("items",), tools="upkeep"),
    Verb(("review",), "review", "review", lists=("pairs",), tools="upkeep"),
    Verb(("settle",), "settle", "settle", "writes", tools="upkeep"),
    Verb(("apply_policy",), "policy_apply", effect="destroys", aliases=("pce.memory.policy.apply",), tools="upkeep"),
    Verb(
        ("validate_boundary",),
        "boundary_validate",
        "boundary",
        aliases=("pce.memory.boundary.validate",),
        lists=("redacted",),
        tools="upkeep",
    ),
)
BY_NAME: Final = {name: verb for verb in TOOLS for name in (verb.tool, *verb.aliases)}
# Verbs with a command and no tool, by what they do to the store.
_PEOPLE: Final[Mapping[Literal["reads", "writes", "destroys"], Mapping[str, str]]] = {
    "reads": {
        "list": "list", "context": "context", "relations": "relations", "walk": "walk",
        "path": "path", "plans": "plans",
        "query_graph": "sql", "claim_evidence": "evidence show", "export": "export", "backup": "backup",
        "info": "info", "doctor": "doctor", "keys": "key list",
    },
    "writes": {
        "reinforce": "reinforce", "rename_namespace": "rename", "add_documents": "add", "add_evidence": "evidence add",
        "correct_edge": "correct", "correct_page": "page set", "reject_claim": "reject", "apply_policy": "policy",
        "calibrate": "calibrate", "import_": "import", "reindex": "reindex", "embed": "embed", "reembed": "reembed",
        "distribute": "distribute",
        "create_key": "key create", "rotate_key": "key rotate", "revoke_key": "key revoke",
    },
    "destroys": {"reclassify": "reclassify", "sweep": "sweep"},
}  # fmt: skip
COMMANDS: Final = (
    *(verb for verb in TOOLS if verb.command),
    Verb(("activate",), command="activate", explains=_EXPLAIN),
    Verb(("views", "query_view"), command="view"),
    Verb(("privacy", "choose_privacy"), command="privacy", effect="writes"),
    Verb(("rules", "confirm_rules"), command="rules", effect="writes"),
    *(Verb((verb,), "", command, effect) for effect, verbs in _PEOPLE.items() for verb, command in verbs.items()),
)
# These verbs have no row of their own: another row does the same, or a command with an option.
WITHIN: Final = {
    "add_document": "add", "policy": "policy", "render_view": "view --sql", "restore_claim": "reject --restore",
}  # fmt: skip
