"""A row of the table of verbs as a command: its declared parameters as arguments and options."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand

from wherefrom.interfaces.cli.app import help_end
from wherefrom.interfaces.cli.last_list import meant_by
from wherefrom.interfaces.cli.session import Call, reported
from wherefrom.interfaces.cli.special import SPECIALS
from wherefrom.interfaces.opening import open_memory, refuse_absent
from wherefrom.interfaces.request_ids import valid_ids_of
from wherefrom.interfaces.verbs import COMMANDS, Verb
from wherefrom.model import stand_ins
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import REQUIRED, Parameter
from wherefrom.storage.events import tracing

COMMON: Final = {
    "db": Annotated[
        str | None,
        typer.Option("--db", metavar="URL", help="Path, sqlite:///…, postgresql://… or a service's https://…."),
    ],
    "owner": Annotated[str | None, typer.Option("--owner", metavar="TEXT", help="Whose memory it is.")],
    "root": Annotated[
        str | None, typer.Option("--root", metavar="NAMESPACE", help="Namespace that this access may not leave.")
    ],
    "also": Annotated[list[str] | None, typer.Option("--also", metavar="NAMESPACE", help="Further one to read.")],
    "allow": Annotated[list[str] | None, typer.Option("--allow", metavar="TAG", help="Tag that this access holds.")],
    "as_json": Annotated[bool, typer.Option("--json", help="Answer in JSON.")],
}
# Arguments that a command need not have, as one of its options can replace them.
_OPTIONAL: Final = {"add": "sources", "sql": "sql"}
# Commands that change a store and have nothing to do where there is none: they make no new file.
_NEED_A_STORE: Final = frozenset(("distribute",))
# Commands that only read unless this is given.
_READ_WITHOUT: Final = {"policy": "file", "privacy": "privacy", "rules": "confirm", "upkeep": "action"}


class VerbCommand(TyperCommand):
    """A command whose help lists its own options before those that all commands have."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        records = {param: param.get_help_record(ctx) for param in self.get_params(ctx)}
        for title, wanted in _SECTIONS.items():
            if rows := [record for param, record in records.items() if record is not None and wanted(param)]:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _is_common(param: Any) -> bool:
    return param.name in (*COMMON, "help")


_SECTIONS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "Arguments": lambda param: param.param_type_name == "argument",
    "Options": lambda param: param.param_type_name == "option" and not _is_common(param),
    "Options of every command": _is_common,
}


@cache
def command_of(command: str) -> Any:
    """The command of this name, with all its options."""
    (verb,) = (verb for verb in COMMANDS if verb.command == command)
    alone = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    make = alone.command(command.split()[-1], cls=VerbCommand, epilog=help_end(command))
    make(_function(verb, SPECIALS.get(command)))
    return typer.main.get_command(alone)


def _function(verb: Verb, special: Callable[..., None] | None) -> Callable[..., None]:
    """Return the function that Typer makes a command of, with the options of a verb and of its special function."""
    parameters = inspect.signature(special, eval_str=True).parameters if special else {}
    own = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in list(parameters.values())[1:]]

    def run(**given: Any) -> None:
        opened = {option: given.pop(option) for option in COMMON}
        as_json = opened.pop("as_json")
        opened["url"] = opened.pop("db")
        more = {option.name: given.pop(option.name) for option in own}
        with tracing(valid_ids_of(given)), stand_ins.noting(), reported(as_json=as_json):
            values = _values(verb, given)
            explain = bool(values.pop(verb.explains[0], False)) if verb.explains else False
            unless = _READ_WITHOUT.get(verb.command)
            writes = verb.effect != "reads" if unless is None else {**values, **more}.get(unless) is not None
            with open_memory(**opened, create=writes and verb.command not in _NEED_A_STORE) as memory:
                refuse_absent(memory, verb.methods)
                call = Call(verb, memory, opened, as_json, values, explain)
                special(call, **more) if special else call.show(call.run())

    declared = [_option(parameter) for parameter in _parameters(verb)]
    common = [_keyword(name, kind, False if name == "as_json" else None) for name, kind in COMMON.items()]
    run.__doc__ = (special and inspect.getdoc(special)) or verb.summary
    run.__signature__ = inspect.Signature([*own, *declared, *common])  # type: ignore[attr-defined]
    return run


