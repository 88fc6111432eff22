"""Writes the reference pages from the code. `python -m docs.generate`; a test fails when they fall behind."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer.main

from wherefrom import config, config_file
from wherefrom.api.upkeep_settings import UpkeepSettings
from wherefrom.explore.settings import ExploreSettings
from wherefrom.insight.settings import InsightSettings
from wherefrom.interfaces.cli.app import app, entry_of, groups
from wherefrom.interfaces.cli.commands import COMMON
from wherefrom.interfaces.cli.session import EXIT_CODES
from wherefrom.interfaces.inputs import schema_of
from wherefrom.interfaces.mcp.server import instructions
from wherefrom.interfaces.mcp.tools import listed
from wherefrom.interfaces.paging import CEILING_BYTES
from wherefrom.interfaces.verbs import TOOLS, Verb
from wherefrom.metabolism.settings import MetabolismSettings
from wherefrom.model import errors, limits
from wherefrom.model.graph import Scope
from wherefrom.model.metabolism import EVIDENCE_TAGS
from wherefrom.model.param import Parameter
from wherefrom.policy import document, invariants
from wherefrom.policy.settings import Settings, item_of, keys_of
from wherefrom.recall.settings import Calibration, RecallSettings

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by `make docs`; do not edit. -->\n\n"


def main() -> None:
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Each reference page and its text."""
    found = {
        "tools.md": tools(),
        "cli.md": commands(),
        "settings.md": settings(),
        "policy.md": policy(),
        "errors.md": error_codes(),
    }
    return {name: NOTE + text for name, text in found.items()}


def tools() -> str:
    """The page of the tools, from the table of verbs and from what `tools/list` shows."""
    parts = [
        "# MCP tools\n",
        "`wherefrom mcp --tools memory|graph|research|upkeep|all` says which sets are listed (several are joined by "
        "commas; without it `memory`); whatever is listed, every tool can be called by its name and aliases.\n",
        "Answers are lean: nulls, usual values and what only programs need are left out, ids are shortened to their "
        'last characters, and a long text is shown by one passage (`offset`, `length`). `detail="full"` gives every '
        "key that is named below. The schemas of answers are listed for query_graph, query_view and vector_search, "
        "and with `--schemas` for all; only then is there a structured copy beside the text.\n",
        f"No answer weighs more than {CEILING_BYTES:,} bytes on the wire; what does not fit is reached with "
        "`next_cursor`, by the same call with `cursor`. Unknown inputs are refused. Names of inputs may be written in "
        "camelCase, too. Every tool takes `request_id` and `trace_id`, and every answer has them. An id may be given "
        "by its last characters, from 6 on, and a memo by its title.\n",
        "The server tells the agent:\n",
        "```text\n" + instructions() + "\n```\n",
    ]
    for verb in TOOLS:
        tool = listed(verb, schemas=True)
        parts.append(f"## `{verb.tool}` ({verb.tools})\n\n{tool.description}\n")
        parts.append("| input | type | default | |\n|---|---|---|---|")
        schema = schema_of(verb.input)
        schema["properties"] = {
            name: {**value, "description": f"{value.get('description', '')} Accepted, and not listed.".strip()}
            if name in verb.not_listed
            else value
            for name, value in schema["properties"].items()
        }
        also = _aliases(verb)
        parts += _inputs(schema["properties"], schema.get("required", []), schema.get("$defs", {}), also)
        keys = [name for name in tool.output_schema["properties"] if name not in _EVERYWHERE]
        last = [name for name in _EVERYWHERE[2:] if name in tool.output_schema["properties"]]
        parts.append(f"\nAnswers {_choices([*keys, *last])}.")
        if verb.aliases:
            parts.append(f"Also answers to {_choices(verb.aliases)}.")
        if verb.command:
            parts.append(f"On the command line: [`wherefrom {verb.command}`](cli.md).")
        parts.append("")
    return "\n".join(parts)


def _aliases(verb: Verb) -> Mapping[str, Sequence[str]]:
    """The other names that the inputs of a tool have."""
    declared = {name: parameter.param for name, parameter in verb.parameters.items()}
    if verb.explains is not None:
        declared |= dict([verb.explains])
    return {name: param.aliases for name, param in declared.items()}


