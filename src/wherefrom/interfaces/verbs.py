"""The table of verbs: what each is called as a tool and as a command, and how it is run with arguments by name.

A verb is declared on its method; a row here gives it to agents and people. Tools, commands, `--json` and the reference
pages are made of this table and the methods, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, get_type_hints

from wherefrom import interfaces
from wherefrom.api import Memory
from wherefrom.api.verb import docstring_of
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import Param, Parameter, parameters_of

_CURSOR: Final = Param("next_cursor of the page before, with the same arguments.")


@dataclass(frozen=True, kw_only=True)
class Verb:
    """One row: which verb of `Memory` it runs, and as which tool and which command.

    methods: the verb; others after it run instead when their first parameter is given. ignores: parameters that such
    another verb need not take. explains: an option that only changes what is shown, with its sentence.
    lists: the keys of the answer that are paged, in this order. mend: puts right what depends on a page's entries.
    resumes: how the rest of a long answer is asked for: by the same call again (empty, as for all verbs that only
    read), by the id of what is stored, or not at all (None); given the result and how many entries were shown.
    """

    methods: tuple[str, ...]
    tool: str = ""
    command: str = ""
    effect: Literal["reads", "writes", "destroys"] = "reads"
    aliases: tuple[str, ...] = ()
    alias_defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ignores: tuple[str, ...] = ()
    explains: tuple[str, Param] | None = None
    lists: tuple[str, ...] = ()
    resumes: Callable[[Any, int], str | None] | None = None
    resumed_by: str = ""
    """The parameter that takes the id of what is stored of a long answer."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What this row says of parameters that mean more here than in the verb itself."""
    most: str = ""
    """The parameter that says how many entries a page has at most, where the verb does not see to it."""
    mend: Callable[[dict[str, Any]], None] | None = None
    group: str = ""
    """The object that holds all parameters of the tool but the first."""

    @property
    def summary(self) -> str:
        """The first paragraphs of the docstrings of the row's verbs."""
        docstrings = (docstring_of(Memory, method).split("\n\n")[0] for method in self.methods)
        return " ".join(" ".join(docstrings).split())

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters of all verbs of the row, by field; with several verbs none must be given."""
        found: dict[str, Parameter] = {}
        others = self.methods[1:]
        for method in self.methods:
            for parameter in parameters_of(getattr(Memory, method)).values():
                if others and parameter.is_required:
                    parameter = replace(parameter, default=None, is_optional=True)
                if text := self.texts.get(parameter.name):
                    parameter = replace(parameter, param=replace(parameter.param, text=text))
                found.setdefault(parameter.name, parameter)
        return found

    @cached_property
    def answer(self) -> type[interfaces.Answer]:
        """The answer of the tool: that of its first verb."""
        return interfaces.answer_of(get_type_hints(getattr(Memory, self.methods[0]))["return"])

    @cached_property
    def input(self) -> type[interfaces.Input]:
        """The input of the tool."""
        declared = {name: known for name, known in self.parameters.items() if known.param.only != "people"}
        if self.explains is not None:
            name, param = self.explains
            declared[name] = Parameter(name, bool, False, False, False, param)
        if self.lists and "cursor" not in declared and (self.effect == "reads" or self.resumes is not None):
            declared["cursor"] = Parameter("cursor", str, True, None, False, _CURSOR)
        return interfaces.input_of(declared, group=self.group)

    def rest_of(self, result: Any, end: int) -> str | None:
        """Return how the rest of a long answer is asked for, from this entry on, as `resumes` says it."""
        if self.resumes is not None:
            return self.resumes(result, end)
        return "" if self.effect == "reads" else None

    def run(self, memory: Memory, given: Mapping[str, Any], **more: Any) -> Any:
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


_EXPLAIN: Final = Param("Add how the scores came about, and what was left out.", aliases=("include_meta",))


def ends_of_shown(answer: dict[str, Any]) -> None:
    """Names only the memos at the ends of the relations that are shown."""
    ends = {end for edge in answer["edges"] for end in (edge["source_id"], edge["target_id"])}
    answer["nodes"] = [node for node in answer["nodes"] if node["id"] in ends]


def count_rows(answer: dict[str, Any]) -> None:
    """Counts the rows that are shown."""
    answer["row_count"] = len(answer["rows"])


TOOLS: Final = (
    Verb(
        methods=("save",),
        tool="memory_save",
        command="save",
        effect="writes",
        aliases=("memory.save", "pce.memory.upsert"),
    ),
    Verb(
        methods=("list", "get"),
        tool="memory_list",
        aliases=("memory.list",),
        ignores=("kind", "limit"),
        lists=("items",),
    ),
    Verb(methods=("delete",), tool="memory_delete", command="delete", effect="destroys", aliases=("memory.delete",)),
    Verb(
        methods=("search",),
        tool="memory_search",
        command="search",
        aliases=("memory.search", "pce.memory.search"),
        alias_defaults={"pce.memory.search": {"rank": "final"}},
        explains=("explain", _EXPLAIN),
        lists=("items",),
    ),
    Verb(methods=("vector_search",), tool="vector_search", command="similar", lists=("results",)),
    Verb(
        methods=("activate", "context"),
        tool="memory_activate",
        effect="writes",
        aliases=("memory.activate", "pce.memory.activate"),
        ignores=("top_k",),
        most="top_k",
        explains=("explain", _EXPLAIN),
        lists=("items",),
        resumes=lambda context, _: context.id if context.is_kept else None,
        resumed_by="active_context_id",
        texts={"active_context_id": "Read this active context again, instead of a query."},
    ),
    Verb(
        methods=("feedback",),
        tool="memory_feedback",
        command="feedback",
        effect="writes",
        aliases=("memory.feedback", "pce.memory.feedback"),
    ),
    Verb(
        methods=("relate",),
        tool="memory_relation_save",
        command="relate",
        effect="writes",
        aliases=("memory.relation.save",),
    ),
    Verb(
        methods=("relations", "walk"),
        tool="memory_relation_list",
        aliases=("memory.relation.list", "memory.relation.graph"),
        lists=("edges",),
        mend=ends_of_shown,
        texts={
            "start_memo_id": "Walk the graph from this memo instead of listing.",
            "depth": "How many steps a walk takes from start_memo_id.",
            "direction": "Which way a walk follows relations.",
        },
    ),
    Verb(
        methods=("unrelate",),
        tool="memory_relation_delete",
        command="unrelate",
        effect="destroys",
        aliases=("memory.relation.delete",),
    ),
    Verb(
        methods=("find_insight", "apply_insight", "undo_insight", "insight_plan"),
        tool="find_insight",
        command="insight",
        effect="writes",
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
            "undo_plan_id": "Instead of a search: take back the relations that this plan made.",
            "plan_id": "Instead of a search: read this plan again.",
        },
    ),
    Verb(
        methods=("metabolize",),
        tool="metabolize",
        command="metabolize",
        effect="destroys",
        lists=("weakest", "examples", "thinnest", "conflicts", "settings", "removed"),
        resumes=lambda plan, _: "" if plan.state == "planned" else None,
    ),
    Verb(methods=("restore",), tool="restore", command="restore", effect="writes", lists=("node_ids", "skipped")),
    Verb(
        methods=("add_evidence",),
        tool="add_evidence",
        effect="writes",
        lists=("claims", "fragments"),
        resumes=lambda *_: "",
    ),
    Verb(methods=("query_graph",), tool="query_graph", lists=("rows",), mend=count_rows, group="options"),
    Verb(methods=("views", "query_view"), tool="query_view", lists=("rows", "views"), mend=count_rows),
    Verb(methods=("status",), tool="get_status", command="status", lists=("tasks",)),
    Verb(methods=("create_task",), tool="create_task", command="task create", effect="writes"),
    Verb(methods=("update_task",), tool="update_task", command="task update", effect="writes"),
    Verb(
        methods=("namespaces",),
        tool="list_namespaces",
        command="namespaces",
        aliases=("memory.list_namespaces",),
        lists=("items",),
    ),
    Verb(methods=("apply_policy",), tool="policy_apply", effect="destroys", aliases=("pce.memory.policy.apply",)),
    Verb(
        methods=("validate_boundary",),
        tool="boundary_validate",
        command="boundary",
        aliases=("pce.memory.boundary.validate",),
        lists=("redacted",),
    ),
)
BY_NAME: Final = {name: verb for verb in TOOLS for name in (verb.tool, *verb.aliases)}
_PEOPLE: Final = {
    "list": "list", "get": "get", "context": "context", "relations": "relations", "walk": "walk",
    "reinforce": "reinforce", "rename_namespace": "rename", "add_documents": "add", "correct_edge": "correct",
    "reject_claim": "reject", "query_graph": "sql", "apply_policy": "policy", "reclassify": "reclassify",
    "calibrate": "calibrate", "sweep": "sweep", "export": "export", "import_": "import", "backup": "backup",
    "reindex": "reindex", "embed": "embed", "reembed": "reembed", "info": "info", "doctor": "doctor",
}  # fmt: skip
COMMANDS: Final = (
    *(verb for verb in TOOLS if verb.command),
    Verb(methods=("activate",), command="activate", explains=("explain", _EXPLAIN)),
    Verb(methods=("views", "query_view"), command="view"),
    Verb(methods=("privacy", "choose_privacy"), command="privacy"),
    *(Verb(methods=(method,), command=command) for method, command in _PEOPLE.items()),
)
# These verbs have no row of their own: another row runs them, or a command with an option.
WITHIN: Final = {"policy": "policy", "render_view": "view --sql", "restore_claim": "reject --restore"}