def _parameters(verb: Verb) -> list[Parameter]:
    """Return the parameters of a verb that people may give."""
    declared = [parameter for parameter in verb.parameters.values() if parameter.param.only != "agents"]
    optional = _OPTIONAL.get(verb.command)
    return [replace(known, default=None) if known.python == optional else known for known in declared]


def _values(verb: Verb, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the command line gave, by field: JSON is read, `@1` is looked up, what was not given is left out."""
    values: dict[str, Any] = {}
    for declared in _parameters(verb):
        value = given.get(declared.name)
        if value is not None and value != declared.default:
            value = _meant(value) if declared.param.refers else value
            is_json = get_origin(declared.kind) is Mapping
            values[declared.name] = _json_object(value, declared) if is_json else value
    return values


def _meant(given: Any) -> Any:
    """Return the id, or the list of ids, that is meant."""
    return [meant_by(entry) for entry in given] if isinstance(given, list) else meant_by(given)


def _option(declared: Parameter) -> inspect.Parameter:
    param, kind = declared.param, _typed(declared.kind)
    settings: dict[str, Any] = {"help": _help(declared), "metavar": param.metavar or _metavar(declared)}
    if declared.is_positional if not param.option else not param.option.startswith("-"):
        info: Any = typer.Argument(**settings)
    else:
        spelled = param.option or "--" + declared.python.replace("_", "-")
        info = typer.Option(*spelled.split(","), **settings)
    default = declared.default
    if default is REQUIRED:
        default = inspect.Parameter.empty
    elif isinstance(default, tuple) or default is None:
        kind, default = kind | None, None
    return _keyword(declared.name, Annotated[kind, info], default)


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _typed(kind: Any) -> Any:
    if kind in (int, float, bool, str, Path):
        return kind
    if get_origin(kind) is Sequence:
        return list[str]
    return Path if Path in get_args(kind) else str


def words_of(declared: Parameter) -> tuple[str, ...]:
    """Return the words that a parameter may be, if it is one of a few."""
    inner = get_args(declared.kind)[0] if get_origin(declared.kind) is Sequence else declared.kind
    return (declared.param.words or get_args(inner)) if get_origin(inner) is Literal else ()


def _metavar(declared: Parameter) -> str | None:
    """Return what stands for the value of an option in the help; an argument is named by what it is."""
    if get_origin(declared.kind) is Mapping:
        return "JSON"
    if declared.is_positional and not declared.param.option:
        return declared.name.upper()
    if declared.kind in (int, float):
        return "NUMBER"
    return None if declared.kind is bool else "WORD" if words_of(declared) else "TEXT"


def _help(declared: Parameter) -> str:
    param, kind = declared.param, declared.kind
    if words := words_of(declared):
        return f"{param.text} One of {', '.join(words)}.".strip()
    if param.low is not None and param.high is not None and kind is int:
        return f"{param.text} From {param.low:,} to {param.high:,}."
    if param.refers in ("node", "any"):
        return f"{param.text} Or the last 6 characters of its id, its title, or @1: the first of the last list."
    return f"{param.text} The last 6 characters of its id will do." if param.refers else param.text


def _json_object(text: str, declared: Parameter) -> dict[str, Any]:
    option = (declared.param.option or f"--{declared.python}").split(",")[0]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(f"{option} is not JSON", hint='for example \'{"source": "meeting"}\'') from None
    if not isinstance(value, dict):
        raise InvalidInput(f"{option} must be a JSON object")
    return value
