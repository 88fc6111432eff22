"""A verb as a command: its declared parameters as arguments and options."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from wherefrom.interfaces.verb import Verb
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import REQUIRED, Parameter


def options_of(verb: Verb, *, optional: str = "", without: str = "") -> list[inspect.Parameter]:
    """The options of a verb's command. `optional` need not be given, `without` cannot be."""
    declared = [each for each in _declared(verb) if each.python != without]
    return [_option(replace(each, default=None) if each.python == optional else each) for each in declared]


def values_of(verb: Verb, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the command line gave, by field: JSON is read, and what was not given is left out."""
    values = {}
    for declared in _declared(verb):
        value = given.get(declared.name)
        if value is not None and value != declared.default:
            is_json = get_origin(declared.kind) is Mapping
            values[declared.name] = _json_object(value, declared) if is_json else value
    return values


def _declared(verb: Verb) -> list[Parameter]:
    declared = [each for each in verb.parameters.values() if each.param.only != "agents"]
    if verb.explains is not None:
        name, param = verb.explains
        declared.append(Parameter(name, bool, False, False, False, param))
    return declared


def _option(declared: Parameter) -> inspect.Parameter:
    param, kind = declared.param, _typed(declared.kind)
    settings: dict[str, Any] = {"help": _help(declared), "metavar": param.metavar or None}
    if get_origin(declared.kind) is Mapping:
        settings["metavar"] = "JSON"
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
    return inspect.Parameter(
        declared.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _typed(kind: Any) -> Any:
    if kind in (int, float, bool, str, Path):
        return kind
    if get_origin(kind) is Sequence:
        return list[str]
    return Path if Path in get_args(kind) else str


def _help(declared: Parameter) -> str:
    param, kind = declared.param, declared.kind
    inner = get_args(kind)[0] if get_origin(kind) is Sequence else kind
    if get_origin(inner) is Literal:
        return f"{param.text} One of {', '.join(param.words or get_args(inner))}.".strip()
    if param.low is not None and param.high is not None and kind is int:
        return f"{param.text} From {param.low:,} to {param.high:,}."
    return param.text


def _json_object(text: str, declared: Parameter) -> dict[str, Any]:
    option = (declared.param.option or f"--{declared.python}").split(",")[0]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(f"{option} is not JSON", hint='for example \'{"source": "meeting"}\'') from None
    if not isinstance(value, dict):
        raise InvalidInput(f"{option} must be a JSON object")
    return value
