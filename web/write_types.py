"""Writes web/src/verbs.ts: the arguments and answers of all verbs as TypeScript, made of the API's own description.

`python web/write_types.py`; `make page` runs it, so that a page that no longer fits the API does not build.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wherefrom.interfaces.http.openapi import document

TARGET = Path(__file__).parent / "src" / "verbs.ts"


def main() -> None:
    TARGET.write_text(typescript(document()), encoding="utf-8")


def typescript(api: dict[str, Any]) -> str:
    """Return the types of all verbs. Parts that several verbs share, such as a node, are written once."""
    schemas: dict[str, Any] = api["components"]["schemas"]
    names = _names(schemas)
    lines = ["// Written by web/write_types.py from the API's description; do not edit.", ""]
    written: set[str] = set()
    for key, schema in schemas.items():
        if names[key] not in written:
            written.add(names[key])
            lines += [f"export type {names[key]} = {_type(schema, names)};", ""]
    lines.append("export interface Verbs {")
    for path, operations in api["paths"].items():
        operation = operations["post"]
        verb = operation["operationId"]
        body = operation["requestBody"]["content"].get("application/json", {}).get("schema", {"type": "string"})
        answer = operation["responses"]["200"]["content"].get("application/json", {}).get("schema", {"type": "string"})
        assert path == f"/api/{verb}"
        lines.append(f"  {verb}: {{ arguments: {_type(body, names)}; answer: {_type(answer, names)} }};")
    return "\n".join([*lines, "}", ""])


def _names(schemas: dict[str, Any]) -> dict[str, str]:
    """Return a short name for each schema: its own, without the verb, unless another of that name looks different."""
    shapes: dict[str, str] = {}
    names = {}
    for key, schema in schemas.items():
        short = key.rpartition("_answer_")[2].rpartition("_arguments_")[2]
        shape = json.dumps(schema).replace(key.removesuffix(short), "")
        names[key] = short if shapes.setdefault(short, shape) == shape else "".join(map(str.title, key.split("_")))
    return names


def _type(schema: Any, names: dict[str, str]) -> str:
    """Return the type that a JSON schema describes."""
    if schema is True or schema == {}:
        return "unknown"
    if "$ref" in schema:
        return names[schema["$ref"].rpartition("/")[2]]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if parts := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(_type(part, names) for part in parts))
    if parts := schema.get("allOf"):
        return " & ".join(f"({_type(part, names)})" for part in parts)
    match schema.get("type"):
        case "string":
            return "string"
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(_type(part, names) for part in schema['prefixItems'])}]"
        case "array":
            return f"({_type(schema.get('items', {}), names)})[]"
        case "object" if "properties" in schema:
            # An input says that it takes no others; its fields may be left out.
            optional = schema.get("additionalProperties") is False
            required = schema.get("required", ())
            fields = (
                f"{name}{'?' if optional and name not in required else ''}: {_type(part, names)}"
                for name, part in schema["properties"].items()
            )
            return f"{{ {'; '.join(fields)} }}"
        case "object":
            more = schema.get("additionalProperties", {})
            return "{}" if more is False else f"Record<string, {_type(more, names)}>"
    return "unknown"


if __name__ == "__main__":
    main()
