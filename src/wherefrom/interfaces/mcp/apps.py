"""Views in the client (MCP Apps): for clients that can show them, a claim comes with its evidence and relations with a
picture. Others get the same tools and texts as ever.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Final

import mcp_types as types
from mcp.server.apps import APP_MIME_TYPE, client_supports_apps

from wherefrom.api.memory import Verbs
from wherefrom.interfaces.http import codec
from wherefrom.interfaces.mcp import tools
from wherefrom.interfaces.verbs import BY_NAME
from wherefrom.model.errors import WherefromError

URI: Final = "ui://wherefrom/view.html"
# The part of an answer that models do not see.
EVIDENCE: Final = "wherefrom/evidence"
_GET, _RELATIONS = "memory_get", "memory_relation_list"
_MAX_EVIDENCE: Final = 20
_MAX_BYTES: Final = 60_000

supported = client_supports_apps


def shown(tool: types.Tool) -> types.Tool:
    """Return a tool as a client that shows views is told of it."""
    if tool.name not in (_GET, _RELATIONS):
        return tool
    return tool.model_copy(update={"meta": {"ui": {"resourceUri": URI}}})


def listed() -> types.Resource:
    """The view as `resources/list` shows it."""
    return types.Resource(
        name="view",
        title="Evidence and relations",
        uri=URI,
        description="Drawn in the client.",
        mime_type=APP_MIME_TYPE,
    )


def read() -> types.ReadResourceResult:
    """The view: one document that needs no other and calls nobody but its client."""
    text = files("wherefrom.interfaces.mcp").joinpath("view.html").read_text(encoding="utf-8")
    content = types.TextResourceContents(
        uri=URI, mime_type=APP_MIME_TYPE, text=text, _meta={"ui": {"csp": {}, "prefersBorder": True}}
    )
    return types.ReadResourceResult(contents=[content])


def answer_call(
    memory: Callable[[], Verbs], name: str, arguments: Mapping[str, Any], *, schemas: bool = False
) -> types.CallToolResult:
    """The answer to a call, with what its view needs besides: the evidence of a claim."""
    answered: types.CallToolResult = tools.answer_call(memory, name, arguments, schemas=schemas)
    if BY_NAME[name].tool != _GET or answered.is_error:
        return answered
    (content,) = answered.content
    got = json.loads(content.text) if isinstance(content, types.TextContent) else {}
    if got.get("kind") != "claim":
        return answered
    try:
        found = codec.dump("claim_evidence", memory().claim_evidence(got["id"], limit=_MAX_EVIDENCE))
    except WherefromError:  # the text says what there is to say
        return answered
    return answered if len(found) > _MAX_BYTES else answered.model_copy(update={"meta": {EVIDENCE: json.loads(found)}})
