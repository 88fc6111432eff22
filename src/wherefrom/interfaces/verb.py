"""What a row of the table of verbs is, and how its verb is run with arguments by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, get_type_hints

from wherefrom.api import Memory
from wherefrom.interfaces.answering import answer_of
from wherefrom.interfaces.inputs import Input, input_of
from wherefrom.interfaces.shape import Answer
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import Param, Parameter, parameters_of

_CURSOR: Final = Param("next_cursor of the page before, with the same arguments.")


@dataclass(frozen=True, kw_only=True)
class Verb:
    """One row: which verb of `Memory` it runs, and as which tool and which command.

    methods: the verb; others after it run instead when their first parameter is given. ignores: parameters that such
    another verb need not take. explains: an option that only changes what is shown, with its sentence.
    lists: the keys of the answer that are paged, in this order. mend: puts right what depends on a page's entries.
    resumes: how the rest of a long answer is asked for: by the same call again ({}, as for all verbs that only read),
    by an argument that names what is stored, or not at all (None); told the result and how many entries were shown.
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
    resumes: Callable[[Any, int], Mapping[str, str] | None] | None = None
    resumed_by: str = ""
    """The parameter that names what is stored of a long answer."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What this row says of parameters that mean more here than in the verb itself."""
    most: str = ""
    """The parameter that says how many entries a page has at most, where the verb does not see to it."""
    mend: Callable[[dict[str, Any]], None] | None = None
    group: str = ""
    """The object that holds all parameters of the tool but the first."""

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """All parameters by field; what only some of the verbs take need not be given."""
        found: dict[str, Parameter] = {}
        others = self.methods[1:]
        for method in self.methods:
            for each in parameters_of(getattr(Memory, method)).values():
                known = replace(each, default=None, is_optional=True) if others and each.is_required else each
                if text := self.texts.get(each.name):
                    known = replace(known, param=replace(known.param, text=text))
                found.setdefault(each.name, known)
        return found

    @cached_property
    def answer(self) -> type[Answer]:
        """What the tool answers: what becomes of a result of its first verb."""
        return answer_of(get_type_hints(getattr(Memory, self.methods[0]))["return"])

    @cached_property
    def input(self) -> type[Input]:
        """What the tool takes."""
        declared = {each.name: each for each in self.parameters.values() if each.param.only != "people"}
        if self.explains is not None:
            name, param = self.explains
            declared[name] = Parameter(name, bool, False, False, False, param)
        if self.lists and "cursor" not in declared and (self.effect == "reads" or self.resumes is not None):
            declared["cursor"] = Parameter("cursor", str, True, None, False, _CURSOR)
        return input_of(declared, group=self.group)

    def rest_of(self, result: Any, end: int) -> Mapping[str, str] | None:
        """How the rest of a long answer is asked for, from this entry on."""
        if self.resumes is not None:
            return self.resumes(result, end)
        return {} if self.effect == "reads" else None

    def run(self, memory: Memory, given: Mapping[str, Any], **more: Any) -> Any:
        """Run the verb that the given arguments mean. `more` are arguments by their names in Python."""
        method = self.chosen(given)
        declared = {each.name: each for each in parameters_of(getattr(Memory, method)).values()}
        known = {*declared, *self.ignores}
        if refused := [name for name in given if name not in known and self._says(name, given[name])]:
            raise self._refusal(method, refused)
        arguments = {declared[name].python: value for name, value in given.items() if name in declared}
        given_here = {*arguments, *more}
        if lacking := [each.name for each in declared.values() if each.is_required and each.python not in given_here]:
            others = map(_selector, self.methods[1:])
            raise InvalidInput(f"give {' and '.join(lacking)}{''.join(f', or {other}' for other in others)}")
        return getattr(memory, method)(**arguments, **more)

    def takes(self, name: str, given: Mapping[str, Any]) -> bool:
        """Whether the verb that the given arguments mean takes this one, too."""
        return name in _names(self.chosen(given))

    def _says(self, name: str, value: Any) -> bool:
        """Whether a value asks for something: many clients fill in what an argument is anyway."""
        return value is not None and (name not in self.parameters or value != self.parameters[name].default)

    def chosen(self, given: Mapping[str, Any]) -> str:
        """The verb that the given arguments mean: the first, unless the first parameter of another one is given."""
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


def again(result: object, end: int) -> Mapping[str, str]:
    """The rest of a long answer comes by the same call."""
    del result, end
    return {}


def _selector(method: str) -> str:
    """The parameter that chooses a verb among several: its first."""
    return _names(method)[0]


def _names(method: str) -> list[str]:
    return [each.name for each in parameters_of(getattr(Memory, method)).values()]