def _inputs(
    properties: Mapping[str, Any],
    required: Sequence[str],
    shapes: Mapping[str, Any],
    also: Mapping[str, Sequence[str]],
    above: str = "",
) -> list[str]:
    """A row for each input; the fields of an object, or of the objects in a list, follow it."""
    rows = []
    for name, schema in properties.items():
        default = "required" if name in required else f"`{json.dumps(schema.get('default'))}`"
        inner = [shapes[reference] for reference in _references(schema) if reference in shapes]
        kind = ("list of objects" if "array" in _type(schema) else "object") if inner else _type(schema)
        default = default if len(default) < 60 else ""
        text = " ".join(filter(None, (schema.get("description"), _also(also.get(name, ())))))
        rows.append(f"| `{above}{name}` | {kind} | {default} | {text} |")
        for shape in inner:
            rows += _inputs(shape["properties"], shape.get("required", []), shapes, also, f"{above}{name}.")
    return rows


def _also(aliases: Sequence[str]) -> str:
    return f"Also {_choices(aliases)}." if aliases else ""


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        found = [schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else []
        return found + [name for value in schema.values() for name in _references(value)]
    return [name for item in schema for name in _references(item)] if isinstance(schema, list) else []


def commands() -> str:
    """The page of the commands, from the command line itself."""
    opening = ", ".join(f"`--{name}`" for name in COMMON if name != "as_json")
    parts = [
        "# Command line\n",
        f"Every command that opens a memory takes {opening} and `--json`; [settings](settings.md) says what they mean. "
        "`--also` and `--allow` may be given more than once.\n",
    ]
    group = typer.main.get_command(app)
    known = dict(group.commands)  # type: ignore[attr-defined]
    for name, inner in list(known.items()):
        if hasattr(inner, "commands"):
            known |= {f"{name} {sub}": command for sub, command in inner.commands.items()}
            del known[name]
    for title, entries in groups().items():
        parts.append(f"## {title}\n")
        for name in entries:
            parts += _command(name, known.get(name) or group.commands[name])  # type: ignore[attr-defined]
    parts.append(
        "## Exit codes\n\n| code | |\n|---|---|\n| 0 | done |\n| 1 | `doctor` found something, or a fault of ours |"
    )
    parts += [f"| {code} | {meaning} (`{kind.code}`) |" for kind, code, meaning in EXIT_CODES]
    parts.append("| 130 | interrupted |\n| 141 | the reader of the output went away |\n")
    return "\n".join(parts)


def _command(name: str, command: Any) -> list[str]:
    """A command with its options and examples."""
    usage = " ".join(_argument(p) for p in command.params if p.param_type_name == "argument")
    parts = [f"### `wherefrom {name}{' ' + usage if usage else ''}`\n\n{(command.help or '').strip()}\n"]
    own = [p for p in command.params if p.param_type_name == "option" and p.name not in (*COMMON, "help")]
    if own:
        parts.append("| option | |\n|---|---|")
        parts += [f"| `{', '.join(p.opts)}` | {p.help or ''} |" for p in own]
        parts.append("")
    entry = entry_of(name)
    return [*parts, "```sh\n" + "\n".join(entry.examples if entry else ()) + "\n```\n"]


def settings() -> str:
    parts = [
        "# Settings\n",
        "What the call gives holds; then the environment; then your configuration file; then the default. The file is "
        f"`config.toml` in your config folder (`wherefrom config path` prints where), or what `{config_file.VARIABLE}` "
        "names: TOML with the settings as keys, lists as arrays of texts. `wherefrom config` shows what is in force and "
        "where it comes from ([how](../how-to/command-line.md#settings-in-a-file)).\n",
        "| setting | variable | default | |\n|---|---|---|---|",
    ]
    parts += [
        f"| `{s.name}` | `{config.variable_of(s.name)}` | {f'`{s.default}`' if s.default != '' else 'empty'} | {s.metadata['description']} |"
        for s in config.SETTINGS
    ]
    sizes = {name: value for name, value in vars(limits).items() if name.isupper()}
    parts.append("\n# Limits\n\n| limit | value |\n|---|---|")
    parts += [f"| {name.lower().replace('_', ' ')} | {value:,} |" for name, value in sizes.items()]
    return "\n".join(parts) + "\n"


def policy() -> str:
    """Every key of a policy: from the packaged policy, and from the dataclasses that declare rules and settings."""
    parts = [
        "# Policy\n",
        "A policy is one YAML document of at most "
        f"{limits.POLICY_BYTES:,} bytes. Keys that it leaves out have the default; keys that are not listed here are "
        "refused, with their line. Anchors, aliases and tags of YAML are refused as well. What a policy does is in "
        "[the boundary](../concepts/boundary.md) and [recall](../concepts/recall.md), how to apply one in "
        "[policies](../how-to/policies.md).\n",
        "The packaged policy:\n",
        "```yaml\n" + document.default_text().rstrip() + "\n```\n",
        "## `version`\n\nRequired: MAJOR.MINOR.PATCH, such as `1.0.0`. A version that a namespace once had stays "
        "what it was.\n",
        *_policy_rules(),
        f"## `retrieval`\n\n{_told(RecallSettings)}\n",
        *_presets(RecallSettings),
        *_policy_settings(RecallSettings),
        f"## `explore`\n\n{_told(ExploreSettings)}\n",
        *_presets(ExploreSettings),
        *_policy_settings(ExploreSettings),
        "## `insight`\n\nWhich relations [insight](../concepts/insight.md) looks for, and which of them it accepts. Within "
        "one policy, with the default for a key that it leaves out, `theta_cand` is at most `theta_link`, `warm_up` is at "
        "most `window`, and the modes `l3` and `hybrid` need `allow_autocand: true`. Where the policies of several "
        "namespaces meet and this does not hold, `theta_link` is raised, `warm_up` is lowered, and the mode is `l1`.\n",
        *_policy_settings(InsightSettings),
        f"## `metabolism`\n\n{_told(MetabolismSettings)}\n",
        *_policy_settings(MetabolismSettings),
        "A call of metabolism may give any of them but `exclusive` for one run. In tags, capital letters do not count, "
        "nor whether words are joined by a space, a hyphen or an underscore. Evidence is "
        f"{_choices(EVIDENCE_TAGS)}.\n",
        f"Exclusive without a list: {_choices(MetabolismSettings().exclusive)}.\n",
        f"## `upkeep`\n\n{_told(UpkeepSettings)} [How it works](../how-to/upkeep.md).\n",
        *_policy_settings(UpkeepSettings),
        f"## `calibration`\n\n{_told(Calibration)} All four keys are needed.\n",
        *_policy_settings(Calibration),
    ]
    return "\n".join(parts)


_POLICY_TABLE = "| key | default | may be | |\n|---|---|---|---|"


def _policy_rules() -> list[str]:
    parts = []
    for section, about in (
        ("scopes", _told(document.ScopeRule)),
        ("boundary_classes", f"{_told(document.ClassRule)} No policy opens `secret`."),
        ("detect", "How restricted a text is in which something was found."),
        ("secrets", "A text saved in class `secret`, and one that holds nothing but a secret, is refused either way."),
    ):
        parts += [f"## `{section}`\n\n{about}\n", _POLICY_TABLE]
        for key, rule in keys_of(document.Rules, "").items():
            if key.partition(".")[0] == section:
                parts.append(_policy_row(key, rule, document.default_values()[key]))
        parts.append("")
    return [
        *parts,
        f"## `invariants`\n\n{_told(document.Invariant)}\n",
        "| key | default | may be |\n|---|---|---|",
        f"| `invariants` | `[]` | a list of at most {document.MAX_INVARIANTS} |",
        f"| `name` | required | letters, digits and `_ - . :`, at most {document.NAME_CHARACTERS} characters |",
        f"| `applies_to` | `['*']` | some of {_choices(get_args(Scope))}, or `['*']` alone |",
        f"| `rule` | required | CEL, at most {invariants.RULE_CHARACTERS:,} characters |",
        "",
        f"Functions: {_choices(('has', 'all', 'exists', *invariants.FUNCTIONS))}. At most {invariants.MACROS} `all` and "
        f"`exists` in a rule, each at most {invariants.PREDICATE_CHARACTERS} characters and none inside another; at most "
        f"{invariants.PATTERNS} `matches`, each with a pattern in quotes of at most {invariants.PATTERN_CHARACTERS} "
        f"characters that repeats at most {invariants.REPETITIONS} times. A rule with `all` or `exists` does not hold "
        f"for metadata with more than {invariants.VALUES:,} values in all.\n",
    ]


def _policy_settings(kind: type[Settings]) -> list[str]:
    """The keys of an engine's settings, in a table for each part of them."""
    parts, last = [], ""
    for key, setting in keys_of(kind, kind.SECTION).items():
        names = key.split(".")
        section = ".".join(names[:2]) if len(names) > 2 else kind.SECTION
        if section != last:
            told = [f"### `{section}`\n\n{_told(getattr(kind(), names[1]))}\n"] if len(names) > 2 else []
            parts += [*([""] if last else []), *told, _POLICY_TABLE]
            last = section
        parts.append(_policy_row(key, setting, setting.default))
    return [*parts, ""]


def _policy_row(key: str, parameter: Parameter, default: Any) -> str:
    shown = "the list below" if key == "metabolism.exclusive" else _value(default)
    also = f" Also read as {_choices(parameter.param.aliases)}." if parameter.param.aliases else ""
    allowed = f"{_value(document.FIXED[key][0])} only" if key in document.FIXED else _allowed(parameter)
    return f"| `{key}` | {shown} | {allowed} | {parameter.param.text}{also} |"


def _allowed(parameter: Parameter) -> str:
    """The values that a key of a policy may have, in words."""
    kind, param = parameter.kind, parameter.param
    if kind is bool:
        return "true or false"
    if kind in (int, float):
        return parameter.range
    if get_origin(kind) is Literal:
        return _choices(get_args(kind))
    if kind is str:
        return f"text of at most {param.high:g} characters{', or null' * parameter.is_optional}"
    items = [item_of(hint) for hint in get_args(kind) if hint is not ...]
    if len(items) == 2:
        first, second = map(_allowed, items)
        return f"two values, each {first}" if first == second else f"two values: {first}; {second}"
    return f"{param.low:g} to {param.high:g} values, each {_allowed(items[0])}"


def _told(documented: object) -> str:
    """What the code says about it, in YAML's words."""
    return (inspect.getdoc(documented) or "").replace("None", "null").replace('("*",)', "`['*']`")


def _presets(kind: type[Settings]) -> list[str]:
    rows = (f"| `{name}` | {_preset(values)} |" for name, values in kind.PRESETS.items())
    return ["| preset | sets |\n|---|---|", *rows, ""]


def _preset(values: Mapping[str, Any]) -> str:
    return ", ".join(f"`{key}: {value}`" for key, value in values.items()) or "nothing: the defaults"


def _choices(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _value(value: Any) -> str:
    match value:
        case None:
            return "`null`"
        case bool():
            return f"`{str(value).lower()}`"
        case float():
            return f"`{value:g}`"
        case tuple() | list():
            return f"`[{', '.join(f'{part:g}' if isinstance(part, float) else str(part) for part in value)}]`"
        case _:
            return f"`{value}`"


def error_codes() -> str:
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.WherefromError)]
    parts = [
        "# Errors\n",
        "Over MCP an error is a result with `isError` and the text "
        '`{"error": {"code", "message", "hint"}}`; on the command line it is `code: message` on standard error, '
        "or the same JSON with `--json`. `internal_error` means a fault of ours; the server's log has the details.\n",
        "| code | Python class | when |\n|---|---|---|",
    ]
    parts += [
        f"| `{c.code}` | `{c.__name__}` | {inspect.getdoc(c)} |" for c in classes if c is not errors.WherefromError
    ]
    return "\n".join(parts) + "\n"


def _argument(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name).upper()
    return name if parameter.required else f"[{name}]"


def _type(schema: Mapping[str, Any]) -> str:
    """A type in words, with its range."""
    names = [_plain_type(option) for option in schema.get("anyOf", [schema])]
    return " or ".join(name for name in names if name != "null")


def _plain_type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    kind = str(schema.get("type", "any"))
    if kind == "array":
        inner = schema.get("items", {})
        return f"array of {_type(inner)}" if "type" in inner else kind
    low, high = schema.get("minimum"), schema.get("maximum")
    return kind if low is None or high is None else f"{kind}, {_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


# Keys that all answers have, and those that come last.
_EVERYWHERE = ("request_id", "trace_id", "next_cursor", "truncated")


if __name__ == "__main__":
    main()
