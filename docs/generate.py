"""Writes the reference pages from the code. `python -m docs.generate`; a test fails when they fall behind."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer.main

from wherefrom import config
from wherefrom.interfaces.cli.app import app
from wherefrom.interfaces.cli.session import COMMON, EXIT_CODES
from wherefrom.interfaces.mcp.tools import instructions, listed
from wherefrom.interfaces.paging import CEILING_BYTES
from wherefrom.interfaces.verb import Verb
from wherefrom.interfaces.verbs import TOOLS
from wherefrom.model import errors, limits
from wherefrom.model.graph import BOUNDARY_CLASSES
from wherefrom.model.metabolism import EVIDENCE_TAGS
from wherefrom.policy import (
    document,
    invariants,
    linking,
    linking_kinds,
    metabolism,
    metabolism_kinds,
    nodes,
    reading,
    retrieval,
    tuning,
)

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
        f"No answer weighs more than {CEILING_BYTES:,} bytes on the wire, text and structured copy together; what does "
        "not fit is reached with `next_cursor`, by the same call with `cursor`. Unknown inputs are refused. Names of "
        "inputs may be written in camelCase, too. Every tool takes `request_id` and `trace_id`, and every answer has "
        "them.\n",
        "The server tells the agent:\n",
        "```text\n" + instructions() + "\n```\n",
    ]
    for verb in TOOLS:
        tool = listed(verb)
        parts.append(f"## `{verb.tool}`\n\n{tool.description}\n")
        parts.append("| input | type | default | |\n|---|---|---|---|")
        schema = tool.input_schema
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
    declared = {name: each.param for name, each in verb.parameters.items()}
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
        inner = [shapes[each] for each in _references(schema) if each in shapes]
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
    for name, command in sorted(known.items()):
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(_argument(p) for p in arguments)
        parts.append(f"## `wherefrom {name}{' ' + usage if usage else ''}`\n\n{(command.help or '').strip()}\n")
        own = [p for p in command.params if p.param_type_name == "option" and p.name not in (*COMMON, "help")]
        if own:
            parts.append("| option | |\n|---|---|")
            parts += [f"| `{', '.join(p.opts)}` | {p.help or ''} |" for p in own]
            parts.append("")
    parts.append(
        "## Exit codes\n\n| code | |\n|---|---|\n| 0 | done |\n| 1 | `doctor` found something, or a fault of ours |"
    )
    parts += [f"| {code} | {meaning} (`{kind.code}`) |" for kind, code, meaning in EXIT_CODES]
    parts.append("| 130 | interrupted |\n| 141 | the reader of the output went away |\n")
    return "\n".join(parts)


def settings() -> str:
    parts = [
        "# Settings\n",
        "What the call gives holds; then the environment; then the default.\n",
        "| setting | variable | default | |\n|---|---|---|---|",
    ]
    parts += [
        f"| `{s.name}` | `{s.variable}` | {f'`{s.default}`' if s.default != '' else 'empty'} | {s.description} |"
        for s in config.SETTINGS
    ]
    sizes = {name: value for name, value in vars(limits).items() if name.isupper()}
    parts.append("\n# Limits\n\n| limit | value |\n|---|---|")
    parts += [f"| {name.lower().replace('_', ' ')} | {value:,} |" for name, value in sizes.items()]
    return "\n".join(parts) + "\n"


def policy() -> str:
    """Every key of a policy: from the packaged policy, what reads it, and the dataclasses of its parameters."""
    low, high = tuning.POINTS
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
        "## `retrieval`\n",
        "| key | default | may be |\n|---|---|---|\n"
        f"| `retrieval.preset` | `measured` | {_choices(tuple(retrieval.PRESETS))} |\n",
        "A preset stands for the values below; keys given beside it win.\n",
        "| preset | sets |\n|---|---|",
        *(f"| `{name}` | {_preset(values)} |" for name, values in retrieval.PRESETS.items()),
        "",
    ]
    parts += _policy_sections("retrieval", tuning.KINDS, retrieval.Retrieval())
    also = ", ".join(f"`{a}.{b}` for `{c}.{d}`" for (a, b), (c, d) in tuning.MOVED.items())
    parts.append(f"Also read: {also}.\n")
    parts.append(
        "## `insight`\n\nWhich links [insight](../concepts/insight.md) looks for, and which of them it accepts. Within one policy, with the default "
        "for a key that it leaves out, `theta_cand` is at most `theta_link`, `warm_up` is at most `window`, and the modes "
        "`l3` and `hybrid` need `allow_autocand: true`. Where the policies of several namespaces meet and this does not "
        "hold, `theta_link` is raised, `warm_up` is lowered, and the mode is `l1`.\n"
    )
    parts += _policy_sections("insight", linking_kinds.KINDS, linking.Linking())
    parts += _policy_metabolism()
    parts.append(f"## `calibration`\n\n{_told(retrieval.Calibration)}\n")
    parts.append(f"`wherefrom calibrate` writes it. Each map has {low} to {high} points; all four keys are needed.\n")
    return "\n".join(parts)


def _policy_rules() -> list[str]:
    default = document.default()
    kinds = _choices(document.FINDING_KINDS)
    parts = [f"## `scopes`\n\n{_told(document.ScopeRule)}\n", "| key | default | may be |\n|---|---|---|"]
    for scope, rule in default.scopes.items():
        parts += _policy_rows(f"scopes.{scope}.ttl_days", reading._TTL_DAYS, rule.ttl_days)
        parts += _policy_rows(f"scopes.{scope}.max_tokens", reading._MAX_TOKENS, rule.max_tokens)
    parts.append(f"\n## `boundary_classes`\n\n{_told(document.ClassRule)}\n")
    parts.append("| key | default | may be |\n|---|---|---|")
    tags = f"at most {reading.TAGS} tags, each at most {reading.NAME_CHARACTERS} characters; `*` at the end of one"
    for name in BOUNDARY_CLASSES:
        given, key = default.classes[name], f"boundary_classes.{name}"
        closed = name == BOUNDARY_CLASSES[-1]
        parts.append(f"| `{key}.allow` | {_value(given.allow)} | {'`[]` only' if closed else tags} |")
        parts.append(f"| `{key}.redact` | {_value(given.redact)} | some of {kinds} |")
        parts.append(f"| `{key}.deny` | {_value(given.deny)} | {'`true` only' if closed else 'true or false'} |")
        parts.append(f"| `{key}.escalation` | {_value(given.escalation)} | a plain name, or null |")
    parts.append("\n## `detect`\n\nThe class that a text has at least when such a finding stays in it.\n")
    parts.append("| key | default | may be |\n|---|---|---|")
    for kind, name in default.detect.items():
        allowed = "`secret` only" if kind == "secret" else _choices(BOUNDARY_CLASSES)
        parts.append(f"| `detect.{kind}` | `{name}` | {allowed} |")
    return [
        *parts,
        f"\n## `invariants`\n\n{_told(document.Invariant)}\n",
        "| key | default | may be |\n|---|---|---|",
        f"| `invariants` | `[]` | a list of at most {reading.INVARIANTS} |",
        f"| `name` | required | letters, digits and `_ - . :`, at most {reading.NAME_CHARACTERS} characters |",
        f"| `applies_to` | `['*']` | some of {_choices(tuple(default.scopes))}, or `['*']` alone |",
        f"| `rule` | required | CEL, at most {invariants.RULE_CHARACTERS:,} characters |",
        "",
        f"Functions: {_choices(('has', 'all', 'exists', *invariants.FUNCTIONS))}. At most {invariants.MACROS} `all` and "
        f"`exists` in a rule, each at most {invariants.PREDICATE_CHARACTERS} characters and none inside another; at most "
        f"{invariants.PATTERNS} `matches`, each with a pattern in quotes of at most {invariants.PATTERN_CHARACTERS} "
        f"characters that repeats at most {invariants.REPETITIONS} times. A rule with `all` or `exists` does not hold "
        f"for metadata with more than {invariants.VALUES:,} values in all.\n",
    ]


def _policy_sections(of: str, every: Mapping[str, Mapping[str, nodes.Kind]], defaults: object) -> list[str]:
    parts = []
    for section, kinds in every.items():
        settings_of = getattr(defaults, section)
        parts.append(f"### `{of}.{section}`\n\n{_told(settings_of)}\n")
        parts.append("| key | default | may be |\n|---|---|---|")
        for key, kind in kinds.items():
            parts += _policy_rows(f"{of}.{section}.{key}", kind, getattr(settings_of, key))
        parts.append("")
    return parts


def _policy_metabolism() -> list[str]:
    default = metabolism.Metabolism()
    parts = [f"## `metabolism`\n\n{_listed_keys(default)}\n", "| key | default | may be |\n|---|---|---|"]
    for key, kind in metabolism_kinds.KINDS.items():
        if key == "exclusive":
            parts.append(f"| `metabolism.{key}` | the list below | {kind} |")
        else:
            parts += _policy_rows(f"metabolism.{key}", kind, getattr(default, key))
    evidence = _choices(EVIDENCE_TAGS)
    return [
        *parts,
        f"\nA call of metabolism may give any of them but `exclusive` for one run. Evidence is {evidence}.\n",
        f"Exclusive without a list: {_choices(default.exclusive)}.\n",
    ]


def _listed_keys(documented: object) -> str:
    """What the code says about it, with an item for each key, which begins a line there."""
    return re.sub(r"^([a-z_]+): ", r"- `\1`: ", _told(documented), flags=re.MULTILINE)


def _policy_rows(key: str, kind: nodes.Kind, default: Any) -> list[str]:
    if isinstance(kind, nodes.Table):
        return [row for name in kind.keys for row in _policy_rows(f"{key}.{name}", kind.kind, default[name])]
    match kind:
        case nodes.Choice(words):
            allowed = _choices(words)
        case nodes.Flag():
            allowed = "true or false"
        case nodes.Pair(first, second):
            allowed = f"two values, each {first}" if first == second else f"two values: {first}; {second}"
        case _:
            allowed = str(kind)
    return [f"| `{key}` | {_value(default)} | {allowed} |"]


def _told(documented: object) -> str:
    """What the code says about it, in YAML's words."""
    return (inspect.getdoc(documented) or "").replace("None", "null").replace('("*",)', "`['*']`")


def _preset(values: Mapping[str, Mapping[str, Any]]) -> str:
    given = [f"`{section}.{key}: {value}`" for section, keys in values.items() for key, value in keys.items()]
    return ", ".join(given) or "nothing: the defaults"


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
