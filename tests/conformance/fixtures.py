"""The tools, resources and prompts that the conformance suite calls by name, added to our service for tests alone.

All else is the service's own: its middleware, its transport, its threads, and how it answers an error.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import mcp_types as types
from mcp import MCPError

from wherefrom.api import Store
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.mcp.tools import failed_call
from wherefrom.model.errors import InvalidInput, WherefromError

# A red pixel, and a WAV file without a sample.
_PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
_WAV: Final = base64.b64encode(
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00"
    b"data\x00\x00\x00\x00"
).decode()
_TEMPLATE: Final = re.compile(r"test://template/([^/]+)/data")
# With all words of JSON Schema 2020-12 that a server might drop.
_SCHEMA_2020_12: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_IN_A_HEADER: Final = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}


def service_with_fixtures(store: Store, options: Options) -> Service:
    """A service that has the suite's fixtures besides its own tools, resources and prompts."""
    service = Service(store, options)
    server = service.mcp.server
    own_schema = server.get_tool_input_schema
    assert own_schema is not None
    server.get_tool_input_schema = lambda name: _TOOLS[name][0] if name in _TOOLS else own_schema(name)
    for method, handler in (
        ("tools/list", _list_tools),
        ("tools/call", _call_tool),
        ("resources/list", _list_resources),
        ("resources/templates/list", _list_templates),
        ("resources/read", _read_resource),
        ("prompts/list", _list_prompts),
        ("prompts/get", _get_prompt),
    ):
        own = server.get_request_handler(method)
        assert own is not None
        server.add_request_handler(method, own.params_type, partial(handler, service, own.handler))
    return service


async def _list_tools(service: Service, own: Any, context: Any, params: Any) -> types.ListToolsResult:
    listed: types.ListToolsResult = await own(context, params)
    made = [
        types.Tool(name=name, description="A fixture.", input_schema=schema) for name, (schema, _) in _TOOLS.items()
    ]
    return listed.model_copy(update={"tools": [*listed.tools, *made]})


async def _call_tool(service: Service, own: Any, context: Any, params: types.CallToolRequestParams) -> Any:
    if params.name not in _TOOLS:
        return await own(context, params)
    if params.name == "test_missing_capability":
        data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=types.MISSING_REQUIRED_CLIENT_CAPABILITY, message="it needs sampling", data=data)
    if params.name == "test_tool_with_progress":  # it reports, but an answer of one JSON body carries no reports
        for done in (0, 50, 100):
            await context.session.report_progress(done, 100)
    given = params.arguments or {}
    try:
        content = await service.mcp._run(params.name, partial(_TOOLS[params.name][1], given))
    except WherefromError as error:
        return failed_call(given, error)
    return types.CallToolResult(content=content)


async def _list_resources(service: Service, own: Any, context: Any, params: Any) -> types.ListResourcesResult:
    listed: types.ListResourcesResult = await own(context, params)
    made = [types.Resource(name=uri, uri=uri, description="A fixture.") for uri in _RESOURCES]
    return listed.model_copy(update={"resources": [*listed.resources, *made]})


async def _list_templates(service: Service, own: Any, context: Any, params: Any) -> types.ListResourceTemplatesResult:
    listed: types.ListResourceTemplatesResult = await own(context, params)
    made = types.ResourceTemplate(name="test", uri_template="test://template/{id}/data", description="A fixture.")
    return listed.model_copy(update={"resource_templates": [*listed.resource_templates, made]})


async def _read_resource(service: Service, own: Any, context: Any, params: types.ReadResourceRequestParams) -> Any:
    found = _RESOURCES.get(params.uri)
    if named := _TEMPLATE.fullmatch(params.uri):
        text = json.dumps({"id": named[1], "templateTest": True, "data": f"Data for ID: {named[1]}"})
        found = types.TextResourceContents(uri=params.uri, mime_type="application/json", text=text)
    return types.ReadResourceResult(contents=[found]) if found is not None else await own(context, params)


async def _list_prompts(service: Service, own: Any, context: Any, params: Any) -> types.ListPromptsResult:
    listed: types.ListPromptsResult = await own(context, params)
    made = [
        types.Prompt(
            name=name,
            description="A fixture.",
            arguments=[types.PromptArgument(name=argument, required=True) for argument in arguments],
        )
        for name, (arguments, _) in _PROMPTS.items()
    ]
    return listed.model_copy(update={"prompts": [*listed.prompts, *made]})


async def _get_prompt(service: Service, own: Any, context: Any, params: types.GetPromptRequestParams) -> Any:
    if params.name not in _PROMPTS:
        return await own(context, params)
    contents = _PROMPTS[params.name][1](params.arguments or {})
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content) for content in contents])


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    )


def _fail(given: Mapping[str, Any]) -> Any:
    raise InvalidInput("this tool returns an error for testing")


_IMAGE: Final = types.ImageContent(type="image", data=_PNG, mime_type="image/png")
_AUDIO: Final = types.AudioContent(type="audio", data=_WAV, mime_type="audio/wav")
_PLAIN: Final[dict[str, Any]] = {"type": "object", "properties": {}}
_TOOLS: Final[dict[str, tuple[dict[str, Any], Callable[[Mapping[str, Any]], list[types.ContentBlock]]]]] = {
    "test_simple_text": (_PLAIN, lambda given: [_text("This is a simple text response for testing.")]),
    "test_image_content": (_PLAIN, lambda given: [_IMAGE]),
    "test_audio_content": (_PLAIN, lambda given: [_AUDIO]),
    "test_embedded_resource": (_PLAIN, lambda given: [_embedded("test://embedded-resource", "This is embedded.")]),
    "test_multiple_content_types": (
        _PLAIN,
        lambda given: [
            _text("Multiple content types test:"),
            _IMAGE,
            _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ],
    ),
    "test_error_handling": (_PLAIN, _fail),
    "test_missing_capability": (_PLAIN, _fail),
    "test_tool_with_progress": (_PLAIN, lambda given: [_text("It is done.")]),
    # As all tools of the service, these neither log to the client nor ask it anything.
    "test_logging_tool": (_PLAIN, lambda given: [_text("It is done.")]),
    "test_streaming_elicitation": (_PLAIN, lambda given: [_text("It is done.")]),
    "json_schema_2020_12_tool": (_SCHEMA_2020_12, lambda given: [_text(json.dumps(dict(given)))]),
    "test_x_mcp_header": (_IN_A_HEADER, lambda given: [_text(str(given.get("region")))]),
}
_RESOURCES: Final[dict[str, types.TextResourceContents | types.BlobResourceContents]] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=_PNG),
}
_PROMPTS: Final[dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, str]], list[types.ContentBlock]]]]] = {
    "test_simple_prompt": ((), lambda given: [_text("This is a simple prompt for testing.")]),
    "test_prompt_with_arguments": (
        ("arg1", "arg2"),
        lambda given: [_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")],
    ),
    "test_prompt_with_embedded_resource": (
        ("resourceUri",),
        lambda given: [
            _embedded(given["resourceUri"], "Embedded resource content for testing."),
            _text("Please process the embedded resource above."),
        ],
    ),
    "test_prompt_with_image": ((), lambda given: [_IMAGE, _text("Please analyze the image above.")]),
}
